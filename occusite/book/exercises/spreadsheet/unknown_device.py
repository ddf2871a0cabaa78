"""Chapter 13, find the bug: a guess for an unknown device instead of an error."""

from occusite import nvidia
from occusite.book.parts.exercise import Code, Slip

KNOWN = ("7.5", "8.0", "8.6")
TABLE = "".join(f'    "{c}": {nvidia.device(c).warps_per_sm},\n' for c in KNOWN)
ADA = nvidia.device("8.9")
GUESS = 64

STARTER = f'''\
# Warp slots per SM, as far as the old sheet knew them.
WARP_SLOTS = {{
{TABLE}}}


def occupancy(chip, warps):
    """Resident warps divided by the warp slots of `chip`, a compute capability."""
    slots = WARP_SLOTS.get(chip, 64)
    return warps / slots
'''
SOLUTION = STARTER.replace(
    "    slots = WARP_SLOTS.get(chip, 64)\n    return warps / slots\n",
    "    if chip not in WARP_SLOTS:\n"
    "        raise ValueError(f\"chip: {chip!r} is not known; give one of {', '.join(WARP_SLOTS)}\")\n"
    "    return warps / WARP_SLOTS[chip]\n",
)


def expected(chip: str, warps: int) -> float:
    if chip not in KNOWN:
        raise ValueError(f"chip: {chip!r} is not known")
    return warps / nvidia.device(chip).warps_per_sm


exercise = Code(
    title="Better no answer than a guess",
    chapter=13,
    kind="bug",
    prose=f"""The old sheet ends with compute capability `8.6`. For a newer chip this calculator takes {GUESS} slots and
        hopes; an Ada SM has {ADA.warps_per_sm}, so a full one comes out as {100 * ADA.warps_per_sm / GUESS:.0f} %. Nobody
        notices.

        Let an unknown chip raise a `ValueError`, with a text that says what was given and what is allowed.""",
    function="occupancy",
    starter=STARTER,
    solution=SOLUTION,
    cases=[
        *({"chip": c, "warps": w} for c in (*KNOWN, "8.9", "9.0", "12.0", "", "ada") for w in (8, 24, 32)),
    ],
    expected=expected,
    slips=(
        Slip(STARTER, "An unknown chip still gets a number, and the number looks like any other."),
        Slip(
            STARTER.replace("WARP_SLOTS.get(chip, 64)", "WARP_SLOTS[chip]"),
            "Now it stops, which is better than a guess. But a `KeyError` shows the reader no way out: raise a"
            " `ValueError` that lists what is known.",
        ),
        Slip(
            STARTER.replace(
                "    slots = WARP_SLOTS.get(chip, 64)\n",
                "    slots = WARP_SLOTS.get(chip)\n    if slots is None:\n        return None\n",
            ),
            "`None` travels on, into the next table or chart, and fails far from its cause. Raise the error here.",
        ),
        Slip(
            STARTER.replace("WARP_SLOTS.get(chip, 64)", "WARP_SLOTS.get(chip, 48)"),
            "Another guess: right for the chip you thought of, wrong for the next.",
        ),
    ),
    hints=("What does the second argument of `get` do?", '`raise ValueError(f"…{chip!r}…")` before the division.'),
    because="`occusite` refuses unknown names and lists near ones; the tests hold each known chip to the vendor’s header.",
)
