"""`advisor lint` again: the same report to the byte, whatever has changed meanwhile and whatever became of the cache."""

from __future__ import annotations

import json
import os
import random
import shutil
import sqlite3
import stat
import subprocess
import sys
import zlib
from collections.abc import Callable, Iterator
from datetime import date
from importlib import import_module
from pathlib import Path

import pytest

from advisor.catalog.engines import profiles
from advisor.catalog.kept import cache_folder
from advisor.jobs import lint_cache, lint_files, lint_judging, lint_record
from advisor.jobs.gate import failing
from advisor.jobs.judging import catalogue
from advisor.jobs.lint import LintRequest, lint
from advisor.launches.files import recognise
from advisor.model.lint import LintReport
from advisor.whole import part_name
from tests.front_door import advisor

CORPUS = Path(__file__).parent / "deployments"
FORMATS = ("lint_text", "lint_json", "sarif", "annotations", "gitlab", "junit", "lint_markdown")
DAY = date(2026, 11, 30)
SERVICE = "apiVersion: v1\nkind: Service\nmetadata: {{name: {}}}\nspec: {{ports: [{{port: 80}}]}}\n"
POD = """\
apiVersion: apps/v1
kind: Deployment
metadata: {{name: {name}}}
spec:
  selector: {{matchLabels: {{app: {name}}}}}
  template:
    spec:
      containers:
      - name: server
        image: {image}
        args: [--model, m, --disable-log-requests]  # advisor: ignore[setting-replaced] until=2027-01-31 known
        env: [{{name: HF_TOKEN, value: hf_abcdefghijklmnopqrstuvwxyz0123}}]
"""
KUSTOMIZATION = "resources: [pod.yaml]\nimages: [{{name: vllm/vllm-openai, newTag: {}}}]\n"


def request(folder: Path, cache: Path | None, *, evidence: bool = False, day: date = DAY) -> LintRequest:
    return LintRequest((folder,), day, processes=1, evidence=evidence, cache=cache)


def written(report: LintReport) -> dict[str, str]:
    """The report in every format."""
    renders = {name: getattr(import_module(f"advisor.render.{name}"), name) for name in FORMATS}
    more = {"junit": (failing(report),)}
    return {name: str(render(report, *more.get(name, ()))) for name, render in renders.items()}


@pytest.fixture
def tree(tmp_path: Path) -> Path:
    """Folders whose files have to do with each other, and a few of the corpus."""
    root = tmp_path / "tree"
    for one in ("a", "b", "b/c"):
        (root / one).mkdir(parents=True)
        (root / one / "pod.yaml").write_text(POD.format(name="server", image="vllm/vllm-openai:v0.28.0"))
        (root / one / "service.yaml").write_text(SERVICE.format("vllm"))
        (root / one / "kustomization.yaml").write_text("# vllm\n" + KUSTOMIZATION.format("v0.30.0"))
    for at, file in enumerate(sorted(CORPUS.glob("[dks]*/*.*"))[::4]):
        if file.is_file() and ".expect." not in file.name:
            shutil.copy(file, root / ("a", "b", "b/c")[at % 3] / f"{at}-{file.name}")
    (root / "notes.txt").write_text("nothing of ours")
    return root


def names(random_: random.Random, root: Path) -> Path:
    return random_.choice(sorted(one for one in root.rglob("*") if one.is_file()))


def change(random_: random.Random, root: Path) -> None:
    """Something that people do between two runs."""
    one, other = names(random_, root), names(random_, root)
    service = other.with_name("service.yaml")
    edits: list[Callable[[], object]] = [
        lambda: one.write_text(one.read_text(errors="replace").replace("0.28.0", "0.33.0") + "# vllm\n"),
        lambda: one.write_text("\n" + one.read_text(errors="replace")),
        lambda: one.write_bytes(one.read_bytes() + b"# vllm \xff\n"),
        lambda: service.write_text(SERVICE.format(random_.choice(("vllm", "vllm-api", "chat")))),
        lambda: service.unlink(missing_ok=True),
        lambda: one.with_name("kustomization.yaml").write_text("# vllm\n" + KUSTOMIZATION.format(f"v0.{one.stat().st_size % 3 + 28}.0")),
        lambda: one.rename(one.with_name(f"{random_.randrange(99)}-{one.name}")),
        lambda: shutil.copy(one, other.with_name(f"copy-{one.name}")),
        lambda: os.utime(one, (1, 1)),
        lambda: (root / "a" / "run.sh").write_text(f"vllm serve m --tensor-parallel-size {random_.randrange(9)}\n"),
        lambda: other.with_name("new.yaml").write_text(POD.format(name="vllm", image="vllm/vllm-openai")),
    ]  # fmt: skip
    random_.choice(edits)()


@pytest.mark.parametrize("seed", range(3))
def test_after_any_edits_a_warm_run_says_what_a_cold_one_says(tree: Path, tmp_path: Path, seed: int) -> None:
    random_ = random.Random(seed)
    for _ in range(9):
        for _ in range(random_.randrange(3)):
            change(random_, tree)
        evidence = random_.random() < 0.2
        warm, cold = (lint(request(tree, one, evidence=evidence)) for one in (tmp_path / "kept", None))
        assert warm == cold and len(cold.findings) > 10
    assert written(warm) == written(cold)


@pytest.fixture
def counted(monkeypatch) -> Iterator[dict[str, list[str]]]:
    """The names of files read and judged."""
    calls: dict[str, list[str]] = {"read": [], "judged": []}
    read, judge = recognise.read_file, lint_judging.findings_of

    def reading(name, *rest):
        calls["read"].append(Path(name).name)
        return read(name, *rest)

    def judging(deployment, *rest, **more):
        calls["judged"].append(Path(deployment.file).name)
        return judge(deployment, *rest, **more)

    monkeypatch.setattr(lint_files, "read_file", reading)
    monkeypatch.setattr(lint_files, "findings_of", judging)
    yield calls


def work(counted: dict[str, list[str]], folder: Path, cache: Path, **more) -> tuple[list[str], list[str]]:
    """What one run reads and judges."""
    for calls in counted.values():
        calls.clear()
    lint(request(folder, cache, **more))
    return sorted(counted["read"]), sorted(counted["judged"])


def test_only_what_has_changed_is_read(tmp_path: Path, counted) -> None:
    tree, kept = tmp_path / "tree", tmp_path / "kept"
    tree.mkdir()
    for at in range(5):
        (tree / f"{at}.yaml").write_text(POD.format(name=f"chat-{at}", image="vllm/vllm-openai:v0.28.0"))
    assert len(work(counted, tree, kept)[0]) == 5
    assert work(counted, tree, kept) == ([], [])
    os.utime(tree / "1.yaml", (1, 1))
    assert work(counted, tree, kept) == ([], [])
    (tree / "1.yaml").write_text(POD.format(name="chat", image="vllm/vllm-openai:v0.30.0"))
    assert work(counted, tree, kept) == (["1.yaml"], ["1.yaml"])
    assert len(work(counted, tree, kept, evidence=True)[1]) == 5
    assert work(counted, tree, kept, evidence=True) == work(counted, tree, kept) == ([], [])


def test_a_service_that_came_is_judged_with_the_pods_beside_it_and_with_no_others(tmp_path: Path, counted) -> None:
    kept = tmp_path / "kept"
    for one in ("a", "b"):
        (tmp_path / "tree" / one).mkdir(parents=True)
        (tmp_path / "tree" / one / f"{one}.yaml").write_text(POD.format(name="x", image="vllm/vllm-openai:v0.28.0"))
    work(counted, tmp_path / "tree", kept)
    (tmp_path / "tree" / "a" / "s.yaml").write_text(SERVICE.format("vllm"))
    assert work(counted, tmp_path / "tree", kept) == (["a.yaml", "s.yaml"], ["a.yaml", "s.yaml"])
    (tmp_path / "tree" / "a" / "s.yaml").write_text(SERVICE.format("chat") + "# vllm\n")  # sets no variable of vLLM's
    assert work(counted, tmp_path / "tree", kept) == (["a.yaml", "s.yaml"], ["a.yaml", "s.yaml"])
    (tmp_path / "tree" / "a" / "s.yaml").write_text(SERVICE.format("chat-2") + "# vllm\n")
    assert work(counted, tmp_path / "tree", kept) == (["s.yaml"], ["s.yaml"])


def test_another_advisor_begins_anew(tree: Path, tmp_path: Path, counted, monkeypatch) -> None:
    cold = work(counted, tree, tmp_path / "kept")
    monkeypatch.setattr(lint_cache, "made_with", lambda: b"another release")
    assert work(counted, tree, tmp_path / "kept") == cold


def test_a_rule_that_is_being_written_is_none_yet(tmp_path: Path) -> None:
    (tmp_path / "rule.yaml").write_text("id: x")
    (tmp_path / part_name("rule.yaml")).write_text("id: ")
    (tmp_path / part_name("slug")).mkdir()
    (tmp_path / part_name("slug") / "rule.yaml").write_text("id: ")
    assert list(lint_cache._files(str(tmp_path))) == [str(tmp_path / "rule.yaml")]


def test_a_file_that_a_reader_was_not_up_to_is_read_again(tmp_path: Path, counted, monkeypatch) -> None:
    (tmp_path / "pod.yaml").write_text(POD.format(name="x", image="vllm/vllm-openai:v0.28.0"))
    with monkeypatch.context() as broken:
        broken.setattr(recognise, "_read", lambda *_: 1 / 0)
        assert "could not be read" in str(lint(request(tmp_path, tmp_path / "kept")).files)
    assert work(counted, tmp_path, tmp_path / "kept")[1] == ["pod.yaml"]


def database(kept: Path) -> Path:
    (found,) = kept.glob("*.sqlite")
    return found


def _shortened(file: Path) -> None:
    file.write_bytes(file.read_bytes()[:3000])


def _overwritten(file: Path) -> None:
    content = bytearray(file.read_bytes())
    for at in range(4096, len(content), 97):
        content[at] ^= 0x55
    file.write_bytes(bytes(content))


def _other_rows(file: Path) -> None:
    junk = [b"", b"\x00", zlib.compress(b"[]"), zlib.compress(b"[[1],[2],[3],[4]]"), "text", None, 7]
    with sqlite3.connect(file) as at:
        for number, (row,) in enumerate(at.execute("SELECT rowid FROM kept").fetchall()):
            at.execute("UPDATE kept SET record = ? WHERE rowid = ?", (junk[number % len(junk)], row))
    at.close()


def _other_services(file: Path) -> None:
    with sqlite3.connect(file) as at:
        at.execute("UPDATE kept SET services = '{'")
    at.close()


def _of_everybody(file: Path) -> None:
    file.chmod(0o666)


def _a_folder(file: Path) -> None:
    file.unlink()
    file.mkdir()


@pytest.mark.parametrize(
    "spoil", [_shortened, _overwritten, _other_rows, _other_services, _of_everybody, _a_folder], ids=lambda one: one.__name__
)  # fmt: skip
def test_a_damaged_cache_is_as_none(tree: Path, tmp_path: Path, spoil: Callable[[Path], None], counted, capfd) -> None:
    kept = tmp_path / "kept"
    cold = lint(request(tree, None))
    lint(request(tree, kept))
    spoil(database(kept))
    assert work(counted, tree, kept)[0]
    assert lint(request(tree, kept)) == cold == lint(request(tree, kept))
    assert capfd.readouterr() == ("", "")
    if spoil not in (_of_everybody, _a_folder):
        assert work(counted, tree, kept) == ([], [])


def test_a_folder_that_cannot_be_written_costs_time_alone(tree: Path, tmp_path: Path) -> None:
    (tmp_path / "file").write_text("")
    assert lint(request(tree, tmp_path / "file" / "below")) == lint(request(tree, None))


def test_nobody_else_reads_what_is_kept_and_it_names_no_file_and_no_secret(tree: Path, tmp_path: Path) -> None:
    kept = tmp_path / "kept"
    report = lint(request(tree, kept))
    assert stat.S_IMODE(kept.stat().st_mode) == 0o700 and stat.S_IMODE(database(kept).stat().st_mode) == 0o600
    with sqlite3.connect(database(kept)) as at:
        rows = at.execute("SELECT record, services FROM kept").fetchall()
    at.close()
    said = "\n".join(zlib.decompress(record).decode() + services for record, services in rows)
    assert "setting-replaced" in said and len(rows) > 20
    assert str(tmp_path) in str(report) and str(tmp_path) not in said
    assert "hf_abcdef" not in said and "hf_abcdef" not in str(report)


def test_what_was_not_used_for_longest_goes_first(tree: Path, tmp_path: Path, counted, monkeypatch) -> None:
    kept = tmp_path / "kept"
    work(counted, tree / "a", kept, day=date(2026, 11, 1))
    work(counted, tree / "b", kept, day=date(2026, 11, 2))
    work(counted, tree / "a", kept, day=date(2026, 11, 3))  # used again
    with sqlite3.connect(database(kept)) as at:
        (size,) = at.execute("SELECT sum(length(record)) FROM kept").fetchone()
    at.close()
    monkeypatch.setattr(lint_cache, "MOST_BYTES", size)
    (tree / "new").mkdir()
    shutil.copy(tree / "a" / "pod.yaml", tree / "new" / "pod.yaml")
    work(counted, tree / "new", kept, day=date(2026, 11, 3))
    assert work(counted, tree / "new", kept) == work(counted, tree / "a", kept) == ([], [])
    assert work(counted, tree / "b", kept)[0]
    with sqlite3.connect(database(kept)) as at:
        assert at.execute("SELECT sum(length(record)) FROM kept").fetchone()[0] <= size
    at.close()


@pytest.fixture(scope="module")
def home(tmp_path_factory) -> Path:
    """A cache folder with the compiled catalogue, so that no process compiles it, and without results."""
    here = tmp_path_factory.mktemp("home")
    catalogue(), profiles()  # they are compiled now
    (here / "inference-advisor").mkdir()
    for one in cache_folder().glob("*.json"):
        shutil.copy(one, here / "inference-advisor")
    return here


def test_from_the_command_line_in_every_format(tree: Path, home: Path, monkeypatch) -> None:
    monkeypatch.setenv("XDG_CACHE_HOME", str(home))
    where = home / "inference-advisor" / "lint"
    cold = advisor("lint", "tree", "--format", "json", "--no-cache", cwd=tree.parent)
    assert cold.code == 1 and json.loads(cold.out)["findings"] and not where.exists()
    formats = [part for one in ("text", "json", "sarif", "github", "gitlab", "junit", "markdown") for part in ("--format", one, "--output", f"{one}.{{}}")]  # fmt: skip
    for run in ("first", "second"):
        ran = advisor("lint", "tree", *(one.format(run) for one in formats), cwd=tree.parent)
        assert (ran.code, ran.err) == (1, "") and database(where)
    assert (tree.parent / "json.second").read_text() == cold.out
    for one in tree.parent.glob("*.first"):
        assert one.read_bytes() == one.with_suffix(".second").read_bytes()


def test_two_runs_at_once_and_one_after_them(tree: Path, home: Path, tmp_path: Path) -> None:
    command = [sys.executable, "-m", "advisor", "lint", "tree", "--format", "json"]
    environment = {**os.environ, "XDG_CACHE_HOME": str(home), "PYTHONPATH": os.pathsep.join(sys.path)}
    shutil.rmtree(home / "inference-advisor" / "lint", ignore_errors=True)
    both = [
        subprocess.Popen(command, cwd=tmp_path, env=environment, stdout=subprocess.PIPE, stderr=subprocess.PIPE)
        for _ in range(2)
    ]
    said = [one.communicate(timeout=60) for one in both]
    assert said[0] == said[1] and not said[0][1]
    assert subprocess.run(command, cwd=tmp_path, env=environment, capture_output=True, check=False).stdout == said[0][0]


def test_what_is_written_of_a_file_is_read_again_as_it_was(tree: Path) -> None:
    for one in sorted(tree.rglob("*")):
        looked = lint_files.folder([one], evidence=True) if one.is_file() else []
        for each in looked:
            kept = lint_record.written(each.record)
            assert kept is not None and lint_record.read(kept, one.as_posix()) == each.record
            other = lint_record.read(kept, "elsewhere.yaml")
            assert other is not None and one.as_posix() not in str(other)


def test_half_a_character_is_not_kept() -> None:
    record = lint_files.texts((("x.yaml", b"vllm: 1"),), evidence=False)[0].record
    assert lint_record.written(lint_record.Record(record.out, comments=())) is not None
    assert lint_record.written(lint_record.Record(type(record.out)("x", "", ("\ud83d",), ()))) is None


def test_where_python_has_no_sqlite_nothing_is_kept(tree: Path, tmp_path: Path, monkeypatch) -> None:
    monkeypatch.setitem(sys.modules, "sqlite3", None)
    assert lint(request(tree, tmp_path / "kept")) == lint(request(tree, None))


def test_while_another_process_writes_nothing_is_lost(tree: Path, tmp_path: Path, counted, monkeypatch) -> None:
    kept = tmp_path / "kept"
    work(counted, tree, kept)
    monkeypatch.setattr(lint_cache, "_WAIT_S", 0)
    with sqlite3.connect(database(kept), isolation_level=None) as at:
        at.execute("BEGIN EXCLUSIVE")
        assert work(counted, tree, kept)[0]
        at.execute("COMMIT")
    at.close()
    assert work(counted, tree, kept) == ([], [])
