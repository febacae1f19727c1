"""A lint report <-> a baseline: the findings that were there when linting began, which are not to be counted.

    {
    "schema": "advisor-baseline/1",
    "findings": [
    {"fingerprint": "5e1f…", "id": "vllm/pp-broadcast-skew", "file": "a.yaml", "workload": "…", "fact": "…"}
    ]
    }

Entries are keyed by fingerprint alone, which knows no lines; the rest is for people. One finding a line and a fixed
order make it fit for review and merge.
"""

from __future__ import annotations

import json
from collections.abc import Mapping
from dataclasses import replace
from typing import Any

from advisor.errors import UsageError
from advisor.model.lint import LintFinding, LintReport, SuppressionOut

SCHEMA = "advisor-baseline/1"
REASON = "known from the baseline"
_HINT = "write it anew with --write-baseline"


def kept(report: LintReport) -> list[LintFinding]:
    """The findings that a baseline of this report holds."""
    return [one for one in report.findings if one.suppressed is None or one.suppressed.how == "baseline"]


def write(report: LintReport) -> str:
    """The baseline of all findings that count, or that only a baseline keeps from counting."""
    entries = {one.fingerprint: _entry(one) for one in kept(report)}
    order = sorted(entries.values(), key=lambda one: (one["file"], one["id"], one["workload"], one["fingerprint"]))
    lines = ",\n".join(json.dumps(one) for one in order)
    return f'{{\n"schema": "{SCHEMA}",\n"findings": [\n{lines}\n]\n}}\n' if lines else _EMPTY


_EMPTY = f'{{\n"schema": "{SCHEMA}",\n"findings": []\n}}\n'


def _entry(one: LintFinding) -> dict[str, str]:
    return {
        "fingerprint": one.fingerprint,
        "id": one.id,
        "file": one.region.file,
        "workload": one.workload,
        "fact": "; ".join(one.because) or one.says,
    }


def apply(report: LintReport, text: str, name: str = "baseline", *, complete: bool = True) -> LintReport:
    """The report with known findings marked as suppressed, and a note for each entry that no longer occurs.

    `complete` is False where only some files were looked at: then only entries of those files can be missed. Raises
    UsageError naming `name` when the text is no baseline.
    """
    known = _read(text, name)
    findings = tuple(_marked(one) if one.fingerprint in known else one for one in report.findings)
    seen = {one.fingerprint for one in report.findings}
    files = {one.name for one in report.files}
    gone = [one for key, one in known.items() if key not in seen and (complete or one["file"] in files)]
    return replace(report, findings=findings, notes=(*report.notes, *(_note(one, name) for one in gone)))


def _marked(one: LintFinding) -> LintFinding:
    return one if one.suppressed else replace(one, suppressed=SuppressionOut("baseline", REASON, "", None))


def _note(one: Mapping[str, str], name: str) -> str:
    about = f" ({one['workload']})" if one["workload"] else ""
    return f"{name}: {one['id']} in {one['file']}{about} does not occur any more; its line can go"


def _read(text: str, name: str) -> dict[str, dict[str, str]]:
    try:
        raw: Any = json.loads(text)
    except (ValueError, RecursionError) as error:
        said = f"line {error.lineno}: {error.msg}" if isinstance(error, json.JSONDecodeError) else "not JSON"
        raise UsageError(f"is no baseline: {said}", name, _HINT) from None
    if not isinstance(raw, dict) or raw.get("schema") != SCHEMA:
        raise UsageError(f"is no baseline: its schema is not {SCHEMA}", name, _HINT)
    entries = raw.get("findings")
    if not isinstance(entries, list):
        raise UsageError("is no baseline: it has no list of findings", name, _HINT)
    return {entry["fingerprint"]: entry for entry in (_checked(one, at, name) for at, one in enumerate(entries, 1))}


def _checked(raw: Any, at: int, name: str) -> dict[str, str]:
    fields = ("fingerprint", "id", "file", "workload", "fact")
    if not isinstance(raw, dict) or not isinstance(raw.get("fingerprint"), str):
        raise UsageError(f"entry {at} of its findings has no fingerprint", name, _HINT)
    return {field: raw[field] if isinstance(raw.get(field), str) else "" for field in fields}
