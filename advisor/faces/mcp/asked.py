"""What each tool takes, under the names that the command line has: the schema a client sees, and what checks a call."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Annotated, Any, Literal, TypeVar

from pydantic import BaseModel, BeforeValidator, ConfigDict, Field, ValidationError

from advisor.errors import UsageError
from advisor.faces.evidence import ENGINES

CHOICES = ["vllm", "vllm-ascend", "sglang", "lmdeploy", "xllm"]
MOST_NAMED = 200  # texts, and files and folders, that one call may name
TEXT_BYTES = 64 << 20  # of all texts of a call together


def _several(given: object) -> object:
    """One text where several may be given stands for a list of one."""
    return [given] if isinstance(given, str) else given


Texts = Annotated[tuple[str, ...], BeforeValidator(_several)]
Engine = Annotated[str, Field(description=f"{ENGINES}.", json_schema_extra={"enum": CHOICES})]
Detail = Annotated[
    Literal["brief", "full"],
    Field(description="brief keeps what to act on; full is all there is, often 100 kB. Start with brief."),
]
Lang = Annotated[Literal["en", "zh"], Field(description="Language of the text; structured content stays as it is.")]


class Asked(BaseModel):
    """What every tool's arguments have in common: names that are not known are refused."""

    model_config = ConfigDict(extra="forbid", frozen=True)


class Text(Asked):
    """A piece of evidence, handed over as it is."""

    name: str = Field(description="What to call it in the report, such as rank0.log or k8s/vllm.yaml.", min_length=1)
    content: str = Field(description="The text, unabridged: the lines that look dull often decide.")
    kind: Literal["", "log", "stack"] = Field("", description="Leave empty: the kind is told by content.")


Given = Annotated[
    tuple[Text, ...],
    Field(max_length=MOST_NAMED, description="Evidence inline: logs, stacks, scripts, manifests, pastes."),
]
Named = Annotated[
    Texts,
    Field(
        max_length=MOST_NAMED,
        description="Paths of files or folders below the roots that the server was started with. Prefer them to texts "
        "for large files: nothing is copied through you.",
    ),
]


class Check(Asked):
    """Arguments of `check`."""

    model_config = ConfigDict(
        json_schema_extra={
            "examples": [
                {"engine": "sglang", "version": "0.5.16", "flags": ["--tp 2 --nnodes 2"], "symptom": ["requests hang"]},
                {"files": ["captures/"], "said": ["fact:symptom.under_load=yes"]},
            ]
        }
    )

    engine: Engine = ""
    version: str = Field("", description="Version, commit, version+gSHA or image reference.", examples=["0.5.16"])
    flags: Texts = Field(
        (),
        description="The launch command as it was run, or the flags that are known; one a rank or role.",
        examples=[["python -m sglang.launch_server --model-path m/x --tp 2"]],
    )
    complete: bool = Field(
        False,
        description="True only when flags without a command are every flag there is: then one that is absent has its "
        "release's default and failures are ruled out by it. A whole command counts as complete by itself.",
    )
    env: Texts = Field((), description="Environment variables as NAME=VALUE.", examples=[["NCCL_DEBUG=INFO"]])
    component: Texts = Field((), description="Libraries as loaded, NAME=VERSION.", examples=[["nccl=2.28.9"]])
    hardware: Texts = Field((), description="Such as 2x GB10 aarch64.")
    model: str = Field("", description="The model served.")
    symptom: Texts = Field((), description="What is seen, in words, English or Chinese; only what was really seen.")
    said: Texts = Field(
        (),
        description="Answers to questions of an earlier answer, ABOUT=ANSWER, where ABOUT is the question's `about`, "
        "whole. Only what the user or a command said. Not for wanted:…, which asks for something in texts.",
        examples=[["fact:symptom.first_request=no", "build=0.5.16"]],
    )
    texts: Given = ()
    files: Named = ()
    detail: Detail = "brief"
    lang: Lang = "en"


class Lint(Asked):
    """Arguments of `lint`."""

    texts: Given = ()
    paths: Named = ()
    exclude: Texts = Field((), description="Patterns as in .gitignore of what to leave out.")
    evidence: bool = Field(False, description="Also say what an incident would leave no trace of.")
    detail: Detail = "brief"
    lang: Lang = "en"


class Explain(Asked):
    """Arguments of `explain`."""

    rule: str = Field(description="A rule's id, or the upstream thread.", examples=["vllm/pp-broadcast-skew", "#53402"])
    lang: Lang = "en"


class Flags(Asked):
    """Arguments of `flags`."""

    engine: Engine
    version: str = Field("newest", description="A release.", examples=["0.28.0"])
    since: str = Field("", description="An older release: answers what changed from it to `version`.")
    grep: str = Field("", description="Only settings with this in name, spelling, choice or help.", examples=["spec"])
    detail: Detail = "brief"
    lang: Lang = "en"


class Search(Asked):
    """Arguments of `search`."""

    text: str = Field(description="What is seen, in words or lines, English or Chinese.")
    engine: Engine = ""
    most: int = Field(5, ge=1, le=50, description="At most so many.")
    lang: Lang = "en"


A = TypeVar("A", bound=Asked)


def taken(model: type[A], arguments: Mapping[str, Any]) -> A:
    """The arguments, checked. Raises UsageError that names the first that is wrong and what is known."""
    try:
        return model.model_validate(arguments)
    except ValidationError as error:
        first = error.errors(include_url=False, include_input=False)[0]
        where = ".".join(map(str, first["loc"])) or "arguments"
        unknown = first["type"] == "extra_forbidden"
        what = "no such argument" if unknown else str(first["msg"])
        hint = f"known: {', '.join(model.model_fields)}" if unknown or first["type"] == "missing" else None
        raise UsageError(what, where, hint) from None


def schema(model: type[Asked]) -> dict[str, Any]:
    """The model's JSON Schema, without what only repeats the names."""
    bare: dict[str, Any] = _untitled(model.model_json_schema())
    return bare


def _untitled(node: Any) -> Any:
    if isinstance(node, list):
        return [_untitled(one) for one in node]
    if not isinstance(node, dict):
        return node
    kept = {key: one for key, one in node.items() if not (key == "title" and isinstance(one, str))}
    return {key: _untitled(one) for key, one in kept.items() if not (key == "description" and "properties" in node)}
