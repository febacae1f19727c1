"""A run of the command line under an audit hook: what of it reached for a process, for code, or for a file to write.

    python -m tests.watched_run FOLDER OUT check .          writes to OUT, as JSON, the events that none should have

FOLDER is the user's: nothing in it may be imported, compiled to be run, or started.
"""

from __future__ import annotations

import json
import os
import sys
from pathlib import Path
from types import CodeType
from typing import Any

STARTS = ("os.system", "os.exec", "os.posix_spawn", "os.spawn", "os.startfile", "pty.spawn")
REACHES = ("socket.connect", "socket.bind", "urllib.Request", "ftplib.connect", "smtplib.connect")
GIT = ("git",)
LEFT_BEHIND = "RAN"


def main() -> None:
    """Run the rest of the arguments as a user does, watched."""
    folder, out, *words = sys.argv[1:]
    within = str(Path(folder).resolve()) + os.sep
    found: list[str] = []

    def is_foreign(path: Any) -> bool:
        return isinstance(path, str | bytes) and os.path.abspath(os.fsdecode(path)).startswith(within)

    def is_of_the_folder(code: CodeType) -> bool:
        """Code of a file there, or of a text that has the word in it which everything there would leave behind."""
        if code.co_filename.startswith("<"):
            return LEFT_BEHIND in repr(code.co_consts)
        return is_foreign(code.co_filename)

    def watch(event: str, given: tuple[Any, ...]) -> None:
        if event == "subprocess.Popen" and os.path.basename(os.fsdecode(given[1][0])) not in GIT:
            found.append(f"{event} {given[1]}")
        elif event.startswith((*STARTS, *REACHES)):
            found.append(f"{event} {given!r}"[:200])
        elif event == "exec" and isinstance(given[0], CodeType) and is_of_the_folder(given[0]):
            found.append(f"{event} {given[0].co_filename}")
        elif event == "pickle.find_class":
            found.append(f"{event} {given!r}"[:200])
        elif (
            event == "open"
            and is_foreign(given[0])
            and isinstance(given[2], int)
            and given[2] & (os.O_WRONLY | os.O_RDWR)
        ):
            found.append(f"{event} {given[0]} to write")

    sys.argv = ["advisor", *words]
    sys.addaudithook(watch)
    from advisor.faces import cli

    code: Any = 3
    try:
        cli.main()
    except SystemExit as end:
        code = end.code
    for name, module in list(sys.modules.items()):
        if is_foreign(getattr(module, "__file__", None)):
            found.append(f"imported {name}")
    Path(out).write_text(json.dumps({"code": code, "found": found}))


if __name__ == "__main__":
    main()
