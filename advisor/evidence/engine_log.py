"""Engine logs -> symptoms, errors, and what the engine said of itself.

    [2026-08-02 12:01:07 TP1] Scheduler watchdog timeout (self.watchdog_timeout=120, self.soft=False)
    [rank0]: torch.OutOfMemoryError: CUDA out of memory. Tried to allocate 8.00 GiB. GPU 0 has a total capacity of ...
    F20260124 17:37:19.071696 1003807 sequence.cpp:250] Check failed: sequence_params_.enable_schedule_overlap ...
    TimeoutError: RPC call to sample_tokens timed out
    INFO:     Application shutdown complete.

Facts: `symptom.watchdog .hang .timeout .crash .oom .killed .graph_capture .nan .startup_failure .heartbeat_stopped`,
`error.exception` (roots first; what was raised because a peer died comes after them and is not notable),
`process.clean_exit`, and those of `banner`. A healthy log yields no symptom: what is printed after a stop was asked
for, and errors of single requests after which service went on, are not notable.

**Source:** SGLang 0.5.17 `srt/utils/watchdog.py`, `managers/scheduler.py`, `entrypoints/engine.py`,
`managers/tokenizer_manager.py`, `layers/sampler.py`; vLLM `v1/engine/core.py`, `v1/executor/multiproc_executor.py`,
`entrypoints/launcher.py`; uvicorn `server.py`; xLLM `server/xllm_server.cpp`; glog `logging.cc`;
PyTorch 2.11 `c10/cuda/CUDACachingAllocator.cpp`. Read 2026-11-30: of processes that were killed SGLang 0.5.16
`srt/entrypoints/engine.py` (exit code) and `srt/managers/data_parallel_controller.py` (terminated with); of failed
captures its `srt/model_executor/runner/decode_cuda_graph_runner.py`; of NaN its `srt/utils/async_probe.py` (NaN
detected). Which file prints the other lines of these three (Docker's and Slurm's words for a killed process, CUDA's
for a capture, `probability tensor contains`, `NaN in the logits`) is not established: they are as reports show them.
"""

from __future__ import annotations

import re
from collections.abc import Iterator

from advisor.evidence import banner, heartbeat
from advisor.evidence.lines import head_length, line_around, occurrences
from advisor.evidence.sighting import once, sighting
from advisor.evidence.tracebacks import Raised, raised
from advisor.model.fact import Artifact, Fact, FactKind
from advisor.model.shape import Shape

_HEAD, _TAIL = 20_000, 4_000  # characters in which a banner, and the end of a clean stop, are looked for
HEALTH = "curl -s -m 5 -o /dev/null -w '%{http_code}' http://HOST:PORT/health"

FACTS = (
    FactKind(
        "symptom.watchdog",
        "bool",
        "a watchdog fired",
        "Does any log say that a watchdog timed out?",
        "grep -hi 'watchdog' LOG of every rank",
    ),
    FactKind(
        "symptom.hang",
        "bool",
        "requests never return: no progress, stuck, dead-locked",
        "Do requests stop returning while the processes stay?",
        HEALTH,
    ),
    FactKind(
        "symptom.timeout",
        "bool",
        "some timeout is reported",
        "Does any log report a timeout?",
        "grep -hiE 'timed out|timeout' LOG of every rank",
    ),
    FactKind(
        "symptom.crash",
        "bool",
        "a process died, aborted or failed an assertion",
        "Did a process end by itself?",
        "docker ps -a, kubectl get pods, or dmesg | tail",
    ),
    FactKind(
        "symptom.startup_failure",
        "bool",
        "the server never starts: it fails with an error",
        "Does it fail before it serves?",
        "tail -n 100 LOG",
    ),
    FactKind(
        "symptom.oom",
        "bool",
        "memory ran out",
        "Does any log say out of memory?",
        "grep -hi 'out of memory' LOG of every rank; dmesg | grep -i oom",
    ),
    FactKind(
        "error.exception",
        "str",
        "the type of the exception at the root of a traceback",
        "Which exception stands first in the logs?",
        "grep -hE '^[A-Za-z_.]*(Error|Exception)' LOG of every rank",
    ),
    FactKind(
        "process.clean_exit",
        "bool",
        "the process ended because it was asked to",
        "Did the process end cleanly?",
        "tail -n 5 LOG",
    ),
    FactKind(
        "symptom.killed",
        "bool",
        "a process was killed from outside: SIGKILL, exit code 137 or -9, the OOM killer",
        "Was a process killed (exit code 137 or -9, OOMKilled)?",
        "dmesg -T | grep -iE 'killed process|oom'; docker inspect -f '{{.State.OOMKilled}} {{.State.ExitCode}}' NAME",
    ),
    FactKind(
        "symptom.graph_capture",
        "bool",
        "it fails while CUDA or ACL graphs are captured",
        "Does it fail while graphs are captured?",
        "tail -n 100 LOG of every rank",
    ),
    FactKind(
        "symptom.nan",
        "bool",
        "NaN or Inf was seen in logits, probabilities or outputs",
        "Are there NaN values in logits or outputs?",
        "grep -hi 'nan' LOG of every rank",
    ),
    *heartbeat.FACTS,
    *banner.FACTS,
)

# words an engine prints -> what they show, besides symptom.timeout
_ALARMS: tuple[tuple[str, tuple[str, ...]], ...] = (
    (
        "atchdog timeout (self.",
        ("symptom.watchdog", "symptom.hang", "symptom.timeout"),
    ),  # Scheduler watchdog timeout (self.watchdog_timeout=
    ("Scheduler watchdog timeout", ("symptom.watchdog", "symptom.hang", "symptom.timeout")),
    ("RPC call to ", ("symptom.timeout",)),  # … sample_tokens timed out: of a busy worker as of one that hangs
    ("DeepEP error: CPU recv timeout", ("symptom.hang", "symptom.timeout")),
    ("DeepEP timeout", ("symptom.hang", "symptom.timeout")),
    ("The wait execution of the Notify register times out", ("symptom.hang", "symptom.timeout")),  # HCCL EI0002
    ("for recv operation to complete", ("symptom.hang", "symptom.timeout")),  # gloo
)
_OOM = (
    "CUDA out of",
    "NPU out of memory",
    "HIP out of memory",
    "CUDA error: out of memory",
    "cudaErrorMemoryAllocation",
    "OutOfMemoryError",
    "OOMKilled",
    "RuntimeError: Not enough memory. Please try",
)
_CRASH = (
    "terminate called after throwing an instance of",
    "Fatal Python error:",
    "Segmentation fault (core dumped)",
    "Aborted (core dumped)",
    "!!!!!!! Segfault encountered",
    "*** SIGSEGV",
    "*** SIGABRT",
    "*** SIGBUS",
)
_ECHO_CRASH = (
    "died unexpectedly",
    "Received sigquit from a child",
    "SIGQUIT received",
    " crashed with exit code",
    "EngineDeadError",
)
_KILLED = (
    "OOMKilled",
    "exit code -9",
    "exit code: -9",
    "exitcode: -9",
    "exitcode=-9",
    "exitcode -9",
    "exit code 137",
    "exit code: 137",
    "Exit Code:    137",
    "Exited (137)",
    "terminated with -9",
    "failed with an exit code 9.",
    "killed by signal 9",
    "was killed by SIGKILL",
    "Signal 9 (SIGKILL)",
    "terminated by signal 9",
)
_CAPTURE = (
    "Capture cuda graph failed",
    "Capture CUDA graph failed",
    "operation not permitted when stream is capturing",
    "operation failed due to a previous error during capture",
    "cudaErrorStreamCapture",
)
_NAN = (
    "probability tensor contains either `inf`, `nan` or element < 0",
    "NaN in the logits",
    "NaN in logits",
    "logits contain NaN",
    "contains NaN",
    "NaN detected",
)
_STARTUP = (
    "EngineCore failed to start",
    "WorkerProc failed to start",
    "WorkerProc initialization failed",
    "Engine core initialization failed",
    "Capture cuda graph failed",
)
_STARTUP_IF_SEEN = "Received sigquit from a child"  # older releases print it while serving, too
_STOPPING = (
    "SIGTERM received",
    "Gracefully exiting...",
    "Shutting down",
    "[shutdown] API server: shutdown triggered",
    "stopping server...",
)
_CLEAN = (
    "Application shutdown complete.",
    "Finished server process",
    "Gracefully exiting... Remaining number of requests 0",
    " - Destroy COMPLETE",
)
_READY = (
    "Application startup complete.",
    "The server is fired up and ready to roll!",
    "Please open ",
    "Brpc Server started on port",
)
_ALIVE = ('" 200', "Decode batch", "Avg prompt throughput:", "Avg thr (in/out):", "finish_reason: ")
_FATAL = (" hit an exception", "failed to start", "fatal error", "Process ", "[rank", "Uncaught exception")
_ECHO = Shape(
    r"EngineDeadError|BrokenPipe|closed by peer|reset by peer|communicator was aborted|remote process exited|"
    r"See root cause above|See stack trace|watchdog thread terminated|TCPStore|cancelled|"
    r"EngineCore encountered an issue"
)
_QUIET = frozenset(
    {"KeyboardInterrupt", "SystemExit", "CancelledError", "GeneratorExit", "StopIteration", "StopAsyncIteration"}
)
_GLOG_FATAL = Shape(r"^(?:\S+ )?F\d{4,8} \d\d:\d\d:\d\d\.\d+ +(?:\d+ )?[\w./-]+:\d+\] (Check failed)?", re.M)
FATAL = r"F\d{4,8} \d\d:\d\d:\d\d\.\d+ "  # what every such line has
_QUIET_HEAD = Shape(r"\b(?:INFO|DEBUG|WARNING)\b|\[?[IW]\d{4}")
_SPOKEN_BY_WATCHDOG = ("terminate called", "Process group watchdog thread terminated")
_ALARM_AT = (
    "atchdog timeout (self.",
    "Scheduler watchdog timeout",
    "Watchdog caught collective operation timeout",
    "Heartbeat monitor timed out",
)
MARKS = (
    *(mark for mark, _ in _ALARMS),
    *_OOM,
    *_CRASH,
    *_ECHO_CRASH,
    *_KILLED,
    *_CAPTURE,
    *_NAN,
    *_STARTUP,
    _STARTUP_IF_SEEN,
    *_STOPPING,
    *_CLEAN,
    *_READY,
    *_ALIVE,
    *_SPOKEN_BY_WATCHDOG,
    *_ALARM_AT,
)
_THROWN = Shape(r"terminate called after throwing an instance of '([^'\n]+)'|Fatal Python error: ([^\n]{1,80})")


def read(artifact: Artifact) -> tuple[Fact, ...]:
    """The facts of a log, or of a part of one."""
    text = artifact.text
    calm = _calm(text)
    alarms = [fact for fact in _alarms(artifact) if fact]
    errors = _errors(artifact, calm)
    crashes = [] if _spoken_by_watchdog(text) else [one for one in _crashes(artifact) if not _in(calm, one[0])]
    facts = [
        *alarms,
        *(fact for at, fact in _memory(artifact) if not _in(calm, at)),
        *(fact for at, fact in _marked(artifact) if not _in(calm, at)),
        *errors,
        *(fact for _, fact in crashes),
        *_startup(artifact, errors),
        *heartbeat.read(artifact, _alarm_at(text)),
        *banner.read(artifact),
    ]
    troubled = any(fact.name.startswith("symptom.") for fact in facts)
    return once([*facts, *_exit(artifact, troubled)])


def covers(artifact: Artifact) -> bool:
    """Whether the log spans a whole life: a banner at its head, a clean stop at its end, nothing cut off."""
    text = artifact.text
    starts = banner.starts(text)
    start = starts[0] if starts else text.find("NCCL version ", 0, _HEAD)
    end = max((text.rfind(mark) for mark in _CLEAN), default=-1)
    ends = end >= 0 and len(text) - end < _TAIL and not any(again > end for again in starts)
    return 0 <= start < _HEAD and end > start and ends


def _calm(text: str) -> list[tuple[int, int]]:
    """Stretches in which the process was being stopped on purpose: what it prints there is no symptom."""
    stretches: list[tuple[int, int]] = []
    starts = banner.starts(text)
    for mark in _STOPPING:
        for count, at in enumerate(occurrences(text, mark)):
            if count > 20:
                break
            stretches.append((at, next((again for again in starts if again > at), len(text))))
    return stretches


def _in(stretches: list[tuple[int, int]], at: int) -> bool:
    return any(start <= at < end for start, end in stretches)


def _quiet_line(text: str, at: int) -> bool:
    """Whether a logger printed this line as mere information or a warning."""
    row = line_around(text, at)
    head = head_length(row.text)
    return bool(head and _QUIET_HEAD.search(row.text[:head]))


def _alarms(artifact: Artifact) -> Iterator[Fact]:
    text = artifact.text
    for mark, names in _ALARMS:
        for count, at in enumerate(occurrences(text, mark)):
            if count > 200:
                break
            row = line_around(text, at)
            if _quiet_line(text, at) or (mark == "RPC call to " and "timed out" not in text[at : at + 120]):
                continue
            if mark == "for recv operation to complete" and "imed out" not in text[max(row.start, at - 80) : at]:
                continue
            yield from (sighting(artifact, name, True, at, row.end, notable=True) for name in names)


def _alarm_at(text: str) -> int | None:
    """Where a watchdog first spoke."""
    found = [at for mark in _ALARM_AT if (at := text.find(mark)) >= 0]
    return min(found) if found else None


def _memory(artifact: Artifact) -> Iterator[tuple[int, Fact]]:
    for mark in _OOM:
        for count, at in enumerate(occurrences(artifact.text, mark)):
            if count > 200:
                break
            if not _quiet_line(artifact.text, at):
                yield at, sighting(artifact, "symptom.oom", True, at, notable=True)


def _marked(artifact: Artifact) -> Iterator[tuple[int, Fact]]:
    """What single words of a log give away."""
    for name, marks in (
        ("symptom.killed", _KILLED),
        ("symptom.graph_capture", _CAPTURE),
        ("symptom.nan", _NAN),
    ):
        for mark in marks:
            at = artifact.text.find(mark)
            if at >= 0 and not _quiet_line(artifact.text, at):
                yield at, sighting(artifact, name, True, at)


def _errors(artifact: Artifact, calm: list[tuple[int, int]]) -> list[Fact]:
    """`error.exception` and `symptom.crash` of what was raised, roots before their echoes."""
    roots: list[Fact] = []
    echoes: list[Fact] = []
    alive = max(artifact.text.rfind(mark) for mark in _ALIVE)  # the last sign that service goes on
    for one in raised(artifact.text):
        if one.name in _QUIET or _in(calm, one.begin):
            continue
        echo = one.chained or bool(_ECHO.search(f"{one.exception}: {one.message}"))
        ended = one.whole and _ended(artifact.text, one, alive)
        notable = not echo and (ended or alive < one.end)
        found = [sighting(artifact, "error.exception", one.exception, one.start, one.end, notable=notable)]
        if ended:
            spoken = any(word in one.message for word in ("out of memory", "timed out"))
            found.append(sighting(artifact, "symptom.crash", True, one.start, one.end, notable=notable and not spoken))
        (echoes if echo else roots).extend(fact.but(rank=fact.rank or one.rank) for fact in found)
    return [*roots, *echoes]


def _ended(text: str, one: Raised, alive: int) -> bool:
    """Whether the exception ended its process, as far as the text shows."""
    head = text[max(0, one.begin - 300) : one.start].partition("Traceback (most")[0]
    near = head[-300:] + text[one.begin : one.begin + 120]
    if "Exception in ASGI application" in near:
        return False
    return any(word in near for word in _FATAL) or alive < one.end


def _spoken_by_watchdog(text: str) -> bool:
    """Whether the abort is the watchdog's own doing, which is no crash of its own."""
    return all(mark in text for mark in _SPOKEN_BY_WATCHDOG)


def _crashes(artifact: Artifact) -> Iterator[tuple[int, Fact]]:
    text = artifact.text
    for mark in _CRASH:
        at = text.find(mark)
        if at < 0:
            continue
        thrown = _THROWN.match(text, at)
        if thrown:
            yield at, sighting(artifact, "error.exception", (thrown[1] or thrown[2]).strip(), at, notable=True)
        yield at, sighting(artifact, "symptom.crash", True, at, notable=True)
    for fatal in _GLOG_FATAL.finditer(text):
        yield fatal.start(), sighting(artifact, "error.exception", fatal[1] or "Fatal", fatal.start(), notable=True)
        yield fatal.start(), sighting(artifact, "symptom.crash", True, fatal.start(), notable=True)
    for mark in _ECHO_CRASH:
        at = text.find(mark)
        if at >= 0:
            yield at, sighting(artifact, "symptom.crash", True, at)


def _startup(artifact: Artifact, errors: list[Fact]) -> Iterator[Fact]:
    """A start that failed: said so, and nothing shows that it ever served."""
    text = artifact.text
    ready = min((at for mark in _READY if (at := text.find(mark)) >= 0), default=None)
    marks = (*_STARTUP, _STARTUP_IF_SEEN) if banner.starts(text) else _STARTUP
    for mark in marks:
        at = text.find(mark)
        if at >= 0 and (ready is None or at < ready) and not _quiet_line(text, at):
            known = any(fact.notable for fact in errors)
            yield sighting(artifact, "symptom.startup_failure", True, at, notable=not known)


def _exit(artifact: Artifact, troubled: bool) -> Iterator[Fact]:
    """`process.clean_exit`, unless something else in the log speaks against it."""
    last, mark = max((artifact.text.rfind(mark), mark) for mark in _CLEAN)
    if last < 0 or troubled or len(artifact.text) - last >= _TAIL:
        return
    if not any(again > last for again in banner.starts(artifact.text)):
        yield sighting(artifact, "process.clean_exit", True, last, last + len(mark))
