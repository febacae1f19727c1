"""One file as read -> the file with every edit that stands, and why each other was left.

One finding of each case at a time: the changes are made, the file is judged again, and they are kept only where the
findings are gone, nothing else of the launches differs, no error is new and no harmful combination arises. Where
something speaks against them together, each half is tried alone, down to a single one. Two findings whose remedies pull
one setting two ways are both left.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace

from advisor.jobs.fix_choice import Choice
from advisor.jobs.fix_plan import Plan, harms, plans
from advisor.jobs.lint import Judged, Seen
from advisor.jobs.lint_judging import findings_of
from advisor.launches.files.editing import Change, edited
from advisor.model.deployment import Deployment
from advisor.model.knowledge import Knowledge
from advisor.model.lint import LintFinding
from advisor.model.repair import Repair
from advisor.redaction import redact

MOST = 500  # edits of one file
ASKED = "not made without --unsafe"

Like = tuple[str, str, str]


@dataclass(frozen=True)
class Mended:
    """The file after its edits, what was done or left, and its findings before and after."""

    deployment: Deployment
    repairs: tuple[Repair, ...]
    before: tuple[LintFinding, ...]
    after: tuple[LintFinding, ...]


@dataclass(frozen=True, slots=True)
class _Made:
    """A plan, the choice that was carried out for it, and the other launches that changed with it."""

    plan: Plan
    choice: Choice
    shared: tuple[str, ...]


def mend(
    deployment: Deployment,
    knowledge: Mapping[str, Knowledge],
    *,
    unsafe: bool,
    suppressed: frozenset[str] = frozenset(),
    kinds: frozenset[str] = frozenset(),
    seen: Seen = lambda one: one,
    judged: Judged = findings_of,
    before: tuple[LintFinding, ...] | None = None,
) -> Mended:
    """Every edit that can be made. `suppressed` are fingerprints of findings to leave alone; `kinds` the only kinds of
    findings to edit for, all when empty; `seen` is what is judged in the place of a reading, `judged` judges it;
    `before` is what it found, where that is known. Pure."""
    before = judged(seen(deployment)) if before is None else before
    return _Mender(deployment, knowledge, unsafe, suppressed, kinds, seen, judged, before).run()


class _Mender:
    def __init__(
        self,
        deployment: Deployment,
        knowledge: Mapping[str, Knowledge],
        unsafe: bool,
        suppressed: frozenset[str],
        kinds: frozenset[str],
        seen: Seen,
        judge: Judged,
        before: tuple[LintFinding, ...],
    ) -> None:
        self.knowledge, self.unsafe, self.suppressed, self.kinds = knowledge, unsafe, suppressed, kinds
        self.seen, self.judge = seen, judge
        self.now = deployment
        self.before = self.judged = before
        self.harms = harms(seen(deployment))
        self.lines = {one.fingerprint: one.region.line for one in before}
        self.untold: dict[Like, list[int]] = {}
        for one in before:
            self.untold.setdefault(_like(one), []).append(one.region.line)
        self.quiet = {(one.id, one.workload) for one in before if one.fingerprint in suppressed}
        self.repairs: list[Repair] = []
        self.settled: set[str] = set()
        self.failed: dict[str, tuple[int, str]] = {}
        self.tried = self.done = 0

    def run(self) -> Mended:
        self._conflicts(self._wanted())
        self._through()
        self.failed = {one: (done, why) for one, (done, why) in self.failed.items() if done == self.done}
        self._through()  # of what failed before another edit was made, once more: of two old names for one flag
        for plan in self._wanted():
            limit = f"past the {MOST} edits made of one file at once" if self._allowed(plan) else ASKED
            self._left(plan, self.failed.get(plan.finding.fingerprint, (0, limit))[1])
        self.repairs.sort(key=lambda one: (one.line, one.id))
        return Mended(self.now, tuple(self.repairs), self.before, self.judged)

    def _through(self) -> None:
        while plans := self._next():
            self.tried += len(plans)
            self._mend(plans)

    def _next(self) -> list[Plan]:
        """One plan of each case, as many as may be tried yet: those of one case can end each other's findings."""
        first: dict[int, Plan] = {}
        for plan in self._wanted():
            if self._allowed(plan) and plan.finding.fingerprint not in self.failed:
                first.setdefault(plan.unit, plan)
        return list(first.values())[: MOST - self.tried]

    def _wanted(self) -> list[Plan]:
        found = plans(self.seen(self.now), self.judged)
        return [one for one in found if one.finding.fingerprint not in self.settled and self._is_wanted(one.finding)]

    def _is_wanted(self, one: LintFinding) -> bool:
        """Not suppressed; a finding whose facts an edit changed is the one it was by rule and workload."""
        if self.kinds and one.kind not in self.kinds:
            return False
        if one.fingerprint in self.lines:
            return one.fingerprint not in self.suppressed
        return (one.id, one.workload) not in self.quiet

    def _conflicts(self, found: Sequence[Plan]) -> None:
        """Leaves those alone that want different things of one setting."""
        wants: dict[tuple[int, str], dict[str, list[Plan]]] = {}
        for plan in found:
            for change in next(iter(self._allowed(plan)), Choice()).changes:
                wants.setdefault((change.workload, change.name), {}).setdefault(_outcome(change), []).append(plan)
        for (_, name), outcomes in wants.items():
            if len(outcomes) > 1:
                both = list({id(one): one for each in outcomes.values() for one in each}.values())
                for plan in both:
                    others = ", ".join(sorted({one.finding.id for one in both if one is not plan}))
                    self._left(plan, f"{others or 'another place'} asks for something else of {name}")

    def _allowed(self, plan: Plan) -> list[Choice]:
        return [one for one in plan.choices if one.edit == "safe" or self.unsafe]

    def _mend(self, found: Sequence[Plan]) -> None:
        """Edits of different cases, judged together."""
        if len(found) == 1:
            self._alone(found[0])
            return
        made, after = self._made(found)
        together = [one.plan for one in made]
        if made and self._objection(made, after):
            middle = len(together) // 2
            self._mend(together[:middle])
            self._mend(together[middle:])
        for plan in found:
            if not any(plan is one for one in together):
                self._alone(plan)

    def _made(self, found: Sequence[Plan]) -> tuple[list[_Made], Deployment]:
        """The file with the first choice of each plan for which it changes."""
        made, after = [], self.now
        for plan in found:
            choice = self._allowed(plan)[0]
            done = edited(after, choice.changes, self.knowledge)
            if not done.problem and done.deployment.text != after.text:
                made.append(_Made(plan, choice, done.shared))
                after = done.deployment
        return made, after

    def _alone(self, plan: Plan) -> None:
        if not any(one.fingerprint == plan.finding.fingerprint for one in self.judged):
            return  # another edit ended it
        why = ""
        for choice in self._allowed(plan):
            done = edited(self.now, choice.changes, self.knowledge)
            problem = done.problem or self._objection([_Made(plan, choice, done.shared)], done.deployment)
            if not problem:
                return
            why = why or problem
        self.failed[plan.finding.fingerprint] = self.done, why

    def _objection(self, made: Sequence[_Made], after: Deployment) -> str:
        """Why the edited file is no better; "" when it is, and is taken with what was found in it."""
        seen = self.seen(after)
        judged, had = self.judge(seen), {(one.id, one.workload) for one in self.judged}
        worse = [one.id for one in judged if one.level == "error" and (one.id, one.workload) not in had]
        if worse:
            return f"it would bring {', '.join(dict.fromkeys(worse))}"
        if self._remains(made, judged):
            return "the finding would remain"
        now = harms(seen)
        if harmful := now - self.harms:
            return f"it is advised against: {min(harmful)[2]}"
        self.now, self.judged, self.harms = after, judged, now
        self.done += len(made)
        for one in made:  # a finding that has its fingerprint from now on is another's, of a launch that was beside it
            self.repairs.append(self._repair(one.plan, one.choice, True, "", one.shared))
        return ""

    def _remains(self, made: Sequence[_Made], judged: Sequence[LintFinding]) -> bool:
        """Whether a finding was not ended. What is said alike of launches of one name is counted: its fingerprints are
        told apart by number alone, and the next takes the number of the one that went."""
        like = {one.fingerprint: _like(one) for one in self.judged}
        before = Counter(like.values())
        there = [one for one in judged if one.kind == "exposure" or one.fingerprint in like]
        after = Counter(like.get(one.fingerprint, _like(one)) for one in there)
        ended = Counter(_like(one.plan.finding) for one in made)
        return any(after[one] > before[one] - count for one, count in ended.items())

    def _left(self, plan: Plan, why: str) -> None:
        if self.untold.get(_like(plan.finding), [0]):
            choice = next(iter(self._allowed(plan)), plan.choices[0])
            self.repairs.append(self._repair(plan, choice, False, why))
        self.settled.add(plan.finding.fingerprint)

    def _repair(self, plan: Plan, choice: Choice, done: bool, why: str, shared: tuple[str, ...] = ()) -> Repair:
        one = plan.finding
        line = self._line(one)
        return Repair(one.id, one.workload, line, one.says, redact(choice.says()), choice.edit, done, why, shared)

    def _line(self, one: LintFinding) -> int:
        """Where it stood before the edits: by its fingerprint, or the first of its like that was not told of yet."""
        untold = self.untold.setdefault(_like(one), [one.region.line])
        own = self.lines.get(one.fingerprint, one.region.line)
        line = own if own in untold or not untold else untold[0]
        if untold:
            untold.remove(line)
        return line


def _like(one: LintFinding) -> Like:
    return one.id, one.workload, "" if one.kind == "exposure" else one.says


def _outcome(change: Change) -> str:
    return repr(replace(change, typed="")) if not change.do.startswith("remove") else "remove"
