"""vllm-ascend's own reading of `--additional-config` -> the keys it asks for, with the defaults it asks with.

Runs inside the engine's environment, beside the vLLM the plugin is for, with stand-ins for the device. The code is given
an empty dictionary and what it asks of it is written down. Up to 0.26 that is the constructor of `AscendConfig`, which
stops where it finds no device. From 0.27.1rc1 on it is `init_ascend_config`, and a stand-in for the dataclass that
`AscendConfig` then is tells which of its fields are let through. Keys read elsewhere, or only when another key is set,
are not seen: so a key of ours that is missing here says nothing.
"""

from __future__ import annotations

import contextlib
import dataclasses
import importlib
import importlib.util
import os
import sys
import types
import typing
from collections.abc import Callable
from typing import Any

from tests.parsers_dump import stand_ins


class Asked(dict[str, Any]):
    """An empty dictionary, true all the same, that writes down which keys are asked for and with what default."""

    def __init__(self, path: tuple[str, ...], found: dict[str, Any]) -> None:
        super().__init__()
        self.path, self.found = path, found

    def __bool__(self) -> bool:
        return True

    def get(self, key: str, default: Any = None) -> Any:
        """The default, noted; a dictionary of this kind where the default is one."""
        if key in self:
            return self[key]
        path = (*self.path, key)
        self.found.setdefault(".".join(path), default)
        return Asked(path, self.found) if isinstance(default, dict) else default

    pop = get


def arguments(plain: Callable[[Any], Any]) -> list[dict[str, Any]]:
    """The keys in the form of `dump.py`'s arguments, of which only spelling and default are known."""
    return [
        {"spellings": [f"--additional-config.{key}"], "makes": None, "choices": None, "deprecated": False}
        | {"default": plain(default)}
        for key, default in keys().items()
    ]


def keys() -> dict[str, Any]:
    """Dotted key -> default."""
    os.environ["VLLM_PLUGINS"] = ""  # else vLLM loads the plugin, which looks for a device
    if importlib.util.find_spec("vllm_ascend._build_info") is None:  # an sdist: the build writes for which device it is
        built = types.ModuleType("vllm_ascend._build_info")
        vars(built).update(__device_type__="A2", __soc_version__="ascend910b1")
        sys.modules["vllm_ascend._build_info"] = built
    module = importlib.import_module("vllm_ascend.ascend_config")
    found: dict[str, Any] = {}
    given = stand_ins.stand_in("VllmConfig")()
    given.additional_config = Asked((), found)
    if not dataclasses.is_dataclass(module.AscendConfig):
        with contextlib.suppress(Exception):
            module.AscendConfig(given)
        return found
    declared = dict(fields_below(module.AscendConfig, ()))
    taken = let_through(module, given) | {key.partition(".")[0] for key in found}
    return found | {key: default for key, default in declared.items() if key.partition(".")[0] in taken}


def let_through(module: Any, given: Any) -> set[str]:
    """The fields of `AscendConfig` that `init_ascend_config` fills with what the user gave."""
    real: Any = module.AscendConfig
    passed: set[str] = set()
    mark = object()

    class Recorder(real):  # type: ignore[misc]
        def __init__(self, **kwargs: Any) -> None:
            passed.update(name for name, value in kwargs.items() if value is mark)

        def derive_and_validate(self, vllm_config: Any) -> None:
            pass

    # Keys that the factory reads itself stay empty: it would choke on the mark.
    own = {name.partition(".")[0] for name in asked_of(module.init_ascend_config, given)}
    for name in real.__dataclass_fields__:
        if name not in own:
            given.additional_config[name] = mark
    module.AscendConfig = Recorder
    with contextlib.suppress(Exception):
        module.init_ascend_config(given)
    module.AscendConfig = real
    return passed


def asked_of(start: Callable[[Any], Any], given: Any) -> dict[str, Any]:
    """What a function asks of the configuration while it is empty."""
    with contextlib.suppress(Exception):
        start(given)
    found: dict[str, Any] = given.additional_config.found
    return found


def fields_below(config: Any, path: tuple[str, ...]) -> typing.Iterator[tuple[str, Any]]:
    """Every field that may be given, those of the config classes below it too."""
    hints: dict[str, Any] = {}
    with contextlib.suppress(Exception):
        hints = typing.get_type_hints(config)
    for field in dataclasses.fields(config):
        if not field.init:
            continue
        inner = hints.get(field.name)
        below = next((one for one in (inner, *typing.get_args(inner)) if dataclasses.is_dataclass(one)), None)
        name = ".".join((*path, field.name))
        if below is not None:
            yield name, {}
            yield from fields_below(below, (*path, field.name))
        elif field.default is not dataclasses.MISSING:
            yield name, field.default
        elif field.default_factory is not dataclasses.MISSING:
            yield name, field.default_factory()
