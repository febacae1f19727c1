"""Prose -> the blocks, sentences and clauses that speak of the user's own deployment.

Sample:

    ## What we ruled out
    - triton backend: it hangs there too

is two blocks, both muted: what stands under such a heading is said of another situation. An empty result means that
the text has no prose. Offsets are those of the text handed in.

**Source:** no tool prints this; the headings are those of the engines' issue and pull-request templates.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from functools import cache, lru_cache
from itertools import pairwise

from advisor.evidence.spoken import is_sentence
from advisor.model.fact import Span
from advisor.model.late import dataclass
from advisor.patterns import Pattern, compile_pattern

MAX_SENTENCE = 600


@dataclass(frozen=True, slots=True)
class Block:
    """A paragraph, bullet, heading or table row: characters `start`..`end` of a text.

    `muted`: it speaks of something else than what the user's deployment did (ruled out, expected, a fix).
    """

    start: int
    end: int
    muted: bool


# "## What we ruled out", "Expected behavior", "验证方法", "最快修复方案：…"
_OTHER_EN = (
    r"(?:what )?(?:(?:i|we)(?:'ve| have)? )?(?:already )?(?:ruled out|tried)|expect(?:ed|ation)|"
    r"control|verif\w+|validation|how to verify|"
    r"(?:proposed |suggested |possible |temporary |the )?(?:fix|fixes|solution|solutions|"
    r"work-?arounds?|remed\w+|mitigation)|modifications?|changes?|"
    r"(?:root |possible |likely |suspected )?cause|hypothes[ie]s|code pointers|checklist|pull request|"
    r"reviewed changes|reviewer notes|"
    r"show a summary|test plan|testing|self review|pre-commit checks|use cases|bc-breaking|"
    r"still needed|reference runs|related|performance|change type"
)
_OTHER_ZH = (
    r"(?:如何)?验证(?:方法|步骤|方式)?|性能验证|影响范围(?:与验证边界)?|修改|改动|解决(?:步骤|方案|方法|办法)|"
    r"(?:最快)?修复(?:方案|方法|说明)?|"
    r"临时(?:规避|方案)|规避(?:方案|措施)?|"
    r"(?:预期|期望)(?:行为|结果)?|对照(?:实验|组)?|(?:已)?排除(?:项|的)?|(?:环境|问题)?排查(?:过程|步骤)?|"
    r"根因(?:分析)?|"
    r"(?:可能)?原因(?:分析)?|问题来源|注意事项|相关(?:问题|链接)|建议"
)
_TAIL = (
    r"(?: ?\(optional\)| (?:behaviou?rs?|results?|output|experiment|steps?|overview|issues?|notes?|"
    r"experimentally|plan|cases?|checks?|method))*"
)
_OTHER_HEADING = rf"^(?:(?:{_OTHER_EN})\b|(?:{_OTHER_ZH})(?:$|[\s:：]))"
_OTHER_LINE = rf"^(?:(?:{_OTHER_EN}){_TAIL}|(?:{_OTHER_ZH}))\s*[:：]?\s*$"
_OTHER_LABEL = rf"^[\s>*•-]*(?:(?:{_OTHER_EN}){_TAIL}|(?:{_OTHER_ZH}))\**\s*[:：]"
# a heading without marks that ends such a section, and "[author]" above a comment
_OWN_LINE = (
    r"^(?:description|summary|environment|symptoms?|observed\b.*|actual\b.*|bug|problem|logs?|"
    r"reproduc\w*|steps\b.*|motivation|background|"
    r"additional\b.*|notes?|\[[\w.-]+\]|快速结论.*|适用环境.*|问题(?:场景|描述|现象)?|现象|环境|最小复现|复现.*|"
    r"报错.*|描述|背景|日志|"
    r"基线验证|判定标准)\s*[:：]?\s*$"
)
_MARKED_HEADING = r"(#{1,6}) +(.{0,80})"  # ## Expected behavior
_BREAK = r"(?<=[\s\S])(?=(?<!\S)#{2,4} [^\s#])|(?<=\s)(?=- \*\*)"  # an issue whose line ends were lost
_ITEM = r"\s*(?:[-*•|>]|\d+[.)、]|#{1,6} )"  # a line that starts a new block
# a line that a program wrote: 2026-11-29 …, I1129 …, #8 xllm::…, [rank0]: …, RuntimeError: …, --flag, export X=1
_MACHINE = (
    r"\s*(?:\[?\d{4}-\d\d-\d\d[ T]\d\d:|[IWEF]\d{4,8} |#\d+ |\[(?:rank|PG )|\(\w[^)]{0,40}pid=|(?:INFO|"
    r"WARNING|ERROR|DEBUG) \d|Traceback|File \"|frame #|--\w|export \w"
    r"|[\w.]+(?:Error|Exception)\b|[\w./-]+\.(?:py|cpp|cc|cu|h)[:\t]|[A-Z_]{4,}=|[{}\"'$<\\]|"
    r"\w+=\$?[\w({\"']|Watchdog caught|Thread 0x|PG status"
    r"|\[ *\d+\.\d{6}\] |\[\w{3} \w{3} +\d+ [\d:]{8} \d{4}\] |\w{3} +\d+ [\d:]{8} \S+ kernel: "
    r"|(?:Memory cgroup o|O)ut of memory: Kill|oom-kill:|\S+ invoked oom-killer)"
)
_FENCE = r"(?s)```.*?```"
_SENTENCE = r"(?<!e\.g)(?<!i\.e)(?<! vs)[.!?](?=\s|$)|[。！？；;]"
_CLAUSE = r"[,，、;；。:：()（）—|]|\.\s|\s-\s|\b(?:but|while|whereas|although|though)\b|但|而是"
_PLAIN = str.maketrans({"*": " ", "`": " ", "’": "'"})


@cache
def _fixed(text: str) -> re.Pattern[str]:
    """Compiled when first needed: `check` without prose pays for none of them."""
    return re.compile(text)


def _blank(found: re.Match[str]) -> str:
    return re.sub(r"[^\n]", " ", found.group())


def readable(text: str) -> str:
    """The text with lone surrogates replaced, one character for one; the linear-time engine takes only real text."""
    return text if text.isascii() else text.encode("utf-8", "replace").decode("utf-8")


def without_code(text: str) -> str:
    """The text with what stands in closed code fences blanked; offsets stay as they are."""
    return _fixed(_FENCE).sub(_blank, text) if "```" in text else text


@lru_cache(maxsize=16)  # one text is read by several readers, one after another
def blocks(text: str, machine: bool = False) -> tuple[Block, ...]:
    """The blocks of a text in order; lines that a program wrote are left out unless `machine`."""
    return tuple(_blocks(readable(text), machine))


def _blocks(text: str, machine: bool) -> Iterator[Block]:
    level = 0  # of the heading that muted what follows; 0: not muted
    for start, end, heading in _lines(text, machine):
        words = text[start:end].strip()
        if heading:
            if level and heading > level:
                yield Block(start, end, True)
                continue
            title = words.lstrip("# ").strip("* ")[:80]
            level = heading if pattern(_OTHER_HEADING).search(title) and not asks_for_a_fix(title) else 0
            yield Block(start, end, level > 0)
            continue
        if len(words) <= 40 and "\n" not in words:
            bare = words.strip("*_ ")
            if pattern(_OTHER_LINE).search(bare):
                level = 7
            elif level == 7 and pattern(_OWN_LINE).search(bare):
                level = 0
        yield Block(start, end, level > 0 or _is_labelled(words[:60]))


def _is_labelled(words: str) -> bool:
    """Whether words begin with a label of another section: `最快修复方案：…`."""
    return (":" in words or "：" in words) and pattern(_OTHER_LABEL).search(words) is not None


def _lines(text: str, machine: bool) -> Iterator[tuple[int, int, int]]:
    """`(start, end, heading level)` of every block: wrapped lines of one paragraph belong together."""
    begin = -1
    place = 0
    for line in text.splitlines(keepends=True):
        stop = place + len(line)
        bare = line.strip()
        alone = not bare or (not machine and _fixed(_MACHINE).match(line) is not None and not is_sentence(bare))
        headed = bare.startswith("#") and not bare[1:2].isdigit()  # not a wrapped "#1234 has the details"
        if begin >= 0 and (alone or headed or _fixed(_ITEM).match(line)):
            yield from _cut(text, begin, place)
            begin = -1
        if not alone:
            if headed:
                yield from _cut(text, place, stop)
            elif begin < 0:
                begin = place
        place = stop
    if begin >= 0:
        yield from _cut(text, begin, place)


def _cut(text: str, start: int, end: int) -> Iterator[tuple[int, int, int]]:
    edges = [start, end]
    if "#" in text[start + 1 : end] or "- **" in text[start:end]:
        edges[1:1] = [found.start() for found in _fixed(_BREAK).finditer(text, start, end) if found.start() > start]
    for begin, stop in pairwise(edges):
        heading = _fixed(_MARKED_HEADING).match(text[begin:stop].lstrip()[:90])
        yield begin, stop, len(heading.group(1)) if heading else 0


@lru_cache(maxsize=128)  # as of `blocks`: the readers ask in turn
def sentences(text: str, start: int, end: int) -> tuple[tuple[int, int], ...]:
    """The sentences of a block; one that is overlong is cut, so that work stays linear."""
    return tuple(_sentences(text, start, end))


def _sentences(text: str, start: int, end: int) -> Iterator[tuple[int, int]]:
    begin = start
    for found in _fixed(_SENTENCE).finditer(text, start, end):
        yield from _pieces(begin, found.end())
        begin = found.end()
    if begin < end:
        yield from _pieces(begin, end)


def span_of(text: str, start: int, end: int, artifact: str, first_line: int) -> Span:
    """The lines of a sentence without the white space around it; the text begins on `first_line` of the artifact."""
    inner = text[start:end]
    start += len(inner) - len(inner.lstrip())
    line = first_line + text.count("\n", 0, start)
    return Span(artifact, line, line + text.count("\n", start, start + len(inner.strip())))


def _pieces(start: int, end: int) -> Iterator[tuple[int, int]]:
    for begin in range(start, end, MAX_SENTENCE):
        yield begin, min(end, begin + MAX_SENTENCE)


# said of another situation
_ELSEWHERE = (
    r"\bwould\b|\bif (?:you|one (?:wants?|sets?|enables?|disables?|uses?|runs?|tries|"
    r"looks?|needs?|adds?|turns?|sends?|starts?|gets?|sees?|is|has|does|can|could|will|may|were|was))\b|"
    r"\bin case of\b|\bshould (?:not|never|no longer)\b|\btodo\b|\bhope\b|"
    r"\bnot proven\b|\bhypothe|(?:similar to|described in|same as|see) #\d"
    r"|\bunlike\b|look-?alike|\bmake sure\b|\bplease (?:check|verify|make)|\b(?:could|might|"
    r"may)(?: also)? (?:lead|cause)|\bthis pr\b|\breference \w+ stack\b"
    r"|如果你|以便|可考虑|建议|^[\s•-]*(?:确认|检查|核对)|本 ?pr|该 ?pr|^[\s•-]*(?:原来|改后|修改前|修改后)"
)
# the subject line of a change
_FIX_TITLE = (
    r"^[\s\d•.)\[-]*(?:(?:bug ?fix|fix(?:es|ed)?|feat|refactor)(?:\]|\([^)]*\)|\[[^\]]*\])*[:：]? |"
    r"(?:prevents?|avoids?|guards?|resolves?|addresses|ensures?|adds?|clears?|handles?) "
    r"|(?:\[?pr\]? ?)?#?\d* ?(?:修复|解决|避免|防止|杜绝)[^后之了])"
)


_ELSEWHERE_OR_FIX = f"{_ELSEWHERE}|{_FIX_TITLE}"


# the same line as a user writes it, who wants the fix; and that the failure is met here, now
_FIX_WANTED = r"^[\s\d•.)\[#-]*(?:please |pls |can you |could you )*(?:fix(?: for)? |(?:修复|解决)(?:一下)?)"
_FIRST_HAND = (
    r"\b(?:i|we)(?:'re|'ve| are| am| have been| also| still| often| always| sometimes| now| keep| constantly)* "
    r"(?:hit|hitting|see|seeing|get|getting|run into|running into|face|facing|experience|experiencing|meet|encounter)\b"
    r"|\b(?:i|we) (?:saw|got|ran into|met|hit) .*\b(?:daily|every|each|always|often|again|times)\b"
    r"|\b(?:hits?|bites?|hitting) us\b"
    r"|我们?(?:每天|天天|一直|经常|总是|线上|这边|现在)*(?:都|会|也)*(?:遇到|碰到|遇见)|线上(?:每天|经常|总是|一直)"
)


@cache
def pattern(text: str) -> Pattern:
    return compile_pattern("(?i)" + text)


def plain(sentence: str) -> str:
    """A sentence on one line, without Markdown's emphasis and with straight apostrophes."""
    if "*" in sentence or "`" in sentence or "’" in sentence:
        sentence = sentence.translate(_PLAIN)
    return " ".join(sentence.split())


def clause_of(sentence: str, start: int, end: int) -> tuple[int, int]:
    """The clause of `sentence` around the characters `start`..`end`."""
    left, right = 0, len(sentence)
    for found in _fixed(_CLAUSE).finditer(sentence):
        if found.end() <= start:
            left = found.end()
        elif found.start() >= end:
            right = found.start()
            break
    return left, right


def elsewhere(sentence: str) -> bool:
    """Whether a sentence speaks of a change, a condition or another deployment, not of what was seen here."""
    if pattern(_ELSEWHERE_OR_FIX).search(sentence) is None:
        return False
    if pattern(_ELSEWHERE).search(sentence) is not None:
        return True
    return pattern(_FIX_TITLE).search(sentence) is not None and not asks_for_a_fix(sentence)


def asks_for_a_fix(sentence: str) -> bool:
    """Whether a sentence that opens like a change's subject line is a user's: "Fix the hang that we hit daily"."""
    return pattern(_FIX_WANTED).search(sentence) is not None and pattern(_FIRST_HAND).search(sentence) is not None


def without_its_wish(sentence: str) -> str:
    """The sentence without the "Fix" that asks for a cure of what it then states."""
    wish = pattern(_FIX_WANTED).search(sentence) if asks_for_a_fix(sentence) else None
    return sentence[wish.end() :].strip() if wish else sentence


# a thing in such a clause is somebody else's, a past one, or one to come
_NOT_MINE = (
    r"\b(?:fix(?:ed|es)?|since|upgrad\w+|downgrad\w+|works?|worked|working|fine|stable|reference|"
    r"unlike|instead|compared|introduced|landed|releas\w+|merged|"
    r"rebased|older|newer|until|before|bump\w*|tried|requires?|need\w*|both engines)\b"
    r"|升级|回退|修复|正常|不复现|对比|参考|需要"
)


def of_another(clause: str) -> bool:
    """Whether what a clause names (a version, a card) belongs to another deployment, the past or the future."""
    return pattern(_NOT_MINE).search(clause) is not None
