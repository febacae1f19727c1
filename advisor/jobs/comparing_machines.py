"""What `--hardware` and `--component` say, beside what the machines' own tools print -> a note where they disagree.

    --hardware "8x A100", nvidia-smi lists 2 H100             --component driver=535, nvidia-smi prints 550.54.15

What was seen is judged. Two versions of NCCL, torch and the like are discrepancies (`match.contradictions`).
"""

from __future__ import annotations

from collections.abc import Iterator

from advisor.jobs.differing import listed
from advisor.jobs.gathering import Gathering
from advisor.match.contradictions import COMPARED
from advisor.model.fact import Fact, Note
from advisor.model.shape import Shape

_OWN_NAMES = Shape(r"(?i)A[23]|Grace.*|910_\d.*")  # of a machine, or a chip by its number: tools print another
_SEVERAL = ("cuda",)  # the driver's, the toolkit's and that of a wheel stand side by side
STATED = "--hardware"


def compare_machines(gathering: Gathering) -> None:
    """Say where the machines are others than is said."""
    said = [*_accelerators(gathering), *_count(gathering), *_components(gathering)]
    if said:
        place = said[0][1].span
        text = f"what was seen is {listed([one for one, _ in said])}; judged by that"
        gathering.notes.append(Note("conflict", text, place))


def _facts(gathering: Gathering, name: str) -> tuple[list[Fact], list[Fact]]:
    """What is said of it with the option, and what was seen."""
    every = [one for one in gathering.facts if one.name == f"hardware.{name}"]
    stated = [one for one in every if one.span and one.span.artifact == STATED]
    return stated, [one for one in every if one.origin == "observed"]


def _accelerators(gathering: Gathering) -> Iterator[tuple[str, Fact]]:
    """Accelerators of which none was seen; whose they are, where no more is said or seen."""
    for name in ("accelerator", "vendor"):
        stated, seen = _facts(gathering, name)
        if stated and seen:
            if not any(_is_one(str(one.value), str(two.value)) for one in stated for two in seen):
                yield f"{seen[0].value} (you say {stated[0].value})", seen[0]
            return


def _is_one(stated: str, seen: str) -> bool:
    """Whether both may name one product: 910B and 910B2C, but not H20 and H200."""
    one, two = (word.replace(" ", "").lower() for word in (stated, seen))
    short, long = sorted((one, two), key=len)
    same = long.startswith(short) and not long[len(short) : len(short) + 1].isdigit()
    return same or bool(_OWN_NAMES.fullmatch(stated) or _OWN_NAMES.fullmatch(seen))


def _count(gathering: Gathering) -> Iterator[tuple[str, Fact]]:
    """More accelerators than the one machine that was looked at has. Fewer are ordinary: not all of it is used."""
    stated, seen = _facts(gathering, "count")
    nodes = [one for one in gathering.facts if one.name == "hardware.nodes" and one.value != 1]
    if len(stated) == 1 and len(seen) == 1 and not nodes and _whole(stated[0]) > _whole(seen[0]):
        yield f"{seen[0].value} accelerators (you say {stated[0].value}: is this one of several nodes?)", seen[0]


def _whole(fact: Fact) -> int:
    return fact.value if isinstance(fact.value, int) else 0


def _components(gathering: Gathering) -> Iterator[tuple[str, Fact]]:
    for one in gathering.build.components:
        if one.where != "--component" or one.name in (*COMPARED, *_SEVERAL):
            continue
        seen = [fact for fact in gathering.facts if fact.name == f"component.{one.name}" and fact.origin == "observed"]
        if seen and not any(_is_version(one.version, str(fact.value)) for fact in seen):
            yield f"{one.name} {seen[0].value} (you say {one.version})", seen[0]


def _is_version(stated: str, seen: str) -> bool:
    """Whether both may name one version: 550 and 550.54.15, 2.9.1 and 2.9.1+cu129."""
    one, two = (word.removeprefix("v").partition("+")[0].split(".") for word in (stated, seen))
    return all(left == right for left, right in zip(one, two, strict=False))
