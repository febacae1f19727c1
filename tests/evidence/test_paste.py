"""A paste is parted where it changes kind, and the parts cover what a machine printed."""

from hypothesis import given
from hypothesis import strategies as st

from advisor.evidence.paste import MAX_PARTS, prose, split

LOG = "[2026-08-02 12:01:07 TP1] Scheduler watchdog timeout (self.watchdog_timeout=120, self.soft=False)"


def kinds(text):
    return [part.kind for part in split(text)]


def test_a_collectors_prefix_does_not_hide_the_log():
    for prefix in (
        "vllm-7c9f-abcde server ",
        "Aug 02 10:44:31 node-a sglang[7]: ",
        "sglang  | ",
        "2026-08-02 12:01:08  ",
    ):
        assert kinds(f"It froze.\n{prefix}{LOG}\nWhy?") == ["text", "log", "text"]


def test_a_traceback_stays_with_its_log():
    text = f'It died:\n{LOG}\n[2026-08-02 12:01:08 TP1] Scheduler hit an exception: Traceback (most recent call last):\n  File "/srv/a.py", line 3, in f\n    g()\nRuntimeError: x\n\nAny idea?'
    assert kinds(text) == ["text", "log", "text"]


def test_prose_alone():
    assert kinds("It hangs.\nNothing in the log.\n") == ["text"] and kinds("") == []


@given(
    st.lists(
        st.sampled_from([LOG, "It hangs.", "```", "~~~bash", "vllm serve m --tp 2", "", "    f (a.py:3)", "| a | b |"]),
        max_size=14,
    )
)
def test_parts_are_in_order_and_inside(rows):
    text = "\n".join(rows)
    parts = split(text)
    assert all(0 <= part.start < part.end <= len(text) for part in parts)
    assert prose(text, parts).count("\n") == text.count("\n")


def test_of_very_many_parts_the_rest_is_one():
    for piece in (f"```\n{LOG}\n```\nIt froze.\n", f"{LOG}\n\nIt froze.\nWhy?\n", "~~~sh\nls\n~~~\n"):
        text = piece * (3 * MAX_PARTS)
        parts = split(text)
        assert len(parts) <= MAX_PARTS + 1 and [part.rest for part in parts] == [False] * (len(parts) - 1) + [True]
        assert parts[-1].end == len(text)
    assert not any(part.rest for part in split(f"```\n{LOG}\n```\nIt froze.\n" * (MAX_PARTS // 3)))
