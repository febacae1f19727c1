"""A git directory and a command -> what git answers: the one place from which git is started.

A clone is asked, never trusted: it may be an archive that somebody sent, with a configuration that names programs. So
no command given here compares files of a work tree, for git would run the filters that attributes and configuration
name; nothing of the user's or the system's configuration is read; no variable of the environment points git elsewhere;
`KEYS` outweighs what the clone's own configuration could start; and no transport is allowed, so that a partial clone
does not fetch what it lacks.
"""

from __future__ import annotations

import os
import re
import subprocess
from collections.abc import Mapping
from pathlib import Path

from advisor.errors import UpstreamError

KEYS = {
    "core.hooksPath": os.devnull,
    "core.fsmonitor": "false",
    "core.sshCommand": "false",
    "core.alternateRefsCommand": "true",
    "core.pager": "cat",
    "core.quotePath": "false",
    "diff.external": "",
    "diff.submodule": "short",  # the others run git in a submodule, by that one's configuration
    "submodule.recurse": "false",
    "log.showSignature": "false",
    "commit.gpgSign": "false",
    "gc.auto": "0",
    "maintenance.auto": "false",
    "protocol.allow": "never",
    "i18n.logOutputEncoding": "UTF-8",
}
_OPTIONS = tuple(word for key, value in KEYS.items() for word in ("-c", f"{key}={value}"))
_IDENTITY = {f"GIT_{role}_{what}": "advisor" for role in ("AUTHOR", "COMMITTER") for what in ("NAME", "EMAIL")}
_CLOSED = {
    **_IDENTITY,
    "GIT_AUTHOR_DATE": "@0 +0000",
    "GIT_COMMITTER_DATE": "@0 +0000",
    "LC_ALL": "C",
    "GIT_CONFIG_NOSYSTEM": "1",
    "GIT_CONFIG_GLOBAL": os.devnull,
    "GIT_ATTR_NOSYSTEM": "1",
    "GIT_NO_REPLACE_OBJECTS": "1",
    "GIT_NO_LAZY_FETCH": "1",
    "GIT_ALLOW_PROTOCOL": "none",
    "GIT_TERMINAL_PROMPT": "0",
    "GIT_OPTIONAL_LOCKS": "0",
    "GIT_EDITOR": "true",
    "GIT_PAGER": "cat",
}
_WHO = re.compile(r"GIT_(?:AUTHOR|COMMITTER|CONFIG)_")  # what says who the user is
NO_GIT = "install git, or let GIT_PYTHON_GIT_EXECUTABLE name it"


def run(
    git_dir: Path | None,
    *words: str,
    stdin: bytes = b"",
    env: Mapping[str, str] | None = None,
    limit_s: float | None = None,
    tree: Path | None = None,
    as_user: bool = False,
) -> subprocess.CompletedProcess[bytes]:
    """Git's answer and exit code, whatever it is. Raises UpstreamError where git cannot be run, or not in time.

    It is started in the git directory, or in the work tree `tree`, so that no name is taken for one below the user's
    own folder. `as_user` reads the user's configuration too, for the one question of who the user is.
    """
    program = os.environ.get("GIT_PYTHON_GIT_EXECUTABLE") or "git"  # as the library that opens clones is told
    at = [f"--git-dir={git_dir}"] * bool(git_dir) + [f"--work-tree={tree}"] * bool(tree)
    try:
        return subprocess.run(  # noqa: S603 - no shell; callers hand names and paths they checked
            [program, *_OPTIONS, *at, *words],
            input=stdin,
            capture_output=True,
            check=False,
            cwd=tree or git_dir,
            env={**_environment(as_user), **(env or {})},
            timeout=limit_s,
        )
    except subprocess.TimeoutExpired:
        raise UpstreamError(f"git took longer than {limit_s:.0f} s", None, None) from None
    except (FileNotFoundError, PermissionError):
        raise UpstreamError("git cannot be run", None, NO_GIT) from None


def ask(git_dir: Path, *words: str, tree: Path | None = None) -> str:
    """What git prints, bytes that are no UTF-8 kept as surrogates. Raises UpstreamError with git's own words."""
    done = run(git_dir, *words, tree=tree)
    if done.returncode:
        raise UpstreamError(f"git {words[0]}: {said(done)}", str(git_dir))
    return done.stdout.decode("utf-8", "surrogateescape")


def revision(git_dir: Path, name: str) -> str:
    """The full commit that a revision names, also without a tag's `v` or a branch's `origin/`; "" for none."""
    for one in (name,) if name == "HEAD" else (name, f"v{name}", f"origin/{name}"):
        done = run(git_dir, "rev-parse", "--quiet", "--verify", "--end-of-options", f"{one}^{{commit}}")
        found = done.stdout.decode("utf-8", "replace").strip()
        if done.returncode == 0 and re.fullmatch(r"[0-9a-f]{40}", found):  # ^v0.14.0 is all that is not below it
            return found
    return ""


def tag_and_branch(git_dir: Path, name: str) -> str:
    """The name of a revision when a tag and a branch bear it, of which git takes the tag; else ""."""
    for one in (name, f"v{name}") if name else ():
        kinds = (f"refs/tags/{one}", f"refs/heads/{one}")
        found = set(ask(git_dir, "for-each-ref", "--format=%(refname)", *kinds).split()) & set(kinds)
        if found:
            return one if len(found) == len(kinds) else ""
    return ""


def said(done: subprocess.CompletedProcess[bytes]) -> str:
    """Git's own words of a failure, on one line."""
    text = done.stderr.decode("utf-8", "replace").strip() or f"exit code {done.returncode}"
    return "; ".join(line.removeprefix("fatal: ").removeprefix("error: ") for line in text.splitlines()[-3:])


def _environment(as_user: bool) -> dict[str, str]:
    """Ours without any variable for git, and every door to configuration and network shut."""
    ours = {name: value for name, value in os.environ.items() if not name.startswith(("GIT_", "SSH_", "GPG_"))}
    if not as_user:
        return {**ours, **_CLOSED}
    who = {name: value for name, value in os.environ.items() if _WHO.match(name)}
    return {**ours, **{name: value for name, value in _CLOSED.items() if not _WHO.match(name)}, **who}
