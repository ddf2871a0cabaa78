// Share links: what zlib makes of them, round trips, and links that are damaged or none.

import assert from "node:assert/strict";
import { test } from "node:test";
import { deflateRawSync, inflateRawSync } from "node:zlib";

import { link, pack, shared, unpack } from "../../docs/assets/src/share.js";

const PAGE = "https://example.org/occusite/05-executable/?silicon.sms=80#a-section";
const SOURCES = ["", "print(6 * 7)\n", "# ÷ × ⌊x⌋ 𝛌 'quotes' & <tags>\n", "x = 1\n".repeat(5000), "\u0000\ud83d\ude00"];

test("a packed source is deflated base64url, as zlib reads it", async () => {
  for (const source of SOURCES) {
    const packed = await pack(source);
    assert.match(packed, /^[\w-]*$/);
    assert.equal(inflateRawSync(Buffer.from(packed, "base64url")).toString("utf8"), source);
    assert.equal(await unpack(deflateRawSync(Buffer.from(source)).toString("base64url")), source);
  }
});

test("a link keeps the page and its state, and carries cell and source", async () => {
  for (const source of SOURCES) {
    const url = new URL(await link(PAGE, "3", source));
    assert.equal(url.href.split("#")[0], PAGE.split("#")[0]);
    assert.deepEqual(await shared(url.hash), { cell: "3", source });
  }
});

test("a damaged link names its cell and has no source", async () => {
  const hash = new URL(await link(PAGE, "12", "print('whole')\n".repeat(9))).hash;
  for (const damaged of ["#cell-12=no%20code", "#cell-12=***", hash.slice(0, -8), `${hash.slice(0, 20)}____${hash.slice(24)}`]) {
    assert.deepEqual(await shared(damaged), { cell: "12", source: null }, damaged);
  }
});

test("other fragments are no links", async () => {
  for (const hash of ["", "#", "#cell-3", "#cell-=x", "#cell-a=x", "#the-cell-3=x"]) assert.equal(await shared(hash), null);
});
