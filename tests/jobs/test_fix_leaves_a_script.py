"""What `advisor fix --write` leaves of a script is one: no bare `;`, no `export` that prints every variable, no null."""

from __future__ import annotations

import shutil
import subprocess
from pathlib import Path

import pytest

from tests.front_door import advisor

SERVE = "vllm serve m --max-model-len 4096"
SCRIPTS = {  # a variable that is read by nothing, in each place where shell has one; and what stays of it
    f"export VLLM_USE_V1=0\n{SERVE}": SERVE,
    f"export VLLM_USE_V1=0; {SERVE}": SERVE,
    f"export VLLM_USE_V1=0 && {SERVE}": SERVE,
    f"VLLM_USE_V1=0; export VLLM_USE_V1; {SERVE}": f"export VLLM_USE_V1; {SERVE}",
    f"declare -x VLLM_USE_V1=0\n{SERVE}": SERVE,
    f"export \\\n  VLLM_USE_V1=0\n{SERVE}": SERVE,
    f"(export VLLM_USE_V1=0; {SERVE})": f"({SERVE})",
    f'bash -c "export VLLM_USE_V1=0; {SERVE}"': f'bash -c "{SERVE}"',
    f"test -f x || {{ export VLLM_USE_V1=0; }}\n{SERVE}": f"test -f x || {{ :; }}\n{SERVE}",
    f"export VLLM_USE_V1=0 || true; {SERVE}": f": || true; {SERVE}",
    f"export VLLM_USE_V1=0 &\n{SERVE}": f": &\n{SERVE}",
    f"export VLLM_USE_V1=0 NCCL_DEBUG=INFO\n{SERVE}": f"export NCCL_DEBUG=INFO\n{SERVE}",
    f"env VLLM_USE_V1=0 {SERVE}": f"env {SERVE}",
    f"NCCL_DEBUG=INFO \\\n  VLLM_USE_V1=0 {SERVE}": f"NCCL_DEBUG=INFO \\\n  {SERVE}",
    'docker run -e "VLLM_USE_V1=0" \\\n  --rm vllm/vllm-openai:v0.28.0 --model m': "docker run --rm vllm/vllm-openai:v0.28.0 --model m",
}
COMPOSE = """services:
  a:
    image: vllm/vllm-openai:v0.28.0
    environment:{entry}
    command: --model m --max-model-len 4096
"""
FILES = {
    "map.yaml": (COMPOSE.format(entry='\n      VLLM_USE_V1: "0"  # off'), COMPOSE.format(entry=" {}")),
    "list.yaml": (COMPOSE.format(entry="\n    - VLLM_USE_V1=0"), COMPOSE.format(entry=" []")),
    "anchor.yaml": (COMPOSE.format(entry=" &env\n      VLLM_USE_V1: 0"), COMPOSE.format(entry=" &env {}")),
    "more.yaml": (
        COMPOSE.format(entry="\n    - VLLM_USE_V1=0\n    # more\n    - A=1"),
        COMPOSE.format(entry="\n    # more\n    - A=1"),
    ),
    "Dockerfile": (
        f"FROM vllm/vllm-openai:v0.28.0\nENTRYPOINT export VLLM_USE_V1=0 && {SERVE}\n",
        f"FROM vllm/vllm-openai:v0.28.0\nENTRYPOINT {SERVE}\n",
    ),
    "a.service": (
        "[Service]\nExecStart=/usr/bin/docker run --rm vllm/vllm-openai:v0.28.0 --model m \\\n# why\n;\n"
        "  --num-scheduler-steps 8 \\\n  --max-model-len 4096\n",
        "[Service]\nExecStart=/usr/bin/docker run --rm vllm/vllm-openai:v0.28.0 --model m \\\n# why\n;\n"
        "  --max-model-len 4096\n",
    ),
    "marked.sh": (
        "\ufeffdocker run vllm/vllm-openai:v0.28.0 --model m --num-scheduler-steps 8\n",
        "\ufeffdocker run vllm/vllm-openai:v0.28.0 --model m\n",
    ),
}


@pytest.fixture(scope="module")
def fixed(tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("fixed")
    for number, script in enumerate(SCRIPTS):
        (folder / f"{number}.sh").write_text(f"pip install vllm==0.28.0\n{script}\n")
    for name, (text, _) in FILES.items():
        (folder / name).write_text(text)
    assert advisor("fix", "--unsafe", "--write", ".", cwd=folder).code == 0
    return folder


@pytest.mark.parametrize("number", range(len(SCRIPTS)))
def test_a_script_stays_one(fixed: Path, number: int) -> None:
    left = (fixed / f"{number}.sh").read_text().removeprefix("pip install vllm==0.28.0\n").rstrip("\n")
    assert left.replace("docker run \\\n  --rm", "docker run --rm") == list(SCRIPTS.values())[number]
    if bash := shutil.which("bash"):
        subprocess.run([bash, "-n", str(fixed / f"{number}.sh")], check=True, capture_output=True)


@pytest.mark.parametrize("name", FILES)
def test_a_file_keeps_what_it_needs(fixed: Path, name: str) -> None:
    assert (fixed / name).read_text() == FILES[name][1]
