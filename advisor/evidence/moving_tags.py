"""`latest` and the day it was pulled -> the release it pointed at, where only one is possible.

    lmsysorg/sglang:latest, pulled 2026-08-02     0.5.16, inferred: 0.5.16 is of 2026-07-25, 0.5.17 of 2026-08-08
    vllm/vllm-openai:latest, pulled 2026-08-11    0.27.1 or an older release, back to 0.26.0

An image is pushed up to a day before its package appears in the index, or up to two days after it; days so near a
release leave two answers. Days beyond what is known here leave none.

**Source:** releases and tags of `knowledge/<engine>`; the schemes in `images.yaml` say for which images `latest` is the
newest release.
"""

from __future__ import annotations

from datetime import date, timedelta

from advisor.evidence.image_tags import Placed
from advisor.model.build import order_key, public
from advisor.model.knowledge import Knowledge

_BEFORE, _AFTER = timedelta(days=1), timedelta(days=2)


def newest(placed: Placed, known: Knowledge, first: date | None, last: date) -> tuple[str | None, str]:
    """The release that such a tag pointed at between two days, and what to say of that; None when several could be.

    `first` None: on any day up to `last`.
    """
    releases = [(one.date, one.version) for one in known.releases if one.date and not _is_pre(one.version)]
    if not releases or last > max(_read_on(known), releases[-1][0]):
        return None, f"which release of {known.engine} was the newest on {last} is not known here"
    upper = _last(releases, last + _BEFORE)
    if first is None or upper is None:
        return None, f"not newer than {upper or 'the first release known here'}"
    lower = _last(releases, first - _AFTER)
    if lower != upper:
        return None, f"it is {upper} or an older release, back to {lower or 'one not known here'}"
    pre = _pre_since(known, upper, last) if placed.prereleases else None
    if pre:
        return None, f"it is {upper} or {pre}, which had been tagged since"
    why = f"{placed.scheme} pushes this tag with every release, and {upper} was the newest on {last}"
    return upper, f"{upper} is inferred from the day alone: {why}"


def _last(releases: list[tuple[date, str]], until: date) -> str | None:
    before = [version for day, version in releases if day <= until]
    return before[-1] if before else None


def _pre_since(known: Knowledge, release: str, last: date) -> str | None:
    """A pre-release newer than `release` that had left main by `last`."""
    for name, tag in known.tags.items():
        if _is_pre(name) and order_key(name) > order_key(release):
            commit = known.history.find(tag.main or "")
            if commit and commit.date <= last:
                return name
    return None


def _is_pre(name: str) -> bool:
    version = public(name)
    return version is not None and version.is_prerelease


def _read_on(known: Knowledge) -> date:
    """The day up to which the releases were known when the schemes were read."""
    return date.fromisoformat(str((known.profile.get("tags") or {}).get("read") or "1970-01-01"))
