"""A case with something taken away at its source, so that it can be judged again: settings, variables, facts, libraries,
lines, stacks, the build. Nothing is put in its place: what is gone is unknown afterwards, not refuted.

A condition *rests on* a part of it when, with that part unknown, the condition would no longer hold. One of several
alternatives under `any` that hold together is no such part; all of them together are.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from dataclasses import replace

from advisor.jobs.judging import judge_case, view_of
from advisor.match.conditions import truth
from advisor.match.judge import Verdict
from advisor.match.shown import SEARCHED
from advisor.match.view import View
from advisor.model.build import Build
from advisor.model.case import Case
from advisor.model.condition import Atom, Condition, atoms
from advisor.model.fact import Artifact
from advisor.model.launch import Launch
from advisor.model.rule import Rule
from advisor.model.truth import Truth, every, some
from advisor.patterns import compile_pattern

RANK = {None: 0, "ruled_out": 0, "exposed": 1, "possible": 2, "likely": 3, "matched": 4}
"""How strongly a status speaks for its rule; None is not shown."""


def verdict_of(rule: Rule, case: Case) -> Verdict:
    """The rule's verdict on the case, judged alone."""
    return judge_case(case, (rule,)).verdicts[0]


def strength(rule: Rule, case: Case) -> int:
    """The rank of the rule's status on the case; 0 also where the rule does not speak of the case's engine."""
    found = judge_case(case, (rule,)).verdicts
    return RANK[found[0].status] if found else 0


# what a condition rests on


def held(condition: Condition | None, view: View) -> tuple[Atom, ...]:
    """The condition's atoms that hold on the case, each once."""
    return tuple(dict.fromkeys(one for one in atoms(condition) if truth(one, view) is Truth.YES))


def rests_on(condition: Condition | None, view: View) -> tuple[Atom, ...]:
    """The atoms without which the condition, which holds, would not: alone, with all others as they are."""
    decided = [one for one in dict.fromkeys(atoms(condition)) if truth(one, view) is not Truth.UNKNOWN]
    return tuple(one for one in decided if _supposing(condition, one, view) is not Truth.YES)


def _supposing(condition: Condition | None, unknown: Atom, view: View) -> Truth:
    """The condition's truth if this atom were unknown."""
    if condition is None:
        return Truth.YES
    if isinstance(condition, Atom):
        return Truth.UNKNOWN if condition == unknown else truth(condition, view)
    parts = [_supposing(one, unknown, view) for one in condition.parts]
    return ~parts[0] if condition.kind == "not" else every(parts) if condition.kind == "all" else some(parts)


# taking away


def without(case: Case, gone: Iterable[Atom]) -> Case:
    """The case with all that answers these atoms taken out of it."""
    for atom in gone:
        case = _without(case, atom.kind, atom.name, atom)
    return case


def without_build(case: Case, rule: Rule) -> Case:
    """The case with nothing said or seen of the version of its engine, nor of a library that the rule ranges over."""
    for name in dict.fromkeys(entry.component for entry in rule.affected if entry.component):
        case = _without(case, "component", name)
    return _unbuilt(case)


def is_given(case: Case, atom: Atom) -> bool:
    """Whether it can be taken away at all: a plugin's vendor, say, goes with the engine's name alone."""
    return truth(atom, view_of(without(case, [atom]))) is Truth.UNKNOWN


def _without(case: Case, kind: str, name: str, atom: Atom | None = None) -> Case:
    if kind == "setting":
        return case.but(launches=tuple(_unset(one, name) for one in case.launches))
    if kind == "env":
        return case.but(launches=tuple(_unset(one, variable=name) for one in case.launches))
    if kind == "log":
        return case.but(artifacts=tuple(_unprinted(one, name) for one in case.artifacts))
    if kind == "stack":
        assert atom is not None
        return case.but(threads=tuple(one for one in case.threads if not _is_seen(case, atom, one)))
    if kind == "model":
        return _unsaid(case, "model").but(launches=tuple(replace(one, model="") for one in case.launches))
    if kind == "hardware":
        return _unsaid(case, f"hardware.{name}")
    if kind == "component":
        return _unpinned(case, name)
    return _underived(_unsaid(case, name), name)


def _unsaid(case: Case, *names: str) -> Case:
    return case.but(facts=tuple(one for one in case.facts if one.name not in names))


def _unset(launch: Launch, flag: str = "", variable: str = "") -> Launch:
    """The launch without a flag or a variable; it is whole no longer, so that a default is not taken for granted."""
    settings = tuple(one for one in launch.settings if one.flag != flag)
    environment = tuple(one for one in launch.environment if one.name != variable)
    return replace(launch, settings=settings, environment=environment, complete=launch.complete and not flag)


def _unprinted(artifact: Artifact, pattern: str) -> Artifact:
    """The text without the lines that match, until none does; it covers the whole run no longer."""
    if artifact.kind not in SEARCHED:
        return artifact
    text, wanted = artifact.text, compile_pattern(pattern)
    while found := wanted.search(text):
        end = text.find("\n", max(found.end() - 1, found.start()))
        text = text[: text.rfind("\n", 0, found.start()) + 1] + (text[end + 1 :] if end >= 0 else "")
    return replace(artifact, text=text, covered=False)


def _is_seen(case: Case, atom: Atom, thread: object) -> bool:
    only = view_of(case.but(threads=(thread,)))
    return truth(atom, only) is Truth.YES


def _unpinned(case: Case, name: str) -> Case:
    """The case without a library's version; where the engine's release would still tell it, without that as well."""
    spelled = {name, name.replace("_", "-")}
    components = tuple(one for one in case.build.components if one.name not in spelled)
    bare = _unsaid(case, f"component.{name}").but(build=case.build.but(components=components))
    return _unbuilt(bare) if view_of(bare).ask("component", name).facts else bare


def _unbuilt(case: Case) -> Case:
    """The case in which only the engine's name is known of its build."""
    names = {
        one for layer in view_of(case).layers for one in (layer.build.engine, layer.build.engine.replace("-", "_"))
    }
    said = [f"component.{one}" for one in names]
    kept = tuple(one for one in case.build.components if one.name not in names)
    launches = tuple(replace(one, image="") for one in case.launches)
    return _unsaid(case, "banner.version", *said).but(
        build=Build(case.build.engine, components=kept), launches=launches
    )


def _underived(case: Case, name: str) -> Case:
    """The case without what a fact would be computed from."""
    if name == "build.stock":
        return _unbuilt(case)
    if name == "deployment.container":
        return case.but(
            build=case.build.but(image=""), launches=tuple(replace(one, image="", text="") for one in case.launches)
        )
    for kind, source in _sources(view_of(case), name):
        case = _without(case, kind, source)
    return case


def _sources(view: View, name: str) -> Iterator[tuple[str, str]]:
    recipe = (view.knowledge.profile.get("facts") or {}).get(name) or {} if view.knowledge else {}
    yield from (("setting", one) for one in recipe.get("settings") or ())
    yield from (("env", one) for one in recipe.get("env") or ())
    yield from (("log", one) for one in recipe.get("logs") or ())
