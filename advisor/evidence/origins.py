"""Dumps and logs of several jobs in one place -> which job each file is of, as far as folders tell.

    prefill/fr_rank_0: default_pg #7 broadcast, posted at 12:00:01
    decode/fr_rank_0:  default_pg #7 all_reduce, posted at 11:58:40        -> two jobs: prefill, decode

Two dumps of one rank are of one job when they share a collective and agree on all that both hold. Two logs of one rank
in different folders are, when their watchdogs say something alike. Where files contradict each other the folders are
taken as jobs, the outermost that keep them apart. Files of one folder that do so cannot be told apart: what that rank
posted is then not known. One job, which is the rule: every file is of "".
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator

from advisor.evidence.ranks import Ranks
from advisor.model.collective import Collective, GroupStatus
from advisor.model.late import dataclass
from advisor.model.posted import Column

_DEEPEST = 8
Speaker = tuple[str, str, str, bool]  # rank, group, guid, whether the recorder speaks
Seen = Collective | Column
Files = dict[str, list[Seen | GroupStatus]]


@dataclass(frozen=True)
class Origins:
    """How many outer folders name a job; the (job, rank, group, guid) of which two files of one job disagree."""

    depth: int
    disputed: frozenset[tuple[str, str, str, str]]

    def job(self, one: Seen | GroupStatus) -> str:
        return _job(one.span.artifact, self.depth) if one.span and self.depth else ""


def origins(named: Iterable[Seen | GroupStatus], ranks: Ranks) -> Origins:
    """The fewest outer folders that keep apart what is not of one job."""
    said: dict[Speaker, Files] = {}
    for one in named:
        recorded = isinstance(one, Column) or (isinstance(one, Collective) and one.state != "timed_out")
        if one.span is not None and (not isinstance(one, GroupStatus) or one.source == "watchdog"):
            files = said.setdefault((ranks.of(one.rank), one.group, one.guid, recorded), {})
            files.setdefault(one.span.artifact, []).append(one)
    several = {speaker: files for speaker, files in said.items() if len(files) > 1}
    deepest = max((len(_folders(name)) for files in several.values() for name in files), default=0)
    found = Origins(0, frozenset(_disputed(several, 0)))
    for depth in range(1, min(deepest, _DEEPEST) + 1):
        if not any(rank for _, rank, _, _ in found.disputed):  # dumps that name no rank are of any
            break
        found = Origins(depth, frozenset(_disputed(several, depth)))
    return found


def _disputed(several: dict[Speaker, Files], depth: int) -> Iterator[tuple[str, str, str, str]]:
    for (rank, group, guid, recorded), files in several.items():
        first: dict[str, tuple[str, dict[object, set[object]]]] = {}
        for name, said in files.items():
            job = _job(name, depth)
            places = _places(said)
            other, known = first.setdefault(job, (name, places))
            alone = not recorded and _folders(name) == _folders(other)  # a log that was rotated
            if other != name and not alone and not _agree(known, places):
                yield job, rank, group, guid


def _places(said: Iterable[Seen | GroupStatus]) -> dict[object, set[object]]:
    """What a file holds at each place. A place that several collectives share is one coalesced operation."""
    found: dict[object, set[object]] = {}
    for one in (each for some in said for each in (some if isinstance(some, Column) else (some,))):
        if isinstance(one, GroupStatus):
            found["status", one.last_enqueued, one.last_completed] = {""}
        elif one.seq >= 0:
            found.setdefault((one.is_transfer, one.seq), set()).add((one.op, one.sizes, one.created_ns))
    return found


def _agree(a: dict[object, set[object]], b: dict[object, set[object]]) -> bool:
    both = a.keys() & b.keys()
    return bool(both) and not any(a[place].isdisjoint(b[place]) for place in both)


def _folders(name: str) -> list[str]:
    return name.replace("!", "/").split("/")[:-1]


def _job(name: str, depth: int) -> str:
    return "/".join(_folders(name)[:depth])
