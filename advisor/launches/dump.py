"""The arguments an engine prints at start-up -> what really ran, as a launch.

    non-default args: {'model_tag': 'm', 'pipeline_parallel_size': 3, 'speculative_config': {'method': 'dspark'}}
    server_args=ServerArgs(model_path='m', tp_size=2, speculative_algorithm='DSPARK', enable_metrics=False)

Names are turned into flags; those that no release has as a flag are left out. None when the text is no such dump. The
text is read as Python literals and never run; what is not a literal counts as not known.

**Source:** vLLM v0.28.0 vllm/entrypoints/utils.py (`log_non_default_args`); SGLang v0.5.16
sglang/srt/entrypoints/engine.py (`server_args=`), a dict from v0.5.19 on.
"""

from __future__ import annotations

import ast
from collections.abc import Iterator

from advisor.model.fact import Span, Value
from advisor.model.knowledge import Knowledge
from advisor.model.launch import Launch, Setting
from advisor.model.shape import Shape

MODEL_NAMES = ("model_tag", "model", "model_path")
_REPR = Shape(r"<[^<>\n]{0,200}>")  # <ModelImpl.AUTO: 'auto'>


def read(text: str, knowledge: Knowledge, artifact: str, span: Span | None = None) -> Launch | None:
    """The launch that a dump shows, not complete until the caller says so; None when there is no dump in the text."""
    given = list(_arguments(text))
    if not given:
        return None
    model = next((str(value) for name, value in given if name in MODEL_NAMES and isinstance(value, str)), "")
    settings = [one for name, value in given for one in _settings(name, value, knowledge, span)]
    return Launch(knowledge.engine, tuple(settings), model=model, artifact=artifact)


def _arguments(text: str) -> Iterator[tuple[str, object]]:
    start = min((at for at in (text.find("{"), text.find("(")) if at >= 0), default=-1)
    tree = _parsed(text[start:]) if start >= 0 else None
    if isinstance(tree, ast.Dict):
        pairs = [(_literal(key), value) for key, value in zip(tree.keys, tree.values, strict=True) if key]
        yield from ((str(name), _literal(value)) for name, value in pairs if isinstance(name, str))
    elif isinstance(tree, ast.Call):
        yield from ((one.arg, _literal(one.value)) for one in tree.keywords if one.arg)


def _parsed(text: str) -> ast.expr | None:
    """The expression at the head of the text: a dict, or the arguments in brackets as those of a call."""
    closing = text.rfind("}" if text.startswith("{") else ")")
    code = _REPR.sub("...", text[: closing + 1])
    try:
        return ast.parse(code if code.startswith("{") else f"f{code}", mode="eval").body
    except (SyntaxError, ValueError, RecursionError, MemoryError):
        return None


def _literal(node: ast.expr | None) -> object:
    """The literal's value; `...` for what is not one."""
    try:
        return ast.literal_eval(node) if node is not None else ...
    except (ValueError, TypeError, SyntaxError, MemoryError, RecursionError):  # TypeError: of a list that is a key
        return ...


def _settings(name: str, value: object, knowledge: Knowledge, span: Span | None) -> Iterator[Setting]:
    flag = knowledge.canonical("--" + name.replace("_", "-")) or knowledge.canonical("--" + name)
    if flag is None or value is ...:
        return
    yield Setting(flag, _plain(value), name, span, "observed", quote=f"{name}={value!r}"[:200])
    if isinstance(value, dict):
        for key, inner in value.items():
            if not isinstance(inner, dict | list):
                yield Setting(
                    f"{flag}.{key}", _plain(inner), f"{name}.{key}", span, "observed", quote=f"{key}={inner!r}"[:200]
                )


def _plain(value: object) -> Value:
    return value if isinstance(value, bool | int | float | str | None) else str(value)
