"""A pod's name → the script that collects from it, with what knowledge/ says of the engines it may hold."""

from __future__ import annotations

import re

from advisor.advice.pod_script import Sought, pod_script
from advisor.catalog.engines import engines, knowledge
from advisor.errors import UsageError

_POD = re.compile(r"(?:pods?/)?[a-z0-9](?:[a-z0-9.-]*[a-z0-9])?\Z")  # llm-0, pod/llm-0
_NAME = re.compile(r"[a-z0-9](?:[a-z0-9.-]*[a-z0-9])?\Z")


def script(pod: str, namespace: str, container: str, engine: str, wait_s: float, trigger: bool) -> str:
    """The script. Raises UsageError for a name that no pod, namespace, container or engine has."""
    for option, value, shape in (
        ("--kubectl", pod, _POD), ("--namespace", namespace, _NAME), ("--container", container, _NAME),
    ):  # fmt: skip
        if value and not shape.match(value):
            raise UsageError("is no name that Kubernetes takes", f"{option} {value}", "as kubectl get pods prints it")
    if engine and engine not in engines():
        raise UsageError(f"no engine {engine!r} known", "--engine", f"known: {', '.join(engines())}")
    sought = [one for name in ([engine] if engine else engines()) if (one := _sought(name))]
    return pod_script(pod.rpartition("/")[2], namespace, container, sought, wait_s, trigger)


def _sought(engine: str) -> Sought | None:
    known = knowledge(engine)
    pattern, flag = str(known.profile.get("processes") or ""), str(known.profile.get("port_flag") or "")
    record = known.setting(flag, None) if flag else None
    port = record.default if record and isinstance(record.default, int) else 8000
    return Sought(engine, pattern, flag, port) if pattern else None
