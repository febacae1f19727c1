"""Small repositories, written by a test: an upstream with a fix in it, and forks of it."""

from __future__ import annotations

import os
import subprocess
from collections.abc import Mapping
from pathlib import Path

AGENT = "engine/agent.py"
KERNEL = "engine/kernel.cu"
TEST = "tests/test_agent.py"
DOC = "docs/agent.md"
FIXED = {20: "    meta.is_decoding = old.is_decoding"}


class Repo:
    """A repository; each commit is a minute after the one before, so that its name is the same on every run."""

    def __init__(self, path: Path) -> None:
        self.path, self.minute = path, 0
        path.mkdir(parents=True, exist_ok=True)
        self.git("init", "-q", "-b", "main")
        self.git("config", "user.name", "The User")
        self.git("config", "user.email", "user@fork.example")

    def git(self, *words: str, author: str = "Ada Author", check: bool = True, stdin: str | None = None) -> str:
        when = f"2026-01-01T{self.minute // 60:02d}:{self.minute % 60:02d}:00+02:00"
        names = {"GIT_AUTHOR_NAME": author, "GIT_AUTHOR_EMAIL": "ada@upstream.example", "GIT_AUTHOR_DATE": when}
        env = {"PATH": os.environ["PATH"], "HOME": str(self.path.parent), "GIT_COMMITTER_DATE": when, **names}
        done = subprocess.run(
            ["git", *words], cwd=self.path, env=env, check=check, capture_output=True, text=True, input=stdin
        )
        return done.stdout.strip()

    def write(self, files: Mapping[str, str | None]) -> None:
        for name, text in files.items():
            path = self.path / name
            if text is None:
                path.unlink()
            else:
                path.parent.mkdir(parents=True, exist_ok=True)
                path.write_text(text)

    def commit(self, message: str, files: Mapping[str, str | None] | None = None) -> str:
        self.minute += 1
        self.write(files or {})
        self.git("add", "-A")
        self.git("commit", "-q", "--allow-empty", "-m", message)
        return self.git("rev-parse", "HEAD")

    def tree(self, revision: str = "HEAD") -> str:
        return self.git("rev-parse", f"{revision}^{{tree}}")

    def fork(self, path: Path, at: str) -> Repo:
        """A clone of this one, on a branch `main` at a commit, with nothing after it."""
        fork = Repo(path)
        fork.minute = self.minute + 100
        fork.git("fetch", "-q", str(self.path), at)
        fork.git("reset", "-q", "--hard", "FETCH_HEAD")
        return fork


def lines(changed: Mapping[int, str] | None = None, count: int = 40) -> str:
    """A text of numbered lines, some of them others."""
    return "".join(f"{(changed or {}).get(number, f'    line {number}')}\n" for number in range(1, count + 1))


class Upstream(Repo):
    """`before`, then `need` (a commit that the fix builds on), then `fix`, which touches code, kernel, test and docs."""

    def __init__(self, path: Path) -> None:
        super().__init__(path)
        self.git("config", "uploadpack.allowAnySHA1InWant", "true")
        files = {"engine/__init__.py": "", AGENT: lines(), KERNEL: lines(), TEST: lines(), DOC: lines()}
        self.before = self.commit("Start", files)
        self.need = self.commit("Give warm-up its metadata (#7)", {AGENT: lines({30: "    warm_up(meta)"})})
        self.fix = self.commit(
            "Keep the decoding mark (#8)\n\nIt was lost in the draft loop.\n\n---\nSigned-off-by: Ada <ada@upstream.example>",
            {
                AGENT: lines({**FIXED, 30: "    warm_up(meta, guarded=True)"}),
                KERNEL: lines({10: "    barrier();"}),
                TEST: lines({5: "    assert mark"}),
                DOC: lines({2: "    The mark is kept."}),
            },
        )
