"""Chapter 10, find the bug: static and dynamic shared memory confused, the opt-in forgotten."""

from occusite import nvidia
from occusite.book.parts.exercise import Code, Slip, cases

KIB = 1024
ADA = nvidia.device("8.9")
STATIC, DYNAMIC = 20, 40

STARTER = '''\
def launches(static, dynamic, opted_in):
    """Whether a block with so many bytes of shared memory launches on Ada.

    `opted_in`: cudaFuncSetAttribute has raised the kernel's limit.
    """
    return static <= 48 * 1024 and dynamic <= 99 * 1024
'''
SOLUTION = STARTER.replace(
    "    return static <= 48 * 1024 and dynamic <= 99 * 1024\n",
    "    limit = 99 * 1024 if opted_in else 48 * 1024\n    return static + dynamic <= limit\n",
)


def expected(static: int, dynamic: int, opted_in: bool) -> bool:
    return ADA.occupancy(nvidia.Launch(128, 32, static, dynamic, opt_in=opted_in)).runs


exercise = Code(
    title="Static, dynamic, and the door between",
    chapter=10,
    kind="bug",
    prose=f"""The log of a kernel shows {STATIC} KiB of static shared memory; the launch adds {DYNAMIC} KiB of dynamic.
        This check lets it pass, and the driver refuses it. Both kinds come out of *one* limit:
        {ADA.shared_memory_per_block // KIB} KiB per block, or {ADA.shared_memory_per_block_opt_in // KIB} KiB once the
        kernel has opted in.""",
    function="launches",
    starter=STARTER,
    solution=SOLUTION,
    cases=[
        {"static": STATIC * KIB, "dynamic": DYNAMIC * KIB, "opted_in": False},
        *cases(
            static=[k * KIB for k in (0, 1, 20, 47, 48)],
            dynamic=[k * KIB for k in (0, 1, 28, 40, 48, 51, 52, 79, 80, 99, 100)],
            opted_in=(False, True),
        ),
    ],
    expected=expected,
    slips=(
        Slip(STARTER, "Each kind is compared with a limit of its own. A block has one limit, for the sum."),
        Slip(
            SOLUTION.replace("99 * 1024 if opted_in else 48 * 1024", "99 * 1024"),
            "The sum is right. Without the opt-in, the smaller limit holds.",
        ),
        Slip(
            SOLUTION.replace("99 * 1024 if opted_in else 48 * 1024", "48 * 1024"),
            "The sum is right. A kernel that has opted in may use more.",
        ),
        Slip(
            SOLUTION.replace("static + dynamic <= limit", "dynamic <= limit"),
            "What the compiler reports counts as well: the static part is missing.",
        ),
    ),
    hints=("Add before you compare.", "Which limit holds depends on `opted_in`."),
    because="The opt-in is one call per kernel, and forgetting it is an error at launch, not a slower kernel.",
)
