"""What every command that takes evidence takes: the same options, files and folders, made into one request."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

from advisor.errors import AdvisorError, UsageError
from advisor.faces import completion
from advisor.faces import files as files_of
from advisor.faces.bare_options import HERE
from advisor.faces.telling import complain
from advisor.jobs.request import File, Located, Request
from advisor.jobs.request import Said as Answered
from advisor.model.late import dataclass

Many = list[str]

Files = Annotated[
    Many | None,
    typer.Argument(
        metavar="[FILE]...",
        help="Logs, stacks, scripts, pastes, archives, folders; kind told by content. - is standard input.",
    ),
]
ENGINES = "vllm, vllm-ascend, sglang, lmdeploy or xllm"
Engine = Annotated[str, typer.Option(autocompletion=completion.engine, help=f"{ENGINES}.")]
Version = Annotated[
    str,
    typer.Option(
        "--version",
        "-V",
        autocompletion=completion.release,
        help="Version, commit, version+gSHA or image reference.",
    ),
]
Flags = Annotated[
    Many | None, typer.Option(help="The whole command line, or just the flags. Repeat for several ranks or roles.")
]
Env = Annotated[Many | None, typer.Option(metavar="NAME=VALUE", help="An environment variable. Repeatable.")]
Repo = Annotated[
    Path | None,
    typer.Option(
        metavar="PATH",
        help="Judge this clone or fork of the engine; --version: a revision of it, or the release it is based on.",
    ),
]
Installed = Annotated[
    str | None,
    typer.Option(
        metavar="[PATH]",
        help="Judge what is installed: a site-packages, an unpacked image, or the current Python's without a path.",
    ),
]
Component = Annotated[
    Many | None, typer.Option(metavar="NAME=VERSION", help="A library as loaded, such as nccl=2.28.9. Repeatable.")
]
Hardware = Annotated[Many | None, typer.Option(help='Such as "2x GB10 aarch64".')]
Model = Annotated[str, typer.Option(help="The model served.")]
Symptom = Annotated[Many | None, typer.Option(help="What you see, in words, English or Chinese. Repeatable.")]
Log = Annotated[Many | None, typer.Option(metavar="FILE", help="A log file. Repeatable.")]
Said = Annotated[
    Many | None,
    typer.Option(metavar="ABOUT=ANSWER", help="An answer to a question, as diagnose writes it. Repeatable."),
]
Stack = Annotated[Many | None, typer.Option(metavar="FILE", help="A py-spy, gdb or faulthandler dump. Repeatable.")]


@dataclass(frozen=True)
class Given:
    """The request, the inputs by name, and what could not be read of them (noted in the request as well)."""

    request: Request
    inputs: tuple[str, ...]
    problems: tuple[AdvisorError, ...] = ()


def given(
    files: Many | None,
    engine: str,
    version: str,
    flags: Many | None,
    env: Many | None,
    repo: Path | None,
    installed: str | None,
    component: Many | None,
    hardware: Many | None,
    model: str,
    symptom: Many | None,
    log: Many | None,
    stack: Many | None,
    said: Many | None = None,
) -> Given:
    """What the options of a command amount to. Raises UsageError where nothing of it could be read."""
    problems: list[AdvisorError] = []
    notes: list[str] = []
    kinds = ((files, ""), (log, "log"), (stack, "stack"))
    contents = [file for names, kind in kinds for file in _files(names, kind, problems, notes)]
    request = Request(
        engine=engine,
        version="" if repo else version,
        located=_located(repo, installed, engine, version),
        flags=tuple(flags or ()),
        env=tuple(env or ()),
        components=tuple(component or ()),
        hardware=tuple(hardware or ()),
        model=model,
        symptoms=tuple(symptom or ()),
        files=tuple(contents),
        said=answered(said),
        unread=(*(error.line() for error in problems), *notes),
    )
    if problems and not anything(request):
        complain([error.line() for error in problems[:-1]])
        raise problems[-1]
    return Given(request, (*(files or ()), *(log or ()), *(stack or ())), tuple(problems))


def answered(texts: Many | None) -> tuple[Answered, ...]:
    """Answers, each about another thing. A pattern may hold an equals sign, an answer to anything else too."""
    said: dict[str, Answered] = {}
    for text in texts or ():
        about, equals, answer = text.rpartition("=") if text.startswith(("log:", "stack:")) else text.partition("=")
        if not equals or not about.strip() or not answer.strip():
            raise UsageError("is not ABOUT=ANSWER", f"--said {text!r}", "such as --said fact:symptom.first_request=no")
        if about.strip() in said:
            raise UsageError(f"{about.strip()} is answered twice", "--said", "keep one of them")
        said[about.strip()] = Answered(about.strip(), answer.strip())
    return tuple(said.values())


def _located(repo: Path | None, installed: str | None, engine: str, version: str) -> Located | None:
    """The build found in a clone or an installation, when one is given."""
    if repo is None and installed is None:
        return None
    from advisor.jobs import locating

    if repo is not None and installed is not None:
        raise UsageError("does not go with --installed", "--repo", "one build is judged at a time")
    if repo is not None:
        return locating.repository(repo, engine, ref=version)
    return locating.installation(None if installed == HERE else Path(installed or ""), engine)


def _folder_files(folder: Path, kind: str, notes: list[str]) -> list[File]:
    from advisor.jobs.folders import files_in

    files, said = files_in(folder, kind)
    notes += said or ([] if files else [f"{folder}: no files in this folder"])
    return files


def anything(request: Request) -> bool:
    """Whether there is something to judge by, were it only the name of a model."""
    return any(
        (
            request.engine,
            request.version,
            request.located,
            request.flags,
            request.env,
            request.components,
            request.symptoms,
            request.files,
            request.hardware,
            request.model,
            request.said,
        )
    )


def _files(names: Many | None, kind: str, problems: list[AdvisorError], notes: list[str]) -> list[File]:
    """Every file named; a folder's files stand for the folder. What cannot be read becomes a problem."""
    found: list[File] = []
    for name in names or ():
        try:
            found += _folder_files(Path(name), kind, notes) if Path(name).is_dir() else [files_of.evidence(name, kind)]
        except UsageError as error:
            problems.append(error)
        except OSError as error:
            problems.append(UsageError(f"cannot be read: {error.strerror or error}", name))
    return found
