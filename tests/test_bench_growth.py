"""What `make bench` measures of growth in milliseconds, kept here in counts: what a case reads of a larger catalogue."""

from __future__ import annotations

import pytest

from advisor.catalog.compiled import Compiled, compiled
from advisor.catalog.compiling import packed
from advisor.jobs.assemble import assemble
from advisor.jobs.judging import view_of
from advisor.jobs.request import Request
from advisor.match.calling import Met, called
from tests.bench_growth import FLAGS, generated

TIMES = 5


@pytest.fixture(scope="module")
def grown() -> Compiled:
    content = packed(generated(TIMES * len(list(compiled().all()))), [])
    return Compiled(content, lambda: content)


def test_a_launch_calls_for_no_more_rules_of_a_larger_catalogue(grown: Compiled) -> None:
    view = view_of(assemble(Request(engine="vllm", version="0.28.0", flags=(FLAGS,)))[0])
    counts = []
    for catalogue in (compiled(), grown):
        section = catalogue.section("vllm")
        counts.append((len(section.rules), len(set(called(section.seen, {}, Met(section.asked, view))))))
    (few, now), (many, then) = counts
    assert many >= (TIMES - 1) * few and then <= now + many // 50


def test_each_rule_of_a_larger_catalogue_is_called_for_by_what_its_original_is(grown: Compiled) -> None:
    """The generated rules are no easier to leave out: each has its own calls, and none is always judged but by right."""
    section, real = grown.section("vllm"), compiled().section("vllm")
    assert len(section.always) <= TIMES * (len(real.always) + 1)
    assert len(grown.texts("vllm").logs) > (TIMES - 1) * len(compiled().texts("vllm").logs)
