"""One workload × the life of its pod -> probes shorter than a start, grace shorter than a drain, variables injected.

    livenessProbe allows 45 s, no startupProbe, vLLM waits 600 s for its engine      liveness-before-ready
    preStop sleeps 60 s, terminationGracePeriodSeconds 30                            grace-before-drain
    a Service named vllm in the namespace, enableServiceLinks not false              service-links

Only for Kubernetes objects, and only where both numbers stand in the file or are defaults of a known release.
"""

from __future__ import annotations

import re
from collections import defaultdict
from collections.abc import Collection, Iterable, Iterator
from functools import cache, lru_cache
from itertools import chain, islice

from advisor.match.observation import Check, Observation, assigned, in_pod, number_of, place_of, source, whole
from advisor.match.view import View
from advisor.model.build import order_key
from advisor.model.deployment import Deployment, Place, Service, Workload
from advisor.model.knowledge import Knowledge
from advisor.model.rule import Level

_PROBES = source(
    "https://kubernetes.io/docs/concepts/configuration/liveness-readiness-startup-probes",
    "liveness does not wait for readiness; a startup probe holds it back",
)
_KILLED = source(
    "https://github.com/vllm-project/vllm/blob/4f819f801b7702e39d9588cc9f2ecd28560b31f5/docs/deployment/k8s.md",
    "a probe shorter than the start ends the container",
)
_READY = source("vllm 0.33.0 wheel, vllm/envs.py and vllm/v1/engine/core_client.py", "VLLM_ENGINE_READY_TIMEOUT_S")
_HOOKS = source(
    "https://kubernetes.io/docs/concepts/containers/container-lifecycle-hooks",
    "the grace period is counted from before the preStop hook",
)
_GRACE = source(
    "https://pub.dev/documentation/kubernetes/1.26.0+5/io.k8s.api.core.v1/PodSpec/terminationGracePeriodSeconds.html",
    "the API's own words: 30 seconds by default",
)
_DRAIN = source(
    "vllm 0.33.0 wheel, vllm/config/vllm.py", "shutdown_timeout: how long requests in flight may still take"
)
_NAMED = source(
    "https://github.com/vllm-project/vllm/blob/4f819f801b7702e39d9588cc9f2ecd28560b31f5/docs/configuration/env_vars.md",
    "not to name the service vllm",
)
_URI = source(
    "https://github.com/vllm-project/vllm/issues/34199", "VLLM_PORT as tcp://…: it does not start", "2026-02-10"
)
_UNKNOWN = source(
    "https://github.com/vllm-project/vllm/pull/33581", "unknown VLLM_ variables are warned of, from 0.17.0"
)
_LINKS = source(
    "https://github.com/defilantech/LLMKube/issues/358", "what a Service named vllm-… injects", "2026-04-28"
)
_DEFAULT = source(
    "https://github.com/kubernetes/enhancements/issues/2360", "injected unless enableServiceLinks is false"
)

LIVENESS = Check(
    "liveness-before-ready", "interaction", "warning", "A liveness probe may end the container before it is up.",
    "vLLM from 0.14.0: there is no startup probe, and delay plus period times failures is less than what vLLM itself "
    "gives its engine to start (VLLM_ENGINE_READY_TIMEOUT_S, 600 s unless set). How long this model takes is "
    "not known. For the other engines no such limit is established, and nothing is said.", (_PROBES, _KILLED, _READY),
)  # fmt: skip
GRACE = Check(
    "grace-before-drain", "interaction", "warning", "The pod is ended before the engine has drained.",
    "The preStop sleep alone, or with vLLM's --shutdown-timeout, takes longer than terminationGracePeriodSeconds "
    "(30 when not given).", (_HOOKS, _GRACE, _DRAIN),
)  # fmt: skip
LINKS = Check(
    "service-links", "interaction", "error", "A Service's name makes Kubernetes set variables that vLLM reads.",
    "A Service of the namespace whose upper-cased name is vLLM's prefix: one named vllm sets VLLM_PORT to an "
    "address, and vLLM does not start. Other names that begin so only make warnings, from vLLM 0.17.0 on (a note), "
    "unless --fail-on-environ-validation is set; five of them are named, more are counted. Silent for headless "
    "Services, for enableServiceLinks: false, and where the namespaces are not known to be the same.",
    (_NAMED, _URI, _UNKNOWN, _LINKS, _DEFAULT),
)  # fmt: skip
CHECKS = (LIVENESS, GRACE, LINKS)

_HEADLESS = re.compile(r"clusterIP[\"']?\s*:\s*[\"']?None\b")
_OPT_OUT = "set enableServiceLinks: false in the pod's spec"
_PREFIX = "VLLM_"
_INJECTED = ("_PORT", "_SERVICE_HOST", "_SERVICE_PORT")
MOST_NAMED = 5  # Services of which each only makes a warning in a pod


class Services:
    """The Services of files that are deployed together, sorted once: each of a thousand pods asks for a few of them."""

    def __init__(self, deployments: Iterable[Deployment]) -> None:
        self._files: dict[tuple[str, str], dict[str, Service]] = defaultdict(dict)
        self._of_stem: dict[tuple[str, str], dict[str, None]] = defaultdict(dict)
        self._of_namespace: dict[str, dict[str, None]] = defaultdict(dict)
        self._of_file: dict[tuple[str, str], dict[str, None]] = defaultdict(dict)
        for one in deployments:
            for service in telling(one):
                self.add(service, one.file)

    def add(self, service: Service, file: str) -> None:
        """One of those that `telling` names, and the file in which it stands."""
        self._files[service.namespace, service.name][file] = service
        self._of_stem[service.namespace, _stem(service.name)][service.name] = None
        self._of_namespace[service.namespace][service.name] = None
        self._of_file[service.namespace, file][service.name] = None

    def of_stem(self, stem: str, workload: Workload) -> tuple[str, ...]:
        """The names in the pod's namespace that make variables which begin with this stem."""
        return tuple(self._of_stem.get((workload.namespace, stem), ()))

    def count(self, workload: Workload) -> int:
        """How many names in the pod's namespace make variables of vLLM's prefix."""
        return len(self._of_namespace.get(workload.namespace, ()))

    def some(self, workload: Workload, without: Collection[str]) -> list[str]:
        """A few of these names, those of the pod's own file first."""
        own = self._of_file.get((workload.namespace, workload.file), ())
        names = chain(own, self._of_namespace.get(workload.namespace, ()))
        return list(dict.fromkeys(islice((one for one in names if one not in without), 2 * MOST_NAMED)))[:MOST_NAMED]

    def here(self, name: str, workload: Workload) -> tuple[tuple[Place, str], ...]:
        """The place of that Service, when the pod's own file alone has it."""
        files = self._files[workload.namespace, name]
        return ((files[workload.file].place, f"Service {name}"),) if list(files) == [workload.file] else ()


def telling(deployment: Deployment) -> Iterator[Service]:
    """The Services of a file of which a pod of another file can be told in variables that an engine may read."""
    for one in deployment.services:
        named = f"{_stem(one.name)}_".startswith(_PREFIX)
        if named and not _HEADLESS.search(deployment.text, one.place.start, one.place.end):
            yield one


def pod_life(workload: Workload, view: View, services: Services, text: str) -> Iterator[Observation]:
    """Every finding of one workload. `text` is that of its file."""
    complete = whole(workload, text)
    if complete:
        yield from _liveness(workload, view)
        yield from _links(workload, view, services, view.release)
    if complete or (in_pod(workload) and workload.grace is not None):
        yield from _grace(workload, view)


def _liveness(workload: Workload, view: View) -> Iterator[Observation]:
    live = next((one for one in workload.probes if one.kind == "liveness"), None)
    if live is None or any(one.kind == "startup" for one in workload.probes) or view.base.engine != "vllm":
        return
    limit = _ready_timeout(workload, view)
    if limit is not None and live.allows_s < limit:
        says = f"the liveness probe ends the container after {live.allows_s} s and there is no startup probe; "
        says += f"vLLM waits up to {limit} s for its engine"
        advice = (
            "add a startup probe that allows for loading the model",
            "measure how long this model takes to be ready",
        )
        yield Observation(LIVENESS, says, live.place, f"liveness={live.allows_s}", (says,), advice)


def _ready_timeout(workload: Workload, view: View) -> int | None:
    """How long vLLM waits for its engine, in seconds; None when the release is not known or has no such limit."""
    name = "VLLM_ENGINE_READY_TIMEOUT_S"
    record = view.knowledge.variable(name, view.release) if view.knowledge and view.release else None
    given = assigned(workload, name)
    text = given.value if given else record.default if record else None
    return int(text) if record and text is not None and re.fullmatch(r"\d+", str(text)) else None


def _grace(workload: Workload, view: View) -> Iterator[Observation]:
    grace = workload.grace.value if workload.grace else 30
    sleeps = workload.pre_stop_s or 0
    given = workload.launch.setting("--shutdown-timeout")
    drains = (number_of(view, "--shutdown-timeout") or 0) if given and view.base.engine == "vllm" else 0
    if not (sleeps or drains) or sleeps + drains < grace or (sleeps + drains == grace and not sleeps):
        return
    parts = [f"the preStop hook sleeps {sleeps} s"] if sleeps else []
    parts += [f"--shutdown-timeout is {drains} s"] if drains else []
    limit = f"{grace} s" if workload.grace else "30 s, the default,"
    says = f"{' and '.join(parts)}, the pod is killed {limit} after it is told to stop"
    where = workload.grace.place if workload.grace else place_of(workload, given) or workload.place
    advice = (f"set terminationGracePeriodSeconds above {sleeps + drains}",)
    yield Observation(GRACE, says, where, f"grace={grace} preStop={sleeps} drain={drains}", tuple(parts), advice)


def _links(workload: Workload, view: View, services: Services, at: str | None) -> Iterator[Observation]:
    if workload.service_links is False or view.base.engine != "vllm" or view.knowledge is None:
        return
    serious: set[str] = set()
    for stem, declared in _injected(view.knowledge, at):
        read = [one for one in declared if assigned(workload, one) is None]
        names = services.of_stem(stem, workload) if read else ()
        serious.update(names)
        for name in names:
            says = f"a Service named {name} makes Kubernetes set {read[0]}=tcp://… in this pod, which vllm reads"
            advice = (_OPT_OUT, "or give the Service another name")
            where = services.here(name, workload)
            yield Observation(LINKS, says, workload.place, f"service={name}", (says,), advice, where)
    if at is not None and order_key(at) >= order_key("0.17.0"):
        yield from _warned(workload, services, serious)


@cache
def _stems(knowledge: Knowledge) -> tuple[str, ...]:
    """Beginnings of variables that the engine reads and a Service can set."""
    found = (name.removesuffix(end) for name in knowledge.variables() for end in _INJECTED if name.endswith(end))
    return tuple(dict.fromkeys(one for one in found if f"{one}_".startswith(_PREFIX)))


@lru_cache(maxsize=256)
def _injected(knowledge: Knowledge, at: str | None) -> tuple[tuple[str, tuple[str, ...]], ...]:
    """By these beginnings the variables that a release reads and a Service can set."""
    named = ((stem, [stem + end for end in _INJECTED]) for stem in _stems(knowledge))
    return tuple((stem, tuple(one for one in names if knowledge.variable(one, at))) for stem, names in named)


def _warned(workload: Workload, services: Services, serious: Collection[str]) -> Iterator[Observation]:
    """The Services whose variables vLLM does not read: a few by name, the others in one line."""
    strict = workload.launch.setting("--fail-on-environ-validation")
    refuses = strict is not None and strict.value is True
    does = "refuses to start on" if refuses else "warns about"
    level: Level = "error" if refuses else "note"
    names = services.some(workload, serious)
    for name in names:
        variable = f"{_stem(name)}_SERVICE_HOST"
        says = f"a Service named {name} makes Kubernetes set {variable} in this pod, which vLLM {does}"
        where = services.here(name, workload)
        yield Observation(LINKS, says, workload.place, f"service={name}", (says,), (_OPT_OUT,), where, level=level)
    more = services.count(workload) - len(serious) - len(names)
    if more > 0:
        says = f"{more} more Services, named as these are, make Kubernetes set variables in this pod that vLLM {does}"
        yield Observation(LINKS, says, workload.place, "services", (says,), (_OPT_OUT,), level=level)


def _stem(name: str) -> str:
    """What the variables that a Service makes begin with."""
    return re.sub(r"[^A-Z0-9]", "_", name.upper())
