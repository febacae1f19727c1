"""Many large flight-recorder dumps -> each read on a core of its own, before their turn comes.

A dump of a rank costs a tenth of a second of a processor, and a job has hundreds of ranks. Processes are forked, so
that what was read of the files need not be copied to them; only on Linux, from a process of a single thread (a fork
keeps no other), and where there is enough to do. Else, and where that fails, a dump is read when its turn comes.
"""

from __future__ import annotations

import signal
from collections.abc import Callable, Sequence
from typing import TypeVar

from advisor.cores import cores, end_with_parent, may_fork

ENOUGH = 16 << 20  # bytes of all dumps
LARGE = 1 << 20  # of one

Read = TypeVar("Read")
_given: list[tuple[Callable[[str, bytes], object], Sequence[tuple[str, bytes]]]] = []  # of a forked process alone


def ahead(read: Callable[[str, bytes], Read], files: Sequence[tuple[str, bytes]]) -> list[Read | None]:
    """What `read` makes of each file that looks like a large dump; None for those that it will be asked for later."""
    found: list[Read | None] = [None] * len(files)
    dumps = [index for index, (_, data) in enumerate(files) if is_large_dump(data)]
    if len(dumps) < 2 or sum(len(files[index][1]) for index in dumps) < ENOUGH:
        return found
    workers = min(cores(), len(dumps))
    if workers < 2 or not may_fork():
        return found
    for index, made in zip(dumps, _forked(read, [files[index] for index in dumps], workers), strict=False):
        found[index] = made
    return found


def _forked(read: Callable[[str, bytes], Read], files: Sequence[tuple[str, bytes]], workers: int) -> list[Read]:
    """What `read` makes of the files, in order; fewer where a process was killed."""
    from concurrent.futures import ProcessPoolExecutor
    from concurrent.futures.process import BrokenProcessPool
    from multiprocessing import get_context

    made: list[Read] = []
    try:
        with ProcessPoolExecutor(workers, get_context("fork"), _begin, (read, files)) as pool:
            for one in pool.map(_read, range(len(files))):
                made.append(one)  # type: ignore[arg-type]
    except (BrokenProcessPool, OSError, MemoryError):
        pass  # the rest is read here, where what is wrong with it is said
    return made


def _begin(read: Callable[[str, bytes], object], files: Sequence[tuple[str, bytes]]) -> None:
    signal.signal(signal.SIGINT, signal.SIG_DFL)  # the parent says that it was interrupted
    end_with_parent()
    _given.append((read, files))


def _read(index: int) -> object:
    read, files = _given[0]
    return read(*files[index])


def is_large_dump(data: bytes) -> bool:
    """Whether it is a large file that begins as a pickle of protocol 2 to 5, or as JSON with a recorder's words."""
    if len(data) < LARGE:
        return False
    return data[:1] == b"\x80" or (data[:1] == b"{" and b'"entries"' in data[:65_536])
