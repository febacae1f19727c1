"""A deployment file's name and bytes -> the reader it wants, and what that reader found in it.

    k8s/vllm.yaml          -> yaml_file.read       run.sh, or a text that begins with `#!/bin/bash` -> its own reader

A kind is one line of `KINDS`: the module of this package that reads it, the file names that are surely its own, and
what a file of any other name must hold to be tried. Readers are asked in this order until one does not answer None.
Nothing recognised is a Deployment whose `recognised` is "", never an error; what could not be read is a note.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, replace
from importlib import import_module

from advisor.model.deployment import Deployment
from advisor.model.fact import Note, Span
from advisor.model.knowledge import Knowledge

MAX_BYTES = 4 << 20
FAILED = "could not be read:"  # how the note begins of a file that a reader was not up to
FEWEST_TO_A_ZERO = 64  # bytes of text to each zero byte; with fewer of them it is no text
_MARKS = ((b"\xef\xbb\xbf", "utf-8"), (b"\xff\xfe", "utf-16-le"), (b"\xfe\xff", "utf-16-be"))
_NEVER = re.compile(r"a\Ab")
_PROSE = re.compile(r"(?i)\.(?:md|mdx|markdown|rst|adoc|html?|ipynb|patch|diff|log)$")
"""Names of files that quote deployments and are none."""


@dataclass(frozen=True, slots=True)
class Kind:
    """A module that has `read(name, text, knowledge) -> Deployment | None`.

    `names` is searched in the file's path, `holds` in its text.
    """

    module: str
    names: re.Pattern[str]
    holds: re.Pattern[str] = _NEVER


KINDS: list[Kind] = [
    Kind("yaml_file", re.compile(r"(?i)\.(?:ya?ml|yml\.j2|ya?ml\.(?:j2|tmpl|tpl|gotmpl)|tpl)$"),
         re.compile(r"(?m)^(?:apiVersion|services|servingEngineSpec):")),
    Kind("slurm", re.compile(r"(?i)\.(?:sbatch|slurm|sh|bash|job)$"), re.compile(r"(?m)^#SBATCH[ \t]")),
    Kind("shell_file", re.compile(r"(?i)\.(?:sh|bash|zsh|ksh|ps1|cmd|bat)$"),
         re.compile(r"\A\ufeff?#![^\n]*\b(?:ba|da|z|k)?sh\b")),
    Kind("python_file", re.compile(r"(?i)\.py$"), re.compile(r"\A\ufeff?#![^\n]*\bpython")),
    Kind("dockerfile", re.compile(r"(?i)(?:^|/)(?:Dockerfile|Containerfile)[^/]*$|\.(?:dockerfile|containerfile)$")),
    Kind("systemd", re.compile(r"(?i)\.(?:service|container)$")),
    Kind("recipes", re.compile(r"(?i)(?:^|/)(?:(?:GNU)?makefile|\.?justfile|Procfile[\w.]*)$|\.(?:mk|just)$")),
    Kind("requirements", re.compile(r"(?i)(?:requirements|constraints)[\w.-]*\.(?:txt|in)$|/requirements/[^/]+\.txt$"
                                    r"|(?:^|/)pyproject\.toml$")),
]  # fmt: skip


def read_file(name: str, content: bytes, knowledge: Mapping[str, Knowledge]) -> Deployment:
    """What the file deploys. Never raises.

    `text` is the content decoded, a byte order mark kept as its first character, so that it encodes back to the same.
    """
    if len(content) > MAX_BYTES:
        return _unread(
            name, "", f"{len(content)} bytes are more than the {MAX_BYTES} that are read of one file", "limit"
        )
    text, note = decoded(content, name)
    if text is None:
        return Deployment(name, "", "")
    try:
        found = _read(name, text, knowledge)
    except Exception as error:  # the door: one odd file must not stop the others
        return _unread(name, text, f"{FAILED} {type(error).__name__}: {' '.join(str(error).split())[:200]}")
    return replace(found, unread=(note, *found.unread)) if note and found.recognised else found


def _read(name: str, text: str, knowledge: Mapping[str, Knowledge]) -> Deployment:
    empty: Deployment | None = None
    for kind in _candidates(name, text):
        found: Deployment | None = import_module(f"{__package__}.{kind.module}").read(name, text, knowledge)
        if found is not None and (found.workloads or found.services):
            return found
        empty = empty or found
    return empty or Deployment(name, text, "")


def _candidates(name: str, text: str) -> Iterator[Kind]:
    by_name = [one for one in KINDS if one.names.search(name)]
    yield from by_name
    if not by_name and not _PROSE.search(name):  # a script that holds a manifest is a script
        yield from (one for one in KINDS if one.holds.search(text))


def decoded(content: bytes, name: str) -> tuple[str | None, Note | None]:
    """The text, which encodes back to the same bytes, and what had to be assumed; None for what is no text."""
    for mark, encoding in _MARKS:
        if content.startswith(mark):
            try:
                return content.decode(encoding), None
            except UnicodeDecodeError:
                return None, None
    zeros = content[:8192].count(0)
    if zeros * FEWEST_TO_A_ZERO > len(content[:8192]):
        return None, None
    try:
        return content.decode("utf-8"), None
    except UnicodeDecodeError as error:
        if zeros:
            return None, None
        line = content.count(b"\n", 0, error.start) + 1
        said = f"byte {error.start} is no UTF-8: read as Latin-1"
        return content.decode("latin-1"), Note("unreadable", said, Span(name, line, line))


def _unread(name: str, text: str, said: str, kind: str = "unreadable") -> Deployment:
    note = Note("limit" if kind == "limit" else "unreadable", said, Span(name))
    return Deployment(name, text, "", unread=(note,))
