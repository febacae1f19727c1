"""What files that do not belong together must not be made to say: other clocks, processes, nodes, copies."""

import pytest

from advisor.evidence.divergence import situation
from advisor.evidence.moments import clocks_of, in_common
from advisor.evidence.ranks import Ranks, spelling
from tests.evidence.situations import DATA, facts, handed

STACK = (DATA / "tp_divergence" / "pyspy_rank1.txt").read_text()
SMI = (DATA / "tp_divergence" / "nvidia-smi.txt").read_text()
HANGS = {"--symptom": "it hangs"}


def told(files: dict[str, str]):
    """Statements by kind, and the derived facts, of files by name."""
    statements, derived = situation([one for name, text in files.items() for one in handed(text, name)])
    said: dict[str, list[str]] = {}
    for one in statements:
        said.setdefault(one.kind, []).append(one.says)
    return said, {fact.name for fact in derived}


def raised(prefix: str, error: str) -> str:
    rows = ("Traceback (most recent call last):", '  File "/v/worker.py", line 3, in run', "    foo()", error)
    return "".join(f"{prefix}{row}\n" for row in rows)


def first_to_fail(*prefixes: str) -> str:
    """What is said of ranks 0, 1, … that raised different errors behind these prefixes."""
    errors = ("ValueError: bad", "RuntimeError: worse", "KeyError: 'worst'")
    files = {f"rank{n}.log": raised(prefix, errors[n]) for n, prefix in enumerate(prefixes)}
    said, _ = told({**files, "--symptom": "it crashed"})
    (says,) = said["root_cause"]
    backwards, _ = told({"--symptom": "it crashed", **dict(reversed(files.items()))})
    assert ("not known" in says) == ("not known" in backwards["root_cause"][0])
    return says


# who failed first


def test_without_times_nobody_failed_first():
    assert first_to_fail("[rank0]: ", "[rank1]: ") == (
        "ranks 0 and 1 failed by themselves, and which first is not known: "
        "rank 0: ValueError: bad; rank 1: RuntimeError: worse"
    )


def test_nor_where_one_of_them_says_no_time():
    assert "not known" in first_to_fail("[2026-08-02 10:44:31 TP0] ", "[rank1]: ")


def test_nor_within_one_second_of_a_clock_of_seconds():
    assert "not known" in first_to_fail("[2026-08-02 10:44:31 TP0] ", "[2026-08-02 10:44:31 TP1] ")


def test_with_times_the_earlier_failed_first():
    says = first_to_fail("[2026-08-02 10:44:35 TP0] ", "[2026-08-02 10:44:31 TP1] ")
    assert says == "rank 1 failed first, and by itself: RuntimeError: worse"


def test_those_that_failed_alike_failed_together():
    files = {f"rank{rank}.log": raised(f"[rank{rank}]: ", "ValueError: bad") for rank in range(2)}
    assert told(files)[0]["root_cause"] == ["ranks 0 and 1 failed first, and by themselves: ValueError: bad"]


@pytest.mark.parametrize(
    "old, new", [("[2026-12-31 23:59:58 TP0] ", "[2027-01-01 00:00:03 TP1] "), ("[rank0]: ", "[rank1]: ")]
)
def test_new_year_with_years_and_without_times(old, new):
    says = first_to_fail(old, new)
    assert says.startswith("rank 0 failed first") if "2026" in old else "not known" in says


def test_new_year_where_the_year_is_not_said():
    old, new = (
        "(Worker_TP{} pid=1) ERROR {} [m.py:1] ".format(*one) for one in ((0, "12-31 23:59:58"), (1, "01-01 00:00:03"))
    )
    assert "not known" in first_to_fail(old, new)


# clocks

OWN = "(Worker_TP{0} pid=1) ERROR 10-25 13:12:{1} [m.py:1] "
UTC = "2026-10-25T20:12:{1}.000Z "


def test_a_clock_that_both_show_is_compared():
    says = first_to_fail((UTC + OWN).format(0, 40), OWN.format(1, 45))
    assert says.startswith("rank 0 failed first")


def test_a_collector_in_utc_is_not_compared_with_a_local_clock():
    assert "not known" in first_to_fail(UTC.format(0, 40) + "[rank0]: ", OWN.format(1, 45))


def test_zones_are_reckoned_with():
    says = first_to_fail("2026-10-25T20:12:40.000Z [rank0]: ", "2026-10-25T22:12:35.000+02:00 [rank1]: ")
    assert says.startswith("rank 1 failed first")


def test_clocks_of_a_line():
    found = clocks_of("2026-10-25T22:12:40.5+02:00 INFO 10-25 13:12:40 [a.py:1] x")
    assert found.keys() == {"UTC", "own"} and (found["UTC"].seconds - found["own"].seconds) == 7 * 3600 + 0.5
    journal = clocks_of("Oct 25 13:12:40 node-a vllm[1]: INFO 10-25 13:12:40 [a.py:1] x")
    assert journal.keys() == {"collector", "own"}
    assert clocks_of("x") == {} and in_common([]) is None and in_common([found, {}]) is None


# captures


def captures(first: str, second: str, *names: str):
    said, derived = told(dict(zip(names or ("a_rank1.txt", "b_rank1.txt"), (first, second), strict=True)) | HANGS)
    return "stuck" in said and "stack.unchanged" in derived, said.get("unknown", [])


def test_two_captures_of_one_process():
    assert captures(STACK, STACK) == (
        True,
        ["only rank 1 speaks: which rank is missing takes a log, a dump or a stack of the others"],
    )


def test_of_a_rank_that_only_logs_a_stack_is_wanted():
    logs = {"rank0.log": "rank 0 in world size 2\n", "rank1.log": "[rank0]: a line\n", **HANGS}
    assert not any("no stack and no dump" in one for one in told(logs)[0].get("unknown", []))
    wanted = "no stack and no dump of rank 0 is here: one tells whether it waits too, or for what"
    assert wanted in told(logs | {"a_rank1.txt": STACK})[0]["unknown"]
    both = logs | {"a_rank1.txt": STACK, "a_rank0.txt": STACK.replace("648", "777")}
    assert wanted not in told(both)[0].get("unknown", [])


def test_a_copy_is_no_second_capture():
    stuck, unknown = captures(STACK, STACK, "a/pyspy_rank1.txt", "b.tar.gz!pyspy_rank1.txt")
    assert not stuck and "rank 1 was captured once, for a file that came twice counts as one" in unknown[-1]


def test_two_processes_under_one_rank_are_not_compared():
    other = STACK.replace("648", "9999")
    assert other != STACK
    stuck, unknown = captures(STACK, other, "prefill/stack_rank1.txt", "decode/stack_rank1.txt")
    assert not stuck and "captured once" in unknown[-1]
    without_heading = [text[text.index("Thread ") :] for text in (STACK, other)]
    assert not captures(*without_heading)[0] and captures(without_heading[0], without_heading[0] + "\n")[0]
    assert not captures(STACK, STACK.replace("python3 wedge.py", "VLLM::EngineCore"))[0]


@pytest.mark.parametrize(
    "wrap",
    [
        "2026-11-29T13:4{0}:00.{1:03d}123456Z stderr F ",
        "[pod/vllm-{0}/server] 2026-11-29T13:4{0}:00.{1:03d}Z ",
        "Nov 29 13:4{0}:{1:02d} node-a vllm[7]: ",
    ],
)
def test_captures_behind_a_collectors_times_are_compared(wrap):
    def wrapped(text: str, minute: int) -> str:
        return "\n".join(wrap.format(minute, n % 60) + row for n, row in enumerate(text.split("\n")))

    assert captures(wrapped(STACK, 1), wrapped(STACK, 2))[0]
    assert captures(STACK, wrapped(STACK, 2))[0]
    moved = STACK.replace("(wedge.py:41)", "(wedge.py:42)")
    assert moved != STACK and not captures(wrapped(STACK, 1), wrapped(moved, 2))[0]


def test_tracebacks_and_debuggers_number_their_lines_too():
    stack = "#0 wait from /opt/torch/distributed/distributed_c10d.py:{0}\n#1 main from /srv/app/serve.py:{1}\n"
    assert captures(stack.format(9, 1), stack.format(9, 1))[0]
    assert not captures(stack.format(9, 1), stack.format(9, 2))[0]


# beats


def beats(rank: int, last_minute: int, zone: str = "", at: int = 0) -> str:
    row = "{0}[2026-08-02 10:{1:02}:{2:02} TP{3}] Decode batch, #running-req: 8, gen throughput (token/s): 38.40\n"
    return "".join(
        row.format(zone and f"2026-08-02T{at:02}:{n // 60:02}:{n % 60:02}{zone} ", n // 60, n % 60, rank)
        for n in range(0, last_minute * 60, 5)
    )


def alarm(rank: int) -> str:
    return f"[2026-08-02 10:30:00 TP{rank}] Scheduler watchdog timeout (self.watchdog_timeout=300, self.soft=False)\n"


def test_a_log_saved_earlier_did_not_stop():
    said, _ = told({"rank0.log": beats(0, 5), "rank1.log": beats(1, 17) + alarm(1)})
    assert said["stopped"] == ["Decode batch of TP1 stopped, last at 10:16:55"]


def test_each_file_has_its_own_time():
    said, _ = told({"rank0.log": beats(0, 5) + alarm(0), "rank1.log": beats(1, 17) + alarm(1)})
    assert said["stopped"] == ["Decode batch stopped: TP0 last at 10:04:55, TP1 last at 10:16:55"]
    said, _ = told({"a.log": beats(0, 5) + alarm(0), "b.log": beats(0, 17) + alarm(0)})
    assert said["stopped"] == ["Decode batch stopped: TP0 (a.log) last at 10:04:55, TP0 (b.log) last at 10:16:55"]


def test_together_by_one_clock_alone():
    said, _ = told({"rank0.log": beats(0, 5) + alarm(0), "rank1.log": beats(1, 5) + alarm(1)})
    assert said["stopped"] == ["Decode batch of TP0, TP1 stopped within 0 s of one another, last at 10:04:55"]
    collected = beats(1, 5, "Z", 10) + "2026-08-02T10:30:00Z " + alarm(1)
    said, _ = told({"rank0.log": beats(0, 5) + alarm(0), "rank1.log": collected})
    assert said["stopped"][0].endswith("each by a clock of its own") and "within" not in said["stopped"][0]


# devices


def test_the_gpus_of_two_nodes_are_not_told_apart_by_rank():
    turned = SMI.replace("100%", "XXX%").replace("   0%", " 100%").replace("XXX%", "  0%")
    stacks = {f"rank{n}.txt": (DATA / "tp_divergence" / f"pyspy_rank{n}.txt").read_text() for n in (0, 1)}
    read = [
        one
        for name, text in {"node-a/nvidia-smi.txt": SMI, "node-b/nvidia-smi.txt": turned, **stacks, **HANGS}.items()
        for one in handed(text, name)
    ]
    spins = [one for one in situation(read)[0] if one.kind in ("spin", "idle", "host_wait")]
    assert [(one.says.split(")")[0] + ")", one.ranks) for one in spins] == [
        ("GPU 0 (node-a/nvidia-smi.txt)", ()),
        ("GPU 1 (node-b/nvidia-smi.txt)", ()),
        ("GPU 1 (node-a/nvidia-smi.txt)", ()),
        ("GPU 0 (node-b/nvidia-smi.txt)", ()),
    ]
    assert {fact.rank for fact in facts(read, lambda one: one.name == "device.spin")} == {None}


def spinning(text: str, speaking: tuple[int, ...], name: str = "nvidia-smi.txt"):
    stacks = {f"pyspy_rank{rank}.txt": STACK for rank in speaking}
    read = [one for each, text in {name: text, **stacks, **HANGS}.items() for one in handed(text, each)]
    return [(one.says.split(" is ")[0], one.ranks) for one in situation(read)[0] if one.kind == "spin"]


def test_an_index_is_a_rank_where_the_ranks_fit():
    assert spinning(SMI, (0, 1)) == [("GPU 0", ("0",))]
    moved = SMI.replace("|   0  NVIDIA", "|   2  NVIDIA").replace("|   1  NVIDIA", "|   3  NVIDIA")
    assert moved != SMI and spinning(moved, (0, 1)) == [("GPU 2", ())]
    assert spinning(SMI, (0, 1, 2, 3)) == [("GPU 0", ())]  # a node of several


def test_several_tools_on_one_node():
    query = (DATA / "tp_divergence" / "nvidia-smi-q.txt").read_text()

    def spins(*names: str) -> list[tuple[str, tuple[str, ...]]]:
        read = [one for name, text in zip(names, (query, SMI), strict=True) for one in handed(text, name)]
        said = situation([*read, *handed(STACK, "pyspy_rank1.txt"), *handed("it hangs", "--symptom")])[0]
        return [(one.says.split(" is ")[0], one.ranks) for one in said if one.kind == "spin"]

    assert spins("a/nvidia-smi-q.txt", "a/nvidia-smi.txt") == [("GPU 0", ("0",))]
    for names in (("a/nvidia-smi.txt", "b/nvidia-smi.txt"), ("smi-node1.txt", "smi-node2.txt")):
        assert spins(*names) == [(f"GPU 0 ({name})", ()) for name in names]


def test_a_process_names_the_rank_whatever_the_node():
    row = "python3                                1650MiB"
    named = SMI.replace(row, "VLLM::Worker_TP7                       1650MiB", 1)
    assert named != SMI and spinning(named, (0, 1)) == [("the GPU of rank 7", ("7",))]


def test_a_file_named_after_a_rank_shows_that_ranks_gpu():
    only = SMI.replace("  1659MiB / 143771MiB |      0%", "     0MiB / 143771MiB |      0%")
    assert only != SMI and spinning(only, (), "nvidia-smi_rank5.txt") == [("GPU 0", ("5",))]
    assert spinning(SMI, (), "nvidia-smi_rank5.txt") == [("GPU 0", ())]


# labels


@pytest.mark.parametrize(
    "text, spelt",
    [
        ("[2026-08-02 10:44:31 DP1 TP3] x", "sglang"),
        ("[2026-08-02 10:44:31 DP1 PP0 TP3 EP3] x", "sglang"),
        ("Process 9: sglang::scheduler_DP1_TP3", "sglang"),
        ("(Worker_DP1_TP1 pid=9) x", "vllm"),
        ("(Worker_DP1_TP1 pid=9) x\n[2026-08-02 10:44:31 DP1 TP3] x", ""),
        ("dp1_tp3.log", ""),
    ],
)
def test_whose_label_it_is(text, spelt):
    assert spelling([text]) == spelt


def test_sglangs_tp_rank_counts_all():
    assert Ranks(["DP1 TP3", "2"], "sglang").of("DP1 TP3") == "3"
    assert Ranks(["DP1 TP3", "2"]).of("DP1 TP3") == "DP1 TP3"
    replicas = Ranks(["DP0 TP1", "DP1 TP1"], "sglang")
    assert [replicas.of(name) for name in ("DP0 TP1", "DP1 TP1")] == ["DP0 TP1", "DP1 TP1"]


def test_vllms_tp_rank_counts_within_its_dp_rank():
    some = Ranks(["DP0 TP0", "DP1 TP1"], "vllm")
    assert [some.of(name) for name in ("DP0 TP0", "DP1 TP1")] == ["0", "DP1 TP1"]  # 3 with TP=2, 5 with TP=4
    every = Ranks([f"DP{dp} TP{tp}" for dp in range(2) for tp in range(2)], "vllm")
    assert every.of("DP1 TP1") == "3"
    assert Ranks(["PP1 TP0"]).of("PP1 TP0") == "PP1 TP0"


def test_a_label_in_a_log_of_sglang():
    text = raised("[2026-08-02 10:44:31 DP1 TP3] ", "ValueError: bad") + raised(
        "[2026-08-02 10:44:35 DP1 TP2] ", "KeyError: 1"
    )
    assert told({"server.log": text, **HANGS})[0]["root_cause"][0].startswith("rank 3 failed first")


def test_a_watchdog_without_a_rank_names_no_blank_one():
    line = "[E1129 13:40:35.94 ProcessGroupNCCL.cpp:689] {}Watchdog caught collective operation timeout: work\n"
    said = [one.says for one in situation(handed(line.format("[Rank 0] ") + "x\n" + line.format("")))[0]]
    assert said and not [one for one in said if "  " in one or one.startswith(" ") or " and  " in one]


def test_a_process_that_is_no_rank_takes_none_from_its_file():
    dumps = (
        "Process 7: sglang::scheduler_TP1\nPython v3.12.3 (/usr/bin/python3.12)\n\n"
        'Thread 7 (idle): "MainThread"\n    broadcast (torch/distributed/distributed_c10d.py:2800)\n    main (a.py:1)\n\n'
        "Process 9: sglang::detokenizer\nPython v3.12.3 (/usr/bin/python3.12)\n\n"
        'Thread 9 (idle): "MainThread"\n    recv_pyobj (zmq/sugar/socket.py:989)\n    main (b.py:1)\n'
    )
    statements, _ = situation([*handed(dumps, "rank1.txt"), *handed("It hangs.", "words")])
    assert [one.ranks for one in statements if one.kind == "waits"] == [("1",)]
