"""Guided targets, a reader each: never an exception but those it names, and what it yields lies in what it was given."""

from __future__ import annotations

import bz2
import gzip
import io
import lzma
import pickle
import re
import tarfile
import tempfile
import zipfile
from pathlib import Path
from typing import Any

from advisor import intake
from advisor.catalog.engines import knowledge, named
from advisor.errors import AdvisorError, RuleError, UsageError
from advisor.evidence import plain_pickle, reading
from advisor.evidence.build_reading import read_build
from advisor.evidence.flight_recorder import artifact_of
from advisor.intake import archives
from advisor.jobs import baseline, batch, configuration, verify
from advisor.jobs.request import Said
from advisor.jobs.rule_checks import validate_rules
from advisor.jobs.said import fact_of
from advisor.launches import reading as launch_reading
from advisor.launches import shell
from advisor.launches.files.recognise import FAILED, read_file
from advisor.model.lint import LintReport
from advisor.upstream.patch_hunks import hunks_of
from advisor.upstream.patch_hunks import lines_of as diff_lines
from advisor.yaml import load
from tests.fuzz.oracles import assert_valid, assert_within, raises_only
from tests.fuzz.target import Target, picked

KNOWN = {one: knowledge(one) for one in named()}
KINDS = ("", "log", "stack", "text", "machine", "metrics", "health", "collect_env", "recorder", "launch")
ENGINES = (None, "vllm", "sglang", "lmdeploy", "xllm", "vllm-ascend")
MANIFESTS = (
    "a.yaml", "compose.yaml", "values.yaml", "run.sh", "Dockerfile", "run.py", "job.sbatch", "vllm.service", "Makefile",
    "requirements.txt", "pyproject.toml", "config.json", "x.md",
)  # fmt: skip


def evidence(data: bytes) -> None:
    """Any text as any kind of evidence."""
    kind, data = picked(data, KINDS)
    taken = intake.take("x", data, kind)
    last = intake.texts.decode(data).count("\n") + 1
    for artifact in taken.artifacts:
        found = reading.read(artifact)
        for fact in found.facts:
            assert "\n" not in fact.quote, fact
            assert_within(fact.span, taken.artifacts)
        for thread in found.threads:
            assert_within(thread.span, taken.artifacts)
            for frame in thread.frames:
                assert_within(frame.span, taken.artifacts)
        for note in (*found.notes, *taken.notes):
            assert_within(note.span, taken.artifacts)
        spans = [*(one.span for one in found.facts), *(one.span for one in found.notes)]
        for span in spans:
            assert span is None or span.artifact != "x" or span.line <= last, (span, last)


def pickled(data: bytes) -> None:
    """A pickle is refused, or is the plain data that Python's own reader makes of it."""
    try:
        value = plain_pickle.load(data)
    except plain_pickle.Refused as refused:
        assert str(refused)
        return
    finally:
        artifact_of("nccl_trace_rank_0", data, "0")
    assert _is_plain(value, 0), type(value)
    try:
        theirs = _NoObjects(io.BytesIO(data)).load()
    except (UnicodeDecodeError, ValueError):  # of a text that is no UTF-8 we keep what can be read
        return
    except pickle.UnpicklingError as error:  # frames only tell how much to read ahead: we pass them over
        assert "frame" in str(error), error
        return
    assert repr(value) == repr(theirs)


class _NoObjects(pickle._Unpickler):  # in Python: the one in C allots a memo as large as is asked for
    def find_class(self, module: str, name: str) -> Any:
        raise AssertionError(f"the advisor took {module}.{name}")


def _is_plain(value: object, depth: int) -> bool:
    if depth > 200:
        return True
    if isinstance(value, dict):
        return all(_is_plain(one, depth + 1) for pair in value.items() for one in pair)
    if isinstance(value, list | tuple | set | frozenset):
        return all(_is_plain(one, depth + 1) for one in value)
    return value is None or type(value) in (bool, int, float, str, bytes, bytearray)


def recorder(data: bytes) -> None:
    """A flight-recorder dump in JSON: read, or told why not; what is written of it says the same as it does."""
    artifact, why = artifact_of("nccl_trace_rank_0", data, "0")
    assert artifact is None or not why
    if artifact is not None:
        written = artifact.__class__(artifact.name, artifact.kind, artifact.text, rank=artifact.rank)
        assert reading.read(written).facts == reading.read(artifact).facts


def archive(data: bytes) -> None:
    """Damaged archives give what they can within the limits; sound ones give their files back."""
    how, data = picked(data, ("as it is", "gzip", "bz2", "xz", "zip", "tar"))
    if how == "as it is":
        budget = archives.Budget(total=1 << 22, members=50)
        total = sum(len(content) for _, content in archives.members("x", data, budget))
        assert total <= (1 << 22) + archives.MAX_BYTES
        intake.take("x", data)
        return
    if archives.packing(data):
        return
    packed = _packed(how, data)
    found = [content for _, content in archives.members("x", packed, archives.Budget())]
    assert found == [data], (how, found)


def _packed(how: str, data: bytes) -> bytes:
    if how in ("gzip", "bz2", "xz"):
        return {"gzip": gzip, "bz2": bz2, "xz": lzma}[how].compress(data)
    out = io.BytesIO()
    if how == "zip":
        with zipfile.ZipFile(out, "w", zipfile.ZIP_DEFLATED) as made:
            made.writestr("a/b.log", data)
    else:
        with tarfile.open(fileobj=out, mode="w") as tar:
            info = tarfile.TarInfo("a/b.log")
            info.size = len(data)
            tar.addfile(info, io.BytesIO(data))
    return out.getvalue()


def manifest(data: bytes) -> None:
    """A deployment file of any kind: no reader fails, and every place of a launch lies in the file."""
    name, content = picked(data, MANIFESTS)
    found = read_file(name, content, KNOWN)
    assert not [note for note in found.unread if note.text.startswith(FAILED)], found.unread
    size = len(found.text)
    lines = found.text.count("\n") + 1
    for workload in found.workloads:
        for one in workload.launch.settings:
            assert -1 <= one.start <= one.end <= size, one
            assert one.span is None or 0 <= one.span.line <= lines, one
        places = [one.place for one in workload.arguments] + [one.place for one in workload.environment]
        for place in (*places, *(one.place for one in workload.versions)):
            assert -1 <= place.start <= place.end <= size, place
            assert place.span.line <= lines, place


def script(data: bytes) -> None:
    """Shell: only a quote left open is refused, only when asked; the short way reads what the grammar reads."""
    text = data.decode("utf-8", "replace")
    raises_only(UsageError, lambda: shell.read(text, strict=True))
    short = shell.read(text)
    for command in short.commands:
        for word in command.words:
            assert word.start == -1 or 0 <= word.start <= word.end <= len(text), word
    if _PLAIN.fullmatch(text) and not short.notes and not _NO_NAME.search(text):
        assert shell.read(text, grammar=True) == short


_PLAIN = re.compile(r"[\w./:,=@%+ \t\n\\'\"-]*", re.ASCII)
_NO_NAME = re.compile(r"(?m)^\s*(?:\w+=\S*\s+)*\d\w*=")  # 0P=1: the grammar takes it for an assignment
"""Of other marks the grammar of tree-sitter has its own mind: `[[[x` is a word to bash."""


def flags(data: bytes) -> None:
    """Flags, JSON values, gflags, prose: each setting stands where it says."""
    engine, data = picked(data, ENGINES)
    text = data.decode("utf-8", "replace")
    for complete in (False, True):
        found = launch_reading.read(text, knowledge=KNOWN, engine=engine, bare_is_complete=complete)
        for launch in found.launches:
            for one in launch.settings:
                assert -1 <= one.start <= one.end <= len(launch.text), one
                assert one.span is None or one.span.line <= text.count("\n") + 1, one
    raises_only(UsageError, lambda: launch_reading.read(text, knowledge=KNOWN, engine=engine, strict=True))
    raises_only(UsageError, lambda: launch_reading.environment(text, strict=True))


def build(data: bytes) -> None:
    """What a person calls a build; read from what the advisor calls it, it is the same release and commit."""
    engine, data = picked(data, ENGINES)
    text = data.decode("utf-8", "replace")
    found, _, _ = read_build(text, engine=engine, known=KNOWN)
    raises_only(UsageError, lambda: read_build(text, engine=engine, known=KNOWN, strict=True))
    if found.version and found.origin == "stated" and not found.fork:
        again, _, _ = read_build(found.version, engine=found.engine or engine, known=KNOWN)
        assert again.version == found.version, (found, again)
    found.label()


def small_files(data: bytes) -> None:
    """Baselines, configurations, earlier reports, answers, YAML and diffs: read, or refused in words."""
    kind, data = picked(data, ("baseline", "toml", "pyproject", "report", "answer", "yaml", "diff"))
    text = data.decode("utf-8", "replace")
    if kind == "baseline":
        empty = LintReport("advisor-lint/1", (), (), (), (), "", "")
        raises_only(UsageError, lambda: baseline.apply(empty, text))
    elif kind in ("toml", "pyproject"):
        name = "advisor.toml" if kind == "toml" else "pyproject.toml"
        raises_only(UsageError, lambda: configuration.read(name, text))
    elif kind == "report":
        raises_only(UsageError, lambda: verify.earlier(data, "before.json"))
    elif kind == "answer":
        about, _, answer = text.partition("=")
        raises_only(UsageError, lambda: fact_of(Said(about, answer)))
    elif kind == "yaml":
        raises_only(RuleError, lambda: load(text, "x.yaml"))
    else:
        assert b"".join(diff_lines(data)) == data
        for hunk in hunks_of(data):
            assert hunk.in_text(diff_lines(data)) in ("fits", "already", "changed")


def rule(data: bytes) -> None:
    """A rule file of a stranger: every fault is said with its line, and nothing of it is done."""
    with tempfile.TemporaryDirectory() as folder:
        file = Path(folder) / "rules" / "vllm" / "some-failure" / "rule.yaml"
        file.parent.mkdir(parents=True)
        file.write_bytes(data)
        lines = data.count(b"\n") + data.count(b"\r") + 2
        count, problems = validate_rules(file.parents[2])
        assert count == 1
        for one in problems:
            assert one.message and 1 <= one.line <= lines, one


def line_of_a_batch(data: bytes) -> None:
    """Lines of a batch: each gives one report that keeps the contract, whatever it is."""
    from advisor.render.json import json_line

    text = data.decode("utf-8", "replace")
    found = list(batch.reports(text))
    assert len(found) == len(batch.lines_of(text))
    for report, _ in found:
        line = json_line(report)
        assert "\n" not in line
        assert_valid("report", line)


def body(data: bytes) -> None:
    """The body of a request: refused with a status of the client's, or judged."""
    from advisor.faces.web import json_body, judging
    from advisor.faces.web.multipart_body import Parts
    from advisor.faces.web.problems import Refused
    from advisor.faces.web.settings import Settings

    kind, data = picked(data, ("json", "multipart"))
    settings = Settings(body_bytes=1 << 16, file_bytes=1 << 14, field_bytes=1 << 12, fields=20, files=5)
    with tempfile.TemporaryDirectory() as folder:
        try:
            if kind == "json":
                given = json_body.unpacked(data, Path(folder), settings)
            else:
                parts = Parts("multipart/form-data; boundary=b", Path(folder), settings)
                for at in range(0, len(data), 61):
                    parts.take(data[at : at + 61])
                given = parts.done()
            inside = Path(folder).resolve()
            assert all(one.path.resolve().is_relative_to(inside) for one in given.files)
            given.known((*judging.CHECK, "format", "lang"))
            assert_valid("report", judging.check(given).content.decode())
        except Refused as error:
            assert 400 <= error.status < 500, error
        except AdvisorError as error:
            assert error.line()


TARGETS = (
    Target("evidence", "facts, frames and notes lie in the text they are of", evidence),
    Target("pickle", "refused, or what Python's own reader makes of it without objects", pickled, 4096),
    Target("recorder", "a dump in JSON is read, or told why not", recorder),
    Target("archive", "within the limits; a sound one gives its files back", archive, 16_384),
    Target("manifest", "no reader fails; every place lies in the file", manifest),
    Target("shell", "the short way and the grammar read the same words", script, 1024),
    Target("flags", "each setting stands where it says", flags, 1024),
    Target("build", "a release, printed and read again, is the same", build, 512),
    Target("small-files", "read, or refused in words", small_files, 4096),
    Target("rule", "every fault is said with its line", rule, 6144),
    Target("batch", "a report a line, as the contract says", line_of_a_batch, 2048),
    Target("body", "refused with a 4xx, or judged", body, 4096),
)
