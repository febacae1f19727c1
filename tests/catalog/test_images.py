"""`knowledge/<engine>/images.yaml`: well-formed, sourced, and meeting the tags that people really use."""

import re

import pytest

from advisor.catalog.engines import engines, knowledge, profiles
from advisor.catalog.places import knowledge_root
from advisor.evidence.image_schemes import scheme
from advisor.model.build import parse_version

KINDS = {
    "release", "newest release", "main", "branch", "special", "commit", "environment", "vendor", "table",
}  # fmt: skip
IMAGES = [
    (engine, name, rules)
    for engine, profile in profiles().items()
    for name, rules in (profile.get("tags") or {"images": {}})["images"].items()
]
KNOWN = {name: knowledge(name) for name, profile in profiles().items() if "tags" in profile}


def test_every_engine_known_has_a_scheme():
    written = {file.parent.name for file in knowledge_root().glob("*/images.yaml")}
    assert written >= set(engines())


@pytest.mark.parametrize(("engine", "name", "rules"), IMAGES)
def test_each_scheme_says_where_it_is_from(engine, name, rules):
    assert rules["source"]
    for source in rules["source"]:
        assert source.get("url", "").startswith("https://") or len(source.get("artefact", "")) > 10
        assert re.fullmatch(r"20\d\d-\d\d-\d\d", str(source["date"]))


@pytest.mark.parametrize(("engine", "name", "rules"), IMAGES)
def test_each_form_has_a_kind(engine, name, rules):
    assert {rule["is"] for rule in rules["tags"]} <= KINDS
    tables = [rule for rule in rules["tags"] if rule["is"] == "table"]
    assert all(rule["holds"] for rule in tables)
    assert "vendor" in rules or not any(rule["is"] == "vendor" for rule in rules["tags"])


@pytest.mark.parametrize(("engine", "name", "rules"), IMAGES)
def test_what_a_table_holds_was_released(engine, name, rules):
    for rule in rules["tags"]:
        for held in rule.get("holds", {}).values():
            version = held.get(engine)
            if version and engine in KNOWN:
                assert parse_version(version) is not None
                assert KNOWN[engine].release(version), f"{engine} {version} is no release"


# tags met in public repositories and threads, each with the kind that its scheme gives it; "" has no form of the scheme's
REAL = [
    ("vllm/vllm-openai:v0.29.0", "release"),
    ("vllm/vllm-openai:v0.20.0-cu130", "release"),
    ("vllm/vllm-openai:v0.8.5.post1", "release"),
    ("vllm/vllm-openai:latest-x86_64-cu129-ubuntu2404", "newest release"),
    ("vllm/vllm-openai:gemma4-cu130", ""),
    ("vllm/vllm-openai-rocm:base-nightly", "environment"),
    ("rocm/vllm:rocm6.2_mi300_ubuntu20.04_py3.9_vllm_0.6.4", "vendor"),
    ("rocm/vllm:rocm6.3.1_instinct_vllm0.8.3_20250415", "vendor"),
    ("rocm/vllm:rocm7.13.0_gfx94X-dcgpu_ubuntu24.04_py3.13_pytorch_2.10.0_vllm_0.19.1", "vendor"),
    ("rocm/vllm:rocm7.0_vllm_qwen3coder_next", ""),
    ("rocm/vllm-dev:nightly_main_20260506", "special"),
    ("public.ecr.aws/q9t5s3a7/vllm-ci-postmerge-repo:8a87cd27d94f03068b9cbc85058636fc16222e24", "main"),
    ("public.ecr.aws/q9t5s3a7/vllm-ci-postmerge-repo:6299628d326f429eba78736acb44e76749b281f5-arm64-cpu", "main"),
    ("public.ecr.aws/q9t5s3a7/vllm-ci-test-repo:b1388b1fbf5aaef47937fabe98931211684666a6-xpu", "branch"),
    ("nvcr.io/nvidia/vllm:25.09-py3", "table"),
    ("nvcr.io/nvidia/vllm:26.03.post1-py3", "table"),
    ("nvcr.io/nvidia/ai-dynamo/vllm-runtime:0.7.0.post1", "table"),
    ("lmsysorg/sglang:v0.5.12-cu130", "release"),
    ("lmsysorg/sglang:v0.5.9-rocm720-mi30x", "release"),
    ("lmsysorg/sglang:v0.4.5-rocm630", "release"),
    ("lmsysorg/sglang:v0.5.13-xeon", "release"),
    ("lmsysorg/sglang:latest-cu129-runtime", "newest release"),
    ("lmsysorg/sglang:nightly-dev-20251208-5e2cda61", "main"),
    ("lmsysorg/sglang:nightly-dev-cu130-20260922-582389ce", "main"),
    ("lmsysorg/sglang:main-cann9.0.0-a3", "main"),
    ("lmsysorg/sglang:dev-cu13", "main"),
    ("lmsysorg/sglang:dev-cu13-minimax-m3", "special"),
    ("lmsysorg/sglang:kimi-k3", ""),
    ("lmsysorg/sglang-rocm:v0.5.13.post1-rocm720-mi30x-20260623", "main"),
    ("openmmlab/lmdeploy:v0.1.0", "release"),
    ("openmmlab/lmdeploy:v0.10.0-cu12", "release"),
    ("openmmlab/lmdeploy:latest-cu11", "main"),
    ("openmmlab/lmdeploy:qwen2vl", "special"),
    ("quay.io/jd_xllm/xllm-ai:xllm-dev-cuda-x86", "environment"),
    ("quay.io/jd_xllm/xllm-ai:xllm-dev-a2-x86-cann9-20260605", "environment"),
    ("quay.io/jd_xllm/xllm-ai:xllm-dev-hb-rc2-x86", "environment"),
]  # fmt: skip


@pytest.mark.parametrize(("image", "kind"), REAL)
def test_a_real_tag_has_its_form(image, kind):
    name, _, tag = image.rpartition(":")
    found = scheme(name, tag, KNOWN)
    assert found is not None
    assert (found.rule or {"is": ""})["is"] == kind


@pytest.mark.parametrize(
    ("tag", "kind"),
    [
        ("v0.11.0rc1-a3-openeuler", "release"), ("v0.17.0rc1-a3", "release"), ("main", "main"), ("main-310p-openeuler", "main"),
        ("nightly-main-310p-openeuler-cann2026.08.03-20260729", "main"), ("nightly-main", "main"), ("v0.11.0-dev", "branch"),
        ("nightly-releases-v0.13.0", "branch"), ("dots3-note-prev-a3", ""),
    ],
)  # fmt: skip
def test_a_real_tag_of_vllm_ascend_has_its_form(tag, kind):
    found = scheme("quay.io/ascend/vllm-ascend", tag, KNOWN)
    assert found is not None
    assert (found.rule or {"is": ""})["is"] == kind


@pytest.mark.parametrize("name", ["mycorp/vllm", "ghcr.io/someone/sglang-fork", "ubuntu", "tritonserver"])
def test_a_name_of_nobody_known_has_no_scheme(name):
    assert scheme(name, "v0.28.0", KNOWN) is None
