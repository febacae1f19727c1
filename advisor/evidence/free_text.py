"""What a person says they see, in English or Chinese -> `symptom.*` facts, and `collective.sizes_differ`.

Sample:

    Two Sparks, one rank wedged inside NCCL in the logits all-gather, the other idle.
    请求长期不返回，两个 rank 都活着，没有任何报错

yields symptom.hang, ranks_split and rank_idle from the first line; symptom.hang, processes_alive and no_error from the
second. An empty result means that the text says nothing of this kind; it never means that the deployment is well.

A text is cut into blocks (paragraph, bullet, heading, table row), blocks into sentences, and each sentence is held
against `SIGNS`. Not read: code fences, log lines and stacks (other readers have them), and what is said of another
situation than the user's: sections on what was ruled out, expected, changed or verified, control runs, descriptions of
a fix, "if you …", "would". A sign that is negated ("no traceback", "没有崩溃") does not count.

**Source:** no tool prints this; the wording is that of issue threads of the engines. Each sign has its example.
"""

from __future__ import annotations

from collections.abc import Iterator
from functools import cache

from advisor.evidence import engine_log
from advisor.evidence.assertion import told
from advisor.evidence.denial import denials, refused_label
from advisor.evidence.flattened import flatten
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
    without_its_wish,
)
from advisor.evidence.signs import SIGNS, Sign
from advisor.model.fact import Fact, FactKind
from advisor.patterns import PatternSet

MAX_QUOTE = 200


def _of_logs(name: str) -> tuple[str, str, str, str]:
    """A symptom that logs show too, in the words of its reader there."""
    kind = next(one for one in engine_log.FACTS if one.name == name)
    return kind.name, kind.summary, kind.question, kind.how


_NOTABLE = (
    _of_logs("symptom.hang"),
    _of_logs("symptom.crash"),
    _of_logs("symptom.startup_failure"),
    (
        "symptom.startup_hang",
        "the engine never finished starting",
        "Does starting never finish, without an error?",
        "the last line of every rank's log, with its time",
    ),
    (
        "symptom.wrong_output",
        "answers are garbled, repeated, corrupted or wrong",
        "Are answers wrong: garbled, repeated, or someone else's?",
        "the same prompt twice with temperature 0, compared",
    ),
    ("symptom.slow", "it works, but slowly", "Does it still answer, only more slowly than before?", ""),
    _of_logs("symptom.oom"),
    _of_logs("symptom.timeout"),
    _of_logs("symptom.heartbeat_stopped"),
    _of_logs("symptom.watchdog"),
    _of_logs("symptom.killed"),
    _of_logs("symptom.nan"),
    (
        "symptom.runs_to_limit",
        "answers do not end: they go on to the token limit",
        "Do answers go on without end, up to the token limit?",
        "finish_reason of the answers: is it `length`?",
    ),
)

_CIRCUMSTANCES = (
    (
        "symptom.no_error",
        "nothing is reported: no error, no traceback",
        "Is it silent: no error and no traceback in any rank's log?",
        "grep -ciE 'error|traceback' LOG, for every rank",
    ),
    (
        "symptom.processes_alive",
        "the processes are alive",
        "Are all processes of the engine still there?",
        "ps -ww -eo pid,stat,etime,args | grep -iE 'vllm|sglang|lmdeploy|xllm'",
    ),
    (
        "symptom.rank_idle",
        "a rank or GPU is idle while others are not",
        "Is one GPU at 0 % while others are busy?",
        "nvidia-smi (or npu-smi info), twice, ten seconds apart",
    ),
    (
        "symptom.rank_busy",
        "ranks or GPUs spin at 100 %",
        "Do GPUs stay at 100 % although nothing is produced?",
        "nvidia-smi dmon -c 5",
    ),
    (
        "symptom.ranks_split",
        "ranks wait in different places",
        "Do the ranks wait in different places?",
        "py-spy dump --pid PID, on every rank",
    ),
    (
        "symptom.first_request",
        "it happens at the first request after warm-up",
        "Is it the very first real request after starting that fails?",
        "",
    ),
    (
        "symptom.after_a_while",
        "it happens after minutes or hours of normal service",
        "Did it serve normally for minutes or hours first?",
        "the times of the first and the last finished request in the log",
    ),
    (
        "symptom.under_load",
        "it happens under high concurrency",
        "Does it need many requests at once?",
        "running and waiting requests in /metrics at that time",
    ),
    (
        "symptom.sampling_only",
        "random sampling fails and greedy does not",
        "Does it go away with temperature 0?",
        "the same requests with temperature 0",
    ),
    (
        "symptom.acceptance_falls",
        "the speculative acceptance rate falls",
        "Does the acceptance rate of speculative decoding fall over time?",
        "grep -iE 'accept' LOG",
    ),
    ("symptom.sigterm_ignored", "the processes do not stop on SIGTERM", "Did it take kill -9 to stop it?", ""),
    (
        "symptom.long_prefill",
        "long prompts or chunked prefill are involved",
        "Are long prompts (more than one prefill chunk) involved?",
        "",
    ),
    (
        "symptom.sleep_wakeup",
        "it happens around sleep, wake-up or a weight update",
        "Does it happen after sleep and wake-up, or a weight update?",
        "",
    ),
    _of_logs("symptom.graph_capture"),
    (
        "symptom.client_aborts",
        "clients cancel requests or disconnect",
        "Do clients cancel requests or disconnect before the answer is complete?",
        "grep -iE 'abort|disconnect' LOG",
    ),
    (
        "symptom.repeated_prompts",
        "it takes repeated prompts, prefix-cache hits or later turns of a chat",
        "Does it need a prompt that was sent before, or a later turn of a chat?",
        "",
    ),
)

FACTS: tuple[FactKind, ...] = (
    *(FactKind(name, "bool", summary, question, how) for name, summary, question, how in (*_NOTABLE, *_CIRCUMSTANCES)),
    FactKind(
        "sampling.temperature",
        "float",
        "the sampling temperature of the requests",
        "Which temperature do the requests use?",
    ),
)

_SAID = (*(kind.name for kind in FACTS), "collective.sizes_differ")  # the last is declared by `accounts`
_PRIMARY = frozenset(name for name, *_ in _NOTABLE)


# --- judging one sentence ---------------------------------------------------------------------------------------------

# "no hang", "without any crash or", "does not crash", "removes the hang"
_FILLER = (
    r"(?:an?|any|the|more|such|single|further|longer|visible|apparent|obvious|ever|to|be|been|have|had|"
    r"has|get|got|see|seen|signs?|evidence|of|for|that|"
    r"returns?|produces?|gives?|outputs?|generates?|emits?|answers? with|"
    r"really|just|even|observed|cuda|gpu|process|outright|actual|this|new|hard|\w+ (?:or|nor)|or|nor)"
)
_NO_BEFORE = (
    r"(?:(?:^ ?|\b(?:saw|see|had|have|with|fix) )0 $|\b(?:no|zero|not|never|without|nor|neither|isn't|aren't|wasn't|"
    r"doesn't|don't|didn't|won't|cannot|"
    r"can't|avoid(?:s|ed|ing)?|prevent(?:s|ed|ing)?|"
    r"remov(?:e|es|ed|ing)|eliminat(?:e|es|ed)|fix(?:es|ed|ing)?|cure[sd]?|rules? out|ruled out|"
    r"rather than|instead of|expected (?:it )?to)\b"
    rf"(?:[ \"'/-]+{_FILLER}\b)*[ \"'/-]*"
    r"|(?:从来没有?|从未|没有|没|无|未|不会|不再|不是|不存在|并非|并未|避免|防止|消除|杜绝|不)"
    r"(?:了|出现|发生|任何|观察到|看到|见|再|会|是|有|过|遇到|触发|导致)*[ \"“]*)$"
)
# "no crash, OOM or error": one negation over a list
_NO_LIST = r"\b(?:no|without(?: any)?) \w+(?: \w+)?(?:, ?\w+(?: \w+)?)+,? (?:or|nor) \w+"
_LACKING = r"^ ?(?:no|not|never|n't|zero|without|nor|neither|没|无|未|不|stop)"
# "we need a fix for the hang": it is there
_WANTED = (
    r"\bhow (?:do|can|could|should|to)(?: i| we| one)? (?:fix|solve|cure|remove)\b|"
    r"\b(?:need|want|wanted|looking for|is there|are there|any|waiting for|please|pls)(?: an?| any| the| some)? "
    r"(?:\w+ )?(?:fix|cure|solution|work-?around)(?: for| to)?\b"
)
_FROM_TO = r"(\d+(?:\.\d+)?) ?%? ?(?:(?:down )?to|->|→|到|变成|变为|掉到|降到) ?(\d+(?:\.\d+)?)"  # from 3.2 to 1.1
# "the hang is gone", "hang never recurs", "卡住消失"
_GONE_AFTER = (
    r"^[ \"']*(?:(?:is|are|was|were|has|have|had|been) )*(?:gone|went away|goes away|disappear|vanish|"
    r"fixed|solved|resolved|消失|不再|解决|没了|没有了|不复现)"
    r"|^[ \"']*(?:(?:is|was|were|did|does|has) ?)*(?:never|no longer|not|n't) (?:been )?(?:happen|"
    r"occur|recur|reproduc|appear|seen|observed|show)"
)


def read_symptoms(text: str, *, artifact: str, first_line: int = 1, engine: str | None = None) -> tuple[Fact, ...]:
    """The symptoms that the prose states, each once and at its first mention, in the order of `FACTS`.

    `artifact` names the text in the facts' spans and `first_line` is the line it starts on. With `engine`, what is said
    of another engine is not taken. Empty when nothing is said.
    """
    text = readable(text)
    source = without_code(text)
    shown = without_code(told(text, engine=engine).text)
    found: dict[str, Fact] = {}
    read: set[str] = set()
    for block in blocks(source):
        if block.muted:
            continue
        for start, end in sentences(source, block.start, block.end):
            sentence = plain(shown[start:end])
            if sentence in read or not (signs := _signs_of(sentence)) or elsewhere(sentence):
                continue
            read.add(sentence)
            whole = plain(source[start:end])
            stated = without_its_wish(sentence)
            for name, quote in _signs_in(stated, signs if stated == sentence else _signs_of(stated), found):
                place = span_of(text, start, end, artifact, first_line)
                quote = whole if quote == sentence and len(whole) <= MAX_QUOTE else quote
                found[name] = Fact(name, True, "stated", place, quote, notable=name in _PRIMARY)
    heat = _temperature(text, artifact, first_line)
    return tuple(found[name] for name in _SAID if name in found) + ((heat,) if heat else ())


@cache
def _at_once() -> PatternSet:
    return PatternSet("(?i)" + sign.words for sign in SIGNS)


def _signs_of(sentence: str) -> list[Sign]:
    """The signs whose words stand in the sentence."""
    return [SIGNS[number] for number in _at_once().found(sentence)]


def _signs_in(sentence: str, signs: list[Sign], known: dict[str, Fact]) -> Iterator[tuple[str, str]]:
    """`(fact, quote)` for every fact that the sentence states with one of the signs and that is not known yet."""
    for name in dict.fromkeys(sign.fact for sign in signs):
        if name in known:
            continue
        quote = next((words for sign in signs if sign.fact == name and (words := _quote(sign, sentence))), "")
        if quote:
            yield name, quote


def _quote(sign: Sign, sentence: str) -> str:
    """The words in which the sentence shows the sign, or nothing."""
    if sign.near and pattern(sign.near).search(sentence) is None:
        return ""
    if sign.against and pattern(sign.against).search(sentence):
        return ""
    if sign.falls and not _fallen(sentence):
        return ""
    for found in pattern(sign.words).finditer(sentence):
        start, end = found.start(), found.end()
        left, right = clause_of(sentence, start, end)
        if sign.unless and pattern(sign.unless).search(sentence[left:right]):
            continue
        if not _negated(sentence, start, end, left, right, sign.vanishes):
            return sentence if len(sentence) <= MAX_QUOTE else _shortened(sentence, left, right, start)
    return ""


def _fallen(sentence: str) -> bool:
    """Whether the last number of `from 3.2 to 1.1` is the smaller."""
    return any(float(one.group(2)) < float(one.group(1)) for one in pattern(_FROM_TO).finditer(sentence))


def _negated(sentence: str, start: int, end: int, left: int, right: int, vanishes: bool) -> bool:
    before = sentence[max(left, start - 60) : start]
    if pattern(_NO_BEFORE).search(before) and not pattern(_WANTED).search(before):
        return True
    if not vanishes and pattern(_GONE_AFTER).search(sentence[end:right]):
        return True
    if not vanishes and _said_not_to_be(sentence, start):
        return True
    listed = pattern(_NO_LIST).finditer(sentence) if "," in sentence else ()
    return any(one.start() < start < one.end() for one in listed)


def _said_not_to_be(sentence: str, start: int) -> bool:
    """Whether the words at `start` stand in a denial; those that begin with its "no" are the lack itself."""
    if refused_label(sentence):
        return True
    line = flatten(sentence, 0, len(sentence))
    spans = [line.span(*one) for one in denials(line.words, nouns=False)]
    if any(left < start < right for left, right in spans):
        return True
    begun = any(left == start for left, _ in spans)
    return begun and pattern(_LACKING).search(sentence[start:]) is None


def _shortened(sentence: str, left: int, right: int, start: int) -> str:
    if right - left <= MAX_QUOTE:
        return sentence[left:right].strip()
    begin = max(left, start - MAX_QUOTE // 3)
    return sentence[begin : begin + MAX_QUOTE - 2].strip() + "…"


# temperature=1.0, "temperature": 0.7, --temperature 1.0, 温度 0.6
_TEMPERATURE = (
    r"(?:temperature|温度)[\"']?\s*(?:=|:|：|of|is|at|为|设为)?\s*([0-2](?:\.\d+)?)(?:[^\d.°℃C]|\.(?:\s|$)|$)"
)
_WELL = r"\bfine\b|\bworks?\b|\bstable\b|\bok\b|正常|没问题|没有问题|默认"


def _temperature(text: str, artifact: str, first_line: int) -> Fact | None:
    """The first sampling temperature given, in prose, a command or a request; not one that is said to work."""
    if "emperature" not in text and "温度" not in text:
        return None
    for block in blocks(text, machine=True):
        if block.muted:
            continue
        for found in pattern(_TEMPERATURE).finditer(text[block.start : block.end]):
            start, end = block.start + found.start(), block.start + found.end()
            line = text[text.rfind("\n", 0, start) + 1 : (text.find("\n", end) + 1 or len(text) + 1) - 1]
            left, right = clause_of(line, line.find(found.group()), line.find(found.group()) + len(found.group()))
            if pattern(_WELL).search(line[left:right]) is None:
                place = span_of(text, start, end, artifact, first_line)
                return Fact("sampling.temperature", float(found.group(1)), "stated", place, plain(line)[:MAX_QUOTE])
    return None
