"""Logs of two engines in one case: each banner speaks for its own engine alone."""

import itertools

import pytest

from tests.front_door import checked

VLLM = "INFO 08-02 10:00:00 [api_server.py:1] vLLM API server version 0.28.0\n"
SGLANG = (
    "[2026-08-02 10:00:01] server_args=ServerArgs(model_path='m', tp_size=2, speculative_algorithm='DSPARK')\n",
    "[2026-08-02 10:10:41 TP1] Scheduler watchdog timeout (self.watchdog_timeout=300, self.soft=False)\n",
)


@pytest.mark.parametrize("lines", list(itertools.permutations((VLLM, *SGLANG))))
def test_no_version_is_taken_from_the_other_engine_s_banner(lines, tmp_path):
    log = tmp_path / "both.log"
    log.write_text("".join(lines))
    for engine in ((), ("--engine", "sglang")):
        ran = checked(*engine, str(log))
        assert (ran.report["build"]["engine"], ran.report["build"]["version"]) == ("sglang", None)
        assert ran.statuses()["sglang/spec-tp-state-divergence"] == "possible"


def test_the_engine_that_is_named_takes_its_own_banner_s_version(tmp_path):
    log = tmp_path / "both.log"
    log.write_text(VLLM + "".join(SGLANG))
    assert checked("--engine", "vllm", str(log)).report["build"]["label"] == "vllm 0.28.0"


def test_the_other_engine_s_banner_contradicts_nothing(tmp_path):
    log = tmp_path / "both.log"
    log.write_text(VLLM + "".join(SGLANG))
    ran = checked("--engine", "sglang", "--version", "0.5.16", str(log))
    assert not ran.report["discrepancies"]
    assert ran.statuses()["sglang/spec-tp-state-divergence"] == "likely"
