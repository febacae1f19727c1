"""`python -m tests.lint_checks`: write docs/lint-checks.md from the checks that lint runs."""

from __future__ import annotations

from pathlib import Path

from advisor.jobs.lint_checks import page

PAGE = Path(__file__).parents[1] / "docs" / "lint-checks.md"

if __name__ == "__main__":
    part = PAGE.with_suffix(".part")
    part.write_text(page(), encoding="utf-8")
    part.replace(PAGE)
