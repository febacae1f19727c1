"""xLLM's sources at a tag -> the flags gflags itself registers for them, once per kind of device xLLM is built for.

xLLM is on no package index and its server needs the vendors' toolchains, so the server cannot be run. What can be: the
part of each source file that defines flags (everything above its first `namespace xllm`, includes of other parts of
xLLM left out) is compiled with g++ against the real gflags library, and the program asked which flags it has.

Needs g++ and gflags' headers (Debian: libgflags-dev) and a clone of https://github.com/xLLM-AI/xllm.
"""

from __future__ import annotations

import re
import tempfile
from pathlib import Path
from typing import Any

from tests.parsers_dump.environments import ran

MACROS = "DEFINE_(bool|int32|int64|uint32|uint64|double|string)"
TYPES = {"bool": "bool", "string": "str", "double": "float"}
PREAMBLE = "#include <gflags/gflags.h>\n#include <cstdint>\n#include <limits>\n#define BRPC_VALIDATE_GFLAG(...)\n"
MAKES = {
    "int": {"7": "int", "1.5": "error", "true": "error", "text": "error", "{}": "error"},
    "float": {"7": "float", "1.5": "float", "true": "error", "text": "error", "{}": "error"},
    "str": dict.fromkeys(("7", "1.5", "true", "text", "{}"), "str"),
    "bool": {"7": "error", "1.5": "error", "true": "bool", "text": "error", "{}": "error"},
}


def dumped(clone: Path, version: str) -> dict[str, Any]:
    """The flags of a tag (or of the clone's HEAD, `main`), as `dump.py` gives those of the other engines.

    A default that differs by device is given as {"<device>": ...}, the flag's defaults by device.
    """
    ref = "HEAD" if version == "main" else f"v{version}"
    git = ["git", "-C", str(clone)]
    listed = ran([*git, "grep", "-lE", f"^ *{MACROS}\\(", ref, "--", "xllm/*.cpp", "xllm/*.cc"]).split()
    texts = [ran([*git, "show", name]) for name in listed if "test" not in name]
    devices = sorted({found for text in texts for found in re.findall(r"\bUSE_[A-Z0-9_]+", above(text))})
    by_device = {device: registered(texts, device) for device in ["", *devices]}
    names = sorted({name for found in by_device.values() for name in found})
    return {
        "flags": [argument(name, by_device) for name in names],
        "complete": True,
        "variables": None,
        "stand_ins": [],
    }


def registered(texts: list[str], device: str) -> dict[str, tuple[str, str, str]]:
    """Name -> type, default and "no" if it can be turned off, as a program with these sources has them."""
    with tempfile.TemporaryDirectory() as folder:
        sources = [Path(folder, f"{number}.cpp") for number in range(len(texts))]
        for source, text in zip(sources, texts, strict=True):
            source.write_text(PREAMBLE + above(text))
        program = Path(folder, "flags")
        options = [f"-D{device}"] if device else []
        main = Path(__file__).with_suffix(".cpp")
        ran(["g++", "-std=c++20", "-O0", *options, str(main), *map(str, sources), "-o", str(program), "-lgflags"])
        rows = [line.split("\t") for line in ran([str(program)]).splitlines()]
    return {name: (kind, default, off) for name, kind, default, off in rows}


def above(text: str) -> str:
    """The part of a source file that defines flags, its includes left out."""
    head = re.split(r"^namespace xllm", text, maxsplit=1, flags=re.MULTILINE)[0]
    return re.sub(r'^#include ["<].*$', "", head, flags=re.MULTILINE)


def argument(name: str, by_device: dict[str, dict[str, tuple[str, str, str]]]) -> dict[str, Any]:
    """One flag in the form of `dump.py`."""
    held = {device or "other": found[name] for device, found in by_device.items() if name in found}
    kind, _, off = next(iter(held.values()))
    type_name = TYPES.get(kind, "int")
    defaults = {device: value_of(type_name, default) for device, (_, default, _) in held.items()}
    distinct = {repr(value) for value in defaults.values()}
    return {
        "spellings": [f"--{name}", *([f"--no{name}"] if off else [])],
        "action": "gflags",
        "paired": type_name == "bool",
        "nargs": None,
        "type": kind,
        "makes": MAKES[type_name],
        "choices": None,
        "default": next(iter(defaults.values())) if len(distinct) == 1 else {"<device>": defaults},
        "deprecated": False,
    }


def value_of(type_name: str, text: str) -> Any:
    """A default as gflags prints it, as a value."""
    if type_name == "bool":
        return text == "true"
    return {"int": int, "float": float, "str": str}[type_name](text)
