"""Chapter 10, write the function: registers per kernel, out of a build log."""

from occusite import reports
from occusite.book.parts.exercise import Code, Slip, log

HEAD = '''\
import re


def registers_of(log):
    """A dict from each kernel's name in the log to its registers per thread."""
'''
BODY = """\
    found, name = {}, None
    for line in log.splitlines():
        if match := re.search(r"entry function '(\\w+)'", line):
            name = match[1]
        if match := re.search(r"Used (\\d+) registers", line):
            found[name] = int(match[1])
    return found
"""


def entry(name: str, registers: int, smem: int = 0, spills: int = 0) -> str:
    shared = f", {smem} bytes smem" if smem else ""
    return (
        f"ptxas info    : Compiling entry function '{name}' for 'sm_90'\n"
        f"ptxas info    : Function properties for {name}\n"
        f"    {spills} bytes stack frame, {spills} bytes spill stores, {spills} bytes spill loads\n"
        f"ptxas info    : Used {registers} registers, used 1 barriers{shared}\n"
    )


START = "ptxas info    : 0 bytes gmem\n"
LOGS = (
    START + entry("saxpy", 12),
    START + entry("saxpy", 12) + entry("_Z5sgemmPf", 128, 16_384, 40),
    START
    + "[2/5] Building CUDA object nbody.cu.o\n"
    + entry("scan", 9, 512)
    + entry("_Z5nbodyv", 56, 2048)
    + entry("sort8", 255, 0, 312),
)


def expected(log: str) -> dict[str, int | None]:
    return {kernel.kernel: kernel.registers for kernel in reports.read(log)}


exercise = Code(
    title="Read a log yourself",
    chapter=10,
    kind="write",
    prose=f"""`nvcc -Xptxas -v` prints a few lines for each kernel, such as these:{log(entry("saxpy", 12))}Write `registers_of`, which takes the whole log as text and gives a dict from the names of the kernels to their
        registers, as whole numbers. Other tools print into the same log; pass over their lines.""",
    function="registers_of",
    starter=HEAD + "    ...\n",
    solution=HEAD + BODY,
    cases=[{"log": text} for text in LOGS],
    expected=expected,
    slips=(
        Slip(HEAD + BODY.replace("int(match[1])", "match[1]"), "These are texts. Numbers are wanted: `int(…)`."),
        Slip(
            HEAD
            + BODY.replace("            found[name] = int(match[1])\n", "            return {name: int(match[1])}\n"),
            "The function stops at the first kernel. A log holds many.",
        ),
        Slip(
            HEAD + BODY.replace(r"Used (\d+) registers", r"(\d+) bytes spill stores"),
            "Those are bytes of spills, on the line above the one with the registers.",
        ),
        Slip(
            HEAD + BODY.replace(r"Used (\d+) registers", r"Used (\d\d) registers"),
            "Register counts have one to three digits.",
        ),
    ),
    hints=(
        "Two lines matter: the one with the name, and the one that begins with “Used”. Remember the name between them.",
        "`re.search` with a group in parentheses finds a part of a line.",
    ),
    because="Real logs are wilder: many versions, architectures and interleaved builds. `occusite.reports` reads them.",
)
