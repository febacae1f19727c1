"""A draft -> the files of its rule: YAML with comments, a blank for all that is not known, and cases to fill in."""

from __future__ import annotations

import re
from functools import cache
from typing import TYPE_CHECKING

from advisor.model.draft import BLANK, Draft

if TYPE_CHECKING:
    from jinja2 import Environment


_UNSAFE = re.compile(
    "[\x00-\x08\x0b-\x1f\x7f-\x84\x86-\x9f\u200e\u200f\u202a-\u202e\u2066-\u2069\ud800-\udfff\ufeff\ufffe\uffff]"
)
"""What YAML does not take, and what drives a terminal or turns text round."""


def files_of(draft: Draft) -> dict[str, str]:
    """The files by their path below the rules folder."""
    folder = f"{draft.id}"
    cases = _cases(draft)
    made = {f"{folder}/rule.yaml": _rule(draft), **{f"{folder}/cases/{name}": text for name, text in cases.items()}}
    return {name: _UNSAFE.sub("?", text) for name, text in made.items()}


def _rule(draft: Draft) -> str:
    return _environment().get_template("rule.yaml.j2").render(d=draft, source=_source(draft), blank=_blank)


def _source(draft: Draft) -> str:
    where = f"url: {_quoted(draft.threads[0])}" if draft.threads else f"artefact: {_quoted(_blank('what was read'))}"
    return f"{{{where}, date: {_quoted(_blank('its day, YYYY-MM-DD'))}}}"


def _cases(draft: Draft) -> dict[str, str]:
    engine = f"  engine: {draft.engine}\n" if draft.engine not in ("", "any") else ""
    version = f"  version: {_quoted(draft.given)}\n" if draft.given else ""
    todo = 'todo: "drafted: to be held to once the blanks of the rule are filled"\n'
    todo += f"source: [{_source(draft)}]\n"
    said = f"  symptom: [{_quoted(_blank('what a user would say, in your own words'))}]\n"
    made = {
        "quiet-first-fixed-build/expect.yaml": f"given:\n{engine}{said}expect:\n  status: none\n{todo}",
        "unsure-build-not-given/expect.yaml": f"given:\n{engine}{said}expect:\n  status: possible\n  asks: []\n{todo}",
    }
    if draft.report:
        given = f"given:\n{engine}{version}" if engine or version else "given: {}\n"
        made["fires-report/report.md"] = draft.report
        made["fires-report/expect.yaml"] = f"{given}expect:\n  status: matched\n  leads: true\n{todo}"
    else:
        made["fires-as-reported/expect.yaml"] = (
            f"given:\n{engine}{said}expect:\n  status: matched\n  leads: true\n{todo}"
        )
    return dict(sorted(made.items()))


@cache
def _environment() -> Environment:
    from jinja2 import Environment, PackageLoader, StrictUndefined

    made = Environment(
        loader=PackageLoader("advisor.render"),
        trim_blocks=True,
        lstrip_blocks=True,
        keep_trailing_newline=True,
        undefined=StrictUndefined,
        autoescape=False,  # noqa: S701 - YAML, whose quoting the filters see to
    )
    made.filters |= {"quoted": _quoted, "single": _single, "comment": _comment, "alias": _alias}
    return made


def _blank(question: str) -> str:
    return f"{BLANK} {question}"


def _quoted(text: str) -> str:
    """A double-quoted YAML text on one line."""
    escaped = "".join(
        f"\\u{ord(one):04x}" if ord(one) < 32 or one in "\x7f\x85\u2028\u2029" else f"\\{one}" if one in '"\\' else one
        for one in text
    )
    return f'"{escaped}"'


def _single(text: str) -> str:
    """A single-quoted YAML text, in which a pattern's backslashes stand as they are."""
    return "'" + text.replace("'", "''") + "'"


def _comment(text: str) -> str:
    """A text inside a comment: one line of it."""
    return " ".join(text.split())


def _alias(url: str) -> str:
    owner, name, _, number = url.removeprefix("https://github.com/").split("/")[:4]
    return f"{owner}/{name}#{number}"
