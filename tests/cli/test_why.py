"""`occusite why`: the error by its number and words, and the ways to a launch that runs."""

from __future__ import annotations

from tests.cli.asked import parsed, run


def test_701() -> None:
    asked = ["why", "-d", "9.0", "-t", "288", "-r", "224"]
    text = run(*asked, code=1)
    assert 'error:      cudaErrorLaunchOutOfResources (701), "too many resources requested for launch"' in text
    assert [line.split() for line in text.splitlines()[-2:]] == [
        ["threads", "288", "256", "1", "8", "12.5", "%"],
        ["registers", "224", "168", "1", "9", "14.06", "%"],
    ]
    made = parsed(*asked, code=1)
    assert (made["error"]["code"], made["occupancy"]) == (701, None)
    assert [(way["field"], way["after"], way["then"]["blocks"]) for way in made["ways"]] == [
        *(("threads", 256, 1), ("registers", 168, 1)),
    ]
    assert made["nearest"]["launch"]["threads"] == 256


def test_invalid_argument_and_tritons_words() -> None:
    text = run("why", "-d", "8.9", "-t", "256", "-r", "40", "-s", "128KiB", code=1)
    assert 'cudaErrorInvalidValue (1), "invalid argument"; Triton: "out of resource: shared memory"' in text
    text = run("why", "-d", "8.9", "-t", "256", "-r", "40", "-s", "60000", "--no-opt-in", code=1)
    assert text.splitlines()[-2].split()[:5] == ["opt", "in", "no", "yes", "1"]
    text = run("why", "-d", "8.9", "-t", "256", "-r", "40", "-s", "60000", "--max-dynamic-shared", "48k", code=1)
    assert "max dynamic shared  49,152  default" in text


def test_what_never_was_launched() -> None:
    text = run("why", "-d", "sm_90", "-t", "128", "-r", "30", "--static-shared", "60000", code=1)
    assert "no launch comes to be: ptxas error" in text


def test_where_all_must_change() -> None:
    text = run("why", "-d", "8.9", "-t", "2048", "-r", "300", "-s", "200000", code=1)
    assert "No single change lets it run; together: 1,024 threads" in text


def test_a_launch_that_runs() -> None:
    assert "It runs." in run("why", "-d", "8.9", "-t", "256", "-r", "40")
    made = parsed("why", "-d", "8.9", "-t", "256", "-r", "40")
    assert made["error"] is None
    assert "ways" not in made


def test_another_vendors_driver_gives_no_known_error() -> None:
    text = run("why", "-d", "gfx942", "--work-items", "256", "--vgprs", "40", "--lds", "70000", code=1)
    assert "error:" not in text
    assert text.splitlines()[-1].split()[:3] == ["lds", "70,000", "65,536"]
