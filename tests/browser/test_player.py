"""The player of a slider: step, play, pause; it never starts by itself, and makes way for less motion."""

from __future__ import annotations

import re
import time

import pytest

from .book import Book
from .chromium import Chromium
from .engine import Tab
from .server import Server

PAGE = "01-latency-hiding/"
BACK, PLAY, FORWARD = (f".occ-player button:nth-child({n})" for n in (1, 2, 3))

pytestmark = pytest.mark.one_engine


def cycle(tab: Tab) -> int:
    return int(tab.js("return document.querySelector('input[data-playable]').value"))


def shown(tab: Tab) -> int:
    """The cycle that the picture's sentence tells."""
    return int(re.findall(r"Cycle (\d+):", tab.js("return document.querySelector('[data-part=now]').textContent"))[0])


def follow(tab: Tab) -> None:
    """Wait until the picture shows the slider's cycle."""
    tab.wait(
        "document.querySelector('[data-part=now]').textContent"
        ".startsWith(`Cycle ${document.querySelector('input[data-playable]').value}:`)"
    )


def test_step_play_and_pause(reader: Book) -> None:
    tab = reader.turn(PAGE).tab
    tab.click(FORWARD)
    reader.ready()
    before = cycle(tab)
    time.sleep(0.3)
    assert cycle(tab) == before, "it played by itself"
    follow(tab)
    tab.click(FORWARD)
    follow(tab)
    assert cycle(tab) == before + 1
    tab.click(BACK)
    tab.click(BACK)
    follow(tab)
    assert cycle(tab) == before - 1

    tab.click(PLAY)
    assert tab.js("return document.querySelector(args[0]).getAttribute('aria-label')", PLAY) == "Pause"
    assert tab.js("return document.querySelector('output[for$=-cycle]').ariaLive") == "off"
    tab.wait("Number(document.querySelector('input[data-playable]').value) > args[0]", before + 20)
    tab.wait("parseInt(document.querySelector('[data-part=now]').textContent.slice(6)) > args[0]", before + 5)
    tab.click(PLAY)
    stopped = cycle(tab)
    time.sleep(0.3)
    assert cycle(tab) == stopped
    follow(tab)
    assert shown(tab) == stopped
    assert tab.js("return document.querySelector('output[for$=-cycle]').ariaLive") == "polite"


def test_the_readers_hand_on_the_slider_ends_the_play(reader: Book) -> None:
    tab = reader.turn(PAGE).tab
    tab.click(PLAY)
    reader.ready()
    tab.focus("input[data-playable]")
    tab.press("End")
    assert cycle(tab) == 999
    assert tab.js("return document.querySelector(args[0]).getAttribute('aria-label')", PLAY) == "Play"
    # At the end, play begins anew, and stops at the end.
    tab.click(PLAY)
    tab.wait("Number(document.querySelector('input[data-playable]').value) < 500")
    tab.focus("input[data-playable]")
    tab.press("Home")
    assert cycle(tab) == 0
    follow(tab)


def test_a_page_turned_while_it_plays_leaves_nothing_running(reader: Book) -> None:
    tab = reader.turn(PAGE).tab
    tab.click(PLAY)
    reader.turn("02-three-budgets/")
    assert tab.js("return document.querySelectorAll('.occ-player').length") == 0
    reader.turn(PAGE)
    assert tab.js("return document.querySelectorAll('.occ-player').length") == 1


@pytest.mark.parametrize("engine", ["chromium"], indirect=True)
def test_less_motion_means_steps_only(engine: Chromium, server: Server) -> None:
    """Only Chromium's driver can ask for reduced motion."""
    tab = engine.open(reduced_motion="reduce")
    try:
        Book(tab, server.base).load(PAGE)
        assert not tab.js("return document.querySelector(args[0]).checkVisibility()", PLAY)
        before = cycle(tab)
        tab.click(FORWARD)
        assert cycle(tab) == before + 1
    finally:
        tab.close()
