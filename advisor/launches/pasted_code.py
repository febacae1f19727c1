"""A text that is whole Python and starts an engine -> its launches, as of a .py file.

    LLM(model="m", tensor_parallel_size=2)                      -> vllm, complete: what is absent has its default
    pipeline("m", backend_config=TurbomindEngineConfig(tp=2))   -> lmdeploy, complete
    sgl.Engine(model_path="m")                                  -> sglang, complete
    LLM("m", **kwargs) · LLM("m", ...) · LLM("m") hangs         -> nothing: that is left to the readers of prose

The names an engine is usually imported under count as imported where the text imports none. Nothing is run.

**Source:** of the names: SGLang 0.5.16 `sglang/__init__.py` (Engine, ServerArgs); vLLM `vllm/__init__.py` at
00bf0c8ffad9, which calls itself 0.4.0 (LLM, LLMEngine, EngineArgs, AsyncEngineArgs); LMDeploy `lmdeploy/__init__.py`
at 0fe0c3af359b (pipeline, serve), all read 2026-11-30. The file of vLLM's AsyncLLM was not read.
"""

from __future__ import annotations

import re
from collections.abc import Mapping
from dataclasses import replace

from advisor.launches.command_line import Source
from advisor.model.fact import Span
from advisor.model.knowledge import Knowledge
from advisor.model.launch import Launch, Setting
from advisor.model.shape import Shape

MAX_CODE = 1 << 16
_CALL = Shape(
    r"(?<![\w.])(?P<name>(?:(?P<root>sgl|sglang|vllm|lmdeploy)\.)?"
    r"(?:LLM|AsyncLLM|LLMEngine|EngineArgs|AsyncEngineArgs|Engine|ServerArgs|pipeline|serve))\("
)  # sgl.Engine(
_ELIDED = Shape(r"\.\.\.|…|\*\*|<[\w -]{1,40}>")
_IMPORTS = Shape(r"^[^\S\n]*+(?:from|import)\s+(?:vllm|sglang|lmdeploy)\b", re.M)
_OF_LMDEPLOY = Shape(r"\b(?:Turbomind|Pytorch)EngineConfig\(")
_USUAL = {
    "vllm": "from vllm import LLM, AsyncLLM, LLMEngine, EngineArgs, AsyncEngineArgs; import vllm; ",
    "sglang": "from sglang import Engine, ServerArgs; import sglang; import sglang as sgl; ",
    "lmdeploy": "from lmdeploy import pipeline, serve, TurbomindEngineConfig, PytorchEngineConfig; import lmdeploy; ",
}


def read(text: str, knowledge: Mapping[str, Knowledge], engine: str | None, source: Source) -> tuple[Launch, ...]:
    """The launches of the code, each complete; none where the text is not whole Python or leaves something out."""
    called = _CALL.search(text) if len(text) <= MAX_CODE else None
    if called is None or _ELIDED.search(text):
        return ()
    chosen = _engine(text, called, engine)
    if not _IMPORTS.search(text) and (not chosen or engine not in (None, "", chosen)):
        return ()
    from advisor.launches.files import python_file  # seldom needed, and not small

    before = "" if _IMPORTS.search(text) else _USUAL[chosen]
    found = python_file.read(source.name, before + text.strip(), knowledge)
    launches = [one.launch for one in found.workloads] if found and not found.unread else []
    kept = [one for one in launches if one.complete and one.engine in knowledge and engine in (None, "", one.engine)]
    skipped = text[: len(text) - len(text.lstrip())].count("\n")
    return tuple(_placed(one, source, text, skipped) for one in kept) if len(kept) == len(launches) else ()


def _engine(text: str, called: re.Match[str], engine: str | None) -> str:
    """The engine whose entry point is called; "" where the name alone does not say: `pipeline` is others', too."""
    root, last = called["root"] or "", called["name"].rpartition(".")[2]
    if root:
        return {"sgl": "sglang"}.get(root, root)
    if last in ("pipeline", "serve"):
        return "lmdeploy" if engine == "lmdeploy" or _OF_LMDEPLOY.search(text) else ""
    if last in ("Engine", "ServerArgs"):
        return "sglang" if engine == "sglang" else ""
    return "vllm"


def _placed(launch: Launch, source: Source, text: str, skipped: int) -> Launch:
    """The launch with the lines of the artifact; a call in a paste is not edited."""

    def moved(one: Setting) -> Setting:
        line = one.span.line if one.span else 1
        last = (one.span.end_line if one.span else 0) or line
        shift = source.first_line - 1 + skipped
        return replace(one, span=Span(source.name, line + shift, last + shift), start=-1, end=-1)

    return replace(launch, settings=tuple(map(moved, launch.settings)), text="", artifact=source.name)
