"""Findings as SARIF 2.1.0 (OASIS standard), the form that code scanning services read."""

from __future__ import annotations

import re
from collections.abc import Sequence
from hashlib import sha256
from pathlib import Path
from typing import TYPE_CHECKING, Any
from urllib.parse import quote

if TYPE_CHECKING:
    from occusite.questions.limits import Finding

SCHEMA = "https://docs.oasis-open.org/sarif/sarif/v2.1.0/errata01/os/schemas/sarif-schema-2.1.0.json"
# What a finding is about, with the rule's text.
RULES = {
    "registers": "Registers per thread stay within the limit and the baseline",
    "spills": "Spilled bytes per thread stay within the limit and the baseline",
    "shared_memory": "Shared memory per block stays within the limit and the baseline",
    "stack": "Stack per thread stays within the limit and the baseline",
    "occupancy": "Occupancy stays above the limit and the baseline",
}


def sarif(found: Sequence[tuple[str, Finding]]) -> dict[str, Any]:
    """The log of one run: a result for each finding, at its line of the report where that is known."""
    from occusite import __version__

    rules = [{"id": name, "shortDescription": {"text": text}} for name, text in RULES.items()]
    return {
        "$schema": SCHEMA,
        "version": "2.1.0",
        "runs": [
            {
                "tool": {"driver": {"name": "occusite", "version": __version__, "rules": rules}},
                "columnKind": "unicodeCodePoints",
                "results": [_result(path, finding) for path, finding in found],
            }
        ],
    }


def _result(path: str, finding: Finding) -> dict[str, Any]:
    report = finding.row.report
    name = report.name or "a kernel without a name"
    of = f" ({report.architecture})" if report.architecture else ""
    line = re.search(r"\bline (\d+)", report.where)
    # Services want a line: a report without lines, such as a binary, has its first.
    first = max(int(line[1]), 1) if line else 1
    place = {"artifactLocation": {"uri": _uri(path)}, "region": {"startLine": first}}
    # The same finding of the next build has the same print, whatever its line.
    print_of = sha256(
        "\0".join((report.kernel, report.architecture, finding.measure, finding.rule)).encode()
    ).hexdigest()
    return {
        "ruleId": finding.measure,
        "ruleIndex": list(RULES).index(finding.measure),
        "level": "error",
        "message": {"text": f"{name}{of}: {finding.text}"},
        "locations": [
            {
                "physicalLocation": place,
                "logicalLocations": [{"fullyQualifiedName": report.kernel or name, "kind": "function"}],
            }
        ],
        "partialFingerprints": {"kernel/v1": print_of},
    }


def _uri(path: str) -> str:
    """A report's place: relative to where the command runs, as services want it; a file: URL for one elsewhere."""
    if path == "-":
        return "stdin"
    place = Path(path)
    if place.is_absolute():
        if not place.is_relative_to(Path.cwd()):
            return place.as_uri()
        place = place.relative_to(Path.cwd())
    return quote(place.as_posix())
