"""One guided target in a process of its own, which ends with its budget or its first fault: `guided TARGET SECONDS NEW`.

NEW is a folder for the inputs that reach new edges. What libFuzzer counts is on standard error; `__main__` reads it.
"""

from __future__ import annotations

import importlib
import os
import sys
from pathlib import Path
from typing import Any

MODULES = ("tests.fuzz.readers", "tests.fuzz.front")
SLOWEST = 20
"""Seconds that one input may take, instrumented, on a busy machine."""


def targets() -> dict[str, Any]:
    """The guided targets by name."""
    return {one.name: one for module in MODULES for one in importlib.import_module(module).TARGETS}


def main(name: str, seconds: str, new: str) -> None:
    """Fuzz one target. Ends the process."""
    import atheris

    os.environ.pop("ADVISOR_LANG", None)
    with atheris.instrument_imports(include=["advisor"], enable_loader_override=False):
        from tests.fuzz.target import CORPUS, FOUND

        target = targets()[name]
        for one in target.inputs()[:2]:
            target.one(one.read_bytes())  # loads what is loaded late, so that it is instrumented
    folders = [new, *(str(one) for one in (CORPUS / name, FOUND / name) if one.is_dir())]
    options = [
        f"-max_total_time={seconds}", f"-max_len={target.most}", f"-timeout={SLOWEST}", "-rss_limit_mb=3000",
        f"-artifact_prefix={Path(new).parent}/{name}-", "-print_final_stats=1", "-len_control=20", "-report_slow_units=999",
    ]  # fmt: skip
    atheris.Setup([sys.argv[0], *options, *folders], target.one)
    atheris.Fuzz()


if __name__ == "__main__":
    main(*sys.argv[1:])
