"""The gate holds nothing back that matches: every rule's pattern, on every text of the rules' cases and made ones."""

from __future__ import annotations

import json
import sys
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from advisor.jobs.judging import catalogue, gate_of
from advisor.patterns import compile_pattern
from advisor.scan import gate as gate_module
from advisor.scan.gate import Gate
from advisor.scan.plan import joined, planned
from advisor.scan.sieve import Sieve
from advisor.scan.syntax import Unread, parse
from tests.scan.corpus import REPO, excerpts, patterns, texts


@pytest.fixture(scope="module")
def gate() -> Gate:
    made = Gate.of(patterns())
    assert not made.slow
    return made


@pytest.fixture(scope="module")
def plain(gate: Gate) -> Gate:
    return Gate.by(gate.plan, without_native="this test does without")


def test_nothing_that_matches_is_held_back(gate: Gate) -> None:
    assert len(patterns()) > 1000 and len(excerpts()) > 2 * 800
    held = [(pattern, text) for pattern, text in excerpts() if pattern not in gate.possible(text)]
    # A bare match may lack the surroundings that an assertion at its ends asks for.
    assert not [one for one in held if compile_pattern(one[0]).search(one[1])]


def test_the_plain_way_lets_the_same_through(gate: Gate, plain: Gate) -> None:
    for text in texts()[::12]:
        assert gate.possible(text) == plain.possible(text)


def test_most_patterns_are_held_back(gate: Gate) -> None:
    """What the gate is for: an ordinary log leaves RE2 with a tenth of the patterns, a sentence with fewer."""
    log = (REPO / "tests/healthy/vllm-pp4-long-context.log").read_text(encoding="utf-8")
    assert len(gate.possible(log)) < len(patterns()) / 5
    assert len(gate.possible("requests hang after some hours, no traceback")) < len(patterns()) / 20


def test_every_pattern_of_the_rules_is_read_and_hardly_any_is_always_let_through(gate: Gate) -> None:
    assert len(gate.plan.always) <= len(patterns()) / 100
    for pattern in patterns():
        parse(pattern)


TURNED: list[Callable[[str], str]] = [str, str.upper, str.lower, lambda one: one.replace("k", "\u212a")]


@given(st.data())
@settings(max_examples=150, deadline=None)
def test_no_surroundings_hide_what_matches(gate: Gate, data: st.DataObject) -> None:
    pattern, text = data.draw(st.sampled_from(excerpts()))
    others = st.sampled_from(excerpts()).map(lambda one: one[1])
    odd = st.text(alphabet="kKsS\u017f\u212a019 .\n_-\u3002\u7f13\xe9\udc80", max_size=6)
    around = st.one_of(others, odd)
    glued = data.draw(around) + data.draw(st.sampled_from(["", " ", "\n", "。"])) + text + data.draw(around)
    turned = data.draw(st.sampled_from(TURNED))(glued)
    searched = turned.replace("\udc80", "?")  # RE2 takes no lone surrogates
    if compile_pattern(pattern).search(searched):
        assert pattern in gate.possible(searched)
    gate.possible(turned)


LET_THROUGH = [
    ("(?i)kernel", "\u212aERNEL"),  # the Kelvin sign folds to k, the long s to s
    ("(?i)less", "le\u017fs"),
    ("(?i)stra\u00dfe", "STRA\u00dfE"),
    ("(?i)[\u0430-\u044f]rror", "\u0410rror"),
    (r"out\x20of\x{20}memory", "out of memory"),
    ("ab??c|ab*?c|ab+?d|ab{1,2}?e", "abbe"),
    ("foo|(?i)bar(?-i)Baz", "BARBaz"),
    ("(?i:a(?:b|c)d)E", "AcDE"),
    ("(?P<name>wait)ing{2,}", "waitingg"),
    ("fail[^\\n]*\\n[^\\n]*error", "it fails\nwith an error"),
    ("(?s)fail.*error", "it fails\n\nwith an error"),
    ("nccl==2\\.2[78]", "nccl==2.27"),
    ("^start|end$", "the end"),
    ("\\bkv\\b", "the kv-cache"),
    ("a{b}", "a{b}"),
    ("[]x]y", "]y"),
    ("[^]x]yz", "ayz"),
    ("[a\\-z]q-", "-q-"),
    ("\\Qa.b\\E", "a.b"),  # not read here: always let through
    ("\\pNth", "5th"),
    ("[[:alpha:]]9", "x9"),
    ("", "anything"),
    ("x*", ""),
    ("(?:)*word", "word"),
    ("缓存(?:已)?满", "KV缓存满了"),
    ("[满溢]出", "溢出"),
    ("a|", "zzz"),
    ("\\Bing\\b", "waiting"),
    ("(?U)wa.*ng", "waiting"),
    ("(?:ab){2}c", "ababc"),
    ("(?:wait|hang){0,2}ing", "ing"),
]


@pytest.mark.parametrize(("pattern", "text"), LET_THROUGH)
def test_what_re2_matches_is_let_through(pattern: str, text: str) -> None:
    assert compile_pattern(pattern).search(text), "RE2 itself does not match: the test is wrong"
    assert Gate.of([pattern]).possible(text)
    assert Gate.of([pattern], without_native="test").possible(text)


HELD_BACK = [
    ("(?i)\\bkv[ _-]?cache\\b[^\\n.]{0,40}(?:full|exhaust\\w*)", "the cache is warm"),
    ("Watchdog caught collective operation timeout", "watchdog caught nothing"),
    ("\\bPD\\b|\\bP/D\\b", "a page"),
    ("缓存[^\\n。]{0,8}满", "正常"),
    ("H100|A100", "a GPU"),
]


@pytest.mark.parametrize(("pattern", "text"), HELD_BACK)
def test_what_lacks_the_words_is_held_back(pattern: str, text: str) -> None:
    assert not Gate.of([pattern]).possible(text)


@pytest.mark.parametrize("pattern", ["\\pN", "\\Qx\\E", "[[:digit:]]", "\\012", "(?=x)", "a)b", "(a", "[a", "a\\"])
def test_syntax_that_is_not_read_says_so(pattern: str) -> None:
    with pytest.raises(Unread):
        parse(pattern)


# plans


def test_plans_made_apart_are_joined() -> None:
    apart = [planned(["OutOfMemory", "(?i)hang"]), planned(["Watchdog", "(?i)it hangs", ".*"])]
    gate = Gate.by(joined(json.loads(json.dumps(apart))))
    assert gate.patterns == ("OutOfMemory", "(?i)hang", "Watchdog", "(?i)it hangs", ".*")
    assert gate.possible("it HANGS") == {"(?i)hang", "(?i)it hangs", ".*"}
    assert gate.possible("the Watchdog") == {"Watchdog", ".*"}


def test_the_catalogue_brings_its_plan(monkeypatch: pytest.MonkeyPatch) -> None:
    """A check reads no pattern: that was done where the catalogue was compiled."""
    absent = {one for rule in catalogue() for step in rule.verification for one in step.absent}
    monkeypatch.setattr("advisor.scan.syntax.parse", lambda _: pytest.fail("read again"))
    found = gate_of(("vllm",))
    assert set(found.patterns) < {*patterns(), *absent} and "(?i)hang" not in found.known


# without the native engine


def test_where_it_is_not_installed_the_gate_says_so_and_works(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(sys.modules, "ahocorasick_rs", None)
    slow = Gate.of(["OutOfMemory", "(?i)hang"])
    assert "ahocorasick_rs is not installed" in slow.slow
    assert slow.possible("it HANGS") == {"(?i)hang"}


def test_threads_may_share_a_gate(gate: Gate) -> None:
    some = texts()[:40]
    with ThreadPoolExecutor(4) as pool:
        assert list(pool.map(gate.possible, some)) == list(map(gate.possible, some))


# lines that say the same


def test_lines_that_differ_in_numbers_are_looked_at_once() -> None:
    sieve = Sieve()
    assert sorted(sieve.new(b"step 41\nstep 7\nHANG 3").split(b"\n")) == [b"HANG 0", b"step 0"]
    assert sieve.new(b"step 199\nHANG 7") == b""


def test_a_long_text_is_judged_as_a_short_one(gate: Gate, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(gate_module, "SIEVED_FROM", 1 << 62)
    whole = {text: gate.possible(text) for text in texts()[::10]}
    monkeypatch.setattr(gate_module, "SIEVED_FROM", 0)
    monkeypatch.setattr("advisor.scan.sieve.PIECE", 500)
    assert all(gate.possible(text) == let for text, let in whole.items())
