"""The paper model: three budgets compared in whole blocks, without the rounding real chips do (chapters 2, 4, 5)."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, replace
from typing import ClassVar

from occusite.model.answer import Limit, Occupancy, RuleSet
from occusite.model.checks import kept
from occusite.model.fields import MOST_BYTES, Field, checker
from occusite.model.terms import Budget, Phrase, Step, Terms

KIB = 1024
WARP = 32

FIELDS = (
    Field(
        *("threads", "Threads per block", "threads", "count"),
        low=1,
        high=1024,
        eases="warps",
        help="Threads per block.",
    ),
    Field(
        *("registers", "Registers per thread", "registers", "count"),
        low=1,
        high=255,
        eases="registers",
        help="Registers per thread.",
    ),
    Field(
        *("shared_memory", "Shared memory per block", "bytes", "bytes"),
        high=MOST_BYTES,
        default=0,
        eases="shared_memory",
        help="Shared memory per block, by the paper rule; 48KiB is understood.",
    ),
)
_check = checker(FIELDS)


@dataclass(frozen=True, slots=True)
class Launch:
    """A kernel launch on paper: threads per block, registers per thread, bytes of shared memory per block.

    Raises `ValueError` for threads outside 1–1024, registers outside 1–255, or negative shared memory.
    Zero shared memory is legal: that budget is then unlimited.
    """

    FIELDS: ClassVar[tuple[Field, ...]] = FIELDS

    threads: int
    registers: int
    shared_memory: int = 0

    def __post_init__(self) -> None:
        _check(self)

    @property
    def warps(self) -> int:
        """Warps per block; a part of a warp takes a whole one."""
        return -(-self.threads // WARP)

    def pooled(self) -> Launch:
        """The launch itself: its shared memory is one field."""
        return self


@dataclass(frozen=True, slots=True)
class SM:
    """A streaming multiprocessor as an inventory: `registers` in 32-bit registers, `shared_memory` in bytes,
    `warps` and `blocks` in slots. The defaults are the book's paper SM.

    Raises `ValueError` for a stock below 1.
    """

    vendor: ClassVar[str] = "paper"
    architecture: ClassVar[str] = "paper"
    terms: ClassVar[Terms] = Terms("SM", "warp", "block", "thread", "shared memory")
    budgets: ClassVar[tuple[Budget, ...]] = (
        Budget("registers", "registers", "registers"),
        Budget("shared_memory", "shared memory", "memory"),
        Budget("warps", "warp slots", "warps"),
        Budget("blocks", "block slots", "blocks"),
    )
    rules: ClassVar[RuleSet] = RuleSet("paper", "the book, chapter 2: plain division, in whole blocks")
    cores: ClassVar[int | None] = None
    warp_size: ClassVar[int] = WARP
    launch_type: ClassVar[type[Launch]] = Launch

    registers: int = 65_536
    shared_memory: int = 96 * KIB
    warps: int = 48
    blocks: int = 16
    name: str = "paper SM"

    def __post_init__(self) -> None:
        for stock in ("registers", "shared_memory", "warps", "blocks"):
            kept(self, stock, 1)

    @property
    def slots(self) -> int:
        """Warp slots."""
        return self.warps

    def range(self, field: Field) -> tuple[int, int]:
        """The least and the largest value of a field worth asking."""
        return (field.low, self.shared_memory if field.kind == "bytes" else int(field.high or 0))

    def turns(self, launch: Launch, field: Field) -> tuple[int, ...]:
        """None: residency never grows with an appetite."""
        return ()

    def warps_per_block(self, launch: Launch) -> int:
        """Warps of one block; a part of a warp takes a whole one."""
        return launch.warps

    def limits(self, launch: Launch) -> dict[str, int | None]:
        """Blocks each budget alone would allow; None is unlimited."""
        shared = launch.shared_memory
        return {
            "registers": self.registers // (launch.warps * WARP * launch.registers),
            "shared_memory": self.shared_memory // shared if shared else None,
            "warps": self.warps // launch.warps,
            "blocks": self.blocks,
        }

    def resident_blocks(self, threads: int, registers: int, shared_memory: int = 0) -> int:
        """Resident blocks alone, for sweeps: plain integers in, unchecked, no objects made."""
        warps = -(-threads // WARP)
        blocks = min(self.registers // (warps * WARP * registers), self.warps // warps, self.blocks)
        return min(blocks, self.shared_memory // shared_memory) if shared_memory else blocks

    def counter(self, launch: Launch, *names: str) -> Callable[..., tuple[int, int]]:
        """A fast function of the values of the fields `names`, all else as in `launch`, to (blocks, warps); unchecked."""

        def residency(*values: int) -> tuple[int, int]:
            asked = {f.name: getattr(launch, f.name) for f in FIELDS} | dict(zip(names, values, strict=True))
            blocks = self.resident_blocks(**asked)
            return blocks, blocks * -(-asked["threads"] // WARP)

        return residency

    def occupancy(self, launch: Launch) -> Occupancy:
        """The minimum over the budgets, compared in whole blocks, with every tied budget named."""
        limits = self.limits(launch)
        warps = launch.warps
        blocks = min(v for v in limits.values() if v is not None)
        return Occupancy(
            device=self,
            launch=launch,
            blocks=blocks,
            warps=blocks * warps,
            slots=self.warps,
            limits={b: Limit(v, v if v is None else v * warps) for b, v in limits.items()},
            limiters=tuple(b for b, v in limits.items() if v == blocks),
            allocated={
                "registers_per_block": warps * WARP * launch.registers,
                "shared_memory_per_block": launch.shared_memory,
            },
            causes=() if blocks else self._causes(launch, limits),
        )

    def steps(self, answer: Occupancy) -> tuple[Step, ...]:
        """One line a budget: the division, written out with its numbers."""
        launch: Launch = answer.launch
        limits = answer.limits
        warps, per_block = launch.warps, launch.warps * WARP * launch.registers
        shared = launch.shared_memory
        return (
            Step(
                "",
                "⌈{} threads ÷ {}⌉",
                (launch.threads, WARP),
                warps,
                "warps per block",
                "a block is made of whole warps",
            ),
            Step(
                "registers",
                "⌊{} ÷ ({} threads × {})⌋ = ⌊{} ÷ {}⌋",
                (self.registers, warps * WARP, launch.registers, self.registers, per_block),
                limits["registers"].blocks,
                "blocks",
                "the register file is shared by all resident threads",
            ),
            Step(
                "shared_memory",
                "⌊{} B ÷ {} B⌋" if shared else "none used: no limit",
                (self.shared_memory, shared) if shared else (),
                limits["shared_memory"].blocks,
                "blocks",
                "each block keeps its shared memory while it is resident",
            ),
            Step(
                "warps", "⌊{} slots ÷ {}⌋", (self.warps, warps), limits["warps"].blocks, "blocks", "a warp needs a slot"
            ),
            Step("blocks", "{} slots", (self.blocks,), self.blocks, "blocks", "a block needs a slot"),
        )

    def runs(self, architecture: str) -> bool:
        """Whether binary code for this architecture runs here: paper runs none."""
        return False

    def by_rules(self, name: str) -> SM:
        """The same SM: paper has one rule set. Raises `ValueError` for another."""
        if name != self.rules.name:
            raise ValueError(f"rules: {name!r} is not allowed; give {self.rules.name}")
        return replace(self)

    def _causes(self, launch: Launch, limits: dict[str, int | None]) -> tuple[Phrase, ...]:
        have = {"registers": self.registers, "shared_memory": self.shared_memory, "warps": self.warps}
        need = {
            "registers": launch.warps * WARP * launch.registers,
            "shared_memory": launch.shared_memory,
            "warps": launch.warps,
        }
        unit = {"registers": "registers", "shared_memory": "bytes of shared memory", "warps": "warp slots"}
        short = [b for b, v in limits.items() if v == 0]
        return tuple(
            Phrase(
                f"{'' if i else 'one block does not fit: '}it needs {{}} {unit[b]}, the SM has {{}}",
                (need[b], have[b]),
            )
            for i, b in enumerate(short)
        )


# An Ada-class SM as the paper rule sees it.
ADA = SM(shared_memory=100 * KIB, blocks=24, name="Ada-class SM, paper rule")
