"""Builds the book into site/, as it is deployed: `python3 scripts/build.py`. It does all the set-up itself."""

import _setup  # first: it says so if this Python is too old

# isort: split
import argparse
import gzip
import time
from html.parser import HTMLParser
from pathlib import Path

SITE = _setup.ROOT / "site"


def main() -> None:
    """Set up, build, print each page's weight."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--site-url", help="the address it will be served at, with the path and a final slash")
    parser.add_argument("--out", type=Path, default=SITE, help="the folder to build into (default: site)")
    arguments = parser.parse_args()
    out = arguments.out.resolve()
    build(_setup.prepare(), arguments.site_url, out)
    print(weights(out))


def build(tools: _setup.Tools, site_url: str | None = None, out: Path = SITE) -> None:
    """Bundle the browser's part, build the pages (a warning fails), finish them for deployment; print each step's time."""
    env = tools.env | ({"SITE_URL": site_url} if site_url else {})
    pages = tools.python("-m", "mkdocs", "build", "--strict", "--clean", "--site-dir", out)
    finish = tools.python("-m", "occusite.book.build.deploy", out)
    start = time.monotonic()
    _setup.build_assets(tools)
    _timed("the browser's part", start)
    start = time.monotonic()
    _setup.run(pages, env, "The pages could not be built")
    _timed("the pages", start)
    start = time.monotonic()
    _setup.run(finish, env, "The built pages could not be finished")
    _timed("the finish", start)


def weights(site: Path) -> str:
    """A table: each page with what it loads before the reader does anything, gzip, in kB, heaviest first."""
    rows = []
    packed: dict[Path, int] = {}
    for page in sorted(site.rglob("index.html")):
        links = _Links()
        links.feed(page.read_text(encoding="utf-8"))
        files = {page, *((page.parent / link.split("?")[0]).resolve() for link in links.found if "://" not in link)}
        for file in files - packed.keys():
            packed[file] = len(gzip.compress(file.read_bytes())) if file.is_file() else 0
        rows.append((sum(packed[file] for file in files), page.relative_to(site).as_posix()))
    lines = [f"{size / 1000:7.0f} kB  {name}" for size, name in sorted(rows, reverse=True)]
    return "Each page with its scripts and styles, gzip (fonts come on top):\n" + "\n".join(lines)


class _Links(HTMLParser):
    """The files a page loads by itself."""

    def __init__(self) -> None:
        super().__init__()
        self.found: list[str] = []

    def handle_starttag(self, tag: str, attributes: list[tuple[str, str | None]]) -> None:
        named = {name: value or "" for name, value in attributes}
        if tag == "script" and named.get("src"):
            self.found.append(named["src"])
        elif tag == "link" and named.get("rel") in ("stylesheet", "preload", "modulepreload", "icon"):
            self.found.append(named.get("href", ""))


def _timed(what: str, start: float) -> None:
    print(f"built {what} in {time.monotonic() - start:.1f} s")


if __name__ == "__main__":
    _setup.main(main)
