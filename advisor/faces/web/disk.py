"""Where uploads lie while they are judged: one folder of the service, in it one a request, and what all of them hold.

A folder for temporary files is swept by its system, and can be full or read-only for a while. What cannot be kept is
answered with 503; the next request tries anew, in a new folder if the old one has gone. What a killed service left goes
when the next one starts.
"""

from __future__ import annotations

import shutil
import sys
import tempfile
import time
from collections.abc import Iterator
from contextlib import ExitStack, contextmanager, suppress
from dataclasses import dataclass, field
from pathlib import Path

from advisor import own_folders
from advisor.faces.web.problems import NO_ROOM

PREFIX = "advisor-serve-"
SAY_S = 10.0


@dataclass
class Disk:
    """The folder's place, None for the system's; `used` are the bytes that all requests together have there now."""

    place: Path | None = None
    used: int = 0
    folders: list[Path] = field(default_factory=list)
    _said: float = -SAY_S
    _open: ExitStack = field(default_factory=ExitStack, repr=False)

    @property
    def folder(self) -> Path:
        """The service's own folder, which nobody else may read."""
        if not self.folders:
            self.folders.append(self._open.enter_context(own_folders.temporary(PREFIX, self.place)))
        return self.folders[-1]

    def close(self) -> None:
        """Leave nothing."""
        self._open.close()
        self.folders.clear()

    @contextmanager
    def request(self) -> Iterator[Path]:
        """A folder for one request, gone at its end. Raises NO_ROOM where there can be none."""
        with self.kept():
            made = self._made()
        try:
            yield made
        finally:
            shutil.rmtree(made, ignore_errors=True)

    def _made(self) -> Path:
        try:
            return Path(tempfile.mkdtemp(prefix="request-", dir=self.folder))
        except FileNotFoundError:  # swept away; under its old name somebody else's could lie there by now
            self.folders.clear()
            return Path(tempfile.mkdtemp(prefix="request-", dir=self.folder))

    @contextmanager
    def kept(self) -> Iterator[None]:
        """Files are written here. Raises NO_ROOM where they cannot be, and tells the operator why, if not too often."""
        try:
            yield
        except OSError as error:
            now = time.monotonic()
            if now - self._said >= SAY_S:
                self._said = now
                with suppress(OSError):
                    print(f"advisor: uploads cannot be kept: {error.strerror or type(error).__name__}", file=sys.stderr)
            raise NO_ROOM from None
