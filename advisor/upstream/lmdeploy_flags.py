"""LMDeploy's sources -> the arguments of ``lmdeploy serve api_server``.

``SubCliServe.add_parser_api_server`` adds a few flags itself and the rest through ``ArgumentHelper``.

Source: https://github.com/InternLM/lmdeploy/blob/v0.18.0/lmdeploy/cli/serve.py and lmdeploy/cli/utils.py
"""

from __future__ import annotations

from typing import Any

from advisor.errors import UpstreamError
from advisor.upstream.python_code import Class, Code, Function
from advisor.upstream.statements import Statements
from advisor.upstream.values import Parser


class _Server(Statements):
    """Reads the serve command, where ``SubCliServe.subparsers.add_parser(...)`` is the parser."""

    parser: Parser | None = None

    def attribute(self, owner: Any, name: str) -> Any:
        if name == "subparsers":
            self.parser = self.parser or Parser()
            return self.parser
        return super().attribute(owner, name)


def arguments_of(code: Code) -> tuple[Statements, list[tuple[list[Any], dict[str, Any]]]]:
    """Every argument of LMDeploy's api_server."""
    reader = _Server(code)
    owner = code.lookup("lmdeploy.cli.serve", "SubCliServe")
    start = reader.attribute(owner, "add_parser_api_server") if isinstance(owner, Class) else None
    if not isinstance(start, Function):
        raise UpstreamError("lmdeploy/cli/serve.py defines no SubCliServe.add_parser_api_server")
    reader.call(start, [], {}, 0)
    return reader, reader.parser.added if reader.parser else []
