"""Shell text -> its simple commands, wrappers peeled, every word with its characters in the text. Nothing runs.

    NCCL_DEBUG=INFO nohup vllm serve m --tensor-parallel-size 8 > log 2>&1 &
        -> one Command: words `vllm serve m --tensor-parallel-size 8`, environment NCCL_DEBUG=INFO

One plain command (the usual case: flags on one line) is split here; anything else goes through the grammar of bash,
which costs a second's fraction more to load. Both give the same words, since `words.resolve` makes them in both. An
empty result means that the text holds no command.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace

from advisor.errors import UsageError
from advisor.launches import syntax
from advisor.launches.syntax import Binding, Command
from advisor.launches.words import Word, of_one_command, prepare, resolve
from advisor.launches.wrappers import binding_of, peel
from advisor.model.late import dataclass

__all__ = ["Binding", "Command", "Script", "Word", "moved", "read", "resolve", "unclosed"]

MAX_CHARACTERS = 1 << 20


@dataclass(frozen=True, slots=True)
class Script:
    """The commands of a text; `notes` say what could not be read as meant."""

    commands: tuple[Command, ...]
    notes: tuple[str, ...] = ()


def read(text: str, *, strict: bool = False, where: str = "--flags", grammar: bool = False) -> Script:
    """The simple commands of `text`. `grammar` forces the long way.

    With `strict`, raises UsageError naming `where` and the column when a quote is never closed; without, that quote is
    left out, what follows it is read as typed, and a note says so.
    """
    notes: list[str] = []
    if len(text) > MAX_CHARACTERS:
        text = text[:MAX_CHARACTERS]
        notes.append(f"only the first {MAX_CHARACTERS} characters were read as shell")
    prepared = prepare(text)
    for at in prepared.unclosed:
        error = unclosed(text, at, where)
        if strict:
            raise error
        notes.append(f"{error.what} ({_place(text, at)}); read without it")
    plain = prepared.simple and not grammar
    found = _plain(text, prepared.spans) if plain else syntax.commands(text, prepared.text)
    peeled = (one for command in found for one in peel(command, lambda word: _inner(text, word)))
    return Script(tuple(peeled), tuple(notes))


def peeled(text: str, command: Command) -> list[Command]:
    """The command without its wrappers, where it was read otherwise than from shell text."""
    return peel(command, lambda word: _inner(text, word))


def unclosed(text: str, at: int, where: str) -> UsageError:
    """What to say of a quote that is opened at `at` and never closed."""
    quote, other = text[at], "'" if text[at] == '"' else '"'
    what = f"the quote {quote} is opened and never closed"
    return UsageError(what, f"{where}, {_place(text, at)}", f"close it, or put the whole value in {other}…{other}")


def _place(text: str, at: int) -> str:
    line = text.count("\n", 0, at) + 1
    column = at - text.rfind("\n", 0, at)
    return f"column {column}" if "\n" not in text else f"line {line} column {column}"


def _plain(text: str, spans: tuple[tuple[int, int], ...]) -> list[Command]:
    """One command without expansions: leading `NAME=value` words are its environment."""
    if not spans:
        return []
    words = of_one_command(text, spans)
    prefixes: list[Binding] = []
    for word in words:
        binding = _prefix(text, word)
        if binding is None:
            break
        prefixes.append(binding)
    if len(prefixes) == len(words):  # assignments alone start nothing
        return []
    return [Command(tuple(words[len(prefixes) :]), tuple(prefixes), (), spans[0][0], spans[-1][1])]


def _prefix(text: str, word: Word) -> Binding | None:
    binding = binding_of(word, "prefix")
    return binding if binding and text.startswith(binding.name + "=", word.start) else None


def _inner(text: str, word: Word) -> list[Command]:
    """The commands of a string given to `bash -c`, with their places in `text` where the string is typed plainly."""
    offset = text.find(word.text, word.start, word.end) if word.start >= 0 and word.text else -1
    found = read(word.text).commands
    return [moved(one, lambda start, end: (start + offset, end + offset) if offset >= 0 else (-1, -1)) for one in found]


def moved(command: Command, move: Callable[[int, int], tuple[int, int]]) -> Command:
    """The command with every place given by `move` for its characters `start`..`end`; what has no place keeps none."""

    def place(start: int, end: int) -> tuple[int, int]:
        return move(start, end) if start >= 0 else (-1, -1)

    def bound(one: Binding) -> Binding:
        start, end = place(one.start, one.end)
        return replace(one, name_start=place(one.name_start, one.name_start + 1)[0], start=start, end=end)

    def told(word: Word) -> Word:
        start, end = place(word.start, word.end)
        return replace(word, start=start, end=end)

    start, end = place(command.start, command.end)
    return Command(
        tuple(map(told, command.words)),
        tuple(map(bound, command.environment)),
        tuple(map(bound, command.assigned)),
        start,
        end,
        command.image,
        place(command.image_start, command.image_start + len(command.image))[0],
    )
