"""What tests of launches share: a small engine made by hand, the real ones, and a vocabulary to say what a text yields."""

from __future__ import annotations

import json
from functools import cache
from pathlib import Path
from typing import Any

from advisor.launches.reading import Reading, read
from advisor.model.knowledge import Knowledge
from advisor.model.launch import Launch
from advisor.yaml import load

KNOWLEDGE = Path(__file__).parents[2] / "knowledge"
ENGINES = ("lmdeploy", "sglang", "vllm", "xllm")


def record(
    kind: str, type_: str | None = None, *, aliases: tuple[str, ...] = (), choices: Any = None
) -> list[dict[str, Any]]:
    return [{"since": "1.0", "until": None, "aliases": list(aliases), "kind": kind, "type": type_, "choices": choices}]


def small(style: str = "argparse") -> dict[str, Knowledge]:
    """One engine with a flag of every kind."""
    flags = {
        "--tensor-parallel-size": record("value", "int", aliases=("-tp",)),
        "--memory-fraction": record("value", "float"),
        "--cache-dtype": record("value", "str", choices=["fp8", "auto"]),
        "--eager": record("switch", "bool"),
        "--prefix-caching": record("pair", "bool"),
        "--spec-config": record("json", aliases=("-sc",)),
        "--hosts": record("list", "str"),
        "--model": record("value", "str"),
        "--node-rank": record("value", "int"),
    }
    if style == "gflags":
        flags = {"--" + name[2:].replace("-", "_"): one for name, one in flags.items()}
    profile = {
        "commands": [["small", "serve"]],
        "modules": ["small.server"],
        "images": ["small/small-openai"],
        "binaries": ["smallbin"],
        "model_flags": ["--model"],
        "flag_style": style,
    }
    known = Knowledge("small", profile=profile, settings=flags, settings_read=("1.0",), environment={"SMALL_MODE": []})
    return {"small": known}


@cache
def real() -> dict[str, Knowledge]:
    """The engines as knowledge/ has them."""
    found = {}
    for engine in ENGINES:
        told = json.loads((KNOWLEDGE / engine / "settings.json").read_text())
        profile = load((KNOWLEDGE / engine / "engine.yaml").read_text(), engine).value
        read_ = tuple(told["releases_read"])
        found[engine] = Knowledge(
            engine, profile=profile, settings=told["settings"], environment=told["environment"], settings_read=read_
        )
    return found


def reading(text: str, engine: str | None = None, **more: Any) -> Reading:
    return read(text, knowledge=more.pop("knowledge", real()), engine=engine, **more)


def only(text: str, engine: str | None = None, **more: Any) -> Launch:
    """The one launch a text makes."""
    found = reading(text, engine, **more).launches
    assert len(found) == 1, [one.settings for one in found]
    return found[0]


def said(launch: Launch) -> dict[str, Any]:
    """Flag to value."""
    return {one.flag: one.value for one in launch.settings}


def facts(text: str, engine: str | None = None) -> dict[str, Any]:
    return {one.name: one.value for one in reading(text, engine).facts}


def variables(launch: Launch) -> dict[str, str]:
    return {one.name: one.value for one in launch.environment}


def assert_places(launch: Launch) -> None:
    """Every setting typed in the text holds its flag there, and its span is the line it stands on."""
    for one in launch.settings:
        if one.start >= 0:
            assert launch.text[one.start : one.end].lstrip("'\"").startswith(one.typed.split(".")[0]), one
            assert one.span is not None and one.span.line > launch.text.count("\n", 0, one.start)
