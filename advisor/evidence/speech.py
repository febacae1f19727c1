"""One line of prose -> the places in it that do not tell what the user's deployment does now, and why.

    Is there any DeepEP timeout?                       a question
    If it hangs, I will restart                        a condition
    Previously we got: X. Resolved by going to 0.30.0  past and cured
    README: DSpark does not support X                  words of a document
    Other users report hangs; The control hangs        another deployment

What asks for the cause of a thing ("why does it hang?", "卡死怎么解决？") states the thing. Empty: all is told of here and now.

**Source:** no tool prints this; the wording is that of issue threads of the engines, each in the tests.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from functools import cache, lru_cache

from advisor.evidence.denial import TROUBLE
from advisor.evidence.prose import pattern
from advisor.patterns import PatternSet

QUESTION, CONDITION, PAST, DOCUMENT, ANOTHER, SETTING = (
    "a question", "a condition or a wish", "past or cured", "words of a document", "another deployment",
    "a setting",
)  # fmt: skip

_ZH_TROUBLE = r"(?:卡[住死主]|死锁|假死|挂[掉起死住]|崩|超时|报错|出错|乱码|不一致|异常|¤)"
_AUXILIARY = r"(?:is|are|was|were|does|do|did|can|could|will|would|has|have|should|shall|may|might|am)"
_OPENS = (
    rf"^(?:(?:question|q|so|and|or|hi|hello|also|quick question)[:, ]+)*(?:{_AUXILIARY}(?:n't)? (?:it|this|that|there|the|these|those|"
    r"any\w*|some\w*|we|i|you|they|a|an|vllm|sglang|lmdeploy|xllm|requests?|our|my|¤|\w+ (?:hang|crash|stop|block|time)|\w+ \w+ (?:hang|crash|stop|block|time))"
    r"|how (?:is|are|to|do|does|can|should|long|often|many)\b|what\b|when\b|which\b|where\b|who\b|has any|anyone\b|anybody\b|"
    r"is it|是否|请问|会不会|有没有|是不是|能不能|能否|如何|怎么|怎样|什么|多久|为何)"
)
_PLAINLY = (
    r"^(?:does|do|did|is|are|can|could|will|would|has|have) (?:it|this|that|there|any\w*|we|i|you|vllm|sglang|lmdeploy|xllm)\b|"
    r"^(?:请问|会不会|有没有|是不是|能不能|能否|如何避免|怎么避免)"
)
_ZH_ASKS = r"吗$|吗[,。]|么$|是否|会不会|有没有|是不是|能不能|能否|如何避免|怎么避免|怎样避免"
_ZH_ASKS_LAST = _ZH_ASKS.replace("$", r"[。. !]*$")  # with the stops at the end of a line
# the thing asked about is there: why …, how do I fix …, 怎么办
_GIVEN = (
    r"\bwhy\b|\bhow (?:do|can|could|to|should)(?: i| we| one)? (?:fix|solve|resolve|cure|get rid|work ?around|debug|stop the|find out)|"
    r"\bwhat (?:causes|is causing|could cause|can cause|might cause|is wrong|(?:can|should|do) (?:i|we) do)\b|\bwhat's wrong|"
    r"\bhow come\b|为什么|为啥|为何|怎么(?:办|解决|修|处理|排查|定位|回事)|如何(?:解决|修复|处理|排查|定位)|什么原因|啥原因|哪里(?:出|有)"
)
# a question that hangs on to a statement
_TAG = (
    r"^(?:any (?:idea|hint|clue|help|thought|advice|suggest|one|workaround|fix|pointer)\w*|right|correct|normal|is (?:this|that|it) (?:a |an |the )?(?:known|"
    r"expected|normal|bug|same|right|fixed|related|something|my|possible|intended)|same as|known|what|why|how|help|ideas?|anyone|anybody|does anyone|"
    r"did anyone|has anyone|have you|can (?:you|anyone|someone|we|i)|could (?:you|anyone|someone|it|this)|do you|is there (?:a|any) (?:fix|workaround|way)|"
    r"which|where|should (?:i|we)|what's|有人|有没有|求|怎么|如何|为什么|请问|是不是|是否|这是|什么|正常吗|已知|能)"
)
# if it hangs; whether requests hang; 如果再卡死
_SUBJECT = (
    r"(?:it|this|that|they|the|a|an|any|anything|something|requests?|ranks?'?|servers?|service|engine|logs?|your|our|my|one|two|of|"
    r"you|i|we|ever|still|again|really|should|could|does|do|did|then|just|will|may|might|contains?|says?|shows?|prints?|reports?|"
    r"sees?|see|get|hit|has|have|had|is|are|was|gets?|numelin|accept|lengths?|processes|process|pods?|alert|rule|line|nodes?|there)"
)
_IF = (
    rf"\b(?:if|whether|in case|unless|should|once|when) (?:{_SUBJECT} )*(?:{TROUBLE}|killed|exits?|exited)(?:$|\W)"
    r"|\b(?:if|whether|in case) (?:the |an? |any |one |a single |some |either |another )?[\w-]+ (?:(?:ever|still|again|really|should|could|does|do|did|then|just|will|may|contains?|says?|shows?|"
    rf"prints?|reports?|raises?|throws?|has|have|had|is|are|was|gets?|an?|the|of) )*(?:{TROUBLE}|killed|exits?|exited)(?:$|\W)"
)
# if a rank dies, … the launcher blocks forever: what the program does, in the present
_THEN = (
    r"(?:^|[ ,])((?:the|all|every|each|its|both|other|another|a|an|no|\w+ (?:ranks?|workers?|processes|requests?)) (?:[\w-]+ ){0,4}?"
    r"(?:blocks?|hangs?|waits?|sits?|is stuck|are stuck|stays?|dies|die|crash(?:es)?|never|freezes?|stalls?|dead-?locks?|stops?|spins?|"
    r"loops?|keeps?|aborts?|gets? stuck|go(?:es)? (?:dead|silent)|leaks?|returns? (?:garb|wrong|err))\b)"
)
_ZH_THEN = r"[,，]([^,，。;]{0,24}(?:卡[住死主在着]|死锁|假死|挂[掉起死住]|崩|不返回|没有?响应|一直等|阻塞|不动|乱码|超时|报错))"
_NOT_STATED = (
    r"\b(?:would|will|may|might|could|can|should|must|i|we|you|please|let|let's|tell|alert|page|restarts?|collect|capture|send|file|open|"
    r"check|look|run|try|use|set|then (?:check|look|run|try|use|set|the rule|it is))\b|\?|"
    r"我|你|请|建议|可以|应该|应当|需要|就重启|告警|排查|检查|怎么|如何|吗|是否|会不会|麻烦"
)
_WISHED = r"\b(?:worried|afraid|check|see|know|wonder|test|whether|watch|alert|tell|ask)\w*\b"
_ZH_IF = (
    r"(?:如果|要是|若是?|万一|假如|一旦)(?:它|一个|某个|某|任意|任一个?|有的|主|子|进程|节点|卡|worker|scheduler|请求|引擎|实例|\d|服务|还|再|又|会|出现|发生|遇到|看到|日志|里|中|有|报|各|一直|仍|仍然|后续|以后|真的| |rank)*"
    + _ZH_TROUBLE
)
_WISH = (
    r"\b(?:worried|afraid|fear(?:s|ed)?|concern(?:ed|s)?|anxious|to do:|todo\b|want(?:s|ed)? to (?:know|check|test|see|avoid|prevent|make sure)|"
    r"wonder(?:s|ed|ing)?|curious|prevents?|preventing|avoids?|avoiding|asks? (?:if|whether)|test(?:s|ed|ing)? (?:for )?(?:hang|deadlock|crash|whether|if)|"
    r"(?:tell|know|check|see|verify|test) (?:me |us )?(?:if|whether)|in order not to|so that it does not)\b"
    rf"|\b(?:could|might) (?:be |get |also |still )?(?:{TROUBLE})"
    r"|担心|生怕|唯恐|害怕|防止|避免|想知道|想确认|看看会不会|以免|避免"
)
_CHECKBOX = r"^[-*•] \[ ?\]"
_BEFORE = (
    r"(?:^|[,;:.。(] ?)(?:previously|formerly|in the past|back then|before that|before the (?:upgrade|update|fix)|until (?:the )?(?:upgrade|update|fix|patch)|以前|曾经?|"
    r"(?:在)?之前|过去|早先|原先)\b?|\bused to (?:hang|crash|get|time|dead|fail|freez|see|be)|(?:^|[,;.] ?)on (?:the|our|an?) old(?:er)?\b"
    r"|\b(?:hangs?|hung|crashed|froze|failed|died|timed out|happened|stuck)(?: \w+){0,4} (?:previously|formerly|in the past|before(?: the (?:upgrade|update|fix))?)$"
)
_EXPLAINED = r"\b(?:was|were) (?:caused by|because of|due to) (?:an?|the|our|my) (?:wrong|bad|full|missing|typo|mistake|misconfig\w+|firewall|broken)\b"
_NOW = r"\bnow\b|\btoday\b|\bcurrently\b|\bthese days\b|\bstill\b|\bagain\b|\bsince\b|,|;|\. |现在|如今|目前|仍|还是|又"
_CURED = (
    r"\b(?:resolved|fixed|solved|cured) (?:by|after|with|since|in|when|once|now|through|via)\b|^(?:resolved|fixed|solved|closed)[ .!:]*(?:$|:)"
    r"|\b(?:is|are|was|were|been|got|it's|now|all) (?:now |already |since )?(?:resolved|fixed|solved)\b(?: now| already|$|[.!])"
    r"|\bnever (?:happened|occurred|seen|came back|hung|crashed|returned|recurred)(?: \w+)? (?:again|since)\b|\bnot (?:been )?(?:seen|happened|occurred|reproduced) (?:again |any ?more )?since\b"
    r"|\bafter (?:the )?(?:upgrad\w+|updat\w+|fix\w*|rebas\w+|replac\w+|patch\w+|mov\w+|switch\w+ to (?:main|\d|v\d))\b(?:[^.;]|\.\d)*(?:\bgone\b|\bfine\b|\bgood\b|no longer|\bno more\b|\bstable\b|\bworks\b|\bnever\b)"
    r"|\b(?:ticket|issue|incident|problem|case|bug)s? (?:is |was |has been |are |now |already )*(?:resolved|closed|fixed|solved)\b"
    r"|\b(?:fix|patch) (?:was |is |has been |got |already )?(?:merged|landed|released|deployed|in main)\b"
    r"|(?:^|,|;|\band) (?:now )?(?:all|everything)(?: is|'s| are)?(?: now)? (?:well|good|fine|works?|working|ok|stable)(?: now| since| again)?[.! ]*$"
    r"|(?:升级|更新|换(?:成|到|上)? ?(?:了)? ?(?:main|新版|新|最新)|修复|打(?:了|上)?补丁|合入|更换)[^,。;]{0,20}(?:后|之后|以后)[^。;]{0,30}(?:好了|正常|不再|没有?再|没再|消失|稳定|解决|没了|没有?出现|没问题)"
    r"|已(?:经)?(?:被)?(?:解决|修复|修好|恢复|好了)|(?:问题|故障|现象)(?:已经?)?(?:解决|消失|没有)了?$"
)
_UPGRADED = r"\b(?:upgrad|updat|mov|switch|bump)\w*|升级|更新|换|升到"
_OVER = (
    r"\b(?:gone|no longer|no more|never|not|without|fix(?:es|ed)?|solved|resolved|cured|stop(?:s|ped)?|disappear\w*|vanish\w*|went away|no|all)\b|n't\b|"
    r"好了|不再|没再|没有?再|没有?|不会|消失|解决|没了|修复"
)
_OLDER = (
    r"\b(?:before|previous(?:ly)?|older|earlier|old|used to|formerly|prior|last|downgrad\w*|(?:with|on) v?\d+\.\d+)\b|\bv?\d+\.\d+(?:\.\d+)?\b[^,]* was\b|"
    r"之前|以前|原来|原先|此前|过去|旧|老版|上一版|降级|回退|\d+\.\d+(?:\.\d+)?(?:版本?)?(?:上|时|都|是|就|一直|完全)"
)
# not fixed in 0.5.17; fixed by a restart, until it comes back
_UNCURED = (
    r"(?:\bnot|n't|\bnever|\bun|\bbeing)(?: (?:yet|been|really|be|completely|fully|to be))* ?(?:fixed|resolved|solved|cured|closed)\b|"
    r"\b(?:fixed|resolved|solved|cured) (?:by|after|with|through) (?:an? |the )?(?:re-?start|reboot|kill)|\bcomes? back\b|\bcame back\b|\bre-?opened\b|"
    r"(?:没有?|未|尚未|还没)(?:能|被|完全|彻底)?(?:解决|修复|修好)"
)
_DOCUMENT = (
    r"\b(?:readme|docs?|documentation|manual|wiki|faq|release notes?|changelog|change log|blog(?: post)?|paper|tutorial|guide|advisor(?: report| page)?|"
    r"chat ?gpt|the model card|prompt)(?: page)? ?(?:says?|said|states?|mentions?|warns?|claims?|lists?|notes?|tells?|reads?|explains?|recommends?|describes?|:)"
    r"|\b(?:according to|as per|per|quot(?:e|ed|ing) from|from|in) (?:the |your |our |its )?(?:readme|docs?|documentation|manual|wiki|faq|release notes?|changelog|advisor)\b"
    r"|\b(?:docs?|documentation|readme|source|code)(?: code)? only\b"
    r"|(?:文档|手册|说明书|readme|更新日志|发布说明|博客)(?:里|中|上)?(?:面)?(?:说|写|提到|指出|称|:|的)|文档(?:里|中)"
)
# another user of the same service is here; one who reports a thing is not
_REPORTS = (
    r"(?:(?:also|here|on|in|of|from|with|at|who|have|has|had|too|github|the|this|forum|thread|\w+ly) )*"
    r"(?:report|say|said|complain|mention|describ|confirm|claim|ask|post|wrote|told)\w*"
)
_ANOTHER = (
    rf"\b(?:other|another|different|some other) (?:users?|people|customers?) {_REPORTS}|"
    r"\b(?:other|some other) (?:users|people|customers) (?:also )?(?:see|saw|have|had|hit|met|experienc\w*|encounter\w*) |"
    r"\b(?:other|another|different|some other|someone else's|somebody else's|reference|friend's|colleague's) (?:cluster|clusters|deployments?|teams?|machines?|environments?|stack|setup|site|"
    r"company|companies|group|groups|project|box|boxes|engine)s?\b|(?:^|[^e] )(?:others|colleagues?|co-?workers?|someone else|somebody else|a friend) (?:\w+ )?(?:say|says|said|report|reports|reported|see|sees|saw)\b"
    r"|\bhealthy (?:run|server|cluster|system|deployment|process)\b"
    r"|(?:^|[,;.:] ?)(?:the |our |a )?(?:control|baseline|reference)(?: (?:run|experiment|group|job|test|server|deployment|stack))?(?: with(?:out)? \w+(?: decoding)?)? (?:also |still )?(?:run )?(?:hangs?|hung|crash\w*|froze|freezes|fail\w*|died|dies|stall\w*|dead\w*|got stuck|is stuck|was stuck|stops|stopped|times out)"
    r"|(?:^|[,;.:] ?)without (?:any )?(?:dspark|dflash|mtp|eagle\d?|nextn|n-?gram|specul\w+|spec(?:ulative)? decod\w+|drafts?(?:er)?|the draft\w*)[^,;]* (?:hangs?|hung|crash\w*|freez\w+|froze|fail\w*|dies|dead\w*|is stuck|gets stuck|times out)"
    r"|\bmy (?:laptop|browser|benchmark client|client|phone|terminal|ide|notebook)\b(?:'s)?"
    r"|\b(?:load|benchmark|bench|curl|test|http) client (?:hangs?|hung|froze|freezes|is stuck|crash\w*)"
    rf"|\b(?:docker pull|git clone|pip install|apt|nginx) (?:(?:is|was|gets?|got|still|always) )?(?:{TROUBLE})|\bpicture\b|\bposter\b|\bstuck in traffic\b"
    r"|(?:(?:别的|其他|其它|另一?(?:个|套|台)?|别人的?|同事的?|对照)(?:集群|环境|机器|团队|组|实验|公司|项目|部署)|"
    r"(?:别的|其他|其它|另一?个?)用户(?:也|都|曾)?(?:反馈|报告|反映|说|提到|遇到|提过)|别人(?:也|都|说|反馈|遇到|那边)|同事)[^,。;]{0,24}"
    + _ZH_TROUBLE
)
# We raised the DeepEP timeout to 300 s; timeout=100 (default)
_SETTING = (
    r"\b(?:raised?|increas(?:e|ed|ing)|lower(?:ed)?|set|sets|setting|configur(?:e|ed|ing)|changed?|bump(?:ed)?|extend(?:ed)?)(?: [\w-]+){0,4} time-?outs?\b"
    r"|\btime-?outs?(?: ?(?:=|:) ?\d+(?:\.\d+)? ?(?:m?s|sec\w*|min\w*)?(?: ?\(default\))?(?:$|[,;.])| (?:is|are|was|were) (?:set|configured|left|at (?:its|the) default)\b)"
    r"|超时(?:时间|阈值|参数)?(?:设置?|调|改|配置)(?:成|为|到|大)"
)
_ENGINES = ("vllm-ascend", "sglang", "lmdeploy", "vllm", "xllm")
_UPTO = r"\b(?:al)?though\b|\bbut\b|\bhowever\b|\bwhile\b|\bwhereas\b|但是?|不过|而我们|;"


_CUES = (
    *(_ZH_ASKS_LAST, _OPENS, _IF, _ZH_IF, _WISH, _CHECKBOX, _CURED, _EXPLAINED, _BEFORE),
    *(_DOCUMENT, _ANOTHER, _SETTING),
)


@cache
def _at_once() -> PatternSet:
    return PatternSet("(?i)" + cue for cue in _CUES)


@lru_cache(maxsize=1)  # `asides` and `cured` ask it of a line in turn
def _cues(words: str) -> frozenset[str]:
    """Those of `_CUES` that the line shows."""
    return frozenset(_CUES[number] for number in _at_once().found(words))


def asides(words: str) -> list[tuple[int, int, str]]:
    """`(start, end, why)` of what a line (of `flatten`) does not tell of the deployment here and now."""
    found: list[tuple[int, int, str]] = []
    cues = _cues(words)
    if words.endswith("?") or _ZH_ASKS_LAST in cues:
        found += _question(words)
    elif _OPENS in cues and not pattern(_GIVEN).search(words) and _asks_plainly(words):
        found.append((0, len(words), QUESTION))
    found += _conditions(words, cues)
    found += _past(words, cues)
    for text, why in ((_DOCUMENT, DOCUMENT), (_ANOTHER, ANOTHER), (_SETTING, SETTING)):
        if text in cues:
            found += ((*_sweep(words, one.start()), why) for one in pattern(text).finditer(words))
    return found


def cured(words: str) -> bool:
    """Whether a line says that what was told before it is over."""
    return _CURED in _cues(words) and _is_cured(words)


def _is_cured(words: str) -> bool:
    if pattern(_UNCURED).search(words):
        return False
    return any(not _worse_since(one.group()) for one in pattern(_CURED).finditer(words))


def _worse_since(words: str) -> bool:
    """Whether "after upgrading to B it hangs, A was fine" tells of a failure since, and what is well is left behind."""
    if not pattern(_UPGRADED).search(words):
        return False
    _, comma, last = words.replace("，", ",").rpartition(",")
    if comma and pattern(_OLDER).search(last):
        return True
    trouble = pattern(rf"\b{TROUBLE}\b|{_ZH_TROUBLE}|爆显存|爆内存|不够").search(words)
    return trouble is not None and pattern(_OVER).search(words) is None


def _asks_plainly(words: str) -> bool:
    return pattern(_PLAINLY).search(words) is not None


def _question(words: str) -> Iterator[tuple[int, int, str]]:
    if pattern(_GIVEN).search(words) or pattern(r"是否[^?]{0,30}[:：] ?(?:是|会|yes)").search(words):
        return
    comma = max(words.rfind(","), words.rfind(" - "), words.rfind("("), words.rfind(":"))
    rest = words[comma + 1 :].strip(" -(")
    opens = pattern(_OPENS).search(words) is not None
    if (
        comma > 0
        and not opens
        and (
            pattern(_TAG).search(rest) or pattern(_OPENS).search(rest) or pattern(_ZH_ASKS).search(rest.rstrip("?。. "))
        )
    ):
        yield comma, len(words), QUESTION
    else:
        yield 0, len(words), QUESTION


def _conditions(words: str, cues: frozenset[str]) -> Iterator[tuple[int, int, str]]:
    for text, states in ((_IF, _THEN), (_ZH_IF, _ZH_THEN)):
        for one in pattern(text).finditer(words) if text in cues else ():
            if not pattern(r"^(?:once|when|should|unless) ").search(one.group()):
                yield one.start(), _stated_from(words, one.end(), states), CONDITION
    for one in pattern(_WISH).finditer(words) if _WISH in cues else ():
        yield (*_sweep(words, one.start(), back=False), CONDITION)
    if _CHECKBOX in cues:
        yield 0, len(words), CONDITION


def _stated_from(words: str, start: int, states: str) -> int:
    """Where "if a rank dies the launcher blocks forever" says what happens; the end where it only says what would."""
    found = pattern(states).search(words[start:])
    if found is None or pattern(_NOT_STATED).search(words[start:]) or pattern(_WISHED).search(words[:start]):
        return len(words)
    return start + found.start(1)


def _past(words: str, cues: frozenset[str]) -> Iterator[tuple[int, int, str]]:
    if _CURED in cues and _is_cured(words):
        yield 0, len(words), PAST
        return
    if _EXPLAINED in cues:
        yield 0, len(words), PAST
    for one in pattern(_BEFORE).finditer(words) if _BEFORE in cues else ():
        rest = words[one.end() :].lstrip(", :")
        skipped = len(words) - one.end() - len(rest)
        stop = pattern(_NOW).search(rest)
        start = (
            one.start()
            if pattern(r"^[,;:.。( ]*(?:prev|former|in the|back|before|until|以|曾|在|之|过|早|原|on |used)").search(
                one.group()
            )
            else 0
        )
        yield start, one.end() + skipped + stop.start() if stop else len(words), PAST


def _sweep(words: str, start: int, *, back: bool = True) -> tuple[int, int]:
    """From the clause (or the cue) on, up to a "but"."""
    left = 0
    for one in pattern(_UPTO if back else r"[,;.]").finditer(words):
        if one.end() <= start:
            left = one.end()
    stop = pattern(_UPTO).search(words[start:])
    return (left if back else start), start + stop.start() if stop else len(words)


def of_another_engine(words: str, engine: str) -> Iterator[tuple[int, int, str]]:
    """The clauses of a line that are about another engine than the one judged."""
    whole = words.lower()
    if not any(one in whole for one in _ENGINES):
        return
    place = 0
    for piece in re.split(r"([,;。]|\. |\bbut\b|\bwhile\b|\bwhereas\b|但是?|而)", words):
        low = piece.lower()
        named = [one for one in _ENGINES if re.search(rf"(?<![\w/.-]){one}(?![\w/.-])", low)]
        if named and engine not in named and not (engine == "vllm-ascend" and "vllm" in named):
            yield place, place + len(piece), ANOTHER
        place += len(piece)
