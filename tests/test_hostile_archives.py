"""Hostile archives and recorder dumps through the front door: a line or a report, the exit code for it, soon, and nothing
written or run. `tests/test_intake_archives.py` and `tests/evidence/test_plain_pickle.py` have each limit by itself."""

from __future__ import annotations

import bz2
import gzip
import os
import struct
import zlib
from pathlib import Path

import pytest

from tests.front_door import advisor
from tests.test_intake_archives import LOG, tar, zipped
from tests.test_shown_safely import safe


def overlapping(entries: int, size: int) -> bytes:
    """A zip whose directory names one packed member again and again."""
    data, crc = zlib.compress(b"\0" * size, 9)[2:-4], zlib.crc32(b"\0" * size)
    local = struct.pack("<IHHHHHIIIHH", 0x04034B50, 20, 0, 8, 0, 0, crc, len(data), size, 1, 0) + b"a" + data
    entry = (
        struct.pack("<IHHHHHHIIIHHHHHII", 0x02014B50, 20, 20, 0, 8, 0, 0, crc, len(data), size, 1, 0, 0, 0, 0, 0, 0)
        + b"a"
    )
    end = struct.pack("<IHHHHIIH", 0x06054B50, 0, 0, entries, entries, entries * len(entry), len(local), 0)
    return local + entry * entries + end


def damaged(data: bytes, at: int) -> bytes:
    return data[:at] + bytes([data[at] ^ 7]) + data[at + 1 :]


UNREAD = {
    "outside.zip": zipped({name: LOG for name in ("/etc/x", "C:\\a.log", "..\\x", "a/../../b", "//x/y")}),
    "links.tar": tar({f"l{one}": (b"2", "/etc/passwd") for one in range(25_000)}),
    "overlapping.zip": overlapping(60_000, 20 << 20),
    "zeros.bz2": bz2.compress(b"\0" * (50 << 20)),
    "checksum.zip": damaged(zipped({"a.log": LOG}), 45),
    "checksum.tar": damaged(tar({"a.log": LOG}), 150),
    "short.gz": gzip.compress(bytes(range(256)) * 9)[:40],
    "fr_global": b"cos\nsystem\n(S'touch pwned'\ntR.",
    "fr_inst": b"(S'touch pwned'\nios\nsystem\n.",
    "fr_persistent": b"\x80\x02X\x01\x00\x00\x00aQ.",
    "fr_extension": b"\x80\x02\x84\xff\xff\xff\x7f.",
    "fr_long": b"\x80\x02\x8b\xff\xff\xff\x7fa.",
    "fr_bytes": b"\x80\x04\x8e" + b"\xff" * 7 + b"\x7f.",
    "fr_frame": b"\x80\x04\x95" + b"\xff" * 8 + b"}.",
    "fr_deep": b"\x80\x02" + b"]" * 100_000 + b"a" * 99_999 + b".",
    "fr_memo": b"\x80\x02]q\x00r\xff\xff\xff\x7f.",
    "fr_copies": b"\x80\x02N" + b"2" * 500_000 + b".",
}
READ = {
    "twice.tar": tar({"a.log": LOG, "./a.log": LOG}),
    "name.tar": tar({"n" * 100_000 + ".log": LOG, "\x1b[31m\u202e.log": LOG, "b\udcff.log": LOG}),
    "deep.tar": tar({"a/" * 3000 + "b.log": LOG}),
}


@pytest.mark.parametrize("name", [*UNREAD, *READ])
def test_it_is_one_line_or_a_report(name: str, tmp_path: Path) -> None:
    (tmp_path / name).write_bytes({**UNREAD, **READ}[name])
    began = sum(os.times()[2:4])  # of the processes that were started
    ran = advisor("check", name, cwd=tmp_path)
    assert ran.code == (2 if name in UNREAD else 0), ran.err[:500]
    assert (ran.err.count("\n"), bool(ran.out)) == ((1, False) if name in UNREAD else (0, True))
    assert safe(ran.out) is None and safe(ran.err) is None
    assert [one.name for one in tmp_path.iterdir()] == [name] and sum(os.times()[2:4]) - began < 5
