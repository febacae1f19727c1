"""A flag or variable that is to be added to a workload -> the text with it, written as its neighbours are.

    - "--tp"                + --enable_shm=false        - "--tp"
    - "8"                                               - "8"
                                                        - "--enable_shm=false"
    export NCCL_DEBUG=INFO  + VLLM_USE_V2_…=1           a second export line
    - {name: A, value: "x"} + B=1                       - {name: B, value: "1"}

Nothing is put where the file shows no neighbour to follow, but a first `env` of a container and a prefix of a command.
"""

from __future__ import annotations

import json
import re

from advisor.launches import rewrite
from advisor.launches.files.edit_spans import FLOW, eol_of, in_block, in_flow, indent_of, line_of
from advisor.launches.files.edit_words import NAMED, quoted
from advisor.model.condition import Scalar
from advisor.model.deployment import Argument, Assignment, Workload

_CONTINUES = re.compile(r"(?<![ \t])[ \t]*+(\\|`|\^)[ \t]*\r?\Z")
_NUMBER = re.compile(r"[-+]?[\d._]+(?:[eE][-+]?\d+)?\Z|(?i:true|false|yes|no|on|off|null|~)\Z")


def flag(text: str, workload: Workload, name: str, value: Scalar) -> str | None:
    """The text with a flag more, after the last one; None where there is no place for it."""
    given = [one for one in workload.arguments if one.place.form != "text" and one.place.start >= 0]
    given = [one for one in given if one.place.form != "keyword" or _is_of_the_call(text, one, workload)]
    if not given:
        return None
    last = given[-1]
    start, end, form = last.place.start, last.place.end, last.place.form
    said = "" if value is True else rewrite.shown(value)
    if form in NAMED:
        return _pair(text, start, end, form, name, value, workload.format)
    if form == "shell word":
        return _words(text, given, name, said)
    if form not in FLOW and form != "block item":
        return None
    words = [name] if value is True else [f"{name}={said}"] if _equals(given) else [name, said]
    quote = _quote(text, given, workload.format)
    items = [quoted(one, quote or ('"' if _NUMBER.match(one) else "")) for one in words]
    if None in items:
        return None
    return _items(text, start, end, form, [one for one in items if one is not None])


def _is_of_the_call(text: str, one: Argument, workload: Workload) -> bool:
    """Whether a keyword is one of the engine's own call, not of a configuration object within it."""
    call = workload.place
    before = re.sub(r"\"[^\"\n]*\"|'[^'\n]*'", "", text[call.start : one.place.start])
    depth = sum(before.count(each) for each in "([{") - sum(before.count(each) for each in ")]}")
    return call.start <= one.place.start < call.end and depth == 1


def _equals(given: list[Argument]) -> bool:
    joined = sum(one.text.startswith("-") and "=" in one.text for one in given)
    return joined * 2 >= sum(one.text.startswith("-") for one in given)


def _quote(text: str, given: list[Argument], format_: str) -> str:
    """The quote of the last quoted word that is a flag, else of any."""
    heads = [text[one.place.start] for one in reversed(given) if one.text.startswith("-")]
    heads += [text[one.place.start] for one in reversed(given)]
    found = heads[0] if heads and heads[0] in ("'", '"') else ""
    return found or ('"' if format_ in ("python", "dockerfile") else "")


def _items(text: str, start: int, end: int, form: str, items: list[str]) -> str:
    first, last = line_of(text, start)[0], line_of(text, max(start, end - 1))[1]
    eol, indent = eol_of(text, end), indent_of(text, start)
    if form == "block item":
        at = last - 1 if text[last - 1 : last] == "\r" else last
        return text[:at] + "".join(f"{eol}{indent}- {one}" for one in items) + text[at:]
    if not text[first:start].strip():
        comma = re.match(r"[ \t]*,", text[end:last])
        if comma:
            at = last - 1 if text[last - 1 : last] == "\r" else last
            return text[:at] + "".join(f"{eol}{indent}{one}," for one in items) + text[at:]
        return text[:end] + "".join(f",{eol}{indent}{one}" for one in items) + text[end:]
    return text[:end] + "".join(f", {one}" for one in items) + text[end:]


def _words(text: str, given: list[Argument], name: str, said: str) -> str | None:
    words = name if not said else f"{name}={said}" if _equals(given) else f"{name} {rewrite.quoted(said)}"
    if not said and not name:
        return None
    start, end = given[-1].place.start, given[-1].place.end
    eol, indent = eol_of(text, end), indent_of(text, start)
    above = line_of(text, start)[0] - 1
    continued = _CONTINUES.search(text[line_of(text, above)[0] : above]) if above > 0 else None
    if continued:
        return f"{text[:end]} {continued.group(1)}{eol}{indent}{words}{text[end:]}"
    line, stop = line_of(text, start)
    alone = re.match(r"[ \t]*--?\w", text[line:end]) and not text[end:stop].strip()
    if alone and any(one.place.start < line for one in given):
        return f"{text[:end]}{eol}{indent}{words}{text[end:]}"
    return f"{text[:end]} {words}{text[end:]}"


def _pair(text: str, start: int, end: int, form: str, name: str, value: Scalar, format_: str) -> str | None:
    old = re.match(r"[\"']?([\w.-]+)[\"']?\s*[:=]?\s*", text[start:end])
    if old is None or "." in name:
        return None
    key = keyed(name, old.group(1))
    first, last = line_of(text, start)[0], line_of(text, max(start, end - 1))[1]
    eol, indent = eol_of(text, end), indent_of(text, start)
    if form == "keyword" or format_ == "python":
        written = repr(value) if isinstance(value, bool | int | float) else json.dumps(value)
        pair = f"{key}={written}" if form == "keyword" else f'"{key}": {written}'
        return _items(text, start, end, "keyword", [pair])
    written = rewrite.shown(value) if not isinstance(value, str) else json.dumps(value)
    if in_flow(text, start, end):
        return f"{text[:end]}, {key}: {written}{text[end:]}"
    if text[first:start].strip():
        return None
    at = last - 1 if text[last - 1 : last] == "\r" else last
    return f"{text[:at]}{eol}{indent}{key}: {written}{text[at:]}"


def keyed(flag_name: str, like: str) -> str:
    """A flag as a key of a map or call, with dashes, underscores or humps as the key beside it has."""
    words = flag_name.lstrip("-").replace("_", "-").split("-")
    if "_" in like or (like.islower() and "-" not in like):
        return "_".join(words)
    if "-" in like:
        return "-".join(words)
    return words[0] + "".join(one.capitalize() for one in words[1:])


def variable(text: str, workload: Workload, name: str, value: str) -> str | None:
    """The text with a variable more: after one that the workload has, before its command, or as the first of an env."""
    for one in reversed(workload.environment):
        if one.value_place is not None and one.place.form != "text" and one.place.start <= one.value_place.start:
            return _after(text, one, name, value)
    image = next((one.place for one in workload.versions if one.kind == "image"), None)
    if image is not None and image.form in ("mapping value", "block item", "flow item") and workload.kind:
        return _first_env(text, image.start, name, value)
    words = [one.place for one in workload.arguments if one.place.form == "shell word"]
    if workload.format in ("shell", "slurm") and words and image is None:
        return f"{text[: words[0].start]}{name}={rewrite.quoted(value)} {text[words[0].start :]}"
    return None


def _after(text: str, like: Assignment, name: str, value: str) -> str | None:
    """A copy of an entry with another name and value."""
    inner, whole = like.value_place, like.place
    assert inner is not None
    head, tail = text[whole.start : inner.start], text[inner.end : whole.end]
    if head.count(like.name) != 1:
        return None
    old = text[inner.start : inner.end]
    quote = old[:1] if old[:1] in ("'", '"') and old[-1:] == old[:1] and len(old) > 1 else ""
    shaped = whole.form in ("block item", "mapping value", "flow item") and "=" not in head
    written = quoted(value, quote or ('"' if shaped and _NUMBER.match(value) else ""))
    if written is None:
        return None
    entry = head.replace(like.name, name) + written + tail
    return _placed(text, whole.start, whole.end, whole.form, entry)


def _placed(text: str, start: int, end: int, form: str, entry: str) -> str | None:
    first, last = line_of(text, start)[0], line_of(text, max(start, end - 1))[1]
    eol, at = eol_of(text, end), last - 1 if text[last - 1 : last] == "\r" else last
    dashed = form in ("block item", "flow item") and in_block(text, start)
    if not dashed and (form in (*FLOW, "block item") or (form == "mapping value" and in_flow(text, start, end))):
        return _items(text, start, end, "flow item", [entry])
    if dashed:
        return f"{text[:at]}{eol}{text[first:start]}{entry}{text[at:]}"
    alone = not text[first:start].strip() and not text[end:last].strip()
    if alone or re.match(r"[ \t]*(?:export|ENV|env)[ \t]", text[first:end]):
        return f"{text[:at]}{eol}{text[first:start] if alone else ''}{entry}{text[at:]}"
    if form == "shell word":
        line = text[first:start]
        continued = _CONTINUES.search(text[end:last])
        if continued and not line.strip():
            return f"{text[:end]} {continued.group(1)}{eol}{line}{entry}{text[end:]}"
        return f"{text[:end]} {entry}{text[end:]}"
    return None


def _first_env(text: str, at: int, name: str, value: str) -> str | None:
    """`env:` with one entry, below the container's `image:`."""
    first, last = line_of(text, at)
    key = re.match(r"([ \t]*(?:-[ \t]+)?)[\"']?image[\"']?:[ \t]", text[first:last])
    if key is None:
        return None
    indent, eol = " " * len(key.group(1)), eol_of(text, at)
    end = last - 1 if text[last - 1 : last] == "\r" else last
    lines = (f"{indent}env:", f"{indent}  - name: {name}", f"{indent}    value: {json.dumps(value)}")
    return text[:end] + "".join(eol + one for one in lines) + text[end:]
