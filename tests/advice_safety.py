"""`python -m tests.advice_safety`: what advice would do, over the whole catalogue, and whether each of it is said.

Every case of every rule is a launch. On each, every remedy that may apply is carried out, alone and with every other,
and judged anew by all rules, nothing left out to be quick: what it then goes against or can newly meet has to stand
beside it in the report. `fix` is run on each launch as a file. `upgrade` is asked from each launch's release, and the
release that it names is judged by `check`.
"""

from __future__ import annotations

import re
import shlex
import sys
from collections import Counter
from collections.abc import Iterable, Iterator
from dataclasses import dataclass, field, replace
from itertools import combinations

from advisor.advice.remedies import after
from advisor.catalog.engines import knowledge, named
from advisor.errors import AdvisorError
from advisor.jobs.assemble import assemble
from advisor.jobs.check import check
from advisor.jobs.consequences import CHANGES, contradiction, harms, unrun
from advisor.jobs.judging import Judgement, catalogue, judge_case, view_of
from advisor.jobs.lint_case import units
from advisor.jobs.mending import Mended, mend
from advisor.jobs.reporting import edit_for, report
from advisor.jobs.request import Request
from advisor.jobs.rule_cases import RuleCase, cases
from advisor.jobs.upgrade import UpgradeRequest, upgrade
from advisor.launches.files.recognise import read_file
from advisor.match.judge import applies, exposed_at_all, fits
from advisor.match.view import View
from advisor.model.build import parse_version
from advisor.model.case import Case
from advisor.model.deployment import Deployment, VersionSource
from advisor.model.rule import Remedy, Rule
from advisor.model.truth import Truth

SHOWN = ("matched", "likely", "possible", "exposed")
Brought = frozenset[tuple[str, str, str]]
"""What a change brings: `exposed` or `harmful`, the rule, and the advice."""
Said = frozenset[tuple[str, str, str, str]]
"""The same as a report says it, with the remedy that it takes besides."""
Offered = tuple[Rule, int, Remedy]


@dataclass
class Told:
    """What was tried, and what was found not to be as promised."""

    tried: Counter[str] = field(default_factory=Counter)
    faults: list[str] = field(default_factory=list)

    def line(self) -> str:
        """The counts."""
        return ", ".join(f"{count:,} {name}" for name, count in self.tried.items()) + f", {len(self.faults)} faults"


@dataclass(frozen=True)
class Given:
    """A rule's case, as a user would hand it over, judged, with what the report says of its remedies."""

    case: RuleCase
    judgement: Judgement
    said: dict[tuple[str, int], Said]


def given(some: Iterable[RuleCase] | None = None) -> list[Given]:
    """Every case that has to pass."""
    judged = ((one, judge_case(assemble(one.request)[0])) for one in some or cases() if not one.todo)
    return [Given(case, judgement, _said(judgement)) for case, judgement in judged]


def offered(judgement: Judgement) -> list[Offered]:
    """Each remedy, known as data, of each rule that is shown and not ruled out, where it may apply."""
    return [
        (one.rule, place, remedy)
        for one in judgement.verdicts
        if one.status in SHOWN
        for place, remedy in enumerate(one.rule.remedies)
        if remedy.do in CHANGES and fits(remedy, judgement.view)
    ]


def carried_out(case: Case, view: View, *remedies: Offered) -> Case:
    """The case after the remedies, in their order."""
    for rule, _, remedy in remedies:
        case = after(case, remedy, edit_for(view), rule.engine)
    return case


def met(judgement: Judgement) -> set[str]:
    """The rules whose failure the deployment can meet as it is."""
    return {one.rule.id for one in judgement.verdicts if one.exposure.truth is Truth.YES}


def brought(before: View, view: View, own: Iterable[str]) -> Brought:
    """What is so in the one view and was not in the other, by every rule there is; `own` may be exposed anyhow."""
    found = set()
    for rule in catalogue():
        if not applies(rule, *view.engines):
            continue
        if rule.id not in own and exposed_at_all(rule, view) and not exposed_at_all(rule, before):
            found.add(("exposed", rule.id, ""))
        found |= {("harmful", rule.id, one.what) for one in harms(rule, before, view)}
    return frozenset(found)


# check: what a remedy brings is said


def alone(some: Iterable[Given], told: Told) -> None:
    """Each remedy by itself: all that it brings stands beside it."""
    for one_case in some:
        case, judgement, said = one_case.case, one_case.judgement, one_case.said
        before = view_of(unrun(judgement.case))
        for one in offered(judgement):
            told.tried["remedies carried out"] += 1
            rule, place, _ = one
            view = view_of(carried_out(judgement.case, judgement.view, one))
            found = brought(before, view, {rule.id} | met(judgement))
            told.tried["consequences said"] += len(found)
            if found != {each[:3] for each in said.get((rule.id, place), ()) if not each[3]}:
                told.faults.append(
                    f"{case}: {rule.id} #{place}: brings {sorted(found)}, says {said.get((rule.id, place))}"
                )


def _said(judgement: Judgement) -> dict[tuple[str, int], Said]:
    """What the report says that each remedy brings, by rule and place."""
    found: dict[tuple[str, int], Said] = {}
    places = {one.what: place for rule in catalogue() for place, one in enumerate(rule.remedies)}
    for finding in report(judgement).findings:
        for one in finding.remedies:
            told = (
                (each.how, each.rule, each.says if each.how != "exposed" else "", each.beside) for each in one.brings
            )
            found[finding.rule, places[one.what]] = frozenset(told)
    return found


# two remedies together


def together(some: Iterable[Given], told: Told) -> None:
    """Each two remedies, of one rule or of two: nothing harmful comes of both that is not said of one."""
    for one_case in some:
        case, judgement, said = one_case.case, one_case.judgement, one_case.said
        before = view_of(unrun(judgement.case))
        for pair in combinations(offered(judgement), 2):
            if name := contradiction(pair[0][2], pair[1][2]):
                told.tried["pairs that contradict each other"] += 1
                _contradicted(one_case, pair, name, told)
                continue
            told.tried["pairs carried out"] += 1
            view = view_of(carried_out(judgement.case, judgement.view, *pair))
            found = brought(before, view, {rule.id for rule, _, _ in pair} | met(judgement))
            known = {one[:3] for rule, place, _ in pair for one in said.get((rule.id, place), ())}
            alone_ = {one[:3] for rule, place, _ in pair for one in said.get((rule.id, place), ()) if not one[3]}
            told.tried["pairs that bring what neither does alone"] += bool(found - alone_)
            names = " with ".join(f"{rule.id} #{place}" for rule, place, _ in pair)
            told.faults += [f"{case}: {names}: {one} is not said" for one in sorted(found - known)]


def _contradicted(one: Given, pair: tuple[Offered, Offered], name: str, told: Told) -> None:
    """Two remedies of different rules that contradict each other say so, where neither is only suggested."""
    (rule, place, remedy), (other, _, second) = pair
    if rule.id == other.id or "suggested" in (remedy.status, second.status):
        return
    told.tried["contradictions said"] += 1
    if ("contradicts", other.id, name) not in {each[:3] for each in one.said[rule.id, place]}:
        told.faults.append(f"{one.case}: {rule.id} #{place} contradicts {other.id} of {name}, and it is not said")


# fix: what it writes


def fixed(some: Iterable[Given], told: Told) -> None:
    """`fix`, and `fix --unsafe`, on each launch as a file: nothing only suggested is made, nothing harmful comes of it,
    and a failure that can be met only afterwards is told among the new findings."""
    known = {one: knowledge(one) for one in named()}
    for one in some:
        for name, text, engine, version in scripts(one.case.request):
            deployment = read_file(name, text.encode(), known)
            for unsafe in (False, True):
                told.tried["files fixed"] += 1
                mended = mend(deployment, known, unsafe=unsafe, seen=lambda each: _at(each, engine, version))  # noqa: B023
                told.tried["edits made"] += sum(each.done for each in mended.repairs)
                told.tried["edits refused"] += sum(not each.done for each in mended.repairs)
                after_ = _at(mended.deployment, engine, version)
                told.faults += [
                    f"{one.case}: {fault}" for fault in _unsafe(_at(deployment, engine, version), after_, mended)
                ]


def _unsafe(deployment: Deployment, after_: Deployment, mended: Mended) -> Iterator[str]:
    said = {each.id for each in mended.after}
    for old, new in zip(units(deployment.workloads), units(after_.workloads), strict=True):
        before, view = view_of(old.case), view_of(new.case)
        for how, other, what in brought(before, view, ()):
            if how == "harmful" or other not in said:
                yield f"fix brings {how} {other} {what}"
        was, now = ({*_changed(unit.case)} for unit in (old, new))
        for rule in catalogue():
            firm = [_data(each) for each in rule.remedies if each.status != "suggested"]
            weak = [_data(each) for each in rule.remedies if each.status == "suggested"]
            done = {each.id for each in mended.repairs if each.done}
            if rule.id in done and any(each and each <= now - was and each not in firm for each in weak):
                yield f"fix makes what {rule.id} only suggests"


def _changed(case: Case) -> Iterator[tuple[str, str]]:
    for launch in case.launches:
        yield from ((each.flag, str(each.value)) for each in launch.settings)
        yield from ((each.name, each.value) for each in launch.environment)


def _data(one: Remedy) -> frozenset[tuple[str, str]]:
    values = (*(one.set or {}).items(), *(one.env or {}).items())
    return frozenset((name, str(value)) for name, value in values if value is not None)


def scripts(request: Request) -> Iterator[tuple[str, str, str, str]]:
    """Each launch of a case as a shell script, with the engine and the release that are said to run it."""
    if not (request.engine and request.version and parse_version(request.version)):
        return
    of = knowledge(request.engine)
    head = next(iter((knowledge(of.host) if of.host else of).profile.get("commands") or ()), request.engine)
    command = head if isinstance(head, str) else " ".join(map(str, head))
    for flags in request.flags or ("",):
        typed = flags if flags.split() and not flags.split()[0].startswith("-") else f"{command} {flags}"
        exports = "".join(f"export {name}={shlex.quote(value)}\n" for name, _, value in map(_parted, request.env))
        yield "run.sh", f"{exports}{typed}\n", request.engine, request.version


def _parted(text: str) -> tuple[str, str, str]:
    return text.partition("=")


def _at(deployment: Deployment, engine: str, version: str) -> Deployment:
    """The deployment as if it said which release runs."""
    source = [replace(each, versions=(VersionSource("explicit", f"{engine}=={version}", each.place),))
              for each in deployment.workloads]  # fmt: skip
    return replace(deployment, workloads=tuple(source))


# upgrade: what it proposes


def upgraded(some: Iterable[Given], told: Told) -> None:
    """From each launch's release: of the release proposed, `check` knows no failure that `upgrade` does not name."""
    for one in some:
        for name, text, engine, version in scripts(one.case.request):
            try:
                answer = upgrade(UpgradeRequest(engine=engine, start=version, name=name, content=text.encode()))
            except AdvisorError:
                continue  # not a release that is known, or no launch: nothing is proposed
            told.tried["upgrades asked for"] += 1
            told.tried["releases skipped with their reason"] += len(answer.skipped)
            if answer.release == version:
                continue
            told.tried["upgrades proposed"] += 1
            after_ = _patched(text, answer.diff)
            flags, exported = _apart(after_)
            again = check(Request(engine=engine, version=answer.release, flags=(flags,), env=exported)).report
            can = {each.rule for each in again.findings if each.status == "exposed"}
            named_ = {each.id for each in answer.remain} | {rule for each in answer.undecided for rule in each.rules}
            if silent := can - named_:
                told.faults.append(
                    f"{one.case}: {engine} {answer.release} can meet {sorted(silent)}, and it is not said"
                )
            if can and answer.clears:
                told.faults.append(f"{one.case}: {engine} {answer.release} is said to be clear of {sorted(can)}")


def _apart(script: str) -> tuple[str, tuple[str, ...]]:
    """The command of a script, and what it exports."""
    lines = script.splitlines()
    exports = [" ".join(shlex.split(line.removeprefix("export "))) for line in lines if line.startswith("export ")]
    return "\n".join(line for line in lines if not line.startswith("export ")), tuple(exports)


def _patched(text: str, diff: str) -> str:
    """The text after a unified diff of it with one hunk or more."""
    lines, out, at = text.splitlines(keepends=True), [], 0
    for hunk in re.split(r"(?m)^(?=@@ )", diff)[1:]:
        head, *body = hunk.splitlines(keepends=True)
        start = int(re.findall(r"-(\d+)", head)[0]) - 1
        out += lines[at:start]
        at = start + sum(line[0] in " -" for line in body)
        out += [line[1:] for line in body if line[0] in " +"]
    return "".join([*out, *lines[at:]])


PARTS = (alone, together, fixed, upgraded)


def main() -> int:
    """Tries all and prints the counts; 1 where something is not as promised."""
    told = Told()
    every = given()
    told.tried["launches"] = len(every)
    for part in PARTS:
        part(every, told)
    for one in told.faults[:40]:
        print(one)
    print(f"advice: {told.line()}")
    return 1 if told.faults else 0


if __name__ == "__main__":
    sys.exit(main())
