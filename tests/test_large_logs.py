"""Large logs are read in pieces, and say what they would if they were read as a whole."""

from __future__ import annotations

import gzip
import io
import sys
from collections.abc import Iterator
from dataclasses import replace
from importlib import import_module
from pathlib import Path

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from advisor.evidence import marks, reading
from advisor.evidence.telling import tellings
from advisor.faces import files
from advisor.intake import archives, condense, large, raw, streams, take
from advisor.intake.streams import Large
from advisor.intake.texts import clean, decode
from advisor.jobs.assemble import assemble
from advisor.jobs.check import check
from advisor.jobs.judging import gate_of, judge_case
from advisor.jobs.request import File, Request
from advisor.jobs.rule_cases import cases
from advisor.jobs.signatures import signatures, with_any_numbers
from advisor.model.case import Case
from advisor.model.fact import Artifact
from advisor.model.shape import Shape
from advisor.patterns import compile_pattern
from tests.large_logs import healthy, tracebacks

DATA = Path(__file__).parent / "evidence" / "data"
LOGS = sorted(DATA.glob("*/*.log"))
RULES = Path(__file__).parents[1] / "rules"
QUIET = healthy(1_000_000)
CRASH = b"""\
[rank3]:[E1129 13:40:35.944212283 ProcessGroupNCCL.cpp:689] [Rank 3] Watchdog caught collective operation timeout: WorkNCCL(SeqNum=126, OpType=BROADCAST, NumelIn=60, NumelOut=60, Timeout(ms)=50000) ran for 50092 milliseconds before timing out.
[2026-08-02 12:01:07 TP0] Scheduler hit an exception: Traceback (most recent call last):
  File "/sgl-workspace/sglang/python/sglang/srt/managers/scheduler.py", line 2826, in run_scheduler_process
    scheduler.event_loop_overlap()
torch.AcceleratorError: CUDA error: an illegal memory access was encountered
"""


def in_pieces(patch: pytest.MonkeyPatch) -> None:
    """Every log is large, and read a few lines at a time."""
    patch.setattr(large, "WHOLE_UP_TO", 0)
    patch.setattr(raw, "PIECE", 4096)
    patch.setattr(streams, "CHUNK", 3000)
    patch.setattr(condense, "ENDS", 2048)
    patch.setattr(condense, "_FIRST", 1)
    patch.setattr(condense, "_PLAIN_BYTES", 500)


@pytest.fixture
def tiny(monkeypatch: pytest.MonkeyPatch) -> None:
    in_pieces(monkeypatch)


def case_of(data: bytes, name: str = "serve.log") -> Case:
    case, problems = assemble(Request(files=(File(name, data, "log"),), strict=False))
    assert not problems
    return case


def told(case: Case) -> dict[str, object]:
    """Everything that a report rests on."""
    symptoms = [(one.rule.id, one.status, one.symptoms()) for one in judge_case(case).verdicts]
    return {
        "facts": case.facts,
        "threads": case.threads,
        "symptoms": symptoms,
        "situation": case.situation,
        "timeline": case.timeline,
        "build": case.build,
        "covered": [one.covered for one in case.artifacts],
    }


def whole(data: bytes) -> Case:
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(large, "WHOLE_UP_TO", 1 << 40)
        return case_of(data)


@pytest.mark.parametrize("log", LOGS, ids=lambda log: f"{log.parent.name}/{log.name}")
def test_a_log_says_the_same_read_in_pieces(log: Path, tiny: None):
    data = log.read_bytes()
    read = case_of(data)
    assert read.artifacts[0].runs
    assert told(read) == told(whole(data))


def test_the_logs_of_cases_say_the_same_read_in_pieces(tiny: None):
    logs = [one for one in sorted(RULES.glob("*/*/cases/fires-*/*.log")) if one.stat().st_size > 1_000]
    assert len(logs) > 15
    for log in logs:
        data = log.read_bytes()
        assert told(case_of(data)) == told(whole(data)), log


def test_without_the_native_engine_the_report_is_the_same_and_says_so(monkeypatch: pytest.MonkeyPatch):
    fires = next(one for one in cases() if one.kind == "fires" and [file.kind for file in one.request.files] == ["log"])
    (log,) = fires.request.files
    request = replace(fires.request, files=(replace(log, content=QUIET * 5 + log.content + QUIET * 3),))
    report = check(request).report
    assert report.findings[0].rule == fires.rule
    monkeypatch.setitem(sys.modules, "ahocorasick_rs", None)
    try:
        for kept in (gate_of, signatures):
            kept.cache_clear()
        slow = check(request).report
    finally:
        for kept in (gate_of, signatures):
            kept.cache_clear()
    (said,) = set(slow.coverage.notes) - set(report.coverage.notes)
    assert "ahocorasick_rs is not installed" in said and slow.coverage.notes.count(said) == 1
    notes = tuple(one for one in slow.coverage.notes if one != said)
    assert replace(slow, coverage=replace(slow.coverage, notes=notes)) == report


def test_what_happens_in_the_middle_of_a_day_is_found_on_its_line():
    before, after = QUIET * 5, QUIET * 3
    case = case_of(before + CRASH + after)
    first = before.count(b"\n") + 1
    assert len(case.artifacts[0].text) < 2_000_000
    found = {(one.name, one.value): one for one in case.facts}
    crash = found["error.exception", "torch.AcceleratorError"]
    assert crash.span is not None and crash.span.line == first + 4 and crash.rank == "TP0"
    hang = found["symptom.hang", True]
    assert hang.span is not None and hang.span.line == first and hang.rank == "3"
    note = next(one.text for one in case.notes if "to the end" in one.text)
    lines = (before + CRASH + after).count(b"\n")
    assert note.startswith(f"8 MB, {lines:,} lines: read to the end")


def test_one_number_among_many_alike_is_found():
    line = b"2026-08-02 10:00:00 worker exited, exit code %d\n"
    data = b"".join(line % (n % 3) for n in range(86_000)) + line % 137 + QUIET[:600_000]
    case = case_of(data)
    assert case.artifacts[0].runs
    killed = next(one for one in whole(data).facts if one.name == "symptom.killed")
    assert killed in case.facts and killed.span is not None and killed.span.line == 86_001


def test_shares_of_a_file_come_together(tmp_path: Path, monkeypatch: pytest.MonkeyPatch):
    monkeypatch.setattr(large, "_SHARE", 1 << 20)
    monkeypatch.setattr(large, "_workers", lambda: 3)
    block = tracebacks(300_000)
    data = QUIET * 4 + block + CRASH + QUIET[:500_000]
    file = tmp_path / "serve.log"
    file.write_bytes(data)
    found = large.digests([(Large("serve.log", data[:70_000], str(file)), "log")], signatures())[0]
    assert found is not None and found.lines == data.count(b"\n") and found.size == len(data)
    rows = decode(data).split("\n")
    artifact = found.artifact("serve.log", None)
    for index, line in enumerate(artifact.text.split("\n")[:-1]):
        if line != "⋯":
            assert rows[artifact.number_of(index) - 1] == line
    assert "AcceleratorError" in found.text


@pytest.mark.parametrize("packing", ["gz", "zst"])
def test_a_packed_log_is_read_as_it_is_unpacked(packing: str):
    data = QUIET * 5 + CRASH
    zstd = import_module("compression.zstd" if sys.version_info >= (3, 14) else "backports.zstd")
    parts = (data[:3_000_000], data[3_000_000:])  # two frames
    packed = b"".join(gzip.compress(one, 1) if packing == "gz" else zstd.compress(one) for one in parts)
    read, plain = case_of(packed, f"serve.log.{packing}"), case_of(data, f"serve.log.{packing}")
    assert read.artifacts[0].runs and read.facts == plain.facts and read.timeline == plain.timeline


def test_a_packed_log_that_breaks_off_is_read_as_far_as_it_goes():
    packed = gzip.compress(QUIET * 6, 1)
    case = case_of(packed[: len(packed) * 9 // 10], "serve.log.gz")
    assert case.artifacts[0].runs and any("cut short" in one.text for one in case.notes)


def test_a_bomb_is_left_where_it_goes_off():
    packed = gzip.compress(QUIET[:100_000] + b"\0" * 60_000_000, 9)
    stream = streams.Stream(Large("serve.log.gz", packed))
    size = sum(map(len, stream.chunks()))
    assert size <= archives.MAX_RATIO * len(packed) + (2 << 20)
    assert [kind for kind, _ in stream.said] == ["limit"]


def test_a_line_without_end_is_cut_and_counted():
    data = QUIET * 3 + b"x " * 2_000_000 + b"\n" + CRASH + QUIET
    case = case_of(data)
    assert any("1 line(s) longer than" in one.text for one in case.notes)
    crash = next(one for one in case.facts if one.value == "torch.AcceleratorError")
    assert crash.span is not None and crash.span.line == 3 * QUIET.count(b"\n") + 1 + 5


def test_other_large_texts_are_read_as_a_whole():
    metrics = b'# TYPE vllm:num_requests_running gauge\nvllm:num_requests_running{engine="0"} 1.0\n' * 60_000
    (artifact,) = take("metrics.txt", metrics, search=signatures()).artifacts
    assert artifact.kind == "metrics" and not artifact.runs


UGLY = st.lists(
    st.sampled_from(
        [b"a\0b\n", b"\xff\xfe\xb2\xe2\n", b"x\r\n", b"1%\r2%\r3%\n", "缓存 …\n".encode(), b"\n", b"y" * 7_000]
    )
    | st.binary(max_size=40),
    max_size=40,
)


@settings(max_examples=40, deadline=None)
@given(UGLY)
def test_pieces_hold_every_line(parts: list[bytes]):
    data = b"".join(parts)
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(raw, "PIECE", 512)
        found = list(raw.pieces(iter([data[at : at + 100] for at in range(0, len(data), 100)])))
    assert b"".join(found).count(b"\n") == data.count(b"\n")
    for mine, given_ in zip(b"".join(found).split(b"\n"), data.split(b"\n"), strict=True):
        drawn = clean(decode(given_)) if b"\0" not in given_ and b"\x1b" not in given_ else None
        if drawn is not None and len(given_) <= 512 and given_.isascii():
            assert clean(decode(mine)) == drawn


class Spied(str):
    """A text that remembers what was looked for in it."""

    asked: set[str]

    def find(self, sub: str, *at: int) -> int:  # type: ignore[override]
        self.asked.add(sub)
        return super().find(sub, *at)

    def rfind(self, sub: str, *at: int) -> int:  # type: ignore[override]
        self.asked.add(sub)
        return super().rfind(sub, *at)

    def __contains__(self, sub: object) -> bool:
        self.asked.add(str(sub))
        return super().__contains__(sub)  # type: ignore[operator]

    __hash__ = str.__hash__


def looked_for(text: str) -> Iterator[str]:
    spied = Spied(text)
    spied.asked = set()
    read = reading.read(Artifact("serve.log", "log", spied))
    marks.sightings([read])
    yield from spied.asked


def test_no_reader_looks_for_what_a_large_log_is_not_searched_for():
    known = [one.literal for one in tellings() if one.literal]
    patterns = [Shape(one.pattern) for one in tellings() if not one.literal]
    lines = {"\n", "\u2028"}  # not words, but how a text is parted
    sample = "\n".join(log.read_text(errors="replace") for log in LOGS) + CRASH.decode()
    unknown = {
        word
        for word in looked_for(sample)
        if word not in lines
        and not any(mark in word for mark in known)
        and not any(one.search(word) for one in patterns)
        and not word.startswith(("[rank", "TP", "PP", "DP", "EP"))  # a rank's own lines, which are kept by its name
    }
    frames = {"\n#", "#0", "Thread ", 'File "', " @ ", "@  ", "frame #", ".py:", ".cc", ".cpp", ".cu", ".so", "_"}
    assert unknown <= frames  # may a text hold frames at all: asked of short ones only


def test_any_number_stands_for_the_one_that_a_pattern_names():
    assert with_any_numbers("out of memory") is None
    assert with_any_numbers(r"[^\n]{0,60}fail") is None
    loose = with_any_numbers(r"HTTP/1\.[01]\" (?:400|404)")
    assert loose is not None
    assert compile_pattern(loose).search('HTTP/1.1" 200')
    assert not compile_pattern(loose).search('HTTP/1.1" OK')


def test_standard_input_larger_than_is_held_is_read_from_a_file(monkeypatch: pytest.MonkeyPatch):
    data = QUIET * 5 + CRASH
    monkeypatch.setattr(files, "HELD", 1 << 20)
    monkeypatch.setattr("sys.stdin", io.TextIOWrapper(io.BytesIO(data)))
    file = files.evidence("-", "log")
    assert Path(file.path).read_bytes() == data and data.startswith(file.content) and len(file.content) < len(data)
    case, _ = assemble(Request(files=(file,), strict=False))
    Path(file.path).unlink()
    assert case.artifacts[0].runs and "torch.AcceleratorError" in [one.value for one in case.facts]
