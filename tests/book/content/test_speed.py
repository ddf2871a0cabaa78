"""The measurements that were saved, against what the page makes of them."""

import json
import statistics
from pathlib import Path

import pytest

from occusite.book.content import speed

MEASURED = Path(speed.__file__).parents[2] / "data" / "measured"


def saved(name: str) -> dict:
    return json.loads((MEASURED / f"{name}.json").read_text(encoding="utf-8"))


@pytest.mark.parametrize("engine", speed.ENGINES)
def test_a_row_for_each_kind_of_start(engine: str) -> None:
    table = speed.boot(engine)
    rows = saved("boot")["engines"][engine]["rows"]
    assert [row[0] for row in table.rows] == list(speed.ROWS.values()) and rows.keys() == speed.ROWS.keys()
    for (_, stock, book, ratio), found in zip(table.rows, rows.values(), strict=True):
        assert stock == f"{found['stock']:.2f}\u202fs" and book == f"{found['book']:.2f}\u202fs"
        # A median of ratios is no ratio of medians, but it is not far from it.
        assert float(ratio.removesuffix("×")) == pytest.approx(found["stock"] / found["book"], rel=0.5)
    assert all(table.rows), table.title


def test_the_book_stands_first_among_the_others() -> None:
    assert speed.rivals().rows[0][0] == speed.stops().rows[0][0] == "this book"
    assert len(speed.rivals().rows) == len(saved("rivals")["rows"])


def test_each_widget_once_on_each_page() -> None:
    rows = speed.widgets().rows
    assert len({row[:2] for row in rows}) == len(rows) == len(saved("widgets")["rows"])
    assert rows[0][1] == "home"
    assert statistics.median(r["median"] for r in saved("widgets")["rows"]) > 0


def test_words_about_the_measurement() -> None:
    assert "core" in speed.machine() and speed.rounds() >= 1 and speed.reading() > 0
    assert float(speed.gain("chromium", "again")) > 1
