"""How much of a planted corpus shows: `python -m tests.privacy` runs it through every command and every output form.

Beside each form stands how many of the planted values it shows with `--no-redact`: a form that shows none proves
nothing. Then what is hidden of texts that hold no secret: flags, hashes, versions, images, files and engines' words.
"""

from __future__ import annotations

import io
import json
import os
import re
import subprocess
import sys
import tarfile
import tempfile
from collections import Counter
from collections.abc import Callable, Iterator
from contextlib import chdir, redirect_stderr, redirect_stdout
from dataclasses import dataclass, replace
from ipaddress import ip_address
from pathlib import Path
from unittest.mock import patch

from advisor.faces.cli import main as command_line
from advisor.jobs.check import check
from advisor.jobs.request import File, Request
from advisor.jobs.rule_cases import cases
from advisor.redaction import redact, redact_text, shown_as_given
from advisor.redaction.personal import marks
from advisor.redaction.pseudonyms import Pseudonyms
from tests.planted import Corpus, corpus

REPO = Path(__file__).parents[1]
QUIET = (
    "docs/demo/*",
    "tests/deployments/**/*",
    "rules/*/*/cases/**/*",
    "tests/healthy/**/*",
    "tests/evidence/data/**/*",
)
ALL = "all as given"


def ran(*words: str, plainly: bool = False) -> str:
    """Both outputs of the command line, run in this process."""
    out, err = io.TextIOWrapper(io.BytesIO(), "utf-8"), io.TextIOWrapper(io.BytesIO(), "utf-8")
    given = ["advisor", *words, *(["--no-redact"] if plainly else [])]
    nothing = io.TextIOWrapper(io.BytesIO(b""), "utf-8")
    with (
        patch.object(sys, "argv", given),
        patch.object(sys, "stdin", nothing),
        redirect_stdout(out),
        redirect_stderr(err),
    ):
        try:
            command_line()
        except SystemExit as end:
            assert end.code in (0, 1, 2), (given[:3], end.code, _read(err))
    return _read(out) + _read(err)


def _read(stream: io.TextIOWrapper) -> str:
    stream.flush()
    assert isinstance(stream.buffer, io.BytesIO)
    return stream.buffer.getvalue().decode("utf-8", "replace")


def laid(folder: Path, planted: Corpus) -> list[str]:
    """The corpus as files, and the words that hand all of it to `advisor check`."""
    for name, text in planted.texts.items():
        (folder / name).write_text(text, encoding="utf-8")
    lines = planted.texts["engine.log"].splitlines()
    variables = [
        line.removeprefix("export ").replace('"', "").replace("'", "") for line in lines if _ASSIGNS.match(line)
    ]
    told = [line for number, line in enumerate(lines) if number % 4 == 0]
    flags = planted.texts["run.sh"].split("vllm serve", 1)[1].replace("\\\n", " ").strip()
    words = [str(folder / name) for name in planted.texts]
    words += [word for one in variables for word in ("--env", one)]
    words += [word for one in told for word in ("--symptom", one)]
    return [*words, "--engine", "vllm", "--version", "0.28.0", "--flags", f"vllm serve {flags}"]


_ASSIGNS = re.compile(r"(?:export )?[A-Z][A-Z0-9_]+=\S+$")
Form = Callable[[bool], str]


def forms(folder: Path, planted: Corpus) -> Iterator[tuple[str, Form]]:
    """Each way in which something is shown or written, by its name; called with whether all is shown as given."""
    everything = laid(folder, planted)
    paths = [str(folder / name) for name in planted.texts]
    for form in ("text", "json", "markdown", "html"):
        verbose = ["--verbose"] if form == "text" else []
        yield (
            f"check {form}",
            lambda plainly, form=form, more=verbose: ran(  # type: ignore[misc]
                "check", *everything, "--format", form, *more, plainly=plainly
            ),
        )
    yield "check --lang zh", lambda plainly: ran("check", *everything, "--lang", "zh", plainly=plainly)
    yield "check --batch", lambda plainly: ran("check", "--batch", str(_batch(folder, planted)), plainly=plainly)
    answers = folder / "answers.json"
    answers.write_text('{"answers": {}}')
    ticket = folder / "ticket.md"
    yield (
        "diagnose, its ticket",
        lambda plainly: (
            ran("diagnose", *everything, "--answers", str(answers), "--output", str(ticket), plainly=plainly)
            + ticket.read_text(encoding="utf-8")
        ),
    )
    yield "verify", lambda plainly: ran("verify", "vllm/pp-broadcast-skew", *everything, plainly=plainly)
    yield (
        "verify json",
        lambda plainly: ran("verify", "vllm/pp-broadcast-skew", *everything, "--format", "json", plainly=plainly),
    )
    for form in ("text", "json", "sarif", "github", "gitlab", "junit", "markdown"):
        yield (
            f"lint {form}",
            lambda plainly, form=form: ran(  # type: ignore[misc]
                "lint", *paths, "--format", form, "--no-cache", "--evidence", plainly=plainly
            ),
        )
    yield "fix", lambda plainly: ran("fix", *paths, "--unsafe", plainly=plainly)
    yield "fix json", lambda plainly: ran("fix", *paths, "--unsafe", "--format", "json", plainly=plainly)
    yield "upgrade", lambda plainly: ran("upgrade", str(folder / "deploy.yaml"), plainly=plainly)
    yield "draft", lambda plainly: _drafted(folder, plainly)
    yield "collect", lambda plainly: _collected(folder, plainly)
    yield "service", lambda plainly: ALL if plainly else _served(folder, planted)
    yield "mcp", lambda plainly: ALL if plainly else _called(planted)
    yield (
        "errors",
        lambda plainly: "".join(
            ran("check", "--env", planted.texts["engine.log"][:9000], "--said", line, plainly=plainly)
            for line in _pieces(planted)[5::60]
        ),
    )


def _pieces(planted: Corpus) -> list[str]:
    """The log's lines, those that are one with the line before them at it: alone nothing tells what they hold."""
    return re.split(r"\n(?! )", planted.texts["engine.log"])


def _batch(folder: Path, planted: Corpus) -> Path:
    cases = [
        {
            "id": str(number),
            "engine": "vllm",
            "version": "0.28.0",
            "launch": planted.texts["run.sh"],
            "symptom": one,
            "log": one,
        }
        for number, one in enumerate(_pieces(planted)[::5])
    ]
    (folder / "cases.jsonl").write_text("".join(json.dumps(one) + "\n" for one in cases), encoding="utf-8")
    return folder / "cases.jsonl"


def _drafted(folder: Path, plainly: bool) -> str:
    issue = folder / "issue.md"
    texts = [(folder / name).read_text(encoding="utf-8") for name in ("engine.log", "keys.txt", "secret.yaml")]
    issue.write_text("# vLLM 0.28.0 hangs with everything secret\n\n" + "\n---\n".join(texts), encoding="utf-8")
    rules = folder / f"rules-{plainly}"
    rules.mkdir()
    said = ran("draft", str(issue), "--id", "vllm/everything-secret", "--rules", str(rules), plainly=plainly)
    return said + "".join(one.read_text(encoding="utf-8") for one in sorted(rules.rglob("*")) if one.is_file())


def _collected(folder: Path, plainly: bool) -> str:
    target = folder / f"incident-{plainly}.tar.gz"
    names = [
        word
        for one in sorted(folder.glob("*.*"))
        if one.suffix in (".log", ".txt", ".yaml", ".sh")
        for word in ("--log", str(one))
    ]
    with subprocess.Popen(["sleep", "60"]) as looked_at:
        try:
            process = ("--pid", str(looked_at.pid), "--wait", "0")
            said = ran("collect", *process, "--output", str(target), *names, plainly=plainly)
        finally:
            looked_at.kill()
    with tarfile.open(target) as archive:
        files = [archive.extractfile(one) for one in archive.getmembers()]
        return said + "".join(one.read().decode("utf-8", "replace") for one in files if one is not None)


def _served(folder: Path, planted: Corpus) -> str:
    from advisor.faces.web import judging
    from advisor.faces.web.parcels import Kept, Received

    shown = []
    for form in judging.REPORTS:
        files = tuple(Kept(name, folder / name) for name in planted.texts)
        fields: dict[str, tuple[str, ...]] = {
            "engine": ("vllm",),
            "version": ("0.28.0",),
            "symptom": (planted.texts["engine.log"][-6000:],),
        }
        shown.append(judging.check(Received(fields, files), form).content.decode())
    for form in judging.LINTS:
        copies = folder / f"sent-{form}" / "files"
        copies.mkdir(parents=True)
        kept = []
        for name, text in planted.texts.items():
            (copies / name).write_text(text, encoding="utf-8")
            kept.append(Kept(name, copies / name))
        with chdir(copies):
            shown.append(judging.lint(Received({}, tuple(kept)), form).content.decode())
    return "".join(shown)


def _called(planted: Corpus) -> str:
    from advisor.faces.mcp.tools import call

    texts = [{"name": name, "content": text} for name, text in planted.texts.items()]
    told = planted.texts["engine.log"].splitlines()[::6]
    check = call(
        "check", {"engine": "vllm", "version": "0.28.0", "texts": texts, "symptom": told, "detail": "full"}, ()
    )
    lint = call("lint", {"texts": texts, "detail": "full"}, ())
    return "".join(f"{one.text}{json.dumps(one.data, ensure_ascii=False)}" for one in (check, lint))


@dataclass(frozen=True)
class Figures:
    """What one form showed: of the planted values those that it shows with --no-redact, and those that it shows."""

    form: str
    reached: int | None
    missed: tuple[str, ...]


def measured(names: Callable[[str], bool] = lambda _: True, plainly: bool = True) -> Iterator[Figures]:
    """The figures of each form."""
    planted = corpus()
    with (
        tempfile.TemporaryDirectory() as scratch,
        patch.dict(os.environ, {"XDG_CACHE_HOME": scratch, "COLUMNS": "400"}),
    ):
        folder = Path(scratch) / "given"
        folder.mkdir()
        for name, form in forms(folder, planted):
            if names(name):
                missed = _shown(form(False), planted)
                given = form(True) if plainly else ALL
                yield Figures(name, None if given == ALL else len(_shown(given, planted)), missed)


def _shown(text: str, planted: Corpus) -> tuple[str, ...]:
    return tuple(f"{one.kind}: {one.value}" for one in planted.planted if one.value in text)


PLAIN = {  # what must not be hidden, by what it is
    "flag": re.compile(r"--?[a-z][\w-]*"),
    "hash": re.compile(r"(?:sha256:)?[0-9a-f]{7,64}"),
    "version": re.compile(r"v?\d+(?:\.\d+)+(?:[a-z+.-][\w.+-]*)?"),
    "number": re.compile(r"[-+]?[\d.,:]+%?"),
    "image": re.compile(r"[\w./-]+:(?:v?\d[\w.-]*|latest|main|nightly[\w.-]*)|[\w./-]+@sha256:\w+"),
    "file": re.compile(r"(?:[\w.-]*/)*[\w.-]+\.(?:py|cc|cu|h|so|json|yaml|log|sh|txt)(?::\d+)?"),
    "word": re.compile(r"[a-z]{2,}(?:_[a-z]+)*|[A-Z]?[a-z]+"),
}


def quiet_texts() -> Iterator[tuple[str, str]]:
    """The texts of known cases and healthy deployments, by their names here."""
    for pattern in QUIET:
        for path in sorted(REPO.glob(pattern)):
            if path.is_file() and not path.name.endswith("expect.yaml"):
                try:
                    yield str(path.relative_to(REPO)), path.read_text(encoding="utf-8")
                except UnicodeDecodeError:
                    continue


def hidden() -> tuple[Counter[str], list[str], int]:
    """How much is hidden of the quiet texts by kind, what of it must not be, and how many characters were read."""
    counts: Counter[str] = Counter()
    wrong: list[str] = []
    read = 0
    for name, text in quiet_texts():
        read += len(text)
        counts["secret"] += redact(text).count("[redacted]") - text.count("[redacted]")
        for one in marks(text):
            counts[one.kind] += 1
            what = next((kind for kind, shape in PLAIN.items() if shape.fullmatch(one.name)), "")
            if what and not (one.kind == "address" and _is_reserved(one.name)) and one.name not in KNOWN:
                wrong.append(f"{name}: {one.kind} {one.name!r} is a {what}")
    return counts, wrong, read


def _is_reserved(name: str) -> bool:
    """Whether it is an address that nobody has on the internet, as all of these texts are; a version would not be."""
    try:
        return ip_address(name).is_private
    except ValueError:
        return False


def judged_alike() -> Iterator[tuple[str, str]]:
    """Each case of a rule, and each capture, in which anything is hidden, and what is judged otherwise of it once it
    is ("" for nothing): as `advisor collect` hides it, in all files of a case with the same names."""
    for case in cases():
        yield from _alike(str(case), case.request)
    for folder in sorted({path.parent for name in CAPTURES for path in REPO.glob(name) if path.is_file()}):
        files = tuple(File(path.name, path.read_bytes()) for path in sorted(folder.iterdir()) if path.is_file())
        yield from _alike(str(folder), Request(files=files, strict=False))


def _alike(name: str, request: Request) -> Iterator[tuple[str, str]]:
    names = Pseudonyms()
    try:
        texts = [one.content.decode("utf-8") for one in request.files]
    except UnicodeDecodeError:
        return  # a dump, which an archive holds as it is
    marked = [(redact_text(text), names.learn(redact_text(text))) for text in texts]
    shown = [names.cover(text, found) for text, found in marked]
    if shown == texts:
        return
    hidden = tuple(replace(one, content=new.encode()) for one, new in zip(request.files, shown, strict=True))
    with shown_as_given():
        plain, covered = (
            {one.rule: one.status for one in check(each).report.findings}
            for each in (replace(request, strict=False), replace(request, files=hidden, strict=False))
        )
    rules = sorted({*plain, *covered})
    other = [f"{one}: {plain.get(one)} -> {covered.get(one)}" for one in rules if plain.get(one) != covered.get(one)]
    yield name, "; ".join(other)


CAPTURES = ("docs/demo/*", "tests/evidence/data/*/*")
KNOWN = frozenset(("box", "ai-box", "node-a", "node-b"))
"""Hosts of the cases that read like words."""


def main() -> int:
    """Print the figures; 1 where a value was missed or something was hidden wrongly."""
    planted = corpus()
    secrets = planted.secrets()
    print(
        f"planted: {len(planted.planted)} values, {len(secrets)} of them secrets of {len({one.kind for one in secrets})} kinds"
    )
    print(f"{'form':22} {'shown as given':>14} {'missed':>7}")
    bad = 0
    for one in measured():
        bad += len(one.missed)
        print(f"{one.form:22} {'-' if one.reached is None else one.reached:>14} {len(one.missed):>7}", *one.missed[:3])
    counts, wrong, read = hidden()
    print(f"quiet texts: {read} characters; hidden: {', '.join(f'{n} {kind}' for kind, n in sorted(counts.items()))}")
    print(f"hidden wrongly (flags, hashes, versions, images, files, words): {len(wrong)}", *wrong[:10], sep="\n  ")
    alike = list(judged_alike())
    other = [f"{name}: {said}" for name, said in alike if said]
    print(
        f"cases and captures judged again with hosts, people and prompts hidden: {len(alike)}; otherwise: {len(other)}"
    )
    print(*(f"  {one}" for one in other[:20]), sep="\n")
    return 1 if bad or wrong or other else 0


if __name__ == "__main__":
    sys.exit(main())
