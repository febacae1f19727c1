"""What `advisor collect` writes of the machine -> the architecture of this host.

    # advisor-host
    Linux 6.8.0-71-generic x86_64
    glibc 2.39
    /dev/shm: 61 of 64 MiB used, 12 names

Facts: `hardware.arch`. The rest is for people: how much is used now does not say what was full when it failed. Empty:
the second line is not that of a kernel. **Source:** `advisor.capture.kernel`, `machine_text`.
"""

from __future__ import annotations

from advisor.evidence.devices import Reading
from advisor.evidence.sighting import sighting
from advisor.model.capture import HOST
from advisor.model.fact import Artifact
from advisor.model.shape import Shape

_KERNEL = Shape(r"Linux \S+ (x86_64|aarch64)$", 8)  # re.M


def mine(text: str) -> bool:
    """Whether this is the file."""
    return text.startswith(HOST)


def read(artifact: Artifact) -> Reading:
    """The architecture, where the kernel names one of those that are told apart."""
    found = _KERNEL.match(artifact.text, len(HOST))
    return Reading((sighting(artifact, "hardware.arch", found[1], found.start(1)),) if found else ())
