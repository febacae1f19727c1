"""Shell scripts (bash, sh, zsh, PowerShell's `docker run`) -> a Deployment: one workload per launch they start.

    #!/bin/bash
    ARGS=(--tensor-parallel-size "${TP:-8}")
    exec vllm serve m "${ARGS[@]}"             -> vllm, arguments in their places, `8` in the place of the default

PowerShell is read as far as it looks like shell: a backtick ends a continued line as a backslash does, and
`$env:NAME = "value"` sets a variable.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping

from advisor.launches.files import script
from advisor.launches.files.page import Page
from advisor.launches.files.script import Before
from advisor.launches.syntax import Binding
from advisor.model.deployment import Deployment
from advisor.model.knowledge import Knowledge

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
    found = script.read(page, shell, before)
    if not found.workloads and not any(one.kind == "unreadable" for one in found.notes):
        return None
    return Deployment(name, text, "shell", tuple(found.workloads), unread=tuple(found.notes))


def _bindings(text: str, pattern: re.Pattern[str]) -> Iterator[Binding]:
    for found in pattern.finditer(text):
        value = found.group(2)
        plain = value[1:-1] if len(value) > 1 and value[0] == value[-1] and value[0] in "\"'" else value
        yield Binding(found.group(1), plain, "prefix", found.start(1), found.start(2), found.end(2))
