"""Finds the browsers that the tests drive, or installs Chromium (and all three on a Debian machine of a CI)."""

import os
import shutil
import subprocess
import sys
from pathlib import Path

import _setup

PROGRAMS = Path(os.environ.get("PROGRAMFILES", "C:/Program Files"))
PROGRAMS_X86 = Path(os.environ.get("PROGRAMFILES(X86)", "C:/Program Files (x86)"))

# Per browser: the variable that names it to the tests, where it may be, and its Debian packages.
CHROMIUM = "OCCUSITE_CHROMIUM"
PLACES = {
    CHROMIUM: (
        "chromium",
        "chromium-browser",
        "google-chrome",
        "google-chrome-stable",
        "chrome",
        "microsoft-edge",
        "msedge",
        "/Applications/Chromium.app/Contents/MacOS/Chromium",
        "/Applications/Google Chrome.app/Contents/MacOS/Google Chrome",
        "/Applications/Microsoft Edge.app/Contents/MacOS/Microsoft Edge",
        str(PROGRAMS / "Google/Chrome/Application/chrome.exe"),
        str(PROGRAMS_X86 / "Google/Chrome/Application/chrome.exe"),
        str(PROGRAMS_X86 / "Microsoft/Edge/Application/msedge.exe"),
        str(PROGRAMS / "Microsoft/Edge/Application/msedge.exe"),
    ),
    "OCCUSITE_FIREFOX": (
        "firefox-esr",
        "firefox",
        "/Applications/Firefox.app/Contents/MacOS/firefox",
        str(PROGRAMS / "Mozilla Firefox/firefox.exe"),
    ),
    "OCCUSITE_WEBKIT": ("WebKitWebDriver",),
}
DEBIAN = {
    CHROMIUM: ["chromium"],
    "OCCUSITE_FIREFOX": ["firefox-esr"],
    "OCCUSITE_WEBKIT": ["webkit2gtk-driver", "xvfb"],
}


def browsers(tools: _setup.Tools) -> dict[str, str]:
    """The browsers there are, by variable; Chromium always, installed if need be. Says which. Raises `Failure`."""
    found = _found()
    wanted = PLACES if os.environ.get("CI") else [CHROMIUM]
    missing = [name for name in wanted if name not in found]
    root = _apt()
    if missing and root is not None:
        _apt_install([package for name in missing for package in DEBIAN[name]], root)
        found = _found()
    if CHROMIUM not in found:
        found[CHROMIUM] = _playwright_chromium(tools)
    for name, path in found.items():
        print(f"{name.removeprefix('OCCUSITE_').capitalize()}: {path}")
    return found


def _found() -> dict[str, str]:
    places = {name: find(name) for name in PLACES}
    return {name: path for name, path in places.items() if path}


def find(name: str) -> str | None:
    """The path of a browser: the one its variable names, else the first one in its places."""
    named = os.environ.get(name)
    if named:
        if not Path(named).is_file():
            raise _setup.Failure(f"{name} names {named}, and there is no such file.")
        return named
    return next(filter(None, map(shutil.which, PLACES[name])), None)


def _apt() -> list[str] | None:
    """What to put before apt-get so that it may install, or None where that is not possible."""
    if not shutil.which("apt-get"):
        return None
    if os.geteuid() == 0:
        return []
    sudo = ["sudo", "--non-interactive"]
    able = shutil.which("sudo") and subprocess.run([*sudo, "true"], capture_output=True).returncode == 0
    return sudo if able else None


def _apt_install(packages: list[str], root: list[str]) -> None:
    env = dict(os.environ, DEBIAN_FRONTEND="noninteractive")
    apt = [*root, "apt-get", "-o", "DPkg::Lock::Timeout=300"]
    with _setup.Step(f"Installing {', '.join(packages)} with apt-get") as step:
        step.run([*apt, "update"], env)
        step.run([*apt, "install", "--yes", "--no-install-recommends", *packages], env)


def _playwright_chromium(tools: _setup.Tools) -> str:
    advice = "You can also install Chromium or Chrome yourself, or name one in the variable OCCUSITE_CHROMIUM."
    try:
        with _setup.Step("Installing Playwright's Chromium") as step:
            step.run(tools.python("-m", "playwright", "install", "chromium"), tools.env)
    except _setup.Failure as failure:
        raise _setup.Failure(f"{failure}\n{advice}") from failure
    ask = "from playwright.sync_api import sync_playwright as p\nwith p() as q: print(q.chromium.executable_path)"
    told = subprocess.run(tools.python("-c", ask), env=tools.env, capture_output=True, text=True)
    path = told.stdout.strip()
    if not Path(path).is_file():
        raise _setup.Failure(f"Playwright's Chromium was installed but is not to be found. {advice}\n{told.stderr}")
    return path


if __name__ == "__main__":
    sys.exit("This file is a part of scripts/test.py; run that one.")
