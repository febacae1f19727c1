"""A text, English or Chinese -> the known failures whose words are nearest to it: resemblance only, never a finding.

What the readers understand of the text asks as well, in the words that declare it: `卡死` is read as a hang, and so
finds rules that speak of hangs in English. Of a Chinese text that is what counts, for rules are written in English.
"""

from __future__ import annotations

from functools import cache

from advisor.catalog import full_text
from advisor.catalog.compiled import compiled
from advisor.errors import UsageError
from advisor.jobs.assemble import assemble
from advisor.jobs.judging import speaking_of, view_of
from advisor.jobs.request import Request
from advisor.model.case import Case
from advisor.model.report import ResemblanceOut
from advisor.model.search import SEARCH_SCHEMA, SearchReport
from advisor.model.shape import Shape

MOST = 3
"""How many a report without a match names."""

_CHINESE = Shape(r"[\u3400-\u9fff]")
_LISTS = ("machine", "collect_env", "metrics", "recorder")  # the same words whatever has happened
_READ = 200_000  # characters of a case's texts that ask


def search(text: str, engine: str = "", most: int = 5) -> SearchReport:
    """The nearest failures, at most `most`. Raises UsageError for an empty text and for an engine that is not known."""
    if not text.strip():
        raise UsageError(
            "nothing to search for", None, 'such as: advisor search "decode hangs after a json schema request"'
        )
    case, problems = assemble(Request(engine=engine, symptoms=(text,)))
    if problems:
        raise problems[0]
    return SearchReport(SEARCH_SCHEMA, case.build.engine, related(case, view_of(case).engines, most))


def related(case: Case, engines: tuple[str, ...], most: int = MOST, *, lone: bool = True) -> tuple[ResemblanceOut, ...]:
    """The failures of its engines that are nearest to what a case says in words and logs. `lone`: also where one plain
    word is all they share.

    A log has so many words that each failure shares one with it; of Chinese, the words shared are not what counts.
    """
    texts = "\n".join(one.text for one in case.artifacts if one.kind not in _LISTS)[:_READ]
    if not texts.strip():
        return ()
    chinese = not texts.isascii() and len(_CHINESE.findall(texts)) * 4 > len(texts)
    found = _index(engines).nearest(texts, most, _understood(case), 1.0 if chinese else 0.3)
    if not lone and not chinese and any(len(one.shares) < 2 for one in found):
        names = full_text.names(texts)
        found = tuple(one for one in found if len(one.shares) > 1 or names.intersection(one.shares))
    return tuple(ResemblanceOut(one.rule.id, one.rule.summary, one.shares[:8]) for one in found)


@cache
def _index(engines: tuple[str, ...]) -> full_text.Index:
    """The failures that these engines can have, in words; most reports without a finding ask for the same."""
    return full_text.Index([rule for one in speaking_of(engines) for rule in compiled().words(one)])


def forget() -> None:
    """Let the index go, in a process that has it from another: SQLite's connections are for the one that made them."""
    _index.cache_clear()


def _understood(case: Case) -> str:
    """What was read of it, in the words of the vocabulary; values that are words as they are."""
    from advisor.jobs.vocabulary import kinds

    seen = {fact.name.removeprefix("fact:"): fact.value for fact in case.facts}
    told = [kinds()[name].summary for name, value in seen.items() if value is True and name in kinds()]
    return " ".join([*told, *(str(value) for name, value in seen.items() if name in ("speculation.method",))])
