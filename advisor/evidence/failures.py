"""What several ranks raised -> which failure is the root and which follow from it; what memory was asked for.

    rank 1: torch.AcceleratorError: CUDA error: device-side assert triggered                     root
    rank 0: Watchdog caught collective operation timeout                                         its echo
    rank 1: RuntimeError: [...] Connection closed by peer [...]                                  an echo of some end
    torch.OutOfMemoryError: CUDA out of memory. Tried to allocate 8.00 GiB. GPU 0 has a total capacity of 139.80 GiB of
        which 2.38 GiB is free.                                                                  asked 8 GiB, 2.38 free
    CUDA out of memory. Tried to allocate 2.00 GiB (GPU 0; 23.69 GiB total capacity; ...; 1.23 GiB free; ...)

A timeout, a closed connection, a dead engine are what a peer's end looks like from outside: they are roots only where
nothing else is known, and then nothing is said. Nothing is said either where one rank alone failed and no other spoke.
Which of several roots came first is said only where a clock that all of their lines show tells it.

**Source:** PyTorch 1.13 to 2.11 `c10/cuda/CUDACachingAllocator.cpp`; vLLM 0.28 `v1/engine/exceptions.py`; gloo
`transport/tcp/pair.cc`.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from math import floor

from advisor.evidence.accounts import Account
from advisor.evidence.lines import body, line_around, occurrences, rank_of
from advisor.evidence.moments import Moment, clocks_of, in_common
from advisor.evidence.ranks import Ranks, in_order, spoken, verb
from advisor.evidence.sighting import span_of
from advisor.model.fact import Artifact, Fact, Span
from advisor.model.late import dataclass
from advisor.model.shape import Shape

_ECHO = Shape(
    r"EngineDeadError|BrokenPipe|losed by peer|reset by peer|communicator was aborted|remote process exited|"
    r"See root cause above|See stack trace|atchdog|TCPStore|ancelled|DistBackendError|imed out|TimeoutError|"
    r"EngineCore encountered an issue|EOFError|ConnectionError|NCCL communicator"
)
MEMORY = "Tried to allocate "
_MEMORY = Shape(r"OutOfMemory|ut of memory")
_ASKED = Shape(r"Tried to allocate ([\d.]+ [KMGT]?i?B)")
_FREE = Shape(r"of which ([\d.]+ [KMGT]?i?B) is free|; ([\d.]+ [KMGT]?i?B) free")
_DEVICE = Shape(r"([GN]PU \d+)")
_CAPACITY = Shape(r"total capacity of ([\d.]+ [KMGT]?i?B)|(?<![\d.])([\d.]+ [KMGT]?i?B) total capacity")
_MAX = 2_000
_MOST_PARTIES = 4


@dataclass(frozen=True)
class Failure:
    """What one rank raised: `text` is the line without its prefix, `clocks` its times."""

    rank: str
    text: str
    notable: bool
    clocks: Mapping[str, Moment]
    span: Span | None

    @property
    def is_echo(self) -> bool:
        return bool(_ECHO.search(self.text))


def failures(facts: Iterable[Fact], ranks: Ranks) -> list[Failure]:
    """Every exception, and every watchdog that spoke, rank by rank."""
    found: dict[tuple[str, str], Failure] = {}
    for fact in facts:
        if fact.name not in ("error.exception", "symptom.watchdog") or not fact.quote or fact.origin != "observed":
            continue
        if fact.name == "symptom.watchdog" and "atchdog" not in fact.quote:
            continue
        text = body(fact.quote).strip()
        one = Failure(ranks.of(fact.rank), text, fact.notable, clocks_of(fact.quote), fact.span)
        found.setdefault((one.rank, text[:80]), one)
    return list(found.values())


def tell(account: Account, found: Sequence[Failure]) -> bool:
    """Say what is root and what is echo. Returns whether a root was named."""
    echoes = [one for one in found if one.is_echo]
    roots = [one for one in found if not one.is_echo and one.notable and not _MEMORY.search(one.text)]
    if not roots or len({one.rank for one in found}) < 2:
        return False
    first = _first(roots)
    if len({one.text[:60] for one in first}) == 1:
        alike = in_order(one.rank for one in roots if one.text[:60] == first[0].text[:60])
        says = (
            f"{spoken(alike)} failed first, and by {verb(alike, 'itself', 'themselves')}: {_head(first[0].text, 160)}"
        )
    else:
        alike = in_order(one.rank for one in first)
        says = f"{spoken(alike)} failed by themselves, and which first is not known: {_parties(first)}"
    account.say("root_cause", says, alike, [one.span for one in roots if one.rank in alike])
    for rank in in_order(one.rank for one in echoes):
        mine = next(one for one in echoes if one.rank == rank)
        says = f"{_echoed(mine)}{_of(rank)} follows from {_possessive(alike)} failure"
        account.say("echo", says, [rank] if rank else (), [mine.span])
    return True


def tell_echoes(account: Account, found: Sequence[Failure]) -> None:
    """Where no failure is a root: those that only say that a peer ended or did not come."""
    watched = [one for one in found if one.is_echo and "atchdog" in one.text]
    if watched:
        whose = f"of {spoken(ranks)}" if (ranks := {one.rank for one in watched} - {""}) else "here"
        says = f"the watchdog {whose} reports the stand-still; who caused it, it does not say"
        account.say("reporter", says, ranks, [one.span for one in watched])
    rest = [one for one in found if one.is_echo and one not in watched]
    for rank in in_order(one.rank for one in rest):
        mine = next(one for one in rest if one.rank == rank)
        says = f"{_echoed(mine)}{_of(rank)} is an echo: a peer ended or did not answer"
        account.say("echo", says, [rank] if rank else (), [mine.span])


def _head(text: str, most: int) -> str:
    """Its beginning, of whole words: half a name would not be known again as one to hide."""
    end = text.find(" ", most)
    return text if end < 0 else text[:end]


def _of(rank: str) -> str:
    return f" of rank {rank}" if rank else ""


def _first(roots: Sequence[Failure]) -> list[Failure]:
    """The earliest by a clock that all show; of one rank the first printed, of several all that may have been first."""
    own: dict[str, Failure] = {}
    for one in roots:
        kept = own.setdefault(one.rank, one)
        if kept.span and one.span and kept.span.artifact == one.span.artifact and one.span.line < kept.span.line:
            own[one.rank] = one
    seconds = in_common([one.clocks for one in own.values()])
    if seconds is None:
        return list(own.values())
    if any(at == floor(at) for at in seconds):  # a clock of whole seconds does not tell what came within one
        seconds = [float(floor(at)) for at in seconds]
    return [one for one, at in zip(own.values(), seconds, strict=True) if at == min(seconds)]


def _parties(failed: Sequence[Failure]) -> str:
    """`rank 0: ValueError: x; ranks 1 and 2: KeyError: y`."""
    same: dict[str, list[Failure]] = {}
    for one in failed:
        same.setdefault(one.text[:60], []).append(one)
    told = [f"{spoken(one.rank for one in alike)}: {_head(alike[0].text, 100)}" for alike in same.values()]
    more = [f"and {len(told) - _MOST_PARTIES} more"] if len(told) > _MOST_PARTIES else []
    return "; ".join([*told[:_MOST_PARTIES], *more])


def _echoed(one: Failure) -> str:
    return "the timeout that the watchdog reports" if "atchdog" in one.text else f"the failure ({_head(one.text, 80)})"


def _possessive(ranks: Sequence[str]) -> str:
    return f"{spoken(ranks)}'s" if len(ranks) < 2 and ranks[0] else f"that ({spoken(ranks)})"


def tell_memory(account: Account, artifacts: Iterable[Artifact], ranks: Ranks) -> None:
    """How much was asked for and how much was free, the first time on each rank."""
    told: set[str] = set()
    for artifact in artifacts:
        for count, at in enumerate(occurrences(artifact.text, MEMORY)):
            if count > _MAX:
                break
            row = line_around(artifact.text, at)
            rank = ranks.of(rank_of(row.text[:400]) or artifact.rank)
            if rank in told:
                continue
            asked = _ASKED.match(artifact.text, at)
            if asked:
                told.add(rank)
                _say_memory(account, asked[1], artifact.text[at : min(row.end, at + 600)], rank, span_of(artifact, at))


def _say_memory(account: Account, asked: str, text: str, rank: str, span: Span) -> None:
    free, device, capacity = _FREE.search(text), _DEVICE.search(text), _CAPACITY.search(text)
    who = spoken([rank]) if rank else "the process"
    says = f"{who} asked for {asked}"
    if free:
        says += f" while {free[1] or free[2]} was free"
    if device:
        says += f" on {device[1]}"
    if capacity:
        says += f" ({capacity[1] or capacity[2]} in all)"
    account.say("memory", says, [rank] if rank else (), [span])
