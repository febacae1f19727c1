"""Makefiles, justfiles, Procfiles, and lists of packages."""

from __future__ import annotations

from tests.launches.files.texts import arguments, deployed, settings, spans, started, variables, words


def test_a_makefile_uses_its_variables_and_exports_some() -> None:
    serve, run = deployed(
        "Makefile",
        "TP ?= 8\nexport NCCL_DEBUG := INFO\n\nserve: deps\n\t@vllm serve m/x \\\n\t  --tensor-parallel-size $(TP) --port $(PORT)\n\n"
        "run:\n\t-docker run --shm-size=1g vllm/vllm-openai:v0.28.0 --model m\n\tpytest -k vllm\n",
    ).workloads
    assert (serve.format, serve.identity(), run.identity()) == ("makefile", "Target/serve", "Target/run")
    assert settings(serve) == {"--tensor-parallel-size": 8, "--port": "${PORT}"}
    assert spans(serve)["--tensor-parallel-size"] == "--tensor-parallel-size $(TP)" and words(serve)[0] == "vllm"
    assert variables(serve)["NCCL_DEBUG"] == ("INFO", "export NCCL_DEBUG := INFO", "INFO") and variables(run) == {}


def test_a_justfile_keeps_what_it_is_given_and_fills_in_what_it_sets() -> None:
    found = started(
        "justfile",
        'tp := "4"\nserve port="8000":\n    vllm serve m/x --port {{port}} --tensor-parallel-size {{ tp }}\n',
    )
    assert settings(found)["--tensor-parallel-size"] == 4 and arguments(found)["4"] == "{{ tp }}"
    assert spans(found)["--port"] == "--port {{port}}" and not found.arguments[4].known


def test_a_procfile() -> None:
    found = started("Procfile", "web: vllm serve m/x --port $PORT\nworker: celery\n")
    assert found.identity() == "Process/web" and settings(found) == {"--port": "$PORT"}


def test_a_list_of_packages_starts_nothing_and_says_what_it_pins() -> None:
    found = deployed(
        "requirements-gpu.txt",
        'torch\nvllm==0.28.0 ; python_version > "3.9"\nsglang[all]>=0.5\n-e git+https://github.com/InternLM/lmdeploy@abc1234#egg=x\n',
    )
    assert found.recognised == "requirements" and not found.workloads
    assert [(one.text, one.span and one.span.line) for one in found.unread] == [
        ("`vllm==0.28.0` is asked for here", 2),
        ("`sglang[all]>=0.5` is asked for here: this is no single build", 3),
        ("`abc1234` is asked for here", 4),
    ]
    project = deployed(
        "pyproject.toml", '[project]\ndependencies = ["vllm==0.28.0"]\n[tool.poetry.dependencies]\nsglang = "^0.5.1"\n'
    )
    assert [one.text[:16] for one in project.unread] == ["`vllm==0.28.0` i", "`sglang>=0.5.1` "]


def test_quiet() -> None:
    assert deployed("Makefile", "test:\n\tpytest tests/vllm\n").recognised == ""
    assert deployed("requirements.txt", "torch\nvllm-bench-tools==1\n").recognised == ""
