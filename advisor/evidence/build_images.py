"""The image in what a person writes for a build -> what its tag says, and what a day beside it adds.

    lmsysorg/sglang:v0.5.16-cu130 · lmsysorg/sglang:latest, pulled 2026-08-02 · mycorp/vllm:prod-7

An image of a scheme that is known is placed by it (`image_tags`); of another one the tag says only what stands in it,
and that it is nobody's we know is said.

**Source:** the forms are those met in public issue threads and manifests, each in the tests.
"""

from __future__ import annotations

import re
from datetime import date, timedelta

from advisor.evidence import image_tags
from advisor.evidence.build_forms import DIGEST, HOME, IMAGE, LOCAL_IMAGE, VERSION, engine_in, names_engine
from advisor.evidence.dates import day, periods
from advisor.evidence.image_tags import Placed, how_to_tell
from advisor.evidence.moving_tags import newest
from advisor.evidence.partial_build import PartialBuild
from advisor.evidence.spellings import changed_tag, strange
from advisor.model.build import Component

# acme/vllm-openai-cu128, team/sglang-patched; not vllm-router, vllm-gaudi, llm-d-cuda
_OWN_NAME = (
    r"(?:[-_](?:openai|server|serve|serving|gpu|cuda[\d.]*|cu\d+|x86_64|amd64|arm64|aarch64|custom|patched|fork|build|"
    r"image|prod|dev|base|release|internal|[a-z]?\d+))*"
)


def take_images(reading: PartialBuild) -> None:
    for found in reading.each(IMAGE):
        name, tag = found["name"], found["tag"] or ""
        if not (tag or found["digest"]):
            continue
        placed = image_tags.place(name, tag, reading.known)
        if placed is None and not names_engine(name, bool(found["digest"])):
            _take_strangers(reading, found)
            continue
        if reading.image is None:
            reading.image, reading.digest = found.group().partition("@")[0], found["digest"]
            if placed and placed.kind:
                _take_placed(reading, placed)
            else:
                reading.engine = reading.engine or (placed.engine if placed else engine_in(name)) or ""
                _read_tag(reading, name, tag)
        reading.take(found.start(), found.end())
    for found in reading.each(DIGEST):
        reading.digest = reading.digest or found.group().lstrip("@").rstrip("….")
        reading.take(found.start(), found.end())
    for found in reading.each(LOCAL_IMAGE):
        reading.image = reading.image or found["name"]
        reading.notes += image_tags.environment(found["name"], reading.engine, reading.known)
        reading.take(found.start("name"), found.end())


def _take_strangers(reading: PartialBuild, found: re.Match[str]) -> None:
    """An image that is the whole answer and no engine's by its name: its number is not the engine's."""
    if "/" not in found["name"] or found.group() != reading.said.strip() or reading.image is not None:
        return
    reading.image = found.group().partition("@")[0]
    engine = reading.engine or "the engine"
    reading.vague = (
        f"{reading.image} does not name a release of {engine}: by its name it is another product, with numbers of its "
        f"own. {how_to_tell(reading.engine, reading.image)}"
    )
    reading.take(found.start(), found.end())


def _take_placed(reading: PartialBuild, placed: Placed) -> None:
    """What the image's own scheme says; of another engine's image nothing is taken but that it is one."""
    if not placed.engine:
        reading.components += placed.components
        reading.notes += placed.notes
        return
    reading.engine = reading.engine or placed.engine
    if placed.engine != reading.engine and placed.engine.partition("-")[0] != reading.engine:
        reading.notes.append(f"{reading.image} is an image of {placed.engine}, not of {reading.engine}")
        return
    reading.components += placed.components
    reading.notes += placed.notes
    if placed.engine != reading.engine:
        _take_plugin(reading, placed)
        return
    reading.version, reading.commit, reading.branch = placed.version, placed.commit, placed.branch
    reading.earliest, reading.latest = placed.earliest, placed.latest
    reading.moving = placed if placed.moving else None


def _take_plugin(reading: PartialBuild, placed: Placed) -> None:
    """An image of vllm-ascend holds a vLLM too, of a number of its own."""
    reading.fork = reading.fork or placed.engine
    tell = how_to_tell(reading.engine, str(reading.image))
    if placed.version:
        reading.components.append(Component(placed.engine, placed.version, where=f"{reading.image}"))
        plugin = reading.known.get(placed.engine)
        release = plugin.release(placed.version) if plugin else None
        pinned = release.pins.get(reading.engine, "").removeprefix("==") if release else ""
        if pinned and not reading.version:
            reading.version = pinned
            reading.notes.append(f"{placed.engine} {placed.version} is made for {reading.engine} {pinned}: {tell}")
            return
    reading.notes.append(f"the tag of {reading.image} counts {placed.engine}, not {reading.engine}: {tell}")


def settle_moving(reading: PartialBuild) -> None:
    """A tag that is pushed again and again is placed by the day it was pulled or made; without one it is asked for."""
    placed, last, image = reading.moving, reading.latest, str(reading.image)
    if placed is None or reading.version or reading.commit:
        return
    made = re.search(r"\b(?:created|built)\b|创建|构建于", reading.said, re.I) is not None
    reading.earliest = last - timedelta(days=1) if last and made and placed.kind == "main" else None
    if last is None:
        when = "a tag that is pushed again and again, and no day is said on which it was pulled"
        reading.notes.append(f"{image} does not name a release: {when}. {how_to_tell(placed.engine, image)}")
    elif placed.kind == "newest release" and placed.engine in reading.known and not made:
        first = _pulled_from(reading.said, last)
        reading.version, why = newest(placed, reading.known[placed.engine], first, last)
        reading.inferred = reading.version is not None
        reading.notes.append(f"{image}: {why}. {how_to_tell(placed.engine, image)}")
    else:
        what = "main" if placed.kind == "main" else "what it holds is"
        reading.notes.append(f"{image}: {what} of {last} or before. {how_to_tell(placed.engine, image)}")


def _pulled_from(text: str, last: date) -> date | None:
    """The first of the days on which an image can have been pulled; None when only a last one is said."""
    if re.search(r"\b(?:before|until|up to|by)\b|截至", text, re.I):
        return None
    return next((one.first for one in periods(text) if one.last == last), last)


def _read_tag(reading: PartialBuild, name: str, tag: str) -> None:
    """What an image's tag says of the engine: a version, a nightly's commit and day, or nothing."""
    owner = name.rpartition("/")[0].rpartition("/")[2].lower()
    number = re.match(rf"{VERSION}(?=$|[-_])", tag) or re.search(
        r"(?:vllm|sglang|lmdeploy)[_-]v?(?P<version>\d+\.\d+\.\d+(?:\.?(?:rc|post)\d+)?)(?=$|[-_])", tag
    )
    if name.startswith("nvcr.io/") or number is None:
        reading.commit = (
            _tag_commit(tag) if owner in HOME else None
        )  # a stranger's tag may name a commit of his own tree
        built = re.search(r"(?<!\d)(20\d\d)(\d\d)(\d\d)(?!\d)", tag)
        if built and "nightly" in tag:
            reading.earliest = reading.latest = day(int(built[1]), int(built[2]), int(built[3]))
        if not reading.commit:
            reading.vague = _unplaced(reading, owner)
        return
    if reading.known and (made := re.search(r"(?<!\d)(20\d\d)(\d\d)(\d\d)(?!\d)", tag)) and owner in HOME:
        reading.latest = day(int(made[1]), int(made[2]), int(made[3]))
        reading.vague = _unplaced(reading, owner)
        return
    if why := _strange(reading, name, number["version"], owner in HOME):
        reading.vague = f"{reading.image} does not name a release of the engine: {why}. " + how_to_tell(
            reading.engine, str(reading.image)
        )
        return
    reading.version = number["version"]
    changed = changed_tag(tag) or (_odd_form(tag, number) if reading.known and owner in HOME else "")
    if changed or (reading.engine == "vllm" and engine_in(name) == "vllm-ascend"):
        reading.fork = reading.fork or changed or "vllm-ascend"
        reading.notes.append(f"{reading.image} is not the stock release {reading.version}: what was changed in it?")
    if owner not in HOME:
        reading.notes.append(
            f"{reading.image} is not an image of the project itself; its version is taken from the tag"
        )


def _odd_form(tag: str, number: re.Match[str]) -> str:
    """What stands behind the number in a tag of the project's own image, where the project gives out no such form."""
    return strange(tag[number.end("version") :]) if number.start("version") <= 1 else ""


def _strange(reading: PartialBuild, name: str, version: str, home: bool) -> str:
    """Why the number in a stranger's tag is not the engine's: another product, or no release of that number."""
    last = name.rpartition("/")[2]
    plugin = engine_in(name) not in (None, reading.engine)  # vllm-ascend holds a vLLM, and is told apart below
    if reading.engine and not plugin and not re.fullmatch(rf"{reading.engine}{_OWN_NAME}", last, re.I):
        return f"by its name it is another product than {reading.engine}, with numbers of its own"
    known = reading.known.get(reading.engine)
    plain = version.partition("+")[0]
    if not home and known and known.releases and not (known.release(plain) or {f"v{plain}", plain} & known.tags.keys()):
        return f"{plain} is no release of {reading.engine} known here"
    return ""


def _unplaced(reading: PartialBuild, owner: str) -> str:
    """Why an image's tag places nothing, and what would."""
    image = str(reading.image)
    if reading.digest:
        image = f"{image}@{reading.digest}"
        why = f"no table here says which release a digest is; `skopeo inspect docker://{image}` shows its labels"
    elif owner not in HOME:
        why = "it is not an image of the project itself, and only its builder knows what the tag means"
    else:
        why = "its tag has no form that the project's releases have"
    return f"{image} does not name a release of the engine: {why}. {how_to_tell(reading.engine, image)}"


def _tag_commit(tag: str) -> str | None:
    found = re.search(r"(?:^|-)([0-9a-f]{7,40})$", tag)
    return found.group(1) if found and re.search("[a-f]", found.group(1)) and re.search(r"\d", found.group(1)) else None
