"""A scratch folder with what the pages speak of: manifests, logs, clones, an image; and our commands run in it.

Our commands run in this process, through the door that a user's come in by. Of the others a few run as they are, a few
are played by a file, and the rest is listed with the reason why it is not run.
"""

from __future__ import annotations

import atexit
import gc
import io
import os
import re
import shutil
import subprocess
import sys
import tarfile
import tempfile
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from functools import cache
from pathlib import Path

from advisor.faces.cli import main
from tests.ci_ground import FAULTY
from tests.docs_pages import ROOT, Pipeline
from tests.front_door import Ran
from tests.upstream.patch_clones import Repo
from tests.web.served import Served, serving

HEALTHY = ROOT / "tests" / "healthy"
REAL = {"mv", "cat", "tail"}
PLAYED = {"helm": "k8s/vllm.yaml", "pbpaste": "issue.md"}  # what they print
NOT_RUN = {
    "sh": "it runs what collect --kubectl prints; tests/test_collect_pod.py runs it",
    "make": "it builds an environment; CI runs `make check test`",
    "pip": "it installs; tests/test_package.py installs the wheel",
    "python3": "it makes an environment; tests/test_ci_recipes.py runs that page's commands",
    "git": "it takes what the command before it prints; tests/jobs/test_fix.py applies such a diff",
    ".venv/bin/pytest": "it runs tests",
    ".venv/bin/ruff": "it formats this repository",
    "podman": "it builds an image; tests/web/test_deploying.py runs what the image would start",
    "kubectl": "it needs a cluster; tests/web/test_deploying.py reads the manifest",
}
NETWORK = (["knowledge", "refresh"], ["knowledge", "verify"])  # they read the package index: only taken apart here
ENDLESS = (["advisor", "serve"],)  # as long as it serves; tests/web starts it, and so does the first curl
TOKEN = "the-token-of-the-docs"

ISSUE = """# [Bug]: vLLM 0.28.0 stops answering with pipeline parallelism

https://github.com/vllm-project/vllm/issues/99999

```
vllm serve m/x --pipeline-parallel-size 2
```

After a while requests never return. The log ends with:

```
ERROR 08-22 11:02:41 [core.py:899] TimeoutError: RPC call to sample_tokens timed out.
```
"""


class Ground:
    """The folder, made if it is not there yet; `home` is what `~` stands for."""

    def __init__(self, folder: Path) -> None:
        self.folder, self.home = folder, folder / "home"
        if not (folder / "docs").exists():
            self._furnish()

    def _furnish(self) -> None:
        folder = self.folder
        shutil.copytree(ROOT / "docs" / "demo", folder / "docs" / "demo")
        for name in ("k8s", "charts", "rules", "captures", "deploy"):
            (folder / name).mkdir()
        for name in ("k8s", "charts", "deploy"):
            shutil.copy(FAULTY, folder / name / "vllm.yaml")
        demo = folder / "docs" / "demo"
        (folder / "run.sh").write_text(
            "docker run --gpus 4 vllm/vllm-openai:v0.28.0 --model m/x --tensor-parallel-size 4\n"
        )
        shutil.copy(HEALTHY / "vllm-pp4-long-context.log", folder / "serve.log")
        shutil.copy(demo / "scheduler.log", folder / "captures")
        with tarfile.open(folder / "or.tar.gz", "w:gz") as archive:
            archive.add(demo / "scheduler.log", "scheduler.log")
        shutil.copy(HEALTHY / "metrics-vllm-1.txt", folder / "metrics.txt")
        shutil.copytree(ROOT / "rules" / "vllm" / "fork-cuda-reinit", folder / "rules" / "vllm" / "fork-cuda-reinit")
        (folder / "issue.md").write_text(ISSUE)
        (folder / "token.txt").write_text("a-token-of-this-ground")
        shutil.copytree(ROOT / "docs" / "serve", folder / "docs" / "serve")
        kept = folder / "state" / "advisor" / "diagnose" / "20261129-000000"
        kept.mkdir(parents=True)
        (kept / "answers.json").write_text(
            '{"schema": "advisor-answers/1", "options": {"engine": "sglang"}, "steps": []}'
        )
        (folder / "answers.json").write_text('{"answers": {"build": "0.5.16"}}')
        (folder / "cases.jsonl").write_text(
            '{"id": "1", "engine": "sglang", "version": "0.5.16", "launch": "--tp 8"}\n'
        )
        flags = "vllm serve Qwen/Qwen2.5-7B-Instruct -tp 8"
        before = ["check", "--engine", "vllm", "--version", "0.28.0", "--flags", flags, "--format", "json"]
        self._installed()
        self._clones()
        (folder / "before.json").write_text(self.ours(before).out)

    def _clones(self) -> None:
        for name, engine in (("our-fork", "vllm"), ("fork", "lmdeploy"), ("lmdeploy", "lmdeploy"), ("nccl", "nccl")):
            repo = Repo(self.home / "src" / name)
            sources = {"src/nccl.h.in": "\n", "makefiles/version.mk": "NCCL_MAJOR := 2\n"}
            repo.commit("Start", sources if engine == "nccl" else {f"{engine}/__init__.py": "", "setup.py": ""})
            repo.git("branch", "release")
            shutil.rmtree(repo.path / ".git" / "hooks", ignore_errors=True)  # samples, which every copy would copy

    def _installed(self) -> None:
        site = self.folder / "mnt" / "image" / "usr" / "lib" / "python3.12" / "site-packages"
        (site / "vllm-0.28.0.dist-info").mkdir(parents=True)
        (site / "vllm-0.28.0.dist-info" / "METADATA").write_text("Metadata-Version: 2.1\nName: vllm\nVersion: 0.28.0\n")
        (site / "vllm").mkdir()
        (site / "vllm" / "__init__.py").touch()

    def run(self, line: Pipeline) -> Ran:
        """What a pipeline comes to: the code of our part of it, and what it prints."""
        given = (self.folder / line.source).read_bytes() if line.source else b""
        ran = Ran(0, "", "")
        for words in line.stages:
            ran = self._stage([self._word(word) for word in words], given)
            given = ran.out.encode()
            if words[0] == "advisor" and ran.code not in (0, 1):
                return ran
        if line.target:
            (self.folder / line.target).write_text(ran.out)
        return ran

    def _stage(self, words: list[str], given: bytes) -> Ran:
        program = words[0]
        if program == "ADVISOR_LANG=zh":
            return self.ours([*words[2:], "--lang", "zh"], given)  # the option is what the variable stands for
        if program == "advisor":
            return self.ours(words[1:], given)
        if program == "curl":
            return self._asked(words)
        if program in PLAYED:
            return Ran(0, (self.folder / PLAYED[program]).read_text(), "")
        if program in REAL:
            done = subprocess.run(words, cwd=self.folder, input=given, capture_output=True, check=False)
            return Ran(done.returncode, done.stdout.decode(), done.stderr.decode())
        assert program in NOT_RUN, f"{program}: neither ours nor in the lists of tests/docs_ground.py"
        return Ran(0, given.decode(), "")

    def _asked(self, words: list[str]) -> Ran:
        """A request of the docs, to a service that is started for the first of them."""
        if shutil.which("curl") is None:
            return Ran(0, "", "")
        address = f"http://localhost:{service().port}"
        words = [word.replace("http://localhost:8000", address).replace("$ADVISOR_TOKEN", TOKEN) for word in words]
        done = subprocess.run(
            [words[0], "--fail-with-body", *words[1:]], cwd=self.folder, capture_output=True, check=False
        )
        return Ran(done.returncode, done.stdout.decode(), done.stderr.decode())

    def _word(self, word: str) -> str:
        """A word as bash would expand it, with the machine's own places put into the folder."""
        word = re.sub(r"^~(?=/)", str(self.home), word)
        word = re.sub(r"^/mnt/", f"{self.folder}/mnt/", word)
        return re.sub(r"\$\(cat ([\w./-]+)\)", lambda one: (self.folder / one[1]).read_text().rstrip("\n"), word)

    def ours(self, words: list[str], given: bytes = b"") -> Ran:
        """One of our commands, in this process."""
        limits = gc.get_threshold()
        with (
            at(self.folder),
            changed(os.environ, {"COLUMNS": "80", "NO_COLOR": "1", "XDG_STATE_HOME": str(self.folder / "state")}),
            streams(words, given) as (out, err),
            nobody_else(words),
        ):
            try:
                main()
                code = 0
            except SystemExit as stopped:
                code = int(stopped.code or 0)
            finally:
                gc.set_threshold(*limits)
                sys.stdout.flush()
                sys.stderr.flush()
        return Ran(code, out.getvalue().decode(), err.getvalue().decode())


@cache
def service() -> Served:
    """A service of these tests' own, until they end."""
    folder = tempfile.TemporaryDirectory()
    token = Path(folder.name, "token.txt")
    token.write_text(TOKEN)
    started = serving(Path(folder.name), "--workers", "1", "--token-file", str(token))
    atexit.register(folder.cleanup)
    atexit.register(started.__exit__, None, None, None)
    return started.__enter__()


@contextmanager
def at(folder: Path) -> Iterator[None]:
    before = Path.cwd()
    os.chdir(folder)
    try:
        yield
    finally:
        os.chdir(before)


@contextmanager
def changed(values: os._Environ[str], more: Mapping[str, str]) -> Iterator[None]:
    before = {name: values.get(name) for name in more}
    values.update(more)
    try:
        yield
    finally:
        for name, value in before.items():
            if value is None:
                del values[name]
            else:
                values[name] = value


@contextmanager
def nobody_else(words: list[str]) -> Iterator[None]:
    """For `collect`: no process is seen, since what else runs on this machine is not the page's."""
    from advisor.capture import processes

    before = processes.table
    if words[:1] == ["collect"]:
        processes.table = dict
    try:
        yield
    finally:
        processes.table = before


@contextmanager
def streams(words: list[str], given: bytes) -> Iterator[tuple[io.BytesIO, io.BytesIO]]:
    kept = sys.argv, sys.stdin, sys.stdout, sys.stderr
    out, err = io.BytesIO(), io.BytesIO()
    sys.argv = ["advisor", *words]
    sys.stdin = io.TextIOWrapper(io.BytesIO(given), encoding="utf-8")
    sys.stdout, sys.stderr = (io.TextIOWrapper(one, encoding="utf-8", write_through=True) for one in (out, err))
    try:
        yield out, err
    finally:
        for one in (sys.stdout, sys.stderr):
            one.detach()  # or they would close what they wrote to
        sys.argv, sys.stdin, sys.stdout, sys.stderr = kept
