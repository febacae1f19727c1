"""A module that is not installed -> an empty stand-in, so that an engine's command line is built without its GPU parts.

Runs inside the engine's environment, with nothing of ours at hand. Only what the engine's own files import is stood in
for, and only when it is missing: whatever another library asks after, to see whether it is there, stays missing.
"""

from __future__ import annotations

import abc
import importlib.abc
import importlib.machinery
import sys
import types
from collections.abc import Iterator
from pathlib import Path
from typing import Any, Union

# Probed for by the engines to find out on what hardware they are; a stand-in would answer yes.
# fmt: off
ABSENT = frozenset({
    "aiter", "amdsmi", "habana_frameworks", "intel_extension_for_pytorch", "libneuronxla", "libtpu", "mlx", "neuronxcc",
    "neuronx_distributed_inference", "nt", "openvino", "pynvml", "torch_npu", "torch_xla", "tpu_inference",
    "transformers_neuronx", "vllm_ascend", "vllm_xpu_kernels",
})
# fmt: on
# The engines' own compiled parts, which wheels hold and which are not unpacked.
COMPILED = ("_C", "_moe_C", "_version", "_rust_utils", "_vllm_fa2_C", "_vllm_fa3_C")


class AnyClass(abc.ABCMeta):
    """A class that has every attribute, takes every index, and hands back what it decorates."""

    def __getattr__(cls, name: str) -> Any:
        if name.startswith("__"):
            raise AttributeError(name)
        return stand_in(name)

    def __call__(cls, *args: Any, **kwargs: Any) -> Any:
        if len(args) == 1 and not kwargs and callable(args[0]):
            return args[0]
        try:
            return type.__call__(cls)
        except Exception:
            return cls

    def __getitem__(cls, key: Any) -> Any:
        return cls

    def __iter__(cls) -> Iterator[Any]:
        return iter(())

    def __add__(cls, other: Any) -> Any:
        return other

    def __radd__(cls, other: Any) -> Any:
        return other

    def __or__(cls, other: Any) -> Any:
        return Union[cls, other] if isinstance(other, type) or other is None else cls  # noqa: UP007 - `|` would call this very method

    def __ror__(cls, other: Any) -> Any:
        return other


def stand_in(name: str) -> AnyClass:
    """A class of that name whose instances are false, empty, zero, and callable as decorators."""

    def attribute(self: Any, asked: str) -> Any:
        if asked.startswith("__"):
            raise AttributeError(asked)
        return stand_in(asked)()

    def called(self: Any, *args: Any, **kwargs: Any) -> Any:
        return args[0] if len(args) == 1 and not kwargs and callable(args[0]) else self

    def schema(cls: Any, source: Any, handler: Any) -> Any:
        from pydantic_core import core_schema

        return core_schema.any_schema()

    body = {
        "__getattr__": attribute,
        "__call__": called,
        "__bool__": lambda self: False,
        "__iter__": lambda self: iter(()),
        "__add__": lambda self, other: other,
        "__radd__": lambda self, other: other,
        "__int__": lambda self: 0,
        "__index__": lambda self: 0,
        "__lt__": lambda self, other: False,
        "__le__": lambda self, other: True,
        "__gt__": lambda self, other: False,
        "__ge__": lambda self, other: False,
        "__module__": "stand_in",
        "__get_pydantic_core_schema__": classmethod(schema),
    }
    return AnyClass(name, (), body)


class EmptyModule(types.ModuleType):
    """A module that has every name."""

    def __init__(self, name: str) -> None:
        super().__init__(name)
        self.__path__ = []

    def __getattr__(self, name: str) -> Any:
        if name == "__version__":
            return "0.0.0"
        if name == "__file__":
            return "stand_in/__init__.py"
        if name.startswith("__"):
            raise AttributeError(name)
        made = stand_in(name)
        setattr(self, name, made)
        return made


class Finder(importlib.abc.MetaPathFinder, importlib.abc.Loader):
    """Last on the path: what no other finder found, if a file below `source` asks for it."""

    def __init__(self, engine: str, source: Path) -> None:
        self.engine, self.source = engine, str(source.resolve())
        self.used: set[str] = set()

    def find_spec(self, fullname: str, path: Any, target: Any = None) -> importlib.machinery.ModuleSpec | None:
        """A spec for a stand-in, or None to leave the module missing."""
        top, last = fullname.split(".")[0], fullname.rpartition(".")[2]
        if top in (self.engine, "vllm"):  # vllm-ascend is a plugin of vLLM, which then lies beside it
            wanted = last in COMPILED or last.startswith("_C_") or "_turbomind" in last
        elif top in self.used:
            wanted = True
        else:
            absent = ABSENT - {"torch_npu"} if self.engine == "vllm_ascend" else ABSENT
            known_absent = top in sys.stdlib_module_names or top.startswith("_") or top in absent
            wanted = not known_absent and "." not in fullname and self._asked_by_engine()
        if not wanted:
            return None
        self.used.add(top if top not in (self.engine, "vllm") else fullname)
        return importlib.machinery.ModuleSpec(fullname, self, is_package=True)

    def _asked_by_engine(self) -> bool:
        frame: types.FrameType | None = sys._getframe(2)
        while frame is not None and "importlib" in frame.f_code.co_filename:
            frame = frame.f_back
        return frame is not None and frame.f_code.co_filename.startswith(self.source)

    def create_module(self, spec: importlib.machinery.ModuleSpec) -> EmptyModule:
        """An empty module."""
        return EmptyModule(spec.name)

    def exec_module(self, module: types.ModuleType) -> None:
        """Nothing to run."""


def install(engine: str, source: Path) -> Finder:
    """Stand in for what is missing from here on; the finder remembers for what."""
    finder = Finder(engine, source)
    sys.meta_path.append(finder)
    return finder
