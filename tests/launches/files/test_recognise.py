"""Which files are read at all; broken and hostile ones cost a line each and never raise."""

from __future__ import annotations

import time

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from advisor.launches.files import templates
from advisor.launches.files.recognise import MAX_BYTES
from tests.launches.files.situations import deployment, only, typed, values

POD = "kind: Pod\napiVersion: v1\nspec: {containers: [{image: 'vllm/vllm-openai:v0.28.0', args: [--model, m, --seed, 1]}]}\n"


@pytest.mark.parametrize("encoding", ["utf-8", "utf-8-sig", "utf-16", "utf-16-be"])
def test_encodings(encoding: str) -> None:
    content = ("# é\n" + POD).encode(encoding) if encoding != "utf-16-be" else ("\ufeff# é\n" + POD).encode(encoding)
    one, text = only(content)
    assert typed(one)["--seed"] == "--seed, 1"
    again = {"utf-8-sig": "utf-8", "utf-16": "utf-16-le"}.get(encoding, encoding)
    assert text.encode(again) == content, "the text encodes back to the file"


def test_what_is_no_utf8_is_read_and_said() -> None:
    found = deployment(("# caf\xe9\n" + POD).encode("latin-1"))
    assert [note.text for note in found.unread] == ["byte 5 is no UTF-8: read as Latin-1"] and len(found.workloads) == 1


@pytest.mark.parametrize(
    ("name", "content"),
    [("x.yaml", b"\x00\x01vllm"), ("x.yaml", b""), ("x.yaml", b"a: 1"), ("x.txt", b"vllm is fast"), ("x.yaml", b"# vllm"),
     ("x.md", POD.replace("apiVersion", "x").encode())],
)  # fmt: skip
def test_what_is_none_of_ours(name: str, content: bytes) -> None:
    found = deployment(content, name)
    assert (found.recognised, found.workloads, found.services, found.unread) == ("", (), (), ())


def test_a_manifest_is_known_by_its_content_too() -> None:
    assert len(deployment(POD.encode(), "manifest").workloads) == 1


def test_a_large_file_is_refused_at_once() -> None:
    content = b"vllm: &a [1]\n" * 4_000_000
    start = time.perf_counter()
    found = deployment(content)
    assert time.perf_counter() - start < 0.5
    assert [note.kind for note in found.unread] == ["limit"] and str(MAX_BYTES) in found.unread[0].text


def test_one_note_for_each_broken_document_and_the_others_are_read() -> None:
    text = f"{POD}---\nvllm:\n\tx: 1\n---\n{POD}---\n<<<<<<< HEAD\nvllm: 1\n=======\nvllm: 2\n>>>>>>> x\n---\n{POD}"
    found = deployment(text.encode())
    assert len(found.workloads) == 3
    assert [(note.kind, note.span.line if note.span else 0) for note in found.unread] == [
        ("unreadable", 6),
        ("conflict", 12),
    ]
    assert [one.container for one in found.workloads] == ["", "#2", "#3"]


def test_keys_given_twice_and_tags_are_said() -> None:
    text = POD.replace("args: [", "args: [--seed, 2], args: !mine [")
    found = deployment(text.encode())
    assert [note.text for note in found.unread] == [
        "`args` is given twice here: the last one counts",
        "the tag `!mine` is not acted upon",
    ]
    assert values(found.workloads[0])["--seed"] == 1


def test_laughing_containers_end_and_are_said() -> None:
    lines = ["vllm: &a0 {containers: [{image: 'vllm/vllm-openai:v0.28.0', args: [--model, m]}]}"]
    lines += [f"a{i}: &a{i} [{', '.join([f'*a{i - 1}'] * 10)}]" for i in range(1, 8)]
    start = time.perf_counter()
    found = deployment("\n".join(lines).encode())
    assert time.perf_counter() - start < 20
    assert [note.kind for note in found.unread] == ["limit"] and len(found.workloads) < 2_000


HELM = """
    apiVersion: apps/v1
    kind: Deployment
    metadata:
      name: {{ .Release.Name }}-vllm
    spec:
      replicas: {{ .Values.replicas }}
      template:
        spec:
          containers:
            - name: vllm
              image: "vllm/vllm-openai:{{ .Values.tag }}"
              command: ["vllm", "serve", "m/x"]
              args:
                - --tensor-parallel-size
                - {{ .Values.tp | quote }}
                {{- if .Values.eager }}
                - --enforce-eager
                {{- end }}
                - --max-model-len={{ .Values.len }}
                {{- toYaml .Values.more | nindent 12 }}
                - --port=8000
    """


def test_a_template_is_read_as_far_as_it_goes() -> None:
    one, text = only(HELM)
    found = deployment(HELM)
    assert [(note.kind, note.span.line if note.span else 0) for note in found.unread] == [("limit", 4)]
    assert not one.launch.complete and one.replicas is None
    assert (one.name, one.launch.image) == ("{{ .Release.Name }}-vllm", "vllm/vllm-openai:{{ .Values.tag }}")
    assert [text[each.place.start : each.place.end] for each in one.versions] == [
        '"vllm/vllm-openai:{{ .Values.tag }}"'
    ]
    assert typed(one)["--max-model-len"] == "--max-model-len={{ .Values.len }}"
    assert typed(one)["--port"] == "--port=8000"
    assert "$" in str(values(one)["--tensor-parallel-size"]), "no judge takes it for a value"
    assert [(each.text, each.known) for each in one.arguments[3:5]] == [
        ("--tensor-parallel-size", True),
        ("{{ .Values.tp | quote }}", False),
    ]


def test_a_value_from_a_template_does_not_make_the_rest_unknown() -> None:
    text = POD.replace("--seed, 1", "--seed, '{{ .Values.seed }}', --port, 8000").encode()
    one, _ = only(text)
    assert one.launch.complete and values(one)["--port"] == 8000


@given(st.text(alphabet="{}%-if end.\n\r :x", max_size=60))
@settings(max_examples=200, deadline=None)
def test_masking_keeps_every_character_in_its_place(text: str) -> None:
    masked = templates.mask(text)
    assert len(masked.text) == len(text)
    assert [i for i, one in enumerate(text) if one in "\r\n"] == [
        i for i, one in enumerate(masked.text) if one in "\r\n"
    ]


ODD = st.recursive(
    st.sampled_from(["vllm", "serve", "1", "null", "8Gi", "sleep 3", "--tp 8", "{{ x }}", "$(A)", "true", "-c", "sh"]),
    lambda inner: st.lists(inner, max_size=3)
    | st.dictionaries(
        st.sampled_from(
            ["containers", "args", "command", "image", "env", "name", "value", "resources", "limits", "nvidia.com/gpu",
             "livenessProbe", "httpGet", "volumes", "volumeMounts", "emptyDir", "metadata", "labels", "annotations", "spec",
             "services", "environment", "deploy", "servingEngineSpec", "modelSpec", "vllmConfig", "run", "envs",
             "actor_rollout_ref", "rollout", "kind", "apiVersion", "serveConfigV2", "applications", "<<", "patch", "data"]
        ),
        inner, max_size=5,
    ),
    max_leaves=30,
)  # fmt: skip


@given(ODD, st.sampled_from(["Pod", "RayService", "ConfigMap", "Service", "LLMInferenceService"]))
@settings(max_examples=300, deadline=None)
def test_odd_shapes_never_stop_the_reader(value: object, kind: str) -> None:
    import json

    text = json.dumps(value)
    for whole in (text, f"kind: {kind}\napiVersion: v1\nspec: {text}\n# vllm", f"services: {text}\n# vllm"):
        found = deployment(whole.encode())
        assert not any("could not be read" in note.text for note in found.unread), found.unread
        for one in found.workloads:
            for setting in one.launch.settings:
                assert -1 <= setting.start <= setting.end <= len(whole)
            for argument in one.arguments:
                assert 0 <= argument.place.start <= argument.place.end <= len(whole)
