"""`make quality`: how good the answers are, measured.

Always: the rules' own cases, and how much of the log excerpts is understood. With `REPORTS=file.jsonl
CATALOGUE=file.yaml` also labelled user reports: a line has the keys of `advisor check --batch`, and `truth`, the
catalogue's id of the failure or null. A catalogue entry belongs to the rule that has one of its threads as an alias.

Of the positives (a truth), the right rule is looked for among the findings that are matched, likely or possible, in the
report's order ("with resemblances": the rules that a report without a match names as alike in words follow those); of
the negatives, what is named at all counts against us, but for a rule about that very thread: there are rules beyond
the catalogue. Beside it, on the same reports: BM25 over the
same rules' text (the engine of `advisor search`), and a MiniLM sentence embedding of the same text where its packages
are installed, which `make quality` sees to. Those two always rank something, so each also gets the threshold at which no negative is named.
"""

from __future__ import annotations

import json
import os
from collections import defaultdict
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from advisor.catalog.full_text import Index, entry, parts
from advisor.jobs.batch import KEYS, request
from advisor.jobs.check import check
from advisor.jobs.judging import catalogue
from advisor.jobs.rule_checks import test_rules as run_cases
from advisor.model.report import STATUSES, Report
from advisor.model.rule import Rule
from tests import embedding, excerpts

SHOWN = STATUSES[:3]
Line = Mapping[str, Any]
Ranked = Sequence[tuple[str, float]]
"""Rule ids with a weight, the most likely first."""


@dataclass(frozen=True)
class Judged:
    """One labelled report, what was expected, and what was named: (rule, status), the leading one first."""

    line: Line
    expected: str | None
    named: tuple[tuple[str, str], ...]
    report: Report

    @property
    def place(self) -> int:
        """Where the right rule stands among what is named, from 1; 0 where it does not."""
        return next((at for at, (rule, _) in enumerate(self.named, 1) if rule == self.expected), 0)

    @property
    def nearest(self) -> int:
        """The same where a report that leads with nothing seen goes on with what its words resemble; 0: not there."""
        rules = [rule for rule, _ in self.named] + [one.rule for one in self.report.related]
        return rules.index(self.expected) + 1 if self.expected in rules else 0

    @property
    def own_thread(self) -> bool:
        """No failure of the catalogue, and the leading rule is about this very thread: right, and no false alarm."""
        url = str(self.line.get("url") or "").partition("#")[0]
        lead = self.named[0][0] if self.named and self.expected is None else ""
        return bool(lead) and url in next(_threads(rule) for rule in catalogue() if rule.id == lead)

    @property
    def firm(self) -> bool:
        """The right rule leads as matched or likely."""
        return self.place == 1 and self.named[0][1] in STATUSES[:2]

    @property
    def strongest(self) -> str:
        """The strongest status that a rule has which is not the right one; "" for none."""
        wrong = [status for rule, status in self.named if rule != self.expected]
        return min(wrong, key=SHOWN.index, default="")


@dataclass
class Figures:
    """What one way of asking comes to over all reports."""

    positives: int = 0
    negatives: int = 0
    first: int = 0
    third: int = 0
    nearest: int = 0
    near: int = 0
    firm: int = 0
    silent: int = 0
    beyond: int = 0
    false: dict[str, int] = field(default_factory=lambda: defaultdict(int))


def _threads(rule: Rule) -> set[str]:
    """The threads of a rule's own failure: its aliases and fixes; a reference may be about a look-alike."""
    fixes = {f"https://github.com/{one.repo}/pull/{one.pr}" for one in rule.fixes}
    named = {
        f"https://github.com/{repo}/{kind}/{number}"
        for repo, _, number in (alias.partition("#") for alias in rule.aliases)
        for kind in ("issues", "pull")
    }
    return fixes | named


def rule_of() -> dict[str, str]:
    """Upstream thread URL -> rule id, for the threads that a rule calls its own report or fix, or an alias."""
    return {
        f"https://github.com/{repo}/{kind}/{number}": rule.id
        for rule in catalogue()
        for repo, _, number in (alias.partition("#") for alias in rule.aliases)
        for kind in ("issues", "pull")
    }


def truths(path: Path) -> dict[str, str | None]:
    """Catalogue id -> the rule that has most of its threads, None where no rule covers the failure."""
    from ruamel.yaml import YAML

    threads, found = rule_of(), {}
    for listed in YAML(typ="safe").load(path):
        own = [threads[url] for url in listed["threads"] if url in threads]
        found[listed["id"]] = max(own, key=own.count, default=None)
    return found


def judge(lines: Iterable[Line], rules: Mapping[str, str | None]) -> list[Judged]:
    """Each report judged. A truth that no rule covers stays expected under its own name, and is missed."""
    made = []
    for line in lines:
        report = check(request({key: str(line.get(key) or "") for key in KEYS})).report
        truth = line.get("truth")
        expected = (rules.get(truth) or f"no rule for {truth}") if truth else None
        named = tuple((one.rule, one.status) for one in report.findings if one.status in SHOWN)
        made.append(Judged(line, expected, named, report))
    return made


def figures(judged: Iterable[Judged]) -> Figures:
    """The counts over judged reports."""
    made = Figures()
    for one in judged:
        if one.own_thread:
            made.beyond += 1
            continue
        if one.expected is None:
            made.negatives += 1
            made.silent += not one.named
            made.false[one.strongest] += bool(one.named)
            continue
        made.positives += 1
        made.first += one.place == 1
        made.third += 1 <= one.place <= 3
        made.nearest += one.nearest == 1
        made.near += 1 <= one.nearest <= 3
        made.firm += one.firm
    return made


def safe_recall(judged: Sequence[Judged]) -> int:
    """How many positives lead with a status that no negative has for anything: recall at zero false alarms."""
    alarms = [
        SHOWN.index(one.strongest) for one in judged if one.expected is None and one.strongest and not one.own_thread
    ]
    limit = min(alarms, default=len(SHOWN))
    return sum(one.place == 1 and SHOWN.index(one.named[0][1]) < limit for one in judged if one.expected)


def tell(title: str, judged: Sequence[Judged]) -> None:
    """One line of figures."""
    got = figures(judged)
    false = ", ".join(f"{got.false.get(one, 0)} {one}" for one in SHOWN)
    print(
        f"{title:<28} recall@1 {share(got.first, got.positives)}  @3 {share(got.third, got.positives)}  "
        f"(with resemblances @1 {share(got.nearest, got.positives)}  @3 {share(got.near, got.positives)})  leads matched/likely {share(got.firm, got.positives)}  at zero false alarms "
        f"{share(safe_recall(judged), got.positives)}  | negatives {got.negatives}: {got.silent} quiet, {false}"
        + (f" (and {got.beyond} led by a rule about that very thread, beyond the catalogue)" if got.beyond else "")
    )


def share(count: int, total: int) -> str:
    """`61/64 95.3 %`."""
    return f"{count}/{total} {100 * count / total:.1f} %" if total else "0/0"


def groups(judged: Sequence[Judged]) -> None:
    """The same by engine, language and kind of report."""
    for key in ("engine", "lang", "kind"):
        values = sorted({str(one.line.get(key) or "not said") for one in judged})
        for value in values:
            tell(f"  {key} {value}", [one for one in judged if str(one.line.get(key) or "not said") == value])


def misses(judged: Sequence[Judged]) -> None:
    """Every report that came out otherwise than it should, and why."""
    for one in judged:
        lead = f"{one.named[0][0]} {one.named[0][1]}" if one.named else "nothing"
        if one.expected is None:
            if one.named and not one.own_thread:
                print(f"  {one.line.get('id')}: named {lead}, expected nothing")
        elif not one.firm:
            print(f"  {one.line.get('id')}: leads {lead}; expected {one.expected}: {reason(one)}")


def reason(one: Judged) -> str:
    """Why the right rule does not lead firmly."""
    if (one.expected or "").startswith("no rule"):
        return "the catalogue's failure has no rule"
    found = next((finding for finding in one.report.findings if finding.rule == one.expected), None)
    if found is None:
        return "no sign of it was seen"
    if found.status == "ruled_out":
        return "ruled out: " + "; ".join(fact.says for fact in found.deciding)
    lacking = "; ".join(ask.question for ask in found.missing[:2])
    return f"{found.status} (exposure {found.exposure}, signature {found.signature}); not known: {lacking or 'nothing'}"


def text_of(line: Line) -> str:
    """All that a report says, as one text."""
    return "\n".join(str(line.get(key) or "") for key in KEYS[1:])


def by_bm25(texts: Sequence[str]) -> list[Ranked]:
    """The ranking of each text by BM25 over the rules' text."""
    index, every = Index([entry(one) for one in catalogue()]), len(catalogue())
    return [[(one.rule.id, one.weight) for one in index.nearest(text, every)] for text in texts]


def by_embedding(texts: Sequence[str]) -> list[Ranked]:
    """The ranking of each text by the cosine of its sentence embedding with each rule's."""
    assert embedding.as_published(), "the embedding is not the one it should be"
    rules = catalogue()
    known = embedding.vectors([" ".join(" ".join(part) for part in parts(rule)) for rule in rules])
    asked = embedding.vectors(texts)
    ids = [rule.id for rule in rules]
    ranked = ((zip(ids, map(float, row), strict=True)) for row in asked @ known.T)
    return [sorted(one, key=lambda pair: -pair[1]) for one in ranked]


def beside(title: str, judged: Sequence[Judged], rank: Callable[[Sequence[str]], list[Ranked]]) -> None:
    """The figures of a ranking that always names something, and of it at the threshold that names no negative."""
    ranked = rank([text_of(one.line) for one in judged])
    highest = max((row[0][1] for one, row in zip(judged, ranked, strict=True) if not one.expected and row), default=0.0)
    positives = [(one.expected, row) for one, row in zip(judged, ranked, strict=True) if one.expected]
    first = sum(bool(row) and row[0][0] == expected for expected, row in positives)
    third = sum(expected in [rule for rule, _ in row[:3]] for expected, row in positives)
    safe = sum(bool(row) and row[0][0] == expected and row[0][1] > highest for expected, row in positives)
    print(
        f"{title:<28} recall@1 {share(first, len(positives))}  @3 {share(third, len(positives))}  "
        f"at zero false alarms {share(safe, len(positives))}"
    )


def without(lines: Iterable[Line], key: str) -> list[Line]:
    """The same reports, one of their texts removed."""
    return [{**line, key: ""} for line in lines]


def main() -> None:
    """Print every figure there is input for."""
    print("rule cases:", run_cases().lines[-1])
    share_of, files = excerpts.total()
    print(f"log excerpts: {share_of.percent:.1f} % of {share_of.lines} lines in {files} files understood")
    reports, known = os.environ.get("REPORTS"), os.environ.get("CATALOGUE")
    if not reports or not known:
        print("labelled reports: not measured (give REPORTS=file.jsonl CATALOGUE=file.yaml)")
        return
    lines = [json.loads(line) for line in Path(reports).read_text(encoding="utf-8").splitlines() if line.strip()]
    rules = truths(Path(known))
    print(f"catalogue: {sum(map(bool, rules.values()))} of {len(rules)} failures have a rule", end="")
    print("".join(f"\n  no rule: {name}" for name, rule in rules.items() if not rule))
    judged = judge(lines, rules)
    tell("reports as they are", judged)
    groups(judged)
    print("every report that does not come out as it should:")
    misses(judged)
    tell("without the log", judge(without(lines, "log"), rules))
    tell("without the version", judge(without(lines, "version"), rules))
    beside("BM25 over the rules' text", judged, by_bm25)
    if missing := embedding.lacking():
        print(f"MiniLM embedding: not measured (not installed: {', '.join(missing)}; make quality installs them)")
    else:
        beside("MiniLM embedding", judged, by_embedding)


if __name__ == "__main__":
    main()
