"""A command's words -> the Launch of the engine they start, or None when they start none.

    vllm serve MODEL --tensor-parallel-size 8              -> vllm, model MODEL
    python3 -m sglang.launch_server --model-path M --tp 8  -> sglang
    "$BIN" --nnodes=2 --enable_shm=true                    -> xllm, by its flags
    docker run … vllm/vllm-openai:v0.11.0 --model M        -> vllm, by its image

Which words mean which engine is data: `commands`, `modules`, `images`, `binaries`, `model_flags` and `flag_style` of
`knowledge/<engine>/engine.yaml`.
"""

from __future__ import annotations

import re
from bisect import bisect_left
from collections.abc import Mapping, Sequence
from dataclasses import replace
from functools import cache, cached_property, lru_cache

from advisor.launches.flags import Parsed, Place, parse
from advisor.launches.shell import Binding, Command, Word
from advisor.launches.spelling import looks_like_flag, spell
from advisor.launches.wrappers import PYTHON, base
from advisor.model.condition import as_word
from advisor.model.fact import Span
from advisor.model.knowledge import Knowledge
from advisor.model.late import dataclass
from advisor.model.launch import Launch, Variable
from advisor.model.shape import Shape

ENGINE_VARIABLES = Shape(
    r"(?:VLLM|SGLANG|SGL|NCCL|HCCL|LMDEPLOY|XLLM|DEEPEP|DEEP_EP|TORCH|PYTORCH|CUDA|ASCEND|GLOO|NVSHMEM|UCX|MOONCAKE"
    r"|TASK_QUEUE)_[A-Z0-9_]+\Z"
)  # NCCL_DEBUG
CONFIG_FILES = {"--config", "--config-file", "--config_file", "--config_json_file", "--flagfile"}
_NOT_STARTERS = {
    "echo", "printf", "grep", "rg", "pkill", "kill", "killall", "pip", "pip3", "uv", "ps", "cat", "tee", "curl", "git",
    "which", "man", "pgrep", "sed", "awk", "ls", "cd", "source", "trap", "test", "evalscope", "py-spy", "[", "[[",
}  # fmt: skip
_DYNAMO = Shape(r"dynamo\.(\w+)(?:\.main)?\Z")  # python3 -m dynamo.vllm
_PROGRAM = Shape(
    r"(?:.*/)?(?:bash|sh|zsh|python[\d.]*|torchrun|ray|nvidia-smi|sleep|tail|env|exec|serve|bench|chat|vllm|sglang|lmdeploy|xllm"
    r"|[\w.-]+\.(?:sh|py))\Z|.*\s"
)  # what may follow an image and is no model
_STRAY = 200  # characters shown of a word that is no flag
_HELP = {"--help", "-h"}
NODE_RANK = {"--node-rank", "--node_rank"}
_WORDS = {"with", "and", "on", "plus", "using", "under", "but", "in", "for"}  # vllm serve ... --tp 2 with MTP
_MODEL_LIKE = Shape(r"[/\\\d$<_.-]")


@dataclass(frozen=True, slots=True)
class Recognised:
    """An engine's command among words: its arguments start at `arguments`. `exact` says that it is one that serves."""

    engine: str
    arguments: int
    exact: bool = True


@dataclass(frozen=True)
class Source:
    """Where a launch's text comes from: `text` starts on line `first_line` of the artifact `name`."""

    text: str
    name: str
    first_line: int = 1

    def span(self, start: int, end: int) -> Span | None:
        """The span of characters of `text`; None when they are nowhere in it."""
        if start < 0:
            return None
        if "\n" not in self.text:
            return self._only_line
        line, last = bisect_left(self.breaks, start), bisect_left(self.breaks, max(start, end - 1))
        return Span(self.name, self.first_line + line, self.first_line + last)

    @cached_property
    def _only_line(self) -> Span:
        return Span(self.name, self.first_line, self.first_line)

    @cached_property
    def breaks(self) -> list[int]:
        """Where the lines of the text end."""
        return [found.start() for found in re.finditer("\n", self.text)]

    def place(self) -> Place:
        """For the reader of flags."""
        return Place(self.text, self.span)


@cache
def phrases(knowledge: Knowledge, key: str) -> list[list[str]]:
    """A list of the engine's profile, each entry as a list of words; asked for at every word of a command line."""
    return [[one] if isinstance(one, str) else [str(word) for word in one] for one in knowledge.profile.get(key) or ()]


def image_engine(image: str, knowledge: Mapping[str, Knowledge]) -> str | None:
    """The engine whose image this is, whatever registry, tag or digest: `docker.io/vllm/vllm-openai:v0.11.0`."""
    name = image.split("@", 1)[0]
    head, _, last = name.rpartition("/")
    name = "/".join(part for part in (head, last.split(":", 1)[0]) if part)
    for engine, known in knowledge.items():
        if any(name == one or name.endswith("/" + one) for (one, *_) in phrases(known, "images")):
            return engine
    return None


def recognise(command: Command, knowledge: Mapping[str, Knowledge], engine: str | None) -> Recognised | None:
    """The engine that a command starts, or None."""
    words = command.words
    if words and base(words[0].text) in _NOT_STARTERS and [word.text for word in words[:2]] != ["uv", "run"]:
        return None
    heads = _heads(tuple(knowledge.values()))
    for at, word in enumerate(words):
        if word.text != "-m" and not word.text.endswith(".py") and base(word.text) not in heads:
            continue
        for name, known in knowledge.items():
            if found := _starts(words, at, known):
                return Recognised(name, *found)
    if command.image and (name_ := image_engine(command.image, knowledge)):
        return Recognised(name_, 0, not words or _takes_arguments(words))
    return _by_flags(command, knowledge, engine)


@lru_cache(maxsize=8)
def _heads(knowledge: tuple[Knowledge, ...]) -> frozenset[str]:
    """What the commands and binaries of the engines are called."""
    named = [phrase[0] for known in knowledge for phrase in phrases(known, "commands")]
    return frozenset([*named, *(base(one) for known in knowledge for (one, *_) in phrases(known, "binaries"))])


def _takes_arguments(words: Sequence[Word]) -> bool:
    """Whether the words after an image are its server's arguments: flags, or a model with flags behind it."""
    at = 0 if looks_like_flag(words[0].text.partition("=")[0]) or _PROGRAM.match(words[0].text) else 1
    return at == len(words) or looks_like_flag(words[at].text.partition("=")[0])


def _starts(words: Sequence[Word], at: int, known: Knowledge) -> tuple[int, bool] | None:
    """Where the arguments start when the engine's command stands at `at`, and whether that command serves."""
    head = base(words[at].text)
    for phrase in phrases(known, "commands"):
        if head == phrase[0] and [word.text for word in words[at + 1 : at + len(phrase)]] == phrase[1:]:
            return at + len(phrase), True
    if any(head == base(one) for (one, *_) in phrases(known, "binaries")) and at + 1 < len(words):
        follows = words[at + 1].text.partition("=")[0]
        return (at + 1, True) if looks_like_flag(follows) and (at == 0 or "/" in words[at].text) else None
    if words[at].text == "-m" and at + 1 < len(words) and at and looks_like_starter(words, at):
        module = words[at + 1].text
        by_dynamo = _DYNAMO.match(module)
        if module in _modules(known) or (by_dynamo and by_dynamo.group(1) == known.engine):
            return at + 2, True
        if module.split(".")[0] == known.engine:
            return at + 2, False
    if words[at].text.endswith(".py"):
        dotted = words[at].text[:-3].replace("/", ".")
        if any("." in one and (dotted == one or dotted.endswith("." + one)) for one in _modules(known)):
            return at + 1, True
    return None


def _modules(known: Knowledge) -> list[str]:
    return [one for (one, *_) in phrases(known, "modules")]


def looks_like_starter(words: Sequence[Word], at: int) -> bool:
    """Whether some word before `at` runs a Python module: `python3 -u -m`, `torchrun … -m`, `"$PYTHON" -m`."""
    return any(PYTHON.match(base(word.text)) or base(word.text) == "torchrun" or not word.known for word in words[:at])


def _by_flags(command: Command, knowledge: Mapping[str, Knowledge], engine: str | None) -> Recognised | None:
    """`"$BIN" --enable_shm=true …`, or a framework's `--sglang-…` flags: the engine that knows most of the flags."""
    words = command.words
    if len(words) < 2:
        return None
    start = next((at for at, word in enumerate(words) if looks_like_flag(word.text.partition("=")[0])), len(words))
    typed = [word.text.partition("=")[0] for word in words[start:] if looks_like_flag(word.text.partition("=")[0])]
    for name in knowledge:
        if sum(flag.startswith((f"--{name}-", f"--{name}_")) for flag in typed) >= 2:
            return Recognised(name, start, False)
    if words[0].known or start != 1 or not typed:
        return None
    counts = {name: sum(spell(flag, known, None).known for flag in typed) for name, known in knowledge.items()}
    best = max(counts, key=lambda name: (counts[name], name == engine), default="")
    alone = best and all(counts[best] > count or best in (name, engine) for name, count in counts.items())
    wanted = 1 if best == engine else 3
    return Recognised(best, 1) if alone and counts[best] >= wanted else None


def read(
    command: Command, knowledge: Mapping[str, Knowledge], engine: str | None, version: str | None, source: Source
) -> tuple[Launch, Parsed] | None:
    """The launch that a command makes and what its words were parsed into, or None when it starts no engine."""
    found = recognise(command, knowledge, engine)
    if found is None:
        return None
    known = knowledge.get(found.engine)
    parsed = parse(command.words[found.arguments :], known, version, source.place())
    model = _model(parsed, known, found)
    serves = found.exact
    launch = assemble(command, parsed, found.engine, known, source, model, complete=serves, server=serves, exact=serves)
    return left_to_dynamo(launch, command, found), parsed


def left_to_dynamo(launch: Launch, command: Command, found: Recognised) -> Launch:
    """A launch by `python3 -m dynamo.vllm …` without the flags that no release of the engine has: they are Dynamo's.

    The rest goes through the engine's own parser, so an absent flag has the engine's default, but for what concerns KV
    events, log statistics and the scheduler class. Dynamo components/src/dynamo/vllm/args.py at 000a36a7399a,
    …/sglang/args.py at 010ba7526f5a, read 2026-11-29.
    """
    own = [one.typed for one in launch.settings if not one.known]
    if not own or not found.arguments or not _DYNAMO.match(command.words[found.arguments - 1].text):
        return launch
    note = f"not {launch.engine}'s flags, left to Dynamo: {' '.join(own)}"
    kept = tuple(one for one in launch.settings if one.known)
    return replace(launch, settings=kept, notes=(*launch.notes, note))


def _model(parsed: Parsed, known: Knowledge | None, found: Recognised) -> str:
    """The model named by a flag, else the first positional word, which then is no stray."""
    flags = [one for (one, *_) in phrases(known, "model_flags")] if known else []
    for one in reversed(parsed.settings):
        if (one.flag in flags or one.typed in flags) and isinstance(one.value, str):
            return one.value
    if parsed.strays and found.exact and not (parsed.elided and parsed.strays[0].text in _WORDS):
        return parsed.strays.pop(0).text
    return ""


def assemble(
    command: Command,
    parsed: Parsed,
    engine: str,
    known: Knowledge | None,
    source: Source,
    model: str,
    *,
    complete: bool,
    server: bool = True,
    exact: bool = False,
) -> Launch:
    """The launch noun. It is complete only when nothing of the command line can be missing."""
    notes, config = (
        list(parsed.notes),
        [one for one in parsed.settings if one.flag in CONFIG_FILES or one.typed in CONFIG_FILES],
    )
    notes += [f"what {one.value} sets is not here: `{one.typed}` names a file" for one in config]
    if parsed.strays:
        strays = (as_word(one.text[:_STRAY]) + "…" * (len(one.text) > _STRAY) for one in parsed.strays[:6])
        notes.append(f"not read as flags: {' '.join(strays)}")
    whole = complete and not (config or parsed.strays or parsed.elided)
    rank = next(
        (str(one.value) for one in reversed(parsed.settings) if one.flag in NODE_RANK or one.typed in NODE_RANK), None
    )
    variables = [_variable(one, source) for one in command.environment]
    for one in command.assigned:
        if ENGINE_VARIABLES.match(one.name) or (known and one.name in known.variables()):
            variables.append(_variable(one, source))
            notes.append(f"{one.name} is assigned but not exported; taken as meant for the engine")
    return Launch(
        engine=engine,
        settings=tuple(parsed.settings),
        environment=tuple(variables),
        complete=whole,
        model=model,
        image=command.image,
        text=source.text,
        artifact=source.name,
        rank=rank,
        notes=tuple(dict.fromkeys(notes)),
        server=server,
        exact=exact,
        valueless=tuple(parsed.valueless),
    )


def _variable(binding: Binding, source: Source) -> Variable:
    quote = (
        source.text[binding.name_start : binding.end] if binding.name_start >= 0 else f"{binding.name}={binding.value}"
    )
    return Variable(
        binding.name, binding.value, source.span(binding.name_start, binding.end), "stated", " ".join(quote.split())
    )


def reads_as_command(launch: Launch, parsed: Parsed) -> bool:
    """Whether words that begin like a command are one, and not a sentence: `vllm serve hangs after a while` is not."""
    if any(one.typed in _HELP for one in launch.settings):
        return False
    if launch.settings or launch.image or launch.valueless:
        return True
    return not parsed.strays and bool(_MODEL_LIKE.search(launch.model))
