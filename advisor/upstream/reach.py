"""A version and what is known of a change -> whether files of that version can tell of the change.

A text that the change removed is absent before the fault came, too: it tells only from the first release that holds the
change on. A bare word may be in older releases for other reasons: it tells only from the last release that was read to
lack it on.
"""

from __future__ import annotations

import re

from advisor.model.build import order_key, parse_version, same_commit
from advisor.model.knowledge import FixRecord, Knowledge
from advisor.upstream.fingerprints import Shown
from advisor.upstream.sought import Sought


def told(change: Sought, shown: Shown, version: str, knowledge: Knowledge) -> tuple[bool | None, str]:
    """What files of a build of this version tell, once it is asked whether they can; None where not. And in words."""
    record = record_of(change, knowledge)
    if shown.by_absence and not _reaches(version, record):
        return None, f"{shown.says}, which is so too where the fault has not come yet"
    if shown.held and _is_word(change) and not _compared(version, record):
        return None, f"{shown.says}, a word that releases this old may have for other reasons"
    return shown.held, shown.says


def record_of(change: Sought, knowledge: Knowledge) -> FixRecord | None:
    """What knowledge has of the change: which releases hold it."""
    by_key = knowledge.fixes.get(f"{change.repo}#{change.pr}") if change.pr is not None else None
    commit = change.commit or ""
    same = (one for one in knowledge.fixes.values() if one.commit and same_commit(one.commit, commit))
    return by_key or next(same, None)


def _reaches(version: str, record: FixRecord | None) -> bool:
    """Whether the version is not before the first release that holds the change."""
    first = record.first() if record else None
    return bool(first and parse_version(version) and order_key(version) >= order_key(first))


def _compared(version: str, record: FixRecord | None) -> bool:
    """Whether the version is not before the last release that lacks the change: older ones were not all read."""
    if record is None or not record.lacked_by or parse_version(version) is None:
        return False
    return order_key(version) >= max(map(order_key, record.lacked_by))


def _is_word(change: Sought) -> bool:
    return all(re.fullmatch(r"\w+", one.present or "") for one in change.fingerprints if one.present)
