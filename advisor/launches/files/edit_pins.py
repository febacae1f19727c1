"""A file that pins an engine's release -> the file with another release in the same places.

    image: vllm/vllm-openai:v0.28.0   ->  vllm/vllm-openai:v0.30.0        pip install vllm==0.28.0  ->  vllm==0.30.0

The version's own characters change, a `v` before it and a suffix behind it (`-cu130`) stay: whether a tag of that name
was published is not known here. A tag of a foreign image, a digest or a commit is left, and said.
"""

from __future__ import annotations

import re
from collections.abc import Mapping

from advisor.launches.files.edit_spans import Span, cut
from advisor.launches.files.recognise import read_file
from advisor.model.deployment import Deployment, VersionSource, Workload
from advisor.model.knowledge import Knowledge


def repinned(
    deployment: Deployment, engine: str, old: str, new: str, knowledge: Mapping[str, Knowledge]
) -> tuple[str, tuple[str, ...]]:
    """The text, and what of it has to be done by hand. Read again, it has the same launches; else nothing changes."""
    sources = {
        (one.place.start, one.place.end): one
        for workload in deployment.workloads
        if workload.launch.engine in (engine, "")
        for one in workload.versions
    }
    spans: set[Span] = set()
    notes: list[str] = []
    for place, one in sorted(sources.items()):
        span = _version(deployment.text, place, old) if one.kind != "git" else None
        if span is None:
            notes.append(_by_hand(one, new))
            continue
        spans.add(span)
        suffix = deployment.text[span[1] : place[1]].strip("\"'") if place[0] <= span[0] < place[1] else ""
        suffix = suffix if re.match(r"-[\w.-]+", suffix) else ""
        if one.kind == "image" and (suffix or not _upstream(one.text, engine, knowledge)):
            notes.append(f"{one.text}: whether {new}{suffix} was published under this name is not known here")
    text = deployment.text
    for span in sorted(spans, reverse=True):
        text = cut(text, span, new)
    if not sources:
        notes.append(f"the file names no release: see that {new} is what runs")
    if text != deployment.text and not _as_before(deployment, text, new, knowledge):
        return deployment.text, (f"the release could not be edited here: name {new} by hand",)
    return text, tuple(dict.fromkeys(notes))


def _upstream(image: str, engine: str, knowledge: Mapping[str, Knowledge]) -> bool:
    """Whether it is an image of the engine's own project."""
    known = knowledge.get(engine)
    name = image.partition("@")[0].rpartition(":")[0].removeprefix("docker.io/")
    return known is not None and name in map(str, known.profile.get("images") or ())


def _version(text: str, place: Span, old: str) -> Span | None:
    """The characters of the version: in the place itself, or where a variable in it is given its value."""
    version = rf"(?<![\d.]){re.escape(old)}(?![\d]|\.\d)"
    found = list(re.finditer(version, text[place[0] : place[1]]))
    if found:
        return place[0] + found[-1].start(), place[0] + found[-1].end()
    names = re.findall(r"\$\{?([A-Za-z_]\w*)", text[place[0] : place[1]])
    given = [one for name in names for one in re.finditer(rf"\b{name}[ \t]*(?::-|[:=])[ \t]*[^\s#]*?({version})", text)]
    return given[0].span(1) if len(given) == 1 else None


def _by_hand(one: VersionSource, new: str) -> str:
    return f"{one.text} ({one.kind}) does not name the release it is edited from: see that it is {new}"


def _as_before(deployment: Deployment, text: str, new: str, knowledge: Mapping[str, Knowledge]) -> bool:
    """Whether the text reads as the same launches, and names the new release."""
    after = read_file(deployment.file, text.encode("utf-8", "surrogatepass"), knowledge)
    named = any(new in source.text for each in after.workloads for source in each.versions)
    return named and list(map(_said, after.workloads)) == list(map(_said, deployment.workloads))


def _said(one: Workload) -> tuple[object, ...]:
    settings = [(each.flag, str(each.value)) for each in one.launch.settings if each.start >= 0]
    return one.identity(), one.launch.engine, settings, [(each.name, each.value) for each in one.environment]
