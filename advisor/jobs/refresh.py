"""Released artefacts and clones of an engine -> the generated files of ``knowledge/<engine>/``, all of them or none.

Everything is made in a folder apart first. A file whose content is the same but for the day it was read is left as it
is, so that a refresh in an unchanged world changes nothing; what a clone or index shows less of than the file at hand
(an older clone, a release that could not be read) never takes its place. Only this job and its check use the network.
"""

from __future__ import annotations

import contextlib
import json
import re
import shutil
from collections.abc import Iterator
from dataclasses import dataclass, field
from datetime import UTC, date, datetime
from pathlib import Path
from typing import Any

from advisor import own_folders, whole
from advisor.catalog.places import knowledge_root, rules_root
from advisor.errors import UnreachableError, UpstreamError
from advisor.upstream.artefacts import read_all, releases_text, settings_text
from advisor.upstream.fixes import refresh_fixes
from advisor.upstream.history import refresh_history, refresh_tags
from advisor.upstream.wheels import Index

ENGINES = ("vllm", "sglang", "lmdeploy", "xllm", "vllm-ascend", "nccl")
FILES = ("tags.json", "history.txt", "releases.json", "settings.json", "fixes.json")
_STAMP = re.compile(r'^ ?"read": ?"[0-9-]*",?$\n?', re.MULTILINE)  # "read": "2026-11-29",
_HORIZON = re.compile(r"^# horizon: (\S+)$", re.MULTILINE)


@dataclass
class RefreshSummary:
    """What a refresh of one engine did: ``written`` file -> bytes, ``kept`` file -> why it stays, ``same`` files.

    ``not_read`` names what no artefact says (a default computed at run time); it is no failure.
    """

    engine: str
    written: dict[str, int] = field(default_factory=dict)
    same: list[str] = field(default_factory=list)
    kept: dict[str, str] = field(default_factory=dict)
    not_read: list[str] = field(default_factory=list)


@dataclass(frozen=True)
class Origin:
    """Where an engine's knowledge is read from. ``fork`` is owner/name when the clone is a fork's."""

    index: Index = field(default_factory=Index)
    clone: Path | None = None
    fork: str | None = None
    rules: Path = field(default_factory=rules_root)


def refresh(
    engine: str, origin: Origin | None = None, *, knowledge: Path | None = None, read_on: str | None = None
) -> RefreshSummary:
    """Read everything of an engine anew and write what changed; ``read_on`` is today's date (UTC) unless given.

    UpstreamError when something cannot be had or contradicts what is known: then every file is as it was, and the
    error says what is missing.
    """
    origin, folder = origin or Origin(), (knowledge or knowledge_root()) / engine
    if engine not in ENGINES:
        raise UpstreamError(f"no knowledge is generated for {engine}", None, f"one of {', '.join(ENGINES)}")
    summary = RefreshSummary(engine)
    for name in FILES:
        whole.sweep(folder / name)
    with staged(folder) as staging:
        derive(engine, origin, staging, summary, read_on or datetime.now(UTC).date().isoformat())
        names = [name for name in FILES if name not in summary.kept and (staging / name).is_file()]
        _settle({folder / name: (staging / name).read_text(encoding="utf-8") for name in names}, summary)
    return summary


@contextlib.contextmanager
def staged(folder: Path) -> Iterator[Path]:
    """A folder apart with the generated files as they are. UpstreamError where files cannot be read or written."""
    try:
        with own_folders.temporary("advisor-knowledge-") as staging:
            for name in FILES:
                if (folder / name).is_file():
                    shutil.copyfile(folder / name, staging / name)
            yield staging
    except OSError as error:
        what = f"files cannot be read or written: {error.strerror or error}"
        raise UpstreamError(what, error.filename and str(error.filename), "every file is as it was") from error


def derive(engine: str, origin: Origin, staging: Path, summary: RefreshSummary, read_on: str) -> None:
    """Make every file of an engine anew in ``staging``, which holds the old ones."""
    day = date.fromisoformat(read_on)
    older = False
    if origin.clone is None:
        why = "no clone was given (--clone)"
        summary.kept |= {name: why for name in ("tags.json", "history.txt") if (staging / name).is_file()}
    else:
        older = _history(engine, origin, staging / "history.txt", summary)
        _tags(engine, origin, staging / "tags.json", day, older)
    _surfaces(engine, origin, staging, summary, read_on)
    before = _json(staging / "fixes.json").get("fixes")
    refresh_fixes(
        engine,
        clone=origin.clone,
        out=staging / "fixes.json",
        rules=origin.rules,
        shelf=origin.index,
        read=day,
        before=before,
        keep_notes=older or origin.clone is None,
    )


def _tags(engine: str, origin: Origin, file: Path, day: date, older: bool) -> None:
    """The clone's tags, and those known before that it lacks. UpstreamError when a tag has moved.

    `older`: the clone's main ends before the history at hand, so what was known of a tag stands.
    """
    assert origin.clone is not None
    known = _json(file)
    old = known.get("tags") or {}
    refresh_tags(engine, origin.clone, file, fork=origin.fork, read=day)
    new = _json(file)
    moved = sorted(
        name for name in old.keys() & new["tags"].keys() if old[name]["commit"] != new["tags"][name]["commit"]
    )
    if moved:
        raise UpstreamError(f"{engine}: tags point elsewhere than before: {', '.join(moved)}", str(origin.clone))
    if older or old.keys() - new["tags"].keys():
        both = new["tags"] | old if older else old | new["tags"]
        new["tags"] = dict(sorted(both.items(), key=lambda one: (one[1]["date"], one[0])))
        new["clone"] = known.get("clone", new["clone"]) if older else new["clone"]
        file.write_text(json.dumps(new, indent=1, ensure_ascii=False) + "\n", encoding="utf-8", newline="\n")


def _history(engine: str, origin: Origin, file: Path, summary: RefreshSummary) -> bool:
    """The clone's history, unless the one at hand goes further: whether it does."""
    assert origin.clone is not None
    old = file.read_text(encoding="utf-8", errors="replace") if file.is_file() else ""
    refresh_history(engine, origin.clone, file, fork=origin.fork)
    made = file.read_text(encoding="utf-8")
    known, seen = _HORIZON.search(old), _HORIZON.search(made)
    if known and seen and seen[1] < known[1]:
        file.write_text(old, encoding="utf-8", newline="\n")
        summary.kept["history.txt"] = f"the clone ends {seen[1]}, the history at hand {known[1]}"
        return True
    if known and seen:
        _check_upstreams(engine, origin, old, made)
    return False


def _check_upstreams(engine: str, origin: Origin, old: str, made: str) -> None:
    """UpstreamError for a clone whose main does not go on from the history at hand: a fork's, or of something else."""
    last = [line.split()[0] for line in old.splitlines() if line and not line.startswith("#")][-1:]
    if last and f"\n{last[0]} " not in made:
        what = f"main of this clone lacks {last[0]}, the last commit known of {engine}'s"
        raise UpstreamError(what, str(origin.clone), "a fork's clone is given with --fork ENGINE=OWNER/NAME")


def _surfaces(engine: str, origin: Origin, staging: Path, summary: RefreshSummary, read_on: str) -> None:
    """releases.json and settings.json. UpstreamError when the network fails or a release known before is not there."""
    found = read_all(engine, origin.clone, staging, origin.index)
    summary.not_read += found.not_read
    lost = sorted(_versions(staging) - {entry["version"] for entry in found.entries})
    lost += sorted(_settings_read(staging) - {surface.version for surface in found.surfaces} - set(lost))
    if found.unreachable or lost:
        missing = found.unreachable + [f"{version}: known before, not found now" for version in lost]
        kind = UnreachableError if found.unreachable else UpstreamError
        more = f" and {len(missing) - 5} more" if len(missing) > 5 else ""
        said = f"{engine}: nothing was written, {len(missing)} missing: {'; '.join(missing[:5])}{more}"
        raise kind(said, None, "every file is as it was")
    stamp = {"engine": engine, "read": read_on}
    if found.entries:
        (staging / "releases.json").write_text(releases_text(stamp, found.entries), encoding="utf-8", newline="\n")
    if found.surfaces:
        (staging / "settings.json").write_text(settings_text(stamp, found.surfaces), encoding="utf-8", newline="\n")


def _versions(folder: Path) -> set[str]:
    return {entry["version"] for entry in _json(folder / "releases.json").get("releases", ())}


def _settings_read(folder: Path) -> set[str]:
    return set(_json(folder / "settings.json").get("releases_read", ()))


def _json(file: Path) -> dict[str, Any]:
    """The file's content; empty when it is not there or is broken, so that a refresh makes it anew."""
    try:
        found = json.loads(file.read_text(encoding="utf-8"))
    except (OSError, ValueError):
        return {}
    return found if isinstance(found, dict) else {}


def unstamped(text: str) -> str:
    """A generated file without the day it was read."""
    return _STAMP.sub("", text)


def _settle(made: dict[Path, str], summary: RefreshSummary) -> None:
    """Put in their places those files that say anything new, none before all are written beside them.

    UpstreamError where one cannot be written: then every file is as it was. A run that is killed between two of the
    moves leaves whole files, some of them old; the next run replaces these.
    """
    changed = {file: text for file, text in made.items() if not _says(file, text)}
    summary.same += [file.name for file in made if file not in changed]
    with contextlib.ExitStack() as parts:
        try:
            ready = []
            for file, text in changed.items():
                file.parent.mkdir(parents=True, exist_ok=True)
                part = whole.Part(file, 0o666)
                parts.callback(part.close)
                part.fill(text.encode())
                part.sync()
                ready.append(part)
            for part in ready:
                part.place()
        except OSError as error:
            raise UpstreamError(f"cannot be written: {error.strerror or error}", str(file)) from error
    summary.written |= {file.name: len(text.encode()) for file, text in changed.items()}


def _says(file: Path, text: str) -> bool:
    """Whether a file says the same already, but for the day."""
    return file.is_file() and unstamped(file.read_text(encoding="utf-8", errors="replace")) == unstamped(text)
