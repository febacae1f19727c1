"""Python source -> the engines it starts: by their own classes, by a subprocess, or by a framework's configuration.

    llm = LLM(model="m", tensor_parallel_size=4)                 -> vllm, each keyword in its place
    os.environ["VLLM_USE_V1"] = "0"                              -> a variable of every launch after it
    cmd = ["vllm", "serve", MODEL]; cmd += ["--port", str(PORT)]
    subprocess.Popen(" ".join(cmd), shell=True)                  -> vllm, each word in its place
    image = modal.Image.debian_slim().uv_pip_install("vllm==0.9.1")    -> pip `vllm==0.9.1`
    @app.function(image=image, gpu=f"H100:{N_GPU}")              -> N_GPU GPUs of the launches within
    RolloutConfig(tensor_parallel_size=2, …)                     -> the engine that its own keys or variables name

Statements are followed in order, function bodies after the module's own. Where a branch hangs on something unknown,
what it adds may be missing: the launch is then not complete. Nothing runs.
"""

from __future__ import annotations

import ast
import re
import warnings
from collections import Counter
from collections.abc import Iterator, Mapping
from dataclasses import replace

from advisor.launches.files import pins as versions
from advisor.launches.files import python_calls, python_strings, requirements, script
from advisor.launches.files.page import Page
from advisor.launches.files.pins import Pin
from advisor.launches.files.python_flow import Follower, Frame, binding
from advisor.launches.files.python_values import Known, Made, Source
from advisor.launches.files.scalars import glued
from advisor.launches.files.script import Before, Found
from advisor.launches.files.started import Given, assignment, role
from advisor.launches.syntax import Command
from advisor.launches.words import Word
from advisor.model.deployment import Deployment, Form, Quantity, VersionSource, Workload
from advisor.model.fact import Note
from advisor.model.knowledge import Knowledge
from advisor.model.launch import Launch, Variable

_RUNS = {"run", "Popen", "call", "check_call", "check_output", "create_subprocess_exec", "create_subprocess_shell",
         "system", "popen", "execvp", "execv", "execvpe", "execlp", "exec_run", "run_function"}  # fmt: skip
_INSTALLS = {"pip_install", "uv_pip_install", "python_packages", "pip_packages", "uv_sync", "pip"}
_IMAGES = {"from_registry", "from_dockerhub", "from_id", "DockerImage"}
_GPU = re.compile(r"([A-Za-z][\w-]*?)!?(?::(\d+))?\Z")  # H100:2
_XTUNER = re.compile(r"XTUNER_USE_(LMDEPLOY|SGLANG|VLLM)\Z")
MAX_WORKLOADS = 256


def read(name: str, text: str, knowledge: Mapping[str, Knowledge]) -> Deployment | None:
    """What the source starts; None when it starts no engine. Source that does not parse is one note with its line."""
    page = Page(name, text, "python", knowledge)
    if not page.mentions_an_engine and "RolloutConfig" not in text:
        return None
    try:
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")
            tree = ast.parse(text.removeprefix("\ufeff"))
    except (SyntaxError, ValueError) as error:
        line = getattr(error, "lineno", None) or 1
        at = Source(text).at(line, 0)
        said = f"this is not Python that parses: {getattr(error, 'msg', None) or error}"
        return Deployment(name, text, "python", unread=(page.note("unreadable", said, at),))
    reader = _Reader(page, len(text) - len(text.removeprefix("\ufeff")))
    reader.pins_first(tree)
    reader.module(tree)
    if not reader.found.workloads and not reader.found.notes:
        return None
    return Deployment(name, text, "python", tuple(reader.found.workloads), unread=tuple(reader.found.notes))


class _Reader(Follower):
    def __init__(self, page: Page, shift: int) -> None:
        super().__init__(Source(page.text, shift))
        self.page, self.found = page, Found()
        self.pins: list[Pin] = []
        self.seen: set[int] = set()

    def pins_first(self, tree: ast.Module) -> None:
        """What images and installers pin, wherever it stands: a function may run in an image that is named below it."""
        self.pins += requirements.inline(self.page)
        frame = Frame()
        for one in tree.body:
            self.bind(one, frame)
        for node in ast.walk(tree):
            if not isinstance(node, ast.Call) or not isinstance(node.func, ast.Attribute):
                continue
            last = node.func.attr
            if last in _INSTALLS:
                self._installed(self.values.made(node, frame.scope))
            elif last in _IMAGES and (made := self.values.made(node, frame.scope)).positional:
                first = made.positional[0]
                pin = versions.of_image(
                    Word(str(first.value), first.start, first.end, first.known), self.page.knowledge
                )
                self.pins += [pin] if pin.engine else []

    def _installed(self, made: Made) -> None:
        for one in made.positional:
            for each in one.value if isinstance(one.value, list) else [one]:
                if isinstance(each.value, str) and (
                    pin := versions.requirement(each.value, each.start, self.page.knowledge)
                ):
                    self.pins.append(replace(pin, start=each.start, end=each.end))

    # what runs where

    def decorated(self, one: ast.FunctionDef | ast.AsyncFunctionDef | ast.ClassDef, frame: Frame) -> None:
        for decorator in one.decorator_list:
            if not isinstance(decorator, ast.Call):
                continue
            made = self.values.made(decorator, frame.scope)
            self._resources(made, frame)

    def _resources(self, made: Made, frame: Frame) -> None:
        gpu, told = made.keywords.get("gpu"), made.keywords.get("resources")
        if gpu is not None and isinstance(gpu.value, str) and (found := _GPU.match(gpu.value)):
            place = self.page.place(gpu.key, gpu.end, "keyword")
            frame.around.gpus = Quantity(int(found.group(2) or 1), gpu.value, place)
            frame.around.accelerators = [found.group(1)]
        elif told is not None and isinstance(told.value, dict) and (count := told.value.get("gpu")) is not None:
            if isinstance(count.value, int):
                frame.around.gpus = Quantity(
                    count.value, str(count.value), self.page.place(count.start, count.end, "keyword")
                )
            kind = told.value.get("gpu_type")
            frame.around.accelerators = [str(kind.value)] if kind is not None and kind.known else []

    # calls

    def calls(self, node: ast.AST, frame: Frame) -> None:
        """Every call within, the outermost first; functions inside (lambdas) included."""
        for one in ast.walk(node):
            if len(self.found.workloads) >= MAX_WORKLOADS:
                return
            if isinstance(one, ast.Call) and id(one) not in self.seen:
                self.seen.add(id(one))
                self._call(one, frame)
            elif isinstance(one, ast.Dict):
                self._rollout(one, frame)

    def _call(self, node: ast.Call, frame: Frame) -> None:
        made = self.values.made(node, frame.scope)
        last = made.name.rpartition(".")[2] or (node.func.attr if isinstance(node.func, ast.Attribute) else "")
        place = self.source.place(node)
        engine = python_calls.engine_of(made.name, self.page)
        if engine:
            self._launch(made, engine, place, frame)
        elif last == "RolloutConfig":
            self._rollout_config(made, place, frame)
        elif last == "LLMConfig" and "vllm" in self.page.engines and "engine_kwargs" in made.keywords:
            self._ray_serve(made, place, frame)
        elif last == "env" and made.positional and isinstance(made.positional[0].value, dict):
            for name, value in made.positional[0].value.items():  # modal.Image.env({…})
                self.set(name, value, None, frame)
        elif last in _RUNS and made.positional:
            self._run(made, last, node, frame)

    def _launch(self, made: Made, engine: str, place: tuple[int, int], frame: Frame) -> None:
        release = versions.version([one for one in self.pins if one.engine.startswith(engine)])
        self._add(*python_calls.launch(self.page, made, engine, release, place), place, frame)

    def _rollout_config(self, made: Made, place: tuple[int, int], frame: Frame) -> None:
        """XTuner's: the keys it passes through, or the variable that chooses, say which engine."""
        extra = made.keywords.get("extra_rollout_config")
        keys = list(extra.value) if extra is not None and isinstance(extra.value, dict) else []
        named = [key.partition("_")[0] for key in keys]
        named += [
            found.group(1).lower()
            for one in frame.environment
            if (found := _XTUNER.match(one.name)) and one.value == "1"
        ]
        engine = next((one for one in named if one in self.page.engines), "")
        if engine:
            self._launch(made, engine, place, frame)
        else:
            said = "RolloutConfig: which engine it starts is said outside this file"
            self.found.notes.append(self.page.note("hint", said, place[0]))

    def _ray_serve(self, made: Made, place: tuple[int, int], frame: Frame) -> None:
        told = made.keywords["engine_kwargs"].value
        given = Made("LLMConfig", [], dict(told) if isinstance(told, dict) else {}, not isinstance(told, dict))
        source = made.keywords.get("model_loading_config")
        if source is not None and isinstance(source.value, dict):
            named = source.value.get("model_source") or source.value.get("model_id")
            given.keywords.update({"model": named} if named is not None else {})
        self._launch(given, "vllm", place, frame)

    def _rollout(self, node: ast.Dict, frame: Frame) -> None:
        keys = [key.value for key in node.keys if isinstance(key, ast.Constant)]
        if id(node) in self.seen or "name" not in keys or "tensor_model_parallel_size" not in keys:
            return
        self.seen.add(id(node))
        told = self.values.of(node, frame.scope).value
        if isinstance(told, dict) and (found := python_calls.trainer(self.page, told, None)):
            self._add(*found, self.source.place(node), frame)

    def _add(self, launch: Launch, found: python_calls.Arguments, place: tuple[int, int], frame: Frame) -> None:
        given = Given(*place)
        environment = tuple(assignment(self.page, one, given) for one in frame.environment)
        variables = tuple(
            Variable(one.name, one.value, one.place.span, "stated", f"{one.name}={one.value}") for one in environment
        )
        pins = versions.latest([one for one in self.pins if one.engine and launch.engine.startswith(one.engine)])
        self.found.workloads.append(
            Workload(
                file=self.page.name,
                format="python",
                launch=replace(launch, environment=variables),
                place=self.page.place(*place, "text"),
                name=frame.name,
                role=role(launch),
                arguments=tuple(found.arguments),
                environment=environment,
                versions=tuple(VersionSource(one.kind, one.text, self.page.place(one.start, one.end)) for one in pins),
                resources=frame.around.resources(),
                accelerators=tuple(frame.around.accelerators),
                notes=tuple(self._conditions(frame, place[0])),
            )
        )

    def _conditions(self, frame: Frame, at: int) -> Iterator[Note]:
        for said in frame.conditions:
            yield self.page.note("hint", f"started {said}", at)

    # processes

    def _run(self, made: Made, last: str, node: ast.Call, frame: Frame) -> None:
        first = made.positional[0]
        items = first.value if isinstance(first.value, list) else first.parts
        if last in ("create_subprocess_exec", "execlp"):
            items = made.positional
        elif last.startswith("execv") and len(made.positional) > 1 and isinstance(made.positional[1].value, list):
            items = made.positional[1].value
        before = self._before(made, frame, self.source.place(node))
        if items is not None:
            self._words(items, before)
        elif isinstance(first.value, str):
            self._shell(first, before, frame)

    def _before(self, made: Made, frame: Frame, place: tuple[int, int]) -> Before:
        environment = list(frame.environment)
        told = made.keywords.get("env")
        if told is not None and isinstance(told.value, dict):
            names = set(told.value)
            environment = [one for one in environment if one.name not in names]
            environment += [
                binding(name, one, one.key if one.key >= 0 else one.start) for name, one in told.value.items()
            ]
        notes = tuple(self._conditions(frame, place[0]))
        around = replace(frame.around)
        return Before(tuple(environment), tuple(self.pins), around, "", frame.name, notes, {}, *place)

    def _words(self, items: list[Known], before: Before) -> None:
        words = tuple(
            Word(each.text, one.start, one.end, one.known, one.open)
            for one in items
            for each in glued(str(one.plain())) or [Word(str(one.plain()))]
        )
        if not words:
            return
        shared = Counter((one.start, one.end) for one in items)  # several words of one literal, made by a shell
        list_item: Form = "exec form"
        before.forms = {
            place: "text" if shared[place] > 1 else list_item for one in words if (place := (one.start, one.end))
        }
        start, end = before.start, before.end
        found = script.started_by(self.page, Command(words, (), (), start, end), before)
        self._taken(found)

    def _shell(self, said: Known, before: Before, frame: Frame) -> None:
        """A string for a shell: in its place where it is one literal without escapes, else as a whole."""
        shown = python_strings.shell(self.page.text, said, lambda node: self.values.of(node, frame.scope))
        if shown is not None:
            text, holes = shown
            before.start = before.end = -1
            before.known = {name: Word(str(one.value)) if one.known else None for name, one in holes.items()}
            self._taken(python_strings.named(script.read(self.page, text, before), holes))
            return
        typed, holes = python_strings.nameable(str(said.value))
        for command in script.commands(typed, before.scope()):
            words = tuple(Word(one.text, -1, -1, one.known, one.open) for one in command.words)
            given = tuple(replace(one, name_start=-1, start=-1, end=-1) for one in command.environment)
            found = script.started_by(self.page, Command(words, given, (), said.start, said.end), before)
            self._taken(python_strings.named(found, holes))

    def _taken(self, found: Found) -> None:
        self.found.workloads += found.workloads
        self.found.notes += [one for one in found.notes if one.kind != "unreadable" or found.workloads]
        self.pins = versions.latest([*self.pins, *found.pins]) if found.pins else self.pins
