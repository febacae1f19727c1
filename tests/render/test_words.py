"""Words for codes: complete, and never stronger than the code."""

from typing import get_args

import pytest

from advisor.model.report import STATUSES
from advisor.model.rule import PROOFS, CauseStatus
from advisor.render import words


def test_every_code_has_words():
    assert set(words.PROOF) == set(PROOFS)
    assert set(words.LABELS) == set(words.TONES) == set(STATUSES)
    assert set(words.CAUSE) == set(get_args(CauseStatus))


def test_weak_codes_have_weak_words():
    assert "not verified" in words.PROOF["suggested"]
    assert "not tried" in words.PROOF["derived"]
    assert "released" not in words.PROOF["merged"]
    assert "not established" in words.CAUSE["proposed"]
    assert "not known" in words.CAUSE["unknown"]


@pytest.mark.parametrize(
    ("seconds", "said"),
    [(0, "0 s"), (45, "45 s"), (90, "1 min 30 s"), (3600, "1 h"), (3960, "1 h 6 min"), (90061, "1 d 1 h 1 min 1 s")],
)
def test_durations(seconds, said):
    assert words.duration(seconds) == said
