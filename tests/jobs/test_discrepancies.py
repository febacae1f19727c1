"""Settings that do not fit the release, through the whole check: what is said, how loud, and what is left alone."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest

from advisor.jobs.check import check
from advisor.jobs.request import File, Request
from advisor.model.report import Discrepancy
from tests.front_door import advisor, checked


def found(engine: str, version: str, flags: str = "", **more: Any) -> list[Discrepancy]:
    request = Request(engine=engine, version=version, flags=(flags,) if flags else (), **more)
    return list(check(request).report.discrepancies)


def only(engine: str, version: str, flags: str = "", **more: Any) -> Discrepancy:
    one = found(engine, version, flags, **more)
    assert len(one) == 1, one
    return one[0]


def assert_fits(engine: str, version: str, flags: str, **more: Any) -> None:
    assert found(engine, version, flags, **more) == []


# flags of vLLM: --attention-backend came with 0.13.0, --swap-space went with 0.18.0 (the wheels' engine/arg_utils.py)


def test_a_flag_of_a_later_release_is_not_there_yet() -> None:
    one = only("vllm", "0.8.5", "vllm serve m --attention-backend FLASHINFER")
    assert (one.code, one.level, one.subject) == ("setting-not-yet", "error", "--attention-backend")
    assert one.says == "vllm 0.8.5 has no --attention-backend: it came in 0.13.0"
    assert one.quote == "--attention-backend FLASHINFER"


def test_a_flag_that_went_is_placed_at_the_release_that_took_it() -> None:
    one = only("vllm", "0.18.0", "vllm serve m --swap-space 8")
    assert one.code in ("setting-removed", "setting-replaced")
    assert one.says.startswith("vllm 0.18.0 has no --swap-space: it was removed in 0.18.0")
    assert_fits("vllm", "0.17.1", "vllm serve m --swap-space 8")


def test_a_slip_is_an_error_that_names_the_flag_meant() -> None:
    one = only("vllm", "0.28.0", "vllm serve m --tensor-paralel-size 8")
    assert (one.code, one.level, one.instead) == ("setting-unknown", "error", "--tensor-parallel-size")


def test_what_no_release_has_and_nothing_is_like_names_nothing() -> None:
    one = only("xllm", "0.8.0", "xllm --model m --quux=3")
    assert (one.code, one.instead) == ("setting-unknown", "")


@pytest.mark.parametrize(
    ("engine", "version", "flags", "code", "instead"),
    [
        # vLLM's parser takes underscores, SGLang's and LMDeploy's are plain argparse
        ("sglang", "0.5.20", "python -m sglang.launch_server --model-path m --tp_size 8", "setting-spelling", "--tp-size"),
        ("lmdeploy", "0.15.0", "lmdeploy serve api_server m --session_len 3", "setting-spelling", "--session-len"),
        # BooleanOptionalAction since 0.8.5 (vLLM), so the off spelling is --no-…, and no value may follow
        ("vllm", "0.28.0", "vllm serve m --enable-chunked-prefill False", "setting-kind", "--no-enable-chunked-prefill"),
        ("vllm", "0.28.0", "vllm serve m --enforce-eager true", "setting-kind", "--enforce-eager"),
        ("vllm", "0.8.4", "vllm serve m --no-enforce-eager", "setting-spelling", ""),
        ("vllm", "0.28.0", "vllm serve m --dtype float64", "setting-value", ""),
        ("vllm", "0.28.0", "vllm serve m --max-num-seqs many", "setting-value", ""),
        ("lmdeploy", "0.15.0", "lmdeploy serve api_server m --backend foo", "setting-value", ""),
        ("vllm", "0.28.0", "vllm serve m --pipeline-parallel-size x", "setting-value", ""),
        ("vllm", "0.28.0", "vllm serve m --max-num-seqs --port 8000", "setting-value", ""),
        ("vllm", "0.28.0", "vllm serve m --max-num-seqs", "setting-value", ""),
        ("vllm", "0.28.0", "--max-num-seqs", "setting-value", ""),
        ("sglang", "0.5.20", "python -m sglang.launch_server --model-path m --mem-fraction-static", "setting-value", ""),
        ("xllm", "0.8.0", "xllm --model m --dp_size", "setting-value", ""),
        # the keys that pydantic checks (SpeculativeConfig.method), as JSON and dotted
        ("vllm", "0.28.0", """vllm serve m --speculative-config '{"method": "dsparc"}'""", "setting-value", ""),
        ("vllm", "0.28.0", "vllm serve m -sc.method dsparc", "setting-value", ""),
        ("vllm", "0.11.0", """vllm serve m --speculative-config '{"method": "dspark"}'""", "setting-value", ""),
    ],
)  # fmt: skip
def test_a_flag_given_otherwise_than_the_release_takes_it(
    engine: str, version: str, flags: str, code: str, instead: str
) -> None:
    one = only(engine, version, flags)
    assert (one.code, one.level, one.instead) == (code, "error", instead)


@pytest.mark.parametrize(
    ("engine", "version", "flags"),
    [
        ("vllm", "0.28.0", "vllm serve m --tensor_parallel_size 4 --no-enable-prefix-caching --max-num-seqs 4k"),
        ("vllm", "0.28.0", "vllm serve m -tp $TP --max-model-len <len> --dtype DTYPE --port {{ .Values.port }}"),
        ("vllm", "0.8.4", "vllm serve m --enable-chunked-prefill False"),
        ("vllm", "0.33.0", "vllm serve m --disable-log-requests --disable-chunked-prefill"),
        ("vllm", "0.28.0", """vllm serve m --speculative-config '{"method": "mtp"}' --limit-mm-per-prompt.image 4"""),
        ("sglang", "0.5.20", "python -m sglang.launch_server --model-path m --tp 4 --mem-fraction 0.8"),
        ("xllm", "0.8.0", "xllm --model m -dp-size=2 --noenable_shm --enable_graph=false"),
        ("lmdeploy", "0.15.0", "lmdeploy serve api_server m --tp 2 --backend pytorch --session-len 32768"),
        ("vllm", "0.28.0", "vllm serve m --hf-token --max-num-seqs $SEQS --tensor-parallel-size N --max-model-len …"),
        ("vllm", "0.28.0", """vllm serve m --speculative-config '{"method": "dspark", "model": "dsparc"}'"""),
        ("vllm", "0.8.5", """vllm serve m --speculative-config '{"method": "unheard-of"}'"""),  # nothing checks it yet
        ("sglang", "0.5.20", "python -m sglang.launch_server --model-checksum --model-path m"),
    ],
)
def test_what_the_release_takes_is_left_alone(engine: str, version: str, flags: str) -> None:
    assert_fits(engine, version, flags)


def test_what_a_key_takes_is_named_with_the_nearest_to_what_was_written() -> None:
    one = only("vllm", "0.28.0", """vllm serve m --speculative-config '{"method": "dsparc"}'""")
    assert "--speculative-config.method: did you mean dspark? It takes " in one.says


def test_a_refused_value_makes_the_exit_code_1_and_is_the_first_line() -> None:
    ran = advisor("check", "--engine", "vllm", "--version", "0.28.0", "--flags", "vllm serve m --max-num-seqs")
    assert ran.code == 1
    assert ran.out.startswith("vllm 0.28.0 does not start with this command line: --max-num-seqs.")


@pytest.mark.parametrize(
    "said", [b"Run it with --max-num-seqs and x of them.", b"```\nvllm serve m --tp x --dtype auto\n```"]
)
def test_an_account_may_name_a_flag_without_its_value_and_call_a_number_x(said: bytes) -> None:
    ran = check(Request(engine="vllm", version="0.28.0", files=(File("said.txt", said),))).report.discrepancies
    assert "setting-value" not in [one.code for one in ran]


def test_the_old_name_turns_the_new_flag_off_where_the_parser_says_so() -> None:
    report = check(Request(engine="vllm", version="0.33.0", flags=("vllm serve m --disable-log-requests",))).report
    assert [(one.flag, one.value) for one in report.settings] == [("--enable-log-requests", False)]


# how certain the release is decides how loud it is


def test_a_build_that_was_placed_by_its_nearest_release_is_only_warned() -> None:
    one = only("vllm", "0.28.1.dev30", "vllm serve m --swap-space 8")
    assert one.level == "warning"
    assert "the nearest release known" in one.says


def test_a_build_on_the_way_to_the_next_release_is_not_missed_what_that_one_has() -> None:
    came_in_0_12 = ("VLLM_USE_V2_MODEL_RUNNER=1",)
    assert_fits("vllm", "0.11.2.dev278+gccfeb3a8", "vllm serve m", env=came_in_0_12)
    assert only("vllm", "0.11.2", "vllm serve m", env=came_in_0_12).code == "variable-not-yet"


def test_without_a_release_only_what_no_release_has_is_said() -> None:
    assert (
        only("vllm", "", "vllm serve m --swap-space 8 --attention-backend X --tensor-paralel-size 2").level == "warning"
    )


def test_a_release_before_all_that_were_read_is_not_judged() -> None:
    assert_fits("vllm", "0.5.0", "vllm serve m --attention-backend FLASHINFER")


def test_what_is_only_spoken_of_is_a_note() -> None:
    said = File("said.txt", b"We run vllm 0.28.0 and think of --swap-space 8. Requests hang.")
    one = check(Request(engine="vllm", version="0.28.0", files=(said,))).report.discrepancies
    assert [each.level for each in one] == ["note"]


def test_another_engines_launch_is_not_judged_by_this_one() -> None:
    ran = found("vllm", "0.28.0", files=(File("a.sh", b"python -m sglang.launch_server --model-path m --nope 1"),))
    assert [one.code for one in ran] == ["engines-mixed"]


# variables


def test_a_variable_that_is_not_read_is_a_warning_and_never_an_error() -> None:
    one = only("sglang", "0.5.21", env=("SGLANG_QUEUED_TIMEOUT_MS=3",))
    assert one.level == "warning"
    assert one.says.startswith("sglang 0.5.21 does not read SGLANG_QUEUED_TIMEOUT_MS: it was removed in 0.5.21")


def test_a_slip_in_a_variable_names_the_one_meant_and_peoples_own_names_are_left_alone() -> None:
    one = only("vllm", "0.28.0", env=("VLLM_ATENTION_BACKEND=X", "VLLM_IMAGE=x", "VLLM_SERVICE_HOST=1.2.3.4", "FOO=1"))
    assert (one.code, one.instead) == ("variable-unknown", "VLLM_ATTENTION_BACKEND")


# bounds and care


def test_many_unknown_flags_are_counted_not_listed() -> None:
    flags = " ".join(f"--quux-{number} 1" for number in range(5000))
    listed = found("vllm", "0.28.0", f"vllm serve m {flags}")
    assert len(listed) == 51
    assert listed[-1].says.startswith("4950 more flags are of no vllm release read")


def test_ranks_that_share_a_slip_share_the_finding() -> None:
    flags = ("vllm serve m --swap-space 8 --node-rank 0", "vllm serve m --swap-space 8 --node-rank 1")
    report = check(Request(engine="vllm", version="0.28.0", flags=flags)).report
    assert [one.subject for one in report.discrepancies] == ["--swap-space"]


def test_a_secret_in_a_quote_is_not_shown() -> None:
    one = only("vllm", "0.28.0", "vllm serve m --hf-tokn hf_abcdefghijklmnopqrstuvwxyz012345")
    assert "abcdefghij" not in f"{one.quote} {one.says}"


# what took its place: knowledge/<engine>/replaced.yaml


def test_an_inverted_replacement_says_so() -> None:
    """https://github.com/vllm-project/vllm/pull/21739: logging of requests became opt-in."""
    one = only("vllm", "0.28.0", "vllm serve m --disable-log-requests")
    assert (one.code, one.level, one.instead, one.inverted) == (
        "setting-replaced",
        "error",
        "--enable-log-requests",
        True,
    )
    assert "https://github.com/vllm-project/vllm/pull/21739" in [source.where for source in one.sources]
    told = advisor("check", "--engine", "vllm", "--version", "0.28.0", "--flags", "vllm serve m --disable-log-requests")
    assert told.code == 1
    assert told.out.startswith("vllm 0.28.0 does not start with this command line: --disable-log-requests.")
    assert "delete it; --enable-log-requests means the opposite" in " ".join(told.out.split())


def test_reasoning_is_turned_on_by_its_parser_alone() -> None:
    """https://github.com/vllm-project/vllm/pull/20979 took the switch away."""
    one = only("vllm", "0.10.0", "vllm serve m --enable-reasoning --reasoning-parser deepseek_r1")
    assert (one.code, one.subject, one.instead) == ("setting-replaced", "--enable-reasoning", "")
    assert "--reasoning-parser is given already, so drop it" in one.says
    alone = only("vllm", "0.10.0", "vllm serve m --enable-reasoning")
    assert alone.instead == "--reasoning-parser"
    assert [each.code for each in found("vllm", "0.9.2", "vllm serve m --enable-reasoning")] == ["setting-deprecated"]


def test_sglangs_older_request_timeouts_are_told_with_their_unit() -> None:
    """https://github.com/sgl-project/sglang/pull/18766: seconds instead of milliseconds."""
    late = only("sglang", "0.5.21", env=("SGLANG_QUEUED_TIMEOUT_MS=30000",))
    assert (late.code, late.level, late.instead) == ("variable-replaced", "warning", "SGLANG_REQ_WAITING_TIMEOUT")
    early = only("sglang", "0.5.16", env=("SGLANG_FORWARD_TIMEOUT_MS=30000",))
    assert (early.code, early.level, early.instead) == ("variable-deprecated", "note", "SGLANG_REQ_RUNNING_TIMEOUT")
    assert "divide it by 1000" in late.says and "divide it by 1000" in early.says
    assert_fits("sglang", "0.5.21", "", env=("SGLANG_REQ_WAITING_TIMEOUT=30",))


def test_a_replacement_that_takes_a_value_is_written_with_it() -> None:
    assert only("sglang", "0.5.20", "python -m sglang.launch_server --model-path m --enable-deepep-moe").instead == (
        "--moe-a2a-backend deepep"
    )


def test_an_older_prefix_of_variables_is_known() -> None:
    one = only("sglang", "0.5.16", env=("SGL_LOG_GC=1",))
    assert (one.code, one.instead) == ("variable-deprecated", "SGLANG_LOG_GC")


# what the engine printed at start-up beside the command that is given

DUMP = b"(APIServer pid=1) INFO 07-02 08:14:55 [utils.py:233] non-default args: {'model_tag': 'm', 'tensor_parallel_size': 8, 'reasoning_parser': 'qwen3'}\n"


@pytest.mark.parametrize(
    ("flags", "said"),
    [
        ("vllm serve m -tp 4", "the log shows --tensor-parallel-size 8 (you give 4), --reasoning-parser qwen3 (you give none); judged by what you give"),
        ("vllm serve m -tp 8", "the log shows --reasoning-parser qwen3 (you give none); judged by what you give"),
        ("vllm serve m -tp $TP --reasoning-parser Qwen3", ""),
        ("-tp 8 --reasoning-parser qwen3", ""),
    ],
)  # fmt: skip
def test_other_arguments_in_the_log_than_in_the_command_are_said(flags: str, said: str) -> None:
    files = (File("serve.log", DUMP),)
    notes = check(Request(engine="vllm", version="0.25.1", flags=(flags,), files=files)).report.coverage.notes
    assert [one for one in notes if "judged by what you give" in one] == ([f"serve.log:1: {said}"] if said else [])


def test_a_log_of_two_starts_with_two_versions_says_both(tmp_path: Path) -> None:
    """The second start repeats its engine, which is kept once; its version counts all the same."""
    log = tmp_path / "serve.log"
    first, second = (
        f"INFO 08-0{day} 10:44:31 [api_server.py:1] vLLM API server version {version}"
        for day, version in ((2, "0.11.0"), (3, "0.12.0"))
    )
    log.write_text(f"{first}\nERROR 08-02 10:45:31 [core.py:710] EngineCore failed to start.\n{second}\n")
    report = checked(str(log)).report
    assert report["build"]["version"] == "0.12.0"
    assert [one["typed"] for one in report["discrepancies"] if one["code"] == "build-version-conflict"] == ["0.11.0"]
    stated = checked("--engine", "vllm", "--version", "0.28.0", str(log)).report
    assert {one["typed"] for one in stated["discrepancies"]} == {"0.11.0", "0.12.0"}
