"""Guided targets through the front door: a whole check, a lint and a fix, in every format they can be written in."""

from __future__ import annotations

import datetime as dt
import json
import re
from collections.abc import Iterator
from typing import Any

from advisor.errors import UsageError
from advisor.intake.texts import decode
from advisor.jobs import directives
from advisor.jobs import lint as lint_job
from advisor.jobs.check import check as judge
from advisor.jobs.draft import draft
from advisor.jobs.mending import mend
from advisor.jobs.request import File, Request
from advisor.jobs.search import search
from advisor.launches.comments import comments
from advisor.launches.files.recognise import read_file
from advisor.model.lint import LintReport
from advisor.model.report import Report
from advisor.render.annotations import annotations as github
from advisor.render.gitlab import gitlab
from advisor.render.html import html
from advisor.render.json import json as as_json
from advisor.render.junit import junit
from advisor.render.language import speaking
from advisor.render.lint_json import lint_json
from advisor.render.lint_markdown import lint_markdown
from advisor.render.lint_text import lint_text
from advisor.render.markdown import markdown
from advisor.render.quoting import one_line
from advisor.render.sarif import sarif
from advisor.render.text import text as as_text
from tests.fuzz.oracles import assert_printable, assert_regions, assert_valid, raises_only
from tests.fuzz.readers import KNOWN, MANIFESTS
from tests.fuzz.target import Target, picked

WAYS = ("file", "log", "stack", "symptom", "flags", "version", "hardware", "env", "paste")
TODAY = dt.date(2026, 11, 30)


def checked(data: bytes) -> None:
    """`advisor check` on one input, given in any of the ways there are."""
    way, data = picked(data, WAYS)
    engine, data = picked(data, ("", "vllm", "sglang", "lmdeploy", "xllm"))
    text = data.decode("utf-8", "replace")
    ways: dict[str, dict[str, Any]] = {
        "file": {"files": (File("input", data),)},
        "log": {"files": (File("input", data, "log"),)},
        "stack": {"files": (File("input", data, "stack"),)},
        "paste": {"files": (File("-", data),)},
        "symptom": {"symptoms": (text,)},
        "flags": {"flags": (text,)},
        "version": {"version": text},
        "hardware": {"hardware": (text,)},
        "env": {"env": (text,)},
    }
    try:
        report = judge(Request(engine=engine, **ways[way])).report
    except UsageError as error:
        assert_printable(one_line(error.line()), "an error")
        return
    with speaking(("en", "zh")[len(data) % 2]):
        for at, write in enumerate((_as_text, markdown, html)):
            if len(data) % 5 in (at, 4):  # each format now and then: they take longer than the judgement
                assert_printable(write(report), "the report")
    found = assert_valid("report", as_json(report))
    last = decode(data).count("\n") + 1
    for name, line in _places(found):
        assert name not in ("input", "-", f"--{way}") or 1 <= line <= last, (name, line, last)


def _as_text(report: Report) -> str:
    return as_text(report, colour=False, width=80, verbose=True)


_PLACE = re.compile(r"(.+?):(\d+)(?:-(\d+))?\Z", re.DOTALL)


def _places(value: Any) -> Iterator[tuple[str, int]]:
    """The name and the lines of each `file:line-line` that a report has for a place."""
    if isinstance(value, dict):
        for key, one in value.items():
            if key == "place" and isinstance(one, str) and (found := _PLACE.match(one)):
                yield found[1], int(found[2])
                yield found[1], int(found[3] or found[2])
            else:
                yield from _places(one)
    elif isinstance(value, list):
        for one in value:
            yield from _places(one)


def linted(data: bytes) -> None:
    """`advisor lint` on one file of any name, in every format."""
    name, content = picked(data, MANIFESTS)
    request = lint_job.LintRequest(paths=(), today=TODAY, given=((name, content),), evidence=True)
    report = lint_job.lint(request)
    text = read_file(name, content, KNOWN).text
    assert_regions(report, {name: text})
    assert_valid("lint", lint_json(report))
    for at, sound in enumerate((_people, _sarif, _services)):
        if len(data) % 4 in (at, 3):
            sound(report)


def _people(report: LintReport) -> None:
    assert_printable(lint_text(report, colour=False, width=80, verbose=True), "the text")
    assert_printable(lint_markdown(report), "the Markdown")


def _sarif(report: LintReport) -> None:
    made = json.loads(sarif(report))
    assert made["version"] == "2.1.0" and len(made["runs"][0]["results"]) >= len(report.findings)


def _services(report: LintReport) -> None:
    assert isinstance(json.loads(gitlab(report)), list)
    told = github(report)
    assert_printable(told, "the annotations")
    assert "##[" not in told and len(re.findall("(?m)^ *::", told)) <= len(report.findings), told
    assert_printable(junit(report, report.findings), "the JUnit")


def suppressed(data: bytes) -> None:
    """Comments for the advisor in a file of any name: what they cover is in it, and they name rules or are told of."""
    name, content = picked(data, MANIFESTS)
    text = content.decode("utf-8", "replace")
    lines = text.replace("\r\n", "\n").replace("\r", "\n").split("\n")
    for one in comments(name, text):
        assert 1 <= one.line <= len(lines) and 1 <= one.covers[0] <= one.covers[1] <= len(lines), one
    for each in directives.of_comments(name, text):
        assert each.trouble or each.rules, each
        assert each.lines is None or 1 <= each.lines[0] <= each.lines[1] <= len(lines), each
        assert "advisor" in lines[each.region.line - 1].lower(), each


def fixed(data: bytes) -> None:
    """`advisor fix` on one file: read again it is as asked; done twice it is as done once."""
    name, content = picked(data, MANIFESTS)
    before = read_file(name, content, KNOWN)
    if not before.workloads:
        return
    once = mend(before, KNOWN, unsafe=True)
    again = mend(once.deployment, KNOWN, unsafe=True)
    assert again.deployment.text == once.deployment.text, "fixed twice"
    assert len(once.deployment.workloads) == len(before.workloads), "a launch is lost"


def words(data: bytes) -> None:
    """An issue's text: searched, and drafted into a rule file, in whatever words."""
    how, data = picked(data, ("search", "draft"))
    text = data.decode("utf-8", "replace")
    if how == "search":
        raises_only(UsageError, lambda: search(text))
    else:
        raises_only(UsageError, lambda: draft(text, "issue.md", "2026-11-30", "vllm/some-failure"))


TARGETS = (
    Target("check", "a report in every format: valid, printable, its places exist", checked, 6144),
    Target("lint", "findings in every format: valid, printable, their places exist", linted, 6144),
    Target("comments", "what a suppression covers is in the file", suppressed, 2048),
    Target("fix", "fixed twice is fixed once; no launch is lost", fixed, 4096),
    Target("words", "any issue is searched and drafted", words, 4096),
)
