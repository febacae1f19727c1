"""What a text asserts of the deployment here and now, and what it only asks, denies, quotes, recalls or looks for."""

import re
from pathlib import Path

import pytest
from hypothesis import given

from advisor.evidence.assertion import asserted, printed, told
from advisor.evidence.denial import denials, refused_label
from advisor.evidence.free_text import read_symptoms
from advisor.evidence.prose import readable
from advisor.evidence.speech import asides, of_another_engine
from tests.evidence.test_prose import TEXTS

# a text, and what must be left of it
STATED = [
    ("we get `DeepEP error: timeout`", "DeepEP error: timeout"),
    ("We get 'dspark with pipeline parallel is not supported' at start", "dspark with pipeline parallel is not supported"),
    ("dspark with pipeline parallel is not supported", "dspark with pipeline parallel is not supported"),
    ("AttributeError: 'GPUModelRunner' object has no attribute 'drafter'", "has no attribute 'drafter'"),
    ("it stops with object has no attribute 'drafter'", "has no attribute 'drafter'"),
    ("/health says scheduler_tick has not advanced", "scheduler_tick has not advanced"),
    ("No available shared memory broadcast block found in 60 seconds", "No available shared memory broadcast block found"),
    ("Health check failed. Server couldn't get a response from detokenizer", "couldn't get a response from detokenizer"),
    ("NumelIn are not the same across ranks", "NumelIn are not the same across ranks"),
    ("各 rank 的 NumelIn 不一致", "NumelIn 不一致"),
    ("stuck in ncclLocalOpAppend with no error in the log", "stuck in ncclLocalOpAppend"),
    ("without any error it spins in ncclLocalOpAppend", "it spins in ncclLocalOpAppend"),
    ("没有报错，DeepEP 超时", "DeepEP 超时"),
    ("Not an OOM, but a DeepEP timeout", "a DeepEP timeout"),
    ("The server does not crash; all ranks report DeepEP timeout", "DeepEP timeout"),
    ("It is not the first time that DeepEP timed out", "DeepEP timed out"),
    ("Nobody knows why DeepEP times out", "DeepEP times out"),
    ("Why does DeepEP time out every night?", "DeepEP time out"),
    ("DeepEP 超时怎么解决？", "DeepEP 超时"),
    ("DeepEP times out after an hour, is this known?", "DeepEP times out after an hour"),
    ("DeepEP 超时了，是已知问题吗？", "DeepEP 超时"),
    ("If I enable MTP, DeepEP times out", "DeepEP times out"),
    ("如果开启 MTP，DeepEP 就超时", "DeepEP 就超时"),
    ("一张卡报 DeepEP 超时，其它卡全部跟着挂", "DeepEP 超时"),
    ("One rank spins, the others see DeepEP timeouts", "DeepEP timeouts"),
    ("Previously we ran 0.5.15; now DeepEP times out", "DeepEP times out"),
    ("It used to work; since the upgrade DeepEP times out", "DeepEP times out"),
    ("The docs say it should work, but DeepEP times out", "DeepEP times out"),
    ("We raised the limit to 300 s but DeepEP timeout remains", "DeepEP timeout remains"),
    ("DeepEP timeout of 100 s was hit", "DeepEP timeout"),
    ("Everything works for an hour, then DeepEP timeout", "DeepEP timeout"),
    ("换成 greedy 就好了，随机采样会报 DeepEP 超时", "DeepEP 超时"),
    ("grep -c 'DeepEP timeout' log gives 42", "DeepEP timeout"),
    ("DeepEP timeout: yes", "DeepEP timeout"),
    ("| DeepEP timeout | yes |", "DeepEP timeout"),
    ("是否 DeepEP 超时：是", "DeepEP 超时"),
    ("Same here:\n> DeepEP timeout\n\nevery night", "DeepEP timeout"),
    ("> DeepEP timeout\n\nWe get this all day", "DeepEP timeout"),
    ("> [rank3] DeepEP timeout", "DeepEP timeout"),
    ("Is it a bug?\n[2026-08-02 10:44:33] DeepEP timeout, was it?", "DeepEP timeout, was it?"),
    ("```\n[rank0] no, DeepEP timeout\n```", "DeepEP timeout"),
    ('  File "a.py", line 3, in f\n    raise RuntimeError("DeepEP timeout")\nRuntimeError: DeepEP timeout', "raise RuntimeError"),
    ("Status: OPEN\nDeepEP timeout", "DeepEP timeout"),
    # a lack that is the error itself, and a general statement
    ("FlashInfer does not support attention sinks", "does not support attention sinks"),
    ("GPUModelRunner 没有 drafter 属性", "没有 drafter 属性"),
    ("没有名为 flash_attn 的模块", "没有名为 flash_attn 的模块"),
    ("the runner has no attribute drafter", "no attribute drafter"),
    ("If a rank dies the launcher blocks forever in recv", "the launcher blocks forever in recv"),
    ("如果一个 rank 挂掉，主进程会一直卡在 recv", "主进程会一直卡在 recv"),
    ("another user gets a DeepEP timeout", "DeepEP timeout"),
    ("TP=2, DeepEP times out", "DeepEP times out"),
    ("[Bug] DeepEP timeout #4741", "DeepEP timeout"),
    ("# Fix the DeepEP timeout that we hit daily", "DeepEP timeout"),
    ("Our users report DeepEP timeouts", "DeepEP timeouts"),
    ("This is a hang, not a crash: DeepEP timeout", "hang"),
    ("Downgrading to 0.13 fixes the DeepEP timeout", "DeepEP timeout"),
]  # fmt: skip


@pytest.mark.parametrize(("text", "kept"), STATED)
def test_what_is_stated_stays(text, kept):
    assert kept in asserted(text).text


# a text, and what must not be left of it
NOT_STATED = [
    # asked
    ("Is there any DeepEP timeout?", "DeepEP"),
    ("How is the DeepEP timeout configured?", "DeepEP"),
    ("DeepEP 会超时吗？", "超时"),
    ("是否有 DeepEP 超时", "超时"),
    ("What does `dspark with pipeline parallel is not supported` mean?", "not supported"),
    ("scheduler_tick has not advanced? never seen", "scheduler_tick"),
    ("Pods are up, is there a DeepEP timeout?", "DeepEP"),
    # supposed, feared
    ("If DeepEP reports a timeout, call me", "timeout"),
    ("If it says `DeepEP timeout`, restart", "DeepEP"),
    ("Our alert rule: if log contains 'Scheduler watchdog timeout' page on-call.", "watchdog"),
    ("Tell me whether `DeepEP timeout` is printed", "DeepEP"),
    ("We fear a DeepEP timeout", "DeepEP"),
    ("担心 DeepEP 超时", "超时"),
    # denied
    ("No DeepEP timeout was seen.", "DeepEP"),
    ("DeepEP timeout: 没有出现", "DeepEP"),
    ("DeepEP timeout: none", "DeepEP"),
    ("| DeepEP timeout | no |", "DeepEP"),
    ("- DeepEP timeout: ❌ not seen", "DeepEP"),
    ("DeepEP 超时次数：0", "超时"),
    ("we ruled out ncclLocalOpAppend", "ncclLocalOpAppend"),
    ("ncclLocalOpAppend is fine", "ncclLocalOpAppend"),
    ("没有卡在 ncclLocalOpAppend", "ncclLocalOpAppend"),
    ("NumelIn does not differ between ranks", "differ"),
    ("accept lengths never differ", "differ"),
    ("DeepEP timeout is gone", "DeepEP"),
    ("DeepEP timeout, never seen", "DeepEP"),
    ("we could not reproduce the DeepEP timeout", "DeepEP"),
    ("all good: 0 lines 'scheduler_tick has not advanced'", "scheduler_tick"),
    ("no crash, OOM or DeepEP timeout", "DeepEP"),
    ("不存在 DeepEP 超时问题", "超时"),
    ("this is not the DeepEP timeout bug", "DeepEP"),
    ("Analyzer reports no Error type: SIZE_OR_SYNTAX_MISMATCH", "Error type: SIZE"),
    # past, cured
    ("Previously we got: DeepEP timeout. Resolved by going to 0.30.0.", "DeepEP"),
    ("以前 DeepEP 超时，升级后好了", "超时"),
    ("升级后 state.token_id == token_id 不再出现", "token_id"),
    ("DeepEP timeout fixed by #4741", "DeepEP"),
    ("DeepEP timed out in January; after replacing a NIC it never happened again.", "DeepEP"),
    ("Status: RESOLVED\nDeepEP timeout on Monday.\n\nFreed space.", "DeepEP"),
    # a setting
    ("We raised the DeepEP timeout to 300 s and all is well", "DeepEP"),
    ("DEEPEP timeout=100 (default)", "timeout"),
    # others, documents
    ("README: DSpark does not support pipeline parallelism", "DSpark"),
    ("We see size mismatch between ranks in the docs only", "mismatch"),
    ("Other users report DeepEP timeouts; we do not", "DeepEP"),
    ("TP=2 with no DeepEP timeout", "DeepEP"),
    ("没有 DeepEP 超时", "DeepEP"),
    ("If DeepEP times out, I restart the server", "DeepEP"),
    ("同事说别的集群会 DeepEP 超时，我们这边没遇到", "超时"),
    ("> If the ranks' NumelIn differ, you hit #33614\n\nThanks, they are all the same.", "differ"),
    ("> DeepEP timeout means a rank is late.\n\nThanks, that is good to know.", "DeepEP"),
    # changes
    ("changelog:\n- Fix DeepEP timeout with MTP (#4741)", "DeepEP"),
    ("## What's Changed\n* DeepEP timeout handling\n", "DeepEP"),
    ("* [Bugfix] DeepEP timeout by @someone in https://github.com/x/y/pull/1", "DeepEP"),
    ("Fixes AttributeError: 'GPUModelRunner' object has no attribute 'drafter'", "drafter"),
    # searches, source
    ("$ grep 'Error type: SIZE_OR_SYNTAX_MISMATCH' fr.txt\n$", "SIZE"),
    ("grep -c 'scheduler_tick has not advanced' log -> 0", "scheduler_tick"),
    ("grep 'DeepEP timeout' log returned nothing", "DeepEP"),
    ("kubectl logs pod | grep -i 'DeepEP timeout'", "DeepEP"),
    ("CHECK(state.token_id == token_id) << 1;", "token_id"),
    ("raise NotImplementedError('eagle with pipeline parallel is not supported')", "eagle"),
    ("src/proxy.cc:499: static ncclResult_t ncclLocalOpAppend(struct ncclComm* comm", "ncclLocalOpAppend"),
    ("# raise if cross-rank size mismatch", "mismatch"),
    ("diff --git a/x b/x\n@@ -1 +1 @@\n-DeepEP timeout\n+DeepEP error", "timeout"),
]  # fmt: skip


@pytest.mark.parametrize(("text", "gone"), NOT_STATED)
def test_what_is_not_stated_goes(text, gone):
    assert gone not in asserted(text).text


REQUESTS = [
    "INFO 08-02 10:44:31 [logger.py:42] Received request cmpl-1: prompt: 'Explain: SECRET it\\'s', params: SamplingParams(n=1)",
    "[2026-08-02 10:44:33] prompt: 'why SECRET'",
    "[2026-08-02 10:44:33] prompt: why SECRET",
    '[2026-08-02 10:44:33] Receive: obj=GenerateReqInput(rid=\'1\', text="say "SECRET" ... "x", input_ids=None)',
    "[2026-08-02 10:44:33] Finish: obj=GenerateReqInput(rid='1'), out={'text': 'SECRET', 'meta_info': {}}",
    '{"messages": [{"role": "user", "content": "SECRET"}], "temperature": 0.7}',
    "prompt='SECRET', gen_config=GenerationConfig(), prompt_token_id=[1]",
]


@pytest.mark.parametrize("line", REQUESTS)
def test_what_clients_asked_is_no_word_of_the_engine(line):
    for shown in (printed(f"{line}\nDeepEP timeout"), asserted(f"{line}\n[rank0] DeepEP timeout")):
        assert "SECRET" not in shown.text
        assert "DeepEP timeout" in shown.text
        assert any("client" in note for note in shown.notes)


def test_a_log_keeps_all_else():
    log = "[2026-08-02 10:44:33 TP0] Is there no DeepEP timeout? text='x'\nif it hangs\ncontent: none"
    assert printed(log).text == log


ROOT = Path(__file__).parents[2]
REPORT = """\
Our own words: ranks wait.

LIKELY sglang/spec-tp-state-divergence: With DSpark the service hangs.
- NumelIn differ

AS OF
Rules as of 2026-11-29; advisor 0.1.0. A match is a resemblance with reasons,
not a proof of cause.
More of our own words: TP0 spins.
"""


def test_a_report_is_left_out_and_the_words_around_it_are_not():
    shown = asserted(REPORT)
    assert "hangs" not in shown.text and "NumelIn" not in shown.text
    assert "ranks wait" in shown.text and "TP0 spins" in shown.text
    assert shown.notes == ("1 × a report or page of this advisor",)


PAGES = [
    (ROOT / "README.md").read_text(encoding="utf-8"),
    (ROOT / "rules/sglang/timeout-abort-divergence/rule.yaml").read_text(encoding="utf-8"),
    '{\n  "schema": "advisor-report/1",\n  "findings": [{"summary": "hangs"}]\n}',
    "lmdeploy/mtp-dp-meta                       error    It stalls in DeepEP (DeepEP timeout)",
    "lmdeploy/mtp-silent-hang: LMDeploy hangs\nLevel error, stable, as of 2026-11-29.\n\nWHAT HAPPENS\nIt hangs.",
]


@pytest.mark.parametrize("page", PAGES)
def test_our_own_pages_prove_nothing(page):
    assert not asserted(page).text.strip()
    assert read_symptoms(page, artifact="x") == ()


@given(TEXTS)
def test_length_and_line_ends_stay(text):
    for shown in (asserted(text).text, told(text, engine="vllm").text, printed(text).text):
        assert len(shown) == len(text)
        assert [place for place, sign in enumerate(shown) if sign == "\n"] == [
            place for place, sign in enumerate(text) if sign == "\n"
        ]
        assert all(new in (" ", old, "?") for new, old in zip(shown, text, strict=True))


@given(TEXTS)
def test_places_lie_in_the_line(text):
    text = readable(text)
    for left, right in denials(text):
        assert 0 <= left <= right <= len(text)
    for left, right, why in (*asides(text), *of_another_engine(text, "sglang")):
        assert 0 <= left <= right <= len(text) and why
    refused_label(text)


def test_another_engine_is_not_the_one_judged():
    assert not re.search("hangs", told("vLLM hangs, SGLang is stable", engine="sglang").text)
    assert "hangs" in told("vLLM hangs, SGLang is stable", engine="vllm").text
    assert "hangs" in told("vLLM hangs, SGLang is stable").text
