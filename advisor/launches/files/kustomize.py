"""The JSON patches of a kustomization -> the arguments that they add, and what of it is not applied here.

    images: [{name: vllm/vllm-openai, newTag: v0.28.0}]      -> `--disable-log-requests`, of an image v0.28.0
    patches:
    - patch: |-
        - {op: add, path: /spec/template/spec/containers/0/args/-, value: --disable-log-requests}

A patch is a part of a command line whose rest stands elsewhere: it is read where the kustomization itself says which
engine's image it is for, or where its flags do; otherwise a note says that it is not.

**Source:** RFC 6902 (April 2013), 4.1 and 4.3 (add, replace); kubernetes-sigs/kustomize `api/types/image.go` at
7c547b1ea29f and `api/types/patch.go` at d639ef6d0ff2, read 2026-11-30.
"""

from __future__ import annotations

import re
from collections.abc import Iterator

from advisor.launches.files import scalars
from advisor.launches.files.assembly import launches
from advisor.launches.files.marks import Node
from advisor.launches.files.origins import inside
from advisor.launches.files.sources import image_source
from advisor.launches.files.typed import File, Typed
from advisor.launches.spelling import looks_like_flag
from advisor.model.deployment import Workload
from advisor.model.fact import Note

_ARGUMENTS = re.compile(r"/containers/[^/]+/args(?:/[^/]+)?\Z")


def workloads(root: Node, file: File, notes: list[Note]) -> Iterator[Workload]:
    """The engines whose arguments the patches add to; what is left out goes to `notes`."""
    image, spot = _image(root, file)
    for key in ("patches", "patchesJson6902"):
        listed = root.get(key)
        for entry in listed.items if listed is not None else ():
            patch = entry.get("patch") if entry.kind == "map" else None
            for document in inside(patch, file.seen) if patch is not None and patch.kind == "text" else ():
                if document.root is not None and document.root.kind == "list" and patch is not None:
                    yield from _operations(document.root, patch, entry, image, spot, file, notes)
    if image and spot is not None and (root.get("resources") or root.get("bases")) is not None:
        said = f"{image} is what the files under `resources` run: known only where they are judged with this one"
        notes.append(Note("limit", said, file.span(spot.start, spot.end)))


def _image(root: Node, file: File) -> tuple[str, Node | None]:
    """The one image of an engine that the kustomization sets; none where it sets several."""
    listed = root.get("images")
    found = []
    for one in listed.items if listed is not None and listed.kind == "list" else ():
        name = one.said("newName") or one.said("name")
        tag, digest = one.said("newTag"), one.said("digest")
        if file.engine_of(name) and (tag or digest):
            image = f"{name}@{digest}" if digest else f"{name}:{tag}"
            found.append((image, one.get("newTag") or one.get("digest")))
    return found[0] if len(found) == 1 else ("", None)


def _operations(
    root: Node, patch: Node, entry: Node, image: str, spot: Node | None, file: File, notes: list[Note]
) -> Iterator[Workload]:
    values = [value for one in root.items if (value := _value(one)) is not None]
    if not values:
        return
    out = scalars.Argv()
    for value in values:
        listed = value if value.kind == "list" else Node("list", value.start, value.end, "block", items=[value])
        added = scalars.argv([listed], file)
        out.words += added.words
        out.forms |= added.forms
    flags = [one for one in out.words if looks_like_flag(one.text.partition("=")[0])]
    typed = Typed(out.words, patch.start, patch.end, "block item", out.forms, image=image, whole=False, follows=True)
    made = launches(typed, file) if flags else []
    for one in made:
        yield one.workload(
            file,
            file.place(patch.start, patch.end, "mapping value"),
            kind=entry.said("target", "kind"),
            name=entry.said("target", "name"),
            versions=image_source(image, file.place(spot.start, spot.end, "mapping value")) if spot else (),
            notes=(
                Note("limit", "a patch: the rest of the command line is not here", file.span(patch.start, patch.end)),
            ),
        )
    if not made:
        said = "a patch of arguments whose engine the file does not tell: it is not applied here"
        notes.append(Note("limit", said, file.span(patch.start, patch.end)))


def _value(operation: Node) -> Node | None:
    """The arguments that an operation brings; None of any other operation."""
    if operation.kind != "map" or operation.said("op") not in ("add", "replace"):
        return None
    value = operation.get("value")
    return value if value is not None and _ARGUMENTS.search(operation.said("path")) and value.kind != "map" else None
