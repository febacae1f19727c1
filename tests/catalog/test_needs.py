"""What a fix needs beside it, as rule files say it: what is refused, and what comes of a well-formed entry."""

from __future__ import annotations

import shutil
from pathlib import Path

import pytest

from advisor.jobs.explain import find
from advisor.jobs.rule_checks import validate_rules

RULE = Path(__file__).parents[2] / "rules/lmdeploy/mtp-dp-meta"
COMMIT = "      - commit: 99886cd69a56fcf9e57f1b8c5c7eff7288a00715\n"


def problems(folder: Path, old: str, new: str) -> list[str]:
    """The names of the problems that this edit of a shipped rule brings."""
    found = []
    for name, edit in (("as-shipped", False), ("edited", True)):
        place = folder / name / "lmdeploy/mtp-dp-meta"
        shutil.copytree(RULE, place)
        text = (place / "rule.yaml").read_text()
        assert old in text
        if edit:
            (place / "rule.yaml").write_text(text.replace(old, new, 1))
        found.append({one.name for one in validate_rules(folder / name)[1]})
    return sorted(found[1] - found[0])


@pytest.mark.parametrize(
    ("old", "new", "named"),
    [
        (COMMIT, "      - commit: b56ddfb634f0\n", ["commit-mismatch", "need-itself"]),
        (COMMIT, "      - commit: b5cf542e0000\n", ["commit-mismatch"]),
        (COMMIT, "      - commit: not-a-commit\n", ["commit", "commit-mismatch"]),
        (COMMIT, "      - comit: 99886cd69a56\n", ["shape"]),
        (COMMIT, "      - repo: InternLM/lmdeploy\n", ["shape"]),
        ("        pr: 4728\n        why:", "        pr: 4728\n        because:", ["shape"]),
        ("merged: 2026-07-10\n    state: merged", "state: open", ["need-unmerged"]),
    ],
    ids=["itself", "of another number", "no commit", "misspelt", "nameless", "no reason", "of an open fix"],
)
def test_a_need_that_says_something_wrong_is_named(tmp_path, old, new, named):
    assert problems(tmp_path, old, new) == named


def test_a_need_without_a_source_is_named(tmp_path):
    text = (RULE / "rule.yaml").read_text()
    start = text.index("        source: [{artefact:", text.index(COMMIT))
    line = text[start : text.index("\n", start)]
    assert problems(tmp_path, line, "        source: []") == ["no-source"]


def test_a_need_is_read_as_written():
    (need,) = find("lmdeploy/mtp-dp-meta").fixes[0].needs
    assert (need.pr, need.commit[:9], need.repo) == (4728, "99886cd69", None)
    assert need.source[0].artefact


def test_a_fix_without_needs_claims_none():
    assert find("any/nccl-proxy-slot-leak-arm").fixes[0].needs == ()
