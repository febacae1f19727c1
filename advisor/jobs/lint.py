"""Files and folders -> one lint report: read, judged, suppressions and baseline applied.

Folders are shared out over processes, and what an earlier run found in a file that is the same still is taken from the
cache. Nothing of ours in any file is not a clean bill: the report says that nothing was
recognised, and the caller makes that an error.
"""

from __future__ import annotations

import gc
import os
import signal
from collections.abc import Callable, Generator, Iterator, Mapping, Sequence
from concurrent.futures import ProcessPoolExecutor
from contextlib import closing
from dataclasses import dataclass, field, replace
from datetime import date
from functools import partial
from itertools import groupby
from multiprocessing import get_context
from multiprocessing.context import BaseContext
from pathlib import Path

from advisor import __version__
from advisor.catalog.places import own_rules, use_own_rules
from advisor.cores import cores, end_with_parent, may_fork
from advisor.errors import UsageError
from advisor.jobs import baseline as known_before
from advisor.jobs import configuration as configured
from advisor.jobs import suppressing, trees
from advisor.jobs.judging import catalogue, catalogue_problems
from advisor.jobs.lint_cache import Cache
from advisor.jobs.lint_checks import checks
from advisor.jobs.lint_files import Judged, Known, Looked, Opened, Seen, folder, recalled, texts, unchanged
from advisor.model.lint import LINT_SCHEMA, LintFinding, LintReport
from advisor.model.suppression import Configuration
from advisor.redaction import as_given, show_as_given
from advisor.redaction.cover import covered

__all__ = ["Judged", "LintRequest", "Opened", "Seen", "configuration", "expect_recognised", "lint", "lint_to_edit"]

GARBAGE = 200_000
"""Objects made between two looks for cycles: what is read makes hardly any, and looking costs a tenth of the time."""
MANY = 200  # files from which on more than one process is worth its start
NAMES = ("advisor.toml", "pyproject.toml")

Progress = Callable[[int, int], None]
Lines = tuple[tuple[int, int], ...]


@dataclass(frozen=True)
class LintRequest:
    """What to lint. `changed` maps absolute paths to changed lines where only a change is of interest.

    `given` are the names and contents of files that stand in no folder, such as standard input; judged together.
    `baseline` is the text of a baseline file and `baseline_name` its name; `complete` is False where only some files of
    a tree are looked at, so that nobody can say what does not occur any more. `cache` is the folder in which results
    are kept for later runs.
    """

    paths: tuple[Path, ...]
    today: date
    exclude: tuple[str, ...] = ()
    respect_ignore: bool = True
    evidence: bool = False
    processes: int = 0
    configuration: Configuration = field(default_factory=Configuration)
    baseline: str = ""
    baseline_name: str = "baseline"
    changed: dict[str, Lines] | None = None
    given: tuple[tuple[str, bytes], ...] = ()
    complete: bool = True
    cache: Path | None = None


def lint(request: LintRequest, progress: Progress | None = None) -> LintReport:
    """The report as it is shown. UsageError for a path that is not there, a baseline that is none."""
    return covered(_report(request, _looked_at(request, progress)))


def lint_to_edit(request: LintRequest) -> tuple[LintReport, dict[str, Opened]]:
    """The report, and by their names in it the files that can be edited for a finding."""
    looked = _looked_at(request, edits=True)
    return _report(request, looked), {one.record.out.name: one.opened for one in looked if one.opened is not None}


def _looked_at(request: LintRequest, progress: Progress | None = None, *, edits: bool = False) -> list[Looked]:
    found = sorted(trees.files(request.paths, request.exclude, respect_ignore=request.respect_ignore), key=str)
    if request.changed is not None:
        found = [one for one in found if os.path.abspath(one) in request.changed]
    looked = texts(request.given, request.evidence)
    folders = [list(group) for _, group in groupby(found, key=lambda one: one.parent)]
    cache = (
        Cache(request.cache, request.today.toordinal())
        if request.cache is not None and not edits and not as_given()
        else None
    )
    for part in _counted(_all(folders, request, cache, edits), len(found), progress):
        looked += part
    if cache is not None:
        cache.keep([one.row for one in looked if one.row is not None])
    return looked


def _counted(parts: Iterator[list[Looked]], total: int, progress: Progress | None) -> Iterator[list[Looked]]:
    done = 0
    for part in parts:
        yield part
        done += len(part)
        if progress:
            progress(done, total)


def _report(request: LintRequest, looked: Sequence[Looked]) -> LintReport:
    read = [one.record for one in looked]
    report = LintReport(
        schema=LINT_SCHEMA,
        files=tuple(one.out for one in read if one.out.format or one.out.notes),
        findings=tuple(sorted((each for one in read for each in one.findings), key=suppressing.place)),
        checks=checks(),
        notes=catalogue_problems(),
        as_of=max((rule.as_of for rule in catalogue()), default=""),
        advisor=__version__,
    )
    former = {old: rule.id for rule in catalogue() for old in rule.former_ids}
    base = os.path.dirname(request.configuration.file) or "."
    comments = [each for one in read for each in one.comments]
    annotations = [each for one in read for each in one.annotations]
    report = suppressing.apply(
        report,
        comments,
        annotations,
        request.configuration,
        request.today,
        known=[one.id for one in report.checks],
        former=former,
        complete=request.complete,
        below=lambda name: os.path.relpath(name, base).replace(os.sep, "/"),
    )
    if request.baseline:
        report = known_before.apply(report, request.baseline, request.baseline_name, complete=request.complete)
    return _touched(report, request.changed) if request.changed is not None else report


def expect_recognised(report: LintReport, paths: Sequence[Path]) -> None:
    """UsageError where nothing of the engines was read: the files are others than was meant, or are broken."""
    if any(one.workloads or (one.format and not one.notes) for one in report.files):
        return
    said = "; ".join(note for one in report.files for note in one.notes)[:400]
    where = " ".join(map(trees.readable, paths[:3])) + (f" and {len(paths) - 3} more" if len(paths) > 3 else "")
    hint = "looked for vLLM, SGLang, LMDeploy and xLLM launches"
    hint += "; --stdin-filename run.sh says what standard input is" if Path("-") in paths else ""
    raise UsageError("nothing recognised" + (f": {said}" if said else ""), where, hint)


def _all(
    folders: Sequence[Sequence[Path]], request: LintRequest, cache: Cache | None, edits: bool
) -> Iterator[list[Looked]]:
    """What came of the files, a folder at a time: of those that are not known, several at once where they are many."""
    kept = recalled(folders, request.evidence, cache) if cache else [({}, False) for _ in folders]
    left = [(one, known) for one, (known, all_) in zip(folders, kept, strict=True) if not all_]
    many = sum(len(one) - len(known) for one, known in left) >= MANY
    processes = (request.processes or cores()) if many else 1
    looked = _in_turn if processes == 1 else partial(_at_once, processes=processes)
    work = partial(_folder, evidence=request.evidence, edits=edits, caching=cache is not None)
    with closing(looked(left, work)) as fresh:
        for one, (known, all_) in zip(folders, kept, strict=True):
            yield unchanged(one, known) if all_ else next(fresh)


Left = tuple[Sequence[Path], Mapping[Path, Known]]
"""The files of a folder, and what is known of some of them."""
Work = Callable[[Left], list[Looked]]


def _folder(left: Left, *, evidence: bool, edits: bool, caching: bool) -> list[Looked]:
    files, known = left
    return folder(files, evidence, edits=edits, caching=caching, known=known)


def _in_turn(left: Sequence[Left], work: Work) -> Generator[list[Looked], None, None]:
    yield from map(work, left)


def _at_once(left: Sequence[Left], work: Work, processes: int) -> Generator[list[Looked], None, None]:
    """The first folder here: what it takes to judge is loaded then, and processes that are forked have it."""
    yield work(left[0])
    size = max(1, min(16, len(left) // (processes * 8) or 1))
    given = as_given(), own_rules()
    pool = ProcessPoolExecutor(processes, mp_context=_context(), initializer=_set_up, initargs=given)
    try:
        yield from pool.map(work, left[1:], chunksize=size)
    finally:  # interrupted, what has not begun is let go; each process ends with the folders that it has
        pool.shutdown(wait=True, cancel_futures=True)


def _context() -> BaseContext | None:
    """Forked where that is sound, on Linux in a process of one thread; else as Python does it there."""
    return get_context("fork") if may_fork() else None


def _set_up(plainly: bool, own: tuple[Path, ...]) -> None:
    """A process of the pool: it judges by the same rules, and Ctrl-C is for the one that waits for it.

    `plainly`: nothing is hidden.
    """
    if plainly:
        show_as_given()
    use_own_rules(own)
    gc.set_threshold(GARBAGE)
    signal.signal(signal.SIGINT, signal.SIG_IGN)
    end_with_parent()


def _touched(report: LintReport, changed: dict[str, Lines]) -> LintReport:
    """Only the findings that a changed line has a part in."""

    def touches(one: LintFinding) -> bool:
        regions = (one.region, *(each.region for each in one.related))
        return any(
            first <= region.end_line and region.line <= last
            for region in regions
            for first, last in changed.get(os.path.abspath(region.file), ())
        )

    return replace(report, findings=tuple(one for one in report.findings if touches(one)))


def configuration(paths: Sequence[Path], given: Path | None = None) -> Configuration:
    """What `advisor.toml` or `[tool.advisor]` says: of the file given, else the nearest above the first path.

    UsageError for a file that cannot be read or holds a mistake.
    """
    if given is not None:
        found = _configured(given)
        return found or Configuration(file=given.as_posix())
    start = Path(os.path.abspath(paths[0] if paths else "."))
    for above in (start, *start.parents):
        for name in NAMES:
            file = above / name
            if above.is_dir() and file.is_file() and (found := _configured(file)) is not None:
                return found
        if (above / ".git").exists():
            break
    return Configuration()


def _configured(file: Path) -> Configuration | None:
    try:
        text = file.read_text(encoding="utf-8-sig")
    except (OSError, UnicodeDecodeError) as error:
        raise UsageError(f"cannot be read: {error}", str(file), None) from None
    relative = os.path.relpath(file).replace(os.sep, "/")
    return configured.read(relative, text)
