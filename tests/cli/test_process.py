"""The command as a process: pipes, terminals, missing parts, interruptions."""

from __future__ import annotations

import json
import os
import shutil
import signal
import subprocess
import sys
from pathlib import Path

import pytest

COMMAND = [sys.executable, "-m", "occusite"]
ADA = ["occupancy", "--device", "8.9", "--threads", "256", "--registers", "64"]


def environment(**more: str) -> dict[str, str]:
    kept = {key: value for key, value in os.environ.items() if key not in ("FORCE_COLOR", "NO_COLOR")}
    return kept | more


def run(*arguments: str, stdin: bytes = b"", **more: str) -> subprocess.CompletedProcess[bytes]:
    return subprocess.run(
        [*COMMAND, *arguments], input=stdin, capture_output=True, env=environment(**more), check=False
    )


def test_piped_output_is_plain() -> None:
    for arguments in (ADA, ["--help"], ["sweep", *ADA[1:]], ["occupancy", "--nonsense"]):
        found = run(*arguments)
        for text in (found.stdout.decode(), found.stderr.decode()):
            assert not set("─│╭┃█\x1b") & set(text), text
    assert found.returncode == 2


def test_exit_codes() -> None:
    assert run(*ADA).returncode == 0
    assert run(*ADA[:-1], "300").returncode == 1
    assert run(*ADA[:-1], "-3").returncode == 2
    assert run().returncode == 2


def test_the_installed_command_is_the_module() -> None:
    installed = shutil.which("occusite", path=str(Path(sys.executable).parent))
    if installed is None:
        pytest.skip("occusite is not installed beside this Python")
    found = subprocess.run([installed, *ADA], capture_output=True, env=environment(), check=True)
    assert found.stdout == run(*ADA).stdout


def test_without_the_extra_a_plain_message() -> None:
    code = "import sys; sys.modules['click'] = None; import occusite.cli; occusite.cli.main()"
    found = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=False)
    assert found.returncode == 2
    assert found.stderr.strip() == (
        "occusite: the command line needs click and rich; install them with: pip install 'occusite[cli]'"
    )


def test_a_small_character_set_is_no_error() -> None:
    found = run("explain", *ADA[1:], PYTHONIOENCODING="ascii")
    assert found.returncode == 0
    assert b"?288" not in found.stdout
    assert b"65,536" in found.stdout


def test_a_reader_that_goes_away_ends_it_quietly() -> None:
    line = json.dumps({"device": "8.9", "threads": 256, "registers": 64}).encode() + b"\n"
    with subprocess.Popen(
        [*COMMAND, "occupancy", "--jsonl"], stdin=subprocess.PIPE, stdout=subprocess.PIPE, stderr=subprocess.PIPE
    ) as process:
        assert process.stdin
        assert process.stdout
        assert process.stderr
        process.stdin.write(line)
        process.stdin.flush()
        process.stdout.readline()
        process.stdout.close()
        try:
            process.stdin.write(line * 1000)
            process.stdin.close()
        except BrokenPipeError:
            pass
        assert process.wait() == 141
        assert process.stderr.read() == b""


def test_start_up_loads_neither_rich_nor_the_readers() -> None:
    code = (
        "import sys, occusite.cli.app\n"
        "print([m for m in sys.modules if m in ('rich', 'occusite.reports', 'occusite.devices', 'occusite.questions')])"
    )
    found = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert found.stdout.strip() == "[]"


def test_an_answer_loads_no_more_than_it_needs() -> None:
    code = (
        "import sys\nfrom occusite.cli.app import app\n"
        f"try:\n    app.main({ADA!r})\nexcept SystemExit:\n    pass\n"
        "print([m for m in ('rich', 'pydantic', 'typer', 'occusite.reports', 'asyncio', 'email') if m in sys.modules])"
    )
    found = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert found.stdout.splitlines()[-1] == "[]"


@pytest.mark.skipif(sys.platform == "win32", reason="pseudo-terminals are POSIX")
def test_a_terminal_gets_tables_and_colour() -> None:
    import pty

    ours, theirs = pty.openpty()
    settings = environment(TERM="xterm-256color", COLUMNS="100")
    with subprocess.Popen([*COMMAND, *ADA], stdin=theirs, stdout=theirs, stderr=theirs, env=settings) as process:
        os.close(theirs)
        shown = b""
        while True:
            try:
                piece = os.read(ours, 4096)
            except OSError:
                break
            if not piece:
                break
            shown += piece
        assert process.wait() == 0
    os.close(ours)
    text = shown.decode()
    assert "\x1b[" in text
    assert "█" in text
    assert "66.67 %" in text


@pytest.mark.parametrize("shell", ["bash", "zsh", "fish"])
def test_shell_completion(shell: str) -> None:
    assert b"_OCCUSITE_COMPLETE" in run("--show-completion", shell).stdout
    assert run("--show-completion", "tcsh").returncode == 2


@pytest.mark.parametrize(
    ("begun", "found"),
    [
        ("geforce", "geforce-RTX-4090"),
        ("rtx-40", "rtx-4090"),
        ("rtx-409", "rtx-4090"),
        ("mi30", "mi300X"),
        ("gfx94", "gfx942"),
        ("8.", "8.9"),
    ],
)
def test_completion_finds_devices_by_the_words_people_type(begun: str, found: str) -> None:
    words = {"COMP_WORDS": f"occusite occupancy --device {begun}", "COMP_CWORD": "3"}
    offered = run(_OCCUSITE_COMPLETE="bash_complete", **words).stdout.decode().split()
    assert f"plain,{found}" in offered


@pytest.mark.skipif(sys.platform == "win32", reason="signals are POSIX")
def test_an_interruption_exits_with_130() -> None:
    with subprocess.Popen(
        [*COMMAND, "occupancy", "--jsonl"], stdin=subprocess.PIPE, stdout=subprocess.PIPE, stderr=subprocess.PIPE
    ) as process:
        assert process.stdin
        assert process.stdout
        process.stdin.write(b"{}\n")
        process.stdin.flush()
        process.stdout.readline()
        process.send_signal(signal.SIGINT)
        assert process.wait() == 130
