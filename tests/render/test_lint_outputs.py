"""What each output of lint promises, on a rich report, a clean one and a hostile one."""

import json as codec
import re
from collections import Counter
from dataclasses import replace
from pathlib import Path
from xml.etree import ElementTree

import jsonschema
import pytest

from advisor.model.lint import LINT_SCHEMA, Region
from advisor.render.annotations import annotations
from advisor.render.gitlab import gitlab
from advisor.render.junit import junit
from advisor.render.layout import columns
from advisor.render.lint_json import lint_json
from advisor.render.lint_markdown import ROOM, lint_markdown
from advisor.render.lint_text import lint_text
from advisor.render.lint_words import relative
from advisor.render.sarif import FINGERPRINT, MOST, sarif
from advisor.render.schema import schema_of
from advisor.render.source_line import source_line
from tests.render.lint_reports import CLEAN, EXPOSED, HOSTILE, KNOWN, LINT_REPORTS, RICH, STALE

OFFICIAL = jsonschema.Draft4Validator(
    codec.loads((Path(__file__).parent / "schemas" / "sarif-schema-2.1.0.json").read_text(encoding="utf-8"))
)
OURS = jsonschema.Draft202012Validator(codec.loads(schema_of("lint")))
DRIVES = re.compile("[\x00-\x08\x0b-\x1f\x7f-\x9f\u202a-\u202e\u2028\ud800-\udfff]")
OUTPUTS = (lint_text, lint_json, sarif, annotations, junit, lint_markdown, gitlab)
NAMES = pytest.mark.parametrize("name", LINT_REPORTS)


def run_of(report, **options):
    (run,) = codec.loads(sarif(report, **options))["runs"]
    return run


@NAMES
@pytest.mark.parametrize("output", OUTPUTS)
def test_nothing_drives_a_terminal_and_no_folder_of_the_machine_shows(output, name):
    said = output(LINT_REPORTS[name])
    assert not DRIVES.search(said)
    assert said.encode("utf-8")
    if output not in (lint_text, lint_json):  # those two are for whoever named the file
        assert "/home/someone" not in said


# --- text


@NAMES
@pytest.mark.parametrize("width", [40, 80, 200])
def test_text_keeps_to_the_width_but_for_names(name, width):
    for line in lint_text(LINT_REPORTS[name], width=width).splitlines():
        assert (
            columns(line) <= width
            or line.endswith(tuple(f" {one.level} {one.id}" for one in RICH.findings))
            or "\\x1b" in line
            or "someone" in line
            or "http" in line
            or "beyond" in line
        )


def test_text_shows_what_is_suppressed_only_when_asked():
    assert "stale-workaround" not in lint_text(RICH)
    assert "suppressed by comment, until 2027-01-31: kept" in lint_text(RICH, verbose=True)


@pytest.mark.parametrize(
    ("line", "column", "end", "under"),
    [
        ("image: x", 8, 9, "x"),
        ("\t--tp 8", 2, 6, "--tp"),
        ("模型 --tp", 4, 8, "--tp"),
        ("模型 --tp", 1, 3, "模型"),
        ("e\u0301e\u0301 --tp", 6, 10, "--tp"),
        ("\x1b[1m --tp", 6, 10, "--tp"),
        ("a" * 300 + " --tp 8 " + "b" * 300, 302, 306, "--tp"),
        ("模" * 300 + " --tp 8 " + "模" * 300, 302, 306, "--tp"),
        ("\t" * 300 + "--tp 8", 301, 305, "--tp"),
        ("a" * 300 + "--tp", 301, 305, "--tp"),
    ],
)
def test_the_caret_stands_under_the_span(line, column, end, under):
    source, carets = source_line(Region("f", 7, column, 7, end, line), 77)
    assert columns(source) <= 77
    start = columns(carets[: carets.index("^")])
    before, _, _ = source.partition(under)
    assert (columns(before), carets.count("^")) == (start, columns(under))


def test_a_region_outside_its_line_still_gets_one_caret():
    for column, end in ((0, 0), (99, 3), (5, 5)):
        _, carets = source_line(Region("f", 1, column, 1, end, "abc"), 40)
        assert carets.count("^") == 1


def test_a_megabyte_of_line_is_cut_around_the_span():
    assert "--needle 中文" in lint_text(HOSTILE)
    assert len(lint_text(HOSTILE)) < 20_000


# --- JSON


@NAMES
def test_json_is_valid_under_the_published_schema(name):
    raw = codec.loads(lint_json(LINT_REPORTS[name]))
    OURS.validate(raw)
    assert raw["schema"] == LINT_SCHEMA
    assert not OURS.is_valid({**raw, "schema": "advisor-lint/2"})
    assert not OURS.is_valid({key: value for key, value in raw.items() if key != "findings"})


# --- SARIF


@NAMES
@pytest.mark.parametrize("suppressed", [True, False])
def test_sarif_is_valid_under_the_official_schema(name, suppressed):
    OFFICIAL.validate(codec.loads(sarif(LINT_REPORTS[name], suppressed=suppressed)))


def test_the_official_schema_refuses_what_is_wrong():
    raw = codec.loads(sarif(RICH))
    raw["runs"][0]["results"][0]["level"] = "fatal"
    assert not OFFICIAL.is_valid(raw)


@NAMES
def test_sarif_has_every_field_that_github_requires(name):
    run = run_of(LINT_REPORTS[name])
    for rule in run["tool"]["driver"]["rules"]:
        texts = (rule["id"], rule["shortDescription"]["text"], rule["fullDescription"]["text"], rule["help"]["text"])
        assert all(texts) and len(texts[1]) <= 1024 and len(texts[2]) <= 1024 and rule["help"]["markdown"]
        assert len(rule["properties"]["tags"]) <= 10
    for result in run["results"]:
        place = result["locations"][0]["physicalLocation"]
        region = place["region"]
        assert result["message"]["text"] and result["partialFingerprints"][FINGERPRINT]
        assert {"startLine", "startColumn", "endLine", "endColumn"} <= set(region)
        assert (region["startLine"], region["startColumn"]) <= (region["endLine"], region["endColumn"])
        assert run["tool"]["driver"]["rules"][result["ruleIndex"]]["id"] == result["ruleId"]


@NAMES
def test_sarif_names_files_relative_to_the_root(name):
    run = run_of(LINT_REPORTS[name])
    places = [one["location"] for one in run["artifacts"]]
    for result in run["results"]:
        for one in (*result["locations"], *result.get("relatedLocations", ())):
            places.append(one["physicalLocation"]["artifactLocation"])
            assert run["artifacts"][places[-1]["index"]]["location"]["uri"] == places[-1]["uri"]
    for one in places:
        assert one["uriBaseId"] == "%SRCROOT%"
        assert re.fullmatch(r"(?:[A-Za-z0-9._~/-]|%[0-9A-F]{2})+", one["uri"]) and not one["uri"].startswith("/")


def test_sarif_lists_checks_that_found_nothing():
    ids = [one["id"] for one in run_of(RICH)["tool"]["driver"]["rules"]]
    assert ids == [one.id for one in RICH.checks] and "example/never-found" in ids
    assert len(run_of(CLEAN)["tool"]["driver"]["rules"]) == len(CLEAN.checks)


def test_sarif_marks_what_is_suppressed_and_does_not_remove_it():
    results = {one["ruleId"]: one for one in run_of(RICH)["results"]}
    assert len(results) == len(RICH.findings)
    (comment,) = results["stale-workaround"]["suppressions"]
    assert (comment["kind"], comment["status"]) == ("inSource", "accepted")
    assert comment["justification"] == "kept until all clusters are on 0.26"
    assert comment["location"]["physicalLocation"]["region"]["startLine"] == 43
    (known,) = results["gpu-count"]["suppressions"]
    assert known["kind"] == "external"
    assert "suppressions" not in results["setting-removed"]
    assert {one["ruleId"] for one in run_of(RICH, suppressed=False)["results"]}.isdisjoint(
        {"stale-workaround", "gpu-count"}
    )


def test_sarif_has_a_state_against_the_baseline_only_where_there_was_one():
    states = {one["ruleId"]: one["baselineState"] for one in run_of(RICH)["results"]}
    assert states.pop("gpu-count") == "unchanged" and set(states.values()) == {"new"}
    without = replace(RICH, findings=(EXPOSED, STALE))
    assert all("baselineState" not in one for one in run_of(without)["results"])


def test_sarif_says_what_was_not_read():
    (invocation,) = run_of(RICH)["invocations"]
    unread, note = invocation["toolExecutionNotifications"]
    assert invocation["executionSuccessful"] is True
    assert unread["descriptor"]["id"] == "not-read" and "conflict marker" in unread["message"]["text"]
    assert unread["locations"][0]["physicalLocation"]["artifactLocation"]["uri"] == "broken.yaml"
    assert note["level"] == "note"


def test_sarif_keeps_the_worst_of_more_results_than_github_takes():
    many = tuple(replace(EXPOSED, fingerprint=str(at), level="note") for at in range(MOST + 5))
    run = run_of(replace(RICH, findings=(*many, EXPOSED)))
    assert len(run["results"]) == MOST and run["results"][-1]["level"] == EXPOSED.level == "error"
    said = run["invocations"][0]["toolExecutionNotifications"][-1]["message"]["text"]
    assert said.startswith(f"6 of {MOST + 6} findings are left out")


def test_a_sarif_message_has_no_link_or_argument_of_the_users_making():
    text = run_of(HOSTILE)["results"][0]["message"]["text"]
    assert "\\[x](http://evil.example)" in text and "{{0}}" in text


# --- annotations


@NAMES
def test_every_annotation_is_one_well_formed_command(name):
    *commands, summary = annotations(LINT_REPORTS[name]).splitlines()
    assert not summary.startswith("::") and len(commands) == sum(
        not one.suppressed for one in LINT_REPORTS[name].findings
    )
    for one in commands:
        found = re.fullmatch(r"::(error|warning|notice) ([^:]*)::(.*)", one)
        assert found and "##[" not in one
        keys = [part.split("=", 1)[0] for part in found[2].split(",")]
        assert keys in (["file", "line", "endLine", "col", "endColumn", "title"], ["file", "line", "endLine", "title"])
        assert not re.search(r"%(?!25|0A|0D|3A|2C)", one)


def test_annotations_put_errors_first_and_say_what_github_cuts():
    many = [replace(EXPOSED, level="note"), *(replace(EXPOSED, fingerprint=str(at)) for at in range(11))]
    lines = annotations(replace(RICH, findings=tuple(many))).splitlines()
    assert [line.split(" ")[0] for line in lines[:12]] == ["::error"] * 11 + ["::notice"]
    assert lines[12].startswith("11 errors: GitHub shows 10")


# --- JUnit


@NAMES
def test_junit_counts_what_it_holds(name):
    root = ElementTree.fromstring(junit(LINT_REPORTS[name]))
    for suite in root:
        assert int(suite.get("tests", "-1")) == len(suite.findall("testcase"))
    for key, tag in (("tests", "testcase"), ("failures", "failure"), ("skipped", "skipped")):
        assert int(root.get(key, "-1")) == len(list(root.iter(tag)))


def test_junit_fails_what_the_gate_fails():
    assert [one.get("type") for one in ElementTree.fromstring(junit(RICH)).iter("failure")] == ["error", "error"]
    assert not list(ElementTree.fromstring(junit(RICH, failing=())).iter("failure"))
    assert (
        len(list(ElementTree.fromstring(junit(RICH, failing=RICH.findings)).iter("failure"))) == 4
    )  # two are suppressed


def test_junit_shows_a_clean_file_as_passed_and_hostile_text_as_text():
    (case,) = ElementTree.fromstring(junit(CLEAN)).iter("testcase")
    assert (case.get("name"), len(case)) == ("no findings", 0)
    assert any("]]>" in (one.text or "") for one in ElementTree.fromstring(junit(HOSTILE)).iter("failure"))


# --- GitLab and Markdown


def test_gitlab_issues_are_whole_and_never_share_a_fingerprint():
    twice = replace(RICH, findings=(EXPOSED, EXPOSED, KNOWN))
    issues = codec.loads(gitlab(twice))
    assert len(issues) == 2 and max(Counter(one["fingerprint"] for one in issues).values()) == 1
    assert issues[0]["fingerprint"] == codec.loads(gitlab(RICH))[1]["fingerprint"]
    for one in codec.loads(gitlab(HOSTILE)):
        assert set(one) == {"description", "check_name", "fingerprint", "severity", "location"}
        assert one["severity"] in ("info", "minor", "major", "critical", "blocker")
        assert one["location"]["lines"]["begin"] >= 1 and not one["location"]["path"].startswith(("/", "./"))


@NAMES
def test_a_markdown_table_has_three_cells_a_row_and_folds_close(name):
    said = lint_markdown(LINT_REPORTS[name])
    rows = [line for line in said.splitlines() if line.startswith("|")]
    assert all(line.count("|") == 4 for line in rows)
    assert said.count("<details>") == said.count("\n</details>")
    outside = re.sub(r"(?s)(?<!`)(`+)(?!`).*?(?<!`)\1(?!`)", "", said)
    assert "<script>" not in outside and "@maintainer" not in outside


def test_markdown_fits_into_a_comment_and_says_what_it_left_out():
    many = tuple(replace(EXPOSED, fingerprint=str(at)) for at in range(2000))
    said = lint_markdown(replace(RICH, findings=many))
    assert len(said) <= ROOM + 1000
    assert "findings more than fit here" in said and "details left out for length" in said


@pytest.mark.parametrize(
    ("name", "said"),
    [
        ("a/b.yaml", "a/b.yaml"),
        ("./a", "a"),
        ("/home/me/a.yaml", "a.yaml"),
        ("C:\\x\\a.yaml", "a.yaml"),
        ("../a", "../a"),
        ("", "file"),
    ],
)
def test_names_are_relative(name, said):
    assert relative(name) == said


def test_no_output_carries_an_edit_as_the_docs_say():
    results = [one for name in LINT_REPORTS for one in run_of(LINT_REPORTS[name])["results"]]
    assert results and not [one for one in results if "fixes" in one]
    assert not [one for name in LINT_REPORTS for one in codec.loads(gitlab(LINT_REPORTS[name])) if "fixes" in one]
    said = (Path(__file__).parents[2] / "docs" / "lint-output.md").read_text(encoding="utf-8")
    assert "**No output carries the edit**" in said
