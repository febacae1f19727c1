"""What a commit says and changes -> whether it brings an upstream change, or takes it back.

    [Cherry-pick to release/v0.5.18] [Fix] Mend (#35298) (#35590)       brings #35298
    Revert "[Fix] Mend (#35298)" (#35601)                               takes #35298 back; it is #35601
    Revert "Revert "[Fix] Mend (#35298)" (#35601)" (#35700)             brings it again; so does Reapply "…"
    (cherry picked from commit b56ddfb6…)                               brings that commit
    This reverts commit b56ddfb6….                                      takes that commit back

Changes are compared file by file by the lines added and removed; their surroundings, their place, white space and the
author do not count, so a pick onto a moved context is still the same.

**Source:** the words are those of `git revert`, `git cherry-pick -x` (git 2.39, 2.43) and of GitHub's revert button.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator
from hashlib import sha1

from git import Repo

from advisor.model.build import same_commit
from advisor.upstream.history import ask
from advisor.upstream.path_kinds import is_source

Diff = dict[str, str]
"""File -> a digest of its changed lines, their number before it."""

_UNDOING = re.compile(r'\s*(?:\[[^\]"]*\]\s*)*(Revert|Reapply) "(.*)"((?:\s*\(#\d+\))*)\s*$')  # Revert "Mend (#7)" (#9)
_TAIL = re.compile(r"(?:\s*\(#\d+\))+\s*$")  # Mend (#35298) (#35590)
_NUMBER = re.compile(r"#(\d+)")
_PICKING = r"(?i)\b(?:cherry[- ]?pick\w*|back-?port\w*|picks?|port|apply|merge pull request)\b.*(?:#|/pull/){}\b"
# Drop the cherry-pick of #7, Prepare to back-port #7 later: it is not brought by this
_DENYING = re.compile(
    r"(?i)\b(?:drop\w*|remov\w*|undo\w*|delet\w*|without|skip\w*|not|don't|no longer|prepar\w*|later|todo|will|plan\w*|"
    r"before|instead of|back(?:ing|ed)? out|roll(?:ing|ed)?[- ]?back)\b"
)
_REVERTING = r"(?i)\brevert(?:s|ing|ed)?\b[^\"]*#{}\b"
PICKED = re.compile(r"\(cherry picked from commit ([0-9a-f]{7,40})")
REVERTED = re.compile(r"^This reverts commit ([0-9a-f]{7,40})", re.M)  # not one quoted: > This reverts commit
_BACK = re.compile(r"(?i)\s*(?:\[[^\]]*\]\s*)*(?:revert|re-?apply|back(?:ing)? out|roll(?:ing)? back|undo)")
LISTED = re.compile(r"^\s*[*-] (.*#\d.*)$", re.M)  # * [Fix] Mend (#35298), in the body of a squash merge
_HUNK = re.compile(r"@@ -\d+(?:,(\d+))? \+\d+(?:,(\d+))? @@")  # @@ -12,0 +13,4 @@
_ENOUGH = 3  # changed lines by which a file is known again under another path


def by_subject(subject: str, pr: int) -> bool | None:
    """True when the subject says that the commit brings the pull request, False that it takes it back, else None."""
    tail = _TAIL.search(subject)
    if tail and str(pr) in _NUMBER.findall(tail[0]):
        return True
    undoing = _UNDOING.match(subject)
    if undoing:
        inner = by_subject(undoing[2], pr)
        return None if inner is None else inner == (undoing[1] == "Reapply")
    if re.search(_REVERTING.format(pr), subject):
        return False
    picking = re.search(_PICKING.format(pr), subject)
    return True if picking and not _DENYING.search(subject) else None


def is_explicit(subject: str, repo: str, pr: int) -> bool:
    """Whether the subject says that it picks the number, or gives the repository with it: InternLM/lmdeploy#4741."""
    named = re.search(rf"{re.escape(repo)}(?:#|/pull/){pr}\b", subject, re.I)
    return named is not None or re.search(_PICKING.format(pr), subject) is not None


def by_listing(body: str, pr: int) -> bool | None:
    """The same of the last line that names it in the list which a squash merge makes of its commits."""
    told = [by_subject(line, pr) for line in LISTED.findall(body)]
    return next((one for one in reversed(told) if one is not None), None)


def picked_from(body: str) -> list[str]:
    """The commits that the body says it was picked from."""
    return PICKED.findall(body)


def reverted_by(subject: str, body: str) -> list[str]:
    """The commits that it says it reverts; a squash merge that only mentions a revert among its commits says none."""
    if _BACK.match(subject) or body.lstrip().startswith("This reverts commit"):
        return REVERTED.findall(body)
    return []


def names_any(given: Iterable[str], commits: Iterable[str]) -> bool:
    """Whether one of the commits given, perhaps abbreviated, is among these."""
    wanted = tuple(commits)
    return any(same_commit(one, other) for one in given for other in wanted)


def diffs(repo: Repo, *revisions: str, paths: Iterable[str] = ()) -> dict[str, Diff]:
    """What each commit of the revisions changes, merges aside: commit -> its files' digests."""
    shown = ["log", "-p", "-U0", "-M", "--no-color", "--no-merges", "--no-textconv", "--no-ext-diff", "--full-index"]
    printed = ask(repo, *shown, "--src-prefix=a/", "--dst-prefix=b/", "--format=%x01%H", *revisions, "--", *paths)
    found: dict[str, Diff] = {}
    for part in printed.split("\x01") if printed.startswith("\x01") else ():
        commit, _, patch = part.partition("\n")
        if len(commit) == 40:
            found[commit] = dict(_files(patch))
    return found


def _files(patch: str) -> Iterator[tuple[str, str]]:
    """Each file of a patch with its digest."""
    path, changed, left = "", [], 0
    for line in patch.split("\n"):
        if left and line[:1] in ("+", "-"):
            left -= 1
            changed.append(line[0] + re.sub(r"\s+", "", line))
        elif hunk := _HUNK.match(line):
            left = int(hunk[1] or 1) + int(hunk[2] or 1)
        elif line.startswith("diff --git "):
            if changed:
                yield path, _digest(changed)
            path, changed, left = line.rpartition(" b/")[2], [], 0
    if changed:
        yield path, _digest(changed)


def _digest(lines: list[str]) -> str:
    content = "\n".join(lines).encode("utf-8", "surrogateescape")
    return f"{len(lines)}:{sha1(content, usedforsecurity=False).hexdigest()}"  # tells changes apart, keeps nobody out


def same_change(wanted: Diff, found: Diff) -> bool:
    """Whether all that `wanted` changes outside tests and documents is changed alike in `found`, which may do more.

    A file of three changed lines or more is known again where the other repository keeps it under another path.
    """
    source = {path: digest for path, digest in wanted.items() if is_source(path)} or wanted
    anywhere = set(found.values())

    def alike(path: str, digest: str) -> bool:
        return found.get(path) == digest or (int(digest.partition(":")[0]) >= _ENOUGH and digest in anywhere)

    return bool(source) and all(alike(path, digest) for path, digest in source.items())
