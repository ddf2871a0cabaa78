"""The scheduler, running: a timeline of warps that issue, wait for their turn and wait for memory."""

from __future__ import annotations

from functools import lru_cache

from occusite import scheduler
from occusite.book.parts import timeline
from occusite.book.parts.html import THIN, percent
from occusite.book.parts.widget import Choice, Playable, Slider, View, Widget

CYCLES = 1000
# From this share of a roof on the widget calls it reached.
MET = 0.95
# One of the four schedulers of an SM: 64 warp slots at most, 48 on Ada.
SLOTS, ADA_SLOTS, SCHEDULERS = 16, 12, 4


@lru_cache(maxsize=16)
def found(
    warps: int, latency: int, loads: int, arithmetic: int, interval: int, policy: str
) -> tuple[scheduler.Run, int | None, timeline.Timeline, str]:
    """The run, the warps that saturate, the timeline and its picture: all that the cursor does not change."""
    kernel = scheduler.Kernel(loads, arithmetic * loads, latency, interval=interval)
    run = scheduler.simulate(kernel, warps, policy, cycles=CYCLES)
    # A convoy never saturates: one run with all the warps there can be tells.
    most = scheduler.MOST_WARPS if policy == "greedy" else SLOTS
    need = scheduler.warps_to_saturate(kernel, policy, most=most)
    lanes = run.timeline(CYCLES)
    return run, need, lanes, timeline.lanes(lanes, SLOTS)


def view(warps: int, latency: int, loads: int, arithmetic: int, interval: int, policy: str, cycle: int) -> View:
    """The share of cycles with nothing to issue, the regime, the warps that reach a roof, and the timeline."""
    run, need, lanes, picture = found(warps, latency, loads, arithmetic, interval, policy)
    return View(
        f"<strong>{headline(run)}</strong> <br>{verdict(run, need)}",
        {
            "lanes": picture,
            "cursor": timeline.cursor(lanes, SLOTS, cycle),
            "now": f'<p class="occ-note">{timeline.moment(lanes, cycle)}</p>',
        },
    )


def headline(run: scheduler.Run) -> str:
    """The share of cycles with nothing to issue; a rounded 100 or 0 would claim too much."""
    if not run.idle:
        return "Once the first loads are back, it never runs dry"
    share = float(100 * run.idle)
    said = percent(share) if 1 <= share <= 99 else f"{share:.1f}{THIN}%"
    return f"{said} of cycles with nothing to issue"


def verdict(run: scheduler.Run, need: int | None) -> str:
    """The regime, and how many warps this loop takes, against the slots there are."""
    return f"{run.regime(MET).capitalize()}. {_demand(run, need)}"


def _demand(run: scheduler.Run, need: int | None) -> str:
    share = f"{need} warps, {(need or 0) * SCHEDULERS} on an SM of {SCHEDULERS} schedulers,"
    if scheduler.roof(run.kernel) < 1 and need is not None and need <= SLOTS:
        if run.throughput == scheduler.roof(run.kernel):
            return f"The memory never pauses: {share} are enough for that, and none more makes it faster."
        return f"From {share} on the memory would never pause. The scheduler would still run dry, and no warp could help that."
    if need is None and run.policy == "round_robin":
        return (
            f"{SLOTS} warps, all that a scheduler has slots for, would not do: taking turns, they reach their "
            "loads together and wait together, in a convoy."
        )
    if need is None:
        return f"Not even {scheduler.MOST_WARPS} warps would do: each has too little to do while the others wait."
    if need > SLOTS:
        return f"It would take {need} warps, and a scheduler has {SLOTS} slots at most, {ADA_SLOTS} on Ada."
    share = f"{need * SCHEDULERS} on an SM of {SCHEDULERS} schedulers"
    if not run.idle:
        return f"{need} warps are enough, {share}; any more hide nothing."
    slots = (
        f"Ada has {ADA_SLOTS * SCHEDULERS} slots"
        if need <= ADA_SLOTS
        else f"more than the {ADA_SLOTS * SCHEDULERS} slots of Ada"
    )
    return f"From {need} warps on it would never run dry. That is {share}; {slots}."


widget = Widget(
    "The scheduler, running",
    (
        Slider("warps", "Resident warps of this scheduler", 1, SLOTS, 1, 4, "", "warps"),
        Slider("latency", "Memory latency", 50, 800, 10, 400, "cycles"),
        Slider("loads", "Independent loads per warp", 1, 4, 1, 1),
        Slider("arithmetic", "Arithmetic per load", 1, 60, 1, 40, "instructions"),
        Slider("interval", "Memory: a load at most every", 1, 250, 1, 1, "cycles"),
        Choice("policy", "Which ready warp goes first?", scheduler.POLICIES, "greedy"),
        Playable("cycle", "Cycle", 0, CYCLES - 1, 1, 200, rate=60),
    ),
    view,
)
