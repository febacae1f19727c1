"""A stranger's ignore file cannot stop a lint, and an instruction that is no pattern is told."""

from __future__ import annotations

from pathlib import Path

import pytest

from advisor.jobs.ignoring import left_out
from tests.front_door import advisor

ODD = [
    "!",
    "\\",
    "!\\",
    "a\\",
    "[z-a]",
    "[[:alpha:]",
    "[[a]b]",
    "a\xff",
    "x" * 2_000_000,
    "a*" * 100_000,
    "?" * 200_000,
]
LAUNCH = "vllm serve m --swap-space 4\n"


def is_left_out(path: str, lines: list[str]) -> bool:
    said = [one.check_file(path).include for one in left_out(lines)]
    return next((one for one in reversed(said) if one is not None), None) is True


@pytest.mark.parametrize("line", ODD, ids=lambda one: one[:12])
def test_a_line_that_is_no_pattern_matches_nothing(line: str) -> None:
    assert is_left_out("left/x", [line, "left/"]) and not is_left_out("kept/x", [line, "left/"])


@pytest.mark.parametrize(
    "lines",
    [["a*" * 100] * 400, ["**/" * 90 + "y"] * 400, ["?" * 290] * 400, [f"dir{one}/" for one in range(100_000)]],
)
def test_more_than_can_be_looked_for_leaves_nothing_out_or_what_fits(lines: list[str]) -> None:
    assert not is_left_out("kept/x", lines)


@pytest.mark.parametrize("line", ["a*b*c*d*" * 30, "?" * 280], ids=lambda one: one[:8])
def test_what_stands_beside_more_than_fits_leaves_out_what_it_names(line: str) -> None:
    """The whole file counted for nothing, and that was not said."""
    lines = ["left/", "*.log", *[line] * 100, "!kept.log"]
    assert is_left_out("left/x", lines) and is_left_out("a.log", lines)
    assert not is_left_out("kept/x", lines) and not is_left_out("kept.log", lines)


def test_lint_goes_on_below_it(tmp_path: Path) -> None:
    (tmp_path / ".gitignore").write_bytes("\n".join([*ODD[:7], "left/"]).encode() + b"\na\xff\n" + b"a*" * 100_000)
    for name in ("left", "kept"):
        (tmp_path / name).mkdir()
        (tmp_path / name / "run.sh").write_text(LAUNCH)
    ran = advisor("lint", ".", "--no-cache", cwd=tmp_path)
    assert "kept/run.sh" in ran.out and "left/run.sh" not in ran.out and not ran.err
    assert advisor("fix", ".", cwd=tmp_path).code in (0, 1)


@pytest.mark.parametrize("pattern", ["!", "[z-a]", "x" * 400])
def test_an_instruction_that_is_none_is_told(pattern: str, tmp_path: Path) -> None:
    (tmp_path / "run.sh").write_text(LAUNCH)
    ran = advisor("lint", ".", "--exclude", pattern, cwd=tmp_path)
    assert (ran.code, ran.out, ran.err.count("\n")) == (2, "", 1) and "--exclude" in ran.err
    (tmp_path / "advisor.toml").write_text(f'[[ignore]]\npath = "{pattern}"\nrule = "*"\nreason = "r"\n')
    ran = advisor("lint", ".", cwd=tmp_path)
    assert ran.code in (0, 1, 2) and "defect" not in ran.err
