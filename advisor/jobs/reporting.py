"""Judgement → report: each verdict with its reasons, fixes, remedies and what to do next."""

from __future__ import annotations

from collections.abc import Iterator

from advisor import __version__
from advisor.advice.remedies import EDITS, Edit, change, edited, proof_says
from advisor.jobs.consequences import Prospect
from advisor.jobs.discrepancies import discrepancies
from advisor.jobs.fixing import fix_out, sources_out
from advisor.jobs.judging import Judgement, with_trials
from advisor.jobs.timelines import timeline_out
from advisor.launches import edit as editing
from advisor.match.conditions import holds, strongest, truth
from advisor.match.echoes import echoes, of_nobody
from advisor.match.judge import Verdict
from advisor.match.questions import missing, questions, wanted
from advisor.match.view import ANSWERED, View
from advisor.model.case import Case
from advisor.model.condition import Condition, Scalar
from advisor.model.fact import HELPED, Artifact, Fact
from advisor.model.launch import Launch
from advisor.model.once import keep, once_each
from advisor.model.outcome import Missing
from advisor.model.report import (
    SCHEMA,
    AdviceOut,
    BringsOut,
    BuildOut,
    CauseOut,
    Coverage,
    FactOut,
    Finding,
    InputOut,
    LookalikeOut,
    MissingOut,
    ReferenceOut,
    RemedyOut,
    Report,
    ResemblanceOut,
    SettingOut,
    StatementOut,
    StepOut,
    SupersededOut,
)
from advisor.model.rule import Advice, Cause, Lookalike, Reference, Remedy, Step, Superseded, Wanted
from advisor.model.situation import Statement
from advisor.model.translation import chinese_of
from advisor.model.truth import Truth
from advisor.redaction import redact, redact_value

SEEN = ("matched", "likely")
LARGE = 1 << 20
"""Characters of a text that takes long without the native engine."""
YES_NO = {Truth.YES: "yes", Truth.NO: "no", Truth.UNKNOWN: "unknown"}


def report(judgement: Judgement) -> Report:
    """The report of a judgement."""
    case, view, verdicts = judgement.case, judgement.view, judgement.verdicts
    here = {one.rule.id: one for one in verdicts}
    prospect = Prospect(judgement, remembered(edit_for(view)))
    return Report(
        schema=SCHEMA,
        id=case.id,
        build=_build(case),
        settings=tuple(_setting(launch, index) for launch in case.launches for index in range(len(launch.settings))),
        environment={
            one.name: str(redact_value(one.name, one.value)) for launch in case.launches for one in launch.environment
        },
        situation=tuple(_statement(one) for one in (*case.situation, *_echoes(judgement), *_helped(case))),
        timeline=tuple(map(timeline_out, case.timeline)),
        discrepancies=discrepancies(view),
        findings=tuple(_finding(one, view, here, prospect) for one in verdicts),
        unexplained=tuple(fact_out(fact) for fact in unexplained(judgement)),
        questions=questions(verdicts, view),
        related=_related(judgement),
        excerpts=(),
        coverage=_coverage(
            case, judgement.considered, (*judgement.left_out, *_slow(judgement), *_not_understood(judgement))
        ),
        as_of=max((one.rule.as_of for one in verdicts), default=""),
        advisor=__version__,
    )


def _statement(one: Statement) -> StatementOut:
    return StatementOut(one.kind, redact(one.says), one.ranks, one.collective, tuple(map(str, one.spans)))


def _related(judgement: Judgement) -> tuple[ResemblanceOut, ...]:
    """Where nothing seen leads: what the words resemble, besides what is shown already."""
    case, seen = judgement.case, {one.rule.id for one in judgement.verdicts if one.status}
    if not case.artifacts or any(one.status in SEEN for one in judgement.verdicts):
        return ()
    from advisor.jobs.search import MOST, related

    found = related(case, judgement.view.engines, MOST + len(seen), lone=False)
    return tuple(one for one in found if one.rule not in seen)[:MOST]


def _slow(judgement: Judgement) -> tuple[str, ...]:
    """That a large text was searched without the native engine, where it was: the answer is the same."""
    large = any(len(one.text) > LARGE for one in judgement.case.artifacts)
    why = judgement.view.gate().slow if large and judgement.view.gate is not None else ""
    return (f"large texts take longer here than they need, {why}; what is found is the same",) if why else ()


def _not_understood(judgement: Judgement) -> tuple[str, ...]:
    """What of the words was not understood; nothing where none were given."""
    if not any(one.name.startswith("--symptom") for one in judgement.case.artifacts):
        return ()
    from advisor.jobs import understood

    return tuple(filter(None, understood.notes(judgement)))


def _echoes(judgement: Judgement) -> list[Statement]:
    """Where nothing seen leads: the lines that come with many a failure and name none, each said once.

    Of a line that the evidence has been told of already, nothing more is said.
    """
    if any(one.status in SEEN for one in judgement.verdicts):
        return []
    told = {(span.artifact, span.line) for one in judgement.case.situation for span in one.spans}
    said: dict[str, Statement] = {}
    for what, fact in of_nobody(judgement.downstream, judgement.view):
        if fact.span is None or (fact.span.artifact, fact.span.line) not in told:
            spans = (fact.span,) if fact.span else ()
            says_ = f"{what}: by itself this names no cause; look for what came before it, on this rank or another"
            said.setdefault(what, Statement("echo", says_, (fact.rank,) if fact.rank else (), "", spans))
    return list(said.values())


def _helped(case: Case) -> list[Statement]:
    """What the user says that the failure was gone with: it tells where to look, and is no cure that is known."""
    said: dict[str, Statement] = {}
    for fact in case.facts:
        if fact.name.startswith(HELPED):
            name = fact.name.removeprefix(HELPED)
            value = redact_value(name, fact.value)
            given = "" if value in (True, None) else f" {value}" if name.startswith("-") else f"={value}"
            says_ = f"you say that {name}{given} helped: with it the failure was gone"
            said.setdefault(says_, Statement("helped", says_, (), "", (fact.span,) if fact.span else ()))
    return list(said.values())


def unexplained(judgement: Judgement) -> list[Fact]:
    """What the user came with that no matched, likely or possible finding rests on."""
    case, view = judgement.case, judgement.view
    explaining = [one for one in judgement.verdicts if one.status in (*SEEN, "possible")]
    told = {(fact.name.removeprefix("fact:"), fact.span) for one in explaining for fact in one.symptoms()}
    told |= {(fact.name, fact.span) for one in explaining if one.status in SEEN for fact in echoes(one.rule, view)}
    names = {name for name, _ in told}
    lines = {(span.artifact, span.line) for _, span in told if span is not None and span.line}
    rest = [
        fact
        for fact in case.facts
        if fact.notable and fact.name not in names and not (fact.span and (fact.span.artifact, fact.span.line) in lines)
    ]
    first: dict[tuple[str, object], Fact] = {}
    for fact in rest:
        first.setdefault((fact.name, fact.value), fact)
    return list(first.values())


def fact_out(fact: Fact) -> FactOut:
    """A fact for the report."""
    return _fact_out(fact, says(fact))


def _fact_out(fact: Fact, said: str) -> FactOut:
    value, quote, why = redact_value(fact.name, fact.value), redact(fact.quote), redact(fact.why)
    if (value is not fact.value and value != fact.value) or why != fact.why:
        said = says(fact.but(value=value, why=why))
    return FactOut(fact.name, value, said, fact.origin, str(fact.span or ""), quote, fact.rank)  # type: ignore[arg-type]


def _facts_out(facts: tuple[Fact, ...]) -> tuple[FactOut, ...]:
    """The facts for the report, each thing said once a rank."""
    first: dict[tuple[str, str | None], Fact] = {}
    for fact in facts:
        first.setdefault((says(fact), fact.rank), fact)
    return tuple(_fact_out(fact, said) for (said, _), fact in first.items())


def says(fact: Fact) -> str:
    """The fact in words."""
    kind, _, name = fact.name.partition(":")
    value = (
        "unset" if fact.value is None else str(fact.value).lower() if isinstance(fact.value, bool) else str(fact.value)
    )
    if fact.name == "build":
        return f"{value}: {fact.why}" if fact.why else value
    if kind in ("setting", "env"):
        return fact.why if fact.origin == "default" and fact.why else f"{name} is {value}"
    if kind == "log":
        if fact.span is not None and fact.span.artifact == ANSWERED:
            return f"answered: a log shows `{fact.name.removeprefix('log:')}`"
        return f"the text says: {value}"
    if kind == "stack":
        return f"a thread is in {name}"
    if kind == "component":
        return f"{name} is {value}" + (f" ({fact.why})" if fact.why else "")
    name = name or fact.name
    if name.startswith("symptom.") and fact.value is True:
        from advisor.jobs.vocabulary import kinds  # where a symptom is, its reader is loaded already

        return f"seen: {kinds()[name].summary}" + (f" ({fact.why})" if fact.why and len(fact.why) < 90 else "")
    return fact.why if fact.why and fact.origin in ("derived", "default") else f"{name} is {value}"


def _finding(verdict: Verdict, view: View, here: dict[str, Verdict], prospect: Prospect) -> Finding:
    rule = verdict.rule
    because = strongest(
        tuple(dict.fromkeys((*verdict.symptoms(), *(verdict.exposure.because if not verdict.deciding else ()))))
    )
    return Finding(
        rule=rule.id,
        status=verdict.status or "possible",
        level=rule.level,
        summary=rule.summary,
        headline=headline(verdict),
        aliases=keep(rule.aliases),
        because=_facts_out(because),
        deciding=_facts_out(verdict.deciding),
        against=_facts_out(verdict.against),
        echoes=_facts_out(echoes(rule, view)) if verdict.status in SEEN else (),
        missing=tuple(_missing(one) for one in missing(verdict, view)),
        exposure=YES_NO[verdict.exposure.truth],  # type: ignore[arg-type]
        signature=YES_NO[verdict.signature.truth],  # type: ignore[arg-type]
        cause=_cause(rule.cause),
        no_fix=rule.no_fix or "",
        fixes=tuple(fix_out(fix, view) for fix in rule.fixes),
        remedies=tuple(_remedies(verdict, view, prospect)),
        not_helpful=tuple(_advice(one, view) for one in rule.not_helpful),
        harmful=tuple(_advice(one, view) for one in rule.harmful),
        verification=_steps(rule.verification),
        lookalikes=tuple(_lookalike(one, here) for one in rule.lookalikes),
        wanted=tuple(map(_wanted, wanted(verdict, view))),
        superseded=_superseded(rule.superseded),
        caveats=keep(rule.caveats),
        references=_references(rule.references),
        details=rule.details.strip(),
        maturity=rule.maturity,
        as_of=rule.as_of,
        zh=_chinese(rule),
    )


@once_each
def _steps(steps: tuple[Step, ...]) -> tuple[StepOut, ...]:
    return tuple(
        StepOut(one.do, one.expect, one.run or "", one.absent, one.advancing or "", one.duration_s) for one in steps
    )


@once_each
def _superseded(claims: tuple[Superseded, ...]) -> tuple[SupersededOut, ...]:
    return tuple(SupersededOut(one.claim, one.by, one.why, sources_out(one.source)) for one in claims)


@once_each
def _references(references: tuple[Reference, ...]) -> tuple[ReferenceOut, ...]:
    return tuple(ReferenceOut(one.type, one.url, one.note or "") for one in references)


@once_each
def _wanted(one: Wanted) -> MissingOut:
    return MissingOut(one.what, one.tells, one.run or "")


@once_each
def _cause(cause: Cause) -> CauseOut:
    return CauseOut(cause.status, cause.text, sources_out(cause.source))


_chinese = once_each(chinese_of)


def headline(verdict: Verdict) -> str:
    """The verdict on one line, never surer than it is."""
    rule = verdict.rule
    if verdict.status == "matched":
        cause = {
            "established": "cause established upstream",
            "proposed": "cause proposed, not established",
            "unknown": "cause not known",
        }
        return f"Matches {rule.id}: {rule.gist} ({cause[rule.cause.status]})"
    if verdict.status == "likely":
        lacking = (
            "the build or configuration is not fully known"
            if verdict.exposure.truth is Truth.UNKNOWN
            else "only general signs were seen"
        )
        return f"Likely {rule.id}: {rule.gist} ({lacking})"
    if verdict.status == "possible":
        refuted = "a sign speaks against it" if verdict.against else "its own signature does not hold"
        open_ = "general signs only, and the configuration is not fully known"
        return f"Possible {rule.id}: {rule.gist} ({refuted if verdict.signature.truth is Truth.NO else open_})"
    if verdict.status == "exposed":
        return f"Exposed to {rule.id}: {rule.gist} (it can happen here; it was not seen)"
    why = "; ".join(dict.fromkeys(says(fact) for fact in verdict.deciding))
    looks = "Looks like" if verdict.signature.truth is Truth.YES else "Not"
    return f"{looks} {rule.id}{', but' if looks == 'Looks like' else ':'} {why}"


def _missing(ask: Missing) -> MissingOut:
    return MissingOut(ask.about, ask.question, ask.how)


def _applies(condition: Condition | None, view: View) -> str:
    return "yes" if condition is None else YES_NO[truth(condition, view)]


def _remedies(verdict: Verdict, view: View, prospect: Prospect) -> Iterator[RemedyOut]:
    """The remedies that may apply; what they would bring is told where the failure is not ruled out."""
    for remedy in verdict.rule.remedies:
        applies = _applies(remedy.applies_when, view)
        if applies == "no":
            continue
        diff = _diff(remedy, view, prospect.edit)
        brings = prospect.brings(verdict.rule, remedy) if verdict.status != "ruled_out" else ()
        yield _remedy(remedy, applies, diff, brings) if diff or brings else _unedited(remedy)[applies]


@once_each
def _unedited(remedy: Remedy) -> dict[str, RemedyOut]:
    """The remedy where it edits nothing, by whether it applies."""
    return {one: keep(_remedy(remedy, one, "")) for one in YES_NO.values()}


def _remedy(remedy: Remedy, applies: str, diff: str, brings: tuple[BringsOut, ...] = ()) -> RemedyOut:
    return RemedyOut(
        do=remedy.do,
        what=remedy.what,
        cost=remedy.cost,
        status=remedy.status,
        status_says=proof_says(remedy),
        proof=remedy.proof or "",
        applies=applies,  # type: ignore[arg-type]
        change=_change(remedy),
        diff=diff,
        sources=sources_out(remedy.source),
        brings=brings,
    )


_change = once_each(change)


def _diff(remedy: Remedy, view: View, edit: Edit) -> str:
    if remedy.do not in EDITS:
        return ""
    parts = []
    for launch in view.case.launches:
        if launch.text:
            parts.append(editing.diff(launch, edited(launch, remedy, edit)))
    return redact("\n".join(dict.fromkeys(part.rstrip("\n") for part in parts if part)))


def remembered(edit: Edit) -> Edit:
    """The editor, each edit of a launch made once: for the diff that is shown, and for what it would bring."""
    made: dict[tuple[object, ...], tuple[Launch, Launch]] = {}

    def once(launch: Launch, settings: dict[str, Scalar], unset: tuple[str, ...], env: dict[str, str | None]) -> Launch:
        key = (id(launch), tuple(settings.items()), unset, tuple(env.items()))
        if key not in made:
            made[key] = (
                launch,
                edit(launch, settings, unset, env),
            )  # the launch is kept, so that its number stays its own
        return made[key][1]

    return once


def edit_for(view: View) -> Edit:
    """The launch editor for this case's engine."""
    known = {view.knowledge.engine: view.knowledge} if view.knowledge else {}

    def edit(launch: Launch, settings: dict[str, Scalar], unset: tuple[str, ...], env: dict[str, str | None]) -> Launch:
        return editing.edit(launch, set=settings, unset=unset, env=env, knowledge=known, version=view.release)

    return edit


def _advice(advice: Advice, view: View) -> AdviceOut:
    return _advised(advice)["unknown" if advice.tried is None else _tried(advice.tried, view)]


@once_each
def _advised(advice: Advice) -> dict[str, AdviceOut]:
    """The advice by whether it was tried."""
    sources = sources_out(advice.source)
    return {
        one: keep(AdviceOut(advice.what, advice.why, one, sources))  # type: ignore[arg-type]
        for one in YES_NO.values()
    }


def _tried(condition: Condition, view: View) -> str:
    """Whether the deployment does it, or the user says that it was tried."""
    tried = with_trials(view)
    return YES_NO[Truth.YES if tried is not view and holds(condition, view) else truth(condition, tried)]


def _lookalike(other: Lookalike, here: dict[str, Verdict]) -> LookalikeOut:
    verdict = here.get(other.rule)
    if verdict is None:
        return _elsewhere(other)
    why = "; ".join(dict.fromkeys(says(fact) for fact in verdict.deciding))
    return LookalikeOut(other.rule, other.tell, verdict.status or "", why)


@once_each
def _elsewhere(other: Lookalike) -> LookalikeOut:
    """A look-alike of which nothing is known here."""
    return LookalikeOut(other.rule, other.tell, "", "")


def _build(case: Case) -> BuildOut:
    build = case.build
    components = {one.name: one.version for one in build.components}
    seen = {fact.name.partition(".")[2]: str(fact.value) for fact in case.facts if fact.name.startswith("component.")}
    return BuildOut(
        engine=build.engine,
        version=build.version,
        commit=build.commit,
        image=build.image,
        fork=build.fork,
        branch=build.branch,
        label=build.label(),
        components=dict(sorted({**seen, **components}.items())),
        notes=build.notes,
    )


def _setting(launch: Launch, index: int) -> SettingOut:
    one = launch.settings[index]
    value = redact_value(one.flag, one.value)
    return SettingOut(one.flag, value, one.typed, str(one.span or launch.artifact), one.known)  # type: ignore[arg-type]


def _lines(artifact: Artifact) -> int:
    """How many lines of what the user gave it stands for, as an editor numbers them."""
    return artifact.number_of(_last_line(artifact.text)) - artifact.first_line + 1 if artifact.text else 0


def _last_line(text: str) -> int:
    """The index of the last line; a newline at the end closes that line and begins none."""
    return text.count("\n") - text.endswith("\n")


def _coverage(case: Case, considered: int, left_out: tuple[str, ...]) -> Coverage:
    counted: dict[str, int] = {}
    for fact in case.facts:
        if fact.span:
            counted[fact.span.artifact] = counted.get(fact.span.artifact, 0) + 1
    inputs = [InputOut(one.name, one.kind, _lines(one), counted.get(one.name, 0)) for one in case.artifacts]
    inputs += [
        InputOut(one.artifact, "launch", _last_line(one.text) + 1, len(one.settings))
        for one in case.launches
        if one.artifact.startswith("--")
    ]
    noted = [note for note in case.notes if note.kind != "engines"]  # that is said first: a discrepancy
    notes = [f"{note.span}: {note.text}" if note.span else note.text for note in noted]
    notes += [f"{launch.artifact}: {note}" for launch in case.launches for note in launch.notes]
    notes += left_out
    complete = bool(case.launches) and all(launch.complete for launch in case.launches)
    return Coverage(tuple(inputs), tuple(dict.fromkeys(map(redact, notes))), considered, complete)
