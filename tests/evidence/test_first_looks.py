"""A cheap first look spares a search, and never a find: each is held against the search alone."""

from __future__ import annotations

import re
from itertools import product

import pytest

from advisor.evidence import build_forms, builds, dates, denial, lines, prose, recognition
from advisor.scan.several import Several
from tests.scan.corpus import texts

NOES = ("no", "None", "NEVER", "not seen", "n/a", "N/A so far", "0 次", "zero times", "False", "absent", "nil", "x no")
ZH_NOES = ("否", "无", "没有出现", "未见", "不会", "正常", "❌ 没有", "✗", "✘ 0")


def rows() -> list[str]:
    """Lines of every text of the repository that is evidence, one in three."""
    kept = dict.fromkeys(row[:400] for text in texts() for row in text.split("\n") if row.strip())
    return list(kept)[::3]


def test_a_label_that_refuses_has_a_mark() -> None:
    refused = prose.pattern(denial._REFUSED_LABEL)
    made = [f"hang{sign}{gap}{no}" for sign, gap, no in product(":：=?|", ("", " ", " **"), (*NOES, *ZH_NOES))]
    made += [f"| hang | {no} |" for no in (*NOES, *ZH_NOES)]
    assert sum(map(denial.refused_label, made)) > 200
    for row in (*made, *rows()):
        assert denial.refused_label(row) == (refused.search(row) is not None), row


def test_a_bare_denial_is_short() -> None:
    longest = "never yet reproduced so far"
    assert denial._is_bare(longest) and len(longest) < denial._BARE_UP_TO
    bare = prose.pattern(denial._BARE)
    assert not [row for row in rows() if len(row) > denial._BARE_UP_TO and bare.search(row)]


def test_builds_are_where_their_marks_are() -> None:
    for row in ("ＮCCL ２.28.9", "NCCL 2.28.9", "flashınfer 0.2.1", "trİton 3.0.0", "Vllm main @ abcdef0", *rows()):
        whole = [found.span() for found in re.finditer(build_forms.COMPONENT, row, re.I)]
        assert [(start, end) for _, start, end in build_forms.components_in(row)] == whole, row
        if not build_forms.may_name_engine(row):
            assert not re.search(build_forms.ENGINE, row, re.I) and not re.search(builds._SAYS, row, re.I), row
        if not build_forms.DIGIT.search(row):
            assert not re.search(build_forms.VERSION, row), row
        if "ma" not in row.lower():
            assert not re.search(builds._BASELINE, row, re.I), row
        if not builds._SEPARATOR.search(row):
            assert not re.match(builds._LABEL, row), row


def test_what_is_of_no_year_is_no_period() -> None:
    assert dates.periods("since July 29, 2026") and not dates.periods("since July 29")
    for row in rows():
        if "201" not in row and "202" not in row:
            found = (re.finditer(dates._LIMIT + form, row, re.I) for form in dates._WRITTEN)
            parts = ({name: part for name, part in one.groupdict().items() if part} for each in found for one in each)
            assert not any(dates._days(one, None) for one in parts), row


@pytest.mark.parametrize(("pattern", "flags"), [("triton", 0), ("triton", re.IGNORECASE), ("(?i)triton", 0)])
def test_an_i_without_its_dot_is_an_i_where_case_does_not_count(pattern: str, flags: int) -> None:
    for text in ("trıton", "TRİTON", "triton"):
        assert bool(Several([pattern], flags).numbers(text)) >= bool(re.search(pattern, text, flags))


def test_ranks_and_kinds_are_where_their_marks_are() -> None:
    for row in ("[rank3]: x", "<[1,2]<stdout>: x", "RankID:4", "(EngineCore_1 pid=2)", "VLLM::Worker_DP1_TP1", *rows()):
        if "P" not in row:
            assert not lines._LABELS.search(row.replace("_", " ")), row
        if "ank" not in row and "]<std" not in row:
            assert not lines._RANK_WORD.search(row), row
        if "(EngineCore_" not in row:
            assert not lines._CORE.search(row), row
        if not row.startswith(recognition._LIST_BEGINS):
            assert not recognition._LIST_HEAD.match(row) and not recognition._USUAL_PACKAGE.match(row), row
        if not row.startswith(recognition._OF_METRICS):
            assert not recognition._META_LINE.match(row), row
        if ":" not in row and "FROM " not in row:
            assert not recognition._MANIFEST.match(row), row
        if "=" not in row:
            assert not recognition._LIBRARY_VARIABLE.match(row), row


def test_words_are_the_same_on_one_line() -> None:
    for row in ("a\u00a0b\t*c*\r `d`’s", "\x1fa \u3000b", *rows()):
        marks = str.maketrans({"\n": " ", "\t": " ", "\r": " ", "*": " ", "`": " ", "’": "'", "\u00a0": " "})
        assert prose.plain(row) == " ".join(row.translate(marks).split())
        other = any(prose.pattern(one).search(row) for one in (prose._ELSEWHERE, prose._FIX_TITLE))
        assert other or not prose.elsewhere(row)
        assert other == (prose.pattern(prose._ELSEWHERE_OR_FIX).search(row) is not None), row
