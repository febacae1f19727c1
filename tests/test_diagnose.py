"""`advisor diagnose`: the judgement of `check`, one useful question at a time, and nothing lost on the way."""

from __future__ import annotations

import gzip
import itertools
import json
import os
import pty
import re
import select
import shlex
import subprocess
import sys
import time
from dataclasses import replace
from functools import partial
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st
from prompt_toolkit.input.vt100_parser import Vt100Parser

from advisor.advice.commands import Place, dumps_stacks, here, reads_only
from advisor.errors import UsageError
from advisor.jobs.answering import Progress, Step, follow, is_printed, then
from advisor.jobs.check import check
from advisor.jobs.diagnose import standing
from advisor.jobs.request import File, Request, Said
from advisor.jobs.rule_cases import cases
from advisor.jobs.said import fact_of
from advisor.jobs.vocabulary import kinds
from tests.counting import steps
from tests.front_door import advisor
from tests.upstream.patch_clones import Repo

CASES = list(cases())
HEALTHY = Path(__file__).parent / "healthy"


@pytest.fixture(autouse=True)
def _kept_here(tmp_path, monkeypatch) -> None:
    monkeypatch.setenv("XDG_STATE_HOME", str(tmp_path / "state"))
    monkeypatch.chdir(tmp_path)


# questions


def test_what_is_understood_names_every_symptom_told() -> None:
    told = standing(Request(symptoms=("一个 rank 占满，另一个空闲，服务僵住不动",))).recognised.symptoms
    assert len(told) == 4  # a hang, ranks apart, one busy, one idle


def test_what_had_its_turn_is_not_asked_again() -> None:
    asked: set[str] = set()
    request = Request(symptoms=("requests hang",))
    while (ask := standing(request, frozenset(asked)).ask) is not None:
        assert ask.about not in asked
        asked.add(ask.about)
        assert len(asked) < 200
    assert len(asked) > 5


# few questions to something useful

TOLD = {
    "vllm/pp-broadcast-skew": ("vllm", (
        "vLLM with pipeline parallelism and speculative decoding hangs: No available shared memory broadcast block found",
        "vLLM 多级流水线加投机解码，跑一会儿就卡住，所有请求不返回",
    )),
    "any/nccl-proxy-slot-leak-arm": ("sglang", (
        "Two DGX Spark nodes with SGLang stop answering after hours; one rank spins at 100 %, the other is idle",
        "两台 DGX Spark 上的 SGLang 跑几小时后卡死，一个 rank 占满，另一个空闲",
    )),
    "lmdeploy/mtp-silent-hang": ("lmdeploy", (
        "LMDeploy with MTP silently hangs, no error in the log",
        "LMDeploy 开 MTP 后静默挂起，没有报错，请求不返回",
    )),
    "lmdeploy/mtp-dp-meta": ("lmdeploy", (
        "LMDeploy with MTP and data parallelism hangs: the ranks wait for each other until the collective times out",
        "LMDeploy 开 MTP 和 DP 后各 rank 互相等待，集合通信超时",
    )),
    "xllm/shm-h2d-graph-race": ("xllm", (
        "xLLM hangs, both ranks alive, requests never return",
        "xLLM 请求长期不返回，两个 rank 都活着，没有报错",
    )),
}  # fmt: skip
SENTENCES = [(rule, engine, one) for rule, (engine, said) in TOLD.items() for one in said]


@pytest.mark.parametrize(("rule", "engine", "sentence"), SENTENCES)
def test_five_questions_from_an_empty_paste_lead_to_what_to_capture(rule: str, engine: str, sentence: str) -> None:
    """A person who knows the engine and what they see, and nothing else."""
    at, knows = Progress(Request()), {"symptom": sentence, "engine": engine}
    for _ in range(5):
        now = standing(at.request, at.asked)
        if now.ask is None:
            break
        at = then(at, Step(now.ask.about, knows.get(now.ask.about, "?")))
    now = standing(at.request, at.asked)
    assert rule in [one.rule for one in now.candidates[:2]]
    assert now.captures and all(one.how.strip() for one in now.captures)
    assert any(dumps_stacks(one.how) and "pgrep -f" in one.how for one in now.captures)
    assert all(reads_only(one.how) for one in now.captures)
    assert standing(at.request, at.asked).report == check(at.request).report


def test_the_sglang_report_pasted_gets_the_nccl_answer_after_two_questions_at_most(seed) -> None:
    pasted = seed.read_bytes()
    at = then(Progress(Request()), Step("", name="paste-1.txt", content=pasted))
    for _ in range(2):
        now = standing(at.request, at.asked)
        if now.ask is None:
            break
        at = then(at, Step(now.ask.about, "?"))
    now = standing(at.request, at.asked)
    assert now.ask is None
    assert (now.report.findings[0].rule, now.report.findings[0].status) == ("any/nccl-proxy-slot-leak-arm", "matched")


@pytest.fixture
def seed() -> Path:
    """The founding report of the NCCL failure, as a rule's case has it."""
    return next(
        one.folder / "report.md" for one in CASES if str(one).endswith("arm/cases/fires-original-report-pasted")
    )


# answers


def test_an_answer_is_what_the_option_would_have_been() -> None:
    steps = [
        Step("engine", "sglang"),
        Step("build", "0.5.16"),
        Step("launch", "--tp 2 --nnodes 2"),
        Step("component:nccl", "2.28.9"),
        Step("hardware:accelerator", "2x GB10"),
        Step("symptom", "requests hang"),
        Step("model", "?"),
    ]
    at = follow(Request(), steps)
    wanted = Request(
        engine="sglang", version="0.5.16", flags=("--tp 2 --nnodes 2",), components=("nccl=2.28.9",),
        hardware=("2x GB10",), symptoms=("requests hang",),
    )  # fmt: skip
    assert at.request == wanted
    assert check(at.request).report == check(wanted).report
    assert "model" in at.asked


@pytest.mark.parametrize(
    ("about", "text", "complaint"),
    [
        ("fact:symptom.first_request", "sometimes", "neither yes nor no"),
        ("hardware:nodes", "two", "not a number"),
        ("hardware:arch", "sparc", "none of x86_64, aarch64"),
        ("hardware:vendor", "frobnicator", "none of nvidia, amd"),
        ("model", "7", "names no model"),
        ("component:nccl", "banana", "no version in 'banana'"),
        ("component:nccl", "99", "no version in '99'"),
        ("launch", "it is broken", "no command line understood"),
        ("symptom", "it is broken somehow", "no symptom understood"),
        ("setting:--tp-size", "some", "not a number"),
        ("setting:--attention-backend", "flashinfr", "did you mean flashinfer?"),
        ("engine", "sglng", "did you mean sglang?"),
        ("build", "the new one", "--version"),
        ("nonsense:x", "yes", "no question is about"),
    ],
)
def test_an_answer_that_cannot_be_one_is_refused_in_a_line(about: str, text: str, complaint: str) -> None:
    with pytest.raises(UsageError) as error:
        follow(Request(engine="" if about == "engine" else "sglang"), [Step(about, text)])
    assert complaint in error.value.line()


@pytest.mark.parametrize("text", ["?", "", "don't know", "I don’t know.", "maybe", "不知道", "不确定。"])
@pytest.mark.parametrize(
    "about", ["hardware:arch", "setting:--tp-size", "model", "fact:symptom.first_request", "build"]
)
def test_not_knowing_says_nothing_in_any_words(about: str, text: str) -> None:
    at = then(Progress(Request(engine="sglang")), Step(about, text))
    assert at.request == Request(engine="sglang") and at.asked == {about}


def test_every_choice_that_is_offered_is_an_answer() -> None:
    """Over every question of an empty request and of each engine."""
    for engine in ("", "vllm", "sglang", "lmdeploy", "xllm"):
        at, offered = Progress(Request(engine=engine, symptoms=("requests hang",))), 0
        while (ask := standing(at.request, at.asked).ask) is not None and len(at.asked) < 25:
            for option in ask.options:
                then(at, Step(ask.about, option.answer))  # raises where it is none
                offered += 1
            at = Progress(at.request, at.asked | {ask.about})
        assert offered > 5
    for vendor, known in (("amd", "amd"), ("MLU", "cambricon"), ("昇腾", "ascend")):
        at = then(Progress(Request()), Step("hardware:vendor", vendor))
        assert [fact_of(one).value for one in at.request.said] == [known]


def test_what_is_answered_by_yes_or_no_is_asked_so() -> None:
    begins = re.compile(r"(Is|Are|Do|Does|Did|Has|Have|Was|Were|Can|Could) ")
    asked = {one.name: one.question for one in kinds().values() if one.type == "bool"}
    assert [name for name, question in asked.items() if not begins.match(question)] == []


def test_what_a_command_printed_for_a_version_is_read_and_not_taken_for_one() -> None:
    assert is_printed("component:nccl", "/usr/lib/libnccl.so.2") and not is_printed("component:nccl", "2.28.9")
    path = "/usr/lib/python3/dist-packages/nvidia/nccl/lib/libnccl.so.2"
    for text, known in ((path, None), (f"{path}: NCCL version 2.28.9", "2.28.9"), ("2.28.9", "2.28.9")):
        printed = is_printed("component:nccl", text)
        step = (
            Step("component:nccl", name="paste-1.txt", content=text.encode())
            if printed
            else Step("component:nccl", text)
        )
        at = then(Progress(Request(engine="sglang")), step)
        assert check(at.request).report.build.components.get("nccl") == known


def test_a_stated_answer_settles_what_evidence_left_open() -> None:
    launch = Request(engine="vllm", version="0.30.0", flags=("--tensor-parallel-size 2",), bare_is_complete=False)
    flag = "--pipeline-parallel-size"
    for text, value in (("8", 8), ("not there", 1)):
        from advisor.jobs.assemble import assemble
        from advisor.jobs.judging import view_of

        at = then(Progress(launch), Step(f"setting:{flag}", text))
        answer = view_of(assemble(at.request)[0]).ask("setting", flag)
        assert [one.value for one in answer.facts] == [value]


def test_pasted_evidence_beats_a_denial() -> None:
    """Someone says that no stack shows it, then pastes one that does."""
    at = follow(Request(engine="sglang"), [Step("stack:ncclLocalOpAppend < SaveProxy", "no")])
    case = next(one for one in CASES if one.rule == "any/nccl-proxy-slot-leak-arm" and one.kind == "fires")
    both = Request(**{**case.request.__dict__, "said": at.request.said})
    assert check(both).report.findings == check(case.request).report.findings


# the same again, as one command


@pytest.mark.parametrize("lang", ["en", "zh"])
def test_the_check_line_gives_the_same_report(tmp_path, seed, lang) -> None:
    (tmp_path / "a.json").write_text(json.dumps({"answers": {
        "build": "0.5.16", "launch": "--tp 2 --nnodes 2", "Is it the very first real request after starting that fails?": "no",
        "fact:symptom.first_request": "no", "hardware:arch": "aarch64",
    }}))  # fmt: skip
    given = ("--engine", "sglang", "--symptom", "两个节点卡死, it's stuck", "--answers", "a.json", "--most", "12")
    ran = advisor("diagnose", *given, "--format", "json", "--lang", lang, cwd=tmp_path)
    assert ran.code in (0, 1), ran.err
    (line,) = [one.strip() for one in ran.err.splitlines() if one.strip().startswith("advisor check ")]
    again = advisor(*shlex.split(line)[1:], "--format", "json", cwd=tmp_path)
    assert again.code == ran.code
    assert json.loads(again.out) == json.loads(ran.out)


def test_what_is_piped_in_is_taken_and_nobody_is_asked(tmp_path, seed) -> None:
    ran = advisor("diagnose", stdin=seed.read_bytes(), cwd=tmp_path)
    assert ran.code == 1
    assert "MATCHES any/nccl-proxy-slot-leak-arm" in ran.out
    assert ran.out.rstrip().splitlines()[-1].strip().startswith("advisor check ")
    assert sorted(one.name for one in tmp_path.iterdir()) == ["state"]


def test_the_ticket_holds_the_report_the_captures_and_what_was_asked(tmp_path) -> None:
    (tmp_path / "a.json").write_text('{"answers": {"build": "0.5.16"}}')
    secret = "HF_TOKEN=hf_abcdefghijklmnopqrstuvwx sglang serve --tp 2"
    given = ("--engine", "sglang", "--symptom", "requests hang", "--flags", secret)
    ran = advisor("diagnose", *given, "--answers", "a.json", "-o", "t.md", cwd=tmp_path)
    text = (tmp_path / "t.md").read_text()
    assert ran.code in (0, 1)
    assert "## Asked and answered" in text and "### Capture this next" in text and "py-spy dump" in text
    assert "Which exact build is running" in text and "0.5.16" in text
    assert "hf_abcdef" not in text + ran.out + ran.err


@pytest.mark.parametrize(
    ("answers", "complaint"),
    [
        ({"engine": "foo"}, "unknown engine 'foo'"),
        ({"engine": "sglang", "build": "potato"}, "potato"),
        ({"engine": "sglang", "log": "@missing.log"}, "no such file"),
    ],
)
def test_an_answer_of_a_file_that_cannot_be_one_ends_it_in_a_line(tmp_path, answers, complaint) -> None:
    (tmp_path / "a.json").write_text(json.dumps({"answers": answers}))
    ran = advisor("diagnose", "--symptom", "hang", "--answers", "a.json", cwd=tmp_path)
    assert ran.code == 2 and complaint in ran.err and len(ran.err.splitlines()) == 1


def test_a_clone_is_judged_as_check_judges_it(tmp_path) -> None:
    repo = Repo(tmp_path / "fork")
    repo.commit("Start", {"vllm/__init__.py": "", "setup.py": ""})
    (tmp_path / "a.json").write_text('{"answers": {}}')
    given = ("--engine", "vllm", "--repo", "fork", "--symptom", "requests hang", "--format", "json")
    told = advisor("diagnose", *given, "--answers", "a.json", cwd=tmp_path)
    assert told.code in (0, 1), told.err
    assert (
        json.loads(told.out)["build"]["commit"]
        == json.loads(advisor("check", *given, cwd=tmp_path).out)["build"]["commit"]
    )


@pytest.mark.parametrize("output", ["serve.log", "a.json"])
def test_the_ticket_never_takes_the_place_of_an_input(tmp_path, output: str) -> None:
    (tmp_path / "serve.log").write_text("requests hang\n")
    (tmp_path / "a.json").write_text('{"answers": {}}')
    before = (tmp_path / output).read_text()
    ran = advisor("diagnose", "serve.log", "--answers", "a.json", "-o", output, cwd=tmp_path)
    assert ran.code == 2 and "is one of the inputs" in ran.err
    assert (tmp_path / output).read_text() == before
    assert "advisor check" in ran.out  # the report is out before the ticket fails


def test_a_compressed_log_is_handed_over_as_it_is(tmp_path) -> None:
    (tmp_path / "serve.log.gz").write_bytes(gzip.compress(b"[2026-08-02 10:44:31 TP1] Scheduler watchdog timeout\n"))
    (tmp_path / "a.json").write_text('{"answers": {"engine": "sglang", "log": "@serve.log.gz"}}')
    asked = advisor("diagnose", "--symptom", "requests hang", "--answers", "a.json", "--most", "9", cwd=tmp_path)
    piped = advisor("diagnose", stdin=(tmp_path / "serve.log.gz").read_bytes(), cwd=tmp_path)
    assert "a watchdog fired" in asked.out and "a watchdog fired" in piped.out


def test_an_answer_never_outweighs_what_was_read() -> None:
    case = next(
        one for one in CASES if str(one).endswith("spec-tp-state-divergence/cases/fires-unequal-numel-logs-alone")
    )
    known = check(case.request).report
    denied = replace(case.request, said=(Said("fact:collective.sizes_differ", "no"),))
    told = check(denied).report
    assert [(one.rule, one.status) for one in told.findings] == [(one.rule, one.status) for one in known.findings]
    assert any("is not followed: this says otherwise" in one for one in told.coverage.notes)


def test_a_log_that_covers_the_run_is_not_overruled() -> None:
    line = r"log:(?i)custom_all_reduce\.cuh[^\n]{0,80}invalid argument"
    log = File("sglang-tp2.log", (HEALTHY / "sglang-tp2.log").read_bytes())
    for said in ((), (Said(line, "yes"),)):
        assert not [
            one
            for one in check(Request(files=(log,), said=said)).report.findings
            if one.status in ("matched", "likely")
        ]


@pytest.mark.parametrize("text", ["log:a=b=yes", "env:A=a=b", "fact:symptom.hang=yes"])
def test_said_takes_apart_what_the_check_line_puts_together(text: str, tmp_path) -> None:
    ran = advisor("check", "--engine", "sglang", "--symptom", "hang", "--said", text, cwd=tmp_path)
    assert ran.code in (0, 1), ran.err


@pytest.mark.parametrize(
    "text",
    ["hardware:zzz=x", "hardware:count=-5", "log:(unclosed=yes", "fact:topology.tp=nan", "fact:no.such=yes", "x"],
)
def test_said_that_says_nothing_is_refused_in_a_line(text: str, tmp_path) -> None:
    ran = advisor("check", "--engine", "sglang", "--symptom", "hang", "--said", text, cwd=tmp_path)
    assert ran.code == 2 and len(ran.err.splitlines()) == 1, ran.err


SECRETS = {
    ("--env", "MY_PASSWORD=with space secret"): "space secret",
    ("--flags", "vllm serve m --api-key abc12"): "abc12",
    ("--flags", "HF_TOKEN=abc12 vllm serve m"): "abc12",
    ("--flags", "vllm serve m --hf-token 'a b c d'"): "a b c d",
}


@pytest.mark.parametrize(("given", "secret"), SECRETS.items())
def test_the_check_line_holds_no_secret_and_every_option(given, secret, tmp_path) -> None:
    (tmp_path / "a.json").write_text('{"answers": {}}')
    ran = advisor(
        "diagnose", *given, "--engine", "vllm", "--symptom", "requests hang", "--answers", "a.json", cwd=tmp_path
    )
    line = shlex.split(ran.out.rstrip().splitlines()[-1])
    assert line[:2] == ["advisor", "check"] and given[0] in line and line[-2:] == ["--symptom", "requests hang"]
    assert secret not in ran.out + ran.err


@pytest.mark.parametrize(
    ("content", "complaint"),
    [("{", "is not JSON"), ("[]", "is not advisor-answers/1"), ('{"answers": {"engine": 3}}', "holds no answers")],
)
def test_a_file_without_answers_is_one_line(tmp_path, content: str, complaint: str) -> None:
    (tmp_path / "a.json").write_text(content)
    ran = advisor("diagnose", "--answers", "a.json", cwd=tmp_path)
    assert ran.code == 2 and complaint in ran.err and len(ran.err.splitlines()) == 1


def test_nothing_to_resume_is_one_line(tmp_path) -> None:
    ran = advisor("diagnose", "--resume", cwd=tmp_path)
    assert ran.code == 2 and "there is nothing to resume" in ran.err
    ran = advisor("diagnose", "--resume", "--engine", "vllm", cwd=tmp_path)
    assert ran.code == 2 and "takes nothing beside" in ran.err


@pytest.mark.parametrize(
    "changed",
    [{"options": {"colour": "red"}}, {"options": {"files": "abc"}}, {"options": {"engine": []}}, {"schema": "x/1"}],
)
def test_a_kept_diagnosis_that_was_edited_badly_is_one_line(tmp_path, changed) -> None:
    folder = tmp_path / "state/advisor/diagnose/20261129-000000"
    folder.mkdir(parents=True)
    body = {"schema": "advisor-answers/1", "options": {}, "steps": []} | changed
    (folder / "answers.json").write_text(json.dumps(body))
    ran = advisor("diagnose", "--resume", cwd=tmp_path)
    assert ran.code == 2 and len(ran.err.splitlines()) == 1, ran.err


# commands

POD = Place("kubernetes", "Deployment", "llm", "prod", "server", "[V]LLM::|[v]llm serve", 9000, "vllm")
BOX = Place("docker", "", "sg", "", "", "[s]glang::scheduler", 30000, "sglang")
HOST = Place(processes="[x]llm", package="xllm")
ABOUTS = ("stacks", "log", "launch", "build", "component:nccl", "setting:--tp-size", "hardware:arch", "fact:x")
HOWS = ("", "curl -s http://HOST:PORT/health", "cat /proc/PID/status", "nvidia-smi -L", "pip show torch, or the log")


@pytest.mark.parametrize("place", [POD, BOX, HOST])
@pytest.mark.parametrize("about", ABOUTS)
def test_every_command_is_one_that_a_shell_reads(place: Place, about: str) -> None:
    for how in HOWS:
        made = here(about, how, place)
        if made and ", or " not in made:
            assert subprocess.run(["bash", "-n"], input=made.encode(), check=False).returncode == 0, made
            assert not {"rm", "kill", "restart", "tee"} & set(shlex.split(made, comments=True))


def test_the_command_is_for_this_deployment() -> None:
    enter = "kubectl exec -n prod deploy/llm -c server -- "
    assert here("build", "", POD) == f"{enter}sh -c 'pip show vllm | head -2'"
    assert here("hardware:arch", "uname -m", POD) == f"{enter}uname -m"
    assert here("", "pip list | grep torch, or the first lines of the log", HOST) == "pip list | grep torch"
    twice = here("", "for i in 1 2; do py-spy dump --pid PID; sleep 45; done", HOST)
    each = 'for PID in $(pgrep -f "[x]llm"); do py-spy dump --pid $PID; done'
    assert twice == f"for i in 1 2; do {each}; sleep 45; done"
    assert here("log", "the files, or kubectl logs POD", HOST) == ""
    assert here("", "grep -h x LOG of every rank | sort", HOST) == "grep -h x LOG | sort"
    assert here("", "grep -h x LOG of the decode instances", POD) == "grep -h x serve.log"
    assert here("", "curl -i http://HOST:23333/health", HOST) == "curl -i http://127.0.0.1:23333/health"
    assert "KEY|TOKEN" in here("launch", "", POD)
    assert here("", "curl -s http://HOST:PORT/health", POD) == f"{enter}curl -s http://127.0.0.1:9000/health"
    assert here("log", "", POD) == "kubectl logs -n prod deploy/llm -c server --timestamps > serve.log"
    assert here("log", "", BOX) == "docker logs sg > serve.log 2>&1"
    assert here("stacks", "", BOX).startswith('docker exec sg sh -c \'for PID in $(pgrep -f "[s]glang::scheduler")')
    assert here("stacks", "", HOST).startswith('for PID in $(pgrep -f "[x]llm")')


MANIFEST = """apiVersion: apps/v1
kind: StatefulSet
metadata: {name: llm, namespace: prod}
spec:
  selector: {matchLabels: {app: llm}}
  template:
    spec:
      containers:
      - {name: server, image: "vllm/vllm-openai:v0.30.0", args: [--model, m, --tensor-parallel-size, "2", --port, "9000"]}
"""


@pytest.mark.parametrize(
    ("name", "text", "enter"),
    [
        ("dep.yaml", MANIFEST, "kubectl exec -n prod sts/llm -c server -- "),
        ("run.sh", "docker run --name sg lmsysorg/sglang:v0.5.16 python3 -m sglang.launch_server --tp 2", "docker exec sg "),
        ("compose.yaml", "services:\n  llm:\n    image: vllm/vllm-openai:v0.30.0\n    command: [--model, m]\n",
         "docker compose exec -T llm "),
    ],
)  # fmt: skip
def test_the_place_is_read_off_the_file_that_starts_it(name: str, text: str, enter: str) -> None:
    request = Request(files=(File(name, text.encode()),), symptoms=("requests hang",))
    hows = [one.how for one in standing(request).captures]
    assert any(one.startswith(enter) for one in hows), hows


# at a terminal


class Session:
    """`advisor diagnose` on a pseudo-terminal of 80 columns."""

    def __init__(self, *arguments: str) -> None:
        try:
            self.master, slave = pty.openpty()
        except OSError as error:  # a sandbox without /dev/ptmx
            pytest.skip(f"no pseudo-terminal: {error}")
        env = {**os.environ, "TERM": "xterm", "COLUMNS": "80", "LINES": "50", "PYTHONPATH": os.pathsep.join(sys.path)}
        words = [sys.executable, "-m", "advisor", "diagnose", *arguments]
        self.process = subprocess.Popen(words, stdin=slave, stdout=slave, stderr=slave, env=env, start_new_session=True)
        os.close(slave)
        self.seen, self.at = "", 0

    def until(self, text: str, seconds: float = 60) -> str:
        """Read until `text` is shown; what was shown since the last time, up to and with it."""
        begun = time.monotonic()
        while text not in self.seen[self.at :]:
            assert time.monotonic() - begun < seconds, self.seen[self.at :]
            if select.select([self.master], [], [], 0.1)[0]:
                try:
                    self.seen += os.read(self.master, 65536).decode("utf-8", "replace")
                except OSError:
                    break
        since, self.at = self.at, self.seen.index(text, self.at) + len(text)
        return self.seen[since : self.at]

    def type(self, text: str) -> None:
        os.write(self.master, text.encode())

    def paste(self, text: str) -> None:
        """As a terminal hands over what is pasted."""
        for piece in (f"\x1b[200~{text}\x1b[201~",):
            self.type(piece)

    def end(self) -> int:
        code = self.process.wait(60)
        os.close(self.master)
        return code


@pytest.mark.skipif(sys.platform == "win32", reason="needs a pseudo-terminal")
def test_a_paste_an_answer_a_step_back_an_interrupt_and_going_on(tmp_path) -> None:
    one = Session("--engine", "sglang")
    one.until("\x1b[?2004h")
    one.paste("requests never return\nrank 0 and rank 1 are alive\n" * 2)
    one.until("[pasted 5 lines]")
    one.type("\r")
    one.until("Can still be")
    one.type("\r")
    one.until("Question 1")
    one.until("\x1b[?2004h")
    one.type("--tp 2\r")
    one.until("Question 2")
    one.until("\x1b[?2004h")
    one.type("b\r")
    one.until("Question 1")
    one.until("\x1b[?2004h")
    one.type("\x03")
    one.until("Go on: advisor diagnose --resume")
    assert one.end() == 130

    two = Session("--resume")
    assert "requests never return" in two.until("Question 1")
    two.type("e\r")
    assert "For the ticket" in two.until("The same judgement again")
    two.until("advisor check --engine sglang")
    assert two.end() in (0, 1)
    assert (tmp_path / "advisor-diagnosis.md").read_text().startswith("## ")


@pytest.mark.skipif(sys.platform == "win32", reason="needs a pseudo-terminal")
def test_what_a_command_printed_is_kept_and_the_check_line_runs(tmp_path) -> None:
    path = "/usr/lib/libnccl.so.2: NCCL version 2.28.9"
    (tmp_path / "a.json").write_text(json.dumps({"answers": {"component:nccl": path, "engine": "sglang"}}))
    given = (
        "--hardware",
        "2x GB10 aarch64",
        "--flags",
        "sglang serve m --tp 2 --nnodes 2",
        "--symptom",
        "requests hang",
    )
    ran = advisor("diagnose", *given, "--answers", "a.json", "--most", "9", "--format", "json", cwd=tmp_path)
    assert ran.code in (0, 1), ran.err


@pytest.mark.skipif(sys.platform == "win32", reason="needs a pseudo-terminal")
def test_e_ends_at_the_first_prompt_too(tmp_path) -> None:
    one = Session("--engine", "sglang", "--symptom", "requests hang")
    one.until("\x1b[?2004h")
    one.type("e\r")
    assert "Question 1" not in one.until("The same judgement again")
    assert one.end() in (0, 1)


@pytest.mark.skipif(sys.platform == "win32", reason="needs a pseudo-terminal")
def test_a_terminal_that_does_not_mark_pastes_gives_one_paste(tmp_path) -> None:
    one = Session()
    one.until("\x1b[?2004h")
    one.type("sglang hangs\rboth ranks alive\rno error\r")
    one.until("Can still be")
    assert one.seen.count("Understood:") == 1
    one.until("\x1b[?2004h")
    one.type("\x03")
    assert one.end() == 130
    (kept,) = (tmp_path / "state/advisor/diagnose").glob("*/paste-1.txt")
    assert kept.read_text().splitlines() == ["sglang hangs", "both ranks alive", "no error"]
    assert kept.parent.stat().st_mode & 0o077 == 0


@given(st.text(alphabet="ab\x1b[201\n~中", max_size=80), st.lists(st.integers(1, 9), min_size=1, max_size=20))
def test_a_paste_arrives_whole_however_the_terminal_cuts_it(body: str, sizes: list[int]) -> None:
    from advisor.faces.terminal import _Parser

    if _Parser.END in body + "\x1b[201":
        return
    got: list[tuple[str, str]] = []
    parser = _Parser(lambda press: got.append((str(press.key), press.data)))
    data, at = f"x\x1b[200~{body}{_Parser.END}y", 0
    for size in itertools.cycle(sizes):
        if at >= len(data):
            break
        parser.feed(data[at : at + size])
        at += size
    parser.flush()
    assert got == [("x", "x"), ("Keys.BracketedPaste", body), ("y", "y")]


def fed(parser: Vt100Parser, count: int) -> None:
    for _ in range(count):
        parser.feed("x" * 1024)


def test_a_paste_four_times_as_long_takes_about_four_times_the_steps() -> None:
    from advisor.faces.terminal import _Parser

    taken = []
    for count in (100, 1_000, 4_000):
        parser = _Parser(lambda press: None)
        parser.feed("\x1b[200~")
        _, took = steps(partial(fed, parser, count))
        taken.append(took)
    assert taken[2] < 4.8 * taken[1], taken
