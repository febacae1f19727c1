"""A card's name as a tool prints it -> model, vendor, and the architecture of its host where the package fixes that.

    NVIDIA A100-SXM4-80GB   -> A100, nvidia            NVIDIA GB10      -> GB10, nvidia, aarch64 (derived)
    NVIDIA GeForce RTX 3090 -> RTX 3090, nvidia        910B3 (npu-smi)  -> 910B3, ascend

and the CUDA compute capability of the cards in NVIDIA's tables, derived.

**Source:** `nvidia-smi -L` of driver 580; `npu-smi info`; that GB10 and the Grace superchips have their Arm cores in
the package: https://docs.nvidia.com/dgx/dgx-spark-porting-guide/overview.html and
https://nvidia.github.io/grace-cpu-benchmarking-guide/developer/index.html (read 2026-11-29); the
compute capabilities: https://developer.nvidia.com/cuda-gpus and https://developer.nvidia.com/cuda-legacy-gpus (read
2026-11-29), where A800, H800, H20, L20 and A10G, which are variants of listed chips, have no line of their own.
"""

from __future__ import annotations

import re
from collections.abc import Iterator

from advisor.evidence.sighting import sighting
from advisor.model.fact import Artifact, Fact
from advisor.model.shape import Shape

_MAKER = Shape(r"^(?:NVIDIA|AMD|Tesla|GeForce|Instinct|HUAWEI|Ascend)\s+", re.I)
_FORM = Shape(r" \(gfx.*$|[- ](?:SXM\d?|PCIe|PCIE|NVL\d*|OAM|HBM\w*|\d+ ?GB)\b.*$")  # A100-SXM4-80GB
_ARM = Shape(r"^(?:GB10|GH200|GB[23]00)\b|^Jetson\b|^Thor\b|^Orin\b")
_VENDORS = (
    ("nvidia", Shape(r"NVIDIA|GeForce|Tesla|Quadro", re.I)),
    ("amd", Shape(r"AMD|Instinct|Radeon|^MI\d{3}", re.I)),
    ("ascend", Shape(r"Ascend|^(?:910|310)[A-Z]?", re.I)),
)
# compute capability -> the cards that have it, as `model` names them
_CAPABILITIES = (
    (12.1, Shape(r"^GB10\b")),
    (12.0, Shape(r"^RTX 50[5-9]0|^RTX PRO \d{4}")),
    (11.0, Shape(r"^(?:Jetson )?(?:AGX )?Thor\b")),
    (10.3, Shape(r"^G?B300\b")),
    (10.0, Shape(r"^G?B200\b")),
    (9.0, Shape(r"^(?:H[128]00|H20|GH200)\b|^Grace Hopper\b")),
    (8.9, Shape(r"^(?:L4|L20|L40S?)\b|^RTX 40[5-9]0|^RTX \d{4} ?(?:SFF )?Ada\b")),
    (8.7, Shape(r"^(?:Jetson )?(?:AGX )?Orin\b")),
    (8.6, Shape(r"^(?:A2|A10G?|A16|A40)\b|^RTX 30[5-9]0|^RTX A\d{4}\b|^A[456]000\b")),
    (8.0, Shape(r"^(?:A100|A800|A30)\b|^(?:CMP ?)?170HX\b")),
    (7.5, Shape(r"^T4G?\b|^RTX 20[6-8]0")),
    (7.0, Shape(r"^V100\b")),
    (6.1, Shape(r"^P(?:4|40)\b")),
    (6.0, Shape(r"^P100\b")),
)


def capability(card: str) -> float | None:
    """The compute capability of a card as `model` names it; None when it is not in the table."""
    return next((number for number, cards in _CAPABILITIES if cards.match(card)), None)


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
    number = capability(card) if vendor in (None, "nvidia") else None
    if number is not None:
        why = f"the {card} has compute capability {number}"
        yield sighting(artifact, "hardware.capability", number, start, why=why).but(origin="derived")
