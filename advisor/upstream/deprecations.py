"""What a release's own words say of a flag -> whether it is deprecated, and what to write instead.

Words are read where the engines put them: ``deprecated=True``, an action class called ``Deprecated...`` with its
``new_flag``, the help text, and the warnings in the modules that build and check the arguments. A help text that only
mentions something deprecated (a metric, a choice, an environment variable) does not make the flag so, and a flag that
*will be* deprecated is not yet.

Source: https://docs.python.org/3/library/argparse.html#deprecated (read 2026-11-29),
https://github.com/sgl-project/sglang/blob/v0.5.19/python/sglang/srt/arg_groups/argparse_actions.py
"""

from __future__ import annotations

import ast
import re
from collections.abc import Iterable, Iterator
from typing import Any

from advisor.upstream.call_shapes import text_in
from advisor.upstream.python_code import Code, Module

# --dsa-prefill-backend, --eplb-config.window_size, SGLANG_LOG_GC, `pooler_config`; not --cuda-graph-{a,b}
_NAME = r"['\"`]?(--[a-zA-Z](?:[\w-]*\w)?(?:\.\w+)*(?![-\w{])|[A-Z][A-Z0-9]*_[A-Z0-9_]+|[a-z]\w*_\w+(?:\.\w+)?)"
_REPLACEMENTS = [
    # Please use '--attention-backend triton' instead / Set `--ep-size` to the same value as `--tp-size` instead.
    re.compile(rf"\b(?i:use|using|set|pass)\s+(?:the\s+)?{_NAME}.*?\binstead\b"),
    # Please instead use `--hf-overrides
    re.compile(rf"\binstead (?:use|set)\s+{_NAME}"),
    # Deprecated alias for --cuda-graph-bs-decode / has been replaced with `enable_log_requests`
    re.compile(rf"\b(?i:alias (?:for|of)|replaced (?:with|by)|renamed to|in favou?r of)\s+{_NAME}"),
    # (Deprecated: use --fusion-backend=auto) / no longer supported. Use --report-mode / Please use '--grpc-port' to
    re.compile(
        rf"\b(?i:deprecated\W{{1,3}}|removed\W{{1,3}}|no longer supported\W{{1,3}}|please )(?i:use|using)\s+{_NAME}"
    ),
]
_SENTENCE_END = re.compile(r"(?<=[.!])\s+")
# [DEPRECATED] ... / (Deprecated, use --x) ... / NOTE: Deprecated
_OPENS = re.compile(r"^\W*(?:note:\W*)?deprecated\b", re.IGNORECASE)
# Deprecated: vLLM IR is being removed / DEPRECATED: This field
_LATER = re.compile(r"(?:^|[.\n])\s*deprecated:", re.IGNORECASE)
# This parameter is deprecated
_THIS = re.compile(r"\bthis (?:parameter|option|flag|argument|field|config) (?:is|has been) deprecated", re.IGNORECASE)
_IS_DEPRECATED = r"['\"`)]*\s+(?:option |flag |argument )?(?:(?:is|has been) (?:now )?deprecated|will be removed in)\b"
# --grpc-mode is deprecated and / The `--calculate-kv-scales` option is deprecated; not: The dotted syntax for --x is
_FLAG_IS = re.compile(rf"(?<!for )(?<!of )(?<![\w-])(--[a-zA-Z](?:[\w-]*\w)?){_IS_DEPRECATED}")
# `disable_log_requests` is deprecated
_FIELD_IS = re.compile(rf"(?<![\w.-])([a-z]+(?:_[a-z0-9]+)+){_IS_DEPRECATED}")


def deprecation_of(spellings: list[str], action: str, kwargs: dict[str, Any]) -> tuple[bool, str | None]:
    """Whether an ``add_argument`` call marks its flag deprecated, and the setting it names in its place."""
    texts = [text for text in (kwargs.get("help"), kwargs.get("error_message")) if isinstance(text, str)]
    marked = kwargs.get("deprecated") is True or action.startswith("Deprecated")
    if not marked and not any(says_deprecated(text, spellings) for text in texts):
        return False, None
    new = kwargs.get("new_flag")
    given = re.match(r"--[a-zA-Z][\w-]*\w(?![-\w{])", new) if isinstance(new, str) else None
    return True, given[0] if given else next(filter(None, (named_instead(text, spellings) for text in texts)), None)


def says_deprecated(text: str, spellings: Iterable[str]) -> bool:
    """Whether a flag's help text says that this flag is deprecated."""
    if _OPENS.search(text) or _LATER.search(text) or _THIS.search(text):
        return True
    return any(found[1] in spellings and "will be removed" not in found[0] for found in _FLAG_IS.finditer(text))


def named_instead(text: str, spellings: Iterable[str] = ()) -> str | None:
    """The flag or variable a text tells to use instead of ``spellings``; a field's name is given as its flag."""
    text = " ".join(text.split())
    for pattern in _REPLACEMENTS[:3]:
        for sentence in _SENTENCE_END.split(text):
            for found in pattern.finditer(sentence):
                if spelled(found[1]) not in spellings:
                    return spelled(found[1])
    found_after = _REPLACEMENTS[3].search(text)
    return spelled(found_after[1]) if found_after and spelled(found_after[1]) not in spellings else None


def spelled(name: str) -> str:
    """A config field as its flag: ``eplb_config.window_size`` is ``--eplb-config.window_size``."""
    if name.startswith("-") or name[0].isupper():
        return name
    head, dot, rest = name.partition(".")
    return "--" + head.replace("_", "-") + dot + rest


def warned_flags(code: Code, dotted: Iterable[str], fields_of: str) -> dict[str, str | None]:
    """Flags that warnings in these modules call deprecated, with what they name instead.

    In the module ``fields_of`` a warning may name the flag's field; elsewhere such a name may be another class's.
    """
    found: dict[str, str | None] = {}
    for name in dotted:
        module = code.module(name)
        for text in texts_of(module) if module else ():
            subjects = [match[1] for match in _FLAG_IS.finditer(text)]
            if name == fields_of:
                subjects += [match[1] for match in _FIELD_IS.finditer(text)]
            for flag in map(spelled, subjects):
                found[flag] = found.get(flag) or named_instead(text, (flag,))
    return found


def texts_of(module: Module) -> Iterator[str]:
    """Every text in a module, docstrings included, the pieces of an f-string in one with ``…`` for its values."""
    for statement in module.body:
        for node in ast.walk(statement):
            if isinstance(node, ast.JoinedStr):
                yield "".join(str(part.value) if isinstance(part, ast.Constant) else "…" for part in node.values)
            elif isinstance(node, ast.expr) and (text := text_in(node)) is not None:
                yield text
