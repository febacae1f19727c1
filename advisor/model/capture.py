"""What is taken from a running deployment: the steps that are planned, what each gave, and what they gave together."""

from __future__ import annotations

from typing import Literal

from advisor.model.late import dataclass

FORMAT = "advisor-capture/1"
MANIFEST = "manifest.json"
OURS = "# advisor-capture: "
"""What a file begins with that is for people alone: no reader takes it for evidence."""

HOST = "# advisor-host\n"
"""What the file that tells of the machine begins with; `advisor.evidence.host` reads it."""

Status = Literal["taken", "part", "nothing", "failed"]
"""`part`: some of it, the rest is said. `nothing`: there was none. `failed`: it was there, and not to be had."""


def status(missing: int, of: int) -> Status:
    """What so many failures among so many things come to."""
    return "taken" if not missing else "part" if missing < of else "failed"


@dataclass(frozen=True, slots=True)
class Step:
    """One thing that will be done. `how` are the commands, paths and addresses; `bound_s` is the most it may take.

    `writes`: it makes somebody else write a file; every other step only reads.
    """

    name: str
    how: tuple[str, ...]
    bound_s: float
    note: str = ""
    writes: bool = False


@dataclass(frozen=True, slots=True)
class Outcome:
    """What a step gave: the files in the archive, and what is missing and why."""

    step: str
    status: Status
    files: tuple[str, ...] = ()
    said: tuple[str, ...] = ()
    seconds: float = 0.0


@dataclass(frozen=True, slots=True)
class Found:
    """A process that is looked at: `rank` is "" when it is none or not known, `role` an engine, `gpu` or `named`."""

    pid: int
    rank: str
    role: str
    command: str


@dataclass(frozen=True, slots=True)
class Plan:
    """What there is, what will be done with it, and where it goes."""

    found: tuple[Found, ...]
    steps: tuple[Step, ...]
    output: str
    wait_s: float
    said: tuple[str, ...] = ()

    @property
    def bound_s(self) -> float:
        """The most that all of it may take."""
        return sum(step.bound_s for step in self.steps) + (self.wait_s if self.found else 0.0)


@dataclass(frozen=True, slots=True)
class Collection:
    """What was taken."""

    plan: Plan
    outcomes: tuple[Outcome, ...]
    bytes_written: int
    seconds: float
