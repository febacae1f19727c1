"""One printed line: who printed it, when, how loud, and what is left once the prefixes are taken off.

    (Worker_TP1 pid=226322) ERROR 10-25 13:12:42 [multiproc_executor.py:671] RuntimeError: CUDA out of
    [2026-08-02 10:11:12 DP0 TP1] Decode batch, #running-req: 8, ...
    [rank1]:[E1129 13:38:30.236818069 ProcessGroupNCCL.cpp:1849] [PG ID 0 PG GUID 0(default_pg) Rank 1] Observed ...
    F20260124 17:37:19.071696 1003807 sequence.cpp:250] Check failed: ...
    2026-08-19 13:44:49,123 - lmdeploy - WARNING - spec_agent.py:88 - ...
    node-a:643:643 [0] NCCL INFO NCCL version 2.28.9+cuda13.0
    INFO:     127.0.0.1:51812 - "GET /health HTTP/1.1" 200 OK
    [ERROR] HCCL(80812,):2026-06-17-02:21:43.853.226 [transport_manager.cc:954] [86231]Transport init error! ...
    [pod/vllm-0/server] 2026-08-02T10:44:31.123456789Z (APIServer pid=1) INFO 08-02 10:44:31 [launcher.py:37] ...

A prefix is `wraps* lead`: what ran the process (Kubernetes, compose, journald, Ray, torchrun, MPI, the engine's own
role marker) wraps what its logger printed. A logger that prints no level (SGLang) leaves it unknown. U+2028 breaks a
line as a newline does, but is not counted as one: an unwrapped record of several lines stays one line of its file.

**Source:** vLLM `vllm/logger.py` (`_FORMAT`) and `vllm/utils/system_utils.py` (`_add_prefix`); SGLang 0.5.17
`srt/utils/common.py` (`configure_logger`); LMDeploy 0.18.0 `lmdeploy/utils.py` (`_FORMAT`) and
`lmdeploy/metrics/loggers.py`; PyTorch 2.11 `c10/util/Logging.cpp`; glog's prefix; NCCL 2.28 `src/debug.cc`; uvicorn
`logging.py`; Ray 2.4x `python/ray/_private/worker.py` (`print_worker_logs`); CRI's log format (kubernetes
`pkg/kubelet/kuberuntime/logs`); Ascend `torch_npu` `csrc/core/npu/NPUException.h`.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from functools import lru_cache

from advisor.model.late import dataclass
from advisor.model.shape import Shape

INNER = "\u2028"  # ends a line inside a record that came as one line

_LEVEL = r"(?:TRACE|DEBUG|INFO|NOTICE|WARN(?:ING)?|ERROR|CRITICAL|FATAL)"
_CLOCK = r"\d\d:\d\d:\d\d"
_DATE = rf"\d{{4}}-\d\d-\d\d[ T]{_CLOCK}(?:[.,:]\d+)?"
_ZONE = r"(?:Z|[+-]\d\d:?\d\d)"

# -- wraps
# 2026-08-02T10:11:12.1Z stdout F
_CONTAINER = rf"\d{{4}}-\d\d-\d\dT{_CLOCK}[\d.]*{_ZONE}?(?: std(?:out|err) [FP])?(?: |$)"
# (EngineCore_DP0 pid=269), (VllmWorker rank=2 pid=1), (RayWorkerWrapper pid=7, ip=192.0.2.2), (raylet)
_ROLE = (
    r"\((?:[^()\n]{0,80}?\bpid=\d+[^()\n]{0,60}|(?:Engine|Worker|Vllm|Ray)\w*(?: [^()\n]{0,40})?|"
    r"raylet(?:, ip=[^()\n]{0,60})?|autoscaler \+[\dhms]+)\)(?: |$)"
)
# EngineCore_DP0 pid=269), of a first line whose head is lost
_CUT_ROLE = r"(?>\w*(?:Core|Worker|Wrapper|Server|Process)\w*)(?: rank=\d+)? pid=\d+(?:, ip=[\w.:]+)?\) "
_TORCH_RANK = r"\[rank\d+\]:? ?"  # [rank0]:
# [pod/vllm-0/server] of `kubectl logs --prefix`, `vllm-1  | ` of compose, [default0]: of torchrun, [1,0]<stderr>: MPI's
_RUNNER = (
    r"\[pod/[^\]\s]+\] |[a-z][\w.-]*-\d+ +\| ?|[a-z][\w.-]*  +\| |\[default\d+\]: ?|\[\d+,\d+\]<std(?:out|err)>: ?"
)
# Aug 02 10:44:31 node-a vllm[123]: of journald and syslog, 2026-08-02T10:44:31.1+00:00 node-a vllm[123]: of rsyslog and
# `-o short-iso`, Sun 2026-08-02 10:44:31 UTC node-a vllm[123]: of `-o short-full`, 1785667471.1 ... of `-o short-unix`
_STAMP = (
    rf"(?:[A-Z][a-z]{{2}} [ \d]\d {_CLOCK}(?:\.\d+)?|(?:[A-Z][a-z]{{2}} )?{_DATE}(?:{_ZONE}| [A-Z]{{3,4}})?|"
    r"\d{10}\.\d+|\[ *\d+\.\d+\])"
)
_IDENT = r"[\w.@/-]{1,100}(?:\[\d+\]|(?<= kernel)): "
_JOURNAL = rf"{_STAMP} [\w.:-]{{1,253}} {_IDENT}"
_PID = r"\[\d+\] (?=\[rank\d|\[\d{4}-)"  # [285] [2025-12-12 12:10:10:644] torch.distributed: ...
# [  131.402911] NVRM: Xid of dmesg, [Mon Nov 30 03:53:39 2026] NVRM: Xid of `dmesg -T`
_KERNEL = rf"\[(?: *\d+\.\d{{6}}|[A-Z][a-z]{{2}} [A-Z][a-z]{{2}} [ \d]\d {_CLOCK} \d{{4}})\] "
_WRAP = Shape(f"{_JOURNAL}|{_KERNEL}|{_CONTAINER}|{_ROLE}|{_TORCH_RANK}|{_RUNNER}|{_PID}")
# taken for a wrap only before something known: `vllm-0 server ` of stern, a bare time, half a role
_LOOSE = Shape(rf"{_DATE} {{1,3}}|(?:pod/)?[a-z][a-z0-9.-]*-[a-z0-9]+ (?:[a-z0-9][a-z0-9-]* )?|{_CUT_ROLE}")

# -- leads
_VLLM = rf"{_LEVEL} \d\d-\d\d {_CLOCK}(?:\.\d+)? (?:\[[^\]\s]+:\d+\]|[\w./]+:\d+\])"
# [2026-08-02 10:11:12 DP0 TP1]; before 0.4 only [10:11:12 TP0]
_SGLANG = rf"\[(?:\d{{4}}-\d\d-\d\d )?{_CLOCK}(?:[.,:]\d+)?(?: [A-Z][A-Z_]+\d+)*\]"
# F20260124 17:37:19.07 1003807 sequence.cpp:250], [E822 11:02:41.118 a.cpp:685], [E ProcessGroupNCCL.cpp:475]
_GLOG = rf"\[?[IWEF](?:\d{{3,8}} {_CLOCK}\.\d+ +(?:\d+ )?[\w./-]+:\d+\]|(?<=\[[IWEF]) [\w./-]+:\d+\])"
_LMDEPLOY = rf"{_DATE} - [^\s-]\S* - {_LEVEL} - (?:\[pid=\d+ ppid=\d+\] - )?(?:[\w./]+:\d+ - )?"
# a tab before an indented message ends the prefix: the indentation is the message's own
_ISO = rf"\[?{_DATE}{_ZONE}?\]?[ \t|-]{{1,5}}\[?{_LEVEL}\b\]?(?:\t(?= )|[ \t|:-]*)"
_NCCL = r"(?:[\w.-]+:\d+:\d+ )?\[\d+\] (?:[\w.]+:\d+ )?NCCL [A-Z]+ "  # node-a:643:643 [0] NCCL INFO
_UVICORN = rf"{_LEVEL}:(?: {{2,}}|\t(?= ))"  # INFO:     Application startup complete.
_LOGGING = rf"{_LEVEL}:[\w.]+:"  # WARNING:root:...
_TURBOMIND = r"\[TM\]\[[A-Z]+\]"  # [TM][INFO] [Engine] max cached tokens: 519680
# [2024-07-03 11:58:43,413 E 35 35] core_worker.cc:215:, [INFO 2023-10-16 09:04:24,848]
_RAY = rf"\[{_DATE} [A-Z] \d+ \d+\] (?:\(\w+\) )?[\w.]+:\d+: |\[{_LEVEL} {_DATE}\] "
_ASCEND_TIME = r"\d{4}-\d\d-\d\d-\d\d:\d\d:\d\d[.\d]*"
# [ERROR] HCCL(812,):<time> [file.cc:126] [86], [ERROR] <time> (PID:7, Device:1, RankID:-1), EI0009: [PID: 7] <time>
_ASCEND = (
    rf"\[(?:{_LEVEL}|EVENT)\] (?:\w+\(\d+,[^)\n]{{0,40}}\):{_ASCEND_TIME} \[[^\]\n]+\] ?(?:\[?\d+\]?)?|"
    rf"{_ASCEND_TIME} \(PID:\d+, Device:-?\d+, RankID:-?\d+\) )|"
    rf"E[A-Z]\d{{4}}(?:\[PID: ?\d+\])?:? (?:\[PID: ?\d+\] )?{_ASCEND_TIME} "
)
_LEAD = Shape("|".join((_VLLM, _RAY, _LMDEPLOY, _ISO, _SGLANG, _GLOG, _NCCL, _UVICORN, _LOGGING, _TURBOMIND, _ASCEND)))
BEGINNINGS = (_WRAP, _LOOSE, _LEAD)
"""What a line with a known prefix begins with one of."""
_AFTER_TIME = Shape(rf" {{0,3}}(?:\[{_LEVEL}\]|{_LEVEL}(?=[ \t]))(?:\t(?= )|[ :]*)")  # ...Z  INFO dynamo.worker: ready
# a logger inside another's line: [2026-08-02 10:44:31] INFO:     127.0.0.1:1, [...] torch.distributed: [ERROR]
_SECOND = Shape(rf" ?(?:{_NCCL}|{_UVICORN}|(?:[\w.]+: )?\[{_LEVEL}\]:? ?)")
_DEPTH = 6

_LABELS = Shape(r"(?<![A-Za-z0-9])(?:TP|PP|DP|EP|CP)\d+(?![A-Za-z0-9])")
_RANK_WORD = Shape(r"\[rank(\d+)\]|\brank=(\d+)|RankID:(\d+)|<?\[\d+,(\d+)\]<std")
_CORE = Shape(r"\(EngineCore_(\d+) ")  # the data-parallel rank, before it was spelt EngineCore_DP0
_C10D_RANK = Shape(r" ?\[(?:PG [^\]\n]{0,100})?Rank (\d+)\]")  # [PG ID 8 PG GUID 85(pp_broadcast) Rank 3]
_ROLE_NAME = Shape(r"(?:^|[ (])\(?(raylet(?=[,)])|[A-Za-z]\w*(?::[\w.-]+)*(?= (?:rank|pid)=))")
_SPEAKER = Shape(rf"\[pod/([^\]\s]+)\]|([a-z][\w.-]*?) +\| |{_STAMP} (\S+) {_IDENT}")
_DATED = Shape(rf"{_DATE}")
_LEVEL_WORD = Shape(rf"\b{_LEVEL}\b")
_LEVEL_LETTER = Shape(r"(?:^|[\s\[:])([IWEF])(?:\d{3,8} \d\d:| [\w./-]+:\d+\])|,\d+ ([DIWEFC]) \d+ \d+\]")
_LETTERS = {"I": "INFO", "W": "WARNING", "E": "ERROR", "F": "FATAL", "D": "DEBUG", "C": "CRITICAL"}


@dataclass(frozen=True, slots=True)
class Line:
    """A line and where it stands: `start`..`end` are characters of the text, without the newline."""

    start: int
    end: int
    text: str


def lines(text: str, start: int = 0, end: int | None = None) -> Iterator[Line]:
    """The lines of the stretch `start`..`end` of `text`; the first and last may be parts of lines."""
    stop = len(text) if end is None else end
    while start < stop:
        newline = text.find("\n", start, stop)
        close = newline if newline >= 0 else stop
        inner = text.find(INNER, start, close)
        while inner >= 0:
            yield Line(start, inner, text[start:inner])
            start = inner + 1
            inner = text.find(INNER, start, close)
        yield Line(start, close, text[start:close])
        start = close + 1


def line_around(text: str, at: int) -> Line:
    """The whole line that holds the character `at`."""
    start = text.rfind("\n", 0, at) + 1
    newline = text.find("\n", at)
    end = newline if newline >= 0 else len(text)
    inner = text.rfind(INNER, start, at)
    start = inner + 1 if inner >= 0 else start
    after = text.find(INNER, at, end)
    end = after if after >= 0 else end
    return Line(start, end, text[start:end])


def occurrences(text: str, literal: str) -> Iterator[int]:
    """Where `literal` stands in `text`, in order."""
    at = text.find(literal)
    while at >= 0:
        yield at
        at = text.find(literal, at + len(literal))


def wraps_length(line: str) -> int:
    """How many characters what ran the process put before its line: the same on every line that it printed."""
    at = 0
    for _ in range(_DEPTH):
        wrap = _WRAP.match(line, at) or _loose(line, at)
        if wrap is None or wrap.end() == at:
            break
        at = wrap.end()
    return at


@lru_cache(maxsize=256)  # every reader of a log asks it of the same lines
def head_length(line: str) -> int:
    """How many characters of `line` stand before the message; 0 when it has no known prefix."""
    at = wraps_length(line)
    lead = _LEAD.match(line, at) or (_AFTER_TIME.match(line, at) if at and _DATED.search(line, 0, at) else None)
    if lead is None:
        return at
    second = _SECOND.match(line, lead.end())
    return second.end() if second else lead.end()


def _loose(line: str, at: int, depth: int = 2) -> re.Match[str] | None:
    """A wrap that anyone might write, where something known follows it."""
    found = _LOOSE.match(line, at) if depth else None
    if found is None:
        return None
    then = found.end()
    return found if _LEAD.match(line, then) or _WRAP.match(line, then) or _loose(line, then, depth - 1) else None


def body(line: str) -> str:
    """The message without the logger's prefix and without the one space that ends it; its own indentation stays."""
    length = head_length(line)
    rest = line[length:]
    return rest[1:] if length and line[length - 1] not in " \t" and rest.startswith(" ") else rest


def is_logged(line: str) -> bool:
    """Whether a logger printed this line."""
    return head_length(line) > 0


def rank_in(head: str) -> str | None:
    """The rank a piece of text names: `TP1`, `DP0 TP1`, or `3` for `[rank3]`; None when it names none."""
    if "P" in head and (labels := dict.fromkeys(_LABELS.findall(head.replace("_", " ")))):
        return " ".join(labels)
    word = _RANK_WORD.search(head) if "ank" in head or "]<std" in head else None
    if word:
        return str(next(filter(None, word.groups())))
    core = _CORE.search(head) if "(EngineCore_" in head else None
    return f"DP{core.group(1)}" if core else None


def rank_of(line: str) -> str | None:
    """The rank in the line's prefix or in the process group's mark right after it, whatever its message speaks of."""
    length = head_length(line)
    if not length:
        return None
    named = rank_in(line[:length])
    if named is None and (group := _C10D_RANK.match(line, length)):
        return group.group(1)
    return named


def role_of(line: str) -> str | None:
    """The process a role marker names: `EngineCore_DP0`, `APIServer`, `RayWorkerWrapper`; None without one."""
    found = _ROLE_NAME.search(line[: head_length(line)])
    return found.group(1) if found else None


def speaker_of(line: str) -> str | None:
    """The pod, compose service or host whose output this line was collected from; None when no collector says."""
    found = _SPEAKER.match(line) if is_logged(line) else None
    return next(filter(None, found.groups())) if found else None


def level_of(line: str) -> str | None:
    """`DEBUG INFO WARNING ERROR CRITICAL FATAL`, as the innermost logger says; None when it prints no level."""
    head = line[: head_length(line)]
    words = _LEVEL_WORD.findall(head)
    if words:
        return "WARNING" if words[-1] == "WARN" else words[-1]
    letter = _LEVEL_LETTER.search(head)
    return _LETTERS[letter.group(1) or letter.group(2)] if letter else None
