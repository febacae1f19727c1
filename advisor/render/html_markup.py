"""Texts and blocks -> HTML: everything foreign is escaped, and what could hide in it is shown.

`code` in single backticks is the only markup that a text may bring, and plain web addresses where the text is a rule's:
nobody is to follow a link out of a log. `Markup` values are finished; any other text is made safe when it is printed
(`safe`, the template engine's last step).
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator

from markupsafe import Markup, escape

from advisor.render import blocks as parts
from advisor.render.blocks import Block, Heading, Line, Quote, Verbatim
from advisor.render.language import say
from advisor.render.quoting import many_lines, one_line
from advisor.render.quoting import prose as running

_INLINE = re.compile(
    r"(?<!`)`([^`]+)`(?!`)"  # `--tp 2`
    r"|(https?://[A-Za-z0-9._~%+=?&#@:,/()-]*[A-Za-z0-9/_~%+=#-])"  # https://github.com/vllm-project/vllm/pull/1
)
_HTTP = re.compile(r"https?://[A-Za-z0-9](?:[A-Za-z0-9.:-]*[A-Za-z0-9])?(?:[/?#][!-~]*)?$")
_CITED = re.compile(r"\[(\d+)\]")


def safe(value: object) -> object:
    """Any text with its control and reordering characters shown; escaping is left to the template engine."""
    return many_lines(value) if isinstance(value, str) and not isinstance(value, Markup) else value


def prose(text: str, links: bool = False) -> Markup:
    """Running text on one line, with its code; with `links` its web addresses can be followed."""
    said, out, at = running(text), [], 0
    for found in _INLINE.finditer(said):
        out.append(escape(said[at : found.start()]))
        code = Markup("<code>{}</code>").format(found[1]) if found[1] else Markup("")
        out.append(code or (link(found[2]) if links else escape(found[2])))
        at = found.end()
    return Markup("").join([*out, escape(said[at:])])


def link(url: str, text: str = "") -> Markup:
    """A link, where it is one of the web; any other address is only shown."""
    shown = one_line(text or url)
    if not _HTTP.match(url):
        return escape(shown)
    return Markup('<a href="{}" rel="noreferrer">{}</a>').format(url, shown)


def cited(numbers: str, prefix: str) -> Markup:
    """` [1][3]` as links to the sources of this finding."""
    found = _CITED.findall(numbers)
    links = [Markup('<a href="#{}-source-{}">{}</a>').format(prefix, one, one) for one in found]
    return Markup('<sup class="cite">{}</sup>').format(Markup(" ").join(links)) if found else Markup("")


def paragraphs(text: str) -> Markup:
    """A block of a rule's prose as paragraphs and lists."""
    return block_list(parts.paragraphs(text), links=True)


def diff(text: str) -> Markup:
    """A unified diff in a box of its own, each line by its kind."""
    lines = many_lines(text).strip("\n").split("\n")
    shown = [Markup('<span class="{}">{}\n</span>').format(_kind(line), line or " ") for line in lines]
    return _boxed(Markup("").join(shown), "diff", say("the change, as a diff"))


def _kind(line: str) -> str:
    if line.startswith(("+++", "---", "@@")):
        return "head"
    return "add" if line.startswith("+") else "del" if line.startswith("-") else "same"


def command(text: str) -> Markup:
    """A command, to be copied as it is."""
    return _boxed(escape(many_lines(text).strip("\n")), "sh", say("a command"))


def _boxed(inside: Markup, kind: str, label: str) -> Markup:
    """Text in a box that scrolls by itself, with the keyboard too."""
    box = Markup('<div class="scroll" tabindex="0" role="group" aria-label="{}">{}</div>')
    return box.format(label, Markup('<pre class="{}"><code>{}</code></pre>').format(kind, inside))


# blocks


def block_list(given: Iterable[Block], links: bool = False) -> Markup:
    """Blocks below a section's heading: items become lists, and what is nested stands within its item."""
    return Markup("").join(_blocks(given, links))


def _blocks(given: Iterable[Block], links: bool) -> Iterator[Markup]:
    tag, inside = "", False
    for block in given:
        marker = block.marker if isinstance(block, Line) and not block.depth else ""
        if marker:
            wanted = "ul" if marker == "-" else "ol"
            yield Markup("</li>") if inside else Markup("")
            if tag != wanted:
                yield Markup(f"</{tag}><{wanted}>" if tag else f"<{wanted}>")  # noqa: S704 - ul or ol
            yield Markup("<li{}>").format(_value(marker))
            tag, inside = wanted, True
        elif tag and not getattr(block, "depth", 0):
            yield Markup(f"</li></{tag}>")  # noqa: S704 - ul or ol
            tag, inside = "", False
        yield _one(block, nested=bool(getattr(block, "depth", 0)), item=bool(marker), links=links)
    if tag:
        yield Markup(f"</li></{tag}>")  # noqa: S704 - ul or ol


def _value(marker: str) -> Markup:
    number = marker.strip("[].")
    return Markup(' value="{}"').format(number) if number.isdigit() else Markup("")


def _one(block: Block, *, nested: bool, item: bool, links: bool) -> Markup:
    if isinstance(block, Heading):
        return Markup("<h3>{}</h3>").format(prose(block.text))
    if isinstance(block, Quote):
        place = Markup('<span class="place">{}</span> ').format(one_line(block.place)) if block.place else Markup("")
        return Markup('<p class="quote">{}<q>{}</q></p>').format(place, one_line(block.text))
    if isinstance(block, Verbatim):
        return diff(block.text) if block.kind == "diff" else command(block.text)
    if not block.text:
        return Markup("")
    tone = Markup(' class="{}"').format(" ".join(filter(None, (block.tone, "sub" if nested else ""))))
    if item:
        said = prose(block.text, links)
        return Markup("<span{}>{}</span>").format(tone, said) if block.tone else said
    return Markup("<p{}>{}</p>").format(tone if block.tone or nested else "", prose(block.text, links))
