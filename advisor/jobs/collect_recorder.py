"""The flight recorder of each rank: asked where it is armed, and what lay there already where no new dump came."""

from __future__ import annotations

import time

from advisor.capture import recorder
from advisor.capture.processes import environment
from advisor.jobs.collect_scene import Kept, Scene
from advisor.model.capture import Outcome, status

RECORDER_S = 20.0


def armed(scene: Scene) -> list[recorder.Armed]:
    """The recorders of the processes that are looked at."""
    found = (recorder.armed(pid, scene.ranks.get(pid, ""), environment(pid)) for pid in sorted(scene.chosen))
    return [one for one in found if one is not None]


def recorded(scene: Scene, kept: Kept) -> Outcome:
    """Ask every rank first, then wait for the dumps of all."""
    every = armed(scene)
    said: list[str] = []
    asked_at, until = time.time(), time.monotonic() + RECORDER_S
    waiting = [one for one in every if one.pipe and scene.asked.trigger and _asked(one, said)]
    fresh = {one.pid: recorder.answered(one, asked_at, until) for one in waiting}
    said += [
        f"process {pid} wrote no dump within {RECORDER_S:g} s; where TORCH_NCCL_DUMP_ON_TIMEOUT is off, PyTorch looks "
        "at its pipe only once in TORCH_NCCL_HEARTBEAT_TIMEOUT_SEC: collect again later"
        for pid, dump in fresh.items()
        if dump is None
    ]
    if without := [str(one.pid) for one in every if not one.pipe]:
        said.append(
            f"no pipe of the flight recorder is open in {', '.join(without)}: PyTorch makes one for NCCL where "
            "TORCH_NCCL_DEBUG_INFO_PIPE_FILE is set and TORCH_NCCL_TRACE_BUFFER_SIZE is above 0"
        )
    taken = sum(_keep(scene, kept, one, fresh.get(one.pid), said) for one in every)
    return Outcome("", status(len(every) - taken, len(every)), said=tuple(said))


def _asked(one: recorder.Armed, said: list[str]) -> bool:
    problem = recorder.ask(one)
    if problem:
        said.append(f"{one.pipe} could not be written to: {problem}")
    return not problem


def _keep(scene: Scene, kept: Kept, one: recorder.Armed, fresh: recorder.Dump | None, said: list[str]) -> bool:
    """Keep the dump just written, else the one that lay there: its name and a sentence tell them apart."""
    dump = fresh or recorder.dump_of(one)
    if dump is None:
        return False
    if dump.written < scene.processes[one.pid].started:
        said.append(f"{dump.path} was left there: it is older than process {one.pid}")
        return False
    if dump.read.problem or dump.read.cut:
        said.append(f"{dump.path} was not taken: {dump.read.problem or 'it is longer than any dump is'}")
        return False
    if not dump.is_one:
        said.append(f"{dump.path} was not taken: it is no dump of a flight recorder")
        return False
    rank = f"rank{one.rank}-" if one.rank else ""
    if fresh is None:
        said.append(
            f"{dump.path} was written {round((time.time() - dump.written) / 60)} minutes before, for another cause"
        )
    return kept.binary(f"{rank}pid{one.pid}.{'' if fresh else 'old-'}recorder", dump.read.content)
