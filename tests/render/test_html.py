"""The HTML report: well formed and closed to the world, safe whatever it shows, and no surer than the other outputs."""

from __future__ import annotations

import base64
import hashlib
import re
import shutil
import subprocess
from dataclasses import replace
from html.parser import HTMLParser
from pathlib import Path

import pytest

from advisor.model.report import Report, SourceOut
from advisor.render.html import html
from advisor.render.html_markup import link, prose
from advisor.render.language import speaking
from advisor.render.quoting import UNSAFE
from advisor.render.text import text
from tests.front_door import advisor
from tests.page.browser import ARGUMENTS
from tests.render.reports import HOSTILE, HUNG, REPORTS

DATA = Path(__file__).parents[1] / "evidence" / "data"
VOID = {"meta", "br", "input", "img", "link", "hr"}
LOADS = {"src", "srcset", "poster", "data", "action", "formaction", "background", "xlink:href"}


class Page(HTMLParser):
    """What a page is made of, read strictly: every tag that opens is closed, in its place."""

    def __init__(self, source: str) -> None:
        super().__init__()
        self.open: list[str] = []
        self.tags: list[tuple[str, dict[str, str | None]]] = []
        self.said: list[str] = []
        self.wrong: list[str] = []
        self.feed(source)
        self.close()
        self.wrong += [f"<{tag}> is not closed" for tag in self.open]

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        self.tags.append((tag, dict(attrs)))
        if len(dict(attrs)) < len(attrs):
            self.wrong.append(f"<{tag}> names an attribute twice")
        if tag not in VOID:
            self.open.append(tag)

    def handle_startendtag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        self.tags.append((tag, dict(attrs)))

    def handle_endtag(self, tag: str) -> None:
        if not self.open or self.open.pop() != tag:
            self.wrong.append(f"</{tag}> at {self.getpos()}")

    def handle_data(self, data: str) -> None:
        if self.open and self.open[-1] != "style":
            self.said.append(data)

    @property
    def text(self) -> str:
        """What is said, and then where the links lead."""
        links = [attributes.get("href") or "" for _, attributes in self.tags]
        return " ".join(" ".join([*self.said, *links]).split())


def assert_sound(source: str) -> Page:
    """Well formed, with nothing that runs or loads, and nothing that could hide."""
    page = Page(source)
    assert not page.wrong, page.wrong[:5]
    assert not UNSAFE.search(source)
    tags = {tag for tag, _ in page.tags}
    assert not tags & {
        "script",
        "iframe",
        "object",
        "embed",
        "link",
        "base",
        "form",
        "img",
        "image",
        "use",
        "foreignobject",
    }
    for tag, attributes in page.tags:
        assert not LOADS & attributes.keys(), (tag, attributes)
        assert not [name for name in attributes if name.startswith("on") or name == "style"], (tag, attributes)
        href = attributes.get("href")
        assert href is None or (tag == "a" and re.match(r"https?://|#", href)), (tag, href)
    ids = [attributes["id"] for _, attributes in page.tags if "id" in attributes]
    assert len(ids) == len(set(ids)), [one for one in ids if ids.count(one) > 1][:3]
    pointed = [one for _, attributes in page.tags for one in _pointed(attributes)]
    assert set(pointed) <= set(ids), set(pointed) - set(ids)
    assert not re.search(r"url\((?!#)|@import", source)
    assert page.tags[0][0] == "html" and page.tags[0][1].get("lang")
    assert [tag for tag, _ in page.tags].count("h1") == 1 and {"main", "header", "footer"} <= tags
    return page


def _pointed(attributes: dict[str, str | None]) -> list[str]:
    """The ids that an element names."""
    href = attributes.get("href") or ""
    named = " ".join(attributes.get(name) or "" for name in ("aria-labelledby", "aria-describedby", "for")).split()
    return [*named, *([href[1:]] if href.startswith("#") else [])]


@pytest.mark.parametrize("name", REPORTS)
@pytest.mark.parametrize("lang", ("en", "zh"))
def test_hand_made_reports(name, lang):
    with speaking(lang):
        page = assert_sound(html(REPORTS[name]))
    assert page.tags[0][1]["lang"] == {"en": "en", "zh": "zh-CN"}[lang]


def test_the_policy_knows_the_style_alone():
    source = html(HUNG)
    style = re.search(r"<style>(.*?)</style>", source, re.DOTALL)
    policy = re.search(r'http-equiv="Content-Security-Policy" content="([^"]*)"', source)
    assert style and policy
    digest = base64.b64encode(hashlib.sha256(style[1].encode()).digest()).decode()
    said = policy[1].replace("&#39;", "'")
    assert said == f"default-src 'none'; style-src 'sha256-{digest}'; base-uri 'none'; form-action 'none'"
    assert source.index("Content-Security-Policy") < source.index("<style>")


# what is foreign


def test_hostile_text_is_shown_and_does_nothing():
    source = html(HOSTILE)
    page = assert_sound(source)
    assert "<script>alert(1)</script>" in page.text and "&lt;script&gt;alert(1)" in source
    assert "\\x1b]0;owned\\x07" in page.text and "\\u202e" in page.text
    links = [one["href"] for tag, one in page.tags if tag == "a"]
    assert not [one for one in links if "evil.example" in str(one)], "a link out of a log is not to be followed"


def test_a_hostile_log_through_the_command_line(tmp_path):
    log = tmp_path / "rank0.log"
    log.write_text(
        '</code></pre><script src="https://evil.example/x.js"></script><img src=x onerror=alert(1)>\n'
        "\u202etxt.exe \x1b[2J <svg onload=alert(1)> {{ 7 * 7 }} {% include 'x' %}\n"
        + (DATA / "tp_divergence" / "rank0.log").read_text()
        + '\n[2026-11-29 13:39:30 TP0] javascript:alert(1) "><b>bold</b> <style>*{display:none}</style>\n',
        encoding="utf-8",
    )
    ran = advisor("check", str(log), "--symptom", "<b>hang</b> & `x` \"'>", "--format", "html")
    page = assert_sound(ran.out)
    assert "<b>" not in ran.out and "{{" not in ran.out.replace("{{ 7 * 7 }}", "") and "49" not in page.text[:400]


@pytest.mark.parametrize(
    "url",
    (
        "javascript:alert(1)",
        "data:text/html,x",
        "http://a b",
        "https://",
        "//evil.example",
        "ftp://x.y/z",
        "https://a\n.b",
    ),
)
def test_only_links_of_the_web_are_links(url):
    assert "<a" not in link(url)


def test_code_and_links_in_prose():
    said = "set `--tp <2>`, see https://x.example/a?b=1&c=2."
    assert prose(said, links=True) == (
        "set <code>--tp &lt;2&gt;</code>, see "
        '<a href="https://x.example/a?b=1&amp;c=2" rel="noreferrer">https://x.example/a?b=1&amp;c=2</a>.'
    )
    assert "<a" not in prose(said)


def test_a_source_that_is_no_address_is_no_link():
    cause = replace(HUNG.findings[0].cause, sources=(SourceOut("javascript:alert(1)//https", "2026-01-01", ""),))
    page = assert_sound(html(replace(HUNG, findings=(replace(HUNG.findings[0], cause=cause),))))
    assert "javascript:alert(1)" in page.text


# what it says


def numbers(said: str) -> set[str]:
    """Releases, pull requests, commits, sequence numbers, times."""
    return set(re.findall(r"#\d{3,}|\b[0-9a-f]{40}\b|\b\d+\.\d+\.\d+\b|\b\d\d:\d\d:\d\d\b|\b\d{4,}\b", said))


def flat(said: str) -> str:
    return re.sub(r"\s+", "", said)


@pytest.mark.parametrize("name", ("hung", "unproven", "refused", "uncertain", "can-happen"))
def test_the_same_numbers_stand_in_text_and_page(name):
    report = REPORTS[name]
    said = text(report, colour=False, width=2_000)
    missing = numbers(said) - numbers(Page(html(report)).text)
    assert not missing


@pytest.mark.parametrize("folder", ("pp_broadcast_skew", "tp_divergence", "illegal_access", "oom"))
def test_the_same_numbers_of_real_captures(folder):
    files = [str(path) for path in sorted((DATA / folder).iterdir())]
    said, page = advisor("check", *files, columns=2_000), advisor("check", *files, "--format", "html")
    assert said.code == page.code
    missing = numbers(said.out) - numbers(Page(page.out).text)
    assert not missing


def test_a_suggestion_never_looks_like_a_release():
    page = Page(html(REPORTS["unproven"]))
    badges = [one.get("class") for tag, one in page.tags if tag == "span" and "badge" in (one.get("class") or "")]
    assert badges and not any("released" in (one or "") for one in badges)
    for finding in HUNG.findings:
        for remedy in finding.remedies:
            assert remedy.status == "suggested" or f"badge {remedy.status}" in html(HUNG)
    css = html(HUNG).partition("</style>")[0]
    released = re.search(r"\.badge\.released[^{]*\{[^}]*\}", css)
    assert released and "suggested" not in released[0]


def test_the_quoted_line_is_marked_in_its_place():
    source = html(HUNG)
    hit = re.search(r'<li class="hit"><span class="no">8812</span><code>(.*?)</code></li>', source)
    assert hit and "<mark>OpType=BROADCAST</mark>" in hit[1]
    assert '<span class="no">8811</span><code>[2026-08-22 14:03:08 PP1]' in source
    assert "&lt;b&gt;no&lt;/b&gt; markup of a log" in source


def test_the_picture_says_the_same_in_words():
    source = html(HUNG)
    page = Page(source)
    assert "<svg viewBox" in source and 'role="img"' in source and "<desc" in source
    for said in (
        "Decode batch: tokens move (3 lines) 13:53:01–13:53:11 rank0.log:80",
        "a watchdog gave up _all_gather_base #201 of the default group 14:03:11 rank0.log:88",
        "failed: RuntimeError not before 13:53:09 rank1.log:8812",
        "never joined _all_gather_base #201 of the default group",
        "the log's clock reads UTC+2.",
        "The clocks of several hosts may differ.",
    ):
        assert flat(said) in flat(page.text), said


def test_without_times_there_is_no_picture():
    assert "<svg" not in html(replace(HUNG, timeline=()))


def test_a_page_in_chinese():
    with speaking("zh"):
        source = html(HUNG)
    assert '<html lang="zh-CN">' in source and "现在该改什么" in source and "从未加入" in source


def test_the_same_report_gives_the_same_bytes():
    assert html(HUNG) == html(HUNG)


# through the command line


def test_a_file_and_the_exit_code(tmp_path):
    out = tmp_path / "report.html"
    files = [str(path) for path in sorted((DATA / "tp_divergence").glob("rank?.log"))]
    ran = advisor("check", *files, "--format", "html", "--output", str(out))
    assert ran.code == advisor("check", *files).code == 1
    assert ran.out == "" and out.read_text(encoding="utf-8").startswith("<!doctype html>")


# as a browser shows it


CHROMIUM = shutil.which("chromium") or shutil.which("chromium-browser") or shutil.which("google-chrome")


@pytest.mark.skipif(CHROMIUM is None, reason="no Chromium here")
@pytest.mark.parametrize("report", (HUNG, HOSTILE), ids=("hung", "hostile"))
def test_nothing_is_wider_than_a_telephone(report: Report, tmp_path):
    """The page in a frame of 360 pixels; only what stands in a box that scrolls may be wider."""
    narrow = re.sub(r"<meta http-equiv=[^>]*>", "", html(report))  # the policy would keep the measuring out
    measure = """<script>
    addEventListener("load", () => {
      document.querySelectorAll("details").forEach(one => one.open = true);
      const wide = [...document.querySelectorAll("body *")].filter(one =>
        !one.parentElement.closest(".scroll") && one.getBoundingClientRect().right > 361);
      document.documentElement.innerHTML = "<p id=found>wide:" + wide.map(one => one.tagName + "." + one.className).join(" ")
        + ";" + innerWidth + ";</p>";
    });
    </script>"""
    (tmp_path / "page.html").write_text(narrow.replace("</body>", f"{measure}</body>"), encoding="utf-8")
    frame = '<iframe src="page.html" width="360" height="800" style="border:0"></iframe>'
    (tmp_path / "frame.html").write_text(f"<!doctype html><body style='margin:0'>{frame}", encoding="utf-8")
    found = _dumped(tmp_path / "frame.html", tmp_path)
    assert found == "wide:;360;", found


def _dumped(frame: Path, home: Path) -> str:
    """What the page in the frame found, told by the frame's own document."""
    assert CHROMIUM
    frame.write_text(
        frame.read_text(encoding="utf-8")
        + "<script>addEventListener('load',()=>setTimeout(()=>{document.title=document.querySelector('iframe')"
        ".contentDocument.querySelector('#found').textContent;document.body.innerHTML='<pre>'+document.title+'</pre>'},50))</script>",
        encoding="utf-8",
    )
    flags = [
        "--headless",
        *ARGUMENTS,
        "--allow-file-access-from-files",
        "--virtual-time-budget=3000",
        "--dump-dom",
    ]
    done = subprocess.run(
        [CHROMIUM, *flags, f"--user-data-dir={home}/profile", frame.as_uri()],
        capture_output=True,
        text=True,
        timeout=120,
        check=False,
    )
    found = re.search(r"<pre>(.*?)</pre>", done.stdout, re.DOTALL)
    return found[1] if found else f"nothing measured: {done.stdout[:300]} {done.stderr[-300:]}"
