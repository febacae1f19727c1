"""A kustomization beside a manifest × the manifest -> the manifest with the images that are deployed.

    kustomization.yaml   resources: [pods.yaml], images: [{name: vllm/vllm-openai, newTag: v0.28.0}]
    pods.yaml            image: vllm/vllm-openai        judged as vllm/vllm-openai:v0.28.0

Only files that are given to lint together know of each other; what stands in no `resources` is left as it is.

**Source:** kubernetes-sigs/kustomize `api/types/image.go` at 7c547b1ea29f and `api/filters/imagetag/updater.go` at
14947e449bde, read 2026-11-30.
"""

from __future__ import annotations

import posixpath
import re
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, replace

from advisor.launches.files.marks import Node, documents
from advisor.launches.files.scalars import texts
from advisor.model.deployment import Deployment, Workload

_NAME = re.compile(r"(?:^|/)(?:kustomization\.ya?ml|Kustomization)\Z")


@dataclass(frozen=True, slots=True)
class _Image:
    """An entry of `images`: what of the image called `name` is replaced."""

    name: str
    new_name: str
    tag: str
    digest: str

    def of(self, image: str) -> str:
        """The image that is deployed for one that is written."""
        plain, _, digest = image.partition("@")
        head, slash, last = plain.rpartition("/")
        last, colon, tag = last.partition(":")
        if head + slash + last != self.name:
            return image
        name = self.new_name or self.name
        if self.digest:
            return f"{name}@{self.digest}"
        if self.tag:
            return f"{name}:{self.tag}"
        return name + colon + tag + (f"@{digest}" if digest else "")


def is_kustomization(file: str) -> bool:
    """Whether a file of that name may say something of the others."""
    return _NAME.search(file) is not None


def kustomizations(deployments: Iterable[Deployment]) -> list[Deployment]:
    """Those that may say something of the others; few among thousands."""
    return [one for one in deployments if is_kustomization(one.file)]


def overlaid(deployment: Deployment, others: Sequence[Deployment]) -> Deployment:
    """The deployment with its images as a kustomization among the others has them."""
    images = [one for other in kustomizations(others) for one in _images(other, deployment.file)]
    if not images:
        return deployment
    return replace(deployment, workloads=tuple(_with(one, images) for one in deployment.workloads))


def _images(kustomization: Deployment, file: str) -> Iterator[_Image]:
    folder = posixpath.dirname(kustomization.file)
    for document in documents(kustomization.text):
        root = document.root
        if root is None or root.kind != "map" or not any(_holds(folder, one, file) for one in _resources(root)):
            continue
        listed = root.get("images")
        for one in listed.items if listed is not None else ():
            if one.kind == "map" and one.said("name"):
                yield _Image(one.said("name"), one.said("newName"), one.said("newTag"), one.said("digest"))


def _resources(root: Node) -> Iterator[str]:
    for key in ("resources", "bases"):
        yield from texts(root.get(key))


def _holds(folder: str, resource: str, file: str) -> bool:
    named = posixpath.normpath(posixpath.join(folder, resource))
    return posixpath.normpath(file) == named or posixpath.normpath(file).startswith(named + "/")


def _with(workload: Workload, images: Sequence[_Image]) -> Workload:
    def deployed(image: str) -> str:
        return next((new for one in images if (new := one.of(image)) != image), image)

    versions = tuple(replace(one, text=deployed(one.text)) if one.kind == "image" else one for one in workload.versions)
    return replace(workload, versions=versions, launch=replace(workload.launch, image=deployed(workload.launch.image)))
