"""What is shipped about vllm-ascend and NCCL against what upstream's release notes, tags and packages say.

Release notes: https://github.com/vllm-project/vllm-ascend/blob/main/docs/source/user_guide/release_notes.md
"""

from __future__ import annotations

import json
from itertools import pairwise
from pathlib import Path

import pytest

from advisor.model.build import order_key
from advisor.upstream.wheels import release_order

KNOWLEDGE = Path(__file__).parents[2] / "knowledge"
SETTINGS = json.loads((KNOWLEDGE / "vllm-ascend" / "settings.json").read_text(encoding="utf-8"))
PREFIX = "--additional-config."


def releases(component: str):
    listed = json.loads((KNOWLEDGE / component / "releases.json").read_text(encoding="utf-8"))["releases"]
    return {entry["version"]: entry for entry in listed}


def at(name: str, version: str):
    """The record of a variable or key that holds in a release."""
    key = name if name.isupper() else PREFIX + name
    for record in SETTINGS["environment" if name.isupper() else "settings"].get(key, []):
        begun, ended = release_order(record["since"]), record["until"] and release_order(record["until"])
        if begun <= release_order(version) and (ended is None or release_order(version) < ended):
            return record
    return None


@pytest.mark.parametrize(
    ("name", "before", "first"),
    [
        ("VLLM_ASCEND_ENABLE_TOPK_TOPP_OPTIMIZATION", "0.9.1rc1", "0.9.2rc1"),
        ("VLLM_ASCEND_ENABLE_MATMUL_ALLREDUCE", "0.9.2rc1", "0.10.0rc1"),
        ("VLLM_ASCEND_ENABLE_MLP_OPTIMIZE", "0.10.0rc1", "0.10.1rc1"),
        ("VLLM_ASCEND_LLMDD_RPC_PORT", "0.10.0rc1", "0.10.1rc1"),
        ("lmhead_tensor_parallel_size", "0.10.0rc1", "0.10.1rc1"),
        ("torchair_graph_config.mode", "0.10.0rc1", "0.10.1rc1"),
        ("dump_config_path", "0.12.0rc1", "0.13.0rc1"),
        ("eplb_config.dynamic_eplb", "0.13.0rc1", "0.13.0rc2"),
        ("ascend_compilation_config.fuse_allreduce_rms", "0.13.0", "0.14.0rc1"),
        ("enable_dsa_cp", "0.19.1rc1", "0.20.2rc1"),
        ("enable_flashcomm1", "0.19.1rc1", "0.20.2rc1"),
        ("enable_sparse_li_c8", "0.22.1rc1", "0.23.0rc1"),
    ],
)
def test_what_the_release_notes_say_was_added(name, before, first):
    assert at(name, before) is None
    assert at(name, first) is not None


@pytest.mark.parametrize(
    ("name", "last", "without"),
    [
        ("MOE_ALL2ALL_BUFFER", "0.10.0rc1", "0.10.1rc1"),
        ("VLLM_ASCEND_ENABLE_MOE_ALL2ALL_SEQ", "0.10.0rc1", "0.10.1rc1"),
        ("VLLM_LLMDD_RPC_PORT", "0.10.0rc1", "0.10.1rc1"),
        ("VLLM_ASCEND_ENABLE_TOPK_TOPP_OPTIMIZATION", "0.11.0", "0.12.0rc1"),
        ("VLLM_ASCEND_ENABLE_DENSE_OPTIMIZE", "0.12.0rc1", "0.13.0rc1"),
        ("VLLM_ENABLE_FUSED_EXPERTS_ALLGATHER_EP", "0.12.0rc1", "0.13.0rc1"),
        ("VLLM_ASCEND_ENABLE_CONTEXT_PARALLEL", "0.20.2rc1", "0.21.0rc1"),
        ("expert_tensor_parallel_size", "0.9.2rc1", "0.10.0rc1"),
        ("ascend_scheduler_config", "0.11.0", "0.12.0rc1"),
        ("torchair_graph_config.enabled", "0.11.0", "0.12.0rc1"),
        ("chunked_prefill_for_mla", "0.12.0rc1", "0.13.0rc1"),
        ("dump_config", "0.12.0rc1", "0.13.0rc1"),
        ("expert_map_path", "0.13.0", "0.14.0rc1"),
        ("num_iterations_eplb_update", "0.13.0", "0.14.0rc1"),
    ],
)
def test_what_the_release_notes_say_was_removed(name, last, without):
    assert at(name, last) is not None
    assert at(name, without) is None


@pytest.mark.parametrize(
    ("name", "version", "default"),
    [
        ("VLLM_ASCEND_ENABLE_MLAPO", "0.13.0", "0"),
        ("VLLM_ASCEND_ENABLE_MLAPO", "0.14.0rc1", "1"),
        ("enable_cpu_binding", "0.13.0", False),
        ("enable_cpu_binding", "0.18.0", True),
        ("eplb_config.eplb_policy_type", "0.18.0", 1),
        ("eplb_config.eplb_policy_type", "0.23.0", 2),
        ("weight_nz_mode", "0.30.0rc2", 1),
        ("scheduler_config.profiling_chunk_config.min_chunk", "0.30.0rc2", 4096),
    ],
)
def test_defaults_that_changed(name, version, default):
    record = at(name, version)
    assert record["default_known"] and record["default"] == default


def test_a_key_may_follow_the_variable_it_replaced_until_that_one_was_removed():
    assert at("enable_mlapo", "0.26.0rc1")["env"] == "VLLM_ASCEND_ENABLE_MLAPO"
    assert at("enable_mlapo", "0.27.1rc1")["env"] is None and at("enable_mlapo", "0.27.1rc1")["default"] is True
    assert at("VLLM_ASCEND_ENABLE_MLAPO", "0.27.1rc1") is None


def test_a_moved_key_is_deprecated_from_the_release_that_moved_it():
    assert "deprecated" not in at("recompute_scheduler_enable", "0.24.0rc1")
    assert at("recompute_scheduler_enable", "0.25.1rc1")["deprecated"]
    assert "deprecated" not in at("scheduler_config.recompute_scheduler_enable", "0.25.1rc1")


def test_the_plugin_adds_a_quantization_to_vllms_from_0_9_0_on():
    records = SETTINGS["settings"]["--quantization"]
    assert [(record["since"], record["choices"]) for record in records] == [("0.9.0rc1", ["ascend"])]


def test_releases_are_in_one_order_everywhere():
    read = SETTINGS["releases_read"]
    assert read == sorted(read, key=release_order) == sorted(read, key=order_key) == list(releases("vllm-ascend"))


def test_records_of_a_setting_follow_one_another():
    order = {version: place for place, version in enumerate(SETTINGS["releases_read"])}
    for name, records in {**SETTINGS["settings"], **SETTINGS["environment"]}.items():
        ends = [(order[record["since"]], order.get(record["until"], len(order))) for record in records]
        assert all(since < until for since, until in ends), name
        assert all(one[1] <= two[0] for one, two in pairwise(ends)), name


@pytest.mark.parametrize(
    ("version", "vllm", "cann", "npu"),
    [
        ("0.7.3.post1", "0.7.3", "8.1.rc1", "==2.5.1"),
        ("0.8.5rc1", "0.8.5.post1", "8.1.rc1", "==2.5.1"),
        ("0.9.1", "0.9.1", "8.2.rc1", "==2.5.1.post1"),
        ("0.11.0rc0", "0.11.0rc3", "8.2.rc1", "==2.7.1.dev20250724"),
        ("0.14.0rc1", "0.14.1", "8.5.0", "==2.9.0"),
        ("0.21.0rc1", "0.21.0", "9.0.0", "==2.10.0"),
        ("0.27.1rc1", "0.27.1", "9.1.0", "==2.10.0.post4"),
    ],
)
def test_a_release_is_made_for_the_vllm_its_own_dockerfile_checks_out(version, vllm, cann, npu):
    entry = releases("vllm-ascend")[version]
    assert (entry["vllm"], entry["cann"], entry["pins"]["torch-npu"]) == (vllm, cann, npu)
    assert entry["nccl"] is None


def test_packages_say_the_commit_their_tag_stands_at():
    for version, entry in releases("vllm-ascend").items():
        if entry["built_from"] and entry["commit"]:
            assert entry["commit"].startswith(entry["built_from"]), version


def test_two_sdists_were_built_from_another_commit_than_the_wheels():
    apart = {
        version: entry["sdist_from"] for version, entry in releases("vllm-ascend").items() if "sdist_from" in entry
    }
    assert apart == {"0.13.0rc2": "fd7c0a9ea", "0.21.0rc1": "35d600725"}


def test_nccl_2_29_3_has_its_tag_its_day_and_its_wheels():
    entry = releases("nccl")["2.29.3"]
    assert entry["tags"] == ["v2.29.3-1"] and entry["date"] == "2026-02-03"
    assert entry["commit"] == "25368a7f78bae866f29e46938af94fa586c84484"
    assert set(entry["wheels"]) == {"nvidia-nccl-cu12", "nvidia-nccl-cu13"}
    assert entry["wheels"]["nvidia-nccl-cu13"] == [
        {"version": "2.29.3", "date": "2026-02-03", "architectures": ["aarch64", "x86_64"]}
    ]


def test_nccl_versions_that_are_only_a_tag_or_only_a_wheel_say_so():
    known = releases("nccl")
    assert known["2.26.3"]["wheels"] == {} and known["2.26.3"]["commit"]
    assert known["2.32.3"]["tags"] == [] and known["2.32.3"]["commit"] is None
    packed = [wheel["version"] for wheel in known["2.26.2"]["wheels"]["nvidia-nccl-cu12"]]
    assert packed == ["2.26.2", "2.26.2.post1"]
    assert list(known) == sorted(known, key=release_order)


def test_the_nccl_that_torch_brings_is_among_the_known():
    known = releases("nccl")
    brought = {
        version
        for engine in ("vllm", "sglang")
        for entry in releases(engine).values()
        for version in (entry["nccl"] or {}).values()
        if version
    }
    assert brought and brought <= set(known)


def test_xllm_pins_no_one_torch_and_says_what_each_device_is_built_with():
    known = releases("xllm")
    assert all(entry["pins"] == {} and entry["nccl"] is None for entry in known.values())
    assert known["0.10.0"]["builds"]["npu"]["torch-npu"] == "2.9.0"
    assert known["0.10.0"]["builds"]["cuda"]["torch"] == "2.7.1+cu128"
    assert "cuda" not in known["0.7.2"]["builds"]
