"""Compressed files and archives -> the files inside, in memory, within limits that are said when they bite.

    logs.tar.gz -> logs.tar.gz!rank0/engine.log, logs.tar.gz!rank1/engine.log        server.log.gz -> server.log.gz

Nothing is ever written to disk. Links, devices and names that climb out are left alone and counted in a note. What was
read before a limit, or before damage, is kept. The formats are read by the standard library; Zstandard below Python
3.14 by the backport of the module that reads it there.
"""

from __future__ import annotations

import importlib
import io
import sys
import zlib
from collections import Counter
from collections.abc import Callable, Iterator
from dataclasses import field
from typing import IO, TYPE_CHECKING, Any, Literal

from advisor.model.fact import Note, Span
from advisor.model.late import dataclass

if TYPE_CHECKING:
    import zipfile

MAX_BYTES = 64 << 20  # of one file; the rest is not read
MAX_TOTAL = 1 << 30  # bytes of all files of an input together
MAX_MEMBERS = 2_000
MAX_ENTRIES = 10 * MAX_MEMBERS  # of an archive, with those that are no files to read: each costs time too
MAX_DEPTH = 6  # layers: a .tar.gz is two
MAX_RATIO = 100
MAX_BOMBS = 5  # files that unpack to more than that
RATIO_FROM = 1 << 20  # bytes; smaller files may be as repetitive as they like

_CHUNK, _UNPACKED = 1 << 16, 1 << 20
_SMALL = 64  # bytes; an empty file packs to less
_MAGIC = (
    (b"\x1f\x8b", "gzip"),
    (b"BZh", "bzip2"),
    (b"\xfd7zXZ", "xz"),
    (b"\x28\xb5\x2f\xfd", "zstd"),
    (b"PK\x03\x04", "zip"),
    (b"PK\x05\x06", "zip"),
)
_NOT_LOGS = {
    "[Content_Types].xml": "an Office document",
    "data.pkl": "a PyTorch checkpoint",
    "META-INF/MANIFEST.MF": "a Java archive",
}
_NO_FILE = "link(s), device(s) or sparse file(s) were not read"
DAMAGE = (
    EOFError,
    LookupError,
    NotImplementedError,
    OSError,
    OverflowError,
    RuntimeError,
    ValueError,
    zlib.error,
)


@dataclass(slots=True)
class Budget:
    """What may still be read of one input, and what was said on the way."""

    total: int = MAX_TOTAL
    members: int = MAX_MEMBERS
    bombs: int = MAX_BOMBS
    notes: list[Note] = field(default_factory=list)

    def say(self, kind: Literal["unreadable", "ignored", "limit"], text: str, name: str) -> None:
        self.notes.append(Note(kind, text, Span(name)))


def packing(data: bytes) -> str:
    """How these bytes are packed: `gzip bzip2 xz zstd zip tar`, or "" when they are not."""
    if data[257:262] == b"ustar":
        return "tar"
    return next((kind for magic, kind in _MAGIC if data.startswith(magic)), "")


def members(name: str, data: bytes, budget: Budget, depth: int = 0) -> Iterator[tuple[str, bytes]]:
    """The files in `data`, with the names they are shown by; archives inside archives are opened too."""
    kind = packing(data)
    if not kind:
        yield name, data
        return
    if depth >= MAX_DEPTH:
        budget.say("limit", f"packed more than {MAX_DEPTH} layers deep: not opened", name)
        return
    for inner, content in _opened(kind, name, data, budget):
        yield from members(inner, content, budget, depth + 1)


def _opened(kind: str, name: str, data: bytes, budget: Budget) -> Iterator[tuple[str, bytes]]:
    if kind in ("tar", "zip"):
        skipped: Counter[str] = Counter()
        yield from (_tar if kind == "tar" else _zip)(name, data, budget, skipped)
        for why, count in sorted(skipped.items()):
            budget.say("ignored", f"{count} {why}", name)
        return
    content = _drain(unpacked(kind, io.BytesIO(data), _CHUNK), len(data), name, budget)
    if not content and len(data) > _SMALL and not any(note.span == Span(name) for note in budget.notes):
        budget.say("unreadable", "nothing could be unpacked", name)
    yield name, content


def _drain(chunks: Iterator[bytes], packed: int, name: str, budget: Budget) -> bytes:
    """What `chunks` yield, up to the limits."""
    out = bytearray()
    try:
        for chunk in chunks:
            out += chunk
            budget.total -= len(chunk)
            if over := _over(out, packed, budget):
                budget.bombs -= "times its size" in over
                budget.say("limit", over, name)
                break
    except DAMAGE as error:
        budget.say("unreadable", damaged(error), name)
    return bytes(out[:MAX_BYTES] if len(out) > MAX_BYTES and not packing(bytes(out[:512])) else out)


def damaged(error: Exception) -> str:
    """What is said of a packed file that breaks off."""
    return f"damaged or cut short ({type(error).__name__}): read as far as it goes"


def too_much(size: int) -> str:
    """What is said of a packed file of which, for what it unpacks to, only so many bytes were read."""
    return f"unpacks to more than {MAX_RATIO} times its size: only the first {size >> 10} KiB were read"


def _over(out: bytearray, packed: int, budget: Budget) -> str:
    """Which limit bites, in words; "" when none does."""
    if len(out) > RATIO_FROM and len(out) > MAX_RATIO * max(1, packed):
        return too_much(len(out))
    if budget.total <= 0:
        return f"unpacks to more than {MAX_TOTAL >> 20} MiB in all: the rest was not read"
    if len(out) > MAX_BYTES and not packing(bytes(out[:512])):
        return f"only the first {MAX_BYTES >> 20} MiB were read"
    return ""


def unpacked(kind: str, file: IO[bytes], chunk: int = _UNPACKED) -> Iterator[bytes]:
    """The content of a single packed file in chunks of at most so many bytes. Raises one of `DAMAGE`."""
    if kind == "gzip":
        return _gzip(file, chunk)
    if kind == "bzip2":
        return _framed(importlib.import_module("bz2").BZ2Decompressor, file, OSError, chunk)
    if kind == "xz":
        lzma = importlib.import_module("lzma")
        return _framed(lzma.LZMADecompressor, file, lzma.LZMAError, chunk)
    zstd = importlib.import_module("compression.zstd" if sys.version_info >= (3, 14) else "backports.zstd")
    return _framed(zstd.ZstdDecompressor, file, zstd.ZstdError, chunk)


def _gzip(file: IO[bytes], size: int) -> Iterator[bytes]:
    """The chunks of every gzip member in `file`; zeros and rubbish after the last end it."""
    rest = file.read(_CHUNK)
    while len(rest) < 2 and (more := file.read(_CHUNK)):
        rest += more
    while rest.startswith(b"\x1f\x8b"):
        engine = zlib.decompressobj(31)
        while not engine.eof:
            rest = rest or file.read(_CHUNK)
            if not rest:
                raise EOFError
            if chunk := engine.decompress(rest, size):
                yield chunk
            rest = engine.unconsumed_tail
        rest = engine.unused_data
        while len(rest) < 2 and (more := file.read(_CHUNK)):
            rest += more


def _framed(maker: Callable[[], Any], file: IO[bytes], damage: type[Exception], size: int) -> Iterator[bytes]:
    """The chunks of every stream of `file`, for decompressors made as `bz2`'s are."""
    rest = file.read(_CHUNK)
    while rest:
        engine = maker()
        feed = rest
        while not engine.eof:
            try:
                chunk = engine.decompress(feed, size)
            except damage as error:
                raise ValueError(str(error)) from error
            if chunk:
                yield chunk
            feed = b""
            if engine.needs_input and not engine.eof:
                feed = file.read(_CHUNK)
                if not feed:
                    raise EOFError
        rest = engine.unused_data or file.read(_CHUNK)


def _chunks(source: IO[bytes]) -> Iterator[bytes]:
    while chunk := source.read(_CHUNK):
        yield chunk


def _tar(name: str, data: bytes, budget: Budget, skipped: Counter[str]) -> Iterator[tuple[str, bytes]]:
    import tarfile

    try:
        with tarfile.open(fileobj=io.BytesIO(data), mode="r:") as archive:
            for number, member in enumerate(archive):
                if _too_many(number, name, budget):
                    return
                shown = "" if member.isdir() else _shown(name, member.name, skipped)
                if not shown:
                    continue
                if not member.isreg() or member.issparse():
                    skipped[_NO_FILE] += 1
                elif _admit(name, budget):
                    content = data[member.offset_data : member.offset_data + member.size]
                    if len(content) < member.size:
                        budget.say("unreadable", f"cut short: {len(content)} of {member.size} bytes are there", shown)
                    yield shown, _drain(_chunks(io.BytesIO(content)), len(data), shown, budget)
                else:
                    return
    except (*DAMAGE, tarfile.TarError) as error:
        budget.say("unreadable", f"a damaged tar archive ({type(error).__name__}): read as far as it goes", name)


def _zip(name: str, data: bytes, budget: Budget, skipped: Counter[str]) -> Iterator[tuple[str, bytes]]:
    import zipfile

    try:
        with zipfile.ZipFile(io.BytesIO(data)) as archive:
            if what := _other_format(archive.namelist()[:50]):
                budget.say("unreadable", f"{what}: not opened", name)
                return
            for number, member in enumerate(archive.infolist()):
                if _too_many(number, name, budget):
                    return
                shown = "" if member.is_dir() else _shown(name, member.filename, skipped)
                if not shown:
                    continue
                if member.external_attr >> 28 not in (0, 8):  # the file type of a Unix mode
                    skipped[_NO_FILE] += 1
                elif member.flag_bits & 1:
                    skipped["member(s) are encrypted and were not read"] += 1
                elif _admit(name, budget):
                    yield shown, _drain(_zipped(archive, member), member.compress_size, shown, budget)
                else:
                    return
    except (*DAMAGE, zipfile.BadZipFile) as error:
        budget.say("unreadable", f"a damaged zip archive ({type(error).__name__}): read as far as it goes", name)


def _other_format(names: list[str]) -> str:
    """What a zip file is when it is no archive of logs, else ""."""
    return next((what for name in names for end, what in _NOT_LOGS.items() if name.endswith(end)), "")


def _zipped(archive: zipfile.ZipFile, member: zipfile.ZipInfo) -> Iterator[bytes]:
    from zipfile import BadZipFile

    try:
        with archive.open(member) as source:
            yield from _chunks(source)
    except BadZipFile as error:
        raise ValueError(str(error)) from error


def _admit(name: str, budget: Budget) -> bool:
    """Whether one more member may be read; the first that may not is said."""
    if budget.bombs <= 0:
        budget.say(
            "limit", f"{MAX_BOMBS} files in it unpack to more than {MAX_RATIO} times their size: stopped there", name
        )
        return False
    if budget.total > 0 and budget.members > 0:
        budget.members -= 1
        return True
    if budget.total > 0:
        budget.say("limit", f"holds more than {MAX_MEMBERS} files: the rest was not read", name)
    return False


def _too_many(number: int, name: str, budget: Budget) -> bool:
    """Whether so many entries of an archive were looked at that the rest is left, which is said."""
    if number < MAX_ENTRIES:
        return False
    budget.say("limit", f"has more than {MAX_ENTRIES} entries: the rest was not looked at", name)
    return True


def _shown(archive: str, member: str, skipped: Counter[str]) -> str:
    """The name a member is shown by; "" when it is none to read, which is counted."""
    path = member.replace("\\", "/")
    parts = [part for part in path.split("/") if part not in ("", ".")]
    if not parts or path.endswith("/") or "__MACOSX" in parts or parts[-1].startswith("._"):
        return ""
    if ".." in parts or path.startswith("/") or path[1:2] == ":":
        skipped["member(s) whose names point outside the archive were not read"] += 1
        return ""
    printable = "".join(char if char.isprintable() else "�" for char in "/".join(parts))
    return f"{archive}!{printable[-200:]}"
