"""A pickle is read as data, never run."""

import os
import pickle
import pickletools
from pathlib import Path

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from advisor.evidence import plain_pickle
from advisor.evidence.plain_pickle import Refused
from tests.evidence.situations import DATA

DUMP = DATA / "tp_divergence" / "fr_rank_1"  # whole, as PyTorch wrote it
ADMITTED = {*plain_pickle._ADMITTED, ord(".")}
MAY_RUN_CODE = {
    "GLOBAL", "STACK_GLOBAL", "REDUCE", "BUILD", "INST", "OBJ", "NEWOBJ", "NEWOBJ_EX", "PERSID", "BINPERSID",
    "EXT1", "EXT2", "EXT4",
}  # fmt: skip


def assert_refused(data: bytes, *, opcode: str = "", because: str = "") -> Refused:
    with pytest.raises(Refused) as caught:
        plain_pickle.load(data)
    assert opcode in (caught.value.opcode, "") and because in caught.value.reason
    assert 0 <= caught.value.position <= len(data)
    assert "\n" not in str(caught.value)
    return caught.value


def test_a_real_dump_is_what_pickle_makes_of_it():
    assert plain_pickle.load(DUMP.read_bytes()) == pickle.loads(DUMP.read_bytes())


plain = st.recursive(
    st.none()
    | st.booleans()
    | st.integers(-(1 << 1000), 1 << 1000)
    | st.floats(allow_nan=False)
    | st.text()
    | st.binary(),
    lambda inner: (
        st.lists(inner, max_size=4)
        | st.tuples(inner)
        | st.tuples(inner, inner)
        | st.lists(inner, max_size=5).map(tuple)
        | st.dictionaries(st.text() | st.integers(-(1 << 40), 1 << 40) | st.none(), inner, max_size=4)
    ),
    max_leaves=30,
)


@given(plain, st.integers(3, 5))
def test_plain_data_comes_through(value, protocol):
    assert plain_pickle.load(pickle.dumps(value, protocol)) == value


@given(st.lists(st.integers() | st.text() | st.booleans() | st.floats(allow_nan=False), max_size=5), st.integers(0, 2))
def test_so_it_does_in_old_protocols(value, protocol):
    if all(len(str(one)) < 300 for one in value):
        assert plain_pickle.load(pickle.dumps(value, protocol)) == value


@pytest.mark.parametrize(
    "opcode", [one for one in pickletools.opcodes if ord(one.code) not in ADMITTED], ids=lambda one: one.name
)
def test_every_other_opcode_is_refused_by_name(opcode):
    data = b"\x80\x02" + opcode.code.encode("latin-1") + b"os\nsystem\n\x00\x00\x00\x00."
    refused = assert_refused(data, because="not plain data")
    assert (refused.opcode, refused.position) == (opcode.name, 2)


def test_nothing_that_can_reach_code_is_admitted():
    admitted = {one.name for one in pickletools.opcodes if ord(one.code) in ADMITTED}
    assert not admitted & MAY_RUN_CODE
    assert len(admitted) == len(ADMITTED)


class Payload:
    def __init__(self, path: Path) -> None:
        self.path = path

    def __reduce__(self):
        return os.mkdir, (str(self.path),)


@pytest.mark.parametrize("protocol", range(6))
def test_a_payload_does_not_go_off(tmp_path, protocol):
    mark = tmp_path / "ran"
    name = "GLOBAL" if protocol < 4 else "STACK_GLOBAL"
    assert assert_refused(pickle.dumps({"entries": [Payload(mark)]}, protocol), because="not plain data").opcode == name
    assert not mark.exists()


def test_input_that_breaks_off():
    whole = pickle.dumps({"entries": [{"state": "completed", "sizes": [[8, 4096]], "created": 1795959447373185873}]}, 2)
    for end in range(len(whole)):
        assert_refused(whole[:end])
    head = DUMP.read_bytes()[:50_000]
    assert "breaks off" in str(assert_refused(head))


def test_limits(monkeypatch):
    deep = pickle.dumps(None, 2)[:2] + b"]" * 70 + b"a" * 69 + b"."
    assert_refused(deep, because="nested deeper")
    assert_refused(b"\x80\x02)" + b"\x85" * 1000 + b".", because="nested deeper")
    assert_refused(b"\x80\x02X\xff\xff\xff\x7fabc.", because="a string longer", opcode="BINUNICODE")
    assert_refused(b"\x80\x02\x8d" + b"\xff" * 8 + b".", because="a string longer")
    assert_refused(b"\x80\x02\x8b\xff\xff\xff\x7f.", because="an integer of more")
    assert_refused(b"\x80\x02I" + b"9" * 5000 + b"\n.", because="no integer")
    monkeypatch.setattr(plain_pickle, "MAX_ITEMS", 10)
    assert_refused(pickle.dumps([[] for _ in range(20)], 2), because="more than 10 items")
    assert_refused(b"\x80\x02" + b"(" * 1_001 + b".", because="marks")
    monkeypatch.setattr(plain_pickle, "MAX_BYTES", 3)
    assert_refused(b"\x80\x02N.", because="larger than")


def test_a_small_pickle_that_would_be_a_large_text():
    value: list[object] = ["x" * 1000]
    for _ in range(40):
        value = [value] * 10
    assert_refused(pickle.dumps(value, 2), because="when written out")


def test_a_value_that_contains_itself():
    value: list[object] = []
    value.append({"again": value})
    assert_refused(pickle.dumps(value, 2), because="contains itself")


@pytest.mark.parametrize(
    "data",
    [b"\x80\x02}(]K\x01u.", b"\x80\x02}K\x01\x85K\x02s.", b"\x80\x02}G\x40\x00\x00\x00\x00\x00\x00\x00K\x01s.", b"\x80\x02}\x8a\x0b" + b"\x7f" * 11 + b"K\x01s."],
)  # fmt: skip
def test_keys_are_text_or_small_numbers(data):
    assert_refused(data)


@pytest.mark.parametrize(
    "data",
    [
        b"",
        b".",
        b"\x80",
        b"\x80\x09N.",
        b"\x80\x02h\x07.",
        b"\x80\x02NN.",
        b"\x80\x02(N.",
        b"\x80\x02K\x01a.",
        b"\x80\x020.",
    ],
)
def test_malformed(data):
    assert_refused(data)


@given(st.binary(max_size=300))
def test_random_bytes_are_read_or_refused(data):
    try:
        plain_pickle.load(data)
    except Refused as refused:
        assert refused.reason


@settings(max_examples=150, deadline=None)
@given(st.data())
def test_a_dump_with_bytes_changed_is_read_or_refused(data):
    whole = bytearray(pickle.dumps(plain_pickle.load(DUMP.read_bytes())["entries"][:3], 2))
    for _ in range(data.draw(st.integers(1, 4))):
        whole[data.draw(st.integers(0, len(whole) - 1))] = data.draw(st.integers(0, 255))
    try:
        plain_pickle.load(bytes(whole))
    except Refused as refused:
        assert refused.reason


@pytest.mark.parametrize("protocol", range(6))
def test_every_protocol_is_known_as_a_pickle(protocol):
    dump = pickle.loads(DUMP.read_bytes())
    value: object
    for value in (dump, [dump], (1, "a"), {}, "text", os.getcwd, {1, 2}):
        data = pickle.dumps(value, protocol)
        assert plain_pickle.is_pickle(data), (value, data[:40])
        if len(data) > 5000:
            assert all(plain_pickle.is_pickle(data[:size]) for size in (60, 500, 4096, 4097, len(data) - 1))


@pytest.mark.parametrize(
    "data", [b"cposix\nsystem\n(S'id'\ntR.", b"(S'id'\niposix\nsystem\n.\n", b"(cos\nsystem\nVid\no."]
)
def test_a_name_without_a_memo_is_known_too(data):
    assert plain_pickle.is_pickle(data)
    assert_refused(data)


@pytest.mark.parametrize(
    "text",
    [
        "", "crash\nhang\n", "(see below)\nIt hangs.", "Vllm\np1\n", "(q1).", "Version 0.11\npython -m vllm\n", "}\n", "]",
        "S\n", "(a.", "containerd\nsystem\n.", "Traceback (most recent call last):\n", "(TP0 pid=1) INFO x\n", "Xid 79\n",
        "Thread 1 (idle)\n", "Timeout (0:05:00)!\n", "UTC\n", "could be p0\np1\n",
    ],
)  # fmt: skip
def test_words_are_no_pickle(text):
    assert not plain_pickle.is_pickle(text.encode())


@given(st.text(alphabet="(]}cVSp01\n.aetN Id'", max_size=40))
def test_what_looks_like_one_never_raises(text):
    plain_pickle.is_pickle(text.encode())
