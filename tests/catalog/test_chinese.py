"""A rule's `zh:` as rule files bring it: what is refused, and with which name, file and line."""

from __future__ import annotations

import shutil
from pathlib import Path

import pytest

from advisor.jobs.rule_checks import validate_rules

RULES = Path(__file__).parents[2] / "rules"
RULE = "lmdeploy/tp-init-hang"


def problems(folder: Path, zh: str) -> list[tuple[str, int]]:
    """Name and line, counted from `zh:`, of the problems that the Chinese of a shipped rule has."""
    place = folder / "rules" / RULE
    shutil.copytree(RULES / RULE, place)
    file = place / "rule.yaml"
    text = file.read_text(encoding="utf-8")
    assert "\nzh:" not in text
    file.write_text(text + zh, encoding="utf-8")
    start = text.count("\n")
    found = [one for one in validate_rules(folder / "rules")[1] if one.name.startswith("zh-") or one.name == "shape"]
    assert all(one.file.endswith("rule.yaml") for one in found)
    return [(one.name, one.line - start) for one in found]


@pytest.mark.parametrize(
    ("zh", "found"),
    [
        ("zh:\n  summary: 启动时可能卡死\n  cause: {text: 各 rank 互不等待}\n", []),
        ("zh:\n  summary: it may hang\n", [("zh-not-chinese", 2)]),
        ("zh:\n  sumary: 可能卡死\n", [("zh-unknown", 2)]),
        ("zh:\n  cause:\n    status: 已确认\n", [("zh-unknown", 3)]),
        ("zh:\n  no_fix: 没有修复\n", [("zh-unknown", 2)]),
        ("zh:\n  caveats: [一, 二, 三, 四, 五, 六, 七, 八, 九]\n", [("zh-length", 2)]),
        ("zh:\n  cause: 互不等待\n", [("zh-shape", 2)]),
        ("zh:\n  means: {nothing of the kind: 没有这回事}\n", [("zh-unknown", 2)]),
        ("zh:\n  means: 没有这回事\n", [("zh-shape", 2)]),
        ("zh: 可能卡死\n", [("shape", 1)]),
    ],
)
def test_chinese_that_does_not_fit_its_rule_is_named(tmp_path: Path, zh: str, found: list[tuple[str, int]]) -> None:
    assert problems(tmp_path, zh) == found
