"""One call of a tool -> its answer: arguments checked, one job asked, its report as text and as data.

Runs in a worker process, so that a long call neither blocks the protocol nor outlives its time. Nothing of the protocol
is known here; what was asked wrongly is an answer too, marked as an error.
"""

from __future__ import annotations

import json
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

from advisor.errors import AdvisorError, UsageError
from advisor.faces.evidence import answered
from advisor.faces.mcp import asked
from advisor.faces.mcp.roots import Roots
from advisor.jobs.request import File, Request
from advisor.model.suppression import Configuration
from advisor.redaction import one_answer
from advisor.redaction.cover import covered_line
from advisor.render.json import json_of
from advisor.render.language import speaking

WIDTH = 100
MOST_SETTINGS = 60  # of a release, in a brief answer


@dataclass(frozen=True)
class Answer:
    """What a call came to. `data` is what `--format json` prints, None where a command has no such format."""

    text: str
    data: dict[str, Any] | None = None
    failed: bool = False


def call(name: str, arguments: Mapping[str, Any], roots: tuple[str, ...]) -> Answer:
    """The answer of a tool; a wrong call or an input that cannot be read is one line, `failed`."""
    try:
        with one_answer():
            return TOOLS[name](arguments, Roots(roots))
    except AdvisorError as error:
        return Answer(covered_line(error.line().removeprefix("--")), failed=True)  # an option is an argument here


def _data(noun: object) -> dict[str, Any]:
    found: dict[str, Any] = json.loads(json_of(noun))
    return found


def _check(arguments: Mapping[str, Any], roots: Roots) -> Answer:
    from advisor.jobs.check import check
    from advisor.render.brief import as_tools, brief, without_chinese
    from advisor.render.markdown import written
    from advisor.render.outline import outline

    given = asked.taken(asked.Check, arguments)
    files, notes = _evidence(given.texts, given.files, roots)
    request = Request(
        engine=given.engine,
        version=given.version,
        flags=given.flags,
        env=given.env,
        components=given.component,
        hardware=given.hardware,
        model=given.model,
        symptoms=given.symptom,
        files=files,
        unread=notes,
        bare_is_complete=given.complete,
    )
    report = check(_told(request, given.said)).report
    full = given.detail == "full"
    with speaking(given.lang):
        text = written(as_tools(outline(report if full else brief(report, told=True), every=full)))
    return Answer(text, _data(report if full else without_chinese(brief(report))))


def _told(request: Request, said: tuple[str, ...]) -> Request:
    """The request with what was answered to questions, each where an option of its own would put it."""
    from advisor.jobs.answering import Step, follow

    steps = []
    for one in answered(list(said)):
        if one.about.startswith("wanted:"):
            raise UsageError("is no question to answer in words", one.about, "hand over what it asks for, in texts")
        steps.append(Step(one.about, one.answer))
    try:
        return follow(request, steps).request
    except UsageError as error:
        known = error.where != "--said"
        hint = error.hint if known else "ABOUT is the `about` of a question, as an earlier answer has it"
        raise UsageError(error.what, "said", hint) from None


def _evidence(
    texts: tuple[asked.Text, ...], named: tuple[str, ...], roots: Roots
) -> tuple[tuple[File, ...], tuple[str, ...]]:
    """The files of a call, and what was left out of those that were named by path."""
    found = [File(one.name, content, one.kind) for one, content in _contents(texts)]
    notes: list[str] = []
    for name in named:
        files, said = roots.files(name)
        found += files
        notes += said
    return tuple(found), tuple(notes)


def _contents(texts: tuple[asked.Text, ...]) -> list[tuple[asked.Text, bytes]]:
    encoded = [(one, one.content.encode("utf-8", "replace")) for one in texts]
    if sum(len(content) for _, content in encoded) > asked.TEXT_BYTES:
        hint = "name the file in files, or hand over the part around the failure"
        raise UsageError(f"hold more than {asked.TEXT_BYTES >> 20} MiB together", "texts", hint)
    return encoded


def _lint(arguments: Mapping[str, Any], roots: Roots) -> Answer:
    from advisor.jobs import lint as job
    from advisor.render.brief import brief_lint
    from advisor.render.lint_markdown import lint_markdown

    given = asked.taken(asked.Lint, arguments)
    if not (given.texts or given.paths):
        raise UsageError("nothing to lint", "texts, paths", "hand over manifests or scripts, or name their paths")
    places = tuple(map(roots.place, given.paths))
    settings = _configured(places, roots)
    request = job.LintRequest(
        paths=places,
        today=datetime.now(UTC).date(),
        exclude=(*settings.exclude, *given.exclude),
        evidence=given.evidence,
        processes=1,
        configuration=settings,
        given=tuple((one.name, content) for one, content in _contents(given.texts)),
        complete=bool(places) and not given.texts and all(one.is_dir() for one in places),
    )
    report = job.lint(request)
    job.expect_recognised(report, (*places, *(Path(one.name) for one in given.texts)))
    shown = report if given.detail == "full" else brief_lint(report)
    with speaking(given.lang):
        return Answer(lint_markdown(shown), _data(shown))


def _configured(places: Sequence[Path], roots: Roots) -> Configuration:
    """What the nearest advisor.toml or pyproject.toml says, as for the command, but of those below the roots alone."""
    from advisor.jobs.lint import NAMES, configuration

    for folder in (place for first in places[:1] for place in (first, *first.parents) if roots.holds(place)):
        for file in (folder / name for name in NAMES):
            if file.is_file() and roots.holds(file.resolve()):
                found = configuration((), file)
                if found != Configuration(file=found.file):  # a pyproject.toml that does not speak of us says nothing
                    return found
        if (folder / ".git").exists():
            break
    return Configuration()


def _explain(arguments: Mapping[str, Any], roots: Roots) -> Answer:
    from advisor.jobs.explain import find, fixes
    from advisor.render.rule_markdown import rule_markdown

    given = asked.taken(asked.Explain, arguments)
    found = find(given.rule)
    with speaking(given.lang):
        return Answer(rule_markdown(found, fixes(found)))


def _flags(arguments: Mapping[str, Any], roots: Roots) -> Answer:
    from advisor.jobs import flags as job
    from advisor.render import reference_pages

    given = asked.taken(asked.Flags, arguments)
    with speaking(given.lang):
        if given.since:
            changed = job.diff(given.engine, given.since, given.version, given.grep)
            _few(len(changed.flags) + len(changed.variables), given)
            return Answer(reference_pages.diff_page(changed, width=WIDTH), _data(changed))
        found = job.settings(given.engine, given.version, given.grep)
        _few(len(found.flags) + len(found.variables), given)
        return Answer(reference_pages.settings_page(found, width=WIDTH), _data(found))


def _few(count: int, given: asked.Flags) -> None:
    """A list cut short would say of a flag that it does not exist; so a long one is refused instead."""
    if given.detail == "brief" and count > MOST_SETTINGS:
        hint = "narrow it with grep, such as spec or tensor-parallel; detail: full gives all of it"
        raise UsageError(f"{count} settings are too many for a brief answer", "flags", hint)


def _search(arguments: Mapping[str, Any], roots: Roots) -> Answer:
    from advisor.jobs.search import search
    from advisor.render.brief import named
    from advisor.render.search_page import page

    given = asked.taken(asked.Search, arguments)
    found = search(given.text, given.engine, given.most)
    with speaking(given.lang):
        return Answer(named(page(found, WIDTH)), _data(found))


TOOLS: dict[str, Callable[[Mapping[str, Any], Roots], Answer]] = {
    "check": _check,
    "lint": _lint,
    "explain": _explain,
    "flags": _flags,
    "search": _search,
}


def rules() -> tuple[tuple[str, str], ...]:
    """Every rule's id and summary. Asked for at the start, it also leaves the worker with the catalogue loaded."""
    from advisor.jobs.judging import catalogue

    return tuple((rule.id, rule.summary) for rule in catalogue())


def outputs() -> dict[str, dict[str, Any]]:
    """The JSON Schema of what a tool gives as data, by tool."""
    from advisor.render.schema import schema_of, settings_schema

    made = {"check": schema_of("report"), "lint": schema_of("lint"), "search": schema_of("search")}
    return {name: json.loads(text) for name, text in {**made, "flags": settings_schema()}.items()}
