"""Notebooks: run by Jupyter at build, where an error fails the build; pages as notebooks; charts outside the book."""

from __future__ import annotations

import json
import re
import shutil
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import nbformat
import pytest
from mkdocs.commands.build import build
from mkdocs.config import load_config
from mkdocs.exceptions import PluginError
from nbclient import NotebookClient

from occusite import nvidia, occupancy
from occusite.book.build import notebook, plugin, rendered
from occusite.book.parts import cells, charts, jupyter

ROOT = Path(__file__).parents[3]
SITE = "https://example.org/occusite/"
SESSION = ROOT / "docs" / "12-session.ipynb"
CHAPTERS = sorted((ROOT / "docs").glob("*.md"))


@pytest.fixture(autouse=True)
def in_the_root(monkeypatch: pytest.MonkeyPatch) -> None:
    """The build reads docs/ from where it runs."""
    monkeypatch.chdir(ROOT)


def small(*sources: str) -> nbformat.NotebookNode:
    """A notebook with a heading and these code cells."""
    code = [nbformat.v4.new_code_cell(source) for source in sources]
    return nbformat.v4.new_notebook(metadata=notebook.HEAD, cells=[nbformat.v4.new_markdown_cell("# Small"), *code])


def built(folder: Path, notebook: nbformat.NotebookNode) -> Path:
    """Build a site of that one notebook with the book's own settings; the site's folder."""
    docs = folder / "docs"
    docs.mkdir()
    nbformat.write(notebook, docs / "small.ipynb")
    (docs / "index.md").write_text("# Home\n\nSee [the notebook](small.ipynb).\n")
    config = load_config(str(ROOT / "mkdocs.yml"), docs_dir=str(docs), site_dir=str(folder / "site"))
    config.nav, config.extra_css, config.extra_javascript = None, [], []
    build(config)
    return folder / "site"


@pytest.fixture
def apart(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[Path]:
    """A cache of the test's own."""
    monkeypatch.setattr(plugin, "CACHE", tmp_path / "cache")
    yield tmp_path


def test_a_failing_cell_fails_the_build_with_its_own_words(apart: Path, caplog: pytest.LogCaptureFixture) -> None:
    with pytest.raises(SystemExit):
        built(apart, small("blocks = 6", "blocks / 0", "print('never')"))
    assert "small.ipynb does not run in Jupyter" in caplog.text
    assert "blocks / 0" in caplog.text and "ZeroDivisionError: division by zero" in caplog.text
    assert not (apart / "site" / "small" / "index.html").exists()
    assert not list((apart / "cache").glob("*"))


def test_what_fails_only_in_jupyter_fails_the_build_too(apart: Path, caplog: pytest.LogCaptureFixture) -> None:
    with pytest.raises(SystemExit):
        built(apart, small("import sys\nassert 'ipykernel' not in sys.modules, 'this is Jupyter'"))
    assert "AssertionError: this is Jupyter" in caplog.text


def test_a_notebook_becomes_a_page_of_the_book(apart: Path) -> None:
    site = built(apart, small("warps = 6 * 8\nprint(warps, 'warps')", "warps > 40"))
    page = (site / "small" / "index.html").read_text(encoding="utf-8")
    assert page.count('<section class="occ-cell"') == 2
    assert '<pre class="occ-out occ-out--text" tabindex="0">48 warps\n</pre>' in page
    assert "jp-Cell" not in page and "<title>Small" in page
    assert 'href="small/"' in (site / "index.html").read_text(encoding="utf-8")
    offered = nbformat.read(site / "small" / "small.ipynb", 4)
    nbformat.validate(offered)
    outputs = [cell.outputs for cell in offered.cells if cell.cell_type == "code"]
    assert outputs[0][0].text == "48 warps\n" and outputs[1][0].data["text/plain"] == "True"


def test_a_notebook_runs_again_when_it_or_what_it_uses_has_changed(
    apart: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    package = apart / "occusite"
    shutil.copytree(ROOT / "occusite", package, ignore=shutil.ignore_patterns("__pycache__"))
    monkeypatch.setattr(rendered, "PACKAGE", package)
    source = apart / "small.ipynb"
    nbformat.write(small("from occusite import littles_law\nprint(6 * 7)"), source)
    first = plugin.executed(source, "python3", False)
    assert [cell.cell_type for cell in first.cells] == ["markdown", "code"], "what asked for the modules is left out"
    assert first.cells[1].outputs[0].text == "42\n"
    used = first.metadata["occusite"]["modules"]
    assert {"__init__.py", "littles_law.py"} <= set(used)
    assert not [name for name in used if name.startswith("book/widgets/")]

    class Started(Exception):
        """A kernel was started."""

    def kernel(*_: Any, **__: Any) -> None:
        raise Started

    monkeypatch.setattr(plugin, "NotebookClient", kernel)

    def saved(path: Path, more: str) -> None:
        path.write_text(path.read_text(encoding="utf-8") + more, encoding="utf-8")

    def cached() -> bool:
        try:
            return bool(plugin.executed(source, "python3", False).cells[1].outputs)
        except Started:
            return False

    assert cached()
    saved(package / "book" / "widgets" / "cliffs.py", "# another widget\n")
    assert cached(), "a module that the notebook does not use"
    for change in (
        lambda: saved(package / "littles_law.py", "# changed\n"),
        lambda: saved(next((package / "data").rglob("*.toml")), "# changed\n"),
        lambda: (package / "book" / "widgets" / "newest.py").touch(),
    ):
        change()
        assert not cached()
        monkeypatch.setattr(plugin, "NotebookClient", NotebookClient)
        plugin.executed(source, "python3", False)
        monkeypatch.setattr(plugin, "NotebookClient", kernel)
        assert cached()
    nbformat.write(small("print(6 * 8)"), source)
    assert not cached()


def test_a_cell_that_never_ends_is_cut(apart: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(plugin, "SECONDS", 2)
    nbformat.write(small("while True:\n    pass"), apart / "endless.ipynb")
    with pytest.raises(PluginError, match=r"endless\.ipynb does not run in Jupyter"):
        plugin.executed(apart / "endless.ipynb", "python3", False)


def test_the_book_asks_for_strictness() -> None:
    config = load_config(str(ROOT / "mkdocs.yml")).plugins["occusite"].config
    assert config["execute"] is True and config["allow_errors"] is False and config["include_source"] is True


def test_jupyter_shows_what_the_page_shows() -> None:
    """The session, run by Jupyter and by the book: the same text, the same charts."""
    ran = [cell for cell in plugin.executed(SESSION, "python3", False).cells if cell.cell_type == "code"]
    names = cells.namespace()
    kinds = set()
    for number, cell in enumerate(ran, 1):
        outputs, error = cells.run(cell.source, names, f"cell {number}")
        assert error is None
        assert len(outputs) == len(cell.outputs)
        for ours, theirs in zip(outputs, cell.outputs, strict=True):
            kinds.add(ours["kind"])
            if ours["kind"] == "chart":
                assert theirs.data["text/plain"] == ours["alt"]
                assert theirs.data["image/svg+xml"].startswith("<svg") and jupyter.MIME in theirs.data
            elif ours["kind"] == "html":
                assert theirs.data["text/html"] == ours["data"]
            else:
                assert theirs.get("text", "") == ours["data"]
    assert kinds == {"text", "chart", "html"}


@pytest.mark.parametrize("chapter", CHAPTERS, ids=lambda path: path.stem)
def test_a_chapter_as_a_notebook(chapter: Path) -> None:
    page = re.sub(r"\A---\n.*?\n---\n", "", chapter.read_text(encoding="utf-8"), flags=re.DOTALL)
    url = "" if chapter.stem == "index" else f"{chapter.stem}/"
    made = notebook.from_markdown(page, SITE, chapter.name, url)
    nbformat.validate(made)
    code = [cell for cell in made.cells if cell.cell_type == "code"]
    assert len(code) == len(re.findall(r"^```cell\b", page, re.MULTILINE))
    names = cells.namespace()
    for cell in code:
        _, error = cells.run(cell.source, names)
        assert bool(error) == ("raises-exception" in cell.metadata.get("tags", [])), error
    text = "\n".join(cell.source for cell in made.cells if cell.cell_type == "markdown")
    told = re.sub(r"^(```+)\w*\n.*?^\1$", "", text, flags=re.DOTALL | re.MULTILINE)
    for mark in ("`#!", "[^", "{ .", "\n!!!", "\n???", ".md)", "](../", 'href="..', "```"):
        assert mark not in told, told[max(0, told.index(mark) - 80) : told.index(mark) + 80]
    assert all(link.startswith(("http", "#")) for link in re.findall(r"\]\(([^)]+)\)", told))
    assert text.startswith("# ")


def test_the_books_markdown_in_jupyters() -> None:
    told = notebook.portable(
        """What of `#!v 2 * 24` `#!b warps`, `#!m x^2`, and [the cliffs](04-cliffs.md#edges)[^a]?
{ .occ-question }

!!! summary "What to remember"
    - First.
    - Second, see [home](index.md) and [the source](kernels/wave.cu).

```math
x \\le 1
```

```widget
calculator
```

```cuda
a[i] = `#!v 1`;
```

[^a]: Somebody.
""",
        SITE + "02-three-budgets.md",
        SITE + "02-three-budgets/",
    )
    assert told.startswith(
        f"What of 48 **warp slots**, $x^2$, and [the cliffs]({SITE}04-cliffs/#edges)<sup>1</sup>?\n\n"
    )
    assert "**What to remember**\n\n- First.\n- Second, see [home]" in told
    assert f"[home]({SITE})" in told and f"[the source]({SITE}kernels/wave.cu)" in told
    assert "$$\nx \\le 1\n$$" in told and f"({SITE}02-three-budgets/)*" in told
    assert "a[i] = `#!v 1`;" in told
    assert "1\\. Somebody." in told


def test_a_chart_in_jupyter_has_plain_colours_and_a_picture() -> None:
    answer = occupancy(nvidia.device("9.0"), nvidia.Launch(256, 50))
    chart = charts.cliffs(answer, registers=50, needed=42)
    forms = chart._repr_mimebundle_()
    assert "var(" not in json.dumps(forms)
    assert forms["text/plain"] == chart.alt
    assert forms[jupyter.MIME]["datasets"] == chart.full()["datasets"]
    # JupyterLab draws with Vega-Lite 5: it must know every word of the spec.
    import vl_convert

    newest = max(v for v in vl_convert.get_vegalite_versions() if v.startswith("5"))
    drawn = vl_convert.vegalite_to_svg(forms[jupyter.MIME], vl_version=newest)
    assert jupyter.LIGHT["--occ-registers"] in drawn and "needed: 42 warps" in drawn


def test_its_colours_are_the_light_schemes() -> None:
    style = (ROOT / "docs" / "assets" / "css" / "book.css").read_text(encoding="utf-8")
    light = dict(re.findall(r"(--occ-[\w-]+): (#\w+);", style[: style.index("slate")]))
    assert {name: light[name] for name in jupyter.LIGHT} == jupyter.LIGHT


def test_a_chart_without_vl_convert_still_shows(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(__import__("sys").modules, "vl_convert", None)
    assert set(charts.paper_cliffs()._repr_mimebundle_()) == {jupyter.MIME, "text/plain"}
