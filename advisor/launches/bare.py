"""Flags without a command in front, as given to an option or pasted from a list -> one Launch.

    --tensor-parallel-size 8 --speculative-config '{"method":"dspark"}'
    --enable_graph=true --enable_shm=true (MTP5, TP2)       -> the flags, and the rest left for the reader of prose

Flags one to a line count as one command. The engine is the one given, else the one that knows most of the flags.
"""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from dataclasses import replace
from itertools import takewhile

from advisor.launches.command_line import ENGINE_VARIABLES, Source, assemble, phrases
from advisor.launches.flags import parse
from advisor.launches.shell import Command, Word
from advisor.launches.spelling import looks_like_flag, spell
from advisor.launches.typography import MARKS, plain
from advisor.launches.words import prepare, resolve
from advisor.launches.wrappers import binding_of, is_assignment
from advisor.model.knowledge import Knowledge
from advisor.model.launch import Launch
from advisor.model.shape import Shape

_FIRST = Shape(r"\s*(?:[A-Za-z_]\w*=\S*\s+)*--?[A-Za-z]")
_UNIT = Shape(r"(?m)^ExecStart=|^Environment=")
_BULLET = Shape(r"^[^\S\n]*+[-*•] ", re.M)
_ENDS_COMMAND = {"|", "||", "&&", ";", "&", ">", ">>", "2>&1", "&>", "<"}
_TRAILING = ",;，；。、"


def is_bare(text: str) -> bool:
    """Whether the text begins with flags and every line of it goes on so: `- item` lists and prose do not."""
    if not _FIRST.match(text) or _BULLET.search(text) or _UNIT.search(text):
        return False
    lines = [line.strip() for line in text.replace("\\\n", " ").splitlines() if line.strip()]
    return len(lines) == 1 or all(
        line.startswith(("-", "'", '"', "#", "{", "}")) or _FIRST.match(line) for line in lines
    )


def read(
    text: str,
    knowledge: Mapping[str, Knowledge],
    engine: str | None,
    version: str | None,
    source: Source,
    *,
    complete: bool,
) -> tuple[Launch, str] | None:
    """The launch, and what of the text is no flag; None when the text turns out to hold no flag."""
    shell = plain(text)
    words = _words(shell)
    left = _dropped(text, shell)
    leading = [binding for word in takewhile(is_assignment, words) if (binding := binding_of(word, "prefix"))]
    words = words[len(leading) :]
    name = engine or likeliest(words, knowledge)
    known = knowledge.get(name)
    parsed = parse(words, known, version, source.place())
    if not parsed.settings and not parsed.valueless:
        return None
    if parsed.strays:  # prose follows: what it says is not a command line's last word
        parsed.strays = [word for word in parsed.strays if word.text]
    model = next(
        (str(one.value) for one in reversed(parsed.settings) if known and _names_model(one.flag, one.typed, known)), ""
    )
    span = (words[0].start, words[-1].end)
    rest = " ".join([*(word.text for word in parsed.strays), *([left] if left else [])])
    complete = complete and not left
    launch = assemble(
        Command(tuple(words), tuple(leading), (), *span), parsed, name, known, source, model, complete=complete
    )
    return launch, rest


def model_flags(known: Knowledge) -> list[str]:
    """The flags that name the model."""
    return [one for (one, *_) in phrases(known, "model_flags")]


def _names_model(flag: str, typed: str, known: Knowledge) -> bool:
    names = model_flags(known)
    return flag in names or typed in names


def _words(text: str) -> list[Word]:
    """The words up to a pipe or the next command. A comma that ends a word belongs to the sentence."""
    prepared = prepare(text)
    found: list[Word] = []
    for start, end in prepared.spans:
        if text[start:end] in _ENDS_COMMAND:
            break
        for word in resolve(text, start, end, {}):
            found.append(_without_comma(text, word))
    return found


def _dropped(text: str, shell: str) -> str:
    """The words that stand in the text and not in what the shell sees of it."""
    if text == shell:
        return ""
    left = "".join(one if other == " " else " " for one, other in zip(text, shell, strict=True))
    return " ".join(left.translate(dict.fromkeys(map(ord, MARKS), " ")).split())


def _without_comma(text: str, word: Word) -> Word:
    if word.start >= 0 and text[word.end - 1 : word.end] in tuple(_TRAILING) and word.text[-1:] in tuple(_TRAILING):
        return replace(word, text=word.text[:-1], end=word.end - 1)
    return word


def likeliest(words: Sequence[Word], knowledge: Mapping[str, Knowledge]) -> str:
    """The engine that knows the most of the flags, when one alone does; else ""."""
    typed = [word.text.partition("=")[0] for word in words if looks_like_flag(word.text.partition("=")[0])]
    counts = {name: sum(spell(flag, known, None).known for flag in typed) for name, known in knowledge.items()}
    best = max(counts, key=lambda name: counts[name], default="")
    alone = best and counts[best] and all(counts[best] > count or name == best for name, count in counts.items())
    return best if alone else ""


def is_engine_variable(name: str, known: Knowledge | None) -> bool:
    """Whether an environment variable is one that engines, or what lies under them, read."""
    return bool(ENGINE_VARIABLES.match(name)) or bool(known and name in known.variables())
