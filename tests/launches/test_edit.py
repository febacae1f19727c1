"""Edits: the user's own text changed where it must be, and nothing else."""

from __future__ import annotations

import re
from difflib import unified_diff
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from advisor.launches.edit import diff, edit
from advisor.launches.reading import read
from advisor.model.launch import Launch
from tests.front_door import checked
from tests.launches.situations import only, reading, real, said, small, variables
from tests.launches.test_reading import XLLM_SCRIPT

LINES = """vllm serve m/x \\
  --tensor-parallel-size 8 \\
  --speculative-config '{"method": "dspark", "num_speculative_tokens": 5}' \\
  --enable-prefix-caching
"""

VLLM_SCRIPT = """export NCCL_DEBUG=INFO
vllm serve m/x \\
  --tensor-parallel-size 1 \\
  --pipeline-parallel-size 2 \\
  --max-model-len 4096 \\
  --max-num-seqs 8 \\
  --speculative-config '{"method": "mtp", "num_speculative_tokens": 1}'
"""


def edited(text: str, engine: str | None = None, index: int = 0, **change: Any) -> str:
    launch = reading(text, engine, bare_is_complete=True).launches[index]
    after = edit(launch, knowledge=real(), **change)
    assert_reads_back(after)
    return after.text


def assert_reads_back(after: Launch) -> None:
    again = read(after.text, knowledge=real(), engine=after.engine, bare_is_complete=True).launches
    assert any(said(one) == said(after) and variables(one) == variables(after) for one in again) or not after.settings


@pytest.mark.parametrize(
    ("change", "gone", "come"),
    [
        ({"unset": ("--speculative-config",)}, ["""  --speculative-config '{"method": "dspark", "num_speculative_tokens": 5}' \\"""], []),
        ({"set": {"-tp": 4}}, ["  --tensor-parallel-size 8 \\"], ["  --tensor-parallel-size 4 \\"]),
        ({"set": {"--enable-prefix-caching": False}}, ["  --enable-prefix-caching"], ["  --no-enable-prefix-caching"]),
        ({"set": {"--max-num-seqs": 32}}, ["  --enable-prefix-caching"], ["  --enable-prefix-caching \\", "  --max-num-seqs 32"]),
        ({"env": {"NCCL_CUMEM_ENABLE": "0"}}, ["vllm serve m/x \\"], ["NCCL_CUMEM_ENABLE=0 vllm serve m/x \\"]),
        ({"set": {"--enable-prefix-caching": True}, "unset": ("--enforce-eager",)}, [], []),
    ],
)  # fmt: skip
def test_only_the_lines_concerned_change(change: dict[str, Any], gone: list[str], come: list[str]) -> None:
    before, after = LINES.splitlines(), edited(LINES, **change).splitlines()
    assert [line for line in before if line not in after] == gone
    assert [line for line in after if line not in before] == come


@pytest.mark.parametrize(
    ("text", "engine", "change", "expected"),
    [
        ("--tp 4 --enable-hierarchical-cache", "sglang", {"set": {"--enable-hierarchical-cache": False, "--tp-size": 2}}, "--tp 2"),
        ("--tp=4", "sglang", {"set": {"--page-size": 16}}, "--tp=4 --page-size=16"),
        ("--mem_fraction_static 0.8", "sglang", {"set": {"--page-size": 16}}, "--mem_fraction_static 0.8 --page_size 16"),
        ("--tp 8 --tp 4", "sglang", {"set": {"--tp-size": 2}}, "--tp 8 --tp 2"),
        ("--tp 8 --x 1 --tp 4", "sglang", {"unset": ("--tp-size",)}, "--x 1"),
        ("./xllm -enable_shm --noenable_graph", "xllm", {"set": {"--enable_shm": False, "--enable_graph": True}},
         "./xllm -enable_shm=false --enable_graph=true"),
        ("./xllm --block_size=128", "xllm", {"set": {"--enable_shm": False}}, "./xllm --block_size=128 --enable_shm=false"),
        ("""--speculative-config "{\\"method\\":\\"mtp\\"}" -tp 2""", "vllm", {"set": {"--speculative-config.method": "eagle"}},
         """--speculative-config "{\\"method\\":\\"eagle\\"}" -tp 2"""),
        ("""--speculative-config '{"method":"mtp"}' -tp 2""", "vllm", {"unset": ("--speculative-config.method",)}, "-tp 2"),
        ("--speculative-config.method mtp -tp 2", "vllm", {"set": {"--speculative-config.num_speculative_tokens": 3}},
         "--speculative-config.method mtp -tp 2 --speculative-config.num_speculative_tokens 3"),
        ("--speculative-config.method mtp --speculative-config.model m -tp 2", "vllm", {"unset": ("--speculative-config",)}, "-tp 2"),
        ("A=1 vllm serve m/x --tensor-parallel-size 2", "vllm", {"env": {"A": None, "B": "x y"}},
         "B='x y' vllm serve m/x --tensor-parallel-size 2"),
        ("docker run --gpus all vllm/vllm-openai:v0.11.0 --model m/x", "vllm", {"env": {"A": "1"}},
         "docker run --gpus all -e A=1 vllm/vllm-openai:v0.11.0 --model m/x"),
        ("docker run -e A=1 -e 'B=2' vllm/vllm-openai --model m/x", "vllm", {"env": {"A": None, "B": "3"}},
         "docker run -e 'B=3' vllm/vllm-openai --model m/x"),
        ("vllm serve m/x -tp 8 2>&1 | tee log", "vllm", {"set": {"--max-num-seqs": 4}}, "vllm serve m/x -tp 8 --max-num-seqs 4 2>&1 | tee log"),
    ],
)  # fmt: skip
def test_the_writers_own_way_is_kept(text: str, engine: str, change: dict[str, Any], expected: str) -> None:
    assert edited(text, engine, **change) == expected


def test_a_script_is_edited_where_the_array_and_the_exports_stand() -> None:
    after = edited(
        XLLM_SCRIPT,
        "xllm",
        1,
        set={"--enable_shm": False, "--block_size": 64},
        env={"HCCL_BLOCKING_WAIT": "1", "XLLM_X": "2"},
    )
    assert "  --enable_shm=false   # the suspect\n" in after
    assert "  --num_speculative_tokens=5\n  --block_size=64\n)\n" in after
    assert "export HCCL_BLOCKING_WAIT=1\nexport XLLM_X=2\n" in after


def test_what_lies_beside_the_text_changes_as_a_noun() -> None:
    launch = only("two nodes with `--speculative-algorithm DSPARK --tp 2`", "sglang")
    after = edit(launch, knowledge=real(), unset=("--speculative-algorithm",), set={"--tp-size": 4}, env={"A": "1"})
    assert said(after) == {"--tp-size": 4} and variables(after) == {"A": "1"}
    assert diff(launch, after) == ""


def test_bare_flags_have_no_place_for_a_variable() -> None:
    launch = only("--tp 8", "sglang", bare_is_complete=True)
    after = edit(launch, knowledge=real(), env={"NCCL_PROTO": "Simple"})
    assert (after.text, variables(after)) == ("--tp 8", {"NCCL_PROTO": "Simple"})


@pytest.mark.parametrize("script", [VLLM_SCRIPT, f"```bash\n{VLLM_SCRIPT}```"])
def test_a_diff_has_the_line_numbers_of_the_file_that_the_launch_was_cut_out_of(tmp_path: Path, script: str) -> None:
    file = tmp_path / "issue.md"
    file.write_text(f"The service stops.\n\nNo error is logged.\n\nWe start it with\n\n{script}\n", encoding="utf-8")
    lines = file.read_text(encoding="utf-8").splitlines()
    report = checked("--version", "0.28.0", str(file)).report
    diffs = [one["diff"] for found in report["findings"] for one in found["remedies"] if one["diff"]]
    assert diffs
    for told in diffs:
        hunk = re.search(r"@@ -(\d+)(?:,\d+)? \+(\d+)(?:,\d+)? @@\n(.*)", told, re.S)
        assert hunk and hunk[1] == hunk[2]
        old = [line[1:] for line in hunk[3].splitlines() if line[0] in " -"]
        assert lines[int(hunk[1]) - 1 :][: len(old)] == old


def test_the_diff_is_unified() -> None:
    launch = only(LINES)
    told = diff(launch, edit(launch, knowledge=real(), set={"-tp": 4}))
    assert (
        told.startswith("--- --flags\n+++ --flags\n@@ ")
        and "-  --tensor-parallel-size 8 \\\n+  --tensor-parallel-size 4 \\\n" in told
    )
    assert diff(launch, launch) == ""


@pytest.mark.parametrize("before", ["", "\n", "--tp 8", "--tp 8\n", "--tp 8\n--dp 2"])
@pytest.mark.parametrize("after", ["", "--tp 8", "--tp 4\n", "--tp 4", "--tp 8\n--dp 1"])
def test_a_line_differs_as_the_search_for_differences_has_it(before: str, after: str) -> None:
    one, other = Launch("vllm", text=before, artifact="a b.sh"), Launch("vllm", text=after, artifact="a b.sh")
    lines = unified_diff(before.splitlines(), after.splitlines(), "a b.sh", "a b.sh", lineterm="")
    assert diff(one, other) == "".join(f"{line}\n" for line in lines)


def test_spans_still_count_from_the_artifact() -> None:
    launch = only("Hello.\n\n```bash\nvllm serve m/x -tp 8 --enforce-eager\n```\n")
    after = edit(launch, knowledge=real(), set={"-tp": 4})
    assert [one.span.line for one in after.settings if one.span] == [4, 4]


TYPED = {
    "--tensor-parallel-size": ["--tensor-parallel-size 8", "-tp 8", "--tensor_parallel_size=8"],
    "--memory-fraction": ["--memory-fraction 0.5", "--memory-fraction='0.5'"],
    "--cache-dtype": ["--cache-dtype fp8", '--cache-dtype="fp8"'],
    "--eager": ["--eager"],
    "--prefix-caching": ["--prefix-caching", "--no-prefix-caching"],
    "--spec-config": ["""--spec-config '{"method": "mtp", "n": 2}'""", '--spec-config={"method":"mtp","n":2}', '--spec-config "{\\"n\\": 1}"'],
    "--hosts": ["--hosts a b"],
    "--unheard-of": ["--unheard-of x", "--unheard-of=y"],
}  # fmt: skip
VALUES: dict[str, Any] = {
    "--tensor-parallel-size": st.integers(1, 64),
    "--memory-fraction": st.sampled_from([0.25, 0.75, 1.5]),
    "--cache-dtype": st.sampled_from(["auto", "fp8", "it's", 'a "b" c', "a b"]),
    "--eager": st.booleans(),
    "--prefix-caching": st.booleans(),
    "--spec-config.method": st.sampled_from(["dspark", "it's $x"]),
    "--spec-config.n": st.integers(0, 9),
    "--spec-config.deep.k": st.booleans(),
    "--hosts": st.sampled_from(["a", "c d"]),
    "--unheard-of": st.sampled_from(["z", "w v"]),
}
HEADS = ["", "small serve m/x ", "A=1 nohup small serve m/x ", "docker run -e A=1 small/small-openai:v1 --model m/x "]


@given(
    st.sampled_from(HEADS),
    st.lists(st.sampled_from(sorted(TYPED)), min_size=1, max_size=5, unique=True).flatmap(
        lambda flags: st.tuples(*(st.sampled_from(TYPED[flag]) for flag in flags))
    ),
    st.sampled_from([" ", " \\\n  "]),
    st.sampled_from(sorted(VALUES)).flatmap(lambda flag: st.tuples(st.just(flag), VALUES[flag])),
)
def test_reading_the_edited_text_gives_the_edit_and_all_else_as_it_was(
    head: str, typed: tuple[str, ...], between: str, change: tuple[str, Any]
) -> None:
    known = small()
    text = head + between.join(typed)
    (before,) = read(text, knowledge=known, engine="small", bare_is_complete=True).launches
    flag, value = change
    after = edit(before, knowledge=known, set={flag: value})
    if not after.text.strip() or after.text.strip() == head.strip():
        assert value is False
        return
    (again,) = read(after.text, knowledge=known, engine="small", bare_is_complete=True).launches
    family = flag.partition(".")[0]
    others = {name: one for name, one in said(before).items() if name.partition(".")[0] != family}
    assert {name: one for name, one in said(again).items() if name.partition(".")[0] != family} == others
    assert said(again).get(flag, False) == value
    assert variables(again) == variables(before)


@given(
    st.sampled_from(HEADS),
    st.lists(st.sampled_from(sorted(TYPED)), min_size=1, max_size=5, unique=True).flatmap(
        lambda flags: st.tuples(*(st.sampled_from(TYPED[flag]) for flag in flags))
    ),
    st.sampled_from([" ", " \\\n  "]),
    st.sampled_from(sorted(TYPED)),
)
def test_unsetting_takes_the_flag_away_and_nothing_else(
    head: str, typed: tuple[str, ...], between: str, flag: str
) -> None:
    known = small()
    text = head + between.join(typed)
    (before,) = read(text, knowledge=known, engine="small", bare_is_complete=True).launches
    after = edit(before, knowledge=known, unset=(flag,))
    left = {name: one for name, one in said(before).items() if name.partition(".")[0] != flag}
    assert said(after) == left
    if left:
        (again,) = read(after.text, knowledge=known, engine="small", bare_is_complete=True).launches
        assert said(again) == left and variables(again) == variables(before)
