"""Commands, bare flags and prose through the front of the room."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from advisor.errors import UsageError
from advisor.launches.bash_tree import bash_tree
from advisor.launches.reading import environment
from tests.launches.situations import assert_places, facts, only, reading, said, small, variables


@pytest.mark.parametrize(
    ("text", "engine", "model"),
    [
        ("vllm serve Qwen/Qwen3-0.6B --tensor-parallel-size 2", "vllm", "Qwen/Qwen3-0.6B"),
        ("python -m vllm.entrypoints.openai.api_server --model m/x --tensor_parallel_size 2", "vllm", "m/x"),
        ("python3 -u -m sglang.launch_server --model-path m/x --tp 2", "sglang", "m/x"),
        ("sglang serve --model-path m/x --tp-size 2", "sglang", "m/x"),
        ("CUDA_VISIBLE_DEVICES=0,1 lmdeploy serve api_server m/x --tp 2", "lmdeploy", "m/x"),
        ("./build/xllm --model m/x --nnodes=2 --enable_shm=true", "xllm", "m/x"),
        ("docker run --gpus all vllm/vllm-openai:v0.11.0 --model m/x -tp 2", "vllm", "m/x"),
        ("docker run lmsysorg/sglang:v0.5.16 python3 -m sglang.launch_server --model-path m/x --tp 2", "sglang", "m/x"),
        ("docker run openmmlab/lmdeploy:v0.11.0 lmdeploy serve api_server m/x --tp 2", "lmdeploy", "m/x"),
    ],
)
def test_an_engine_is_known_by_its_command(text: str, engine: str, model: str) -> None:
    launch = only(text)
    assert (launch.engine, launch.model, launch.complete) == (engine, model, True)
    assert 2 in said(launch).values() and all(one.known for one in launch.settings)
    assert_places(launch)


@pytest.mark.parametrize(
    "text",
    ["pip install vllm", "echo vllm serve m --tp 8", "vllm serve hangs", "vllm bench serve --model m", "curl -s http://x/v1 --max-time 5",
     "git rebase --onto main", "", "   \n", "evalscope perf --parallel 16 --model m"],
)  # fmt: skip
def test_what_starts_no_engine_makes_no_launch(text: str) -> None:
    assert not reading(text).launches


@pytest.mark.parametrize(
    ("typed", "flag", "value"),
    [
        ("--tensor_parallel_size 2", "--tensor-parallel-size", 2),
        ("-tp=2", "--tensor-parallel-size", 2),
        ("--tensor-par 2", "--tensor-parallel-size", 2),
        ("--no-prefix-caching", "--prefix-caching", False),
        ("--no_prefix_caching", "--prefix-caching", False),
        ("--prefix-caching", "--prefix-caching", True),
        ("--eager", "--eager", True),
        ("--memory-fraction .9", "--memory-fraction", 0.9),
        ("--hosts a b c", "--hosts", "a b c"),
        ("-sc.method dspark", "--spec-config.method", "dspark"),
        ("--spec-config.deep.n 5", "--spec-config.deep.n", 5),
        ("--small-cache-dtype fp8", "--cache-dtype", "fp8"),
        ("--never-heard-of x", "--never-heard-of", "x"),
        ("--never_heard -1", "--never-heard", -1),
        ("--never-heard", "--never-heard", True),
    ],
)
def test_spellings(typed: str, flag: str, value: object) -> None:
    launch = only(f"small serve m/x {typed}", knowledge=small())
    assert said(launch)[flag] == value and type(said(launch)[flag]) is type(value)
    assert launch.complete


@pytest.mark.parametrize(
    ("typed", "flag", "value"),
    [
        ("--eager=false", "--eager", False),
        ("-eager", "--eager", True),
        ("--noeager", "--eager", False),
        ("--prefix_caching=1", "--prefix_caching", True),
        ("--tensor_parallel_size 2", "--tensor_parallel_size", 2),
        ("-cache-dtype=fp8", "--cache_dtype", "fp8"),
        ("--unheard_of=true", "--unheard_of", True),
    ],
)
def test_spellings_of_gflags(typed: str, flag: str, value: object) -> None:
    launch = only(f"./smallbin {typed} --memory_fraction 0.5", knowledge=small("gflags"))
    assert said(launch)[flag] is value or said(launch)[flag] == value
    assert said(launch)["--memory_fraction"] == 0.5


def test_json_gives_the_whole_and_each_key() -> None:
    launch = only(
        """small serve m/x --spec-config '{"method":"dspark","deep":{"n":5},"on":true,"of":[1]}'""", knowledge=small()
    )
    found = said(launch)
    assert found["--spec-config.method"] == "dspark" and found["--spec-config.deep.n"] == 5
    assert found["--spec-config.on"] is True and found["--spec-config.of"] == "[1]"
    assert len({(one.start, one.end) for one in launch.settings}) == 1


def test_dotted_flags_also_give_the_whole() -> None:
    found = said(only("small serve m/x --spec-config.method mtp --spec-config.n 2", knowledge=small()))
    assert found["--spec-config"] == '{"method": "mtp", "n": 2}'


def test_an_unknown_flag_is_kept_as_such() -> None:
    launch = only("small serve m/x --tensor-paralel-size 2", knowledge=small())
    assert [one.known for one in launch.settings] == [False]


@pytest.mark.parametrize("text", ["small serve m/x --eager ...", "small serve m/x $EXTRA", "small serve m/x --eager --config c.yaml",
                                  'small serve m/x "$@"', "small serve m/x --eager …"])  # fmt: skip
def test_a_command_that_may_lack_flags_is_not_complete(text: str) -> None:
    assert not only(text, knowledge=small()).complete


def test_bare_flags_are_complete_when_the_caller_says_so() -> None:
    assert only("--tp 8", "sglang", bare_is_complete=True).complete
    assert not only("--tp 8", "sglang").complete
    assert not only("--enable_shm=true (MTP5, TP2)", "xllm", bare_is_complete=True).complete
    assert facts("--enable_shm=true (MTP5, TP2)", "xllm") == {
        "topology.tp": 2, "speculation.method": "mtp", "speculation.on": True, "speculation.tokens": 5,
    }  # fmt: skip


def test_bare_flags_one_to_a_line_name_their_engine() -> None:
    launch = only("--enable_schedule_overlap=true\n--enable_shm=true\n--block_size=128\n", bare_is_complete=True)
    assert launch.engine == "xllm" and len(launch.settings) == 3 and launch.complete
    assert [one.span.line for one in launch.settings if one.span] == [1, 2, 3]


@pytest.mark.parametrize(
    ("text", "engine", "settings"),
    [
        ("LLM(model='m', tensor_parallel_size=2)", "vllm", {"--tensor-parallel-size": 2}),
        ("llm = LLM('m', enforce_eager=True)\nllm.generate('hi')", "vllm", {"--enforce-eager": True}),
        (
            "from vllm import LLM\n\nLLM(\n    'm',\n    tensor_parallel_size=4,\n)",
            "vllm",
            {"--tensor-parallel-size": 4},
        ),
        ("pipeline('m', backend_config=TurbomindEngineConfig(tp=2))", "lmdeploy", {"--tp": 2}),
        ("sgl.Engine(model_path='m')", "sglang", {"--model-path": "m"}),
    ],
)
def test_a_whole_python_call_is_a_complete_launch(text: str, engine: str, settings: dict[str, object]) -> None:
    launch = only(text)
    assert (launch.engine, launch.complete, launch.model, said(launch)) == (engine, True, "m", settings)
    assert all(one.span and one.start == -1 for one in launch.settings)


@pytest.mark.parametrize(
    "text",
    [
        "LLM(model='m', tensor_parallel_size=2, **more)",
        "LLM('m', ...)",
        "LLM(model='m', tensor_parallel_size=2, ...)",
        "LLM(model='<model>', tensor_parallel_size=2)",
        "We call LLM(model='m', tensor_parallel_size=2) and it hangs",
        "调用 LLM(model='m', tensor_parallel_size=2) 就卡住",
        "LLM(model='m', tensor_parallel_size=2",
        "pipeline('text-generation', model='m')",
        "Engine(name='m')",
    ],
)
def test_a_call_in_part_or_in_prose_is_not_complete(text: str) -> None:
    assert all(not one.complete for one in reading(text).launches)


def test_a_call_of_another_engine_than_the_one_given() -> None:
    assert all(not one.complete for one in reading("LLM(model='m', tensor_parallel_size=2)", "sglang").launches)


def test_an_unclosed_quote_in_flags() -> None:
    with pytest.raises(UsageError, match="column 22"):
        reading("""--speculative-config '{"method":"mtp"}""", "vllm", strict=True)
    found = reading("""--speculative-config '{"method":"mtp"}""", "vllm")
    assert said(found.launches[0])["--speculative-config.method"] == "mtp"
    assert [note.kind for note in found.notes] == ["unreadable"]


XLLM_SCRIPT = """#!/usr/bin/env bash
BIN=${BIN:?where xLLM is}
PORT=${PORT:-18000}
export HCCL_BLOCKING_WAIT=0
args=(
  --model "$MODEL"
  --nnodes=2
  --enable_shm=true   # the suspect
  --draft_model "$DRAFT"
  --num_speculative_tokens=5
)
ASCEND_RT_VISIBLE_DEVICES=0 \\
  "$BIN" "${args[@]}" --node_rank=0 --port="$PORT" &
ASCEND_RT_VISIBLE_DEVICES=1 \\
  "$BIN" "${args[@]}" --node_rank=1 --port=18001 &
wait
"""


@pytest.mark.parametrize(
    "around",
    [
        "{}",
        "复现脚本如下：\n\n{}\n2. 发送请求\n\nevalscope perf \\\n  --model m --parallel 16\n",
        "Run:\n```bash\n{}```\n",
    ],
)
def test_a_script_that_starts_two_ranks_gives_two_launches(around: str) -> None:
    text = around.format(XLLM_SCRIPT)
    found = reading(text, first_line=1).launches
    assert [(one.engine, one.rank, one.complete) for one in found] == [("xllm", "0", True), ("xllm", "1", True)]
    assert [said(one)["--port"] for one in found] == [18000, 18001]
    assert said(found[0])["--draft_model"] == "$DRAFT"
    assert variables(found[1]) == {"HCCL_BLOCKING_WAIT": "0", "ASCEND_RT_VISIBLE_DEVICES": "1"}
    shm = found[0].setting("--enable_shm")
    assert shm and shm.span and text.splitlines()[shm.span.line - 1].strip().startswith("--enable_shm=true")
    assert_places(found[0])


def test_commands_win_and_prose_adds_what_they_lack() -> None:
    found = reading("We run `vllm serve m/x --tensor-parallel-size 8` on two nodes (TP=4), V2 runner.\n")
    assert said(found.launches[0]) == {"--tensor-parallel-size": 8}
    assert {one.name: one.value for one in found.facts} == {"topology.nodes": 2, "runner.version": 2}


def test_commands_of_another_engine_are_left_aside() -> None:
    found = reading(
        "```bash\nvllm serve m/x\n```\nstable, but\n```bash\nsglang serve --model-path m/x --tp 2\n```\n", "sglang"
    )
    assert [one.engine for one in found.launches] == ["sglang"]
    assert [note.kind for note in found.notes] == ["ignored"]


def test_a_sentence_around_a_command_is_not_part_of_it() -> None:
    launch = only("I start vllm serve m/x --tensor-parallel-size 4 and it hangs after an hour.")
    assert said(launch) == {"--tensor-parallel-size": 4} and not launch.complete


def test_environment_given_apart() -> None:
    assert [(one.name, one.value) for one in environment("A=b C='d e' export X=1")] == [
        ("A", "b"),
        ("C", "d e"),
        ("X", "1"),
    ]
    assert [one.value for one in environment(["A=b c"])] == ["b c"]
    assert environment("nothing here") == ()
    with pytest.raises(UsageError, match="--env: `oops` sets no variable"):
        environment(["oops"], strict=True)


def test_characters_far_beyond_ascii_reach_the_grammar_as_one_byte_each() -> None:
    text = "for x in \U0010ffff\U000e0001 é 语; do\n  echo \U0010ffff$(\U0010ffff)\ndone\n"
    assert bash_tree(text).end_byte == len(text)
    found = reading(f"{text}FOO=\U0010ffff vllm serve m/语言 --tp 8 && x").launches
    assert [one.model for one in found] == ["m/语言"]
    assert [one.value for one in found[0].settings] == [8]


@given(
    st.text(max_size=80), st.sampled_from(["", "vllm serve m/x ", "--tp 8 ", "`--speculative-config` ", "LLM(model="])
)
def test_no_text_raises(text: str, lead: str) -> None:
    for launch in reading(lead + text).launches:
        assert_places(launch)
