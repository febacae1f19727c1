"""Any text that says what was asked to run -> launches, facts and notes: the front of this room.

    vllm serve m --tensor-parallel-size 8                     -> one complete Launch
    LLM(model="m", tensor_parallel_size=8)                    -> the same, where the text is whole Python
    --tp 8 --enable-hierarchical-cache                        -> one Launch, complete when the caller says so
    two nodes (TP=2), `--speculative-algorithm DSPARK`        -> one partial Launch and facts

Commands are believed first, then bare flags, then prose; prose adds only what they lack. Nothing found is an empty
Reading: the text says nothing of a launch. Nothing is ever run.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import replace

from advisor.errors import UsageError
from advisor.launches import (
    bare,
    cases,
    command_line,
    listed,
    manifests,
    pasted_code,
    shell,
    unmeant,
    variables,
)
from advisor.launches.blocks import Block, begin, blocks, heads
from advisor.launches.command_line import Source, image_engine
from advisor.launches.flags import parse
from advisor.launches.prose import Prose
from advisor.launches.typography import plain
from advisor.launches.words import prepare
from advisor.launches.wrappers import binding_of, peel
from advisor.model.fact import Artifact, Fact, Note, Span
from advisor.model.knowledge import Knowledge
from advisor.model.late import dataclass
from advisor.model.launch import Launch, Variable
from advisor.model.shape import Shape

_SHELL = Shape(r"[|&<>\n\\$`#]")
MAX_CHARACTERS = 1 << 20
MAX_LAUNCHES = 64  # of one text: no deployment is started by more
MAX_PROSE = 1 << 18


@dataclass(frozen=True, slots=True)
class Reading:
    """What a text says of launches. `facts` are those stated in words; what settings imply is for the matcher."""

    launches: tuple[Launch, ...] = ()
    facts: tuple[Fact, ...] = ()
    notes: tuple[Note, ...] = ()


def read(
    text: str,
    *,
    knowledge: Mapping[str, Knowledge],
    engine: str | None = None,
    version: str | None = None,
    artifact: str = "--flags",
    bare_is_complete: bool = False,
    strict: bool = False,
    first_line: int = 1,
) -> Reading:
    """Read a text. `engine` and `version` are the user's word, None when not given; `first_line` is where it starts.

    Raises UsageError only with `strict`, for a quote that is never closed in a command or in bare flags.
    """
    if not text.strip():
        return Reading()
    notes: list[Note] = []
    if len(text) > MAX_CHARACTERS:
        text = text[:MAX_CHARACTERS]
        notes.append(
            Note("limit", f"only the first {MAX_CHARACTERS} characters were read for launches", Span(artifact))
        )
    reader = _Reader(dict(knowledge), engine, version, artifact, first_line, strict)
    reader.bare_is_complete = bare_is_complete
    if "(" in text and (called := pasted_code.read(text, reader.knowledge, engine, reader.source(text))):
        facts, more = reader.facts(text, called)
        return Reading(called, facts, (*notes, *reader.notes, *more))
    if bare.is_bare(text) and (found := reader.bare(text, bare_is_complete)):
        launch, rest = found
        if not cases.questions(rest):
            facts, more = reader.facts(text, (launch,)) if rest else ((), ())
            return Reading((launch,), facts, (*notes, *reader.notes, *more))
    launches, prose = reader.commands(text)
    partial, facts, more = reader.prose(prose, launches)
    return Reading((*launches, *partial), facts, (*notes, *reader.notes, *more))


@dataclass
class _Reader:
    knowledge: dict[str, Knowledge]
    engine: str | None
    version: str | None
    artifact: str
    first_line: int
    strict: bool

    def __post_init__(self) -> None:
        self.notes: list[Note] = []
        self.bare_is_complete = False
        self.cleared = unmeant.Cleared("")
        self.containers: list[manifests.Container] = []
        self.only_written: list[Launch] = []
        self.listed: list[listed.Listed] = []

    def source(self, text: str, start: int = 0, end: int | None = None) -> Source:
        return Source(text[start:end], self.artifact, self.first_line + text.count("\n", 0, start))

    def bare(self, text: str, complete: bool) -> tuple[Launch, str] | None:
        for at in prepare(text).unclosed if self.strict else ():
            raise shell.unclosed(text, at, self.artifact)
        source = self.source(text)
        found = bare.read(text, self.knowledge, self.engine, self.version, source, complete=complete)
        for at in prepare(text).unclosed if found else ():
            self.notes.append(Note("unreadable", shell.unclosed(text, at, self.artifact).what, source.span(at, at + 1)))
        return found

    def commands(self, text: str) -> tuple[tuple[Launch, ...], str]:
        """The launches of the commands in the text, and the text with those commands blanked out."""
        begins = heads(self.knowledge)
        self.cleared = unmeant.clear(text, begins)
        found = self._manifests(text)
        self._without_environments(begins)
        shown = self.cleared.text
        rest = shown
        for block in blocks(shown, begins) if begin(shown, self.knowledge) else ():
            launches = self._block(text, block)
            if launches:
                end = block.start + _words_begin(shown[block.start : block.end], launches)
                rest = _blanked(rest, block.start, end)
            if len(found) >= MAX_LAUNCHES:
                self.notes.append(
                    Note("limit", f"only the first {MAX_LAUNCHES} commands were read", Span(self.artifact))
                )
                break
            found.extend(
                one
                for one in launches
                if one.settings == ()
                or all(one.settings != other.settings or self._told_apart(one, other) for other in found)
            )
        found = self._not_only_written(found)
        mine = [one for one in found if self.engine in (None, "", one.engine)]
        if mine and len(mine) < len(found):
            others = ", ".join(sorted({one.engine for one in found if one not in mine}))
            self.notes.append(
                Note("ignored", f"commands of {others} are here too and were left aside", Span(self.artifact))
            )
        return tuple(mine or found or self._only_listed()), rest

    def _without_environments(self, begins: re.Pattern[str]) -> None:
        """Take out the environments that are listed, so that no command takes one for its own shell's."""
        self.listed = listed.read(self.cleared.text, begins)
        if not self.listed:
            return
        shown = self.cleared.text
        for one in self.listed:
            shown = _blanked(shown, one.start, one.end)
        self.cleared = replace(self.cleared, text=shown)

    def _manifests(self, text: str) -> list[Launch]:
        """The launches of the manifests in the text; what else is read then leaves their lines out."""
        found: list[Launch] = []
        for one in manifests.read(self.cleared.text):
            launches = self._container(text, one) if one.words is not None else []
            if one.words is None:
                self.containers.append(one)
            if not launches:
                continue
            found += launches
            shown = self.cleared.text
            for start, end in one.taken:
                shown = _blanked(shown, start, end)
            self.cleared = replace(self.cleared, text=shown)
            span = self.source(text).span(one.start, one.end)
            self._read_in_part(one.kind, span)
            self.notes += [Note("hint", said, span) for said in one.hints]
        return found

    def _read_in_part(self, kind: str, span: Span | None) -> None:
        self.notes.append(Note("limit", f"the {kind} was read in part: command, arguments, image and variables", span))

    def _container(self, text: str, one: manifests.Container) -> list[Launch]:
        source = self.source(text)
        typed = shell.Command(one.words or (), one.environment, (), one.start, one.end, one.image, one.start)
        launches = []
        if one.scripts:
            from advisor.launches import folded

            commands = peel(typed, folded.inner(text, one.scripts))
        else:
            commands = shell.peeled(text, typed)
        for command in commands:
            made = command_line.read(command, self.knowledge, self.engine, self.version, source)
            if made is not None and command_line.reads_as_command(*made):
                launches.append(made[0])
        if not launches and (arguments := self._arguments(typed, source)):
            launches = [arguments]
        span = source.span(one.start, one.end)
        return [_placeless(replace(each, complete=each.complete and one.whole), span) for each in launches]

    def _arguments(self, command: shell.Command, source: Source) -> Launch | None:
        """`args:` alone: the engine is the one given, or that which knows its flags."""
        words = command.words[1:] if command.words and command.words[0].text == "serve" else command.words
        if not words or (command.image and image_engine(command.image, self.knowledge)):
            return None
        engine = self.engine if self.engine in self.knowledge else bare.likeliest(words, self.knowledge)
        known = self.knowledge.get(engine or "")
        parsed = parse(words, known, self.version, source.place())
        if known is None or sum(one.known for one in parsed.settings) < (1 if self.engine or not command.image else 3):
            return None
        if len(parsed.strays) > 1:
            return None
        model = parsed.strays.pop().text if parsed.strays else ""
        model = model or next((str(each.value) for each in parsed.settings if each.flag in bare.model_flags(known)), "")
        return command_line.assemble(
            command, parsed, known.engine, known, source, model, complete=self.bare_is_complete
        )

    def _in_its_place(self, launch: Launch, offset: int, start: int, end: int) -> Launch:
        """The launch with what stands around it: a manifest's variables, comments that break it."""
        low = offset + max(0, start)
        for one in self.containers:
            if one.start <= low < one.end:
                variables = tuple(
                    Variable(each.name, each.value, Span(self.artifact), "stated", f"{each.name}={each.value}")
                    for each in one.environment
                )
                launch = replace(launch, environment=(*variables, *launch.environment), image=launch.image or one.image)
        launch = self._with_listed(launch, low)
        if self.cleared.joined and self._joins(launch, offset, low, end):
            note = "a comment stands between its continued lines: a shell ends the command there; read on as meant"
            launch = replace(launch, complete=False, notes=(*launch.notes, note))
        if any(first <= low < last and not starts for first, last, starts in self.cleared.written):
            self.only_written.append(launch)
        return launch

    def _joins(self, launch: Launch, offset: int, low: int, end: int) -> bool:
        """Whether a comment that was taken out stands between the launch's words."""
        high = max((offset + one.end for one in launch.settings if one.end >= 0), default=end)
        return any(low <= at < high for at in self.cleared.joined)

    def _told_apart(self, one: Launch, other: Launch) -> bool:
        """Whether two processes of the same flags have environments listed that differ."""
        return bool(self.listed) and {(each.name, each.value) for each in one.environment} != {
            (each.name, each.value) for each in other.environment
        }

    def _with_listed(self, launch: Launch, at: int) -> Launch:
        """The launch at this character with what is listed of its own environment, and of everyone's."""
        if not self.listed:
            return launch
        known = [one for one in (self.knowledge.get(launch.engine),) if one]
        for one in self.listed:
            if one.command < 0 or one.command <= at < one.start:
                given = {each.name for each in launch.environment}
                more = tuple(each for each in self._variables(one, known) if each.name not in given)
                launch = replace(launch, environment=(*launch.environment, *more))
        return launch

    def _only_listed(self) -> Iterator[Launch]:
        """The environments listed in a text without a command, for the launch that stands elsewhere."""
        for one in self.listed:
            if found := tuple(self._variables(one, self.knowledge.values())):
                yield Launch("", environment=found, artifact=self.artifact)

    def _variables(self, one: listed.Listed, known: Iterable[Knowledge]) -> Iterator[Variable]:
        source = self.source(self.cleared.text)
        names = {name for each in known for name in each.variables()}
        for each in one.entries:
            if command_line.ENGINE_VARIABLES.match(each.name) or each.name in names:
                span = source.span(each.start, each.end) or Span(self.artifact)
                yield Variable(each.name, each.value, span, "stated", f"{each.name}={each.value}")

    def _not_only_written(self, found: list[Launch]) -> list[Launch]:
        """Without the commands that are written to a file nothing here starts, where others are started."""
        written = [id(one) for one in self.only_written]
        started = [one for one in found if id(one) not in written]
        return started or found

    def _block(self, text: str, block: Block) -> list[Launch]:
        source = self.source(text, block.start, block.end)
        piece = plain(self.cleared.text[block.start : block.end])
        if block.how in ("sentence", "inline") and _only_spoken(self.cleared.text, block):
            return []
        prepared = block.how == "sentence" and prepare(piece).unclosed
        if prepared:
            return []
        script = shell.read(piece, strict=self.strict and block.how == "lines", where=self.artifact)
        launches = []
        for command in script.commands[: MAX_LAUNCHES + 1]:
            made = command_line.read(command, self.knowledge, self.engine, self.version, source)
            if made is None or not command_line.reads_as_command(*made):
                continue
            launches.append(self._in_its_place(made[0], block.start, command.start, block.end))
        if launches:
            self.notes += [Note("unreadable", one, source.span(0, 1)) for one in script.notes]
        return launches

    def prose(
        self, text: str, launches: Sequence[Launch]
    ) -> tuple[tuple[Launch, ...], tuple[Fact, ...], tuple[Note, ...]]:
        """What words say: a partial launch of its own only when there is no command, else facts no command states."""
        if not text.strip():
            return (), (), ()
        from advisor.launches import mentions

        engine = self.engine or (launches[0].engine if launches else None)
        if len(text) > MAX_PROSE:
            text = text[:MAX_PROSE]
            self.notes.append(
                Note("limit", f"only the first {MAX_PROSE} characters were read as prose", Span(self.artifact))
            )
        said = mentions.read(text, self.knowledge, engine, self.version, self.source(text))
        settled = self._settled(mentions.SETTLED_BY, launches) if launches else ()
        facts = tuple(fact for fact in said.facts if fact.name not in settled)
        if launches:
            kept = tuple(
                note for note in said.notes if note.kind != "conflict" or any(fact.name in note.text for fact in facts)
            )
            return (), facts, kept
        partial = (said.launch,) if said.launch is not None else ()
        return partial, facts, said.notes

    def _settled(self, usual: Mapping[str, tuple[str, ...]], launches: Sequence[Launch]) -> set[str]:
        """The facts that a command's flags state: the usual ones, and those the engines' profiles name."""
        given = {one.flag for launch in launches for one in launch.settings}
        settled = {name for name, flags in usual.items() if not given.isdisjoint(flags)}
        for known in self.knowledge.values():
            for name, told in (known.profile.get("facts") or {}).items():
                if not given.isdisjoint(told.get("settings") or ()):
                    settled.add(name)
        return settled

    def facts(self, text: str, launches: Sequence[Launch]) -> tuple[tuple[Fact, ...], tuple[Note, ...]]:
        _, facts, notes = self.prose(text, launches)
        return facts, notes


def _only_spoken(text: str, block: Block) -> bool:
    """Whether a command within a sentence is only asked about, or said not to be run."""
    low = max(0, block.start - 400)
    near = Prose(Artifact("", "text", text[low : block.end + 400]))
    head = re.search(r"\s|\Z", text[block.start : block.end])
    start = block.start - low
    return cases.unreal(near, start, start + (head.start() if head else 0))


def _blanked(text: str, start: int, end: int) -> str:
    """The text with blanks in place of these characters, line ends aside."""
    blanks = "\n".join(" " * len(line) for line in text[start:end].split("\n"))
    return text[:start] + blanks + text[end:]


def _words_begin(piece: str, launches: Sequence[Launch]) -> int:
    """Where plain words follow the last flag of a block's only command: `vllm serve … --tp 2 with suffix decoding`."""
    ends = [one.end for one in launches[0].settings if one.end >= 0]
    tail = piece[max(ends) :] if len(launches) == 1 and ends else ""
    return len(piece) - len(tail) if tail and not _SHELL.search(tail) else len(piece)


def _placeless(launch: Launch, span: Span | None) -> Launch:
    """A launch of a manifest: it has no text of its own that could be edited as shell."""
    settings = tuple(replace(one, start=-1, end=-1, span=one.span or span) for one in launch.settings)
    valueless = tuple(replace(one, start=-1, end=-1, span=one.span or span) for one in launch.valueless)
    environment = tuple(replace(one, span=one.span or span) for one in launch.environment)
    return replace(launch, settings=settings, valueless=valueless, environment=environment, text="")


def environment(pairs: str | Sequence[str], artifact: str = "--env", *, strict: bool = False) -> tuple[Variable, ...]:
    """Variables given apart from the command: `["A=b"]`, or `A=b C="d e"` in one text, in whatever way people write.

    What has no `=` is skipped; with `strict` it raises UsageError naming the option. What a text says was only tried
    is not in force: `tried_in_environment` gives it.
    """
    if isinstance(pairs, str):
        return _spoken_environment(pairs, artifact, strict=strict)
    found: list[Variable] = []
    for text in pairs:
        for word in _pair_words(text, artifact, strict=strict, many=False):
            binding = binding_of(word, "separate")
            if binding is not None:
                quote = text[word.start : word.end]
                found.append(Variable(binding.name, binding.value, Span(artifact), "stated", quote))
            elif strict:
                raise UsageError(f"`{word.text}` sets no variable", artifact, "write NAME=value")
    return tuple(found)


def tried_in_environment(text: str, artifact: str = "--env") -> tuple[Fact, ...]:
    """Facts `tried:<NAME>` and `helped:<NAME>` for what the text says was tried: `NCCL_PROTO=Simple tried`."""
    from advisor.launches import mentions

    return mentions.tried_in_environment(text, artifact)


def _spoken_environment(text: str, artifact: str, *, strict: bool) -> tuple[Variable, ...]:
    """The variables of one text: as a shell takes them, then as `variables` does."""
    given: dict[str, tuple[str, str]] = {}
    for word in _pair_words(text, artifact, strict=strict, many=True):
        if binding := binding_of(word, "separate"):
            given[binding.name] = (variables.in_its_unit(binding.name, binding.value), text[word.start : word.end])
        elif strict:
            raise UsageError(f"`{word.text}` sets no variable", artifact, "write NAME=value")
    for one in () if strict else variables.read(text):
        given.setdefault(one.name, (one.value, text[one.start : one.end]))
    spoken = () if strict or len(text) > MAX_PROSE else tried_in_environment(text, artifact)
    tried = {fact.name.partition(":")[2] for fact in spoken}
    return tuple(
        Variable(name, value, Span(artifact), "stated", " ".join(quote.split()))
        for name, (value, quote) in given.items()
        if name not in tried
    )


def _pair_words(text: str, artifact: str, *, strict: bool, many: bool) -> list[shell.Word]:
    if not many:
        return [shell.Word(text.strip(), 0, len(text))] if text.strip() else []
    prepared = prepare(text)
    if prepared.unclosed and strict:
        raise shell.unclosed(text, prepared.unclosed[0], artifact)
    return [
        word
        for start, end in prepared.spans
        if text[start:end] not in ("export", "env", "&&", ";")
        for word in shell.resolve(text, start, end, {})
    ]
