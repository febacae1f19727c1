"""What holds of every answer, whatever the input: asked of each report that a target makes."""

from __future__ import annotations

import json
import re
from collections.abc import Callable, Iterable, Iterator
from functools import cache
from typing import Any

import jsonschema_rs

from advisor.errors import AdvisorError
from advisor.model.fact import Artifact, Span
from advisor.model.lint import LintReport, Region
from advisor.render.schema import schema_of

RAW = re.compile("[\x00-\x08\x0b-\x1f\x7f-\x9f\u2028-\u202e\u2066-\u2069\ud800-\udfff]")
"""What moves a cursor, rings, recolours, or turns the order of what is read; and what no encoding can write."""


@cache
def validator(contract: str) -> Any:
    """The schema that `advisor schema CONTRACT` prints, ready to be asked."""
    return jsonschema_rs.validator_for(json.loads(schema_of(contract)))


def assert_valid(contract: str, text: str) -> dict[str, Any]:
    """JSON of this contract; returns it."""
    found: dict[str, Any] = json.loads(text)
    for error in validator(contract).iter_errors(found):
        raise AssertionError(f"{contract}: {error.message[:300]} at {list(error.instance_path)}")
    return found


def assert_printable(text: str, what: str) -> None:
    """No control characters but line feeds and tabs, and UTF-8 can be made of it."""
    raw = RAW.search(text)
    assert raw is None, f"{what} has {raw[0]!r}: {text[max(0, raw.start() - 60) : raw.end() + 20]!r}"
    text.encode()


def assert_within(span: Span | None, artifacts: Iterable[Artifact]) -> None:
    """A span names lines that there are."""
    if span is None or not span.line:
        return
    assert span.line >= 1 and (not span.end_line or span.line <= span.end_line), span
    own = [one for one in artifacts if one.name == span.artifact]
    if own:
        last = max(one.number_of(lines_of(one.text) - 1) for one in own)
        assert max(span.line, span.end_line) <= last, (span, last)


def lines_of(text: str) -> int:
    """How many lines a text has, as the readers count them."""
    return text.count("\n") + (not text.endswith("\n") or not text)


def assert_regions(report: LintReport, texts: dict[str, str]) -> None:
    """Every place in a lint report is there, and its snippet has as many lines."""
    for region in regions(report):
        lines = re.split(r"\r\n|\n|\r", texts[region.file]) if region.file in texts else None
        if lines is None:
            continue
        assert 1 <= region.line <= region.end_line <= len(lines), (region, len(lines))
        assert region.column >= 1, region
        assert not region.snippet or region.snippet.count("\n") == region.end_line - region.line, region
        assert region.line < region.end_line or region.column <= region.end_column, region


def regions(report: LintReport) -> Iterator[Region]:
    """Every place that a report names."""
    for one in report.findings:
        yield one.region
        yield from (each.region for each in one.related)
        if one.suppressed and one.suppressed.region:
            yield one.suppressed.region


def raises_only(kind: type[AdvisorError], call: Callable[[], object]) -> None:
    """The call raises nothing else, and that in words."""
    try:
        call()
    except kind as error:
        assert error.what, "an error without words"
