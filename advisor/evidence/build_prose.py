"""Words around a release number -> what they make of it: a range, a denial, a move, a build with changes on top.

    older than 0.28.0 · 低于0.28.0 · 0.28.0 or later         a range: no build is named
    not 0.28.0                                               a denial: neither is it
    upgraded from 0.28.0 to 0.30.0 · 从0.28.0升级到0.30.0     0.30.0
    0.28.0 + #50514 · 0.30.0 minus the PP guard              a changed 0.28.0, 0.30.0; what was changed is said
    0.14.0 cherry-pick b56ddfb6                              a changed 0.14.0; the pick is not the commit that runs
    …/vllm/releases/tag/v0.28.0 · vllm-0.28.0-cp38-….whl     vllm 0.28.0
    latest 09/10/2026                                        two days can be meant: neither is taken

`plainly` rewrites the text before it is read; the steps take what they understand, and say what could not be placed.

**Source:** no tool prints these; the forms are those of issue threads, each in the tests. Names of wheels: the PyPA
specification "Binary distribution format" (read 2026-11-29).
"""

from __future__ import annotations

import re

from advisor.evidence.build_forms import ENGINE, ENGINES, OF_ENGINE, VERSION, word_before
from advisor.evidence.dates import day
from advisor.evidence.deployed import NOW, placed
from advisor.evidence.partial_build import PartialBuild

_NUMBER = VERSION.replace("?P<version>", "")
# vllm-0.28.0+cu129-cp38-abi3-manylinux1_x86_64.whl
_WHEEL = (
    r"(?:(?<!\S)\S*/)?(vllm[-_]ascend|sglang|lmdeploy|vllm|xllm)-(\d[\w.]*(?:(?:\+|%2B)[\w.]+)?)"
    r"(?:-\d\w*)?-[a-z]{2}\d[\w.]*-\w+-[\w.]+\.whl"
)
# https://github.com/vllm-project/vllm/releases/tag/v0.28.0
_ADDRESS = r"(?:https?://)?(?:www\.)?github\.com/([\w.-]+/[\w.-]+)/(?:releases/tag|releases/download|tree)/(v?\d+\.\d[\w.]*)\S*"
_SLASHED = r"(?<![\w/])(\d{1,2})/(\d{1,2})/(20[12]\d)(?![\w/])"  # 25/10/2026
_YEARLESS = r"(?<![\d.])\d{1,2}\s?月\s?\d{1,2}\s?[日号]"  # 9月20日
_MOVING = r"\blatest\b|\bnightly\b|\bpulled\b|拉取"
_RANGE = (
    r"(?P<sign>\b(?:older|newer|earlier|later|lower|higher|less|greater|more recent) than|\b(?:below|above|at least|"
    r"at most|before|prior to|up to|until|under|beyond)|低于|高于|早于|晚于|不低于|不高于|大于|小于|至少)\s*"
    rf"{OF_ENGINE}{_NUMBER}"
)
_OPEN = (
    rf"{_NUMBER}\s*(?:(?:or|and) (?:later|newer|older|earlier|above|below|higher|lower|up)\b|及?以[上下前后]|之[前后])"
)
_RANGED = rf"{_RANGE}|{_OPEN}"
_BEFORE = r"\b(?:older|earlier|lower|less) than\b|\b(?:below|before|prior to|under)\b|(?<!不)(?:低于|早于|小于)"
_FROM = r"\bat least\b|\b(?:or|and) (?:later|newer|above|higher|up)\b|不低于|至少"
_DENIED = rf"(?:\b(?:not|isn't|never)|不是|并非|非)\s*(?:(?:on|running|using)\s+)?{OF_ENGINE}{_NUMBER}"
# #50514, PR 50514, and a bare 50514 before a word that says what was done with it
_DONE = r"(?=\d{4,6}\s+(?:applied|\w*-?pick|back-?port|merged|revert|removed))"
_PR = rf"(?:(?:PR|pull request)\s*#?|#|{_DONE})(?P<pr>\d{{2,6}})\b"
# + #50514, with PR 50514 reverted, without the PP guard
_ON_TOP = (
    rf"(?P<number>{_NUMBER})[\s,，]*(?:(?P<more>\+|\bplus|\band|\bwith|\bincluding|加上?|合入了?)"
    r"|(?P<less>-|–|\bwithout|\bminus|\bless|\bexcluding|去掉了?|不带|没有))\s*"
    rf"(?:(?:the\s+)?(?:fix\s+|patch\s+)?{_PR}(?P<undone>\s+(?:reverted|removed|backed out))?"
    r"|(?:the|our|its)\s+(?P<what>(?:[\w-]+\s+){0,3}(?:guard|check|fix|patch|assert\w*|change|commit)s?\b))"
)
# 0.28.0, #50514 applied
_BEFORE_CHINESE = r"(?<![A-Za-z0-9.+])(?=[A-Za-z0-9.+]*?\d\.\d)[A-Za-z0-9.+]++(?=[\u4e00-\u9fff])"  # 0.11.0版本
_APPLIED = (
    rf"(?P<number>{_NUMBER})[\s,，]*(?:and\s+|with\s+)?{_PR}\s+(?:is\s+|was\s+)?"
    r"(?:(?P<more>applied|cherry-?picked|picked|back-?ported|merged|included)|(?P<less>reverted|removed|backed out))"
)
_PICK = (
    r"(?:\bcherry-?pick(?:ed|s|ing)?|\bback-?port(?:ed|s|ing)?|\bpick(?:ed|s)?)\s*(?:of\s+|from\s+)?(?:commit\s+)?[`(]?"
    r"(?P<after>[0-9a-f]{7,40})\b[`)]?"
    r"|(?:[+,]|\bplus|\bwith)\s*(?:commit\s+)?`?(?P<before>[0-9a-f]{7,40})`?\s+"
    r"(?:cherry-?picked|back-?ported|picked|on top)"
)

FORMS = (_RANGED, _DENIED, _PICK, _APPLIED, _ON_TOP)


def plainly(text: str) -> tuple[str, list[str]]:
    """The text with addresses, file names and glued numbers spelled out, and a note on each day that is none."""
    text = re.sub(_WHEEL, r" \1 \2 ", text, flags=re.I)
    text = re.sub(_ADDRESS, r" \1 \2 ", text, flags=re.I)
    text = re.sub(r"(?<=[\u4e00-\u9fff])(?=[vV]?\d+\.\d)", " ", text)
    text = re.sub(_BEFORE_CHINESE, r"\g<0> ", text)
    text = re.sub(rf"({_NUMBER})\s*(?:-+>|=+>|→)\s*(?={_NUMBER})", r"from \1 to ", text)
    notes: list[str] = []

    def dated(found: re.Match[str]) -> str:
        one, other, year = map(int, found.groups())
        days = {made for pair in ((one, other), (other, one)) if (made := day(year, *pair))}
        if len(days) == 1:
            return days.pop().isoformat()
        both = " or ".join(sorted(made.isoformat() for made in days)) or "no day"
        notes.append(f"{found.group()} can be {both}: write the one that is meant")
        return " "

    text = re.sub(_SLASHED, dated, text)
    if (bare := re.search(_YEARLESS, text)) and re.search(_MOVING, text, re.I) and not re.search(r"20[12]\d", text):
        notes.append(f"{bare.group()} is a day without a year: write it whole, such as 2026-09-20")
    return text, notes


def take_ranges(reading: PartialBuild) -> None:
    """A number that only bounds the build, or that it is said not to be, is taken for none."""
    for found in reading.each(_RANGED):
        reading.notes.append(f"`{found.group().strip()}` is a range, not one build")
        number = re.search(VERSION, found.group())
        side = "<" if re.search(_BEFORE, found.group(), re.I) else ">=" if re.search(_FROM, found.group(), re.I) else ""
        if number and _is_engines(reading, found.start()):
            reading.bound(side, number["version"])
        reading.take(found.start(), found.end())
    for found in reading.each(_DENIED):
        reading.notes.append(f"`{found.group().strip()}` says which build it is not, and none that it is")
        reading.take(found.start(), found.end())


def take_moves(reading: PartialBuild) -> None:
    """Of several numbers the one that is said to run now; those said to be former, planned or denied are let go."""
    numbers = [found.span("version") for found in reading.each(VERSION) if _is_engines(reading, found.start())]
    roles = placed(reading.left, numbers) if len(numbers) > 1 else []
    if not any(one.role == NOW for one in roles):
        return
    for one in roles:
        if one.role not in (NOW, ""):
            reading.notes.append(f"{reading.left[one.start : one.end]} is {one.role}, by the words around it")
            reading.take(one.start, one.end)


def _is_engines(reading: PartialBuild, start: int) -> bool:
    owner = word_before(reading.left[:start])
    return owner in ("", reading.engine) or (not reading.engine and owner in ENGINES)


def take_on_top(reading: PartialBuild) -> None:
    """A release with a change more or less is a fork of it; the change that is named is said, and is not its commit."""
    for found in reading.each(_PICK):
        sha = found["after"] or found["before"]
        if not (re.search("[a-f]", sha) and re.search(r"\d", sha)) or re.search(ENGINE, found.group(), re.I):
            continue
        _changed(reading, f"{sha} is said to be picked onto it, and is not the commit that runs")
        reading.take(found.start(), found.end())
    for found in reading.each(_APPLIED) or reading.each(_ON_TOP):
        said = found.groupdict()
        what = f"#{said['pr']}" if said["pr"] else f"the {' '.join(said['what'].split())}"
        lacks = said["less"] or said.get("undone")
        _changed(reading, f"it is said to be {'without' if lacks else 'with'} {what}: a changed build of that number")
        reading.take(found.end("number"), found.end())


def _changed(reading: PartialBuild, why: str) -> None:
    reading.fork = reading.fork or "patched"
    reading.notes.append(f"{why}; --repo or --installed shows what is in it")
