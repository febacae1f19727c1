"""Paths below a root, as that root's own system would see them -> real files here, never one outside the root.

An unpacked image has links such as `lib -> usr/lib` and `/usr/bin/python -> /opt/venv/bin/python`; followed as they
are, they lead into the files of the host. Here every link is taken apart: an absolute one starts again at the root, and
`..` stops there. In a folder that is no system of its own (a virtual environment) an absolute link leads outside, and
is not followed unless it stays below the folder.
"""

from __future__ import annotations

import os
from fnmatch import fnmatch
from pathlib import Path

_LINKS = 40  # links followed for one path, as Linux does
_ENTRIES = 200_000  # entries of one folder that are looked at, those that tell of a package first
_TELLING = (".dist-info", ".egg-info", ".pth", ".egg-link")


class Root:
    """A folder that nothing read through it leaves. `image`: it is a system of its own, with absolute links.

    `denied` are the paths that may not be read; `outside` the links that lead out of it, of an image to nothing in it;
    `crowded` the folders of which not every entry was looked at.
    """

    def __init__(self, path: Path, *, image: bool | None = None) -> None:
        self.path = Path(os.path.realpath(path))
        self.image = is_system(self.path) if image is None else image
        self.denied: set[Path] = set()
        self.outside: set[Path] = set()
        self.crowded: set[Path] = set()

    def real(self, path: Path) -> Path | None:
        """Where a path below the root really lies; None when it is not there, may not be read, or leads outside."""
        try:
            waiting = list(path.relative_to(self.path).parts)
        except ValueError:
            return None
        try:
            return self._followed(waiting)
        except PermissionError:
            self.denied.add(path)
        except (OSError, ValueError):  # a name too long, or with a zero byte
            pass
        return None

    def _followed(self, waiting: list[str]) -> Path | None:
        at, links, gone = self.path, 0, set[Path]()
        while waiting:
            part = waiting.pop(0)
            if part in ("", "."):
                continue
            if part == "..":
                if at == self.path and not self.image:
                    return None
                at = at if at == self.path else at.parent
                continue
            step = at / part
            if step.is_symlink():
                links += 1
                target = self._target(step)
                if target is None:
                    self.outside.add(step)
                if links > _LINKS or target is None:
                    return None
                if target.startswith("/"):
                    at = self.path
                    gone |= {step} if not os.path.lexists(self.path / target.strip("/")) else set()
                waiting = [*target.strip("/").split("/"), *waiting]
            else:
                at = step
        if at.exists():
            return at
        self.outside |= gone
        return None

    def _target(self, link: Path) -> str | None:
        """What a link points at, an absolute one from the root on; None when that is outside."""
        target = os.readlink(link)
        if not target.startswith("/") or self.image:
            return target
        inside = os.path.relpath(target, self.path)
        return None if inside.startswith("..") else f"/{inside}"

    def inside(self, path: str) -> Path | None:
        """An absolute path, as a file of this system writes it, below this root; None when it is not there."""
        return self.real(self.path / path.lstrip("/") if self.image else Path(path))

    def listed(self, folder: Path) -> list[str]:
        """The names in a folder, sorted; none when it is not there or cannot be read."""
        real = self.real(folder)
        try:
            names = sorted(os.listdir(real)) if real and real.is_dir() else []
        except OSError as error:
            self._note(folder, error)
            return []
        if len(names) <= _ENTRIES:
            return names
        self.crowded.add(folder)
        return sorted(sorted(names, key=lambda one: not one.endswith(_TELLING))[:_ENTRIES])

    def _note(self, path: Path, error: OSError) -> None:
        if isinstance(error, PermissionError):
            self.denied.add(path)

    def matching(self, pattern: str) -> list[Path]:
        """The real folders that match a pattern of `/`-parted names below the root, each once."""
        found = [self.path]
        for part in pattern.split("/"):
            if any(sign in part for sign in "*?["):
                found = [one / name for one in found for name in self.listed(one) if fnmatch(name, part)]
            else:
                found = [one / part for one in found]
            found = [real for one in found if (real := self.real(one)) and os.path.isdir(real)]
        return list(dict.fromkeys(found))

    def text(self, file: Path, limit: int) -> str | None:
        """A file's text, up to `limit` bytes; None when it is not there, no plain file, or outside."""
        real = self.real(file)
        try:
            if real is None or not real.is_file():
                return None
            with real.open("rb") as opened:
                return opened.read(limit).decode("utf-8", "replace")
        except OSError as error:
            self._note(file, error)
            return None

    def bytes(self, file: Path, limit: int) -> bytes | None:
        """A file's content; None when it is not there, longer than `limit`, or outside."""
        real = self.real(file)
        try:
            if real is None or not real.is_file() or real.stat().st_size > limit:
                return None
            return real.read_bytes()
        except OSError as error:
            self._note(file, error)
            return None

    def shown(self, path: Path) -> str:
        """A path as that system would write it."""
        return f"/{path.relative_to(self.path)}" if self.image and self.path != Path("/") else str(path)


def is_system(path: Path) -> bool:
    """Whether a folder looks like the root of a system: an unpacked image, or `/` itself."""
    return path == Path("/") or (
        os.path.isdir(path / "usr") and any(os.path.isdir(path / name) for name in ("etc", "bin", "lib"))
    )
