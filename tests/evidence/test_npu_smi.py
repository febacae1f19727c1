"""`npu-smi info` and `rocm-smi`."""

from advisor.evidence import npu_smi, rocm_smi
from tests.evidence.readings import assert_linear, assert_no_symptom, assert_unknown, given_text, hold_up, names, told

EDGE = "+===========================+===============+====================================================+\n"
A2 = (
    "| npu-smi 24.1.rc3             Version: 24.1.rc3                                                  |\n"
    "| NPU   Name                | Health        | Power(W)    Temp(C)           Hugepages-Usage(page)|\n"
    "| Chip                      | Bus-Id        | AICore(%)   Memory-Usage(MB)  HBM-Usage(MB)        |\n"
    + EDGE
    + "| 0     910B3               | OK            | 98.4        50                0    / 0             |\n"
    "| 0                         | 0000:C1:00.0  | 100         0    / 0          57784/ 65536         |\n"
    + EDGE
    + "| 1     910B3               | OK            | 96.5        53                0    / 0             |\n"
    "| 0                         | 0000:01:00.0  | 0           0    / 0          57831/ 65536         |\n"
)
A3 = (
    "| npu-smi 26.0.rc2                            Version: 26.0.rc2                                                    |\n"
    "| NPU   Name                | Health        | Power(W)             Temp(C)                 Hugepages-Usage(page)   |\n"
    "| Chip  Phy-ID              | Bus-Id        | AICore(%)            Memory-Usage(MB)        HBM-Usage(MB)           |\n"
    "| 0     Ascend910           | OK            | 162.6                34                      0    / 0                |\n"
    "| 0     0                   | 0000:9D:00.0  | 0                    0    / 0                3419 / 65536            |\n"
    "| 0     Ascend910           | Warning       | -                    34                      0    / 0                |\n"
    "| 1     1                   | 0000:9F:00.0  | 7                    0    / 0                2874 / 65536            |\n"
    "| NPU     Chip              | Process id    | Process name       | Process memory(MB)    | Process id in container |\n"
    "| 0       1                 | 632268        | python3.1          | 197                   | NA                      |\n"
    "| No running processes found in NPU 1                                                                              |\n"
)
ROCM = """\
============================================ ROCm System Management Interface ============================================
Device  Node  IDs              Temp        Power     Partitions          SCLK     MCLK    Fan  Perf  PwrCap  VRAM%  GPU%  
              (DID,     GUID)  (Junction)  (Socket)  (Mem, Compute, ID)                                                  
==========================================================================================================================
0       1     0x74b5,   21947  39.0°C      170.0W    NPS1, SPX, 0        2105Mhz  900Mhz  0%   auto  750.0W  95%    100%  
1       2     0x74b5,   21948  39.0°C      180.0W    NPS1, SPX, 0        2105Mhz  900Mhz  0%   auto  750.0W  95%    0%    
================================================== End of ROCm SMI Log ===================================================
"""
ROCM_OLD = """\
========================ROCm System Management Interface========================
GPU  Temp   AvgPwr  SCLK    MCLK    Fan     Perf  PwrCap  VRAM%  GPU%
1    24.0c  3.0W    852Mhz  167Mhz  13.73%  auto  170.0W  N/A    0%
"""


def npu(text):
    return npu_smi.read(given_text(text))


def rocm(text):
    return rocm_smi.read(given_text(text))


def test_a_chip_on_each_npu():
    found = npu(A2)
    assert [(one.rank, one.percent, one.power_w, one.memory_mib) for one in found.loads] == [
        ("0", 100, 98.4, 57784),
        ("1", 0, 96.5, 57831),
    ]
    assert told(found, "hardware.count") == [2] and told(found, "hardware.vendor") == ["ascend"]
    assert told(found, "symptom.rank_busy") == told(found, "symptom.rank_idle") == [True]
    assert told(found, "device.spin") == []  # no limit is printed


def test_two_chips_on_an_npu():
    found = npu(A3)
    assert [(one.rank, one.percent, one.power_w) for one in found.loads] == [("0", 0, 162.6), ("1", 7, None)]
    assert told(found, "hardware.accelerator") == ["Ascend910"] and told(found, "hardware.count") == [2]
    assert [note.kind for note in found.notes] == ["hint"]  # the health of one
    assert_no_symptom(found)


def test_chips_at_rest_are_not_idle_ranks():
    assert_no_symptom(npu(A2.replace("57831", " 3368")))
    assert_no_symptom(npu(A2.replace("| 100  ", "| 0    ")))


def test_twice():
    assert len(npu(A2 + A2).loads) == 4 and "symptom.rank_idle" in names(npu(A2 + A2))
    assert_no_symptom(npu(A2.replace("| 100  ", "| 40   ") + A2))


def test_a_table_without_rows_is_said_to_be_unknown():
    assert_unknown(npu("| npu-smi 24.1.rc3             Version: 24.1.rc3     |\n| 0  "))
    assert not npu_smi.mine("npu-smi info shows nothing odd\n")


def test_rocm():
    found = rocm(ROCM)
    assert [(one.rank, one.percent, one.power_w, one.limit_w) for one in found.loads] == [
        ("0", 100, 170, 750),
        ("1", 0, 180, 750),
    ]
    assert told(found, "symptom.rank_busy") == [True] and told(found, "device.spin") == [True]
    assert told(found, "hardware.vendor") == ["amd"] and told(found, "hardware.count") == [2]
    assert_no_symptom(rocm(ROCM.replace("95%    0%", "0%     0%")))


def test_an_old_rocm():
    found = rocm(ROCM_OLD)
    assert [(one.rank, one.percent, one.limit_w) for one in found.loads] == [("1", 0, 170)]
    assert_no_symptom(found)
    named = rocm("===== ROCm System Management Interface =====\nGPU[0]\t\t: Card Series: \t\tAMD Instinct MI300X OAM\n")
    assert told(named, "hardware.accelerator") == ["MI300X"]
    assert_unknown(rocm("===== ROCm System Management Interface =====\n"))


def test_mangled():
    hold_up(npu_smi.read, npu_smi.mine, A2, A3)
    hold_up(rocm_smi.read, rocm_smi.mine, ROCM, ROCM_OLD)


def test_hostile_length():
    assert_linear(npu_smi.read, "| 0     910B3               | OK            | ", "| npu-smi ")
    assert_linear(rocm_smi.read, "Device PwrCap ", "0 1 5W ", ROCM)
