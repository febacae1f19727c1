"""Every problem of every rule file, at once, each with file, line and a stable name.

Shape comes from the schema; here are the checks that need the rest of the house: facts that exist, flags and releases
that knowledge knows, commits that agree with upstream's history, rules that name each other.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from difflib import get_close_matches
from pathlib import Path as FilePath
from typing import Any

from advisor.catalog.chinese import untranslatable
from advisor.catalog.engines import knowledge, named, profiles
from advisor.catalog.nouns import rule as build_rule
from advisor.catalog.places import rule_files
from advisor.catalog.provenance import Fault, untraced
from advisor.catalog.schema import Problem, read
from advisor.model.build import parse_version
from advisor.model.condition import Atom, atoms
from advisor.model.knowledge import Knowledge
from advisor.model.rule import Affected, Boundary, Fix, Need, Remedy, Rule, Source
from advisor.patterns import PatternError, compile_pattern
from advisor.yaml import Path

ID = re.compile(r"[a-z][a-z0-9-]*/[a-z0-9][a-z0-9.-]*")  # what a command line, a comment and an address hold as it is
SHA = re.compile(r"[0-9a-f]{7,40}")
LONGEST_PATTERN = 4_000
DATE = re.compile(r"\d{4}-\d{2}-\d{2}")


@dataclass(frozen=True)
class Context:
    """What the checks may rely on."""

    facts: frozenset[str]
    ids: frozenset[str]


def validate(base: FilePath, facts: Iterable[str], beside: Iterable[str] = ()) -> tuple[int, list[Problem]]:
    """How many rule files there are, and every problem in them. `facts` are the names that readers declare, `beside`
    the ids of other rules that these may name."""
    files = rule_files(base)
    ids = frozenset("/".join(file.relative_to(base).parts[:2]) for file in files)
    context = Context(frozenset(facts), ids.union(beside))
    problems = [problem for file in files for problem in _file(file, base, context)]
    return len(files), sorted(dict.fromkeys(problems))


def _file(file: FilePath, base: FilePath, context: Context) -> list[Problem]:
    name = str(file.relative_to(base.parent))
    raw, document, problems = read(file, name)
    if raw is None or document is None:
        return problems
    rule = build_rule(raw)
    found = [
        Problem(name, document.line(path), kind, message) for path, kind, message in _checks(rule, raw, file, context)
    ]
    return [*problems, *found]


def _checks(rule: Rule, raw: dict[str, Any], file: FilePath, context: Context) -> Iterator[Fault]:
    yield from _identity(rule, file, context)
    yield from _texts(raw)
    known = knowledge(rule.engine) if rule.engine in named() else None
    tables = (known, knowledge(known.host)) if known and known.host else (known,) if known else ()
    for path, atom in _atoms(raw):
        yield from _atom(path, atom, tables, context)
    yield from _fixes(rule, known)
    yield from _ranges(rule, known)
    yield from _remedies(rule, known, tables)
    yield from untraced(rule, known)
    yield from untranslatable(rule)
    yield from _links(rule, context)
    yield from _cases(rule, file)


def _identity(rule: Rule, file: FilePath, context: Context) -> Iterator[Fault]:
    place = "/".join(file.parts[-3:-1])
    if rule.id != place:
        yield ("id",), "id-is-path", f"id is {rule.id}, its folder says {place}"
    for path, one in ((("id",), rule.id), *((("former_ids", at), one) for at, one in enumerate(rule.former_ids))):
        if not ID.fullmatch(one):
            yield path, "id-odd", f"{one!r} is no id: an engine and a name of a-z, 0-9, . and -, as in vllm/some-name"
    if rule.engine not in (*named(), "any"):
        yield ("id",), "unknown-engine", f"no engine {rule.engine!r}; known: any, {', '.join(named())}"
    if not rule.fixes and not rule.no_fix:
        yield (), "no-fix", "has no fixes: say in no_fix what is known about that"
    if not rule.remedies:
        yield (), "no-remedy", "has no remedy that a user can carry out"
    if rule.symptoms.signature is None and not rule.symptoms.supporting:
        yield ("symptoms",), "no-symptoms", "has neither signature nor supporting signs"


def _texts(raw: Any, path: Path = ()) -> Iterator[Fault]:
    """Dates, URLs and SHAs are well formed wherever they stand."""
    items = raw.items() if isinstance(raw, dict) else enumerate(raw) if isinstance(raw, list) else ()
    for key, value in items:
        here: Path = (*path, key)
        if key in ("date", "as_of", "merged") and value is not None and not DATE.fullmatch(str(value)):
            yield here, "date", f"{value!r} is not a date (YYYY-MM-DD)"
        if key == "url" and value is not None and not re.fullmatch(r"https://\S+", str(value)):
            yield here, "url", f"{value!r} is not an https URL"
        if key == "commit" and value is not None and not SHA.fullmatch(str(value)):
            yield here, "commit", f"{value!r} is not 7 to 40 hex digits"
        if isinstance(value, dict | list):
            yield from _texts(value, here)


def _atoms(raw: dict[str, Any]) -> Iterator[tuple[Path, Atom]]:
    from advisor.catalog.nouns import CONDITION, plan
    from advisor.model import rule as nouns
    from advisor.model.condition import parse

    def walk(noun: type, data: dict[str, Any], path: Path) -> Iterator[tuple[Path, Atom]]:
        for key, value in data.items():
            many, inner = plan(noun).get(key, (False, None))
            if inner is None or value is None:
                continue
            for index, item in enumerate(value) if many else [(None, value)]:
                here: Path = (*path, key) if index is None else (*path, key, index)
                if inner == CONDITION:
                    yield from ((here, atom) for atom in atoms(parse(item)))
                else:
                    yield from walk(getattr(nouns, inner), item, here)

    yield from walk(Rule, raw, ())


Tables = tuple[Knowledge, ...]
"""What an engine's flags, variables and facts are checked by: its own, then those of the engine below a plugin."""


def _atom(path: Path, atom: Atom, tables: Tables, context: Context) -> Iterator[Fault]:
    for pattern in [atom.name] if atom.kind in ("log", "model") else [atom.value] if atom.op == "matches" else []:
        if len(pattern) > LONGEST_PATTERN:
            yield path, "pattern", f"{pattern[:60]!r}… is longer than {LONGEST_PATTERN} characters"
            continue
        try:
            compile_pattern(pattern)
        except PatternError as error:
            yield path, "pattern", f"{pattern!r} is outside the linear-time language: {error}"
    if atom.kind == "fact" and atom.name not in context.facts and atom.name not in _derived(tables):
        yield path, "unknown-fact", f"no reader declares {atom.name}{_near(atom.name, context.facts)}"
    if atom.kind == "setting":
        yield from _setting(path, atom.name, tables)
    if atom.kind == "env":
        yield from _variable(path, atom.name, tables)
    if atom.kind == "component":
        for version in atom.value:
            if version is not None and parse_version(version) is None:
                yield path, "version", f"{version!r} is not a version"


def _derived(tables: Tables) -> set[str]:
    names = [one.profile for one in tables] or list(profiles().values())
    return {fact for profile in names for fact in (profile.get("facts") or {})}


def _variable(path: Path, name: str, tables: Tables) -> Iterator[Fault]:
    for known in tables:
        prefix = f"{known.engine.upper().replace('-', '_')}_"
        if name.startswith(prefix) and known.variables():
            if name not in known.variables():
                near = _near(name, known.variables())
                yield path, "unknown-variable", f"{known.engine} has no {name} in any release read{near}"
            return


def _setting(path: Path, flag: str, tables: Tables) -> Iterator[Fault]:
    if not tables or any(flag in one.flags() for one in tables):
        return
    known = tables[-1]
    if flag.startswith("--additional-config.") and tables[0] is not known:
        known = tables[0]  # the keys are the plugin's, the flag is that of the engine below it
    if not known.flags():
        return
    canonical = known.canonical(flag)
    if canonical is None:
        yield path, "unknown-setting", f"{known.engine} has no {flag} in any release read{_near(flag, known.flags())}"
    elif canonical != flag:
        yield path, "alias", f"{flag} is an alias; write {canonical}"


def _near(name: str, names: Iterable[str]) -> str:
    found = get_close_matches(name, list(names), n=1)
    return f"; nearest is {found[0]}" if found else ""


def _fixes(rule: Rule, known: Knowledge | None) -> Iterator[Fault]:
    for index, fix in enumerate(rule.fixes):
        path: Path = ("fixes", index)
        if fix.state == "merged" and fix.commit is None and fix.fingerprint is None:
            yield (
                path,
                "fix-unplaced",
                f"{fix.key()} is merged but has neither commit nor fingerprint to find its releases by",
            )
        if (fix.state == "merged") != (fix.merged is not None) and fix.state != "fork":
            yield path, "merged", f"{fix.key()}: state {fix.state} and merged {fix.merged} do not go together"
        if known is not None and fix.repo == known.profile.get("repo"):
            yield from _history(path, fix, known)
        for place, need in enumerate(fix.needs):
            yield from _need((*path, "needs", place), need, fix, known)


def _need(path: Path, need: Need, fix: Fix, known: Knowledge | None) -> Iterator[Fault]:
    """A need is another commit than the fix, of a named source, and its pull request is the one history gives it."""
    yield from _sources(path, need.source)
    if fix.state != "merged":
        yield path, "need-unmerged", f"{fix.key()} is not merged: there is nothing that could bring it along"
    if fix.commit and (need.commit.startswith(fix.commit) or fix.commit.startswith(need.commit)):
        yield (*path, "commit"), "need-itself", f"{need.commit[:12]} is the fix itself"
    if known is not None and (need.repo or fix.repo) == known.profile.get("repo"):
        yield from _history(path, need, known)


def _history(path: Path, fix: Fix | Need, known: Knowledge) -> Iterator[Fault]:
    found = known.history.of_pr(fix.pr) if fix.pr else None
    if found and fix.commit and not (fix.commit.startswith(found.sha) or found.sha.startswith(fix.commit)):
        yield (
            (*path, "commit"),
            "commit-mismatch",
            f"{known.profile.get('repo')}#{fix.pr} is {found.sha} on upstream main, not {fix.commit[:12]}",
        )


def _ranges(rule: Rule, known: Knowledge | None) -> Iterator[Fault]:
    for index, entry in enumerate(rule.affected):
        for end in ("introduced", "fixed"):
            boundary: Boundary | None = getattr(entry, end)
            if boundary is not None:
                yield from _boundary(("affected", index, end), boundary, entry, known)


def _boundary(path: Path, boundary: Boundary, entry: Affected, known: Knowledge | None) -> Iterator[Fault]:
    if boundary.version is None and boundary.commit is None:
        yield path, "boundary", "needs version, commit or both"
    if boundary.version is None:
        return
    if parse_version(boundary.version) is None:
        yield path, "version", f"{boundary.version!r} is not a version"
    source = knowledge(entry.component) if entry.component in profiles() else None if entry.component else known
    if source is not None and not _is_release(boundary.version, source):
        message = f"{source.engine} {boundary.version} is not a release known in knowledge/{source.engine}"
        yield path, "unknown-release", message


def _is_release(version: str, source: Knowledge) -> bool:
    """Published, or tagged (NCCL's tags carry a build number: v2.28.9-1); True when nothing is known to check by."""
    tags = {name.removeprefix("v") for name in source.tags}
    if not (source.releases or tags):
        return True
    return source.release(version) is not None or any(tag == version or tag.startswith(f"{version}-") for tag in tags)


def _remedies(rule: Rule, known: Knowledge | None, tables: Tables) -> Iterator[Fault]:
    for index, remedy in enumerate(rule.remedies):
        path: Path = ("remedies", index)
        yield from ((path, "remedy", message) for message in lacks(remedy))
        for flag in (*(remedy.set or {}), *(remedy.unset or ())):
            yield from _setting(path, flag, tables)
        if (
            remedy.do in ("upgrade", "downgrade")
            and known
            and known.releases
            and known.release(remedy.to or "") is None
        ):
            yield (
                path,
                "unknown-release",
                f"{known.engine} {remedy.to} is not a release known in knowledge/{known.engine}",
            )
    for name in ("remedies", "not_helpful", "harmful", "superseded", "fixes"):
        for index, one in enumerate(getattr(rule, name)):
            yield from _sources((name, index), one.source)
    yield from _sources(("cause",), rule.cause.source)


def lacks(remedy: Remedy) -> Iterator[str]:
    """What a remedy's `do` needs and does not have."""
    needs = {"set": "set", "unset": "unset", "env": "env", "image": "image", "upgrade": "to", "downgrade": "to"}
    wanted = {"patch": ("repo", "commit"), "component": ("component", "to")}.get(remedy.do) or (
        (needs[remedy.do],) if remedy.do in needs else ()
    )
    yield from (f"`do: {remedy.do}` needs {name}" for name in wanted if getattr(remedy, name) is None)


def _sources(path: Path, sources: tuple[Source, ...]) -> Iterator[Fault]:
    if not sources:
        yield path, "no-source", "a claim needs at least one source"
    for source in sources:
        if source.url is None and source.artefact is None:
            yield path, "no-source", "a source needs url or artefact"


def _links(rule: Rule, context: Context) -> Iterator[Fault]:
    for index, other in enumerate(rule.lookalikes):
        if other.rule not in context.ids or other.rule == rule.id:
            yield ("lookalikes", index), "unknown-rule", f"no rule {other.rule}{_near(other.rule, context.ids)}"
    urls = {reference.url for reference in rule.references}
    for alias in rule.aliases:
        repo, _, number = alias.partition("#")
        if number and not any(
            url.startswith(f"https://github.com/{repo}/") and url.rstrip("/").endswith(f"/{number}") for url in urls
        ):
            yield ("aliases",), "alias-reference", f"{alias} has no URL among the references"


def _cases(rule: Rule, file: FilePath) -> Iterator[Fault]:
    names = [one.parent.name for one in file.parent.glob("cases/*/expect.yaml")]
    if not any(name.startswith("fires-") for name in names):
        yield (), "no-firing-case", "has no fires- case"
    if rule.maturity == "stable" and not any(name.startswith(("quiet-", "unsure-")) for name in names):
        yield (), "no-quiet-case", "is stable and has no quiet- or unsure- case"
