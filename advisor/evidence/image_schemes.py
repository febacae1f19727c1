"""An image's name and tag -> the scheme that it follows, and the parts of the tag that the scheme's form names.

    registry.local:5000/lmsysorg/sglang:v0.5.16-cu130   scheme lmsysorg/sglang, form v{version}{parts}: 0.5.16, -cu130

A scheme is an entry of `knowledge/<engine>/images.yaml`. The registry does not matter: a mirror keeps owner and name. A
name without owner (`vllm-openai`) follows the one scheme that ends so.

**Source:** the files named in those entries; what a tag may hold: OCI distribution specification, 128 characters.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping
from dataclasses import field
from functools import cache
from typing import Any

from advisor.model.knowledge import Knowledge
from advisor.model.late import dataclass

MAX_TAG = 128
PART = (  # the words of a tag that say where it runs, not which code is in it
    r"cu\d+(?:\.\d+)?|cuda\d+(?:\.\d+)*|rocm\d[\d.]*|cann\d[\w.]*|x86_64|x86|amd64|aarch64|arm64|arm|ubuntu\d[\d.]*|"
    r"openeuler|py\d[\d.]*|runtime|srt|hopper|g?b200|h20|mi\d+x|910b|310p|950dt|a[235]|xeon|xpu|cpu|rocm|zstd"
)

_UPSTREAM = {"", "docker.io", "index.docker.io", "registry-1.docker.io"}
_FIELDS = {
    "{version}": r"v?(?P<version>\d+\.\d+\.\d+(?:\.\d+)?(?:(?:a|b|rc)\d+)?(?:\.post\d+)?)",
    "{sha}": "(?P<sha>[0-9a-f]{7,40})",
    "{date}": r"(?P<date>20\d{6})",
    "{key}": r"(?P<key>\d+(?:\.\d+)+(?:\.post\d+)?)",
    "{platform}": r"(?P<platform>cu\d+|rocm\d+)",
    "{parts}": rf"(?P<parts>(?:-(?:{PART}))*)",
}


@dataclass(frozen=True, slots=True)
class Scheme:
    """What is known of an image: `rules` as its file has them, `rule` the form that the tag has, None when it has none.

    `said` holds the parts of the tag by name: version, sha, date, key, platform, parts. `mirror`: it stands elsewhere.
    """

    engine: str
    name: str
    rules: dict[str, Any]
    rule: dict[str, Any] | None = None
    said: dict[str, str] = field(default_factory=dict)
    mirror: bool = False

    def words(self) -> list[str]:
        """The platform words of the tag: cu130, aarch64."""
        return re.findall(PART, f"{self.said.get('platform', '')} {self.said.get('parts', '')}")


def scheme(name: str, tag: str, known: Mapping[str, Knowledge]) -> Scheme | None:
    """The scheme of `name`, with the form of `tag` where it has one; None when no scheme is known for that name."""
    found = _named(name, known)
    if found is None:
        return None
    for rule in found.rules.get("tags") or ():
        match = _form(rule["form"]).fullmatch(tag[:MAX_TAG])
        if match:
            said = {key: text for key, text in match.groupdict().items() if text}
            return Scheme(found.engine, found.name, found.rules, rule, said, not _home(name, found.name))
    return found


def names(engine: str, known: Mapping[str, Knowledge]) -> tuple[str, ...]:
    """The names of the images that carry an engine."""
    return tuple(one.name for one in _all(known) if one.engine == engine)


def _all(known: Mapping[str, Knowledge]) -> Iterator[Scheme]:
    for engine, knowledge in known.items():
        for name, rules in ((knowledge.profile.get("tags") or {}).get("images") or {}).items():
            yield Scheme(str(rules.get("engine", engine)), name, rules)


def _named(name: str, known: Mapping[str, Knowledge]) -> Scheme | None:
    bare = []
    for one in _all(known):
        path = _path(one.name)
        if name == path or name.endswith("/" + path):
            return one
        if "/" not in name and path.rpartition("/")[2] == name:
            bare.append(one)
    return bare[0] if len(bare) == 1 else None


def _path(name: str) -> str:
    """An image's name without the registry it is in."""
    host, slash, rest = name.partition("/")
    return rest if slash and ("." in host or ":" in host or host == "localhost") else name


def _home(name: str, upstream: str) -> bool:
    return name == upstream or "/" not in name or name.removesuffix(_path(upstream)).strip("/") in _UPSTREAM


@cache
def _form(form: str) -> re.Pattern[str]:
    for name, pattern in _FIELDS.items():
        form = form.replace(name, pattern)
    return re.compile(form)
