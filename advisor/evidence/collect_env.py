"""`collect_env` of PyTorch or vLLM, `sglang.check_env`, `lmdeploy check_env`, package lists -> components and hardware.

    PyTorch version: 2.11.0+cu130                 GPU 0: NVIDIA H200
    CUDA runtime version: 13.0.88                 [pip3] nvidia-nccl-cu13==2.28.9
    Nvidia driver version: 580.159.04             vLLM Version   : 0.11.2.dev278+gccfeb3a8 (git sha: ccfeb3a8)

    torch                     2.9.0               vllm==0.11.0    (pip list, pip freeze, conda list, requirements)
    VLLM_USE_V1=1                                 | 0     910B3               | OK            | 98.4    (npu-smi)

Facts: `component.<name>`, `hardware.arch`, `.accelerator`, `.vendor`, `.capability`, `.os`, `.count` (of one host,
when there are several); never a symptom, for it was often collected on another day. What is missing was not collected;
it is not absent. A version from a package list is of the installed package, which need not be the library that a
process maps. The environment variables that vLLM's lists are told apart, by `environment`: they are those of the shell
that collected, which need not be the engine's. Empty: nothing that is known here was collected.

**Source:** PyTorch 2.11 `torch/utils/collect_env.py`; vLLM main at 030ea52ef `vllm/collect_env.py` (`env_info_fmt`,
`get_env_vars`); vllm-ascend main at 182b75ea `collect_env.py`; SGLang 0.5.17 `sglang/check_env.py` (`GPUEnv`,
`NPUEnv`); LMDeploy 0.18.0 `lmdeploy/cli/cli.py` (`check_env`), which prints what mmengine's `collect_env` found (read
2026-11-29).
"""

from __future__ import annotations

import re
from collections.abc import Iterator

from advisor.evidence import accelerator, npu_smi
from advisor.evidence.devices import Reading
from advisor.evidence.sighting import once, sighting, span_of
from advisor.evidence.systems import LINUX
from advisor.model.fact import Artifact, Fact, FactKind, Note
from advisor.model.hardware import KINDS
from advisor.model.shape import Shape

# package on the index, without its CUDA suffix -> component
PACKAGES = {
    "nvidia-nccl": "nccl",
    "nvidia-cudnn": "cudnn",
    "nvidia-nvshmem": "nvshmem",
    "torch": "torch",
    "pytorch": "torch",
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
    "ROCM used to build PyTorch": "rocm",
    "ROCM Version": "rocm",
    "Ascend Driver Version": "driver",
    "vLLM Version": "vllm",
    "vLLM Ascend Version": "vllm_ascend",
    "LMDeploy": "lmdeploy",
    "CANN": "cann",
}
_USUAL = frozenset(
    {
        *_KEYS,
        "Is debug build",
        "Python version",
        "Python platform",
        "Python",
        "Is CUDA available",
        "CUDA available",
        "NPU available",
        "CUDA_HOME",
        "NVCC",
        "sys.platform",
        "Libc version",
        "GCC version",
        "sglang",
    }
)
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
    *KINDS,
)

_KEYED = Shape(r"^([A-Za-z](?:[\w. -]*[\w.-])?) *: *(\S.*)$", re.M)
_PIP = Shape(
    r"^(?:\[(?:pip3?|conda)\] |[-*] |Name: )?([\w.-]+?)(?:-cu\d+)?(?:\[[\w,. -]*\])?"
    r"(?: ?==?=? ?| +|\nVersion: )(\d[\w.+!]*)|"
    r'"name": ?"([\w.-]+?)(?:-cu\d+)?", ?"version": ?"(\d[\w.+!]*)"',
    re.M,
)  # [pip3] nvidia-nccl-cu13==2.28.9, torch 2.9.0
_GPU = Shape(r"^[GN]PU (\d+(?:,\d+)*): (\S.*?)(?: \(UUID.*)?$", re.M)  # GPU 0: NVIDIA H200; GPU 0,1: NVIDIA H100
_ARCH = Shape(
    r"^(?:OS *: .*\((x86_64|aarch64|arm64)\)|Architecture: +(x86_64|aarch64|arm64)|"
    r"Python platform *: .*?[-_](x86_64|aarch64)-)",
    re.M,
)
# OS: Microsoft Windows 11 Pro; Python platform: Linux-5.15.167.4-microsoft-standard-WSL2-x86_64-with-glibc2.35
_OS = Shape(r"^(?:OS|Python platform|sys\.platform) *: *(\S[^\n]*)$", re.M)
_SYSTEMS = (
    ("wsl", Shape(r"microsoft-standard|WSL", re.I)),
    ("windows", Shape(r"windows|^win32", re.I)),
    ("linux", Shape(rf"linux|{LINUX}", re.I)),
)
_CAPABILITY = Shape(r"^GPU [\d,]+ Compute Capability: (\d{1,2}\.\d)\s*$", re.M)
_VERSION = Shape(r"v?(\d+\.\d+[\w.+]*)")
_CANN = Shape(r"^package_name=Ascend-cann-toolkit\nversion=(\d+\.[\w.]+)", re.M)
_LISTED = Shape(r"^[ \t=]*(?:Environment Variables[ \t]*|ENV Variables:[ \t]*)$", re.M)
_ASSIGNED = Shape(r"^([A-Z][A-Z0-9]*_[A-Z0-9_]+|NCCL|CUDA)=([^\n]*)$", re.M)
_SECRET = Shape(r"SECRET|TOKEN|API|ACCESS|PASSW|CREDENTIAL|_KEY")  # what vLLM leaves out, and some more
_KNOWN = Shape(r"(?:VLLM|TORCH|NCCL|PYTORCH|CUDA|CUBLAS|CUDNN|OMP|MKL|NVIDIA|SGLANG|ASCEND|HCCL|ATB)_|LD_LIBRARY_PATH$")
_MAX_VALUE = 500


def mine(text: str) -> bool:
    """Whether lines of such a listing stand in the text: three of its keys, PyTorch's version among them."""
    keys = {key[1] for key in _KEYED.finditer(text[:131072])}
    return len(keys & _USUAL) >= 3 and bool(keys & {"PyTorch version", "PyTorch"})


def reading(artifact: Artifact) -> Reading:
    """What `read` says, with a note when that is nothing."""
    facts = read(artifact)
    note = Note("unreadable", "an environment listing in a layout not known here, or cut short", span_of(artifact, 0))
    return Reading(facts, notes=() if facts or not artifact.text.strip() else (note,))


def read(artifact: Artifact) -> tuple[Fact, ...]:
    """Components and hardware, each name once: what the tool says of itself before the package lists."""
    return once([*_first(_components(artifact)), *_hardware(artifact)])


def environment(artifact: Artifact) -> tuple[Fact, ...]:
    """One fact `environment.NAME` for each variable listed, except what may be a secret; values end at 500 characters.

    Under a heading every assignment counts; vLLM before 0.9 has none, so there only names that inference uses do.
    """
    heading = _LISTED.search(artifact.text)
    start = heading.end() if heading else len(artifact.text)
    return once(
        sighting(artifact, f"environment.{one[1]}", one[2].strip()[:_MAX_VALUE], one.start())
        for one in _ASSIGNED.finditer(artifact.text)
        if (one.start() >= start or _KNOWN.match(one[1])) and not _SECRET.search(one[1])
    )


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
        name = PACKAGES.get((package[1] or package[3]).lower().replace("_", "-"))
        if name:
            yield sighting(artifact, f"component.{name}", package[2] or package[4], package.start())
    cann = _CANN.search(artifact.text)
    if cann:
        yield sighting(artifact, "component.cann", cann[1], cann.start(1))


def _system(artifact: Artifact) -> Iterator[Fact]:
    """The system of the first line that names one; that it is WSL is seen in its kernel alone."""
    lines = list(_OS.finditer(artifact.text))
    for name, marks in _SYSTEMS:
        for line in lines:
            if marks.search(line[1]):
                yield sighting(artifact, "hardware.os", name, line.start())
                return


def _hardware(artifact: Artifact) -> Iterator[Fact]:
    arch = _ARCH.search(artifact.text)
    if arch:
        yield sighting(
            artifact, "hardware.arch", next(filter(None, arch.groups())).replace("arm64", "aarch64"), arch.start()
        )
    yield from _system(artifact)
    capability = _CAPABILITY.search(artifact.text)
    if capability:
        yield sighting(artifact, "hardware.capability", float(capability[1]), capability.start())
    gpus = list(_GPU.finditer(artifact.text))
    numbers = {number for gpu in gpus for number in gpu[1].split(",")}
    for gpu in gpus:
        if not gpu[2].startswith("Compute Capability"):
            yield from accelerator.read(artifact, gpu[2], gpu.start())
    if len(numbers) > 1:  # a single one may be one host of several
        yield sighting(artifact, "hardware.count", len(numbers), gpus[0].start(), gpus[-1].end())
    elif npu_smi.mine(artifact.text):
        yield from npu_smi.hardware(artifact)
