"""A symptom that any failure shows, and nothing else, names none: no rule is even possible on it."""

from __future__ import annotations

import pytest

from advisor.jobs.check import check
from advisor.jobs.request import Request
from advisor.model.report import STATUSES

BARE = (
    "requests hang for ever", "it crashes", "CUDA out of memory", "answers are garbage", "it is slow", "the server does not start",
    "starting never finishes", "NaN in the outputs", "it times out", "EngineDeadError", "Scheduler watchdog timeout",
    "No available shared memory broadcast block found", "RPC call to sample_tokens timed out",
    "crash after a few hours", "请求卡死", "启动失败", "显存不够", "输出乱码",
)  # fmt: skip


@pytest.mark.parametrize("engine", ["", "vllm", "vllm-ascend", "sglang", "lmdeploy", "xllm"])
@pytest.mark.parametrize("said", BARE)
def test_a_bare_symptom_names_no_failure(engine: str, said: str) -> None:
    report = check(Request(engine=engine, symptoms=(said,), strict=False)).report
    assert [(one.rule, one.status) for one in report.findings if one.status in STATUSES[:3]] == []
