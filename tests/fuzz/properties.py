"""The hypothesis tests of the suite, run longer than `make test` runs them and each time anew: `properties NAME SECONDS`.

A property needs no registration beyond its file's line here. Its tests are run in turn, a round of examples each,
until the time is over; the last line of output is what `__main__` counts.
"""

from __future__ import annotations

import functools
import importlib
import inspect
import random
import sys
import time
import traceback
from collections.abc import Callable, Iterator
from typing import Any

import hypothesis
from hypothesis import HealthCheck, Phase, given, settings

from tests.fuzz.changing import changed
from tests.fuzz.guided import targets

PROPERTIES: dict[str, tuple[str, ...]] = {
    "builds": ("tests.fuzz.test_builds",),
    "conditions": ("tests.fuzz.test_conditions", "tests.match.test_truth_tables", "tests.match.test_calling"),
    "more-evidence": ("tests.fuzz.test_more_evidence",),
    "edits": ("tests.fuzz.test_edits", "tests.launches.test_edit", "tests.jobs.test_fix"),
    "suppressions": ("tests.fuzz.test_suppressions", "tests.launches.test_comments"),
    "words-of-bash": ("tests.fuzz.test_words_of_bash", "tests.launches.test_shell"),
    "condensing": ("tests.fuzz.test_condensing", "tests.test_large_logs"),
    "front-door": ("tests.fuzz.test_front_door",),
    "checkouts": ("tests.fuzz.test_checkouts",),
    "readers": (
        "tests.evidence.test_assertion", "tests.evidence.test_divergence",
        "tests.evidence.test_flight_recorder", "tests.evidence.test_lines", "tests.evidence.test_plain_pickle",
        "tests.evidence.test_prose", "tests.evidence.test_recognition", "tests.test_intake_archives",
        "tests.test_intake_texts", "tests.launches.test_forms", "tests.launches.test_prose",
        "tests.launches.test_reading", "tests.launches.files.test_recognise",
    ),
}  # fmt: skip
"""What each property target runs: the modules whose hypothesis tests it is."""
ROUND = 20
"""Examples of one test in a round."""


def held_by(name: str) -> Iterator[Callable[[], Any]]:
    """The hypothesis tests of a target that take nothing but what hypothesis gives; of a guided one, its seeds changed."""
    if name not in PROPERTIES:
        yield given(changed(name))(targets()[name].one)
        return
    for module in map(importlib.import_module, PROPERTIES[name]):
        for test in vars(module).values():
            fixtures = getattr(test, "is_hypothesis_test", False) and inspect.signature(test).parameters
            skipped = any(one.name == "skipif" and any(one.args) for one in getattr(test, "pytestmark", ()))
            if getattr(test, "is_hypothesis_test", False) and not fixtures and not skipped:
                yield test


def main(name: str, seconds: str) -> int:
    """Run a target for so long; 1 where a test failed."""
    tried, until = 0, time.monotonic() + float(seconds)

    def counted(inner: Callable[..., Any]) -> Callable[..., Any]:
        @functools.wraps(inner)
        def count(*given: Any, **named: Any) -> Any:
            nonlocal tried
            tried += 1
            return inner(*given, **named)

        return count

    tests = list(held_by(name))
    random.shuffle(tests)  # a short run does not always end before the same ones
    for one in tests:
        one.hypothesis.inner_test = counted(one.hypothesis.inner_test)  # type: ignore[attr-defined]
    faults = 0
    while tests and not faults and time.monotonic() < until:
        for test in tests:
            if time.monotonic() < until:
                faults += _failed(test, random.randrange(1 << 32))
    print(f"inputs {tried} faults {faults}")
    return int(faults > 0)


def _failed(test: Any, seed: int) -> bool:
    """Whether a round of a test shows a fault, which is printed with the number that brings it about again."""
    test._hypothesis_internal_use_settings = settings(
        max_examples=ROUND,
        deadline=None,
        database=None,
        derandomize=False,
        phases=(Phase.explicit, Phase.generate, Phase.shrink),
        suppress_health_check=list(HealthCheck),
    )
    try:
        hypothesis.seed(seed)(test)()
    except Exception:
        print(f"{test.__module__}.{test.__name__}, seed {seed}")
        traceback.print_exc(limit=-6, file=sys.stdout)
        return True
    return False


if __name__ == "__main__":
    raise SystemExit(main(*sys.argv[1:]))
