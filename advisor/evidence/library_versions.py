"""The version of a library as it is given -> the one that is compared, and which given ones contradict each other.

    22809 (NCCL_VERSION_CODE)      2.28.9
    nvidia-nccl-cu13 2.28.9        2.28.9
    latest, main, unknown          none: which one is it?

**Source:** NCCL src/nccl.h.in, NCCL_VERSION(X,Y,Z): X·1000+Y·100+Z up to 2.8, X·10000+Y·100+Z after (read 2026-11-29).
"""

from __future__ import annotations

import re
from collections.abc import Iterable

from advisor.model.build import Component
from advisor.model.fact import Note
from advisor.model.shape import Shape

_LAST = Shape(r"(?:^|[\s=])v?(\d[\w.+!-]*)$")


def plain_version(name: str, given: str) -> str:
    """The version in `given`, "" when it holds none."""
    given = given.strip().removeprefix("v")
    last = _LAST.search(given)
    if last:
        given = last[1]
    if name == "nccl" and re.fullmatch(r"[0-9]{4,6}", given):
        return _nccl(int(given)) or given
    return given if re.search(r"\d", given) else ""


def _nccl(code: int) -> str:
    if 20900 <= code < 100_000:
        return f"{code // 10_000}.{code // 100 % 100}.{code % 100}"
    return f"{code // 1000}.{code // 100 % 10}.{code % 100}" if 2000 <= code < 2900 else ""


def contradictions(components: Iterable[Component]) -> tuple[Note, ...]:
    """A note for every library that is given in two versions; a local label alone (+cu130) is no difference."""
    given: dict[str, dict[str, str]] = {}
    for one in components:
        given.setdefault(one.name, {}).setdefault(one.version.partition("+")[0], one.version)
    return tuple(
        Note("conflict", f"{name} is given as {' and as '.join(versions.values())}: which one does every rank load?")
        for name, versions in given.items()
        if len(versions) > 1
    )
