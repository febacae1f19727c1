"""What the tests of the pages share: a service and a browser, one of each a module, and a window for each test."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import pytest

from tests.page.browser import browsing, chromium, served, visiting


@pytest.fixture(scope="module")
def base(tmp_path_factory: pytest.TempPathFactory) -> Iterator[str]:
    chromium()
    with served(tmp_path_factory.mktemp("serve")) as address:
        yield address


@pytest.fixture(scope="module")
def browser() -> Iterator[Any]:
    with browsing(chromium()) as found:
        yield found


@pytest.fixture
def page(browser: Any, base: str) -> Iterator[Any]:
    with visiting(browser, base) as found:
        yield found
