"""The whole way: an index and a clone in, the generated files out, all or none of them; the same again is no change."""

from __future__ import annotations

import io
import json
import os
import subprocess
import zipfile
from datetime import date
from pathlib import Path
from textwrap import dedent

import pytest

from advisor.errors import UnreachableError, UpstreamError
from advisor.jobs import knowledge as knowledge_of
from advisor.jobs.refresh import Origin, refresh
from advisor.upstream.wheels import Index
from tests.upstream.test_settings_lmdeploy import FILES


def a_wheel(version: str, metadata: str, **files: str) -> bytes:
    out = io.BytesIO()
    with zipfile.ZipFile(out, "w") as archive:
        archive.writestr(f"pkg-{version}.dist-info/METADATA", metadata)
        for name, text in files.items():
            archive.writestr(name.replace("__", "/") + ".py", dedent(text))
    return out.getvalue()


def an_index(tmp_path, packages: dict[str, dict[str, bytes]], lost: str = "\0") -> Index:
    """An index of these files; nothing whose address holds ``lost`` can be reached."""

    def get(url: str, span: tuple[int, int] | None) -> bytes:
        if lost in url:
            raise UnreachableError("the package index could not be read: timed out", url)
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


RULE = """\
id: lmdeploy/example
fixes:
  - {repo: InternLM/lmdeploy, pr: 7, commit: 0123456789abcdef0123456789abcdef01234567, merged: 2026-03-03,
     fingerprint: {file: lmdeploy/cli/utils.py, present: "default='pytorch'"}}
"""


@pytest.fixture
def rules(tmp_path) -> Path:
    file = tmp_path / "rules" / "lmdeploy" / "example" / "rule.yaml"
    file.parent.mkdir(parents=True)
    file.write_text(RULE)
    return tmp_path / "rules"


def lmdeploy(tmp_path, lost: str = "\0", without: str = "\0") -> Index:
    changed = {
        **FILES,
        "lmdeploy__cli__utils": FILES["lmdeploy__cli__utils"].replace("default='turbomind'", "default='pytorch'"),
    }
    torch = 'Requires-Dist: nvidia-nccl-cu13==2.29.7; platform_system == "Linux"'
    packages = {
        "lmdeploy": {
            "lmdeploy-0.6.0-py3-none-any.whl": b"too old to be opened",
            "lmdeploy-0.7.0-py3-none-any.whl": a_wheel("0.7.0", "Requires-Dist: torch<=2.6.0", **FILES),
            "lmdeploy-0.8.0rc1-py3-none-any.whl": a_wheel("0.8.0rc1", "Requires-Dist: torch<=2.6.0", **FILES),
            "lmdeploy-0.8.0-py3-none-any.whl": a_wheel("0.8.0", "Requires-Dist: torch==2.13.0", **changed),
            "lmdeploy-0.9.0-py3-none-any.whl": a_wheel("0.9.0", "Requires-Dist: torch==2.13.0"),
        },
        "torch": {"torch-2.13.0-cp310-cp310-manylinux_2_28_x86_64.whl": a_wheel("2.13.0", torch)},
    }
    packages["lmdeploy"] = {name: body for name, body in packages["lmdeploy"].items() if without not in name}
    return an_index(tmp_path, packages, lost)


def contents(folder: Path) -> dict[str, bytes]:
    return {file.name: file.read_bytes() for file in sorted(folder.iterdir())}


def test_released_wheels_become_knowledge(tmp_path, rules):
    refresh("lmdeploy", Origin(lmdeploy(tmp_path), rules=rules), knowledge=tmp_path, read_on="2026-11-29")
    settings = json.loads((tmp_path / "lmdeploy" / "settings.json").read_text())
    releases = json.loads((tmp_path / "lmdeploy" / "releases.json").read_text())["releases"]
    fixes = json.loads((tmp_path / "lmdeploy" / "fixes.json").read_text())["fixes"]
    backend = [(record["since"], record["until"], record["default"]) for record in settings["settings"]["--backend"]]
    assert backend == [("0.7.0", "0.8.0", "turbomind"), ("0.8.0", None, "pytorch")]
    assert settings["releases_read"] == ["0.7.0", "0.8.0"]
    assert settings["environment"]["LMDEPLOY_SKIP_WARMUP"][0]["default"] == "0"
    assert [release["version"] for release in releases] == ["0.7.0", "0.8.0", "0.9.0"]
    assert releases[1] == {
        "version": "0.8.0",
        "date": "2026-03-04",
        "commit": None,
        "pins": {"torch": "==2.13.0"},
        "nccl": {"x86_64": "2.29.7", "aarch64": None},
    }
    assert fixes["InternLM/lmdeploy#7"]["held_by"] == ["0.8.0"]
    assert "0.7.0" in fixes["InternLM/lmdeploy#7"]["lacked_by"]


def test_what_no_artefact_says_is_in_the_summary(tmp_path, rules):
    summary = refresh("lmdeploy", Origin(lmdeploy(tmp_path), rules=rules), knowledge=tmp_path)
    assert [problem for problem in summary.not_read if problem.startswith("0.9.0: settings not read")]


def test_the_same_world_again_changes_nothing(tmp_path, rules):
    origin = Origin(lmdeploy(tmp_path), rules=rules)
    first = refresh("lmdeploy", origin, knowledge=tmp_path, read_on="2026-11-29")
    before = contents(tmp_path / "lmdeploy")
    times = {file.name: file.stat().st_mtime_ns for file in (tmp_path / "lmdeploy").iterdir()}
    again = refresh("lmdeploy", origin, knowledge=tmp_path, read_on="2027-02-03")
    assert set(first.written) == {"releases.json", "settings.json", "fixes.json"}
    assert again.written == {} and set(again.same) == set(first.written)
    assert contents(tmp_path / "lmdeploy") == before
    assert {file.name: file.stat().st_mtime_ns for file in (tmp_path / "lmdeploy").iterdir()} == times


@pytest.mark.parametrize("lost", ["lmdeploy-0.8.0", "example/lmdeploy/", "torch-2.13.0"])
def test_network_loss_midway_leaves_every_old_file_and_says_what_is_missing(tmp_path, rules, lost):
    refresh("lmdeploy", Origin(lmdeploy(tmp_path, without="0.8.0-"), rules=rules), knowledge=tmp_path)
    before = contents(tmp_path / "lmdeploy")
    with pytest.raises(UnreachableError) as raised:
        refresh("lmdeploy", Origin(lmdeploy(tmp_path / "fresh", lost=lost), rules=rules), knowledge=tmp_path)
    assert contents(tmp_path / "lmdeploy") == before
    assert lost.partition("-")[0].removeprefix("example/").strip("/") in str(raised.value)
    if lost == "lmdeploy-0.8.0":
        assert "nothing was written" in str(raised.value) and "0.8.0: settings" in str(raised.value)


def test_a_release_that_is_gone_from_the_index_does_not_vanish_from_knowledge(tmp_path, rules):
    refresh("lmdeploy", Origin(lmdeploy(tmp_path), rules=rules), knowledge=tmp_path)
    before = contents(tmp_path / "lmdeploy")
    with pytest.raises(UpstreamError, match=r"0\.8\.0: known before, not found now"):
        refresh("lmdeploy", Origin(lmdeploy(tmp_path, without="0.8.0-"), rules=rules), knowledge=tmp_path)
    assert contents(tmp_path / "lmdeploy") == before


def test_a_fix_that_was_known_to_be_held_and_now_is_not_is_an_error(tmp_path, rules):
    origin = Origin(lmdeploy(tmp_path), rules=rules)
    refresh("lmdeploy", origin, knowledge=tmp_path)
    file = tmp_path / "lmdeploy" / "fixes.json"
    file.write_text(
        file.read_text().replace('"held_by": ["0.8.0"]', '"held_by": ["0.7.0", "0.8.0"]').replace('"0.7.0"]', "]")
    )
    known = json.loads(file.read_text())
    known["fixes"]["InternLM/lmdeploy#7"] |= {"held_by": ["0.7.0", "0.8.0"], "lacked_by": []}
    file.write_text(json.dumps(known))
    before = contents(tmp_path / "lmdeploy")
    with pytest.raises(UpstreamError, match=r"0\.7\.0: held before, lacked now"):
        refresh("lmdeploy", origin, knowledge=tmp_path)
    assert contents(tmp_path / "lmdeploy") == before


def test_a_check_shows_what_differs_and_writes_nothing(tmp_path, rules):
    origin = Origin(lmdeploy(tmp_path), rules=rules)
    refresh("lmdeploy", origin, knowledge=tmp_path)
    assert knowledge_of.verify("lmdeploy", origin, tmp_path).diff == ""
    file = tmp_path / "lmdeploy" / "settings.json"
    file.write_text(file.read_text().replace('"default":"turbomind"', '"default":"nonsense"'))
    before = contents(tmp_path / "lmdeploy")
    found = knowledge_of.verify("lmdeploy", origin, tmp_path)
    lines = [line for line in found.diff.splitlines() if line[0] in "+-" and line[:3] not in ("+++", "---")]
    assert len(lines) == 2 and "nonsense" in lines[0] and "turbomind" in lines[1]
    assert contents(tmp_path / "lmdeploy") == before


def test_one_setting_is_one_line(tmp_path, rules):
    refresh("lmdeploy", Origin(lmdeploy(tmp_path), rules=rules), knowledge=tmp_path)
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


def xllm(tmp_path, clone: Path, rules: Path) -> Origin:
    return Origin(an_index(tmp_path, {}), clone=clone, rules=rules)


def test_tags_and_main_of_a_clone_become_knowledge(tmp_path, clone, rules):
    refresh("xllm", xllm(tmp_path, clone, rules), knowledge=tmp_path)
    settings = json.loads((tmp_path / "xllm" / "settings.json").read_text())
    releases = json.loads((tmp_path / "xllm" / "releases.json").read_text())["releases"]
    assert settings["releases_read"] == [release["version"] for release in releases] == ["0.9.0", "0.10.0", "main"]
    graph = [(record["since"], record["until"], record["default"]) for record in settings["settings"]["--enable_graph"]]
    assert graph == [("0.9.0", "0.10.0", False), ("0.10.0", None, True)]
    assert settings["settings"]["--added"][0]["since"] == "main"
    assert all(len(release["commit"]) == 40 for release in releases)


def test_an_older_clone_never_takes_the_place_of_a_newer_history(tmp_path, clone, rules):
    refresh("xllm", xllm(tmp_path, clone, rules), knowledge=tmp_path)
    history = tmp_path / "xllm" / "history.txt"
    newer = history.read_text().replace("# horizon: 20", "# horizon: 21")
    history.write_text(newer)
    done = refresh("xllm", xllm(tmp_path, clone, rules), knowledge=tmp_path)
    assert "the history at hand 21" in done.kept["history.txt"]
    assert history.read_text() == newer


def test_a_tag_that_moved_is_an_error(tmp_path, clone, rules):
    refresh("xllm", xllm(tmp_path, clone, rules), knowledge=tmp_path)
    before = contents(tmp_path / "xllm")
    subprocess.run(["git", "-C", str(clone), "tag", "-f", "v0.9.0", "main"], check=True, capture_output=True)
    with pytest.raises(UpstreamError, match=r"tags point elsewhere than before: v0\.9\.0"):
        refresh("xllm", xllm(tmp_path, clone, rules), knowledge=tmp_path)
    assert contents(tmp_path / "xllm") == before


def test_xllm_without_a_clone_asks_for_one(tmp_path, rules):
    with pytest.raises(UpstreamError, match="--clone"):
        refresh("xllm", Origin(an_index(tmp_path, {}), rules=rules), knowledge=tmp_path)


def test_an_engine_not_known_is_refused(tmp_path):
    with pytest.raises(UpstreamError, match="vllm, sglang, lmdeploy, xllm"):
        refresh("tgi", Origin(an_index(tmp_path, {})), knowledge=tmp_path)


def test_an_index_without_the_engine_changes_nothing(tmp_path, rules):
    with pytest.raises(UpstreamError, match="404"):
        refresh("vllm", Origin(an_index(tmp_path, {}), rules=rules), knowledge=tmp_path)
    assert not (tmp_path / "vllm").exists()


def test_a_write_that_fails_leaves_the_old_file(tmp_path, rules, monkeypatch):
    refresh("lmdeploy", Origin(lmdeploy(tmp_path, without="0.8.0-"), rules=rules), knowledge=tmp_path)
    before = contents(tmp_path / "lmdeploy")

    real = os.replace

    def full(part, target):
        if Path(target).parent == tmp_path / "lmdeploy":
            raise OSError(28, "No space left on device")
        return real(part, target)

    monkeypatch.setattr(os, "replace", full)
    with pytest.raises(UpstreamError, match="No space left"):
        refresh("lmdeploy", Origin(lmdeploy(tmp_path / "elsewhere"), rules=rules), knowledge=tmp_path)
    assert contents(tmp_path / "lmdeploy") == before


def test_a_wheel_that_is_no_wheel_is_said(tmp_path, rules):
    index = an_index(tmp_path, {"lmdeploy": {"lmdeploy-0.8.0-py3-none-any.whl": b"half of a wheel"}})
    with pytest.raises(UpstreamError, match="not a readable wheel"):
        refresh("lmdeploy", Origin(index, rules=rules), knowledge=tmp_path)
    assert not (tmp_path / "lmdeploy").exists()


@pytest.mark.parametrize("name", ["settings.json", "releases.json", "fixes.json"])
@pytest.mark.parametrize("rubbish", ['{"a": [1,', "[]", "\x00\xff"])
def test_a_broken_file_is_told_and_made_anew(tmp_path, rules, name, rubbish):
    origin = Origin(lmdeploy(tmp_path), rules=rules)
    refresh("lmdeploy", origin, knowledge=tmp_path, read_on="2026-11-29")
    whole = contents(tmp_path / "lmdeploy")
    (tmp_path / "lmdeploy" / name).write_text(rubbish, encoding="latin-1")
    told = {part.file: part.holds for part in knowledge_of.status(date(2026, 11, 30), tmp_path)}
    assert told[name] == "cannot be read"
    assert name in refresh("lmdeploy", origin, knowledge=tmp_path, read_on="2026-11-29").written
    assert contents(tmp_path / "lmdeploy") == whole


def test_what_a_killed_run_left_is_cleared(tmp_path, rules):
    origin = Origin(lmdeploy(tmp_path), rules=rules)
    refresh("lmdeploy", origin, knowledge=tmp_path)
    (tmp_path / "lmdeploy" / ".settings.json.advisor-part").write_text("half")
    refresh("lmdeploy", origin, knowledge=tmp_path)
    assert [name for name in contents(tmp_path / "lmdeploy") if name.endswith("-part")] == []


def test_an_older_clone_leaves_what_is_known_of_tags(tmp_path, clone, rules):
    refresh("xllm", xllm(tmp_path, clone, rules), knowledge=tmp_path)
    history, tags = tmp_path / "xllm" / "history.txt", tmp_path / "xllm" / "tags.json"
    history.write_text(history.read_text().replace("# horizon: 20", "# horizon: 21"))
    known = json.loads(tags.read_text())
    known["tags"]["v0.10.0"]["main"] = "0123456789ab"
    tags.write_text(json.dumps(known, indent=1) + "\n")
    refresh("xllm", xllm(tmp_path, clone, rules), knowledge=tmp_path)
    assert json.loads(tags.read_text())["tags"]["v0.10.0"]["main"] == "0123456789ab"


def test_a_clone_that_does_not_go_on_from_what_is_known_is_refused(tmp_path, clone, rules):
    refresh("xllm", xllm(tmp_path, clone, rules), knowledge=tmp_path)
    history = tmp_path / "xllm" / "history.txt"
    lines = history.read_text().splitlines()
    history.write_text("\n".join([*lines[:-1], "fedcba987654 " + lines[-1].split(" ", 1)[1]]) + "\n")
    with pytest.raises(UpstreamError, match=r"lacks fedcba987654.*--fork"):
        refresh("xllm", xllm(tmp_path, clone, rules), knowledge=tmp_path)
