"""Git clone -> history.txt (first-parent history of upstream's main) and tags.json (where each release left it).

With both, a build known only by a commit is placed between releases without a clone at hand. history.txt, oldest first:

    # repo: InternLM/lmdeploy
    # horizon: 2026-08-21
    b56ddfb634f0 2026-07-10 #4741
    7258c786c0ff 2023-06-18 -

The pull request is the number a squash merge puts at the end of the subject, ``-`` when the subject ends otherwise. A
fork's clone will do when its main branch is upstream's main; commits of the fork's own at its tip are left out.
"""

from __future__ import annotations

import json
import re
from dataclasses import dataclass
from datetime import UTC, date, datetime
from pathlib import Path

from git import Repo
from git.exc import InvalidGitRepositoryError, NoSuchPathError

from advisor.errors import UpstreamError
from advisor.upstream import git

# v0.15.0  0.14.0a2  v0.8.5.post1  v0.9.0.1  v0.10.0rc2
_ENGINE_TAG = r"v?(\d+(?:\.\d+)+(?:(?:a|b|rc)\d+)?(?:\.post\d+)?)"
# v2.29.3-1: the number after the dash counts packagings of one NCCL version
_NCCL_TAG = r"v(\d+\.\d+\.\d+)-\d+"
# [Bugfix] Stop the hang (#4741)
_SQUASH = re.compile(r"\(#(\d+)\)\s*$")


@dataclass(frozen=True)
class Upstream:
    """Where a component is developed and released; ``package`` is its name on the package index, if it is there."""

    repo: str
    package: str | None
    branch: str = "main"
    tag: str = "v" + _ENGINE_TAG.removeprefix("v?")

    def version(self, tag: str) -> str | None:
        """The version a tag names, None when it is no release tag of this upstream."""
        found = re.fullmatch(self.tag, tag)
        return found[1] if found else None


UPSTREAMS = {
    "vllm": Upstream("vllm-project/vllm", "vllm"),
    "sglang": Upstream("sgl-project/sglang", "sglang"),
    "lmdeploy": Upstream("InternLM/lmdeploy", "lmdeploy", tag=_ENGINE_TAG),  # 0.6.5, 0.14.0a1 carry no v
    "vllm-ascend": Upstream("vllm-project/vllm-ascend", "vllm-ascend"),
    "xllm": Upstream("xLLM-AI/xllm", None),
    "nccl": Upstream("NVIDIA/nccl", None, "master", _NCCL_TAG),  # its wheels hold no source
}


@dataclass(frozen=True)
class Commit:
    """One commit; ``second`` is its committer time (Unix), ``parent`` its first parent."""

    sha: str
    parent: str | None
    second: int
    committer: str
    subject: str

    @property
    def day(self) -> str:
        """Its committer date in UTC."""
        return day_of(self.second)

    @property
    def pr(self) -> int | None:
        """The pull request a squash subject ends with."""
        found = _SQUASH.search(self.subject)
        return int(found[1]) if found else None

    def line(self) -> str:
        """Its line in history.txt."""
        return f"{self.sha[:12]} {self.day} {f'#{self.pr}' if self.pr else '-'}"

    def is_merge_of_upstream(self, largest: int) -> bool:
        """Whether GitHub committed it for a pull request numbered like upstream's, ``largest`` being the largest there.

        A fork counts its own pull requests from 1, so a number below a tenth of it is taken for the fork's.
        """
        return self.pr is not None and self.may_be_upstream(largest)

    def may_be_upstream(self, largest: int) -> bool:
        """The same of a commit between two merges, which may lack a number; a release branch's are not main's."""
        numbered_so = self.pr is None or 10 * self.pr >= largest
        return self.committer == "GitHub" and numbered_so and not self.subject.startswith("[Cherry-pick to ")


@dataclass(frozen=True)
class Tag:
    """A release tag; ``day`` is when it was made (UTC): an annotated tag's own date, else its commit's."""

    name: str
    version: str
    commit: str
    day: str


def refresh_history(engine: str, clone: Path, out: Path, *, fork: str | None = None) -> Path:
    """Write history.txt from a clone of upstream, or of ``fork`` (owner/name). Raises UpstreamError."""
    upstream, repo = upstream_of(engine), opened(clone)
    commits = main_of(repo, upstream, fork)
    header = [
        f"# repo: {upstream.repo}",
        f"# branch: {upstream.branch}, first parents, oldest first",
        f"# horizon: {commits[-1].day}",
        f"# clone: {fork}, a fork. {_TOLD_APART}" if fork else f"# clone: {upstream.repo}",
        f"# made by: advisor.upstream.history.refresh_history({engine!r}, <clone>)",
        "# columns: commit, committer date (UTC), pull request or -",
    ]
    return write(out, "\n".join([*header, *(commit.line() for commit in commits)]) + "\n")


def refresh_tags(engine: str, clone: Path, out: Path, *, fork: str | None = None, read: date | None = None) -> Path:
    """Write tags.json from a clone: every release tag, its commit, its date and the commit of main it descends from."""
    upstream, repo = upstream_of(engine), opened(clone)
    place = {commit.sha: number for number, commit in enumerate(main_of(repo, upstream, fork))}
    listed = {
        tag.name: {"commit": tag.commit, "date": tag.day, "main": left_main_at(repo, tag.commit, place)}
        for tag in release_tags(repo, upstream)
    }
    known = {"repo": upstream.repo, "clone": fork or upstream.repo, "read": day_read(read), "tags": listed}
    return write(out, json.dumps(known, indent=1, ensure_ascii=False) + "\n")


def upstream_of(engine: str) -> Upstream:
    """The upstream of an engine or component; UpstreamError names the known ones."""
    if engine not in UPSTREAMS:
        raise UpstreamError(f"no upstream is known for {engine!r}", hint=f"known: {', '.join(sorted(UPSTREAMS))}")
    return UPSTREAMS[engine]


def opened(clone: Path) -> Repo:
    """The repository at a path: a work tree or a bare git directory."""
    try:
        return Repo(clone)
    except (InvalidGitRepositoryError, NoSuchPathError) as error:
        raise UpstreamError("not a git clone", str(clone)) from error


def ask(repo: Repo, *arguments: str) -> str:
    """What git prints, without the last line's end. Raises UpstreamError with git's own words."""
    return git.ask(Path(repo.git_dir), *arguments).removesuffix("\n")


def mainline(repo: Repo, branch: str) -> list[Commit]:
    """First-parent history of a branch, oldest first."""
    return _commits(
        ask(repo, "log", "--first-parent", "--reverse", f"--format={_COMMIT_FIELDS}", main_ref(repo, branch), "--")
    )


def main_ref(repo: Repo, branch: str) -> str:
    """The branch as fetched from origin, else the clone's own; UpstreamError when it has neither."""
    places = (f"refs/remotes/origin/{branch}", f"refs/heads/{branch}")
    held = ask(repo, "for-each-ref", "--format=%(refname)", *places).split()
    if not held:
        raise UpstreamError(f"the clone has no branch {branch}", str(repo.git_dir))
    return max(held)


def upstream_part(repo: Repo, branch: str) -> list[Commit]:
    """Upstream's main as far as a fork's clone holds it, oldest first.

    The fork's own commits at the tip of its main are left out; then it goes on along the branch with the newest base.
    """
    commits = mainline(repo, branch)
    largest = max((commit.pr or 0 for commit in commits), default=0)
    while commits and not commits[-1].is_merge_of_upstream(largest):
        commits.pop()
    if not commits:
        raise UpstreamError(f"no commit of {branch} looks like a merge of upstream's", str(repo.git_dir))
    return commits + _beyond(repo, commits[-1].sha, largest)


def _beyond(repo: Repo, tip: str, largest: int) -> list[Commit]:
    """The longest run of upstream's merges that starts on ``tip`` and that some branch of the clone is built on."""
    newer = ask(repo, "log", "--branches", "--committer=GitHub", f"--format={_COMMIT_FIELDS}", "--not", tip)
    for candidate in sorted(_commits(newer), key=lambda commit: commit.second, reverse=True):
        if candidate.is_merge_of_upstream(largest):
            run = _commits(
                ask(repo, "log", "--first-parent", "--reverse", f"--format={_COMMIT_FIELDS}", f"{tip}..{candidate.sha}")
            )
            if run[0].parent == tip and all(commit.may_be_upstream(largest) for commit in run):
                return run
    return []


def main_of(repo: Repo, upstream: Upstream, fork: str | None = None) -> list[Commit]:
    """Upstream's main in a clone of upstream or of a fork, oldest first."""
    return upstream_part(repo, upstream.branch) if fork else mainline(repo, upstream.branch)


def release_tags(repo: Repo, upstream: Upstream) -> list[Tag]:
    """Every release tag of a clone, oldest date first."""
    found = []
    for line in ask(repo, "for-each-ref", "refs/tags", f"--format={_TAG_FIELDS}").split("\n"):
        name, _, rest = line.partition("\t")
        version = upstream.version(name)
        if version:
            plain, annotated, second = rest.split("\t")
            found.append(Tag(name, version, annotated or plain, day_of(int(second))))
    return sorted(found, key=lambda tag: (tag.day, tag.name))


def left_main_at(repo: Repo, commit: str, place: dict[str, int]) -> str | None:
    """The newest commit of main (12 hex) below a commit, ``place`` numbering main's; None when they share none."""
    shared = [sha for sha in ask(repo, "rev-list", commit).split() if sha in place]
    return max(shared, key=place.__getitem__)[:12] if shared else None


def write(out: Path, text: str) -> Path:
    """Write a knowledge file, making its folder; the same text is the same bytes everywhere."""
    out.parent.mkdir(parents=True, exist_ok=True)
    out.write_text(text, encoding="utf-8", newline="\n")
    return out


def day_read(read: date | None) -> str:
    """The day to note as read: the one given, else today (UTC)."""
    return (read or datetime.now(UTC).date()).isoformat()


def day_of(second: int) -> str:
    """The UTC day of a Unix time."""
    return datetime.fromtimestamp(second, UTC).date().isoformat()


_TOLD_APART = (
    "Upstream's main is told apart by its merges: committed by GitHub, the subject ending in a pull request number of "
    "upstream's size; the newest such commit that any branch of the fork is built on ends this history."
)
_COMMIT_FIELDS = "%H%x09%P%x09%ct%x09%cn%x09%s"
# An annotated tag's object is the tag and *objectname its commit; a plain tag's object is the commit.
_TAG_FIELDS = "%(refname:strip=2)%09%(objectname)%09%(*objectname)%09%(creatordate:unix)"


def _commits(printed: str) -> list[Commit]:
    return [_commit(line) for line in printed.split("\n") if line]


def _commit(line: str) -> Commit:
    sha, parents, second, committer, subject = line.split("\t", 4)
    return Commit(sha, parents.partition(" ")[0] or None, int(second), committer, subject)
