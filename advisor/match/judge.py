"""Rule × case → verdict: can it happen here, did it, and how sure is that.

exposure \\ symptoms | signature seen | only supporting seen | not known | covered and absent
yes                 | matched        | likely               | exposed   | exposed
not known           | likely         | possible             | –         | –
no                  | ruled_out      | ruled_out            | –         | –

Where the evidence decides that the signature does *not* hold, or a contrary sign is seen, supporting signs make a
failure possible, never likely.
"""

from __future__ import annotations

from advisor.match.builds import affected
from advisor.match.conditions import evaluate, gather, holds
from advisor.match.view import View
from advisor.model.condition import Atom, atom_of
from advisor.model.fact import Fact
from advisor.model.late import dataclass
from advisor.model.once import once_each
from advisor.model.outcome import Missing, Outcome
from advisor.model.report import Status
from advisor.model.rule import Affected, Remedy, Rule
from advisor.model.truth import Truth, every, some

ASK_ENGINE = Missing("engine", "Which engine is it: vLLM, SGLang, LMDeploy or xLLM?", "ps -ww -o args -p PID")


@dataclass(frozen=True)
class Verdict:
    """One rule's judgement of one case. `status` None means there is nothing to show.

    `deciding` is what rules it out; `against` the contrary signs seen.
    """

    rule: Rule
    status: Status | None
    exposure: Outcome
    signature: Outcome
    supporting: Outcome
    deciding: tuple[Fact, ...] = ()
    against: tuple[Fact, ...] = ()

    def signs(self) -> tuple[str, ...]:
        """Keys of the symptom conditions seen to hold."""
        return tuple(dict.fromkeys((*self.signature.signs, *self.supporting.signs)))

    def symptoms(self) -> tuple[Fact, ...]:
        """The facts by which the symptoms were seen."""
        seen = [one for one in (self.signature, self.supporting) if one.truth is not Truth.NO]
        return tuple(dict.fromkeys(fact for one in seen for fact in one.because))


def status_of(exposure: Truth, signature: Truth, supporting: Truth) -> Status | None:
    """The table at the head of this module."""
    seen = signature is Truth.YES
    hinted = supporting is Truth.YES
    if exposure is Truth.NO:
        return "ruled_out" if seen or hinted else None
    if exposure is Truth.UNKNOWN:
        return "likely" if seen else "possible" if hinted else None
    refuted = signature is Truth.NO
    return "matched" if seen else "possible" if hinted and refuted else "likely" if hinted else "exposed"


def judge(rule: Rule, view: View) -> Verdict:
    """The verdict of `rule` on the case that `view` shows."""
    exposure = exposed(rule, view)
    signature = evaluate(rule.symptoms.signature, view) if rule.symptoms.signature else Outcome(Truth.UNKNOWN)
    contrary = [one for one in (evaluate(part, view) for part in rule.symptoms.contrary) if one.truth is Truth.YES]
    seen = signature.truth is Truth.YES
    if contrary:
        signature = Outcome(Truth.NO, signature.because, signs=signature.signs)
    parts = [evaluate(one, view) for one in rule.symptoms.supporting]
    supporting = gather(
        some(one.truth for one in parts), [one for one in parts if one.truth is Truth.YES], keep=Truth.YES
    )
    hinted = Truth.YES if contrary and seen else supporting.truth
    status = status_of(exposure.truth, signature.truth, hinted)
    deciding = exposure.because if exposure.truth is Truth.NO else ()
    against = tuple(fact for one in contrary for fact in one.because)
    return Verdict(rule, status, exposure, signature, supporting, deciding, against)


def speaks(rule: Rule, view: View) -> bool:
    """Whether the verdict has a status: asked before why, which takes longer and most rules need not tell."""
    symptoms = rule.symptoms
    shown = (one for one in (symptoms.signature, *symptoms.supporting) if one is not None)
    return any(holds(one, view) for one in shown) or exposed_at_all(rule, view)


def exposed_at_all(rule: Rule, view: View) -> bool:
    """Whether it can surely happen here."""
    if rule.engine != "any" and not view.case.build.engine:
        return False
    return holds(rule.exposure, view) and build_affected(rule, view).truth is Truth.YES


def fits(remedy: Remedy, view: View) -> bool:
    """Whether a remedy's own condition leaves it open here."""
    return remedy.applies_when is None or evaluate(remedy.applies_when, view).truth is not Truth.NO


def unseen(rule: Rule, exposure: Outcome) -> Verdict:
    """The verdict of a rule on a case in which nothing was seen, only set: `exposed`, or nothing to show."""
    unknown = Outcome(Truth.UNKNOWN)
    return Verdict(rule, status_of(exposure.truth, Truth.UNKNOWN, Truth.UNKNOWN), exposure, unknown, unknown)


def exposed(rule: Rule, view: View, built: Outcome | None = None) -> Outcome:
    """Can it happen here: the build is affected and the rule's exposure condition holds.

    `built` is what `build_affected` said, where it was asked already.
    """
    if rule.engine != "any" and not view.case.build.engine:  # a version number without an engine places nothing
        parts = [Outcome(Truth.UNKNOWN, missing=(ASK_ENGINE,)), evaluate(rule.exposure, view)]
    else:
        parts = [built or build_affected(rule, view), evaluate(rule.exposure, view)]
    truth = every(one.truth for one in parts)
    if truth is Truth.NO:
        return gather(truth, [one for one in parts if one.truth is Truth.NO], keep=Truth.NO)
    return gather(truth, parts, keep=Truth.YES)


def build_affected(rule: Rule, view: View) -> Outcome:
    """Is the build, or one of the components the rule ranges over, in range; YES when the rule gives no range."""
    components = [entry for entry in rule.affected if entry.component]
    engine = tuple(entry for entry in rule.affected if not entry.component)
    outcomes = [evaluate(_component(entry), view) for entry in components]
    if engine or not components:
        layer = view.layer(rule.engine)
        plain = layer.build.but(fork="") if layer.build.fork in view.engines else layer.build  # a plugin is no fork
        outcomes.append(affected(engine, plain, layer.knowledge))
    truth = some(one.truth for one in outcomes)
    return gather(truth, [one for one in outcomes if one.truth is truth], keep=truth)


@once_each
def _component(entry: Affected) -> Atom:
    start = entry.introduced.version if entry.introduced else None
    before = entry.fixed.version if entry.fixed else None
    return atom_of("component", entry.component or "", "in", (start, before))


def applies(rule: Rule, *engines: str) -> bool:
    """Whether a rule speaks about one of these engines; every rule does while the engine is not known."""
    return rule.engine == "any" or not any(engines) or rule.engine in engines
