"""What is known of engines and rules -> Markdown pages of tables: the reference part of the documentation's site.

Texts come from rules and from the engines' sources, so every cell is escaped; a `|` is an entity even in code, since
Markdown's dialects do not agree on how else to write it there.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from html import escape as entities

from advisor.model.reference import ReleaseOut, ReleasesOut, SettingLine, SettingPast, SettingsOut
from advisor.model.rule import Affected, Boundary, Rule
from advisor.render import words
from advisor.render.markdown import code, escape
from advisor.render.quoting import one_line, prose
from advisor.render.reference_pages import legend, span, value

SHORT = 12  # digits of a commit that is named in a table


def table(head: Sequence[str], rows: Iterable[Sequence[str]]) -> str:
    """A table of cells that are Markdown already; an empty table is no table."""
    lines = [f"| {' | '.join(row)} |" for row in rows]
    return "\n".join([f"| {' | '.join(head)} |", f"|{'---|' * len(head)}", *lines]) + "\n" if lines else ""


def cell(text: str) -> str:
    """Foreign prose as a cell."""
    return escape(prose(text)).replace("\\|", "&#124;")


def literal(text: str) -> str:
    """Text as it is typed, as a cell."""
    said = one_line(text)
    if "|" not in said:
        return code(said)
    return f"<code>{''.join(_entity(one) for one in said)}</code>"


def _entity(character: str) -> str:
    return f"&#{ord(character)};" if not character.isalnum() and character.isascii() else entities(character)


# rules


def rules_page(rules: Sequence[Rule], addresses: Mapping[str, str]) -> str:
    """Every rule by engine: its page, level, the failure in a line, the builds that have it."""
    engines = sorted({rule.engine for rule in rules}, key=lambda one: (one == "any", one))
    parts = [
        f"# Known failures\n\n{words.counted(len(rules), 'rule')}, each a page: what happens, which builds, what to "
        "do, what not to do, how to verify. `advisor explain RULE` prints the same.\n"
    ]
    for engine in engines:
        mine = [rule for rule in rules if rule.engine == engine]
        title = "Below the engines" if engine == "any" else engine
        parts.append(f"## {title}\n\n" + table(("rule", "level", "failure", "affected"), _rule_rows(mine, addresses)))
    return "\n".join(parts)


def _rule_rows(rules: Iterable[Rule], addresses: Mapping[str, str]) -> list[tuple[str, ...]]:
    return [
        (
            f"[{rule.id.partition('/')[2]}]({addresses[rule.id]})",
            rule.level,
            cell(rule.summary),
            cell("; ".join(map(builds, rule.affected)) or "any build"),
        )
        for rule in rules
    ]


def builds(one: Affected) -> str:
    """A range of builds in a few words, the version where there is one."""
    what = one.component or {"commits": "main", "forks": "forks and patched builds"}.get(one.only or "", "")
    since = f"from {_named(one.introduced)}" if one.introduced else ""
    until = f"before {_named(one.fixed)}" if one.fixed else ""
    return " ".join(part for part in (what, since, until) if part) or "any release"


def _named(one: Boundary) -> str:
    return one.version or (one.commit or "")[:SHORT] or one.date or "a commit that is not established"


# settings


def settings_tables(found: SettingsOut) -> str:
    """The flags, then the variables of a release."""
    about = (
        f"# Flags of {found.engine} {found.release}\n\n"
        f"{words.counted(len(found.flags), 'flag')} and {words.counted(len(found.variables), 'variable')}, read "
        f"{found.read} from the released artefacts; releases read: {found.oldest} to {found.newest}. "
        f"{legend()} *Since* is the first release read that has it, *until* the first that lacks it again. "
        f"`advisor flags {found.engine} VERSION` has those of every other release.\n"
    )
    head = ("flag", "takes", "default", "since", "until")
    flags = table(head, map(_setting_row, found.flags))
    variables = table(("variable", "default", "since", "until"), map(_variable_row, found.variables))
    return "\n".join(part for part in (about, flags, variables and f"## Variables\n\n{variables}") if part)


def _setting_row(one: SettingLine) -> tuple[str, ...]:
    takes = cell(one.kind + (f" {one.type}" if one.kind in ("value", "list") and one.type else ""))
    choices = " ".join(literal(str(choice)) for choice in one.choices)
    return (
        _named_setting(one),
        f"{takes}: {choices}" if choices else takes,
        _default(one),
        cell(one.since),
        cell(one.until or ""),
    )


def _variable_row(one: SettingLine) -> tuple[str, ...]:
    return (_named_setting(one), _default(one), cell(one.since), cell(one.until or ""))


def _default(one: SettingLine) -> str:
    return literal(value(one.default)) if one.default_known else "set at run time"


def _named_setting(one: SettingLine) -> str:
    """Its spellings and, below, what it sets."""
    gone = ["deprecated" + (f", use {one.instead}" if one.instead else "")] if one.deprecated else []
    told = cell(". ".join([*gone, *([one.help] if one.help else [])]))
    return " ".join(map(literal, (one.name, *one.aliases))) + (f"<br>{told}" if told else "")


def changes_page(engine: str, pasts: Sequence[SettingPast], oldest: str, newest: str) -> str:
    """Each flag and variable that any release read has, with the releases that brought it, changed it, dropped it."""
    about = (
        f"# Flags of {engine}, release by release\n\n"
        f"Every flag and variable of {oldest} to {newest}: the release that had it first (of {oldest}: or an earlier "
        f"one), those that changed it, the one that lacks it. `advisor flags diff {engine} OLD NEW` compares two.\n"
    )
    return about + "\n" + table(("setting", "came", "changed", "gone"), [_past_row(one) for one in pasts])


def _past_row(past: SettingPast) -> tuple[str, ...]:
    def releases(change: str) -> str:
        return ", ".join(cell(one.release) for one in past.events if one.change == change)

    changed = "<br>".join(
        f"{cell(one.release)}: {cell('; '.join(one.says))}" for one in past.events if one.change == "changed"
    )
    return (literal(past.name), releases("added"), changed, releases("removed"))


# releases


def releases_table(found: ReleasesOut, addresses: Mapping[str, str]) -> str:
    """Releases, newest first: the day, the pins, the NCCL that follows, the known fixes each was first to hold."""
    rows = [_release_row(one, addresses) for one in found.releases[::-1]]
    about = f"# Releases of {found.engine}\n\n{words.counted(len(rows), 'release')}, read {found.read} from "
    head = ("release", "date", "commit", "pins", "NCCL that follows", "first to hold")
    return f"{about}{cell(found.source)}.\n\n{table(head, rows)}"


def _release_row(one: ReleaseOut, addresses: Mapping[str, str]) -> tuple[str, ...]:
    by_version: dict[str, list[str]] = {}
    for arch, version in one.nccl.items():
        by_version.setdefault(version, []).append(arch)
    nccl = ", ".join(f"{version} ({', '.join(archs)})" for version, archs in by_version.items())
    return (
        cell(one.version),
        one.date,
        literal(one.commit[:SHORT]) if one.commit else "",
        "<br>".join(cell(f"{name} {pin}") for name, pin in one.pins.items()),
        cell(nccl),
        "<br>".join(_brought(one, addresses) for one in one.brings),
    )


def _brought(said: str, addresses: Mapping[str, str]) -> str:
    """`#54436 (vllm/pp-broadcast-skew)` with its rules as links."""
    name, _, rules = said.rstrip(")").partition(" (")
    linked = ", ".join(f"[{one}]({addresses[one]})" if one in addresses else cell(one) for one in rules.split(", "))
    return f"{cell(name)} ({linked})" if rules else cell(name)


def engines_page(rows: Sequence[tuple[str, ReleasesOut, SettingsOut | None]]) -> str:
    """The engines and libraries, each with what is known of it and where its pages are."""
    about = (
        "# Engines\n\nWhat the released artefacts of each say, as the advisor carries it "
        "([where it comes from](../engine-knowledge.md)).\n"
    )
    lines = [
        (
            name,
            f"[{span([one.version for one in releases.releases])}]({name}/releases.md)",
            f"[flags of {settings.release}]({name}/flags.md)" if settings else "",
            f"[release by release]({name}/changes.md)" if settings else "",
            releases.read,
        )
        for name, releases, settings in rows
    ]
    return about + "\n" + table(("engine", "releases", "settings", "changes", "read"), lines)
