"""Workarounds that a build no longer needs: said for the rule alone, and never where it may be needed still."""

from __future__ import annotations

from dataclasses import replace

import pytest

from advisor.jobs.judging import catalogue, view_of
from advisor.jobs.lint_case import unit_of
from advisor.match.stale import Workarounds
from advisor.match.stale import stale as judged
from tests.deployed import ids, lint, only, workload

TIMEOUTS = "export SGLANG_REQ_WAITING_TIMEOUT={}\nexport SGLANG_REQ_RUNNING_TIMEOUT={}\n"
SGLANG = "python -m sglang.launch_server --model-path m {}\n"
XLLM = "xllm --model m {}\n"
FIXED = "41c07c781d91617a4a7b1d7a5fb6ddabcdfc603a"  # xLLM-AI/xllm#2043 is in, no release is


def stale(text: str, **more) -> list[str]:
    return [one for one in ids(lint(workload(text, **more))) if one == "stale-workaround"]


def test_the_workaround_of_a_failure_that_this_release_fixed() -> None:
    text = TIMEOUTS.format(0, 0) + SGLANG.format("--tp 4")
    found = only(lint(workload(text, version="0.5.20")), "stale-workaround")
    assert (found.kind, found.level, found.actionability) == ("stale", "note", "fix released")
    assert "sglang/timeout-abort-divergence" in found.says and "since 0.5.20" in found.says
    assert found.region.line == 1 and found.related[0].region.line == 2
    assert "sglang/timeout-abort-divergence alone" in found.advice[0]


@pytest.mark.parametrize("version", ["0.5.19", "0.5.8", ""])
def test_not_before_the_fix_and_not_for_a_build_that_is_not_known(version: str) -> None:
    assert stale(TIMEOUTS.format(0, 0) + SGLANG.format("--tp 4"), version=version) == []


def test_not_with_another_value_and_not_where_the_rule_would_not_apply() -> None:
    assert stale(TIMEOUTS.format(30, 0) + SGLANG.format("--tp 4"), version="0.5.20") == []
    assert stale(TIMEOUTS.format(0, 0) + SGLANG.format("--tp 1"), version="0.5.20") == []  # one rank
    prefill = SGLANG.format("--tp 4 --disaggregation-mode prefill")
    assert stale(TIMEOUTS.format(0, 0) + prefill, version="0.5.20") == []
    assert stale(SGLANG.format("--tp 4"), version="0.5.20") == []  # what is absent proves nothing


def test_a_flag_at_the_value_that_a_remedy_gives_it() -> None:
    flags = "--enable_graph=true --enable_schedule_overlap=true --enable_shm=false --nnodes=2"
    more = {"accelerators": ("huawei.com/Ascend910",)}
    assert stale(XLLM.format(flags), git=FIXED, **more) == ["stale-workaround"]
    assert stale(XLLM.format(flags), git="d5ce3007ff54951018a9db2f41dad0f26d6d2290", **more) == []
    assert stale(XLLM.format(flags), git=FIXED) == []  # whose devices is not known


def test_not_while_a_failure_in_force_is_kept_off_by_it() -> None:
    text = TIMEOUTS.format(0, 0) + SGLANG.format("--tp 4")
    made = workload(text, version="0.5.20")
    view = view_of(unit_of((made,)).case)
    fixed = next(rule for rule in catalogue() if rule.id == "sglang/timeout-abort-divergence")
    open_ = replace(fixed, id="sglang/another", affected=(), fixes=())  # every build has it; the timeouts bring it out
    held = {fixed.id: "0.5.20"}.get
    assert len(list(judged([made], view, Workarounds([fixed]), lambda rule: held(rule.id)))) == 1
    assert list(judged([made], view, Workarounds([fixed, open_]), lambda rule: held(rule.id))) == []


def test_not_while_the_rule_itself_is_in_force_or_fixed_in_part() -> None:
    text = "export SGLANG_SPEC_TP_SYNC=all\n" + SGLANG.format("--tp 2 --speculative-algorithm DSPARK")
    assert stale(text, version="0.5.21") == []
    runner = 'export VLLM_USE_V2_MODEL_RUNNER=1\nvllm serve m --pipeline-parallel-size 2 --speculative-config \'{"method":"mtp","num_speculative_tokens":1}\'\n'
    assert stale(runner, version="0.31.0") == []
