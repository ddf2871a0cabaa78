"""`occusite stack`: device memory that the driver reserves for stacks."""

from __future__ import annotations

from typing import Annotated

from occusite.cli import options
from occusite.cli.output import show, show_json
from occusite.cli.parser import option


def stack(
    device: options.Device = None,
    per_thread: Annotated[
        str | None,
        option(
            *("--bytes", "-b"),
            metavar="BYTES",
            help="Stack and spills per thread, as the compiler reports them.  [default: 1024, a context's own]",
        ),
    ] = None,
    json: options.Json = False,
) -> None:
    """Device memory reserved for stacks: stack × threads × SMs."""
    from occusite import nvidia
    from occusite.model.fields import size
    from occusite.nvidia.stack import DEFAULT, stack_memory

    gpu = options.question(device, None, {}, False)[0]
    if not isinstance(gpu, nvidia.Device):
        raise ValueError(f"device: {gpu.name!r} is not allowed; give an NVIDIA GPU, whose rule for stacks is known")
    found = stack_memory(gpu, DEFAULT if per_thread is None else size("bytes", per_thread))
    if json:
        show_json({"device": gpu.name, **found._asdict()})
        return
    show(
        f"device:   {gpu.name}",
        f"reserved: at least {found.at_least:,} bytes ({found.at_least / 2**20:,.4g} MiB)",
        f"          {found.per_thread:,} bytes × {found.threads:,} threads × {found.sms:,} SMs, whether they run or not;",
        "          the driver rounds each stack up and adds some hundred bytes",
    )
