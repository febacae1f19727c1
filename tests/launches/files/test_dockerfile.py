"""Dockerfiles: stages, arguments, exec and shell forms, packages and patches over the base image."""

from __future__ import annotations

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

BASE = "FROM vllm/vllm-openai:v0.28.0\n"


def test_entrypoint_and_command_in_exec_form_are_one_command_line() -> None:
    found = started(
        "Dockerfile",
        BASE + 'ENTRYPOINT ["vllm", "serve"]\nCMD ["m/x", "--tensor-parallel-size", "8", \\\n     "--port", "$PORT"]\n',
    )
    assert words(found) == ["vllm", "serve", "m/x", "--tensor-parallel-size", "8", "--port", "$PORT"]
    assert arguments(found)["8"] == '"8"' and {one.place.form for one in found.arguments} == {"exec form"}
    assert spans(found)["--tensor-parallel-size"] == '"--tensor-parallel-size", "8"'
    assert notes(found) == ["$PORT is not expanded in exec form: the program gets it as typed"]
    assert found.launch.complete and found.launch.image == "vllm/vllm-openai:v0.28.0"


def test_arguments_fill_in_the_base_image_and_the_place_is_what_is_typed() -> None:
    found = started(
        "Dockerfile", 'ARG TAG=v0.27.0\nARG REPO=vllm/vllm-openai\nFROM ${REPO}:${TAG}\nCMD ["--model", "m/x"]\n'
    )
    assert versions(found) == [("image", "vllm/vllm-openai:v0.27.0", "${REPO}:${TAG}")]
    assert settings(found)["--model"] == "m/x"
    unknown = started("Dockerfile", 'ARG TAG\nFROM vllm/vllm-openai:${TAG}\nCMD ["--model", "m/x"]\n')
    assert versions(unknown)[0][1] == "vllm/vllm-openai:${TAG}" and any(
        "build argument" in one for one in notes(unknown)
    )


def test_a_package_over_the_base_image_keeps_both_sources_and_says_so() -> None:
    found = started(
        "Dockerfile",
        "FROM vllm/vllm-openai:v0.5.5\nARG SHA=4f2b1c9e7d\n"
        "RUN --mount=type=cache,target=/root/.cache \\\n    # the fix\n    pip install git+https://github.com/vllm-project/vllm.git@${SHA}\n"
        'RUN <<EOF\nuv pip install --system \'vllm==0.28.1\'\nEOF\nENTRYPOINT ["vllm", "serve", "m/x"]\n',
    )
    assert versions(found) == [
        ("git", "4f2b1c9e7d", "git+https://github.com/vllm-project/vllm.git@${SHA}"),
        ("pip", "vllm==0.28.1", "'vllm==0.28.1'"),
        ("image", "vllm/vllm-openai:v0.5.5", "vllm/vllm-openai:v0.5.5"),
    ]
    assert notes(found) == [
        "4f2b1c9e7d is installed over the image: its tag is not the version that runs",
        "vllm==0.28.1 is installed over the image: its tag is not the version that runs",
    ]


@pytest.mark.parametrize(
    "line",
    [
        "RUN sed -i 's/a/b/' /usr/local/lib/python3.12/dist-packages/vllm/worker.py",
        "COPY fix.py /usr/local/lib/python3.12/site-packages/vllm/worker.py",
        "RUN git clone https://github.com/vllm-project/vllm && cd vllm && git apply /fix.patch",
    ],
)
def test_a_patched_package_is_a_fork(line: str) -> None:
    found = started("Dockerfile", BASE + line + '\nCMD ["--model", "m"]\n')
    assert [one for one in notes(found) if one.startswith("patched")]


def test_the_last_stage_counts_and_goes_on_from_the_one_it_names() -> None:
    found = started(
        "Dockerfile",
        "FROM ubuntu AS build\nRUN pip install vllm==0.26.0\nENV A=1\nCMD vllm serve m/old --port 1\n"
        'FROM python:3.12 AS serve\nENV B=2\nCOPY --from=build /venv /venv\nENTRYPOINT ["/venv/bin/vllm", "serve", "m/x"]\n',
    )
    assert found.launch.model == "m/x" and found.name == "serve" and list(variables(found)) == ["B"]
    assert versions(found) == [("pip", "vllm==0.26.0", "vllm==0.26.0")]
    onward = started(
        "Dockerfile", BASE.replace("\n", " AS base\n") + 'ENV A=1\nFROM base\nENV B=2\nCMD ["--model", "m"]\n'
    )
    assert list(variables(onward)) == ["A", "B"] and versions(onward)[0][1] == "vllm/vllm-openai:v0.28.0"


def test_a_stage_that_is_not_the_last_is_said_to_be_a_target() -> None:
    found = started(
        "Dockerfile",
        'FROM ubuntu AS serve\nENTRYPOINT ["vllm", "serve", "m/x"]\nFROM serve AS nonroot\nENTRYPOINT ["/start.sh"]\n',
    )
    assert found.launch.model == "m/x"
    assert notes(found) == ["started by the stage `serve`, which is not the last: it is built with `--target serve`"]


def test_shell_form_uses_the_variables_of_the_image_and_skips_comments() -> None:
    found = started(
        "Dockerfile",
        BASE
        + "ENV MODEL=m/x TP=4\nENTRYPOINT exec python3 -m vllm.entrypoints.openai.api_server \\\n  --model $MODEL \\\n"
        '  # how wide\n  --tensor-parallel-size ${TP:-2} --port ${PORT:-8000}\nCMD ["ignored"]\n',
    )
    assert settings(found) == {"--model": "m/x", "--tensor-parallel-size": 4, "--port": 8000}
    assert spans(found)["--port"] == "--port ${PORT:-8000}" and found.launch.complete
    assert {one.place.form for one in found.arguments} == {"shell word"}


def test_a_shell_in_exec_form_is_read_in_its_place() -> None:
    found = started(
        "Dockerfile.sgl",
        'FROM lmsysorg/sglang:v0.5.16-cu130\nCMD ["bash", "-c", "exec python3 -m sglang.launch_server --model-path \\"m/x\\" --tp ${TP:-8}"]\n',
    )
    assert spans(found) == {"--model-path": '--model-path \\"m/x\\"', "--tp-size": "--tp ${TP:-8}"}


def test_variables_in_every_spelling() -> None:
    found = started(
        "Dockerfile", BASE + 'ENV NCCL_DEBUG=INFO \\\n    A="1 2"\nENV HF_HOME /data\nCMD ["--model", "m"]\n'
    )
    assert variables(found) == {
        "NCCL_DEBUG": ("INFO", "NCCL_DEBUG=INFO", "INFO"),
        "A": ("1 2", 'A="1 2"', '"1 2"'),
        "HF_HOME": ("/data", "ENV HF_HOME /data", "/data"),
    }


def test_a_health_check_says_how_long_it_waits() -> None:
    found = started(
        "Dockerfile",
        BASE
        + 'HEALTHCHECK --interval=10s --start-period=5m --retries=5 CMD curl -f http://localhost:8000/health || exit 1\nCMD ["--model", "m"]\n',
    )
    assert [(one.kind, one.allows_s, one.path) for one in found.probes] == [
        ("readiness", 350, "/health")
    ]  # docker restarts nothing for it
    assert typed(found, found.probes[0].place).startswith("HEALTHCHECK --interval")


def test_an_image_without_a_command_of_its_own_is_not_whole() -> None:
    found = started("Dockerfile", BASE + "ENV VLLM_USE_V1=0\n")
    assert not found.launch.complete and variables(found)["VLLM_USE_V1"][0] == "0"
    entry = started("Dockerfile", 'FROM python:3.12\nRUN pip install vllm==0.28.0\nENTRYPOINT ["vllm", "serve"]\n')
    assert words(entry) == ["vllm", "serve"] and not entry.launch.complete and versions(entry)[0][1] == "vllm==0.28.0"
    only = deployed("Dockerfile", "FROM python:3.12\nRUN pip install vllm==0.28.0\n")
    assert not only.workloads and [one.text for one in only.unread] == ["the last stage installs vllm and starts none"]


def test_the_escape_directive_and_windows_line_ends() -> None:
    found = started(
        "Dockerfile", "# escape=`\r\n" + BASE.replace("\n", "\r\n") + "CMD vllm serve m/x `\r\n  --port 1\r\n"
    )
    assert words(found) == ["vllm", "serve", "m/x", "--port", "1"] and spans(found)["--port"] == "--port 1"


@pytest.mark.parametrize("text", ["FROM nginx\nCMD nginx\n", '# vllm\nFROM alpine\nCMD ["sh"]\n', "vllm\n"])
def test_quiet(text: str) -> None:
    assert deployed("Dockerfile", text).recognised == ""
