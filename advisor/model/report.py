"""The report: what `advisor check` concludes, as data. This is the JSON contract; see docs/json.md.

Every list is in a fixed order, so that the same inputs give the same bytes. `SCHEMA` changes its number when a field
changes meaning or goes away; new fields may appear under the same number.
"""

from __future__ import annotations

from dataclasses import field
from typing import Literal

from advisor.model.fact import Value
from advisor.model.late import dataclass
from advisor.model.rule import Do, Level, Proof, Source
from advisor.model.timeline import Clock, MarkKind

SCHEMA = "advisor-report/1"

Status = Literal["matched", "likely", "possible", "exposed", "ruled_out"]
STATUSES: tuple[Status, ...] = ("matched", "likely", "possible", "exposed", "ruled_out")

YesNoUnknown = Literal["yes", "no", "unknown"]


@dataclass(frozen=True)
class FactOut:
    """A fact a finding stands on. `place` is `file:line` (empty when derived or default); `quote` the text itself."""

    name: str
    value: Value
    says: str
    origin: str
    place: str
    quote: str
    rank: str | None = None


@dataclass(frozen=True)
class MissingOut:
    """What would settle an undecided condition, as a question, and how to find out."""

    about: str
    question: str
    how: str


@dataclass(frozen=True)
class SourceOut:
    """Where a claim was read, and when."""

    where: str
    date: str
    note: str

    @classmethod
    def of(cls, source: Source) -> SourceOut:
        """What a rule or the knowledge names as a source."""
        return cls(source.url or source.artefact or "", source.date, source.note or "")


@dataclass(frozen=True)
class CauseOut:
    """The cause and how firmly upstream holds it: established, proposed or unknown."""

    status: str
    text: str
    sources: tuple[SourceOut, ...]


@dataclass(frozen=True)
class NeedOut:
    """A commit that has to come along when a fix is carried to another build."""

    repo: str
    pr: int | None
    commit: str
    why: str
    sources: tuple[SourceOut, ...]


@dataclass(frozen=True)
class FixOut:
    """An upstream fix. `releases` hold it, oldest first, as established by `releases_by` (git, fingerprint, …).

    `releases_says` is that in words: "released in 0.15.0 and later", "no tagged release holds it", "not established".
    """

    repo: str
    pr: int | None
    url: str
    commit: str | None
    commit_is_prefix: bool
    state: str
    merged: str | None
    completeness: str
    what: str
    component: str | None
    first_release: str | None
    releases: tuple[str, ...]
    releases_by: tuple[str, ...]
    releases_says: str
    in_this_build: YesNoUnknown
    why: str
    needs: tuple[NeedOut, ...]
    sources: tuple[SourceOut, ...]


@dataclass(frozen=True)
class BringsOut:
    """What a remedy would bring. `how` is `exposed`: this deployment could meet the rule's failure only then;
    `harmful`: the rule, which can be met here, advises against it; or `contradicts`: another remedy of that rule asks
    for something else of the same flag or variable. `says` is the failure, the advice, or the flag or variable.
    `beside` is the other remedy where it is so only of both together, else "".
    """

    rule: str
    how: Literal["exposed", "harmful", "contradicts"]
    says: str
    beside: str = ""


@dataclass(frozen=True)
class RemedyOut:
    """A remedy. `diff` is the change to the launch as the user gave it, "" when there is nothing to edit.

    `applies`: yes, no or unknown for this deployment. `status` says how it is known; `suggested` is unproven. `brings`
    is what else would be so once it is carried out, as far as rules know: empty is no promise.
    """

    do: Do
    what: str
    cost: str
    status: Proof
    status_says: str
    proof: str
    applies: YesNoUnknown
    change: dict[str, Value]
    diff: str
    sources: tuple[SourceOut, ...]
    brings: tuple[BringsOut, ...] = ()


@dataclass(frozen=True)
class AdviceOut:
    """Advice not to follow. `tried` is yes when this deployment already does it."""

    what: str
    why: str
    tried: YesNoUnknown
    sources: tuple[SourceOut, ...]


@dataclass(frozen=True)
class StepOut:
    """A verification step with its pass criterion."""

    do: str
    expect: str
    run: str
    absent: tuple[str, ...]
    advancing: str
    duration_s: int | None


@dataclass(frozen=True)
class LookalikeOut:
    """A look-alike, what separates it, and its status in this very case ("" when it did not come up)."""

    rule: str
    tell: str
    status: str
    why: str


@dataclass(frozen=True)
class ReferenceOut:
    """An upstream thread or document."""

    type: str
    url: str
    note: str


@dataclass(frozen=True)
class SupersededOut:
    """A claim once made about this failure, and what replaced it."""

    claim: str
    by: str
    why: str
    sources: tuple[SourceOut, ...]


@dataclass(frozen=True)
class Finding:
    """One rule's verdict on this case.

    `because` are the facts the status stands on; `deciding` those that rule it out; `against` contrary signs that were
    seen; `echoes` lines that only follow from it, where it was seen. `headline` is it all in a line. `zh` has the
    rule's prose in Chinese by its English, as far as the rule brings it.
    """

    rule: str
    status: Status
    level: Level
    summary: str
    headline: str
    aliases: tuple[str, ...]
    because: tuple[FactOut, ...]
    deciding: tuple[FactOut, ...]
    against: tuple[FactOut, ...]
    echoes: tuple[FactOut, ...]
    missing: tuple[MissingOut, ...]
    exposure: YesNoUnknown
    signature: YesNoUnknown
    cause: CauseOut
    no_fix: str
    fixes: tuple[FixOut, ...]
    remedies: tuple[RemedyOut, ...]
    not_helpful: tuple[AdviceOut, ...]
    harmful: tuple[AdviceOut, ...]
    verification: tuple[StepOut, ...]
    lookalikes: tuple[LookalikeOut, ...]
    wanted: tuple[MissingOut, ...]
    superseded: tuple[SupersededOut, ...]
    caveats: tuple[str, ...]
    references: tuple[ReferenceOut, ...]
    details: str
    maturity: str
    as_of: str
    zh: dict[str, str] = field(default_factory=dict)


@dataclass(frozen=True)
class Question:
    """Something worth knowing next, and which rules it would help to decide. Most useful first.

    `asks` are the single questions of one that stands for several, all answered by the same capture; else empty.
    """

    about: str
    question: str
    how: str
    rules: tuple[str, ...]
    asks: tuple[str, ...] = ()


@dataclass(frozen=True)
class ResemblanceOut:
    """A known failure whose words are like the case's, and some words that they share: no judgement."""

    rule: str
    summary: str
    shares: tuple[str, ...]


@dataclass(frozen=True)
class BuildOut:
    """The build as understood. None where not known."""

    engine: str
    version: str | None
    commit: str | None
    image: str | None
    fork: str
    branch: str | None
    label: str
    components: dict[str, str]
    notes: tuple[str, ...]


@dataclass(frozen=True)
class SettingOut:
    """A setting as understood."""

    flag: str
    value: Value
    typed: str
    place: str
    known: bool


@dataclass(frozen=True)
class InputOut:
    """One input and what was made of it."""

    name: str
    kind: str
    lines: int
    facts: int


@dataclass(frozen=True)
class Coverage:
    """What was looked at, and what was not: unread inputs, limits that bit, rules that were not evaluated."""

    inputs: tuple[InputOut, ...]
    notes: tuple[str, ...]
    rules: int
    launch_complete: bool


@dataclass(frozen=True)
class Discrepancy:
    """Something wrong with the deployment itself, whatever failure it may meet: a setting that this release does not
    have or takes otherwise, a build that is not what its version says.

    `code` names the kind (docs/json.md lists them). `subject` is the setting or the build; `typed` as the user wrote
    it, at `place`. `instead` is what to write in its place, "" when nothing is known; `inverted`: that means the
    opposite, so the value has to be turned round too.
    """

    code: str
    level: Level
    subject: str
    typed: str
    place: str
    quote: str
    says: str
    instead: str
    inverted: bool
    sources: tuple[SourceOut, ...]

    def remedy(self) -> str:
        """What to do about a setting that does not fit; "" where `says` has said it already."""
        if self.inverted:
            return f"delete it; {self.instead} means the opposite, so write that only to have the opposite"
        if not self.instead or self.instead in self.says:
            return ""
        return f"write {self.instead} in its place" if self.code.endswith("-replaced") else f"write {self.instead}"


@dataclass(frozen=True)
class StatementOut:
    """One thing that the evidence alone allows to say, known failure or not. `kind` as in the situation's vocabulary
    (docs/json.md); `collective` is `group #seq op` when one is meant; `places` is what it stands on.
    """

    kind: str
    says: str
    ranks: tuple[str, ...]
    collective: str
    places: tuple[str, ...]


@dataclass(frozen=True)
class MarkOut:
    """One thing seen of one rank, or a run of such. `at`, `until` as text, `at_s`, `until_s` in seconds from the
    picture's start; equal for a moment. `exact` is False where the line bears no time itself: it happened no sooner.
    """

    kind: MarkKind
    at: str
    at_s: float
    until: str
    until_s: float
    what: str
    count: int
    exact: bool
    place: str


@dataclass(frozen=True)
class TrackOut:
    """One rank, or one source that is none. `stands`: where its stack stood when captured, whenever that was; `waits`
    whether it waits there. `absent`: collectives that others wait in and this rank has not joined.
    """

    rank: str
    marks: tuple[MarkOut, ...]
    stands: str
    waits: bool
    absent: tuple[str, ...]


@dataclass(frozen=True)
class TimelineOut:
    """Who stopped when, by one clock. `shift_s`: what a flight recorder's times were moved by, None when none are here;
    `shift_by` the collective that tells it, "" where the log names its zone. `unplaced`: dumps that nothing relates.
    """

    clock: Clock
    start: str
    end: str
    span_s: float
    tracks: tuple[TrackOut, ...]
    left_out: int
    files: int
    shift_s: float | None
    shift_by: str
    unplaced: tuple[str, ...]


@dataclass(frozen=True)
class ExcerptOut:
    """Lines of an input around those that are quoted: `lines` from `first_line` on, `hits` the quoted ones' numbers."""

    file: str
    first_line: int
    lines: tuple[str, ...]
    hits: tuple[int, ...]
    places: tuple[str, ...]


@dataclass(frozen=True)
class Report:
    """The whole answer. `id` echoes a batch case's id. `situation` is what is going on, rank by rank, `timeline` who
    stopped when, one for each clock. `related` is filled only where no finding is matched or likely.
    """

    schema: str
    id: str
    build: BuildOut
    settings: tuple[SettingOut, ...]
    environment: dict[str, str]
    situation: tuple[StatementOut, ...]
    timeline: tuple[TimelineOut, ...]
    discrepancies: tuple[Discrepancy, ...]
    findings: tuple[Finding, ...]
    unexplained: tuple[FactOut, ...]
    questions: tuple[Question, ...]
    related: tuple[ResemblanceOut, ...]
    excerpts: tuple[ExcerptOut, ...]
    coverage: Coverage
    as_of: str
    advisor: str
