"""Large logs, whole processes of `advisor check` beside `rg -c -f` over the rules' patterns on the same file.

    python -m tests.bench_logs                      1 GB of a healthy log, and each of the odd ones
    ADVISOR_BENCH_LOG_MB=64 python -m tests.bench_logs      a smaller one

Every command's wall and processor seconds (user + system, all processes) are printed; ratios are of the wall's, for a
plain log is read on all cores and ripgrep reads one file on one. Memory is the largest sum of what the processes hold, each its share of what it shares (PSS), looked at ten times a second.
"""

from __future__ import annotations

import gzip
import os
import shlex
import shutil
import subprocess
import sys
import tempfile
import threading
import time
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import NamedTuple

from advisor.catalog.compiled import compiled
from advisor.jobs.signatures import signatures
from tests.bench_growth import environment_of, generated, laid_out
from tests.large_logs import healthy, tracebacks

MEGABYTES = int(os.environ.get("ADVISOR_BENCH_LOG_MB", "1000"))
BLOCK = 8_000_000  # bytes that are written again and again
BUDGET, ODD_BUDGET, GROWTH, MEMORY_MB = 1.0, 3.0, 1.5, 300
CHECK = [sys.executable, "-m", "advisor", "check", "--engine", "vllm", "--version", "0.28.0"]


class Ran(NamedTuple):
    """What a process took."""

    wall_s: float
    cpu_s: float
    most_mb: float


def ran(command: list[str], environment: dict[str, str] | None = None) -> Ran:
    """Run a command to its end; findings (exit code 1) are a success here."""
    begun, before = time.perf_counter(), os.times()
    process = subprocess.Popen(command, env=environment, stdout=subprocess.DEVNULL, stderr=subprocess.PIPE)
    most, done = [0.0], threading.Event()
    watch = threading.Thread(target=_watch, args=(process.pid, most, done))
    watch.start()
    _, error = process.communicate()
    done.set()
    watch.join()
    after = os.times()
    if process.returncode not in (0, 1):
        raise SystemExit(f"{shlex.join(command)} failed: {error.decode(errors='replace')[-2000:]}")
    cpu = after.children_user + after.children_system - before.children_user - before.children_system
    return Ran(time.perf_counter() - begun, cpu, most[0])


def _watch(pid: int, most: list[float], done: threading.Event) -> None:
    while not done.wait(0.1):
        most[0] = max(most[0], sum(_held_mb(one) for one in _family(pid)))


def _family(pid: int) -> Iterator[int]:
    yield pid
    try:
        children = Path(f"/proc/{pid}/task/{pid}/children").read_text().split()
    except OSError:
        return
    for child in children:
        yield from _family(int(child))


def _held_mb(pid: int) -> float:
    try:
        rows = Path(f"/proc/{pid}/smaps_rollup").read_text().splitlines()
    except OSError:
        return 0.0
    return sum(int(row.split()[1]) for row in rows if row.startswith("Pss:")) / 1024


def ripgrep() -> str | None:
    """A ripgrep that takes the rules' patterns: 13 refuses them as too large."""
    found = os.environ.get("RG") or shutil.which("rg")
    if found is None:
        print("  ripgrep is not installed: RG=/path/to/rg, 14 or later")
    return found


def patterns(folder: Path, rg: str) -> Path:
    """The rules' patterns that ripgrep reads, one a line."""
    kept = []
    for pattern in signatures().rules:
        asked = subprocess.run([rg, "-c", "-e", pattern, os.devnull], capture_output=True, check=False)
        if asked.returncode != 2 and "\n" not in pattern:
            kept.append(pattern)
    file = folder / "patterns.txt"
    file.write_text("\n".join(kept) + "\n", encoding="utf-8")
    print(f"  {len(kept)} of {len(signatures().rules)} patterns are in ripgrep's language, too")
    return file


def repeated(file: Path, block: bytes, megabytes: int) -> None:
    """Write `block` again and again."""
    left = megabytes * 1_000_000
    with file.open("wb") as out:
        while left > 0:
            out.write(block[:left])
            left -= len(block)


def large_logs(megabytes: int = MEGABYTES) -> float:
    """Print the figures of each log; how long the healthy one takes, to ripgrep."""
    rg = ripgrep()
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        print(f"a log of {megabytes} MB, whole processes")
        listed = patterns(folder, rg) if rg else None
        ran([*CHECK, "--flags", "vllm serve m"])  # what is compiled once
        log = folder / "healthy.log"
        mine, ratio = _beside(log, healthy(BLOCK), megabytes, listed, rg)
        if ratio:
            print(f"  to ripgrep   {ratio:6.2f}   budget {BUDGET} {'met' if ratio <= BUDGET else 'NOT MET'}")
        _tenfold(log, mine, Path(name, "tenfold"))
        _packed(log)
        log.unlink()
        flat = healthy(BLOCK).replace(b"\n", b" ")
        for file, block in (("tracebacks.log", tracebacks(BLOCK)), ("one-line.log", flat)):
            odd, _ = _beside(folder / file, block, megabytes, listed, rg)
            (folder / file).unlink()
            more = odd.wall_s / mine.wall_s
            print(f"  to healthy   {more:6.2f}   budget {ODD_BUDGET} {'met' if more <= ODD_BUDGET else 'NOT MET'}")
        return ratio


def _beside(file: Path, block: bytes, megabytes: int, listed: Path | None, rg: str | None) -> tuple[Ran, float]:
    """What the log takes here, and how long that is to ripgrep; 0 without one."""
    repeated(file, block, megabytes)
    with file.open("rb") as read:  # so that neither reads from the disk
        while read.read(BLOCK):
            pass
    mine = _told(file.name, [*CHECK, "--log", str(file)])
    if not rg or not listed:
        return mine, 0.0
    return mine, mine.wall_s / _told("", [rg, "-c", "-f", str(listed), str(file)]).wall_s


def _tenfold(log: Path, once: Ran, folder: Path) -> None:
    """The same log with ten times the rules, as a wheel carries them."""
    rules = 10 * len(list(compiled().all()))
    environment = environment_of(laid_out(folder, generated(rules)))
    ran([*CHECK, "--flags", "vllm serve m"], environment)
    many = _told(f"{rules} rules", [*CHECK, "--log", str(log)], environment)
    more = many.wall_s / once.wall_s
    print(f"  to a tenth   {more:6.2f}   budget {GROWTH} {'met' if more <= GROWTH else 'NOT MET'}")


def _packed(file: Path) -> None:
    """The same log packed, and two of them at once."""
    packers: list[tuple[str, Callable[[bytes], bytes]]] = [(".gz", lambda data: gzip.compress(data, 1))]
    try:
        zstd = __import__(
            "compression.zstd" if sys.version_info >= (3, 14) else "backports.zstd", fromlist=["compress"]
        )
        packers.append((".zst", zstd.compress))
    except ImportError:
        pass
    for ending, pack in packers:
        packed = file.with_name(file.name + ending)
        with file.open("rb") as source, packed.open("wb") as out:
            while chunk := source.read(64 << 20):
                out.write(pack(chunk))
        _told(packed.name, [*CHECK, "--log", str(packed)])
    second = file.with_name("rank1.log")
    os.link(file, second)
    _told("two files", [*CHECK, "--log", str(file), "--log", str(second)])
    second.unlink()


def _told(name: str, command: list[str], environment: dict[str, str] | None = None) -> Ran:
    done = ran(command, environment)
    held = f"{done.most_mb:4.0f} MB" + ("" if done.most_mb <= MEMORY_MB or not name else " TOO MUCH")
    print(f"  {name:<16} {done.wall_s:6.2f} s, {done.cpu_s:6.2f} s of processors, {held}   {shlex.join(command)}")
    return done


if __name__ == "__main__":
    large_logs()
