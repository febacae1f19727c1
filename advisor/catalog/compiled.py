"""The compiled catalogue → rules, each built when it is asked for. YAML is for people; a check never parses it.

The compiled form is a file of JSON lines named by what it was made from. An installed package carries it; a source tree
keeps it in the user's cache folder and makes it anew whenever a rule file's name, size or time changes. Only the lines
that a case calls for are read, so that many more rules cost a start next to nothing. Each line is checked against its
sum; a damaged file is made anew, silently.
"""

from __future__ import annotations

import json
from collections.abc import Callable, Iterable, Iterator
from functools import cache, partial
from pathlib import Path
from typing import TYPE_CHECKING, Any, NamedTuple
from zlib import crc32

from advisor.catalog.kept import kept_file, made_anew, opened
from advisor.catalog.layout import FORMAT, SHIPPED, Place, header, header_at
from advisor.catalog.nouns import rule as build_rule
from advisor.catalog.places import own_rules, root, rule_files, rules_root
from advisor.model.condition import Atom, atom_of
from advisor.model.late import dataclass
from advisor.model.rule import Rule
from advisor.model.trigger import Trigger

if TYPE_CHECKING:
    from advisor.catalog.full_text import Entry

_PLANNERS = Path(__file__).parents[1] / "scan"  # a plan that another version of these made would not do

Weights = dict[str, float]
"""How distinctive each condition is, by its key: log((rules + 1) / rules that use it)."""


class Triggers:
    """The triggers of a section, by number: each is made when it is tried, which few are."""

    def __init__(self, raw: list[list[Any]]) -> None:
        self._raw = raw
        self._made: dict[int, Trigger] = {}

    def __getitem__(self, number: int) -> Trigger:
        made = self._made.get(number)
        if made is None:
            holds, *atom = self._raw[number]
            made = self._made[number] = Trigger(_atom(atom), holds)
        return made

    def __iter__(self) -> Iterator[Trigger]:
        return map(self.__getitem__, range(len(self._raw)))


class Section(NamedTuple):
    """The rules of one engine in the order of ids, and what calls for them (`model/trigger.py`).

    A rule is a number in `rules`, its id and its place; a trigger one in `asked`. `always` may have something to say of
    any case; `asks` are those that ask about a flag, a variable, a fact or a library, by its kind and name. A call is
    [rule, the triggers that it takes besides], in `seen` by the trigger that it takes first, and those by the kind and
    name of what they ask about: of most, a case says nothing.
    """

    rules: list[tuple[str, int, int, int]]
    always: list[int]
    asked: Triggers
    seen: dict[str, dict[str, list[tuple[int, list[list[int]]]]]]
    asks: dict[str, dict[str, list[int]]]

    def place(self, rule: int) -> Place:
        """Where a rule is."""
        _, start, end, sum_ = self.rules[rule]
        return start, end, sum_


class Texts(NamedTuple):
    """What the rules of one engine ask of texts: the calls by the pattern that each takes first, the plan by which all
    patterns are looked for, and the lines that some rule says only follow from its failure."""

    logs: dict[str, list[list[int]]]
    plan: dict[str, Any]
    downstream: list[Atom]


class Compiled:
    """A compiled catalogue: a section for each engine, in the order of ids. Retired rules are left out."""

    def __init__(self, content: Any, renew: Callable[[], bytes]) -> None:
        self._content, self._renew, self._head = content, renew, header(content)
        self._sections: dict[str, Section] = {}
        self._texts: dict[str, Texts] = {}
        self._rules: dict[Place, tuple[Rule, Weights]] = {}

    @property
    def problems(self) -> tuple[str, ...]:
        """A line for each rule file that cannot be used."""
        return tuple(self._head["problems"])

    @property
    def engines(self) -> tuple[str, ...]:
        """The engines that have rules, `any` among them."""
        return tuple(self._head["sections"])

    def section(self, engine: str) -> Section:
        """The rules of one engine."""
        if engine not in self._sections:
            self._sections[engine] = _section(json.loads(self._line(self._head["sections"][engine])))
        return self._sections[engine]

    def texts(self, engine: str) -> Texts:
        """What its rules ask of texts."""
        if engine not in self._texts:
            raw = json.loads(self._line(self._head["texts"][engine]))
            self._texts[engine] = Texts(raw["logs"], raw["plan"], list(map(_atom, raw["downstream"])))
        return self._texts[engine]

    def words(self, engine: str) -> list[Entry]:
        """Its rules in words, in the order of ids."""
        from advisor.catalog.full_text import Entry

        return [Entry(*one) for one in json.loads(self._line(self._head["words"][engine]))]

    def rule(self, place: Place) -> tuple[Rule, Weights]:
        """A rule, and the weights of its conditions."""
        if place not in self._rules:
            found = json.loads(self._line(place))
            self._rules[place] = build_rule(found["rule"]), found["weights"]
        return self._rules[place]

    def all(self) -> Iterator[tuple[Rule, Weights]]:
        """Every rule."""
        sections = map(self.section, self.engines)
        return (self.rule(section.place(rule)) for section in sections for rule in range(len(section.rules)))

    def plain(self) -> Iterator[dict[str, Any]]:
        """Every rule as plain data."""
        for engine in self.engines:
            section = self.section(engine)
            yield from (json.loads(self._line(section.place(rule)))["rule"] for rule in range(len(section.rules)))

    def content(self) -> bytes:
        """The compiled form itself."""
        return bytes(self._content)

    def _line(self, place: Iterable[int]) -> bytes:
        start, end, sum_ = place
        line = bytes(self._content[start:end])
        if crc32(line) != sum_:
            self._content = self._renew()  # the same rules give the same bytes
            line = self._content[start:end]
        return line


def _sound(content: Any) -> bool:
    head = header(content)
    lists = isinstance(head["problems"], list) and isinstance(head["sections"], dict)
    return lists and head["format"] == FORMAT and head["bytes"] == header_at(content)


def _section(raw: dict[str, Any]) -> Section:
    return Section(raw["rules"], raw["always"], Triggers(raw["asked"]), raw["seen"], raw["asks"])


def _atom(raw: list[Any]) -> Atom:
    kind, name, op, value, means = raw
    return atom_of(kind, name, op, tuple(value) if isinstance(value, list) else value, means)


@dataclass(frozen=True)
class Rules:
    """The usable rules in the order of ids, retired ones left out, and a line for each file that cannot be used."""

    rules: tuple[Rule, ...]
    problems: tuple[str, ...] = ()


@cache
def rules(base: Path | None = None) -> Rules:
    """Every rule below `base`; by default of the shipped catalogue and the user's own rules."""
    found = compiled(base)
    return Rules(tuple(rule for rule, _ in found.all()), found.problems)


def compiled(base: Path | None = None) -> Compiled:
    """The compiled form of the rules below `base`; by default of the shipped catalogue and the user's own rules."""
    return _compiled(base or rules_root(), own_rules() if base is None else ())


_handed_over: dict[tuple[Path, ...], bytes] = {}


def hand_over(own: tuple[Path, ...], content: bytes) -> None:
    """Let this be the compiled form beside these rules of a user's own, whatever becomes of their files."""
    _handed_over[own] = content


@cache
def _compiled(base: Path, own: tuple[Path, ...]) -> Compiled:
    shipped = root() / SHIPPED
    if base == rules_root() and own in _handed_over:
        return Compiled(_handed_over[own], partial(_handed_over.__getitem__, own))
    make = partial(_made, base, own)
    if base == rules_root() and shipped.is_file() and not own:
        return Compiled(opened(shipped, _sound) or make(), make)
    made_from = stamp(base, *own)
    content = kept_file("catalog", made_from, make, _sound)
    return Compiled(content, partial(made_anew, "catalog", made_from, make))


def stamp(*bases: Path) -> str:
    """What the compiled form of the rules below these folders is made from, by names, sizes and times."""
    stats = [(file, file.stat()) for base in bases for file in rule_files(base)]
    stats += [(Path(one.name), one.stat()) for one in sorted(_PLANNERS.glob("*.py"))]
    lines = "".join(f"{name} {stat.st_size} {stat.st_mtime_ns}\n" for name, stat in stats)
    return "\n".join([str(FORMAT), *map(str, bases), lines])


def _made(base: Path, own: tuple[Path, ...]) -> bytes:
    from advisor.catalog.compiling import compile_beside, compile_rules

    if not own:
        return compile_rules(base)
    shipped = _compiled(base, ())
    return compile_beside(shipped.plain(), shipped.problems, own)
