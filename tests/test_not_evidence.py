"""A text found is not an event observed: what is asked, denied, quoted, past, another's or our own matches nothing."""

from __future__ import annotations

from pathlib import Path

import pytest

from advisor.jobs.check import check
from advisor.jobs.request import File, Request
from tests.front_door import advisor

ROOT = Path(__file__).parents[1]
LMDEPLOY = Request(
    engine="lmdeploy", version="0.14.0", flags=("--backend pytorch --dp 8 --ep 8 --speculative-algorithm qwen3_5_mtp",)
)
SGLANG = Request(engine="sglang", version="0.5.16", flags=("--tp 2 --speculative-algorithm DSPARK",))
VLLM = Request(engine="vllm", version="0.28.0", flags=("""vllm serve m -pp 3 -sc '{"method":"dspark"}'""",))
XLLM = Request(
    engine="xllm", version="v0.10.1", hardware=("Ascend 910B",), flags=("xllm --model m --nnodes 2 --num_speculative_tokens 1",)
)  # fmt: skip

SAID = [
    (LMDEPLOY, "Is there any DeepEP timeout?"),
    (LMDEPLOY, "DeepEP timeout: 没有出现"),
    (LMDEPLOY, "以前 DeepEP 超时，升级后好了"),
    (LMDEPLOY, "How is the DeepEP timeout configured?"),
    (LMDEPLOY, "changelog:\n- Fix DeepEP timeout with MTP (#4741)"),
    (XLLM, "Is this the state.token_id == token_id bug?"),
    (XLLM, "升级后 state.token_id == token_id 不再出现"),
    (XLLM, "grep 'state.token_id == token_id' xllm.log returned nothing"),
    (XLLM, "CHECK(state.token_id == token_id) << request_id;"),
    (XLLM, "greedy 正常，随机采样也正常，接受率没有下降"),
    (VLLM, "What does `dspark with pipeline parallel is not supported` mean?"),
    (VLLM, "Previously we got: dspark with pipeline parallel is not supported. Resolved by going to 0.30.0."),
    (SGLANG, "The ranks' NumelIn does not differ"),
    (SGLANG, "Does it hang?"),
    (SGLANG, "会卡死吗？"),
    (SGLANG, "If it hangs, I will restart it"),
    (SGLANG, "hang: no"),
    (SGLANG, "could not reproduce the hang"),
    (SGLANG, "不存在卡死问题"),
    (SGLANG, "vLLM hangs, SGLang is stable"),
    (SGLANG, "Zero hangs in 3 days"),
]


@pytest.mark.parametrize(("case", "text"), SAID, ids=[text[:40] for _, text in SAID])
def test_what_is_not_said_of_this_deployment_matches_nothing(case: Request, text: str) -> None:
    asked = Request(case.engine, case.version, case.flags, hardware=case.hardware, symptoms=(text,))
    findings = check(asked).report.findings
    assert not [one.rule for one in findings if one.status in ("matched", "likely")]


TRUE = [
    (LMDEPLOY, "we get `DeepEP error: timeout (dispatch CPU)` on rank 3"),
    (LMDEPLOY, "DeepEP 超时，服务卡死"),
    (SGLANG, "Why does it hang after an hour of traffic?"),
    (SGLANG, "服务运行一小时后卡死，怎么解决？"),
    (VLLM, "It dies with: dspark with pipeline parallel is not supported."),
]


@pytest.mark.parametrize(("case", "text"), TRUE, ids=[text[:40] for _, text in TRUE])
def test_what_is_said_of_it_still_counts(case: Request, text: str) -> None:
    asked = Request(case.engine, case.version, case.flags, hardware=case.hardware, symptoms=(text,))
    assert check(asked).report.findings[0].status in ("matched", "likely")


PAGES = [
    "README.md",
    "docs/adding-a-rule.md",
    "docs/json.md",
    "CHANGELOG.md",
    "rules/lmdeploy/mtp-silent-hang/rule.yaml",
]


@pytest.mark.parametrize("page", PAGES)
def test_our_own_pages_are_no_evidence(page: str) -> None:
    request = Request(files=(File(page, (ROOT / page).read_bytes()),), strict=False)
    assert not [one.rule for one in check(request).report.findings if one.status in ("matched", "likely")]


@pytest.mark.parametrize("format", ["text", "markdown", "html"])
@pytest.mark.parametrize("lang", ["en", "zh"])
def test_a_report_fed_back_is_no_evidence(format: str, lang: str, tmp_path) -> None:
    demo = ROOT / "docs" / "demo"
    given = ("--engine", "sglang", "--version", "0.5.16", str(demo / "rank1.stack.txt"), str(demo / "scheduler.log"))
    advisor("check", *given, "--format", format, "--lang", lang, "-o", str(tmp_path / "report"))
    again = advisor("check", str(tmp_path / "report"))
    assert again.code == 2 and "a report or page of this advisor" in again.err


def test_a_clients_prompt_in_a_healthy_log_is_not_the_engines_word() -> None:
    prompt = "INFO 08-02 10:44:31 [logger.py:42] Received request cmpl-1: prompt: 'Explain: dspark with pipeline parallel is not supported', params: x\n"
    request = Request(VLLM.engine, VLLM.version, VLLM.flags, files=(File("server.log", prompt.encode()),))
    assert not [one.rule for one in check(request).report.findings if one.status in ("matched", "likely")]
