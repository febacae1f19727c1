"""What took the place of a setting: the shipped files, and what is refused in one."""

from __future__ import annotations

import json
from itertools import product
from typing import Any

import pytest

from advisor.catalog.engines import knowledge
from advisor.catalog.places import knowledge_root
from advisor.catalog.replacements import compile_replacements, read, replacements
from advisor.errors import KnowledgeError
from advisor.model.build import order_key

ENGINES = sorted(file.parent.name for file in knowledge_root().glob("*/replaced.yaml"))
ENTRY = """
- setting: --old
  instead: --new
  since: "2.0"
  says: Renamed
  source: [{url: "https://example.org/pull/1", date: 2026-11-29}]
"""
RECORD: dict[str, Any] = {
    "aliases": [],
    "kind": "value",
    "type": "str",
    "default": None,
    "default_known": True,
    "env": None,
}
SETTINGS = {
    "engine": "toy",
    "read": "2026-11-29",
    "releases_read": ["1.0", "2.0", "3.0"],
    "settings": {
        "--old": [{**RECORD, "since": "1.0", "until": "2.0", "choices": ["a", "b"]}],
        "--new": [{**RECORD, "since": "2.0", "until": None, "choices": ["a", "c"]}],
        "--config": [{**RECORD, "since": "1.0", "until": None, "choices": None, "kind": "json"}],
    },
    "environment": {"TOY_OLD": [{"since": "1.0", "until": "2.0", "default": None, "default_known": True}]},
}


@pytest.fixture
def toy(tmp_path):
    """Writes an engine's replaced.yaml beside its settings and reads it."""
    folder = tmp_path / "toy"
    folder.mkdir()
    (folder / "settings.json").write_text(json.dumps(SETTINGS))

    def reads(text: str):
        (folder / "replaced.yaml").write_text(text)
        return read(folder / "replaced.yaml")

    return reads


def in_force(engine: str, name: str, version: str, value: str | None = None):
    found = [one for one in replacements(engine).get(name, ()) if order_key(one.since) <= order_key(version)]
    return next((one for one in reversed(found) if one.value == value), None)


def test_every_shipped_entry_is_borne_out_by_the_settings():
    made = compile_replacements(knowledge_root())
    assert set(made) == {"vllm", "sglang", "lmdeploy", "xllm", "vllm-ascend"}
    assert all(entries for entries in made.values())


@pytest.mark.parametrize("engine", ENGINES)
def test_what_is_in_force_in_a_release_is_there_to_be_written(engine):
    known = knowledge(engine)
    for name, found in replacements(engine).items():
        for value, version in product({one.value for one in found}, known.releases_read):
            entry = in_force(engine, name, version, value)
            assert entry is None or entry.instead is None or there(known, entry.instead, version), (name, version)


def there(known, name: str, version: str) -> bool:
    if not name.startswith("-"):
        return known.variable(name, version) is not None
    flag = name if known.records(name) else name.partition(".")[0]
    return known.setting(known.canonical(flag) or flag, version) is not None


@pytest.mark.parametrize("engine", ["vllm", "sglang", "lmdeploy"])
def test_a_flag_that_a_release_names_in_another_s_place_is_not_contradicted(engine):
    known = json.loads((knowledge_root() / engine / "settings.json").read_text(encoding="utf-8"))
    for name, records in known["settings"].items():
        last = records[-1]
        entry = in_force(engine, name, last["until"] or known["releases_read"][-1])
        if last.get("instead") and entry and entry.instead:
            named = [record["instead"] for record in records if record.get("instead")]
            assert entry.instead in named or len(replacements(engine)[name]) > 1, name


def test_log_requests_was_turned_round():
    (entry,) = replacements("vllm")["--disable-log-requests"]
    assert (entry.instead, entry.inverted, entry.since) == ("--enable-log-requests", True, "0.10.1")
    assert entry.source[0].url == "https://github.com/vllm-project/vllm/pull/21739"


def test_reasoning_is_on_once_a_parser_is_named():
    (entry,) = replacements("vllm")["--enable-reasoning"]
    assert (entry.instead, entry.inverted) == ("--reasoning-parser", False)


def test_request_timeouts_changed_their_unit():
    for old, new in (
        ("SGLANG_QUEUED_TIMEOUT_MS", "SGLANG_REQ_WAITING_TIMEOUT"),
        ("SGLANG_FORWARD_TIMEOUT_MS", "SGLANG_REQ_RUNNING_TIMEOUT"),
    ):
        entry = in_force("sglang", old, "0.5.23")
        assert entry.instead == new
        assert "seconds" in entry.says


@pytest.mark.parametrize(
    ("engine", "name", "version", "value", "instead", "instead_value"),
    [
        ("vllm", "--task", "0.13.0", "embed", "--convert", "embed"),
        ("vllm", "VLLM_USE_TRTLLM_FP4_GEMM", "0.20.0", None, "VLLM_NVFP4_GEMM_BACKEND", "flashinfer-trtllm"),
        ("vllm", "VLLM_USE_TRTLLM_FP4_GEMM", "0.24.0", None, "--linear-backend", "flashinfer_trtllm"),
        ("vllm", "VLLM_USE_V1", "0.11.1", None, None, None),
        ("sglang", "--nsa-prefill", "0.5.9", "flashmla_decode", "--nsa-prefill-backend", "flashmla_kv"),
        ("sglang", "--nsa-prefill", "0.5.20", None, "--dsa-prefill-backend", None),
        ("sglang", "--prefill-cp-mode", "0.5.20", "in-seq-split", "--cp-strategy", "zigzag"),
        ("sglang", "--enable-deepep-moe", "0.5.5", None, "--moe-a2a-backend", "deepep"),
        ("sglang", "SGL_ENABLE_JIT_DEEPGEMM", "0.5.9", None, "SGLANG_ENABLE_JIT_DEEPGEMM", None),
        ("lmdeploy", "--enable-metrics", "0.18.0", None, "--disable-metrics", None),
        ("xllm", "--devices", "0.10.1", None, "--device_id", None),
        ("xllm", "--devices", "main", None, None, None),
        ("vllm-ascend", "VLLM_ASCEND_ENABLE_NZ", "0.27.1rc1", None, "--additional-config.weight_nz_mode", None),
    ],
)
def test_the_entry_in_force_is_the_newest_not_after_the_release(engine, name, version, value, instead, instead_value):
    entry = in_force(engine, name, version, value)
    assert (entry.instead, entry.instead_value) == (instead, instead_value)


def test_nothing_is_said_before_the_new_way_holds():
    assert in_force("vllm", "--disable-log-requests", "0.10.0") is None


def test_a_sound_entry_is_read_with_its_date_as_text(toy):
    (entry,) = toy(ENTRY)
    assert entry["source"] == [{"url": "https://example.org/pull/1", "date": "2026-11-29"}]


def test_keys_below_a_json_flag_need_only_the_flag(toy):
    assert toy(ENTRY.replace("--new", "--config.deep.key"))


def test_a_variable_older_than_the_registry_needs_a_new_name_that_is_known(toy):
    assert toy(ENTRY.replace("--old", "TOY_OLDER"))
    with pytest.raises(KnowledgeError, match="TOY_OLDER: no release has this variable"):
        toy(ENTRY.replace("--old", "TOY_OLDER").replace("--new", "null"))


@pytest.mark.parametrize(
    ("change", "to", "problem"),
    [
        ("says: Renamed", "says: Renamed\n  why: it was", "unknown key 'why'"),
        ("  says: Renamed\n", "", "has no 'says'"),
        ("says: Renamed", "says: 3", "'says' is not a text"),
        ("setting: --old", "setting: --odl", "no release has this flag"),
        ("instead: --new", "instead: --newer", "2.0 has no flag --newer"),
        ('since: "2.0"', 'since: "1.0"', "1.0 has no flag --new"),
        ('since: "2.0"', 'since: "2.5"', "2.5 is no release that was read"),
        ("instead: --new", "instead: TOY_NEW", "2.0 has no variable TOY_NEW"),
        ("instead: --new", "instead: TOY_OLD", "2.0 has no variable TOY_OLD"),
        ("instead: --new", "value: z\n  instead: --new", "no release has its choice 'z'"),
        ("instead: --new", "instead: --new\n  instead_value: b", "--new of 2.0 has no choice 'b'"),
        ("instead: --new", "instead: null\n  inverted: true", "nothing takes its place, yet it says how"),
        ("instead: --new", 'instead: --new\n  inverted: "yes"', "'inverted' is neither true nor false"),
        ('[{url: "https://example.org/pull/1", date: 2026-11-29}]', "[]", "has no source"),
        ("date: 2026-11-29", "note: x", "a source is a url or an artefact with the date"),
        ('url: "https://example.org/pull/1", ', "", "one of the two"),
    ],
)
def test_an_entry_at_fault_is_named_with_its_file_and_line(toy, change, to, problem):
    assert change in ENTRY
    with pytest.raises(KnowledgeError) as raised:
        toy(ENTRY.replace(change, to))
    assert problem in str(raised.value)
    assert str(raised.value).startswith("knowledge/toy/replaced.yaml:2: --o")


def test_an_entry_stands_once_for_a_value_and_a_release(toy):
    assert len(toy(ENTRY + ENTRY.replace("instead: --new", "value: a\n  instead: --new"))) == 2
    with pytest.raises(KnowledgeError, match="--old: stands twice for one release"):
        toy(ENTRY + ENTRY)
