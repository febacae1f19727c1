"""A card's name as a tool prints it -> model, vendor, and the architecture of its host where the package fixes that.

    NVIDIA A100-SXM4-80GB   -> A100, nvidia            NVIDIA GB10      -> GB10, nvidia, aarch64 (derived)
    NVIDIA GeForce RTX 3090 -> RTX 3090, nvidia        910B3 (npu-smi)  -> 910B3, ascend

**Source:** `nvidia-smi -L` of driver 580; `npu-smi info`; that GB10 and the Grace superchips have their Arm cores in
the package: https://docs.nvidia.com/dgx/dgx-spark-porting-guide/overview.html and
https://nvidia.github.io/grace-cpu-benchmarking-guide/developer/index.html (read 2026-11-29).
"""

from __future__ import annotations

import re
from collections.abc import Iterator

from advisor.evidence.shapes import Shape
from advisor.evidence.sighting import sighting
from advisor.model.fact import Artifact, Fact

_MAKER = Shape(r"^(?:NVIDIA|AMD|Tesla|GeForce|Instinct|HUAWEI|Ascend)\s+", re.I)
_FORM = Shape(r" \(gfx.*$|[- ](?:SXM\d?|PCIe|PCIE|NVL\d*|OAM|HBM\w*|\d+ ?GB)\b.*$")  # A100-SXM4-80GB
_ARM = Shape(r"^(?:GB10|GH200|GB[23]00)\b|^Jetson\b|^Thor\b|^Orin\b")
_VENDORS = (
    ("nvidia", Shape(r"NVIDIA|GeForce|Tesla|Quadro", re.I)),
    ("amd", Shape(r"AMD|Instinct|Radeon|^MI\d{3}", re.I)),
    ("ascend", Shape(r"Ascend|^(?:910|310)[A-Z]?", re.I)),
)


def model(name: str) -> str:
    """The model alone: without its maker, form factor and memory."""
    for _ in range(3):
        name = _MAKER.sub("", name.strip())
    return _FORM.sub("", name).strip()


def read(artifact: Artifact, name: str, start: int) -> Iterator[Fact]:
    """The facts of a card that the artifact names at `start`."""
    card = model(name)
    yield sighting(artifact, "hardware.accelerator", card, start)
    vendor = next((vendor for vendor, marks in _VENDORS if marks.search(name)), None)
    if vendor:
        yield sighting(artifact, "hardware.vendor", vendor, start)
    if _ARM.match(card):
        why = f"the {card} has its Arm cores in its package"
        yield sighting(artifact, "hardware.arch", "aarch64", start, why=why).but(origin="derived")
