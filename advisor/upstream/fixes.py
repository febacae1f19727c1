"""Rules, a git clone and released files -> fixes.json: which releases hold each fix that a rule names.

Four witnesses are asked about each release:

    git          its tag contains the commit, or its release branch a pick of it (pull request, cherry-pick note, patch)
    fingerprint  the file in the released wheel, or in the tag's tree when there is no wheel, shows the fix
    date         it was released before the fix was merged
    descent      it is newer than every tag of the clone, and main and the newest tag contain the commit

Descent is asked last and noted. Witnesses that contradict each other are an UpstreamError; a release that none of them
can speak of is in neither list, and the note says so. Only the refresh of knowledge calls this module.
"""

from __future__ import annotations

import json
import re
from collections.abc import Sequence
from dataclasses import dataclass, field
from datetime import date
from pathlib import Path
from typing import Any

from advisor.errors import UpstreamError
from advisor.upstream import wheels
from advisor.upstream.fix_entries import Fix, fixes_named
from advisor.upstream.history import day_read, opened, upstream_of, write
from advisor.upstream.witnesses import Contents, Shelf, Tags


@dataclass
class Answer:
    """What the witnesses said of one fix: version -> held or not, who spoke, what to note, what they contradict."""

    held: dict[str, bool] = field(default_factory=dict)
    by: set[str] = field(default_factory=set)
    notes: list[str] = field(default_factory=list)
    problems: list[str] = field(default_factory=list)

    def note(self, text: str, versions: list[str]) -> None:
        """Note what holds of these versions, if there are any; a long list is told by its ends."""
        if versions:
            few = len(versions) < 4
            told = ", ".join(versions) if few else f"{len(versions)} ({versions[0]} to {versions[-1]})"
            self.notes.append(text.format(told))

    def record(self, commit: str) -> dict[str, Any]:
        """The fix as it stands in fixes.json."""
        return {
            "commit": commit,
            "held_by": self._versions(True),
            "lacked_by": self._versions(False),
            "by": sorted(self.by),
            "note": "; ".join(self.notes) or None,
        }

    def _versions(self, holding: bool) -> list[str]:
        found = [version for version, holds in self.held.items() if holds == holding]
        return sorted(found, key=wheels.release_order)


def refresh_fixes(
    engine: str,
    *,
    clone: Path | None,
    out: Path,
    rules: Path,
    shelf: Shelf | None = None,
    read: date | None = None,
    before: dict[str, dict[str, Any]] | None = None,
    keep_notes: bool = False,
) -> Path:
    """Write fixes.json for every fix that the rules name in this engine's (or component's) repository.

    Without a clone only fingerprints and dates speak, and ``before``, the fixes of the last refresh: what git said then
    still holds, and with ``keep_notes`` so does what was noted. Raises RuleError for an entry that cannot be read, and
    UpstreamError naming every fix whose witnesses contradict each other, or what was known before; then nothing is
    written.
    """
    upstream = upstream_of(engine)
    fixes = fixes_named(rules, upstream)
    answers: dict[str, Answer] = {}
    if fixes:
        tags = Tags(opened(clone), upstream) if clone else None
        answers = judge(fixes, tags, Contents(upstream, shelf or wheels.Index(), tags))
    for fix in fixes:
        if fix.key in (before or {}):
            _remember(answers[fix.key], (before or {})[fix.key], fix, keep_notes=keep_notes)
    problems = [problem for answer in answers.values() for problem in answer.problems]
    if problems:
        raise UpstreamError("witnesses contradict each other: " + "; ".join(problems))
    known = {fix.key: answers[fix.key].record(fix.commit) for fix in fixes}
    return write(out, as_json({"read": day_read(read), "fixes": known}))


def _remember(answer: Answer, known: dict[str, Any], fix: Fix, *, keep_notes: bool) -> None:
    """Add what was established before of releases that no witness speaks of now, and complain where they differ."""
    said = dict.fromkeys(known.get("held_by") or (), True) | dict.fromkeys(known.get("lacked_by") or (), False)
    for version, held in said.items():
        if answer.held.setdefault(version, held) != held:
            words = {True: "held", False: "lacked"}
            answer.problems.append(f"{fix.key} in {version}: {words[held]} before, {words[not held]} now ({fix.where})")
    if keep_notes:
        answer.by |= set(known.get("by") or ())
        answer.notes = [known["note"]] if known.get("note") else []


def judge(fixes: Sequence[Fix], tags: Tags | None, contents: Contents) -> dict[str, Answer]:
    """Each fix's answer by its key."""
    dated = [tags.dated(fix) for fix in fixes] if tags else list(fixes)
    shown = contents.show(dated)
    return {fix.key: _answer(fix, tags, contents, shown.get(fix.key, {})) for fix in dated}


def _answer(fix: Fix, tags: Tags | None, contents: Contents, shown: dict[str, bool]) -> Answer:
    answer = Answer(problems=tags.mismatch(fix) if tags else [])
    told, reverted = tags.holding(fix) if tags else ({}, [])
    if not tags or not tags.commit_of(fix):
        answer.notes.append(f"commit not in the clone read, which ends {tags.horizon}" if tags else "no clone read")
    answer.notes += reverted
    for version, day in contents.days.items():
        _hear(answer, fix, version, _said(fix, day, told.get(version), shown.get(version)))
    if not answer.problems:
        lost = _forget_lost(answer, fix, contents.days, told)
        if tags and not lost:
            _add_descended(answer, tags.descended(fix, contents.days))
        unknown = [version for version in contents.days if version not in answer.held]
        answer.note("not established for {} of " + f"{len(contents.days)} releases", unknown)
    return answer


def _forget_lost(answer: Answer, fix: Fix, days: dict[str, str], told: dict[str, bool]) -> list[str]:
    """Take back what a file alone says of releases that lack the fix after one that held it: it may be rewritten."""
    lost, holding = [], []
    for version, day in days.items():
        if answer.held.get(version):
            holding.append(day)
        elif (
            version in answer.held and version not in told and day >= fix.merged and any(had <= day for had in holding)
        ):
            lost.append(version)
            del answer.held[version]
    answer.note("the fingerprint is gone again in {}: reverted or rewritten", lost)
    return lost


def _add_descended(answer: Answer, versions: list[str]) -> None:
    silent = [version for version in versions if version not in answer.held]
    if silent:
        answer.held |= dict.fromkeys(silent, True)
        answer.by.add("descent")
    answer.note("by descent only for {}", silent)


def _said(fix: Fix, day: str, told: bool | None, shown: bool | None) -> dict[str, bool]:
    """Each witness that can speak of a release of that day, with what it says."""
    older = bool(fix.merged) and day < fix.merged
    if older and not any(mark.present for mark in fix.fingerprints):
        shown = None if shown else shown  # the text that the fix removed had not come yet
    # A release branch can have had the fix before main: git outweighs the date.
    by_date = False if older and not told else None
    said = {"git": told, "fingerprint": shown, "date": by_date}
    return {witness: holds for witness, holds in said.items() if holds is not None}


def _hear(answer: Answer, fix: Fix, version: str, said: dict[str, bool]) -> None:
    if len(set(said.values())) > 1:
        words = ", ".join(f"{witness} says {'held' if holds else 'lacked'}" for witness, holds in said.items())
        answer.problems.append(f"{fix.key} in {version}: {words} ({fix.where})")
    elif said:
        answer.held[version] = any(said.values())
        answer.by |= set(said)


def as_json(known: dict[str, Any]) -> str:
    """Indented, but each list on one line: a fix is six lines, however many releases there are."""
    text = json.dumps(known, indent=1, ensure_ascii=False)
    return re.sub(r"\[\s+([^\[\]{}]*?)\s+\]", lambda found: f"[{' '.join(found[1].split())}]", text) + "\n"
