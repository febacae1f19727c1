"""`advisor rules`: the rules themselves, listed, validated, tested, begun."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

from advisor.errors import UsageError
from advisor.faces import completion, drafting
from advisor.faces import files as files_of
from advisor.faces.own_rules import OwnRules, take
from advisor.faces.reports import catalogue_problems
from advisor.faces.telling import complain, tell

OK, FOUND = 0, 1

rules_app = typer.Typer(help="The rules themselves: list, validate, test.", no_args_is_help=True, rich_markup_mode=None)
rules_app.command("new")(drafting.new)


@rules_app.command("list")
def list_rules(rules: OwnRules = None) -> None:
    """Every rule: id, level, summary."""
    take(rules)
    from advisor.jobs.judging import catalogue

    for rule in catalogue():
        tell(f"{rule.id:<42} {rule.level:<8} {rule.summary}")
    complain(catalogue_problems())


@rules_app.command()
def facts() -> None:
    """The facts a rule may name, as a Markdown page (docs/vocabulary.md)."""
    from advisor.jobs.vocabulary import kinds, recipes
    from advisor.render.vocabulary_page import vocabulary_page

    files_of.write(vocabulary_page([kinds()[name] for name in sorted(kinds())], recipes()), None)


Base = Annotated[
    Path | None, typer.Option("--rules", metavar="DIR", help="Another rules folder; the shipped one by default.")
]


Bases = Annotated[
    list[Path] | None,
    typer.Option("--rules", metavar="DIR", help="Another rules folder; the shipped one by default. Repeatable."),
]


@rules_app.command()
def validate(rules: Bases = None) -> None:
    """Every problem of every rule file, with file and line."""
    from advisor.jobs.rule_checks import validate_rules

    each = [validate_rules(_folder(one)) for one in rules] if rules else [validate_rules()]
    count, problems = sum(one for one, _ in each), [problem for _, found in each for problem in found]
    for problem in problems:
        tell(str(problem))
    tell(f"{count} rule{'s' * (count != 1)}, {len(problems)} problem{'s' * (len(problems) != 1)}")
    raise typer.Exit(FOUND if problems else OK)


@rules_app.command()
def test(
    rule: Annotated[
        str, typer.Argument(autocompletion=completion.rule, help="One rule's id; every rule by default.")
    ] = "",
    rules: Base = None,
) -> None:
    """Run the rules' cases, and say which rules lack which kind of case."""
    from advisor.jobs.rule_checks import test_rules

    result = test_rules(_folder(rules), rule)
    for line in result.lines:
        tell(line)
    raise typer.Exit(FOUND if result.failed else OK)


def _folder(rules: Path | None) -> Path | None:
    if rules is not None and not rules.is_dir():
        raise UsageError("no such folder", f"--rules {rules}", None)
    return rules
