"""Prose to a partial launch and facts; most of these are things that must not be taken for configuration."""

from __future__ import annotations

from typing import Any

import pytest

from advisor.launches.reading import environment, tried_in_environment
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
        ("TP and PP together hang", {"topology.tp": 2, "topology.pp": 2}),
        ("we run TP+PP with JSON", {"topology.tp": 2, "topology.pp": 2}),
        ("TP 和 PP 一起开就卡", {"topology.tp": 2, "topology.pp": 2}),
        ("running PP, it hangs", {"topology.pp": 2}),
        ("开了 PP 就卡", {"topology.pp": 2}),
        ("two pipeline stages", {"topology.pp": 2}),
        ("a pipeline of four stages", {"topology.pp": 4}),
        ("两级流水线，多机部署", {"topology.pp": 2, "topology.nodes": 2}),
        ("流水线并行 4 段", {"topology.pp": 4}),
        ("the last PP stage is idle", {"topology.pp": 2}),
        ("all TP ranks wait for each other", {"topology.tp": 2}),
        ("with tensor parallelism it hangs", {"topology.tp": 2}),
        ("张量并行下卡死", {"topology.tp": 2}),
        ("多卡部署卡住", {"topology.tp": 2}),
        ("a multi-GPU run hangs", {"topology.tp": 2}),
        ("EAGLE/NEXTN, TP>1", {"topology.tp": 2, "speculation.method": "eagle"}),
        ("speculative qwen3_5_mtp with 2 draft tokens", {"speculation.method": "qwen3_5_mtp", "speculation.tokens": 2}),
        ('SpeculativeConfig(method="qwen3_5_mtp", num_speculative_tokens=2)', {"speculation.method": "qwen3_5_mtp", "speculation.tokens": 2}),
        ('{"method": "mtp", "num_speculative_tokens":5}', {"speculation.method": "mtp", "speculation.tokens": 5}),
        ("MTP5 压力配置", {"speculation.method": "mtp", "speculation.tokens": 5}),
        ("K3 dspark pp8, sync scheduler", {"topology.pp": 8, "speculation.method": "dspark"}),
        ("Qwen3.5 dp4+ep4 pytorch后端 投机解码qwen3_5_mtp", {"topology.dp": 4, "topology.ep": 4, "speculation.method": "qwen3_5_mtp"}),
        ("DP4EP4", {"topology.dp": 4, "topology.ep": 4}),
        ("two cards, tp2.", {"topology.tp": 2}),
        ("pp 8 with DSpark drafter on V2 model runner", {"topology.pp": 8, "speculation.method": "dspark", "runner.version": 2}),
        ("4-way dp, eight-way tensor parallelism", {"topology.dp": 4, "topology.tp": 8}),
        ("4路数据并行，八路张量并行", {"topology.dp": 4, "topology.tp": 8}),
        ("流水线并行 8，张量并行度为 2", {"topology.pp": 8, "topology.tp": 2}),
        ("用tp2部署，开了MTP", {"topology.tp": 2, "speculation.method": "mtp"}),
        ("tp2, mtp 3 tokens", {"topology.tp": 2, "speculation.method": "mtp", "speculation.tokens": 3}),
        ("pp=2 with suffix decoding", {"topology.pp": 2, "speculation.method": "suffix"}),
        ("n-gram speculation on 2 nodes", {"topology.nodes": 2, "speculation.method": "ngram"}),
        ("投机采样用 eagle3", {"speculation.method": "eagle3"}),
        ("TP=1 (no speculative)", {"topology.tp": 1, "speculation.method": "none"}),
        ("tp8, speculation off", {"topology.tp": 8, "speculation.method": "none"}),
        ("hangs every night, without MTP", {"speculation.method": "none"}),
        ("we do not use speculative decoding", {"speculation.method": "none"}),
        ("没开投机解码，跑一会就卡", {"speculation.method": "none"}),
        ("V2 runner, VLLM_USE_V2_MODEL_RUNNER=1", {"runner.version": 2}),
        ("PP 与 HiCache 同时开启", {"topology.pp": 2}),
        ("HiCache 和 PP 同时开启就卡", {"topology.pp": 2}),
        ("pp 并行 + 结构化输出", {"topology.pp": 2}),
        ("PP with HiCache enabled hangs", {"topology.pp": 2}),
        ("speculative decoding hangs", {"speculation.on": True}),
        ("with a draft model it crashes", {"speculation.on": True}),
        ("投机解码卡死", {"speculation.on": True}),
        ("推测解码乱码", {"speculation.on": True}),
        ("没开推测解码，也卡", {"speculation.method": "none"}),
        ("It hangs; NCCL_P2P_DISABLE=1 makes it start", {"helped:NCCL_P2P_DISABLE": "1"}),
        ("It hangs, with NCCL_P2P_DISABLE=1 it works", {"helped:NCCL_P2P_DISABLE": "1"}),
        ("启动卡住，设置 NCCL_P2P_DISABLE=1 后正常", {"helped:NCCL_P2P_DISABLE": "1"}),
        ("export NCCL_P2P_DISABLE=1 fixed it", {"helped:NCCL_P2P_DISABLE": "1"}),
        ("After setting NCCL_P2P_DISABLE=1 the server starts", {"helped:NCCL_P2P_DISABLE": "1"}),
        ("NCCL_P2P_DISABLE=1 doesn't make it start", {"tried:NCCL_P2P_DISABLE": "1"}),
        ("no speculative decoding here, it hangs", {"speculation.method": "none"}),
        ("speculative decoding: no", {"speculation.method": "none"}),
        ("- speculative decoding: no\n- V2 runner: yes", {"speculation.method": "none", "runner.version": 2}),
        ("hangs with speculative decoding: No available shared memory broadcast block found", {"speculation.on": True}),
    ],
)  # fmt: skip
def test_facts_stated(text: str, expected: dict[str, Any]) -> None:
    method = expected.get("speculation.method")
    assert facts(text) == expected | ({"speculation.on": method != "none"} if method else {})


@pytest.mark.parametrize(
    "text",
    [
        "(added #4437; follow-up fixes #4568\ntp>1, #4572 quant, #4611 dp)",
        "this path is taken if pp>1",
        "it needs dp>1 to show",
        "no hang with TP=1",
        "TP and PP are both 1",
        "no TP, no PP",
        "without TP and PP it works",
        "use TP instead of PP",
        "PP is not used",
        "the TP worker died",
        "多卡机器上单卡跑",
        "fix for TP and PP",
        "TP=1 works fine",
        "worker (TP1) wedged, head (TP0) idle",
        "GPU 7 (PP7) is idle",
        "draft body TP1",
        "see lmdeploy/pytorch/spec_decode/proposers/qwen3_5_mtp.py",
        "the checkpoint has a bundled DSpark draft head",
        "without MTP nothing hangs",
        "without MTP it is fine",
        "no MTP, no problem",
        "speculation off works",
        "all is fine, speculation off",
        "关掉投机也没问题",
        "不开 MTP，一切正常",
        "hangs with and without MTP off",
        "tp0 waits, tp1 is gone",
        "DP0..DP7 print a line, then DP6 disappears",
        "前 7 卡满载，第 8 卡空闲",
        "16 卡机器",
        "the suffix of the name",
        "the watchdog on one node only",
        "step2 of ep1000x",
        "8 GPUs per node, on both nodes",
        "NVIDIA DGX Spark",
        "进程卡住了，没有报错",
        "没有开 pp 并行",
        "pp 并行度",
        "PP is not enabled",
        "Does vLLM support speculative decoding?",
        "if speculative decoding is used",
        "不支持投机解码",
        "without a draft model it is fine",
        "speculative decoding works",
        "it would hang with speculative decoding, they say; we run no draft model",
        "unset NCCL_P2P_DISABLE=1",
        "Setting NCCL_P2P_DISABLE=1 should help",
        "Would NCCL_P2P_DISABLE=1 make it start?",
        "NCCL_P2P_DISABLE=1 is set, the server starts and hangs later",
        "before, NCCL_P2P_DISABLE=1 used to work",
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


TRIALS = [
    ("2 nodes TP=2, DSpark, --cuda-graph-backend-decode=disabled tried", {"tried:--cuda-graph-backend-decode": "disabled"}),
    ("tried --disable-cuda-graph, still hangs", {"tried:--disable-cuda-graph": True}),
    ("I tried --disable-cuda-graph, --mem-fraction-static 0.7 and NCCL_ALGO=Ring.",
     {"tried:--disable-cuda-graph": True, "tried:--mem-fraction-static": 0.7, "tried:NCCL_ALGO": "Ring"}),
    ("it recurs with `--cuda-graph-backend-decode=disabled`", {"tried:--cuda-graph-backend-decode": "disabled"}),
    ("still hangs with --mem-fraction-static 0.7", {"tried:--mem-fraction-static": 0.7}),
    ("`NCCL_PROTO=Simple` and `NCCL_LAUNCH_MODE=PARALLEL` — wedge still recurs",
     {"tried:NCCL_PROTO": "Simple", "tried:NCCL_LAUNCH_MODE": "PARALLEL"}),
    ("graphs off, NCCL_IB_DISABLE=1, NCCL_PROTO=Simple all tried, no change", {"tried:NCCL_IB_DISABLE": "1", "tried:NCCL_PROTO": "Simple"}),
    ("试过 NCCL_PROTO=Simple，没用", {"tried:NCCL_PROTO": "Simple"}),
    ("加了 NCCL_PROTO=Simple 也卡", {"tried:NCCL_PROTO": "Simple"}),
    ("NCCL_PROTO=Simple 无效", {"tried:NCCL_PROTO": "Simple"}),
    ("tried tp_size=1, same problem", {"tried:--tp-size": 1}),
]  # fmt: skip


@pytest.mark.parametrize(("text", "expected"), TRIALS, ids=[text for text, _ in TRIALS])
def test_what_was_tried_is_no_setting(text: str, expected: dict[str, Any]) -> None:
    found = facts(text, "sglang")
    assert {name: value for name, value in found.items() if name.startswith("tried:")} == expected
    assert all(not one.settings and not one.environment for one in reading(text, "sglang").launches)


def test_a_list_of_key_flags_stands_beside_a_trial() -> None:
    text = KEY_FLAGS + "\n\n- CUDA graphs: recurs with `--cuda-graph-backend-decode=disabled`\n"
    assert said(only(text, "sglang"))["--watchdog-timeout"] == 120.0
    assert facts(text, "sglang")["tried:--cuda-graph-backend-decode"] == "disabled"


@pytest.mark.parametrize(
    "text",
    ["never tried --mem-fraction-static 0.7", "without trying NCCL_PROTO=Simple", "we could try NCCL_PROTO=Simple",
     "it hangs with --mem-fraction-static 0.7", "works with --mem-fraction-static 0.7 for an hour, then hangs",
     "--tp 8, still hangs after the upgrade", "NCCL_PROTO=Simple, hangs every hour"],
)  # fmt: skip
def test_what_is_in_force_or_advised_was_not_tried(text: str) -> None:
    assert not any(name.startswith("tried:") for name in facts(text, "sglang"))


@pytest.mark.parametrize(
    "text",
    ["dp=1 ep=1 没问题", "no problem when --dp 1", "only --ep 1 works", "tried dp=1, same problem", "with dp=1 it is fine",
     "换成 tp=1 正常", "changing to dp 1 helped", "dp=1，一切正常", "tp=1: works", "cannot reproduce with dp=1", "does not happen with --dp 1",
     "the hang disappears with tp=1", "改成 --dp 1 就好了", "dp=1 不会卡", "tp1 works fine", "differs from PP1", "和 PP=1 不一致",
     "byte identical to pp1", "同样的模型 tp=1 也卡", "even with TP=1"],
)  # fmt: skip
def test_another_run_says_nothing_of_this_one(text: str) -> None:
    found = reading(text, "lmdeploy")
    assert not [one for one in found.facts if one.name.startswith("topology.")]
    assert all(not one.settings for one in found.launches)


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("with dp=4 it works for 20 minutes, then hangs", {"topology.dp": 4}),
        ("tp=4 works until the first long prompt", {"topology.tp": 4}),
        ("TP=2 正常跑一小时后卡死", {"topology.tp": 2}),
        ("dp=4 does not work", {}),
        ("it hangs only with tp=8", {"topology.tp": 8}),
    ],
)  # fmt: skip
def test_what_works_for_a_while_is_this_run(text: str, expected: dict[str, Any]) -> None:
    assert {name: value for name, value in facts(text, "sglang").items() if name.startswith("topology.")} == expected


def test_variables_in_prose() -> None:
    text = "both `SGLANG_REQ_WAITING_TIMEOUT` and `SGLANG_REQ_RUNNING_TIMEOUT` at default `-1`; `NCCL_PROTO=Simple` — recurs. `CROSS_NIC=1`"
    assert variables(only(text, "sglang")) == {
        "SGLANG_REQ_WAITING_TIMEOUT": "-1", "SGLANG_REQ_RUNNING_TIMEOUT": "-1",
    }  # fmt: skip
    assert facts(text, "sglang")["tried:NCCL_PROTO"] == "Simple"


@pytest.mark.parametrize(
    "text",
    ["SGLANG_REQ_WAITING_TIMEOUT=15", "SGLANG_REQ_WAITING_TIMEOUT = 15 (in our helm chart)", "SGLANG_REQ_WAITING_TIMEOUT: 15",
     'SGLANG_REQ_WAITING_TIMEOUT: "15"', "SGLANG_REQ_WAITING_TIMEOUT is set to 15", "`SGLANG_REQ_WAITING_TIMEOUT` set to 15 s",
     "SGLANG_REQ_WAITING_TIMEOUT=15s", "export SGLANG_REQ_WAITING_TIMEOUT=15", "SGLANG_REQ_WAITING_TIMEOUT 设为 15 秒",
     'env:\n- name: SGLANG_REQ_WAITING_TIMEOUT\n  value: "15"\n', '{"name": "SGLANG_REQ_WAITING_TIMEOUT", "value": "15"}'],
)  # fmt: skip
def test_a_variable_however_it_is_written(text: str) -> None:
    assert [(one.name, one.value) for one in environment(text)] == [("SGLANG_REQ_WAITING_TIMEOUT", "15")]
    assert variables(only(f"We run it so:\n\n{text}", "sglang"))["SGLANG_REQ_WAITING_TIMEOUT"] == "15"


@pytest.mark.parametrize(
    "text",
    ["SGLANG_REQ_WAITING_TIMEOUT unset", "SGLANG_REQ_WAITING_TIMEOUT: the wait before an abort", "what is SGLANG_REQ_WAITING_TIMEOUT?",
     "SGLANG_REQ_WAITING_TIMEOUT is not set", "remove SGLANG_REQ_WAITING_TIMEOUT=15", "SGLANG_REQ_WAITING_TIMEOUT=15 没问题"],
)  # fmt: skip
def test_a_variable_spoken_of_has_no_value(text: str) -> None:
    assert all(not one.environment for one in reading(text, "sglang").launches)


def test_units_and_trials_in_an_environment() -> None:
    assert [one.value for one in environment("SGLANG_FORWARD_TIMEOUT_MS=60s NCCL_BUFFSIZE=4s")] == ["60000", "4s"]
    assert environment("NCCL_PROTO=Simple tried") == ()
    assert [(one.name, one.value) for one in tried_in_environment("NCCL_PROTO=Simple tried")] == [
        ("tried:NCCL_PROTO", "Simple")
    ]


def test_python_keywords() -> None:
    assert said(only("PytorchEngineConfig(tp=1, device_type='cuda', eager_mode=True)", "lmdeploy"))["--tp"] == 1
    launch = only('llm = LLM(model="m/x", tensor_parallel_size=4, enforce_eager=True)', "vllm")
    assert (launch.model, said(launch)["--tensor-parallel-size"], said(launch)["--enforce-eager"]) == ("m/x", 4, True)
    passed = said(only('"lmdeploy_backend": "pytorch", "lmdeploy_speculative_num_draft_tokens": 2', "lmdeploy"))
    assert passed == {"--backend": "pytorch", "--speculative-num-draft-tokens": 2}


def test_one_keyword_may_set_two_flags() -> None:
    for text in (
        "xtuner: expert_parallel_size=8, lmdeploy_speculative_algorithm='qwen3_5_mtp'",
        "RolloutConfig(expert_parallel_size=8)",
    ):
        found = said(only(text, "lmdeploy"))
        assert (found["--dp"], found["--ep"]) == (8, 8)


def test_a_whole_config_has_its_defaults_and_an_elided_one_has_not() -> None:
    whole = only("pipeline('m/x', backend_config=PytorchEngineConfig(tp=2))", "lmdeploy")
    assert sorted((one.flag, one.value, one.origin) for one in whole.settings) == [
        ("--backend", "pytorch", "derived"), ("--dp", 1, "default"), ("--ep", 1, "default"), ("--tp", 2, "stated"),
    ]  # fmt: skip
    assert whole.complete
    for text in ("PytorchEngineConfig(tp=2, ...)", "PytorchEngineConfig(tp=2, **more)"):
        assert said(only(text, "lmdeploy")) == {"--tp": 2, "--backend": "pytorch"}
    assert said(only("PytorchEngineConfig()", "lmdeploy")) == {"--backend": "pytorch"}
    assert not reading("TurbomindEngineConfig()", "lmdeploy").launches


def test_words_after_a_command_are_read_as_words() -> None:
    found = reading("vllm serve ... --pipeline-parallel-size 2 with suffix decoding")
    assert found.launches[0].model == "" and {one.name: one.value for one in found.facts} == {
        "speculation.method": "suffix",
        "speculation.on": True,
    }
    assert facts("vllm serve m/x -tp 8 (ray, 8 nodes)") == {"topology.nodes": 8}


def test_an_image_alone_names_the_engine() -> None:
    launch = only("vllm/vllm-openai:v0.29.0")
    assert (launch.engine, launch.image, launch.complete) == ("vllm", "vllm/vllm-openai:v0.29.0", False)


def test_chinese_prose_with_flags_in_it() -> None:
    text = '核对启动参数：--pipeline-parallel-size 8 --tensor-parallel-size 1 --speculative-config \'{"method":"dspark"}\'。\n若无法修复，可去掉 --speculative-config。'
    found = said(only(text, "vllm"))
    assert (found["--pipeline-parallel-size"], found["--speculative-config.method"]) == (8, "dspark")
