"""Keys of a YAML map that stand for flags -> words of a command line.

    max-model-len: 4096             -> `--max-model-len 4096`, the key's characters and the value's
    enable_prefix_caching: false    -> `--enable-prefix-caching=false`
    compilation_config: {level: 3}  -> `--compilation-config '{"level": 3}'`

So the readers of flags decide what they are, and a setting stands from its key to the end of its value. A key without
a value says nothing.
"""

from __future__ import annotations

import json
import re
from typing import Any

from advisor.launches.files.marks import Node
from advisor.launches.files.scalars import Argv
from advisor.launches.files.templates import HOLE
from advisor.launches.shell import Word

_INT, _FLOAT = re.compile(r"[-+]?\d+\Z"), re.compile(r"[-+]?(?:\d+\.\d*|\.\d+|\d+)(?:[eE][-+]?\d+)?\Z")


def plain(node: Node, depth: int = 0) -> Any:
    """The value as plain data, by YAML's core schema; deeper than 20 levels is cut."""
    if node.kind == "map":
        return {key: plain(value, depth + 1) for key, (_, value) in node.mapping().items()} if depth < 20 else {}
    if node.kind == "list":
        return [plain(one, depth + 1) for one in node.items] if depth < 20 else []
    if node.style or node.null:
        return None if node.null else node.text
    if node.text in ("true", "True", "TRUE"):
        return True
    if node.text in ("false", "False", "FALSE"):
        return False
    return int(node.text) if _INT.match(node.text) else float(node.text) if _FLOAT.match(node.text) else node.text


def flag_of(key: str) -> str:
    """`max_model_len`, `max-model-len` or `maxModelLen` as a flag."""
    return "--" + re.sub(r"(?<=[a-z0-9])(?=[A-Z])", "-", key).lower().replace("_", "-").lstrip("-")


def add(out: Argv, key: Node, value: Node, flag: str = "") -> None:
    """Adds what the pair says; `flag` is the flag's name where it does not follow from the key."""
    flag, named = flag or flag_of(key.text), (key.start, key.end)
    place = (value.start, value.end) if value.start >= key.end else named
    if value.kind == "text" and value.null:
        return
    out.forms[place] = out.forms[named] = "mapping value"
    if value.kind == "text" and value.true is not None and not value.style:
        out.words.append(Word(f"{flag}={'true' if value.true else 'false'}", named[0], place[1]))
        out.forms[(named[0], place[1])] = "mapping value"
        return
    out.words.append(Word(flag, *named))
    if value.kind == "map":
        out.words.append(Word(json.dumps(plain(value), ensure_ascii=False), *place))
    for one in [value] if value.kind == "text" else value.items:
        spot = (one.start, one.end) if one.start >= key.end else named
        out.forms[spot] = "mapping value"
        text = one.text if one.kind == "text" else json.dumps(plain(one), ensure_ascii=False)
        known = HOLE not in text and "$" not in text
        out.words.append(Word(text, *spot, known))
