"""What a person writes for the hardware, or says of it in prose -> `hardware.*` facts.

    2× NVIDIA DGX Spark (GB10, SM121, aarch64) · 8x RTX 3090 PCIe · 2 nodes GB200/B200 · 昇腾 910B 16 卡
    2x Ascend NPU, TP2, CANN 9.0.0 · NVIDIA H200, 8 GPUs per node · ROCm · Cambricon MLU, TP>1

yields hardware.accelerator (once per kind), vendor, count, nodes and arch, and component.* for a one-line answer that
names one (CANN, driver); hardware.capability, as said (sm_121, compute capability 8.6) or by the card's name; and
hardware.os. The host's architecture is derived only where the product fixes it: a GB10, GH200, GB200,
GB300 or Jetson has its Arm cores in the package; an H100 or RTX card says nothing of its host. An empty result means
that nothing was said.

**Source** (read 2026-11-29): https://docs.nvidia.com/dgx/dgx-spark-porting-guide/overview.html (GB10: a 20-core Arm64
chip), https://nvidia.github.io/grace-cpu-benchmarking-guide/developer/index.html (Grace, the CPU of GH200, GB200 and
GB300, is Arm64), https://developer.ridgerun.com/wiki/index.php/NVIDIA_Jetson_AGX_Thor/Introduction/SoM_Overview (Jetson
Thor: 64-bit Arm cores).
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from functools import cache

from advisor.errors import UsageError
from advisor.evidence import accelerator
from advisor.evidence.builds import components_in
from advisor.evidence.prose import (
    blocks,
    clause_of,
    elsewhere,
    of_another,
    plain,
    readable,
    sentences,
    without_code,
)
from advisor.evidence.systems import LINUX
from advisor.model.fact import Fact, Origin, Span, Value
from advisor.model.hardware import KINDS
from advisor.model.late import dataclass
from advisor.patterns import compile_pattern
from advisor.scan.several import Several

MAX_ANSWER = 300  # characters; a longer single line is prose


@dataclass(frozen=True, slots=True)
class Product:
    """A family of accelerators: how it is written, whose it is, and what its package fixes.

    `name` is what is reported, with `\\g<…>` for the part as written; empty when only the vendor is said.
    """

    pattern: str
    vendor: str
    example: str
    name: str = ""
    arch: str = ""
    one_a_machine: bool = False


_FREE = r"(?:(?<![\w-])|(?<=\dx)|(?<=\dX))"  # H200, 8xH200
_END = r"(?![\w]|\.\d|-(?!\d+ ?G|NVL|SXM|PCI))"

_OTHER_NPU = (
    r"(?i)\brebellions\b|\brbln\b|\bfuriosa\w*|\bwarboy\b|\bintel\b|\bryzen\b|\bqualcomm\b|\bhexagon\b|\brockchip\b"
)

PRODUCTS: tuple[Product, ...] = (
    Product(
        r"(?i:DGX[ -]?Sparks?)\b|\bGB10\b|(?<=[Tt]wo )Sparks\b|(?<=2x )Sparks?\b",
        "nvidia",
        "2x DGX Spark GB10",
        "GB10",
        "aarch64",
        True,
    ),
    Product(rf"{_FREE}(?P<name>G[BH][23]00){_END}", "nvidia", "2 nodes GB200", r"\g<name>", "aarch64"),
    Product(r"(?i:\bGrace[- ]?(?P<name>Hopper)s?\b)", "nvidia", "4 Grace-Hopper nodes", r"Grace \g<name>", "aarch64"),
    Product(r"(?i:\bGrace[- ]?Blackwell\b)", "nvidia", "a Grace-Blackwell tray"),
    Product(r"(?i:Jetson(?: AGX)? ?(?P<name>Thor|Orin)?)", "nvidia", "Jetson AGX Thor", r"Jetson \g<name>", "aarch64"),
    Product(
        rf"{_FREE}(?P<name>[HBA][1238]00|H20|B[123]00|A800|H800|A100|V100|L40S|L40|L20|A40|A30|A10G|"
        rf"A10|P100){_END}",
        "nvidia",
        "8x H200",
        r"\g<name>",
    ),
    Product(rf"(?<![\w-])(?P<name>L4|T4|A2)(?= ?\d+ ?GB| GPU|s\b|$|,){_END}", "nvidia", "8x L4 24GB", r"\g<name>"),
    Product(
        r"(?i:RTX[ -]?)(?P<name>(?:(?i:PRO) )?A?\d{4}(?: ?(?:Ti|Super|Ada|Blackwell|D)\b)*)",
        "nvidia",
        "8x RTX 3090",
        r"RTX \g<name>",
    ),
    Product(
        r"(?:(?<![\w.:$-])|(?<=\dx))(?<!RTX )(?<!RTX)(?P<name>[345]090(?: ?Ti| ?D)?)(?=s?\b|[卡张\u4e00-\u9fff])",
        "nvidia",
        "4090 上张量并行",
        r"RTX \g<name>",
    ),
    Product(rf"{_FREE}(?P<name>A6000|A5000|A4000){_END}", "nvidia", "4 x A6000", r"RTX \g<name>"),
    Product(rf"{_FREE}(?P<name>CMP ?\d{{2,3}}HX|170HX){_END}", "nvidia", "4x 170HX", r"\g<name>"),
    Product(r"(?i:\bTesla) (?P<name>[TPKM]\d{1,2})\b", "nvidia", "Tesla P40", r"\g<name>"),
    Product(rf"{_FREE}(?P<name>MI ?\d{{3}}[AX]?)\b", "amd", "8x MI300X", r"\g<name>"),
    Product(
        r"(?P<name>(?:(?<![\w.])|(?<=\dx))(?:910[ABC]\d?\w{0,2}|310P\d?))(?![\w-])", "ascend", "16x 910B2C", r"\g<name>"
    ),
    Product(r"(?:Ascend|昇腾|Atlas(?: 800I?)?)\s*(?P<name>A[23]|910|310)\b", "ascend", "Ascend A3", r"\g<name>"),
    Product(r"(?<![\w-])(?P<name>MLU\d*)\b", "cambricon", "Cambricon MLU", r"\g<name>"),
    Product(r"\b(?P<name>Gaudi ?\d?)", "intel", "Gaudi", r"\g<name>"),
    Product(r"\b(?P<name>TPU(?: ?v\d\w?)?)\b", "google", "TPU v5e", r"\g<name>"),
    Product(r"^\W*(?P<name>A3)\W*$", "ascend", "A3", r"\g<name>"),
    Product(r"(?i:(?<![\w/])Ascend\b|昇腾)", "ascend", "2x Ascend NPU"),
    Product(
        r"(?<![\w/])(?:CANN|HCCL(?:_\w+)?|torch_npu)\b|\bACL ?Graph\b|\bASCEND_\w+|\bnpu-smi\b|\bvllm-ascend\b",
        "ascend",
        "HCCL AIV",
    ),
    Product(r"(?i:\bCambricon\b)|寒武纪", "cambricon", "Cambricon"),
    # what these engines call an NPU is an Ascend; other makers' are named
    Product(r"(?<![\w/-])(?:\d+[x×*])?NPUs?(?![\w-])", "ascend", "2 NPUs"),
    Product(r"(?i:\bROCm\b|\bInstinct\b|\bRadeon\b)", "amd", "ROCm"),
    Product(
        r"(?i:(?<![\w/-])NVIDIA\b(?![-_/])|\bGeForce\b)|\bCUDA (?=\d)|\bsm_?\d{2,3}[af]?\b|\bcompute capability\b",
        "nvidia",
        "CUDA 12.4, sm_120",
    ),
)

_ARCH = (
    r"(?<![\w/-])(?:(?P<arm>(?i:aarch64|arm64)|ARM(?:v[89]\w*)?|Arm64)|(?P<x86>(?i:x86[-_]64|x86|"
    r"amd64)))(?![\w-])"
)
_HOSTS = r"\b(?:(?P<arm>Grace|Kunpeng|Graviton\d?)|(?P<x86>Xeon|EPYC))\b|(?P<kunpeng>鲲鹏)"

_NUMBERS = {
    "one": 1,
    "two": 2,
    "three": 3,
    "four": 4,
    "five": 5,
    "six": 6,
    "seven": 7,
    "eight": 8,
    "sixteen": 16,
    "single": 1,
    "单": 1,
    "一": 1,
    "二": 2,
    "两": 2,
    "双": 2,
    "三": 3,
    "四": 4,
    "八": 8,
    "十六": 16,
}
_N = r"(?P<n>(?<!Atlas )(?<![\w.,=-])\d{1,4}|(?i:\b(?:one|two|three|four|five|six|seven|eight|sixteen|single)\b))"
_MAKER = r"(?:(?i:NVIDIA|AMD|Ascend|Cambricon|GeForce|昇腾|Instinct|Huawei|Atlas)\s*)*"
_CARD = (
    r"(?i:DGX[ -]?Sparks?|GB10|Sparks|G[BH][23]00|Grace[- ]?Hopper|[HBA][1238]00|H20|L40S?|L20|L4|A10G?|A2|A[34]0|T4|"
    r"V100|P100|A[456]000|170HX|RTX|[345]090s?|MI\d{3}X?|910\w*|310P|MLU\d*|Gaudi\d?|TPUs?|A3)"
)
_THING = r"(?i:(?:GPUs?|NPUs?|cards?|accelerators?|XPUs?|MLUs?)(?![A-Za-z])|显卡|加速卡|卡)"
# a number of cards that are doing something is not the number of cards: "seven GPUs spin", "16 卡住"
_DOING = (
    r"(?!\s*(?:spin|idle|busy|die|dead|stuck|hang|are\b|is\b|at\b|go\b|sit|stay|keep|show|wait|were|"
    r"was|住|死|在|着|空转|占用))"
)
_COUNTS = (
    rf"{_N}\s*(?:(?:x|×|\*|张|块|个|台)\s*)?(?:\d+ ?GB\s*)?{_MAKER}(?P<card>{_CARD})(?![a-z])(?P<per>\s*(?:each\b|"
    r"per (?:node|machine|host|server)))?(?!\s*(?:nodes?|machines?|hosts?|节点)\b)",
    rf"{_N}\s*(?:(?:x|×|\*|张|块|个)\s*)?{_MAKER}(?P<thing>{_THING})(?P<per>\s*(?:per|/|a|each)\s*(?:node|"
    rf"machine|host|server))?{_DOING}(?!-)",
    r"(?P<n>单|两|双|四|八|十六)\s*(?:张|块|个)?(?P<thing>卡|GPU|NPU)(?P<per>)" + _DOING,  # 双卡
    rf"(?P<card>{_CARD})(?:[- ]?\d+ ?GB?)?\s*[x×*:]\s*(?P<n>\d{{1,4}})\b",  # H200 x8
)
_BY_NODE = rf"\b(?P<nodes>\d{{1,3}})\s*[x×*]\s*(?P<each>\d{{1,2}})\s*(?:[x×*]\s*)?{_MAKER}{_CARD}"  # 2x 8 H20
_NODES = (
    r"(?<!(?i:cuda) )(?<!(?i:[rg]tx) )(?<!(?i:driver) )(?<!(?i:torch) )(?<!(?i:python) )"
    rf"{_N}\s*(?:x\s*)?(?:{_MAKER}{_CARD}\s*)?(?:nodes?|machines?|hosts?|boxes|box)\b(?!s?\s*(?:fail|"
    r"die|hang|are\b|is\b|join|would))",
    r"(?P<n>\d{1,3}|单|两|双|三|四)\s*(?:个|台)?(?:节点|机(?!器|制|会|群)|机器)",  # 两机, 2 节点
)
_MOST_NODES = 1024
_OTHERS = r"(?i:\b(?:other|rest|remaining|last|first|only|another|up to|at least|every)\s+$|其他|其余|每)\s*$"

_HINT = (
    r"(?i)spark|gb10|g[bh][23]00|jetson|[hbav][1238]00|h20|a[138]0|(?:\b|x)(?:l[24]|t4|a[23]\b)|p100|rtx|"
    r"[345]090|mi ?\d{3}|910|310|ascend|昇腾|atlas|mlu|gaudi|tpu|cann|hccl|torch_npu|"
    r"acl graph|cambricon|寒武纪|rocm|instinct|radeon|nvidia|geforce|cuda \d|arm|"
    r"sm_?\d\d|compute_\d|capability|\bcc[ :=(（]*\d|算力|"
    r"aarch64|x86|amd64|grace|v100|a[456]000|hx\b|tesla|kunpeng|graviton|xeon|epyc|鲲鹏|gpu|npu|xpu|"
    r"cards?\b|accelerator|[单两双四八六\d] ?[张块个]?[显加速]{0,2}卡|nodes?\b|machine|hosts?\b|box|节点|机"
)

# sm_121a, compute_120, compute capability 8.6; not the list of what something is built for
_CAPABILITY = (
    r"(?i)(?<![\w/])(?:sm_?|compute_)(?P<digits>\d{2,3})[af]?(?![\w])"
    r"|(?:\b(?:compute capability|cuda capability|device capability|capability|CC)|算力(?:版本)?)(?: (?:is|of|"
    r"version))?[ :=(（]*(?P<major>\d{1,2})\s*[.,]\s*(?P<minor>\d)(?![\d.])"
)
_BUILT_FOR = (
    r"(?i)\b(?:built|compiled|kernels?|supports?|supported|requires?|needs?|wheels?|only|targets?|minimum|"
    r"older|newer|below|above|arch_list|at least|or (?:higher|later|newer|above))\b"
    r"|支持|编译|以上|要求|需要"
)
_SYSTEMS = (
    ("wsl", r"(?i)(?<![a-z])WSL ?2?(?![a-z\d])|windows subsystem for linux|microsoft-standard"),
    (
        "windows",
        r"\b[Ww]indows ?(?:1[01]|[Ss]erver|20\d\d)\b|\b(?i:on|under|in|for|native|my) (?:native )?Windows\b|"
        r"\bWindows (?i:host|machine|box|pc|laptop|desktop|system|install\w*|build|wheel|native\w*|environment)\b"
        r"|\b[Ww]in ?1[01]\b|\bwin_amd64\b|(?<![A-Za-z])[A-Z]:\\\w|\bPowerShell\b|"
        r"(?<![A-Za-z])[Ww]in(?:dows)? ?(?:系统|平台|环境|下|上|机器|电脑)|^\W*[Ww]indows\W*$",
    ),
    (
        "linux",
        rf"(?i)(?<![a-z])(?:{LINUX})(?![a-z])|(?<![\w-])Linux(?![\w-])|麒麟|欧拉",
    ),
)
_OS_HINT = rf"(?i)win|wsl|linux|{LINUX}|microsoft-standard|powershell|:\\|麒麟|欧拉"
_COUNTED = frozenset((_BY_NODE, *_COUNTS, *_NODES))
_NO_OS = r"(?i)(?:\bnot|n't|\bno|\bnever|\bwithout|\bunlike|不是|没有|非)(?: \w+){0,2} ?$"

FACTS = KINDS


def read_hardware(text: str, *, artifact: str, first_line: int = 1, strict: bool = False) -> tuple[Fact, ...]:
    """The facts that a `--hardware` answer or prose states about the machines; accelerators first.

    `artifact` names the text in spans. With `strict`, a text of which nothing is understood raises UsageError.
    """
    text = readable(text)
    answer = "\n" not in text.strip() and len(text) <= MAX_ANSWER
    found: dict[tuple[str, Value], Fact] = {}
    read: set[str] = set()
    for start, end, words in _passages(text, answer):
        if words in read:
            continue
        read.add(words)
        line = first_line + text.count("\n", 0, start)
        span = Span(artifact, line, line + text.count("\n", start, end))
        settled = all(any(name == one for name, _ in found) for one in ("hardware.count", "hardware.nodes"))
        for fact in _facts(words, answer, not settled):
            alone = fact.name in ("hardware.count", "hardware.nodes", "hardware.arch") or fact.name.startswith(
                "component."
            )
            known = found.get((fact.name, fact.value))
            firmer = known is not None and known.origin == "derived" and fact.origin == "stated"
            if firmer or (known is None and not (alone and any(name == fact.name for name, _ in found))):
                found[fact.name, fact.value] = fact.but(span=span, quote=words[:200])
    facts = _derived(list(found.values()))
    if strict and not facts:
        raise UsageError(f"`{text}` names no hardware", "--hardware", "for example `8x H200` or `2x GB10 aarch64`")
    return tuple(facts)


def _passages(text: str, answer: bool) -> Iterator[tuple[int, int, str]]:
    """The sentences to read; in prose only those on the user's own deployment."""
    if answer:
        yield 0, len(text), plain(text)
        return
    source = without_code(text)
    for block in blocks(source):
        if block.muted:
            continue
        for start, end in sentences(source, block.start, block.end):
            words = plain(source[start:end])
            if _speaks_of_hardware(words) and not elsewhere(words):
                start += len(source[start:end]) - len(source[start:end].lstrip())
                yield start, start + len(source[start:end].rstrip()), words


def _speaks_of_hardware(words: str) -> bool:
    """Cheap first look: most sentences name no machine."""
    return compile_pattern(_HINT).search(words) is not None or compile_pattern(_OS_HINT).search(words) is not None


@cache
def _cards() -> Several:
    """The patterns of the products, in their order."""
    return Several([product.pattern for product in PRODUCTS])


@cache
def _others() -> Several:
    return Several([_ARCH, _HOSTS, _CAPABILITY, _OS_HINT, _BY_NODE, *_COUNTS, *_NODES])


def _facts(words: str, answer: bool, count: bool) -> Iterator[Fact]:
    yield from _accelerators(words)
    seen = _others().among(words)
    if count and not seen.isdisjoint(_COUNTED):
        yield from _counts(words, seen)
    for pattern, origin in ((_ARCH, "stated"), (_HOSTS, "derived")):
        for found in re.finditer(pattern, words) if pattern in seen else ():
            arch = "x86_64" if found["x86"] else "aarch64"
            yield _fact("hardware.arch", arch, f"the CPU is a {found.group()}" if origin == "derived" else "")
    if _CAPABILITY in seen:
        yield from _capabilities(words)
    if _OS_HINT in seen:
        yield from _systems(words)
    if answer:
        for one, _, _ in components_in(words):
            if "." not in one.version and one.name != "driver":
                continue
            yield _fact(f"component.{one.name}", one.version)


def _fact(name: str, value: Value, why: str = "") -> Fact:
    origin: Origin = "derived" if why else "stated"
    return Fact(name, value, origin, why=why)


def _accelerators(words: str) -> Iterator[Fact]:
    taken: list[tuple[int, int]] = []
    for number, found in _cards().finditer(words):
        product = PRODUCTS[number]
        left, right = clause_of(words, found.start(), found.end())
        if any(start <= found.start() < end for start, end in taken) or of_another(words[left:right]):
            continue
        if "NPU" in found.group() and re.search(_OTHER_NPU, words):
            continue
        taken.append((found.start(), found.end()))
        name = " ".join(found.expand(product.name).split()) if product.name else ""
        if name:
            yield _fact("hardware.accelerator", name)
        said = product.vendor in found.group().lower() or "昇腾" in found.group() or "寒武纪" in found.group()
        yield _fact(
            "hardware.vendor",
            product.vendor,
            "" if said else f"{name or found.group().strip()} is {product.vendor}'s",
        )


def _capabilities(words: str) -> Iterator[Fact]:
    """The one capability that is said; of several, which is the device's is not known."""
    said: set[float] = set()
    for found in re.finditer(_CAPABILITY, words):
        left, right = clause_of(words, found.start(), found.end())
        if of_another(words[left:right]) or re.search(_BUILT_FOR, words[left:right]):
            continue
        digits = found["digits"]
        said.add(int(digits or found["major"] + found["minor"]) / 10)
    if len(said) == 1:
        yield _fact("hardware.capability", said.pop())


def _systems(words: str) -> Iterator[Fact]:
    """The host's system: WSL is both others, and Windows is named where Linux runs in it."""
    for name, pattern in _SYSTEMS:
        for found in re.finditer(pattern, words):
            left, right = clause_of(words, found.start(), found.end())
            if not of_another(words[left:right]) and not re.search(_NO_OS, words[left : found.start()]):
                yield _fact("hardware.os", name)
                return


def _counts(words: str, seen: frozenset[str]) -> Iterator[Fact]:
    by_node = re.search(_BY_NODE, words) if _BY_NODE in seen else None
    if by_node:
        nodes, each = int(by_node["nodes"]), int(by_node["each"])
        yield _fact("hardware.nodes", nodes)
        yield _fact("hardware.count", nodes * each, f"{nodes} machines of {each}")
    numbers = (_number(pattern, words) for pattern in _NODES if pattern in seen)
    nodes = next((number for number in numbers if number is not None), 0)
    if 0 < nodes <= _MOST_NODES:  # "4090 machines" are machines with that card
        yield _fact("hardware.nodes", nodes)
    for pattern in _COUNTS:
        for found in re.finditer(pattern, words) if pattern in seen else ():
            number = _value(found["n"])
            if not 0 < number <= 4096 or re.search(_OTHERS, words[: found.start()]) or _elsewhere(words, found):
                continue
            per = found.groupdict().get("per")
            if per and nodes:
                yield _fact("hardware.count", number * nodes, f"{number} per node, {nodes} nodes")
            elif per:
                yield _fact(
                    "hardware.count", number, f"{number} per node, and no number of nodes is given: at least these"
                )
            else:
                yield _fact("hardware.count", number)


def _elsewhere(words: str, found: re.Match[str]) -> bool:
    left, right = clause_of(words, found.start(), found.end())
    return of_another(words[left:right])


def _number(pattern: str, words: str) -> int | None:
    for found in re.finditer(pattern, words):
        if re.search(_OTHERS, words[: found.start()]) is None and not (
            found["n"].lower() == "one" and "box" not in found.group()
        ):
            return _value(found["n"])
    return None


def _value(text: str) -> int:
    return int(text) if text.isdigit() else _NUMBERS.get(text.lower(), 0)


def _derived(facts: list[Fact]) -> list[Fact]:
    """The facts in the order of FACTS, with what follows from the products named."""
    if not facts:
        return []
    by_name = {kind.name: [fact for fact in facts if fact.name == kind.name] for kind in FACTS}
    kinds = [_product(str(fact.value)) for fact in by_name["hardware.accelerator"]]
    stated = [fact for fact in by_name["hardware.vendor"] if fact.origin == "stated"]
    if any("NPU" not in fact.why for fact in by_name["hardware.vendor"]):  # a maker is named: the word says no more
        by_name["hardware.vendor"] = [fact for fact in by_name["hardware.vendor"] if "NPU" not in fact.why]
    by_name["hardware.vendor"] = list({fact.value: fact for fact in [*by_name["hardware.vendor"], *stated]}.values())
    known = [one for one in kinds if one is not None]
    first = by_name["hardware.accelerator"][0] if known else None
    if first and not by_name["hardware.arch"] and len(known) == len(kinds) and all(one.arch for one in known):
        by_name["hardware.arch"] = [
            first.but(
                name="hardware.arch",
                value=known[0].arch,
                origin="derived",
                why=f"{first.value} has its Arm CPU in the package",
            )
        ]
    by_name["hardware.capability"] = by_name["hardware.capability"] or _by_card(by_name["hardware.accelerator"])
    by_name["hardware.os"] = by_name["hardware.os"][:1]
    count = by_name["hardware.count"]
    if first and count and not by_name["hardware.nodes"] and all(one.one_a_machine for one in known):
        by_name["hardware.nodes"] = [
            count[0].but(name="hardware.nodes", origin="derived", why=f"a machine has one {first.value}")
        ]
    others = [fact for fact in facts if fact.name.startswith("component.")]
    return [fact for kind in FACTS for fact in by_name[kind.name]] + others


def _by_card(cards: list[Fact]) -> list[Fact]:
    """The compute capabilities that the cards' names tell."""
    found: dict[float, Fact] = {}
    for card in cards:
        number = accelerator.capability(str(card.value))
        if number is not None:
            why = f"the {card.value} has compute capability {number}"
            found.setdefault(number, card.but(name="hardware.capability", value=number, origin="derived", why=why))
    return list(found.values())


def _product(name: str) -> Product | None:
    found = (PRODUCTS[number] for number, _ in _cards().finditer(name + " "))
    return next((one for one in found if one.name), None)
