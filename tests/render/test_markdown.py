"""Markdown on GitHub: the user's text can neither leave its fence nor ping anybody."""

import re

import pytest
from hypothesis import given
from hypothesis import strategies as st

from advisor.render.markdown import code, escape, fence, markdown
from advisor.render.quoting import prose
from tests.render.reports import HOSTILE, HUNG, REPORTS

markdown_it = pytest.importorskip("markdown_it")
HTML = markdown_it.MarkdownIt("commonmark", {"html": True}).enable("table").enable("strikethrough")


def outside_code(page):
    return re.sub(r"<code.*?</code>", "", HTML.render(page), flags=re.DOTALL)


@pytest.mark.parametrize("name", REPORTS)
def test_no_markup_of_the_users_comes_alive(name):
    shown = outside_code(markdown(REPORTS[name]))
    assert not re.search(r"<(script|details|/details|img|table|s>|em>|strong>)", shown)
    assert not re.search(r"(?<![\w.])@\w", shown)
    assert set(re.findall(r"<!--.*?-->", shown)) <= {"<!-- -->"}


def test_headings_and_lists_are_ours():
    shown = HTML.render(markdown(HOSTILE))
    headings = re.findall(r"<h\d>(.*?)</h\d>", shown)
    assert "heading" not in " ".join(headings)
    assert headings[0].startswith("MATCHED")


def test_quotes_and_diffs_stay_inside_their_items():
    shown = HTML.render(markdown(HUNG))
    assert '<code class="language-diff">--- launch.sh\n' in shown
    assert re.search(r"<li>\[reporter verified\].*?language-diff.*?</li>", shown, re.DOTALL)
    assert "<code>launch.sh:3</code>" in shown


@given(st.text(alphabet="`\\\\<>&*_[]()!#-+=|~$@:/ a1.\n", max_size=40))
def test_no_text_comes_alive_outside_code(text):
    shown = re.sub(r"<code>.*?</code>", "", HTML.render(escape(prose(text))), flags=re.DOTALL)
    assert set(re.findall(r"<[^>]*>", shown)) <= {"<p>", "</p>", "<!-- -->"} or "://" in text


@pytest.mark.parametrize("text", ["plain", "a`b", "``", "` x `", "", "a``b```c", " lead"])
def test_a_code_span_holds_any_text(text):
    shown = HTML.render(f"x {code(text)} y")
    assert f"<p>x <code>{text or ' '}</code> y</p>" in shown.replace("&lt;", "<")


@pytest.mark.parametrize("text", ["```\n</pre>", "````", "~~~", "a\n\n    b"])
def test_a_fence_holds_any_text(text):
    shown = HTML.render("\n".join(fence(text, "sh")))
    assert shown.startswith('<pre><code class="language-sh">') and shown.count("<pre>") == 1
    assert shown.rstrip().endswith("</code></pre>")


@pytest.mark.parametrize(
    "text",
    ["# heading", "- item", "1. item", "12) item", "+ item", "=====", "> quote", "*bold* _slanted_", "a_b_c __init__", "[x](http://a.b)", "![x](y)", "<b>", "&lt;", "a|b", "~~x~~", "`open", "``two``", "\\`", "`a``<b>`", "\\", "---", "***", "&#64;x"],
)  # fmt: skip
def test_escaped_prose_shows_what_was_written(text):
    shown = HTML.render(escape(text))
    bare = re.sub(r"</?(?:p|a[^>]*|code)>", "", shown).strip()
    assert bare.replace("&lt;", "<").replace("&gt;", ">").replace("&quot;", '"').replace("&amp;", "&") == text


def test_code_and_links_in_prose_live_on():
    shown = HTML.render(escape("set `--tp 2`, see https://github.com/example/engine/pull/1."))
    assert (
        shown
        == '<p>set <code>--tp 2</code>, see <a href="https://github.com/example/engine/pull/1">https://github.com/example/engine/pull/1</a>.</p>\n'
    )
