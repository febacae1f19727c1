"""`python -m advisor` and the command `advisor`: an interrupt is 130 even while the program is still being loaded."""

from __future__ import annotations

import gc
import sys

GARBAGE = 100_000
"""Objects made between two looks for cycles. Loading makes many and leaves no cycle: looking for them at Python's own
pace, 700, takes a tenth of a short run."""


def run() -> None:
    """Run the command line."""
    gc.set_threshold(GARBAGE)
    try:
        from advisor.faces.cli import main

        main()
    except KeyboardInterrupt:
        sys.exit(130)
    finally:
        gc.freeze()  # the process ends: what it holds goes with it, and need not be searched once more


if __name__ == "__main__":
    run()
