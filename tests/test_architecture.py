"""Arrows point one way: which room of advisor/ may import what, read off the `ast` of every module.

The floor table below is the contract. A face may not reach past the jobs, rooms of the second floor never know each
other, the nouns of `model` know nothing, and each heavy library has one door.
"""

import ast
from collections.abc import Container, Iterator
from pathlib import Path
from typing import NamedTuple

import pytest

REPO = Path(__file__).parents[1]
HOUSE = "advisor"

EVERYWHERE_ABOVE_MODEL = {"model", "errors", "yaml", "patterns", "scan", "cores", "whole", "own_folders"}
SECOND_FLOOR = {"launches", "evidence", "catalog", "match", "advice", "upstream", "capture", "render"}

# room -> the other rooms it may import; its own modules and the bare package (`from advisor import __version__`) are free
MAY_IMPORT: dict[str, set[str]] = {
    "__init__": set(),
    "__main__": {"faces"},
    "faces": {"jobs", "render", "redaction", "model", "errors", "patterns", "cores", "whole", "own_folders"},
    "jobs": {"intake", "redaction", *SECOND_FLOOR - {"render"}, *EVERYWHERE_ABOVE_MODEL},
    "intake": {"launches", "evidence", "model", "errors", "patterns", "scan", "cores"},
    **{room: EVERYWHERE_ABOVE_MODEL for room in SECOND_FLOOR},
    "redaction": {"model", "patterns"},  # text and nouns in, the same without what is private out
    # beside the floors: each turns one library's failures into ours, and an error carries the model's span
    "yaml": {"errors", "model"},
    "patterns": {"errors", "model"},
    "scan": {"patterns"},  # text in, patterns out; knows no rule
    "errors": {"model"},
    "cores": set(),
    "whole": set(),
    "own_folders": {"whole"},
    "model": set(),
}

# library -> the modules, or the rooms, that may import it
ONLY_IN: dict[str, set[str]] = {
    "typer": {"faces"},
    "prompt_toolkit": {"faces.terminal"},
    "mcp": {"faces.mcp.server"},
    "anyio": {"faces.mcp", "faces.web", "faces.workers"},
    "pydantic": {"catalog.schema", "faces.mcp.asked", "faces.web.contract", "render.schema"},
    "fastapi": {"faces.web"},
    "starlette": {"faces.web"},
    "uvicorn": {"faces.web"},
    "h11": {"faces.web"},
    "prometheus_client": {"faces.web"},
    "python_multipart": {"faces.web"},
    "http.server": {"faces"},
    "socketserver": {"faces"},
    "jinja2": {"render"},
    "git": {"upstream"},
    "psutil": {"capture.processes"},
    "packaging": {"model.build", "upstream"},
    "re2": {"patterns"},
    "ahocorasick_rs": {"scan.native"},
}

NAMES_THAT_SAY_NOTHING = {"util", "utils", "helper", "helpers", "manager", "managers", "data"}


class Import(NamedTuple):
    """`importer` imports `target` on `line`; `target` is a module of the house where it is one."""

    importer: str
    target: str
    file: str
    line: int

    def __str__(self) -> str:
        return f"{self.file}:{self.line}: {self.importer} imports {self.target}"


def modules(root: Path) -> dict[str, Path]:
    """Every module of the house under `root`, by dotted name; a package is named without `__init__`."""
    found = {}
    for path in sorted((root / HOUSE).rglob("*.py")):
        parts = path.relative_to(root).with_suffix("").parts
        found[".".join(parts[:-1] if parts[-1] == "__init__" else parts)] = path
    return found


def imports(root: Path) -> list[Import]:
    """All imports of the house, wherever in a file they stand: those under TYPE_CHECKING are arrows too."""
    house = modules(root)
    known = {*house, *(f"{HOUSE}.{room}" for room in MAY_IMPORT), *ONLY_IN}
    return [
        Import(name, target, str(path.relative_to(root)), node.lineno)
        for name, path in house.items()
        for node in ast.walk(ast.parse(path.read_text(encoding="utf-8"), str(path)))
        if isinstance(node, ast.Import | ast.ImportFrom)
        for target in targets(node, package_of(name, path), known)
    ]


def package_of(name: str, path: Path) -> str:
    return name if path.name == "__init__.py" else name.rpartition(".")[0]


def targets(node: ast.Import | ast.ImportFrom, package: str, known: Container[str]) -> list[str]:
    """The modules an import statement names. `from a import b` names `a.b` where that is a known module, else `a`."""
    if isinstance(node, ast.Import):
        return [alias.name for alias in node.names]
    base = node.module or ""
    if node.level:
        climbed = package.split(".")
        base = ".".join([*climbed[: len(climbed) - node.level + 1], *filter(None, [base])])
    deeper = [f"{base}.{alias.name}" for alias in node.names]
    return [name if name in known else base for name in deeper]


def room_of(module: str) -> str:
    """`advisor.match.rank` stands in `match`; the bare package is `__init__`."""
    return module.split(".")[1] if "." in module else "__init__"


def within(module: str, place: str) -> bool:
    return module == place or module.startswith(f"{place}.")


def complaints(root: Path) -> list[str]:
    """Everything in the house under `root` that the contract forbids, each with its file and line."""
    arrows = imports(root)
    return sorted({*bad_names(root), *wrong_floors(arrows), *wrong_doors(arrows), *cycles(arrows)})


def bad_names(root: Path) -> Iterator[str]:
    for name, path in modules(root).items():
        where = f"{path.relative_to(root)}:1"
        if said := NAMES_THAT_SAY_NOTHING & set(name.split(".")):
            yield f"{where}: a module named {said.pop()!r} says nothing; name the noun it holds"
        if room_of(name) not in MAY_IMPORT:
            yield f"{where}: {room_of(name)!r} is no room of the house; the rooms are {', '.join(MAY_IMPORT)}"


def wrong_floors(arrows: list[Import]) -> Iterator[str]:
    for arrow in arrows:
        here, there = room_of(arrow.importer), room_of(arrow.target)
        if not within(arrow.target, HOUSE) or there in {here, "__init__"}:
            continue
        allowed = MAY_IMPORT.get(here, set())
        if there not in allowed:
            yield f"{arrow}, but {here} may import only: {', '.join(sorted(allowed)) or 'nothing of the house'}"


def wrong_doors(arrows: list[Import]) -> Iterator[str]:
    for arrow in arrows:
        for library, doors in ONLY_IN.items():
            if within(arrow.target, library) and not any(within(arrow.importer, f"{HOUSE}.{d}") for d in doors):
                yield f"{arrow}, which only {' and '.join(f'{HOUSE}.{d}' for d in sorted(doors))} may"


def cycles(arrows: list[Import]) -> Iterator[str]:
    """One complaint per arrow that lies on a circle of modules importing each other."""
    ahead: dict[str, set[str]] = {}
    for arrow in arrows:
        if within(arrow.target, HOUSE):
            ahead.setdefault(arrow.importer, set()).add(arrow.target)
    for arrow in arrows:
        if arrow.target == arrow.importer or reaches(ahead, arrow.target, arrow.importer):
            yield f"{arrow}, which leads back to it"


def reaches(ahead: dict[str, set[str]], start: str, goal: str) -> bool:
    seen: set[str] = set()
    waiting = [start]
    while waiting:
        module = waiting.pop()
        if module == goal:
            return True
        if module not in seen:
            seen.add(module)
            waiting += ahead.get(module, ())
    return False


def test_the_house_keeps_its_floors():
    assert modules(REPO), "no module found: is the house still called advisor/?"
    found = complaints(REPO)
    assert not found, "\n" + "\n".join(found)


def test_every_named_door_and_room_is_in_the_table():
    named = {room for allowed in MAY_IMPORT.values() for room in allowed}
    named |= {door.split(".")[0] for doors in ONLY_IN.values() for door in doors}
    assert named <= set(MAY_IMPORT)


def build(root: Path, files: dict[str, str]) -> Path:
    """Writes a house; whatever packages the paths need get an empty `__init__.py`."""
    for name, text in files.items():
        path = root / HOUSE / name
        path.parent.mkdir(parents=True, exist_ok=True)
        for package in [p for p in path.parents if p.is_relative_to(root / HOUSE)]:
            (package / "__init__.py").touch()
        path.write_text(text, encoding="utf-8")
    return root


WELL_BUILT = {
    "__init__.py": '__version__ = "0.1.0"\n',
    "__main__.py": "from advisor.faces.cli import main\n",
    "faces/cli.py": "import typer\nfrom advisor import __version__\nfrom advisor.jobs import check\nfrom advisor import render\n",
    "jobs/check.py": "from advisor import intake\nfrom advisor.jobs import patch\nimport advisor.match.rank\n",
    "jobs/patch.py": "from ..upstream import clone\n",
    "intake.py": "from advisor.evidence import engine_log\nfrom advisor.launches.shell import read\n",
    "launches/shell.py": "from advisor import yaml\n",
    "evidence/engine_log.py": "from advisor.patterns import compile\nfrom ..model.fact import Fact\n",
    "match/rank.py": "from . import truth\n",
    "match/truth.py": "import re\nfrom advisor import errors\n",
    "upstream/clone.py": "import git\nfrom packaging.version import Version\n",
    "render/text.py": "import jinja2\nfrom advisor.model.fact import Fact\n",
    "model/build.py": "from packaging.version import Version\nfrom .fact import Fact\n",
    "model/fact.py": "from typing import NamedTuple\n",
    "errors.py": "from advisor.model.fact import Fact\n",
    "patterns.py": "import re2\nfrom .errors import AdvisorError\n",
    "yaml.py": "from advisor.errors import AdvisorError\n",
}


def test_a_well_built_house_is_quiet(tmp_path):
    assert complaints(build(tmp_path, WELL_BUILT)) == []


PLANTED = [
    # a floor skipped or climbed
    ("faces/web.py", "from advisor.match import rank\n", "advisor/faces/web.py:1", "faces may import only"),
    ("jobs/lint.py", "\nfrom advisor.render import text\n", "advisor/jobs/lint.py:2", "jobs may import only"),
    ("match/judge.py", "from ..catalog import rules\n", "advisor/match/judge.py:1", "match may import only"),
    ("match/judge.py", "from .. import catalog\n", "advisor/match/judge.py:1", "match may import only"),
    ("render/html.py", "import advisor.jobs.check as check\n", "advisor/render/html.py:1", "render may import only"),
    ("model/rule.py", "from advisor.errors import RuleError\n", "advisor/model/rule.py:1", "nothing of the house"),
    ("__main__.py", "from advisor import jobs\n", "advisor/__main__.py:1", "__main__ may import only: faces"),
    # hidden in a function, or only for a type
    ("advice/fit.py", "def f():\n    import advisor.match.rank\n", "advisor/advice/fit.py:2", "advice may import only"),
    (
        "render/sarif.py",
        "from typing import TYPE_CHECKING\nif TYPE_CHECKING:\n    from advisor.match.rank import Rank\n",
        "advisor/render/sarif.py:3",
        "render may import only",
    ),
    # a library outside its door
    ("jobs/verify.py", "import typer\n", "advisor/jobs/verify.py:1", "only advisor.faces may"),
    ("jobs/verify.py", "from http import server\n", "advisor/jobs/verify.py:1", "only advisor.faces may"),
    ("advice/note.py", "from jinja2 import Template\n", "advisor/advice/note.py:1", "only advisor.render may"),
    ("catalog/load.py", "import git.repo\n", "advisor/catalog/load.py:1", "only advisor.upstream may"),
    (
        "model/rule.py",
        "import packaging\n",
        "advisor/model/rule.py:1",
        "only advisor.model.build and advisor.upstream may",
    ),
    ("evidence/nccl_log.py", "import re2\n", "advisor/evidence/nccl_log.py:1", "only advisor.patterns may"),
    # two files that import each other, directly or the long way round, and one that imports itself
    ("match/truth.py", "from advisor.match.rank import Rank\n", "advisor/match/truth.py:1", "leads back to it"),
    ("match/own.py", "from advisor.match import own\n", "advisor/match/own.py:1", "leads back to it"),
    # names
    ("match/utils.py", "", "advisor/match/utils.py:1", "says nothing"),
    ("data/tables.py", "", "advisor/data/tables.py:1", "says nothing"),
    ("attic/box.py", "", "advisor/attic/box.py:1", "no room of the house"),
]


@pytest.mark.parametrize(("file", "text", "where", "why"), PLANTED)
def test_a_planted_violation_is_named_with_file_and_line(tmp_path, file, text, where, why):
    found = complaints(build(tmp_path, WELL_BUILT | {file: text}))
    assert any(where in line and why in line for line in found), found


def test_a_circle_is_found_the_long_way_round(tmp_path):
    circle = {
        "match/a.py": "from . import b\n",
        "match/b.py": "from .c import x\n",
        "match/c.py": "import advisor.match.a\n",
    }
    found = complaints(build(tmp_path, WELL_BUILT | circle))
    assert [line.split(":")[0] for line in found] == [f"advisor/match/{name}.py" for name in "abc"]
