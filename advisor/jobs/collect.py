"""A running deployment → one archive of the evidence of it: what will be done is a plan, and then it is done.

    plan = jobs.collect.prepare(asked)        looks at the process table only
    jobs.collect.run(plan, …)                 does the steps, redacts, writes the archive whole or not at all

A step that finds nothing, lacks a tool or may not look says so and costs nothing else. The steps themselves stand in
the modules `collect_…` beside this one.
"""

from __future__ import annotations

import json
import time
from collections.abc import Callable
from contextvars import copy_context
from dataclasses import asdict, dataclass, replace
from datetime import UTC, datetime
from functools import partial
from pathlib import Path

from advisor import __version__
from advisor.capture import processes as table_of
from advisor.capture.archive import Archive
from advisor.capture.bounded import let_end, within
from advisor.capture.commands import Commands
from advisor.catalog.engines import profiles
from advisor.errors import UsageError
from advisor.jobs.collect_plan import planned
from advisor.jobs.collect_recorder import recorded
from advisor.jobs.collect_samples import health, metrics, metrics_again, stacks, stacks_again
from advisor.jobs.collect_scene import Asked, Kept, Scene
from advisor.jobs.collect_still import devices, kernel_of, libraries_of, logs, machine, processes
from advisor.model.capture import FORMAT, Collection, Found, Outcome, Plan, Step

_ENDS_S = 3.0  # a step ends as soon as its programs are killed
_SLACK_S = 5.0  # beyond a step's own bound, for what it does besides waiting

STEPS: dict[str, Callable[[Scene, Kept], Outcome]] = {
    "processes": processes,
    "stacks": stacks,
    "metrics": metrics,
    "health": health,
    "devices": devices,
    "libraries": libraries_of,
    "kernel": kernel_of,
    "machine": machine,
    "logs": logs,
    "stacks again": stacks_again,
    "metrics again": metrics_again,
    "recorder": recorded,
}


@dataclass(frozen=True)
class Prepared:
    """The plan and what it stands on."""

    plan: Plan
    scene: Scene


def prepare(asked: Asked) -> Prepared:
    """Look who runs here, and plan. Raises UsageError for a process or an engine that there is not."""
    patterns = {name: str(one.get("processes") or "") for name, one in profiles().items()}
    if asked.engine:
        if not patterns.get(asked.engine):
            known = ", ".join(sorted(name for name, pattern in patterns.items() if pattern))
            raise UsageError(f"no engine {asked.engine!r} whose processes are known", "--engine", f"known: {known}")
        patterns = {asked.engine: patterns[asked.engine]}
    running = table_of.table()
    said: list[str] = []
    roots = _roots(asked, running, patterns, said)
    chosen = table_of.with_children(running, roots)
    if len(chosen) > table_of.MAX_SAMPLED:
        said.append(f"only the first {table_of.MAX_SAMPLED} of {len(chosen)} processes are looked at")
        chosen = dict(list(chosen.items())[: table_of.MAX_SAMPLED])
    scene = Scene(asked, running, chosen, table_of.ranks(chosen, running))
    found = tuple(Found(pid, scene.ranks.get(pid, ""), role, scene.shown(pid)) for pid, role in chosen.items())
    return Prepared(Plan(found, planned(scene), str(asked.output), asked.wait_s, tuple(said)), scene)


def _roots(
    asked: Asked, running: dict[int, table_of.Process], patterns: dict[str, str], said: list[str]
) -> dict[int, str]:
    """The processes to look at: those named, else an engine's, else those that use an accelerator."""
    engines = table_of.engines(running, patterns)
    if asked.pids:
        for pid in asked.pids:
            if pid not in running:
                raise UsageError("no such process", f"--pid {pid}", "in a container, its numbers are not the host's")
        return {pid: engines.get(pid, table_of.NAMED) for pid in asked.pids}
    if engines:
        return engines
    users = table_of.accelerator_users(running)
    if users:
        said.append("no process of an engine known here; those that use an accelerator are looked at instead")
    else:
        said.append("no process of an engine known here, and none that uses an accelerator; --pid PID names one")
    return users


def run(prepared: Prepared, told: Callable[[Step], None]) -> Collection:
    """Do what was planned, and write the archive. `told` hears of each step before it is done.

    Raises UsageError when the archive cannot be written, KeyboardInterrupt as it comes: then nothing is left behind.
    """
    scene, plan, began = prepared.scene, prepared.plan, time.monotonic()
    kept = Kept()
    outcomes: list[Outcome] = []
    try:
        with Archive(Path(plan.output)) as archive, Commands() as commands:
            scene.commands = commands
            for step in plan.steps:
                told(step)
                outcomes.append(_done(step, scene, kept))
            manifest = _manifest(plan, outcomes, kept)
            size = archive.write(kept.covered(manifest), scene.began)
    except KeyboardInterrupt:
        let_end(_ENDS_S)  # the programs of the step at hand are killed, and it ends with them
        raise
    return Collection(plan, tuple(outcomes), size, time.monotonic() - began)


def _done(step: Step, scene: Scene, kept: Kept) -> Outcome:
    began = time.monotonic()
    before = set(kept.files)
    bound = step.bound_s + scene.asked.wait_s + _SLACK_S
    late = Outcome("", "failed", said=(f"given up after {bound:.0f} s: a read did not come back",))
    outcome = within(bound, partial(copy_context().run, STEPS[step.name], scene, kept), late)
    files = tuple(sorted(set(kept.files) - before))
    status = outcome.status if outcome.status != "taken" or files else "nothing"
    return replace(outcome, step=step.name, status=status, files=files, seconds=round(time.monotonic() - began, 2))


def _manifest(plan: Plan, outcomes: list[Outcome], kept: Kept) -> bytes:
    """What was done, for a person, and for the reader of `advisor check`."""
    how = {step.name: step.how for step in plan.steps}
    content = {
        "format": FORMAT,
        "advisor": __version__,
        "taken": datetime.now(UTC).isoformat(timespec="seconds"),
        "processes": [asdict(one) for one in plan.found],
        "steps": [
            {
                "step": one.step, "how": how[one.step], "status": one.status, "seconds": one.seconds,
                "said": one.said, "files": one.files,
            }
            for one in outcomes
        ],
        "runs": kept.runs,
    }  # fmt: skip
    return (json.dumps(content, indent=1, ensure_ascii=False) + "\n").encode("utf-8", "replace")
