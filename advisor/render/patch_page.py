"""The answer of `advisor patch` -> text for a terminal, or JSON with the nouns' own keys."""

from __future__ import annotations

import dataclasses
import json as codec
import re
import shlex
from collections.abc import Iterator

from advisor.model.patch import FileOut, HunkOut, InstalledOut, PatchOut, PatchReport
from advisor.render.blocks import Block, Heading, Line, Tone, Verbatim, item
from advisor.render.language import say
from advisor.render.quoting import UNSAFE
from advisor.render.text import lay

SCHEMA = 1
TONES: dict[str, Tone] = {
    "in": "good",
    "clean": "good",
    "three_way": "warn",
    "conflicts": "alarm",
    "none": "warn",
    "untried": "warn",
}
APPLIES = {
    "in": "every change of it is there already",
    "clean": "applies cleanly",
    "three_way": "applies by a three-way merge",
    "conflicts": "conflicts",
    "none": "",
    "untried": "",
}
STATES = {
    "clean": "fits",
    "three_way": "merged by its context: read it before you build; nothing was compiled or run",
    "already": "already there",
    "conflict": "CONFLICT",
}
PLACES = {
    "fits": "fits",
    "already": "already there",
    "changed": "does not fit: its text is another",
    "new": "would be added",
    "missing": "is not there, and the fix changes it",
    "absent": "not part of the installed package",
    "compiled": "not Python: it takes a build",
    "as_is": "lies there, but is not Python of the package; not judged",
}
HUNKS = {
    "already": "already there",
    "changed": "the lines that it changes, or those around them, are not here as the fix found them",
    "fits": "fits",
}
GIT_HEADING = 80  # bytes after which git cuts the line of code in a hunk's heading


def patch_page(report: PatchReport, *, colour: bool = False, width: int = 80) -> str:
    """The answer as text: the conclusion, then each commit, its files, what was written, what else to know."""
    return lay(_blocks(report), colour=colour, width=width, clipped=False)


def patch_json(report: PatchReport) -> str:
    """The answer as indented JSON, `schema` first; characters that drive a terminal are escaped."""
    text = codec.dumps({"schema": SCHEMA, **dataclasses.asdict(report)}, ensure_ascii=False, indent=2)
    return UNSAFE.sub(lambda found: codec.dumps(found.group())[1:-1], text) + "\n"


def _blocks(report: PatchReport) -> Iterator[Block]:
    yield Heading(say("{name}: {what}", name=report.rule, what=report.headline), 1, TONES[report.verdict])
    if report.repo:
        judged = {"repo": report.repo, "ref": report.ref, "commit": report.head[:12]}
        yield Line(say("Judged: {repo} at {ref}, commit {commit} (not the work tree).", **judged))
    for one in report.patches:
        yield from _patch(one)
    if report.installed:
        yield from _installed(report.installed, report)
    if report.left_out:
        yield Heading(say("Not taken"))
        yield from (item(text) for text in report.left_out)
    if report.notes:
        yield Heading(say("Mind"))
        yield from (item(text) for text in report.notes)
    yield from _next(report)


def _patch(one: PatchOut) -> Iterator[Block]:
    number = f"#{one.pr}, " if one.pr else ""
    name = f"{one.repo} {number}{one.commit[:12]}"
    fix = one.role == "fix"
    yield Heading(say("{commit} (the fix)", commit=name) if fix else say("{commit} (needed by it)", commit=name), 3)
    if one.subject:
        yield item(f"{one.subject}; {one.author}, {one.date[:10]}")
    yield item(f"{one.url} ({one.commit})")
    yield item(say("Purpose: {why}", why=one.why) if fix else say("Needed because: {why}", why=one.why))
    yield item(say("Is it in: {answer}; {how}.", answer=say(one.standing), how=one.how))
    if one.applies:
        yield item(say("Does it apply: {answer}.", answer=say(APPLIES[one.applies])))
        yield from _files(one.files)
    elif one.lacks:
        yield item(say("Not tried: {why}.", why=one.lacks))


def _files(files: tuple[FileOut, ...]) -> Iterator[Block]:
    for file in sorted(files, key=lambda one: one.state != "conflict"):
        kind = f" [{file.kind}]" if file.kind in ("tests", "docs", "version") else ""
        said = say(STATES[file.state])
        if file.reason:
            joint = say("; ") if file.state == "three_way" else say(": ")
            said = f"{said}{joint}{file.reason}"
        told = say("{name}: {what}", name=f"{file.path}{kind}", what=said)
        yield item(told, 1, "alarm" if file.state == "conflict" else "")
        yield from _hunks(file.hunks)


def _hunks(hunks: tuple[HunkOut, ...]) -> Iterator[Block]:
    for hunk in hunks:
        yield item(say("{name}: {what}", name=_place(hunk.heading), what=say(HUNKS[hunk.state])), 2)


def _place(heading: str) -> str:
    """`@@ -306,12 +311,6 @@ class Runner(Base):` as `upstream's line 306, class Runner(Base)`."""
    _, old, _, rest = [*heading.split(" ", 3), "", "", ""][:4]
    code = rest.removeprefix("@@").strip()
    cut = len(rest.removeprefix("@@ ").encode()) >= GIT_HEADING
    where = (_whole(code) if cut else code).rstrip(":{( ")
    line = old.lstrip("-").partition(",")[0]
    if not where:
        return say("upstream's line {line}", line=line)
    return say("upstream's line {line}, {where}", line=line, where=where)


def _whole(code: str) -> str:
    """A line of code that git cut, without the part of a word at its end."""
    return re.sub(r"\W*\w*$", "", code) + " …"


def _installed(answer: InstalledOut, report: PatchReport) -> Iterator[Block]:
    yield Heading(say("Installed"))
    yield Line(say("Judged: {site}", site=answer.site))
    for file in answer.files:
        where = f" -> {file.place}" if file.place and file.place != file.path else ""
        yield item(say("{name}: {what}", name=f"{file.path}{where}", what=say(PLACES[file.state])))
        yield from _hunks(file.hunks)
    yield from (item(note, tone="warn") for note in answer.notes)
    if answer.commands:
        yield Heading(say("To do it yourself (nothing was changed)"))
        if not report.written:
            yield Line(say("These name the file that --output writes; write it first."))
        for purpose, command in answer.commands:
            yield Line(say("{purpose}:", purpose=purpose))
            yield Verbatim(command, "sh")
        yield Line(
            say("Then restart every rank, on every node that has this package; an upgrade or reinstall undoes it.")
        )


def _next(report: PatchReport) -> Iterator[Block]:
    if report.branch:
        yield Heading(say("Made"))
        made = {"branch": report.branch, "commit": report.tip[:12]}
        yield Line(say("The branch {branch}, at {commit}. Your work tree is as it was. To go there:", **made))
        yield Verbatim(f"git -C {shlex.quote(report.repo)} switch {shlex.quote(report.branch)}", "sh")
    if report.written:
        yield Heading(say("Written"))
        yield from (item(name) for name in report.written)
    if report.fetch:
        yield Heading(say("Next"))
        yield Line(say("To carry it, the commit is needed. This brings it:"))
        yield Verbatim(report.fetch, "sh")
    if report.installed or report.verdict in ("in", "none", "untried"):
        return
    yield Heading(say("Next"))
    if report.verdict == "conflicts":
        yield from _stuck(report)
    elif report.written:
        yield Line(say("To take it:"))
        yield Verbatim(f"git am --3way {_names(report.written)}", "sh")
    elif not report.branch:
        yield Line(say("Nothing was changed. --apply makes a branch with it; --output FILE writes it for `git am`."))


def _names(written: tuple[str, ...]) -> str:
    return " ".join(map(shlex.quote, written))


def _stuck(report: PatchReport) -> Iterator[Block]:
    """What to do about a conflict."""
    if report.written:
        yield Line(say("Nothing was changed, and the mails do not apply as they are. This stops at the conflict:"))
        yield Verbatim(f"git am --3way {_names(report.written)}", "sh")
        yield Line(say("Resolve it and go on with `git am --continue`; or give up with `git am --abort`."))
    else:
        yield Line(
            say("Nothing was changed. `git am --3way` on the mails (--output) stops at the conflict, to be resolved.")
        )
    yield from _sparing(report)


def _sparing(report: PatchReport) -> Iterator[Block]:
    """How to leave out what conflicts, where that is no code."""
    stuck = [file for one in report.patches for file in one.files if file.state == "conflict"]
    if stuck and all(file.kind in ("tests", "docs", "version") for file in stuck):
        left = " ".join(f"--exclude={shlex.quote(file.path)}" for file in stuck)
        yield Line(say("Or leave out what conflicts, for it is no code:"))
        yield Verbatim(f"git am --3way {left} FILE", "sh")
