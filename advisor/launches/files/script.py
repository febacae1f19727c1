"""Shell text of a file -> the engine launches it starts, with all that the script says around them.

    pip install vllm==0.28.0            a version source of every launch after it that is in no container
    export NCCL_DEBUG=INFO              their environment
    for rank in 0 1; do xllm … --node_rank=$rank & done      one workload of 2 nodes, and a note that says why
    if …; then vllm serve a; else vllm serve b; fi           two workloads, each with its condition as a note

Strings given to `bash -c`, `ssh` and the like are read as well, their words in the places where they stand in the file.
Nothing runs.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field, replace

from advisor.launches import syntax
from advisor.launches.files import around as surroundings
from advisor.launches.files import pins as versions
from advisor.launches.files.around import Around
from advisor.launches.files.branches import Loop, Structure
from advisor.launches.files.page import Page
from advisor.launches.files.pins import Pin
from advisor.launches.files.quotes import Places, inner_places, mended
from advisor.launches.files.started import Given, workload
from advisor.launches.shell import moved
from advisor.launches.syntax import Binding, Command
from advisor.launches.words import Scope, Word, prepare
from advisor.launches.wrappers import peel
from advisor.model.deployment import Form, Quantity, Workload
from advisor.model.fact import Note

MAX_WORKLOADS = 256
MAX_CHARACTERS = 1 << 20


@dataclass
class Found:
    """What a script yields. `pins` are those that stand at its end, for a folder's other files."""

    workloads: list[Workload] = field(default_factory=list)
    notes: list[Note] = field(default_factory=list)
    pins: list[Pin] = field(default_factory=list)


@dataclass
class Before:
    """What holds when the script begins, as the file around it says.

    `forms` are those of words that are not typed as shell, by their place; `start`..`end` that of the whole command
    where it is more than its words (-1: it is not). `known` are variables that a script can use and no program gets.
    """

    environment: tuple[Binding, ...] = ()
    pins: tuple[Pin, ...] = ()
    around: Around = field(default_factory=Around)
    kind: str = ""
    name: str = ""
    notes: tuple[Note, ...] = ()
    forms: Mapping[tuple[int, int], Form] = field(default_factory=dict)
    start: int = -1
    end: int = -1
    known: Scope = field(default_factory=dict)

    def scope(self) -> Scope:
        """The variables as a script may use them; None for one whose value is not known."""
        given: Scope = {one.name: None if "$" in one.value else Word(one.value) for one in self.environment}
        return {**self.known, **given}


def started_by(page: Page, command: Command, before: Before) -> Found:
    """The launches of one command whose words are there already: an exec form, an `ExecStart=`."""
    reader = _Reader(page, before)
    reader.script = ""
    reader.command(page.text, command)
    reader.found.pins = versions.latest(reader.pins)
    return reader.found


def commands(script: str, scope: Scope) -> list[Command]:
    """Every simple command of the script, as `syntax.commands` gives them, with some variables known from the start."""
    cut = len(script) - len(script.lstrip())
    text = script[cut:].rstrip()
    found = syntax.commands(text, prepare(text).text, scope)
    return [moved(one, lambda start, end: (start + cut, end + cut)) for one in found] if cut else found


def read(page: Page, script: str, before: Before | None = None) -> Found:
    """The launches of `script`, whose characters stand where they stand in `page.text`. Never raises."""
    reader = _Reader(page, before or Before())
    if len(script) > MAX_CHARACTERS:
        said = f"only the first {MAX_CHARACTERS} characters were read as shell"
        reader.found.notes.append(page.note("limit", said, MAX_CHARACTERS))
        script = script[:MAX_CHARACTERS]
    script, unclosed = mended(script)
    for at in unclosed:
        said = f"the quote {page.text[at]} is opened and never closed: read without it"
        reader.found.notes.append(page.note("unreadable", said, at))
    reader.read(script)
    return reader.found


class _Reader:
    def __init__(self, page: Page, before: Before) -> None:
        self.page, self.before, self.found = page, before, Found()
        self.clones = versions.Clones(page.knowledge)
        self.pins: list[Pin] = list(before.pins)
        self.node = Around()
        self.structure: Structure | None = None

    def read(self, script: str) -> None:
        self.script = script
        for raw in commands(script, self.before.scope()):
            if len(self.found.workloads) >= MAX_WORKLOADS:
                said = f"only the first {MAX_WORKLOADS} launches were read"
                self.found.notes.append(self.page.note("limit", said, raw.start))
                break
            self.command(script, raw)
        self.found.pins = versions.latest(self.pins)

    def command(self, script: str, raw: Command) -> None:
        """Add the launches of one command, wrappers included."""
        seen: list[Command] = [raw]
        raw = replace(raw, environment=(*self.before.environment, *raw.environment))
        self.contained: dict[int, Command] = {}
        self.within: dict[int, Command] = {}
        finals = [self._own(one) for one in peel(raw, lambda word: self._inner(script, word, seen))]
        in_container = any(surroundings.runs_a_container(one.words) for one in seen)
        inside: list[Pin] = []
        own: list[Pin] = []
        for index, one in enumerate(seen):
            installed, brought = versions.of_command(one.words, self.page.knowledge)
            own += brought
            (inside if in_container and index else self.pins).extend([*installed, *self.clones.read(one.words)])
            surroundings.ray_start(self.page, one.words, self.node)
        pins = [*(inside if in_container else self.pins), *own]
        launched = [made for final in finals if (made := self._workload(final, raw, seen, pins, len(finals)))]
        self.found.workloads.extend(launched)

    def _inner(self, script: str, word: Word, seen: list[Command]) -> list[Command]:
        """The commands of a string given to a shell, in the places where they stand in the file."""
        move = _mover(inner_places(script, word) or [])
        found = [moved(one, move) for one in commands(word.text, self.before.scope())]
        seen.extend(found)
        finals = [
            self._own(final) for one in found for final in peel(one, lambda each: self._inner(script, each, seen))
        ]
        self.contained.update({id(one.words): one for one in finals if one.image})
        self.within.update({id(one.words): one for one in finals})
        return finals

    def _own(self, final: Command) -> Command:
        """A container started by a shell within has its own image and variables, whatever is around that shell."""
        if (own := self.contained.get(id(final.words))) is not None:
            return own
        scripted = id(final.words) in self.within and bool(final.image)
        return replace(final, image="", image_start=-1) if scripted else final  # no argument of the image's entry point

    def _workload(
        self, final: Command, raw: Command, seen: list[Command], pins: list[Pin], finals: int
    ) -> Workload | None:
        around = replace(
            self.before.around,
            capabilities=list(self.before.around.capabilities),
            accelerators=list(self.before.around.accelerators),
            bindings=list(self.before.around.bindings),
            passed=list(self.before.around.passed),
            probes=list(self.before.around.probes),
            notes=list(self.before.around.notes),
        )
        for one in seen:
            if one.start <= final.start < one.end or final.start < 0 or one.start < 0:
                surroundings.read(self.page, one.words, around)
        if around.gpus is None:
            around.gpus, around.gpu_resource = self.node.gpus, self.node.gpu_resource
        final, passed = _passed_on(final, raw, around)
        around.passed = passed
        own = list(pins)
        if around.image is not None:
            own.append(versions.of_image(around.image, self.page.knowledge))
        alone = finals == 1 or final.start < 0
        start, end = (raw.start, raw.end) if alone else (final.start, final.end)
        if self.before.start >= 0:
            start, end = self.before.start, self.before.end
        before = self.before
        given = Given(start, end, around, own, before.kind, before.name, self.page.form, before.forms, before.notes)
        made = workload(self.page, final, given)
        return self._placed(made, raw.start) if made is not None else None

    def _placed(self, made: Workload, at: int) -> Workload:
        """The workload with what the script says around it: conditions and loops."""
        if not self.script:
            return made
        if self.structure is None:
            self.structure = Structure(self.script, prepare(self.script).text)
        stands = self.structure.around(at)
        notes = [self.page.note("hint", f"started {said}", at) for said in stands.says]
        made = replace(made, notes=(*notes, *made.notes))
        for loop in stands.loops:
            made = self._looped(made, loop)
        return made

    def _looped(self, made: Workload, loop: Loop) -> Workload:
        """A loop over ranks makes the nodes of one copy, any other loop makes copies."""
        if not loop.turns:
            return made
        count = Quantity(loop.turns, str(loop.turns), self.page.place(loop.start, loop.end, "text"))
        ranks = [one for one in made.launch.settings if one.typed.lstrip("-").replace("-", "_") == "node_rank"]
        if any(f"${loop.variable}" in str(one.value) or f"${{{loop.variable}}}" in str(one.value) for one in ranks):
            return replace(made, nodes=made.nodes or count)
        return replace(made, replicas=made.replicas or count)


def _passed_on(final: Command, raw: Command, around: Around) -> tuple[Command, list[Word]]:
    """`-e NAME` takes what the shell around it exports under that name; what it does not export stays a bare name."""
    outer = {one.name: one for one in raw.environment}
    taken = [outer[word.text] for word in around.passed if word.text in outer]
    left = [word for word in around.passed if word.text not in outer]
    return replace(final, environment=(*final.environment, *taken)), left


def _mover(places: Places) -> Callable[[int, int], tuple[int, int]]:
    """From the places in a string to those in the file; -1 where it is not typed as it is read."""

    def move(start: int, end: int) -> tuple[int, int]:
        last = places[end - 1][1] if 0 < end <= len(places) else -1
        return (places[start][0] if start < min(end, len(places)) else last), last

    return move
