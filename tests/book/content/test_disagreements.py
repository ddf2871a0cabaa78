"""Where sources contradict each other: the package follows one of them, and the tables say who says what."""

from __future__ import annotations

import re

import pytest

from occusite.book.content import bibliography, disagreements
from occusite.book.parts.html import Table

SOURCES = bibliography.sources()
ROWS = [(kind, row) for kind, rows in disagreements.disagreements().items() for row in rows]


@pytest.mark.parametrize(("kind", "row"), ROWS, ids=[f"{r['of']} {r['about']}" for _, r in ROWS])
def test_the_package_follows_one_of_the_sources(kind: str, row: dict) -> None:  # type: ignore[type-arg]
    assert set(row["says"]) <= set(SOURCES) and row["why"].endswith(".")
    followed = str(disagreements.followed(row)).replace("\u202f", " ").removesuffix(".0")
    said = [re.sub(r"(?<=\d),(?=\d{3})", "", text) for text in row["says"].values()]
    if row["about"] != "the number itself":
        assert any(re.search(rf"(?<![\d.]){re.escape(followed)}(?![\d.]*\d)", text) for text in said), (followed, said)
        assert len(set(said)) > 1 or any(len(re.findall(r"\d[\d.]*", text)) > 1 for text in said), "no disagreement"


def test_tables_of_disagreements() -> None:
    limits = disagreements.table("architecture", "../../")
    assert isinstance(limits, Table) and len(limits.rows) == sum(kind == "architecture" for kind, _ in ROWS)
    assert 'href="../../reference/sources/#blackwell"' in limits.html()
    measured = disagreements.latencies("").rows
    a100 = next(row for row in measured if row[0] == "GA100")
    assert "[Abdelkhalik 2022]" in str(a100[1]) and "[MT4G]" in str(a100[1])
    assert str(a100[2]) == f"{640 / 290:.1f} ×"
