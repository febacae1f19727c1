"""A file as read before and after an edit -> what differs beside what the edit is about.

Two readings are compared launch by launch: words, settings and variables that are not touched, in their order, the
build, the machines, probes, and everything else but places and notes. Another launch may differ in what is touched only
where that stands in the same characters of the file.
"""

from __future__ import annotations

import re
from collections.abc import Iterator

from advisor.model.deployment import Deployment, Workload
from advisor.model.launch import Setting


def changed_besides(before: Deployment, after: Deployment, index: int, touched: frozenset[str]) -> str:
    """What else differs, in a few words; "" for nothing."""
    if after.recognised != before.recognised or len(after.workloads) != len(before.workloads):
        return "the file would read as something else"
    if _unread(after) != _unread(before):
        return "the file would not be read as well as now"
    if [(one.name, one.namespace) for one in after.services] != [(one.name, one.namespace) for one in before.services]:
        return "a Service would differ"
    held = _holding(before.workloads[index], touched)
    for number, (one, other) in enumerate(zip(before.workloads, after.workloads, strict=True)):
        for what, old, new in _compared(one, other, touched | held):
            if old != new:
                return f"{what} of {one.identity()} would differ"
        alters = number != index and _told(one, touched) != _told(other, touched)
        if alters and not _places(one, touched) & _places(before.workloads[index], touched):
            return f"{one.identity()} would change as well"
    return ""


def _unread(one: Deployment) -> list[tuple[str, str]]:
    """What could not be read, without the numbers of lines and bytes, which an edit moves."""
    return [(note.kind, re.sub(r"\d+", "#", note.text)) for note in one.unread]


def sharing(before: Deployment, after: Deployment, index: int) -> Iterator[str]:
    """The other launches that an edit changed."""
    for number, (one, other) in enumerate(zip(before.workloads, after.workloads, strict=True)):
        if number != index and (_all(one) != _all(other)):
            yield one.identity()


def _all(one: Workload) -> tuple[object, ...]:
    return tuple(_told(one, frozenset())), [each.text for each in one.arguments]


def _told(one: Workload, touched: frozenset[str]) -> list[tuple[str, str]]:
    """What a launch says of the flags and variables touched; of all, where none is named."""
    said = [(each.flag, str(each.value)) for each in one.launch.settings if _is_in(each.flag, touched)]
    return said + [(each.name, each.value) for each in one.environment if not touched or each.name in touched]


def _is_in(flag: str, touched: frozenset[str]) -> bool:
    return not touched or flag.partition(".")[0] in touched


def _places(one: Workload, touched: frozenset[str]) -> set[tuple[int, int]]:
    found = {(each.start, each.end) for each in one.launch.settings if each.start >= 0 and _is_in(each.flag, touched)}
    found |= {(each.place.start, each.place.end) for each in one.environment if each.name in touched}
    # where it is added: the neighbours that it follows
    return (
        found
        | {(each.place.start, each.place.end) for each in one.arguments[-1:]}
        | {(each.place.start, each.place.end) for each in one.environment[-1:]}
    )


def _holding(one: Workload, touched: frozenset[str]) -> frozenset[str]:
    """Variables in whose value a touched flag stands: VLLM_ADDITIONAL_ARGS."""
    spots = [(each.start, each.end) for each in one.launch.settings if each.start >= 0 and _is_in(each.flag, touched)]
    return frozenset(
        each.name
        for each in one.environment
        if each.value_place is not None
        for start, end in spots
        if each.value_place.start <= start and end <= each.value_place.end
    )


def _compared(one: Workload, other: Workload, touched: frozenset[str]) -> Iterator[tuple[str, object, object]]:
    yield "the object", _outside(one), _outside(other)
    yield "a setting", _settings(one, touched), _settings(other, touched)
    yield "a variable", _environment(one, touched), _environment(other, touched)
    yield "a word", _words(one, touched), _words(other, touched)


def _settings(one: Workload, touched: frozenset[str]) -> list[tuple[str, str, str]]:
    given = [each for each in one.launch.settings if each.flag.partition(".")[0] not in touched]
    return [(each.flag, str(each.value), each.origin) for each in given if each.origin != "default"]


def _environment(one: Workload, touched: frozenset[str]) -> list[tuple[str, str, bool]]:
    return [(each.name, each.value, each.known) for each in one.environment if each.name not in touched]


def _words(one: Workload, touched: frozenset[str]) -> list[str]:
    """The words that are not of a touched setting; of an item that holds others too, only its own words are."""
    gone: set[int] = set()
    for each in one.launch.settings:
        if each.start >= 0 and each.flag.partition(".")[0] in touched:
            inside = [
                index
                for index, word in enumerate(one.arguments)
                if each.start <= word.place.start and word.place.end <= each.end
            ]
            gone |= set(_own(one, each, inside) if _shares(one, each, touched) else inside)
    return [word.text for index, word in enumerate(one.arguments) if index not in gone]


def _shares(one: Workload, each: Setting, touched: frozenset[str]) -> bool:
    """Whether the setting's place holds another setting that is not touched: `- --tp 8 --seed 1`."""
    return any(
        (other.start, other.end) == (each.start, each.end) and other.flag.partition(".")[0] not in touched
        for other in one.launch.settings
    )


def _own(one: Workload, each: Setting, inside: list[int]) -> list[int]:
    """The setting's own words among those of its place."""
    for index in inside:
        text = one.arguments[index].text
        if text == each.typed:
            return [index] if each.raw is None else [index, index + 1]
        if text == f"{each.typed}={each.raw}":
            return [index]
    return []


def _outside(one: Workload) -> tuple[object, ...]:
    held = one.resources
    numbers = (held.gpus, held.memory, held.shm, one.replicas, one.nodes, one.grace)
    return (
        one.format, one.identity(), one.launch.engine, one.launch.model, one.launch.image, one.launch.complete,
        held.gpu_resource, held.host_ipc, one.pre_stop_s, one.capabilities, one.host_pid, one.service_links,
        one.accelerators, tuple((each.value, each.text) if each else None for each in numbers),
        tuple((each.kind, each.text) for each in one.versions),
        tuple((each.kind, each.allows_s, each.path) for each in one.probes),
        tuple((name, value) for name, value, _ in one.annotations),
    )  # fmt: skip
