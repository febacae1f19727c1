"""Logs of two engines in one case: each banner speaks for its own engine alone."""

import itertools

import pytest

from tests.front_door import advisor, checked

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


def said(*given):
    """The first line of the text report, its breaks undone, and the JSON's word of two engines."""
    first = " ".join(advisor("check", *given).out.split("\n\n")[0].split())
    found = [one for one in checked(*given).report["discrepancies"] if one["code"] == "engines-mixed"]
    return first, found


def test_that_two_engines_are_in_the_evidence_is_said_before_the_verdict(tmp_path):
    log = tmp_path / "both.log"
    log.write_text(VLLM + "".join(SGLANG))
    first, found = said(str(log))
    assert first == (
        "Two engines are in this: judged as sglang, whose arguments are given here; vllm was left aside, to judge that:"
        " `--engine vllm`."
    )
    assert [(one["level"], one["place"]) for one in found] == [("warning", f"{log}:1")]


def test_commands_of_two_engines_are_said_too(tmp_path):
    (tmp_path / "a.sh").write_text("vllm serve m -tp 2\n")
    (tmp_path / "b.sh").write_text("#!/bin/bash\npython3 -m sglang.launch_server --model-path m --tp 2\n")
    first, _ = said(str(tmp_path / "a.sh"), str(tmp_path / "b.sh"))
    assert first.startswith(
        "Two engines are in this: judged as vllm, which a command here starts; sglang was left aside"
    )


def test_an_engine_that_was_chosen_needs_no_word_where_it_shows(tmp_path):
    log = tmp_path / "both.log"
    log.write_text(VLLM + "".join(SGLANG))
    assert said("--engine", "vllm", str(log))[1] == said("--engine", "sglang", str(log))[1] == []


def test_an_engine_that_was_chosen_and_does_not_show_is_said(tmp_path):
    log = tmp_path / "vllm.log"
    log.write_text(VLLM)
    first, found = said("--engine", "lmdeploy", str(log))
    assert first.startswith("These lines are of vllm, not of lmdeploy: judged as lmdeploy, as --engine says")
    assert len(found) == 1
