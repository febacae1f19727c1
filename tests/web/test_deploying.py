"""What is shipped to run the service with: the limits as documented, the image, the manifest."""

import os
import re
import shutil
import signal
import subprocess
import sys
import time
from pathlib import Path
from typing import Any

import pytest
import typer
import yaml

from advisor.faces.cli import application
from advisor.faces.web.connections import PACE
from advisor.faces.web.settings import Settings
from tests.front_door import advisor
from tests.web.served import ROOT

MANIFEST = ROOT / "docs" / "serve" / "kubernetes.yaml"


def serve_command():
    whole: Any = typer.main.get_command(application())
    return whole.commands["serve"]


def size(count):
    unit = next(name for name, power in (("GiB", 30), ("MiB", 20), ("KiB", 10)) if count >= 1 << power)
    return f"{count >> {'GiB': 30, 'MiB': 20, 'KiB': 10}[unit]} {unit}"


def test_the_limits_are_those_in_force():
    page = (ROOT / "docs" / "serve.md").read_text()
    limits = page[page.index("## Limits") : page.index("## Watch it")]
    rows = dict(re.findall(r"(?m)^\| ([\w' ]+) \| (\d[^|]+) \|", limits))
    mine = Settings()
    assert rows == {
        "one request": size(mine.body_bytes),
        "one file": size(mine.file_bytes),
        "files of a request": str(mine.files),
        "fields of a request": str(mine.fields),
        "one field": size(mine.field_bytes),
        "all uploads together": size(mine.disk_bytes),
        "a body's arrival": f"{mine.body_s:g} s, pauses of {mine.pause_s:g} s",
        "a request's head": f"{size(mine.head_bytes)}, {mine.head_s:g} s",
        "one judgement": f"{mine.job_s:g} s",
        "memory of a process": size(mine.worker_bytes),
        "waiting for a process": f"{mine.waiting} requests",
        "connections": str(mine.connections),
        "connections of a client": str(mine.client_connections),
        "requests of a client at once": str(mine.client_requests),
        "requests of a client a second": f"{mine.client_rate:g}",
        "taking an answer": f"{mine.take_s:g} s, {size(PACE)} a second",
    }
    defaults = {one.name: one.default for one in serve_command().params}
    assert (defaults["max_mib"] << 20, defaults["max_seconds"], defaults["max_waiting"]) == (
        mine.body_bytes, mine.job_s, mine.waiting,
    )  # fmt: skip
    names = ("max_connections", "client_rate", "client_requests", "worker_mib")
    assert tuple(defaults[one] for one in names) == (
        mine.connections, mine.client_rate, mine.client_requests, mine.worker_bytes >> 20,
    )  # fmt: skip


@pytest.fixture(scope="module")
def manifest():
    return {one["kind"]: one for one in yaml.safe_load_all(MANIFEST.read_text())}


def test_lint_finds_nothing_in_the_manifest(tmp_path):
    ran = advisor("lint", "--if-any", str(MANIFEST), "--format", "json")
    assert ran.code == 0 and ran.report["findings"] == []
    assert advisor("lint", str(MANIFEST)).code == 2, "alone it is nothing recognised, as docs/serve.md says"


def test_the_manifest_starts_what_the_image_has(manifest):
    (container,) = manifest["Deployment"]["spec"]["template"]["spec"]["containers"]
    entry = re.findall(r'"([^"]+)"', re.findall(r"(?m)^ENTRYPOINT (.*)", (ROOT / "Containerfile").read_text())[0])
    taken = serve_command().make_context("serve", [*entry[2:], *container["args"]]).params
    assert (entry[:2], taken["host"], taken["workers"]) == (["advisor", "serve"], "0.0.0.0", 2)
    pod = manifest["Deployment"]["spec"]["template"]["spec"]
    assert pod["terminationGracePeriodSeconds"] > taken["drain_seconds"]
    assert container["securityContext"]["readOnlyRootFilesystem"] and pod["securityContext"]["runAsNonRoot"]
    assert {one["httpGet"]["path"] for name, one in container.items() if name.endswith("Probe")} == {"/healthz"}
    assert [one["containerPort"] for one in container["ports"]] == [taken["port"]]


def test_the_image_asks_how_its_service_is(server):
    """Its health check, against a service on another port; and against none."""
    (code,) = re.findall(r'HEALTHCHECK .*"-c", "(.*)"\]', (ROOT / "Containerfile").read_text())
    for port, wanted in ((server.port, 0), (1, 1)):
        done = subprocess.run([sys.executable, "-c", code.replace("8000", str(port))], check=False, capture_output=True)
        assert done.returncode == wanted, done.stderr


def test_a_signal_to_make_reaches_the_service(tmp_path: Path) -> None:
    """An init or a script signals make alone; the service was left running, without anybody who knew of it."""
    shutil.copy(ROOT / "Makefile", tmp_path)
    (tmp_path / ".venv" / "bin").mkdir(parents=True)
    (tmp_path / ".venv" / "bin" / "advisor").write_text(
        "#!/bin/sh\ntrap 'echo ended; exit 0' TERM\necho $$ >pid\nn=0\n"
        "while [ $n -lt 100 ]; do n=$((n + 1)); sleep 0.05; done\n"
    )
    (tmp_path / ".venv" / "bin" / "advisor").chmod(0o755)
    made = subprocess.Popen(
        ["make", "-o", ".venv/.serve", "serve"],
        cwd=tmp_path,
        env=os.environ | {"ADVISOR_TOKEN": "t" * 16},
        stdout=subprocess.PIPE,
        stderr=subprocess.DEVNULL,
        text=True,
    )
    for _ in range(1000):
        if (tmp_path / "pid").exists():
            break
        time.sleep(0.02)
    made.send_signal(signal.SIGTERM)
    said, _ = made.communicate(timeout=20)
    assert "ended" in said, "what make started did not get the signal"
