"""An engine's registry of environment variables, run -> each variable, and whether what is said of its default holds.

Runs inside the engine's environment. vLLM, vllm-ascend and SGLang keep a list; LMDeploy's module reads the environment
while it is imported, so there the variables are those it asks for, and reading one is importing it anew.

Source: vllm/envs.py, vllm_ascend/envs.py, sglang/srt/environ.py, lmdeploy/pytorch/envs.py of the release that is installed.
"""

from __future__ import annotations

import enum
import importlib.util
import os
import sys
from collections.abc import Iterator, MutableMapping
from pathlib import Path
from typing import Any

LIKELY = ("", "0", "1", "False", "True", "auto", "none")
REGISTRIES = {
    "vllm": "vllm/envs.py",
    "sglang": "sglang/srt/environ.py",
    "lmdeploy": "lmdeploy/pytorch/envs.py",
    "vllm_ascend": "vllm_ascend/envs.py",
}


class Watched(MutableMapping[str, str]):
    """An environment that remembers which names were asked for."""

    def __init__(self, held: dict[str, str]) -> None:
        self.held, self.asked = held, set[str]()

    def __getitem__(self, key: str) -> str:
        self.asked.add(key)
        return self.held[key]

    def __setitem__(self, key: str, value: str) -> None:
        self.held[key] = value

    def __delitem__(self, key: str) -> None:
        del self.held[key]

    def __iter__(self) -> Iterator[str]:
        return iter(self.held)

    def __len__(self) -> int:
        return len(self.held)

    def copy(self) -> dict[str, str]:
        """The plain dictionary."""
        return dict(self.held)


def loaded(path: Path) -> Any:
    """The registry's module, run by itself."""
    spec = importlib.util.spec_from_file_location("registry", path)
    assert spec is not None and spec.loader is not None
    module = importlib.util.module_from_spec(spec)
    sys.modules["registry"] = module
    spec.loader.exec_module(module)
    return module


def names_in(module: Any, watched: set[str]) -> set[str]:
    """The variables of a registry: its own list where it keeps one, else what it asked the environment for."""
    if hasattr(module, "environment_variables"):
        return set(module.environment_variables)
    if hasattr(module, "env_variables"):  # vllm-ascend
        return set(module.env_variables)
    if hasattr(module, "Envs"):
        fields = {name for name in dir(module.Envs) if isinstance(vars_of(module.Envs, name), module.EnvField)}
        former = {getattr(vars_of(module.Envs, name), "deprecated_name", None) for name in fields}
        return fields | {name for name in former if name}
    return {name for name in watched if name.isupper()}


def vars_of(owner: Any, name: str) -> Any:
    """A class attribute as it stands, descriptors not run."""
    return next((vars(cls)[name] for cls in owner.__mro__ if name in vars(cls)), None)


def reading(path: Path, name: str) -> str:
    """What the registry makes of a variable in the environment as it is now, as text to compare."""
    module = sys.modules["registry"]
    try:
        if hasattr(module, "environment_variables") or hasattr(module, "env_variables"):
            registry = getattr(module, "environment_variables", None) or module.env_variables
            return repr(comparable(registry[name]()))
        if hasattr(module, "Envs"):
            return repr(comparable(getattr(module.envs, name).get()))
        held = {key: value for key, value in vars(loaded(path)).items() if not key.startswith("__")}
        return repr(
            {key: value for key, value in held.items() if isinstance(value, (str, int, float, list, type(None)))}
        )
    except Exception as error:
        return f"error: {type(error).__name__}"


def comparable(value: Any) -> Any:
    """A value whose text is that of its equals: -1.0 as -1, an enum's member as its value, a tuple as a list."""
    if isinstance(value, enum.Enum):
        return comparable(value.value)
    if isinstance(value, float) and value.is_integer():
        return int(value)
    return sorted(value) if isinstance(value, (set, frozenset)) else list(value) if isinstance(value, tuple) else value


def variables(path: Path, said: dict[str, str | None]) -> dict[str, dict[str, Any]]:
    """Each variable: what its absence gives, and whether what was said of its default holds (None: nothing was said)."""
    kept, os.environ = os.environ, Watched(dict(os.environ))  # type: ignore[assignment]
    watched: Watched = os.environ  # type: ignore[assignment]
    try:
        names = names_in(loaded(path), watched.asked)
        for name in names:
            watched.held.pop(name, None)
        return {name: one_variable(path, name, said, watched) for name in sorted(names)}
    finally:
        os.environ = kept  # noqa: B003 - the very object, not its content


def one_variable(path: Path, name: str, said: dict[str, str | None], environment: Watched) -> dict[str, Any]:
    """One variable's absence beside what is said of it: that this text acts as it, or that none does.

    `same` is None where nothing is said, where absence cannot be read, or where no text changes anything that shows.
    """
    absent = reading(path, name)
    made: dict[str, str] = {}
    for text in (*LIKELY, *filter(None, [said.get(name)])):
        environment.held[name] = text
        made[text] = reading(path, name)
    del environment.held[name]
    alike = [text for text, value in made.items() if value == absent]
    found: dict[str, Any] = {"absent": absent[:200], "alike": alike, "given": made.get(said.get(name) or "", "")[:200]}
    if name not in said or absent.startswith("error") or len(alike) == len(made):
        return found | {"same": None}
    default = said[name]
    return found | {"same": default in alike if default is not None else absent == "None" or not alike}
