"""A kernel's name for people, from its mangled symbol: the part that can be read without a full demangler."""

from __future__ import annotations

_ANONYMOUS = ("_GLOBAL__N_", "_INTERNAL_")
_LONGEST = 4096


def readable(symbol: str) -> str:
    """`ns::kernel` from `_ZN2ns6kernelEPf`; names that are not mangled come back unchanged.

    Parameters are left out, and the name ends in "<…" where template arguments begin: what follows them needs the
    whole Itanium grammar, and half a guess would be a wrong name. A symbol that does not parse comes back as it is.
    """
    if not symbol.startswith("_Z"):
        return symbol
    text, at = symbol[:_LONGEST], 2
    parts: list[str] = []
    nested = text[at : at + 1] == "N"
    if nested:
        at += 1
        while text[at : at + 1] in ("r", "V", "K"):
            at += 1
    while True:
        if text.startswith("St", at) and not parts:
            parts.append("std")
            at += 2
            continue
        if text[at : at + 1] == "L":
            at += 1
        digits = at
        while text[digits : digits + 1].isdecimal() and digits - at < 5:
            digits += 1
        if digits == at:
            break
        length = int(text[at:digits])
        part = text[digits : digits + length]
        if not length or len(part) < length:
            return symbol
        parts.append("(anonymous namespace)" if part.startswith(_ANONYMOUS) else part)
        at = digits + length
        if not nested and parts != ["std"]:
            break
    if not parts or parts == ["std"]:
        return symbol
    rest = text[at : at + 1]
    if rest == "I":
        return "::".join(parts) + "<…"
    return "::".join(parts) if not nested or rest == "E" else symbol
