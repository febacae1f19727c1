"""The pages of the JSON contracts describe every field, with the types they have."""

import pytest

from tests.render.contract_doc import PAGES, TABLE, meanings

EACH = pytest.mark.parametrize("page", PAGES, ids=lambda one: one.name)


@EACH
def test_the_tables_are_those_of_the_nouns(page, refresh):
    text = page.path.read_text(encoding="utf-8")
    if refresh:
        text = page.refreshed(text)
        page.path.write_text(text, encoding="utf-8")
    assert text == page.refreshed(text), "run pytest tests/render --refresh-golden, then describe what is new"


@EACH
def test_every_noun_has_its_table_once(page):
    text = page.path.read_text(encoding="utf-8")
    assert sorted(name for name, _ in TABLE.findall(text)) == sorted(page.nouns())


@EACH
def test_every_field_is_described(page):
    said = meanings(page.path.read_text(encoding="utf-8"))
    silent = [f"{noun}.{field}" for noun, rows in said.items() for field, text in rows.items() if not text.strip()]
    assert said and not silent, f"describe in docs/{page.name}: {', '.join(silent)}"


@EACH
def test_the_page_names_its_schemas(page):
    assert page.schemas and all(one in page.path.read_text(encoding="utf-8") for one in page.schemas)
