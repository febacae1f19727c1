"""What `advisor search` answers, as data (docs/json.md)."""

from __future__ import annotations

from advisor.model.late import dataclass
from advisor.model.report import ResemblanceOut

SEARCH_SCHEMA = "advisor-search/1"


@dataclass(frozen=True)
class SearchReport:
    """The nearest known failures to a text, the nearest first; `engine` is the one that was meant, "" for any."""

    schema: str
    engine: str
    resembles: tuple[ResemblanceOut, ...]
