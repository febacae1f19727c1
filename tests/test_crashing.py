"""A share of `python -m tests.crashing`: whatever befalls a process that writes, files are old or new, and caches cost
time alone."""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path

import pytest

pytestmark = pytest.mark.skipif(sys.platform != "linux", reason="processes are forked, and pipes and devices named")


@pytest.mark.parametrize("part", ["steps", "pairs", "spoilt"])
def test_nothing_is_half_and_every_spoilt_cache_is_made_anew(part: str) -> None:
    ran = subprocess.run(
        [sys.executable, "-m", "tests.crashing", "--quick", part],
        capture_output=True,
        text=True,
        check=False,
        cwd=Path(__file__).parents[1],
        env={**os.environ, "PYTHONPATH": os.pathsep.join(sys.path)},
    )
    assert ran.returncode == 0, ran.stdout[-4000:] + ran.stderr[-2000:]
    assert ran.stdout.startswith(f"{part}: ") and ran.stdout.endswith("found wrong: 0\n")


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
