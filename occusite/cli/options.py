"""The options that commands share: the device, and one for each field of a launch, made from its `FIELDS`."""

from __future__ import annotations

import functools
import inspect
from collections.abc import Callable
from typing import Annotated, Any

from occusite.cli import asked
from occusite.cli.parser import option
from occusite.model import Device as AnyDevice
from occusite.model import Field
from occusite.model.terms import joined

_SHORT = {"threads": "-t", "registers": "-r", "dynamic_shared": "-s"}
_METAVAR = {"count": "N", "bytes": "BYTES", "percent": "PERCENT"}


def complete_device(begun: str) -> list[str]:
    """Names of devices that go on from what was typed; words a name can lack may be left out: "rtx-40", "4090"."""
    from occusite.cli.devices import names
    from occusite.devices import find

    # Shells break words at spaces, and what was typed must stay as it is: the look-up forgives hyphens and case.
    offered: dict[str, None] = {}
    for name in names():
        words = name.split()
        for start in range(len(words)):
            form = "-".join(words[start:])
            if form.lower().startswith(begun.lower()) and (begun or not start) and (not start or _is(find, form, name)):
                offered[begun + form[len(begun) :]] = None
                break
    return list(offered)


def _is(find: Callable[[str], AnyDevice], form: str, name: str) -> bool:
    """Whether the shorter form names the very device."""
    try:
        return find(form).name == name
    except ValueError:
        return False


Device = Annotated[
    str | None,
    option(
        "--device",
        "-d",
        metavar="NAME",
        help='The GPU: "rtx 4090", "MI300X", "sm_90a", "gfx942", "8.9", "paper", or a TOML file of your own.',
        complete=complete_device,
    ),
]
Rules = Annotated[
    str | None,
    option(
        "--rules",
        metavar="NAME",
        help="The rule set to follow: for NVIDIA the CUDA version of its cuda_occupancy.h, for AMD hardware, hip, llvm-22 or "
        "llvm-24.  [default: the newest known, hardware]",
    ),
]
Json = Annotated[bool, option("--json", help="Print JSON.")]


def field_option(field: Field) -> Any:
    """The option of one field; its value is text, which the field itself reads."""
    flag = f"--{field.name.replace('_', '-')}"
    since = f" From {field.since} on." if field.since else ""
    default = None if field.default is ... else field.default
    if isinstance(default, bool):
        default = "yes" if default else "no"
    shown = f"  [default: {default}]" if default is not None else ""
    shape = " A block's shape will do: 32x8." if field.shaped else ""
    text = f"{field.help}{shape}{since}{shown}"
    if field.kind == "flag":
        return Annotated[bool | None, option(f"{flag}/--no-{flag[2:]}", help=text)]
    names = [flag, *([_SHORT[field.name]] if field.name in _SHORT else [])]
    metavar = "|".join(field.choices) if field.choices else _METAVAR[field.kind]
    return Annotated[str | None, option(*names, metavar=metavar, help=text)]


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


def question(
    name: str | None, rules: str | None, fields: dict[str, Any], whole_launch: bool = True
) -> tuple[AnyDevice, Any]:
    """The GPU of `--device`, by `--rules`, and the launch that options describe; without `whole_launch` None for it.

    Raises `ValueError` naming the field, and all options that are missing at once.
    """
    from occusite.model.fields import REQUIRED, build

    device = None if name is None else asked.device(name, rules)
    # Without a device the first vendor whose launch has all the fields tells what else is missing.
    kinds = [kind for kind in asked.launch_types() if fields.keys() <= {f.name for f in kind.FIELDS}]
    kind = device.launch_type if device else (kinds or asked.launch_types())[0]
    required = [f.name for f in kind.FIELDS if f.default is REQUIRED and f.name not in fields] if whole_launch else []
    missing = ["device"] * (device is None) + required
    if missing:
        flags = [f"--{n.replace('_', '-')}" for n in missing]
        like = ', like --device "rtx 4090" or --device 8.9' if device is None else ""
        raise ValueError(f"{', '.join(flag[2:] for flag in flags)}: missing; give {joined(flags)}{like}")
    assert device is not None
    return device, build(kind, fields) if whole_launch else None


def grid(text: str | None) -> int | None:
    """Blocks of `--grid`, which may be a shape: "64x64". Raises `ValueError` for what is no count."""
    from occusite.model.fields import block

    return None if text is None else block("grid", text, "blocks")


def number(name: str, text: str | None) -> int | None:
    """A whole number of an option. Raises `ValueError` for what is none."""
    from occusite.model.fields import whole

    return None if text is None else whole(name, text)
