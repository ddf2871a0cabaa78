"""Chapter 7, predict: arithmetic has a Little's law of its own, and a few warps satisfy it."""

from occusite.book.parts.exercise import Blank, Numbers, Slip
from occusite.littles_law import arithmetic_warps

PIPELINE, SCHEDULERS = 4, 4
CHAIN = arithmetic_warps(PIPELINE)
PAIRS = arithmetic_warps(PIPELINE, independent=2)

exercise = Numbers(
    title="Arithmetic saturates early",
    chapter=7,
    kind="predict",
    prose=f"""An SM has {SCHEDULERS} schedulers, each issuing one instruction per cycle. A result can be used
        {PIPELINE} cycles after its instruction. A kernel does nothing but multiply-adds, each needing the one before.""",
    blanks=(
        Blank(
            "How many warps per *SM* keep the arithmetic busy?",
            CHAIN * SCHEDULERS,
            "warps",
            slips=(
                Slip(CHAIN, "That is enough for one scheduler. The SM has several."),
                Slip(48, "Those are all the slots of an Ada SM. Far fewer do: how long does each warp wait?"),
            ),
        ),
        Blank(
            "And if every thread runs two independent chains?",
            PAIRS * SCHEDULERS,
            "warps",
            slips=(
                Slip(CHAIN * SCHEDULERS, "Two chains give each warp something to issue while the other one waits."),
                Slip(PAIRS, "That is enough for one scheduler. The SM has several."),
            ),
        ),
    ),
    hints=("In flight per scheduler: issue rate × latency of the pipeline.",),
    because="""A kernel bound by arithmetic is busy at low occupancy, and more warps change nothing. One bound by memory
        feels each of them until its own knee.""",
)
