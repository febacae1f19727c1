"""Every output of every hand-made lint report, held against a file. A megabyte of line is cut out of JSON and SARIF."""

import pytest

from advisor.render.annotations import annotations
from advisor.render.gitlab import gitlab
from advisor.render.junit import junit
from advisor.render.lint_json import lint_json
from advisor.render.lint_markdown import lint_markdown
from advisor.render.lint_text import lint_text
from advisor.render.sarif import sarif
from advisor.render.schema import schema_of
from tests.render.lint_reports import LINT_REPORTS, RICH

OUTPUTS = {
    "txt": lint_text,
    "verbose.txt": lambda report: lint_text(report, width=100, verbose=True),
    "json": lint_json,
    "sarif": sarif,
    "annotations": annotations,
    "junit.xml": junit,
    "md": lint_markdown,
    "gitlab.json": gitlab,
}


@pytest.mark.parametrize("ending", OUTPUTS)
@pytest.mark.parametrize("name", LINT_REPORTS)
def test_outputs(name, ending, assert_golden):
    said = OUTPUTS[ending](LINT_REPORTS[name])
    assert_golden(f"lint-{name}.{ending}", said.replace("a" * 500_000, "(a…)").replace("b" * 500_000, "(b…)"))
    assert said == OUTPUTS[ending](LINT_REPORTS[name])


def test_colours(assert_golden):
    assert_golden("lint-rich.colour.txt", lint_text(RICH, colour=True))


def test_the_schema(assert_golden):
    assert_golden("lint-schema.json", schema_of("lint"))
