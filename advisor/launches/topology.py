"""Words about how a model is split over ranks and machines -> sayings of `topology.*`.

tp2, DP4EP4, TP=2, PP8, pp 8 with MTP, 4-way dp, 4路数据并行, 张量并行 4    -> tp 2; dp 4 and ep 4; …
两卡部署, two nodes, PP2/TP16 over two nodes
TP>1, with pipeline parallel, TP and PP together, across TP ranks         -> 2, "at least 2 was said"
PP 与 HiCache 同时开启, pp 并行 + 结构化输出, PP enabled                     -> 2, the same
two pipeline stages, 两级流水线                                            -> pp 2
worker (TP1) wedged, rank TP3, TP0-TP7                                   -> nothing: those are ranks
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from functools import cache, cached_property

from advisor.launches import cases
from advisor.launches.prose import Prose
from advisor.launches.saying import AT_LEAST_2, Saying, count
from advisor.model.shape import Shape
from advisor.scan.several import Several

_LONG = {"tp": "tensor", "pp": "pipeline", "dp": "data", "ep": "expert"}
_CHINESE = {"tp": "张量并行", "pp": "流水线?并行", "dp": "数据并行", "ep": "专家并行"}
_WORD = "A-Za-z0-9_"  # what a word is made of; Chinese characters may touch it
_N = rf"(\d{{1,4}})(?![{_WORD}])(?!\.\d)"
_CJK_N = r"([两双一二三四六八]|十六|\d{1,3})"

OTHER_CASE = Shape(
    r"(?i)\b(?:if|unless|needs?|requires?|follow-?ups?|fix(?:es|ed)?|instead|rather|without|unlike|not|no|never|cannot|"
    r"can't|doesn't|don't|didn't|should|could|would|e\.g|previously|control)\b|#\d{3,}"
    r"|如果|假如|除非|需要|没有|不会|不能|未"
)
_DRAFT = Shape(r"(?i)\bdraft\w*(?:\s+[A-Za-z]+){0,2}\s*(?:[(（]|--)?\Z")  # draft body TP1
_RANK = Shape(r"(?i)(?:\brank|\bworker|\bhead|\bgpu|\bstage|\bpeer)[\s\d]*+[(（]?\s*+\Z")
_RANK_AFTER = Shape(r"(?i)[)\s]*(?:rank|py-spy|worker|process|idle|wedged|active|进程|卡在)")
_RUN = (
    rf"(?<![{_WORD}.\-])(?i:(?:[tpdecs]p-?\d{{1,3}}[ \t]*[+/x×&,，、_-]?[ \t]*)+)"
    rf"(?<=[\d\s+/x×&,，、_-])(?![{_WORD}])(?!\.\d)"
)  # tp2, DP4EP4, dp4+ep4
_FIRST_RANK = Shape(rf"(?i)(?<![{_WORD}])([tpde]p)0(?![{_WORD}])")  # TP0
_IN_RUN = Shape(r"(?i)([tpde])p-?(\d{1,3})")
_OTHER_SPLIT = Shape(r"(?i)(?<![a-z])(?:pp|dp|ep)\s*[=\d]|pipeline|data.parallel|流水线|数据并行")
_TOGETHER = (
    rf"(?<![{_WORD}])([TPDE]P|[tpde]p)[ \t]*(?:\+|/|&|×|and|plus|with|和|与|加|、)[ \t]*([TPDE]P|"
    rf"[tpde]p)(?![{_WORD}>=]|[ \t]*(?:[=>]|\d|size|(?:(?:are|is|both)\b|都是|均为)))"
)  # TP and PP together
_GROUP = (
    rf"(?i)(?<![{_WORD}])(?:(?:across|between|among|all|both|some|several|other|two|every|each|the|各个?|多个|所有|"
    rf"不同|其他)(?: of)?(?: the)?[ \t]*)"
    rf"(?:(?P<tp>TP|tensor[ -]parallel)|(?P<pp>PP|pipeline(?:[ -]parallel)?))[ \t]*(?:ranks|workers|stages|"
    rf"schedulers|ranks?之间|进程|卡)"
    rf"|(?<![{_WORD}])(?:last|first|final|second|previous|next|later|earlier|非?末|最后一?)[ -]?(?:个|"
    rf"级)?[ \t]*(?P<stage>PP|pipeline)[ \t]*(?:rank|stage)s?(?![{_WORD}])"
)  # across TP ranks; the last PP stage
_WITH = (
    rf"(?i)(?<![{_WORD}])(?:with|under|using|use|uses|run|runs|running|on|enabl(?:e|es|ed|ing)|plain|pure|开了?|"
    rf"用了?|启用|使用|开启)[ \t]+(?P<upper>TP|PP)(?![{_WORD}>=]|[ \t]*(?:[=>]|\d|size|rank|worker|stage|isn't|"
    rf"is (?:off|not|1)))"
    rf"|(?<![{_WORD}-])(?:with|under|using|use|uses)[ \t]+(?P<long>tensor)[ -]parallel(?:ism)?(?![{_WORD}]|"
    rf"[ _-]*(?:size|rank|[=\d]))"
    rf"|(?<![{_WORD}])(?P<server>tensor)[ -]parallel[ \t]+(?:server|deployment|engine|setup|serving|inference|"
    rf"run|instance)s?(?![{_WORD}])"
    r"|(?P<zh>张量并行)(?:下|时|部署|环境|场景|推理|启动)"
)  # with PP, with tensor parallelism, 张量并行下
_BOTH = (
    rf"(?i)(?<![{_WORD}])(?P<axis>TP|PP)[ \t]*(?:与|和|跟|及|\+|＋|、|&|and|plus|together with|with)[ \t]*"
    rf"[A-Za-z0-9_\u4e00-\u9fff][^，,。；;\n]{{0,24}}?(?:同时|一起|一并|都)(?:被)?(?:开|启|用|使|打开|存在|工作)"
    rf"|(?<![{_WORD}])[A-Za-z0-9_\u4e00-\u9fff]{{1,24}}[ \t]*(?:与|和|跟|及|\+|＋|、)[ \t]*(?P<last>TP|PP)[ \t]*"
    r"(?:同时|一起|一并|都)(?:被)?(?:开|启|用|使|打开|存在|工作)"
    rf"|(?<![{_WORD}])(?P<on>TP|PP)[ \t]+(?:[^\s,;.]+[ \t]+){{0,4}}?"
    rf"(?:enabled|switched on|turned on|together|at the same time)(?![{_WORD}])"
    rf"|(?<![{_WORD}])(?P<parallel>[tp]p)[ \t]*并行(?!度|数|大小|规模|[ \t]*[=＝:：为是\d])"
)  # PP 与 HiCache 同时开启, PP with HiCache enabled, pp 并行
_STAGES = (
    rf"(?i)(?<![{_WORD}.])(\d{{1,3}}|two|three|four|eight|sixteen)[- ](?:pipeline|"
    rf"pp)(?:[- ]parallel)?[- ](?:stages?|ranks)(?![{_WORD}])"
    rf"|(?i:pipeline of )(\d{{1,3}}|two|three|four|eight|sixteen)(?![{_WORD}.])"
    rf"|(?<![\d第])([两双二三四八]|\d{{1,3}})\s*(?:个|级|段)\s*(?:流水线?|pipeline|pp) ?(?:级|段|阶段|stage)?"
    rf"|流水线?(?:并行)?(?:分为|分成|切成|拆成|为|有)?\s*([两双二三四八]|\d{{1,3}})\s*(?:个|级|段|阶段)"
)  # two pipeline stages, 两级流水线
_SEVERAL_CARDS = (
    r"(?i)(?<!单卡和)(?<!单)多\s*(?:张)?卡(?!住|死|顿)|\bmulti[- ]?gpu\b|\bseveral gpus\b|\bmultiple gpus\b"
)
_ONE_CARD = Shape(r"(?i)单\s*(?:张)?卡|一张卡|\b(?:single|one|1)[- ]?(?:gpu|card|npu)\b|\btp\s*+(?:=\s*+)?1\b")
_CARDS = (
    r"(?<![前后第每其各\d])(?<![前后第每]\s)([两双四2-8])\s*(?:张)?卡(?!住|死|顿|在|满|空)"
    r"(?!\s*(?:[ABHLVT]\d|GB?\d|RTX|\d090|910|NPU|GPU|昇腾|Ascend))"
)  # 两卡部署; not 前 7 卡满载, not 8 卡 H20
_NODES = (
    rf"(?i)\b(\d{{1,3}}|one|two|three|four|eight)[ -]nodes?\b(?! each| only)"
    rf"|(?<![{_WORD}])([两双单三四八]|\d{{1,3}})\s*(?:机(?!器)|个?节点|台机器)"
    rf"|(?:--)?\bn?nodes\s*[=:\s]\s*(\d{{1,3}})(?![{_WORD}.])"
)
_MANY_NODES = r"(?i)\b(?:multi|cross|inter)[- ]?node\b|多机|跨机|多节点"
_SINGLE_NODE = r"(?i)\bsingle[- ]node\b"


def read(prose: Prose) -> Iterator[Saying]:
    """Everything the text says of topology."""
    patterns, readers = _table()
    text = _Text(prose)
    for number, found in patterns.finditer(prose.joined):
        yield from readers[number](text, found)


@dataclass(frozen=True)
class _Text:
    """A text, and what of it as a whole bears on its single words."""

    prose: Prose

    @cached_property
    def ranks(self) -> frozenset[str]:
        """The axes whose ranks are numbered, from TP0 on."""
        return frozenset(found.group(1).lower() for found in _FIRST_RANK.finditer(self.prose.joined))

    @cached_property
    def splits_otherwise(self) -> bool:
        """Whether another split than the tensor-parallel one is spoken of."""
        return _OTHER_SPLIT.search(self.prose.joined) is not None

    @cached_property
    def has_one_card(self) -> bool:
        """Whether one card is spoken of."""
        return _ONE_CARD.search(self.prose.joined) is not None


_Reader = Callable[[_Text, re.Match[str]], Iterator[Saying]]


@cache
def _table() -> tuple[Several, tuple[_Reader, ...]]:
    """Every pattern, and what reads its matches; earlier ones are said first."""
    rows: list[tuple[str, _Reader]] = [row for axis in _LONG for row in _axis(axis)]
    rows += [(_RUN, _run), (_TOGETHER, _together), (_GROUP, _group), (_WITH, _with), (_BOTH, _both), (_STAGES, _stages)]
    rows += [(_CARDS, _cards), (_SEVERAL_CARDS, _several_cards)]
    rows += [(_NODES, _nodes), (_MANY_NODES, _many_nodes), (_SINGLE_NODE, _single_node)]
    return Several([pattern for pattern, _ in rows]), tuple(reader for _, reader in rows)


def _patterns(axis: str) -> tuple[str, str, str]:
    """Exact value, value as so many ways, more than one."""
    word, chinese = _LONG[axis], _CHINESE[axis]
    named = (
        rf"(?:(?:(?<![{_WORD}])|--){axis}(?:[_ -]?size)?|{word}[_ -]parallel(?:ism)?(?:[_ -]size)?"
        rf"|{chinese}(?:度|数|大小)?)[`\"'*]*"
    )
    exact = rf"(?i)(?<![{_WORD}.]){named}\s*(?:==?|:|：|\bof\b|\bis\b|为|是|\s)\s*[`\"'*]*{_N}"
    ways = (
        rf"(?i)(?<![{_WORD}.])(\d{{1,3}}|two|four|eight|sixteen)[- ]?ways?[- ]"
        rf"(?:{axis}|{word}[ -]parallel\w*)(?![{_WORD}])"
        rf"|(?<![{_WORD}.]){_CJK_N}\s*(?:路|级|段|卡)\s*(?:{axis}(?![{_WORD}])|{chinese})"
        rf"|(?:{chinese}|(?<![{_WORD}]){axis})\s*{_CJK_N}\s*(?:路|级|段)"
    )
    more = rf"(?i)(?<![{_WORD}.]){named}\s*(?:>|＞|&gt;)\s*1(?![{_WORD}])"
    return exact, ways, more


def _alone(axis: str) -> str:
    """The axis named without a number: it is on."""
    upper = axis.upper()
    long_form = (
        r"|\b[Pp]ipeline[ -]parallel(?:ism)?\b(?![ _-]*(?:size|rank|stage|is\b|[=\d]))(?!\s+(?:isn't|not))"
        if axis == "pp"
        else ""
    )
    return (
        rf"(?m)(?:^|[,，、+/&(]|\bwith|\bunder|\busing)[ \t]*{upper}[ \t]*(?=$|[,，、+/&)])"
        rf"|\b(?:with|under)\s+(?:\w\w/)?{axis}\b(?=/|$|[,.\n]){long_form}"
    )


def _axis(axis: str) -> Iterator[tuple[str, _Reader]]:
    fact = f"topology.{axis}"
    exact, ways, more = _patterns(axis)
    yield exact, lambda text, found: _said(text.prose, fact, int(found.group(1)), found, 2)
    yield ways, lambda text, found: _said(text.prose, fact, count(next(one for one in found.groups() if one)), found, 2)
    yield more, lambda text, found: _said(text.prose, fact, 2, found, 1, AT_LEAST_2)
    yield _alone(axis), lambda text, found: _said(text.prose, fact, 2, found, 0, AT_LEAST_2)


# axes that are named together, in use, or by their ranks: more than one; and stages that are counted


def _together(text: _Text, found: re.Match[str]) -> Iterator[Saying]:
    for axis in {one.lower() for one in found.groups()}:
        yield from _said(text.prose, f"topology.{axis}", 2, found, 0, AT_LEAST_2)


def _group(text: _Text, found: re.Match[str]) -> Iterator[Saying]:
    return _said(text.prose, f"topology.{'tp' if found['tp'] else 'pp'}", 2, found, 0, AT_LEAST_2)


def _with(text: _Text, found: re.Match[str]) -> Iterator[Saying]:
    return _said(text.prose, f"topology.{(found['upper'] or 'tp').lower()}", 2, found, 0, AT_LEAST_2)


def _both(text: _Text, found: re.Match[str]) -> Iterator[Saying]:
    axis = next(one for one in found.groups() if one).lower()
    return _said(text.prose, f"topology.{axis}", 2, found, 0, AT_LEAST_2)


def _stages(text: _Text, found: re.Match[str]) -> Iterator[Saying]:
    return _said(text.prose, "topology.pp", count(next(one for one in found.groups() if one)), found, 1)


def _run(text: _Text, run: re.Match[str]) -> Iterator[Saying]:
    """`tp2`, `DP4EP4`, `dp4+ep4`: unless the text numbers its ranks from TP0."""
    if _is_rank(text.prose, run):
        return
    for one in _IN_RUN.finditer(run.group()):
        axis = one.group(1).lower() + "p"
        if axis not in text.ranks:
            yield from _said(text.prose, f"topology.{axis}", int(one.group(2)), run, 1)


def _said(prose: Prose, fact: str, value: int, found: re.Match[str], weight: int, why: str = "") -> Iterator[Saying]:
    """The saying, unless its clause is about another case; heavier where configuration is stated."""
    start, end = found.start(), found.start() + len(found.group().rstrip(" \t,，、+/&_-"))
    if value < 1 or OTHER_CASE.search(prose.clause(start, end)) or _DRAFT.search(prose.before(start)):
        return
    if cases.of_another_run(prose, start, end):
        return
    if weight and not why:
        weight += prose.states(start, end)
    yield Saying(fact, value, weight, start, end, why)


def _is_rank(prose: Prose, found: re.Match[str]) -> bool:
    before = prose.joined[max(0, found.start() - 24) : found.start()]
    return bool(_RANK.search(before) or _RANK_AFTER.match(prose.joined, found.end()))


def _cards(text: _Text, found: re.Match[str]) -> Iterator[Saying]:
    """两卡: with nothing said of another split, two cards are two tensor-parallel ranks."""
    cards = count(found.group(1))
    if not text.splits_otherwise:
        yield from _said(text.prose, "topology.tp", cards, found, 0, f"{cards} cards were said, and no other split")


def _several_cards(text: _Text, found: re.Match[str]) -> Iterator[Saying]:
    if not text.splits_otherwise and not text.has_one_card:
        yield from _said(text.prose, "topology.tp", 2, found, 0, "several cards were said, and no other split")


def _nodes(text: _Text, found: re.Match[str]) -> Iterator[Saying]:
    said = next(one for one in found.groups() if one)
    return _said(text.prose, "topology.nodes", count(said), found, 1)


def _many_nodes(text: _Text, found: re.Match[str]) -> Iterator[Saying]:
    return _said(text.prose, "topology.nodes", 2, found, 0, AT_LEAST_2)


def _single_node(text: _Text, found: re.Match[str]) -> Iterator[Saying]:
    return _said(text.prose, "topology.nodes", 1, found, 0, "a single node was said")
