"""Compose files, field by field, with the characters behind each."""

from __future__ import annotations

import pytest

from tests.launches.files.situations import at, deployment, only, typed, values, variables

COMPOSE = """
    x-common: &common
      environment: &env
        NCCL_DEBUG: INFO
      ipc: host
    services:
      vllm:
        <<: *common
        image: vllm/vllm-openai:${TAG:-v0.28.0}
        container_name: engine
        command: >
          --model org/m
          --tensor-parallel-size ${TP:-8}
          --max-model-len ${LEN}
          --speculative-config '{"method": "eagle3"}'
        environment:
          <<: *env
          HF_TOKEN: ${HF_TOKEN}
          EMPTY:
        labels: {advisor.dev/ignore.x: "yes"}
        shm_size: 16g
        mem_limit: 64gb
        pid: host
        cap_add: [SYS_PTRACE]
        stop_grace_period: 1m30s
        env_file: .env
        deploy:
          replicas: 2
          resources:
            reservations:
              devices: [{driver: nvidia, count: 8, capabilities: [gpu]}]
        healthcheck:
          test: ["CMD", "curl", "-f", "http://localhost:8000/health"]
          interval: 10s
          retries: 30
          start_period: 5m
      proxy:
        image: nginx
        command: ["nginx", "--model", "x"]
    """


def test_a_service_field_by_field() -> None:
    one, text = only(COMPOSE)
    assert (one.format, one.identity(), one.launch.image) == (
        "compose",
        "service/vllm:engine",
        "vllm/vllm-openai:v0.28.0",
    )
    assert (one.launch.engine, one.launch.model, one.launch.complete) == ("vllm", "org/m", True)
    assert [(each.text, at(text, each.place)) for each in one.versions] == [
        ("vllm/vllm-openai:v0.28.0", "vllm/vllm-openai:${TAG:-v0.28.0}")
    ]
    told = one.resources
    assert told.gpus and told.shm and told.memory
    assert (told.gpus.value, told.shm.value, told.memory.value, told.host_ipc) == (8, 16 << 30, 64 << 30, True)
    assert (at(text, told.gpus.place), at(text, told.shm.place)) == ("8", "16g")
    assert one.grace and one.replicas and (one.grace.value, one.replicas.value) == (90, 2)
    assert (one.capabilities, one.host_pid) == (("SYS_PTRACE",), True)
    assert [(each.kind, each.allows_s, each.path) for each in one.probes] == [("readiness", 600, "/health")]
    assert [(key, value) for key, value, _ in one.annotations] == [("advisor.dev/ignore.x", "yes")]
    assert [each.text for each in one.notes] == ["what `env_file` brings is not in this file"]


def test_its_settings_and_variables() -> None:
    one, text = only(COMPOSE)
    assert values(one)["--tensor-parallel-size"] == 8 and values(one)["--max-model-len"] == "${LEN}"
    assert typed(one) == {
        "--model": "--model org/m",
        "--tensor-parallel-size": "--tensor-parallel-size ${TP:-8}",
        "--max-model-len": "--max-model-len ${LEN}",
        "--speculative-config": '--speculative-config \'{"method": "eagle3"}\'',
    }
    assert variables(one, text) == {
        "NCCL_DEBUG": ("INFO", True, "INFO"),
        "HF_TOKEN": ("${HF_TOKEN}", False, "${HF_TOKEN}"),
        "EMPTY": ("", False, ""),
    }
    assert at(text, one.environment[0].place) == "NCCL_DEBUG: INFO"


@pytest.mark.parametrize(
    ("command", "shown"),
    [
        ('command: ["--model-path", "m/x", "--tp", "${TP:-4}"]', '"--tp", "${TP:-4}"'),
        ("command: --model-path m/x --tp 4", "--tp 4"),
        ('command: "--model-path m/x --tp=4"', "--tp=4"),
        ("command: |\n      --model-path m/x\n      --tp 4\n", "--tp 4"),
        ("command:\n      - --model-path=m/x\n      - --tp\n      - 4\n", "--tp\n      - 4"),
    ],
)
def test_one_command_in_many_forms(command: str, shown: str) -> None:
    head = (
        "services:\n  sgl:\n    image: lmsysorg/sglang:v0.5.16\n    entrypoint: [python3, -m, sglang.launch_server]\n"
    )
    one, _ = only((head + "    " + command + "\n").encode())
    assert (one.launch.engine, one.launch.model, values(one)["--tp-size"]) == ("sglang", "m/x", 4)
    assert typed(one)["--tp-size"] == shown


def test_a_shell_within_a_command() -> None:
    text = (
        "services:\n  s:\n    image: x\n    environment: ['A=1', \"B=${B:-2}\", C]\n    command: >\n"
        '      bash -c "export NCCL_DEBUG=INFO &&\n      vllm serve m/x --tensor-parallel-size 2"\n'
    )
    one, text = only(text.encode())
    assert typed(one) == {"--tensor-parallel-size": "--tensor-parallel-size 2"}
    assert variables(one, text) == {
        "A": ("1", True, "1"),
        "B": ("2", True, "${B:-2}"),
        "C": ("", False, ""),
        "NCCL_DEBUG": ("INFO", True, "INFO"),
    }


@pytest.mark.parametrize(
    ("devices", "count"),
    [
        ("[{capabilities: [gpu], device_ids: ['0', '3']}]", 2),
        ("[{driver: nvidia, count: all, capabilities: [gpu]}]", None),
        ("[{driver: nvidia, count: '${N:-4}', capabilities: [gpu]}]", 4),
        ("[{driver: cdi, count: 1, capabilities: [tpu]}]", None),
    ],
)
def test_devices(devices: str, count: int | None) -> None:
    head = "services:\n  s:\n    command: vllm serve m/x\n    deploy: {resources: {reservations: {devices: "
    one, _ = only(f"{head}{devices}}}}}}}\n".encode())
    assert (one.resources.gpus.value if one.resources.gpus else None) == count


def test_devices_in_short() -> None:
    one, text = only(b"services:\n  s:\n    command: vllm serve m/x\n    gpus: [{driver: nvidia, count: 2}]\n")
    assert one.resources.gpus and at(text, one.resources.gpus.place) == "2"


def test_services_of_other_things_are_none_of_ours() -> None:
    assert deployment("# vllm\nservices: {web: {image: nginx}}\n").recognised == ""
