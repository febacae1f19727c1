"""The names under which one rank speaks -> one name for it, and ranks as words.

    "3", "rank3", "[rank3]", "TP3"  -> "3"          a torch log's prefix, an engine's label, a file's name
    "DP1 TP0" beside "DP0 TP1"      -> "2"          vLLM: every DP rank has its own TP ranks
    "DP1 TP2" beside "DP0 TP1"      -> "2"          SGLang's DP attention: the TP rank counts all
    "PP1 TP1" beside "PP0 TP0"      -> "3"
    "DP0" beside "TP1"              -> "DP0"        vLLM's EngineCore_DP0 is no rank, it drives those that are

What cannot be numbered keeps its name. **Source:** vLLM 0.28 `distributed/parallel_state.py` (order DP, PP, TP); SGLang
0.5.17 `managers/scheduler.py` (prefixes), `layers/dp_attention.py`.
"""

from __future__ import annotations

import re
from collections.abc import Iterable

_LABEL = re.compile(r"(TP|PP|DP)(\d{1,5})")
_PLAIN = re.compile(r"\[?(?:rank[ _-]?)?(\d{1,6})\]?$", re.I)


def rank_number(name: str | None, others: Iterable[str] = ()) -> str:
    """The rank's number as text, or `name` as it is when it has none; `others` are all names seen beside it."""
    return Ranks([*others, name or ""]).of(name)


class Ranks:
    """All names of a case, so that a label of several parts can be numbered."""

    def __init__(self, names: Iterable[str | None]) -> None:
        self.labels = {name: _parts(name) for name in names if name}
        sizes = {kind: 1 for kind in ("TP", "PP", "DP")}
        for parts in self.labels.values():
            for kind, number in parts.items():
                sizes[kind] = max(sizes[kind], number + 1)
        self.sizes = sizes
        self.has_workers = any("TP" in parts or "PP" in parts for parts in self.labels.values())
        self.tp_counts_all = self._tp_counts_all()
        self.known: dict[str, str] = {}

    def of(self, name: str | None) -> str:
        """The rank's number, or its name; "" for None."""
        if not name:
            return ""
        if name not in self.known:
            self.known[name] = self._number(name)
        return self.known[name]

    def _number(self, name: str) -> str:
        plain = _PLAIN.match(name.strip())
        if plain:
            return str(int(plain[1]))
        parts = self.labels.get(name) or _parts(name)
        if not parts or (parts.keys() == {"DP"} and self.has_workers):
            return name
        tp, pp, dp = parts.get("TP", 0), parts.get("PP", 0), parts.get("DP", 0)
        if self.tp_counts_all or len(parts) == 1:
            return str(tp or pp or dp)
        return str((dp * self.sizes["PP"] + pp) * self.sizes["TP"] + tp)

    def _tp_counts_all(self) -> bool:
        """Whether no TP number stands under two DP numbers although there are several."""
        under: dict[int, set[int]] = {}
        for parts in self.labels.values():
            if "TP" in parts and "DP" in parts and "PP" not in parts:
                under.setdefault(parts["TP"], set()).add(parts["DP"])
        several = len({dp for dps in under.values() for dp in dps}) > 1
        return several and all(len(dps) == 1 for dps in under.values())


def _parts(name: str) -> dict[str, int]:
    return {kind: int(number) for kind, number in _LABEL.findall(name)}


def in_order(ranks: Iterable[str]) -> tuple[str, ...]:
    """Each rank once, numbers by size, names after them."""
    return tuple(sorted(set(ranks), key=lambda rank: (0, int(rank), "") if rank.isdigit() else (1, 0, rank)))


def spoken(ranks: Iterable[str]) -> str:
    """`rank 1`, `ranks 0 and 3`, `ranks 0-6 and 9`."""
    ordered = in_order(ranks)
    if not ordered:
        return "an unnamed rank"
    if len(ordered) == 1:
        return f"rank {ordered[0]}" if ordered[0] else "an unnamed rank"
    runs = folded(ordered)
    return "ranks " + (", ".join(runs[:-1]) + " and " + runs[-1] if len(runs) > 1 else runs[0])


def folded(ordered: tuple[str, ...]) -> list[str]:
    """Runs of three and more as `0-6`."""
    runs: list[list[str]] = []
    for rank in ordered:
        if runs and rank.isdigit() and runs[-1][-1].isdigit() and int(rank) == int(runs[-1][-1]) + 1:
            runs[-1].append(rank)
        else:
            runs.append([rank])
    return [part for run in runs for part in ([f"{run[0]}-{run[-1]}"] if len(run) > 2 else run)]


def verb(ranks: Iterable[str], one: str, several: str) -> str:
    """The form of a verb that fits so many ranks."""
    return one if len(set(ranks)) < 2 else several
