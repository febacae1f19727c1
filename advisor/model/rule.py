"""A rule: one known failure, as its file under `rules/` says it. Pure data; see docs/adding-a-rule.md.

Dates are ISO text. Every `source` says where a claim was read and when. The catalog room checks these nouns' types
and texts; nothing here imports a validator, so that loading them is cheap.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any, Literal, get_args

from advisor.model.condition import Condition, Scalar
from advisor.model.late import dataclass

Proof = Literal["released", "merged", "maintainer_confirmed", "reporter_verified", "derived", "suggested"]
"""How a remedy is known, firmest first: in a release; merged upstream; a maintainer said so; a reporter tried it and
says it worked; read from source; or only suggested."""

PROOFS: tuple[Proof, ...] = ("released", "merged", "maintainer_confirmed", "reporter_verified", "derived", "suggested")

Level = Literal["error", "warning", "note"]
LEVELS: tuple[Level, ...] = get_args(Level)
"""The worst first."""
CauseStatus = Literal["established", "proposed", "unknown"]
Do = Literal["set", "unset", "env", "image", "patch", "upgrade", "downgrade", "component", "advice"]


@dataclass(frozen=True)
class Source:
    """Where a claim comes from: a URL, or a release artefact named in words; with the date of the text read."""

    date: str
    url: str | None = None
    artefact: str | None = None
    note: str | None = None

    def words(self) -> str:
        """The place and date on one line."""
        return f"{self.url or self.artefact} ({self.date})" + (f": {self.note}" if self.note else "")


@dataclass(frozen=True)
class Boundary:
    """One end of a range: the commit is the truth, the version its shadow. `date` is when it was merged."""

    version: str | None = None
    commit: str | None = None
    pr: int | None = None
    date: str | None = None


@dataclass(frozen=True)
class Affected:
    """Builds that have the failure: half-open [introduced, fixed).

    `only: commits` = builds of main between the two commits, no release; `only: forks` = no stock build, only forks and
    patched builds, among them the listed `commits`. `component` ranges over a library instead of the engine.
    """

    component: str | None = None
    only: Literal["commits", "forks"] | None = None
    introduced: Boundary | None = None
    fixed: Boundary | None = None
    commits: tuple[str, ...] = ()
    why: str | None = None
    source: Source | None = None


@dataclass(frozen=True)
class Symptoms:
    """`signature` tells this failure from its look-alikes; `supporting` are weaker signs shared with others.

    `contrary` are signs that speak against it: once one is seen, the failure is possible at most. `downstream` are
    lines that follow from it and from much else: they never count for it, and are its echoes where it leads.
    """

    signature: Condition | None = None
    supporting: tuple[Condition, ...] = ()
    contrary: tuple[Condition, ...] = ()
    downstream: tuple[Condition, ...] = ()


@dataclass(frozen=True)
class Cause:
    """What is held to be the cause, and how firmly upstream holds it."""

    status: CauseStatus
    text: str
    source: tuple[Source, ...]


@dataclass(frozen=True)
class Fingerprint:
    """A text present in (or absent from) a file of the engine exactly when the fix is in."""

    file: str
    present: str | None = None
    absent: str | None = None


@dataclass(frozen=True)
class Need:
    """A commit that has to come along with a fix: without it the fix does not apply, or does not work.

    `repo` is the fix's own unless given; `commit` is 40 digits, or the prefix as known.
    """

    commit: str
    why: str
    source: tuple[Source, ...]
    pr: int | None = None
    repo: str | None = None


@dataclass(frozen=True)
class Fix:
    """An upstream change. Which releases hold it is never written here: knowledge derives it.

    `needs` are the commits that have to come along when it is carried to another build; no entry means that none is
    known, not that none is needed.
    """

    repo: str
    completeness: Literal["complete", "partial", "unverified_for_this_case"]
    what: str
    source: tuple[Source, ...]
    pr: int | None = None
    commit: str | None = None
    component: str | None = None
    merged: str | None = None
    state: Literal["merged", "open", "closed", "fork"] = "merged"
    fingerprint: Fingerprint | None = None
    needs: tuple[Need, ...] = ()

    def key(self) -> str:
        """`repo#pr`, or `repo@commit` for a change without a pull request."""
        return f"{self.repo}#{self.pr}" if self.pr is not None else f"{self.repo}@{self.commit or 'unknown'}"


@dataclass(frozen=True)
class Remedy:
    """Something to do; beside the common fields exactly those its `do` needs.

    set: flag -> value; unset: flags; env: variable -> value, null to unset; image: a reference; patch: repo and commit;
    upgrade, downgrade: `to` a version; component: its name and `to` a version; advice: words only.
    """

    do: Do
    what: str
    cost: str
    status: Proof
    source: tuple[Source, ...]
    set: dict[str, Scalar] | None = None
    unset: tuple[str, ...] | None = None
    env: dict[str, str | None] | None = None
    image: str | None = None
    repo: str | None = None
    commit: str | None = None
    component: str | None = None
    to: str | None = None
    proof: str | None = None
    applies_when: Condition | None = None


@dataclass(frozen=True)
class Advice:
    """Advice not to follow: tried without help, or making it worse. `tried` tells when the user already did it."""

    what: str
    why: str
    source: tuple[Source, ...]
    tried: Condition | None = None


@dataclass(frozen=True)
class Step:
    """One verification step with its pass criterion, machine-readable where it can be.

    `absent`: patterns that must stay out of the logs; `advancing`: a counter that must grow while requests run;
    `duration_s`: the least time to watch, in seconds.
    """

    do: str
    expect: str
    run: str | None = None
    absent: tuple[str, ...] = ()
    advancing: str | None = None
    duration_s: int | None = None
    source: Source | None = None


@dataclass(frozen=True)
class Lookalike:
    """Another rule that looks the same from outside, and what separates the two."""

    rule: str
    tell: str


@dataclass(frozen=True)
class Wanted:
    """Evidence still needed, by the operator to be sure or by upstream to find the cause; most telling first.

    `unless` is a condition that says the evidence is already here.
    """

    what: str
    tells: str
    run: str | None = None
    unless: Condition | None = None
    source: Source | None = None


@dataclass(frozen=True)
class Superseded:
    """A claim once made about this failure, and what replaced it."""

    claim: str
    by: str
    why: str
    source: tuple[Source, ...]


@dataclass(frozen=True)
class Reference:
    """An upstream thread or document; types as in OSV."""

    type: Literal["REPORT", "FIX", "INTRODUCED", "DISCUSSION", "EVIDENCE", "WEB"]
    url: str
    date: str | None = None
    note: str | None = None


@dataclass(frozen=True)
class Rule:
    """One known failure. `no_fix` says what is known when there is no fix; `caveats` what a match does not prove.

    `zh` is its prose in Chinese, shaped as the rule itself is (`translation.py`).
    """

    id: str
    summary: str
    level: Level
    maturity: Literal["draft", "stable", "retired"]
    as_of: str
    symptoms: Symptoms
    details: str
    cause: Cause
    verification: tuple[Step, ...]
    references: tuple[Reference, ...]
    former_ids: tuple[str, ...] = ()
    aliases: tuple[str, ...] = ()
    affected: tuple[Affected, ...] = ()
    exposure: Condition | None = None
    fixes: tuple[Fix, ...] = ()
    no_fix: str | None = None
    remedies: tuple[Remedy, ...] = ()
    not_helpful: tuple[Advice, ...] = ()
    harmful: tuple[Advice, ...] = ()
    lookalikes: tuple[Lookalike, ...] = ()
    wanted: tuple[Wanted, ...] = ()
    superseded: tuple[Superseded, ...] = ()
    caveats: tuple[str, ...] = ()
    zh: dict[str, Any] | None = None

    @property
    def gist(self) -> str:
        """The summary to go on after: without its full stop."""
        return self.summary.strip().rstrip(".。")

    @property
    def engine(self) -> str:
        """The engine whose rule this is; `any` for the stack below the engines."""
        return self.id.partition("/")[0]


def conditions(rule: Rule) -> Iterator[Condition]:
    """Every condition of a rule, whatever it decides."""
    symptoms = rule.symptoms
    yield from (one for one in (rule.exposure, symptoms.signature) if one is not None)
    yield from (*symptoms.supporting, *symptoms.contrary, *symptoms.downstream)
    yield from (one.applies_when for one in rule.remedies if one.applies_when is not None)
    yield from (one.tried for one in (*rule.not_helpful, *rule.harmful) if one.tried is not None)
    yield from (one.unless for one in rule.wanted if one.unless is not None)
