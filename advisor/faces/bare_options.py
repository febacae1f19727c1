"""Options read otherwise than usual: a path that may be left out, and what a deployment has one of.

`--installed` alone or `--installed PATH`. Of `--engine` given twice the first would be dropped without a word, so it is
refused; of options that say how to answer (`--format`, `--fail-on`) the last holds, as usual: scripts append to them.
"""

from __future__ import annotations

from typing import Any

import typer.core

HERE = ":this-python:"
"""What the bare option stands for."""
ONCE = {"engine", "version", "model", "repo", "installed"}
"""What a deployment has one of, by the names of the parameters."""


class OneDeployment(typer.core.TyperCommand):
    """A command that refuses a second `--engine`, `--version`, `--model`, `--repo` or `--installed`."""

    def make_parser(self, ctx: Any) -> Any:
        """The usual parser; what it read is looked through before it is taken."""
        parser: Any = super().make_parser(ctx)
        read = parser.parse_args

        def parse_args(args: list[str]) -> Any:
            values, left, order = read(args=args)
            single = [one for one in order if one.name in ONCE and one.nargs == 1 and not one.multiple]
            twice = next((one for one in single if single.count(one) > 1), None)
            if twice is not None:
                ctx.fail(f"{twice.opts[0]} is given twice; one deployment is judged at a time.")
            return values, left, order

        parser.parse_args = parse_args
        return parser


def command_with(option: str) -> type[OneDeployment]:
    """A command in which `option` may stand without its value, at the end or before another option."""

    class Command(OneDeployment):
        def parse_args(self, ctx: Any, args: list[str]) -> list[str]:
            """Give the bare option its value, then parse as usual."""
            given: list[str] = []
            for word, after in zip(args, [*args[1:], "--"][: len(args)], strict=True):
                bare = word == option and after.startswith("-")
                given += [word, HERE] if bare else [word]
            return super().parse_args(ctx, given)

    return Command
