"""What `advisor verify` answers, as data (docs/verify.md): has the change cured it, as far as the evidence goes?"""

from __future__ import annotations

from dataclasses import field
from typing import Literal

from advisor.model.late import dataclass
from advisor.model.report import Coverage, FactOut

VERIFY_SCHEMA = "advisor-verify/1"

Outcome = Literal["pass", "fail", "not enough"]


@dataclass(frozen=True)
class StepVerdict:
    """A verification step judged on the evidence.

    `says` is what was seen; `missing` what the evidence still lacks for a verdict; `yours` says that no reader can
    judge the step: it passes when the user confirms it.
    """

    number: int
    do: str
    expect: str
    outcome: Outcome
    yours: bool
    says: tuple[str, ...]
    missing: tuple[str, ...]


@dataclass(frozen=True)
class VerificationReport:
    """The verdict over all steps. `changed` is `yes` where the failure can no longer happen to this build and launch,
    `no` where it still can, and `unknown` where that cannot be told; `change` says why, `differs` what is other than in
    the earlier report. `again` are signs of the failure in the new evidence; any makes the outcome `fail`. `zh` has the
    rule's prose in Chinese by its English.
    """

    schema: str
    rule: str
    summary: str
    outcome: Outcome
    headline: str
    changed: Literal["yes", "no", "unknown"]
    change: tuple[str, ...]
    differs: tuple[str, ...]
    again: tuple[FactOut, ...]
    steps: tuple[StepVerdict, ...]
    missing: tuple[str, ...]
    coverage: Coverage
    zh: dict[str, str] = field(default_factory=dict)
