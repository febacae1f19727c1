"""The flags and variables knowledge gives a release, and those its own parser has -> where the two part.

One flag agrees when its spellings, kind, type, choices, default and deprecation do. What knowledge leaves open (a
default that hangs on the machine, a type that has no name) is counted apart, never as a disagreement.
"""

from __future__ import annotations

import json
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import Any

from advisor.model.knowledge import SettingRecord

COLLECTED = ("_AppendAction", "_ExtendAction")
TYPES = ("int", "float", "bool", "str")


@dataclass(frozen=True)
class Disagreement:
    """One aspect of one flag or variable on which knowledge and the engine say different things."""

    name: str
    aspect: str
    ours: str
    theirs: str

    def __str__(self) -> str:
        return f"{self.name}: {self.aspect}: knowledge {self.ours}, parser {self.theirs}"


@dataclass(frozen=True)
class Agreement:
    """How many settings of a release were compared, where the two parted, and what knowledge leaves open."""

    total: int
    disagreements: tuple[Disagreement, ...] = ()
    left_open: tuple[str, ...] = ()

    @property
    def agreed(self) -> int:
        """Settings on which the two say the same in every aspect."""
        return self.total - len({one.name for one in self.disagreements})


def flags(
    ours: Sequence[SettingRecord], theirs: Sequence[dict[str, Any]], *, complete: bool = True, deprecations: bool = True
) -> Agreement:
    """Compare a release's flags. `complete`: theirs are all there are; `deprecations`: knowledge records them."""
    by_spelling = {spelling: one for one in ours for spelling in (one.flag, *one.aliases)}
    found: list[Disagreement] = []
    met: set[str] = set()
    alone = 0
    for argument in theirs:
        record = next((by_spelling[each] for each in argument["spellings"] if each in by_spelling), None)
        if record is None:
            alone += 1
            found.append(Disagreement(argument["spellings"][0], "presence", "lacks it", "has it"))
        else:
            met.add(record.flag)
            found += [one for one in aspects(record, argument) if deprecations or one.aspect != "deprecated"]
    judged = [one for one in ours if complete or one.flag in met]
    found += [Disagreement(one.flag, "presence", "has it", "lacks it") for one in judged if one.flag not in met]
    left = [f"{one.flag}: default" for one in judged if not one.default_known]
    left += [f"{argument['spellings'][0]}: {aspect}" for argument in theirs for aspect in not_shown(argument)]
    return Agreement(len(judged) + alone, tuple(found), tuple(left))


def aspects(record: SettingRecord, argument: dict[str, Any]) -> Iterator[Disagreement]:
    """Each aspect of a flag on which the two part."""
    pairs: list[tuple[str, Any, Any]] = [("spellings", sorted(spellings(record)), sorted(argument["spellings"]))]
    if argument["makes"] is not None:
        pairs += typed(record, argument)
    if argument["deprecated"]:  # knowledge also has those that the engine warns of elsewhere than in its parser
        pairs.append(("deprecated", record.deprecated, True))
    if record.default_known:
        pairs.append(("default", text(record.default), text(default_of(argument, record))))
    for aspect, ours, theirs in pairs:
        if ours != theirs:
            yield Disagreement(record.flag, aspect, shown(ours, theirs), shown(theirs, ours))


def typed(record: SettingRecord, argument: dict[str, Any]) -> Iterator[tuple[str, Any, Any]]:
    """What the two say of the values the flag takes."""
    kind, type_name = shape(argument)
    yield "kind", record.kind, record.kind if record.kind in kind else "/".join(kind)
    yield "choices", accepted(record.choices), accepted(argument["choices"])
    if record.type is not None or type_name in TYPES:
        yield "type", record.type, type_name


def spellings(record: SettingRecord) -> set[str]:
    """Every spelling the parser should take, those that turn a pair off among them."""
    given = {record.flag, *record.aliases, *record.negations}
    in_gflags = "--no" + record.flag.removeprefix("--") in record.negations
    if record.kind != "pair" or in_gflags:
        return given
    on = {each for each in given - set(record.negations) if each.startswith("--")}
    return given | {"--no-" + each.removeprefix("--") for each in on}


def shape(argument: dict[str, Any]) -> tuple[tuple[str, ...], str | None]:
    """The kinds a real argument may be called, and its type; judged by what it makes of texts."""
    if argument["paired"]:
        return ("pair",), "bool"
    if argument["nargs"] == 0:
        return ("switch",), "bool"
    makes = argument["makes"]
    scalar = "bool" if argument["action"] == "StoreBoolean" else scalar_of(makes)  # vLLM: bare, true or false
    nargs = argument["nargs"]
    if nargs in ("+", "*") or (isinstance(nargs, int) and nargs > 1) or argument["action"] in COLLECTED:
        return ("list", "json") if scalar is None else ("list",), scalar
    if makes["{}"] in ("dict", "object"):
        return ("json",), "str" if makes["text"] == "str" else None
    if (
        argument["type"] is None
        and argument["choices"]
        and not all(isinstance(each, str) for each in argument["choices"])
    ):
        return ("value",), None
    return ("value",) if scalar else ("value", "json"), scalar


def not_shown(argument: dict[str, Any]) -> Iterator[str]:
    """What a real argument leaves open: a kind no probe brings out, a default that is an object of the engine's own."""
    if argument["makes"] is not None and len(shape(argument)[0]) > 1:
        yield "kind"
    if isinstance(argument["default"], dict) and "<object>" in argument["default"]:
        yield "default, an object"


def scalar_of(makes: dict[str, str]) -> str | None:
    """int, float, bool or str, as the probes show; None when it is none of them."""
    if makes["7"] == "int" and makes["text"] == "error":
        return "int"
    if makes["7"] == makes["1.5"] == "float":
        return "float"
    if makes["true"] == "bool":
        return "bool"
    return "str" if makes["text"] == "str" else None


def accepted(choices: Sequence[Any] | None) -> list[str] | None:
    """Choices in order, without the one that stands for giving none."""
    return sorted({str(each) for each in choices if each not in (None, "None")}) if choices else None


def default_of(argument: dict[str, Any], record: SettingRecord) -> Any:
    """A real default; an object of a config class is what knowledge says was set on it beyond its own defaults."""
    default = argument["default"]
    return record.default if isinstance(default, dict) and "<object>" in default and record.kind == "json" else default


def text(value: Any) -> str:
    """A default as JSON; 1, 1.0 and true stay apart."""
    return json.dumps(value, ensure_ascii=False, sort_keys=True)


def shown(value: Any, other: Any) -> str:
    """A side of a disagreement, of lists what only this side has."""
    if isinstance(value, list) and isinstance(other, list):
        return f"only {[each for each in value if each not in other]}"
    return str(value)


def variables(ours: dict[str, dict[str, Any]], theirs: dict[str, dict[str, Any]]) -> Agreement:
    """Compare a release's variables; ours by name, each a record of settings.json.

    A deprecated variable that the registry lacks is no disagreement: the engine only warns of it, elsewhere.
    """
    known = {name for name, one in ours.items() if name in theirs or not one.get("deprecated")}
    found = [Disagreement(name, "presence", "lacks it", "has it") for name in sorted(set(theirs) - known)]
    found += [Disagreement(name, "presence", "has it", "lacks it") for name in sorted(known - set(theirs))]
    shared = sorted(known & set(theirs))
    for name in shared:
        if theirs[name]["same"] is False:
            found.append(Disagreement(name, "default", *told(ours[name]["default"], theirs[name])))
    left = tuple(f"{name}: default" for name in shared if theirs[name]["same"] is None)
    return Agreement(len(known | set(theirs)), tuple(found), left)


def told(default: str | None, seen: dict[str, Any]) -> tuple[str, str]:
    """Both sides of a default that does not hold."""
    if default is None:
        return "no text acts as its absence", f"{seen['alike'][0]!r} does: {seen['absent']}"
    return f"{default!r}, read as {seen['given']}", f"absent, read as {seen['absent']}"
