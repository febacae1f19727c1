"""The kernel's log -> that it killed a process of an engine, for want of memory.

    [Tue Mar  3 10:11:52 2026] Memory cgroup out of memory: Killed process 48213 (sglang::schedul) total-vm:98123004kB
    oom-kill:constraint=CONSTRAINT_MEMCG,nodemask=(null),cpuset=pod,mems_allowed=0-1,task=python3,pid=88121,uid=0

Facts: `symptom.killed`, `symptom.oom`. None: the kernel killed nothing here, or a process that is no engine's by its
name, of which the kernel keeps 15 characters.

**Source:** Linux 6.8 `mm/oom_kill.c`, `mm/memcontrol.c`.
"""

from __future__ import annotations

import re

from advisor.evidence.lines import occurrences
from advisor.evidence.sighting import sighting
from advisor.model.fact import Artifact, Fact
from advisor.model.shape import Shape

MARKS = ("Killed process ", "Kill process ", "oom-kill:")
_KILLED = Shape(r"Kill(?:ed)? process \d+ \(([^)\n]{1,16})|oom-kill:[^\n]{0,1000}?\btask=([^,\n]{1,16})")
_OURS = Shape(
    r"python|vllm|sglang|lmdeploy|xllm|turbomind|^ray\b|ray::|pt_main|pt_data|torchrun|EngineCore|Worker|api_server",
    re.I,
)
_MAX = 200


def read(artifact: Artifact) -> tuple[Fact, ...]:
    """The first such process."""
    for mark in MARKS:
        for count, at in enumerate(occurrences(artifact.text, mark)):
            if count > _MAX:
                break
            killed = _KILLED.match(artifact.text, at)
            if killed and _OURS.search(killed[1] or killed[2]):
                return (
                    sighting(artifact, "symptom.killed", True, at, notable=True),
                    sighting(artifact, "symptom.oom", True, at, notable=True),
                )
    return ()
