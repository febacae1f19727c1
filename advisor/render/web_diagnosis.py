"""Where a diagnosis stands -> its page: the report, what it can still be, the next question, and the whole state of it.

The service keeps nothing, so the page's form holds all that was told: options in their boxes, answers and small files
in hidden fields (`Sheet.hidden`). The report's parts are those of the HTML report, and say the same.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from markupsafe import Markup

from advisor.model.diagnosis import Candidate, Standing
from advisor.render import diagnosis_page, html, html_markup, outline
from advisor.render.below import told
from advisor.render.language import say
from advisor.render.web_frame import Frame, written

OPTIONS = ("engine", "version", "flags", "env", "component", "hardware", "model")
"""The options of `advisor check` that the page has boxes for."""


@dataclass(frozen=True)
class Entry:
    """A question that was asked, in English, and what was answered."""

    question: str
    answer: str


@dataclass(frozen=True)
class Listed:
    """A file that was handed over, with its size in words."""

    name: str
    size: str


@dataclass(frozen=True)
class Sheet:
    """What a diagnosis page holds beside the standing. `hidden` are the fields that carry its state.

    `missing` are files that were not handed over again and are not in the judgement, `heavy` those that the page
    cannot carry, `limit` how much it can, in words. `pasted` and `answered` are the names that this request's pastes
    got. `refused` says why the last answer was not taken, `problems` what of the
    options could not be followed. `line` is the equal `advisor check`.
    """

    options: Mapping[str, str]
    hidden: tuple[tuple[str, str], ...]
    steps: tuple[Entry, ...]
    files: tuple[Listed, ...]
    number: int
    line: str
    ended: bool = False
    missing: tuple[str, ...] = ()
    heavy: tuple[str, ...] = ()
    limit: str = ""
    pasted: str = ""
    answered: str = ""
    refused: str = ""
    problems: tuple[str, ...] = ()


@dataclass(frozen=True)
class Row:
    """A failure that it can still be, told in the reader's language; `percent` is its share of the belief."""

    rule: str
    summary: str
    status: str | None
    percent: float

    @property
    def share(self) -> str:
        """The share in words."""
        return f"{self.percent:.0f} %" if self.percent >= 1 else "< 1 %"


def start(frame: Frame, engines: Sequence[tuple[str, str]], options: Mapping[str, str]) -> str:
    """The first page: hand something over. `engines` are names and titles."""
    return written(
        "start.html.j2",
        frame,
        title=say("Which known failure is it?"),
        here="diagnose",
        engines=engines,
        options={name: options.get(name, "") for name in OPTIONS},
        open=any(options.values()),
        languages=[("en", "English"), ("zh", "中文")],
    )


def diagnosis(
    now: Standing,
    sheet: Sheet,
    frame: Frame,
    engines: Sequence[tuple[str, str]],
    flags: str = "",
    prose: Mapping[str, str] | None = None,
) -> str:
    """The page. `flags` is the release whose flags are known, "" when the build is not; `prose` what rules bring of
    the reader's language for what only they say."""
    report = outline.localised(now.report)
    parts = html.view(report, frame.lang, elsewhere=bool(now.captures))
    ask = None if sheet.ended else now.ask
    prose = dict(prose or {}) | {english: said for one in now.report.findings for english, said in one.zh.items()}
    return written(
        "diagnosis.html.j2",
        frame,
        title=parts["title"],
        here="diagnose",
        sheet=sheet,
        ask=ask,
        more_to_ask=now.ask is not None,
        focus="question" if sheet.steps or sheet.refused else "verdict",
        verdict=_part("report_verdict.html.j2", parts),
        body=_part("report_body.html.j2", parts),
        closing=html_markup.block_list(outline.closing(report)[1:]),
        captures=html_markup.block_list(diagnosis_page.captures(now)[1:]),
        candidates=[_row(one, prose) for one in now.candidates],
        unknown_share=round(100 * (1 - sum(one.share for one in now.candidates))),
        considered=now.considered,
        recognised=diagnosis_page.recognised(now.recognised),
        unread=_unread(now, sheet),
        choice=diagnosis_page.choice,
        told=lambda text: told(text, prose),
        engines=engines,
        options=sheet.options,
        flags_url=frame.flags(report.build.engine, flags) if flags else "",
        flags_of=f"{report.build.engine} {flags}",
    )


def _row(one: Candidate, prose: Mapping[str, str]) -> Row:
    return Row(one.rule, told(one.summary, prose), one.status, round(100 * one.share, 1))


def _unread(now: Standing, sheet: Sheet) -> list[str]:
    """The files that were handed over and hold nothing that could be read. Of an archive its members are not told."""
    handed = {one.name for one in sheet.files}
    return [one.name for one in now.report.coverage.inputs if one.kind in ("binary", "empty") and one.name in handed]


def _part(template: str, parts: dict[str, object]) -> Markup:
    return Markup(html.environment().get_template(template).render(parts))  # noqa: S704 - a template that escapes
