"""Builds are ordered, ranges are half-open, and what is printed of a build is read as that build."""

from __future__ import annotations

from hypothesis import given
from hypothesis import strategies as st

from advisor.catalog.engines import knowledge
from advisor.evidence.build_reading import read_build
from advisor.match.builds import affected, contains
from advisor.match.conditions import _in_versions
from advisor.model.build import Build, base, is_release, order_key, parse_version, public
from advisor.model.rule import Affected, Boundary
from advisor.model.truth import Truth

VLLM = knowledge("vllm")
RELEASES = [one.version for one in VLLM.releases if one.version != "main"]
NUMBER = st.integers(0, 40)
TAILS = st.sampled_from(
    [
        "",
        "",
        "rc1",
        "rc2",
        ".post1",
        ".post5",
        ".dev7",
        "rc1.dev3",
        "a1",
        "b2",
        "+cu129",
        "+gccfeb3a8",
        ".dev278+gccfeb3a8",
    ]
)
VERSIONS = st.one_of(
    st.builds(lambda a, b, c, tail: f"{a}.{b}.{c}{tail}", NUMBER, NUMBER, NUMBER, TAILS),
    st.sampled_from(RELEASES),
)
ANYTHING = st.one_of(VERSIONS, st.just("main"), st.text(max_size=12))


@given(ANYTHING, ANYTHING, ANYTHING)
def test_the_order_is_total(one: str, other: str, third: str) -> None:
    a, b, c = order_key(one), order_key(other), order_key(third)
    assert (a < b) + (a == b) + (a > b) == 1
    assert not (a <= b and b <= a) or a == b
    assert not (a <= b and b <= c) or a <= c
    assert sorted([a, b, c]) == sorted([c, b, a])


@given(VERSIONS)
def test_a_local_label_and_a_v_do_not_move_a_build(version: str) -> None:
    assert order_key(version) == order_key(f"v{version}") == order_key(str(public(version)))
    assert base(version) == base(str(base(version)))
    assert order_key(version) <= order_key("main")


@given(VERSIONS, VERSIONS, VERSIONS)
def test_a_range_is_half_open(here: str, start: str, before: str) -> None:
    """Of libraries, whose number is all there is: in from its first version, out at the first fixed one."""
    inside = _in_versions(here, start, before)
    assert (inside is Truth.YES) == (order_key(start) <= order_key(here) < order_key(before))
    assert _in_versions(start, start, before) is not Truth.YES or order_key(start) < order_key(before)
    assert _in_versions(before, start, before) is Truth.NO


@given(st.sampled_from(RELEASES), st.sampled_from(RELEASES), st.sampled_from(RELEASES))
def test_releases_are_in_a_range_by_their_order(here: str, introduced: str, fixed: str) -> None:
    entry = Affected(introduced=Boundary(introduced), fixed=Boundary(fixed))
    found = affected((entry,), Build("vllm", version=here), VLLM).truth
    assert found is (Truth.YES if order_key(introduced) <= order_key(here) < order_key(fixed) else Truth.NO)


@given(st.sampled_from(RELEASES), st.sampled_from(RELEASES), st.sampled_from(RELEASES))
def test_what_a_release_holds_later_ones_hold(one: str, other: str, boundary: str) -> None:
    early, late = sorted((one, other), key=order_key)
    held = contains(Build("vllm", version=early), Boundary(boundary), VLLM)[0]
    assert held is not Truth.YES or contains(Build("vllm", version=late), Boundary(boundary), VLLM)[0] is Truth.YES


@given(VERSIONS, st.sampled_from(["vllm", "sglang", "lmdeploy", "xllm"]))
def test_a_version_is_read_as_it_is_printed(version: str, engine: str) -> None:
    build, _, _ = read_build(version, engine=engine)
    again, _, _ = read_build(build.version or "", engine=engine)
    assert again.version == build.version
    if is_release(version) and "a" not in version and "b" not in version:
        assert build.version == version or build.fork, build
    labelled, _, _ = read_build(build.label(), engine=engine)
    assert labelled.version == build.version


@given(st.text(alphabet="0123456789.vrcdevpost+gabx*=<>~!, ", max_size=24))
def test_what_is_taken_for_a_version_is_one(text: str) -> None:
    build, components, _ = read_build(f"vllm {text}", engine="vllm")
    for number in (build.version, build.least, build.below, *(one.version for one in components)):
        assert number is None or parse_version(number) is not None, number
