"""The comparison behind `python -m tests.parsers`: that it sees each kind of disagreement, and no other."""

from __future__ import annotations

import argparse
import json
from typing import Any

import pytest

from advisor.model.knowledge import SettingRecord
from tests import parsers
from tests.parsers_dump import comparison, registry
from tests.parsers_dump.arguments import arguments


def parser() -> argparse.ArgumentParser:
    """One flag of each kind, as an engine would add it."""
    built = argparse.ArgumentParser()
    built.add_argument("--tp-size", "--tp", type=int, default=1)
    built.add_argument("--trust-remote-code", action="store_true")
    built.add_argument("--async-scheduling", action=argparse.BooleanOptionalAction)
    built.add_argument("--dtype", choices=["auto", "half"], default="auto")
    built.add_argument("--cors", nargs="+", default=["*"])
    built.add_argument("--overrides", type=json.loads, default={})
    return built


KNOWN = {
    "tp": SettingRecord("--tp-size", "value", ("--tp",), "int", default=1, default_known=True),
    "trust": SettingRecord("--trust-remote-code", "switch", type="bool", default=False, default_known=True),
    "async": SettingRecord("--async-scheduling", "pair", type="bool", default=None, default_known=True),
    "dtype": SettingRecord(
        "--dtype", "value", type="str", choices=("auto", "half"), default="auto", default_known=True
    ),
    "cors": SettingRecord("--cors", "list", type="str", default=["*"], default_known=True),
    "overrides": SettingRecord("--overrides", "json", default={}, default_known=True),
}


def parted(**changed: SettingRecord) -> list[tuple[str, str]]:
    """Where knowledge with these records changed parts from the parser."""
    found = comparison.flags([*{**KNOWN, **changed}.values()], arguments(parser()))
    assert found.total == len(KNOWN)
    assert found.agreed == len(KNOWN) - len({one.name for one in found.disagreements})
    return [(one.name, one.aspect) for one in found.disagreements]


def test_every_kind_of_flag_agrees_with_what_is_true_of_it():
    assert parted() == []


@pytest.mark.parametrize(
    ("changed", "name", "aspect"),
    [
        (SettingRecord("--tp-size", "value", (), "int", default=1, default_known=True), "--tp-size", "spellings"),
        (SettingRecord("--tp-size", "value", ("--tp",), "float", default=1, default_known=True), "--tp-size", "type"),
        (SettingRecord("--tp-size", "value", ("--tp",), "int", default=2, default_known=True), "--tp-size", "default"),
        (
            SettingRecord("--tp-size", "value", ("--tp",), "int", default=True, default_known=True),
            "--tp-size",
            "default",
        ),
        (SettingRecord("--tp-size", "list", ("--tp",), "int", default=1, default_known=True), "--tp-size", "kind"),
    ],
)
def test_one_wrong_aspect_is_named(changed, name, aspect):
    assert parted(tp=changed) == [(name, aspect)]


def test_a_choice_too_few_is_named():
    few = SettingRecord("--dtype", "value", type="str", choices=("auto",), default="auto", default_known=True)
    assert parted(dtype=few) == [("--dtype", "choices")]


def test_a_switch_called_a_pair_differs_in_kind_and_spellings():
    pair = SettingRecord("--trust-remote-code", "pair", type="bool", default=False, default_known=True)
    assert parted(trust=pair) == [("--trust-remote-code", "spellings"), ("--trust-remote-code", "kind")]


def test_a_json_flag_called_a_value_differs():
    text = SettingRecord("--overrides", "value", type="str", default={}, default_known=True)
    assert parted(overrides=text) == [("--overrides", "kind"), ("--overrides", "type")]


def test_an_unknown_default_is_left_open():
    unknown = SettingRecord("--dtype", "value", type="str", choices=("auto", "half"))
    found = comparison.flags([*{**KNOWN, "dtype": unknown}.values()], arguments(parser()))
    assert (found.disagreements, found.left_open) == ((), ("--dtype: default",))


def test_flags_of_one_side_alone_count_against_the_agreement():
    ours = [one for name, one in KNOWN.items() if name != "cors"]
    gone = SettingRecord("--gone", "switch")
    found = comparison.flags([*ours, gone], arguments(parser()))
    assert [str(one) for one in found.disagreements] == [
        "--cors: presence: knowledge lacks it, parser has it",
        "--gone: presence: knowledge has it, parser lacks it",
    ]
    assert (found.agreed, found.total) == (5, 7)


def test_a_parser_that_is_not_seen_whole_says_nothing_of_flags_it_lacks():
    found = comparison.flags([*KNOWN.values(), SettingRecord("--gone", "switch")], arguments(parser()), complete=False)
    assert (found.disagreements, found.total) == ((), 6)


def test_gflags_turn_a_flag_off_by_no_without_a_dash():
    ours = SettingRecord(
        "--enable_graph", "pair", type="bool", default=False, default_known=True, negations=("--noenable_graph",)
    )
    theirs = {"spellings": ["--enable_graph", "--noenable_graph"], "paired": True, "nargs": None, "action": "gflags"}
    theirs |= {"type": "bool", "makes": {}, "choices": None, "default": False, "deprecated": False}
    assert comparison.flags([ours], [theirs]).disagreements == ()


REGISTRY = """
import os
environment_variables = {
    "RETRIES": lambda: int(os.getenv("RETRIES", "3")),
    "FOLDER": lambda: os.getenv("FOLDER"),
    "FAST": lambda: os.environ.get("FAST", "0") == "1",
    "MODE": lambda: os.getenv("MODE") or "slow",
}
"""


@pytest.mark.parametrize(
    ("name", "default", "agrees"),
    [
        ("RETRIES", "3", True),
        ("RETRIES", "4", False),
        ("FOLDER", None, True),
        ("FAST", "0", True),
        ("FAST", "1", False),
        ("MODE", "slow", True),
        ("MODE", None, False),  # an empty text acts as its absence
    ],
)
def test_a_default_has_to_act_as_absence_does(tmp_path, monkeypatch, name, default, agrees):
    monkeypatch.setenv(name, "9")  # what happens to be set here must not matter
    file = tmp_path / "envs.py"
    file.write_text(REGISTRY, encoding="utf-8")
    ours: dict[str, dict[str, Any]] = {
        each: {"default": None, "default_known": False} for each in ("RETRIES", "FOLDER", "FAST", "MODE")
    }
    ours[name] = {"default": default, "default_known": True}
    found = comparison.variables(ours, registry.variables(file, {name: default}))
    assert [(one.name, one.aspect) for one in found.disagreements] == ([] if agrees else [(name, "default")])
    assert found.total == 4


def test_a_variable_only_warned_of_may_be_missing_from_the_registry(tmp_path):
    file = tmp_path / "envs.py"
    file.write_text("import os\nenvironment_variables = {}\n", encoding="utf-8")
    ours: dict[str, dict[str, Any]] = {"OLD": {"default": None, "deprecated": True}, "GONE": {"default": None}}
    found = comparison.variables(ours, registry.variables(file, {}))
    assert [(one.name, one.aspect) for one in found.disagreements] == [("GONE", "presence")]


def test_the_record_covers_two_releases_of_every_engine():
    engines = [engine for engine, _ in parsers.recorded()]
    assert {engine: engines.count(engine) >= 2 for engine in engines} == dict.fromkeys(
        ("vllm", "sglang", "lmdeploy", "vllm-ascend", "xllm"), True
    )


@pytest.mark.parametrize(("flags", "kept"), [(1, True), (2, False)])
def test_less_agreement_than_recorded_is_told(monkeypatch, capsys, flags, kept):
    monkeypatch.setattr(parsers, "recorded", lambda: {("vllm", "1.0"): (flags, 0)})
    monkeypatch.setattr(parsers, "reasons", lambda: {("vllm", "--dtype", "choices"): "they hang on the device"})
    parted = comparison.Disagreement("--dtype", "choices", "None", "['auto']")
    assert parsers.report(parsers.Compared("vllm", "1.0", comparison.Agreement(2, (parted,)), None)) is kept
    printed = capsys.readouterr().out
    assert "| vllm | 1.0 | 1 of 2 | none |" in printed
    assert "they hang on the device" in printed
    assert ("LESS THAN THE RECORD" in printed) is not kept
