"""What lint found in one file <-> the text that is kept of it between runs.

JSON in rows, the file's own name nowhere in it: a cache says neither whose files they are nor where. What is kept is
what the report would show, without secrets as the report is; nothing of the file besides.
"""

from __future__ import annotations

import json
import zlib
from dataclasses import dataclass, fields
from operator import attrgetter
from typing import Any

from advisor.model.lint import FileOut, LintFinding, Region, RelatedOut
from advisor.model.report import SourceOut
from advisor.model.suppression import Directive

FORMAT = 1
_NAME = "\0"  # stands for the file's name; JSON writes a real one as \u0000


@dataclass(frozen=True)
class Record:
    """What one file came to, apart from what its user says of findings: `comments` and `annotations` hold that."""

    out: FileOut
    findings: tuple[LintFinding, ...] = ()
    comments: tuple[Directive, ...] = ()
    annotations: tuple[Directive, ...] = ()


class _Rows:
    """Nouns of one class <-> lists of their fields; `one` and `several` are fields that hold nouns themselves."""

    def __init__(self, noun: type, *, one: dict[str, _Rows] | None = None, several: dict[str, _Rows] | None = None):
        names = [each.name for each in fields(noun)]
        self.noun, self.values = noun, attrgetter(*names)
        self.one = [(names.index(name), rows) for name, rows in (one or {}).items()]
        self.several = [(names.index(name), rows) for name, rows in (several or {}).items()]

    def row(self, noun: Any) -> list[Any]:
        """The fields in order."""
        made = list(self.values(noun))
        for at, rows in self.one:
            made[at] = rows.row(made[at])
        for at, rows in self.several:
            made[at] = list(map(rows.row, made[at]))
        return made

    def read(self, row: list[Any]) -> Any:
        """The noun of a row; its lists are tuples."""
        for at, rows in self.one:
            row[at] = rows.read(row[at])
        for at, rows in self.several:
            row[at] = tuple(map(rows.read, row[at]))
        return self.noun(*(tuple(each) if isinstance(each, list) else each for each in row))


_REGION = _Rows(Region)
_FILE = _Rows(FileOut)
_RELATED = _Rows(RelatedOut, one={"region": _REGION})
_FINDING = _Rows(LintFinding, one={"region": _REGION}, several={"related": _RELATED, "sources": _Rows(SourceOut)})
_DIRECTIVE = _Rows(Directive, one={"region": _REGION})


def written(one: Record) -> bytes | None:
    """The text to keep; None for what cannot be written and read again as it was."""
    rows = [
        _FILE.row(one.out),
        [_FINDING.row(each) for each in one.findings],
        [_DIRECTIVE.row(each) for each in one.comments],
        [_DIRECTIVE.row(each) for each in one.annotations],
    ]
    text = json.dumps(rows, ensure_ascii=False, separators=(",", ":"))
    try:
        return zlib.compress(text.replace(_escaped(one.out.name), _NAME).encode(), 1)
    except UnicodeEncodeError:  # half a character, out of an escape of YAML
        return None


def read(kept: bytes, name: str) -> Record | None:
    """The record of the file `name`; None where the text is not what it should be."""
    try:
        text = zlib.decompress(kept).decode().replace(_NAME, _escaped(name))
        out, *groups = json.loads(text)
        found, comments, annotations = groups
        return Record(
            _FILE.read(out),
            tuple(map(_FINDING.read, found)),
            tuple(map(_DIRECTIVE.read, comments)),
            tuple(map(_DIRECTIVE.read, annotations)),
        )
    except (zlib.error, ValueError, TypeError, IndexError, AttributeError, RecursionError):
        return None


def _escaped(name: str) -> str:
    return json.dumps(name, ensure_ascii=False)[1:-1]
