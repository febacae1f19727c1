"""A build as it was typed -> the same in the spelling that `builds` reads, and what no spelling can say.

    0.5.19-rc1, v0.30.0-alpha2     0.5.19rc1, 0.30.0a2: a pre-release is not its release
    0.5.18-myfork                  a fork of 0.5.18; -cu130, -amd64 and the like say nothing of the code
    v0.5.16-2-gf60bc73c            commit f60bc73c, two commits after the tag
    f60bc73c^, f60bc73c~2          no commit: a parent is not that commit, and its own hash is asked for
    nightly-dev-20260901-f60bc73c  a nightly of that day and commit

**Source:** git-describe(1), gitrevisions(7), PEP 440; the image tags of the engines (read 2026-11-29).
"""

from __future__ import annotations

import re

from advisor.model.late import dataclass
from advisor.model.shape import Shape

_PARENT = Shape(
    r"(?<![\w.])(?P<of>[0-9a-f]{7,40}|HEAD|(?:origin/|upstream/)?(?:main|master)|v?\d+\.\d+\.\d+)(?:\^\d*|~\d*)+", re.I
)
_DESCRIBED = Shape(
    r"(?<![\w.])v?(?P<tag>\d+\.\d+\.\d+(?:\.?(?:rc|post)\d+)?)-(?P<ahead>\d+)-g(?P<sha>[0-9a-f]{7,40})(?![\w])"
)
_NIGHTLY = Shape(r"(?<![\w/:.-])nightly(?:-[a-z]+)*-(?P<day>20\d{6})-(?P<sha>[0-9a-f]{7,40})(?![\w])", re.I)
_STAGE = Shape(
    r"(?<![\w./+])(?P<number>v?\d{1,3}\.\d+\.\d+)[-_.]?(?P<stage>alpha|beta|preview|pre|rc|post|"
    r"dev)[-_.]?(?P<count>\d+)(?![\w])",
    re.I,
)
_STAGES = {"alpha": "a", "beta": "b", "pre": "rc", "preview": "rc", "post": ".post", "dev": ".dev"}
_SUFFIX = Shape(
    r"(?<![\w./+:-])v?(?P<number>\d{1,3}\.\d+\.\d+(?:\.?(?:rc|post|a|b|dev)\d+)?)-(?P<suffix>[A-Za-z][\w.-]*)"
)
# parts of a tag that say where it runs, not what is in it
_PLATFORM = Shape(
    r"(?:cu\d*|cuda\d*|rocm[\d.]*|mi\d+\w*|hip|cpu|gpu|npu|xpu|musa|maca|py\d*|python\d*|cp\d+|ubuntu[\d.]*|"
    r"debian|openeuler|alpine|linux|manylinux\w*|"
    r"amd64|arm|arm64|aarch64|x86|x86_64|sm\d+|a[123]|310p|910[abc]?|[bhal]\d{2,3}\w?|gb?\d{3}|blackwell|hopper|"
    r"official|stable|stock|release|"
    r"final|docker|image|wheel|devel|dev|runtime|slim|base|full|latest|\d[\d.]*|torch[\d.]*|none|any|based|tp|pp|"
    r"post|rc|x|nightly|g?[0-9a-f]{7,40})"
)
_CHANGED = Shape(
    r"(?:patch\w*|custom\w*|\w*fork\w*|internal|hot-?fix\w*|modified|mod|private|own|wip|experimental|local|"
    r"vendor|hacked|\w+fix)"
)


@dataclass(frozen=True, slots=True)
class Spelled:
    """`text` to read on, a `fork` that a suffix names, and `notes` on what could not be taken."""

    text: str
    fork: str = ""
    notes: tuple[str, ...] = ()


def spelled(text: str) -> Spelled:
    """The text in the spelling that is read; a suffix that names no platform makes a fork."""
    notes: list[str] = []

    def parent(found: re.Match[str]) -> str:
        whole, of = found.group(), found["of"]
        notes.append(
            f"`{whole}` is an ancestor of {of}, not {of} itself: `git rev-parse '{whole}'` gives its own commit"
        )
        return " "

    def described(found: re.Match[str]) -> str:
        notes.append(f"{found['ahead']} commits after {found['tag']}: placed by commit {found['sha']}")
        return f"commit {found['sha']}"

    def stage(found: re.Match[str]) -> str:
        name = found["stage"].lower()
        return f"{found['number']}{_STAGES.get(name, name)}{found['count']}"

    text = _PARENT.sub(parent, text)
    text = _DESCRIBED.sub(described, text)
    text = _NIGHTLY.sub(lambda found: f"nightly {found['day']} commit {found['sha']}", text)
    text = _STAGE.sub(stage, text)
    fork = ""
    for found in _SUFFIX.finditer(text):
        fork = fork or strange(found["suffix"])
    if fork:
        notes.append(f"a build with `-{fork}` in its name is not the stock release: what was changed in it?")
    text = _SUFFIX.sub(lambda found: f"{found['number']} " if strange(found["suffix"]) else found.group(), text)
    return Spelled(text, fork, tuple(notes))


def changed_tag(tag: str) -> str:
    """The part of an image's tag that says its code was changed: `v0.5.18-patched` -> patched; else ""."""
    return next((part for part in re.split(r"[-_]", tag.lower()) if _CHANGED.fullmatch(part)), "")


def strange(suffix: str) -> str:
    """The parts of a suffix that say more than where the build runs: `cu129-patched` -> patched; else ""."""
    parts = [part for part in re.split(r"[-_.]", suffix) if part and not _PLATFORM.fullmatch(part.lower())]
    return "-".join(parts)
