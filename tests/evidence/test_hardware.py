"""Hardware as people write it, and what may be derived from a product's name."""

from pathlib import Path

import pytest

from advisor.errors import UsageError
from advisor.evidence.hardware import FACTS, PRODUCTS, read_hardware

OF_THEIR_OWN = ("hardware.capability", "hardware.os")


def shown(facts):
    """Short names and values; derived ones end in `~`."""
    return " ".join(
        f"{fact.name.removeprefix('hardware.')}={fact.value}{'~' if fact.origin == 'derived' else ''}" for fact in facts
    )


def stated(text):
    """All but what has tests of its own."""
    return shown(fact for fact in read_hardware(text, artifact="--hardware") if fact.name not in OF_THEIR_OWN)


ANSWERS = [
    ("2x GB10 aarch64", "accelerator=GB10 vendor=nvidia~ count=2 nodes=2~ arch=aarch64"),
    (
        "2× NVIDIA DGX Spark (GB10, SM121, aarch64, 128 GB unified memory each), TP=2 across nodes",
        "accelerator=GB10 vendor=nvidia count=2 nodes=2~ arch=aarch64",
    ),
    ("DGX Spark", "accelerator=GB10 vendor=nvidia~ arch=aarch64~"),
    ("8x RTX 3090 PCIe", "accelerator=RTX 3090 vendor=nvidia~ count=8"),
    ("1x RTX PRO 6000 Blackwell", "accelerator=RTX PRO 6000 Blackwell vendor=nvidia~ count=1"),
    ("双卡 4090", "accelerator=RTX 4090 vendor=nvidia~ count=2"),
    ("8 GPUs", "count=8"),
    ("single GPU", "count=1"),
    ("H200 x8", "accelerator=H200 vendor=nvidia~ count=8"),
    ("A100-80GB x 4", "accelerator=A100 vendor=nvidia~ count=4"),
    ("8x L4 24GB", "accelerator=L4 vendor=nvidia~ count=8"),
    ("2 nodes, 8x H100 each, x86_64", "accelerator=H100 vendor=nvidia~ count=16~ nodes=2 arch=x86_64"),
    ("2x 8 H20 (95 GB)", "accelerator=H20 vendor=nvidia~ count=16~ nodes=2"),
    ("NVIDIA H200, 8 GPUs per node, RDMA/RoCEv2", "accelerator=H200 vendor=nvidia count=8~"),
    ("8x H200, 8 single-GPU servers", "accelerator=H200 vendor=nvidia~ count=8"),
    ("2 nodes GB200/B200", "accelerator=GB200 accelerator=B200 vendor=nvidia~ nodes=2"),
    ("4x GB200", "accelerator=GB200 vendor=nvidia~ count=4 arch=aarch64~"),
    ("GH200", "accelerator=GH200 vendor=nvidia~ arch=aarch64~"),
    ("Jetson AGX Thor", "accelerator=Jetson Thor vendor=nvidia~ arch=aarch64~"),
    ("1x H100 with Intel Xeon", "accelerator=H100 vendor=nvidia~ count=1 arch=x86_64~"),
    ("8*MI300X", "accelerator=MI300X vendor=amd~ count=8"),
    ("ROCm", "vendor=amd~"),
    ("2x Ascend NPU, TP2, CANN 9.0.0", "vendor=ascend count=2 component.cann=9.0.0"),
    ("昇腾 910B 16 卡", "accelerator=910B vendor=ascend count=16"),
    ("16x 910B2C", "accelerator=910B2C vendor=ascend~ count=16"),
    ("Ascend 910C ARM", "accelerator=910C vendor=ascend arch=aarch64"),
    ("两机 16 卡 H20", "accelerator=H20 vendor=nvidia~ count=16 nodes=2"),
    ("Cambricon MLU, TP>1", "accelerator=MLU vendor=cambricon"),
    ("Gaudi", "accelerator=Gaudi vendor=intel~"),
    ("TPU", "accelerator=TPU vendor=google~"),
    (
        "8x A800, driver 550, CUDA 12.4",
        "accelerator=A800 vendor=nvidia~ count=8 component.driver=550 component.cuda=12.4",
    ),
    ("2 GPUs, one box", "count=2 nodes=1"),
    ("8xH100", "accelerator=H100 vendor=nvidia~ count=8"),
    ("2x4090", "accelerator=RTX 4090 vendor=nvidia~ count=2"),
    ("4x V100", "accelerator=V100 vendor=nvidia~ count=4"),
    ("4 x A6000", "accelerator=RTX A6000 vendor=nvidia~ count=4"),
    ("8xMI300X", "accelerator=MI300X vendor=amd~ count=8"),
    ("4 Grace-Hopper nodes", "accelerator=Grace Hopper vendor=nvidia~ nodes=4 arch=aarch64~"),
    ("Grace Blackwell tray", "vendor=nvidia~ arch=aarch64~"),
    ("2 NPUs", "vendor=ascend~ count=2"),
    ("NPU TP=2", "vendor=ascend~"),
    ("ASCEND_RT_VISIBLE_DEVICES=0,1", "vendor=ascend"),
    ("npu-smi shows 8 cards", "vendor=ascend~ count=8"),
    ("2x Rebellions NPU", ""),
    ("8x H100, no NPU", "accelerator=H100 vendor=nvidia~ count=8"),
    ("NPU-based", ""),
    ("HXH100", ""),
    ("TP>1", ""),
    ("GLM-5.2-FP8", ""),
    ("24 GB card", ""),
    ("Windows", ""),
]


@pytest.mark.parametrize(("text", "known"), ANSWERS)
def test_reads(text, known):
    assert stated(text) == known


PROSE = [
    ("three GPUs spin, the fourth one is idle", ""),
    ("All GPUs busy, the other 3 GPUs idle", ""),
    ("It takes 16 卡住 cases", ""),
    ("our image stops with an assertion on two 4090s", "accelerator=RTX 4090 vendor=nvidia~ count=2"),
    ("It works on A100 but hangs on H20", "accelerator=H20 vendor=nvidia~"),
    ("## Expected behavior\n\nsame as on 8x H100", ""),
    ("nvidia-smi shows nothing", ""),
    ("source /usr/local/Ascend/set_env.sh", ""),
    ("GLM-5.1 needs 16x 910B", ""),
    ("Hang.\n\n- **Hardware**: 2x DGX Spark\n", "accelerator=GB10 vendor=nvidia~ count=2 nodes=2~ arch=aarch64~"),
]


@pytest.mark.parametrize(("text", "known"), PROSE)
def test_reads_prose(text, known):
    assert stated(text) == known


RULES = Path(__file__).parents[2] / "rules"
REPORTS = [
    ("lmdeploy/mtp-dp-meta/cases/fires-author-text", ""),
    (
        "lmdeploy/mtp-silent-hang/cases/fires-report-pasted-whole",
        "accelerator=H200 vendor=nvidia count=8~",
    ),
    (
        "any/nccl-proxy-slot-leak-arm/cases/fires-original-report-pasted",
        "accelerator=GB10 vendor=nvidia count=2 nodes=2 arch=aarch64",
    ),
    ("vllm/pp-broadcast-skew/cases/fires-zh-document-pasted-whole", "accelerator=RTX 3090 vendor=nvidia~ count=8"),
    ("xllm/shm-h2d-graph-race/cases/fires-author-text", "vendor=ascend~"),
]


@pytest.mark.parametrize(("case", "known"), REPORTS)
def test_reads_a_report_as_it_was_published(case, known):
    assert stated((RULES / case / "report.md").read_text(encoding="utf-8")) == known


CAPABILITIES = [
    ("8x H200", "9.0~"),
    ("8x H20", "9.0~"),
    ("4x V100", "7.0~"),
    ("8x A100-80GB", "8.0~"),
    ("A10G", "8.6~"),
    ("RTX 3060 Ti", "8.6~"),
    ("8x L4 24GB", "8.9~"),
    ("RTX 6000 Ada", "8.9~"),
    ("双卡 4090", "8.9~"),
    ("B200", "10.0~"),
    ("4x GB300", "10.3~"),
    ("Jetson AGX Thor", "11.0~"),
    ("1x RTX PRO 6000 Blackwell", "12.0~"),
    ("RTX 5090", "12.0~"),
    ("DGX Spark", "12.1~"),
    ("2x DGX Spark (GB10, SM121)", "12.1"),
    ("compute capability 8.6", "8.6"),
    ("the device is sm_121a", "12.1"),
    ("显卡算力 12.0", "12.0"),
    ("It is built for sm_80 and sm_90, but the card is sm_120", "12.0"),
    ("H20 and RTX 4090", "9.0~ 8.9~"),
    # what a build has kernels for is not the device, and other makers have none
    ("kernels compiled for sm_90a only", ""),
    ("requires compute capability 8.0 or higher", ""),
    ('TORCH_CUDA_ARCH_LIST="8.0 9.0"', ""),
    ("RTX 6000", ""),
    ("MI300X", ""),
    ("2x Ascend 910B", ""),
]


@pytest.mark.parametrize(("text", "known"), CAPABILITIES)
def test_reads_the_compute_capability(text, known):
    found = [one for one in read_hardware(text, artifact="x") if one.name == "hardware.capability"]
    assert " ".join(f"{one.value}{'~' if one.origin == 'derived' else ''}" for one in found) == known


SYSTEMS = [
    ("RTX 4090 on Windows 11", "windows"),
    ("pip install on native Windows", "windows"),
    ("在 Windows 下启动失败", "windows"),
    ("win10 系统", "windows"),
    ("Windows", "windows"),
    ("it loads C:\\Users\\me\\turbomind.dll", "windows"),
    ("Ubuntu 22.04 in WSL2 on Windows 11", "wsl"),
    ("WSL", "wsl"),
    ("Ubuntu 24.04, driver 580", "linux"),
    ("openEuler 22.03", "linux"),
    ("not on Windows: Linux", "linux"),
    ("it fails, but not on Windows", ""),
    ("a context window of 128k", ""),
    ("sliding windows attention", ""),
    ("It works on Windows", ""),
    ("x86_64-linux-gnu", ""),
]


@pytest.mark.parametrize(("text", "known"), SYSTEMS)
def test_reads_the_operating_system(text, known):
    found = [one for one in read_hardware(text, artifact="x") if one.name == "hardware.os"]
    assert " ".join(str(one.value) for one in found) == known


SHORT = [f"{before}{one.example}" for one in PRODUCTS for before in ("", "8x ", "8x")]


@pytest.mark.parametrize("text", [*SHORT, *(text for text, _ in SYSTEMS), "compute_120", "sm_90", "CC 8.6", "算力 8.6"])
def test_prose_says_of_a_machine_what_the_same_words_say_alone(text):
    alone = {(one.name, one.value) for one in read_hardware(text, artifact="x")}
    prose = {(one.name, one.value) for one in read_hardware(f"{text}\n\nIt fails.", artifact="x")}
    assert {one for one in alone if one[0] in ("hardware.os", "hardware.capability", "hardware.accelerator")} <= prose


def test_facts_say_where_and_why():
    found = {fact.name: fact for fact in read_hardware("hangs\n\n8x GB200 here", artifact="paste", first_line=5)}
    assert str(found["hardware.accelerator"].span) == "paste:7"
    assert found["hardware.accelerator"].quote == "8x GB200 here"
    assert found["hardware.arch"].why


@pytest.mark.parametrize("text", ["fast ones", "", "TP=2"])
def test_strict_refuses_what_names_no_hardware(text):
    with pytest.raises(UsageError) as error:
        read_hardware(text, artifact="--hardware", strict=True)
    assert error.value.where == "--hardware"


def test_every_product_is_read_from_its_example():
    vendors = {"nvidia", "amd", "ascend", "cambricon", "intel", "google"}
    for product in PRODUCTS:
        values = {fact.value for fact in read_hardware(product.example, artifact="x")}
        assert product.vendor in values & vendors, product.example


def test_every_fact_is_declared_and_asks():
    assert [kind.name for kind in FACTS] == [
        f"hardware.{one}" for one in ("accelerator", "vendor", "count", "nodes", "arch", "capability", "os")
    ]
    assert all(kind.question.endswith("?") for kind in FACTS)


@pytest.mark.parametrize("odd", ["", "\n\n", "x" * 5000, "\x00\ud800", "9" * 400 + "x H100", "GPU" * 2000])
def test_odd_text_is_no_error(odd):
    assert all(fact.value for fact in read_hardware(odd, artifact="x"))


@pytest.mark.parametrize(
    "said", ["hangs on RTX 4090 machines", "on 4090 machines it hangs", "this CUDA 13 machine", "Python 3 machine"]
)
def test_a_number_of_something_else_is_no_number_of_machines(said: str) -> None:
    assert not [one for one in read_hardware(said, artifact="x") if one.name == "hardware.nodes"]
