"""Chapter 1, calculate: the same warps are another occupancy on another SM."""

from occusite import nvidia
from occusite.book.parts.exercise import Blank, Numbers, Slip

ADA, A100 = nvidia.device("8.9"), nvidia.device("8.0")
WARPS = 24
ON_ADA, ON_A100 = 100 * WARPS / ADA.warps_per_sm, 100 * WARPS / A100.warps_per_sm

exercise = Numbers(
    title="Per cent of what?",
    chapter=1,
    kind="calculate",
    prose=f"""{WARPS} warps of a kernel are resident on each SM. An RTX&nbsp;4090 has {ADA.warps_per_sm} warp slots per
        SM, an A100 has {A100.warps_per_sm}.""",
    blanks=(
        Blank(
            "What is the occupancy on the RTX&nbsp;4090?",
            ON_ADA,
            "%",
            tolerance=0.5,
            slips=(Slip(100 * WARPS / 32, "You divided by the threads of a warp. Divide by the warp slots."),),
        ),
        Blank(
            "And on the A100?",
            ON_A100,
            "%",
            tolerance=0.5,
            slips=(Slip(ON_ADA, "The same warps, but other slots: the percentage changes with the chip."),),
        ),
    ),
    hints=("Occupancy is resident warps ÷ warp slots.",),
    because="""The supply is the same, and so is what the scheduler has to choose from: a percentage compares a kernel
        with its own SM, not one GPU with another.""",
)
