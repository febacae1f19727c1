"""Readings of the machine."""

from advisor.evidence import machine
from tests.evidence.readings import assert_unknown, given_text, hold_up, names
from tests.evidence.situations import HEALTHY, assert_quiet, captured, handed, notable, symptoms, values


def test_a_gpu_that_spins_beside_one_that_idles():
    for name in ("nvidia-smi.txt", "nvidia-smi-q.txt"):
        assert notable(captured(f"tp_divergence/{name}")) == {"symptom.rank_busy", "symptom.rank_idle"}


def test_gpus_at_rest_are_not_idle_ranks():
    assert_quiet(handed((HEALTHY / "capture-nvidia-smi-idle.txt").read_bytes(), "nvidia-smi.txt"))


def test_one_gpu_in_use_beside_an_empty_one():
    text = (captured("tp_divergence/nvidia-smi.txt")[0].artifact.text).replace(
        "1659MiB / 143771MiB |      0%", "   0MiB / 143771MiB |      0%"
    )
    assert "0MiB / 143771MiB |      0%" in text
    assert symptoms(handed(text, "nvidia-smi.txt")) == set()


def test_all_gpus_busy():
    text = captured("tp_divergence/nvidia-smi.txt")[0].artifact.text.replace("|      0%", "|    100%")
    assert symptoms(handed(text, "nvidia-smi.txt")) == set()


def test_dmon_does_not_say_whose_memory_is_in_use():
    assert captured("tp_divergence/dmon.txt")[0].artifact.kind == "machine"
    assert_quiet(captured("tp_divergence/dmon.txt"))


def test_names_and_versions():
    found = captured("tp_divergence/nvidia-smi.txt")
    assert values(found, "hardware.accelerator") == ["H200"]
    assert values(found, "hardware.count") == [2]
    assert values(found, "component.driver") == ["580.159.04"]
    assert values(found, "hardware.vendor") == ["nvidia"] and values(found, "hardware.arch") == []
    listed = handed(
        "GPU 0: NVIDIA GeForce RTX 3090 (UUID: GPU-0a)\nGPU 1: NVIDIA A100-SXM4-80GB (UUID: GPU-0b)\n", "gpus.txt"
    )
    assert values(listed, "hardware.accelerator") == ["RTX 3090", "A100"]


def test_one_card_says_its_hosts_architecture_and_no_number():
    found = handed("GPU 0: NVIDIA GB10 (UUID: GPU-0a)\n", "gpus.txt")
    assert values(found, "hardware.accelerator") == ["GB10"] and values(found, "hardware.arch") == ["aarch64"]
    assert values(found, "hardware.count") == []
    assert {fact.origin for one in found for fact in one.facts if fact.name == "hardware.arch"} == {"derived"}


def test_npu_smi():
    text = "| npu-smi 24.1.rc3             Version: 24.1.rc3 |\n| 0     910B3               | OK            | 95.3        40                0    / 0             |\n| 1     910B3               | OK            | 93.1        41                0    / 0             |\n"
    found = handed(text, "npu.txt")
    assert (
        values(found, "hardware.accelerator"),
        values(found, "hardware.vendor"),
        values(found, "hardware.count"),
    ) == (["910B3"], ["ascend"], [2])


def test_maps_claim_a_version_only_from_a_path_that_bears_one():
    found = captured("tp_divergence/maps_rank1.txt")
    assert values(found, "maps.nccl") == ["/opt/venv/lib/python3.12/site-packages/nvidia/nccl/lib/libnccl.so.2"]
    assert values(found, "component.nccl") == []
    full = handed(
        "7f8b5d000000-7f8b5d200000 r-xp 00000000 08:01 12 /usr/lib/x86_64-linux-gnu/libnccl.so.2.27.3\n", "maps.txt"
    )
    assert values(full, "component.nccl") == ["2.27.3"]


def test_ras_names_the_operation_that_differs():
    found = captured("tp_divergence/nccl_ras.txt")
    assert values(found, "ras.mismatch") == ["AllGather"] and values(found, "component.nccl") == ["2.28.9"]
    assert symptoms(found) == set()


def test_several_tools_in_one_text():
    text = (
        captured("tp_divergence/nvidia-smi.txt")[0].artifact.text
        + captured("tp_divergence/nccl_ras.txt")[0].artifact.text
    )
    found = machine.reading(given_text(text))
    assert {"symptom.rank_busy", "ras.mismatch", "device.spin"} <= names(found)
    assert len(found.loads) == 2 and len(found.statuses) == 2


def test_a_text_that_none_knows_is_said_to_be_unknown():
    assert_unknown(machine.reading(given_text("free -h\nMem: 503Gi\n")))
    assert machine.reading(given_text(" \n")).notes == ()


def test_across_files():
    first, second = (captured(f"tp_divergence/maps_rank{rank}.txt")[0] for rank in (0, 1))
    together = machine.across([first.artifact, second.artifact], [*first.facts, *second.facts])
    assert [(fact.name, fact.value) for fact in together] == [("maps.differs", False)]


def test_mangled():
    hold_up(
        machine.reading,
        machine.mine,
        *(
            captured(f"tp_divergence/{name}")[0].artifact.text
            for name in ("nccl_ras.txt", "maps_rank0.txt", "dmon.txt")
        ),
    )
