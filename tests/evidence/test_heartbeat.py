"""Who printed its periodic line how often, and when it stopped."""

from hypothesis import given
from hypothesis import strategies as st

from advisor.evidence import heartbeat
from advisor.model.fact import Artifact


def beats(text, name="server.log", rank=None):
    return {(beat.source, beat.kind): beat for beat in heartbeat.beats(Artifact(name, "log", text, 1, rank))}


def sglang(second, rank="TP0"):
    return f"[2026-08-02 10:02:{second:02} {rank}] Decode batch, #running-req: 8, gen throughput (token/s): 801.40, #queue-req: 0"


def vllm(minute, second, engine="000"):
    return f"(APIServer pid=1) INFO 08-02 10:{minute:02}:{second:02} [loggers.py:118] Engine {engine}: Avg prompt throughput: 0.0 tokens/s, Avg generation throughput: 41.2 tokens/s, Running: 3 reqs, Waiting: 0 reqs"


def test_a_rank_that_stopped_and_a_file_that_went_on():
    text = "\n".join([*(sglang(5 * n) for n in range(6)), "[2026-08-02 10:09:00 TP0] Cache flushed successfully!"])
    (beat,) = beats(text).values()
    assert (beat.source, beat.kind, beat.count, beat.interval_s) == ("TP0", "Decode batch", 6, 5.0)
    assert (beat.last_s - beat.first_s, beat.file_last_s - beat.last_s) == (25.0, 395.0)
    assert beat.last_s == 1785664945.0 and str(beat.span) == "server.log:6"


def test_each_engine_rank_and_pod_is_a_source():
    assert set(beats("\n".join([vllm(1, 0), vllm(1, 0, "001")]))) == {
        ("Engine 000", "Avg prompt throughput"),
        ("Engine 001", "Avg prompt throughput"),
    }
    assert {key[0] for key in beats("\n".join([sglang(1, "DP0 TP0"), sglang(1, "DP1 TP4")]))} == {"DP0 TP0", "DP1 TP4"}
    pods = "\n".join(f"[pod/vllm-{n}/server] {vllm(1, n)}" for n in range(2))
    assert {key[0] for key in beats(pods)} == {"vllm-0/server Engine 000", "vllm-1/server Engine 000"}


def test_a_source_without_a_name_is_called_after_its_file():
    line = "INFO 07-23 01:27:07 [metrics.py:417] Avg prompt throughput: 0.0 tokens/s, Avg generation throughput: 0.0 tokens/s, Running: 0 reqs, Swapped: 0 reqs"
    assert list(beats(line)) == [("server.log", "Avg prompt throughput")]
    assert list(beats(line, rank="3")) == [("3", "Avg prompt throughput")]


def test_servers_that_stopped_in_the_same_second():
    last = {
        name: beats("\n".join([*(vllm(1, 10 * n) for n in range(end)), vllm(1, 50), later]), name)[
            ("Engine 000", "Avg prompt throughput")
        ].last_s
        for name, end, later in (
            ("a.log", 3, "INFO 08-02 10:20:00 [a.py:1] x"),
            ("b.log", 5, "INFO 08-02 10:31:00 [a.py:1] x"),
        )
    }
    assert last["a.log"] == last["b.log"]


def test_other_periodic_lines():
    text = '[2026-08-02 10:44:31] INFO:     192.0.2.1:1 - "GET /health HTTP/1.1" 200 OK\n[2026-08-02 10:44:32 TP0] Prefill batch, #new-seq: 1, #running-req: 0, #queue-req: 0\nINFO 08-02 10:44:33 [metrics.py:96] SpecDecoding metrics: Mean acceptance length: 5.29'
    assert {key[1] for key in beats(text)} == {"GET /health", "Prefill batch", "SpecDecoding metrics"}


def test_times_that_are_not_known():
    (beat,) = beats('INFO:     192.0.2.1:1 - "GET /health HTTP/1.1" 200 OK').values()
    assert (beat.first_s, beat.last_s, beat.file_last_s, beat.interval_s) == (None, None, None, None)
    (beat,) = beats(
        "[04:40:55 TP0] Decode batch. #running-req: 2, gen throughput (token/s): 447.31\n[04:40:57 TP0] x"
    ).values()
    assert (beat.last_s, beat.file_last_s) == (16855.0, 16857.0)


def test_undated_beats_are_not_measured_against_dated_lines():
    rows = [
        f"[04:40:{10 * n:02} TP0] Decode batch. #running-req: 2, gen throughput (token/s): 447.31" for n in range(5)
    ]
    text = "\n".join(
        [
            *rows,
            "2026-08-02 09:00:00,1 INFO worker.py:1 -- x",
            "[04:40:41 TP0] Watchdog timeout (self.watchdog_timeout=300)",
        ]
    )
    assert not [
        fact
        for fact in heartbeat.read(Artifact("a", "log", text), text.index("Watchdog"))
        if fact.name == "symptom.heartbeat_stopped"
    ]


def stops(text):
    return "symptom.heartbeat_stopped" in {
        fact.name for fact in heartbeat.read(Artifact("a", "log", text), text.find("Watchdog"))
    }


def test_beats_that_end_before_new_year():
    rows = [vllm(1, 10 * n).replace("08-02 10:01", "12-31 23:59") for n in range(6)]
    text = "\n".join([*rows, "INFO 01-01 00:09:00 [a.py:1] x"])
    (beat,) = beats(text).values()
    assert stops(text) and beat.file_last_s - beat.last_s == 9 * 60 + 10
    dated = "\n".join(sglang(5 * n).replace("2026-08-02 10:02", "2026-12-31 23:59") for n in range(6))
    assert stops(dated + "\n[2027-01-01 00:09:00 TP0] Watchdog timeout (self.watchdog_timeout=300)")


def test_beats_are_not_measured_against_another_clock():
    """A line of a tool in UTC, hours ahead of the server's own time."""
    text = "\n".join(vllm(1, 10 * n) for n in range(6)) + "\n2026-08-02T17:01:51Z INFO x"
    (beat,) = beats(text).values()
    assert not stops(text) and beat.file_last_s == beat.last_s


def test_nothing():
    assert beats("") == {} and beats("INFO 08-02 10:44:33 [a.py:1] x") == {}


@given(
    st.lists(
        st.sampled_from(
            [
                sglang(1),
                vllm(2, 3),
                "Decode batch",
                "x",
                "Avg thr (in/out): / tokens/s",
                '"GET /health',
                "[99:99:99 TP0] Decode batch, #running-req: 1",
            ]
        ),
        max_size=12,
    ),
    st.integers(0, 400),
)
def test_any_text_is_read_and_spans_lie_inside(rows, cut):
    text = "\n".join(rows)[cut:]
    for beat in heartbeat.beats(Artifact("a", "log", text)):
        assert beat.span is not None and 1 <= beat.span.line <= text.count("\n") + 1
