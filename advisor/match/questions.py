"""What to ask next: the residue of undecided rules, and the evidence the leading findings still want.

Each question is asked once, with the rules it would help to decide. Evidence wanted by what leads comes first: at
three in the morning the next capture matters more than completeness.
"""

from __future__ import annotations

from advisor.match.conditions import evaluate
from advisor.match.judge import Verdict
from advisor.match.view import View
from advisor.model.outcome import Missing
from advisor.model.report import Question
from advisor.model.rule import Wanted
from advisor.model.truth import Truth

WEIGHT = {"matched": 8.0, "likely": 4.0, "possible": 2.0, "exposed": 1.0}
OPENING = (
    Missing(
        "build",
        "Which engine and which exact build is running: version, commit, or image digest?",
        "pip show ENGINE | head -2, or the first lines of the log",
    ),
    Missing(
        "launch",
        "What is the whole command line, with its environment?",
        "ps -ww -o args -p PID; tr '\\0' '\\n' </proc/PID/environ",
    ),
    Missing("symptom", "What do you see: a hang, a crash, wrong output, a refusal to start?", ""),
)


def wanted(verdict: Verdict, view: View) -> list[Wanted]:
    """The evidence this rule still wants that is not here yet."""
    return [
        one for one in verdict.rule.wanted if one.unless is None or evaluate(one.unless, view).truth is not Truth.YES
    ]


def missing(verdict: Verdict, view: View) -> list[Missing]:
    """What would settle a shown verdict, exposure first."""
    asks: list[Missing] = []
    if verdict.exposure.truth is Truth.UNKNOWN:
        asks += verdict.exposure.missing
    if verdict.status in ("likely", "possible") and verdict.signature.truth is Truth.UNKNOWN:
        asks += verdict.signature.missing
    return [view.asked(ask) for ask in dict.fromkeys(asks)]


def questions(verdicts: list[Verdict], view: View, limit: int = 12) -> tuple[Question, ...]:
    """The questions worth asking, most useful first, at most `limit`."""
    leading = [one for one in verdicts if one.status in ("matched", "likely")][:2]
    asked: dict[str, Question] = {}
    for verdict in leading[:1]:
        for want in wanted(verdict, view):
            asked[want.what] = Question(f"wanted:{verdict.rule.id}", want.what, want.run or "", (verdict.rule.id,))
    weight: dict[str, float] = {}
    asks: dict[str, Missing] = {}
    rules: dict[str, list[str]] = {}
    for place, verdict in enumerate(verdicts):
        for ask in missing(verdict, view):
            asks.setdefault(ask.about, ask)
            rules.setdefault(ask.about, []).append(verdict.rule.id)
            weight[ask.about] = weight.get(ask.about, 0.0) + WEIGHT.get(verdict.status or "", 0.0) / (1 + place)
    for about in sorted(asks, key=lambda one: (-weight[one], one)):
        ask = asks[about]
        asked.setdefault(ask.question, Question(about, ask.question, ask.how, tuple(dict.fromkeys(rules[about]))))
    if not any(one.status in ("matched", "likely", "possible") for one in verdicts):
        for ask in opening(view):
            asked.setdefault(ask.question, Question(ask.about, ask.question, ask.how, ()))
    return tuple(asked.values())[:limit]


def opening(view: View) -> list[Missing]:
    """What to ask first when nothing stands out: the build, the launch, the symptom, whichever is not known."""
    case = view.case
    known = {
        "build": bool(case.build.engine) and case.build.known(),
        "launch": any(launch.complete for launch in case.launches),
        "symptom": any(fact.notable for fact in case.facts),
    }
    return [ask for ask in OPENING if not known[ask.about]]
