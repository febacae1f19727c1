"""Makefiles, justfiles and Procfiles -> a Deployment: the shell of their recipes, with the file's own variables.

    TP ?= 8
    serve:                                              Makefile: `$(TP)` and `${TP}` are 8, `$$HOME` is the shell's
        vllm serve m --tensor-parallel-size $(TP)

    serve port="8000":                                  justfile: `{{port}}` stays as typed, not known
        vllm serve m --port {{port}}

    web: vllm serve m --port $PORT                      Procfile

Best effort, and said so where a value comes from somewhere else: it stays as typed.

**Source:** GNU make manual (recipes, `:=`, `?=`, `export`), the just manual, https://devcenter.heroku.com/articles/procfile.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping

from advisor.launches.files import script
from advisor.launches.files.page import Page, blanked
from advisor.launches.files.script import Before, Found
from advisor.launches.syntax import Binding
from advisor.launches.words import Scope, Word
from advisor.model.deployment import Deployment
from advisor.model.knowledge import Knowledge

_ASSIGNED = re.compile(
    r"(?m)^(export[ \t]+)?([A-Za-z_]\w*)[ \t]*(?:\?|:|::)?=[ \t]*([^\r\n#]*?)[ \t]*(?:#[^\r\n]*)?\r?$"
)
_TARGET = re.compile(r"(?m)^(?:@?)([A-Za-z_][\w./-]*+)([^\n:=]*+):(?!=)([^\n]*)$")  # serve: deps
_JUST_TARGET = re.compile(r"(?m)^@?([A-Za-z_][\w-]*+)(?:[ \t][^\n]*?)?:(?!=)[^\n]*$")  # serve port="8000": deps
_MAKE_RECIPE = re.compile(r"(?m)(?:^\t(?:[^\n\\]|\\\r?\n?)*(?:\n|\Z))+")
_MAKE_VARIABLE = re.compile(r"\$\(([A-Za-z_]\w*)\)")
_JUST_VARIABLE = re.compile(r"\{\{([ \t]*)([A-Za-z_]\w*)[ \t]*\}\}")  # {{port}}
_JUST_RECIPE = re.compile(r"(?m)(?:^(?:[ \t]+[^\n]*|[ \t]*)(?:\n|\Z))+")
_SILENT = re.compile(r"(?m)(?<!\\\n)^([ \t]+)([@+-]+)(?=[^\s-])")  # a tab, then @vllm serve
_PROCESS = re.compile(r"(?m)^([A-Za-z][\w-]*):[ \t]*(\S[^\r\n]*)")


def read(name: str, text: str, knowledge: Mapping[str, Knowledge]) -> Deployment | None:
    """What the recipes start; None when they start no engine."""
    last = name.replace("\\", "/").rpartition("/")[2].lower()
    kind = (
        "procfile"
        if last.startswith("procfile")
        else "justfile"
        if "justfile" in last or last.endswith(".just")
        else "makefile"
    )
    page = Page(name, text, kind, knowledge)
    if not page.mentions_an_engine:
        return None
    found = Found()
    for target, start, end in _recipes(kind, text):
        before = _before(kind, text, target)
        one = script.read(page, _as_shell(kind, text, start, end, before.known), before)
        found.workloads += one.workloads
        found.notes += one.notes
    if not found.workloads:
        return None
    return Deployment(name, text, kind, tuple(found.workloads), unread=tuple(found.notes))


def _recipes(kind: str, text: str) -> Iterator[tuple[str, int, int]]:
    """The name of each recipe, and the characters of its lines."""
    if kind == "procfile":
        yield from ((found.group(1), found.start(2), found.end(2)) for found in _PROCESS.finditer(text))
        return
    targets, pattern = (_TARGET, _MAKE_RECIPE) if kind == "makefile" else (_JUST_TARGET, _JUST_RECIPE)
    for target in targets.finditer(text):
        recipe = pattern.match(text, min(len(text), target.end() + 1))
        if recipe:
            yield target.group(1), recipe.start(), recipe.end()


def _as_shell(kind: str, text: str, start: int, end: int, known: Scope) -> str:
    """The recipe alone, of the file's length, its `$(NAME)` as `${NAME}`."""
    shown = blanked(text, [(start, end)])
    if kind == "procfile":
        return shown
    if kind == "justfile":
        shown = _JUST_VARIABLE.sub(lambda found: _in_braces(found, known), shown)
    shown = _SILENT.sub(lambda found: found.group(1) + " " * len(found.group(2)), shown)
    return _MAKE_VARIABLE.sub(r"${\1}", shown) if kind == "makefile" else shown


def _in_braces(found: re.Match[str], known: Scope) -> str:
    """`{{port}}` as a variable of the same length whose value, if the file gives none, is not known."""
    sign = "-" if known.get(found.group(2)) else "?"
    return "${" + f"{found.group(2)}{sign}".ljust(len(found.group()) - 3) + "}"


def _before(kind: str, text: str, target: str) -> Before:
    """The file's variables as the recipe may use them; those that are exported reach the engine as well."""
    if kind == "procfile":
        return Before(kind="Process", name=target)
    exported: list[Binding] = []
    known: Scope = {}
    for found in _ASSIGNED.finditer(text):
        value = found.group(3).strip("\"'") if kind == "justfile" else found.group(3)
        plain = not re.search(r"[$`(]", value)
        known[found.group(2)] = Word(value) if plain else None
        if found.group(1) and plain:
            exported.append(Binding(found.group(2), value, "export", found.start(2), found.start(3), found.end(3)))
    return Before(tuple(exported), kind="Target", name=target, known=known)
