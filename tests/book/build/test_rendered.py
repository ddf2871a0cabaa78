"""What is rendered once and stored: what makes a page another one and what does not, and that a stored page is the same."""

from __future__ import annotations

import shutil
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
from mkdocs.commands.build import build
from mkdocs.config import load_config
from mkdocs.structure.pages import Page

from occusite.book.build import rendered

ROOT = Path(__file__).parents[3]
PLAIN = "# Plain\n\nwords\n"
WIDGET = "# One\n\n```widget\nsilicon\nsms = 80\n```\n"
EXERCISE = "# Two\n\n```exercise\nties\n```\n"
LIST = "# All\n\n```progress\n```\n"


@pytest.fixture
def package(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A copy of the package to change, and a store of its own."""
    copy = tmp_path / "occusite"
    shutil.copytree(ROOT / "occusite", copy, ignore=shutil.ignore_patterns("__pycache__"))
    monkeypatch.setattr(rendered, "PACKAGE", copy)
    monkeypatch.setattr(rendered, "CACHE", tmp_path / "cache")
    return copy


@pytest.fixture
def docs(tmp_path: Path) -> Path:
    folder = tmp_path / "docs"
    folder.mkdir()
    for name, text in (("plain", PLAIN), ("widget", WIDGET), ("exercise", EXERCISE), ("list", LIST)):
        (folder / f"{name}.md").write_text(text)
    return folder


def keys(docs: Path, settings: bytes = b"") -> dict[str, str]:
    """Every page's key, as a build that starts now would find it."""
    store = rendered.Store(docs, settings)
    return {path.stem: store.key(path.name, path.read_text(), {}) for path in docs.glob("*.md")}


def more(path: Path) -> None:
    path.write_text(path.read_text(encoding="utf-8") + "\n# more\n", encoding="utf-8")


def test_a_page_sees_the_widgets_and_exercises_it_names() -> None:
    assert rendered.leaves(PLAIN) == rendered.leaves(LIST) == set()
    # The widget of the chip uses two functions of the calculator's file.
    assert rendered.leaves(WIDGET) == {"book/widgets/silicon.py", "book/widgets/calculator.py"}
    assert rendered.leaves(EXERCISE) == {"book/exercises/three_budgets/ties.py"}
    assert rendered.leaves(WIDGET + EXERCISE) == rendered.leaves(WIDGET) | rendered.leaves(EXERCISE)


ALL = {"plain", "widget", "exercise", "list"}
CHANGES: list[tuple[str, Callable[[Path, Path], None], set[str]]] = [
    ("nothing", lambda package, docs: None, set()),
    ("a page", lambda package, docs: more(docs / "plain.md"), {"plain", "list"}),
    ("a new page", lambda package, docs: (docs / "new.md").touch(), ALL),
    ("the domain", lambda package, docs: more(package / "littles_law.py"), ALL),
    ("a part of all widgets", lambda package, docs: more(package / "book/parts/widget.py"), ALL),
    ("the package's data", lambda package, docs: more(next((package / "data").rglob("*.toml"))), ALL),
    ("a widget", lambda package, docs: more(package / "book/widgets/silicon.py"), {"widget", "list"}),
    ("what it imports", lambda package, docs: more(package / "book/widgets/calculator.py"), {"widget", "list"}),
    ("another widget", lambda package, docs: more(package / "book/widgets/cliffs.py"), {"list"}),
    ("an exercise", lambda package, docs: more(package / "book/exercises/three_budgets/ties.py"), {"exercise", "list"}),
    ("another exercise", lambda package, docs: more(package / "book/exercises/trap/sufficient.py"), {"list"}),
]


@pytest.mark.parametrize(("change", "changed"), [(c, e) for _, c, e in CHANGES], ids=[name for name, *_ in CHANGES])
def test_a_change_renders_what_sees_it_and_nothing_else(
    package: Path, docs: Path, change: Callable[[Path, Path], None], changed: set[str]
) -> None:
    before = keys(docs)
    change(package, docs)
    after = keys(docs)
    assert {name for name in before if before[name] != after[name]} == changed


def test_other_settings_render_everything(package: Path, docs: Path) -> None:
    assert not keys(docs, b"one").items() & keys(docs, b"two").items()


def test_a_fence_is_computed_once_for_the_same_package(package: Path, docs: Path) -> None:
    calls = []

    def formatter(source: str, language: str, css_class: str, options: dict[str, Any], md: Any) -> str:
        calls.append(source)
        return f"<p>{source} {options.get('rows')}</p>"

    def show(source: str, **options: str) -> str:
        return rendered.Store(docs, b"").fence(formatter)(source, "table", "", options, None)

    assert [show("a"), show("b"), show("a"), show("a", rows="2")] == [
        "<p>a None</p>", "<p>b None</p>", "<p>a None</p>", "<p>a 2</p>",
    ]  # fmt: skip
    assert calls == ["a", "b", "a"], "the third was stored, the fourth has another option"
    more(package / "book/widgets/cliffs.py")
    assert show("a") and len(calls) == 3
    more(package / "nvidia" / "__init__.py")
    assert show("a") and len(calls) == 4
    assert len(list((rendered.CACHE / "fences").iterdir())) == 1, "what is out of date goes"


def test_a_stored_page_is_the_page(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """The same bytes from a build for deployment, one that stores, and one that takes; also references across pages."""
    monkeypatch.chdir(ROOT)
    monkeypatch.setattr(rendered, "CACHE", tmp_path / "cache")
    docs = tmp_path / "docs"
    docs.mkdir()
    (docs / "index.md").write_text(
        "# Home\n\nSee [Little][occusite.littles_law] and [two](two.md#two), `#!v count(1234)`.\n\n"
        "```cell\nprint(6 * 7)\n```\n\n## Part\n\n```widget\ncalculator\n```\n"
    )
    (docs / "two.md").write_text("---\ntitle: The second\n---\n\n# Two\n\n::: occusite.littles_law\n")
    renders: list[str] = []
    render = Page.render

    def counted(self: Page, *arguments: Any) -> None:
        renders.append(self.file.src_uri)
        render(self, *arguments)

    monkeypatch.setattr(Page, "render", counted)

    def made(name: str, command: str) -> dict[str, bytes]:
        site = tmp_path / name
        config = load_config(str(ROOT / "mkdocs.yml"), docs_dir=str(docs), site_dir=str(site))
        config.nav, config.extra_css, config.extra_javascript, config.strict = None, [], [], False
        config.plugins.on_startup(command=command, dirty=False)
        build(config)
        return {path.relative_to(site).as_posix(): path.read_bytes() for path in site.rglob("*.html")} | {
            "search": (site / "search" / "search_index.json").read_bytes()
        }

    plain = made("plain", "build")
    assert not (tmp_path / "cache").exists(), "a build for deployment stores nothing"
    assert b"two/#occusite.littles_law" in plain["index.html"], "the reference leads to the other page"
    stored = made("stored", "serve")
    assert sorted(renders) == ["index.md", "index.md", "two.md", "two.md"]
    taken = made("taken", "serve")
    assert len(renders) == 4, "rendered again"
    assert plain == stored == taken

    (docs / "two.md").write_text("# Two\n\n::: occusite.littles_law\n\nmore words\n")
    assert b"more words" in made("edited", "serve")["two/index.html"]
    assert renders[4:] == ["two.md"]
    for path in (tmp_path / "cache" / "pages").iterdir():
        path.write_bytes(path.read_bytes()[:100])
    assert made("damaged", "serve") == made("anew", "build")
