"""What operators say of how they deploy and use an engine, in English and Chinese: so, not so, and nothing of it."""

import pytest

from advisor.evidence.usage import FACTS, WORDS, read_usage


def stated(text):
    """`disaggregated role=decode !hierarchical`: true ones by name, false ones with a `!`."""
    words = []
    for fact in read_usage(text, artifact="paste"):
        name = fact.name.partition(".")[2]
        words.append(f"{name}={fact.value}" if isinstance(fact.value, str) else name if fact.value else f"!{name}")
    return " ".join(words)


STATED = [
    # structured output
    ("any JSON schema request hangs the pipeline-parallel server", "structured"),
    ("it hangs with structured output, works for 20 minutes then stops", "structured"),
    ("We send response_format json_object", "structured"),
    ("tool calls with strict: true crash the engine", "structured"),
    ("requests with tool_choice=required fail", "structured"),
    ("guided decoding with a regex", "structured"),
    ("the grammar matcher rejects a token", "structured"),
    ("结构化输出的请求一来就卡死", "structured"),
    ("用了 json schema 约束解码", "structured"),
    ("No structured output is used.", "!structured"),
    ("we do not use structured outputs", "!structured"),
    ("没有用结构化输出", "!structured"),
    ("structured output: no", "!structured"),
    ("structured output: No response for 60 s", "structured"),
    # prefill and decode apart
    ("PD 分离部署，D 节点 32 并发一压就挂", "disaggregated role=decode"),
    ("The decode node crashes while the prefill node is fine", "disaggregated role=decode"),
    ("the prefill worker ends in a KeyError", "disaggregated role=prefill"),
    ("between the prefill instance and the decode instance", "disaggregated"),
    ("Running 1P1D with mooncake", "disaggregated"),
    ("disaggregated serving with NIXL", "disaggregated"),
    ("no PD disaggregation", "!disaggregated"),
    ("prefill/decode disaggregation is not used here", "!disaggregated"),
    ("非 PD 分离部署", "!disaggregated"),
    ("不开 PD 分离", "!disaggregated"),
    # containers and trainers
    ("running in docker on two hosts", "container"),
    ("two pods in kubernetes", "container"),
    ("在容器里启动", "container"),
    ("not in a container, bare metal", "!container"),
    ("verl colocate, rollout after wake-up returns garbage", "colocated"),
    ("trainer and rollout share the same GPUs", "colocated"),
    ("训推一体场景，唤醒后乱码", "colocated"),
    # caches
    ("prefix caching is enabled and answers get garbled", "prefix"),
    ("前缀缓存命中之后输出乱码", "prefix"),
    ("prefix caching is disabled", "!prefix"),
    ("未开启前缀缓存", "!prefix"),
    ("HiCache with PP hangs in check_hicache_events", "hierarchical"),
    ("开了 HiCache 就卡", "hierarchical"),
    ("without HiCache it also hangs", "!hierarchical"),
    ("HiCache off", "!hierarchical"),
    ("没有开 HiCache", "!hierarchical"),
    ("IndexError in structured output", "structured"),
    ("PP=2，请求带 json_schema 时报错", "structured"),
    ("TP=8, HiCache + L3 storage backend: the service hangs", "hierarchical"),
    ("TP=8, no HiCache", "!hierarchical"),
    ("HiCache is on. The warm-up pod runs without HiCache.", "container hierarchical"),
]

QUIET = [
    "without HiCache it works",
    "关闭 HiCache 后正常",
    "tried without HiCache, same",
    "it hangs with or without HiCache",
    "Does vLLM support PD disaggregation?",
    "If you enable HiCache the server would hang.",
    "I recommend prefix caching",
    "Disabling prefix caching fixes it",
    "Requests without a JSON schema are fine",
    "## Expected behavior\n\nstructured outputs do not hang",
    "## What we ruled out\n\n- HiCache: it is on there",
    "colocated prefill and decode",
    "regex alerts in the log",
    "decode batches are slow",
    "the prefill phase is slow",
    "two nodes, TP=2",
    "The scheduler is stuck",
    "用户说卡死",
    "```\nhicache\n```",
]


@pytest.mark.parametrize(("text", "known"), STATED)
def test_states(text, known):
    assert stated(text) == known


@pytest.mark.parametrize("text", QUIET)
def test_quiet(text):
    assert stated(text) == ""


def test_another_engine_is_not_the_one_judged():
    assert read_usage("SGLang with HiCache hangs", artifact="x", engine="vllm") == ()


def test_every_word_holds_for_its_example():
    for word in WORDS:
        for example in word.example.replace("；", "; ").split("; "):
            assert word.fact in {one.name for one in read_usage(example, artifact="x")}, example


def test_facts_say_where():
    found = read_usage("It hangs.\n\nHiCache is on.", artifact="paste", first_line=5)
    assert [(str(one.span), one.quote, one.origin) for one in found] == [("paste:7", "HiCache is on.", "stated")]


def test_every_fact_is_declared_and_asks():
    assert {word.fact for word in WORDS} | {"deployment.role"} == {kind.name for kind in FACTS}
    assert all(kind.question.endswith("?") for kind in FACTS)


@pytest.mark.parametrize("odd", ["", "\n\n", "。。。", "#", "```", "\x00\ud800", "hicache(" * 1000, "PD" * 3000])
def test_odd_text_is_no_error(odd):
    read_usage(odd, artifact="x")
