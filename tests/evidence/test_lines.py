"""A line's prefix: who, when, how loud; and what is left of the line."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from advisor.evidence.lines import (
    INNER,
    body,
    head_length,
    is_logged,
    level_of,
    line_around,
    lines,
    rank_of,
    role_of,
    speaker_of,
    wraps_length,
)
from advisor.evidence.moments import Moment, moment_of, on_one_scale
from advisor.evidence.understanding import understood, unknown


@pytest.mark.parametrize(
    ("line", "left"),
    [
        ('(Worker_TP1 pid=2) ERROR 10-25 13:12:42 [m.py:671]   File "a.py"', '  File "a.py"'),
        ("[2026-08-02 10:44:31 DP0 TP3 EP3] x", "x"),
        ("[2026-08-02 10:44:31 ATTN_TP0 MOE_EP3] x", "x"),
        ('[rank0]:   File "a.py"', '  File "a.py"'),
        ("[pod/vllm-0/server] 2026-08-02T10:44:31.1Z (APIServer pid=1) INFO 08-02 10:44:31 [a.py:1] x", "x"),
        ("vllm-1  | x", "x"),
        ("2026-08-02T10:44:31.1+00:00 node-a vllm[7]: (Worker_TP1 pid=7) INFO 08-02 10:44:31 [a.py:1] x", "x"),
        ("2026-08-02T10:44:31.1+00:00 node-a vllm[7]:     x", "    x"),
        ("2026-08-02T10:44:31.1Z ERROR\t    x", "    x"),
        ("2026-08-02T10:44:31.1Z\tINFO\tx", "x"),
        ("ERROR:\t    x", "    x"),
        ("[2026-08-02 10:44:31] node-a:1:2 [0] init.cc:63 NCCL WARN x", "x"),
        ("nothing known: x", "nothing known: x"),
    ],
)
def test_the_message_is_left(line, left):
    assert body(line) == left


@pytest.mark.parametrize(
    "line",
    [
        "It hangs (see below) every hour",
        "2026-08-02 10:00 we restarted it",
        "2026-08-02 10:00:00 restarted by hand",
        "node-7 was drained yesterday",
        "| rank | state |",
        "rank0 waits, rank1 does not",
        "ERROR: it stops",
        "[1] https://example.org",
        "engine | version",
    ],
)
def test_prose_has_no_prefix(line):
    assert not is_logged(line) and rank_of(line) is None and level_of(line) is None


@pytest.mark.parametrize(
    ("line", "role", "speaker"),
    [
        ("(EngineCore_DP0 pid=9) x", "EngineCore_DP0", None),
        ("(VllmWorker rank=2 pid=9) x", "VllmWorker", None),
        ("(raylet, ip=192.0.2.1) x", "raylet", None),
        ("[pod/vllm-0/server] (APIServer pid=1) x", "APIServer", "vllm-0/server"),
        ("vllm-1  | (APIServer pid=1) x", "APIServer", "vllm-1"),
        ("Aug 02 10:44:31 node-a vllm[12]: INFO 08-02 10:44:31 [a.py:1] x", None, "node-a"),
        ("Aug 02 10:44:31 node-a kernel: x", None, "node-a"),
        ("2026-08-02T10:44:31.123456+00:00 node-a vllm[12]: x", None, "node-a"),
        ("2026-08-02T10:44:31+0000 node-a python3[12]: (EngineCore_DP0 pid=9) x", "EngineCore_DP0", "node-a"),
        ("Sun 2026-08-02 10:44:31 UTC node-a vllm[12]: x", None, "node-a"),
        ("1785667471.123456 node-a vllm[12]: x", None, "node-a"),
        ("[ 1234.567890] node-a vllm[12]: x", None, "node-a"),
        ("2026-08-02T10:44:31.1Z INFO dynamo.worker: x", None, None),
        ("[2026-08-02 10:44:31 TP1] x", None, None),
    ],
)
def test_roles_and_speakers(line, role, speaker):
    assert (role_of(line), speaker_of(line)) == (role, speaker)


def test_the_outermost_time_counts():
    inner = moment_of("[2026-08-02 10:44:31] x")
    row = "2026-08-02T10:44:31.5Z INFO 08-02 18:44:31 [a.py:1] x"
    assert inner is not None and moment_of(row) == inner._replace(seconds=inner.seconds + 0.5)


@pytest.mark.parametrize(
    "line",
    [
        "INFO 99-99 99:99:99 [a.py:1] x",
        "[9999-00-00 00:00:00 TP1] x",
        "E1399 25:61:61.1 1 a.cc:1] x",
        "Foo 99 99:99:99 h v[1]: x",
    ],
)
def test_impossible_times_are_no_times(line):
    assert moment_of(line) is None


def test_times_of_one_file_are_on_one_scale():
    dated, short = moment_of("[2026-08-02 10:44:31 TP1] x"), moment_of("INFO 08-02 10:44:41 [a.py:1] x")
    assert dated is not None and short is not None
    first, second = on_one_scale([dated, short])
    assert (first, second - first) == (1785667471.0, 10.0)
    assert moment_of("[2028-03-01 00:00:00] x") == Moment(60 * 86400.0, True, 2028)


def test_a_record_of_several_lines_has_lines_within():
    text = f"one{INNER}two\nthree"
    assert [row.text for row in lines(text)] == ["one", "two", "three"]
    assert line_around(text, 5).text == "two" and line_around(text, 1).text == "one"


def test_the_share_of_what_is_understood():
    text = "INFO 08-02 10:44:31 [a.py:1] x\n    more of it\n\nsome unheard-of layout\n[rank3]: y\n"
    share = understood(text)
    assert (share.lines, share.with_time, share.with_level, share.with_rank, share.understood) == (4, 1, 1, 1, 3)
    assert unknown(text) == ["some unheard-of layout"]
    assert understood("").percent == 100 and (share + share).lines == 8


@given(st.text(max_size=200) | st.text(alphabet="[](){}:-|. TPDRankINFOpid=0123456789,\t", max_size=120))
def test_any_line_has_a_prefix_within_it(line):
    assert 0 <= wraps_length(line) <= head_length(line) <= len(line)
    for read in (body, rank_of, role_of, speaker_of, level_of, moment_of, understood):
        read(line)


@pytest.mark.parametrize(
    "line",
    [
        "(" * 50_000,
        "a-" * 50_000,
        "[rank0]:" * 20_000,
        "2026-08-02 10:44:31 " * 5_000,
        "(x pid=1" * 9_000,
        "a.b " * 20_000,
    ],
)
def test_hostile_lines_take_no_time(line):
    head_length(line), rank_of(line), level_of(line), moment_of(line)


@pytest.mark.parametrize("stamp", ["[  131.402911] ", "[Mon Nov 30 03:53:39 2026] "])
def test_a_line_of_the_kernel_is_logged(stamp):
    assert is_logged(stamp + "NVRM: Xid (PCI:0000:00:06): 79, GPU has fallen off the bus.")
    assert body(stamp + "NVRM: loading") == "NVRM: loading"
