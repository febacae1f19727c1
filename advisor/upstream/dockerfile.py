"""A Dockerfile -> what it is built from when no build argument is given: the values of its ARGs and its base image.

    ARG CANN_VERSION=9.1.0
    FROM quay.io/ascend/cann:${CANN_VERSION}-910b-ubuntu22.04-py3.12
    ARG VLLM_TAG=v0.27.1

gives ``VLLM_TAG`` -> ``v0.27.1`` and the base image with its variables put in. What a build passes with ``--build-arg``
is not known from the file.

Source: https://docs.docker.com/reference/dockerfile/#arg (read 2026-11-29)
"""

from __future__ import annotations

import re

# ARG VLLM_COMMIT=""   ARG CUDA_VERSION
_ARG = re.compile(r"^\s*ARG\s+(\w+)(?:=(\S*))?", re.MULTILINE | re.IGNORECASE)
# FROM --platform=linux/amd64 quay.io/ascend/cann:8.5.0 AS build
_FROM = re.compile(r"^\s*FROM\s+(?:--\S+\s+)*(\S+)", re.MULTILINE | re.IGNORECASE)
_VARIABLE = re.compile(r"\$(?:\{(\w+)\}|(\w+))")


def arguments(text: str) -> dict[str, str]:
    """Each ARG that has a default, with the variables in it put in; of two defaults the first stands."""
    found: dict[str, str] = {}
    for name, value in _ARG.findall(text):
        if value:
            found.setdefault(name, filled(value.strip("\"'"), found))
    return found


def base_image(text: str) -> str | None:
    """The image the last stage is built from; None when there is none or a variable in it has no default."""
    images = _FROM.findall(text)
    image = filled(images[-1], arguments(text)) if images else "$"
    return None if "$" in image else image


def filled(text: str, values: dict[str, str]) -> str:
    """A text with ``$NAME`` and ``${NAME}`` put in; a name without a value stays as it is."""
    return _VARIABLE.sub(lambda found: values.get(found[1] or found[2], found[0]), text)
