"""An engine installed here -> the parser its server builds, and that parser's arguments as JSON can hold them.

Runs inside the engine's environment. A `type=` function is described by what it makes of a few texts, not by its name.

Source: vllm/entrypoints/cli/serve.py, sglang/srt/server_args.py, lmdeploy/cli/serve.py of the release that is installed.
"""

from __future__ import annotations

import argparse
import contextlib
import dataclasses
import enum
import importlib
import sys
from collections.abc import Callable
from typing import Any

PROBES = ("7", "1.5", "true", "text", "{}")


def vllm_parser() -> argparse.ArgumentParser:
    """The parser of `vllm serve`, as on a machine with only a CPU."""
    platforms: Any = importlib.import_module("vllm.platforms")
    with contextlib.suppress(Exception):
        platforms._current_platform = importlib.import_module("vllm.platforms.cpu").CpuPlatform()
    serve = importlib.import_module("vllm.entrypoints.cli.serve")
    try:
        parsers = importlib.import_module("vllm.utils.argparse_utils")
    except ImportError:
        parsers = importlib.import_module("vllm.utils")
    sys.argv = ["vllm", "serve"]
    commands = parsers.FlexibleArgumentParser().add_subparsers()
    serve.ServeSubcommand().subparser_init(commands)
    parser: argparse.ArgumentParser = commands.choices["serve"]
    return parser


def sglang_parser() -> argparse.ArgumentParser:
    """The parser of `python -m sglang.launch_server`."""
    parser = argparse.ArgumentParser()
    importlib.import_module("sglang.srt.server_args").ServerArgs.add_cli_args(parser)
    return parser


def lmdeploy_parser() -> argparse.ArgumentParser:
    """The parser of `lmdeploy serve api_server`."""
    command = importlib.import_module("lmdeploy.cli.serve").SubCliServe
    command.add_parser_api_server()
    parser: argparse.ArgumentParser = command.subparsers.choices["api_server"]
    return parser


PARSERS: dict[str, Callable[[], argparse.ArgumentParser]] = {
    "vllm": vllm_parser,
    "sglang": sglang_parser,
    "lmdeploy": lmdeploy_parser,
}


def arguments(parser: argparse.ArgumentParser) -> list[dict[str, Any]]:
    """Every optional argument of the parser, --help and --version aside."""
    warned: set[argparse.Action] = getattr(parser, "_deprecated", set())  # vLLM keeps its own list below Python 3.13
    taken: dict[int, list[str]] = {}  # not action.option_strings: vLLM hides some that it still takes
    for spelling, action in parser._option_string_actions.items():
        taken.setdefault(id(action), []).append(spelling)
    shown = [action for action in parser._actions if action.option_strings]
    return [
        {
            "spellings": taken[id(action)],
            "dest": action.dest,
            "action": type(action).__name__,
            "paired": isinstance(action, argparse.BooleanOptionalAction),
            "nargs": action.nargs,
            "type": getattr(action.type, "__name__", repr(action.type)) if action.type else None,
            "makes": made_of(action.type),
            "choices": plain(list(action.choices)) if action.choices is not None else None,
            "default": plain(action.default),
            "deprecated": bool(getattr(action, "deprecated", False))
            or action in warned
            or "deprecat" in type(action).__name__.lower(),
            "help_says_deprecated": "deprecat" in str(action.help).lower(),
        }
        for action in shown
        if not isinstance(action, (argparse._HelpAction, argparse._VersionAction))
    ]


def made_of(convert: Any) -> dict[str, str]:
    """What a `type=` makes of each probe: the name of the result's type, "object" for a dataclass, "error"."""
    return {probe: kind_of(convert, probe) for probe in PROBES}


def kind_of(convert: Any, probe: str) -> str:
    """What a `type=` makes of one text."""
    try:
        made = convert(probe) if convert else probe
    except (Exception, SystemExit):
        return "error"
    return "object" if dataclasses.is_dataclass(made) else type(made).__name__


def plain(value: Any) -> Any:
    """A value as JSON; an object of a config class as {"<object>": its class}, a set in order."""
    if isinstance(value, enum.Enum):
        return plain(value.value)
    if value is None or isinstance(value, (str, int, float, bool)):
        return value
    if isinstance(value, (set, frozenset)):
        return sorted((plain(item) for item in value), key=str)
    if isinstance(value, (list, tuple)):
        return [plain(item) for item in value]
    if isinstance(value, dict):
        return {str(key): plain(item) for key, item in value.items()}
    if dataclasses.is_dataclass(value):
        return {"<object>": type(value).__name__}
    return {"<other>": type(value).__name__}
