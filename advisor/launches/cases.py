"""Whose run a place in prose speaks of: this deployment's, a trial's that changed nothing, or another one's.

    it hangs with --dp 8                              -> neither: this is how the deployment runs
    tried --enforce-eager, still hangs                -> tried: what was seen was seen without it as well
    NCCL_PROTO=Simple and NCCL_ALGO=Ring, no change   -> tried, both
    no problem when --dp 1; 换成 tp=1 正常             -> elsewhere: a control run; and helped: it cured
    NCCL_P2P_DISABLE=1 makes it start                 -> helped, too
    works with TP=2 for an hour, then hangs           -> neither

    can I use -pp 3? 能不能用 -pp 3？                  -> elsewhere: it is asked whether one may
    we do not use -pp 3; 我们没有用 -pp 3              -> elsewhere: it is said not to be in force

A clause decides, with the verdict that may follow it. Nothing found means that the text speaks of the deployment.
"""

from __future__ import annotations

import re
from functools import cache, lru_cache
from typing import TYPE_CHECKING

from advisor.launches.prose import Prose
from advisor.model.shape import Shape

if TYPE_CHECKING:
    from advisor.scan.several import Several

_FOR_A_WHILE = (
    r"(?!\s*(?:for\b|until\b|till\b|up to\b|about\b|around\b|at first\b|initially\b|a while\b|~|\d"
    r"|跑|运行|服务|一会|一段|几|后|之后))"
)  # works for 20 minutes, 正常运行一小时后
FINE = (
    r"(?:(?<!not )(?<!n't )(?<!never )(?<!longer )(?<!stops )(?<!stopped )"
    rf"\b(?:works?|worked|working|fine|ok|okay|stable)\b{_FOR_A_WHILE}"
    rf"|\bno (?:such )?(?:problems?|issues?|hangs?|errors?|crash(?:es)?)\b{_FOR_A_WHILE}"
    r"|\b(?:helps|helped|cures?|cured|solve[sd]|disappear\w*|goes away|went away|is gone)\b"
    r"|(?<!not )(?<!n't )(?<!never )\b(?:makes?|made|lets?|gets?|got) (?:it|the \w+|this|everything|us) (?:to )?"
    r"(?:start|boot|work|run|go|launch|load|come up)\w*\b"
    r"|(?<!not )(?<!n't )(?<!never )\bfix(?:es|ed) (?:it|this|that|the \w+)\b"
    r"|\b(?:should|might|may|could|would) (?:help|work|fix|solve|do)\b"
    r"|\b(?:after (?:setting|adding|exporting)|only with|only when|once)\b[^\n]{0,60}?\bstarts?\b(?! (?:and|but|to)\b)"
    r"|\b(?:not|never|cannot|can't|doesn't|didn't|don't|won't|couldn't) (?:\w+ )?"
    r"(?:hang|happen|reproduce|occur|fail|crash|see|show up)\b"
    rf"|正常{_FOR_A_WHILE}|没问题|没有问题|没事|好好的|就好|稳定运行|不卡|不挂|不崩"
    r"|不会(?:卡|挂|崩|出现|复现|有)|不(?:复现|出现|发生)|没有?(?:复现|出现|卡|挂)|就没了|恢复正常)"
)
_FINE = Shape(rf"(?i){FINE}")
_CHANGED = Shape(
    r"(?i)(?:\b(?:chang|switch|mov|reduc|lower|dropp|go|going|went|back|fall)\w*\s+(?:\S+\s+){0,2}?(?:to|with)"
    r"|换成|换到|改成|改为|改到|切到|切换到|降到|降为|回退到)[\s`*\"']*(?:--?)?\Z"
)  # changing to dp 1, 换成 tp=1
_COMPARED = Shape(
    r"(?i)\b(?:identical|equal|compared|similar|relative) (?:to|with)|\bdiffer\w* from|\bsame as\b|\bversus\b|\bvs\b"
    r"|[和跟与同].{0,24}(?:一致|相同|一样|对比|相比)"
)  # byte identical to pp1, 和 PP=1 不一致
_CONTROL = Shape(r"(?i)\b(?:control|baseline|reference) (?:run|case|group)\b|对照")

_WRECKED = r"(?:hang|stuck|stall|crash|fail|freez|wedg|recur|deadlock|break|die|happen|reproduc|occur|same)\w*"
_TRIED = Shape(
    rf"(?i)\b(?:tried|also with|even with|regardless of|with or without|to no avail|recurs?|recurred|re-?occurs"
    rf"|(?:still|also|again) (?:\w+ ){{0,2}}?{_WRECKED} (?:\w+ )?(?:with|under|on|at)"
    r"|no (?:help|luck|effect|change|difference|use|improvement)|(?:does|did)(?:n't| not) (?:help|change|matter|fix)"
    r"|(?:does|did)(?:n't| not) (?:make|let|get) (?:it|the \w+|this) (?:to )?(?:start|boot|work|run|go|launch|load)"
    r"|(?:makes?|made) no difference|chang(?:es|ed) nothing"
    r"|same (?:problem|issue|thing|hang|error|result) (?:with|on|at|when))\b"
    r"|试过|尝试过|尝试了|试了|无效|没用|没有用|不管用|没效果|没有效果|(?:也|还是|仍然?|依然|照样|同样)(?:会)?(?:卡|一样|不行|复现|挂|崩|报|hang)"
)
_UNTRIED = Shape(r"(?i)\b(?:not|never|n't|yet to|to be) (?:\w+ )?(?:tried|try)\b|(?:没有?|未|尚未|还没)试")
_VERDICT = (
    r"[\s,，、;；:：—–(（`*]{0,6}"
    r"(?:(?:and|but|then|it|that|this|they|is|was|were|are|wedge|the|also|则|一切|就|也|都|结果)\s?){0,3}"
)
_FINE_NEXT = Shape(
    rf"(?i){_VERDICT}(?:all |perfectly |completely |runs? |很|完全)?{FINE}"
)  # `tp=1`: works; dp=1，没问题
_SAME_NEXT = Shape(
    rf"(?i){_VERDICT}(?:still )?(?:recurs?\b"
    r"|(?:exactly )?(?:the )?same (?:problem|issue|thing|hang|error|result|symptom|behaviou?r)"
    r"|no (?:help|luck|effect|change|difference|use|improvement)|(?:does|did)(?:n't| not) (?:help|change|matter)"
    r"|makes? no difference|nothing changed|一样|没用|无效|没有用|不管用|没效果|没有效果|没区别|没变化"
    r"|(?:还是|仍然?|依然|依旧|照样)(?:会)?(?:卡|一样|不行|复现|挂|崩|报|hang))"
)  # tp=1, same problem; no change
_ALL_TRIED = Shape(
    r"(?i)\b(?:all|both|each|either|none)\b.{0,24}?\b(?:tried|helped|helps?|no (?:change|effect|difference|help))\b"
    r"|都(?:试过|试了|无效|没用|不行|不管用|一样)|均(?:无效|试过|不行)"
)  # A=1, B=2 all tried, no change
_LISTED = Shape(
    r"(?:[`\"'*+&/]*|and|or|both|also|setting|with|to|set|the|和|及|以及|或|了|过|把|将|[`\"'*]*-{1,2}[\w.-]+(?:=\S*)?"
    r"|[`\"'*]*[A-Z][A-Z0-9_]+(?:=\S*)?|(?=\S*[=\d_])\S++)\Z"
)  # the words that may stand between "tried" and the last thing in its list
_TRIED_WORD = Shape(r"(?i)\b(?:tried|even with|also with)\b|试过|尝试过|尝试了|试了")


_BEFOREHAND = Shape(
    r"(?i)\b(?:before|previously|formerly|used to|until|if|would|should|could|might|may|without|unset|remov\w+|"
    r"drop\w*)\b"
    r"|之前|以前|原来|如果|去掉|删除|取消|不加|不设"
)
_MAY_I = Shape(
    r"(?i)(?:^|[\n.,;:!?(]|\band|\bbut|\bso)(?:[^\S\n]|[\"'*>-])*+(?:can|could|should|shall|may|would|will|must|does|do|did|is|are|has|have"
    r"|how (?:do|can|should|to)|what (?:if|does|do|is|are)|which|whether)\b(?! not\b)"
)
_ASKS = Shape(r"[?？]\s*+[\"'`*”」』)）]*+\s*+\Z")
_ASKS_CHINESE = Shape(
    r"(?:吗|么|嘛)\s*+[?？。]?\s*+\Z|能不能|可不可以|是否(?:可以|支持|能)|可否|能否|要不要|该不该|支不支持"
)
_FAILS = Shape(
    rf"(?i)\b{_WRECKED}|\b(?:error|slow|garbl|wrong|bug|problem|issue|timeout|oom|why|broke|corrupt|leak)|不动|没响应"
    r"|卡|崩|挂|报错|慢|乱码|出错|错误|异常|问题|为什么|为何|怎么回事|死锁|超时"
)  # why does it hang with -pp 3? asks of what was run
_DENIED = Shape(
    r"(?i)\b(?:we|i|they|you)\b(?:['’](?:re|ve|m))?(?: (?:do|did|are|am|were|was|have|had|has))? ?"
    r"(?:not|never|n['’]t)\b(?: \w+){0,2}? (?:us(?:e|ed|ing)|run(?:ning)?|ran|set(?:ting)?|pass(?:ed|ing)?"
    r"|enabl(?:e|ed|ing)|serv(?:e|ed|ing)|specify|deploy(?:ed)?|have)\b(?: (?!but\b)\S+){0,4}[\s`*\"'-]*\Z"
    r"|\bnot using(?: \S+){0,3}[\s`*\"'-]*\Z"
    r"|(?:没有?|[并尚]?未|从未|从不|不再|(?<![能可])不)(?:曾|再|使|会|在)?(?:使?用|启用|开启?|设置?|加|带|配置?|指定|传)(?:过|了)?"
    r"(?:参数|命令|选项)?[\s`*\"'：:-]*\Z"
)  # we do not use -pp 3; 我们没有用 -pp 3


_ASKED_OF_TEXTS = (
    _FINE, _FINE_NEXT, _CHANGED, _COMPARED, _CONTROL, _TRIED, _UNTRIED, _TRIED_WORD, _SAME_NEXT, _ALL_TRIED, _MAY_I,
    _ASKS, _ASKS_CHINESE, _DENIED,
)  # fmt: skip


@cache
def _several() -> Several:
    from advisor.scan.several import Several  # a check of flags asks nothing of a text

    return Several([one.pattern for one in _ASKED_OF_TEXTS], parts=True)


@lru_cache(maxsize=4)
def _possible(text: str) -> frozenset[str]:
    """What may match in some part of the text: one look for all the places in it that are asked about."""
    return _several().among(text)


def _may(prose: Prose, shape: re.Pattern[str]) -> bool:
    return shape.pattern in _possible(prose.joined)


def asked(prose: Prose, start: int, end: int) -> bool:
    """Whether the sentence asks if one may or can do so, and tells of no failure."""
    if not (_may(prose, _ASKS_CHINESE) or (_may(prose, _ASKS) and _may(prose, _MAY_I))):
        return False
    return questions(prose.sentence(start, end))


def denied(prose: Prose, start: int) -> bool:
    """Whether the clause says that what follows is not in force."""
    return _may(prose, _DENIED) and bool(_DENIED.search(prose.before(start)))


def questions(text: str) -> bool:
    """Whether words beside flags only ask whether one may: `--tp 2 支持吗`."""
    return bool(_ASKS_CHINESE.search(text) or (_ASKS.search(text) and _MAY_I.search(text))) and not _FAILS.search(text)


def fails(text: str) -> bool:
    """Whether the text tells of a failure."""
    return bool(_FAILS.search(text))


def unreal(prose: Prose, start: int, end: int) -> bool:
    """Whether what stands there is only asked about, or said not to be so."""
    return denied(prose, start) or asked(prose, start, end)


def tried(prose: Prose, start: int, end: int) -> bool:
    """Whether what stands there was tried and made no difference, or was only tried."""
    clause = prose.clause(start, end)
    if _may(prose, _UNTRIED) and _UNTRIED.search(clause):
        return False
    if (_may(prose, _TRIED) and _TRIED.search(clause)) or _listed_after_tried(prose, start):
        return True
    if not (_may(prose, _SAME_NEXT) or _may(prose, _ALL_TRIED)):
        return False
    rest = prose.rest(start, end)
    return bool(_SAME_NEXT.match(rest) or _ALL_TRIED.search(rest))


def _listed_after_tried(prose: Prose, start: int) -> bool:
    """`tried --a, --b 2 and C=3`: whether only list items stand between the word and the place."""
    if not _may(prose, _TRIED_WORD):
        return False
    before = prose.sentence_before(start)
    said = list(_TRIED_WORD.finditer(before))
    if not said:
        return False
    between = before[said[-1].end() :][-200:]
    return all(_LISTED.match(word) for word in re.split(r"[\s,，、:：]+", between))


def elsewhere(prose: Prose, start: int, end: int) -> bool:
    """Whether what stands there is how another run went: a control that was fine, a comparison, a change made later."""
    if unreal(prose, start, end):
        return True
    clause = prose.clause(start, end)
    if any(_may(prose, one) and one.search(clause) for one in (_FINE, _CONTROL, _COMPARED)):
        return True
    if _may(prose, _CHANGED) and _CHANGED.search(prose.before(start)):
        return True
    return _fine_next(prose, start, end)


def _fine_next(prose: Prose, start: int, end: int) -> bool:
    return _may(prose, _FINE_NEXT) and bool(_FINE_NEXT.match(prose.rest(start, end)))


def helped(prose: Prose, start: int, end: int) -> bool:
    """Whether with what stands there the failure was gone: a trial that cured, or a control run that was fine."""
    clause = prose.clause(start, end)
    if unreal(prose, start, end) or tried(prose, start, end) or _BEFOREHAND.search(clause) or _COMPARED.search(clause):
        return False
    return bool(_FINE.search(clause)) or _fine_next(prose, start, end)


def judged(text: str) -> bool:
    """Whether the text calls something fine."""
    return bool(_FINE.search(text))


def of_another_run(prose: Prose, start: int, end: int) -> bool:
    """Whether what stands there is not how the deployment runs."""
    return tried(prose, start, end) or elsewhere(prose, start, end)
