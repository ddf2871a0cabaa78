"""The options that commands share: the device, and one for each field of a launch, made from its `FIELDS`."""

from __future__ import annotations

import functools
import inspect
from collections.abc import Callable
from typing import Annotated, Any

import typer

from occusite.cli import asked
from occusite.model import Device as AnyDevice
from occusite.model import Field

_SHORT = {"threads": "-t", "registers": "-r", "dynamic_shared": "-s"}
_METAVAR = {"count": "N", "bytes": "BYTES", "percent": "PERCENT"}


def _complete_device(begun: str) -> list[str]:
    from occusite.cli.devices import names

    # Shells break words at spaces, and what was typed must stay as it is: the look-up forgives hyphens and case.
    offered = [name.replace(" ", "-") for name in names()]
    return [begun + name[len(begun) :] for name in offered if name.lower().startswith(begun.lower())]


def _option(*names: str, **settings: Any) -> Any:
    return typer.Option(*names, show_default=False, **settings)


Device = Annotated[
    str | None,
    _option(
        "--device",
        "-d",
        metavar="NAME",
        help='The GPU: "rtx 4090", "MI300X", "sm_90a", "gfx942", "8.9", "paper", or a TOML file of your own.',
        autocompletion=_complete_device,
    ),
]
Rules = Annotated[
    str | None,
    _option(
        "--rules",
        metavar="NAME",
        help="The rule set to follow: for NVIDIA the CUDA version of its cuda_occupancy.h, for AMD hardware, hip, llvm-22 or "
        "llvm-24.  [default: the newest known, hardware]",
    ),
]
Json = Annotated[bool, _option("--json", help="Print JSON.")]


def field_option(field: Field) -> Any:
    """The option of one field; its value is text, which the field itself reads."""
    flag = f"--{field.name.replace('_', '-')}"
    since = f" From {field.since} on." if field.since else ""
    default = None if field.default is ... else field.default
    if isinstance(default, bool):
        default = "yes" if default else "no"
    shown = f"  [default: {default}]" if default is not None else ""
    text = f"{field.help}{since}{shown}"
    if field.kind == "flag":
        return Annotated[bool | None, _option(f"{flag}/--no-{flag[2:]}", help=text)]
    names = [flag, *([_SHORT[field.name]] if field.name in _SHORT else [])]
    metavar = "|".join(field.choices) if field.choices else _METAVAR[field.kind]
    return Annotated[str | None, _option(*names, metavar=metavar, help=text)]


def with_launch(command: Callable[..., None]) -> Callable[..., None]:
    """`command` with an option for each field of any launch; it is called with those that were set, as `fields`."""
    signature = inspect.signature(command, eval_str=True)
    own = list(signature.parameters.values())
    at = next(i for i, p in enumerate(own) if p.name == "fields")
    names = [field.name for field in asked.launch_fields()]
    made = [
        inspect.Parameter(f.name, inspect.Parameter.KEYWORD_ONLY, default=None, annotation=field_option(f))
        for f in asked.launch_fields()
    ]
    parameters = [p.replace(kind=inspect.Parameter.KEYWORD_ONLY) for p in (*own[:at], *made, *own[at + 1 :])]

    @functools.wraps(command)
    def wrapped(**options: Any) -> None:
        fields = {name: value for name in names if (value := options.pop(name)) is not None}
        command(**options, fields=fields)

    del wrapped.__wrapped__
    wrapped.__signature__ = signature.replace(parameters=parameters)  # type: ignore[attr-defined]
    wrapped.__annotations__ = {p.name: p.annotation for p in parameters}
    return wrapped


def device(name: str | None, rules: str | None = None) -> AnyDevice:
    """The GPU of `--device`, by `--rules`. Raises `ValueError` when it is missing or unknown."""
    if name is None:
        raise ValueError('device: missing; give --device, like "rtx 4090" or 8.9')
    return asked.device(name, rules)


def launch(device: AnyDevice, fields: dict[str, Any]) -> Any:
    """The launch on `device` that options describe. Raises `ValueError` naming the field, and the missing options."""
    from occusite.model.fields import REQUIRED, build

    missing = [f"--{f.name}" for f in device.launch_type.FIELDS if f.default is REQUIRED and f.name not in fields]
    if missing:
        names = ", ".join(option[2:] for option in missing)
        raise ValueError(f"{names}: missing; give {' and '.join(missing)}")
    return build(device.launch_type, fields)
