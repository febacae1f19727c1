"""One case of a file -> its exposure to known failures, as `check` judges the same facts, each at the deciding setting.

The deciding setting is the one that a remedy changes, else the first given one that the exposure stands on, else the
place that names the build. What can be done about it: a release has a fix that is complete or not verified for this
case; else a setting, a variable or a library avoids it, and that is known better than by a suggestion; else nothing.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from functools import cache

from advisor.advice.remedies import EDITS, change, proof_says
from advisor.catalog.engines import profiles
from advisor.jobs.fix_choice import of_exposure
from advisor.jobs.fixing import fix_out
from advisor.jobs.judging import catalogue
from advisor.jobs.lint_case import Unit
from advisor.jobs.reporting import headline, says
from advisor.match.conditions import strongest, truth
from advisor.match.grounds import Asked, asked, grounds
from advisor.match.judge import Verdict, applies, build_affected, exposed, fits, judge, unseen
from advisor.match.observation import place_of
from advisor.match.view import View
from advisor.model.deployment import Place, Workload
from advisor.model.fact import Fact
from advisor.model.launch import Setting, Variable
from advisor.model.lint import Actionability, Edit
from advisor.model.report import FixOut, SourceOut
from advisor.model.rule import Remedy, Rule
from advisor.model.truth import Truth
from advisor.redaction import redact_value

SHOWN = ("exposed", "likely", "matched")


@dataclass(frozen=True, slots=True)
class Exposed:
    """One rule that a case is exposed to, ready to be shown."""

    rule: Rule
    says: str
    workload: Workload
    place: Place
    fact: str
    because: tuple[str, ...]
    advice: tuple[str, ...]
    related: tuple[tuple[Place, str], ...]
    actionability: Actionability
    edit: Edit
    sources: tuple[SourceOut, ...]


@dataclass(frozen=True, slots=True)
class _Ground:
    """A setting or variable of the file that an exposure stands on."""

    workload: Workload
    given: Setting | Variable
    place: Place

    @property
    def name(self) -> str:
        return self.given.flag if isinstance(self.given, Setting) else self.given.name

    def says(self) -> str:
        """As the file gives it, without secrets."""
        typed = self.given.typed if isinstance(self.given, Setting) else self.given.name
        return f"{typed} {redact_value(self.name, self.given.value)}"

    def shortly(self) -> str:
        """As the file gives it, a long value cut."""
        words = self.says()
        return words if len(words) <= 60 else words[:57] + "…"

    def fact(self) -> str:
        """The same whatever its spelling and place."""
        return f"{self.name}={redact_value(self.name, self.given.value)}"


def exposures(unit: Unit, view: View) -> Iterator[Exposed]:
    """Every rule that the unit is exposed to, or worse, in the order of the catalogue."""
    for rule in _open(view):
        exposure = exposed(rule, view)
        verdict = judge(rule, view) if _seen(view) else unseen(rule, exposure)
        if verdict.status in SHOWN:
            yield _exposed(unit, view, verdict)


def _seen(view: View) -> bool:
    """Whether there are any symptoms: a file shows what is set, so that hardly ever."""
    case = view.case
    return bool(case.artifacts or case.threads or any(fact.notable for fact in case.facts))


_OPEN: dict[tuple[object, ...], tuple[Rule, ...]] = {}
_MOST_OPEN = 10_000


def _open(view: View) -> tuple[Rule, ...]:
    """The rules of which something may be shown; of cases with the same grounds they are looked for once."""
    key = grounds(view, _asked())
    if key is None:
        return tuple(_looked_for(view))
    if key not in _OPEN:
        if len(_OPEN) >= _MOST_OPEN:
            _OPEN.clear()
        _OPEN[key] = tuple(_looked_for(view))
    return _OPEN[key]


@cache
def _asked() -> Asked:
    recipes = (each for one in profiles().values() for each in (one.get("facts") or {}).values())
    return asked(catalogue(), recipes)


def _looked_for(view: View) -> Iterator[Rule]:
    """Those whose exposure is not ruled out; where nothing was seen, what is not known to be exposed is not shown."""
    seen = _seen(view)
    for rule in catalogue():
        if not applies(rule, *view.engines):
            continue
        built = build_affected(rule, view)
        if built.truth is Truth.NO or (not seen and built.truth is Truth.UNKNOWN):
            continue
        held = truth(rule.exposure, view)
        if held is Truth.YES or (seen and held is Truth.UNKNOWN):
            yield rule


def undecided(view: View) -> Iterator[tuple[Rule, str]]:
    """Every rule that the build is affected by and the launch may or may not be exposed to, with what would tell."""
    for rule in catalogue():
        if applies(rule, *view.engines) and (built := build_affected(rule, view)).truth is Truth.YES:
            exposure = exposed(rule, view, built)
            if exposure.truth is Truth.UNKNOWN:
                yield rule, next((one.question or f"{_plain(one.about)} is not known." for one in exposure.missing), "")


def _plain(about: str) -> str:
    """What is not known, without the kind: `fact:runner.version` is runner.version."""
    return about.partition(":")[2] or about


def _exposed(unit: Unit, view: View, verdict: Verdict) -> Exposed:
    rule = verdict.rule
    remedies = [one for one in rule.remedies if one.status != "suggested" and fits(one, view)]
    grounds = _deciding(list(_grounds(unit, view, verdict)), remedies)
    source = unit.placed.source
    first = grounds[0] if grounds else None
    place = first.place if first else source.place if source else unit.workloads[0].place
    more = [(one.place, one.says()) for one in grounds[1:]]
    more += [(source.place, f"the build: {source.text}")] if source and source.place != place else []
    fixes = [fix_out(one, view) for one in rule.fixes]
    release = _release(fixes)
    because = tuple(dict.fromkeys(says(fact) for fact in strongest(verdict.exposure.because)))
    return Exposed(
        rule=rule,
        says=_says(verdict, view, grounds) + (f"; first fixed in {release}" if release else ""),
        workload=first.workload if first else unit.workloads[0],
        place=place,
        fact=" ".join(sorted({one.fact() for one in grounds})) or "build",
        because=because + ((unit.says,) if unit.says else ()),
        advice=tuple(map(_advice, remedies)),
        related=tuple(more),
        actionability=_actionability(release, remedies),
        edit=of_exposure(rule, view) if first is not None else "",
        sources=tuple(SourceOut(one.url, one.date or "", one.note or "") for one in rule.references),
    )


def _advice(remedy: Remedy) -> str:
    """What to do, what it costs, and how that is known."""
    return f"{remedy.what.strip().rstrip('.')}. Cost: {remedy.cost} ({proof_says(remedy).rstrip('.')})"


def _says(verdict: Verdict, view: View, grounds: list[_Ground]) -> str:
    """The build and the settings that decide, and what they can meet; `check`'s own line for anything worse."""
    if verdict.status != "exposed":
        return headline(verdict)
    settings = " and ".join(dict.fromkeys(one.shortly() for one in grounds))
    build = view.case.build.label()
    with_ = f"{',' if ', ' in build else ''} with {settings}" if settings else ""
    return f"{build}{with_} can meet {verdict.rule.id}: {verdict.rule.gist}"


def _release(fixes: list[FixOut]) -> str | None:
    """The first release that holds a fix of more than a part."""
    found = [one.first_release for one in fixes if one.completeness != "partial" and one.first_release]
    return found[0] if found else None


def _actionability(release: str | None, remedies: list[Remedy]) -> Actionability:
    if release:
        return "fix released"
    return "workaround" if any(one.do in (*EDITS, "component") for one in remedies) else "none"


def _grounds(unit: Unit, view: View, verdict: Verdict) -> Iterator[_Ground]:
    """The settings and variables given in the file that the exposure stands on."""
    for fact in verdict.exposure.because:
        for name in _names(fact, view):
            for workload in unit.workloads:
                launch = workload.launch
                given = launch.setting(name) if name.startswith("-") else launch.variable(name)
                place = place_of(workload, given)
                if given is not None and place is not None and fact.origin != "default" and _is_of(fact, given):
                    yield _Ground(workload, given, place)


def _is_of(fact: Fact, given: Setting | Variable) -> bool:
    return fact.span is None or given.span is None or fact.span == given.span


def _names(fact: Fact, view: View) -> tuple[str, ...]:
    """The flags and variables that a fact can be read from."""
    kind, _, name = fact.name.partition(":")
    if kind in ("setting", "env"):
        return (name,)
    return view.knowledge.read_from(name or kind) if view.knowledge else ()


def _deciding(grounds: list[_Ground], remedies: list[Remedy]) -> list[_Ground]:
    """The grounds, each place once, those that a remedy changes first."""
    changed = {name for one in remedies if one.do in EDITS for name in change(one)}
    once = list({(one.workload.identity(), one.place.start, one.place.end): one for one in grounds}.values())
    return sorted(once, key=lambda one: one.name.partition(".")[0] not in changed and one.name not in changed)
