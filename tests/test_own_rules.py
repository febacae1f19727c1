"""`--rules DIR`: a user's own rules are judged beside the shipped ones, all of them or none, and are nothing but data."""

from __future__ import annotations

import json
import os
import re
from collections.abc import Callable
from pathlib import Path

import pytest

from advisor.errors import UsageError
from advisor.jobs.own_rules import own_rules, take
from tests.front_door import Ran, advisor
from tests.own_rules import write

ID = "vllm/house-gateway-drops"
LAUNCH = ("--engine", "vllm", "--version", "0.28.0", "--flags", "vllm serve m -tp 3")
LINE = "ERROR house gateway dropped 7 requests\n"


WORDS = {
    "what": '"{{ 7 * 7 }} {% for a in b %} {{ cycler.__init__.__globals__.os }} `touch ran` $(touch ran) %s"',
    "run": "touch ran",
}


@pytest.fixture(scope="module")
def mine(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A folder of one rule, whose words are of every language that somebody might run."""
    folder = write(tmp_path_factory.mktemp("own") / "mine", **WORDS)
    (folder / "vllm" / "__init__.py").write_text("open('ran', 'w')")
    (folder / ID / "conftest.py").write_text("open('ran', 'w')")
    return folder


def checked(*folders: Path, form: str = "json", cwd: Path | None = None) -> Ran:
    rules = [word for one in folders for word in ("--rules", str(one))]
    return advisor("check", *LAUNCH, "-", *rules, "--format", form, stdin=LINE, cwd=cwd)


def test_own_rules_are_judged_beside_the_shipped_ones_and_marked(mine: Path) -> None:
    ran = checked(mine, mine)  # named twice, they are there once
    found = ran.finding(ID)
    assert ran.code == 1 and found["status"] == "matched"
    assert found["summary"].endswith("(your own rule: mine)")
    assert found["caveats"][0].startswith("A rule of your own folder")
    assert ran.report["coverage"]["rules"] > 30, "the shipped rules are judged as ever"
    chinese = advisor("explain", ID, "--rules", str(mine), "--lang", "zh")
    assert "您自己文件夹中的规则" in chinese.out.replace("\n", "")
    assert f"{ID} " in advisor("rules", "list", "--rules", str(mine)).out


def test_knowledge_beside_them_is_not_read_and_a_line_says_so(tmp_path: Path) -> None:
    mine = write(tmp_path / "mine")
    (mine / "knowledge" / "vllm").mkdir(parents=True)
    (mine / "knowledge" / "vllm" / "engine.yaml").write_text("!!python/object/apply:os.system ['touch ran']\n")
    ran = checked(mine, cwd=tmp_path)
    assert ran.code == 1 and ran.finding(ID)["status"] == "matched" and not (tmp_path / "ran").exists()
    assert ran.err == f"advisor: {mine}/knowledge is not read: what is known of engines is the advisor's own\n"


def test_they_are_linted_by_and_no_result_without_them_is_taken_for_one_with_them(mine: Path, tmp_path: Path) -> None:
    (tmp_path / "run.sh").write_text("pip install vllm==0.28.0\nvllm serve m -tp 3\n")
    for rules, there in (((), False), (("--rules", str(mine)), True), ((), False)):
        ran = advisor("lint", str(tmp_path / "run.sh"), *rules, "--format", "json")
        assert (ID in [one["id"] for one in json.loads(ran.out)["findings"]]) is there


def test_a_batch_is_judged_by_them_in_every_process(mine: Path, tmp_path: Path) -> None:
    case = json.dumps({"engine": "vllm", "version": "0.28.0", "launch": "vllm serve m -tp 3", "log": LINE})
    file = tmp_path / "cases.jsonl"
    file.write_text(f"{case}\n" * 101)
    ran = advisor("check", "--batch", str(file), "--rules", str(mine))
    reports = [json.loads(line) for line in ran.out.splitlines()]
    assert len(reports) == 101
    assert {one["findings"][0]["rule"] for one in reports} == {ID}


def test_nothing_in_them_is_run_or_filled_in(mine: Path, tmp_path: Path) -> None:
    before = sorted(map(str, mine.rglob("*")))
    for form in ("text", "markdown", "html"):
        ran = checked(mine, form=form, cwd=tmp_path)
        assert ran.code == 1
        assert "{{ 7 " in ran.out and "touch ran" in ran.out
    assert not list(tmp_path.iterdir())
    assert sorted(map(str, mine.rglob("*"))) == before


def bomb() -> str:
    rows = ["a0: &a0 [x, x, x, x, x, x, x, x, x, x]"]
    rows += [f"a{n}: &a{n} [{', '.join([f'*a{n - 1}'] * 10)}]" for n in range(1, 12)]
    return "\n".join(rows)


HOSTILE: dict[str, tuple[dict[str, str], str]] = {
    "look-ahead": ({"pattern": "a(?=b)"}, "'a(?=b)' is outside the linear-time language"),
    "look-behind": ({"pattern": "(?<=a)b"}, "'(?<=a)b' is outside the linear-time language"),
    "a look for what is not": ({"pattern": "a(?!b)"}, "'a(?!b)' is outside the linear-time language"),
    "an atomic group": ({"pattern": "(?>a+)b"}, "is outside the linear-time language"),
    "a back-reference": ({"pattern": r"(a)\1"}, "is outside the linear-time language"),
    "a group called again": ({"pattern": "(?P<a>b)(?P=a)"}, "is outside the linear-time language"),
    "repeats past all bounds": ({"pattern": "((a{1,900}){1,900}){1,900}"}, "is outside the linear-time language"),
    "a pattern without end": ({"pattern": "a|" * 4000}, "is longer than 4000 characters"),
    "a tag": ({"more": "zh: !!python/object/apply:os.system [touch ran]"}, "YAML tags are not accepted"),
    "another tag": ({"more": "zh: !include /etc/passwd"}, "YAML tags are not accepted"),
    "a key twice": ({"more": "level: note"}, "duplicate key"),
    "a billion laughs": ({"more": f"zh:\n  {bomb().replace(chr(10), chr(10) + '  ')}"}, "more than 100000 values"),
    "an anchor in itself": ({"more": "zh: &a [*a]"}, ""),
    "a merge of itself": ({"more": "zh: &a {<<: *a}"}, "cannot be read as YAML"),
    "a list for a key": ({"more": "? [a, b]\n: 1"}, "a key that is no plain value"),
    "100,000 brackets": ({"more": f"zh: {'[' * 100_000}"}, "nested deeper"),
    "70 levels": ({"more": f"zh: {'{a: ' * 70}1{'}' * 70}"}, "nested deeper"),
    "two megabytes": ({"more": f"# {'x' * (2 << 20)}"}, "larger than 1048576 bytes"),
    "a word that rules do not know": ({"more": "exec: rm"}, "is not a word rules know"),
    "a mapping for a key": ({"more": "? {a: b}\n: 1"}, "a key that is no plain value"),
    "an ordered map": ({"more": "zh: !!omap [a: 1]"}, ""),
    "bytes": ({"more": "zh: !!binary aGk="}, ""),
    "a number of a million digits": ({"more": f"zh: {'9' * 900_000}"}, "Exceeds the limit"),
    "a control": ({"more": "# \x00"}, "special characters are not allowed"),
    "no YAML": ({"more": "\t: ["}, ""),
    "a name of the advisor's": ({"id": "vllm/pp-broadcast-skew"}, "the advisor has a rule of that name"),
}


@pytest.mark.parametrize("name", HOSTILE)
def test_a_fault_is_a_line_with_its_place_and_nothing_is_used(tmp_path: Path, name: str) -> None:
    texts, said = HOSTILE[name]
    texts = {"id": "vllm/hostile", **texts}
    write(write(tmp_path / "mine"), **texts)
    line, *_ = take([tmp_path / "mine"])
    assert re.match(rf"mine/{texts['id']}/rule\.yaml:[1-9]\d*: ", line) and said in line, line
    assert len(line) < 600 and not own_rules()


def test_it_ends_the_run(tmp_path: Path) -> None:
    write(write(tmp_path / "mine"), "vllm/hostile", pattern=r"(a)\1")
    ran = checked(tmp_path / "mine")
    assert ran.code == 2 and ran.out == ""
    first, last = ran.err.splitlines()
    assert first.startswith(r"advisor: mine/vllm/hostile/rule.yaml:10: '(a)\\1' is outside"), first
    assert last == "advisor: none of the rules that --rules names is used until they are mended"
    listed = advisor("rules", "validate", "--rules", str(tmp_path / "mine"))
    assert listed.code == 1 and "rule.yaml:10: " in listed.out


def test_a_name_may_be_taken_once(tmp_path: Path) -> None:
    one, two = write(tmp_path / "one"), write(tmp_path / "two")
    assert take([one, two]) == (
        f"two/{ID}/rule.yaml:1: {ID}: one/{ID}/rule.yaml is called so too; choose another [id-taken]",
    )


def device(file: Path) -> None:
    file.symlink_to("/dev/zero")


def noise(file: Path) -> None:
    file.write_bytes(bytes(range(256)) * 20)


@pytest.mark.parametrize("make", [os.mkfifo, device, noise])
def test_what_is_no_text_is_no_rule(tmp_path: Path, make: Callable[[Path], None]) -> None:
    mine = write(tmp_path / "mine")
    (mine / "vllm" / "odd").mkdir()
    make(mine / "vllm" / "odd" / "rule.yaml")
    (line,) = take([mine])
    assert line.startswith("mine/vllm/odd/rule.yaml:1: ")


def test_a_folder_that_is_none(tmp_path: Path) -> None:
    (tmp_path / "empty").mkdir()
    for folder, said in ((tmp_path / "nowhere", "no such folder"), (tmp_path / "empty", "no rules here")):
        with pytest.raises(UsageError, match=said):
            take([folder])
