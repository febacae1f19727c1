"""`advisor verify` as a user meets it: evidence taken after a change, judged by the steps of a rule."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

from advisor.evidence.watched import watched_s
from advisor.model.fact import Artifact
from tests.front_door import Ran, advisor, checked

RULE = "vllm/pp-broadcast-skew"
LAUNCH = 'vllm serve m -pp 2 --speculative-config \'{"method":"dspark","num_speculative_tokens":4}\''


def log(minutes: int, more: str = "") -> str:
    beats = [
        f"INFO 08-22 {11 + m // 60:02}:{m % 60:02}:00 [loggers.py:1] Engine 000: Running: 3 reqs"
        for m in range(minutes + 1)
    ]
    return "\n".join([*beats, more]) + "\n"


def metrics(*tokens: int, running: int = 3) -> str:
    return "".join(
        f'Sat Aug 22 11:{at:02}:00 UTC 2026\nvllm:num_requests_running{{engine="0",model_name="m"}} {running}.0\n'
        f'vllm:generation_tokens_total{{engine="0",model_name="m"}} {one}.0\n'
        for at, one in enumerate(tokens)
    )


def verified(folder: Path, *arguments: str, **files: str) -> tuple[Ran, dict[str, Any]]:
    names = []
    for name, text in files.items():
        path = folder / f"{name}.txt" if name in ("metrics", "note") else folder / f"{name}.log"
        path.write_text(text)
        names.append(path.name)
    ran = advisor("verify", *arguments, *names, "--format", "json", cwd=folder)
    return ran, ran.report if ran.out else {}


GOOD = {"serve": log(70), "metrics": metrics(100, 200)}
CURED = ("--engine", "vllm", "--version", "0.30.0", "--confirmed", "2")


def test_it_passes_when_the_build_has_the_fix_and_every_step_is_met(tmp_path: Path) -> None:
    ran, found = verified(tmp_path, RULE, *CURED, **GOOD)
    assert (ran.code, found["outcome"], found["changed"], found["missing"]) == (0, "pass", "yes", [])
    assert [one["outcome"] for one in found["steps"]] == ["pass", "pass"]


@pytest.mark.parametrize(
    ("arguments", "changes", "missing"),
    [
        ((*CURED[:4],), {}, "step 2 is for you to look at"),
        (CURED, {"serve": log(37)}, "37 min of 1 h 6 min watched so far; 29 min to go"),
        (CURED, {"metrics": metrics(100)}, "is in one of the snapshots given"),
        (CURED, {"metrics": "nothing"}, "is in none of the snapshots given"),
        (CURED, {"metrics": metrics(200, 100)}, "starts anew"),
        (CURED, {"metrics": metrics(100, 100, running=0)}, "no requests run"),
        (CURED, {"serve": "no line of this bears a time\n" * 5}, "none can be told"),
        (("--engine", "vllm", "--version", "0.26.0+ours", "--confirmed", "2", "--env", "VLLM_USE_V2_MODEL_RUNNER=1", "--flags", LAUNCH), {}, "the change"),
        (("--confirmed", "2"), {}, "Which exact build is running"),
    ],
)  # fmt: skip
def test_what_is_missing_is_named(tmp_path: Path, arguments: Any, changes: dict[str, str], missing: str) -> None:
    ran, found = verified(tmp_path, RULE, *arguments, **{**GOOD, **changes})
    assert (ran.code, found["outcome"]) == (1, "not enough")
    assert any(missing in one for one in found["missing"]), found["missing"]


@pytest.mark.parametrize(
    "changes",
    [
        {"serve": log(70, "ERROR 08-22 12:10:00 [x.py:1] TimeoutError: RPC call to sample_tokens timed out.")},
        {"metrics": metrics(100, 100)},
    ],
)
def test_a_line_that_must_stay_away_or_a_counter_that_stands_fails_it(tmp_path: Path, changes: dict[str, str]) -> None:
    ran, found = verified(tmp_path, RULE, *CURED, **{**GOOD, **changes})
    assert (ran.code, found["outcome"]) == (1, "fail")
    assert found["headline"].startswith("FAIL")


def test_the_signature_seen_again_fails_it_whatever_the_build(tmp_path: Path) -> None:
    told = "Clients get 'Request waiting timeout reached.', then the server hangs."
    ran, found = verified(
        tmp_path, "sglang/timeout-abort-divergence", "--engine", "sglang", "--version", "0.5.20", "--symptom", told
    )
    assert (ran.code, found["outcome"]) == (1, "fail")
    assert found["again"]


def test_an_earlier_report_names_the_rule_and_what_has_changed(tmp_path: Path) -> None:
    before = checked(
        *("--engine", "sglang", "--version", "0.5.16", "--env", "SGLANG_REQ_WAITING_TIMEOUT=10"),
        *("--flags", "python -m sglang.launch_server --model-path m --tp 8"),
        *("--symptom", "Clients get 'Request waiting timeout reached.', then the server hangs."),
    )
    (tmp_path / "before.json").write_text(before.out)
    ran, found = verified(tmp_path, "--report", "before.json", "--engine", "sglang", "--version", "0.5.20", **GOOD)
    assert found["rule"] == "sglang/timeout-abort-divergence"
    assert "build: sglang 0.5.16 before, sglang 0.5.20 now" in found["differs"]
    assert ran.code == 1 and found["changed"] == "yes"


@pytest.mark.parametrize(
    ("content", "says"),
    [("{}", "schema"), ("not json", "not a report"), ('{"schema": "advisor-report/1", "findings": 3}', "not a report")],
)
def test_what_is_no_report_is_one_line(tmp_path: Path, content: str, says: str) -> None:
    (tmp_path / "before.json").write_text(content)
    ran = advisor("verify", "--report", "before.json", cwd=tmp_path)
    assert ran.code == 2 and says in ran.err and ran.err.count("\n") == 1


def test_a_rule_named_beside_an_earlier_report_is_the_rule(tmp_path: Path) -> None:
    (tmp_path / "before.json").write_text(checked("--engine", "vllm", "--symptom", "all is well").out)
    ran, found = verified(tmp_path, RULE, "--report", "before.json", *CURED, **GOOD)
    assert (ran.code, found["rule"], found["outcome"]) == (0, RULE, "pass")


def test_a_report_that_found_nothing_has_nothing_to_verify(tmp_path: Path) -> None:
    (tmp_path / "before.json").write_text(checked("--engine", "vllm", "--symptom", "all is well").out)
    ran = advisor("verify", "--report", "before.json", cwd=tmp_path)
    assert ran.code == 2 and "no finding in it" in ran.err


@pytest.mark.parametrize(
    ("arguments", "says"),
    [
        ((), "names no rule"),
        (("vllm/nope",), "no rule"),
        ((RULE, "nosuch.log"), "no such file"),
        ((RULE, "--confirmed", "9", "--version", "0.30.0"), "has no step 9"),
    ],
)
def test_wrong_usage_is_one_line(tmp_path: Path, arguments: tuple[str, ...], says: str) -> None:
    ran = advisor("verify", *arguments, cwd=tmp_path)
    assert ran.code == 2 and says in ran.err and ran.err.count("\n") == 1


def test_the_page_reads_verdict_first_then_what_is_missing(tmp_path: Path) -> None:
    (tmp_path / "serve.log").write_text(log(37))
    out = advisor("verify", RULE, "serve.log", "--engine", "vllm", "--version", "0.30.0", cwd=tmp_path).out
    assert out.startswith("NOT ENOUGH YET")
    assert out.index("MISSING FOR A VERDICT") < out.index("THE CHANGE") < out.index("STEPS")


@pytest.mark.parametrize(
    ("texts", "seconds"),
    [
        ([log(10)], 600),
        ([log(10), log(10)], 600),  # two ranks of one stretch
        ([log(10), log(20)], 1200),
        (["[2026-08-22 23:59:00 TP0] a\n[2026-08-23 00:01:00 TP0] b\n"], 120),
        (["[23:59:00] a\n[00:01:00] b\n"], 120),
        (["INFO 12-31 23:59:00 [a.py:1] x\nINFO 01-01 00:01:00 [a.py:1] y\n"], 120),
        (["no time\n"], None),
        (["INFO 08-22 11:00:00 [a.py:1] alone\n"], 0),
    ],
)
def test_how_long_logs_watch(texts: list[str], seconds: float | None) -> None:
    assert watched_s([Artifact(f"{at}.log", "log", text) for at, text in enumerate(texts)]) == seconds


def test_what_the_contract_prints_is_json(tmp_path: Path) -> None:
    ran, found = verified(tmp_path, RULE, *CURED, **GOOD)
    assert json.loads(ran.out)["schema"] == found["schema"] == "advisor-verify/1"


def two_engines(*pairs: tuple[int, int]) -> str:
    return "".join(
        f"Sat Aug 22 11:{at:02}:00 UTC 2026\n"
        + "".join(
            f'vllm:num_requests_running{{engine="{engine}",model_name="m"}} 2.0\n'
            f'vllm:generation_tokens_total{{engine="{engine}",model_name="m"}} {one}.0\n'
            for engine, one in enumerate(pair)
        )
        for at, pair in enumerate(pairs)
    )


@pytest.mark.parametrize(
    ("changes", "arguments"),
    [
        ({"metrics": metrics(100, 200, 200)}, CURED),  # grew, then stood
        ({"metrics": metrics(500, 500, 10, 600)}, CURED),  # stood, then was started anew
        ({"metrics": metrics(100, 50)}, CURED),
        ({"metrics": two_engines((100, 100), (100, 200))}, CURED),  # one of two engines stands
        ({"serve": log(3) + "INFO 08-23 12:00:00 [a.py:1] x\n"}, CURED),  # a day of silence
        (
            {
                "serve": log(
                    70, "INFO 08-22 12:12:00 [core.py:71] Initializing a V1 LLM engine (v0.28.0) with config: x"
                )
            },
            CURED,
        ),
        ({}, (*CURED, "--symptom", "it still hangs after a while")),
    ],
)
def test_what_only_looks_like_a_cure_does_not_pass(tmp_path: Path, changes: dict[str, str], arguments: Any) -> None:
    ran, found = verified(tmp_path, RULE, *arguments, **{**GOOD, **changes})
    assert ran.code == 1 and found["outcome"] in ("fail", "not enough")


def test_evidence_of_another_engine_verifies_nothing(tmp_path: Path) -> None:
    (tmp_path / "serve.log").write_text(log(70))
    ran = advisor("verify", RULE, "serve.log", "--engine", "sglang", "--version", "0.5.20", cwd=tmp_path)
    assert ran.code == 2 and "is a failure of vllm" in ran.err


def test_an_input_that_could_not_be_read_keeps_it_from_passing(tmp_path: Path) -> None:
    (tmp_path / "serve.log").write_text(log(70))
    (tmp_path / "metrics.txt").write_text(GOOD["metrics"])
    ran = advisor("verify", RULE, "serve.log", "metrics.txt", "gone.log", *CURED, "--format", "json", cwd=tmp_path)
    assert ran.code == 2 and ran.report["outcome"] == "not enough"


FORBIDDEN = (
    "[rank1]:[E822 12:10:00.236818069 ProcessGroupNCCL.cpp:1849] [PG ID 0 PG GUID 0(default_pg) Rank 1] Observed flight "
    "recorder dump. Watchdog caught collective operation timeout: WorkNCCL(SeqNum=1, OpType=ALLREDUCE)"
)


def wrapped(text: str, columns: int) -> str:
    """As a terminal of that width shows it, and as it is copied from there."""
    return "".join(
        row[at : at + columns].rstrip() + "\n" for row in text.split("\n") for at in range(0, max(1, len(row)), columns)
    )


@pytest.mark.parametrize(
    "text",
    [
        log(70, FORBIDDEN),
        log(70, FORBIDDEN.replace("caught", "ca\0ught")),
        log(70, FORBIDDEN + "\n" + "plain words\n" * 3),
        *(wrapped(log(70, FORBIDDEN), columns) for columns in (80, 100, 120, 132, 134, 135, 142)),
        wrapped(log(70, FORBIDDEN.replace("operation", "opera\0tion")), 80),
    ],
)
def test_a_line_that_must_stay_away_fails_it_however_it_is_broken_up(tmp_path: Path, text: str) -> None:
    ran, found = verified(tmp_path, RULE, *CURED, metrics=GOOD["metrics"], serve=text)
    assert (ran.code, found["outcome"]) == (1, "fail")
    assert "step 1 is not met: a line that must stay away is there: " in found["headline"]
    assert "caught collective" in found["headline"] and "serve.log:7" in found["headline"]


@pytest.mark.parametrize(
    "more",
    [
        "",
        "a row of another kind that ends in Watchdog caught\ncollective operation timeout: 600 s is the default of it",
        "INFO 08-22 12:10:00 [a.py:1] Watchdog caught nothing at all so far, and this row is the longest of the file\n"
        "INFO 08-22 12:10:01 [a.py:1] collective operation timeout is 600 s",
    ],
)
def test_rows_that_no_terminal_broke_are_not_put_together(tmp_path: Path, more: str) -> None:
    _, found = verified(tmp_path, RULE, *CURED, metrics=GOOD["metrics"], serve=log(70, more))
    assert found["steps"][0]["outcome"] == "pass", found["steps"][0]


@pytest.mark.parametrize(
    ("files", "missing"),
    [
        (
            {"serve": log(70, "INFO 08-22 12:10:00 [a.py:1] " + "x" * 300_000 + FORBIDDEN)},
            "1 line(s) longer than 20000",
        ),
        ({"note": "All is well now. This line is gone:\nWatchdog caught collective operation timeout\n"}, "in words"),
        ({"note": "Watchdog caught collective operation timeout no longer appears in any log.\n"}, "in words"),
    ],
)
def test_what_was_not_read_or_is_only_quoted_decides_nothing(tmp_path: Path, files: Any, missing: str) -> None:
    ran, found = verified(tmp_path, RULE, *CURED, **{**GOOD, **files})
    assert (ran.code, found["outcome"]) == (1, "not enough")
    assert any(missing in one for one in found["steps"][0]["missing"]), found["steps"][0]


@pytest.mark.parametrize(
    ("version", "launch", "says"),
    [
        ("0.29.0", LAUNCH, "vllm/pp-spec-refused"),
        ("0.30.0", "vllm serve m -pp 2 --no-such-flag 3", "--no-such-flag"),
    ],
)
def test_a_release_that_refuses_to_start_is_no_cure(tmp_path: Path, version: str, launch: str, says: str) -> None:
    ran, found = verified(
        tmp_path, RULE, "--engine", "vllm", "--version", version, "--confirmed", "2", "--flags", launch, **GOOD
    )
    assert (ran.code, found["outcome"], found["changed"]) == (1, "not enough", "yes")
    assert found["headline"].endswith("2 of 2 steps met, 1 thing missing")
    assert "that starts" in found["missing"][0] and says in found["missing"][0]


def test_the_page_of_a_failed_verification_misses_nothing_for_its_verdict(tmp_path: Path) -> None:
    (tmp_path / "serve.log").write_text(log(70, FORBIDDEN))
    out = advisor("verify", RULE, "serve.log", *CURED, cwd=tmp_path).out
    assert "MISSING FOR A VERDICT" not in out and "A PASS WOULD ALSO NEED" in out and "in place" not in out
