"""What is handed over twice and not alike -> a note that says both, and which of them is judged by.

    run.sh has --tensor-parallel-size 4, the log shows 8           pod.yaml has NCCL_DEBUG=INFO, --env says WARN
    two ranks that print other sizes                               --model names another model than the command

`comparing_commands` does the same for a flag that one command has twice and for the processes of a stack dump,
`comparing_machines` for hardware and components, `merging` for builds; two versions of a build are
`match.contradictions`. A note changes no judgement.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from shlex import quote

from advisor.jobs.differing import alike, as_typed, differences, listed
from advisor.jobs.gathering import Gathering
from advisor.jobs.request import Request
from advisor.model.condition import as_word
from advisor.model.fact import Note, Span
from advisor.model.launch import Launch, Variable
from advisor.redaction import redact_value

OF_ALL = (
    "--tensor-parallel-size", "--tp-size", "--tp", "--pipeline-parallel-size", "--pp-size", "--pp", "--nnodes", "--dp",
    "--data-parallel-size", "--dp-size", "--expert-parallel-size", "--ep-size", "--ep", "--dtype", "--kv-cache-dtype",
    "--quantization", "--max-model-len", "--context-length", "--page-size",
)  # fmt: skip
"""Settings that every rank of one deployment has alike."""


def compare_arguments(gathering: Gathering) -> None:
    """Say where an engine printed other arguments than the command that is given has; that command is judged."""
    given = [one for one in gathering.launches if one.complete]
    if not given or len(given) < len(gathering.launches):
        return
    for printed in gathering.mentioned:
        if _is_of_one_engine(printed, given[0]) and _printed(printed):
            said = differences(printed, given, gathering.base.version)
            if said:
                text = f"the log shows {listed(said)}; judged by what you give"
                gathering.notes.append(Note("conflict", text, printed.settings[0].span))


def compare_files(gathering: Gathering) -> None:
    """Say where launches of files, of the log and of `--flags` do not go together."""
    files = [one for one in gathering.mentioned if one.complete and one.settings and not _printed(one)]
    names = {one.name for one in gathering.artifacts if one.kind == "launch"}
    files = [one for one in files if one.artifact in names]
    printed = [one for one in gathering.mentioned if one.settings and _printed(one)]
    gathering.notes += [*_of_ranks(printed), *_beside_flags(files, gathering.launches)]
    if not gathering.launches:
        gathering.notes += _beside_log(files, printed, gathering.base.version)


def _printed(launch: Launch) -> bool:
    return any(one.origin == "observed" for one in launch.settings)


def _is_of_one_engine(one: Launch, other: Launch) -> bool:
    return one.engine.partition("-")[0] == other.engine.partition("-")[0]


def _beside_log(files: list[Launch], printed: list[Launch], version: str | None) -> Iterator[Note]:
    """Where an engine printed other arguments than the files that are handed over with its log have."""
    for one in printed:
        given = [file for file in files if _is_of_one_engine(file, one)]
        said = differences(one, given, version, f"{given[0].artifact} has") if given else []
        if said:
            text = f"the log shows {listed(said)}: which of them ran?"
            yield Note("conflict", text, one.settings[0].span or Span(one.artifact))


def _beside_flags(files: list[Launch], given: list[Launch]) -> Iterator[Note]:
    """Where the command that is given has another value than each of the files."""
    for launch in given if files else ():
        said = []
        for flag in dict.fromkeys(one.flag for one in launch.settings):
            mine, theirs = launch.setting(flag), [(file, found) for file in files if (found := file.setting(flag))]
            if mine and theirs and not any(alike(mine.value, found.value) for _, found in theirs):
                file, found = theirs[0]
                value, here = (as_typed(flag, one.value) for one in (found, mine))
                said.append(f"{flag} {value} in {file.artifact} (you give {here})")
        if said:
            yield Note("conflict", f"there is {listed(said)}; judged by what you give", Span(launch.artifact))


def _of_ranks(printed: list[Launch]) -> Iterator[Note]:
    """Where two ranks printed other values of what all of them have alike."""
    ranks = list({one.rank: one for one in printed if one.rank is not None}.values())
    for first, other in ((ranks[0], one) for one in ranks[1:]):
        said = []
        for flag in OF_ALL:
            one, two = first.setting(flag), other.setting(flag)
            if one and two and not alike(one.value, two.value):
                said.append(f"{flag} {one.value} of rank {first.rank}, {two.value} of rank {other.rank}")
        if said:
            text = f"ranks were started with other arguments: {listed(said)}"
            yield Note("conflict", text, other.settings[0].span or Span(other.artifact))


def compare_variables(gathering: Gathering, given: Iterable[Variable]) -> None:
    """Say where `--env` gives a variable otherwise than a launch does, or twice; its last value holds."""
    last: dict[str, str] = {}
    for one in given:
        if last.get(one.name, one.value) != one.value:
            _say_variable(gathering, one, "--env", last[one.name])
        last[one.name] = one.value
    for launch in (*gathering.launches, *gathering.mentioned):
        for name, value in last.items():
            found = launch.variable(name)
            if found is not None and found.value != value and "$" not in found.value:
                _say_variable(gathering, Variable(name, value), launch.artifact, found.value)


def _say_variable(gathering: Gathering, holds: Variable, place: str, other: str) -> None:
    name = holds.name  # before each value: by it redaction knows whose it is
    old, new = (quote(str(redact_value(name, one))) for one in (other, holds.value))
    text = f"{name}={old} here and {name}={new} by --env; judged by the last of --env"
    gathering.notes.append(Note("conflict", text, Span(place)))


def compare_model(request: Request, gathering: Gathering) -> None:
    """Say where `--model` names another model than every launch does: by the last part of a path, in small letters."""
    named = {one.model for one in (*gathering.launches, *gathering.mentioned) if one.model and "$" not in one.model}
    if request.model and named and _last(request.model) not in map(_last, named):
        launched = " and ".join(as_word(one) for one in sorted(named)[:2])
        text = f"you say {as_word(request.model)}, what is launched is {launched}"
        gathering.notes.append(Note("conflict", text, Span("--model")))


def _last(model: str) -> str:
    return model.rstrip("/").rpartition("/")[2].lower()
