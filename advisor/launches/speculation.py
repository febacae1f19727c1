"""Words about speculative decoding -> sayings of `speculation.method`, `speculation.on` and `speculation.tokens`.

DSPARK, MTP5, EAGLE/NEXTN, n-gram speculation, suffix decoding, 投机解码qwen3_5_mtp
method="qwen3_5_mtp", num_speculative_tokens=2; mtp draft 2 tokens; MTP (3 tokens)
speculative decoding, a draft model, 推测解码          -> on, by whatever method
(no speculative); speculation off; 未开投机解码          -> method none: the deployment runs without
without MTP it is fine; 关掉投机也没问题                  -> nothing: a control run
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Mapping
from functools import cache

from advisor.launches import cases
from advisor.launches.prose import Prose
from advisor.launches.saying import Saying
from advisor.model.shape import Shape
from advisor.scan.several import Several

_W = "A-Za-z0-9_"  # what a word is made of; Chinese characters may touch it
_METHOD = rf"(D-?Spark|DFlash|EAGLE-?3|EAGLE|NEXTN|[{_W}]+_mtp|MTP|n-?gram)"
_ANY_METHOD = rf"(D-?Spark|DFlash|EAGLE-?3|EAGLE|NEXTN|[{_W}]+_mtp|MTP|n-?gram|suffix|medusa|draft_model)"
# method="qwen3_5_mtp"
_KEYED = (
    rf"(?i)(?:speculative[_-](?:algorithm|method)|(?<![{_W}])method)[\"'`]?(?:\s*+[:=]\s*+|\s++)[\"'`]?"
    rf"{_ANY_METHOD}(?![{_W}])"
)
_SPOKEN = (
    rf"(?i)(?<![{_W}])speculati(?:ve|on)(?: decoding)?\**\s{{0,3}}[:=(]?\s{{0,3}}`?{_METHOD}(?![{_W}])(?!\.py)"
    rf"|(?:投机|推测)(?:解码|采样|推理|算法|方法|模式)?\s{{0,3}}(?:用的?是?|使用|采用|是|为|[:：=(（])?\s{{0,3}}`?{_METHOD}"
    rf"(?![{_W}])(?!\.py)"
)  # speculative decoding: `qwen3_5_mtp`, 投机解码用 eagle3
# DSPARK, MTP5, EAGLE/NEXTN
_BARE = rf"(?<![{_W}#-])(?<![a-z_.]/)(?i:{_METHOD})(?:-?(\d{{1,2}}))?(?![{_W}]|/[a-z_]|\.py|-\d)"
# suffix decoding
_BY_NAME = rf"(?i)(?<![{_W}-])(suffix|prompt[- ]lookup)[ -]?(?:decod(?:ing|er)|speculati(?:on|ve)|解码|投机|推测)"
_OFF = r"(?:off|disabled|none|not (?:used|enabled|on)|关闭?|关了|未开启?|没开|未启用|无)"
_SUBJECT = (
    r"(?:speculati(?:ve|on)(?:[ _-]?decod(?:ing|e))?|spec(?:[ _-]?dec(?:ode|oding)?)?|MTP"
    r"|(?:投机|推测)(?:解码|采样|推理)?)"
    rf"(?![{_W}])"
)
_NO_METHOD = (
    rf"(?i)(?<![{_W}])speculati(?:ve decoding|ve|on)\**\s{{0,3}}[:=：]\s{{0,3}}`?"
    rf"(?:off|none|disabled|no(?!\s{{1,3}}\w+\b(?!\s{{0,3}}[:=：])))(?![{_W}])"
    rf"|(?:投机|推测)(?:解码|采样)\s{{0,3}}[:：]\s{{0,3}}(?:关|无|未|没)"
)  # speculative decoding: off; but not of "with speculative decoding: No available shared memory"
_RUNS_WITHOUT = (
    rf"(?i)(?:(?:we|i) )?(?:(?:run|running|serve|serving|used?) )?(?:with )?"
    rf"(?:(?:no|without|w/o) |不带|不用|不开|未开启?|没有?开启?|没用|未启用|无) ?(?:any )?{_SUBJECT}"
    rf"|(?:(?:we|i) )?(?:do not|don't|are not|aren't|am not) us(?:e|ing) (?:any )?{_SUBJECT}"
    rf"|{_SUBJECT} ?(?:is |was |= ?|都)?{_OFF}(?![{_W}])"
)  # no speculation; speculation off; we do not use speculative decoding
_WHOLE = Shape(r"[\s`*\"'>-]*(?:and |but |just |plain |also )?\Z")
_HERE = Shape(r"(?i)\A\s*(?:here|at all|involved|in use)\b")
_TOKENS = (
    rf"(?i)(?:num_speculative_tokens|speculative[_-]num[_-]draft[_-]tokens|num_draft_tokens)[\"'`]?(?:\s*+[:=]\s*+|\s++)"
    rf"(\d{{1,4}})(?![{_W}])(?!\.\d)"
    rf"|(?<![{_W}.])(\d{{1,2}})\s+(?:draft|speculative) tokens(?![{_W}])"
    rf"|(?<![{_W}])(?:MTP|dspark|dflash|eagle3?|draft\w*|speculat\w+)\s{{0,3}}[(:=]?\s{{0,3}}"
    rf"(\d{{1,2}})\s+(?:draft )?tokens(?![{_W}])"
)  # "num_speculative_tokens":5, 2 draft tokens, MTP (3 tokens)
_NO = Shape(r"(?i)(?:\bno|\bw/o|\bnon|无|没用|不用|没有)[\s`*-]{0,3}\Z")  # no MTP
_IS_OFF = Shape(rf"(?i)[`*\s]{{0,3}}(?:is |was |= ?)?(?:turned )?{_OFF}(?![{_W}])")  # MTP off
_BUNDLED = Shape(r"(?i)bundled|built-?in|ships? with|内置|自带")
_OTHER = Shape(
    r"(?i)\b(?:without|unlike|instead of|rather than|no longer|not using|remov\w+|disabl\w+|turn\w* off)\b"
    r"|去掉|关闭|关掉|不开|未开|没开|不带"
)
_IN_USE = (
    rf"(?i)(?<![{_W}-])(?:speculative[ -](?:decod(?:ing|e|er)|sampling|inference|drafting)"
    r"|spec(?:ulative)?[ -]?decod(?:ing|e)"
    rf"|(?:a|the|our|its|with|and|using)\s+draft(?:er)?\s+(?:model|head)s?|draft[ -]models?|drafter)(?![{_W}])"
    r"|(?:投机|推测|猜测)(?:解码|采样|推理)|草稿模型"
)  # speculative decoding, with a draft model, 投机解码
_NOT_IN_USE = Shape(
    r"(?i)\b(?:no|not|never|w/o|without|non|nor|neither|if|unless|whether|should|would|support\w*|instead|cannot)\b[^,;.，。；]{0,30}\Z"
    r"|n't\b[^,;.，。；]{0,30}\Z|(?:没有?|未|不|无|非|关闭?|关掉|禁用|去掉|停用|如果|是否|支持)[^,;.，。；]{0,6}\Z"
)
_ASKED = Shape(r"[?？]\s*\Z")  # speculative decoding? (cases.asked knows 吗)


def read(prose: Prose) -> Iterator[Saying]:
    """Everything the text says of speculation. `none` is said only where nothing else is."""
    found: dict[str, list[re.Match[str]]] = {}
    for number, one in _patterns().finditer(prose.joined):
        found.setdefault(_PATTERNS[number], []).append(one)
    if not found:
        return
    methods = [*_methods(prose, found)]
    yield from methods
    yield from (Saying("speculation.method", "none", 2, *one.span()) for one in found.get(_NO_METHOD, ()))
    if not methods:
        yield from _none(prose, found.get(_RUNS_WITHOUT, ()))
    yield from _in_use(prose, found.get(_IN_USE, ()))
    yield from _tokens(prose, found.get(_TOKENS, ()))


_PATTERNS = (_KEYED, _SPOKEN, _BY_NAME, _BARE, _NO_METHOD, _RUNS_WITHOUT, _IN_USE, _TOKENS)
Matches = Iterable[re.Match[str]]


@cache
def _patterns() -> Several:
    return Several(_PATTERNS)


def _methods(prose: Prose, matches: Mapping[str, Matches]) -> Iterator[Saying]:
    for pattern, weight in ((_KEYED, 3), (_SPOKEN, 2), (_BY_NAME, 2), (_BARE, 1)):
        for found in matches.get(pattern, ()):
            clause = prose.clause(*found.span())
            if weight < 3 and (_OTHER.search(clause) or _BUNDLED.search(clause) or _negated(prose, found)):
                continue
            said = found.group(1) or found.group(2)
            heavier = weight + (weight == 1 and prose.in_title(found.start()))
            yield Saying("speculation.method", name(said), heavier, *found.span())
            if pattern is _BARE and found.group(2) and said.lower() == "mtp":
                yield Saying("speculation.tokens", int(found.group(2)), 1, *found.span())


def _negated(prose: Prose, found: re.Match[str]) -> bool:
    return bool(_NO.search(prose.before(found.start())) or _IS_OFF.match(prose.joined, found.end()))


def _none(prose: Prose, matches: Matches) -> Iterator[Saying]:
    """A clause that is nothing but "no speculation", with no verdict beside it: so the deployment runs."""
    for found in matches:
        start, end = found.span()
        after = prose.clause(start, end)[len(prose.before(start)) + end - start :]
        if not _WHOLE.match(prose.before(start)) or _HERE.sub("", after).strip(" `*\"'.。"):
            continue
        if cases.of_another_run(prose, start, end) or cases.judged(prose.sentence_before(start)):
            continue
        yield Saying("speculation.method", "none", 1, start, end)


def _in_use(prose: Prose, matches: Matches) -> Iterator[Saying]:
    """Speculation that is in use, whatever its method; nothing where it is asked about, denied, or only tried."""
    for found in matches:
        start, end = found.span()
        if _NOT_IN_USE.search(prose.before(start)) or _IS_OFF.match(prose.joined, end):
            continue
        clause = prose.clause(start, end)
        if _OTHER.search(clause) or _BUNDLED.search(clause) or cases.of_another_run(prose, start, end):
            continue
        if not (_ASKED.search(prose.sentence(start, end)) and not cases.fails(prose.sentence(start, end))):
            yield Saying("speculation.on", True, 1, start, end)


def _tokens(prose: Prose, matches: Matches) -> Iterator[Saying]:
    for found in matches:
        said = next(one for one in found.groups() if one)
        if not _OTHER.search(prose.before(found.start())):
            yield Saying("speculation.tokens", int(said), 2 if found.group(1) else 1, *found.span())


def name(said: str) -> str:
    """The method in the house's lower-case spelling: `D-Spark` -> dspark, `EAGLE-3` -> eagle3."""
    lower = said.lower()
    return "ngram" if lower.startswith("prompt") else lower.replace("-", "")
