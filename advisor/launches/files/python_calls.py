"""A call of an engine's Python entry point -> its launch, each keyword in its place.

    LLM(model="m", tensor_parallel_size=4, **COMMON)
    pipeline("m", backend_config=PytorchEngineConfig(tp=2), speculative_config=SpeculativeConfig(method="mtp"))
        -> settings `--tp 2` at `tp=2`, and what the profile says a PytorchEngineConfig implies

A keyword that no release of the engine knows as a flag is an argument all the same, and no setting; but for the classes
of `_CLOSED`, which take no other keywords than those they name.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, field

from advisor.launches.files.page import Page
from advisor.launches.files.python_values import Known, Made
from advisor.launches.flags import convert, flatten
from advisor.launches.overrides import FLAGS
from advisor.launches.python_code import flags_of
from advisor.launches.spelling import spell
from advisor.model.deployment import Argument
from advisor.model.fact import Value
from advisor.model.knowledge import Knowledge
from advisor.model.launch import Launch, Setting

_ENTRIES = {
    "LLM": "vllm", "AsyncLLM": "vllm", "LLMEngine": "vllm", "AsyncEngineArgs": "vllm", "EngineArgs": "vllm",
    "Engine": "sglang", "ServerArgs": "sglang", "Runtime": "sglang",
    "pipeline": "lmdeploy", "serve": "lmdeploy",
}  # fmt: skip
_MODEL = ("model", "model_path", "model_tag", "model_id")
_POSITIONAL = {"LLM", "pipeline", "serve"}
_CLOSED = {"vllm": {"LLM", "EngineArgs", "AsyncEngineArgs"}}
_OWN = {"usage_context", "stat_loggers", "engine_args", "args", "kwargs"}  # of their methods, or of subclasses


@dataclass
class Arguments:
    """What the keywords come to."""

    settings: list[Setting] = field(default_factory=list)
    arguments: list[Argument] = field(default_factory=list)
    model: str = ""
    open: bool = False


def engine_of(name: str, page: Page) -> str:
    """The engine whose entry point a dotted name is (`vllm.LLM`), or ""."""
    root, _, last = name.partition(".")[0], "", name.rpartition(".")[2]
    engine = _ENTRIES.get(last, "")
    return engine if engine in page.engines and root.partition("_")[0] == engine else ""


def launch(
    page: Page, made: Made, engine: str, release: str | None, place: tuple[int, int]
) -> tuple[Launch, Arguments]:
    """The launch that a call makes. It is complete where every keyword stands here."""
    known = page.knowledge[engine]
    found = Arguments(open=made.open)
    last = made.name.rpartition(".")[2]
    if made.positional and last in _POSITIONAL and isinstance(made.positional[0].value, str):
        first = made.positional[0]
        found.model = first.value
        found.arguments.append(Argument(first.value, page.place(first.start, first.end, "keyword"), first.known))
    _read(page, made, known, release, found, place)
    whole = not found.open and last in _ENTRIES
    made_launch = Launch(
        engine, tuple(found.settings), complete=whole, model=found.model, text=page.text, artifact=page.name,
        notes=("keywords given by `**` are not all here",) if found.open else (), server=True,
        exact=last in _ENTRIES and _is_own(made, engine),
    )  # fmt: skip
    return made_launch, found


def _is_own(made: Made, engine: str) -> bool:
    """Whether the class is the engine's, and not that of a package built on it: `vllm_omni.LLM` takes more."""
    return made.name.partition(".")[0] == engine


def _read(
    page: Page, made: Made, known: Knowledge, release: str | None, found: Arguments, place: tuple[int, int]
) -> None:
    last = made.name.rpartition(".")[2]
    found.open |= made.open
    closed = _is_own(made, known.engine) and last in _CLOSED.get(known.engine, ())
    implied = dict((known.profile.get("implies") or {}).get(last) or {})
    otherwise = implied.pop("otherwise", {})
    quote = " ".join(page.text[place[0] : place[1]].split())[:200]
    for flag, value in implied.items():
        found.settings.append(Setting(flag, value, last, page.span(*place), "derived", quote=quote))
    for name, one in made.keywords.items():
        if isinstance(one.value, Made) and one.value.name.endswith(("Config", "Args")):
            _read(page, one.value, known, release, found, (one.start, one.end))
            continue
        start = one.key if 0 <= one.key < one.end else one.start
        _add(page, last, name, one, known, release, found, (start, one.end))
        if closed:
            found.settings += _strange(page, last, name, one, known, (start, one.end))
    stated = {one.flag for one in found.settings}
    for flag, value in otherwise.items() if not made.open else ():
        if flag not in stated:
            found.settings.append(Setting(flag, value, last, page.span(*place), "default", quote=quote))


def _add(
    page: Page, call: str, name: str, one: Known, known: Knowledge, release: str | None, found: Arguments,
    place: tuple[int, int],
) -> None:  # fmt: skip
    value = one.plain()
    form = "keyword" if "=" in page.text[place[0] : one.start] else "mapping value"
    found.arguments.append(Argument(f"{name}={value}", page.place(*place, form), one.whole()))  # type: ignore[arg-type]
    if name in _MODEL and isinstance(value, str):
        found.model = found.model or value
    if name != "model":  # the command line's positional word
        found.settings += settings(page, call, name, value, known, release, place)
    if name == "extra_rollout_config" and isinstance(one.value, dict):
        for key, each in one.value.items():
            if key.startswith(f"{known.engine}_"):
                at = (each.key if each.key >= 0 else each.start, each.end)
                _add(page, "", key.removeprefix(f"{known.engine}_"), each, known, release, found, at)


def _strange(
    page: Page, call: str, name: str, one: Known, known: Knowledge, place: tuple[int, int]
) -> Iterator[Setting]:
    """The keyword as a setting that is not known, where the class would refuse it."""
    flag = "--" + name.replace("_", "-")
    told = flags_of(f"{call}.{name}", known) or flags_of(name, known)
    if name in (*_MODEL, *_OWN) or told or name.startswith("_"):
        return
    if known.canonical(flag) is None:
        quote = " ".join(page.text[place[0] : place[1]].split())
        value = one.plain()
        shown: Value = value if isinstance(value, bool | int | float | str) else _json(value)
        yield Setting(flag, shown, name, page.span(*place), "stated", *place, known=False, quote=quote)


def settings(
    page: Page, call: str, name: str, value: object, known: Knowledge, release: str | None, place: tuple[int, int]
) -> Iterator[Setting]:
    """The settings of one keyword: one for each flag it stands for, and dotted ones for a dict."""
    if value is None:
        return
    told = flags_of(f"{call}.{name}", known) or flags_of(name, known) or (f"--{name}",)
    for flag in told:
        spelled = spell(flag, known, release)
        own = any(known.canonical(each) == spelled.flag for each in (flag, flag.replace("_", "-")))
        if not spelled.known or not own:
            continue
        quote = " ".join(page.text[place[0] : place[1]].split())
        shown: Value = value if isinstance(value, bool | int | float | str) else _json(value)
        if isinstance(shown, str):
            shown = convert(shown, spelled.type)
        yield Setting(spelled.flag, shown, name, page.span(*place), "stated", *place, quote=quote)
        for dotted, each in flatten(spelled.flag, value) if isinstance(value, dict) else ():
            yield Setting(dotted, each, name, page.span(*place), "stated", *place, quote=quote)


def _json(value: object) -> str:
    import json

    return json.dumps(value, ensure_ascii=False, default=str)


def trainer(page: Page, told: dict[str, Known], release: str | None) -> tuple[Launch, Arguments] | None:
    """A trainer's `rollout` mapping, `{"name": "vllm", …}`; None when it names no engine known here."""
    name = told["name"].value if "name" in told else None
    known = page.engines.get(name) if isinstance(name, str) else None
    if known is None:
        return None
    found = Arguments()
    for key, one in told.items():
        place = (one.key if one.key >= 0 else one.start, one.end)
        if key == "engine_kwargs" and isinstance(one.value, dict) and isinstance(one.value.get(known.engine), Known):
            inner = one.value[known.engine].value
            for each_name, each in inner.items() if isinstance(inner, dict) else ():
                at = (each.key if each.key >= 0 else each.start, each.end)
                _add(page, "", each_name, each, known, release, found, at)
            continue
        for flag in FLAGS.get(key, ()):
            if spell(flag, known, release).known:
                found.settings += settings(page, "", flag.removeprefix("--"), one.plain(), known, release, place)
                break
        found.arguments.append(Argument(f"{key}={one.plain()}", page.place(*place, "mapping value"), one.whole()))
    made = Launch(known.engine, tuple(found.settings), text=page.text, artifact=page.name, server=True)
    return made, found
