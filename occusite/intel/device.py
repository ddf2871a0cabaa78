"""Intel devices: the residency of a launch as the vendor's calculator gives it, and the device of an architecture."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, replace
from functools import cache
from typing import Any, ClassVar

from occusite.intel import working
from occusite.intel.launch import Launch
from occusite.intel.rules import ARCHITECTURES, SOURCE, Architecture, each_limit, slm_allocated, threads_per_group
from occusite.model.answer import UNLIMITED, Limit, Occupancy, RuleSet
from occusite.model.checks import choice, kept
from occusite.model.fields import Field
from occusite.model.terms import Budget, Step, Terms

BUDGETS = (
    Budget("threads", "thread slots", "warps"),
    Budget("slm", "SLM", "memory"),
    Budget("groups", "work-group slots", "blocks"),
    Budget("barriers", "barriers", "barriers"),
)
_KEYS = tuple(budget.key for budget in BUDGETS)
RULES = RuleSet("calculator", SOURCE)
_SUBSLICE = Terms("subslice", "thread", "work-group", "work-item", "SLM")
_XE_CORE = _SUBSLICE._replace(core="Xe-core")
_NAMES = {alias: key for key, known in ARCHITECTURES.items() for alias in (key, key.replace("_", "-"), *known.aliases)}


@dataclass(frozen=True, slots=True)
class Device:
    """An Intel GPU: its architecture and its `xe_cores` (before Xe: subslices; None: not known).

    `intel.device("pvc")` gives real ones. Raises `ValueError` for an unknown architecture or less than one core.
    """

    vendor: ClassVar[str] = "intel"
    budgets: ClassVar[tuple[Budget, ...]] = BUDGETS
    rules: ClassVar[RuleSet] = RULES
    launch_type: ClassVar[type[Launch]] = Launch

    architecture: str
    name: str
    xe_cores: int | None = None

    def __post_init__(self) -> None:
        choice("architecture", self.architecture, tuple(ARCHITECTURES))
        if self.xe_cores is not None:
            kept(self, "xe_cores", 1)

    @property
    def has(self) -> Architecture:
        """What the architecture has."""
        return ARCHITECTURES[self.architecture]

    @property
    def terms(self) -> Terms:
        """Intel's nouns: a core is an Xe-core, before Xe-HPG a subslice."""
        return _SUBSLICE if self.has.family in ("Gen9", "Gen11", "Xe-LP") else _XE_CORE

    @property
    def cores(self) -> int | None:
        """Xe-cores of the device; None where not known."""
        return self.xe_cores

    @property
    def slots(self) -> int:
        """Thread slots of one core, with large GRF too."""
        return self.has.threads

    @property
    def warp_size(self) -> int:
        """Work-items of the largest sub-group."""
        return max(self.has.sub_groups)

    def by_rules(self, name: str) -> Device:
        """The same device: there is one rule set. Raises `ValueError` for another."""
        choice("rules", name, (RULES.name,))
        return self

    def range(self, field: Field) -> tuple[int, int]:
        """The least and the largest value of a whole-number field worth asking on this device."""
        return {
            "work_items": (1, self.has.work_items),
            "sub_group": (min(self.has.sub_groups), max(self.has.sub_groups)),
            "slm": (0, self.has.slm_most),
        }[field.name]

    def turns(self, launch: Launch, field: Field) -> tuple[int, ...]:
        """None: no appetite leaves more resident as it grows."""
        return ()

    def warps_per_block(self, launch: Launch) -> int:
        """Hardware threads of one work-group."""
        return threads_per_group(launch)

    def occupancy(self, launch: Launch) -> Occupancy:
        """Residency on one core: every limit, all limiters, and why a launch cannot run."""
        threads = threads_per_group(launch)
        over = working.causes(self.has, launch)
        mode = any(not key for key, _ in over)
        whole = dict.fromkeys(_KEYS) if mode else each_limit(self.has, launch)
        if over:
            whole |= {key: 0 for key, _ in over if key}
        blocks = 0 if over else min([v for v in whole.values() if v is not None])
        limits = {key: UNLIMITED if v is None else Limit(v, v * threads) for key, v in whole.items()}
        limiters = tuple([key for key, v in whole.items() if v == blocks])
        return Occupancy(
            self,
            launch,
            blocks,
            blocks * threads,
            self.has.threads,
            limits,
            limiters,
            {"slm_per_block": slm_allocated(self.has, launch.slm) or 0},
            tuple([phrase for _, phrase in over]),
        )

    def steps(self, answer: Occupancy) -> tuple[Step, ...]:
        """The arithmetic written out line by line, each with the name of its rule."""
        return working.steps(self.has, answer)

    def counter(self, launch: Launch, *names: str) -> Callable[..., tuple[int, int]]:
        """A fast function of the values of the fields `names`, all else as in `launch`, to (blocks, warps); unchecked.

        From the same rule functions as `occupancy`, each point asked once and remembered.
        """

        @cache
        def residency(*values: int) -> tuple[int, int]:
            changes: dict[str, Any] = dict(zip(names, values, strict=True))
            answer = self.occupancy(replace(launch, **changes))
            return answer.blocks, answer.warps

        return residency

    def runs(self, architecture: str) -> bool:
        """Whether binary code for "dg2" runs here: the same architecture, by any of its names."""
        return _NAMES.get(architecture.lower()) == self.architecture


def device(architecture: str) -> Device:
    """The device that stands for an architecture ("pvc", "xe2_hpg"), its number of cores not known.

    Raises `ValueError` for an unknown one.
    """
    key = _NAMES.get(architecture.lower())
    if key is None:
        raise ValueError(f"architecture: {architecture!r} is not known; give one of {', '.join(ARCHITECTURES)}")
    return Device(key, f"{key} ({ARCHITECTURES[key].family})")


def from_architecture(text: str) -> Device | None:
    """The device of an architecture's name: "pvc", "dg2", "xe2_hpg"; None for what names none."""
    return device(text) if text.lower() in _NAMES else None
