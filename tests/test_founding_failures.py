"""The five founding failures, from a case as handed over to fix, workaround and verification; and the quiet ones."""

from __future__ import annotations

from pathlib import Path

import pytest

from tests.front_door import Ran, assert_asks, assert_leads, assert_quiet, checked

ROOT = Path(__file__).parents[1]
SILENT, DP_META = "lmdeploy/mtp-silent-hang", "lmdeploy/mtp-dp-meta"
SKEW, REFUSED = "vllm/pp-broadcast-skew", "vllm/pp-spec-refused"
LEAK, SPEC_TP = "any/nccl-proxy-slot-leak-arm", "sglang/spec-tp-state-divergence"
RACE = "xllm/shm-h2d-graph-race"

LMDEPLOY_FLAGS = (
    "lmdeploy serve api_server Qwen/Qwen3.5-35B-A3B --backend pytorch --tp 1 "
    "--speculative-algorithm qwen3_5_mtp --speculative-num-draft-tokens 2"
)
VLLM_FLAGS = (
    "--pipeline-parallel-size 8 --tensor-parallel-size 1 --distributed-executor-backend mp "
    """--speculative-config '{"method":"dspark","num_speculative_tokens":5}'"""
)
WATCHDOG = """\
[rank3]:[E822 11:02:41.118273645 ProcessGroupNCCL.cpp:685] [PG ID 8 PG GUID 85(pp_broadcast) Rank 3] failure detected by watchdog at work sequence id: 40427 PG status: last enqueued work: 40432, last started work: -1, last completed work: 40426
[rank3]:[E822 11:02:41.118309112 ProcessGroupNCCL.cpp:683] [Rank 3] Watchdog caught collective operation timeout: WorkNCCL(SeqNum=40427, OpType=BROADCAST, NumelIn=6, NumelOut=6, Timeout(ms)=60000) ran for 60001 milliseconds before timing out.
(EngineCore pid=4301) ERROR 08-22 11:06:41 [core.py:1240] TimeoutError: RPC call to sample_tokens timed out.
"""
XLLM_FLAGS = (
    "./xllm --model /models/Qwen3.5-2B --nnodes=2 --node_rank=0 --communication_backend=hccl --enable_graph=true "
    "--enable_schedule_overlap=true --enable_shm={shm} --draft_model /models/draft --num_speculative_tokens=5"
)


def words(ran: Ran, rule: str, *keys: str) -> str:
    finding = ran.finding(rule)
    return " ".join(str(finding[key]) for key in keys)


def test_of_likely_failures_the_one_whose_own_signs_were_seen_leads() -> None:
    """The build's version alone makes others certain of their ground, not of what happened."""
    demo = [str(ROOT / "docs" / "demo" / name) for name in ("rank0.stack.txt", "rank1.stack.txt", "scheduler.log")]
    flags = (ROOT / "docs" / "demo" / "launch.sh").read_text()
    report = checked("--engine", "sglang", "--version", "0.5.16", "--flags", flags, *demo).report
    likely = [one for one in report["findings"] if one["status"] == "likely"]
    assert likely[0]["rule"] == LEAK and len(likely) > 1


def test_lmdeploy_silent_hang() -> None:
    ran = checked(
        "--engine", "lmdeploy", "--version", "f03bdf1c", "--flags", LMDEPLOY_FLAGS, "--symptom", "heartbeat stopped, no traceback"
    )  # fmt: skip
    assert_leads(ran, SILENT)
    found = ran.finding(SILENT)
    assert found["cause"]["status"] == "unknown"
    assert found["fixes"] == [] and found["no_fix"]
    unset = [one for one in found["remedies"] if one["do"] == "unset"]
    assert unset and unset[0]["status"] == "reporter_verified" and unset[0]["cost"]
    assert "-" + "lmdeploy" in unset[0]["diff"] or "--speculative-algorithm" in unset[0]["diff"]
    assert all(one["status"] == "suggested" for one in found["remedies"] if one["do"] == "upgrade")
    assert ran.statuses()[DP_META] == "ruled_out"
    deciding = words(ran, DP_META, "deciding")
    assert "topology.dp" in deciding and "#4741" in deciding and "already in" in deciding
    assert "Avg thr" in words(ran, SILENT, "caveats", "wanted")
    assert_asks(ran, "/health", "py-spy dump --native")


def test_lmdeploy_dp_meta_and_the_release_that_fixes_it() -> None:
    flags = "--backend pytorch --dp 2 --ep 2 --speculative-algorithm qwen3_5_mtp"
    case = ("--engine", "lmdeploy", "--flags", flags, "--symptom", "DeepEP error: timeout (dispatch CPU)")
    ran = checked(*case, "--version", "0.14.0")
    assert_leads(ran, DP_META)
    fix = ran.finding(DP_META)["fixes"][0]
    assert fix["commit"] == "b56ddfb634f069b600f0fe3f4730fe289ac7fafe"
    assert fix["first_release"] == "0.15.0" and "0.14.0" not in fix["releases"] and fix["in_this_build"] == "no"
    after = checked(*case, "--version", "0.15.0")
    assert after.statuses()[DP_META] == "ruled_out"
    assert "0.15.0" in words(after, DP_META, "deciding", "headline")


def test_vllm_fork_broadcast_skew() -> None:
    ran = checked(
        "--engine", "vllm", "--version", "0.11.2.dev278+gccfeb3a8", "--flags", VLLM_FLAGS,
        "--env", "VLLM_USE_V2_MODEL_RUNNER=1", "--symptom", "GPUs 0-6 at 100%, the last stage idle at 0%", "-", stdin=WATCHDOG,
    )  # fmt: skip
    assert_leads(ran, SKEW)
    found = ran.finding(SKEW)
    assert any(one["repo"] == "LimeChain/vllm" and one["state"] == "fork" for one in found["fixes"])
    rework = [one for one in found["fixes"] if one["repo"] == "vllm-project/vllm"]
    assert rework and all(one["completeness"] == "unverified_for_this_case" for one in rework)
    assert any(one["first_release"] == "0.30.0" for one in rework)
    assert "--no-async-scheduling" in words(ran, SKEW, "harmful")
    removal = [one for one in found["remedies"] if "--speculative-config" in one["change"]]
    assert removal and all(one["status"] == "suggested" for one in removal)
    assert "kill -9" in words(ran, SKEW, "remedies", "caveats")
    assert any(one["duration_s"] == 66 * 60 for one in found["verification"])


def test_vllm_stock_release_refuses_at_start_instead() -> None:
    ran = checked(
        "--engine", "vllm", "--version", "0.28.0", "--flags", VLLM_FLAGS, "--env", "VLLM_USE_V2_MODEL_RUNNER=1"
    )
    assert next(iter(ran.statuses())) == REFUSED
    assert ran.statuses().get(SKEW, "none") in ("none", "ruled_out")


DEMO = ROOT / "docs" / "demo"
STACKS = (str(DEMO / "rank0.stack.txt"), str(DEMO / "rank1.stack.txt"))
SGLANG_FLAGS = (
    "python -m sglang.launch_server --model-path deepseek-ai/DeepSeek-V4-Flash-0731 --tp-size 2 --nnodes 2 --node-rank 0 "
    "--speculative-algorithm DSPARK --watchdog-timeout 120 --cuda-graph-backend-decode=disabled"
)


def test_sglang_slot_leak_on_two_gb10() -> None:
    ran = checked(
        "--engine", "sglang", "--version", "0.5.16", "--hardware", "2x GB10 aarch64", "--component", "nccl=2.28.9",
        "--flags", SGLANG_FLAGS, "--env", "NCCL_PROTO=Simple", *STACKS,
    )  # fmt: skip
    assert_leads(ran, LEAK)
    found = ran.finding(LEAK)
    assert "scheduler" in words(ran, LEAK, "superseded").lower()
    assert any(one["change"].get("nccl", "") >= "2.29.3" for one in found["remedies"] if one["do"] == "component")
    assert "/maps" in words(ran, LEAK, "verification")
    proto = [one for one in found["not_helpful"] if "NCCL_PROTO" in one["what"]]
    assert proto and proto[0]["tried"] == "yes"


def test_the_same_stacks_on_x86_with_a_fixed_nccl() -> None:
    ran = checked(
        "--engine", "sglang", "--version", "0.5.16", "--hardware", "2x H200 x86_64", "--component", "nccl=2.30.7",
        "--flags", SGLANG_FLAGS, *STACKS,
    )  # fmt: skip
    assert ran.statuses()[LEAK] == "ruled_out"
    assert "2.30.7" in words(ran, LEAK, "deciding") and "x86_64" in words(ran, LEAK, "deciding")
    assert ran.statuses()[SPEC_TP] in ("likely", "possible", "matched")


def test_xllm_race_in_a_window_of_main() -> None:
    hang = "请求长期不返回，两个 rank 都活着"
    case = ("--engine", "xllm", "--hardware", "2x Ascend NPU", "--symptom", hang)
    ran = checked(*case, "--version", "6bc3fd24", "--flags", XLLM_FLAGS.format(shm="true"))
    assert_leads(ran, RACE)
    fix = ran.finding(RACE)["fixes"][0]
    assert fix["commit"] == "41c07c781d91617a4a7b1d7a5fb6ddabcdfc603a" and fix["releases"] == []
    assert "no tagged release holds it" in words(ran, RACE, "details", "fixes", "no_fix")
    released = checked(*case, "--version", "v0.10.1", "--flags", XLLM_FLAGS.format(shm="true"))
    assert released.statuses()[RACE] == "ruled_out"
    without = checked(*case, "--version", "6bc3fd24", "--flags", XLLM_FLAGS.format(shm="false"))
    assert without.statuses().get(RACE, "none") in ("none", "ruled_out")


@pytest.mark.parametrize(
    "text",
    [
        "请求长期不返回，两个 rank 都活着",
        "requests never return, both ranks are alive",
        "服务卡死，没有任何报错，进程都在",
    ],
)
def test_a_symptom_in_plain_words_is_understood(text: str) -> None:
    ran = checked("--engine", "xllm", "--symptom", text)
    assert_quiet(ran)
    assert "symptom.hang" in {one["name"] for one in ran.report["unexplained"]} | {
        fact["name"] for finding in ran.report["findings"] for fact in finding["because"]
    }


def test_nothing_is_matched_on_a_healthy_run() -> None:
    """Every file of the quiet corpus is in tests/test_healthy.py."""
    assert_quiet(checked(*(str(ROOT / "tests" / "healthy" / f"capture-rank{rank}.log") for rank in (0, 1))))


@pytest.mark.parametrize("engine", ["vllm", "sglang", "lmdeploy", "xllm"])
def test_an_empty_case_matches_nothing(engine: str) -> None:
    ran = checked("--engine", engine)
    assert_quiet(ran)
    assert ran.report["questions"]
