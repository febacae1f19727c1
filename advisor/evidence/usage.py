"""What a person says of how the engine is deployed and used -> `requests.*`, `deployment.*` and `cache.*` facts.

    structured output (JSON schema), PD disaggregation, decode node, in docker, verl colocate, HiCache on
    no PD disaggregation; HiCache is off; 没有开 PD 分离       -> false: so the deployment runs
    without HiCache it is fine; if you enable HiCache          -> nothing: a control run, a condition

Empty: nothing of this was said.

**Source:** no tool prints this; the wording is that of issue threads of the engines, each in the tests.
"""

from __future__ import annotations

from collections.abc import Iterator
from functools import cache

from advisor.evidence.assertion import told
from advisor.evidence.prose import (
    blocks,
    clause_of,
    elsewhere,
    pattern,
    plain,
    readable,
    sentences,
    span_of,
    without_code,
)
from advisor.evidence.signs import Sign
from advisor.model.fact import Fact, FactKind
from advisor.patterns import PatternSet

MAX_QUOTE = 200

FACTS: tuple[FactKind, ...] = (
    FactKind(
        "requests.structured",
        "bool",
        "requests ask for structured output: JSON schema, regex, grammar, strict tool calls",
        "Do requests use structured output (response_format, JSON schema, regex, grammar, strict tools)?",
        "grep -E 'response_format|json_schema|guided_|structured_outputs|tool_choice' in the client's code",
    ),
    FactKind(
        "deployment.disaggregated",
        "bool",
        "prefill and decode run apart, in instances of their own",
        "Do prefill and decode run in separate instances (PD disaggregation)?",
        "ps -ww -eo args | grep -E 'disaggregation-mode|kv-transfer-config|--role|instance_role'",
    ),
    FactKind(
        "deployment.role",
        "str",
        "which side of a disaggregated deployment it is: prefill or decode",
        "Is it the prefill or the decode instance that fails?",
        "ps -ww -eo args | grep -E 'disaggregation-mode|kv_role|--role|instance_role'",
    ),
    FactKind(
        "deployment.container",
        "bool",
        "the engine runs in a container: docker, podman, Kubernetes",
        "Does the engine run in a container?",
        "ls /.dockerenv; cat /proc/1/cgroup",
    ),
    FactKind(
        "deployment.colocated",
        "bool",
        "a trainer and the engine share the GPUs, as in reinforcement learning",
        "Do a trainer and the engine share the same GPUs?",
        "nvidia-smi --query-compute-apps=pid,name --format=csv",
    ),
    FactKind(
        "cache.prefix",
        "bool",
        "the KV cache of earlier prompts is used again (prefix cache, radix cache)",
        "Is prefix caching on?",
        "grep -iE 'prefix_cach|radix_cache' in the arguments the engine prints at start-up",
    ),
    FactKind(
        "cache.hierarchical",
        "bool",
        "SGLang's hierarchical cache (HiCache) is on",
        "Is HiCache (--enable-hierarchical-cache) on?",
        "ps -ww -eo args | grep hierarchical-cache",
    ),
)

_SIDE = r"(?:nodes?|instances?|servers?|sides?|workers?|engines?|pods?|replicas?|schedulers?|clusters?)\b"
_TRAINING = r"\btrain|\bverl\b|\bslime\b|\brl(?:hf)?\b|\brollout|\bgrpo\b|\bppo\b|\bopenrlhf\b|\bactor\b|\bmegatron\b|\bfsdp\b|训练|强化学习"

WORDS: tuple[Sign, ...] = (
    Sign(
        "requests.structured",
        r"\bjson[ _-]?schemas?\b|\bresponse_format\b|\b(?:structured|constrained|guided)[ _-](?:outputs?|generation|decoding|"
        r"json|requests?|responses?|regex|choice|grammar)\b|\bstructural[ _-]tags?\b|"
        r"\bjson[ _-](?:mode|objects?|outputs?|requests?|constrain\w*|grammars?|format)\b|"
        r"\b(?:grammars?|ebnf|regex|regular[ -]expression)(?:[- ](?:constrain\w*|guided|based|requests?|decoding|outputs?|backend|"
        r"matcher\w*|compil\w*|fsm|object|state)|s)?\b|\bxgrammar'?s? (?:matcher|fsm|bitmask|grammar)\b|\bllguidance\b",
        "JSON schema requests; structured outputs; a grammar request",
        unless=r"\bregex(?:es)? (?:errors?|alerts?|that i|(?:in|for|of) (?:the |our )?(?:logs?|alerts?|code))|grammar(?:-| )backend|grammar (?:mistake|error in|check|correct)|"
        r"output_format|config(?:uration)? json|json (?:log|file|config)",
    ),
    Sign(
        "requests.structured",
        r"\bstrict[ -](?:tools?|functions?|mode)\b|\btools?(?:[ _-](?:calls?|calling|schemas?))? (?:with|in|and|are|set to|marked) ?strict\b|"
        r"\bstrict[\"']? ?[:=] ?[\"']?true\b|\btool_choice[\"']? ?[:=]? ?[\"']?required\b|"
        r"\b(?:required|forced|named) (?:tool|function)[ _-]?(?:choice|calls?|calling)\b",
        "strict tools; requests with tool_choice=required",
    ),
    Sign(
        "requests.structured",
        r"结构化 ?(?:输出|生成|解码|请求|数据|约束)|约束 ?(?:解码|输出|生成)|受限 ?(?:解码|生成)|json ?(?:模式|格式|约束|输出|请求|结构)|"
        r"(?:语法|正则|文法) ?(?:约束|限制|引导)|引导 ?(?:解码|生成)|强制(?:工具|函数)调用",
        "结构化输出的请求；约束解码",
        unless="json ?格式的?(?:日志|配置)|配置",
    ),
    Sign(
        "deployment.disaggregated",
        r"\bp ?[/-]? ?d[ -]?(?:disagg\w*|separat\w*|split)\b|\bpd (?:mode|deployments?|clusters?|setup|serving|architecture)\b|"
        r"\bdisaggregat(?:ed|ion|ing)\b|\bdisagg\b|\bprefill(?:[ /-]|[ -]and[ -])decode[- ](?:disagg\w*|separat\w*|split)|"
        r"\bseparate (?:prefill and decode|prefill/decode|prefill)\b|\b[1-9]\d?p[1-9]\d?d\b|\bxpyd\b|\bkv_(?:producer|consumer)\b",
        "PD disaggregation; a 1P1D deployment; disaggregated serving",
        unless=r"encoder|\bepd\b|multimodal|storage",
    ),
    Sign(
        "deployment.disaggregated",
        r"\b(?:prefill|decode)(?:r|ing)?[ -]" + _SIDE + r"|\b[pd][- ](?:node|instance|side|worker)s?\b",
        "the decode node; prefill worker dies",
        unless=r"prefill (?:side )?(?:of the )?(?:batch|phase)|no prefill|not disaggregated|scheduler",
    ),
    Sign(
        "deployment.disaggregated",
        r"p ?/? ?d ?(?:分离|拆分|分开)|(?:预填充|prefill) ?(?:和|与|及|/|、)? ?(?:解码|decode) ?(?:分离|拆分|分开)|"
        r"(?:预填充|解码|prefill|decode|\b[pd]|[^a-z][pd]) ?(?:节点|实例|端|侧)",
        "PD 分离部署；D 节点",
    ),
    Sign(
        "deployment.container",
        r"\bdocker\b|\bpodman\b|\bcontainers?\b|\bcontaineri[sz]ed\b|\bkubernetes\b|\bk8s\b|\bkubectl\b|\bpods?\b|\bhelm\b|"
        r"\bdocker-?compose\b|\bcontainerd\b|\benroot\b|\bapptainer\b|\bsingularity\b|容器|docker",
        "in docker; the pods are alive; 容器里",
        unless=r"container (?:type|class|object)|tv pod|\bdocker pull\b|\bdocker (?:build|hub)\b",
    ),
    Sign(
        "deployment.colocated",
        r"\bco-?locat(?:e[sd]?|ion|ing)\b",
        "verl with colocated rollout; the trainer is colocated",
        near=_TRAINING,
        unless=r"prefill|decode|router|region|\bnot co",
    ),
    Sign(
        "deployment.colocated",
        r"\b(?:trainer|training(?: \w+)?|actor|policy)\b.{0,40}\bshar(?:e[sd]?|ing) (?:the |same |one |a |these |all )*(?:gpus?|npus?|cards?|devices?)\b|"
        r"\bshar(?:e[sd]?|ing) (?:the |its |our |same |one )*(?:gpus?|npus?|cards?|devices?) with (?:the |a |our )?(?:trainer|training|actor|learner)|"
        r"\bhybrid ?engine\b|\b(?:training and (?:inference|rollout)|trainer and (?:rollout|engine|inference)) (?:run )?on the same (?:gpu|card|npu)s?|"
        r"训推(?:一体|共卡|混部|共置|共享)|训练(?:和|与|、|/)?推理(?:引擎)?(?:共卡|共享|混部|共置|同卡|在同一)|(?:共卡|同卡)训推",
        "trainer and rollout share the same GPUs; 训推一体",
    ),
    Sign(
        "cache.prefix",
        r"\bprefix(?:es)?[ _-]?cach(?:e|es|ing|ed)\b|\bradix[ -]?(?:cache|tree|attention)\b|\bautomatic prefix\b|前缀 ?(?:缓存|复用)|前缀树",
        "prefix caching is on; 开了前缀缓存",
        unless=r"chunked[ -]prefix|prefix cache hit rate: 0\.0",
    ),
    Sign(
        "cache.hierarchical",
        r"\bhi-?cache\b|\bhierarchical (?:kv[ -]?)?cach(?:e|ing)\b|(?:层级|分层|多级|层次化?) ?(?:kv ?)?缓存|hicache",
        "HiCache is on; 开了 HiCache；分层缓存",
    ),
)
_OF_A_SIDE = (
    (
        "prefill",
        r"\b(?:prefill(?:er|ing)?[ -]|p[- ])" + _SIDE + r"|(?:预填充|prefill|\bp|[^a-z]p) ?(?:节点|实例|端|侧)",
    ),
    ("decode", r"\b(?:decod(?:e|er|ing)[ -]|d[- ])" + _SIDE + r"|(?:解码|decode|\bd|[^a-z]d) ?(?:节点|实例|端|侧)"),
)

# "no HiCache", "we do not use structured outputs", "with prefix caching disabled", "没有开 HiCache"
_FILLER = (
    r"(?: (?:us(?:e|es|ed|ing)|run(?:s|ning)?|any|an?|the|our|enabl(?:e|ed|ing)|in|with|have|having|of|on|do|doing|is|are|was|it|"
    r"kind|sort|sglang'?s?|vllm'?s?|real|actual|automatic|at all|yet|involve[sd]?|involving|be|been|send(?:s|ing)?|ask(?:s|ing)? for|deployed|served))*"
)
_NOT_BEFORE = (
    r"(?:\b(?:no|not|without|w/o|never|neither|nor|non|zero|isn't|aren't|wasn't|don't|doesn't|didn't|haven't|hasn't|disabl(?:e|ed|ing)|"
    rf"(?:turn(?:ed|ing)?|switch(?:ed|ing)?) off|remov(?:e|ed|ing)|drop(?:ped|ping)?)\b{_FILLER}[ \"'-]*"
    r"|(?:没有?|从未|未|不|无|非|关闭?了?|关掉了?|禁用了?|停用了?|去掉了?|取消了?)(?:有|过|开启?|用|使用|启用|走|做|采用|打开|配置?|上|是|了|任何|在|部署|带|加|涉及|跑|发|到)* ?[\"“]?)$"
)
_NOT_AFTER = (
    r"^(?:\W? ?(?:mode|feature|deployment|requests?|was|were|is|are|has been|have been|stays?|都|已经?|也|均|功能|全|是|:|=|：|\())* ?"
    r"(?:off\b|disabled\b|false\b|not (?:used|enabled|on\b|in use|set|active|involved|configured|deployed)|unused\b|turned off|switched off|"
    r"no\b(?: ?(?:[,;.)|，。；]|$)| \w+ ?[:=：])|none\b|没有?(?:开|用|启用|打开|配)|未(?:开|启用|用|配|打开)|关(?:闭|了|掉|着)|不(?:开|用)|无\b|否|禁用)"
)
_OFF_ON = r"\b(?:with (?:or|and) without|with/without|regardless of|independent of|on or off|enabled or (?:not|disabled))\b|(?:开|用)(?:不|没)(?:开|用)|无论|不管"
# what is done about it, or was only tried
_CHANGE = (
    r"\b(?:tr(?:y|ied|ying)|recommend\w*|suggest\w*|consider\w*|plan(?:s|ned|ning)?|should|could|might|instead of|rather than|unlike|"
    r"going to|want(?:s|ed)? to|need(?:s|ed)? to|supports?|supported|work-?arounds?|until (?:we|i))\b|尝试|试过|试了|建议|打算|计划|支持|规避|改用"
)
_FINE = (
    r"\b(?:works?|worked|working|runs?|ran|is|are|was|were)? ?(?:fine|ok|okay|stable|well|correct(?:ly)?|clean(?:ly)?)\b|\bworks?\b|\bworked\b|\bno (?:such )?(?:problems?|issues?|hangs?|errors?|"
    r"crash(?:es)?)\b|\b(?:helps?|helped|cure[sd]?|solve[sd]|fix(?:es|ed)|disappear\w*|goes away|went away|is gone|are gone|vanish\w*)\b|"
    r"\b(?:not|never|cannot|can't|doesn't|didn't|don't|won't|couldn't|no longer) (?:\w+ )?(?:hang|happen|reproduce|occur|fail|crash|see|show up|appear)\w*\b|"
    r"正常|没问题|没有问题|没事|好好的|就好|不(?:卡|挂|崩|复现|出现|会)|没有?(?:复现|出现|再)|恢复|解决"
)
_FOR_A_WHILE = (
    r"\b(?:works?|worked|runs?|ran|fine|ok|okay|stable)(?: \w+)? (?:for|until|till|up to|about|around|at first|initially|a while|~?\d)|"
    r"(?:正常)?(?:运行|跑|服务)[^,，。]{0,8}(?:后|之后)|\bnot (?:fine|ok|stable|work)|\b(?:doesn't|does not|never|no longer|stops?|stopped) work"
)


def read_usage(text: str, *, artifact: str, first_line: int = 1, engine: str | None = None) -> tuple[Fact, ...]:
    """What the prose states of the deployment, each fact once: that a thing is so weighs more than that it is not."""
    text = readable(text)
    source = without_code(text)
    if not _at_once().found(source):
        return ()
    shown = without_code(told(text, engine=engine).text)
    found: dict[str, Fact] = {}
    sides: dict[str, Fact] = {}
    for block in blocks(source):
        if block.muted:
            continue
        for start, end in sentences(source, block.start, block.end):
            sentence = plain(shown[start:end])
            words = [WORDS[number] for number in _at_once().found(sentence)]
            if not words or elsewhere(sentence):
                continue
            place = span_of(text, start, end, artifact, first_line)
            for name, value in _said(sentence, words):
                fact = Fact(name, value, "stated", place, sentence[:MAX_QUOTE])
                if name not in found or (found[name].value is False and value is not False):
                    found[name] = fact
            for side in _sides(sentence):
                sides.setdefault(side, Fact("deployment.role", side, "stated", place, sentence[:MAX_QUOTE]))
    if len(sides) == 1 and found.get("deployment.disaggregated"):
        found["deployment.role"] = next(iter(sides.values()))
    return tuple(found[kind.name] for kind in FACTS if kind.name in found)


@cache
def _at_once() -> PatternSet:
    """What tells which words a text or sentence holds: most say nothing of this."""
    return PatternSet("(?i)" + one.words for one in WORDS)


def _said(sentence: str, words: list[Sign]) -> Iterator[tuple[str, bool]]:
    for word in words:
        if word.near and pattern(word.near).search(sentence) is None:
            continue
        for found in pattern(word.words).finditer(sentence):
            left, right = clause_of(sentence, found.start(), found.end())
            if word.unless and pattern(word.unless).search(sentence[left:right]):
                continue
            value = _holds(sentence, found.start(), found.end(), left, right)
            if value is not None:
                yield word.fact, value


def _holds(sentence: str, start: int, end: int, left: int, right: int) -> bool | None:
    """Whether the thing at `start`..`end` is said to be so; None where the words tell of a trial or a control run."""
    clause = sentence[left:right]
    if pattern(_OFF_ON).search(clause) or pattern(_CHANGE).search(clause):
        return None
    before, after = sentence[left:start], sentence[end : min(len(sentence), end + 40)]
    if pattern(_NOT_BEFORE).search(before) or pattern(_NOT_AFTER).search(after):
        return None if _is_fine(sentence[left:]) else False
    return None if _is_fine(clause) else True


def _is_fine(words: str) -> bool:
    """Whether the words call something fine, and not only for a while."""
    return pattern(_FINE).search(words) is not None and pattern(_FOR_A_WHILE).search(words) is None


def _sides(sentence: str) -> Iterator[str]:
    for side, words in _OF_A_SIDE:
        for found in pattern(words).finditer(sentence):
            left, right = clause_of(sentence, found.start(), found.end())
            if _holds(sentence, found.start(), found.end(), left, right):
                yield side
