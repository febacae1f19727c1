"""`collect_env` of PyTorch or vLLM, `sglang.check_env`, `lmdeploy check_env` -> components and hardware.

    PyTorch version: 2.11.0+cu130                 GPU 0: NVIDIA H200
    CUDA runtime version: 13.0.88                 [pip3] nvidia-nccl-cu13==2.28.9
    Nvidia driver version: 580.159.04             vLLM Version   : 0.11.2.dev278+gccfeb3a8 (git sha: ccfeb3a8)

Facts: `component.<name>`, `hardware.arch`, `.accelerator`, `.vendor`, `.count` (of one host, when there are several);
never a symptom. What is missing was not collected; it is not absent. A version from a package list is of the installed
package, which need not be the library that a process maps.

**Source:** PyTorch 2.11 `torch/utils/collect_env.py`; vLLM `vllm/collect_env.py` (`env_info_fmt`); SGLang 0.5.17
`sglang/check_env.py`; LMDeploy 0.18.0 `lmdeploy/cli/cli.py` (`check_env`).
"""

from __future__ import annotations

import re
from collections.abc import Iterator

from advisor.evidence import accelerator
from advisor.evidence.shapes import Shape
from advisor.evidence.sighting import once, sighting
from advisor.model.fact import Artifact, Fact, FactKind

# package on the index, without its CUDA suffix -> component
PACKAGES = {
    "nvidia-nccl": "nccl",
    "nvidia-cudnn": "cudnn",
    "nvidia-nvshmem": "nvshmem",
    "torch": "torch",
    "torch-npu": "torch_npu",
    "triton": "triton",
    "triton-ascend": "triton_ascend",
    "vllm": "vllm",
    "vllm-ascend": "vllm_ascend",
    "sglang": "sglang",
    "sgl-kernel": "sgl_kernel",
    "sglang-kernel": "sgl_kernel",
    "lmdeploy": "lmdeploy",
    "xllm": "xllm",
    "flashinfer": "flashinfer",
    "flashinfer-python": "flashinfer",
    "flash-attn": "flash_attn",
    "deep-ep": "deep_ep",
    "mooncake-transfer-engine": "mooncake",
    "nixl": "nixl",
    "lmcache": "lmcache",
    "transformers": "transformers",
    "xgrammar": "xgrammar",
    "ray": "ray",
}
_KEYS = {
    "PyTorch version": "torch",
    "PyTorch": "torch",
    "CUDA runtime version": "cuda",
    "CUDA used to build PyTorch": "cuda",
    "Nvidia driver version": "driver",
    "CUDA Driver Version": "driver",
    "vLLM Version": "vllm",
    "LMDeploy": "lmdeploy",
    "CANN": "cann",
}
COMPONENTS = tuple(sorted({*PACKAGES.values(), *_KEYS.values()}))

FACTS = (
    *(
        FactKind(
            f"component.{name}",
            "str",
            f"the version of {name} in use",
            f"Which {name} is installed on every rank?",
            "nvidia-smi" if name == "driver" else "python3 -m torch.utils.collect_env",
        )
        for name in COMPONENTS
    ),
    FactKind(
        "hardware.arch",
        "str",
        "the CPU architecture of the hosts",
        "Which CPU architecture are the hosts (x86_64, aarch64)?",
        "uname -m",
    ),
    FactKind(
        "hardware.accelerator",
        "str",
        "the model of the accelerators",
        "Which accelerators are these?",
        "nvidia-smi -L (or npu-smi info)",
    ),
    FactKind(
        "hardware.vendor",
        "str",
        "whose accelerators they are: nvidia, amd, ascend",
        "Whose accelerators are these (NVIDIA, AMD, Ascend)?",
        "nvidia-smi -L (or npu-smi info)",
    ),
    FactKind(
        "hardware.count",
        "int",
        "the number of accelerators",
        "How many accelerators does this deployment use?",
        "nvidia-smi -L | wc -l",
    ),
)

_KEYED = Shape(r"^([A-Za-z][\w. -]*?) *: *(\S.*)$", re.M)
_PIP = Shape(
    r"^\[(?:pip3?|conda)\] ([\w.-]+?)(?:-cu\d+)?(?:==| +)(\d[\w.+!]*)", re.M
)  # [pip3] nvidia-nccl-cu13==2.28.9
_GPU = Shape(r"^GPU (\d+(?:,\d+)*): (\S.*?)(?: \(UUID.*)?$", re.M)  # GPU 0: NVIDIA H200; GPU 0,1: NVIDIA H100
_ARCH = Shape(
    r"^(?:OS *: .*\((x86_64|aarch64|arm64)\)|Architecture: +(x86_64|aarch64|arm64)|"
    r"Python platform *: .*?[-_](x86_64|aarch64)-)",
    re.M,
)
_VERSION = Shape(r"v?(\d+\.\d+[\w.+]*)")


def read(artifact: Artifact) -> tuple[Fact, ...]:
    """Components and hardware, each name once: what the tool says of itself before the package lists."""
    return once([*_first(_components(artifact)), *_hardware(artifact)])


def _first(facts: Iterator[Fact]) -> Iterator[Fact]:
    seen: set[str] = set()
    for fact in facts:
        if fact.name not in seen:
            seen.add(fact.name)
            yield fact


def _components(artifact: Artifact) -> Iterator[Fact]:
    for key in _KEYED.finditer(artifact.text):
        name = _KEYS.get(key[1]) or PACKAGES.get(key[1].lower().replace("_", "-"))
        version = _VERSION.match(key[2])
        if name and version:
            yield sighting(artifact, f"component.{name}", version[1], key.start())
    for package in _PIP.finditer(artifact.text):
        name = PACKAGES.get(package[1].lower().replace("_", "-"))
        if name:
            yield sighting(artifact, f"component.{name}", package[2], package.start())


def _hardware(artifact: Artifact) -> Iterator[Fact]:
    arch = _ARCH.search(artifact.text)
    if arch:
        yield sighting(
            artifact, "hardware.arch", next(filter(None, arch.groups())).replace("arm64", "aarch64"), arch.start()
        )
    gpus = list(_GPU.finditer(artifact.text))
    numbers = {number for gpu in gpus for number in gpu[1].split(",")}
    for gpu in gpus:
        if not gpu[2].startswith("Compute Capability"):
            yield from accelerator.read(artifact, gpu[2], gpu.start())
    if len(numbers) > 1:  # a single one may be one host of several
        yield sighting(artifact, "hardware.count", len(numbers), gpus[0].start(), gpus[-1].end())
