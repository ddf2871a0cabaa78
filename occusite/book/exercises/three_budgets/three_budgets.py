"""Chapter 2, predict: the minimum over the three budgets of the paper SM."""

from occusite import paper
from occusite.book.content.tables import working_table
from occusite.book.parts.exercise import Blank, Numbers, Slip

KIB = paper.KIB
SM = paper.SM()
LAUNCH = paper.Launch(threads=128, registers=72, shared_memory=20 * KIB)
ANSWER = SM.occupancy(LAUNCH)
LIMITS = {name: limit.warps for name, limit in ANSWER.limits.items() if limit.warps is not None}

exercise = Numbers(
    title="Three divisions, one minimum",
    chapter=2,
    kind="predict",
    prose=f"""The paper SM stocks {SM.registers:,} registers, {SM.shared_memory // KIB} KiB of shared memory,
        {SM.warps} warp slots and {SM.blocks} block slots. A kernel runs {LAUNCH.threads} threads per block, takes
        {LAUNCH.registers} registers per thread and {LAUNCH.shared_memory // KIB} KiB per block.""",
    blanks=(
        Blank(
            "How many warps are resident?",
            ANSWER.warps,
            "warps",
            slips=(
                Slip(ANSWER.blocks, "That many *blocks* are resident. How many warps does each of them bring?"),
                Slip(SM.warps, "Those are the warp slots alone. Look at what else a block consumes."),
                Slip(
                    SM.registers // (LAUNCH.registers * paper.WARP),
                    "That is what the registers would hold if warps came one by one and no other budget asked for"
                    " its share. They come in whole blocks, and shared memory has a say.",
                ),
                Slip(
                    LIMITS["shared_memory"] + LIMITS["registers"],
                    "You added two budgets. A block needs all of them at once, so the scarcest decides.",
                ),
            ),
        ),
    ),
    hints=(
        "Divide each stock by what one block takes of it, and drop the remainder.",
        "The smallest of the quotients is the number of resident blocks; each block has "
        f"{LAUNCH.threads} ÷ {paper.WARP} warps.",
    ),
    because=f"""The quotients are the blocks each budget allows; the smallest, {ANSWER.blocks}, is what fits, and
        {ANSWER.blocks} blocks of {LAUNCH.warps} warps are {ANSWER.warps} warps. What binds: {ANSWER.limiter}.""",
    working=working_table(ANSWER, "Each budget’s division"),
)
