"""What an engine prints of its own arguments becomes the launch that really ran."""

from __future__ import annotations

import pytest
from hypothesis import example, given
from hypothesis import strategies as st

from advisor.catalog.engines import knowledge
from advisor.launches import dump
from tests.front_door import checked

VLLM = "non-default args: {'model_tag': 'm', 'pipeline_parallel_size': 3, 'enforce_eager': True, 'speculative_config': {'method': 'dspark', 'num_speculative_tokens': 7}, 'load_format': <LoadFormat.AUTO: 'auto'>}"
SGLANG = "server_args=ServerArgs(model_path='m', tp_size=2, speculative_algorithm='DSPARK', nnodes=2, enable_metrics=False, no_such_argument=1, dist_timeout=None)"


def flags(text: str, engine: str) -> dict[str, object]:
    launch = dump.read(text, knowledge(engine), "log")
    assert launch is not None and launch.model == "m" and not launch.complete
    return {one.flag: one.value for one in launch.settings}


def test_vllm_non_default_arguments() -> None:
    found = flags(VLLM, "vllm")
    assert found["--pipeline-parallel-size"] == 3
    assert found["--speculative-config.method"] == "dspark"
    assert found["--enforce-eager"] is True
    assert "--load-format" not in found


@pytest.mark.parametrize(
    "text", [SGLANG, "server_args={'model_path': 'm', 'tp_size': 2, 'speculative_algorithm': 'DSPARK', 'nnodes': 2}"]
)
def test_sglang_server_args_in_both_forms(text: str) -> None:
    found = flags(text, "sglang")
    assert found["--tp-size"] == 2 and found["--speculative-algorithm"] == "DSPARK" and found["--nnodes"] == 2
    assert not [flag for flag in found if "no-such" in flag]


@pytest.mark.parametrize(
    "text", ["", "no dump here", "server_args=ServerArgs(model_path='m', tp_si", "args: {'a': ", "(((((", "{" * 5000]
)
def test_what_is_cut_or_is_no_dump_is_nothing(text: str) -> None:
    assert dump.read(text, knowledge("sglang"), "log") is None


@given(st.one_of(st.text(max_size=300), st.text(alphabet="[]{}(),:=*'\"ab1 .", max_size=40)))
@example("{[]: 1}")
@example("{{}}")
def test_no_text_raises(text: str) -> None:
    dump.read(text, knowledge("vllm"), "log")
    dump.read("non-default args: {'x': " + text + "}", knowledge("vllm"), "log")
    dump.read("ServerArgs(" + text + ")", knowledge("sglang"), "log")
    dump.read("ServerArgs(model_path=" + text + ")", knowledge("sglang"), "log")


def test_a_value_that_is_no_literal_is_no_defect() -> None:
    for text in ("LLM(model='m', x={[]: 1})", f"INFO {VLLM.replace('True', '{[]: 1}')}"):
        assert checked("--engine", "vllm", "-", stdin=text).code in (0, 1)


def test_a_banner_decides_the_exposure() -> None:
    log = f"(APIServer pid=8) INFO 08-22 10:58:01 [api_server.py:1896] vLLM API server version 0.28.0\n(APIServer pid=8) INFO 08-22 10:58:01 [utils.py:328] {VLLM}\n"
    assert checked("-", stdin=log).statuses()["vllm/pp-spec-refused"] == "exposed"
