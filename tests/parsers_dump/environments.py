"""A release -> what its own parser holds, in a throw-away environment that is gone when the check ends.

One virtual environment holds the libraries the command lines of all engines stand on. A release's wheel is taken from
the package index and unpacked beside it without its compiled parts, which `stand_ins` replace; nothing else of it is.
torch has to be real: the engines register operators while they are imported. Any build will do, and one for CPUs is
the least to carry (`pip` finds it at https://download.pytorch.org/whl/cpu as an extra index).
"""

from __future__ import annotations

import io
import json
import os
import re
import shutil
import subprocess
import sys
import tarfile
import zipfile
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from advisor.upstream.wheels import Index, preferred

ROOT = Path(__file__).parents[2]
TORCH = "torch==2.13.0+cpu"
# fmt: off
LIBRARIES = (
    "aiohttp", "blake3", "cachetools", "cbor2", "cloudpickle", "dill", "einops", "fastapi", "huggingface_hub", "ipython", "jinja2",
    "jsonschema", "msgspec", "numpy", "openai", "opentelemetry-api", "orjson", "packaging", "pillow", "prometheus_client",
    "psutil", "py-cpuinfo", "pybase64", "pydantic", "python-multipart", "pyyaml", "pyzmq", "regex", "requests",
    "setproctitle", "setuptools", "tqdm", "transformers", "triton", "typing_extensions", "uvicorn", "uvloop",
)
# fmt: on
NOT_UNPACKED = (".so", ".cubin", ".cu", ".cuh", ".h", ".hpp", ".a", ".bin", ".gz")


@dataclass(frozen=True)
class Environment:
    """A folder with a virtual environment in it."""

    folder: Path
    index: Index = field(default_factory=Index)

    @property
    def python(self) -> Path:
        """Its interpreter."""
        return self.folder / "libraries" / "bin" / "python"

    def prepare(self) -> None:
        """Make the environment unless it is there."""
        if not (self.folder / "prepared").exists():
            ran([str(interpreter()), "-m", "venv", str(self.folder / "libraries")])
            self._pip("install", TORCH, *LIBRARIES)
            (self.folder / "prepared").touch()

    def versions(self) -> str:
        """Those of its libraries that a result may hang on."""
        asked = "from importlib.metadata import version as v; print(*(n + ' ' + v(n) for n in sys.argv[1:]), sep=', ')"
        return ran([str(self.python), "-c", f"import sys; {asked}", "torch", "transformers", "pydantic"]).strip()

    def dumped(self, engine: str, version: str, said: Mapping[str, str | None]) -> dict[str, Any]:
        """What the release's own parser holds. `said`: each variable with the text that should act as its absence."""
        source = self._unpacked(engine, version)
        try:
            command = [str(self.python), "-m", "tests.parsers_dump.dump"]
            found: dict[str, Any] = json.loads(
                ran([*command, engine.replace("-", "_"), str(source)], json.dumps(said), self._variables())
            )
            return found
        finally:
            shutil.rmtree(source)

    def _unpacked(self, engine: str, version: str) -> Path:
        downloaded, source = self.folder / "downloaded", self.folder / f"{engine}-{version}"
        file = preferred(self.index.release(engine, version))
        if not file.is_wheel:
            sources_of(self.index.get(file.url, (0, (file.size or 0) - 1)), source)
        wheels = [f"{engine}=={version}"] if file.is_wheel else []
        if engine == "vllm-ascend":  # a plugin: 0.30.0rc2 is for vLLM 0.30.0
            wheels.append(f"vllm=={re.split('rc|[.]post', version)[0]}")
        self._pip("download", "--no-deps", "--only-binary=:all:", "-d", str(downloaded), *wheels)
        for wheel in downloaded.glob("*.whl"):
            with zipfile.ZipFile(wheel) as archive:
                archive.extractall(source, [name for name in archive.namelist() if not name.endswith(NOT_UNPACKED)])
            wheel.unlink()
        return source

    def _pip(self, *words: str) -> None:
        ran([str(self.python), "-m", "pip", words[0], "-qq", "--disable-pip-version-check", *words[1:]])

    def _variables(self) -> dict[str, str]:
        """As little of our own environment as will do: an engine's variable set here would be taken for its default."""
        kept = {name: os.environ[name] for name in ("PATH", "LANG") if name in os.environ}
        # Sets are ordered by hash, and engines build choices from them.
        fixed = {"PYTHONHASHSEED": "0", "PYTHONDONTWRITEBYTECODE": "1", "HF_HUB_OFFLINE": "1"}
        return {**kept, **fixed, "HOME": str(self.folder / "home"), "TMPDIR": str(self.folder)}


def sources_of(archive: bytes, folder: Path) -> Path:
    """The Python files of an sdist, laid out below `folder` as a wheel would be; nothing of it is built or run."""
    with tarfile.open(fileobj=io.BytesIO(archive)) as opened:
        for member in opened.getmembers():
            path = folder / member.name.partition("/")[2]
            content = opened.extractfile(member) if member.name.endswith(".py") and ".." not in member.name else None
            if content is not None:
                path.parent.mkdir(parents=True, exist_ok=True)
                path.write_bytes(content.read())
    return folder


def interpreter() -> str:
    """A Python that every release covered installs on: 3.11 or 3.12."""
    found = (shutil.which(name) for name in ("python3.12", "python3.11") if (sys.version_info[:2] > (3, 12)))
    return next((one for one in found if one), sys.executable)


def ran(command: Sequence[str], given: str = "", variables: Mapping[str, str] | None = None) -> str:
    """A command's standard output; SystemExit with the end of its complaints when it fails."""
    done = subprocess.run(command, input=given, capture_output=True, text=True, check=False, env=variables, cwd=ROOT)
    if done.returncode != 0:
        complaint = "\n".join(done.stderr.splitlines()[-12:])
        raise SystemExit(f"{Path(command[0]).name} {' '.join(command[1:4])} failed:\n{complaint}")
    return done.stdout
