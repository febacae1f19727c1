"""Entries of a dump that are like one before: what comes out is what reading each by itself makes of them."""

import json
import pickle
import struct
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from advisor.evidence import alike, alike_json, flight_recorder, plain_pickle
from advisor.evidence.alike import Run
from advisor.evidence.plain_pickle import Refused
from tests.evidence.situations import DATA
from tests.flight_made import make

REAL = DATA / "tp_divergence" / "fr_rank_1"  # whole, as PyTorch wrote it
ENTRIES = 70


@pytest.fixture(scope="module")
def made(tmp_path_factory) -> bytes:
    return make(tmp_path_factory.mktemp("made"), 1, ENTRIES, "missing")[0].read_bytes()


@pytest.fixture(scope="module")
def made_json(tmp_path_factory) -> str:
    return make(tmp_path_factory.mktemp("made"), 1, 400, "size", "json", odd=0)[0].read_text()


def written_out(value: Any) -> Any:
    """The value with the items of each run in their places."""
    if isinstance(value, dict) and isinstance(value.get("entries"), list):
        entries = [part for one in value["entries"] for part in (one.items() if isinstance(one, Run) else (one,))]
        return {**value, "entries": entries}
    return value


def skimmed(data: bytes) -> Any:
    return written_out(alike.load(data, "entries"))


def like_one_before(value: Any) -> int:
    return sum(len(one.rows) for one in value["entries"] if isinstance(one, Run))


def assert_same(data: bytes) -> None:
    """Both readers make the same of it, or both refuse it."""
    try:
        expected = plain_pickle.load(data)
    except Refused:
        with pytest.raises(Refused):
            alike.load(data, "entries")
        return
    assert skimmed(data) == expected


@pytest.mark.parametrize("protocol", [None, 0, 1, 2, 3, 4, 5])
def test_a_real_dump(protocol):
    data = REAL.read_bytes() if protocol is None else pickle.dumps(pickle.loads(REAL.read_bytes()), protocol)
    assert skimmed(data) == pickle.loads(data)
    assert protocol is not None or like_one_before(alike.load(data, "entries")) > 180


def test_a_dump_that_is_made(made):
    assert skimmed(made) == pickle.loads(made)
    assert like_one_before(alike.load(made, "entries")) > ENTRIES / 2


@settings(max_examples=100, deadline=None)
@given(st.data())
def test_bytes_changed_anywhere(made, data):
    changed = bytearray(made)
    for _ in range(data.draw(st.integers(1, 3))):
        changed[data.draw(st.integers(0, len(made) - 1))] = data.draw(st.integers(0, 255))
    assert_same(bytes(changed))


def item(number: int, put: int, inside: bytes = b"", key: bytes = b"h\x01") -> bytes:
    """`{"a": number, "b": [number + 1]}`, stored at `put` and the next place."""
    return (
        b"}r" + struct.pack("<I", put) + b"(" + key + b"J" + struct.pack("<i", number)
        + b"h\x02]r" + struct.pack("<I", put + 1) + b"J" + struct.pack("<i", number + 1) + b"a" + inside + b"u"
    )  # fmt: skip


def listed(*items: bytes) -> bytes:
    head = b"\x80\x02}(X\x01\0\0\0aq\x01X\x01\0\0\0bq\x02h\x01N0" + b"0"
    return head + b"X\x07\0\0\0entriesq\x03]q\x04(" + b"".join(items) + b"eu."


TOLD = [item(at, 300 + 3 * at, b"h\x03X\x03\0\0\0oner" + struct.pack("<I", 302 + 3 * at)) for at in range(11)]
ALIKE = [item(70_000 + at, 300 + 2 * at) for at in range(20)]


@pytest.mark.parametrize(
    ("name", "items", "least"),
    [
        ("all alike", ALIKE, 18),
        ("a place in the memo is left out", [*ALIKE[:9], item(1, 318 + 2), *ALIKE[11:]], 0),
        ("a place is used twice", [*ALIKE[:9], item(1, 314), *ALIKE[10:]], 0),
        ("what a run stored is fetched", [*ALIKE, b"j" + struct.pack("<I", 320), item(5, 340)], 0),
        ("a list of a run is fetched", [*ALIKE, b"j" + struct.pack("<I", 321)], 0),
        ("and added to", [*ALIKE, b"j" + struct.pack("<I", 321) + b"K\x09a"], 0),
        ("a text of a run is fetched", [*TOLD, b"j" + struct.pack("<I", 332)], 8),
        ("what a shape refers to is stored anew", [*ALIKE[:9], b"X\x01\0\0\0cq\x01", *ALIKE[9:]], 7),
        ("an item takes what lies below it", [*ALIKE[:3], item(1, 306, b"00"), *ALIKE[4:]], 0),
        ("an item within an item", [*ALIKE[:3], item(1, 306, b"h\x03" + item(3, 308))], 0),
        ("a number as a key", [item(at, 300 + 2 * at, key=b"K\x05") for at in range(9)], 7),
        ("what was never stored", [*ALIKE, b"j" + struct.pack("<I", 900)], 0),
        ("numbers of other widths", [item(at, 300 + 2 * at, b"h\x03K" + bytes([at])) for at in range(9)], 7),
        ("it breaks off", [*ALIKE, ALIKE[-1][:11]], 0),
    ],
)
def test_as_each_by_itself(name, items, least):
    data = listed(*items)
    assert_same(data)
    if least:
        assert like_one_before(alike.load(data, "entries")) >= least


def test_the_numbers_of_an_item_are_its_own():
    found = skimmed(listed(*ALIKE))["entries"]
    assert [(one["a"], one["b"]) for one in found] == [(70_000 + at, [70_001 + at]) for at in range(20)]


def test_what_is_compared_in_vain_is_bounded(monkeypatch):
    monkeypatch.setattr(alike, "PATIENCE", 0)
    odd = [item(at, 300 + 2 * at, b"h\x03X\x02\0\0\0%02d" % at) for at in range(40)]
    assert_same(listed(*odd, *(item(at, 380 + 2 * at) for at in range(9))))
    reader = alike._Skimmer(listed(*odd), "entries")
    reader.run()
    assert reader.key is None and not reader.shapes


def test_limits_hold_for_what_is_alike(monkeypatch):
    monkeypatch.setattr(plain_pickle, "MAX_ITEMS", 60)
    with pytest.raises(Refused, match="more than 60 items"):
        alike.load(listed(*ALIKE), "entries")
    monkeypatch.undo()
    monkeypatch.setattr(plain_pickle, "MAX_WRITTEN", 60)
    with pytest.raises(Refused, match="when written out"):
        alike.load(listed(*ALIKE), "entries")


# JSON


def test_json_that_is_made(made_json):
    found = alike_json.loads(made_json, "entries")
    assert like_one_before(found) > 380
    assert written_out(found) == json.loads(made_json)


def test_json_laid_out_over_lines(made_json):
    for indent in (1, 4):
        text = json.dumps(json.loads(made_json), indent=indent)
        assert written_out(alike_json.loads(text, "entries")) == json.loads(text)
        assert like_one_before(alike_json.loads(text, "entries")) > 380


@settings(max_examples=60, deadline=None)
@given(st.data())
def test_json_with_characters_changed(made_json, data):
    at = data.draw(st.integers(0, len(made_json) - 1))
    put = data.draw(st.sampled_from(['"', "{", "}", "[", "]", ",", "0", "9", "-", ".", "e", " ", "\n", "\\", "x", ""]))
    text = made_json[:at] + put + made_json[at + data.draw(st.integers(0, 3)) :]
    try:
        expected = json.loads(text)
    except ValueError:
        with pytest.raises(ValueError):
            alike_json.loads(text, "entries")
        return
    assert written_out(alike_json.loads(text, "entries")) == expected


@pytest.mark.parametrize("where", ["twice", "in a string", "within"])
def test_a_list_that_is_not_the_one_at_the_top(made_json, where):
    dump = json.loads(made_json)
    text = {
        "twice": made_json[:-1] + ', "entries": [{"profiling_name": 1}]}',
        "in a string": json.dumps({"note": '"entries": [{"a": 1}]', **dump}),
        "within": json.dumps({"pg_config": {"entries": dump["entries"]}, "entries": dump["entries"][:2]}),
    }[where]
    assert written_out(alike_json.loads(text, "entries")) == json.loads(text)


def test_counts_that_pytorch_writes_as_text_are_numbers(made_json):
    text, _ = flight_recorder.as_text(made_json.encode())
    assert text and json.loads(text)["status"][0][1:4] == [120_080, -1, 120_080]


@pytest.mark.parametrize("form", ["pickle", "json"])
def test_a_number_in_any_field_counts_as_where_each_is_read_by_itself(form, monkeypatch):
    dump = pickle.loads(REAL.read_bytes())

    def text_of(key: str) -> str:
        entries = [{**one, key: at % 3} for at, one in enumerate(dump["entries"])]
        made: Any = {**dump, "entries": entries}
        text, _ = flight_recorder.as_text(pickle.dumps(made, 2) if form == "pickle" else json.dumps(made).encode())
        assert text
        return text

    read = [text_of(key) for key in dump["entries"][0]]
    monkeypatch.setattr(alike, "MAX_SHAPES", 0)
    monkeypatch.setattr(alike_json, "_LEAST", 1 << 40)
    assert read == [text_of(key) for key in dump["entries"][0]]
