"""What `make bench` measures in milliseconds, kept here in counts: what a check of flags loads, opens and asks for."""

from __future__ import annotations

import pytest

from tests.bench_cold import CHECK
from tests.watching import Seen, watched

OURS = 116
"""Modules of the house that a check of flags may load. Each costs a tenth of a millisecond and what it makes: where
one more is needed, see first whether it is needed at once (`python -X importtime -m advisor check …`)."""
ALL = 225
"""Modules of any kind, beside what Python itself starts with; typer brings 80."""
NEVER = (
    *("advisor.yaml", "yaml", "ruamel", "git", "pydantic", "pydantic_core", "jinja2", "markupsafe", "tree_sitter"),
    *("socket", "ssl", "urllib.request", "http", "email", "asyncio", "concurrent", "multiprocessing", "anyio"),
    *("fastapi", "starlette", "uvicorn", "mcp", "prompt_toolkit", "psutil", "rich", "tempfile", "logging"),
    *("advisor.intake", "advisor.evidence", "advisor.upstream", "advisor.capture", "advisor.catalog.schema"),
    *("advisor.scan", "ahocorasick_rs"),
    *("advisor.faces.lint", "advisor.faces.reference", "advisor.faces.diagnose", "advisor.faces.drafting"),
    *("advisor.launches.files", "advisor.launches.mentions", "advisor.render.html", "advisor.render.json"),
)
QUIET = ("socket.", "subprocess.", "urllib.", "os.system", "os.exec", "os.fork", "os.posix_spawn", "os.spawn", "pty.")


@pytest.fixture(scope="module")
def cold(tmp_path_factory: pytest.TempPathFactory) -> Seen:
    """The second run with a cache of its own: the first reads YAML, once, and keeps what it made of it."""
    scratch = tmp_path_factory.mktemp("cold")
    first, second = (watched(*CHECK, scratch=scratch, XDG_CACHE_HOME=str(scratch)) for _ in range(2))
    assert any(name.endswith(".yaml") for name in first.opened), "the watch sees no YAML where it is read"
    assert first.out == second.out
    return second


def test_it_judges(cold: Seen) -> None:
    assert cold.code == 1 and "rules evaluated" in cold.out


def test_it_reads_no_yaml(cold: Seen) -> None:
    assert [name for name in cold.opened if name.endswith((".yaml", ".yml"))] == []


def test_it_reads_each_file_once(cold: Seen) -> None:
    data = [name for name in cold.opened if name.endswith((".json", ".jsonl"))]
    assert data and len(data) == len(set(data)) <= 8, data


def test_it_asks_for_no_network_and_no_process(cold: Seen) -> None:
    assert cold.events, "the watch hears nothing"
    assert [event for event in cold.events if event.startswith(QUIET)] == []


@pytest.mark.parametrize("name", NEVER)
def test_it_does_not_load(cold: Seen, name: str) -> None:
    assert [one for one in cold.modules if one == name or one.startswith(f"{name}.")] == []


def test_it_loads_few_modules(cold: Seen) -> None:
    ours = sorted(one for one in cold.modules if one.split(".")[0] == "advisor")
    assert len(ours) <= OURS, f"{len(ours)} modules of the house:\n" + "\n".join(ours)
    assert len(cold.modules) <= ALL, f"{len(cold.modules)} modules:\n" + "\n".join(sorted(cold.modules))


def test_it_hardly_looks_for_garbage(cold: Seen) -> None:
    assert cold.looks <= 2  # at Python's own pace it is a hundred times


def test_the_watch_sees_what_is_loaded_elsewhere(tmp_path) -> None:
    """The same watch on a command that needs a library and other commands' modules: else nothing above could fail."""
    seen = watched("schema", "report", scratch=tmp_path)
    assert {"pydantic", "advisor.faces.explain"} <= seen.modules and "advisor.faces.check" not in seen.modules
