"""What engine logs and the process group's lines show, in firing and quiet neighbours."""

import pytest

from tests.evidence.situations import assert_quiet, captured, facts, handed, notable, symptoms, values

WATCHDOG = """\
[PG ID 8 PG GUID 85(pp_broadcast) Rank 3] failure detected by watchdog at work sequence id: 40427
  PG status: last enqueued work: 40432, last started work: -1, last completed work: 40426
Watchdog caught collective operation timeout: WorkNCCL(SeqNum=40427, OpType=BROADCAST, NumelIn=6, Timeout(ms)=60000)

No available shared memory broadcast block found
TimeoutError: RPC call to sample_tokens timed out
EngineDeadError
"""


def collective(found):
    return {
        fact.name.removeprefix("collective."): fact.value
        for fact in facts(found)
        if fact.name.startswith("collective.")
    }


def test_a_watchdog_names_its_collective():
    found = captured("pp_broadcast_skew/rank0.log")
    assert collective(found) == {
        "group": "pp_broadcast",
        "op": "BROADCAST",
        "numel": 60,
        "timeout_ms": 50000,
        "rank": "0",
        "seq": 126,
        "last_enqueued": 138,
        "last_completed": 125,
    }
    assert notable(found) == {"symptom.watchdog", "symptom.hang", "symptom.timeout"}
    assert values(found, "component.nccl") == ["2.28.9"]


def test_the_abort_that_a_watchdog_orders_is_no_crash_of_its_own():
    assert "symptom.crash" not in symptoms(captured("tp_divergence/rank0.log"))


def test_what_is_raised_because_a_peer_died_asks_for_no_explanation():
    found = captured("tp_divergence/rank1.log")
    assert "error.exception" not in notable(found) and "symptom.crash" not in notable(found)
    assert values(found, "error.exception") == ["RuntimeError"]
    assert collective(found) == {}


def test_the_device_assert_is_the_root_and_not_its_peers_timeout():
    found = captured("illegal_access/rank1.log")
    assert notable(found) == {"error.exception", "symptom.crash"}
    (error,) = facts(found, lambda fact: fact.name == "error.exception")
    assert error.value == "torch.AcceleratorError"
    assert "device-side assert triggered" in error.quote and error.rank == "1"


def test_out_of_memory():
    found = captured("oom/rank0.log")
    assert notable(found) == {"symptom.oom", "error.exception"}


def test_a_pasted_watchdog_text():
    found = handed("报错原文\n\n" + WATCHDOG + "\n原因分析\n")
    assert collective(found)["group"] == "pp_broadcast" and collective(found)["rank"] == "3"
    assert (collective(found)["last_enqueued"], collective(found)["last_completed"]) == (40432, 40426)
    by_value = {fact.value: fact for fact in facts(found) if fact.name == "error.exception"}
    assert by_value["TimeoutError"].notable and not by_value["EngineDeadError"].notable
    (op,) = facts(found, lambda fact: fact.name == "collective.op")
    assert str(op.span) == "-:5"


@pytest.mark.parametrize(
    ("line", "expected"),
    [
        (
            "[2026-08-02 12:01:07 TP1] Scheduler watchdog timeout (self.watchdog_timeout=120, self.soft=False)",
            {"symptom.watchdog", "symptom.hang", "symptom.timeout"},
        ),
        (
            "[rank0]:[E1019 01:04:03.356947152 ProcessGroupNCCL.cpp:1413] [PG 3 Rank 0] Heartbeat monitor timed out! Process will be terminated",
            {"symptom.watchdog", "symptom.hang"},
        ),
        (
            "(APIServer pid=7) ERROR 10-06 04:54:34 [core.py:843] TimeoutError: RPC call to execute_model timed out.",
            {"symptom.timeout", "error.exception"},
        ),
        (
            "F20260519 04:44:17.701436 933209 mtp_worker_impl.cpp:643] Check failed: current_position + 1 == current_kv_len (26 vs. 25)",
            {"symptom.crash", "error.exception"},
        ),
        ("terminate called after throwing an instance of 'gloo::EnforceNotMet'", {"symptom.crash", "error.exception"}),
        (
            "Exception: Capture cuda graph failed: CUDA out of memory. Tried to allocate 448.00 MiB.",
            {"symptom.oom", "error.exception"},
        ),
        ("EngineCore failed to start: Worker proc VllmWorker-0 died unexpectedly", {"symptom.startup_failure"}),
        ("[rank0]: RuntimeError: NPU out of memory. Tried to allocate 2.00 GiB", {"symptom.oom", "error.exception"}),
        (
            "ImportError: libcudart.so.11.0: cannot open shared object file: No such file or directory",
            {"error.exception"},
        ),
    ],
)
def test_one_line_is_enough(line, expected):
    assert notable(handed(line)) == expected
    assert notable(handed(line, "server.log")) == expected


@pytest.mark.parametrize(
    "line",
    [
        "[2026-08-02 10:01:00] server_args=ServerArgs(model_path='m', watchdog_timeout=300, soft_watchdog_timeout=None)",
        "[2026-08-02 10:01:00 TP0] Watchdog Scheduler initialized.",
        "(VllmWorkerProcess pid=1) INFO 08-19 07:51:12 model_runner.py:1028] If you are running out of memory, consider decreasing `gpu_memory_utilization`",
        "INFO 12-09 11:25:53 [shm_broadcast.py:466] No available shared memory broadcast block found in 60 seconds.",
        "[rank1]:[E1129 13:38:30.23 ProcessGroupNCCL.cpp:1849] [PG ID 0 PG GUID 0(default_pg) Rank 1] Observed flight recorder dump signal from another rank via TCPStore.",
        "[rank0]:[W817 09:30:01.22 ProcessGroupNCCL.cpp:1553] Warning: WARNING: destroy_process_group() was not called before program exit",
        "WARNING 10-06 04:51:05 [utils.py:12] CUDA out of memory was met while probing; retrying with a smaller batch",
        "[2026-08-02 10:01:00 TP0] KV cache pool is full. Retract requests. #retracted_reqs: 2",
        "[2026-08-02 10:20:00] SIGTERM received. signum=15 frame=None. Draining requests and shutting down...",
    ],
)
def test_a_near_miss_is_quiet(line):
    assert_quiet(handed(line))
    assert_quiet(handed(line, "server.log"))


@pytest.mark.parametrize(
    ("line", "name"),
    [
        (
            "ERROR 10-06 04:51:05 [multiproc_executor.py:312] Worker proc VllmWorker-1 died unexpectedly (exit code: -9), shutting down",
            "killed",
        ),
        ("[2026-08-02 10:01:00] Rank 0 scheduler died during initialization (exit code: -9).", "killed"),
        ("      Exit Code:    137", "killed"),
        ("Exception: Capture cuda graph failed: CUDA error: invalid argument", "graph_capture"),
        ("RuntimeError: CUDA error: operation not permitted when stream is capturing", "graph_capture"),
        ("RuntimeError: probability tensor contains either `inf`, `nan` or element < 0", "nan"),
        ("[2026-08-02 10:01:00 TP0] Detected errors during sampling! NaN in the logits.", "nan"),
    ],
)
def test_a_line_that_tells_of_a_kill_a_capture_or_a_nan(line, name):
    assert f"symptom.{name}" in {fact.name for fact in facts(handed(line, "server.log"))}


@pytest.mark.parametrize(
    "line",
    [
        "[2026-08-02 10:01:00] died (exit code: 1). If exit code is -9 (SIGKILL), a common cause is the OS OOM killer.",
        "[2026-08-02 10:01:00 TP0] Capture cuda graph begin. This can take up to several minutes.",
        "[2026-08-02 10:01:00 TP0] Capture cuda graph end. Time elapsed: 8.51 s.",
        "INFO 10-06 04:51:05 [utils.py:12] exit code 137 is what a container shows after kill -9",
        "server_args=ServerArgs(model_path='m', enable_nan_detection=False)",
    ],
)
def test_a_line_that_only_sounds_like_one(line):
    names = {fact.name for fact in facts(handed(line, "server.log"))}
    assert not names & {"symptom.killed", "symptom.graph_capture", "symptom.nan"}


def test_the_first_of_a_chain_is_the_root():
    text = (
        "[rank0]: Traceback (most recent call last):\n"
        '[rank0]:   File "/srv/a.py", line 1, in f\n'
        "[rank0]: KeyError: 'choices'\n\n"
        "[rank0]: The above exception was the direct cause of the following exception:\n\n"
        "[rank0]: Traceback (most recent call last):\n"
        '[rank0]:   File "/srv/a.py", line 9, in g\n'
        "[rank0]: RuntimeError: Engine core initialization failed. See root cause above.\n"
    )
    found = handed(text, "server.log")
    assert [(fact.value, fact.notable) for fact in facts(found) if fact.name == "error.exception"] == [
        ("KeyError", True),
        ("RuntimeError", False),
    ]


def test_a_traceback_interleaved_with_another_rank():
    text = (
        "(Worker_TP0 pid=1) ERROR 10-25 13:12:42 [m.py:671] Traceback (most recent call last):\n"
        "(Worker_TP1 pid=2) ERROR 10-25 13:12:42 [m.py:671] Traceback (most recent call last):\n"
        '(Worker_TP0 pid=1) ERROR 10-25 13:12:42 [m.py:671]   File "vllm/a.py", line 3, in f\n'
        '(Worker_TP1 pid=2) ERROR 10-25 13:12:42 [m.py:671]   File "vllm/a.py", line 3, in f\n'
        "(Worker_TP1 pid=2) ERROR 10-25 13:12:42 [m.py:671] ValueError: one\n"
        "(Worker_TP0 pid=1) ERROR 10-25 13:12:42 [m.py:671] AssertionError: zero\n"
    )
    found = facts(handed(text, "server.log"), lambda fact: fact.name == "error.exception")
    assert {(fact.rank, fact.value) for fact in found} == {("TP1", "ValueError"), ("TP0", "AssertionError")}


def test_an_error_that_service_outlives_is_no_crash():
    head = "Traceback (most recent call last):\n  File \"/srv/api.py\", line 3, in chat\nKeyError: 'x'\n"
    assert "symptom.crash" in symptoms(handed(head, "server.log"))
    assert_quiet(handed(head + 'INFO:     192.0.2.1:9 - "POST /v1/chat/completions HTTP/1.1" 200 OK\n', "server.log"))


def vllm_beat(clock, running, rate):
    return f"INFO 10-06 04:{clock} [loggers.py:118] Engine 000: Avg prompt throughput: 0.0 tokens/s, Avg generation throughput: {rate} tokens/s, Running: {running} reqs, Waiting: 0 reqs"


def later(clock):
    return f"INFO 10-06 04:{clock} [api.py:1] something else goes on"


def test_a_heartbeat_that_stops_while_requests_run():
    beats = [vllm_beat(f"50:{second}0", 3, 41.2) for second in range(5)]
    fired = handed("\n".join([*beats, later("55:00")]), "server.log")
    assert notable(fired) == {"symptom.heartbeat_stopped"}
    assert [str(fact.span) for fact in facts(fired) if fact.notable] == ["server.log:5"]


@pytest.mark.parametrize(
    ("running", "rate", "end"),
    [
        (3, 41.2, "51:00"),  # too soon to tell
        (0, 0.0, "55:00"),  # idle
    ],
)
def test_a_heartbeat_that_may_rest(running, rate, end):
    beats = [vllm_beat(f"50:{second}0", 3, 41.2) for second in range(4)] + [vllm_beat("50:40", running, rate)]
    assert_quiet(handed("\n".join([*beats, later(end)]), "server.log"))


def test_a_heartbeat_that_ends_with_the_log_says_nothing():
    assert_quiet(handed("\n".join(vllm_beat(f"50:{second}0", 3, 41.2) for second in range(5)), "server.log"))


def test_sglang_prints_only_while_it_decodes():
    beats = [
        f"[2026-08-02 10:02:0{second} TP0] Decode batch, #running-req: 8, gen throughput (token/s): 801.40, #queue-req: 0"
        for second in range(5)
    ]
    after = ["[2026-08-02 10:09:00 TP0] Cache flushed successfully!"]
    assert_quiet(handed("\n".join([*beats, *after]), "server.log"))
    alarm = ["[2026-08-02 10:09:00 TP0] Scheduler watchdog timeout (self.watchdog_timeout=300, self.soft=False)"]
    assert "symptom.heartbeat_stopped" in notable(handed("\n".join([*beats, *alarm]), "server.log"))


def test_lmdeploy_heartbeats_that_stop():
    beats = [
        f"[2026-08-19 13:44:{second}9 DP0] Avg thr (in/out): 3010.0 / 410.2 tokens/s, Engine (running/waiting): 8 / 0, KV cache: 21.4%, "
        for second in range(5)
    ]
    after = ["2026-08-19 14:10:00,000 - lmdeploy - WARNING - session.py:1 - client went away"]
    assert notable(handed("\n".join([*beats, *after]), "server.log")) == {"symptom.heartbeat_stopped"}


def test_requests_that_run_without_a_token_moving():
    beats = [vllm_beat(f"5{minute}:{second}0", 3, 0.0) for minute in (0, 1) for second in range(6)]
    assert notable(handed("\n".join(beats), "server.log")) == {"symptom.hang"}
    assert_quiet(handed("\n".join([*beats, vllm_beat("52:00", 3, 12.0)]), "server.log"))  # a long prefill
    assert_quiet(handed("\n".join(beats[:4]), "server.log"))


def test_a_start_that_fails():
    text = (
        "(APIServer pid=7) INFO 10-06 04:50:01 [api_server.py:1839] vLLM API server version 0.11.0\n"
        "(EngineCore_DP0 pid=9) ERROR 10-06 04:51:01 [core.py:708] EngineCore failed to start.\n"
        "(EngineCore_DP0 pid=9) ERROR 10-06 04:51:01 [core.py:708] Traceback (most recent call last):\n"
        '(EngineCore_DP0 pid=9) ERROR 10-06 04:51:01 [core.py:708]   File "vllm/v1/engine/core.py", line 699, in run\n'
        "(EngineCore_DP0 pid=9) ERROR 10-06 04:51:01 [core.py:708] ValueError: No available memory for the cache blocks.\n"
        "(APIServer pid=7) RuntimeError: Engine core initialization failed. See root cause above. Failed core proc(s): {}\n"
    )
    found = handed(text, "server.log")
    assert {"symptom.startup_failure", "symptom.crash"} <= symptoms(found)
    assert [fact.value for fact in facts(found) if fact.name == "error.exception" and fact.notable] == ["ValueError"]


def test_an_engine_is_named_by_its_paths_only_when_no_other_is():
    vllm = '  File "vllm/v1/engine/core.py", line 699, in run\n'
    assert values(handed(vllm), "banner.engine") == ["vllm"]
    assert values(handed(vllm + '  File "sglang/srt/server.py", line 1, in run\n'), "banner.engine") == []


def test_a_facts_place_is_in_the_original():
    found = handed("It crashed.\n\nHere is the log:\n\n```\nINFO 10-06 04:51:05 [a.py:1] fine\nValueError: bad\n```\n")
    (error,) = facts(found, lambda fact: fact.name == "error.exception")
    assert (str(error.span), error.quote) == ("-:7", "ValueError: bad")


@pytest.mark.parametrize(
    "line",
    [
        "[2026-08-02 10:02:00 TP0] Decode batch, #running-req: 8, gen throughput (token/s): 0.00.3, #queue-req: 0",
        "[2026-08-02 10:02:00 TP0] Decode batch, #running-req: " + "9" * 5000,
        "WorkNCCL(SeqNum=" + "9" * 5000 + ", OpType=BROADCAST, NumelIn=6, Timeout(ms)=60000)",
        "2026-99-99 99:99:99 - x - INFO - a.py:1 - Avg thr (in/out): / tokens/s",
    ],
)
def test_odd_numbers_are_no_error(line):
    handed("\n".join([line] * 4), "server.log")
    handed("Watchdog caught collective operation timeout: " + line, "server.log")


def test_a_scheduler_that_died_is_a_crash_of_its_rank():
    text = (
        "[2026-08-02 12:01:07 TP3] Scheduler hit an exception: Traceback (most recent call last):\n"
        '  File "/srv/sglang/srt/managers/scheduler.py", line 2826, in run_scheduler_process\n'
        "    scheduler.event_loop_overlap()\n"
        "torch.AcceleratorError: CUDA error: unspecified launch failure\n\n"
        "[2026-08-02 12:01:08] SIGQUIT received. signum=None, frame=None. It usually means one child failed.\n"
        '[2026-08-02 12:01:09] INFO:     192.0.2.1:1 - "GET /health HTTP/1.1" 200 OK\n'
    )
    found = handed(text, "server.log")
    told = {fact.name: (fact.value, fact.rank, fact.notable) for fact in facts(found) if fact.rank == "TP3"}
    assert told == {
        "error.exception": ("torch.AcceleratorError", "TP3", True),
        "symptom.crash": (True, "TP3", True),
    }
