"""Places of a file -> regions of a report, and what makes a finding the same one tomorrow: its fingerprint.

A region's snippet is the whole lines it touches, without secrets. A place of many lines, such as a whole container,
is shown by its first line.
"""

from __future__ import annotations

from bisect import bisect_right
from collections.abc import Iterable
from dataclasses import dataclass, replace
from functools import cached_property
from hashlib import sha256

from advisor.model.deployment import Place
from advisor.model.lint import LintFinding, Region
from advisor.redaction import GONE, redact

MAX_LINES = 8
MAX_LINE = 400


@dataclass
class Page:
    """A file's text with the offsets at which its lines begin; `secrets` are hidden wherever they would be shown."""

    file: str
    text: str
    secrets: tuple[str, ...] = ()

    @cached_property
    def starts(self) -> list[int]:
        """The offset of each line's first character."""
        found, at = [0], self.text.find("\n")
        while at >= 0:
            found.append(at + 1)
            at = self.text.find("\n", at + 1)
        return found

    def region(self, place: Place) -> Region:
        """The region of a place."""
        start = min(max(place.start, 0), len(self.text))
        end = min(max(place.end, start), len(self.text))
        line, last = self._line(start), self._line(max(start, end - 1))
        if last - line >= MAX_LINES:
            last, end = line, self._ends(line)
        column, stop = start - self.starts[line] + 1, end - self.starts[last] + 1
        lines = [self.text[self.starts[one] : self._ends(one)] for one in range(line, last + 1)]
        snippet = redact("\n".join(one if len(one) <= MAX_LINE else one[:MAX_LINE] + "…" for one in lines))
        for secret in self.secrets:
            snippet = snippet.replace(secret, GONE)
        return Region(self.file, line + 1, column, last + 1, stop, snippet)

    def _line(self, at: int) -> int:
        return bisect_right(self.starts, at) - 1

    def _ends(self, line: int) -> int:
        """Where the line ends, its line break not counted."""
        end = self.starts[line + 1] - 1 if line + 1 < len(self.starts) else len(self.text)
        return end - 1 if end > self.starts[line] and self.text[end - 1] == "\r" else end


def fingerprint(id: str, file: str, workload: str, fact: str, nth: int = 0) -> str:
    """32 digits of hex of what a finding is about; `nth` tells the second and later of the same apart."""
    parts = [id, file, workload, fact] + ([str(nth)] if nth else [])
    return sha256("\0".join(parts).encode("utf-8", "surrogatepass")).hexdigest()[:32]


def numbered(findings: Iterable[tuple[LintFinding, str]]) -> tuple[LintFinding, ...]:
    """The findings in the order of places, with fingerprints made of their facts.

    What is said twice of one place, of ranks that a loop starts, is said once; the same at two places is numbered.
    """
    once = {_order(one): (one, fact) for one, fact in findings}
    ordered = [once[key] for key in sorted(once)]
    seen: dict[str, int] = {}
    done = []
    for one, fact in ordered:
        base = fingerprint(one.id, one.region.file, one.workload, fact)
        nth = seen[base] = seen.get(base, -1) + 1
        done.append(replace(one, fingerprint=fingerprint(one.id, one.region.file, one.workload, fact, nth)))
    return tuple(done)


def _order(one: LintFinding) -> tuple[str, int, int, str, str, str]:
    return one.region.file, one.region.line, one.region.column, one.id, one.workload, one.says
