"""The contract every vendor keeps: fields of a launch, terms, budgets, limits, steps, answers. It imports nothing else."""

from __future__ import annotations

from occusite.model.answer import Device, Limit, Occupancy, RuleSet
from occusite.model.fields import REQUIRED, Field
from occusite.model.terms import Budget, Phrase, Step, Terms

__all__ = ["REQUIRED", "Budget", "Device", "Field", "Limit", "Occupancy", "Phrase", "RuleSet", "Step", "Terms"]
