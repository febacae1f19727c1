"""The figures of `make quality` on labelled reports made for it: what counts as right, and what as a false alarm."""

from __future__ import annotations

from pathlib import Path

import pytest

from tests import quality

LEADS = {
    "id": "hit",
    "engine": "sglang",
    "version": "0.5.16",
    "env": "SGLANG_REQ_WAITING_TIMEOUT=10",
    "launch": "python -m sglang.launch_server --model-path m --tp 8",
    "symptom": "Clients get 'Request waiting timeout reached.', then the server hangs.",
    "truth": "a",
    "lang": "en",
}
WRONG = {**LEADS, "id": "wrong", "truth": "b"}
ALARM = {**LEADS, "id": "alarm", "truth": None}
QUIET = {"id": "quiet", "engine": "sglang", "symptom": "Which flag sets the port?", "truth": None}
RULES = {"a": "sglang/timeout-abort-divergence", "b": None}


def judged(*lines: quality.Line) -> list[quality.Judged]:
    return quality.judge(lines, RULES)


def test_a_report_whose_rule_leads_counts_first_and_firm() -> None:
    found = quality.figures(judged(LEADS, QUIET))
    assert (found.positives, found.first, found.third, found.firm) == (1, 1, 1, 1)
    assert (found.negatives, found.silent) == (1, 1)


def test_a_failure_without_a_rule_is_a_miss_and_says_so() -> None:
    found = judged(WRONG)
    assert quality.figures(found).third == 0
    assert "has no rule" in quality.reason(found[0])


def test_a_false_alarm_is_counted_by_its_status_and_takes_the_safe_recall_away() -> None:
    found = judged(LEADS, ALARM)
    assert quality.figures(found).false == {"matched": 1}
    assert quality.safe_recall(found) == 0
    assert quality.safe_recall(judged(LEADS, QUIET)) == 1


def test_truth_and_rule_meet_by_thread(tmp_path: Path) -> None:
    text = "- {id: a, threads: ['https://github.com/sgl-project/sglang/issues/27221']}\n- {id: b, threads: ['https://github.com/x/y/pull/1']}\n"
    (tmp_path / "failures.yaml").write_text(text)
    assert quality.truths(tmp_path / "failures.yaml") == {"a": "sglang/timeout-abort-divergence", "b": None}


def test_the_rankings_beside_it_rank_the_same_text(capsys: pytest.CaptureFixture[str]) -> None:
    quality.beside("BM25", judged(LEADS, QUIET), quality.by_bm25)
    assert "recall@1 1/1 100.0 %" in capsys.readouterr().out


def test_what_is_removed_is_removed_from_every_report() -> None:
    assert [one["env"] for one in quality.without([LEADS, ALARM], "env")] == ["", ""]


def test_a_rule_about_that_very_thread_is_no_false_alarm() -> None:
    own = {**ALARM, "url": "https://github.com/sgl-project/sglang/issues/27221#issuecomment-1"}
    found = quality.figures(judged(own))
    assert (found.beyond, found.negatives, dict(found.false)) == (1, 0, {})
    other = {**ALARM, "url": "https://github.com/sgl-project/sglang/issues/1"}
    assert quality.figures(judged(other)).false == {"matched": 1}
