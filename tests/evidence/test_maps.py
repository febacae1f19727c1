"""Which libraries processes really map."""

import pytest

from advisor.evidence import maps
from tests.evidence.readings import assert_linear, given_text, hold_up, names, told
from tests.evidence.situations import DATA

VENV = "/opt/venv/lib/python3.12/site-packages/nvidia/nccl/lib/libnccl.so.2"
SYSTEM = "/usr/lib/x86_64-linux-gnu/libnccl.so.2.27.3"
RANGE = "7f8b5d000000-7f8b5d200000 r-xp 00000000 08:01 12 {}\n"
LSOF = f"COMMAND PID USER FD TYPE DEVICE SIZE/OFF NODE NAME\npython3 946 root mem REG 259,1 1234567 5678 {VENV}\npython3 947 root mem REG 259,1 1234567 5679 {SYSTEM}\n"
LDD = f"\tlinux-vdso.so.1 (0x00007ffc)\n\tlibnccl.so.2 => {SYSTEM} (0x00007f8b5d000000)\n"
LS = f"-rwxr-xr-x 1 root root 238470424 Nov 29 13:00 {VENV}\nlrwxrwxrwx 1 root root 17 Nov 29 13:00 libnccl.so.2 -> {SYSTEM}\n 5678 -rwxr-xr-x 1 root root 1 Nov 29 13:00 {SYSTEM}\n"


def read(text, rank=None):
    return maps.read(given_text(text, rank=rank))


def test_a_map_and_a_bare_list():
    assert told(read(RANGE.format(VENV)), "maps.nccl") == [VENV]
    found = read((DATA / "tp_divergence" / "maps_rank1.txt").read_text(), rank="1")
    assert told(found, "maps.nccl") == [VENV] and told(found, "component.driver") == ["580.159.04"]
    assert {fact.rank for fact in found.facts if fact.name == "maps.nccl"} == {"1"}


def test_a_version_only_from_a_path_that_bears_it():
    assert told(read(RANGE.format(VENV)), "component.nccl") == []
    assert told(read(RANGE.format(SYSTEM)), "component.nccl") == ["2.27.3"]


def test_other_libraries():
    text = (
        RANGE.format("/usr/local/Ascend/lib64/libhccl.so")
        + RANGE.format("/usr/local/cuda/lib64/libcudart.so.13")
        + RANGE.format("/opt/rocm/lib/librccl.so.1")
    )
    found = read(text)
    assert (told(found, "maps.hccl"), told(found, "maps.cudart"), told(found, "maps.nccl")) == (
        ["/usr/local/Ascend/lib64/libhccl.so"],
        ["/usr/local/cuda/lib64/libcudart.so.13"],
        ["/opt/rocm/lib/librccl.so.1"],
    )


@pytest.mark.parametrize(
    "text",
    [
        f"/proc/946/maps:{RANGE.format(VENV)}/proc/947/maps:{RANGE.format(SYSTEM)}",
        f"==> /proc/946/maps <==\n{RANGE.format(VENV)}\n==> /proc/947/maps <==\n{RANGE.format(SYSTEM)}",
        f"/proc/946/maps:{VENV}\n/proc/947/maps:{SYSTEM}\n",
        LSOF,
    ],
)
def test_two_processes_in_one_text(text):
    assert maps.mine(text)
    assert told(read(text), "maps.differs") == [True]
    assert told(read(text.replace(SYSTEM, VENV)), "maps.differs") == [False]


def test_two_ranks_in_two_files():
    first, second = read(RANGE.format(VENV), rank="0"), read(RANGE.format(SYSTEM), rank="1")
    assert "maps.differs" not in names(first)
    (found,) = maps.across([*first.facts, *second.facts])
    assert found.value is True and VENV in found.why and SYSTEM in found.why and found.span is not None
    (same,) = maps.across([*first.facts, *(fact.but(rank="1") for fact in first.facts)])
    assert same.value is False
    assert maps.across(first.facts) == ()


def test_what_a_loader_would_do_is_not_what_a_process_did():
    found = read(LDD)
    assert [fact.origin for fact in found.facts if fact.name == "maps.nccl"] == ["derived"]


@pytest.mark.parametrize(
    "text", [LS, f"we set LD_PRELOAD={VENV}\n", f"ls {VENV}\n", "", "libnccl.so.2\n", f"find: {VENV}: No such file\n"]
)
def test_what_only_names_a_file_maps_nothing(text):
    assert read(text).facts == ()


def test_a_list_of_several_does_not_say_who_maps_which():
    found = read(f"{VENV}\n{SYSTEM}\n")
    assert "maps.differs" not in names(found) and [note.kind for note in found.notes] == ["hint"]


def test_a_file_replaced_under_a_process():
    found = read(RANGE.format(VENV + " (deleted)"))
    assert told(found, "maps.nccl") == [VENV] and "replaced on disk" in found.notes[0].text


def test_mangled():
    hold_up(maps.read, maps.mine, RANGE.format(VENV) * 2, LSOF, LDD, LS)


def test_hostile_length():
    assert_linear(
        maps.read,
        "/lib",
        "/libnccl.so",
        "a REG /lib",
        "7f8b5d000000-7f8b5d200000 r-xp ",
        "python3 946 root mem REG 259,1 1 ",
    )
