"""What was raised: each traceback is one, whoever prints in between, and whoever prefixes which of its lines."""

import json

import pytest
from hypothesis import given
from hypothesis import strategies as st

from advisor.evidence.tracebacks import raised
from advisor.intake.records import unwrap

T = "Traceback (most recent call last):"
FRAME = '  File "/srv/sglang/srt/managers/scheduler.py", line 2826, in run\n    self.step()'


def told(text):
    return [(one.exception, one.rank, one.whole, one.chained) for one in raised(text)]


def test_sglang_prefixes_the_first_line_alone():
    text = f"[2026-08-02 12:01:07 TP0] Scheduler hit an exception: {T}\n{FRAME}\ntorch.AcceleratorError: CUDA error: unspecified launch failure\n\n[2026-08-02 12:01:08 TP1] Scheduler hit an exception: {T}\n{FRAME}\nRuntimeError: NCCL error\n[2026-08-02 12:01:09] SIGQUIT received."
    assert told(text) == [("torch.AcceleratorError", "TP0", True, False), ("RuntimeError", "TP1", True, False)]


def test_the_same_in_a_container_log():
    rows = [
        f"[2026-08-02 12:01:07 TP3] Scheduler hit an exception: {T}",
        *FRAME.split("\n"),
        "ValueError: bad",
        "[2026-08-02 12:01:09 TP3] x",
    ]
    assert told("\n".join(f"2026-08-02T12:01:07.{n}Z stderr F {row}" for n, row in enumerate(rows))) == [
        ("ValueError", "TP3", True, False)
    ]


def test_one_cut_short_does_not_take_the_next_ones_exception():
    text = f"[2026-08-02 12:01:07 TP0] Scheduler hit an exception: {T}\n{FRAME}\n[2026-08-02 12:01:08 TP1] Scheduler hit an exception: {T}\n{FRAME}\nRuntimeError: x"
    assert told(text) == [("RuntimeError", "TP1", True, False)]


def test_a_role_without_a_logger():
    text = "\n".join(
        f"(EngineCore_DP1 pid=9) {row}"
        for row in ("Process EngineCore_DP1:", T, *FRAME.split("\n"), "Exception: WorkerProc initialization failed")
    )
    assert told(text) == [("Exception", "DP1", True, False)]


def test_ranks_by_number():
    text = "\n".join(
        f"(VllmWorker rank={rank} pid=1{rank}) ERROR 06-10 03:43:33 [a.py:1] {row}"
        for row in (T, *FRAME.split("\n"), "ValueError: bad")
        for rank in (0, 2)
    )
    assert told(text) == [("ValueError", "0", True, False), ("ValueError", "2", True, False)]


def test_what_ray_carries_over_is_what_was_raised_there():
    assert [
        one[0]
        for one in told("ray.exceptions.RayTaskError(ValueError): ray::RayWorkerWrapper.execute_method() (pid=7)")
    ] == ["ValueError"]
    text = f"{T}\n{FRAME}\nray.exceptions.RayTaskError(OutOfMemoryError): ray::Worker.f() (pid=7, ip=192.0.2.2)"
    assert told(text) == [("OutOfMemoryError", None, True, False)]


def test_a_group_follows_from_what_is_in_it():
    text = "\n".join(
        [
            "ERROR:    Exception in ASGI application",
            f"  + Exception Group {T}",
            '  |   File "/app/a.py", line 77, in f',
            "  | ExceptionGroup: unhandled errors in a TaskGroup (1 sub-exception)",
            "  +-+---------------- 1 ----------------",
            f"    | {T}",
            '    |   File "/app/b.py", line 54, in g',
            "    | KeyError: 'x'",
            "    +------------------------------------",
        ]
    )
    assert told(text) == [("ExceptionGroup", None, True, True), ("KeyError", None, True, False)]


def test_a_chain_of_three():
    text = f"{T}\n{FRAME}\nKeyError: 'x'\n\nDuring handling of the above exception, another exception occurred:\n\n{T}\n{FRAME}\nValueError: y\n\nThe above exception was the direct cause of the following exception:\n\n{T}\n{FRAME}\nRuntimeError: z"
    assert told(text) == [
        ("KeyError", None, True, False),
        ("ValueError", None, True, True),
        ("RuntimeError", None, True, True),
    ]


@pytest.mark.parametrize(
    "text",
    [
        "",
        T,
        f"{T}\n{FRAME}",
        "INFO 08-02 10:44:31 [a.py:1] no error",
        "WARNING 08-02 10:44:31 [a.py:1] ValueError: ignored",
    ],
)
def test_nothing_was_raised(text):
    assert told(text) == []


@given(
    st.lists(
        st.sampled_from(
            [
                T,
                FRAME,
                "ValueError: bad",
                "[2026-08-02 12:01:07 TP0] x",
                f"[2026-08-02 12:01:07 TP1] hit: {T}",
                "(EngineCore_DP1 pid=9) " + T,
                "    | " + T,
                "\u2028",
                "",
                "x: y",
            ]
        ),
        max_size=14,
    ),
    st.integers(0, 60),
)
def test_any_text_is_read_and_spans_lie_inside(rows, cut):
    text = "\n".join(rows)[cut:]
    for one in raised(text):
        assert 0 <= one.begin <= one.start <= one.end <= len(text)


def test_behind_a_syslog_prefix():
    rows = [f"[rank1]: {row}" for row in (T, *FRAME.split("\n"), "RuntimeError: bad")]
    text = "\n".join(f"2026-11-29T13:40:00.123456+00:00 node-a vllm[77]: {row}" for row in rows)
    assert told(text) == [("RuntimeError", "1", True, False)]


@pytest.mark.parametrize("time", [{"ts": 1795959455.5}, {}])
def test_one_json_record_a_line(time):
    rows = (T, *FRAME.split("\n"), "RuntimeError: bad")
    text = unwrap("\n".join(json.dumps({"level": "error", **time, "msg": row}) for row in rows))
    assert told(text) == [("RuntimeError", None, True, False)]
