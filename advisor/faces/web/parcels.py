"""What a request brought, whichever way: fields as texts, files by their path on disk."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path

from advisor.faces.web.problems import Refused
from advisor.faces.web.settings import Settings

KINDS = {"file": "", "files": "", "log": "log", "stack": "stack"}
"""A part's name, and the kind that it says its file is of: "" is told by content."""
NAME = 1024


@dataclass(frozen=True)
class Kept:
    """A file as the client called it, where it lies, and the kind the client says it is ("" = look)."""

    name: str
    path: Path
    kind: str = ""


@dataclass(frozen=True)
class Received:
    """The fields, each with its values in order, and the files in order."""

    fields: dict[str, tuple[str, ...]]
    files: tuple[Kept, ...] = ()

    def one(self, name: str, default: str = "") -> str:
        """The value of a field that has one. Raises Refused where it has several."""
        values = self.fields.get(name, ())
        if len(values) > 1:
            raise Refused(422, "is given more than once", name)
        return values[0] if values else default

    def many(self, name: str) -> tuple[str, ...]:
        """The values of a field that may repeat; empty ones are none."""
        return tuple(one for one in self.fields.get(name, ()) if one.strip())

    def known(self, names: tuple[str, ...]) -> Received:
        """Itself. Raises Refused for a field of another name, with the nearest."""
        from difflib import get_close_matches

        for name in self.fields:
            if name not in names:
                near = get_close_matches(name, names, 1)
                raise Refused(
                    422, "no such field", shown(name), f"did you mean {near[0]}?" if near else ", ".join(names)
                )
        return self


class Shelf:
    """Where the files of a request are put, by number: no name of a client's becomes a name on our disk."""

    def __init__(self, folder: Path, settings: Settings) -> None:
        self._folder, self._settings = folder, settings
        self.files: list[Kept] = []

    def place(self, name: str, kind: str) -> Kept:
        """A place for one more file. Raises Refused when there are too many, or its name is none."""
        if len(self.files) >= self._settings.files:
            raise Refused(
                413, f"more than {self._settings.files} files", "files", "pack them: an archive counts as one"
            )
        if not name.strip():
            raise Refused(422, "a file without a name", "files")
        if len(name) > NAME:
            raise Refused(422, f"a name longer than {NAME} characters", shown(name))
        if any(ord(one) < 32 or ord(one) == 127 for one in name):
            raise Refused(422, "a name with control characters", shown(name))
        kept = Kept(name, self._folder / str(len(self.files)), kind)
        self.files.append(kept)
        return kept

    def drop(self, kept: Kept) -> None:
        """Forget the last file placed."""
        self.files.remove(kept)


def clean(text: str) -> str:
    """Text that can be written as UTF-8: half a surrogate pair, which JSON can spell, is no character."""
    return text.encode("utf-8", "replace").decode("utf-8")


def sized(count: int) -> str:
    """A limit in words."""
    return f"{count >> 20} MiB" if count >= 1 << 20 else f"{count} bytes"


def shown(name: str) -> str:
    """A client's name as an error may repeat it."""
    return repr(name if len(name) <= 80 else name[:77] + "…")
