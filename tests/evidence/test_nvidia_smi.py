"""`nvidia-smi` in its forms."""

import pytest

from advisor.evidence import nvidia_smi
from advisor.evidence.devices import Reading
from advisor.evidence.recognition import kind_of
from advisor.model.fact import Artifact
from tests.evidence.readings import (
    assert_linear,
    assert_no_symptom,
    assert_unknown,
    given_text,
    hold_up,
    names,
    told,
    why,
)
from tests.evidence.situations import DATA, HEALTHY

TABLE = (DATA / "tp_divergence" / "nvidia-smi.txt").read_text()
QUERY = (DATA / "tp_divergence" / "nvidia-smi-q.txt").read_text()
DMON = (DATA / "tp_divergence" / "dmon.txt").read_text()
IDLE = (HEALTHY / "capture-nvidia-smi-idle.txt").read_text()
CSV = """\
index, name, utilization.gpu [%], power.draw [W], power.limit [W], memory.used [MiB], driver_version
0, NVIDIA H200, 100 %, 121.98 W, 700.00 W, 1951 MiB, 580.159.04
1, NVIDIA H200, 0 %, 123.48 W, 700.00 W, 1951 MiB, 580.159.04
"""
OLD = """\
+-----------------------------------------------------------------------------+
| NVIDIA-SMI 470.82.01    Driver Version: 470.82.01    CUDA Version: 11.4     |
|-------------------------------+----------------------+----------------------+
| GPU  Name        Persistence-M| Bus-Id        Disp.A | Volatile Uncorr. ECC |
| Fan  Temp  Perf  Pwr:Usage/Cap|         Memory-Usage | GPU-Util  Compute M. |
|===============================+======================+======================|
|   0  Tesla V100-SXM2...  Off  | 00000000:00:1E.0 Off |                    0 |
| N/A   52C    P0   249W / 300W |  15360MiB / 16160MiB |     97%      Default |
|   1  Tesla V100-SXM2...  Off  | 00000000:00:1F.0 Off |                    0 |
| N/A   52C    P0   N/A /  N/A  |  15360MiB / 16160MiB |    ERR!      Default |
+-------------------------------+----------------------+----------------------+
"""


def loads(text):
    return [(one.rank, one.percent, one.power_w, one.limit_w, one.memory_mib) for one in read(text).loads]


def read(text):
    return nvidia_smi.read(given_text(text))


def test_the_table():
    assert loads(TABLE) == [("0", 100, 127, 700, 1659), ("1", 0, 122, 700, 1659)]
    assert told(read(TABLE), "symptom.rank_busy") == told(read(TABLE), "symptom.rank_idle") == [True]


def test_the_query():
    assert [(one[0], one[1], one[3]) for one in loads(QUERY)] == [("0", 100, 700), ("1", 0, 700)]
    assert told(read(QUERY), "hardware.count") == [2] and "symptom.rank_busy" in names(read(QUERY))


def test_dmon_has_loads_alone():
    assert loads(DMON)[:2] == [("0", 100, 127, None, None), ("1", 0, 122, None, None)] and len(loads(DMON)) == 6
    assert_no_symptom(read(DMON))
    dated = "#Date       Time        gpu    pwr     sm\n#YYYYMMDD   HH:MM:SS    Idx      W      %\n 20261129   13:00:01      3    121      -\n"
    assert loads(dated) == [("3", None, 121, None, None)]


def test_a_csv_with_its_header():
    assert loads(CSV) == [("0", 100, 121.98, 700, 1951), ("1", 0, 123.48, 700, 1951)]
    found = read(CSV)
    assert told(found, "hardware.accelerator") == ["H200"] and told(found, "hardware.count") == [2]
    assert told(found, "device.spin") == [True] and "symptom.rank_idle" in names(found)


@pytest.mark.parametrize(
    "row, spins",
    [
        ("99 %, 49 %, 313.17 W, 700.00 W", [False]),  # decoding with a hidden size of 4096
        ("100 %, 28 %, 233.30 W, 700.00 W", [False]),  # of 2048
        ("99 %, 7 %, 153.34 W, 700.00 W", [False]),  # of 1024
        ("99 %, 24 %, 690.07 W, 700.00 W", [False]),  # large matrix products
        ("100 %, 0 %, 121.68 W, 700.00 W", [True]),  # a kernel that waits
        ("100 %, 0 %, 118.00 W, 400.00 W", [True]),
        ("100 %, 3 %, 121.68 W, 700.00 W", []),
        ("60 %, 61 %, 148.69 W, 700.00 W", []),  # not busy
    ],
)
def test_spinning_as_measured(row, spins):
    head = "index, utilization.gpu [%], utilization.memory [%], power.draw [W], power.limit [W]\n"
    assert told(read(head + "0, " + row + "\n"), "device.spin") == spins


def test_a_small_model_decodes_at_a_third_of_the_limit():
    """The table does not show how busy the memory is."""
    assert told(read(TABLE.replace("127W", "233W")), "device.spin") == []


def test_dmon_that_shows_whose_memory_is_in_use():
    text = "# gpu    pwr     sm    mem     fb\n# Idx      W      %      %     MB\n    0    123    100      0   9000\n    1    123      0      0   9000\n"
    assert "symptom.rank_idle" in names(read(text))


def test_pmon_is_by_process():
    text = "# gpu         pid   type     sm    mem    command \n# Idx           #    C/G      %      %    name \n    0        946     C     99      0    python3\n"
    assert not nvidia_smi.mine(text) and read(text).loads == ()


def test_a_csv_without_units_or_index():
    text = "utilization.gpu [%], power.draw [W]\n100, 650.1\n3, [Not Supported]\n"
    assert loads(text) == [("0", 100, 650.1, None, None), ("1", 3, None, None, None)]
    placed = "pci.bus_id, utilization.gpu [%]\n00000000:00:06.0, 5 %\n00000000:00:07.0, 6 %\n00000000:00:06.0, 7 %\n"
    assert [one[0] for one in loads(placed)] == ["0", "1", "0"]
    looped = "timestamp, utilization.gpu [%]\n2026/11/29 13:00:01.100, 5 %\n2026/11/29 13:00:01.101, 6 %\n2026/11/29 13:00:02.100, 7 %\n2026/11/29 13:00:02.101, 8 %\n"
    assert [one[0] for one in loads(looped)] == ["0", "1", "0", "1"]


def test_a_csv_without_its_header_is_said_to_be_unknown():
    assert nvidia_smi.mine("0, NVIDIA H200, 100 %, 121.98 W\n")
    assert_unknown(read("0, NVIDIA H200, 100 %, 121.98 W\n"))


def test_the_list():
    text = "GPU 0: NVIDIA H100 80GB HBM3 (UUID: GPU-0a)\n  MIG 1g.10gb     Device  0: (UUID: MIG-1)\nGPU 1: NVIDIA H100 80GB HBM3 (UUID: GPU-0b)\n"
    found = read(text)
    assert told(found, "hardware.accelerator") == ["H100"] and told(found, "hardware.count") == [2]
    assert found.notes == () and found.loads == ()


def test_an_old_table_and_what_it_does_not_show():
    assert loads(OLD) == [("0", 97, 249, 300, 15360), ("1", None, None, None, 15360)]
    found = read(OLD)
    assert told(found, "hardware.accelerator") == ["V100"] and told(found, "component.driver") == ["470.82.01"]
    assert told(found, "device.spin") == [False] and [note.kind for note in found.notes] == ["hint"]


def test_power_says_whether_a_busy_gpu_computes():
    assert told(read(TABLE), "device.spin") == [True]
    assert "127 W of 700 W (18% of its limit)" in why(read(TABLE), "device.spin")
    assert told(read(TABLE.replace("127W", "540W")), "device.spin") == [False]
    assert told(read(TABLE.replace("127W", "290W")), "device.spin") == []  # neither plainly the one nor the other
    assert told(read(TABLE.replace("127W /  700W", "N/A /  N/A ")), "device.spin") == []
    assert told(read(IDLE), "device.spin") == []


@pytest.mark.parametrize("second", ["|      0%      ", "|     60%      "])
def test_over_and_over(second):
    """Repeated captures: what does not last is not seen."""
    moving = TABLE.replace("|    100%      ", second)
    assert len(loads(moving + TABLE)) == 4
    assert_no_symptom(read(moving + "\n" + TABLE))
    assert "symptom.rank_busy" in names(read(moving + TABLE + TABLE))


def test_many_captures_are_cut_and_that_is_said():
    found = read("# gpu    sm\n# Idx     %\n" + "    0     7\n" * 1000)
    assert len(found.loads) == 200 and [note.kind for note in found.notes] == ["limit"]


def test_processes_name_the_rank():
    named = TABLE.replace(
        "python3                                1650MiB", "VLLM::Worker_TP{}                       1650MiB"
    )
    first, _, rest = named.partition("TP{}")
    text = first + "TP1" + rest.replace("TP{}", "TP0")
    assert "Worker_TP1" in text and "Worker_TP0" in text
    assert [one[0] for one in loads(text)] == ["TP1", "TP0"]


def test_mig_devices_are_not_gpus():
    mig = "| MIG devices:                                                                            |\n|  1    3   0   0  |  14366MiB / 19968MiB | 28      0 |  2   0    1    0    0 |\n"
    assert loads(TABLE.partition("| Processes")[0] + mig) == loads(TABLE)


@pytest.mark.parametrize(
    "text",
    [
        "NVIDIA-SMI has failed because it couldn't communicate with the NVIDIA driver.\n",
        "Failed to initialize NVML: Driver/library version mismatch\n",
    ],
)
def test_a_failure_of_the_tool_is_said(text):
    assert nvidia_smi.mine(text) and [note.kind for note in read(text).notes] == ["hint"]


@pytest.mark.parametrize(
    "text", ["", "GPU 0 hangs at 100 %\n", "we ran nvidia-smi and saw 0%\n", "-rw-r--r-- 1 root nvidia-smi.txt\n"]
)
def test_not_its_text(text):
    assert not nvidia_smi.mine(text)


def test_a_table_cut_short():
    assert_unknown(read("| NVIDIA-SMI \n|   0"))


def test_mangled():
    hold_up(nvidia_smi.read, nvidia_smi.mine, TABLE, QUERY, DMON, CSV, OLD)


def test_hostile_length():
    assert_linear(
        nvidia_smi.read,
        "| NVIDIA-SMI ",
        "|   0  A  |",
        "a, utilization.gpu, ",
        "NVSMI LOG\nGPU 00000000:00:06.0\n",
        "# gpu ",
    )


def test_the_topology_is_known_and_says_nothing():
    text = (DATA / "two_ranks_wedged" / "nvidia-smi.topo.txt").read_text()
    assert kind_of(text) == "machine"
    assert nvidia_smi.read(Artifact("topo", "machine", text)) == Reading()
