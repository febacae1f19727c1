"""Words of a symptom that say nothing to the advisor, or nearly an engine's name: told, never guessed."""

from __future__ import annotations

import pytest

from advisor.jobs.understood import one_slip
from tests.front_door import checked


def notes(symptom: str, *more: str) -> list[str]:
    return list(checked("--symptom", symptom, *more).report["coverage"]["notes"])


@pytest.mark.parametrize("said", ["请求不反回", "xqzt blorp", "模型太大跑不动，换小一点", "请求不动态调整"])
def test_a_symptom_that_says_nothing_is_told_so(said: str) -> None:
    assert notes(said) == [f"no symptom understood in: “{said}”; say it in other words, or give the log"]


@pytest.mark.parametrize("said", ["请求僵住不动", "两个 rank 僵住了", "服务卡住不动", "rank 1 不动", "requests hang"])
def test_standing_still_is_understood(said: str) -> None:
    ran = checked("--symptom", said)
    assert "symptom.hang" in [one["name"] for one in ran.report["unexplained"]]
    assert ran.report["coverage"]["notes"] == []


def test_what_a_rule_finds_in_the_words_is_understood() -> None:
    said = "vllm: Cannot re-initialize CUDA in forked subprocess"
    assert "vllm/fork-cuda-reinit" in checked("--symptom", said).statuses()
    assert notes(said) == []


@pytest.mark.parametrize(("typed", "meant"), [("lmdploy", "lmdeploy"), ("sglng", "sglang"), ("sgalng", "sglang")])
def test_a_slip_in_an_engine_s_name_is_asked_about_and_not_assumed(typed: str, meant: str) -> None:
    ran = checked("--symptom", f"{typed} 服务卡死")
    assert ran.report["build"]["engine"] == ""
    said = f"--symptom says “{typed}”: did you mean {meant}? If so, give --engine {meant}"
    assert ran.report["coverage"]["notes"] == [said]


@pytest.mark.parametrize("said", ["our VLM hangs", "requests hang in the lang server", "vllm hangs, not sglng"])
def test_no_slip_is_seen_in_a_word_of_its_own_or_beside_a_name(said: str) -> None:
    assert not [one for one in notes(said) if "did you mean" in one]


@pytest.mark.parametrize(
    ("typed", "is_slip"),
    [("sglang", False), ("sglan", True), ("sgllang", True), ("sgxang", True), ("sglagn", True), ("slagng", False)],
)
def test_one_slip_is_one_letter_or_two_that_changed_places(typed: str, is_slip: bool) -> None:
    assert one_slip(typed, "sglang") is is_slip
