"""`advisor collect`: print what will be done, do it, say what was taken. `--kubectl POD` prints a script instead."""

from __future__ import annotations

import os
import shutil
import signal
import sys
import threading
import time
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Annotated

import typer

from advisor.errors import UsageError
from advisor.faces import completion, evidence
from advisor.faces import files as files_of
from advisor.faces.language import Lang, Language
from advisor.faces.reports import NoRedact
from advisor.faces.telling import tell
from advisor.redaction import as_given
from advisor.redaction.cover import covered
from advisor.render.language import speaking


def collect(
    pid: Annotated[
        list[int] | None,
        typer.Option(
            "--pid",
            metavar="PID",
            min=1,
            help="This process and what it started; by default the engines' own. Repeatable.",
        ),
    ] = None,
    engine: Annotated[
        str, typer.Option(autocompletion=completion.engine, help=f"Only this engine's processes: {evidence.ENGINES}.")
    ] = "",
    log: Annotated[
        list[Path] | None, typer.Option(metavar="FILE", help="A log to take along, head and tail. Repeatable.")
    ] = None,
    output: Annotated[
        Path | None,
        typer.Option(
            "--output", "-o", metavar="FILE", help="The archive, .tar.gz or .zip; by default named after the time."
        ),
    ] = None,
    wait: Annotated[
        float, typer.Option(metavar="SECONDS", min=0, max=600, help="Between the two samples of stacks and counters.")
    ] = 10.0,
    plan: Annotated[bool, typer.Option("--plan", help="Only print what would be done.")] = False,
    no_trigger: Annotated[
        bool,
        typer.Option("--no-trigger", help="Do not ask the flight recorder for a dump: PyTorch would write a file."),
    ] = False,
    nonblocking: Annotated[
        bool,
        typer.Option(
            "--nonblocking", help="py-spy pauses no process, and may then show torn stacks and no native frames."
        ),
    ] = False,
    kubectl: Annotated[
        str | None,
        typer.Option(metavar="POD", help="Only print a script of kubectl commands that take the same from this pod."),
    ] = None,
    namespace: Annotated[str, typer.Option("--namespace", "-n", help="With --kubectl: the pod's namespace.")] = "",
    container: Annotated[str, typer.Option("--container", "-c", help="With --kubectl: the container.")] = "",
    no_redact: NoRedact = False,
    lang: Lang = Language.en,
) -> None:
    """Take the evidence of a running deployment into one archive for `advisor check`. Reads only, sends nothing."""
    with speaking(lang.value):
        if kubectl is not None or namespace or container:
            files_of.write(_script(kubectl or "", namespace, container, engine, wait, not no_trigger), output)
            return
        if not sys.platform.startswith("linux"):
            raise UsageError(
                "works on Linux alone, where /proc is", "collect", "for a pod: advisor collect --kubectl POD"
            )
        _collect(tuple(pid or ()), engine, tuple(log or ()), output, wait, plan, not no_trigger, nonblocking)


def _collect(
    pids: tuple[int, ...],
    engine: str,
    logs: tuple[Path, ...],
    output: Path | None,
    wait_s: float,
    plan_only: bool,
    trigger: bool,
    nonblocking: bool,
) -> None:
    from advisor.jobs import collect as job
    from advisor.jobs.collect_scene import Asked
    from advisor.render import collect_page

    for path in logs:
        if not path.is_file():
            raise UsageError("no such file", f"--log {path}", "check the path")
    width = min(shutil.get_terminal_size((80, 24)).columns, 110)
    whose = os.uname().nodename if as_given() else str(os.getpid())
    target = output or Path(f"advisor-{whose}-{time.strftime('%Y%m%dT%H%M%S')}.tar.gz")
    prepared = job.prepare(Asked(target, pids, engine, wait_s, trigger, nonblocking, logs))
    files_of.write(collect_page.plan_page(covered(prepared.plan), width), None)
    if plan_only:
        return
    with _stopped_as_interrupted():
        done = job.run(prepared, lambda step: tell(collect_page.step_line(covered(step)), err=True))
    files_of.write(collect_page.collection_page(covered(done), width), None)


@contextmanager
def _stopped_as_interrupted() -> Iterator[None]:
    """A pod is stopped with SIGTERM: that too leaves nothing half-written and no child."""
    if threading.current_thread() is not threading.main_thread():
        yield
        return
    before = signal.signal(signal.SIGTERM, signal.default_int_handler)
    try:
        yield
    finally:
        signal.signal(signal.SIGTERM, before)


def _script(pod: str, namespace: str, container: str, engine: str, wait_s: float, trigger: bool) -> str:
    from advisor.jobs.collect_pod import script

    if not pod.strip():
        where = "--namespace" if namespace else "--container" if container else "--kubectl"
        what = "names no pod" if where == "--kubectl" else "goes with --kubectl POD"
        raise UsageError(what, where, "such as --kubectl llm-0 -n prod")
    return script(pod, namespace, container, engine, wait_s, trigger)
