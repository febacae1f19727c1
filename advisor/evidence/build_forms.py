"""The forms in which people write builds and libraries, as patterns; the libraries in a text -> Components.

    0.11.2.dev278+gccfeb3a8 · sglang>=0.5.2 · 0.11.x · commit ccfeb3a8 · LimeChain fork · NCCL 2.28.9 · torch==2.9.0

Each pattern has an example line above it; `builds` and `build_reading` read by them.

**Source:** no tool prints these; they are the forms met in public issue threads of the engines, each in the tests.
"""

from __future__ import annotations

import re
from functools import cache

from advisor.errors import UsageError
from advisor.evidence.library_versions import plain_version
from advisor.evidence.prose import plain
from advisor.model.build import Component
from advisor.model.shape import Shape
from advisor.scan.several import Several

DIGIT = Shape(r"\d")  # what every number of a version has
ENGINES = ("vllm-ascend", "sglang", "lmdeploy", "vllm", "xllm")
OF_NAMES = ("llm", "glang", "lmdeploy")
"""One of these stands in each engine's name, in small letters; no sign but their own capitals counts as one of them."""
UPSTREAM = {
    "vllm-project", "sgl-project", "internlm", "xllm-ai", "jd-opensource", "lmsysorg", "openmmlab", "vllm",
    "ascend", "nvidia", "ai-dynamo",
}  # fmt: skip
BELOW = {"ubuntu", "debian", "centos", "kernel", "linux", "gcc", "glibc", "windows", "wsl"}
NO_NAME = {
    *ENGINES, "a", "an", "the", "this", "that", "main", "master", "on", "in", "with", "from", "using", "running",
    "vllm的",
    "not", "no", "is", "of", "and", "it", "named", "public", "small", "local", "internal", "private", "release",
}  # fmt: skip
HOME = {"lmsysorg", "vllm", "openmmlab", "ascend", "rocm", "xllm-ai", "jd_xllm", ""}

ENGINE = (
    r"(?<![A-Za-z0-9])(vllm[-_]ascend|sglang|lmdeploy|vllm|xllm)"
    r"(?![A-Za-z0-9]|[-_](?:jax|gaudi|tpu|omni|metal|spyre))"
)
# 0.11.2.dev278+gccfeb3a8, v0.5.16, 0.4.6.post5, 0.20.2rc; not GLM-5.2, Qwen3.5, 0.11.x
VERSION = (
    r"(?<![\w./+-])[vV]?(?P<version>(?>\d{1,3}\.\d+\.\d+(?:\.\d+)?(?:\.?(?:a|b|rc)\d*)?(?:\.?post\d+)?(?:\.dev\d+)?"
    r"(?:\+[A-Za-z0-9]+(?:[._][A-Za-z0-9]+)*)?))(?![\w%])(?!\.\w)"
)
# sglang>=0.5.2, <0.4.1, torch==2.9.0
SPEC = (
    r"(?P<name>[A-Za-z][\w.-]*)?\s*(?P<sign>[<>~!]=?|===?)\s*"
    r"v?(?P<number>\d+(?:\.\w+)*(?:\+[\w.]+)?)(?:\s*,\s*[<>~!]=?\s*\d[\w.]*)*"
)
# 0.11.x, 0.11
SERIES = (
    r"(?P<name>[A-Za-z][\w-]*\s+)?(?<![\w.-])v?(?P<series>\d+\.\d+)"
    r"(?:\.[xX*](?!\w)|(?=\s*(?:$|[,;，；)）])))"
)
# commit ccfeb3a8, @ f03bdf1c
COMMIT = (
    r"(?:\b(?:commit|revision|rev|sha|head|hash)\b\s*+(?:is\s*+)?(?:[:=：]\s*+)?|@\s*+)"
    r"[\"'`(]*+(?P<sha>[0-9a-f]{7,40})(?![0-9a-z])"
)
# registry.local:5000/lmsysorg/sglang:v0.5.16-cu130@sha256:…
IMAGE = (
    r"(?<![\w/.@:-])(?P<name>(?:[a-z0-9][\w.-]*(?::\d+)?/)*[a-z0-9][\w.-]*)"
    r"(?::(?P<tag>[A-Za-z0-9_][\w.-]*\w|\w))?(?:@(?P<digest>sha256:[0-9a-f]{6,64}))?"
)
DIGEST = r"@?\bsha256:[0-9a-f]{6,64}(?:…|\.\.\.)?"
# docker xllm-dev-a3-arm-20260429
LOCAL_IMAGE = r"\b(?:docker|image|镜像)(?:\s+image)?\s*[:：]?\s+(?P<name>[a-z][\w./-]*-[\w.-]*\d[\w.-]*)"
# LimeChain fork, `matrix72c/lmdeploy` fork
FORK = (
    r"(?<![\w.-])(?:(?P<lead>[A-Z][\w.-]*(?:/[\w.-]+)?)[ `'\"]+)?(?P<who>[A-Za-z][\w.-]*(?:/[\w.-]+)?)"
    r"[`'\"]*\s+(?:fork\b|分支|的分支)"
    r"|\bfork\s+(?:of\s+\S+\s+)?(?:by|from|at)\s+(?P<by>[\w.-]+(?:/[\w.-]+)?)"
)
REPO = r"(?<![\w./-])(?P<owner>[A-Za-z][\w.-]*)/(?P<repo>vllm|sglang|lmdeploy|xllm|vllm-ascend)(?![\w/:.-]|#\d)"
OF_ENGINE = r"(?:(?:vllm|sglang|lmdeploy|xllm|release|version|tag|upstream|main|stock)[\s=-]*){0,2}"
BASED = (
    r"v?(?P<a>\d+\.\d+\.\d+[\w.]*)[- ]based\b"
    rf"|\b(?:based|built)\s+on(?:\s+top\s+of)?\s+{OF_ENGINE}v?(?P<b>\d+\.\d+(?:\.\d[\w.]*)?)(?!\d)"
    rf"|基于\s*{OF_ENGINE}v?(?P<c>\d+\.\d+(?:\.\d[\w.]*)?)(?!\d)"
)
# a release with changes of its own: patched, our own patch, cherry-picked, PP guard removed, 打了补丁, 魔改
CHANGED = (
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
UNCHANGED = (
    r"(?:\b(?:no|not|non|without(?: any)?|never|isn't|wasn't|zero|un)[ -](?:an? |any |the |our |own |local )*|"
    r"(?:没有?|未|无|不是|不)(?:打过?|任何|做过?|用)*)$"
)
# `0.29.0+patched`, not what a wheel's tool chain, tree or commit leaves there: +cu129, +g752a3a504.d20260720, +cpu
TOOL_CHAIN = (
    r"(?:cu|cuda|rocm|cpu|gpu|musa|xpu|npu|torch|pt|cxx|abi|glibc|linux|ubuntu|manylinux|aarch64|arm|x86|py|cp|sm|"
    r"maca|dtk|"
    r"cann|d20|a[23]\b|9\d0|empty|precompiled|nightly|local|git|source|unknown|g?[0-9a-f]{7,}|\d)"
)
MAIN = r"(?<![\w/-])(?:origin/|upstream/)?(main|master)(?![\w/-])|主干|主分支"
# 0.27.1, also happens on main
BESIDE = (
    r"(?:\b(?:also|same|too|tried|try|trying|reproduc\w+|happens|instead|not|rather|older|behind|before|newer|until|"
    r"fixed|whether|if)\b|"
    r"也|同样|试过|还没|不是)[^,，;；()（）]{0,30}$"
)
BRANCH = (
    r"(?<![\w/.-])(?:origin/)?((?:preview|release|releases|feature|feat|dev|hotfix|fix)/[\w./-]*\w)"
    r"|\bbranch\s+[`'\"]?([\w./-]*\w)|的?\s*([\w./-]+\w)\s*分支"
)
PR = r"\b(?:after|since|includ\w+|with|past)\s+(?:PR|pull request)?\s*#?\d{2,6}\b"

# components: how they are written -> their name
ALIASES = {
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
NAME = "|".join(sorted((re.escape(name) for name in (*COMPONENTS, *ALIASES)), key=len, reverse=True))
COMPONENT = (
    rf"(?<![\w./-])(?P<name>{NAME})(?![\w/])(?:\s+version|版本)?[\"'`*\s]*(?:[:：=|]+|==)?[\"'`*\s]*v?"
    r"(?P<version>(?>\d+(?:\.\d+)*(?:\.?(?:a|b|rc|post|dev)\d+)*(?:\+[A-Za-z0-9.]*[A-Za-z0-9])?))"
    r"(?![\w%-])(?!\.\w)(?!\s*(?:GB|ranks?|GPUs?|cards?)\b)"
)
NEUTRAL = {
    "version", "ver", "release", "tag", "image", "docker", "is", "at", "on", "build", "built", "using", "engine",
    "official", "stable", "latest", "now", "running", "and", "the",
}  # fmt: skip


def component(text: str) -> Component:
    """The component of `--component nccl=2.28.9`; its name in lower case. UsageError without a name or version."""
    name, sign, version = text.partition("=")
    name = ALIASES.get(name.strip().lower(), name.strip().lower())
    version = plain_version(name, version.lstrip("="))
    if not sign or not name or not version:
        raise UsageError(
            f"`{text}` does not give a name and a version",
            "--component",
            "for example nccl=2.28.9 or torch=2.11.0+cu130",
        )
    return Component(name, version, "stated", "--component")


@cache
def _component() -> Several:
    """The one pattern, tried where it may match: to try every name at every word is dear, and few texts hold one."""
    return Several([COMPONENT], re.I)


def components_in(text: str) -> list[tuple[Component, int, int]]:
    """Components with the characters they stand on: `NCCL 2.28.9`, `torch==2.11.0+cu130`, `驱动 595.84`."""
    found = []
    for _, match in _component().finditer(text):
        name = " ".join(match["name"].lower().split())
        name = ALIASES.get(name, name)
        found.append(
            (
                Component(name, plain_version(name, match["version"]), "stated", plain(match.group())),
                match.start(),
                match.end(),
            )
        )
    return found


def may_name_engine(text: str) -> bool:
    """Cheap first look: whether an engine's name can stand in the text."""
    low = text.lower()
    return any(part in low for part in OF_NAMES)


def engine_in(text: str) -> str | None:
    """The first engine that a text names, vllm-ascend before the vllm in it; None when it names none."""
    found = re.search(ENGINE, text, re.I) if may_name_engine(text) else None
    return found.group(1).lower().replace("_", "-") if found else None


def word_before(text: str) -> str:
    """The product whose number follows: an engine's name, another's, or nothing when none is named right before it."""
    while re.search(r"[,，;；+/]\s*$", text) is None:
        text = text.rstrip(" :=：@\"'`(（[{*|-")
        found = re.search(r"[A-Za-z][A-Za-z0-9_-]*$", text)
        if found is None:
            return ""
        word = found.group().lower().replace("_", "-")
        if word in ENGINES:
            return word
        if word not in NEUTRAL:
            return found.group() if found.group()[0].isupper() or word in BELOW else ""
        text = text[: found.start()]
    return ""


def names_engine(name: str, has_digest: bool) -> bool:
    """Whether an image's name has an engine's in it; with a digest any name with an owner is an image."""
    last = name.rpartition("/")[2]
    if re.search(r"\.(?:py|pyi|cc|cpp|cu|h|md|sh|yaml|yml|json|log)$", last):  # a file and its line
        return False
    return re.search(r"vllm|sglang|lmdeploy|xllm|tritonserver", last, re.I) is not None or (has_digest and "/" in name)
