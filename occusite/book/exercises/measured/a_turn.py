"""Measured, calculate: how long a thread's turn takes, and what the law then asks for."""

import math

from occusite.book.content.measured import COUNTED, WARP, curve
from occusite.book.parts.exercise import Blank, Numbers, Slip
from occusite.book.parts.html import Table

GPU = "V100"
MEASURED = curve(GPU)
POINT = MEASURED.points[1]
BYTES = COUNTED["read"]
FLYING = MEASURED.flying(POINT.warps)
TURN = FLYING / POINT.rate
NEED = math.ceil(MEASURED.best * TURN / MEASURED.flying(1))
THERE = min(MEASURED.points, key=lambda point: abs(point.warps - NEED))

exercise = Numbers(
    title="From a bandwidth to a turn",
    chapter=7,
    kind="calculate",
    prose=f"""A {GPU} has {MEASURED.sms} SMs. With {POINT.warps} resident warps on each, every thread reading {BYTES}
        bytes and then making room for the next, it moved {POINT.rate:.0f} GB/s. Its best, with more warps, was
        {MEASURED.best:.0f} GB/s.""",
    blanks=(
        Blank(
            "How many nanoseconds does a thread’s turn take?",
            TURN,
            "ns",
            tolerance=5,
            slips=(
                Slip(TURN / WARP, "Those are warps, not threads: each has many lanes, and each lane its own bytes."),
                Slip(TURN / BYTES, "Count bytes in flight, not loads: GB/s are bytes."),
                Slip(TURN / MEASURED.sms, "That is one SM’s bytes against the whole GPU’s bandwidth."),
            ),
        ),
        Blank(
            "By that slope, how many warps per SM does its best take?",
            NEED,
            "warps",
            slips=(
                Slip(NEED - 1, "Rounded down the supply falls just short. Round up."),
                Slip(
                    NEED // 2, "The bandwidth grows with the warps in proportion: by which factor is the best higher?"
                ),
            ),
        ),
    ),
    hints=(
        "Bytes in flight: SMs × warps × lanes × bytes. GB/s are bytes per nanosecond.",
        "For the second: the same slope, up to the best.",
    ),
    because=f"""The law then puts the knee at {100 * NEED / MEASURED.slots:.0f} % occupancy. Measured at {THERE.warps}
        warps: {THERE.rate:.0f} GB/s, {100 * THERE.rate / MEASURED.best:.0f} % of the best. The knee is round, and the
        law’s answer is “at least”.""",
    working=Table(
        ("what", "arithmetic", "comes to"),
        [
            ("in flight", f"{MEASURED.sms} × {POINT.warps} × {WARP} × {BYTES}", f"{FLYING} bytes"),
            ("a turn", f"{FLYING} ÷ {POINT.rate:.0f}", f"{TURN:.0f} ns"),
            ("warps", f"⌈{POINT.warps} × {MEASURED.best:.0f} ÷ {POINT.rate:.0f}⌉", str(NEED)),
        ],
        "A turn, and the warps the law asks for",
    ),
)
