"""The tag of a container image -> the build in it, as far as the image's own scheme establishes that.

    vllm/vllm-openai:v0.28.0-cu129                    release 0.28.0, CUDA 12.9
    vllm/vllm-openai:nightly-4f819f801…               that commit of main
    lmsysorg/sglang:nightly-dev-20260801-1a2b3c4d     that commit of main, of that day or the one before
    lmsysorg/sglang-rocm:v0.5.17-rocm720-mi35x-20260817     main of that day: the number is the last release's
    lmsysorg/sglang:latest, nvcr.io/nvidia/vllm:26.04-py3   nothing by itself; the note says which command tells

An image of no known scheme gives None, for its owner alone knows what its tags mean. A nightly's day is that on which
its tag was made: the commit may be a day older.

**Source:** the projects' own workflows, Dockerfiles and release notes, named in `knowledge/<engine>/images.yaml`.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping
from dataclasses import field
from datetime import date, timedelta

from advisor.evidence import image_schemes
from advisor.evidence.dates import day
from advisor.evidence.image_schemes import Scheme
from advisor.model.build import Component, order_key
from advisor.model.knowledge import Knowledge
from advisor.model.late import dataclass

_ARCHITECTURES = {
    "amd64": "x86_64", "x86": "x86_64", "x86_64": "x86_64", "arm64": "aarch64", "arm": "aarch64", "aarch64": "aarch64",
}  # fmt: skip


@dataclass(frozen=True, slots=True)
class Placed:
    """What an image's tag says. `kind` is the scheme's word for it, "" when the tag has none of the scheme's forms.

    `components` follow from the tag's words or the scheme's table; `arch` is x86_64, aarch64 or "". `moving` holds for
    a tag that is pushed again and again, so that only a day can place it; with `prereleases` it follows those too.
    """

    engine: str
    scheme: str
    kind: str = ""
    version: str | None = None
    commit: str | None = None
    branch: str | None = None
    earliest: date | None = None
    latest: date | None = None
    components: tuple[Component, ...] = ()
    arch: str = ""
    moving: bool = False
    prereleases: bool = False
    notes: tuple[str, ...] = field(default=())


def place(name: str, tag: str, known: Mapping[str, Knowledge]) -> Placed | None:
    """What `name:tag` holds; None when no engine's knowledge has a scheme for `name`."""
    found = image_schemes.scheme(name, tag, known)
    if found is None or found.rule is None:
        return Placed(found.engine, found.name) if found else None
    image, kind = f"{name}:{tag}", str(found.rule["is"])
    made = _day(found.said.get("date"))
    version, components, notes = _content(found, image, made, known.get(found.engine))
    commit = found.said.get("sha") if kind in ("main", "commit", "branch") else None
    placed = bool(version or commit or (made and kind == "main"))
    moving = not placed and kind in ("main", "newest release")
    if not placed and not moving:
        notes += (_ask(found.engine, image, kind),)
    dated = made if not version and kind in ("main", "special", "vendor") else None
    return Placed(
        engine=found.engine,
        scheme=found.name,
        kind=kind,
        version=version,
        commit=commit,
        branch="main" if kind == "main" else None,
        earliest=dated - timedelta(days=1) if dated and kind == "main" else None,
        latest=dated,
        components=components,
        arch=next((_ARCHITECTURES[word] for word in found.words() if word in _ARCHITECTURES), ""),
        moving=moving,
        prereleases=bool(found.rule.get("prereleases")),
        notes=((f"{name} is taken for a mirror of {found.name}",) if found.mirror else ()) + notes,
    )


def environment(tag: str, engine: str, known: Mapping[str, Knowledge]) -> tuple[str, ...]:
    """What to say of an image without an engine in it that goes by its tag alone: `xllm-dev-a3-arm-20260429`."""
    placed = (place(name, tag, known) for name in image_schemes.names(engine, known))
    return next((one.notes for one in placed if one and one.kind == "environment"), ())


def how_to_tell(engine: str, image: str) -> str:
    """The commands that settle what an image holds."""
    if engine == "xllm":
        return "`git rev-parse HEAD` in the tree that xllm was compiled from tells"
    packages = engine or "vllm sglang lmdeploy"
    labels = f"`docker image inspect --format '{{{{json .Config.Labels}}}}' {image}` (version and revision)"
    return f"`docker run --rm --entrypoint pip {image} show {packages}` tells, or {labels}"


def _ask(engine: str, image: str, kind: str) -> str:
    what = f"does not name a release of {engine}" if engine else "carries no engine of its own"
    what = f"does not say which {engine} runs" if kind == "environment" else what
    return f"{image} {what}: {how_to_tell(engine, image)}"


def _content(
    found: Scheme, image: str, made: date | None, known: Knowledge | None
) -> tuple[str | None, tuple[Component, ...], tuple[str, ...]]:
    """The engine's version, the components beside it, and what is to be said of both."""
    rule, kind = found.rule or {}, (found.rule or {}).get("is")
    notes = (f"{image}: {rule['note']}",) if rule.get("note") else ()
    if kind == "table":
        return _listed(found, image, notes)
    version = found.said.get("version")
    components = (*_components(found.words(), image), *_defaults(found, version, image))
    if kind == "release":
        return version, components, notes
    if kind != "vendor" or not version:
        return None, components, notes  # a number beside a day is that of the last release
    release = known.release(version) if known else None
    if release and release.date and made and made < release.date:
        return None, components, (f"{image} is older than {version}, which was released on {release.date}",)
    return version, components, (*notes, f"{image} is given as {version}. {found.rules['vendor']}")


def _listed(
    found: Scheme, image: str, notes: tuple[str, ...]
) -> tuple[str | None, tuple[Component, ...], tuple[str, ...]]:
    """What the scheme's table says that an image holds; nothing for a tag that is not in it."""
    held = {
        name: str(text) for name, text in ((found.rule or {}).get("holds") or {}).get(found.said["key"], {}).items()
    }
    version = held.pop(found.engine, None)
    components = tuple(Component(name, text, "default", f"held by {image}") for name, text in held.items())
    if version and found.rules.get("vendor"):
        notes += (f"{image} is given as {found.engine} {version}. {found.rules['vendor']}",)
    return version, components, notes


def _day(text: str | None) -> date | None:
    return day(int(text[:4]), int(text[4:6]), int(text[6:])) if text else None


def _components(words: list[str], image: str) -> Iterator[Component]:
    """CUDA, ROCm and CANN as the words of a tag name them: cu130, cu12.8, rocm720, cann9.0.0."""
    for word in words:
        cuda = re.fullmatch(r"cu(\d\d)\.?(\d)", word)
        rocm = re.fullmatch(r"rocm(?:(\d)(\d)(\d)|(\d+\.[\d.]+))", word)
        cann = re.fullmatch(r"cann(\d[\w.]*)", word)
        if cuda:
            yield Component("cuda", f"{cuda[1]}.{cuda[2]}", where=f"{word} in {image}")
        elif rocm:
            yield Component("rocm", rocm[4] or f"{rocm[1]}.{rocm[2]}.{rocm[3]}", where=f"{word} in {image}")
        elif cann:
            yield Component("cann", cann[1], where=f"{word} in {image}")


def _defaults(found: Scheme, version: str | None, image: str) -> Iterator[Component]:
    """CUDA as the scheme has it for a release whose tag does not say, or says only `cu12`."""
    words = found.words()
    if not version or any(re.match("rocm|cann|xeon|xpu|cpu|cu1[23][.0-9]", word) for word in words):
        return
    table = found.rules.get("cu12" if "cu12" in words else "cuda") or {}
    since = [one for one in table if order_key(one) <= order_key(version)]
    number = table[max(since, key=order_key)] if since else None
    if number:
        yield Component("cuda", str(number), "default", f"the default of {image}")
