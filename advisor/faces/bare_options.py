"""Options whose path may be left out: `--installed` alone, `--installed PATH`."""

from __future__ import annotations

from typing import Any

import typer.core

HERE = ":this-python:"
"""What the bare option stands for."""


def command_with(option: str) -> type[typer.core.TyperCommand]:
    """A command in which `option` may stand without its value, at the end or before another option."""

    class Command(typer.core.TyperCommand):
        def parse_args(self, ctx: Any, args: list[str]) -> list[str]:
            """Give the bare option its value, then parse as usual."""
            given: list[str] = []
            for word, after in zip(args, [*args[1:], "--"][: len(args)], strict=True):
                bare = word == option and after.startswith("-")
                given += [word, HERE] if bare else [word]
            return super().parse_args(ctx, given)

    return Command
