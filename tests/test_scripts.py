"""The two commands: their set-up, the server that lives on through errors, the counts of the test run, the README."""

from __future__ import annotations

import os
import re
import signal
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest

from tests.scripts.loaded import SCRIPTS, script, until

ROOT = Path(__file__).resolve().parent.parent


sys.path.insert(0, str(SCRIPTS))
try:
    import _browsers
    import _setup

    build, run_tests = map(script, ("build", "test"))
finally:
    sys.path.remove(str(SCRIPTS))


# The set-up


@pytest.mark.parametrize("name", ["serve", "test", "build", "lock"])
def test_an_old_python_is_told_so(name: str) -> None:
    old = f"""
import runpy, sys
sys.version_info, sys.version = (3, 11, 4, "final", 0), "3.11.4 (main)"
sys.path.insert(0, {str(SCRIPTS)!r})
runpy.run_path({str(SCRIPTS / f"{name}.py")!r}, run_name="__main__")
"""
    told = subprocess.run([sys.executable, "-c", old], capture_output=True, text=True)
    assert told.returncode == 1
    assert "needs Python 3.11.5 or newer, and this is Python 3.11.4" in told.stderr
    assert "Traceback" not in told.stderr


def test_a_stamp_follows_contents_but_not_line_ends(tmp_path: Path) -> None:
    lock = tmp_path / "a.lock"
    lock.write_bytes(b"one\ntwo\n")
    stamp = _setup._digest(lock, "3.13")
    lock.write_bytes(b"one\r\ntwo\r\n")
    assert _setup._digest(lock, "3.13") == stamp
    assert _setup._digest(lock, "3.14") != stamp
    lock.write_bytes(b"one\nthree\n")
    assert _setup._digest(lock, "3.13") != stamp


def test_an_unfinished_or_broken_environment_does_not_count(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(_setup, "PYTHON", Path(sys.executable))
    monkeypatch.setattr(_setup, "UNFINISHED", tmp_path / "unfinished")
    assert _setup._venv_works()
    (tmp_path / "unfinished").touch()
    assert not _setup._venv_works()
    (tmp_path / "unfinished").unlink()
    monkeypatch.setattr(_setup, "PYTHON", tmp_path / "gone")
    assert not _setup._venv_works()


def test_half_installed_packages_go_before_pip_runs(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    packages = tmp_path / ("Lib/site-packages" if os.name == "nt" else "lib/python3.13/site-packages")
    whole, half = packages / "whole-1.0.dist-info", packages / "half-1.0.dist-info"
    for info in (whole, half):
        info.mkdir(parents=True)
        (info / "METADATA").touch()
    (whole / "INSTALLER").touch()
    monkeypatch.setattr(_setup, "VENV", tmp_path)
    monkeypatch.setattr(_setup, "STAMPS", tmp_path / "stamps.json")
    monkeypatch.setattr(_setup, "_PIP_INSTALL", [sys.executable, "-c", "import sys; sys.exit('pip failed')"])
    with _setup.Step("step") as step, pytest.raises(_setup.Failure):
        _setup._install_locked("requirements", "stamp", step)
    assert whole.exists() and not half.exists()
    assert _setup._stamps() == {}, "a step that failed must be done again"
    monkeypatch.setattr(_setup, "_PIP_INSTALL", [sys.executable, "-c", ""])
    with _setup.Step("step") as step:
        _setup._install_locked("requirements", "stamp", step)
    assert _setup._stamps() == {"requirements": "stamp"}


@pytest.mark.parametrize(
    ("told", "advice"),
    [
        ("npm error code ENOTFOUND", "could not be reached"),
        ("OSError: [Errno 28] No space left on device", "disk is full"),
        ("ERROR: THESE PACKAGES DO NOT MATCH THE HASHES", "differs from what the lock file names"),
        ("SSL: CERTIFICATE_VERIFY_FAILED", "cafile"),
        ("ERROR: No matching distribution found for x==1", "no package for this Python"),
    ],
)
def test_a_failed_step_shows_its_end_and_what_to_do(told: str, advice: str) -> None:
    program = f"for n in range(100): print('line', n)\nprint({told!r})\nraise SystemExit(3)"
    with pytest.raises(_setup.Failure) as failure, _setup.Step("step") as step:
        step.run([sys.executable, "-c", program], dict(os.environ))
    text = str(failure.value)
    assert told in text and advice in text
    assert "line 99" in text and "line 50" not in text


@pytest.mark.skipif(os.name == "nt", reason="needs POSIX signals")
def test_an_interrupted_step_leaves_no_process_behind(tmp_path: Path) -> None:
    """The child takes its time to end, as npm does; the next run must not meet it still writing."""
    child = tmp_path / "child.py"
    child.write_text(
        "import signal, sys, time\nfrom pathlib import Path\n"
        "def end(*_):\n    time.sleep(1.5)\n    Path('ended').touch()\n    sys.exit(1)\n"
        "signal.signal(signal.SIGTERM, end)\nPath('begun').touch()\ntime.sleep(60)\n"
    )
    program = f"""
import os, sys
sys.path.insert(0, {str(SCRIPTS)!r})
import _setup
from pathlib import Path
_setup.ROOT = Path({str(tmp_path)!r})
def work():
    with _setup.Step("step") as step:
        step.run([sys.executable, "child.py"], dict(os.environ))
_setup.main(work)
"""
    parent = subprocess.Popen([sys.executable, "-c", program], stdout=subprocess.PIPE, text=True)
    until(lambda: (tmp_path / "begun").exists(), "the child runs")
    parent.send_signal(signal.SIGTERM)
    told, _ = parent.communicate(timeout=30)
    assert (tmp_path / "ended").exists()
    assert parent.returncode == 130 and "Run it again" in told


def test_node_on_path_must_be_new_enough(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    if os.name == "nt":
        pytest.skip("needs executable scripts")
    for name, version in (("node", "v18.19.0"), ("npm", "9.2.0")):
        (tmp_path / name).write_text(f"#!/bin/sh\necho {version}\n")
        (tmp_path / name).chmod(0o755)
    monkeypatch.setenv("PATH", f"{tmp_path}{os.pathsep}/bin")
    assert _setup._node_on_path() is None
    (tmp_path / "node").write_text("#!/bin/sh\necho v20.1.0\n")
    assert _setup._node_on_path() == (str(tmp_path / "node"), str(tmp_path / "npm"))
    (tmp_path / "npm").unlink()
    monkeypatch.setenv("PATH", str(tmp_path))
    assert _setup._node_on_path() is None, "Node without npm is not enough"


# Building and testing


def test_weights_count_what_a_page_loads_by_itself(tmp_path: Path) -> None:
    (tmp_path / "ch").mkdir()
    (tmp_path / "a.js").write_bytes(os.urandom(30_000))
    (tmp_path / "later.js").write_bytes(os.urandom(90_000))
    (tmp_path / "index.html").write_text('<script src="a.js?v=1"></script><a href="later.js">later</a>')
    (tmp_path / "ch" / "index.html").write_text("<p>light</p>")
    _, first, second = build.weights(tmp_path).splitlines()
    assert first.split() == ["30", "kB", "index.html"]
    assert second.split() == ["0", "kB", "ch/index.html"]


@pytest.fixture
def trial(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """Where to write tests for a run of their own, whose reports stay beside them."""
    if not _setup.PYTHON.exists():
        pytest.skip("needs .venv")
    monkeypatch.setattr(run_tests, "REPORTS", tmp_path)
    return tmp_path / "test_it.py"


def fresh_run(*extra: str, lanes: int = 2) -> Any:
    """A run without steps yet."""
    return run_tests.Run(_setup.Tools([], [], dict(os.environ)), extra, lanes)


def test_the_sum_is_pytests_own_and_a_failure_fails(trial: Path) -> None:
    trial.write_text(
        "import pytest\ndef test_a(): pass\ndef test_b(): assert 0\ndef test_c(): pytest.skip()\n"
        "@pytest.fixture\ndef bad(): 1/0\ndef test_d(bad): pass\n"
    )
    arguments = ["--rootdir", str(trial.parent), "-p", "no:cacheprovider", str(trial)]
    with fresh_run() as run:
        run.pytest("unit tests", arguments, dict(os.environ))
        assert not run.check("a check", lambda: _setup.run([sys.executable, "-c", "exit(4)"], dict(os.environ), "bad"))
        assert run.check("another", lambda: None)
        run.command("a lane that fails", [sys.executable, "-c", "exit(4)"])
        run.command("a lane that passes", [sys.executable, "-c", ""])
        run.pytest("none", [*arguments, "-k", "nothing"], dict(os.environ))
    counts = {result.title: (result.passed, result.failed, result.skipped) for result in run.results}
    assert counts == {
        "unit tests": (1, 2, 1),
        "a check": (0, 1, 0),
        "another": (1, 0, 0),
        "a lane that fails": (0, 1, 0),
        "a lane that passes": (1, 0, 0),
        "none": (0, 1, 0),  # a run without tests is no success
    }
    assert run.summary().splitlines()[-1] == "3 passed, 5 failed, 1 skipped"
    with fresh_run("-k", "nothing") as run:
        run.pytest("none", arguments, dict(os.environ))
    assert run.results[0].failed == 0, "unless the caller chose so"


def test_lanes_run_side_by_side_and_show_what_they_wrote_one_after_another(
    trial: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    """Each of two writes its file and waits for the other's; a third finds both when there is room for it."""
    wait = (
        "import sys, time\nfrom pathlib import Path\nmine, other = map(Path, sys.argv[1:])\nprint('begun', mine.name)\n"
        "mine.touch()\nwhile not other.exists(): time.sleep(0.02)\nprint('ended', mine.name)"
    )
    one, two = (str(trial.with_name(name)) for name in ("one", "two"))
    check = f"from pathlib import Path\nassert Path({one!r}).exists() and Path({two!r}).exists()"
    with fresh_run() as run:
        run.command("first", [sys.executable, "-c", wait, one, two])
        run.command("second", [sys.executable, "-c", wait, two, one])
        run.command("third", [sys.executable, "-c", check])
        assert len(run.running) == 2, "more at a time than there is room for"
    assert [result.passed for result in run.results] == [1, 1, 1]
    told = capsys.readouterr().out
    for name, title in (("one", "first"), ("two", "second")):
        assert re.search(rf"── {title}, \d+ s ──\nbegun {name}\nended {name}\n", told)


@pytest.mark.skipif(os.name == "nt", reason="needs POSIX signals")
def test_lanes_end_with_the_run_that_is_interrupted(trial: Path) -> None:
    """A test's own clearing up is done, as that of a browser must be."""
    cleared, begun = trial.with_name("cleared"), trial.with_name("begun")
    trial.write_text(
        "import time\nfrom pathlib import Path\nimport pytest\n"
        f"@pytest.fixture\ndef browser():\n    yield\n    Path({str(cleared)!r}).touch()\n"
        f"def test_a(browser):\n    Path({str(begun)!r}).touch()\n    time.sleep(60)\n"
    )
    run = fresh_run(lanes=1)
    with pytest.raises(KeyboardInterrupt), run:
        run.pytest("a lane", ["--rootdir", str(trial.parent), "-p", "no:cacheprovider", str(trial)], dict(os.environ))
        run.command("another", [sys.executable, "-c", ""])
        until(begun.exists, "the test runs")
        raise KeyboardInterrupt
    assert cleared.exists() and run.results == [] and run.waiting == []
    assert run.running[0].process.poll() is not None


def test_a_browser_named_by_hand_must_be_there(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("OCCUSITE_CHROMIUM", str(tmp_path / "none"))
    with pytest.raises(_setup.Failure, match="no such file"):
        _browsers.find("OCCUSITE_CHROMIUM")
    monkeypatch.setenv("OCCUSITE_CHROMIUM", sys.executable)
    assert _browsers.find("OCCUSITE_CHROMIUM") == sys.executable


# The documents


def test_the_readmes_example_prints_what_it_says() -> None:
    readme = (ROOT / "README.md").read_text(encoding="utf-8")
    found = re.search(r"```python\n(.*?)```\s+```text\n(.*?)```", readme, re.S)
    assert found
    told = subprocess.run(
        [sys.executable, "-X", "utf8", "-c", found[1]], capture_output=True, encoding="utf-8", check=True
    )
    assert told.stdout == found[2]
