"""Words about how an engine is run -> facts: topology, speculation, the model runner.

    two nodes (TP=2), MTP5, V2 runner      -> topology.nodes 2, topology.tp 2, speculation.method mtp,
                                              speculation.tokens 5, runner.version 2
    hangs only with TP>1                   -> topology.tp 2, "at least 2 was said"
    follow-up fixes #4568 tp>1; if pp>1    -> nothing: that is about another case, or a condition

When a text states different values, what stands as configuration (a title, a list, a table, code) counts before a
mention in passing, then the more frequent, then the first; the rest is told in a note. No fact means that the text
does not say.
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterator
from dataclasses import dataclass

from advisor.launches.prose import Prose
from advisor.model.fact import Fact, FactKind, Note, Origin, Value

FACTS: tuple[FactKind, ...] = (
    FactKind("topology.tp", "int", "tensor-parallel size", "How many ways is the model split by tensor parallelism?"),
    FactKind("topology.pp", "int", "pipeline-parallel size", "How many pipeline stages are there?"),
    FactKind("topology.dp", "int", "data-parallel size", "How many data-parallel replicas run together?"),
    FactKind("topology.ep", "int", "expert-parallel size", "How many ways are the experts split?"),
    FactKind(
        "topology.nodes", "int", "number of nodes the model is spread over", "Over how many nodes does one model run?"
    ),
    FactKind(
        "speculation.method",
        "str",
        "speculative decoding method; none when off",
        "Which speculative decoding is on, if any?",
    ),
    FactKind("speculation.tokens", "int", "draft tokens per step", "How many draft tokens per step?"),
    FactKind("runner.version", "int", "vLLM model runner, 1 or 2", "Is VLLM_USE_V2_MODEL_RUNNER set?"),
)

AT_LEAST_2 = "at least 2 was said"
_COUNT = {"one": 1, "two": 2, "three": 3, "four": 4, "eight": 8, "两": 2, "双": 2, "单": 1, "三": 3, "四": 4}
_N = r"(\d{1,4})(?![\w.])"
_LONG = {"tp": "tensor", "pp": "pipeline", "dp": "data", "ep": "expert"}

_OTHER_CASE = re.compile(
    r"(?i)\b(?:if|unless|needs?|requires?|follow-?ups?|fix(?:es|ed)?|instead|rather|without|unlike|not|no|never|cannot|"
    r"can't|doesn't|don't|didn't|should|could|would|works?|working|worked|fine|ok|okay|stable|e\.g|"
    r"switch(?:ing|ed)? to|reduc\w+|lower\w+|chang\w+ to|drafts?|drafter|previously|control)\b|#\d{3,}"
    r"|如果|假如|除非|需要|改成|改为|换成|正常|没问题|没有|不会|不能|未"
)
_RANK = re.compile(r"(?i)(?:\brank|\bworker|\bhead|\bgpu|\bstage|\bpeer)[\s\d]*[(（]?\s*\Z")
_RANK_AFTER = re.compile(r"(?i)[)\s]*(?:rank|py-spy|worker|process|idle|wedged|active|进程|卡在)")

_METHOD = r"(D-?Spark|DFlash|EAGLE-?3|EAGLE|NEXTN|\w+_mtp|MTP|n-?gram)"
_KEYED_METHOD = re.compile(
    rf"(?i)(?:speculative[_-](?:algorithm|method)|\bmethod)[\"'`]?\s*(?:[:=]|\s)\s*[\"'`]?{_METHOD}\b"
)  # method="qwen3_5_mtp"
_SPOKEN_METHOD = re.compile(
    rf"(?i)\bspeculati(?:ve|on)(?: decoding)?\**\s*[:=(]?\s*`?{_METHOD}\b(?!\.py)"
)  # speculative decoding: `qwen3_5_mtp`
_BARE_METHOD = re.compile(
    rf"(?<![\w#-])(?<![a-z_.]/)(?i:{_METHOD})(?:-?(\d{{1,2}}))?(?!\w|/[a-z_]|\.py|-\d)"
)  # DSPARK, MTP5, EAGLE/NEXTN
_NO_METHOD = re.compile(
    r"(?i)\bspeculati(?:ve decoding|ve|on)\**\s*[:=：]\s*`?(?:off|none|disabled|no)\b"
    r"|(?:投机解码|投机采样)\s*[:：]\s*(?:关|无|未)"
)  # speculative decoding: off
_TOKENS = re.compile(
    rf"(?i)(?:num_speculative_tokens|speculative[_-]num[_-]draft[_-]tokens|num_draft_tokens)[\"'`]?\s*[:=\s]\s*{_N}"
    r"|\b(\d{1,2})\s+(?:draft|speculative) tokens\b"
)  # "num_speculative_tokens":5, 2 draft tokens
_RUNNER = re.compile(
    r"(?i)VLLM_USE_V2_MODEL_RUNNER[\"'`]?\s*[=:]\s*[\"'`]?([01])\b"
    r"|\bV([12])[- ](?:model[- ])?runner\b|\bmodel runner v([12])\b|\bMRV(2)\b"
)  # V2 runner, VLLM_USE_V2_MODEL_RUNNER=1
_BUNDLED = re.compile(r"(?i)bundled|built-?in|ships? with|内置|自带")


@dataclass(frozen=True, slots=True)
class Saying:
    """One value as said once. The higher `weight`, the more it stands as configuration."""

    fact: str
    value: Value
    weight: int
    start: int
    end: int
    why: str = ""


def read(prose: Prose) -> tuple[tuple[Fact, ...], tuple[Note, ...]]:
    """The facts a text states, and notes on what it states in two ways."""
    sayings = [*_topology(prose), *_nodes(prose), *_speculation(prose), *_runner(prose)]
    facts: list[Fact] = []
    notes: list[Note] = []
    for kind in FACTS:
        said = [one for one in sayings if one.fact == kind.name]
        if not said:
            continue
        chosen, others = _choose(said)
        chosen = _exact(chosen, said)
        origin: Origin = "derived" if chosen.weight == 0 else "stated"
        span = prose.span(chosen.start, chosen.end)
        facts.append(Fact(kind.name, chosen.value, origin, span, prose.quote(chosen.start), why=chosen.why))
        if others:
            also = ", ".join(str(value) for value in others)
            notes.append(
                Note(
                    "conflict",
                    f"{kind.name} is said to be {chosen.value} and also {also}; {chosen.value} is used",
                    span,
                )
            )
    return tuple(facts), tuple(notes)


def _choose(said: list[Saying]) -> tuple[Saying, list[Value]]:
    top = max(one.weight for one in said)
    heavy = [one for one in said if one.weight == top]
    counts = Counter(one.value for one in heavy)
    first = {one.value: one for one in reversed(heavy)}
    best = max(first.values(), key=lambda one: (counts[one.value], -one.start))
    return best, [value for value in counts if value != best.value and not _same_family(value, best.value)]


def _exact(chosen: Saying, said: list[Saying]) -> Saying:
    """`qwen3_5_mtp`, where the text names one such method exactly and else says `mtp`."""
    longer = [
        one
        for one in said
        if isinstance(one.value, str) and one.value != chosen.value and one.value.endswith(f"_{chosen.value}")
    ]
    return longer[0] if len({one.value for one in longer}) == 1 else chosen


def _same_family(one: Value, other: Value) -> bool:
    """`mtp` and `qwen3_5_mtp` are one thing said loosely and exactly."""
    if {one, other} <= {"eagle", "nextn"}:  # SGLang takes NEXTN for EAGLE
        return True
    return isinstance(one, str) and isinstance(other, str) and (one.endswith(other) or other.endswith(one))


def _topology(prose: Prose) -> Iterator[Saying]:
    for axis, word in _LONG.items():
        named = rf"(?:(?:\b|--){axis}(?:[_ -]?size)?|{word}[_ -]parallel(?:ism)?(?:[_ -]size)?)[`\"'*]*"
        exact = re.compile(rf"(?i)(?<![\w.]){named}\s*(?:==?|:|：|\bof\b|\bis\b|\s)\s*[`\"'*]*{_N}")
        short = re.compile(rf"(?<![\w.-]){axis.upper()}-?{_N}")
        more = re.compile(rf"(?i)(?<![\w.]){named}\s*(?:>|＞|&gt;)\s*1\b")
        alone = re.compile(
            rf"(?:^|[,，、+/&(]|\bwith|\bunder|\busing)\s*{axis.upper()}\s*(?=$|[,，、+/&)]|\n)"
            rf"|\b(?:with|under)\s+(?:\w\w/)?{axis}\b(?=/|$|[,.\n])"
            + (r"|\b[Pp]ipeline[ -]parallel(?:ism)?\b(?![ _-]*(?:size|rank|stage|[=\d]))" if axis == "pp" else ""),
            re.M,
        )
        as_rank = re.search(rf"\b{axis.upper()}0\b", prose.joined)
        for found in exact.finditer(prose.joined):
            yield from _said(prose, f"topology.{axis}", int(found.group(1)), found, 2)
        for found in () if as_rank else short.finditer(prose.joined):
            if not _is_rank(prose, found):
                yield from _said(prose, f"topology.{axis}", int(found.group(1)), found, 1)
        for found in more.finditer(prose.joined):
            yield from _said(prose, f"topology.{axis}", 2, found, 1, AT_LEAST_2)
        for found in alone.finditer(prose.joined):
            yield from _said(prose, f"topology.{axis}", 2, found, 0, AT_LEAST_2)
    yield from _cards(prose)


def _said(prose: Prose, fact: str, value: int, found: re.Match[str], weight: int, why: str = "") -> Iterator[Saying]:
    """The saying, unless its clause is about another case; heavier where configuration is stated."""
    start, end = found.span()
    if value < 1 or _OTHER_CASE.search(prose.clause(start, end)):
        return
    if weight and not why:
        weight += prose.states(start, end)
    yield Saying(fact, value, weight, start, end, why)


def _is_rank(prose: Prose, found: re.Match[str]) -> bool:
    before = prose.joined[max(0, found.start() - 24) : found.start()]
    return bool(_RANK.search(before) or _RANK_AFTER.match(prose.joined, found.end()))


def _cards(prose: Prose) -> Iterator[Saying]:
    """两卡: with nothing said of another split, two cards are two tensor-parallel ranks."""
    if re.search(r"(?i)\b(?:pp|dp|ep)\s*[=\d]|pipeline|data.parallel|流水线|数据并行", prose.joined):
        return
    for found in re.finditer(r"([两双四2-8])\s*卡(?!住|死|顿|在)", prose.joined):
        count = _COUNT.get(found.group(1)) or int(found.group(1))
        yield from _said(prose, "topology.tp", count, found, 0, f"{count} cards were said, and no other split")


def _nodes(prose: Prose) -> Iterator[Saying]:
    counted = re.compile(
        r"(?i)\b(\d{1,3}|one|two|three|four|eight)[ -]nodes?\b(?! each)"
        r"|(?<![\w])([两双单三四]|\d{1,3})\s*(?:机|个?节点|台机器)(?!器)"
        r"|(?:--)?\bn?nodes\s*[=:\s]\s*(\d{1,3})(?![\w.])"
    )
    for found in counted.finditer(prose.joined):
        said = next(one for one in found.groups() if one)
        yield from _said(
            prose, "topology.nodes", _COUNT.get(said.lower()) or (int(said) if said.isdigit() else 0), found, 1
        )
    for found in re.finditer(r"(?i)\b(?:multi|cross|inter)[- ]?node\b|多机|跨机|多节点", prose.joined):
        yield from _said(prose, "topology.nodes", 2, found, 0, AT_LEAST_2)
    for found in re.finditer(r"(?i)\bsingle[- ]node\b", prose.joined):
        yield from _said(prose, "topology.nodes", 1, found, 0, "a single node was said")


def _speculation(prose: Prose) -> Iterator[Saying]:
    for pattern, weight in ((_KEYED_METHOD, 3), (_SPOKEN_METHOD, 2), (_BARE_METHOD, 1)):
        for found in pattern.finditer(prose.joined):
            clause = prose.clause(*found.span())
            if weight < 3 and (_OTHER_SPECULATION.search(clause) or _BUNDLED.search(clause)):
                continue
            heavier = weight + (weight == 1 and prose.in_title(found.start()))
            yield Saying("speculation.method", method_name(found.group(1)), heavier, *found.span())
            if pattern is _BARE_METHOD and found.group(2) and found.group(1).lower() == "mtp":
                yield Saying("speculation.tokens", int(found.group(2)), 1, *found.span())
    for found in _NO_METHOD.finditer(prose.joined):
        yield Saying("speculation.method", "none", 2, *found.span())
    for found in _TOKENS.finditer(prose.joined):
        said = found.group(1) or found.group(2)
        if not _OTHER_SPECULATION.search(prose.before(found.start())):
            yield Saying("speculation.tokens", int(said), 2 if found.group(1) else 1, *found.span())


_OTHER_SPECULATION = re.compile(
    r"(?i)\b(?:without|unlike|instead of|rather than|no longer|not using|remov\w+|disabl\w+|turn\w* off)\b"
    r"|去掉|关闭|关掉|不开|未开|没开"
)


def method_name(said: str) -> str:
    """The method in the house's lower-case spelling: `D-Spark` -> dspark, `EAGLE-3` -> eagle3."""
    return said.lower().replace("-", "")


def _runner(prose: Prose) -> Iterator[Saying]:
    for found in _RUNNER.finditer(prose.joined):
        if found.group(1):
            yield Saying("runner.version", int(found.group(1)) + 1, 2, *found.span())
        elif not _OTHER_CASE.search(prose.clause(*found.span())):
            yield Saying("runner.version", int(found.group(2) or found.group(3) or found.group(4)), 1, *found.span())
