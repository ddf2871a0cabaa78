"""Finishes a built site for deployment: the content security policy, and the service worker's list of files."""

from __future__ import annotations

import base64
import hashlib
import json
import re
import sys
from collections.abc import Iterable
from pathlib import Path

# The folder of the browser's part in the site; the names of Python's own files in it, and of those kept on demand.
DIST = "assets/dist/"
RUNTIME = re.compile(r"(python-worker-|book-|library-|pyodide-[\d.]+/pyodide\.asm\.)[^/]*$")
MORE = re.compile(r"pyodide-[\d.]+/python_stdlib\.zip$")

# What no page asks for.
UNUSED = re.compile(
    r"\.map$|^assets/javascripts/lunr/|^sitemap\.xml\.gz$|^sw\.js$|^assets/dist/licences\.txt$|^assets/dist/sw\.js$|(^|/)\."
)

POLICY = {
    "default-src": "'self'",
    "script-src": "'self' 'wasm-unsafe-eval'",
    # Python's worker begins at a blob: address, so that this policy holds in it too.
    "worker-src": "'self' blob:",
    # The theme, the editor and the charts style elements from their scripts.
    "style-src": "'self' 'unsafe-inline'",
    "img-src": "'self' data:",
    # Stop looks for a blob: address.
    "connect-src": "'self' blob:",
    "object-src": "'none'",
    "frame-src": "'none'",
    "base-uri": "'self'",
    "form-action": "'self'",
}

# A page's own styles and scripts; the site's error page names them from the server's root, and is left out.
ASSET = re.compile(r'(<(?:link|script)\b[^>]*?\b(?:href|src)=")([^"/?#:][^"?#:]*\.(?:css|js))(?:\?[^"]*)?"')

SCRIPT = re.compile(r"<script\b([^>]*)>(.*?)</script>", re.DOTALL | re.IGNORECASE)


def inline_scripts(html: str) -> set[str]:
    """The text of every script element that a browser would run and that stands in the page itself."""
    return {
        text
        for attributes, text in SCRIPT.findall(html)
        if text.strip() and "src=" not in attributes and not re.search(r"type=[\"']?application/", attributes)
    }


def policy(scripts: Iterable[str]) -> str:
    """The policy that allows the site's own files and `scripts`, each by its hash."""
    hashes = sorted(f"'sha256-{_digest(text.encode())}'" for text in scripts)
    rules = {**POLICY, "script-src": " ".join([POLICY["script-src"], *hashes])}
    return "; ".join(f"{name} {value}" for name, value in rules.items())


def versioned(html: str, folder: Path) -> str:
    """The page in `folder` with the content of each style and script in its address: a browser keeps them for a while,
    and may not show a new page with an old one."""

    def link(match: re.Match[str]) -> str:
        file = folder / match[2]
        mark = f"?v={hashlib.sha256(file.read_bytes()).hexdigest()[:8]}" if file.is_file() else ""
        return f'{match[1]}{match[2]}{mark}"'

    return ASSET.sub(link, html)


def files(site: Path, rules: str = "") -> dict[str, object]:
    """What the service worker keeps, path to SHA-256: `shell` at once, `runtime` and `more` later; and the policy that it
    gives Python's worker."""
    paths = sorted(p.relative_to(site).as_posix() for p in site.rglob("*") if p.is_file())
    used = [p for p in paths if not UNUSED.search(p)]
    digests = {p: _digest((site / p).read_bytes()) for p in used}
    runtime = {p: digests.pop(p) for p in used if p.startswith(DIST) and RUNTIME.search(p)}
    more = {p: digests.pop(p) for p in used if p.startswith(DIST) and MORE.search(p)}
    content = {"shell": digests, "runtime": runtime, "more": more, "policy": rules}
    version = hashlib.sha256(json.dumps(content).encode()).hexdigest()[:12]
    return {"version": version, **content}


def finish(site: Path) -> None:
    """Give every page of `site` the policy, the mark of offline reading and versioned addresses; write `sw.js`."""
    pages = {p: versioned(p.read_text(encoding="utf-8"), p.parent) for p in sorted(site.rglob("*.html"))}
    # One policy for all pages: instant navigation keeps the first page's, and a second one would only narrow it.
    rules = policy(set().union(*(inline_scripts(html) for html in pages.values())))
    marks = (
        f'<meta http-equiv="Content-Security-Policy" content="{rules}"><meta name="occusite-offline" content="sw.js">'
    )
    for path, html in pages.items():
        if marks not in html:
            html, count = re.subn(r"<meta charset=[^>]*>", lambda m: m[0] + marks, html, count=1)
            if not count:
                raise ValueError(f"{path}: no <meta charset> to put the policy after")
        path.write_text(html, encoding="utf-8")
    worker = (site / DIST / "sw.js").read_text(encoding="utf-8")
    (site / "sw.js").write_text(f"const __SITE__={json.dumps(files(site, rules))};\n{worker}", encoding="utf-8")


def _digest(data: bytes) -> str:
    return base64.b64encode(hashlib.sha256(data).digest()).decode()


if __name__ == "__main__":
    finish(Path(sys.argv[1]))
