"""What is answered about rules apart from any case, as data: one of them as `advisor explain` has it, or a list."""

from __future__ import annotations

from advisor.model.late import dataclass
from advisor.model.report import FixOut
from advisor.model.rule import Level, Rule

RULE_SCHEMA = "advisor-rule/1"
RULES_SCHEMA = "advisor-rules/1"


@dataclass(frozen=True)
class RuleReport:
    """One rule, and its fixes with the releases that hold them, on no particular build."""

    schema: str
    rule: Rule
    fixes: tuple[FixOut, ...]


@dataclass(frozen=True)
class RuleLine:
    """A rule in a list. `shares` are the words that it has in common with the text that was searched for."""

    id: str
    engine: str
    level: Level
    maturity: str
    as_of: str
    summary: str
    shares: tuple[str, ...] = ()


@dataclass(frozen=True)
class RulesReport:
    """At most `limit` of `total` rules from `offset` on: by id, or the nearest to the text that was searched for."""

    schema: str
    engine: str
    q: str
    total: int
    offset: int
    limit: int
    rules: tuple[RuleLine, ...]
