"""Flags and variables of release after release -> one change history per setting.

A record holds from ``since`` up to and excluding ``until``, the first release read that lacks the setting or has it
differently. ``since`` is therefore a release that was read, not the commit that brought the setting in.

A setting's key is the first long spelling that the newest release knowing it registers. An older release that
registered the same flag under another first spelling goes under that key as long as it accepted the key too.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import asdict, dataclass, field, replace
from typing import Any

from advisor.errors import UpstreamError
from advisor.upstream import ascend_settings, environment, lmdeploy_flags, sglang_flags, vllm_flags, xllm_flags
from advisor.upstream.arguments import Flag, flag_of
from advisor.upstream.deprecated_variables import deprecated_variables, modules_of
from advisor.upstream.deprecations import warned_flags
from advisor.upstream.environment import Variable
from advisor.upstream.python_code import Code
from advisor.upstream.statements import Statements
from advisor.upstream.trees import Tree

Record = dict[str, Any]
_Arguments = Callable[[Code], tuple[Statements, list[tuple[list[Any], dict[str, Any]]]]]

_FLAGS: dict[str, _Arguments] = {
    "vllm": vllm_flags.arguments_of,
    "sglang": sglang_flags.arguments_of,
    "lmdeploy": lmdeploy_flags.arguments_of,
    "vllm-ascend": ascend_settings.arguments_of,
}
_VARIABLES: dict[str, Callable[[Code], list[Variable]]] = {
    "vllm": environment.vllm_variables,
    "sglang": environment.sglang_variables,
    "lmdeploy": environment.lmdeploy_variables,
    "vllm-ascend": environment.ascend_variables,
}

# Where a warning may call a flag by the name of its field.
_FIELDS = {"vllm": "vllm.engine.arg_utils"}


@dataclass
class Surface:
    """What one release lets its operator set, and what of it could not be read.

    ``deprecated`` are the variables that the release warns about, each with what it names instead; a variable that it
    warns about and no longer lists is among them alone.
    """

    version: str
    flags: list[Flag] = field(default_factory=list)
    variables: list[Variable] = field(default_factory=list)
    deprecated: dict[str, str | None] = field(default_factory=dict)
    not_read: list[str] = field(default_factory=list)


def read(engine: str, version: str, tree: Tree) -> Surface:
    """The flags and variables of one release. UpstreamError when its command line cannot be found at all."""
    if engine == "xllm":
        flags = xllm_flags.flags_of(tree)
        return Surface(version, flags, not_read=_unread(version, flags))
    if engine not in _FLAGS:
        raise UpstreamError(f"no reader for the settings of {engine}", None, f"known: {', '.join([*_FLAGS, 'xllm'])}")
    code = Code(tree)
    reader, added = _FLAGS[engine](code)
    surface = Surface(version, variables=_VARIABLES[engine](code))
    found: dict[str, Flag] = {}
    for args, kwargs in added:
        flag = flag_of(args, kwargs, reader)
        if flag is not None:
            found[flag.name] = _agreed(found.get(flag.name), flag)
        elif not all(isinstance(arg, str) for arg in args):
            surface.not_read.append(f"{version}: an argument whose name is computed")
    modules = modules_of(engine, tree.names())
    names = {each.name for each in surface.variables}
    names |= {spelling for flag in found.values() for spelling in (flag.name, *flag.aliases)}
    surface.flags = _marked(found, warned_flags(code, modules, _FIELDS.get(engine, "")), names)
    for name, instead in deprecated_variables(engine, code, modules).items():
        surface.deprecated[name] = _known(instead, names)
    surface.not_read += _unread(version, [*surface.flags, *surface.variables])
    return surface


def _marked(found: dict[str, Flag], warned: dict[str, str | None], names: set[str]) -> list[Flag]:
    """The flags, those that a warning calls deprecated marked so."""
    return [
        replace(
            flag,
            deprecated=flag.deprecated or flag.name in warned,
            instead=_known(flag.instead or warned.get(flag.name), names),
        )
        for flag in found.values()
    ]


def _known(instead: str | None, names: set[str]) -> str | None:
    """What is named instead, if the release has it: by its whole name, or as a key of a flag's JSON."""
    return instead if instead is not None and {instead, instead.partition(".")[0]} & names else None


def _unread(version: str, settings: Sequence[Flag | Variable]) -> list[str]:
    return [f"{version}: default of {each.name}" for each in settings if not each.default_known]


def _agreed(one: Flag | None, two: Flag) -> Flag:
    """Two branches may each add a flag: where they differ in the default it is not known."""
    if one is None or one == two:
        return two
    return replace(one, default=None, default_known=False)


def settings_history(surfaces: list[Surface]) -> dict[str, list[Record]]:
    """Per canonical flag, its records oldest first; ``surfaces`` are oldest first."""
    keyed = _keyed(surfaces)
    names = sorted({name for _, flags in keyed for name in flags})
    return {
        name: _folded([(version, _flag_record(flags[name]) if name in flags else None) for version, flags in keyed])
        for name in names
    }


def environment_history(surfaces: list[Surface]) -> dict[str, list[Record]]:
    """Per environment variable, its records oldest first."""
    by_version = [(surface.version, _variable_records(surface)) for surface in surfaces]
    names = sorted({name for _, records in by_version for name in records})
    return {name: _folded([(version, records.get(name)) for version, records in by_version]) for name in names}


def _keyed(surfaces: list[Surface]) -> list[tuple[str, dict[str, Flag]]]:
    """Each release's flags under their canonical names, decided from the newest release backwards."""
    known: set[str] = set()
    keyed: list[tuple[str, dict[str, Flag]]] = []
    for surface in reversed(surfaces):
        taken: dict[str, Flag] = {}
        own = {flag.name for flag in surface.flags}
        for flag in surface.flags:
            spellings = (flag.name, *flag.aliases)
            free = [name for name in flag.aliases if name in known and name not in taken and name not in own]
            key = free[0] if free and flag.name not in known else flag.name
            taken[key] = replace(flag, name=key, aliases=tuple(name for name in spellings if name != key))
        known |= set(taken)
        keyed.append((surface.version, taken))
    return keyed[::-1]


def _flag_record(flag: Flag) -> Record:
    record = asdict(flag)
    record["aliases"] = sorted(flag.aliases)
    record["choices"] = list(flag.choices) if flag.choices else None
    record["negations"] = sorted(flag.negations)
    if not flag.negations:  # most flags have none
        del record["negations"]
    for key in ("deprecated", "instead", "optional", "keys"):
        if not record[key]:
            del record[key]
    return record


def _variable_records(surface: Surface) -> dict[str, Record]:
    """The records of one release's variables, those that only a warning knows included."""
    records = {each.name: asdict(each) for each in surface.variables}
    for name, instead in surface.deprecated.items():
        record = records.setdefault(name, asdict(Variable(name)))
        record.update({"deprecated": True, **({"instead": instead} if instead else {})})
    return records


def _folded(held: list[tuple[str, Record | None]]) -> list[Record]:
    """Runs of equal records, each with the release it began at and the one it ended at."""
    runs: list[Record] = []
    before: Record | None = None
    for version, record in held:
        if record is not None and not _alike(record, before):
            runs.append(
                {"since": version, "until": None, **{key: value for key, value in record.items() if key != "name"}}
            )
        if before is not None and not _alike(record, before):
            ended = runs[-2] if record is not None else runs[-1]
            ended["until"] = version
        before = record
    return runs


def _alike(one: Record | None, two: Record | None) -> bool:
    """Equal, with 1, 1.0 and true kept apart."""
    return repr(one) == repr(two)
