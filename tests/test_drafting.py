"""`advisor draft` and `advisor rules new`: a rule's folder to fill in, of which nothing is used until it is filled."""

from __future__ import annotations

import re
import shutil
from pathlib import Path

import pytest

from advisor.jobs.draft import pattern_of
from advisor.patterns import compile_pattern
from tests.front_door import Ran, advisor

ISSUE = """\
# [Bug]: vLLM 0.28.0: frobnicator out of range with MTP

https://github.com/vllm-project/vllm/issues/99999

```
HF_TOKEN=hf_abcdefghijklmnopqrstuvwxyz012345 vllm serve m/x --tensor-parallel-size 4 --speculative-config '{"method":"mtp"}'
```

After 20 minutes it crashes on 4x H100:

```
ERROR 08-22 11:02:41 [core.py:899] IndexError: frobnicator 1234 out of range in /opt/venv/lib/frob.py (0x7f00aa)
ERROR 08-22 11:02:41 [async_llm.py:525] vllm.v1.engine.exceptions.EngineDeadError: EngineCore encountered an issue.
```
"""


def drafted(folder: Path, text: str = ISSUE, *arguments: str) -> tuple[Ran, str]:
    (folder / "rules").mkdir(exist_ok=True)
    (folder / "issue.md").write_text(text)
    ran = advisor("draft", "issue.md", *arguments, cwd=folder)
    files = sorted((folder / "rules").glob("*/*/rule.yaml"))
    return ran, files[0].read_text() if files else ""


def test_a_draft_holds_what_the_report_gives(tmp_path: Path) -> None:
    ran, text = drafted(tmp_path)
    assert ran.code == 0, ran.err
    assert "id: vllm/frobnicator-out-range-mtp" in text
    assert 'aliases: ["vllm-project/vllm#99999"]' in text
    assert "Reported on: vllm 0.28.0." in text
    assert "#     - {setting: --tensor-parallel-size, is: 4}" in text
    assert "#     - {setting: --speculative-config.method, is: 'mtp'}" in text
    assert "#     - {hardware: accelerator, is: 'H100'}" in text
    assert r"{log: 'IndexError: frobnicator [\d.]+ out of range in \S*/frob\.py \(0x[0-9a-f]+\)'}" in text


def test_a_line_that_rules_have_is_named_apart(tmp_path: Path) -> None:
    ran, text = drafted(tmp_path)
    signature = text.partition("signature:")[2].partition("details:")[0]
    assert "EngineDeadError" not in "".join(
        line for line in signature.splitlines() if not line.lstrip().startswith("#")
    )
    assert "issue.md:13: rules have this line already" in ran.out


def test_nothing_secret_is_written(tmp_path: Path) -> None:
    drafted(tmp_path)
    assert not [one for one in (tmp_path / "rules").rglob("*") if one.is_file() and "hf_abcdef" in one.read_text()]


def test_every_blank_is_listed_and_the_draft_is_used_for_nothing(tmp_path: Path) -> None:
    ran, _ = drafted(tmp_path)
    assert_blanks_are_what_validate_lists(ran, tmp_path)


def assert_blanks_are_what_validate_lists(ran: Ran, folder: Path) -> None:
    """The blanks that were announced are those that validate lists, and those that stand in the files."""
    checked = advisor("rules", "validate", "--rules", "rules", cwd=folder)
    listed = [line.replace(" is still blank:", "").removesuffix(" [blank]") for line in checked.out.splitlines()[:-1]]
    count, *told = ran.out.partition(" blanks to fill")[0].splitlines()[-1:] + [
        line.strip() for line in ran.out.splitlines() if line.startswith("  rules/")
    ]
    assert checked.code == 1 and told == listed and int(count) == len(listed)
    stand = sum(
        row.count("BLANK:")
        for file in (folder / "rules").rglob("*.yaml")
        for row in file.read_text().splitlines()
        if not row.startswith("#")
    )
    assert stand == len(listed)


def test_the_build_of_a_draft_is_written_as_check_takes_it(tmp_path: Path) -> None:
    for text, version in (
        ("# frobnicates\n\nSGLang 0.5.16 with --tp 4", "0.5.16"),
        ("# frobnicates\n\nlmsysorg/sglang:v0.5.16-cu130 with --tp 4", "0.5.16"),
        ("# frobnicates\n\nsglang main at 4f3a2b1c9d with --tp 4", "4f3a2b1c9d"),
    ):
        drafted(tmp_path, text, "--id", "sglang/odd-one")
        case = (tmp_path / "rules/sglang/odd-one/cases/fires-report/expect.yaml").read_text()
        assert f'version: "{version}"' in case
        shutil.rmtree(tmp_path / "rules/sglang")


def test_filled_in_it_is_a_rule_that_fires_on_the_report(tmp_path: Path) -> None:
    _, text = drafted(tmp_path)
    day = re.sub(r'"BLANK: (?:its day|the day)[^"]*"', '"2026-11-29"', text)
    (tmp_path / "rules/vllm/frobnicator-out-range-mtp/rule.yaml").write_text(re.sub(r"BLANK: ", "", day))
    for case in (tmp_path / "rules").rglob("expect.yaml"):
        case.write_text(re.sub(r"BLANK: ", "", re.sub(r'"BLANK: its day[^"]*"', '"2026-11-29"', case.read_text())))
    checked = advisor("rules", "validate", "--rules", "rules", cwd=tmp_path)
    assert checked.out.endswith("1 rule, 0 problems\n"), checked.out


def test_an_id_and_an_address_of_ones_own(tmp_path: Path) -> None:
    ran, text = drafted(
        tmp_path, "it hangs after a while", "--id", "sglang/odd-one", "--url", "https://github.com/a/b/issues/7"
    )
    assert ran.code == 0 and "id: sglang/odd-one" in text and 'aliases: ["a/b#7"]' in text


@pytest.mark.parametrize(
    ("text", "arguments", "says"),
    [
        ("", (), "is empty"),
        ("something hangs somewhere", (), "names no engine"),
        (ISSUE, ("--id", "Vllm/X"), "not an id"),
        (ISSUE, ("--id", "torch/x"), "engines: "),
        (ISSUE, ("--id", "vllm/pp-broadcast-skew"), "there is a rule"),
        (ISSUE, ("--rules", "nowhere"), "no such folder"),
    ],
)
def test_what_cannot_be_drafted_is_one_line_and_nothing_is_written(
    tmp_path: Path, text: str, arguments: tuple[str, ...], says: str
) -> None:
    ran, _ = drafted(tmp_path, text, *arguments)
    assert ran.code == 2 and says in ran.err and ran.err.count("\n") == 1
    assert not list((tmp_path / "rules").iterdir())


def test_what_is_there_is_not_written_over(tmp_path: Path) -> None:
    drafted(tmp_path)
    ran, text = drafted(tmp_path)
    assert ran.code == 2 and "is there already" in ran.err and text


def test_a_new_rule_asks_in_every_place(tmp_path: Path) -> None:
    (tmp_path / "rules").mkdir()
    ran = advisor("rules", "new", "xllm/some-failure", cwd=tmp_path)
    assert ran.code == 0
    assert_blanks_are_what_validate_lists(ran, tmp_path)
    tested = advisor("rules", "test", "--rules", "rules", cwd=tmp_path)
    assert tested.code == 0 and "3 cases, 0 failed" in tested.out
    assert advisor("rules", "validate", "--rules", "rules", cwd=tmp_path).code == 1


@pytest.mark.parametrize(
    ("line", "also"),
    [
        ("Check failed: 3 == 4 at 0x7fab", "Check failed: 31 == 7 at 0x00"),
        ("no file /usr/lib/a.so.1: (boo)", "no file /home/x/y/a.so.12: (boo)"),
        ("a [b] {c} (d) | e? f* g+ ^h$ \\i", "a [b] {c} (d) | e? f* g+ ^h$ \\i"),
    ],
)
def test_a_line_as_a_pattern_finds_itself_and_its_like(line: str, also: str) -> None:
    pattern = compile_pattern(pattern_of(line))
    assert pattern.search(line) is not None and pattern.search(also) is not None
    assert pattern.search("another line") is None


def test_no_secret_of_a_line_or_a_model_is_written(tmp_path: Path) -> None:
    text = (
        "# vllm fails\n\n```\nvllm serve https://user:passw0rd@host/m --tp 2\n```\n```\n"
        "ERROR 08-22 11:02:41 [a.py:1] RuntimeError: unauthorized token hf_abcdefghijklmnopqrstuvwxyz012345 failed\n```\n"
    )
    _, rule = drafted(tmp_path, text, "--id", "vllm/secret")
    assert rule and "passw0rd" not in rule and "hf_abcdef" not in rule


@pytest.mark.parametrize("odd", ["\x9b31m", "\x1b[31m", "\ufffe", "\u202e", "\x00"])
def test_what_yaml_does_not_take_or_drives_a_terminal_is_left_out(tmp_path: Path, odd: str) -> None:
    drafted(tmp_path, f"# vllm x {odd} y\nRuntimeError: red {odd} failed here\n", "--id", "vllm/odd")
    ran = advisor("rules", "validate", "--rules", "rules", cwd=tmp_path)
    assert {line.rsplit("[", 1)[1] for line in ran.out.splitlines()[:-1]} == {"blank]"}
    assert not [one for one in (tmp_path / "rules").rglob("*") if one.is_file() and odd in one.read_text()]


def test_a_title_that_is_an_address_is_no_title(tmp_path: Path) -> None:
    _, rule = drafted(tmp_path, f"https://github.com/vllm-project/vllm/issues/9\n{ISSUE}")
    assert "id: vllm/frobnicator-out-range-mtp" in rule


@pytest.mark.parametrize("id", ["vllm/" + "a" * 300, "vllm/a-", "/etc/x", "../x"])
def test_an_id_that_no_folder_can_have_is_refused(tmp_path: Path, id: str) -> None:
    (tmp_path / "rules").mkdir()
    ran = advisor("rules", "new", id, cwd=tmp_path)
    assert ran.code == 2 and "not an id" in ran.err


def test_the_cases_of_another_folder_are_judged_by_its_own_rules(tmp_path: Path) -> None:
    _, text = drafted(tmp_path)
    day = re.sub(r'"BLANK: (?:its day|the day)[^"]*"', '"2026-11-29"', text)
    folder = tmp_path / "rules/vllm/frobnicator-out-range-mtp"
    (folder / "rule.yaml").write_text(re.sub(r"BLANK: ", "", day))
    case = next(folder.glob("cases/fires-*")) / "expect.yaml"
    held = "given: {engine: vllm}\nexpect: {status: matched, leads: true}\nsource: [{artefact: x, date: 2026-11-29}]\n"
    case.write_text(held)
    tested = ("rules", "test", "vllm/frobnicator-out-range-mtp", "--rules", "rules")
    assert "FAIL" not in advisor(*tested, cwd=tmp_path).out
    case.write_text(held.replace("matched", "none"))
    assert "FAIL  vllm/frobnicator-out-range-mtp/cases/fires-" in advisor(*tested, cwd=tmp_path).out
