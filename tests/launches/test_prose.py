"""Clauses and sentences around a place, and what is said of it: found at once as found by looking at each part."""

from __future__ import annotations

from unittest.mock import patch

from hypothesis import given, settings
from hypothesis import strategies as st

from advisor.launches import cases, prose
from advisor.launches.prose import Prose
from advisor.model.fact import Artifact

MARKS = st.text(alphabet="a. \n!?;(*`。，é", max_size=30)
SAID = st.lists(
    st.sampled_from(
        ["tp=1", "-pp 3", "A_B=1", "tried", "even with", "never tried", "still hangs", "works", "for an hour",
         "it is fine", "changing to", "same problem", "no change", "all tried", "control run", "compared to", "can I use",
         "we do not use", "?", "？", "能不能用", "吗", "没有用", "试过", "没用", "也卡", "正常", "换成", "一致", "对照", "why",
         ",", ".", "。", "，", "\n", "\n\n"]
    ),
    max_size=9,
)  # fmt: skip


def told(text: str) -> Prose:
    return Prose(Artifact("issue", "text", text))


@given(MARKS, st.integers(1, 12))
def test_what_stands_in_front_begins_behind_the_last_mark(text: str, reach: int) -> None:
    with patch.object(prose, "_REACH", reach):
        one = told(text)
        for at in range(len(text) + 1):
            low = max(0, at - reach)
            for pattern, found in ((prose._BOUNDARY, one.before(at)), (prose._SENTENCE, one.sentence_before(at))):
                ends = [each.end() for each in pattern.finditer(one.joined, low, at)]
                assert found == one.joined[ends[-1] if ends else low : at]


@settings(max_examples=60)
@given(SAID)
def test_what_a_text_cannot_show_no_part_of_it_shows(said: list[str]) -> None:
    text = " ".join(said)
    one = told(text)
    places = [(text.find(each), text.find(each) + len(each)) for each in dict.fromkeys(said)]

    def verdicts() -> list[tuple[bool, ...]]:
        asked = (cases.asked, cases.tried, cases.elsewhere, cases.helped)
        return [(cases.denied(one, low), *(each(one, low, high) for each in asked)) for low, high in places]

    quick = verdicts()
    with patch.object(cases, "_may", lambda *_: True):
        assert verdicts() == quick


def test_what_is_asked_of_a_text_is_known_to_the_first_look() -> None:
    for text, shape in (("even with tp=1", cases._TRIED_WORD), ("tp=1: works", cases._FINE_NEXT)):
        assert cases._may(told(text), shape)
    assert not cases._may(told("it hangs with tp=1"), cases._FINE_NEXT)
