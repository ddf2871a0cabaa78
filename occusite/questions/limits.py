"""Limits that a team sets for its kernels: rules from TOML, judged alone and against a baseline."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from fnmatch import fnmatchcase
from typing import Any, NamedTuple

from occusite.model.checks import integer, number
from occusite.model.fields import size
from occusite.model.terms import counted
from occusite.questions.changes import MEASURES, Change, Measure, figures
from occusite.questions.kernels import KernelAnswer

_COUNTED = tuple((name, unit) for name, unit, more in MEASURES if more)
_MOST = {f"max_{name}": name for name, _ in _COUNTED}
_GROW = {f"grow_{name}": name for name, _ in _COUNTED}
KEYS = ("kernel", "architecture", *_MOST, "min_occupancy", *_GROW, "lose_occupancy")


class Rule(NamedTuple):
    """One rule: for kernels whose name matches `kernel` (`*` and `?`, whole or demangled), of one `architecture` or "".

    `most`: by measure, the most allowed. `least_occupancy`: percent. `grow`: by measure, how much more than in the
    baseline is let pass; `lose`: the same of occupancy, in percentage points.
    """

    kernel: str = "*"
    architecture: str = ""
    most: Mapping[str, int] = {}
    least_occupancy: float | None = None
    grow: Mapping[str, int] = {}
    lose: float = 0.0

    def holds_for(self, row: KernelAnswer) -> bool:
        """Whether the rule is about this kernel."""
        report = row.report
        named = any(fnmatchcase(name, self.kernel) for name in (report.kernel, report.name))
        return named and self.architecture in ("", report.architecture)


class Finding(NamedTuple):
    """What is wrong with one kernel: the `measure` that is, in words, and by which rule, "limit" or "baseline"."""

    row: KernelAnswer
    measure: str
    rule: str
    text: str


def rules_from(table: Mapping[str, Any]) -> tuple[Rule, ...]:
    """The rules of a TOML table: its `[[rule]]`s, each with some of `KEYS`.

    Sizes may have a unit, "48KiB"; occupancy is in percent. Raises `ValueError` naming the rule, the key and what is
    allowed.
    """
    unknown = [key for key in table if key != "rule"]
    rows = table.get("rule")
    if unknown or not isinstance(rows, list) or not rows:
        raise ValueError(f"limits: {unknown[0] if unknown else 'rule'!r} is not allowed; give tables [[rule]]")
    return tuple(_rule(f"rule {at}", row) for at, row in enumerate(rows, 1))


def _rule(place: str, row: Any) -> Rule:
    if not isinstance(row, dict):
        raise ValueError(f"{place}: {row!r} is not allowed; give a table [[rule]]")
    for key in row:
        if key not in KEYS:
            raise ValueError(f"{place}: {key}: not a key; the keys are {', '.join(KEYS)}")
    if not any(key not in ("kernel", "architecture") for key in row):
        raise ValueError(f"{place}: no limit; give one of {', '.join(KEYS[2:])}")
    texts = {key: row.get(key, default) for key, default in (("kernel", "*"), ("architecture", ""))}
    for key, text in texts.items():
        if not isinstance(text, str):
            raise ValueError(f"{place}: {key}: {text!r} is not allowed; give text")
    share = row.get("min_occupancy")
    lose = row.get("lose_occupancy", 0)
    return Rule(
        texts["kernel"],
        texts["architecture"],
        {name: _count(f"{place}: {key}", row[key]) for key, name in _MOST.items() if key in row},
        None if share is None else number(f"{place}: min_occupancy", share, 0, 100, "percent"),
        {name: _count(f"{place}: {key}", row[key]) for key, name in _GROW.items() if key in row},
        0.0 if lose == 0 else number(f"{place}: lose_occupancy", lose, 0, 100, "percentage points"),
    )


def _count(field: str, value: object) -> int:
    return size(field, value) if isinstance(value, str) else integer(field, value, 0)


def judged(rows: Iterable[KernelAnswer], rules: Iterable[Rule]) -> list[Finding]:
    """What breaks the rules' own limits. What a rule asks and a report does not say breaks it too: it is not zero."""
    rules = tuple(rules)
    return [finding for row in rows for rule in rules if rule.holds_for(row) for finding in _broken(row, rule)]


def _broken(row: KernelAnswer, rule: Rule) -> list[Finding]:
    units, found, known = dict(_COUNTED), [], figures(row)
    for name, most in rule.most.items():
        value, plain = known[name], name.replace("_", " ")
        if value is None:
            found.append(Finding(row, name, "limit", f"{plain}: the report does not say, the limit is {most:,}"))
        elif value > most:
            found.append(Finding(row, name, "limit", f"{_said(plain, value, units[name])}, the limit is {most:,}"))
    least, answer = rule.least_occupancy, row.answer
    if least is not None:
        if answer is None:
            found.append(
                Finding(row, "occupancy", "limit", f"occupancy: no answer ({row.problem}), the limit is {least:g} %")
            )
        elif not answer.runs:
            found.append(Finding(row, "occupancy", "limit", f"cannot run: {answer.reason}"))
        elif (share := 100 * answer.warps / answer.slots) < least:
            found.append(
                Finding(row, "occupancy", "limit", f"occupancy {round(share, 2):g} %, the limit is {least:g} %")
            )
    return found


def worse(changes: Iterable[Change], rules: Iterable[Rule] = ()) -> list[Finding]:
    """What got worse than in the baseline by more than the rules let pass: without a rule by anything at all."""
    rules, found = tuple(rules), []
    for change in changes:
        before, after = change.before, change.after
        if before is None or after is None:
            continue
        held = [rule for rule in rules if rule.holds_for(after)]
        for measure in change.measures:
            if text := _worse(change, measure, held):
                name = "occupancy" if measure.name == "warps" else measure.name
                found.append(Finding(after, name, "baseline", text))
    return found


def _worse(change: Change, measure: Measure, rules: list[Rule]) -> str:
    """How much worse one figure got, in words; "" where it did not, or by no more than allowed."""
    plain = measure.name.replace("_", " ")
    before, after = measure.before, measure.after
    if before is not None and after is None:
        return (
            f"{plain if measure.name != 'warps' else 'occupancy'}: the report does not say any more, it was {before:,}"
        )
    if before is None or after is None:
        return ""
    if measure.name != "warps":
        allowed = max((rule.grow.get(measure.name, 0) for rule in rules), default=0)
        unit = "" if measure.unit == plain else f" {measure.unit}"
        return f"{plain} {before:,} → {after:,}{unit}" if measure.worse > allowed else ""
    old, new = (row.answer for row in change[2:] if row)
    if old is None or new is None or not old.runs:
        return ""
    if not new.runs:
        return f"cannot run any more: {new.reason}"
    lost = 100 * (old.warps / old.slots - new.warps / new.slots)
    if lost <= max((rule.lose for rule in rules), default=0.0) + 1e-9:
        return ""
    return f"occupancy {round(100 * old.warps / old.slots, 2):g} → {round(100 * new.warps / new.slots, 2):g} %"


def _said(plain: str, value: int, unit: str) -> str:
    amount = counted(value, unit)
    return amount if unit == plain else f"{plain} of {amount}"
