"""Real inputs with hostile things in them, through the command line itself: exit codes, places, and time."""

from __future__ import annotations

import json
from functools import cache
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
from tests.fuzz.oracles import assert_printable, assert_valid
from tests.fuzz.target import CORPUS

HOSTILE = [
    b"\x1b]0;title\x07", b"\x1b[2J", b"\x9b31m", b"\r", b"\0", b"\x08\x08", b"\xff\xfe", "\u202e".encode(), "\u2028".encode(), b"\xed\xa0\x80",
    b"<script>alert(1)</script>", b"](javascript:alert(1))", b"::error file=x::y", b"##[error]x", b"```\n", b"|a|b|\n|-|-|\n", b"%0A", b"&#10;",
    b"{{ 7 * 7 }}", b"${jndi:ldap://x}", b"$(touch /tmp/x)", b"'; drop", b"x" * 20_000, b"[" * 3_000, b'{"a":' * 800, b"\n" * 2_000, b"- &a [*a]\n",
    b"Traceback (most recent call last):\n", b"--tp \xe2\x80\x94tp 99999999999999999999999999", b"0.28.0" + b".1" * 500,
]  # fmt: skip


@cache
def seeds(name: str) -> tuple[bytes, ...]:
    return tuple(one.read_bytes() for one in sorted((CORPUS / name).glob("*")))


def changed(name: str) -> st.SearchStrategy[bytes]:
    """A seed of a target with a few places overwritten, doubled, cut, or with something hostile put in."""
    edit = st.tuples(
        st.sampled_from(["put", "cut", "double", "over"]),
        st.floats(0, 1, exclude_max=True),
        st.sampled_from(HOSTILE),
        st.integers(1, 200),
    )
    return st.builds(_edited, st.sampled_from(seeds(name)), st.lists(edit, min_size=1, max_size=4))


def _edited(data: bytes, edits: list[tuple[str, float, bytes, int]]) -> bytes:
    for how, where, what, size in edits:
        at = 2 + int(where * max(1, len(data) - 2))
        if how == "put":
            data = data[:at] + what + data[at:]
        elif how == "cut":
            data = data[:at] + data[at + size :]
        elif how == "double":
            data = data[: at + size] + data[at:]
        else:
            data = data[:at] + what[:size] + data[at + len(what[:size]) :]
    return data


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
    counts = [_steps(data, times) for times in (8, 32)]
    assert counts[1] <= 6 * counts[0] + 20_000, counts


def _steps(data: bytes, times: int) -> int:
    given_ = Request(files=(File("input", b"\n".join([data] * times)),), strict=False)
    return steps(lambda: check(given_))[1]
