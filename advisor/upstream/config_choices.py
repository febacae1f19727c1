"""A config class that pydantic checks -> the keys that take only some values, each with those values.

    SpeculativeMethod = Literal["ngram", "medusa", EagleModelTypes]

    @config                                            # vLLM's own mark, pydantic's dataclass underneath
    class SpeculativeConfig:
        method: SpeculativeMethod | None = None        # method: eagle, medusa, ngram, …
        model: str | None = None                       # takes any text: left out

A standard dataclass checks nothing (vLLM before 0.9.1), and a validator that runs before the check may turn one word
into another: neither gives any choices.

**Source:** https://pypi.org/project/vllm/0.28.0/ (wheel), vllm/config/speculative.py and utils.py
"""

from __future__ import annotations

import ast
from collections.abc import Iterator
from typing import Any

from advisor.upstream.calls import Calls
from advisor.upstream.fields import fields_of, hints_of
from advisor.upstream.python_code import Class, External, Function


def choices_in(owner: Class, reader: Calls) -> Iterator[tuple[str, tuple[Any, ...]]]:
    """Each key of the class's JSON object that takes only some values, and those, sorted; nothing for `null`."""
    altered = set(_altered(owner, reader))
    if not _is_checked(owner, reader) or "*" in altered:
        return
    for field in fields_of(owner, reader):
        hints = [hint for hint in hints_of(field.annotation, field.scope.module, reader) if hint.kind != "none"]
        if hints and all(hint.kind == "literal" for hint in hints) and field.name not in altered:
            options = {option for hint in hints for option in hint.options if option is not None}
            yield field.name, tuple(sorted(options, key=lambda one: (str(type(one)), one)))


def _is_checked(owner: Class, reader: Calls) -> bool:
    """Whether a mark of the class is pydantic's dataclass, or is made of it."""
    for mark in owner.node.decorator_list:
        called = mark.func if isinstance(mark, ast.Call) else mark
        found = reader.code.lookup(owner.module.dotted, called.id) if isinstance(called, ast.Name) else None
        if isinstance(found, Function):  # vllm.config.utils.config, which applies the `dataclass` of its own module
            found = reader.code.lookup(found.module.dotted, "dataclass")
        if isinstance(found, External) and found.path.startswith("pydantic."):
            return True
    return False


def _altered(owner: Class, reader: Calls) -> Iterator[str]:
    """The fields that a validator may change before they are checked: `*` for all."""
    for cls in reader.lineage(owner):
        for method in cls.node.body:
            for mark in method.decorator_list if isinstance(method, ast.FunctionDef) else ():
                if isinstance(mark, ast.Call) and _runs_before(mark):
                    named = [one.value for one in mark.args if isinstance(one, ast.Constant)]
                    yield from map(str, named or ["*"])


def _runs_before(mark: ast.Call) -> bool:
    return ast.unparse(mark.func).rpartition(".")[2].endswith("_validator") and any(
        one.arg == "mode" and isinstance(one.value, ast.Constant) and one.value.value != "after"
        for one in mark.keywords
    )
