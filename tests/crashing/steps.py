"""Each scene at its moments: killed there, out of space from there on, on a read-only disk, on a broken one.

A short scene is stopped at every operation; of a long one, which does the same for eight files, at the first, the last
and the middle of those that stand alike: the same operation after the same one.
"""

from __future__ import annotations

import contextlib
import os
import random
import stat
import tempfile
from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass, field, replace
from fnmatch import fnmatch
from functools import partial
from pathlib import Path

from advisor.own_folders import LOCK
from advisor.whole import is_part
from tests.crashing.ground import Scene, cleared, scenes
from tests.crashing.stepping import FILLING, NOTHING, Ended, Plan, forked

SLOW = ("diagnose, piped", "lint --write", "check --output, a new", "check, caches", "patch --output FILE")
SHORT = 20
"""Operations of a scene that is stopped at each of them."""
TOLD = {
    "kill": "killed before an operation on files",
    "half": "killed in the middle of a write",
    "full": "the disk full from an operation on",
    "broken": "one operation that fails",
    "readonly": "all of it read-only",
    "too large": "no file larger than 0, 100, 4096 bytes",
}
COMPARED = "files compared byte for byte"
Tree = dict[str, tuple[object, ...]]


@dataclass
class Base:
    """Where it is done: `folder` holds a scene, `warm` compiled caches, `printed` what processes print."""

    folder: Path
    warm: Path
    printed: Path
    temporary: Path

    def run(self, scene: Scene, plan: Plan = NOTHING, work: Callable[[], object] | None = None) -> Ended:
        """Run a scene's work, or other work, in its folder."""
        return forked(self.inside(scene, work or scene.run), self.printed, plan)

    def inside(self, scene: Scene, work: Callable[[], object]) -> Callable[[], object]:
        """The work in the scene's folder and surroundings. An error that is told in a line is exit code 2."""

        def done() -> object:
            from advisor.errors import AdvisorError

            os.chdir(self.folder)
            os.environ |= {
                "XDG_CACHE_HOME": str(self.warm),
                "XDG_STATE_HOME": "state",
                "TMPDIR": str(self.temporary),
                "NO_COLOR": "1",
                "COLUMNS": "100",
                **scene.env,
            }
            tempfile.tempdir = None
            try:
                return work()
            except AdvisorError as error:
                os.write(2, f"advisor: {error.line()}\n".encode())
                return 2

        return done

    def lay(self, scene: Scene) -> None:
        """The scene's files as they are at first."""
        cleared(self.folder)
        cleared(self.temporary)  # what one left is no other's fault
        self.temporary.mkdir()
        self.folder.mkdir(parents=True, exist_ok=True)  # a disk's folder stays
        scene.lay(self.folder)


def tree(folder: Path, scene: Scene) -> Tree:
    """Everything below a folder but what is under way: kind, mode, owner, extended attributes, content."""
    found: Tree = {}
    for path in sorted(folder.rglob("*")):
        name = path.relative_to(folder).as_posix()
        if any(is_part(one) or one == LOCK for one in name.split("/")) or any(
            fnmatch(name, one) for one in scene.others
        ):
            continue
        state = path.lstat()
        kind = stat.S_IFMT(state.st_mode)
        content: object = (
            os.readlink(path) if path.is_symlink() else scene.read(path.read_bytes()) if path.is_file() else ""
        )
        notes: object = ()
        with contextlib.suppress(OSError):
            notes = [(one, os.getxattr(path, one)) for one in os.listxattr(path) if one.startswith("user.")]
        found[name] = (kind, stat.S_IMODE(state.st_mode), state.st_uid, state.st_gid, notes, content)
    return found


def left(folder: Path) -> list[str]:
    """What is under way below a folder, or was."""
    return [str(path) for path in folder.rglob("*") if is_part(path.name)]


def halves(now: Tree, old: Tree, new: Tree) -> list[str]:
    """The files that are neither as they were nor as they were to be."""
    names = sorted({*now, *old, *new})
    return [name for name in names if now.get(name) not in (old.get(name), new.get(name))]


@dataclass
class Figures:
    """What was tried by kind, what went wrong, and how long it took of one processor."""

    tried: Counter[str] = field(default_factory=Counter)
    faulty: Counter[str] = field(default_factory=Counter)
    wrong: list[str] = field(default_factory=list)
    seconds: float = 0.0

    def note(self, kind: str, where: str, faults: Iterable[str]) -> None:
        """One more was tried."""
        found = [f"{where}: {one}" for one in faults]
        self.tried[kind] += 1
        self.faulty[kind] += bool(found)
        self.wrong += found

    def add(self, other: Figures) -> None:
        """What was noted elsewhere."""
        self.tried.update(other.tried)
        self.faulty.update(other.faulty)
        self.wrong += other.wrong
        self.seconds += other.seconds


def stepped(base: Base, scene: Scene, quick: bool) -> Iterator[Callable[[Base, Figures], None]]:
    """A trial for each moment of a scene that is worth one; quickly, for one of each kind."""
    base.lay(scene)
    old = tree(base.folder, scene)
    clean = base.run(scene)
    new = tree(base.folder, scene)
    assert clean.code in (0, 1) and not left(base.folder), (scene.name, clean, left(base.folder))
    plans = _plans(clean.calls)
    for plan in _few(plans, scene.name) if quick else plans:
        yield partial(_tried, scene, plan, (old, new, clean))


def moments(calls: Sequence[str]) -> list[int]:
    """Those to stop at, from 1 on: all of a few; else the first, last and middle of those that stand alike."""
    if len(calls) <= SHORT:
        return list(range(1, len(calls) + 1))
    alike: dict[tuple[str, str], list[int]] = {}
    for at, pair in enumerate(zip(("", *calls), calls, strict=False), 1):
        alike.setdefault(pair, []).append(at)
    return sorted({one for some in alike.values() for one in (some[0], some[len(some) // 2], some[-1])})


def _plans(calls: tuple[str, ...]) -> list[Plan]:
    chosen = moments(calls)
    return [
        *(Plan("kill", at) for at in chosen),
        *(Plan("half", at) for at in chosen if calls[at - 1] == "write"),
        *(Plan("full", at) for at in chosen if calls[at - 1] in FILLING),
        *(Plan("broken", at) for at in chosen),
        Plan("readonly"),
        *(Plan("too large", size=size) for size in (0, 100, 4096)),
    ]


def _few(plans: list[Plan], name: str) -> list[Plan]:
    """One moment of each kind that is common, always the same."""
    kinds = [[one for one in plans if one.kind == kind] for kind in ("kill", "half", "full")]
    return [random.Random(name).choice(some) for some in kinds if some]


def _tried(scene: Scene, plan: Plan, known: tuple[Tree, Tree, Ended], base: Base, figures: Figures) -> None:
    old, new, clean = known
    base.lay(scene)
    ended = base.run(scene, plan)
    now = tree(base.folder, scene)
    killed = plan.kind in ("kill", "half")
    faults = [f"half: {one}" for one in halves(now, old, new)]
    figures.tried[COMPARED] += len({*now, *old, *new})
    if not killed:
        faults += _told(scene, ended, clean)
        if plan.kind != "broken":
            faults += [f"left: {one}" for one in left(base.folder)]
    if scene.soundly:
        sound = base.run(scene, work=scene.soundly)
        faults += [] if sound.code == 0 else [f"cannot be used: {sound.err[-500:]}"]
    faults += _afterwards(base, scene, new, clean)
    figures.note(TOLD[plan.kind], f"{scene.name}, {plan} {_named(clean, replace(plan))}", faults)


def _afterwards(base: Base, scene: Scene, new: Tree, clean: Ended) -> list[str]:
    """What is not as it is to be once the command has run again."""
    faults: list[str] = []
    again = base.run(scene)
    if again.code != clean.code and scene.same_answer:
        faults.append(f"afterwards: ended with {again.code}: {again.err[-500:]}")
    elif not scene.fresh:  # of the cache what a second run has no need of may be missing
        least: Tree = {} if scene.env else new
        faults += [f"afterwards: {one} is not as it is to be" for one in halves(tree(base.folder, scene), least, new)]
    still = [*([] if scene.fresh else left(base.folder)), *map(str, base.temporary.glob("advisor-*"))]
    faults += [f"afterwards: left {one}" for one in still]
    if scene.same_answer and not scene.fresh and again.out != clean.out:
        faults.append("afterwards: another answer")
    return faults


def _named(clean: Ended, plan: Plan) -> str:
    return clean.calls[plan.at - 1] if 0 < plan.at <= len(clean.calls) else ""


def _told(scene: Scene, ended: Ended, clean: Ended) -> list[str]:
    """A failure is one line and exit code 2; where only a cache could not be written there is none."""
    if ended.crashed():
        return [f"ended with {ended.code}: {ended.err[-700:]}"]
    lines = [one for one in ended.err.splitlines() if one not in clean.err.splitlines()]
    if ended.code == 2 and len(lines) != 1:
        return [f"said in {len(lines)} lines: {ended.err[-500:]}"]
    if scene.env and (ended.code, ended.out, ended.err) != (clean.code, clean.out, clean.err):
        return [f"another answer: {ended.code} {ended.err[-500:]}"]
    return []


def trials(base: Base, quick: bool) -> Iterator[Callable[[Base, Figures], None]]:
    """Of every scene; quickly, a few moments of those that take no seconds."""
    for scene in scenes():
        if not (quick and scene.name.startswith(SLOW)):
            yield from stepped(base, scene, quick)
