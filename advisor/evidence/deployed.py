"""A line of prose -> which of the release numbers in it is the one deployed.

    We plan to move to 0.5.19; today 0.5.16 is deployed     0.5.16
    not on 0.28.0 any more, but on 0.31.0                   0.31.0
    after upgrading from 0.5.16 to 0.5.19 it still hangs    0.5.19
    worked on 0.5.15, broke in 0.5.16                       0.5.16

Each number is placed by the nearest words before it in its clause, else by those after it. `""` means that nothing is
said of it; a number that is planned, denied or former is never the deployed one.

**Source:** no tool prints this; the wording is that of issue threads of the engines, each in the tests.
"""

from __future__ import annotations

from collections.abc import Iterator
from itertools import pairwise

from advisor.evidence.prose import pattern
from advisor.model.late import dataclass
from advisor.model.shape import Shape

NOW, FORMER, PLANNED, DENIED = "now", "former", "planned", "denied"

_CUES = {
    PLANNED: (
        r"\b(?:plan(?:s|ned|ning)?|will (?:be )?(?:mov|upgrad|switch|go|updat|migrat|try|us|run|roll)\w*|going to|"
        r"wants? to|intend(?:s|ed|ing)?|about to|consider\w*|thinking of|wait(?:s|ing)? for|"
        r"(?:move|switch|upgrade|migrate|go|update|bump) to|next (?:week|month|release)|soon|scheduled|"
        r"should (?:i|we)|recommend\w*|"
        r"fix(?:es|ed)? (?:in|by|with)|(?:is|are|was) fixed in|before (?:moving|upgrading|going) to|target(?:s|"
        r"ing)?)\b"
        r"|计划|打算|准备|将要?|想要?(?:升|换|用)|等待|修复于|应该升"
    ),
    DENIED: (
        r"\b(?:not|never|n't|no longer|nor) (?:\w+ ){0,2}(?:on|run|running|use|using|with|in|at)\b|\binstead of\b|"
        r"\brather than\b|"
        r"\b(?:unlike|other than|not)(?: [a-z]+)? *$|不是|没有?用|不在|不再用|而非"
    ),
    FORMER: (
        r"\bfrom\b|\bwork(?:s|ed|ing)?\b|\b(?:was|were|is|are|still|all|ran|runs) (?:fine|ok|good|stable|"
        r"unaffected|clean)\b|"
        r"\bused to\b|\bpreviously\b|\bbefore\b|\bformerly\b|\bold(?:er)?\b|\buntil\b|\b(?:was|were) on\b|"
        r"\bfirst seen (?:on|in|with)\b|"
        r"\boriginally\b|\bcame from\b|\bup to\b|\bupgraded from\b|\breplac(?:ed|es|ing)\b|\bnot (?:seen|"
        r"happening|reproducible)\b"
        r"|升级前|之前|以前|从|正常|没问题|原来|原先|最早"
    ),
    NOW: (
        r"\bnow\b|\btoday\b|\bcurrent(?:ly)?\b|\bdeployed\b|\bin production\b|\b(?:we|i)(?:'re| are| am|"
        r"'m)?(?: \w+)? (?:run|use|on|running|using)\b|"
        r"\b(?:is|are|am) (?:now )?on\b|\bbut (?:on|with|in)\b|\bhangs?\b|\bhung\b|\bhanging\b|\bbr(?:oke|oken|"
        r"eaks)\b|\bfail(?:s|ed|ing)?\b|"
        r"\bcrash\w*|\bstuck\b|\bfreez\w+|\bstill\b|\bsince\b|\bstart(?:s|ed) (?:in|with|on)\b|\b(?:upgraded|"
        r"moved|switched|migrated|updated|"
        r"downgraded|rolled back|went(?: back)?) to\b|\bafter (?:upgrad|mov|switch|migrat|updat|downgrad)\w+ to\b|"
        r"\breproduc\w+ (?:on|in|with)\b|"
        r"\bhappens (?:on|in|with)\b|"
        r"现在|目前|当前|如今|线上|用的是|升级到|升级后|升到|换到|卡[住死]|挂[了死]|崩|仍|还是"
    ),
}
_CLAUSE = Shape(r"[,，;；。!?？]|\.\s|\s-\s|—")
_TO = r"(?:\bto\b|->|→|=>|到|至)[^\d]{0,24}$"
_FROM = r"(?:\bfrom\b|从)[^\d]{0,24}$"
_WELL = r"^[^,;]{0,24}\b(?:fixe[sd]|helps?|solve[sd]|cures?|is fine|was fine|works?)\b|^[^,，]{0,10}(?:解决|修复|就好)"


@dataclass(frozen=True, slots=True)
class Placed:
    """A number at `start`..`end` of a line, and its `role`: now, former, planned, denied or "" when nothing is said."""

    start: int
    end: int
    role: str


def placed(line: str, numbers: list[tuple[int, int]]) -> list[Placed]:
    """The role of each of the numbers at these places of a line, in order."""
    found: list[Placed] = []
    for left, right in _clauses(line, numbers):
        inside = [one for one in numbers if left <= one[0] < right]
        edges = [(left, left), *inside, (right, right)]
        for place, (start, end) in enumerate(inside, 1):
            before, after = line[edges[place - 1][1] : start], line[end : edges[place + 1][0]]
            earlier = found[-1] if place > 1 else None
            found.append(Placed(start, end, _role(before, after)))
            if earlier and pattern(_TO).search(before):
                found[-2:] = _moved(earlier, found[-1], line[left:right], line[end:right])
    return found


def _clauses(line: str, numbers: list[tuple[int, int]]) -> Iterator[tuple[int, int]]:
    cuts = [
        found.end()
        for found in _CLAUSE.finditer(line)
        if not any(start <= found.start() < end for start, end in numbers)
    ]
    yield from pairwise([0, *cuts, len(line)])


def _role(before: str, after: str) -> str:
    if pattern(_CUES[PLANNED]).search(before):
        return PLANNED
    for words, nearest in ((before, max), (after, min)):
        seen = [
            (one.end() if nearest is max else one.start(), role)
            for role, cue in _CUES.items()
            for one in pattern(cue).finditer(words)
        ]
        if seen:
            return nearest(seen, key=lambda one: one[0])[1]
    return ""


def _moved(source: Placed, target: Placed, clause: str, after: str) -> tuple[Placed, Placed]:
    """`from A to B`: who moved is on B; who plans to, or says that it would help, is on A."""
    still = pattern(_CUES[PLANNED]).search(clause[: max(0, clause.find(" to "))]) or pattern(_WELL).search(after)
    roles = (NOW, PLANNED) if still else (FORMER, NOW)
    return Placed(source.start, source.end, roles[0]), Placed(target.start, target.end, roles[1])
