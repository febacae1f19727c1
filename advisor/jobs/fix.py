"""Paths -> what `advisor fix` changes in their files, as diffs, and written when asked.

The findings are lint's: .gitignore, configuration, suppressions and baseline hold here too, and what is suppressed is
not edited. A file is written whole or not at all (see `whole`), and none before all edits are made; one that somebody
else has changed since it was read is left alone.
"""

from __future__ import annotations

import contextlib
import difflib
import os
import re
from collections.abc import Sequence
from dataclasses import dataclass, replace
from pathlib import Path

from advisor import __version__, whole
from advisor.catalog.engines import knowledge, named
from advisor.errors import UsageError
from advisor.jobs.lint import LintRequest, Opened, expect_recognised, lint_to_edit
from advisor.jobs.mending import Mended, mend
from advisor.model.lint import LintFinding, LintReport
from advisor.model.repair import REPAIR_SCHEMA, FileRepair, RepairReport
from advisor.redaction.cover import covered

ENCODINGS = ("utf-8", "utf-16-le", "utf-16-be", "latin-1")


@dataclass(frozen=True)
class FixRequest:
    """What to fix: lint's own request, whether edits that cost something are wanted, whether files are written.

    `if_any`: that nothing is recognised is no error.
    """

    lint: LintRequest
    unsafe: bool = False
    write: bool = False
    if_any: bool = False


def fix(request: FixRequest) -> RepairReport:
    """What was edited and left.

    UsageError for a path that is not there, where nothing is recognised, or for a file that cannot be written.
    """
    report, opened = lint_to_edit(request.lint)
    if not request.if_any:
        expect_recognised(report, request.lint.paths)
    mine = {one.region.file for one in report.findings if one.edit and one.suppressed is None}
    names = [one.name for one in report.files if one.name in mine]
    edits = [found for name in names if (found := _file(name, opened[name], report, request)) is not None]
    written: list[str] = []
    for one, after in edits:
        if after is not None:
            write(Path(one.name), opened[one.name].content, after, written)
            written.append(one.name)
    files = [one for one, _ in edits]
    notes = (*report.notes, *(note for one in files if (note := _not_utf8(one, opened[one.name].content))))
    return _covered(RepairReport(REPAIR_SCHEMA, tuple(files), notes, report.as_of, __version__))


def _covered(report: RepairReport) -> RepairReport:
    """The report as it is shown, and of which files the diff, with something hidden, does not apply any more."""
    shown = covered(report)
    pairs = zip(report.files, shown.files, strict=True)
    told = tuple(
        f"{now.name}: what is private in its diff is hidden, so it does not apply: "
        "--no-redact gives one that does, --write edits the file"
        for one, now in pairs
        if now.diff != one.diff and not one.written
    )
    return replace(shown, notes=(*shown.notes, *told)) if told else shown


def _file(name: str, opened: Opened, report: LintReport, request: FixRequest) -> tuple[FileRepair, bytes | None] | None:
    """What is edited in a file, and its new content where that is to be written; None for one of no known encoding."""
    content, text = opened.content, opened.deployment.text
    encoding = next((one for one in ENCODINGS if _encodes(text, one, content)), "")
    if not encoding:
        return None
    known = {one: knowledge(one) for one in named()}
    quiet = {one.fingerprint for one in report.findings if one.suppressed is not None and one.region.file == name}
    mended = mend(
        opened.deployment,
        known,
        unsafe=request.unsafe,
        suppressed=frozenset(quiet),
        seen=opened.seen,
        judged=opened.judged,
        before=opened.findings,
    )
    after = mended.deployment.text
    changed = after != text
    out = _out(name, text, mended, request.write or not changed)
    return out, after.encode(encoding) if changed and request.write else None


def _not_utf8(one: FileRepair, content: bytes) -> str:
    """What is to be said of a file whose diff, which is UTF-8, does not apply to it; "" of any other."""
    if not one.diff or one.written or _encodes(one.diff, "ascii", one.diff.encode()):
        return ""
    try:
        content.decode("utf-8")
    except UnicodeDecodeError:
        return f"{one.name} is not UTF-8: use --write, the diff does not apply to it"
    return ""


def _encodes(text: str, encoding: str, content: bytes) -> bool:
    with contextlib.suppress(UnicodeEncodeError):
        return text.encode(encoding) == content
    return False


def _out(name: str, text: str, mended: Mended, written: bool) -> FileRepair:
    had = {_named(one) for one in mended.before}
    have = {_named(one) for one in mended.after}
    return FileRepair(
        name,
        diff(name, text, mended.deployment.text),
        written,
        mended.repairs,
        gone=tuple(one for one in mended.before if _named(one) not in have),
        remain=tuple(one for one in mended.after if _named(one) in had),
        new=tuple(one for one in mended.after if _named(one) not in had),
    )


def _named(one: LintFinding) -> tuple[str, str, str]:
    """A finding wherever it stands and whatever else its launch has: rules by id, others by their fact."""
    return one.id, one.workload, "" if one.kind == "exposure" else one.fingerprint


# diffs


def diff(name: str, before: str, after: str) -> str:
    """The change as a unified diff that `git apply` and `patch -p1` take, line ends as in the file; "" for none."""
    if before == after:
        return ""
    old, new = (re.findall(r"[^\n]*\n|[^\n]+\Z", text) for text in (before, after))
    shown = os.path.relpath(name).replace(os.sep, "/") if not name.startswith("<") else name
    shown = shown if not shown.startswith("../") else os.path.abspath(name).lstrip("/")
    made = difflib.unified_diff(old, new, _quoted(f"a/{shown}"), _quoted(f"b/{shown}"), n=3)
    return "".join(one if one.endswith("\n") else f"{one}\n\\ No newline at end of file\n" for one in made)


def _quoted(path: str) -> str:
    """A path as git writes it in a diff: a tab after one with blanks, escapes in one with quotes or controls."""
    if re.search(r'["\\\x00-\x1f]', path):
        return (
            '"' + "".join(f"\\{ord(one):03o}" if one < " " else re.sub(r'(["\\])', r"\\\1", one) for one in path) + '"'
        )
    return path + "\t" if " " in path else path


# writing


def write(path: Path, before: bytes, after: bytes, written: Sequence[str] = ()) -> None:
    """Puts the new content in place of the old, whole. UsageError where it cannot, or the file changed meanwhile.

    The error names the files that were `written` before it.
    """
    so_far = f"already written: {', '.join(written)}" if written else None
    try:
        whole.put(path, after, before=before)
    except whole.Changed as error:
        raise UsageError(str(error.strerror), str(path), so_far or "run it again") from None
    except OSError as error:
        raise UsageError(f"cannot be written: {error.strerror or error}", str(path), so_far) from None
