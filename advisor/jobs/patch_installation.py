"""A rule and a folder of installed packages -> whether the Python part of its fix fits, and the commands to run."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

from advisor.jobs.patch_answer import told
from advisor.jobs.patch_case import Case, Prepared
from advisor.model.patch import InstalledOut, PatchReport
from advisor.upstream import patch_installed
from advisor.upstream.patch_change import Change


def installed(case: Case) -> Prepared:
    """Try the fix on copies of the installed files. The folder is only read."""
    if not case.choice.steps:
        return Prepared(case.report())
    series = case.series(case.choice.steps)
    paths = [path for one in series.values() for path in one.paths]
    site = patch_installed.site_of(Path(case.asked.site) if case.asked.site else None, paths)
    stands = {step: patch_installed.standing_in(one, step.fingerprints(), site) for step, one in series.items()}
    fixes = [stands[step] for step in series if step.role == "fix"]
    patches = tuple(told(step, one, stands[step]) for step, one in series.items())
    report = replace(case.report(), patches=patches)
    if all(one.held == "yes" for one in fixes):
        headline = f"The Python part of the fix is in the installed files: {fixes[0].how}."
        answer = InstalledOut(str(site), "in", headline, ())
        return Prepared(replace(report, verdict="in", headline=headline, installed=answer))
    lacking = [one for step, one in series.items() if stands[step].held != "yes"]
    return _fitted(case, report, lacking, site)


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
