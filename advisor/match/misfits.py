"""Launch × knowledge -> settings that this release does not have, or takes otherwise than they are given.

    --enable-reasoning on vllm 0.33.0          removed in 0.10.0; its reader is chosen with --reasoning-parser alone
    --attention-backend FLASHINFER on 0.8.5    not yet: it came in 0.13.0
    --tensor-paralel-size 8                    no release has it: did you mean --tensor-parallel-size?
    --enable-chunked-prefill False on 0.28.0   takes no value since 0.8.5; write --no-enable-chunked-prefill

An engine refuses to start on a flag it does not know: an error where the whole command line is here and the settings of
that very release were read; a warning where the nearest release had to stand in for the build; a note where the flag is
only spoken of. A variable that is not read does nothing: at most a warning. Of the keys inside a JSON value those are
judged that are known to take only some values.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import replace
from functools import cache

from advisor.match.fitting import Fitting, fit, wanted
from advisor.model.build import order_key
from advisor.model.fact import Value
from advisor.model.knowledge import Knowledge, SettingRecord, VariableRecord
from advisor.model.late import dataclass
from advisor.model.launch import Launch, Setting, Variable
from advisor.model.replacement import Replacement, in_force
from advisor.model.report import Discrepancy, SourceOut
from advisor.model.rule import Level

MOST_UNKNOWN = 50  # flags of one launch that are each said to be unknown
Replaced = Callable[[], Mapping[str, Sequence[Replacement]]]
Foreign = Callable[[str], tuple[str | None, str]]
Added = Callable[[str], tuple[Value, ...]]


@dataclass(frozen=True)
class Release:
    """The release whose settings stand for a build: `exact` when it is the build's own and was read.

    When it is not, the build may also be on the way to one of `ahead`: what one of those has is not missed. `pinned_by`
    is the plugin's release from which it follows.
    """

    version: str
    exact: bool
    ahead: tuple[str, ...] = ()
    pinned_by: str = ""

    def named(self, engine: str) -> str:
        """As the report calls it."""
        if self.pinned_by:
            return f"{engine} {self.version}, for which {self.pinned_by} is made,"
        return f"{engine} {self.version}" if self.exact else f"{engine} {self.version}, the nearest release known,"


def misfits(
    launch: Launch,
    knowledge: Knowledge,
    release: Release | None,
    replaced: Replaced,
    foreign: Foreign = lambda flag: (None, ""),
    added: Added = lambda flag: (),
    *,
    deployed: bool = False,
) -> list[Discrepancy]:
    """Every setting and variable of a launch that does not fit the release, in the order given.

    With no release only what no release has is said. `replaced` gives what took a setting's place, `foreign` this
    engine's flag for one of another engine and whose that is, each when it is needed; `added` what a plugin
    lets a flag take besides. `deployed`: the launch is a file that starts the engine, not a text that tells of it.
    """
    judge = _Judge(launch, knowledge, release, replaced, foreign, added, deployed)
    flags = [one for one in launch.settings if one.typed.startswith("-") or (launch.server and _is_keyword(one))]
    if launch.server is False:  # a benchmark, a router: it has flags of its own
        flags = []
    if flags and (other := judge.other_server(flags)):
        return [other]
    strange = [one for one in flags if not one.known]
    left = set(strange[MOST_UNKNOWN:])
    found = [one for given in flags if given not in left for one in judge.setting(given)]
    found += [judge.valueless(given) for given in launch.valueless if launch.server is not False]
    found += [one for variable in launch.environment for one in judge.variable(variable)]
    return found + ([judge.many(strange[MOST_UNKNOWN:])] if len(strange) > MOST_UNKNOWN else [])


@dataclass(frozen=True)
class _Judge:
    launch: Launch
    knowledge: Knowledge
    release: Release | None
    replaced: Replaced
    foreign: Foreign
    added: Added
    deployed: bool

    # flags

    def other_server(self, flags: Sequence[Setting]) -> Discrepancy | None:
        """A flag by which another product takes the command: its flags are not judged by this engine's."""
        for what, theirs in _other_servers(self.knowledge):
            for given in flags:
                if given.typed.replace("_", "-") in theirs:
                    says = f"{given.typed} is of {what}, whose flags are not known here: none of these was judged"
                    return self._found("setting-unknown", "note", given, says)
        return None

    def setting(self, given: Setting) -> Iterator[Discrepancy]:
        if given.typed in (self.knowledge.profile.get("accepted") or ()) or given.typed == "-m":
            return  # `-m` starts a Python module
        if self.release and self.knowledge.respelled(given.typed.partition(".")[0], self.release.version):
            return
        flag = given.flag.partition(".")[0]
        if flag != given.flag and "." not in given.typed:
            return  # a key out of a JSON value: judged with the whole
        records = self.knowledge.records(flag)
        if not records:
            yield self._unknown(given)
            return
        if self.release is None:
            return
        here = self.knowledge.setting(flag, self.release.version)
        if here is not None:
            yield from self._held(given, here, records)
        elif any(self.knowledge.setting(flag, one) for one in self.release.ahead):
            return
        elif self.knowledge.opposite_of(given.typed, self.release.version) is None:
            yield self._absent(given.typed, flag, records, given, self._refusal())

    def _unknown(self, given: Setting) -> Discrepancy:
        engine = self.knowledge.engine
        near, of = self.foreign(given.typed.partition(".")[0])
        near = near or ("" if of else nearest(given.flag.partition(".")[0], self.knowledge))
        meant = f"; {of}: {engine} calls it {near}" if of and near else f"; {of}" if of else ""
        meant = meant or (f"; did you mean {near}?" if near else "")
        says = f"{given.typed} is a flag of no {engine} release read{meant}"
        level: Level = "error" if self.release and self.release.exact and self._whole() else "warning"
        return self._found("setting-unknown", level, given, says, instead=near or "")

    def many(self, more: Sequence[Setting]) -> Discrepancy:
        """The flags beyond those each said to be unknown, in one line."""
        says = f"{len(more)} more flags are of no {self.knowledge.engine} release read, the first {more[0].typed}"
        return self._found("setting-unknown", "warning", more[0], says)

    def _held(self, given: Setting, here: SettingRecord, records: tuple[SettingRecord, ...]) -> Iterator[Discrepancy]:
        assert self.release is not None
        more = self.added(here.flag) if here.choices else ()
        here = replace(here, choices=(*(here.choices or ()), *more)) if more else here
        style = str(self.knowledge.profile.get("flag_style") or "argparse")
        fitting = fit(given, here, records, style, spoken=not self._typed()) if not _is_keyword(given) else None
        if fitting is not None and self.release.exact:
            yield self._unfit(given, fitting)
        elif here.deprecated and given.flag not in (self.knowledge.profile.get("quiet_deprecations") or ()):
            yield self._deprecated("setting-deprecated", given, given.flag, given.typed, here.instead)

    def valueless(self, given: Setting) -> Discrepancy:
        """A flag that wants a value and has none: every parser refuses it, of whatever release."""
        here = self.knowledge.setting(given.flag, self.release.version if self.release else None)
        at = self.release.named(self.knowledge.engine) if self.release and here else self.knowledge.engine
        says = f"{at} wants {wanted(here)} after {given.typed}; none is given"
        return self._found("setting-value", self._refusal() if here else "warning", given, says)

    def _unfit(self, given: Setting, fitting: Fitting) -> Discrepancy:
        assert self.release is not None
        says = f"{self.release.named(self.knowledge.engine)} {fitting.says}"
        instead = self._instead(given.flag, str(given.value)) if fitting.code == "setting-value" else None
        renamed = instead.instead_value if instead and instead.value == str(given.value) else None
        level = self._refusal() if fitting.refused else "warning"
        found = f"{given.flag} {renamed}" if renamed else fitting.instead
        return self._found(fitting.code, level, given, says, instead=found, by=instead if renamed else None)

    # variables

    def variable(self, given: Variable) -> Iterator[Discrepancy]:
        records = self.knowledge.variable_records(given.name)
        if not records:
            yield from self._strange(given)
            return
        if self.release is None:
            return
        here = self.knowledge.variable(given.name, self.release.version)
        if here is None and any(self.knowledge.variable(given.name, one) for one in self.release.ahead):
            return
        if here is None:
            yield self._absent(given.name, given.name, records, given, self._ignored())
        elif here.deprecated:
            yield self._deprecated("variable-deprecated", given, given.name, given.name, here.instead)

    def _strange(self, given: Variable) -> Iterator[Discrepancy]:
        """A variable of no release: one that took another name before any was read, or a slip."""
        engine, release = self.knowledge.engine, self.release
        renamed = self._instead(given.name, given.value)
        near = self._new_prefix(given.name) or _misspelt(given.name, self.knowledge)
        if renamed and release:
            yield self._deprecated("variable-deprecated", given, given.name, given.name, renamed.instead)
        elif near and release and near == self._new_prefix(given.name):
            says = f"{release.named(engine)} warns about {given.name}; use {near}"
            yield self._found("variable-deprecated", "note", given, says, instead=near)
        elif near:
            says = f"{given.name} is none of the variables that {engine} declares; did you mean {near}?"
            yield self._found("variable-unknown", "note", given, says, instead=near)

    def _new_prefix(self, name: str) -> str | None:
        """The variable under the prefix that took an older one's place (SGL_X is SGLANG_X), if the release has it."""
        for old, new in (self.knowledge.profile.get("renamed_prefixes") or {}).items():
            wanted = new + name.removeprefix(old)
            if name.startswith(old) and self.release and self.knowledge.variable(wanted, self.release.version):
                return str(wanted)
        return None

    # what both share

    def _deprecated(
        self, code: str, given: Setting | Variable, name: str, typed: str, named: str | None
    ) -> Discrepancy:
        """Taken with a warning: what to write instead, as the release names it or as is known besides."""
        assert self.release is not None
        by = self._instead(name, str(given.value))
        instead = named or (by.instead if by else None) or ""
        more = f". {by.says}" if by else f"; use {instead}" if instead else ""
        says = f"{self.release.named(self.knowledge.engine)} warns that {typed} is deprecated{more}"
        return self._found(code, "note", given, says, instead=_written(instead, by), by=by)

    def _absent(
        self,
        typed: str,
        name: str,
        records: Sequence[SettingRecord] | Sequence[VariableRecord],
        given: Setting | Variable,
        level: Level,
    ) -> Discrepancy:
        """The release lacks it: it came later, was removed before, or another took its place."""
        assert self.release is not None
        kind = "setting" if name.startswith("-") else "variable"
        lacks = "has no" if kind == "setting" else "does not declare"
        here = order_key(self.release.version)
        gone = [one for one in records if one.until and order_key(one.until) <= here]
        later = [one for one in records if one.since and order_key(one.since) > here]
        says = f"{self.release.named(self.knowledge.engine)} {lacks} {typed}"
        elsewhere = "" if kind == "setting" else "; code elsewhere may read it all the same"
        least: Level = level if kind == "setting" else "note"  # where variables are declared is not all that reads them
        if not gone:
            came = "it came in" if kind == "setting" else "it is declared from"
            since = f"{came} {later[0].since}" + ("" if kind == "setting" else " on")
            return self._found(f"{kind}-not-yet", least, given, f"{says}: {since}{elsewhere}")
        says += f": it was removed in {gone[-1].until}"
        says += f" and came back in {later[0].since}" if later else ""
        instead = self._instead(name, str(given.value))
        if instead is None:
            return self._found(f"{kind}-removed", least, given, f"{says}{elsewhere}")
        says = says.replace(" does not declare ", " does not read ", 1)
        code = f"{kind}-replaced" if instead.instead else f"{kind}-removed"
        written = _written(instead.instead or "", instead)
        if instead.instead and self.launch.setting(instead.instead) is not None and not instead.instead_value:
            says, written = f"{says}; {instead.instead} is given already, so drop it", ""
        return self._found(code, level, given, f"{says}. {instead.says}", instead=written, by=instead)

    def _instead(self, name: str, value: str) -> Replacement | None:
        """What took the place of a setting, or of one of its values, in a build of this release."""
        return in_force(self.replaced().get(name, ()), self.release.version, value) if self.release else None

    def _found(
        self,
        code: str,
        level: Level,
        given: Setting | Variable,
        says: str,
        *,
        instead: str = "",
        by: Replacement | None = None,
    ) -> Discrepancy:
        setting = isinstance(given, Setting)
        return Discrepancy(
            code=code,
            level=level if self._whole() or not setting else "note",
            subject=given.flag if isinstance(given, Setting) else given.name,
            typed=given.typed if isinstance(given, Setting) else given.name,
            place=str(given.span or self.launch.artifact),
            quote=given.quote,
            says=says,
            instead=instead,
            inverted=bool(by and by.inverted),
            sources=tuple(map(SourceOut.of, by.source)) if by else (),
        )

    def _whole(self) -> bool:
        """Whether these are flags that were given, not only spoken of."""
        return self.launch.complete or (self.launch.server is True and self.launch.artifact.startswith("--flags"))

    def _typed(self) -> bool:
        """Whether this is what is typed for the engine, and not an account of it, where `x` may stand for a number."""
        return self._whole() and (self.launch.artifact.startswith("--flags") or self.deployed)

    def _refusal(self) -> Level:
        return "error" if self.release and self.release.exact else "warning"

    def _ignored(self) -> Level:
        return "warning" if self.release and self.release.exact else "note"


@cache
def _other_servers(knowledge: Knowledge) -> tuple[tuple[str, frozenset[str]], ...]:
    """Other products that an engine's command may start, each with the flags that only it has."""
    others = knowledge.profile.get("other_servers") or ()
    return tuple((one["what"], frozenset(each.replace("_", "-") for each in one["flags"])) for one in others)


def _is_keyword(given: Setting) -> bool:
    """Whether it is given as a keyword of Python: `LLM(swap_space=8)`; its name has to be there, no more is judged."""
    return given.typed.isidentifier() and given.known and given.origin == "stated"


def _written(instead: str, by: Replacement | None) -> str:
    """What to write: the new setting, with the value it takes where that is not the old one."""
    value = by.instead_value if by and by.instead == instead else None
    if not instead or value is None:
        return instead
    return f"{instead} {value}" if instead.startswith("-") else f"{instead}={value}"


@cache
def nearest(name: str, knowledge: Knowledge) -> str | None:
    """The known flag or variable spelled most like this one, if any is close."""
    from difflib import get_close_matches

    among = knowledge.flags() if name.startswith("-") else knowledge.variables()
    found = get_close_matches(name, among, 1, 0.8 if name.startswith("-") else 0.9)
    return found[0] if found else None


@cache
def _prefixes(knowledge: Knowledge) -> frozenset[str]:
    return frozenset(one.partition("_")[0] for one in knowledge.variables())


def _misspelt(name: str, knowledge: Knowledge) -> str | None:
    """The engine's variable that a name of its own prefix is a slip of; people also name their own variables so."""
    return (
        nearest(name, knowledge) if name.partition("_")[0] in _prefixes(knowledge) and "_SERVICE_" not in name else None
    )
