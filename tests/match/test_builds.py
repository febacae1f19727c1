"""Builds against ranges: commits, releases, dev builds, dates, forks. Real history, so the facts are upstream's."""

from __future__ import annotations

from datetime import date

import pytest

from advisor.catalog.engines import knowledge
from advisor.evidence.builds import read_build
from advisor.jobs.assemble import assemble
from advisor.jobs.judging import view_of
from advisor.jobs.request import Request
from advisor.match.builds import affected, contains, nearest_release
from advisor.match.conditions import evaluate
from advisor.model.build import Build, Holding, plain_build
from advisor.model.condition import parse
from advisor.model.rule import Affected, Boundary
from advisor.model.truth import Truth

DP_META_IN = Boundary("0.14.0a2", "b5cf542e2c9f51898e5195ecbbc25f0836de1c4e", 4611, "2026-06-01")
DP_META_FIXED = Boundary("0.15.0", "b56ddfb634f069b600f0fe3f4730fe289ac7fafe", 4741, "2026-07-10")
DP_META = (Affected(introduced=DP_META_IN, fixed=DP_META_FIXED),)
SHM_RACE = (
    Affected(
        only="commits",
        introduced=Boundary(None, "d5ce3007ff54951018a9db2f41dad0f26d6d2290", 1964, "2026-07-21"),
        fixed=Boundary(None, "41c07c781d91617a4a7b1d7a5fb6ddabcdfc603a", 2043, "2026-08-03"),
    ),
)
SKEW = (Affected(only="forks", fixed=Boundary("0.30.0"), commits=("ccfeb3a8baac21d7e1364c609dfa88f2e0230cfd",)),)


def judged(entries: tuple[Affected, ...], build: Build) -> tuple[Truth, str]:
    outcome = affected(entries, build, knowledge(build.engine))
    return outcome.truth, " ".join(fact.why for fact in outcome.because)


@pytest.mark.parametrize(
    ("build", "truth"),
    [
        (Build("lmdeploy", commit="f03bdf1c485ceb1519ae6ea8594349261de04496"), Truth.NO),
        (Build("lmdeploy", commit="f03bdf1c"), Truth.NO),
        (Build("lmdeploy", version="0.14.0"), Truth.YES),
        (Build("lmdeploy", version="v0.14.0"), Truth.YES),
        (Build("lmdeploy", version="0.14.0+cu129"), Truth.YES),
        (Build("lmdeploy", version="0.15.0"), Truth.NO),
        (Build("lmdeploy", version="0.18.0"), Truth.NO),
        (Build("lmdeploy", version="0.13.0"), Truth.NO),
        (Build("lmdeploy", version="0.14.0a1"), Truth.NO),  # published, as 0.14.0a2 is
        (Build("lmdeploy", version="0.14.0b7"), Truth.UNKNOWN),
        (Build("lmdeploy", commit="99886cd69a56fcf9e57f1b8c5c7eff7288a00715"), Truth.YES),
        (Build("lmdeploy", commit="b56ddfb634f069b600f0fe3f4730fe289ac7fafe"), Truth.NO),
        (Build("lmdeploy", branch="main", earliest=date(2026, 7, 1), latest=date(2026, 7, 31)), Truth.UNKNOWN),
        (Build("lmdeploy", branch="main", earliest=date(2026, 6, 5), latest=date(2026, 6, 30)), Truth.YES),
        (Build("lmdeploy", branch="main", earliest=date(2026, 8, 1), latest=date(2026, 8, 31)), Truth.NO),
        (Build("lmdeploy", earliest=date(2026, 8, 1), latest=date(2026, 8, 31)), Truth.UNKNOWN),
        (Build("lmdeploy", branch="main"), Truth.UNKNOWN),
        (Build("lmdeploy"), Truth.UNKNOWN),
    ],
)
def test_a_range_with_commits_and_versions(build: Build, truth: Truth) -> None:
    assert judged(DP_META, build)[0] is truth


def test_the_reason_names_fix_and_commit() -> None:
    _, why = judged(DP_META, Build("lmdeploy", commit="f03bdf1c"))
    assert "#4741" in why and "already in" in why and "f03bdf1c" in why


@pytest.mark.parametrize(
    ("build", "truth"),
    [
        (Build("xllm", commit="6bc3fd249c81651cc79e7e38dd39a2e36c52231b"), Truth.YES),
        (Build("xllm", commit="6bc3fd24", branch="main"), Truth.YES),
        (Build("xllm", commit="41c07c781d91617a4a7b1d7a5fb6ddabcdfc603a"), Truth.NO),
        (Build("xllm", version="0.10.1"), Truth.NO),
        (Build("xllm", branch="main", after_pr=1964), Truth.UNKNOWN),
        (Build("xllm", branch="main", after_pr=2043), Truth.NO),
        (Build("xllm", branch="main"), Truth.UNKNOWN),
        (
            Build("xllm", version="0.9.0", branch="main", earliest=date(2026, 7, 29), latest=date(2026, 7, 29)),
            Truth.YES,
        ),
        (Build("xllm", version="0.9.0", branch="main", earliest=date(2026, 8, 20), latest=date(2026, 8, 20)), Truth.NO),
        (Build("xllm", version="0.9.0", commit="6bc3fd24"), Truth.YES),
        (Build("xllm", version="0.9.0"), Truth.NO),
    ],
)
def test_a_window_of_main_that_no_release_holds(build: Build, truth: Truth) -> None:
    assert judged(SHM_RACE, build)[0] is truth


@pytest.mark.parametrize(
    ("build", "truth"),
    [
        (Build("vllm", version="0.11.2.dev278+gccfeb3a8", commit="ccfeb3a8"), Truth.YES),
        (Build("vllm", version="0.11.2.dev278", fork="LimeChain"), Truth.YES),
        (Build("vllm", version="0.28.0"), Truth.NO),
        (Build("vllm", version="0.30.0"), Truth.NO),
        (Build("vllm", commit="0123456789abcdef"), Truth.UNKNOWN),
        (Build("vllm"), Truth.UNKNOWN),
    ],
)
def test_a_failure_that_only_forks_have(build: Build, truth: Truth) -> None:
    assert judged(SKEW, build)[0] is truth


@pytest.mark.parametrize(
    ("version", "latest", "boundary", "truth"),
    [
        ("0.25.2.dev0+g752a3a504.d20260720", date(2026, 7, 20), Boundary("0.30.0", date="2026-08-31"), Truth.NO),
        ("0.25.2.dev0", None, Boundary("0.23.0"), Truth.YES),
        ("0.23.1rc1.dev1373", None, Boundary("0.24.0"), Truth.UNKNOWN),
        ("0.25.2.dev0", None, Boundary("0.30.0"), Truth.UNKNOWN),
    ],
)
def test_a_dev_build_is_placed_by_date_or_by_what_came_before_it(
    version: str, latest: date | None, boundary: Boundary, truth: Truth
) -> None:
    assert contains(Build("vllm", version=version, latest=latest), boundary, knowledge("vllm"))[0] is truth


@pytest.mark.parametrize(
    "text", ["0.28.0", "v0.5.16", "0.4.6.post5", "f03bdf1c", "6bc3fd249c81651cc79e7e38dd39a2e36c52231b"]
)
def test_the_quick_way_to_read_a_plain_build_agrees_with_the_reader(text: str) -> None:
    assert plain_build(text, "vllm") == read_build(text, engine="vllm")[0]


@pytest.mark.parametrize(
    "text", ["0.28", "0.28.0rc1", "0.28.0+cu129", "main", "v0.5.16-cu130", "12345678", "0.11.2.dev278+gccfeb3a8"]
)
def test_what_is_more_than_a_plain_build_is_left_to_the_reader(text: str) -> None:
    assert plain_build(text, "vllm") is None


def test_a_rule_without_a_range_holds_for_every_build() -> None:
    assert affected((), Build("vllm"), None).truth is Truth.YES


# What was seen in the build itself


def seen(
    held: bool | None, by: str = "fingerprint", commit: str | None = "b56ddfb634f0", pr: int | None = 4741
) -> Holding:
    return Holding("InternLM/lmdeploy", commit, pr, held, by, f"told by {by}")  # type: ignore[arg-type]


@pytest.mark.parametrize(
    ("holdings", "truth"),
    [
        ((seen(True),), Truth.NO),
        ((seen(True, commit=None),), Truth.NO),
        ((seen(True, commit="b56ddfb", pr=None),), Truth.NO),
        ((seen(True, "git"), seen(False)), Truth.YES),
        ((seen(False, "git"), seen(True)), Truth.NO),
        ((seen(True, "git"), seen(None)), Truth.NO),
        ((seen(None),), Truth.YES),
        ((seen(True, commit="b56dd", pr=None),), Truth.YES),
        ((seen(True, commit="0123456789ab", pr=474),), Truth.YES),
        ((Holding("someone/else", None, 4741, True, "fingerprint", ""),), Truth.YES),
    ],
)
def test_what_is_seen_outweighs_the_version(holdings: tuple[Holding, ...], truth: Truth) -> None:
    assert judged(DP_META, Build("lmdeploy", version="0.14.0", holdings=holdings))[0] is truth


def test_the_reason_says_what_was_seen() -> None:
    build = Build("lmdeploy", version="0.15.0", holdings=(seen(False),))
    truth, why = judged(DP_META, build)
    assert truth is Truth.YES and "#4741 b56ddfb634f0 (0.15.0) is not in: told by fingerprint" in why


def test_a_release_that_is_seen_to_hold_what_brought_the_failure_in_is_not_excused() -> None:
    brought = Holding("xLLM-AI/xllm", "d5ce3007ff54951018a9db2f41dad0f26d6d2290", 1964, True, "git", "")
    fixed = Holding("xLLM-AI/xllm", "41c07c781d91617a4a7b1d7a5fb6ddabcdfc603a", 2043, False, "git", "")
    assert judged(SHM_RACE, Build("xllm", version="0.10.1", holdings=(brought, fixed)))[0] is Truth.YES
    assert judged(SHM_RACE, Build("xllm", version="0.10.1"))[0] is Truth.NO


def test_a_checkout_of_upstreams_commits_alone_is_no_fork() -> None:
    git = Holding("vllm-project/vllm", "d87a440f88e2", 50514, False, "git", "")
    build = Build("vllm", version="0.26.0+g4f819f801", commit="4f819f801b7702e39d9588cc9f2ecd28560b31f5")
    assert judged(SKEW, build)[0] is Truth.UNKNOWN
    assert judged(SKEW, build.but(holdings=(git,)))[0] is Truth.NO
    assert judged(SKEW, build.but(holdings=(git,), fork="LimeChain/vllm"))[0] is Truth.YES


# A checkout is counted from the release below it

OURS = "752a3a504752a3a504752a3a504752a3a504752a"  # a commit that upstream does not have


@pytest.mark.parametrize(
    ("version", "nearest"),
    [
        ("0.25.1+312.g752a3a504", "0.25.1"),
        ("0.25.1+g752a3a504", "0.25.1"),
        ("0.20.2rc0+4.g752a3a504", "0.20.2rc0"),
        ("0.11.2.dev278+g752a3a504", None),
        (None, None),
    ],
)
def test_a_checkout_takes_the_settings_of_the_release_below_it(version: str | None, nearest: str | None) -> None:
    assert nearest_release(Build("vllm", version=version, commit=OURS), knowledge("vllm")) == nearest


@pytest.mark.parametrize(
    ("edge", "truth"),
    [("0.24.0", Truth.YES), ("0.25.1", Truth.UNKNOWN), ("0.26.0", Truth.UNKNOWN)],
)
def test_a_checkout_comes_after_the_releases_before_the_one_it_is_counted_from(edge: str, truth: Truth) -> None:
    build = Build("vllm", version="0.25.1+312.g752a3a504", commit=OURS)
    assert contains(build, Boundary(edge), knowledge("vllm"))[0] is truth


RANGE = (Affected(introduced=Boundary("0.10.0"), fixed=Boundary("0.11.1")),)


@pytest.mark.parametrize(
    ("text", "truth"),
    [
        ("0.10.x", Truth.YES),
        ("0.11.x", Truth.UNKNOWN),
        ("0.12.x", Truth.NO),
        ("0.9.x", Truth.NO),
        ("<0.10.0", Truth.NO),
        ("<0.11.1", Truth.UNKNOWN),
        (">=0.11.1", Truth.NO),
        ("older than 0.10.0", Truth.NO),
        ("0.11.1 or later", Truth.NO),
        ("低于0.10.0", Truth.NO),
        ("0.10.x fork", Truth.UNKNOWN),  # what a fork has picked is not in its number
        ("v0.10.1-based build", Truth.UNKNOWN),
        ("v0.11.1-based build", Truth.NO),  # it holds what its base holds
    ],
)
def test_a_series_or_a_range_is_placed_when_all_of_it_is_on_one_side(text: str, truth: Truth) -> None:
    build, _, _ = read_build(text, engine="vllm")
    assert judged(RANGE, build)[0] is truth


MERGED = (
    Affected(introduced=Boundary("0.10.0", pr=1, date="2026-01-10"), fixed=Boundary(None, pr=2, date="2026-07-20")),
)


@pytest.mark.parametrize(
    ("build", "truth"),
    [
        (Build("vllm", earliest=date(2026, 3, 1), latest=date(2026, 3, 31)), Truth.YES),
        (Build("vllm", earliest=date(2026, 1, 20), latest=date(2026, 1, 31)), Truth.UNKNOWN),  # a release may lag
        (Build("vllm", branch="main", earliest=date(2026, 1, 20), latest=date(2026, 1, 31)), Truth.YES),
        (Build("vllm", fork="ours", earliest=date(2026, 3, 1), latest=date(2026, 3, 31)), Truth.UNKNOWN),
        (Build("vllm", branch="releases/v9", earliest=date(2026, 3, 1), latest=date(2026, 3, 31)), Truth.UNKNOWN),
        (Build("vllm", earliest=date(2026, 10, 1), latest=date(2026, 10, 31)), Truth.NO),
    ],
)
def test_a_month_alone_places_what_is_older_than_any_release_lags(build: Build, truth: Truth) -> None:
    assert judged(MERGED, build)[0] is truth
    assert truth is Truth.UNKNOWN or "placed by date" in judged(MERGED, build)[1]


@pytest.mark.parametrize(
    ("version", "wanted", "truth"),
    [
        ("(Nov 2025)", {"component": "sglang", "before": "0.5.13"}, Truth.YES),  # it left main in June 2026
        ("(July 2026)", {"component": "sglang", "before": "0.5.13"}, Truth.NO),
        ("(June 2026)", {"component": "sglang", "before": "0.5.13"}, Truth.UNKNOWN),
        ("0.5.x", {"component": "sglang", "from": "0.4.6"}, Truth.YES),
        ("<0.5.0", {"component": "sglang", "from": "0.5.1"}, Truth.NO),
        ("0.5.14", {"component": "sglang", "before": "0.5.13"}, Truth.NO),
        ("", {"component": "sglang", "before": "0.5.13"}, Truth.UNKNOWN),
    ],
)
def test_a_condition_on_the_engines_own_release_is_placed_as_builds_are(
    version: str, wanted: dict[str, str], truth: Truth
) -> None:
    case, _ = assemble(Request(engine="sglang", version=version, strict=False))
    assert evaluate(parse(wanted), view_of(case)).truth is truth
