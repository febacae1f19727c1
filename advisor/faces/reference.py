"""The commands that look up what is known of engines: flags, release, fix, and the knowledge itself."""

from __future__ import annotations

import shutil
from collections.abc import Callable
from datetime import UTC, datetime
from enum import StrEnum
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from advisor.errors import AdvisorError, UsageError
from advisor.faces import completion
from advisor.faces import files as files_of
from advisor.faces.language import Lang, Language
from advisor.faces.telling import complain, tell
from advisor.render.language import speaking

if TYPE_CHECKING:
    from advisor.jobs.refresh import Origin

FOUND, USAGE = 1, 2


class Page(StrEnum):
    """How a page is written."""

    text = "text"
    json = "json"


Format = Annotated[Page, typer.Option(help="Output format.")]
Clones = Annotated[
    list[str] | None, typer.Option(metavar="ENGINE=PATH", help="A git clone of an engine's repository. Repeatable.")
]
Forks = Annotated[
    list[str] | None, typer.Option(metavar="ENGINE=OWNER/NAME", help="The clone is of this fork, not of upstream.")
]
Engines = Annotated[
    list[str] | None,
    typer.Argument(metavar="[ENGINE]...", autocompletion=completion.refreshed, help="Every engine by default."),
]
Root = Annotated[Path | None, typer.Option("--knowledge", metavar="DIR", help="Another knowledge folder.")]

knowledge_app = typer.Typer(
    help="The generated knowledge: how old it is, read it anew, check it.", no_args_is_help=True, rich_markup_mode=None
)


def _width() -> int:
    return min(shutil.get_terminal_size((80, 24)).columns, 110)


def _show(noun: object, page: Callable[[], str], format: Page, lang: Language) -> None:
    from advisor.render.json import json_of

    with speaking(lang.value):
        files_of.write(json_of(noun) if format is Page.json else page(), None)


def flags(
    words: Annotated[
        list[str],
        typer.Argument(
            metavar="ENGINE VERSION | diff ENGINE OLD NEW",
            autocompletion=completion.settings,
            help="Such as: vllm 0.28.0.",
        ),
    ],
    grep: Annotated[str, typer.Option(help="Only settings with this in name, spelling, choice or help.")] = "",
    format: Format = Page.text,
    lang: Lang = Language.en,
) -> None:
    """The flags and variables of a release, or what changed between two."""
    from advisor.jobs import flags as job
    from advisor.render import reference_pages

    if words[0] == "diff" and len(words) == 4:
        changed = job.diff(words[1], words[2], words[3], grep)
        _show(changed, lambda: reference_pages.diff_page(changed, width=_width()), format, lang)
    elif words[0] != "diff" and len(words) in (1, 2):
        found = job.settings(words[0], words[1] if len(words) == 2 else "newest", grep)
        _show(found, lambda: reference_pages.settings_page(found, width=_width()), format, lang)
    else:
        more = f"; to search: --grep {words[-1]}" if words[0] != "diff" and len(words) == 3 else ""
        hint = f"advisor flags diff vllm 0.27.1 0.29.0{more}"
        raise UsageError("takes ENGINE VERSION, or diff ENGINE OLD NEW", "flags", hint)


def release(
    engine: Annotated[
        str,
        typer.Argument(autocompletion=completion.released, help="vllm, vllm-ascend, sglang, lmdeploy, xllm or nccl."),
    ],
    version: Annotated[
        str, typer.Argument(autocompletion=completion.release, help="One release; newest is the last.")
    ] = "",
    every: Annotated[bool, typer.Option("--all", help="Every release, not only the last ones.")] = False,
    format: Format = Page.text,
    lang: Lang = Language.en,
) -> None:
    """Releases: dates, commits, pinned torch, the NCCL that follows, and the known fixes each was first to hold."""
    from advisor.jobs.releases import releases
    from advisor.render.reference_pages import releases_page

    found = releases(engine, version)
    _show(found, lambda: releases_page(found, every=every, width=_width()), format, lang)


def fix(
    rule: Annotated[str, typer.Argument(help="A rule id, or the upstream thread: #53402.")],
    format: Format = Page.text,
    lang: Lang = Language.en,
) -> None:
    """Which releases hold a rule's fixes, and how that is known."""
    from advisor.jobs.releases import fix_holders
    from advisor.render.reference_pages import holders_page

    found = fix_holders(rule)
    _show(found, lambda: holders_page(found, width=_width()), format, lang)


@knowledge_app.command()
def status(format: Format = Page.text, knowledge: Root = None, lang: Lang = Language.en) -> None:
    """How old each part is, and how far it reaches."""
    from advisor.jobs.knowledge import status as job
    from advisor.render.reference_pages import status_page

    parts = job(datetime.now(UTC).date(), _folder(knowledge))
    _show(parts, lambda: status_page(parts), format, lang)


@knowledge_app.command()
def refresh(engines: Engines = None, clone: Clones = None, fork: Forks = None, knowledge: Root = None) -> None:
    """Read releases, settings and fixes anew from the package index and clones. Uses the network."""
    from advisor.jobs.refresh import ENGINES
    from advisor.jobs.refresh import refresh as job

    root, origins, failed = _folder(knowledge), _origins(clone, fork, engines), False
    for engine in engines or ENGINES:
        try:
            done = job(engine, origins(engine), knowledge=root)
        except AdvisorError as error:
            complain([error.line()])
            failed = True
            continue
        written = ", ".join(f"{name} {size / 1000:.0f} kB" for name, size in done.written.items())
        tell(f"{engine}: {f'written: {written}' if written else 'nothing new'}")
        for name, why in done.kept.items():
            tell(f"  {name} kept: {why}")
        for problem in done.not_read:
            tell(f"  not known: {problem}")
    raise typer.Exit(USAGE if failed else 0)


@knowledge_app.command()
def verify(engines: Engines = None, clone: Clones = None, fork: Forks = None, knowledge: Root = None) -> None:
    """Derive the knowledge again and show how it differs; writes nothing. Uses the network."""
    from advisor.jobs.knowledge import verify as job
    from advisor.jobs.refresh import ENGINES
    from advisor.render.quoting import many_lines

    root, origins, code = _folder(knowledge), _origins(clone, fork, engines), 0
    for engine in engines or ENGINES:
        try:
            found = job(engine, origins(engine), root, datetime.now(UTC).date())
        except AdvisorError as error:
            complain([error.line()])
            code = USAGE
            continue
        compared = ", ".join(found.compared)
        tell(f"{engine}: {'differs' if found.diff else 'the same'} ({compared})")
        for name, why in found.kept.items():
            tell(f"  {name} not compared: {why}")
        if found.diff:
            typer.echo(many_lines(found.diff), nl=False)
            code = max(code, FOUND)
    raise typer.Exit(code)


def _folder(given: Path | None) -> Path | None:
    if given is not None and not given.is_dir():
        raise UsageError("no such folder", f"--knowledge {given}")
    return given


def _origins(clone: list[str] | None, fork: list[str] | None, engines: list[str] | None) -> Callable[[str], Origin]:
    """Engine -> where its knowledge is read from. Raises UsageError for an option that is not ENGINE=…"""
    from advisor.jobs.refresh import ENGINES, Origin

    for name in engines or ():
        if name not in ENGINES:
            raise UsageError(f"no knowledge is generated for {name!r}", "ENGINE", f"one of {', '.join(ENGINES)}")
    clones, forks = _pairs(clone, "--clone", "ENGINE=PATH"), _pairs(fork, "--fork", "ENGINE=OWNER/NAME")
    for path in clones.values():
        if not Path(path).exists():
            raise UsageError("no such folder", f"--clone {path}")
    base = Origin()
    return lambda engine: Origin(
        base.index.apart(), Path(clones[engine]) if engine in clones else None, forks.get(engine), base.rules
    )


def _pairs(given: list[str] | None, option: str, shape: str) -> dict[str, str]:
    pairs = {}
    for text in given or ():
        name, equals, rest = text.partition("=")
        if not equals or not rest:
            raise UsageError(f"not {shape}: {text!r}", option)
        pairs[name] = rest
    return pairs
