"""What `collect_env` and the engines' `check_env` say."""

from tests.evidence.situations import HEALTHY, assert_quiet, handed, kinds, values

VLLM = """\
==============================
       PyTorch Info
==============================
PyTorch version              : 2.9.0+cu129
Is debug build               : False
CUDA used to build PyTorch   : 12.9
==============================
Versions of relevant libraries
==============================
[pip3] nvidia-nccl-cu12==2.27.5
[pip3] torch==2.9.0
[pip3] flashinfer-python==0.4.1
[conda] Could not collect
==============================
         vLLM Info
==============================
vLLM Version                 : 0.11.2.dev278+gccfeb3a8 (git sha: ccfeb3a8)
"""
SGLANG = """\
Python: 3.12.3 (main, Aug 31 2026, 10:18:26) [GCC 13.3.0]
CUDA available: True
GPU 0,1: NVIDIA GB10
GPU 0,1 Compute Capability: 12.1
CUDA_HOME: /usr/local/cuda
NVCC: Cuda compilation tools, release 13.0, V13.0.88
CUDA Driver Version: 580.95.05
PyTorch: 2.11.0+cu130
sglang: 0.5.17
sglang-kernel: 0.4.2
flashinfer_python: 0.6.1
"""


def component(found, name):
    return values(found, f"component.{name}")


def test_the_capture():
    found = handed((HEALTHY / "capture-collect_env.txt").read_bytes(), "collect_env.txt")
    assert kinds(found) == ["collect_env"]
    assert component(found, "torch") == ["2.11.0+cu130"]  # what it says of itself, not the package list
    assert component(found, "nccl") == ["2.28.9"]
    assert component(found, "driver") == ["580.159.04"]
    assert values(found, "hardware.arch") == ["x86_64"]
    assert (values(found, "hardware.accelerator"), values(found, "hardware.count")) == (["H200"], [2])
    assert_quiet(found)


def test_vllms_own():
    found = handed(VLLM, "env.txt")
    assert kinds(found) == ["collect_env"]
    assert component(found, "vllm") == ["0.11.2.dev278+gccfeb3a8"]
    assert component(found, "torch") == ["2.9.0+cu129"] and component(found, "nccl") == ["2.27.5"]
    assert component(found, "flashinfer") == ["0.4.1"] and component(found, "cuda") == ["12.9"]


def test_sglangs_own():
    found = handed(SGLANG, "env.txt")
    assert kinds(found) == ["collect_env"]
    assert component(found, "sglang") == ["0.5.17"] and component(found, "sgl_kernel") == ["0.4.2"]
    assert component(found, "driver") == ["580.95.05"]
    assert (values(found, "hardware.accelerator"), values(found, "hardware.count")) == (["GB10"], [2])


def test_inside_a_fence_of_an_issue():
    found = handed(f"### Your environment\n\n```text\n{VLLM}```\n\nIt is slow.\n")
    assert "collect_env" in kinds(found) and component(found, "nccl") == ["2.27.5"]
