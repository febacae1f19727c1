"""Builds as people write them: what is understood, and what is left open on purpose."""

from datetime import date
from pathlib import Path

import pytest

from advisor.catalog.engines import knowledge, named
from advisor.errors import UsageError
from advisor.evidence.builds import component, find_build, read_build

SHA = "6bc3fd249c81651cc79e7e38dd39a2e36c52231b"
FIELDS = ("engine", "version", "commit", "image", "digest", "branch", "fork", "after_pr", "earliest", "latest")


def said(build):
    """What of a build is known, as one dictionary; dates as ISO text."""
    known = {name: getattr(build, name) for name in FIELDS if getattr(build, name)}
    return {name: value.isoformat() if isinstance(value, date) else value for name, value in known.items()}


def read(text, engine="sglang"):
    build, components, notes = read_build(text, engine=engine)
    assert build.text == text.strip()
    assert build.components == components
    assert build.notes == tuple(note.text for note in notes)
    return said(build) | {one.name: one.version for one in components}


MAIN = {"branch": "main"}
BUILDS = [
    # releases
    ("0.28.0", {"version": "0.28.0"}),
    ("v0.5.16", {"version": "0.5.16"}),
    ("0.4.6.post5", {"version": "0.4.6.post5"}),
    ("0.0.10", {"version": "0.0.10"}),
    ("0.11.0+cu129", {"version": "0.11.0+cu129"}),
    ("v0.11.0 docker", {"version": "0.11.0"}),
    ("0.5.1 built from source", {"version": "0.5.1"}),
    ("0.20.2rc", {}),  # a candidate without its number: see test_bounds
    ("version 0.5.16.", {"version": "0.5.16"}),
    ("sglang==0.5.2", {"version": "0.5.2"}),
    ("sglang-0.5.2", {"version": "0.5.2"}),
    ("sglang[all]==0.5.2", {"version": "0.5.2"}),
    ("Name: sglang\nVersion: 0.5.2", {"version": "0.5.2"}),
    # commits and dev builds
    ("f03bdf1c", {"commit": "f03bdf1c"}),
    (SHA, {"commit": SHA}),
    ("commit 1234567", {"commit": "1234567"}),
    ("0.4.9.post2, commit e1020dc5", {"version": "0.4.9.post2", "commit": "e1020dc5"}),
    ("0.11.2.dev278+gccfeb3a8", {"version": "0.11.2.dev278+gccfeb3a8", "commit": "ccfeb3a8"}),
    ("v0.23.1rc1.dev1373", {"version": "0.23.1rc1.dev1373"}),
    (
        "0.25.2.dev0+g752a3a504.d20260720",
        {"version": "0.25.2.dev0+g752a3a504.d20260720", "commit": "752a3a504", "latest": "2026-07-20"},
    ),
    # images
    ("lmsysorg/sglang:v0.5.16-cu130", {"image": "lmsysorg/sglang:v0.5.16-cu130", "version": "0.5.16"}),
    ("lmsysorg/sglang:latest", {"image": "lmsysorg/sglang:latest"}),
    (
        "lmsysorg/sglang:latest, pulled 2026-08-02, digest sha256:7b6a35df…",
        {"image": "lmsysorg/sglang:latest", "digest": "sha256:7b6a35df", "latest": "2026-08-02"},
    ),
    (
        "lmsysorg/sglang:nightly-dev-20260801-1a2b3c4d",
        {
            "image": "lmsysorg/sglang:nightly-dev-20260801-1a2b3c4d",
            "commit": "1a2b3c4d",
            "earliest": "2026-08-01",
            "latest": "2026-08-01",
        },
    ),
    ("nvcr.io/nvidia/sglang:25.11-py3", {"image": "nvcr.io/nvidia/sglang:25.11-py3"}),
    (f"lmsysorg/sglang@sha256:{'ab' * 32}", {"image": "lmsysorg/sglang", "digest": f"sha256:{'ab' * 32}"}),
    ("main, docker xllm-dev-a3-arm-20260429", MAIN | {"image": "xllm-dev-a3-arm-20260429"}),
    # branches and dates
    ("origin/main 6bc3fd24", MAIN | {"commit": "6bc3fd24"}),
    (f"origin/main@{SHA}", MAIN | {"commit": SHA}),
    ("main at 6bc3fd249c81", MAIN | {"commit": "6bc3fd249c81"}),
    ("preview/glm5", {"branch": "preview/glm5"}),
    ("main (July 2026)", MAIN | {"earliest": "2026-07-01", "latest": "2026-07-31"}),
    ("main (Sept 2026)", MAIN | {"earliest": "2026-09-01", "latest": "2026-09-30"}),
    ("main (2026-01-24)", MAIN | {"earliest": "2026-01-24", "latest": "2026-01-24"}),
    ("(Aug 2026)", {"earliest": "2026-08-01", "latest": "2026-08-31"}),
    ("(mid 2026)", {"earliest": "2026-05-01", "latest": "2026-08-31"}),
    ("2026年8月的 main", MAIN | {"earliest": "2026-08-01", "latest": "2026-08-31"}),
    ("f03bdf1c (main, Aug 2026)", MAIN | {"commit": "f03bdf1c", "earliest": "2026-08-01", "latest": "2026-08-31"}),
    ("nightly 2026-08-01", MAIN | {"earliest": "2026-08-01", "latest": "2026-08-01"}),
    ("main after PR 1964", MAIN | {"after_pr": 1964}),
    # forks
    ("HYGON fork", {"fork": "HYGON"}),
    ("LimeChain fork, 0.11.2.dev278", {"fork": "LimeChain", "version": "0.11.2.dev278"}),
    ("our fork of sglang 0.5.2", {"fork": "own", "version": "0.5.2"}),
    ("v0.5.12-based build", {"fork": "0.5.12-based"}),
    ("LimeChain sglang fork", {"fork": "LimeChain"}),
    ("0.11.2.dev301 (LimeChain sm86 fork)", {"version": "0.11.2.dev301", "fork": "LimeChain"}),
    ("0.28.0 fork", {"version": "0.28.0", "fork": "unnamed"}),
    ("sglang fork based on 0.27 (PP guard removed)", {"fork": "0.27-based"}),
    ("downstream of 0.28.0", {"version": "0.28.0", "fork": "unnamed"}),
    # a release with changes of its own is no stock release
    ("0.28.0 patched", {"version": "0.28.0", "fork": "patched"}),
    ("patched 0.28.0", {"version": "0.28.0", "fork": "patched"}),
    ("0.29.0+patched", {"version": "0.29.0+patched", "fork": "patched"}),
    ("0.28.0 + our own patch that lets dspark through with pp", {"version": "0.28.0", "fork": "patched"}),
    ("0.28.0, with our patches", {"version": "0.28.0", "fork": "patched"}),
    ("0.28.0 with a cherry-picked fix", {"version": "0.28.0", "fork": "patched"}),
    ("0.28.0 (modified)", {"version": "0.28.0", "fork": "modified"}),
    ("custom build of 0.28.0", {"version": "0.28.0", "fork": "custom"}),
    ("0.28.0 internal build", {"version": "0.28.0", "fork": "internal"}),
    ("0.28.0 打了去掉检查的补丁", {"version": "0.28.0", "fork": "patched"}),
    ("魔改 0.28.0", {"version": "0.28.0", "fork": "modified"}),
    ("0.9.2+das.opt1", {"version": "0.9.2+das.opt1", "fork": "das.opt1"}),
    ("0.28.0 unpatched", {"version": "0.28.0"}),
    ("0.28.0, no patches", {"version": "0.28.0"}),
    ("0.28.0 not patched", {"version": "0.28.0"}),
    ("0.28.0 没打补丁", {"version": "0.28.0"}),
    ("0.28.0, not a fork", {"version": "0.28.0"}),
    ("0.28.0 unmodified", {"version": "0.28.0"}),
    ("0.28.0 with patched NCCL", {"version": "0.28.0"}),
    ("0.28.0 patch release", {"version": "0.28.0"}),
    ("0.28.0 custom image", {"version": "0.28.0"}),
    ("0.28.0+cpu", {"version": "0.28.0+cpu"}),
    ("0.28.0, image based on ubuntu 22.04.1", {"version": "0.28.0"}),
    ("0.5.18-myfork", {"version": "0.5.18", "fork": "myfork"}),
    ("0.5.18 (patched)", {"version": "0.5.18", "fork": "patched"}),
    (
        "lmsysorg/sglang:v0.5.18-patched",
        {"image": "lmsysorg/sglang:v0.5.18-patched", "version": "0.5.18", "fork": "patched"},
    ),
    ("0.28.0-cu129", {"version": "0.28.0"}),
    ("0.5.6.post1-cu129-amd64-b200", {"version": "0.5.6.post1"}),
    ("0.5.16-official", {"version": "0.5.16"}),
    # a pre-release is not its release, however it is spelt
    ("0.5.19-rc1", {"version": "0.5.19rc1"}),
    ("v0.30.0-rc.1", {"version": "0.30.0rc1"}),
    ("0.28.0-alpha2", {"version": "0.28.0a2"}),
    ("0.11.0-post1", {"version": "0.11.0.post1"}),
    # what git says
    ("f60bc73c^", {}),
    ("f60bc73c~1", {}),
    ("main~2", {}),
    ("v0.5.16-2-gf60bc73c", {"commit": "f60bc73c"}),
    ("nightly-dev-20260901-f60bc73c", MAIN | {"commit": "f60bc73c", "earliest": "2026-09-01", "latest": "2026-09-01"}),
    ("2026-08-29", {"earliest": "2026-08-29", "latest": "2026-08-29"}),
    # main beside a number: what runs, and what was only tried
    (
        "from main, July 29 2026, reports 0.9.0",
        MAIN | {"version": "0.9.0", "earliest": "2026-07-29", "latest": "2026-07-29"},
    ),
    ("main（7 月底拉的代码，version.txt 是 0.9.0）", MAIN | {"version": "0.9.0"}),
    ("0.27.1, also happens on main", {"version": "0.27.1"}),
    ("0.27.1, 也试过 main", {"version": "0.27.1"}),
    ("release/v0.10.0 head", {"branch": "release/v0.10.0"}),
    ("main of 29.7.2026", MAIN | {"earliest": "2026-07-29", "latest": "2026-07-29"}),
    ("20260729 nightly", MAIN | {"earliest": "2026-07-29", "latest": "2026-07-29"}),
    # with components
    ("0.5.13.post1, torch 2.11.0+cu130", {"version": "0.5.13.post1", "torch": "2.11.0+cu130"}),
    ("v0.5.16, NCCL 2.28.9", {"version": "0.5.16", "nccl": "2.28.9"}),
    ("0.26.0 + LMCache 0.5.2", {"version": "0.26.0", "lmcache": "0.5.2"}),
    ("0.4.x, vllm 0.7.2", {"vllm": "0.7.2"}),
    ("GPUStack 2.0.3", {"gpustack": "2.0.3"}),
    # not one build
    ("0.11.x, transformers 5.3.0", {"transformers": "5.3.0"}),
    ("0.11", {}),
    ("<0.4.1", {}),
    ("sglang>=0.5.2, sgl-kernel>=0.3.21, torch>=2.10.0", {}),
    ("it hangs after 3.5 hours on 8 cards", {}),
    ("Qwen3.5-27B and GLM-5.2 on 12.5 GB", {}),
    ("http://127.0.0.1:8000/v1", {}),
]


@pytest.mark.parametrize("text", ["sglang==0.28abab", "==0.28abab", "torch==2.x.y"])
def test_a_pin_of_what_is_no_version_is_said_and_not_taken(text):
    build, components, notes = read_build(text, engine="sglang")
    assert build.version is None and not components and f"`{text}` names no version" in [one.text for one in notes]


def test_a_pin_of_two_numbers_is_the_first_release_as_pip_has_it():
    build, _, notes = read_build("sglang==0.5", engine="sglang")
    assert (build.version, build.least, notes) == ("0.5.0", None, ())


@pytest.mark.parametrize(
    ("text", "least", "below"),
    [
        ("0.20.2rc", "0.20.2rc1", "0.20.2"),
        ("v0.20.2.rc", "0.20.2.rc1", "0.20.2"),
        ("sglang < 0.29.0", None, "0.29.0"),
        ("sglang>=0.27.0,<0.29.0", "0.27.0", "0.29.0"),
        ("0.11.x", "0.11.0", "0.12"),
        ("sglang==0.11.x", "0.11.0", "0.12"),
        ("sglang==0.11.*", "0.11.0", "0.12"),
        ("**sglang 0.11.**", None, None),
        ("sglang>=0.11abab", None, None),
        ("0.20.2rc1", None, None),
        ("0.20.2", None, None),
        ("0.28.0+cpu", None, None),
        ("vllm < 0.29.0", None, None),
    ],
)
def test_bounds(text, least, below):
    build, _, _ = read_build(text, engine="sglang")
    assert (build.least, build.below) == (least, below)


@pytest.mark.parametrize(
    ("text", "least", "below"),
    [
        ("vLLM < 0.29.0 hangs with MTP", None, "0.29.0"),
        ("vllm older than 0.28.0 hangs", None, "0.28.0"),
        ("vllm 低于 0.28.0 卡死", None, "0.28.0"),
        ("vllm 0.20.2rc hangs", "0.20.2rc1", "0.20.2"),
        ("We run vLLM 0.28.0, vllm >= 0.29 fixes it", None, None),
        ("vllm hangs", None, None),
    ],
)
def test_bounds_in_prose(text, least, below):
    build, _, _ = find_build(text, engine=None)
    assert (build.least, build.below) == (least, below)


@pytest.mark.parametrize(("text", "known"), BUILDS)
def test_reads(text, known):
    assert read(text) == {"engine": "sglang"} | known


@pytest.mark.parametrize(
    ("text", "engine", "version"),
    [
        ("vllm/vllm-openai:v0.29.0", "vllm", "0.29.0"),
        ("openmmlab/lmdeploy:v0.14.0-cu12", "lmdeploy", "0.14.0"),
        ("quay.io/ascend/vllm-ascend:v0.18.0rc1-a3", "vllm-ascend", "0.18.0rc1"),
        ("rocm/vllm:rocm6.4.1_vllm_0.9.1_20250702", "vllm", "0.9.1"),
        ("vLLM 0.11.0", "vllm", "0.11.0"),
        ("sglang-jax (Aug 2025)", "", None),
        ("0.28.0", "", None),
    ],
)
def test_takes_the_engine_that_is_named(text, engine, version):
    build, _, _ = read_build(text, engine=None)
    assert build.engine == engine
    assert build.version == version or not engine


def test_a_fork_described_in_chinese():
    text = "vLLM 0.11.2.dev278 基础版（LimeChain/vllm 的 deepseek-v4-flash-sm86 分支，commit ccfeb3a8）"
    assert read(text, "vllm") == {
        "engine": "vllm",
        "version": "0.11.2.dev278",
        "commit": "ccfeb3a8",
        "branch": "deepseek-v4-flash-sm86",
        "fork": "LimeChain",
    }


def test_a_fork_that_equals_upstream_is_upstream():
    build, _, notes = read_build("f03bdf1c (someone/lmdeploy fork == InternLM/lmdeploy main)", engine="lmdeploy")
    assert (build.commit, build.fork, build.branch) == ("f03bdf1c", "", "main")
    assert "equals upstream" in notes[0].text


@pytest.mark.parametrize(
    ("text", "note"),
    [
        ("0.11.x", "0.11.0 or later, before 0.12"),
        ("<0.4.1", "a range"),
        ("v0.5.12-based build", "based on 0.5.12 is not 0.5.12"),
        ("vllm/vllm-openai:latest", "does not name a release"),
        ("vllm-openai:gptoss", "does not name a release"),
        ("mycorp/vllm-openai:v0.11.0", "not an image of the project itself"),
        ("0.11.0, was 0.10.2", "0.11.0 came first"),
        ("f60bc73c^", "git rev-parse 'f60bc73c^'"),
        ("0.5.18-myfork", "not the stock release"),
        ("quay.io/ascend/vllm-ascend:v0.29.0", "not the stock release"),
        ("v0.5.16-2-gf60bc73c", "2 commits after 0.5.16"),
        ("0.11.0, NCCL 2.28.9, nccl 2.29.7", "nccl is given as 2.28.9 and as 2.29.7"),
    ],
)
def test_what_is_left_open_is_said(text, note):
    _, _, notes = read_build(text, engine="vllm")
    assert any(note in one.text for one in notes)


def test_an_image_of_vllm_ascend_is_no_stock_vllm():
    assert read("quay.io/ascend/vllm-ascend:v0.29.0", "vllm")["fork"] == "vllm-ascend"
    assert "fork" not in read("quay.io/ascend/vllm-ascend:v0.29.0", "vllm-ascend")


@pytest.mark.parametrize("text", ["hello", "", "3.5 hours", "1234567", "99.0", "latest"])
def test_strict_refuses_what_names_no_build(text):
    with pytest.raises(UsageError) as error:
        read_build(text, engine="vllm", strict=True)
    assert error.value.where == "--version"
    assert "0.28.0" in (error.value.hint or "")


def test_strict_takes_what_says_anything():
    assert read_build("<0.10.1", engine="vllm", strict=True)[0].version is None


def test_observed_builds_say_so():
    build, components, _ = read_build("0.28.0, NCCL 2.28.9", engine="vllm", origin="observed")
    assert build.origin == "observed" and components[0].origin == "observed"


@pytest.mark.parametrize(
    ("text", "name", "version"),
    [
        ("nccl=2.28.9", "nccl", "2.28.9"),
        ("NCCL==2.28.9", "nccl", "2.28.9"),
        ("pytorch = v2.11.0+cu130", "torch", "2.11.0+cu130"),
        ("nvidia-nccl-cu12=2.27.5", "nccl", "2.27.5"),
        ("something-else=1", "something-else", "1"),
        ("nccl=22809", "nccl", "2.28.9"),
        ("nccl=2708", "nccl", "2.7.8"),
        ("nccl=nvidia-nccl-cu13 2.28.9", "nccl", "2.28.9"),
        ("deep_ep=9af0e0d", "deep_ep", "9af0e0d"),
    ],
)
def test_component(text, name, version):
    assert (component(text).name, component(text).version) == (name, version)


@pytest.mark.parametrize("text", ["nccl 2.28.9", "nccl", "=2.28.9", "nccl=", "nccl=latest", "torch=unknown"])
def test_component_needs_a_name_and_a_version(text):
    with pytest.raises(UsageError) as error:
        component(text)
    assert error.value.where == "--component"


# --- builds in prose


def found(text, engine=None):
    build, components, _ = find_build(text, engine=engine)
    return said(build) | {one.name: one.version for one in components}


STATEMENTS = [
    ("- **SGLang**: v0.5.16\n- **NCCL**: 2.28.9 (same in the reference vLLM stack)", "sglang 0.5.16 nccl=2.28.9"),
    ("# hang\n\n| Item | Value |\n| --- | --- |\n| lmdeploy | `0.14.0` |\n| Python | 3.12 |", "lmdeploy 0.14.0 python=3.12"),
    ("vLLM 版本：0.11.0\nNCCL version 2.27.5+cuda12.9", "vllm 0.11.0 nccl=2.27.5+cuda12.9"),
    ("vLLM 卡住\n版本：0.11.0", "vllm 0.11.0"),
    ("```\nvLLM Version   : 0.11.0\n[pip3] torch==2.9.0\n[pip3] nvidia-nccl-cu12==2.27.5\n```", "vllm 0.11.0 torch=2.9.0 nccl=2.27.5"),
    ("I run vLLM (0.11.0) on 8 H100", "vllm 0.11.0"),
    ("sglang 0.5.2 works, sglang 0.5.3 hangs", "sglang 0.5.3"),
    ("# vLLM hangs\nI upgraded from vLLM 0.10.2, now on vLLM 0.11.0 with torch 2.9.0", "vllm 0.11.0 torch=2.9.0"),
    ("docker run --gpus all lmsysorg/sglang:v0.5.16-cu130 python -m sglang.launch_server", "sglang 0.5.16"),
    ("SGLang hangs. A reference stack with vLLM 0.11.0 is stable.\n- **SGLang**: v0.5.16", "sglang 0.5.16"),
    ("fixed in vLLM 0.12.0 by #1234", "vllm"),
    ("vLLM 0.11.0 hangs on a patched driver, NCCL 2.27.5 patch", "vllm 0.11.0 nccl=2.27.5"),
    ("## Fix\n\nvLLM 0.12.0 has it, with NCCL 2.29.3", "vllm"),
    ("see vllm/worker/model.py:123-145 in vllm", "vllm"),
    ("PR #1971 and commit-less prose about nothing", ""),
]  # fmt: skip


@pytest.mark.parametrize(("text", "known"), STATEMENTS)
def test_finds_in_prose(text, known):
    build, components, _ = find_build(text, engine=None)
    words = [build.engine, build.version or "", *(f"{one.name}={one.version}" for one in components)]
    assert " ".join(filter(None, words)) == known


DEPLOYED = [
    ("We plan to move to SGLang 0.5.19; today 0.5.16 is deployed. It hangs.", "0.5.16"),
    ("We are not on SGLang 0.5.12 any more, but on 0.5.16. It crashes.", "0.5.16"),
    ("not on SGLang 0.5.12 but on 0.5.16", "0.5.16"),
    ("after upgrading from 0.5.16 to 0.5.19 it still hangs", "0.5.19"),
    ("SGLang worked on 0.5.15, broke in 0.5.16", "0.5.16"),
    ("SGLang 0.5.15 -> 0.5.16 upgrade broke it", "0.5.16"),
    ("downgraded from SGLang 0.5.19 to 0.5.18, still hangs", "0.5.18"),
    ("Is SGLang 0.5.19 affected? We run 0.5.16", "0.5.16"),
    ("First seen on SGLang 0.5.12, now 0.5.16, still there", "0.5.16"),
    ("instead of SGLang 0.5.19 we use 0.5.16", "0.5.16"),
    ("We plan to upgrade SGLang from 0.5.16 to 0.5.19", "0.5.16"),
    ("upgrading from 0.5.16 to 0.5.19 fixes it", "0.5.16"),
    ("SGLang 0.5.16 is what we run; 0.5.19 is planned for next week", "0.5.16"),
    ("SGLang 0.5.16 hangs, 0.5.15 was fine", "0.5.16"),
    ("升级前 0.5.16，现在 0.5.19 仍卡死", "0.5.19"),
    ("从 0.5.16 升级到 SGLang 0.5.19 后还是卡", "0.5.19"),
    ("我们计划升级到 SGLang 0.5.19，目前是 0.5.16", "0.5.16"),
    ("We do not run SGLang 0.5.19. It hangs.", None),
    ("It hangs with flashinfer 0.5.3", None),
    ("It hangs with LMCache version 0.3.2", None),
    ("vLLM 0.11.0 hangs", None),
]  # fmt: skip


@pytest.mark.parametrize(("text", "version"), DEPLOYED)
def test_finds_the_one_deployed(text, version):
    assert find_build(text, engine="sglang")[0].version == version


def test_two_versions_of_a_library_are_told():
    _, _, notes = find_build("SGLang 0.5.16 hangs\nNCCL 2.28.9\nrank 1 has NCCL 2.29.7", engine="sglang")
    assert [note.text for note in notes if note.kind == "conflict"]


def test_finds_a_commit_and_a_baseline():
    assert found("vLLM main at 1a2b3c4d hangs") == {"engine": "vllm", "commit": "1a2b3c4d", "branch": "main"}
    text = f"测试锁定基线为 origin/main@{SHA}；rebased onto main@49651e8f"
    assert found(text, "xllm") == {"engine": "xllm", "commit": SHA, "branch": "main"}


@pytest.mark.parametrize(
    ("text", "fork"),
    [
        ("We run patched vLLM 0.28.0 on 8 cards", "patched"),
        ("vLLM: 0.28.0 + our patches", "patched"),
        ("vLLM: 0.28.0\nWe patched the NIC firmware", None),
        ("vLLM 0.28.0, an unpatched stock wheel", None),
    ],
)
def test_finds_a_changed_release(text, fork):
    known = {"engine": "vllm", "version": "0.28.0"}
    assert found(text) == (known | {"fork": fork} if fork else known)


def test_a_short_commit_is_completed_from_the_text():
    text = f"vLLM 0.11.2.dev278 (commit 6bc3fd24)\n\nchecked out {SHA}"
    assert found(text)["commit"] == SHA


RULES = Path(__file__).parents[2] / "rules"
REPORTS = {
    "lmdeploy/mtp-dp-meta/cases/fires-author-text": {"engine": "lmdeploy"},
    "lmdeploy/mtp-silent-hang/cases/fires-report-pasted-whole": {
        "engine": "lmdeploy",
        "commit": "f03bdf1c485ceb1519ae6ea8594349261de04496",
        "branch": "main",
        "earliest": "2026-08-14",
        "latest": "2026-08-14",
        "python": "3.12",
    },
    "any/nccl-proxy-slot-leak-arm/cases/fires-original-report-pasted": {
        "engine": "sglang",
        "version": "0.5.16",
        "image": "lmsysorg/sglang:latest",
        "digest": "sha256:7b6a35df",
        "latest": "2026-08-02",
        "nccl": "2.28.9",
    },
    "vllm/pp-broadcast-skew/cases/fires-zh-document-pasted-whole": {
        "engine": "vllm",
        "version": "0.11.2.dev278",
        "commit": "ccfeb3a8baac21d7e1364c609dfa88f2e0230cfd",
        "branch": "deepseek-v4-flash-sm86",
        "fork": "LimeChain",
        "driver": "595.84",
    },
    "xllm/shm-h2d-graph-race/cases/fires-author-text": {"engine": "xllm", "commit": SHA, "branch": "main"},
}


@pytest.mark.parametrize("case", REPORTS)
def test_a_report_as_it_was_published(case):
    assert found((RULES / case / "report.md").read_text(encoding="utf-8")) == REPORTS[case]


def test_the_engine_asked_for_wins_over_others():
    text = "# vLLM and SGLang compared\n- vLLM: 0.11.0\n- SGLang: 0.5.3"
    assert found(text, "sglang") == {"engine": "sglang", "version": "0.5.3"}


@pytest.mark.parametrize("odd", ["", "\n", "|||", ":" * 500, "\x00\ud800", "sha256:", "v", "(2026-13-45)"])
def test_odd_text_is_no_error(odd):
    assert find_build(odd, engine=None)[0].version is None
    assert read_build(odd, engine=None)[0].version is None


# Words around the number


@pytest.mark.parametrize(
    ("text", "known", "note"),
    [
        ("older than 0.28.0", "", "`older than 0.28.0` is a range"),
        ("newer than v0.28.0", "", "is a range"),
        ("0.28.0 or later", "", "is a range"),
        ("低于0.28.0", "", "is a range"),
        ("0.28.0以下", "", "is a range"),
        ("not 0.28.0", "", "which build it is not"),
        ("不是0.28.0", "", "which build it is not"),
        ("0.28.0 + #50514", "version=0.28.0 fork=patched", "said to be with #50514"),
        ("0.28.0, #50514 applied", "version=0.28.0 fork=patched", "said to be with #50514"),
        ("0.30.0 plus PR 50514", "version=0.30.0 fork=patched", "said to be with #50514"),
        ("0.28.0 with 50514 cherry-picked", "version=0.28.0 fork=patched", "said to be with #50514"),
        ("0.28.0 -> 0.30.0", "version=0.30.0", "0.28.0 is former"),
        ("0.30.0 without #50514", "version=0.30.0 fork=patched", "said to be without #50514"),
        ("0.30.0 with #50514 reverted", "version=0.30.0 fork=patched", "said to be without #50514"),
        ("0.30.0 minus the PP guard", "version=0.30.0 fork=patched", "said to be without the PP guard"),
        ("0.14.0 cherry-pick b56ddfb6", "version=0.14.0 fork=patched", "b56ddfb6 is said to be picked onto it"),
        ("upgraded from 0.28.0 to 0.30.0", "version=0.30.0", "0.28.0 is former"),
        ("从0.28.0升级到0.30.0", "version=0.30.0", "0.28.0 is former"),
        ("0.28.0版本", "version=0.28.0", ""),
        ("版本0.28.0", "version=0.28.0", ""),
        ("https://github.com/vllm-project/vllm/releases/tag/v0.28.0", "version=0.28.0", ""),
        ("https://github.com/acme/vllm/releases/tag/v0.28.0", "version=0.28.0 fork=acme", ""),
        ("vllm-0.28.0-cp38-abi3-manylinux1_x86_64.whl", "version=0.28.0", ""),
        ("/tmp/vllm-0.28.0+cu129-cp38-abi3-manylinux1_x86_64.whl", "version=0.28.0+cu129", ""),
        ("latest 09/10/2026", "", "09/10/2026 can be 2026-09-10 or 2026-10-09"),
        ("main of 25/10/2026", "branch=main earliest=2026-10-25 latest=2026-10-25", ""),
        ("latest 9月20日", "", "9月20日 is a day without a year"),
        # quiet: what only looks like it
        ("0.28.0 with NCCL 2.28.9", "version=0.28.0", ""),
        ("0.28.0, works on 0.27.1", "version=0.28.0", "0.27.1 is named too"),
        ("main after PR 1964", "branch=main after_pr=1964", ""),
    ],
)
def test_words_around_a_number(text, known, note):
    build, _, _ = read_build(text, engine="vllm", strict=True)
    fields = ("version", "commit", "branch", "fork", "after_pr", "earliest", "latest")
    found = " ".join(f"{name}={getattr(build, name)}" for name in fields if getattr(build, name))
    assert found == known
    assert any(note in one for one in build.notes) if note else build.notes == ()


@pytest.mark.parametrize(
    ("image", "fork"),
    [
        ("lmsysorg/sglang:v0.5.16-pr1234", "pr1234"),
        ("lmsysorg/sglang:v0.5.16-ours", "ours"),
        ("vllm/vllm-openai:v0.11.0-custom", "custom"),
        ("lmsysorg/sglang:v0.5.16-cu130", ""),
        ("lmsysorg/sglang:v0.5.16-rocm700-mi30x", ""),
        ("sglang:v0.5.16-cu129", ""),
        ("sglang:v0.5.16-cu129-ours", "ours"),
        ("vllm/vllm-openai:v0.11.0-x86_64", ""),
        ("openmmlab/lmdeploy:v0.9.0-cu12", ""),
    ],
)
def test_a_tag_that_the_project_does_not_give_out_is_no_stock_release(image: str, fork: str) -> None:
    build, _, notes = read_build(image, engine=None, known={name: knowledge(name) for name in named()})
    assert build.fork == fork
    assert bool(fork) is any("is not the stock release" in one.text for one in notes)
