"""Lines of strangers, made so that a pattern goes over them again from every place in them: linear all the same.

`python -m tests.linear_patterns` asks every pattern of the readers; here are those that were slow, and a whole check.
"""

from __future__ import annotations

import re
import time
from collections.abc import Callable, Iterator
from typing import Any

import pytest

from advisor.capture import libraries
from advisor.evidence import banner, build_forms, builds, exhibits, failures, hardware, lines, maps
from advisor.jobs.check import check
from advisor.jobs.request import File, Request
from advisor.launches import manifests
from advisor.launches.files import pins, requirements
from tests import hostile_lines
from tests.linear_patterns import patterns

LONG = 16_000  # characters; a line is cut at 20,000
MOST_S = 0.2  # of a processor: most took 0.5 s to 3 s, and take a hundredth now
MOST_CHECK_S = 10  # for 1 MB of such lines
EVERY = 24  # of the patterns of all readers, those that a line is made for
HOSTILE: dict[str, tuple[Any, str, str, str]] = {  # pattern, how it is asked, a line's beginning and what is repeated
    "site-packages": (libraries._SITE, "findall", "", "/"),
    "engine": (banner._BANNERS[2][2], "match", "LLM engine (1.", "1"),
    "torch": (banner._TORCH, "match", "PyTorch version 1.", "1"),
    "change": (exhibits._CHANGE, "match", "-", "\t"),
    "former": (exhibits._FORMER, "match", "", "\t"),
    "head of changes": (exhibits._CHANGES_HEAD, "match", "what's changed", " "),
    "assert": (exhibits._SOURCE, "match", "assert ", "_"),
    "if": (exhibits._SOURCE, "match", "if ()", " "),
    "capacity": (failures._CAPACITY, "search", "", "0"),
    "half a role": (lines._LOOSE, "match", "", "Core"),
    "label": (builds._LABEL, "match", "", "*"),
    "commit": (build_forms.COMMIT, "search", "commit", " "),
    "cards": (hardware._COUNTS[0], "search", "1", " "),
    "things": (hardware._COUNTS[1], "search", "1", " "),
    "by node": (hardware._BY_NODE, "search", "1x1", " "),
    "driver": (maps._DRIVER, "search", ".so.1.", "1"),
    "manifest": (manifests._HINT, "search", "", "\t"),
    "key": (manifests._KEY, "search", "", "\t"),
    "listed": (manifests._LISTED, "search", "- X=a", "\t"),
    "mapped": (manifests._MAPPED, "search", " X: a", "\t"),
    "git": (pins._GIT, "match", "http://a/a/a@", "/"),
    "wheel": (pins._WHEEL, "match", "", "a-1-py1A"),
    "requirement": (requirements._LINE, "findall", "a", "\t"),
    "inline": (requirements._INLINE, "search", "", "# /// script\n"),
}


@pytest.mark.parametrize("name", HOSTILE)
def test_a_hostile_line_is_gone_over_once(name: str) -> None:
    pattern, how, before, unit = HOSTILE[name]
    find = _asking(pattern, how)
    line = before + unit * (LONG // len(unit))
    for end in hostile_lines.ENDS:
        assert hostile_lines.seconds(find, line + end + "x\n!") < MOST_S
        assert hostile_lines.seconds(find, line + end) < MOST_S


MATCHES: list[tuple[Any, str, str, object]] = [
    (libraries._SITE, "findall", "7f-80 r-xp 0 08:01 1 /v/lib/dist-packages/a.so\n/x/site-packages/b/c.so",
     ["/v/lib/dist-packages", "/x/site-packages"]),
    (banner._BANNERS[2][2], "match", "LLM engine (v0.11.2.dev278+gccfeb3a8) with", ("0.11.2.dev278+gccfeb3a8",)),
    (banner._BANNERS[2][2], "match", "LLM engine (v0.11", None),
    (banner._TORCH, "match", "PyTorch version 2.8.0+cu128 available.", ("2.8.0+cu128",)),
    (exhibits._CHANGE, "match", "-  [PP] [Core] Fix hang (#4741)", ()),
    (exhibits._CHANGE, "match", "* A thing by @who in https://x", ()),
    (exhibits._CHANGE, "match", "* a thing that fails", None),
    (exhibits._FORMER, "match", "  -  previously : x", ()),
    (exhibits._CHANGES_HEAD, "match", "## What's Changed in 0.11 ** : ", ()),
    (exhibits._CHANGES_HEAD, "match", "what's changed " + "a" * 41, None),
    (exhibits._SOURCE, "match", "  12 | assert x == 1, y", ()),
    (exhibits._SOURCE, "match", "class Two(Base):  ", ()),
    (exhibits._SOURCE, "match", "if (x) {  ", ()),
    (exhibits._SOURCE, "match", "if (x) y", None),
    (failures._CAPACITY, "search", "(GPU 0; 23.69 GiB total capacity; 1.23 GiB free", (None, "23.69 GiB")),
    (lines._LOOSE, "match", "EngineCore_DP0 pid=269) ", ()),
    (lines._LOOSE, "match", "RayWorkerWrapper rank=3 pid=7, ip=192.0.2.2) ", ()),
    (builds._LABEL, "match", "- **SGLang**: v0.5.16", ("SGLang", "v0.5.16")),
    (builds._LABEL, "match", "1. vLLM Version : 0.11.0", ("vLLM Version", "0.11.0")),
    (builds._LABEL, "match", "| lmdeploy | f03bdf1c |", ("lmdeploy", "f03bdf1c |")),
    (build_forms.COMMIT, "search", "commit is : `f03bdf1c`", ("f03bdf1c",)),
    (maps._DRIVER, "search", "/usr/lib/libcuda.so.580.159.04", ("580.159.04",)),
    (manifests._LISTED, "findall", "- X=a b\" \n - 'Y=a \"\n- Z=\n", [("X", "a b"), ("Y", "a "), ("Z", "")]),
    (manifests._MAPPED, "findall", "  X: a b  \n Y:   \n", [("X", "a b"), ("Y", " ")]),
    (pins._GIT, "match", "git+https://github.com/a/vllm.git@v0.11/x#egg=vllm", ("a", "vllm", "v0.11/x")),
    (pins._WHEEL, "match", "https://x/y/vllm-0.28.0+cu129-cp38-abi3-linux_x86_64.whl", ("vllm", "0.28.0+cu129")),
    (requirements._LINE, "findall", "vllm==0.28.0  # x\n-e sglang [all] \r\ngit+https://a/b@c\n",
     ["vllm==0.28.0", "sglang [all]", "git+https://a/b@c"]),
]  # fmt: skip


@pytest.mark.parametrize(("pattern", "how", "line", "found"), MATCHES)
def test_what_a_tool_prints_is_still_found(pattern: Any, how: str, line: str, found: object) -> None:
    given: Any = _asking(pattern, how)(line)
    assert (given.groups() if isinstance(given, re.Match) else given) == found


def test_a_check_of_hostile_lines_takes_time_in_proportion() -> None:
    """Lines four times as long, and four times as many, up to 1 MB; a pattern that is quadratic takes sixteen times."""
    _checked([*_attacks(200)])  # what is ours is loaded now
    short, long = _checked([*_attacks(5_000)]), _checked(every := [*_attacks(20_000)])
    assert long < 8 * short + 1, (short, long)
    few = _checked(every[::4])
    assert long < 8 * few + 1, (few, long)
    assert long < MOST_CHECK_S, long
    assert sum(map(len, every)) > 700_000


def _attacks(length: int) -> Iterator[str]:
    """A line for each that was slow, and one for some patterns of all, another of theirs each time."""
    yield from ((before + unit * length)[:length].replace("\n", " ") for _, _, before, unit in HOSTILE.values())
    yield (
        "INFO 10-25 13:12:42 [a.py:6] LLM engine (v1." + "1" * length
    )  # these are reached by way of what stands before
    yield "\t" * length + "x"
    yield "*" * min(length, 1_998) + "="
    for at, (_, one) in enumerate(sorted(patterns().items())):
        if at % EVERY == 0:
            flags = (one.flags if isinstance(one, re.Pattern) else one._flags) & ~re.U
            made = [*hostile_lines.lines(one.pattern, flags, length)]
            yield from (made[at % len(made)].replace("\n", " "),) if made else ()


def _checked(made: list[str]) -> float:
    """Processor time of a check of such a log."""
    given = Request(files=(File("a.log", "\n".join(made).encode()),), strict=False)
    began = time.process_time()
    check(given)
    return time.process_time() - began


def _asking(pattern: Any, how: str) -> Callable[[str], object]:
    asked: Callable[[str], object] = getattr(re.compile(pattern) if isinstance(pattern, str) else pattern, how)
    return asked
