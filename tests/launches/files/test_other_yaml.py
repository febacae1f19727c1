"""Values of charts, SkyPilot tasks, configuration files and trainers, with the characters behind each setting."""

from __future__ import annotations

import pytest

from tests.launches.files.situations import at, deployment, only, typed, values, variables


def test_production_stack_values() -> None:
    one, text = only("""
        servingEngineSpec:
          startupProbe: {initialDelaySeconds: 15, periodSeconds: 10, failureThreshold: 60, httpGet: {path: /health}}
          modelSpec:
          - name: mistral
            repository: "vllm/vllm-openai"
            tag: "v0.28.0"
            modelURL: "mistralai/M"
            replicaCount: 3
            requestGPU: 2
            requestMemory: 40Gi
            shmSize: 20Gi
            vllmConfig:
              enableChunkedPrefill: false
              enablePrefixCaching: true
              maxModelLen: 16384
              extraArgs: ["--block-size=32", "--seed", "1"]
            env:
              - {name: NCCL_DEBUG, value: WARN}
            lmcacheConfig: {enabled: true, kvRole: kv_producer}
        """)
    assert (one.format, one.name, one.role, one.launch.model) == (
        "production-stack",
        "mistral",
        "prefill",
        "mistralai/M",
    )
    assert not one.launch.complete, "the chart adds to the command line"
    assert [(each.text, at(text, each.place)) for each in one.versions] == [("vllm/vllm-openai:v0.28.0", '"v0.28.0"')]
    assert typed(one) == {
        "--enable-chunked-prefill": "enableChunkedPrefill: false",
        "--enable-prefix-caching": "enablePrefixCaching: true",
        "--max-model-len": "maxModelLen: 16384",
        "--kv-transfer-config": "enabled: true",
        "--block-size": '"--block-size=32"',
        "--seed": '"--seed", "1"',
    }
    assert values(one)["--enable-chunked-prefill"] is False and values(one)["--max-model-len"] == 16384
    told = one.resources
    assert told.gpus and told.shm and told.memory and one.replicas
    assert (told.gpus.value, told.shm.value, told.memory.value, one.replicas.value) == (2, 20 << 30, 40 << 30, 3)
    assert [(each.kind, each.allows_s) for each in one.probes] == [("startup", 615)]
    assert variables(one, text) == {"NCCL_DEBUG": ("WARN", True, "WARN")}


def test_values_of_a_chart_with_the_command_under_the_image() -> None:
    one, _ = only("""
        image:
          repository: "vllm/vllm-openai"
          tag: v0.28.0
          command: ["vllm", "serve", "/data/", "--port", "8000"]
        resources: {limits: {nvidia.com/gpu: 1}}
        """)
    assert (one.launch.model, one.launch.image, typed(one)) == (
        "/data/",
        "vllm/vllm-openai:v0.28.0",
        {"--port": '"--port", "8000"'},
    )


def test_skypilot() -> None:
    one, text = only("""
        name: serve
        envs: {MODEL: org/m}
        resources: {accelerators: {H100: 8}, image_id: "docker:vllm/vllm-openai:v0.28.0"}
        num_nodes: 2
        service: {replicas: 3, readiness_probe: {path: /v1/models, initial_delay_seconds: 1800}}
        setup: |
          uv pip install "vllm==0.27.0"
        run: |
          NCCL_DEBUG=INFO vllm serve $MODEL \\
            --tensor-parallel-size $SKYPILOT_NUM_GPUS_PER_NODE \\
            --pipeline-parallel-size 2
        """)
    assert (one.format, one.identity(), one.launch.model) == ("skypilot", "task/serve", "org/m")
    assert [(each.kind, at(text, each.place)) for each in one.versions] == [
        ("pip", '"vllm==0.27.0"'),
        ("image", '"docker:vllm/vllm-openai:v0.28.0"'),
    ]
    assert values(one)["--tensor-parallel-size"] == 8
    assert typed(one) == {
        "--tensor-parallel-size": "--tensor-parallel-size $SKYPILOT_NUM_GPUS_PER_NODE",
        "--pipeline-parallel-size": "--pipeline-parallel-size 2",
    }
    assert one.nodes and one.replicas and one.resources.gpus
    assert (one.nodes.value, one.replicas.value, one.resources.gpus.value) == (2, 3, 8)
    assert (one.accelerators, one.probes[0].allows_s, one.probes[0].path) == (("H100",), 1800, "/v1/models")
    assert variables(one, text) == {"MODEL": ("org/m", True, "org/m"), "NCCL_DEBUG": ("INFO", True, "INFO")}


@pytest.mark.parametrize(("said", "names", "count"), [("L4:1", ("L4",), 1), ("A100", ("A100",), 1), ("{A100: 8, H100: 8}", ("A100", "H100"), 8), ("[A100:4, H100:2]", ("A100", "H100"), None)])  # fmt: skip
def test_accelerators_of_a_task(said: str, names: tuple[str, ...], count: int | None) -> None:
    one, _ = only(f"resources: {{accelerators: {said}}}\nrun: vllm serve m/x\n".encode())
    assert (one.accelerators, one.resources.gpus.value if one.resources.gpus else None) == (names, count)


def test_a_configuration_file() -> None:
    one, _ = only("""
        model: org/m
        tensor-parallel-size: 8
        enable_prefix_caching: false
        enforce-eager: true
        compilation-config: {level: 3}
        middleware: [a, "b"]
        served-model-name:
        """)
    assert (one.format, one.launch.engine, one.launch.model, one.launch.complete) == (
        "engine config",
        "vllm",
        "org/m",
        False,
    )
    assert typed(one) == {
        "--model": "model: org/m",
        "--tensor-parallel-size": "tensor-parallel-size: 8",
        "--enable-prefix-caching": "enable_prefix_caching: false",
        "--enforce-eager": "enforce-eager: true",
        "--compilation-config": "compilation-config: {level: 3}",
        "--middleware": 'middleware: [a, "b',
    } | {"--middleware": typed(one)["--middleware"]}
    assert values(one)["--enable-prefix-caching"] is False and values(one)["--compilation-config.level"] == 3
    assert typed(one)["--middleware"].startswith("middleware: [a")


@pytest.mark.parametrize(
    ("text", "engine"),
    [
        ("model-path: m\ntp-size: 8\nmem-fraction-static: 0.9\n", "sglang"),
        ("model: m\nport: 1\n# vllm\n", ""),
        ("name: vllm\nversion: 1\nmodel: m\nhost: x\nauthor: y\nlicence: z\n", ""),
        ("- vllm\n- sglang\n", ""),
    ],
)
def test_an_engine_is_known_by_keys_that_are_its_alone(text: str, engine: str) -> None:
    found = deployment(text.encode()).workloads
    assert (found[0].launch.engine if found else "") == engine


def test_a_trainer() -> None:
    one, _ = only("""
        actor_rollout_ref:
          model: {path: org/m}
          rollout:
            name: sglang
            tensor_model_parallel_size: 4
            gpu_memory_utilization: 0.6
            max_model_len: null
            engine_kwargs: {vllm: {seed: 1}, sglang: {attention_backend: fa3}}
        trainer: {nnodes: 2, n_gpus_per_node: 8}
        """)
    assert (one.format, one.launch.engine, one.launch.model) == ("verl", "sglang", "org/m")
    assert typed(one) == {
        "--tp-size": "tensor_model_parallel_size: 4",
        "--mem-fraction-static": "gpu_memory_utilization: 0.6",
        "--attention-backend": "attention_backend: fa3",
    }
    assert one.nodes and one.resources.gpus and (one.nodes.value, one.resources.gpus.value) == (2, 8)


def test_a_trainer_that_names_no_engine() -> None:
    assert not deployment("actor_rollout_ref: {rollout: {name: '???', tensor_model_parallel_size: 2}}\n").workloads
