"""Folders made whole or not at all, and folders that go when their process does, even if it is killed.

Each holds a file that its process has locked (`.advisor-lock`). One that nobody has locked was left by a process that
was killed, and goes when the next of its kind is made, as does an empty one; a folder with other things in it and
without that file is not ours and is left alone.
"""

from __future__ import annotations

import contextlib
import errno
import os
import shutil
import stat
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

from advisor import whole

LOCK = ".advisor-lock"


@contextmanager
def temporary(prefix: str, within: Path | str | None = None) -> Iterator[Path]:
    """A folder for this process alone, below the temporary folder unless told otherwise; gone at the end.

    First goes what killed processes left of the same prefix. Raises OSError when it cannot be made.
    """
    import tempfile  # which costs a start more than it is worth

    base = Path(within or tempfile.gettempdir())
    for left in base.glob(f"{prefix}*"):
        swept(left)
    while True:
        made = Path(tempfile.mkdtemp(prefix=prefix, dir=base))
        if (lock := _locked(made)) is not None:
            break
    try:
        yield made
    finally:
        with contextlib.suppress(OSError):
            _emptied(made)
        _let_go(lock)


@contextmanager
def made_whole(target: Path) -> Iterator[Path]:
    """A folder to be filled, which bears its name when all is there. Raises FileExistsError where there is one."""
    part = target.with_name(whole.part_name(target.name))
    while True:
        try:
            part.mkdir()
        except FileExistsError:
            if os.path.lexists(part) and not swept(part):
                raise
            continue
        if (lock := _locked(part)) is not None:
            break
    try:
        yield part
        for one in [*part.rglob("*"), part]:
            whole.sync_folder(one)  # files too
        os.rename(_refused_where_there_is(target, part), target)
        with contextlib.suppress(OSError):
            (target / LOCK).unlink()
        whole.sync_folder(target.parent)
    except BaseException:  # not where it has its name: what is called so then is another's
        with contextlib.suppress(OSError):
            _emptied(part)
        raise
    finally:
        _let_go(lock)


def _refused_where_there_is(target: Path, part: Path) -> Path:
    if os.path.lexists(target):  # an empty folder would give way to another
        raise FileExistsError(errno.EEXIST, os.strerror(errno.EEXIST), str(target))
    return part


def swept(folder: Path) -> bool:
    """Take away a folder of ours that a killed process left; whether it is gone."""
    try:
        state = folder.lstat()
        if not stat.S_ISDIR(state.st_mode) or (hasattr(os, "geteuid") and state.st_uid != os.geteuid()):
            return False
        lock = os.open(folder / LOCK, os.O_RDWR | getattr(os, "O_NOFOLLOW", 0))
    except FileNotFoundError:  # killed before it had its lock, or after it was gone
        with contextlib.suppress(OSError):
            folder.rmdir()  # one that is not dead makes another
        return not os.path.lexists(folder)
    except OSError:
        return not os.path.lexists(folder)
    try:
        if not (whole.locked(lock) and whole.is_at(folder / LOCK, lock)):
            return False
        _emptied(folder)
        return True
    except OSError:
        return False
    finally:
        os.close(lock)


def _emptied(folder: Path) -> None:
    """Take a folder away, its lock last, so that what is left where this fails is swept as well. Raises OSError."""
    for one in folder.iterdir():
        if one.name != LOCK:
            if one.is_dir() and not one.is_symlink():
                shutil.rmtree(one)
            else:
                one.unlink()
    (folder / LOCK).unlink(missing_ok=True)
    folder.rmdir()


def _locked(folder: Path) -> int | None:
    """The lock of a new folder, -1 where nothing can be locked; None where it was swept before it was locked."""
    handle = -1
    try:
        handle = os.open(folder / LOCK, os.O_RDWR | os.O_CREAT | os.O_EXCL, 0o600)
        if whole.locked(handle) and whole.is_at(folder / LOCK, handle):
            return handle
    except FileNotFoundError:
        pass
    except OSError:
        _let_go(handle)
        return -1
    _let_go(handle)
    return None


def _let_go(lock: int) -> None:
    if lock >= 0:
        os.close(lock)
