"""`--repo`, `--installed` and `advisor patch` through the front door."""

from __future__ import annotations

import os
import subprocess
from pathlib import Path

import pytest

from tests.front_door import advisor, checked
from tests.jobs.test_locating import BROKEN, FLAGS, MENDED, REFUSED
from tests.upstream.images import SITE, image, install

REPORTED = ("--flags", FLAGS)


def test_an_installed_package_that_holds_the_fix_under_an_old_number_is_not_exposed(tmp_path: Path) -> None:
    install(tmp_path, "vllm", "0.28.0", MENDED)
    ran = checked("--installed", str(tmp_path), *REPORTED)
    assert REFUSED not in ran.statuses()
    assert "build-holds-more" in [one["code"] for one in ran.report["discrepancies"]]
    assert ran.report["build"]["version"] == "0.28.0"


def test_an_installed_package_without_the_fix_is_exposed_whatever_is_said(tmp_path: Path) -> None:
    install(tmp_path, "vllm", "0.30.0", BROKEN)
    ran = checked("--installed", str(tmp_path), "--version", "0.30.0", *REPORTED)
    assert ran.statuses()[REFUSED] == "exposed" and ran.code == 1
    assert "build-holds-less" in [one["code"] for one in ran.report["discrepancies"]]
    told = advisor("check", *REPORTED, "--installed", str(tmp_path))
    assert "WHAT DOES NOT FIT" in told.out and "pp_utils.py" in told.out


def test_without_a_path_the_active_environment_is_looked_at(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    install(tmp_path / SITE, "vllm", "0.28.0", BROKEN)
    monkeypatch.setenv("VIRTUAL_ENV", str(tmp_path))
    for given in (["--installed", *REPORTED], [*REPORTED, "--installed"]):
        ran = checked(*given)
        assert ran.report["build"]["version"] == "0.28.0", ran.err
        assert str(tmp_path) in "\n".join((*ran.report["coverage"]["notes"], *ran.report["build"]["notes"]))


@pytest.fixture
def fork(tmp_path: Path) -> Path:
    folder = tmp_path / "fork"
    for name, text in {**MENDED, "vllm/__init__.py": ""}.items():
        (folder / name).parent.mkdir(parents=True, exist_ok=True)
        (folder / name).write_text(text)
    who = {f"GIT_{role}_{part}": "a@example.org" for role in ("AUTHOR", "COMMITTER") for part in ("NAME", "EMAIL")}
    for words in (["init", "-q", "-b", "main"], ["add", "."], ["commit", "-q", "-m", "ours"]):
        subprocess.run(["git", "-C", str(folder), *words], check=True, capture_output=True, env=os.environ | who)
    return folder


def test_a_fork_is_judged_by_its_files(fork: Path) -> None:
    ran = checked("--repo", str(fork), *REPORTED)
    assert REFUSED not in ran.statuses(), ran.err
    assert ran.report["build"]["commit"] and ran.report["build"]["engine"] == "vllm"


@pytest.mark.parametrize(
    ("arguments", "parts"),
    [
        (["check", "--repo", "/no/such", *REPORTED], ["/no/such"]),
        (["check", "--installed", "/no/such", *REPORTED], ["/no/such"]),
        (["check", "--repo", ".", "--installed", *REPORTED], ["--repo", "does not go with --installed"]),
        (["check", "--batch", "x.jsonl", "--installed"], ["--batch", "from the file alone"]),
        (["patch", "vllm/no-such", "--repo", "."], ["no rule"]),
        (["patch", REFUSED, "--repo", "/no/such"], ["/no/such"]),
        (["patch", REFUSED, "--apply", "--against-installed"], ["--apply", "does not go with"]),
    ],
)
def test_what_cannot_be_looked_at_is_one_line_and_exit_code_2(arguments: list[str], parts: list[str]) -> None:
    ran = advisor(*arguments)
    lines = ran.err.splitlines()
    assert ran.code == 2 and len(lines) == 1, ran.err
    assert all(part in lines[0] for part in parts), lines[0]


def test_a_tree_without_history_is_judged_by_the_version_it_states(fork: Path) -> None:
    for name, text in {**BROKEN, "vllm/_version.py": "__version__ = version = '0.28.0'\n"}.items():
        (fork / name).write_text(text)
    who = ["-c", "user.name=a", "-c", "user.email=a@b.c"]
    subprocess.run(["git", "-C", str(fork), "add", "."], check=True)
    subprocess.run(["git", "-C", str(fork), *who, "commit", "-qm", "older"], check=True)
    ran = checked("--repo", str(fork), *REPORTED)
    assert ran.statuses()[REFUSED] == "exposed" and ran.code == 1
    stated = checked("--repo", str(fork), "--version", "0.27.1", *REPORTED)
    assert stated.report["build"]["version"] == "0.27.1" and stated.statuses()[REFUSED] == "exposed"


def test_a_version_that_was_never_published_is_said() -> None:
    ran = checked("--engine", "vllm", "--version", "9.9.9", *REPORTED)
    assert [one["code"] for one in ran.report["discrepancies"]][:1] == ["build-unknown-release"]


def test_an_image_of_another_version_than_the_one_installed_is_said(tmp_path: Path) -> None:
    install(tmp_path, "vllm", "0.28.0", BROKEN)
    ran = checked("--installed", str(tmp_path), "--version", "vllm/vllm-openai:v0.33.0", *REPORTED)
    assert ran.report["build"]["version"] == "0.28.0" and ran.statuses()[REFUSED] == "exposed"
    assert "build-version-conflict" in [one["code"] for one in ran.report["discrepancies"]]


def test_a_library_is_not_looked_for_in_a_clone_of_an_engine(fork: Path) -> None:
    ran = advisor("patch", "any/nccl-proxy-slot-leak-arm", "--repo", str(fork))
    assert ran.code == 2 and "is no clone of NVIDIA/nccl: it holds vllm/__init__.py" in ran.err
    assert "fetch" not in ran.err


@pytest.mark.parametrize(("files", "code", "says"), [(MENDED, 0, "is in the"), (BROKEN, 1, "is not in")])
def test_an_unpacked_image_is_asked_for_a_fix_without_any_clone(
    tmp_path: Path, files: dict[str, str], code: int, says: str
) -> None:
    site = image(tmp_path) / "usr/local/lib/python3.12/dist-packages"
    install(site, "vllm", "0.30.0", {**files, "vllm/__init__.py": ""})
    ran = advisor("patch", REFUSED, "--fix", "50514", "--against-installed", str(tmp_path))
    told = " ".join(ran.out.split())
    assert ran.code == code and says in told and str(site) in ran.out.replace("\n", "")
    assert "With --from CLONE, a clone of vllm-project/vllm that has" in told


def test_a_fix_that_is_in_needs_no_patch(fork: Path) -> None:
    ran = advisor("patch", REFUSED, "--repo", str(fork), "--fix", "50514")
    assert ran.code == 0, ran.out + ran.err
    assert "def broadcast_drafts(" in " ".join(ran.out.split())


def test_a_path_is_taken_as_it_is_written(fork: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("ELSEWHERE", str(fork))
    monkeypatch.chdir(tmp_path)
    for name in ("$ELSEWHERE", "~"):
        ran = advisor("check", "--repo", name, *REPORTED)
        assert ran.code == 2 and "no such folder" in ran.err, ran.err
    written = fork.rename(tmp_path / "$ELSEWHERE")
    ran = checked("--repo", "$ELSEWHERE", *REPORTED)
    assert ran.code in (0, 1) and ran.report["build"]["engine"] == "vllm" and written.is_dir(), ran.err


@pytest.mark.parametrize("ref", ["^HEAD", "HEAD..HEAD", "--all"])
def test_what_names_no_one_commit_is_refused_in_the_advisors_words(fork: Path, ref: str) -> None:
    ran = advisor("check", "--repo", str(fork), f"--version={ref}", *REPORTED)
    assert ran.code == 2 and f"no commit, tag or branch '{ref}' in it" in ran.err and "fatal" not in ran.err


@pytest.mark.parametrize("words", [("check", "--repo"), ("patch", "lmdeploy/mtp-dp-meta", "--repo")])
@pytest.mark.parametrize("how", ["named wrong", "missing"])
def test_without_git_there_is_one_line(
    fork: Path, words: tuple[str, ...], how: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv(
        *(("GIT_PYTHON_GIT_EXECUTABLE", "/nowhere/git") if how == "named wrong" else ("PATH", str(tmp_path)))
    )
    ran = advisor(*words, str(fork))
    assert ran.code == 2 and "git cannot be run" in ran.err and ran.err.count("\n") == 1, ran.err
