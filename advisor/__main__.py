"""`python -m advisor` and the command `advisor`: an interrupt is 130 even while the program is still being loaded."""

from __future__ import annotations

import sys


def run() -> None:
    """Run the command line."""
    try:
        from advisor.faces.cli import main

        main()
    except KeyboardInterrupt:
        sys.exit(130)


if __name__ == "__main__":
    run()
