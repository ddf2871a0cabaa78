"""`occusite devices`: the GPUs known by name, and the compute capabilities; with a search word, those that match."""

from __future__ import annotations

from typing import TYPE_CHECKING, Annotated, Any

import typer

from occusite.cli import options
from occusite.cli.output import Table, show, show_json

if TYPE_CHECKING:
    from occusite.devices import GPU


def devices(
    search: Annotated[
        list[str] | None, typer.Argument(help='Words of a name, family or compute capability: "ada", "h100", "9.0".')
    ] = None,
    json: options.Json = False,
) -> None:
    """The GPUs known by name and by compute capability.

    Exits with 1 when none matches.
    """
    words = [word.lower() for word in search or []]
    cards = [gpu for gpu in _gpus() if _matches(words, _card_text(gpu))]
    chips = [chip for chip in _capabilities() if _matches(words, f"{chip['compute_capability']} {chip['family']}")]
    if json:
        show_json({"gpus": [_card(gpu) for gpu in cards], "compute_capabilities": chips})
    else:
        parts: list[object] = []
        if cards:
            parts.append(_cards_table(cards))
        if chips:
            parts += ["", _chips_table(chips)] if parts else [_chips_table(chips)]
        show(*parts)
    if not cards and not chips:
        typer.echo(f"no device matches {' '.join(words)!r}", err=True)
        raise typer.Exit(1)


def names() -> list[str]:
    """Every name that `--device` takes, for shell completion."""
    from occusite import nvidia

    return [gpu.name for gpu in _gpus()] + list(nvidia.CHIPS)


def _gpus() -> tuple[GPU, ...]:
    from occusite.devices import gpus

    return gpus()


def _matches(words: list[str], text: str) -> bool:
    text = text.lower()
    return all(word in text for word in words)


def _card_text(gpu: GPU) -> str:
    from occusite import nvidia

    capability = gpu.device.compute_capability
    family = nvidia.CHIPS[capability].family
    architecture = capability.replace(".", "")
    return " ".join((gpu.name, *gpu.aliases, gpu.chip, family, capability, f"sm_{architecture}"))


def _card(gpu: GPU) -> dict[str, Any]:
    from dataclasses import asdict

    made = asdict(gpu)
    device = made.pop("device")
    device.pop("allocation")
    shown = {key: value for key, value in device.items() if key not in ("major", "minor", "name")}
    return {
        "name": made.pop("name"),
        **shown,
        "max_blocks_per_sm": gpu.device.allocation.max_blocks,
        **made,
    }


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


def _cards_table(cards: list[GPU]) -> Table:
    columns = ["CC", "SMs", "GB/s", "boost MHz", "memory GB", "L2 MB", "name"]
    rows = [
        (
            gpu.device.compute_capability,
            gpu.device.sm_count,
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


def _cell(value: float | None) -> str:
    return "–" if value is None else f"{value:g}"
