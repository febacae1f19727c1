"""Slurm batch scripts -> a Deployment: read as shell, with what the `#SBATCH` lines ask for.

    #SBATCH --nodes=2
    #SBATCH --gres=gpu:8
    srun --container-image=vllm/vllm-openai:v0.28.0 vllm serve m --tensor-parallel-size 16
        -> vllm, 2 nodes of 8 GPUs each; what an `srun` line says itself wins over the batch

**Source:** sbatch(1), srun(1) and the pyxis plugin (`--container-image`).
"""

from __future__ import annotations

import re
from collections.abc import Mapping

from advisor.launches.files import script
from advisor.launches.files.around import Around, scheduler
from advisor.launches.files.page import Page
from advisor.launches.files.script import Before
from advisor.launches.words import Word
from advisor.model.deployment import Deployment
from advisor.model.knowledge import Knowledge

_DIRECTIVE = re.compile(r"(?m)^#SBATCH[ \t]+([^\r\n#]*)")  # #SBATCH --nodes=2
_TOKEN = re.compile(r"\S+")


def read(name: str, text: str, knowledge: Mapping[str, Knowledge]) -> Deployment | None:
    """What the job starts; None for a script without `#SBATCH` lines, or one that starts no engine."""
    page = Page(name, text, "slurm", knowledge)
    if not page.mentions_an_engine or not _DIRECTIVE.search(text):
        return None
    asked = requested(page)
    found = script.read(page, text, Before(around=asked))
    if not found.workloads and not any(one.kind == "unreadable" for one in found.notes):
        return None
    return Deployment(name, text, "slurm", tuple(found.workloads), unread=tuple(found.notes))


def requested(page: Page) -> Around:
    """What the `#SBATCH` lines of the file ask for."""
    asked = Around()
    for line in _DIRECTIVE.finditer(page.text):
        words = [
            Word(found.group(), found.start(), found.end())
            for found in _TOKEN.finditer(page.text, line.start(1), line.end(1))
        ]
        scheduler(page, words, asked)
    return asked
