"""What every output of lint says alike: names of files as others may see them, counts, and the order of importance."""

from __future__ import annotations

import posixpath
import re
from collections import Counter
from collections.abc import Iterable
from urllib.parse import quote

from advisor.model.lint import LintFinding, LintReport
from advisor.model.rule import LEVELS
from advisor.render.language import counted, say

_ABSOLUTE = re.compile(r"(?:[A-Za-z]:)?[/\\]")


def relative(name: str) -> str:
    """The file's name without `./`; of an absolute name only the last part, since folders tell about their owner."""
    if _ABSOLUTE.match(name):
        return re.split(r"[/\\]", name.rstrip("/\\"))[-1] or "file"
    return posixpath.normpath(name) if name else "file"


def uri(name: str) -> str:
    """The file's name as a relative URI reference."""
    return quote(relative(name).encode("utf-8", "surrogatepass"), safe="/~")


def counting(report: LintReport) -> tuple[LintFinding, ...]:
    """The findings that are not suppressed, in the report's order."""
    return tuple(one for one in report.findings if one.suppressed is None)


def urgent(findings: Iterable[LintFinding]) -> list[LintFinding]:
    """Errors, then warnings, then notes, each in the order they came."""
    return sorted(findings, key=lambda one: LEVELS.index(one.level))


def levels(findings: Iterable[LintFinding]) -> str:
    """`2 errors, 1 note`; `no findings` when there are none."""
    counts = Counter(one.level for one in findings)
    return say(", ").join(counted(counts[one], one) for one in LEVELS if counts[one]) or say("no findings")


def tally(report: LintReport) -> list[str]:
    """The parts of the summary: files, launches, findings by level, suppressed, not read."""
    ours = [one for one in report.files if one.format]
    launches = sum(len(one.workloads) for one in report.files)
    suppressed = len(report.findings) - len(counting(report))
    unread = sum(1 for one in report.files if one.notes)
    where = {"ours": len(ours), "files": counted(len(report.files), "file")}
    return [
        say("1 launch in {ours} of {files}", **where)
        if launches == 1
        else say("{count} launches in {ours} of {files}", count=launches, **where),
        levels(counting(report)),
        *([say("{count} suppressed", count=suppressed)] if suppressed else []),
        *([say("{files} not read in full", files=counted(unread, "file"))] if unread else []),
    ]


def suppressed(finding: LintFinding) -> str:
    """Who says that a finding is not to be counted, and why; "" of one that counts."""
    one = finding.suppressed
    if one is None:
        return ""
    reason = one.reason or say("no reason given")
    if one.until:
        return say("suppressed by {how}, until {date}: {reason}", how=say(one.how), date=one.until, reason=reason)
    return say("suppressed by {how}: {reason}", how=say(one.how), reason=reason)
