"""Runs every test: `python3 scripts/test.py`. It does all the set-up itself; `--fast` leaves out the browsers."""

import _setup  # first: it says so if this Python is too old

# isort: split
import argparse
import contextlib
import os
import re
import signal
import subprocess
import time
import xml.etree.ElementTree as ElementTree
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path

import _browsers
import build

REPORTS = _setup.ROOT / ".cache" / "tests"
NO_TESTS = 5  # pytest's exit status when its options left none to run
# Lanes at a time: a browser's lane waits for the browser, and a browser's own threads wait for one another.
LANES = max(2, os.cpu_count() or 2) + 1
ENGINES = ("webkit", "firefox", "chromium")  # those that take longest first
TELL_EVERY = 30.0  # seconds


@dataclass
class Result:
    """What one step came to; a check counts as one test."""

    title: str
    passed: int = 0
    failed: int = 0
    skipped: int = 0
    seconds: float = 0.0

    def line(self) -> str:
        """The step as a line of the summary."""
        word = "FAILED" if self.failed else "ok"
        skipped = f", {self.skipped} skipped" if self.skipped else ""
        counts = f"{self.passed} passed, {self.failed} failed{skipped}"
        return f"{word:6}  {self.title:22} {counts:34} {self.seconds:6.1f} s"


@dataclass
class Lane:
    """A command that runs beside others; what it writes is shown when it has ended. `report` is pytest's, in JUnit's XML."""

    title: str
    command: Sequence[str]
    env: Mapping[str, str]
    report: Path | None = None
    # Whether pytest may find no test to run, since the caller chose which.
    chosen: bool = False
    start: float = field(default=0.0, init=False)
    process: "subprocess.Popen[bytes] | None" = field(default=None, init=False)

    @property
    def log(self) -> Path:
        """Where its output goes."""
        return REPORTS / f"{self.title.replace(' ', '-')}.log"

    def begin(self) -> None:
        """Start the command."""
        if self.report:
            self.report.unlink(missing_ok=True)
        self.start = time.monotonic()
        with self.log.open("wb") as out:
            # A session of its own: Ctrl-C is to reach it once, from `Run.end`, and not break off how it tidies up.
            self.process = subprocess.Popen(
                self.command,
                cwd=_setup.ROOT,
                env=self.env,
                stdin=subprocess.DEVNULL,
                stdout=out,
                stderr=subprocess.STDOUT,
                start_new_session=True,
            )

    def done(self) -> Result | None:
        """What it came to, once it has ended."""
        status = self.process.poll() if self.process else None
        if status is None:
            return None
        if not self.report:
            result = Result(self.title, passed=int(not status), failed=int(bool(status)))
        else:
            result = counted(self.title, self.report.read_text("utf-8")) if self.report.exists() else Result(self.title)
            if status and not result.failed and not (status == NO_TESTS and self.chosen):
                result.failed = 1
        result.seconds = time.monotonic() - self.start
        return result

    def output(self) -> str:
        """What it has written so far."""
        return self.log.read_text(encoding="utf-8", errors="replace")

    def standing(self) -> str:
        """How far it is, as far as pytest tells."""
        percents = re.findall(r"\[ *(\d+%)\]", self.output())
        return f"{self.title} {percents[-1] if percents else ''}".rstrip()


class Run:
    """The steps so far; a step that fails does not keep the next ones from running. As a context it waits for its lanes."""

    def __init__(self, tools: _setup.Tools, extra: Sequence[str] = (), lanes: int = LANES) -> None:
        self.tools, self.extra, self.lanes = tools, extra, lanes
        self.results: list[Result] = []
        self.waiting: list[Lane] = []
        self.running: list[Lane] = []
        self.told = self.start = time.monotonic()

    def check(self, title: str, work: Callable[[], None]) -> bool:
        """One step that passes unless it raises `Failure`, before the next begins."""
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

    def command(self, title: str, command: Sequence[str]) -> None:
        """A lane that is a check."""
        self.add(Lane(title, command, self.tools.env))

    def pytest(self, title: str, arguments: Sequence[str], env: Mapping[str, str]) -> None:
        """A lane of tests, counted by pytest's own report."""
        report = REPORTS / f"{title.replace(' ', '-')}.xml"
        command = self.tools.python("-m", "pytest", f"--junitxml={report}", *arguments, *self.extra)
        self.add(Lane(title, command, env, report, bool(self.extra)))

    def add(self, lane: Lane) -> None:
        """Begin a lane as soon as there is room; those added first come first."""
        self.waiting.append(lane)
        self.look()

    def look(self) -> None:
        """Take down what has ended, begin what there is room for."""
        for lane in list(self.running):
            if result := lane.done():
                self.running.remove(lane)
                self.results.append(result)
                print(f"\n── {lane.title}, {result.seconds:.0f} s ──\n{lane.output().strip()}")
        while self.waiting and len(self.running) < self.lanes:
            lane = self.waiting.pop(0)
            lane.begin()
            self.running.append(lane)

    def __enter__(self) -> "Run":
        return self

    def __exit__(self, kind: type[BaseException] | None, *rest: object) -> None:
        try:
            if kind is None:
                self.wait()
        finally:
            self.end()

    def wait(self) -> None:
        """Wait for all lanes; tell now and then how far they are."""
        while self.running:
            time.sleep(0.2)
            self.look()
            if self.running and time.monotonic() - self.told > TELL_EVERY:
                self.told = time.monotonic()
                print(f"{self.told - self.start:.0f} s: {', '.join(lane.standing() for lane in self.running)} …")

    def end(self) -> None:
        """End what still runs: pytest closes its browsers when it is interrupted."""
        self.waiting.clear()
        for lane in self.running:
            if lane.process:
                with contextlib.suppress(OSError, ValueError):
                    lane.process.send_signal(signal.SIGTERM if os.name == "nt" else signal.SIGINT)
        for lane in self.running:
            if lane.process:
                try:
                    lane.process.wait(timeout=20)
                except subprocess.TimeoutExpired:
                    lane.process.kill()

    def summary(self) -> str:
        """Every step, the time it all took, and the sum in pytest's words."""
        passed, failed, skipped = (sum(getattr(r, n) for r in self.results) for n in ("passed", "failed", "skipped"))
        total = f"{passed} passed, {failed} failed" + (f", {skipped} skipped" if skipped else "")
        took = f"{time.monotonic() - self.start:.0f} s, up to {self.lanes} steps side by side"
        return "\n".join(["", "── summary ──", *(result.line() for result in self.results), took, total])


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
    parser.add_argument("--fast", action="store_true", help="leave out the tests in browsers")
    parser.add_argument(
        "--all", action="store_true", help="walk over every page in every browser, not only in Chromium"
    )
    arguments, extra = parser.parse_known_args()
    tools = _setup.prepare()
    run = Run(tools, extra)
    REPORTS.mkdir(parents=True, exist_ok=True)
    # The one site that every test reads.
    built = run.check("site build", lambda: build.build(tools))
    env = tools.env | ({"OCCUSITE_SITE": str(build.SITE)} if built else {})
    with run:
        # Browsers may have to be installed: the processors need not wait for that.
        all_of_it = ["--all"] if arguments.all else []
        run.pytest("unit tests", ["-m", "not browser", *all_of_it], env)
        found: dict[str, str] = {}
        if built and not arguments.fast and run.check("browsers", lambda: found.update(_browsers.browsers(tools))):
            for engine in ENGINES:
                if f"OCCUSITE_{engine.upper()}" in found:
                    run.pytest(engine, ["-m", "browser", "--engine", engine, *all_of_it, "tests/browser"], env | found)
        if not extra:
            run.command("mypy --strict", tools.python("-m", "mypy", "--strict", "occusite"))
            run.command("ruff check", tools.python("-m", "ruff", "check", "."))
            run.command("ruff format", tools.python("-m", "ruff", "format", "--check", "."))
            run.command("eslint", [*tools.npm, "run", "--silent", "lint"])
            run.command("tsc", [*tools.npm, "run", "--silent", "types"])
            run.command("node tests", [*tools.npm, "run", "--silent", "test"])
    print(run.summary())
    return 1 if any(result.failed for result in run.results) else 0


if __name__ == "__main__":
    _setup.main(main)
