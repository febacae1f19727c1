"""How the tests of single readers put text before them."""

import contextlib
from collections.abc import Callable

from hypothesis import given, settings
from hypothesis import strategies as st

from advisor.evidence.devices import Reading
from advisor.model.fact import Artifact, ArtifactKind


def given_text(text: str, name: str = "-", kind: ArtifactKind = "machine", rank: str | None = None) -> Artifact:
    return Artifact(name, kind, text, rank=rank)


def told(reading: Reading, name: str) -> list[object]:
    """The values of a fact, in order."""
    return [fact.value for fact in reading.facts if fact.name == name]


def why(reading: Reading, name: str) -> str:
    return next(fact.why for fact in reading.facts if fact.name == name)


def names(reading: Reading) -> set[str]:
    return {fact.name for fact in reading.facts}


def assert_no_symptom(reading: Reading) -> None:
    assert not [fact for fact in reading.facts if fact.name.startswith("symptom.") or fact.notable]


def assert_unknown(reading: Reading) -> None:
    """The reader says that it could not read this, and nothing else."""
    assert reading.facts == () and [note.kind for note in reading.notes] == ["unreadable"]


def assert_sound(read: Callable[[Artifact], Reading], mine: Callable[[str], bool], text: str) -> None:
    """Whatever the text: nothing raised, and every place lies within it."""
    assert isinstance(mine(text), bool)
    artifact = Artifact("fuzz.txt", "machine", text, first_line=7)
    reading = read(artifact)
    last = 7 + text.count("\n")
    spans = [one.span for one in reading.facts] + [one.span for one in reading.loads]
    for span in [*spans, *(one.span for one in reading.statuses), *(one.span for one in reading.notes)]:
        assert span is not None and 7 <= span.line <= max(span.line, span.end_line) <= last
    for fact in reading.facts:
        assert "\n" not in fact.quote


def hold_up(read: Callable[[Artifact], Reading], mine: Callable[[str], bool], *samples: str) -> None:
    """A reader on mangled samples: cut anywhere, lines dropped, doubled and swapped, characters put in."""
    rows = [row for sample in samples for row in sample.split("\n")]
    odd = st.text(st.sampled_from('|#{}[]()<>:/%\t \\"0123456789eE+-.,WMiBNAxGPU\n\r\x00é中'), max_size=30)
    row = st.one_of(
        st.sampled_from(rows),
        odd,
        st.sampled_from(rows).flatmap(
            lambda one: odd.map(lambda put: one[: len(one) // 2] + put + one[len(one) // 2 :])
        ),
    )

    @settings(max_examples=100, deadline=None)
    @given(st.lists(row, max_size=25), st.integers(0, 40))
    def mangle(parts: list[str], cut: int) -> None:
        text = "\n".join(parts)
        assert_sound(read, mine, text)
        assert_sound(read, mine, text[: max(0, len(text) - cut)])

    mangle()
    for sample in samples:
        for end in range(0, len(sample), max(1, len(sample) // 60)):
            with contextlib.suppress(StopIteration):
                assert_sound(read, mine, sample[:end])


def assert_linear(read: Callable[[Artifact], Reading], *rows: str) -> None:
    """Long hostile rows are read in time that grows with their length; a blow-up would never end."""
    for row in rows:
        read(Artifact("long.txt", "machine", row * (200_000 // max(1, len(row)))))
        read(Artifact("wide.txt", "machine", (row * (18_000 // max(1, len(row))) + "\n") * 5))
