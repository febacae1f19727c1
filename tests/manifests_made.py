"""Any number of Kubernetes manifests, made of those of the corpus: the same shapes, every object with a name of its own.

Names and labels differ from file to file, for a linter that draws edges between objects would otherwise draw them
between all files, which no cluster has.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import yaml

CORPUS = Path(__file__).parent / "deployments" / "kubernetes"
A_FOLDER = 25
GIVES_NAMES = ("labels", "matchLabels", "selector")


def make(count: int, folder: Path) -> Path:
    """`count` manifests below `folder`, a few to a directory; the folder."""
    sources = [one.read_text() for one in sorted(CORPUS.glob("*.yaml")) if not one.name.endswith(".expect.yaml")]
    patterns = [_names(text) for text in sources]
    for at in range(count):
        below = folder / f"team-{at // A_FOLDER:04d}"
        below.mkdir(parents=True, exist_ok=True)
        text = patterns[at % len(sources)].sub(rf"\g<1>\g<2>-{at}", sources[at % len(sources)])
        (below / f"app-{at:05d}.yaml").write_text(text)
    return folder


def _names(text: str) -> re.Pattern[str]:
    """Where the names of a manifest's objects stand as whole values: `name: vllm`, `{app: "vllm"}`."""
    found = {name for document in yaml.safe_load_all(text) for name in _called(document)}
    names = "|".join(map(re.escape, sorted(found, key=lambda one: (-len(one), one))))
    return re.compile(rf"(?m)(:[ \t]+[\"']?)({names})(?=[\"']?[ \t\r]*(?:[,}}]|$))")


def _called(node: Any) -> Iterator[str]:
    if isinstance(node, list):
        for one in node:
            yield from _called(one)
    if not isinstance(node, dict):
        return
    for key, value in node.items():
        if key == "metadata" and isinstance(value, dict) and isinstance(value.get("name"), str):
            yield value["name"]
        if key in GIVES_NAMES and isinstance(value, dict):
            yield from (one for one in value.values() if isinstance(one, str))
        yield from _called(value)
