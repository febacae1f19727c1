"""What a report asks for next, through the front door: one question a capture, few in the text, all in the JSON."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

import pytest

from advisor.jobs.check import check
from advisor.jobs.request import Request
from advisor.model.report import Question
from advisor.render.text import text
from tests.front_door import Ran, checked

DEMO = Path(__file__).parents[2] / "docs" / "demo"
HUNG = (
    "--engine", "sglang", "--version", "0.5.16", "--hardware", "2x GB10 aarch64", "--component", "nccl=2.28.9",
    "--flags", (DEMO / "launch.sh").read_text(), *(str(DEMO / f"rank{one}.stack.txt") for one in (0, 1)),
    str(DEMO / "scheduler.log"),
)  # fmt: skip


@pytest.fixture(scope="module")
def hung() -> Ran:
    return checked(*HUNG)


def test_what_one_capture_answers_is_one_question(hung: Ran) -> None:
    asked = hung.report["questions"]
    assert len({one["how"] or one["question"] for one in asked}) == len(asked)
    (log,) = [one for one in asked if one["how"] == "the complete log of every rank"]
    assert log["question"].startswith("Does any rank's log show any of these: ")
    assert log["question"].endswith(f"; or {len(log['asks']) - 3} more?")
    assert len(log["asks"]) == len(set(log["asks"])) > 5


def test_commands_that_differ_stay_apart(hung: Ran) -> None:
    hows = [one["how"] for one in hung.report["questions"]]
    assert (
        sum("/proc/PID/environ" in one for one in hows) == len({one for one in hows if "/proc/PID/environ" in one}) == 2
    )


def test_the_same_package_is_asked_for_once() -> None:
    log = "[2026-08-02 10:00:01] server_args=ServerArgs(model_path='m', tp_size=2, speculative_algorithm='DSPARK')\n"
    ran = checked("--engine", "sglang", "-", stdin=log + "[2026-08-02 10:10:41 TP1] Scheduler watchdog timeout\n")
    assert [one["how"] for one in ran.report["questions"] if "pip show" in one["how"]] == [
        "pip show sglang | head -2, or the first lines of the log"
    ]


def test_the_text_stops_at_five_questions_and_says_how_many_are_left() -> None:
    report = check(Request(engine="vllm", symptoms=("requests hang",))).report
    seven = replace(report, questions=tuple(Question(f"fact:{n}", f"Question {n}?", "", ()) for n in range(1, 8)))
    told = text(seven, colour=False, width=80)
    assert "5. Question 5?\n- and 2 more (--verbose)" in told
    assert "Question 6?" not in told
    assert "7. Question 7?" in text(seven, colour=False, width=80, verbose=True)


@pytest.mark.parametrize(
    ("line", "said"),
    [
        (
            "[10:10:41 TP1] Scheduler watchdog timeout (self.watchdog_timeout=300)",
            "the text says: Scheduler watchdog timeout",
        ),
        ("请求等待很久之后超时，两个 rank 都不动", "超时"),
    ],
)
def test_a_sign_is_quoted_in_words_a_reader_knows(line: str, said: str, hung: Ran) -> None:
    log = "server_args=ServerArgs(model_path='m', tp_size=2, dist_timeout=None)\n" + line + "\n"
    env = ("--engine", "sglang", "--env", "SGLANG_REQ_WAITING_TIMEOUT=30")
    found = [checked(*env, "-", stdin=log), hung]
    quotes = [one["says"] for ran in found for each in ran.report["findings"] for one in each["because"]]
    quotes = [one for one in quotes if one.startswith("the text says: ")]
    assert quotes
    assert not [one for one in quotes if one.removeprefix("the text says: ").startswith("_")]
    assert any(said in one for one in quotes)
