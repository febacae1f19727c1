"""Text that wants to be a page, in everything that a page shows: it stays text, in a real browser."""

from __future__ import annotations

from typing import Any
from urllib.parse import quote

import pytest

pytestmark = pytest.mark.xdist_group("browser")

RUN = "window.planted=1;document.title=&quot;planted&quot;"
PLANTED = (
    f"<img id=planted src=x onerror='{RUN}'>",
    f"\"'><svg id=planted onload='{RUN}'><script>window.planted=1</script></svg>",
    "</textarea></title></style></script></pre></form><iframe id=planted srcdoc='<script>parent.planted=1</script>'>",
    "javascript:window.planted=1",
    "[x](javascript:window.planted=1) <javascript:window.planted=1> https://evil.example/?q=<b id=planted>",
    "${window.planted=1} {{constructor.constructor('window.planted=1')()}} {% raw %} <%= 1 %> #{1} `${planted=1}`",
    "<base id=planted href=//evil.example/><meta http-equiv=refresh content='0;url=//evil.example'><link rel=prefetch href=//evil.example>",
    "&lt;img id=planted src=x onerror=window.planted=1&gt; &#60;b id=planted&#62; \\u003cb id=planted\\u003e",
    "\u202e\u2066gpj.exe\u202c \u200b\ufeff \x1b]8;;http://evil.example\x07link\x1b]8;;\x07 \x1b[2J\x9b1A \x00\x08",
    "<!--<math><mtext><table><mglyph><style><img id=planted src onerror=window.planted=1>--!>",
    "W" * 20_000,
)
"""An element that is planted has that id; a script that ran has left its name."""
FIELDS = ("flags", "env", "component", "hardware", "model")
FOUND = """() => [
    window.planted === 1 ? 'a script ran' : '',
    document.title.startsWith('planted') ? 'the title was set' : '',
    ...[...document.querySelectorAll('*')].filter((one) => one.id === 'planted'
        || ['IFRAME', 'BASE', 'OBJECT', 'EMBED', 'MATH', 'FRAME'].includes(one.tagName)
        || (one.tagName === 'SCRIPT' && !(one.src || '').startsWith(location.origin + '/static/'))
        || (one.tagName === 'META' && /refresh/i.test(one.httpEquiv))
        || [...one.attributes].some((a) => /^on/i.test(a.name)
            || /^\\s*(javascript|vbscript|data:text)/i.test(a.value) && ['href', 'src', 'action', 'formaction'].includes(a.name))
    ).map((one) => one.outerHTML.slice(0, 200)),
    /[\\u202a-\\u202e\\u2066-\\u2069\\u001b\\u009b\\u0007]/.test(document.body.innerText) ? 'a control character is shown' : '',
    document.documentElement.scrollWidth > innerWidth ? 'it is wider than the window' : '',
].filter(Boolean)"""
SEND = """([path, fields, files]) => {
    const form = Object.assign(document.createElement('form'), {method: 'post', action: path, enctype: 'multipart/form-data'});
    for (const [name, value] of fields) {
        form.append(Object.assign(document.createElement('textarea'), {name, value}));
    }
    for (const [name, file, text] of files) {
        const given = new DataTransfer();
        given.items.add(new File([text], file));
        form.append(Object.assign(document.createElement('input'), {type: 'file', name, files: given.files}));
    }
    document.body.append(form);
    form.submit();
}"""


@pytest.fixture
def page(page: Any) -> Any:
    page.on("dialog", lambda said: pytest.fail(f"a dialog: {said.message}"))
    page.on("popup", lambda _: pytest.fail("a window"))
    return page


def unharmed(page: Any) -> None:
    """Nothing that was planted is an element, has run, or leads away."""
    page.wait_for_load_state("load")
    assert page.evaluate(FOUND) == []


def sent(page: Any, path: str, fields: list[tuple[str, str]], files: list[tuple[str, str, str]]) -> None:
    """A form with these, submitted as a browser does."""
    page.goto("/flags")
    with page.expect_navigation():
        page.evaluate(SEND, [path, fields, files])


def log() -> str:
    """Lines of an engine around what is planted, in messages, names of threads, and paths of a stack."""
    lines = [f"INFO 08-02 10:00:00 [core.py:58] Initializing a V1 LLM engine (v0.28.0) with {one}" for one in PLANTED]
    lines += [f"ERROR 08-02 10:00:01 [core.py:59] RuntimeError: {one}" for one in PLANTED]
    lines += [f'Thread 12 (idle): "{one}"\n    {one} ({one}.py:1)' for one in PLANTED[:6]]
    return "vllm serve '<svg id=planted>' --model '" + PLANTED[0] + "'\n" + "\n".join(lines)


@pytest.mark.parametrize("at", range(0, len(PLANTED), 3))
def test_in_the_fields_names_and_answers_of_a_diagnosis(page: Any, at: int) -> None:
    """Three at a time: what was typed, files' names, the question's words, an answer, and what a page carries."""
    some = PLANTED[at : at + 3]
    fields = [(name, some[number % len(some)]) for number, name in enumerate(FIELDS)]
    fields += [
        (
            "step",
            '{"about": "wanted:%s", "text": "x", "question": "%s"}'
            % ((some[0].replace("\\", "").replace('"', "'"),) * 2),
        )
    ]
    files = [("file", one.replace("/", "_").replace("\0", "")[:200] + ".log", log()) for one in some]
    for lang in ("en", "zh"):
        sent(page, "/diagnose", [*fields, ("lang", lang), ("had", some[0])], files)
        unharmed(page)


def test_in_a_report_as_a_page_of_its_own(page: Any) -> None:
    fields = [
        ("model", PLANTED[0]),
        ("symptom", "hangs " + PLANTED[1]),
        ("flags", "vllm serve m --x '" + PLANTED[6] + "'"),
    ]
    files = [("log", "<img id=planted src=x onerror=window.planted=1>.log", log()), ("file", '"><b id=planted>', log())]
    sent(page, "/v1/check?format=html", fields, files)
    assert page.locator("html").count() and "planted" in page.content()
    assert page.evaluate("() => [document.querySelector('#planted'), window.planted !== 1]") == [None, True]


def test_in_addresses_and_refusals(page: Any) -> None:
    """Each text in a third of the places, each place with a third of the texts."""
    for at, one in enumerate(PLANTED):
        text = quote(one[:1500], safe="")
        part = quote(one[:200].replace("/", "_"), safe="")
        paths = (
            f"/?engine={text}&flags={text}&model={text}",
            f"/rules?q={text}&engine=vllm",
            f"/rules?q=x&engine={text}",
            f"/rules/{part}/{part}",
            f"/flags/{part}/{part}",
            f"/flags/vllm/0.28.0?grep={text}",
            f"/flags/vllm/{part}/0.29.0",
            f"/nothing/{part}",
            f"/?lang={text}",
        )
        for path in paths[at % 3 :: 3]:
            page.goto(path)
            unharmed(page)
        sent(page, "/diagnose", [("engine", one), ("version", one)], [])
        unharmed(page)


def test_what_is_planted_would_be_seen(page: Any) -> None:
    """The test of this test."""
    page.goto("/flags")
    page.evaluate("document.body.insertAdjacentHTML('beforeend', '<b id=planted>')")
    assert page.evaluate(FOUND) == ['<b id="planted"></b>']
