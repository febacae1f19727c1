"""The directories, modules and devices that a process names -> what its host is.

    /usr/lib/x86_64-linux-gnu/libnccl.so.2.27.3          /proc/PID/maps, gdb, ldd
    _C.cpython-312-aarch64-linux-gnu.so                  tracebacks, py-spy --native
    File "C:\\Users\\me\\lmdeploy\\turbomind.py", line 12    tracebacks of Windows
    NVIDIA GB10 with CUDA capability sm_121 is not compatible with the current PyTorch installation.
    ptxas fatal   : Value 'sm_121a' is not defined for option 'gpu-name'

Facts: `hardware.arch`, derived, `hardware.os` (windows) and `hardware.capability`. None: no such name is there, or
names of both architectures are, as in a log of a cross build.

**Source:** Debian's multiarch tuples; CPython 3.12 `configure.ac` (`SOABI`) and `traceback.py`; PyTorch 2.11
`torch/cuda/__init__.py` (`_check_capability`); ptxas of CUDA 12.8, called by Triton for the device at hand.
"""

from __future__ import annotations

from collections.abc import Iterator

from advisor.evidence.sighting import sighting
from advisor.model.fact import Artifact, Fact
from advisor.model.shape import Shape

_MARKS = {"x86_64": "x86_64-linux-gnu", "aarch64": "aarch64-linux-gnu"}
_NAME = Shape(r"[\w./+-]*/[\w-]*linux-gnu/[\w.+-]*|[\w.]+\.cpython-\d+-\w+-linux-gnu\.so")

_WINDOWS = Shape(r'File "[A-Za-z]:\\')
_CAPABLE = ("with CUDA capability sm_", "Value 'sm_")
MARKS = (*_MARKS.values(), ":\\", *_CAPABLE)
_CAPABILITY = Shape(r"with CUDA capability sm_(\d{2,3})|Value 'sm_(\d{2,3})[af]?' is not defined")


def read(artifact: Artifact) -> tuple[Fact, ...]:
    """What the names in the artifact say of its host."""
    return (*_arch(artifact), *_system(artifact), *_capability(artifact))


def _system(artifact: Artifact) -> Iterator[Fact]:
    found = _WINDOWS.search(artifact.text) if ":\\" in artifact.text else None
    if found:
        yield sighting(artifact, "hardware.os", "windows", found.start())


def _capability(artifact: Artifact) -> Iterator[Fact]:
    for mark in _CAPABLE:
        at = artifact.text.find(mark)
        found = _CAPABILITY.match(artifact.text, at) if at >= 0 else None
        if found:
            yield sighting(artifact, "hardware.capability", int(found[1] or found[2]) / 10, at)


def _arch(artifact: Artifact) -> tuple[Fact, ...]:
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
