"""The whole way: an index or a clone in, two knowledge files out."""

from __future__ import annotations

import io
import json
import subprocess
import zipfile
from textwrap import dedent

import pytest

from advisor.errors import UpstreamError
from advisor.jobs.refresh import main, refresh
from advisor.upstream.wheels import Index
from tests.upstream.test_settings_lmdeploy import FILES


def a_wheel(version: str, metadata: str, **files: str) -> bytes:
    out = io.BytesIO()
    with zipfile.ZipFile(out, "w") as archive:
        archive.writestr(f"pkg-{version}.dist-info/METADATA", metadata)
        for name, text in files.items():
            archive.writestr(name.replace("__", "/") + ".py", dedent(text))
    return out.getvalue()


def an_index(tmp_path, packages: dict[str, dict[str, bytes]]) -> Index:
    def get(url: str, span: tuple[int, int] | None) -> bytes:
        parts = url.rstrip("/").split("/")
        if span is None:
            if parts[-1] not in packages:
                raise UpstreamError("the package index answered 404", url)
            day = "2026-03-0{}T00:00:00Z"
            files = [
                {"filename": name, "url": name, "size": len(body), "upload-time": day.format(number)}
                for number, (name, body) in enumerate(packages[parts[-1]].items(), 1)
            ]
            return json.dumps({"files": files}).encode()
        return packages[parts[-2]][parts[-1]][span[0] : span[1] + 1]

    return Index("https://index.example", tmp_path / "cache", get)


def lmdeploy(tmp_path) -> Index:
    changed = {
        **FILES,
        "lmdeploy__cli__utils": FILES["lmdeploy__cli__utils"].replace("default='turbomind'", "default='pytorch'"),
    }
    torch = 'Requires-Dist: nvidia-nccl-cu13==2.29.7; platform_system == "Linux"'
    return an_index(
        tmp_path,
        {
            "lmdeploy": {
                "lmdeploy-0.6.0-py3-none-any.whl": b"too old to be opened",
                "lmdeploy-0.7.0-py3-none-any.whl": a_wheel("0.7.0", "Requires-Dist: torch<=2.6.0", **FILES),
                "lmdeploy-0.8.0rc1-py3-none-any.whl": b"a candidate, not opened",
                "lmdeploy-0.8.0-py3-none-any.whl": a_wheel("0.8.0", "Requires-Dist: torch==2.13.0", **changed),
                "lmdeploy-0.9.0-py3-none-any.whl": a_wheel("0.9.0", "Requires-Dist: torch==2.13.0"),
            },
            "torch": {"torch-2.13.0-cp310-cp310-manylinux_2_28_x86_64.whl": a_wheel("2.13.0", torch)},
        },
    )


def test_released_wheels_become_knowledge(tmp_path):
    summary = refresh("lmdeploy", knowledge=tmp_path, index=lmdeploy(tmp_path), read_on="2026-11-29")
    settings = json.loads((tmp_path / "lmdeploy" / "settings.json").read_text())
    releases = json.loads((tmp_path / "lmdeploy" / "releases.json").read_text())["releases"]
    backend = [(record["since"], record["until"], record["default"]) for record in settings["settings"]["--backend"]]
    assert backend == [("0.7.0", "0.8.0", "turbomind"), ("0.8.0", None, "pytorch")]
    assert settings["releases_read"] == summary.releases_read == ["0.7.0", "0.8.0"]
    assert settings["environment"]["LMDEPLOY_SKIP_WARMUP"][0]["default"] == "0"
    assert [release["version"] for release in releases] == ["0.7.0", "0.8.0", "0.9.0"]
    assert releases[1] == {
        "version": "0.8.0",
        "date": "2026-03-04",
        "commit": None,
        "pins": {"torch": "==2.13.0"},
        "nccl": {"x86_64": "2.29.7", "aarch64": None},
    }


def test_what_could_not_be_read_is_in_the_summary(tmp_path):
    summary = refresh("lmdeploy", knowledge=tmp_path, index=lmdeploy(tmp_path))
    assert [problem for problem in summary.not_read if problem.startswith("0.9.0: settings not read")]


def test_the_same_artefacts_give_the_same_bytes(tmp_path):
    written = []
    for folder in ("one", "two"):
        refresh("lmdeploy", knowledge=tmp_path / folder, index=lmdeploy(tmp_path), read_on="2026-11-29")
        written.append(
            [(tmp_path / folder / "lmdeploy" / name).read_bytes() for name in ("settings.json", "releases.json")]
        )
    assert written[0] == written[1]


def test_one_setting_is_one_line(tmp_path):
    refresh("lmdeploy", knowledge=tmp_path, index=lmdeploy(tmp_path))
    lines = (tmp_path / "lmdeploy" / "settings.json").read_text().splitlines()
    assert sum(line.startswith('"--backend": [') and line.rstrip(",").endswith("}]") for line in lines) == 1


@pytest.fixture
def clone(tmp_path):
    folder = tmp_path / "clone"
    (folder / "xllm").mkdir(parents=True)

    def git(*words: str) -> None:
        who = ["-c", "user.name=A", "-c", "user.email=a@example.org"]
        subprocess.run(["git", "-C", str(folder), *who, *words], check=True, capture_output=True)

    git("init", "-q", "-b", "main")
    for tag, value in (("v0.9.0", "false"), ("v0.10.0", "true"), (None, "true")):
        text = f'DEFINE_bool(enable_graph, {value}, "g");\n' + ("" if tag else 'DEFINE_int32(added, 3, "a");\n')
        (folder / "xllm" / "flags.cpp").write_text(text)
        git("add", ".")
        git("commit", "-q", "-m", "c")
        if tag:
            git("tag", tag)
    return folder


def test_tags_and_main_of_a_clone_become_knowledge(tmp_path, clone):
    refresh("xllm", clone=clone, knowledge=tmp_path)
    settings = json.loads((tmp_path / "xllm" / "settings.json").read_text())
    releases = json.loads((tmp_path / "xllm" / "releases.json").read_text())["releases"]
    assert settings["releases_read"] == [release["version"] for release in releases] == ["0.9.0", "0.10.0", "main"]
    graph = [(record["since"], record["until"], record["default"]) for record in settings["settings"]["--enable_graph"]]
    assert graph == [("0.9.0", "0.10.0", False), ("0.10.0", None, True)]
    assert settings["settings"]["--added"][0]["since"] == "main"
    assert all(len(release["commit"]) == 40 for release in releases)


def test_xllm_without_a_clone_asks_for_one(tmp_path):
    with pytest.raises(UpstreamError, match="--clone"):
        refresh("xllm", knowledge=tmp_path)


def test_an_engine_not_known_is_refused(tmp_path):
    with pytest.raises(UpstreamError, match="vllm, sglang, lmdeploy, xllm"):
        refresh("tgi", knowledge=tmp_path)


def test_an_index_without_the_engine_changes_nothing(tmp_path):
    with pytest.raises(UpstreamError, match="404"):
        refresh("vllm", knowledge=tmp_path, index=an_index(tmp_path, {}))
    assert not (tmp_path / "vllm").exists()


def test_the_command_line_says_how_it_is_used(capsys):
    assert main([]) == 2
    assert "usage:" in capsys.readouterr().err
    assert main(["xllm"]) == 2
    assert "clone" in capsys.readouterr().err
