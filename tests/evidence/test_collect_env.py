"""What `collect_env` and the engines' `check_env` say."""

import pytest

from advisor.evidence import collect_env
from advisor.model.fact import Artifact
from tests.evidence.readings import assert_linear, assert_unknown, given_text, hold_up
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


ASCEND = """\
PyTorch version: 2.10.0+cpu
Is debug build: False

OS: Ubuntu 22.04.5 LTS (aarch64)
Python version: 3.11.13 (main, Nov 20 2025, 16:57:00) [GCC 11.4.0] (64-bit runtime)

Versions of relevant libraries:
[pip3] torch_npu==2.10.0
[conda] Could not collect
vLLM Version: 0.18.0
vLLM Ascend Version: 0.18.0rc1

ENV Variables:
ATB_LLM_HCCL_ENABLE=1
HCCL_OP_EXPANSION_MODE=AIV
MY_ACCESS_TOKEN=abc
LD_LIBRARY_PATH=/usr/local/Ascend/lib64

NPU:
| npu-smi 24.1.rc3             Version: 24.1.rc3                                                  |
| NPU   Name                | Health        | Power(W)    Temp(C)           Hugepages-Usage(page)|
| 0     910B3               | OK            | 98.4        50                0    / 0             |
| 0                         | 0000:C1:00.0  | 100         0    / 0          57784/ 65536         |
| 1     910B3               | OK            | 96.5        53                0    / 0             |
| 0                         | 0000:01:00.0  | 0           0    / 0          57831/ 65536         |

CANN:
package_name=Ascend-cann-toolkit
version=8.3.RC1
innerversion=V100R001C23
"""
LMDEPLOY = """\
sys.platform: linux
Python: 3.10.12 (main, Aug 31 2026, 10:18:26) [GCC 11.4.0]
CUDA available: True
GPU 0,1,2,3: NVIDIA A100-SXM4-80GB
CUDA_HOME: /usr/local/cuda
NVCC: Cuda compilation tools, release 12.8, V12.8.93
PyTorch: 2.8.0+cu128
PyTorch compiling details: PyTorch built with:
  - GCC 13.3
LMDeploy: 0.18.0+1263d5c
transformers: 4.57.1
triton: 3.4.0
"""
SGLANG_NPU = """\
Python: 3.11.13 (main, Nov 20 2025, 16:57:00) [GCC 11.4.0]
NPU available: True
NPU 0,1: Ascend910_9362
CANN_HOME: /usr/local/Ascend/ascend-toolkit/latest
CANN: 8.3.RC1
Ascend Driver Version: 25.3.rc1
PyTorch: 2.8.0+cpu
sglang: 0.5.17
torch_npu: 2.8.0
deep_ep: 0.1.0
"""
VARIABLES = (
    VLLM
    + """
==============================
     Environment Variables
==============================
NCCL_DEBUG=INFO
VLLM_USE_V1=1
VLLM_USE_V1=1
HF_API_KEY=secret
CUDA_VISIBLE_DEVICES=0,1
"""
)


def said(text, name):
    return [fact.value for fact in collect_env.read(given_text(text)) if fact.name == name]


def environment(text):
    return {fact.name: fact.value for fact in collect_env.environment(given_text(text))}


def test_ascends_own():
    assert said(ASCEND, "component.vllm_ascend") == ["0.18.0rc1"] and said(ASCEND, "component.cann") == ["8.3.RC1"]
    assert said(ASCEND, "hardware.accelerator") == ["910B3"] and said(ASCEND, "hardware.count") == [2]
    assert said(ASCEND, "hardware.arch") == ["aarch64"] and said(ASCEND, "component.torch_npu") == ["2.10.0"]


def test_a_table_of_another_day_is_no_symptom():
    assert not [
        fact for fact in collect_env.read(given_text(ASCEND)) if fact.name.startswith("symptom.") or fact.notable
    ]


def test_lmdeploys_own():
    assert collect_env.mine(LMDEPLOY)
    assert said(LMDEPLOY, "component.lmdeploy") == ["0.18.0+1263d5c"] and said(LMDEPLOY, "component.torch") == [
        "2.8.0+cu128"
    ]
    assert said(LMDEPLOY, "hardware.accelerator") == ["A100"] and said(LMDEPLOY, "hardware.count") == [4]


def test_sglangs_own_on_ascend():
    assert collect_env.mine(SGLANG_NPU)
    assert said(SGLANG_NPU, "component.driver") == ["25.3.rc1"]
    assert said(SGLANG_NPU, "hardware.vendor") == ["ascend"] and said(SGLANG_NPU, "hardware.count") == [2]
    assert said(SGLANG_NPU, "component.deep_ep") == ["0.1.0"] and said(SGLANG_NPU, "component.cann") == ["8.3.RC1"]


def test_environment_variables():
    assert environment(VARIABLES) == {
        "environment.NCCL_DEBUG": "INFO",
        "environment.VLLM_USE_V1": "1",
        "environment.CUDA_VISIBLE_DEVICES": "0,1",
    }
    assert set(environment(ASCEND)) == {
        "environment.ATB_LLM_HCCL_ENABLE",
        "environment.HCCL_OP_EXPANSION_MODE",
        "environment.LD_LIBRARY_PATH",
    }
    assert environment("PyTorch version: 2.5.1\nNCCL_P2P_DISABLE=1\nSOME_THING=1\n") == {
        "environment.NCCL_P2P_DISABLE": "1"
    }
    assert environment(VLLM) == {}


def test_not_its_text():
    assert not collect_env.mine("PyTorch: 2.8.0\n") and not collect_env.mine("Python: slow\nCUDA available: yes\n")
    assert_unknown(collect_env.reading(given_text("Collecting environment information...\n")))


def test_mangled():
    hold_up(collect_env.reading, collect_env.mine, ASCEND, LMDEPLOY, VARIABLES)


def test_hostile_length():
    assert_linear(collect_env.reading, "a ", "OS: (", "A_B=", "[pip3] a-cu", "GPU 0,")


FREEZE = (
    "aiohttp==3.9\nasync-timeout==4.0.3\nwatchdog==4.0.0\nhang==1\noom-killer==1\n-e git+https://h/x@1#egg=x\n"
    "apex @ file:///w/apex.whl\nvllm==0.11.0\ntorch==2.9.0+cu129\nnvidia-nccl-cu12==2.27.5\n"
)
TABLE = (
    "Package                Version      Editable project location\n---------------------- ------------ -----\n"
    "crashtest              0.4.1\nhang                   1.0\nnvidia-nccl-cu12       2.27.5\n"
    "torch                  2.9.0\nvllm                   0.11.0       /src/vllm\nwatchdog               4.0.0\n"
)
CONDA = (
    "# packages in environment at /opt/conda:\n#\n# Name                    Version                   Build  Channel\n"
    "_libgcc_mutex             0.1                        main\nhang                      1.0                    py311_0\n"
    "pytorch                   2.9.0           py3.11_cuda12.9  pytorch\nwatchdog                  4.0.0    pypi_0    pypi\n"
    "vllm                      0.11.0                   pypi_0    pypi\n"
)
REQUIREMENTS = (
    "# crash and hang\n--extra-index-url https://h/whl\nwatchdog>=4,<5\ntimeout-decorator\nhang~=1.0 ; python_version > '3.9'\n"
    "vllm[flashinfer]==0.11.0 \\\n    --hash=sha256:00ff\ntorch==2.9.0  # pinned\n"
)
EXPORT = "hang=1.0=py311_0\nwatchdog=4.0.0=pypi_0\ntorch=2.9.0=py311\nvllm=0.11.0=pypi_0\n"
JSON = '[{"name": "watchdog", "version": "4.0.0"}, {"name": "torch", "version": "2.9.0"}, {"name": "vllm", "version": "0.11.0"}]\n'
LISTS = (FREEZE, TABLE, CONDA, REQUIREMENTS, EXPORT, JSON)


def test_a_package_list_is_components_and_never_a_symptom():
    for text in LISTS:
        for name in ("-", "requirements.txt"):
            found = handed(text, name)
            assert kinds(found) == ["collect_env"], text
            assert [str(value)[:5] for value in values(found, "component.torch")] == ["2.9.0"]
            assert values(found, "component.vllm") == ["0.11.0"]
            assert_quiet(found)


def test_a_package_list_in_a_paste_is_a_part_of_it():
    for text in LISTS:
        found = handed(f"Here is what is installed.\n\n```\n{text}```\nWhat now?\n")
        assert sorted(kinds(found)) == ["collect_env", "text"] and values(found, "component.vllm") == ["0.11.0"]
        assert_quiet(found)
    for text in (FREEZE, EXPORT):
        found = handed(f"Here is what is installed:\n{text}\nWhat now?\n")
        assert sorted(kinds(found)) == ["collect_env", "text"]
        assert_quiet(found)


def test_a_few_packages_in_words_stay_words():
    for text in (
        "vllm==0.11.0\nit hangs\n",
        "It hangs.\nvllm==0.11.0\ntorch==2.9.0\nWhy?\n",
        "rank 0\nloss 0.5\nhang 3\n",
    ):
        assert kinds(handed(text)) == ["text"]


DPKG = "ii  libnccl2  2.28.9-1+cuda13.0  amd64  NVIDIA lib\nii  watchdog  5.16-1  amd64  a watchdog, for hangs\nii  hang  1.2  amd64  x\n"
INSTALL = (
    "Collecting watchdog==4.0.0\n  Downloading watchdog-4.0.0.whl (82 kB)\nCollecting hang\n  Using cached hang-1.tar.gz\n"
    "Requirement already satisfied: torch==2.9.0 in /usr/lib (2.9.0)\nSuccessfully installed hang-1 watchdog-4.0.0\n"
)
BULLETS = "- torch==2.9.0\n- watchdog==4.0.0\n- hang==1.0\n"
SHOW = "Name: watchdog\nVersion: 4.0.0\nSummary: Filesystem events, watchdog, timeout\nRequires:\n"
PROMPT = (
    "(base) root@h:~# pip list | grep -E 'torch|watch'\ntorch            2.9.0\nwatchdog         4.0.0\nhang      1.0\n"
)


def test_other_lists_of_packages_are_no_symptom_either():
    for text in (DPKG, INSTALL, BULLETS, SHOW, PROMPT):
        found = handed(text, "packages.txt")
        assert kinds(found) == ["collect_env"], text
        assert_quiet(found)
    assert values(handed(BULLETS), "component.torch") == ["2.9.0"]
    assert values(handed(SHOW.replace("watchdog\n", "torch\n", 1)), "component.torch") == ["4.0.0"]


def test_settings_are_no_package_list():
    for text in ("NCCL_NVLS_ENABLE=0\nVLLM_USE_V1=1\nNCCL_P2P_DISABLE=1\n", "tp=8\npp=2\ndp=1\n"):
        assert "collect_env" not in kinds(handed(text, "env.txt"))


@pytest.mark.parametrize(
    ("lines", "system"),
    [
        ("OS: Ubuntu 22.04.5 LTS (x86_64)\nPython platform: Linux-5.15.0-1-generic-x86_64-with-glibc2.35", "linux"),
        ("OS: Ubuntu 22.04.5 LTS (x86_64)\nPython platform: Linux-5.15.167.4-microsoft-standard-WSL2-x86_64", "wsl"),
        ("OS: Microsoft Windows 11 Pro (10.0.22631 64-bit)\nPython platform: Windows-10-10.0.22631-SP0", "windows"),
        ("sys.platform: win32", "windows"),
        ("Libc version: glibc-2.35", None),
    ],
)
def test_the_system(lines, system):
    text = f"PyTorch version: 2.9.0\nIs debug build: False\n{lines}\nCUDA runtime version: 12.8.93\n"
    found = collect_env.read(Artifact("env", "collect_env", text))
    assert [fact.value for fact in found if fact.name == "hardware.os"] == ([system] if system else [])


def test_the_capability_by_the_card_or_as_printed():
    text = "PyTorch version: 2.9.0\nGPU 0: NVIDIA H200\n"
    (fact,) = [
        one for one in collect_env.read(Artifact("env", "collect_env", text)) if one.name == "hardware.capability"
    ]
    assert (fact.value, fact.origin) == (9.0, "derived") and fact.why
    printed = "PyTorch: 2.9.0\nGPU 0,1: NVIDIA Unheard\nGPU 0,1 Compute Capability: 12.1\n"
    (fact,) = [
        one for one in collect_env.read(Artifact("env", "collect_env", printed)) if one.name == "hardware.capability"
    ]
    assert (fact.value, fact.origin) == (12.1, "observed")
