"""`advisor mcp` as a process, spoken to line by line."""

from __future__ import annotations

import json
import subprocess
from collections.abc import Mapping, Sequence
from pathlib import Path
from tempfile import TemporaryFile
from threading import Timer
from typing import Any


class Client:
    """A server and who speaks to it; the server is killed when it takes too long for everything together."""

    def __init__(
        self, command: Sequence[str], env: Mapping[str, str], *, cwd: Path | None = None, name: str = "t"
    ) -> None:
        self._said = TemporaryFile()  # noqa: SIM115 - of its process
        self.process = subprocess.Popen(
            command, stdin=subprocess.PIPE, stdout=subprocess.PIPE, stderr=self._said, env=dict(env), cwd=cwd
        )
        self._late = Timer(120, self.process.kill)
        self._late.start()
        hello = {"protocolVersion": "2025-06-18", "capabilities": {}, "clientInfo": {"name": name, "version": name}}
        self.ask("initialize", hello)
        self.send(method="notifications/initialized")

    def send(self, **message: object) -> None:
        assert self.process.stdin is not None
        self.process.stdin.write(json.dumps({"jsonrpc": "2.0", **message}).encode() + b"\n")
        self.process.stdin.flush()

    def next(self) -> dict[str, Any]:
        """What it says next, as one message."""
        assert self.process.stdout is not None
        line = self.process.stdout.readline()
        assert line, f"no answer; it ended with {self.process.poll()}: {self.said()}"
        found: dict[str, Any] = json.loads(line)
        return found

    def ask(self, method: str, params: object) -> dict[str, Any]:
        self.send(id=1, method=method, params=params)
        return self.next()

    def call(self, tool: str, arguments: Mapping[str, object]) -> dict[str, Any]:
        return self.ask("tools/call", {"name": tool, "arguments": arguments})

    def said(self) -> str:
        """What it printed on standard error."""
        self._said.seek(0)
        return self._said.read().decode()

    def end(self) -> int:
        """Its exit code once nothing more is asked."""
        assert self.process.stdin is not None
        try:
            if self.process.stdin.closed:
                self.process.wait(timeout=60)
            else:
                self.process.communicate(timeout=60)
        finally:
            self._late.cancel()
            self.process.kill()
        return self.process.returncode
