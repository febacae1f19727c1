"""A YAML file of any kind -> what it deploys: each document by the reader whose shape it has.

    services: {vllm: {image: …}}       compose           servingEngineSpec: {modelSpec: […]}     production-stack values
    run: | …  resources: …             SkyPilot          actor_rollout_ref: {rollout: …}         verl
    max-model-len: 4096 …              an engine's --config        anything else                 Kubernetes, by shape

A document that cannot be parsed (a tab, a conflict marker) costs one note with its line and deploys nothing; where
templates break it, it is read line by line, as `manifests` reads what people paste. The other documents are read as
ever. None means that nothing of the file is ours.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field, replace

from advisor.launches import folded, manifests
from advisor.launches.files import templates
from advisor.launches.files.assembly import launches
from advisor.launches.files.kubernetes import Walk
from advisor.launches.files.marks import Document, Node, documents
from advisor.launches.files.templates import HOLE
from advisor.launches.files.typed import File, Typed
from advisor.launches.words import Word
from advisor.model.deployment import Assignment, Deployment, Service, Workload
from advisor.model.fact import Note
from advisor.model.knowledge import Knowledge

_WORTH = re.compile(
    r"(?i)vllm|sglang|lmdeploy|xllm|kind:\s*[\"']?Service\b|tensor[-_]?(?:model[-_]?)?parallel|max[-_]model[-_]len"
    r"|mem[-_]fraction[-_]static|--model\b|actor_rollout_ref"
)
_REFUSED = re.compile(
    "[^\t\n\r\x20-\x7e\x85\xa0-\ud7ff\ue000-\ufffd\U00010000-\U0010ffff]"
)  # YAML 1.2.2, 5.1 (c-printable)
_CONFLICT = re.compile(r"(?m)^<{7} [^\n]*\n")
_SKY = {"resources", "envs", "setup", "num_nodes", "file_mounts", "workdir", "service", "secrets"}
_SERVED = {"image", "build", "command", "entrypoint", "container_name", "extends", "<<", "environment"}


@dataclass
class _Found:
    workloads: list[Workload] = field(default_factory=list)
    services: list[Service] = field(default_factory=list)
    notes: list[Note] = field(default_factory=list)
    format: str = ""
    pods: int = 0


def read(name: str, text: str, knowledge: Mapping[str, Knowledge]) -> Deployment | None:
    """What the file deploys; None when nothing in it is ours. Never raises on odd text."""
    if not _WORTH.search(text):
        return None
    strange = _REFUSED.search(text)
    masked = templates.mask(_REFUSED.sub("\ufffd", text) if strange else text)
    found = _Found()
    shown = masked.text if HOLE in masked.text or masked.control else ""
    if strange:
        said = (
            f"the character U+{ord(strange.group()):04X} has no place in YAML: programs refuse the file; read without"
        )
        found.notes.append(Note("unreadable", said, File(name, text, "", {}).span(*strange.span())))
    file = File(name, text, "kubernetes", knowledge, shown)
    for document in documents(masked.text):
        _document(document, file, masked, found)
    if ("{{" in text or "{%" in text) and shown and (found.workloads or found.pods):
        at = min(one for one in (text.find("{{"), text.find("{%")) if one >= 0)
        said = "templates are not rendered: values they make are unknown, and what they add or drop is not seen"
        found.notes.append(Note("limit", said, file.span(at, at + 1)))
    if not found.workloads and not found.services and not found.notes:
        return None
    return Deployment(
        name, text, found.format, tuple(_apart(found.workloads)), tuple(found.services), tuple(found.notes)
    )


def _apart(workloads: list[Workload]) -> Iterator[Workload]:
    """The workloads, each of a name and role of its own within the file: the second of a name ends in `#2`."""
    seen: dict[tuple[str, str], int] = {}
    for one in workloads:
        told = (one.identity(), one.role)
        count = seen[told] = seen.get(told, 0) + 1
        yield replace(one, container=f"{one.container}#{count}") if count > 1 else one


def _document(document: Document, file: File, masked: templates.Masked, found: _Found) -> None:
    if document.root is None:
        _broken(document, file, found)
        return
    format_ = _format(document.root, file)
    file = replace(file, format=format_)
    before = len(found.workloads)
    if format_ == "kubernetes":
        walk = Walk(file, masked.control)
        walk.document(document.root)
        found.workloads += walk.workloads
        found.services += walk.services
        found.pods += walk.pods
        found.notes += walk.notes
        if walk.left < 0:
            found.notes.append(Note("limit", "too many nodes: read in part", file.span(document.start, document.start)))
        ours = bool(walk.recognised)
    else:
        found.workloads += _other(format_, document.root, file)
        ours = True
    if ours and not found.format:
        found.format = format_
    if len(found.workloads) > before:
        found.notes += _remarks(document, file, masked)


def _format(root: Node, file: File) -> str:
    keys = root.mapping() if root.kind == "map" else {}
    if "kind" in keys or "containers" in keys:
        return "kubernetes"
    if "services" in keys and any(
        value.kind == "map" and not _SERVED.isdisjoint(value.mapping())
        for _, value in keys["services"][1].mapping().values()
    ):
        return "compose"
    if "servingEngineSpec" in keys:
        return "production-stack"
    if "run" in keys and keys["run"][1].kind == "text" and not _SKY.isdisjoint(keys):
        return "skypilot"
    if "actor_rollout_ref" in keys or {"rollout", "trainer"} <= keys.keys():
        return "verl"
    from advisor.launches.files import engine_config

    return "engine config" if engine_config.engine_of(root, file) is not None else "kubernetes"


def _other(format_: str, root: Node, file: File) -> Iterator[Workload]:
    from advisor.launches.files import compose, engine_config, helm_values, skypilot, verl

    readers = {
        "compose": compose.workloads,
        "production-stack": helm_values.workloads,
        "skypilot": skypilot.workloads,
        "verl": verl.workloads,
        "engine config": engine_config.workloads,
    }
    return readers[format_](root, file)


def _remarks(document: Document, file: File, masked: templates.Masked) -> Iterator[Note]:
    """What is odd in a document that has launches: keys given twice, tags."""
    for key in document.twice if not masked.control else ():
        yield Note(
            "conflict", f"`{key.text[:60]}` is given twice here: the last one counts", file.span(key.start, key.end)
        )
    custom = [one for one in document.tags if not one.tag.startswith("tag:yaml.org,2002:")]
    for one in custom[:3]:
        yield Note("ignored", f"the tag `{one.tag[:60]}` is not acted upon", file.span(one.start, one.start + 1))


# documents that do not parse


def _broken(document: Document, file: File, found: _Found) -> None:
    """One note, and whatever the reader of pastes makes of the document."""
    piece = file.text[document.start : document.end]
    marker = _CONFLICT.search(piece)
    at = document.start + marker.start() if marker else document.at
    said = "a git conflict marker" if marker else f"not readable as YAML: {document.error}"
    lines = manifests.read(piece) if "{{" in piece or "{%" in piece else []
    made = [one for each in lines for one in _in_part(each, document, file)]
    found.workloads += made
    found.format = found.format or ("kubernetes" if made or "apiVersion:" in piece else "")
    more = "; this document was read line by line, in part" if made else "; this document was not read"
    found.notes.append(Note("conflict" if marker else "unreadable", said + more, file.span(at, at + 1)))


def _in_part(one: manifests.Container, document: Document, file: File) -> Iterator[Workload]:
    moved = document.start
    words = [
        Word(each.text, each.start + moved, each.end + moved, each.known, each.open) if each.start >= 0 else each
        for each in one.words or ()
    ]
    given = []
    for each in one.environment:
        low, value, high = each.name_start + moved, each.start + moved, each.end + moved
        place = file.place(low, high, "text")
        known = "$" not in each.value and "{{" not in each.value
        given.append(Assignment(each.name, each.value, place, file.place(value, high, "text"), known))
    typed = Typed(
        words,
        one.start + moved,
        one.end + moved,
        "text",
        environment=given,
        image=one.image,
        scripts=folded.moved(one.scripts, moved),
        whole=False,
    )
    for made in launches(typed, file) or launches(replace(typed, follows=True), file):
        note = Note("limit", "read line by line: command, image and variables only", file.span(typed.start, typed.end))
        yield made.workload(file, file.place(typed.start, typed.end, "text"), notes=(note,))
