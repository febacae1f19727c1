"""Shell scripts (bash, sh, zsh, PowerShell's `docker run`) -> a Deployment: one workload per launch they start.

    #!/bin/bash
    ARGS=(--tensor-parallel-size "${TP:-8}")
    exec vllm serve m "${ARGS[@]}"             -> vllm, arguments in their places, `8` in the place of the default

PowerShell is read as far as it looks like shell: a backtick ends a continued line as a backslash does, and
`$env:NAME = "value"` sets a variable. A manifest in a here-document is read as the file it is made into.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping
from dataclasses import replace

from advisor.launches.files import script, yaml_file
from advisor.launches.files.page import Page, blanked
from advisor.launches.files.script import Before
from advisor.launches.heredocs import Closings
from advisor.launches.syntax import Binding
from advisor.model.deployment import Deployment
from advisor.model.knowledge import Knowledge

_HERE = re.compile(r"<<[ \t]*+(?P<quote>['\"]?)(?P<mark>[A-Za-z_]\w*+)(?P=quote)")
_OBJECT, _KIND = re.compile(r"(?m)^apiVersion:"), re.compile(r"(?m)^kind:")
_POWERSHELL = re.compile(r"(?i)\.ps[m1]?1$")
_BATCH = re.compile(r"(?i)\.(?:cmd|bat)$")
_TICK = re.compile(r"`(?=[ \t]*\r?\n)")
_CARET = re.compile(r"\^(?=[ \t]*\r?\n)")
_SET = re.compile(r"""(?im)^[ \t]*\$env:([A-Za-z_]\w*)[ \t]*=[ \t]*("[^"\n]*"|'[^'\n]*'|[^\s#;]+)""")  # $env:A = "1"
_BATCH_SET = re.compile(r'(?im)^[ \t]*set[ \t]+"?([A-Za-z_]\w*)=([^\r\n"]*)')  # set A=1
_COMMENT = re.compile(r"(?im)^[ \t]*(?:rem\b|::)[^\r\n]*")


def read(name: str, text: str, knowledge: Mapping[str, Knowledge]) -> Deployment | None:
    """What the script deploys; None when it starts no engine."""
    page = Page(name, text, "shell", knowledge)
    if not page.mentions_an_engine:
        return None
    if _POWERSHELL.search(name):
        shell, before = _TICK.sub("\\\\", text), Before(tuple(_bindings(text, _SET)))
    elif _BATCH.search(name):
        plain = _COMMENT.sub(lambda found: " " * len(found.group()), text)
        shell, before = _CARET.sub("\\\\", plain), Before(tuple(_bindings(text, _BATCH_SET)))
    else:
        shell, before = text, Before()
    if shell.startswith("\ufeff"):  # a mark of Windows' editors, which is no part of the first word
        shell = " " + shell[1:]
    found = script.read(page, shell, before)
    held = manifests(page)
    workloads = (*found.workloads, *(held.workloads if held else ()))
    services = held.services if held else ()
    if not workloads and not any(one.kind == "unreadable" for one in found.notes):
        return None
    notes = (*found.notes, *(held.unread if held else ()))
    return Deployment(name, text, "shell", workloads, services, notes)


def manifests(page: Page) -> Deployment | None:
    """What the here-documents deploy that are manifests, `kubectl apply -f - <<EOF` among them: read as the documents
    of one file, so that a script of thousands of them is gone over once."""
    text = page.text
    held = [(at, end) for at, end in _documents(text) if _OBJECT.search(text, at, end) and _KIND.search(text, at, end)]
    shown = yaml_file.read(page.name, _as_documents(text, held), page.knowledge) if held else None
    if shown is None:
        return None
    moved = (replace(one, launch=replace(one.launch, text=text)) for one in shown.workloads)
    return replace(shown, text=text, workloads=tuple(moved))


def _as_documents(text: str, held: list[tuple[int, int]]) -> str:
    """The text with all but these stretches blank, and a document's mark in the line above each, which has `<<X`."""
    out, at = [], 0
    for first, last in held:
        line = text.rindex("\n", 0, first - 1) + 1 if "\n" in text[at : first - 1] else at
        out += [blanked(text[at:line], ()), "---", " " * (first - 1 - line - 3), "\n", text[first:last]]
        at = last
    return "".join([*out, blanked(text[at:], ())])


def _documents(text: str) -> Iterator[tuple[int, int]]:
    """The characters of each here-document that is closed where its line begins."""
    closings, at = Closings(text, returns=True), 0
    for found in _HERE.finditer(text):
        closing = closings.after(found["mark"], found.end()) if found.start() >= at else None
        while closing is not None and closing.word != closing.start:  # one that stands further in closes only `<<-`
            closing = closings.after(found["mark"], closing.end)
        if closing is not None:
            yield text.index("\n", found.end()) + 1, closing.start
            at = closing.end


def _bindings(text: str, pattern: re.Pattern[str]) -> Iterator[Binding]:
    for found in pattern.finditer(text):
        value = found.group(2)
        plain = value[1:-1] if len(value) > 1 and value[0] == value[-1] and value[0] in "\"'" else value
        yield Binding(found.group(1), plain, "prefix", found.start(1), found.start(2), found.end(2))
