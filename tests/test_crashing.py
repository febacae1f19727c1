"""A share of `python -m tests.crashing`: whatever befalls a process that writes, files are old or new, and caches cost
time alone."""

from __future__ import annotations

import os
import re
import subprocess
import sys
from pathlib import Path

import pytest

pytestmark = pytest.mark.skipif(sys.platform != "linux", reason="processes are forked, and pipes and devices named")


PARTS = ("steps", "pairs", "spoilt")  # disks and system calls ask for root and strace


def test_nothing_is_half_and_every_spoilt_cache_is_made_anew() -> None:
    ran = subprocess.run(
        [sys.executable, "-m", "tests.crashing", "--quick", *PARTS],
        capture_output=True,
        text=True,
        check=False,
        cwd=Path(__file__).parents[1],
        env={**os.environ, "PYTHONPATH": os.pathsep.join(sys.path)},
    )
    assert ran.returncode == 0, ran.stdout[-4000:] + ran.stderr[-2000:]
    assert "\nfound wrong: 0, in " in ran.stdout
    for part in PARTS:
        rows = re.findall(rf"(?m)^{part} .* (\d+) +(\d+)$", ran.stdout)
        assert rows and all(int(tried) for tried, _ in rows), ran.stdout


def test_the_harness_sees_what_is_wrong() -> None:
    """A file written in place, as it must not be, is found half."""
    code = (
        "import os; from advisor import whole; from tests.crashing import __main__ as main, steps\n"
        "def put(target, content):\n"
        "    file = os.open(target, os.O_WRONLY | os.O_CREAT | os.O_TRUNC)\n"
        "    os.write(file, content)\n"
        "whole.put = put\n"
        "steps.SLOW = tuple(one.name for one in steps.scenes() if one.name != 'patch --output DIR, there')\n"
        "import sys; sys.argv = ['crashing', '--quick', 'steps']; sys.exit(main.main())\n"
    )
    ran = subprocess.run(
        [sys.executable, "-c", code],
        capture_output=True,
        text=True,
        check=False,
        cwd=Path(__file__).parents[1],
        env={**os.environ, "PYTHONPATH": os.pathsep.join(sys.path)},
    )
    assert ran.returncode == 1 and "half: mails/" in ran.stdout, ran.stdout + ran.stderr
