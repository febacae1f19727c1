"""Prose cut into blocks and sentences: on any text, without an exception and inside the text."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from advisor.evidence.builds import find_build, read_build
from advisor.evidence.free_text import read_symptoms
from advisor.evidence.hardware import read_hardware
from advisor.evidence.prose import asks_for_a_fix, blocks, clause_of, elsewhere, plain, sentences, without_its_wish

# what headings, lists, tables, fences and the readers' own words are made of, and what is odd
PIECES = st.sampled_from(
    ["#", "##", "###### ", "# Fix", "## 预期行为", "Expected behavior", "- **", "* ", "> ", "|", "```", "1. ", "\n", "\r\n",
     "\x0b", "\u2028", "\x85", "\x00", "\ud800", "\udfff", " ", "\t", "。", ". ", "e.g. ", ": ", "（", ")", "it hangs", "卡住",
     "first curl", "3.2 to 1.1", "acceptance", "every few hours", "vLLM 0.28.0", "patched", "main", "July 29", "7 月底",
     "20260799", "2026-02-31", "29.7.2026", "Q3 2026", "NPU", "8xH100", "GH200", "²", "٣", "ſ", "İ", "\U0001f600"]
)  # fmt: skip
TEXTS = st.one_of(st.text(max_size=300), st.lists(PIECES, max_size=40).map("".join))


@given(TEXTS, st.booleans())
def test_blocks_and_sentences_lie_inside_the_text_in_order(text, machine):
    place = 0
    for block in blocks(text, machine):
        assert place <= block.start < block.end <= len(text)
        place = block.end
        inner = block.start
        for start, end in sentences(text, block.start, block.end):
            assert inner <= start <= end <= block.end
            inner = end


@given(TEXTS)
def test_readers_of_prose_raise_on_nothing_and_point_into_the_text(text):
    lines = text.count("\n") + 1
    for fact in (*read_symptoms(text, artifact="x"), *read_hardware(text, artifact="x")):
        assert fact.span is None or 1 <= fact.span.line <= (fact.span.end_line or fact.span.line) <= lines
    find_build(text, engine=None)
    read_build(text, engine="vllm")


@given(st.text(max_size=80), st.integers(0, 80), st.integers(0, 10))
def test_a_clause_holds_what_it_is_the_clause_of(text, start, length):
    sentence = plain(text)
    start = min(start, len(sentence))
    end = min(start + length, len(sentence))
    left, right = clause_of(sentence, start, end)
    assert 0 <= left <= start and end <= right <= len(sentence)


@pytest.mark.parametrize(
    ("sentence", "rest"),
    [
        ("Fix hang that we hit daily", "hang that we hit daily"),
        ("Please fix the deadlock we keep seeing", "the deadlock we keep seeing"),
        ("修复我们天天遇到的死锁", "我们天天遇到的死锁"),
    ],
)
def test_a_user_who_asks_for_a_fix_is_heard(sentence, rest):
    assert asks_for_a_fix(sentence) and not elsewhere(sentence)
    assert without_its_wish(sentence) == rest


@pytest.mark.parametrize(
    "sentence",
    ["Fix hang in the PP handler", "fix: a hang we hit", "[BugFix] Fix hang we hit", "This PR fixes a hang we hit daily",
     "Fixes a deadlock that users hit", "Fix the deadlock we introduced in #123", "修复我们引入的死锁"],
)  # fmt: skip
def test_a_change_is_not_a_report(sentence):
    assert not asks_for_a_fix(sentence) and elsewhere(sentence)
