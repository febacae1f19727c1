"""What was found of each commit -> what the report says: the verdict, its headline, each commit's part, the notes."""

from __future__ import annotations

from collections.abc import Collection, Mapping, Sequence

from advisor.jobs.patch_choice import Step
from advisor.model.patch import FileOut, PatchOut, Verdict
from advisor.upstream.patch_change import Change
from advisor.upstream.patch_standing import Standing
from advisor.upstream.patching import Trial

_WORST_FIRST: tuple[Verdict, ...] = ("conflicts", "three_way", "clean", "in")
NOT_CODE = {"tests", "docs", "version"}


def told(step: Step, one: Change | None, stands: Standing, trial: Trial | None = None, lacks: str = "") -> PatchOut:
    """One commit's part of the report."""
    if trial and trial.verdict == "in":
        stands = Standing("yes", "by content: merging it changes nothing")
    return PatchOut(
        repo=step.repo,
        pr=step.pr,
        url=step.url,
        commit=one.commit if one else step.commit,
        subject=one.told[4] if one else "",
        author=one.author if one else "",
        date=one.told[2] if one else "",
        role=step.role,
        why=step.why,
        standing=stands.held,
        how=stands.how,
        applies=trial.verdict if trial else None,
        lacks="" if trial else lacks,
        files=trial.files if trial else (),
    )


def verdict_of(trials: Collection[Trial]) -> Verdict:
    """The whole series' verdict: its worst; `in` when nothing had to be tried."""
    found = {trial.verdict for trial in trials}
    return next((one for one in _WORST_FIRST if one in found), "in")


def headline(verdict: Verdict, patches: Sequence[PatchOut]) -> str:
    """The verdict as a sentence."""
    count = sum(one.standing != "yes" for one in patches)
    what = "The fix" if count < 2 else f"The fix, a series of {count} commits,"
    if verdict == "in":
        return f"The fix is in: {next(one.how for one in patches if one.role == 'fix')}."
    not_in = "is not in" if all(one.standing != "unknown" for one in patches) else "is not known to be in"
    if verdict == "clean":
        return f"{what} {not_in}, and applies cleanly."
    if verdict == "three_way":
        return f"{what} {not_in}, and applies by a three-way merge: read the result before you trust it."
    return f"{what} {not_in}, and conflicts {_where(conflicting(patches))}."


_BY = {"files": ", by its files", "history": ", by its history", "both": ", by its history and files", "": ""}


def untried(stands: Mapping[Step, Standing], where: str = "") -> str:
    """The verdict where the commit is not at hand; what is known of the first fix that is not in leads."""
    lacking = (one for step, one in stands.items() if step.role == "fix" and one.held != "yes")
    one = next(lacking, next(iter(stands.values())))
    needed = "to carry it the commit is needed"
    if one.held == "no":
        return f"The fix is not in{where or _BY[one.by]}: {one.how}; {needed}."
    return f"Whether the fix is in is not established{where}: {one.how}; {needed}."


def conflicting(patches: Sequence[PatchOut]) -> list[FileOut]:
    """Every file that needs a person."""
    return [file for one in patches for file in one.files if file.state == "conflict"]


def _where(stuck: Sequence[FileOut]) -> str:
    kinds = {file.kind for file in stuck}
    if kinds <= NOT_CODE:
        words = {"tests": "tests", "docs": "docs", "version": "a version number"}
        return f"only in {' and '.join(words[kind] for kind in sorted(kinds))}, not in code"
    code = sum(file.kind not in NOT_CODE for file in stuck)
    rest = len(stuck) - code
    beside = f", and in {rest} of tests, docs or version" if rest else ""
    return f"in {code} {'file' if code == 1 else 'files'} of code{beside}"


def notes(patches: Sequence[PatchOut]) -> tuple[str, ...]:
    """What else to know before the patch is taken."""
    renumbering = [
        file.path for one in patches for file in one.files if file.kind == "version" and file.state != "already"
    ]
    if not renumbering:
        return ()
    return (f"{', '.join(renumbering)}: with this a build names itself by the fix's release, which it is not.",)
