"""`advisor flags`, `release`, `fix` and `knowledge status`: what is known, looked up without a case."""

from __future__ import annotations

import json
import re
from datetime import date
from typing import Any

import pytest

from advisor.jobs import flags, knowledge, releases
from advisor.model.build import order_key
from advisor.model.reference import FixHolders, SettingLine
from tests.front_door import advisor


def data(*arguments: str) -> Any:
    ran = advisor(*arguments, "--format", "json")
    assert ran.code == 0, ran.err
    return json.loads(ran.out)


def flag(engine: str, version: str, name: str) -> SettingLine | None:
    return next((one for one in flags.settings(engine, version).flags if one.name == name), None)


# flags


def test_the_flags_of_a_release_are_listed_with_what_they_are() -> None:
    found = data("flags", "vllm", "0.28.0", "--grep", "spec-method")
    (one,) = found["flags"]
    assert (one["name"], one["kind"], one["since"], one["default"], one["default_known"]) == (
        "--spec-method", "value", "0.22.0", None, True,
    )  # fmt: skip
    assert "dspark" in one["choices"]
    assert one["help"]
    assert found["release"] == "0.28.0" and found["exact"]


def test_grep_looks_into_spellings_choices_and_help() -> None:
    assert "--speculative-config" in {one.name for one in flags.settings("vllm", "0.28.0", "-sc").flags}
    assert {one.name for one in flags.settings("vllm", "0.28.0", "dspark").flags} == {"--spec-method"}


def test_a_release_without_a_flag_does_not_list_it() -> None:
    assert flag("vllm", "0.12.0", "--attention-backend") is None
    assert flag("vllm", "0.13.0", "--attention-backend") is not None
    gone = flag("vllm", "0.17.1", "--swap-space")
    assert gone is not None and (gone.since, gone.until) == ("0.8.0", "0.18.0")


def test_a_version_that_was_not_read_is_stood_for_by_the_release_before_and_said() -> None:
    ran = advisor("flags", "vllm", "0.28.3")
    assert ran.code == 0
    assert ran.out.startswith("vllm 0.28.0 (0.28.3 was not read; this is the last release before it)")


@pytest.mark.parametrize(
    ("arguments", "parts"),
    [
        (["flags", "vlm", "0.28.0"], ["ENGINE", "did you mean vllm"]),
        (["flags", "vllm", "0.99.0"], ["0.99.0", "0.8.0 to"]),
        (["flags", "vllm", "soon"], ["not a version", "soon"]),
        (["flags", "diff", "vllm", "0.29.0", "0.28.0"], ["0.29.0 is not before 0.28.0"]),
        (["flags", "diff", "vllm"], ["diff ENGINE OLD NEW"]),
        (["release", "vllm", "0.28.7"], ["no release known here", "0.28.0"]),
        (["release", "ncl"], ["did you mean nccl"]),
        (["fix", "vllm/no-such"], ["no rule"]),
        (["knowledge", "refresh", "vlm"], ["no knowledge is generated for 'vlm'"]),
        (["knowledge", "refresh", "vllm", "--clone", "vllm"], ["--clone", "ENGINE=PATH"]),
        (["knowledge", "verify", "--clone", "vllm=/no/such"], ["no such folder"]),
        (["knowledge", "status", "--knowledge", "/no/such"], ["no such folder"]),
    ],
)
def test_what_cannot_be_looked_up_is_one_line(arguments: list[str], parts: list[str]) -> None:
    ran = advisor(*arguments)
    lines = ran.err.splitlines()
    assert ran.code == 2 and len(lines) == 1, ran.err
    assert all(part in lines[0] for part in parts), lines[0]


# what changed


def test_a_diff_names_what_is_gone_new_and_different() -> None:
    found = flags.diff("vllm", "0.27.1", "0.29.0")
    by_name = {one.name: one for one in (*found.flags, *found.variables)}
    assert (by_name["--calculate-kv-scales"].change, by_name["--calculate-kv-scales"].release) == ("removed", "0.28.0")
    assert (by_name["--ec-manager-config"].change, by_name["--ec-manager-config"].release) == ("added", "0.28.0")
    assert by_name["--dcp-comm-backend"].says == ("default: ag_rs -> none",)
    assert "choices: +b12x" in by_name["--linear-backend"].says
    assert "--tensor-parallel-size" not in by_name


def test_a_changed_kind_is_in_the_diff() -> None:
    found = {one.name: one for one in flags.diff("vllm", "0.8.4", "0.8.5").flags}
    assert "kind: value of bool -> pair" in found["--enable-chunked-prefill"].says


@pytest.mark.parametrize("engine", ["vllm", "vllm-ascend", "sglang", "lmdeploy", "xllm"])
def test_what_happened_to_each_setting_is_told_in_the_order_of_releases(engine: str) -> None:
    told = {one.name: one.events for one in flags.past(engine)}
    for name, events in told.items():
        places = [order_key(one.release) for one in events]
        assert events[0].change == "added" and places == sorted(places), name
        same = [says for one in events for says in one.says if re.fullmatch(r"kind: (.+) -> \1", says)]
        assert not same, (name, same)
    known = flags.settings(engine, "newest")
    gone = {name for name, events in told.items() if events[-1].change == "removed"}
    assert {one.name for one in (*known.flags, *known.variables) if one.until is None} <= told.keys() - gone


def test_what_a_search_finds_only_in_other_releases_is_told() -> None:
    gone = flags.settings("vllm", "0.28.0", "VLLM_USE_V1")
    assert (gone.flags, gone.variables) == ((), ())
    assert [(one.name, one.change, one.release) for one in gone.elsewhere] == [("VLLM_USE_V1", "removed", "0.11.1")]
    neither = flags.diff("vllm", "0.19.1", "0.33.0", "swap-space")
    assert neither.flags == () and [(one.name, one.release) for one in neither.elsewhere] == [
        ("--swap-space", "0.18.0")
    ]
    later = flags.settings("vllm", "0.8.5", "--attention-backend")
    assert [(one.change, one.release) for one in later.elsewhere] == [("added", "0.13.0")]
    assert "NOT IN THIS RELEASE" in advisor("flags", "vllm", "0.28.0", "--grep", "VLLM_USE_V1").out


def test_a_diff_reads_in_a_terminal() -> None:
    ran = advisor("flags", "diff", "sglang", "0.5.18", "0.5.19", columns=80)
    assert ran.code == 0 and max(map(len, ran.out.splitlines())) <= 80
    assert ran.out.startswith("sglang 0.5.18 -> 0.5.19: ")


# releases and fixes


def test_a_release_tells_its_pins_and_the_nccl_that_follows() -> None:
    (one,) = data("release", "vllm", "0.28.0")["releases"]
    assert (one["date"], one["pins"]["torch"], one["nccl"]) == (
        "2026-08-26", "==2.13.0", {"aarch64": "2.29.7", "x86_64": "2.29.7"},
    )  # fmt: skip


def test_the_releases_of_a_component_are_known_too() -> None:
    (one,) = releases.releases("nccl", "2.29.3").releases
    assert one.date == "2026-02-03"
    assert one.brings and one.brings[0].endswith("(any/nccl-proxy-slot-leak-arm)")


def holders(rule: str, commit: str) -> FixHolders:
    return next(one for one in releases.fix_holders(rule) if (one.fix.commit or "").startswith(commit))


def test_lmdeploys_dp_meta_fix_is_in_0_15_0_and_in_none_before() -> None:
    one = holders("lmdeploy/mtp-dp-meta", "b56ddfb6")
    assert one.held_by[0] == "0.15.0" and "0.18.0" in one.held_by
    assert {"0.13.0", "0.14.0a1", "0.14.0a2"} <= set(one.lacked_by)
    assert max(one.lacked_by, key=order_key) == "0.14.0" and min(one.held_by, key=order_key) == "0.15.0"


def test_xllms_shared_memory_fix_is_in_no_tag() -> None:
    one = holders("xllm/shm-h2d-graph-race", "41c07c78")
    assert one.held_by == () and "0.10.1" in one.lacked_by


def test_nccls_proxy_fix_came_with_2_29_3() -> None:
    assert holders("any/nccl-proxy-slot-leak-arm", "25368a7f").held_by[0] == "2.29.3"


def test_sglangs_broadcast_of_decisions_came_with_0_5_19_by_fingerprint() -> None:
    one = holders("sglang/spec-tp-state-divergence", "f60bc73c")
    assert one.held_by[0] == "0.5.19" and "fingerprint" in one.fix.releases_by


def test_vllms_send_gate_went_with_0_30_0_by_fingerprint() -> None:
    one = next(each for each in releases.fix_holders("#53402") if each.fix.pr == 54436)
    assert one.held_by[0] == "0.30.0" and "fingerprint" in one.fix.releases_by
    assert "0.29.0" in one.lacked_by


def test_a_fix_is_told_in_words() -> None:
    ran = advisor("fix", "#53402", columns=80)
    assert "held by: 0.30.0" in ran.out and "how known: date, fingerprint" in ran.out
    assert "fingerprint: vllm/v1/worker/gpu/pp_utils.py no longer holds" in ran.out


# how old it is


def test_every_part_tells_its_age() -> None:
    parts = {(one.engine, one.file): one for one in knowledge.status(date(2027, 1, 8))}
    part = parts["vllm", "settings.json"]
    assert part.age_days == (date(2027, 1, 8) - date.fromisoformat(part.read)).days > 0
    assert part.holds.endswith("variables") and part.reaches.startswith("0.8.0 to ")
    assert parts["vllm", "history.txt"].reaches.startswith("to 2026-")


def test_the_status_page_gives_the_size_of_it_all() -> None:
    ran = advisor("knowledge", "status")
    assert ran.code == 0
    assert ran.out.splitlines()[-1].endswith("files")
