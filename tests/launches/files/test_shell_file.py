"""Shell scripts: several launches, arrays, defaults, containers, installers, wrappers, broken quotes."""

from __future__ import annotations

import time

import pytest

from tests.launches.files.texts import (
    arguments,
    deployed,
    notes,
    settings,
    spans,
    started,
    typed,
    variables,
    versions,
    words,
)


def test_an_array_a_default_and_a_variable_each_stand_where_they_are_typed() -> None:
    found = started(
        "serve.sh",
        '#!/bin/bash\nMODEL=m/x\nARGS=(\n  --tensor-parallel-size "${TP:-8}"\n  --max-model-len 8192\n)\n'
        'exec vllm serve "$MODEL" "${ARGS[@]}" --port $PORT\n',
    )
    assert words(found) == [
        "vllm", "serve", "m/x", "--tensor-parallel-size", "8", "--max-model-len", "8192", "--port", "$PORT",
    ]  # fmt: skip
    assert arguments(found)["8"] == '"${TP:-8}"' and arguments(found)["m/x"] == '"$MODEL"'
    assert [one.text for one in found.arguments if not one.known] == ["$PORT"]
    assert {one.place.form for one in found.arguments} == {"shell word"}
    assert spans(found)["--tensor-parallel-size"] == '--tensor-parallel-size "${TP:-8}"'
    assert found.launch.complete and found.launch.model == "m/x" and found.format == "shell"


def test_words_that_may_be_anything_leave_the_launch_incomplete() -> None:
    assert not started("s.sh", "vllm serve m/x --port 1 $EXTRA_ARGS\n").launch.complete
    assert not started("s.sh", 'vllm serve m/x --port 1 "$@"\n').launch.complete
    assert started("s.sh", "vllm serve m/x --port=$PORT\n").launch.complete


def test_exports_and_prefixes_are_the_environment_and_plain_assignments_are_not() -> None:
    found = started(
        "s.sh",
        'export NCCL_DEBUG=INFO\nexport A="1" B=2\nVLLM_LOGGING_LEVEL=DEBUG\nVLLM_USE_V1=0 vllm serve m/x --port 1\n',
    )
    assert variables(found) == {
        "NCCL_DEBUG": ("INFO", "export NCCL_DEBUG=INFO", "INFO"),
        "A": ("1", 'A="1"', '"1"'),
        "B": ("2", "B=2", "2"),
        "VLLM_USE_V1": ("0", "VLLM_USE_V1=0", "0"),
    }
    assert notes(found) == ["VLLM_LOGGING_LEVEL is assigned but not exported: the engine does not get it"]


def test_every_branch_is_a_launch_that_says_its_condition() -> None:
    first, second, third = deployed(
        "s.sh",
        'if [ "$ROLE" = "a" ]; then\n  vllm serve m/a --port 1 &\nelse\n  vllm serve m/b --port 1\nfi\n'
        'case "$1" in\n  big) vllm serve m/c --port 1 ;;\nesac\n',
    ).workloads
    assert notes(first) == ['started only where `[ "$ROLE" = "a" ]` holds']
    assert notes(second) == ['started only where `[ "$ROLE" = "a" ]` does not hold']
    assert notes(third) == ['started only where `"$1"` is `big`']
    assert [one.launch.model for one in (first, second, third)] == ["m/a", "m/b", "m/c"]


@pytest.mark.parametrize(
    "loop", ["for r in 0 1 2 3; do", "for r in {0..3}; do", "for r in $(seq 0 3); do", "for (( r=0; r<N; r++ )); do"]
)
def test_a_loop_over_ranks_makes_the_nodes_of_one_copy(loop: str) -> None:
    found = started(
        "ranks.sh",
        f"N=4\n{loop}\n  xllm --model m/x --nnodes=$N --node_rank=$r --enable_shm=true > log/n_$r.log 2>&1 &\ndone\n",
    )
    assert found.nodes is not None and found.nodes.value == 4 and found.replicas is None
    assert settings(found)["--nnodes"] == 4 and settings(found)["--node_rank"] == "$r"
    assert (found.launch.rank, found.role, found.launch.complete) == (None, "", True)


def test_what_a_loop_counts_is_not_known_inside_it_nor_after() -> None:
    text = "export NCCL_DEBUG=0\nj=7\nfor ((NCCL_DEBUG=1, i=0; i<2; i++, j+=2)); do\n  %s\ndone\n%s\n"
    launch = "vllm serve m/x --port $i --seed $j"
    within, after = started("a.sh", text % (launch, "")), started("b.sh", text % ("true", launch))
    assert [settings(one)["--port"] for one in (within, after)] == ["$i"] * 2
    assert [settings(one)["--seed"] for one in (within, after)] == ["$j"] * 2
    assert variables(within) == variables(after) == {}


def test_a_loop_over_ports_makes_copies() -> None:
    found = started("s.sh", "for p in 8000 8001; do lmdeploy serve api_server m/x --tp 2 --server-port $p & done\n")
    assert found.replicas is not None and found.replicas.value == 2 and found.nodes is None
    assert found.launch.engine == "lmdeploy" and settings(found)["--tp"] == 2
    assert notes(found) == ["started once per turn of `for p in 8000 8001`"]


def test_docker_run_says_what_the_container_gets() -> None:
    found = started(
        "run.sh",
        "TAG=v0.28.0\nexport NCCL_IB_HCA=mlx5\n"
        "docker run -d --gpus '\"device=0,1\"' --ipc=host --shm-size 16g -m 64g --name chat --pid host \\\n"
        '  --cap-add SYS_PTRACE -e "HF_TOKEN=$T" -e NCCL_IB_HCA -e NCCL_DEBUG=INFO --env-file .env \\\n'
        "  vllm/vllm-openai:$TAG \\\n  --model m/x --tensor-parallel-size 2\n",
    )
    what = found.resources
    assert what.gpus is not None and what.shm is not None and what.memory is not None
    assert (what.gpus.value, what.gpu_resource, what.shm.value, what.memory.value) == (
        2,
        "nvidia.com/gpu",
        1 << 34,
        1 << 36,
    )
    assert typed(found, what.shm.place) == "--shm-size 16g" and what.host_ipc and found.host_pid
    assert (found.name, found.capabilities) == ("chat", ("SYS_PTRACE",))
    assert variables(found) == {
        "HF_TOKEN": ("$T", '-e "HF_TOKEN=$T"', "$T"),
        "NCCL_DEBUG": ("INFO", "-e NCCL_DEBUG=INFO", "INFO"),
        "NCCL_IB_HCA": ("mlx5", "export NCCL_IB_HCA=mlx5", "mlx5"),
    }
    assert versions(found) == [("image", "vllm/vllm-openai:v0.28.0", "vllm/vllm-openai:$TAG")]
    assert found.launch.image == "vllm/vllm-openai:v0.28.0" and words(found)[0] == "--model"
    assert "the variables of .env are not here" in notes(found)


@pytest.mark.parametrize("tool", ["podman", "nerdctl", "sudo docker", "docker --context far"])
def test_other_ways_to_run_a_container(tool: str) -> None:
    found = started(
        "run.sh",
        f"{tool} run --shm-size=1g lmsysorg/sglang:v0.5.16 python3 -m sglang.launch_server --model-path m --tp 2\n",
    )
    assert found.launch.engine == "sglang" and found.resources.shm is not None and words(found)[0] == "python3"


def test_a_container_started_by_a_remote_shell_keeps_its_image() -> None:
    found = started(
        "s.sh", 'ssh node1 "docker run --gpus 8 vllm/vllm-openai:v0.28.0 --model m/x --tensor-parallel-size 8"\n'
    )
    assert (
        found.launch.image == "vllm/vllm-openai:v0.28.0"
        and spans(found)["--tensor-parallel-size"] == "--tensor-parallel-size 8"
    )


def test_apptainer_takes_its_image_file_and_listed_variables() -> None:
    found = started(
        "s.sh",
        "export APPTAINERENV_NCCL_DEBUG=INFO\napptainer exec --nv --env A=1,B=2 /i/vllm_0.9.1.sif vllm serve m/x -tp 4\n",
    )
    assert words(found) == ["vllm", "serve", "m/x", "-tp", "4"]
    assert variables(found)["B"] == ("2", "B=2", "2") and variables(found)["NCCL_DEBUG"][0] == "INFO"
    assert versions(found) == [("image", "/i/vllm_0.9.1.sif", "/i/vllm_0.9.1.sif")]


@pytest.mark.parametrize(
    ("line", "source"),
    [
        ('pip install -U "vllm==0.28.0"', ("pip", "vllm==0.28.0", '"vllm==0.28.0"')),
        ("uv pip install vllm==0.28.0 --torch-backend=auto", ("pip", "vllm==0.28.0", "vllm==0.28.0")),
        ("python3 -m pip install vllm", ("pip", "vllm", "vllm")),
        ("pip install git+https://github.com/vllm-project/vllm.git@4f2b1c9e7", ("git", "4f2b1c9e7", "git+https://github.com/vllm-project/vllm.git@4f2b1c9e7")),
        ("git clone -b v0.28.0 https://github.com/vllm-project/vllm", ("git", "v0.28.0", "v0.28.0")),
        ("git clone https://github.com/vllm-project/vllm && cd vllm && git checkout 4f2b1c9e7", ("git", "4f2b1c9e7", "4f2b1c9e7")),
        ("git clone https://github.com/me/vllm.git; git checkout 4f2b1c9e7", ("git", "me/vllm@4f2b1c9e7", "4f2b1c9e7")),
    ],
)  # fmt: skip
def test_what_is_installed_before_is_a_version_source(line: str, source: tuple[str, str, str]) -> None:
    assert versions(started("s.sh", f"{line}\nvllm serve m/x --port 1\n")) == [source]


def test_an_install_outside_says_nothing_of_a_container_and_a_runner_nothing_of_the_next_command() -> None:
    container, ran, bare = deployed(
        "s.sh",
        "docker run vllm/vllm-openai:v0.28.0 --model m\nuv run --with vllm==0.26.0 vllm serve m/x --port 1\nvllm serve m/y --port 1\n",
    ).workloads
    assert [one[1] for one in versions(container)] == ["vllm/vllm-openai:v0.28.0"]
    assert [one[1] for one in versions(ran)] == ["vllm==0.26.0"] and versions(bare) == []


def test_a_script_in_quotes_stands_in_its_characters_escapes_included() -> None:
    found = started(
        "s.sh",
        "HEAD=$(hostname)\nsrun bash -c 'NCCL_DEBUG=INFO vllm serve m/x \\\n  --tensor-parallel-size 2 --host '\"$HEAD\"' --port 1'\n",
    )
    assert spans(found)["--tensor-parallel-size"] == "--tensor-parallel-size 2" and spans(found)["--port"] == "--port 1"
    assert variables(found)["NCCL_DEBUG"] == ("INFO", "NCCL_DEBUG=INFO", "INFO")
    inner = started("s.sh", 'bash -c "vllm serve m/x \\\n  --served-model-name \\"q\\" --port 1"\n')
    assert spans(inner)["--served-model-name"] == '--served-model-name \\"q\\"'


def test_schedulers_and_launchers_say_nodes_and_devices() -> None:
    slurm, torch, ray = deployed(
        "s.sh",
        "srun --nodes=2 --gres=gpu:8 --container-image=docker://lmsysorg/sglang:v0.5.16 sglang serve --model-path m --tp 16\n"
        "torchrun --nnodes 2 --nproc-per-node 4 -m sglang.launch_server --model-path m --tp 8\n"
        "ray start --head --num-gpus 8\nvllm serve m/x --port 1\n",
    ).workloads
    assert [one.nodes.value if one.nodes else None for one in (slurm, torch, ray)] == [2, 2, None]
    assert [one.resources.gpus.value for one in (slurm, torch, ray) if one.resources.gpus] == [8, 4, 8]
    assert versions(slurm) == [("image", "lmsysorg/sglang:v0.5.16", "docker://lmsysorg/sglang:v0.5.16")]
    assert words(slurm)[0] == "sglang"


def test_a_quote_that_never_closes_costs_one_note_with_its_line() -> None:
    found = deployed(
        "s.sh",
        'vllm serve m/a --port 1\nvllm serve "m/b --port 2\necho "done"\nbash -c \'\nvllm serve m/c --port 3\n\'\n',
    )
    assert [(one.kind, one.span and one.span.line) for one in found.unread] == [("unreadable", 2)]
    assert [one.launch.model for one in found.workloads] == ["m/a", "m/b", "m/c"]


def test_windows_line_ends_and_powershell() -> None:
    found = started(
        "run.ps1",
        '$env:NCCL_DEBUG = "INFO"\r\ndocker run --shm-size 16g `\r\n  -e NCCL_DEBUG -e A=$env:A `\r\n'
        "  vllm/vllm-openai:v0.11.0 `\r\n  --model m/x `\r\n  --max-model-len 4096\r\n",
    )
    assert settings(found)["--max-model-len"] == 4096 and spans(found)["--max-model-len"] == "--max-model-len 4096"
    assert variables(found)["NCCL_DEBUG"] == ("INFO", 'NCCL_DEBUG = "INFO"', '"INFO"')
    assert not next(one for one in found.environment if one.name == "A").known


def test_trainers_pass_settings_and_variables_through() -> None:
    slime, verl = deployed(
        "train.sh",
        "SGLANG=(--sglang-mem-fraction-static 0.7 --sglang-enable-dp-attention --sglang-cuda-graph-bs 1 2 $(seq 4 4 64))\n"
        'ray job submit --runtime-env-json=\'{"env_vars": {"NCCL_DEBUG": "INFO"}}\' -- python3 train.py --nodes 1 ${SGLANG[@]}\n'
        "python3 -m verl.trainer.main_ppo actor_rollout_ref.rollout.name=vllm \\\n"
        "  actor_rollout_ref.rollout.tensor_model_parallel_size=2 +actor_rollout_ref.rollout.engine_kwargs.vllm.enforce_eager=True\n",
    ).workloads
    assert settings(slime) == {
        "--mem-fraction-static": 0.7, "--enable-dp-attention": True, "--cuda-graph-bs": "1 2 $(seq 4 4 64)",
    }  # fmt: skip
    assert variables(slime)["NCCL_DEBUG"] == ("INFO", '"NCCL_DEBUG": "INFO"', '"INFO"') and not slime.launch.complete
    assert verl.launch.engine == "vllm" and settings(verl) == {"--tensor-parallel-size": 2, "--enforce-eager": True}
    assert spans(verl)["--tensor-parallel-size"] == "actor_rollout_ref.rollout.tensor_model_parallel_size=2"


@pytest.mark.parametrize(
    "text",
    [
        "pkill -f 'vllm serve'\n", "echo vllm serve m --port 1\n", "python -m sglang.bench_serving --backend sglang --port 1\n",
        "docker run --rm -it vllm/vllm-openai:v0.28.0 bash\n", "curl localhost | grep vllm:\n", "# vllm serve m --port 1\n",
        "pip install vllm==0.28.0\n", "vllm serve --help\n",
    ],
)  # fmt: skip
def test_quiet(text: str) -> None:
    found = deployed("s.sh", text)
    assert (found.recognised, found.workloads, found.unread) == ("", (), ())


def test_a_known_variable_within_quotes_moves_no_place() -> None:
    found = started("s.sh", 'M=m/long-name\nT=8\nbash -c "vllm serve $M --tensor-parallel-size $T --port 1"\n')
    assert arguments(found)["m/long-name"] == "$M" and spans(found)["--port"] == "--port 1"
    assert spans(found)["--tensor-parallel-size"] == "--tensor-parallel-size $T" and settings(found)["--port"] == 1


def test_many_expansions_in_a_quoted_script_cost_no_time() -> None:
    text = 'bash -c "vllm serve m/x --port 1 ' + "$a\\n$b " * 2000 + '"\n'
    begun = time.perf_counter()
    deployed("s.sh", text)
    once = time.perf_counter() - begun
    begun = time.perf_counter()
    deployed("s.sh", text.replace("$a\\n$b " * 2000, "$a\\n$b " * 500))
    assert once < 40 * (time.perf_counter() - begun) + 0.5


def test_what_a_shell_in_an_image_runs_is_no_argument_of_its_entry_point() -> None:
    found = started(
        "s.sh",
        'docker run vllm/vllm-openai:v0.28.0 bash -c "set -euo pipefail; pip install vllm==0.28.1; vllm serve m/x --port 1"\n',
    )
    assert words(found) == ["vllm", "serve", "m/x", "--port", "1"] and found.launch.image == "vllm/vllm-openai:v0.28.0"
    assert [one[:2] for one in versions(found)] == [("pip", "vllm==0.28.1"), ("image", "vllm/vllm-openai:v0.28.0")]
    assert (
        deployed("s.sh", '"$DIR/profile_vllm.sh" --model m --tensor-parallel-size 2 --max-model-len 1\n').workloads
        == ()
    )


MANIFEST = (
    "kubectl apply -f - <<EOF\napiVersion: v1\nkind: Pod\nmetadata: {{name: p{0}}}\nspec:\n  containers:\n  - name: c\n"
    "    image: vllm/vllm-openai:v0.11.0\n    args: [--model, m/{0}]\nEOF\necho done {0}\n"
)


def test_manifests_in_here_documents_are_read_each_and_all_at_once() -> None:
    """The whole file was gone over for each of them: 1.9 s for 400, 0.1 now, and in proportion."""
    begun = time.process_time()
    found = deployed("s.sh", "#!/bin/sh\n" + "".join(MANIFEST.format(at) for at in range(1000)))
    assert time.process_time() - begun < 4  # 11 before, 0.3 now
    assert [one.launch.model for one in found.workloads] == [f"m/{at}" for at in range(1000)]
    assert {one.launch.text for one in found.workloads} == {found.text}


def test_a_broken_manifest_in_a_here_document_costs_that_one_and_is_said_where_it_stands() -> None:
    broken = MANIFEST.format(1).replace("spec:", "  \tspec: [")
    found = deployed(
        "s.sh", "set -e\n" + MANIFEST.format(0) + broken + "cat <<A\nno: manifest\nA\n" + MANIFEST.format(2)
    )
    assert [one.launch.model for one in found.workloads] == ["m/0", "m/2"]
    assert [one.span.line for one in found.unread if one.span] == [17]
    assert arguments(found.workloads[1])["m/2"] == "m/2"
