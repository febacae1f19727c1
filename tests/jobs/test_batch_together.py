"""Cases of a batch that are judged together: each answer is as it would be alone."""

from __future__ import annotations

import gc
import json

import pytest

from advisor.jobs import batch, check
from advisor.jobs.batch import LARGE, TOGETHER, reports
from advisor.jobs.rule_cases import cases
from advisor.redaction import of_this_answer, one_answer
from advisor.render.json import json_line

LINES = [
    json.dumps(
        {
            "id": case.rule,
            "engine": case.request.engine,
            "version": case.request.version,
            "launch": " ".join(case.request.flags),
            "env": " ".join(case.request.env),
            "symptom": " ".join(case.request.symptoms),
            "log": "".join(one.content[:2000].decode("utf-8", "replace") for one in case.request.files),
        },
        ensure_ascii=False,
    )
    for case in list(cases())[::9]
]
ODD = ["not JSON", '{"id": 1, "engine": "tgi"}', '{"id": 2, "sympton": "hangs", "engine": "vllm"}']


def test_each_is_answered_as_it_is_alone() -> None:
    hosts = [
        json.dumps(
            {"engine": "vllm", "version": "0.28.0", "launch": f"vllm serve m --data-parallel-address {name} -dp 2"}
        )
        for name in ("gpu-x1", "gpu-y2", "gpu-x1")
    ]
    lines = [*hosts, *LINES, *ODD, *hosts]
    assert len(lines) > TOGETHER
    alone = [(json_line(report), problem) for line in lines for report, problem in reports(line)]
    assert [(json_line(report), problem) for report, problem in reports("\n".join(lines))] == alone
    assert all("host-1" in text and "host-2" not in text and "gpu-" not in text for text, _ in alone[: len(hosts)])


def test_a_stage_that_fails_leaves_no_answer_behind(monkeypatch: pytest.MonkeyPatch) -> None:
    def fails(*_: object) -> None:
        raise ZeroDivisionError

    monkeypatch.setattr(check, "judge_case", fails)
    with one_answer():
        of_this_answer()["mine"] = 1
        with pytest.raises(ZeroDivisionError):
            list(reports(LINES[0]))
        gc.collect()
        assert of_this_answer() == {"mine": 1}


def test_large_cases_are_not_held_together() -> None:
    few, many = [len(one) for one in batch._together(["x" * LARGE] * 3)], batch._together(["x"] * (TOGETHER + 1))
    assert few == [1, 1, 1] and [len(one) for one in many] == [TOGETHER, 1]
    assert list(batch._together([])) == []


def test_a_case_leaves_next_to_nothing_to_the_collector() -> None:
    """What refers to itself would stay until the collector comes, which in a batch is seldom."""
    content = "\n".join(LINES)
    list(reports(content))  # what is made once
    gc.collect()
    gc.disable()
    try:
        list(reports(content))
        assert gc.collect() < 10 * len(LINES)
    finally:
        gc.enable()
