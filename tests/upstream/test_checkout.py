"""Clones and forks of a small upstream -> which build each is, and whether it holds the fix."""

from __future__ import annotations

import os
from pathlib import Path

import pytest

from advisor.errors import UsageError
from advisor.match.builds import contains
from advisor.model.rule import Boundary, Fingerprint
from advisor.model.truth import Truth
from advisor.upstream.checkout import checked_out
from tests.upstream.forks import BROKEN, ENGINE, FILE, MARK, MENDED, PR, Repository, Upstream, told

# Upstream's own commits


def test_a_release_is_itself_and_no_fork(upstream):
    found = upstream.judged(upstream, MARK, ref="v0.15.0")
    assert (found.build.engine, found.build.version, found.build.commit, found.build.fork) == (
        ENGINE,
        "0.15.0",
        None,
        "",
    )
    assert told(found) == [("git", True), ("fingerprint", True)]


def test_an_older_release_lacks_it(upstream):
    found = upstream.judged(upstream, MARK, ref="0.14.0")
    assert found.build.version == "0.14.0"
    assert told(found) == [("git", False), ("fingerprint", False)]


def test_a_commit_of_main_is_counted_from_the_release_below(upstream):
    found = upstream.judged(upstream, MARK, ref=upstream.before)
    assert found.build.version == f"0.14.0+1.g{upstream.before[:9]}"
    assert (found.build.commit, found.build.fork) == (upstream.before, "")
    assert "0.14.0 (1 commits after it left main)" in found.notes[0].text


def test_a_text_that_upstream_itself_rewrote_does_not_undo_the_fix(upstream):
    upstream.commit("Refactor (#4760)", MENDED.replace("meta.decoding", "meta.is_decoding"))
    found = upstream.judged(upstream, MARK)
    assert told(found) == [("git", True), ("fingerprint", None)]
    assert "rewritten since" in found.build.holdings[1].says


def test_a_clone_younger_than_the_history_known_is_no_fork(upstream):
    known = upstream.knowledge()
    upstream.git("commit", "-q", "--allow-empty", "-m", "Young (#4770)", who="GitHub")
    found = upstream.judged(upstream, known=known)
    assert found.build.fork == "" and "1 merges younger than the upstream history known" in found.notes[1].text


# Picks


def test_a_pick_under_another_sha_author_and_context_is_known_by_its_patch(upstream, fork):
    moved = BROKEN.replace("line 9\n", "line nine, ours\n").replace("line 11\n", "line eleven, ours\n")
    fork.commit("Our context", moved, who="Fork")
    added = "meta = rebuild()\nmeta.decoding = was.decoding\nmeta.pad = was.pad\nmeta.chunk = None\n"
    sha = fork.commit("Keep what the peers do", moved.replace("meta = rebuild()\n", added), who="Fork")
    found = upstream.judged(fork)
    assert told(found) == [("patch", True)]
    assert f"{sha[:12]} makes the same change as #{PR}" in found.build.holdings[0].says
    assert found.build.fork == "local" and found.build.version == f"0.14.0+3.g{sha[:9]}"


def test_a_pick_that_leaves_the_tests_behind_is_still_known(tmp_path, upstream):
    upstream.git("checkout", "-q", "-b", "again", upstream.before)
    (upstream.path / "tests").mkdir()
    (upstream.path / "tests" / "test_agent.py").write_text("assert True\n")
    fix = upstream.commit("Mend elsewhere (#4799)", MENDED)
    fork = upstream.forked(tmp_path / "fork", "v0.14.0")
    fork.commit("Without its tests", MENDED, who="Fork")
    upstream.fix = fix
    assert told(upstream.judged(fork))[0] == ("patch", True)


@pytest.mark.parametrize(
    "message",
    [
        f"Mend the record (#{PR})",
        f"[Cherry-pick to ours] Mend the record (#{PR}) (#12)",
        f"Backport InternLM/lmdeploy#{PR} to our branch",
        f"Merge upstream fixes (#12)\n\n* Something else\n* Mend the record (#{PR})\n",
    ],
)
def test_a_pick_whose_lines_differ_is_known_by_what_it_names(upstream, fork, message):
    adapted = MENDED.replace("meta = rebuild()", "meta = rebuild(was)").replace("meta.pad = was.pad", "meta.pad = 0")
    fork.commit(message, adapted, who="Fork")
    assert told(upstream.judged(fork)) == [("subject", True)]
    fork.commit("Tidy up", BROKEN, who="Fork")
    assert told(upstream.judged(fork)) == [("patch", False)]


def test_words_that_the_lines_do_not_bear_out_leave_it_open(upstream, fork):
    fork.commit(f"Mend the record (#{PR})", BROKEN.replace("meta = rebuild()", "meta = rebuild(was)"), who="Fork")
    found = upstream.judged(fork)
    assert told(found) == [("subject", None)]
    assert "whether #4741 is in the files does not show: the lines there are others" in found.build.holdings[0].says


def test_a_note_of_a_pick_counts_as_far_as_the_files_bear_it_out(upstream, fork):
    note = f"Whatever\n\n(cherry picked from commit {upstream.fix})"
    fork.commit(note, "z\n", "lmdeploy/z.py", who="Fork")
    assert told(upstream.judged(fork)) == [("patch", False)]
    fork.commit(
        note, MENDED.replace("line 9\n", "nine, ours\n").replace("meta.pad = was.pad", "meta.pad = 0"), who="Fork"
    )
    assert told(upstream.judged(fork)) == [("git", True)]


@pytest.mark.parametrize(
    ("message", "file"),
    [
        (f"A thing of our own (#{PR})", "lmdeploy/ours.py"),
        (f"Changes\n\n* Mend the record (#{PR})\n", "lmdeploy/ours.py"),
        (f"Work around a fault seen since #{PR}", FILE),
        ("Mend the record (#47410)", FILE),
    ],
)
def test_a_number_that_means_something_else_is_no_pick(upstream, fork, message, file):
    fork.commit(message, "other\n", file, who="Fork")
    assert told(upstream.judged(fork)) == [("git", False)]


def test_a_pick_into_a_renamed_file_is_found_by_patch_and_by_text(upstream, fork):
    fork.git("mv", FILE, "lmdeploy/draft.py")
    fork.commit("Rename", who="Fork")
    fork.commit("Keep what the peers do", MENDED, "lmdeploy/draft.py", who="Fork")
    found = upstream.judged(fork, MARK)
    assert told(found) == [("patch", True), ("fingerprint", True)]
    assert found.build.holdings[1].says.startswith("lmdeploy/draft.py has")


def test_a_squash_of_several_changes_is_known_by_its_text(upstream, fork):
    fork.commit("Sync", MENDED.replace("line 3\n", "three\n"), who="Fork")
    found = upstream.judged(fork, MARK)
    assert ("fingerprint", True) in told(found)


# Reverts


def reverted(fork: Repository, upstream: Upstream) -> str:
    """The fork picks the fix and takes it back."""
    fork.git("cherry-pick", upstream.fix, who="Fork")
    fork.git("revert", "--no-edit", "HEAD", who="Fork")
    return fork.git("rev-parse", "HEAD")


def test_a_fix_reverted_later_is_not_held(upstream, fork):
    sha = reverted(fork, upstream)
    found = upstream.judged(fork, MARK)
    assert told(found) == [("git", False), ("fingerprint", False)]
    assert f"{sha[:12]} reverts it" in found.build.holdings[0].says


def test_a_revert_of_the_revert_holds_it_again(upstream, fork):
    reverted(fork, upstream)
    fork.git("revert", "--no-edit", "HEAD", who="Fork")
    found = upstream.judged(fork, MARK)
    assert told(found) == [("git", True), ("fingerprint", True)]
    assert "reverts its revert" in found.build.holdings[0].says


@pytest.mark.parametrize(
    ("message", "held"),
    [
        (f'Revert "Mend the record (#{PR})" (#13)', False),
        (f'Reapply "Mend the record (#{PR})" (#14)', True),
        (f'Revert "Revert "Mend the record (#{PR})" (#13)" (#14)', True),
        (f"Revert #{PR}: it breaks our graphs", False),
    ],
)
def test_a_subject_takes_back_or_brings_again(upstream, tmp_path, message, held):
    fork = upstream.forked(tmp_path / "fork", "v0.15.0")
    fork.commit(message, (MENDED if held else BROKEN) + "# touched\n", who="Fork")
    assert told(upstream.judged(fork)) == [("subject", held)]


def test_a_revert_that_upstream_makes_is_upstreams_word(upstream):
    upstream.git("revert", "--no-edit", upstream.fix)
    assert told(upstream.judged(upstream))[0] == ("git", False)


# Git and content


def test_a_text_taken_out_by_a_commit_that_says_nothing_is_a_contradiction_where_content_counts(upstream, tmp_path):
    fork = upstream.forked(tmp_path / "fork", "v0.15.0")
    fork.commit("Tidy up", BROKEN, who="Fork")
    found = upstream.judged(fork, MARK)
    assert told(found) == [("patch", False), ("fingerprint", False)]
    assert f"yet {upstream.fix[:12]} is below it" in found.build.holdings[0].says


def test_a_text_that_upstream_had_before_the_fix_proves_nothing(upstream, fork):
    found = upstream.judged(fork, Fingerprint(FILE, present="rebuild"))
    assert told(found) == [("git", False), ("fingerprint", None)]
    assert "upstream's own" in found.build.holdings[1].says


def test_a_text_in_upstreams_own_file_without_the_fix_proves_nothing(upstream):
    found = upstream.judged(upstream, Fingerprint(FILE, present="rebuild"), ref="v0.14.0")
    assert told(found) == [("git", False), ("fingerprint", None)]


def test_of_two_releases_below_the_nearer_one_counts(upstream):
    upstream.git("checkout", "-q", "-b", "release", "v0.14.0")
    upstream.git("tag", "v0.14.1rc0", "v0.14.0~1")
    sha = upstream.commit("[Cherry-pick to release] Other (#4745)", "o\n", "lmdeploy/o.py")
    upstream.git("tag", "v0.14.0.post1")
    known = upstream.knowledge()
    assert upstream.judged(upstream, known=known).build.version == "0.14.0.post1"
    later = upstream.commit("Ours", "p\n", "lmdeploy/o.py")
    found = upstream.judged(upstream, known=known).build
    assert found.version == f"0.14.0.post1+1.g{later[:9]}" and sha != later


def test_a_text_that_is_missing_before_the_fault_came_proves_nothing(upstream, fork):
    found = upstream.judged(fork, Fingerprint(FILE, absent="never there"))
    assert told(found) == [("git", False), ("fingerprint", None)]


def test_two_marks_that_disagree_leave_it_open(upstream, fork):
    found = upstream.judged(fork, MARK, Fingerprint(FILE, absent="never there"))
    assert told(found)[1] == ("fingerprint", None) and "part of it only" in found.build.holdings[1].says


# What cannot be told


def test_in_a_shallow_clone_only_files_decide(upstream, tmp_path):
    upstream.git("clone", "-q", "--depth", "1", f"file://{upstream.path}", str(tmp_path / "shallow"))
    found = upstream.judged(Repository(tmp_path / "shallow", made=False), MARK)
    assert told(found) == [("git", None), ("fingerprint", True)]
    assert any("shallow clone of 1 commits" in note.text for note in found.notes)


def test_a_history_of_its_own_says_nothing_by_what_is_missing(tmp_path, upstream):
    alone = Repository(tmp_path / "alone")
    alone.commit("Import", "", "lmdeploy/__init__.py")
    alone.commit("Import more", MENDED)
    found = upstream.judged(alone, MARK)
    assert told(found) == [("git", None), ("fingerprint", True)] and found.build.version is None
    assert "could not be placed among upstream's releases: give --version" in found.notes[0].text
    assert "a history of its own" in found.notes[1].text


def test_a_fork_without_the_upstream_commit_may_hold_a_silent_pick(tmp_path, upstream):
    only = ("--single-branch", "--branch", "v0.14.0", "--no-tags")
    upstream.git("clone", "-q", *only, f"file://{upstream.path}", str(tmp_path / "fork"))
    fork = Repository(tmp_path / "fork", made=False)
    fork.commit("Silent", MENDED, who="Fork")
    assert told(upstream.judged(fork)) == [("git", None)]
    assert told(upstream.judged(fork, MARK)) == [("git", None), ("fingerprint", True)]


# A clone that no history places: the version stated for it


@pytest.fixture
def vendored(tmp_path: Path) -> Repository:
    """The files of 0.14.0, brought in by one commit of its own."""
    made = Repository(tmp_path / "vendored")
    made.commit("Import", "", "lmdeploy/__init__.py")
    made.commit("Import more", BROKEN)
    return made


VERSIONS = [
    ("lmdeploy/version.py", "__version__ = '0.14.0'\nshort_version = __version__\n"),
]


@pytest.mark.parametrize(("file", "text"), VERSIONS)
def test_the_version_that_the_tree_states_is_its_base(upstream, vendored, file, text):
    vendored.commit("Number", text, file)
    found = upstream.judged(vendored, MARK)
    assert (found.build.version, found.build.origin, found.build.commit) == ("0.14.0", "inferred", None)
    assert told(found) == [("git", None), ("fingerprint", False)]
    assert f"judged as 0.14.0, for its {file} says 0.14.0" in found.notes[0].text


@pytest.mark.parametrize("text", ["__version__ = '0.0.0'\n", "__version__ = get_version()\n", "__version__ = 'ours'\n"])
def test_a_placeholder_states_nothing(upstream, vendored, text):
    vendored.commit("Number", text, "lmdeploy/version.py")
    found = upstream.judged(vendored, MARK)
    assert found.build.version is None and found.notes[0].text.startswith("this clone could not be placed")


def test_a_dev_version_of_the_tree_brings_its_commit(upstream, vendored):
    vendored.commit("Number", "__version__ = '0.15.0.dev3+g752a3a504'\n", "lmdeploy/version.py")
    found = upstream.judged(vendored)
    assert (found.build.version, found.build.commit) == ("0.15.0.dev3+g752a3a504", "752a3a504")


def test_a_shallow_fork_is_a_commit_after_the_version_of_its_tree_and_an_absence_proves_nothing(
    upstream, fork, tmp_path
):
    fork.commit("Mend ours", MENDED, who="Fork")
    fork.commit("Number", "__version__ = '0.14.0'\n", "lmdeploy/version.py", who="Fork")
    fork.git("clone", "-q", "--depth", "1", f"file://{fork.path}", str(tmp_path / "shallow"))
    found = upstream.judged(Repository(tmp_path / "shallow", made=False), MARK)
    assert found.build.version == f"0.14.0+g{found.build.commit[:9]}"
    assert told(found) == [("git", None), ("fingerprint", True)]
    bare = upstream.judged(Repository(tmp_path / "shallow", made=False)).build
    truth, _ = contains(bare, Boundary("0.15.0", upstream.fix, PR), upstream.knowledge())
    assert truth is Truth.UNKNOWN


@pytest.mark.parametrize("name", ["v0.14.0", "0.14.0", "v0.14.0-ours.3"])
@pytest.mark.parametrize("ref", ["", "named"])
def test_a_tag_of_its_own_is_no_commit_of_upstreams_but_its_number_counts(upstream, vendored, name, ref):
    vendored.git("tag", name)
    found = upstream.judged(vendored, MARK, ref=name if ref else "")
    assert (found.build.version, found.build.origin) == ("0.14.0", "inferred")
    assert told(found)[0] == ("git", None) and f"its tag {name} bears that number" in found.notes[0].text


def test_a_tag_with_a_number_of_its_own_scheme_states_nothing(upstream, vendored):
    vendored.git("tag", "v3.1.0")
    assert upstream.judged(vendored).build.version is None


def test_the_users_word_is_before_the_trees_and_both_are_kept(upstream, vendored):
    vendored.commit("Number", "__version__ = '0.14.0'\n", "lmdeploy/version.py")
    found = upstream.judged(vendored, MARK, ref="v0.15.0")
    assert (found.build.version, found.build.origin) == ("0.15.0", "stated")
    assert [(one.version, one.by) for one in found.stated] == [("0.15.0", "user"), ("0.14.0", "file")]
    assert told(found)[1] == ("fingerprint", False), "the files are not asked to agree"


def test_a_text_that_is_gone_tells_from_the_release_that_removed_it_on(upstream, vendored):
    mark = Fingerprint(FILE, absent="never there")
    assert told(upstream.judged(vendored, mark, ref="0.14.0"))[1] == ("fingerprint", None)
    assert told(upstream.judged(vendored, mark, ref="0.15.0"))[1] == ("fingerprint", True)


def test_a_name_of_a_tag_and_a_branch_is_said(upstream):
    upstream.git("branch", "v0.14.0", "v0.15.0")
    found = upstream.judged(upstream, MARK, ref="0.14.0")
    assert found.build.version == "0.14.0"
    assert "v0.14.0 is a tag and a branch of it: the tag was taken" in found.notes[0].text


# History says yes, the file is gone


@pytest.mark.parametrize("placed", [True, False])
def test_a_file_that_a_later_commit_takes_away_leaves_it_open(upstream, fork, vendored, placed):
    ours = fork if placed else vendored
    ours.commit(f"Mend the record (#{PR})", MENDED.replace("line 3\n", "three\n"), who="Fork")
    assert told(upstream.judged(ours, MARK)) == [("subject", True), ("fingerprint", True)]
    ours.git("rm", "-q", FILE)
    ours.commit("Drop it", who="Fork")
    found = upstream.judged(ours, MARK)
    assert told(found) == [("subject", None)]
    assert f"{FILE}, by which it is known, is not in this tree" in found.build.holdings[0].says


def test_a_file_that_upstream_took_away_leaves_git_to_decide(upstream, tmp_path):
    upstream.git("rm", "-q", FILE)
    upstream.commit("Move on (#4761)")
    fork = upstream.forked(tmp_path / "fork", "main")
    fork.commit("Ours", "ours\n", "lmdeploy/ours.py", who="Fork")
    assert told(upstream.judged(upstream, MARK)) == [("git", True)]
    assert told(upstream.judged(fork, MARK)) == [("git", True)]


# The clone itself


def test_an_edited_work_tree_is_said_and_the_commit_judged(upstream):
    (upstream.path / FILE).write_text(BROKEN)
    found = upstream.judged(upstream, MARK)
    assert told(found)[1] == ("fingerprint", True) and found.build.fork == "local"
    assert any(f"differs from {upstream.after[:12]} in 1 files, among them {FILE}" in note.text for note in found.notes)


def test_a_file_touched_without_a_change_is_no_edit(upstream):
    os.utime(upstream.path / FILE, (1, 1))
    assert upstream.judged(upstream, MARK).build.fork == ""


def test_a_bare_clone_will_do(tmp_path, upstream):
    upstream.git("clone", "-q", "--bare", f"file://{upstream.path}", str(tmp_path / "bare"))
    assert told(upstream.judged(Repository(tmp_path / "bare", made=False), MARK))[0] == ("git", True)


def test_the_fork_is_named_by_where_it_was_cloned_from(upstream, fork):
    fork.git("remote", "set-url", "origin", "https://user:secret@github.com/LimeChain/lmdeploy.git")
    found = upstream.judged(fork)
    assert found.build.fork == "LimeChain/lmdeploy" and "secret" not in str(found)


def test_nothing_that_the_clone_configures_is_run(upstream, tmp_path):
    ran, known = tmp_path / "ran", upstream.knowledge()
    for name in ("core.fsmonitor", "diff.external", "filter.x.clean", "gpg.program", "core.pager", "diff.x.textconv"):
        upstream.git("config", name, f"touch {ran}; false")
    upstream.git("config", "log.showSignature", "true")
    (upstream.path / ".git" / "info").mkdir(exist_ok=True)
    (upstream.path / ".git" / "info" / "attributes").write_text("*.py filter=x diff=x\n")
    (upstream.path / FILE).write_text(BROKEN)
    found = upstream.judged(upstream, MARK, known=known)
    assert told(found) == [("git", True), ("fingerprint", True)] and "differs from" in found.notes[-1].text
    assert not ran.exists()


def test_a_subject_made_to_act_on_a_terminal_is_defused(upstream, fork):
    fork.git("commit", "-q", "--allow-empty", "-m", f"\x1b]0;owned\x07 (#{PR})", who="Fork")
    (fork.path / FILE).write_text("x")
    fork.git("commit", "-aq", "-m", f"\x1b]0;owned\x07 (#{PR})", who="Fork")
    says = upstream.judged(fork).build.holdings[0].says
    assert "owned" in says and says.isprintable()


@pytest.mark.parametrize(
    ("ref", "engine", "what"),
    [("ours", "", "no commit, tag or branch 'ours'"), ("--all", "", "no commit"), ("", "vllm", "it holds lmdeploy")],
)
def test_what_is_not_there_is_refused(upstream, ref, engine, what):
    with pytest.raises(UsageError, match=what):
        checked_out(upstream.path, engine, ref)


def test_a_version_that_is_no_revision_of_a_clone_placed_by_its_history_is_refused(upstream):
    with pytest.raises(
        UsageError, match=r"no commit, tag or branch 'v9\.9' in it .*places what is checked out at 0\.15\.0"
    ):
        upstream.judged(upstream, ref="v9.9")


def test_a_folder_without_git_is_refused(tmp_path):
    with pytest.raises(UsageError, match=r"not a git clone.*--installed"):
        checked_out(tmp_path)


def test_a_repository_of_no_engine_is_refused(tmp_path):
    other = Repository(tmp_path / "other")
    other.commit("Start", "x", "setup.py")
    with pytest.raises(UsageError, match="no engine known here"):
        checked_out(other.path)
