"""The corpus in tests/deployments: its pairs, how they are read and compared, and the table in its README.md.

`python -m tests.deployment_pairs` writes the table.

A pair is a file and, beside it, `FILE.expect.yaml`. `same/` and `broken/` have expectations of their own.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from functools import cache
from pathlib import Path
from typing import Any

import yaml

from advisor.catalog.engines import engines, knowledge
from advisor.launches.files.recognise import read_file
from advisor.model.deployment import Deployment, Workload
from advisor.model.launch import Setting

ROOT = Path(__file__).resolve().parent / "deployments"
README = ROOT / "README.md"
START, END = "<!-- table: written by tests/deployment_pairs.py -->", "<!-- end of table -->"
SUFFIX = ".expect.yaml"
KNOWLEDGE = {one: knowledge(one) for one in engines()}


def pairs() -> Iterator[tuple[Path, dict[str, Any]]]:
    """Every deployment file with what is expected of it, by path."""
    for beside in sorted(ROOT.rglob(f"*{SUFFIX}")):
        file = beside.with_name(beside.name.removesuffix(SUFFIX))
        if file.name:
            yield file, yaml.safe_load(beside.read_text())


def name_of(file: Path) -> str:
    """A file as the corpus calls it: its path in `tests/deployments`."""
    return str(file.relative_to(ROOT))


@cache
def read(file: Path) -> Deployment:
    """What is read in a file of the corpus."""
    return read_file(name_of(file), file.read_bytes(), KNOWLEDGE)


def split(setting: Setting, workload: Workload) -> bool:
    """Whether a JSON value is shown key by key as well: then the keys are compared."""
    return any(one.flag.startswith(setting.flag + ".") for one in workload.launch.settings)


def plain(value: object) -> str:
    """A value as it is compared: numbers by their worth, truth in small letters, else the text."""
    text = str(value)
    return (
        f"{float(text):g}"
        if re.fullmatch(r"-?\d+(\.\d+)?", text)
        else text.lower()
        if text in ("True", "False")
        else text
    )


def table() -> str:
    """The corpus as a Markdown table, a row a file."""
    rows = ["| file | format | engine | version | what it is for |", "|---|---|---|---|---|"]
    for file, expected in pairs():
        engines = sorted({one["engine"] for one in expected["workloads"] if "engine" in one})
        versions = [source["text"] for one in expected["workloads"] for source in one.get("versions", ())]
        cells = (
            f"`{name_of(file)}`",
            expected["format"],
            ", ".join(engines) or "-",
            "<br>".join(f"`{one}`" for one in dict.fromkeys(versions)) or "none",
            " ".join(str(expected["for"]).split()),
        )
        rows.append("| " + " | ".join(cell.replace("|", "\\|") for cell in cells) + " |")
    return "\n".join(rows)


def written(text: str) -> str:
    """README.md with the table as it is now."""
    head, _, rest = text.partition(START)
    return f"{head}{START}\n{table()}\n{END}{rest.partition(END)[2]}"


if __name__ == "__main__":
    README.write_text(written(README.read_text()))
