"""Stack captures -> threads: who stands where, innermost frame first.

    Process 647: sglang::scheduler_TP1                      py-spy dump, --native, --locals
    Thread 647 (active): "MainThread"
        broadcast (torch/distributed/distributed_c10d.py:2974)
    Current thread 0x00007f5e (most recent call first):     faulthandler
      File "/srv/scheduler.py", line 1570 in event_loop_overlap
    Traceback (most recent call last):                      a traceback: turned round
      File "/srv/scheduler.py", line 1570, in event_loop_overlap
    #8  xllm::Sequence::update_last_step_token(...)         gdb, glog, torch
    #0 broadcast from /opt/torch/distributed/distributed_c10d.py:2968
    sched_yield ncclLocalOpAppend (proxy.cc:499) ...        copied onto one line

A function is bare (no arguments, no template arguments); a file keeps at most its last two parts and loses its line
number; addresses that no symbol was found for are left out. No threads means that no stack was found in the text.

A thread's rank stands in its process's title, in its line's prefix, or in what comes right before the stack: the log
line that announces it (`[2026-08-02 12:01:07 TP1] Pyspy dump for PID 648:`) or a caption (`TP1 py-spy (idle):`). A
log line that announces nothing says nothing of the stack after it. "" is the rank of a process that is none: a
detokenizer, a launcher, an API server.

**Source:** py-spy 0.4 `src/dump.rs`; CPython 3.12 `Python/traceback.c` and `Modules/faulthandler.c`; gdb 15
`gdb/stack.c`; glog 0.7 `src/symbolize.cc`; PyTorch 2.11 `c10/util/Backtrace.cpp` and `ProcessGroupNCCL.cpp`.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import field, replace

from advisor.evidence.lines import Line, body, is_logged, line_around, lines, rank_in, rank_of, role_of, wraps_length
from advisor.evidence.recognition import PLACED, is_bare_name
from advisor.evidence.sighting import span_of
from advisor.model.fact import Artifact, Frame, Note, Span, Thread
from advisor.model.late import dataclass
from advisor.model.shape import Shape
from advisor.patterns import compile_pattern

MAX_THREADS = 5_000
MAX_FRAMES = 400

_PROCESS = Shape(r"\s*Process (\d+): (.*)")  # Process 648: sglang::scheduler_TP1
_PYSPY_THREAD = Shape(
    r'\s*Thread (0x[0-9A-Fa-f]+|\d+) ?(?:\(([^)"]*)\))?:? ?(?:"(.*)")?\s*$'
)  # Thread 647 (active): "MainThread"
_FAULT_THREAD = Shape(r"\s*(?:Current thread|Thread) (0x[0-9a-f]+) (?:\[(.*?)\] )?\(most recent call first\):")
# Thread 2 (Thread 0x7f (LWP 9) "py"):
_GDB_THREAD = Shape(r'\s*Thread (\d+) \((?:Thread 0x[0-9a-f]+ )?(?:\(?LWP (\d+)\)?)?(?: "([^"]*)")?')
_TRACEBACK = Shape(r"\s*(?:\S.*: )?Traceback \(most recent call last\):")
_FILE_FRAME = Shape(r'\s*File "([^"]+)", line \d+(?:,? in (.*\S))?\s*$')
_NUMBERED = Shape(r"\s*(?:frame )?#(\d{1,3}):? +((?:0x[0-9a-f]+ in |[\w~<].{0,900}?(?:\(| from |::)).*)")
_GLOG_FRAME = Shape(r"\s*@ +0x[0-9a-f]+ +(\S.*)")
_PLACED_FRAME = Shape(r"\s*(?:at )?(\S.*?) \(([^()]*(?:\(\))?)\)\s*$")
# a runner's prefix may have taken one space
_LOCAL = Shape(r" {7,8}[^\n]*(?:Arguments|Locals):$| {7,}[A-Za-z_.]\w*: ")
_BARE = Shape(r"\s*([A-Za-z_~]\w*(?:::~?\w+)*)\s*$")
# what a line with a frame, or the heading of a thread, has in it; for the linear-time engine
HEADINGS = (
    "most recent call first",
    r"Thread (?:0x)?[0-9a-f]+ ?[(]",
    "Process [0-9]+: ",
    "#[0-9]{1,3}:? +[^ ]+.*(?:[(]| from |::)",
    r"@ +0x",
)
_LOOKS_LIKE = (
    rf'File "|most recent call|{"|".join(HEADINGS[1:])}|'
    r" [(][^() ]*[.](?:py|pyx|cc|cpp|cxx|cu|cuh|c|h|hpp|so[0-9.]*)(?::[0-9]+)?[)]"
)
_WHOLE_UP_TO = 256 << 10  # characters
_NEAR_LINES = 60
_NEAR_OTHERS = 20  # lines between a caption and its stack: what a debugger prints when it attaches
ORDER_NOT_SAID = "order not said"
_ADDRESS = Shape(r"(?:0x)?[0-9a-f]{6,16}$|<unknown function>|\(unknown\)|\?\?")
_WHERE = Shape(r"(?:(?:[^()\s]*/)?[\w.+-]+\.[A-Za-z]\w*(?:\.[\d.]+)?(?::\d+)?|\[vdso\])$")  # proxy.cc:499, libc.so.6
_CAPTION_STATE = Shape(r"\b(active|idle|busy)\b")
_NO_RANK = Shape(  # in the title of a process, or as its role
    r"(?i:detokenizer|tokenizer_?(?:manager|worker)|launch_server|api_?server|data_?parallel_?controller|"
    r"DPCoordinator|router|torchrun|resource_tracker|raylet|gcs_server)|\b(?:vllm|sglang) serve\b|"
    r"EngineCore(?!_(?:DP)?\d)"
)
_SPEAKER = Shape(r"\[default\d+\]|\[\d+,\d+\](?=<std)|\[pod/[^\[\]\s]+\]|\((?=[^()\n]*\bpid=\d)[^()\n]*+\)")
_ANNOUNCES = Shape(r"(?i:py-?spy|stack|back-?trace|dump|watchdog|timeout)|: *$")
_ANNOUNCED_PID = Shape(r"(?i:py-?spy) dump for PID (\d+)")  # Pyspy dump for PID 648:
_STATES = {"active": "active", "active+gil": "active", "idle": "idle", "busy": "active", "idle+gil": "idle"}


@dataclass(slots=True)
class _Open:
    """A thread being read. `turned` means its outermost frame was printed first."""

    name: str
    rank: str | None
    state: str
    style: str
    start: int
    end: int
    turned: bool = False
    indented: bool = False
    frames: list[tuple[str, str, int, int]] = field(default_factory=list)


def read(artifact: Artifact) -> tuple[Thread, ...]:
    """Every thread in the artifact, in the order in which they were printed."""
    text = artifact.text
    if not _may_hold_frames(text):
        return ()
    found: list[Thread] = []
    for opened in _threads(artifact):
        if opened.frames and len(found) < MAX_THREADS:
            found.append(_closed(artifact, opened))
            if found[-1].name == ORDER_NOT_SAID:
                found.append(replace(found[-1], frames=found[-1].frames[::-1]))
    return tuple(sorted(found, key=lambda one: one.span.line))


def notes(threads: tuple[Thread, ...]) -> tuple[Note, ...]:
    """What a reader of these threads should know about how they were read."""
    said: list[Note] = []
    doubtful = next((one for one in threads if one.name == ORDER_NOT_SAID), None)
    if doubtful:
        what = "functions without places: which calls which is not said, so both orders were read"
        said.append(Note("hint", what, doubtful.span))
    if len(threads) >= MAX_THREADS:
        said.append(Note("limit", f"only the first {MAX_THREADS} threads were read", threads[-1].span))
    deep = next((one for one in threads if len(one.frames) >= MAX_FRAMES), None)
    if deep:
        said.append(Note("limit", f"of a deep stack only {MAX_FRAMES} frames were read", deep.span))
    return tuple(said)


def _candidates(text: str) -> Iterator[Line]:
    """The lines among which frames can stand: of a large log only those near something that looks like one."""
    if len(text) <= _WHOLE_UP_TO:
        yield from lines(text)
        return
    reached = 0
    for found in compile_pattern(_LOOKS_LIKE).finditer(text):
        start = max(reached, _before(text, line_around(text, found.start()).start))
        end = found.end()
        for _ in range(_NEAR_LINES):
            newline = text.find("\n", end)
            if newline < 0:
                break
            end = newline + 1
        if end > reached:
            yield from lines(text, start, end)
            reached = end


def _before(text: str, start: int) -> int:
    """Where the line before the one at `start` begins, over a blank one: it may say whose the stack is."""
    for _ in range(2):
        start = text.rfind("\n", 0, max(0, start - 1)) + 1
    return start


def _may_hold_frames(text: str) -> bool:
    marks = ("\n#", "#0", "Thread ", 'File "', " @ ", "@  ", "frame #", ".py:", ".cc", ".cpp", ".cu", ".so", "_")
    return not 2_000 <= len(text) <= _WHOLE_UP_TO or any(mark in text for mark in marks)


def _closed(artifact: Artifact, opened: _Open) -> Thread:
    frames = tuple(
        Frame(function, file, span_of(artifact, start, end))
        for function, file, start, end in (reversed(opened.frames) if opened.turned else opened.frames)
    )
    whole: Span = span_of(artifact, opened.start, opened.end)
    ordered = (
        opened.name or opened.turned or len(frames) < 2 or any(frame.file or "::" in frame.function for frame in frames)
    )
    rank = artifact.rank if opened.rank is None else opened.rank
    return Thread(opened.name if ordered else ORDER_NOT_SAID, frames, whole, rank, opened.state)


class _Owner:
    """Whose the stacks are, by what was printed before them. A rank is None when not said, "" when there is none."""

    def __init__(self, announced: dict[str, str]) -> None:
        self.process: str | None = None
        self.said: str | None = None
        self.state = ""
        self.pid = ""  # of which process it was said, where that was said
        self.others = 0  # lines since then that say nothing of it
        self.announced = announced  # pid -> the rank that said it would print its stack

    def forget(self) -> None:
        self.process, self.said, self.state, self.pid, self.others = None, None, "", "", 0

    def titled(self, pid: str, title: str, line: str) -> None:
        """Take the heading of a process; what was said before it is said of this one alone."""
        none = _NO_RANK.search(title[:1000])
        said = self.said if self.pid in ("", pid) else None
        rank = self.announced.get(pid) or ("" if none else rank_in(title) or _rank_before(line) or said)
        self.process, self.said, self.others = rank, None, 0

    def heard(self, line: str, row: str) -> None:
        """Take a line that belongs to no stack."""
        if not row.strip() or row.startswith(("Python v", "```", "[New LWP")):
            return
        if is_logged(line):
            self.forget()
            said = _rank_before(line)
            if said is not None and _ANNOUNCES.search(row[:400]):
                self.said = said
            if self.said and (pid := _ANNOUNCED_PID.search(row[:400])):
                self.pid = pid.group(1)
                self.announced[self.pid] = self.said
            return
        rank, state = _caption(line)
        introduces = bool(rank or (state and _ANNOUNCES.search(row[:400])))
        self.others += 1
        if introduces or self.others > _NEAR_OTHERS:
            self.forget()
        if introduces:
            self.said, self.state = rank, state

    def rank(self, line: str) -> str | None:
        """The rank of a stack that begins at this line."""
        if self.process == "":
            return ""
        return next((one for one in (_rank_before(line), self.process, self.said) if one is not None), None)


def _rank_before(line: str) -> str | None:
    """The rank in a line's prefix, "" when the prefix names a process that is none, else None."""
    role = role_of(line)
    return rank_of(line) or ("" if role and _NO_RANK.search(role) else None)


class _Stream:
    """The lines of one speaker. A thread ends where something else than a frame of its own style stands."""

    def __init__(self, announced: dict[str, str]) -> None:
        self.owner = _Owner(announced)
        self.current: _Open | None = None

    def take(self, line: Line) -> Iterator[_Open]:
        """The thread that this line ends, if any."""
        row = body(line.text)
        if (head := _PROCESS.match(row)) is not None:
            yield from self.close()
            self.owner.titled(head.group(1), head.group(2), line.text)
        elif (opened := _opening(row)) is not None:
            yield from self.close()
            if opened.style != "placed":  # py-spy alone prints the heading of a process
                self.owner.process = None
            opened.start, opened.end = line.start, line.end
            opened.rank, opened.state = self.owner.rank(line.text), opened.state or self.owner.state
            self.current = opened
        elif frames := _frames(row, self.current.style if self.current else "", _is_message(line.text, row)):
            if self.current is None or _starts_another(self.current, frames, row):
                yield from self.close()
            self.add(line, row, frames)
        elif self.current is None or not _goes_on(self.current, row):
            yield from self.end(line)

    def add(self, line: Line, row: str, frames: list[tuple[str, str, str]]) -> None:
        style = frames[0][0]
        if self.current is None:
            if "```" in line.text:
                self.owner.heard(line.text, line.text)
            rank = self.owner.rank(line.text)
            self.current = _Open("", rank, self.owner.state, style, line.start, line.end, style == "traceback")
        current = self.current
        for _, function, file in frames:
            if len(current.frames) < MAX_FRAMES and not _ADDRESS.match(function):
                current.frames.append((bare(function), place(file), line.start, line.end))
        current.end, current.indented = line.end, row[:1].isspace()
        if current.style in ("", "bare"):
            current.style = style

    def end(self, line: Line) -> Iterator[_Open]:
        """Take a line that belongs to no stack."""
        yield from self.close()
        self.owner.heard(line.text, body(line.text))

    def close(self) -> Iterator[_Open]:
        if self.current:
            yield self.current
        self.current = None


def _threads(artifact: Artifact) -> Iterator[_Open]:
    """Threads as they close. Of several processes behind one launcher each is read by itself."""
    announced: dict[str, str] = {}
    streams: dict[str, _Stream] = {}
    reached = 0
    for line in _candidates(artifact.text):
        if line.start > reached + 1 or not streams:
            for stream in streams.values():
                yield from stream.close()
            streams = {"": _Stream(announced)}
        reached = line.end
        if not line.text and streams[""].current is None:
            continue
        speaker = _speaker(line.text)
        if speaker not in streams:
            streams[speaker] = _Stream(announced)
        yield from streams[speaker].take(line)
        if speaker and streams[speaker].current is None:  # what follows may come without the launcher's prefix
            yield from streams[""].end(line)
    for stream in streams.values():
        yield from stream.close()


def _speaker(line: str) -> str:
    """What tells the process apart that printed this line behind a launcher's prefix; "" without one."""
    marked = any(mark in line for mark in ("[default", "]<std", "[pod/", "pid="))
    return "".join(_SPEAKER.findall(line[: wraps_length(line)])) if marked else ""


def _is_message(line: str, row: str) -> bool:
    """Whether the line is a logger's message rather than a frame behind a prefix, which keeps its indentation."""
    return len(row) < len(line) and not row.startswith("   ")


def _caption(line: str) -> tuple[str | None, str]:
    """Rank and state from a line's words before a fence, if any (`TP1 py-spy (idle): ```...`)."""
    head = line[:200].split("```")[0]
    if PLACED.search(head):
        return None, ""
    word = re.search(r"\b[Rr]ank[ _-]?(\d+)\b", head)
    state = _CAPTION_STATE.search(head)
    spaced = re.sub(r"\b(TP|PP|DP|EP)[ _-](\d+)", r"\1\2", head)
    return rank_in(spaced) or (word.group(1) if word else None), _STATES[state.group(1)] if state else ""


def _opening(row: str) -> _Open | None:
    """A thread's heading, or None. The traceback's heading opens a thread whose frames are printed outermost first."""
    if "hread " in row:
        if found := _FAULT_THREAD.match(row):
            return _Open(found.group(2) or found.group(1), None, "", "fault", 0, 0)
        if found := _PYSPY_THREAD.match(row):
            return _Open(found.group(3) or found.group(1), None, _STATES.get(found.group(2) or "", ""), "placed", 0, 0)
        if found := _GDB_THREAD.match(row):
            return _Open(found.group(3) or found.group(2) or found.group(1), None, "", "numbered", 0, 0)
    if "Traceback" in row and _TRACEBACK.match(row):
        return _Open("", None, "", "traceback", 0, 0, turned=True)
    return None


def _frames(row: str, style: str, logged: bool) -> list[tuple[str, str, str]]:
    """(style, function, file) of the frames this line prints: none, one, or the whole of a flattened stack."""
    if 'File "' in row and (found := _FILE_FRAME.match(row)):
        kind = "fault" if style == "fault" else "traceback"
        return [(kind, found.group(2) or "<module>", found.group(1))]
    if "#" in row and (found := _NUMBERED.match(row)):
        return [("numbered", *_numbered(found.group(2)))]
    if "@" in row and (found := _GLOG_FRAME.match(row)):
        return [("glog", found.group(1), "")]
    if logged or (style == "placed" and _LOCAL.match(row)):
        return []
    if row.count(" (") >= 2 and len(PLACED.findall(row)) >= 2:
        return [("flat", *pair) for pair in _flat(row)]
    if (
        row.rstrip().endswith(")")
        and (found := _PLACED_FRAME.match(row))
        and (_WHERE.match(found.group(2)) or style in ("placed", "bare"))
    ):
        named = found.group(2) if _WHERE.match(found.group(2)) else ""
        return [("placed", one.strip(), named) for one in found.group(1).split(" / ")]
    if style in ("placed", "bare", "") and len(row) < 200 and is_bare_name(row) and (found := _BARE.match(row)):
        return [(style or "bare", found.group(1), "")]
    return []


def _numbered(rest: str) -> tuple[str, str]:
    """`0x7f in f (x=1) at a.cc:3`, `f(x) + 0x9d (0x7f in /lib/x.so)`, `f from /lib/x.py:3` -> function and file."""
    rest = re.sub(r"^0x[0-9a-f]+ in ", "", rest[:4000])
    for pattern in (r" at (\S+)$", r" from (\S+)$", r" \(0x[0-9a-f]+ in ([^)]+)\)$"):
        found = re.search(pattern, rest)
        if found:
            return rest[: found.start()], found.group(1)
    return rest, ""


def _flat(row: str) -> Iterator[tuple[str, str]]:
    """A stack whose lines were joined: every word is a function, a word in brackets the place of the one before."""
    words = row.partition("```")[2].split() if "```" in row else row.split()
    waiting: list[str] = []
    for word in words:
        if word.startswith("(") and word.endswith(")") and _WHERE.match(word[1:-1]):
            yield from ((one, word[1:-1] if one is waiting[-1] else "") for one in waiting)
            waiting = []
        elif re.match(r"[A-Za-z_<~][\w:<>~.]*$", word):
            waiting.append(word)
    yield from ((one, "") for one in waiting)


def _starts_another(current: _Open, frames: list[tuple[str, str, str]], row: str) -> bool:
    """Whether these frames belong to a new stack although no heading came between."""
    style = frames[0][0]
    if not current.frames:
        return False
    if {style, current.style} == {"placed", "bare"}:
        return False
    if "flat" in (style, current.style) or (style != current.style and not current.turned):
        return True
    if style == "numbered":
        return bool(re.match(r"\s*(?:frame )?#0:? ", row))
    # an unindented frame after indented ones opens the next of several stacks copied without headings
    return (
        style == "placed"
        and not current.name
        and current.indented
        and not row[:1].isspace()
        and len(current.frames) > 1
    )


def _goes_on(current: _Open, row: str) -> bool:
    """Whether a line without a frame may stand inside the thread: source lines, locals, pointers, blank first lines."""
    if not row.strip():
        return not current.frames
    if current.style == "traceback":
        return row[:1].isspace()
    if current.style == "placed":
        return row.startswith(" " * 7)
    return current.style in ("numbered", "glog", "fault") and row[:1].isspace()


def bare(function: str) -> str:
    """`c10::Error::Error(c10::SourceLocation) + 0x9d` -> `c10::Error::Error`; `<module>` and `f.<locals>.g` stay."""
    name = re.sub(r" \+ 0x[0-9a-f]+$", "", function.strip())
    out: list[str] = []
    depth = 0
    for index, character in enumerate(name):
        if (
            character == "<"
            and depth == 0
            and re.match(r"<(?:module|locals|lambda|listcomp|genexpr|dictcomp|setcomp)>", name[index:])
        ) or (character == ">" and depth == 0):
            out.append(character)
        elif character in "<([":
            depth += 1
        elif character in ">)]":
            depth = max(0, depth - 1)
        elif depth == 0:
            out.append(character)
    words = "".join(out).split(" const")[0].split("{")[0].strip(" :") or name
    return words.split(" ")[-1] if " " in words and "operator" not in words else words


def place(file: str) -> str:
    """`/opt/torch/distributed/distributed_c10d.py:2968` -> `distributed/distributed_c10d.py`."""
    path = re.sub(r":\d+$", "", file.strip())
    return "/".join(path.replace("\\", "/").split("/")[-2:]).lstrip("/")
