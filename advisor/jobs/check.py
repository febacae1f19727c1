"""Check a case: assemble the evidence, judge every rule on it, and report.

The judgement is pure: the same request gives the same report, byte for byte.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from dataclasses import replace
from typing import Any, TypeVar

from advisor.errors import AdvisorError, UsageError
from advisor.jobs.assemble import assemble
from advisor.jobs.excerpts import excerpts
from advisor.jobs.judging import Judgement, judge_case
from advisor.jobs.reporting import report
from advisor.jobs.request import Request
from advisor.model.case import Case
from advisor.model.late import dataclass
from advisor.model.report import Report
from advisor.model.rule import Rule
from advisor.redaction import one_answer
from advisor.redaction.cover import covered

Made = TypeVar("Made")

ENDS = 1 << 16
"""Characters of a text that are read for the names of hosts, at each of its ends."""
LOOKED_FOR = (
    "an engine command line or flags, a log, a stack dump, collect_env output, or words that describe a symptom"
)


@dataclass(frozen=True)
class Answer:
    """A report, and what of the request could not be followed (already noted in the report)."""

    report: Report
    problems: tuple[AdvisorError, ...] = ()


def check(request: Request, among: tuple[Rule, ...] | None = None) -> Answer:
    """The report on one request. Raises UsageError when nothing in it can be recognised and `strict`."""
    case, problems = assemble(request)
    if request.strict and not recognised(case):
        if problems:
            raise problems[0]
        why = [f"{one.name} is empty" for one in case.artifacts if one.kind == "empty"]
        why += [str(one.span or "") + (": " if one.span else "") + one.text for one in case.notes]
        given = ", ".join(file.name for file in request.files) or "the options given"
        reason = f": {'; '.join(why)}" if why else ""
        raise UsageError(f"nothing recognised in {given}{reason}", None, f"looked for {LOOKED_FOR}")
    return Answer(reported(judge_case(case, among), request), problems)


def check_all(requests: Sequence[Request]) -> list[Report]:
    """The report on each request, none of them strict. A stage is done for all before the next one is: what it needs
    is then at hand in the processor's caches. Raises as `check`."""
    kept: list[dict[str, Any]] = [{} for _ in requests]
    cases = _in_each(kept, lambda request: assemble(request)[0], requests)
    judged = _in_each(kept, judge_case, cases)
    told = _in_each(kept, as_judged, judged, requests)
    return _in_each(kept, lambda report, case: covered(report, given(case)), told, cases)


def _in_each(kept: Sequence[dict[str, Any]], stage: Callable[..., Made], *of: Sequence[Any]) -> list[Made]:
    """What a stage makes of each case, while the case's own answer is gone on with."""
    made = []
    for answer, *one in zip(kept, *of, strict=True):
        with one_answer(answer):
            made.append(stage(*one))
    return made


def reported(judgement: Judgement, request: Request) -> Report:
    """The report of a judgement as it is shown, with what the request wants in it."""
    return covered(as_judged(judgement, request), given(judgement.case))


def as_judged(judgement: Judgement, request: Request) -> Report:
    """The same with hosts, people and prompts in it, for what is not shown yet."""
    judged = report(judgement)
    return replace(judged, excerpts=excerpts(judged, judgement.case.originals)) if request.excerpts else judged


def given(case: Case) -> Iterator[str]:
    """What was given, as far as it tells which names are hosts': of a large text its two ends."""
    for one in case.originals:
        yield from (one.text,) if len(one.text) <= 2 * ENDS else (one.text[:ENDS], one.text[-ENDS:])
    yield from (launch.text for launch in case.launches if launch.text)


def recognised(case: Case) -> bool:
    """Whether anything at all was understood."""
    read = any(artifact.kind not in ("empty", "binary") for artifact in case.artifacts)
    return bool(
        case.build.engine
        or case.build.known()
        or case.launches
        or case.facts
        or case.threads
        or case.build.components
        or read
    )
