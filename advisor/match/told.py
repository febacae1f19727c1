"""Of which things a case says anything at all, and which are with it as with any case of its build.

no texts                                   -> nothing of any line
a whole command line without --async-...   -> of that flag, what holds of any such command line of the build
a command line that may lack flags         -> nothing of the flags that are not on it
"""

from __future__ import annotations

from collections.abc import Collection, Iterable
from typing import Any

from advisor.match.derived import CONTAINER, STOCK
from advisor.match.shown import Shown
from advisor.model.case import Case
from advisor.model.fact import Fact
from advisor.model.knowledge import Knowledge
from advisor.model.late import cached_property

Recipe = dict[str, Any]


class Told:
    """What one case says anything of; `facts` are its facts by name, an answer to a question among them."""

    def __init__(self, case: Case, knowledge: Knowledge | None, shown: Shown) -> None:
        self._case, self._knowledge, self._shown = case, knowledge, shown
        self._names: dict[str, frozenset[str] | None] = {}
        self._as_ever: dict[str, bool] = {}
        self.facts: dict[str, list[Fact]] = {}
        for fact in case.facts:
            self.facts.setdefault(fact.name, []).append(fact)

    @cached_property
    def recipes(self) -> dict[str, Recipe]:
        """How facts follow from others, by name."""
        return (self._knowledge.profile.get("facts") or {}) if self._knowledge else {}

    def answered(self, about: str) -> tuple[Fact, ...]:
        """What the user answered when asked about this: of a flag or variable None, of a line or stack False, says
        that it is not there."""
        return tuple(fact for fact in self.facts.get(about, ()) if fact.origin == "stated")

    def may(self, kind: str, name: str) -> bool:
        """Whether the case can say anything of it; what nothing can be said of is not known.

        Nothing is said of a line without texts, of a flag without launches, nor of a fact that no reader saw and that
        follows from nothing, unless it was answered.
        """
        if kind == "log":
            return self.may_show(name)
        among = self._of(kind)
        return among is None or name in among or (kind == "setting" and name.partition(".")[0] in among)

    def among(self, kind: str, names: Collection[str]) -> Iterable[str]:
        """Those of the names that the case can say anything of: `may` of each, for all kinds but lines."""
        told = self._of(kind)
        if told is None:
            return names
        if kind == "setting":
            return [one for one in names if one in told or one.partition(".")[0] in told]
        return told.intersection(names)

    def lines(self, patterns: Collection[str]) -> Collection[str]:
        """Those of the patterns that a text may show, or that an answer says one does."""
        if self._shown.possible is None:
            return patterns if self._shown.searched else self._answers("log").intersection(patterns)
        return [one for one in self._shown.possible | self._answers("log") if one in patterns]

    def unsaid(self, kind: str, name: str) -> bool:
        """Whether the case says nothing of it, so that it is as with any case of this build; False where that is not
        sure."""
        if kind == "setting":
            given = self._flags
            return self._is_whole and name not in given and name.partition(".")[0] not in given
        if kind == "hardware":
            return f"hardware.{name}" not in self.facts
        if kind == "component":
            return f"component.{name}" not in self.facts and (name != "nccl" or not self._tells_of_hardware)
        if kind != "fact" or name in self.facts:
            return False
        if name not in self._as_ever:
            recipe = self.recipes.get(name)
            self._as_ever[name] = self._follows_as_ever(recipe) if recipe else name == STOCK.name
        return self._as_ever[name]

    def may_show(self, pattern: str) -> bool:
        """Whether the case can say anything of a line: `may` for this kind alone."""
        if not self._shown.searched:
            return pattern in self._answers("log")
        return self._lines is None or pattern in self._lines or pattern not in self._shown.known

    @cached_property
    def _lines(self) -> frozenset[str] | None:
        """The patterns that a text may show or that were answered; None where nothing tells, or silence counts."""
        possible = self._shown.possible
        return None if possible is None or self._shown.is_covered else possible | self._answers("log")

    def _of(self, kind: str) -> frozenset[str] | None:
        """Of which things of a kind, but lines, the case can say anything; None where of any."""
        if kind not in self._names:
            self._names[kind] = self._named(kind)
        return self._names[kind]

    def _named(self, kind: str) -> frozenset[str] | None:
        if kind == "fact":
            follow = [name for name, recipe in self.recipes.items() if self._may_follow(recipe)]
            return frozenset((STOCK.name, CONTAINER, *self.facts, *follow))
        if kind == "env":
            return self._variables
        if kind == "stack":
            return None if self._case.threads else self._answers(kind)
        if kind == "setting" and (self._knowledge is None or not any(one.complete for one in self._case.launches)):
            return self._flags
        return None

    def _may_follow(self, recipe: Recipe) -> bool:
        settings, given = recipe.get("settings") or (), self._of("setting")
        return (
            (bool(settings) if given is None else any(self.may("setting", one) for one in settings))
            or not self._variables.isdisjoint(recipe.get("env") or ())
            or any(self.may("log", one) for one in recipe.get("logs") or ())
        )

    def _follows_as_ever(self, recipe: Recipe) -> bool:
        return (
            all(self.unsaid("setting", one) for one in recipe.get("settings") or ())
            and self._variables.isdisjoint(recipe.get("env") or ())
            and not any(self.may("log", one) for one in recipe.get("logs") or ())
            and all(self.unsaid("fact", one) for one in recipe.get("product") or ())
        )

    @cached_property
    def _flags(self) -> frozenset[str]:
        given = (one.flag for launch in self._case.launches for one in launch.settings)
        return self._answers("setting").union(given)

    @cached_property
    def _variables(self) -> frozenset[str]:
        given = (one.name for launch in self._case.launches for one in launch.environment)
        return self._answers("env").union(given)

    @cached_property
    def _is_whole(self) -> bool:
        """Whether what no launch gives has the release's default."""
        launches = self._case.launches
        return bool(launches) and self._knowledge is not None and all(one.complete for one in launches)

    @cached_property
    def _tells_of_hardware(self) -> bool:
        return any(name.startswith("hardware.") for name in self.facts)

    def _answers(self, kind: str) -> frozenset[str]:
        return self._answered.get(kind, frozenset())

    @cached_property
    def _answered(self) -> dict[str, frozenset[str]]:
        """Of what was answered, by kind."""
        pairs = [name.partition(":")[::2] for name in self.facts if ":" in name]
        return {kind: frozenset(name for one, name in pairs if one == kind) for kind, _ in pairs}
