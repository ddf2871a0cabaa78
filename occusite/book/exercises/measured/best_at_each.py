"""Measured, write the function: the best speed at each occupancy, the line of the picture."""

from occusite.book.content.measured import configs, tuned
from occusite.book.parts.exercise import Code, Slip

HEAD = '''\
def best_at_each(runs):
    """The best speed at each number of warps, in percent of the fastest run, rounded.

    runs: a list of (resident warps, time in microseconds). Gives a dict from warps to percent.
    """
'''
BODY = """\
    fastest = min(time for _, time in runs)
    best = {}
    for warps, time in runs:
        speed = round(100 * fastest / time)
        best[warps] = max(best.get(warps, 0), speed)
    return best
"""


def expected(runs: list[tuple[int, float]]) -> dict[int, int]:
    fastest = min(time for _, time in runs)
    return {
        warps: round(100 * fastest / min(time for held, time in runs if held == warps))
        for warps in {w for w, _ in runs}
    }


def runs(gpu: str, step: int) -> list[tuple[int, float]]:
    """Some of the measured runs: every `step`-th."""
    return [(config.warps, config.time) for config in configs("convolution", gpu)[::step]]


exercise = Code(
    title="The line of the best",
    chapter=7,
    kind="write",
    prose="""Write the function that makes the upper line of the picture: for each number of resident warps, the speed of
        the fastest run there, in whole percent of the fastest of *all* runs. It is tried on runs of the convolution.""",
    function="best_at_each",
    starter=HEAD + "    ...\n",
    solution=HEAD + BODY,
    cases=[
        {"runs": [(8, 40.0), (8, 20.0), (16, 10.0)]},
        *({"runs": runs(gpu, step)} for gpu in tuned() for step in (97, 41)),
    ],
    expected=expected,
    slips=(
        Slip(
            HEAD + BODY.replace("100 * fastest / time", "100 * time / fastest"),
            "Those percentages pass a hundred: you divided a time by the shortest. A speed is the other way up.",
        ),
        Slip(
            HEAD + BODY.replace("max(best.get(warps, 0), speed)", "speed"),
            "You kept the last run at each occupancy. Keep the fastest.",
        ),
        Slip(
            HEAD + BODY.replace("max(best.get(warps, 0), speed)", "min(best.get(warps, 100), speed)"),
            "That is the line of the slowest: the floor, not the roof.",
        ),
    ),
    hints=(
        "Find the shortest time of all first; every speed is measured against it.",
        "A dict’s `get` with a second argument gives a value to start from.",
    ),
    because="The line of the best is what a tuner can reach with so many warps. Where it is flat, more of them buy nothing.",
)
