"""Files and folders -> one lint report: read, judged, suppressions and baseline applied.

Files of one folder are judged together, for a Service and the pods it is injected into may stand in two of them; the
folders are shared out over processes. Nothing of ours in any file is not a clean bill: the report says that nothing was
recognised, and the caller makes that an error.
"""

from __future__ import annotations

import gc
import os
import signal
from collections.abc import Callable, Iterator, Sequence
from concurrent.futures import ProcessPoolExecutor
from dataclasses import dataclass, field, replace
from datetime import date
from functools import partial
from itertools import groupby
from pathlib import Path

from advisor import __version__
from advisor.catalog.engines import knowledge, named
from advisor.errors import UsageError
from advisor.jobs import baseline as known_before
from advisor.jobs import configuration as configured
from advisor.jobs import directives, suppressing, trees
from advisor.jobs.judging import catalogue, catalogue_problems
from advisor.jobs.lint_judging import checks, findings_of
from advisor.jobs.lint_overlay import kustomizations, overlaid
from advisor.launches.files.recognise import read_file
from advisor.match.pod_life import Services
from advisor.model.deployment import Deployment
from advisor.model.lint import LINT_SCHEMA, FileOut, LintFinding, LintReport
from advisor.model.suppression import Configuration, Directive

GARBAGE = 50_000
"""Objects made between two looks for cycles: what is read makes hardly any, and looking costs a tenth of the time."""
MANY = 200  # files from which on more than one process is worth its start
ENGINE_MARKS = (b"vllm", b"sglang", b"lmdeploy", b"xllm", b"VLLM", b"SGLANG", b"LMDEPLOY", b"XLLM", b"vLLM", b"SGLang")
NAMES = ("advisor.toml", "pyproject.toml")

Seen = Callable[[Deployment], Deployment]
Judged = Callable[[Deployment], tuple[LintFinding, ...]]
Progress = Callable[[int, int], None]
Lines = tuple[tuple[int, int], ...]


@dataclass(frozen=True)
class LintRequest:
    """What to lint. `changed` maps absolute paths to changed lines where only a change is of interest.

    `given` are the names and contents of files that stand in no folder, such as standard input; judged together.
    `baseline` is the text of a baseline file and `baseline_name` its name; `complete` is False where only some files of
    a tree are looked at, so that nobody can say what does not occur any more.
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


@dataclass(frozen=True)
class Opened:
    """A file that can be edited for what was found in it, to be judged again as it was: `seen` makes of a reading what
    is deployed in its folder, `judged` says what is found in that."""

    content: bytes
    deployment: Deployment
    findings: tuple[LintFinding, ...]
    seen: Seen
    judged: Judged


@dataclass(frozen=True)
class _Read:
    """What one file came to."""

    out: FileOut
    findings: tuple[LintFinding, ...] = ()
    comments: tuple[Directive, ...] = ()
    annotations: tuple[Directive, ...] = ()
    opened: Opened | None = None


def lint(request: LintRequest, progress: Progress | None = None) -> LintReport:
    """The report. UsageError for a path that is not there, a baseline that is none."""
    return _report(request, _looked_at(request, progress))


def lint_to_edit(request: LintRequest) -> tuple[LintReport, dict[str, Opened]]:
    """The report, and by their names in it the files that can be edited for a finding."""
    read = _looked_at(request, keep=True)
    return _report(request, read), {one.out.name: one.opened for one in read if one.opened is not None}


def _looked_at(request: LintRequest, progress: Progress | None = None, *, keep: bool = False) -> list[_Read]:
    found = sorted(trees.files(request.paths, request.exclude, respect_ignore=request.respect_ignore), key=str)
    if request.changed is not None:
        found = [one for one in found if os.path.abspath(one) in request.changed]
    read = _given(request.given, request.evidence)
    for part in _all(found, request, len(found), progress, keep):
        read += part
    return read


def _report(request: LintRequest, read: Sequence[_Read]) -> LintReport:
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
    files: list[Path], request: LintRequest, total: int, progress: Progress | None, keep: bool
) -> Iterator[list[_Read]]:
    folders = [list(group) for _, group in groupby(files, key=lambda one: one.parent)]
    processes = request.processes or (os.cpu_count() or 1)
    work = partial(_folder, evidence=request.evidence, keep=keep)
    done = 0
    if total < MANY or processes == 1:
        for folder in folders:
            yield work(folder)
            done += len(folder)
            if progress:
                progress(done, total)
        return
    size = max(1, min(16, len(folders) // (processes * 8) or 1))
    pool = ProcessPoolExecutor(processes, initializer=_set_up)
    try:
        for folder, found in zip(folders, pool.map(work, folders, chunksize=size), strict=True):
            yield found
            done += len(folder)
            if progress:
                progress(done, total)
    finally:  # interrupted, what has not begun is let go; each process ends with the folders that it has
        pool.shutdown(wait=True, cancel_futures=True)


def _set_up() -> None:
    """A process of the pool: Ctrl-C is for the one that waits for it."""
    gc.set_threshold(GARBAGE)
    signal.signal(signal.SIGINT, signal.SIG_IGN)


def _given(texts: Sequence[tuple[str, bytes]], evidence: bool) -> list[_Read]:
    known = {one: knowledge(one) for one in named()}
    found = [(name, read_file(name, content, known)) for name, content in texts]
    services = Services([one for _, one in found if one.recognised])
    seen = partial(overlaid, others=kustomizations([one for _, one in found]))
    judged = partial(findings_of, services=services, evidence=evidence)
    return [_read(name, one, lambda it: judged(seen(it)), "") for name, one in found]


def _folder(files: Sequence[Path], evidence: bool, keep: bool) -> list[_Read]:
    """The files of one folder, judged together; `keep` what editing them takes."""
    known = {name: knowledge(name) for name in named()}
    opened = [(one, *_content(one)) for one in files]
    deployments = [
        (path, read_file(path.as_posix(), content, known) if content is not None else None, problem)
        for path, content, problem in opened
    ]
    there = [one for _, one, _ in deployments if one is not None]
    services = Services([one for one in there if one.recognised])
    seen = partial(overlaid, others=kustomizations(there))
    judged = partial(findings_of, services=services, evidence=evidence)
    read = []
    for (path, one, problem), (_, content, _) in zip(deployments, opened, strict=True):
        found = _read(trees.readable(path), one, lambda it: judged(seen(it)), problem)
        if keep and one is not None and content is not None and any(each.edit for each in found.findings):
            found = replace(found, opened=Opened(content, one, found.findings, seen, judged))
        read.append(found)
    return read


def _content(file: Path) -> tuple[bytes | None, str]:
    """The bytes of a file that may be ours, None of any other; what went wrong."""
    if trees.readable(file) != str(file):
        return None, "not read: no report can name it, for its name is no UTF-8"
    try:
        content = file.read_bytes()
    except OSError as error:
        return None, f"cannot be read: {error.strerror or error}"
    return (content if _may_be_ours(content) else None), ""


def _may_be_ours(content: bytes) -> bool:
    named = any(mark in content for mark in ENGINE_MARKS)
    return named or (b"advisor:" in content and b"ignore" in content) or content[:2] in (b"\xff\xfe", b"\xfe\xff")


def _read(name: str, found: Deployment | None, judged: Judged, problem: str) -> _Read:
    name = name.replace(os.sep, "/")
    if found is None:
        return _Read(FileOut(name, "", (), (problem,) if problem else ()))
    notes = tuple(dict.fromkeys(f"{note.span}: {note.text}" if note.span else note.text for note in _notes(found)))
    out = FileOut(name, found.recognised, tuple(one.identity() for one in found.workloads), notes)
    comments = directives.of_comments(name, found.text, found.recognised)
    if not found.recognised:
        return _Read(out if notes else replace(out, notes=()), (), comments, ())
    return _Read(out, judged(found), comments, directives.of_annotations(found))


def _notes(found: Deployment) -> Iterator:  # type: ignore[type-arg]
    yield from found.unread
    for workload in found.workloads:
        yield from workload.notes


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
    for folder in (start, *start.parents):
        for name in NAMES:
            file = folder / name
            if folder.is_dir() and file.is_file() and (found := _configured(file)) is not None:
                return found
        if (folder / ".git").exists():
            break
    return Configuration()


def _configured(file: Path) -> Configuration | None:
    try:
        text = file.read_text(encoding="utf-8-sig")
    except (OSError, UnicodeDecodeError) as error:
        raise UsageError(f"cannot be read: {error}", str(file), None) from None
    relative = os.path.relpath(file).replace(os.sep, "/")
    return configured.read(relative, text)
