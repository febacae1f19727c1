"""Results of earlier lint runs, by what they were made from: what has not changed is not read again.

A row is found only under the same content and name of the file, the same options, and the same advisor: its code,
rules, knowledge and the packages it reads files with. What a result owes to the files beside it is in the row as
`beside`, for the caller to compare. One SQLite file that its owner alone can read, of bounded size, the rows longest
unused going first. Whatever goes wrong here costs time and is not spoken of: a row that is not as it was written counts
for nothing, and a file that is damaged, or that somebody else could have written, is begun anew.
"""

from __future__ import annotations

import contextlib
import json
import os
import sys
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from functools import cache
from hashlib import blake2b
from pathlib import Path
from typing import TYPE_CHECKING, TypeVar

import advisor
from advisor.catalog.kept import cache_folder, is_own
from advisor.catalog.places import own_rules, root
from advisor.jobs import lint_record
from advisor.whole import is_part

if TYPE_CHECKING:
    import sqlite3

MOST_BYTES = 64 << 20  # of what is kept
_LARGEST = 8 * MOST_BYTES  # of the file; one that is larger is not ours
_SHAPE = 2  # of the table
_OTHERS = 3  # files of other shapes and formats that stay
_STAYS = 3 / 4  # of that, where there was more
_AT_ONCE = 500  # keys of one question
_WAIT_S = 2.0  # for another process that writes
_PASSING = ("BUSY", "LOCKED", "READONLY", "FULL", "IOERR", "CANTOPEN", "PERM", "AUTH", "NOMEM")
"""What SQLite calls failures that are no fault of the file."""
_TABLE = (
    "CREATE TABLE IF NOT EXISTS kept (key BLOB UNIQUE, day INTEGER, beside BLOB, services TEXT, record BLOB, sum BLOB)"
)


Answer = TypeVar("Answer")


@dataclass(frozen=True, slots=True)
class Row:
    """What is kept of one file. `beside` is the digest of what other files had to do with it; `services` are its own
    that have to do with others, namespace and name."""

    key: bytes
    beside: bytes
    services: tuple[tuple[str, str], ...]
    record: bytes


class Cache:
    """The rows in a folder; `day` counts days, as of the run. Nothing raises: what cannot be read is not there."""

    def __init__(self, folder: Path, day: int) -> None:
        self.file, self.day = folder / f"lint-{_SHAPE}-{lint_record.FORMAT}.sqlite", day

    def found(self, keys: Sequence[bytes]) -> dict[bytes, Row]:
        """The rows that there are, by key. Rows last used on another day are noted as used."""
        return self._with(lambda at: self._found(at, keys)) or {}

    def keep(self, rows: Sequence[Row]) -> None:
        """Keep these rows, in the place of those with their keys, and let go what is too much."""
        if rows:
            with contextlib.suppress(OSError):
                self._begin()
            self._with(lambda at: self._keep(at, rows))

    def _begin(self) -> None:
        """Make the file where there is none that can be used. Raises OSError."""
        folder = self.file.parent
        folder.mkdir(mode=0o700, parents=True, exist_ok=True)
        if os.path.lexists(self.file) and not _is_ours(self.file):
            self._discard()
        if not self.file.exists():
            others = sorted(folder.glob("lint-*.sqlite"), key=lambda one: one.stat().st_mtime)
            for old in others[:-_OTHERS]:
                old.unlink()
            os.close(os.open(self.file, os.O_CREAT | os.O_RDWR, 0o600))

    def _discard(self) -> None:
        """Take it away, and what SQLite would mend the next one with. Raises OSError."""
        for name in (f"{self.file}-journal", self.file):
            with contextlib.suppress(FileNotFoundError):
                os.unlink(name)

    def _found(self, at: sqlite3.Connection, keys: Sequence[bytes]) -> dict[bytes, Row]:
        rows: dict[bytes, Row] = {}
        used: list[tuple[int, bytes]] = []
        for start in range(0, len(keys), _AT_ONCE):
            some = keys[start : start + _AT_ONCE]
            marks = ",".join("?" * len(some))
            asked = f"SELECT key, beside, services, record, sum, day FROM kept WHERE key IN ({marks})"  # noqa: S608 - ? alone
            for key, beside, services, record, sum_, day in at.execute(asked, some):
                if sum_ != _sum(key, beside, services, record):
                    continue
                told = json.loads(services)
                rows[key] = Row(key, beside, tuple((namespace, name) for namespace, name in told), record)
                used += [(self.day, key)] if day != self.day else []
        if used:
            at.executemany("UPDATE kept SET day = ? WHERE key = ?", used)
        return rows

    def _keep(self, at: sqlite3.Connection, rows: Sequence[Row]) -> None:
        told = [(one.key, self.day, one.beside, json.dumps(one.services), one.record) for one in rows]
        summed = [(*one, _sum(one[0], *one[2:])) for one in told]
        at.executemany("INSERT OR REPLACE INTO kept VALUES (?, ?, ?, ?, ?, ?)", summed)
        size = at.execute("SELECT coalesce(sum(length(record)), 0) FROM kept").fetchone()[0]
        much, gone = size - int(MOST_BYTES * _STAYS) if size > MOST_BYTES else 0, []
        for number, length in at.execute("SELECT rowid, length(record) FROM kept ORDER BY day, rowid"):
            if much <= 0:
                break
            gone.append((number,))
            much -= length
        at.executemany("DELETE FROM kept WHERE rowid = ?", gone)

    def _with(self, work: Callable[[sqlite3.Connection], Answer]) -> Answer | None:
        """What `work` makes of a connection, all that it changes or none of it; None where there can be none."""
        try:
            import sqlite3  # not in every build of Python
        except ImportError:
            return None
        at: sqlite3.Connection | None = None
        try:
            if not _is_ours(self.file):
                return None
            at = sqlite3.connect(self.file, timeout=_WAIT_S)
            at.executescript(f"PRAGMA auto_vacuum = FULL; {_TABLE}")
            with at:
                return work(at)
        except OSError:
            return None
        except (sqlite3.Error, ValueError, TypeError) as error:
            if not getattr(error, "sqlite_errorname", "").startswith(tuple(f"SQLITE_{one}" for one in _PASSING)):
                with contextlib.suppress(OSError):
                    self._discard()
            return None
        finally:
            if at is not None:
                at.close()


def _is_ours(file: Path) -> bool:
    """Whether it is a file that we may have written."""
    return file.is_file() and is_own(file) and file.stat().st_size <= _LARGEST


def _sum(*fields: bytes | str) -> bytes:
    """The digest of what is in a row. Raises TypeError for what is neither text nor bytes."""
    made = blake2b(digest_size=8)
    for one in fields:
        part = one.encode("utf-8", "surrogatepass") if isinstance(one, str) else one
        made.update(b"%d " % len(part))
        made.update(part)
    return made.digest()


def usual_folder() -> Path:
    """Where results are kept for this user: `$XDG_CACHE_HOME/inference-advisor/lint`."""
    return cache_folder() / "lint"


def key(name: str, content: bytes, *, evidence: bool) -> bytes:
    """What the row of a file goes by."""
    made = blake2b(made_with(), digest_size=20)
    made.update(f"{name}\0{evidence:d}\0".encode("utf-8", "surrogateescape"))
    made.update(content)
    return made.digest()


@cache
def made_with() -> bytes:
    """A digest of everything of ours that a result depends on, the same wherever the same release is installed."""
    made = blake2b(f"{lint_record.FORMAT} {sys.version}\n".encode())
    for name in sorted(_packages()):
        made.update(f"{name}\n".encode())
    package = Path(advisor.__file__).resolve().parent
    beside = () if package in root().parents else (root() / "rules", root() / "knowledge")
    for place in (package, *beside, *own_rules()):
        for file in sorted(_files(str(place))):
            made.update(f"{os.path.relpath(file, place)}\0".encode())
            made.update(Path(file).read_bytes())
    return made.digest()


def _packages() -> Iterator[str]:
    """What is installed, with versions: the readers of YAML, shell and patterns are among it."""
    for folder in sys.path:
        with contextlib.suppress(OSError):
            yield from (one for one in os.listdir(folder) if one.endswith((".dist-info", ".egg-info")))


def _files(folder: str) -> Iterator[str]:
    """Code and data below a folder; a rule's cases are for its tests, and what is being written is not there yet."""
    for one in os.scandir(folder):
        if is_part(one.name):
            continue
        if one.is_dir():
            yield from _files(one.path) if one.name not in ("__pycache__", "cases") else ()
        elif not one.name.endswith(".pyc"):
            yield one.path
