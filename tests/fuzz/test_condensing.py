"""A large log of which only the telling lines are kept says what it says when it is read as a whole."""

from __future__ import annotations

from functools import cache
from pathlib import Path

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from tests.test_large_logs import RULES, case_of, in_pieces, told, whole


@cache
def logs() -> tuple[bytes, ...]:
    found = [one for one in sorted(RULES.glob("*/*/cases/fires-*/*.log")) if 300 < one.stat().st_size < 20_000]
    return tuple(Path(one).read_bytes() for one in found[::4])


NOISE = st.sampled_from(
    [
        b"\x1b[31mred\x1b[0m\n",
        b"\xff\xfe\n",
        b"\r\n",
        "缓存 …\n".encode(),
        b"x" * 3000 + b"\n",
        b"\0\n",
        b"\n\n",
        b"INFO 07-02 08:14:55 [loggers.py:1] Avg prompt throughput: 1.0 tokens/s\n",
    ]
)
PARTS = st.lists(st.one_of(st.integers(0, 400), NOISE), min_size=1, max_size=8)


@settings(max_examples=25)
@given(PARTS)
def test_read_in_pieces_it_says_the_same(parts: list[int | bytes]) -> None:
    """Whole logs of known failures one behind the other, with noise between."""
    data = b"".join(logs()[one % len(logs())] + b"\n" if isinstance(one, int) else one for one in parts)
    with pytest.MonkeyPatch.context() as patch:
        in_pieces(patch)
        read = case_of(data)
    if any(one.runs for one in read.artifacts):
        mine, theirs = told(read), told(whole(data))
        statuses = [[(rule, status) for rule, status, _ in one["symptoms"]] for one in (mine, theirs)]  # type: ignore[attr-defined]
        assert statuses[0] == statuses[1]
        assert mine["build"] == theirs["build"]
