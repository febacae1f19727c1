"""A flag that one command has twice, and a process whose command line is another -> a note of each.

vllm serve m -tp 8 … --tensor-parallel-size 4             which of them holds, and is judged
Process 12: python3 -m sglang.launch_server … --tp 8      beside --flags with --tp 4: which of them is looked at?
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace

from advisor.catalog.engines import engines, knowledge
from advisor.jobs.differing import alike, as_typed, differences, listed
from advisor.jobs.gathering import Gathering
from advisor.launches import reading
from advisor.model.fact import Artifact, Note, Span, Value
from advisor.model.launch import Launch
from advisor.model.shape import Shape

_PROCESS = Shape(r"[ \t]*Process (\d+): (\S+ [^\n]+)")  # Process 12: python3 -m sglang.launch_server --tp 8
MOST_PROCESSES = 64
_BY_ARGPARSE = ("vllm", "sglang", "lmdeploy")


def say_given_twice(gathering: Gathering) -> None:
    """Say of a flag that stands twice in one command which of its values holds: the last, as Python's argparse has it
    (https://docs.python.org/3/library/argparse.html, action `store`); what xLLM's gflags do is not established."""
    version = gathering.base.version
    for launch in (*gathering.launches, *gathering.mentioned):
        said = list(_twice(launch, version)) if launch.complete and launch.engine in _BY_ARGPARSE else []
        if said:
            gathering.notes.append(Note("conflict", f"one command has {listed(said)}: the last holds", _place(launch)))


def _place(launch: Launch) -> Span:
    return next((one.span for one in launch.settings if one.span), None) or Span(launch.artifact)


def _twice(launch: Launch, version: str | None) -> Iterator[str]:
    """What is given more than once with other values; a flag that gathers its values is not."""
    given: dict[str, list[Value]] = {}
    for one in launch.settings:
        if one.known and one.origin == "stated" and "." not in one.flag:
            given.setdefault(one.flag, []).append(one.value)
    for flag, values in given.items():
        record = knowledge(launch.engine).setting(flag, version) if len(values) > 1 else None
        if record is not None and record.kind != "list":
            other = next((one for one in values[:-1] if not alike(one, values[-1])), values[-1])
            if not alike(other, values[-1]):
                yield f"{flag} {as_typed(flag, other)} and then {as_typed(flag, values[-1])}"


def compare_processes(gathering: Gathering) -> None:
    """Say where the process of a stack dump was started with another command than the one that is given."""
    given = [one for one in gathering.launches if one.complete]
    if not given or len(given) < len(gathering.launches):
        return
    for one in _processes(gathering):
        if one.engine == given[0].engine:
            said = differences(one, given, gathering.base.version)
            if said:
                text = f"the process that was looked at has {listed(said)}; judged by what you give"
                gathering.notes.append(Note("conflict", text, _place(one)))


def _processes(gathering: Gathering) -> Iterator[Launch]:
    """The engines' servers among the processes of stack dumps, as launches that were seen."""
    known = {name: knowledge(name) for name in engines()}
    left = MOST_PROCESSES
    for artifact in gathering.artifacts:
        for line, command in _commands(artifact) if artifact.kind == "stack" else ():
            left -= 1
            if left < 0:
                return
            found = reading.read(
                command, knowledge=known, version=gathering.base.version, artifact=artifact.name, first_line=line
            )
            for one in found.launches:
                if one.complete and one.server:
                    yield replace(one, settings=tuple(replace(each, origin="observed") for each in one.settings))


def _commands(artifact: Artifact) -> Iterator[tuple[int, str]]:
    """The number of a line and the command in it. Quotes are lost there, so no more than words can be told."""
    if "Process " not in artifact.text:
        return
    for at, line in enumerate(artifact.text.split("\n")):
        if found := _PROCESS.match(line[:4096]):
            yield artifact.number_of(at), found[2]
