"""Would an incident leave evidence: asked for only, notes only, under the names that the torch of the release reads."""

from __future__ import annotations

import pytest

from tests.deployed import ids, lint, only, pod, probe, workload

TWO = "{}vllm serve m --tensor-parallel-size 2 {}\n"


def asked(text: str, *, make=workload, **more) -> list[str]:
    found = lint(make(text, **{"version": "0.30.0", **more}), evidence=True)
    assert all(one.level == "note" for one in found if one.kind == "evidence")
    return [one.id for one in found if one.kind == "evidence"]


def test_off_unless_asked_for() -> None:
    text = TWO.format("export TORCH_NCCL_DUMP_ON_TIMEOUT=0\n", "--disable-log-stats")
    assert not [one for one in lint(workload(text, version="0.30.0")) if one.kind == "evidence"]
    assert asked(text) == ["evidence-recorder", "evidence-metrics"]


def test_a_pod_in_which_stacks_cannot_be_read() -> None:
    text = "vllm serve m --max-model-len 4096\n"
    well = {"probes": (probe(text, "vllm", "readiness", 900),)}
    assert asked(text, make=pod, **well) == ["evidence-stacks"]
    assert asked(text, make=pod, capabilities=("SYS_PTRACE",), **well) == []
    assert asked(text, make=pod, capabilities=("CAP_SYS_PTRACE",), **well) == []
    assert asked(text, make=pod, host_pid=True, **well) == []
    assert asked(text) == []  # a script: what the machine allows is not here


def test_a_pod_that_nobody_asks_whether_it_is_well() -> None:
    text = "vllm serve m --max-model-len 4096\n"
    assert asked(text, make=pod, host_pid=True) == ["evidence-health"]


# vllm 0.10.0 pins torch 2.7.1, 0.11.0 2.8.0, 0.33.0 2.14.0 (the wheels' metadata); FlightRecorder.hpp of each says the names


@pytest.mark.parametrize(
    ("version", "env", "says"),
    [
        ("0.10.0", "", "needs TORCH_NCCL_TRACE_BUFFER_SIZE"),
        (
            "0.10.0",
            "TORCH_FR_BUFFER_SIZE=2000",
            "does not read TORCH_FR_BUFFER_SIZE; it reads TORCH_NCCL_TRACE_BUFFER_SIZE",
        ),
        ("0.11.0", "", "needs TORCH_FR_BUFFER_SIZE"),
        ("0.11.0", "TORCH_NCCL_TRACE_BUFFER_SIZE=2000", "its name is now TORCH_FR_BUFFER_SIZE"),
        ("0.33.0", "TORCH_FR_BUFFER_SIZE=0", "switched off by TORCH_FR_BUFFER_SIZE=0"),
        ("0.33.0", "TORCH_NCCL_DUMP_ON_TIMEOUT=false", "no dump is written"),
    ],
)
def test_a_recorder_that_is_not_armed(version: str, env: str, says: str) -> None:
    text = TWO.format(f"export {env}\n" if env else "", "")
    found = only(lint(workload(text, version=version), evidence=True), "evidence-recorder")
    assert says in found.says
    assert found.region.snippet == (f"export {env}" if env else text.rstrip("\n"))


@pytest.mark.parametrize(
    ("version", "env"),
    [
        ("0.10.0", "TORCH_NCCL_TRACE_BUFFER_SIZE=2000"),
        ("0.11.0", "TORCH_FR_BUFFER_SIZE=2000"),
        ("0.33.0", ""),  # on by itself
        ("0.33.0", "TORCH_NCCL_DUMP_ON_TIMEOUT=1"),
    ],
)
def test_a_recorder_that_is(version: str, env: str) -> None:
    assert asked(TWO.format(f"export {env}\n" if env else "", ""), version=version) == []


def test_a_recorder_is_not_asked_of_one_rank_of_other_devices_or_of_an_unknown_torch() -> None:
    assert asked("vllm serve m --max-model-len 4096\n", version="0.10.0") == []
    assert asked(TWO.format("", ""), version="0.10.0", accelerators=("huawei.com/Ascend910",)) == []
    assert asked(TWO.format("", ""), version="", image="vllm/vllm-openai:latest") == []


def test_logs_that_leave_out_what_is_needed() -> None:
    assert asked("export VLLM_LOGGING_LEVEL=ERROR\nvllm serve m --max-model-len 4096\n") == ["evidence-logs"]
    assert asked("export VLLM_LOGGING_LEVEL=DEBUG\nvllm serve m --max-model-len 4096\n") == []
    head = "python -m sglang.launch_server --model-path m --enable-metrics"
    assert asked(f"{head} --log-level warning\n", version="0.5.20") == ["evidence-logs"]
    assert asked(f"{head} --log-level info\n", version="0.5.20") == []
    silent = lint(
        workload("lmdeploy serve api_server m --tp 1 --enable-metrics\n", version="0.10.0"),
        evidence=True,
    )
    assert "--log-level is WARNING by default" in only(silent, "evidence-logs").says
    off = "export VLLM_CONFIGURE_LOGGING=0\n"
    assert asked(f"{off}vllm serve m --max-model-len 4096\n") == ["evidence-logs"]
    assert asked(f"{off}lmdeploy serve api_server m --log-level INFO\n", version="0.12.0") == []


def test_metrics_per_engine() -> None:
    assert asked("python -m sglang.launch_server --model-path m\n", version="0.5.20") == ["evidence-metrics"]
    assert asked("python -m sglang.launch_server --model-path m --enable-metrics\n", version="0.5.20") == []
    assert asked("lmdeploy serve api_server m --log-level INFO --tp 1\n", version="0.10.0") == ["evidence-metrics"]
    assert (
        asked("lmdeploy serve api_server m --log-level INFO --tp 1\n", version="0.12.0") == []
    )  # on by itself since 0.11.0
    assert asked("lmdeploy serve api_server m --log-level INFO --tp 1 --disable-metrics\n", version="0.12.0") == [
        "evidence-metrics"
    ]
    assert asked("vllm serve m --max-model-len 4096\n") == []
    assert ids(lint(workload("vllm serve m --max-model-len 4096\n", version="0.30.0"))) == []
