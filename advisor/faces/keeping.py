"""A diagnosis on disk, so that nothing is lost: one folder each, below the user's state folder, readable by them alone.

    answers.json    the options it was started with, and every step: pastes by their files, answers by their questions
    paste-1.txt     what was pasted, as it was

Each step is written before the next question is asked, whole or not at all.
"""

from __future__ import annotations

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


@dataclass
class Kept:
    """One diagnosis on disk. `folder` None when nothing can be kept, and then nothing is written."""

    folder: Path | None
    options: Options
    steps: list[Step]

    def add(self, step: Step) -> None:
        """Keep one more step."""
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
                files_of.write_whole(self.folder / step.name, step.text)
            row = {"about": step.about, "question": step.question}
            rows.append({**row, "paste": step.name} if step.name else {**row, "answer": step.text})
        body = {"schema": SCHEMA, "options": self.options, "steps": rows}
        files_of.write_whole(self.folder / NAME, json.dumps(body, ensure_ascii=False, indent=1) + "\n")

    def next_name(self) -> str:
        """A name for the next paste, new in this folder."""
        taken = {step.name for step in self.steps}
        number = len(taken - {""}) + 1
        while f"paste-{number}.txt" in taken or (self.folder and (self.folder / f"paste-{number}.txt").exists()):
            number += 1
        return f"paste-{number}.txt"


def begin(options: Options) -> tuple[Kept, str]:
    """A new diagnosis, and why it cannot be kept ("" when it can)."""
    folder = home() / datetime.now().strftime("%Y%m%d-%H%M%S")
    for number in range(100):
        place = folder if not number else folder.with_name(f"{folder.name}-{number}")
        try:
            place.parent.mkdir(parents=True, exist_ok=True, mode=0o700)
            place.mkdir(mode=0o700)
        except FileExistsError:
            continue
        except OSError as error:
            return Kept(None, options, []), f"{place}: {error.strerror or error}"
        return Kept(place, options, []), ""
    return Kept(None, options, []), str(folder)


def latest() -> Kept:
    """The last diagnosis. Raises UsageError when there is none, or when it cannot be read."""
    found = sorted(one.parent for one in home().glob(f"*/{NAME}"))
    if not found:
        raise UsageError("there is nothing to resume", "--resume", f"diagnoses are kept in {home()}")
    return read(found[-1] / NAME)


def read(path: Path) -> Kept:
    """The diagnosis in a file of this kind. Raises UsageError when it cannot be read."""
    body = _loaded(path)
    steps = [_step(row, path.parent, f"{path}: step {number}") for number, row in enumerate(body.get("steps") or (), 1)]
    options = body.get("options") or {}
    if not isinstance(options, dict) or not all(_is_option(one) for one in options.values()):
        raise UsageError("its options are not words", str(path), None)
    return Kept(path.parent, options, steps)


def _is_option(value: object) -> bool:
    return (
        value is None
        or isinstance(value, str)
        or (isinstance(value, list) and all(isinstance(one, str) for one in value))
    )


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
    text = files_of.read(str(folder / name)).content.decode("utf-8", "replace") if name else row.get("answer", "")
    return Step(row.get("about", ""), text, name, row.get("question", ""))


def answers_in(path: Path) -> dict[str, str]:
    """Answers by what they are about, or by their question, out of a file. Raises UsageError when it cannot be read.

    `{"answers": {"engine": "sglang", "fact:symptom.hang": "yes"}}`, or what a diagnosis keeps.
    """
    body = _loaded(path)
    if body.get("schema") == SCHEMA:
        return {step.about: step.text for step in read(path).steps if step.about}
    answers = body.get("answers")
    if not isinstance(answers, dict) or not all(isinstance(one, str) for one in answers.values()):
        raise UsageError("holds no answers", str(path), '{"answers": {"engine": "sglang", "build": "0.5.16"}}')
    return answers
