"""Real inputs with hostile things in them, through the command line itself: exit codes, places, and time."""

from __future__ import annotations

import json
from pathlib import Path

from hypothesis import given, settings
from hypothesis import strategies as st
from typer.testing import CliRunner

from advisor.errors import AdvisorError
from advisor.faces.cli import application
from advisor.jobs.check import check
from advisor.jobs.request import File, Request
from tests.counting import steps
from tests.fuzz import front
from tests.fuzz.changing import changed
from tests.fuzz.oracles import assert_printable, assert_valid


@settings(max_examples=25)
@given(changed("check"))
def test_a_changed_case_gives_a_sound_report(data: bytes) -> None:
    front.checked(data)


@settings(max_examples=25)
@given(changed("lint"))
def test_a_changed_file_gives_sound_findings(data: bytes) -> None:
    front.linted(data)


@settings(max_examples=25)
@given(changed("fix"))
def test_a_changed_file_is_fixed_once(data: bytes) -> None:
    front.fixed(data)


@settings(max_examples=15)
@given(changed("check"), st.sampled_from(["text", "json", "markdown", "html"]), st.sampled_from(["en", "zh"]))
def test_the_command_never_ends_as_our_own_defect(data: bytes, format: str, lang: str) -> None:
    done = CliRunner().invoke(application(["check"]), ["check", "-", "--format", format, "--lang", lang], input=data)
    if isinstance(done.exception, AdvisorError):
        assert_printable(done.exception.line(), "an error")
        return
    assert done.exception is None or isinstance(done.exception, SystemExit), done.exception
    assert done.exit_code in (0, 1, 2), done.output
    assert_printable(done.stderr, "standard error")
    if format == "json" and done.stdout.strip():
        assert_valid("report", done.stdout)
    elif format != "json":
        assert_printable(done.stdout, "standard output")


def test_the_command_reads_a_file_of_any_name(tmp_path: Path) -> None:
    for name in ("a\x1b[31mb.log", "<b>.log", "a\nb.log", "-x.log", "\u202egol.log"):
        file = tmp_path / name
        file.write_bytes(b"ERROR 07-02 08:14:55 [core.py:1] hang\nRuntimeError: NCCL error\n")
        app = application(["check"])
        done = CliRunner().invoke(app, ["check", str(file)])
        assert done.exit_code in (0, 1, 2)
        assert_printable(done.stdout, name)
        assert json.loads(CliRunner().invoke(app, ["check", str(file), "--format", "json"]).stdout)


LINES = ["check", "evidence", "manifest", "shell"]


@settings(max_examples=8)
@given(st.sampled_from(LINES).flatmap(changed))
def test_time_grows_no_faster_than_the_input(data: bytes) -> None:
    """Twice and four times an input: calls made, which do not depend on how busy the machine is."""
    data = data[1:4000]
    _steps(data, 32)  # what is loaded and kept for it is no part of its time
    counts = [_steps(data, times) for times in (8, 32)]
    assert counts[1] <= 6 * counts[0] + 20_000, counts


def _steps(data: bytes, times: int) -> int:
    given_ = Request(files=(File("input", b"\n".join([data] * times)),), strict=False)
    return steps(lambda: check(given_))[1]
