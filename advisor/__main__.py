"""`python -m advisor` and the command `advisor`: an interrupt is 130 even while the program is still being loaded."""

from __future__ import annotations

import gc
import os
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
    os.environ["PYTHONSAFEPATH"] = "1"  # processes of a pool are `python -c`, which looks here first too
    try:
        from advisor.faces.cli import main

        main()
    except KeyboardInterrupt:
        sys.exit(130)
    finally:
        gc.freeze()  # the process ends: what it holds goes with it, and need not be searched once more


def _leave_out_this_folder() -> None:
    """`python -m` looks for modules where it is started before anywhere else: in a folder that somebody sent, a
    `yaml.py` would be run. What is installed there, as in a source tree, is left to be found."""
    own = os.path.dirname(os.path.dirname(os.path.abspath(__file__)))
    if sys.path and sys.path[0] in ("", os.getcwd()) and sys.path[0] != own and os.getcwd() != own:
        del sys.path[0]


if __name__ == "__main__":
    _leave_out_this_folder()
    run()
