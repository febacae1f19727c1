"""A search of a text in pieces finds what RE2 finds on the whole of it, and never holds the whole of it."""

from __future__ import annotations

import random
from collections.abc import Iterator

import pytest

from advisor.patterns import spans
from advisor.scan import search
from advisor.scan.gate import Gate
from advisor.scan.levelled import levelled
from advisor.scan.search import Search, first_matches
from advisor.scan.sieve import pieces
from advisor.scan.words import without_numbers
from tests.scan.corpus import excerpts, patterns, texts


@pytest.fixture(scope="module")
def gate() -> Gate:
    return Gate.of(patterns()[::4])


def truth(gate: Gate, text: bytes) -> dict[str, tuple[int, int]]:
    """The first match of each pattern by RE2 on the whole text."""
    found = ((pattern, next(spans(pattern, text), None)) for pattern in gate.patterns)
    return {pattern: match for pattern, match in found if match is not None}


def log(seed: int, size: int) -> bytes:
    """Files of the corpus one after another, with numbers changed here and there."""
    chance = random.Random(seed)
    made = ""
    while len(made) < size:
        made += chance.choice(texts()).replace(str(chance.randrange(10)), str(chance.randrange(10))) + "\n"
    return made.encode()


@pytest.mark.parametrize("seed", range(2))
def test_in_pieces_of_whole_lines(gate: Gate, seed: int, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("advisor.scan.sieve.PIECE", 30_000)
    text = log(seed, 400_000)
    assert first_matches(gate, pieces(text)) == truth(gate, text)


@pytest.mark.parametrize("size", [6_000, 40_000])
def test_in_pieces_cut_anywhere(gate: Gate, size: int, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(search, "REACH", 5_000)
    text = log(7, 60_000)
    assert first_matches(gate, (text[at : at + size] for at in range(0, len(text), size))) == truth(gate, text)


def test_one_line_without_an_end(gate: Gate) -> None:
    """Shorter than what a match may reach, for some patterns take all of a line."""
    text = log(3, 30_000)[: search.REACH].replace(b"\n", b" ")
    assert first_matches(gate, (text[at : at + 9_000] for at in range(0, len(text), 9_000))) == truth(gate, text)


def test_without_the_native_engine(gate: Gate) -> None:
    text = log(5, 60_000)
    slow = Gate.of(gate.patterns, without_native="this test does without")
    assert first_matches(slow, pieces(text)) == first_matches(gate, pieces(text)) == truth(gate, text)


def test_a_match_at_a_seam_and_one_over_it() -> None:
    gate = Gate.of(["started\\s+workers", "(?i)hang", "step 7", "done$"])
    parts = [b"it started\n", b"  workers\nstep 1\n", b"step 7\nstep 7\n", b"HANG\ndone"]
    text = b"".join(parts)
    assert first_matches(gate, parts) == truth(gate, text)
    assert text[slice(*first_matches(gate, parts)["step 7"])] == b"step 7"


def test_letters_that_fold_to_ascii() -> None:
    gate = Gate.of(["(?i)kernel panic", "(?i)less"])
    assert set(first_matches(gate, ["\u212aernel panic\n".encode(), "le\u017fs\n".encode()])) == set(gate.patterns)


def test_a_line_seen_before_is_not_asked_again(gate: Gate, monkeypatch: pytest.MonkeyPatch) -> None:
    asked: list[int] = []

    def counted(pattern: str, data: bytes) -> Iterator[tuple[int, int]]:
        asked.append(len(data))
        return spans(pattern, data)

    monkeypatch.setattr(search, "spans", counted)
    heartbeat = b"INFO 08-22 11:00:%02d [loggers.py:123] Engine 000: all workers are idle and well\n"
    reading = Search(gate)
    reading.feed(b"".join(heartbeat % second for second in range(60)))
    asked.clear()
    for _ in range(20):
        assert reading.feed(b"".join(heartbeat % second for second in range(60))) == []
    assert len(asked) <= 20, "a pattern that a line answers was asked about lines that say the same"


def test_no_more_is_held_than_a_piece_and_what_a_match_may_reach(gate: Gate) -> None:
    reading = Search(gate)
    for _ in range(50):
        reading.feed(b"x" * 100_000)
        assert len(reading._kept) <= search.REACH


LEVELLED = [
    ("[1-9]\\d* waiting", "0 waiting, 7 waiting", True),
    ("H100|A100", "an H100", True),
    ("(?i)TP[0-3]\\b", "tp9", True),  # tp1 would match
    ("(?i)TP[0-3]\\b", "dp9", False),
    ("缓存[^\\n。]{0,8}5", "缓存为 5", True),
    ("(?i)[xy]7z?", "k7", False),
    ("\\Bx1{2,3}", "ax22", True),
]


@pytest.mark.parametrize(("pattern", "line", "may"), LEVELLED)
def test_levelled_patterns_tell_whether_other_numbers_could_match(pattern: str, line: str, may: bool) -> None:
    made = levelled(pattern)
    assert made is not None
    assert (next(spans(made, without_numbers(line.encode())), None) is not None) == may


def test_levelled_patterns_match_wherever_the_pattern_does() -> None:
    made = {pattern: levelled(pattern) for pattern in patterns()}
    assert sum(one is None for one in made.values()) < 120, "those that reach over lines, and no others"
    for pattern, text in excerpts():
        data = text.encode()
        if (one := made[pattern]) is not None and next(spans(pattern, data), None):
            assert next(spans(one, without_numbers(data)), None), pattern
