"""Dockerfiles -> the launch of their last stage, with the image, the packages and the patches it is built from.

    ARG VLLM=v0.28.0
    FROM vllm/vllm-openai:${VLLM}                      -> image `vllm/vllm-openai:v0.28.0`
    RUN pip install vllm==0.28.1                       -> pip `vllm==0.28.1` as well: the tag is not the version
    ENV NCCL_DEBUG=INFO
    ENTRYPOINT ["vllm", "serve"]
    CMD ["m", "--tensor-parallel-size", "8"]           -> `vllm serve m --tensor-parallel-size 8`, each in its place

A stage that begins with another one goes on from it. What a build argument or the user of `docker run` puts in its
place is not known here: the default stands.

**Source:** moby/buildkit `frontend/dockerfile/docs/reference.md` at 00001f3e74bb, read 2026-11-30: ARG and its scope,
ENTRYPOINT with CMD, HEALTHCHECK. docs.docker.com/reference/dockerfile shows the same file.
"""

from __future__ import annotations

import json
import re
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field, replace

from advisor.launches.files import pins as versions
from advisor.launches.files import script
from advisor.launches.files.around import Around
from advisor.launches.files.healthcheck import health
from advisor.launches.files.instructions import Instruction, expanded, instructions, pairs
from advisor.launches.files.page import Page, blanked
from advisor.launches.files.pins import Pin
from advisor.launches.files.scalars import glued
from advisor.launches.files.script import Before, Found
from advisor.launches.syntax import Binding, Command
from advisor.launches.words import Scope, Word
from advisor.model.deployment import Deployment, Probe
from advisor.model.fact import Note
from advisor.model.knowledge import Knowledge

_FROM = re.compile(r"(?i)(?:--\S+[ \t]+)*(\S+)(?:[ \t]+AS[ \t]+(\S+))?")
_ARG = re.compile(r"([A-Za-z_]\w*)(?:=(\"[^\"\n]*\"|'[^'\n]*'|\S*))?")
_JSON_STRING = re.compile(r'"(?:\\.|[^"\\])*"')
_OPTION = re.compile(r"--([\w-]+)(?:=(\S+))?")
_COPIED = re.compile(r"--from=(\S+)")
_PACKAGES = re.compile(r"(?:site|dist)-packages/([A-Za-z_]\w*)|/(?:vllm|sgl|lmdeploy)-workspace/([A-Za-z_]\w*)")
_CHANGES = re.compile(
    r"\bsed[ \t]+(?:-\S+[ \t]+){0,20}-\w*i|\bpatch\b|\bgit[ \t]+apply\b|\bcp\b|\bcurl\b|\bwget\b|\bmv\b"
)
_DIFF = re.compile(r"\bgit[ \t]+(?:apply|am|cherry-pick)\b|\bpatch[ \t]+-p\d")


@dataclass
class Stage:
    """A stage as far as it is read. `image` is that of the stage it began with, an earlier stage's if it is one."""

    name: str = ""
    image: Word | None = None
    environment: list[Binding] = field(default_factory=list)
    scope: dict[str, str] = field(default_factory=dict)
    pins: list[Pin] = field(default_factory=list)
    notes: list[Note] = field(default_factory=list)
    probes: list[Probe] = field(default_factory=list)
    entrypoint: Instruction | None = None
    command: Instruction | None = None
    written: list[tuple[int, int]] = field(default_factory=list)

    def begun(self, name: str) -> Stage:
        """A new stage that goes on from this one."""
        return Stage(
            name, self.image, list(self.environment), dict(self.scope), list(self.pins), list(self.notes),
            list(self.probes), self.entrypoint, self.command, list(self.written),
        )  # fmt: skip


def read(name: str, text: str, knowledge: Mapping[str, Knowledge]) -> Deployment | None:
    """What the image starts; None for a text that is no Dockerfile, or one with nothing of an engine in it."""
    page = Page(name, text, "dockerfile", knowledge)
    if not page.mentions_an_engine or not re.search(r"(?im)^[ \t]*FROM[ \t]+\S", text):
        return None
    builder = _Builder(page)
    for one in instructions(text):
        builder.read(one)
    if builder.stage is None:
        return None
    found = builder.launched()
    if not found.workloads:
        found = builder.target() or found
    engines = {pin.engine for pin in builder.stage.pins} - {""}
    if not found.workloads and not engines:
        return None
    notes = list(found.notes)
    if not found.workloads:
        said = f"the last stage installs {', '.join(sorted(engines))} and starts none"
        notes.append(page.note("hint", said, builder.stage.image.start if builder.stage.image else 0))
        notes += builder.stage.notes
    return Deployment(name, text, "dockerfile", tuple(found.workloads), unread=tuple(notes))


class _Builder:
    def __init__(self, page: Page) -> None:
        self.page = page
        self.stages: dict[str, Stage] = {}
        self.stage: Stage | None = None
        self.arguments: dict[str, str] = {}
        self.clones = versions.Clones(page.knowledge)

    def read(self, one: Instruction) -> None:
        handler = getattr(self, f"_{one.name.lower()}", None)
        if handler is not None and (self.stage is not None or one.name in ("FROM", "ARG")):
            handler(one)

    def _from(self, one: Instruction) -> None:
        found = _FROM.match(one.body)
        if not found:
            return
        said, known = expanded(found.group(1), self.arguments)
        start, end = one.start + found.start(1), one.start + found.end(1)
        earlier, name = self.stages.get(said), found.group(2) or ""
        self.stage = earlier.begun(name) if earlier else Stage(name)
        if earlier is None:
            self.stage.image = Word(said, start, end, known)
            if (pin := versions.of_image(self.stage.image, self.page.knowledge)).engine:
                self.stage.pins.append(pin)
            if not known:
                self.stage.notes.append(self.page.note("hint", f"which image {said} is, a build argument says", start))
        self.stages[str(len(self.stages))] = self.stage
        if name:
            self.stages[name] = self.stage

    def _arg(self, one: Instruction) -> None:
        for found in _ARG.finditer(one.body):
            name, value = found.group(1), found.group(2)
            given = value.strip("\"'") if value is not None else self.arguments.get(name)
            if given is None:
                continue
            scope = self.stage.scope if self.stage is not None else self.arguments
            said, known = expanded(given, {**self.arguments, **(self.stage.scope if self.stage else {})})
            if known:
                scope[name] = said

    def _env(self, one: Instruction) -> None:
        assert self.stage is not None
        for name, value, start, value_start, end in pairs(one):
            said, known = expanded(value, self.stage.scope)
            self.stage.environment = [each for each in self.stage.environment if each.name != name]
            self.stage.environment.append(Binding(name, said, "env", start, value_start, end))
            if known:
                self.stage.scope[name] = said

    def _run(self, one: Instruction) -> None:
        assert self.stage is not None
        shell = one.shell()
        scope: Scope = {name: Word(value) for name, value in self.stage.scope.items()}
        for command in script.commands(shell, scope):
            before = len(self.stage.pins)
            installed, _ = versions.of_command(command.words, self.page.knowledge)
            self.stage.pins += [*installed, *self.clones.read(command.words)]
            self._over(self.stage.pins[before:], before)
            self._patched(" ".join(word.text for word in command.words), command.start)

    def _over(self, added: list[Pin], before: int) -> None:
        """An engine installed over an image of its own: the tag says what was there before."""
        assert self.stage is not None
        for pin in added:
            if any(one.kind == "image" and one.engine == pin.engine for one in self.stage.pins[:before]):
                said = f"{pin.text} is installed over the image: its tag is not the version that runs"
                self.stage.notes.append(self.page.note("conflict", said, max(0, pin.start)))

    def _patched(self, said: str, at: int) -> None:
        assert self.stage is not None
        found = _PACKAGES.search(said)
        named = (found.group(1) or found.group(2)) if found else ""
        if (named in self.page.knowledge and _CHANGES.search(said)) or (self.clones.engine and _DIFF.search(said)):
            shown = said if len(said) <= 80 else said[:79] + "…"
            note = f"patched by `{shown}`: what runs is a fork of what its version says"
            self.stage.notes.append(self.page.note("hint", note, at))

    def _copy(self, one: Instruction) -> None:
        assert self.stage is not None
        words = one.body.split()
        source = _COPIED.search(one.body)
        other = self.stages.get(source.group(1)) if source else None
        if other is not None:
            self.stage.pins += [pin for pin in other.pins if pin.kind != "image" and pin not in self.stage.pins]
        target = _PACKAGES.search(words[-1]) if words else None
        if target and (target.group(1) or target.group(2)) in self.page.knowledge and other is None:
            note = f"patched: {words[-2] if len(words) > 1 else 'a file'} is copied over {words[-1]}"
            self.stage.notes.append(self.page.note("hint", note, one.start))
        self.stage.written += one.heredocs

    _add = _copy

    def _healthcheck(self, one: Instruction) -> None:
        assert self.stage is not None
        told = dict(_OPTION.findall(one.body.partition("CMD")[0]))
        probe = health(one.body, told, self.page.place(one.begin, one.end, "text"))
        self.stage.probes = [probe] if probe else []

    def _entrypoint(self, one: Instruction) -> None:
        assert self.stage is not None
        self.stage.entrypoint, self.stage.command = None if words_of(one) == () else one, None

    def _cmd(self, one: Instruction) -> None:
        assert self.stage is not None
        self.stage.command = None if words_of(one) == () else one

    def target(self) -> Found | None:
        """What the last stage that starts an engine starts, where the last of all does not; None: none does."""
        last = self.stage
        for one in reversed(list(dict.fromkeys(self.stages))):
            self.stage = self.stages[one]
            found = self.launched() if self.stage.entrypoint or self.stage.command else Found()
            if found.workloads:
                said = f"started by the stage `{one}`, which is not the last: it is built with `--target {one}`"
                note = self.page.note("hint", said, found.workloads[0].place.start)
                found.workloads = [replace(each, notes=(note, *each.notes)) for each in found.workloads]
                self.stage = last
                return found
        self.stage = last
        return None

    def launched(self) -> Found:
        """What the last stage starts: its ENTRYPOINT with its CMD, else a script written into it."""
        assert self.stage is not None
        stage = self.stage
        parts = [one for one in (stage.entrypoint, stage.command) if one is not None]
        around = Around(image=stage.image, probes=list(stage.probes))
        pins = tuple(one for one in stage.pins if one.kind != "image")
        before = Before(tuple(stage.environment), pins, around, "", stage.name, tuple(stage.notes))
        found = self._command(parts, before) if parts else self._of_image(before)
        if not found.workloads and stage.written:
            found = script.read(self.page, blanked(self.page.text, stage.written), before)
        return found

    def _command(self, parts: list[Instruction], before: Before) -> Found:
        forms = [words_of(one) for one in parts]
        before.start, before.end = min(one.begin for one in parts), max(one.end for one in parts)
        if forms[0] is None:  # shell form: CMD after it counts for nothing
            before.start, before.end = parts[0].begin, parts[0].end
            return script.read(self.page, parts[0].shell(), before)
        words = tuple(word for one in forms if one is not None for word in one)
        if len(forms) > 1 and forms[1] is None:
            return Found(
                notes=[self.page.note("hint", "CMD in shell form after ENTRYPOINT is one argument", parts[1].begin)]
            )
        before.forms = {(word.start, word.end): "exec form" for word in words}
        before.notes = (*before.notes, *self._unexpanded(words))
        image = before.around.image.text if before.around.image and len(parts) == 1 and parts[0].name == "CMD" else ""
        at = before.around.image.start if image and before.around.image else -1
        command = Command(words, (), (), before.start, before.end, image, at)
        return script.started_by(self.page, command, before)

    def _of_image(self, before: Before) -> Found:
        """No command of its own: what the image itself starts, with arguments that are given where it is run."""
        image = before.around.image
        if image is None:
            return Found()
        before.start, before.end = image.start, image.end
        found = script.started_by(
            self.page, Command((), (), (), image.start, image.end, image.text, image.start), before
        )
        found.workloads = [replace(one, launch=replace(one.launch, complete=False)) for one in found.workloads]
        return found

    def _unexpanded(self, words: tuple[Word, ...]) -> Iterator[Note]:
        if any(word.text in ("-c", "-lc") for word in words[:3]):
            return
        for word in words:
            if found := re.search(r"\$\{?[A-Za-z_]\w*", word.text):
                said = f"{found.group()} is not expanded in exec form: the program gets it as typed"
                yield self.page.note("hint", said, word.start)


def words_of(one: Instruction) -> tuple[Word, ...] | None:
    """The words of an exec form, quotes within their places; None for a shell form."""
    body = one.body
    try:
        loaded = json.loads(body, strict=False) if body.lstrip().startswith("[") else None
    except (ValueError, RecursionError):
        return None
    if not isinstance(loaded, list) or not all(isinstance(each, str) for each in loaded):
        return None
    places = [found.span() for found in _JSON_STRING.finditer(body)]
    return tuple(
        word
        for each, (low, high) in zip(loaded, places, strict=True)
        for word in _item(each, one.start + low, one.start + high)
    )


def _item(text: str, start: int, end: int) -> Iterator[Word]:
    """An item of an exec form; one that is a flag with its value stands twice in the same place."""
    for one in glued(text) or [Word(text)]:
        yield Word(one.text, start, end, "$" not in one.text)
