"""What lint says of one file's deployments: builds, exposure, settings, stale workarounds, interactions, evidence.

Every finding is at a place of the file, with what it stands on and what to do; see docs/lint-checks.md for the checks.
Pure: the same deployments give the same findings.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from dataclasses import replace
from functools import cache

from advisor.jobs import fix_choice
from advisor.jobs.discrepancies import of_settings
from advisor.jobs.fixing import fix_out
from advisor.jobs.judging import catalogue, view_of
from advisor.jobs.lint_build import build_findings
from advisor.jobs.lint_case import Unit, unit_of, units
from advisor.jobs.lint_checks import checks
from advisor.jobs.lint_exposure import Exposed, exposures
from advisor.jobs.lint_keywords import misgiven
from advisor.jobs.lint_overlay import overlaid
from advisor.jobs.lint_regions import Page, numbered
from advisor.match.interactions import interactions
from advisor.match.observation import Observation, place_of
from advisor.match.pod_life import Services, pod_life
from advisor.match.readiness import readiness
from advisor.match.stale import Workarounds, stale
from advisor.match.view import View
from advisor.model.deployment import Deployment, Place, Workload
from advisor.model.launch import Setting, Variable
from advisor.model.lint import Edit, Kind, LintFinding, RelatedOut
from advisor.model.report import Discrepancy, SourceOut
from advisor.model.rule import Level, Rule
from advisor.redaction import GONE, redact, redact_value

__all__ = ["checks", "findings_of"]

Found = tuple[LintFinding, str]
"""A finding without its fingerprint, and the fact that makes it this one."""


def findings_of(
    deployment: Deployment,
    others: Sequence[Deployment] = (),
    *,
    services: Services | None = None,
    evidence: bool = False,
) -> tuple[LintFinding, ...]:
    """Every finding in one file, in the order of places.

    `others` are files that are deployed with it: kustomizations, and those whose Services count where the namespace
    is the same. `services` are those of all files, where they are sorted already. `evidence` adds whether an incident
    would leave evidence.
    """
    if not deployment.workloads:
        return ()
    beside = services or Services((deployment, *others))
    deployment = overlaid(deployment, others)
    page = Page(deployment.file, deployment.text, _secrets(deployment))
    found: list[Found] = []
    for unit in units(deployment.workloads):
        view = view_of(unit.case)
        found += _of_unit(unit, view, page)
        for workload in unit.workloads:
            own = view if len(unit.workloads) == 1 else view_of(unit_of((workload,)).case)
            found += _of_workload(workload, own, deployment, beside, page, evidence)
    return numbered(found)


def _of_unit(unit: Unit, view: View, page: Page) -> Iterator[Found]:
    for one in exposures(unit, view):
        yield _exposure(one, page)
    for observed in build_findings(unit.placed, unit.workloads[0].place):
        yield _observed(observed, unit.workloads[0], page)
    for workload, observed in stale(unit.workloads, view, _workarounds(), _held(view)):
        choice = fix_choice.of_stale(_by_id()[observed.fact.partition(" ")[0]], workload, 0)
        yield _observed(replace(observed, edit=choice.edit), workload, page)


@cache
def _workarounds() -> Workarounds:
    return Workarounds(catalogue())


@cache
def _by_id() -> dict[str, Rule]:
    return {rule.id: rule for rule in catalogue()}


def _held(view: View) -> Callable[[Rule], str | None]:
    """Where a rule's fix came in, when the build holds one that is more than partial; else None."""

    def held(rule: Rule) -> str | None:
        for fix in rule.fixes:
            out = fix_out(fix, view) if fix.completeness != "partial" and fix.state == "merged" else None
            if out is not None and out.in_this_build == "yes":
                return out.first_release or (out.commit or "")[:12] or None
        return None

    return held


def _of_workload(
    workload: Workload, view: View, deployment: Deployment, beside: Services, page: Page, evidence: bool
) -> Iterator[Found]:
    for one in unfit(view):
        yield _setting(one, workload, view, page)
    observed = [*interactions(workload, view, deployment.workloads, deployment.text)]
    observed += pod_life(workload, view, beside, deployment.text)
    observed += readiness(workload, view, deployment.text) if evidence else ()
    for found in observed:
        yield _observed(found, workload, page)


def unfit(view: View) -> tuple[Discrepancy, ...]:
    """The settings of a case that do not fit: what is found and what is edited for."""
    return (*of_settings(view), *misgiven(view))


def _secrets(deployment: Deployment) -> tuple[str, ...]:
    """Values of the file that must not be shown, longest first: their names say that they are secret."""
    named = [(one.name, one.value) for workload in deployment.workloads for one in workload.environment]
    named += [(one.flag, str(one.value)) for workload in deployment.workloads for one in workload.launch.settings]
    found = {value for name, value in named if len(value) > 3 and _is_secret(name, value)}
    return tuple(sorted(found, key=lambda one: (-len(one), one)))


def _is_secret(name: str, value: str) -> bool:
    """Whether a name says that its value is secret: HF_TOKEN is, a number of tokens is not."""
    return redact_value(name, value) == GONE or (
        name.endswith("_TOKEN") and not value.isdigit() and not value.startswith(("$", "{"))
    )


def _observed(one: Observation, workload: Workload, page: Page) -> Found:
    check = one.check
    return _finding(
        page, workload, check.id, check.kind, one.level or check.level, one.says, one.place,
        one.because, one.advice, one.related, one.actionability, one.edit, check.sources,
    ), one.fact  # fmt: skip


def _exposure(one: Exposed, page: Page) -> Found:
    return _finding(
        page, one.workload, one.rule.id, "exposure", one.rule.level, one.says, one.place,
        one.because, one.advice, one.related, one.actionability, one.edit, one.sources,
    ), one.fact  # fmt: skip


def _setting(one: Discrepancy, workload: Workload, view: View, page: Page) -> Found:
    given = given_of(one, workload)
    choice = fix_choice.of_discrepancy(one, given, workload, 0, view, exact=fix_choice.is_exact(view))
    gone = f"remove {one.typed}" if one.code.endswith("-removed") else ""
    advice = choice.says() or one.remedy() or gone
    value = redact_value(one.subject, given.value) if given is not None else ""
    return _finding(
        page, workload, one.code, "setting", one.level, one.says, place_of(workload, given) or workload.place,
        (one.quote,) if one.quote else (), (advice,) if advice else (), (), "fix released", choice.edit, one.sources,
    ), f"{one.subject}={value}"  # fmt: skip


def given_of(one: Discrepancy, workload: Workload) -> Setting | Variable | None:
    """The setting or variable that a discrepancy is about."""
    launch = workload.launch
    settings = (*launch.valueless, *launch.settings)
    named: list[Setting | Variable] = [given for given in settings if given.flag == one.subject]
    named += [given for given in launch.environment if given.name == one.subject]
    exact = [given for given in named if str(given.span or launch.artifact) == one.place and _typed(given) == one.typed]
    found = exact or named
    return found[-1] if found else None


def _typed(given: Setting | Variable) -> str:
    return given.typed if isinstance(given, Setting) else given.name


def _finding(
    page: Page, workload: Workload, id: str, kind: Kind, level: Level, says: str, place: Place,
    because: tuple[str, ...], advice: tuple[str, ...], related: tuple[tuple[Place, str], ...],
    actionability: str, edit: Edit, sources: tuple[SourceOut, ...],
) -> LintFinding:  # fmt: skip
    return LintFinding(
        id=id,
        kind=kind,
        level=level,
        says=redact(says),
        because=tuple(dict.fromkeys(map(redact, because))),
        advice=tuple(map(redact, advice)),
        actionability=actionability,  # type: ignore[arg-type]
        edit=edit,
        workload=workload.identity(),
        region=page.region(place),
        related=tuple(RelatedOut(page.region(where), redact(words)) for where, words in related),
        fingerprint="",
        suppressed=None,
        sources=sources,
    )
