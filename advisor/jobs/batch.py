"""JSON lines in, reports out: one case a line with the keys id engine version launch env hardware symptom log.

Every value is text and may be empty or absent. A line that is not such a case, names no engine that is known, or has a
key of another name still gives a report, saying so.
"""

from __future__ import annotations

import json
from collections.abc import Iterable, Iterator
from dataclasses import replace
from difflib import get_close_matches

from advisor.errors import UsageError
from advisor.jobs.assemble import engine_name
from advisor.jobs.check import check_all
from advisor.jobs.request import File, Request
from advisor.model.report import Report
from advisor.redaction import redact

_PLAIN = str | int | float | None
TOGETHER = 50
"""Cases that are judged together."""
LARGE = 1 << 18
"""Characters of cases above which they are not: what is read of them is held for all at once."""
KEYS = ("id", "engine", "version", "launch", "env", "hardware", "symptom", "log")


def reports(content: str) -> Iterator[tuple[Report, str]]:
    """A report for each line that is not blank, in order, and what is wrong with the line ("" when nothing is)."""
    for lines in _together(lines_of(content)):
        yield from _reports(lines)


def lines_of(content: str) -> list[str]:
    """The lines that are not blank. Only a line feed ends one: JSON may hold every other kind of line end as it is."""
    return [line for line in content.removeprefix("\ufeff").split("\n") if line.strip()]


def _together(lines: Iterable[str]) -> Iterator[list[str]]:
    """The lines by as many as are judged together: some, unless they are large."""
    group: list[str] = []
    size = 0
    for line in lines:
        if group and (len(group) == TOGETHER or size + len(line) > LARGE):
            yield group
            group, size = [], 0
        group.append(line)
        size += len(line)
    if group:
        yield group


def _reports(lines: Iterable[str]) -> Iterator[tuple[Report, str]]:
    read = [_request(line) for line in lines]
    for report, (_, problem) in zip(check_all([one for one, _ in read]), read, strict=True):
        if problem:
            from advisor.redaction.cutting import cut

            notes = (cut(redact(problem)), *report.coverage.notes)
            report = replace(report, coverage=replace(report.coverage, notes=notes))
        yield report, problem


def _request(line: str) -> tuple[Request, str]:
    """What a line asks, and what is wrong with it."""
    case, problem = _case(line)
    case = {key: _text(value) for key, value in case.items()}
    odd = [key for key in KEYS if not isinstance(case.get(key, ""), str | None if key == "engine" else _PLAIN)]
    texts = {key: "" if key in odd or case.get(key) is None else str(case[key]) for key in KEYS if key in case}
    strange = [_strange(key) for key in case if key not in KEYS]
    said = [problem, *strange, f"not text: {', '.join(odd)}" if odd else "", _unknown_engine(texts)]
    return request({key: texts.get(key, "") for key in KEYS}), "; ".join(one for one in said if one)


def _case(line: str) -> tuple[dict[str, object], str]:
    """The line's object, and why there is none ("" when there is one)."""
    try:
        value = json.loads(line)
    except ValueError as error:
        return {}, f"not JSON: {error}"
    except RecursionError:
        return {}, "not a case: nested too deeply"
    return (value, "") if isinstance(value, dict) else ({}, "not a JSON object")


def _strange(key: str) -> str:
    near = get_close_matches(key, KEYS, n=1, cutoff=0.6)
    return f"unknown key {key!r}: " + (f"did you mean {near[0]}?" if near else f"keys are {' '.join(KEYS)}")


def _unknown_engine(texts: dict[str, str]) -> str:
    """What is wrong with the engine's name: a slip counts as not given, another product has no rules here."""
    try:
        engine_name(texts.get("engine", ""), strict=True)
    except UsageError as error:
        texts["engine"] = "" if "did you mean" in (error.hint or "") else texts["engine"]
        return f"{error.what}: {error.hint}"
    return ""


def _text(value: object) -> object:
    """Variables given as an object, and several texts given as a list, as the one text they stand for."""
    if isinstance(value, dict) and all(isinstance(one, str | int | float) for one in value.values()):
        return " ".join(f"{name}={one}" for name, one in value.items())
    if isinstance(value, list) and all(isinstance(one, str) for one in value):
        return "\n".join(value)
    return value


def request(case: dict[str, str]) -> Request:
    """The request of one batch line. Nothing in it is an error: a batch is evidence, not instructions."""

    def some(key: str) -> tuple[str, ...]:
        return (case[key],) if case[key].strip() else ()

    return Request(
        engine=case["engine"],
        version=case["version"],
        flags=some("launch"),
        env=some("env"),
        hardware=some("hardware"),
        symptoms=some("symptom"),
        files=(File("log", case["log"].encode("utf-8", "replace")),) if case["log"].strip() else (),
        id=case["id"],
        strict=False,
        bare_is_complete=False,
        excerpts=False,
    )
