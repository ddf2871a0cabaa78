"""`occusite warp-groups`: whether warp groups' register counts fit the block's pool (`setmaxnreg`)."""

from __future__ import annotations

import re
from typing import Annotated

from occusite.cli import options
from occusite.cli.output import percent, show, show_json
from occusite.cli.parser import Argument, Exit, option
from occusite.model.terms import counted


def warp_groups(
    counts: Annotated[
        list[str],
        Argument("COUNTS...", "Registers per thread of each warp group: 24/240/240.", True, "counts like 24/240/240"),
    ],
    device: options.Device = None,
    registers: Annotated[
        str | None,
        option("--registers", "-r", metavar="N", help="Registers per thread the kernel is compiled for, such as 168."),
    ] = None,
    json: options.Json = False,
) -> None:
    """Whether register counts of warp groups fit (setmaxnreg).

    Exits with 1 when they do not, since such a kernel waits for ever, and when the launch itself cannot run.
    """
    from occusite import nvidia
    from occusite.model.fields import whole
    from occusite.nvidia.warp_groups import warp_groups as asked

    gpu = options.question(device, None, {}, False)[0]
    if not isinstance(gpu, nvidia.Device):
        raise ValueError(f"device: {gpu.name!r} is not allowed; setmaxnreg is NVIDIA's, from compute capability 9.0 on")
    if registers is None:
        raise ValueError("registers: missing; give --registers, what the kernel is compiled for, such as 168")
    groups = [whole("groups", word, "registers") for text in counts for word in re.split(r"[/,]", text)]
    found = asked(gpu, nvidia.Launch(1, whole("registers", registers, "registers")), groups)
    answer = gpu.occupancy(found.launch)
    if json:
        made = {**found._asdict(), "launch": {"threads": found.launch.threads, "registers": found.launched}}
        show_json({"device": gpu.name, **made, "blocks": answer.blocks, "warps": answer.warps})
    else:
        threads = found.launch.threads // len(found.groups)
        end = f"fits, {counted(found.spare, 'registers')} per thread left for one group"
        short = f"does not fit: {counted(-found.spare, 'registers')} per thread too many, so a group waits for ever"
        share = percent(answer.warps, answer.slots)
        runs = f"{counted(answer.blocks, 'blocks')}, {share}, by the registers of the launch"
        show(
            f"device: {gpu.name}",
            f"pool:   {found.pool:,} registers: {counted(len(found.groups), 'groups')} × {threads} threads × {found.launched}",
            f"wanted: {found.wanted:,} registers: {threads} × ({' + '.join(map(str, found.groups))})",
            f"answer: {end if found.fits else short}",
            f"per SM: {runs if answer.runs else f'cannot run: {answer.reason}'}",
        )
    if not found.fits or not answer.runs:
        raise Exit(1)
