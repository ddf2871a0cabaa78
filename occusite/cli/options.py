"""The options that commands share: the device and a launch's fields, named as in `nvidia.Launch`."""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING, Annotated, Any

import typer

if TYPE_CHECKING:
    from occusite import nvidia

_SIZES = ("static_shared", "dynamic_shared", "max_dynamic_shared")
_CACHING = {"off": False, "on": True, "strict": "strict"}


def _complete_device(begun: str) -> list[str]:
    from occusite.cli.devices import names

    # Shells break words at spaces, and what was typed must stay as it is: the look-up forgives hyphens and case.
    offered = [name.replace(" ", "-") for name in names()]
    return [begun + name[len(begun) :] for name in offered if name.lower().startswith(begun.lower())]


def _option(*names: str, **settings: Any) -> Any:
    return typer.Option(*names, show_default=settings.pop("show_default", False), **settings)


Device = Annotated[
    str | None,
    _option(
        "--device",
        "-d",
        metavar="NAME",
        help='The GPU: "rtx 4090", "H100 SXM", "sm_90a", "8.9", or a TOML file of your own.',
        autocompletion=_complete_device,
    ),
]
Threads = Annotated[int | None, _option("--threads", "-t", metavar="N", help="Threads per block.")]
Registers = Annotated[
    int | None, _option("--registers", "-r", metavar="N", help="Registers per thread, as the compiler reports them.")
]
StaticShared = Annotated[
    str | None,
    _option(
        "--static-shared", metavar="BYTES", help="Static shared memory per block; 48KiB is understood.  [default: 0]"
    ),
]
DynamicShared = Annotated[
    str | None,
    _option("--dynamic-shared", "-s", metavar="BYTES", help="Dynamic shared memory per block.  [default: 0]"),
]
MaxDynamicShared = Annotated[
    str | None,
    _option(
        "--max-dynamic-shared",
        metavar="BYTES",
        help="The kernel's own cap on dynamic shared memory.  [default: all the device lets a block have]",
    ),
]
OptIn = Annotated[
    bool,
    _option(
        "--opt-in/--no-opt-in", help="Whether the kernel may go beyond 48 KiB a block (CC 7.0 on).  [default: yes]"
    ),
]
Carveout = Annotated[
    int | None,
    _option(
        "--carveout", metavar="PERCENT", help="Preferred shared memory, 0–100 (CC 7.0 on).  [default: the driver's]"
    ),
]
Barriers = Annotated[
    int, _option("--barriers", metavar="N", help="Block barriers (limits from CC 9.0 on).", show_default=True)
]
PartitionedCaching = Annotated[
    str, _option("--partitioned-caching", metavar="off|on|strict", help="CC 5.2 to 6.2.", show_default=True)
]
Cluster = Annotated[int, _option("--cluster", metavar="N", help="Blocks per cluster (CC 9.0 on).", show_default=True)]
Header = Annotated[
    str | None,
    _option(
        "--header", metavar="VERSION", help="Follow cuda_occupancy.h of this CUDA version.  [default: the newest known]"
    ),
]
Json = Annotated[bool, _option("--json", help="Print JSON.")]


def device(name: str | None, header: str | None = None) -> nvidia.Device:
    """The GPU of `--device`, by the rules of `--header`. Raises `ValueError` when it is missing or unknown."""
    from occusite.cli import launches

    if name is None:
        raise ValueError('device: missing; give --device, like "rtx 4090" or 8.9')
    found = launches.device(name)
    return found if header is None else replace(found, header=header)


def launch(context: typer.Context, **known: Any) -> nvidia.Launch:
    """The launch that a command's options describe; `known` wins. Raises `ValueError` naming the field."""
    from occusite import nvidia
    from occusite.cli import launches

    fields: dict[str, Any] = {}
    for name, value in context.params.items():
        if name not in nvidia.Launch.__dataclass_fields__ or value is None:
            continue
        fields[name] = launches.size(name, value) if name in _SIZES else value
    caching = fields.get("partitioned_caching", "off")
    if caching not in _CACHING:
        raise ValueError(f"partitioned_caching: {caching!r} is not allowed; give one of {', '.join(_CACHING)}")
    fields["partitioned_caching"] = _CACHING[caching]
    fields.update(known)
    for name in launches.REQUIRED:
        if name not in fields:
            raise ValueError(f"{name}: missing; give --{name}")
    return launches.launch(fields)
