"""What a build shows of itself: changes seen in its content, its place in knowledge's lists, its nearest release.

The small questions that both the ranges and the contradictions ask.
"""

from __future__ import annotations

from advisor.model.build import Build, Holding, local_commit, parse_version, public, same_commit
from advisor.model.knowledge import FixRecord, Knowledge
from advisor.model.rule import Boundary


def seen(build: Build, boundary: Boundary, knowledge: Knowledge | None) -> Holding | None:
    """What the build's own files show of the change, else what its git history does; None when neither decides."""
    repo = knowledge.profile.get("repo") if knowledge else None
    found = [one for one in build.holdings if one.held is not None and repo in (None, one.repo)]
    found = [one for one in found if _is_of(one, boundary, by_number=knowledge is not None)]
    return next((one for one in found if one.by == "fingerprint"), found[0] if found else None)


def _is_of(holding: Holding, boundary: Boundary, *, by_number: bool) -> bool:
    """Whether both are of one change. A number alone tells only within one repository."""
    if holding.commit and boundary.commit and same_commit(holding.commit, boundary.commit):
        return True
    return by_number and holding.pr is not None and holding.pr == boundary.pr


def listed(build: Build, record: FixRecord) -> bool | None:
    """Whether knowledge lists the build's release among those that hold the fix, or lack it; None when in neither."""
    if build.commit or not build.version:
        return None
    version = public(build.version)
    for releases, holds in ((record.held_by, True), (record.lacked_by, False)):
        if str(version) in releases:  # as written there: to read all takes far longer
            return holds
    if any(public(one) == version for one in record.held_by):
        return True
    return False if any(public(one) == version for one in record.lacked_by) else None


def since_release(version: str) -> str | None:
    """The release that a checkout is counted from: `0.25.1+312.g752a3a504` -> `0.25.1`; None for any other version."""
    parsed = parse_version(version)
    counted = parsed is not None and not parsed.is_devrelease and local_commit(version)
    return version.removeprefix("v").partition("+")[0] if counted else None
