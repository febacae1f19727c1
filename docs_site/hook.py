"""The site's generated pages, as an MkDocs hook: a page a rule, the index of rules, tables of flags and releases.

A face like the command line: it asks the jobs and hands the answers to the renderers. Nothing is written into docs/.
"""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path
from typing import Any

from mkdocs.config.defaults import MkDocsConfig
from mkdocs.structure.files import File, Files

from advisor.errors import UsageError
from advisor.jobs import explain, flags, names, releases
from advisor.jobs.judging import catalogue
from advisor.model.reference import SettingsOut
from advisor.render import reference_tables
from advisor.render.rule_markdown import rule_markdown

OPEN = "Use it"  # where a page goes that the navigation does not name
DECISIONS = "Decisions"
EXCLUDED = "demo/"  # as in mkdocs.yml: a case to be checked, not a page


def on_config(config: MkDocsConfig) -> MkDocsConfig:
    """Put the pages into the navigation that mkdocs.yml does not name: a new page needs no entry."""
    docs = Path(config.docs_dir)
    nav: list[dict[str, Any]] = config.nav or []
    sections = {title: entries for one in nav for title, entries in one.items() if isinstance(entries, list)}
    named = set(_leaves(nav))
    for file in sorted(docs.rglob("*.md")):
        name = file.relative_to(docs).as_posix()
        if name not in named and not name.startswith(EXCLUDED):
            sections[DECISIONS if name.startswith("decisions/") else OPEN].append(name)
    return config


def _leaves(nav: Any) -> Iterator[str]:
    if isinstance(nav, str):
        yield nav
    elif isinstance(nav, list | dict):
        for one in nav.values() if isinstance(nav, dict) else nav:
            yield from _leaves(one)


def on_files(files: Files, config: MkDocsConfig) -> Files:
    """Add the generated pages."""
    for path, text in pages():
        files.append(File.generated(config, path, content=text))
    return files


def pages() -> Iterator[tuple[str, str]]:
    """Every generated page: its path below docs/ and its Markdown."""
    rules = catalogue()
    yield "rules/index.md", reference_tables.rules_page(rules, {one.id: f"{one.id}.md" for one in rules})
    beside = {one.id: f"../{one.id}.md" for one in rules}
    for rule in rules:
        yield f"rules/{rule.id}.md", rule_markdown(rule, explain.fixes(rule), beside)
    above = {one.id: f"../../rules/{one.id}.md" for one in rules}
    rows = []
    for engine in names.with_releases():
        listed = releases.releases(engine)
        settings = _settings(engine)
        rows.append((engine, listed, settings))
        yield f"engines/{engine}/releases.md", reference_tables.releases_table(listed, above)
        if settings:
            yield f"engines/{engine}/flags.md", reference_tables.settings_tables(settings)
            past = flags.past(engine)
            yield (
                f"engines/{engine}/changes.md",
                reference_tables.changes_page(engine, past, settings.oldest, settings.newest),
            )
    yield "engines/index.md", reference_tables.engines_page(rows)


def _settings(engine: str) -> SettingsOut | None:
    """The settings of an engine's newest release; None for a library, which has none."""
    try:
        return flags.settings(engine, "newest")
    except UsageError:
        return None
