"""Suppressions by comment, annotation and configuration: what they mark, and what is said of them."""

from dataclasses import replace
from datetime import date

import pytest

from advisor.errors import UsageError
from advisor.jobs import configuration, directives, gate
from advisor.jobs.suppressing import CHECKS, apply
from advisor.model.deployment import Deployment, Place, Workload
from advisor.model.fact import Span
from advisor.model.launch import Launch
from advisor.model.lint import Region
from advisor.model.suppression import Configuration
from tests.render.lint_reports import CHART, EXPOSED, RICH, SERVER

TODAY = date(2026, 11, 29)
NONE = Configuration()
FINDING = replace(EXPOSED, region=Region(CHART, 2, 3, 2, 9, "  --pp 2"), related=())
REPORT = replace(RICH, findings=(FINDING,))


def lint(comment="", place="above", annotations=(), config=NONE, report=REPORT, name=CHART, **options):
    text = f"# {comment}\n  a: b\n" if place == "above" else f"x: y\n  a: b  # {comment}\n"
    return apply(report, directives.of_comments(name, text), annotations, config, TODAY, **options)


def ids(report):
    return [one.id for one in report.findings if one.kind == "suppression"]


def assert_hushed(report, reason="because so", how="comment"):
    (one,) = [one for one in report.findings if one.id == FINDING.id]
    assert one.suppressed and (one.suppressed.reason, one.suppressed.how) == (reason, how), report.findings
    assert ids(report) == []


def assert_counts(report, *told):
    (one,) = [one for one in report.findings if one.id == FINDING.id]
    assert one.suppressed is None
    assert ids(report) == list(told)


def config(body, name="advisor.toml"):
    return configuration.read(name, body)


# --- comments


@pytest.mark.parametrize("place", ["above", "behind"])
@pytest.mark.parametrize(
    "named", ["example/pp-broadcast-skew", "pp-broadcast-skew", "example/*", "*", "x-other/*, pp-broadcast-skew"]
)
def test_a_comment_with_a_reason_hushes(place, named):
    report = lint(f"advisor: ignore[{named}] because so", place)
    (one,) = [one for one in report.findings if one.id == FINDING.id]
    assert one.suppressed and one.suppressed.reason == "because so"


def test_nothing_is_removed_and_the_checks_are_listed():
    report = lint("advisor: ignore[pp-broadcast-skew] because so")
    assert_hushed(report)
    assert len(report.findings) == 1 and {one.id for one in CHECKS} <= {one.id for one in report.checks}
    assert report.findings[0].suppressed.region.line == 1


def test_a_former_id_is_still_known():
    former = {"example/old-name": "example/pp-broadcast-skew"}
    assert_hushed(lint("advisor: ignore[example/old-name] because so", former=former))
    assert_hushed(lint("advisor: ignore[old-name] because so", former=former))
    assert_counts(lint("advisor: ignore[old-name] because so"), "suppression-unknown-id")


def test_a_comment_hushes_only_what_it_covers_and_names():
    assert_counts(lint("advisor: ignore[gpu-count] because so"), "suppression-unused")
    elsewhere = replace(REPORT, findings=(replace(FINDING, region=Region(CHART, 9, 1, 9, 2, "")),))
    assert_counts(lint("advisor: ignore[pp-broadcast-skew] because so", report=elsewhere), "suppression-unused")
    assert_hushed(lint("advisor: ignore-file[pp-broadcast-skew] because so", report=elsewhere))
    assert_counts(lint("advisor: ignore-file[pp-broadcast-skew] x", name="other.yaml"), "suppression-unused")


def test_without_a_reason_it_does_not_hold():
    assert_counts(lint("advisor: ignore[pp-broadcast-skew]"), "suppression-without-reason")


@pytest.mark.parametrize("until", ["2026-11-29", "2027-01-31"])
def test_the_last_day_is_included(until):
    report = lint(f"advisor: ignore[pp-broadcast-skew] until={until} because so")
    assert_hushed(report)
    assert report.findings[0].suppressed.until == until


def test_what_an_expired_one_covers_counts_again():
    report = lint("advisor: ignore[pp-broadcast-skew] until=2026-11-28 because so")
    assert_counts(report, "suppression-expired")
    (expired,) = [one for one in report.findings if one.kind == "suppression"]
    assert expired.level == "warning" and expired.related[0].region == FINDING.region
    assert_counts(lint("advisor: ignore[gpu-count] until=2026-11-28 because so"), "suppression-unused")


@pytest.mark.parametrize(
    "said",
    [
        "advisor: ignore because so",
        "advisor: ignore[] because so",
        "advisor: ignroe[pp-broadcast-skew] because so",
        "advisor: ignore[pp-broadcast-skew] until=soon because so",
        "advisor: ignore[pp-broadcast-skew] until=20270131 because so",
        "advisor: ignore[pp-broadcast-skew] until= because so",
    ],
)
def test_what_cannot_be_followed_is_said(said):
    assert_counts(lint(said), "suppression-malformed")


@pytest.mark.parametrize("said", ["advisor: see the runbook", "advisory: ignore[x]", "ask your advisor: maybe"])
def test_a_remark_is_no_instruction(said):
    assert_counts(lint(said))


def test_file_wide_stands_at_the_top():
    text = "\n" * 10 + "# advisor: ignore-file[pp-broadcast-skew] because so\n"
    (one,) = directives.of_comments(CHART, text)
    assert "first 10 lines" in one.trouble


def test_an_unknown_id_has_the_nearest_beside_it():
    report = lint("advisor: ignore[pp-broadcast-scew] because so")
    assert_counts(report, "suppression-unknown-id")
    (one,) = [one for one in report.findings if one.kind == "suppression"]
    assert "pp-broadcast-skew" in one.advice[0]


def test_one_without_a_reason_is_not_called_unused_as_well():
    assert_counts(lint("advisor: ignore[gpu-count]"), "suppression-without-reason")


def test_a_name_whose_check_did_not_run_is_not_called_unused():
    assert_counts(lint("advisor: ignore[other/rule] because so", known=("other/rule",)))


def test_one_that_holds_wins_over_one_that_does_not():
    text = (
        "# advisor: ignore[pp-broadcast-skew] until=2020-01-01 old\n# advisor: ignore[pp-broadcast-skew] new\n  a: b\n"
    )
    report = replace(REPORT, findings=(replace(FINDING, region=Region(CHART, 3, 3, 3, 5, "")),))
    told = apply(report, directives.of_comments(CHART, text), (), NONE, TODAY)
    assert [one.suppressed and one.suppressed.reason for one in told.findings if one.id == FINDING.id] == ["new"]


def test_fingerprints_of_complaints_know_no_lines():
    low = directives.of_comments(CHART, "\n\n# advisor: ignore[gpu-count] r\n  a: b\n")
    high = directives.of_comments(CHART, "# advisor: ignore[gpu-count] r\n  a: b\n")
    (one,), (two,) = (
        [f for f in apply(REPORT, d, (), NONE, TODAY).findings if f.kind == "suppression"] for d in (low, high)
    )
    assert one.fingerprint == two.fingerprint and one.region != two.region


def test_complaints_of_the_same_words_are_told_apart():
    text = "# advisor: ignore[gpu-count] r\na: b\n# advisor: ignore[gpu-count] r\nc: d\n"
    told = [one.fingerprint for one in apply(REPORT, directives.of_comments(CHART, text), (), NONE, TODAY).findings]
    assert len(told) == len(set(told)) == 3


# --- annotations


def deployment(key, value, containers=("server",)):
    text = f"  {key}: {value}\n"
    place = Place(2, len(text) - 1, "mapping value", Span(CHART, 1, 1))
    made = (
        Workload(
            CHART,
            "kubernetes",
            Launch("example"),
            place,
            "Deployment",
            "example",
            "default",
            one,
            annotations=((key, value, place),),
        )
        for one in containers
    )
    return Deployment(CHART, text, "kubernetes", tuple(made))


@pytest.mark.parametrize(
    ("key", "value"),
    [
        ("advisor.dev/ignore", "pp-broadcast-skew until=2027-01-31 because so"),
        ("advisor.dev/ignore", "gpu-*, example/pp-broadcast-skew because so"),
        ("advisor.dev/ignore.pp-broadcast-skew", "because so"),
        ("advisor.dev/ignore.example.pp-broadcast-skew", "until=2027-01-31 because so"),
    ],
)
def test_an_annotation_speaks_of_its_object(key, value):
    found = directives.of_annotations(deployment(key, value))
    report = apply(REPORT, (), found, NONE, TODAY)
    assert [one.suppressed and one.suppressed.how for one in report.findings if one.id == FINDING.id] == ["annotation"]
    other = replace(REPORT, findings=(replace(FINDING, workload="Deployment/default/other:server"),))
    assert "suppression-unused" in ids(apply(other, (), found, NONE, TODAY))


def test_an_annotation_of_two_containers_is_one():
    (one,) = directives.of_annotations(deployment("advisor.dev/ignore", "pp-broadcast-skew r", ("server", "router")))
    assert one.workloads == (SERVER, "Deployment/default/example:router")
    assert (one.region.line, one.region.column) == (1, 3)


@pytest.mark.parametrize("value", ["", "until=2027-01-31 x"])
def test_an_annotation_without_an_id_is_said(value):
    found = directives.of_annotations(deployment("advisor.dev/ignore", value))
    assert ids(apply(REPORT, (), found, NONE, TODAY)) == ["suppression-malformed"]
    assert directives.of_annotations(deployment("advisor.dev/other", "x")) == ()


# --- configuration

IGNORE = '[[ignore]]\npath = "{path}"\nrule = "pp-broadcast-skew"\nreason = "because so"\n'


@pytest.mark.parametrize("path", ["charts/**", "charts/", "*.yaml", "charts/*.yaml", "**"])
def test_the_configuration_speaks_of_paths(path):
    assert_hushed(lint(config=config(IGNORE.format(path=path))), how="configuration")


def test_a_path_that_does_not_match_does_not_hush():
    assert_counts(lint(config=config(IGNORE.format(path="other/**"))))
    assert_hushed(lint(config=config(IGNORE.format(path="*.yaml"), "charts/advisor.toml")), how="configuration")
    assert_counts(lint(config=config(IGNORE.format(path="charts/*.yaml"), "charts/advisor.toml")))


def test_names_can_be_told_relative_to_the_configuration():
    upward = config(IGNORE.format(path="charts/*.yaml"), "../advisor.toml")
    assert_counts(lint(config=upward))
    assert_hushed(lint(config=upward, below=lambda name: f"charts/{name.rpartition('/')[2]}"), how="configuration")
    everything = config(IGNORE.format(path="**"), "charts/advisor.toml")
    assert_hushed(lint(config=everything), how="configuration")
    assert_counts(lint(config=everything, below=lambda name: f"../{name}"))  # not below the configuration at all


def test_unused_is_said_only_when_all_files_were_looked_at():
    unused = config(IGNORE.format(path="**").replace("pp-broadcast-skew", "gpu-count"))
    assert_counts(lint(config=unused), "suppression-unused")
    assert_counts(lint(config=unused, complete=False))


def test_complaints_can_be_hushed_too():
    quiet = config('[[ignore]]\nrule = "suppression-*"\nreason = "because so"\n')
    report = lint("advisor: ignore[pp-broadcast-skew]", config=quiet)
    assert [(one.id, bool(one.suppressed)) for one in report.findings] == [
        ("suppression-without-reason", True),
        (FINDING.id, False),
    ]


def test_a_configuration_is_read_whole():
    body = '[lint]\nfail-on = "error"\nactionable = ["none"]\nexclude = ["vendor/"]\nbaseline = "b.json"\n\n[[ignore]]\nrule = ["a", "b"]\nreason = "r"\nuntil = 2027-01-31\n'
    read = config(body)
    assert (read.fail_on, read.actionable, read.exclude, read.baseline) == ("error", ("none",), ("vendor/",), "b.json")
    assert (read.ignores[0].rules, read.ignores[0].until, read.ignores[0].region.line) == (("a", "b"), "2027-01-31", 7)
    inner = body.replace("[lint]", "[tool.advisor.lint]").replace("[[ignore]]", "[[tool.advisor.ignore]]")
    assert config(inner, "pyproject.toml").ignores[0].rules == ("a", "b")
    assert config("[project]\nname = 'x'\n", "pyproject.toml") is None


@pytest.mark.parametrize(
    ("body", "where", "hint"),
    [
        ("[lint]\nfail_on = 'error'", "advisor.toml: lint.fail_on", "fail-on"),
        ("[lint]\nfail-on = 'eror'", "advisor.toml: lint.fail-on", "error"),
        ("[lnit]\n", "advisor.toml: lnit", "lint"),
        ("[lint]\nexclude = [1]", "advisor.toml: lint.exclude", None),
        ("[[ignore]]\nreason = 'x'", "advisor.toml: ignore[1].rule", "rule ="),
        ("[[ignore]]\nrule = 'x'\nresaon = 'x'", "advisor.toml: ignore[1].resaon", "reason"),
        ("[[ignore]]\nrule = 'x'\nuntil = 'soon'", "advisor.toml: ignore[1].until", None),
        ("ignore = 3", "advisor.toml: ignore", "[[ignore]]"),
        ("[lint", "advisor.toml", None),
    ],
)
def test_a_mistake_names_the_file_and_the_key(body, where, hint):
    with pytest.raises(UsageError) as raised:
        config(body)
    assert raised.value.where == where and "\n" not in raised.value.line()
    assert hint is None or hint in (raised.value.hint or "")


# --- the gate


def test_the_gate():
    named = lambda *args, **options: [one.id for one in gate.failing(RICH, *args, **options)]  # noqa: E731
    assert named() == ["example/pp-broadcast-skew", "setting-removed"]  # the others are suppressed, notes or evidence
    assert named("never") == []
    assert named("note") == ["example/pp-broadcast-skew", "build-unpinned", "setting-removed"]
    assert named("note", {"workaround"}) == ["build-unpinned"]
    assert named("note", {"none"}) == ["no-stack-tool"]
