"""What a rule claims can be traced: an edit of a shipped rule that breaks this is refused, by name."""

from __future__ import annotations

import shutil
from pathlib import Path

import pytest

from advisor.catalog.engines import knowledge
from advisor.catalog.provenance import holds
from advisor.jobs.rule_checks import validate_rules
from advisor.model.knowledge import History, Knowledge, Tag
from advisor.model.rule import Boundary, Source

RULES = Path(__file__).parents[2] / "rules"
META, LEAK, ABORT = "lmdeploy/mtp-dp-meta", "any/nccl-proxy-slot-leak-arm", "sglang/timeout-abort-divergence"
FIX = "b56ddfb634f069b600f0fe3f4730fe289ac7fafe"
INTRODUCED = "b5cf542e2c9f51898e5195ecbbc25f0836de1c4e"
GONE = "0123456789abcdef0123456789abcdef01234567"
WHEELS = (
    'artefact: "lmdeploy git to 2026-08-21 and the 0.13.0 to 0.18.0 wheels, lmdeploy/pytorch/spec_decode/spec_agent.py"'
)
THREAD = 'url: "https://github.com/InternLM/lmdeploy/issues/4741"'


def problems(folder: Path, rule: str, *edits: tuple[str, str]) -> list[str]:
    """The names of the problems that these edits of a shipped rule bring."""
    found = []
    for name, made in (("as-shipped", ()), ("edited", edits)):
        place = folder / name / rule
        shutil.copytree(RULES / rule, place)
        text = (place / "rule.yaml").read_text()
        for old, new in made:
            assert old in text, old
            text = text.replace(old, new)
        (place / "rule.yaml").write_text(text)
        found.append({one.name for one in validate_rules(folder / name)[1]})
    return sorted(found[1] - found[0])


REFUSED = {
    "a commit of nowhere": (META, [(INTRODUCED + ", pr: 4611", GONE)], ["commit-untraced"]),
    "a fix of nowhere": (
        "sglang/spec-tp-state-divergence",
        [
            ("    commit: f60bc73c5836d45457575c17f4722c6bd60f06b0", f"    commit: {GONE}"),
            ("/pull/33614", "/issues/33614"),
        ],
        ["commit-untraced"],
    ),
    "a commit of another pull request": (META, [("pr: 4611", "pr: 4728")], ["commit-mismatch", "introduced-elsewhere"]),
    "a mistyped commit of a pull request": (META, [(INTRODUCED, GONE)], ["commit-mismatch"]),
    "another day": (META, [("date: 2026-06-01}", "date: 2026-06-04}")], ["date-mismatch"]),
    "another day of the merge": (META, [("merged: 2026-07-03", "merged: 2026-07-13")], ["date-mismatch"]),
    "introduced before it was written": (META, [('"0.14.0a2"', '"0.13.0"')], ["introduced-elsewhere"]),
    "fixed before it was merged": (
        META,
        [('fixed: {version: "0.15.0"', 'fixed: {version: "0.14.0"')],
        ["fixed-elsewhere"],
    ),
    "fixed after it was": (
        META,
        [('fixed: {version: "0.15.0"', 'fixed: {version: "0.16.0"'), ('to: "0.15.0"', 'to: "0.16.0"')],
        ["fixed-late"],
    ),
    "fixed because a thread is closed": (
        META,
        [(f"commit: {FIX}, pr: 4741, date: 2026-07-10}}", "date: 2026-07-10}"), (WHEELS, THREAD)],
        ["fixed-unproved"],
    ),
    "an upgrade to an affected release": (
        META,
        [('to: "0.15.0"', 'to: "0.14.0"')],
        ["cure-affected", "cure-without-fix"],
    ),
    "a component that is affected still": (
        LEAK,
        [('to: "2.29.7"', 'to: "2.29.2"')],
        ["cure-affected", "cure-without-fix"],
    ),
    "released, as a thread says": (
        META,
        [
            ('artefact: "lmdeploy 0.15.0 to 0.18.0 wheels, lmdeploy/pytorch/spec_decode/spec_agent.py"', THREAD),
            (
                'artefact: "lmdeploy 0.15.0 wheel, lmdeploy/pytorch/check_env and backends/cuda/token_dispatcher.py"',
                THREAD,
            ),
        ],
        ["status-source"],
    ),
    "confirmed, as the source code says": (
        META,
        [("status: derived", "status: maintainer_confirmed")],
        ["status-source"],
    ),
    "verified, as the source code says": (META, [("status: derived", "status: reporter_verified")], ["status-source"]),
    "merged, as a thread says": (
        META,
        [
            ("status: derived", "status: merged"),
            ('artefact: "lmdeploy 0.14.0 wheel, lmdeploy/cli/utils.py (no algorithm, no draft agent)"', THREAD),
        ],
        ["status-source"],
    ),
    "a thread that is no reference": (
        META,
        [('aliases: ["', 'aliases: ["InternLM/lmdeploy#4999", "')],
        ["alias-reference"],
    ),
}


@pytest.mark.parametrize("name", REFUSED)
def test_a_claim_that_leads_nowhere_is_named(tmp_path: Path, name: str) -> None:
    rule, edits, named = REFUSED[name]
    assert problems(tmp_path, rule, *edits) == named


TAKEN = {
    "a prefix that a source names": (
        ABORT,
        [("sglang/pull/37143", "sglang/issues/37143")],
    ),
    "the page of the pull request": (
        ABORT,
        [("https://github.com/sgl-project/sglang/commit/792543f98c", "https://x.test")],
    ),
    "a day either way": (META, [("date: 2026-06-01}", "date: 2026-06-02}")]),
    "a commit without a number": (META, [(", pr: 4611", "")]),
    "fixed as the merged change alone says": (META, [(WHEELS, THREAD)]),
}


@pytest.mark.parametrize("name", TAKEN)
def test_a_claim_that_can_be_followed_is_taken(tmp_path: Path, name: str) -> None:
    rule, edits = TAKEN[name]
    assert problems(tmp_path, rule, *edits) == []


@pytest.mark.parametrize(
    ("version", "held"),
    [("0.14.0", False), ("0.15.0", True), ("0.18.0", True), ("99.0", None)],
)
def test_whether_a_release_holds_a_change(version: str, held: bool | None) -> None:
    assert holds(knowledge("lmdeploy"), version, Boundary(commit=FIX, pr=4741)) is held


def test_a_change_picked_to_a_release_branch_is_named_by_its_source() -> None:
    main = History("aaaaaaaaaaaa 2026-01-01 #1\nbbbbbbbbbbbb 2026-01-02 #2\ncccccccccccc 2026-01-03 #3\n")
    tags = {"v1.0": Tag("v1.0", "d" * 40, "aaaaaaaaaaaa"), "v1.1": Tag("v1.1", "c" * 40, "cccccccccccc")}
    known = Knowledge("made", profile={"repo": "made/up"}, releases=(), history=main, tags=tags, fixes={})
    said = Source("2026-11-29", artefact="git: v1.0 holds bbbbbbb, picked")
    for change in (Boundary(commit="b" * 40, pr=2), Boundary(commit="b" * 12)):
        assert holds(known, "1.0", change) is False
        assert holds(known, "1.0", change, (said,)) is None
        assert holds(known, "1.1", change) is True
        assert holds(known, "1.2", change) is None
    assert holds(known, "1.0", Boundary(pr=1)) is True
    assert holds(known, "1.0", Boundary(commit="e" * 40)) is None
