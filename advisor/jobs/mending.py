"""One file as read -> the file with every edit that stands, and why each other was left.

One finding at a time: its change is made, the file read and judged again, and the change kept only where the finding
is gone, nothing else of the launch differs, no error is new and no harmful combination arises. Two findings whose
remedies pull one setting two ways are both left.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, replace

from advisor.jobs.fix_choice import Choice
from advisor.jobs.fix_plan import Plan, harms, plans
from advisor.jobs.lint_judging import findings_of
from advisor.jobs.redaction import redact
from advisor.launches.files.editing import Change, edited
from advisor.model.deployment import Deployment
from advisor.model.knowledge import Knowledge
from advisor.model.lint import LintFinding
from advisor.model.repair import Repair

MOST = 500  # edits of one file


@dataclass(frozen=True)
class Mended:
    """The file after its edits, what was done or left, and its findings before and after."""

    deployment: Deployment
    repairs: tuple[Repair, ...]
    before: tuple[LintFinding, ...]
    after: tuple[LintFinding, ...]


Seen = Callable[[Deployment], Deployment]


def mend(
    deployment: Deployment,
    knowledge: Mapping[str, Knowledge],
    *,
    unsafe: bool,
    suppressed: frozenset[str] = frozenset(),
    kinds: frozenset[str] = frozenset(),
    seen: Seen = lambda one: one,
) -> Mended:
    """Every edit that can be made. `suppressed` are fingerprints of findings to leave alone; `kinds` the only kinds of
    findings to edit for, all when empty; `seen` is what is judged in the place of a reading. Pure."""
    return _Mender(deployment, knowledge, unsafe, suppressed, kinds, seen).run()


class _Mender:
    def __init__(
        self,
        deployment: Deployment,
        knowledge: Mapping[str, Knowledge],
        unsafe: bool,
        suppressed: frozenset[str],
        kinds: frozenset[str],
        seen: Seen,
    ) -> None:
        self.knowledge, self.unsafe, self.suppressed, self.kinds, self.seen = knowledge, unsafe, suppressed, kinds, seen
        self.now = deployment
        self.before = self.judged = findings_of(seen(deployment))
        self.lines = {one.fingerprint: one.region.line for one in self.before}
        self.quiet = {(one.id, one.workload) for one in self.before if one.fingerprint in suppressed}
        self.originals = {one.fingerprint for one in self.before}
        self.repairs: list[Repair] = []
        self.settled: set[str] = set()

    def run(self) -> Mended:
        self._conflicts(self._wanted())
        for _ in range(MOST):
            plan = next((one for one in self._wanted() if one.finding.fingerprint not in self.settled), None)
            if plan is None:
                break
            self.settled.add(plan.finding.fingerprint)
            self._mend(plan)
        self.repairs.sort(key=lambda one: (one.line, one.id))
        return Mended(self.now, tuple(self.repairs), self.before, self.judged)

    def _wanted(self) -> list[Plan]:
        found = plans(self.seen(self.now), self.judged)
        return [one for one in found if self._is_wanted(one.finding)]

    def _is_wanted(self, one: LintFinding) -> bool:
        """Not suppressed; a finding whose facts an edit changed is the one it was by rule and workload."""
        if self.kinds and one.kind not in self.kinds:
            return False
        if one.fingerprint in self.originals:
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

    def _mend(self, plan: Plan) -> None:
        allowed = self._allowed(plan)
        if not allowed:
            self._left(plan, "not made without --unsafe")
            return
        why = ""
        for choice in allowed:
            done = edited(self.now, choice.changes, self.knowledge)
            problem = done.problem or self._objection(plan, done.deployment)
            if not problem:
                self.now, self.judged = done.deployment, findings_of(self.seen(done.deployment))
                self.repairs.append(self._repair(plan, choice, True, "", done.shared))
                return
            why = why or problem
        self._left(plan, why)

    def _objection(self, plan: Plan, after: Deployment) -> str:
        """Why the edited file is no better; "" when it is."""
        judged, had = findings_of(self.seen(after)), {(one.id, one.workload) for one in self.judged}
        finding = plan.finding
        worse = [one.id for one in judged if one.level == "error" and (one.id, one.workload) not in had]
        if worse:
            return f"it would bring {', '.join(dict.fromkeys(worse))}"
        if any(one.fingerprint == finding.fingerprint for one in judged) or (
            finding.kind == "exposure"
            and any((one.id, one.workload) == (finding.id, finding.workload) for one in judged)
        ):
            return "the finding would remain"
        harmful = harms(self.seen(after)) - harms(self.seen(self.now))
        return f"it is advised against: {min(harmful)[2]}" if harmful else ""

    def _left(self, plan: Plan, why: str) -> None:
        if not any(one.says == plan.finding.says and _same(one, plan.finding) for one in self.repairs):
            choice = next(iter(self._allowed(plan)), plan.choices[0])
            self.repairs.append(self._repair(plan, choice, False, why))
        self.settled.add(plan.finding.fingerprint)

    def _repair(self, plan: Plan, choice: Choice, done: bool, why: str, shared: tuple[str, ...] = ()) -> Repair:
        one = plan.finding
        line = self.lines.get(one.fingerprint, one.region.line)
        return Repair(one.id, one.workload, line, one.says, redact(choice.says()), choice.edit, done, why, shared)


def _same(one: Repair, finding: LintFinding) -> bool:
    return (one.id, one.workload) == (finding.id, finding.workload)


def _outcome(change: Change) -> str:
    return repr(replace(change, typed="")) if not change.do.startswith("remove") else "remove"
