"""One command of a text file, its wrappers peeled -> the Workload it starts, each word and variable in its place.

    NCCL_DEBUG=INFO vllm serve m --tensor-parallel-size 8
        -> arguments `vllm`, `serve`, `m`, `--tensor-parallel-size`, `8`; variable NCCL_DEBUG; the launch of vLLM

A benchmark client, an image started with a shell, or an engine's module that serves nothing starts no workload: None.
"""

from __future__ import annotations

import re
from collections.abc import Collection, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace

from advisor.launches import command_line
from advisor.launches.command_line import ENGINE_VARIABLES, NODE_RANK
from advisor.launches.files.around import Around
from advisor.launches.files.others import starts_other
from advisor.launches.files.page import Page
from advisor.launches.files.pins import Pin, called, latest, version
from advisor.launches.files.trainers import by_overrides, submitted
from advisor.launches.syntax import Binding, Command
from advisor.launches.words import Word
from advisor.model.deployment import Argument, Assignment, Form, Place, VersionSource, Workload
from advisor.model.fact import Note
from advisor.model.launch import Launch, Setting, Variable

_CONTAINER_PREFIX = re.compile(r"(?:SINGULARITY|APPTAINER)ENV_")
_ENTRY = re.compile(
    r"(?:\bexport[ \t]+|(?i:^[ \t]*ENV[ \t]+)|\bset[ \t]+|(?<!\S)(?:-e|--env|-x)(?:[ \t]+|=|[ \t]*\\\r?\n[ \t]*))\Z",
    re.M,
)
_FLAG_AND_VALUE = re.compile(r"--?[A-Za-z][\w.-]*=")
_KV_ROLE = {"kv_producer": "prefill", "kv_consumer": "decode"}


@dataclass
class Given:
    """What is known of a command beside its words. `start`..`end` are the whole command's, wrappers included."""

    start: int
    end: int
    around: Around = field(default_factory=Around)
    pins: Sequence[Pin] = ()
    kind: str = ""
    name: str = ""
    form: Form = "shell word"
    forms: Mapping[tuple[int, int], Form] = field(default_factory=dict)
    notes: tuple[Note, ...] = ()


def workload(page: Page, command: Command, given: Given) -> Workload | None:
    """The workload that the command starts, or None when it starts no engine's server."""
    unexported = () if given.around.image is not None else command.assigned
    command = replace(command, environment=tuple(_environment(command, given.around)), assigned=())
    release = version(given.pins)
    words = tuple(_closed(one) for one in command.words if not _is_rest(page, one))
    command = submitted(page, replace(command, words=words))
    launch = _launch(page, command, release)
    if launch is None:
        return None
    command = _bare(page, command)
    launch = replace(launch, engine=called(launch.engine, given.pins))
    pins = latest([one for one in given.pins if one.engine and launch.engine.startswith(one.engine)])
    environment = tuple(_assignments(page, command, given))
    around = given.around
    return Workload(
        file=page.name,
        format=page.format,
        launch=_finished(launch, around, environment),
        place=page.place(given.start, given.end, "text"),
        kind=given.kind,
        name=given.name or around.name,
        role=role(launch, [one.text for one in command.words]),
        arguments=tuple(argument(page, word, given) for word in command.words),
        environment=environment,
        versions=tuple(VersionSource(one.kind, one.text, _pin_place(page, one, given)) for one in pins),
        resources=around.resources(),
        nodes=around.nodes,
        probes=tuple(around.probes),
        grace=around.grace,
        capabilities=tuple(dict.fromkeys(around.capabilities)),
        host_pid=around.host_pid,
        accelerators=tuple(dict.fromkeys(around.accelerators)),
        notes=(*given.notes, *around.notes, *_not_exported(page, unexported, launch)),
    )


def _launch(page: Page, command: Command, release: str | None) -> Launch | None:
    if _is_another_product(page, command):
        return None
    made = command_line.read(command, page.engines, None, release, page.source)
    if made is None:
        return by_overrides(page, command, release)
    if _is_bare_entry(page, command):  # ENTRYPOINT ["vllm", "serve"]: its arguments come where the image is run
        return replace(made[0], complete=False)
    if not command_line.reads_as_command(*made) or not _serves(page, command, made[0]):
        return None
    made = (_with_rest(page, command, made[0]), made[1])
    prefixes = (f"--{made[0].engine}-", f"--{made[0].engine}_")
    passed = tuple(one for one in made[0].settings if one.typed.startswith(prefixes))
    return replace(made[0], settings=passed, model="") if len(passed) > 1 else made[0]  # the rest is the trainer's own


def _is_another_product(page: Page, command: Command) -> bool:
    """Whether the image or the program is a router's, a sidecar's or the like, and no engine is served by it."""
    if not (page.is_other(command.image) or starts_other(command.words)):
        return False
    found = command_line.recognise(command, page.engines, None)
    return found is None or not found.exact


def _is_bare_entry(page: Page, command: Command) -> bool:
    found = command_line.recognise(command, page.engines, None) if page.format == "dockerfile" else None
    return found is not None and found.exact and 0 < found.arguments == len(command.words)


def _with_rest(page: Page, command: Command, launch: Launch) -> Launch:
    """A list that goes on with words not known (`--cuda-graph-bs 1 2 $(seq 8 8 64)`) has a value not known."""
    following = {one.end: after for one, after in zip(command.words, command.words[1:], strict=False)}
    known = page.engines.get(launch.engine)
    settings: list[Setting] = []
    for one in launch.settings:
        after, record = following.get(one.end), known.setting(one.flag, None) if known else None
        if after is not None and after.open and record is not None and record.kind == "list" and one.start >= 0:
            one = replace(one, value=f"{one.value} {after.text}", end=max(one.end, after.end))
        settings.append(one)
    return replace(launch, settings=tuple(settings))


def _is_rest(page: Page, word: Word) -> bool:
    """The grammar cuts `> $DIR/node_$i.log` in two, and its end looks like a word of the command."""
    return word.start > 0 and page.text[word.start - 1] == "$"


def _closed(word: Word) -> Word:
    """`--node_rank=$rank` is one word: only what stands alone (`$EXTRA_ARGS`) may be several."""
    return replace(word, open=False) if word.open and _FLAG_AND_VALUE.match(word.text) else word


def _bare(page: Page, command: Command) -> Command:
    """The command without the carrier in front of it: `srun -N2 vllm serve m` -> `vllm serve m`."""
    found = command_line.recognise(command, page.engines, None)
    if found is None or not found.exact:
        return command
    last = found.arguments
    for at in range(last - 1, 0, -1):
        rest = replace(command, words=command.words[at:])
        again = command_line.recognise(rest, page.engines, None)
        if again is not None and again.exact and again.arguments == last - at and again.engine == found.engine:
            return rest
    return command


def _not_exported(page: Page, assigned: Sequence[Binding], launch: Launch) -> Iterator[Note]:
    known = page.knowledge.get(launch.engine)
    for one in assigned:
        used = re.search(rf"\$\{{?{one.name}\b", page.text)
        if used or not (ENGINE_VARIABLES.match(one.name) or (known and one.name in known.variables())):
            continue
        said = f"{one.name} is assigned but not exported: the engine does not get it"
        yield page.note("hint", said, max(0, one.name_start))


def _pin_place(page: Page, one: Pin, given: Given) -> Place:
    return page.place(one.start, one.end) if one.start >= 0 else page.place(given.start, given.end, "text")


def _serves(page: Page, command: Command, launch: Launch) -> bool:
    """Whether the launch is a server's: not `python -m sglang.bench_serving`, not `docker run IMAGE bash`."""
    found = command_line.recognise(command, page.engines, None)
    if not command.words[:1] or found is None or found.exact:
        return not (command.words[:1] and not command.words[0].known and command.words[0].text.endswith((".sh", ".py")))
    modules = [after.text for word, after in zip(command.words, command.words[1:], strict=False) if word.text == "-m"]
    if any(one.split(".")[0] == found.engine for one in modules):
        return False
    return any(one.known for one in launch.settings)


def _environment(command: Command, around: Around) -> Iterator[Binding]:
    """The command's variables as the engine sees them."""
    listed = {one.name for one in around.bindings}
    hpc = around.image is not None
    for one in command.environment:
        if one.how == "carried" and one.name in listed and "," in one.value:
            continue  # `--env A=1,B=2`, taken apart in `around`
        name = _CONTAINER_PREFIX.sub("", one.name) if hpc else one.name
        yield replace(one, name=name) if name != one.name else one
    yield from around.bindings


def _finished(launch: Launch, around: Around, environment: Sequence[Assignment]) -> Launch:
    variables = tuple(
        Variable(one.name, one.value, one.place.span, "stated", f"{one.name}={one.value}") for one in environment
    )
    image = launch.image or (around.image.text if around.image else "")
    rank = None if launch.rank and ("$" in launch.rank or "`" in launch.rank) else launch.rank
    return replace(launch, environment=variables, image=image, rank=rank)


def argument(page: Page, word: Word, given: Given) -> Argument:
    """A word as the engine gets it; one that is typed nowhere as such stands where its command does."""
    if word.start >= 0:
        form = given.forms.get((word.start, word.end), given.form)
        return Argument(word.text, page.place(word.start, word.end, form), word.known and not word.open)
    return Argument(word.text, page.place(given.start, given.end, "text"), word.known and not word.open)


def _assignments(page: Page, command: Command, given: Given) -> Iterator[Assignment]:
    for one in command.environment:
        yield assignment(page, one, given)
    for word in given.around.passed:
        place = page.place(word.start, word.end) if word.start >= 0 else page.place(given.start, given.end, "text")
        yield Assignment(word.text, f"${word.text}", place, None, False)


def assignment(page: Page, one: Binding, given: Given) -> Assignment:
    """A variable with its whole entry: `export NAME=value` or `-e NAME=value` where these words are its own."""
    if one.name_start < 0:
        return Assignment(one.name, one.value, page.place(given.start, given.end, "text"), None, _known(page, one))
    start, end = one.start, one.end
    quoted = page.text[one.name_start : one.name_start + 1] in ("'", '"') and page.text[start : start + 1] == "="
    if quoted:  # -e "NAME=value": the value stands between `=` and the closing quote
        start, end = start + 1, end - 1
    elif one.how == "unit" and page.text[end - 1 : end] in ("'", '"'):  # "NAME=value" of a systemd unit
        end -= 1
    entry = _entry_start(page.text, one) if one.how in ("export", "docker", "carried", "env") else one.name_start
    value = page.place(start, end) if 0 <= start <= end else None
    return Assignment(one.name, one.value, page.place(entry, one.end), value, _known(page, one))


def _entry_start(text: str, one: Binding) -> int:
    head = _ENTRY.search(text, max(0, one.name_start - 200), one.name_start)
    if head is None:
        return one.name_start
    rest = text[one.end : (text.find("\n", one.end) + 1 or len(text) + 1) - 1]
    alone = one.how not in ("export", "env") or re.match(r"[ \t\r]*(?:[;#&|)}]|\Z)", rest)
    return head.start() if alone else one.name_start


def _known(page: Page, one: Binding) -> bool:
    if "$" not in one.value and "`" not in one.value:
        return True
    return one.start >= 0 and "'" in page.text[one.name_start : one.start + 1]


def phase(launch: Launch, words: Collection[str]) -> str:
    """Whether the launch's own flags, or those that it leaves to Dynamo, say prefill or decode; ""."""
    if told := [one for one in ("prefill", "decode") if f"--is-{one}-worker" in words]:
        return told[0]
    mode = next((one.value for one in launch.settings if one.flag == "--disaggregation-mode"), None)
    if mode in ("prefill", "decode"):
        return str(mode)
    if launch.engine == "lmdeploy" and (said := launch.setting("--role")) is not None:
        return {"prefill": "prefill", "decode": "decode"}.get(str(said.value).lower(), "")
    if (kv := launch.setting("--kv-transfer-config.kv_role")) is not None and str(kv.value) in _KV_ROLE:
        return _KV_ROLE[str(kv.value)]
    return ""


def role(launch: Launch, words: Collection[str] = ()) -> str:
    """What part the launch plays, as far as its own flags say: prefill, decode, leader, worker or ""."""
    if part := phase(launch, words):
        return part
    if launch.setting("--headless") is not None:
        return "worker"
    rank = next((one for one in reversed(launch.settings) if one.flag in NODE_RANK or one.typed in NODE_RANK), None)
    if rank is None or not str(rank.value).isdigit():
        return ""
    return "leader" if str(rank.value) == "0" else "worker"
