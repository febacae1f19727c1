"""`python -m tests.excerpts`: how much of the excerpts is understood, one line a file and the total.

`--unknown` also prints the lines whose layout is not known.
"""

from __future__ import annotations

import json
import sys
from pathlib import Path

from advisor import intake
from advisor.evidence.understanding import Share, understood, unknown

FOLDER = Path(__file__).parent / "evidence" / "excerpts"


def text_of(name: str) -> str:
    """An excerpt as the readers see it."""
    path = FOLDER / f"{name}.log"
    return intake.take(path.name, path.read_bytes(), kind="log").artifacts[0].text


def index() -> list[dict[str, str]]:
    """What each excerpt is, and the thread or page whose layout it follows."""
    entries: list[dict[str, str]] = json.loads((FOLDER / "index.json").read_text(encoding="utf-8"))
    return entries


def total() -> tuple[Share, int]:
    """The share of all excerpts together, and how many there are."""
    shares = [understood(text_of(entry["name"])) for entry in index()]
    return sum(shares, Share()), len(shares)


def main() -> None:
    """Print the table."""
    print(f"{'excerpt':<32}{'lines':>6}{'time':>6}{'level':>6}{'rank':>6}{'understood':>12}")
    for entry in index():
        text = text_of(entry["name"])
        print(row(entry["name"], understood(text)))
        if "--unknown" in sys.argv:
            print(*(f"    ? {line[:110]}" for line in unknown(text)), sep="\n")
    share, files = total()
    print(row(f"{files} excerpts", share))


def row(name: str, share: Share) -> str:
    """One line of the table."""
    return f"{name:<32}{share.lines:>6}{share.with_time:>6}{share.with_level:>6}{share.with_rank:>6}{share.percent:>11.1f}%"


if __name__ == "__main__":
    main()
