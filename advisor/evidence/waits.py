"""Stacks -> where each rank's main thread waits, and whether it has moved between two captures.

    broadcast (torch/distributed/distributed_c10d.py:2974)       a gloo broadcast, from broadcast_requests (wedge.py)
    synchronize (torch/cuda/__init__.py:1162)                    the device
    sched_yield / ncclLocalOpAppend (proxy.cc:499)               a slot of NCCL's proxy
    acquire_read (shm_broadcast.py), get (queue.py), poll (zmq)  work: an idle worker stands there too
    clock_nanosleep (libc.so.6)                                  a sleep

The innermost frame that is known decides. Tracebacks are no captures. One capture cannot tell waiting from passing
through; two of one process with the same Python lines can. A file that comes twice under one name is one capture.

**Source:** frames of py-spy 0.4 captures of PyTorch 2.11, vLLM 0.28, SGLang 0.5.17; PyTorch 2.11
`distributed_c10d.py`, `c10/cuda/CUDAFunctions.cpp`; NCCL 2.28 `src/proxy.cc`.
"""

from __future__ import annotations

import re
from bisect import bisect_right
from collections.abc import Iterable, Iterator
from functools import cached_property
from typing import Literal

from advisor.evidence.lines import body, line_around, occurrences
from advisor.evidence.ranks import Ranks
from advisor.model.fact import Artifact, FactKind, Frame, Span, Thread
from advisor.model.late import dataclass
from advisor.model.shape import Shape

FACTS = (
    FactKind(
        "stack.unchanged",
        "bool",
        "whether the main thread of a rank stood at the same lines in two captures",
        "Does a second stack of the same process, half a minute later, show the same lines?",
        "py-spy dump --pid PID; sleep 30; py-spy dump --pid PID",
    ),
)

Place = Literal["device", "nccl", "host", "work", "sleep", "other"]

_DEVICE = frozenset(
    {
        "cudaDeviceSynchronize",
        "cudaStreamSynchronize",
        "cudaEventSynchronize",
        "cuCtxSynchronize",
        "cuCtxSynchronize_v2",
        "cuStreamSynchronize",
        "cuEventSynchronize",
        "aclrtSynchronizeStream",
        "aclrtSynchronizeDevice",
        "aclrtSynchronizeEvent",
        "aclrtSynchronizeStreamWithTimeout",
        "hipDeviceSynchronize",
        "hipStreamSynchronize",
        "hipEventSynchronize",
        "at::native::_local_scalar_dense_cuda",
        "at::native::_local_scalar_dense",
    }
)
_COLLECTIVES = frozenset(
    {
        "broadcast",
        "all_reduce",
        "all_gather",
        "all_gather_into_tensor",
        "reduce_scatter",
        "reduce_scatter_tensor",
        "all_to_all",
        "all_to_all_single",
        "barrier",
        "monitored_barrier",
        "gather",
        "scatter",
        "reduce",
        "send",
        "recv",
    }
)
_OF_OBJECTS = frozenset(
    {"broadcast_object_list", "all_gather_object", "gather_object", "scatter_object_list", "broadcast_pyobj"}
    | {"send_object_list", "recv_object_list", "_broadcast_reqs_across_ranks"}
)
_WORK = {  # function -> a part of its file
    "acquire_read": "shm_broadcast",
    "dequeue": "shm_broadcast",
    "get": "queue",
    "poll": "zmq",
    "recv": "zmq",
    "recv_multipart": "zmq",
    "select": "selectors.py",
    "_poll": "multiprocessing",
    "_recv": "multiprocessing",
    "recv_bytes": "multiprocessing",
    "wait": "multiprocessing",
}
_SLEEP = frozenset({"clock_nanosleep", "nanosleep", "__nanosleep", "sleep", "usleep"})
_ASKS_FOR_WORK = frozenset({"recv_requests", "_broadcast_reqs_across_ranks", "recv_reqs"})
_OURS_NOT = ("distributed/distributed_c10d.py", "distributed/c10d_logger.py", "cuda/", "utils/", "concurrent/")

_PROCESS = Shape(r"Process (\d+: .*)")  # Process 648: sglang::scheduler_TP1
_OWN_NUMBER = Shape(r"\s*Thread (\d+) \(")  # a main thread bears the number of its process


@dataclass(frozen=True)
class Stand:
    """Where the main thread of a rank stood in one capture. `words` complete "waits …" or "stands …".

    `asks_for_work` says that it stood there to get the next requests, as an idle rank does. `lines` are its Python
    frames with their line numbers, `process` what the capture calls the process, "" when not said. `copied` is the
    file's own name and text: captures alike in it are copies of one another.
    """

    rank: str
    place: Place
    words: str
    op: str
    functions: tuple[str, ...]
    lines: tuple[str, ...]
    process: str
    copied: tuple[str, str]
    asks_for_work: bool
    span: Span
    artifact: str

    @property
    def waits(self) -> bool:
        return self.place != "other"

    @property
    def is_idle(self) -> bool:
        return self.place == "work" or self.asks_for_work


class _Text:
    """The lines of an artifact by their number in what the user gave; where they end is looked up once."""

    def __init__(self, artifact: Artifact) -> None:
        self.artifact = artifact

    @cached_property
    def ends(self) -> list[int]:
        return [*occurrences(self.artifact.text, "\n"), len(self.artifact.text)]

    def line(self, number: int) -> str:
        index = self.artifact.index_of(number)
        if index is None or index >= len(self.ends):
            return ""
        return self.artifact.text[self.ends[index - 1] + 1 if index else 0 : self.ends[index]]

    @cached_property
    def processes(self) -> list[tuple[int, str]]:
        """Line and name of each process that a capture is headed with."""
        text = self.artifact.text
        seen = [(at, found[1]) for at in occurrences(text, "Process ") if (found := _PROCESS.match(text, at))]
        heads = [(at, name) for at, name in seen if body(line_around(text, at).text).lstrip().startswith("Process ")]
        return [(bisect_right(self.ends, at - 1), name.strip()) for at, name in heads]

    def process(self, thread: Thread) -> str:
        """The process above the thread, else the number of its main thread; "" when neither is printed."""
        index = self.artifact.index_of(thread.span.line) or 0
        above = bisect_right(self.processes, index, key=lambda one: one[0])
        own = _OWN_NUMBER.match(body(self.line(thread.span.line)))
        return self.processes[above - 1][1] if above else own[1] if own and thread.name == "MainThread" else ""


def stands(read: Iterable[tuple[Artifact, tuple[Thread, ...]]], ranks: Ranks) -> list[Stand]:
    """Every capture of a rank's main thread, in the order given."""
    found: list[Stand] = []
    for artifact, threads in read:
        if not threads:
            continue
        text = _Text(artifact)
        captured = [thread for thread in threads if thread.frames and _is_capture(text, thread)]
        for rank, thread in _main(captured):
            named = ranks.of(artifact.rank if rank is None else rank)
            if named:
                found.append(_stand(text, named, thread))
    workers = [one for one in found if one.rank.isdigit() or "TP" in one.rank or "PP" in one.rank]
    return workers or found


def _is_capture(text: _Text, thread: Thread) -> bool:
    """Whether the thread was captured while alive; an exception's traceback is where a thread was."""
    if thread.name == "MainThread":
        return True
    return text.artifact.kind == "stack" and "Traceback" not in text.line(thread.span.line)


def _main(threads: list[Thread]) -> Iterator[tuple[str | None, Thread]]:
    """The main thread of each capture: named so, else the one that runs the program, else one whose place is known."""
    named = [thread for thread in threads if thread.name == "MainThread"]
    if named:
        yield from ((thread.rank, thread) for thread in named)
        return
    by_rank: dict[str | None, list[Thread]] = {}
    for thread in threads:
        by_rank.setdefault(thread.rank, []).append(thread)
    for rank, mine in by_rank.items():
        running = [one for one in mine if one.frames[-1].function in ("<module>", "main")]
        known = [one for one in mine if _where(one)[0] != "other"]
        chosen = mine if len(mine) == 1 else running or known
        if chosen:
            yield rank, chosen[0]


def _stand(text: _Text, rank: str, thread: Thread) -> Stand:
    place, words, op, depth = _where(thread)
    frames = thread.frames
    caller = next((one for one in frames[depth + 1 :] if _is_ours(one)), None)
    if caller and place != "other":
        words += f", called from {caller}"
    return Stand(
        rank,
        place,
        words,
        op,
        tuple(one.function for one in frames if _is_python(one)) or tuple(one.function for one in frames),
        tuple(_numbered(one, text.line(one.span.line)) for one in frames if _is_python(one)),
        text.process(thread),
        (re.split(r"[/\\!]", text.artifact.name)[-1], text.artifact.text),
        any(one.function in _ASKS_FOR_WORK for one in frames),
        frames[depth].span,
        text.artifact.name,
    )


def _numbered(frame: Frame, line: str) -> str:
    """The frame with the line number that it was printed with, whatever stands before it on the line."""
    file = re.escape(frame.file.rsplit("/", 1)[-1])
    numbers: list[str] = re.findall(file + r'(?::|\\?", line )(\d+)', line)
    return f"{frame} {' '.join(numbers)}"


def _is_python(frame: Frame) -> bool:
    return frame.file.endswith(".py")


def _is_ours(frame: Frame) -> bool:
    return _is_python(frame) and not any(part in frame.file for part in _OURS_NOT)


def _where(thread: Thread) -> tuple[Place, str, str, int]:
    """Place, words, the collective's name if it is one, and the depth of the frame that decided."""
    frames = thread.frames
    for depth, frame in enumerate(frames):
        if known := _known(thread, frame):
            return (*known, depth)
    top = next((depth for depth, frame in enumerate(frames) if _is_python(frame)), 0)
    return "other", f"in {frames[top]}", "", top


def _known(thread: Thread, frame: Frame) -> tuple[Place, str, str] | None:
    function, file = frame.function, frame.file
    if function == "ncclLocalOpAppend":
        inside = _collective(thread)
        return (
            "nccl",
            "in ncclLocalOpAppend (for a slot of NCCL's proxy)" + (f" inside {inside}" if inside else ""),
            inside,
        )
    if function in _DEVICE or (function == "synchronize" and ("cuda/" in file or "npu/" in file or "streams" in file)):
        return "device", f"for its device, in {function}", ""
    if function in _COLLECTIVES and "distributed_c10d" in file:
        called = f"gloo {function}" if _is_gloo(thread) else function
        return "host", f"in {'an' if called[0] in 'aeiou' else 'a'} {called}", function
    if "deep_ep" in file and any(word in function for word in ("dispatch", "combine")):
        return "nccl", f"in DeepEP's {function}", function
    if function in _WORK and _WORK[function] in file:
        return "work", f"for work, in {frame}", ""
    if function in _SLEEP:
        return "sleep", f"in a sleep on the host ({function})", ""
    return None


def _collective(thread: Thread) -> str:
    return next((one.function for one in thread.frames if one.function in _COLLECTIVES and _is_c10d(one)), "")


def _is_c10d(frame: Frame) -> bool:
    return "distributed_c10d" in frame.file


def _is_gloo(thread: Thread) -> bool:
    """Whether the collective runs on the host: in gloo, or on objects, and not in NCCL's code."""
    names = [frame.function for frame in thread.frames]
    if any("nccl" in name.lower() for name in names):
        return False
    return any("gloo" in name.lower() or name in _OF_OBJECTS or name == "c10d::Work::wait" for name in names)


def unchanged(captures: list[Stand]) -> dict[str, bool]:
    """For each rank with a process captured more than once, whether its Python lines are the same in all captures."""
    by_process: dict[tuple[str, str], list[Stand]] = {}
    for one in originals(captures):
        if one.lines:
            by_process.setdefault((one.rank, one.process), []).append(one)
    found: dict[str, bool] = {}
    for (rank, _), mine in by_process.items():
        if len(mine) > 1:
            found[rank] = found.get(rank, True) and len({one.lines for one in mine}) == 1
    return found


def originals(captures: list[Stand]) -> list[Stand]:
    """The captures without those of a file that came before under the same name, byte for byte."""
    first: dict[tuple[str, str, str], str] = {}
    return [one for one in captures if first.setdefault((one.rank, *one.copied), one.artifact) == one.artifact]


def latest(captures: list[Stand]) -> dict[str, Stand]:
    """The most telling capture of each rank: one whose place is known before one that only names a frame."""
    found: dict[str, Stand] = {}
    for one in captures:
        kept = found.get(one.rank)
        if kept is None or not kept.waits or (one.waits and "gloo" in one.words):
            found[one.rank] = one
    return found
