"""A call -> what it returns and how many steps it took: a bound that holds on a busy machine too."""

from __future__ import annotations

import sys
from collections.abc import Callable
from typing import TypeVar

Returned = TypeVar("Returned")


def steps(call: Callable[[], Returned]) -> tuple[Returned, int]:
    """What `call` returns; calls made and returned from meanwhile in this thread, ours and the interpreter's."""
    taken = 0

    def count(*_: object) -> None:
        nonlocal taken
        taken += 1

    before = sys.getprofile()
    sys.setprofile(count)
    try:
        returned = call()
    finally:
        sys.setprofile(before)
    return returned, taken
