"""Content -> the file of that name, whole or not at all: whatever the advisor writes is written here.

It is written beside the file first (`.pod.yaml.advisor-part`), then put in its place: readers see the old or the new.
A part is locked for as long as its process lives. So two that write one file take turns, and a part that nobody has
locked is of a process that was killed: who next writes the file takes it away, and readers of folders pass it over.
Where nothing can be locked (some network folders, Windows) nothing is taken for left, and each has a part of its own.
"""

from __future__ import annotations

import contextlib
import errno
import os
import stat
import time
from collections.abc import Iterator
from hashlib import blake2b
from pathlib import Path

try:
    import fcntl
except ImportError:  # Windows
    fcntl = None  # type: ignore[assignment]

SUFFIX = ".advisor-part"
_WAIT_S = 2.0  # for another that writes the same file
_LONGEST = 255  # bytes of a name
_APART = getattr(os, "O_NOFOLLOW", 0) | getattr(os, "O_NONBLOCK", 0) | getattr(os, "O_BINARY", 0)
_UNSUPPORTED = (errno.EPERM, errno.ENOTSUP, errno.EOPNOTSUPP, errno.ENOSYS)


class Changed(OSError):
    """The file is not what it was when it was read: somebody has edited, replaced or removed it."""


def put(target: Path, content: bytes, *, before: bytes | None = None, mode: int = 0o666) -> None:
    """A file of the user's, on the disk when this returns. What a symbolic link names is what changes.

    Mode, owner and extended attributes are those of the file there; a new one has `mode`, less the umask. Raises
    Changed where the file is not `before`, OSError where it may not be written or would not stay its owner's.
    """
    part = Part(Path(os.path.realpath(target)), mode)
    try:
        part.fill(content)
        part.place(before=before)
    finally:
        part.close()


def keep(target: Path, content: bytes, mode: int = 0o644) -> None:
    """A file of the cache, in the place of whatever is there. Not brought to the disk, so who reads it checks it.

    Nobody but the owner can write it, whatever the umask. Raises OSError.
    """
    part = Part(target, mode, like=False)
    try:
        part.fill(content)
        part.place(durable=False)
    finally:
        part.close()


def sweep(target: Path) -> None:
    """Take away what a process that was killed left of a file, whether or not it is written now."""
    path = target.with_name(part_name(target.name))
    if os.path.lexists(path):
        _cleared(path)


def is_part(name: str) -> bool:
    """Whether a file or folder of this name is one under way, or left by a process that was killed."""
    return name.startswith(".") and name.endswith(SUFFIX)


class Part:
    """A file under way; `like`: to be as the one there. Taken back by `close`, where it is not in its place by then.

    Raises OSError when none can be made.
    """

    def __init__(self, target: Path, mode: int, *, like: bool = True) -> None:
        self.target, self._there = target, _state(target) if like else None
        if self._there is not None and not stat.S_ISREG(self._there.st_mode):
            raise OSError(errno.EINVAL, "is no ordinary file")
        if self._there is not None and not os.access(target, os.W_OK):  # a move asks the folder alone
            raise PermissionError(errno.EACCES, os.strerror(errno.EACCES))
        self.path, self._handle = _begun(target, 0o600 if self._there else mode)
        self._left = True

    def fill(self, content: bytes) -> None:
        """Write all of it. Raises OSError."""
        view = memoryview(content)
        while view:
            view = view[os.write(self._handle, view[: 1 << 24]) :]

    def sync(self) -> None:
        """Bring what was written to the disk, so that a full one is known before anything is put in its place."""
        os.fsync(self._handle)

    def place(self, *, before: bytes | None = None, durable: bool = True, new: bool = False) -> None:
        """Put it in its place. `new`: FileExistsError where there is one by now. Raises Changed as `put`, OSError."""
        if self._there is not None:
            _liken(self._handle, self.path, self.target, self._there)
        if durable:
            self.sync()
        if fcntl is None:  # Windows moves nothing that is open
            self._release()
        if before is not None and _content(self.target) != before:
            raise Changed(errno.EBUSY, "was changed while it was read")
        if new:
            _link(self.path, self.target)
        else:
            os.replace(self.path, self.target)
        self._left = False
        if durable:
            sync_folder(self.target.parent)

    def close(self) -> None:
        """Take it back, unless it is in its place."""
        if self._left:
            self._left = False
            with contextlib.suppress(OSError):
                os.unlink(self.path)
        self._release()

    def _release(self) -> None:
        if self._handle >= 0:
            os.close(self._handle)
            self._handle = -1


def sync_folder(folder: Path) -> None:
    """Bring the names in a folder to the disk, where that can be asked for."""
    with contextlib.suppress(OSError):
        handle = os.open(folder, os.O_RDONLY)
        try:
            os.fsync(handle)
        finally:
            os.close(handle)


def part_name(name: str) -> str:
    """What the part of a file is called; the same for all who write it."""
    made = f".{name}{SUFFIX}"
    return made if len(os.fsencode(made)) <= _LONGEST else f".{blake2b(os.fsencode(name)).hexdigest()[:32]}{SUFFIX}"


def locked(handle: int) -> bool:
    """Lock what is open for this process alone; False where another has it. Raises OSError where nothing can be."""
    if fcntl is None:
        raise OSError(errno.ENOTSUP, "no locks")
    try:
        fcntl.flock(handle, fcntl.LOCK_EX | fcntl.LOCK_NB)
    except BlockingIOError:
        return False
    return True


def is_at(path: str | Path, handle: int) -> bool:
    """Whether what is open is what bears this name now."""
    try:
        return os.path.samestat(os.stat(path, follow_symlinks=False), os.fstat(handle))
    except FileNotFoundError:
        return False


def _begun(target: Path, mode: int) -> tuple[Path, int]:
    """A new part, open and locked. Raises OSError."""
    path = target.with_name(part_name(target.name))
    while True:
        try:
            handle = os.open(path, os.O_WRONLY | os.O_CREAT | os.O_EXCL | _APART, mode)
        except FileExistsError:
            if not _cleared(path):  # somebody takes long, or it is not ours to take away
                path = target.with_name(part_name(f"{target.name[:64]}.{os.urandom(4).hex()}"))
            continue
        with contextlib.suppress(OSError):
            if not (locked(handle) and is_at(path, handle)):  # taken for left before it was locked
                os.close(handle)
                continue
        return path, handle


def _cleared(path: Path) -> bool:
    """Whether a part that was in the way is gone: put in its place by who wrote it, or left by one that was killed."""
    try:
        handle = os.open(path, os.O_RDONLY | _APART)
    except FileNotFoundError:
        return True
    except OSError:
        return False
    try:
        until = time.monotonic() + _WAIT_S
        while not locked(handle):
            if time.monotonic() > until:
                return False
            time.sleep(0.005)
        if is_at(path, handle):
            if not stat.S_ISREG(os.fstat(handle).st_mode):
                return False
            os.unlink(path)
        return True
    except OSError:
        return False
    finally:
        os.close(handle)


def _state(target: Path) -> os.stat_result | None:
    try:
        return os.stat(target)
    except FileNotFoundError:
        return None


def _content(target: Path) -> bytes | None:
    """What a file holds; None of what is gone, or is none."""
    try:
        handle = os.open(target, os.O_RDONLY | _APART)
    except OSError:
        return None
    with os.fdopen(handle, "rb") as file:
        return file.read() if stat.S_ISREG(os.fstat(handle).st_mode) else None


def _liken(handle: int, part: Path, target: Path, there: os.stat_result) -> None:
    """Owner, extended attributes and mode of the file there; the mode last, as a new owner takes bits of it away."""
    now = os.fstat(handle)
    if (now.st_uid, now.st_gid) != (there.st_uid, there.st_gid) and hasattr(os, "fchown"):
        try:
            os.fchown(handle, there.st_uid, there.st_gid)
        except PermissionError:
            raise PermissionError(errno.EPERM, "it would not stay its owner's; run as that user") from None
    if hasattr(os, "listxattr"):
        with _where_it_can_be():
            for name in os.listxattr(target):
                with _where_it_can_be():
                    os.setxattr(handle, name, os.getxattr(target, name))
    mode = stat.S_IMODE(there.st_mode)
    if stat.S_IMODE(os.fstat(handle).st_mode) != mode:
        os.chmod(part, mode)


@contextlib.contextmanager
def _where_it_can_be() -> Iterator[None]:
    """Attributes are not on every disk, and some only for root; those that are lost otherwise are no small matter, as
    access lists are among them."""
    try:
        yield
    except OSError as error:
        if error.errno not in (*_UNSUPPORTED, errno.EACCES, errno.EINVAL, errno.ENODATA):
            raise


def _link(part: Path, target: Path) -> None:
    """The part under the name as well, and then only under that. Raises FileExistsError where the name is taken."""
    try:
        os.link(part, target, follow_symlinks=False)
    except OSError as error:
        if error.errno not in _UNSUPPORTED:
            raise
        if os.path.lexists(target):
            raise FileExistsError(errno.EEXIST, os.strerror(errno.EEXIST)) from None
        os.replace(part, target)
    else:
        with contextlib.suppress(OSError):
            os.unlink(part)
