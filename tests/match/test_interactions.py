"""Settings that do not go together with what a workload runs in: where lint speaks, and where it is silent."""

from __future__ import annotations

from typing import Any

import pytest

from advisor.match.pod_life import MOST_NAMED
from advisor.model.deployment import Deployment, Resources
from tests.deployed import ids, lint, only, place, pod, probe, quantity, service, workload

VLLM = "vllm serve m {}\n# gpus 4 8 1 16 shm 64Mi 512Mi 2Gi\n"


def devices(text: str, count: int, resource: str = "nvidia.com/gpu", **more) -> Resources:
    shm = {"shm": quantity(text, "2Gi", 2 << 30)} if "shm" not in more and "host_ipc" not in more else {}
    return Resources(gpus=quantity(text, str(count), count), gpu_resource=resource, **{**shm, **more})


def gpus(flags: str, count: int, *, head: str = "vllm serve m", resource: str = "nvidia.com/gpu", **more) -> list[str]:
    text = VLLM.replace("vllm serve m", head).format(flags)
    found = lint(pod(text, version=more.pop("version", "0.30.0"), resources=devices(text, count, resource), **more))
    return [one for one in ids(found) if one.startswith("gpus-") or one.startswith("shared-")]


@pytest.mark.parametrize(
    ("flags", "count"),
    [
        ("--tensor-parallel-size 8", 4),
        ("--tensor-parallel-size 4 --pipeline-parallel-size 2", 4),
        ("--tensor-parallel-size 4 --data-parallel-size 2", 4),
        ("--tensor-parallel-size 8 --data-parallel-size 4 --data-parallel-size-local 2", 8),
        ("--tensor-parallel-size 16 --nnodes 2 --node-rank 0", 4),
    ],
)
def test_a_launch_that_takes_more_than_its_container_gets(flags: str, count: int) -> None:
    assert gpus(flags, count) == ["gpus-too-few"]


@pytest.mark.parametrize(
    ("flags", "count"),
    [
        ("--tensor-parallel-size 8", 8),
        ("--tensor-parallel-size 16 --nnodes 2 --node-rank 0", 8),
        ("--tensor-parallel-size 8 --data-parallel-size 2 --data-parallel-size-local 1", 8),
        ("--tensor-parallel-size 4 --data-parallel-size 2 --data-parallel-rank 1", 4),  # the other rank is elsewhere
        ("--tensor-parallel-size 4 --data-parallel-size 2 --data-parallel-backend ray", 4),
        ("--tensor-parallel-size 16 --distributed-executor-backend ray", 8),  # a cluster of unknown size
        ("--tensor-parallel-size $TP", 4),
        ("--tensor-parallel-size 8 --distributed-executor-backend external_launcher", 1),
    ],
)
def test_a_launch_that_fits_or_may_fit(flags: str, count: int) -> None:
    assert gpus(flags, count) == []


@pytest.mark.parametrize("said", ["raySpec: {headNode: {}}", "ray start --head", "RAY_ADDRESS=head:6379"])
def test_a_part_of_a_ray_cluster_is_not_all_of_it(said: str) -> None:
    text = VLLM.format("--tensor-parallel-size 8") + said + "\n"
    assert "gpus-too-few" not in ids(lint(pod(text, version="0.30.0", resources=devices(text, 4))))


def test_the_nodes_of_a_group_share_the_model() -> None:
    text = VLLM.format("--tensor-parallel-size 8 --pipeline-parallel-size 2")
    group = {"kind": "LeaderWorkerSet", "format": "lws", "role": "leader", "nodes": quantity(text, "8", 2)}
    assert "gpus-too-few" not in ids(lint(pod(text, version="0.30.0", resources=devices(text, 8), **group)))
    assert "gpus-too-few" in ids(lint(pod(text, version="0.30.0", resources=devices(text, 4), **group)))


@pytest.mark.parametrize(
    ("head", "flags", "count", "found"),
    [
        ("python -m sglang.launch_server --model-path m", "--tp 8", 4, ["gpus-too-few"]),
        ("python -m sglang.launch_server --model-path m", "--tp 4 --dp-size 2", 4, ["gpus-too-few"]),
        ("python -m sglang.launch_server --model-path m", "--tp 4 --dp-size 2 --enable-dp-attention", 4, []),
        ("python -m sglang.launch_server --model-path m", "--tp 16 --nnodes 2 --node-rank 0", 8, []),
        ("lmdeploy serve api_server m", "--tp 8", 4, ["gpus-too-few"]),
        ("lmdeploy serve api_server m", "--tp 8 --dp 8", 4, []),  # how many of them run here is not told
    ],
)
def test_each_engine_counts_in_its_own_way(head: str, flags: str, count: int, found: list[str]) -> None:
    version = "0.5.16" if "sglang" in head else "0.17.0"
    assert gpus(flags, count, head=head, version=version) == found


def test_the_finding_is_at_the_limit_and_names_the_flag() -> None:
    text = VLLM.format("--tensor-parallel-size 8")
    found = only(lint(pod(text, version="0.30.0", resources=devices(text, 4))), "gpus-too-few")
    assert found.region.snippet.startswith("# gpus 4") and found.region.column == text.split("\n")[1].index("4") + 1
    assert "takes 8 accelerators" in found.says and "gets 4" in found.says
    assert [one.says for one in found.related] == ["--tensor-parallel-size 8"]
    assert found.sources and all(one.date for one in found.sources)


def test_parts_of_a_device_are_not_counted() -> None:
    assert gpus("--tensor-parallel-size 8", 4, resource="nvidia.com/mig-1g.10gb") == []
    assert gpus("--tensor-parallel-size 8", 1, resource="volcano.sh/vgpu-memory") == []


def test_idle_devices_only_where_nothing_else_can_take_them() -> None:
    assert gpus("--tensor-parallel-size 4", 8) == ["gpus-idle"]
    text = VLLM.format("--tensor-parallel-size 4") + "vllm serve n --tensor-parallel-size 4 --port 8001\n"
    both = [pod(text, version="0.30.0", resources=devices(text, 8), index=index) for index in (0, 1)]
    assert "gpus-idle" not in ids(lint(*both))


def test_a_pod_that_asks_for_no_device() -> None:
    text = "vllm serve m --max-model-len 4096\n"
    assert "gpus-missing" in ids(lint(pod(text, version="0.30.0")))
    assert "gpus-missing" in ids(lint(pod(text + "# resourceClaims: none yet\n", version="0.30.0")))
    assert "gpus-missing" not in ids(lint(pod(text + "resourceClaims:\n- name: gpu\n", version="0.30.0")))
    assert "gpus-missing" not in ids(lint(pod(text, image="vllm/vllm-openai-cpu:v0.30.0")))
    assert "gpus-missing" not in ids(lint(workload(text, version="0.30.0")))  # a script asks nobody


# shared memory


def shared(flags: str = "--tensor-parallel-size 4", *, kind: str = "pod", text: str = "", **more) -> list[str]:
    text = text or VLLM.format(flags)
    given: dict[str, Any] = {name: quantity(text, *value) if name == "shm" else value for name, value in more.items()}
    gpu = Resources(gpus=quantity(text, "4", 4), gpu_resource="nvidia.com/gpu", **given)
    one = (
        pod(text, version="0.30.0", resources=gpu)
        if kind == "pod"
        else workload(text, version="0.30.0", resources=gpu, format=kind)
    )
    return [one for one in ids(lint(one)) if one.startswith("shared-")]


def test_ranks_of_a_pod_that_share_the_default() -> None:
    assert shared() == ["shared-memory-default"]
    assert shared(shm=("64Mi", 64 << 20)) == ["shared-memory-default"]
    assert shared(shm=("512Mi", 512 << 20)) == ["shared-memory-small"]


def test_enough_shared_memory_or_no_need_of_it() -> None:
    assert shared(shm=("2Gi", 2 << 30)) == []
    assert shared(host_ipc=True) == []
    assert shared("--max-model-len 4096") == []
    assert shared(kind="shell") == []  # a script on a machine has the machine's


def test_docker_and_compose_have_the_same_default() -> None:
    assert shared(kind="compose") == ["shared-memory-default"]
    run = "docker run --gpus 4 vllm/vllm-openai:v0.30.0 --model m --tensor-parallel-size 4\n"
    assert shared(kind="shell", text=run) == ["shared-memory-default"]
    assert shared(kind="shell", text=run.replace("--gpus", "-v /dev/shm:/dev/shm --gpus")) == []


# ranks


def ranks(flags: str, **more) -> list[str]:
    text = VLLM.format(flags)
    given = {name: quantity(text, "8", value) if isinstance(value, int) else value for name, value in more.items()}
    found = ids(lint(pod(text, version="0.30.0", resources=devices(text, 8), **given)))
    return [one for one in found if one in ("ranks-repeated", "nodes-mismatch")]


def test_replicas_that_all_start_as_one_rank() -> None:
    flags = "--tensor-parallel-size 8 --pipeline-parallel-size 2 --nnodes 2 --node-rank"
    assert ranks(f"{flags} 0", replicas=2) == ["ranks-repeated"]
    assert ranks(f"{flags} 1", role="worker", nodes=4) == ["nodes-mismatch", "ranks-repeated"]


def test_ranks_that_are_each_their_own() -> None:
    flags = "--tensor-parallel-size 8 --pipeline-parallel-size 2 --nnodes 2 --node-rank"
    assert ranks(f"{flags} 0", replicas=1) == []
    assert ranks(f"{flags} $LWS_WORKER_INDEX", role="worker", nodes=2) == []
    assert ranks(f"{flags} 1", role="worker", nodes=2) == []  # one worker: rank 1 is its own
    assert ranks("--tensor-parallel-size 8", replicas=4) == []


# fractions and ports


def test_a_share_of_memory_above_one() -> None:
    assert "memory-fraction" in ids(lint(workload("vllm serve m --gpu-memory-utilization 1.2\n", version="0.30.0")))
    for quiet in ("--gpu-memory-utilization 0.95", "--gpu-memory-utilization 1.0", "--gpu-memory-utilization $SHARE"):
        assert "memory-fraction" not in ids(lint(workload(f"vllm serve m {quiet}\n", version="0.30.0")))


PROBED = "vllm serve m --max-model-len 4096 {}\nlivenessProbe:\n  httpGet: {{path: /health, port: {}}}\n"


def ports(flags: str, port: object, path: str = "/health") -> list[str]:
    text = PROBED.format(flags, port)
    checked = (probe(text, text[text.index("livenessProbe") :], "readiness", 900, path),)
    return [one for one in ids(lint(pod(text, version="0.30.0", probes=checked))) if one == "probe-port"]


def test_a_probe_of_another_port() -> None:
    assert ports("", 8080) == ["probe-port"]
    assert ports("--port 9000", 8000) == ["probe-port"]


def test_a_probe_of_the_right_port_or_of_something_else() -> None:
    assert ports("", 8000) == []
    assert ports("--port 9000", 9000) == []
    assert ports("--port 9000", "http") == []  # a name: which number it is is not here
    assert ports("--port $PORT", 8000) == []
    assert ports("", 9090, "/router/ready") == []  # not the engine's own path


# the life of a pod


def life(text: str, **more) -> list[str]:
    found = ids(lint(pod(text, **{"version": "0.30.0", **more})))
    return [one for one in found if one in ("liveness-before-ready", "grace-before-drain")]


LIVE = "vllm serve m --max-model-len 4096\nlivenessProbe: x\nstartupProbe: y\nterminationGracePeriodSeconds: 30\n"


def test_a_liveness_probe_shorter_than_the_engines_own_wait() -> None:
    live = probe(LIVE, "livenessProbe: x", "liveness", 45)
    assert life(LIVE, probes=(live,)) == ["liveness-before-ready"]
    found = only(lint(pod(LIVE, version="0.30.0", probes=(live,))), "liveness-before-ready")
    assert "45 s" in found.says and "600 s" in found.says and found.region.line == 2


def test_a_liveness_probe_that_waits_or_is_held_back() -> None:
    assert life(LIVE, probes=(probe(LIVE, "livenessProbe: x", "liveness", 900),)) == []
    held = (probe(LIVE, "livenessProbe: x", "liveness", 45), probe(LIVE, "startupProbe: y", "startup", 600))
    assert life(LIVE, probes=held) == []
    live = (probe(LIVE, "livenessProbe: x", "liveness", 45),)
    assert life(LIVE, probes=live, version="0.13.0") == []  # that release has no such limit
    assert life("export VLLM_ENGINE_READY_TIMEOUT_S=30\n" + LIVE, probes=live) == []


def test_a_grace_period_shorter_than_the_drain() -> None:
    grace = quantity(LIVE, "terminationGracePeriodSeconds: 30", 30)
    assert life(LIVE, grace=grace, pre_stop_s=60) == ["grace-before-drain"]
    assert life(LIVE, pre_stop_s=40) == ["grace-before-drain"]  # 30 by default
    assert life(LIVE.replace("serve m", "serve m --shutdown-timeout 120"), grace=grace) == ["grace-before-drain"]


def test_a_grace_period_that_is_long_enough() -> None:
    grace = quantity(LIVE, "terminationGracePeriodSeconds: 30", 120)
    assert life(LIVE, grace=grace, pre_stop_s=60) == []
    assert life(LIVE, pre_stop_s=5) == []
    assert life(LIVE) == []
    assert life(LIVE.replace("serve m", "serve m --shutdown-timeout 20")) == []


def test_the_share_that_is_the_default_is_that_of_the_release() -> None:
    for version, default in (("0.11.0", "0.9"), ("0.30.0", "0.92")):
        found = lint(workload("vllm serve m --gpu-memory-utilization 1.2\n", version=version))
        assert only(found, "memory-fraction").advice == (f"{default} is the default",)


def test_vllm_refuses_logging_that_is_off_and_configured() -> None:
    off, file = "export VLLM_CONFIGURE_LOGGING=0\n", "export VLLM_LOGGING_CONFIG_PATH=/etc/log.json\n"
    command = "vllm serve m --max-model-len 4096\n"
    assert only(lint(workload(off + file + command, version="0.30.0")), "logging-contradiction").level == "error"
    for quiet in (off, file, off.replace("0", "1") + file):
        assert "logging-contradiction" not in ids(lint(workload(quiet + command, version="0.30.0")))


# variables that Services inject

SERVED = "vllm serve m --max-model-len 4096\nkind: Service\nname: {}\n"


def links(
    name: str, *, version: str = "0.30.0", env: str = "", spec: str = "", namespace: str = "", **more
) -> list[tuple[str, str]]:
    text = env + SERVED.format(name) + spec
    named = service(text, text[text.index("kind: Service") :], name, namespace)
    found = lint(pod(text, version=version, **more), services=(named,))
    return [(one.id, one.level) for one in found if one.id == "service-links"]


def test_a_service_named_vllm_sets_a_variable_that_vllm_reads() -> None:
    assert links("vllm") == [("service-links", "error")]
    assert links("vllm", version="0.8.5") == [("service-links", "error")]


def test_a_service_whose_name_begins_so_only_makes_warnings_since_0_17() -> None:
    assert links("vllm-llama") == [("service-links", "note")]
    assert links("vllm-llama", version="0.16.0") == []


def test_sglang_passes_over_a_port_that_is_no_number() -> None:
    text = "python -m sglang.launch_server --model-path m\nkind: Service\n"
    found = lint(pod(text, version="0.5.20"), services=(service(text, "kind: Service", "sglang"),))
    assert "service-links" not in ids(found)


def test_services_that_change_nothing() -> None:
    assert links("llama") == []
    assert links("vllmish") == []
    assert links("vllm", service_links=False) == []
    assert links("vllm", namespace="other") == []
    assert links("vllm", spec="clusterIP: None\n") == []
    assert links("vllm", env="export VLLM_PORT=5555\n") == [("service-links", "note")]  # its own value wins


def test_a_service_of_another_file_counts_too() -> None:
    text = "kind: Service\nname: vllm\n"
    other = Deployment("svc.yaml", text, "kubernetes", (), (service(text, text, "vllm", file="svc.yaml"),))
    found = only(lint(pod("vllm serve m --max-model-len 4096\n", version="0.30.0"), others=(other,)), "service-links")
    assert found.region.file == "f.yaml" and found.related == ()


def test_of_many_services_that_only_make_warnings_a_few_are_named() -> None:
    text = SERVED.format("vllm")
    names = [f"vllm-{at}" for at in range(12)]
    here = [service(text, "vllm", one) for one in (*names[6:], "vllm")]
    other = Deployment("svc.yaml", text, "kubernetes", (), tuple(service(text, "vllm", one) for one in names[:6]))
    made = lint(pod(text, version="0.30.0"), services=here, others=(other,))
    found = [one for one in made if one.id == "service-links"]
    assert [one.level for one in found].count("error") == 1
    assert {one.related[0].says for one in found if one.related} >= {f"Service {one}" for one in names[6:11]}
    assert len(found) == 1 + MOST_NAMED + 1
    assert any(one.says.startswith("7 more Services") for one in found)


def test_place_is_where_it_says() -> None:
    assert place("ab\ncd\n", "cd").span.line == 2


# what stands elsewhere


def test_what_a_patch_an_operator_or_a_template_leaves_out_is_not_absent() -> None:
    text = "vllm serve m --tensor-parallel-size 4 --shutdown-timeout 60\nlivenessProbe: x\n"
    absent = {"gpus-missing", "shared-memory-default", "liveness-before-ready", "grace-before-drain", "service-links"}

    def said(made) -> set[str]:
        named = (service(text, "vllm", "vllm"),)
        return absent & set(ids(lint(made, services=named)))

    live = (probe(text, "livenessProbe: x", "liveness", 30),)
    here = pod(text, version="0.30.0", probes=live)
    assert said(here) == absent
    assert (
        said(workload(text, version="0.30.0", probes=live, format="kubernetes", kind="Deployment", container="c"))
        == set()
    )
    assert said(pod(text + "# {{ .Values.resources }}\n", version="0.30.0", probes=live)) == set()
    assert said(pod(text, version="0.30.0", probes=live, kind="LLMInferenceService")) == set()
    assert said(pod(text, version="0.30.0", probes=live, container="")) == set()


def test_another_document_of_the_file_does_not_make_it_whole() -> None:
    text = "vllm serve m --tensor-parallel-size 4\n---\nselector: x\n"
    one = workload(text, version="0.30.0", format="kubernetes", kind="Deployment", container="c", image="vllm/vllm-openai:v0.30.0",
                   place=place(text, "vllm serve m --tensor-parallel-size 4"))  # fmt: skip
    assert ids(lint(one)) == []
