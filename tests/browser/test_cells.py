"""Cells: each one, run in the page's Python, prints what the build printed; Run, Stop, edits, keys."""

from __future__ import annotations

import pytest

from .book import CELLS, Book


@pytest.mark.walk("cells")
def test_every_cell_prints_what_the_build_printed(reader: Book, page: str) -> None:
    reader.turn(page)
    cells = reader.cells()
    assert any(not cell.hidden for cell in cells), "no cell to run"
    built = {cell.number: cell.outputs() for cell in cells}
    for cell in cells:
        if not cell.hidden:
            cell.run()
            assert cell.state == "done", f"cell {cell.number}: {cell.said}\n{cell.text}"
    for cell in cells:
        came = cell.outputs()
        assert [o["kind"] for o in came] == [o["kind"] for o in built[cell.number]]
        for index, (new, old) in enumerate(zip(came, built[cell.number], strict=True)):
            if "drawn" in new:
                assert new["alt"] == old["alt"]
                assert new["drawn"] == cell.drawn_anew(index, old["spec"])
            else:
                assert new == old


def test_an_endless_loop_is_stopped(reader: Book) -> None:
    cell = reader.turn(CELLS).cell(1).write("while True:\n    pass")
    cell.press("run")
    reader.tab.wait("document.querySelector(args[0])?.dataset.state === 'running'", cell.css)
    cell.press("stop")
    cell.ended(20)
    assert "topped" in cell.said + cell.text
    cell.press("reset")
    cell.run()
    assert cell.state == "done"


def test_an_error_names_the_readers_cell_and_line(reader: Book) -> None:
    cell = reader.turn(CELLS).cell(1).write("def f():\n    return 1 / 0\n\nf()").run()
    assert cell.state == "error"
    assert 'File "<cell 1>", line 4' in cell.text and 'File "<cell 1>", line 2, in f' in cell.text
    assert cell.text.rstrip().endswith("ZeroDivisionError: division by zero")
    assert "occusite" not in cell.text and "pyodide" not in cell.text
    cell.press("reset")


def test_a_cell_runs_those_above_it_first(reader: Book) -> None:
    reader.load(CELLS)
    reader.cell(2).run()
    assert reader.cell(2).state == "done", reader.cell(2).said
    assert reader.cell(1).state == "done"


# Press a button, and at once what has taken its place, as the second click of a double one does.
TWICE = """
const bar = document.querySelector(args[0] + " .occ-cell-toolbar");
bar.querySelector(".occ-run").click();
bar.querySelector("button:not([hidden])").click();
"""
COUNT = "import builtins\nbuiltins.runs = getattr(builtins, 'runs', 0) + 1\nprint(builtins.runs)"


def test_a_double_click_runs_once(reader: Book) -> None:
    reader.load(CELLS)
    cell = reader.cell(1).write("print('once')")
    reader.tab.js(TWICE, cell.css)
    assert cell.ended().state == "done" and cell.text == "once\n", cell.said
    reader.tab.focus(f"{cell.css} .occ-run")
    reader.tab.press("Enter")
    reader.tab.press("Enter")
    assert cell.ended().state == "done" and cell.text == "once\n", cell.said
    cell.press("reset")


@pytest.mark.one_engine
def test_cells_run_at_once_share_the_run_of_the_one_above(reader: Book) -> None:
    reader.load(CELLS)
    first, second = reader.cell(1).write(COUNT), reader.cell(2).write("runs")
    reader.tab.js("for (const css of args) document.querySelector(css + ' .occ-run').click()", first.css, second.css)
    assert second.ended().text == first.ended().text == "1\n", (first.text, second.text)
    # As far as it has come, a run that waits for those above it can be stopped.
    reader.tab.js("document.querySelector(args[0] + ' .occ-restart').click()", first.css)
    first.write("while True: pass")
    second.press("run")
    first.running()
    second.press("stop")
    assert second.ended().said == "Cell 1 above did not finish." and first.ended().state == "error"
    for cell in (first, second):
        cell.press("reset")


@pytest.mark.one_engine
def test_run_all_and_a_new_python(reader: Book) -> None:
    reader.load(CELLS)
    cells = [cell for cell in reader.cells() if not cell.hidden]
    first = cells[0].write(f"{cells[0].source}\nhere = 1")
    first.press("all")
    first.saying("^All cells have run.$")
    assert {cell.state for cell in cells} == {"done"}
    first.press("restart")
    first.saying("^Python was restarted, so variables are lost.$")
    first.write("try:\n    print(here)\nexcept NameError:\n    print('gone')").run()
    assert first.text == "gone\n"
    first.write("1 / 0").press("all")
    first.saying("^ended with an error$")
    first.press("reset")


@pytest.mark.one_engine
def test_an_output_of_other_code_is_marked(reader: Book) -> None:
    cell = reader.load(CELLS).cell(1)
    stale = f"document.querySelector('{cell.css}').hasAttribute('data-stale')"
    assert not reader.tab.js(f"return {stale}")
    cell.write("print('mine')")
    assert reader.tab.js(f"return {stale}")
    cell.run()
    assert not reader.tab.js(f"return {stale}")
    cell.write("1 / 0").run()
    assert cell.state == "error" and not reader.tab.js(f"return {stale}")
    # A new run shows no error of the last one.
    cell.write("import time\ntime.sleep(100)").press("run")
    cell.running()
    reader.tab.wait("!document.querySelector(args[0] + ' .occ-out--error')", cell.css)
    cell.press("stop")
    cell.ended()
    cell.press("reset")
    assert not reader.tab.js(f"return {stale}")
