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
            assert set(record) - {"negations"} == {
                "since", "until", "aliases", "kind", "type", "choices", "default", "default_known", "env",
            }, name  # fmt: skip


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
