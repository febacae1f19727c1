"""Facts that follow from others: what an engine's profile computes from settings, environment and log lines, and
whether a build is a stock release or an image.

A recipe stands in `knowledge/<engine>/engine.yaml` under `facts`: `settings`, `env` and `logs` say where to look;
`absent` is the value when a flag is unset or off, `given` when it is set at all, `product` the facts to multiply when
it is on, `values` translates what was typed; with `only: true` a value that is not among those says nothing. A fact
that no reader declares is declared there: `type`, `says`, `question` and `how`.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable
from functools import lru_cache
from typing import Any

from advisor.model.build import Build, is_release
from advisor.model.fact import Fact, FactKind, Span, Value
from advisor.model.knowledge import Knowledge
from advisor.model.launch import Launch
from advisor.model.outcome import Missing
from advisor.patterns import compile_pattern

STOCK = FactKind(
    "build.stock",
    "bool",
    "the build is a published release as upstream shipped it, not a dev build, a fork or a patched tree",
    "Is this a published release as it came, or a fork, a dev build or a patched tree?",
    "pip show ENGINE; pip show -f ENGINE | head (was it installed from an index?)",
)
FACTS = (STOCK,)


CONTAINER = "deployment.container"
_RUNS_IMAGE = r"\b(?:docker|podman|nerdctl) (?:compose )?(?:run|exec|up)\b|\bkubectl (?:exec|apply|run)\b"
Asker = Callable[[str, str], tuple[tuple[Fact, ...], Missing | None]]
"""How derived facts ask for what they are made of: kind and name -> what is known, and what is missing."""


def stock(build: Build, knowledge: Knowledge | None) -> tuple[Fact, ...]:
    """Whether the build is a stock release; no fact when what was said does not tell."""
    if build.fork:
        return (_stock(build, False, f"it is said to be a fork ({build.fork})"),)
    if build.version and is_release(build.version) and not build.commit:
        published = knowledge is not None and knowledge.release(build.version) is not None
        return (_stock(build, True, f"{build.version} is a published release"),) if published else ()
    if build.version or build.commit or build.branch:
        return (_stock(build, False, "it is a commit or a dev build, not a release"),)
    return ()


def contained(build: Build, launches: Iterable[Launch]) -> tuple[Fact, ...]:
    """That it runs in a container, where the build or a launch names an image; else no fact."""
    if build.image:
        return (Fact(f"fact:{CONTAINER}", True, "derived", quote=build.image, why="the build is an image"),)
    for launch in launches:
        if not runs_in_container(launch):
            continue
        why = "the launch names an image" if launch.image else "the launch runs in a container"
        return (Fact(f"fact:{CONTAINER}", True, "derived", Span(launch.artifact), launch.image, why=why),)
    return ()


def runs_in_container(launch: Launch) -> bool:
    """Whether the launch names an image, or its text starts a container."""
    return bool(launch.image) or _starts_container(launch.text)


@lru_cache(maxsize=4)
def _starts_container(text: str) -> bool:
    """One answer for all launches of a file: each has the whole of it for its text."""
    return compile_pattern(_RUNS_IMAGE).search(text) is not None


def _stock(build: Build, value: bool, why: str) -> Fact:
    return Fact("fact:build.stock", value, "derived", quote=build.text, why=why)


def derive(name: str, recipe: dict[str, Any], ask: Asker) -> tuple[tuple[Fact, ...], Missing | None]:
    """The fact's values by the recipe: given ones before defaults; what is missing when a flag's value is not known."""
    facts: list[Fact] = []
    lacking: list[Missing] = []
    for kind, names in (("setting", recipe.get("settings") or ()), ("env", recipe.get("env") or ())):
        for source in names:
            found, missing = ask(kind, source)
            if missing is not None and not found and kind == "setting":
                lacking.append(missing)
            computed = [_computed(name, recipe, fact, lambda one: ask("fact", one)[0]) for fact in found]
            facts += [fact for fact in computed if not (recipe.get("only") and fact.value is None)]
    given = [fact for fact in facts if fact.origin != "default" and fact.value is not None]
    seen = [] if given else _told(name, recipe, ask)
    if lacking and not given and not seen:
        return (), lacking[0]
    chosen = given or seen or [fact for fact in facts if fact.value is not None] or facts[:1]
    return tuple(dict.fromkeys(chosen)), None


def _told(name: str, recipe: dict[str, Any], ask: Asker) -> list[Fact]:
    """What a log line gives away: a line that only one code path prints proves that path."""
    return [
        found.but(name=f"fact:{name}", value=value, why=f"{name} is {value}, as a line of the log gives away")
        for pattern, value in (recipe.get("logs") or {}).items()
        for found in ask("log", pattern)[0]
    ]


def _computed(name: str, recipe: dict[str, Any], fact: Fact, lookup: Callable[[str], tuple[Fact, ...]]) -> Fact:
    value: Value = fact.value
    source = fact.name.partition(":")[2]
    if value in (None, False) and "absent" in recipe:
        value = recipe["absent"]
    elif value is True and "product" in recipe:
        value = _product(recipe["product"], lookup)
    elif "given" in recipe and value is not None:
        value = recipe["given"]
    elif recipe.get("only"):
        value = (recipe.get("values") or {}).get(str(value).lower())
    elif isinstance(value, str):
        value = (recipe.get("values") or {}).get(value.lower(), value.lower())
    return fact.but(name=f"fact:{name}", value=value, why=fact.why or f"{name} = {value} from {source}")


def _product(names: list[str], lookup: Callable[[str], tuple[Fact, ...]]) -> Value:
    result = 1
    for name in names:
        values = [fact.value for fact in lookup(name)]
        if not values or not isinstance(values[0], int):
            return None
        result *= values[0]
    return result
