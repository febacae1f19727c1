"""Nothing is known to be wrong with what is well: each file of the quiet corpus alone, through the front door.

Each is given as it is, then with its engine named, with and without a version: the newest release, an old one, none. A
file that names no engine is given as every engine's.
"""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import pytest

from advisor.catalog.engines import knowledge, named
from advisor.jobs.assemble import assemble
from advisor.jobs.check import check
from advisor.jobs.request import File, Request
from advisor.model.fact import ArtifactKind
from advisor.model.report import Report

FOLDER = Path(__file__).parent / "healthy"
FILES = sorted(one for one in FOLDER.iterdir() if one.is_file() and one.name != "README.md")
OLD = {"vllm": "0.8.5", "sglang": "0.4.6", "lmdeploy": "0.6.4", "xllm": "0.8.0", "vllm-ascend": "0.9.1"}
LIKELY: dict[tuple[str, str], str] = {}
"""(file, rule) -> why the rule may be likely there. None is known to be."""


def newest(engine: str) -> str:
    """The newest release of the engine that knowledge has."""
    return knowledge(engine).releases[-1].version


def of(file: Path) -> tuple[str, ...]:
    """The engines whose file it may be: the one its name says, or any."""
    told = [one for one in sorted(named(), key=len, reverse=True) if one in file.stem]
    return (told[0],) if told else named()


def given(file: Path) -> Iterator[Request]:
    """Everything that may be said beside the file."""
    here = (File(file.name, file.read_bytes()),)
    yield Request(files=here)
    for engine in of(file):
        yield from (
            Request(engine=engine, version=version, files=here) for version in ("", OLD[engine], newest(engine))
        )


def wrong(file: Path, request: Request, report: Report) -> list[str]:
    """What is said of a deployment that nothing is wrong with, beyond what its settings and build expose it to."""
    found = {one.rule: one.status for one in report.findings if one.status != "ruled_out"}
    allowed = {rule for (name, rule) in LIKELY if name == file.name and found.get(rule) == "likely"}
    if any(status == "exposed" for status in found.values()) and _tells_a_launch_or_build(request):
        allowed |= {rule for rule, status in found.items() if status == "exposed"}
    return [f"{request.engine} {request.version}: {rule} is {found[rule]}" for rule in sorted(found.keys() - allowed)]


def _tells_a_launch_or_build(request: Request) -> bool:
    """Whether the file has what exposes: a launch, the arguments or version that a log prints, a list of packages."""
    case, _ = assemble(request)
    kinds: set[ArtifactKind] = {one.kind for one in case.artifacts}
    printed = {one.name for one in case.facts} & {"banner.args", "banner.version"}
    return bool(case.launches or printed or kinds & {"launch", "collect_env"})


@pytest.mark.parametrize("file", FILES, ids=lambda one: one.name)
def test_nothing_is_wrong_with_what_is_well(file: Path) -> None:
    faults = []
    for request in given(file):
        answer = check(request)
        assert not answer.problems
        faults += wrong(file, request, answer.report)
    assert not faults, "\n".join(faults)


def test_the_corpus_covers_engines_and_kinds() -> None:
    names = [file.name for file in FILES]
    assert len(names) >= 45
    for engine in named():
        assert sum(of(file) == (engine,) for file in FILES) >= 3, engine
    for kind in (
        "capture-",
        "nccl-",
        "torch-",
        "pyspy-",
        "metrics-",
        "nvidia-smi-",
        "npu-smi-",
        "compose-",
        "k8s-",
        "docker-",
    ):
        assert any(name.startswith(kind) for name in names), kind


def test_every_file_has_its_line_in_the_readme() -> None:
    told = (FOLDER / "README.md").read_text(encoding="utf-8")
    assert not [file.name for file in FILES if f"`{file.name}`" not in told]


def test_no_exception_outlives_its_reason() -> None:
    files = {file.name: file for file in FILES}
    for name, rule in LIKELY:
        statuses = {
            one.status for request in given(files[name]) for one in check(request).report.findings if one.rule == rule
        }
        assert "likely" in statuses, f"{rule} is not likely on {name} any more"
