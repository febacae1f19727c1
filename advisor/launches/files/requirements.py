"""Lists of packages (requirements.txt, pyproject.toml, environment.yml's pip part) -> which engines a folder pins.

    vllm==0.28.0                                -> a note: `vllm==0.28.0` is pinned here
    sglang[all]>=0.5.9                          -> a note: this is no single build

Such a file starts nothing: the Deployment has no workloads, and its notes are what launches of the same folder may lean
on. `pins` gives the same as version sources.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping
from dataclasses import replace

from advisor.launches.files import pins as versions
from advisor.launches.files.page import Page
from advisor.launches.files.pins import Pin
from advisor.model.deployment import Deployment, VersionSource
from advisor.model.knowledge import Knowledge

_LINE = re.compile(
    r"(?m)^[ \t]*(?:-e[ \t]+|--editable[ \t=]+)?([A-Za-z](?:[^\r\n#;]*[^\r\n#; \t])?|git\+[^\s#]+)"
    r"[ \t]*+(?:[;#][^\r\n]*)?\r?$"
)
_QUOTED = re.compile(r"[\"']([A-Za-z][\w.\[\],-]*[ \t]*(?:[=<>!~@][^\"'\n]*)?)[\"']")  # "vllm==0.28.0",
_POETRY = re.compile(r"(?m)^([A-Za-z][\w.-]*)[ \t]*=[ \t]*(\"[=^~<>]*[\d.*][^\"\n]*\"|\{[^\n}]*\})")  # vllm = "0.28.0"
_INLINE = re.compile(r"(?m)^# /// script[ \t]*\r?$(?:\n#(?! /// script)[^\n]*)+?\n# ///[ \t]*\r?$")
_LIST = re.compile(r"(?i)(?:requirements|constraints)[\w.-]*\.(?:txt|in)$|/requirements/[^/]+\.txt$")


def read(name: str, text: str, knowledge: Mapping[str, Knowledge]) -> Deployment | None:
    """The pins as notes; None when the file names no engine."""
    page = Page(name, text, "requirements", knowledge)
    if not page.mentions_an_engine:
        return None
    notes = [
        page.note(
            "hint",
            f"`{one.text}` is asked for here{'' if exact(one) else ': this is no single build'}",
            one.place.start,
        )
        for one in pins(page)
    ]
    return Deployment(name, text, "requirements", unread=tuple(notes)) if notes else None


def exact(source: VersionSource) -> bool:
    """Whether the source names one build."""
    return source.kind == "git" or (bool(re.search(r"===?\s*v?\d", source.text)) and "*" not in source.text)


def pins(page: Page) -> tuple[VersionSource, ...]:
    """The engines that the list asks for, in order."""
    found = _in_list(page) if _LIST.search(page.name) else _in_toml(page)
    return tuple(VersionSource(one.kind, one.text, page.place(one.start, one.end, "text")) for one in found)


def inline(page: Page) -> Iterator[Pin]:
    """The pins of a Python script's inline metadata (PEP 723), quotes within their places."""
    block = _INLINE.search(page.text)
    for one in _QUOTED.finditer(page.text, *block.span()) if block else ():
        if pin := versions.requirement(one.group(1), one.start(1), page.knowledge):
            yield replace(pin, start=one.start(), end=one.end())


def _in_list(page: Page) -> Iterator[Pin]:
    for line in _LINE.finditer(page.text):
        if pin := versions.requirement(line.group(1), line.start(1), page.knowledge):
            yield pin


def _in_toml(page: Page) -> Iterator[Pin]:
    found: dict[int, Pin] = {}
    for one in _QUOTED.finditer(page.text):
        if pin := versions.requirement(one.group(1), one.start(1), page.knowledge):
            found[pin.start] = pin
    for one in _POETRY.finditer(page.text):
        engine = versions.engine_of_package(one.group(1), page.knowledge)
        if engine and (number := re.search(r"\"\s*+([=^~<>]*+)\s*+(\d[\w.+*]*)", one.group(2))):
            sign = {"": "==", "^": ">=", "~": "~="}.get(number.group(1), number.group(1))
            found[one.start()] = Pin(engine, "pip", f"{one.group(1)}{sign}{number.group(2)}", one.start(), one.end())
    yield from (found[at] for at in sorted(found))
