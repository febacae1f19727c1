"""What docker and skopeo print about an image -> the few words in it that name a build.

    "org.opencontainers.image.version": "vllm/vllm-openai:v0.28.0", "org.opencontainers.image.revision": "9f2c…"
    REPOSITORY         TAG             IMAGE ID       CREATED       SIZE
    lmsysorg/sglang    v0.5.16-cu130   7b6a35df1234   3 weeks ago   25GB

The first gives `vllm/vllm-openai:v0.28.0 commit 9f2c…`, the second `lmsysorg/sglang:v0.5.16-cu130`: an image's or a
container's id is hexadecimal too, and no commit. A label of Ubuntu's (version 22.04) is the base image's and is passed
over. None when the text is neither.

**Source:** docker image inspect, docker images, docker ps, skopeo inspect, crictl images; the labels in the Dockerfiles
of vLLM since 3f1a4bb63 (2026-04-29) and of SGLang since 9d9578360 (2026-04-30), read 2026-11-29.
"""

from __future__ import annotations

import re

from advisor.model.late import dataclass
from advisor.model.shape import Shape

MAX_INSPECTED = 200_000  # characters of such output that are read

_LABEL = Shape(  # "org.opencontainers.image.revision": "…", ai.vllm.build.commit=…, VLLM_IMAGE_TAG=…
    r"(?P<name>org\.opencontainers\.image\.(?:version|revision|created|ref\.name|source)|ai\.(?:vllm|sglang)\.(?:build\.commit|image\.tag)|"
    r"(?:VLLM|SGLANG)_(?:BUILD_COMMIT|IMAGE_TAG))[\"']?\s{0,4}[:=]\s{0,4}[\"']?(?P<value>[^\s\"',}\]]{1,200})"
)
_TAGS = Shape(r'"RepoTags"\s*:\s*\[\s*"(?P<tag>[^"\s]{1,250})"')
_NAME = Shape(r'"Name"\s*:\s*"(?P<name>[a-z0-9][^"\s]{1,250}/[^"\s]{1,250})"')  # skopeo
_DIGESTS = Shape(r'"(?:RepoDigests"\s*:\s*\[\s*"[^"\s]*@|Digest"\s*:\s*")(?P<digest>sha256:[0-9a-f]{64})')
_CREATED = Shape(r'"Created"\s*:\s*"(?P<day>\d{4}-\d\d-\d\d)T')
_CUDA = Shape(r'"CUDA_VERSION=(?P<cuda>\d+\.\d+(?:\.\d+)?)"')
_COMMIT = Shape(r"[0-9a-f]{7,40}")
_LISTING = Shape(  # the head line of docker images, docker images (29), docker ps, crictl images
    r"^[ \t]*(?:(?P<images>(?:REPOSITORY|IMAGE)[ \t]+TAG\b)|(?P<plain>IMAGE[ \t]+ID\b)"
    r"|(?P<containers>CONTAINER ID[ \t]+IMAGE\b))[^\n]*$",
    re.M,
)


@dataclass(frozen=True, slots=True)
class Inspected:
    """`text` to read on as if it had been typed; the `image` and `digest` the user's own, and `notes`."""

    text: str
    image: str | None = None
    digest: str | None = None
    notes: tuple[str, ...] = ()


def inspected(text: str) -> Inspected | None:
    """The build's words in the output of a container tool; None when the text is no such output."""
    text = text[:MAX_INSPECTED]
    head = _LISTING.search(text)
    if head:
        return Inspected(_listed(text[head.end() :], head))
    labels = {found["name"]: found["value"] for found in _LABEL.finditer(text)}
    tag = _TAGS.search(text)
    if not labels and not (tag or _DIGESTS.search(text)):
        return None
    named = tag["tag"] if tag else None if (name := _NAME.search(text)) is None else name["name"]
    return _labelled(labels, named, text)


def _listed(rows: str, head: re.Match[str]) -> str:
    """One image reference a line, without the ids."""
    lines = []
    for row in rows.splitlines():
        words = row.split()
        if head["images"] and len(words) >= 3 and words[1] != "<none>":
            digest = next((f"@{word}" for word in words[2:4] if word.startswith("sha256:")), "")
            lines.append(f"{words[0]}:{words[1]}{digest}")
        elif head["plain"] and len(words) >= 2:
            lines.append(words[0])
        elif head["containers"] and len(words) >= 2:
            lines.append(words[1])
    return "\n".join(lines)


def _labelled(labels: dict[str, str], named: str | None, text: str) -> Inspected:
    def first(*ends: str) -> str:
        return next((value for name, value in labels.items() if name.endswith(ends)), "")

    own = _is_engines(labels)
    tag = first("image.tag", "IMAGE_TAG") or (first("image.version") if own else "")
    commit = first("build.commit", "BUILD_COMMIT") or (first("image.revision") if own else "")
    created, cuda, digest = _CREATED.search(text), _CUDA.search(text), _DIGESTS.search(text)
    words = [tag or named or ""]
    words += [f"commit {commit}"] if _COMMIT.fullmatch(commit) else []
    words += [f"created {created['day']}"] if created else []
    words += [f", CUDA {cuda['cuda']}"] if cuda else []
    notes = []
    if labels and not own and first("image.version"):
        notes.append(
            f"the label version {first('image.version')} is the base image's ({first('ref.name') or 'no engine'})"
        )
    if tag and named and tag.partition(":")[0] not in named:
        notes.append(
            f"{named} carries the labels of {tag}: an image built on top keeps them, whatever was installed over it"
        )
    return Inspected(" ".join(words), named, digest["digest"] if digest else None, tuple(notes))


def _is_engines(labels: dict[str, str]) -> bool:
    """Whether the general labels speak of an engine's tree, not of the distribution below it."""
    source = labels.get("org.opencontainers.image.source", "")
    version = labels.get("org.opencontainers.image.version", "")
    return bool(re.search(r"/(?:vllm|sglang|lmdeploy|xllm|vllm-ascend)(?:\.git)?/?$", source)) or ":" in version
