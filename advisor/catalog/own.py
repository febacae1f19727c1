"""Folders of a user's own rules → judged beside the shipped ones, or one line for each fault and none of them used.

They come from outside and are data like everything else that does: the same YAML without tags, the same closed set of
conditions, patterns of the linear-time language alone, and no word of them is ever run, imported or filled in as a
template. What they say is marked as theirs, so that nobody takes their advice for the advisor's.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from contextlib import suppress
from pathlib import Path
from typing import Any

from advisor import __version__
from advisor.catalog import compiled
from advisor.catalog.kept import kept
from advisor.catalog.places import rule_files, rules_root, use_own_rules
from advisor.catalog.schema import Problem, read

_SOUND = {"sound": True}
MOST = 2_000  # rules of one folder
_OF_TESTS = ("no-firing-case", "no-quiet-case")
"""What `advisor rules validate` asks of a rule that is handed in, and nobody's judgement rests on."""


def take(folders: Sequence[Path], facts: Iterable[str]) -> list[Problem]:
    """Judge by the rules of these folders too, from now on; where there is any problem, by none of them."""
    folders = list(dict.fromkeys(one.resolve() for one in folders))
    made_from = f"{__version__}\n{compiled.stamp(rules_root(), *folders)}"
    problems: list[Problem] = []

    def looked() -> dict[str, Any]:
        problems.extend(sorted(dict.fromkeys(_problems(folders, facts))))
        if problems:
            raise _Unsound
        return _SOUND

    with suppress(_Unsound):
        kept("own-rules", made_from, looked, lambda found: found == _SOUND)
        use_own_rules(folders)
    return problems


class _Unsound(Exception):
    """There are problems, which are looked for anew the next time."""


def _problems(folders: Sequence[Path], facts: Iterable[str]) -> Iterator[Problem]:
    from advisor.catalog.validators import validate

    facts = frozenset(facts)
    taken: dict[str, str] = {}
    for rule, _ in compiled.compiled(rules_root()).all():
        taken |= dict.fromkeys((rule.id, *rule.former_ids), "the advisor has a rule of that name")
    beside = [*taken, *("/".join(file.parts[-3:-1]) for base in folders for file in rule_files(base))]
    for base in folders:
        files = rule_files(base)
        if len(files) > MOST:
            yield Problem(base.name, 1, "too-many", f"more than {MOST} rules")
            continue
        yield from (one for one in validate(base, facts, beside)[1] if one.name not in _OF_TESTS)
        yield from _named(base, files, taken)


def _named(base: Path, files: Sequence[Path], taken: dict[str, str]) -> Iterator[Problem]:
    """Rules that go by a name of another rule."""
    for file in files:
        name = str(file.relative_to(base.parent))
        raw, document, _ = read(file, name)
        for at, id in _names(raw or {}):
            if id in taken and document is not None:
                yield Problem(name, document.line(at), "id-taken", f"{id}: {taken[id]}; choose another")
            taken.setdefault(id, f"{name} is called so too")


def _names(raw: dict[str, Any]) -> Iterator[tuple[tuple[str | int, ...], str]]:
    yield from [(("id",), str(raw["id"]))] if raw else []
    yield from ((("former_ids", index), str(one)) for index, one in enumerate(raw.get("former_ids") or ()))
