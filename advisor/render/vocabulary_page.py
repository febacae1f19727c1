"""The vocabulary of facts as a Markdown page: docs/vocabulary.md, which a test keeps in step."""

from __future__ import annotations

from collections.abc import Iterable, Mapping

from advisor.model.fact import FactKind

HEAD = """# Vocabulary

The facts that rules may name (`{fact: symptom.hang, is: true}`), each declared by a reader, with the question that asks
for it when it is missing. `advisor rules facts` prints this page. Facts named `component.*` and `hardware.*` are asked
for with the conditions `component` and `hardware`.

| fact | type | what it says | the question |
|---|---|---|---|
"""

DERIVED = """
## Facts that follow from settings

From `knowledge/<engine>/engine.yaml`: on a complete command line these follow from the flags, with the release's
defaults for what is absent.

| fact | engine | from |
|---|---|---|
"""


def vocabulary_page(kinds: Iterable[FactKind], recipes: Mapping[str, Mapping[str, Mapping[str, list[str]]]]) -> str:
    """The page: facts by name, then what each engine's profile derives from which settings and variables."""
    rows = [f"| `{one.name}` | {one.type} | {_cell(one.summary)} | {_cell(one.question)} |" for one in kinds]
    derived = [
        f"| `{fact}` | {engine} | {', '.join(f'`{source}`' for source in _sources(recipe))} |"
        for engine, facts in sorted(recipes.items())
        for fact, recipe in sorted(facts.items())
    ]
    return HEAD + "\n".join(rows) + "\n" + DERIVED + "\n".join(derived) + "\n"


def _sources(recipe: Mapping[str, list[str]]) -> list[str]:
    return [*(recipe.get("settings") or ()), *(recipe.get("env") or ()), *(recipe.get("logs") or ())]


def _cell(text: str) -> str:
    return " ".join(text.split()).replace("|", "\\|")
