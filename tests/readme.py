"""`python -m tests.readme`: put what `make demo` prints now into the README's first screen."""

from __future__ import annotations

from pathlib import Path

from tests.front_door import advisor

ROOT = Path(__file__).parents[1]
README = ROOT / "README.md"
LINES = 32
DEMO = (
    "check", "--engine", "sglang", "--version", "0.5.16", "--hardware", "2x GB10 aarch64", "--component", "nccl=2.28.9",
    "--flags", (ROOT / "docs" / "demo" / "launch.sh").read_text().rstrip("\n"),
    "docs/demo/rank0.stack.txt", "docs/demo/rank1.stack.txt", "docs/demo/scheduler.log",
)  # fmt: skip


def shown() -> str:
    """The report as it stands in the README."""
    return README.read_text().split("```text\n")[1].split("\n…\n```")[0]


def printed() -> str:
    """What the demo prints in an 80-column window."""
    return advisor(*DEMO, cwd=ROOT, columns=80).out


if __name__ == "__main__":
    head = "\n".join(printed().splitlines()[:LINES]).rstrip()
    README.write_text(README.read_text().replace(shown(), head))
