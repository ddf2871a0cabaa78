"""Faults: whatever does not come, breaks or is forbidden is said where it is missed, and works again when it can."""

from __future__ import annotations

import json
import re
from collections.abc import Callable
from pathlib import Path

import pytest

from .book import CELLS, WIDGET, Book, Cell
from .chromium import Chromium
from .conftest import quiet
from .engine import Engine, Tab
from .firefox import Firefox
from .server import Server, until

CHART = "06-littles-law/"

# Each file without which Python does not start, and what befalls it: cut off in the middle, or refused. The first are
# all the ways in which a file comes: a worker's program, a module, bytes that are unpacked on the way.
BROKEN: list[tuple[str, dict[str, int]]] = [
    ("python-worker-", {"after": 1000}),
    ("pyodide.asm.mjs", {"after": 1000}),
    ("pyodide.asm.wasm.xz", {"after": 100_000}),
    ("python-worker-", {"status": 404}),
    ("pyodide.asm.wasm.xz", {"status": 500}),
    ("library-", {"after": 100_000}),
    ("library-", {"status": 404}),
    ("book-", {"after": 1000}),
]
WAYS = 3


def press_behind(cell: Cell) -> None:
    """Press Run where the cell's tab is behind another: WebKit draws no frame there, and a click waits for one."""
    cell.js("cell.querySelector('.occ-run').click()")


class TestPythonsStart:
    @pytest.mark.one_engine
    def test_a_file_that_does_not_come_is_said_and_run_again_loads_it(
        self, first: Callable[..., Book], engine: Engine, server: Server, all_of_it: bool
    ) -> None:
        book = first().load(CELLS)
        cell = book.cell(1)
        for name, how in BROKEN if all_of_it and engine.name == "chromium" else BROKEN[:WAYS]:
            # What came before the fault is kept; here it has to come again.
            book.tab.js("await caches.delete('occusite-python')")
            mend = server.fault(f"/dist/(pyodide[^/]*/)?{name}", **how)
            cell.run()
            mend()
            assert cell.state == "error", f"{name}, {how}: {cell.state}"
            assert re.fullmatch(r"Python could not be loaded: .+\. Try again\.", cell.said), (
                f"{name}, {how}: {cell.said}"
            )
        assert cell.run().state == "done", cell.said

    @pytest.mark.one_engine
    def test_no_network_at_all_is_said(self, first: Callable[..., Book], server: Server) -> None:
        book = first().load(CELLS)
        server.cut = True
        cell = book.cell(1).run()
        assert cell.state == "error" and cell.said.startswith("Python could not be loaded: ")
        book.tab.online(False)
        assert cell.run().said == (
            "Python could not be loaded: you are offline, and Python is not on this device yet. Try again."
        )
        server.cut = False
        book.tab.online(True)
        assert cell.run().state == "done", cell.said

    @pytest.mark.long
    def test_a_break_on_the_way_is_got_over_without_a_word(self, first: Callable[..., Book], server: Server) -> None:
        """The network comes back before the second try."""
        book = first().load(CELLS)
        mend = server.fault("asm.wasm.xz$", after=100_000)
        book.cell(1).press("run")
        book.tab.wait("document.documentElement.dataset.python === 'loading'")
        until(lambda: any("asm.wasm.xz" in path for path in server.log))
        mend()
        cell = book.cell(1).ended()
        assert cell.state == "done", cell.said

    def test_a_page_left_while_python_loads_does_not_hold_up_the_next(
        self, first: Callable[..., Book], server: Server
    ) -> None:
        """Firefox keeps such a page, and the downloads it had begun, to show it again."""
        mend = server.fault("asm.wasm.xz$", rate=200_000)
        book = first().load(CELLS)
        book.cell(1).press("run")
        until(lambda: any("asm.wasm.xz" in path for path in server.log))
        book.load("02-three-budgets/")
        mend()
        assert book.cell(1).run().state == "done"
        book.tab.js("history.back()")
        book.tab.wait("location.href === args[0]", book.base + CELLS)
        book.alive()
        # Where the browser has kept the page, the cell still waits.
        if book.cell(1).state == "idle":
            book.cell(1).press("run")
        assert book.cell(1).ended().state == "done"

    @pytest.mark.one_engine
    def test_a_slow_answer_shows_how_far_it_is(self, first: Callable[..., Book], server: Server) -> None:
        book = first().load(CELLS)
        book.tab.js(
            """
            const state = document.querySelector(args[0] + " .occ-state");
            self.told = [];
            new MutationObserver(() => self.told.push(state.textContent))
              .observe(state, { childList: true, subtree: true, characterData: true });
            """,
            book.cell(1).css,
        )
        server.fault("asm.wasm.xz$", rate=1_000_000)
        cell = book.cell(1).run()
        assert cell.state == "done"
        figures = book.tab.js(
            "return self.told.map((t) => /^loading Python, ([\\d.]+) of ([\\d.]+) MB$/.exec(t)).filter(Boolean)"
            ".map(([, loaded, total]) => [Number(loaded), Number(total)])"
        )
        loaded, totals = [a for a, _ in figures], {b for _, b in figures}
        assert len(set(loaded)) >= 3 and loaded == sorted(loaded)
        assert len(totals) == 1 and 2 < totals.pop() < 10
        assert loaded[0] < loaded[-1] <= figures[-1][1]


class TestAfterTheStart:
    @pytest.mark.one_engine
    def test_the_network_cut_changes_nothing(self, fresh: Callable[..., Book], server: Server) -> None:
        book = fresh().load(WIDGET)
        widget = book.widgets()[0]
        widget.slide("End")
        widget.settle()
        book.turn(CELLS)
        book.cell(1).run()
        book.turn(WIDGET)
        server.cut = True
        widget.slide("Home")
        widget.settle()
        for cell in book.cells():
            assert cell.hidden or cell.run().state == "done"

    @pytest.mark.long
    def test_the_rest_of_the_library_waits_for_the_network(self, first: Callable[..., Book], server: Server) -> None:
        book = first().load(CELLS)
        cell = book.cell(1).run()
        cell.write("kept = 1\nimport wave\nprint(wave.__name__)")
        server.cut = True
        assert cell.run().state == "error"
        assert cell.text.rstrip().endswith(
            "ModuleNotFoundError: 'wave' is in the part of Python that could not be loaded; try again"
        )
        server.cut = False
        assert cell.write("import wave\nprint(wave.__name__, kept)").run().text.strip() == "wave 1"

    def test_a_worker_that_dies_is_said_and_replaced(self, fresh: Callable[..., Book]) -> None:
        book = fresh().load(CELLS)
        cell = book.cell(1).run()
        for death in ("import os\nos.abort()", "import os\nos._exit(3)"):
            cell.write(f"print('before')\n{death}").run()
            assert cell.state == "error", f"{death}: {cell.state}, {cell.said}, {cell.text}"
            assert cell.said == "Python ended with a fatal error. Python was restarted, so variables are lost."
            cell.printed("before")
            assert cell.write("print(6 * 7)").run().text.strip() == "42"

    @pytest.mark.one_engine
    def test_two_tabs_run_apart(self, fresh: Callable[..., Book]) -> None:
        one = fresh().load(CELLS)
        two = Book(one.tab.twin(), one.base).load(CELLS)
        both = (one.cell(1), two.cell(1))
        for cell in both:
            press_behind(cell)
        for cell in both:
            assert cell.ended().state == "done", cell.said
        for number, cell in enumerate(both):
            cell.write(f"import os\nos.environ['TAB'] = '{number}'")
            press_behind(cell)
            cell.ended()
        for number, cell in enumerate(both):
            cell.write("print(os.environ['TAB'])")
            press_behind(cell)
            assert cell.ended().text.strip() == str(number)
        for book in (one, two):
            quiet(book.tab, book.base)


class TestPartsOfThePage:
    @pytest.mark.one_engine
    def test_an_editor_that_does_not_come_is_said_and_tried_again(
        self, first: Callable[..., Book], server: Server
    ) -> None:
        mend = server.fault("/editor-", after=1000)
        book = first().load(CELLS)
        cell = book.cell(1)
        cell.press("edit")
        cell.tab.wait("document.querySelector(args[0]).textContent.includes('could not be')", f"{cell.css} .occ-state")
        assert cell.said == "The editor could not be loaded. Try again."
        assert cell.run().state == "done"
        mend()
        cell.press("edit")
        cell.tab.wait("document.querySelector(args[0])", f"{cell.css} .cm-content")
        assert not [c for c in book.tab.complaints() if "nhandled" in c or "dynamically" in c]

    @pytest.mark.one_engine
    def test_charts_that_do_not_come_are_said_and_tried_again(self, first: Callable[..., Book], server: Server) -> None:
        mend = server.fault("/charts-", after=1000)
        book = first().load(CHART)
        widget = book.widgets()[0]
        chart = "return form.querySelector('.occ-chart').textContent"
        widget.slide("End")
        book.tab.wait("document.querySelector(args[0]).dataset.state === 'done'", widget.css, timeout=120)
        assert widget.js(
            "return form.querySelector('.occ-status').innerHTML === html(args[0])", widget.expected()["status"]
        )
        assert widget.js(chart) == "The chart could not be loaded. Try again."
        mend()
        widget.slide("Home")
        book.tab.wait("document.querySelector(args[0])", f"{widget.css} .occ-chart-live svg")
        assert "could not be loaded" not in widget.js(chart)


class TestStorageBlocked:
    """Nothing may be kept: cells, exercises and widgets work, and nothing is thrown."""

    def works(self, tab: Tab, server: Server) -> None:
        book = Book(tab, server.base).load(CELLS)
        assert tab.js("return localStorage instanceof Storage") is False, "storage is not blocked"
        cell = book.cell(1).write("print('no storage')").run()
        assert cell.text.strip() == "no storage"
        cell.press("reset")
        book.turn(WIDGET)
        widget = book.widgets()[0]
        widget.slide("End")
        widget.settle()
        book.turn("progress/")
        quiet(tab, book.base)

    @pytest.mark.parametrize("engine", ["firefox"], indirect=True)
    def test_in_firefox(self, engine: Firefox, server: Server) -> None:
        blocked = Firefox(engine.path, {"dom.storage.enabled": False, "dom.caches.enabled": False})
        try:
            self.works(blocked.open(), server)
        finally:
            blocked.close()

    @pytest.mark.parametrize("engine", ["chromium"], indirect=True)
    def test_in_chromium(self, engine: Chromium, server: Server, tmp_path: Path) -> None:
        """All cookies blocked in the settings, and storage with them."""
        settings = {"profile": {"default_content_setting_values": {"cookies": 2}}}
        (tmp_path / "Default").mkdir()
        (tmp_path / "Default" / "Preferences").write_text(json.dumps(settings), encoding="utf-8")
        tab = engine.open_profile(tmp_path)
        try:
            self.works(tab, server)
        finally:
            tab.close()


def test_the_policy_is_in_force(fresh: Callable[..., Book], server: Server) -> None:
    """A script in the page and a request elsewhere are refused, and the page hears of both."""
    book = fresh().load(CELLS)
    elsewhere = server.base.replace("127.0.0.1", "localhost") + "elsewhere"
    server.log.clear()
    refused = book.tab.js(
        """
        const refused = [];
        addEventListener("securitypolicyviolation", (event) => refused.push(event.effectiveDirective));
        const script = document.createElement("script");
        script.textContent = "self.injected = true";
        document.head.append(script);
        const image = document.createElement("img");
        image.setAttribute("onerror", "self.injected = true");
        image.src = "data:,";
        document.body.append(image);
        const answer = await fetch(args[0], { mode: "no-cors" }).then(() => "came", () => "refused");
        // A busy browser reports a refusal late.
        for (let i = 0; i < 100 && new Set(refused).size < 3; i += 1) await new Promise((done) => setTimeout(done, 100));
        return [answer, self.injected ?? false, ...refused];
        """,
        elsewhere,
    )
    assert refused[:2] == ["refused", False]
    assert {"connect-src", "script-src-elem", "script-src-attr"} <= set(refused[2:])
    assert "/occusite/elsewhere" not in server.log
