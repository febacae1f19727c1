"""What an engine says of itself, and whether it said everything."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from advisor.evidence import banner
from advisor.model.fact import Artifact


def read(text):
    return list(banner.read(Artifact("server.log", "log", text)))


def values(text, name):
    return [fact.value for fact in read(text) if fact.name == name]


VLLM = "(APIServer pid=1) INFO 08-02 10:44:31 [utils.py:233] non-default args: "
SGLANG = "[2026-08-02 10:01:00] server_args="


@pytest.mark.parametrize(
    ("line", "complete"),
    [
        (VLLM + "{'model': 'm', 'speculative_config': {'method': 'mtp'}, 'tensor_parallel_size': 2}", True),
        (VLLM + "{'model': 'm', 'tensor_parallel_size': 2", False),
        (VLLM + "{'model': 'm', ...}", False),
        (VLLM + "{'chat_template': '{% if x %}(', 'model': \"it's\"}", True),
        (
            "INFO 08-02 10:44:31 [api_server.py:1035] args: Namespace(host='0.0.0.0', dtype='auto', f=<F.AUTO: 'auto'>)",
            True,
        ),
        (SGLANG + "ServerArgs(model_path='m', tp_size=2, json='{}')", True),
        (SGLANG + "ServerArgs(model_path='m', tp_si", False),
        (SGLANG + "ServerArgs(model_path='m', tp_size=2, ...)", False),
        (SGLANG + "{'model_path': 'm', 'tp_size': 2, 'spec': {'a': [1, 2]}}", True),
        (SGLANG + "{'model_path': 'm', 'tp_size': 2, 'spec", False),
    ],
)
def test_a_dump_is_complete_or_not(line, complete):
    (dump,) = [fact for fact in read(line) if fact.name == "banner.args"]
    (said,) = [fact for fact in read(line) if fact.name == "banner.complete"]
    assert said.value is complete and said.span == dump.span


@pytest.mark.parametrize(
    "line",
    [
        "2026-08-19 10:00:00,123 - lmdeploy - INFO - async_engine.py:286 - input backend=pytorch, backend_config=PytorchEngineConfig(dtype='auto', tp=2)",
        "2026-08-19 10:00:00,123 - lmdeploy - INFO - async_engine.py:288 - speculative_config=SpeculativeConfig(method='qwen3_5_mtp', num_speculative_tokens=3)",
        "I20251011 14:59:09.586208 761 master.cpp:56] Master init options: Options: [model_path: /m, nnodes: 1]",
        "I20251011 14:59:09.588 761 dist_manager.cpp:199] Multi-node serving world_size = 2, each_node_ranks = 1, dp_size = 1, tp_size = 2",
    ],
)
def test_a_dump_of_the_engines_own_options_is_not_all(line):
    assert values(line, "banner.args") and values(line, "banner.complete") == [False]


def test_sglangs_dump_names_the_engine_in_either_form():
    assert values(SGLANG + "{'model_path': 'm'}", "banner.engine") == ["sglang"]
    assert values(SGLANG + "ServerArgs(model_path='m')", "banner.engine") == ["sglang"]


def test_a_log_without_a_banner_says_nothing():
    assert read("[2026-08-02 10:01:00 TP0] Load weight begin.") == []


@given(
    st.sampled_from([VLLM, SGLANG, SGLANG + "ServerArgs(", "Master init options: "]),
    st.text(alphabet="{}()[]'\"\\,.= ab1\n…", max_size=80),
)
def test_any_dump_is_read(head, rest):
    for fact in read(head + rest):
        assert fact.span is not None and 1 <= fact.span.line <= rest.count("\n") + 1


def test_a_long_dump_takes_no_time():
    assert values(SGLANG + "ServerArgs(" + "(" * 300_000, "banner.complete") == [False]
