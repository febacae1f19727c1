"""One line of prose -> the places in it that are denied: said not to have happened, or to be gone.

    No DeepEP timeout was seen.            from "No" on
    DeepEP timeout: 没有出现                the whole clause
    NumelIn does not differ between ranks  the whole clause
    hang: no · | hang | no | · 卡死：无     the whole line (`refused_label`)

A lack that is itself the failure ("no response", "has no attribute", "没有返回") is not a denial. Empty: nothing is denied.

**Source:** no tool prints this; the wording is that of issue threads of the engines, each in the tests.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from functools import cache, lru_cache
from itertools import pairwise

from advisor.evidence.prose import pattern
from advisor.model.shape import Shape
from advisor.scan.several import Several

TROUBLE = (
    r"(?:hangs?|hung|hanging|stuck|freez(?:e|es|ing)|froze|frozen|dead-?lock(?:s|ed|ing)?|stall(?:s|ed|ing)?|lock(?:s|ed|ing)? up|"
    r"crash(?:es|ed|ing)?|die[sd]?|dying|fail(?:s|ed|ing)?|tim(?:e|es|ed|ing)[ -]?out|time-?outs?|garbled|garbage|corrupt\w*|wrong|"
    r"wedge[sd]?|abort(?:s|ed|ing)?|differ(?:s|ed|ing|ent)?|mismatch(?:e[sd])?|unequal|diverge[sd]?|errors?|¤[¤ ]*)"
)
_EDGE = (
    r"[,;。|()]|\. |[!?]| [-–—] |—|\b(?:but|however|though|although|while|whereas|yet|because|then|even)\b"
    r"|但是?|然而|不过|却|而是|\band (?:it|the|we|i|all|then|now|service|server|requests|ranks|everything|one|gets?|is|are|has|still|"
    rf"every|each|decode|both|{TROUBLE})\b"
)
# "no", where what is lacking is not itself the failure
_NO = r"\b(?:no|zero|without(?: any)?|nor|neither)\b|(?:^|[ (>:=])0 (?:lines?|hits?|times?|hangs?|errors?|match|occur|cases|dead|time|crash)"
_LACK = (
    r"^ ?(?:attribute|method\b|member\b|symbol\b|field\b|available|successful|response|progress|longer|module|such|more\b|repl(?:y|ies)|answers?\b|returns?\b|"
    r"output|(?:new |further )?tokens?|heart-?beat|decode|kernel image|space|memory|free|difference between|matter|idea|clue|way|util|percent|load|"
    r"wonder|doubt|warning|reason)"
)
_ADVERB = r"(?: (?:yet|ever|even|once|actually|really|be|been|to|have|had|any ?more|again|longer))*"
_NOT = r"(?:\bnot|n't|\bnever|\bcannot|\bno longer)"
# what follows is denied
_REFUSED = (
    rf"{_NOT}{_ADVERB} (?:see|saw|get|getting|hit|hitting|print|prints|printed|show|shows|report|reports|have|experienc\w*|"
    r"encounter\w*|reproduc\w*|contain\w*|mention\w*|stuck|(?:an?|the|about|related|due|caused by) )"
    rf"|{_NOT}{_ADVERB} {TROUBLE}\b|^not ¤"
    r"|(?:^|[ :])(?:0|zero|no) (?:lines?|hits?|match(?:es)?|occurrences?|results?)\b|\b(?:do|does|did)(?: not|n't) find\b|\b(?:unable to|fail(?:s|ed)? to|tr(?:y|ied) and failed to) reproduce\b"
    r"|\bstop(?:s|ped)? (?:hanging|crashing|freezing|timing out|dead-?locking|failing)\b"
    r"|\b(?:rules?|ruled|ruling) out\b"
)
# "couldn't get a response" is the failure
_UNANSWERED = (
    r"^ ?(?:(?:an?|any|the|its) )*(?:response|repl|answer|tokens?|output|result|return|through|past|further|back)"
)
_KEPT = r"^[^,;]{0,60}\bnot (?:the|a) (?:same|first|only|last)\b|\bnot only\b"
# the clause as a whole is denied
_UNSEEN = (
    rf"{_NOT}{_ADVERB} (?:seen|observed|reproduc\w*|happen(?:s|ed|ing)?|occur(?:s|red|ring)?|recur(?:s|red)?|"
    r"appear(?:s|ed)?(?: (?:in|on|any|there|again|at)\b|$)|reported|there|present|the case|fired?|fires|trigger\w*|printed|logged|"
    r"show(?:s|n|ed)?(?: up)?$|reproducible|affected|differ(?:s|ed|ent)?|unequal)"
    r"|(?:hangs?|hanging|problems?|issues?|errors?|time-?outs?|it|that|symptoms?|dead-?locks?|crash(?:es)?|failures?|messages?|mismatch|¤)[ ¤]*"
    r" ?(?:(?:is|are|was|were|has|have) )?(?:now |all |completely |been )*(?:gone|vanish(?:es|ed)|disappear(?:s|ed)?|goes away|went away)\b"
    r"|\b(?:hangs?|problems?|issues?|errors?|dead-?locks?|crash(?:es)?|time-?outs?)\b.* (?:did|has|have)(?: not|n't) (?:come|came) back\b"
    r"|\b(?:is|are|was|were|been|we) (?:already )?ruled out\b"
    r"|\b(?:returns?|returned|finds?|found|gives?|shows?|yields?|prints?|printed) (?:nothing|none|no (?:hits?|lines?|match\w*|result\w*))\b"
    rf"|\b(?:nothing|nobody|no one|none of (?:the|our|my|them)(?: \w+)?) (?:ever )?(?:{TROUBLE}|reports?|sees?|saw|has seen|complains?|"
    rf"is (?:{TROUBLE}))"
    r"|(?:从来没|从未|没有?|未|不再|不会|并未|并没有)(?:再|有)*(?:出现|发生|复现|遇到|见|看到|观察到|触发)(?:过|了|任何问题)*$"
    r"|(?:没有了|没了|消失了?|不复现|无法复现)$|已(?:经)?(?:被)?(?:排除|消失)|排除了"
)
# what does not happen under one condition happens under another
_ELSEWHERE_ONLY = r"\breproduc\w+ (?:with|without|when|under) "
_WELL = r"\b(?:is|are|was|were) (?:completely |all |perfectly )?(?:fine|healthy|ok|irrelevant|unrelated|innocent|equal|identical)$"
_SILENCE = r"^(?: (?:any|visible|obvious|python|further|other|single))* (?:errors?|exceptions?|tracebacks?|logs?|warnings?|messages?)\b|^(?:任何|明显)?的?(?:报错|错误|异常|日志|告警)"
_NAMED = r"^ ?(?:types?\b|codes?\b|lines?\b|like\b|such\b|about\b|named\b|of\b|from\b|with\b|in\b|[:(¤])"
# 没有 X, 未见 X, 不存在 X
_ZH_NO = (
    r"(?:从来没有?|从未|没有?|未见|未|无|不会|不再|不是|并非|并未|不存在|不至于)"
    r"(?:了|出现|发生|任何|观察到|看到|见|再|会|是|有|过|遇到|触发|导致|卡在)*"
)
_ZH_LACK = (
    r"^ ?(?:响应|返回|反应|进展|推进|输出|完成|退出|动|法|论|限|效|相等|一致|相同|同步|完|人|回复|死|用|能|必要|关系|压力|请求|流量|回应|吐|"
    r"token|增长|变化|前进|结束|解决|停|想到|办法|规律|结果|[^,。;]{0,40}(?:属性|方法|模块|字段|成员|符号)(?:$|[^,。;]{0,6}(?:错误|异常|报错|$)))"
)
_BARE = r"^(?:never|not|none|没有|从未|未|没)(?: (?:once|yet|ever))?(?: ?(?:seen|observed|happened|reproduced|here|so far|出现|见过|遇到))?(?: here| so far| yet)?$"
_BARE_UP_TO = 40  # characters, and more than it can have
_NO_VALUE = (
    r"(?:[❌✗✘x] ?)?(?:no|none|nope|never|not (?:seen|observed|reproduced|present)|never seen|0|zero|n/?a|false|absent|nothing|nil|"
    r"否|无|没有|没|未|没有出现|未出现|未见|未发现|不会|不|正常|没有发生|未发生|未复现)(?: times?| 次| so far| yet)?"
)
_LABEL = rf"^[\s>•*+-]*(?:\d+[.)] )?[^|:：=?\n]{{1,80}}(?::|：|\?|？|=)[\s*]*(?:{_NO_VALUE}|❌[^\n]*)[\s.。!*]*$"
_ROW = rf"^\s*\|[^|\n]*\|\s*(?:{_NO_VALUE}|❌[^|\n]*|✗[^|\n]*)\s*\|"
_REFUSED_LABEL = f"{_LABEL}|{_ROW}"
_MAY_REFUSE = Shape(r"[:：?？=|][\s*]*[❌✗✘xXnNzZfFaA0否无没未不正]")  # what each of them has
_LIST = r"\b(?:no|without(?: any)?) \w+(?: \w+)?(?:, ?\w+(?: \w+)?)+,? (?:or|nor) \w+"


def refused_label(line: str) -> bool:
    """Whether a line is a label or table row whose value is no: `hang: no`, `| hang | no |`, `卡死次数：0`."""
    return _MAY_REFUSE.search(line) is not None and pattern(_REFUSED_LABEL).search(line) is not None


_CUES = (_BARE, _KEPT, _ELSEWHERE_ONLY, _UNSEEN, _WELL, _REFUSED, _NO, _ZH_NO, _LIST)


@cache
def _at_once() -> Several:
    """What tells which cues a line can show in any of its clauses."""
    return Several(_CUES, re.IGNORECASE, parts=True)


@lru_cache(maxsize=64)  # of a sentence by more readers than one
def _cues(words: str) -> frozenset[str]:
    """Those of `_CUES` that a clause of the line can show."""
    return _at_once().among(words)


@cache
def _edge() -> re.Pattern[str]:
    return re.compile(_EDGE, re.I)


def denials(words: str, *, nouns: bool = True) -> list[tuple[int, int]]:
    """The places of a line (of `flatten`) that are denied, in order; they may overlap.

    Without `nouns` only what is said not to happen, not what there is none of ("no X", "没有 X") or what is fine.
    """
    cues = _cues(words)
    if not cues:
        return []
    found: list[tuple[int, int]] = []
    before = 0
    for left, right in clauses(words):
        clause = words[left:right]
        if _BARE in cues and _is_bare(clause.strip(" .。")):
            found.append((before, right))
        elif not (_KEPT in cues and pattern(_KEPT).search(clause)):
            found += ((left + start, left + end) for start, end in _in_clause(clause, cues, nouns))
        before = left
    if nouns and _LIST in cues:
        found += [(one.start(), one.end()) for one in pattern(_LIST).finditer(words)]
    return found


def _is_bare(clause: str) -> bool:
    return len(clause) <= _BARE_UP_TO and pattern(_BARE).search(clause) is not None


def clauses(words: str) -> Iterator[tuple[int, int]]:
    """The clauses of a line, without the commas and words between them."""
    edges = [(0, 0), *(one.span() for one in _edge().finditer(words)), (len(words), len(words))]
    for (_, left), (right, _) in pairwise(edges):
        if left < right:
            yield left, right


def _in_clause(clause: str, cues: frozenset[str], nouns: bool) -> Iterator[tuple[int, int]]:
    bare = clause.rstrip(" .。!")
    if _ELSEWHERE_ONLY in cues and pattern(_ELSEWHERE_ONLY).search(bare):
        return
    if (_UNSEEN in cues and pattern(_UNSEEN).search(bare)) or (nouns and _WELL in cues and pattern(_WELL).search(bare)):
        yield 0, len(clause)
        return
    for one in pattern(_REFUSED).finditer(clause) if _REFUSED in cues else ():
        if not pattern(_UNANSWERED).search(clause[one.end() :]):
            yield one.start(), len(clause)
    for cue, lack in ((_NO, _LACK), (_ZH_NO, _ZH_LACK)) if nouns else ():
        for one in pattern(cue).finditer(clause) if cue in cues else ():
            rest = clause[one.end() :]
            silence = pattern(_SILENCE).search(rest)  # "without any error it hangs"
            if silence and not pattern(_NAMED).search(rest[silence.end() :]):
                yield one.start(), one.end() + silence.end()
            elif not pattern(lack).search(rest):
                yield one.start(), len(clause)
