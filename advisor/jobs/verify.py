"""A rule and evidence taken after the change -> is it cured: pass, fail, or not enough yet, and what is missing.

It passes only when three things hold: the failure can no longer happen to this build and launch, no sign of it is in
the evidence, and every step of the rule's verification is met. A step that no reader can judge passes when the user
confirms it.
"""

from __future__ import annotations

import json
from collections.abc import Collection, Iterator
from dataclasses import dataclass
from functools import cache

from advisor.errors import AdvisorError, UsageError
from advisor.evidence.absence import cut_short, sightings
from advisor.evidence.watched import grew, watched_s
from advisor.jobs.assemble import assemble
from advisor.jobs.check import given
from advisor.jobs.explain import find
from advisor.jobs.judging import catalogue, judge_case
from advisor.jobs.reporting import YES_NO, fact_out, report, says
from advisor.jobs.request import Request
from advisor.match.judge import Verdict, applies, judge
from advisor.match.view import View
from advisor.model.build import order_key, parse_version
from advisor.model.condition import atoms
from advisor.model.fact import printed_versions
from advisor.model.report import SCHEMA, FactOut, Report
from advisor.model.rule import Rule, Step
from advisor.model.translation import chinese_of
from advisor.model.truth import Truth
from advisor.model.verification import VERIFY_SCHEMA, Outcome, StepVerdict, VerificationReport
from advisor.redaction import redact, redact_value
from advisor.redaction.cover import covered, without_numbers


@dataclass(frozen=True)
class Earlier:
    """What an earlier JSON report says: the rule that led, "" for none, and the build and launch that it judged."""

    rule: str
    build: str
    settings: dict[str, str]
    environment: dict[str, str]


def earlier(content: bytes, name: str) -> Earlier:
    """The report of a JSON file. Raises UsageError when it is none."""
    try:
        raw = json.loads(content)
        if not isinstance(raw, dict) or raw.get("schema") != SCHEMA:
            raise ValueError(f"its schema is not {SCHEMA}")
        shown = [one for one in raw["findings"] if one["status"] != "ruled_out"]
        settings = {str(one["flag"]): str(one["value"]) for one in raw["settings"]}
        environment = {str(key): str(value) for key, value in raw["environment"].items()}
        label = str(raw["build"]["label"])
        rule = str(shown[0]["rule"]) if shown else ""
    except (ValueError, KeyError, TypeError, AttributeError, RecursionError) as error:
        raise UsageError(f"not a report of advisor check --format json: {error}", name) from None
    return Earlier(rule, label, settings, environment)


def is_rule(name: str) -> bool:
    """Whether a rule is called so."""
    try:
        return bool(find(name))
    except UsageError:
        return False


def verify(
    name: str, request: Request, before: Earlier | None = None, confirmed: Collection[int] = ()
) -> tuple[VerificationReport, tuple[AdvisorError, ...]]:
    """The verdict, and the inputs that could not be read. Raises UsageError for a rule or a step that there is not."""
    if before and not (name or before.rule):
        raise UsageError("no finding in it to verify", "--report", "name a rule: advisor verify RULE --report FILE …")
    rule = find(name or (before.rule if before else ""))
    wrong = [number for number in confirmed if not 1 <= number <= len(rule.verification)]
    if wrong:
        raise UsageError(f"{rule.id} has no step {wrong[0]}", "--confirmed", f"it has {len(rule.verification)}")
    case, problems = assemble(request)
    judgement = judge_case(case)
    view, now = judgement.view, report(judgement)
    if not applies(rule, *view.engines):
        what = f"{rule.id} is a failure of {rule.engine}, the evidence is of {', '.join(view.engines)}"
        raise UsageError(what, "RULE", "name the rule's engine with --engine, or another rule")
    verdict = judge(rule, view)
    again = tuple(map(fact_out, verdict.signature.because)) if verdict.signature.truth is Truth.YES else ()
    steps = tuple(_step(number, one, rule, view, confirmed) for number, one in enumerate(rule.verification, 1))
    changed = YES_NO[~verdict.exposure.truth]
    unread = [f"{error.line()}" for error in problems]
    lacking = (
        *_undone(rule, verdict, view),
        *_refused(rule, now),
        *_other_builds(view),
        *_weaker(verdict),
        *_told_again(rule, view),
        *(text for one in steps for text in one.missing),
        *(f"an input that could not be read: {line}" for line in (*request.unread, *unread)),
    )
    missing = tuple(dict.fromkeys(lacking))
    outcome = _outcome(changed, bool(again), steps, bool(missing))
    made = VerificationReport(
        schema=VERIFY_SCHEMA,
        rule=rule.id,
        summary=rule.summary,
        outcome=outcome,
        headline=_headline(rule, outcome, changed, again, steps, missing),
        changed=changed,  # type: ignore[arg-type]
        change=tuple(dict.fromkeys(says(fact) for fact in verdict.exposure.because)),
        differs=tuple(_differs(before, covered(now, given(case)))) if before else (),
        again=again,
        steps=steps,
        missing=missing if outcome != "pass" else (),
        coverage=now.coverage,
        zh=chinese_of(rule),
    )
    return covered(made, given(case)), problems


def _step(number: int, step: Step, rule: Rule, view: View, confirmed: Collection[int]) -> StepVerdict:
    told: list[tuple[Outcome, str]] = [*_absent(step, view), *_advancing(step, view), *_duration(step, view)]
    yours = not (step.absent or step.advancing or step.duration_s)
    if yours:
        done = number in confirmed
        ask = f"step {number} is for you to look at: {step.expect.strip()} (then --confirmed {number})"
        told = [("pass", "confirmed by you")] if done else [("not enough", ask)]
    outcome: Outcome = next((one for one in ("fail", "not enough") if any(one == got for got, _ in told)), "pass")
    lacking = tuple(text for got, text in told if got == "not enough")
    return StepVerdict(
        number,
        step.do.strip(),
        step.expect.strip(),
        outcome,
        yours,
        tuple(text for wanted in ("fail", "pass") for got, text in told if got == wanted),
        lacking,
    )


def _absent(step: Step, view: View) -> Iterator[tuple[Outcome, str]]:
    if not step.absent:
        return
    seen = dict.fromkeys(one for pattern in step.absent for one in sightings(view.case.artifacts, pattern))
    printed = [one for one in seen if one.printed]
    for one in printed:
        yield "fail", f"a line that must stay away is there: {redact(one.quote)}  [{one.span}]"
    for one in seen if not printed else ():
        told = f"{redact(one.quote)}  [{one.span}]"
        yield "not enough", f"the log that decides it: a line that must stay away is spoken of in words: {told}"
    for note in cut_short(view.case.artifacts, view.case.notes):
        yield (
            "not enough",
            f"all of the log: what was not read may hold a line that must stay away: {note.span}: {note.text}",
        )
    if not any(one.kind == "log" for one in view.case.artifacts):
        yield "not enough", "a log of every rank since the change, whole"
    elif not seen:
        yield "pass", f"none of the {len(step.absent)} lines that must stay away is in what was read of the logs"


def _advancing(step: Step, view: View) -> Iterator[tuple[Outcome, str]]:
    if not step.advancing:
        return
    moved, snapshots = grew(view.case.artifacts, step.advancing)
    if moved:
        yield "pass", f"{step.advancing} grew over {snapshots} snapshots of /metrics"
    elif moved is False:
        yield "fail", f"{step.advancing} stands still over {snapshots} snapshots of /metrics"
    else:
        had = {0: "is in none", 1: "is in one"}.get(snapshots, "starts anew, or stands still and no requests run,")
        how = "(date; curl -s HOST:PORT/metrics; sleep 60; date; curl -s HOST:PORT/metrics) > metrics.txt"
        yield "not enough", f"{step.advancing} {had} of the snapshots given; take two while requests run: {how}"


def _duration(step: Step, view: View) -> Iterator[tuple[Outcome, str]]:
    if not step.duration_s:
        return
    so_far = watched_s(view.case.artifacts)
    if so_far is None:
        yield (
            "not enough",
            f"a log with times: {_spell(step.duration_s)} have to be watched, and none can be told",
        )
    elif so_far < step.duration_s:
        left = _spell(step.duration_s - so_far)
        yield "not enough", f"{_spell(so_far)} of {_spell(step.duration_s)} watched so far; {left} to go"
    else:
        yield "pass", f"{_spell(so_far)} watched, {_spell(step.duration_s)} asked for"


def _spell(seconds: float) -> str:
    minutes, rest = divmod(round(seconds), 60)
    hours, minutes = divmod(minutes, 60)
    parts = [f"{hours} h"] * bool(hours) + [f"{minutes} min"] * bool(minutes) + [f"{rest} s"] * bool(rest and not hours)
    return " ".join(parts) or "0 s"


def _undone(rule: Rule, verdict: Verdict, view: View) -> Iterator[str]:
    """What is not known, or not done, about the change itself."""
    if verdict.exposure.truth is Truth.YES:
        holds = "; ".join(dict.fromkeys(says(fact) for fact in verdict.exposure.because))
        yield f"the change: {rule.id} can still happen to this build and launch ({holds or 'it names no precondition'})"
    elif verdict.exposure.truth is Truth.UNKNOWN:
        for one in verdict.exposure.missing[:3]:
            asked = view.asked(one)
            yield f"the change: {asked.question}" + (f" ({asked.how})" if asked.how else "")


def _refused(rule: Rule, now: Report) -> Iterator[str]:
    """What keeps this build from starting at all: it cannot meet the failure, and is no cure of it."""
    for one in now.discrepancies:
        if one.level == "error" and one.code.startswith("setting-"):
            yield f"a launch that starts: {one.says}"
    near = {one.rule for one in rule.lookalikes} & ending_starts()
    for finding in now.findings:
        if finding.rule in near and finding.exposure == "yes":
            yield f"a build and launch that starts: {finding.rule} can end this one: {finding.summary}"


@cache
def ending_starts() -> frozenset[str]:
    """The rules of failures at the start: a failed start is part of their own signature."""
    told = {one.id: {atom.name for atom in atoms(one.symptoms.signature)} for one in catalogue() if one.exposure}
    return frozenset(name for name, atoms_ in told.items() if "symptom.startup_failure" in atoms_)


def _weaker(verdict: Verdict) -> Iterator[str]:
    """A weaker sign seen anew: no proof that it is back, and no cure either."""
    if verdict.supporting.truth is Truth.YES and verdict.signature.truth is not Truth.YES:
        told = "; ".join(dict.fromkeys(says(fact) for fact in verdict.supporting.because))
        yield f"evidence without the weaker signs of it, which are there again: {told}"


def _other_builds(view: View) -> Iterator[str]:
    """Logs that speak of another build than the one that is verified: of before the change, or of elsewhere."""
    build = view.case.build
    banners = [one for one in printed_versions(view.case.facts, build.engine) if parse_version(str(one.value))]
    for fact in banners if build.version else ():
        if order_key(str(fact.value)) != order_key(build.version or ""):
            yield f"logs of {build.label()} alone: {fact.span} is of {fact.value}"


def _told_again(rule: Rule, view: View) -> Iterator[str]:
    """A symptom of this failure that the new evidence tells."""
    conditions = (rule.symptoms.signature, *rule.symptoms.supporting)
    wanted = {atom.name for one in conditions for atom in atoms(one) if atom.kind == "fact"}
    told = {fact.name: fact for fact in view.case.facts if fact.value is True and fact.name in wanted & _TROUBLE}
    for fact in told.values():
        yield f"evidence in which it no longer happens: {says(fact)}  [{fact.span}]"


_TROUBLE = frozenset(
    f"symptom.{name}"
    for name in (
        "hang", "crash", "wrong_output", "startup_failure", "startup_hang", "oom", "heartbeat_stopped", "killed",
        "nan", "runs_to_limit", "acceptance_falls", "watchdog", "ranks_split",
    )
)  # fmt: skip


def _outcome(changed: str, again: bool, steps: tuple[StepVerdict, ...], missing: bool) -> Outcome:
    if again or any(one.outcome == "fail" for one in steps):
        return "fail"
    return "pass" if changed == "yes" and steps and not missing else "not enough"


def _headline(
    rule: Rule,
    outcome: Outcome,
    changed: str,
    again: tuple[FactOut, ...],
    steps: tuple[StepVerdict, ...],
    missing: tuple[str, ...],
) -> str:
    if outcome == "pass":
        return f"PASS: {rule.id} is verified as cured by this evidence, {len(steps)} of {len(steps)} steps"
    if outcome == "fail":
        still = "; and it can still happen to this build and launch" if changed == "no" else ""
        return f"FAIL: {rule.id}: {_what_failed(again, steps)}{still}"
    met = sum(one.outcome == "pass" for one in steps)
    lacking = f"{len(missing)} thing{'s' * (len(missing) != 1)} missing"
    return f"NOT ENOUGH YET: {rule.id}: {met} of {len(steps)} steps met, {lacking}"


def _what_failed(again: tuple[FactOut, ...], steps: tuple[StepVerdict, ...]) -> str:
    """The first thing that decides it, and how many more there are."""
    seen = [f"its signs are there again: {one.says}" + (f"  [{one.place}]" if one.place else "") for one in again]
    seen += [f"step {one.number} is not met: {one.says[0]}" for one in steps if one.outcome == "fail"]
    return seen[0] + (f" (and {len(seen) - 1} more)" if len(seen) > 1 else "")


def _differs(before: Earlier, now: Report) -> Iterator[str]:
    """What is other than in the earlier report; what is not said now is not taken for gone."""
    if now.build.label and now.build.label != before.build:
        yield f"build: {before.build or 'not known'} before, {now.build.label} now"
    settings = {one.flag: str(one.value) for one in now.settings}
    for old, new in ((before.settings, settings), (before.environment, now.environment)):
        for name in sorted({*old, *new}) if new else ():
            if old.get(name) != new.get(name):
                was, became = (str(redact_value(name, each.get(name, "not set"))) for each in (old, new))
                if without_numbers(was) == without_numbers(became):
                    continue  # the same as far as it is told: two reports number hosts each for itself
                yield f"{name}: {was} before, {became} now"
