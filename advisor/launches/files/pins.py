"""Words that install an engine or name its image -> version sources.

    pip install vllm==0.28.0            uv pip install 'sglang[all]>=0.5.9'      -> pip `vllm==0.28.0`, …
    pip install git+https://github.com/vllm-project/vllm.git@4f2b1c9e7            -> git `4f2b1c9e7`
    git clone -b v0.28.0 https://github.com/vllm-project/vllm && git checkout SHA -> git `SHA`
    vllm/vllm-openai:v0.28.0            docker://lmsysorg/sglang:v0.5.16          -> image

A requirement without a number, or a clone without a commit, is a source as well: it says that the build is not pinned.
Of a repository that is not the engine's own, the text is `owner/name@ref`: a fork.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass

from advisor.launches.command_line import image_engine
from advisor.launches.words import Word
from advisor.launches.wrappers import base
from advisor.model.deployment import VersionKind
from advisor.model.knowledge import Knowledge

_REQUIREMENT = re.compile(r"([A-Za-z][\w.-]*)(\[[\w,\s.-]*\])?\s*((?:[=<>!~]=?=?[^;#]*)?)(?:\s*@\s*(\S+))?")
_GIT = re.compile(
    r"(?=.*\Z)(?:git\+)?(?:https?|ssh|git)(?:://|@)[\w.@-]+[/:]([\w.-]+)/([\w.-]+?)(?:\.git)?(?:@([\w./-]+))?"
    r"(?:[#/?].*)?\Z"
)
_WHEEL = re.compile(
    r"(?:.*/)?+(?=.{1,255}\Z).*?([A-Za-z]\w*)-(\d[\w.+!]*?)(?:-\w+)*-(?:py|cp)\d\w*-[\w.]+-[\w.]+\.whl\Z"
)  # vllm-0.28.0+cu129-cp38-…
_BY_COMMIT = re.compile(r"wheels\.vllm\.ai/([0-9a-f]{40})")
_TAG = re.compile(r":v?(\d+(?:\.\d+)+(?:\.?(?:post|dev|rc|a|b)\d+)*)")  # :v0.28.0-cu130
_INSTALLERS = {"pip", "pip3", "uv", "conda", "mamba", "micromamba", "pixi", "poetry", "rye", "pipx"}
_RUNNERS = {"uv", "uvx", "pipx"}
_WITH_VALUE = {
    "-r", "--requirement", "-c", "--constraint", "-i", "--index-url", "--extra-index-url", "-f", "--find-links", "-p",
    "--torch-backend", "--python", "--index-strategy", "--index", "-t", "--target", "-n", "--name",
}  # fmt: skip


@dataclass(frozen=True, slots=True)
class Pin:
    """What installs the engine `engine`, the characters that say so (-1 where they stand nowhere as such)."""

    engine: str
    kind: VersionKind
    text: str
    start: int
    end: int


def engine_of_package(name: str, knowledge: Mapping[str, Knowledge]) -> str:
    """The engine that a package of this name installs, or ""."""
    plain = re.sub(r"[-_.]+", "-", name).lower()
    for engine, known in knowledge.items():
        if plain in [re.sub(r"[-_.]+", "-", str(one)).lower() for one in known.profile.get("packages") or ()]:
            return engine
    return ""


def engine_of_repository(name: str, knowledge: Mapping[str, Knowledge]) -> str:
    """The engine whose repository, or whose fork, has this name (without the owner), or ""."""
    for engine, known in knowledge.items():
        if str(known.profile.get("repo") or "").rpartition("/")[2].lower() == name.lower():
            return engine
    return ""


def requirement(text: str, start: int, knowledge: Mapping[str, Knowledge]) -> Pin | None:
    """The pin that a requirement makes, or None when it is of nothing known here."""
    shown = text.strip()
    if found := _git(shown, knowledge):
        return Pin(found[0], "git", found[1], start, start + len(text))
    if wheel := _WHEEL.match(shown):
        engine = engine_of_package(wheel.group(1), knowledge)
        return Pin(engine, "pip", f"{wheel.group(1)}=={wheel.group(2)}", start, start + len(text)) if engine else None
    named = _REQUIREMENT.match(shown)
    engine = engine_of_package(named.group(1), knowledge) if named else ""
    if not named or not engine or (named.end() < len(shown) and shown[named.end()] not in " ;#"):
        return None
    if named.group(4) and (found := _git(named.group(4), knowledge)):
        return Pin(engine, "git", found[1], start, start + len(text))
    shown = named.group(1) + (named.group(2) or "") + "".join(named.group(3).split())
    return Pin(engine, "pip", shown, start, start + len(text))


def _git(text: str, knowledge: Mapping[str, Knowledge]) -> tuple[str, str] | None:
    found = _GIT.match(text) if "://" in text or text.startswith("git@") else None
    engine = engine_of_repository(found.group(2), knowledge) if found else ""
    if not found or not engine:
        return None
    return engine, _of_repository(f"{found.group(1)}/{found.group(2)}", found.group(3) or "", knowledge[engine])


def _of_repository(repo: str, ref: str, known: Knowledge) -> str:
    own = repo.lower() == str(known.profile.get("repo") or "").lower()
    return ref if own and ref else f"{repo}@{ref}" if ref else repo


def of_command(words: Sequence[Word], knowledge: Mapping[str, Knowledge]) -> tuple[list[Pin], list[Pin]]:
    """An installer's pins, and those of a runner (`uv run --with`), which hold for that one command."""
    at = next((index for index, word in enumerate(words) if base(word.text) in _INSTALLERS | _RUNNERS), None)
    if at is None:
        return [], []
    texts = [word.text for word in words]
    if "install" in texts[at:] or "add" in texts[at : at + 3]:
        begin = next(index for index in range(at, len(texts)) if texts[index] in ("install", "add")) + 1
        return [*_nightly(words[begin:], knowledge), *_listed(words[begin:], knowledge)], []
    brought = [at + 1 for at in range(at, len(words) - 1) if texts[at] in ("--with", "--from", "--spec")]
    return [], [pin for index in brought for pin in _listed(words[index : index + 1], knowledge)]


def _nightly(words: Sequence[Word], knowledge: Mapping[str, Knowledge]) -> Iterator[Pin]:
    """vLLM's index of wheels by commit, given as an index."""
    for word in words:
        if "vllm" in knowledge and (found := _BY_COMMIT.search(word.text)):
            yield Pin("vllm", "git", found.group(1), word.start, word.end)


def _listed(words: Sequence[Word], knowledge: Mapping[str, Knowledge]) -> Iterator[Pin]:
    skip = False
    for word in words:
        if skip or word.text.startswith("-"):
            skip = not skip and word.text in _WITH_VALUE
            continue
        if pin := requirement(word.text, word.start, knowledge):
            yield Pin(pin.engine, pin.kind, pin.text, word.start, word.end)


def of_image(word: Word, knowledge: Mapping[str, Knowledge]) -> Pin:
    """The pin an image makes; its engine is "" where the image is nobody's, and its tag no version."""
    text = re.sub(r"\A(?:docker|oras|library|docker-daemon|dockerd)://", "", word.text)
    engine = image_engine(text, knowledge) or ""
    if not engine and text.endswith((".sif", ".sqsh")):  # a file made of an image, named after it by hand
        engine = next((one for one in knowledge if one in base(text).lower()), "")
    return Pin(engine, "image", text, word.start, word.end)


class Clones:
    """Follows `git clone` and `git checkout` through a script: which commit of an engine is built."""

    def __init__(self, knowledge: Mapping[str, Knowledge]) -> None:
        self.knowledge = knowledge
        self.repo, self.engine = "", ""

    def read(self, words: Sequence[Word]) -> Iterator[Pin]:
        """The pin that a git command makes."""
        texts = [word.text for word in words]
        if not texts or base(texts[0]) != "git":
            return
        if "clone" in texts[:6]:
            yield from self._clone(words)
        elif self.engine:
            verb = next((one for one in texts[1:5] if one in ("checkout", "reset", "switch", "fetch")), "")
            named = [word for word in words[texts.index(verb) + 1 :] if not word.text.startswith("-")] if verb else []
            named = [word for word in named if word.text not in ("origin", "upstream", self.repo)]
            if named and verb != "fetch":
                yield self._pin(named[-1].text, named[-1])

    def _clone(self, words: Sequence[Word]) -> Iterator[Pin]:
        for word in words:
            found = _GIT.match(word.text)
            engine = engine_of_repository(found.group(2), self.knowledge) if found else ""
            if found and engine:
                self.repo, self.engine = f"{found.group(1)}/{found.group(2)}", engine
                branch = self._branch(words)
                yield self._pin(branch.text, branch) if branch else self._pin("", word)
                return

    def _branch(self, words: Sequence[Word]) -> Word | None:
        for index, word in enumerate(words[:-1]):
            if word.text in ("-b", "--branch", "--revision"):
                return words[index + 1]
        return None

    def _pin(self, ref: str, word: Word) -> Pin:
        return Pin(
            self.engine, "git", _of_repository(self.repo, ref, self.knowledge[self.engine]), word.start, word.end
        )


def latest(pins: Sequence[Pin]) -> list[Pin]:
    """The pins that stand: a commit checked out after a clone replaces the clone's own, a second install the first."""
    kept: dict[tuple[str, str], Pin] = {}
    for one in pins:
        what = (one.kind, "" if one.kind == "image" else one.engine)  # a plugin is installed beside its engine
        kept.pop(what, None)
        kept[what] = one
    return list(kept.values())


def called(engine: str, pins: Sequence[Pin]) -> str:
    """The engine under the name of the plugin that an image or a package brings: vllm-ascend."""
    names = [one.engine for one in pins if one.engine.startswith(engine + "-")]
    return names[-1] if names else engine


def version(pins: Sequence[Pin]) -> str | None:
    """The release that the pins name, the surest first (pip, git tag, image tag); None when they name none."""
    for kind in ("pip", "git", "image"):
        for one in pins:
            if one.kind != kind:
                continue
            if kind == "pip" and (found := re.search(r"===?v?(\d[\w.+!]*)", one.text)):
                return found.group(1)
            if kind == "git" and (found := re.fullmatch(r"v?(\d+\.\d+[\w.]*)", one.text)):
                return found.group(1)
            if kind == "image" and (found := _TAG.search(one.text)):
                return found.group(1)
    return None
