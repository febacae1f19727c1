"""`advisor --help`: the ways in, each with an example to copy, and the commands by what they are for, in plain text."""

from __future__ import annotations

from typing import Any

import typer.core

# command -> when to take it, and a command line to start from
WAYS = {
    "check": ("a case", "advisor check --engine vllm --version 0.28.0 serve.log"),
    "diagnose": ("paste, and be asked", "advisor diagnose"),
    "collect": ("where it hangs", "advisor collect"),
    "lint": ("files, in CI", "advisor lint k8s/ charts/ run.sh"),
    "search": ("look it up", 'advisor search "decode hangs after a json schema request"'),
    "serve": ("a page and an API", "advisor serve"),
}
# Each in a line: what a command's own help begins with would be cut.
GROUPS = {
    "Judge a deployment": {
        "collect": "Where it runs: take the evidence into one archive for check.",
        "check": "One case: which known failure is it, or can it meet?",
        "diagnose": "The same, asked for step by step.",
        "lint": "Deployment files: what they can meet, what does not fit.",
        "verify": "Evidence from after a change: has it cured the failure?",
        "serve": "The same over HTTP: a page for people, an API for programs.",
    },
    "Change it": {
        "fix": "Edit deployment files for what lint finds.",
        "upgrade": "The smallest release with nothing known against a launch.",
        "patch": "Carry a rule's upstream fix to a clone or a package.",
    },
    "Look something up": {
        "search": "The known failures nearest to a text.",
        "explain": "One known failure as a page.",
        "flags": "The flags and variables of a release, or what changed.",
        "release": "Releases: dates, pins, the known fixes each brought.",
        "schema": "The JSON Schema of what `--format json` prints.",
    },
    "Serve others": {
        "mcp": "The advisor as tools for agents (Model Context Protocol).",
    },
    "Write rules, keep knowledge fresh": {
        "draft": "A draft rule from an upstream issue.",
        "rules": "The rules: begin one, list, validate, test.",
        "knowledge": "The knowledge of the engines: its age, read it anew, check it.",
    },
}
MORE = "More"


class FrontPage(typer.core.TyperGroup):
    """The root command, whose help is grouped by use. A command of no group stands under `More` in its own words."""

    def format_help_text(self, ctx: Any, formatter: Any) -> None:
        """What this is, then the ways in that there are."""
        super().format_help_text(ctx, formatter)
        with formatter.section("Ways in"):
            formatter.write_dl([way for name, way in WAYS.items() if name in self.commands])

    def format_commands(self, ctx: Any, formatter: Any) -> None:
        """The commands, group by group in columns of one width."""
        names = [name for name in self.list_commands(ctx) if not self.commands[name].hidden]
        column = max(map(len, names))
        grouped = {name for group in GROUPS.values() for name in group}
        room = formatter.width - column - 6
        others = {name: self.commands[name].get_short_help_str(room) for name in names if name not in grouped}
        for title, group in {**GROUPS, MORE: others}.items():
            rows = [(name.ljust(column), says) for name, says in group.items() if name in names]
            if rows:
                with formatter.section(title):
                    formatter.write_dl(rows)
