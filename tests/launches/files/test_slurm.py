"""Slurm batch scripts: what the batch asks for, and what an `srun` line says itself."""

from __future__ import annotations

from tests.launches.files.texts import deployed, settings, started, typed, variables, versions, words

HEAD = "#!/bin/bash\n#SBATCH --job-name=chat\n#SBATCH -N 2\n#SBATCH --gres=gpu:a100:4\n#SBATCH --mem=256G\n"


def test_the_batch_gives_nodes_devices_memory_and_a_name() -> None:
    found = started(
        "serve.sbatch",
        HEAD
        + "export NCCL_DEBUG=INFO\nsrun apptainer exec --nv vllm-openai.sif vllm serve m/x --tensor-parallel-size 4 -pp 2\n",
    )
    assert (found.format, found.name) == ("slurm", "chat") and found.nodes is not None and found.nodes.value == 2
    gpus, memory = found.resources.gpus, found.resources.memory
    assert gpus is not None and memory is not None and (gpus.value, memory.value) == (4, 256 << 30)
    assert typed(found, found.nodes.place) == "-N 2" and typed(found, gpus.place) == "--gres=gpu:a100:4"
    assert words(found)[0] == "vllm" and settings(found)["--pipeline-parallel-size"] == 2
    assert variables(found)["NCCL_DEBUG"][0] == "INFO" and versions(found)[0][1] == "vllm-openai.sif"


def test_a_step_says_otherwise_for_itself() -> None:
    one, all_ = deployed(
        "serve.sh",
        HEAD + 'srun --nodes=1 -w "$first" vllm serve m/a --port 1 &\nsrun --gpus-per-node=8 vllm serve m/b --port 1\n',
    ).workloads
    assert [each.nodes.value for each in (one, all_) if each.nodes] == [1, 2]
    assert [each.resources.gpus.value for each in (one, all_) if each.resources.gpus] == [4, 8]


def test_gpus_of_the_job_are_shared_by_its_nodes() -> None:
    found = started("s.slurm", "#!/bin/bash\n#SBATCH --nodes=4\n#SBATCH --gpus=32\nsrun vllm serve m/x --port 1\n")
    assert found.resources.gpus is not None and found.resources.gpus.value == 8


def test_a_script_without_directives_is_a_shell_script() -> None:
    assert started("serve.sh", "srun vllm serve m/x --port 1\n").format == "shell"
    assert deployed("job.sbatch", HEAD + "python train.py\n").recognised == ""
