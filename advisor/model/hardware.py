"""What can be known of the machines, and how to ask for it: read by several readers, asked for by conditions."""

from __future__ import annotations

from advisor.model.fact import FactKind

KINDS: tuple[FactKind, ...] = (
    FactKind(
        "hardware.accelerator",
        "str",
        "the model of the accelerators",
        "Which accelerators are these?",
        "nvidia-smi -L || npu-smi info",
    ),
    FactKind(
        "hardware.vendor",
        "str",
        "whose accelerators they are: nvidia, amd, ascend, cambricon, intel, google",
        "Whose accelerators are these (NVIDIA, AMD, Ascend, MLU)?",
        "nvidia-smi -L || npu-smi info",
    ),
    FactKind(
        "hardware.count",
        "int",
        "how many accelerators this deployment uses",
        "How many accelerators does this deployment use?",
        "nvidia-smi -L | wc -l",
    ),
    FactKind("hardware.nodes", "int", "over how many nodes it runs", "Over how many nodes does it run?"),
    FactKind(
        "hardware.arch",
        "str",
        "the CPU architecture of the hosts: x86_64 or aarch64",
        "Which CPU architecture are the hosts (x86_64, aarch64)?",
        "uname -m",
    ),
    FactKind(
        "hardware.capability",
        "float",
        "the CUDA compute capability of the GPU, such as 9.0 or 12.1",
        "Which CUDA compute capability has the GPU?",
        "nvidia-smi --query-gpu=name,compute_cap --format=csv",
    ),
    FactKind(
        "hardware.os",
        "str",
        "the operating system of the host: linux, windows or wsl",
        "Does it run on Linux, on Windows, or in WSL?",
        "uname -r; cat /etc/os-release (ver on Windows)",
    ),
)
"""In the order in which facts of them are told."""
