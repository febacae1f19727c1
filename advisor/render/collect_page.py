"""The plan of a collection, and what it gave → text for a terminal."""

from __future__ import annotations

from advisor.model.capture import Collection, Outcome, Plan, Step
from advisor.render.below import told
from advisor.render.language import counted, say
from advisor.render.layout import wrap

MAX_HOW = 6
# step -> what it takes, and what that is good for
WHAT = {
    "processes": "Processes of the engine, those above and below: command lines, states, and of their environment what "
    "speaks of the engine, NCCL, torch and CUDA. It says what was launched.",
    "stacks": "Stacks of each process. They say where it waits.",
    "metrics": "The engine's counters. Two readings say whether anything moves.",
    "health": "What the engine says of itself.",
    "devices": "The accelerators: load, power, driver, topology. A rank that spins in a kernel shows there.",
    "libraries": "The packages each process was started from, the NCCL it has mapped, and the versions. They say which "
    "fixes this build has.",
    "kernel": "What the kernel says of each process and thread: state, waiting place.",
    "machine": "Kernel, C library, memory, shared memory, limits, and the kernel's lines on accelerators and memory.",
    "logs": "Logs: the first MiB and the last eight of each. They may hold prompts of your users.",
    "stacks again": "Stacks of each process, once more: what has not moved is stuck.",
    "metrics again": "The engine's counters, once more.",
    "recorder": "PyTorch's flight recorder: which collective each rank is at, and who did not join.",
}
STATUS = {"taken": "taken", "part": "taken in part", "nothing": "nothing there", "failed": "not taken"}


def plan_page(plan: Plan, width: int) -> str:
    """What will be done, before it is done."""
    rows = [say("Looks at:") if plan.found else say("Looks at no process.")]
    for one in plan.found:
        rank = f" ({say('rank {rank}', rank=one.rank)})" if one.rank else ""
        rows += _wrap(f"{one.pid} {one.role}{rank}: {one.command}", width, "- ")
    rows += [line for said in plan.said for line in _wrap(told(said), width, "")]
    rows += ["", say("Will do, in this order:")]
    for number, step in enumerate(plan.steps, 1):
        rows += _step(number, step, width)
    secrets = say("Secrets are taken out of every text. Nothing is sent anywhere.")
    writes = [step for step in plan.steps if step.writes]
    rows += [
        "",
        *_wrap(say("Every step only reads.") if not writes else say("Every step but the last only reads."), width, ""),
    ]
    rows += _wrap(f"{secrets} {say('All of it takes at most {seconds} s.', seconds=f'{plan.bound_s:.0f}')}", width, "")
    rows += _wrap(say("It goes into {file}.", file=plan.output), width, "")
    return "\n".join(rows)


def step_line(step: Step) -> str:
    """What is being done now."""
    return say("… {step}", step=say(step.name))


def _step(number: int, step: Step, width: int) -> list[str]:
    bound = say("at most {seconds} s", seconds=f"{step.bound_s:g}")
    rows = _wrap(f"{say(WHAT[step.name])} ({bound})", width, f"{number}. ")
    rows += [row for how in step.how[:MAX_HOW] for row in _wrap(how, width, "   ")]
    if len(step.how) > MAX_HOW:
        rows.append("   " + say("and {more} more", more=len(step.how) - MAX_HOW))
    return rows + (_wrap(told(step.note), width, "   ") if step.note else [])


def collection_page(done: Collection, width: int) -> str:
    """What was taken, what was not and why, and what to do with it."""
    rows: list[str] = [""]
    for outcome in done.outcomes:
        rows += _outcome(outcome, width)
    files = sum(len(one.files) for one in done.outcomes)
    size = f"{max(1, done.bytes_written >> 10)} KiB"
    rows += ["", *_wrap(say("{file}: {files}, {size}, readable by you alone. Look into it before you hand it on.",
                              file=done.plan.output, files=counted(files, "file"), size=size), width, "")]  # fmt: skip
    if not done.plan.found:
        rows += _wrap(say("There was no engine to look at: it tells of the machine alone."), width, "")
    return "\n".join([*rows, say("Next: advisor check {file}", file=done.plan.output)])


def _outcome(one: Outcome, width: int) -> list[str]:
    taken = f", {counted(len(one.files), 'file')}" if one.files else ""
    rows = [f"{say(one.step)}: {say(STATUS[one.status])}{taken}"]
    return rows + [row for said in one.said for row in _wrap(told(said), width, "  ")]


def _wrap(text: str, width: int, first: str) -> list[str]:
    shown = "".join(char if char.isprintable() else "�" for char in text)  # a command line may hold anything
    return wrap(shown, width, first, " " * len(first))
