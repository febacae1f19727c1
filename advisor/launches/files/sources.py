"""An image as a place of a file that says which build runs.

image: vllm/vllm-openai:v0.28.0            -> image
"""

from __future__ import annotations

from advisor.model.deployment import Place, VersionSource


def image_source(image: str, place: Place) -> tuple[VersionSource, ...]:
    """The image as a source of the version, also where a template or a variable makes its tag.

    Whether its tag is the engine's release is for those who judge: of `nvcr.io/…/vllm-runtime:1.3.1` it is not.
    """
    return (VersionSource("image", image, place),) if image else ()
