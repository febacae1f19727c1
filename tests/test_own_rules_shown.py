"""Hostile texts in a user's own rules, in a baseline of lint and in an id: wherever they are shown, they drive nothing."""

from __future__ import annotations

import json
import re
import subprocess
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from tests.front_door import advisor
from tests.own_rules import RULE, USUAL
from tests.test_mcp import ENVIRONMENT, SERVER
from tests.test_mcp_hostile import FENCED, SPAN, texts
from tests.test_shown_safely import STRINGS, Elements, safe
from tests.web.served import Served, serving

ID = "vllm/hostile"
TEXT = " ".join(STRINGS.values()).encode("utf-8", "replace").decode()
IN_YAML = '"' + "".join(one if one.isalnum() or one == " " else f"\\u{ord(one):04x}" for one in TEXT) + '"'
WORDS = (
    "The gateway of the house drops requests with --tensor-parallel-size 3.", "the line of the gateway", "Not known.",
    "our runbook 7", "None is known as of 2026-11-29.", "A restart.", "Start again.", "The line stays away.", "runbook",
)  # fmt: skip
MORE = """\
not_helpful:
  - {what: %, why: %, source: [{artefact: %, date: 2026-11-29}]}
harmful:
  - {what: %, why: %, source: [{artefact: %, date: 2026-11-29}]}
lookalikes:
  - {rule: vllm/pp-spec-refused, tell: %}
wanted:
  - {what: %, run: %, tells: %}
zh: {summary: %中, details: %中}
"""
LAUNCH = ["--engine", "vllm", "--version", "0.28.0", "--flags", "vllm serve m -tp 3"]
LINE = "ERROR house gateway dropped 7 requests\n"
SCRIPT = "pip install vllm==0.28.0\nvllm serve m -tp 3 --swap-space 4\n"


@pytest.fixture(scope="module")
def mine(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A folder of one rule, every text of which is hostile."""
    base: Path = tmp_path_factory.mktemp("own") / "mine"
    words = {"details": "%", "what": "%", "run": "%", "more": MORE, "pattern": USUAL["pattern"]}
    text = RULE.format(id=ID, **words)
    for one in WORDS:
        text = text.replace(f"{one}\n", "%\n").replace(f"{one},", "%,").replace(f"{one}}}", "%}")
    file = base / ID / "rule.yaml"
    file.parent.mkdir(parents=True)
    file.write_text(text.replace("%中", f'{IN_YAML[:-1]}\u4e2d\u6587"').replace("%", IN_YAML))
    (base.parent / "run.sh").write_text(SCRIPT)
    return base


def test_the_rule_is_one(mine: Path) -> None:
    ran = advisor("rules", "validate", "--rules", str(mine))
    assert "zh" not in ran.out and "1 rule, 1 problem\n" in ran.out and "no-firing-case" in ran.out
    assert safe(ran.out) is None
    assert (mine / ID / "rule.yaml").read_text().count(IN_YAML) > 20


SHOWN = [
    ["explain", ID], ["explain", ID, "--format", "markdown"], ["explain", ID, "--format", "json"], ["explain", ID, "--lang", "zh"],
    ["rules", "list"], ["search", "hangs reordered gnp exe"],
    *(["check", *LAUNCH, "-", "--format", form] for form in ("text", "json", "markdown", "html")),
    ["check", *LAUNCH, "-", "-v", "--lang", "zh"],
    *(["lint", "run.sh", "--no-cache", "--format", form] for form in ("text", "json", "markdown", "sarif", "github", "gitlab", "junit")),
]  # fmt: skip


@pytest.mark.parametrize("words", SHOWN, ids=" ".join)
def test_no_command_shows_its_texts_as_they_are(words: list[str], mine: Path) -> None:
    ran = advisor(*words, "--rules", str(mine), stdin=LINE, cwd=mine.parent)
    assert ran.code in (0, 1), ran.err[-400:]
    assert (safe(ran.out), safe(ran.err)) == (None, None)
    shown = SPAN.sub("", FENCED.sub("", ran.out)) if words[-1] == "markdown" else ran.out
    assert "<script>alert" not in shown or words[-1] not in ("html", "markdown", "junit")
    if "html" in words:
        parser = Elements()
        parser.feed(ran.out)
        assert not [
            one for one in parser.found if one[1].startswith("on") or one[1] == "javascript:" or one[0] == "img"
        ]
    if words[-1] == "github":
        assert all(re.match(r"::(?:error|warning|notice) |advisor |$", line) for line in ran.out.splitlines()), ran.out


ODD_IDS = [
    "vllm/a\x1b[31m",
    "vllm/a\n::error::b",
    "vllm/\u202egnp",
    "vllm/<script>",
    "vllm/..",
    "vllm/A B",
    "vllm/a\u200b",
]
"""None of them is an id; but for the one that is a path, each was taken for one."""


@pytest.mark.parametrize("name", ODD_IDS)
def test_an_id_that_is_none_is_refused_and_shown_safely(name: str, tmp_path: Path) -> None:
    file = tmp_path / "mine" / name.replace("..", "dots") / "rule.yaml"
    file.parent.mkdir(parents=True)
    file.write_text(RULE.format(**{**USUAL, "id": json.dumps(name)}))
    for words in (["check", *LAUNCH], ["rules", "validate"]):
        ran = advisor(*words, "--rules", str(tmp_path / "mine"))
        assert ran.code in (1, 2) and (safe(ran.out), safe(ran.err)) == (None, None), (words, ran)
        assert "defect" not in ran.err and not re.search(r"(?m)^::", ran.out + ran.err)


@pytest.fixture(scope="module")
def service(mine: Path, tmp_path_factory: pytest.TempPathFactory) -> Iterator[Served]:
    with serving(tmp_path_factory.mktemp("t"), "--rules", str(mine)) as found:
        yield found


def test_the_service_shows_none_as_they_are(service: Served) -> None:
    asked = {"engine": "vllm", "version": "0.28.0", "flags": ["vllm serve m -tp 3"], "logs": [LINE]}
    parts = [
        ("engine", None, b"vllm"),
        ("version", None, b"0.28.0"),
        ("flags", None, b"vllm serve m -tp 3"),
        ("paste", None, LINE.encode()),
    ]
    answers = {
        "json": service.post("/v1/check", asked),
        "rules": service.ask("GET", "/v1/rules"),
        "rule": service.ask("GET", f"/v1/rules/{ID}"),
        "page": service.upload("/", parts),
    }
    for name, one in answers.items():
        assert one.status < 500 and safe(one.content.decode()) is None, (name, one.content[:300])
        assert b"<script>alert" not in one.content or "html" not in one.headers["content-type"], name


def test_an_agent_gets_none_as_they_are(mine: Path) -> None:
    def line(number: int, method: str, **params: Any) -> str:
        return json.dumps({"jsonrpc": "2.0", "id": number, "method": method, "params": params}) + "\n"

    hello = {"protocolVersion": "2025-06-18", "capabilities": {}, "clientInfo": {"name": "t", "version": "1"}}
    case = {
        "engine": "vllm",
        "version": "0.28.0",
        "flags": ["vllm serve m -tp 3"],
        "texts": [{"name": "a", "content": LINE}],
    }
    asked = [
        line(1, "tools/call", name="explain", arguments={"rule": ID}),
        line(2, "tools/call", name="check", arguments={**case, "detail": "full"}),
        line(3, "tools/call", name="lint", arguments={"texts": [{"name": "run.sh", "content": SCRIPT}]}),
        line(4, "resources/list"),
        line(5, "resources/read", uri=f"advisor://rules/{ID}"),
    ]
    process = subprocess.Popen(
        [*SERVER, "--rules", str(mine)], stdin=subprocess.PIPE, stdout=subprocess.PIPE, env=ENVIRONMENT, text=True
    )
    try:
        assert process.stdin is not None and process.stdout is not None
        process.stdin.write(
            line(0, "initialize", **hello) + '{"jsonrpc": "2.0", "method": "notifications/initialized"}\n'
        )
        process.stdin.write("".join(asked))
        process.stdin.flush()
        answers = [json.loads(process.stdout.readline()) for _ in range(6)]
    finally:
        process.kill()
        process.communicate()
    told = [(one["id"], found) for one in answers for text in texts(one) if (found := safe(text)) is not None]
    assert told == []
    assert all("result" in one and not one["result"].get("isError") for one in answers), answers


BASELINES = {
    "hostile entries": json.dumps(
        {"schema": "advisor-baseline/1", "findings": [{"id": TEXT, "file": TEXT, TEXT: TEXT}]}
    ),
    "no JSON": TEXT,
    "a list": "[" * 100_000,
    "numbers": json.dumps({"findings": [1, None, {"id": 5}]}),
    "another schema": json.dumps({"schema": TEXT, "findings": {}}),
    "bytes": "\udcff\udcfe{",
}


@pytest.mark.parametrize("what", BASELINES)
def test_a_baseline_is_a_strangers_too(what: str, mine: Path, tmp_path: Path) -> None:
    (tmp_path / "base.json").write_text(BASELINES[what], errors="surrogateescape")
    (tmp_path / "run.sh").write_text(SCRIPT)
    for form in ("text", "json", "github"):
        ran = advisor("lint", "run.sh", "--no-cache", "--baseline", "base.json", "--format", form, cwd=tmp_path)
        assert ran.code in (0, 1, 2) and (safe(ran.out), safe(ran.err)) == (None, None), ran
        assert not re.search(r"(?m)^::set-output", ran.out)
