"""Environment variables that a release still knows but warns about -> each with what the release names in its place.

SGLang keeps tables of them in ``environ.py``, in four shapes since 0.5.3; vLLM warns from ``envs.py`` and from the
classes under ``config``. LMDeploy and xLLM have no such words. A variable whose warning names nothing has None.

Source: https://github.com/sgl-project/sglang/blob/v0.5.23/python/sglang/srt/environ.py,
https://github.com/vllm-project/vllm/blob/v0.22.0/vllm/envs.py,
https://github.com/vllm-project/vllm/blob/v0.13.0/vllm/config/attention.py
"""

from __future__ import annotations

import ast
import re
from collections.abc import Iterator
from typing import Any

from advisor.upstream.call_shapes import text_in
from advisor.upstream.deprecations import named_instead, spelled, texts_of
from advisor.upstream.python_code import Code, Module

_NAME = re.compile(r"[A-Z][A-Z0-9]*_[A-Z0-9_]+")
# SGLANG_CUTLASS_MOE is deprecated / VLLM_ALL2ALL_BACKEND environment variable is deprecated
_IS_DEPRECATED = re.compile(
    r"\b([A-Z][A-Z0-9]*_[A-Z0-9_]+)[`'\"]?(?: environment variable)? is (?:deprecated|no longer supported)\b"
)
_FIELD = re.compile(r"[a-z][a-z0-9]*(?:_[a-z0-9]+)*")  # mm_hasher_algorithm, backend
_TEMPLATE = re.compile(r"(--[a-z][\w-]*)\.%s")  # --attention-config.%s

Names = dict[str, str | None]


def modules_of(engine: str, names: list[str]) -> list[str]:
    """The modules whose warnings speak of the engine's settings, as dotted names."""
    pattern = {
        "vllm": r"vllm/(engine/arg_utils|envs|config|config/\w+|utils|utils/(__init__|(argparse|network)_utils))\.py",
        "sglang": r"sglang/srt/(server_args|arg_groups/\w+)\.py",
    }.get(engine)
    paths = sorted(name for name in names if pattern and re.fullmatch(pattern, name))
    return [path.removesuffix(".py").removesuffix("/__init__").replace("/", ".") for path in paths]


def deprecated_variables(engine: str, code: Code, modules: list[str]) -> Names:
    """The deprecated variables of one release."""
    found: Names = {}
    for dotted in modules:
        module = code.module(dotted)
        if module is not None:
            _merge(found, _warned(module))
            _merge(found, _read_through(module))
    environ = code.module("sglang.srt.environ") if engine == "sglang" else None
    if environ is not None:
        _merge(found, _tables(environ))
    return found


def _merge(found: Names, more: Names) -> None:
    for name, instead in more.items():
        found[name] = instead or found.get(name)


def _warned(module: Module) -> Names:
    """Variables that a text of the module calls deprecated."""
    found: Names = {}
    for text in texts_of(module):
        for match in _IS_DEPRECATED.finditer(text):
            _merge(found, {match[1]: named_instead(text, (match[1],))})
    return found


def _calls(module: Module) -> Iterator[tuple[str, ast.Call]]:
    for statement in module.body:
        for node in ast.walk(statement):
            if isinstance(node, ast.Call):
                yield ast.unparse(node.func).rpartition(".")[2], node


def _strings(node: ast.Call) -> list[str]:
    values = [*node.args, *(word.value for word in node.keywords)]
    return [text for value in values if (text := text_in(value)) is not None]


def _read_through(module: Module) -> Names:
    """vLLM's ``deprecated_env("NAME", "v0.23", "Use --x.", getter)`` and ``..._env_if_set("field", "NAME")``."""
    found: Names = {}
    template = next((match[1] for text in texts_of(module) for match in _TEMPLATE.finditer(text)), None)
    for callee, call in _calls(module):
        texts = _strings(call)
        variable = next((text for text in texts if _NAME.fullmatch(text)), None)
        if variable is None:
            continue
        if callee == "deprecated_env":
            found[variable] = next((flag for text in texts if (flag := _first_flag(text))), None)
        elif callee.endswith("_env_if_set"):
            field = next((text for text in texts if _FIELD.fullmatch(text)), None)
            found[variable] = f"{template}.{field}" if template and field else spelled(field) if field else None
    return {name: instead for name, instead in found.items() if instead is None or instead.startswith("--")}


def _first_flag(text: str) -> str | None:
    found = re.search(r"\b[Uu]se (--[a-z][\w-]*\w)", text)  # Use --moe-backend marlin or --linear-backend marlin.
    return found[1] if found else None


def _tables(module: Module) -> Names:
    """SGLang's registries, whichever of them this release has."""
    found: Names = {}
    for statement in module.body:
        for node in ast.walk(statement):
            if isinstance(node, (ast.Assign, ast.AnnAssign)):
                _merge(found, _assigned(node))
    for callee, call in _calls(module):
        if callee in ("_print_deprecated_env", "_warn_deprecated_env_to_cli_flag"):
            given = _bound(callee, call, module)
            old = given.get("old_name") or given.get("env_name")
            instead = given.get("new_name") or named_instead(given.get("suggestion") or "")
            _merge(found, {old: instead} if old else {})
    return found


def _bound(callee: str, call: ast.Call, module: Module) -> dict[str, str]:
    """The strings of a call by parameter name: the order of the two names was changed once."""
    function = module.bindings.get(callee)
    if not isinstance(function, ast.FunctionDef):
        return {}
    pairs = [
        *zip((one.arg for one in function.args.args), call.args, strict=False),
        *((w.arg, w.value) for w in call.keywords),
    ]
    return {name: text for name, node in pairs if name and (text := text_in(node)) is not None}


def _assigned(statement: ast.Assign | ast.AnnAssign) -> Names:
    targets = statement.targets if isinstance(statement, ast.Assign) else [statement.target]
    name = next((target.id for target in targets if isinstance(target, ast.Name)), "")
    value = statement.value
    if isinstance(value, ast.Dict) and name.lower().startswith("_deprecated"):
        entries = zip(value.keys, value.values, strict=True)
        return {text: _replacement(entry) for key, entry in entries if (text := text_in(key)) is not None}
    if isinstance(value, ast.Call):
        old = next((word.value for word in value.keywords if word.arg == "deprecated_name"), None)
        return {text: name} if (text := text_in(old)) is not None else {}
    return {}


def _replacement(entry: ast.expr) -> str | None:
    """The new name in ``"OLD": "NEW"`` or in ``"OLD": _DeprecatedEnv("NEW", note="...")``."""
    if isinstance(entry, ast.Constant):
        return text_in(entry)
    if not isinstance(entry, ast.Call):
        return None
    given: dict[str, Any] = {word.arg: word.value for word in entry.keywords if word.arg}
    new = entry.args[0] if entry.args else given.get("replacement")
    if (text := text_in(new)) is not None:
        return text
    note = text_in(given.get("note"))
    return named_instead(note) if note is not None else None
