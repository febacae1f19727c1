"""A stranger's clone with its insides changed: told of or refused, never run, never an exception of another kind."""

from __future__ import annotations

import atexit
import os
import shutil
import subprocess
import tempfile
from functools import cache
from pathlib import Path

from hypothesis import given, settings
from hypothesis import strategies as st

from advisor.errors import AdvisorError
from advisor.jobs.locating import installation, repository

RUNS = "touch {mark}"
HOSTILE = [
    "[core]\n\tfsmonitor = {run}\n", "[core]\n\tpager = {run}\n\tsshCommand = {run}\n\thooksPath = .\n",
    "[alias]\n\trev-parse = !{run}\n\tfor-each-ref = !{run}\n", '[filter "x"]\n\tclean = {run}\n\tsmudge = {run}\n',
    "[core]\n\trepositoryformatversion = 99\n", "[include]\n\tpath = ../../../etc/passwd\n", "[core\n",
    '[diff "x"]\n\ttextconv = {run}\n\tcommand = {run}\n', "[gpg]\n\tprogram = {run}\n[log]\n\tshowSignature = true\n",
    "[core]\n\tworktree = /\n", '[remote "o"]\n\turl = ext::{run}\n\tpromisor = true\n[extensions]\n\tpartialClone = o\n',
    "[core]\n\talternateRefsCommand = {run}\n\taskPass = {run}\n\teditor = {run}\n",
]  # fmt: skip


@cache
def clone() -> Path:
    """A small checkout that reads as vLLM's, with a tag and two commits."""
    folder = Path(tempfile.mkdtemp(prefix="fuzz-clone-"))
    atexit.register(shutil.rmtree, folder, ignore_errors=True)
    (folder / "vllm").mkdir()
    (folder / "vllm" / "__init__.py").write_text("x = 1\n")
    (folder / ".gitattributes").write_text("* filter=x diff=x\n")
    (folder / "pyproject.toml").write_text('[project]\nname = "vllm"\n')
    who = {"GIT_AUTHOR_NAME": "a", "GIT_AUTHOR_EMAIL": "a@b", "GIT_COMMITTER_NAME": "a", "GIT_COMMITTER_EMAIL": "a@b"}
    for words in (
        ["init", "-q", "-b", "main"],
        ["add", "."],
        ["commit", "-qm", "one (#1)"],
        ["tag", "v0.28.0"],
        ["commit", "-qm", "two", "--allow-empty"],
    ):
        subprocess.run(["git", *words], cwd=folder, check=True, env={**os.environ, **who}, capture_output=True)
    return folder


@cache
def insides() -> list[str]:
    found = [one.relative_to(clone()).as_posix() for one in sorted((clone() / ".git").rglob("*")) if one.is_file()]
    return [one for one in found if "/hooks/" not in one]


CHANGES = st.one_of(
    st.tuples(st.just("config"), st.sampled_from(HOSTILE)),
    st.tuples(
        st.integers(0, 40),
        st.one_of(
            st.binary(max_size=60),
            st.sampled_from([b"ref: refs/heads/../../x\n", b"ref: refs/heads/main\n" * 3, b"0" * 40, b""]),
        ),
    ),
    st.tuples(st.integers(0, 40), st.tuples(st.integers(0, 60), st.integers(0, 255))),
)


def changed(git: Path, change: tuple, mark: Path) -> None:
    where, what = change
    if where == "config":
        text = what.replace("{run}", RUNS.format(mark=mark))
        with (git / "config").open("ab") as file:
            file.write(text.encode())
        return
    file = git.parent / insides()[where % len(insides())]
    file.chmod(0o644)
    data = bytearray(file.read_bytes())
    if isinstance(what, bytes):
        data = bytearray(what)
    elif data:
        data[what[0] % len(data)] = what[1]
    file.write_bytes(bytes(data))


@settings(max_examples=12)
@given(st.lists(CHANGES, min_size=1, max_size=2))
def test_a_changed_clone_is_told_of_or_refused_and_nothing_of_it_runs(changes: list[tuple]) -> None:
    with tempfile.TemporaryDirectory() as folder:
        here, mark = Path(folder, "clone"), Path(folder, "ran")
        shutil.copytree(clone(), here)
        for one in changes:
            changed(here / ".git", one, mark)
        try:
            found = repository(here, "vllm")
            assert found.build.engine == "vllm"
        except AdvisorError as error:
            assert error.line()
        assert not mark.exists(), "something of the clone was run"


METADATA = st.lists(
    st.one_of(
        st.sampled_from(
            [
                "Name: vllm",
                "Version: 0.28.0",
                "Version: \x00",
                "Requires-Dist: torch==2.9.0",
                "",
                " folded",
                "Version: 1!0.1+x",
            ]
        ),
        st.text(max_size=20),
    ),
    max_size=8,
)


@settings(max_examples=25)
@given(METADATA, st.text(max_size=60), st.text(max_size=60))
def test_installed_packages_of_any_metadata_are_told_of_or_refused(lines: list[str], record: str, module: str) -> None:
    with tempfile.TemporaryDirectory() as folder:
        site = Path(folder, "site-packages")
        info = site / "vllm-0.28.0.dist-info"
        info.mkdir(parents=True)
        (site / "vllm").mkdir()
        (info / "METADATA").write_text("\n".join(lines), encoding="utf-8", errors="replace")
        (info / "RECORD").write_text(record, encoding="utf-8", errors="replace")
        (site / "vllm" / "_version.py").write_text(module, encoding="utf-8", errors="replace")
        try:
            assert installation(site, "vllm").build.engine == "vllm"
        except AdvisorError as error:
            assert error.line()
