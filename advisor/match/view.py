"""What a case says about each thing a condition can ask: a flag, a variable, a fact, a component, a line, a stack.

Closed world for settings: a flag absent from a complete command line has the release's default. Open world for all
else: not seen is not known, unless the reader vouches that the text covers the whole run.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator
from dataclasses import field
from functools import lru_cache
from typing import TYPE_CHECKING, Any, NamedTuple

from advisor.match.builds import nearest_release
from advisor.match.derived import CONTAINER, STOCK, contained, derive, stock
from advisor.match.layers import Layer
from advisor.match.shown import Shown, quoted
from advisor.match.told import Told
from advisor.model.build import Build
from advisor.model.case import Case
from advisor.model.condition import Atom
from advisor.model.fact import ORIGINS, Fact, FactKind, Origin, Span, Thread
from advisor.model.hardware import KINDS
from advisor.model.knowledge import Knowledge
from advisor.model.late import cached_property, dataclass
from advisor.model.launch import Launch, Setting
from advisor.model.outcome import Missing, Outcome
from advisor.model.truth import Truth

if TYPE_CHECKING:
    from advisor.scan.gate import Gate

ANSWERED = "--said"
"""The place of what the user answered to a question: weaker than anything that was read."""


class Answer(NamedTuple):
    """What is known about one thing. No facts and `absent` False means nothing is known.

    `absent` is the evidence's word that the thing is not there; `missing` what would settle it.
    """

    facts: tuple[Fact, ...] = ()
    absent: bool = False
    missing: Missing | None = None


@dataclass
class View:
    """One case seen through the questions that conditions ask; answers are kept, since rules share them.

    `layers` are the engines of the process: the first takes the flags, and knowledge is of that one. `gate` gives
    what tells at once which patterns a text can show; without it each pattern is tried.
    """

    case: Case
    layers: tuple[Layer, ...]
    kinds: Callable[[], dict[str, FactKind]]
    gate: Callable[[], Gate] | None = None
    outcomes: dict[int, tuple[Atom, Outcome]] = field(default_factory=dict, repr=False)
    """What `conditions` found of each atom, by its identity: rules share many."""
    met: dict[int, tuple[Any, dict[tuple[str, str], list[Any]]]] = field(default_factory=dict, repr=False)
    """Of a bare view: the calls that are met, by kind and name, for each list of triggers that was tried."""
    has: dict[int, tuple[Any, bool]] = field(default_factory=dict, repr=False)
    """Of a bare view: which rules' failures the build has, by the identity of the rule."""
    truths: dict[int, tuple[Atom, Truth]] = field(default_factory=dict, repr=False)
    """Whether each holds, where that alone was asked."""
    like: tuple[View, Callable[[str, str], bool]] | None = field(default=None, repr=False)
    """Another view, and of which things (kind, name) what is found there holds here."""
    _answers: dict[tuple[str, str, str], Answer] = field(default_factory=dict)

    @property
    def knowledge(self) -> Knowledge | None:
        """What is known of the engine that takes the flags."""
        return self.layers[0].knowledge

    @property
    def base(self) -> Build:
        """The build of the engine that takes the flags."""
        return self.layers[0].build

    @property
    def engines(self) -> tuple[str, ...]:
        """The engines of the process; one empty name when none is known."""
        return tuple(one.build.engine for one in self.layers)

    def layer(self, engine: str) -> Layer:
        """The engine's own build; for what is no engine here, the build that was given."""
        wanted = (engine, self.case.build.engine)
        return next((one for name in wanted for one in self.layers if one.build.engine == name), self.layers[0])

    @cached_property
    def release(self) -> str | None:
        """The release whose defaults and pins hold for this build."""
        return nearest_release(self.base, self.knowledge)

    @cached_property
    def shown(self) -> Shown:
        """What its texts show."""
        return Shown(self.case.artifacts, self.gate)

    @cached_property
    def told(self) -> Told:
        """Of what it says anything at all."""
        return Told(self.case, self.knowledge, self.shown)

    @cached_property
    def bare(self) -> View:
        """The same build of which nothing more is said: what holds of it holds here of all that goes unsaid."""
        return _bare(self.case.build, self.layers)

    def ask(self, kind: str, name: str, value: Any = None, op: str = "") -> Answer:
        """The answer about `kind:name`; `value` and `op` matter to stacks alone."""
        key = (kind, name, op)
        if key not in self._answers:
            self._answers[key] = self._find(kind, name, value, op)
        return self._answers[key]

    def _find(self, kind: str, name: str, value: Any, op: str) -> Answer:
        if kind == "setting":
            return self._setting(name)
        if kind == "env":
            return self._env(name)
        if kind == "fact":
            return self._fact(name)
        if kind == "hardware":
            return self._hardware(name)
        if kind == "component":
            return self._component(name)
        if kind == "model":
            return self._model()
        if kind == "log":
            return self._log(name)
        return self._stack(value, op)

    # settings and environment

    def _setting(self, flag: str) -> Answer:
        answers = [self._in_launch(flag, *one) for one in self._given]
        facts = tuple(fact for answer in answers for fact in answer.facts)
        unknown = not answers or any(not answer.facts for answer in answers)
        if unknown and (said := self.told.answered(f"setting:{flag}")):
            facts, unknown = (*facts, *self._meant(flag, said)), False
        ask = Missing(
            f"setting:{flag}",
            f"What is `{flag}` set to (or is it absent from the command line)?",
            "ps -ww -o args -p PID",
        )
        return Answer(_strongest(facts), missing=ask if unknown else None)

    @cached_property
    def _given(self) -> list[tuple[Launch, dict[str, Setting]]]:
        """Each launch with its settings by flag: the last occurrence of one wins, as engines have it."""
        return [(launch, {one.flag: one for one in launch.settings}) for launch in self.case.launches]

    def _in_launch(self, flag: str, launch: Launch, settings: dict[str, Setting]) -> Answer:
        given = settings.get(flag)
        if given is not None and given.value is None:
            return Answer((Fact(f"setting:{flag}", None, given.origin, given.span, why=f"{flag} is not set"),))
        if given is not None:
            quote = given.quote or f"{given.typed} {given.value}"
            return Answer((Fact(f"setting:{flag}", given.value, given.origin, given.span, quote, launch.rank),))
        parent, dot, _ = flag.partition(".")
        above = settings.get(parent) if dot else None
        if above is not None:
            gone = Fact(f"setting:{flag}", None, above.origin, above.span, why=f"{parent} is not set")
            return Answer((gone,)) if above.value is None else Answer()
        if not launch.complete or self.knowledge is None:
            return Answer()
        return self._default(parent, flag, launch)

    def _default(self, parent: str, flag: str, launch: Launch) -> Answer:
        assert self.knowledge is not None
        span = Span(launch.artifact)
        if parent != flag and (own := self._plugins_default(flag, span)):
            return Answer((own,))
        record = self.knowledge.setting(parent, self.release) if self.release else self.knowledge.constant(parent)
        if record is None:
            if self.release is None or self.knowledge.setting(parent, None) is None:
                return Answer()
            return Answer(
                (Fact(f"setting:{flag}", None, "default", span, why=f"{self.release or 'this build'} has no {parent}"),)
            )
        if not record.default_known:
            return Answer()
        value = None if parent != flag else record.default
        if isinstance(value, list | dict):
            return Answer()
        release = self.release or "every release read"
        said = f"{parent} is not on the command line; its default in {release} is {_show(value)}"
        return Answer((Fact(f"setting:{flag}", value, "default", span, why=said),))

    def _plugins_default(self, flag: str, span: Span) -> Fact | None:
        """The default of a plugin's own key, such as one of `--additional-config`."""
        for one in self.layers[1:]:
            release = nearest_release(one.build, one.knowledge)
            record = one.knowledge.setting(flag, release) if one.knowledge and release else None
            if record is not None and record.default_known and not isinstance(record.default, list | dict):
                said = f"{flag} is not given; its default in {one.build.engine} {release} is {_show(record.default)}"
                return Fact(f"setting:{flag}", record.default, "default", span, why=said)
        return None

    def _env(self, name: str) -> Answer:
        facts = [
            Fact(
                f"env:{name}",
                given.value,
                given.origin,
                given.span,
                given.quote or f"{name}={given.value}",
                launch.rank,
            )
            for launch in self.case.launches
            if (given := launch.variable(name)) is not None
        ]
        ask = Missing(
            f"env:{name}",
            f"Is the environment variable `{name}` set, and to what?",
            f"tr '\\0' '\\n' </proc/PID/environ | grep ^{name}=",
        )
        facts = facts or list(self.told.answered(f"env:{name}"))
        return Answer(tuple(facts), missing=None if facts else ask)

    def _meant(self, flag: str, said: tuple[Fact, ...]) -> tuple[Fact, ...]:
        """What an answer about a flag amounts to: of one that is not there, the release's default."""
        if self.knowledge is None or any(fact.value is not None for fact in said):
            return said
        return self._default(flag.partition(".")[0], flag, Launch(self.base.engine, artifact=ANSWERED)).facts or said

    # facts, hardware, components, model

    def _fact(self, name: str) -> Answer:
        stated = _strongest(_read_first(self.told.facts.get(name, ())))
        derived = self._derived(name)
        given = tuple(fact for fact in derived.facts if fact.origin != "default")
        if given or stated:
            return Answer(given or stated)
        if derived.facts and derived.missing is None:
            return Answer(derived.facts)
        return Answer(missing=derived.missing or Missing(f"fact:{name}", ""))

    def asked(self, missing: Missing) -> Missing:
        """The question with its words: a fact's stand in the vocabulary, which is only looked at when one is asked."""
        if missing.question:
            return missing
        name = missing.about.partition(":")[2]
        kind = self.kinds().get(name)
        return Missing(missing.about, kind.question if kind else f"What is {name}?", kind.how if kind else "")

    def _derived(self, name: str) -> Answer:
        if name == STOCK.name:
            return Answer(stock(self.case.build, self.layer(self.case.build.engine).knowledge))
        if name == CONTAINER:
            return Answer(contained(self.case.build, self.case.launches))
        recipe = self.told.recipes.get(name)
        if recipe is None:
            return Answer()

        def ask(kind: str, source: str) -> tuple[tuple[Fact, ...], Missing | None]:
            answer = self.ask(kind, source)
            return answer.facts, answer.missing

        facts, missing = derive(name, recipe, ask)
        return Answer(facts, missing=missing)

    def _hardware(self, name: str) -> Answer:
        facts = _strongest(_read_first(self.told.facts.get(f"hardware.{name}", ())))
        if not facts and name == "vendor":
            facts = self._vendor()
        return Answer(facts, missing=None if facts else Missing(f"hardware:{name}", *_HARDWARE[name]))

    def _vendor(self) -> tuple[Fact, ...]:
        """Whose accelerators a plugin is for."""
        told = [(one.build.engine, one.knowledge.profile.get("vendor")) for one in self.layers[1:] if one.knowledge]
        return tuple(
            Fact("hardware.vendor", str(vendor), "derived", why=f"{engine} runs on accelerators of {vendor} alone")
            for engine, vendor in told
            if vendor
        )

    def _component(self, name: str) -> Answer:
        """What a process printed or maps before what is listed as installed, that before what is said, then pins."""
        build = self.case.build
        found = [
            fact.but(name=f"component:{name}")
            for fact in self.told.facts.get(f"component.{name}", ())
            if isinstance(fact.value, str)
        ]
        loaded = tuple(fact for fact in found if fact.origin == "observed" and not self._is_listed(fact))
        if loaded:
            return Answer(loaded)
        given = build.component(name)
        if (
            given is not None
            and given.origin != "default"
            and given.version not in [fact.value for fact in found if fact.origin == "observed"]
        ):
            origin: Origin = "observed" if given.origin == "observed" else "stated"
            found.insert(
                0, Fact(f"component:{name}", given.version, origin, quote=f"{name} {given.version}", why=given.where)
            )
        for one in self.layers:
            found += _as_component(name, one.build)
        return Answer(_strongest(tuple(found))) if found else self._pinned(name)

    def _is_listed(self, fact: Fact) -> bool:
        """Whether the fact is of an installed package: what a process loads may be another one."""
        place = fact.span.artifact if fact.span else ""
        kinds = {one.kind for one in self.case.artifacts if one.name == place}
        return "collect_env" in kinds or place.endswith((".dist-info", ".egg-info"))

    def _pinned(self, name: str) -> Answer:
        how = (
            "grep -o '/[^ ]*libnccl[^ ]*' /proc/PID/maps | sort -u on every rank, and NCCL_DEBUG=VERSION"
            if name == "nccl"
            else f"pip show {name}"
        )
        ask = Missing(f"component:{name}", f"Which {name} does every rank really load?", how)
        release = self.knowledge.release(self.release) if self.knowledge and self.release else None
        pin = (release.pins.get(name) or release.pins.get(name.replace("_", "-")) or "") if release else ""
        if pin.startswith("==") and "," not in pin and release is not None:
            said = f"{name} {pin} is what {self.case.build.engine} {release.version} asks for; not observed: {how}"
            return Answer((Fact(f"component:{name}", pin[2:], "default", why=said),), missing=ask)
        arches = [fact.value for fact in self.case.facts if fact.name == "hardware.arch"]
        others = [fact for fact in self.ask("hardware", "vendor").facts if fact.value != "nvidia"]
        if release is None or name != "nccl" or not arches or others:
            return Answer(missing=ask)
        version = release.nccl.get(str(arches[0]))
        if version is None:
            return Answer(missing=ask)
        torch = release.pins.get("torch", "")
        engine = f"{self.case.build.engine} {release.version}"
        said = f"the default of {engine} on {arches[0]} (torch{torch}); not observed: {how}"
        return Answer((Fact(f"component:{name}", version, "default", why=said),), missing=ask)

    def _model(self) -> Answer:
        named = [
            Fact("model", launch.model, "stated", Span(launch.artifact), launch.model)
            for launch in self.case.launches
            if launch.model
        ]
        named += [fact for fact in self.case.facts if fact.name == "model"]
        return Answer(tuple(named), missing=None if named else Missing("model", "Which model is served?", ""))

    # lines and stacks

    def _log(self, pattern: str) -> Answer:
        at = self.shown.place(pattern)
        if at is None:
            return self._answered(line_asked(pattern), self.shown.is_covered)
        artifact, start, end = at
        origin: Origin = "stated" if artifact.kind == "text" else "observed"
        text = quoted(artifact.text, start, end)
        place, line = artifact.span(start, end), artifact.line_at(start)
        return Answer((Fact(f"log:{pattern}", text, origin, place, line, artifact.rank),))

    def _answered(self, ask: Missing, absent: bool = False) -> Answer:
        """What the user said of a line or stack that was not seen."""
        said = () if absent else self.told.answered(ask.about)
        seen = tuple(fact for fact in said if fact.value is not False)
        gone = absent or (bool(said) and not seen)
        return Answer(seen, gone, None if seen or gone else ask)

    def _stack(self, frames: tuple[str, ...], state: str) -> Answer:
        for thread in self.case.threads:
            if state and thread.state and thread.state != state:
                continue
            spans = _subsequence(frames, thread)
            if spans is not None:
                quote = " < ".join(str(frame) for frame in spans)
                place = Span(spans[0].span.artifact, spans[0].span.line, spans[-1].span.line)
                return Answer(
                    (
                        Fact(
                            f"stack:{' < '.join(frames)}",
                            thread.name or "thread",
                            "observed",
                            place,
                            quote,
                            thread.rank,
                        ),
                    )
                )
        told = " under ".join(f"`{frame}`" for frame in frames)
        ask = Missing(
            f"stack:{' < '.join(frames)}",
            f"Is a thread of any rank in {told}?",
            "py-spy dump --native --pid PID, on every rank",
        )
        return self._answered(ask)


@lru_cache(maxsize=256)
def _bare(build: Build, layers: tuple[Layer, ...]) -> View:
    return View(Case(build, (Launch(layers[0].build.engine, complete=True),)), layers, dict)


def line_asked(pattern: str) -> Missing:
    """What is missing where no text shows the pattern."""
    says = f"Does any rank's log have a line matching `{pattern}`?"
    return Missing(f"log:{pattern}", says, "the complete log of every rank")


_HARDWARE = {one.name.partition(".")[2]: (one.question, one.how) for one in KINDS}


def _as_component(name: str, build: Build) -> Iterator[Fact]:
    """The version of an engine as that of a component."""
    if not build.version or name not in (build.engine, build.engine.replace("-", "_")):
        return
    if build.origin == "default":
        yield Fact(f"component:{name}", build.version, "default", why=build.text)
    else:
        origin: Origin = "observed" if build.origin == "observed" else "stated"
        yield Fact(f"component:{name}", build.version, origin, quote=build.text or build.version)


def _show(value: Any) -> str:
    return str(value).lower() if isinstance(value, bool) else "unset" if value is None else str(value)


def _read_first(facts: Iterable[Fact]) -> tuple[Fact, ...]:
    """What was read or told; what was only answered to a question where there is nothing else."""
    every = tuple(facts)
    return tuple(fact for fact in every if fact.span is None or fact.span.artifact != ANSWERED) or every


def _strongest(facts: tuple[Fact, ...]) -> tuple[Fact, ...]:
    """Only the facts of the strongest origin present, per rank: what was seen beats what is assumed."""
    if not facts:
        return ()
    best = min(ORIGINS.index(fact.origin) for fact in facts)
    return tuple(fact for fact in facts if ORIGINS.index(fact.origin) == best)


def _subsequence(wanted: tuple[str, ...], thread: Thread) -> list[Any] | None:
    found: list[Any] = []
    for frame in thread.frames:
        if len(found) < len(wanted) and _is_frame(wanted[len(found)], frame.function, frame.file):
            found.append(frame)
    return found if len(found) == len(wanted) else None


def _is_frame(wanted: str, function: str, file: str) -> bool:
    name, _, place = wanted.partition(" (")
    same = function == name or function.rpartition("::")[2] == name or function.rpartition(".")[2] == name
    return same and (not place or not file or file.split(":")[0].endswith(place.rstrip(")")))
