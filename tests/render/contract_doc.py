"""The pages of docs that describe a JSON contract: their tables of fields, kept in step with the nouns.

Names and types come from the dataclasses, meanings from the tables as they stand: `Page.refreshed` writes every table
anew and keeps what people wrote. A field nobody has described gets an empty meaning, which a test refuses.
"""

import re
from dataclasses import dataclass, fields, is_dataclass
from pathlib import Path
from types import ModuleType, UnionType
from typing import Any, Literal, Union, get_args, get_origin, get_type_hints

from advisor.model import lint, reference, repair, report, search, upgrade, verification
from advisor.model.fact import Value

DOCS = Path(__file__).parents[2] / "docs"
TABLE = re.compile(r"<!-- fields: (\w+) -->\n(.*?)<!-- end -->", re.DOTALL)
ROW = re.compile(r"^\| `(\w+)` \| .*? \| (.*) \|$", re.MULTILINE)


@dataclass(frozen=True)
class Page:
    """A page, the modules whose dataclasses it describes, and those of others that it describes too."""

    name: str
    modules: tuple[ModuleType, ...]
    beside: tuple[type, ...] = ()
    schemas: tuple[str, ...] = ()

    @property
    def path(self) -> Path:
        return DOCS / self.name

    def nouns(self) -> dict[str, type]:
        """Every dataclass that the page describes, by name."""
        own = {
            name: one
            for module in self.modules
            for name, one in vars(module).items()
            if isinstance(one, type) and is_dataclass(one) and one.__module__ == module.__name__
        }
        return own | {one.__name__: one for one in self.beside}

    def refreshed(self, text: str) -> str:
        """The page's text with every table written anew."""
        known = meanings(text)
        return TABLE.sub(lambda found: self._table(found[1], known.get(found[1], {})), text)

    def _table(self, name: str, known: dict[str, str]) -> str:
        hints = get_type_hints(self.nouns()[name])
        rows = [
            f"| `{one.name}` | {self.shown(hints[one.name])} | {known.get(one.name, '')} |"
            for one in fields(self.nouns()[name])
        ]
        head = [f"<!-- fields: {name} -->", "| field | type | meaning |", "|---|---|---|"]
        return "\n".join([*head, *rows, "<!-- end -->"])

    def shown(self, hint: Any) -> str:
        """A type as JSON has it."""
        if hint == Value:
            return "boolean, number, string or null"
        origin, parts = get_origin(hint), get_args(hint)
        if origin is Literal:
            return ", ".join(f"`{one}`" for one in parts)
        if origin is tuple:
            return f"list of {self.shown(parts[0])}"
        if origin is dict:
            return f"object: string to {self.shown(parts[1])}"
        if origin in (UnionType, Union):
            return " or ".join(self.shown(one) for one in parts)
        if isinstance(hint, type) and is_dataclass(hint):
            there = next(one.name for one in (self, *PAGES) if hint.__name__ in one.nouns())
            return f"[{hint.__name__}]({'' if there == self.name else there}#{hint.__name__.lower()})"
        return {str: "string", bool: "boolean", int: "integer", float: "number", type(None): "null"}[hint]


def meanings(text: str) -> dict[str, dict[str, str]]:
    """What a page says of each field of each noun."""
    return {name: dict(ROW.findall(body)) for name, body in TABLE.findall(text)}


PAGES = (
    Page("json.md", (report,), schemas=(report.SCHEMA,)),
    Page("lint-output.md", (lint,), (report.SourceOut,), schemas=(lint.LINT_SCHEMA,)),
    Page("search.md", (search,), schemas=(search.SEARCH_SCHEMA,)),
    Page("verify.md", (verification,), schemas=(verification.VERIFY_SCHEMA,)),
    Page("fix.md", (repair, upgrade), (reference.SettingChange,), (repair.REPAIR_SCHEMA, upgrade.UPGRADE_SCHEMA)),
)
