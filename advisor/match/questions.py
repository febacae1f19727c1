"""What to ask next: the residue of undecided rules, and the evidence the leading findings still want.

Each question is asked once, with the rules it would help to decide. Evidence wanted by what leads comes first: at
three in the morning the next capture matters more than completeness.
"""

from __future__ import annotations

from advisor.match.builds import how_to_tell
from advisor.match.conditions import evaluate
from advisor.match.judge import Verdict
from advisor.match.view import View
from advisor.model.outcome import Missing
from advisor.model.report import Question
from advisor.model.rule import Wanted
from advisor.model.truth import Truth

WEIGHT = {"matched": 8.0, "likely": 4.0, "possible": 2.0, "exposed": 1.0}
BUILD = "Which engine and which exact build is running: version, commit, or image digest?"
LAUNCH = Missing(
    "launch",
    "What is the whole command line, with its environment?",
    "ps -ww -o args -p PID; tr '\\0' '\\n' </proc/PID/environ",
)
SYMPTOM = Missing("symptom", "What do you see: a hang, a crash, wrong output, a refusal to start?", "")
LOG = Missing("log", "What does the log of every rank say, from its start to now?", "the files, or kubectl logs POD")
STACKS = Missing(
    "stacks",
    "Where does each rank stand, and does it move? Two stacks of every process, before anything is restarted",
    "py-spy dump --native --pid PID >rankN.1.txt; sleep 30; py-spy dump --native --pid PID >rankN.2.txt",
)
_STANDSTILL = frozenset({"symptom.hang", "symptom.watchdog", "symptom.timeout", "symptom.heartbeat_stopped"})


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
    """What to ask first when nothing stands out: build, launch, symptom, log and stacks, whichever is not known."""
    case = view.case
    seen = {fact.name for fact in case.facts if fact.notable}
    build = Missing("build", BUILD, how_to_tell(case.build.engine))
    asks = (
        (build, not (case.build.engine and case.build.known())),
        (LAUNCH, not any(launch.complete for launch in case.launches)),
        (SYMPTOM, not seen),
        (LOG, bool(seen) and not any(one.kind == "log" for one in case.artifacts)),
        (STACKS, bool(seen & _STANDSTILL) and not case.threads),
    )
    return [ask for ask, is_open in asks if is_open]
