"""What a file says it starts, with its places -> launches, arguments and variables, by the readers of command lines.

    words `vllm`, `serve`, `m`, `--tp`, `"8"`, each with its characters in the file; TP=8; image vllm/vllm:v1
        -> one Made: the Launch (text: the whole file, settings' offsets into it), its Arguments and Assignments

Every reader of a format fills a `Typed` and asks `launches` of it. A word that is a script (`sh -c "…"`, or a shell
file) is read as shell and its places mapped back into the file by `Origins`. `$(NAME)` and `$NAME` take the value that
the same container sets, where that is written out; any other stays as typed, which every judge takes for unknown.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, replace

from advisor.launches import bare, command_line, flags
from advisor.launches.command_line import Recognised, image_engine
from advisor.launches.files.blobs import commands, expanded, script
from advisor.launches.files.others import starts_other
from advisor.launches.files.pins import Clones, Pin, called, latest, of_command, of_image, version
from advisor.launches.files.templates import HOLE
from advisor.launches.files.typed import File, Made, Typed
from advisor.launches.shell import Command, Word
from advisor.launches.spelling import looks_like_flag, spell
from advisor.launches.wrappers import base
from advisor.model.deployment import Argument, Assignment, VersionSource
from advisor.model.knowledge import Knowledge
from advisor.model.launch import Launch, Setting, Variable

__all__ = ["File", "Made", "Typed", "launches"]

_IDLE = {"sleep", "tail", "ray", "echo", "cat", "true", "curl", "wget", "hf", "huggingface-cli", "pip", "vllm-router"}


@dataclass(frozen=True)
class _Words(flags.Place):
    """Quotes a setting by its words, whatever stands between them in the file."""

    words: Sequence[Word] = ()

    def quote(self, start: int, end: int) -> str:
        said = [word.text for word in self.words if start <= word.start and word.end <= end] if start >= 0 else []
        return " ".join(" ".join(said).split())


def launches(typed: Typed, file: File, *, engine: str | None = None) -> list[Made]:
    """The engine launches among what is asked to run, in order; empty when it starts no engine. Never raises.

    `engine` is the one to take flags without a command for.
    """
    known = {one.name: one.value for one in typed.environment if one.known} | dict(typed.injected)
    words = [expanded(word, known) for word in typed.words]
    clones, pins, found = Clones(file.knowledge), list[Pin](), list[Made]()
    for ran in _before(typed, file, known):
        pins += [*of_command(ran.words, file.knowledge)[0], *clones.read(ran.words)]
    for one in commands(words, typed, file, known):
        installed, brought = of_command(one.words, file.knowledge)
        pins += [*installed, *clones.read(one.words)]
        if made := _made(one, typed, file, engine, [*pins, *brought]):
            found.append(made)
    if not found and (alone := _unnamed(words, typed, file, engine, pins)):
        found = [alone]
    return found


def _before(typed: Typed, file: File, known: Mapping[str, str]) -> Iterator[Command]:
    for word in typed.before:
        yield from script(word, typed.scripts.get((word.start, word.end)), file, known)


# one command


def _made(command: Command, typed: Typed, file: File, engine: str | None, pins: Sequence[Pin]) -> Made | None:
    """The launch of a command that starts an engine, or None."""
    found = command_line.recognise(command, file.engines, engine)
    if found is None or _is_another_module(command, found) or _is_another_product(command, found, typed, file):
        return None
    made = _read(command, found, typed, file, pins)
    helped = any(one.typed in ("--help", "-h") for one in made.launch.settings)
    return None if helped else made


def _is_another_module(command: Command, found: Recognised) -> bool:
    """Whether it is `python -m ENGINE.something` that is no server: a benchmark, a router."""
    before = command.words[found.arguments - 2 : found.arguments] if found.arguments >= 2 else ()
    return not found.exact and bool(before) and before[0].text == "-m"


def _is_another_product(command: Command, found: Recognised, typed: Typed, file: File) -> bool:
    """Whether what runs stands beside an engine: its image says so, or the program that its image is told to start."""
    return not found.exact and (file.is_other(typed.image) or starts_other(command.words))


def _unnamed(words: Sequence[Word], typed: Typed, file: File, engine: str | None, pins: Sequence[Pin]) -> Made | None:
    """Flags alone, after what an image starts that is not known, or with an image that tells the engine."""
    if file.is_other(typed.image) or starts_other(words):
        return None
    start = 1 if words and words[0].text == "serve" else 0
    first = words[start].text if len(words) > start else ""
    command = Command(tuple(words[start:]), (), (), typed.start, typed.end, "", -1)
    by_image = (file.engine_of(typed.image) or "").partition("-")[0]
    if typed.follows and not words:
        runs = (image_engine(typed.image, file.knowledge) or "").partition("-")[0]
        runs = runs or (engine or "" if not typed.image else "")
        return _read(command, Recognised(runs, 0, False), typed, file, pins) if runs in file.engines else None
    if not typed.follows and words and not _opaque(words):
        return None
    named = by_image if by_image in file.engines else engine or ""
    if not typed.follows and words:
        return _read(replace(command, words=()), Recognised(named, 0, False), typed, file, pins) if named else None
    if not looks_like_flag(first.partition("=")[0]) and not named:
        return None
    named = named or bare.likeliest(words, file.engines)
    if named not in file.engines:
        return None
    made = _read(command, Recognised(named, 0, False), typed, file, pins)
    wanted = 1 if by_image or engine else 2
    return made if sum(one.known for one in made.launch.settings) >= wanted else None


def _opaque(words: Sequence[Word]) -> bool:
    """Whether the command is a script of its own, of which nothing is known: `bash /start.sh`."""
    heads = [word.text for word in words[:3]]
    return any(one.endswith(".sh") for one in heads) and base(heads[0]) not in _IDLE


def _read(command: Command, found: Recognised, typed: Typed, file: File, pins: Sequence[Pin]) -> Made:
    known = file.engines.get(found.engine)
    image = command.image or typed.image
    own = [one for one in pins if called(found.engine, [one]) == one.engine]
    pulled = of_image(Word(image), file.knowledge)
    build = version([*own, pulled])
    told = replace(command, words=tuple(_natural(one, typed, known, build) for one in command.words))
    words = tuple(_answered(word, file) for word in told.words)
    source = file.source
    place = _Words(file.text, source.span, words)
    parsed = flags.parse(words[found.arguments :], known, build, place)
    model = _model(parsed, known, found)
    whole = found.exact and typed.whole
    launch = command_line.assemble(
        replace(command, words=words), parsed, found.engine, known, source, model, complete=whole
    )
    launch = command_line.left_to_dynamo(launch, command, found)
    given = [*typed.environment, *_assignments(command, launch, file)]
    variables = (*(_variable(one, file) for one in typed.environment), *launch.environment)
    launch = replace(
        launch,
        engine=called(found.engine, [*own, pulled]),
        image=file.filled(image, *_around(file, image, typed)),
        environment=variables,
        settings=tuple(_setting(one, file) for one in launch.settings),
        valueless=tuple(_setting(one, file) for one in launch.valueless),
        exact=(found.exact or typed.mapped) and not typed.hedged,
    )
    arguments = tuple(_argument(word, command, typed, file) for word in told.words)
    return Made(launch, arguments, tuple(given), tuple(_source(one, typed, file) for one in latest(own)))


def _source(pin: Pin, typed: Typed, file: File) -> VersionSource:
    start, end = (pin.start, pin.end) if pin.start >= 0 else (typed.start, typed.end)
    return VersionSource(pin.kind, pin.text, file.place(start, end, "text"))


def _natural(word: Word, typed: Typed, known: Knowledge | None, version: str | None) -> Word:
    """A key of a map that is true or false, as the flag that whoever reads the map would make of it."""
    if typed.forms.get((word.start, word.end)) != "mapping value" or not word.text.endswith(("=true", "=false")):
        return word
    flag, _, value = word.text.partition("=")
    if value == "true":
        return replace(word, text=flag)
    pair = spell(flag, known, version).kind == "pair" and not flag.startswith("--no-")
    return replace(word, text="--no-" + flag[2:]) if pair else word


def _around(file: File, image: str, typed: Typed) -> tuple[int, int]:
    return (typed.image_start, typed.image_start + len(image)) if typed.image_start >= 0 else (0, 0)


def _answered(word: Word, file: File) -> Word:
    """A word with a template in it: its value is marked as one that nobody here knows."""
    if HOLE not in word.text:
        return word
    text = "$" + file.filled(word.text, word.start, word.end) if not word.text.startswith("-") else ""
    if not text:
        name, equals, value = word.text.partition("=")
        text = f"{name}{equals}{'$' if HOLE in value else ''}{value}"
        text = file.filled(text, word.start, word.end)
    return replace(word, text=text, known=False, open=word.open or word.text.strip(HOLE) == "")


def _setting(one: Setting, file: File) -> Setting:
    return replace(one, quote=file.text[one.start : one.end]) if HOLE in one.quote else one


def _model(parsed: flags.Parsed, known: Knowledge | None, found: Recognised) -> str:
    """The model named by a flag, else the first word that is no flag, which then is no stray."""
    names = bare.model_flags(known) if known else []
    for one in reversed(parsed.settings):
        if (one.flag in names or one.typed in names) and isinstance(one.value, str):
            return one.value
    return parsed.strays.pop(0).text if parsed.strays and found.exact else ""


def _variable(one: Assignment, file: File) -> Variable:
    value = one.value if one.known or "$" in one.value else f"$({one.name})"
    quote = " ".join(file.text[one.place.start : one.place.end].split())
    return Variable(one.name, value, one.place.span, "stated", quote[:200])


def _assignments(command: Command, launch: Launch, file: File) -> Iterator[Assignment]:
    """The variables that the script itself sets."""
    kept = {one.name for one in launch.environment}
    for one in (*command.environment, *command.assigned):
        if one.name not in kept or one.name_start < 0:
            continue
        whole = file.place(one.name_start, one.end, "shell word")
        value = file.place(one.start, one.end, "shell word") if one.start >= 0 else None
        known = "$" not in one.value and "`" not in one.value and HOLE not in one.value
        yield Assignment(one.name, one.value, whole, value, known)


def _argument(word: Word, command: Command, typed: Typed, file: File) -> Argument:
    text = file.filled(word.text, word.start, word.end)
    if word.start < 0:
        low, high = (command.start, command.end) if command.start >= 0 else (typed.start, typed.end)
        return Argument(text, file.place(low, high, "text"), word.known)
    form = typed.forms.get((word.start, word.end)) or ("shell word" if typed.forms else typed.form)
    return Argument(text, file.place(word.start, word.end, form), word.known and HOLE not in word.text)
