"""The command line: which command is called, and what its end means.

Exit codes, whatever the output format: 0 nothing to act on, 1 findings at or above the threshold, 2 wrong usage,
nothing readable, or an input that could not be read (what could be is still reported), 3 our own defect,
130 interrupted.
"""

from __future__ import annotations

import errno
import os
import sys
from collections.abc import Iterable
from importlib import import_module
from typing import Annotated, Any

import typer

from advisor import __version__
from advisor.errors import AdvisorError
from advisor.faces.bare_options import OneDeployment, command_with
from advisor.faces.front_page import FrontPage
from advisor.faces.telling import complain
from advisor.redaction import one_answer, shown_as_given

OK, USAGE, DEFECT, INTERRUPTED = 0, 2, 3, 130
PROGRAM = "advisor"  # however it was started: completion is bound to this name

COMMANDS = {
    "check": "check:check",
    "diagnose": "diagnose:diagnose",
    "explain": "explain:explain",
    "schema": "explain:schema",
    "collect": "collect:collect",
    "flags": "reference:flags",
    "release": "reference:release",
    "fix": "fix:fix",
    "lint": "lint:lint",
    "patch": "patch:patch",
    "upgrade": "upgrade:upgrade",
    "mcp": "mcp.command:mcp",
    "search": "search:search",
    "serve": "serve:serve",
    "draft": "drafting:draft",
    "verify": "verify:verify",
}
"""Each command's module and function here, so that a run loads the one that is called."""
GROUPS = {"rules": "rules:rules_app", "knowledge": "reference:knowledge_app"}
"""The same of commands that have commands of their own."""
BARE = {"check": "--installed", "diagnose": "--installed", "verify": "--installed", "patch": "--against-installed"}
"""The option of a command whose path may be left out."""


def application(names: Iterable[str] = (*COMMANDS, *GROUPS)) -> typer.Typer:
    """The application with these commands; with all of them unless told otherwise."""
    app = typer.Typer(
        name=PROGRAM,
        cls=FrontPage,
        help="Known failures of vLLM, SGLang, LMDeploy and xLLM: which one is this, which fix, what to change now.",
        no_args_is_help=True,
        pretty_exceptions_enable=False,
        rich_markup_mode=None,
    )
    app.callback()(_root)
    for name in names:
        if name in GROUPS:
            app.add_typer(_loaded(GROUPS[name]), name=name)
        else:
            app.command(name, cls=command_with(BARE[name]) if name in BARE else OneDeployment)(_loaded(COMMANDS[name]))
    return app


def _loaded(place: str) -> Any:
    module, _, name = place.partition(":")
    return getattr(import_module(f"advisor.faces.{module}"), name)


def _version(value: bool) -> None:
    if value:
        typer.echo(__version__)
        raise typer.Exit(OK)


def _root(
    version: Annotated[
        bool, typer.Option("--version", callback=_version, is_eager=True, help="Print the version.")
    ] = False,
) -> None:
    """Known failures of LLM inference engines."""


def main() -> None:
    """Run the command line; every failure leaves one line and an exit code."""
    try:
        with one_answer(), shown_as_given(False):  # what --no-redact changes ends with the command
            code = typer.main.get_command(_called(sys.argv[1:2])).main(prog_name=PROGRAM, standalone_mode=False)
    except AdvisorError as error:
        complain([error.line()])
        code = USAGE
    except KeyboardInterrupt:
        code = INTERRUPTED
    except BrokenPipeError:
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
        code = OK
    except Exception as error:
        code = _failed(error)
    sys.exit(code if isinstance(code, int) else OK)


def _called(words: list[str]) -> typer.Typer:
    """The application with the one command that is called alone, else all of it: to load and build them all takes as
    long as to judge a launch."""
    return application(words) if words and words[0] in (*COMMANDS, *GROUPS) else application()


def _failed(error: Exception) -> int:
    """A usage error of the option parser in one line; anything else is our own defect."""
    message = getattr(error, "format_message", None)
    if type(error).__name__ == "NoArgsIsHelpError":
        typer.echo(message() if message else "", err=True)
        return USAGE
    if message is not None:
        named = [word for word in sys.argv[1:2] if word in (*COMMANDS, *GROUPS)]  # of another word there is no help
        command, what = " ".join([PROGRAM, *named]), "options" if named else "commands"
        complain([f"{message()} ({command} --help shows the {what})"])
        return USAGE
    if isinstance(error, OSError) and error.errno == errno.ENAMETOOLONG:  # whichever option or argument named it
        name = str(error.filename or "")
        complain([f"{name[:80]}…: {len(name)} characters are more than the name of a file can have"])
        return USAGE
    if type(error).__name__ in ("Abort", "Exit"):
        return INTERRUPTED if type(error).__name__ == "Abort" else int(getattr(error, "exit_code", OK))
    if "ADVISOR_TRACEBACK" in os.environ:
        raise error
    what = f"a defect in advisor itself: {type(error).__name__}: {error}"
    complain([f"{what} (ADVISOR_TRACEBACK=1 shows where; please report it)"])
    return DEFECT
