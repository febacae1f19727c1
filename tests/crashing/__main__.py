"""`python -m tests.crashing`: everything, and a table of its figures; exit code 1 where something was found wrong."""

from __future__ import annotations

import argparse
import sys
import tempfile
import time
from collections.abc import Callable, Iterator
from importlib import import_module
from pathlib import Path

from advisor.cores import cores
from tests.crashing import disks, pairs, spoiling, steps, syscalls
from tests.crashing.ground import Scene, command, scenes
from tests.crashing.stepping import forked
from tests.crashing.steps import Base, Figures
from tests.crashing.trials import Trial, spread

PARTS: dict[str, Callable[[Base, bool], Iterator[Trial]]] = {
    "steps": steps.trials,
    "disks": disks.trials,
    "pairs": pairs.trials,
    "spoilt": spoiling.trials,
    "syscalls": syscalls.trials,
}


def main() -> int:
    """All parts, or those that are named."""
    told = argparse.ArgumentParser(prog="python -m tests.crashing", description=__doc__)
    told.add_argument("parts", nargs="*", metavar=" | ".join(PARTS))
    told.add_argument("--quick", action="store_true", help="a share of each part, in seconds, on one processor")
    asked = told.parse_args()
    began, found = time.monotonic(), 0
    with tempfile.TemporaryDirectory(prefix="crashing-") as made:
        place = Path(made)
        base = Base(place / "work", place / "warm", place / "printed", place / "temporary")
        base.temporary.mkdir()
        _prepare(place)
        pairs.warmed(base)
        if not asked.quick:
            _imported(base)
        print(f"{'part':<9} {'what was tried':<50} {'number':>7} {'wrong':>6}")
        for name in asked.parts or PARTS:
            figures = Figures()
            spread(list(PARTS[name](base, asked.quick)), base, figures, 1 if asked.quick else cores())
            for kind, number in figures.tried.items():
                print(f"{name:<9} {kind:<50} {number:>7,} {figures.faulty[kind]:>6}", flush=True)
            for line in figures.wrong:
                print(f"WRONG {line}")
            found += len(figures.wrong)
            print(f"{name:<9} seconds of a processor {figures.seconds:>34,.0f}")
    print(f"found wrong: {found}, in {time.monotonic() - began:.0f} s")
    return 1 if found else 0


def _prepare(place: Path) -> None:
    """Load what the commands load; compile the catalogue once, which takes seconds and writes nothing.

    The second in a process of its own, so that nothing is remembered here that a command would have to read.
    """
    from advisor.catalog import compiling
    from advisor.faces import check, diagnose, drafting, fix, lint, patch  # noqa: F401
    from advisor.render import html, json  # noqa: F401

    def compile() -> None:
        from advisor.catalog.compiled import compiled

        (place / "compiled").write_bytes(compiled().content())

    ended = forked(compile, place / "printed")
    assert not ended.code, ended
    content = (place / "compiled").read_bytes()
    compiling.compile_rules = lambda base: content
    assert scenes()


def _imported(base: Base) -> None:
    """The modules that each scene takes: half of a run's time would else be their import."""
    before = set(sys.modules)

    def names(scene: Scene) -> None:
        try:
            scene.run()
        finally:
            (base.printed / "modules").write_text("\n".join(set(sys.modules) - before))

    for scene in (*scenes(), Scene("lint", scenes()[0].lay, command("lint", "a.sh", "--format", "json"))):
        base.lay(scene)
        base.run(scene, work=lambda scene=scene: names(scene))  # type: ignore[misc]
        for name in (base.printed / "modules").read_text().split():
            if name.startswith("advisor.") and name not in sys.modules:
                import_module(name)


if __name__ == "__main__":
    sys.exit(main())
