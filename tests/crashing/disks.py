"""Real disks: one in memory that is full but for some kilobytes, and mounted read-only. Only root can mount them."""

from __future__ import annotations

import contextlib
import os
import subprocess
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import replace
from functools import partial
from pathlib import Path

from tests.crashing.ground import Scene, cleared, scenes
from tests.crashing.stepping import Ended
from tests.crashing.steps import Base, Figures, halves, left, tree

FREE = (0, 4096, 12_288, 40_960)
FILLER = "filler"


def mounted(*words: str) -> bool:
    """Whether `mount` did it."""
    try:
        return subprocess.run(["mount", *words], capture_output=True, check=False).returncode == 0
    except OSError:
        return False


@contextmanager
def disk(place: Path) -> Iterator[bool]:
    """A disk of two megabytes; whether there is one."""
    place.mkdir(parents=True, exist_ok=True)
    there = mounted("-t", "tmpfs", "-o", "size=2m", "crashing", str(place))
    try:
        yield there
    finally:
        if there:
            subprocess.run(["umount", str(place)], check=True)


def trials(base: Base, quick: bool) -> Iterator[Callable[[Base, Figures], None]]:
    """Every scene that keeps no cache on the disk, on each."""
    with disk(base.folder) as there:
        if not there:
            print("disks: left out, as nothing can be mounted here")
            return
    for scene in scenes():
        if not scene.env and scene.name != "a temporary folder" and not (quick and not scene.name.startswith("patch")):
            yield partial(_mounted, scene)


def _mounted(scene: Scene, base: Base, figures: Figures) -> None:
    cleared(base.folder)
    with disk(base.folder) as there:
        assert there
        _on(base, replace(scene, others=(*scene.others, FILLER)), figures)


def _on(base: Base, scene: Scene, figures: Figures) -> None:
    base.lay(scene)
    old = tree(base.folder, scene)
    clean = base.run(scene)
    new = tree(base.folder, scene)
    for free in FREE:
        base.lay(scene)
        _fill(base.folder / FILLER, free)
        faults = _faults(base, scene, base.run(scene)) + halves(tree(base.folder, scene), old, new)
        (base.folder / FILLER).unlink()
        again = base.run(scene)
        faults += [f"afterwards: {one}" for one in halves(tree(base.folder, scene), new, new) if not scene.fresh]
        faults += [f"afterwards: {again.code}"] if scene.same_answer and again.code != clean.code else []
        figures.note("disks with 0 to 40 KiB free", f"{scene.name}, {free} bytes free", faults)
    base.lay(scene)
    if mounted("-o", "remount,ro", str(base.folder)):
        faults = _faults(base, scene, base.run(scene)) + halves(tree(base.folder, scene), old, old)
        mounted("-o", "remount,rw", str(base.folder))
        figures.note("disks mounted read-only", scene.name, faults)


def _faults(base: Base, scene: Scene, ended: Ended) -> list[str]:
    faults = [f"{ended.code}: {ended.err[-400:]}"] if ended.crashed() else []
    if ended.code == 2 and len(ended.err.strip().splitlines()) != 1 and not scene.fresh:
        faults.append(f"said in more than a line: {ended.err[-400:]}")
    return faults + [f"left {one}" for one in left(base.folder)]


def _fill(file: Path, free: int) -> None:
    """Fill the disk but for so many bytes."""
    size = 0
    with file.open("wb", buffering=0) as out, contextlib.suppress(OSError):
        while True:
            size += out.write(b"\0" * 4096)
    os.truncate(file, max(0, size - free))
