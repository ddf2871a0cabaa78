"""Devices by name: "rtx 4090", "MI300X", "sm_90a", "gfx942", "8.9", "paper", or a TOML file; near matches for a slip."""

from __future__ import annotations

import re
from dataclasses import dataclass, field, fields, replace
from functools import cache
from typing import TYPE_CHECKING, Any

from occusite import amd, intel, nvidia
from occusite.model.checks import choice

if TYPE_CHECKING:
    from pathlib import Path

    from occusite.model import Device

# Each vendor's device for the name of an architecture; None for a name that is none of its own.
FROM_ARCHITECTURE = (nvidia.from_architecture, amd.from_architecture, intel.from_architecture)
VENDORS = ("nvidia", "amd", "intel")

# Words that say whose GPU it is. A name can lack them without meaning another GPU.
_BRANDS = {
    "nvidia": {"nvidia", "geforce", "tesla", "quadro", "rtx", "gtx", "jetson"},
    "amd": {"amd", "ati", "radeon", "instinct"},
    "intel": {"intel", "arc"},
}
# All the words a name can lack.
_SOFT = set().union(*_BRANDS.values()) | {
    *("gpu", "graphics", "generation", "workstation", "edition"),
}


@dataclass(frozen=True, slots=True)
class Latency:
    """A measured load latency: `dram_cycles` (and `dram_ns`, where the clock is known) as (least, most).

    `l1_cycles`, `l2_cycles`, `l2_far_cycles`: hits in the caches. `method`, `source`: how, and by whom. `variant`:
    "not stated" where the source does not say which board of that name it measured.
    """

    dram_cycles: tuple[float, float]
    method: str
    source: str
    dram_ns: tuple[float, float] | None = None
    l1_cycles: float | None = None
    l2_cycles: float | None = None
    l2_far_cycles: float | None = None
    clock_mhz: float | None = None
    note: str = ""
    variant: str = ""


@dataclass(frozen=True, slots=True)
class GPU:
    """A GPU on sale: its vendor's `device` with its cores, and what the board adds; None where no source gives a value.

    `bandwidth_gb_s` in 10⁹ bytes per second, `boost_mhz`, `memory_gb`, `l2_mb`, `bus_bits`. `source` holds for every
    cell without an entry in `cells`; `unconfirmed` names cells to doubt; `note` says where sources disagree.
    """

    name: str
    device: Any
    source: str
    aliases: tuple[str, ...] = ()
    chip: str = ""
    bandwidth_gb_s: float | None = None
    boost_mhz: float | None = None
    memory_gb: float | None = None
    memory_type: str = ""
    bus_bits: int | None = None
    l2_mb: float | None = None
    cells: dict[str, str] = field(default_factory=dict, hash=False)
    confirmed_by: str = ""
    unconfirmed: tuple[str, ...] = ()
    note: str = ""
    latency: tuple[Latency, ...] = ()


def gpus(vendor: str = "nvidia") -> tuple[GPU, ...]:
    """Every GPU of a vendor known by name, oldest architecture first. Raises `ValueError` for an unknown vendor."""
    return _gpus(choice("vendor", vendor, VENDORS))


@cache
def _gpus(vendor: str) -> tuple[GPU, ...]:
    import pkgutil
    import tomllib

    table = tomllib.loads((pkgutil.get_data("occusite", f"data/gpus/{vendor}.toml") or b"").decode())
    return from_rows(table["gpu"])


@cache
def all_gpus() -> tuple[GPU, ...]:
    """Every GPU known by name, vendor by vendor."""
    return tuple(known for vendor in VENDORS for known in gpus(vendor))


def from_rows(rows: list[dict[str, Any]]) -> tuple[GPU, ...]:
    """The GPUs of a table's rows. Raises `ValueError` for a name that two rows have."""
    boards = tuple(_gpu(dict(row)) for row in rows)
    seen: set[str] = set()
    for board in boards:
        if _joined(board.name) in seen:
            raise ValueError(f"name: {board.name!r} stands in two rows; each GPU has one")
        seen.add(_joined(board.name))
    return boards


def gpu(name: str) -> GPU:
    """The GPU of that name: letter case, spaces, brand words and a memory size may be left out.

    Raises `ValueError` for a name nothing matches, or more than one GPU does, listing the near matches.
    """
    matches = _matches(name)
    if len(matches) == 1:
        return matches[0]
    if matches:
        raise ValueError(f"device: {name!r} could be {_listed([g.name for g in matches])}; say which")
    raise ValueError(f"device: {name!r} is not known; {_near(name)}")


def find(name: str) -> Device:
    """The device of that name.

    A compute capability ("8.9", "sm_90a"), a gfx target ("gfx942"), an Intel architecture ("pvc"), a GPU's name
    ("rtx 4090", "MI300X"), "paper", or the path of a TOML file (see `from_toml`). Raises `ValueError` for a name nothing matches, with near matches.
    """
    text = str(name).strip()
    if text.lower() in ("paper", "paper sm"):
        from occusite import paper

        return paper.SM()
    for from_architecture in FROM_ARCHITECTURE:
        device = from_architecture(text)
        if device is not None:
            return device
    if text.lower().endswith(".toml"):
        return read_toml(text)
    known: Device = gpu(text).device
    return known


def from_toml(text: str) -> Device:
    """A device of one's own, from TOML: `compute_capability`, and whatever differs from that architecture.

        compute_capability = "9.0"
        name = "my H100 slice"
        sm_count = 16

    Keys are the fields of `nvidia.Device`. An AMD device has `target`, an Intel device `architecture` in place of
    `compute_capability`, and the keys `name` and `cus`, or `xe_cores`. Raises `ValueError` for anything else.
    """
    import tomllib

    try:
        values = tomllib.loads(text)
    except tomllib.TOMLDecodeError as error:
        raise ValueError(f"device: this is not TOML; {error}") from error
    for key, cores in (("target", "cus"), ("architecture", "xe_cores")):
        if key in values:
            _known(values, {key, "name", cores})
            return _device({"name": f"custom {values[key]}"} | values)
    known = {f.name for f in fields(nvidia.Device) if f.init}
    _known(values, known)
    if "compute_capability" not in values:
        raise ValueError('device: compute_capability is missing; give it as in compute_capability = "9.0"')
    capability = str(values.pop("compute_capability"))
    return replace(nvidia.device(capability), **({"name": f"custom {capability}"} | values))


def _known(values: dict[str, Any], known: set[str]) -> None:
    """Raises `ValueError` for a key that is not known, and for a name that is no text."""
    for key in values:
        if key not in known:
            raise ValueError(f"device: the key {key!r} is not allowed; give some of {', '.join(sorted(known))}")
    if type(values.get("name", "")) is not str:
        raise ValueError(f"name: {values['name']!r} is not allowed; give text")


def read_toml(path: str | Path) -> Device:
    """`from_toml` of a file. Raises `ValueError` when it cannot be read."""
    from pathlib import Path

    try:
        return from_toml(Path(path).read_text(encoding="utf-8"))
    except (OSError, UnicodeDecodeError) as error:
        raise ValueError(f"device: {str(path)!r} cannot be read; {error}") from error


def _gpu(row: dict[str, Any]) -> GPU:
    device = _device(row)
    row["latency"] = tuple(Latency(**_tupled(entry)) for entry in row.get("latency", ()))
    return GPU(device=device, **_tupled(row))


def _device(row: dict[str, Any]) -> Device:
    """The device of a table's row; what names its architecture and cores is taken out of the row."""
    name = row["name"]
    if "target" in row:
        made = amd.device(str(row.pop("target")))
        return replace(made, name=name, cus=row.pop("cus", None))
    if "architecture" in row:
        known = intel.device(str(row.pop("architecture")))
        return replace(known, name=name, xe_cores=row.pop("xe_cores", None))
    return replace(nvidia.device(row.pop("compute_capability")), name=name, sm_count=row.pop("sm_count"))


def _tupled(row: dict[str, Any]) -> dict[str, Any]:
    return {key: tuple(value) if isinstance(value, list) else value for key, value in row.items()}


def _words(name: str) -> list[str]:
    return re.findall(r"[a-z]+|\d+", re.sub(r"\((r|tm)\)|[®™]", " ", str(name).lower()))


def _joined(name: str) -> str:
    return "".join(_words(name))


def _telling(name: str) -> tuple[str, ...]:
    """The words that tell one GPU from another, in any order."""
    return tuple(sorted(w for w in _words(name) if w not in _SOFT))


@cache
def _index() -> tuple[dict[object, list[GPU]], ...]:
    """Tables from a name's form to GPUs, strictest first: as written, its telling words, those but memory size."""
    tables: tuple[dict[object, list[GPU]], ...] = ({}, {}, {})
    for known in all_gpus():
        sizeless = re.sub(r"\b\d+ ?gb\b", " ", known.name.lower())
        forms = [(i, form(n)) for n in (known.name, *known.aliases) for i, form in enumerate((_joined, _telling))]
        for table, form in (*forms, (2, _telling(sizeless))):
            same = tables[table].setdefault(form, [])
            if known not in same:
                same.append(known)
    return tables


def _matches(name: str) -> list[GPU]:
    said = {vendor for vendor, brand in _BRANDS.items() if brand & set(_words(name))}
    return [g for g in _alike(name) if not said or g.device.vendor in said]


def _alike(name: str) -> list[GPU]:
    """The GPUs whose names match but for brand words."""
    written, telling, sizeless = _index()
    words = _telling(name)
    matches = written.get(_joined(name)) or telling.get(words) or sizeless.get(words)
    if matches or not any(word.isalpha() or len(word) > 2 for word in words):
        return matches or []
    return [g for g in all_gpus() if set(words) <= set(_telling(g.name))]


def _near(name: str) -> str:
    from difflib import SequenceMatcher

    def plain(text: str) -> str:
        return "".join(w for w in _words(text) if w not in _SOFT)

    wanted = plain(name)
    numbers = {word for word in _words(name) if word.isdecimal() and len(word) > 2}

    def alike(known: GPU) -> float:
        forms = [plain(n) for n in (known.name, *known.aliases)]
        same_number = bool(numbers & set(_words(known.name)))
        return max(SequenceMatcher(None, form, wanted).ratio() for form in forms) + 0.3 * same_number

    capabilities = ", ".join(nvidia.CHIPS)
    others = f"; a gfx target ({', '.join(amd.TARGETS)}); or an Intel architecture ({', '.join(intel.ARCHITECTURES)})"
    near = [g.name for g in sorted(all_gpus(), key=alike, reverse=True)[:6] if alike(g) > 0.6]
    if near:
        return f"near matches: {_listed(near)}; or give a compute capability ({capabilities}){others}"
    return f"give a GPU's name or a compute capability ({capabilities}){others}"


def _listed(names: list[str]) -> str:
    return ", ".join(names[:8]) + (f" and {len(names) - 8} more" if len(names) > 8 else "")
