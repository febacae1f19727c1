"""`advisor fix`: which findings are edited for, what is left and why, diffs that other tools take, files written whole."""

from __future__ import annotations

import json
import os
import re
import shutil
import signal
import stat
import subprocess
import sys
import time
from collections.abc import Sequence
from datetime import date
from functools import cache
from pathlib import Path

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from advisor.errors import UsageError
from advisor.jobs import fix as job
from advisor.jobs import mending
from advisor.jobs.fix import FixRequest, diff, fix
from advisor.jobs.fix_choice import Choice
from advisor.jobs.fix_plan import Plan
from advisor.jobs.lint import LintRequest
from advisor.jobs.lint_judging import findings_of
from advisor.jobs.mending import mend
from advisor.launches.files.editing import Change, edited
from advisor.launches.files.recognise import read_file
from advisor.model.deployment import Deployment
from advisor.model.lint import LintFinding
from advisor.model.repair import FileRepair, RepairReport
from tests.deployment_pairs import KNOWLEDGE, ROOT, name_of, pairs, read
from tests.front_door import advisor

CORPUS = {name_of(file): expected for file, expected in pairs()}
FIXABLE = sorted(name for name, expected in CORPUS.items() if any("fixable" in one for one in expected["workloads"]))
OLD = (ROOT / "shell/old-flags.sh").read_bytes()


def fixed(*paths: Path, unsafe: bool = False, write: bool = False) -> RepairReport:
    request = LintRequest(paths, date(2026, 11, 29), processes=1, respect_ignore=False)
    return fix(FixRequest(request, unsafe=unsafe, write=write))


def only(report: RepairReport) -> FileRepair:
    (found,) = report.files
    return found


def mended(text: str, name: str = "run.sh", *, unsafe: bool = False) -> mending.Mended:
    return mend(read_file(name, text.encode(), KNOWLEDGE), KNOWLEDGE, unsafe=unsafe)


def serve(version: str, flags: str) -> str:
    return f"pip install vllm=={version}\nvllm serve m {flags}\n"


def command(text: str) -> str:
    return text.splitlines()[-1]


# the corpus


@pytest.mark.parametrize("name", FIXABLE)
def test_the_lines_expected_change_and_no_others(name: str) -> None:
    wanted = [one for each in CORPUS[name]["workloads"] for ones in each.get("fixable", {}).values() for one in ones]
    found = mend(read(ROOT / name), KNOWLEDGE, unsafe=False)
    made = diff("f", read(ROOT / name).text, found.deployment.text).replace("\r", "")
    assert sorted(set(re.findall(r"(?m)^[+-](?!\+\+|--).*$", made))) == sorted(set(wanted))


@pytest.mark.parametrize("unsafe", [False, True])
def test_what_is_fixed_is_gone_and_stays_so(tmp_path: Path, unsafe: bool) -> None:
    shutil.copytree(ROOT, tmp_path / "all", ignore=shutil.ignore_patterns("*.expect.yaml", "broken"))
    first = fixed(tmp_path / "all", unsafe=unsafe, write=True)
    done = [(file.name, one.id, one.workload) for file in first.files for one in file.repairs if one.done]
    assert len(done) >= (15 if not unsafe else 40)
    for file in first.files:
        again = findings_of(read_file(file.name, Path(file.name).read_bytes(), KNOWLEDGE))
        left = {(one.id, one.workload, one.says) for one in again}
        assert not [one for one in file.repairs if one.done and (one.id, one.workload, one.says) in left]
        assert not [one for one in file.new if one.level == "error"]
    second = fixed(tmp_path / "all", unsafe=unsafe, write=True)
    assert [file.name for file in second.files if file.diff] == [], "a fixed file stays as it is"


def test_git_and_patch_take_the_diff(tmp_path: Path) -> None:
    for copy in ("git", "patch"):
        shutil.copytree(ROOT, tmp_path / copy, ignore=shutil.ignore_patterns("*.expect.yaml", "broken"))
    odd = tmp_path / "git" / "a folder" / "no end.sh"
    odd.parent.mkdir()
    odd.write_bytes(OLD.rstrip(b"\n"))
    shutil.copytree(odd.parent, tmp_path / "patch" / "a folder")
    before = os.getcwd()
    os.chdir(tmp_path / "git")
    try:
        made = "".join(one.diff for one in fixed(Path(), unsafe=True).files)
    finally:
        os.chdir(before)
    assert "a/a folder/no end.sh\t\n" in made and "\\ No newline at end of file\n" in made and "\r\n" in made
    (tmp_path / "x.patch").write_bytes(made.encode())
    run = ["git", "apply", "--whitespace=nowarn", "../x.patch"]
    subprocess.run(run, cwd=tmp_path / "git", check=True, env={**os.environ, "GIT_CEILING_DIRECTORIES": str(tmp_path)})
    subprocess.run(["patch", "-p1", "--binary", "-s", "-i", "../x.patch"], cwd=tmp_path / "patch", check=True)
    for copy in ("git", "patch"):
        left = fixed(tmp_path / copy, unsafe=True)
        assert [one.name for one in left.files if one.diff] == []


@cache
def places() -> list[tuple[str, Change]]:
    found = []
    for name in sorted(CORPUS):
        for index, one in enumerate(read(ROOT / name).workloads):
            for each in one.launch.settings:
                found.append((name, Change(index, "remove", each.flag)))
                if isinstance(each.value, int) and not isinstance(each.value, bool):
                    found.append((name, Change(index, "set", each.flag, value=each.value + 1)))
            for given_ in one.environment:
                found.append((name, Change(index, "set variable", given_.name)))
                found.append((name, Change(index, "set variable", given_.name, value="7")))
            found.append((name, Change(index, "set variable", "NCCL_CUMEM_ENABLE", value="0")))
    return found


@settings(max_examples=150, deadline=None)
@given(st.data())
def test_an_edit_never_changes_another_token(data: st.DataObject) -> None:
    """Either nothing changes, or what is said of every launch but for the one name is as before."""
    name, change = data.draw(st.sampled_from(places()))
    before = read(ROOT / name)
    after = edited(before, (change,), KNOWLEDGE)
    if after.problem:
        assert after.deployment.text == before.text
        return
    head = change.name.partition(".")[0]
    held = {one.name for each in before.workloads for one in each.environment if head in one.value}
    assert _told(before, head, held) == _told(after.deployment, head, held)
    lines, now = before.text.split("\n"), after.deployment.text.split("\n")
    comments = [one for one in lines if re.match(r"\s*#", one)]
    assert [one for one in now if re.match(r"\s*#", one)] == comments
    assert ("\r\n" in before.text) == ("\r\n" in after.deployment.text)


def _told(deployment: Deployment, head: str, held: set[str]) -> list[object]:
    return [
        (
            one.identity(),
            [(each.flag, str(each.value)) for each in one.launch.settings if each.flag.partition(".")[0] != head],
            [(each.name, each.value) for each in one.environment if each.name not in {head, *held}],
            [(each.kind, each.text) for each in one.versions],
        )
        for one in deployment.workloads
    ]


# which edits


def test_a_refused_flag_is_dropped_by_itself() -> None:
    done = mended(serve("0.28.0", "--swap-space 4 --seed 1"))
    assert command(done.deployment.text) == "vllm serve m --seed 1"
    assert [(one.id, one.edit, one.done) for one in done.repairs] == [("setting-removed", "safe", True)]


def test_an_inverted_flag_turns_its_value_round() -> None:
    assert (
        command(mended(serve("0.28.0", "--disable-log-requests --seed 1")).deployment.text) == "vllm serve m --seed 1"
    )


def test_a_flag_that_takes_no_value_any_more() -> None:
    done = mended(serve("0.28.0", "--enable-chunked-prefill False --seed 1"))
    assert command(done.deployment.text) == "vllm serve m --no-enable-chunked-prefill --seed 1"
    done = mended(serve("0.28.0", "--enable-chunked-prefill=true --seed 1"))
    assert command(done.deployment.text) == "vllm serve m --enable-chunked-prefill --seed 1"


def test_a_flag_whose_value_means_something_else_is_not_renamed() -> None:
    done = mended(serve("0.28.0", "--num-speculative-tokens 3"), unsafe=True)
    assert command(done.deployment.text) == "vllm serve m --num-speculative-tokens 3"


def test_a_variable_in_another_unit_is_not_renamed() -> None:
    text = "pip install sglang==0.5.16\nexport SGLANG_QUEUED_TIMEOUT_MS=30000\npython -m sglang.launch_server --model-path m --tp 1\n"
    done = mended(text, unsafe=True)
    assert "variable-deprecated" in {one.id for one in done.before} and done.deployment.text == text


def test_what_begins_to_count_is_not_changed_by_itself() -> None:
    text = "pip install vllm==0.28.0\nexport VLLM_ATTENTION_BACKEND=FLASHINFER\nvllm serve m --seed 1\n"
    safe = mended(text)
    assert safe.deployment.text == text and safe.repairs[0].why == "not made without --unsafe"
    assert command(mended(text, unsafe=True).deployment.text) == "vllm serve m --seed 1 --attention-backend FLASHINFER"


def test_where_the_release_is_not_known_nothing_is_edited_by_itself() -> None:
    done = mended("pip install vllm\nvllm serve m --swap-space 4\n")
    assert done.deployment.text.endswith("--swap-space 4\n")


def test_a_remedy_that_costs_something_waits_to_be_asked() -> None:
    flags = '--pipeline-parallel-size 2 --speculative-config \'{"method": "dspark"}\''
    assert not [one for one in mended(serve("0.28.0", flags)).repairs if one.done]
    assert (
        command(mended(serve("0.28.0", flags), unsafe=True).deployment.text)
        == "vllm serve m --pipeline-parallel-size 2"
    )


def test_a_remedy_that_costs_nothing_is_made() -> None:
    name = "compose/folded.docker-compose.yml"
    (one,) = [each for each in mend(read(ROOT / name), KNOWLEDGE, unsafe=False).repairs if each.done]
    assert (one.id, one.edit) == ("vllm/v2-pp-sync-scheduling-corrupts", "safe")


def test_two_remedies_for_one_setting_are_both_left(monkeypatch: pytest.MonkeyPatch) -> None:
    text = serve("0.28.0", "--swap-space 4 --disable-log-requests")

    def pulling(deployment: Deployment, findings: Sequence[LintFinding]) -> list[Plan]:
        change = (Change(0, "set", "--seed", value=1), Change(0, "set", "--seed", value=2))
        return [Plan(one, (Choice((each,), "safe"),)) for one, each in zip(findings, change, strict=False)]

    monkeypatch.setattr(mending, "plans", pulling)
    done = mended(text)
    assert done.deployment.text == text
    assert all("asks for something else of --seed" in one.why for one in done.repairs) and len(done.repairs) == 2


def test_an_edit_that_brings_an_error_or_harm_is_dropped(monkeypatch: pytest.MonkeyPatch) -> None:
    spec = '--speculative-config \'{"method": "eagle3", "model": "d"}\''
    text = serve("0.31.0", f"--pipeline-parallel-size 2 {spec} --swap-space 4")

    def harming(deployment: Deployment, findings: Sequence[LintFinding]) -> list[Plan]:
        change = Change(0, "set", "--async-scheduling", value=False)
        return [Plan(one, (Choice((change,), "safe"),)) for one in findings if one.id == "setting-removed"]

    monkeypatch.setattr(mending, "plans", harming)
    done = mended(text)
    assert done.deployment.text == text
    assert [one.why for one in done.repairs] == ["it would bring vllm/v2-pp-sync-scheduling-corrupts"]


def test_what_is_suppressed_is_not_edited(tmp_path: Path) -> None:
    file = tmp_path / "run.sh"
    file.write_text("pip install vllm==0.28.0\n# advisor: ignore[setting-removed] needed by a wrapper\n"
                    "vllm serve m --swap-space 4\n")  # fmt: skip
    assert fixed(file).files == ()


# writing


def test_a_file_is_written_in_place(tmp_path: Path) -> None:
    file, link = tmp_path / "run.sh", tmp_path / "link.sh"
    file.write_bytes(OLD)
    file.chmod(0o750)
    link.symlink_to(file)
    dry = only(fixed(link))
    assert not dry.written and dry.diff and file.read_bytes() == OLD
    done = only(fixed(link, write=True))
    assert done.written and link.is_symlink() and b"--swap-space" not in file.read_bytes()
    assert stat.S_IMODE(file.stat().st_mode) == 0o750
    assert sorted(one.name for one in tmp_path.iterdir()) == ["link.sh", "run.sh"]


def test_encodings_and_line_ends_stay(tmp_path: Path) -> None:
    text = OLD.decode()
    for name, content in (
        ("bom.sh", b"\xef\xbb\xbf" + text.encode()),
        ("crlf.sh", text.replace("\n", "\r\n").encode()),
        ("utf16.sh", ("\ufeff" + text).encode("utf-16-le")),
        ("latin.sh", b"# caf\xe9\n" + text.encode()),
    ):
        file = tmp_path / name
        file.write_bytes(content)
        fixed(file, write=True)
        swap, logs = "  --swap-space 16 \\\n", "  --disable-log-requests \\\n"
        wanted = text.replace(swap, "").replace(logs, "")
        if name == "utf16.sh":
            assert file.read_bytes() == ("\ufeff" + wanted).encode("utf-16-le")
        else:
            plain = file.read_bytes().replace(b"\r\n", b"\n").removeprefix(b"\xef\xbb\xbf").removeprefix(b"# caf\xe9\n")
            assert plain == wanted.encode()
            assert (b"\r\n" in file.read_bytes()) == (name == "crlf.sh")
            assert file.read_bytes()[:3] == content[:3]


def test_a_file_that_changed_meanwhile_is_not_overwritten(tmp_path: Path) -> None:
    file = tmp_path / "run.sh"
    file.write_bytes(b"new")
    with pytest.raises(UsageError, match="changed while"):
        job.write(file, b"old", b"edited")
    assert file.read_bytes() == b"new"


def test_killed_while_it_writes_a_file_is_old_or_new(tmp_path: Path) -> None:
    file = tmp_path / "big.sh"
    old, new = b"o" * 3_000_000, b"n" * 3_000_000
    file.write_bytes(old)
    code = (
        "import sys; from pathlib import Path; from advisor.jobs.fix import write\n"
        "a, b = b'o' * 3_000_000, b'n' * 3_000_000\n"
        "f = Path(sys.argv[1]); print('go', flush=True)\n"
        "while True:\n    now = f.read_bytes(); write(f, now, b if now == a else a)\n"
    )
    for wait in (0.01, 0.03, 0.05, 0.08):
        running = subprocess.Popen(
            [sys.executable, "-c", code, str(file)], stdout=subprocess.PIPE, cwd=Path(__file__).parents[2]
        )
        assert running.stdout is not None and running.stdout.readline() == b"go\n"
        time.sleep(wait)
        running.send_signal(signal.SIGKILL)
        running.wait()
        running.stdout.close()
        assert file.read_bytes() in (old, new)


# the front door


def test_the_diff_goes_out_and_the_reasons_beside_it(tmp_path: Path) -> None:
    (tmp_path / "run.sh").write_bytes(OLD)
    dry = advisor("fix", "run.sh", cwd=tmp_path)
    assert dry.code == 1 and dry.out.startswith("--- a/run.sh\n+++ b/run.sh\n@@ ")
    assert "run.sh:7 setting-removed (safe): remove --swap-space" in dry.err and "not written (--write)" in dry.err
    assert "variable-replaced left" in dry.err
    assert advisor("fix", "--write", "--unsafe", "run.sh", cwd=tmp_path).code == 0
    again = advisor("fix", "--write", "--unsafe", "run.sh", cwd=tmp_path)
    assert (again.code, again.out) == (0, "")


def test_what_goes_out_is_what_git_applies(tmp_path: Path) -> None:
    (tmp_path / "run.sh").write_bytes(OLD.replace(b"\n", b"\r\n"))
    (tmp_path / "x.patch").write_bytes(advisor("fix", "--unsafe", "run.sh", cwd=tmp_path).out.encode())
    apart = {**os.environ, "GIT_CEILING_DIRECTORIES": str(tmp_path)}
    subprocess.run(["git", "apply", "--whitespace=nowarn", "x.patch"], cwd=tmp_path, check=True, env=apart)
    assert advisor("fix", "--unsafe", "run.sh", cwd=tmp_path).code == 0


def test_nothing_recognised_is_not_clean(tmp_path: Path) -> None:
    (tmp_path / "notes.txt").write_text("vllm is nice\n")
    ran = advisor("fix", ".", cwd=tmp_path)
    assert (ran.code, ran.out) == (2, "") and "nothing recognised" in ran.err


def test_a_diff_that_would_not_apply_is_said(tmp_path: Path) -> None:
    (tmp_path / "run.sh").write_bytes(OLD.replace(b"vllm serve", b"# caf\xe9\nvllm serve"))
    assert "is not UTF-8: use --write" in advisor("fix", "run.sh", cwd=tmp_path).err


def test_json_says_the_same(tmp_path: Path) -> None:
    (tmp_path / "run.sh").write_bytes(OLD)
    (file,) = json.loads(advisor("fix", "run.sh", "--format", "json", cwd=tmp_path).out)["files"]
    assert [(one["id"], one["done"]) for one in file["repairs"]] == [
        ("variable-replaced", False), ("setting-removed", True), ("setting-replaced", True),
    ]  # fmt: skip
    assert file["written"] is False and [one["id"] for one in file["remain"]] == ["variable-replaced"]


def test_a_rule_is_still_looked_up(tmp_path: Path) -> None:
    assert advisor("fix", "vllm/pp-spec-refused").out.startswith("vllm/pp-spec-refused: vllm-project/vllm #50514")
    assert advisor("fix", "nosuch.sh", "other.sh", cwd=tmp_path).code == 2
    assert advisor("fix", "--write", "nosuch.sh", cwd=tmp_path).code == 2


def test_a_diff_with_something_hidden_says_that_it_does_not_apply(tmp_path: Path) -> None:
    (tmp_path / "run.sh").write_bytes(OLD.replace(b"vllm serve", b"HF_TOKEN=hf_AbCdEfGhIjKlMnOpQrSt vllm serve"))
    hidden, plain = (advisor("fix", *more, "run.sh", cwd=tmp_path) for more in ((), ("--no-redact",)))
    assert "[redacted]" in hidden.out and "hidden, so it does not apply: --no-redact gives one that does" in hidden.err
    assert "hf_AbCd" in plain.out and "does not apply" not in plain.err
    subprocess.run(["git", "apply", "-"], input=plain.out.encode(), cwd=tmp_path, check=True)
    assert "--swap-space" not in (tmp_path / "run.sh").read_text()
