"""Chapter 9, predict: what a few spilled bytes per thread come to, on a whole SM."""

from occusite import nvidia
from occusite.book.parts.exercise import Blank, Numbers, Slip

KIB = 1024
ADA = nvidia.device("8.9")
THREADS, SPILLED = 256, 96
BEFORE, AFTER = 64, 48
FOUND = {r: ADA.occupancy(nvidia.Launch(THREADS, r)) for r in (BEFORE, AFTER)}
RESIDENT = FOUND[AFTER].blocks * THREADS

exercise = Numbers(
    title="Where spilled registers live",
    chapter=9,
    kind="predict",
    prose=f"""A kernel in blocks of {THREADS} threads is capped at {AFTER} registers instead of {BEFORE}, for
        {FOUND[AFTER].warps} resident warps instead of {FOUND[BEFORE].warps}. The compiler now spills {SPILLED} bytes
        per thread.""",
    blanks=(
        Blank(
            "How many KiB of spilled data do the resident threads of an SM keep?",
            RESIDENT * SPILLED / KIB,
            "KiB",
            tolerance=0.5,
            slips=(
                Slip(THREADS * SPILLED / KIB, "That is one block. How many are resident?"),
                Slip(SPILLED, "That is what one thread spills, in bytes. How many threads are resident?"),
                Slip(
                    FOUND[AFTER].warps * SPILLED / KIB,
                    "You counted warps. Each of their threads spills for itself.",
                ),
            ),
        ),
    ),
    hints=("Blocks × threads per block × bytes per thread.",),
    because="""Spilled registers live in local memory, behind the same L1 cache that the kernel’s own data wants. What does
        not fit there goes to L2 and back, at each use: the warps that were gained then wait for traffic that they
        themselves made.""",
)
