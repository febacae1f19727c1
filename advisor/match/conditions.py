"""Condition × case → outcome, in three values.

A decided outcome keeps its deciders: for `all` that is every part that says no, or all parts when all hold; an
undecided one says what would settle it and keeps the parts already known to hold.
"""

from __future__ import annotations

from functools import lru_cache
from typing import Any

from advisor.match.builds import in_releases
from advisor.match.view import Answer, View, line_asked
from advisor.model.build import order_key, parse_version
from advisor.model.condition import COMPARED, Atom, Condition, Join
from advisor.model.fact import Fact, Value
from advisor.model.once import once_each
from advisor.model.outcome import Missing, Outcome
from advisor.model.truth import Truth, every, some, truth_of
from advisor.patterns import found_in

TRUE_WORDS = {"true", "1", "yes", "on"}
FALSE_WORDS = {"false", "0", "no", "off"}


def evaluate(condition: Condition | None, view: View) -> Outcome:
    """The outcome of a condition on a case; YES with no facts for no condition."""
    if condition is None:
        return Outcome(Truth.YES)
    if isinstance(condition, Atom):
        return _atom(condition, view)
    if condition.kind == "any":
        seen = [part for part in condition.parts if truth(part, view) is Truth.YES]
        if seen:  # of what else it asks for, nothing is said then
            return gather(Truth.YES, [evaluate(part, view) for part in seen], keep=Truth.YES)
    return _joined(condition, [evaluate(part, view) for part in condition.parts])


def truth(condition: Condition | None, view: View) -> Truth:
    """Whether a condition holds, not why: asked first where most conditions fail, it stops at the part that decides."""
    if condition is None:
        return Truth.YES
    truths = view.truths
    if isinstance(condition, Atom):
        known = truths.get(id(condition))
        if known is None:
            known = truths[id(condition)] = condition, _truth(condition, view)
        return known[1]
    if condition.kind == "not":
        return ~truth(condition.parts[0], view)
    decides, found = (Truth.NO, Truth.YES) if condition.kind == "all" else (Truth.YES, Truth.NO)
    for part in condition.parts:  # `every` and `some` written out: asked a hundred times a case
        known = truths.get(id(part))
        one = truth(part, view) if known is None else known[1]
        if one is decides:
            return one
        if one is Truth.UNKNOWN:
            found = one
    return found


def _truth(atom: Atom, view: View) -> Truth:
    """Of what the case leaves unsaid, as of any case of its build."""
    told, kind, name = view.told, atom.kind, atom.name
    if kind == "log":
        if not told.may_show(name):
            return Truth.UNKNOWN
        return Truth.YES if view.shown.place(name) else _atom(atom, view).truth
    if view.like is not None and view.like[1](kind, name):
        return truth(atom, view.like[0])
    if not told.may(kind, name):
        return Truth.UNKNOWN
    return _atom(atom, view.bare if told.unsaid(kind, name) else view).truth


def holds(condition: Condition | None, view: View) -> bool:
    """Whether a condition is known to hold."""
    return truth(condition, view) is Truth.YES


def _joined(join: Join, outcomes: list[Outcome]) -> Outcome:
    if join.kind == "not":
        inner = outcomes[0]
        return Outcome(~inner.truth, inner.because, inner.missing, ())
    truth = every(one.truth for one in outcomes) if join.kind == "all" else some(one.truth for one in outcomes)
    if truth is Truth.UNKNOWN:
        return gather(truth, outcomes, keep=Truth.YES if join.kind == "all" else Truth.UNKNOWN)
    return gather(truth, [one for one in outcomes if one.truth is truth], keep=truth)


def gather(truth: Truth, outcomes: list[Outcome], keep: Truth) -> Outcome:
    """One outcome of several: facts of those whose truth is `keep`, and what the undecided ones miss."""
    because = [fact for one in outcomes if one.truth is keep or one.truth is truth for fact in one.because]
    missing = (
        [ask for one in outcomes if one.truth is Truth.UNKNOWN for ask in one.missing] if truth is Truth.UNKNOWN else []
    )
    signs = [sign for one in outcomes if one.truth is not Truth.NO for sign in one.signs]
    return Outcome(truth, _each_once(because), _each_once(missing), _each_once(signs))


def _each_once(found: list[Any]) -> tuple[Any, ...]:
    return tuple(found if len(found) < 2 else dict.fromkeys(found))


def _atom(atom: Atom, view: View) -> Outcome:
    known = view.outcomes.get(id(atom))
    if known is None:
        known = view.outcomes[id(atom)] = atom, _found(atom, view)
    return known[1]


@once_each
def _silent(line: Atom) -> Outcome:
    """The outcome of a line that no text can show."""
    return Outcome(Truth.UNKNOWN, missing=(_asked(line, line_asked(line.name)),))


def _found(atom: Atom, view: View) -> Outcome:
    if view.like is not None and view.like[1](atom.kind, atom.name):
        return _atom(atom, view.like[0])
    if atom.kind == "log" and not view.told.may("log", atom.name):
        return _silent(atom)
    if atom.kind == "component" and atom.name in view.engines:
        layer = view.layer(atom.name)
        if layer.build.known() and not layer.build.version and not view.ask("component", atom.name).facts:
            start, before = atom.value
            return in_releases(layer.build, start, before, layer.knowledge)
    answer = view.ask(
        atom.kind, atom.name, atom.value if atom.kind == "stack" else None, atom.op if atom.kind == "stack" else ""
    )
    if not answer.facts:
        if answer.absent:
            return Outcome(Truth.NO)
        return Outcome(Truth.UNKNOWN, missing=(_asked(atom, answer.missing),) if answer.missing else ())
    return _decided(atom, answer)


def _asked(atom: Atom, missing: Missing) -> Missing:
    """The question in the rule's own words, where it has any."""
    if not atom.means:
        return missing
    where = "Does any rank's log show" if atom.kind == "log" else "Is a thread of any rank seen in"
    return Missing(missing.about, f"{where} {atom.means}?", missing.how)


def _decided(atom: Atom, answer: Answer) -> Outcome:
    """Any rank or role for which the condition holds is enough; all must fail for a no."""
    verdicts = [(_holds_of(atom, fact.value), fact) for fact in answer.facts]
    truth = verdicts[0][0] if len(verdicts) == 1 else some([verdict for verdict, _ in verdicts])
    if (
        truth is Truth.NO
        and answer.missing is not None
        and atom.kind in ("setting", "env")
        and any(fact.rank for fact in answer.facts)
    ):
        truth = Truth.UNKNOWN
    because = tuple([fact for verdict, fact in verdicts if verdict is truth])
    if truth is Truth.UNKNOWN:
        return Outcome(truth, missing=(answer.missing,) if answer.missing else ())
    return Outcome(truth, because, signs=(atom.key(),) if truth is Truth.YES else ())


def _holds_of(atom: Atom, value: Value) -> Truth:
    """Whether an atom holds of what a fact says."""
    kind = atom.kind
    if kind in COMPARED:
        return compare(atom.op, value, atom.value)
    if kind == "model":
        return truth_of(found_in(atom.name, value))
    if kind == "component":
        start, before = atom.value
        return _in_versions(str(value), start, before)
    return Truth.YES  # a line or a stack that was seen


def _in_versions(version: str, start: str | None, before: str | None) -> Truth:
    if parse_version(version) is None:
        return Truth.UNKNOWN
    here = order_key(version)
    return truth_of((start is None or here >= order_key(start)) and (before is None or here < order_key(before)))


def compare(op: str, value: Value, wanted: Any) -> Truth:
    """Compare a value as given with the one a rule names. A value that only the shell knows (`$TP`) is unknown."""
    if op == "given":
        return truth_of((value is not None) == wanted)
    if isinstance(value, str) and ("$" in value or value.startswith("<")):
        return Truth.UNKNOWN
    if value is None:
        return Truth.NO
    if op == "is":
        return _same(value, wanted)
    if op == "any_of":
        return some(_same(value, one) for one in wanted)
    if op == "matches":
        return truth_of(found_in(wanted, value))
    number = _number(value)
    if number is None:
        return Truth.UNKNOWN
    tests = {
        "at_least": number >= wanted,
        "at_most": number <= wanted,
        "more_than": number > wanted,
        "less_than": number < wanted,
    }
    return truth_of(tests[op])


def _same(value: Value, wanted: Any) -> Truth:
    if isinstance(wanted, bool):
        word = str(value).lower()
        if word in TRUE_WORDS | FALSE_WORDS:
            return truth_of((word in TRUE_WORDS) == wanted)
        return Truth.UNKNOWN
    right = _number(wanted)
    left = _number(value) if right is not None else None
    if left is not None:
        return truth_of(left == right)
    return truth_of(str(value).strip().lower() == str(wanted).strip().lower())


def _number(value: Value) -> float | None:
    return float(value) if isinstance(value, bool) else _number_in(str(value))


@lru_cache(maxsize=4096)  # what rules name, and what many launches have
def _number_in(text: str) -> float | None:
    try:
        return float(text)
    except ValueError:
        return None


def strongest(facts: tuple[Fact, ...]) -> tuple[Fact, ...]:
    """Facts in the order a reader wants them: seen first, then said, derived, assumed."""
    order = {"observed": 0, "stated": 1, "derived": 2, "default": 3}
    return tuple(sorted(facts, key=lambda fact: order[fact.origin]))
