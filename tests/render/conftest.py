"""`pytest tests/render --refresh-golden` writes the golden files and the tables of docs/json.md anew."""

from collections.abc import Callable
from pathlib import Path

import pytest

GOLDEN = Path(__file__).parent / "golden"


def pytest_addoption(parser: pytest.Parser) -> None:
    parser.addoption("--refresh-golden", action="store_true", help="write the golden files instead of comparing")


@pytest.fixture
def refresh(request: pytest.FixtureRequest) -> bool:
    return bool(request.config.getoption("--refresh-golden", default=False))


@pytest.fixture
def assert_golden(refresh: bool) -> Callable[[str, str], None]:
    """Compares a text with a file of golden/, or writes it there."""

    def compare(name: str, text: str) -> None:
        path = GOLDEN / name
        if refresh:
            path.write_text(text, encoding="utf-8", newline="")
        assert path.exists(), f"{path} is missing; run pytest tests/render --refresh-golden"
        assert text == path.read_bytes().decode("utf-8")

    return compare
