"""Small changes to a command's environment in its text: a prefix, an `export` line, `docker run -e`.

NCCL_DEBUG=INFO vllm serve m      + NCCL_CUMEM_ENABLE=0   ->  NCCL_DEBUG=INFO NCCL_CUMEM_ENABLE=0 vllm serve m
export NCCL_DEBUG=INFO            + NCCL_CUMEM_ENABLE=0   ->  a second export line
"""

from __future__ import annotations

import re

from advisor.launches.rewrite import quoted, without
from advisor.launches.shell import Binding, Command
from advisor.model.shape import Shape

_EXPORT_ALONE = Shape(r"[ \t]*(?:export[ \t]+)?\Z")
_OPTION = Shape(r"(?:-e|--env)[ \t=\\\n]*\Z")


def changed(text: str, command: Command, name: str, value: str | None) -> str | None:
    """The text with the variable set, or removed when `value` is None; None when the text has no place for it."""
    typed = [one for one in command.environment if one.name == name and one.name_start >= 0]
    if value is None:
        for one in sorted(typed, key=lambda binding: -binding.name_start):
            text = _removed(text, one)
        return text
    if typed:
        return _replaced(text, typed[-1], value)
    return _added(text, command, f"{name}={quoted(value)}")


def _replaced(text: str, one: Binding, value: str) -> str:
    if text[one.start - 1 : one.start] == "=":
        return text[: one.start] + quoted(value, text[one.start : one.end]) + text[one.end :]
    return text[: one.name_start] + quoted(f"{one.name}={value}", text[one.name_start : one.end]) + text[one.end :]


def _removed(text: str, one: Binding) -> str:
    if one.how == "docker":
        option = _OPTION.search(text[: one.name_start])
        return without(text, option.start() if option else one.name_start, one.end)
    from advisor.launches.emptied import whole_command  # few remedies take a variable away

    if (whole := whole_command(text, one.name_start, one.end)) is not None:
        return text[: whole[0]] + whole[2] + text[whole[1] :]
    line, stop = text.rfind("\n", 0, one.name_start) + 1, text.find("\n", one.end)
    stop = stop if stop >= 0 else len(text)
    if (
        _EXPORT_ALONE.match(text[line : one.name_start])
        and not text[one.end : stop].strip(" \t;")
        and one.how == "export"
    ):
        return text[:line] + text[stop + 1 :]
    gap = re.compile(r"(?:[ \t]|\\\r?\n)*").match(text, one.end)
    return text[: one.name_start] + text[gap.end() if gap else one.end :]


def _added(text: str, command: Command, pair: str) -> str | None:
    if command.start < 0:
        return None
    placed = [one for one in command.environment if one.name_start >= 0]
    if command.image and command.image_start >= 0:
        gap = re.search(r"(?:\\\n)?[ \t]*\Z", text[max(0, command.image_start - 2_000) : command.image_start])
        apart = gap.group() if gap and "\n" in gap.group() else " "
        apart = apart if apart == " " else " " + apart
        return f"{text[: command.image_start]}-e {pair}{apart}{text[command.image_start :]}"
    prefixes = [one for one in placed if one.how == "prefix"]
    exports = [one for one in placed if one.how == "export"]
    if exports:
        line, stop = text.rfind("\n", 0, exports[-1].name_start) + 1, text.find("\n", exports[-1].end)
        indent = re.match(r"[ \t]*", text[line:])
        if stop >= 0:
            return f"{text[:stop]}\n{indent.group() if indent else ''}export {pair}{text[stop:]}"
    if prefixes:
        return f"{text[: prefixes[-1].end]} {pair}{text[prefixes[-1].end :]}"
    return f"{text[: command.start]}{pair} {text[command.start :]}"
