"""One warp scheduler, cycle by cycle: does it ever run dry? (chapters 1 and 7)

Theory of operation. Every resident warp runs the same endless loop: rounds of independent loads, then arithmetic.
Each cycle the scheduler issues one instruction of one ready warp, or none if no warp is ready. As latencies are fixed
and the memory answers in order, the cycle at which a warp's next instruction may issue is known as soon as the one
before it has issued; so the simulation jumps from issue to issue, and when the state of the whole machine repeats, the
rate it has found is exact. Little's law (`expected`) says what to find: a slope, then a roof.
"""

from __future__ import annotations

from dataclasses import dataclass, field
from fractions import Fraction
from typing import NamedTuple

from occusite.model.checks import choice, integer, kept, number

POLICIES = {"greedy": "greedy, then oldest", "round_robin": "loose round-robin"}
STARTS = {"together": "all warps at cycle 0", "spread": "warps spread over one loop"}
STATES = ("issue", "load", "ready", "memory", "pipeline", "waiting")

# A search for the number of warps that saturates ends here: four times what any scheduler has slots for.
MOST_WARPS = 64
# A run ends after so many issues, or four passes, if its state has not repeated; its rate is then measured, not exact.
PATIENCE = 4000

# What the model does, and what it leaves out, in sentences a page can show.
ASSUMPTIONS = (
    (
        "One scheduler, alone. It issues at most one instruction per cycle, and its warps never move.",
        "An SM has several schedulers. Each keeps its own warps, and all share the path to memory.",
    ),
    (
        "All warps run the same loop: loads that do not depend on each other, then arithmetic that waits for all of them.",
        "Warps run apart, and compilers place the first use of each load as late as they can.",
    ),
    (
        "A warp issues in order, and waits only for a result that its next instruction needs.",
        "It also waits at barriers, for instructions to be fetched, and for units that are busy.",
    ),
    (
        "Every load takes the same latency from the moment the memory starts on it, and any number may be in flight.",
        "Latency varies with the caches, the distance and the load on the memory, and queues are finite.",
    ),
    (
        "The memory starts loads in order, at a fixed rate.",
        "The rate depends on the access pattern and on what all other SMs ask for.",
    ),
    (
        "Arithmetic waits only for its operands.",
        "A unit with fewer lanes than a warp has threads is busy for several cycles.",
    ),
)

# How close the simulated rate comes to `expected`, as a share of it. Never above: no schedule beats the law.
# Measured over a grid of loops, latencies and numbers of warps, which the tests repeat.
SHORTFALL = {
    "one wait per pass, greedy": 0.0,
    "one wait per pass, round-robin from a spread start": 0.0,
    "dependent arithmetic, greedy": 0.2,
    "one wait per pass, round-robin from a common start": 0.5,
}


# What a kernel has met, in the order in which to ask; each with what helps it.
REGIMES = {
    "issue-bound": "fewer instructions",
    "bandwidth-bound": "fewer bytes",
    "latency-bound": "more in flight: independent work in each warp, or more warps",
}
# A roof counts as reached from this share of it on. A convention: no real kernel runs at the whole of a peak.
NEAR = 0.8


def regime(issued: float, bandwidth: float, near: float = NEAR) -> str:
    """Which of `REGIMES` a kernel is in: whether a roof is reached, and which; only below both can warps help.

    `issued`: the share of cycles in which a scheduler issues, or the busy share of its busiest arithmetic unit where that
    is more; `bandwidth`: the share of the memory's peak that is moved; both 0 to 1. `near`: from which share on a roof
    counts as reached; where both are, the nearer one decides. Raises `ValueError` for a value outside its range.
    """
    shares = {"issue-bound": _share("issued", issued), "bandwidth-bound": _share("bandwidth", bandwidth)}
    limit = number("near", near, 0, 1)
    met = {name: share for name, share in shares.items() if share >= limit}
    return max(met, key=lambda name: met[name]) if met else "latency-bound"


def _share(field: str, value: float) -> float:
    """A share of 0 to 1; nothing at all is a share as well."""
    return 0.0 if value == 0 and not isinstance(value, bool) else number(field, value, 0, 1)


@dataclass(frozen=True, slots=True)
class Kernel:
    """The loop that every warp runs.

    `loads`: independent loads in a round; `rounds`: how many rounds follow each other, each load's address coming from
    the same load of the round before (a pointer chase); `arithmetic`: instructions after the loads, in `independent`
    chains that take turns, each result usable `pipeline` cycles after its issue. `latency`: cycles from the memory's
    start on a load to its data. `interval`: cycles between the memory's starts on two loads of this scheduler, 1 for no
    limit but the issue itself. Without arithmetic each load needs the one a round before it. Without loads the chains
    never end, and a pass is one instruction of each.

    Raises `ValueError` for a value outside its range, or when there is neither a load nor arithmetic.
    """

    loads: int = 1
    arithmetic: int = 40
    latency: int = 400
    rounds: int = 1
    pipeline: int = 4
    independent: int = 4
    interval: int = 1

    def __post_init__(self) -> None:
        kept(self, "loads", 0, 64, "independent loads")
        kept(self, "arithmetic", 0 if self.loads else 1, 10_000, "instructions")
        kept(self, "latency", 1, 100_000, "cycles")
        kept(self, "rounds", 1, 64, "dependent rounds")
        kept(self, "pipeline", 1, 1000, "cycles")
        kept(self, "independent", 1, 64, "independent chains")
        kept(self, "interval", 1, 100_000, "cycles per load")

    @property
    def instructions(self) -> int:
        """Instructions in one pass through the loop."""
        return self.rounds * self.loads + self.arithmetic if self.loads else self.independent

    @property
    def alone(self) -> int:
        """Cycles one pass takes a warp that has scheduler and memory to itself."""
        chains = max(self.independent, self.pipeline)
        if not self.loads:
            return chains
        turn = max(self.latency, self.loads * self.interval)
        if not self.arithmetic:
            return self.rounds * turn
        full, rest = divmod(self.arithmetic - 1, self.independent)
        last_start = (self.rounds - 1) * turn + (self.loads - 1) * self.interval
        return last_start + max(self.latency + full * chains + rest + 1, self.interval)

    def body(self) -> tuple[tuple[bool, int], ...]:
        """The loop as (is a load, needs the result of how many instructions earlier; 0: of none)."""
        if not self.loads:
            return ((False, self.independent),) * self.independent
        chase = [(True, self.loads)] * self.loads
        first = chase if not self.arithmetic else [(True, 0)] * self.loads
        work = [
            (False, 1 if i == 0 else self.independent if i >= self.independent else 0) for i in range(self.arithmetic)
        ]
        return (*first, *chase * (self.rounds - 1), *work)


# One instruction issued: its cycle, its warp, whether it is a load, the cycle from which it could have issued, and the
# cycle from which its result can be used. A plain tuple: a run makes thousands.
Issue = tuple[int, int, bool, int, int]


class Segment(NamedTuple):
    """Cycles `first` up to, not including, `end` of one warp, all in one state of `STATES`.

    "issue": arithmetic issues; "load": a load issues; "ready": could issue, another warp does; "memory": waits for a
    load; "pipeline": waits for arithmetic; "waiting": has not started.
    """

    first: int
    end: int
    state: str


@dataclass(frozen=True, slots=True)
class Run:
    """What a simulation found.

    `throughput`: instructions issued per cycle, over `period` cycles from cycle `warm_up` on. `steady`: whether the
    machine's whole state repeats after `period` cycles, so that the rate is exact and holds for ever; else it is an
    average over a long stretch. `issues`: every issue from cycle 0 to `end`.
    """

    kernel: Kernel
    warps: int
    policy: str
    start: str
    throughput: Fraction
    warm_up: int
    period: int
    steady: bool
    end: int
    issues: tuple[Issue, ...] = field(repr=False)
    starts: tuple[int, ...] = field(repr=False)

    @property
    def idle(self) -> Fraction:
        """Share of cycles in which the scheduler had nothing to issue."""
        return 1 - self.throughput

    @property
    def loads_per_cycle(self) -> Fraction:
        """Loads issued per cycle."""
        return self.throughput * self.kernel.rounds * self.kernel.loads / self.kernel.instructions

    @property
    def bandwidth(self) -> Fraction:
        """Share of the memory's starts that are used: 1 where it never pauses."""
        return self.loads_per_cycle * self.kernel.interval

    def regime(self, near: float = NEAR) -> str:
        """Which of `REGIMES` the run is in; see the function of this name."""
        return regime(float(self.throughput), min(1.0, float(self.bandwidth)), near)

    def timeline(self, cycles: int) -> tuple[tuple[Segment, ...], ...]:
        """Per warp, its states from cycle 0 to `cycles`, without gaps. Raises `ValueError` beyond the run's end."""
        cycles = integer("cycles", cycles, 1, self.end, "cycles")
        lanes: list[list[Segment]] = [[] for _ in range(self.warps)]
        free = [0] * self.warps
        before = ["waiting"] * self.warps

        def put(warp: int, first: int, end: int, state: str) -> None:
            end = min(end, cycles)
            if first >= end:
                return
            lane = lanes[warp]
            if lane and lane[-1].state == state and lane[-1].end == first:
                lane[-1] = Segment(lane[-1].first, end, state)
            else:
                lane.append(Segment(first, end, state))

        for cycle, warp, load, ready, _ in self.issues:
            put(warp, free[warp], ready, before[warp])
            put(warp, max(free[warp], ready), cycle, "ready")
            put(warp, cycle, cycle + 1, "load" if load else "issue")
            free[warp] = cycle + 1
            # In order, and all loads of a round before any use: a wait after a load is for memory.
            before[warp] = "memory" if load else "pipeline"
        for warp, ready in enumerate(self.starts):
            put(warp, free[warp], ready, before[warp])
            put(warp, max(free[warp], ready), cycles, "ready")
        return tuple(tuple(lane) for lane in lanes)


def simulate(
    kernel: Kernel,
    warps: int,
    policy: str = "greedy",
    start: str = "together",
    cycles: int = 0,
    patience: int = 0,
) -> Run:
    """Run `warps` warps of `kernel` on one scheduler, for at least `cycles` cycles, until its state repeats or
    `patience` instructions have issued (0: 4,000, or enough for four passes of every warp).

    `policy`: "greedy" stays with a warp until it stalls, then takes the oldest ready one (the lowest number);
    "round_robin" takes the next ready warp after the one issued last. `start`: "together" or "spread".
    Raises `ValueError` for warps outside 1–64, an unknown policy or start, cycles outside 0–100,000, or patience
    outside 0–10,000,000.
    """
    warps = integer("warps", warps, 1, MOST_WARPS, "warps")
    greedy = choice("policy", policy, tuple(POLICIES)) == "greedy"
    spread = choice("start", start, tuple(STARTS)) == "spread"
    cycles = integer("cycles", cycles, 0, 100_000, "cycles")
    patience = integer("patience", patience, 0, 10_000_000, "issues")

    body = kernel.body()
    length, latency, pipeline, interval = len(body), kernel.latency, kernel.pipeline, kernel.interval
    depth = max(needs for _, needs in body) or 1
    patience = patience or max(PATIENCE, 4 * warps * length)
    starts = [w * kernel.alone // warps if spread else 0 for w in range(warps)]
    ready, place = list(starts), [0] * warps
    # Each warp's results in order, by the cycle from which they can be used; before the first they always could.
    results = [[0] * depth for _ in range(warps)]
    order = [tuple(range(warps)) if greedy else (*range(w + 1, warps), *range(w + 1)) for w in range(warps)]
    issues: list[Issue] = []
    seen: dict[object, tuple[int, int]] = {}
    loop: tuple[int, int] | None = None
    cycle = memory = 0
    warp = 0 if greedy else warps - 1

    while cycle < cycles or (loop is None and len(issues) < patience):
        if not (greedy and ready[warp] <= cycle):
            for candidate in order[warp]:
                if ready[candidate] <= cycle:
                    warp = candidate
                    break
            else:
                cycle = min(ready)
                continue
        here, mine = place[warp], results[warp]
        is_load = body[here][0]
        if is_load:
            memory = max(memory, cycle)
            result = memory + latency
            memory += interval
        else:
            result = cycle + pipeline
        issues.append((cycle, warp, is_load, ready[warp], result))
        mine.append(result)
        here = here + 1 if here + 1 < length else 0
        place[warp] = here
        needs = body[here][1]
        cycle += 1
        ready[warp] = mine[-needs] if needs and mine[-needs] > cycle else cycle
        if warp == 0 and here == 0 and loop is None:
            state = _state(cycle, place, ready, [r[-depth:] for r in results], memory)
            if state in seen:
                loop = seen[state]
                loop_end = (cycle, len(issues))
            else:
                seen[state] = (cycle, len(issues))

    if loop:
        (first, issued), (until, total) = loop, loop_end
        rate = Fraction(total - issued, until - first)
    else:
        # The second half: the start has died away as far as it will.
        first, until = issues[-1][0] // 2, issues[-1][0] + 1
        rate = _measured(kernel, warps, issues, first, until)
    measured = (rate, first, until - first, loop is not None, cycle)
    return Run(kernel, warps, policy, start, *measured, tuple(issues), tuple(ready))


def _measured(kernel: Kernel, warps: int, issues: list[Issue], first: int, until: int) -> Fraction:
    """Instructions per cycle over a stretch without a period: the roof if what makes it never paused, else the sum of
    the warps' own rates, each over its whole passes."""
    issued = [i for i in issues if i[0] >= first]
    begun = [i[4] - kernel.latency for i in issues if i[2]]
    begun = [s for s in begun if first <= s < until]
    limited = len(begun) > 1 and begun[-1] - begun[0] == (len(begun) - 1) * kernel.interval
    if limited or len(issued) == until - first:
        return roof(kernel)
    total = Fraction(0)
    for warp in range(warps):
        mine = [i[0] for i in issued if i[1] == warp]
        whole_passes = (len(mine) - 1) // kernel.instructions * kernel.instructions if mine else 0
        if whole_passes:
            total += Fraction(whole_passes, mine[whole_passes] - mine[0])
        else:
            total += Fraction(len(mine), until - first)
    return min(total, roof(kernel))


def _state(cycle: int, place: list[int], ready: list[int], results: list[list[int]], memory: int) -> object:
    """All that the future depends on right after warp 0 issued, relative to `cycle`: what is over is just over."""
    return (
        max(memory - cycle, 0),
        tuple(place),
        tuple([r - cycle if r > cycle else 0 for r in ready]),
        tuple([tuple([r - cycle if r > cycle else 0 for r in last]) for last in results]),
    )


def roof(kernel: Kernel) -> Fraction:
    """The most instructions per cycle any number of warps can reach: one, or what the memory's rate allows."""
    served = kernel.rounds * kernel.loads * kernel.interval
    return min(Fraction(1), Fraction(kernel.instructions, served)) if served else Fraction(1)


def expected(kernel: Kernel, warps: int) -> Fraction:
    """Little's law for this loop, in instructions per cycle: a slope, warps × instructions ÷ cycles a lone warp takes
    for them, and a roof. Raises `ValueError` for warps outside 1–64."""
    warps = integer("warps", warps, 1, MOST_WARPS, "warps")
    return min(Fraction(warps * kernel.instructions, kernel.alone), roof(kernel))


def warps_to_saturate(
    kernel: Kernel, policy: str = "greedy", start: str = "together", share: float = 1.0, most: int = MOST_WARPS
) -> int | None:
    """The fewest warps whose simulated throughput reaches `share` of the roof; None if `most` do not.

    Raises `ValueError` for an unknown policy or start, a share outside 0–1, or most outside 1–64.
    """
    most = integer("most", most, 1, MOST_WARPS, "warps")
    target = Fraction(str(number("share", share, 0, 1))) * roof(kernel)

    def enough(warps: int) -> bool:
        return simulate(kernel, warps, policy, start).throughput >= target

    # Little's law is right or nearly so: look just below and above it before halving what is left.
    low, high = 0, most
    guess = min(most, -(-roof(kernel) * kernel.alone // kernel.instructions))
    for warps in (guess, guess - 1, guess + 1):
        if low < warps < high:
            low, high = (low, warps) if enough(warps) else (warps, high)
    if high == most and not enough(high):
        return None
    while high - low > 1:
        middle = (low + high) // 2
        low, high = (low, middle) if enough(middle) else (middle, high)
    return high
