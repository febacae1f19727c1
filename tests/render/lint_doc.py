"""docs/lint-output.md: its tables of fields, kept in step with the nouns as those of docs/json.md are."""

from dataclasses import fields, is_dataclass
from pathlib import Path
from typing import get_type_hints

from advisor.model import lint
from tests.render.json_doc import TABLE, meanings, shown

PATH = Path(__file__).parents[2] / "docs" / "lint-output.md"


def nouns() -> dict[str, type]:
    """Every dataclass of the contract, by name."""
    found = {name: one for name, one in vars(lint).items() if isinstance(one, type) and is_dataclass(one)}
    return {name: one for name, one in found.items() if one.__module__ == lint.__name__ or name == "SourceOut"}


def refreshed(page: str) -> str:
    """The page with every table written anew, what people wrote kept."""
    known = meanings(page)
    return TABLE.sub(lambda found: table(found[1], known.get(found[1], {})), page)


def table(name: str, known: dict[str, str]) -> str:
    hints = get_type_hints(nouns()[name])
    rows = [f"| `{one.name}` | {shown(hints[one.name])} | {known.get(one.name, '')} |" for one in fields(nouns()[name])]
    return "\n".join([f"<!-- fields: {name} -->", "| field | type | meaning |", "|---|---|---|", *rows, "<!-- end -->"])
