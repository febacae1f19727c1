"""A rule and a clone -> is its fix in, does it apply, and the patch itself: as mails, or on a new branch.

Nothing of the clone is changed, but that a branch comes to it when that is asked for and nothing conflicts.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import replace

from advisor.catalog.engines import knowledge, profiles
from advisor.errors import UpstreamError, UsageError
from advisor.jobs import patch_answer
from advisor.jobs.explain import find
from advisor.jobs.judging import catalogue
from advisor.jobs.patch_case import Asked, Case, Prepared
from advisor.jobs.patch_choice import Step, chosen, fetch_command
from advisor.jobs.patch_installation import installed
from advisor.model.patch import PatchReport
from advisor.model.rule import Fingerprint
from advisor.upstream import checkout, patch_series
from advisor.upstream.git import tag_and_branch
from advisor.upstream.patch_change import Change, content
from advisor.upstream.patch_standing import Standing, standings
from advisor.upstream.patch_store import located, store
from advisor.upstream.patching import Trial, tried
from advisor.upstream.sought import Sought


def prepare(asked: Asked) -> Prepared:
    """Answer, and make the branch if asked and possible. Raises UsageError and UpstreamError; then nothing was made."""
    rule = find(asked.rule)
    if asked.repo is None and asked.site is None:
        raise UsageError("needs a clone", "--repo", "or an installed package, with --against-installed")
    clone = located(asked.repo) if asked.repo else None
    clones = [*([clone] if clone else []), *([located(asked.source)] if asked.source else [])]
    head = clone.revision(asked.ref) if clone else ""
    asked = replace(asked, branch=asked.branch or f"advisor/{rule.id.partition('/')[2]}")
    if asked.apply and clone:
        patch_series.check_branch(clone, asked.branch)
    with store(clones) as held:
        case = Case(asked, rule, chosen(rule, asked.fixes), held, clone, head)
        _check_no_other_project(case)
        prepared = installed(case) if asked.site is not None else _carried(case)
    return replace(prepared, report=_with_notes(case, prepared.report))


def _with_notes(case: Case, report: PatchReport) -> PatchReport:
    """The report, with what else to know of the request."""
    notes, asked = list(report.notes), case.asked
    if case.clone and (double := tag_and_branch(case.clone.git_dir, asked.ref)):
        notes.append(
            f"{double} is a tag and a branch of the clone: the tag was taken (refs/heads/{double} is the other)."
        )
    if asked.apply and not report.branch:
        why = {"conflicts": "it conflicts", "untried": "the commit is not at hand"}.get(
            report.verdict, "nothing is to do"
        )
        notes.append(f"--apply: no branch was made, for {why}.")
    if asked.output and report.verdict == "untried":
        notes.append(f"--output: nothing was written to {asked.output}.")
    return replace(report, notes=tuple(notes))


def _carried(case: Case) -> Prepared:
    steps = case.choice.steps
    if not steps:
        return Prepared(replace(case.report(), notes=_unmerged_here(case)))
    stands = _standings(case)
    lacking = [step for step in steps if stands[step].held != "yes"]
    done = all(stands[step].held == "yes" for step in steps if step.role == "fix")  # what it needed came with it
    missing = [] if done else [step for step in lacking if case.at_hand(step) is None]
    if missing:
        return _untried(case, stands, missing)
    series = case.series([] if done else lacking)
    trials = _trials(case, series)
    order = [*(step for step in steps if step not in series), *series]
    patches = tuple(
        patch_answer.told(
            step, series.get(step) or case.at_hand(step), stands[step], trials.get(step), _lacks(step, series)
        )
        for step in order
    )
    verdict = patch_answer.verdict_of(trials.values())
    said = patch_answer.headline(verdict, patches)
    report = replace(case.report(), verdict=verdict, headline=said, patches=patches, notes=patch_answer.notes(patches))
    carried = {step: one for step, one in series.items() if step not in trials or trials[step].verdict != "in"}
    if case.asked.apply and verdict in ("clean", "three_way"):
        report = _applied(case, report, carried, trials)
    return Prepared(report, _mails(case, carried))


def _untried(case: Case, stands: Mapping[Step, Standing], missing: Sequence[Step]) -> Prepared:
    """The answer where commits to carry are not at hand: what history and files say, and how to bring the commits."""
    lack = {step: _absent(case, step) if step in missing else "what it goes with is not at hand" for step in stands}
    told = tuple(patch_answer.told(step, case.at_hand(step), stands[step], lacks=lack[step]) for step in stands)
    report = replace(case.report(), verdict="untried", headline=patch_answer.untried(stands), patches=told)
    fetch = fetch_command(missing, case.asked.repo)
    return Prepared(replace(report, fetch=fetch, notes=_unmerged_here(case)))


def _absent(case: Case, step: Step) -> str:
    try:
        case.change(step)
    except UpstreamError as error:
        return f"{error.what}: {error.hint}"
    return f"the clone has no commit {step.commit[:12]} of {step.repo}"


def _lacks(step: Step, series: Mapping[Step, Change]) -> str:
    """Why a step was not tried."""
    if step in series:
        return "what comes before it conflicts"
    return "nothing of it is left to do" if step.role == "fix" else "it is in, or what needs it is"


def _standings(case: Case) -> dict[Step, Standing]:
    """Whether the revision has each step, by git and by content; unknown for a repository that nothing is known of."""
    known = [step for step in case.choice.steps if step.repo == case.choice.repo]
    sought = [Sought(one.repo, one.commit, one.pr, one.merged, _marks(one)) for one in known]
    unknown = Standing("unknown", "the history of its repository is not known here")
    return dict.fromkeys(case.choice.steps, unknown) | dict(zip(known, _asked(case, sought), strict=True))


def _marks(step: Step) -> tuple[Fingerprint, ...]:
    """The step's marks in the engine's files, also those by which other rules know the same change."""
    named = (fix for rule in catalogue() for fix in rule.fixes if fix.repo == step.repo and fix.pr == step.pr)
    others = (fix.fingerprint for fix in named if fix.fingerprint and step.pr is not None)
    return tuple(dict.fromkeys((*step.fingerprints(), *others)))


def _asked(case: Case, sought: Sequence[Sought]) -> list[Standing]:
    """How each change of one repository stands at the revision."""
    name = next((name for name, one in profiles().items() if sought and one.get("repo") == sought[0].repo), None)
    if name is None:
        return [Standing("unknown", "the history of its repository is not known here") for _ in sought]
    return standings(case.store, case.head, name, knowledge(name), sought)


def _unmerged_here(case: Case) -> tuple[str, ...]:
    """A note on each unmerged fix that the revision has all the same, as forks do."""
    fixes = [fix for fix in case.rule.fixes if fix.repo == case.choice.repo and fix.pr is not None]
    sought = [Sought(fix.repo, fix.commit, fix.pr, "", (fix.fingerprint,) if fix.fingerprint else ()) for fix in fixes]
    found = zip(fixes, _asked(case, sought), strict=True)
    return tuple(f"{fix.key()}, which is not merged, is in here: {one.how}." for fix, one in found if one.held == "yes")


def _trials(case: Case, series: Mapping[Step, Change]) -> dict[Step, Trial]:
    """Each change tried on what the ones before it lead to; none after a conflict."""
    tree = case.store.word("rev-parse", f"{case.head}^{{tree}}")
    trials: dict[Step, Trial] = {}
    for step, one in series.items():
        trials[step] = found = tried(one, tree)
        if found.verdict == "conflicts":
            _check_same_project(case, one, tree)
            break
        tree = found.tree
    return trials


MARKERS = {**checkout.MARKERS, "nccl": "src/nccl.h.in", "vllm-ascend": "vllm_ascend/__init__.py"}
"""A file that tells of which project a clone is."""


def _check_no_other_project(case: Case) -> None:
    """Raises UsageError for a clone that is plainly of another project than the one whose fix is asked for."""
    if case.clone is None or not case.choice.repo:
        return
    wanted = next((name for name, one in profiles().items() if one.get("repo") == case.choice.repo), "")
    listed = case.store.git("ls-tree", "-z", "--name-only", case.head, "--", *MARKERS.values())
    there = set(listed.decode("utf-8", "surrogateescape").split("\0"))
    held = [name for name, marker in MARKERS.items() if marker in there]
    if held and wanted not in held:
        what = f"is no clone of {case.choice.repo}: it holds {MARKERS[held[0]]}, which is of {held[0]}"
        hint = f"--repo takes a clone of {case.choice.repo} or a fork of it"
        raise UsageError(what, str(case.asked.repo), hint)


def _check_same_project(case: Case, one: Change, tree: str) -> None:
    """Raises UsageError for a clone of something else: it has no file of the name of one that the fix changes."""
    before = {path for path in one.paths if content(case.store, one.base, path) is not None}
    listed = case.store.git("ls-tree", "-r", "-z", "--name-only", tree).decode("utf-8", "surrogateescape").split("\0")
    here = {path.rpartition("/")[2] for path in listed}
    if before and not any(path.rpartition("/")[2] in here for path in before):
        what = f"holds none of the files that the fix of {case.choice.repo} changes"
        raise UsageError(what, str(case.asked.repo), f"--repo takes a clone of {case.choice.repo} or a fork of it")


def _applied(
    case: Case, report: PatchReport, series: Mapping[Step, Change], trials: Mapping[Step, Trial]
) -> PatchReport:
    """The report, after the branch was made."""
    if case.clone is None:
        return report
    committer, tip = patch_series.committer_of(case.clone), case.head
    for step, one in series.items():
        tip = patch_series.picked(one, trials[step].tree, tip, committer)
    patch_series.hand_over(case.store, case.clone, tip, case.head, case.asked.branch)
    return replace(report, branch=case.asked.branch, tip=tip)


def _mails(case: Case, series: Mapping[Step, Change]) -> tuple[tuple[str, bytes], ...]:
    order = [_short(step, one) for step, one in series.items()]
    return tuple(_mail(case, step, one, number, order) for number, (step, one) in enumerate(series.items(), 1))


def _mail(case: Case, step: Step, one: Change, number: int, order: Sequence[str]) -> tuple[str, bytes]:
    origin = patch_series.Provenance(case.rule.id, case.rule.summary, step.repo, step.url, step.role, step.why)
    return patch_series.file_name(one, number), patch_series.mailbox(one, origin, number, order)


def _short(step: Step, one: Change) -> str:
    return f"{one.commit[:12]} (#{step.pr})" if step.pr else one.commit[:12]
