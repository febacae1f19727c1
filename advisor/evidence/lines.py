"""One printed line: who printed it, when, and what is left once the logger's own prefix is taken off.

    (Worker_TP1 pid=226322) ERROR 10-25 13:12:42 [multiproc_executor.py:671] RuntimeError: CUDA out of
    [2026-08-02 10:11:12 TP1] Decode batch, #running-req: 8, ...
    [rank1]:[E1129 13:38:30.236818069 ProcessGroupNCCL.cpp:1849] [PG ID 0 PG GUID 0(default_pg) Rank 1] Observed ...
    F20260124 17:37:19.071696 1003807 sequence.cpp:250] Check failed: ...
    2026-08-19 13:44:49,123 - lmdeploy - WARNING - spec_agent.py:88 - ...
    node-a:643:643 [0] NCCL INFO NCCL version 2.28.9+cuda13.0
    INFO:     127.0.0.1:51812 - "GET /health HTTP/1.1" 200 OK

**Source:** vLLM `vllm/logger.py` (`_FORMAT`) and `vllm/utils/system_utils.py` (`_add_prefix`); SGLang 0.5.17
`srt/utils/common.py` (`configure_logger`); LMDeploy 0.18.0 `lmdeploy/utils.py` (`_FORMAT`) and
`lmdeploy/metrics/loggers.py`; PyTorch 2.11 `c10/util/Logging.cpp`; glog's prefix; NCCL 2.28 `src/debug.cc`; uvicorn
`logging.py`.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass

from advisor.evidence.shapes import Shape

# 2026-08-02T10:11:12.1Z stdout F
_CONTAINER = r"\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d[\d.]*(?:Z|[+-]\d\d:?\d\d)?(?: std(?:out|err) [FP])? "
# (EngineCore_DP0 pid=269)
_ROLE = r"\((?:[A-Z]\w*(?: [a-z]+=[^()\s]+)+|(?:Engine|Worker|Vllm|Ray)\w*(?: [^()\n]{0,40})?)\) "
_TORCH_RANK = r"\[rank\d+\]:? ?"  # [rank0]:
_VLLM = r"(?:DEBUG|INFO|WARNING|ERROR|CRITICAL) \d\d-\d\d \d\d:\d\d:\d\d(?:\.\d+)? (?:\[[^\]\s]+:\d+\]|[\w./]+:\d+\])"
_SGLANG = r"\[\d{4}-\d\d-\d\d \d\d:\d\d:\d\d(?:[.,]\d+)?(?: [A-Z]{2,}\d+)*\]"  # [2026-08-02 10:11:12 DP0 TP1]
# F20260124 17:37:19.07 1003807 sequence.cpp:250]
_GLOG = r"\[?[IWEF]\d{4,8} \d\d:\d\d:\d\d\.\d+ +(?:\d+ )?[\w./-]+:\d+\]"
_LMDEPLOY = r"\d{4}-\d\d-\d\d \d\d:\d\d:\d\d[,.]\d+ - \S+ - [A-Z]+ - (?:\[pid=\d+ ppid=\d+\] - )?\S+:\d+ - "
_LEVEL = r"(?:DEBUG|INFO|WARN(?:ING)?|ERROR|CRITICAL|FATAL)"
_ISO = rf"\[?\d{{4}}-\d\d-\d\d[ T]\d\d:\d\d:\d\d(?:[,.]\d+)?\]?(?: ?\| ?| - | ){_LEVEL}\b[ |:-]*"
_NCCL = r"(?:[\w.-]+:\d+:\d+ )?\[\d+\] (?:[\w.]+:\d+ )?NCCL [A-Z]+ "  # node-a:643:643 [0] NCCL INFO
_UVICORN = r"(?:DEBUG|INFO|WARNING|ERROR|CRITICAL): {2,}"  # INFO:     Application startup complete.
_LOGGING = r"(?:DEBUG|INFO|WARNING|ERROR|CRITICAL):[\w.]+:"  # WARNING:root:...
_TURBOMIND = r"\[TM\]\[[A-Z]+\]"  # [TM][INFO] [Engine] max cached tokens: 519680

# [pod/vllm-0/server] of `kubectl logs`, `vllm-1  | ` of compose, [default0]: of torchrun, [1,0]<stderr>: of MPI
_RUNNER = r"\[pod/[^\]\s]+\] |[a-z][\w.-]*-\d+ +\| |\[default\d+\]: ?|\[\d+,\d+\]<std(?:out|err)>: ?"
_WRAP = Shape(f"{_CONTAINER}|{_ROLE}|{_TORCH_RANK}|{_RUNNER}")
_LEAD = Shape(f"{_VLLM}|{_SGLANG}|{_GLOG}|{_LMDEPLOY}|{_ISO}|{_NCCL}|{_UVICORN}|{_LOGGING}|{_TURBOMIND}")

_LABELS = Shape(r"(?<![A-Za-z0-9])(?:TP|PP|DP|EP|CP)\d+(?![A-Za-z0-9])")
_RANK_WORD = Shape(r"\[rank(\d+)\]")
_LONG_TIME = Shape(r"(?:\d{4}-)?(\d\d)-(\d\d)[ T](\d\d):(\d\d):(\d\d)")
_GLOG_TIME = Shape(r"[IWEF](?:\d{4})?(\d\d)(\d\d) (\d\d):(\d\d):(\d\d)\.")
_DAYS_BEFORE = (0, 31, 59, 90, 120, 151, 181, 212, 243, 273, 304, 334)


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
        newline = text.find("\n", start)
        close = newline if 0 <= newline < stop else stop
        yield Line(start, close, text[start:close])
        start = close + 1


def line_around(text: str, at: int) -> Line:
    """The whole line that holds the character `at`."""
    start = text.rfind("\n", 0, at) + 1
    newline = text.find("\n", at)
    end = newline if newline >= 0 else len(text)
    return Line(start, end, text[start:end])


def occurrences(text: str, literal: str) -> Iterator[int]:
    """Where `literal` stands in `text`, in order."""
    at = text.find(literal)
    while at >= 0:
        yield at
        at = text.find(literal, at + len(literal))


def head_length(line: str) -> int:
    """How many characters of `line` the logger put before the message; 0 when it has no known prefix."""
    at = 0
    for _ in range(4):
        wrap = _WRAP.match(line, at)
        if wrap is None:
            break
        at = wrap.end()
    lead = _LEAD.match(line, at)
    return lead.end() if lead else at


def body(line: str) -> str:
    """The message without the logger's prefix and without the one space that ends it; its own indentation stays."""
    length = head_length(line)
    rest = line[length:]
    return rest[1:] if length and line[length - 1] != " " and rest.startswith(" ") else rest


def is_logged(line: str) -> bool:
    """Whether a logger printed this line."""
    return head_length(line) > 0


def rank_in(head: str) -> str | None:
    """The rank a piece of text names: `TP1`, `DP0 TP1`, or `3` for `[rank3]`; None when it names none."""
    labels = list(dict.fromkeys(_LABELS.findall(head.replace("_", " "))))
    if labels:
        return " ".join(labels)
    word = _RANK_WORD.search(head)
    return word.group(1) if word else None


def rank_of(line: str) -> str | None:
    """The rank in the line's prefix, whatever its message speaks of."""
    return rank_in(line[: head_length(line)])


def seconds_of(line: str) -> float | None:
    """When the line was printed, in seconds since New Year; years are not told apart. None when it bears no time."""
    head = line[: head_length(line) or 40]
    found = _LONG_TIME.search(head) or _GLOG_TIME.search(head)
    if found is None:
        return None
    month, day, hour, minute, second = (int(part) for part in found.groups())
    if not 1 <= month <= 12:
        return None
    return (((_DAYS_BEFORE[month - 1] + day) * 24 + hour) * 60 + minute) * 60.0 + second
