"""`occusite devices`: the GPUs known by name, and the architectures; with a search word, those that match."""

from __future__ import annotations

from typing import TYPE_CHECKING, Annotated, Any

from occusite.cli import options
from occusite.cli.output import Table, note, show, show_json
from occusite.cli.parser import Argument, Exit

if TYPE_CHECKING:
    from occusite.devices import GPU
    from occusite.model import Device


def devices(
    search: Annotated[
        list[str] | None,
        Argument("[SEARCH]...", 'Words of a name, family or architecture: "ada", "h100", "9.0", "gfx942".'),
    ] = None,
    json: options.Json = False,
) -> None:
    """The GPUs known by name and by architecture.

    Exits with 1 when none matches.
    """
    words = [word.lower() for word in search or []]
    cards = [gpu for gpu in _gpus() if _matches(words, _card_text(gpu))]
    chips = [chip for chip in _capabilities() if _matches(words, f"{chip['compute_capability']} {chip['family']}")]
    others = [known for known in _architectures() if _matches(words, " ".join(map(str, known.values())))]
    if json:
        made = {"gpus": [_card(gpu) for gpu in cards], "compute_capabilities": chips, "architectures": others}
        show_json(made)
    else:
        parts: list[object] = []
        if cards:
            parts.append(_cards_table(cards))
        if chips:
            parts += ["", _chips_table(chips)] if parts else [_chips_table(chips)]
        if others:
            parts += ["", _others_table(others)] if parts else [_others_table(others)]
        show(*parts)
    if not cards and not chips and not others:
        note(f"no device matches {' '.join(words)!r}")
        raise Exit(1)


def names() -> list[str]:
    """Every name that `--device` takes, for shell completion."""
    from occusite import nvidia

    return [gpu.name for gpu in _gpus()] + list(nvidia.CHIPS) + [str(k["architecture"]) for k in _architectures()]


def _gpus() -> tuple[GPU, ...]:
    from occusite.devices import all_gpus

    return all_gpus()


def _matches(words: list[str], text: str) -> bool:
    text = text.lower()
    return all(word in text for word in words)


def _card_text(gpu: GPU) -> str:
    words = (gpu.name, *gpu.aliases, gpu.chip, _family(gpu.device), _architecture(gpu.device))
    return " ".join((*words, gpu.device.architecture))


def _architecture(device: Device) -> str:
    """The architecture as its vendor's lists name it: "9.0", "gfx942"."""
    return str(getattr(device, "compute_capability", device.architecture))


def _family(device: Device) -> str:
    from occusite import amd, intel, nvidia

    known: dict[str, Any] = {**nvidia.CHIPS, **amd.TARGETS, **intel.ARCHITECTURES}
    return str(known[_architecture(device)].family)


def _card(gpu: GPU) -> dict[str, Any]:
    from dataclasses import asdict

    made = asdict(gpu)
    device = made.pop("device")
    allocation = device.pop("allocation", None)
    shown = {key: value for key, value in device.items() if key not in ("major", "minor", "name")}
    most = {"max_blocks_per_sm": allocation.max_blocks} if allocation else {}
    return {"name": made.pop("name"), "vendor": gpu.device.vendor, **shown, **most, **made}


def _capabilities() -> list[dict[str, Any]]:
    from occusite import nvidia

    made = []
    for capability, chip in nvidia.CHIPS.items():
        device = nvidia.device(capability)
        made.append(
            {
                "compute_capability": capability,
                "family": chip.family,
                "warps_per_sm": device.warps_per_sm,
                "blocks_per_sm": device.allocation.max_blocks,
                "registers_per_sm": device.registers_per_sm,
                "shared_memory_per_sm": device.shared_memory_per_sm,
                "shared_memory_per_block_opt_in": device.shared_memory_per_block_opt_in,
                "example": chip.example,
                "note": chip.note,
            }
        )
    return made


def _architectures() -> list[dict[str, Any]]:
    """The architectures of vendors that number none: what one core has, and what sources dispute."""
    from occusite import amd, intel

    devices: list[Any] = [*map(amd.device, amd.TARGETS), *map(intel.device, intel.ARCHITECTURES)]
    notes = {name: target.note for name, target in amd.TARGETS.items()}
    return [
        {
            "architecture": device.architecture,
            "vendor": device.vendor,
            "family": _family(device),
            "core": device.terms.core,
            "slots": device.slots,
            "rules": device.rules.name,
            "note": notes.get(device.architecture, ""),
        }
        for device in devices
    ]


def _cards_table(cards: list[GPU]) -> Table:
    cores = {gpu.device.terms.core for gpu in cards}
    heading = f"{cores.pop()}s" if len(cores) == 1 else "cores"
    columns = ["CC", heading, "GB/s", "boost MHz", "memory GB", "L2 MB", "name"]
    rows = [
        (
            _architecture(gpu.device),
            gpu.device.cores,
            *(_cell(v) for v in (gpu.bandwidth_gb_s, gpu.boost_mhz, gpu.memory_gb, gpu.l2_mb)),
            gpu.name,
        )
        for gpu in cards
    ]
    return Table(columns, list(rows), frozenset(range(6)))


def _chips_table(chips: list[dict[str, Any]]) -> Table:
    columns = ["CC", "warps", "blocks", "registers", "shared KiB", "per block KiB", "family"]
    rows = [
        (
            chip["compute_capability"],
            chip["warps_per_sm"],
            chip["blocks_per_sm"],
            chip["registers_per_sm"],
            chip["shared_memory_per_sm"] // 1024,
            chip["shared_memory_per_block_opt_in"] // 1024,
            chip["family"],
        )
        for chip in chips
    ]
    return Table(columns, list(rows), frozenset(range(6)))


def _others_table(others: list[dict[str, Any]]) -> Table:
    columns = ["architecture", "vendor", "core", "slots", "family"]
    return Table(columns, [[row[column] for column in columns] for row in others], frozenset({3}))


def _cell(value: float | None) -> str:
    return "–" if value is None else f"{value:g}"
