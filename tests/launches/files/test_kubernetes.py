"""Kubernetes objects, whole and in pieces, field by field, with the characters behind each."""

from __future__ import annotations

import pytest

from advisor.launches.files.pod import UNLIMITED
from tests.launches.files.situations import at, deployment, only, typed, values, variables

DEPLOYMENT = """
    apiVersion: apps/v1
    kind: Deployment
    metadata:
      name: qwen
      namespace: serving
      annotations: {advisor.dev/ignore.vllm/x: "known"}
    spec:
      replicas: 2
      template:
        metadata:
          labels: {app: qwen, accelerator: h100}
          annotations:
            note: two
        spec:
          terminationGracePeriodSeconds: 120
          enableServiceLinks: false
          hostIPC: true
          hostPID: true
          nodeSelector: {nvidia.com/gpu.product: NVIDIA-H100, zone: a}
          affinity:
            nodeAffinity:
              requiredDuringSchedulingIgnoredDuringExecution:
                nodeSelectorTerms:
                  - matchExpressions:
                      - {key: gpu.nvidia.com/class, operator: In, values: [H100, H200]}
          containers:
            - name: server
              image: "vllm/vllm-openai:v0.28.0"   # the release
              command: [vllm, serve]
              args:
                - Qwen/Qwen3-32B
                - --tensor-parallel-size
                - "8"
                - '--max-model-len=4096'
                - --speculative-config
                - '{"method": "eagle3"}'
                - --no-enable-prefix-caching
                - --port=$(PORT)
                - --seed=$(SEED)
              env:
                - name: PORT
                  value: "8000"
                - {name: BASE, value: 'a'}
                - {name: PATHS, value: "$(BASE)/b"}
                - name: SEED
                  valueFrom: {secretKeyRef: {name: s, key: k}}
              envFrom: [{configMapRef: {name: more}}]
              resources:
                requests: {nvidia.com/gpu: "4", memory: 10Gi}
                limits: {nvidia.com/gpu: "8", memory: 200Gi}
              startupProbe: {httpGet: {path: /health, port: 8000}, failureThreshold: 60}
              livenessProbe:
                httpGet: {path: /health, port: 8000}
                initialDelaySeconds: 300
                periodSeconds: 5
              readinessProbe: {tcpSocket: {port: 8000}}
              lifecycle: {preStop: {exec: {command: [sh, -c, "sleep 30; true"]}}}
              securityContext: {capabilities: {add: [SYS_PTRACE, IPC_LOCK]}}
              volumeMounts: [{name: dshm, mountPath: /dev/shm}]
            - name: exporter
              image: prom/exporter:v1
              args: [--port=9000]
          volumes:
            - name: dshm
              emptyDir: {medium: Memory, sizeLimit: 16Gi}
    """


def test_a_deployment_field_by_field() -> None:
    one, text = only(DEPLOYMENT)
    assert one.identity() == "Deployment/serving/qwen:server" and one.format == "kubernetes"
    launch = one.launch
    assert (launch.engine, launch.model, launch.complete) == ("vllm", "Qwen/Qwen3-32B", True)
    assert launch.image == "vllm/vllm-openai:v0.28.0" and launch.text == text and launch.artifact == "x.yaml"
    assert [(source.kind, source.text, at(text, source.place)) for source in one.versions] == [
        ("image", "vllm/vllm-openai:v0.28.0", '"vllm/vllm-openai:v0.28.0"')
    ]
    assert one.replicas is not None and (one.replicas.value, at(text, one.replicas.place)) == (2, "2")
    assert one.grace is not None and (one.grace.value, at(text, one.grace.place)) == (120, "120")
    assert (one.pre_stop_s, one.host_pid, one.service_links) == (30, True, False)
    assert one.capabilities == ("SYS_PTRACE", "IPC_LOCK")
    assert one.accelerators == (
        "nvidia.com/gpu.product=NVIDIA-H100",
        "gpu.nvidia.com/class=H100,H200",
        "accelerator=h100",
    )
    assert [(key, value, at(text, place)) for key, value, place in one.annotations] == [
        ("advisor.dev/ignore.vllm/x", "known", 'advisor.dev/ignore.vllm/x: "known"'),
        ("note", "two", "note: two"),
    ]
    assert at(text, one.place).startswith("name: server") and at(text, one.place).endswith("mountPath: /dev/shm}]")
    assert [note.text for note in one.notes] == ["the variables that `envFrom` brings are not in this file"]


def test_its_settings_stand_where_they_are_typed() -> None:
    one, text = only(DEPLOYMENT)
    assert values(one) == {
        "--tensor-parallel-size": 8,
        "--max-model-len": 4096,
        "--speculative-config": '{"method": "eagle3"}',
        "--speculative-config.method": "eagle3",
        "--enable-prefix-caching": False,
        "--port": 8000,
        "--seed": "$(SEED)",
    }
    shown = typed(one)
    assert shown["--tensor-parallel-size"] == '--tensor-parallel-size\n            - "8"'
    assert shown["--max-model-len"] == "'--max-model-len=4096'"
    assert shown["--speculative-config"] == '--speculative-config\n            - \'{"method": "eagle3"}\''
    assert shown["--port"] == "--port=$(PORT)"
    setting = one.launch.setting("--tensor-parallel-size")
    assert setting is not None and setting.span is not None
    line = 1 + text.splitlines().index("            - --tensor-parallel-size")
    assert (setting.span.line, setting.span.end_line, setting.quote) == (line, line + 1, "--tensor-parallel-size 8")
    assert [(arg.text, at(text, arg.place), arg.place.form, arg.known) for arg in one.arguments[:4]] == [
        ("vllm", "vllm", "flow item", True),
        ("serve", "serve", "flow item", True),
        ("Qwen/Qwen3-32B", "Qwen/Qwen3-32B", "block item", True),
        ("--tensor-parallel-size", "--tensor-parallel-size", "block item", True),
    ]
    assert one.arguments[-1].known is False


def test_its_variables_resources_and_probes() -> None:
    one, text = only(DEPLOYMENT)
    assert variables(one, text) == {
        "PORT": ("8000", True, '"8000"'),
        "BASE": ("a", True, "'a'"),
        "PATHS": ("a/b", True, '"$(BASE)/b"'),
        "SEED": ("", False, ""),
    }
    assert at(text, one.environment[1].place) == "{name: BASE, value: 'a'}"
    assert at(text, one.environment[0].place) == 'name: PORT\n              value: "8000"'
    seed = one.launch.variable("SEED")
    assert seed is not None and seed.value == "$(SEED)", "unknown to every judge, not empty"
    told = one.resources
    assert told.gpus is not None and (told.gpus.value, at(text, told.gpus.place)) == (8, '"8"')
    assert told.gpu_resource == "nvidia.com/gpu" and told.host_ipc
    assert told.memory is not None and told.memory.value == 200 << 30
    assert told.shm is not None and (told.shm.value, at(text, told.shm.place)) == (16 << 30, "16Gi")
    assert [(probe.kind, probe.allows_s, probe.path) for probe in one.probes] == [
        ("startup", 600, "/health"),
        ("liveness", 315, "/health"),
        ("readiness", 30, "tcpSocket"),
    ]


def pod(container: str, more: str = "") -> str:
    return f"apiVersion: v1\nkind: Pod\nmetadata: {{name: p}}\nspec:\n{more}  containers:\n  - name: c\n{container}"


VLLM = "    image: vllm/vllm-openai:v0.28.0\n"


@pytest.mark.parametrize(
    ("typed_", "shown"),
    [
        ('    command: [sh, -c, "vllm serve m/x --tensor-parallel-size 8"]\n', "--tensor-parallel-size 8"),
        ("    command: [bash, -lc]\n    args: ['exec vllm serve m/x --tensor-parallel-size 8']\n", "--tensor-parallel-size 8"),
        ("    command: [/bin/bash, -euo, pipefail, -c, --]\n    args:\n    - |\n      set -x\n      vllm serve m/x \\\n"
         "        --tensor-parallel-size 8\n", "--tensor-parallel-size 8"),
        ("    command:\n    - sh\n    - -c\n    - >-\n      vllm serve m/x\n      --tensor-parallel-size\n      8\n",
         "--tensor-parallel-size\n      8"),
        ('    command: [sh, -c, "vllm serve m/x \\\n      --tensor-parallel-size=\\"8\\""]\n', '--tensor-parallel-size=\\"8\\"'),
        ("    command: [sh, -c, 'eval \"vllm serve m/x --tensor-parallel-size 8\"']\n", "--tensor-parallel-size 8"),
        ("    args: [--model, m/x, --tensor-parallel-size, 8]\n", "--tensor-parallel-size, 8"),
        ("    args: &a\n    - --model=m/x\n    - --tensor-parallel-size 8\n", "--tensor-parallel-size 8"),
        ("    env: [{name: TP, value: '8'}]\n    command: [sh, -c, 'vllm serve m/x --tensor-parallel-size $TP']\n",
         "--tensor-parallel-size $TP"),
        ("    env: [{name: TP, value: '8'}]\n    command: [sh, -c, 'vllm serve m/x --tensor-parallel-size ${TP:-4}']\n",
         "--tensor-parallel-size ${TP:-4}"),
        ("    env: [{name: TP, value: '8'}]\n    command: [sh, -c, 'vllm serve m/x --tensor-parallel-size $(TP)']\n",
         "--tensor-parallel-size $(TP)"),
        ("    command: [sh, -c, 'vllm serve m/x --tensor-parallel-size ${TP:-8}']\n", "--tensor-parallel-size ${TP:-8}"),
        ('    command: ["python3", "-m", "vllm.entrypoints.openai.api_server"]\n    args: ["--model=m/x", "-tp", "8"]\n',
         '"-tp", "8"'),
    ],
)  # fmt: skip
def test_one_launch_in_many_forms(typed_: str, shown: str) -> None:
    one, _ = only(pod(VLLM + typed_).encode())
    assert (one.launch.model, one.launch.complete) == ("m/x", True)
    assert values(one) | {"--model": "m/x"} == {"--tensor-parallel-size": 8, "--model": "m/x"}
    assert typed(one)["--tensor-parallel-size"] == shown


def test_crlf_moves_nothing() -> None:
    text = pod(
        VLLM + "    command: [sh, -c]\n    args:\n    - |\n      vllm serve m \\\n        -tp 8 \\\n        --port 1\n"
    )
    one, read = only(text.replace("\n", "\r\n").encode())
    assert typed(one) == {"--tensor-parallel-size": "-tp 8", "--port": "--port 1"} and read.count("\r\n") == 13


def test_a_script_sets_variables_of_its_own() -> None:
    one, text = only(pod(VLLM + "    command: [sh, -c, 'export NCCL_DEBUG=INFO; A=1 vllm serve m -tp 2']\n").encode())
    assert variables(one, text) == {"NCCL_DEBUG": ("INFO", True, "INFO"), "A": ("1", True, "1")}
    assert [at(text, each.place) for each in one.environment] == ["NCCL_DEBUG=INFO", "A=1"]


def test_a_pip_pin_in_the_command_is_a_version() -> None:
    one, text = only(pod(VLLM + "    command: [sh, -c, 'pip install vllm==0.27.1 && vllm serve m']\n").encode())
    assert [(source.kind, at(text, source.place)) for source in one.versions] == [
        ("pip", "vllm==0.27.1"),
        ("image", "vllm/vllm-openai:v0.28.0"),
    ]


@pytest.mark.parametrize(
    "container",
    [
        "    command: [sleep, infinity]\n" + VLLM,
        "    command: [ray, start, --address=x]\n" + VLLM,
        "    command: [sh, -c, 'bash multi-node-serving.sh worker']\n" + VLLM,
        "    command: [python3, -m, sglang_router.launch_router, --port, '1']\n    image: lmsysorg/sglang-router:v0.2\n",
        "    command: [vllm, bench, serve, --model, m]\n" + VLLM,
        "    command: [vllm, serve, --help]\n" + VLLM,
        "    image: envoyproxy/envoy:v1\n    args: [--port=1, --model=m]\n",
        "    image: vllm-router:v1\n",
    ],
)
def test_what_starts_no_engine_is_no_workload(container: str) -> None:
    assert deployment(("# vllm\n" + pod(container)).encode()).workloads == ()


def test_a_script_of_its_own_leaves_a_partial_launch() -> None:
    one, _ = only(pod("    command: [bash, /scripts/start.sh]\n" + VLLM).encode())
    assert (one.launch.engine, one.launch.complete, one.launch.settings) == ("vllm", False, ())


def test_flags_behind_an_unknown_entrypoint_are_partial() -> None:
    one, _ = only(pod("    image: corp/llm:v3\n    args: [--max-model-len=4096, --max-num-seqs=8]\n").encode())
    assert (one.launch.engine, one.launch.complete) == ("vllm", False)


@pytest.mark.parametrize(
    ("volume", "memory", "shm"),
    [
        ("{medium: Memory, sizeLimit: 1500M}", "8Gi", 1_500_000_000),
        ("{medium: Memory}", "8Gi", 8 << 30),
        ("{}", "8Gi", UNLIMITED),
        ("{medium: Memory, sizeLimit: '{{ .Values.shm }}'}", "8Gi", None),
    ],
)
def test_shared_memory(volume: str, memory: str, shm: int | None) -> None:
    mounted = f"    args: [--model, m]\n    resources: {{limits: {{memory: {memory}}}}}\n    volumeMounts: [{{name: s, mountPath: /dev/shm/}}]\n"
    one, _ = only(pod(VLLM + mounted, f"  volumes: [{{name: s, emptyDir: {volume}}}]\n").encode())
    assert (one.resources.shm.value if one.resources.shm else None) == shm


@pytest.mark.parametrize(
    ("resource", "count"),
    [("nvidia.com/gpu", 4), ("amd.com/gpu", 8), ("huawei.com/Ascend910", 16), ("nvidia.com/mig-1g.10gb", 1)],
)
def test_devices_of_other_makers(resource: str, count: int) -> None:
    one, _ = only(
        pod(VLLM + f"    args: [--model, m]\n    resources: {{requests: {{{resource}: {count}}}}}\n").encode()
    )
    assert one.resources.gpus is not None
    assert (one.resources.gpu_resource, one.resources.gpus.value) == (resource, count)


def test_privileged_is_every_capability() -> None:
    one, _ = only(pod(VLLM + "    args: [--model, m]\n    securityContext: {privileged: true}\n").encode())
    assert one.capabilities == ("ALL",)


def test_leader_and_worker_of_a_group() -> None:
    found = deployment("""
        apiVersion: leaderworkerset.x-k8s.io/v1
        kind: LeaderWorkerSet
        metadata: {name: deep}
        spec:
          replicas: 3
          leaderWorkerTemplate:
            size: 2
            leaderTemplate: &pod
              spec:
                containers:
                  - name: head
                    image: lmsysorg/sglang:v0.5.16
                    command: [python3, -m, sglang.launch_server, --model-path, m/x, --nnodes, $(LWS_GROUP_SIZE),
                              --node-rank, $(LWS_WORKER_INDEX)]
            workerTemplate: *pod
        """)
    assert [(one.role, one.container) for one in found.workloads] == [("leader", "head"), ("worker", "head")]
    one = found.workloads[0]
    assert one.replicas is not None and one.nodes is not None
    assert (one.replicas.value, one.nodes.value, values(one)["--nnodes"]) == (3, 2, 2)
    assert typed(one)["--nnodes"] == "--nnodes, $(LWS_GROUP_SIZE)"
    assert one.launch.rank == "$(LWS_WORKER_INDEX)"


@pytest.mark.parametrize(
    ("container", "role"),
    [
        ('    args: [--model, m, --kv-transfer-config, \'{"kv_role": "kv_producer"}\']\n' + VLLM, "prefill"),
        ('    args: [--model, m, --kv-transfer-config, \'{"kv_role": "kv_both"}\']\n' + VLLM, ""),
        ("    command: [python3, -m, sglang.launch_server, --disaggregation-mode, decode]\n    image: x\n", "decode"),
    ],
)
def test_roles_by_flags(container: str, role: str) -> None:
    assert only(pod(container).encode())[0].role == role


def test_roles_by_label_and_name() -> None:
    text = pod("    args: [--model, m]\n" + VLLM)
    assert only(text.replace("{name: p}", "{name: p, labels: {llm-d.ai/role: prefill}}").encode())[0].role == "prefill"
    assert only(text.replace("{name: p}", "{name: qwen-decode-0}").encode())[0].role == "decode"


@pytest.mark.parametrize(
    ("name", "role"),
    [("VllmPrefillWorker", "prefill"), ("ms-decode-0", "decode"), ("workers", "worker"), ("prefiller", "prefill"),
     ("leaderboard", ""), ("coworker", ""), ("qwen3", "")],
)  # fmt: skip
def test_names_that_tell_a_role(name: str, role: str) -> None:
    text = pod("    args: [--model, m]\n" + VLLM).replace("{name: p}", f"{{name: {name}}}")
    assert only(text.encode())[0].role == role


def test_services_with_an_address_are_told() -> None:
    found = deployment("""
        apiVersion: v1
        kind: Service
        metadata: {name: vllm, namespace: a}
        spec: {ports: [{port: 80}]}
        ---
        apiVersion: v1
        kind: Service
        metadata: {name: headless}
        spec: {clusterIP: None}
        ---
        kind: List
        apiVersion: v1
        items:
          - {apiVersion: v1, kind: Service, metadata: {name: listed}}
        """)
    assert [(one.name, one.namespace, at(found.text, one.place)) for one in found.services] == [
        ("vllm", "a", "vllm"),
        ("listed", "", "listed"),
    ]


def test_kserve() -> None:
    found = deployment("""
        apiVersion: serving.kserve.io/v1beta1
        kind: InferenceService
        metadata: {name: q}
        spec:
          predictor:
            minReplicas: 2
            model:
              modelFormat: {name: vLLM}
              storageUri: hf://org/q
              args: ["--max-model-len=4096"]
              resources: {limits: {nvidia.com/gpu: "2"}}
        ---
        apiVersion: serving.kserve.io/v1alpha1
        kind: LLMInferenceService
        metadata: {name: l}
        spec:
          model: {uri: hf://org/l}
          parallelism: {data: 16, expert: true}
          template:
            containers:
              - name: main
                env:
                  - name: VLLM_ADDITIONAL_ARGS
                    value: "--max-model-len 8192 --enforce-eager"
          worker: {containers: [{name: main, env: [{name: NCCL_DEBUG, value: INFO}]}]}
        """)
    first, second, third = found.workloads
    assert (first.launch.model, first.replicas and first.replicas.value, first.launch.complete) == ("org/q", 2, False)
    assert typed(first) == {"--max-model-len": '"--max-model-len=4096"'}
    assert (second.launch.engine, second.launch.model, third.role) == ("vllm", "org/l", "worker")
    assert typed(second) == {
        "--data-parallel-size": "data: 16",
        "--enable-expert-parallel": "expert: true",
        "--max-model-len": "--max-model-len 8192",
        "--enforce-eager": "--enforce-eager",
    }


def test_dynamo() -> None:
    one, _ = only("""
        apiVersion: nvidia.com/v1alpha1
        kind: DynamoGraphDeployment
        metadata: {name: dis}
        spec:
          services:
            Frontend: {replicas: 1, extraPodSpec: {mainContainer: {image: nvcr.io/nvidia/ai-dynamo/vllm-runtime:1.3.1}}}
            Decode:
              subComponentType: decode
              replicas: 3
              multinode: {nodeCount: 2}
              sharedMemory: {size: 8Gi}
              resources: {limits: {gpu: "2"}}
              extraPodSpec:
                mainContainer:
                  image: nvcr.io/nvidia/ai-dynamo/vllm-runtime:1.3.1
                  command: [python3, -m, dynamo.vllm]
                  args: [--model, Q/x, --tensor-parallel-size, "2", --is-decode-worker]
        """)
    assert (one.container, one.role, one.launch.engine, one.launch.complete) == ("Decode", "decode", "vllm", True)
    told = (one.replicas, one.nodes, one.resources.gpus, one.resources.shm)
    assert [each.value for each in told if each] == [3, 2, 2, 8 << 30]
    assert typed(one) == {"--model": "--model, Q/x", "--tensor-parallel-size": '--tensor-parallel-size, "2"'}
    assert [each.text for each in one.arguments][-1] == "--is-decode-worker", "Dynamo's own: an argument, no setting"
    assert [source.text for source in one.versions] == ["nvcr.io/nvidia/ai-dynamo/vllm-runtime:1.3.1"]


def test_two_components_of_one_container_name_have_names_of_their_own() -> None:
    item = "{name: NAME, podTemplate: {spec: {containers: [{name: main, command: [vllm, serve, m]}]}}, replicas: 1}"
    text = "kind: Graph\napiVersion: v1\nmetadata: {name: g}\nspec:\n  components:\n"
    found = deployment((text + "".join(f"  - {item.replace('NAME', name)}\n" for name in ("Front", "Back"))).encode())
    assert [one.identity() for one in found.workloads] == ["Graph/g:Front/main", "Graph/g:Back/main"]


def test_ray_service_is_yaml_within_yaml() -> None:
    found = deployment("""
        apiVersion: ray.io/v1
        kind: RayService
        metadata: {name: llama}
        spec:
          serveConfigV2: |
            applications:
              - name: llm
                import_path: serve:model
                deployments: [{name: V, num_replicas: 1}]
                runtime_env:
                  pip: ["vllm==0.25.1"]
                  env_vars: {TP: "2"}
              - name: two
                args:
                  llm_configs:
                    - model_loading_config: {model_source: org/q}
                      engine_kwargs:
                        tensor_parallel_size: 4
          rayClusterConfig:
            workerGroupSpecs:
            - template:
                spec:
                  containers:
                  - name: w
                    image: rayproject/ray:2.50.0
                    resources: {limits: {nvidia.com/gpu: "4"}}
        """)
    first, second = found.workloads
    assert [(source.kind, at(found.text, source.place)) for source in first.versions] == [("pip", '"vllm==0.25.1"')]
    assert variables(first, found.text) == {"TP": ("2", True, '"2"')} and not first.launch.complete
    assert first.resources.gpus is not None and first.resources.gpus.value == 4
    assert typed(second) == {"--tensor-parallel-size": "tensor_parallel_size: 4"}
    assert second.launch.model == "org/q"


def test_a_patch_within_a_kustomization_and_a_script_within_a_config_map() -> None:
    found = deployment("""
        apiVersion: kustomize.config.k8s.io/v1beta1
        kind: Kustomization
        patches:
          - patch: |-
              kind: Deployment
              metadata: {name: decode}
              spec:
                template:
                  spec:
                    containers:
                      - name: m
                        image: vllm/vllm-openai:v0.28.0
                        args:
                          - --max-model-len
                          - '4096'
        ---
        apiVersion: v1
        kind: ConfigMap
        metadata: {name: scripts}
        data:
          start.sh: |
            #!/bin/bash
            exec vllm serve org/m \\
              -tp 2
        """)
    first, second = found.workloads
    assert (first.identity(), typed(first)["--max-model-len"].split()) == (
        "Deployment/decode:m",
        ["--max-model-len", "-", "'4096'"],
    )
    assert second.identity() == "ConfigMap/scripts:start.sh" and typed(second) == {"--tensor-parallel-size": "-tp 2"}
