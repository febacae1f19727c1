"""Hostile texts in every place that a user, or whoever sent the files, fills in; looked for in all that is written."""

from __future__ import annotations

import re
import unicodedata
from html.parser import HTMLParser
from pathlib import Path

import pytest

from tests.front_door import advisor

UNSAFE = ("Cc", "Cf", "Cs", "Zl", "Zp")
"""Controls, what formats unseen, halves of characters, and the other ends of lines."""
STRINGS = {
    "a colour": "\x1b[31mred",
    "a title": "\x1b]0;owned\x07",
    "a clipboard": "\x1b]52;c;ZWNobw==\x07",
    "a link": "\x1b]8;;http://x\x1b\\y",
    "controls of eight bits": "\x9b31m\x9d0;x\x9c",
    "a carriage return": "safe\r::error::gone",
    "a line end": "a\n::error file=x::gone",
    "backspaces": "abc\b\b\bxyz",
    "text turned round": "abc\u202egnp.exe\u2066",
    "nothing to see": "a\u200b\u200d\u2060\u00adb",
    "half a character": "a\udcffb",
    "markup": "<script>alert(1)</script><img src=x onerror=alert(2)>\"'><b onclick=x>",
    "a fence": "```\n</pre>\n# heading\n[x](javascript:alert(1))|a|b",
    "a command": "::set-output name=x::y%0A::error::z",
}  # fmt: skip
PLACES = {
    "--engine": ["--engine", "{}"],
    "--version": ["--engine", "vllm", "--version", "0.28.0{}"],
    "--flags": [
        "--engine",
        "vllm",
        "--version",
        "0.28.0",
        "--flags",
        "vllm serve m --served-model-name '{}' --swap-space 4",
    ],
    "a flag's name": ["--engine", "vllm", "--version", "0.28.0", "--flags", "vllm serve m --swap-spac'{}' 4"],
    "--env": ["--engine", "vllm", "--version", "0.28.0", "--env", "VLLM_ATTENTION_BACKEND={}"],
    "a variable's name": ["--engine", "vllm", "--env", "A{}=1"],
    "--component": ["--engine", "vllm", "--component", "nccl=2{}"],
    "--hardware": ["--engine", "vllm", "--hardware", "8x {}"],
    "--model": ["--engine", "vllm", "--flags", "vllm serve m", "--model", "{}"],
    "--symptom": ["--engine", "vllm", "--symptom", "it hangs {}"],
    "--log": ["--log", "{}.log"],
    "a file": ["{}.log"],
    "--repo": ["--repo", "{}"],
    "--output": ["--engine", "vllm", "--output", "nowhere/{}"],
    "--batch": ["--batch", "{}"],
    "--rules": ["--engine", "vllm", "--rules", "{}"],
    "an option": ["--{}"],
    "a log's line": ["-"],
}


class Elements(HTMLParser):
    """Every element of a page with the names of its attributes."""

    def __init__(self) -> None:
        super().__init__()
        self.found: set[tuple[str, str]] = set()

    def handle_starttag(self, tag: str, attributes: list[tuple[str, str | None]]) -> None:
        self.found |= {(tag, ""), *((tag, name) for name, _ in attributes)}
        self.found |= {
            (tag, "javascript:") for _, value in attributes if (value or "").strip().lower().startswith("javascript:")
        }


def safe(text: str) -> str | None:
    """What of a text could drive a terminal or hide itself, by Unicode's own word for each character."""
    at = next((at for at, one in enumerate(text) if one not in "\n\t" and unicodedata.category(one) in UNSAFE), None)
    return None if at is None else text[max(0, at - 60) : at + 21]


def log_of(texts: list[str]) -> str:
    lines = [f"ERROR (Worker_TP0 pid=1{one}) RPC call to sample_tokens timed out {one}" for one in texts]
    return "INFO vLLM API server version 0.28.0\n" + "\n".join(lines) + "\n"


@pytest.mark.parametrize("place", PLACES)
def test_no_place_drives_the_terminal(place: str, tmp_path: Path) -> None:
    everything = " ".join(STRINGS.values()).replace("'", "")
    words = [
        one.replace("{}", everything.replace("/", "")[:200] if "file" in place or "log" in place else everything)
        for one in PLACES[place]
    ]
    stdin = log_of(list(STRINGS.values())) if words == ["-"] else ""
    ran = advisor("check", *words, stdin=stdin.encode("utf-8", "surrogateescape"), cwd=tmp_path)
    assert ran.code in (0, 1, 2), ran.err[-600:]
    assert safe(ran.out) is None
    assert safe(ran.err) is None
    assert all(line.startswith(("advisor: ", "Usage", "Try")) for line in ran.err.splitlines()), ran.err


def planted(tmp_path: Path, text: str) -> Path:
    """A deployment with the text in every place."""
    quoted = (
        '"'
        + "".join(f"\\u{ord(one):04x}" if not one.isalnum() else one for one in text if not 0xD800 <= ord(one) < 0xE000)
        + '"'
    )
    file = tmp_path / "pod.yaml"
    file.write_text(
        f"apiVersion: v1\nkind: Pod\nmetadata: {{name: {quoted}, labels: {{{quoted}: a}}}}\nspec:\n  containers:\n"
        f"  - name: {quoted}\n    image: vllm/vllm-openai:v0.28.0\n"
        f"    args: [--model, {quoted}, --swap-space, {quoted}, --kv-cache-dtype, {quoted}]\n"
        f"    env: [{{name: VLLM_ATTENTION_BACKEND, value: {quoted}}}, {{name: VLLM_USE_V{quoted[1:-1]}, value: a}}]\n",
        encoding="utf-8",
    )
    return file


@pytest.mark.parametrize("form", ["text", "markdown", "github", "gitlab", "sarif", "junit", "json"])
def test_no_form_of_lint_is_broken_out_of(form: str, tmp_path: Path) -> None:
    file = planted(tmp_path, " ".join(STRINGS.values()))
    ran = advisor("lint", str(file), "--format", form, "--no-cache")
    assert ran.code in (0, 1), ran.err
    assert safe(ran.out.replace("\u200b", "") if form == "markdown" else ran.out) is None
    assert "<script>" not in ran.out if form in ("markdown", "junit") else True
    if form == "github":
        assert all(
            re.match(r"::(?:error|warning|notice) |advisor lint: 1 launch|$", line) for line in ran.out.splitlines()
        ), ran.out
    if form == "markdown":
        assert not re.search(r"(?m)^# heading|^::", ran.out)


def test_a_page_has_no_element_more(tmp_path: Path) -> None:
    def page(text: str) -> set[tuple[str, str]]:
        parser = Elements()
        ran = advisor("check", "-", "--engine", "vllm", "--version", "0.28.0", "--format", "html",
                      "--flags", f"vllm serve m --served-model-name '{text}' --swap-space 4", "--model", text or "m",
                      "--env", f"A={text}", stdin=log_of([text]))  # fmt: skip
        assert ran.code in (0, 1), ran.err
        parser.feed(ran.out)
        assert safe(ran.out) is None
        return parser.found

    usual = page("")
    hostile = page(STRINGS["markup"].replace("'", "") + STRINGS["a fence"].replace("`", ""))
    assert {
        one for one in hostile - usual if one[0] in ("script", "img", "iframe", "object") or one[1].startswith("on")
    } == set()
    assert not [one for one in hostile if one[1] == "javascript:"]
