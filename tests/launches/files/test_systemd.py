"""systemd units: the command with its continuations, variables, and time limits."""

from __future__ import annotations

from tests.launches.files.texts import deployed, notes, settings, spans, started, typed, variables, words

UNIT = """[Unit]
Description=x
[Service]
Type=notify
Environment="NCCL_DEBUG=INFO" HF_HOME=/d
Environment=VLLM_USE_V1=1
EnvironmentFile=-/etc/vllm.env
ExecStartPre=/bin/sleep 1
ExecStart=-/opt/venv/bin/vllm serve m/x \\
    --tensor-parallel-size 8 \\
    --host ${HOST}
TimeoutStartSec=15min
TimeoutStopSec=30
MemoryMax=64G
"""


def test_the_command_its_variables_and_its_limits() -> None:
    found = started("/etc/systemd/system/chat.service", UNIT)
    assert words(found) == ["/opt/venv/bin/vllm", "serve", "m/x", "--tensor-parallel-size", "8", "--host", "${HOST}"]
    assert spans(found)["--tensor-parallel-size"] == "--tensor-parallel-size 8" and found.launch.complete
    assert variables(found) == {
        "NCCL_DEBUG": ("INFO", '"NCCL_DEBUG=INFO"', "INFO"),
        "HF_HOME": ("/d", "HF_HOME=/d", "/d"),
        "VLLM_USE_V1": ("1", "Environment=VLLM_USE_V1=1", "1"),
    }
    assert [(one.kind, one.allows_s) for one in found.probes] == [("startup", 900)]
    assert typed(found, found.probes[0].place) == "TimeoutStartSec=15min"
    assert found.grace is not None and found.grace.value == 30 and found.resources.memory is not None
    assert found.identity() == "Unit/chat" and notes(found) == ["what /etc/vllm.env sets is not here"]


def test_a_simple_unit_counts_as_started_at_once() -> None:
    found = started("a.service", UNIT.replace("Type=notify\n", ""))
    assert "TimeoutStartSec ends nothing here: a unit of Type=simple counts as started at once" in notes(found)


def test_a_container_started_by_a_unit_and_a_known_variable() -> None:
    found = started(
        "a.service",
        "[Service]\nEnvironment=TAG=v0.28.0\nExecStart=/usr/bin/docker run --shm-size=1g \\\n  vllm/vllm-openai:${TAG} --model m -tp 2\n",
    )
    assert found.launch.image == "vllm/vllm-openai:v0.28.0" and settings(found)["--tensor-parallel-size"] == 2
    assert found.environment == () and found.resources.shm is not None and found.resources.shm.value == 1 << 30


def test_quiet() -> None:
    assert deployed("a.service", "[Service]\nExecStart=/usr/bin/nginx # not vllm\n").recognised == ""
    assert deployed("a.service", "vllm serve m --port 1\n").recognised == ""
