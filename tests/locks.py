"""`python -m tests.locks`: write `locks/`, every requirement with its version and the hashes of its files.

    locks/runtime.txt    what the command needs          locks/serve.txt, mcp.txt, docs.txt, fuzz.txt    and an extra beside it
    locks/dev.txt        what `make test` needs          locks/uv.txt                          what writes these files

One file serves every interpreter of `SERVED` and every platform: `uv pip compile --universal` writes markers where they
differ. Each holds the build backend as well, so that the project itself is installed without asking an index anything.
What stands already is kept unless pyproject.toml speaks against it; `--upgrade` takes the newest of everything.
"""

from __future__ import annotations

import re
import subprocess
import sys
import tomllib
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

from packaging.requirements import Requirement

ROOT = Path(__file__).parents[1]
PYPROJECT = ROOT / "pyproject.toml"
LOCKS = ROOT / "locks"
EXTRAS = {
    "dev": ("dev", "docs", "serve"),
    "runtime": (),
    "serve": ("serve",),
    "mcp": ("mcp",),
    "docs": ("docs",),
    "fuzz": ("fuzz",),
}
"""The extras of each lock. The first is made first, and the others agree with it."""
SERVED = ("3.11", "3.12", "3.13", "3.14")
PLATFORMS = (("linux", "x86_64"), ("linux", "aarch64"), ("darwin", "x86_64"), ("darwin", "arm64"), ("win32", "AMD64"))
UV = "uv==0.13.9"
BACKEND = ("editables~=0.3",)
"""What hatchling asks for besides, to install a checkout that can be edited."""


@dataclass(frozen=True)
class Locked:
    """One line of a lock: the version, when it applies, the hashes of its files, and what asks for it."""

    requirement: Requirement
    hashes: tuple[str, ...]
    by: tuple[str, ...]

    @property
    def name(self) -> str:
        return plain(self.requirement.name)

    @property
    def version(self) -> str:
        return str(self.requirement.specifier).removeprefix("==")

    def applies(self, environment: dict[str, str]) -> bool:
        """Whether the line counts there."""
        return self.requirement.marker is None or self.requirement.marker.evaluate(environment)


def plain(name: str) -> str:
    """A project's name as the index compares it."""
    return re.sub(r"[-_.]+", "-", name).lower()


def read(name: str) -> tuple[Locked, ...]:
    """The lines of a lock."""
    text = (LOCKS / f"{name}.txt").read_text()
    return tuple(map(_line, re.findall(r"(?m)^[\w.-]+==.*(?:\n +.*)*", text)))


def _line(text: str) -> Locked:
    head = text.partition("\n")[0].removesuffix("\\").strip()
    told = re.search(r"# via((?:\s+#?\s*.+)*)", text)
    by = re.sub(r"(?m)^\s*#?\s*", "", told[1]).split("\n") if told else []
    return Locked(Requirement(head), tuple(re.findall(r"--hash=(sha256:[0-9a-f]{64})", text)), tuple(filter(None, by)))


def environments() -> Iterator[dict[str, str]]:
    """Every interpreter and platform that the locks serve, as markers see it."""
    for version in SERVED:
        for platform, machine in PLATFORMS:
            yield {
                "python_version": version,
                "python_full_version": f"{version}.7",
                "sys_platform": platform,
                "platform_machine": machine,
                "platform_system": {"linux": "Linux", "darwin": "Darwin", "win32": "Windows"}[platform],
                "os_name": "nt" if platform == "win32" else "posix",
                "implementation_name": "cpython",
                "platform_python_implementation": "CPython",
                "extra": "",
            }


def asked(name: str) -> list[Requirement]:
    """What pyproject.toml asks for in a lock: of the project, of its extras there, and of its build."""
    told = tomllib.loads(PYPROJECT.read_text())
    extras = [one for extra in EXTRAS[name] for one in told["project"]["optional-dependencies"][extra]]
    return [Requirement(one) for one in (*told["project"]["dependencies"], *extras, *build())]


def build() -> tuple[str, ...]:
    """What building the project takes."""
    return (*tomllib.loads(PYPROJECT.read_text())["build-system"]["requires"], *BACKEND)


def write(*options: str) -> None:
    """Writes every lock, the first first."""
    LOCKS.mkdir(exist_ok=True)
    first = next(iter(EXTRAS))
    for name, extras in EXTRAS.items():
        beside = () if name == first else ("-c", f"locks/{first}.txt")
        wanted = [f"--extra={one}" for one in extras]
        _compile(name, "pyproject.toml", "-", *wanted, *beside, *options, given="\n".join(build()))
    _compile("uv", "-", given=UV)


def _compile(name: str, *words: str, given: str) -> None:
    fixed = ("--universal", f"--python-version={SERVED[0]}", "--generate-hashes", "--quiet", "--no-config")
    says = ("--custom-compile-command", "make lock", "--output-file", f"locks/{name}.txt")
    done = [sys.executable, "-m", "uv", "pip", "compile", *words, *fixed, *says]
    subprocess.run(done, cwd=ROOT, input=given, text=True, check=True, stdout=subprocess.DEVNULL)


if __name__ == "__main__":
    write(*sys.argv[1:])
