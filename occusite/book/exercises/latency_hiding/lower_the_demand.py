"""Chapter 1, choose: which change lets a loop do with the warps it has."""

from occusite.book.content.scheduling import SCHEDULERS
from occusite.book.parts.exercise import Choose, Option
from occusite.scheduler import Kernel, simulate, warps_to_saturate

WARPS = 6
NOW = Kernel(loads=1, arithmetic=30, latency=450)
DRY = round(100 * simulate(NOW, WARPS).idle)
CHANGES = {
    f"Make room for {WARPS + 1} warps on each scheduler instead of {WARPS}": (NOW, WARPS + 1),
    "Issue two loads before the first is needed, with twice the arithmetic after them": (Kernel(2, 60, 450), WARPS),
    "Keep half of the data where a load takes half the time, so that every other pass waits less": (None, WARPS),
    "Issue three loads before the first is needed, with three times the arithmetic after them": (
        Kernel(3, 90, 450),
        WARPS,
    ),
}


def mixed() -> float:
    """Warps that a loop asks for whose passes wait the whole latency and half of it in turn."""
    halved = Kernel(NOW.loads, NOW.arithmetic, NOW.latency // 2)
    return (NOW.alone + halved.alone) / (2 * NOW.instructions)


def option(label: str) -> Option:
    kernel, warps = CHANGES[label]
    if kernel is None:
        said = f"On average a pass then asks for {mixed():.1f} warps, still more than {warps}."
        return Option(label, said, False)
    idle = simulate(kernel, warps).idle
    sentence = f"A loop like this asks for {warps_to_saturate(kernel)} warps, and {warps} are there"
    if idle:
        said = f"{sentence}: nothing to issue in {100 * float(idle):.0f} % of the cycles."
    else:
        said = f"{sentence}: it never runs dry. No warp was added, each does more while it waits."
    return Option(label, said, not idle)


exercise = Choose(
    title="Lower the demand",
    chapter=1,
    kind="choose",
    prose=f"""Each of an SM’s {SCHEDULERS} schedulers has {WARPS} warps of this loop: one load that takes {NOW.latency}
        cycles, then {NOW.arithmetic} instructions that need it. In {DRY} % of the
        cycles there is nothing to issue. Which change ends that?""",
    options=tuple(option(label) for label in CHANGES),
    hints=(
        "Cycles of one pass alone ÷ instructions in it: work it out for each change.",
        "Two independent loads share one wait.",
    ),
    because="""Supply is only one side. The demand falls when a pass holds more instructions for the same wait, and
        independent loads do just that.""",
)
