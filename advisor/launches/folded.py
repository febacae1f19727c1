r"""The lines of one key of a manifest -> the words in them, where a scalar spans lines and YAML folds it.

    args:                          one word, `vllm serve m --tp 8`: folding makes a blank of a line's end,
      - >-                         a line's end of a blank line, and `scripts` says where each character stands
        vllm serve m
        --tp 8

Plain and quoted scalars over several lines are folded as well. A template's `{{ .Values.tp }}` is a variable of which
nothing is known. None where nothing is folded (a `|` block is not), or where the lines are no YAML: the reader of
manifests then goes by the layout.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator
from dataclasses import replace

from advisor.launches.files import scalars
from advisor.launches.files.blobs import script
from advisor.launches.files.marks import Node, documents
from advisor.launches.files.origins import Origins
from advisor.launches.files.typed import File
from advisor.launches.shell import Command
from advisor.launches.words import Word
from advisor.model.shape import Shape

_ONE_A_LINE = Shape(r"[ \t]*+(?:-[ \t]|#|-?[ \t]*+\Z)")  # `- --tp`
_DASH = Shape(r"\A[ \t]*-(?=[ \t])")  # of `- args:`
_TEMPLATE = Shape(r"\{\{([^{}\n]*)\}\}")
_CONTROL = Shape(r"^[ \t]*\{\{-?[ \t]*(?:if|else|end|range|with|include|toYaml|/\*)\b[^\n]*$", re.M)

Scripts = dict[tuple[int, int], Origins]


def read(text: str, start: int, end: int) -> scalars.Argv | None:
    """The words of the key whose lines are `start`..`end`; None where no scalar of it is folded. Never raises."""
    piece = text[start:end]
    if all(map(_ONE_A_LINE.match, piece.split("\n")[1:])):
        return None
    piece = _DASH.sub(lambda found: " " * len(found.group()), piece)
    piece = _TEMPLATE.sub(_variable, _CONTROL.sub(lambda found: " " * len(found.group()), piece))
    roots = [one.root for one in documents(piece)]
    pairs = roots[0].pairs if len(roots) == 1 and roots[0] is not None else ()
    if len(pairs) != 1 or not any(_folds(one, piece) for one in _scalars(pairs[0][1])):
        return None
    found = scalars.argv([pairs[0][1]], File("", piece, "kubernetes", {}))
    found.words = [replace(one, start=one.start + start, end=one.end + start) for one in found.words]
    found.scripts = moved(found.scripts, start)
    return found


def _variable(found: re.Match[str]) -> str:
    return "${" + re.sub(r"\W", "_", found[1]) + "_}"


def inner(text: str, scripts: Scripts) -> Callable[[Word], list[Command]]:
    """What reads a word that is given to a shell as a script, its places those of `text`."""
    file = File("", text, "kubernetes", {})
    return lambda word: script(word, scripts.get((word.start, word.end)), file, {})


def moved(scripts: Scripts, by: int) -> Scripts:
    """The same scripts in a text that has `by` characters more before them."""
    return {
        (low + by, high + by): Origins(tuple(replace(run, at=run.at + by) for run in one.runs))
        for (low, high), one in scripts.items()
    }


def _scalars(node: Node) -> Iterator[Node]:
    yield from (one for one in (node.items if node.kind == "list" else [node]) if one.kind == "text")


def _folds(node: Node, text: str) -> bool:
    return node.style != "|" and "\n" in text[node.start : node.end]
