"""What to ask next: the residue of undecided rules, and the evidence the leading findings still want.

Each question is asked once, with the rules it would help to decide, and what one command or one kind of file answers is
one question: eight lines to look for in a log are one log to fetch. Evidence wanted by what leads comes first: at
three in the morning the next capture matters more than completeness.
"""

from __future__ import annotations

import re
from collections.abc import Iterable
from dataclasses import replace
from functools import lru_cache

from advisor.match.builds import how_to_tell
from advisor.match.conditions import holds
from advisor.match.judge import Verdict
from advisor.match.view import View
from advisor.model.outcome import Missing
from advisor.model.report import Question
from advisor.model.rule import Wanted
from advisor.model.shape import Shape
from advisor.model.truth import Truth

LISTED = 3  # of what one capture is looked through for; all stand in the question's `asks`
_LISTED = ("Does any rank's log show ", "Is a thread of any rank seen in ")
_TRIMMED = Shape(r"(?: *\| *head(?: -\w+)*)?(?:,? or the .*)?\Z", re.S)  # … | head -2, or the first lines of the log
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
    return [one for one in verdict.rule.wanted if one.unless is None or not holds(one.unless, view)]


def missing(verdict: Verdict, view: View) -> list[Missing]:
    """What would settle a shown verdict, exposure first."""
    asks: list[Missing] = []
    if verdict.exposure.truth is Truth.UNKNOWN:
        asks += verdict.exposure.missing
    if verdict.status in ("likely", "possible") and verdict.signature.truth is Truth.UNKNOWN:
        asks += verdict.signature.missing
    return [view.asked(ask) for ask in dict.fromkeys(asks)]


def questions(verdicts: list[Verdict], view: View) -> tuple[Question, ...]:
    """The questions worth asking, most useful first; what one capture answers is one question."""
    leading = [one for one in verdicts if one.status in ("matched", "likely")][:1]
    asked = [
        Question(f"wanted:{verdict.rule.id}", want.what, want.run or "", (verdict.rule.id,))
        for verdict in leading
        for want in wanted(verdict, view)
    ]
    weight: dict[str, float] = {}
    open_: dict[str, list[tuple[Missing, str]]] = {}
    for place, verdict in enumerate(verdicts):
        asks = missing(verdict, view)
        for ask in asks:
            open_.setdefault(_capture(ask), []).append((ask, verdict.rule.id))
        for capture in {_capture(ask) for ask in asks}:
            weight[capture] = weight.get(capture, 0.0) + WEIGHT.get(verdict.status or "", 0.0) / (1 + place)
    asked += [_merged(open_[one]) for one in sorted(open_, key=lambda one: (-weight[one], one))]
    if not any(one.status in ("matched", "likely", "possible") for one in verdicts):
        asked += [Question(ask.about, ask.question, ask.how, ()) for ask in opening(view)]
    return tuple(_once(asked))


def _once(asked: list[Question]) -> Iterable[Question]:
    """Each capture asked for once, the first time, with the rules that ask for it again and how they do."""
    first: dict[str, Question] = {}
    for one in asked:
        kept = first.setdefault(_capture(one), one)
        if kept is not one:
            rules = tuple(dict.fromkeys((*kept.rules, *one.rules)))
            asks = tuple(dict.fromkeys((*(kept.asks or (kept.question,)), *(one.asks or (one.question,)))))
            first[_capture(one)] = replace(kept, rules=rules, asks=asks)
    return first.values()


def _capture(ask: Missing | Question) -> str:
    """What a question is answered with, as the command without its trimmings; its own words where only a person can."""
    return _trimmed(ask.how) or ask.question


@lru_cache(maxsize=4096)
def _trimmed(how: str) -> str:
    """The command without its trimmings; rules share many."""
    return _TRIMMED.sub("", how).strip()


def _merged(asks: list[tuple[Missing, str]]) -> Question:
    """What one capture answers, as one question: of lines and stacks a list of what to look for in it."""
    once = list({ask.question: ask for ask, _ in asks}.values())
    rules = tuple(dict.fromkeys(rule for _, rule in asks))
    first, parts = once[0], tuple(one.question for one in once)
    if len(once) == 1:
        return Question(first.about, first.question, first.how, rules)
    head = next((one for one in _LISTED if all(part.startswith(one) for part in parts)), "")
    if head:
        sought = [part.removeprefix(head).removesuffix("?") for part in parts]
        more = f"; or {len(sought) - LISTED} more" if len(sought) > LISTED else ""
        said = f"{head.rstrip()} any of these: {'; '.join(sought[:LISTED])}{more}?"
    else:
        said = " ".join(parts[:LISTED])
    return Question(first.about, said, first.how, rules, parts)


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
