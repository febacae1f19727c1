"""The page in a real browser: pasted, dropped, asked, answered, taken back, copied, saved; with and without scripts."""

from __future__ import annotations

import json
import os
import random
import re
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from advisor.faces.web import carried
from advisor.jobs.check import check
from advisor.jobs.request import File, Request
from advisor.jobs.rule_cases import cases
from tests.front_door import advisor
from tests.page.browser import chromium, visiting

pytestmark = pytest.mark.xdist_group("browser")

HANGS = "vLLM hangs after an hour of good service"
"""Which build it is, is asked first."""
PAGES = (
    "/",
    "/rules?engine=xllm",
    "/rules?q=decode+hangs+after+a+json+schema+request",
    "/rules/vllm/pp-broadcast-skew",
    "/flags",
    "/flags/vllm/0.28.0?grep=spec",
    "/flags/vllm/0.27.1/0.29.0?grep=spec",
    "/rules/vllm/no-such-rule",
)
FOUND = """() => [...document.querySelectorAll('.verdict, details.finding')].map(
    (one) => [one.querySelector('.rule, .rule-link').textContent, one.querySelector('.chip').className.replace('chip ', '')])"""


@pytest.fixture
def plain(browser: Any, base: str) -> Iterator[Any]:
    """A window without JavaScript."""
    with visiting(browser, base, java_script_enabled=False) as found:
        yield found


@pytest.fixture(scope="module")
def founding() -> bytes:
    """The founding report of the NCCL failure, as a rule's case has it."""
    case = next(one for one in cases(only="any/nccl-proxy-slot-leak-arm") if one.name == "fires-original-report-pasted")
    return (case.folder / "report.md").read_bytes()


def paste(page: Any, text: str) -> None:
    page.goto("/")
    page.fill("#paste", text)
    page.click("text=Find the failure")
    page.wait_for_selector("#can-be")


def question(page: Any) -> str:
    return page.inner_text("#question h2") if page.locator("#question").count() else ""


def answered(page: Any, button: str = "Answer") -> None:
    """Press a button of the question, and wait until another stands there or none."""
    before = page.locator(".answers li").count()
    page.click(f"#question >> text='{button}'")
    page.wait_for_function("(count) => document.querySelectorAll('.answers li').length > count", arg=before)


# what it says is what check says


def test_the_founding_report_pasted_gives_the_findings_of_check(page: Any, founding: bytes) -> None:
    paste(page, founding.decode())
    report = check(Request(files=(File("pasted-1.txt", founding),))).report
    wanted = [[one.rule, one.status] for one in report.findings if one.status != "ruled_out"]
    assert wanted[0] == ["any/nccl-proxy-slot-leak-arm", "matched"]
    assert page.evaluate(FOUND) == wanted
    ruled_out = [one.rule for one in report.findings if one.status == "ruled_out"]
    assert page.locator("#ruled-out .rule-link").all_inner_texts() == ruled_out


def test_what_is_saved_is_what_check_writes(page: Any, founding: bytes, tmp_path: Path) -> None:
    paste(page, founding.decode())
    line = page.inner_text("#take pre").strip()
    assert line == "advisor check pasted-1.txt"
    (tmp_path / "pasted-1.txt").write_bytes(founding)
    for said, format in (("JSON", "json"), ("Markdown, for an issue", "markdown"), ("HTML, one file", "html")):
        with page.expect_download() as saved:
            page.click(f"text='{said}'")
        content = Path(saved.value.path()).read_bytes()
        assert content.decode() == advisor(*line.split()[1:], "--format", format, cwd=tmp_path).out
        assert saved.value.suggested_filename.startswith("advisor-report.")
    assert page.locator("#can-be").count()  # the page stays


# a diagnosis


def test_a_question_is_answered_in_place_and_an_answer_taken_back(page: Any) -> None:
    paste(page, "it hangs, no error")
    assert page.evaluate("document.activeElement.tagName") == "H1"
    first = question(page)
    assert "Which engine is it" in first
    page.check("text='SGLang'")
    answered(page)
    assert question(page) and question(page) != first
    assert page.evaluate("document.activeElement === document.querySelector('#question h2')")
    assert "sglang" in page.inner_text(".told") and page.inner_text("#take pre").startswith(
        "advisor check --engine sglang"
    )
    assert page.inner_text("#status") == page.title()
    answered(page, "I don't know")
    assert page.inner_text(".answers li:last-child strong") == "I don't know"
    assert page.locator(".answers li").count() == 2
    page.click(".answers li:first-child >> text='take back'")
    page.wait_for_function("() => document.querySelectorAll('.answers li').length === 1")
    assert "sglang" not in page.inner_text(".told")
    page.go_back()
    page.wait_for_function("() => document.querySelectorAll('.answers li').length === 2")
    page.click("text='Ask no more'")
    page.wait_for_selector("#question", state="detached")
    page.click("text='Ask me'")
    page.wait_for_selector("#question")


def test_an_answer_that_is_none_is_said_beside_the_question(page: Any) -> None:
    paste(page, HANGS)
    first = question(page)
    assert "exact build" in first
    page.fill("#answer", "banana")
    page.click("#question >> text='Answer'")
    page.wait_for_selector("#question [role=alert]")
    assert "banana" in page.inner_text("#question [role=alert]") and question(page) == first
    page.click("#question >> text='Answer'")  # nothing typed: the question stands
    page.wait_for_selector("#question [role=alert]", state="detached")
    assert question(page) == first
    page.fill("#answer", "Name: vllm\nVersion: 0.28.0\n")  # what the command prints
    answered(page)
    assert "vllm 0.28.0" in page.inner_text(".told")
    assert page.locator(".handed li").count() == 2


def test_a_file_is_dropped_and_stays_until_it_is_removed(page: Any) -> None:
    page.goto("/")
    dropped = page.evaluate_handle(
        """() => { const box = new DataTransfer();
        for (const at of [0, 1]) box.items.add(new File([`(EngineCore pid=9) INFO vLLM version 0.28.${at}\\n`], 'rank.log'));
        return box; }"""
    )
    page.dispatch_event("[data-drop]", "dragenter", {"dataTransfer": dropped})
    assert page.locator(".drop.over").count() == 1
    page.dispatch_event("[data-drop]", "drop", {"dataTransfer": dropped})
    assert page.locator(".chosen li").all_inner_texts() == ["rank.log, 1 kB", "rank.log, 1 kB"]
    page.fill("#paste", "requests hang")
    page.click("text=Find the failure")
    page.wait_for_selector("#can-be")
    assert set(page.locator(".handed .name").all_inner_texts()) == {"rank.log", "rank-2.log", "pasted-1.txt"}
    answered(page, "I don't know")
    assert page.locator("[name=carried]").count() == 0  # the browser keeps them
    assert set(page.locator(".handed .name").all_inner_texts()) == {"rank.log", "rank-2.log", "pasted-1.txt"}
    page.click("[aria-label='Remove rank.log']")
    page.wait_for_function("() => document.querySelectorAll('.handed li').length === 2")
    page.click("text=Add or change something")
    page.set_input_files(
        "#paste-files", {"name": "more.log", "mimeType": "", "buffer": b"NCCL version 2.28.9+cuda13.0\n"}
    )
    page.click("details >> text='Look again'")
    page.wait_for_function("() => document.querySelectorAll('.handed li').length === 3")


def test_evidence_in_a_file_answers_its_question(page: Any) -> None:
    paste(page, HANGS)
    page.set_input_files(
        "#answer-files", {"name": "pip.txt", "mimeType": "", "buffer": b"Name: vllm\nVersion: 0.28.0\n"}
    )
    answered(page)
    assert page.inner_text(".answers strong") == "pip.txt" and "0.28.0" in page.inner_text(".told")
    page.click("[aria-label='Remove pip.txt']")
    page.wait_for_selector(".answers", state="detached")
    assert "exact build" in question(page)


def test_an_option_that_is_none_is_said_and_stays(page: Any, plain: Any) -> None:
    for one in (page, plain):
        one.goto("/")
        one.fill("#paste", "it hangs, no error")
        one.click("summary")
        one.fill("#o-env", "not a variable")
        one.fill("#o-component", "nccl=banana")
        one.click("text=Find the failure")
        said = one.inner_text(".notice[role=alert]")
        assert "not a variable" in said and "banana" in said
        assert one.input_value("#o-env") == "not a variable" and one.locator("#question").count()


def test_what_could_not_be_read_is_said_at_the_top(page: Any, tmp_path: Path) -> None:
    paste(page, "")
    assert "Nothing was handed over, so nothing was judged." in page.inner_text("[role=alert]")
    page.goto("/")
    (tmp_path / "core.bin").write_bytes(random.Random(1).randbytes(50_000))
    page.set_input_files("#files", tmp_path / "core.bin")
    page.click("text=Find the failure")
    page.wait_for_selector("#can-be")
    assert "Nothing could be read in core.bin" in page.inner_text("[role=alert]")
    paste(page, HANGS)
    assert page.locator("[role=alert]").count() == 0


def test_what_is_refused_leaves_all_that_was_typed(page: Any) -> None:
    page.goto("/")
    page.fill("#paste", "it hangs, no error")
    page.evaluate("document.getElementById('o-model').value = 'm'.repeat((1 << 20) + 1)")
    page.click("text=Find the failure")
    said = page.inner_text(".failed")
    assert "Too much at once" in said and "model" in said
    assert page.input_value("#paste") == "it hangs, no error"
    page.evaluate("document.getElementById('o-model').value = ''")
    page.click("text=Find the failure")
    page.wait_for_selector("#can-be")


def test_it_can_be_stopped(page: Any) -> None:
    page.goto("/")
    page.route("**/diagnose", lambda route: None)  # the service never answers
    page.fill("#paste", "hangs")
    page.click("text=Find the failure")
    assert page.get_attribute("#case", "aria-busy") == "true" and "Reading" in page.inner_text("#status")
    page.click("text='Stop'")
    assert page.inner_text("#status") == "Stopped." and page.input_value("#paste") == "hangs"
    assert page.locator(".busy").count() == 0


def test_commands_and_diffs_are_copied_as_they_are(browser: Any, base: str) -> None:
    with visiting(browser, base, permissions=["clipboard-read", "clipboard-write"]) as page:
        paste(page, 'vllm 0.28.0 hangs\n\n```\nvllm serve m -pp 8 --speculative-config \'{"method":"dspark"}\'\n```\n')
        commands = page.locator(".scroll pre.sh, .scroll pre.diff")
        assert page.locator(".copy").count() == commands.count() > 2
        for at in (0, commands.count() - 1):
            page.locator(".copy").nth(at).click()
            page.wait_for_function("(at) => document.querySelectorAll('.copy')[at].textContent === 'Copied'", arg=at)
            copied = page.evaluate("navigator.clipboard.readText()")
            assert copied.strip() == commands.nth(at).text_content().strip()


def test_the_keyboard_alone_goes_all_the_way(page: Any) -> None:
    page.goto("/")
    page.wait_for_function("document.activeElement.id == 'paste'")
    page.keyboard.type("it hangs, no error")
    page.keyboard.press("Control+Enter")
    page.wait_for_selector("#question")
    assert page.evaluate("document.activeElement.id") == "verdict"
    assert tabbed(page, "input[name=choice]")
    page.keyboard.press("ArrowDown")
    page.keyboard.press("Enter")  # the form's own button is Answer
    page.wait_for_selector(".answers")
    assert page.evaluate("document.activeElement.matches('#question h2')")
    assert tabbed(page, "button[value=end]")
    page.keyboard.press("Space")
    page.wait_for_selector("#question", state="detached")
    assert tabbed(page, ".candidates a") and tabbed(page, "button[formaction*=json]")
    page.keyboard.press("Shift+Tab")
    assert page.evaluate("document.activeElement.matches(':focus-visible')")
    page.goto("/rules")
    page.keyboard.press("Tab")
    assert page.evaluate("document.activeElement.className") == "skip"
    page.keyboard.press("Enter")
    page.keyboard.press("Tab")
    assert page.evaluate("document.activeElement.id") == "q"


def tabbed(page: Any, wanted: str) -> bool:
    """Whether Tab comes to it before it has gone round."""
    for _ in range(150):
        page.keyboard.press("Tab")
        if page.evaluate("(wanted) => document.activeElement.matches(wanted)", wanted):
            return True
    return False


# without JavaScript


def test_all_of_it_without_javascript(plain: Any, tmp_path: Path) -> None:
    plain.goto("/")
    plain.fill("#paste", "it hangs,\nno error")
    log = b"(EngineCore pid=9) INFO 08-02 10:00:00 [core.py:58] Initializing a V1 LLM engine (v0.28.0)\n" * 50
    plain.set_input_files("#files", {"name": "engine.log", "mimeType": "", "buffer": log})
    plain.click("text=Find the failure")
    assert plain.url.endswith("/diagnose#now")
    assert plain.locator(".copy").count() == 0  # no button that does nothing
    assert plain.locator("[name=carried]").count() == 2
    had = plain.locator(".handed .name").all_inner_texts()
    assert had == ["pasted-1.txt", "engine.log"]
    first = question(plain)
    plain.fill("#answer", "banana")
    plain.click("#question >> text='Answer'")
    plain.click('#question >> text="I don\'t know"')
    assert plain.locator(".answers li").count() and question(plain) != first
    assert plain.locator(".handed .name").all_inner_texts()[:2] == had
    plain.click(".answers li:first-child >> text='take back'")
    with plain.expect_download() as saved:
        plain.click("text='JSON'")
    report = json.loads(Path(saved.value.path()).read_bytes())
    assert [one["name"] for one in report["coverage"]["inputs"]][:2] == had
    (tmp_path / "pasted-1.txt").write_bytes(b"it hangs,\nno error")
    (tmp_path / "engine.log").write_bytes(log)
    assert report == json.loads(advisor("check", *had, "--format", "json", cwd=tmp_path).out)
    plain.click("text='中文'")
    assert plain.get_attribute("html", "lang") == "zh-CN" and plain.locator(".handed li").count() == 2


def test_a_file_that_the_page_cannot_carry_is_asked_for_again(plain: Any) -> None:
    big = random.Random(1).randbytes(carried.PACKED)  # what no compression makes smaller
    dense = {"name": "core.bin", "mimeType": "", "buffer": big}
    plain.goto("/")
    plain.fill("#paste", "it hangs, no error")
    plain.set_input_files("#files", dense)
    plain.click("text=Find the failure")
    assert "Too large to travel in this page: core.bin" in plain.inner_text(".notice")
    plain.check("text='vLLM'")
    plain.click("#question >> text='Answer'")
    notice = plain.inner_text(".notice[role=alert]")
    assert "Choose again: core.bin" in notice and "1.0 MB" in notice
    assert plain.locator(".answers li").count() == 1  # the answer is not lost
    plain.set_input_files("#missing-files", dense)
    plain.click(".notice >> text='Look again'")
    assert plain.locator(".notice[role=alert]").count() == 0
    assert plain.locator(".handed .name").all_inner_texts() == ["pasted-1.txt", "core.bin"]


# rules and flags


def test_rules_are_found_and_lead_on(plain: Any) -> None:
    plain.goto("/rules")
    every = plain.locator("tbody tr").count()
    plain.fill("#q", "#53402")
    plain.select_option("#engine", "vllm")
    plain.click("text='Search'")
    assert "q=%2353402" in plain.url and "engine=vllm" in plain.url
    plain.click("tbody tr:first-child a")
    assert plain.url.endswith("/rules/vllm/pp-broadcast-skew")
    assert plain.locator("h2").count() > 8
    plain.click(".page-links >> text=Diagnose")
    assert plain.input_value("#o-engine") == "vllm"
    plain.goto("/rules?engine=any")
    assert 0 < plain.locator("tbody tr").count() < every
    plain.goto("/rules?q=zzzqqq")
    assert "No known failure shares" in plain.inner_text("main")


def test_no_path_leads_elsewhere(plain: Any, base: str) -> None:
    plain.goto(f"{base}//evil.example/x")
    assert "Not found" in plain.inner_text("h1")
    assert plain.locator(".languages a").evaluate("(one) => one.host") == plain.evaluate("location.host")


def test_what_is_not_found_leads_on(plain: Any, base: str) -> None:
    plain.goto("/flags/vllm/0.29.0/0.27.1")
    assert plain.inner_text(".what") == "0.29.0 is not before 0.27.1", "without the command line's words for it"
    plain.click(".problem >> text=Flags")
    assert plain.url == f"{base}/flags"


def test_flags_are_found_and_compared(plain: Any) -> None:
    plain.goto("/flags")
    plain.select_option("#engine", "vllm")
    plain.fill("#version", "0.28.0")
    plain.fill("#grep", "speculative")
    plain.click("text='Show'")
    assert plain.url.endswith("/flags/vllm/0.28.0?grep=speculative")
    row = plain.locator("tr", has=plain.locator("code", has_text=re.compile("^--speculative-config$")))
    assert row.locator("td").nth(2).inner_text() and row.locator("a").count()  # since; the failures that name it
    plain.select_option("#old", "0.27.1")
    plain.select_option("#new", "0.29.0")
    plain.fill(".find >> nth=0 >> #grep", "")
    plain.click("text='Compare'")
    assert "/flags/vllm/0.27.1/0.29.0" in plain.url
    plain.fill("#grep", "")
    plain.click("text='Compare'")
    assert plain.locator("h2").all_inner_texts()[0].startswith("Gone")


def test_the_language_is_the_browsers_unless_the_address_says_another(browser: Any, base: str) -> None:
    with visiting(browser, base, locale="zh-CN") as page:
        page.goto("/rules/any/nccl-proxy-slot-leak-arm")
        assert page.get_attribute("html", "lang") == "zh-CN" and "Arm 上的 NCCL" in page.inner_text("h1")
        page.click(".languages a")
        assert page.url.endswith("?lang=en") and page.get_attribute("html", "lang") == "en"
        page.click("nav >> text=Flags")
        assert page.url.endswith("/flags?lang=en")
        page.goto("/")
        page.fill("#paste", "SGLang 卡死")
        page.keyboard.press("Control+Enter")
        page.wait_for_selector("#question")
        english = [one for one in page.locator("main h2").all_inner_texts() if not re.search("[\u4e00-\u9fff]", one)]
        assert not english


# whoever reads it, on whatever


def test_no_page_has_a_fault_that_axe_finds_in_light_or_dark(browser: Any, base: str, founding: bytes) -> None:
    from axe_playwright_python.sync_playwright import Axe

    axe, found = Axe(), {}
    with visiting(browser, base, reduced_motion="reduce") as page:
        page.goto("/rules?q=zzzqqq")
        page.evaluate("document.querySelector('main').insertAdjacentHTML('beforeend', '<input>')")
        assert any(one.startswith("label") for one in faults(axe, page)), "axe looks at nothing"
        for path in PAGES:
            page.goto(path)
            if path == "/":
                page.click("summary")
            found[path] = faults(axe, page)
        for name, text in (("asked", "it hangs, no error"), ("to find out", HANGS), ("report", founding.decode())):
            paste(page, text)
            page.evaluate("document.querySelectorAll('details').forEach((one) => { one.open = true; })")
            found[name] = faults(axe, page)
    assert not {name: one for name, one in found.items() if one}


RULES = ["wcag2a", "wcag2aa", "wcag21a", "wcag21aa", "wcag22aa", "best-practice"]


def faults(axe: Any, page: Any) -> list[str]:
    """What axe finds, with everything in light and what depends on colours in dark."""
    found = []
    for scheme, rules in (("light", RULES), ("dark", ["color-contrast"])):
        page.emulate_media(color_scheme=scheme)
        ran = axe.run(page, options={"resultTypes": ["violations"], "runOnly": rules}).response
        found += [
            f"{one['id']} in {scheme}: {each['html'][:160]}" for one in ran["violations"] for each in one["nodes"][:3]
        ]
    return found


BROKEN = """[...document.querySelectorAll("thead th, td")].filter(cell => cell.offsetParent && cell.textContent.trim()
    && getComputedStyle(cell).display == "table-cell" && cell.clientWidth < 40).map(cell => cell.textContent.trim())"""
"""Cells of tables so narrow that a word is broken into its letters."""


@pytest.mark.parametrize("width", (360, 700, 1280, 1600))
def test_nothing_is_wider_than_the_window(browser: Any, base: str, founding: bytes, width: int) -> None:
    wide = {}
    over = "document.documentElement.scrollWidth - document.documentElement.clientWidth"
    with visiting(browser, base, viewport={"width": width, "height": 800}) as page:
        for path in PAGES:
            page.goto(path)
            wide[path] = page.evaluate(over)
            assert not page.evaluate(BROKEN), path
        for text in ("it hangs, no error", founding.decode()):
            paste(page, text)
            wide[text[:20]] = page.evaluate(over)
    assert not {name: one for name, one in wide.items() if one > 0}


HOSTILE = """</textarea></form><script>document.title='owned'</script><img src=x onerror="document.title='owned'">
\u202etxt.exe \x1b[2J\x1b]0;owned\x07 javascript:alert(1) <a href="javascript:alert(1)">click</a> {{ 7 * 7 }} {% include 'x' %}
vllm serve '<svg onload=alert(1)>' --speculative-config '{"method": "</script><b>x</b>"}' hangs, requests never return
See https://evil.example/x and vllm/pp-broadcast-skew.
"""


def test_a_hostile_paste_is_shown_and_does_nothing(page: Any, plain: Any) -> None:
    name = "\"><script>document.title='owned'</script>\u202elog"
    for one in (page, plain):
        one.on("dialog", lambda _: pytest.fail("something ran"))
        one.goto("/")
        one.fill("#paste", HOSTILE)
        one.set_input_files("#files", {"name": name, "mimeType": "", "buffer": HOSTILE.encode()})
        one.click("summary")
        one.fill("#o-flags", "'\"></textarea><script>document.title='owned'</script>")
        one.fill("#o-model", '"><b>model</b>')
        one.click("text=Find the failure")
        one.wait_for_selector("#can-be")
        assert "owned" not in one.title()
        assert (
            one.locator(
                "main script, main b, main img, main svg[onload], main a[href*=evil], main a[href^=javascript]"
            ).count()
            == 0
        )
        assert not re.search("[\u202a-\u202e\u2066-\u2069\x1b]", one.inner_text("main"))
        one.click('#question >> text="I don\'t know"')
        one.wait_for_selector(".answers")
        assert one.input_value("#o-model") == '"><b>model</b>' and "owned" in one.input_value("#o-flags")
        assert one.locator(".handed li").count() == 2


def test_browser_tests_do_not_skip_in_ci(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("PATH", os.devnull)
    monkeypatch.setenv("CI", "true")
    with pytest.raises(pytest.fail.Exception, match="no browser"):
        chromium()
    monkeypatch.delenv("CI")
    with pytest.raises(pytest.skip.Exception, match="apt-get install chromium"):
        chromium()
