"""Edits of deployment files: each form in which a setting stands, and what must not change beside it.

`assert_edits` gives the text before and after, whole; every case also runs with CRLF line ends.
"""

from __future__ import annotations

import pytest

from advisor.catalog.engines import engines, knowledge
from advisor.launches.files.editing import Change, Edited, edited
from advisor.launches.files.recognise import read_file
from advisor.model.condition import Scalar

KNOWN = {one: knowledge(one) for one in engines()}


def edit(name: str, text: str, *changes: Change) -> Edited:
    return edited(read_file(name, text.encode(), KNOWN), changes, KNOWN)


def remove(flag: str, workload: int = 0) -> Change:
    return Change(workload, "remove", flag)


def put(flag: str, value: Scalar, workload: int = 0) -> Change:
    return Change(workload, "set", flag, value=value)


def rename(old: str, new: str, value: Scalar | None = None) -> Change:
    return Change(0, "rename", old, old, new, value)


def env(name: str, value: str | None) -> Change:
    return Change(0, "set variable", name, value=value)


def assert_edits(name: str, text: str, after: str, *changes: Change) -> None:
    """The changes make that text of it, with either line end, and a byte order mark stays."""
    for ends in ("\n", "\r\n"):
        before, wanted = text.replace("\n", ends), after.replace("\n", ends)
        done = edit(name, before, *changes)
        assert (done.problem, done.deployment.text) == ("", wanted)
        assert edit(name, wanted, *changes).deployment.text == wanted, "an edited file stays as it is"
    assert edit(name, "\ufeff" + text, *changes).deployment.text in ("\ufeff" + after, "\ufeff" + text)


def assert_leaves(name: str, text: str, *changes: Change, why: str = "") -> None:
    done = edit(name, text, *changes)
    assert done.problem and why in done.problem
    assert done.deployment.text == text


POD = """\
# the pod
apiVersion: v1
kind: Pod
metadata: {name: p}
spec:
  containers:
    - name: server          # one container
      image: vllm/vllm-openai:v0.28.0
"""
BLOCK = (
    POD
    + """\
      args:
        - --model
        - 'Qwen/Qwen3-8B'   # the model
        # why two
        - "--tensor-parallel-size"
        - "2"               # ranks
        - --swap-space=4
        - --enforce-eager
      env:
        - name: NCCL_DEBUG  # for now
          value: "INFO"
        - {name: VLLM_RPC_TIMEOUT, value: "60000"}
"""
)


def without(text: str, *lines: str) -> str:
    for one in lines:
        assert text.count(one + "\n") == 1, one
        text = text.replace(one + "\n", "")
    return text


def swapped(text: str, old: str, new: str) -> str:
    assert text.count(old) == 1, old
    return text.replace(old, new)


def test_block_items() -> None:
    pair = ('        - "--tensor-parallel-size"', '        - "2"               # ranks')
    assert_edits("p.yaml", BLOCK, without(BLOCK, *pair), remove("--tensor-parallel-size"))
    assert_edits("p.yaml", BLOCK, without(BLOCK, "        - --swap-space=4"), remove("--swap-space"))
    assert_edits("p.yaml", BLOCK, swapped(BLOCK, '"2" ', '"4" '), put("--tensor-parallel-size", 4))
    assert_edits("p.yaml", BLOCK, swapped(BLOCK, "space=4", "space=8"), put("--swap-space", 8))
    assert_edits("p.yaml", BLOCK, swapped(BLOCK, "--enforce-eager", "--enable-prefix-caching"),
                 rename("--enforce-eager", "--enable-prefix-caching"))  # fmt: skip


def test_several_words_in_one_item() -> None:
    text = POD + "      args:\n        - --model m\n        - --tensor-parallel-size 2 --swap-space 4 --seed 1\n"
    assert_edits("p.yaml", text, swapped(text, " --swap-space 4", ""), remove("--swap-space"))
    assert_edits("p.yaml", text, swapped(text, "size 2", "size 4"), put("--tensor-parallel-size", 4))


def test_flow_items() -> None:
    text = POD + '      args: [--model, m, "--swap-space", "4", --seed, "1"]  # flow\n'
    assert_edits("p.yaml", text, swapped(text, '"--swap-space", "4", ', ""), remove("--swap-space"))
    assert_edits("p.yaml", text, swapped(text, ', --seed, "1"]', "]"), remove("--seed"))
    assert_edits("p.yaml", text, swapped(text, '"4"', '"8"'), put("--swap-space", 8))
    assert_edits("p.yaml", text, swapped(text, '"1"]', '"1", --port, "9000"]'), put("--port", 9000))


def test_variables_of_a_pod() -> None:
    gone = ("        - name: NCCL_DEBUG  # for now", '          value: "INFO"')
    assert_edits("p.yaml", BLOCK, without(BLOCK, *gone), env("NCCL_DEBUG", None))
    flow = '        - {name: VLLM_RPC_TIMEOUT, value: "60000"}\n'
    assert_edits("p.yaml", BLOCK, swapped(BLOCK, flow, ""), env("VLLM_RPC_TIMEOUT", None))
    assert_edits("p.yaml", BLOCK, swapped(BLOCK, '"INFO"', '"WARN"'), env("NCCL_DEBUG", "WARN"))
    more = flow + '        - {name: VLLM_USE_V2_MODEL_RUNNER, value: "1"}\n'
    assert_edits("p.yaml", BLOCK, swapped(BLOCK, flow, more), env("VLLM_USE_V2_MODEL_RUNNER", "1"))


def test_the_first_variable_of_a_container() -> None:
    text = POD + "      args: [--model, m]\n"
    image = "      image: vllm/vllm-openai:v0.28.0\n"
    added = image + '      env:\n        - name: NCCL_DEBUG\n          value: "INFO"\n'
    assert_edits("p.yaml", text, swapped(text, image, added), env("NCCL_DEBUG", "INFO"))


SHELL = """\
#!/bin/bash
# notes stay
export NCCL_DEBUG=INFO   # why
export VLLM_RPC_TIMEOUT=1
vllm serve "Qwen/Qwen3-8B" \\
  --tensor-parallel-size 2 \\
  --swap-space 4 \\
  --served-model-name 'a b' --seed 1
echo done
"""


def test_shell_words_over_lines() -> None:
    assert_edits("run.sh", SHELL, without(SHELL, "  --swap-space 4 \\"), remove("--swap-space"))
    assert_edits("run.sh", SHELL, swapped(SHELL, " --seed 1", ""), remove("--seed"))
    assert_edits(
        "run.sh", SHELL, swapped(SHELL, "  --served-model-name 'a b' --seed", "  --seed"), remove("--served-model-name")
    )
    assert_edits("run.sh", SHELL, swapped(SHELL, "size 2", "size 8"), put("--tensor-parallel-size", 8))
    assert_edits("run.sh", SHELL, swapped(SHELL, "--seed 1", "--seed 1 \\\n  --port 9000"), put("--port", 9000))
    assert_edits(
        "run.sh",
        SHELL,
        swapped(SHELL, "--swap-space 4", "--kv-cache-dtype 4"),
        rename("--swap-space", "--kv-cache-dtype"),
    )


def test_shell_variables() -> None:
    assert_edits("run.sh", SHELL, without(SHELL, "export VLLM_RPC_TIMEOUT=1"), env("VLLM_RPC_TIMEOUT", None))
    assert_edits("run.sh", SHELL, swapped(SHELL, "=INFO", "=WARN"), env("NCCL_DEBUG", "WARN"))
    line = "export VLLM_RPC_TIMEOUT=1\n"
    assert_edits(
        "run.sh", SHELL, swapped(SHELL, line, line + "export NCCL_CUMEM_ENABLE=0\n"), env("NCCL_CUMEM_ENABLE", "0")
    )


def test_a_prefix_and_a_single_line() -> None:
    text = "NCCL_DEBUG=INFO VLLM_RPC_TIMEOUT=1 vllm serve m --swap-space=4 --seed=1 > log 2>&1 &\n"
    assert_edits("run.sh", text, swapped(text, " --swap-space=4", ""), remove("--swap-space"))
    assert_edits("run.sh", text, swapped(text, "VLLM_RPC_TIMEOUT=1 ", ""), env("VLLM_RPC_TIMEOUT", None))
    assert_edits("run.sh", text, swapped(text, "--seed=1", "--seed=1 --port=9000"), put("--port", 9000))


def test_docker_run() -> None:
    text = (
        "docker run --gpus all -e NCCL_DEBUG=INFO \\\n  -e VLLM_RPC_TIMEOUT=1 \\\n  vllm/vllm-openai:v0.28.0 \\\n"
        "  --model m --swap-space 4\n"
    )
    assert_edits("run.sh", text, without(text, "  -e VLLM_RPC_TIMEOUT=1 \\"), env("VLLM_RPC_TIMEOUT", None))
    assert_edits("run.sh", text, swapped(text, " --swap-space 4", ""), remove("--swap-space"))
    more = "  -e VLLM_RPC_TIMEOUT=1 \\\n  -e NCCL_CUMEM_ENABLE=0 \\\n"
    assert_edits("run.sh", text, swapped(text, "  -e VLLM_RPC_TIMEOUT=1 \\\n", more), env("NCCL_CUMEM_ENABLE", "0"))


EXEC = """\
FROM vllm/vllm-openai:v0.28.0
# two at once
ENV NCCL_DEBUG=INFO VLLM_RPC_TIMEOUT=1
ENV VLLM_USE_V1=1
CMD ["--model", "m", "--swap-space", "4", "--speculative-config", "{\\"method\\": \\"ngram\\"}"]
"""


def test_exec_form_and_env_of_a_dockerfile() -> None:
    assert_edits("Dockerfile", EXEC, swapped(EXEC, '"--swap-space", "4", ', ""), remove("--swap-space"))
    spec = ', "--speculative-config", "{\\"method\\": \\"ngram\\"}"'
    assert_edits("Dockerfile", EXEC, swapped(EXEC, spec, ""), remove("--speculative-config"))
    assert_edits("Dockerfile", EXEC, swapped(EXEC, spec, spec + ', "--port", "9000"'), put("--port", 9000))
    assert_edits("Dockerfile", EXEC, swapped(EXEC, " VLLM_RPC_TIMEOUT=1", ""), env("VLLM_RPC_TIMEOUT", None))
    assert_edits("Dockerfile", EXEC, without(EXEC, "ENV VLLM_USE_V1=1"), env("VLLM_USE_V1", None))


VALUES = """\
# an engine's own file
model: m
tensor-parallel-size: 2   # ranks
swap_space: 4
compilation-config: {level: 3}
enable-prefix-caching: true
"""


def test_pairs_of_a_map() -> None:
    assert_edits("c.yaml", VALUES, without(VALUES, "swap_space: 4"), remove("--swap-space"))
    assert_edits("c.yaml", VALUES, swapped(VALUES, "size: 2", "size: 4"), put("--tensor-parallel-size", 4))
    assert_edits("c.yaml", VALUES, without(VALUES, "enable-prefix-caching: true"), remove("--enable-prefix-caching"))


PYTHON = '''\
"""Offline."""
import os

os.environ["NCCL_DEBUG"] = "INFO"  # for now
os.environ["VLLM_RPC_TIMEOUT"] = "1"
from vllm import LLM

llm = LLM(
    model="m",
    tensor_parallel_size=2,  # ranks
    swap_space=4,
    enforce_eager=True,
)
'''


def test_keywords_of_a_call() -> None:
    assert_edits("a.py", PYTHON, without(PYTHON, "    swap_space=4,"), remove("--swap-space"))
    assert_edits("a.py", PYTHON, swapped(PYTHON, "size=2", "size=4"), put("--tensor-parallel-size", 4))
    eager = "    enforce_eager=True,\n"
    assert_edits("a.py", PYTHON, swapped(PYTHON, eager, eager + "    seed=7,\n"), put("--seed", 7))
    assert_edits(
        "a.py", PYTHON, swapped(PYTHON, 'os.environ["VLLM_RPC_TIMEOUT"] = "1"\n', ""), env("VLLM_RPC_TIMEOUT", None)
    )
    one = 'from vllm import LLM\nllm = LLM("m", swap_space=4, seed=1)\n'
    assert_edits("a.py", one, swapped(one, "swap_space=4, ", ""), remove("--swap-space"))
    assert_edits("a.py", one, swapped(one, ", seed=1", ""), remove("--seed"))


def test_a_list_of_words_in_python() -> None:
    text = 'import subprocess\nsubprocess.run([\n    "vllm", "serve", "m",\n    "--swap-space", "4",  # old\n    "--seed=1",\n])\n'
    assert_edits("a.py", text, without(text, '    "--seed=1",'), remove("--seed"))
    assert_edits("a.py", text, without(text, '    "--swap-space", "4",  # old'), remove("--swap-space"))


COMPOSE = """\
x-args: &common
  - --tensor-parallel-size=2
  - --swap-space=4
services:
  a:
    image: vllm/vllm-openai:v0.28.0
    command: *common
    environment: {NCCL_DEBUG: INFO, VLLM_RPC_TIMEOUT: "1"}
  b:
    image: vllm/vllm-openai:v0.28.0
    command: *common
    environment:
      - NCCL_DEBUG=INFO
      - "VLLM_RPC_TIMEOUT=1"
"""


def test_an_anchor_is_edited_once_and_both_launches_are_named() -> None:
    assert_edits("compose.yaml", COMPOSE, without(COMPOSE, "  - --swap-space=4"), remove("--swap-space"))
    assert edit("compose.yaml", COMPOSE, remove("--swap-space")).shared == ("service/b",)
    assert edit("compose.yaml", COMPOSE, remove("--swap-space", 1)).shared == ("service/a",)


def test_environment_of_compose() -> None:
    assert_edits(
        "compose.yaml", COMPOSE, swapped(COMPOSE, ', VLLM_RPC_TIMEOUT: "1"', ""), env("VLLM_RPC_TIMEOUT", None)
    )
    b = Change(1, "set variable", "VLLM_RPC_TIMEOUT")
    assert_edits("compose.yaml", COMPOSE, without(COMPOSE, '      - "VLLM_RPC_TIMEOUT=1"'), b)
    more = '"VLLM_RPC_TIMEOUT=1"\n      - "NCCL_CUMEM_ENABLE=0"'
    new = Change(1, "set variable", "NCCL_CUMEM_ENABLE", value="0")
    assert_edits("compose.yaml", COMPOSE, swapped(COMPOSE, '"VLLM_RPC_TIMEOUT=1"', more), new)


def test_a_truth_of_gflags() -> None:
    gflags = "xllm --model=m --enable_shm=true --nnodes=2\n"
    assert_edits("run.sh", gflags, swapped(gflags, "shm=true", "shm=false"), put("--enable_shm", False))


@pytest.mark.parametrize(
    ("text", "change"),
    [
        (POD + "      args: [--model, m, &x --seed, '1']\n      workingDir: *x\n", remove("--seed")),  # named elsewhere
        ("vllm serve m --seed 1\n", remove("--seed", 9)),  # no such launch
        ("from lmdeploy import pipeline, SpeculativeConfig\nspec = SpeculativeConfig(num_speculative_tokens=3)\n"
         "pipe = pipeline('m', speculative_config=spec)\n", remove("--speculative-num-draft-tokens")),
    ],
)  # fmt: skip
def test_what_cannot_be_done_cleanly_is_left(text: str, change: Change) -> None:
    name = "a.py" if "import" in text else "p.yaml" if "kind" in text else "run.sh"
    assert_leaves(name, text, change)


def test_an_edit_that_changes_more_is_dropped() -> None:
    used = "#!/bin/sh\nexport TP=2\nvllm serve m --tensor-parallel-size $TP\n"
    assert_leaves("run.sh", used, env("TP", None), why="would not re-read as intended")
    two = "#!/bin/sh\nTP=2\nvllm serve m --tensor-parallel-size ${TP}\n"
    done = edit("run.sh", two, put("--tensor-parallel-size", 4))
    assert done.deployment.text == swapped(two, "${TP}", "4")


def test_a_file_that_does_not_parse_is_left_alone() -> None:
    broken = "<<<<<<< ours\n" + BLOCK + "=======\n>>>>>>> theirs\n"
    found = read_file("p.yaml", broken.encode(), KNOWN)
    done = edited(found, (remove("--swap-space"),), KNOWN)
    assert done.problem and done.deployment.text == broken
