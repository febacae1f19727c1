"""JSON: valid under its own schema, in the order of the nouns, lossless, and safe to `cat`."""

import json as codec
import re
import sys
from dataclasses import fields, replace

import jsonschema
import pytest

from advisor.model.once import keep
from advisor.model.report import SCHEMA, FactOut, Finding, Report
from advisor.render.json import json, json_line
from advisor.render.quoting import UNSAFE
from advisor.render.schema import schema_of
from tests.render.reports import HOSTILE, HUNG, MATCHED, NASTY, REPORTS

VALIDATOR = jsonschema.Draft202012Validator(codec.loads(schema_of("report")))


def test_the_schema_is_a_schema():
    jsonschema.Draft202012Validator.check_schema(VALIDATOR.schema)


@pytest.mark.parametrize("name", REPORTS)
def test_reports_are_valid(name):
    VALIDATOR.validate(codec.loads(json(REPORTS[name])))


def test_the_schema_refuses_another_contract_and_a_missing_field():
    raw = codec.loads(json(HUNG))
    assert not VALIDATOR.is_valid({**raw, "schema": "advisor-report/2"})
    assert not VALIDATOR.is_valid({key: value for key, value in raw.items() if key != "findings"})
    assert VALIDATOR.is_valid({**raw, "a_later_field": 1})


def test_keys_stand_in_the_order_of_the_nouns():
    raw = codec.loads(json(HUNG))
    assert list(raw) == [field.name for field in fields(Report)]
    assert list(raw["findings"][0]) == [field.name for field in fields(Finding)]
    assert raw["schema"] == SCHEMA


def test_a_line_is_one_line_with_the_same_content():
    for report in REPORTS.values():
        line = json_line(report)
        assert len(line.splitlines()) == 1
        assert codec.loads(line, object_pairs_hook=list) == codec.loads(json(report), object_pairs_hook=list)


def test_a_line_escapes_what_could_drive_a_terminal():
    unsafe = [one for one in map(chr, range(sys.maxunicode + 1)) if UNSAFE.match(one)]
    assert not [one for one in unsafe if one.isascii() and one.isprintable()]  # such texts get no second look
    said = json_line(replace(HUNG, id="".join(unsafe)))
    assert not UNSAFE.search(said)
    assert codec.loads(said) == codec.loads(json(replace(HUNG, id="".join(unsafe))))


def test_what_is_kept_for_good_is_written_once_and_anything_else_anew():
    aliases = keep(("first",))
    lines = [json_line(replace(HUNG, findings=(replace(MATCHED, aliases=one),))) for one in (aliases, ("second",)) * 2]
    assert [codec.loads(one)["findings"][0]["aliases"] for one in lines] == [["first"], ["second"]] * 2


def test_chinese_stays_readable_and_controls_are_escaped_without_loss():
    assert "请求长期不返回" in json(HUNG)
    said = json(HOSTILE)
    assert not re.search("[\x00-\x09\x0b-\x1f\x7f-\x9f\u202a-\u202e\u2028\ud800-\udfff]", said)
    assert codec.loads(said)["id"] == NASTY
    assert codec.loads(json(replace(HUNG, id="\U000e0041")))["id"] == "\U000e0041"


def test_a_number_json_has_no_word_for_is_text():
    fact = FactOut("x", float("nan"), "", "observed", "", "")
    report = replace(HUNG, findings=(replace(MATCHED, because=(fact,)),))
    for raw in map(codec.loads, (json(report), json_line(report))):
        assert raw["findings"][0]["because"][0]["value"] == "nan"
