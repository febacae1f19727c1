"""A rule and a folder of installed packages -> whether the Python part of its fix fits, and the commands to run.

Without the commits at hand the rule's fingerprints alone are looked for: they tell whether the fix is in, not whether
it could be put in.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import replace
from pathlib import Path

from advisor.catalog.engines import knowledge, profiles
from advisor.jobs.patch_answer import told, untried
from advisor.jobs.patch_case import Case, Prepared
from advisor.jobs.patch_choice import Step, fetch_command
from advisor.model.patch import InstalledOut, PatchReport
from advisor.upstream import patch_installed
from advisor.upstream.patch_change import Change
from advisor.upstream.patch_standing import Standing
from advisor.upstream.rooted import Root
from advisor.upstream.sought import Sought


def installed(case: Case) -> Prepared:
    """Try the fix on copies of the installed files. The folder is only read."""
    steps = case.choice.steps
    if not steps:
        return Prepared(
            replace(case.report(), notes=(f"Nothing was looked for in {case.asked.site or 'any folder'}.",))
        )
    series = case.series(steps)
    marked = [mark.file for step in steps for mark in step.fingerprints()]
    paths = [*(path for one in series.values() for path in one.paths), *marked]
    root, site = patch_installed.site_of(Path(case.asked.site) if case.asked.site else None, paths)
    missing = [step for step in steps if step not in series]
    if missing:
        return _by_marks(case, root, site, missing)
    stands = {step: patch_installed.standing_in(one, step.fingerprints(), site) for step, one in series.items()}
    patches = tuple(told(step, one, stands[step]) for step, one in series.items())
    report = replace(case.report(), patches=patches)
    if _is_in(stands):
        return Prepared(_in(report, stands, site))
    lacking = [one for step, one in series.items() if stands[step].held != "yes"]
    return _fitted(case, report, lacking, site)


def _is_in(stands: Mapping[Step, Standing]) -> bool:
    return all(one.held == "yes" for step, one in stands.items() if step.role == "fix")


def _in(report: PatchReport, stands: Mapping[Step, Standing], site: Path) -> PatchReport:
    how = next(one.how for step, one in stands.items() if step.role == "fix")
    headline = f"The Python part of the fix is in the installed files in {site}: {how}."
    answer = InstalledOut(str(site), "in", headline, ())
    return replace(report, verdict="in", headline=headline, installed=answer)


def _by_marks(case: Case, root: Root, site: Path, missing: Sequence[Step]) -> Prepared:
    """The answer without the commits: by the fingerprints, and what a clone would add."""
    name = next((name for name, one in profiles().items() if one.get("repo") == case.choice.repo), "")
    known = knowledge(name) if name else None
    stands = {
        step: patch_installed.standing_by_marks(_sought(step), root, site, name, known) for step in case.choice.steps
    }
    lack = f"no clone given has {', '.join(one.commit[:12] for one in missing)}"
    patches = tuple(told(step, case.at_hand(step), one, lacks=lack) for step, one in stands.items())
    report = replace(case.report(), patches=patches, notes=(_adds(case, missing),))
    if _is_in(stands):
        return Prepared(_in(report, stands, site))
    headline = untried(stands, f", by the installed files in {site}")
    answer = InstalledOut(str(site), "untried", headline, ())
    fetch = fetch_command(missing, case.asked.repo or case.asked.source)
    return Prepared(replace(report, verdict="untried", headline=headline, installed=answer, fetch=fetch))


def _sought(step: Step) -> Sought:
    return Sought(step.repo, step.commit, step.pr, step.merged, step.fingerprints())


def _adds(case: Case, missing: Sequence[Step]) -> str:
    if not any(mark.file.endswith(".py") for step in missing for mark in step.fingerprints()):
        return f"Only fingerprints were looked for. Of {case.choice.repo} a clone tells more: --repo."
    clone = f"a clone of {case.choice.repo} that has {', '.join(one.commit[:12] for one in missing)}"
    adds = "it is told too whether its Python part applies to these files, and with which commands"
    return f"Only fingerprints were looked for. With --from CLONE, {clone}, {adds}."


def _fitted(case: Case, report: PatchReport, lacking: list[Change], site: Path) -> Prepared:
    fitted = patch_installed.against(case.store, lacking, site)
    answer = fitted.answer
    if fitted.patch:
        named = case.asked.output or Path(f"advisor-{case.slug}.patch")
        answer = replace(answer, commands=patch_installed.commands(site, answer.files, named, case.slug))
    report = replace(report, verdict=answer.verdict, headline=answer.headline, installed=answer)
    return Prepared(report, python_patch=_headed(case, lacking, fitted.patch))


def _headed(case: Case, series: list[Change], patch: bytes) -> bytes:
    """The patch with its origin before the first diff, where `patch` and `git apply` skip it."""
    if not patch:
        return b""
    names = ", ".join(one.commit for one in series)
    head = f"{case.rule.id}: the Python files of {case.choice.repo} {names}, as they fit one installed package.\n\n"
    return head.encode() + patch
