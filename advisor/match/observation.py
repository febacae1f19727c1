"""What lint finds in one workload beside exposure: the noun, the check behind it, and the places both stand on.

A check names what it looks for and the upstream text that it rests on; an observation is one place where it holds. Both
are plain data: what becomes of them (regions, fingerprints) is the caller's.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from advisor.match.view import View
from advisor.model.deployment import Argument, Assignment, Place, Workload
from advisor.model.launch import Setting, Variable
from advisor.model.lint import Actionability, Edit, Kind
from advisor.model.report import SourceOut
from advisor.model.rule import Level

READ = "2026-11-29"
OPERATED = {
    "LLMInferenceService",
    "DynamoGraphDeployment",
    "DynamoComponentDeployment",
    "Model",
    "Workspace",
    "VLLMRuntime",
}
"""Kinds whose operator adds to the pod what the object does not say: shared memory, probes, devices."""

SELECTING = {"Deployment", "StatefulSet", "DaemonSet", "ReplicaSet"}
"""Kinds that must have a selector; without one it is a patch, whose rest stands elsewhere."""

NOT_PODS = {"shell", "docker", "dockerfile", "compose", "python", "slurm", "systemd", "skypilot", "config", "text"}
"""Formats that are no Kubernetes object, whatever they call their workloads."""


@dataclass(frozen=True, slots=True)
class Check:
    """A named check. `summary` is what it finds, `details` when it speaks and when it is silent."""

    id: str
    kind: Kind
    level: Level
    summary: str
    details: str
    sources: tuple[SourceOut, ...] = ()


@dataclass(frozen=True, slots=True)
class Observation:
    """One place where a check holds. `fact` is what makes it this one and no other: `--tp-size=8`, never a line."""

    check: Check
    says: str
    place: Place
    fact: str
    because: tuple[str, ...] = ()
    advice: tuple[str, ...] = ()
    related: tuple[tuple[Place, str], ...] = ()
    actionability: Actionability = "fix released"
    edit: Edit = ""
    level: Level | None = None


def in_pod(workload: Workload) -> bool:
    """Whether it runs in a pod of Kubernetes."""
    return bool(workload.kind) and workload.format not in NOT_PODS


def whole(workload: Workload, text: str) -> bool:
    """Whether all of the pod stands here, so that what is absent has Kubernetes' own default."""
    if not in_pod(workload) or not workload.container or workload.kind in OPERATED:
        return False
    around = document(workload, text)
    pinned = workload.launch.image or any(one.kind == "image" for one in workload.versions)
    selects = workload.kind not in SELECTING or "selector" in around
    return bool(pinned) and selects and "{{" not in around


def document(workload: Workload, text: str) -> str:
    """The YAML document of a file in which a workload stands."""
    start = text.rfind("\n---", 0, max(workload.place.start, 0)) + 1
    end = text.find("\n---", workload.place.end)
    return text[start : end if end >= 0 else len(text)]


def value_of(view: View, flag: str) -> object:
    """A flag's value, given or by default; None when it is unset, not known, or not the same in every launch."""
    values = {fact.value for fact in view.ask("setting", flag).facts}
    return values.pop() if len(values) == 1 else None


def number_of(view: View, flag: str) -> int | None:
    """A flag's whole number, given or by default; None when it is not known or not a number."""
    value = value_of(view, flag)
    try:
        return None if isinstance(value, bool) or value is None else int(str(value))
    except ValueError:
        return None


def place_of(workload: Workload, given: Setting | Variable | None) -> Place | None:
    """Where a setting or variable stands in the file; None when it is not in its text."""
    if isinstance(given, Variable):
        return next((one.place for one in reversed(workload.environment) if one.name == given.name), None)
    if given is None:
        return None
    if given.start >= 0:
        word = next((one for one in workload.arguments if _within(one, given)), None)
        form = word.place.form if word else "text"
        span = given.span or workload.place.span
        return Place(given.start, given.end, form, span)
    typed = given.typed.partition(".")[0]
    named = [one for one in workload.arguments if one.text.partition("=")[0] == typed]
    return named[-1].place if named else None


def _within(one: Argument, given: Setting) -> bool:
    return given.start <= one.place.start < max(given.end, given.start + 1)


def related(workload: Workload, flags: Sequence[str]) -> tuple[tuple[Place, str], ...]:
    """The places of those of the flags that are given, each with what it is."""
    found = []
    for flag in flags:
        given = workload.launch.setting(flag)
        place = place_of(workload, given)
        if given is not None and place is not None:
            found.append((place, f"{given.typed} {given.value}"))
    return tuple(found)


def assigned(workload: Workload, name: str) -> Assignment | None:
    """The last assignment of the variable."""
    return next((one for one in reversed(workload.environment) if one.name == name), None)


def source(where: str, note: str = "", date: str = READ) -> SourceOut:
    """A source as the report has it."""
    return SourceOut(where, date, note)
