"""The kubectl form of `advisor collect`: the script is POSIX, and run against a kubectl that runs here it collects."""

from __future__ import annotations

import os
import shutil
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path

import pytest

from tests.front_door import advisor, checked
from tests.standing_in import DUMPS, Deployment, deployed, recorder, tool
from tests.test_collect import PY_SPY

pytestmark = [
    pytest.mark.skipif(not sys.platform.startswith("linux"), reason="the pod that is played is this machine"),
    pytest.mark.xdist_group("collect"),  # each sees the processes of all
]

# exec runs here; what the API server would answer is played; every call is written down
KUBECTL = r"""echo "$*" | tr '\n' ' ' >> {calls}; echo >> {calls}
verb=$1; shift
case $verb in
    exec) while [ "$1" != -- ]; do shift; done; shift; exec "$@" ;;
    logs) case "$*" in *--previous*) echo 'no previous container' >&2; exit 1 ;; *) cat {log} ;; esac ;;
    get) [ "$1" = events ] && exit 0
         printf 'kind: Pod\nspec:\n  containers:\n  - image: lmsysorg/sglang:v0.5.16\n    env:\n'
         printf '    - name: HF_TOKEN\n      value: very-secret-value\n'
         printf '    args:\n    - --api-key\n    - very-secret-key\n    - --tp\n    - "2"\n' ;;
    describe) printf 'Name: llm-0\n      HF_TOKEN:  very-secret-value\n      NCCL_DEBUG:  INFO\n' ;;
esac
"""


@pytest.fixture(scope="module")
def running(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Deployment]:
    folder = tmp_path_factory.mktemp("pod")
    with deployed(folder, environment=recorder(folder)) as one:
        yield one


@pytest.fixture(scope="module")
def folder(running: Deployment, tmp_path_factory: pytest.TempPathFactory) -> Path:
    """What the script made of the pod."""
    place = tmp_path_factory.mktemp("script")
    made = advisor("collect", "--kubectl", "llm-0", "-n", "prod", "-c", "server", "--engine", "sglang", "--wait", "0")
    (place / "collect.sh").write_text(made.out.replace("sleep 5", "sleep 1"))
    tool(place / "bin", "kubectl", KUBECTL.format(calls=place / "calls", log=running.folder / "rank0.log"))
    tool(place / "bin", "py-spy", PY_SPY)
    tool(place / "bin", "nvidia-smi", f"[ $# -eq 0 ] && cat {DUMPS}/nvidia-smi.txt")
    ran = subprocess.run(
        ["sh", str(place / "collect.sh"), str(place / "taken")],
        env={**os.environ, "PATH": f"{place}/bin:{os.environ['PATH']}"},
        capture_output=True, check=False, timeout=120,
    )  # fmt: skip
    assert ran.returncode == 0, ran.stderr.decode()
    (place / "said").write_bytes(ran.stdout + ran.stderr)
    return place


@pytest.mark.parametrize("shell", ["sh", "dash", "bash"])
@pytest.mark.parametrize("more", [[], ["--no-trigger"], ["-n", "prod", "-c", "server", "--engine", "vllm"]])
def test_every_shell_takes_it(shell: str, more: list[str]) -> None:
    if not shutil.which(shell):
        pytest.skip(f"no {shell} here")
    made = advisor("collect", "--kubectl", "llm-0", *more)
    assert made.code == 0
    ran = subprocess.run([shell, "-n"], input=made.out.encode(), check=False, capture_output=True)
    assert ran.returncode == 0 and not ran.stderr


def test_check_makes_of_the_folder_what_it_makes_of_an_archive(folder: Path) -> None:
    report = checked(str(folder / "taken")).report
    assert (report["build"]["engine"], report["build"]["version"]) == ("sglang", "0.5.16")
    assert [one["says"] for one in report["situation"] if "rank 1 never joined" in one["says"]]
    assert [sorted(one["ranks"]) for one in report["situation"] if one["kind"] == "stuck"] == [["0", "1"]]
    facts = {Path(one["name"]).name: one["facts"] for one in report["coverage"]["inputs"]}
    assert facts["machine.txt"] == 1  # its architecture
    assert ("--tp-size", 2) in {(one["flag"], one["value"]) for one in report["settings"]}


def test_the_files_of_a_process_bear_its_rank(folder: Path, running: Deployment) -> None:
    names = {path.name for path in (folder / "taken").iterdir()}
    for rank, one in enumerate(running.ranks):
        assert {f"rank{rank}-pid{one.pid}.{ending}" for ending in ("stack.1.txt", "stack.2.txt", "recorder")} <= names
    assert {f"port{running.port}.metrics.1.txt", f"port{running.port}.metrics.2.txt", "serve.log"} <= names
    assert "HTTP/1.1 200" in (folder / "taken" / f"port{running.port}.health.txt").read_text().replace("1.0", "1.1")


def test_it_says_what_there_was_not_and_leaves_no_empty_file(folder: Path) -> None:
    assert "serve.previous.log: no previous container" in (folder / "said").read_text()
    assert all(path.stat().st_size for path in (folder / "taken").iterdir())


def test_no_secret_is_in_the_folder(folder: Path) -> None:
    text = "".join(path.read_text(errors="replace") for path in (folder / "taken").iterdir())
    assert "very-secret" not in text and "hf_aaa" not in text and "very secret" not in text and "k3y" not in text
    pod = (folder / "taken" / "pod.yaml").read_text() + (folder / "taken" / "pod.describe.txt").read_text()
    assert pod.count("[redacted]") == 3 and '- "2"' in pod and "NCCL_DEBUG:  INFO" in pod


def test_it_only_reads(folder: Path) -> None:
    calls = (folder / "calls").read_text().splitlines()
    assert {call.split()[0] for call in calls} == {"exec", "get", "describe", "logs"}
    assert all("-n prod llm-0 -c server" in call for call in calls if call.startswith(("exec", "logs")))


def test_a_file_that_is_called_like_a_pipe_is_not_written_to(folder: Path, running: Deployment) -> None:
    assert [one.read_text() for one in running.folder.glob("fr_no*.pipe")] == ["a file and no pipe\n"] * 2
    assert len(list((folder / "taken").glob("*.recorder"))) == 2
