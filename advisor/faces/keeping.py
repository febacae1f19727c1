"""A diagnosis on disk, so that nothing is lost: one folder each, below the user's state folder, readable by them alone.

    answers.json    the options it was started with, and every step: pastes by their files, answers by their questions
    paste-1.txt     what was pasted, as it was

Each step is written before the next question is asked, whole or not at all.
"""

from __future__ import annotations

import contextlib
import json
import os
from dataclasses import dataclass
from datetime import datetime
from pathlib import Path
from typing import Any

from advisor.errors import UsageError
from advisor.faces import files as files_of
from advisor.jobs.answering import Step

SCHEMA = "advisor-answers/1"
NAME = "answers.json"


def home() -> Path:
    """Where diagnoses are kept: `$XDG_STATE_HOME/advisor/diagnose`, by default below `~/.local/state`."""
    base = os.environ.get("XDG_STATE_HOME") or str(Path.home() / ".local" / "state")
    return Path(base) / "advisor" / "diagnose"


Options = dict[str, "str | list[str] | None"]
"""What `evidence.given` takes, by name."""
WORDS = ("engine", "version", "repo", "installed", "model")
LISTS = ("files", "flags", "env", "component", "hardware", "symptom", "log", "stack")


@dataclass
class Kept:
    """One diagnosis on disk. `folder` None when nothing can be kept, and then nothing is written.

    `alone`: nobody was asked, so there is nothing to go on with.
    """

    folder: Path | None
    options: Options
    steps: list[Step]
    alone: bool = False

    def add(self, step: Step) -> None:
        """Keep one more step. Raises UsageError when it cannot be written."""
        self.steps.append(step)
        self.write()

    def back(self) -> bool:
        """Take the last step back; False when there is none."""
        if not self.steps:
            return False
        self.steps.pop()
        self.write()
        return True

    def write(self) -> None:
        """Write all of it: pastes first, so that no step names a file that is not there."""
        if self.folder is None:
            return
        rows = []
        for step in self.steps:
            if step.name and not (self.folder / step.name).exists():
                files_of.write_whole(self.folder / step.name, step.content)
            row = {"about": step.about, "question": step.question}
            rows.append({**row, "paste": step.name} if step.name else {**row, "answer": step.text})
        body = {"schema": SCHEMA, "alone": self.alone, "options": self.options, "steps": rows}
        files_of.write_whole(self.folder / NAME, f"{json.dumps(body, indent=1)}\n".encode())

    def next_name(self) -> str:
        """A name for the next paste, new in this folder and among the files given."""
        given = [one for name in ("files", "log", "stack") for one in self.options.get(name) or ()]
        taken = {*(step.name for step in self.steps), *(Path(one).name for one in given)}
        number = 1
        while f"paste-{number}.txt" in taken or (self.folder and (self.folder / f"paste-{number}.txt").exists()):
            number += 1
        return f"paste-{number}.txt"


def begin(options: Options, *, alone: bool) -> tuple[Kept, str]:
    """A new diagnosis, and why it cannot be kept ("" when it can)."""
    folder = home() / datetime.now().strftime("%Y%m%d-%H%M%S")
    for number in range(100):
        place = folder if not number else folder.with_name(f"{folder.name}-{number}")
        try:
            place.parent.mkdir(parents=True, exist_ok=True, mode=0o700)
            place.mkdir(mode=0o700)
            kept = Kept(place, options, [], alone)
            kept.write()
        except FileExistsError:
            continue
        except (OSError, UsageError) as error:
            with contextlib.suppress(OSError):
                place.rmdir()
            why = error.what if isinstance(error, UsageError) else error.strerror
            return Kept(None, options, [], alone), f"{place}: {why}"
        return kept, ""
    return Kept(None, options, [], alone), str(folder)


def latest() -> Kept:
    """The last diagnosis in which somebody was asked. Raises UsageError when there is none, or it cannot be read."""
    for path in sorted(home().glob(f"*/{NAME}"), key=lambda one: one.stat().st_mtime_ns, reverse=True):
        kept = read(path)
        if not kept.alone:
            return kept
    raise UsageError("there is nothing to resume", "--resume", f"diagnoses are kept in {home()}")


def read(path: Path) -> Kept:
    """The diagnosis in a file of this kind. Raises UsageError when it cannot be read."""
    body = _loaded(path)
    if body.get("schema") != SCHEMA:
        raise UsageError(f"is not {SCHEMA}", str(path), "it is what diagnose writes")
    steps = [_step(row, path.parent, f"{path}: step {number}") for number, row in enumerate(body.get("steps") or (), 1)]
    return Kept(path.parent, _options(body.get("options"), str(path)), steps, bool(body.get("alone")))


def _options(given: object, where: str) -> Options:
    """Every option, those not given empty."""
    found = given if isinstance(given, dict) else {}
    if unknown := sorted(set(found) - {*WORDS, *LISTS}):
        raise UsageError(f"knows no option {unknown[0]!r}", where, f"known: {', '.join((*WORDS, *LISTS))}")
    options: Options = {"engine": "", "version": "", "model": "", "repo": None, "installed": None}
    options |= dict.fromkeys(LISTS)
    for name, value in found.items():
        words = value if isinstance(value, list) else [value or ""]
        if isinstance(value, list) is not (name in LISTS and value is not None) or not all(
            isinstance(one, str) for one in words
        ):
            raise UsageError(f"option {name!r} is not as it was written", where, None)
        options[name] = value or options[name]
    return options


def _loaded(path: Path) -> dict[str, Any]:
    try:
        body = json.loads(files_of.read(str(path)).content.decode("utf-8", "replace"))
    except (ValueError, RecursionError) as error:
        raise UsageError(f"is not JSON: {error}", str(path), None) from None
    if not isinstance(body, dict) or not isinstance(body.get("steps") or [], list):
        raise UsageError(f"is not {SCHEMA}", str(path), "it is what diagnose writes")
    return body


def _step(row: object, folder: Path, where: str) -> Step:
    if not isinstance(row, dict) or not all(isinstance(one, str) for one in row.values()):
        raise UsageError("is not a step", where, "about with answer or paste, all of them text")
    name = row.get("paste", "")
    if name and Path(name).name != name:
        raise UsageError(f"names no file beside it: {name}", where, None)
    content = files_of.read(str(folder / name)).content if name else b""
    return Step(row.get("about", ""), row.get("answer", ""), name, row.get("question", ""), content)


def answers_in(path: Path) -> dict[str, str]:
    """Answers by what they are about, or by their question, out of a file. Raises UsageError when it cannot be read.

    `{"answers": {"engine": "sglang", "fact:symptom.hang": "yes"}}`, or what a diagnosis keeps.
    """
    body = _loaded(path)
    if body.get("schema") == SCHEMA:
        return {step.about: step.text for step in read(path).steps if step.about and not step.name}
    answers = body.get("answers")
    if not isinstance(answers, dict) or not all(isinstance(one, str) for one in answers.values()):
        raise UsageError("holds no answers", str(path), '{"answers": {"engine": "sglang", "build": "0.5.16"}}')
    return answers
