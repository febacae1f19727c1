"""`advisor.toml`, or `[tool.advisor]` of a pyproject.toml -> what is asked of lint for good.

    [lint]                                     # in pyproject.toml: [tool.advisor.lint]
    fail-on = "error"                          # error, warning, note or never
    actionable = ["fix released", "workaround"]
    exclude = ["vendor/"]                      # patterns as in .gitignore
    baseline = "advisor-baseline.json"

    [[ignore]]                                 # in pyproject.toml: [[tool.advisor.ignore]]
    path = "charts/**"                         # one pattern or a list
    rule = "vllm/pp-broadcast-skew"            # one id or a list
    reason = "rendered elsewhere"
    until = 2027-01-31

A mistake raises UsageError that names the file and the key, with the nearest spelling where there is one.
"""

from __future__ import annotations

import posixpath
import re
import tomllib
from collections.abc import Iterator, Mapping, Sequence
from datetime import date, datetime
from difflib import get_close_matches
from typing import Any, cast, get_args

from advisor.errors import UsageError
from advisor.jobs.directives import wrong_date
from advisor.model.lint import Actionability, Region
from advisor.model.suppression import Configuration, Directive, FailOn

LINT_KEYS = ("fail-on", "actionable", "exclude", "baseline")
IGNORE_KEYS = ("path", "rule", "reason", "until")
FAIL_ON = ("error", "warning", "note", "never")
ACTIONABLE = cast("tuple[Actionability, ...]", get_args(Actionability))


def read(name: str, text: str) -> Configuration | None:
    """The configuration in the file `name`; None when it is a pyproject.toml without `[tool.advisor]`."""
    try:
        raw: dict[str, Any] = tomllib.loads(text)
    except (ValueError, RecursionError) as error:  # no TOML, or a number of more digits than Python reads
        raise UsageError(f"is not TOML: {error}", name, None) from None
    inner = posixpath.basename(name) == "pyproject.toml"
    prefix = "tool.advisor." if inner else ""
    if inner:
        tool = raw.get("tool")
        if not isinstance(tool, dict) or "advisor" not in tool:
            return None
        raw = _table(name, "tool.advisor", tool["advisor"])
    _known_keys(name, prefix, raw, ("lint", "ignore"))
    lint = _table(name, f"{prefix}lint", raw.get("lint", {}))
    _known_keys(name, f"{prefix}lint.", lint, LINT_KEYS)
    return Configuration(
        file=name,
        fail_on=cast("FailOn | None", _choice(name, f"{prefix}lint.fail-on", lint.get("fail-on"), FAIL_ON)),
        actionable=_actionable(name, f"{prefix}lint.actionable", lint.get("actionable")),
        exclude=_texts(name, f"{prefix}lint.exclude", lint.get("exclude", [])),
        baseline=_text(name, f"{prefix}lint.baseline", lint.get("baseline", "")),
        ignores=tuple(_ignores(name, f"{prefix}ignore", raw.get("ignore", []), text)),
    )


def _actionable(name: str, key: str, raw: Any) -> tuple[Actionability, ...] | None:
    if raw is None:
        return None
    told = [_choice(name, key, one, ACTIONABLE) for one in _texts(name, key, raw)]
    return tuple(cast("list[Actionability]", told))


def _ignores(name: str, key: str, raw: Any, text: str) -> Iterator[Directive]:
    if not isinstance(raw, list):
        raise UsageError(f"is {_kind(raw)}, not a list of tables", f"{name}: {key}", f"write [[{key}]]")
    lines = text.splitlines()
    header = re.compile(rf"\s*\[\[\s*{re.escape(key)}\s*\]\]")
    starts = [number for number, line in enumerate(lines, 1) if header.match(line)]
    for at, one in enumerate(raw):
        line = starts[at] if len(starts) == len(raw) else 1
        snippet = lines[line - 1] if lines else ""
        region = Region(name, line, 1, line, len(snippet) + 1, snippet)
        yield _ignore(name, f"{key}[{at + 1}]", _table(name, f"{key}[{at + 1}]", one), region)


def _ignore(name: str, key: str, raw: Mapping[str, Any], region: Region) -> Directive:
    _known_keys(name, f"{key}.", raw, IGNORE_KEYS)
    rules = _texts(name, f"{key}.rule", raw.get("rule", []))
    if not rules:
        raise UsageError("names no rule", f"{name}: {key}.rule", 'write rule = "id", or rule = "*" for all')
    return Directive(
        how="configuration",
        rules=rules,
        until=_until(name, f"{key}.until", raw.get("until", "")),
        reason=" ".join(_text(name, f"{key}.reason", raw.get("reason", "")).split()),
        region=region,
        paths=_texts(name, f"{key}.path", raw.get("path", ["**"])) or ("**",),
        base=posixpath.dirname(name).removeprefix("./"),
    )


def _until(name: str, key: str, raw: Any) -> str:
    if isinstance(raw, date) and not isinstance(raw, datetime):
        return raw.isoformat()
    told = _text(name, key, raw) if not isinstance(raw, datetime) else raw.isoformat()
    if told and (wrong := wrong_date(told)):
        raise UsageError(wrong, f"{name}: {key}", None)
    return told


def _known_keys(name: str, prefix: str, raw: Mapping[str, Any], known: Sequence[str]) -> None:
    for key in raw:
        if key not in known:
            near = get_close_matches(key, known, 1)
            hint = f"did you mean {near[0]}?" if near else f"there is {', '.join(known)}"
            raise UsageError("is no key of the configuration", f"{name}: {prefix}{key}", hint)


def _choice(name: str, key: str, raw: Any, choices: Sequence[str]) -> str | None:
    if raw is None or raw in choices:
        return cast("str | None", raw)
    near = get_close_matches(raw, choices, 1) if isinstance(raw, str) else []
    hint = f"did you mean {near[0]}?" if near else f"one of {', '.join(choices)}"
    raise UsageError(f"cannot be {raw!r}", f"{name}: {key}", hint)


def _table(name: str, key: str, raw: Any) -> dict[str, Any]:
    if not isinstance(raw, dict):
        raise UsageError(f"is {_kind(raw)}, not a table", f"{name}: {key}", None)
    return raw


def _text(name: str, key: str, raw: Any) -> str:
    if not isinstance(raw, str):
        raise UsageError(f"is {_kind(raw)}, not a text", f"{name}: {key}", None)
    return raw


def _texts(name: str, key: str, raw: Any) -> tuple[str, ...]:
    """A list of texts, or one text."""
    told = raw if isinstance(raw, list) else [raw]
    return tuple(_text(name, key, one) for one in told)


def _kind(raw: Any) -> str:
    names = {bool: "a truth value", int: "a number", float: "a number", str: "a text", list: "a list", dict: "a table"}
    return names.get(type(raw), f"a {type(raw).__name__}")
