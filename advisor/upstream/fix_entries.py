"""Rule files -> the fixes they name in one upstream's repository.

    fixes:    [{repo: InternLM/lmdeploy, pr: 4741, commit: b56ddfb6, merged: 2026-07-10, fingerprint: {…}}]
    affected: [{introduced: {version: 0.14.0, commit: b5cf542e}, fixed: {version: 0.15.0, commit: b56ddfb6}}]

An entry without a repository is its component's, and without a component its rule folder's. Two rules that name one
pull request give one fix, with the fingerprints of both.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

from advisor import yaml
from advisor.errors import RuleError, UpstreamError
from advisor.model.build import same_commit
from advisor.upstream.history import UPSTREAMS, Upstream

_HEX = re.compile(r"[0-9a-f]{7,40}")


@dataclass(frozen=True)
class Fingerprint:
    """A text of a file: the fix is there when the text is (``present``), or when it is gone (not ``present``)."""

    file: str
    text: str
    present: bool


@dataclass(frozen=True)
class Fix:
    """A commit that rules name; ``where`` is the first rule that does, ``merged`` "" when none says."""

    key: str
    commit: str
    pr: int | None = None
    merged: str = ""
    fingerprints: tuple[Fingerprint, ...] = ()
    where: str = ""


def fixes_named(rules: Path, upstream: Upstream) -> list[Fix]:
    """The fixes that rules place in this upstream's repository, merged by key and sorted by it."""
    merged: dict[str, Fix] = {}
    edges: list[Fix] = []
    for path in sorted(rules.glob("[!.]*/[!.]*/rule.yaml")):
        home, rule = path.parts[-3], yaml.load(path.read_text(encoding="utf-8"), str(path)).value
        for fix in _fixes_of(rule, home, str(path), upstream.repo):
            merged[fix.key] = _joined(merged[fix.key], fix) if fix.key in merged else fix
        edges += _edges_of(rule, home, str(path), upstream.repo)
    for edge in edges:
        if not any(same_commit(edge.commit, fix.commit) for fix in merged.values()):
            merged[edge.key] = edge
    return [merged[key] for key in sorted(merged, key=_by_number)]


def _fixes_of(rule: Any, home: str, where: str, repo: str) -> Iterator[Fix]:
    for entry in _listed(rule, "fixes"):
        if _repo_of(entry, home) == repo and entry.get("commit") is not None:
            commit, pr = _commit_in(entry["commit"], where), entry.get("pr")
            key = f"{repo}#{pr}" if pr else f"{repo}@{commit}"
            merged = str(entry.get("merged") or "")[:10]
            yield Fix(key, commit, int(pr) if pr else None, merged, _fingerprints(entry, where), where)


def _edges_of(rule: Any, home: str, where: str, repo: str) -> Iterator[Fix]:
    for entry in _listed(rule, "affected"):
        for edge in (entry.get("introduced"), entry.get("fixed")):
            if isinstance(edge, dict) and edge.get("commit") is not None and _repo_of(edge | entry, home) == repo:
                commit = _commit_in(edge["commit"], where)
                yield Fix(f"{repo}@{commit}", commit, where=where)


def _listed(rule: Any, name: str) -> list[dict[str, Any]]:
    entries = rule.get(name) if isinstance(rule, dict) else None
    return [entry for entry in entries or [] if isinstance(entry, dict)]


def _repo_of(entry: dict[str, Any], home: str) -> str | None:
    """The entry's own repository, else its component's, else that of the engine whose folder the rule is in."""
    named = entry.get("repo")
    upstream = UPSTREAMS.get(str(entry.get("component") or home))
    return str(named) if named else upstream.repo if upstream else None


def _commit_in(value: Any, where: str) -> str:
    if not isinstance(value, str) or not _HEX.fullmatch(value):
        raise RuleError(
            f"not a commit: {value!r}", where, "7 to 40 lower-case hex digits, in quotes when all are digits"
        )
    return value


def _fingerprints(entry: dict[str, Any], where: str) -> tuple[Fingerprint, ...]:
    given = entry.get("fingerprint") or []
    marks = []
    for mark in given if isinstance(given, list) else [given]:
        texts = [(str(mark[kind]), kind == "present") for kind in ("present", "absent") if mark.get(kind)]
        if not mark.get("file") or not texts:
            raise RuleError("a fingerprint needs a file and a text that is present or absent", where)
        marks += [Fingerprint(str(mark["file"]), text, present) for text, present in texts]
    return tuple(marks)


def _joined(one: Fix, other: Fix) -> Fix:
    if not same_commit(one.commit, other.commit):
        raise UpstreamError(f"{one.key} is {one.commit[:12]} here and {other.commit[:12]} in {other.where}", one.where)
    marks = dict.fromkeys(one.fingerprints + other.fingerprints)
    merged = min(filter(None, (one.merged, other.merged)), default="")
    return replace(one, commit=max(one.commit, other.commit, key=len), merged=merged, fingerprints=tuple(marks))


def _by_number(key: str) -> tuple[str, int, str]:
    repo, _, number = key.partition("#")
    return (repo.partition("@")[0], int(number or 0), key)
