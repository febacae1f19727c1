"""Seeds changed by hand rather than by coverage: what `make test` and an interpreter without atheris have."""

from __future__ import annotations

from functools import cache

from hypothesis import strategies as st

from tests.fuzz.target import CORPUS

HOSTILE = [
    b"\x1b]0;title\x07", b"\x1b[2J", b"\x9b31m", b"\r", b"\0", b"\x08\x08", b"\xff\xfe", "\u202e".encode(), "\u2028".encode(), b"\xed\xa0\x80",
    b"<script>alert(1)</script>", b"](javascript:alert(1))", b"::error file=x::y", b"##[error]x", b"```\n", b"|a|b|\n|-|-|\n", b"%0A", b"&#10;",
    b"{{ 7 * 7 }}", b"${jndi:ldap://x}", b"$(touch /tmp/x)", b"'; drop", b"x" * 20_000, b"[" * 3_000, b'{"a":' * 800, b"\n" * 2_000, b"- &a [*a]\n",
    b"Traceback (most recent call last):\n", b"--tp \xe2\x80\x94tp 99999999999999999999999999", b"0.28.0" + b".1" * 500,
]  # fmt: skip


@cache
def seeds(name: str) -> tuple[bytes, ...]:
    return tuple(one.read_bytes() for one in sorted((CORPUS / name).glob("*")))


def changed(name: str) -> st.SearchStrategy[bytes]:
    """A seed of a target with a few places overwritten, doubled, cut, or with something hostile put in."""
    edit = st.tuples(
        st.sampled_from(["put", "cut", "double", "over"]),
        st.floats(0, 1, exclude_max=True),
        st.sampled_from(HOSTILE),
        st.integers(1, 200),
    )
    return st.builds(_edited, st.sampled_from(seeds(name)), st.lists(edit, min_size=1, max_size=4))


def _edited(data: bytes, edits: list[tuple[str, float, bytes, int]]) -> bytes:
    for how, where, what, size in edits:
        at = 2 + int(where * max(1, len(data) - 2))
        if how == "put":
            data = data[:at] + what + data[at:]
        elif how == "cut":
            data = data[:at] + data[at + size :]
        elif how == "double":
            data = data[: at + size] + data[at:]
        else:
            data = data[:at] + what[:size] + data[at + len(what[:size]) :]
    return data
