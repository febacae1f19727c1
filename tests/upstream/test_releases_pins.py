"""What a wheel's METADATA asks of torch, and what torch's asks of NCCL."""

from __future__ import annotations

import io
import json
import zipfile

import pytest

from advisor.upstream.releases import nccl_of, requirement, tagged_commits
from advisor.upstream.wheels import Index

CU12 = 'Requires-Dist: nvidia-nccl-cu12==2.27.5; platform_system == "Linux" and platform_machine == "x86_64"'
CU13 = 'Requires-Dist: nvidia-nccl-cu13==2.29.7; platform_system == "Linux"'


@pytest.mark.parametrize(
    ("metadata", "specifier"),
    [
        ("Requires-Dist: torch==2.6.0\nRequires-Dist: torchaudio==2.5.0", "==2.6.0"),
        (
            "Requires-Dist: torch <=2.6.0,>=2.0.0\nRequires-Dist: torch <=2.6.0,>=2.0.0 ; extra == 'all'",
            "<=2.6.0,>=2.0.0",
        ),
        ("Requires-Dist: torch (==2.5.1) ; extra == 'srt'", "==2.5.1"),
        ('Requires-Dist: torch; extra == "srt-hip"\nRequires-Dist: torch==2.5.1; extra == "srt"', "==2.5.1"),
        ('Requires-Dist: torch==2.8.0\nRequires-Dist: torch==2.9.0; extra == "cu130"', "==2.8.0"),
        ('Requires-Dist: torch; extra == "srt"', None),
        ("Requires-Dist: torchvision==0.25", None),
        ('Requires-Dist: torch==2.7.0; extra == "docs"', None),
    ],
)
def test_the_requirement_of_a_serving_install(metadata, specifier):
    assert requirement(metadata, "torch") == specifier


def torch_index(tmp_path, x86_64: str, aarch64: str | None):
    def wheel(text: str) -> bytes:
        out = io.BytesIO()
        with zipfile.ZipFile(out, "w") as archive:
            archive.writestr("torch-2.9.1.dist-info/METADATA", text)
        return out.getvalue()

    files = {"torch-2.9.1-cp310-cp310-manylinux_2_28_x86_64.whl": wheel(x86_64)}
    if aarch64 is not None:
        files["torch-2.9.1-cp310-cp310-manylinux_2_28_aarch64.whl"] = wheel(aarch64)

    def get(url: str, span: tuple[int, int] | None) -> bytes:
        if span is None:
            return json.dumps({"files": [{"filename": n, "url": n, "size": len(b)} for n, b in files.items()]}).encode()
        return files[url.rpartition("/")[2]][span[0] : span[1] + 1]

    return Index("https://index.example", tmp_path, get)


def test_nccl_is_what_the_torch_wheel_of_each_architecture_requires(tmp_path):
    assert nccl_of("==2.9.1", torch_index(tmp_path, CU13, CU13)) == {"x86_64": "2.29.7", "aarch64": "2.29.7"}


def test_a_requirement_for_the_other_architecture_does_not_count(tmp_path):
    assert nccl_of("==2.9.1", torch_index(tmp_path, CU12, CU12)) == {"x86_64": "2.27.5", "aarch64": None}


def test_a_missing_wheel_is_null_not_guessed(tmp_path):
    assert nccl_of("==2.9.1", torch_index(tmp_path, CU13, None)) == {"x86_64": "2.29.7", "aarch64": None}


@pytest.mark.parametrize("torch", [None, "<=2.9.1,>=2.0", "==3.0.0"])
def test_no_single_readable_torch_says_nothing(tmp_path, torch):
    assert nccl_of(torch, torch_index(tmp_path, CU13, CU13)) is None


def test_commits_come_from_tags_when_they_are_at_hand(tmp_path):
    assert tagged_commits(tmp_path) == {}
    (tmp_path / "tags.json").write_text(json.dumps({"tags": {"v1.0": {"commit": "a" * 40}, "0.9": {"commit": None}}}))
    assert tagged_commits(tmp_path) == {"1.0": "a" * 40}
