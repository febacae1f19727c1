"""Dumps made to run code, to fill the memory or to take for ever: each is read or refused, with one note, in bounds."""

import json
import pickle
import pickletools
import struct
import subprocess
import sys
from pathlib import Path

import pytest

from advisor import intake
from tests.evidence.situations import DATA, handed

REAL = DATA / "tp_divergence" / "fr_rank_1"
HEAD = b"\x80\x02}X\x07\0\0\0entries]("
MEMORY = 1 << 30  # bytes of address space for the whole process


def laughs() -> bytes:
    value: object = "ha" * 500
    for _ in range(60):
        value = [value] * 10
    return pickle.dumps({"entries": value}, 2)


def tiny(count: int) -> bytes:
    return (
        HEAD
        + b"".join(b"}r%b(X\1\0\0\0aK\1X\1\0\0\0bK\1u" % struct.pack("<I", at + 300) for at in range(count))
        + b"es."
    )


REFUSED = {
    "huge_string": (HEAD + b"X\xff\xff\xff\xffabc", "a string longer"),
    "huge_string8": (HEAD + b"\x8d" + b"\xff" * 8 + b"abc", "a string longer"),
    "huge_bytes": (b"\x80\x03" + HEAD[2:] + b"\x8e" + b"\x7f" * 8, "a string longer"),
    "huge_frame": (b"\x80\x04\x95" + b"\xff" * 8 + HEAD[2:], "breaks off"),
    "huge_number": (HEAD + b"\x8b\xff\xff\xff\x7f", "an integer of more"),
    "cut": (REAL.read_bytes()[:60_000], "breaks off"),
    "cut_in_an_entry_like_others": (REAL.read_bytes()[:-200], "breaks off"),
    "deep": (b"\x80\x02" + b"]" * 100_000 + b"a" * 99_999 + b".", "nested deeper"),
    "deep_tuples": (b"\x80\x02)" + b"\x85" * 100_000 + b".", "nested deeper"),
    "marks": (b"\x80\x02" + b"(" * 3_000_000, "marks open"),
    "laughs": (laughs(), "when written out"),
    "itself": (b"\x80\x02}q\0X\x07\0\0\0entries]h\0as.", "contains itself"),
    "no_dump": (pickle.dumps([1, 2, 3], 2), "no list of entries"),
    "tiny_items": (tiny(100_000), "no list of entries"),
    "tiny_steps": (b"\x80\x02" + b"N0" * 1_000_000 + b"N.", "no list of entries"),
}
ODD: list[object] = [
    None,
    True,
    -1,
    1 << 80,
    1.5,
    "x" * 5000,
    b"\xff",
    [],
    [[[]]],
    {},
    {"a": {}},
    (1, "b"),
    ["2", None],
    [[-1]],
    "NaN",
]


@pytest.mark.parametrize(
    "opcode",
    [
        one for one in pickletools.opcodes
        if one.name in {"GLOBAL", "STACK_GLOBAL", "REDUCE", "BUILD", "INST", "OBJ", "NEWOBJ", "NEWOBJ_EX", "PERSID",
                        "BINPERSID", "EXT1", "EXT2", "EXT4", "NEXT_BUFFER", "READONLY_BUFFER", "BYTEARRAY8",
                        "EMPTY_SET", "ADDITEMS", "FROZENSET", "STRING"}
    ],
    ids=lambda one: one.name,
)  # fmt: skip
def test_an_opcode_that_is_no_data_within_entries_like_others(opcode):
    """Also where the reader compares entries as a whole it is not passed over."""
    data = REAL.read_bytes()
    at = data.rindex(b"}r")  # the last entry begins here: in place of its first frame's dict
    hurt = data[:at] + opcode.code.encode("latin-1") + b"os\nsystem\n" + data[at:]
    (artifact,), (note,) = intake.take("fr_rank_1", hurt)
    assert artifact.kind == "binary" and f"opcode {opcode.name}" in note.text and "not plain data" in note.text


@pytest.mark.parametrize("name", REFUSED)
def test_refused_with_one_note(name):
    data, why = REFUSED[name]
    (artifact,), notes = intake.take(name, data)
    assert artifact.kind == "binary" and [note.kind for note in notes] == ["unreadable"]
    assert why in notes[0].text and "\n" not in notes[0].text


@pytest.mark.parametrize("odd", ODD, ids=lambda odd: repr(odd)[:12])
def test_odd_values_in_every_field(odd):
    dump = pickle.loads(REAL.read_bytes())
    for key in dump["entries"][0]:
        made = {**dump, "entries": [{**one, key: odd} for one in dump["entries"][:12]]}
        (found,) = handed(pickle.dumps(made, 3), "fr_rank_1")
        assert found.artifact.kind == "recorder", key
    for key in dump:
        assert handed(pickle.dumps({**dump, key: odd}, 3), "fr_rank_1")


def test_all_of_them_at_once_through_the_front_door(tmp_path: Path):
    resource = pytest.importorskip("resource")
    (tmp_path / "dumps").mkdir()
    for name, (data, _) in REFUSED.items():
        (tmp_path / "dumps" / name).write_bytes(data)
    (tmp_path / "dumps" / "deep.json").write_text('{"entries": ' + "[" * 1_000_000)
    (tmp_path / "dumps" / "many.json").write_text('{"version": "2.10", "entries": [' + "[]," * 5_000_001 + "[]]}")
    (tmp_path / "dumps" / "fr_rank_1").write_bytes(REAL.read_bytes())
    command = [sys.executable, "-m", "advisor", "check", "dumps", "--format", "json"]
    done = subprocess.run(
        command,
        capture_output=True,
        cwd=tmp_path,
        env={"PYTHONPATH": ":".join(sys.path)},
        check=False,
        timeout=120,
        preexec_fn=lambda: resource.setrlimit(resource.RLIMIT_AS, (MEMORY, MEMORY)),
    )
    assert done.returncode in (0, 1), done.stderr.decode()[-2000:]
    report = json.loads(done.stdout)
    said = report["coverage"]["notes"]
    assert all(sum(why in one for one in said) >= 1 for _, why in REFUSED.values())
    assert {"dumps/fr_rank_1"} <= {one["name"] for one in report["coverage"]["inputs"] if one["kind"] == "recorder"}
