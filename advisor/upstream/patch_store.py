"""Clones on disk -> a store: a bare repository of our own, in a temporary folder, that sees all their objects.

Trees are merged and commits made in the store, so that nothing of a clone is touched: not its work tree, index, refs or
object files. Git runs there with the store's empty configuration: no hook, filter, merge driver or external diff of the
clone or of its user is read. What is asked of a clone itself (see `git`) names its refs and its user; what is done to
it is unpacking finished objects and making one branch (see `patch_series`).
"""

from __future__ import annotations

import re
import signal
import subprocess
import threading
from collections.abc import Iterator, Mapping, Sequence
from contextlib import ExitStack, contextmanager
from dataclasses import dataclass
from pathlib import Path

from advisor import own_folders
from advisor.errors import UpstreamError, UsageError
from advisor.upstream import git


@dataclass(frozen=True)
class Clone:
    """A clone on disk: its path as given, its git directory, and the one that work trees share."""

    path: Path
    git_dir: Path
    common_dir: Path

    def revision(self, name: str) -> str:
        """The full commit a revision names. Raises UsageError when it names none."""
        found = git.revision(self.git_dir, name)
        if not found:
            raise UsageError(f"no commit is named {name!r} in {self.path}", "--ref", "a branch, tag or commit of it")
        return found

    def shallow(self) -> set[str]:
        """The commits at which this clone's history is cut off."""
        listed = self.common_dir / "shallow"
        return set(listed.read_text().split()) if listed.is_file() else set()


def located(path: Path) -> Clone:
    """The clone at a path: a work tree, a linked work tree or a bare git directory. Raises UsageError."""
    try:
        return _located(path)
    except OSError as error:
        raise UsageError(f"cannot be read ({error.strerror or error})", str(path)) from None


def _located(path: Path) -> Clone:
    git_dir = path / ".git"
    if git_dir.is_file():  # gitdir: /home/me/vllm/.git/worktrees/fork
        git_dir = path / git_dir.read_text(encoding="utf-8", errors="replace").partition("gitdir:")[2].strip()
    git_dir = (git_dir if git_dir.is_dir() else path).absolute()
    if not (git_dir / "HEAD").is_file():
        raise UsageError("not a git clone" if path.exists() else "no such folder", str(path), "the top of a clone")
    clone = of_git_dir(path, git_dir)
    if not (clone.common_dir / "objects").is_dir():
        raise UsageError("not a git clone: it has no objects", str(path), "the top of a clone")
    settings = clone.common_dir / "config"
    if settings.is_file() and re.search(r"(?i)objectformat\s*=\s*sha256", settings.read_text(errors="replace")):
        raise UsageError("a clone with SHA-256 object names; upstream's are SHA-1", str(path))
    return clone


def of_git_dir(path: Path, git_dir: Path) -> Clone:
    """The clone of a git directory, which a linked work tree's names another beside it."""
    shared = git_dir / "commondir"
    return Clone(path, git_dir, git_dir / shared.read_text().strip() if shared.is_file() else git_dir)


@dataclass(frozen=True)
class Store:
    """A temporary bare repository that sees the objects of some clones; `limit_s` bounds each command."""

    path: Path
    limit_s: float | None = None

    def git(self, *words: str, stdin: bytes = b"", env: Mapping[str, str] | None = None) -> bytes:
        """What git prints. Raises UpstreamError with git's own words when it fails."""
        done = self.tried(*words, stdin=stdin, env=env)
        if done.returncode:
            raise UpstreamError(f"git {words[0]}: {git.said(done)}", None, _hint(git.said(done)))
        return done.stdout

    def tried(
        self, *words: str, stdin: bytes = b"", env: Mapping[str, str] | None = None
    ) -> subprocess.CompletedProcess[bytes]:
        """Git's answer and exit code, whatever it is."""
        return git.run(self.path, *words, stdin=stdin, env=env, limit_s=self.limit_s)

    def word(self, *words: str, stdin: bytes = b"", env: Mapping[str, str] | None = None) -> str:
        """What git prints, as one stripped text."""
        return self.git(*words, stdin=stdin, env=env).decode("utf-8", "surrogateescape").strip()

    def commits(self, prefix: str) -> list[str]:
        """The commits whose name starts so, sorted."""
        if len(prefix) == 40:
            return [prefix] if self.tried("cat-file", "-t", prefix).stdout == b"commit\n" else []
        named = self.git("rev-parse", f"--disambiguate={prefix}")
        kinds = self.word("cat-file", "--batch-check=%(objectname) %(objecttype)", stdin=named).splitlines()
        return sorted(line.split()[0] for line in kinds if line.endswith(" commit"))

    def parents(self, commit: str) -> list[str]:
        """A commit's parents as it names them, whether or not they are there."""
        head = self.git("cat-file", "commit", commit).partition(b"\n\n")[0].decode("utf-8", "replace")
        return re.findall(r"(?m)^parent ([0-9a-f]{40})$", head)

    def is_ancestor(self, older: str, newer: str) -> bool:
        """Whether `newer` is `older` or built on it, as far as the history goes."""
        return self.tried("merge-base", "--is-ancestor", older, newer).returncode == 0

    def index(self, name: str) -> dict[str, str]:
        """The environment in which commands use an index file of this name, in the store."""
        return {"GIT_INDEX_FILE": str(self.path / f"index-{name}")}


@contextmanager
def store(clones: Sequence[Clone], limit_s: float | None = None) -> Iterator[Store]:
    """A store over these clones; its folder is removed on every way out, an interrupt included."""
    with _ended_by_signals(), _temporary() as folder:
        path = Path(folder) / "store.git"
        done = git.run(None, "init", "--quiet", "--bare", "--template=", str(path))
        if done.returncode:
            raise UpstreamError(f"git init: {git.said(done)}", folder)
        (path / "objects" / "info").mkdir(parents=True, exist_ok=True)
        places = dict.fromkeys(str((one.common_dir / "objects").resolve()) for one in clones)
        (path / "objects" / "info" / "alternates").write_text("".join(f"{place}\n" for place in places))
        cut = _still_cut(Store(path), {commit for one in clones for commit in one.shallow()})
        if cut:
            (path / "shallow").write_text("".join(f"{commit}\n" for commit in sorted(cut)))
        yield Store(path, limit_s)


@contextmanager
def _temporary() -> Iterator[str]:
    with ExitStack() as stack:
        try:
            folder = stack.enter_context(own_folders.temporary("advisor-patch-"))
        except OSError as error:
            raise UpstreamError(
                f"no temporary folder can be made ({error.strerror or error})", None, "set TMPDIR"
            ) from None
        yield str(folder)


@contextmanager
def _ended_by_signals() -> Iterator[None]:
    """SIGTERM ends what runs here as an interrupt does, so that what was made for it is removed."""
    mine = threading.current_thread() is threading.main_thread() and signal.getsignal(signal.SIGTERM) is signal.SIG_DFL
    if not mine:  # another thread's, or somebody else's to decide
        yield
        return
    signal.signal(signal.SIGTERM, _interrupt)
    try:
        yield
    finally:
        signal.signal(signal.SIGTERM, signal.SIG_DFL)


def _interrupt(number: int, frame: object) -> None:
    raise KeyboardInterrupt


def _still_cut(whole: Store, shallow: set[str]) -> set[str]:
    """The cut-off commits whose parents no other clone brings."""
    held = {commit for commit in shallow if whole.commits(commit)}
    return {commit for commit in held if not all(whole.commits(parent) for parent in whole.parents(commit))}


def _hint(words: str) -> str | None:
    missing = re.search(r"unable to read|could not (?:parse|read)|bad object|missing (?:blob|tree)", words)
    if not missing:
        return None
    return "the clone lacks objects, as a shallow or partial clone does; --from names a whole clone to read them from"
