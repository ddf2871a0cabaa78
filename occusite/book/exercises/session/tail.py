"""Chapter 12, write the function: waves, and how full the last one is."""

from occusite import nvidia
from occusite.book.parts.exercise import Code, Slip, cases
from occusite.questions.grid import waves as waves_of

HEAD = '''\
def efficiency(grid, per_sm, sms):
    """The share of all waves' places that a grid of `grid` blocks uses."""
'''
BODY = """\
    per_wave = per_sm * sms
    waves = (grid + per_wave - 1) // per_wave
    return grid / (waves * per_wave)
"""
# Registers with which 1 to 6 blocks of 256 threads fit an Ada SM.
REGISTERS = {1: 255, 2: 128, 3: 80, 4: 64, 5: 48, 6: 40}


def expected(grid: int, per_sm: int, sms: int) -> float:
    gpu = nvidia.Device("8.9", sm_count=sms, threads_per_sm=1536)
    return float(waves_of(gpu.occupancy(nvidia.Launch(256, REGISTERS[per_sm])), grid).efficiency)


exercise = Code(
    title="The tail of a grid",
    chapter=12,
    kind="write",
    prose="""Blocks run in waves: as many as fit on all SMs together, then the next ones. If each block takes the same
        time, the last wave is as long as the others, however few blocks it has. Write `efficiency`: the blocks of the
        grid, divided by the places in all the waves it takes.""",
    function="efficiency",
    starter=HEAD + "    ...\n",
    solution=HEAD + BODY,
    cases=[
        {"grid": 769, "per_sm": 6, "sms": 128},
        *cases(grid=(1, 95, 128, 129, 768, 1000, 1536, 100_000), per_sm=(1, 2, 3, 6), sms=(20, 82, 128)),
    ],
    expected=expected,
    slips=(
        Slip(
            HEAD + BODY.replace("(grid + per_wave - 1) // per_wave", "max(1, grid // per_wave)"),
            "The last, partial wave is missing: it takes its time like a full one. Round up.",
        ),
        Slip(
            HEAD + BODY.replace("(grid + per_wave - 1) // per_wave", "grid / per_wave"),
            "With a fraction of a wave nothing is ever lost. Waves come whole.",
        ),
        Slip(
            HEAD + BODY.replace("(grid + per_wave - 1) // per_wave", "grid // per_wave + 1"),
            "One wave too many when the grid fills its waves exactly.",
        ),
        Slip(
            HEAD + BODY.replace("per_sm * sms", "sms"),
            "An SM holds several blocks at once; a wave has room for all of them.",
        ),
        Slip(
            HEAD + BODY.replace("return grid / (waves * per_wave)", "return grid % per_wave / per_wave"),
            "That is how full the last wave is. The waves before it count as well.",
        ),
    ),
    hints=("How many places has one wave?", "How many waves are there? Round up, then count all their places."),
    because="One block more than a full wave may cost as much time as a whole wave: see the first launch that is tried.",
)
