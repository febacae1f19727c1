"""Forks whose words, history and tree do not say the same -> what the tree bears out."""

from __future__ import annotations

import pytest

from advisor.upstream import picks, settling
from advisor.upstream.patch_standing import standings
from advisor.upstream.patch_store import located, store
from tests.upstream.forks import BROKEN, ENGINE, FILE, MARK, MENDED, PR, Repository, Upstream, told

OTHER = "lmdeploy/queue.py"


def held(upstream: Upstream, clone: Repository) -> bool | None:
    """What a check of the clone says; `patch` is asked too, and says the same."""
    found = upstream.judged(clone)
    head = clone.git("rev-parse", "HEAD")
    with store([located(clone.path)]) as seen:
        [stands] = standings(seen, head, ENGINE, upstream.knowledge(), [upstream.sought()])
    answer = told(found)[0][1]
    assert stands.held == {True: "yes", False: "no", None: "unknown"}[answer]
    return answer


# It was there, and is not any more


def picked(fork: Repository, upstream: Upstream, message: str = "") -> str:
    fork.git("cherry-pick", "-x", upstream.fix, who="Fork")
    if message:
        fork.git("commit", "-q", "--amend", "-m", message, who="Fork")
    return fork.git("rev-parse", "HEAD")


@pytest.mark.parametrize(
    ("first", "then"),
    [
        ("Warmup for DP (#56)", 'Revert "Warmup for DP (#56)" (#57)\n\nReverts ours/lmdeploy#56'),
        ("our warmup", 'Revert "our warmup"'),
        ("our warmup", "Tidy up"),
        ("", f"Drop the cherry-pick of #{PR}"),
        ("", f"Remove the back-port of InternLM/lmdeploy#{PR}"),
    ],
)
def test_a_pick_that_was_taken_back_in_any_words_is_not_held(upstream, fork, first, then):
    picked(fork, upstream, first)
    assert held(upstream, fork) is True
    fork.commit(then, BROKEN, who="Fork")
    assert held(upstream, fork) is False
    fork.commit("Tidy up", BROKEN.replace("line 3\n", "three\n"), who="Fork")
    assert held(upstream, fork) is False, "with a line of its own beside it"


def test_a_merge_that_was_reverted_takes_the_pick_in_it_back(upstream, fork):
    fork.git("checkout", "-q", "-b", "feature")
    picked(fork, upstream)
    fork.git("checkout", "-q", "ours")
    fork.commit("Beside", "x\n", "lmdeploy/beside.py", who="Fork")
    fork.git("merge", "-q", "--no-ff", "-m", "Merge feature", "feature")
    assert held(upstream, fork) is True
    fork.git("revert", "-m", "1", "--no-edit", "HEAD", who="Fork")
    assert held(upstream, fork) is False


@pytest.mark.parametrize("touched", [False, True])
def test_a_merge_of_upstream_that_keeps_our_side_brings_nothing(upstream, fork, touched):
    if touched:
        fork.commit("Beside", BROKEN.replace("line 3\n", "three\n"), who="Fork")
    fork.git("merge", "-q", "-s", "ours", "-m", "Merge 0.15.0", "v0.15.0")
    assert held(upstream, fork) is False


def test_a_fix_reverse_applied_by_hand_is_not_held(upstream, tmp_path):
    fork = upstream.forked(tmp_path / "late", "v0.15.0")
    fork.commit("Performance", BROKEN.replace("line 3\n", "three\n"), who="Fork")
    found = upstream.judged(fork)
    assert told(found) == [("patch", False)]
    assert f"and could be put in; yet {upstream.fix[:12]} is below it" in found.build.holdings[0].says


def test_a_part_of_a_fix_taken_out_leaves_it_open(upstream, tmp_path):
    fork = upstream.forked(tmp_path / "late", "v0.15.0")
    fork.commit("Performance", MENDED.replace("meta.pad = was.pad\n", ""), who="Fork")
    assert held(upstream, fork) is None


def test_a_pick_at_hand_alone_is_asked_for_in_the_tree(upstream, tmp_path):
    """The fork's clone ends at 0.14.0: upstream's commit is not in it."""
    upstream.git("branch", "old", "v0.14.0")
    fork = upstream.forked(tmp_path / "alone", "origin/old", "--single-branch", "-b", "old", "--no-tags")
    note = f"Mend\n\n(cherry picked from commit {upstream.fix})"
    fork.commit(note, MENDED.replace("line 3\n", "three\n"), who="Fork")
    assert told(upstream.judged(fork)) == [("git", True)]
    fork.commit("Tidy up", BROKEN, who="Fork")
    found = upstream.judged(fork)
    assert told(found) == [("patch", False)] and "its lines are not there any more" in found.build.holdings[0].says


# It is there, though nothing says so


def test_two_fixes_squashed_are_both_there(upstream, fork):
    fork.commit("Sync some work", MENDED.replace("line 3\n", "three\n"), who="Fork")
    assert held(upstream, fork) is True


def test_a_pick_with_a_line_of_its_own_is_there(upstream, fork):
    fork.commit("Warm up", MENDED + "# ours\n", who="Fork")
    assert held(upstream, fork) is True


def test_a_fix_of_two_files_split_over_two_commits_is_there_with_the_second(upstream, tmp_path):
    upstream.git("checkout", "-q", "-b", "again", upstream.before)
    (upstream.path / OTHER).write_text("queue = []\n")
    upstream.fix = upstream.commit(f"Mend the record (#{PR})", MENDED)
    fork = upstream.forked(tmp_path / "split", "v0.14.0")
    fork.commit("One", MENDED, who="Fork")
    assert held(upstream, fork) is not True
    fork.commit("Two", "queue = []\n", OTHER, who="Fork")
    assert held(upstream, fork) is True


# Words that mean nothing


@pytest.mark.parametrize(
    "subject",
    [
        f"Prepare to cherry-pick #{PR} later",
        f"TODO: backport #{PR}",
        f"Build without the pick of #{PR}",
        f"Do not apply #{PR} yet",
    ],
)
def test_a_pick_that_is_only_spoken_of_is_none(upstream, fork, subject):
    assert picks.by_subject(subject, PR) is None
    fork.commit(subject, "# note\n" + BROKEN, who="Fork")
    assert held(upstream, fork) is False


def test_a_number_of_its_own_on_a_file_of_the_same_name_is_no_pick(upstream, fork):
    fork.commit(f"Add our own agent (#{PR})", "agent = 1\n", f"own/{FILE.rpartition('/')[2]}", who="Fork")
    assert held(upstream, fork) is False


def test_a_revert_that_is_only_quoted_takes_nothing_back(upstream, tmp_path):
    fork = upstream.forked(tmp_path / "late", "v0.15.0")
    quoted = (
        f'Revert "docs"\n\n> This reverts commit {upstream.fix}.\n\nWe looked at: This reverts commit {upstream.fix}.'
    )
    fork.commit(quoted, "x\n", "lmdeploy/x.py", who="Fork")
    assert held(upstream, fork) is True


# Bounds


def test_a_clone_without_old_content_is_asked_by_its_trees(upstream, tmp_path):
    upstream.git("config", "uploadpack.allowFilter", "true")
    fork = upstream.forked(tmp_path / "partial", "v0.15.0", "--filter=blob:none")
    fork.commit("Ours", "ours\n", "lmdeploy/ours.py", who="Fork")
    assert told(upstream.judged(fork)) == [("git", True)]


def test_a_text_of_the_release_below_that_the_fork_left_counts(upstream, tmp_path):
    fork = upstream.forked(tmp_path / "late", "v0.15.0")
    fork.commit("Performance", MENDED.replace("meta.pad = was.pad\n", ""), who="Fork")
    assert told(upstream.judged(fork, MARK)) == [("git", None), ("fingerprint", True)]


def test_a_text_that_upstream_rewrote_since_is_not_the_forks_to_answer_for(upstream, tmp_path):
    upstream.commit("Refactor (#4760)", MENDED.replace("meta.decoding", "meta.is_decoding"))
    fork = upstream.forked(tmp_path / "late", "origin/main")
    fork.commit("Ours", "ours\n", "lmdeploy/ours.py", who="Fork")
    assert told(upstream.judged(fork, MARK)) == [("git", True), ("fingerprint", None)]


def test_what_takes_too_long_is_said_and_left_open(upstream, fork, monkeypatch):
    picked(fork, upstream)
    monkeypatch.setattr(settling, "BUDGET_S", -1.0)
    found = upstream.judged(fork)
    assert told(found) == [("git", None)] and "the others took too long" in found.build.holdings[0].says


def test_a_commit_of_upstreams_own_branch_is_no_fork(upstream, tmp_path):
    upstream.git("checkout", "-q", "-b", "release/0.14", "v0.14.0")
    upstream.commit("Pick for the release (#4760)", "r\n", "lmdeploy/release.py")
    clone = upstream.forked(tmp_path / "stock", "origin/release/0.14")
    assert upstream.judged(clone).build.fork == "local"
    clone.git("config", "remote.origin.url", "https://github.com/InternLM/lmdeploy.git")
    assert upstream.judged(clone).build.fork == ""
    clone.commit("Ours", "ours\n", "lmdeploy/ours.py", who="Fork")
    assert upstream.judged(clone).build.fork == "local"
