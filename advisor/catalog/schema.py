"""A rule file's text → plain data checked against the nouns, with every problem and its line.

Only the validator, the compiler and the tests come here: it imports pydantic, which running a check does not need.
"""

from __future__ import annotations

import datetime as dt
import typing
from dataclasses import dataclass, is_dataclass
from functools import cache
from pathlib import Path as FilePath
from typing import Any

from pydantic import ConfigDict, TypeAdapter, ValidationError

from advisor.catalog.nouns import CONDITION, plan
from advisor.errors import RuleError
from advisor.model import rule as nouns
from advisor.model.condition import ConditionError, parse
from advisor.model.draft import BLANK
from advisor.model.rule import Rule
from advisor.yaml import MAX_BYTES, Document, Path, load

CONFIG = ConfigDict(extra="forbid", arbitrary_types_allowed=True)


@dataclass(frozen=True, order=True)
class Problem:
    """One fault in a rule directory. `name` is stable, so that a fault can be talked about."""

    file: str
    line: int
    name: str
    message: str

    def __str__(self) -> str:
        return f"{self.file}:{self.line}: {self.message} [{self.name}]"


@cache
def _adapter() -> TypeAdapter[Rule]:
    for noun in vars(nouns).values():
        if isinstance(noun, type) and is_dataclass(noun):
            noun.__pydantic_config__ = CONFIG  # type: ignore[attr-defined]
    return TypeAdapter(Rule)


def read(file: FilePath, name: str) -> tuple[dict[str, Any] | None, Document | None, list[Problem]]:
    """The rule's plain data (None when it cannot be used), its lines, and every problem of shape."""
    try:
        document = load(_text(file), name)
    except (RuleError, UnicodeDecodeError, OSError) as error:
        what, where = (error.what, error.where or name) if isinstance(error, RuleError) else (str(error), name)
        line = where.split(":")[1] if ":" in where else "1"
        return None, None, [Problem(name, int(line) if line.isdigit() else 1, "yaml", what)]
    raw = _plain(document.value)
    if not isinstance(raw, dict):
        return None, document, [Problem(name, 1, "shape", "a rule is a mapping")]
    problems = [Problem(name, document.line(path), "condition", str(error)) for path, error in _conditions(raw)]
    problems += _shape(raw, document, name)
    problems += blanks(raw, document, name)
    return (None if problems else raw), document, problems


def _text(file: FilePath) -> str:
    """A plain file that is not too large to be a rule: a pipe would never end, a device neither."""
    if not file.is_file():
        raise RuleError("is no plain file")
    if file.stat().st_size > MAX_BYTES:
        raise RuleError(f"larger than {MAX_BYTES} bytes", None, "split it, or move evidence into files of its own")
    return file.read_text(encoding="utf-8")


def blanks(value: Any, document: Document, name: str) -> list[Problem]:
    """What a draft leaves to be answered in a file, as problems of it."""
    return [Problem(name, document.line(path), "blank", f"is still blank:{said}") for path, said in _blanks(value)]


def _blanks(value: Any, path: Path = ()) -> typing.Iterator[tuple[Path, str]]:
    """What a draft leaves to be answered, and the question."""
    if isinstance(value, str) and value.lstrip().startswith(BLANK):
        yield path, value.lstrip().removeprefix(BLANK).rstrip()
    for key, one in value.items() if isinstance(value, dict) else enumerate(value) if isinstance(value, list) else ():
        yield from _blanks(one, (*path, key))


def _plain(value: Any) -> Any:
    if isinstance(value, dict):
        return {key: _plain(one) for key, one in value.items()}
    if isinstance(value, list):
        return [_plain(one) for one in value]
    return value.isoformat() if isinstance(value, dt.date | dt.datetime) else value


def _shape(raw: dict[str, Any], document: Document, name: str) -> list[Problem]:
    try:
        _adapter().validate_python(_without_conditions(Rule, raw), strict=False)
    except ValidationError as error:
        return [_problem(item, document, name) for item in error.errors()]
    return []


def _problem(item: Any, document: Document, name: str) -> Problem:
    path: Path = tuple(item["loc"])
    where = ".".join(str(part) for part in path)
    message = {"missing": "is missing", "unexpected_keyword_argument": "is not a word rules know"}.get(
        item["type"], item["msg"]
    )
    if item["type"] == "string_type" and isinstance(item["input"], int | float):
        message = f"is read by YAML as the number {item['input']}; put it in quotes"
    return Problem(name, document.line(path), "shape", f"{where}: {message}")


def _without_conditions(noun: type, raw: Any) -> Any:
    """The data with each condition replaced by a parsed node, which the nouns' types admit."""
    if not isinstance(raw, dict):
        return raw
    fields = plan(noun)
    return {key: _field(value, *fields[key]) if key in fields else value for key, value in raw.items()}


def _field(value: Any, many: bool, inner: str | None) -> Any:
    if inner is None or value is None:
        return tuple(value) if many and isinstance(value, list) else value
    if many:
        return tuple(_field(one, False, inner) for one in value) if isinstance(value, list) else value
    if inner == CONDITION:
        try:
            return parse(value)
        except ConditionError:
            return parse({"log": "a condition that is reported by itself"})
    return _without_conditions(getattr(nouns, inner), value)


def _conditions(
    raw: dict[str, Any], noun: type = Rule, path: Path = ()
) -> typing.Iterator[tuple[Path, ConditionError]]:
    fields = plan(noun)
    for key, value in raw.items():
        many, inner = fields.get(key, (False, None))
        if inner is None or value is None:
            continue
        items = list(enumerate(value)) if many and isinstance(value, list) else [(None, value)]
        for index, item in items:
            here: Path = (*path, key) if index is None else (*path, key, index)
            if inner == CONDITION:
                try:
                    parse(item)
                except ConditionError as error:
                    yield (*here, *error.path), error
            elif isinstance(item, dict):
                yield from _conditions(item, getattr(nouns, inner), here)
