"""What tests of deployment files share: a file as read, and the characters behind each thing it says."""

from __future__ import annotations

from textwrap import dedent

from advisor.launches.files.recognise import read_file
from advisor.model.deployment import Deployment, Place, Workload
from tests.launches.situations import real


def deployment(text: str | bytes, name: str = "x.yaml") -> Deployment:
    """The file as read; a text is dedented first."""
    content = dedent(text).lstrip("\n").encode() if isinstance(text, str) else text
    return read_file(name, content, real())


def only(text: str | bytes, name: str = "x.yaml") -> tuple[Workload, str]:
    """The one workload of a file, and the file's text."""
    found = deployment(text, name)
    assert len(found.workloads) == 1, [one.identity() for one in found.workloads]
    return found.workloads[0], found.text


def typed(one: Workload) -> dict[str, str]:
    """The characters behind each setting; "" when it stands nowhere in the file."""
    return {each.flag: one.launch.text[each.start : each.end] for each in one.launch.settings if "." not in each.flag}


def values(one: Workload) -> dict[str, object]:
    """Flag to value."""
    return {each.flag: each.value for each in one.launch.settings}


def at(text: str, place: Place | None) -> str:
    """The characters of a place."""
    return text[place.start : place.end] if place is not None else ""


def variables(one: Workload, text: str) -> dict[str, tuple[str, bool, str]]:
    """Name to value, whether it is known, and the characters of the value."""
    return {each.name: (each.value, each.known, at(text, each.value_place)) for each in one.environment}
