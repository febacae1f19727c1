"""A rule and a case -> the lines that only follow from a failure: they explain nothing, and ask for no fix.

    EngineDeadError, `RPC call to … timed out`, a watchdog on the messenger rank

A rule names those that it brings about (`symptoms.downstream`). Where it leads they are its echoes; where nothing does,
they are still known to name no cause.
"""

from __future__ import annotations

from collections.abc import Iterable

from advisor.match.conditions import evaluate, holds
from advisor.match.view import View
from advisor.model.condition import Atom, Condition, atoms
from advisor.model.fact import Fact
from advisor.model.rule import Rule


def echoes(rule: Rule, view: View) -> tuple[Fact, ...]:
    """The facts by which the downstream lines of the rule were seen, one of each."""
    return tuple(dict.fromkeys(fact for _, fact in _seen(rule.symptoms.downstream, view)))


def of_nobody(downstream: Iterable[Atom], view: View) -> tuple[tuple[str, Fact], ...]:
    """What rules call downstream and the case shows, each line once, and how to name it.

    A rule's words for a line tell of its own failure (the watchdog *of a stage whose peer died*), which is not known
    to be at work: a line is named by its own text, and only what has none by those words.
    """
    every = {atom.key(): atom for atom in downstream}
    first: dict[tuple[str, int | None], tuple[str, Fact]] = {}
    for means, fact in _seen(every.values(), view):
        place = (fact.span.artifact, fact.span.line) if fact.span else (fact.name, None)
        first.setdefault(place, (_own_words(fact) or means.partition("; by itself")[0] or fact.name, fact))
    return tuple(first.values())


def _own_words(fact: Fact) -> str:
    """What was seen of a line, in its own words; "" for a fact that is no text."""
    return f"“{' '.join(fact.value.split())}”" if isinstance(fact.value, str) and fact.name.startswith("log:") else ""


def _seen(conditions: Iterable[Condition], view: View) -> Iterable[tuple[str, Fact]]:
    for one in conditions:
        if holds(one, view):
            means = next((atom.means for atom in atoms(one) if atom.means), "")
            yield from ((means, fact) for fact in evaluate(one, view).because[:1])
