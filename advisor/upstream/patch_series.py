"""Changes to carry -> the same bytes every time: a mailbox for `git am`, and commits on a new branch.

In the mailbox each message keeps its author, date and subject; a paragraph put before its text says where it is from.

    Exported by advisor 0.1.0 for lmdeploy/mtp-dp-meta.
    Upstream: InternLM/lmdeploy, https://github.com/InternLM/lmdeploy/pull/4741
    …
    (cherry picked from commit b56ddfb634f069b600f0fe3f4730fe289ac7fafe)

The last line is git's own, by which the fix is found again in the history of a fork that took the patch.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass

from advisor import __version__
from advisor.errors import UpstreamError, UsageError
from advisor.upstream.git import run, said
from advisor.upstream.patch_change import DIFF, Change
from advisor.upstream.patch_store import Clone, Store

# Signed-off-by: A <a@b.c>   or   (cherry picked from commit 0123…)
_FOOTER = re.compile(r"[A-Za-z][\w-]*: .+|\(cherry picked from commit [0-9a-f]+\)")
# Lines of a message at which `git am` would end the message or the mail
_BREAKS = re.compile(r"(?m)^(?=---|diff -|Index: |From )")


@dataclass(frozen=True)
class Provenance:
    """What a patch's header says beside what its commit knows."""

    rule: str
    summary: str
    repo: str
    url: str
    role: str
    why: str


def mailbox(one: Change, from_: Provenance, number: int, order: Sequence[str]) -> bytes:
    """The change as one mail, `number` of as many as `order` names. The same bytes on every day and machine."""
    store, subject = one.store, one.told[4]
    header = _header(one, from_, number, order)
    body = one.message.partition("\n\n")[2].strip("\n")
    message = "\n\n".join(part for part in (subject, header, _BREAKS.sub(" ", body)) if part)
    parent = ["-p", one.parent] if one.parent else []
    made = store.word(
        "commit-tree", f"{one.commit}^{{tree}}", *parent, "-F", "-", stdin=message.encode(), env=one.author_env
    )
    prefix = f"PATCH {number}/{len(order)}" if len(order) > 1 else "PATCH"
    return store.git("format-patch", "-1", "--stdout", f"--subject-prefix={prefix}", *_MAIL, *DIFF, made)


_MAIL = (
    "--no-stat",
    "--no-numbered",
    "--no-signature",
    "--no-thread",
    "--no-attach",
    "--no-base",
    "--no-notes",
    "--no-cover-letter",
    "--zero-commit",
    "--encode-email-headers",
)


def _header(one: Change, from_: Provenance, number: int, order: Sequence[str]) -> str:
    name, mail, date = one.told[:3]
    lines = [
        f"Exported by advisor {__version__} for {from_.rule}.",
        f"Failure: {from_.summary}",
        f"Upstream: {from_.repo}, {from_.url}",
        f"Commit: {one.commit}",
        f"Author: {name} <{mail}>, {date}",
        f"Purpose ({from_.role}): {' '.join(from_.why.split())}",
        f"Order: {number} of {len(order)}" + (f" ({', then '.join(order)})" if len(order) > 1 else ""),
        f"(cherry picked from commit {one.commit})",
    ]
    return "\n".join(lines)


def file_name(one: Change, number: int) -> str:
    """The name of the mail's own file: 0001-Fix-mtp-dpmeta-and-guard-the-warmup-4741.patch."""
    words = re.sub(r"[^A-Za-z0-9._]+", "-", one.told[4]).strip("-.")[:52].strip("-.")
    return f"{number:04d}-{words}.patch"


def picked(one: Change, tree: str, parent: str, committer: dict[str, str]) -> str:
    """The commit that `git cherry-pick -x` would make on `parent`: the author kept, the origin noted."""
    note = f"(cherry picked from commit {one.commit})"
    message = f"{one.message}\n{'' if _ends_in_trailers(one.message) else chr(10)}{note}\n"
    env = {**one.author_env, **committer}
    return one.store.word("commit-tree", tree, "-p", parent, "-F", "-", stdin=message.encode(), env=env)


def _ends_in_trailers(message: str) -> bool:
    """Whether git takes the last paragraph for trailers: they alone, or a quarter of it with one that git writes."""
    last = message.rpartition("\n\n")[2].splitlines() if "\n\n" in message else []
    found = [line for line in last if _FOOTER.fullmatch(line)]
    known = any(line.startswith(("Signed-off-by: ", "(cherry picked from commit ")) for line in found)
    return bool(found) and (len(found) == len(last) or (known and 4 * len(found) >= len(last)))


def committer_of(clone: Clone) -> dict[str, str]:
    """The user's own name and mail, as git has them for this clone. Raises UsageError when it has none."""
    # `git var` prints, and starts nothing.
    done = run(clone.git_dir, "-c", "user.useConfigOnly=true", "var", "GIT_COMMITTER_IDENT", as_user=True)
    found = re.fullmatch(r"(.*) <(.*)> (\d+ [-+]\d{4})\n?", done.stdout.decode("utf-8", "replace"))
    if not found:
        raise UsageError("git knows no name and mail to commit as", "--apply", "git config user.name and user.email")
    return {"GIT_COMMITTER_NAME": found[1], "GIT_COMMITTER_EMAIL": found[2], "GIT_COMMITTER_DATE": f"@{found[3]}"}


def check_branch(clone: Clone, name: str) -> None:
    """Raises UsageError when the clone has the branch, or cannot have one of this name."""
    plain = run(clone.git_dir, "check-ref-format", "--branch", name)  # it also resolves @{-1}, no name of a new branch
    if plain.returncode or plain.stdout.decode().strip() != name or name in ("HEAD", "@") or name.startswith("refs/"):
        raise UsageError(f"{name!r} cannot name a branch", "--branch", "for example fixes/mtp")
    if run(clone.git_dir, "show-ref", "--verify", "--quiet", f"refs/heads/{name}").returncode == 0:
        raise UsageError(f"{clone.path} has a branch {name} already", "--branch", "name another, or delete it first")


def hand_over(store: Store, clone: Clone, tip: str, head: str, branch: str) -> None:
    """Bring finished commits into the clone and make the branch, in this order: the branch comes whole or not at all.

    Work tree, index, HEAD and every other ref stay as they are.
    """
    pack = store.git("pack-objects", "--revs", "--stdout", "--quiet", stdin=f"{tip}\n^{head}\n".encode())
    made = ["update-ref", "-m", f"advisor patch: {branch}", f"refs/heads/{branch}", tip, "0" * 40]
    for words, stdin in ((["unpack-objects", "-q"], pack), (made, b"")):
        done = run(clone.git_dir, *words, stdin=stdin)
        if done.returncode:
            raise UpstreamError(f"git {words[0]}: {said(done)}", str(clone.path), "no branch was made")
