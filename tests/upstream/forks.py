"""Small repositories that stand for an engine's upstream and its forks, and what would be known of that upstream."""

from __future__ import annotations

import os
import re
import subprocess
from pathlib import Path

from advisor.model.knowledge import FixRecord, History, Knowledge, Tag
from advisor.model.rule import Fingerprint
from advisor.upstream.checkout import Findings, checked_out, found_in
from advisor.upstream.sought import Sought

ENGINE, REPO, PR = "lmdeploy", "InternLM/lmdeploy", 4741
FILE = "lmdeploy/agent.py"
OLD = "".join(f"line {n}\n" for n in range(20))
BROKEN = OLD.replace("line 10\n", "meta = rebuild()\n")
MENDED = BROKEN.replace(
    "meta = rebuild()\n", "meta = rebuild()\nmeta.decoding = was.decoding\nmeta.pad = was.pad\nmeta.chunk = None\n"
)
MARK = Fingerprint(FILE, present="meta.decoding = was.decoding")


class Repository:
    """A git repository; each commit is a day later than the one before."""

    def __init__(self, path: Path, *, made: bool = True) -> None:
        self.path, self.day = path, 0
        if made:
            path.mkdir(parents=True)
            self.git("init", "-q", "-b", "main")

    def git(self, *arguments: str, who: str = "Upstream") -> str:
        when = f"2026-07-{max(self.day, 1):02d}T12:00:00+00:00"
        roles = {f"GIT_{role}_{what}": who for role in ("AUTHOR", "COMMITTER") for what in ("NAME", "EMAIL")}
        env = {
            "PATH": os.environ["PATH"], "HOME": str(self.path), "GIT_CONFIG_NOSYSTEM": "1", **roles,
            "GIT_AUTHOR_DATE": when, "GIT_COMMITTER_DATE": when, "GIT_ALLOW_PROTOCOL": "file",
        }  # fmt: skip
        done = subprocess.run(["git", *arguments], cwd=self.path, env=env, check=True, capture_output=True, text=True)
        return done.stdout.strip()

    def commit(self, message: str, text: str | None = None, file: str = FILE, who: str = "Upstream") -> str:
        self.day += 1
        if text is not None:
            (self.path / file).parent.mkdir(parents=True, exist_ok=True)
            (self.path / file).write_text(text)
        self.git("add", "-A")
        self.git("commit", "-q", "--allow-empty", "-m", message, who=who)
        return self.git("rev-parse", "HEAD")


class Upstream(Repository):
    """0.14.0, the fault in it, then the fix on main, then 0.15.0."""

    def __init__(self, path: Path) -> None:
        super().__init__(path)
        self.commit("Start (#1)", "", "lmdeploy/__init__.py")
        self.commit("Break (#4700)", BROKEN)
        self.git("tag", "v0.14.0")
        self.before = self.commit("Between (#4720)", "x\n", "lmdeploy/other.py")
        self.fix = self.commit(f"Mend the record (#{PR})", MENDED)
        self.after = self.commit("Later (#4750)", "y\n", "lmdeploy/other.py")
        self.git("tag", "v0.15.0")

    def knowledge(self) -> Knowledge:
        """What a refresh would have read of it."""
        commits = self.git("log", "--first-parent", "--reverse", "--format=%H %cs %s", "main").splitlines()
        numbers = [re.search(r"\(#(\d+)\)$", one) for one in commits]
        named = [(one, f"#{number[1]}" if number else "-") for one, number in zip(commits, numbers, strict=True)]
        lines = [f"{one[:12]} {one[41:51]} {number}\n" for one, number in named]
        tags = {}
        for name in self.git("tag").split():
            left = self.git("merge-base", name, "main")[:12]
            tags[name] = Tag(name, self.git("rev-parse", name), left)
        fixes = {f"{REPO}#{PR}": FixRecord(self.fix, ("0.15.0",), ("0.14.0",), ("git", "fingerprint"))}
        profile = {"repo": REPO}
        return Knowledge(ENGINE, profile=profile, releases=(), history=History("".join(lines)), tags=tags, fixes=fixes)

    def sought(self, *marks: Fingerprint) -> Sought:
        """The fix, as a rule would name it."""
        return Sought(REPO, self.fix, PR, "2026-07-04", marks)

    def forked(self, path: Path, at: str, *more: str) -> Repository:
        """A clone with a branch of its own at a commit."""
        self.git("clone", "-q", *more, f"file://{self.path}", str(path))
        fork = Repository(path, made=False)
        fork.day = self.day
        fork.git("checkout", "-q", "-b", "ours", at)
        return fork

    def judged(self, clone: Repository, *marks: Fingerprint, ref: str = "", known: Knowledge | None = None) -> Findings:
        """What the clone turns out to be."""
        return found_in(checked_out(clone.path, ref=ref), known or self.knowledge(), [self.sought(*marks)])


def told(found: Findings) -> list[tuple[str, bool | None]]:
    """How each holding was told, and what it says."""
    return [(one.by, one.held) for one in found.build.holdings]
