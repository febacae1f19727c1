"""systemd units -> a Deployment: the engine that `ExecStart=` starts, with its variables and time limits.

    [Service]
    Environment="NCCL_DEBUG=INFO" HF_HOME=/data
    EnvironmentFile=/etc/vllm.env              -> a note: what it sets is not here
    ExecStart=/usr/bin/vllm serve m \\
        --tensor-parallel-size 8               -> `vllm serve m --tensor-parallel-size 8`, each word in its place
    TimeoutStartSec=900                        -> a startup probe that allows 900 seconds
    TimeoutStopSec=30                          -> the grace period

**Source:** systemd.service(5), systemd.exec(5), systemd.time(7). Of `Type=simple` a start timeout ends nothing, since
such a unit counts as started at once; a note says so.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping

from advisor.launches.files import script
from advisor.launches.files.amounts import seconds, size
from advisor.launches.files.around import Around, quantity
from advisor.launches.files.page import Page, blanked
from advisor.launches.files.script import Before, Found
from advisor.launches.syntax import Binding
from advisor.model.deployment import Deployment, Probe
from advisor.model.fact import Note
from advisor.model.knowledge import Knowledge

_ENTRY = re.compile(
    r"(?m)^[ \t]*([A-Za-z]\w*)[ \t]*=[ \t]*((?:[^\n\\]|\\\r?\n(?:[#;][^\n]*\n)*|\\[^\n])*)"
)  # ExecStart=a \
_COMMENTED = re.compile(r"(\\\r?\n)((?:[ \t]*[#;][^\n]*\n)+)")
_SECTION = re.compile(r"(?m)^\[(Service|Container)\][ \t]*\r?$")
_PREFIX = re.compile(r"[-@:+!|]*")
_ITEM = re.compile(
    r"\"([A-Za-z_]\w*)=((?:\\.|[^\"\\])*)\"|'([A-Za-z_]\w*)=([^'\n]*)'|(?<!\w)(?:(?![A-Za-z_])\w)*+([A-Za-z_]\w*+)=([^\s\"']*)",
    re.S,
)


def read(name: str, text: str, knowledge: Mapping[str, Knowledge]) -> Deployment | None:
    """What the unit starts; None for a text without a `[Service]` section, or one that starts no engine."""
    page = Page(name, text, "systemd", knowledge)
    if not page.mentions_an_engine or not _SECTION.search(text):
        return None
    entries = list(_ENTRY.finditer(text))
    unit = re.sub(r"\.(?:service|container)\Z", "", name.replace("\\", "/").rpartition("/")[2])
    before = Before(tuple(_variables(entries)), (), _limits(page, entries), "Unit", unit, tuple(_notes(page, entries)))
    found = Found()
    for entry in entries:
        if entry.group(1) != "ExecStart" or not entry.group(2).strip():
            continue
        prefix = _PREFIX.match(text, entry.start(2), entry.end(2))
        start, end = prefix.end() if prefix else entry.start(2), entry.start(2) + len(entry.group(2).rstrip())
        one = script.read(page, _without_comments(blanked(text, [(start, end)])), before)
        found.workloads += one.workloads
        found.notes += one.notes
    if not found.workloads and not found.notes:
        return None
    return Deployment(name, text, "systemd", tuple(found.workloads), unread=tuple(found.notes))


def _without_comments(text: str) -> str:
    """The text with comments between continued lines as blanks that are continued too: systemd passes them over."""

    def blank(found: re.Match[str]) -> str:
        lines = (f"{' ' * (len(one.rstrip()) - 1)}\\{one[len(one.rstrip()) :]}" for one in found[2].splitlines(True))
        return found[1] + "".join(lines)

    return _COMMENTED.sub(blank, text)


def _variables(entries: list[re.Match[str]]) -> Iterator[Binding]:
    for entry in entries:
        if entry.group(1) != "Environment":
            continue
        for one in _ITEM.finditer(entry.string, entry.start(2), entry.end(2)):
            index = next(at for at in (1, 3, 5) if one.group(at) is not None)
            start = entry.start() if entry.group(2).strip() == one.group() else one.start()
            yield Binding(one.group(index), one.group(index + 1), "unit", start, one.start(index + 1), one.end())


def _limits(page: Page, entries: list[re.Match[str]]) -> Around:
    around = Around()
    for entry in entries:
        key, value = entry.group(1), entry.group(2).strip()
        place = (entry.start(), entry.start(2) + len(entry.group(2).rstrip()))
        if key in ("TimeoutStartSec", "TimeoutSec") and (allows := seconds(value)):
            around.probes.append(Probe("startup", allows, "", page.place(*place, "text")))
        if key in ("TimeoutStopSec", "TimeoutSec"):
            around.grace = quantity(page, seconds(value), value, *place)
        if key == "MemoryMax":
            around.memory = quantity(page, size(value), value, *place)
    return around


def _notes(page: Page, entries: list[re.Match[str]]) -> Iterator[Note]:
    told = {entry.group(1): entry for entry in entries}
    for entry in entries:
        if entry.group(1) == "EnvironmentFile":
            said = f"what {entry.group(2).strip().removeprefix('-')} sets is not here"
            yield page.note("limit", said, entry.start())
    kind = told["Type"].group(2).strip() if "Type" in told else "simple"
    if "TimeoutStartSec" in told and kind in ("simple", "exec", "idle"):
        said = f"TimeoutStartSec ends nothing here: a unit of Type={kind} counts as started at once"
        yield page.note("hint", said, told["TimeoutStartSec"].start())
