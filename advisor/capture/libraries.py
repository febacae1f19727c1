"""A process's own files -> the packages it was started from and the communication libraries that it has mapped.

    torch==2.13.0                                                             a name of a .dist-info folder
    7f8b5d000000-7f8b5d200000 r-xp 00000000 08:01 12 /opt/…/libnccl.so.2      a line of /proc/PID/maps
    /opt/…/libnccl.so.2: NCCL version 2.28.9+cuda13.0                         a text inside that file

Files are reached through /proc/PID/root, so that those of a container are read and not ours of the same name. Nothing
is imported or run. **Source:** NCCL 2.28 `src/init.cc` (`VERSION_STRING`); PEP 376 and 627 (names of .dist-info).
"""

from __future__ import annotations

import os
import re
import time
from collections.abc import Iterator, Mapping
from functools import partial

from advisor.capture.bounded import within
from advisor.capture.files import opened, text

MAX_MAPS = 32 << 20
MAP_S = 3.0
MAX_LIBRARY = 1 << 30
_LIBRARY = re.compile(r"/lib(?:nccl|rccl|hccl|cudart|cuda|nvshmem|mscclpp|gloo)[\w.-]*\.so[\d.]*(?: \(deleted\))?$")
_VERSIONED = re.compile(r"/lib(?:nccl|rccl)\.so")
_SITE = re.compile(r"^[^/\n]*+(/[^\n]*?/(?:site|dist)-packages)/", re.M)  # one of a line
_DIST = re.compile(r"([A-Za-z0-9][\w.]*)-(\d[\w.+!]*)\.dist-info$")
_NCCL = re.compile(rb"NCCL version \d+\.\d+\.\d+[\w.+]*")
MAX_PACKAGES = 3_000
_CHUNK = 8 << 20


def maps(pid: int) -> str:
    """The memory map of a process; "" when it may not be read."""
    return within(MAP_S, partial(text, f"/proc/{pid}/maps", MAX_MAPS), "")


def mapped(map_text: str) -> list[str]:
    """The lines of a map that name a library of communication or of CUDA, each file once for each way it is mapped."""
    found: dict[tuple[str, str], str] = {}
    for line in map_text.splitlines():
        if "/lib" in line and _LIBRARY.search(line):
            words = line.split(None, 5)
            found.setdefault((words[-1], words[1]), line)
    return list(found.values())


def nccl_files(lines: list[str]) -> list[str]:
    """The NCCL and RCCL files among such lines, that are still on disk."""
    paths = {line.split(None, 5)[-1] for line in lines}
    return sorted(path for path in paths if _VERSIONED.search(path) and not path.endswith(" (deleted)"))


def nccl_version(pid: int, path: str, bound_s: float) -> str:
    """`NCCL version 2.28.9+cuda13.0` out of the library, read through the process's root; "" when it is not there."""
    deadline = time.monotonic() + bound_s
    try:
        with opened(f"/proc/{pid}/root{path}") as file:
            kept, read = b"", 0
            while read < MAX_LIBRARY and time.monotonic() < deadline and (chunk := os.read(file, _CHUNK)):
                found = _NCCL.search(kept + chunk)
                if found:
                    return found.group().decode("ascii")
                kept, read = chunk[-64:], read + len(chunk)
    except (OSError, ValueError):
        return ""
    return ""


def packages(pid: int, map_text: str, command: tuple[str, ...], environment: Mapping[str, str]) -> list[str]:
    """`name==version` of what a process was started from, in order of their names."""
    found: dict[str, str] = {}
    for folder in _site_packages(pid, map_text, command, environment):
        try:
            names = os.listdir(f"/proc/{pid}/root{folder}")
        except OSError:
            continue
        for name in names:
            if dist := _DIST.match(name):
                found.setdefault(dist[1].lower().replace("_", "-"), dist[2])
    return [f"{name}=={version}" for name, version in sorted(found.items())[:MAX_PACKAGES]]


def _site_packages(pid: int, map_text: str, command: tuple[str, ...], environment: Mapping[str, str]) -> Iterator[str]:
    """Where a process has its packages: whence it mapped modules, else beside its interpreter."""
    yield from dict.fromkeys(_SITE.findall(map_text))
    prefixes = [environment.get("VIRTUAL_ENV", "")]
    if command and command[0].startswith("/"):
        prefixes.append(os.path.dirname(os.path.dirname(command[0])))
    for prefix in dict.fromkeys(filter(None, prefixes)):
        for lib in ("lib", "lib64"):
            try:
                versions = os.listdir(f"/proc/{pid}/root{prefix}/{lib}")
            except OSError:
                continue
            for name in sorted(versions):
                if name.startswith("python3"):
                    yield f"{prefix}/{lib}/{name}/site-packages"
                    yield f"{prefix}/{lib}/{name}/dist-packages"
