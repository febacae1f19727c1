"""Which question to ask next: the one whose answer tells most about which failure it is, for what it costs to answer.

Belief starts from the verdicts: what was seen counts more than what only can happen, distinctive signs more than
shared ones (`rank.score`), and some of it always stays with a failure that no rule knows. A question is worth its
information gain in bits: how much the answer is expected to narrow that belief. Answers are supposed one by one
(`supposing`); an answer that would exclude a failure speaks against it, one that would complete its signature for it.

A wide question (the command line, the log, the stacks) answers many narrow ones at once, and takes their place until
it has been asked.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from functools import cached_property
from math import exp, log2

from advisor.match.judge import Verdict
from advisor.match.questions import BUILD, LAUNCH, LOG, STACKS, SYMPTOM
from advisor.match.rank import score
from advisor.match.supposing import ENGINE, Open, Rulebook, Supposed, open_points
from advisor.match.view import View
from advisor.model.outcome import Missing
from advisor.model.truth import Truth

BASE = {"matched": 24.0, "likely": 12.0, "possible": 4.0, "exposed": 1.0, None: 0.5}
"""Belief in a failure by its status, before its signs are weighed."""
UNKNOWN_FAILURE = 0.1
"""The part of all belief that stays with a failure that no rule knows."""
UNSEEN = 0.25
"""Belief in a failure falls to this part when symptoms are known and none of them is one of its own."""
LEAST_BITS = 0.02
"""A question that is expected to tell less is not asked."""
LEAST_WORTH = 0.1
"""The same for its gain for cost, once a failure is matched: then only what could well change the answer is asked."""

BEFOREHAND = {"log": 0.1, "stack": 0.1, "symptom": 0.25}
"""How often a thing is so, whatever the failure: a given line or frame seldom, a given setting as often as not."""
COST = {
    "engine": 0.5, "symptom": 0.1, "model": 0.8, "build": 0.6, "launch": 0.9, "setting": 1.0, "hardware": 1.0,
    "fact": 1.0, "env": 1.2, "log": 1.5, "component": 1.6, "stacks": 2.2, "stack": 2.2,
}  # fmt: skip
"""What answering costs, 1 being a short word that has to be looked up: what is seen everyone can say at once, a
command on every rank costs most."""
RULED_OUT_BY = {
    "symptom.after_a_while": ("symptom.first_request", "symptom.startup_failure", "symptom.startup_hang"),
    "symptom.startup_failure": ("symptom.after_a_while", "symptom.first_request", "symptom.startup_hang"),
}
"""Symptoms that cannot be where another was told: they are not asked for."""
WIDE = ("build", "launch", "log", "stacks", "symptom")
"""Questions whose one answer tells many things."""
COMMANDED = 1.4
"""A fact that only a command tells costs so much more."""


@dataclass(frozen=True)
class Belief:
    """A failure that it can still be, what is open about it, how it stands now, and its share of the belief, 0 to 1."""

    verdict: Verdict
    points: tuple[Open, ...]
    rulebook: Rulebook
    now: Supposed
    share: float

    @cached_property
    def keys(self) -> frozenset[str]:
        """The keys of its open points."""
        return frozenset(point.key for point in self.points)


@dataclass(frozen=True)
class Chance:
    """A question with its gain in bits, its worth (gain for cost), and the rules that it helps to decide."""

    missing: Missing
    gain: float
    worth: float
    rules: tuple[str, ...]


def beliefs(judged: Iterable[Verdict], view: View, weight: Mapping[str, float]) -> tuple[Belief, ...]:
    """The failures that it can still be, most believed first. Their shares and the unknown failure's make one."""
    told = any(fact.notable for fact in view.case.facts)
    left = [(one, _weight(one, weight) * (UNSEEN if told and not one.signs() else 1)) for one in judged if _open(one)]
    whole = sum(held for _, held in left) / (1 - UNKNOWN_FAILURE)
    found = []
    for one, held in left:
        book = Rulebook(one.rule, view)
        found.append(Belief(one, open_points(one, view), book, book.suppose(), held / whole))
    return tuple(sorted(found, key=lambda one: (-one.share, one.verdict.rule.id)))


def _weight(verdict: Verdict, weight: Mapping[str, float]) -> float:
    return BASE[verdict.status] * exp(min(score(verdict, weight), 16) / 4)


def _open(verdict: Verdict) -> bool:
    if verdict.rule.maturity == "retired" or verdict.exposure.truth is Truth.NO:
        return False
    return verdict.status in ("matched", "likely", "possible") or verdict.signature.truth is not Truth.NO


def chances(held: tuple[Belief, ...], view: View, asked: frozenset[str], launch_facts: frozenset[str]) -> list[Chance]:
    """Every question worth asking, most worth first. `asked` have had their turn; `launch_facts` are read off flags."""
    points: dict[str, Missing] = {}
    for one in held:
        for point in one.points:
            points.setdefault(point.key, point.missing)
    holding: dict[str, list[Belief]] = {}
    for one in held:
        for key in one.keys:
            holding.setdefault(key, []).append(one)
    gains = {key: _engine_gain(held) if key == ENGINE else _gain(key, points[key], holding[key]) for key in points}
    wide = _Wide(view, asked, launch_facts)
    members: dict[str, list[str]] = {}
    asks: dict[str, Missing] = {}
    for key, missing in points.items():
        ask = wide.question(missing)
        if ask is not None and ask.about not in asked:
            asks.setdefault(ask.about, ask)
            members.setdefault(ask.about, []).append(key)
    most = _entropy([*(one.share for one in held), UNKNOWN_FAILURE])
    matched = bool(held) and held[0].verdict.status == "matched"
    found = []
    for about, ask in asks.items():
        told = [gains[key] for key in members[about]]
        gain = _together(told, most) if about in WIDE else max(told)
        if gain >= LEAST_BITS and not (matched and gain / _cost(ask) < LEAST_WORTH):
            keys, said = set(members[about]), view.asked(ask)
            rules = tuple(one.verdict.rule.id for one in held if keys & one.keys)
            found.append(Chance(said, gain, gain / _cost(said), rules))
    return sorted(found, key=lambda one: (-one.worth, one.missing.about))


class _Wide:
    """Which question stands for an open point: its own, or the wide one that answers it along with others."""

    def __init__(self, view: View, asked: frozenset[str], launch_facts: frozenset[str]) -> None:
        case = view.case
        seen = any(fact.notable for fact in case.facts)
        complete = bool(case.launches) and all(one.complete for one in case.launches)
        self.symptom = not seen and "symptom" not in asked
        self.launch = not complete and "launch" not in asked
        self.log = not any(one.kind == "log" for one in case.artifacts)
        self.stacks = not case.threads
        self.build, self.launch_facts = case.build, launch_facts
        told = {fact.name for fact in case.facts if fact.value is True}
        self.answered = {name for fact, names in RULED_OUT_BY.items() if fact in told for name in names}
        self.no_launch = "launch" in asked and not complete

    def question(self, missing: Missing) -> Missing | None:
        kind, _, name = missing.about.partition(":")
        if name in self.answered or (kind == "env" and self.no_launch):
            return None  # told otherwise; who has no command line has no environment either
        if kind == "build":
            return Missing("build", BUILD if not self.build.engine else missing.question, missing.how)
        if kind == "log" and self.log:
            return LOG
        if kind == "stack" and self.stacks:
            return STACKS
        if kind == "fact" and name.startswith("symptom.") and self.symptom:
            return SYMPTOM
        if self.launch and (kind in ("setting", "env") or (kind == "fact" and name in self.launch_facts)):
            return LAUNCH
        return missing


def _cost(ask: Missing) -> float:
    kind = ask.about.partition(":")[0]
    return COST.get(kind, 1.0) * (COMMANDED if kind == "fact" and ask.how else 1.0)


def _together(gains: list[float], most: float) -> float:
    """What several answers at once tell: each takes its part of what the others leave open."""
    left = 1.0
    for gain in gains:
        left *= 1 - min(1.0, gain / most) if most else 1.0
    return most * (1 - left)


# the gain of one point


def _gain(key: str, missing: Missing, holding: list[Belief]) -> float:
    """What a yes or no to one point is expected to tell; for all failures but `holding` it says nothing."""
    kind, _, name = missing.about.partition(":")
    prior = BEFOREHAND.get("symptom" if name.startswith("symptom.") else kind, 0.5)
    table = [(one.share, _given(one, key, prior)) for one in holding]
    return _told([*table, (1 - sum(share for share, _ in table), prior)])


def _given(one: Belief, key: str, prior: float) -> float:
    """How probable a yes is if it is this failure."""
    for_yes = prior * _fit(one.now, one.rulebook.suppose(key, Truth.YES))
    for_no = (1 - prior) * _fit(one.now, one.rulebook.suppose(key, Truth.NO))
    return for_yes / (for_yes + for_no)


def _fit(now: Supposed, then: Supposed) -> float:
    """How well an answer fits the failure: by what it would exclude, complete or support."""
    fit = 0.03 if then.exposure is Truth.NO else 1.3 if then.exposure is not now.exposure else 1.0
    if then.signature is not now.signature:
        fit *= 3.0 if then.signature is Truth.YES else 0.15
    if then.contrary and not now.contrary:
        fit *= 0.1
    return fit * 2.0 ** min(2, max(-2, then.supporting - now.supporting))


def _told(table: list[tuple[float, float]]) -> float:
    """Information gain in bits of a yes-or-no answer; `table` has each failure's share and its probability of a yes."""
    yes = sum(share * chance for share, chance in table)
    return max(0.0, _bits(yes) - sum(share * _bits(chance) for share, chance in table))


def _bits(chance: float) -> float:
    return _entropy([chance, 1 - chance])


def _entropy(parts: list[float]) -> float:
    return -sum(part * log2(part) for part in parts if part > 0)


def _engine_gain(held: tuple[Belief, ...]) -> float:
    """The engine is one of several, and a failure of the stack below them is of any."""
    shares: dict[str, float] = {}
    for one in held:
        shares[one.verdict.rule.engine] = shares.get(one.verdict.rule.engine, 0.0) + one.share
    common = UNKNOWN_FAILURE + shares.pop("any", 0.0)
    if not shares:
        return 0.0
    marginal = [share + common / len(shares) for share in shares.values()]
    return max(0.0, _entropy(marginal) - common * log2(len(shares)))
