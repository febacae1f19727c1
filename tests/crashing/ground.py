"""What is done to files, each with the files that it starts from: every command that writes, or the part of it that does.

A scene's commands run in its folder, with caches, state and temporary files below it.
"""

from __future__ import annotations

import contextlib
import io
import os
import shutil
import sys
from collections.abc import Callable
from dataclasses import dataclass, field
from datetime import datetime
from functools import cache
from pathlib import Path
from typing import Any

from tests.jobs.test_refresh import RULE, lmdeploy

ENGINE = "pip install vllm==0.28.0\nvllm serve m --swap-space 16 --disable-log-requests --tensor-parallel-size 2\n"
CHECK = ("check", "--engine", "vllm", "--version", "0.28.0", "--flags", "vllm serve m -pp 2 --swap-space 4")
LOG = "INFO 11-30 10:00:00 [api_server.py:1289] vLLM API server version 0.28.0\nRuntimeError: NCCL error: unhandled\n"


@dataclass(frozen=True)
class Scene:
    """`lay` makes the files, `run` changes them. `others`: names of files that need not be as they were (SQLite's).

    `read`: what of a file's content counts. `soundly` looks, in a process of its own, whether what is there after a kill can be used.
    """

    name: str
    lay: Callable[[Path], None]
    run: Callable[[], object]
    soundly: Callable[[], object] | None = None
    others: tuple[str, ...] = ()
    fresh: bool = False  # each run makes files of other names
    same_answer: bool = True
    env: dict[str, str] = field(default_factory=dict)
    read: Callable[[bytes], bytes] = lambda content: content


def command(*words: str) -> Callable[[], object]:
    """The command line, as it is called."""

    def run() -> object:
        from advisor.faces.cli import main

        sys.argv = ["advisor", *words]
        main()
        return 0

    return run


def _nothing(folder: Path) -> None:
    pass


def _scripts(folder: Path) -> None:
    for name, mode in (("a.sh", 0o640), ("b.sh", 0o755)):
        (folder / name).write_text(f"#!/bin/sh\n{ENGINE}")
        (folder / name).chmod(mode)
    (folder / "link.sh").symlink_to("b.sh")
    if os.geteuid() == 0:
        os.chown(folder / "a.sh", 1234, 1235)
    with contextlib.suppress(OSError):  # not on every disk
        os.setxattr(folder / "a.sh", "user.note", b"kept")


def _old_report(folder: Path) -> None:
    (folder / "report.json").write_text('{"old": true}\n')
    (folder / "report.json").chmod(0o600)


def _manifests(folder: Path) -> None:
    (folder / "tree").mkdir()
    for at in range(6):
        (folder / "tree" / f"{at}.sh").write_text(f"#!/bin/sh\n# {at}\n{ENGINE}")


def _old_baseline(folder: Path) -> None:
    _manifests(folder)
    (folder / "known.json").write_text('{\n"schema": "advisor-baseline/1",\n"findings": []\n}\n')


def _knowledge(folder: Path) -> None:
    rule = folder / "rules" / "lmdeploy" / "example" / "rule.yaml"
    rule.parent.mkdir(parents=True)
    rule.write_text(RULE)
    _refreshed(folder, "0.8.0-")


def _refreshed(folder: Path, without: str) -> None:
    from advisor.jobs.refresh import Origin, refresh

    (folder / "index").mkdir(exist_ok=True)
    origin = Origin(lmdeploy(folder / "index", without=without), rules=folder / "rules")
    refresh("lmdeploy", origin, knowledge=folder / "knowledge", read_on="2026-11-29")


def _refresh() -> None:
    _refreshed(Path.cwd(), "\0")


def _diagnosis() -> None:
    from advisor.errors import UsageError
    from advisor.faces.keeping import begin
    from advisor.jobs.answering import Step

    _at_noon()
    kept, problem = begin({"engine": "vllm", "files": None}, alone=False)
    if problem:
        raise UsageError(problem)
    kept.add(Step("", name=kept.next_name(), content=LOG.encode()))
    kept.add(Step("build", "0.28.0", "", "Which build?"))
    kept.back()
    kept.add(Step("", name=kept.next_name(), content=LOG.encode() * 100))


def _at_noon() -> None:
    """Folders of diagnoses are named by the time: always the same."""
    from advisor.faces import keeping

    class Noon(datetime):
        @classmethod
        def now(cls, tz: object = None) -> Noon:
            return cls(2026, 11, 30, 12)

    setattr(keeping, "datetime", Noon)  # noqa: B010


def _resumable() -> None:
    """What a killed diagnosis left is resumed, or there is nothing of it."""
    from advisor.errors import UsageError
    from advisor.faces.keeping import latest

    try:
        kept = latest()
    except UsageError as error:
        assert "nothing to resume" in str(error), error
        return
    assert [step.name for step in kept.steps] in (
        [],
        ["paste-1.txt"],
        ["paste-1.txt", ""],
        ["paste-1.txt", "paste-2.txt"],
    )
    assert all(len(step.content) in (len(LOG), 100 * len(LOG)) for step in kept.steps if step.name)


def _piped() -> object:
    _at_noon()
    sys.stdin = io.TextIOWrapper(io.BytesIO(LOG.encode()))
    return command("diagnose", "-", "--output", "ticket.md")()


def _kept_or_not(ticket: bytes) -> bytes:
    """A ticket names what was pasted where it is kept; where it could not be, by its name alone."""
    return ticket.replace(b"state/advisor/diagnose/20261130-120000/", b"")


def _archive() -> None:
    from advisor.capture.archive import Archive

    with Archive(Path("incident.tar.gz")) as archive:
        archive.write([("log.txt", LOG.encode() * 1000)], 1_700_000_000)


def _archived_again() -> object:
    """As a user does after a kill: what is whole is there already."""
    from advisor.errors import UsageError

    try:
        _archive()
    except UsageError as error:
        if "is there already" not in str(error):
            raise
    return 0


def _new_rule() -> object:
    if Path("rules/vllm/slot-leak/rule.yaml").is_file():
        return 0
    return command("rules", "new", "vllm/slot-leak", "--rules", "rules")()


def _rules(folder: Path) -> None:
    (folder / "rules").mkdir()


MAILS = tuple((f"000{number}-part.patch", b"From: x\n" * 900 * number) for number in (1, 2, 3))


def _series(output: str) -> Callable[[], object]:
    def run() -> None:
        from advisor.faces.patch import _write

        _write(output, b"".join(mail for _, mail in MAILS), MAILS)

    return run


def _old_series(folder: Path) -> None:
    (folder / "mails").mkdir()
    for name, _ in MAILS:
        (folder / "mails" / name).write_bytes(b"old")


def _temporary() -> None:
    from advisor import own_folders
    from advisor.errors import UsageError

    try:
        _below(own_folders)
    except OSError as error:
        raise UsageError(str(error.strerror)) from None


def _below(own_folders: Any) -> None:
    with own_folders.temporary("advisor-serve-") as folder:
        (folder / "request-1").mkdir()
        (folder / "request-1" / "body").write_bytes(b"x" * 100)


@cache
def scenes() -> tuple[Scene, ...]:
    """All of them."""
    lint = command("lint", "tree", "--format", "json")
    return (
        Scene("fix --write", _scripts, command("fix", "--write", "--unsafe", "a.sh", "link.sh"), same_answer=False),
        Scene("check --output, in the place of another", _old_report, command(*CHECK, "--format", "json", "--output", "report.json")),
        Scene("check --output, a new file", _nothing, command(*CHECK, "--format", "html", "--output", "report.html")),
        Scene("check, caches empty", _nothing, command(*CHECK, "--format", "json"), env={"XDG_CACHE_HOME": "cache"}),
        Scene("lint, cache empty", _manifests, lint, others=("*.sqlite*",), env={"XDG_CACHE_HOME": "cache"}),
        Scene("lint --write-baseline", _old_baseline, command("lint", "tree", "--write-baseline", "known.json", "--no-cache")),
        Scene("knowledge refresh", _knowledge, _refresh),
        Scene("diagnose, what is kept", _nothing, _diagnosis, soundly=_resumable, others=("*/answers.json",), fresh=True),
        Scene("diagnose, piped in, with a ticket", _nothing, _piped, others=("*/answers.json", "state*"), fresh=True, read=_kept_or_not),
        Scene("collect, its archive", _nothing, _archived_again),
        Scene("rules new", _rules, _new_rule, same_answer=False),
        Scene("patch --output FILE", _nothing, _series("fix.mbox")),
        Scene("patch --output DIR, new", _nothing, _series("mails/")),
        Scene("patch --output DIR, there", _old_series, _series("mails")),
        Scene("a temporary folder", _nothing, _temporary),
    )  # fmt: skip


def cleared(folder: Path) -> None:
    """Take a scene's folder away."""
    shutil.rmtree(folder, ignore_errors=True)
