"""`python -m tests.crashing`: everything, with its figures; exit code 1 where something was found wrong."""

from __future__ import annotations

import argparse
import sys
import tempfile
import time
from collections import Counter
from pathlib import Path

from tests.crashing import disks, pairs, spoiling, steps, syscalls
from tests.crashing.ground import scenes
from tests.crashing.stepping import forked
from tests.crashing.steps import Base, Figures

PARTS = {
    "steps": steps.all_stepped,
    "disks": disks.all_disks,
    "pairs": pairs.all_pairs,
    "spoilt": spoiling.all_spoilt,
    "syscalls": syscalls.all_called,
}


def main() -> int:
    """All parts, or those that are named."""
    told = argparse.ArgumentParser(prog="python -m tests.crashing", description=__doc__)
    told.add_argument("parts", nargs="*", metavar=" | ".join(PARTS))
    told.add_argument("--quick", action="store_true", help="a share of each part, in seconds")
    asked = told.parse_args()
    figures = Figures(Counter(), [])
    with tempfile.TemporaryDirectory(prefix="crashing-") as made:
        place = Path(made)
        base = Base(place / "work", place / "warm", place / "printed", place / "temporary")
        base.temporary.mkdir()
        _prepare(place)
        pairs.warmed(base)
        for name in asked.parts or PARTS:
            began, before = time.monotonic(), figures.tried.copy()
            PARTS[name](base, figures, asked.quick)
            tried = ", ".join(f"{number} {kind}" for kind, number in (figures.tried - before).items())
            print(f"{name}: {tried} ({time.monotonic() - began:.0f} s)", flush=True)
    for line in figures.wrong:
        print(f"WRONG {line}")
    print(f"found wrong: {len(figures.wrong)}")
    return 1 if figures.wrong else 0


def _prepare(place: Path) -> None:
    """Load what the commands load; compile the catalogue once, which takes seconds and writes nothing.

    The second in a process of its own, so that nothing is remembered here that a command would have to read.
    """
    from advisor.catalog import compiling
    from advisor.faces import check, diagnose, drafting, fix, lint, patch  # noqa: F401
    from advisor.render import html, json  # noqa: F401

    def compile() -> None:
        from advisor.catalog.compiled import compiled

        (place / "compiled").write_bytes(bytes(compiled()._content))

    ended = forked(compile, place / "printed")
    assert not ended.code, ended
    content = (place / "compiled").read_bytes()
    compiling.compile_rules = lambda base: content
    assert scenes()


if __name__ == "__main__":
    sys.exit(main())
