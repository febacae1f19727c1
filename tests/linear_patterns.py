"""The readers' own patterns -> those that go over a line again from every place in it, on a line made for it.

    python -m tests.linear_patterns [PART OF A NAME]        one row for each, and a count

Those of rules are RE2's and linear by nature; these are Python's: what a module has a name for, and what a call of `re`
is given. It takes minutes on two cores, so `make linear` asks it; the suite looks at those that were mended, in
tests/test_linear.py.
"""

from __future__ import annotations

import ast
import importlib
import multiprocessing
import os
import pkgutil
import re
import signal
import sys
import warnings
from collections import defaultdict
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from functools import cache
from itertools import pairwise
from multiprocessing.pool import ThreadPool
from pathlib import Path
from typing import Any

import advisor
from advisor.model.shape import Shape
from tests.hostile_lines import LIMIT_S, lines, seconds

LENGTHS = (1_000, 4_000, 16_000)  # characters, the first at which it takes long counts; a line is cut at 20,000
SHORTER = 4
ENOUGH_S = 0.02  # what is done by then is not worth a second look: of 16,000 characters, the square takes 0.2 s
GROWTH = 8  # four times the line takes four times as long, sixteen where it is gone over from every place
MOST_LINES = 2_000  # for one pattern
LONGEST_S = 15  # of a processor, for one pattern
NEVER = 99.0
_AT_START, _EVERYWHERE = {"match", "fullmatch"}, {"finditer", "findall", "sub", "subn", "split"}
_HOW = frozenset({"search", *_AT_START, *_EVERYWHERE})
_PATTERN_LIKE = re.compile(r"\\[bdswBDSWAZ.]|\(\?|\][*+?{]|\.[*+]")
_UNKNOWN = "a1"  # stands for what a pattern is given at run time


LITTLE = {  # whose pattern takes the square of what it is asked of, and why that is little or is nobody else's
    "asked only where a line begins, by a loop over several": (
        "evidence.lines.BEGINNINGS", "evidence.maps._BARE", "evidence.maps._LSOF", "evidence.recognition._EXCEPTION",
        "evidence.recognition._PYTHON_FRAME", "evidence.recognition._MACHINE_SPOKE", "evidence.recognition._PLACE_FIRST",
        "evidence.recognition._PROGRESS", "evidence.recognition._NAME", "evidence.snapshots._", "evidence.spoken._LEADS",
    ),
    "at most 4,000 characters": (
        "evidence.spoken._ONLY_ASSIGNED", "evidence.spoken._SHELL", "evidence.build_reading:", "launches.blocks._LEAD",
        "launches.typography._", "launches.bindings:", "launches.files.edit_spans._GAP_BEFORE",
        "launches.rewrite._GAP_BEFORE", "evidence.multiarch._NAME", "redaction.personal", "launches.files.compose._HOLD",
        "launches.files.python_strings._NAMED", "evidence.watchdog.GROUP", "launches.emptied._DECLARES",
    ),
    "one clause, a name, an answer or a word": (
        "evidence.denial._CUES", "evidence.image_schemes._FIELDS", "evidence.build_forms:", "jobs.answering._VERSION",
        "jobs.collect_pod._", "redaction.names._OWN", "match.shown._PHRASE_BEFORE", "launches.files.requirements._LIST",
    ),
    "what stands in rules, the catalogue, our own pages or a user's own settings": (
        "advice.commands._", "catalog.full_text._SYNTAX", "jobs.signatures._", "scan.several:", "match.questions._",
        "render.patch_page:", "render.web_frame._", "jobs.configuration:",
    ),
    "a release of an engine, or its repository": ("upstream.",),
}  # fmt: skip


@dataclass(frozen=True)
class Asked:
    """A pattern, and how a text is asked for it: `match`, `search` or `findall`."""

    pattern: str
    flags: int
    how: str


@cache
def patterns() -> dict[str, Asked]:
    """Every pattern that a module has a name for or gives to `re`, each once, by that name or its line."""
    found: dict[Asked, str] = {}
    for name in _modules():
        short = name.removeprefix("advisor.")
        for simple, value in vars(importlib.import_module(name)).items():
            if re.search(rf"(?m)^{simple}\b", _source(name)):
                for at, one in enumerate(_inside(value, texts=not isinstance(value, str) and not _has_re2(name))):
                    asked = _asked(one, _how(name, simple))
                    found.setdefault(asked, f"{short}.{simple}" + (f"[{at}]" if at else ""))
        for line, asked in _called(name):
            found.setdefault(asked, f"{short}:{line}")
    return {name: asked for asked, name in found.items()}


@cache
def _modules() -> list[str]:
    return [
        info.name
        for info in pkgutil.walk_packages(advisor.__path__, "advisor.")
        if not info.name.endswith("__main__") and not info.ispkg
    ]


def _inside(value: Any, *, texts: bool) -> Iterator[Any]:
    """The patterns in a value; a text alone may be a part of one, among others it is taken for one."""
    if isinstance(value, re.Pattern | Shape) or (texts and isinstance(value, str) and _is_pattern(value)):
        yield value
    elif isinstance(value, tuple | list) or (isinstance(value, dict) and (value := [*value.values(), *value])):
        for one in value:
            yield from _inside(one, texts=texts)


def _is_pattern(text: str) -> bool:
    """Whether a text looks like a pattern, and Python takes it for one: `(?s` is a piece of many."""
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")  # of a text that is none
        try:
            return bool(_PATTERN_LIKE.search(text) and re.compile(text))
        except re.error:
            return False


def _has_re2(module: str) -> bool:
    return "import compile_pattern" in _source(module) or "PatternSet" in _source(module)


def _asked(value: Any, how: str) -> Asked:
    text = value if isinstance(value, str) else value.pattern
    flags = 0 if isinstance(value, str) else value.flags if isinstance(value, re.Pattern) else value._flags
    return Asked(text.decode("latin-1") if isinstance(text, bytes) else text, int(flags) & ~re.U, how)


def _called(module: str) -> Iterator[tuple[int, Asked]]:
    """What calls of `re` are given, by line."""
    known, tree = vars(importlib.import_module(module)), ast.parse(_source(module))
    functions = [one for one in ast.walk(tree) if isinstance(one, ast.FunctionDef)]
    for call in (inner for one in functions for inner in ast.walk(one)):  # what stands outside of them has a name
        if isinstance(call, ast.Call) and isinstance(call.func, ast.Attribute) and call.args:
            how, of = call.func.attr, call.func.value
            if isinstance(of, ast.Name) and of.id in ("re", "Shape") and how in _HOW | {"compile"}:
                pattern = _value(call.args[0], known)
                flags = [_value(one.value, known) for one in call.keywords if one.arg == "flags"]
                flags += [_value(one, known) for one in call.args[1:] if "re." in ast.unparse(one)]
                if isinstance(pattern, str | bytes) and pattern:
                    text = pattern.decode("latin-1") if isinstance(pattern, bytes) else pattern
                    yield call.lineno, Asked(text, int(flags[0] or 0) if flags else 0, _kind({how}))


def _value(node: ast.expr, known: dict[str, Any]) -> Any:
    """What it says there; in a text made at run time, something stands for what is not known."""
    if isinstance(node, ast.JoinedStr):
        parts = [one.value if isinstance(one, ast.FormattedValue) else one for one in node.values]
        return "".join(str(_value(one, known) or _UNKNOWN) for one in parts)
    try:
        return eval(compile(ast.Expression(node), "pattern", "eval"), {**known})  # our own source
    except Exception:
        return None


@cache
def _source(module: str) -> str:
    path = Path(importlib.import_module(module).__file__ or "")
    return path.read_text(encoding="utf-8")


@cache
def _uses() -> dict[str, dict[str, set[str]]]:
    """A name -> the modules that ask it, and how."""
    found: dict[str, dict[str, set[str]]] = defaultdict(lambda: defaultdict(set))
    for module in _modules():
        for one in re.finditer(rf"\b(\w+)(?:\[\w+\])?\.({'|'.join(_HOW)})\b(?:\((\w+)\b)?", _source(module)):
            found[one[3] if one[1] == "re" else one[1]][module].add(one[2])
    return found


def _how(module: str, simple: str) -> str:
    uses = _uses().get(simple, {})
    return _kind(set(uses.get(module, ())) if simple.startswith("_") else set().union(*uses.values()))


def _kind(asked: set[str]) -> str:
    if asked & _EVERYWHERE:
        return "findall"
    return "match" if asked and asked <= _AT_START else "search"


def slowest(asked: Asked) -> tuple[float, str]:
    """The growth over the first slow line, or the worst of any, over a line made for the pattern, and the line's beginning; 0 where none takes long."""
    try:
        find = getattr(re.compile(asked.pattern, asked.flags), asked.how)
    except re.error:
        return 0.0, ""  # a text that is no pattern
    made = [[*lines(asked.pattern, asked.flags, length)] for length in (LENGTHS[0] // SHORTER, *LENGTHS)]
    worst = (0.0, "")
    for shorter, long in pairwise(made):
        for short, line in zip(shorter[:MOST_LINES], long, strict=False):
            if (taken := seconds(find, line)) > ENOUGH_S:
                growth = _growth(find, short, line, taken)
                worst = max(worst, (growth, line[:60]))
                if growth > GROWTH:
                    return worst
    return worst


def _growth(find: Callable[[str], object], short: str, long: str, taken: float) -> float:
    """How many times longer the long line takes; `NEVER` where it is not done by the limit."""
    first = min(seconds(find, short) for _ in range(3))
    taken = min(taken, seconds(find, long))
    if taken <= ENOUGH_S:
        return 0.0
    return NEVER if taken >= LIMIT_S else taken / max(first, 1e-6)


def bounded(item: tuple[str, Asked]) -> tuple[str, float, str]:
    """As `slowest`, in a process of its own: Python heeds no clock within a search that begins at every place."""
    name, asked = item
    mine, its = multiprocessing.Pipe(duplex=False)
    child = multiprocessing.get_context("fork").Process(target=_told, args=(asked, its))
    child.start()
    its.close()
    try:
        return (name, *mine.recv())
    except EOFError:
        return name, NEVER, f"not done within {LONGEST_S} s"
    finally:
        child.join()


def _told(asked: Asked, to: Any) -> None:
    signal.signal(signal.SIGPROF, signal.SIG_DFL)  # which ends this process, whatever it does
    signal.setitimer(signal.ITIMER_PROF, LONGEST_S)
    to.send(slowest(asked))


def main() -> None:
    """A row for each slow pattern as it is found: how much longer four times the line takes, its name, the line.

    Exit code 1 where one of them may be asked of a long line, as far as `LITTLE` says.
    """
    part = sys.argv[1] if sys.argv[1:] else ""
    asked = [(name, one) for name, one in patterns().items() if part in name]
    slow = little = 0
    with ThreadPool(os.cpu_count() or 1) as pool:
        for name, growth, line in pool.imap_unordered(bounded, asked):
            if growth > GROWTH and name.startswith(tuple(one for held in LITTLE.values() for one in held)):
                little += 1
            elif growth > GROWTH:
                slow += 1
                print(f"{min(growth, NEVER):5.0f} {name:50} {line!r}", flush=True)
    print(f"{len(asked)} patterns, {slow + little} take more than in proportion, {little} of them asked of little")
    sys.exit(bool(slow))


if __name__ == "__main__":
    main()
