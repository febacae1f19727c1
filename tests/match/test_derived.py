"""What follows from a launch: on a complete one by the release's defaults, on a partial one only what it says."""

from __future__ import annotations

from typing import Any

import pytest

from advisor.jobs.assemble import assemble
from advisor.jobs.judging import view_of
from advisor.jobs.request import Request

SGLANG = "python -m sglang.launch_server --model-path m/x"
NIXL = '{"kv_connector": "NixlConnector", "kv_role": "kv_both"}'
LMCACHE = '{"kv_connector": "LMCacheConnectorV1", "kv_role": "%s"}'
OFFLOAD = '{"kv_connector": "OffloadingConnector", "kv_role": "kv_both"}'

FOLLOWS = [
    ("sglang 0.5.16", SGLANG, "cache.prefix", True),
    ("sglang 0.5.16", f"{SGLANG} --disable-radix-cache", "cache.prefix", False),
    ("sglang 0.5.16", SGLANG, "cache.hierarchical", False),
    ("sglang 0.5.16", f"{SGLANG} --enable-hierarchical-cache", "cache.hierarchical", True),
    ("sglang 0.5.16", SGLANG, "deployment.disaggregated", False),
    ("sglang 0.5.16", SGLANG, "deployment.role", "none"),
    ("sglang 0.5.16", f"{SGLANG} --disaggregation-mode decode", "deployment.disaggregated", True),
    ("sglang 0.5.16", f"{SGLANG} --disaggregation-mode decode", "deployment.role", "decode"),
    ("vllm 0.28.0", "vllm serve m/x --tensor-parallel-size 2", "cache.prefix", None),  # the model decides
    ("vllm 0.28.0", "vllm serve m/x --enable-prefix-caching", "cache.prefix", True),
    ("vllm 0.28.0", "vllm serve m/x --no-enable-prefix-caching", "cache.prefix", False),
    ("vllm 0.28.0", "vllm serve m/x --tensor-parallel-size 2", "deployment.disaggregated", False),
    ("vllm 0.28.0", f"vllm serve m/x --kv-transfer-config '{NIXL}'", "deployment.disaggregated", True),
    ("vllm 0.28.0", f"vllm serve m/x --kv-transfer-config '{OFFLOAD}'", "deployment.disaggregated", False),
    ("vllm 0.28.0", f"vllm serve m/x --kv-transfer-config '{LMCACHE % 'kv_both'}'", "deployment.disaggregated", None),
    ("vllm 0.28.0", f"vllm serve m/x --kv-transfer-config '{LMCACHE % 'kv_producer'}'", "deployment.role", "prefill"),
    ("lmdeploy 0.14.0", "lmdeploy serve api_server m/x --tp 2", "deployment.disaggregated", False),
    ("lmdeploy 0.14.0", "lmdeploy serve api_server m/x --role Decode", "deployment.disaggregated", True),
    ("lmdeploy 0.14.0", "lmdeploy serve api_server m/x --role Decode", "deployment.role", "decode"),
    ("lmdeploy 0.14.0", "lmdeploy serve api_server m/x --tp 2", "cache.prefix", False),
    ("xllm 0.10.1", "xllm --model m/x", "cache.prefix", True),
    ("xllm 0.10.1", "xllm --model m/x --enable_disagg_pd=true --instance_role=PREFILL", "deployment.role", "prefill"),
    ("xllm 0.10.1", "xllm --model m/x --enable_disagg_pd=true", "deployment.disaggregated", True),
    ("vllm 0.28.0", "docker run --gpus all vllm/vllm-openai:v0.28.0 --model m/x", "deployment.container", True),
    ("vllm 0.28.0", "vllm serve m/x --tensor-parallel-size 2", "deployment.container", None),
]


def known(name: str, **given: Any) -> Any:
    """The one value that is known, None when nothing is."""
    case, problems = assemble(Request(**given))
    assert not problems
    values = {fact.value for fact in view_of(case).ask("fact", name).facts}
    return values.pop() if len(values) == 1 else None


@pytest.mark.parametrize(("build", "flags", "name", "value"), FOLLOWS)
def test_follows_from_the_launch(build: str, flags: str, name: str, value: Any) -> None:
    engine, version = build.split()
    assert known(name, engine=engine, version=version, flags=(flags,)) == value


def test_words_come_before_defaults_and_flags_before_words() -> None:
    said = "PD disaggregation, the D node crashes"
    plain = {"engine": "sglang", "version": "0.5.16", "symptoms": (said,)}
    assert known("deployment.role", **plain, flags=(SGLANG,)) == "decode"
    assert known("deployment.role", **plain, flags=(f"{SGLANG} --disaggregation-mode prefill",)) == "prefill"


def test_an_image_is_a_container() -> None:
    assert known("deployment.container", engine="sglang", version="lmsysorg/sglang:v0.5.16-cu130") is True
    assert (
        known("deployment.container", engine="sglang", version="0.5.16", symptoms=("bare metal, no docker",)) is False
    )
