"""What a case says in words × what was made of it -> notes on what was not understood, so that it can be said anew.

    --symptom "请求不反回"          no symptom understood in it: a word is misspelt
    --symptom "lmdploy hangs"       did you mean lmdeploy? It is asked, never assumed

What a rule's pattern found in the words counts as understood, whether or not a reader made a fact of it.
"""

from __future__ import annotations

import re
from collections.abc import Iterator

from advisor.catalog.engines import named
from advisor.jobs.judging import Judgement
from advisor.model.fact import Artifact

_WORD = re.compile(r"(?<![\w/.-])[A-Za-z]{5,12}(?![\w/-])")  # shorter ones are words of their own: a VLM is a model
_SHOWN = 60


def notes(judgement: Judgement) -> Iterator[str]:
    """A line for each symptom that says nothing to us, and for each word that is nearly an engine's name."""
    told = [one for one in judgement.case.artifacts if one.name.startswith("--symptom")]
    facts = (fact for fact in judgement.case.facts if fact.span and (fact.notable or fact.name.startswith("symptom.")))
    seen = {fact.span.artifact for fact in facts if fact.span}
    seen |= {fact.span.artifact for one in judgement.verdicts for fact in one.symptoms() if fact.span}
    for one in told:
        if one.name not in seen:
            said = " ".join(one.text.split())
            said = said if len(said) <= _SHOWN else said[: _SHOWN - 1] + "…"
            yield f"no symptom understood in: “{said}”; say it in other words, or give the log"
    if not judgement.case.build.engine:
        yield from dict.fromkeys(_near(one) for one in told)


def _near(artifact: Artifact) -> str:
    """The engine whose name a word of the text is one slip away from, as a question; "" where none is."""
    for word in _WORD.findall(artifact.text):
        for engine in named():
            if one_slip(word.lower(), engine):
                return f"{artifact.name} says “{word}”: did you mean {engine}? If so, give --engine {engine}"
    return ""


def one_slip(typed: str, meant: str) -> bool:
    """Whether one letter more, less, other, or changed with its neighbour makes one word of the other."""
    if typed == meant or abs(len(typed) - len(meant)) > 1:
        return False
    at = next((n for n, (a, b) in enumerate(zip(typed, meant, strict=False)) if a != b), min(len(typed), len(meant)))
    left, right = typed[at:], meant[at:]
    swapped = len(left) > 1 and left[1::-1] + left[2:] == right
    return swapped or left[1:] == right[1:] or left[1:] == right or left == right[1:]
