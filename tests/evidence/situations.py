"""How these tests read evidence: through `intake.take` and `evidence.read`, as the program does."""

from collections.abc import Callable, Iterable
from pathlib import Path

from advisor import intake
from advisor.evidence import reading as evidence
from advisor.evidence.reading import Evidence
from advisor.model.fact import Fact, Thread

DATA = Path(__file__).parent / "data"
HEALTHY = Path(__file__).parents[1] / "healthy"


def handed(text: str | bytes, name: str = "-") -> list[Evidence]:
    """Everything read out of one input."""
    data = text.encode() if isinstance(text, str) else text
    return [evidence.read(artifact) for artifact in intake.take(name, data).artifacts]


def captured(path: str) -> list[Evidence]:
    """Everything read out of a file under `data/`."""
    return handed((DATA / path).read_bytes(), path)


def facts(found: Iterable[Evidence], where: Callable[[Fact], bool] = lambda fact: True) -> list[Fact]:
    return [fact for one in found for fact in one.facts if where(fact)]


def values(found: Iterable[Evidence], name: str) -> list[object]:
    return [fact.value for fact in facts(found) if fact.name == name]


def notable(found: Iterable[Evidence]) -> set[str]:
    """The names of what the user came with."""
    return {fact.name for fact in facts(found) if fact.notable}


def symptoms(found: Iterable[Evidence]) -> set[str]:
    return {fact.name for fact in facts(found) if fact.name.startswith("symptom.")}


def threads(found: Iterable[Evidence]) -> list[Thread]:
    return [thread for one in found for thread in one.threads]


def functions(thread: Thread) -> list[str]:
    return [frame.function for frame in thread.frames]


def kinds(found: Iterable[Evidence]) -> list[str]:
    return [one.artifact.kind for one in found]


def assert_quiet(found: Iterable[Evidence]) -> None:
    """No reader saw a symptom, and nothing asks to be explained."""
    found = list(found)
    assert symptoms(found) == set()
    assert notable(found) == set()
