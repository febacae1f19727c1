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
from advisor.evidence import (
    banner,
    build_forms,
    build_prose,
    builds,
    collect_env,
    exhibits,
    failures,
    hardware,
    lines,
    maps,
    nvidia_forms,
    nvidia_smi,
    python_stack,
    ras,
    recognition,
    rocm_smi,
    spoken,
    watchdog,
)  # fmt: skip
from advisor.intake import condense, records
from advisor.jobs.check import check
from advisor.jobs.request import File, Request
from advisor.launches import (
    bare,
    blocks,
    cases,
    folded,
    listed,
    manifests,
    pasted_code,
    prose,
    shell,
    speculation,
    topology,
    unmeant,
    words,
)  # fmt: skip
from advisor.launches.files import compose, instructions, pins, recipes, requirements, shell_file, systemd
from advisor.launches.heredocs import Closings
from advisor.model import build
from tests import hostile_lines
from tests.linear_patterns import patterns

LONG = 16_000  # characters; a line is cut at 20,000
MOST_S = 0.2  # of a processor: most took 0.5 s to 3 s, and take a hundredth now
MOST_CHECK_S = 10  # for 1 MB of such lines
THIRD, EVERY = 3, 60  # of those below, and of the patterns of all readers, those that a line is made for
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
    "command": (recognition._COMMAND, "search", "", "\n"),
    "manifest's lines": (recognition._MANIFEST, "findall", "", "\n"),
    "variable": (recognition._LIBRARY_VARIABLE, "search", "", "\n"),
    "code": (recognition._CODE, "search", "", "\n"),
    "library": (recognition._LIBRARY, "match", "", "/a/libnccl"),
    "bullet": (bare._BULLET, "search", "", "\n"),
    "imports": (pasted_code._IMPORTS, "search", "", "\n"),
    "maps": (maps._MINE, "search", "", "\n"),
    "question": (cases._MAY_I, "search", "", "\n"),
    "question mark": (cases._ASKS, "search", "?", "\t"),
    "吗": (cases._ASKS_CHINESE, "search", "吗", "\t"),
    "list": (cases._LISTED, "match", "", "-1"),
    "wheel in words": (build_prose._WHEEL, "findall", "", "/"),
    "version before Chinese": (build_prose._BEFORE_CHINESE, "findall", "", "1."),
    "keyed": (collect_env._KEYED, "findall", "a", " "),
    "card": (nvidia_forms.NAME_ROW, "match", "| 1 a", " "),
    "process": (nvidia_forms._PROCESS, "match", "| 1 1 C a", " "),
    "queried": (nvidia_forms._QUERIED, "match", "        A: a", " "),
    "queried name": (nvidia_forms._QUERIED, "match", "        A", " "),
    "section": (nvidia_forms._SECTION, "match", "    Aa", " "),
    "product": (nvidia_smi._PRODUCT, "match", " Product Name : a", " "),
    "series": (rocm_smi._NAMED, "match", "GPU[1]: Card Series:", " "),
    "power": (rocm_smi._ROW, "match", "", "1 a 1W  "),
    "frame": (python_stack._FILE_FRAME, "match", 'File "a", line 1 in ', " "),
    "speaker": (python_stack._SPEAKER, "findall", "(", "pid=1"),
    "pod": (python_stack._SPEAKER, "findall", "", "[pod/"),
    "rank": (condense._RANK, "search", "", "[pod/"),
    "nccl": (ras._START, "match", "NCCL version 1.1.", "0"),
    "cut record": (records._PARTIAL, "match", "1111-11-11T", "."),
    "group": (watchdog.GROUP, "findall", "", "[PG a("),
    "pull request": (build._AFTER_PR, "search", "after", "\t"),
    "assigned": (spoken._ONLY_ASSIGNED, "match", 'a=""', "\t"),
    "fence": (blocks._FENCE, "findall", "```", "\t"),
    "configuration": (prose._CONFIGURATION, "match", "", "*"),
    "method": (speculation._PATTERNS[0], "search", "speculative-algorithm", "\t"),
    "rank of": (topology._RANK, "search", "rank", "\t"),
    "one card": (topology._ONE_CARD, "search", "tp", " "),
    "printed": (listed._PRINTED, "match", "a=", "\t"),
    "folded": (folded._ONE_A_LINE, "match", "", "\t"),
    "sibling": (manifests._SIBLING, "match", "", "\t"),
    "target": (recipes._TARGET, "search", "", "a"),
    "just": (recipes._JUST_TARGET, "search", "a", "\t"),
    "unit's item": (systemd._ITEM, "findall", "", "a"),
    "pair": (instructions._PAIR, "findall", "", "a1"),
    "default": (compose._HOLD, "findall", "", "${a-{}"),
    "here-document": (shell_file._HERE, "findall", "", "<<a"),
    "printed document": (unmeant._HEREDOC, "findall", "", '<<a"'),
    "shell's document": (words._HEREDOC, "match", "<<a", "0"),
}


@pytest.mark.parametrize("name", HOSTILE)
def test_a_hostile_line_is_gone_over_once(name: str) -> None:
    pattern, how, before, unit = HOSTILE[name]
    find = _asking(pattern, how)
    line = before + unit * (LONG // len(unit))
    for end in hostile_lines.ENDS:
        assert hostile_lines.seconds(find, line + end + "x\n!") < MOST_S
        assert hostile_lines.seconds(find, line + end) < MOST_S


MANY = {  # a file's name and beginning, and a line of which it has many: gone over anew for each, it took the square
    "blank lines in words": ("a.md", "vllm 0.11.0 hangs: FROM a: b:\n", "\n"),
    "blank lines in requirements": ("requirements.txt", "vllm==0.11.0\n", "\n"),
    "blank lines in a unit": ("a.service", "[Service]\nExecStart=vllm serve m\n", "\t\n"),
    "here-documents that start engines": ("run.sh", "vllm serve m\n", "cat > a.sh <<A\nvllm serve a\nA\n"),
    "here-documents that nothing closes": ("run.sh", "vllm serve m\n", "cat <<A <<B <<C <<D <<E <<F <<G <<H\n"),
}


@pytest.mark.parametrize("name", MANY)
def test_a_file_of_many_lines_takes_time_in_proportion(name: str) -> None:
    file, head, line = MANY[name]
    _checked([head], file)
    few, many = (
        min(_checked([head + line * (length // len(line))], file) for _ in range(2)) for length in (15_000, 60_000)
    )  # the quicker of two: a busy machine only slows one down
    assert many < 8 * few + 0.5, (few, many)


DEEP = [
    "ssh " * 2_500, "eval " * 2_500, "cd /a && " * 2_500, "a || " * 2_500, "bash -c " * 2_500, "sudo env exec " * 900,
    "cat > a.sh <<EOF\n" * 2_500 + "EOF\n" * 2_500,
]  # fmt: skip


@pytest.mark.parametrize("lead", DEEP, ids=lambda lead: lead[:8])
def test_a_command_behind_thousands_of_others_ends_nothing(lead: str) -> None:
    text = f"{lead}vllm serve m --tp 8\nvllm serve n --tp 4\n"
    assert ["vllm", "serve", "n", "--tp", "4"] in [
        [word.text for word in one.words] for one in shell.read(text).commands
    ]
    _checked([text], "run.sh")


def test_what_stands_last_in_a_long_list_of_commands_is_read() -> None:
    found = shell.read("cd /a && " * 2_500 + "vllm serve m --tp 8", grammar=True).commands
    assert [word.text for word in found[-1].words] == ["vllm", "serve", "m", "--tp", "8"]
    assert len(found) == 2_501


def test_here_documents_close_where_their_word_stands_alone() -> None:
    text = "cat <<EOF\nvllm serve a\n  EOF \nEOFX\nvllm serve b\nEOF\r\nEOF\n"
    assert [text[one.start : one.end] for at in (0, 30, 53) if (one := Closings(text).after("EOF", at))] == [
        "  EOF ", "EOF", "EOF",
    ]  # fmt: skip
    assert Closings(text, returns=True).after("EOF", 30) == (5, 48, 48, 52)
    assert Closings(text).after("EOFY", 0) is None


@pytest.mark.parametrize(
    ("text", "left"),
    [
        ("cat <<EOF\nvllm serve a\nEOF\nvllm serve b\n", "\nvllm serve b\n"),
        ("cat << 'A' <<B\nvllm serve a\n  B\nx\n", None),  # something stands behind the first word, and goes on
        ("cat <<A > f.sh\nvllm serve a\nA\n", None),
        ("cat <<A\nvllm serve a\n", None),
        ("cat <<A\n" + "x\n" * 400 + "A\n", "\n"),
        ("cat <<A\n" + "x\n" * 401 + "A\n", None),
    ],
)
def test_a_document_that_is_only_printed_starts_nothing(text: str, left: str | None) -> None:
    cleared = unmeant.clear(text, re.compile("vllm")).text
    assert len(cleared) == len(text)
    assert cleared == text if left is None else cleared.lstrip().strip("\n") == left.strip("\n")


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
    yield from (
        (before + unit * length)[:length].replace("\n", " ") for _, _, before, unit in [*HOSTILE.values()][::THIRD]
    )
    yield (
        "INFO 10-25 13:12:42 [a.py:6] LLM engine (v1." + "1" * length
    )  # these are reached by way of what stands before
    yield "\t" * length + "x"
    yield "*" * min(length, 1_998) + "="
    for at, (_, one) in enumerate(sorted(patterns().items())):
        if at % EVERY == 0:
            made = [*hostile_lines.lines(one.pattern, one.flags, length)]
            yield from (made[at % len(made)].replace("\n", " "),) if made else ()


def _checked(made: list[str], name: str = "a.log") -> float:
    """Processor time of a check of such a file."""
    given = Request(files=(File(name, "\n".join(made).encode()),), strict=False)
    began = time.process_time()
    check(given)
    return time.process_time() - began


def _asking(pattern: Any, how: str) -> Callable[[str], object]:
    if isinstance(pattern, str) or isinstance(pattern.pattern, bytes):
        pattern = re.compile(pattern if isinstance(pattern, str) else pattern.pattern.decode("latin-1"))
    asked: Callable[[str], object] = getattr(pattern, how)
    return asked
