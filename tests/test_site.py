"""The documentation's site: built whole and strictly, a page for every rule, nothing loaded from elsewhere."""

import html
import json
import re
import subprocess
import sys
from pathlib import Path

import pytest

from advisor.jobs import flags
from advisor.jobs.explain import fixes
from advisor.jobs.judging import catalogue
from advisor.render.blocks import Heading, Line, Quote
from advisor.render.rule_page import page as rule_page
from tests.docs_pages import ROOT, pages

pytest.importorskip("mkdocs", reason="mkdocs is not installed: pip install -e '.[docs]'")
pytestmark = pytest.mark.xdist_group("site")


@pytest.fixture(scope="module")
def site(tmp_path_factory) -> Path:
    folder = tmp_path_factory.mktemp("site")
    command = [sys.executable, "-m", "mkdocs", "build", "--quiet", "--strict", "--site-dir", str(folder)]
    done = subprocess.run(command, cwd=ROOT, capture_output=True, text=True, timeout=300, check=False)
    assert done.returncode == 0, done.stderr
    return folder


def text_of(page: Path, tag: str = "") -> str:
    """What a reader sees of a page's own part, or of its elements of this tag; white space as one space."""
    own = re.search(r'role="main".*?<footer>', page.read_text(encoding="utf-8"), re.DOTALL)
    assert own
    found = " ".join(re.findall(rf"<{tag}\b.*?</{tag}>", own[0], re.DOTALL)) if tag else own[0]
    without = re.sub(r"<script.*?</script>|<!--.*?-->|<[^>]+>", "", found.replace("<br>", " "), flags=re.DOTALL)
    return " ".join(html.unescape(without).split())


def test_every_rule_has_a_page_that_says_all_of_it_and_nothing_else(site) -> None:
    """Prose of rules holds `<pid>`, braces, pipes and stars: none of it may be taken for markup."""
    lost = []
    for rule in catalogue():
        page = site / "rules" / rule.id / "index.html"
        shown, code = text_of(page).replace("¶", ""), text_of(page, "pre")
        for block in rule_page(rule, fixes(rule))[1:]:
            assert not isinstance(block, Quote)
            prose = isinstance(block, Heading | Line)
            said = " ".join((block.text.replace("`", "") if prose else block.text).split())
            if said not in (shown if prose else code):
                lost.append(f"{rule.id}: {said[:100]}")
    assert not lost, "\n".join(lost[:20])


def test_the_index_of_rules_lists_each_with_its_page(site) -> None:
    index = (site / "rules" / "index.html").read_text()
    linked = set(re.findall(r'href="([\w-]+/[\w-]+)/"', index))
    assert {rule.id for rule in catalogue()} <= linked


@pytest.mark.parametrize("engine", ["vllm", "vllm-ascend", "sglang", "lmdeploy", "xllm"])
def test_every_flag_of_the_newest_release_is_in_the_table_with_its_default(site, engine) -> None:
    shown = text_of(site / "engines" / engine / "flags" / "index.html")
    known = flags.settings(engine, "newest")
    assert known.flags and f"Flags of {engine} {known.release}" in shown
    assert not [one.name for one in (*known.flags, *known.variables) if f"{one.name} " not in shown]
    choices = [str(choice) for one in known.flags for choice in one.choices]
    assert not [one for one in choices if one not in shown]
    assert shown.count("set at run time") >= sum(not one.default_known for one in known.flags)


def test_what_happened_to_a_flag_is_told_release_by_release(site) -> None:
    shown = text_of(site / "engines" / "vllm" / "changes" / "index.html")
    assert "--swap-space 0.8.0" in shown and "0.14.0: default: none -> allgather_reducescatter" in shown
    gone = re.search(r"--swap-space 0\.8\.0 (.*?)--task", shown)
    assert gone and "0.18.0" in gone[1]


def test_the_releases_name_the_fixes_that_they_were_first_to_hold(site) -> None:
    page = (site / "engines" / "nccl" / "releases" / "index.html").read_text()
    assert re.search(r'href="\.\./\.\./\.\./rules/any/nccl-proxy-slot-leak-arm/"', page)


def test_every_page_is_in_the_navigation(site) -> None:
    start = (site / "index.html").read_text()
    missing = [
        page.stem
        for page in pages()
        if page.is_relative_to(ROOT / "docs") and "demo" not in page.parts and page.stem != "index"
        and f'{page.relative_to(ROOT / "docs").with_suffix("").as_posix()}/"' not in start
    ]  # fmt: skip
    assert not missing


def test_nothing_is_loaded_from_elsewhere(site) -> None:
    loading = re.compile(
        r"""<(?:script|img|iframe|source)\b[^>]*\bsrc=["']?(?:https?:)?//|<link\b[^>]*\bhref=["']?(?:https?:)?//(?![^>]*canonical)"""
    )
    in_styles = re.compile(r"url\(['\"]?(?:https?:)?//|@import\s+(?:url\()?['\"](?:https?:)?//")
    found = [str(one) for one in site.rglob("*.html") if loading.search(one.read_text(encoding="utf-8"))]
    found += [str(one) for one in site.rglob("*.css") if in_styles.search(one.read_text(encoding="utf-8"))]
    assert not found


def test_every_link_of_every_page_leads_somewhere(site) -> None:
    texts = {one: one.read_text(encoding="utf-8") for one in site.rglob("*.html")}
    dead = []
    for page, text in texts.items():
        for target in re.findall(r'<a\b[^>]*\bhref="(?!https?:|mailto:|#"|/)([^"]+)"', text):
            name, _, anchor = html.unescape(target).partition("#")
            there = (page.parent / name).resolve() if name else page
            there = there / "index.html" if there.is_dir() else there
            if not there.exists() or (anchor and f'id="{anchor}"' not in texts.get(there, "")):
                dead.append(f"{page.relative_to(site)}: {target}")
    assert len(texts) > len(catalogue()) and not dead, dead[:20]


def test_the_search_finds_a_rule_without_a_network(site) -> None:
    index = json.loads((site / "search" / "search_index.json").read_text())
    assert any(one["location"].startswith("rules/vllm/pp-broadcast-skew/") for one in index["docs"])
    assert (site / "search" / "lunr.js").exists() and (site / "search" / "worker.js").exists()
