"""Trials, spread over processes: each has folders of its own, and takes the next trial when it has done one."""

from __future__ import annotations

import os
import pickle
import struct
from collections.abc import Callable, Sequence
from dataclasses import replace
from pathlib import Path

from tests.crashing.steps import Base, Figures

Trial = Callable[[Base, Figures], None]
"""Does one thing in the folders of a base, and notes what came of it."""


def spread(trials: Sequence[Trial], base: Base, figures: Figures, processes: int) -> None:
    """Do all of them; what they noted and how long they took together is in `figures` then."""
    waiting, fill = os.pipe()
    os.set_blocking(fill, False)  # a pipe holds 16,000 numbers: more would be an error here, not a hang
    os.write(fill, b"".join(struct.pack("I", at) for at in range(len(trials))))
    os.close(fill)
    readers = [_worker(trials, _own(base, number), waiting) for number in range(processes)]
    os.close(waiting)
    for reader in readers:
        with os.fdopen(reader, "rb") as stream:
            content = stream.read()
        os.wait()
        assert content, "a process that does trials has ended before its time"
        figures.add(pickle.loads(content))


def _own(base: Base, number: int) -> Base:
    """The same with folders of its own; compiled caches are shared, as nobody changes them."""
    place = base.folder.parent / f"process-{number}"
    made = replace(base, folder=place / "work", printed=place / "printed", temporary=place / "temporary")
    for folder in (made.printed, made.temporary):
        Path(folder).mkdir(parents=True, exist_ok=True)
    return made


def _worker(trials: Sequence[Trial], base: Base, waiting: int) -> int:
    """A process that does those that nobody has taken; where to read what it noted."""
    result, noted = os.pipe()
    if os.fork():
        os.close(noted)
        return result
    figures = Figures()
    try:
        while number := os.read(waiting, 4):
            trials[struct.unpack("I", number)[0]](base, figures)
        figures.seconds = sum(os.times()[:4])
        with os.fdopen(noted, "wb") as stream:
            pickle.dump(figures, stream)
    finally:
        os._exit(0)
