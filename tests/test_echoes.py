"""Lines that only follow from a failure, through the job: they never count, and are explained where a rule leads."""

from __future__ import annotations

from dataclasses import replace

from advisor.jobs.check import check
from advisor.jobs.judging import catalogue
from advisor.jobs.request import File, Request
from advisor.model.condition import parse
from advisor.model.report import Report

DEAD = b"ERROR 08-22 11:02:41 [async_llm.py:525] vllm.v1.engine.exceptions.EngineDeadError: EngineCore encountered an issue.\n"
ROOT = b"ERROR 08-22 11:02:40 [core.py:899] RuntimeError: xgrammar_probe: the matcher is at its end\n"


def report(log: bytes, version: str = "0.28.0") -> Report:
    first = next(one for one in catalogue() if one.id == "vllm/pp-spec-refused")
    symptoms = replace(
        first.symptoms,
        signature=parse({"log": "xgrammar_probe: the matcher"}),
        supporting=(),
        contrary=(),
        downstream=(parse({"log": "EngineDeadError", "means": "the front end's EngineDeadError"}),),
    )
    rule = replace(first, affected=(), exposure=None, symptoms=symptoms)
    return check(Request(engine="vllm", version=version, files=(File("serve.log", log),)), (rule,)).report


def test_an_echo_alone_names_no_failure_and_says_so() -> None:
    found = report(DEAD)
    assert [one.status for one in found.findings] == ["exposed"]
    assert found.findings[0].echoes == ()
    said = [one for one in found.situation if one.kind == "echo"]
    assert [one.places for one in said] == [("serve.log:1",)]
    assert said[0].says.startswith("“EngineDeadError”: by itself this names no cause")


def test_where_the_root_leads_its_echo_is_explained() -> None:
    found = report(ROOT + DEAD)
    assert found.findings[0].status == "matched"
    assert [one.place for one in found.findings[0].echoes] == ["serve.log:2"]
    assert not [one for one in found.situation if "names no cause" in one.says]
    assert "serve.log:2" not in [one.place for one in found.unexplained]


def said(engine: str, line: str) -> dict[str, str]:
    """What is said of a log of one line by the whole catalogue, by kind."""
    file = File("serve.log", f"{line}\n".encode())
    return {one.kind: one.says for one in check(Request(engine=engine, files=(file,))).report.situation}


OOM = (
    "ERROR 08-02 10:01:00 [core.py:10] torch.OutOfMemoryError: CUDA out of memory. Tried to allocate 2.00 GiB. GPU 0"
    " has a total capacity of 79.10 GiB of which 1.20 GiB is free."
)


def test_an_allocation_that_failed_is_told_once_and_not_as_an_echo_of_something_else() -> None:
    assert set(said("vllm", OOM)) == {"memory"}


def test_a_line_is_not_named_by_what_one_rule_makes_of_it() -> None:
    found = said("sglang", "[2026-08-02 10:10:41 TP1] Scheduler watchdog timeout (self.watchdog_timeout=300)")
    assert "died" not in " ".join(found.values())
    answer = said("vllm", 'INFO: 10.0.0.1:1 - "POST /v1/completions HTTP/1.1" 500 Internal Server Error')
    assert answer["echo"].startswith("“500 Internal Server Error”: by itself this names no cause")
