"""What can go wrong on the advisor's side of the table.

    AdvisorError            an instruction or a file of ours cannot be followed
    ├── UsageError          the command line, an option's value, a file named by the user
    ├── RuleError           a rule directory does not say what a rule must say
    ├── KnowledgeError      a file under knowledge/ is missing or malformed
    └── UpstreamError       a clone, an index or a wheel did not give what was asked
        └── UnreachableError    the network did not answer: asking again later may help

Bad *evidence* is never an error: readers return notes about it.
"""

from __future__ import annotations


class AdvisorError(Exception):
    """One line for a person: what is wrong, where, and what to do about it."""

    def __init__(self, what: str, where: str | None = None, hint: str | None = None) -> None:
        self.what, self.where, self.hint = what, where, hint
        super().__init__(self.line())

    def line(self) -> str:
        """`where: what (hint)`, leaving out what is not known."""
        text = f"{self.where}: {self.what}" if self.where else self.what
        return f"{text} ({self.hint})" if self.hint else text


class UsageError(AdvisorError):
    """The user asked for something that cannot be done as asked."""


class RuleError(AdvisorError):
    """A rule file is malformed or contradicts itself."""


class KnowledgeError(AdvisorError):
    """A knowledge file is missing or malformed."""


class UpstreamError(AdvisorError):
    """A repository, package index or release artefact did not give what was asked."""


class UnreachableError(UpstreamError):
    """The network did not answer, so that nothing is known of what was asked for."""
