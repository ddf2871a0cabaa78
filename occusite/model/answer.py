"""The answer to "how many blocks are resident?": every limit, all tied limiters, and the device's side of the contract."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, NamedTuple, Protocol

from occusite.model import records, shown
from occusite.model.fields import Field
from occusite.model.terms import Budget, Phrase, Step, Terms, grouped

if TYPE_CHECKING:
    from fractions import Fraction


class RuleSet(NamedTuple):
    """The rules an answer follows: their `name` ("13.5", "hardware"), who states them, and whether whole blocks count."""

    name: str
    source: str
    whole_blocks: bool = True


class Limit(NamedTuple):
    """What one budget alone would allow on one core, in blocks and in warps; None is unlimited, or not counted so."""

    blocks: int | None
    warps: int | None


UNLIMITED = Limit(None, None)


class Device(Protocol):
    """What every device offers, whoever made it: `paper.SM`, `nvidia.Device`, …

    `cores`: SMs of the whole device, None where unknown. `slots`: warp slots of one core. `architecture`: what a
    compiler calls it ("sm_90").
    """

    def __hash__(self) -> int: ...
    @property
    def name(self) -> str: ...
    @property
    def vendor(self) -> str: ...
    @property
    def architecture(self) -> str: ...
    @property
    def terms(self) -> Terms: ...
    @property
    def budgets(self) -> tuple[Budget, ...]: ...
    @property
    def rules(self) -> RuleSet: ...
    @property
    def cores(self) -> int | None: ...
    @property
    def slots(self) -> int: ...
    @property
    def warp_size(self) -> int: ...
    @property
    def launch_type(self) -> Any: ...

    def range(self, field: Field) -> tuple[int, int]:
        """The least and the largest value of a whole-number field worth asking on this device."""

    def turns(self, launch: Any, field: Field) -> tuple[int, ...]:
        """The values of an appetite, ascending, beyond which more may be resident again: most have none.

        Up to each of them, and from one to the next, residency never grows with the field.
        """

    def warps_per_block(self, launch: Any) -> int:
        """Warps of one block; a part of a warp takes a whole one."""

    def occupancy(self, launch: Any) -> Occupancy:
        """The answer for one launch."""

    def steps(self, answer: Occupancy) -> tuple[Step, ...]:
        """The arithmetic behind an answer of this device, line by line."""

    def counter(self, launch: Any, *names: str) -> Callable[..., tuple[int, int]]:
        """A fast function of the values of the fields `names`, all else as in `launch`, to (blocks, warps); unchecked."""

    def runs(self, architecture: str) -> bool:
        """Whether binary code for this architecture runs here."""

    def by_rules(self, name: str) -> Device:
        """The same device by another of its rule sets. Raises `ValueError` for one it does not have."""


@dataclass(frozen=True, slots=True, repr=False)
class Occupancy:
    """Residency of one launch on one core (SM, compute unit, Xe-core) of `device`.

    `blocks`: resident blocks; `warps`: resident warps; `slots`: the core's warp slots.
    `limits`: what each budget alone would allow, by the keys of `device.budgets`, in their order.
    `limiters`: **every** budget whose limit is the smallest; empty when the launch is refused for another reason.
    `allocated`: what one block takes after the hardware's rounding, by name (`registers_per_block` in registers,
    `shared_memory_per_block` in bytes, …).
    `causes`: why the launch cannot run, a phrase each; empty when it can. A launch that cannot run has no blocks.
    """

    device: Device
    launch: Any
    blocks: int
    warps: int
    slots: int
    limits: Mapping[str, Limit]
    limiters: tuple[str, ...]
    allocated: Mapping[str, int]
    causes: tuple[Phrase, ...] = ()

    def __hash__(self) -> int:
        # Limits and what is allocated follow from the rest, and a mapping has no hash.
        return hash((self.device, self.launch, self.blocks, self.warps, self.causes))

    def __repr__(self) -> str:
        return shown.short(self)

    def __str__(self) -> str:
        return shown.sentence(self)

    def _repr_html_(self) -> str:
        return shown.html(self)

    def to_dict(self) -> dict[str, Any]:
        """The question and the answer as plain data, as `--json` prints it; `model.records.schema()` states its form."""
        return {**records.question(self), **records.record(self)}

    @property
    def runs(self) -> bool:
        """Whether at least one block fits."""
        return self.blocks > 0

    @property
    def occupancy(self) -> Fraction | None:
        """Resident warps ÷ warp slots, exactly; None for a launch that cannot run."""
        # Imported when asked for: it brings decimal numbers along, a tenth of a command's start.
        from fractions import Fraction

        return Fraction(self.warps, self.slots) if self.blocks else None

    @property
    def percent(self) -> float | None:
        """Resident warps as a percentage of the warp slots; None for a launch that cannot run."""
        return 100 * self.warps / self.slots if self.blocks else None

    @property
    def warps_per_block(self) -> int:
        """Warps of one block."""
        return self.device.warps_per_block(self.launch)

    @property
    def rules(self) -> RuleSet:
        """The rule set the answer follows."""
        return self.device.rules

    @property
    def steps(self) -> tuple[Step, ...]:
        """The arithmetic, line by line, as data (computed when asked for: sweeps never pay for it)."""
        return self.device.steps(self)

    @property
    def reason(self) -> str:
        """Why the launch cannot run, in plain text; "" when it can."""
        return self.why()

    def why(self, number: Callable[[int], str] = grouped) -> str:
        """Why the launch cannot run, each number set by `number`; "" when it can."""
        return "; ".join(cause.text(number) for cause in self.causes)

    @property
    def limiter(self) -> str:
        """The limiters in words: "registers + shared memory"; "cannot launch" when nothing fits."""
        if not self.blocks:
            return "cannot launch"
        return " + ".join(b.name for b in self.limiting)

    @property
    def limiting(self) -> tuple[Budget, ...]:
        """The budgets of the limiters."""
        return budgets_of(self.device, self.limiters)

    def budget(self, key: str) -> Budget:
        """The device's budget of that key. Raises `KeyError` for another's."""
        return next(iter(budgets_of(self.device, (key,))))


def budgets_of(device: Device, keys: tuple[str, ...]) -> tuple[Budget, ...]:
    """The device's budgets of these keys, in the device's order. Raises `KeyError` for another's key."""
    unknown = [key for key in keys if all(b.key != key for b in device.budgets)]
    if unknown:
        raise KeyError(unknown[0])
    return tuple(b for b in device.budgets if b.key in keys)
