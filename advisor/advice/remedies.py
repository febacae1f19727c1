"""A remedy as it would be carried out: the change it makes to a case, in data.

`after` gives the case as it would be once the remedy is done, for judging again: does the exposure end? `change` gives
the same as plain data for a report. Editing the text of a launch is the caller's: it passes `edit`.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace

from advisor.model.build import Build, Component
from advisor.model.case import Case
from advisor.model.condition import Scalar
from advisor.model.fact import Fact, Value
from advisor.model.launch import Launch, Setting
from advisor.model.rule import Proof, Remedy

Edit = Callable[[Launch, dict[str, Scalar], tuple[str, ...], dict[str, str | None]], Launch]

PROOF_SAYS: dict[Proof, str] = {
    "released": "in a release",
    "merged": "merged upstream",
    "maintainer_confirmed": "a maintainer confirmed it",
    "reporter_verified": "a reporter tried it and it worked there",
    "derived": "follows from reading the source; not tried",
    "suggested": "only suggested; not verified",
}

EDITS = ("set", "unset", "env")


def change(remedy: Remedy) -> dict[str, Value]:
    """What changes, as plain data: flags and variables with their new value (null removes), versions by name."""
    changes: dict[str, Value] = {}
    changes.update(remedy.set or {})
    changes.update(dict.fromkeys(remedy.unset or (), None))
    changes.update(remedy.env or {})
    if remedy.to is not None:
        changes[remedy.component or "version"] = remedy.to
    if remedy.image is not None:
        changes["image"] = remedy.image
    if remedy.commit is not None:
        changes["commit"] = remedy.commit
    return changes


def edited(launch: Launch, remedy: Remedy, edit: Edit) -> Launch:
    """The launch with the remedy's settings and variables changed.

    In a launch known only in part, what is taken away is known to be absent from then on: a setting without value.
    """
    done = edit(launch, dict(remedy.set or {}), tuple(remedy.unset or ()), dict(remedy.env or {}))
    if done.complete:
        return done
    gone = tuple(Setting(flag, None, flag) for flag in remedy.unset or () if done.setting(flag) is None)
    return replace(done, settings=done.settings + gone)


def after(case: Case, remedy: Remedy, edit: Edit, engine: str = "") -> Case:
    """The case once the remedy is carried out, before it has run: logs and stacks of the old run say nothing of it.

    `engine` is that of the remedy's rule: what is upgraded is that one, above or below the case's own.
    """
    case = case.but(artifacts=(), threads=(), situation=())
    if remedy.do in EDITS or remedy.set or remedy.unset or remedy.env:
        case = case.but(launches=tuple(edited(one, remedy, edit) for one in case.launches), facts=unsaid(case))
    beside = engine not in ("", "any", case.build.engine)
    if remedy.do in ("upgrade", "downgrade") and not beside:
        case = case.but(build=_upgraded(case.build, remedy.to or ""), facts=_without(case, "banner.version"))
    if remedy.do == "component" or (remedy.do in ("upgrade", "downgrade") and beside):
        name = (remedy.component or engine).replace("-", "_")
        kept = tuple(one for one in case.build.components if one.name.replace("-", "_") != name)
        build = case.build.but(components=(*kept, Component(name, remedy.to or "", "stated", "after the remedy")))
        case = case.but(build=build, facts=_without(case, f"component.{name}"))
    return case


def _upgraded(build: Build, version: str) -> Build:
    return Build(engine=build.engine, version=version, components=(), text=version)


def _without(case: Case, name: str) -> tuple[Fact, ...]:
    return tuple(fact for fact in case.facts if fact.name != name)


def unsaid(case: Case) -> tuple[Fact, ...]:
    """The facts but those that were only said about the launch, such as its speculation method: once it is edited,
    they no longer hold."""
    said = ("topology.", "speculation.", "runner.")
    return tuple(fact for fact in case.facts if not fact.name.startswith(said))


def proof_says(remedy: Remedy) -> str:
    """How the remedy is known, in words never stronger than it is."""
    return PROOF_SAYS[remedy.status] + (f": {remedy.proof}" if remedy.proof else "")
