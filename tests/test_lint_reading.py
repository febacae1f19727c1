"""`advisor lint` through the front door: whatever a file is written as, it is read for what it starts, no more, no less."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from tests.front_door import advisor, checked

POD = """\
apiVersion: v1
kind: Pod
metadata: {{name: p}}
spec:
  containers:
  - name: v
    image: {image}
    {run}
    resources: {{limits: {{nvidia.com/gpu: 1}}}}
"""
VLLM = "vllm/vllm-openai:v0.28.0"
BOTH = {("setting-unknown", "error"), ("setting-replaced", "error")}
UV = '# /// script\n# dependencies = ["vllm==0.28.0"]\n# ///\n'


def found(folder: Path, name: str, text: str) -> set[tuple[str, str]]:
    """The findings of one file that nothing suppresses: id and level."""
    (folder / name).write_text(text)
    ran = advisor("lint", name, "--format", "json", "--if-any", cwd=folder)
    assert ran.code in (0, 1), ran.err
    return {(one["id"], one["level"]) for one in ran.report["findings"] if not one["suppressed"]}


def launches(folder: Path, name: str, text: str) -> list[str]:
    """The launches read of one file, by name."""
    (folder / name).write_text(text)
    ran = advisor("lint", name, "--format", "json", "--if-any", cwd=folder)
    assert ran.code in (0, 1), ran.err
    return [each for one in ran.report["files"] for each in one["workloads"]]


# what is no engine


@pytest.mark.parametrize(
    ("image", "run"),
    [
        ("ghcr.io/llm-d/llm-d-routing-sidecar:v0.2.0", "args: [--port=8000, --vllm-port=8001, --vllm-host=h]"),
        ("lmcache/lmstack-router:latest", "args: [--service-discovery, k8s, --routing-logic, roundrobin, --port, '8']"),
        ("x/vllm-exporter:v0.1.0", "args: [--port, '9000', --model, m]"),
        ("ghcr.io/llm-d/llm-d-inference-scheduler:v0.3", "args: [--pool-name, x, --model, m, --port, '8']"),
        ("x/vllm-operator:1", "args: [--model, m, --port, '8']"),
        ("x/vllm-gateway:1", "command: [bash, /start.sh, --model, m]"),
        ("lmsysorg/sglang:v0.5.9", "args: [python3, -m, sglang_router.launch_router, --port, '8', --host, h]"),
        ("openmmlab/lmdeploy:v0.10.0", "args: [lmdeploy, serve, proxy, --server-port, '8000']"),
        (VLLM, "args: [vllm, bench, serve, --model, m]"),
    ],
)
def test_what_stands_around_an_engine_is_no_engine(tmp_path: Path, image: str, run: str) -> None:
    assert launches(tmp_path, "pod.yaml", POD.format(image=image, run=run)) == []


def test_a_router_in_a_script_is_no_engine(tmp_path: Path) -> None:
    script = (
        "#!/bin/bash\n"
        "docker run lmsysorg/sglang:v0.5.9 python3 -m sglang_router.launch_router --port 8000 --host 0.0.0.0\n"
        "docker run ghcr.io/llm-d/llm-d-routing-sidecar:v0.2.0 --port=8000 --vllm-port=8001 --vllm-host=h\n"
        "vllm-exporter --vllm-port 3 --vllm-host h\n"
    )
    assert launches(tmp_path, "run.sh", script) == []


def test_an_image_named_after_a_gateway_serves_where_its_command_does(tmp_path: Path) -> None:
    text = POD.format(image="x/vllm-gateway:1", run="command: [vllm, serve, m, --port=8001]")
    assert launches(tmp_path, "pod.yaml", text) == ["Pod/p:v"]


def test_the_engines_own_port_wins_over_one_that_is_handed_on(tmp_path: Path) -> None:
    run = (
        "command: [vllm, serve, m, --port=8000, --vllm-port=8001]\n"
        "    livenessProbe: {initialDelaySeconds: 900, httpGet: {path: /health, port: 8000}}"
    )
    assert not {one for one, _ in found(tmp_path, "pod.yaml", POD.format(image=VLLM, run=run))} & {"probe-port"}


# lists, and strange items in them


@pytest.mark.parametrize(
    ("name", "text"),
    [
        ("Dockerfile", f'FROM {VLLM}\nCMD ["--model","m","--dtype auto","--no-such-flag","--disable-log-requests"]\n'),
        (
            "Dockerfile",
            f'FROM {VLLM}\nENTRYPOINT ["vllm","serve"]\nCMD ["m","--dtype auto","--no-such-flag","--disable-log-requests"]\n',
        ),
        (
            "start.py",
            f'{UV}import subprocess\nsubprocess.run(["vllm", "serve", "m", "--dtype auto", "--no-such-flag", '
            '"--disable-log-requests"])\n',
        ),
        (
            "compose.yaml",
            f'services:\n  a:\n    image: {VLLM}\n    command: ["--model", m, "--dtype auto", --no-such-flag, '
            "--disable-log-requests]\n",
        ),
    ],
)
def test_an_item_of_any_list_is_one_argument(tmp_path: Path, name: str, text: str) -> None:
    assert found(tmp_path, name, text) >= {*BOTH, ("argument-glued", "error")}


def test_items_that_are_joined_for_a_shell_are_its_words(tmp_path: Path) -> None:
    text = (
        f'{UV}import json, subprocess\ncmd = ["vllm", "serve", "m"]\n'
        'cmd += ["--dtype auto", "--limit-mm-per-prompt", f"\'{json.dumps({\'image\': 0})}\'", "--no-such-flag 1"]\n'
        'subprocess.Popen(" ".join(cmd), shell=True)\n'
    )
    assert found(tmp_path, "start.py", text) == {("setting-unknown", "error")}


STRANGE = [
    "au\\nto",
    "\\n",
    "\\t",
    "au\\0to",
    "\\0",
    "\\u202eau",
    "a b\\nc",
    "au\x01to",
    "au\x7fto",
    "au\0to",
    "au\u202eto",
]


@pytest.mark.parametrize("value", STRANGE)
@pytest.mark.parametrize("item", ['"--dtype", "{}"', '"--dtype={}"', '"--dt{}ype=auto"'])
def test_one_strange_value_costs_no_more_than_itself(tmp_path: Path, value: str, item: str) -> None:
    run = f'args: ["--model", "m", {item.format(value)}, "--no-such-flag", "--disable-log-requests"]'
    assert found(tmp_path, "pod.yaml", POD.format(image=VLLM, run=run)) >= BOTH


def test_a_character_that_yaml_refuses_is_spoken_of(tmp_path: Path) -> None:
    (tmp_path / "pod.yaml").write_text(POD.format(image=VLLM, run='args: ["--model", "m\x01"]'))
    assert "U+0001 has no place in YAML" in advisor("lint", "pod.yaml", cwd=tmp_path).out.replace("\n   ", " ")


# what is typed counts, whatever else may be


def test_values_of_a_chart_are_given_to_the_engine(tmp_path: Path) -> None:
    text = (
        "servingEngineSpec:\n  modelSpec:\n  - name: llama\n    repository: vllm/vllm-openai\n    tag: v0.28.0\n"
        "    modelURL: m\n    requestGPU: 1\n    vllmConfig:\n      dtype: float17\n"
        '      extraArgs: ["--disable-log-requests"]\n'
    )
    assert found(tmp_path, "values.yaml", text) == {("setting-value", "error"), ("setting-replaced", "error")}


def test_a_value_that_is_missing_or_no_number_is_an_error_where_it_stands(tmp_path: Path) -> None:
    args = """["--model", "m", "--max-num-seqs", "--pipeline-parallel-size", "x", "-sc", '{"method": "dsparc"}']"""
    (tmp_path / "pod.yaml").write_text(POD.format(image=VLLM, run=f"args: {args}"))
    ran = advisor("lint", "pod.yaml", "--format", "json", cwd=tmp_path)
    found = [one for one in ran.report["findings"] if one["id"] == "setting-value"]
    assert ran.code == 1
    assert [one["level"] for one in found] == ["error"] * 3
    columns = [(one["region"]["column"], one["region"]["end_column"]) for one in found]
    line = (tmp_path / "pod.yaml").read_text().splitlines()[7]
    shown = [line[start - 1 : end - 1] for start, end in columns]
    assert shown == ['"--max-num-seqs"', '"--pipeline-parallel-size", "x"', """"-sc", '{"method": "dsparc"}'"""]


def test_arguments_of_ray_serve_are_given_to_the_engine(tmp_path: Path) -> None:
    text = (
        "apiVersion: ray.io/v1\nkind: RayService\nmetadata: {name: r}\nspec:\n  serveConfigV2: |\n    applications:\n"
        "    - name: llm\n      import_path: ray.serve.llm:build_openai_app\n"
        '      runtime_env: {pip: ["vllm==0.28.0"]}\n      args:\n        llm_configs:\n'
        "        - model_loading_config: {model_id: m}\n          engine_kwargs: {dtype: float17, no_such: 3}\n"
    )
    assert found(tmp_path, "ray.yaml", text) == {("setting-value", "error"), ("setting-unknown", "error")}


TEMPLATE = POD.replace("{{", "{").replace("}}", "}").replace("{name: p}", "{name: {{ .Release.Name }}}")


def template(image: str, more: str) -> str:
    """A chart's template whose flag is literal."""
    run = f'args: ["--model", "m", "--disable-log-requests"]\n    {more}'
    return TEMPLATE.replace("{image}", image).replace("{run}", run)


def test_what_is_literal_in_a_template_is_given_to_the_engine(tmp_path: Path) -> None:
    text = template(VLLM, "{{- if .Values.probes }}\n    livenessProbe: {exec: {command: [x]}}\n    {{- end }}")
    assert ("setting-replaced", "error") in found(tmp_path, "deployment.yaml", text)


def test_a_template_that_chooses_may_choose_another_image(tmp_path: Path) -> None:
    other = "vllm/vllm-openai:v0.9.0\n    {{- else }}\n    image: " + VLLM + "\n    {{- end }}"
    text = template(other, "").replace("    image:", "    {{- if .Values.old }}\n    image:", 1)
    assert ("setting-replaced", "error") not in found(tmp_path, "deployment.yaml", text)


# keywords of Python


def test_a_keyword_is_judged_as_the_flag_of_its_name(tmp_path: Path) -> None:
    text = f'{UV}from vllm import LLM\nllm = LLM("m", dtype="float17", tensor_parallel_sise=3)\n'
    assert found(tmp_path, "run.py", text) == {("setting-value", "error"), ("setting-unknown", "error")}


def test_what_only_python_can_give_is_no_mistake(tmp_path: Path) -> None:
    text = (
        f"{UV}import torch\nfrom vllm import LLM\nllm = LLM(\n"
        '    model="m", dtype=torch.float16, trust_remote_code=True, hf_overrides={"a": 1}, compilation_config=3,\n'
        '    tokenizer="t", seed=0, distributed_executor_backend="mine.Executor", worker_cls=int, hf_token="x",\n'
        '    limit_mm_per_prompt={"image": 1}, quantization=None, enforce_eager=True, disable_log_stats=False,\n)\n'
    )
    assert found(tmp_path, "run.py", text) == set()


def test_keywords_of_another_class_are_its_own(tmp_path: Path) -> None:
    text = f'{UV}from vllm import LLM\nfrom mine import Pipeline\nPipeline(LLM("m"), no_such=3)\n'
    assert found(tmp_path, "run.py", text) == set()


def test_keywords_of_a_package_built_on_the_engine_are_its_own(tmp_path: Path) -> None:
    text = f'{UV}from vllm_omni import LLM\nllm = LLM("m", dtype="float17", no_such=3)\n'
    assert found(tmp_path, "run.py", text) == set()


# kustomize


KUSTOMIZATION = """\
apiVersion: kustomize.config.k8s.io/v1beta1
kind: Kustomization
resources: [base.yaml]
images:
- {name: vllm/vllm-openai, newTag: v0.28.0}
patches:
- target: {kind: Deployment, name: d}
  patch: |-
    - op: add
      path: /spec/template/spec/containers/0/args/-
      value: --disable-log-requests
    - {op: replace, path: /spec/replicas, value: 3}
"""


def test_an_argument_that_a_patch_adds_is_judged(tmp_path: Path) -> None:
    assert found(tmp_path, "kustomization.yaml", KUSTOMIZATION) == {("setting-replaced", "error")}


def test_a_patch_whose_engine_is_not_told_is_said_to_be_left_out(tmp_path: Path) -> None:
    (tmp_path / "kustomization.yaml").write_text(
        KUSTOMIZATION.replace("name: vllm/vllm-openai, newTag", "name: mine/server, newTag").replace(
            "--disable-log-requests", "--vllm-x"
        )
    )
    ran = advisor("lint", ".", "--if-any", cwd=tmp_path)
    assert "it is not applied here" in ran.out.replace("\n   ", " ")


def test_a_kustomization_beside_pods_sets_their_image(tmp_path: Path) -> None:
    pod = POD.format(image="vllm/vllm-openai", run="args: [--model, m, --no-such-flag]")
    for name, text in (
        ("kustomization.yaml", KUSTOMIZATION.partition("patches")[0]),
        ("base.yaml", pod),
        ("other.yaml", pod),
    ):
        (tmp_path / name).write_text(text)
    report = json.loads(advisor("lint", ".", "--format", "json", cwd=tmp_path).out)
    said = {(one["region"]["file"], one["id"], one["level"]) for one in report["findings"]}
    assert {one[1:] for one in said if one[0] == "base.yaml"} == {("setting-unknown", "error")}
    assert ("other.yaml", "version-unpinned", "note") in said


# scripts


def test_kubectl_run_starts_a_pod_of_its_image(tmp_path: Path) -> None:
    script = (
        "#!/bin/bash\n"
        f"kubectl run chat --image={VLLM} --env=A=1 --port=8000 -- --model m --disable-log-requests\n"
        f"kubectl run more --image {VLLM} --command -- vllm serve m --no-such-flag\n"
    )
    assert found(tmp_path, "run.sh", script) == BOTH


@pytest.mark.parametrize(
    "how", ["kubectl apply -f - <<EOF", "cat <<'EOF' | kubectl apply -f -", "cat > pod.yaml <<EOF"]
)
def test_a_manifest_in_a_here_document_is_a_manifest(tmp_path: Path, how: str) -> None:
    pod = POD.format(image=VLLM, run="args: [--model, m, --disable-log-requests]")
    script = f"#!/bin/bash\nset -e\n{how}\n{pod}EOF\n"
    assert found(tmp_path, "run.sh", script) == {("setting-replaced", "error")}


def test_a_loop_that_counts_leaves_its_rank_open_however_it_is_judged(tmp_path: Path) -> None:
    script = "for ((i=0; i<2; i++)); do vllm serve m --nnodes 2 --node-rank $i & done\n"
    settings = checked("--engine", "vllm", "--flags", script).report["settings"]
    assert {one["flag"]: one["value"] for one in settings}["--node-rank"] == "$i"
    assert found(tmp_path, "run.sh", f"#!/bin/bash\npip install vllm==0.28.0\n{script}") == set()


# comments


@pytest.mark.parametrize(
    ("name", "text"),
    [
        ("Makefile", "serve:\n\tpip install vllm==0.28.0\n\t# {}\n\tvllm serve m \\\n\t  --no-such-flag\n"),
        (
            "justfile",
            "p:\n    pip install vllm==0.28.0\n    # {}\n    vllm serve m \\\n      --no-such-flag {{{{p}}}}\n",
        ),
        ("Procfile", "# {}\nweb: pip install vllm==0.28.0; vllm serve m --no-such-flag\n"),
    ],
)
def test_a_comment_speaks_of_the_command_below_it(tmp_path: Path, name: str, text: str) -> None:
    assert found(tmp_path, name, text.format("advisor: ignore[setting-unknown] ours")) == set()


def test_a_comment_at_the_end_of_a_case_speaks_of_no_other_case(tmp_path: Path) -> None:
    text = (
        "#!/bin/bash\npip install vllm==0.28.0\ncase $1 in\na)\n  vllm serve m/a\n"
        "  # advisor: ignore[setting-unknown] about a\n  ;;\nb)\n  vllm serve m/b --no-such-flag\n  ;;\nesac\n"
    )
    assert found(tmp_path, "run.sh", text) >= {("setting-unknown", "error")}


# names


def test_leader_and_worker_are_told_apart(tmp_path: Path) -> None:
    part = (
        '      spec:\n        containers:\n        - {{name: v, image: "' + VLLM + '", '
        "command: [vllm, serve, m, --nnodes=2, --tensor-parallel-size=16, {}]}}\n"
    )
    text = (
        "apiVersion: leaderworkerset.x-k8s.io/v1\nkind: LeaderWorkerSet\nmetadata: {name: l}\nspec:\n"
        "  leaderWorkerTemplate:\n    size: 2\n    leaderTemplate:\n" + part.format("--node-rank=0")
    ) + ("    workerTemplate:\n" + part.format("--node-rank=1"))
    assert launches(tmp_path, "lws.yaml", text) == ["LeaderWorkerSet/l/leader:v", "LeaderWorkerSet/l/worker:v"]
