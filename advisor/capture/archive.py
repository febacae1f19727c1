"""What was taken -> one .tar.gz or .zip, for its owner alone, written whole or not at all.

The place is made sure of before anything is taken: a folder that cannot be written is said at once, not after the
samples. Until all is there the file bears a hidden name beside its own; what ends before that leaves nothing.
"""

from __future__ import annotations

import gzip
import io
import tarfile
import time
import zipfile
from collections.abc import Iterable
from pathlib import Path

from advisor.errors import UsageError
from advisor.whole import Part, sweep


class Archive:
    """The file to be. Raises UsageError when it cannot be made."""

    def __init__(self, path: Path) -> None:
        self.path = path
        if path.is_dir():
            raise UsageError("is a folder", f"--output {path}", "name a file in it, such as incident.tar.gz")
        if path.exists():
            sweep(path)
            raise UsageError("is there already", f"--output {path}", "name another file, or move that one away")
        if not path.name.endswith((".tar.gz", ".tgz", ".zip")):
            raise UsageError("has no ending known here", f"--output {path}", ".tar.gz or .zip")
        try:
            self._part = Part(path, 0o600)
        except OSError as error:
            raise UsageError(f"cannot be written: {error.strerror or error}", f"--output {path}") from None

    def __enter__(self) -> Archive:
        return self

    def __exit__(self, *_: object) -> None:
        self._part.close()

    def write(self, files: Iterable[tuple[str, bytes]], at: float) -> int:
        """Write the files, all of them with the time `at`; the archive's size. Raises UsageError when it cannot be."""
        content = _zip(files, at) if self.path.suffix == ".zip" else _tar(files, at)
        try:
            self._part.fill(content)
            self._part.place(new=True)
        except FileExistsError:
            raise UsageError("is there by now", f"--output {self.path}", "name another file") from None
        except OSError as error:
            raise UsageError(f"cannot be written: {error.strerror or error}", f"--output {self.path}") from None
        return len(content)


def _tar(files: Iterable[tuple[str, bytes]], at: float) -> bytes:
    packed = io.BytesIO()
    with (
        gzip.GzipFile(fileobj=packed, mode="wb", mtime=int(at)) as squeezed,
        tarfile.open(fileobj=squeezed, mode="w", format=tarfile.PAX_FORMAT) as tar,
    ):
        for name, content in files:
            member = tarfile.TarInfo(name)
            member.size, member.mtime, member.mode = len(content), int(at), 0o600
            tar.addfile(member, io.BytesIO(content))
    return packed.getvalue()


def _zip(files: Iterable[tuple[str, bytes]], at: float) -> bytes:
    packed = io.BytesIO()
    moment = time.gmtime(max(at, 315_532_800))[:6]  # a zip knows no time before 1980
    with zipfile.ZipFile(packed, "w", zipfile.ZIP_DEFLATED) as into:
        for name, content in files:
            member = zipfile.ZipInfo(name, moment)
            member.external_attr = 0o600 << 16
            member.compress_type = zipfile.ZIP_DEFLATED
            into.writestr(member, content)
    return packed.getvalue()
