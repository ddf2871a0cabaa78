"""AMD devices: the residency of a launch by a named rule set, and the device of a gfx target."""

from __future__ import annotations

import re
from collections.abc import Callable
from dataclasses import dataclass, replace
from functools import cache
from typing import Any, ClassVar

from occusite.amd import compiler, fast, hardware, working
from occusite.amd.launch import Launch
from occusite.amd.rules import DEFAULT_RULES, MOST_WORK_ITEMS, RULES, SIMDS, SOURCES, TARGETS, Target, up, vgprs_counted
from occusite.model.answer import UNLIMITED, Limit, Occupancy, RuleSet
from occusite.model.checks import choice, kept
from occusite.model.fields import Field
from occusite.model.terms import Budget, Step, Terms

BUDGETS = (
    Budget("vgprs", "VGPRs", "registers"),
    Budget("sgprs", "SGPRs", "other"),
    Budget("lds", "LDS", "memory"),
    Budget("waves", "wave slots", "warps"),
    Budget("groups", "work-group slots", "blocks"),
)
_KEYS = tuple(budget.key for budget in BUDGETS)
_CU = Terms("CU", "wave", "work-group", "work-item", "LDS")
_WGP = _CU._replace(core="WGP")
_TARGET = re.compile(r"(?:amdgcn-amd-amdhsa--)?(gfx[0-9a-f]{3,4})((?::[a-z]+[+-])*)", re.IGNORECASE)
_COMPILERS = ("llvm-22", "llvm-24")
_RULE_SETS = {name: RuleSet(name, source, name not in _COMPILERS) for name, source in SOURCES.items()}


# Twice as fast as the class itself, and five are made for each answer.
_tuple = tuple.__new__


@dataclass(frozen=True, slots=True)
class Device:
    """An AMD GPU: its gfx target, its `cus` (None: not known), and the `rule_set` that answers follow.

    One core is a CU; on RDNA it is a WGP, two CUs, in CU mode too. `amd.device("gfx942")` gives real ones.
    Rule sets: "hardware" (whole work-groups), "hip" (as HIP's call counts), "llvm-22", "llvm-24" (waves per SIMD).

    Raises `ValueError` for an unknown target or rule set, and for a number of CUs that makes no whole cores.
    """

    vendor: ClassVar[str] = "amd"
    budgets: ClassVar[tuple[Budget, ...]] = BUDGETS
    launch_type: ClassVar[type[Launch]] = Launch

    architecture: str
    name: str
    cus: int | None = None
    rule_set: str = DEFAULT_RULES

    def __post_init__(self) -> None:
        choice("target", self.architecture, tuple(TARGETS))
        choice("rules", self.rule_set, RULES)
        if self.cus is not None and kept(self, "cus", 1) % self.target.cus:
            raise ValueError(f"cus: {self.cus!r} is not allowed; give a multiple of {self.target.cus}")

    @property
    def target(self) -> Target:
        """What the gfx target has."""
        return TARGETS[self.architecture]

    @property
    def terms(self) -> Terms:
        """AMD's nouns: a core is a CU, on RDNA a WGP."""
        return _CU if self.target.cus == 1 else _WGP

    @property
    def rules(self) -> RuleSet:
        """The rule set that is followed."""
        return _RULE_SETS[self.rule_set]

    @property
    def cores(self) -> int | None:
        """CUs of the device, on RDNA its WGPs; None where not known."""
        return None if self.cus is None else self.cus // self.target.cus

    @property
    def slots(self) -> int:
        """Wave slots of one core."""
        return SIMDS * hardware.wave_slots(self.target, self.rule_set == "hip")

    @property
    def warp_size(self) -> int:
        """Work-items per wave of a launch that names no wave size."""
        return self.target.wave_size

    def by_rules(self, name: str) -> Device:
        """The same device by another rule set. Raises `ValueError` for an unknown one."""
        return replace(self, rule_set=name)

    def range(self, field: Field) -> tuple[int, int]:
        """The least and the largest value of a whole-number field worth asking on this device."""
        target = self.target
        return {
            "work_items": (1, MOST_WORK_ITEMS),
            "vgprs": (0, target.addressable),
            "sgprs": (0, target.sgprs_most),
            "lds": (0, target.lds_most),
            "agprs": (0, 256 if target.agprs else 0),
            "wave_size": (min(target.files), max(target.files)),
            "least_work_items": (1, MOST_WORK_ITEMS),
            "least_waves": (1, target.waves),
            "most_waves": (1, target.waves),
        }[field.name]

    def turns(self, launch: Launch, field: Field) -> tuple[int, ...]:
        """The bytes of LDS beyond which a compiler's rule set counts more waves again; see `compiler.lds_turns`."""
        wave_size = self.wave_size(launch)
        if field.eases != "lds" or self.rule_set not in _COMPILERS or wave_size not in self.target.files:
            return ()
        return compiler.lds_turns(self.target, launch, wave_size, self.rule_set == "llvm-24")

    def wave_size(self, launch: Launch) -> int:
        """Work-items per wave of this launch."""
        return launch.wave_size or self.target.wave_size

    def warps_per_block(self, launch: Launch) -> int:
        """Waves of one work-group; a part of a wave takes a whole one."""
        return -(-launch.work_items // self.wave_size(launch))

    def occupancy(self, launch: Launch) -> Occupancy:
        """Residency on one core: every limit, all limiters, and why a launch cannot run.

        By a compiler's rule set limits are in waves alone, and `blocks` is the whole work-groups of those waves, at
        least one.
        """
        target = TARGETS[self.architecture]
        wave_size = launch.wave_size or target.wave_size
        waves = -(-launch.work_items // wave_size)
        over = working.causes(target, launch, wave_size)
        whole = _RULE_SETS[self.rule_set].whole_blocks
        each: dict[str, int | None] = dict.fromkeys(_KEYS)
        if wave_size in target.files:
            each = self._whole(target, launch, wave_size) if whole else self._waves(target, launch, wave_size)
        if over:
            each |= {key: 0 for key, _ in over if key}
        if whole or over:
            blocks = 0 if over else min([v for v in each.values() if v is not None])
            warps = blocks * waves
            limiters = tuple([key for key, v in each.items() if v == blocks])
        else:
            least = min([v for v in each.values() if v is not None])
            warps = SIMDS * least
            blocks = max(1, warps // waves)
            limiters = tuple([key for key, v in each.items() if v == least])
        if whole:
            limits = {key: UNLIMITED if v is None else _tuple(Limit, (v, v * waves)) for key, v in each.items()}
        else:
            limits = {
                key: UNLIMITED if v is None else _tuple(Limit, (None if v else 0, v * SIMDS)) for key, v in each.items()
            }
        if not blocks:
            over = working.with_unfit(BUDGETS, over, limiters, waves)
        allocated = {"vgprs_per_work_item": 0, "lds_per_block": hardware.lds_allocated(target, launch.lds)}
        if wave_size in target.files:
            registers = vgprs_counted(target, launch.vgprs, launch.agprs)
            allocated["vgprs_per_work_item"] = up(max(registers, 1), target.files[wave_size][1])
        causes = tuple([phrase for _, phrase in over])
        slots = SIMDS * hardware.wave_slots(target, self.rule_set == "hip")
        return Occupancy(self, launch, blocks, warps, slots, limits, limiters, allocated, causes)

    def _whole(self, target: Target, launch: Launch, wave_size: int) -> dict[str, int | None]:
        return hardware.each_limit(target, launch, wave_size, self.rule_set == "hip")

    def _waves(self, target: Target, launch: Launch, wave_size: int) -> dict[str, int | None]:
        counted = compiler.count(target, launch, wave_size, self.rule_set == "llvm-24")
        return {
            "vgprs": counted.vgprs,
            "sgprs": counted.sgprs,
            "lds": counted.lds,
            "waves": counted.waves,
            "groups": None,
        }

    def steps(self, answer: Occupancy) -> tuple[Step, ...]:
        """The arithmetic written out line by line, each with the name of its rule."""
        return working.steps(self.target, answer, self.wave_size(answer.launch))

    def counter(self, launch: Launch, *names: str) -> Callable[..., tuple[int, int]]:
        """A fast function of the values of the fields `names`, all else as in `launch`, to (blocks, warps); unchecked.

        From the same rule functions as `occupancy`. By a compiler's rule set, and for rarer fields, each point is
        asked once and remembered; else at most a microsecond a call.
        """
        if self.rule_set not in _COMPILERS:
            quick = fast.counter(self.target, launch, self.wave_size(launch), self.rule_set == "hip", names)
            if quick:
                return quick

        @cache
        def residency(*values: int) -> tuple[int, int]:
            changes: dict[str, Any] = dict(zip(names, values, strict=True))
            answer = self.occupancy(replace(launch, **changes))
            return answer.blocks, answer.warps

        return residency

    def runs(self, architecture: str) -> bool:
        """Whether binary code for "gfx90a:xnack-" runs here: the same target, whatever its features."""
        match = _TARGET.fullmatch(architecture)
        return match is not None and match[1].lower() == self.architecture


def device(target: str, rules: str = DEFAULT_RULES) -> Device:
    """The device that stands for a gfx target, its number of CUs not known. Raises `ValueError` for an unknown one."""
    known = TARGETS.get(target)
    if known is None:
        raise ValueError(f"target: {target!r} is not known; give one of {', '.join(TARGETS)}")
    return Device(target, f"{target} ({known.family})", rule_set=rules)


def from_architecture(text: str) -> Device | None:
    """The device of a target's name: "gfx942", "gfx90a:sramecc+:xnack-"; None for what names none.

    Raises `ValueError` for a target that is written as one and not known.
    """
    match = _TARGET.fullmatch(text)
    return device(match[1].lower()) if match else None
