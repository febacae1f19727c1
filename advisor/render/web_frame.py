"""What every page of the service has around it: language, links, the style sheet and the script.

A page's links keep the language that was chosen, in their query, so that any address can be passed on. Rules are linked
wherever their ids stand in finished markup.
"""

from __future__ import annotations

import hashlib
import re
from collections.abc import Collection
from dataclasses import dataclass
from functools import cache
from urllib.parse import quote, urlencode

from markupsafe import Markup, escape

from advisor.render import html, html_markup
from advisor.render.blocks import Block, Heading
from advisor.render.html import Section
from advisor.render.language import Language, say

NAMES: dict[Language, str] = {"en": "English", "zh": "中文"}
_RULE_NAMED = re.compile(
    r"(?s)<summary\b.*?</summary>|<a\b.*?</a>|<svg\b.*?</svg>|<[^>]*>"  # no link stands in these
    r"|(?<![\w/.-])[a-z][a-z-]*/[a-z0-9][a-z0-9-]*(?![\w/-])"  # vllm/pp-broadcast-skew
)


@dataclass(frozen=True)
class Frame:
    """Where a page stands. `chosen`: its language is said in its address; else it is the browser's.

    `path` and `query` are the page's own address; `rules` are the ids that have pages. `apart`: links open in another
    window, since the page cannot be come back to.
    """

    path: str = "/"
    lang: Language = "en"
    chosen: bool = False
    query: tuple[tuple[str, str], ...] = ()
    rules: Collection[str] = ()
    apart: bool = False

    def to(self, path: str, **query: str) -> str:
        """The address of a page of ours, in this page's language."""
        asked = {name: value for name, value in query.items() if value}
        if self.chosen:
            asked["lang"] = self.lang
        return quote(path) + (f"?{urlencode(asked)}" if asked else "")

    def rule(self, name: str) -> str:
        """The address of a rule's page."""
        return self.to(f"/rules/{name}")

    def flags(self, engine: str, version: str, grep: str = "") -> str:
        """The address of the flags of a release."""
        return self.to(f"/flags/{engine}/{version}", grep=grep)

    def spoken_as(self, lang: Language) -> str:
        """The address of this very page in a language."""
        return f"{quote(self.path)}?{urlencode({**dict(self.query), 'lang': lang})}"

    @property
    def window(self) -> Markup:
        """The attribute of a link that says where it opens."""
        return Markup(' target="_blank"') if self.apart else Markup("")

    def linked(self, text: Markup) -> Markup:
        """The markup with the ids of rules as links to their pages."""

        def link(found: re.Match[str]) -> str:
            name = found[0]
            if name not in self.rules:
                return name
            return str(Markup('<a class="rule-link" href="{}"{}>{}</a>').format(self.rule(name), self.window, name))

        return Markup(_RULE_NAMED.sub(link, str(text)))  # noqa: S704 - markup before, and escaped links put in


def written(template: str, frame: Frame, **view: object) -> str:
    """A page: its template in our frame."""
    shared = {
        "frame": frame,
        "lang": html.LANG[frame.lang],
        "other_languages": [(one, html.LANG[one], name) for one, name in NAMES.items() if one != frame.lang],
        "style_url": f"/static/page.css?v={_mark(style())}",
        "script_url": f"/static/page.js?v={_mark(script())}",
        "typed": typed,
        "linked": frame.linked,
    }
    return html.environment().get_template(f"web/{template}").render(shared | view)


def typed(text: str) -> Markup:
    """What a person typed, for the box it came from: escaped, and otherwise as it was, so that it comes back so."""
    return escape(text.replace("\x00", ""))


def sectioned(blocks: list[Block], prefix: str = "part") -> list[Section]:
    """Blocks as sections, each from a heading to the next; what stands before the first has none."""
    parts: list[tuple[str, list[Block]]] = [("", [])]
    for block in blocks:
        if isinstance(block, Heading):
            parts.append((block.text, []))
        else:
            parts[-1][1].append(block)
    return [
        Section(f"{prefix}-{number}", title, html_markup.block_list(inside, links=True))
        for number, (title, inside) in enumerate(parts)
        if title or inside
    ]


@cache
def style() -> bytes:
    """The style sheet: that of the report, and what the pages have besides."""
    return f"{html.source('report.css')}\n{html.source('web/page.css')}".encode()


@cache
def script() -> bytes:
    """The one script, which nothing needs."""
    return html.source("web/page.js").encode()


def _mark(content: bytes) -> str:
    return hashlib.sha256(content).hexdigest()[:12]


def problem(frame: Frame, status: int, what: str, where: str, hint: str) -> str:
    """The page of what cannot be done as asked: what is wrong, where, and what to do about it."""
    titles = {404: say("Not found"), 413: say("Too much at once"), 503: say("Busy")}
    default = say("That cannot be done as asked") if status < 500 else say("Something went wrong here")
    title = titles.get(status, default)
    return written("problem.html.j2", frame, title=title, status=status, what=what, where=where, hint=hint, here="")
