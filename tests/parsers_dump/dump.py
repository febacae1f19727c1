"""An installed engine -> its own parser's arguments and its environment variables, as JSON on standard output.

    python -m tests.parsers_dump.dump ENGINE FOLDER < {"VARIABLE": "text said to act as its absence", ...}

Runs inside the engine's environment; FOLDER holds the unpacked wheel. The parser is the one the server builds: `vllm
serve`, `sglang.launch_server`, `lmdeploy serve api_server`. vllm-ascend has none: its keys of `--additional-config`.
"""

from __future__ import annotations

import contextlib
import importlib
import json
import os
import sys
import warnings
from pathlib import Path
from typing import Any

from tests.parsers_dump import additional_config, stand_ins
from tests.parsers_dump.arguments import PARSERS, arguments, plain
from tests.parsers_dump.registry import REGISTRIES, variables


def prepare() -> None:
    """Keep libraries of another age than the release from objecting to being registered with twice."""
    with contextlib.suppress(Exception):
        mapping: Any = importlib.import_module("transformers.models.auto.configuration_auto")._LazyConfigMapping
        register = mapping.register
        mapping.register = lambda self, key, value, exist_ok=False: register(self, key, value, exist_ok=True)
    with contextlib.suppress(Exception):
        cache: Any = importlib.import_module("triton.runtime.cache")
        cache.default_cache_dir = cache.default_dump_dir = cache.default_override_dir = lambda: "unused"


def main() -> None:
    """Print one JSON object; whatever the engine prints goes to standard error."""
    engine, folder = sys.argv[1], Path(sys.argv[2])
    said, out = json.load(sys.stdin), os.fdopen(os.dup(1), "w")
    os.dup2(2, 1)
    warnings.simplefilter("ignore")
    sys.path.insert(0, str(folder))
    finder = stand_ins.install(engine, folder)
    prepare()
    complete = engine in PARSERS
    flags = arguments(PARSERS[engine]()) if complete else additional_config.arguments(plain)
    registry = folder / REGISTRIES[engine]
    found = variables(registry, said) if registry.exists() else None
    dumped = {"flags": flags, "complete": complete, "variables": found, "stand_ins": sorted(finder.used)}
    print(json.dumps(dumped), file=out, flush=True)
    os._exit(0)  # engines leave threads behind


if __name__ == "__main__":
    main()
