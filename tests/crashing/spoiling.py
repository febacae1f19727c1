"""Caches, each spoilt in every way: the answer is the same, nothing is said, and what can be made anew is."""

from __future__ import annotations

import os
import random
import shutil
from collections.abc import Callable, Iterator
from functools import partial
from pathlib import Path

from tests.crashing.ground import CHECK, ENGINE, Scene, command
from tests.crashing.steps import Base, Figures

Spoil = Callable[[Path], object]
FLIPS = 24
"""Bytes flipped of each cache, beside those at its ends, and twelve lines at which it is cut."""
ANEW = "of these made anew as they were"
OTHER = 4321  # somebody else's user id


def _flipped(at: int, file: Path) -> None:
    content = bytearray(file.read_bytes())
    content[at % len(content)] ^= 0x11
    file.write_bytes(content)


def _cut(at: int, file: Path) -> None:
    os.truncate(file, at)


def _turned(file: Path) -> None:
    """Every byte of the second half."""
    content = file.read_bytes()
    half = len(content) // 2
    file.write_bytes(content[:half] + bytes(one ^ 0x55 for one in content[half:]))


def _instead(make: Callable[[Path], object], file: Path) -> None:
    file.unlink()
    make(file)


def _grown(file: Path) -> None:
    """As large as a disk, though nothing is in it."""
    os.truncate(file, 1 << 40)


def spoils(file: Path, flips: int) -> Iterator[tuple[str, Spoil]]:
    """The ways to spoil a file."""
    size = file.stat().st_size
    ends = {0, 1, 2, 15, 16, 17, 18, 23, 24, 27, 99, 100, size - 1, size - 2, size - 3, size - 40}
    for at in sorted({*ends, *range(0, size, max(1, size // flips))}):
        yield f"byte {at} flipped", partial(_flipped, at)
    lines = [at for at, one in enumerate(file.read_bytes()) if one == 10][:: max(1, flips // 2)]
    for at in sorted({0, 1, 100, 4096, size // 2, size - 1, *lines}):
        yield f"cut at {at}", partial(_cut, at)
    yield "half of it turned", _turned
    yield "empty", partial(_cut, 0)
    yield "huge", _grown
    yield "of another version", lambda one: one.write_bytes(one.read_bytes().replace(b'"format":', b'"former":', 1))
    yield "not its text", lambda one: one.write_text("[" * 5000)
    yield "a folder", partial(_instead, Path.mkdir)
    yield "a pipe", partial(_instead, os.mkfifo)
    yield "a link to a device without end", partial(_instead, lambda one: one.symlink_to("/dev/zero"))
    yield "a link to nothing", partial(_instead, lambda one: one.symlink_to("nothing"))
    yield "a link to itself", partial(_instead, lambda one: one.symlink_to(one.name))
    yield "to be written by all", lambda one: one.chmod(0o666)
    yield "to be read by nobody", lambda one: one.chmod(0)
    if os.geteuid() == 0:
        yield "somebody else's", lambda one: os.chown(one, OTHER, OTHER)


def trials(base: Base, quick: bool) -> Iterator[Callable[[Base, Figures], None]]:
    """Every kind of cache in every way."""
    check = Scene("check", _pod, command(*CHECK, "--format", "json"), env={"XDG_CACHE_HOME": "cache"})
    lint = Scene("lint", _pod, command("lint", "pod.sh", "--format", "json"), env={"XDG_CACHE_HOME": "cache"})
    for scene, patterns in (
        (check, ("catalog-*", "engines-*", f"settings-vllm-{'?' * 32}.json", "replacements-*")),
        (lint, ("lint/*",)),
    ):
        base.lay(scene)
        clean = base.run(scene)
        sound = base.folder.with_name(f"sound-{scene.name}")
        shutil.copytree(base.folder / "cache", sound)
        for pattern in patterns:
            (kept,) = (sound / "inference-advisor").glob(pattern)
            ways = list(spoils(kept, 8 if quick else FLIPS))
            for how, spoil in random.Random(pattern).sample(ways, 2) if quick else ways:
                yield partial(_spoilt, scene, (clean.code, clean.out), (sound, kept), (f"{pattern} {how}", spoil))


def _spoilt(
    scene: Scene, wanted: tuple[int, str], at: tuple[Path, Path], way: tuple[str, Spoil], base: Base, figures: Figures
) -> None:
    (sound, kept), (how, spoil) = at, way
    base.lay(scene)
    shutil.copytree(sound, base.folder / "cache")
    file = base.folder / "cache" / kept.relative_to(sound)
    spoil(file)
    figures.note("caches spoilt", how, _used(base, scene, *wanted))
    figures.tried[ANEW] += file.is_file() and file.read_bytes() == kept.read_bytes()


def _pod(folder: Path) -> None:
    (folder / "pod.sh").write_text(f"#!/bin/sh\n{ENGINE}")


def _used(base: Base, scene: Scene, code: int, out: str) -> list[str]:
    """What two runs say that is not what they should."""
    faults = []
    for when in ("first", "second"):
        ran = base.run(scene)
        if (ran.code, ran.out, ran.err) != (code, out, ""):
            faults.append(f"{when} run: {ran.code} {ran.err[-300:]}{'' if ran.out == out else ', another answer'}")
    return faults
