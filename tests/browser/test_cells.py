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
