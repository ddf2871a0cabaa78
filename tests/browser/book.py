"""The book as a reader handles it: pages, cells, widgets."""

from __future__ import annotations

import json
import time
from pathlib import Path
from typing import Any

from occusite.book.runtime import api as live

from .engine import Tab

ROOT = Path(__file__).parents[2]
DOCS = ROOT / "docs"


def page_paths() -> list[str]:
    """The path below the site of every page written in docs/, in the order of their files."""
    found = []
    for file in sorted([*DOCS.rglob("*.md"), *DOCS.rglob("*.ipynb")]):
        parts = file.relative_to(DOCS).with_suffix("").parts
        if parts[0] in ("assets", "overrides"):
            continue
        path = "/".join(parts[:-1] if parts[-1] == "index" else parts)
        found.append(f"{path}/" if path else "")
    return found


# A page with several cells, and one with a widget.
CELLS = "05-executable/"
WIDGET = "03-shape-a-block/"


class Book:
    """The book in a tab, served below `base`."""

    def __init__(self, tab: Tab, base: str) -> None:
        self.tab, self.base = tab, base

    def load(self, path: str) -> Book:
        """Load a page from the server, as a first visit or a reload does."""
        # Firefox may say that it has loaded before the page has changed, to the same address too.
        self.tab.js("self.left = true")
        self.tab.goto(self.base + path)
        self.tab.wait("!self.left && location.href.split(/[?#]/)[0] === args[0].split(/[?#]/)[0]", self.base + path)
        self.alive()
        return self

    def turn(self, path: str) -> Book:
        """Turn to a page by its link in the navigation, without a load."""
        url = self.base + path
        if self.tab.js("return location.origin + location.pathname") == url:
            return self
        marked = self.tab.js(
            """
            for (const old of document.querySelectorAll("[data-turn]")) delete old.dataset.turn;
            const here = (a) => a.href.split(/[?#]/)[0] === args[0] && a.checkVisibility();
            const link = [...document.querySelectorAll(".md-nav--primary a, a.md-logo, a.md-tabs__link")].find(here)
              ?? [...document.querySelectorAll("a")].find(here);
            if (link) link.dataset.turn = "";
            return Boolean(link);
            """,
            url,
        )
        assert marked, f"no link to {path or 'the home page'}"
        self.tab.js("self.turned = true; scrollTo({ top: 0, behavior: 'instant' })")
        self.tab.click("[data-turn]", at=0.2, block="nearest")
        self.tab.wait("document.querySelector('link[rel=canonical]')?.href.endsWith(args[0])", f"/occusite/{path}")
        self.alive()
        assert self.tab.js("return self.turned"), f"turning to {path or 'the home page'} loaded it anew"
        return self

    def alive(self) -> None:
        """Wait until the page's modules have taken hold of it."""
        self.tab.wait(
            "document.documentElement.dataset.js === 'on' && ![...document.querySelectorAll("
            "'section.occ-cell, form.occ-widget')].some((e) => !e.dataset.state)"
        )

    def ready(self) -> Book:
        """Wait until Python has started and nothing runs."""
        self.tab.wait("document.documentElement.dataset.python === 'ready'", timeout=120)
        return self

    def search(self, words: str = "") -> None:
        """Open the search, type `words` and wait until no further results come."""
        self.tab.wait("document.querySelector('.md-search__input')?.checkVisibility()")
        self.tab.click(".md-search__input")
        self.tab.wait("document.activeElement.matches('.md-search__input')")
        if self.tab.js("return document.activeElement.value"):
            self.tab.press("Control+a")
            self.tab.press("Delete")
            self.tab.wait("!document.querySelector('.md-search-result__link')")
        if words:
            self.tab.type(words)
            self.tab.wait("document.querySelector('.md-search-result__link')")
            self.tab.js(
                """
                await new Promise((done) => {
                  let timer = setTimeout(done, 500);
                  const later = () => (clearTimeout(timer), (timer = setTimeout(done, 500)));
                  const watch = { childList: true, subtree: true };
                  new MutationObserver(later).observe(document.querySelector(".md-search-result"), watch);
                });
                """
            )

    def sections(self) -> list[str]:
        """The fragments of the page's sections, in order."""
        found: list[str] = self.tab.js(
            "return [...document.querySelectorAll('.md-sidebar--secondary a')].map((a) => a.hash)"
        )
        return found

    def to_section(self, section: str) -> None:
        """Go to a section by its link in the table of contents."""
        self.tab.click(f".md-sidebar--secondary a[href$='{section}']", at=0.2, block="nearest")
        self.tab.wait("document.querySelector(args[0]).matches(':target')", section)

    def cells(self) -> list[Cell]:
        """The page's cells, in order."""
        numbers = self.tab.js("return [...document.querySelectorAll('section.occ-cell')].map((s) => s.dataset.cell)")
        return [Cell(self, n) for n in numbers]

    def cell(self, number: int) -> Cell:
        """One cell, numbered from 1."""
        return Cell(self, str(number))

    def widgets(self) -> list[Widget]:
        """The page's widgets, in order."""
        ids = self.tab.js("return [...document.querySelectorAll('form.occ-widget')].map((f) => f.id)")
        return [Widget(self, i) for i in ids]


# What the tests say about outputs and pictures inside the page.
READING = """
const html = (text) => { const box = document.createElement("div"); box.innerHTML = text; return box.innerHTML; };
/** Marks of one group that lie beside each other without children have no order of their own: ticks come as they came. */
const settled = (svg) => {
  const copy = svg.cloneNode(true);
  for (const group of copy.querySelectorAll("g[class*=axis]")) {
    for (const list of group.querySelectorAll("g")) {
      if (list.children.length > 1 && ![...list.children].some((e) => e.children.length)) {
        list.replaceChildren(...[...list.children].sort((a, b) => (a.outerHTML < b.outerHTML ? -1 : 1)));
      }
    }
  }
  return copy;
};
const picture = (svg) => svg && settled(svg).outerHTML.replace(/clip\\d+|gradient_\\d+/g, "id").replace(/ style="[^"]*"/, "");
const held = (box, css) => { const t = box.querySelector(css); return t && (t.content?.textContent || t.textContent); };
/** The picture that `spec` gives at the width of `figure`, drawn anew beside it by the page's own chart code. */
const fresh = async (figure, spec, charts) => {
  const { update, forget } = await import(charts);
  const box = figure.querySelector(".occ-chart");
  const copy = figure.cloneNode(false);
  const inner = copy.appendChild(box.cloneNode(false));
  for (const node of [copy, inner]) node.removeAttribute("id");
  delete copy.dataset.part;
  copy.style.cssText = "position: absolute; visibility: hidden; pointer-events: none";
  inner.style.cssText = `width: ${getComputedStyle(box).width}; box-sizing: border-box`;
  figure.after(copy);
  await update(copy, spec);
  const drawn = picture(copy.querySelector("svg"));
  copy.remove();
  forget?.(copy);
  return drawn;
};
/** Where two pictures part, in a few words of each. */
const parting = (a, b) => {
  if (!a) return "not drawn live";
  const at = [...a].findIndex((c, i) => c !== b[i]);
  return `drawn as …${a.slice(Math.max(0, at - 60), at + 40)}…\n  not as …${b.slice(Math.max(0, at - 60), at + 40)}…`;
};
const sent = async () => new DOMParser().parseFromString(await (await fetch(location.pathname)).text(), "text/html");
const charts = () => performance.getEntriesByType("resource").map((e) => e.name).find((n) => /\\/charts-\\w+\\.js$/.test(n));
"""


class Cell:
    """One cell of the page shown."""

    def __init__(self, book: Book, number: str) -> None:
        self.book, self.tab, self.number = book, book.tab, number
        self.css = f'section.occ-cell[data-cell="{number}"]'

    def js(self, body: str, *args: Any) -> Any:
        """Run a function body with `cell` as the section."""
        return self.tab.js(f"{READING} const cell = document.querySelector(args.shift()); {body}", self.css, *args)

    @property
    def state(self) -> str:
        """idle, loading, running, done or error."""
        return str(self.js("return cell.dataset.state"))

    @property
    def said(self) -> str:
        """The cell's state line."""
        return str(self.js("return cell.querySelector('.occ-state').textContent"))

    @property
    def text(self) -> str:
        """The output's text."""
        return str(self.js("return cell.querySelector('.occ-output').textContent"))

    @property
    def source(self) -> str:
        """The code the cell shows, in the editor or before it is opened."""
        return str(
            self.js(
                "const lines = [...cell.querySelectorAll('.cm-line')].map((l) => l.textContent);"
                "return lines.length ? lines.join('\\n') :"
                " cell.querySelector('.occ-cell-source').textContent.replace(/\\n$/, '')"
            )
        )

    @property
    def hidden(self) -> bool:
        """Whether the cell runs unseen."""
        return bool(self.js("return cell.hidden"))

    def outputs(self) -> list[dict[str, str]]:
        """What the output box shows, one entry an output; a chart as its spec, or as drawn when it is live."""
        found: list[dict[str, str]] = self.js(
            """
            return [...cell.querySelector(".occ-output").children].map((node) => {
              if (node.matches("figure")) {
                const live = node.querySelector(".occ-chart-live svg");
                return { kind: "chart", alt: node.querySelector(".occ-chart").getAttribute("aria-label"),
                         ...(live ? { drawn: picture(live) } : { spec: held(node, ".occ-spec") }) };
              }
              const box = node.matches(".occ-folded") ? (node.querySelector("button")?.click(), node.querySelector("pre")) : node;
              const kind = /occ-out--(\\w+)/.exec(box.className)[1];
              return { kind, data: ["text", "error"].includes(kind) ? box.textContent : box.innerHTML };
            });
            """
        )
        return found

    def drawn_anew(self, index: int, spec: str) -> str:
        """The picture of `spec`, drawn anew at the size of the cell's output number `index`."""
        return str(
            self.js(
                "return fresh(cell.querySelector('.occ-output').children[args[0]], JSON.parse(args[1]), charts())",
                index,
                spec,
            )
        )

    def run(self, timeout: float = 120) -> Cell:
        """Press Run and wait until the cell has ended."""
        self.press("run")
        return self.ended(timeout)

    def press(self, button: str) -> None:
        """Click one of the toolbar's buttons; Stop not so soon after Run that it would be a double click's second."""
        if button == "stop":
            time.sleep(0.45)
        self.tab.click(f"{self.css} .occ-{button}")

    def ended(self, timeout: float = 120) -> Cell:
        """Wait until the cell has ended, well or not."""
        self.tab.wait(
            "['done', 'error'].includes(document.querySelector(args[0]).dataset.state)", self.css, timeout=timeout
        )
        return self

    def printed(self, text: str, timeout: float = 120) -> Cell:
        """Wait until the output holds `text`."""
        self.tab.wait(
            "document.querySelector(args[0]).textContent.includes(args[1])",
            f"{self.css} .occ-output",
            text,
            timeout=timeout,
        )
        return self

    def running(self) -> Cell:
        """Wait until the cell's code runs."""
        self.tab.wait("document.querySelector(args[0]).dataset.state === 'running'", self.css)
        return self

    def stop(self) -> Cell:
        """Press Stop once the cell's code runs, and wait until it has ended."""
        self.running().press("stop")
        return self.ended()

    def saying(self, pattern: str) -> Cell:
        """Wait until the state line matches a regular expression."""
        try:
            self.tab.wait(
                "new RegExp(args[1]).test(document.querySelector(args[0]).textContent)",
                f"{self.css} .occ-state",
                pattern,
            )
        except TimeoutError:
            raise AssertionError(f"cell {self.number} ({self.state}) says {self.said!r}, not {pattern}") from None
        return self

    def settled(self) -> Cell:
        """Wait until the editor is open if there is code to show that is not the book's: an edit from last time."""
        self.tab.wait("document.querySelector(args[0])", f"{self.css}:is(:not([data-edited]), :has(.cm-content))")
        return self

    def edit(self) -> None:
        """Open the editor, the caret in it."""
        self.settled()
        opened = self.js("return Boolean(cell.querySelector('.cm-content'))")
        self.tab.focus(f"{self.css} {'.cm-content' if opened else '.occ-cell-source'}")
        if not opened:
            self.tab.press("Enter")
        self.tab.wait("document.activeElement?.matches(args[0])", f"{self.css} .cm-content")

    def write(self, source: str) -> Cell:
        """Replace the cell's code by pasting."""
        self.edit()
        self.tab.press("Control+a")
        self.tab.paste(f"{self.css} .cm-content", source)
        return self


class Widget:
    """One widget of the page shown."""

    def __init__(self, book: Book, ident: str) -> None:
        self.tab, self.css = book.tab, f"form#{ident}"
        self.sent = False
        self.name = str(self.js("return form.dataset.widget"))

    def js(self, body: str, *args: Any) -> Any:
        """Run a function body with `form` as the widget, as the reader has it or as the server sends it."""
        of = "await sent()" if self.sent else "document"
        return self.tab.js(f"{READING} const form = ({of}).querySelector(args.shift()); {body}", self.css, *args)

    def controls(self) -> list[dict[str, Any]]:
        """Each control once: `name`, `type`, and `css` that finds it (all buttons, for radio buttons)."""
        found: list[dict[str, Any]] = self.js(
            """
            const seen = new Map();
            for (const c of form.querySelectorAll("input[name], select[name], textarea[name], select[data-presets]")) {
              const name = c.name || "(preset)";
              const css = c.name ? `${args[0]} [name="${c.name}"]` : `${args[0]} select[data-presets]`;
              if (!seen.has(name)) seen.set(name, { name, css, type: c.localName === "input" ? c.type : c.localName });
            }
            return [...seen.values()];
            """,
            self.css,
        )
        return found

    def values(self) -> dict[str, Any]:
        """What the controls say now, by name."""
        found: dict[str, Any] = self.js(
            """
            const values = {};
            for (const c of form.querySelectorAll(".occ-controls [name]")) {
              if (c.type === "radio") { if (c.checked) values[c.name] = c.value; }
              else if (c.type === "checkbox") values[c.name] = c.checked;
              else values[c.name] = ["range", "number"].includes(c.type) && c.value !== "" ? Number(c.value) : c.value;
            }
            return values;
            """
        )
        return found

    def expected(self) -> dict[str, Any]:
        """The view that the package gives, here, for what the controls say."""
        found: dict[str, Any] = json.loads(live.view(self.name, json.dumps(self.values())))
        return found

    def differences(self) -> list[str]:
        """Where the page shows something else than the package's view; live charts are compared as drawn."""
        found: list[str] = self.js(
            """
            const [view, drawn] = args;
            const wrong = [];
            const status = form.querySelector(".occ-status");
            if (view.error !== undefined) {
              return status.textContent.includes(view.error) ? [] : [`says ${status.textContent}, not ${view.error}`];
            }
            if (status.innerHTML !== html(view.status)) wrong.push(`status: ${status.innerHTML}\\n  not ${html(view.status)}`);
            for (const [name, part] of Object.entries(view.parts)) {
              const box = form.querySelector(`[data-part="${name}"]`);
              if (part.kind === "html") {
                if (box.innerHTML !== html(part.data)) wrong.push(`${name}: ${box.innerHTML}\\n  not ${html(part.data)}`);
              } else {
                const alt = box.querySelector(".occ-chart").getAttribute("aria-label");
                if (alt !== part.alt) wrong.push(`${name}: told as ${alt}\\n  not ${part.alt}`);
                if (!drawn) {
                  const spec = JSON.stringify(JSON.parse(held(box, ".occ-spec")));
                  if (spec !== JSON.stringify(part.spec)) wrong.push(`${name}: built from another spec`);
                } else {
                  const [live, anew] = [picture(box.querySelector(".occ-chart-live svg")), await fresh(box, part.spec, charts())];
                  if (live !== anew) wrong.push(`${name}: ${parting(live, anew)}`);
                }
              }
            }
            return wrong;
            """,
            self.expected(),
            not self.sent,
        )
        return found

    def as_sent(self) -> Widget:
        """The same widget in the page's file, before any script has touched it."""
        self.sent = True
        self.name = str(self.js("return form.dataset.widget"))
        return self

    def slide(self, key: str) -> None:
        """Press a key on the first slider: "End" for its highest value, "Home" for its lowest."""
        self.tab.focus(f"{self.css} input[type=range]")
        self.tab.press(key)

    def settle(self, timeout: float = 60) -> None:
        """Wait until the widget shows what the package says for its controls; fail with the differences."""
        self.tab.wait(
            "['done', 'error'].includes(document.querySelector(args[0]).dataset.state)", self.css, timeout=timeout
        )
        # A chart may be a frame behind the words.
        for _ in range(20):
            wrong = self.differences()
            if not wrong:
                return
            self.tab.js("await new Promise((done) => setTimeout(done, 50))")
        raise AssertionError(f"{self.name} {self.values()}:\n" + "\n".join(wrong))
