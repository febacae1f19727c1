"""A launch and a change -> the launch after the change, its text edited where it was typed.

    vllm serve m --speculative-config '{"method":"dspark"}' -tp 8
    unset --speculative-config, set --tensor-parallel-size 4
        -> vllm serve m -tp 4

Only the characters concerned change. After each step the text is read again, and the step stands only when it did
what was asked and nothing else; otherwise the next way is tried, in the end the noun alone is changed and its text is
left as it was. A launch without text (from prose) changes as a noun.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping
from dataclasses import replace
from functools import lru_cache

from advisor.launches import bare, bindings, command_line, rewrite, shell
from advisor.launches.command_line import Source
from advisor.launches.flags import convert, load_json
from advisor.launches.shell import Command
from advisor.launches.spelling import Spelled, spell, style
from advisor.model.condition import Scalar
from advisor.model.fact import Value
from advisor.model.knowledge import Knowledge
from advisor.model.late import dataclass
from advisor.model.launch import Launch, Setting, Variable
from advisor.model.shape import Shape

_HUNK = Shape(r"\A@@ -(\d+)(,\d+)? \+(\d+)(,\d+)? @@")  # @@ -32,7 +32,7 @@


def edit(
    launch: Launch,
    *,
    knowledge: Mapping[str, Knowledge],
    set: Mapping[str, Scalar] | None = None,
    unset: tuple[str, ...] = (),
    env: Mapping[str, str | None] | None = None,
    version: str | None = None,
) -> Launch:
    """The launch with flags set and unset and variables set, or removed where the value is None.

    A dotted flag edits the JSON value it lies in. Setting a switch to False takes it away; a pair becomes `--no-x`.
    """
    editor = _Editor(launch, knowledge, version)
    for flag in unset:
        editor.unset(flag)
    for flag, value in (set or {}).items():
        editor.set(flag, value)
    for name, text in (env or {}).items():
        editor.env(name, text)
    return editor.result()


def diff(before: Launch, after: Launch) -> str:
    """The change of the text as a unified diff; "" when the text is the same or there is none.

    Its hunks are numbered as in the artifact, of which the launch's text may be a part.
    """
    if before.text == after.text:
        return ""
    old, new, above = before.text.splitlines(), after.text.splitlines(), _first_line(before) - 1
    if old == new:
        return ""
    if len(old) == len(new) == 1:  # most launches are a line, whose difference needs no search
        place = f"@@ -{above + 1} +{above + 1} @@"
        return f"--- {before.artifact}\n+++ {after.artifact}\n{place}\n-{old[0]}\n+{new[0]}\n"
    from difflib import unified_diff

    lines = unified_diff(old, new, before.artifact, after.artifact, lineterm="")
    return "".join(_HUNK.sub(lambda found: _below(found, above), line) + "\n" for line in lines)


def _first_line(launch: Launch) -> int:
    """The line of the artifact on which the launch's text begins, as its settings tell; 1 where none does."""
    for one in launch.settings:
        if one.span is not None and one.start >= 0:
            return max(1, one.span.line - launch.text.count("\n", 0, one.start))
    return 1


def _below(found: re.Match[str], above: int) -> str:
    old, new = int(found[1]) + above, int(found[3]) + above
    return f"@@ -{old}{found[2] or ''} +{new}{found[4] or ''} @@"


@dataclass(frozen=True)
class _Seen:
    """A text as read: the launch in it that is being edited, and its command."""

    launch: Launch
    command: Command


@lru_cache(maxsize=1024)  # each remedy of a case begins with the same text, and many cases have the same launch
def _read(
    source: Source, known: tuple[tuple[str, Knowledge], ...], engine: str, version: str | None, complete: bool
) -> tuple[_Seen, ...]:
    text, knowledge = source.text, dict(known)
    if bare.is_bare(text):
        made = bare.read(text, knowledge, engine or None, version, source, complete=complete)
        end = max((one.end for one in made[0].settings), default=len(text)) if made else 0
        return (_Seen(made[0], Command((), (), (), -1, end)),) if made else ()
    found = []
    for command in shell.read(text).commands:
        started = command_line.read(command, knowledge, engine or None, version, source)
        if started and command_line.reads_as_command(*started):
            found.append(_Seen(started[0], command))
    return tuple(found)


class _Editor:
    def __init__(self, launch: Launch, knowledge: Mapping[str, Knowledge], version: str | None) -> None:
        self.given, self.knowledge, self.version = launch, knowledge, version
        self.known = knowledge.get(launch.engine) or knowledge.get(launch.engine.partition("-")[0])
        self.first_line, self.index = 1, 0
        self.text = launch.text
        self.settings: list[Setting] = list(launch.settings)
        self.variables: list[Variable] = list(launch.environment)
        self.seen = self._find()
        if self.seen is not None:
            inside = {(one.flag, str(one.value)) for one in self.seen.launch.settings}
            self.settings = [one for one in launch.settings if (one.flag, str(one.value)) not in inside]
            names = {one.name for one in self.seen.launch.environment}
            self.variables = [one for one in launch.environment if one.name not in names]

    # reading

    def _find(self) -> _Seen | None:
        """The launch of the text that is the one given; sets its index and the line it starts on."""
        if not self.text:
            return None
        self.first_line = _first_line(self.given)
        found = self._read(self.text)
        wanted = [(one.flag, one.value, one.start) for one in self.given.settings if one.start >= 0]
        for index, seen in enumerate(found):
            if [(each.flag, each.value, each.start) for each in seen.launch.settings if each.start >= 0] == wanted:
                self.index = index
                return seen
        return None

    def _read(self, text: str) -> tuple[_Seen, ...]:
        source = Source(text, self.given.artifact, self.first_line)
        return _read(source, tuple(self.knowledge.items()), self.given.engine, self.version, self.given.complete)

    def _try(self, text: str | None, flag: str, value: Value) -> bool:
        """Take the text if it reads as wanted: this setting so, every other as before."""
        if text is None or self.seen is None:
            return False
        found = self._read(text)
        if len(found) <= self.index:
            return False
        now = found[self.index]
        touched = flag.partition(".")[0]
        if _said(now.launch, touched) != _said(self.seen.launch, touched):
            return False
        if not _is(now.launch, flag, value):
            return False
        self.text, self.seen = text, now
        return True

    # settings

    def unset(self, flag: str) -> None:
        """Remove a flag and everything dotted under it, or one key of a JSON value."""
        spelled = spell(flag, self.known, self.version)
        self.settings = [one for one in self.settings if not under(one.flag, spelled.flag)]
        for _ in range(200):
            typed = self._typed(spelled.flag)
            if typed is None:
                return
            text = self._without(typed, spelled.flag)
            if text is None or text == self.text or not self._step(text):
                self._noun(lambda one: not under(one.flag, spelled.flag))
                return

    def _typed(self, flag: str) -> Setting | None:
        """The last setting of the text that is the flag or lies under it."""
        settings = self.seen.launch.settings if self.seen else ()
        return next((one for one in reversed(settings) if under(one.flag, flag) and one.origin == "stated"), None)

    def _without(self, one: Setting, flag: str) -> str | None:
        at = rewrite.token(self.text, one)
        if at is None:
            return None
        if "." in flag and "." not in one.typed and at.value_start >= 0:
            raw = rewrite.edited_json(rewrite.value_of(self.text, at), flag.split(".")[1:], None, remove=True)
            if raw:
                return rewrite.with_value(self.text, at, raw)
            if raw is None:
                return None
        return rewrite.without(self.text, at.start, at.end)

    def _step(self, text: str) -> bool:
        """Take the text if the launch is still there."""
        found = self._read(text)
        if len(found) <= self.index and not (bare.is_bare(self.text) and not text.strip()):
            return False
        self.text = text
        self.seen = (
            found[self.index] if found else _Seen(replace(self.given, settings=(), text=text), Command((), end=0))
        )
        return True

    def set(self, flag: str, value: Scalar) -> None:
        """Set one flag: where it is typed if it is, else at the end of the command."""
        spelled = spell(flag, self.known, self.version)
        if spelled.negated and isinstance(value, bool):
            value = not value
        wanted = convert(value, spelled.type, guess=True) if isinstance(value, str) else value
        self.settings = [one for one in self.settings if one.flag != spelled.flag]
        if wanted is False and spelled.kind == "switch" and style(self.known) == "argparse":
            self.unset(flag)
            return
        if self.seen is not None and _is(self.seen.launch, spelled.flag, wanted):
            return
        for text in self._ways(spelled, wanted):
            if self._try(text, spelled.flag, wanted):
                return
        if self.seen is None or not self.text.strip():
            self.settings.append(Setting(spelled.flag, wanted, spelled.flag, origin="derived", known=spelled.known))
            return
        self._noun(lambda one: one.flag != spelled.flag)
        self.settings.append(Setting(spelled.flag, wanted, spelled.flag, origin="derived", known=spelled.known))

    def _ways(self, spelled: Spelled, value: Value) -> Iterator[str | None]:
        """Texts that may carry the change, the closest to what was typed first."""
        if self.seen is None:
            return
        one = self.seen.launch.setting(spelled.flag)
        if one is not None and one.origin == "stated" and (at := rewrite.token(self.text, one)):
            yield self._in_place(one, at, spelled, value)
        head, dot, rest = spelled.flag.partition(".")
        whole = self.seen.launch.setting(head) if dot else None
        if whole is not None and (at := rewrite.token(self.text, whole)) and at.value_start >= 0:
            raw = rewrite.edited_json(rewrite.value_of(self.text, at), rest.split("."), value)
            yield rewrite.with_value(self.text, at, raw) if raw else None
        yield from self._appended(spelled, value)

    def _in_place(self, one: Setting, at: rewrite.Token, spelled: Spelled, value: Value) -> str | None:
        gflags = style(self.known) == "gflags"
        if (
            isinstance(value, bool)
            and spelled.boolean
            and (at.value_start < 0 or one.typed.startswith(("--no", "-no")))
        ):
            dashes = "--" if one.typed.startswith("--") or not gflags else "-"
            name = spelled.flag.lstrip("-") if _negative(one) or gflags else one.typed.lstrip("-")
            words = f"{dashes}{name}={rewrite.shown(value)}" if gflags else f"--{'' if value else 'no-'}{name}"
            return self.text[: at.start] + words + self.text[at.end :]
        if "." in spelled.flag and "." not in one.typed:
            return None
        return rewrite.with_value(self.text, at, rewrite.shown(value)) if at.value_start >= 0 else None

    def _appended(self, spelled: Spelled, value: Value) -> Iterator[str]:
        assert self.seen is not None
        command, settings = self.seen.command, [one for one in self.seen.launch.settings if one.start >= 0]
        argparse = style(self.known) == "argparse"
        switch = (
            isinstance(value, bool)
            and (spelled.boolean or spelled.kind is None)
            and argparse
            and spelled.kind != "value"
        )
        if switch and not value and spelled.kind != "pair":
            return
        flag = spelled.flag if value or not switch else "--no-" + spelled.flag.removeprefix("--")
        words = rewrite.flag_words(
            flag, value, switch=switch, equals=self._equals(settings), underscores=self._underscores(settings)
        )
        span = (command.start, command.end) if command.start >= 0 else (0, len(self.text))
        elsewhere = [one.end for one in settings if not span[0] <= one.start <= span[1]]
        places = [max(elsewhere)] if elsewhere else []
        strays = any(note.startswith("not read as flags") for note in self.seen.launch.notes)
        if settings and (strays or command.start < 0):
            places.append(max(one.end for one in settings))
        if command.end >= 0:
            places.append(command.end)
        for place in places:
            yield rewrite.appended(self.text, place, words, command=span)

    def _equals(self, settings: list[Setting]) -> bool:
        """Whether this writer puts `=` between flag and value."""
        tokens = [at for one in settings if (at := rewrite.token(self.text, one)) and at.value_start > at.flag_end]
        signs = [self.text[at.flag_end] == "=" for at in tokens]
        return sum(signs) * 2 > len(signs) if signs else style(self.known) == "gflags"

    def _underscores(self, settings: list[Setting]) -> bool:
        """Whether this writer types underscores where the engine's own spelling has dashes."""
        typed = [one.typed.partition(".")[0].lstrip("-") for one in settings]
        return sum("_" in one for one in typed) > sum("-" in one for one in typed) and style(self.known) == "argparse"

    def _noun(self, keep: object) -> None:
        """Change the noun alone: settings leave the text's reading and are kept beside it."""
        assert callable(keep)
        if self.seen is not None:
            kept = tuple(one for one in self.seen.launch.settings if keep(one))
            self.seen = replace(self.seen, launch=replace(self.seen.launch, settings=kept))

    # environment

    def env(self, name: str, value: str | None) -> None:
        """Set or remove a variable: in the text where the text has a place for it."""
        separate = any(one.name == name for one in self.variables)
        self.variables = [one for one in self.variables if one.name != name]
        typed = self.seen is not None and self.seen.launch.variable(name) is not None
        if self.seen is not None and not separate and self.seen.command.start >= 0 and (value is not None or typed):
            text = bindings.changed(self.text, self.seen.command, name, value)
            if text is not None and self._environment_is(text, name, value):
                return
        if self.seen is not None and typed:
            kept = tuple(one for one in self.seen.launch.environment if one.name != name)
            self.seen = replace(self.seen, launch=replace(self.seen.launch, environment=kept))
        if value is not None:
            self.variables.append(Variable(name, value, origin="derived"))

    def _environment_is(self, text: str, name: str, value: str | None) -> bool:
        found = self._read(text)
        if self.seen is None or len(found) <= self.index:
            return False
        now = found[self.index]
        variable = now.launch.variable(name)
        others = [(one.name, one.value) for one in now.launch.environment if one.name != name]
        before = [(one.name, one.value) for one in self.seen.launch.environment if one.name != name]
        if (
            (variable.value if variable else None) != value
            or others != before
            or _said(now.launch) != _said(self.seen.launch)
        ):
            return False
        self.text, self.seen = text, now
        return True

    def result(self) -> Launch:
        """The launch as edited, with what the given one knew beside its text."""
        if self.seen is None:
            return replace(self.given, settings=tuple(self.settings), environment=tuple(self.variables))
        now = self.seen.launch
        settings = (*now.settings, *self.settings)
        variables = (*now.environment, *self.variables)
        model = now.model or self.given.model
        return replace(
            self.given, settings=settings, environment=variables, text=self.text, notes=now.notes, model=model
        )


def under(flag: str, whole: str) -> bool:
    """Whether a flag is that one or a key of its JSON value."""
    return flag == whole or flag.startswith(whole + ".")


def _negative(one: Setting) -> bool:
    return one.typed.lstrip("-").startswith(("no-", "no_", "no"))


def _is(launch: Launch, flag: str, value: Value) -> bool:
    found = launch.setting(flag)
    if found is None:
        return False
    if isinstance(value, str) and value.lstrip().startswith("{") and isinstance(found.value, str):
        return load_json(found.value) == load_json(value)
    return found.value == value and isinstance(found.value, bool) == isinstance(value, bool)


def _said(launch: Launch, touched: str = "") -> list[tuple[str, str]]:
    """What a launch says outside the flag touched, in order."""
    return [(one.flag, str(one.value)) for one in launch.settings if one.flag.partition(".")[0] != touched]
