"""What runs in the processes beside the event loop: what was received -> a job's request -> the bytes of an answer.

Every function is called by name from another process, so arguments and results are plain.
"""

from __future__ import annotations

import gc
import os
import shutil
from collections import Counter
from datetime import UTC, datetime
from importlib import import_module
from pathlib import Path
from typing import NamedTuple

from advisor.errors import UsageError
from advisor.faces.web.parcels import Kept, Received
from advisor.faces.workers.inside import bounded
from advisor.jobs.own_rules import Carried, adopt
from advisor.jobs.request import File, Request
from advisor.model.lint import LintReport
from advisor.model.report import Report
from advisor.model.rule import Rule
from advisor.model.suppression import Configuration
from advisor.render.json import json, json_of
from advisor.render.language import speaking

CHECK = ("engine", "version", "flags", "env", "component", "hardware", "model", "symptom", "said")
LINT = ("evidence", "if_any")
WIDTH = 100
JSON, TEXT, MARKDOWN, HTML = (
    "application/json",
    "text/plain; charset=utf-8",
    "text/markdown; charset=utf-8",
    "text/html",
)
REPORTS = {"json": JSON, "text": TEXT, "markdown": MARKDOWN, "html": f"{HTML}; charset=utf-8"}
"""The formats of a report, and what each is on the wire."""
LINTS = {
    "json": ("lint_json", JSON),
    "text": ("lint_text", TEXT),
    "markdown": ("lint_markdown", MARKDOWN),
    "sarif": ("sarif", "application/sarif+json"),
    "gitlab": ("gitlab", JSON),
}
"""The formats of a lint report: the renderer of each, and what it is on the wire."""


DEPLOYED = {
    "run.sh": "pip install vllm==0.28.0\nvllm serve m -tp 2\n",
    "pod.yaml": "apiVersion: v1\nkind: Pod\nmetadata: {name: p}\n"
    "spec: {containers: [{name: a, image: 'vllm/vllm-openai:v0.28.0'}]}\n",
}
"""What a process lints before anybody asks: the first file of a kind takes twenty times as long as the next."""


class Judged(NamedTuple):
    """An answer, ready to be sent: its bytes, their media type, and how many findings there are of each status."""

    content: bytes
    media: str
    statuses: dict[str, int]


def warmed(most_bytes: int, own: Carried | None) -> None:
    """The first job of a process: be able to judge at once, within these bounds, by the user's own rules too."""
    bounded(most_bytes)
    adopt(own)
    warm()


def warm() -> None:
    """Load what every judgement needs: the catalogue, the readers, the renderers, what reads deployment files."""
    from advisor.jobs.check import check as judge
    from advisor.jobs.lint import LintRequest
    from advisor.jobs.lint import lint as look

    for engine in ("vllm", "sglang"):
        report = judge(Request(engine=engine, symptoms=("hang",))).report
        json(report)
    _rendered(report, "html")
    given = tuple((name, content.encode()) for name, content in DEPLOYED.items())
    _linted(look(LintRequest((), datetime.now(UTC).date(), processes=1, given=given)), "json")
    gc.collect()
    gc.freeze()


def request_of(given: Received) -> Request:
    """The request that the fields and files amount to. Raises Refused and UsageError."""
    from advisor.faces.evidence import answered

    return Request(
        engine=given.one("engine"),
        version=given.one("version"),
        flags=given.many("flags"),
        env=given.many("env"),
        components=given.many("component"),
        hardware=given.many("hardware"),
        model=given.one("model"),
        symptoms=given.many("symptom"),
        files=tuple(File(one.name, one.path.read_bytes(), one.kind) for one in given.files),
        said=answered(list(given.many("said"))),
    )


def check(given: Received, format: str = "json", lang: str = "en") -> Judged:
    """The report on one case, as `advisor check --format …` writes it. Raises Refused and UsageError."""
    return written(report_of(given), format, lang)


def written(report: Report, format: str, lang: str) -> Judged:
    """A report as `advisor check --format …` writes it."""
    with speaking("zh" if lang == "zh" else "en"):
        content = _rendered(report, format)
    return Judged(_bytes(content), REPORTS[format], Counter(one.status for one in report.findings))


def report_of(given: Received) -> Report:
    """The report itself, for a face that shows it in another way."""
    from advisor.jobs.check import check as judge

    return judge(request_of(given)).report


def _rendered(report: Report, format: str) -> str:
    if format == "json":
        return json(report)
    if format == "text":
        from advisor.render.text import text

        return text(report, colour=False, width=WIDTH, verbose=False)
    module = import_module(f"advisor.render.{format}")
    return str(getattr(module, format)(report))


def lint(given: Received, format: str = "json", lang: str = "en") -> Judged:
    """The findings in the files given, called as the client calls them, as `advisor lint --format …` writes them."""
    from advisor.jobs import lint as job

    root = Path("/")
    tree = given.files[0].path.parent / "tree" if given.files else None
    if tree is None:
        raise UsageError("nothing to lint", "files", "hand over at least one file")
    names = [_laid(one, tree) for one in given.files]
    os.chdir(tree)
    try:
        toml = Path("advisor.toml") if "advisor.toml" in names else None
        settings = job.configuration(tuple(map(Path, names)), toml) if toml else Configuration()
        known = _baseline(settings, names)
        paths = tuple(map(Path, sorted(set(names) - {"advisor.toml", known})))
        report = job.lint(
            job.LintRequest(
                paths=paths,
                today=datetime.now(UTC).date(),
                evidence=_yes(given, "evidence"),
                processes=1,
                configuration=settings,
                complete=False,
                baseline=Path(known).read_text("utf-8", "replace") if known else "",
                baseline_name=known or "baseline",
            )
        )
    finally:
        os.chdir(root)
    if not _yes(given, "if_any"):
        job.expect_recognised(report, paths)
    with speaking("zh" if lang == "zh" and format in ("text", "markdown") else "en"):
        content = _linted(report, format)
    return Judged(_bytes(content), LINTS[format][1], Counter(one.level for one in report.findings))


def _baseline(settings: Configuration, names: list[str]) -> str:
    """The file among those given that the configuration names as its baseline. Raises UsageError where it is not."""
    if not settings.baseline:
        return ""
    name = os.path.normpath(settings.baseline)
    if name not in names:
        raise UsageError("no such file among those given", f"baseline {settings.baseline}", "hand it over as well")
    return name


def _linted(report: LintReport, format: str) -> str:
    name = LINTS[format][0]
    render = getattr(import_module(f"advisor.render.{name}"), name)
    return str(render(report, colour=False, width=WIDTH, verbose=False) if format == "text" else render(report))


def _laid(one: Kept, tree: Path) -> str:
    """Put a file below the folder under the path that the client gave it, as text. Raises UsageError."""
    parts = one.name.split("/")
    if (
        one.name.startswith("/")
        or any(part in ("", ".", "..") for part in parts)
        or any(len(part.encode()) > 255 for part in parts)
    ):
        raise UsageError("is not a relative path", repr(one.name[:80]), "such as k8s/vllm.yaml")
    target = tree.joinpath(*parts)
    try:
        target.parent.mkdir(parents=True, exist_ok=True)
        if target.exists():
            raise UsageError("is given twice, or is a folder of another", one.name)
        shutil.move(one.path, target)
    except (FileExistsError, NotADirectoryError):
        raise UsageError("is a file and a folder", one.name) from None
    return "/".join(parts)


def _yes(given: Received, name: str) -> bool:
    value = given.one(name, "false").lower()
    if value not in ("true", "false"):
        raise UsageError("is true or false", name)
    return value == "true"


def rules(engine: str, q: str, limit: int, offset: int) -> Judged:
    """The rules of an engine, or of all; where a text is given the nearest to it."""
    from advisor.jobs.judging import catalogue
    from advisor.jobs.search import search
    from advisor.model.rule_report import RULES_SCHEMA, RulesReport

    by_id = {rule.id: rule for rule in catalogue()}
    if q.strip():
        near = search(q, engine, len(by_id)).resembles
        lines = [_line(by_id[one.rule], tuple(one.shares)) for one in near]
    else:
        if engine and engine not in {rule.engine for rule in by_id.values()}:
            raise UsageError(
                f"no rules are known of {engine!r}", "engine", ", ".join(sorted({r.engine for r in by_id.values()}))
            )
        lines = [_line(rule) for _, rule in sorted(by_id.items()) if engine in ("", rule.engine)]
    found = RulesReport(RULES_SCHEMA, engine, q, len(lines), offset, limit, tuple(lines[offset : offset + limit]))
    return Judged(_bytes(json_of(found)), JSON, {})


def _line(rule: Rule, shares: tuple[str, ...] = ()):  # type: ignore[no-untyped-def]
    from advisor.model.rule_report import RuleLine

    return RuleLine(rule.id, rule.engine, rule.level, rule.maturity, rule.as_of, rule.summary, shares)


def rule(name: str) -> Judged:
    """One rule, as `advisor explain --format json` writes it. Raises UsageError with the nearest names."""
    from advisor.jobs.explain import explained

    return Judged(_bytes(json_of(explained(name))), JSON, {})


def flags(engine: str, version: str, grep: str = "") -> Judged:
    """The settings of a release, as `advisor flags --format json` writes them. Raises UsageError."""
    from advisor.jobs.flags import settings

    return Judged(_bytes(json_of(settings(engine, version, grep))), JSON, {})


def _bytes(content: str) -> bytes:
    """As the command line writes it."""
    return (content if content.endswith("\n") else content + "\n").encode("utf-8", "backslashreplace")
