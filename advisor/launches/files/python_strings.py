"""Python strings given to a shell -> shell text in the places where it stands in the file.

    subprocess.run("vllm serve m", shell=True)                  -> the characters between the quotes
    subprocess.run(f"vllm serve {MODEL} --tp {N}", shell=True)  -> the same, each `{…}` a variable of that length

Only a string whose characters are the shell's own can be read so: one literal, no escapes but continued lines.
"""

from __future__ import annotations

import ast
import re
from collections.abc import Callable
from dataclasses import replace

from advisor.launches.files.page import blanked
from advisor.launches.files.python_values import Known
from advisor.launches.files.script import Found

_OPENS = re.compile("(?i)(?:f|rf|fr|r|u)?(\"\"\"|'''|\"|')")  # f"
_HOLE = re.compile(r"\{([^{}]+)\}")
_NAMED = re.compile(r"\$\{(_\d+_*+)[^}]{0,2000}\}|\$(_\d+_*)")


def content(text: str, said: Known) -> tuple[int, int] | None:
    """The characters between the quotes of a literal; None where they are not what the shell gets."""
    if not isinstance(said.literal, ast.Constant | ast.JoinedStr):
        return None
    raw = text[said.start : said.end]
    opens = _OPENS.match(raw)
    if opens is None or not raw.endswith(opens.group(1)) or len(raw) < opens.end() + len(opens.group(1)):
        return None
    start, end = said.start + opens.end(), said.end - len(opens.group(1))
    inner = text[start:end].replace("\\\r\n", "").replace("\\\n", "")
    if "\\" in inner or (opens.group(1) in inner):
        return None
    return start, end


def shell(text: str, said: Known, value_of: Callable[[ast.expr], Known]) -> tuple[str, dict[str, Known]] | None:
    """The string as shell of the file's length, and what its variables hold; None where it is not readable in place."""
    place = content(text, said)
    if place is None:
        return None
    shown, holes = blanked(text, [place]), dict[str, Known]()
    if isinstance(said.literal, ast.Constant):
        return shown, {}
    if "{{" in shown or "}}" in shown:
        return None
    for found in list(_HOLE.finditer(shown, *place)):
        length = found.end() - found.start()
        name = f"_{len(holes)}"
        holes[name.ljust(length - 3, "_") if length > 4 else name] = _hole(found.group(1), value_of)
        typed = f"${{{name.ljust(length - 3, '_')}}}" if length > 4 else f"${name}".ljust(length)
        if length < 3 or len(typed) != length or (length < 5 and re.match(r"\w", shown[found.end() : found.end() + 1])):
            return None
        if length == 4 and not shown[found.end() : found.end() + 1].isspace():
            return None
        shown = shown[: found.start()] + typed + shown[found.end() :]
    return shown, holes


def _hole(typed: str, value_of: Callable[[ast.expr], Known]) -> Known:
    """What stands in the braces of an f-string."""
    try:
        found = value_of(ast.parse(typed.strip(), mode="eval").body)
    except (SyntaxError, ValueError):
        return Known("${" + typed + "}", known=False)
    if found.known and isinstance(found.value, str | int | float):
        return Known(str(found.value))
    return Known("${" + typed.strip() + "}", known=False)


def nameable(text: str) -> tuple[str, dict[str, Known]]:
    """The text with each `${expression}` under a name that a shell can read, and what the names stand for."""
    holes: dict[str, Known] = {}

    def name(found: re.Match[str]) -> str:
        holes[f"_{len(holes)}"] = Known(found.group(), known=False)
        return f"${{_{len(holes) - 1}}}"

    return re.sub(r"\$\{[^{}]*\}", name, text), holes


def named(found: Found, holes: dict[str, Known]) -> Found:
    """The launches with an f-string's expressions in place of the names that stood for them."""

    def shown(text: str) -> str:
        return _NAMED.sub(lambda one: _said(one, holes), text)

    for index, one in enumerate(found.workloads):
        launch = one.launch
        settings = tuple(
            replace(each, value=shown(each.value)) if isinstance(each.value, str) else each for each in launch.settings
        )
        found.workloads[index] = replace(
            one,
            launch=replace(launch, settings=settings, model=shown(launch.model), image=shown(launch.image)),
            arguments=tuple(replace(each, text=shown(each.text)) for each in one.arguments),
            environment=tuple(replace(each, value=shown(each.value)) for each in one.environment),
            versions=tuple(replace(each, text=shown(each.text)) for each in one.versions),
        )
    return found


def _said(one: re.Match[str], holes: dict[str, Known]) -> str:
    hole = holes.get(one.group(1) or one.group(2))
    return str(hole.value) if hole is not None else one.group()
