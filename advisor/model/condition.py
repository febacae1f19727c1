"""The closed set of conditions a rule may use; joined by `all`, `any` and `not`.

    {setting: --speculative-config.method, is: dspark}      a flag's value, or the release's default when absent
    {env: SGLANG_REQ_WAITING_TIMEOUT, more_than: 0}         an environment variable
    {fact: topology.tp, more_than: 1}                       something a reader declares (docs/vocabulary.md)
    {component: nccl, from: 2.28.9, before: 2.29.3}         a library's (or the engine's own) version, half-open
    {hardware: arch, is: aarch64}                           arch, accelerator, vendor, count, nodes, capability, os
    {model: '(?i)qwen3\\.5'}                                the model's name, linear-time pattern
    {log: 'Watchdog caught collective operation timeout'}   a line in a log or paste, linear-time pattern;
                                                            `means:` says it in words, for questions
    {stack: [ncclLocalOpAppend, SaveProxy]}                 frames of one thread, innermost first, gaps allowed

`parse` turns the YAML form into nodes; the compiled catalogue keeps the same form as JSON, so there is one reader.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from functools import cache
from typing import Any

from advisor.model.late import dataclass

Scalar = bool | int | float | str

COMPARISONS = ("is", "any_of", "at_least", "at_most", "more_than", "less_than", "matches", "given")
HARDWARE = ("arch", "accelerator", "vendor", "count", "nodes", "capability", "os")
COMPARED = ("setting", "env", "fact", "hardware")
ATOMS = (*COMPARED, "component", "model", "log", "stack")
JOINS = ("all", "any", "not")

_WORDS = {
    "is": "is",
    "any_of": "is",
    "at_least": "at least",
    "at_most": "at most",
    "more_than": "more than",
    "less_than": "less than",
    "matches": "matches",
}


class ConditionError(ValueError):
    """A condition that is not in the language; `path` leads to the offending part."""

    def __init__(self, message: str, path: tuple[str | int, ...]) -> None:
        super().__init__(message)
        self.path = path


@dataclass(frozen=True)
class Atom:
    """One question about a case. `kind` is one of ATOMS and `name` what it is about; `atom_of` makes one.

    `op` and `value` compare (COMPARED kinds); a component's range is `value = (from, before)`; a stack's frames are
    `value`, with `op` the thread state wanted or "". `means` says a log pattern or stack in words, for questions.
    """

    kind: str
    name: str
    op: str = ""
    value: Any = None
    means: str = ""

    def key(self) -> str:
        """The same text for two rules that ask the same; names a sign when weighing how distinctive it is."""
        return f"{self.kind}:{self.name}" + (f" {self.words()}" if self.kind in COMPARED else "")

    def about(self) -> str:
        """What would have to be known: `setting:--tp`."""
        return f"{self.kind}:{self.name}"

    def words(self) -> str:
        """The comparison as a person says it: `is dspark`, `more than 1`, `from 2.28.9 before 2.29.3`."""
        if self.kind == "component":
            start, before = self.value
            return " ".join(
                part for part in (f"from {start}" if start else "", f"before {before}" if before else "") if part
            )
        if self.kind not in COMPARED:
            return ""
        if self.op == "given":
            return "is given" if self.value else "is not given"
        shown = " or ".join(map(show, self.value)) if self.op == "any_of" else show(self.value)
        return f"{_WORDS[self.op]} {shown}"


@dataclass(frozen=True)
class Join:
    """`all`, `any` or `not` of parts; `not` has exactly one."""

    kind: str
    parts: tuple[Condition, ...]


Condition = Atom | Join


def atom_of(kind: str, name: str, op: str = "", value: Any = None, means: str = "") -> Atom:
    """The one atom of these parts, for as long as the process lives: what is found of it is kept by its identity, and
    rules that ask the same share it. `is: true` and `is: 1` ask for two things, though Python calls them equal."""
    return _atom_of(kind, name, op, value, means, repr(value))


@cache
def _atom_of(kind: str, name: str, op: str, value: Any, means: str, written: str) -> Atom:
    return Atom(kind, name, op, value, means)


def show(value: Any) -> str:
    """A value as it is typed in YAML: `true`, `5`, `dspark`."""
    return str(value).lower() if isinstance(value, bool) else str(value)


def as_word(text: str) -> str:
    """A stranger's value as it stands in a sentence of ours: quoted as for a shell where it has blanks in it, so that
    nothing of it reads as a part of the sentence."""
    if not any(one.isspace() for one in text):
        return text
    from shlex import quote  # few values have any

    return quote(text)


def parse(raw: Any, path: tuple[str | int, ...] = ()) -> Condition:
    """The nodes of a condition in its YAML or JSON form. Raises ConditionError with the path of the fault."""
    if not isinstance(raw, Mapping):
        raise ConditionError(f"a condition is a mapping, not {type(raw).__name__}", path)
    kinds = [kind for kind in (*ATOMS, *JOINS) if kind in raw]
    if len(kinds) != 1:
        raise ConditionError(f"a condition names exactly one of {', '.join((*ATOMS, *JOINS))}", path)
    kind = kinds[0]
    rest = {key: value for key, value in raw.items() if key != kind}
    if kind in JOINS:
        return _join(kind, raw[kind], rest, path)
    if kind in COMPARED:
        return _compared(kind, raw[kind], rest, path)
    return _seen(kind, raw[kind], rest, path)


def _join(kind: str, raw: Any, rest: dict[str, Any], path: tuple[str | int, ...]) -> Join:
    if rest:
        raise ConditionError(f"`{kind}` stands alone; found {', '.join(map(str, rest))} beside it", path)
    if kind == "not":
        return Join("not", (parse(raw, (*path, "not")),))
    if not isinstance(raw, list | tuple) or not raw:
        raise ConditionError(f"`{kind}` takes a list of at least one condition", (*path, kind))
    return Join(kind, tuple(parse(part, (*path, kind, index)) for index, part in enumerate(raw)))


def _compared(kind: str, name: Any, rest: dict[str, Any], path: tuple[str | int, ...]) -> Atom:
    if not isinstance(name, str) or (kind == "hardware" and name not in HARDWARE):
        raise ConditionError(
            f"`{kind}` takes {'one of ' + ', '.join(HARDWARE) if kind == 'hardware' else 'a name'}", (*path, kind)
        )
    if len(rest) != 1 or next(iter(rest)) not in COMPARISONS:
        raise ConditionError(f"`{kind}` needs exactly one of {', '.join(COMPARISONS)}", path)
    op, value = next(iter(rest.items()))
    fits = {
        "is": isinstance(value, bool | int | float | str),
        "any_of": isinstance(value, list | tuple)
        and bool(value)
        and all(isinstance(one, bool | int | float | str) for one in value),
        "matches": isinstance(value, str),
        "given": isinstance(value, bool),
    }.get(op, isinstance(value, int | float) and not isinstance(value, bool))
    if not fits:
        raise ConditionError(f"`{op}` cannot take {value!r}", (*path, op))
    return atom_of(kind, name, op, tuple(value) if op == "any_of" else value)


def _seen(kind: str, name: Any, rest: dict[str, Any], path: tuple[str | int, ...]) -> Atom:
    allowed = {"component": {"from", "before"}, "stack": {"state", "means"}, "log": {"means"}}.get(kind, set())
    if extra := set(rest) - allowed:
        raise ConditionError(f"`{kind}` does not take {', '.join(sorted(map(str, extra)))}", path)
    if not isinstance(rest.get("means", ""), str):
        raise ConditionError(f"`means` takes text, not {rest['means']!r}", (*path, "means"))
    if kind == "stack":
        if not isinstance(name, list | tuple) or not name or not all(isinstance(one, str) for one in name):
            raise ConditionError("`stack` takes a list of frames", (*path, kind))
        if rest.get("state") not in (None, "active", "idle"):
            raise ConditionError("`state` is active or idle", (*path, "state"))
        return atom_of(kind, " < ".join(name), rest.get("state") or "", tuple(name), rest.get("means") or "")
    if not isinstance(name, str):
        raise ConditionError(f"`{kind}` takes text, not {name!r}", (*path, kind))
    if kind == "component":
        start, before = rest.get("from"), rest.get("before")
        if not any((start, before)) or any(not isinstance(one, str | None) for one in (start, before)):
            raise ConditionError("`component` needs from, before or both, as text in quotes", path)
        return atom_of(kind, name, "in", (start, before))
    return atom_of(kind, name, means=rest.get("means") or "")


def atoms(condition: Condition | None) -> Iterator[Atom]:
    """Every atom of a condition, depth first, negated ones included; none for None."""
    if isinstance(condition, Atom):
        yield condition
    elif condition is not None:
        for part in condition.parts:
            yield from atoms(part)
