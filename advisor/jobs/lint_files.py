"""The files of one folder -> what lint finds in each: read together, judged together, out of the cache where it can be.

A Service and the pods it is injected into may stand in two files, and a kustomization says which images the others run;
nothing else of one file counts in another. What is kept of a file holds as long as that is the same too.
"""

from __future__ import annotations

import os
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import cache, partial
from hashlib import blake2b
from pathlib import Path

from advisor.catalog.engines import knowledge, named
from advisor.jobs import directives, lint_cache, lint_record, trees
from advisor.jobs.lint_cache import Row
from advisor.jobs.lint_judging import findings_of
from advisor.jobs.lint_overlay import is_kustomization, kustomizations, overlaid
from advisor.jobs.lint_record import Record
from advisor.launches.files.recognise import FAILED, read_file
from advisor.match.pod_life import Services, telling
from advisor.model.deployment import Deployment, Place, Service
from advisor.model.fact import Span
from advisor.model.knowledge import Knowledge
from advisor.model.lint import FileOut, LintFinding

__all__ = ["Judged", "Known", "Looked", "Opened", "Seen", "folder", "recalled", "texts", "unchanged"]

ENGINE_MARKS = (b"vllm", b"sglang", b"lmdeploy", b"xllm", b"VLLM", b"SGLANG", b"LMDEPLOY", b"XLLM", b"vLLM", b"SGLang")

Seen = Callable[[Deployment], Deployment]
Judged = Callable[[Deployment], tuple[LintFinding, ...]]
Beside = tuple[str, bytes, tuple[tuple[str, str], ...]]
"""What a file has to do with others: its name, the digest of its content, its Services by namespace and name."""


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
class Looked:
    """What came of one file; `row` is to be kept of it, where it may be and is not yet."""

    record: Record
    row: Row | None = None
    opened: Opened | None = None


@dataclass(frozen=True)
class Known:
    """What is kept of a file as it was when `digest` was taken."""

    row: Row
    record: Record
    digest: bytes

    def beside(self, path: Path) -> Beside:
        """What it has to do with others."""
        return path.as_posix(), self.digest, self.row.services

    def telling(self, path: Path) -> Iterator[Service]:
        """Its Services that have to do with others; where they stand is of interest to itself alone."""
        nowhere = Place(0, 0, "text", Span(path.as_posix()))
        return (Service(name, namespace, nowhere) for namespace, name in self.row.services)


@dataclass(frozen=True)
class _File:
    """A file as it is now; `found` is None of one that is not ours."""

    path: Path
    name: str
    content: bytes | None
    found: Deployment | None
    problem: str = ""

    def beside(self) -> Beside:
        """What it has to do with others."""
        services = tuple((one.namespace, one.name) for one in self.telling())
        return self.path.as_posix(), _digest(self.content or b""), services

    def telling(self) -> Iterator[Service]:
        """Its Services that have to do with others."""
        return telling(self.found) if self.found is not None and self.found.recognised else iter(())


def texts(given: Sequence[tuple[str, bytes]], evidence: bool) -> list[Looked]:
    """What came of texts that stand in no folder, judged together. Nothing of them is kept."""
    found = [(name, read_file(name, content, _knowledge())) for name, content in given]
    there = [one for _, one in found]
    judging = _judging(there, ((one.file, telling(one)) for one in there if one.recognised), evidence)
    return [Looked(_record(name.replace(os.sep, "/"), one, judging, "")) for name, one in found]


def folder(
    files: Sequence[Path], evidence: bool, *, edits: bool = False, caching: bool = False,
    known: Mapping[Path, Known] | None = None,
) -> list[Looked]:  # fmt: skip
    """What came of the files of one folder, in their order.

    `edits`: with what editing them takes. `caching`: with the rows to keep, but for those of `known` that still hold.
    """
    kept = dict(known or {})
    now = {one: _read(one) for one in files if one not in kept or is_kustomization(one.as_posix())}
    ours = [one for one in files if one in kept or now[one].found is not None]
    digest = beside(now[one].beside() if one in now else kept[one].beside(one) for one in ours)
    for one in [one for one in kept if kept[one].row.beside != digest]:
        del kept[one]
        now[one] = now.get(one) or _read(one)
    services = ((one.as_posix(), now[one].telling() if one in now else kept[one].telling(one)) for one in ours)
    judging = _judging([found for one in now.values() if (found := one.found) is not None], services, evidence)
    return [
        Looked(kept[one].record) if one in kept else _looked(now[one], judging, digest, evidence, edits, caching)
        for one in files
    ]


def recalled(
    folders: Sequence[Sequence[Path]], evidence: bool, kept: lint_cache.Cache
) -> list[tuple[dict[Path, Known], bool]]:
    """Of each folder what is kept of its files as they are, and whether that is all there is to know of it."""
    keyed = [_keyed(files, evidence) for files in folders]
    rows = kept.found([key for keys, _ in keyed for key, _ in keys.values()])
    return [_known(keys, rows, sound) for keys, sound in keyed]


def _keyed(files: Iterable[Path], evidence: bool) -> tuple[dict[Path, tuple[bytes, bytes]], bool]:
    """Key and digest of each file that may be ours, and whether all files could be read."""
    keys: dict[Path, tuple[bytes, bytes]] = {}
    sound = True
    for one in files:
        content, problem = _content(one)
        sound = sound and not problem
        if content is not None:
            keys[one] = lint_cache.key(one.as_posix(), content, evidence=evidence), _digest(content)
    return keys, sound


def _known(
    keys: Mapping[Path, tuple[bytes, bytes]], rows: Mapping[bytes, Row], sound: bool
) -> tuple[dict[Path, Known], bool]:
    known: dict[Path, Known] = {}
    for one, (key, digest) in keys.items():
        row = rows.get(key)
        record = lint_record.read(row.record, one.as_posix()) if row is not None else None
        if row is not None and record is not None:
            known[one] = Known(row, record, digest)
    digest = beside(each.beside(one) for one, each in known.items())
    return known, sound and len(known) == len(keys) and all(one.row.beside == digest for one in known.values())


def unchanged(files: Iterable[Path], known: Mapping[Path, Known]) -> list[Looked]:
    """What came of the files of a folder of which everything is known."""
    return [Looked(known[one].record if one in known else _nothing(one.as_posix())) for one in files]


def beside(files: Iterable[Beside]) -> bytes:
    """A digest of what the files of a folder have to do with each other; the same for all that have nothing."""
    made = blake2b(digest_size=16)
    for name, digest, services in files:
        if is_kustomization(name):
            made.update(repr((name, digest)).encode("utf-8", "surrogatepass"))
        for one in services:
            made.update(repr((name, *one)).encode("utf-8", "surrogatepass"))
    return made.digest()


def _digest(content: bytes) -> bytes:
    return blake2b(content, digest_size=16).digest()


def _judging(
    there: Sequence[Deployment], services: Iterable[tuple[str, Iterable[Service]]], evidence: bool
) -> tuple[Seen, Judged]:
    """What makes of a reading what is deployed, and what finds in that; `services` by file, in the order of files."""
    sorted_ = Services(())
    for file, told in services:
        for one in told:
            sorted_.add(one, file)
    return partial(overlaid, others=kustomizations(there)), partial(findings_of, services=sorted_, evidence=evidence)


@cache
def _knowledge() -> dict[str, Knowledge]:
    return {name: knowledge(name) for name in named()}


def _read(path: Path) -> _File:
    content, problem = _content(path)
    found = read_file(path.as_posix(), content, _knowledge()) if content is not None else None
    return _File(path, trees.readable(path).replace(os.sep, "/"), content, found, problem)


def _looked(
    file: _File, judging: tuple[Seen, Judged], digest: bytes, evidence: bool, edits: bool, caching: bool
) -> Looked:
    record = _record(file.name, file.found, judging, file.problem)
    row = opened = None
    if caching and file.found is not None and file.content is not None and not _gave_up(file.found):
        text = lint_record.written(record)
        key = lint_cache.key(file.path.as_posix(), file.content, evidence=evidence)
        row = Row(key, digest, file.beside()[2], text) if text is not None else None
    if edits and file.found is not None and file.content is not None and any(each.edit for each in record.findings):
        opened = Opened(file.content, file.found, record.findings, *judging)
    return Looked(record, row, opened)


def _gave_up(found: Deployment) -> bool:
    """Whether a reader failed: it may not the next time, with more memory or a shallower stack."""
    return any(note.text.startswith(FAILED) for note in found.unread)


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
    marked = any(mark in content for mark in ENGINE_MARKS)
    return marked or (b"advisor:" in content and b"ignore" in content) or content[:2] in (b"\xff\xfe", b"\xfe\xff")


def _nothing(name: str, problem: str = "") -> Record:
    return Record(FileOut(name, "", (), (problem,) if problem else ()))


def _record(name: str, found: Deployment | None, judging: tuple[Seen, Judged], problem: str) -> Record:
    if found is None:
        return _nothing(name, problem)
    seen, judged = judging
    notes = tuple(dict.fromkeys(f"{note.span}: {note.text}" if note.span else note.text for note in _notes(found)))
    out = FileOut(name, found.recognised, tuple(one.identity() for one in found.workloads), notes)
    comments = directives.of_comments(name, found.text, found.recognised)
    if not found.recognised:
        return Record(out if notes else replace(out, notes=()), (), comments, ())
    return Record(out, judged(seen(found)), comments, directives.of_annotations(found))


def _notes(found: Deployment) -> Iterator:  # type: ignore[type-arg]
    yield from found.unread
    for workload in found.workloads:
        yield from workload.notes
