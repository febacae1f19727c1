"""A tree that no history places -> the version that it is said to be based on, and who says so.

    --version 0.14.0                            the user
    lmdeploy/version.py: __version__ = '0.14.0' the tree itself
    refs/tags/v0.14.0-ours                      the name of a tag of the clone's own, on a commit that is not upstream's

Each is a weaker claim than a commit of upstream's: a vendor may have left the number, or raised it. The user's word
comes first, the tree's second, a tag's last; all that were found are kept, so that they can be compared. None is there
where nobody says a version.

**Source:** where each engine keeps its version: lmdeploy v0.14.0 lmdeploy/version.py; sglang v0.4.6
python/sglang/version.py and python/pyproject.toml, later setuptools-scm's python/sglang/_version.py; vLLM v0.6.0
vllm/version.py, v0.20.1 setuptools-scm's vllm/_version.py, which is no tracked file; xLLM v0.10.1 version.txt (read
2026-11-29).
"""

from __future__ import annotations

import re
import tomllib
from collections.abc import Callable, Iterator
from dataclasses import dataclass

from git import Repo

from advisor.errors import UpstreamError
from advisor.model.build import base, order_key, parse_version
from advisor.model.knowledge import Knowledge
from advisor.upstream.history import ask
from advisor.upstream.installed import VERSION

FILES = {
    "vllm": ("vllm/_version.py", "vllm/version.py"),
    "sglang": ("python/sglang/_version.py", "python/sglang/version.py", "python/pyproject.toml"),
    "lmdeploy": ("lmdeploy/version.py",),
    "xllm": ("version.txt",),
}
"""Where the tree of each engine may say its version, the plainest first."""

_TAG = re.compile(r"v?(\d+\.\d+(?:\.\d+)*(?:(?:a|b|rc)\d+)?(?:\.post\d+)?)(?:[-_+].*)?", re.A)  # v0.14.0-ours.3
_TYPED = re.compile(r"v?\d+\.\d+[\w.+!-]*", re.A)  # 0.14.0   v0.5.6.post2


@dataclass(frozen=True)
class Stated:
    """A version stated for a tree: `by` whom, at which `place`, and `says` in words."""

    version: str
    by: str
    place: str
    says: str


def reads_as_version(text: str) -> bool:
    """Whether a user may mean a version by it: a number of two parts or more, and no other text."""
    return bool(_TYPED.fullmatch(text)) and parse_version(text) is not None


def stated(
    repo: Repo,
    sha: str,
    ref: str,
    typed: str,
    known: Knowledge,
    read: Callable[[str], tuple[str, str] | None],
) -> tuple[Stated, ...]:
    """Every version stated for the commit, the weightiest first. `typed` is the user's, "" for none; `read` reads a
    file of the commit; `ref` is the revision as the user named it.
    """
    found = [Stated(typed.removeprefix("v"), "user", "--version", f"--version says {typed}")] if typed else []
    return (*found, *_of_tree(known.engine, read), *_of_tags(repo, sha, ref, known))


def _of_tree(engine: str, read: Callable[[str], tuple[str, str] | None]) -> Iterator[Stated]:
    """What the first of the tree's version files that gives one says; a placeholder such as 0.0.0 is none."""
    for name in FILES.get(engine, ()):
        found = read(name)
        version = _version_in(name, found[1]) if found else ""
        number = base(version) if version else None
        if number is not None and any(number.release):
            yield Stated(version, "file", name, f"its {name} says {version}")
            return


def _version_in(name: str, text: str) -> str:
    if name.endswith(".txt"):
        return text.strip().removeprefix("v") if reads_as_version(text.strip()) else ""
    if name.endswith(".toml"):
        try:
            project = tomllib.loads(text).get("project")
        except (tomllib.TOMLDecodeError, RecursionError):
            return ""
        version = project.get("version") if isinstance(project, dict) else None
        return version if isinstance(version, str) and parse_version(version) else ""
    match = VERSION.search(text)
    return match[1] if match and parse_version(match[1]) else ""


def _of_tags(repo: Repo, sha: str, ref: str, known: Knowledge) -> Iterator[Stated]:
    """The number of a tag of the clone's own: the one that the user named, else the newest at or below the commit."""
    try:
        sorting = ("--sort=-version:refname", "--sort=-creatordate")
        below = ask(repo, "for-each-ref", f"--merged={sha}", *sorting, "--format=%(refname:strip=2)", "refs/tags")
    except UpstreamError:
        return
    names = below.split("\n")
    for name in (*(one for one in (ref, f"v{ref}") if ref and one in names), *names):
        number = _TAG.fullmatch(name)
        if number and is_known(number[1], known):
            text = f"its tag {name} bears that number, on a commit that is not known to be upstream's"
            yield Stated(number[1], "tag", f"refs/tags/{name}", text)
            return


def is_known(version: str, known: Knowledge) -> bool:
    """Whether upstream released or tagged such a version."""
    wanted = order_key(version)
    return any(order_key(one.version) == wanted for one in known.releases) or any(
        name in known.tags for name in (version, f"v{version}")
    )
