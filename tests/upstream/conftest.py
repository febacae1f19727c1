"""An upstream with its history, and a fork of it, as clones."""

from pathlib import Path

import pytest

from tests.upstream.forks import Repository, Upstream


@pytest.fixture
def upstream(tmp_path: Path) -> Upstream:
    return Upstream(tmp_path / "upstream")


@pytest.fixture
def fork(tmp_path: Path, upstream: Upstream) -> Repository:
    """A fork of 0.14.0, before the fix, with a commit of its own."""
    made = upstream.forked(tmp_path / "fork", "v0.14.0")
    made.commit("Ours", "ours\n", "lmdeploy/ours.py", who="Fork")
    return made
