"""Words about how an engine is run -> facts: topology, speculation, the model runner.

    two nodes (TP=2), MTP5, V2 runner      -> topology.nodes 2, topology.tp 2, speculation.method mtp, speculation.on,
                                              speculation.tokens 5, runner.version 2
    hangs only with TP>1                   -> topology.tp 2, "at least 2 was said"
    follow-up fixes #4568 tp>1; if pp>1    -> nothing: that is about another case, or a condition

When a text states different values, what stands as configuration (a title, a list, a table, code) counts before a
mention in passing, then the more frequent, then the first; the rest is told in a note. No fact means that the text
does not say.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator

from advisor.launches import cases, speculation, topology
from advisor.launches.prose import Prose
from advisor.launches.saying import Saying
from advisor.model.fact import Fact, FactKind, Note, Origin, Value
from advisor.model.shape import Shape

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
    FactKind(
        "speculation.on",
        "bool",
        "speculative decoding is in use, by whatever method",
        "Is speculative decoding (MTP, EAGLE, a draft model, n-gram, …) in use?",
    ),
    FactKind("speculation.tokens", "int", "draft tokens per step", "How many draft tokens per step?"),
    FactKind(
        "runner.version",
        "int",
        "vLLM model runner, 1 or 2",
        "Which model runner does vLLM use, 1 or 2 (VLLM_USE_V2_MODEL_RUNNER; 2 prints 'Using V2 Model Runner')?",
    ),
)

_RUNNER = Shape(
    r"(?i)VLLM_USE_V2_MODEL_RUNNER[\"'`]?\s*[=:]\s*[\"'`]?([01])\b"
    r"|\bV([12])[- ](?:model[- ])?runner\b|\bmodel runner v([12])\b|\bMRV(2)\b"
)  # V2 runner, VLLM_USE_V2_MODEL_RUNNER=1


def read(prose: Prose) -> tuple[tuple[Fact, ...], tuple[Note, ...]]:
    """The facts a text states, and notes on what it states in two ways."""
    sayings = [*topology.read(prose), *speculation.read(prose), *_runner(prose)]
    if not sayings:
        return (), ()
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
    return tuple(_with_speculation(facts)), tuple(notes)


def _with_speculation(facts: list[Fact]) -> Iterator[Fact]:
    """The facts, and whether speculation is on, which the method says where one is stated."""
    method = next((one for one in facts if one.name == "speculation.method"), None)
    for one in facts:
        if one is method:
            yield one
            yield one.but(
                name="speculation.on", value=one.value != "none", origin="derived", why=f"{one.value} is stated"
            )
        elif one.name != "speculation.on" or method is None:
            yield one


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


def _runner(prose: Prose) -> Iterator[Saying]:
    low = prose.joined.lower()
    if "runner" not in low and "mrv2" not in low:
        return
    for found in _RUNNER.finditer(prose.joined):
        if found.group(1):
            yield Saying("runner.version", int(found.group(1)) + 1, 2, *found.span())
        elif not _another(prose, *found.span()):
            yield Saying("runner.version", int(found.group(2) or found.group(3) or found.group(4)), 1, *found.span())


def _another(prose: Prose, start: int, end: int) -> bool:
    return bool(topology.OTHER_CASE.search(prose.clause(start, end))) or cases.elsewhere(prose, start, end)
