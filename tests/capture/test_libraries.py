"""Libraries and packages of a process: out of its map and its files, within bounds."""

from __future__ import annotations

import os
from pathlib import Path

from advisor.capture.libraries import mapped, nccl_files, nccl_version, packages

MAP = """7f8b5d000000-7f8b5d200000 r--p 00000000 08:01 12                         /opt/v/nccl/lib/libnccl.so.2
7f8b5d200000-7f8b5d400000 r-xp 00200000 08:01 12                         /opt/v/nccl/lib/libnccl.so.2
7f8b5e000000-7f8b5e200000 r-xp 00000000 08:01 13                         /usr/lib/libcuda.so.580.159.04
7f8b5f000000-7f8b5f200000 r-xp 00000000 08:01 14                         /usr/lib/libnccl.so.2 (deleted)
7f8b60000000-7f8b60200000 r-xp 00000000 08:01 15                         /usr/lib/libc.so.6
"""


def test_only_libraries_that_matter_are_kept_as_the_kernel_prints_them() -> None:
    assert mapped(MAP) == MAP.splitlines()[:4]


def test_a_file_that_was_replaced_is_not_read_for_its_version() -> None:
    assert nccl_files(mapped(MAP)) == ["/opt/v/nccl/lib/libnccl.so.2"]


def test_the_version_is_found_inside_the_file_also_across_chunks(tmp_path: Path) -> None:
    library = tmp_path / "libnccl.so.2"
    library.write_bytes(b"\x7fELF" + bytes((8 << 20) - 14) + b"NCCL version 2.28.9+cuda13.0\0" + bytes(100))
    assert nccl_version(os.getpid(), str(library), 5) == "NCCL version 2.28.9+cuda13.0"
    assert nccl_version(os.getpid(), str(library), 0) == ""
    assert nccl_version(os.getpid(), str(tmp_path / "none"), 5) == ""


def test_packages_are_those_the_process_was_started_from(tmp_path: Path) -> None:
    site = tmp_path / "lib" / "python3.12" / "site-packages"
    for name in ("torch-2.9.1+cu128", "flashinfer_python-0.4.0"):
        (site / f"{name}.dist-info").mkdir(parents=True)
    line = f"7f8b5d000000-7f8b5d200000 r-xp 00000000 08:01 12 {site}/torch/lib/libtorch.so\n"
    told = ["flashinfer-python==0.4.0", "torch==2.9.1+cu128"]
    assert packages(os.getpid(), line, (), {}) == told
    assert packages(os.getpid(), "", (f"{tmp_path}/bin/python",), {}) == told
    assert packages(os.getpid(), "", ("python3",), {"VIRTUAL_ENV": str(tmp_path)}) == told
