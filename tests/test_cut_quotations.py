"""A value, a line or a name of any length is cut where it is only quoted, in every format, and said to be; what is to be
carried out stays whole."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from advisor.redaction import QUOTED as MOST
from advisor.redaction.cutting import cut
from tests.front_door import advisor

LONG = "x" * 100_000
FLAGS = ["--engine", "vllm", "--version", "0.28.0", "--flags", f"vllm serve m --swap-space {LONG}"]


def test_the_ends_are_kept_and_the_rest_is_counted() -> None:
    assert cut("a" * MOST) == "a" * MOST
    said = cut("begin " + LONG + " end")
    assert said.startswith("begin x") and said.endswith("x end") and "… (96,010 characters left out) …" in said
    assert len(said) < MOST + 60


@pytest.mark.parametrize("more", [[], ["--no-redact"]], ids=["redacted", "as given"])
@pytest.mark.parametrize("form", ["text", "markdown", "html", "json"])
def test_no_format_of_check_says_it_whole(form: str, more: list[str], tmp_path: Path) -> None:
    (tmp_path / "a.log").write_text(
        f"INFO vLLM API server version 0.28.0\nRuntimeError: {LONG}\nvllm serve m --swap-space {LONG}\n"
    )
    for given in (
        [*FLAGS, "--env", f"A={LONG}", "--env", f"{LONG}=1"],
        ["a.log"],
        ["--engine", "vllm", "--version", LONG],
    ):
        ran = advisor("check", *given, "--format", form, *more, cwd=tmp_path)
        assert ran.code in (0, 1, 2) and "x" * (MOST + 1) not in ran.out
        assert len(ran.out) < 90_000
    assert "left out) …" in " ".join(ran.out.replace("<wbr>", "").split())


def test_a_batch_neither(tmp_path: Path) -> None:
    rows = [
        {"engine": "vllm", "flags" + LONG: "x"},
        {"engine": "vllm", "version": LONG},
        {"engine": "vllm", "env": {LONG: LONG}},
        {"id": LONG, "engine": "vllm"},
    ]
    ran = advisor("check", "--batch", "-", stdin="\n".join(map(json.dumps, rows)))
    first, *others, last = ran.out.splitlines()
    assert all(len(one) < 50_000 for one in (first, *others))
    assert json.loads(last)["id"] == LONG  # what the caller finds its case by


def test_an_edit_stays_whole(tmp_path: Path) -> None:
    (tmp_path / "run.sh").write_text(
        f"vllm/vllm-openai:v0.28.0\nvllm serve m --served-model-name {LONG[:9000]} --swap-space 4\n"
    )
    (tmp_path / "pod.yaml").write_text(
        "apiVersion: v1\nkind: Pod\nmetadata: {name: p}\nspec:\n  containers:\n  - name: c\n"
        "    image: vllm/vllm-openai:v0.28.0\n"
        f"    args: [--model, m, --served-model-name, {LONG[:9000]}, --swap-space, '4']\n"
    )
    ran = advisor("fix", "pod.yaml", "--format", "json", cwd=tmp_path)
    assert "x" * 9000 in ran.out and "left out)" not in ran.out
    assert advisor("fix", "--write", "pod.yaml", cwd=tmp_path).code == 0
    assert LONG[:9000] in (tmp_path / "pod.yaml").read_text() and "swap" not in (tmp_path / "pod.yaml").read_text()
