"""A release's sources written out in a test, in place of a wheel."""

from __future__ import annotations

from dataclasses import dataclass, field
from textwrap import dedent

from advisor.errors import UpstreamError
from advisor.upstream.arguments import Flag
from advisor.upstream.settings import Surface, read


@dataclass
class Sources:
    """Files by path."""

    files: dict[str, str] = field(default_factory=dict)

    def names(self) -> list[str]:
        """Paths of all files."""
        return list(self.files)

    def read(self, path: str) -> str:
        """One file, its common indentation taken away."""
        if path not in self.files:
            raise UpstreamError(f"no {path}")
        return dedent(self.files[path])


def surface(engine: str, **files: str) -> Surface:
    """What the reader makes of sources given as `a__b__c=text` for `a/b/c.py` (xLLM: `.cpp`)."""
    ending = ".cpp" if engine == "xllm" else ".py"
    return read(engine, "1.0.0", Sources({name.replace("__", "/") + ending: text for name, text in files.items()}))


def flags(engine: str, **files: str) -> dict[str, Flag]:
    """The flags by name."""
    return {flag.name: flag for flag in surface(engine, **files).flags}
