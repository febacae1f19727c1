"""What check makes of the files that `advisor collect` writes: evidence, a hint, or nothing."""

from __future__ import annotations

import json

import pytest

from advisor.evidence import health, host
from advisor.evidence.recognition import kind_of
from advisor.intake import take
from advisor.model.fact import Artifact

MANIFEST = {
    "format": "advisor-capture/1",
    "steps": [
        {"step": "stacks", "status": "failed", "said": ["py-spy is not here: install it"]},
        {"step": "stacks again", "status": "failed", "said": ["py-spy is not here: install it"]},
        {"step": "devices", "status": "taken", "said": []},
    ],
}
KERNEL = b"# advisor-capture: /proc/7\nState: D (disk sleep)\nthread 7 D nvidia_ioctl python3\noom_kill 0, it hangs\n"
HOST = "# advisor-host\nLinux 6.8.0-71-generic aarch64\nglibc 2.39\n/dev/shm: 61 of 64 MiB used, 12 names\n"
NO_ANSWER = "advisor: no answer from http://127.0.0.1:30000/health: timed out after 25 s\n"


def test_a_manifest_says_what_was_not_taken_and_is_no_evidence() -> None:
    taken = take("incident.tar.gz!manifest.json", json.dumps(MANIFEST, indent=1).encode())
    assert not taken.artifacts
    assert [(note.kind, note.text) for note in taken.notes] == [("hint", "stacks: py-spy is not here: install it")]


@pytest.mark.parametrize("steps", ["[]", "[1]", '[{"step": 1}]', "{"])
def test_a_manifest_of_any_other_shape_raises_nothing(steps: str) -> None:
    taken = take("manifest.json", b'{"format": "advisor-capture/1", "steps": ' + steps.encode() + b"}")
    assert not taken.artifacts and all(note.kind == "unreadable" for note in taken.notes)


def test_what_is_for_people_is_left_alone() -> None:
    assert take("rank0-pid7.kernel.txt", KERNEL) == ([], [])
    assert take("processes.json", b'{\n "format": "advisor-capture-processes/1", "processes": []}') == ([], [])


def test_a_text_that_only_quotes_such_a_line_is_read() -> None:
    assert take("notes.txt", b"I ran it and saw:\n" + KERNEL).artifacts


def test_the_hosts_file_tells_the_architecture_and_nothing_else() -> None:
    artifact = Artifact("machine.txt", kind_of(HOST), HOST)
    assert artifact.kind == "machine" and host.mine(HOST)
    assert [(one.name, one.value, one.span and one.span.line) for one in host.read(artifact).facts] == [
        ("hardware.arch", "aarch64", 2)
    ]
    assert not host.read(Artifact("machine.txt", "machine", HOST.replace("aarch64", "riscv64"))).facts


def test_no_answer_of_a_health_endpoint_is_status_0_in_our_own_words() -> None:
    artifact = Artifact("port30000.health.txt", kind_of(NO_ANSWER), NO_ANSWER)
    assert artifact.kind == "health"
    facts = {one.name: one.value for one in health.read(artifact).facts}
    assert facts == {"health.status": 0, "health.message": NO_ANSWER.strip()}
