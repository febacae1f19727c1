"""Files that an agent names -> what may be read of them: below the folders given at start, by where they really are.

Paths are resolved first, so that neither `..` nor a link leads out; what is outside is refused in the same words
whether or not it is there. Devices, pipes and files of the kernel are no files. Somebody who can exchange files below a
root at that very moment could win a race; such a one could as well copy the file into it.
"""

from __future__ import annotations

import os
import stat
from collections.abc import Sequence
from pathlib import Path

from advisor.errors import UsageError
from advisor.jobs.folders import file_at, files_in
from advisor.jobs.request import File

KERNEL = (("proc",), ("sys",), ("dev",))


class Roots:
    """The folders whose files may be read; none is a fine number."""

    def __init__(self, folders: Sequence[str]) -> None:
        self.folders = tuple(Path(os.path.realpath(one)) for one in folders)

    def place(self, name: str) -> Path:
        """Where `name` really is: a plain file or a folder below a root; a relative name is looked for in each root.

        Raises UsageError for what is not there, is no file, or must not be read.
        """
        if not self.folders:
            raise UsageError("no file may be read", name, "hand it over in texts, or start advisor mcp with --root DIR")
        inside = [one for one in map(self._resolved, self._spelled(name)) if self.holds(one)]
        if not inside:
            raise UsageError("is outside of the folders that may be read", name, f"these are: {self}")
        try:
            found = next((one for one in inside if one.exists()), None)
        except OSError as error:
            raise UsageError(f"is no path: {error.strerror}", f"{name[:80]}…", None) from None
        if found is None:
            raise UsageError("no such file or folder", name, f"looked in: {self}")
        if not (found.is_dir() or stat.S_ISREG(found.lstat().st_mode)):
            raise UsageError("is neither a file nor a folder", name, None)
        return found

    def files(self, name: str) -> tuple[list[File], list[str]]:
        """The file `name`, or the files of that folder, and a line for what was left out. Raises UsageError."""
        place = self.place(name)
        try:
            if place.is_dir():
                files, notes = files_in(place, within=self.folders)
                return files, notes or ([] if files else [f"{name}: no files in this folder"])
            file, notes = file_at(place, name)
        except OSError as error:
            raise UsageError(f"cannot be read: {error.strerror or error}", name, None) from None
        return [file], notes

    def holds(self, place: Path) -> bool:
        """Whether a resolved path is below a root, and no file of the kernel."""
        return place.parts[1:2] not in KERNEL and any(place.is_relative_to(one) for one in self.folders)

    def __str__(self) -> str:
        return ", ".join(map(str, self.folders))

    def _spelled(self, name: str) -> list[str]:
        return [name] if os.path.isabs(name) else [os.path.join(one, name) for one in self.folders]

    @staticmethod
    def _resolved(path: str) -> Path:
        try:
            return Path(os.path.realpath(path))
        except (OSError, ValueError) as error:  # a zero byte, a name too long
            raise UsageError(f"is no path: {error}", repr(path[:80]), None) from None
