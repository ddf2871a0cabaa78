"""Chapter 7, choose: concurrency from warps or from inside the warp, with the registers each leaves."""

from occusite import nvidia
from occusite.book.content.scheduling import MEMORIES, SCHEDULERS, knees_of, share
from occusite.book.parts.exercise import Choose, Option

NAME = "H100 SXM"
GPU = NAME.split()[0]
MEMORY, NEED = MEMORIES[NAME], knees_of(NAME)
DEVICE = nvidia.device("9.0")
AT_ONE = NEED[1]
THREADS = 256
# Independent loads in each warp, registers per thread.
KERNELS = ((1, 32), (2, 40), (2, 64), (4, 168))


def option(kernel: tuple[int, int]) -> Option:
    loads, registers = kernel
    warps = DEVICE.occupancy(nvidia.Launch(THREADS, registers)).warps
    got = share(MEMORY.latency, MEMORY.interval, loads, warps // SCHEDULERS)
    flying = "one load" if loads == 1 else f"{loads} independent loads"
    label = f"{flying} in flight per warp, {registers} registers per thread"
    sentence = f"{registers} registers leave {warps} warps resident; with {flying} each, {NEED[loads]} are wanted."
    full = got >= 100
    ends = f"saturated, at {100 * warps // DEVICE.warps_per_sm} % occupancy" if full else f"at {got:.0f} % of its speed"
    return Option(label, f"{sentence} The memory is {ends}.", full)


exercise = Choose(
    title="From warps, or from inside the warp?",
    chapter=7,
    kind="choose",
    prose=f"""Four versions of a kernel that streams through the memory of an {GPU}, in blocks of {THREADS} threads. The
        memory wants {AT_ONE} warps per SM at one load in flight each; there are {DEVICE.warps_per_sm} slots. Which
        version saturates it?""",
    options=tuple(option(k) for k in KERNELS),
    hints=(
        "Two numbers for each: warps that are resident, from the registers; warps that are wanted, from the loads.",
        "More loads in flight need fewer warps, but the registers decide whether even those are there.",
    ),
    because="Concurrency is warps × loads in flight per warp. A version with too many registers for either loses both.",
)
