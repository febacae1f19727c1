"""The vocabulary: what a reader yields it also declares, with a question that an operator can answer."""

from advisor.evidence import reading as evidence
from tests.evidence.situations import DATA, HEALTHY, facts, handed


def test_every_fact_that_is_read_is_declared():
    declared = {kind.name: kind.type for kind in evidence.FACTS}
    types = {"bool": bool, "int": int, "float": float, "str": str}
    for path in [*DATA.rglob("*"), *HEALTHY.iterdir()]:
        if path.is_file():
            for fact in facts(handed(path.read_bytes(), path.name)):
                assert fact.name in declared, fact
                assert isinstance(fact.value, types[declared[fact.name]]), fact


def test_each_name_is_declared_once_and_asks_something():
    names = [kind.name for kind in evidence.FACTS]
    assert names == sorted(set(names))
    for kind in evidence.FACTS:
        assert kind.summary and kind.question.endswith("?"), kind.name


def test_what_is_seen_is_quoted_and_placed():
    for path in DATA.rglob("*.*"):
        for fact in facts(handed(path.read_bytes(), path.name)):
            assert fact.span is not None and fact.span.line > 0, fact
            assert fact.quote and "\n" not in fact.quote, fact
