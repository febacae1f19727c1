"""The names under which one rank speaks -> one name for it, and ranks as words.

    "3", "rank3", "[rank3]", "TP3"  -> "3"          a torch log's prefix, an engine's label, a file's name
    "DP1 TP0" and all four of 2 x 2 -> "2"          vLLM: every DP rank has its own TP ranks
    "DP1 TP2" beside "DP0 TP1"      -> "2"          SGLang's DP attention: the TP rank counts all
    "DP1 TP3" alone                 -> "3"          where it is spelt as SGLang does
    "DP1 TP3" alone                 -> "DP1 TP3"    where not: how many TP ranks a DP rank has is not known
    "PP1 TP1" and all four of 2 x 2 -> "3"
    "DP0" beside "TP1"              -> "DP0"        vLLM's EngineCore_DP0 is no rank, it drives those that are

What cannot be numbered keeps its name. So do SGLang's replicas, each with a TP0: a number is not that of one of them.

**Source:** vLLM 0.28 `distributed/parallel_state.py` (order DP, PP, TP); SGLang 0.5.17 `managers/scheduler.py`
(prefixes), `layers/dp_attention.py`.
"""

from __future__ import annotations

import re
from collections.abc import Iterable
from typing import Literal

from advisor.model.shape import Shape

_LABEL = Shape(r"(TP|PP|DP)(\d{1,5})")
# [2026-08-02 10:44:31 DP1 TP3], sglang::scheduler_DP1_TP3
_BY_SGLANG = Shape(r" DP\d+ (?:PP\d+ )?TP\d+[ \]]|scheduler_DP\d")
_BY_VLLM = Shape(r"Worker_DP\d")  # (Worker_DP1_TP1 pid=9), VLLM::Worker_DP1_TP1
Spelling = Literal["sglang", "vllm", ""]
_PLAIN = Shape(r"\[?(?:rank[ _-]?)?(\d{1,6})\]?$", re.I)
_SPELLINGS: tuple[tuple[Spelling, re.Pattern[str]], ...] = (("sglang", _BY_SGLANG), ("vllm", _BY_VLLM))


def spelling(texts: Iterable[str]) -> Spelling:
    """Whose way of writing a label of several parts these texts have; "" when neither's, or both."""
    found: set[Spelling] = set()
    for text in texts:
        found.update(whose for whose, shape in _SPELLINGS if shape.search(text))
    return found.pop() if len(found) == 1 else ""


class Ranks:
    """All names of a case, so that a label of several parts can be numbered."""

    def __init__(self, names: Iterable[str | None], spelt: Spelling = "") -> None:
        self.labels = {name: _parts(name) for name in names if name}
        self.spelt = spelt
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
        if self.spelt == "sglang" and "DP" in parts:
            return name
        if not dp and not pp:
            return str(tp)
        sizes = self._sizes(tuple(sorted(parts)))
        return str((dp * sizes["PP"] + pp) * sizes["TP"] + tp) if sizes else name

    def _sizes(self, kinds: tuple[str, ...]) -> dict[str, int]:
        """How many there are of each kind, where all speak in labels of these kinds; {} when that is not known."""
        alike = [parts for parts in self.labels.values() if tuple(sorted(parts)) == kinds]
        sizes = {kind: 1 + max((parts.get(kind, 0) for parts in alike), default=0) for kind in ("DP", "PP", "TP")}
        places = {tuple(parts[kind] for kind in kinds) for parts in alike}
        return sizes if len(places) == sizes["DP"] * sizes["PP"] * sizes["TP"] else {}

    def _tp_counts_all(self) -> bool:
        """Whether no TP number stands under two DP numbers although there are several; one is enough with SGLang."""
        if self.spelt == "vllm":
            return False
        under: dict[int, set[int]] = {}
        for parts in self.labels.values():
            if "TP" in parts and "DP" in parts and "PP" not in parts:
                under.setdefault(parts["TP"], set()).add(parts["DP"])
        several = len({dp for dps in under.values() for dp in dps}) > 1
        return (several or (self.spelt == "sglang" and bool(under))) and all(len(dps) == 1 for dps in under.values())


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
    named = folded(tuple(one for one in ordered if one))
    runs = [*named, "one that is not named"] if "" in ordered else named
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
