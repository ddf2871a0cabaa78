"""An answer for people: its line, its sentence, its bars."""

from __future__ import annotations

from html.parser import HTMLParser

from bs4 import BeautifulSoup

from occusite import amd, nvidia, occupancy
from occusite.model import Occupancy
from occusite.model.shown import COLOURS
from occusite.model.terms import SLOTS

ADA = occupancy("rtx 4090", nvidia.Launch(256, 41))
REFUSED = occupancy("9.0", nvidia.Launch(288, 224))


def test_a_line_and_a_sentence() -> None:
    assert repr(ADA) == "<Occupancy 40 of 48 warps, 5 blocks, limited by registers: GeForce RTX 4090>"
    assert str(ADA) == "83.33 % on GeForce RTX 4090: 40 of 48 warps, 5 blocks, limited by registers"
    one = occupancy("9.0", nvidia.Launch(1024, 64))
    assert "32 of 64 warps, 1 block, limited by registers" in str(one)
    waves = occupancy("gfx90a", amd.Launch(512, 160))
    assert "8 of 32 waves, 1 work-group, limited by" in repr(waves)


def test_a_launch_that_cannot_run_has_no_share() -> None:
    assert repr(REFUSED).startswith("<Occupancy cannot run, one block does not fit: it is checked as 86,016 registers")
    assert str(REFUSED).startswith("cannot run on compute capability 9.0 (Hopper): one block does not fit")
    for text in (repr(REFUSED), str(REFUSED), REFUSED._repr_html_().partition("<table>")[0]):
        assert "%" not in text


def test_a_bar_a_budget() -> None:
    page = BeautifulSoup(ADA._repr_html_(), "html.parser")
    assert page.p and page.p.text == str(ADA)
    rows = {row.th.text: row for row in page.find_all("tr")}  # type: ignore[union-attr]
    assert list(rows) == ["registers ◂", "shared memory", "warp slots", "block slots"]
    widths = {name: row.find_all("span")[1]["style"] for name, row in rows.items()}
    assert f"width:83%;height:100%;background:{COLOURS['registers']}" in widths["registers ◂"]
    assert f"width:100%;height:100%;background:{COLOURS['warps']}" in widths["warp slots"]
    assert [row.find_all("td")[1].text for row in rows.values()] == [
        *("5 blocks, 40 warps", "100 blocks, 800 warps", "6 blocks, 48 warps", "24 blocks, 192 warps"),
    ]
    refused = BeautifulSoup(REFUSED._repr_html_(), "html.parser")
    assert "width:0%" in str(refused.find_all("tr")[0])


def test_it_stands_by_itself() -> None:
    class Seen(HTMLParser):
        tags: set[str]

        def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
            self.tags.add(tag)
            assert {name for name, _ in attrs} <= {"style", "scope", "aria-hidden"}

    seen = Seen()
    seen.tags = set()
    seen.feed(ADA._repr_html_())
    assert seen.tags == {"div", "p", "table", "tr", "th", "td", "span", "strong"}


def test_names_are_escaped() -> None:
    from dataclasses import replace

    odd = replace(nvidia.device("8.9"), name="<b>&").occupancy(nvidia.Launch(256, 41))
    assert "&lt;b&gt;&amp;" in odd._repr_html_()
    assert "<b>" not in odd._repr_html_()


def row(answer: Occupancy, name: str) -> str:
    (found,) = [r for r in answer._repr_html_().split("<tr>")[1:] if name in r]
    return found


def test_a_row_to_the_letter() -> None:
    assert row(ADA, "block slots") == (
        '<th scope="row" style="padding:0 .8em 0 0;text-align:left;font-weight:normal">block slots</th>'
        '<td style="padding:0 .8em 0 0;text-align:left"><span aria-hidden="true" style="display:inline-block;width:12em;'
        'height:.8em;border:1px solid #8a939e;vertical-align:middle"><span style="display:block;width:100%;height:100%;'
        'background:#cc79a7"></span></span></td>'
        '<td style="padding:0 .8em 0 0;text-align:left">24 blocks, 192 warps</td></tr></table></div>'
    )


def luminance(colour: str) -> float:
    """Relative luminance, WCAG 2.2."""
    parts = [int(colour[at : at + 2], 16) / 255 for at in (1, 3, 5)]
    linear = [part / 12.92 if part <= 0.04045 else ((part + 0.055) / 1.055) ** 2.4 for part in parts]
    return 0.2126 * linear[0] + 0.7152 * linear[1] + 0.0722 * linear[2]


def test_each_slot_has_its_colour_on_light_and_dark_ground() -> None:
    assert tuple(COLOURS) == SLOTS
    assert len(set(COLOURS.values())) == len(SLOTS)
    for colour in COLOURS.values():
        assert 1.05 / (luminance(colour) + 0.05) > 2.5, colour
        assert (luminance(colour) + 0.05) / 0.05 > 4.5, colour


def test_no_limit_limits_in_warps_alone_and_barriers() -> None:
    empty = occupancy("7.5", nvidia.Launch(256, 32))
    assert ">no limit</td>" in row(empty, "shared memory")
    assert "width:100%" in row(empty, "shared memory")
    assert "barriers" not in empty._repr_html_()
    hopper = occupancy("9.0", nvidia.Launch(64, 32, barriers=4))
    assert "<strong>barriers ◂</strong>" in row(hopper, "barriers")
    assert ">16 blocks, 32 warps</td>" in row(hopper, "barriers")
    assert "width:50%;height:100%;background:#d5651e" in row(hopper, "barriers")
    assert "virtual" not in hopper._repr_html_()
    compiler = amd.device("gfx90a").by_rules("llvm-24").occupancy(amd.Launch(512, 160))
    assert ">12 waves</td>" in row(compiler, "VGPRs")
