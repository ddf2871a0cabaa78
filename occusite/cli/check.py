"""`occusite check`: fails where a kernel breaks a limit or got worse than a baseline, for continuous integration."""

from __future__ import annotations

from typing import TYPE_CHECKING, Annotated

from occusite.cli import builds, options
from occusite.cli.output import note, show_json
from occusite.cli.parser import Argument, Exit, option
from occusite.model.checks import choice
from occusite.model.terms import counted

if TYPE_CHECKING:
    from occusite.questions.kernels import KernelAnswer
    from occusite.questions.limits import Finding, Rule

FORMATS = ("text", "json", "sarif")


def check(
    reports: Annotated[
        list[str],
        Argument("PATH...", "Reports of the build to check, or - for the standard input.", True, "reports to check"),
    ],
    baseline: Annotated[
        str | None, option("--baseline", metavar="PATH", help="The report of an earlier build: nothing may get worse.")
    ] = None,
    limits: Annotated[
        str | None, option("--limits", metavar="FILE", help="A TOML file of rules: limits, and what may get worse.")
    ] = None,
    threads: builds.Threads = None,
    dynamic_shared: builds.DynamicShared = None,
    device: builds.Device = None,
    architecture: builds.Architecture = "",
    format: Annotated[
        str, option("--format", metavar="|".join(FORMATS), help="Text, JSON, or SARIF 2.1.0 for code scanning.")
    ] = "text",
    json: options.Json = False,
) -> None:
    """Fails when kernels break limits or get worse.

    A kernel fails by its registers, spills, shared memory, stack or occupancy, against a rule of --limits or the same
    kernel of --baseline. Exits with 1 when one fails, with 2 when something cannot be read.
    """
    from occusite.questions import kernels
    from occusite.questions.changes import compare
    from occusite.questions.limits import judged, worse

    form = choice("format", "json" if json else format, FORMATS)
    if baseline is None and limits is None:
        raise ValueError("baseline, limits: missing; give --baseline, --limits or both")
    rules = _rules(limits) if limits is not None else ()
    answers = builds.answers(threads, dynamic_shared, device)
    placed = [(path, row) for path in reports for row in builds.rows(path, answers, architecture)]
    every = [row for _, row in placed]
    findings = judged(every, rules)
    if baseline is not None:
        # Kernels may move from file to file: all reports together are compared with the baseline.
        findings += worse(compare(builds.rows(baseline, answers, architecture), every), rules)
    paths = {id(row): path for path, row in placed}
    found = [(paths[id(finding.row)], finding) for finding in findings]
    for rule in rules:
        if not any(rule.holds_for(row) for row in every):
            note(f"limits: no kernel matches {rule.kernel!r}{' of ' * bool(rule.architecture)}{rule.architecture}")
    if form == "text":
        _show(found, every)
        for text in kernels.remarks(every):
            note(text)
    elif form == "json":
        show_json({"kernels": len(every), "findings": [_record(path, finding) for path, finding in found]})
    else:
        from occusite.cli.sarif import sarif

        show_json(sarif(found))
    if found:
        raise Exit(1)


def _rules(path: str) -> tuple[Rule, ...]:
    import tomllib
    from pathlib import Path

    from occusite.questions.limits import rules_from

    try:
        return rules_from(tomllib.loads(Path(path).read_text(encoding="utf-8")))
    except OSError as error:
        raise ValueError(f"limits: {path!r} cannot be read; {error.strerror or error}") from None
    except UnicodeDecodeError:
        raise ValueError(f"limits: {path!r} is not UTF-8 text") from None
    except tomllib.TOMLDecodeError as error:
        raise ValueError(f"limits: {path!r} is not TOML: {error}") from None


def _show(found: list[tuple[str, Finding]], every: list[KernelAnswer]) -> None:
    for path, finding in found:
        report = finding.row.report
        place = ": ".join(filter(None, (path, report.where)))
        of = f" ({report.architecture})" if report.architecture else ""
        print(f"{place}: {report.name or '?'}{of}: {finding.text}")
    failed = len({(path, id(finding.row)) for path, finding in found})
    told = (
        f"{failed:,} of {counted(len(every), 'kernels')} failed"
        if found
        else f"{counted(len(every), 'kernels')} passed"
    )
    print(told)


def _record(path: str, finding: Finding) -> dict[str, object]:
    report = finding.row.report
    return {
        "path": path,
        "where": report.where,
        "kernel": report.kernel,
        "name": report.name,
        "architecture": report.architecture,
        "measure": finding.measure,
        "rule": finding.rule,
        "text": finding.text,
    }
