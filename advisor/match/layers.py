"""The engines of one process: vLLM by itself, or vLLM and the plugin above it, each a build of its own.

    vllm-ascend 0.11.0rc1                       -> vllm 0.11.0, for which it is made; vllm-ascend 0.11.0rc1
    vllm 0.11.0 from quay.io/ascend/vllm-ascend -> vllm 0.11.0; vllm-ascend, of the version that the image names
    vllm 0.11.0, nothing of a plugin seen       -> vllm 0.11.0

A plugin (`kind: plugin` in its profile) has no command: flags, defaults and facts are those of the engine below it. A
rule speaks of one of the two, and its range is judged on that one's build.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping

from advisor.match.builds import nearest_release
from advisor.model.build import Build, Component, local_commit
from advisor.model.case import Case
from advisor.model.fact import Fact, printed_versions
from advisor.model.knowledge import Knowledge
from advisor.model.late import dataclass

_PRINTED = ("log", "stack", "collect_env", "text")


@dataclass(frozen=True, slots=True)
class Layer:
    """One engine of the process, as it was built."""

    build: Build
    knowledge: Knowledge | None = None


def layers(case: Case, known: Mapping[str, Knowledge]) -> tuple[Layer, ...]:
    """The engine that takes the flags, then the plugin above it, where there is one."""
    build = case.build
    own = known.get(build.engine)
    if own is not None and own.host in known:
        return Layer(_below(case, own, own.host), known[own.host]), Layer(build, own)
    base = Layer(build, own)
    plugins = (one for one in known.values() if own is not None and one.host == build.engine)
    return (base, *(Layer(above, one) for one in plugins if (above := _above(case, one)) is not None))


def versions(case: Case, name: str) -> Iterator[Component]:
    """What is said or seen of a package's version: given for this case first, then observed, then the rest."""
    spelled = (name, name.replace("-", "_"))
    yield from (one for one in case.build.components if one.name in spelled and one.origin != "default")
    names = {f"component.{one}" for one in spelled}
    seen = [one for one in case.facts if one.name in names and isinstance(one.value, str)]
    yield from (Component(name, str(one.value), one.origin, str(one.span or "")) for one in sorted(seen, key=_unseen))


def _unseen(fact: Fact) -> bool:
    return fact.origin != "observed"


def _below(case: Case, plugin: Knowledge, host: str) -> Build:
    """The engine below a plugin: as given or seen, else the one for which the plugin's release is made."""
    given = next(versions(case, host), None)
    printed = printed_versions(case.facts, host)
    if given is None and printed:
        given = Component(host, str(printed[-1].value), "observed")
    if given is not None:
        return _build(host, given)
    release = plugin.release(nearest_release(case.build, plugin) or "")
    pinned = release.pins.get(host, "").removeprefix("==") if release else ""
    if release is None or not pinned:
        return Build(engine=host)
    return Build(
        engine=host, version=pinned, origin="default", text=f"for which {plugin.engine} {release.version} is made"
    )


def _above(case: Case, plugin: Knowledge) -> Build | None:
    """The plugin above an engine, of the version given or seen; None when nothing shows it."""
    given = next(versions(case, plugin.engine), None)
    if given is not None:
        return _build(plugin.engine, given)
    return Build(engine=plugin.engine) if _shown(case, plugin) else None


def _build(engine: str, given: Component) -> Build:
    text = f"{engine} {given.version}"
    return Build(engine, given.version, local_commit(given.version), text=text, origin=given.origin)


def _shown(case: Case, plugin: Knowledge) -> bool:
    """Whether anything here is the plugin's: image, devices, variables, or what it prints."""
    images = tuple(plugin.profile.get("images") or ())
    if case.build.fork == plugin.engine or any(one.image.startswith(images) for one in case.launches if one.image):
        return True
    vendor = plugin.profile.get("vendor")
    if any(one.name == "hardware.vendor" and one.value == vendor for one in case.facts):
        return True
    prefixes = tuple(plugin.profile.get("variables") or ())
    if any(one.name.startswith(prefixes) for launch in case.launches for one in launch.environment):
        return True
    marks = tuple(plugin.profile.get("marks") or ())
    return any(mark in one.text for one in case.artifacts if one.kind in _PRINTED for mark in marks)
