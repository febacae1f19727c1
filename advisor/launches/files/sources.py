"""Images and pins -> the places of a file that say which build runs.

image: vllm/vllm-openai:v0.28.0            -> image
pip install "vllm==0.28.0"                 -> pip, quotes within its place
pip install git+https://…/vllm.git@SHA     -> git
"""

from __future__ import annotations

import re
from collections.abc import Iterable

from advisor.launches.files.typed import File
from advisor.model.deployment import Place, VersionSource


def image_source(image: str, place: Place) -> tuple[VersionSource, ...]:
    """The image as a source of the version, also where a template or a variable makes its tag.

    Whether its tag is the engine's release is for those who judge: of `nvcr.io/…/vllm-runtime:1.3.1` it is not.
    """
    return (VersionSource("image", image, place),) if image else ()


def pins(file: File, engine: str, places: Iterable[tuple[int, int]]) -> tuple[VersionSource, ...]:
    """The engine's package as installed within these characters: `vllm==0.28.0`, `git+https://…/vllm@SHA`."""
    known = file.knowledge.get(engine)
    names = [str(one) for one in (known.profile.get("packages") if known else None) or [engine]]
    pattern = _pin(tuple(names), str(known.profile.get("repo") or "") if known else "")
    found = []
    for start, end in places:
        for one in pattern.finditer(file.text, max(0, start), end):
            kind = "pip" if one.group(1) else "git"
            low, high = one.span()
            if file.text[low - 1 : low] in ("'", '"') and file.text[high : high + 1] == file.text[low - 1]:
                low, high = low - 1, high + 1
            found.append(VersionSource(kind, one.group(), file.place(low, high, "text")))  # type: ignore[arg-type]
    return tuple(found)


_pins: dict[tuple[tuple[str, ...], str], re.Pattern[str]] = {}


def _pin(names: tuple[str, ...], repo: str) -> re.Pattern[str]:
    key = (names, repo)
    if key not in _pins:
        package = "|".join(map(re.escape, names))
        _pins[key] = re.compile(
            rf"(?<![\w.-])((?:{package})(?:\[[\w,-]*\])?===?\d[\w.+!-]*)"
            rf"|git\+https?://[\w.@/-]*?/(?:{package})(?:\.git)?@[\w./-]+"
            rf"|wheels\.vllm\.ai/[0-9a-f]{{40}}"
        )
    return _pins[key]
