"""A tiny repository built by git itself -> history.txt and tags.json."""

import json
import subprocess
from datetime import date
from pathlib import Path

import pytest

from advisor.errors import UpstreamError
from advisor.upstream.history import UPSTREAMS, refresh_history, refresh_tags

PERSON, GITHUB = "A Person", "GitHub"


class Clone:
    """A repository whose commits are one day apart, from 2026-01-01 on."""

    def __init__(self, path: Path) -> None:
        self.path, self.day = path, 0
        path.mkdir()
        self.git("init", "-q", "-b", "main")

    def git(self, *arguments: str, committer: str = PERSON) -> str:
        when = f"2026-01-{self.day:02d}T12:00:00+00:00" if self.day else "2026-01-01T12:00:00+00:00"
        names = {
            f"GIT_{role}_{what}": value
            for role in ("AUTHOR", "COMMITTER")
            for what, value in (("EMAIL", "a@b.c"), ("DATE", when))
        }
        env = {
            "PATH": "/usr/bin:/bin:/usr/local/bin",
            "HOME": str(self.path),
            "GIT_AUTHOR_NAME": PERSON,
            "GIT_COMMITTER_NAME": committer,
            **names,
        }
        done = subprocess.run(["git", *arguments], cwd=self.path, env=env, check=True, capture_output=True, text=True)
        return done.stdout.strip()

    def commit(self, subject: str, committer: str = GITHUB) -> str:
        self.day += 1
        self.git("commit", "-q", "--allow-empty", "-m", subject, committer=committer)
        return self.git("rev-parse", "HEAD")


@pytest.fixture
def clone(tmp_path):
    return Clone(tmp_path / "clone")


def lines(path: Path) -> list[str]:
    return [line for line in path.read_text().splitlines() if not line.startswith("#")]


def test_a_commit_is_its_sha_its_day_and_the_pull_request_its_subject_ends_in(clone, tmp_path):
    first = clone.commit("Start")
    second = clone.commit("[Bugfix] Undo (#12) for now (#34)")
    third = clone.commit("See #56", PERSON)
    written = refresh_history("lmdeploy", clone.path, tmp_path / "history.txt")
    assert lines(written) == [
        f"{first[:12]} 2026-01-01 -",
        f"{second[:12]} 2026-01-02 #34",
        f"{third[:12]} 2026-01-03 -",
    ]


def test_the_header_says_repository_branch_horizon_and_clone(clone, tmp_path):
    clone.commit("Start (#1)")
    text = refresh_history("lmdeploy", clone.path, tmp_path / "history.txt").read_text()
    for said in (
        "# repo: InternLM/lmdeploy",
        "# branch: main",
        "# horizon: 2026-01-01",
        "# clone: InternLM/lmdeploy",
        "# made by: ",
    ):
        assert said in text


def test_only_first_parents_are_listed(clone, tmp_path):
    clone.commit("Start (#1)")
    clone.git("checkout", "-q", "-b", "side")
    side = clone.commit("On the side", PERSON)
    clone.git("checkout", "-q", "main")
    clone.commit("On main (#2)")
    clone.git("merge", "-q", "--no-ff", "-m", "Merge side", "side")
    written = lines(refresh_history("lmdeploy", clone.path, tmp_path / "history.txt"))
    assert len(written) == 3 and not any(line.startswith(side[:12]) for line in written)


def test_a_forks_own_commits_at_the_tip_are_left_out(clone, tmp_path):
    clone.commit("Upstream (#50000)")
    kept = clone.commit("Upstream (#50001)")
    clone.commit("The fork's own, on GitHub (#7)")
    clone.commit("The fork's own (#50002)", PERSON)
    written = refresh_history("vllm", clone.path, tmp_path / "history.txt", fork="someone/vllm")
    assert lines(written)[-1].startswith(kept[:12]) and len(lines(written)) == 2
    assert "# clone: someone/vllm, a fork. " in written.read_text()


def test_a_forks_branch_that_is_built_on_newer_upstream_carries_it_on(clone, tmp_path):
    clone.commit("Upstream (#50000)")
    clone.git("checkout", "-q", "-b", "topic")
    clone.commit("Upstream, an old pull request (#9000)")
    newest = clone.commit("Upstream (#50002)")
    clone.commit("Topic of the fork", PERSON)
    written = lines(refresh_history("vllm", clone.path, tmp_path / "history.txt", fork="someone/vllm"))
    assert len(written) == 3 and written[-1].startswith(newest[:12])


def test_a_release_branch_does_not_carry_main_on(clone, tmp_path):
    clone.commit("Upstream (#35000)")
    clone.git("checkout", "-q", "-b", "release")
    clone.commit("[Cherry-pick to release/v0.5.18] [Fix] A (#35298) (#35590)")
    assert len(lines(refresh_history("sglang", clone.path, tmp_path / "history.txt", fork="someone/sglang"))) == 1


def test_a_tag_names_the_commit_of_main_it_left_from(clone, tmp_path):
    main = clone.commit("On main (#1)")
    clone.git("checkout", "-q", "-b", "release")
    released = clone.commit("Pick (#2)")
    clone.git("tag", "v0.15.0")
    clone.git("checkout", "-q", "main")
    clone.commit("Later on main (#3)")
    clone.git("tag", "-a", "-m", "annotated", "v0.16.0")
    clone.git("tag", "not-a-release")
    known = json.loads(
        refresh_tags("lmdeploy", clone.path, tmp_path / "tags.json", read=date(2026, 11, 29)).read_text()
    )
    assert known["read"] == "2026-11-29" and list(known["tags"]) == ["v0.15.0", "v0.16.0"]
    assert known["tags"]["v0.15.0"] == {"commit": released, "date": "2026-01-02", "main": main[:12]}
    assert known["tags"]["v0.16.0"]["commit"] == clone.git("rev-parse", "main")


@pytest.mark.parametrize(
    ("engine", "tag", "version"),
    [
        ("vllm", "v0.9.0.1", "0.9.0.1"),
        ("vllm", "v0.10.0rc2", "0.10.0rc2"),
        ("vllm", "v0.9.1+rocm", None),
        ("vllm", "0.5.1", None),
        ("sglang", "v0.5.15.post1", "0.5.15.post1"),
        ("sglang", "test/20250327", None),
        ("lmdeploy", "0.14.0a2", "0.14.0a2"),
        ("nccl", "v2.29.3-1", "2.29.3"),
        ("nccl", "nccl4py-v0.3.1", None),
    ],
)
def test_a_tag_is_read_as_upstream_writes_it(engine, tag, version):
    assert UPSTREAMS[engine].version(tag) == version


def test_what_is_no_clone_and_what_is_no_engine_are_said(tmp_path, clone):
    with pytest.raises(UpstreamError, match="not a git clone"):
        refresh_history("vllm", tmp_path, tmp_path / "out.txt")
    with pytest.raises(UpstreamError, match="no upstream is known for 'vlm'"):
        refresh_history("vlm", clone.path, tmp_path / "out.txt")
    with pytest.raises(UpstreamError, match="no branch main"):
        refresh_history("vllm", clone.path, tmp_path / "out.txt")
