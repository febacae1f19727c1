"""Files that travel in a page -> a hidden field, and back: compressed, and in a size that is bounded both ways.

Without JavaScript a browser forgets which files were chosen. So the page carries them, up to `PACKED` characters each
and `ALL_PACKED` in all; a larger one has to be chosen again, and the page says so.
"""

from __future__ import annotations

import base64
import binascii
import zlib
from collections.abc import Iterable

from advisor.faces.web.problems import Refused
from advisor.jobs.request import File

PACKED = 1_000_000
"""Characters of a field: below what a form's field may have (`Settings.field_bytes`)."""
ALL_PACKED = 4_000_000
UNPACKED = 64 << 20
"""Bytes of all carried files together, unpacked: what a request could have handed over."""


def packed(file: File) -> str:
    """The file as a field's value, "" when it is too large for one."""
    if len(file.content) > UNPACKED:
        return ""
    name = file.name.encode("utf-8", "replace")
    text = base64.b64encode(zlib.compress(name + b"\0" + file.content)).decode()
    return text if len(text) <= PACKED else ""


def unpacked(fields: Iterable[str]) -> tuple[File, ...]:
    """The files of such fields. Raises Refused for what `packed` did not make, and for more than it would have."""
    files, left = [], UNPACKED
    for field in fields:
        content = _unpacked(field, left)
        left -= len(content)
        name, mark, content = content.partition(b"\0")
        if not mark:
            raise _damaged()
        files.append(File(name.decode("utf-8", "replace"), content))
    return tuple(files)


def _unpacked(field: str, most: int) -> bytes:
    """The bytes of a field, at most so many: what would grow beyond is not unpacked."""
    unpacking = zlib.decompressobj()
    try:
        content = unpacking.decompress(base64.b64decode(field, validate=True), most + 1)
    except (binascii.Error, ValueError, zlib.error):
        raise _damaged() from None
    if len(content) > most:
        raise Refused(413, f"unpacks to more than {UNPACKED} bytes", "carried", "hand the files over as files")
    if not unpacking.eof:
        raise _damaged()
    return content


def _damaged() -> Refused:
    return Refused(422, "is not what a page of this service carries", "carried", "start anew with the files")
