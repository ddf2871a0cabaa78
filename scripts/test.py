"""Runs every test: `python3 scripts/test.py`. It does all the set-up itself; `--fast` leaves out site and browser."""

import _setup  # first: it says so if this Python is too old

# isort: split
import argparse
import subprocess
import time
import xml.etree.ElementTree as ElementTree
from collections.abc import Callable
from dataclasses import dataclass

import _browsers
import build

REPORTS = _setup.ROOT / ".cache" / "tests"
# Three browsers on a busy machine: what fails twice, in fresh browsers the second time, has failed.
SECOND_TRIES = 3
NO_TESTS = 5  # pytest's exit status when its options left none to run


@dataclass
class Result:
    """What one step came to; a check counts as one test."""

    title: str
    passed: int = 0
    failed: int = 0
    skipped: int = 0
    seconds: float = 0.0
    note: str = ""

    def line(self) -> str:
        """The step as a line of the summary."""
        word = "FAILED" if self.failed else "ok"
        skipped = f", {self.skipped} skipped" if self.skipped else ""
        counts = f"{self.passed} passed, {self.failed} failed{skipped}"
        return f"{word:6}  {self.title:22} {counts:34} {self.seconds:6.1f} s  {self.note}".rstrip()


class Run:
    """The steps so far; a step that fails does not keep the next ones from running."""

    def __init__(self, tools: _setup.Tools, extra: list[str]) -> None:
        self.tools, self.extra = tools, extra
        self.results: list[Result] = []

    def check(self, title: str, work: Callable[[], None]) -> bool:
        """One step that passes unless it raises `Failure`."""
        print(f"\n── {title} ──")
        start = time.monotonic()
        try:
            work()
        except _setup.Failure as failure:
            print(failure)
            result = Result(title, failed=1)
        else:
            result = Result(title, passed=1)
        result.seconds = time.monotonic() - start
        self.results.append(result)
        return not result.failed

    def command(self, title: str, command: list[str]) -> None:
        """A check that is a command."""
        self.check(title, lambda: _setup.run(command, self.tools.env, title))

    def pytest(self, title: str, arguments: list[str], env: dict[str, str], again: int = 0) -> None:
        """A run of pytest, counted by its own report. Up to `again` tests that fail are run once more, and said."""
        print(f"\n── {title} ──")
        start = time.monotonic()
        result = self._pytest(title, arguments, env)
        if 0 < result.failed <= again:
            print(f"\n── {title}, the {result.failed} that failed once more ──")
            second = self._pytest(title, [*arguments, "--last-failed"], env)
            result.note = f"{result.failed} needed a second try: see above"
            result.passed, result.failed = result.passed + second.passed, second.failed
        result.seconds = time.monotonic() - start
        self.results.append(result)

    def _pytest(self, title: str, arguments: list[str], env: dict[str, str]) -> Result:
        report = REPORTS / f"{title.replace(' ', '-')}.xml"
        report.unlink(missing_ok=True)
        command = self.tools.python("-m", "pytest", f"--junitxml={report}", *arguments, *self.extra)
        status = subprocess.run(command, cwd=_setup.ROOT, env=env, stdin=subprocess.DEVNULL).returncode
        result = counted(title, report.read_text(encoding="utf-8")) if report.exists() else Result(title)
        if status and not result.failed and not (status == NO_TESTS and self.extra):
            result.failed = 1
        return result

    def summary(self) -> str:
        """Every step, and the sum in pytest's words."""
        passed, failed, skipped = (sum(getattr(r, n) for r in self.results) for n in ("passed", "failed", "skipped"))
        total = f"{passed} passed, {failed} failed" + (f", {skipped} skipped" if skipped else "")
        return "\n".join(["", "── summary ──", *(result.line() for result in self.results), total])


def counted(title: str, report: str) -> Result:
    """The counts of a JUnit report as pytest writes it."""
    suites = list(ElementTree.fromstring(report).iter("testsuite"))
    tests, failures, errors, skipped = (
        sum(int(suite.get(name, 0)) for suite in suites) for name in ("tests", "failures", "errors", "skipped")
    )
    failed = failures + errors
    return Result(title, max(tests - failed - skipped, 0), failed, skipped)


def main() -> int:
    """Set up, run every step, sum up."""
    parser = argparse.ArgumentParser(
        description=__doc__, epilog="Everything else goes to pytest, for example -k cliffs."
    )
    parser.add_argument("--fast", action="store_true", help="leave out the build of the site and the browser tests")
    arguments, extra = parser.parse_known_args()
    tools = _setup.prepare()
    run = Run(tools, extra)
    REPORTS.mkdir(parents=True, exist_ok=True)
    if not extra:
        run.command("ruff check", tools.python("-m", "ruff", "check", "."))
        run.command("ruff format", tools.python("-m", "ruff", "format", "--check", "."))
        run.command("mypy --strict", tools.python("-m", "mypy", "--strict", "occusite"))
        run.command("eslint", [*tools.npm, "run", "--silent", "lint"])
        run.command("tsc", [*tools.npm, "run", "--silent", "types"])
    run.pytest("unit tests", ["-m", "not browser"], tools.env)
    if not arguments.fast and run.check("site build", lambda: build.build(tools)):
        found: dict[str, str] = {}
        if run.check("browsers", lambda: found.update(_browsers.browsers(tools))):
            run.pytest("browser tests", ["-m", "browser", "tests/browser"], tools.env | found, SECOND_TRIES)
    print(run.summary())
    return 1 if any(result.failed for result in run.results) else 0


if __name__ == "__main__":
    _setup.main(main)
