"""YAML in and out; the only module that imports ruamel.yaml.

`load` gives plain Python values plus the line of every mapping key, so that a complaint can name its line.
Tags other than the core schema's, files over 1 MiB, nesting over 60 levels and more than 100,000 values are refused:
rule packs are data.
"""

from __future__ import annotations

import re
from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any

from ruamel.yaml import YAML
from ruamel.yaml.comments import CommentedMap, CommentedSeq, TaggedScalar
from ruamel.yaml.error import MarkedYAMLError, YAMLError
from ruamel.yaml.scalarbool import ScalarBoolean
from ruamel.yaml.scalarfloat import ScalarFloat
from ruamel.yaml.scalarint import ScalarInt

from advisor.errors import RuleError

MAX_BYTES = 1 << 20
MAX_DEPTH = 60
MAX_VALUES = 100_000  # each counted as often as an alias names it: ten lines of aliases make billions

Path = tuple[str | int, ...]
_BRACKET = re.compile(r"[\[\]{}]")
_MOST_OPEN = 1_000  # of which the parser looks at every one for each token: a file of brackets takes it hours
_FAULTS = (AttributeError, TypeError, KeyError, IndexError, AssertionError, NotImplementedError)
"""What the parser trips over in odd texts, as in a mapping merged into itself."""


@dataclass(frozen=True)
class Document:
    """Plain data and, for each path of keys into it, the 1-based line it stands on."""

    value: Any
    lines: dict[Path, int] = field(default_factory=dict)

    def line(self, path: Path) -> int:
        """Line of `path`, or of the nearest parent that has one; 1 for the whole."""
        while path and path not in self.lines:
            path = path[:-1]
        return self.lines.get(path, 1)


def load(text: str, name: str) -> Document:
    """Read one YAML document. Raises RuleError with line and column when it cannot be read."""
    if len(text.encode("utf-8", "replace")) > MAX_BYTES:
        raise RuleError(f"larger than {MAX_BYTES} bytes", name, "split it, or move evidence into files of its own")
    if _open_brackets(text) > _MOST_OPEN:
        raise RuleError(f"nested deeper than {MAX_DEPTH} levels", name)
    reader = YAML(typ="rt", pure=True)
    reader.allow_duplicate_keys = False
    lines: dict[Path, int] = {(): 1}
    try:
        return Document(_plain(reader.load(text), (), lines, name), lines)
    except MarkedYAMLError as error:
        mark = error.problem_mark
        place = f"{name}:{mark.line + 1}:{mark.column + 1}" if mark else name
        problem = " ".join(str(error.problem or error.context or "cannot be read as YAML").split())
        raise RuleError(problem.split(' in "')[0], place) from error
    except RecursionError:
        raise RuleError(f"nested deeper than {MAX_DEPTH} levels", name) from None
    except (YAMLError, ValueError) as error:
        raise RuleError(" ".join(str(error).split())[:200], name) from error
    except _FAULTS as error:
        raise RuleError("cannot be read as YAML", name) from error


def _open_brackets(text: str) -> int:
    """How many brackets are open at once at most, for all that a text can tell: those of quoted words count too."""
    depth = deepest = 0
    for one in _BRACKET.findall(text):
        depth = depth + 1 if one in "[{" else max(depth - 1, 0)
        deepest = max(deepest, depth)
    return deepest


def _plain(node: Any, path: Path, lines: dict[Path, int], name: str) -> Any:
    if len(path) > MAX_DEPTH:
        raise RuleError(f"nested deeper than {MAX_DEPTH} levels", name)
    if len(lines) > MAX_VALUES:
        raise RuleError(f"more than {MAX_VALUES} values, those of aliases counted as often as they are used", name)
    if isinstance(node, TaggedScalar) or getattr(getattr(node, "tag", None), "value", None):
        raise RuleError("YAML tags are not accepted", f"{name}:{lines.get(path, 1)}")
    if isinstance(node, CommentedMap):
        for key in node:
            if isinstance(key, tuple | Mapping):
                raise RuleError("a key that is no plain value", f"{name}:{lines.get(path, 1)}")
            lines[(*path, key)] = node.lc.key(key)[0] + 1 if key in node.lc.data else lines.get(path, 1)
        return {key: _plain(value, (*path, key), lines, name) for key, value in node.items()}
    if isinstance(node, CommentedSeq):
        for index in range(len(node)):
            lines[(*path, index)] = node.lc.item(index)[0] + 1 if index in node.lc.data else lines.get(path, 1)
        return [_plain(value, (*path, index), lines, name) for index, value in enumerate(node)]
    return _scalar(node)


def _scalar(node: Any) -> Any:
    if isinstance(node, ScalarBoolean):
        return bool(node)
    if isinstance(node, ScalarFloat):
        return float(node)
    if isinstance(node, ScalarInt):
        return int(node)
    return str(node) if isinstance(node, str) else node
