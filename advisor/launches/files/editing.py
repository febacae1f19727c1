"""A deployment file and a change of one launch in it -> the file with that change and no other.

    remove --swap-space 16        the words, their line, their comma or their continuation
    write --language-model-only for --disable-vision-encoder       the flag's own characters
    set VLLM_USE_V2_MODEL_RUNNER to 1                              its value, or an entry written like its neighbours

Only the characters concerned change: comments, order, quotes, anchors, indentation, line ends, a byte order mark stay.
After each step the file is read again. The step stands when the setting is as wanted and no other argument, variable or
launch differs; else the change is dropped whole, with the reason. Launches that share the text (an anchor, one script)
change together, and that is said.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from typing import Literal

from advisor.launches import rewrite
from advisor.launches.edit import under
from advisor.launches.emptied import whole_command, without_entry
from advisor.launches.files import edit_adding as adding
from advisor.launches.files.edit_reading import changed_besides, sharing
from advisor.launches.files.edit_spans import cut, line_of, removal
from advisor.launches.files.edit_words import NAMED, Spot, revalued, spot
from advisor.launches.files.recognise import read_file
from advisor.launches.spelling import spell, style
from advisor.model.condition import Scalar
from advisor.model.deployment import Assignment, Deployment, Workload
from advisor.model.fact import Value
from advisor.model.knowledge import Knowledge
from advisor.model.launch import Setting

MOST_STEPS = 64
NOT_SO = "would not re-read as intended"


@dataclass(frozen=True, slots=True)
class Change:
    """One change of a workload, by its index in the file.

    remove: flag `name` and all under it, or only the spelling `typed` where that is given. rename: `typed` becomes
    `to`, with value `value` where that is not None; `bare` drops the value. set: flag `name` gets `value`. The same of
    variables; `set variable` to None removes it.
    """

    workload: int
    do: Literal["remove", "rename", "set", "remove variable", "rename variable", "set variable"]
    name: str
    typed: str = ""
    to: str = ""
    value: Scalar | None = None
    bare: bool = False

    def says(self) -> str:
        """What it does, in words."""
        written = "" if self.value is None or self.value is True else f" {rewrite.shown(self.value)}"
        what = self.typed or self.name
        if self.do in ("remove", "remove variable") or (self.do == "set variable" and self.value is None):
            return f"remove {what}"
        if self.do in ("rename", "rename variable"):
            return f"write {self.to}{written} for {what}"
        return f"set {self.name}{written}" if self.do == "set" else f"set {self.name}={written.strip()}"


@dataclass(frozen=True, slots=True)
class Edited:
    """The file after changes, read again. `shared` names other launches that changed with them; `problem` says why
    nothing was changed, "" when it was."""

    deployment: Deployment
    shared: tuple[str, ...] = ()
    problem: str = ""


def edited(deployment: Deployment, changes: tuple[Change, ...], knowledge: Mapping[str, Knowledge]) -> Edited:
    """All of the changes, or none. Pure; never raises on odd text."""
    if not deployment.workloads:
        return Edited(deployment, problem="nothing of it could be read")
    now = deployment
    shared: list[str] = []
    for change in changes:
        for _ in range(MOST_STEPS):
            if not 0 <= change.workload < len(now.workloads):
                return Edited(deployment, problem=NOT_SO)
            workload = now.workloads[change.workload]
            if _done(workload, change, knowledge):
                break
            after, problem = _step(now, workload, change, knowledge)
            if after is None:
                return Edited(deployment, problem=problem)
            shared += sharing(now, after, change.workload)
            now = after
        else:
            return Edited(deployment, problem=NOT_SO)
    return Edited(now, tuple(dict.fromkeys(shared)))


def reread(deployment: Deployment, text: str, knowledge: Mapping[str, Knowledge]) -> Deployment:
    """The file as its own reader reads it with this text."""
    latin = any("read as Latin-1" in one.text for one in deployment.unread)
    content = text.encode("latin-1", "replace") if latin else text.encode("utf-8", "surrogatepass")
    return read_file(deployment.file, content, knowledge)


def _step(
    now: Deployment, workload: Workload, change: Change, knowledge: Mapping[str, Knowledge]
) -> tuple[Deployment | None, str]:
    """One occurrence changed; the first way that reads as wanted."""
    problem = f"{change.typed or change.name} stands where it cannot be edited"
    for text in _ways(now.text, workload, change, knowledge):
        if text is None or text == now.text:
            continue
        after = reread(now, text, knowledge)
        besides = changed_besides(now, after, change.workload, frozenset(_touched(change, workload)))
        if not besides and _nearer(workload, after.workloads[change.workload], change, knowledge):
            return after, ""
        problem = NOT_SO + (f": {besides}" if besides else "")
    return None, problem


def _touched(change: Change, workload: Workload) -> Iterator[str]:
    """The flags and variables that a change may alter."""
    yield change.name.partition(".")[0]
    if change.to:
        yield change.to.partition(".")[0]
        if change.to.startswith("--no-"):
            yield "--" + change.to[5:]
    for one in workload.launch.settings:
        if change.typed and one.typed == change.typed:
            yield one.flag.partition(".")[0]


def _settings(workload: Workload, change: Change) -> list[Setting]:
    """The settings of the text that a change is about, the last first."""
    found = [one for one in workload.launch.settings if one.start >= 0 and under(one.flag, change.name)]
    found = [one for one in found if not change.typed or one.typed == change.typed]
    found = [one for one in found if not change.bare or one.raw is not None]
    return sorted(found, key=lambda one: (-one.start, one.start - one.end))


def _variables(workload: Workload, name: str) -> list[Assignment]:
    return [one for one in reversed(workload.environment) if one.name == name]


def _done(workload: Workload, change: Change, knowledge: Mapping[str, Knowledge]) -> bool:
    if change.do in ("remove", "rename"):
        return not _settings(workload, change)
    if change.do == "set":
        given = workload.launch.setting(change.name)
        return (given is not None and given.value == _wanted(change)) or (
            given is None and change.value is False and _switch(workload, change.name, knowledge)
        )
    given_env = _variables(workload, change.name)
    if change.do == "set variable" and change.value is not None:
        return bool(given_env) and given_env[0].known and given_env[0].value == str(change.value)
    return not given_env


def _wanted(change: Change) -> Value:
    return change.value


def _switch(workload: Workload, flag: str, knowledge: Mapping[str, Knowledge]) -> bool:
    known = knowledge.get(workload.launch.engine.partition("-")[0])
    return spell(flag, known, None).kind == "switch" and style(known) == "argparse"


def _nearer(before: Workload, after: Workload, change: Change, knowledge: Mapping[str, Knowledge]) -> bool:
    """Whether the step did its part."""
    if change.do == "remove":
        return len(_settings(after, change)) < len(_settings(before, change))
    if change.do == "rename":
        given = _settings(before, change)[0]
        held = [one for one in after.launch.settings if change.to in (one.typed, one.flag)]
        less = len(_settings(after, change)) < len(_settings(before, change))
        return less and any(change.bare or _kept(one, given, change) for one in held)
    if change.do == "rename variable":
        return bool(_variables(after, change.to)) and not _variables(after, change.name)
    if change.do == "remove variable" or (change.do == "set variable" and change.value is None):
        return len(_variables(after, change.name)) < len(_variables(before, change.name))
    return _done(after, change, knowledge)


def _kept(one: Setting, given: Setting, change: Change) -> bool:
    """Whether a renamed setting has the value wanted, or the one that it had."""
    if change.value is not None:
        return str(one.value) == str(change.value)
    return one.value == given.value or (one.raw is not None and one.raw == given.raw)


# the texts to try


def _ways(text: str, workload: Workload, change: Change, knowledge: Mapping[str, Knowledge]) -> Iterator[str | None]:
    """Texts that may carry one step of the change, the closest to what was typed first."""
    if change.do.endswith("variable"):
        yield from _variable_ways(text, workload, change)
        return
    given = next(iter(_settings(workload, change)), None)
    if change.do == "set" and (given is None or given.flag != change.name):
        yield from _added(text, workload, change, knowledge)
        return
    here = spot(text, workload, given) if given is not None else None
    if given is None or here is None:
        return
    if change.do == "remove" or (change.do == "set" and change.value is False and _bare(here, given)):
        yield _without(text, here)
        if change.do == "set":
            yield cut(text, here.flag, "--no-" + given.flag.removeprefix("--"))
    elif change.do == "rename":
        yield _renamed(text, here, change)
    elif here.value is not None and change.value is not None:
        new = revalued(text, here.value, rewrite.shown(change.value), literal=here.form in NAMED)
        yield cut(text, here.value, new) if new is not None else None
    elif change.value is True and given.value is False:
        yield cut(text, here.flag, given.flag)


def _bare(here: Spot, given: Setting) -> bool:
    return here.value is None and given.value is True


def _added(text: str, workload: Workload, change: Change, knowledge: Mapping[str, Knowledge]) -> Iterator[str | None]:
    if change.value is None:
        return
    known = knowledge.get(workload.launch.engine.partition("-")[0])
    gflags, value = style(known) == "gflags", change.value
    if value is False and not gflags and spell(change.name, known, None).boolean:
        yield adding.flag(text, workload, "--no-" + change.name.removeprefix("--"), True)
        return
    yield adding.flag(text, workload, change.name, "true" if gflags and value is True else value)


def _without(text: str, here: Spot) -> str | None:
    """The text without a setting."""
    if here.form == "block item" and not here.inner:
        for word in reversed(here.words):
            span = removal(text, word, here.form)
            if span is None:
                return None
            text = cut(text, span)
        return text
    span = removal(text, here.whole, here.form)
    return cut(text, span) if span is not None else None


def _renamed(text: str, here: Spot, change: Change) -> str | None:
    to = change.to
    if here.form in NAMED:
        old = text[here.flag[0] : here.flag[1]]
        to = adding.keyed(to, old) if "." not in to else ""
        if not to or change.bare or (change.value is not None and here.value is None):
            return None
    if change.value is not None and here.value is not None:
        new = revalued(text, here.value, rewrite.shown(change.value), literal=here.form in NAMED)
        text = cut(text, here.value, new) if new is not None else text
    elif change.value is not None:
        shell = here.form == "shell word" and not here.inner
        to += (" " if shell else "=") + rewrite.shown(change.value)
    elif change.bare and here.value is not None:
        dropped = _valueless(text, here)
        if dropped is None:
            return None
        text = dropped
    return cut(text, here.flag, to)


def _valueless(text: str, here: Spot) -> str | None:
    """The text without the value, which stands after the flag: `=true`, or a word of its own."""
    assert here.value is not None
    if len(here.words) > 1:
        span = removal(text, here.value, here.form)
        return cut(text, span) if span is not None else None
    return cut(text, (here.flag[1], here.value[1]))


def _variable_ways(text: str, workload: Workload, change: Change) -> Iterator[str | None]:
    given = next(iter(_variables(workload, change.name)), None)
    if given is None:
        if change.do == "set variable" and change.value is not None:
            yield adding.variable(text, workload, change.name, str(change.value))
        return
    if change.do == "rename variable":
        at = text.find(change.name, given.place.start, given.place.end)
        yield cut(text, (at, at + len(change.name)), change.to) if at >= 0 else None
    elif change.value is not None:
        place = given.value_place
        new = revalued(text, (place.start, place.end), str(change.value)) if place is not None else None
        yield cut(text, (place.start, place.end), new) if place is not None and new is not None else None
    else:
        yield from _variable_gone(text, given)


def _variable_gone(text: str, given: Assignment) -> Iterator[str | None]:
    start, end, form = given.place.start, given.place.end, given.place.form
    if start < 0 or form == "text":
        return
    if form == "shell word" and (whole := whole_command(text, start, end)) is not None:
        yield cut(text, whole[:2], whole[2])
        return
    for each in (form, "mapping value") if form not in ("shell word", "mapping value") else (form,):
        span = removal(text, (start, end), each)
        if span is not None and each in ("block item", "mapping value"):
            yield without_entry(text, span)
        yield cut(text, span) if span is not None else None
    first, last = line_of(text, start)[0], line_of(text, max(start, end - 1))[1]
    if not text[end:last].strip() and last < len(text) and form == "shell word":
        yield cut(text, (first, last + 1))
