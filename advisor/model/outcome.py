"""What an evaluation found: a truth, the facts it stood on, and what would settle it.

Tuples, for a case makes a hundred of them: one is made, and hashed, in a fraction of a frozen dataclass's time.
"""

from __future__ import annotations

from typing import NamedTuple

from advisor.model.fact import Fact
from advisor.model.truth import Truth


class Missing(NamedTuple):
    """Something not known that would decide a condition.

    `about` names it as conditions do: `setting:--tp`, `env:X`, `component:nccl`, `build`, `hardware:arch`,
    `fact:symptom.hang`, `log:…`, `stack:…`.
    """

    about: str
    question: str
    how: str = ""


class Outcome(NamedTuple):
    """A decided outcome keeps its deciders in `because`; an undecided one says in `missing` what would settle it,
    and keeps in `because` the parts already known to hold, for the reader of a report.

    `signs` are the keys of the conditions that were seen to hold, for weighing how distinctive they are.
    """

    truth: Truth
    because: tuple[Fact, ...] = ()
    missing: tuple[Missing, ...] = ()
    signs: tuple[str, ...] = ()
