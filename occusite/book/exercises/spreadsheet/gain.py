"""Chapter 13, find the bug: a column of the sheet that divides by zero occupancy."""

from occusite import nvidia
from occusite.book.parts.exercise import Code, Slip

ADA = nvidia.device("8.9")
THREADS = 1024
BEFORE, AFTER = 72, 64
PAIRS = ((64, 32), (BEFORE, AFTER), (40, 64), (64, 80), (80, 96))

STARTER = '''\
def gain(before, after):
    """How many times as many warps are resident after a change, in words."""
    return f"{after / before:.2f} ×"
'''
SOLUTION = '''\
def gain(before, after):
    """How many times as many warps are resident after a change, in words."""
    if after == 0:
        return "cannot launch"
    if before == 0:
        return "launches now"
    return f"{after / before:.2f} ×"
'''


def warps(registers: int) -> int:
    return ADA.occupancy(nvidia.Launch(THREADS, registers)).warps


def expected(before: int, after: int) -> str:
    if not after:
        return "cannot launch"
    return f"{after / before:.2f} ×" if before else "launches now"


assert warps(BEFORE) == 0 < warps(AFTER)

exercise = Code(
    title="Divided by zero warps",
    chapter=13,
    kind="bug",
    prose=f"""A sheet has a column “gain”. A kernel in blocks of {THREADS:,} threads with {BEFORE} registers could not
        launch on Ada; at {AFTER} it can, and the column shows an error of its own.

        Let `gain` say `"launches now"` when there were no resident warps before, and `"cannot launch"` when there are
        none after the change, whatever was before.""",
    function="gain",
    starter=STARTER,
    solution=SOLUTION,
    cases=[
        {"before": warps(BEFORE), "after": warps(AFTER)},
        *({"before": warps(a), "after": warps(b)} for a, b in PAIRS),
        *({"before": b, "after": a} for b in (0, 8, 24, 48) for a in (0, 8, 32, 48)),
    ],
    expected=expected,
    slips=(
        Slip(
            STARTER, "Nothing resident before means a division by zero. It is no gain in speed, it is a launch at last."
        ),
        Slip(
            STARTER.replace("after / before", "after / max(before, 1)"),
            "That hides the zero behind a number that means nothing: as if one warp had been resident.",
        ),
        Slip(
            SOLUTION.replace('    if after == 0:\n        return "cannot launch"\n', ""),
            "Before is looked after. But a change can also make a kernel impossible: what if nothing is resident now?",
        ),
        Slip(
            SOLUTION.replace(
                '    if after == 0:\n        return "cannot launch"\n    if before == 0:\n        return "launches now"\n',
                '    if before == 0:\n        return "launches now"\n    if after == 0:\n        return "cannot launch"\n',
            ),
            "When neither version runs, nothing launches now: ask about *after* first.",
        ),
    ),
    hints=("Two questions come before the division.", "Which of them decides when both are zero?"),
    because="A launch that cannot run has no percentage, and so no ratio. The answer is a sentence.",
)
