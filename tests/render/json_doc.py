"""docs/json.md: its tables of fields, kept in step with the nouns.

Names and types come from the dataclasses, meanings from the tables as they stand: `refreshed` writes every table anew
and keeps what people wrote. A field nobody has described gets an empty meaning, which a test refuses.
"""

import re
from dataclasses import fields, is_dataclass
from pathlib import Path
from types import UnionType
from typing import Any, Literal, Union, get_args, get_origin, get_type_hints

from advisor.model import report
from advisor.model.fact import Value

PATH = Path(__file__).parents[2] / "docs" / "json.md"
TABLE = re.compile(r"<!-- fields: (\w+) -->\n(.*?)<!-- end -->", re.DOTALL)
ROW = re.compile(r"^\| `(\w+)` \| .*? \| (.*) \|$", re.MULTILINE)


def nouns() -> dict[str, type]:
    """Every dataclass of the contract, by name."""
    found = {name: one for name, one in vars(report).items() if isinstance(one, type) and is_dataclass(one)}
    return {name: one for name, one in found.items() if one.__module__ == report.__name__}


def meanings(page: str) -> dict[str, dict[str, str]]:
    """What the page says of each field of each noun."""
    return {name: dict(ROW.findall(body)) for name, body in TABLE.findall(page)}


def refreshed(page: str) -> str:
    """The page with every table written anew."""
    known = meanings(page)
    return TABLE.sub(lambda found: table(found[1], known.get(found[1], {})), page)


def table(name: str, known: dict[str, str]) -> str:
    hints = get_type_hints(nouns()[name])
    rows = [f"| `{one.name}` | {shown(hints[one.name])} | {known.get(one.name, '')} |" for one in fields(nouns()[name])]
    return "\n".join([f"<!-- fields: {name} -->", "| field | type | meaning |", "|---|---|---|", *rows, "<!-- end -->"])


def shown(hint: Any) -> str:
    """A type as JSON has it."""
    if hint == Value:
        return "boolean, number, string or null"
    origin, parts = get_origin(hint), get_args(hint)
    if origin is Literal:
        return ", ".join(f"`{one}`" for one in parts)
    if origin is tuple:
        return f"list of {shown(parts[0])}"
    if origin is dict:
        return f"object: string to {shown(parts[1])}"
    if origin in (UnionType, Union):
        return " or ".join(shown(one) for one in parts)
    if isinstance(hint, type) and is_dataclass(hint):
        return f"[{hint.__name__}](#{hint.__name__.lower()})"
    return {str: "string", bool: "boolean", int: "integer", float: "number", type(None): "null"}[hint]
