"""Evidence of several engines -> that of the one judged, and what is said of the others.

a vLLM log and an SGLang log, no --engine     judged as one of them; said before the verdict, with why
the same with --engine sglang                 judged as asked; a note
a vLLM log with --engine lmdeploy             judged as asked; said before the verdict, for nothing here is of it
"""

from __future__ import annotations

from advisor.jobs.gathering import Gathering
from advisor.jobs.request import Request
from advisor.model.fact import Note, Span


def keep_to_one(request: Request, gathering: Gathering) -> None:
    """Launches and banners of another engine than the one judged are left aside, and that is said."""
    engine = gathering.build.engine
    mine = {engine, gathering.base.engine}  # a plugin is started by the commands of the engine below it
    by = _engine_by(request, gathering)
    others: dict[str, Span | None] = {}
    for launches in (gathering.launches, gathering.mentioned):
        for other in [one for one in launches if engine and one.engine not in ("", *mine)]:
            text = f"this starts {other.engine}, the case is judged as {engine}: left aside"
            gathering.notes.append(Note("conflict", text, Span(other.artifact)))
            launches.remove(other)
            others.setdefault(other.engine, Span(other.artifact))
    banners = [one for one in gathering.facts if one.name == "banner.engine" and not one.why]
    for fact in banners if engine else ():
        if fact.value not in mine:
            others.setdefault(str(fact.value), fact.span)
    seen = {fact.value for fact in banners}
    seen |= {one.engine for one in gathering.launches + gathering.mentioned if one.exact}
    if others and not (request.engine and seen & mine):
        gathering.notes.append(Note("engines", _two_engines(engine, by, list(others)), next(iter(others.values()))))
    elif others:
        told = [f"the log is {other}'s, the case is judged as {engine}" for other in others]
        gathering.notes += [Note("conflict", text, span) for text, span in zip(told, others.values(), strict=True)]


def _engine_by(request: Request, gathering: Gathering) -> str:
    """Why a case is judged as the engine that it is, as a clause."""
    engine = gathering.build.engine
    if request.engine:
        return "as --engine says"
    own = [one for one in gathering.launches + gathering.mentioned if one.engine == engine]
    if own:
        return "which a command here starts" if any(one.exact for one in own) else "whose arguments are given here"
    last = next((one for one in reversed(gathering.facts) if one.name == "banner.engine"), None)
    return "whose lines come last" if last is not None and last.value == engine else "as the rest of what is given says"


def _two_engines(engine: str, by: str, others: list[str]) -> str:
    """What is said first of a case in which another engine shows than is judged, or than is judged alone."""
    ask = ", ".join(f"`--engine {one}`" for one in others)
    named = " and ".join(others)
    if by == "as --engine says":
        return (
            f"These lines are of {named}, not of {engine}: judged as {engine}, {by}; to judge them as they are: {ask}"
        )
    count = {2: "Two", 3: "Three"}.get(len(others) + 1, str(len(others) + 1))
    return f"{count} engines are in this: judged as {engine}, {by}; {named} was left aside, to judge that: {ask}"
