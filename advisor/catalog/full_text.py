"""Rules and a text -> the rules whose words are most like the text's: a resemblance, never a judgement.

    "decode hangs after a json schema request"  ->  vllm/pp-structured-fsm-desync (hangs, schema, decode)

SQLite's full-text engine ranks them (FTS5, BM25, English words by their stems). Chinese is written without blanks: it
is indexed and asked for by pairs of characters. Of a long text only its rarest words ask.

**Source:** https://www.sqlite.org/fts5.html (read 2026-11-29)
"""

from __future__ import annotations

import re
import sqlite3
from collections import defaultdict
from collections.abc import Iterable, Iterator, Sequence
from contextlib import closing
from dataclasses import dataclass

from advisor.model.condition import atoms
from advisor.model.rule import Rule

ASKED = 120  # words of a text that ask, the rarest in the catalogue first
_COLUMNS = {"named": 4.0, "machine": 2.0, "told": 1.0}
"""What a rule says and how much a word there weighs: its name and summary; its patterns, settings, frames; the rest."""

_WORD = re.compile(r"[A-Za-z0-9]+|[\u3400-\u9fff]+")
_CAMEL = re.compile(r"(?<=[a-z])(?=[A-Z])|(?<=[A-Z])(?=[A-Z][a-z])")
_SYNTAX = re.compile(r"\(\?[a-zA-Z]+\)|\\[A-Za-z]|\[[^\]]*\]|[\\^$.|?*+(){}]")
_COMMON = frozenset(
    re.findall(
        r"\S+",
        "a an and are as at be been but by can did do does for from had has have how i if in into is it its my no not"
        " of on or so that the then there this to was we were what when which while will with you your 的 了 是 在 和",
    )
)


@dataclass(frozen=True)
class Resemblance:
    """A rule and the words that it shares with the text, the rarest first; `weight` is greater for the more alike."""

    rule: Rule
    shares: tuple[str, ...]
    weight: float


def resembling(
    rules: Sequence[Rule], text: str, most: int, understood: str = "", weight: float = 0.3
) -> tuple[Resemblance, ...]:
    """The rules nearest to the text, at most `most`, the nearest first; none where no telling word is shared.

    `understood` is what the text means in the rules' own words: it asks as well, with `weight` for each word, and is
    not among what is shared.
    """
    with closing(_index(rules)) as index:
        own = _asking(index, text)
        weighed = defaultdict(float, _weighed(index, own))
        for row, near in _weighed(index, _asking(index, understood)).items():
            weighed[row] += near * weight
        nearest = sorted(weighed, key=lambda row: (-weighed[row], row))[:most]
        return tuple(Resemblance(rules[row], _shared(index, row, own), weighed[row]) for row in nearest)


def _weighed(index: sqlite3.Connection, asked: Sequence[str]) -> dict[int, float]:
    """How near each rule is that has any of the words."""
    if not asked:
        return {}
    weights = ", ".join(str(one) for one in _COLUMNS.values())
    found = index.execute(
        f"SELECT rowid, -bm25(texts, {weights}) FROM texts WHERE texts MATCH ?",
        (" OR ".join(f'"{one}"' for one in asked),),
    )
    return dict(found.fetchall())


def _index(rules: Sequence[Rule]) -> sqlite3.Connection:
    index = sqlite3.connect(":memory:")
    index.execute(f"CREATE VIRTUAL TABLE texts USING fts5({', '.join(_COLUMNS)}, tokenize='porter unicode61')")
    rows = ((row, *(" ".join(words(" ".join(part))) for part in parts(rule))) for row, rule in enumerate(rules))
    index.executemany("INSERT INTO texts(rowid, named, machine, told) VALUES (?, ?, ?, ?)", rows)
    return index


def parts(rule: Rule) -> tuple[list[str], list[str], list[str]]:
    """What a rule says of its own failure, by column: its look-alikes are left out, and what speaks against it."""
    symptoms = rule.symptoms
    conditions = (rule.exposure, symptoms.signature, *symptoms.supporting, *symptoms.downstream)
    seen = [atom for one in conditions for atom in atoms(one)]
    frames = [str(frame) for atom in seen if atom.kind == "stack" for frame in atom.value]
    machine = [_SYNTAX.sub(" ", f"{atom.name} {atom.value if isinstance(atom.value, str) else ''}") for atom in seen]
    told = [rule.details, rule.cause.text, *rule.caveats, *(atom.means for atom in seen)]
    told += [*(one.what for one in rule.fixes), *(one.what for one in rule.remedies)]
    return [rule.id, rule.summary, *rule.aliases], [*machine, *frames], told


def words(text: str) -> Iterator[str]:
    """The words of a text as they are indexed: a name whole and in its parts, Chinese by pairs of characters."""
    for found in _WORD.finditer(text):
        run = found.group()
        if run[0] < "\u3400":
            yield run.lower()
            named = _CAMEL.split(run)
            yield from (part.lower() for part in named if len(named) > 1)
        else:
            yield from (run[at : at + 2] for at in range(max(len(run) - 1, 1)))


def _asking(index: sqlite3.Connection, text: str) -> list[str]:
    """The words that ask: those that some rule has, the rarest first."""
    given = list(dict.fromkeys(one for one in words(text) if one not in _COMMON and len(one) > 1))
    held = {one: count for one in given if (count := _rules_with(index, one))}
    return sorted(held, key=lambda one: held[one])[:ASKED]


def _rules_with(index: sqlite3.Connection, word: str) -> int:
    found = index.execute("SELECT count(*) FROM texts WHERE texts MATCH ?", (f'"{word}"',)).fetchone()
    return int(found[0])


def _shared(index: sqlite3.Connection, row: int, asked: Iterable[str]) -> tuple[str, ...]:
    return tuple(
        one
        for one in asked
        if index.execute("SELECT 1 FROM texts WHERE texts MATCH ? AND rowid = ?", (f'"{one}"', row)).fetchone()
    )
