"""Rules and a text -> the rules whose words are most like the text's: a resemblance, never a judgement.

    "decode hangs after a json schema request"  ->  vllm/pp-structured-fsm-desync (hangs, schema, decode)

SQLite's full-text engine ranks them (FTS5, BM25, English words by their stems). Chinese is written without blanks: it
is indexed and asked for by pairs of characters. Of a long text only its rarest words ask. Numbers and the folders of a
path tell nothing and do not ask; a word that a fifth of the rules have is named as shared only where there is no
other; a name out of code (`pp_broadcast`, `ncclLocalOpAppend`) tells most.

**Source:** https://www.sqlite.org/fts5.html (read 2026-11-29)
"""

from __future__ import annotations

import re
import sqlite3
from collections import defaultdict
from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence
from functools import lru_cache
from typing import NamedTuple

from advisor.model.condition import atoms
from advisor.model.late import dataclass
from advisor.model.rule import Rule
from advisor.model.shape import Shape

ASKED = 120  # words of a text that ask, the rarest in the catalogue first
_COLUMNS = {"named": 4.0, "machine": 2.0, "told": 1.0}
"""What a rule says and how much a word there weighs: its name and summary; its patterns, settings, frames; the rest."""

_COMMONPLACE = 0.2  # the share of the rules that have a word which tells nothing
_NAMES_WEIGH = 2.0  # how much a name out of code counts besides what its words do
_WORD = Shape(r"[A-Za-z0-9_]+|[\u3400-\u9fff]+")
_CAMEL = Shape(r"_+|(?<=[a-z])(?=[A-Z])|(?<=[A-Z])(?=[A-Z][a-z])")
# pp_broadcast, SaveProxy; parts of them have an end, or a line of one word would be looked through from every letter
_NAME = Shape(
    r"[A-Za-z0-9]{1,80}(?:_+[A-Za-z0-9]{1,80})+|[A-Za-z][a-z]{1,80}(?:[A-Z][a-z0-9]{1,80})+",
)
_ENDLESS = Shape(r"[A-Za-z0-9]{200,}")  # no name: from each of its letters the pattern above would look 80 far
_FOLDERS = Shape(r"(?:[\w.+@~-]{0,255}/)+(?=[\w.+-]*)")  # /usr/lib/python3/site-packages/ of a path; its last part asks
_ENDING = Shape(r"(?<=\w)\.(?:py|so|cpp|cc|cu|h|pyc)\b[\d.]*")
_SYNTAX = Shape(r"\(\?[a-zA-Z]+\)|\\[A-Za-z]|\[[^\]]*\]|[\\^$.|?*+(){}]")
_COMMON = frozenset(
    re.findall(
        r"\S+",
        "a an and are as at be been but by can did do does for from had has have how i if in into is it its my no not"
        " of on or so that the then there this to was we were what when which while will with you your 的 了 是 在 和",
    )
)


class Entry(NamedTuple):
    """A rule in words, by column as they are indexed; read from the compiled catalogue."""

    id: str
    summary: str
    named: str
    machine: str
    told: str


@dataclass(frozen=True)
class Resemblance:
    """A rule and the words that it shares with the text, the rarest first; `weight` is greater for the more alike."""

    rule: Entry
    shares: tuple[str, ...]
    weight: float


class Index:
    """The words of some rules, to be asked for those nearest to a text. In memory; made once, then only read."""

    def __init__(self, rules: Sequence[Entry]) -> None:
        self._rules = rules
        self._texts = sqlite3.connect(":memory:", check_same_thread=False)  # SQLite takes its own turns
        tokenizer = "porter unicode61 tokenchars '_'"
        self._texts.execute(f'CREATE VIRTUAL TABLE texts USING fts5({", ".join(_COLUMNS)}, tokenize="{tokenizer}")')
        rows = ((row, one.named, one.machine, one.told) for row, one in enumerate(rules))
        self._rows_with = lru_cache(maxsize=8192)(self._ask_rows)
        self._meant = lru_cache(maxsize=512)(self._near)
        self._texts.executemany("INSERT INTO texts(rowid, named, machine, told) VALUES (?, ?, ?, ?)", rows)

    def nearest(self, text: str, most: int, understood: str = "", weight: float = 0.3) -> tuple[Resemblance, ...]:
        """The rules nearest to the text, at most `most`, the nearest first; none where no telling word is shared.

        `understood` is what the text means in the rules' own words: it asks as well, with `weight` for each word, and
        is not among what is shared.
        """
        runs, named = _runs(text), names(text)
        own = self._asking(runs, named)
        weighed = defaultdict(float, self._weighed(own))
        for row, near in self._weighed([one for one in own if one in named]).items():
            weighed[row] += near * _NAMES_WEIGH
        for row, near in self._meant(understood).items():
            weighed[row] += near * weight
        nearest = sorted(weighed, key=lambda row: (-weighed[row], row))[:most]
        parts: defaultdict[str, list[str]] = defaultdict(list)
        for run in runs:
            parts[run.lower().strip("_")] += _parts(run)
        return tuple(Resemblance(self._rules[row], self._shared(row, own, parts), weighed[row]) for row in nearest)

    def _near(self, text: str) -> dict[int, float]:
        """How near each rule is to a text out of the vocabulary, of which there are few."""
        return self._weighed(self._asking(_runs(text), names(text)))

    def _weighed(self, asked: Sequence[str]) -> dict[int, float]:
        """How near each rule is that has any of the words."""
        if not asked:
            return {}
        weights = ", ".join(str(one) for one in _COLUMNS.values())
        found = self._texts.execute(
            f"SELECT rowid, -bm25(texts, {weights}) FROM texts WHERE texts MATCH ?",  # noqa: S608 - numbers of ours
            (" OR ".join(f'"{one}"' for one in asked),),
        )
        return dict(found.fetchall())

    def _asking(self, runs: Iterable[str], named: Collection[str]) -> list[str]:
        """The words that ask: those that some rule has, names out of code first, then the rarest."""
        given = [one for one in dict.fromkeys(_split(runs)) if one not in _COMMON and len(one) > 1]
        held = {one: count for one in given if not one.isdigit() and (count := len(self._rows_with(one)))}
        return sorted(held, key=lambda one: (one not in named, held[one]))[:ASKED]

    def _ask_rows(self, word: str) -> frozenset[int]:
        """The rules that have the word."""
        found = self._texts.execute("SELECT rowid FROM texts WHERE texts MATCH ?", (f'"{word}"',))
        return frozenset(row for (row,) in found.fetchall())

    def _shared(self, row: int, asked: Sequence[str], parts: Mapping[str, Sequence[str]]) -> tuple[str, ...]:
        """The words that a rule shares with the text and that tell something: no commonplace, no part of a name.

        `parts` are those of the text's words.
        """
        found = [one for one in asked if row in self._rows_with(one)]
        most = _COMMONPLACE * len(self._rules)
        told = {part for one in found for part in parts.get(one, ())}
        telling = [one for one in found if one not in told and len(self._rows_with(one)) <= most]
        return tuple(telling or found)


def entry(rule: Rule) -> Entry:
    """A rule in words: what the compiled catalogue keeps of it for the index."""
    return Entry(rule.id, rule.summary, *(" ".join(words(" ".join(part))) for part in parts(rule)))


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
    return _split(_WORD.findall(text))


def _split(runs: Iterable[str]) -> Iterator[str]:
    for run in runs:
        if run[0] < "\u3400":
            yield run.strip("_").lower()
            yield from _parts(run)
        else:
            yield from (run[at : at + 2] for at in range(max(len(run) - 1, 1)))


def _runs(text: str) -> list[str]:
    """The runs of letters of a text, each once; none of the folders of its paths and the endings of its files."""
    return list(dict.fromkeys(_WORD.findall(_plain(text))))


def _plain(text: str) -> str:
    """The text without the folders of its paths and the endings of its files."""
    return _ENDING.sub(" ", _FOLDERS.sub(" ", text))


def names(text: str) -> set[str]:
    """The names out of code that a text holds, as they are indexed."""
    return {one.lower() for one in _NAME.findall(_ENDLESS.sub(" ", text))}


def _parts(run: str) -> list[str]:
    """The parts of a name out of code: none of a plain word."""
    if len(run) <= 3 or (run.islower() and "_" not in run):
        return []  # nothing in it to split at
    named = [part.lower() for part in _CAMEL.split(run) if part]
    return named if len(named) > 1 else []
