"""Exercises: the answers the book knows, given in the page, are told what the package tells; progress is kept."""

from __future__ import annotations

import re
from typing import Any

import pytest

from occusite.book import exercises
from occusite.book.parts import exercise as ex

from .book import READING, Book


class Sheet:
    """One exercise of the page shown."""

    def __init__(self, book: Book, ident: str) -> None:
        self.tab, self.css = book.tab, f"section#{ident}"
        self.tab.wait("document.querySelector(args[0])?.hasAttribute('data-state')", self.css)
        self.name = str(self.js("return box.dataset.exercise"))

    def js(self, body: str, *args: Any) -> Any:
        """Run a function body with `box` as the exercise."""
        return self.tab.js(f"{READING} const box = document.querySelector(args.shift()); {body}", self.css, *args)

    def check(self) -> None:
        """Press Check and wait for the verdict."""
        self.tab.click(f"{self.css} form button[type=submit]")
        self.tab.wait(
            "['right', 'wrong'].includes(document.querySelector(args[0]).dataset.state)", self.css, timeout=120
        )

    def told(self) -> tuple[str, str]:
        """The verdict, and its message as HTML."""
        state, message = self.js("return [box.dataset.state, box.querySelector('.occ-feedback').innerHTML]")
        return state, message

    def expect(self, verdict: ex.Verdict) -> None:
        """Fail unless the page says what the package said here."""
        state, message = self.told()
        assert state == ("right" if verdict.passed else "wrong"), message
        assert plain(message) == plain(self.js("return html(args[0])", verdict.message))

    def write(self, source: str) -> None:
        """Replace the program by pasting."""
        if not self.js("return Boolean(box.querySelector('.cm-content'))"):
            self.tab.focus(f"{self.css} .occ-cell-source")
            self.tab.press("Enter")
            self.tab.wait("document.activeElement?.matches(args[0])", f"{self.css} .cm-content")
        self.tab.focus(f"{self.css} .cm-content")
        self.tab.press("Control+a")
        self.tab.paste(f"{self.css} .cm-content", source)


def plain(message: str) -> str:
    """A message without the text of an error, which differs between versions of Python."""
    return re.sub(r"(raised <code>\w+</code>) \(<code>.*?</code>\)", r"\1", message)


def sheets(book: Book) -> list[Sheet]:
    """The page's exercises and predictions, in order."""
    return [
        Sheet(book, i)
        for i in book.tab.js("return [...document.querySelectorAll('section.occ-exercise')].map((s) => s.id)")
    ]


@pytest.mark.walk("exercises")
def test_an_answer_is_told_what_the_package_tells(reader: Book, page: str, all_of_it: bool) -> None:
    """A wrong answer and the right one of each exercise; with `--all` every answer that the book knows."""
    few = slice(None if all_of_it else 1)
    reader.turn(page)
    here = sheets(reader)
    assert here, "no exercise to answer"
    for sheet in here:
        found = exercises.load(sheet.name) if sheet.name else None
        if isinstance(found, ex.Code):
            wrong_programs = [*(str(s.made_by) for s in found.slips), found.starter]
            for source in (*wrong_programs[few], found.solution):
                sheet.write(source)
                sheet.check()
                sheet.expect(found.judge(source))
        elif isinstance(found, ex.Choose):
            wrong = [i for i in range(len(found.options)) if not found.judge(i).passed]
            right = [i for i in range(len(found.options)) if found.judge(i).passed]
            for index in (*wrong[few], *right):
                sheet.tab.click(f"{sheet.css} label:has([value='{index}'])")
                sheet.check()
                sheet.expect(found.judge(index))
        elif found is None or isinstance(found, ex.Numbers):
            numbers(sheet, found, few)


def numbers(sheet: Sheet, found: ex.Numbers | None, few: slice) -> None:
    """Fill in each slip, then the answers. A quick prediction is known only from what the page embeds."""
    blanks = sheet.js("return JSON.parse(held(box, '.occ-exercise-data')).blanks")
    ranges = [b["outcomes"] for b in blanks]
    if found:
        assert ranges == [b.outcomes() for b in found.blanks]

    def middle(outcome: dict[str, Any]) -> float:
        return round((outcome["low"] + outcome["high"]) / 2, 6)

    right = [middle(r[0]) for r in ranges]
    for place, outcomes in enumerate(ranges):
        for outcome in outcomes[1:-2][few]:
            fill(sheet, [middle(outcome) if i == place else value for i, value in enumerate(right)])
            state, message = sheet.told()
            assert state == "wrong" and sheet.js("return html(args[0])", outcome["html"]) in message
    fill(sheet, right)
    assert sheet.told()[0] == "right"
    assert sheet.js("return box.querySelector('.occ-solution').open")


def fill(sheet: Sheet, values: list[float]) -> None:
    """Type into the blanks, and press Check."""
    for place, value in enumerate(values):
        sheet.tab.focus(f"{sheet.css} input[name='{place}']")
        sheet.tab.press("Control+a")
        sheet.tab.type(f"{value:.10g}")
    sheet.check()


def test_an_endless_program_is_stopped(reader: Book) -> None:
    sheet = Sheet(reader.turn("02-three-budgets/"), "exercise-ties")
    sheet.write("def binding(**given):\n    while True:\n        pass\n")
    sheet.tab.click(f"{sheet.css} form button[type=submit]")
    sheet.tab.wait("document.documentElement.dataset.python === 'running'", timeout=120)
    sheet.tab.click(f"{sheet.css} .occ-exercise-actions button[type=button]")
    sheet.tab.wait("document.querySelector(args[0]).textContent === 'Stopped.'", f"{sheet.css} .occ-feedback")


def test_progress_and_programs_are_kept_exported_imported_cleared(reader: Book) -> None:
    sheet = Sheet(reader.turn("02-three-budgets/"), "exercise-ties")
    sheet.write("binding = 1")
    answers = [b.answer for b in exercises.load("three_budgets").blanks]  # type: ignore[attr-defined]
    fill(Sheet(reader, "exercise-three-budgets"), answers)
    reader.load("02-three-budgets/")
    reader.tab.wait("document.querySelector('#exercise-ties .cm-content')?.textContent === 'binding = 1'")
    assert Sheet(reader, "exercise-three-budgets").js("return box.querySelector('.occ-solved').textContent") == "solved"
    reader.turn("progress/")
    row = "[data-progress=three_budgets]"
    reader.tab.wait("document.querySelector(args[0]).textContent.startsWith('solved')", row)
    exported = reader.tab.js(
        """
        const { createObjectURL } = URL;
        const { click } = HTMLAnchorElement.prototype;
        let blob = null;
        URL.createObjectURL = (made) => ((blob = made), createObjectURL.call(URL, made));
        HTMLAnchorElement.prototype.click = () => {};
        document.querySelectorAll(".occ-progress-tools button")[0].click();
        Object.assign(URL, { createObjectURL });
        Object.assign(HTMLAnchorElement.prototype, { click });
        return blob.text();
        """
    )
    reader.tab.js("confirm = () => true; document.querySelectorAll('.occ-progress-tools button')[2].click()")
    assert reader.tab.js("return document.querySelector(args[0]).textContent", row) == "not tried"
    give = """
        const files = new DataTransfer();
        files.items.add(new File([args[0]], "progress.json"));
        const input = document.querySelector(".occ-progress-tools input");
        input.files = files.files;
        input.dispatchEvent(new Event("change"));
        """
    assert reader.tab.js("return localStorage.getItem('occusite:exercise:ties')") is None
    reader.tab.js(give, "[nonsense")
    reader.tab.wait("document.querySelector('.occ-progress-summary').textContent.startsWith('That file')")
    reader.tab.js(give, exported)
    reader.tab.wait("document.querySelector(args[0]).textContent.startsWith('solved')", row)
    reader.load("02-three-budgets/")
    reader.tab.wait("document.querySelector('#exercise-ties .cm-content')?.textContent === 'binding = 1'")
    # What the reader has written since then is not lost to an older file.
    Sheet(reader, "exercise-ties").write("binding = 2")
    reader.turn("progress/").tab.js(give, exported)
    reader.tab.wait(
        "document.querySelector('.occ-progress-summary').textContent.includes('One program of that file differs')"
    )
    assert reader.tab.js("return localStorage.getItem('occusite:exercise:ties')") == '"binding = 2"'
    reader.tab.js("confirm = () => true; document.querySelectorAll('.occ-progress-tools button')[2].click()")
