"""Tiny rules, a tiny repository and a shelf of made-up wheels -> fixes.json."""

import json
import os
import subprocess
from datetime import date
from pathlib import Path

import pytest

from advisor.errors import RuleError, UpstreamError
from advisor.upstream.fixes import refresh_fixes
from advisor.upstream.wheels import Release

ENGINE = "sglang"
REPO = "sgl-project/sglang"
FILE = "python/sglang/srt/engine.py"


class Clone:
    """A repository with one file; commit n is made on 2026-01-n."""

    def __init__(self, path: Path) -> None:
        self.path, self.day = path, 0
        (path / FILE).parent.mkdir(parents=True)
        self.git("init", "-q", "-b", "main")

    def git(self, *arguments: str) -> str:
        when = f"2026-01-{max(self.day, 1):02d}T12:00:00+00:00"
        names = {f"GIT_{role}_{what}": "a" for role in ("AUTHOR", "COMMITTER") for what in ("NAME", "EMAIL")}
        dates = {"GIT_AUTHOR_DATE": when, "GIT_COMMITTER_DATE": when}
        env = {"PATH": os.environ["PATH"], "HOME": str(self.path), **names, **dates}
        done = subprocess.run(["git", *arguments], cwd=self.path, env=env, check=True, capture_output=True, text=True)
        return done.stdout.strip()

    def commit(self, message: str, text: str | None = None) -> str:
        self.day += 1
        if text is not None:
            (self.path / FILE).write_text(text)
        self.git("add", ".")
        self.git("commit", "-q", "--allow-empty", "-m", message)
        return self.git("rev-parse", "HEAD")

    def tag(self, *names: str) -> None:
        for name in names:
            self.git("tag", name)


class Shelf:
    """Releases as version -> (day, text of the file, None when the wheel lacks it)."""

    def __init__(self, wheels: dict[str, tuple[str, str | None]] | None = None) -> None:
        self.wheels = wheels or {}
        self.opened: set[str] = set()

    def released(self, package: str) -> list[Release]:
        return [Release(version, day, ()) for version, (day, _) in self.wheels.items()]

    def names(self, package: str, version: str) -> list[str]:
        self.opened.add(version)
        return [] if self.wheels[version][1] is None else [FILE.removeprefix("python/")]

    def read(self, package: str, version: str, path: str) -> bytes:
        return (self.wheels[version][1] or "").encode()


@pytest.fixture
def clone(tmp_path):
    return Clone(tmp_path / "clone")


@pytest.fixture
def known(tmp_path, clone):
    """fixes.json, read back, for rules given as slug -> text."""

    def refresh(
        rules: dict[str, str], shelf: Shelf | None = None, clone_at: Path | None = clone.path, engine: str = ENGINE
    ):
        for slug, text in rules.items():
            (tmp_path / "rules" / slug).mkdir(parents=True, exist_ok=True)
            (tmp_path / "rules" / slug / "rule.yaml").write_text(text)
        out = refresh_fixes(
            engine,
            clone=clone_at,
            out=tmp_path / "fixes.json",
            rules=tmp_path / "rules",
            shelf=shelf or Shelf(),
            read=date(2026, 11, 29),
        )
        return json.loads(out.read_text())["fixes"]

    return refresh


def rule(commit: str, more: str = "", pr: int = 7) -> dict[str, str]:
    return {"sglang/a-hang": f"fixes: [{{repo: {REPO}, pr: {pr}, commit: '{commit}'{more}}}]\n"}


def mark(kind: str = "present", text: str = "mended") -> str:
    return f", fingerprint: {{file: {FILE}, {kind}: {text}}}"


# What git tells


def test_a_tag_below_which_the_commit_is_holds_the_fix(clone, known):
    clone.commit("Start (#1)")
    clone.tag("v0.1.0")
    fix = clone.commit("Mend (#7)")
    clone.tag("v0.2.0")
    assert known(rule(fix[:9]))[f"{REPO}#7"] == {
        "commit": fix[:9],
        "held_by": ["0.2.0"],
        "lacked_by": ["0.1.0"],
        "by": ["date", "git"],
        "note": None,
    }


def test_a_fix_after_the_last_tag_is_held_by_none(clone, known):
    clone.commit("Start (#1)")
    clone.tag("v0.1.0")
    found = known(rule(clone.commit("Mend (#7)")))[f"{REPO}#7"]
    assert (found["held_by"], found["lacked_by"], found["note"]) == ([], ["0.1.0"], None)


@pytest.mark.parametrize(
    ("message", "held"),
    [
        ("[Cherry-pick to release/v0.1] Mend (#7) (#9)", True),
        ("Pick\n\n(cherry picked from commit FIX)", True),
        ("The same change under another name", True),
        ('Revert "Mend (#7)" (#9)', False),
        ("Something else (#70)", False),
    ],
)
def test_a_release_branch_holds_a_pick_by_pull_request_note_or_patch(clone, known, message, held):
    clone.commit("Start (#1)", "broken\n")
    fix = clone.commit("Mend (#7)", "mended\n")
    clone.git("checkout", "-q", "-b", "release", "HEAD~1")
    clone.commit(message.replace("FIX", fix), "mended\n" if "same change" in message else None)
    clone.tag("v0.1.1")
    assert known(rule(fix))[f"{REPO}#7"]["held_by"] == (["0.1.1"] if held else [])


def test_a_reverted_fix_is_neither_held_nor_lacked_and_noted(clone, known):
    fix = clone.commit("Mend (#7)")
    clone.tag("v0.1.0")
    clone.commit('Revert "Mend (#7)" (#8)')
    clone.tag("v0.2.0")
    found = known(rule(fix))[f"{REPO}#7"]
    assert found["held_by"] == ["0.1.0"] and found["lacked_by"] == []
    assert "0.2.0 holds the commit and its revert" in found["note"]


def test_a_fix_that_is_a_revert_is_not_taken_for_its_own_undoing(clone, known):
    clone.commit("Break (#6)")
    fix = clone.commit('Revert "Break (#6)" (#7)')
    clone.tag("v0.1.0")
    assert known(rule(fix))[f"{REPO}#7"]["held_by"] == ["0.1.0"]


def test_a_commit_of_another_pull_request_is_refused(clone, known):
    fix = clone.commit("Another (#8)")
    with pytest.raises(UpstreamError, match=r"is of #8"):
        known(rule(fix))


# What released files tell


def test_the_fingerprint_places_releases_the_clone_does_not_know(clone, known):
    clone.commit("Start (#1)")
    shelf = Shelf(
        {"0.1.0": ("2026-01-05", "broken"), "0.2.0": ("2026-02-05", "broken"), "0.3.0": ("2026-03-05", "mended")}
    )
    found = known(rule("abcdef1234", ", merged: 2026-02-01" + mark()), shelf)[f"{REPO}#7"]
    assert found["held_by"] == ["0.3.0"] and found["lacked_by"] == ["0.1.0", "0.2.0"]
    assert found["by"] == ["date", "fingerprint"]
    assert found["note"] == "commit not in the clone read, which ends 2026-01-01"


def test_releases_of_before_the_merge_are_not_opened_but_the_last(known):
    shelf = Shelf({f"0.{n}.0": (f"2026-0{n}-01", "mended" if n > 4 else "broken") for n in range(1, 8)})
    found = known(rule("abcdef1234", ", merged: 2026-04-15" + mark()), shelf, clone_at=None)[f"{REPO}#7"]
    assert shelf.opened == {"0.4.0", "0.5.0", "0.6.0", "0.7.0"}
    assert found["held_by"] == ["0.5.0", "0.6.0", "0.7.0"] and found["note"] == "no clone read"


def test_a_text_that_the_fix_removed_marks_by_its_absence(known):
    shelf = Shelf({"0.1.0": ("2026-01-01", "old"), "0.2.0": ("2026-02-01", "broken"), "0.3.0": ("2026-03-01", "new")})
    found = known(rule("abcdef1234", ", merged: 2026-02-15" + mark("absent", "broken")), shelf, clone_at=None)[
        f"{REPO}#7"
    ]
    assert found["held_by"] == ["0.3.0"] and found["lacked_by"] == ["0.1.0", "0.2.0"]


def test_a_release_without_the_file_is_not_established(known):
    shelf = Shelf({"0.1.0": ("2026-03-01", "mended"), "0.2.0": ("2026-04-01", None)})
    found = known(rule("abcdef1234", ", merged: 2026-02-15" + mark()), shelf, clone_at=None)[f"{REPO}#7"]
    assert (found["held_by"], found["lacked_by"]) == (["0.1.0"], [])
    assert "not established for 0.2.0 of 2 releases" in found["note"]


def test_a_fingerprint_that_goes_again_is_not_taken_for_a_lost_fix(known):
    shelf = Shelf({"0.1.0": ("2026-03-01", "mended"), "0.2.0": ("2026-04-01", "rewritten")})
    found = known(rule("abcdef1234", ", merged: 2026-02-15" + mark()), shelf, clone_at=None)[f"{REPO}#7"]
    assert (found["held_by"], found["lacked_by"]) == (["0.1.0"], [])
    assert "gone again in 0.2.0" in found["note"]


def test_without_a_wheel_the_tags_tree_is_read(clone, known):
    clone.commit("Start (#1)", "broken\n")
    clone.tag("v0.1.0")
    fix = clone.commit("Mend (#7)", "mended\n")
    clone.tag("v0.2.0")
    found = known(rule(fix, mark()))[f"{REPO}#7"]
    assert found["held_by"] == ["0.2.0"] and found["by"] == ["date", "fingerprint", "git"]


def test_a_release_newer_than_every_tag_descends_and_that_is_noted(clone, known):
    fix = clone.commit("Mend (#7)")
    clone.tag("v0.2.0")
    shelf = Shelf({"0.2.0": ("2026-01-01", None), "0.1.1": ("2026-02-01", None), "0.3.0": ("2026-02-01", None)})
    found = known(rule(fix), shelf)[f"{REPO}#7"]
    assert found["held_by"] == ["0.2.0", "0.3.0"] and found["lacked_by"] == []
    assert found["note"] == "by descent only for 0.3.0; not established for 0.1.1 of 3 releases"


# When they contradict each other


def test_git_and_fingerprint_that_disagree_are_an_error_naming_the_rule(clone, known):
    fix = clone.commit("Mend (#7)", "mended\n")
    clone.tag("v0.2.0")
    with pytest.raises(UpstreamError, match=r"#7 in 0\.2\.0: git says held, fingerprint says lacked .*a-hang"):
        known(rule(fix, mark()), Shelf({"0.2.0": ("2026-01-01", "broken")}))


def test_a_fingerprint_that_is_older_than_its_fix_is_an_error(known):
    shelf = Shelf({"0.1.0": ("2026-01-01", "mended"), "0.2.0": ("2026-03-01", "mended")})
    with pytest.raises(UpstreamError, match=r"in 0\.1\.0: fingerprint says held, date says lacked"):
        known(rule("abcdef1234", ", merged: 2026-02-15" + mark()), shelf, clone_at=None)


# What rules say


def test_affected_commits_are_placed_too_and_not_twice(clone, known):
    start = clone.commit("Break (#5)")
    fix = clone.commit("Mend (#7)")
    clone.tag("v0.1.0")
    edges = f"affected: [{{introduced: {{version: 0.1.0, commit: '{start[:10]}'}}, fixed: {{commit: '{fix}'}}}}, {{introduced: null}}]\n"
    found = known({"sglang/a-hang": edges + rule(fix[:12])["sglang/a-hang"]})
    assert list(found) == [f"{REPO}@{start[:10]}", f"{REPO}#7"]
    assert found[f"{REPO}@{start[:10]}"]["held_by"] == ["0.1.0"]


def test_two_rules_of_one_pull_request_give_one_fix_and_must_agree(clone, known):
    fix = clone.commit("Mend (#7)")
    clone.tag("v0.1.0")
    both = rule(fix) | {"sglang/another": rule(fix[:8])["sglang/a-hang"]}
    assert known(both)[f"{REPO}#7"]["commit"] == fix
    with pytest.raises(UpstreamError, match="#7 is"):
        known(rule(fix) | {"sglang/another": rule("abcdef1234")["sglang/a-hang"]})


def test_an_entry_goes_to_its_repository_then_its_component_then_its_folder(clone, known):
    fix = clone.commit("Mend (#7)")
    clone.tag("v2.29.3-1")
    texts = {
        "any/one": f"fixes: [{{component: nccl, commit: '{fix}'}}]\n",
        "sglang/two": f"fixes: [{{commit: '{fix}'}}, {{repo: deepseek-ai/DeepEP, commit: '{fix}'}}]\n",
    }
    assert list(known(texts)) == [f"{REPO}@{fix}"]
    with pytest.raises(UpstreamError, match="no branch master"):
        known(texts, engine="nccl")
    clone.git("branch", "-m", "main", "master")
    assert known(texts, engine="nccl")[f"NVIDIA/nccl@{fix}"]["held_by"] == ["2.29.3"]


@pytest.mark.parametrize("commit", ["1234567", "not-a-commit", "ABCDEF1"])
def test_what_is_no_commit_is_refused_with_its_rule(known, commit):
    with pytest.raises(RuleError, match=r"a-hang/rule\.yaml: not a commit"):
        known({"sglang/a-hang": f"fixes: [{{pr: 7, commit: {commit}}}]\n"})


def test_a_fingerprint_without_a_text_is_refused(known):
    with pytest.raises(RuleError, match="a fingerprint needs a file and a text"):
        known(rule("abcdef1234", ", fingerprint: {file: a.py}"))


def test_rules_that_name_nothing_here_need_neither_clone_nor_index(known):
    assert known({"sglang/a-hang": "id: sglang/a-hang\n"}) == {}


def test_each_list_stands_on_one_line(clone, known, tmp_path):
    fix = clone.commit("Mend (#7)")
    clone.tag("v0.1.0", "v0.2.0")
    known(rule(fix))
    assert '   "held_by": ["0.1.0", "0.2.0"],\n' in (tmp_path / "fixes.json").read_text()
