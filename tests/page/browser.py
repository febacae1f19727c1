"""A real browser and a real service for the tests of the pages: one of each a module, gone at its end."""

from __future__ import annotations

import os
import shutil
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import pytest

from tests.web.served import serving

NAMES = ("chromium", "chromium-browser", "google-chrome-stable", "google-chrome", "chrome")
ARGUMENTS = (
    "--no-sandbox",
    "--disable-gpu",
    "--disable-quic",
    "--no-first-run",
    "--disable-background-networking",
    "--disable-component-update",
    "--disable-sync",
)
SLOW_MS = 20_000


def chromium() -> str:
    """Where the browser is. Skips where there is none; fails there in CI, which has to install it."""
    found = next((path for name in NAMES if (path := shutil.which(name))), "")
    if found:
        return found
    why = f"no browser on this machine: none of {', '.join(NAMES)} on PATH (apt-get install chromium)"
    if os.environ.get("CI") == "true":
        pytest.fail(why)
    pytest.skip(why)


@contextmanager
def served(folder: Path) -> Iterator[str]:
    """The address of a service. Once it has ended, it has told of no defect and left nothing on disk."""
    with serving(folder, "--workers", "1") as service:
        yield f"http://127.0.0.1:{service.port}"
        service.process.terminate()
        said = service.rest()
        service.process.wait(30)
    assert "defect" not in said, said
    assert not list(folder.iterdir()), "something of a request is left on disk"


@contextmanager
def browsing(executable: str) -> Iterator[Any]:
    """The browser."""
    from playwright.sync_api import sync_playwright

    with sync_playwright() as playwright:
        browser = playwright.chromium.launch(executable_path=executable, args=list(ARGUMENTS))
        try:
            yield browser
        finally:
            browser.close()


@contextmanager
def visiting(browser: Any, base: str, **context: Any) -> Iterator[Any]:
    """A page of a new window. At its end nothing may have been refused by the policy, failed, or asked of elsewhere."""
    wrong: list[str] = []
    asked: list[str] = []
    made = browser.new_context(
        base_url=base, **{"locale": "en-US", "viewport": {"width": 1280, "height": 900}, **context}
    )
    made.set_default_timeout(SLOW_MS)
    page = made.new_page()
    page.on("console", lambda said: wrong.append(said.text) if said.type in ("error", "warning") else None)
    page.on("pageerror", lambda error: wrong.append(str(error)))
    page.on("request", lambda request: asked.append(request.url))
    try:
        yield page
    finally:
        made.close()
    refused = "Failed to load resource: the server responded with a status of 4"  # an answer that a test asked for
    assert not [one for one in wrong if not one.startswith(refused)], wrong
    assert not [one for one in asked if not one.startswith((base, "data:", "blob:", "about:"))], asked
