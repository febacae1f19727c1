"""A fix carried to forks in every state a fork can be in, and what must not happen to the fork meanwhile."""

from __future__ import annotations

import stat
import subprocess

import pytest

from advisor.errors import UpstreamError, UsageError
from advisor.upstream import patch_series, patching
from advisor.upstream.patch_change import change
from advisor.upstream.patch_hunks import hunks_of, lines_of
from advisor.upstream.patch_store import located, store
from advisor.upstream.patching import Trial, tried
from advisor.upstream.path_kinds import is_source, kind_of
from tests.upstream.patch_clones import AGENT, DOC, FIXED, KERNEL, TEST, Repo, Upstream, lines


@pytest.fixture
def upstream(tmp_path):
    return Upstream(tmp_path / "upstream")


def carried(fork: Repo, upstream: Repo, commit: str) -> Trial:
    """The commit tried on the fork's head, read from upstream's clone."""
    clone = located(fork.path)
    with store([clone, located(upstream.path)]) as held:
        return tried(change(held, commit), fork.tree())


def states(trial: Trial) -> dict[str, str]:
    return {file.path: file.state for file in trial.files}


def reasons(trial: Trial) -> dict[str, str]:
    return {file.path: file.reason for file in trial.files if file.state == "conflict"}


def test_it_applies_cleanly_where_only_other_lines_differ(tmp_path, upstream):
    fork = upstream.fork(tmp_path / "fork", upstream.need)
    fork.commit("Ours", {AGENT: lines({1: "    ours", 30: "    warm_up(meta)"}), "ours.txt": "ours\n"})
    trial = carried(fork, upstream, upstream.fix)
    assert trial.verdict == "clean"
    assert set(states(trial).values()) == {"clean"}


def test_it_applies_cleanly_at_another_line(tmp_path, upstream):
    fork = upstream.fork(tmp_path / "fork", upstream.need)
    fork.commit("Ours", {AGENT: "    ours\n" * 9 + lines({30: "    warm_up(meta)"})})
    assert carried(fork, upstream, upstream.fix).verdict == "clean"


def test_a_changed_neighbour_takes_a_three_way_merge(tmp_path, upstream):
    fork = upstream.fork(tmp_path / "fork", upstream.need)
    fork.commit("Ours", {AGENT: lines({18: "    ours", 30: "    warm_up(meta)"})})
    trial = carried(fork, upstream, upstream.fix)
    assert trial.verdict == "three_way"
    assert states(trial) == {AGENT: "three_way", KERNEL: "clean", TEST: "clean", DOC: "clean"}
    assert text_after(fork, upstream, AGENT) == lines({18: "    ours", **FIXED, 30: "    warm_up(meta, guarded=True)"})


def text_after(fork: Repo, upstream: Upstream, path: str) -> str:
    """A file as the fix leaves it in the fork."""
    with store([located(fork.path), located(upstream.path)]) as held:
        tree = tried(change(held, upstream.fix), fork.tree()).tree
        return held.git("cat-file", "blob", f"{tree}:{path}").decode()


def test_a_conflict_is_told_file_by_file_with_its_reason(tmp_path, upstream):
    fork = upstream.fork(tmp_path / "fork", upstream.need)
    fork.commit("Ours", {AGENT: lines({20: "    ours", 30: "    warm_up(meta)"}), KERNEL: None})
    trial = carried(fork, upstream, upstream.fix)
    assert trial.verdict == "conflicts"
    assert trial.tree == fork.tree(), "a conflict leads nowhere"
    assert states(trial) == {AGENT: "conflict", KERNEL: "conflict", TEST: "clean", DOC: "clean"}
    assert reasons(trial)[AGENT].startswith("changed context")
    assert reasons(trial)[KERNEL].startswith("missing file")
    (agent,) = (file for file in trial.files if file.path == AGENT)
    assert [hunk.state for hunk in agent.hunks] == ["changed"]
    assert "-17,7" in agent.hunks[0].heading


def test_without_what_it_needs_it_conflicts_and_after_it_it_applies(tmp_path, upstream):
    fork = upstream.fork(tmp_path / "fork", upstream.before)
    assert states(carried(fork, upstream, upstream.fix))[AGENT] == "conflict"
    with store([located(fork.path), located(upstream.path)]) as held:
        first = tried(change(held, upstream.need), fork.tree())
        assert tried(change(held, upstream.fix), first.tree).verdict == "clean"


def test_a_part_that_is_there_is_told_from_a_part_that_differs(tmp_path, upstream):
    fork = upstream.fork(tmp_path / "fork", upstream.need)
    fork.commit("Half of it", {AGENT: lines({**FIXED, 30: "    ours"}), DOC: lines({2: "    The mark is kept."})})
    trial = carried(fork, upstream, upstream.fix)
    assert states(trial)[DOC] == "already"
    assert "already applied" in reasons(trial)[AGENT]
    (agent,) = (file for file in trial.files if file.path == AGENT)
    assert [hunk.state for hunk in agent.hunks] == ["already", "changed"]


def test_all_of_it_there_under_other_commits_is_in(tmp_path, upstream):
    fork = upstream.fork(tmp_path / "fork", upstream.need)
    fork.git("fetch", "-q", str(upstream.path), upstream.fix)
    for paths in ((AGENT, KERNEL), (TEST, DOC)):
        fork.git("checkout", "-q", "FETCH_HEAD", "--", *paths)
        fork.commit(f"By hand: {paths[0]}")
    trial = carried(fork, upstream, upstream.fix)
    assert (trial.verdict, trial.tree) == ("in", fork.tree())


def test_a_file_that_the_fork_moved_is_followed(tmp_path, upstream):
    fork = upstream.fork(tmp_path / "fork", upstream.need)
    fork.commit("Move", {AGENT: None, "engine/core/agent.py": lines({30: "    warm_up(meta)"})})
    trial = carried(fork, upstream, upstream.fix)
    assert trial.verdict == "three_way"
    assert "another name" in next(file.reason for file in trial.files if file.path == AGENT)


def test_a_file_added_on_both_sides_conflicts(tmp_path, upstream):
    added = upstream.commit("Add sync (#9)", {"engine/sync.py": "def sync(): ...\n"})
    fork = upstream.fork(tmp_path / "fork", upstream.need)
    fork.commit("Ours", {"engine/sync.py": "def ours(): ...\n"})
    assert reasons(carried(fork, upstream, added)) == {
        "engine/sync.py": "the fix adds it, and this fork has another file of that name"
    }


def test_a_merge_commit_is_carried_from_its_first_parent(tmp_path, upstream):
    upstream.git("switch", "-q", "-c", "side", upstream.need)
    upstream.commit("Side", {"engine/side.py": "side = 1\n"})
    upstream.git("switch", "-q", "main")
    upstream.git("merge", "-q", "--no-ff", "-m", "Merge side (#9)", "side")
    fork = upstream.fork(tmp_path / "fork", upstream.need)
    assert states(carried(fork, upstream, upstream.git("rev-parse", "HEAD"))) == {"engine/side.py": "clean"}


@pytest.mark.parametrize("ours", [{18: "    ours"}, {20: "    ours"}], ids=["merges", "conflicts"])
def test_an_older_git_comes_to_the_same(tmp_path, upstream, ours):
    fork = upstream.fork(tmp_path / "fork", upstream.need)
    fork.commit("Ours", {AGENT: lines({**ours, 30: "    warm_up(meta)"}), ".gitattributes": "*.py filter=x eol=crlf\n"})
    with store([located(fork.path), located(upstream.path)]) as held:
        one = change(held, upstream.fix)
        before = patching.commit_of(held, f"{one.parent}^{{tree}}", "before")
        sides = [patching.commit_of(held, tree, "side", before) for tree in (fork.tree(), f"{one.commit}^{{tree}}")]
        old, new = patching.merged_by_checkout(held, before, *sides), patching.merged(one, fork.tree())
        assert old.stages == new.stages
        assert not new.stages or set(new.stages) == {AGENT}
        assert old.stages or old.tree == new.tree


def test_a_prefix_that_names_several_commits_names_them_all(tmp_path):
    repo = Repo(tmp_path / "many")
    stream = "".join(
        f"commit refs/heads/main\ncommitter A <a@b.c> {number} +0000\ndata 0\n\n" for number in range(1, 1200)
    )
    repo.git("fast-import", "--quiet", stdin=stream)
    names = repo.git("rev-list", "main").split()
    prefix = next(name[:4] for at, name in enumerate(sorted(names)[1:]) if sorted(names)[at][:4] == name[:4])
    with store([located(repo.path)]) as held:
        assert held.commits(prefix) == sorted(name for name in names if name.startswith(prefix))
        assert held.commits(names[0]) == [names[0]]
        assert held.commits("0" * 40) == []


def test_a_commit_cut_off_from_its_parent_is_said(tmp_path, upstream):
    shallow = tmp_path / "shallow"
    subprocess.run(["git", "clone", "-q", "--depth=1", f"file://{upstream.path}", shallow], check=True)
    with store([located(shallow)]) as held, pytest.raises(UpstreamError, match="before it"):
        change(held, upstream.fix)
    with store([located(shallow), located(upstream.path)]) as held:
        assert change(held, upstream.fix).parent == upstream.need, "another clone brings what was cut off"


@pytest.mark.parametrize("form", ["work tree", "bare", "linked work tree"])
def test_a_clone_is_found_in_every_form(tmp_path, upstream, form):
    path = tmp_path / "other"
    if form == "bare":
        upstream.git("clone", "-q", "--bare", ".", str(path))
    elif form == "linked work tree":
        upstream.git("worktree", "add", "-q", "--detach", str(path), upstream.need)
    else:
        path = upstream.path
    clone = located(path)
    assert clone.revision("HEAD") == (upstream.need if form == "linked work tree" else upstream.fix)
    with store([clone]) as held:
        assert held.commits(upstream.fix[:10]) == [upstream.fix]


@pytest.mark.parametrize("name", ["nowhere", "--all", "HEAD~9", "-h"])
def test_a_revision_that_is_not_there_is_a_usage_error(upstream, name):
    with pytest.raises(UsageError, match="no commit is named"):
        located(upstream.path).revision(name)


def test_a_folder_that_is_no_clone_is_a_usage_error(tmp_path):
    with pytest.raises(UsageError, match="not a git clone"):
        located(tmp_path)
    with pytest.raises(UsageError, match="no such folder"):
        located(tmp_path / "nowhere")


def test_the_store_goes_away_on_an_interrupt(tmp_path, upstream, monkeypatch):
    monkeypatch.setattr("tempfile.tempdir", str(tmp_path))
    before = set(tmp_path.iterdir())
    with pytest.raises(KeyboardInterrupt), store([located(upstream.path)]) as held:
        assert held.path.is_dir()
        raise KeyboardInterrupt
    assert set(tmp_path.iterdir()) == before


def test_nothing_that_a_clone_configures_is_started(tmp_path, upstream):
    fork = upstream.fork(tmp_path / "fork", upstream.need)
    fork.commit(
        "Ours",
        {AGENT: lines({18: "    ours", 30: "    warm_up(meta)"}), ".gitattributes": "* filter=x diff=x merge=x\n"},
    )
    mark = tmp_path / "started"
    script = tmp_path / "script"
    script.write_text(f"#!/bin/sh\ntouch {mark}\n")
    script.chmod(script.stat().st_mode | stat.S_IXUSR)
    for key in (
        "core.fsmonitor",
        "core.sshCommand",
        "core.pager",
        "core.editor",
        "diff.external",
        "gpg.program",
        "filter.x.smudge",
        "filter.x.clean",
        "filter.x.process",
        "diff.x.textconv",
        "diff.x.command",
        "alias.merge-tree",
        "alias.rev-parse",
        "credential.helper",
        "trailer.x.command",
    ):
        fork.git("config", key, str(script))
    fork.git("config", "merge.x.driver", f"{script} %A %O %B")
    fork.git("config", "commit.gpgSign", "true")
    for hook in ("pre-commit", "post-commit", "reference-transaction", "post-index-change", "fsmonitor-watchman"):
        path = fork.path / ".git" / "hooks" / hook
        path.parent.mkdir(exist_ok=True)
        path.write_text(script.read_text())
        path.chmod(0o755)
    mark.unlink(missing_ok=True)
    assert carried(fork, upstream, upstream.fix).verdict == "three_way"
    clone = located(fork.path)
    with store([clone, located(upstream.path)]) as held:
        one, head = change(held, upstream.fix), clone.revision("HEAD")
        who = patch_series.committer_of(clone)
        tip = patch_series.picked(one, tried(one, fork.tree()).tree, head, who)
        patch_series.check_branch(clone, "advisor/x")
        patch_series.hand_over(held, clone, tip, head, "advisor/x")
    assert not mark.exists(), "a program named by the clone was started"
    assert clone.revision("advisor/x") == tip
    fork.git("status", check=False)
    assert mark.exists(), "the trap works: git itself would have started it"


def test_a_partial_clone_is_not_completed_over_the_network(tmp_path, upstream):
    upstream.git("config", "uploadpack.allowFilter", "true")
    partial = tmp_path / "partial"
    subprocess.run(
        ["git", "clone", "-q", "--no-checkout", "--filter=blob:none", f"file://{upstream.path}", partial], check=True
    )
    packs = sorted((partial / ".git/objects").rglob("*"))
    clone = located(partial)
    with store([clone]) as held, pytest.raises(UpstreamError) as raised:
        tried(change(held, upstream.fix), f"{upstream.need}^{{tree}}")
    assert "--from" in raised.value.line()
    assert sorted((partial / ".git/objects").rglob("*")) == packs


# hunks


def test_hunks_are_judged_by_their_lines_alone():
    diff = b"@@ -1,3 +1,3 @@ def f(\n a\n-b\n+B\n c\n"
    (hunk,) = hunks_of(diff)
    assert (hunk.old, hunk.new) == ((b"a\n", b"b\n", b"c\n"), (b"a\n", b"B\n", b"c\n"))
    assert hunk.in_text(lines_of(b"x\na\nb\nc\n")) == "fits"
    assert hunk.in_text(lines_of(b"a\nB\nc\n")) == "already"
    assert hunk.in_text(lines_of(b"a\r\nb\r\nc\r\n")) == "changed"


def test_a_missing_last_line_end_and_lines_like_headings_are_read_right():
    diff = b"@@ -1,2 +1 @@\n--- a\n-x\n+@@ -9 +9 @@\n\\ No newline at end of file\n@@ -9 +9,0 @@\n-gone\n"
    first, second = hunks_of(diff)
    assert (first.old, first.new) == ((b"-- a\n", b"x\n"), (b"@@ -9 +9 @@",))
    assert (second.old, second.new) == ((b"gone\n",), ())


@pytest.mark.parametrize(
    ("path", "kind"),
    [
        ("lmdeploy/pytorch/model_inputs.py", "python"),
        ("tests/pytorch/test_agent.py", "tests"),
        ("xllm/core/framework/parallel_state/parallel_state_test.cpp", "tests"),
        ("xllm/core/runtime/worker.cpp", "other"),
        ("vllm/testing_tools.py", "python"),
        ("docs/en/faq.md", "docs"),
        ("README.md", "docs"),
        ("requirements/test.txt", "other"),
        ("makefiles/version.mk", "version"),
        ("lmdeploy/version.py", "version"),
        ("lmdeploy/conversion.py", "python"),
        ("src/proxy.cc", "other"),
        ("xllm/core/scheduler_test.cpp", "tests"),
        ("xllm/testing/made.cc", "tests"),
        ("lmdeploy/foo_tests.py", "tests"),
        ("autotest/config.yaml", "tests"),
        ("vllm/benchmarks/serve.py", "tests"),
        (".github/workflows/lint.yml", "tests"),
        ("examples/serve.py", "docs"),
    ],
)
def test_what_a_file_is_to_a_build(path, kind):
    assert kind_of(path) == kind
    assert is_source(path) is (kind not in ("tests", "docs"))
