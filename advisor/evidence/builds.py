"""What a person writes for a build -> Build and the components beside it.

    0.28.0 · v0.5.16 · f03bdf1c · 0.11.2.dev278+gccfeb3a8 · lmsysorg/sglang:v0.5.16-cu130 · origin/main 6bc3fd24
    main (July 2026) · main after PR 1964 · LimeChain fork, 0.11.2.dev278 · 0.5.13.post1, torch 2.11.0+cu130

`read_build` reads such an answer as a whole; `find_build` looks through prose or a pasted issue for the lines that
state one. What does not name one build is said in a note and never rounded to one: `0.11.x`, `<0.4.1`, `latest`,
`v0.5.12-based`. An empty Build means that nothing of the kind was said.

**Source:** no tool prints this; the forms are those met in public issue threads of the engines, each in the tests.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass, field
from datetime import date

from advisor.errors import UsageError
from advisor.evidence.assertion import told
from advisor.evidence.dates import bounds, day, periods
from advisor.evidence.deployed import NOW, placed
from advisor.evidence.library_versions import contradictions, plain_version
from advisor.evidence.prose import blocks, clause_of, elsewhere, of_another, plain, readable
from advisor.evidence.spellings import changed_tag, spelled
from advisor.model.build import Build, Component, commit_in, local_commit, parse_version, pr_in
from advisor.model.fact import Note, Origin

MAX_ANSWER = 2000  # characters of an answer that are read

ENGINES = ("vllm-ascend", "sglang", "lmdeploy", "vllm", "xllm")
_UPSTREAM = {
    "vllm-project", "sgl-project", "internlm", "xllm-ai", "jd-opensource", "lmsysorg", "openmmlab", "vllm",
    "ascend", "nvidia", "ai-dynamo",
}  # fmt: skip
_BELOW = {"ubuntu", "debian", "centos", "kernel", "linux", "gcc", "glibc", "windows", "wsl"}
_NO_NAME = {
    *ENGINES, "a", "an", "the", "this", "that", "main", "master", "on", "in", "with", "from", "using", "running",
    "vllm的",
    "not", "no", "is", "of", "and", "it", "named", "public", "small", "local", "internal", "private", "release",
}  # fmt: skip
_HOME = {"lmsysorg", "vllm", "openmmlab", "ascend", "rocm", "xllm-ai", "jd_xllm", ""}

_ENGINE = (
    r"(?<![A-Za-z0-9])(vllm[-_]ascend|sglang|lmdeploy|vllm|xllm)"
    r"(?![A-Za-z0-9]|[-_](?:jax|gaudi|tpu|omni|metal|spyre))"
)
# 0.11.2.dev278+gccfeb3a8, v0.5.16, 0.4.6.post5, 0.20.2rc; not GLM-5.2, Qwen3.5, 0.11.x
_VERSION = (
    r"(?<![\w./+-])[vV]?(?P<version>(?>\d{1,3}\.\d+\.\d+(?:\.\d+)?(?:\.?(?:a|b|rc)\d*)?(?:\.?post\d+)?(?:\.dev\d+)?"
    r"(?:\+[A-Za-z0-9]+(?:[._][A-Za-z0-9]+)*)?))(?![\w%])(?!\.\w)"
)
# sglang>=0.5.2, <0.4.1, torch==2.9.0
_SPEC = (
    r"(?P<name>[A-Za-z][\w.-]*)?\s*(?P<sign>[<>~!]=?|===?)\s*"
    r"v?(?P<number>\d+(?:\.\w+)*(?:\+[\w.]+)?)(?:\s*,\s*[<>~!]=?\s*\d[\w.]*)*"
)
# 0.11.x, 0.11
_SERIES = (
    r"(?P<name>[A-Za-z][\w-]*\s+)?(?<![\w.-])v?(?P<series>\d+\.\d+)"
    r"(?:\.[xX*](?!\w)|(?=\s*(?:$|[,;，；)）])))"
)
# commit ccfeb3a8, @ f03bdf1c
_COMMIT = (
    r"(?:\b(?:commit|revision|rev|sha|head|hash)\b\s*(?:is\s*)?[:=：]?\s*|@\s*)"
    r"[\"'`(]*(?P<sha>[0-9a-f]{7,40})(?![0-9a-z])"
)
# registry.local:5000/lmsysorg/sglang:v0.5.16-cu130@sha256:…
_IMAGE = (
    r"(?<![\w/.@:-])(?P<name>(?:[a-z0-9][\w.-]*(?::\d+)?/)*[a-z0-9][\w.-]*)"
    r"(?::(?P<tag>[A-Za-z0-9_][\w.-]*\w|\w))?(?:@(?P<digest>sha256:[0-9a-f]{6,64}))?"
)
_DIGEST = r"@?\bsha256:[0-9a-f]{6,64}(?:…|\.\.\.)?"
# docker xllm-dev-a3-arm-20260429
_LOCAL_IMAGE = r"\b(?:docker|image|镜像)(?:\s+image)?\s*[:：]?\s+(?P<name>[a-z][\w./-]*-[\w.-]*\d[\w.-]*)"
# LimeChain fork, `matrix72c/lmdeploy` fork
_FORK = (
    r"(?<![\w.-])(?:(?P<lead>[A-Z][\w.-]*(?:/[\w.-]+)?)[ `'\"]+)?(?P<who>[A-Za-z][\w.-]*(?:/[\w.-]+)?)"
    r"[`'\"]*\s+(?:fork\b|分支|的分支)"
    r"|\bfork\s+(?:of\s+\S+\s+)?(?:by|from|at)\s+(?P<by>[\w.-]+(?:/[\w.-]+)?)"
)
_REPO = r"(?<![\w./-])(?P<owner>[A-Za-z][\w.-]*)/(?P<repo>vllm|sglang|lmdeploy|xllm|vllm-ascend)(?![\w/:.-]|#\d)"
_OF_ENGINE = r"(?:(?:vllm|sglang|lmdeploy|xllm|release|version|tag|upstream|main|stock)[\s=-]*){0,2}"
_BASED = (
    r"v?(?P<a>\d+\.\d+\.\d+[\w.]*)[- ]based\b"
    rf"|\b(?:based|built)\s+on(?:\s+top\s+of)?\s+{_OF_ENGINE}v?(?P<b>\d+\.\d+(?:\.\d[\w.]*)?)(?!\d)"
    rf"|基于\s*{_OF_ENGINE}v?(?P<c>\d+\.\d+(?:\.\d[\w.]*)?)(?!\d)"
)
# a release with changes of its own: patched, our own patch, cherry-picked, PP guard removed, 打了补丁, 魔改
_CHANGED = (
    r"(?<![\w-])(?<!\d\+)(?:(?P<patched>patched|hot-?patched|monkey-?patched|cherry-?pick(?:ed|s)?|backport(?:ed|s)?|"
    r"patch(?:es)?(?! (?:release|version|number|level|\d)))"
    r"|(?P<modified>modified|hacked|tweaked|customi[sz]ed|(?:local|own|our|some|my) (?:changes|modifications|edits|"
    r"fixes)|"
    r"(?:guards?|checks?|assert\w*) (?:removed|disabled|bypassed|commented out))"
    r"|(?P<internal>internal|in-house|private|proprietary)(?= (?:build|branch|version|tree|release|wheel|vllm|sglang|"
    r"lmdeploy|xllm))"
    r"|(?P<custom>custom|vendor)(?= (?:build|branch|version|tree|wheel|vllm|sglang|lmdeploy|xllm))"
    r"|(?P<unnamed>fork(?:ed)?|downstream))(?![\w-])"
    r"|(?P<zh_patched>补丁)|(?P<zh_modified>魔改|改过|自己改|改了(?:几行|一些|点)?代码|二次开发|二开|定制版)"
    r"|(?P<zh_internal>内部版|私有版|自研版)"
)
_UNCHANGED = (
    r"(?:\b(?:no|not|non|without(?: any)?|never|isn't|wasn't|zero|un)[ -](?:an? |any |the |our |own |local )*|"
    r"(?:没有?|未|无|不是|不)(?:打过?|任何|做过?|用)*)$"
)
# `0.29.0+patched`, not what a wheel's tool chain, tree or commit leaves there: +cu129, +g752a3a504.d20260720, +cpu
_TOOL_CHAIN = (
    r"(?:cu|cuda|rocm|cpu|gpu|musa|xpu|npu|torch|pt|cxx|abi|glibc|linux|ubuntu|manylinux|aarch64|arm|x86|py|cp|sm|"
    r"maca|dtk|"
    r"cann|d20|a[23]\b|9\d0|empty|precompiled|nightly|local|git|source|unknown|g?[0-9a-f]{7,}|\d)"
)
_MAIN = r"(?<![\w/-])(?:origin/|upstream/)?(main|master)(?![\w/-])|主干|主分支"
# 0.27.1, also happens on main
_BESIDE = (
    r"(?:\b(?:also|same|too|tried|try|trying|reproduc\w+|happens|instead|not|rather|older|behind|before|newer|until|"
    r"fixed|whether|if)\b|"
    r"也|同样|试过|还没|不是)[^,，;；()（）]{0,30}$"
)
_BRANCH = (
    r"(?<![\w/.-])(?:origin/)?((?:preview|release|releases|feature|feat|dev|hotfix|fix)/[\w./-]*\w)"
    r"|\bbranch\s+[`'\"]?([\w./-]*\w)|的?\s*([\w./-]+\w)\s*分支"
)
_PR = r"\b(?:after|since|includ\w+|with|past)\s+(?:PR|pull request)?\s*#?\d{2,6}\b"

# components: how they are written -> their name
_ALIASES = {
    "pytorch": "torch", "nvidia-nccl-cu12": "nccl", "nvidia-nccl-cu13": "nccl", "nvidia-nccl": "nccl",
    "libnccl": "nccl", "驱动": "driver", "nvidia driver": "driver", "nvidia-driver": "driver",
    "torch-npu": "torch_npu", "deepep": "deep_ep", "deep-ep": "deep_ep", "flash-attn": "flash_attn",
    "flashattention": "flash_attn", "flashinfer-python": "flashinfer", "mooncake-transfer-engine": "mooncake",
    "cuda toolkit": "cuda", "kernel driver": "driver",
}  # fmt: skip
COMPONENTS = (
    "nccl", "torch", "torch_npu", "torchvision", "cuda", "cudnn", "driver", "cann", "hccl", "deep_ep", "deep_gemm",
    "flashinfer", "triton", "transformers", "tokenizers", "flash_attn", "flash_attn_3", "sgl-kernel", "sgl_kernel",
    "lmcache", "mooncake", "nixl", "ray", "peft", "kvbm", "xgrammar", "gpustack", "dynamo", "rocm", "rccl",
    "python", "ucx", "nvshmem", "megatron", "xtuner", "verl", "numpy",
)  # fmt: skip
_NAME = "|".join(sorted((re.escape(name) for name in (*COMPONENTS, *_ALIASES)), key=len, reverse=True))
_COMPONENT = (
    rf"(?<![\w./-])(?P<name>{_NAME})(?![\w/])(?:\s+version|版本)?[\"'`*\s]*(?:[:：=|]+|==)?[\"'`*\s]*v?"
    r"(?P<version>(?>\d+(?:\.\d+)*(?:\.?(?:a|b|rc|post|dev)\d+)*(?:\+[A-Za-z0-9.]*[A-Za-z0-9])?))"
    r"(?![\w%-])(?!\.\w)(?!\s*(?:GB|ranks?|GPUs?|cards?)\b)"
)
_NEUTRAL = {
    "version", "ver", "release", "tag", "image", "docker", "is", "at", "on", "build", "built", "using", "engine",
    "official", "stable", "latest", "now", "running", "and", "the",
}  # fmt: skip

# "**SGLang**: v0.5.16", "| lmdeploy | f03bdf1c |", "vLLM 版本：0.11.0", "vLLM Version : 0.11.0"
_LABEL = r"^[\s>|*•-]*(?:\d+[.)]\s*)?(?P<label>[^:：|=\n]{1,40}?)[\s*`]*(?::|：|\||={1,3})\s*(?P<value>\S.{0,400})"
_ANY_ENGINE = (
    r"^(?:version|版本|(?:the )?(?:exact )?build|engine(?: version)?|image|docker image|镜像|commit"
    r"|(?:适用|运行)?环境|environment|env|版本信息|framework)$"
)
_SAYS = (
    rf"(?<![/.-]){_ENGINE}(?:['’]s)?(?:\s|\*|`|:|：|=|@|\(|（|version|版本|commit|main|at\b|,)*"
    rf"(?={_VERSION}|[0-9a-f]{{7,40}}\b|v?\d+\.\d+\.x)"
)
_BASELINE = r"(?<![\w/])(?:origin/|upstream/)?(?:main|master)\s*(?:@|at(?:\s+commit)?)\s*`?[0-9a-f]{7,40}"


def component(text: str) -> Component:
    """The component of `--component nccl=2.28.9`; its name in lower case. UsageError without a name or version."""
    name, sign, version = text.partition("=")
    name = _ALIASES.get(name.strip().lower(), name.strip().lower())
    version = plain_version(name, version.lstrip("="))
    if not sign or not name or not version:
        raise UsageError(
            f"`{text}` does not give a name and a version",
            "--component",
            "for example nccl=2.28.9 or torch=2.11.0+cu130",
        )
    return Component(name, version, "stated", "--component")


def components_in(text: str) -> list[tuple[Component, int, int]]:
    """Components with the characters they stand on: `NCCL 2.28.9`, `torch==2.11.0+cu130`, `驱动 595.84`."""
    found = []
    for match in re.finditer(_COMPONENT, text, re.I):
        name = " ".join(match["name"].lower().split())
        name = _ALIASES.get(name, name)
        found.append(
            (
                Component(name, plain_version(name, match["version"]), "stated", plain(match.group())),
                match.start(),
                match.end(),
            )
        )
    return found


def engine_in(text: str) -> str | None:
    """The first engine that a text names, vllm-ascend before the vllm in it; None when it names none."""
    found = re.search(_ENGINE, text, re.I)
    return found.group(1).lower().replace("_", "-") if found else None


@dataclass
class _Reading:
    """What has been understood so far; `left` is the text with understood parts blanked, so that none is read twice."""

    left: str
    engine: str
    version: str | None = None
    commit: str | None = None
    image: str | None = None
    digest: str | None = None
    branch: str | None = None
    fork: str = ""
    after_pr: int | None = None
    earliest: date | None = None
    latest: date | None = None
    components: list[Component] = field(default_factory=list)
    notes: list[str] = field(default_factory=list)
    vague: str = ""  # said of the image, unless a version or commit turns up

    def take(self, start: int, end: int) -> None:
        self.left = self.left[:start] + " " * (end - start) + self.left[end:]

    def each(self, pattern: str) -> list[re.Match[str]]:
        return list(re.finditer(pattern, self.left, re.I))

    def understood(self) -> bool:
        known = (
            self.version,
            self.commit,
            self.image,
            self.digest,
            self.branch,
            self.fork,
            self.after_pr,
            self.earliest,
            self.latest,
            self.components,
            self.notes,
        )
        return any(known)


def read_build(
    text: str, *, engine: str | None, origin: Origin = "stated", strict: bool = False
) -> tuple[Build, tuple[Component, ...], tuple[Note, ...]]:
    """The build that a short answer names, its components (also in the Build) and what could not be taken as a build.

    `engine` None takes the engine that the text names. With `strict`, a text of which nothing is understood raises
    UsageError; else it yields a Build that only keeps the text.
    """
    words = re.sub(
        rf"{_ENGINE}-(?=v?\d+\.\d+\.\d)", r"\1 ", plain(readable(text[:MAX_ANSWER])), flags=re.I
    )  # vllm-0.11.0
    typed = spelled(words)
    reading = _Reading(typed.text, engine or engine_in(text) or "", fork=typed.fork, notes=list(typed.notes))
    for step in _STEPS:
        step(reading)
    if reading.vague and not reading.version and not reading.commit:
        reading.notes.append(reading.vague)
    if strict and not reading.understood():
        raise UsageError(
            f"`{text}` names no build", "--version", "for example 0.28.0, f03bdf1c or lmsysorg/sglang:v0.5.16-cu130"
        )
    components = tuple(Component(one.name, one.version, origin, one.where) for one in reading.components)
    build = Build(
        engine=reading.engine,
        version=reading.version,
        commit=reading.commit,
        image=reading.image,
        digest=reading.digest,
        branch=reading.branch,
        fork=reading.fork,
        after_pr=reading.after_pr,
        earliest=reading.earliest,
        latest=reading.latest,
        components=components,
        text=text.strip(),
        origin=origin,
        notes=tuple(reading.notes),
    )
    hints = tuple(Note("hint", note) for note in reading.notes)
    return build, components, hints + contradictions(components)


@dataclass(frozen=True, order=True)
class _Statement:
    """A place that states the engine's build.

    `rank` 0 is a label with the engine's name, then a phrase (1), another label (2), an image (3), a baseline (4), a
    number without a name that is said to be deployed (5).
    """

    rank: int
    start: int
    engine: str
    value: str


def find_build(text: str, *, engine: str | None) -> tuple[Build, tuple[Component, ...], tuple[Note, ...]]:
    """The build that prose or a pasted issue states for its engine, with components and notes as in `read_build`.

    Numbers of other engines, of fixes and of sections about other situations are not taken; a Build without version
    and commit means that the text states none. `engine` None takes the engine that leads the title or the environment.
    """
    text = readable(text)
    pieces = list(_pieces(text))
    shown = told(text).text
    statements = sorted(one for start, piece in pieces for one in _statements(start, piece, shown))
    engine = engine or _leading(text, statements)
    mine = [one for one in statements if one.engine in ("", engine) and (engine or one.rank < 5)]
    build, found, notes = Build(engine=engine or ""), (), ()  # type: tuple[Build, tuple[Component, ...], tuple[Note, ...]]
    for one in mine:
        build, found, notes = read_build(one.value, engine=engine)
        if build.version or build.commit or build.image or build.branch or build.fork:
            break
        build, found, notes = Build(engine=engine or ""), (), ()
    build = _completed(build, text, mine)
    known = {one.name: one for _, piece in pieces for one in reversed(_stated(piece, engine))}
    components = tuple({**known, **{one.name: one for one in found}}.values())
    said = [one for _, piece in pieces for one in _stated(piece, engine)]
    return build.but(components=components), components, notes + contradictions([*found, *said])


def _pieces(text: str) -> Iterator[tuple[int, str]]:
    """The lines of all blocks that speak of the user's own deployment."""
    for block in blocks(text, machine=True):
        if block.muted:
            continue
        place = block.start
        for line in text[block.start : block.end].splitlines(keepends=True):
            if line.strip():
                yield place, line[:2000]
            place += len(line)


def _statements(start: int, line: str, shown: str) -> Iterator[_Statement]:
    """The statements of one line; `shown` is the whole text without its questions, plans and the like."""
    label = re.match(_LABEL, line)
    if label:
        name, value = plain(label["label"]).lower(), label["value"].strip()
        named = engine_in(name)
        if named and len(name.split()) <= 4:
            yield _Statement(0, start, named, value)
        elif re.match(_ANY_ENGINE, name):
            said = engine_in(value)
            yield _Statement(
                1 if said else 2,
                start,
                said or "",
                _first_clause(value[max(0, value.lower().find(said or "")) :]) if said else value,
            )
    numbers = placed(line, [found.span("version") for found in re.finditer(_VERSION, line)])
    for found in re.finditer(_SAYS, line, re.I):
        left, right = clause_of(line, found.start(), found.end())
        number = next((one for one in numbers if found.end() <= one.start <= found.end() + 1), None)
        role = number.role if number else ""
        if role not in ("", NOW) or not shown[start + found.start() : start + found.end()].strip():
            continue
        if role == NOW or (not of_another(line[left:right]) and not elsewhere(line)):
            changed = re.search(
                r"(?:\b(?:patched|modified|custom|hacked|forked|fork of)|魔改的?|改过的) ?$",
                line[: found.start()],
                re.I,
            )
            begin = changed.start() if changed else found.start()
            yield _Statement(1, start + found.start(), engine_in(found.group(1)) or "", _first_clause(line[begin:]))
    for found in re.finditer(_IMAGE, line):
        if found["tag"] and "/" in found["name"] and _names_engine(found["name"], False):
            yield _Statement(3, start + found.start(), engine_in(found["name"]) or "", found.group())
    for one in numbers:
        if one.role == NOW and shown[start + one.start] != " " and _may_be_engine(line[: one.start], line[one.start :]):
            owner = _word_before(line[: one.start]).lower()
            yield _Statement(5, start + one.start, owner, line[one.start : one.end])
    for found in re.finditer(_BASELINE, line, re.I):
        left, right = clause_of(line, found.start(), found.end())
        if not of_another(line[left:right]):
            yield _Statement(4, start + found.start(), "", found.group())


def _may_be_engine(before: str, number: str) -> bool:
    """Whether a number without a name can be an engine's: all of them are at 0.x, and no library is named before it."""
    return number.startswith("0.") and re.search(rf"(?:{_NAME})(?:\s+version|版本)?\W*$", before, re.I) is None


def _first_clause(text: str) -> str:
    """`text` up to its first comma or full stop outside brackets."""
    depth = 0
    for place, sign in enumerate(text[:300]):
        depth += (sign in "(（") - (sign in ")）")
        if depth <= 0 and (sign in ",，;；。\n" or (sign == "." and text[place + 1 : place + 2].isspace())):
            return text[:place]
    return text[:300]


def _leading(text: str, statements: list[_Statement]) -> str | None:
    title = next((line for line in text.splitlines() if line.strip()), "")
    named = engine_in(title) or next((one.engine for one in statements if one.rank <= 1 and one.engine), None)
    if named:
        return named
    counts: dict[str, int] = {}
    for found in re.finditer(r"(?<![A-Za-z])(vllm[-_]ascend|sglang|lmdeploy|vllm|xllm)(?![A-Za-z])", text, re.I):
        name = found.group(1).lower().replace("_", "-")
        counts[name] = counts.get(name, 0) + 1
    return max(counts, key=lambda name: counts[name]) if counts else None


def _completed(build: Build, text: str, statements: list[_Statement]) -> Build:
    """The build with its commit in full where the text has that, and with an image said elsewhere."""
    if build.commit and len(build.commit) < 40:
        longer = re.search(rf"\b{build.commit}[0-9a-f]{{{40 - len(build.commit)}}}\b", text)
        build = build.but(commit=longer.group()) if longer else build
    image = next((one.value for one in statements if one.rank == 3), None)
    return build.but(image=image.partition("@")[0]) if image and not build.image else build


def _stated(line: str, engine: str | None) -> list[Component]:
    kept = []
    for one, start, end in components_in(line):
        left, right = clause_of(line, start, end)
        around = line[left:start] + line[end:right]
        if one.name != engine and ("." in one.version or one.name == "driver") and not of_another(around):
            kept.append(Component(one.name, one.version, one.origin, plain(line)[:120]))
    return kept


# --- the steps of reading, each taking its part of the text -----------------------------------------------------------


def _take_images(reading: _Reading) -> None:
    for found in reading.each(_IMAGE):
        name, tag = found["name"], found["tag"]
        if not (tag or found["digest"]) or not _names_engine(name, bool(found["digest"])):
            continue
        if reading.image is None:
            reading.image, reading.digest = found.group().partition("@")[0], found["digest"]
            reading.engine = reading.engine or engine_in(name) or ""
            _read_tag(reading, name, tag or "")
        reading.take(found.start(), found.end())
    for found in reading.each(_DIGEST):
        reading.digest = reading.digest or found.group().lstrip("@").rstrip("….")
        reading.take(found.start(), found.end())
    for found in reading.each(_LOCAL_IMAGE):
        reading.image = reading.image or found["name"]
        reading.take(found.start("name"), found.end())


def _names_engine(name: str, has_digest: bool) -> bool:
    last = name.rpartition("/")[2]
    if re.search(r"\.(?:py|pyi|cc|cpp|cu|h|md|sh|yaml|yml|json|log)$", last):  # a file and its line
        return False
    return re.search(r"vllm|sglang|lmdeploy|xllm|tritonserver", last, re.I) is not None or (has_digest and "/" in name)


def _read_tag(reading: _Reading, name: str, tag: str) -> None:
    """What an image's tag says of the engine: a version, a nightly's commit and day, or nothing."""
    owner = name.rpartition("/")[0].rpartition("/")[2].lower()
    number = re.match(rf"{_VERSION}(?=$|[-_])", tag) or re.search(
        r"(?:vllm|sglang|lmdeploy)[_-]v?(?P<version>\d+\.\d+\.\d+(?:\.?(?:rc|post)\d+)?)(?=$|[-_])", tag
    )
    if name.startswith("nvcr.io/") or number is None:
        reading.commit = _tag_commit(tag)
        built = re.search(r"(?<!\d)(20\d\d)(\d\d)(\d\d)(?!\d)", tag)
        if built and "nightly" in tag:
            reading.earliest = reading.latest = day(int(built[1]), int(built[2]), int(built[3]))
        if not reading.commit:
            reading.vague = f"{reading.image} does not name a release of the engine: `pip show` in the container tells"
        return
    reading.version = number["version"]
    changed = changed_tag(tag)
    if changed or (reading.engine == "vllm" and engine_in(name) == "vllm-ascend"):
        reading.fork = reading.fork or changed or "vllm-ascend"
        reading.notes.append(f"{reading.image} is not the stock release {reading.version}: what was changed in it?")
    if owner not in _HOME:
        reading.notes.append(
            f"{reading.image} is not an image of the project itself; its version is taken from the tag"
        )


def _tag_commit(tag: str) -> str | None:
    found = re.search(r"(?:^|-)([0-9a-f]{7,40})$", tag)
    return found.group(1) if found and re.search("[a-f]", found.group(1)) and re.search(r"\d", found.group(1)) else None


def _take_pr(reading: _Reading) -> None:
    reading.after_pr = pr_in(reading.left)
    for found in reading.each(_PR):
        reading.take(found.start(), found.end())


def _take_fork(reading: _Reading) -> None:
    same = re.search(r"fork\W{0,4}(?:==|=|is (?:the same as|identical to)|与上游一致)", reading.left, re.I)
    if same:
        reading.notes.append("said to be a fork that equals upstream; taken as upstream")
    for found in reading.each(_FORK):
        who = _forker(found)
        if who and not same and "分支" not in found.group():
            reading.fork = reading.fork or who.partition("/")[0]
            reading.take(found.start(), found.end())
    for found in reading.each(_REPO):
        if found["owner"].lower() not in {*_UPSTREAM, "origin", "upstream"}:
            if not same:
                reading.fork = reading.fork or found["owner"]
            reading.take(found.start("owner"), found.end())


def _forker(found: re.Match[str]) -> str:
    """Whose fork it is: a name, `own`, or nothing when none is told."""
    if found["by"]:
        return str(found["by"])
    who, lead = str(found["who"]), str(found["lead"] or "")
    if who.lower() in {"our", "my", "own", "private", "internal"}:
        return "own"
    if lead and lead.lower() not in _NO_NAME and (who.lower() in _NO_NAME or who.islower() or who[0].islower()):
        return lead
    return "" if who.lower() in _NO_NAME or parse_version(who) else who


def _take_base(reading: _Reading) -> None:
    for found in reading.each(_BASED):
        number = found["a"] or found["b"] or found["c"]
        reading.fork = reading.fork or f"{number}-based"
        reading.notes.append(f"a build based on {number} is not {number}: which commit, and which changes are on top?")
        reading.take(found.start(), found.end())


def _take_changes(reading: _Reading) -> None:
    """A release that is said to be changed is a fork of it, whoever changed it; what is said of a component is not."""
    for found in reading.each(_CHANGED):
        before = reading.left[max(0, found.start() - 60) : found.start()]
        after = reading.left[found.end() : found.end() + 60]
        if re.search(_UNCHANGED, before[-30:], re.I) or re.match(rf"(?: the| our)? (?:{_NAME})\b", after, re.I):
            continue
        if re.search(rf"\b(?:{_NAME})[ :]+$", before, re.I) or "equals upstream" in "".join(reading.notes):
            continue
        kind = next(name for name, words in found.groupdict().items() if words)
        reading.fork = reading.fork or kind.removeprefix("zh_")
        reading.take(found.start(), found.end())
    for found in reading.each(_VERSION):
        local = found["version"].partition("+")[2].lower()
        if local and not reading.fork and re.match(_TOOL_CHAIN, local) is None:
            reading.fork = local


def _take_specs(reading: _Reading) -> None:
    for found in reading.each(_SPEC):
        name = (found["name"] or reading.engine).lower()
        name = _ALIASES.get(name, name)
        if found["sign"] not in ("==", "==="):
            reading.notes.append(f"`{found.group().strip()}` is a range, not one {name or 'build'}")
        elif name.replace("_", "-") == reading.engine or not name:
            reading.version = reading.version or found["number"]
        else:
            reading.components.append(Component(name, found["number"], where=found.group().strip()))
        reading.take(found.start(), found.end())


def _take_components(reading: _Reading) -> None:
    for one, start, end in components_in(reading.left):
        reading.components.append(one)
        reading.take(start, end)


def _take_versions(reading: _Reading) -> None:
    for found in reading.each(_VERSION):
        number = found["version"]
        owner = _word_before(reading.left[: found.start()])
        reading.take(found.start(), found.end())
        if parse_version(number) is None:
            continue
        if owner in ENGINES and owner != reading.engine:
            reading.components.append(Component(owner, number, where=f"{owner} {number}"))
        elif owner and owner != reading.engine:
            reading.notes.append(f"{number} is read as the version of {owner}, not of {reading.engine or 'the engine'}")
        elif reading.version is None:
            reading.version = number
        elif number != reading.version:
            reading.notes.append(f"{number} is named too; {reading.version} came first and is taken")


def _word_before(text: str) -> str:
    """The product whose number follows: an engine's name, another's, or nothing when none is named right before it."""
    while re.search(r"[,，;；+/]\s*$", text) is None:
        text = text.rstrip(" :=：@\"'`(（[{*|-")
        found = re.search(r"[A-Za-z][A-Za-z0-9_-]*$", text)
        if found is None:
            return ""
        word = found.group().lower().replace("_", "-")
        if word in ENGINES:
            return word
        if word not in _NEUTRAL:
            return found.group() if found.group()[0].isupper() or word in _BELOW else ""
        text = text[: found.start()]
    return ""


def _take_series(reading: _Reading) -> None:
    for found in reading.each(_SERIES):
        name, series = (found["name"] or "").strip().lower(), found["series"]
        if (name and name in ENGINES and name != reading.engine) or (
            name and name not in ENGINES and name not in _NEUTRAL
        ):
            continue
        major, minor = map(int, series.split("."))
        if major > 9:  # no engine is near that
            continue
        reading.notes.append(
            f"some {series} release: {series}.0 or later, before {major}.{minor + 1}; the patch number is not given"
        )
        reading.take(found.start("series"), found.end())


def _take_commit(reading: _Reading) -> None:
    found = re.search(_COMMIT, reading.left, re.I)
    given = found["sha"].lower() if found else commit_in(reading.left)
    if reading.version and not reading.commit:
        reading.commit = given or local_commit(reading.version)
        dirty = re.search(r"[+.]d(20\d\d)(\d\d)(\d\d)$", reading.version)
        if dirty:  # setuptools-scm: a tree with changes of its own, built that day
            reading.latest = day(int(dirty[1]), int(dirty[2]), int(dirty[3]))
    reading.commit = reading.commit or given
    if given:
        at = reading.left.lower().find(given)
        reading.take(at, at + len(given))


def _take_dates(reading: _Reading) -> None:
    found = periods(reading.left)
    for earliest, latest in bounds(found):
        reading.earliest = reading.earliest or earliest
        reading.latest = reading.latest or latest
    for one in found:
        reading.take(one.start, one.end)


def _take_branch(reading: _Reading) -> None:
    named = re.search(_BRANCH, reading.left, re.I)
    if named:
        reading.branch = next(part for part in named.groups() if part)
    elif reading.after_pr or _built_from_main(reading):
        reading.branch = "main"


def _built_from_main(reading: _Reading) -> bool:
    """Whether main is what runs, not what was tried beside the release that is named."""
    for found in reading.each(rf"{_MAIN}|\bnightly\b"):
        before = reading.left[max(0, found.start() - 60) : found.start()]
        if not reading.version or re.search(_BESIDE, before, re.I) is None:
            return True
    return False


_STEPS = (
    _take_images,
    _take_pr,
    _take_fork,
    _take_base,
    _take_changes,
    _take_specs,
    _take_components,
    _take_dates,
    _take_versions,
    _take_series,
    _take_commit,
    _take_branch,
)
