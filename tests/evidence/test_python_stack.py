"""Stacks as tools print them and as people copy them."""

import itertools
import json

import pytest

from tests.evidence.situations import DATA, captured, facts, functions, handed, threads


def only(text, name="-"):
    (thread,) = threads(handed(text, name))
    return thread


def test_py_spy_with_native_frames():
    main, beat = threads(captured("tp_divergence/pyspy_native_rank1.txt"))
    assert (main.name, main.state, main.rank) == ("MainThread", "idle", "1")
    assert functions(main)[:6] == [
        "pthread_cond_wait",
        "std::condition_variable::wait",
        "c10d::Work::wait",
        "pybind11::cpp_function::initialize",
        "pybind11::cpp_function::dispatcher",
        "broadcast",
    ]
    assert functions(main)[-2:] == ["broadcast_requests", "<module>"]
    assert main.frames[5].file == "distributed/distributed_c10d.py"
    assert (main.span.line, main.frames[0].span.line) == (4, 6)
    assert (beat.name, beat.state) == ("Thread-1 (heartbeat)", "idle")


def test_locals_are_not_frames():
    main, _ = threads(captured("tp_divergence/pyspy_second_rank1.txt"))
    plain, _ = threads(captured("tp_divergence/pyspy_rank1.txt"))
    assert functions(main) == functions(plain)


def test_an_active_thread():
    main, _ = threads(captured("pp_broadcast_skew/pyspy_rank0.txt"))
    assert (main.state, functions(main)) == ("active", ["synchronize", "<module>"])


def test_the_rank_stands_in_the_process_title():
    text = 'Process 71: sglang::scheduler_TP1\nPython v3.12.3 (/usr/bin/python3.12)\n\nThread 71 (active+gil): "MainThread"\n    run_batch (sglang/srt/managers/scheduler.py:3351)\n'
    both = text + "\n" + text.replace("TP1", "TP0").replace("71", "70")
    assert [(one.rank, one.state) for one in threads(handed(both, "dump.txt"))] == [
        ("TP1", "active"),
        ("TP0", "active"),
    ]


def test_a_dump_printed_into_a_log():
    text = (
        "[2026-08-02 12:01:07 TP1] Pyspy dump for PID 71 (py-spy dump --native --pid 71):\n"
        "Process 71: sglang::scheduler_TP1\n"
        "Python v3.12.3 (/usr/bin/python3.12)\n\n"
        'Thread 71 (active): "MainThread"\n'
        "    ncclLocalOpAppend (proxy.cc:499)\n"
        "    run_batch (sglang/srt/managers/scheduler.py:3351)\n"
        "[2026-08-02 12:01:07 TP1] Scheduler watchdog timeout (self.watchdog_timeout=120, self.soft=False)\n"
    )
    assert functions(only(text, "server.log")) == ["ncclLocalOpAppend", "run_batch"]


FLATTENED = (
    "### Incident 1 — worker (TP1) wedged TP1 py-spy (native, active): ``` sched_yield ncclLocalOpAppend (proxy.cc:499) "
    "SaveProxy (proxy.cc:580) ncclLaunchKernelAfter_NoCuda (enqueue.cc:1670) doLaunches / groupLaunch / ncclGroupEndInternal (group.cc) "
    "ncclAllGather (collectives.cc:91) c10d::ProcessGroupNCCL::_allgather_base all_gather_into_tensor (distributed_c10d.py:4186) "
    "_execute_extend (runner/eager_runner.py:332) ... run_batch (scheduler.py:3351) ``` TP0 py-spy (idle): ``` broadcast "
    "(torch/distributed/distributed_c10d.py:2974) broadcast_pyobj (utils/common.py:2175) _broadcast_reqs_across_ranks "
    "(scheduler_components/request_receiver.py:198) ``` Roles swapped later."
)


def test_stacks_flattened_into_a_line():
    busy, idle = threads(handed("Title\n\n" + FLATTENED))
    assert (busy.rank, busy.state, idle.rank, idle.state) == ("TP1", "active", "TP0", "idle")
    assert functions(busy) == [
        "sched_yield",
        "ncclLocalOpAppend",
        "SaveProxy",
        "ncclLaunchKernelAfter_NoCuda",
        "doLaunches",
        "groupLaunch",
        "ncclGroupEndInternal",
        "ncclAllGather",
        "c10d::ProcessGroupNCCL::_allgather_base",
        "all_gather_into_tensor",
        "_execute_extend",
        "run_batch",
    ]
    assert busy.frames[1].file == "proxy.cc" and busy.frames[10].file == "runner/eager_runner.py"
    assert functions(idle) == ["broadcast", "broadcast_pyobj", "_broadcast_reqs_across_ranks"]
    assert busy.span.line == idle.span.line == 3


def test_faulthandler_prints_the_innermost_frame_first():
    text = (
        "Fatal Python error: Segmentation fault\n\n"
        "Thread 0x00007f11 (most recent call first):\n"
        '  File "/usr/lib/python3.12/threading.py", line 355 in wait\n'
        '  File "/srv/sglang/srt/managers/scheduler.py", line 1570 in event_loop_overlap\n\n'
        "Current thread 0x00007f22 (most recent call first):\n"
        '  File "/srv/sglang/srt/layers/sampler.py", line 80 in forward\n'
    )
    assert [functions(one) for one in threads(handed(text))] == [["wait", "event_loop_overlap"], ["forward"]]


def test_a_traceback_is_turned_round():
    main = threads(captured("tp_divergence/rank1.log"))[-1]
    assert functions(main) == [
        "broadcast",
        "wrapper",
        "broadcast_object_list",
        "wrapper",
        "broadcast_requests",
        "<module>",
    ]
    assert main.rank == "1"


def test_a_traceback_without_its_head():
    text = '  File "vllm/config.py", line 31, in load\n    from x import (\n  File "vllm/ovis.py", line 26, in <module>\n    from y import z\n'
    assert functions(only(text)) == ["<module>", "load"]


def test_gdb():
    text = (
        'Thread 2 (Thread 0x7f10 (LWP 9) "pt_nccl_watchdg"):\n'
        "#0  0x00007f2d in pthread_cond_timedwait () from /lib/x86_64-linux-gnu/libc.so.6\n"
        "#1  0x00007f2c in c10d::ProcessGroupNCCL::Watchdog::runLoop (this=0x1) at ProcessGroupNCCL.cpp:2100\n\n"
        'Thread 1 (Thread 0x7f20 (LWP 8) "python3"):\n'
        "#0  sched_yield () from /lib/x86_64-linux-gnu/libc.so.6\n"
        "#1  0x00007f3c in ncclLocalOpAppend (comm=0x2) at proxy.cc:499\n"
    )
    watchdog, main = threads(handed(text))
    assert (watchdog.name, functions(watchdog)) == (
        "pt_nccl_watchdg",
        ["pthread_cond_timedwait", "c10d::ProcessGroupNCCL::Watchdog::runLoop"],
    )
    assert [str(frame) for frame in main.frames] == [
        "sched_yield (x86_64-linux-gnu/libc.so.6)",
        "ncclLocalOpAppend (proxy.cc)",
    ]


def test_glog_stacks_of_both_shapes():
    fatal = (
        "F20260124 17:37:19.071696 1003807 sequence.cpp:250] Check failed: sequence_params_.enable_schedule_overlap\n"
    )
    numbered = (
        fatal
        + "#8  xllm::Sequence::update_last_step_token(xllm::Token const&, unsigned long)\n#9  xllm::Batch::process_sample_output(...)\n"
    )
    pointed = (
        fatal
        + "    @          0x1241fc8  xllm::LlmDataDistTransfer::initialize()\n    @           0xa9e7ac  (unknown)\n"
    )
    assert functions(only(numbered)) == ["xllm::Sequence::update_last_step_token", "xllm::Batch::process_sample_output"]
    assert functions(only(pointed)) == ["xllm::LlmDataDistTransfer::initialize"]


def test_the_stack_of_the_failed_collective():
    stacks = threads(captured("pp_broadcast_skew/rank0.log"))
    assert functions(stacks[0]) == ["broadcast", "wrapper", "broadcast_sampled", "<module>"]


def test_two_stacks_without_headings():
    text = (
        "all_reduce (torch/distributed/distributed_c10d.py:3075)\n  check_prefetch_progress (hiradix_cache.py:1373)\n"
        "broadcast (torch/distributed/distributed_c10d.py:2974)\n  broadcast_pyobj (utils/common.py:1437)\n"
    )
    assert [functions(one) for one in threads(handed(text))] == [
        ["all_reduce", "check_prefetch_progress"],
        ["broadcast", "broadcast_pyobj"],
    ]


def test_bare_names_are_read_both_ways_and_said_to_be():
    found = handed("writing_check\n_all_reduce_attn_groups\nall_reduce\n")
    one, other = threads(found)
    assert functions(one) == functions(other)[::-1] == ["writing_check", "_all_reduce_attn_groups", "all_reduce"]
    assert [note.kind for each in found for note in each.notes] == ["hint"]


@pytest.mark.parametrize(
    "text",
    [
        "It hangs (see scheduler.py) after a while.",
        "#27221 looks like it (per-rank divergence).",
        "1. Start the server (launch.sh)\n2. Send a request\n",
        "node-a:1:1 [0] NCCL INFO NET/Plugin: No plugin found (libnccl-net.so)",
        "We run sglang::scheduler on two hosts @ 100 %.",
        'He said: "Thread 3 hangs"',
    ],
)
def test_prose_and_plain_log_lines_hold_no_stack(text):
    assert threads(handed(text)) == []


def test_odd_text_is_no_error():
    for text in (
        "Thread 1 (active",
        "    (((((",
        "#1 ",
        'File "',
        "@ 0x",
        "Traceback (most recent call last):",
        "`" * 7,
        "a (b.py:1)" * 5_000,
    ):
        facts(handed(text))
        handed(text, "x.log")


def test_a_stack_too_deep_to_read_is_said():
    text = 'Thread 1 (active): "MainThread"\n' + "    forward (model.py:1)\n" * 1_000
    found = handed(text, "dump.txt")
    assert len(threads(found)[0].frames) == 400
    assert [note.kind for each in found for note in each.notes] == ["limit"]


def dump(pid, title, place="synchronize (torch/cuda/streams.py:3)"):
    return f'Process {pid}: {title}\nPython v3.12.3 (/usr/bin/python3.12)\n\nThread {pid} (idle): "MainThread"\n    {place}\n    <module> (wedge.py:69)\n'


BEAT = "[2026-08-02 12:01:0{} TP{}] Decode batch, #running-req: 8, gen throughput (token/s): 38.40\n"
SAYS = "[2026-08-02 12:01:07 TP{}] Pyspy dump for PID {}:\n"


def ranks(text, name="server.log"):
    return [one.rank for one in threads(handed(text, name))]


def test_a_dump_in_a_log_is_of_the_rank_that_announces_it():
    one = BEAT.format(0, 0) + SAYS.format(1, 648) + dump(648, "python3 serve.py")
    assert ranks(one) == ["TP1"]
    two = BEAT.format(0, 1) + SAYS.format(0, 647) + dump(647, "python3 serve.py") + one
    assert ranks(two) == ["TP0", "TP1"]
    assert ranks(BEAT.format(0, 0) * 4000 + two) == ["TP0", "TP1"]


def test_a_line_between_an_announcement_and_its_dump():
    text = SAYS.format(1, 648) + BEAT.format(7, 0) + dump(648, "python3 -m sglang.launch_server --tp 2")
    assert ranks(text) == ["TP1"]


@pytest.mark.parametrize(
    "before",
    [
        BEAT.format(0, 0),
        BEAT.format(0, 0) + "\n",
        BEAT.format(0, 0) + "a line without a prefix\n",
        SAYS.format(0, 647) + dump(647, "python3 serve.py"),
        SAYS.format(0, 647) + dump(647, "python3 serve.py") + BEAT.format(1, 0),
        "rank 0 is idle\n" + "a line without a prefix\n" * 30,
    ],
)
def test_a_log_line_that_announces_nothing_says_nothing_of_the_stack_after_it(before):
    for stack in (dump(648, "python3 serve.py"), FAULT):
        found = threads(handed(before + stack, "server.log"))
        assert found[-1].rank is None and found[-1].state in ("", "idle")
        assert threads(handed(before + stack, "server_rank1.log"))[-1].rank == "1"


FAULT = (
    "Thread 0x00007f9912345640 (most recent call first):\n"
    '  File "/opt/torch/distributed/distributed_c10d.py", line 2974 in broadcast\n'
    '  File "/srv/app/wedge.py", line 41 in broadcast_requests\n'
    '  File "/srv/app/wedge.py", line 69 in <module>\n'
)


def test_the_nearest_caption_counts():
    text = f"Rank 0:\n{dump(1, 'python3 a.py')}\n=== rank 1 ===\n{dump(2, 'python3 a.py')}"
    assert ranks(text, "stacks.txt") == ["0", "1"]
    gdb = (
        "TP3 gdb:\n"
        + "[New LWP 7]\n" * 50
        + "Using host libthread_db\nThread 1 (LWP 7):\n#0  poll () from /lib/libc.so.6\n"
    )
    assert ranks(gdb, "gdb.txt") == ["TP3"]


@pytest.mark.parametrize(
    "title",
    [
        "sglang::detokenizer",
        "sglang::data_parallel_controller",
        "python3 -m sglang.launch_server --model-path /models/a-TP8 --tp 2",
        "VLLM::EngineCore",
        "VLLM::APIServer_0",
        "/usr/bin/python3 /usr/local/bin/vllm serve m --tensor-parallel-size 2",
        "python3 -m vllm.entrypoints.openai.api_server --model m",
        "/usr/bin/python3 /usr/local/bin/torchrun --nproc-per-node 2 a.py",
    ],
)
def test_a_process_that_is_no_rank_has_none(title):
    text = dump(1, "sglang::scheduler_TP0") + "\n" + dump(2, title) + "\n" + dump(3, "sglang::scheduler_TP1")
    for name in ("stacks.txt", "stacks_rank7.txt"):
        assert ranks(text, name) == ["TP0", "", "TP1"]
    assert ranks(f"Rank 5:\n{dump(2, title)}", "stacks.txt") == [""]


def test_a_title_does_not_reach_into_the_log_after_it():
    raised = '[2026-08-02 12:01:08 TP0] failed: Traceback (most recent call last):\n  File "/srv/a.py", line 3, in run\n    x()\nValueError: bad\n'
    assert ranks(SAYS.format(1, 7) + dump(7, "sglang::scheduler_TP1") + raised) == ["TP1", "TP0"]


WRAPS = {
    "torchrun": "[default1]:{}",
    "MPI": "[1,1]<stderr>:{}",
    "rsyslog": "2026-11-29T13:40:00.123456+00:00 node-a vllm[77]: {}",
    "short-full": "Sun 2026-11-29 13:40:00 UTC node-a vllm[77]: {}",
    "journald": "Nov 29 13:40:00 node-a vllm[77]: {}",
    "containerd": "2026-11-29T13:40:00.123456789Z stderr F {}",
    "pod": "[pod/vllm-0/server] {}",
    "vLLM": "(Worker_TP1 pid=7) {}",
}


@pytest.mark.parametrize("wrap", [*WRAPS.values(), *(f"[pod/a-0/b] {wrap}" for wrap in WRAPS.values())])
@pytest.mark.parametrize("capture", ["pyspy_rank1.txt", "pyspy_native_rank1.txt", "pyspy_second_rank1.txt"])
def test_a_capture_behind_a_wrapper_is_the_same(wrap, capture):
    plain = threads(captured(f"tp_divergence/{capture}"))
    text = "\n".join(wrap.format(row) for row in (DATA / "tp_divergence" / capture).read_text().split("\n"))
    found = threads(handed(text, capture))
    assert [(one.name, one.state, functions(one)) for one in found] == [
        (one.name, one.state, functions(one)) for one in plain
    ]


@pytest.mark.parametrize("time", [{"ts": 1795959455.5}, {}])
@pytest.mark.parametrize("capture", ["pyspy_rank1.txt", "pyspy_native_rank1.txt", "pyspy_second_rank1.txt"])
def test_a_capture_in_json_records_with_a_level_is_the_same(time, capture):
    plain = threads(captured(f"tp_divergence/{capture}"))
    rows = (DATA / "tp_divergence" / capture).read_text().split("\n")
    text = "\n".join(json.dumps({"level": "info", **time, "msg": row}) for row in rows)
    found = threads(handed(text, capture))
    assert [(one.name, functions(one), one.rank) for one in found] == [
        (one.name, functions(one), one.rank) for one in plain
    ]


def test_messages_that_end_in_a_place_are_no_frames_behind_a_prefix():
    text = "(Worker_TP1 pid=7) INFO 08-02 10:44:31 [a.py:1] stopped early (engine.py:3)\n(Worker_TP1 pid=7) went on (engine.py:9)\n"
    assert threads(handed(text, "server.log")) == []


@pytest.mark.parametrize("wrap", ["{}", *WRAPS.values()])
def test_a_file_of_faulthandler_is_a_capture(wrap):
    text = "Timeout (0:05:00)!\n" + FAULT.replace("9912345640", "1234567700") + "\n" + FAULT
    found = handed("\n".join(wrap.format(row) for row in text.split("\n")), "fh_rank1.txt")
    assert [one.artifact.kind for one in found if one.threads] == ["stack"]
    assert [functions(one) for one in threads(found)] == [["broadcast", "broadcast_requests", "<module>"]] * 2


def test_a_fatal_error_is_a_log():
    found = handed("Fatal Python error: Segmentation fault\n\n" + FAULT, "rank1.txt")
    assert [(one.artifact.kind, len(one.threads)) for one in found if one.threads] == [("log", 1)]


@pytest.mark.parametrize("wrap", ["[default{}]:{}", "[1,{}]<stderr>:{}", "(Worker_TP{} pid=7) {}", "[pod/a-{}/b] {}"])
def test_captures_printed_into_each_other(wrap):
    captures = [(DATA / "tp_divergence" / f"pyspy_rank{rank}.txt").read_text().rstrip().split("\n") for rank in (0, 1)]
    rows = [
        wrap.format(rank, row)
        for pair in itertools.zip_longest(*captures, fillvalue="")
        for rank, row in enumerate(pair)
    ]
    plain = [one for rank in (0, 1) for one in threads(captured(f"tp_divergence/pyspy_rank{rank}.txt"))]
    found = threads(handed("\n".join(rows), "all.log"))
    assert sorted(map(functions, found)) == sorted(map(functions, plain))


def test_a_dump_for_another_process_is_not_this_one_s():
    assert ranks(SAYS.format(1, 648) + dump(700, "python3 serve.py")) == [None]
