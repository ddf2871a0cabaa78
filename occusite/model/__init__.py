"""The contract every vendor keeps: a launch's fields, budgets, limits, answers."""
