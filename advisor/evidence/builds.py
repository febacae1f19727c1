"""Prose or a pasted issue -> the build that it states for its engine, and the components beside it.

    - **SGLang**: v0.5.16 · | lmdeploy | f03bdf1c | · vLLM 版本：0.11.0 · I run vLLM (0.11.0) on 8 H100

`find_build` looks for the lines that state one and has each read by `read_build`. Numbers of other engines, of fixes
and of sections about other situations are not taken. An empty Build means that nothing of the kind was said.

**Source:** no tool prints this; the forms are those met in public issue threads of the engines, each in the tests.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping
from dataclasses import dataclass

from advisor.evidence.assertion import told
from advisor.evidence.build_forms import (
    DIGIT,
    ENGINE,
    IMAGE,
    NAME,
    VERSION,
    component,
    components_in,
    engine_in,
    may_name_engine,
    names_engine,
    word_before,
)
from advisor.evidence.build_reading import read_build
from advisor.evidence.deployed import NOW, placed
from advisor.evidence.image_labels import inspected
from advisor.evidence.library_versions import contradictions
from advisor.evidence.prose import blocks, clause_of, elsewhere, of_another, plain, readable
from advisor.model.build import Build, Component
from advisor.model.fact import Note
from advisor.model.knowledge import Knowledge
from advisor.model.shape import Shape

__all__ = ["component", "components_in", "find_build", "read_build"]

# "**SGLang**: v0.5.16", "| lmdeploy | f03bdf1c |", "vLLM 版本：0.11.0", "vLLM Version : 0.11.0"
_LABEL = r"^[\s>|*•-]*+(?:\d+[.)]\s*+)?+(?P<label>[^:：|=\n]{1,40}?)[\s*`]*+(?::|：|\||={1,3})\s*(?P<value>\S.{0,400})"
_SEPARATOR = Shape(r"[:：|=]")  # between a label and its value
_ANY_ENGINE = (
    r"^(?:version|版本|(?:the )?(?:exact )?build|engine(?: version)?|image|docker image|镜像|commit"
    r"|(?:适用|运行)?环境|environment|env|版本信息|framework)$"
)
_SAYS = (
    rf"(?<![/.-]){ENGINE}(?:['’]s)?(?:\s|\*|`|:|：|[<>~]?=|[<>]|(?:older|earlier|lower) than|below"
    r"|prior to|低于|早于|小于|@|\(|（|version|版本|commit|main|at\b|,)*"
    rf"(?={VERSION}|[0-9a-f]{{7,40}}\b|v?\d+\.\d+\.x)"
)
_BASELINE = r"(?<![\w/])(?:origin/|upstream/)?(?:main|master)\s*(?:@|at(?:\s+commit)?)\s*`?[0-9a-f]{7,40}"


@dataclass(frozen=True, order=True)
class _Statement:
    """A place that states the engine's build.

    `rank` 0 is a label with the engine's name, then a phrase (1), another label (2), an image (3), a baseline (4), a
    number without a name that is said to be deployed (5).
    """

    rank: int
    start: int
    engine: str
    value: str


def find_build(
    text: str, *, engine: str | None, known: Mapping[str, Knowledge] | None = None
) -> tuple[Build, tuple[Component, ...], tuple[Note, ...]]:
    """The build that prose or a pasted issue states for its engine, with components and notes as in `read_build`.

    Numbers of other engines, of fixes and of sections about other situations are not taken; a Build without version
    and commit means that the text states none. `engine` None takes the engine that leads the title or the environment.
    """
    text = readable(text)
    pieces = list(_pieces(text))
    shown = told(text).text
    statements = sorted(one for start, piece in pieces for one in _statements(start, piece, shown))
    engine = engine or _leading(text, statements)
    mine = [one for one in statements if one.engine in ("", engine) and (engine or one.rank < 5)]
    build, found, notes = Build(engine=engine or ""), (), ()  # type: tuple[Build, tuple[Component, ...], tuple[Note, ...]]
    for one in mine:
        build, found, notes = read_build(one.value, engine=engine, known=known)
        if build.known():
            break
        build, found, notes = Build(engine=engine or ""), (), ()
    if not build.commit and inspected(text):
        shown_by_docker = read_build(text, engine=engine, known=known)
        if not build.version or shown_by_docker[0].version == build.version:
            build, found, notes = shown_by_docker
    build = _completed(build, text, mine)
    stated = [_stated(piece, engine) for _, piece in pieces]
    there = {one.name: one for each in stated for one in reversed(each)}
    components = tuple({**there, **{one.name: one for one in found}}.values())
    said = [one for each in stated for one in each]
    return build.but(components=components), components, notes + contradictions([*found, *said])


def _pieces(text: str) -> Iterator[tuple[int, str]]:
    """The lines of all blocks that speak of the user's own deployment."""
    for block in blocks(text, machine=True):
        if block.muted:
            continue
        place = block.start
        for line in text[block.start : block.end].splitlines(keepends=True):
            if line.strip():
                yield place, line[:2000]
            place += len(line)


def _statements(start: int, line: str, shown: str) -> Iterator[_Statement]:
    """The statements of one line; `shown` is the whole text without its questions, plans and the like."""
    label = re.match(_LABEL, line) if _SEPARATOR.search(line) else None
    if label:
        name, value = plain(label["label"]).lower(), label["value"].strip()
        named = engine_in(name)
        if named and len(name.split()) <= 4:
            yield _Statement(0, start, named, value)
        elif re.match(_ANY_ENGINE, name):
            said = engine_in(value)
            yield _Statement(
                1 if said else 2,
                start,
                said or "",
                _first_clause(value[max(0, value.lower().find(said or "")) :]) if said else value,
            )
    spans = [found.span("version") for found in re.finditer(VERSION, line)] if DIGIT.search(line) else []
    numbers = placed(line, spans) if spans else []
    for found in re.finditer(_SAYS, line, re.I) if may_name_engine(line) else ():
        left, right = clause_of(line, found.start(), found.end())
        number = next((one for one in numbers if found.end() <= one.start <= found.end() + 1), None)
        role = number.role if number else ""
        bounded = re.search(r"\b(?:older|earlier|lower) than\b", found.group(), re.I) is not None
        if (role not in ("", NOW) and not bounded) or not shown[start + found.start() : start + found.end()].strip():
            continue
        around = line[left : found.start()] + line[found.end() : right]  # "older than" says of which release it is
        if role == NOW or (not of_another(around) and not elsewhere(line)):
            changed = re.search(
                r"(?:\b(?:patched|modified|custom|hacked|forked|fork of)|魔改的?|改过的) ?$",
                line[: found.start()],
                re.I,
            )
            begin = changed.start() if changed else found.start()
            yield _Statement(1, start + found.start(), engine_in(found.group(1)) or "", _first_clause(line[begin:]))
    for found in re.finditer(IMAGE, line) if "/" in line and ":" in line else ():
        if found["tag"] and "/" in found["name"] and names_engine(found["name"], False):
            yield _Statement(3, start + found.start(), engine_in(found["name"]) or "", found.group())
    for one in numbers:
        if one.role == NOW and shown[start + one.start] != " " and _may_be_engine(line[: one.start], line[one.start :]):
            owner = word_before(line[: one.start]).lower()
            yield _Statement(5, start + one.start, owner, line[one.start : one.end])
    for found in re.finditer(_BASELINE, line, re.I) if "ma" in line.lower() else ():
        left, right = clause_of(line, found.start(), found.end())
        if not of_another(line[left:right]):
            yield _Statement(4, start + found.start(), "", found.group())


def _may_be_engine(before: str, number: str) -> bool:
    """Whether a number without a name can be an engine's: all of them are at 0.x, and no library is named before it."""
    return number.startswith("0.") and re.search(rf"(?:{NAME})(?:\s+version|版本)?\W*$", before, re.I) is None


def _first_clause(text: str) -> str:
    """`text` up to its first comma or full stop outside brackets."""
    depth = 0
    for place, sign in enumerate(text[:300]):
        depth += (sign in "(（") - (sign in ")）")
        if depth <= 0 and (sign in ",，;；。\n" or (sign == "." and text[place + 1 : place + 2].isspace())):
            return text[:place]
    return text[:300]


def _leading(text: str, statements: list[_Statement]) -> str | None:
    title = next((line for line in text.splitlines() if line.strip()), "")
    named = engine_in(title) or next((one.engine for one in statements if one.rank <= 1 and one.engine), None)
    if named:
        return named
    counts: dict[str, int] = {}
    for found in re.finditer(r"(?<![A-Za-z])(vllm[-_]ascend|sglang|lmdeploy|vllm|xllm)(?![A-Za-z])", text, re.I):
        name = found.group(1).lower().replace("_", "-")
        counts[name] = counts.get(name, 0) + 1
    return max(counts, key=lambda name: counts[name]) if counts else None


def _completed(build: Build, text: str, statements: list[_Statement]) -> Build:
    """The build with its commit in full where the text has that, and with an image said elsewhere."""
    if build.commit and len(build.commit) < 40:
        longer = re.search(rf"\b{build.commit}[0-9a-f]{{{40 - len(build.commit)}}}\b", text)
        build = build.but(commit=longer.group()) if longer else build
    image = next((one.value for one in statements if one.rank == 3), None)
    return build.but(image=image.partition("@")[0]) if image and not build.image else build


def _stated(line: str, engine: str | None) -> list[Component]:
    kept = []
    for one, start, end in components_in(line):
        left, right = clause_of(line, start, end)
        around = line[left:start] + line[end:right]
        if one.name != engine and ("." in one.version or one.name == "driver") and not of_another(around):
            kept.append(Component(one.name, one.version, one.origin, plain(line)[:120]))
    return kept
