"""Columns, wrapping and folding, with the characters that trip them."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from advisor.render.layout import clip, columns, fold, wrap


@pytest.mark.parametrize(
    ("text", "wide"), [("abc", 3), ("死锁", 4), ("a死b", 4), ("e\u0301", 1), ("，", 2), ("", 0), ("…", 1), ("🙂", 2)]
)
def test_columns(text, wide):
    assert columns(text) == wide


def test_words_stay_whole_and_lines_keep_to_the_width():
    assert wrap("one two three", 8) == ["one two", "three"]
    assert wrap("one two three", 10, "- ", "  ") == ["- one two", "  three"]
    assert wrap("", 10, "- ") == ["- "]


def test_chinese_breaks_between_characters_but_not_before_a_stop():
    assert wrap("两个节点都在等待，没有报错。", 16) == ["两个节点都在等", "待，没有报错。"]
    assert all(columns(line) <= 17 for line in wrap("进程 TP0 与 TP1 进入不一致的等待（没有报错）。" * 5, 17))


def test_a_link_is_never_cut_but_a_long_word_is():
    link = "https://github.com/example/engine/pull/54436"
    assert link in wrap(f"see {link} for it", 20)
    assert wrap("x" * 25, 10) == ["x" * 10, "x" * 10, "x" * 5]


def test_fold_keeps_every_character():
    assert fold("ab  cd死锁x", 4) == ["ab  ", "cd死", "锁x"]
    assert "".join(fold("死" * 9, 5)) == "死" * 9
    assert fold("one two three", 9, at_spaces=True) == ["one two ", "three"]


def test_clip():
    assert clip("死锁死锁", 8) == "死锁死锁"
    assert clip("死锁死锁x", 8) == "死锁死…"


def test_clip_keeps_what_matters_in_sight():
    line = "[rank1] a long prefix of a log line, and then OpType=BROADCAST, with more behind it"
    assert clip(line, 40, "OpType=BROADCAST").startswith("…")
    assert "OpType=BROADCAST" in clip(line, 40, "OpType=BROADCAST")
    assert columns(clip(line, 40, "OpType=BROADCAST")) <= 40
    assert clip(line, 40, "a long prefix") == "[rank1] a long prefix of a log line, an…"
    assert clip(line, 40, "not in it") == clip(line, 40)


@given(st.text(max_size=200), st.integers(4, 60), st.text(max_size=30))
def test_clip_never_exceeds_the_width(text, width, focus):
    assert columns(clip(text, width, focus)) <= width


@given(st.text(alphabet="ab 死锁，（）/e\u0301", max_size=120), st.integers(10, 40))
def test_wrap_keeps_the_words_and_the_width(text, width):
    lines = wrap(text, width)
    assert all(columns(line) <= width for line in lines)
    assert "".join("".join(lines).split()) == "".join(text.split())
