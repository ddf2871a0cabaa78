"""The widget of the census: at every setting its words are the shares, and a library with nothing to show says so."""

from __future__ import annotations

import itertools
import re

import pytest

from occusite.book import widgets
from occusite.book.content import census
from occusite.book.parts.charts import Chart

FOUND = widgets.load("census")
LIBRARIES = [census.ALL, *census.libraries()]


@pytest.mark.parametrize(("library", "architecture"), list(itertools.product(LIBRARIES, census.architectures())))
def test_its_words_are_the_shares(library: str, architecture: str) -> None:
    for dynamic in ("0", "48"):
        view = FOUND.view(architecture, library, dynamic)
        chart = view.parts["classes"]
        assert isinstance(chart, Chart)
        if not census.count(architecture, library):
            assert "ships no kernel" in view.status and not chart.datasets["classes"]
            continue
        quarter, full = (int(v) for v in re.findall(r"(\d+)\u202f%", view.status)[:2])
        shares = chart.datasets["classes"]
        assert quarter == pytest.approx(sum(c["share"] for c in shares if float(c["at"]) <= 25), abs=0.6)
        assert full <= sum(c["share"] for c in shares if c["at"] == "100") + 0.6
        assert ("empty shell" in view.status) == bool(census.shells(architecture, library))


def test_the_first_view_of_the_book() -> None:
    view = FOUND.view(**FOUND.parse({}))
    assert "of these libraries for sm_90" in view.status
    assert re.sub(r"\D", "", view.status.partition("<br>")[2].partition(" kernels")[0]) == str(census.count("sm_90"))
