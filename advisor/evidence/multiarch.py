"""The directories and modules that a process names -> the hosts' architecture.

    /usr/lib/x86_64-linux-gnu/libnccl.so.2.27.3          /proc/PID/maps, gdb, ldd
    _C.cpython-312-aarch64-linux-gnu.so                  tracebacks, py-spy --native

Facts: `hardware.arch`, derived. None: no such name is there, or names of both architectures are, as in a log of a cross
build.

**Source:** Debian's multiarch tuples; CPython 3.12 `configure.ac` (`SOABI`).
"""

from __future__ import annotations

from advisor.evidence.shapes import Shape
from advisor.evidence.sighting import sighting
from advisor.model.fact import Artifact, Fact

_MARKS = {"x86_64": "x86_64-linux-gnu", "aarch64": "aarch64-linux-gnu"}
_NAME = Shape(r"[\w./+-]*/[\w-]*linux-gnu/[\w.+-]*|[\w.]+\.cpython-\d+-\w+-linux-gnu\.so")


def read(artifact: Artifact) -> tuple[Fact, ...]:
    """The architecture whose tuple stands in the artifact."""
    places = {arch: at for arch, mark in _MARKS.items() if (at := artifact.text.find(mark)) >= 0}
    if len(places) != 1:
        return ()
    arch, at = next(iter(places.items()))
    start = artifact.text.rfind("\n", 0, at) + 1
    named = next((one for one in _NAME.finditer(artifact.text, max(start, at - 400), at + 60) if one.end() > at), None)
    if named is None:
        return ()
    why = f"it loads {named.group()}, which is built for {arch}"
    return (sighting(artifact, "hardware.arch", arch, at).but(origin="derived", why=why),)
