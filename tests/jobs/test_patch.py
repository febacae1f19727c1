"""`advisor patch` from the front door, on small forks of a small upstream."""

from __future__ import annotations

import hashlib
import json
import os
import re
import shutil
import signal
import subprocess
import sys
import time
from dataclasses import replace
from pathlib import Path

import pytest
import typer

from advisor.errors import AdvisorError
from advisor.faces.cli import application
from advisor.jobs import patch as job
from advisor.jobs.explain import find
from advisor.model.rule import Fingerprint, Fix, Need, Rule
from tests.upstream.patch_clones import AGENT, DOC, FIXED, KERNEL, TEST, Repo, Upstream, lines

RULE = "lmdeploy/mtp-dp-meta"
BRANCH = "advisor/mtp-dp-meta"
NEEDED = {30: "    warm_up(meta)"}


@pytest.fixture
def upstream(tmp_path):
    return Upstream(tmp_path / "upstream")


@pytest.fixture
def rule(upstream, monkeypatch):
    """The rule, with the small upstream's fix in the place of its own."""
    need = Need(upstream.need, "It adds what the fix rewrites.", (), pr=7)
    mark = Fingerprint(AGENT, present="meta.is_decoding = old.is_decoding")
    fix = Fix("InternLM/lmdeploy", "complete", "Keeps the mark.", (), pr=8, commit=upstream.fix, merged="2026-01-01")
    return with_fixes(monkeypatch, replace(fix, fingerprint=mark, needs=(need,)))


def with_fixes(monkeypatch: pytest.MonkeyPatch, *fixes: Fix, no_fix: str | None = None) -> Rule:
    made = replace(find(RULE), fixes=fixes, no_fix=no_fix)
    monkeypatch.setattr(job, "find", lambda name: made)
    return made


class Ran:
    """One run of the command: exit code, standard output, standard error."""

    def __init__(self, capture: pytest.CaptureFixture[str], *words: str | Path) -> None:
        try:
            code = typer.main.get_command(application(["patch"])).main(
                ["patch", *map(str, words)], standalone_mode=False
            )
        except AdvisorError as error:
            code, error_line = 2, error.line()
            print(error_line)
        self.code, captured = code, capture.readouterr()
        self.out, self.err = " ".join(captured.out.split()), captured.err
        self.raw = captured.out


@pytest.fixture
def advisor(capsys):
    return lambda *words: Ran(capsys, *words)


def snapshot(repo: Repo) -> dict[str, str]:
    """All of a repository that a person can see: every file but git's objects, and what git says of it."""
    found = {
        str(path.relative_to(repo.path)): hashlib.sha256(path.read_bytes()).hexdigest()
        for path in sorted(repo.path.rglob("*"))
        if path.is_file() and ".git/objects" not in str(path)
    }
    asked = ("status --porcelain", "for-each-ref", "stash list", "worktree list", "rev-parse HEAD", "reflog")
    return found | {words: repo.git("--no-optional-locks", *words.split()) for words in asked}


@pytest.fixture
def dirty(tmp_path, upstream):
    """A fork at `before`, with a stash, a staged file, an edited one and an untracked one."""
    fork = upstream.fork(tmp_path / "fork", upstream.before)
    fork.commit("Ours", {"ours.txt": "ours\n"})
    fork.write({"ours.txt": "stashed\n"})
    fork.git("stash")
    fork.write({"staged.txt": "staged\n"})
    fork.git("add", "staged.txt")
    fork.write({AGENT: lines({1: "    edited, not committed"}), "untracked.txt": "mine\n"})
    return fork


def test_a_dry_run_tells_and_touches_nothing(rule, advisor, upstream, dirty):
    before = snapshot(dirty)
    ran = advisor(RULE, "--repo", dirty.path, "--from", upstream.path)
    assert ran.code == 0
    assert "a series of 2 commits" in ran.out and "applies cleanly" in ran.out
    assert ran.out.index(upstream.need[:12]) < ran.out.index(upstream.fix[:12])
    assert "It adds what the fix rewrites." in ran.out
    assert snapshot(dirty) == before


def test_apply_makes_a_branch_and_leaves_the_work_tree(rule, advisor, upstream, dirty):
    before = snapshot(dirty)
    ran = advisor(RULE, "--repo", dirty.path, "--from", upstream.path, "--apply")
    assert ran.code == 0 and f"switch {BRANCH}" in ran.raw
    after = snapshot(dirty)
    made = {key for key in after if before.get(key) != after[key]}
    assert made == {f".git/refs/heads/{BRANCH}", f".git/logs/refs/heads/{BRANCH}", "for-each-ref"}
    told = dirty.git("log", "--reverse", "--format=%an|%cn|%s", f"HEAD..{BRANCH}").splitlines()
    assert told == [
        "Ada Author|The User|Give warm-up its metadata (#7)",
        "Ada Author|The User|Keep the decoding mark (#8)",
    ]
    body = dirty.git("log", "-1", "--format=%B", BRANCH)
    assert body.endswith(f"Signed-off-by: Ada <ada@upstream.example>\n(cherry picked from commit {upstream.fix})")
    assert dirty.git("show", f"{BRANCH}:{KERNEL}") == upstream.git("show", f"{upstream.fix}:{KERNEL}")
    assert dirty.git("fsck", "--strict").find("missing") == -1
    again = advisor(RULE, "--repo", dirty.path, "--ref", BRANCH)
    assert again.code == 0 and "The fix is in" in again.out


def test_apply_makes_what_cherry_pick_makes(rule, advisor, upstream, tmp_path):
    fork = upstream.fork(tmp_path / "fork", upstream.before)
    advisor(RULE, "--repo", fork.path, "--from", upstream.path, "--apply", "--branch", "ours/fix")
    fork.git("fetch", "-q", str(upstream.path), upstream.fix)
    fork.git("switch", "-q", "-c", "by-git")
    fork.git("cherry-pick", "-x", upstream.need, upstream.fix)
    shown = ("log", "--format=%T %an %ae %ad %cn %B", "-2")
    assert fork.git(*shown, "by-git") == fork.git(*shown, "ours/fix")


@pytest.mark.parametrize("apply", [False, True])
def test_a_conflict_leaves_nothing_behind(rule, advisor, upstream, dirty, apply):
    dirty.git("stash", "push", "-q", "--include-untracked")
    dirty.commit("In the way", {AGENT: lines({20: "    ours"})})
    dirty.git("stash", "pop", "-q", check=False)
    dirty.write({"untracked.txt": "mine\n"})
    before = snapshot(dirty)
    objects = sorted((dirty.path / ".git/objects").rglob("*"))
    words = ["--apply"] if apply else []
    ran = advisor(RULE, "--repo", dirty.path, "--from", upstream.path, *words)
    assert ran.code == 1
    assert f"{AGENT}: CONFLICT: changed context" in ran.out
    assert "in 1 file of code" in ran.out
    assert snapshot(dirty) == before
    assert sorted((dirty.path / ".git/objects").rglob("*")) == objects


@pytest.mark.parametrize(
    ("ours", "said"),
    [
        ({TEST: lines({5: "    ours"})}, "only in tests, not in code"),
        ({DOC: None}, "only in docs, not in code"),
        ({DOC: None, TEST: None}, "only in docs and tests, not in code"),
        ({KERNEL: None, TEST: None}, "in 1 file of code, and in 1 of tests, docs or version"),
    ],
)
def test_what_conflicts_is_told_apart(rule, advisor, upstream, tmp_path, ours, said):
    fork = upstream.fork(tmp_path / "fork", upstream.need)
    fork.commit("Ours", ours)
    ran = advisor(RULE, "--repo", fork.path, "--from", upstream.path)
    assert ran.code == 1 and said in ran.out
    assert ("--exclude=" in ran.raw) == ("not in code" in said)


def test_an_excluding_am_as_printed_applies(rule, advisor, upstream, tmp_path):
    fork = upstream.fork(tmp_path / "fork", upstream.need)
    fork.commit("Ours", {DOC: None, TEST: None})
    mails = tmp_path / "fix.mbox"
    ran = advisor(RULE, "--repo", fork.path, "--from", upstream.path, "--output", mails)
    (line,) = [line for line in ran.raw.splitlines() if "--exclude" in line]
    fork.git(*line.strip().replace("FILE", str(mails)).split()[1:])
    assert FIXED[20].strip() in fork.git("show", f"HEAD:{AGENT}")


def test_an_existing_branch_is_refused_before_anything(rule, advisor, upstream, dirty):
    dirty.git("branch", BRANCH)
    before = snapshot(dirty)
    ran = advisor(RULE, "--repo", dirty.path, "--from", upstream.path, "--apply")
    assert ran.code == 2 and "already" in ran.out
    assert snapshot(dirty) == before


@pytest.mark.parametrize("name", ["-x", "a..b", "a b", "x.lock"])
def test_a_branch_name_that_cannot_be_is_refused(rule, advisor, upstream, dirty, name):
    assert advisor(RULE, "--repo", dirty.path, "--apply", f"--branch={name}").code == 2


def test_a_branch_in_the_way_of_the_name_leaves_nothing(rule, advisor, upstream, dirty):
    dirty.git("branch", "advisor")
    before = snapshot(dirty)
    assert advisor(RULE, "--repo", dirty.path, "--from", upstream.path, "--apply").code == 2
    assert snapshot(dirty) == before


# mails


def test_mails_apply_with_git_am_and_say_where_they_are_from(rule, advisor, upstream, tmp_path):
    fork = upstream.fork(tmp_path / "fork", upstream.before)
    mails = tmp_path / "fix.mbox"
    ran = advisor(RULE, "--repo", fork.path, "--from", upstream.path, "--output", mails, "--apply")
    assert ran.code == 0 and str(mails) in ran.raw
    fork.git("am", "-q", str(mails))
    assert fork.tree() == fork.tree(BRANCH)
    assert fork.git("log", "-2", "--format=%an %ad %s") == upstream.git("log", "-2", "--format=%an %ad %s")
    body = fork.git("log", "-1", "--format=%B")
    for part in (
        RULE,
        rule.summary,
        "https://github.com/InternLM/lmdeploy/pull/8",
        upstream.fix,
        "Keeps the mark.",
        "Order: 2 of 2",
    ):
        assert part in body
    assert "It was lost in the draft loop." in body
    assert "The fix is in" in advisor(RULE, "--repo", fork.path).out, "found again by its note"


def test_mails_are_the_same_bytes_from_any_clone_at_any_time(rule, advisor, upstream, tmp_path):
    written = []
    for number, at in enumerate((upstream.before, upstream.before)):
        fork = upstream.fork(tmp_path / f"fork{number}", at)
        fork.git("config", "diff.noprefix", "true")
        fork.git("config", "format.signature", "me")
        fork.commit(f"Ours {number}", {f"{number}.txt": "ours\n"})
        mails = tmp_path / f"{number}.mbox"
        advisor(RULE, "--repo", fork.path, "--from", upstream.path, "--output", mails)
        written.append(mails.read_bytes())
    assert written[0] == written[1]
    assert written[0].count(b"\nSubject: [PATCH ") == 2


def test_a_folder_gets_one_file_a_mail(rule, advisor, upstream, tmp_path):
    fork = upstream.fork(tmp_path / "fork", upstream.before)
    folder = tmp_path / "series"
    advisor(RULE, "--repo", fork.path, "--from", upstream.path, "--output", f"{folder}/")
    names = sorted(path.name for path in folder.iterdir())
    assert names == ["0001-Give-warm-up-its-metadata-7.patch", "0002-Keep-the-decoding-mark-8.patch"]
    fork.git("am", "-q", *(str(folder / name) for name in names))
    assert fork.git("show", f"HEAD:{AGENT}") == upstream.git("show", f"{upstream.fix}:{AGENT}")


def test_a_mail_that_cannot_be_written_leaves_no_part(rule, advisor, upstream, tmp_path):
    fork = upstream.fork(tmp_path / "fork", upstream.before)
    ran = advisor(RULE, "--repo", fork.path, "--from", upstream.path, "--output", tmp_path / "no/such/fix.mbox")
    assert ran.code == 2 and "cannot be written" in ran.out
    assert not (tmp_path / "no").exists()


# is it in


def test_what_is_in_is_not_exported(rule, advisor, upstream, tmp_path):
    mails = tmp_path / "fix.mbox"
    ran = advisor(RULE, "--repo", upstream.path, "--output", mails, "--apply")
    assert ran.code == 0 and "The fix is in" in ran.out and upstream.fix[:12] in ran.out
    assert not mails.exists() and BRANCH not in upstream.git("for-each-ref")


def test_a_pick_under_another_name_is_in_without_upstream_at_hand(rule, advisor, upstream, tmp_path):
    fork = upstream.fork(tmp_path / "fork", upstream.need)
    fork.git("fetch", "-q", str(upstream.path), upstream.fix)
    fork.git("cherry-pick", "-x", upstream.fix)
    bare = Repo(tmp_path / "bare")
    bare.git("fetch", "-q", str(fork.path), "main:copy")
    assert "The fix is in" in advisor(RULE, "--repo", bare.path, "--ref", "copy").out


def test_a_reverted_fix_is_carried_again(rule, advisor, upstream):
    upstream.git("revert", "--no-edit", upstream.fix)
    ran = advisor(RULE, "--repo", upstream.path)
    assert ran.code == 0
    assert "is not in" in ran.out and "applies cleanly" in ran.out and "reverts it" in ran.out


def test_a_fix_written_by_hand_is_in_by_content(rule, advisor, upstream, tmp_path):
    fork = upstream.fork(tmp_path / "fork", upstream.need)
    fork.git("fetch", "-q", str(upstream.path), upstream.fix)
    fork.git("checkout", "-q", "FETCH_HEAD", "--", ".")
    fork.commit("Our own words")
    assert "The fix is in" in advisor(RULE, "--repo", fork.path).out


# what cannot be had


def test_commits_that_are_not_there_come_with_the_command_to_run(rule, advisor, upstream, dirty):
    ran = advisor(RULE, "--repo", dirty.path)
    assert ran.code == 1
    assert f"The fix is not in, by its files: {AGENT} has no “meta.is_decoding" in ran.out
    assert "to carry it the commit is needed" in ran.out
    command = f"git -C {dirty.path} fetch https://github.com/InternLM/lmdeploy.git {upstream.need} {upstream.fix}"
    assert command in ran.raw.splitlines()


def test_a_commit_without_the_one_before_it_is_not_at_hand(rule, advisor, upstream, tmp_path, monkeypatch):
    with_fixes(monkeypatch, replace(rule.fixes[0], needs=()))
    fork = upstream.fork(tmp_path / "fork", upstream.before)
    fork.git("fetch", "-q", "--depth", "1", f"file://{upstream.path}", upstream.fix)
    ran = advisor(RULE, "--repo", fork.path)
    assert ran.code == 1 and "The fix is not in, by its files" in ran.out and "the clone is shallow" in ran.out


def test_what_was_asked_for_and_could_not_be_done_is_said(rule, advisor, dirty, tmp_path):
    before = snapshot(dirty)
    mails = tmp_path / "fix.mbox"
    ran = advisor(RULE, "--repo", dirty.path, "--apply", "-o", mails)
    assert ran.code == 1 and "no branch was made, for the commit is not at hand" in ran.out
    assert "nothing was written" in ran.out and not mails.exists() and snapshot(dirty) == before


# history and files


FIX_SAYS = {AGENT: lines({**FIXED, 30: "    warm_up(meta, guarded=True)"})}


@pytest.fixture
def alone(tmp_path):
    """A fork without upstream's commits, in which a commit of its own says that it brings the fix, and does."""
    fork = Repo(tmp_path / "alone")
    fork.commit("Import", {"engine/__init__.py": "", AGENT: lines(NEEDED)})
    fork.commit("Keep the decoding mark (#8)", FIX_SAYS)
    return fork


def test_files_that_hold_the_fix_are_enough_without_upstreams_commit(rule, advisor, alone):
    assert advisor(RULE, "--repo", alone.path).code == 0
    alone.git("commit", "-q", "--amend", "-m", "In other words")
    ran = advisor(RULE, "--repo", alone.path)
    assert ran.code == 0 and "The fix is in" in ran.out


@pytest.mark.parametrize(
    ("later", "standing", "said"),
    [
        ({AGENT: None}, "unknown", f"{AGENT}, by which it is known, is not in this tree"),
        ({AGENT: lines(NEEDED)}, "no", "but its lines are not there any more"),
    ],
    ids=["deleted", "lacking"],
)
def test_a_subject_is_not_believed_against_the_files(rule, advisor, alone, later, standing, said):
    alone.commit("Tidy up", later)
    ran = advisor(RULE, "--repo", alone.path)
    assert ran.code == 1 and "The fix is in:" not in ran.out
    headline = {
        "unknown": "Whether the fix is in is not established",
        "no": "The fix is not in, by its history and files",
    }
    assert headline[standing] in ran.out and said in ran.out and "names #8" in ran.out
    told = json.loads(advisor(RULE, "--repo", alone.path, "--format", "json").raw)
    assert (told["verdict"], told["patches"][-1]["standing"]) == ("untried", standing)
    assert " fetch https://github.com/InternLM/lmdeploy.git" in told["fetch"]


# what the page says


def test_after_a_conflict_the_page_promises_nothing(rule, advisor, upstream, dirty, tmp_path):
    dirty.git("stash", "push", "-q", "--include-untracked")
    dirty.commit("In the way", {AGENT: lines({20: "    ours"})})
    mails = tmp_path / "fix.mbox"
    ran = advisor(RULE, "--repo", dirty.path, "--from", upstream.path, "--apply", "-o", mails)
    assert ran.code == 1 and mails.exists()
    assert "--apply: no branch was made, for it conflicts." in ran.out
    assert "To take it" not in ran.out
    assert f"do not apply as they are. This stops at the conflict: git am --3way {mails}" in ran.out
    assert "surroundings are others" not in ran.out
    assert "the lines that it changes, or those around them, are not here as the fix found them" in ran.out


def test_a_file_merged_by_its_context_is_to_be_read(rule, advisor, upstream, tmp_path):
    fork = upstream.fork(tmp_path / "fork", upstream.need)
    fork.commit("Near it", {AGENT: lines({17: "    ours", **NEEDED})})
    ran = advisor(RULE, "--repo", fork.path, "--from", upstream.path)
    assert ran.code == 0 and "applies by a three-way merge" in ran.out
    assert f"{AGENT}: merged by its context: read it before you build; nothing was compiled or run" in ran.out


@pytest.mark.parametrize("length", range(3, 15))
def test_a_hunk_is_placed_without_a_word_cut_in_two(rule, advisor, tmp_path, monkeypatch, length):
    heading = f"def {'run' * 5:.{length}}(self, first_of_all, the_second_argument, the_third_of_them, the_last_one):"
    body = [heading, *(f"    line {n}" for n in range(30))]
    repo = Repo(tmp_path / "repo")

    def text(changed: dict[int, str]) -> dict[str, str]:
        return {"engine/a.py": "".join(f"{changed.get(n, line)}\n" for n, line in enumerate(body))}

    repo.commit("Start", text({}))
    fix = repo.commit("Fix (#3)", text({20: "    mended"}))
    with_fixes(monkeypatch, Fix("InternLM/lmdeploy", "complete", "Mends.", (), pr=3, commit=fix, merged="2026-01-01"))
    repo.git("switch", "-q", "-c", "ours", f"{fix}~1")
    repo.commit("Ours", text({18: "    ours"}))
    ran = advisor(RULE, "--repo", repo.path)
    shown = ran.out.partition("upstream's line 18, ")[2].partition(": the lines that")[0]
    words = re.findall(r"\w+", shown)
    assert words and words == re.findall(r"\w+", heading)[: len(words)]
    assert (len(words) == len(re.findall(r"\w+", heading))) != shown.endswith("…")


def test_of_a_tag_and_a_branch_of_one_name_it_is_said_which_was_taken(rule, advisor, upstream):
    upstream.git("tag", "release", upstream.fix)
    upstream.git("branch", "release", upstream.before)
    ran = advisor(RULE, "--repo", upstream.path, "--ref", "release")
    assert ran.code == 0 and "release is a tag and a branch of the clone: the tag was taken" in ran.out
    branch = advisor(RULE, "--repo", upstream.path, "--ref", "refs/heads/release")
    assert "applies cleanly" in branch.out and "is a tag and a branch" not in branch.out


def test_a_commit_known_by_its_beginning_is_fetched_by_branch(rule, advisor, upstream, dirty, monkeypatch):
    short = replace(rule.fixes[0], commit=upstream.fix[:10], needs=())
    with_fixes(monkeypatch, short)
    assert "lmdeploy.git main" in advisor(RULE, "--repo", dirty.path).out
    found = advisor(RULE, "--repo", dirty.path, "--from", upstream.path)
    assert found.code == 1 and upstream.fix in found.out


@pytest.mark.parametrize(
    ("state", "said"),
    [("open", "its pull request is open, not merged"), ("closed", "is closed"), ("fork", "only in the fork")],
)
def test_a_fix_that_is_not_merged_is_said_to_be_so(advisor, dirty, monkeypatch, state, said):
    fix = Fix("InternLM/lmdeploy", "complete", "Would mend it.", (), pr=9, state=state)
    with_fixes(monkeypatch, fix, no_fix="Nothing is merged as of 2026-11-29.")
    ran = advisor(RULE, "--repo", dirty.path)
    assert ran.code == 1
    assert "Nothing is merged as of 2026-11-29." in ran.out and said in ran.out


def test_an_unmerged_fix_that_the_fork_took_is_noticed(advisor, dirty, monkeypatch):
    fix = Fix("InternLM/lmdeploy", "complete", "Would mend it.", (), pr=9, state="open")
    with_fixes(monkeypatch, fix, no_fix="Nothing is merged.")
    assert "is in here" not in advisor(RULE, "--repo", dirty.path).out
    dirty.git("commit", "-q", "--allow-empty", "-m", "Mend it early (#9)")
    assert "is in here" not in advisor(RULE, "--repo", dirty.path).out, "a number of its own, and nothing changed"
    dirty.commit("Take InternLM/lmdeploy#9 early: apply #9", {"engine/early.py": "mended = True\n"})
    assert "InternLM/lmdeploy#9, which is not merged, is in here" in advisor(RULE, "--repo", dirty.path).out


def test_a_partial_fix_is_taken_when_named(rule, advisor, upstream, tmp_path, monkeypatch):
    partial = Fix("InternLM/lmdeploy", "partial", "Half.", (), pr=7, commit=upstream.need, merged="2026-01-01")
    with_fixes(monkeypatch, replace(rule.fixes[0], needs=()), partial)
    fork = upstream.fork(tmp_path / "fork", upstream.before)
    usual = advisor(RULE, "--repo", fork.path, "--from", upstream.path)
    assert "partial; take it with --fix 7" in usual.out and usual.code == 1
    named = advisor(RULE, "--repo", fork.path, "--from", upstream.path, "--fix", "8", "--fix", upstream.need[:8])
    assert named.code == 0 and "a series of 2 commits" in named.out
    assert advisor(RULE, "--repo", fork.path, "--fix", "99").code == 2


def test_another_project_is_not_taken_for_a_conflict(rule, advisor, upstream, tmp_path):
    other = Repo(tmp_path / "other")
    other.commit("Something else", {"main.c": "int main;\n"})
    ran = advisor(RULE, "--repo", other.path, "--from", upstream.path)
    assert ran.code == 2 and "holds none of the files" in ran.out


@pytest.mark.parametrize(
    "words",
    [
        (),
        ("--repo", "/nowhere"),
        ("--against-installed", "/nowhere"),
        ("--repo", ".", "--apply", "--against-installed"),
        ("--repo", ".", "--branch", "x"),
    ],
)
def test_requests_that_contradict_themselves_are_refused(rule, advisor, words):
    assert advisor(RULE, *words).code == 2


def test_json_says_the_same(rule, advisor, upstream, tmp_path):
    fork = upstream.fork(tmp_path / "fork", upstream.need)
    fork.commit("Ours", {KERNEL: None})
    told = json.loads(advisor(RULE, "--repo", fork.path, "--from", upstream.path, "--format", "json").raw)
    assert (told["schema"], told["verdict"], told["head"]) == (1, "conflicts", fork.git("rev-parse", "HEAD"))
    assert {file["path"]: file["state"] for file in told["patches"][-1]["files"]}[KERNEL] == "conflict"


def test_a_clone_of_another_project_is_told_before_anything_is_fetched(rule, advisor, tmp_path):
    other = Repo(tmp_path / "other")
    other.commit("Something else", {"src/nccl.h.in": "int ncclMajor;\n"})
    ran = advisor(RULE, "--repo", other.path)
    assert ran.code == 2 and "is no clone of InternLM/lmdeploy: it holds src/nccl.h.in" in ran.out
    assert "git fetch" not in ran.out and " fetch " not in ran.out


# installed packages


@pytest.mark.parametrize(
    ("text", "code", "said"),
    [
        (FIX_SAYS[AGENT], 0, "The Python part of the fix is in the installed files in {}: by its fingerprint"),
        (lines(NEEDED), 1, "The fix is not in, by the installed files in {}: by its fingerprint"),
        (None, 1, "Whether the fix is in is not established, by the installed files in {}"),
    ],
    ids=["in", "not in", "cannot tell"],
)
@pytest.mark.parametrize("given", ["env", "env/lib/python3.12/site-packages"])
def test_without_a_clone_the_fingerprints_answer(rule, advisor, site, tmp_path, text, code, said, given):
    (site / AGENT).unlink() if text is None else (site / AGENT).write_text(text)
    ran = advisor(RULE, "--against-installed", tmp_path / given)
    assert ran.code == code and "".join(said.format(site).split()) in "".join(ran.raw.split())
    assert (
        "With --from CLONE, a clone of InternLM/lmdeploy that has" in ran.out
    ) and "whether its Python part" in ran.out
    assert (" clone https://github.com/InternLM/lmdeploy.git" in ran.out) == bool(code)


def test_a_clone_without_the_commit_leaves_the_fingerprints(rule, advisor, site, dirty, upstream):
    ran = advisor(RULE, "--against-installed", site, "--from", dirty.path)
    assert ran.code == 1 and "The fix is not in, by the installed files" in ran.out
    assert (
        f"git -C {dirty.path} fetch https://github.com/InternLM/lmdeploy.git {upstream.need} {upstream.fix}" in ran.raw
    )


@pytest.mark.parametrize("text", [FIX_SAYS[AGENT], lines(NEEDED), lines({20: "    ours", **NEEDED}), None])
def test_every_answer_names_the_folder_that_was_looked_at(rule, advisor, upstream, site, tmp_path, monkeypatch, text):
    with_fixes(monkeypatch, replace(rule.fixes[0], needs=()))
    (site / AGENT).unlink() if text is None else (site / AGENT).write_text(text)
    ran = advisor(RULE, "--from", upstream.path, "--against-installed", tmp_path / "env", "--format", "json")
    assert str(site) in json.loads(ran.raw)["headline"]


@pytest.fixture
def site(tmp_path):
    """A folder of packages with the engine at `need`; it ships no kernel source, no tests, no docs."""
    folder = tmp_path / "env/lib/python3.12/site-packages"
    (folder / "engine").mkdir(parents=True)
    (folder / "engine/__init__.py").write_text("")
    (folder / AGENT).write_text(lines(NEEDED))
    return folder


@pytest.mark.skipif(shutil.which("patch") is None, reason="needs the patch program")
def test_the_commands_printed_do_what_they_say(rule, advisor, upstream, site, tmp_path, monkeypatch):
    with_fixes(monkeypatch, replace(rule.fixes[0], needs=()))
    target = tmp_path / "python only.patch"
    ran = advisor(RULE, "--from", upstream.path, "--against-installed", tmp_path / "env", "--output", target)
    assert ran.code == 0
    assert "1 of 4 files are not Python and cannot be patched in place" in ran.out
    assert (site / AGENT).read_text() == lines(NEEDED), "nothing is edited"
    commands = [line for line in ran.raw.splitlines() if line.strip().startswith(("tar ", "patch "))]
    assert len(commands) == 5
    fixed = upstream.git("show", f"{upstream.fix}:{AGENT}")
    for command, expected in zip(commands, (False, False, True, False, False), strict=True):
        subprocess.run(command, shell=True, check=True, cwd=tmp_path, capture_output=True)
        assert ((site / AGENT).read_text().strip() == fixed) == expected, command
    assert (site / AGENT).read_text() == lines(NEEDED)


def test_a_series_becomes_one_patch_for_a_package(rule, advisor, upstream, site, tmp_path):
    (site / AGENT).write_text(lines())
    target = tmp_path / "fix.patch"
    ran = advisor(RULE, "--from", upstream.path, "--against-installed", site, "--output", target)
    assert ran.code == 0
    text = target.read_text()
    assert text.startswith(RULE) and text.count("diff --git") == 1
    env = {**os.environ, "GIT_CEILING_DIRECTORIES": str(site.parent)}
    subprocess.run(["git", "apply", "-p1", str(target)], cwd=site, check=True, env=env)
    assert (site / AGENT).read_text() == lines({**FIXED, 30: "    warm_up(meta, guarded=True)"})


@pytest.mark.parametrize(
    ("text", "code", "said"),
    [
        (lines({**FIXED, 30: "    warm_up(meta, guarded=True)"}), 0, "is in the installed files"),
        (lines({20: "    ours", **NEEDED}), 1, "does not apply to the installed files"),
        (None, 1, "does not apply to the installed files"),
    ],
    ids=["already", "changed", "missing"],
)
def test_installed_files_in_other_states(rule, advisor, upstream, site, monkeypatch, text, code, said):
    with_fixes(monkeypatch, replace(rule.fixes[0], needs=()))
    (site / AGENT).unlink() if text is None else (site / AGENT).write_text(text)
    ran = advisor(RULE, "--from", upstream.path, "--against-installed", site)
    assert ran.code == code and said in ran.out
    assert "patch --forward" not in ran.raw


def test_an_installed_fix_is_in_though_it_rewrote_what_it_needed(rule, advisor, upstream, site):
    (site / AGENT).write_text(upstream.git("show", f"{upstream.fix}:{AGENT}"))
    assert "is in the installed files" in advisor(RULE, "--from", upstream.path, "--against-installed", site).out


def test_an_installed_fix_rewritten_since_is_in_by_its_fingerprint(rule, advisor, upstream, site):
    (site / AGENT).write_text("# rewritten\nmeta.is_decoding = old.is_decoding\n")
    ran = advisor(RULE, "--from", upstream.path, "--against-installed", site)
    assert ran.code == 0 and "by its fingerprint" in ran.out


def test_a_package_below_python_is_found_where_it_is_installed(advisor, tmp_path, monkeypatch):
    repo = Repo(tmp_path / "repo")
    repo.commit("Start", {"python/engine/a.py": lines(), "csrc/k.cu": lines()})
    fix = repo.commit(
        "Fix (#3)", {"python/engine/a.py": lines(FIXED), "python/engine/new.py": "new = 1\n", "csrc/k.cu": lines(FIXED)}
    )
    with_fixes(monkeypatch, Fix("sgl-project/sglang", "complete", "Mends.", (), pr=3, commit=fix, merged="2026-01-01"))
    site = tmp_path / "site"
    (site / "engine").mkdir(parents=True)
    (site / "engine/__init__.py").write_text("")
    (site / "engine/a.py").write_text("# packaged\n" + lines())
    ran = advisor(RULE, "--repo", repo.path, "--against-installed", site, "--output", tmp_path / "fix.patch")
    assert ran.code == 0
    assert "python/engine/a.py -> engine/a.py: fits" in ran.out
    assert "python/engine/new.py -> engine/new.py: would be added" in ran.out
    assert "csrc/k.cu: not Python" in ran.out
    assert "+++ b/engine/a.py" in (tmp_path / "fix.patch").read_text()


def test_no_package_of_the_fix_there_is_said(rule, advisor, upstream, tmp_path):
    (tmp_path / "empty").mkdir()
    ran = advisor(RULE, "--from", upstream.path, "--against-installed", tmp_path / "empty")
    assert ran.code == 1 and "No Python file of the fix belongs" in ran.out
    here = advisor(RULE, "--from", upstream.path, "--against-installed")
    assert here.code == 1 and "site-packages" in here.raw


INTERRUPTED = """
import sys
from dataclasses import replace
from pathlib import Path
from advisor.jobs import patch
from advisor.jobs.explain import find
from advisor.jobs.patch_case import Asked
from advisor.model.rule import Fix
fix = Fix("InternLM/lmdeploy", "complete", "Keeps the mark.", (), pr=8, commit=sys.argv[3], merged="2026-01-01")
rule = replace(find("lmdeploy/mtp-dp-meta"), fixes=(fix,))
patch.find = lambda name: rule
patch.prepare(Asked(rule.id, Path(sys.argv[1]), source=Path(sys.argv[2]), apply=True))
"""


@pytest.mark.parametrize("sign", [signal.SIGINT, signal.SIGTERM])
def test_an_interrupt_leaves_neither_a_folder_nor_a_trace(upstream, dirty, tmp_path, sign):
    before, temporary, started = snapshot(dirty), tmp_path / "tmp", tmp_path / "started"
    slow = tmp_path / "bin/git"
    slow.parent.mkdir()
    temporary.mkdir()
    real = shutil.which("git")
    slow.write_text(
        f'#!/bin/sh\ncase " $* " in *" merge-tree "*) touch {started}; exec sleep 60;; esac\nexec {real} "$@"\n'
    )
    slow.chmod(0o755)
    path = os.pathsep.join(sys.path)
    env = {**os.environ, "PATH": f"{slow.parent}:{os.environ['PATH']}", "TMPDIR": str(temporary), "PYTHONPATH": path}
    words = [sys.executable, "-c", INTERRUPTED, str(dirty.path), str(upstream.path), upstream.fix]
    with subprocess.Popen(words, env=env, stderr=subprocess.PIPE, start_new_session=True) as process:
        deadline = time.monotonic() + 30
        while not started.exists() and time.monotonic() < deadline and process.poll() is None:
            time.sleep(0.05)
        assert started.exists() and list(temporary.iterdir())
        process.send_signal(sign) if sign == signal.SIGTERM else os.killpg(process.pid, sign)
        assert process.wait(20) != 0
    assert list(temporary.iterdir()) == []
    assert snapshot(dirty) == before


@pytest.mark.parametrize("name", ["HEAD", "@", "@{-1}", "-x", "a..b", "a b", "refs/heads/x", "x.lock", ""])
def test_a_name_that_git_gives_no_branch_is_refused_in_one_line(rule, advisor, upstream, dirty, name):
    before = snapshot(dirty)
    ran = advisor(RULE, "--repo", dirty.path, "--from", upstream.path, "--apply", f"--branch={name}")
    if name:
        assert ran.code == 2 and f"{name!r} cannot name a branch" in ran.out
        assert snapshot(dirty) == before
    else:
        assert BRANCH in ran.out, "an empty name is none given"


def test_check_and_patch_give_one_answer_where_content_alone_tells(rule, advisor, upstream, tmp_path):
    fork = upstream.fork(tmp_path / "ours", upstream.before)
    fork.git("fetch", "-q", str(upstream.path), "main")
    both = {
        AGENT: lines({**FIXED, 3: "    ours", 30: "    warm_up(meta, guarded=True)"}),
        KERNEL: lines({10: "    barrier();"}),
    }
    fork.commit("Sync some work", both)
    ran = advisor(RULE, "--repo", fork.path)
    assert ran.code == 0 and "The fix is in" in ran.out
