"""`occusite grid`: the largest grid, waves and tail, both occupancies."""

from __future__ import annotations

from tests.cli.asked import parsed, run

RTX_3090 = ["grid", "-d", "rtx 3090", "-t", "32x8", "-r", "40"]


def test_the_largest_grid() -> None:
    assert "resident: 492 blocks at once, 6 blocks on each of 82 SMs" in run(*RTX_3090)
    assert parsed(*RTX_3090)["largest"] == {"blocks": 492, "per_core": 6, "cores": 82, "exact": True}
    clusters = ["grid", "-d", "9.0", "-t", "256", "-r", "32", "--cluster", "4"]
    assert "resident: at most 1,056 blocks at once" in run(*clusters)
    assert parsed(*clusters)["largest"]["exact"] is False


def test_idle_sms_and_both_occupancies() -> None:
    text = run(*RTX_3090, "--grid", "8x4")
    assert "SMs:      32 of 82 busy, 50 idle" in text
    assert "achieved: 16.67 % of active SMs, 6.5 % of all SMs" in text
    made = parsed(*RTX_3090, "--grid", "32")
    assert (made["waves"]["busy_cores"], made["waves"]["idle_cores"]) == (32, 50)
    assert made["achieved"] == {"of_active": 8 / 48, "of_all": 32 * 8 / (82 * 48)}
    assert "SMs:      in the last wave 10 of 82 busy, 72 idle" in run(*RTX_3090, "--grid", "502")
    assert "SMs:      in the last wave 82 of 82 busy\n" in run(*RTX_3090, "--grid", "582")


def test_another_vendors_words() -> None:
    text = run("grid", "-d", "mi300x", "--work-items", "256", "--vgprs", "128", "--grid", "100")
    assert "1216 work-groups" in text.replace(",", "")
    assert "CUs:      100 of 304 busy, 204 idle" in text


def test_a_launch_that_cannot_run_and_a_device_without_a_count() -> None:
    assert "cannot run" in run("grid", "-d", "9.0", "-t", "288", "-r", "224", code=1)
    assert parsed("grid", "-d", "9.0", "-t", "288", "-r", "224", code=1)["blocks"] == 0
    assert "grid is not allowed; the number of SMs of paper SM is not known" in run(
        *["grid", "-d", "paper", "-t", "32", "-r", "32"], code=2
    )
