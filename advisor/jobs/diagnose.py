"""A request so far → where the diagnosis stands: the report on it, what it can still be, and what to ask next.

The report is what `check` says of the same request. A diagnosis goes on by `answering.answered` and `answering.handed`,
which give the next request; what was asked and not known is `asked`, so that it is not asked again.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable

from advisor.advice.commands import Place, dumps_stacks, here, reads_only
from advisor.catalog.engines import knowledge, named
from advisor.errors import AdvisorError
from advisor.jobs.assemble import assemble
from advisor.jobs.check import as_judged, given
from advisor.jobs.deployed import place_of
from advisor.jobs.judging import Judgement, catalogue_weights, judge_case
from advisor.jobs.request import Request
from advisor.jobs.said import CLOSED
from advisor.jobs.vocabulary import kinds, recipes
from advisor.match.choosing import Belief, Chance, beliefs, chances
from advisor.match.questions import opening, wanted
from advisor.match.view import View
from advisor.model.condition import atoms, show
from advisor.model.diagnosis import Ask, AskKind, Candidate, Option, Recognised, Standing
from advisor.model.launch import Setting
from advisor.model.outcome import Missing
from advisor.redaction import redact_value
from advisor.redaction.cover import covered

CAPTURES = 5
SYMPTOMS = ("hang", "crash", "startup_failure", "startup_hang", "wrong_output", "slow", "oom")
"""What a person sees, as facts; the rest of the vocabulary is finer."""
COMMANDED = ("log", "stacks", "stack", "component")
"""What only a command tells."""
CAPTURED = ("stacks", "log", "build", "launch", "component", "hardware")
"""What is worth capturing before a restart, also by one who could not tell when asked."""
SEEN_OF = ("matched", "likely", "possible")
LEADS = 0.4
"""The share of the belief from which a failure's own wants are asked for."""
MANY = 6
"""More values than this are typed and not chosen from."""


def standing(request: Request, asked: frozenset[str] = frozenset()) -> Standing:
    """Where the diagnosis stands. `asked` are questions that had their turn and were not answered."""
    return stand(judged(request), request, asked)


def judged(request: Request) -> Judgement:
    """The judgement of a request: what takes time, and stays as it is until something is added."""
    return examined(request)[0]


def examined(request: Request) -> tuple[Judgement, tuple[AdvisorError, ...]]:
    """The same, and what of the request could not be followed; the report notes it as well."""
    case, problems = assemble(request)
    return judge_case(case), tuple(problems)


def stand(judgement: Judgement, request: Request, asked: frozenset[str]) -> Standing:
    """Where the diagnosis stands once the request is judged."""
    view = judgement.view
    held = beliefs(judgement.judged, view, catalogue_weights())
    place = place_of(request, view)
    others = {
        f"component:{one.replace('-', '_')}" for one in named() if one not in view.engines and view.engines != ("",)
    }
    had = (asked - set(COMMANDED)) | others  # another engine's version is no question about this one
    worth = chances(held, view, had, frozenset(name for made in recipes().values() for name in made))
    offered = [_ask(one, held, view, place, asked) for one in worth]
    asks = [one for one in offered if one.about not in asked]
    now = Standing(
        report=as_judged(judgement, request),
        recognised=recognised(judgement),
        candidates=tuple(
            Candidate(one.verdict.rule.id, one.verdict.rule.summary, one.verdict.status, one.share) for one in held
        ),
        considered=judgement.considered,
        ask=asks[0] if asks else None,
        captures=captures(judgement, held, offered, place),
    )
    return covered(now, given(judgement.case))


def _ask(one: Chance, held: Iterable[Belief], view: View, place: Place, asked: frozenset[str]) -> Ask:
    missing = one.missing
    options = _options(missing, held, view)
    shown = "launch" in asked and missing.about.startswith(("setting:", "env:"))  # the same command, not wanted then
    how = here(missing.about, missing.how, place) if _commanded(missing) and not shown else ""
    return Ask(missing.about, missing.question, how, _kind(missing, options), options, one.gain, one.rules)


def _commanded(missing: Missing) -> bool:
    return bool(missing.how.strip()) or missing.about.partition(":")[0] in COMMANDED


def _kind(missing: Missing, options: tuple[Option, ...]) -> AskKind:
    if missing.about in ("log", "stacks"):
        return "evidence"
    return "choice" if options else "value"


def _options(missing: Missing, held: Iterable[Belief], view: View) -> tuple[Option, ...]:
    """The answers to choose from; none where only a value will do."""
    kind, _, name = missing.about.partition(":")
    if missing.about == "engine":
        return tuple(Option(str(knowledge(one).profile.get("title") or one), one) for one in named() if _serves(one))
    if missing.about == "symptom":
        told = (kinds()[f"symptom.{one}"] for one in SYMPTOMS)
        return tuple(Option(one.summary, one.name) for one in told)
    if kind == "stack" or missing.about.startswith("log:") or _is_yes_or_no(missing.about):
        return (Option("yes", "yes"), Option("no", "no"))
    if kind == "hardware" and name in CLOSED:
        return tuple(Option(one, one) for one in dict.fromkeys(CLOSED[name].values()))
    if kind in ("setting", "env", "hardware", "fact"):
        return _values(missing.about, held, view)
    return ()


def _is_yes_or_no(about: str) -> bool:
    kind = kinds().get(about.removeprefix("fact:"))
    return kind is not None and kind.type == "bool"


def _serves(engine: str) -> bool:
    return knowledge(engine).profile.get("kind") in ("engine", "plugin")


def _values(about: str, held: Iterable[Belief], view: View) -> tuple[Option, ...]:
    """The values that the open rules tell apart, and that it is not there at all; few enough to choose from."""
    values: list[str] = []
    for one in held:
        for atom in (*atoms(one.verdict.rule.exposure), *atoms(one.verdict.rule.symptoms.signature)):
            if atom.about() == about and atom.op in ("is", "any_of"):
                values += map(show, atom.value if atom.op == "any_of" else [atom.value])
    found = list(dict.fromkeys(values))
    kind, _, name = about.partition(":")
    switch = any(one in ("true", "false") for one in found)
    if kind == "setting" and view.knowledge is not None:
        record = view.knowledge.setting(name, view.release)
        switch = switch or (record is not None and record.kind == "switch")
        found += [str(one) for one in (record.choices if record else None) or () if str(one) not in found]
    if switch:
        found = ["yes", "no"]
    if len(found) not in range(2, MANY + 1):
        return ()
    absent = (Option("not there", "not there"),) if kind in ("setting", "env") else ()
    return (*(Option(one, one) for one in found), *absent)


def captures(judgement: Judgement, held: Iterable[Belief], offered: Iterable[Ask], place: Place) -> tuple[Ask, ...]:
    """What to capture next, each with its command: the stacks of a standstill, which a restart destroys; what the
    most believed failure still wants; what would tell most."""
    view, wants = judgement.view, []
    for one in list(held)[:1]:
        if one.verdict.status in SEEN_OF and one.share >= LEADS:
            rule = one.verdict.rule.id
            told = ((want.what, want.run or "") for want in wanted(one.verdict, view))
            wants = [_capture(f"wanted:{rule}", what, run, place, (rule,)) for what, run in told]
    general = [_capture(ask.about, ask.question, ask.how, place) for ask in opening(view) if ask.about in CAPTURED]
    stacks = [one for one in general if one.about == "stacks" and not any(dumps_stacks(want.how) for want in wants)]
    found = [*stacks, *wants, *(ask for ask in offered if ask.about.partition(":")[0] in CAPTURED), *general]
    commanded: dict[str, Ask] = {}
    for ask in found:
        key = "stacks" if dumps_stacks(ask.how) else ask.how  # one dump of all is enough, whoever asks for it
        if reads_only(ask.how):
            commanded.setdefault(key, ask)
    return tuple(commanded.values())[:CAPTURES]


def _capture(about: str, question: str, how: str, place: Place, rules: tuple[str, ...] = ()) -> Ask:
    return Ask(about, question, here(about, how, place), "evidence", (), 0.0, rules)


def recognised(judgement: Judgement) -> Recognised:
    """In short what was understood of the inputs."""
    case, build = judgement.case, judgement.view.case.build
    given = [one for launch in case.launches for one in launch.settings if one.value is not None]
    typed = (_as_typed(one) for one in given)
    machines = (show(fact.value) for fact in case.facts if fact.name in ("hardware.accelerator", "hardware.vendor"))
    symptoms = (fact.name for fact in case.facts if fact.name.startswith("symptom.") and fact.value is True)
    variables = (
        f"{one.name}={redact_value(one.name, one.value)}" for launch in case.launches for one in launch.environment
    )
    return Recognised(
        build=build.label() if build.engine or build.known() else "",
        settings=tuple(dict.fromkeys(typed)),
        environment=tuple(dict.fromkeys(variables)),
        hardware=tuple(dict.fromkeys(machines)),
        symptoms=tuple(kinds()[one].summary for one in dict.fromkeys(symptoms) if one in kinds()),
        evidence=dict(Counter(one.kind for one in case.artifacts)),
    )


def _as_typed(one: Setting) -> str:
    """A flag as typed, one inside a JSON value by its dotted name."""
    name = one.flag if "." in one.flag else one.typed
    return name if one.value is True else f"{name} {redact_value(one.flag, one.value)}"
