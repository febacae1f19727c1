"""A finding's ground -> the changes of the file that `advisor fix` makes for it, and whether by itself or when asked.

    --swap-space is gone in this release          remove it                     safe: the engine does not start with it
    --disable-log-requests, turned round          remove it, or its opposite    safe, where this very release is known
    VLLM_ATTENTION_BACKEND is not read any more   set the flag instead          unsafe: it would begin to count
    a rule's remedy that costs nothing            its settings                  safe
    a rule's remedy that costs something          its settings                  unsafe

A remedy is known to cost nothing only where its own words begin so. What is only suggested is never chosen.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass

from advisor.advice.remedies import EDITS
from advisor.jobs.discrepancies import release_at
from advisor.launches.files.editing import Change
from advisor.match.judge import fits
from advisor.match.view import View
from advisor.model.deployment import Workload
from advisor.model.knowledge import Knowledge
from advisor.model.launch import Setting, Variable
from advisor.model.lint import Edit
from advisor.model.report import Discrepancy
from advisor.model.rule import Remedy, Rule

_FREE = re.compile(r"None(?: known)?\.")  # "None known." as a whole sentence: no condition after it
_ANOTHER_VALUE = re.compile(
    r"\bdivide|\bmultipl|\bcounts?\b|no longer|took the place|the old one only|another one|given itself|by its number|"
    r"[Ii]t is the key|Name the kernel|[Aa] level|other names|choices|was split|[Ss]plit into|Give the size|"
    r"a switch now|[Aa] switch turns|became a choice|chosen by name|lease|a port turns|size is above|"
    r"two variables|overrides its"
)  # what knowledge says of replacements whose value is not the old one's
_REFUSED = ("setting-removed", "setting-replaced", "setting-spelling", "setting-kind", "setting-value")


@dataclass(frozen=True, slots=True)
class Choice:
    """What to do about one finding; nothing where `edit` is ""."""

    changes: tuple[Change, ...] = ()
    edit: Edit = ""

    def says(self) -> str:
        """The changes in words, each once."""
        return ", ".join(dict.fromkeys(one.says() for one in self.changes))


NOTHING = Choice()


def of_discrepancy(
    one: Discrepancy, given: Setting | Variable | None, workload: Workload, index: int, view: View, *, exact: bool
) -> Choice:
    """The choice for a setting or variable that does not fit; `exact`: what is judged is the build's own release."""
    if isinstance(given, Variable):
        return _of_variable(one, given, workload, index, view)
    if given is None or given.start < 0:
        return NOTHING
    changes = tuple(_of_setting(one, given, workload, index, view))
    if not changes:
        return NOTHING
    safe = exact and one.code in (*_REFUSED, "setting-deprecated")
    return Choice(changes, "safe" if safe else "unsafe")


def _of_setting(one: Discrepancy, given: Setting, workload: Workload, index: int, view: View) -> Iterator[Change]:
    name, typed = given.flag, given.typed
    gone = Change(index, "remove", name, typed)
    to, _, value = one.instead.partition(" ")
    if one.code == "setting-removed" or (one.code == "setting-replaced" and not to):
        yield gone
    elif not to:
        if "leave it out" in one.says or "leave the flag out" in one.says:
            yield gone
    elif not to.startswith("-"):
        return
    elif one.code == "setting-value":
        yield Change(index, "set", name, value=value)
    elif one.code == "setting-kind":
        yield Change(index, "rename", name, typed, to, bare=True)
    elif one.inverted:
        yield from _turned(gone, given, to, view.knowledge, view.release)
    elif workload.launch.setting(to) is not None and to != name:
        return  # both are given: which one is meant is not said
    elif value:
        yield gone if given.value is False else Change(index, "rename", name, typed, to, value)
    elif one.code != "setting-spelling" and not _keeps_value(one, given, to, view):
        return
    elif "." in to and given.value is True:
        yield Change(index, "rename", name, typed, to, value=True)
    else:
        off = typed.startswith("--no-") and given.value is False and to != name and not to.startswith("--no-")
        yield Change(index, "rename", name, typed, f"--no-{to[2:]}" if off else to)


def _keeps_value(one: Discrepancy, given: Setting, to: str, view: View) -> bool:
    """Whether the value means the same to the new flag: of one kind and type, and nothing said to the contrary."""
    if one.code == "setting-unknown":
        return True
    known = view.knowledge
    new = known.setting(to.partition(".")[0], view.release) if known is not None else None
    if known is None or new is None or _ANOTHER_VALUE.search(one.says):
        return False
    old = next(iter(known.records(given.flag)[::-1]), None)
    alike = old is not None and (old.kind, old.type or "") == (new.kind, new.type or "")
    takes = not new.choices or given.raw is None or given.raw in map(str, new.choices)
    return ("." in to and new.kind == "json") or (alike and takes)


def _turned(gone: Change, given: Setting, to: str, known: Knowledge | None, release: str | None) -> Iterator[Change]:
    """The opposite flag with the opposite truth; none at all where that is its default."""
    record = known.setting(to, release) if known is not None else None
    if not isinstance(given.value, bool) or record is None:
        return
    wanted = not given.value
    if record.default_known and bool(record.default) == wanted:
        yield gone
    elif wanted:
        yield Change(gone.workload, "rename", gone.name, gone.typed, to, bare=False, value=True)
    elif record.kind == "pair":
        yield Change(gone.workload, "rename", gone.name, gone.typed, f"--no-{to[2:]}", value=False)


def _of_variable(one: Discrepancy, given: Variable, workload: Workload, index: int, view: View) -> Choice:
    place = next((each.place for each in reversed(workload.environment) if each.name == given.name), None)
    if place is None or place.form == "text":
        return NOTHING
    gone = Change(index, "remove variable", given.name)
    if not one.instead:
        known_unread = one.code == "variable-removed" and bool(one.sources)
        edit: Edit = "safe" if known_unread else "unsafe" if one.code.endswith("-removed") else ""
        return Choice((gone,) if edit else (), edit)
    if one.inverted or _ANOTHER_VALUE.search(one.says):
        return NOTHING
    if one.instead.startswith("-"):
        return _to_flag(one, given, gone, workload, view)
    to, _, value = one.instead.partition("=")
    if workload.launch.variable(to) is not None:
        return NOTHING
    renamed = Change(index, "rename variable", given.name, to=to)
    more = (Change(index, "set variable", to, value=value),) if value else ()
    return Choice((renamed, *more), "safe" if one.code == "variable-deprecated" and not value else "unsafe")


def _to_flag(one: Discrepancy, given: Variable, gone: Change, workload: Workload, view: View) -> Choice:
    """A flag in the place of a variable: never by itself, for what was not read begins to count."""
    to, _, value = one.instead.partition(" ")
    record = view.knowledge.setting(to, view.release) if view.knowledge is not None else None
    if workload.launch.setting(to) is not None or record is None or "." in to:
        return NOTHING
    if record.kind in ("switch", "pair"):
        truth = {"1": True, "true": True, "0": False, "false": False}.get(given.value.lower())
        if truth is None:
            return NOTHING
        more = (Change(gone.workload, "set", to, value=True),) if truth else ()
        return Choice((gone, *more), "unsafe")
    return Choice((gone, Change(gone.workload, "set", to, value=value or given.value)), "unsafe")


def is_exact(view: View) -> bool:
    """Whether the settings that a case is judged by are those of its own release."""
    release = release_at(view)
    return release is not None and release.exact


# remedies


def fitting(rule: Rule, view: View) -> list[Remedy]:
    """The remedies that are an edit of the launch, are known better than by a suggestion, and fit here."""
    return [one for one in rule.remedies if one.do in EDITS and one.status != "suggested" and fits(one, view)]


def is_free(remedy: Remedy) -> bool:
    """Whether the rule says, without a condition, that it costs nothing."""
    return bool(_FREE.match(remedy.cost))


def of_remedy(remedy: Remedy, workloads: Sequence[tuple[int, Workload]]) -> Choice:
    """The changes that carry out a remedy in the launches of one case; those that hold already need none."""
    changes: list[Change] = []
    for index, workload in workloads:
        launch = workload.launch
        for flag in remedy.unset or ():
            if any(one.flag == flag or one.flag.startswith(flag + ".") for one in launch.settings if one.start >= 0):
                changes.append(Change(index, "remove", flag))
        for flag, value in (remedy.set or {}).items():
            given = launch.setting(flag)
            if given is None or given.value != value:
                changes.append(Change(index, "set", flag, value=value))
        for name, text in (remedy.env or {}).items():
            held = launch.variable(name)
            if (held.value if held else None) != text:
                changes.append(Change(index, "set variable", name, value=text))
    return Choice(tuple(changes), ("safe" if is_free(remedy) else "unsafe") if changes else "")


def of_exposure(rule: Rule, view: View) -> Edit:
    """How far the file can be edited for a rule."""
    found = fitting(rule, view)
    return "" if not found else "safe" if any(is_free(one) for one in found) else "unsafe"


def of_stale(rule: Rule, workload: Workload, index: int) -> Choice:
    """The settings away that a rule's workaround brought.

    Safe where the rule says that the fix is complete: then nothing but that failure was known to speak for them.
    """
    complete = any(one.completeness == "complete" and one.state == "merged" for one in rule.fixes)
    for remedy in rule.remedies:
        if remedy.do not in ("set", "env") or remedy.status == "suggested":
            continue
        flags = [flag for flag in remedy.set or {} if workload.launch.setting(flag) is not None]
        names = [name for name, text in (remedy.env or {}).items() if text is not None]
        held = [name for name in names if (one := workload.launch.variable(name)) and one.value == remedy.env[name]]  # type: ignore[index]
        changes = [Change(index, "remove", flag) for flag in flags]
        changes += [Change(index, "remove variable", name) for name in held]
        if changes:
            return Choice(tuple(changes), "safe" if complete else "unsafe")
    return NOTHING
