"""The package index read without a network: a page, a wheel behind byte ranges, an sdist."""

from __future__ import annotations

import io
import json
import tarfile
import time
import zipfile
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import pytest

from advisor.errors import UpstreamError
from advisor.upstream.wheels import BLOCK_BYTES, Index, is_final, release_order, releases_of, version_of


class Served:
    """An index of one package held in memory; remembers what was asked of it."""

    def __init__(self, **files: bytes) -> None:
        self.files = {name.replace("__", "-").replace("_dot_", "."): body for name, body in files.items()}
        self.asked: list[tuple[str, tuple[int, int] | None]] = []

    def __call__(self, url: str, span: tuple[int, int] | None = None) -> bytes:
        self.asked.append((url, span))
        if url.endswith("/pkg/"):
            listed = [
                {"filename": name, "url": f"../files/{name}", "size": len(body), "upload-time": "2026-01-02T03:04:05Z"}
                for name, body in self.files.items()
            ]
            return json.dumps({"files": listed}).encode()
        body = self.files[url.rpartition("/")[2]]
        return body[span[0] : span[1] + 1] if span else body


def a_wheel(**files: str) -> bytes:
    out = io.BytesIO()
    with zipfile.ZipFile(out, "w") as archive:
        archive.writestr("pkg/blob.so", bytes(range(256)) * 8000)  # 2 MB that no reader wants
        for name, text in files.items():
            archive.writestr(f"pkg/{name}.py", text)
    return out.getvalue()


def index(tmp_path, served):
    return Index("https://index.example/simple", tmp_path, served)


def test_one_file_of_a_wheel_costs_little_of_it(tmp_path):
    body = a_wheel(a="A = 1", b="B = 2")
    served = Served(**{"pkg-1.0-py3-none-any.whl": body})
    assert index(tmp_path, served).read("pkg", "1.0", "pkg/b.py") == b"B = 2"
    spans = [span for _, span in served.asked if span]
    assert 0 < sum(last - first + 1 for first, last in spans) <= 2 * BLOCK_BYTES < len(body)


def test_a_second_run_asks_only_for_the_page(tmp_path):
    served = Served(**{"pkg-1.0-py3-none-any.whl": a_wheel(a="A = 1")})
    index(tmp_path, served).read("pkg", "1.0", "pkg/a.py")
    served.asked.clear()
    again = index(tmp_path, served)
    assert again.read("pkg", "1.0", "pkg/a.py") == b"A = 1"
    assert "pkg/blob.so" in again.names("pkg", "1.0")
    assert served.asked == [("https://index.example/simple/pkg/", None)]


def test_threads_may_read_the_same_file_at_once(tmp_path, monkeypatch):
    write = Path.write_bytes

    def slowly(path: Path, body: bytes) -> int:
        written = write(path, body)
        time.sleep(0.02)
        return written

    monkeypatch.setattr(Path, "write_bytes", slowly)
    base = index(tmp_path, Served(**{"pkg-1.0-py3-none-any.whl": a_wheel(a="A = 1")}))
    base.released("pkg")
    with ThreadPoolExecutor(8) as pool:
        read = list(pool.map(lambda each: each.read("pkg", "1.0", "pkg/a.py"), [base.apart() for _ in range(8)]))
    assert read == [b"A = 1"] * 8


def test_a_missing_file_and_a_missing_release_are_said(tmp_path):
    served = index(tmp_path, Served(**{"pkg-1.0-py3-none-any.whl": a_wheel(a="")}))
    with pytest.raises(UpstreamError, match=r"holds no pkg/z\.py"):
        served.read("pkg", "1.0", "pkg/z.py")
    with pytest.raises(UpstreamError, match="not on the package index"):
        served.read("pkg", "2.0", "pkg/a.py")


def test_an_sdist_serves_when_there_is_no_wheel(tmp_path):
    out = io.BytesIO()
    with tarfile.open(fileobj=out, mode="w:gz") as archive:
        member = tarfile.TarInfo("pkg-1.0/pkg/a.py")
        member.size = 5
        archive.addfile(member, io.BytesIO(b"A = 1"))
    served = index(tmp_path, Served(**{"pkg-1.0.tar.gz": out.getvalue()}))
    assert served.names("pkg", "1.0") == ["pkg/a.py"]
    assert served.read("pkg", "1.0", "pkg/a.py") == b"A = 1"


def test_the_x86_linux_wheel_is_read_unless_another_is_named(tmp_path):
    served = Served(
        **{
            "pkg-1.0-cp39-manylinux_2_28_aarch64.whl": a_wheel(a="arm"),
            "pkg-1.0-cp39-manylinux_2_28_x86_64.whl": a_wheel(a="x86"),
            "pkg-1.0-cp39-win_amd64.whl": a_wheel(a="win"),
        }
    )
    assert index(tmp_path, served).read("pkg", "1.0", "pkg/a.py") == b"x86"
    assert index(tmp_path, served).read("pkg", "1.0", "pkg/a.py", "aarch64") == b"arm"


def test_a_page_gives_releases_oldest_first_without_yanked_files():
    names = ["pkg-0.10.0-py3-none-any.whl", "pkg-0.9.0.post1.tar.gz", "pkg-0.9.0-py3-none-any.whl", "pkg-0.9.0.tar.gz"]
    page: dict[str, object] = {
        "files": [
            {"filename": name, "url": name, "upload-time": f"2026-01-0{day}T00:00:00Z"}
            for day, name in enumerate(names, 1)
        ]
        + [{"filename": "pkg-0.8.0.tar.gz", "url": "x", "yanked": "broken"}]
    }
    read = releases_of("pkg", "https://index.example/simple/pkg/", page)
    assert [(release.version, release.date) for release in read] == [
        ("0.9.0", "2026-01-03"),
        ("0.9.0.post1", "2026-01-02"),
        ("0.10.0", "2026-01-01"),
    ]
    assert read[0].files[0].url == "https://index.example/simple/pkg/pkg-0.9.0-py3-none-any.whl"


def test_versions_sort_as_pip_sorts_them():
    expected = ["0.9.0a2", "0.9.0rc1", "0.9.0", "0.9.0.post1", "0.9.0.1", "0.9.1", "0.10.0", "main"]
    assert sorted(reversed(expected), key=release_order) == expected


@pytest.mark.parametrize(
    ("version", "final"), [("0.5.6.post2", True), ("1.0", True), ("0.5.3rc2", False), ("1.0.dev1", False)]
)
def test_post_releases_are_final_and_pre_releases_are_not(version, final):
    assert is_final(version) is final


@pytest.mark.parametrize(
    ("package", "filename", "version"),
    [
        ("vllm", "vllm-0.9.2-cp38-abi3-manylinux1_x86_64.whl", "0.9.2"),
        ("nvidia-nccl-cu12", "nvidia_nccl_cu12-2.27.5-py3-none-manylinux2014_x86_64.whl", "2.27.5"),
        ("vllm", "vllm-0.9.2.tar.gz", "0.9.2"),
        ("vllm", "vllm_ascend-0.9.2-py3-none-any.whl", ""),
    ],
)
def test_a_file_name_gives_its_version(package, filename, version):
    assert version_of(package, filename) == version
