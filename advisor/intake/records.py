"""Logs that a collector wrote as JSON, one object a line -> the lines that were logged, each on the line it came from.

    {"log":"INFO 08-02 10:44:31 [core.py:1] ready\\n","stream":"stderr","time":"2026-08-02T10:44:31.1Z"}   Docker
        -> 2026-08-02T10:44:31.1Z stderr F INFO 08-02 10:44:31 [core.py:1] ready
    {"level":"error","ts":1785667471.5,"logger":"vllm","msg":"worker died"}   zap, tracing, python-json-logger
        -> 2026-08-02T10:44:31.500Z ERROR worker died
    {"textPayload":"...","severity":"ERROR","timestamp":"..."}   Cloud Logging
    {"message":"...","@timestamp":"...","log.level":"ERROR"}   Logstash, ECS

    2026-08-02T10:44:31.1Z stdout P server_args=ServerArgs(model_path=...   containerd splits lines at 16 KiB, as Docker
    2026-08-02T10:44:31.1Z stdout F ..., tp_size=2)                         does: joined on the first, the rest emptied

A message of several lines stays one line of its file, broken inside by U+2028. What is no such object stays as it is.

**Source:** moby `daemon/logger/jsonfilelog/jsonlog`; `python-json-logger` 3 `jsonlogger.py`; zap
`zapcore/json_encoder.go`; `tracing-subscriber` 0.3 `fmt/format/json.rs`; Cloud Logging `LogEntry`.
"""

from __future__ import annotations

import json
from datetime import UTC, datetime

from advisor.evidence.lines import INNER, head_length, is_logged
from advisor.model.shape import Shape

_MESSAGE = ("log", "msg", "message", "textPayload", "line", "event", "MESSAGE")
_TIME = ("time", "ts", "timestamp", "@timestamp", "asctime", "t", "datetime")
_LEVEL = ("level", "levelname", "severity", "lvl", "log.level", "PRIORITY")
_TRACE = ("exc_info", "exception", "stack_trace", "stacktrace", "traceback", "error.stack_trace")
_RANK = ("rank", "global_rank")
_WORDS = {
    "WARN": "WARNING",
    "ERR": "ERROR",
    "EMERG": "FATAL",
    "PANIC": "FATAL",
    "DPANIC": "FATAL",
    "ALERT": "FATAL",
    "NOTICE": "INFO",
}
_LEVELS = ("TRACE", "DEBUG", "INFO", "WARNING", "ERROR", "CRITICAL", "FATAL")
_MAX_LINE = 1 << 20
_SPLIT_AT = 16_000  # characters; a shorter record without a line end is a collector's that strips it
_PARTIAL = Shape(r"(?:\[pod/[^\]\s]+\] )?\d{4}-\d\d-\d\dT[\d:.]\S*+ (std(?:out|err)) ([PF]) ")


def unwrap(text: str) -> str:
    """`text` with each JSON record replaced by what it holds and split lines joined; as many lines as before."""
    return _joined(_unwrapped(text))


def _joined(text: str) -> str:
    if " stdout P " not in text and " stderr P " not in text:
        return text
    rows = text.split("\n")
    first: dict[str, int] = {}  # where the line began that a stream has not ended yet
    for index, row in enumerate(rows):
        part = _PARTIAL.match(row)
        if part is None:
            continue
        stream, flag = part.groups()
        if stream in first:
            rows[first[stream]] += row[part.end() :]
            rows[index] = ""
        elif flag == "P":
            first[stream] = index
            rows[index] = row[: part.end() - 2] + "F " + row[part.end() :]
        if flag == "F" or len(rows[first[stream]]) > _MAX_LINE:
            first.pop(stream, None)
    return "\n".join(rows)


def _unwrapped(text: str) -> str:
    if '{"' not in text:
        return text
    rows = text.split("\n")
    changed = False
    for index, row in enumerate(rows):
        if '{"' in row and row.rstrip().endswith("}") and len(row) <= _MAX_LINE:
            at = row.index('{"')
            if row[:at].strip() and head_length(row) < at:
                continue
            if (line := logged(row[at:])) is not None:
                rows[index], changed = row[:at] + line, True
    return "\n".join(rows) if changed else text


def logged(record: str) -> str | None:
    """The line a record holds, with U+2028 where it has inner line ends; None when it is no record of a log."""
    try:
        fields = json.loads(record)
    except (ValueError, RecursionError):
        return None
    if not isinstance(fields, dict):
        return None
    fields = _flat(fields)
    message = _first(fields, _MESSAGE)
    if not isinstance(message, str) or not ({*_TIME, *_LEVEL, "stream"} & fields.keys()):
        return None
    trace = _first(fields, _TRACE)
    whole = message.rstrip("\r\n") + (f"\n{trace.rstrip()}" if isinstance(trace, str) and trace.strip() else "")
    shown = [row.rstrip("\r").rpartition("\r")[2] for row in whole.split("\n")]
    split = "log" in fields and "stream" in fields and len(message) >= _SPLIT_AT and not message.endswith("\n")
    return INNER.join([_prefixed(fields, shown[0], split), *shown[1:]])


def _flat(fields: dict[str, object]) -> dict[str, object]:
    """`tracing` keeps the message under `fields`, Filebeat and Vector under `log` or `message`."""
    for name in ("fields", "jsonPayload", "body"):
        inner = fields.get(name)
        if isinstance(inner, dict):
            fields = {**inner, **{key: value for key, value in fields.items() if key != name}}
    return fields


def _first(fields: dict[str, object], names: tuple[str, ...]) -> object:
    return next((fields[name] for name in names if fields.get(name) not in (None, "")), None)


def _prefixed(fields: dict[str, object], message: str, split: bool) -> str:
    """The message behind a prefix that `lines` knows; to a prefix of its own only the time is added.

    A tab keeps the indentation of a message apart from the prefix.
    """
    time = _time(_first(fields, _TIME))
    rank = _first(fields, _RANK)
    who = f"[rank{rank}]: " if isinstance(rank, int | str) and str(rank).isdecimal() else ""
    level = _level(_first(fields, _LEVEL))
    if is_logged(message) or not level:
        stream = fields.get("stream") if fields.get("stream") in ("stdout", "stderr") else "stderr"
        flag = "P" if split else "F"
        return f"{time} {stream} {flag} {message}" if time else message
    gap = "\t" if message.startswith(" ") else " " if time else "  "
    return f"{who}{time} {level}{gap}{message}" if time else f"{who}{level}:{gap}{message}"


def _time(value: object) -> str:
    """`2026-08-02T10:44:31.500Z`, or "" when the value is no time."""
    if isinstance(value, int | float) and not isinstance(value, bool):
        seconds = (
            value / 1e9 if value > 1e17 else value / 1e6 if value > 1e14 else value / 1e3 if value > 1e11 else value
        )
        try:
            moment = datetime.fromtimestamp(seconds, UTC)
        except (OverflowError, OSError, ValueError):
            return ""
        return moment.isoformat(timespec="milliseconds").replace("+00:00", "Z")
    if not isinstance(value, str):
        return ""
    try:
        moment = datetime.fromisoformat(value.strip().replace(",", "."))
    except ValueError:
        return ""
    return value.strip().replace(" ", "T").replace(",", ".") if moment else ""


def _level(value: object) -> str:
    if isinstance(value, int) and not isinstance(value, bool):  # pino and bunyan count in tens, journald down from 7
        return next(
            (name for bound, name in ((60, "FATAL"), (50, "ERROR"), (40, "WARNING"), (30, "INFO")) if value >= bound),
            "",
        )
    word = value.strip().upper() if isinstance(value, str) else ""
    word = _WORDS.get(word, word)
    return word if word in _LEVELS else ""
