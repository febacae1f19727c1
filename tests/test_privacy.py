"""Nothing private is shown, by any command, in any form; and nothing else is hidden. docs/privacy.md is the promise."""

from __future__ import annotations

import dataclasses
import re
import sys
import time
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from advisor.faces.cli import COMMANDS
from advisor.model import capture, diagnosis, draft, lint, repair, report, upgrade, verification
from advisor.redaction import GONE, PART, may_hold_secrets, redact, redact_text, redact_value, shown_as_given
from advisor.redaction.cover import _MAY, THEIRS, covered_line
from advisor.redaction.personal import marks
from advisor.redaction.pseudonyms import SAID, Pseudonyms, covered_texts
from advisor.redaction.public import is_public
from advisor.redaction.secrets import without_secrets
from tests.front_door import advisor, checked
from tests.planted import corpus
from tests.privacy import REPO, hidden, judged_alike, measured, quiet_texts

pytestmark = pytest.mark.xdist_group("privacy")


@pytest.mark.skipif(not sys.platform.startswith("linux"), reason="collect reads /proc")
def test_nothing_planted_is_shown_in_any_form() -> None:
    planted = corpus()
    assert len(planted.secrets()) >= 300 and len({one.value for one in planted.planted}) == len(planted.planted)
    found = list(measured(plainly=False))
    assert len(found) > 20
    assert [(one.form, one.missed[:5]) for one in found if one.missed] == []


def test_hiding_what_is_hidden_changes_nothing() -> None:
    for text in corpus().texts.values():
        once = _all_hidden(text)
        assert _all_hidden(once) == once


def _all_hidden(text: str) -> str:
    names, said = Pseudonyms(), redact_text(text)
    return covered_texts((("", said),), names).get(said, said)


def test_the_measure_sees_what_is_shown_as_given() -> None:
    reached = {one.form: one.reached or 0 for one in measured(lambda name: name in ("check json", "draft"))}
    assert reached["check json"] > 50 and reached["draft"] > 400


def test_nothing_is_hidden_that_is_no_secret() -> None:
    counts, wrong, read = hidden()
    assert wrong == [] and read > 500_000
    assert counts["host"] and counts["address"] and counts["secret"] <= 2


def test_what_is_hidden_changes_no_verdict() -> None:
    alike = list(judged_alike())
    assert len(alike) > 10
    assert [one for one in alike if one[1]] == []


@pytest.mark.parametrize(
    "text",
    [
        "pip: nvidia-curand-cu12 10.3.9.90, nvidia-cudnn-cu12==9.10.2.21, NCCL 2.28.9.1",
        "upgraded NCCL from 2.28.9.1 to 2.29.2.1; newer than 10.3.9.90, downgrade to 10.3.9.90, libcurand.so.10.3.9.90",
        "listening on 0.0.0.0:8000, [::]:8000, 127.0.0.1:29500, [::1]:1 and localhost",
        "https://huggingface.co/m/x ghcr.io/llm-d/llm-d:v0.5.1 nvcr.io/nvidia/vllm:25.11-py3 quay.io/ascend/vllm-ascend:v0.18.0",
        "commit 387189c42f0a5fb4b9a4c8fd3b87cb5f4c5e1f10 sha256:3f1a4bb63c0d6a2f0f4f9a3d6a7f3c1b2e4d5f60718293a4b5c6d7e8f9012345",
        "--tensor-parallel-size 8 --max-num-batched-tokens 8192 --node-rank 1 --nnodes 2 --served-model-name llama-3.1-8b",
        "[rank1]: at c10d::ProcessGroupNCCL std::vector<int>, vllm.v1.engine.core, torch.distributed.nn.functional",
        "PCI:0000:3b:00.0 pid=2211 2026-08-02 10:44:31,123 GPU-5f3c1d2e-aaaa-bbbb-cccc-0123456789ab",
        "apiVersion: leaderworkerset.x-k8s.io/v1, nvidia.com/gpu: 8, app.kubernetes.io/name: vllm",
        "/home/vllm/x, /root/.cache/huggingface, /data/alice/models, /usr/local/lib/python3.12/dist-packages/vllm",
        "cat /etc/passwd missing, the file passwd is gone; the password is wrong; token mismatch at step 3",
        "rank0: TP1 waits for EngineCore_DP0 on cuda:1, worker-2 of mlx5_0; node 3 of 4",
        'prompt_tokens: 12, completion_tokens: 3, "max_tokens": 16, prompt throughput: 12.0 tokens/s',
        "output: '!!!!!!!!!!!!!!!!'",
        "unexpected token: identifier; stop token: </s>; token: 4096, eos_token: <|im_end|>, next_token: Hello",
        "an H20, h20, a100 and l40s; b200; memory 17179869184 bytes, 13421772800 bytes, seed 13812345678",
        "existingSecret: hf-secret-1a, envFromSecret: hf-token-secret1, imagePullSecret: regcred1, PWD=/data/x1",
        "ak=0x7ffd12AB34 sk: ffff888012345678, cache_key=12, routing-key: abc",
        "9f86d081884c:2211:2290 [0] NCCL INFO x, to host memory from host buffers, 机器 patch, 节点 之间",
        "user=None, user: null, 'user': None, ssh exited with exit code 255, argument --host: expected one argument",
        "MLNX_OFED_LINUX-23.10-1.1.9.0, MLNX_OFED 5.8-3.0.7.0, DCGM 3.3.5.1, onednn 3.7.1.0, remote address: LID 0000",
        "--master-addr MASTER_ADDR, mcr.microsoft.com/x, [core.py:7710], [rank0]:[W802 10:44:31], GET /v1/users/17",
        "content_type='text/html', num_prompt_tokens=(12), <|im_end|>, Prompt throughput: 3 tokens/s, text: 12 tokens",
        "-rw-r--r-- 1 root root 1234 Aug 2 10:44 /data/x; user: root; User=vllm; waits for user input",
    ],
)  # fmt: skip
def test_what_says_nothing_of_a_person_or_machine_stays(text: str) -> None:
    assert covered_line(text) == text


def test_ranks_stay_told_apart() -> None:
    names = Pseudonyms()
    text = "gpu-a7:9:9 [0] NCCL INFO x\ngpu-b8:9:9 [0] NCCL INFO x\nMASTER_ADDR=gpu-a7.acme.internal, lost gpu-b8"
    assert names.cover(text, names.learn(text)) == (
        "host-1:9:9 [0] NCCL INFO x\nhost-2:9:9 [0] NCCL INFO x\nMASTER_ADDR=host-1, lost host-2"
    )


def test_one_host_has_one_name_in_a_report_and_another_report_begins_anew(tmp_path: Path) -> None:
    log = tmp_path / "gpu-x1.log"
    log.write_text("gpu-x1:21:22 [0] NCCL INFO comm 0x1\nRuntimeError: NCCL error: unhandled system error\n")
    words = ("--engine", "vllm", "--version", "0.28.0", "--flags", "vllm serve m --data-parallel-address gpu-x1 -dp 2")
    ran = checked(str(log), *words, "--symptom", "it hangs on gpu-x1")
    assert "gpu-x1" not in ran.out + ran.err and ran.out.count("host-1") > 2 and "host-2" not in ran.out
    case = '{"id": "%s", "engine": "vllm", "version": "0.28.0", "launch": "vllm serve m --data-parallel-address %s -dp 2"}\n'
    cases = tmp_path / "cases.jsonl"
    cases.write_text(case % ("a", "gpu-x1") + case % ("b", "gpu-y2"))
    first, second = advisor("check", "--batch", str(cases)).out.splitlines()
    assert "host-1" in first and "host-1" in second and "host-2" not in first + second


def test_a_text_that_tells_nothing_by_itself_is_covered_once_another_tells() -> None:
    """Of the first answer nothing is kept but that the sentence alone says nothing."""
    sentence = ("", "gpubox-17 says no, and so does host-1")
    assert covered_texts([("", "gpubox-17 says no"), sentence], Pseudonyms()) == {}
    assert covered_texts([("MASTER_ADDR=", "gpubox-17"), ("", "gpubox-17 says no"), sentence], Pseudonyms()) == {
        "gpubox-17": "host-2",
        "gpubox-17 says no": "host-2 says no",
        sentence[1]: "host-2 says no, and so does host-1",
    }
    assert covered_texts([("", "gpubox-17 says no")], Pseudonyms(), ["MASTER_ADDR=gpubox-17"]) == {
        "gpubox-17 says no": "host-1 says no"
    }
    assert covered_texts([("", "gpubox-17 says no"), sentence], Pseudonyms()) == {}


@pytest.mark.parametrize("short", range(0, 60, 6))
def test_a_text_of_two_lines_is_not_cut_between_them_by_a_long_one_before_it(short: int) -> None:
    said = "<|im_start|>user\nTell me of our plan with the merger partner in Zurich"
    before = ("BIG=", "a" * (PART - 20 - short))
    assert covered_texts([before, ("X=", said)], Pseudonyms()) == {said: f"<|im_start|>user\n{SAID}"}


def test_one_text_under_two_names_is_covered_for_both() -> None:
    for texts in ([("MASTER_ADDR=", "dgx"), ("X=", "dgx")], [("X=", "dgx"), ("MASTER_ADDR=", "dgx")]):
        assert covered_texts(texts, Pseudonyms()) == {"dgx": "host-1"}


def test_no_half_of_a_host_is_shown_where_a_failure_is_told_in_short(tmp_path: Path) -> None:
    """At the eightieth character stands the host that another line tells."""
    row = "(EngineCore_DP0 pid=2) ERROR 08-22 11:10:31 [core.py:710] TimeoutError: RPC call to sample_tokens timed out."
    (tmp_path / "serve.log").write_text(f"MASTER_ADDR=gpubox-123456\n{row} After 300 s, peer gpubox-123456\n")
    ran = checked(str(tmp_path / "serve.log"), "--engine", "vllm")
    assert "is an echo" in " ".join(ran.out.split()) and "gpub" not in ran.out


def test_what_is_hidden_already_stays_as_it_is() -> None:
    for one in ("--api-key '[redacted]' '--admin-api-key=[redacted]' x", "{password: [redacted]}", "Bearer [redacted]"):
        assert covered_line(one) == one


@pytest.mark.parametrize(
    "text",
    [
        "hangs since {} was rebooted", "until {} answers", "moved from {} to {}", "NCCL ({}) hangs", "vllm: {}, {}",
        "kernel: {} reset", "release {} from the pool", "sglang={} up", "ucx {}", "the driver on {} is old",
    ],
)  # fmt: skip
@pytest.mark.parametrize("address", ["10.1.2.3", "192.168.1.5", "172.16.3.4"])
def test_an_address_in_a_sentence_is_one_whatever_word_stands_before(text: str, address: str) -> None:
    assert covered_line(text.replace("{}", address)) == text.replace("{}", "address-1")


@pytest.mark.parametrize("text", ["MASTER_ADDR=DGX153", "HOST=GPU-A7.ACME.INTERNAL"])
def test_a_host_in_capitals_is_one(text: str) -> None:
    assert covered_line(text) == re.sub(r"\b(?:DGX|GPU)\S+", "host-1", text)


def test_a_name_given_before_is_kept() -> None:
    names = Pseudonyms()
    text = "MASTER_ADDR=host-1 and http://gpu-z9:8000/"
    assert names.cover(text, names.learn(text)) == "MASTER_ADDR=host-1 and http://host-2:8000/"


def test_a_secret_that_begins_as_another_does_is_hidden_whole() -> None:
    names = Pseudonyms()
    names.learn_secrets("A_PASSWORD=abc123 B_PASSWORD=abc123xyz9 C_PASSWORD=abc123xyz9more7")
    assert names.cover("abc123xyz9more7 abc123xyz9 abc123", []) == f"{GONE} {GONE} {GONE}"


@pytest.mark.parametrize("text", ["DB_PASSWORD=12345678", "password: 12345678", "--db-password 12345678"])
def test_a_password_of_digits_is_one(text: str) -> None:
    assert redact(text) == text.replace("12345678", GONE)
    assert redact("auth: 1, retries: 2, max_tokens=1234567, token=1234567") == (
        "auth: 1, retries: 2, max_tokens=1234567, token=1234567"
    )


def test_no_note_of_two_values_shows_a_secret() -> None:
    """A password of plain letters is known by its flag alone."""
    log = "[2026-07-01 10:00:00] server_args=ServerArgs(model_path='m', api_key='sesamestreet', tp_size=4)"
    command = "python -m sglang.launch_server --model-path m --api-key hunterpass --tp 2"
    printed = advisor("check", "--flags", command, "-", "--format", "json", stdin=log).out
    said = advisor(
        "check", "--engine", "vllm", "--symptom", "--api-key hunterpass here, --api-key sesamestreet there"
    ).out
    assert "--tp-size 4 (you give 2)" in printed
    for text in (printed, said):
        assert "--api-key" in text and "hunterpass" not in text and "sesamestreet" not in text


SHOWING = sorted({"check", "diagnose", "lint", "fix", "verify", "collect", "upgrade", "draft"})


@pytest.mark.parametrize("command", SHOWING)
def test_each_command_that_shows_what_was_given_can_show_it_all(command: str) -> None:
    assert command in COMMANDS and "--no-redact" in advisor(command, "--help").out


def test_as_given_means_as_given() -> None:
    words = ("--engine", "vllm", "--version", "0.28.0", "--env", "HF_TOKEN=abcdef12", "--symptom", "hangs on 10.7.7.7")
    assert "abcdef12" not in checked(*words).out and "10.7.7.7" not in checked(*words).out
    plain = checked(*words, "--no-redact").out
    assert "abcdef12" in plain and "10.7.7.7" in plain


def test_the_report_says_that_names_were_changed_and_how_to_see_them() -> None:
    words = ("--engine", "vllm", "--version", "0.28.0", "--symptom", "hangs on 10.7.7.7")
    (note,) = [one for one in checked(*words).report["coverage"]["notes"] if "--no-redact" in one]
    assert "address-1" in note
    assert "--no-redact" not in str(checked(*words[:-1], "it hangs").report["coverage"]["notes"])
    assert "--no-redact" not in str(checked(*words, "--no-redact").report["coverage"]["notes"])


def _tens() -> Iterator[list[str]]:
    """The planted lines, in tens."""
    for text in corpus().texts.values():
        every = text.splitlines()
        yield from (every[at : at + 10] for at in range(0, len(every), 10))


SELDOM = r"""
body {\"prompt\": \"tell me about Alice Smith now\"}
url data:image/png;base64,AAAABBBBCCCCDDDDEEEE1234
mpiexec -H acme7,acme8 python x
horovodrun -H acme-7:8 python x
clush -w acme-7 uptime
telnet acme7 22
mosh acme7
Machine acme-7 is down
<134>Oct 11 22:14:15 acme7 kernel: x
peer 2001:db8:1:2:3:4:5:6 lost
COMPUTERNAME=DESKTOP-AB12CD3
Failed to connect etcd etcd-0.etcd.prod:2379
Permission denied (publickey) for lihua@acme7
ssh-ed25519 AAAAC3NzaC1lZDI1NTE5AAAAIE wangwu@acme7
  - "acme-7:192.168.7.9"
Running on jenkins-acme7 in /var/lib/jenkins
登录服务器 gpu-bj-07 后
账号 lihua 不行
mongodb://svc:$PASS@mongo-a1:27017,mongo-a2:27017
session opened for user lihua
"""


ELSEWHERE = str.maketrans({"s": "ſ", "k": "\u212a", "i": "ı", " ": "\u00a0", "1": "١"})
"""Letters, spaces and digits that stand for others where a pattern ignores case or asks for any space or digit."""


def test_the_question_that_comes_first_is_never_wrong() -> None:
    """Where something is found the cheap question has said that there may be: line by line, over all texts here."""
    assert all(map(marks, SELDOM.strip().splitlines()))
    texts = [*map("\n".join, _tens()), *(text for _, text in quiet_texts()), SELDOM]
    lines = {line for text in texts for line in text.splitlines()[:25] if len(line) < 300}
    lines |= {one.translate(ELSEWHERE) for one in lines}
    wrong = [one for one in lines if not may_hold_secrets(one) and without_secrets(one) != one]
    wrong += [one for one in lines if not _MAY.shows(one) and marks(one)]
    assert wrong == []


OURS = {  # fields that hold the catalogue's words, names of kinds, numbers or ids; all others must be covered
    "Report": {"schema", "id", "as_of", "advisor"},
    "BuildOut": {"engine", "commit"},
    "SettingOut": {"flag"},
    "FactOut": {"name", "origin"},
    "Finding": {"rule", "status", "level", "summary", "aliases", "exposure", "signature", "no_fix", "caveats", "details",
                "maturity", "as_of", "zh"},
    "FixOut": {"repo", "url", "commit", "state", "merged", "completeness", "what", "component", "first_release", "releases",
               "releases_by", "releases_says", "in_this_build"},
    "RemedyOut": {"do", "what", "cost", "status", "status_says", "proof", "applies"},
    "LookalikeOut": {"rule", "tell", "status"},
    "StatementOut": {"kind"},
    "MarkOut": {"kind", "at", "until"},
    "TrackOut": set(),
    "TimelineOut": {"clock", "start", "end"},
    "Discrepancy": {"code", "level", "subject"},
    "ExcerptOut": set(),
    "InputOut": {"kind"},
    "Coverage": set(),
    "Region": {"file"},
    "RelatedOut": set(),
    "LintFinding": {"id", "kind", "level", "actionability", "edit", "fingerprint"},
    "SuppressionOut": {"how", "until"},
    "FileOut": {"name", "format"},
    "LintReport": {"schema", "notes", "as_of", "advisor"},
    "Repair": {"id", "edit"},
    "FileRepair": {"name"},
    "RepairReport": {"schema", "as_of", "advisor"},
    "UpgradeReport": {"schema", "engine", "start", "limit", "release", "as_of"},
    "StepVerdict": {"do", "expect", "outcome"},
    "VerificationReport": {"schema", "rule", "summary", "outcome", "changed", "zh"},
    "Standing": set(),
    "Recognised": {"symptoms", "evidence"},
    "Draft": {"id", "as_of", "engine", "facts", "frames", "threads"},
    "MachineLine": {"rules"},
    "Plan": {"output"},
    "Found": {"role"},
    "Step": {"name"},
    "Outcome": {"step", "status"},
    "Collection": set(),
}  # fmt: skip


def nouns() -> Iterator[Any]:
    modules = (report, lint, repair, upgrade, verification, diagnosis, draft, capture)
    known = {name: one for module in modules for name, one in vars(module).items() if dataclasses.is_dataclass(one)}
    yield from (known[name] for name in THEIRS)


@pytest.mark.parametrize("noun", list(nouns()), ids=lambda one: one.__name__)
def test_each_field_with_text_is_covered_or_known_to_be_ours(noun: Any) -> None:
    texts = {one.name for one in dataclasses.fields(noun) if re.search(r"\bstr\b|Value|Literal", str(one.type))}
    name = noun.__name__
    assert set(THEIRS[name]) <= {one.name for one in dataclasses.fields(noun)}
    assert texts - set(THEIRS[name]) <= OURS[name], "a field of the user's words is not covered"


def test_hosts_that_the_catalogue_names_are_public() -> None:
    pages = [path.read_text(encoding="utf-8") for path in REPO.glob("rules/*/*/rule.yaml")]
    pages += [path.read_text(encoding="utf-8") for path in REPO.glob("knowledge/*/engine.yaml")]
    hosts = {one for page in pages for one in re.findall(r"https?://([a-z0-9.-]+\.[a-z]{2,})", page)}
    assert hosts and [one for one in sorted(hosts) if not is_public(one)] == []


def test_a_long_hostile_line_takes_no_longer_for_its_length_squared() -> None:
    pieces = (
        "machine ",
        "is host ",
        "host",
        "a.b",
        "@a",
        "docker ",
        "x:",
        "1.",
        "'",
        '"content": "',
        "T10:10:10",
        "hf_",
        "/home/",
        "-----BEGIN ",
    )
    for piece in pieces:
        began = time.process_time()
        covered_line(piece * (100_000 // len(piece)))
        assert time.process_time() - began < 4, piece  # squared it would be hours


def test_a_name_that_is_no_unicode_is_no_defect() -> None:
    assert covered_line("\udce4\udcf6: no such file; /home/klaus7/\udce4 on 10.8.8.8") == (
        "\udce4\udcf6: no such file; /home/user-1/\udce4 on address-1"
    )


def test_a_key_of_putty_leaves_its_lines_and_what_follows() -> None:
    text = "Private-Lines: 2\r\nAAAAgQDabc\r\nBBBB=\r\nPrivate-Hash: x"
    assert without_secrets(text) == f"Private-Lines: 2\r\n{GONE}\n{GONE}\r\nPrivate-Hash: x"


@pytest.mark.parametrize(
    "text",
    [
        "http://localhost:8000/v1/users/a@b", "http://{host}:{port}/v1/x@y", "oci://localhost:5000/a:tag/x@sha256:ff",
        "client-key: /etc/kubernetes/pki/admin.key", "authorization: disabled", "stop_tokens: ['</s>', '<eos>']",
        "GOOGLE_APPLICATION_CREDENTIALS=/etc/gcp/key.json", "secretKeyRef:\n  name: hf-secret1\n  key: token1",
        "secrets:\n  hf_token:\n    file: ./hf.txt", "CACHE_KEY=9f86d081884c7d659a2f", "auth:\n  enabled: true",
        "tokens: [101, 2023, 102]", "--routing-key abc1234567 --api-key-header-name X-Key1", "pass: 12, fail: 3",
        'text "\\\\nfoo\\\\nbar"', r"\\d+\\w", r"\\?\C:\foo", "docker run -v /user:/data x",
    ],
)  # fmt: skip
def test_what_only_looks_like_a_password_or_a_share_stays(text: str) -> None:
    assert covered_line(text) == text


def test_a_key_of_several_lines_leaves_as_many() -> None:
    key = corpus().texts["keys.txt"].split("\n\n")[0]
    assert redact(f"a\n{key}z").count("\n") == f"a\n{key}z".count("\n")
    assert SAID not in redact(key) and GONE in redact(key)


def test_nothing_is_hidden_within_what_is_shown_as_given() -> None:
    with shown_as_given():
        assert redact("HF_TOKEN=abcdef12") == "HF_TOKEN=abcdef12" and redact_value("HF_TOKEN", "x1") == "x1"
