"""The terminal: what stands in the first lines, what keeps to the width, and what must never reach a terminal."""

import re
import subprocess
import sys
from dataclasses import replace

import pytest

from advisor.model.report import FactOut
from advisor.render.layout import columns
from advisor.render.rule_page import rule_page
from advisor.render.text import text
from tests.render.reports import (
    CAN_HAPPEN,
    EMPTY,
    EXPOSED,
    FIX,
    HOSTILE,
    HUNG,
    LIKELY,
    MATCHED,
    NOTHING,
    REPORTS,
    RULED_OUT,
    SUGGESTED,
    UNPROVEN,
    UPGRADE,
)
from tests.render.rules import RULE

CONTROLS = re.compile("[\x00-\x09\x0b-\x1f\x7f-\x9f\u202a-\u202e\u2028\u2066-\u2069\ud800-\udfff]")


def plain(report, **options):
    return text(report, **{"colour": False, "width": 80, **options})


def copied(report):
    """The lines that may be wider than the terminal: diffs, commands and whatever holds a link."""
    verbatim = [one.how for found in report.findings for one in (*found.missing, *found.wanted)]
    verbatim += [one.how for one in report.questions]
    verbatim += [one.diff for found in report.findings for one in found.remedies]
    verbatim += [one.run for found in report.findings for one in found.verification]
    return {line.strip() for each in verbatim for line in each.splitlines()}


@pytest.mark.parametrize("width", [40, 60, 80, 120])
@pytest.mark.parametrize("verbose", [False, True])
@pytest.mark.parametrize("name", [name for name in REPORTS if name != "hostile"])
def test_lines_keep_to_the_width(name, width, verbose):
    report = REPORTS[name]
    for line in plain(report, width=width, verbose=verbose).splitlines():
        assert columns(line) <= width or "://" in line or line.strip() in copied(report), line


def test_the_first_screen_says_what_to_do_and_what_not():
    screen = "\n".join(plain(HUNG).splitlines()[:25])
    for said in (
        "MATCHED: ",
        "example/pp-broadcast-skew",
        "proposed upstream, not established",
        "not in this build",
        "Do first [reporter verified]: Remove",
        "You already do what makes it worse: Turn off",
        "example 0.26.0",
        "DOES IT APPLY TO YOU?",
        "launch.sh:3 | --speculative-config",
        "OpType",
        "WHAT TO CHANGE NOW",
    ):
        assert said in screen.replace("\n                  | ", "") or said in screen, said


def test_sections_stand_in_the_order_of_need():
    lines = plain(HUNG).splitlines()
    order = [
        "DOES IT APPLY TO YOU?", "WHAT TO CHANGE NOW", "THE FIX UPSTREAM", "WHAT NOT TO DO", "CAUSE", "HOW TO VERIFY A CURE", "LOOK-ALIKES",
        "WHAT TO CAPTURE NEXT", "SUPERSEDED CLAIMS", "CAVEATS", "SOURCES", "LESS LIKELY, OR ONLY POSSIBLE HERE", "LOOKED AT AND RULED OUT",
        "NOT EXPLAINED BY ANY FINDING", "QUESTIONS THAT WOULD HELP", "WHAT WAS LOOKED AT", "AS OF",
    ]  # fmt: skip
    assert [line for line in lines if line in order] == order


def test_harm_stands_before_what_does_not_help():
    said = plain(HUNG)
    assert said.index("makes it worse: Raise") < said.index("does not help: Set NCCL_PROTO=Simple")


def test_a_suggestion_is_never_said_like_a_release():
    said = plain(HUNG)
    assert (
        said.index("[released] Upgrade")
        < said.index("Only suggested (not verified)")
        < said.index("[suggested, not verified]")
    )
    assert "Do first: nothing verified is known to help" in plain(UNPROVEN)
    only = replace(HUNG, findings=(replace(MATCHED, remedies=(SUGGESTED,)),))
    assert "Do first [" not in plain(only)


def test_equal_remedies_stand_firmest_first():
    merged = replace(UPGRADE, what="Upgrade to main", status="merged")
    said = plain(replace(HUNG, findings=(replace(MATCHED, remedies=(merged, UPGRADE)),)))
    assert said.index("1. [released]") < said.index("2. [merged upstream]")


def test_a_remedy_beside_the_point_is_not_numbered():
    assert not re.search(r"\d\. .*NCCL 2\.29\.3", plain(HUNG))
    assert "Not for this deployment: Put NCCL 2.29.3 in place" in plain(HUNG)


def test_defaults_say_that_they_were_not_observed():
    assert "the model runner is version 2 (default, not observed)" in " ".join(plain(HUNG).split())
    assert "nccl is 2.28.9, the default of example 0.26.0 on aarch64 (not observed)" in " ".join(plain(HUNG).split())


def test_nothing_found_is_not_health():
    for report in (NOTHING, EMPTY):
        said = " ".join(plain(report).split())
        assert said.startswith("No documented failure matches what was given. That is not a clean bill of health.")
        assert "WHAT WAS LOOKED AT" in said
    assert "WHAT TO FIND OUT OR CAPTURE NEXT 1. Which engine" in " ".join(plain(NOTHING).split())


def test_what_only_can_happen_is_not_said_to_happen():
    said = plain(CAN_HAPPEN)
    assert said.startswith("No failure seen, but 2 documented failures can happen")
    assert "MATCHED" not in said


def test_a_ruled_out_finding_is_one_item_with_its_fact():
    said = " ".join(plain(replace(HUNG, findings=(RULED_OUT,))).split())
    assert (
        "looks like example/pp-spec-sample-width (The first sample is as wide as the draft and both ranks hang at once), but 0.26.0 holds the fix"
        in said
    )


def test_less_likely_findings_take_three_lines_at_most():
    wide = plain(HUNG, width=200)
    short = wide[wide.index("LESS LIKELY") : wide.index("LOOKED AT AND")].strip().splitlines()[1:]
    assert len(short) <= 6


def test_what_was_asked_already_is_not_asked_twice():
    assert plain(HUNG).count("The flight recorder dump of each rank") == 1


def test_a_fix_names_its_full_commit_and_owns_up_to_a_prefix():
    said = " ".join(plain(HUNG).split())
    assert "commit 6bafc049aae6c26e210162630914ee9177a4b586 releases: first released in 0.30.0" in said
    assert "commit d87a440f88 (only this beginning is known) releases: not merged: the pull request is open" in said
    assert FIX.commit in plain(HUNG)


def test_verbose_leaves_nothing_out():
    said = " ".join(plain(HUNG, verbose=True, width=200).split())
    for word in (
        "0.31.1",
        "ran for 600012 milliseconds",
        "WHAT HAPPENS",
        "THE LAUNCH AS UNDERSTOOD",
        "EXAMPLE_API_KEY=[redacted]",
        "a reporter tried it",
    ):
        assert word in said, word
    assert f"EXPOSED{EXPOSED.headline[7:]}" in said
    assert f"LIKELY{LIKELY.headline[6:]}" in said


@pytest.mark.parametrize("verbose", [False, True])
def test_no_control_reaches_the_terminal(verbose):
    said = plain(HOSTILE, verbose=verbose)
    assert not CONTROLS.search(said)
    assert "\\x1b]0;owned\\x07" in said
    said.encode("utf-8")


def test_colour_is_a_few_codes_on_whole_lines():
    said = text(HOSTILE, colour=True, width=80)
    assert not CONTROLS.search(re.sub("\x1b\\[(?:1;31|33|36|32|2|1|0)m", "", said))
    assert all(line.count("\x1b") in (0, 2) for line in said.splitlines())
    assert re.sub("\x1b\\[[0-9;]*m", "", said) == plain(HOSTILE)


def test_a_rule_reads_like_a_finding():
    said = " ".join(rule_page(RULE, (FIX,)).split())
    for word in (
        "CAN HAPPEN WHEN",
        "topology.pp more than 1",
        "not: - EXAMPLE_SAFE is 1",
        "nccl from 2.28.9 before 2.29.3",
        "a line like `\\(pp_broadcast\\)`",
        "(innermost first)",
        "[reporter verified] Remove",
        "(where topology.pp more than 1 and (arch is aarch64 or --eager is false))",
        "Remove EXAMPLE_FAST; set EXAMPLE_SAFE=1",
    ):
        assert word in said, word
    assert "This build" not in said


def test_the_text_path_imports_nothing_heavy():
    code = "import sys; import advisor.render.text; print([one for one in ('pydantic', 'jinja2', 'json', 'rich') if one in sys.modules])"
    done = subprocess.run([sys.executable, "-S", "-c", code], capture_output=True, text=True, check=True)
    assert done.stdout.strip() == "[]"


def test_facts_of_one_line_stand_together_with_it_once():
    seen = FactOut("error.exception", "TimeoutError", "it times out", "observed", "a.log:7", "an RPC call, no answer")
    other = replace(seen, place="b.log:1", says="b")
    shown = plain(replace(EMPTY, unexplained=(seen, other, replace(seen, name="x", value=True, says="a call fails"))))
    own = shown[shown.index("NOT EXPLAINED") :].splitlines()[1:6]
    assert [one.partition(" | ")[0].strip() for one in own] == [
        "- it times out",
        "- a call fails",
        "a.log:7",
        "- b",
        "b.log:1",
    ]
    assert shown.count("an RPC call, no answer") == 2
