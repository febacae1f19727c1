"""A lint report and the user's instructions -> the report with what is not to be counted marked, and why.

Nothing is taken out: a suppressed finding stays, with who said so and for what reason. An instruction holds only while
it can be followed, gives a reason and has not expired; one that does not, or that suppresses nothing, is itself a
finding. Core is pure: the day is given.
"""

from __future__ import annotations

import posixpath
from collections.abc import Callable, Collection, Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from datetime import date
from fnmatch import fnmatchcase
from functools import cache, lru_cache
from typing import TYPE_CHECKING

from advisor.jobs.lint_regions import fingerprint
from advisor.model.condition import as_word
from advisor.model.lint import CheckOut, LintFinding, LintReport, RelatedOut, SuppressionOut
from advisor.model.rule import Level
from advisor.model.suppression import Configuration, Directive

if TYPE_CHECKING:
    from pathspec import GitIgnoreSpec

_HELP = "docs/lint-output.md, Suppressions, has the ways to write one."


def _check(id: str, level: Level, summary: str, details: str) -> CheckOut:
    return CheckOut(id, "suppression", level, summary, details, _HELP)


CHECKS = (
    _check("suppression-expired", "warning", "A suppression's last day is past", "The finding counts again."),
    _check(
        "suppression-malformed",
        "warning",
        "A suppression cannot be followed",
        "It looks like an instruction to the advisor, but its words, its date or its place are wrong.",
    ),
    _check(
        "suppression-unknown-id",
        "warning",
        "A suppression names a finding that does not exist",
        "No rule or check of this release goes by that id, its slug or a former id.",
    ),
    _check(
        "suppression-unused", "note", "A suppression suppresses nothing", "What it named is not found any more here."
    ),
    _check(
        "suppression-without-reason",
        "warning",
        "A suppression gives no reason",
        "Without a reason it does not hold: the finding counts until one is written down.",
    ),
)
_BY_ID = {one.id: one for one in CHECKS}


@dataclass(frozen=True)
class Names:
    """What ids a user may write: those of `known` findings, their slugs, former ids (old to new) and globs of them."""

    known: frozenset[str]
    former: Mapping[str, str]

    def means(self, typed: str, id: str) -> bool:
        """Whether `typed` names the finding `id`."""
        if any(mark in typed for mark in "*?["):
            return fnmatchcase(id, typed) or any(fnmatchcase(old, typed) for old in self._old(id))
        return any(typed in (one, _slug(one), one.replace("/", ".")) for one in (id, *self._old(id)))

    def exists(self, typed: str) -> bool:
        """Whether `typed` names anything at all."""
        return any(self.means(typed, id) for id in self.known)

    def shown(self, typed: str) -> str:
        """The id that is meant, as lint prints it; `typed` itself where it is a glob, or names none or several."""
        meant = [] if any(mark in typed for mark in "*?[") else [id for id in self.known if self.means(typed, id)]
        return meant[0] if len(meant) == 1 else typed

    def near(self, typed: str) -> str:
        """The nearest name that exists, "" when none is near."""
        from difflib import get_close_matches

        names = sorted({*self.known, *(map(_slug, self.known) if "/" not in typed else ())})
        return next(iter(get_close_matches(typed, names, 1)), "")

    def _old(self, id: str) -> list[str]:
        return [old for old, new in self.former.items() if new == id]


def _slug(id: str) -> str:
    return id.rpartition("/")[2]


def apply(
    report: LintReport,
    comments: Iterable[Directive],
    annotations: Iterable[Directive],
    configuration: Configuration,
    today: date,
    *,
    known: Collection[str] = (),
    former: Mapping[str, str] | None = None,
    complete: bool = True,
    below: Callable[[str], str] | None = None,
) -> LintReport:
    """The report with suppressed findings marked, findings about the instructions added, and their checks listed.

    `known` are ids that exist beside those of the checks that ran; `former` leads from former ids to present ones.
    `complete` is False where only some of the files were looked at (`--diff`, files named by pre-commit): then nobody
    can say that an instruction of the configuration is unused. `below` gives a file's name relative to the folder of
    the configuration; without it names are taken to share a root with the configuration's.
    """
    directives = [*comments, *annotations, *configuration.ignores]
    ran = {one.id for one in report.checks}
    names = Names(frozenset({*ran, *known, *_BY_ID, *(one.id for one in report.findings)}), former or {})
    state = _State(directives, names, today, below)
    marked = [state.mark(one) for one in report.findings]
    told = [state.mark(one) for one in state.complaints()]
    unused = [state.mark(one) for one in state.unused(report, ran, complete)]
    about = _numbered(sorted([*told, *unused], key=place))
    checks = (*report.checks, *(one for one in CHECKS if one.id not in ran))
    return replace(report, findings=tuple(sorted([*marked, *about], key=place)), checks=checks)


def place(finding: LintFinding) -> tuple[str, int, int, int, int, str, str]:
    """What findings are sorted by: file, place, id."""
    at = finding.region
    return (at.file, at.line, at.column, at.end_line, at.end_column, finding.id, finding.fingerprint)


class _State:
    """The instructions, and which of their names have met a finding so far."""

    def __init__(
        self, directives: Sequence[Directive], names: Names, today: date, below: Callable[[str], str] | None
    ) -> None:
        self._below = cache(below) if below else None
        self._all = list(dict.fromkeys(directives))
        self._names, self._today = names, today.isoformat()
        self._met: set[tuple[Directive, str]] = set()
        self._again: dict[Directive, list[LintFinding]] = {}
        self._here: dict[str, list[Directive]] = {}
        self._anywhere: list[Directive] = []
        for one in self._all:
            if not one.trouble:
                (self._anywhere if one.paths else self._here.setdefault(one.region.file, [])).append(one)

    def mark(self, finding: LintFinding) -> LintFinding:
        """The finding, suppressed by the first instruction that holds; all that cover it are taken note of."""
        holding: Directive | None = None
        for one in [*self._here.get(finding.region.file, ()), *self._anywhere]:
            named = [typed for typed in one.rules if self._names.means(typed, finding.id)]
            if not named or not self._covers(one, finding):
                continue
            self._met |= {(one, typed) for typed in named}
            if self._holds(one):
                holding = holding or one
            elif one.reason:
                self._again.setdefault(one, []).append(finding)
        if finding.suppressed or holding is None:
            return finding
        why = SuppressionOut(holding.how, holding.reason, holding.until, holding.region)
        return replace(finding, suppressed=why)

    def _holds(self, one: Directive) -> bool:
        return bool(one.reason) and not (one.until and one.until < self._today)

    def _covers(self, one: Directive, finding: LintFinding) -> bool:
        if one.paths:
            return self._in_paths(one, finding.region.file)
        if one.workloads and finding.workload not in one.workloads:
            return False
        if one.lines is None:
            return True
        first, last = one.lines
        return first <= finding.region.line <= last or first <= finding.region.end_line <= last

    def _in_paths(self, one: Directive, file: str) -> bool:
        told = self._below(file) if self._below else _under(one.base, posixpath.normpath(file))
        return bool(told) and not told.startswith(("../", "/")) and _spec(one.paths).match_file(told)

    def complaints(self) -> list[LintFinding]:
        """Findings about instructions that do not hold or name what does not exist."""
        found: list[LintFinding] = []
        for one in self._all:
            if one.trouble:
                found.append(
                    _finding("suppression-malformed", one, f"This suppression cannot be followed: {one.trouble}.")
                )
                continue
            if not one.reason:
                says = f"This suppression of {_listed(one.rules)} gives no reason, so it does not hold."
                found.append(_finding("suppression-without-reason", one, says))
            elif one in self._again:
                says = f"This suppression of {_listed(one.rules)} ended with {one.until}; what it covers counts again."
                found.append(replace(_finding("suppression-expired", one, says), related=_related(self._again[one])))
            found += [self._unknown(one, typed) for typed in one.rules if not self._names.exists(typed)]
        return found

    def _unknown(self, one: Directive, typed: str) -> LintFinding:
        near = self._names.near(typed)
        hint = (f"Write {near}, if that is meant.",) if near else ()
        found = _finding("suppression-unknown-id", one, f"Nothing is called {typed}.", typed)
        return replace(found, advice=(*hint, *found.advice))

    def unused(self, report: LintReport, ran: Collection[str], complete: bool) -> list[LintFinding]:
        """Findings about names of instructions that met nothing, where that can be said."""
        files = [one.name for one in report.files]
        found: list[LintFinding] = []
        for one in self._all:
            silent = (
                one.trouble
                or not one.reason
                or (one.paths and not (complete and any(self._in_paths(one, name) for name in files)))
            )
            if silent:
                continue
            for typed in one.rules:
                judged = any(self._names.means(typed, id) for id in ran)
                if judged and (one, typed) not in self._met:
                    said = f"Nothing called {self._names.shown(typed)} is found here any more; this suppression can go."
                    found.append(_finding("suppression-unused", one, said, typed))
        return found


def _under(base: str, name: str) -> str:
    """The name relative to `base`; "" when it is not below."""
    if not base:
        return name
    return name.removeprefix(f"{base}/") if name.startswith(f"{base}/") else ""


@lru_cache(maxsize=256)
def _spec(paths: tuple[str, ...]) -> GitIgnoreSpec:
    from advisor.jobs.ignoring import asked_to_leave_out  # only where a configuration has patterns

    return asked_to_leave_out(paths, "ignore.path")


_ADVICE = {
    "suppression-expired": "Mend what it covers, or give it a new date if the reason still holds.",
    "suppression-malformed": "Write it as `advisor: ignore[id] until=2027-01-31 reason`.",
    "suppression-unknown-id": "`advisor rules list` names the rules; lint's JSON lists every check that ran.",
    "suppression-unused": "Remove it.",
    "suppression-without-reason": "Write the reason behind it.",
}


def _finding(id: str, one: Directive, says: str, about: str = "") -> LintFinding:
    fact = "\x1f".join((one.how, ",".join(one.rules) or one.region.snippet.strip(), one.until, about))
    return LintFinding(
        id=id,
        kind="suppression",
        level=_BY_ID[id].level,
        says=says,
        because=(f"reason given: {as_word(one.reason)}",) if one.reason else (),
        advice=(_ADVICE[id],),
        actionability="fix released",
        edit="",
        workload=one.workloads[0] if len(one.workloads) == 1 else "",
        region=one.region,
        related=(),
        fingerprint=fingerprint(id, one.region.file, "", fact),
        suppressed=None,
        sources=(),
    )


def _numbered(findings: Sequence[LintFinding]) -> list[LintFinding]:
    """The findings with the second and later of one fingerprint told apart."""
    seen: dict[str, int] = {}
    told = []
    for one in findings:
        nth = seen[one.fingerprint] = seen.get(one.fingerprint, -1) + 1
        again = fingerprint(one.id, one.region.file, "", one.fingerprint, nth)
        told.append(replace(one, fingerprint=again) if nth else one)
    return told


def _related(findings: Sequence[LintFinding]) -> tuple[RelatedOut, ...]:
    return tuple(RelatedOut(one.region, f"{one.id} counts again") for one in sorted(findings, key=place))


def _listed(names: Sequence[str]) -> str:
    return ", ".join(names)
