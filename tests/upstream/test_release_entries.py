"""Entries of releases.json that need more than a wheel's METADATA: vllm-ascend, NCCL, xLLM."""

from __future__ import annotations

import io
import json
import tarfile
import zipfile

import pytest

from advisor.errors import UpstreamError
from advisor.upstream import dockerfile, release_entries
from advisor.upstream.ascend_releases import vllm_of
from advisor.upstream.history import UPSTREAMS
from advisor.upstream.releases import chosen, requirement
from advisor.upstream.wheels import Index
from advisor.upstream.xllm_releases import builds_of
from tests.upstream.sources import Sources

DOCKERFILE = """
ARG CANN_VERSION=8.2.rc1
FROM quay.io/ascend/cann:${CANN_VERSION}-910b-ubuntu22.04-py3.11
ARG SOC_VERSION
ARG VLLM_TAG=v0.9.1
ARG VLLM_COMMIT=""
RUN git clone --branch $VLLM_TAG https://github.com/vllm-project/vllm
"""
COMMIT = "0740d1021ab3ad68d8a0b2ed2e1a1aaf7c2ae1d4"
METADATA = (
    "Requires-Dist: numba\nRequires-Dist: torch>=2.5.1\nRequires-Dist: torchvision\nRequires-Dist: torch-npu==2.5.1\n"
)


def version_file(commit: str) -> str:
    return f"__version__ = version = '0.9.1'\n__commit_id__ = commit_id = 'g{commit}'\n"


def sdist(**files: str) -> bytes:
    out = io.BytesIO()
    with tarfile.open(fileobj=out, mode="w:gz") as archive:
        for name, text in files.items():
            member = tarfile.TarInfo("pkg-1/" + name.replace("__", "/"))
            member.size = len(text.encode())
            archive.addfile(member, io.BytesIO(text.encode()))
    return out.getvalue()


def wheel(**files: str) -> bytes:
    out = io.BytesIO()
    with zipfile.ZipFile(out, "w") as archive:
        archive.writestr("pkg-1.dist-info/METADATA", METADATA)
        for name, text in files.items():
            archive.writestr(name, text)
    return out.getvalue()


def an_index(tmp_path, packages: dict[str, dict[str, bytes]]) -> Index:
    def get(url: str, span: tuple[int, int] | None) -> bytes:
        parts = url.rstrip("/").split("/")
        if span is not None:
            return packages[parts[-2]][parts[-1]][span[0] : span[1] + 1]
        listed = packages.get(parts[-1], {})
        files = [
            {"filename": name, "url": name, "size": len(body), "upload-time": f"2026-03-0{number}T00:00:00Z"}
            for number, (name, body) in enumerate(listed.items(), 1)
        ]
        return json.dumps({"files": files}).encode()

    return Index("https://index.example", tmp_path / "cache", get)


def ascend(tmp_path, wheel_commit: str, sdist_commit: str, commit: str | None = COMMIT):
    made_of = {"Dockerfile": DOCKERFILE, "vllm_ascend___version.py": version_file(sdist_commit)}
    files = {
        "vllm_ascend-0.9.1.tar.gz": sdist(**made_of),
        "vllm_ascend-0.9.1-cp311-cp311-manylinux_2_24_x86_64.whl": wheel(
            **{"vllm_ascend/_version.py": version_file(wheel_commit)}
        ),
    }
    index = an_index(tmp_path, {"vllm-ascend": files})
    return release_entries.from_index("vllm-ascend", index.release("vllm-ascend", "0.9.1"), index, commit)


def test_vllm_and_cann_are_those_of_the_releases_own_dockerfile(tmp_path):
    assert ascend(tmp_path, COMMIT[:9], COMMIT[:9]) == {
        "version": "0.9.1",
        "date": "2026-03-01",
        "commit": COMMIT,
        "built_from": COMMIT[:9],
        "pins": {"torch": ">=2.5.1", "torch-npu": "==2.5.1"},
        "nccl": None,
        "vllm": "0.9.1",
        "cann": "8.2.rc1",
    }


def test_an_sdist_of_another_commit_says_nothing_of_the_release(tmp_path):
    entry = ascend(tmp_path, COMMIT[:9], "35d600725")
    assert (entry["vllm"], entry["cann"], entry["sdist_from"]) == (None, None, "35d600725")
    assert entry["commit"] == COMMIT


def test_a_package_of_another_commit_than_the_tag_has_no_one_commit(tmp_path):
    entry = ascend(tmp_path, "35d600725", "35d600725")
    assert (entry["commit"], entry["built_from"]) == (None, "35d600725")


def test_a_release_without_an_sdist_is_an_error(tmp_path):
    index = an_index(tmp_path, {"vllm-ascend": {"vllm_ascend-1.0-py3-none-any.whl": wheel()}})
    with pytest.raises(UpstreamError, match="no sdist"):
        release_entries.from_index("vllm-ascend", index.release("vllm-ascend", "1.0"), index, None)


def test_an_sdist_that_cannot_be_unpacked_is_an_error(tmp_path):
    files = {"vllm_ascend-1.0.tar.gz": b"rubbish", "vllm_ascend-1.0-py3-none-any.whl": wheel()}
    index = an_index(tmp_path, {"vllm-ascend": files})
    with pytest.raises(UpstreamError, match="not a readable sdist"):
        release_entries.from_index("vllm-ascend", index.release("vllm-ascend", "1.0"), index, None)


def test_candidates_are_listed_where_people_run_them(tmp_path):
    names = ("1.0rc1", "1.0", "0.9")
    listed = {
        package: {f"{package.replace('-', '_')}-{name}.tar.gz": b"" for name in names}
        for package in ("vllm-ascend", "sglang")
    }
    index = an_index(tmp_path, listed)
    assert [one.version for one in release_entries.wanted("vllm-ascend", index)] == ["0.9", "1.0rc1", "1.0"]
    assert [one.version for one in release_entries.wanted("sglang", index, "1.0")] == ["1.0"]


@pytest.mark.parametrize(
    ("text", "image"),
    [
        ("FROM a:1 AS build\nFROM --platform=linux/amd64 b:2\n", "b:2"),
        ("ARG TAG=1\nFROM a:$TAG-x", "a:1-x"),
        ("ARG TAG\nFROM a:${TAG}", None),
        ("RUN true", None),
    ],
)
def test_the_base_image_is_known_when_its_variables_are(text, image):
    assert dockerfile.base_image(text) == image


def test_arguments_are_their_defaults_with_variables_put_in():
    given = dockerfile.arguments('ARG VLLM_TAG=v1.0\nARG VLLM_TAG=v2.0\nARG EMPTY=""\nARG NONE\nARG URL=x/$VLLM_TAG')
    assert given == {"VLLM_TAG": "v1.0", "EMPTY": "", "URL": "x/v1.0"}


@pytest.mark.parametrize("text", ["ARG VLLM_TAG=v1.0\nARG VLLM_COMMIT=abc123", "ARG VLLM_TAG=main", "FROM a:1"])
def test_what_names_no_release_of_vllm_gives_none(text):
    assert vllm_of(text) is None


def test_nccl_is_what_is_tagged_and_what_is_packed(tmp_path):
    folder = tmp_path / "nccl"
    folder.mkdir()
    tags = {
        "v2.5.6-1": {"commit": "a" * 40, "date": "2019-11-19"},
        "v2.5.6-2": {"commit": "b" * 40, "date": "2019-12-07"},
        "v2.26.2-1": {"commit": "c" * 40, "date": "2025-03-12"},
        "nccl4py-v0.3.1": {"commit": "d" * 40, "date": "2026-06-11"},
    }
    (folder / "tags.json").write_text(json.dumps({"tags": tags}))
    packed = {
        "nvidia_nccl_cu12-0.0.1.dev5.tar.gz": b"",
        "nvidia_nccl_cu12-2.26.2-py3-none-manylinux2014_aarch64.manylinux_2_17_aarch64.whl": b"",
        "nvidia_nccl_cu12-2.26.2-py3-none-manylinux2014_x86_64.manylinux_2_17_x86_64.whl": b"",
        "nvidia_nccl_cu12-2.26.2.post1-py3-none-manylinux2014_x86_64.whl": b"",
        "nvidia_nccl_cu12-2.30.3-py3-none-manylinux_2_18_x86_64.whl": b"",
    }
    found = {
        one["version"]: one for one in release_entries.of_nccl(folder, an_index(tmp_path, {"nvidia-nccl-cu12": packed}))
    }
    assert list(found) == ["2.5.6", "2.26.2", "2.30.3"]
    assert (found["2.5.6"]["commit"], found["2.5.6"]["tags"]) == ("a" * 40, ["v2.5.6-1", "v2.5.6-2"])
    assert found["2.26.2"]["wheels"]["nvidia-nccl-cu12"] == [
        {"version": "2.26.2", "date": "2026-03-02", "architectures": ["aarch64", "x86_64"]},
        {"version": "2.26.2.post1", "date": "2026-03-04", "architectures": ["x86_64"]},
    ]
    assert (found["2.30.3"]["commit"], found["2.30.3"]["date"], found["2.30.3"]["tags"]) == (None, "2026-03-05", [])


def test_nccl_without_tags_is_an_error(tmp_path):
    with pytest.raises(UpstreamError, match="no tags"):
        release_entries.of_nccl(tmp_path, an_index(tmp_path, {}))


XLLM = {
    "docker/Dockerfile.cuda": (
        "ARG CUDA_VERSION=12.8.0\nARG TORCH_VERSION=2.7.1\nARG TORCH_INDEX_URL=https://download.pytorch.org/whl/cu128\n"
    ),
    "cibuild/build_mlu.sh": 'IMAGE="cambricon-xllm:v26.04.0-torch2.10.0-torchmlu1.32.2-ubuntu24.04"\n',
    "cibuild/build_npu.sh": 'IMAGE="quay.io/jd_xllm/xllm-ai:xllm-dev-a2-x86-cann9-20260605"\n',
    "RELEASE.md": (
        "# Release xllm 0.10.0\n- Support CANN 9.0.0 toolkit and torch_npu 2.9.0.\n- Support Torch 2.10.0 + CUDA 13.0 builds.\n"
        "# Release xllm 0.9.0\n- Adapt NPU builds to CANN 8.5 and PyTorch 2.7.1.\n"
    ),
}


def test_xllm_is_built_with_what_the_files_of_the_tag_say_of_each_device():
    found = builds_of(Sources(XLLM), "0.10.0")
    assert found["cuda"] == {
        "torch": "2.7.1+cu128",
        "cuda": "12.8.0",
        "also": {"torch": "2.10.0", "cuda": "13.0"},
        "from": ["docker/Dockerfile.cuda", "RELEASE.md"],
    }
    assert found["mlu"] == {"torch": "2.10.0", "torch-mlu": "1.32.2", "from": ["cibuild/build_mlu.sh"]}
    assert found["npu"] == {
        "cann": "9.0.0", "torch-npu": "2.9.0", "from": ["RELEASE.md", "cibuild/build_npu.sh"],
    }  # fmt: skip


def test_the_notes_of_another_version_do_not_count():
    found = builds_of(Sources(XLLM), "0.10.1")
    assert found["npu"] == {"cann": "9", "from": ["cibuild/build_npu.sh"]}
    assert "also" not in found["cuda"]
    assert builds_of(Sources(XLLM), "0.9.0")["npu"]["torch"] == "2.7.1"


def test_the_wheel_the_build_installs_is_closer_than_the_notes():
    wheel_file = 'REQUIRED_VERSION = "2.9.0.post2+gita5f47a6"\n'
    found = builds_of(Sources({**XLLM, "scripts/deps/torch_npu_install.py": wheel_file}), "0.10.0")
    assert found["npu"]["torch-npu"] == "2.9.0.post2+gita5f47a6"


def test_a_tag_that_says_nothing_has_no_builds():
    assert builds_of(Sources({"cibuild/build_mlu.sh": 'IMAGE="cambricon:v1"\n'}), "0.6.0") == {}


def test_a_requirement_without_a_version_does_not_swallow_the_next_line():
    text = (
        "Requires-Dist: setuptools-scm\nRequires-Dist: torch==2.5.1\nRequires-Dist: torch_npu\nRequires-Dist: wheel\n"
    )
    assert requirement(text, "torch") == "==2.5.1"
    assert requirement(text, "torch-npu") is None


def test_of_two_builds_of_one_wheel_the_higher_is_read():
    names = [f"torch-2.10.0{build}-cp310-cp310-manylinux_2_28_x86_64.whl" for build in ("", "-1", "-3", "-10")]
    assert chosen(names) == names[3]
    assert chosen(names[:1]) == names[0]


@pytest.mark.parametrize(
    ("tag", "version"), [("v0.9.1rc3", "0.9.1rc3"), ("v0.7.3.post1", "0.7.3.post1"), ("main", None)]
)
def test_tags_of_vllm_ascend_are_read_with_their_candidates(tag, version):
    assert UPSTREAMS["vllm-ascend"].version(tag) == version
