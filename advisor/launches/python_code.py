"""Keyword arguments of the engines' Python entry points -> settings.

    LLM(model="m", tensor_parallel_size=4)                        -> --tensor-parallel-size 4, model m
    SpeculativeConfig(method="qwen3_5_mtp", …)                    -> what `keywords` of the engine's profile map it to
    PytorchEngineConfig(tp=1)                                     -> --tp 1, and what `implies` says of that class: the
                                                                     backend, and its own defaults for what is not given
    RolloutConfig(expert_parallel_size=8)                         -> --dp 8 and --ep 8: one keyword, several flags
    "lmdeploy_backend": "pytorch"                                 -> --backend pytorch, as frameworks pass keys through

A keyword that is no flag of the engine is left aside. The code is looked at, never run.
"""

from __future__ import annotations

import ast
import re
from collections.abc import Iterator
from itertools import islice
from typing import Any

from advisor.launches.flags import convert, flatten
from advisor.launches.prose import Prose
from advisor.launches.spelling import spell
from advisor.model.fact import Value
from advisor.model.knowledge import Knowledge
from advisor.model.late import dataclass
from advisor.model.launch import Setting
from advisor.model.shape import Shape

_CALL = Shape(
    r"\b((?:\w+\.)?(?:LLM|AsyncLLM\w*|LLMEngine|\w*EngineArgs|\w*EngineConfig|\w*SpeculativeConfig|Engine|ServerArgs|pipeline|"
    r"RolloutConfig|serve))\("
)  # PytorchEngineConfig(
_LITERAL = r"(\{[^{}]{0,400}\}|\"[^\"\n]*\"|'[^'\n]*'|-?\d[\d._]*(?:e-?\d+)?\b|True\b|False\b|None\b|[\w./-]+)"
_KEYWORD = Shape(rf"(?<![\w.\"'])([A-Za-z]\w*)\s*=(?!=)\s*{_LITERAL}")  # tensor_parallel_size=4
_PREFIXES = ("lmdeploy_", "sglang_", "vllm_")
_PASSED = Shape(rf"[\"'](lmdeploy|sglang|vllm)_(\w+)[\"']\s*:\s*{_LITERAL}")  # "lmdeploy_backend": "pytorch"
_FIRST = Shape(r"\s*([\"'])([^\"'\n]+)\1\s*(?=[,)]|\Z)")  # pipeline('internlm/internlm2-chat-7b')
_COMMENT = Shape(r"#[^\n]*")
_ELIDED = Shape(r"\.\.\.|…|\*\*")
MAX_CALLS = 500
_MODEL = {"model", "model_path", "model_tag"}


@dataclass
class Arguments:
    """The settings of all calls, and the model they name."""

    settings: list[Setting]
    model: str = ""


def read(prose: Prose, known: Knowledge | None, version: str | None) -> Arguments:
    """The settings that calls in the text make; empty without an engine's knowledge."""
    out = Arguments([])
    if "(" not in prose.text and '"' not in prose.text and "'" not in prose.text:
        return out
    implied = (known.profile.get("implies") or {}) if known else {}
    for call in islice(_CALL.finditer(prose.text), MAX_CALLS) if "(" in prose.text else ():
        end = _closing(prose.text, call.end() - 1)
        body = _COMMENT.sub(lambda found: " " * len(found.group()), prose.text[call.end() : end])
        out.settings.extend(_implied(prose, call, body, implied))
        if (first := _FIRST.match(body)) and re.search(r"(?:pipeline|LLM|serve|Engine)$", call.group(1)):
            out.model = out.model or first.group(2)
        for found in _KEYWORD.finditer(body):
            name, value = found.group(1), _literal(found.group(2))
            if name in _MODEL and isinstance(value, str):
                out.model = out.model or value
            place = (call.end() + found.start(), call.end() + found.end())
            out.settings.extend(_settings(prose, known, version, call.group(1).rpartition(".")[2], name, value, place))
    for found in _PASSED.finditer(prose.text) if any(map(prose.text.__contains__, _PREFIXES)) else ():
        if known and found.group(1) == known.engine:
            out.settings.extend(
                _settings(prose, known, version, "", found.group(2), _literal(found.group(3)), found.span())
            )
    return out


def _implied(prose: Prose, call: re.Match[str], body: str, implied: dict[str, Any]) -> Iterator[Setting]:
    """What a call sets without saying so. `otherwise` holds its own defaults, which stand where the call is whole."""
    told = dict(implied.get(call.group(1).rpartition(".")[2]) or {})
    defaults = told.pop("otherwise", {})
    span, quote = prose.span(*call.span()), prose.quote(call.start())
    for flag, value in told.items():
        yield Setting(flag, value, call.group(1), span, "derived", quote=quote)
    if _KEYWORD.search(body) and not _ELIDED.search(body):
        for flag, value in defaults.items():
            yield Setting(flag, value, call.group(1), span, "default", quote=quote)


def flags_of(name: str, known: Knowledge) -> tuple[str, ...]:
    """The flags that the profile's `keywords` say a keyword sets; empty when they say nothing of it."""
    told = (known.profile.get("keywords") or {}).get(name) or ()
    return (told,) if isinstance(told, str) else tuple(told)


def _closing(text: str, at: int) -> int:
    depth = 0
    for place in range(at, min(len(text), at + 4000)):
        depth += (text[place] == "(") - (text[place] == ")")
        if depth == 0:
            return place
    return min(len(text), at + 4000)


def _literal(text: str) -> Any:
    try:
        return ast.literal_eval(text)
    except (ValueError, TypeError, SyntaxError, MemoryError, RecursionError):  # TypeError: of a list that is a key
        return text


def _settings(
    prose: Prose, known: Knowledge | None, version: str | None, call: str, name: str, value: Any, place: tuple[int, int]
) -> Iterator[Setting]:
    if known is None or value is None:
        return
    for flag in flags_of(f"{call}.{name}", known) or flags_of(name, known) or (f"--{name}",):
        spelled = spell(flag, known, version)
        if not spelled.known or not _own_name(flag, spelled.flag, known):
            continue
        span, quote = prose.span(*place), prose.quote(place[0])
        shown: Value = value if isinstance(value, bool | int | float | str) else str(value)
        for dotted, each in flatten(spelled.flag, value) if isinstance(value, dict) else ():
            yield Setting(dotted, each, name, span, quote=quote)
        if isinstance(shown, str):
            shown = convert(shown, spelled.type)
        yield Setting(spelled.flag, shown, name, span, quote=quote)


def _own_name(flag: str, found: str, known: Knowledge) -> bool:
    """A keyword must be the flag's own name or alias: argparse's prefix rule does not hold in Python."""
    return any(known.canonical(one) == found for one in (flag, flag.replace("_", "-")))
