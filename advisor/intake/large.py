"""Large logs -> the lines of each that anything can be read from: streamed, several at once on all cores.

    serve.log (1 GB), rank1.log.gz     -> Digest(text of some thousand lines, with their numbers)
    metrics.txt (90 MB), small.log     -> None: read as a whole

A plain file is parted among processes that are forked, a packed one is read by one of them. Where nothing can be forked
(other systems, a process with threads) one after the other gives the same lines but for how many of those alike.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from functools import partial, reduce
from itertools import pairwise
from typing import IO, Literal, get_args

from advisor.cores import cores, end_with_parent, may_fork
from advisor.evidence import plain_pickle
from advisor.evidence.recognition import kind_of
from advisor.intake import archives, captured, texts
from advisor.intake.binaries import binary, holds_rubbish
from advisor.intake.condense import Condenser
from advisor.intake.condensed import Condensed
from advisor.intake.raw import PIECE, pieces
from advisor.intake.searching import Search
from advisor.intake.streams import STREAMS, Large, Stream
from advisor.model.fact import Artifact, ArtifactKind

WHOLE_UP_TO = 4 << 20  # bytes of a log that is read as a whole; as many characters as `parts` looks into

_HEAD = 64 << 10
_SHARE = 16 << 20  # bytes of a file that are worth a process of their own
_MOST_SHARES = 8
_BESIDE = 128 << 10  # bytes before and after a share that its blocks may reach into


_Said = Literal["limit", "unreadable"]


@dataclass(frozen=True)
class Digest:
    """What is kept of a large log: the text, the stretches of its lines, what to say. `lines` and `size`: of it all."""

    text: str
    runs: tuple[tuple[int, int], ...]
    kind: ArtifactKind
    lines: int
    size: int
    cut: int
    rubbish: bool
    said: tuple[tuple[_Said, str], ...]

    def artifact(self, name: str, rank: str | None) -> Artifact:
        return Artifact(name, self.kind, self.text, rank=rank, runs=self.runs)


@dataclass(frozen=True)
class _Share:
    """A part of an input: the bytes from `begin` to `end` of a plain one, the whole of a packed one (`end` 0)."""

    large: Large
    begin: int = 0
    end: int = 0


def may_be_large(content: bytes, path: str = "") -> bool:
    """Whether an input may hold a large log: by its size, or because it is packed."""
    if archives.packing(content[:512]) in STREAMS:
        return bool(path) or len(content) * archives.MAX_RATIO > WHOLE_UP_TO
    return bool(path) or len(content) > WHOLE_UP_TO


_Part = tuple[Condensed, list[tuple[_Said, str]]]


def digests(inputs: Sequence[tuple[Large, str]], search: Search) -> list[Digest | None]:
    """A digest of each input that is a large log, in order; `inputs` are each with the user's word for its kind."""
    kinds = [_kind(large, said) for large, said in inputs]
    workers = _workers()
    plans = [_shares(large, workers) if kind else [] for (large, _), kind in zip(inputs, kinds, strict=True)]
    tasks = [share for plan in plans for share in plan]
    done = iter(_all(tasks, search, workers))
    found: list[Digest | None] = []
    for plan, kind in zip(plans, kinds, strict=True):
        parts = [next(done) for _ in plan]
        found.append(_digest(parts, kind) if parts and kind else None)
    return found


def _kind(large: Large, said: str) -> ArtifactKind | None:
    """The kind of a large log, by its head and tail; None for all else, which is read as a whole."""
    try:
        packed = archives.packing(large.data[:512])
        if said in get_args(ArtifactKind) and said != "log":
            return None
        if packed:
            head = _head(large) if packed in STREAMS else b""
            if len(head) <= WHOLE_UP_TO or archives.packing(head[:512]):
                return None
            ends = head[: 2 * _HEAD]
        elif large.size <= WHOLE_UP_TO:
            return None
        else:
            ends = large.ends(_HEAD)
    except (OSError, *archives.DAMAGE):
        return None
    if captured.is_ours(ends) or plain_pickle.is_pickle(ends) or binary(ends):
        return None
    if said == "log":
        return "log"
    kind = kind_of(texts.text_of(ends)[0])
    return "log" if kind in ("log", "text") else None


def _head(large: Large) -> bytes:
    """The beginning of what a packed input holds: a little more than is read as a whole, where it has as much."""
    out = bytearray()
    for chunk in Stream(large).chunks():
        out += chunk
        if len(out) > WHOLE_UP_TO:
            break
    return bytes(out)


def _workers() -> int:
    """How many processes may work at once."""
    return cores() if may_fork() else 1


def _shares(large: Large, workers: int) -> list[_Share]:
    """An input parted among the processes, at line ends."""
    size = large.size
    count = min(workers, _MOST_SHARES, size // _SHARE)
    if archives.packing(large.data[:512]) or count < 2 or texts.wide(large.data[:_HEAD]):
        return [_Share(large)]
    with large.open() as file:
        ends = [0]
        for at in range(1, count):
            file.seek(size * at // count)
            more = file.read(PIECE).find(b"\n")
            if more >= 0:
                ends.append(size * at // count + more + 1)
    edges = [*ends, size]
    return [_Share(large, begin, end) for begin, end in pairwise(edges) if begin < end]


def _all(tasks: Sequence[_Share], search: Search, workers: int) -> list[_Part]:
    work = partial(_condensed, search=search)
    if len(tasks) < 2 or workers < 2 or sum(map(_work, tasks)) < _SHARE:
        return [work(task) for task in tasks]
    import multiprocessing  # which costs a small case more than it is worth

    search.prepare()
    context = multiprocessing.get_context("fork")  # which hands the search over as it is
    with context.Pool(min(workers, len(tasks)), _begin, (search,)) as pool:
        return pool.map(_in_child, tasks, chunksize=1)


def _work(share: _Share) -> int:
    """About how many bytes there are to look at; logs pack to a tenth."""
    if archives.packing(share.large.data[:512]):
        return 10 * share.large.size
    return (share.end or share.large.size) - share.begin


_searches: list[Search] = []  # of a forked process


def _begin(search: Search) -> None:
    end_with_parent()
    _searches[:] = [search]


def _in_child(share: _Share) -> _Part:
    return _condensed(share, _searches[0])


def _condensed(share: _Share, search: Search) -> _Part:
    condenser = Condenser(search)
    stream = Stream(share.large)
    if not share.end:
        for piece in pieces(stream.chunks()):
            condenser.feed(piece)
        return condenser.finish(), stream.said
    with share.large.open() as file:
        file.seek(max(0, share.begin - _BESIDE))
        before = file.read(min(_BESIDE, share.begin))
        condenser.feed(before[before.find(b"\n") + 1 :], counted=False)
        for piece in pieces(_chunks(file, share.end - share.begin)):
            condenser.feed(piece)
        after = file.read(_BESIDE)
        condenser.feed(after[: after.rfind(b"\n") + 1], counted=False)
    return condenser.finish(), []


def _chunks(file: IO[bytes], left: int) -> Iterator[bytes]:
    while left and (chunk := file.read(min(PIECE, left))):
        left -= len(chunk)
        yield chunk


def _digest(parts: Sequence[_Part], kind: ArtifactKind) -> Digest:
    """The parts of one input as one text."""
    whole = reduce(Condensed.followed_by, (part for part, _ in parts))
    text, runs = whole.text()
    rubbish = holds_rubbish(b"\n".join(whole.head))
    said = tuple(one for _, lines in parts for one in lines)
    return Digest(text, runs, kind, whole.lines, whole.size, whole.cut, rubbish, said)
