"""Words of a container that are scripts -> the commands in them, their places those of the file.

    command: [sh, -c]  args: ["export A=1; vllm serve m --tp $TP"]  env: [{name: TP, value: "8"}]
        -> `vllm serve m --tp 8` with A=1

`$(NAME)` is filled in as the kubelet does, before a shell sees it; `$NAME` and `${NAME:-x}` take what the container
sets. Anything else stays as typed, which every judge takes for unknown.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import replace

from advisor.launches import shell
from advisor.launches.files.origins import Origins
from advisor.launches.files.origins import typed as typed_at
from advisor.launches.files.typed import File, Typed
from advisor.launches.shell import Command, Word
from advisor.launches.wrappers import peel, script_of
from advisor.model.shape import Shape

_NAMED = Shape(r"\$\(([A-Za-z_][A-Za-z0-9_.-]*)\)|\$\$\(")  # $(NAME), and $$( which is a plain $(
_USED = Shape(r"\$\{?([A-Za-z_]\w*)")


def expanded(word: Word, known: Mapping[str, str]) -> Word:
    """The word with `$(NAME)` as the kubelet would fill it in."""
    if "$(" not in word.text or "\n" in word.text or word.text.count(" ") > 3:
        return word
    missing = [one for one in _NAMED.findall(word.text) if one and one not in known]
    text = _NAMED.sub(lambda found: known.get(found.group(1) or "", found.group()), word.text)
    return replace(word, text=text, known=not missing, open=False)


def commands(words: Sequence[Word], typed: Typed, file: File, known: Mapping[str, str]) -> Iterator[Command]:
    def inner(word: Word) -> list[Command]:
        return script(word, typed.scripts.get((word.start, word.end)), file, known)

    if not words:
        return
    image = typed.image if typed.follows and script_of(words) is None else ""
    yield from peel(Command(tuple(words), (), (), typed.start, typed.end, image, typed.image_start), inner)


def script(word: Word, origins: Origins | None, file: File, known: Mapping[str, str]) -> list[Command]:
    """The commands of a script, their places in the file. `known` are variables that it is given."""
    text = re.sub(r"\$\(([A-Z][A-Z0-9_]*)\)", r"${\1}", word.text)  # the kubelet's $(NAME): of the same length
    used = {name for name in _USED.findall(text) if name in known}
    head = "".join(f"{name}={_quoted(known[name])}\n" for name in sorted(used))
    if origins is None:
        at = file.text.find(word.text, word.start, word.end) if word.start >= 0 and word.text else -1
        origins = typed_at(word.text, at)
    move = _mover(len(head), origins)
    return [shell.moved(one, move) for one in shell.read(head + text).commands]


def _quoted(value: str) -> str:
    return "'" + value.replace("'", "'\\''") + "'"


def _mover(cut: int, origins: Origins) -> Callable[[int, int], tuple[int, int]]:
    return lambda start, end: origins.place(start - cut, end - cut) if start >= cut else (-1, -1)
