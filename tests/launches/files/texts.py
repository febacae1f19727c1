"""What tests of the text readers share: a file as a user commits it goes in by the front door, and is asked in words."""

from __future__ import annotations

from advisor.launches.files.recognise import read_file
from advisor.model.deployment import Deployment, Place, Workload
from tests.launches.situations import real


def deployed(name: str, text: str) -> Deployment:
    """What the file deploys, with the engines as `knowledge/` has them."""
    return read_file(name, text.encode(), real())


def started(name: str, text: str) -> Workload:
    """The file's only launch."""
    found = deployed(name, text)
    assert len(found.workloads) == 1, [one.identity() for one in found.workloads]
    return found.workloads[0]


def words(workload: Workload) -> list[str]:
    """The command line as the engine gets it."""
    return [one.text for one in workload.arguments]


def typed(workload: Workload, place: Place) -> str:
    """The characters of the file at a place."""
    return workload.launch.text[place.start : place.end]


def arguments(workload: Workload) -> dict[str, str]:
    """Each word, and the characters it stands in."""
    return {one.text: typed(workload, one.place) for one in workload.arguments}


def settings(workload: Workload) -> dict[str, object]:
    """Each setting's value."""
    return {one.flag: one.value for one in workload.launch.settings}


def spans(workload: Workload) -> dict[str, str]:
    """Each setting, and the characters of its flag and value."""
    return {one.flag: workload.launch.text[one.start : one.end] for one in workload.launch.settings if one.start >= 0}


def variables(workload: Workload) -> dict[str, tuple[str, str, str]]:
    """Each variable: its value, the characters of its entry, and those of its value ("" where it has none)."""
    return {
        one.name: (
            one.value,
            typed(workload, one.place),
            typed(workload, one.value_place) if one.value_place else "",
        )
        for one in workload.environment
    }


def versions(workload: Workload) -> list[tuple[str, str, str]]:
    """Each version source: kind, text, and the characters that say so."""
    return [(one.kind, one.text, typed(workload, one.place)) for one in workload.versions]


def notes(workload: Workload) -> list[str]:
    """What is said of the workload."""
    return [one.text for one in workload.notes]
