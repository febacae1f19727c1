"""Trainers that start engines, as a shell line calls them -> the engine's settings and variables.

    python3 -m verl.trainer.main_ppo actor_rollout_ref.rollout.name=vllm \\
        actor_rollout_ref.rollout.tensor_model_parallel_size=2
        -> vllm, --tensor-parallel-size 2, each override in its place
    ray job submit --runtime-env-json='{"env_vars": {"NCCL_DEBUG": "INFO"}}' -- python3 train.py --sglang-enable-ep-moe
        -> the words after `--`, and NCCL_DEBUG

What a trainer sets besides is its own business, so these launches are never complete.

**Source:** verl, verl/trainer/config/rollout/rollout.yaml; Ray, `ray job submit --help` (`--runtime-env-json`).
"""

from __future__ import annotations

import json
import re
from collections.abc import Iterator, Sequence
from dataclasses import replace

from advisor.launches import overrides
from advisor.launches.files.page import Page
from advisor.launches.prose import Prose
from advisor.launches.syntax import Binding, Command
from advisor.launches.words import Word
from advisor.model.fact import Artifact
from advisor.model.launch import Launch, Setting

_ROLLOUT = re.compile(r"\+{0,2}(?:\w+\.)*rollout\.name=[\"']?(\w+)")
_MODEL = re.compile(r"\+{0,2}(?:\w+\.)*model\.path=(.+)", re.S)


def submitted(page: Page, command: Command) -> Command:
    """`ray job submit … -- COMMAND` as the command it runs, with the variables of its runtime environment."""
    texts = [word.text for word in command.words]
    if texts[:3] != ["ray", "job", "submit"]:
        return command
    given = tuple(_runtime_variables(page, command.words))
    cut = texts.index("--") + 1 if "--" in texts else 3
    return replace(command, words=command.words[cut:], environment=(*command.environment, *given))


def _runtime_variables(page: Page, words: Sequence[Word]) -> Iterator[Binding]:
    for index, word in enumerate(words):
        name, equals, value = word.text.partition("=")
        if name != "--runtime-env-json":
            continue
        carrier = word if equals else words[index + 1] if index + 1 < len(words) else word
        try:
            loaded = json.loads(value if equals else carrier.text)
        except (ValueError, RecursionError):
            return
        told = loaded.get("env_vars") if isinstance(loaded, dict) else None
        for key, said in told.items() if isinstance(told, dict) else ():
            yield _in_json(page, str(key), str(said), carrier)


def _in_json(page: Page, key: str, value: str, carrier: Word) -> Binding:
    """The variable where its pair is typed: in the word itself, else where the file has the JSON."""
    pattern = re.compile(rf"\\?\"{re.escape(key)}\\?\"\s*:\s*(\\?\"(?:[^\"\\\n]|\\.)*?\\?\"|[\w.]+)")
    found = pattern.search(page.text, max(0, carrier.start), max(0, carrier.end)) or pattern.search(page.text)
    if not found:
        return Binding(key, value, "json", -1, -1, -1)
    return Binding(key, value, "json", found.start(), found.start(1), found.end(1))


def by_overrides(page: Page, command: Command, release: str | None) -> Launch | None:
    """The launch that a trainer's Hydra overrides describe; None when they choose no engine known here."""
    engine = next((found.group(1) for word in command.words if (found := _ROLLOUT.match(word.text))), "")
    known = page.engines.get(engine)
    if known is None:
        return None
    settings: list[Setting] = []
    model = ""
    for word in command.words:
        if found := _MODEL.match(word.text):
            model = found.group(1)
        prose = Prose(Artifact(page.name, "text", word.text))
        for one, _, _ in overrides.read(prose, known, release):
            place = (word.start, word.end) if word.start >= 0 else (-1, -1)
            settings.append(replace(one, span=page.span(*place), start=place[0], end=place[1], quote=word.text))
    return Launch(engine, tuple(settings), model=model, text=page.text, artifact=page.name, server=True)
