"""What an engine says of itself at start-up -> engine, version, the arguments it took, the libraries it names.

    INFO 10-06 04:50:11 [api_server.py:1839] vLLM API server version 0.11.0
    INFO 10-06 04:50:11 [utils.py:233] non-default args: {'model': '...', 'tensor_parallel_size': 2}
    [2026-08-02 10:01:00] server_args=ServerArgs(model_path='...', tp_size=2, ...)
    2026-08-19 10:00:00,123 - lmdeploy - INFO - async_engine.py:130 - input backend=pytorch, backend_config=...
    I20260124 17:37:10.071696 1003807 master.cpp:420] Master init options: backend: llm, ...
    I20251011 14:59:09.588 761 dist_manager.cpp:199] Multi-node serving world_size = 2, ..., ep_size = 1, tp_size = 2

Facts: `banner.engine`, `banner.version`, `banner.args` (raw, read elsewhere), `banner.complete` (at the same place:
whether what that dump leaves out has its default), `component.torch`. A dump that breaks off is not complete; nor are
LMDeploy's and xLLM's, which print the engine's own options and no others. No facts: the log starts later, or is not an
engine's. Without a banner an engine is named only when paths or process names of exactly one engine stand in the text.

**Source:** vLLM `entrypoints/openai/api_server.py` and `entrypoints/serve/utils/api_utils.py` (`log_version_and_model`,
`log_non_default_args`), `v1/engine/core.py`; SGLang 0.5.17 and 0.5.19 `entrypoints/engine.py`; LMDeploy 0.18.0
`serve/core/async_engine.py`; xLLM `core/distributed_runtime/master.cpp` (`print_startup_banner`) and
`dist_manager.cpp` at 3906f5a91.
"""

from __future__ import annotations

import re
from collections.abc import Iterator

from advisor.evidence.lines import line_around, occurrences
from advisor.evidence.sighting import sighting
from advisor.model.fact import Artifact, Fact, FactKind
from advisor.model.shape import Shape

FACTS = (
    FactKind(
        "banner.engine",
        "str",
        "the engine that printed this",
        "Which engine is it: vLLM, SGLang, LMDeploy or xLLM?",
        "head -n 50 LOG",
    ),
    FactKind(
        "banner.version",
        "str",
        "the version the engine printed at start-up",
        "Which version does the engine print at start-up?",
        "pip show vllm sglang lmdeploy 2>/dev/null | grep -E '^(Name|Version)'",
    ),
    FactKind(
        "banner.args",
        "str",
        "the arguments the engine printed at start-up, raw",
        "Which arguments does the engine print at start-up?",
        "grep -hE 'server_args=|non-default args|backend_config=|Master init options' LOG",
    ),
    FactKind(
        "banner.complete",
        "bool",
        "the printed arguments are all of them, or all that differ from the default",
        "Is the line with the arguments whole?",
        "grep -hE 'server_args=|non-default args' LOG | tail -c 300",
    ),
    FactKind(
        "component.torch",
        "str",
        "the PyTorch version that ran",
        "Which PyTorch is installed?",
        "python3 -c 'import torch; print(torch.__version__)'",
    ),
)

_V = r"v?(\d+\.\d[\w.+]*+)"
# mark, engine, pattern of the version that follows it (None: this line bears no version)
_BANNERS: tuple[tuple[str, str, re.Pattern[str] | None], ...] = (
    ("vLLM API server version ", "vllm", Shape(rf"vLLM API server version {_V}")),
    ("vLLM server version ", "vllm", Shape(rf"vLLM server version {_V}")),
    ("LLM engine (v", "vllm", Shape(rf"LLM engine \({_V}\)")),
    ("▀▄▀ █  version ", "vllm", Shape(rf"▀▄▀ █  version {_V}")),
    ("server_args=ServerArgs(", "sglang", None),
    ("server_args={", "sglang", None),
    ("input backend=", "lmdeploy", None),
    ("updated backend_config=", "lmdeploy", None),
    ("Master init options: ", "xllm", None),
)
_ARGS = (
    "server_args=ServerArgs(",
    "server_args={",
    "non-default args: ",
    " args: Namespace(",
    "input backend=",
    "- speculative_config=SpeculativeConfig(",
    "updated backend_config=",
    "Master init options: ",
    "Multi-node serving world_size = ",
)
_WHOLE = _ARGS[:4]  # those that print everything, or everything that is not a default
_TRACES = {
    "sglang": ("sglang/srt/", "sglang::scheduler", "sglang::detokenizer"),
    "vllm": ("vllm/v1/", "vllm/engine/", "vllm/worker/", "(EngineCore", "(VllmWorker", "VLLM::"),
    "lmdeploy": ("lmdeploy/pytorch/", "lmdeploy/serve/", "lmdeploy/turbomind/", "- lmdeploy - ", "Avg thr (in/out):"),
    "xllm": ("xllm::",),
}
_TORCH_MARK = "PyTorch version "
MARKS = (
    *(mark for mark, _, _ in _BANNERS),
    *_ARGS,
    *(mark for marks in _TRACES.values() for mark in marks),
    _TORCH_MARK,
)
_TORCH = Shape(r"PyTorch version (\d+\.\d[\w.+]*+) available")  # PyTorch version 2.8.0 available.
_MAX = 50
_LONGEST = 200_000  # characters
_CUT = (", ...", ",...", "...)", "...}", "…", "<snip>", "[truncated]")


def read(artifact: Artifact) -> Iterator[Fact]:
    """Everything the banners in the artifact say."""
    banners = list(_banners(artifact))
    yield from banners or _traces(artifact)
    for mark in _ARGS:
        for count, at in enumerate(occurrences(artifact.text, mark)):
            if count >= _MAX:
                break
            row = line_around(artifact.text, at)
            dump = artifact.text[at : row.end].strip(" -")
            yield sighting(artifact, "banner.args", dump, at, row.end)
            yield sighting(artifact, "banner.complete", mark in _WHOLE and whole(dump), at, row.end)
    for at in occurrences(artifact.text, _TORCH_MARK):
        found = _TORCH.match(artifact.text, at)
        if found:
            yield sighting(artifact, "component.torch", found[1], at)
            break


def whole(dump: str) -> bool:
    """Whether the dump's outermost bracket closes, and nothing in it was cut out by hand."""
    depth, quote, opened, before = 0, "", False, ""
    for char in dump[:_LONGEST]:
        if quote:
            quote = "" if char == quote and before != "\\" else quote
        elif char in "'\"" and not before.isalnum():
            quote = char
        elif char in "([{":
            depth, opened = depth + 1, True
        elif char in ")]}":
            depth -= 1
        before = "" if before == char == "\\" else char
    return opened and depth == 0 and not quote and not any(mark in dump for mark in _CUT)


def starts(text: str) -> list[int]:
    """Where banners stand, in order: a process that starts again prints them again."""
    return sorted(at for mark, _, _ in _BANNERS for at in occurrences(text, mark))


def _banners(artifact: Artifact) -> Iterator[Fact]:
    text = artifact.text
    for mark, engine, pattern in _BANNERS:
        for count, at in enumerate(occurrences(text, mark)):
            if count >= _MAX:
                break
            row = line_around(text, at)
            who = "xllm" if engine == "vllm" and "▀█▄ ▀" in row.text else engine
            yield sighting(artifact, "banner.engine", who, at)
            found = pattern.match(text, at) if pattern else None
            found = found or (pattern.search(text, max(row.start, at - 10), row.end) if pattern else None)
            if found:
                yield sighting(artifact, "banner.version", found[1], at)


def _traces(artifact: Artifact) -> Iterator[Fact]:
    text = artifact.text
    seen = {engine: at for engine, marks in _TRACES.items() for mark in marks if (at := text.find(mark)) >= 0}
    if len(seen) == 1:
        engine, at = seen.popitem()
        yield sighting(
            artifact, "banner.engine", engine, at, why="paths or names of this engine alone stand in the text"
        )
