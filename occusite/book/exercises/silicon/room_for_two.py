"""Chapter 8, calculate: the most shared memory with which two blocks stay resident on an H100."""

from occusite import nvidia
from occusite.book.content.tables import working_table
from occusite.book.parts.exercise import Blank, Numbers, Slip

KIB = 1024
H100 = nvidia.device("9.0")
ROOM = H100.available_dynamic_shared(nvidia.Launch(128, 32), 2)
FOUND = H100.occupancy(nvidia.Launch(128, 32, dynamic_shared=ROOM))
assert FOUND.limits["shared_memory"].blocks == 2

exercise = Numbers(
    title="Room for two",
    chapter=8,
    kind="calculate",
    prose=f"""An H100 has {H100.shared_memory_per_sm // KIB} KiB of shared memory per SM, and a block may opt in to
        {H100.shared_memory_per_block_opt_in // KIB} KiB. You want two blocks resident, each with as much as possible.""",
    blanks=(
        Blank(
            "How many KiB may each block ask for?",
            ROOM / KIB,
            "KiB",
            slips=(
                Slip(
                    H100.shared_memory_per_sm / KIB / 2,
                    "Half the pool, and then neither block could pay its reserve: only one would fit.",
                ),
                Slip(
                    H100.shared_memory_per_block_opt_in / KIB / 2,
                    "That is half of what one block may have. It fits, but leaves some of the pool unused.",
                ),
                Slip(
                    ROOM / KIB - 1,
                    "You paid the reserve twice: once from the pool, once from each half.",
                ),
            ),
        ),
    ),
    hints=("Halve the pool of the SM first.", "Each half must hold the block’s own share *and* its reserve."),
    because=f"""Half of {H100.shared_memory_per_sm // KIB} KiB, less the {H100.reserved_shared_memory:,} bytes that each
        block leaves to the system.""",
    working=working_table(FOUND, "With that much, two blocks fit"),
)
