"""Two at once, and many: the same empty cache, the same file, a file that changes underneath, a reader beside a writer."""

from __future__ import annotations

import os
import shutil
import time
from collections.abc import Callable, Iterator, Sequence
from functools import partial
from pathlib import Path

from advisor import whole
from tests.crashing.ground import CHECK, Scene, command, scenes
from tests.crashing.stepping import Ended, begun
from tests.crashing.steps import Base, Figures, halves, left, tree

ROUNDS = 8
READ = "readings of a file that is being written"


def together(base: Base, scene: Scene, works: Sequence[Callable[[], object]]) -> list[Ended]:
    """Do all of these at once: every process waits until all have begun."""
    ready, go = os.pipe()
    running = [
        begun(base.inside(scene, one), base.printed / str(number), ready=ready) for number, one in enumerate(works)
    ]
    os.close(ready)
    os.write(go, b"!" * len(works))
    os.close(go)
    return [one.ended() for one in running]


def named(name: str) -> Scene:
    """A scene by its name."""
    return next(one for one in scenes() if one.name == name)


def on_an_empty_cache(name: str, count: int, base: Base, figures: Figures) -> None:
    """Two processes, or as many as a busy runner has, all of which find no cache: one answer, and a cache that is whole."""
    scene = named(name)
    base.lay(scene)
    alone = base.run(scene)
    again = base.run(scene)
    base.lay(scene)
    ran = together(base, scene, [scene.run] * count)
    faults = [f"{one.code} {one.err[-300:]}" for one in ran if (one.code, one.out, one.err) != (alone.code, alone.out, alone.err)]  # fmt: skip
    after = base.run(scene)
    faults += [] if (after.out, after.code) == (again.out, again.code) else [f"afterwards {after}"]
    figures.note(f"an empty cache found by {count}", name, [*faults, *left(base.folder)])


def on_one_file(count: int, base: Base, figures: Figures) -> None:
    """`fix --write` of one file by several: it is fixed once, and each either did it, found it done, or says so."""
    scene = named("fix --write")
    base.lay(scene)
    old = tree(base.folder, scene)
    base.run(scene)
    new = tree(base.folder, scene)
    base.lay(scene)
    ran = together(base, scene, [scene.run] * count)
    faults = [f"{one.code}: {one.err[-300:]}" for one in ran if not _is_told(one)]
    faults += halves(tree(base.folder, scene), old, new) + left(base.folder)
    faults += [] if any(one.code in (0, 1) for one in ran) else ["nobody fixed it"]
    base.run(scene)
    faults += halves(tree(base.folder, scene), new, new)
    figures.note(f"a file fixed by {count}", scene.name, faults)


def _is_told(one: Ended) -> bool:
    return one.code in (0, 1) or (one.code == 2 and "was changed while it was read" in one.err)


def edited_underneath(by_move: bool, base: Base, figures: Figures) -> None:
    """Somebody saves the file while it is being fixed, in place or by a move: the edit stays, and the fix says so."""
    scene = named("fix --write")
    base.lay(scene)
    ran = base.run(scene, work=partial(_interrupted, scene, by_move))
    content = (base.folder / "a.sh").read_bytes()
    faults = [] if content.endswith(b"# mine\n") and b"--swap-space" in content else ["the edit is lost"]
    faults += [] if ran.code == 2 and "a.sh: was changed while it was read" in ran.err else [f"{ran.code} {ran.err}"]
    figures.note("a file saved by another while it is fixed", scene.name, [*faults, *left(base.folder)])


def _interrupted(scene: Scene, by_move: bool) -> object:
    """The fix, and an edit of another at the last moment: when the new content is on the disk beside the file."""
    synced = os.fsync

    def fsync(handle: int) -> None:
        synced(handle)
        os.fsync = synced
        mine = Path("a.sh").read_bytes() + b"# mine\n"
        if by_move:
            Path("a.sh~").write_bytes(mine)
            Path("a.sh~").replace("a.sh")
        else:
            Path("a.sh").write_bytes(mine)

    os.fsync = fsync  # type: ignore[assignment]
    return scene.run()


def with_a_reader(seconds: float, base: Base, figures: Figures) -> None:
    """A file that is written again and again, and read meanwhile: each reading is one of the two contents."""
    scene = named("fix --write")
    base.lay(scene)
    file, contents = base.folder / "read.txt", (b"a" * 200_000, b"b" * 300_000)
    whole.put(file, contents[0])

    def writes() -> None:
        until, number = time.monotonic() + seconds, 0
        while time.monotonic() < until:
            number += 1
            whole.put(file, contents[number % 2])

    writer = begun(writes, base.printed)
    faults: list[str] = []
    until = time.monotonic() + seconds
    while time.monotonic() < until:
        found = file.read_bytes()
        faults += [] if found in contents else [f"{len(found)} bytes"]
        figures.tried[READ] += 1
    ended = writer.ended()
    figures.note(
        "a writer beside them", "a reader beside a writer", [*faults[:3], *([ended.err] if ended.code else [])]
    )


def begun_by_many(base: Base, figures: Figures) -> None:
    """A rule of one name made by two, temporary folders by many: one has it, nobody sweeps what another has."""
    rules, temporary = named("rules new"), named("a temporary folder")
    base.lay(rules)
    ran = together(base, rules, [command("rules", "new", "vllm/slot-leak", "--rules", "rules")] * 2)
    codes = sorted(one.code for one in ran)
    faults = [] if codes == [0, 2] else [f"{codes} {ran[0].err[-200:]} {ran[1].err[-200:]}"]
    figures.note("a rule made by 2", rules.name, [*faults, *left(base.folder)])
    ran = together(base, temporary, [temporary.run] * 6)
    faults = [one.err[-300:] for one in ran if one.code] + list(map(str, base.temporary.glob("advisor-*")))
    figures.note("temporary folders made by 6", temporary.name, faults)


def trials(base: Base, quick: bool) -> Iterator[Callable[[Base, Figures], None]]:
    """Several rounds of all of these: who comes first is for chance to say."""
    rounds = 1 if quick else ROUNDS
    yield partial(with_a_reader, 0.3 if quick else 5)
    for name in ("check, caches empty", "lint, cache empty")[quick:]:
        yield from (partial(on_an_empty_cache, name, count) for count in (2,) * rounds + (12,) * (not quick))
    yield from (partial(on_one_file, count) for count in (2,) * rounds + (8,) * (not quick))
    yield from (partial(edited_underneath, at % 2 == 0) for at in range(2 if quick else rounds))
    yield from (begun_by_many,) * rounds


def warmed(base: Base) -> None:
    """Fill the caches that are not to be empty."""
    shutil.rmtree(base.warm, ignore_errors=True)
    base.warm.mkdir()
    base.lay(scenes()[0])
    for words in (CHECK, ("lint", "a.sh")):
        ran = base.run(scenes()[0], work=command(*words))
        assert ran.code in (0, 1), ran
