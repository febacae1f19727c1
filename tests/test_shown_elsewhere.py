"""The hostile texts of `tests/test_shown_safely.py` where others write them: names of files and folders, lines of logs and
stacks, ids of a batch, answers, reasons of suppressions; looked for in every command and form that shows them."""

from __future__ import annotations

import json
import re
from pathlib import Path
from xml.etree import ElementTree

import pytest

from tests.front_door import advisor
from tests.test_shown_safely import STRINGS, planted, safe

TEXT = " ".join(STRINGS.values())
LINE = TEXT.replace("\n", " ").replace("\r", " ")
BYTES = LINE.encode("utf-8", "surrogateescape")
NAMES = ["a\n::error::x", "a\x1b[31m\x1b]0;x\x07", "a]|<script>`b`", "a\udcff\u202e", "-x", "a;$(touch pwned)'\""]
POD = (
    "apiVersion: v1\nkind: Pod\nmetadata: {name: p}\nspec:\n  containers:\n  - name: c\n"
    "    image: vllm/vllm-openai:v0.28.0\n    args: [--model, m, --swap-space, '4']\n"
)
STACK = 'Process 12: {0}\nPython v3.12.3\n\nThread 12 (active): "{0}"\n    {0} ({0}.py:3)\n    wait ({0})\n'
LOG = (
    "INFO vLLM API server version 0.28.0\n(Worker_TP0{0} pid=1) ERROR RPC call to sample_tokens timed out {0}\n"
    "[rank{0}]: x\n(EngineCore_{0} pid=12) ERROR EngineDeadError {0}\n[1,{0}]<stderr>: NCCL WARN {0}\n"
)


@pytest.fixture(scope="module")
def tree(tmp_path_factory: pytest.TempPathFactory) -> Path:
    place: Path = tmp_path_factory.mktemp("tree")
    for name in NAMES:
        (place / f"{name}.yaml").write_text(POD)
        (place / f"{name}.d").mkdir()
        (place / f"{name}.d" / "x.yaml").write_text(POD)
        (place / f"{name}.log").write_bytes(LOG.encode().replace(b"{0}", BYTES))
    (place / "stack.txt").write_bytes(STACK.encode().replace(b"{0}", BYTES))
    reason = re.sub(r"[\x00-\x1f\x7f-\x9f\udcff]", "", TEXT)
    (place / "hushed.sh").write_text(
        f"#!/bin/sh\n# advisor: ignore[setting-removed] {reason}\nvllm serve m --swap-space 4\n"
        f"vllm serve m --swap-space 4  # advisor: ignore[{reason}] until={reason}\n"
    )
    (place / "answers").write_text(json.dumps({"answers": {"launch": f"vllm serve '{TEXT[:-1]}'", TEXT: TEXT}}))
    return place


COMMANDS = [
    ["lint", ".", "--no-cache", "-v"],
    ["fix", ".", "--unsafe"],
    ["fix", ".", "--format", "json"],
    ["check", ".", "-v"],
    ["check", ".", "--format", "markdown", "--no-redact"],
    ["check", ".", "--format", "html"],
    ["check", "stack.txt", "--lang", "zh"],
    ["diagnose", ".", "--answers", "answers"],
    ["verify", "#53402", "stack.txt"],
    ["upgrade", NAMES[1] + ".yaml", "--format", "json"],
]


@pytest.mark.parametrize("words", COMMANDS, ids=" ".join)
def test_no_command_shows_them_as_they_are(words: list[str], tree: Path) -> None:
    ran = advisor(*words, cwd=tree)
    assert ran.code in (0, 1, 2), ran.err[-500:]
    assert safe(ran.out.replace("\u200b", "") if "markdown" in words else ran.out) is None and safe(ran.err) is None
    assert not list(tree.rglob("pwned*"))


@pytest.mark.parametrize("form", ["json", "sarif", "github", "gitlab", "junit", "markdown"])
def test_no_form_of_lint_is_broken_by_a_name_or_a_reason(form: str, tree: Path) -> None:
    ran = advisor("lint", ".", "--no-cache", "--format", form, cwd=tree)
    assert ran.code in (0, 1) and safe(ran.out.replace("\u200b", "") if form == "markdown" else ran.out) is None
    if form in ("json", "sarif", "gitlab"):
        json.loads(ran.out)
    if form == "junit":
        ElementTree.fromstring(ran.out)
    if form == "github":
        assert all(
            re.match(r"::(?:error|warning|notice) file=|advisor lint: |\d+ notes: |$", one)
            for one in ran.out.splitlines()
        )
    if form == "markdown":
        bare = re.sub(r"(`+)(?!`).*?(?<!`)\1(?!`)", "", ran.out)  # in a span of code nothing is markup
        assert "<script>" not in bare and not re.search(r"(?m)^::|^# heading", ran.out)


def test_ids_and_keys_of_a_batch() -> None:
    rows = [{"id": TEXT, "engine": "vllm"}, {TEXT: 1}, {"id": TEXT, "engine": TEXT}]
    ran = advisor("check", "--batch", "-", stdin="\n".join(map(json.dumps, rows)))
    assert ran.code in (0, 1, 2) and safe(ran.out) is None and safe(ran.err) is None
    assert [json.loads(one)["id"] for one in ran.out.splitlines()] == [TEXT, "", TEXT]


def test_a_ticket(tmp_path: Path) -> None:
    planted(tmp_path, TEXT)
    ran = advisor("diagnose", "pod.yaml", "--symptom", f"it hangs {LINE}", "-o", "ticket.md", cwd=tmp_path)
    assert ran.code in (0, 1), ran.err
    ticket = (tmp_path / "ticket.md").read_text()
    assert safe(ticket.replace("\u200b", "")) is None and not re.search(r"(?m)^# heading|^::|^<script", ticket)
