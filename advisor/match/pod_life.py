"""One workload × the life of its pod -> probes shorter than a start, grace shorter than a drain, variables injected.

    livenessProbe allows 45 s, no startupProbe, vLLM waits 600 s for its engine      liveness-before-ready
    preStop sleeps 60 s, terminationGracePeriodSeconds 30                            grace-before-drain
    a Service named vllm in the namespace, enableServiceLinks not false              service-links

Only for Kubernetes objects, and only where both numbers stand in the file or are defaults of a known release.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence

from advisor.match.observation import Check, Observation, assigned, in_pod, number_of, place_of, source, whole
from advisor.match.view import View
from advisor.model.build import order_key
from advisor.model.deployment import Service, Workload
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
    "service-links", "interaction", "error", "A Service's name makes Kubernetes set variables that the engine reads.",
    "A Service of the namespace whose upper-cased name is the engine's prefix: one named vllm sets VLLM_PORT to an "
    "address, and vLLM does not start. Other names that begin so only make warnings, from vLLM 0.17.0 on (a note), "
    "unless --fail-on-environ-validation is set. Silent for headless Services, for enableServiceLinks: false, and "
    "where the namespaces are not known to be the same.", (_NAMED, _URI, _UNKNOWN, _LINKS, _DEFAULT),
)  # fmt: skip
CHECKS = (LIVENESS, GRACE, LINKS)

_HEADLESS = re.compile(r"clusterIP[\"']?\s*:\s*[\"']?None\b")
_OPT_OUT = "set enableServiceLinks: false in the pod's spec"


def pod_life(
    workload: Workload, view: View, services: Sequence[tuple[Service, str]], text: str
) -> Iterator[Observation]:
    """Every finding of one workload. `services` come with the text of their file; `text` is the workload's own."""
    complete = whole(workload, text)
    if complete:
        yield from _liveness(workload, view)
        yield from _links(workload, view, services, view.release)
    if complete or (in_pod(workload) and workload.grace is not None):
        yield from _grace(workload, view)


def _liveness(workload: Workload, view: View) -> Iterator[Observation]:
    live = next((one for one in workload.probes if one.kind == "liveness"), None)
    if live is None or any(one.kind == "startup" for one in workload.probes) or view.case.build.engine != "vllm":
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
    drains = (number_of(view, "--shutdown-timeout") or 0) if given and view.case.build.engine == "vllm" else 0
    if not (sleeps or drains) or sleeps + drains < grace or (sleeps + drains == grace and not sleeps):
        return
    parts = [f"the preStop hook sleeps {sleeps} s"] if sleeps else []
    parts += [f"--shutdown-timeout is {drains} s"] if drains else []
    limit = f"{grace} s" if workload.grace else "30 s, the default,"
    says = f"{' and '.join(parts)}, the pod is killed {limit} after it is told to stop"
    where = workload.grace.place if workload.grace else place_of(workload, given) or workload.place
    advice = (f"set terminationGracePeriodSeconds above {sleeps + drains}",)
    yield Observation(GRACE, says, where, f"grace={grace} preStop={sleeps} drain={drains}", tuple(parts), advice)


def _links(
    workload: Workload, view: View, services: Sequence[tuple[Service, str]], at: str | None
) -> Iterator[Observation]:
    engine = view.case.build.engine
    if workload.service_links is False or engine not in ("vllm", "sglang") or view.knowledge is None:
        return
    for service, text in services:
        stem = re.sub(r"[^A-Z0-9]", "_", service.name.upper())
        if service.namespace != workload.namespace or not (stem + "_").startswith(f"{engine.upper()}_"):
            continue
        if _HEADLESS.search(text, service.place.start, service.place.end):
            continue
        injected = (f"{stem}_PORT", f"{stem}_SERVICE_HOST", f"{stem}_SERVICE_PORT")
        read = [one for one in injected if view.knowledge.variable(one, at) and assigned(workload, one) is None]
        yield from _injected(workload, service, injected, read, at, engine)


def _injected(
    workload: Workload, service: Service, injected: Sequence[str], read: Sequence[str], at: str | None, engine: str
) -> Iterator[Observation]:
    fact = f"service={service.name}"
    here = service.place.span.artifact == workload.file
    where = ((service.place, f"Service {service.name}"),) if here else ()
    if read:
        says = (
            f"a Service named {service.name} makes Kubernetes set {read[0]}=tcp://… in this pod, which {engine} reads"
        )
        advice = (_OPT_OUT, "or give the Service another name")
        level: Level = "error" if engine == "vllm" else "warning"
        yield Observation(LINKS, says, workload.place, fact, (says,), advice, where, level=level)
    elif engine == "vllm" and at is not None and order_key(at) >= order_key("0.17.0"):
        strict = workload.launch.setting("--fail-on-environ-validation")
        refuses = strict is not None and strict.value is True
        does = "refuses to start on" if refuses else "warns about"
        says = f"a Service named {service.name} makes Kubernetes set {injected[1]} in this pod, which vLLM {does}"
        loud: Level = "error" if refuses else "note"
        yield Observation(LINKS, says, workload.place, fact, (says,), (_OPT_OUT,), where, level=loud)
