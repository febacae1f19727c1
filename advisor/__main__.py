"""`python -m advisor` and the command `advisor`: an interrupt is 130 even while the program is still being loaded."""

from __future__ import annotations

import gc
import sys

GARBAGE = 100_000
"""Objects made between two looks for cycles. A short run makes about as many and leaves no cycle: looking for them at
Python's own pace, every 700, takes a tenth of its time."""
LASTING = ("serve", "mcp")
"""Commands that run for days, at Python's own pace."""


def run() -> None:
    """Run the command line."""
    if sys.argv[1:2] not in [[one] for one in LASTING]:
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
