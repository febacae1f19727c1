"""Lint report -> SARIF 2.1.0, for GitHub code scanning and whatever else shows alerts and keeps track of them.

Every check that ran is listed, so that an alert that is gone can be closed; suppressed findings stay, marked. Names of
files are relative to `%SRCROOT%`. Same report, same bytes: no times, no machine.

`primaryLocationLineHash`, the one fingerprint that GitHub uses, is left to its upload action, which works it out from
the source line and warns about any value that is not its own.

**Source:** sarif-schema-2.1.0.json (errata 01); "SARIF support for code scanning" in github/docs; `fingerprints.ts` of
github/codeql-action.
"""

from __future__ import annotations

import re
from typing import Any

from advisor.model.lint import CheckOut, Kind, LintFinding, LintReport, Region
from advisor.model.rule import LEVELS, Level
from advisor.render.json import json_of
from advisor.render.lint_words import relative, uri
from advisor.render.markdown import escape
from advisor.render.quoting import many_lines, prose

SCHEMA = "https://docs.oasis-open.org/sarif/sarif/v2.1.0/errata01/os/schemas/sarif-schema-2.1.0.json"
CATEGORY = "inference-advisor/lint/"
FINGERPRINT = "inferenceAdvisor/v1"
LONGEST = 1024  # characters that GitHub takes of a description
MOST = 25_000  # results that GitHub takes of a run; it refuses the log of a run with more

# How often what a check says is so: it reads the file (high), or says what can happen (medium).
_PRECISION: dict[Kind, str] = {"suppression": "very-high", "exposure": "medium", "evidence": "medium"}
_SEVERITY: dict[Level, str] = {"error": "error", "warning": "warning", "note": "recommendation"}
_IN_SOURCE = ("comment", "annotation")
_LINK = re.compile(r"\[(?=[^\[\]]*\]\()")  # [text](target): a link in SARIF
_PLACEHOLDER = re.compile(r"\{(\d+)\}")  # {0}: an argument in SARIF


def sarif(report: LintReport, *, suppressed: bool = True) -> str:
    """The report as a SARIF log of one run. Without `suppressed` only findings that count are in it."""
    checks = _checks(report)
    index = {one.id: at for at, one in enumerate(checks)}
    files = {name: at for at, name in enumerate(_files(report))}  # by their URIs: two names can share one
    found, left_out = _worst([one for one in report.findings if suppressed or one.suppressed is None])
    baseline = any(one.suppressed and one.suppressed.how == "baseline" for one in report.findings)
    driver = {
        "name": "inference-advisor",
        "version": report.advisor,
        "semanticVersion": report.advisor,
        "rules": [_rule(one) for one in checks],
        "notifications": [
            {"id": "not-read", "shortDescription": {"text": "Something of a file could not be read"}},
            {"id": "note", "shortDescription": {"text": "Something about the run worth knowing"}},
        ],
        "properties": {"knowledgeAsOf": report.as_of},
    }
    run = {
        "tool": {"driver": driver},
        "automationDetails": {"id": CATEGORY},
        "originalUriBaseIds": {"%SRCROOT%": {"description": {"text": "The root of the checked out repository"}}},
        "columnKind": "unicodeCodePoints",
        "invocations": [
            {"executionSuccessful": True, "toolExecutionNotifications": [*_notifications(report, files), *left_out]}
        ],
        "artifacts": [{"location": {"uri": one, "uriBaseId": "%SRCROOT%"}} for one in files],
        "results": [_result(one, index, files, baseline) for one in found],
    }
    return json_of({"$schema": SCHEMA, "version": "2.1.0", "runs": [run]})


def _worst(findings: list[LintFinding]) -> tuple[list[LintFinding], list[dict[str, Any]]]:
    """As many findings as GitHub takes, the worst first where there are more, in their order; a note of the others."""
    if len(findings) <= MOST:
        return findings, []
    ranked = sorted(findings, key=lambda one: (one.suppressed is not None, LEVELS.index(one.level)))
    kept = {id(one) for one in ranked[:MOST]}
    said = f"{len(findings) - MOST} of {len(findings)} findings are left out, least first: GitHub takes {MOST} a run."
    return [one for one in findings if id(one) in kept], [_note(said)]


def _checks(report: LintReport) -> list[CheckOut]:
    """The checks that ran, and any that a finding names beside them."""
    known = {one.id: one for one in report.checks}
    for one in report.findings:
        known.setdefault(one.id, CheckOut(one.id, one.kind, one.level, one.id, "", ""))
    return list(known.values())


def _files(report: LintReport) -> list[str]:
    names = [one.name for one in report.files]
    for one in report.findings:
        names += [one.region.file, *(other.region.file for other in one.related)]
        if one.suppressed and one.suppressed.region:
            names.append(one.suppressed.region.file)
    return list(dict.fromkeys(map(uri, names)))


def _rule(one: CheckOut) -> dict[str, Any]:
    summary = prose(one.summary) or one.id
    details = prose(one.details) or summary
    told = [part for part in (details, prose(one.help)) if part]
    family = one.id.partition("/")[0] if "/" in one.id else ""
    return {
        "id": one.id,
        "name": one.id[:255],
        "shortDescription": {"text": _cut(summary)},
        "fullDescription": {"text": _cut(details)},
        "help": {
            "text": "\n\n".join(told),
            "markdown": "\n\n".join([f"**{escape(summary)}**", *(escape(part) for part in dict.fromkeys(told))]),
        },
        "defaultConfiguration": {"level": one.level},
        "properties": {
            "tags": [one.kind, *([family] if family else [])],
            "precision": _PRECISION.get(one.kind, "high"),
            "problem.severity": _SEVERITY[one.level],
        },
    }


def _cut(text: str) -> str:
    return text if len(text) <= LONGEST else text[: LONGEST - 1] + "…"


def _message(text: str) -> dict[str, str]:
    """Text without links or arguments of its own. Other braces stay single, as every viewer shows them so."""
    return {"text": _PLACEHOLDER.sub(r"{{\1}}", _LINK.sub(r"\\[", many_lines(text))) or "-"}


def _result(one: LintFinding, index: dict[str, int], files: dict[str, int], baseline: bool) -> dict[str, Any]:
    place: dict[str, Any] = {"physicalLocation": _physical(one.region, files)}
    if one.workload:
        place["logicalLocations"] = [{"name": one.workload, "fullyQualifiedName": one.workload, "kind": "resource"}]
    result: dict[str, Any] = {
        "ruleId": one.id,
        "ruleIndex": index[one.id],
        "level": one.level,
        "message": _message("\n".join([one.says, *(f"- {advice}" for advice in one.advice)])),
        "locations": [place],
        "partialFingerprints": {FINGERPRINT: one.fingerprint},
    }
    if one.related:
        result["relatedLocations"] = [
            {"id": at, "physicalLocation": _physical(other.region, files), "message": _message(other.says)}
            for at, other in enumerate(one.related, 1)
        ]
    if one.suppressed:
        result["suppressions"] = [_suppression(one, files)]
    if baseline:
        known = one.suppressed is not None and one.suppressed.how == "baseline"
        result["baselineState"] = "unchanged" if known else "new"
    result["properties"] = {
        "actionability": one.actionability,
        "edit": one.edit or "none",
        "because": list(one.because),
        "sources": [source.where for source in one.sources],
    }
    return result


def _suppression(one: LintFinding, files: dict[str, int]) -> dict[str, Any]:
    why = one.suppressed
    assert why is not None
    told: dict[str, Any] = {
        "kind": "inSource" if why.how in _IN_SOURCE else "external",
        "status": "accepted",
        "justification": why.reason,
    }
    if why.region:
        told["location"] = {"physicalLocation": _physical(why.region, files)}
    told["properties"] = {"how": why.how, **({"until": why.until} if why.until else {})}
    return told


def _physical(region: Region, files: dict[str, int]) -> dict[str, Any]:
    line, column = max(1, region.line), max(1, region.column)
    end_line = max(line, region.end_line)
    least = column if end_line == line else 1
    told: dict[str, Any] = {
        "startLine": line,
        "startColumn": column,
        "endLine": end_line,
        "endColumn": max(least, region.end_column),
    }
    if region.snippet:
        told["snippet"] = {"text": region.snippet}
    return {"artifactLocation": _artifact(region.file, files), "region": told}


def _artifact(name: str, files: dict[str, int]) -> dict[str, Any]:
    return {"uri": uri(name), "uriBaseId": "%SRCROOT%", "index": files[uri(name)]}


def _notifications(report: LintReport, files: dict[str, int]) -> list[dict[str, Any]]:
    unread = [
        {
            "descriptor": {"id": "not-read", "index": 0},
            "level": "warning",
            "message": _message(note.replace(one.name, relative(one.name)) if one.name else note),
            "locations": [{"physicalLocation": {"artifactLocation": _artifact(one.name, files)}}],
        }
        for one in report.files
        for note in one.notes
    ]
    return [*unread, *map(_note, report.notes)]


def _note(says: str) -> dict[str, Any]:
    return {"descriptor": {"id": "note", "index": 1}, "level": "note", "message": _message(says)}
