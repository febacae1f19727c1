"""`advisor search`, and what a report without a match resembles, as a user meets them."""

from __future__ import annotations

import re
import time
from itertools import product

import pytest

from advisor.catalog.full_text import Index, entry, words
from advisor.jobs.judging import catalogue
from tests.front_door import advisor, checked


def found(*arguments: str, stdin: str = "") -> list[str]:
    ran = advisor("search", *arguments, "--format", "json", stdin=stdin)
    assert ran.code == 0, ran.err
    return [one["rule"] for one in ran.report["resembles"]]


@pytest.mark.parametrize(
    ("text", "rule"),
    [
        ("a rank spins in ncclLocalOpAppend on Grace", "any/nccl-proxy-slot-leak-arm"),
        ("request waiting timeout, then the ranks disagree about the batch", "sglang/timeout-abort-divergence"),
        ("lmdeploy 开启 mtp 之后，跑几个小时就静默，没有报错", "lmdeploy/mtp-silent-hang"),
        ("pp_broadcast of another width at the first sample", "vllm/pp-spec-sample-width"),
    ],
)
def test_words_lead_to_the_failure_that_speaks_of_them(text: str, rule: str) -> None:
    assert rule in found(text)[:3]


def test_only_the_engine_asked_for_and_the_stack_below_it() -> None:
    assert {one.partition("/")[0] for one in found("requests hang for ever", "--engine", "sglang")} <= {"sglang", "any"}


def test_a_text_that_names_its_engine_is_about_that_engine() -> None:
    assert all(one.startswith(("lmdeploy/", "any/")) for one in found("lmdeploy serve api_server hangs"))


def test_standard_input_and_how_many() -> None:
    assert len(found("-", "--most", "1", stdin="requests hang for ever")) == 1


def test_the_page_says_what_it_is_worth_and_which_words_are_shared() -> None:
    ran = advisor("search", "ncclLocalOpAppend")
    assert ran.code == 0
    assert "in words only" in ran.out and "Nothing of the case was judged" in ran.out
    assert "any/nccl-proxy-slot-leak-arm" in ran.out and "nccllocalopappend" in ran.out


@pytest.mark.parametrize(("arguments", "says"), [(("",), "nothing to search for"), (("x", "--engine", "vlm"), "vllm")])
def test_what_cannot_be_searched_for_is_one_line(arguments: tuple[str, ...], says: str) -> None:
    ran = advisor("search", *arguments)
    assert ran.code == 2 and says in ran.err and ran.err.count("\n") == 1


def test_nothing_shared_is_said_and_is_no_error() -> None:
    ran = advisor("search", "zzzqqq")
    assert ran.code == 0 and "No known failure shares a telling word" in ran.out


def test_query_syntax_is_only_words() -> None:
    assert found('NEAR("a" OR b*) AND -c: {named} ^nccl') is not None


def test_a_long_text_asks_by_its_rarest_words() -> None:
    text = "requests hang " * 5000 + " ncclLocalOpAppend"
    assert Index([entry(one) for one in catalogue()]).nearest(text, 1)[0].rule.id == "any/nccl-proxy-slot-leak-arm"


def test_names_are_indexed_whole_and_in_parts_and_chinese_in_pairs() -> None:
    assert list(words("ncclLocalOpAppend 卡死了 pp_broadcast")) == [
        "nccllocalopappend", "nccl", "local", "op", "append", "卡死", "死了", "pp_broadcast", "pp", "broadcast",
    ]  # fmt: skip


def test_a_report_without_a_match_says_what_its_words_resemble() -> None:
    ran = checked("--engine", "sglang", "--symptom", "the proxy slots of some NCCL on Arm are lost, says a colleague")
    assert not [one for one in ran.report["findings"] if one["status"] in ("matched", "likely")]
    assert ran.report["related"][0]["rule"] == "any/nccl-proxy-slot-leak-arm"


def test_a_report_that_matches_resembles_nothing_besides() -> None:
    ran = checked(
        *("--engine", "sglang", "--version", "0.5.16", "--env", "SGLANG_REQ_WAITING_TIMEOUT=10"),
        *("--flags", "python -m sglang.launch_server --model-path m --tp 8"),
        *("--symptom", "Clients get 'Request waiting timeout reached.', then the server hangs."),
    )
    assert ran.report["findings"][0]["status"] == "matched"
    assert ran.report["related"] == []


TRACE = (
    'File "/usr/lib/python3/site-packages/vllm/v1/worker/x.py", line 32, in pp_broadcast',
    "INFO 08-02 10:00:32 00 96 28 [site.py:32]",
)


def test_numbers_and_the_folders_of_a_path_tell_nothing() -> None:
    ran = advisor("search", "00 32 96 28 /usr/lib/python3/site-packages/")
    assert "No known failure shares a telling word" in ran.out
    shared = [
        word
        for one in advisor("search", "\n".join(TRACE), "--format", "json").report["resembles"]
        for word in one["shares"]
    ]
    assert not [word for word in shared if word.isdigit() or word in ("lib", "python3", "packages", "usr")]


def test_a_name_out_of_code_weighs_most_and_is_shown_without_its_parts() -> None:
    first, second, *_ = advisor("search", "\n".join(TRACE), "--format", "json").report["resembles"]
    assert first["shares"][0] == second["shares"][0] == "pp_broadcast"
    assert "pp" not in first["shares"] and "broadcast" not in first["shares"]


def test_what_a_report_shows_already_is_not_named_again_as_resembling() -> None:
    flags = 'vllm serve m --pipeline-parallel-size 2 --speculative-config \'{"method": "dspark"}\''
    log = "worker: pipeline parallelism, a draft model: dspark, dflash, eagle3\n"
    without = checked("--engine", "vllm", "-", stdin=log).report["related"]
    ran = checked("--engine", "vllm", "--version", "0.28.0", "--flags", flags, "-", stdin=log)
    shown = set(ran.statuses())
    assert {one["rule"] for one in without} & shown
    assert not {one["rule"] for one in ran.report["related"]} & shown


def test_one_plain_word_is_a_resemblance_to_search_for_but_not_for_a_report() -> None:
    assert found("tokenizer", "--engine", "vllm")
    assert checked("--engine", "vllm", "-", stdin="the tokenizer\n").report["related"] == []


@pytest.mark.parametrize("letter", ["x", "X", "_", "a_", "aB", "/", "a/", "."])
def test_one_endless_word_is_looked_through_in_no_time(letter) -> None:
    """A line may be 20,000 characters long; with unbounded parts `x` alone took some seven seconds."""
    begun = time.process_time()
    Index([entry(one) for one in catalogue()]).nearest(
        f"Scheduler watchdog timeout {letter * (20_000 // len(letter))}", 3
    )
    assert time.process_time() - begun < 1


def test_a_name_out_of_code_is_split_wherever_it_can_be() -> None:
    at = re.compile(r"_+|(?<=[a-z])(?=[A-Z])|(?<=[A-Z])(?=[A-Z][a-z])")
    for run in map("".join, product("aA1_", repeat=5)):
        parts = [part.lower() for part in at.split(run) if part]
        assert list(words(run)) == [run.strip("_").lower(), *(parts if len(parts) > 1 else [])]
    assert list(words("abC")) == ["abc"]
