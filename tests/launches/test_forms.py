"""The forms in which people hand a launch over, and what looks like one and is none."""

from __future__ import annotations

import time
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from advisor.launches.typography import plain
from tests.launches.situations import facts, only, reading, said, variables

FLAGS = "-pp 3 -sc.method dspark"
VLLM = f"vllm serve m/x {FLAGS}"
SGLANG = "python3 -m sglang.launch_server --model-path m/x --tp 2 --speculative-algorithm DSPARK"
DEBUG = {"NCCL_DEBUG": "INFO"}

STARTED = [
    VLLM,
    f"#!/bin/bash\nset -e\nexec {VLLM}\n",
    f"nohup {VLLM} > log 2>&1 &",
    "vllm serve m/x \\\r\n -pp 3 \\\r\n -sc.method dspark",
    'ARGS=(-pp 3)\nARGS+=(-sc.method dspark)\nvllm serve m/x "${ARGS[@]}"',
    "vllm serve m/x -pp ${PP:-3} -sc.method dspark",
    f"docker run --gpus all vllm/vllm-openai:v0.28.0 --model m/x {FLAGS}",
    f"docker run --gpus all vllm/vllm-openai:v0.28.0 m/x {FLAGS}",
    f"docker run --gpus all vllm/vllm-openai:v0.28.0 {FLAGS} --model m/x",
    f"sudo podman run --device nvidia.com/gpu=all docker.io/vllm/vllm-openai:v0.28.0 --model m/x {FLAGS}",
    f"python -m vllm.entrypoints.openai.api_server --model m/x {FLAGS}",
    f"ray start --head --port=6379 && {VLLM}",
    f"ray job submit --address http://x -- {VLLM}",
    f"srun --nodes=2 --gres=gpu:8 {VLLM}",
    f"srun -N2 bash -c '{VLLM}'",
    f"mpirun -n 3 {VLLM}",
    f"conda run -n v --no-capture-output {VLLM}",
    f"uv run --with vllm==0.28.0 {VLLM}",
    f"sudo -E {VLLM}",
    f"sh -lc '{VLLM}'",
    f"bash -c 'cd /x && source venv/bin/activate && {VLLM}'",
    f"tmux send-keys -t vllm:0 '{VLLM}' Enter",
    f"tmux new-session -d -s v '{VLLM}'",
    f"screen -dmS v bash -c '{VLLM}'",
    f"ssh -p 22 -o StrictHostKeyChecking=no user@10.0.0.2 'cd /x && {VLLM}'",
    f"ssh node1 {VLLM}",
    f"docker exec -it ct bash -lc '{VLLM}'",
    f"kubectl exec -it pod-0 -n ns -- {VLLM}",
    f"[Service]\nExecStart=/usr/bin/{VLLM}\nRestart=always\n",
    f"# vllm serve m/x -pp 8\n{VLLM}\n",
    f"cat > run.sh <<'EOF'\n{VLLM}\nEOF\nbash run.sh\n",
    f"cat <<EOF > old.sh\nvllm serve m/x -pp 8\nEOF\n{VLLM}\n",
]


@pytest.mark.parametrize("text", STARTED)
def test_whatever_starts_it_the_launch_is_whole(text: str) -> None:
    launch = only(text)
    found = said(launch)
    assert (launch.engine, launch.model) == ("vllm", "m/x") and launch.complete
    assert (found["--pipeline-parallel-size"], found["--speculative-config.method"]) == (3, "dspark")


@pytest.mark.parametrize(
    "text",
    [
        f"env NCCL_DEBUG=INFO {VLLM}", f"sudo -E NCCL_DEBUG=INFO {VLLM}", f"mpirun -n 3 -x NCCL_DEBUG=INFO {VLLM}",
        f"docker exec -d -e NCCL_DEBUG=INFO ct {VLLM}", f"docker run -e NCCL_DEBUG=INFO vllm/vllm-openai m/x {FLAGS}",
        f"ssh h 'NCCL_DEBUG=INFO nohup {VLLM} > log 2>&1 &'", f"bash -c 'export NCCL_DEBUG=INFO && {VLLM}'",
        f'Environment="NCCL_DEBUG=INFO" "A=1"\nExecStart=/usr/bin/{VLLM}',
        f"FROM ubuntu\nENV A=1 \\\n  NCCL_DEBUG=INFO\nCMD {VLLM}\n", f"FROM ubuntu\nENV NCCL_DEBUG INFO\nCMD {VLLM}\n",
    ],
)  # fmt: skip
def test_variables_come_along(text: str) -> None:
    assert variables(only(text))["NCCL_DEBUG"] == "INFO"


@pytest.mark.parametrize(
    "text", ["vllm serve m/x -pp $((1+2))", "N=4\nvllm serve m/x -pp $(( N * 2 ))", "vllm serve m/x -pp $PP"]
)
def test_what_is_computed_is_not_guessed(text: str) -> None:
    assert "$" in str(said(only(text))["--pipeline-parallel-size"])


IMAGE = "vllm/vllm-openai:v0.28.0"
MANIFESTS = [
    f'FROM {IMAGE}\nENV NCCL_DEBUG=INFO\nENTRYPOINT ["vllm","serve"]\nCMD ["m/x", \\\n "-pp", "3", \\\n "-sc.method", "dspark"]\n',
    f'FROM {IMAGE}\nENV NCCL_DEBUG=INFO\nCMD ["--model","m/x","-pp","3","-sc.method","dspark"]\n',
    f"""spec:
  containers:
  - name: side
    image: nginx
    args: ["-g", "daemon off;"]
  - name: vllm
    image: {IMAGE}
    args: ["--model","m/x","--pipeline-parallel-size","3","--speculative-config","{{\\"method\\":\\"dspark\\"}}"]
    env:
    - name: NCCL_DEBUG
      value: INFO
""",
    f"""      containers:
        - name: vllm
          image: {IMAGE}
          command: ["vllm", "serve"]
          args:
            - m/x
            - --pipeline-parallel-size
            - "3"
            - '--speculative-config'
            - '{{"method":"dspark"}}'   # the suspect
          env:
            - {{name: NCCL_DEBUG, value: INFO}}
          ports:
          - containerPort: 8000
""",
    f"""- image: {IMAGE}
  env: [{{name: NCCL_DEBUG, value: INFO}}]
  command: ["/bin/bash", "-c"]
  args:
  - |
    cd /x
    vllm serve m/x \\
      -pp 3 -sc.method dspark
""",
    f"""services:
  vllm:
    image: {IMAGE}
    environment:
      NCCL_DEBUG: INFO
    command: >
      --model m/x
      -pp 3
      -sc.method dspark
    ports: ["8000:8000"]
""",
    f"services:\n  v:\n    image: {IMAGE}\n    environment:\n      - NCCL_DEBUG=INFO\n    command: --model m/x -pp 3 -sc.method dspark\n",
]


@pytest.mark.parametrize("text", MANIFESTS)
def test_manifests(text: str) -> None:
    launch = only(text)
    found = said(launch)
    assert (launch.model, launch.image, launch.complete) == ("m/x", IMAGE, True)
    assert (found["--pipeline-parallel-size"], found["--speculative-config.method"]) == (3, "dspark")
    assert variables(launch)["NCCL_DEBUG"] == "INFO"


def test_a_manifest_is_said_to_be_read_in_part_and_has_no_text_to_edit() -> None:
    found = reading(MANIFESTS[3])
    assert any("read in part" in note.text for note in found.notes)
    assert found.launches[0].text == "" and all(one.start == -1 for one in found.launches[0].settings)
    assert all(one.span for one in found.launches[0].settings)


def test_fragments_of_manifests() -> None:
    assert said(only('args:\n  - --tp\n  - "2"\n  - --speculative-algorithm\n  - DSPARK\n', "sglang")) == {
        "--tp-size": 2, "--speculative-algorithm": "DSPARK",
    }  # fmt: skip
    assert said(only('args: ["serve","m","-pp","3","-sc.method","dspark"]'))["--pipeline-parallel-size"] == 3


@pytest.mark.parametrize(
    "text",
    ["args: []\n", "command:\n", "args:\n  - |\n", "command: [", "args: {{ .Values.args }}\n", "CMD [\n", "ENTRYPOINT\n",
     "ExecStart=\n", 'env:\n- name: A\n  value: b\nargs: ["-g", "daemon off;"]\n', "command: sleep 30\nimage: busybox\n"],
)  # fmt: skip
def test_manifests_of_other_things_or_cut_ones_give_nothing(text: str) -> None:
    assert not reading(text).launches


@given(
    st.text(alphabet='args:[]"-\n {}|>#\\env,ExcCMD=', max_size=60),
    st.sampled_from(["args:", "CMD [", "ExecStart=", "- command: "]),
)
def test_no_manifest_raises(text: str, head: str) -> None:
    reading(f"{head}{text}", "vllm")


@pytest.mark.parametrize("mark", list("。，、；）”】》：！？"))
@pytest.mark.parametrize("lead", ["", "启动参数：", "SGLang 0.5.16，参数是", "用“"])
def test_a_chinese_mark_ends_a_value(mark: str, lead: str) -> None:
    text = f"{lead}--tp 2，--speculative-algorithm DSPARK{mark}运行几小时后服务卡死"
    found = said(only(text, "sglang"))
    assert (found["--tp-size"], found["--speculative-algorithm"]) == (2, "DSPARK")
    found = said(only(f"命令是 {SGLANG}{mark}运行几小时后服务卡死"))
    assert found["--speculative-algorithm"] == "DSPARK"


def test_words_after_a_mark_are_still_read() -> None:
    found = reading("--tp 2，--speculative-algorithm DSPARK。两机部署", "sglang", bare_is_complete=True)
    assert not found.launches[0].complete
    assert {one.name: one.value for one in found.facts} == {"topology.nodes": 2}


@pytest.mark.parametrize(
    "text",
    ["vllm serve m/x -pp “3” --speculative-config “{\"method\":\"dspark\"}”", "用「" + VLLM + "」启动", f"启动：{VLLM}（单机）",
     "vllm serve m/x -pp 3 --speculative-config ‘{\"method\":\"dspark\"}’", "vllm serve m/x –pp 3 —speculative-config.method dspark",
     "vllm serve m/x -pp 3 --speculative-config '{“method”:“dspark”}'", "vllm serve m/x -pp 3，-sc.method=dspark"],
)  # fmt: skip
def test_typeset_quotes_and_dashes(text: str) -> None:
    found = said(only(text))
    assert (found["--pipeline-parallel-size"], found["--speculative-config.method"]) == (3, "dspark")


@given(st.text(alphabet="-a1=，。“”‘’'\"{} \n\\", max_size=40))
def test_the_plain_text_keeps_its_places(text: str) -> None:
    seen = plain(text)
    assert len(seen) == len(text) and seen.count("\n") == text.count("\n")


def test_quoted_text_keeps_its_marks() -> None:
    assert said(only("vllm serve m/x --chat-template '你好，世界。'"))["--chat-template"] == "你好，世界。"


NO_LAUNCH = [
    f"# {VLLM}", f"  #{VLLM}\necho hi", f"```bash\n# {VLLM}\n```", "# vllm serve m/x \\\n#   -pp 3 \\\n#   -sc.method dspark\n",
    f"cat <<EOF\n{VLLM}\nEOF\n", f"cat <<'EOF'\nusage:\n  {VLLM}\nEOF\n", f"echo '{VLLM}'", f'echo "Run: {VLLM}"', f"echo {VLLM}",
    f"printf '{VLLM}\\n'", "echo docker run vllm/vllm-openai:v0.28.0 --model m -pp 3", f"ps aux | grep '{VLLM}'", f"pkill -f '{VLLM}'",
    f"git commit -m '{VLLM}'", "vllm bench serve --model m/x -pp 3", "vllm serve --help | grep pipeline",
    "Can I use -pp 3 with vllm and dspark?", f"Can I use `{VLLM}`?", "Does vllm serve m/x -pp 3 work?", f"能不能用 `{VLLM}`？",
    "Should I set -pp 3 --enforce-eager?", "可以用 -pp 3 --enforce-eager 吗？", "-pp 3 --enforce-eager 支持吗",
    "we do not use -pp 3", "we don't use -pp 3 --enforce-eager", "我们没有用 -pp 3", "We are not running with -pp 3 --enforce-eager",
    "We never ran vllm serve m/x -pp 3", "不使用 -pp 3",
]  # fmt: skip


@pytest.mark.parametrize("text", NO_LAUNCH)
def test_what_starts_nothing(text: str) -> None:
    assert not [one for one in reading(text, "vllm", bare_is_complete=True).launches if one.settings]
    assert "topology.pp" not in facts(text, "vllm")


@pytest.mark.parametrize(
    "text",
    [f"Why does `{VLLM}` hang?", f"Does anyone know why {VLLM} hangs?", f"{VLLM}\n\nCan I do something?", "It does not start with -pp 3.",
     "为什么 -pp 3 会卡死？", "The server did not come up with `-pp 3`", f"We never got this to work:\n\n{VLLM}\n", f"echo hi && {VLLM}",
     f"echo starting; {VLLM}", f"# {VLLM}\n\nhangs after an hour"],
)  # fmt: skip
def test_what_was_started_however_it_is_asked(text: str) -> None:
    found = [said(one).get("--pipeline-parallel-size") for one in reading(text, "vllm").launches]
    assert found == [3], found


def test_a_comment_between_continued_lines() -> None:
    launch = only("vllm serve m/x \\\n  # two stages\n  -pp 3 \\\n  -sc.method dspark\n")
    assert said(launch)["--pipeline-parallel-size"] == 3 and not launch.complete
    assert any("a shell ends the command there" in note for note in launch.notes)


def test_gflags_take_no_word_after_a_boolean() -> None:
    launch = only("xllm --model m/x --enable_shm false --block_size 128")
    assert said(launch)["--enable_shm"] is True and said(launch)["--block_size"] == 128 and launch.complete
    assert any("only after `=`" in note for note in launch.notes)


@pytest.mark.parametrize(
    ("text", "engine", "expected"),
    [
        ("python train.py --actor-num-nodes 1 --sglang-tp-size 8", "sglang", {"--tp-size": 8}),
        ("ray job submit -- python3 train.py --rollout-num-gpus-per-engine 8 --sglang-speculative-algorithm EAGLE",
         "sglang", {"--speculative-algorithm": "EAGLE"}),
        ("python3 -m verl.trainer.main_ppo actor_rollout_ref.rollout.name=vllm actor_rollout_ref.rollout.tensor_model_parallel_size=2",
         "vllm", {"--tensor-parallel-size": 2}),
        ("a.rollout.name=sglang a.rollout.tensor_model_parallel_size=2 +a.rollout.engine_kwargs.sglang.attention_backend=fa3",
         "sglang", {"--tp-size": 2, "--attention-backend": "fa3"}),
    ],
)  # fmt: skip
def test_frameworks_above_the_engines(text: str, engine: str, expected: dict[str, Any]) -> None:
    launch = only(text)
    assert launch.engine == engine and expected.items() <= said(launch).items() and not launch.complete


MUCH = {
    "commands": f"{VLLM}\n" * 60_000,
    "flags": "--tp 8 --speculative-algorithm DSPARK " * 80_000,
    "prose": "We use --tp 8 and --speculative-algorithm DSPARK here. " * 55_000,
    "variables": "NCCL_A=1 " * 300_000,
    "lists": 'args: ["--tp", "2"]\n' * 100_000,
    "comments": f"# {VLLM}\n" * 60_000,
    "expansions": "vllm serve m " + "$(" * 8_000,
    "distinct": "vllm serve m " + " ".join(f"--flag{n} {n}" for n in range(10_000)),
}


@pytest.mark.parametrize("text", MUCH.values(), ids=MUCH)
def test_much_text_takes_little_time(text: str) -> None:
    started = time.process_time()
    reading(text, "sglang", bare_is_complete=True)
    assert time.process_time() - started < 5
