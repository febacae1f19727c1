"""The compiled forms in the cache: whatever lies there under their names, an answer is the same."""

from __future__ import annotations

import os
import re
import subprocess
import sys
from pathlib import Path

import pytest

COMMAND = (
    "check",
    "--engine",
    "vllm",
    "--version",
    "0.28.0",
    "--flags",
    "vllm serve m -pp 2 --swap-space 4",
    "--format",
    "json",
)
KINDS = ("catalog-", "engines-", "settings-vllm-", "replacements-")


def run(cache: Path) -> tuple[int, bytes, bytes]:
    done = subprocess.run(
        [sys.executable, "-m", "advisor", *COMMAND],
        capture_output=True,
        check=False,
        env={**os.environ, "XDG_CACHE_HOME": str(cache), "PYTHONPATH": os.pathsep.join(sys.path)},
    )
    return done.returncode, done.stdout, done.stderr


@pytest.fixture(scope="module")
def answer(tmp_path_factory: pytest.TempPathFactory) -> tuple[Path, tuple[int, bytes, bytes]]:
    cache = tmp_path_factory.mktemp("cache")
    return cache, run(cache)


SPOILED = ["[]", "{}", '"x"', "", "{", '{"vllm": []}', '{"format": 1}', "[" * 5000]
QUICK = re.compile(
    r"engines-|settings-vllm-[0-9a-f]+\.json"
)  # what each run reads; the catalogue takes seconds to make


@pytest.mark.parametrize("content", SPOILED)
def test_a_spoiled_cache_is_made_anew_silently(answer: tuple[Path, tuple[int, bytes, bytes]], content: str) -> None:
    cache, before = answer
    files = [file for file in (cache / "inference-advisor").glob("*.json*")]
    assert {kind for kind in KINDS if any(file.name.startswith(kind) for file in files)} == set(KINDS)
    files = [file for file in files if content in SPOILED[::3] or QUICK.match(file.name)]
    for file in files:
        file.write_text(content)
    assert run(cache) == before
    assert all(file.read_text() != content for file in files)


def test_a_cache_that_cannot_be_written_costs_only_time(
    tmp_path: Path, answer: tuple[Path, tuple[int, bytes, bytes]]
) -> None:
    (tmp_path / "inference-advisor").write_text("a file where the folder would be")
    assert run(tmp_path) == answer[1]


@pytest.mark.parametrize("at", [0.02, 0.5, 0.97])
def test_a_damaged_line_is_made_anew_silently(answer: tuple[Path, tuple[int, bytes, bytes]], at: float) -> None:
    """As long as before and with its head whole: found by the sum of the line, when a case calls for it."""
    cache, before = answer
    (file,) = (cache / "inference-advisor").glob("catalog-*.jsonl")
    sound = file.read_bytes()
    rules = b"".join(line.replace(b'"', b"'") for line in sound.splitlines(keepends=True)[:-1])
    spoiled = rules + sound.splitlines(keepends=True)[-1]
    assert len(spoiled) == len(sound)
    file.write_bytes(spoiled if at == 0.5 else sound[: int(at * len(sound))])
    assert run(cache) == before
    assert file.read_bytes() == sound
