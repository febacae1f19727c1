"""Prose to a partial launch and facts; most of these are things that must not be taken for configuration."""

from __future__ import annotations

from typing import Any

import pytest

from tests.launches.situations import facts, only, reading, said, variables


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("two nodes, TP=2", {"topology.nodes": 2, "topology.tp": 2}),
        ("tp_size=4 pp_size=1 dp_size=1 ep_size=1", {"topology.tp": 4, "topology.pp": 1, "topology.dp": 1, "topology.ep": 1}),
        ("PP2/TP16 over two nodes", {"topology.pp": 2, "topology.tp": 16, "topology.nodes": 2}),
        ("- tp = 1, ep = 1, per worker", {"topology.tp": 1, "topology.ep": 1}),
        ("以 PP=8、TP=1 加载模型，启用 DSpark", {"topology.pp": 8, "topology.tp": 1, "speculation.method": "dspark"}),
        ("两卡 TP2 部署", {"topology.tp": 2}),
        ("两卡部署，跑一会儿就卡住", {"topology.tp": 2}),
        ("multi-node, DP>1", {"topology.nodes": 2, "topology.dp": 2}),
        ("PP + HiCache", {"topology.pp": 2}),
        ("EAGLE/NEXTN, TP>1", {"topology.tp": 2, "speculation.method": "eagle"}),
        ("speculative qwen3_5_mtp with 2 draft tokens", {"speculation.method": "qwen3_5_mtp", "speculation.tokens": 2}),
        ('SpeculativeConfig(method="qwen3_5_mtp", num_speculative_tokens=2)', {"speculation.method": "qwen3_5_mtp", "speculation.tokens": 2}),
        ('{"method": "mtp", "num_speculative_tokens":5}', {"speculation.method": "mtp", "speculation.tokens": 5}),
        ("MTP5 压力配置", {"speculation.method": "mtp", "speculation.tokens": 5}),
        ("V2 runner, VLLM_USE_V2_MODEL_RUNNER=1", {"runner.version": 2}),
    ],
)  # fmt: skip
def test_facts_stated(text: str, expected: dict[str, Any]) -> None:
    assert facts(text) == expected


@pytest.mark.parametrize(
    "text",
    [
        "(added #4437; follow-up fixes #4568\ntp>1, #4572 quant, #4611 dp)",
        "this path is taken if pp>1",
        "it needs dp>1 to show",
        "no hang with TP=1",
        "TP=1 works fine",
        "worker (TP1) wedged, head (TP0) idle",
        "GPU 7 (PP7) is idle",
        "draft body TP1",
        "see lmdeploy/pytorch/spec_decode/proposers/qwen3_5_mtp.py",
        "the checkpoint has a bundled DSpark draft head",
        "without MTP nothing hangs",
        "8 GPUs per node, on both nodes",
        "NVIDIA DGX Spark",
        "进程卡住了，没有报错",
    ],
)
def test_what_is_no_configuration_gives_no_fact(text: str) -> None:
    assert facts(text) == {}


def test_configuration_counts_before_a_mention_in_passing() -> None:
    found = reading("Hang with TP=2\n\n- tp = 2\n\nWe also saw TP=4 once.\n")
    assert {one.name: one.value for one in found.facts} == {"topology.tp": 2}


def test_two_values_stated_alike_leave_a_note() -> None:
    found = reading("prefill TP=8 and decode TP=4")
    assert [one.value for one in found.facts] == [8]
    assert [note.kind for note in found.notes] == ["conflict"]


KEY_FLAGS = (
    "**Key flags**: `--speculative-algorithm DSPARK --kv-cache-dtype fp8_e4m3 --mem-fraction-static 0.85 "
    "--disable-cuda-graph --watchdog-timeout 120`"
)


def test_key_flags_make_a_partial_launch() -> None:
    launch = only(KEY_FLAGS, "sglang")
    assert said(launch) == {
        "--speculative-algorithm": "DSPARK", "--kv-cache-dtype": "fp8_e4m3", "--mem-fraction-static": 0.85,
        "--disable-cuda-graph": True, "--watchdog-timeout": 120.0,
    }  # fmt: skip
    assert not launch.complete and launch.text == ""


@pytest.mark.parametrize(
    "text",
    [
        "去掉 --disable-cuda-graph --enable-mixed-chunk 作为规避",
        "we could remove `--disable-cuda-graph`",
        "unless `--disable-cuda-graph` is given",
        "`--disable-cuda-graph` tried",
        "the flag --disable-cuda-graph",
        "what does --speculative-algorithm do?",
        "curl http://x --max-time 5 --port 30000",
        "drop --speculative-algorithm EAGLE",
    ],
)
def test_advice_and_talk_of_flags_set_nothing(text: str) -> None:
    assert all(not one.settings for one in reading(text, "sglang").launches)


def test_a_flag_with_its_value_counts_even_where_it_was_only_tried() -> None:
    assert said(only("2 nodes TP=2, DSpark, --cuda-graph-backend-decode=disabled tried", "sglang")) == {
        "--cuda-graph-backend-decode": "disabled"
    }


def test_variables_in_prose() -> None:
    text = "both `SGLANG_REQ_WAITING_TIMEOUT` and `SGLANG_REQ_RUNNING_TIMEOUT` at default `-1`; `NCCL_PROTO=Simple` — recurs. `CROSS_NIC=1`"
    assert variables(only(text, "sglang")) == {
        "SGLANG_REQ_WAITING_TIMEOUT": "-1", "SGLANG_REQ_RUNNING_TIMEOUT": "-1", "NCCL_PROTO": "Simple",
    }  # fmt: skip


def test_python_keywords() -> None:
    assert said(only("PytorchEngineConfig(tp=1, device_type='cuda', eager_mode=True)", "lmdeploy"))["--tp"] == 1
    launch = only('llm = LLM(model="m/x", tensor_parallel_size=4, enforce_eager=True)', "vllm")
    assert (launch.model, said(launch)["--tensor-parallel-size"], said(launch)["--enforce-eager"]) == ("m/x", 4, True)
    passed = said(only('"lmdeploy_backend": "pytorch", "lmdeploy_speculative_num_draft_tokens": 2', "lmdeploy"))
    assert passed == {"--backend": "pytorch", "--speculative-num-draft-tokens": 2}


def test_an_image_alone_names_the_engine() -> None:
    launch = only("vllm/vllm-openai:v0.29.0")
    assert (launch.engine, launch.image, launch.complete) == ("vllm", "vllm/vllm-openai:v0.29.0", False)


def test_chinese_prose_with_flags_in_it() -> None:
    text = '核对启动参数：--pipeline-parallel-size 8 --tensor-parallel-size 1 --speculative-config \'{"method":"dspark"}\'。\n若无法修复，可去掉 --speculative-config。'
    found = said(only(text, "vllm"))
    assert (found["--pipeline-parallel-size"], found["--speculative-config.method"]) == (8, "dspark")
