"""docs/json.md describes every field of the contract, with the types it has."""

from advisor.model.report import SCHEMA
from tests.render.json_doc import PATH, TABLE, meanings, nouns, refreshed


def test_the_tables_are_those_of_the_nouns(refresh):
    page = PATH.read_text(encoding="utf-8")
    if refresh:
        page = refreshed(page)
        PATH.write_text(page, encoding="utf-8")
    assert page == refreshed(page), "run pytest tests/render --refresh-golden, then describe what is new"


def test_every_noun_has_its_table_once():
    page = PATH.read_text(encoding="utf-8")
    assert sorted(name for name, _ in TABLE.findall(page)) == sorted(nouns())


def test_every_field_is_described():
    said = meanings(PATH.read_text(encoding="utf-8"))
    silent = [f"{noun}.{field}" for noun, rows in said.items() for field, text in rows.items() if not text.strip()]
    assert not silent, f"describe in docs/json.md: {', '.join(silent)}"


def test_the_page_names_the_schema():
    assert SCHEMA in PATH.read_text(encoding="utf-8")
