"""Comments and annotations of a deployment file -> the instructions in them not to count a finding.

    # advisor: ignore[vllm/pp-broadcast-skew, setting-removed] until=2027-01-31 upgrade planned
    # advisor: ignore-file[vllm/*] rendered from the chart, mended there
    advisor.dev/ignore: "pp-broadcast-skew until=2027-01-31 upgrade planned"
    advisor.dev/ignore.vllm.pp-broadcast-skew: "upgrade planned"

What was meant as one and cannot be followed comes back with its trouble, never silently nothing.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import replace
from datetime import date
from difflib import get_close_matches

from advisor.launches.comments import Comment, comments
from advisor.model.deployment import Deployment, Place, Workload
from advisor.model.lint import Region
from advisor.model.suppression import Directive
from advisor.redaction import redact

ANNOTATION = "advisor.dev/ignore"
FIRST_LINES = 10

_SAID = re.compile(r"(?:^|#)\s*advisor:\s*([A-Za-z-]+)(.*)$", re.DOTALL)  # advisor: ignore[x] until=2027-01-31 why
_NAMED = re.compile(r"\s*\[([^\]]*)\](.*)$", re.DOTALL)
_UNTIL = re.compile(r"(?:^|(?<=\s))until=(\S*)")


def of_comments(name: str, text: str, format: str = "") -> tuple[Directive, ...]:
    """The instructions in the comments of a file, in order. `format` as the readers call it, "" when not known."""
    found = comments(name, text, format)
    lines = text.replace("\r\n", "\n").replace("\r", "\n").split("\n") if found else []
    read = (_of_comment(name, one, lines) for one in found)
    return tuple(one for one in read if one is not None)


def _of_comment(name: str, comment: Comment, lines: Sequence[str]) -> Directive | None:
    said = _SAID.search(comment.text)
    if said is None:
        return None
    verb = said[1].lower()
    if verb not in ("ignore", "ignore-file"):
        near = get_close_matches(verb, ["ignore", "ignore-file"], 1, 0.75)
        if not near:
            return None  # a remark to somebody, not to us
    snippet = redact(lines[comment.line - 1])
    region = Region(name, comment.line, comment.column, comment.line, comment.end_column, snippet)
    start = Directive("comment", (), "", "", region, comment.covers if verb == "ignore" else None)
    if verb not in ("ignore", "ignore-file"):
        return replace(start, trouble=f"`{verb}` is not known; write `{near[0]}`")
    if verb == "ignore-file" and comment.line > FIRST_LINES:
        return replace(start, trouble=f"`ignore-file` has to stand in the first {FIRST_LINES} lines of the file")
    named = _NAMED.match(said[2])
    if named is None:
        return replace(start, trouble=f"it names no finding; write `{verb}[id] reason`")
    return worded(start, named[1], named[2])


def of_annotations(deployment: Deployment) -> tuple[Directive, ...]:
    """The instructions in the annotations of a file's objects, in order; each speaks of that object's launches."""
    found: dict[tuple[int, str], Directive] = {}
    for workload in deployment.workloads:
        for key, value, place in workload.annotations:
            if key != ANNOTATION and not key.startswith(f"{ANNOTATION}."):
                continue
            at = (place.start, key)
            if at in found:  # one object, several containers
                also = (*found[at].workloads, workload.identity())
                found[at] = replace(found[at], workloads=tuple(dict.fromkeys(also)))
            else:
                found[at] = _of_annotation(key, value, _region(deployment, place), workload)
    return tuple(found[at] for at in sorted(found))


def _of_annotation(key: str, value: str, region: Region, workload: Workload) -> Directive:
    start = Directive("annotation", (), "", "", region, workloads=(workload.identity(),))
    if key != ANNOTATION:
        return worded(start, key.removeprefix(f"{ANNOTATION}."), value)
    ids = re.match(r"\s*((?:[^\s,]+\s*,\s*)*[^\s,]+)(.*)$", value, re.DOTALL)
    if ids is None or ids[1].startswith("until="):
        return replace(start, trouble='it names no finding; write "id reason"')
    return worded(start, ids[1], ids[2])


def _region(deployment: Deployment, place: Place) -> Region:
    text = deployment.text
    begin = text.rfind("\n", 0, place.start) + 1
    last = text.rfind("\n", 0, max(place.start, place.end - 1)) + 1
    stop = text.find("\n", max(place.start, place.end - 1))
    snippet = redact(text[begin : stop if stop >= 0 else len(text)].rstrip("\r"))
    line = text.count("\n", 0, place.start) + 1
    end_line = line + text.count("\n", place.start, last)
    return Region(deployment.file, line, place.start - begin + 1, end_line, place.end - last + 1, snippet)


def worded(start: Directive, ids: str, rest: str) -> Directive:
    """`start` with its ids, its date and its reason read from words; with a trouble where they make no sense."""
    rules = tuple(dict.fromkeys(one for one in re.split(r"[\s,]+", ids.strip()) if one))
    until = _UNTIL.search(rest)
    reason = " ".join(_UNTIL.sub(" ", rest).split()).lstrip(":-—– ")
    told = replace(start, rules=rules, reason=redact(reason), until=until[1] if until else "")
    if not rules:
        return replace(told, trouble="it names no finding between the brackets")
    return replace(told, until="", trouble=wrong_date(told.until)) if until and wrong_date(told.until) else told


def wrong_date(until: str) -> str:
    """What is wrong with a date, "" when it is one."""
    try:
        date.fromisoformat(until)
    except ValueError:
        return f"`until={until}` is no date; write it as 2027-01-31"
    return "" if len(until) == len("2027-01-31") else f"`until={until}` is not written as 2027-01-31"
