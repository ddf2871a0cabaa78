"""`occusite grid`: the largest grid resident at once, and a grid's waves, tail, busy SMs and both occupancies."""

from __future__ import annotations

from typing import TYPE_CHECKING, Annotated, Any

from occusite.cli import options
from occusite.cli.output import percent, show, show_json
from occusite.cli.parser import Exit, option
from occusite.model.terms import counted

if TYPE_CHECKING:
    from occusite.model import Occupancy
    from occusite.questions.grid import Achieved, Waves


@options.with_launch
def grid(
    fields: dict[str, Any],
    device: options.Device = None,
    grid: Annotated[
        str | None, option("--grid", metavar="N", help="Blocks of the grid, or its shape: 64x64. Adds waves and tail.")
    ] = None,
    rules: options.Rules = None,
    json: options.Json = False,
) -> None:
    """The largest cooperative grid, and the waves of any grid.

    With --grid: waves, tail, busy and idle SMs, and the occupancies a profiler prints, of active and of all SMs.
    Exits with 1 when the launch cannot run.
    """
    from occusite.questions import grid as questions
    from occusite.questions import records

    gpu, launch = options.question(device, rules, fields)
    answer = gpu.occupancy(launch)
    size = options.grid(grid)
    if not answer.runs:
        from occusite.cli.occupancy import headline

        show_json({**records.question(answer), **records.record(answer)}) if json else show(*headline(answer))
        raise Exit(1)
    largest = questions.largest(answer)
    waves = None if size is None else questions.waves(answer, size)
    achieved = None if size is None else questions.achieved(answer, size)
    if json:
        made: dict[str, Any] = {**records.question(answer), **records.record(answer), "largest": largest._asdict()}
        if waves and achieved:
            made["waves"] = records.waves(waves)
            made["achieved"] = {name: float(share) for name, share in achieved._asdict().items()}
        show_json(made)
        return
    terms = gpu.terms
    at_most = "" if largest.exact else "at most "
    each = f"{counted(largest.per_core, f'{terms.block}s')} on each of {counted(largest.cores, f'{terms.core}s')}"
    lines = [
        f"device:   {gpu.name}",
        f"resident: {at_most}{counted(largest.blocks, f'{terms.block}s')} at once, {each}",
        "          a cooperative launch may have so many; a persistent kernel needs no more",
    ]
    if waves and achieved:
        lines += ["", *waves_lines(answer, waves, achieved)]
    show(*lines)


def waves_lines(answer: Occupancy, waves: Waves, achieved: Achieved) -> list[str]:
    """Waves, tail, busy cores and both occupancies, a line each."""
    terms = answer.device.terms
    blocks, cores = f"{terms.block}s", f"{terms.core}s"
    number = counted(waves.full + bool(waves.tail), "waves")
    tail = f", the last of {waves.tail:,}" if waves.tail else ""
    last = "" if waves.full == 0 else "in the last wave "
    busy = waves.busy_cores
    idle = f", {waves.idle_cores} idle" if waves.idle_cores else ""

    def share(value: Any) -> str:
        return percent(value.numerator, value.denominator)

    return [
        f"grid:     {counted(waves.grid, blocks)}: {number} of {waves.per_wave:,}{tail}; "
        f"{percent(waves.efficiency.numerator, waves.efficiency.denominator)} of the slots used",
        f"{cores + ':':10}{last}{busy} of {waves.cores} busy{idle}",
        f"achieved: {share(achieved.of_active)} of active {cores}, {share(achieved.of_all)} of all {cores}, at most: "
        f"as if all {blocks} took the same time",
    ]
