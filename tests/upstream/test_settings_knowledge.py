"""The generated settings.json as shipped: its shape, and the flags that rules lean on most.

The expected values were compared with the engines' own parsers, built from their released wheels.
"""

from __future__ import annotations

import json
from itertools import pairwise
from pathlib import Path

import pytest

from advisor.upstream.wheels import release_order

KNOWLEDGE = Path(__file__).parents[2] / "knowledge"
ENGINES = ("vllm", "sglang", "lmdeploy", "xllm")
KINDS = {"switch", "pair", "value", "list", "json"}


def knowledge(engine: str, name: str = "settings.json"):
    return json.loads((KNOWLEDGE / engine / name).read_text(encoding="utf-8"))


def at(engine: str, flag: str, version: str):
    for record in knowledge(engine)["settings"].get(flag, []):
        if holds(record, version):
            return record
    return None


def holds(record, version: str) -> bool:
    ended = record["until"] is not None and release_order(record["until"]) <= release_order(version)
    return release_order(record["since"]) <= release_order(version) and not ended


@pytest.mark.parametrize("engine", ENGINES)
def test_records_follow_one_another_between_releases_that_were_read(engine):
    file = knowledge(engine)
    order = {version: place for place, version in enumerate(file["releases_read"])}
    assert list(order) == sorted(order, key=release_order)
    for name, records in {**file["settings"], **file["environment"]}.items():
        ends = [(order[record["since"]], order.get(record["until"], len(order))) for record in records]
        assert all(since < until for since, until in ends), name
        assert all(one[1] <= two[0] for one, two in pairwise(ends)), name
        assert all(record["until"] is not None for record in records[:-1]), name


@pytest.mark.parametrize("engine", ENGINES)
def test_records_have_the_agreed_keys(engine):
    for name, records in knowledge(engine)["settings"].items():
        for record in records:
            assert record["kind"] in KINDS, name
            assert name not in record["aliases"], name
            assert set(record) - {"negations", "deprecated", "instead", "optional", "keys"} == {
                "since", "until", "aliases", "kind", "type", "choices", "default", "default_known", "env",
            }, name  # fmt: skip
            assert record.get("deprecated", True) is True, name  # written only where it is so
            assert "instead" not in record or record["deprecated"], name


@pytest.mark.parametrize("engine", ENGINES)
def test_a_spelling_means_one_flag_in_one_release(engine):
    file = knowledge(engine)
    for version in file["releases_read"]:
        seen: dict[str, str] = {}
        for name, records in file["settings"].items():
            for record in records:
                if holds(record, version):
                    for spelling in (name, *record["aliases"]):
                        assert seen.setdefault(spelling, name) == name, (version, spelling)


@pytest.mark.parametrize("engine", ENGINES)
def test_releases_are_dated_and_in_order(engine):
    releases = knowledge(engine, "releases.json")["releases"]
    versions = [release["version"] for release in releases]
    assert versions == sorted(versions, key=release_order)
    assert all(len(release["date"]) == 10 for release in releases)
    assert versions == knowledge(engine)["releases_read"]


@pytest.mark.parametrize(
    ("engine", "flag", "version", "kind", "default"),
    [
        ("vllm", "--pipeline-parallel-size", "0.8.0", "value", 1),
        ("vllm", "--tensor-parallel-size", "0.33.0", "value", 1),
        ("vllm", "--data-parallel-size", "0.20.0", "value", 1),
        ("vllm", "--speculative-config", "0.20.0", "json", None),
        ("vllm", "--async-scheduling", "0.13.0", "pair", False),
        ("vllm", "--async-scheduling", "0.14.0", "pair", None),
        ("vllm", "--enforce-eager", "0.8.5", "switch", False),
        ("vllm", "--enforce-eager", "0.9.0", "pair", False),
        ("sglang", "--tp-size", "0.4.0", "value", 1),
        ("sglang", "--watchdog-timeout", "0.5.23", "value", 300),
        ("sglang", "--nnodes", "0.5.9", "value", 1),
        ("sglang", "--ep-size", "0.5.17", "value", 1),
        ("lmdeploy", "--tp", "0.18.0", "value", 1),
        ("lmdeploy", "--backend", "0.14.0a1", "value", "turbomind"),
        ("lmdeploy", "--max-prefill-token-num", "0.12.0", "value", 8192),
        ("lmdeploy", "--disable-metrics", "0.18.0", "switch", False),
        ("xllm", "--enable_graph", "0.10.1", "pair", False),
        ("xllm", "--enable_schedule_overlap", "0.7.1", "pair", True),
        ("xllm", "--enable_schedule_overlap", "0.7.2", "pair", False),
        ("xllm", "--enable_shm", "main", "pair", False),
    ],
)
def test_flags_that_rules_lean_on(engine, flag, version, kind, default):
    record = at(engine, flag, version)
    assert record is not None
    assert record["default_known"]
    assert (record["kind"], record["default"]) == (kind, default)


@pytest.mark.parametrize(
    ("engine", "flag", "version"),
    [
        ("vllm", "--data-parallel-size", "0.8.2"),
        ("vllm", "--async-scheduling", "0.9.2"),
        ("lmdeploy", "--dp", "0.7.3"),
        ("lmdeploy", "--speculative-algorithm", "0.10.2"),
        ("xllm", "--enable_shm", "0.6.1"),
    ],
)
def test_flags_that_came_later_are_absent_before(engine, flag, version):
    assert at(engine, flag, version) is None


def test_disabling_spellings_of_vllm_are_known_from_0_33():
    assert "negations" not in at("vllm", "--enable-prefix-caching", "0.32.0")
    assert at("vllm", "--enable-prefix-caching", "0.33.0")["negations"] == ["--disable-prefix-caching"]


def test_nccl_follows_from_torch_per_architecture():
    releases = {release["version"]: release for release in knowledge("vllm", "releases.json")["releases"]}
    assert releases["0.14.0"]["pins"] == {"torch": "==2.9.1"}
    assert releases["0.14.0"]["nccl"] == {"x86_64": "2.27.5", "aarch64": None}
    assert releases["0.28.0"]["nccl"] == {"x86_64": "2.29.7", "aarch64": "2.29.7"}


def test_a_range_of_torch_says_nothing_of_nccl():
    releases = knowledge("lmdeploy", "releases.json")["releases"]
    assert all(release["nccl"] is None for release in releases)


# Flags that release notes and pull requests say were added, removed or renamed: the first release that has the flag,
# and the first that has not. The pull request, or the commit where there was none, says what was done.
VLLM, SGLANG = "https://github.com/vllm-project/vllm/pull/", "https://github.com/sgl-project/sglang/pull/"
LMDEPLOY, XLLM = "https://github.com/InternLM/lmdeploy/pull/", "https://github.com/xLLM-AI/xllm/pull/"


@pytest.mark.parametrize(
    ("engine", "flag", "since", "until", "source"),
    [
        ("vllm", "--disable-log-requests", "0.8.0", "0.17.0", VLLM + "35723"),
        ("vllm", "--enable-log-requests", "0.10.1", None, VLLM + "21739"),
        ("vllm", "--enable-reasoning", "0.8.0", "0.10.0", VLLM + "20979"),
        ("vllm", "--num-scheduler-steps", "0.8.0", "0.10.1", VLLM + "22138"),
        ("vllm", "--swap-space", "0.8.0", "0.18.0", VLLM + "36216"),
        ("vllm", "--guided-decoding-backend", "0.8.0", "0.12.0", VLLM + "29326"),
        ("vllm", "--structured-outputs-config", "0.11.0", None, VLLM + "22772"),
        ("sglang", "--enable-ep-moe", "0.4.0.post1", "0.5.4.post1", SGLANG + "12124"),
        ("sglang", "--max-micro-batch-size", "0.4.6.post2", "0.5.3.post1", SGLANG + "11279"),
        ("sglang", "--pp-max-micro-batch-size", "0.5.3.post1", None, SGLANG + "11279"),
        ("sglang", "--enable-mis", "0.5.11", None, SGLANG + "22544"),
        ("sglang", "--torchao-config", "0.4.0", "0.5.18", SGLANG + "34304"),
        ("sglang", "--cuda-graph-max-bs", "0.4.0", "0.5.20", SGLANG + "38375"),
        ("lmdeploy", "--enable-metrics", "0.9.2", "0.11.0", LMDEPLOY + "4108"),
        ("lmdeploy", "--disable-metrics", "0.11.0", None, LMDEPLOY + "4108"),
        ("lmdeploy", "--disable-vision-encoder", "0.9.2", "0.15.0", LMDEPLOY + "4716"),
        ("lmdeploy", "--language-model-only", "0.15.0", None, LMDEPLOY + "4716"),
        ("lmdeploy", "--dp-rank", "0.8.0", "0.9.0", LMDEPLOY + "3414"),
        ("xllm", "--enable_mla", "0.6.0", "0.9.0", XLLM + "1105"),
        ("xllm", "--prefetch_bacth_size", "0.8.0", "0.10.0", XLLM + "1493"),
        ("xllm", "--prefetch_batch_size", "0.10.0", None, XLLM + "1493"),
        ("xllm", "--idle_timeout_s", "0.6.0", "0.7.0", "https://github.com/xLLM-AI/xllm/commit/f0443090"),
        ("xllm", "--rpc_idle_timeout_s", "0.7.0", None, "https://github.com/xLLM-AI/xllm/commit/f0443090"),
    ],
)
def test_flags_come_and_go_where_upstream_says(engine, flag, since, until, source):
    records = knowledge(engine)["settings"][flag]
    assert (records[0]["since"], records[-1]["until"]) == (since, until), source
    assert all(one["until"] == two["since"] for one, two in pairwise(records)), flag


@pytest.mark.parametrize(
    ("engine", "name", "version", "deprecated", "instead"),
    [
        ("vllm", "--disable-log-requests", "0.10.0", None, None),
        ("vllm", "--disable-log-requests", "0.10.1", True, "--enable-log-requests"),
        ("vllm", "--enable-reasoning", "0.9.0", True, "--reasoning-parser"),
        ("vllm", "--compilation-config", "0.12.0", None, None),
        ("vllm", "VLLM_ATTENTION_BACKEND", "0.12.0", None, None),
        ("vllm", "VLLM_ATTENTION_BACKEND", "0.14.1", True, "--attention-config.backend"),
        ("vllm", "VLLM_USE_FBGEMM", "0.23.0", True, "--linear-backend"),
        ("sglang", "--enable-ep-moe", "0.4.9.post6", None, None),
        ("sglang", "--enable-ep-moe", "0.5.3", True, "--ep-size"),
        ("sglang", "--nsa-prefill-backend", "0.5.13", True, "--dsa-prefill-backend"),
        ("sglang", "--grpc-mode", "0.5.23", True, "--smg-grpc-mode"),
        ("sglang", "SGLANG_QUEUED_TIMEOUT_MS", "0.5.8", None, None),
        ("sglang", "SGLANG_QUEUED_TIMEOUT_MS", "0.5.9", True, "SGLANG_REQ_WAITING_TIMEOUT"),
        ("sglang", "SGLANG_QUEUED_TIMEOUT_MS", "0.5.20", True, "SGLANG_REQ_WAITING_TIMEOUT"),
    ],
)
def test_deprecations_of_real_releases(engine, name, version, deprecated, instead):
    section = "settings" if name.startswith("-") else "environment"
    record = next(one for one in knowledge(engine)[section][name] if holds(one, version))
    assert (record.get("deprecated"), record.get("instead")) == (deprecated, instead)
