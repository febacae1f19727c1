"""What is going on in real captures, from all of the evidence and from parts of it."""

import pytest

from advisor.evidence.divergence import situation
from tests.evidence.situations import DATA, HEALTHY, captured, handed


def told(folder: str, *patterns: str):
    """Sentences by kind, and the facts, of the files of one incident that match."""
    paths = sorted({path for pattern in patterns for path in (DATA / folder).glob(pattern)})
    assert paths, patterns
    read = [one for path in paths for one in captured(str(path.relative_to(DATA)))]
    statements, facts = situation(read)
    for one in statements:
        for span in one.spans:
            assert span.line > 0 and (DATA / span.artifact).is_file(), one
    said: dict[str, list[str]] = {}
    for one in statements:
        said.setdefault(one.kind, []).append(one.says)
    return said, {fact.name: fact.value for fact in facts}


NEVER_JOINED = (
    "rank 0 launched {} #201 of the default group, which rank 1 never joined (enqueued so far: rank 0 201, rank 1 200)"
)


def test_tp_divergence_from_everything():
    said, facts = told("tp_divergence", "*.log", "fr_*.json", "pyspy*", "nvidia-smi.txt", "nccl_ras.txt")
    waits = "rank 1 waits in a gloo broadcast, called from broadcast_requests (wedge.py); "
    assert said["missing_rank"] == [waits + NEVER_JOINED.format("_all_gather_base")]
    assert said["stuck"] == ["between two captures the main thread of ranks 0 and 1 did not move by a line"]
    assert said["spin"] == ["GPU 0 is 100 % busy at 127 W of 700 W: it waits inside a kernel, it does not compute"]
    assert said["host_wait"][0].startswith("GPU 1 idles at 0 % while rank 1 waits in a gloo broadcast")
    assert "rank 0 41, rank 1 40" in said["behind"][0]
    assert "root_cause" not in said and "unknown" not in said
    assert facts == {
        "collective.mismatch": "missing_rank",
        "collective.missing_rank": "1",
        "symptom.ranks_split": True,
        "stack.unchanged": True,
    }


def test_tp_divergence_from_dumps():
    said, facts = told("tp_divergence", "fr_*.json")
    assert said == {"missing_rank": [NEVER_JOINED.format("_all_gather_base")]}
    assert facts["collective.missing_rank"] == "1"


def test_a_pickle_beside_a_json():
    said, _ = told("tp_divergence", "fr_rank_0.json", "fr_rank_1")
    assert said == {"missing_rank": [NEVER_JOINED.format("_all_gather_base")]}


def test_tp_divergence_from_logs():
    said, facts = told("tp_divergence", "*.log")
    assert said["missing_rank"] == [
        "rank 0 launched _allgather_base #201 of the default group, which rank 1 has not enqueued (enqueued so far: "
        "rank 0 201, rank 1 200); a stack of rank 1 tells whether that call is under way"
    ]
    assert facts["collective.missing_rank"] == "1" and facts["collective.mismatch"] == "missing_rank"
    assert "Connect" in said["echo"][0] and "reporter" in said


def test_tp_divergence_from_stacks():
    said, facts = told("tp_divergence", "pyspy*")
    assert said["waits"][0].startswith("rank 0 waits for its device, in cu")
    assert said["waits"][1] == "rank 1 waits in a gloo broadcast, called from broadcast_requests (wedge.py)"
    assert facts == {"symptom.ranks_split": True, "stack.unchanged": True}


def test_one_capture_of_each_rank_proves_nothing():
    assert told("tp_divergence", "pyspy_rank*") == ({}, {})


def test_a_skew_from_everything():
    said, facts = told("pp_broadcast_skew", "*.log", "fr_*.json", "pyspy*", "nvidia-smi.txt", "nccl_ras.txt")
    assert said["mismatch"] == [
        "broadcast #126 of group pp_broadcast has different sizes: rank 0 60 elements; rank 1 12 elements"
        " (enqueued so far: rank 0 138, rank 1 131)"
    ]
    assert said["left"][0].startswith("rank 1 left out broadcast of 60 elements at #126 of group pp_broadcast")
    assert "rank 1 waits in a sleep on the host (clock_nanosleep)" in said["host_wait"][0]
    assert facts["collective.mismatch"] == "size" and facts["collective.sizes_differ"] is True


def test_a_skew_from_dumps():
    said, facts = told("pp_broadcast_skew", "fr_*.json")
    assert said.keys() == {"mismatch", "left"}
    assert facts == {"collective.mismatch": "size", "collective.sizes_differ": True}


def test_a_skew_from_logs_asks_for_the_other_rank():
    said, facts = told("pp_broadcast_skew", "*.log")
    assert said["waits"] == [
        "rank 0 waits for broadcast #126 of group pp_broadcast of 60 elements (enqueued 138, completed 125)"
    ]
    assert said["unknown"] == [
        "nothing here says how far rank 1 is in group pp_broadcast: its flight-recorder dump would"
    ]
    assert facts == {}


@pytest.mark.parametrize("patterns", [("*.log",), ("*.log", "fr_*.json", "pyspy*", "nvidia-smi.txt")])
def test_a_device_assert_is_the_root_and_the_watchdog_its_echo(patterns):
    said, facts = told("illegal_access", *patterns)
    assert said["root_cause"] == [
        "rank 1 failed first, and by itself: torch.AcceleratorError: CUDA error: device-side assert triggered"
    ]
    assert said["echo"] == ["the timeout that the watchdog reports of rank 0 follows from rank 1's failure"]
    assert not {"missing_rank", "unknown", "mismatch"} & said.keys() and "collective.missing_rank" not in facts


def test_one_dump_of_two_ranks():
    said, facts = told("illegal_access", "fr_*.json")
    assert said["waits"] == [
        "rank 0 waits for all_reduce #201 of the default group of 32768 elements (enqueued 201, completed 200)"
    ]
    assert "whether rank 1 joined all_reduce #201" in said["unknown"][0] and facts == {}


def test_memory():
    said, facts = told("oom", "*.log", "nvidia-smi.txt")
    assert said == {
        "memory": [
            "rank 0 asked for 8.00 GiB while 2.38 GiB was free on GPU 0 (139.80 GiB in all)",
            "rank 1 asked for 8.00 GiB while 2.38 GiB was free on GPU 1 (139.80 GiB in all)",
        ]
    }
    assert facts == {}


def test_memory_as_older_releases_say_it():
    line = "[rank0]: torch.cuda.OutOfMemoryError: CUDA out of memory. Tried to allocate 2.00 GiB (GPU 0; 23.69 GiB total capacity; 21.04 GiB already allocated; 1.23 GiB free; 21.50 GiB reserved in total by PyTorch)\n"
    statements, _ = situation(handed(line, "rank0.log"))
    assert [one.says for one in statements] == [
        "rank 0 asked for 2.00 GiB while 1.23 GiB was free on GPU 0 (23.69 GiB in all)"
    ]


WELL = [path for path in sorted(HEALTHY.iterdir()) if path.name != "README.md"]


@pytest.mark.parametrize("path", WELL, ids=lambda path: path.name)
def test_healthy_evidence_yields_no_statement(path):
    assert situation(handed(path.read_bytes(), path.name)) == ((), ())


def test_nor_does_it_together():
    assert situation([one for path in WELL for one in handed(path.read_bytes(), path.name)]) == (
        (),
        (),
    )


def stack(rank: int, *frames: str) -> str:
    return (
        f'Process {100 + rank}: sglang::scheduler_TP{rank}\nPython v3.12.3\n\nThread {100 + rank} (idle): "MainThread"\n'
        + "".join(f"    {frame}\n" for frame in frames)
    )


IDLE = (
    "broadcast (torch/distributed/distributed_c10d.py:2974)",
    "broadcast_pyobj (utils/common.py:2175)",
    "recv_requests (request_receiver.py:90)",
)


def test_two_captures_of_an_idle_server_are_no_hang():
    read = [
        one for rank in (0, 1) for name in ("a", "b") for one in handed(stack(rank, *IDLE), f"{name}_rank{rank}.txt")
    ]
    assert situation(read) == ((), ())


def test_a_stack_that_moved():
    first, second = (
        stack(0, "step (engine.py:1)", "run (engine.py:9)"),
        stack(0, "step (engine.py:2)", "run (engine.py:9)"),
    )
    assert situation([*handed(first, "a_rank0.txt"), *handed(second, "b_rank0.txt")]) == ((), ())
    statements, facts = situation([*handed(first, "a_rank0.txt"), *handed(first, "b_rank0.txt")])
    assert [one.kind for one in statements] == ["waits", "stuck", "unknown"] and facts[0].name == "stack.unchanged"


def test_all_ranks_at_one_place():
    frames = ("synchronize (torch/cuda/streams.py:3)", "process_batch_result_decode (scheduler.py:7)")
    read = [
        one
        for rank in range(4)
        for name in ("a", "b")
        for one in handed(stack(rank, *frames), f"{name}_rank{rank}.txt")
    ]
    statements, facts = situation(read)
    assert any(one.kind == "symmetric" and one.ranks == ("0", "1", "2", "3") for one in statements)
    assert {fact.name: fact.value for fact in facts} == {"ranks.symmetric": True, "stack.unchanged": True}


def test_the_engine_core_is_no_rank():
    core = (
        'Process 9: VLLM::EngineCore_DP0\nPython v3.12.3\n\nThread 9 (idle): "MainThread"\n'
        "    acquire_read (vllm/distributed/device_communicators/shm_broadcast.py:300)\n"
    )
    worker = 'Process 10: VLLM::Worker_TP{0}\nPython v3.12.3\n\nThread 10 (active): "MainThread"\n    synchronize (torch/cuda/streams.py:3)\n'
    read = [one for name in "ab" for one in handed(core + worker.format(0) + worker.format(1), f"{name}.txt")]
    statements, facts = situation(read)
    assert {rank for one in statements for rank in one.ranks} == {"0", "1"}
    assert {fact.name for fact in facts} == {"ranks.symmetric", "stack.unchanged"}


def test_a_traceback_is_no_capture():
    text = 'Traceback (most recent call last):\n  File "/srv/app/engine.py", line 3, in step\n    x()\n  File "/x/torch/cuda/__init__.py", line 9, in synchronize\n    y()\nValueError: bad\n'
    for name in ("rank0.log", "rank0.txt"):
        assert situation([*handed(text, name), *handed(text, name)]) == ((), ())


def test_a_hang_told_and_nothing_else():
    statements, facts = situation(handed("requests hang forever, no error", "--symptom"))
    assert [(one.kind, one.says) for one in statements] == [
        ("unknown", "neither stacks nor dumps are here: what each rank waits for is not known")
    ]
    assert facts == ()


def test_the_beats_of_a_log_that_stopped():
    beat = (
        "[2026-08-02 10:41:{:02d} TP0] Decode batch, #running-req: 2, gen throughput (token/s): 31.88, #queue-req: 0\n"
    )
    end = "[2026-08-02 10:44:31 TP0] Scheduler watchdog timeout (self.watchdog_timeout=120, self.soft=False)\n"
    statements, _ = situation(handed("".join(beat.format(second) for second in range(7, 28, 5)) + end, "sglang.log"))
    assert [one.says for one in statements if one.kind == "stopped"] == [
        "Decode batch of TP0 stopped, last at 10:41:27"
    ]


def test_nothing():
    assert situation([]) == ((), ())


def test_groups_of_one_name_are_not_compared_with_one_another():
    """Two tensor-parallel ranks under pipeline parallelism have a pp_broadcast group each."""
    line = (
        "[rank{rank}]:[E1129 13:40:35.94 ProcessGroupNCCL.cpp:689] [Rank 0] Watchdog caught collective operation timeout: "
        "WorkNCCL(SeqNum={seq}, OpType=BROADCAST, NumelIn={numel}, NumelOut={numel}, Timeout(ms)=50000) ran for 50092 "
        "milliseconds before timing out.\n"
        "[rank{rank}]:[E1129 13:40:35.94 ProcessGroupNCCL.cpp:2171] [PG ID 1 PG GUID {guid}(pp_broadcast) Rank {place}]  "
        "failure detected by watchdog at work sequence id: {seq} PG status: last enqueued work: {last}, last completed "
        "work: {done}\n"
    )
    first = [(0, 2, 0, 126, 60, 138), (2, 2, 1, 126, 60, 138)]
    second = [(1, 3, 0, 90, 12, 99), (3, 3, 1, 90, 12, 99)]

    def said(of):
        text = "".join(
            line.format(rank=rank, guid=guid, place=place, seq=seq, numel=numel, last=last, done=seq - 1)
            for rank, guid, place, seq, numel, last in of
        )
        return situation(handed(text))[0]

    assert not {"mismatch", "missing_rank", "behind"} & {one.kind for one in said([*first, *second])}
    skewed = said([*first, (1, 3, 0, 90, 60, 99), (3, 3, 1, 90, 12, 97)])
    assert [(one.kind, one.ranks) for one in skewed if one.kind == "mismatch"] == [("mismatch", ("1", "3"))]


def test_a_rank_inside_nccl_may_be_launching_what_its_count_lacks():
    """A launch that spins for a proxy slot has not returned, so the watchdog's count of that rank is one behind."""
    stack = (
        'Process 7: python\nPython v3.12.3 (/usr/bin/python3.12)\n\nThread 7 (active): "MainThread"\n'
        "    ncclLocalOpAppend (proxy.cc:405)\n    SaveProxy (proxy.cc:580)\n    ncclAllGather (collectives.cc:91)\n"
        "    all_gather (torch/distributed/distributed_c10d.py:3500)\n    run_batch (scheduler.py:10)\n"
    )
    logs = [one for rank in (0, 1) for one in captured(f"tp_divergence/rank{rank}.log")]
    statements, facts = situation([*logs, *handed(stack, "rank1.stack.txt")])
    kinds = {one.kind: one for one in statements}
    assert "missing_rank" not in kinds and "collective.missing_rank" not in {fact.name for fact in facts}
    assert kinds["behind"].ranks == ("1",) and "rank 1 stands inside NCCL" in kinds["behind"].says
