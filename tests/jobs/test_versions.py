"""`--version` in every form met in the wild: what of it is a place among builds, and what is asked instead."""

import json
from datetime import date

import pytest

from advisor.jobs.assemble import assemble
from advisor.jobs.request import File, Request
from tests.front_door import advisor, assert_asks, checked

SHA = "4f819f801e5c0d4b6a7f8f0d3c2b1a0918273645"
FIELDS = ("engine", "version", "commit", "branch", "fork", "after_pr", "digest", "earliest", "latest")


def case(text, engine=""):
    return assemble(Request(engine=engine, version=text))[0]


def said(build):
    """What of a build is known, as one line: `vllm version=0.28.0 cuda=13.0`."""
    known = [(name, getattr(build, name)) for name in FIELDS if getattr(build, name)]
    known += [(one.name, one.version) for one in build.components]
    words = [text.isoformat() if isinstance(text, date) else str(text) for _, text in known]
    return " ".join(
        text if name == "engine" else f"{name}={text}" for (name, _), text in zip(known, words, strict=True)
    )


def assert_placed(text, known, note="", engine=""):
    build = case(text, engine).build
    assert said(build) == known
    assert any(note in one for one in build.notes) if note else build.notes == ()


PLACED = [
    # the forms of the design
    ("vllm", "0.11.2.dev278+gccfeb3a8", "vllm version=0.11.2.dev278+gccfeb3a8 commit=ccfeb3a8"),
    ("vllm", "v0.23.1rc1.dev1373+g387189c42", "vllm version=0.23.1rc1.dev1373+g387189c42 commit=387189c42"),
    (
        "vllm",
        "0.25.2.dev0+g752a3a504.d20260720",
        "vllm version=0.25.2.dev0+g752a3a504.d20260720 commit=752a3a504 latest=2026-07-20",
    ),
    ("vllm", "0.11.0+cu129", "vllm version=0.11.0+cu129"),
    ("sglang", "0.4.6.post5", "sglang version=0.4.6.post5"),
    ("xllm", "main at 6bc3fd24", "xllm commit=6bc3fd24 branch=main"),
    # a tag that carries a release, and what its other words imply
    ("", "lmsysorg/sglang:v0.5.16-cu130", "sglang version=0.5.16 cuda=13.0"),
    ("", "lmsysorg/sglang:v0.5.16", "sglang version=0.5.16 cuda=13.0"),
    ("", "lmsysorg/sglang:v0.5.10.post1", "sglang version=0.5.10.post1 cuda=12.9"),
    ("", "lmsysorg/sglang:v0.5.6.post1-cu129-amd64", "sglang version=0.5.6.post1 cuda=12.9"),
    ("", "lmsysorg/sglang:v0.4.6.post1-cu124-srt", "sglang version=0.4.6.post1 cuda=12.4"),
    ("", "lmsysorg/sglang:v0.5.9-rocm700-mi35x", "sglang version=0.5.9 rocm=7.0.0"),
    ("", "vllm/vllm-openai:v0.19.1", "vllm version=0.19.1 cuda=12.9"),
    ("", "vllm/vllm-openai:v0.20.0", "vllm version=0.20.0 cuda=13.0"),
    ("", "vllm/vllm-openai:v0.30.0", "vllm version=0.30.0"),
    ("", "vllm/vllm-openai:v0.28.0-x86_64-cu129-ubuntu2404", "vllm version=0.28.0 cuda=12.9"),
    ("", "vllm/vllm-openai-rocm:v0.28.0", "vllm version=0.28.0"),
    ("", "openmmlab/lmdeploy:v0.15.0-cu12", "lmdeploy version=0.15.0 cuda=12.6"),
    ("", "openmmlab/lmdeploy:v0.10.2-cu12", "lmdeploy version=0.10.2 cuda=12.4"),
    ("", "openmmlab/lmdeploy:v0.12.3.post2-cu12.8", "lmdeploy version=0.12.3.post2 cuda=12.8"),
    ("", "quay.io/jd_xllm/xllm-ai:xllm-0.7.2-release-hb-rc2-arm", "xllm version=0.7.2"),
    ("", "quay.io/ascend/vllm-ascend:v0.11.0rc1-a3-openeuler", "vllm-ascend version=0.11.0rc1"),
    (
        "",
        "quay.io/ascend/vllm-ascend:nightly-main-310p-openeuler-cann2026.08.03-20260729",
        "vllm-ascend branch=main earliest=2026-07-28 latest=2026-07-29 cann=2026.08.03",
    ),
    # a tag that carries a commit; a day of a nightly is that of the tag, its commit may be a day older
    ("", f"vllm/vllm-openai:nightly-{SHA}", f"vllm commit={SHA} branch=main"),
    ("", f"vllm/vllm-openai:cu129-nightly-{SHA}", f"vllm commit={SHA} branch=main cuda=12.9"),
    ("", f"public.ecr.aws/q9t5s3a7/vllm-ci-postmerge-repo:{SHA}", f"vllm commit={SHA} branch=main"),
    ("", f"public.ecr.aws/q9t5s3a7/vllm-release-repo:{SHA}-x86_64-cu129", f"vllm commit={SHA} cuda=12.9"),
    (
        "",
        "lmsysorg/sglang:nightly-dev-cu13-20260815-a5ba081f",
        "sglang commit=a5ba081f branch=main earliest=2026-08-14 latest=2026-08-15",
    ),
    # what tools print
    ("vllm", "INFO 11-29 12:00:00 [__init__.py:216] Automatically detected platform cuda.\n0.28.0", "vllm version=0.28.0"),
    ("", "Name: vllm\nVersion: 0.28.0\nSummary: an engine\nRequires: torch, ray\nRequired-by:", "vllm version=0.28.0"),
    ("sglang", "0.5.17.dev20260817+g1a2b3c4d", "sglang version=0.5.17.dev20260817+g1a2b3c4d commit=1a2b3c4d"),
    ("", f"vllm @ git+https://github.com/vllm-project/vllm@{SHA}", f"vllm commit={SHA}"),
    ("", f"-e git+https://github.com/sgl-project/sglang.git@{SHA}#egg=sglang", f"sglang commit={SHA}"),
    ("", "vllm-0.28.0+cu130-cp38-abi3-manylinux_2_35_x86_64.whl", "vllm version=0.28.0+cu130"),
    ("lmdeploy", "f03bdf1c (HEAD -> main, origin/main) a subject (#4812)", "lmdeploy commit=f03bdf1c branch=main"),
    (
        "",
        "REPOSITORY         TAG             IMAGE ID       CREATED       SIZE\n"
        "lmsysorg/sglang    v0.5.16-cu130   7b6a35df1234   3 weeks ago   25GB",
        "sglang version=0.5.16 cuda=13.0",
    ),
    (
        "",
        "CONTAINER ID   IMAGE                      COMMAND        CREATED       STATUS\n"
        'abcdef123456   vllm/vllm-openai:v0.30.0   "vllm serve"   2 hours ago   Up 2 hours',
        "vllm version=0.30.0",
    ),
    ("", "IMAGE                      ID             DISK USAGE\nvllm/vllm-openai:v0.30.0   7b6a35df1234   25GB", "vllm version=0.30.0"),
]  # fmt: skip


@pytest.mark.parametrize(("engine", "text", "known"), PLACED)
def test_is_placed_without_more_ado(engine, text, known):
    assert_placed(text, known, engine=engine)


NOTED = [
    # `latest`: the newest release of the day, where the project pushes it so and the day leaves one answer
    ("lmsysorg/sglang:latest, pulled 2026-08-02", "sglang version=0.5.16 latest=2026-08-02", "inferred from the day alone"),
    ("vllm/vllm-openai:latest pulled 2026-08-03", "vllm version=0.26.0 latest=2026-08-03", "inferred from the day alone"),
    ("vllm/vllm-openai:latest pulled 2026-08-11", "vllm latest=2026-08-11", "it is 0.27.1 or an older release, back to 0.26.0"),
    ("vllm/vllm-openai:latest pulled July 2026", "vllm latest=2026-07-31", "it is 0.26.0 or an older release, back to 0.23.0"),
    ("vllm/vllm-openai:latest from before 2026-08-03", "vllm latest=2026-08-03", "not newer than 0.26.0"),
    ("vllm/vllm-openai:latest, created 2026-08-03", "vllm latest=2026-08-03", "what it holds is of 2026-08-03 or before"),
    ("vllm/vllm-openai:latest pulled 2027-02-03", "vllm latest=2027-02-03", "is not known here"),
    ("lmsysorg/sglang:latest pulled 2026-03-30", "sglang latest=2026-03-30", "it is 0.5.9 or v0.5.10rc0"),
    ("openmmlab/lmdeploy:latest pulled 2026-08-20", "lmdeploy branch=main latest=2026-08-20", "not the newest release"),
    ("openmmlab/lmdeploy:latest created 2026-08-20", "lmdeploy branch=main earliest=2026-08-19 latest=2026-08-20", "main of 2026-08-20"),
    # tags that are pushed again and again, and no day
    ("vllm/vllm-openai:latest", "vllm", "docker run --rm --entrypoint pip vllm/vllm-openai:latest show vllm"),
    ("lmsysorg/sglang:dev", "sglang branch=main", "docker run --rm --entrypoint pip lmsysorg/sglang:dev show sglang"),
    ("vllm/vllm-openai:cu129-nightly-aarch64", "vllm branch=main cuda=12.9", "no day is said"),
    ("quay.io/ascend/vllm-ascend:main-a3", "vllm-ascend branch=main", "no day is said"),
    ("quay.io/ascend/vllm-ascend:latest", "vllm-ascend", "nothing since v0.13.0"),
    # made for one model or machine, or without an engine
    ("lmsysorg/sglang:deepep", "sglang", "pushed by hand"),
    ("lmsysorg/sglang:dev-inkling-dspark", "sglang", "built from a branch"),
    ("vllm-openai:gptoss", "vllm", "has no form that the project's releases have"),
    ("quay.io/jd_xllm/xllm-ai:xllm-dev-a3-arm-20260429", "xllm", "`git rev-parse HEAD` in the tree that xllm was compiled from"),
    ("main, docker xllm-dev-a3-arm-20260429", "xllm branch=main", "a build environment"),
    ("vllm/vllm-openai-rocm:v0.28.0-base", "vllm", "without vLLM"),
    (f"public.ecr.aws/q9t5s3a7/vllm-ci-test-repo:{SHA}-xpu", f"vllm commit={SHA}", "need not be on main"),
    # a number beside a day is not always a release
    (
        "lmsysorg/sglang-rocm:v0.5.17-rocm720-mi35x-20260817",
        "sglang branch=main earliest=2026-08-16 latest=2026-08-17 rocm=7.2.0",
        "a nightly of main",
    ),
    ("rocm/vllm:rocm7.0.0_vllm_0.11.1_20251024", "vllm latest=2025-10-24", "is older than 0.11.1, which was released on 2025-11-19"),
    ("rocm/vllm:rocm7.0.0_vllm_0.10.2_20251006", "vllm version=0.10.2", "AMD builds it"),
    # NVIDIA's
    ("nvcr.io/nvidia/vllm:25.11-py3", "vllm version=0.11.0+582e4e37.nv25.11", "NVIDIA builds it"),
    (
        "nvcr.io/nvidia/vllm:26.05-py3",
        "vllm version=0.20.1 cuda=13.2.1 flashinfer=0.6.10 transformers=5.6.0 torch=2.12.0a0+5aff3928d8",
        "NVIDIA builds it",
    ),
    ("nvcr.io/nvidia/vllm:26.04-py3", "vllm", "docker run --rm --entrypoint pip nvcr.io/nvidia/vllm:26.04-py3 show vllm"),
    ("nvcr.io/nvidia/vllm:26.05.post1-py3", "vllm", "does not name a release"),
    ("nvcr.io/nvidia/sglang:25.10-py3", "sglang cuda=13.0.2.006", "does not name a release"),
    ("nvcr.io/nvidia/ai-dynamo/vllm-runtime:0.7.0", "vllm version=0.11.0", "NVIDIA Dynamo"),
    ("nvcr.io/nvidia/ai-dynamo/sglang-runtime:1.0.0-cuda13", "sglang version=0.5.9", "NVIDIA Dynamo"),
    ("nvcr.io/nvidia/ai-dynamo/vllm-runtime:1.5.0", "vllm", "does not name a release"),
    ("nvcr.io/nvidia/pytorch:25.10-py3", "torch=2.9.0a0+145a3a7bda.nv25.10", "carries no engine of its own"),
    ("vllm 0.11.0+582e4e37.nv25.11", "vllm version=0.11.0+582e4e37.nv25.11", "NVIDIA's own build"),
    # mirrors and private registries
    ("registry.local:5000/lmsysorg/sglang:v0.5.16-cu129", "sglang version=0.5.16 cuda=12.9", "a mirror of lmsysorg/sglang"),
    ("docker.1ms.run/openmmlab/lmdeploy:v0.12.2-cu12.8", "lmdeploy version=0.12.2 cuda=12.8", "a mirror of openmmlab/lmdeploy"),
    ("mycorp/vllm:prod-7", "vllm", "only its builder knows"),
    ("mycorp/vllm-openai:v0.11.0", "vllm version=0.11.0", "not an image of the project itself"),
    ("lmsysorg/sglang:v0.5.18-patched", "sglang version=0.5.18 fork=patched", "not the stock release"),
    # digests
    (f"vllm/vllm-openai@sha256:{'ab' * 32}", f"vllm digest=sha256:{'ab' * 32}", f"skopeo inspect docker://vllm/vllm-openai@sha256:{'ab' * 32}"),
    ("Name: sglang\nVersion: 0.5.16\nEditable project location: /sgl-workspace/sglang/python", "sglang version=0.5.16", "git -C /sgl-workspace/sglang/python status"),
]  # fmt: skip


@pytest.mark.parametrize(("text", "known", "note"), NOTED)
def test_is_placed_or_asked_with_a_word_on_it(text, known, note):
    assert_placed(text, known, note, engine="" if "xllm" not in text else "xllm")


def test_docker_io_is_no_mirror():
    assert_placed("docker.io/vllm/vllm-openai:v0.30.0", "vllm version=0.30.0")


def test_a_tag_with_its_digest_keeps_both():
    digest = f"sha256:{'ab' * 32}"
    assert_placed(f"lmsysorg/sglang:v0.5.16@{digest}", f"sglang version=0.5.16 digest={digest} cuda=13.0")


def test_the_version_that_is_said_beside_latest_stands():
    build = case("lmsysorg/sglang:latest (0.5.17), pulled 2026-08-02").build
    assert build.version == "0.5.17"


def test_an_image_of_vllm_ascend_holds_the_vllm_it_was_made_for():
    build = case("quay.io/ascend/vllm-ascend:v0.14.0rc1", "vllm").build  # its Dockerfile: VLLM_TAG=v0.14.1
    assert said(build) == "vllm version=0.14.1 fork=vllm-ascend vllm-ascend=0.14.0rc1"
    assert any("pip quay.io/ascend/vllm-ascend:v0.14.0rc1 show vllm" in note for note in build.notes)


def test_an_image_of_another_engine_is_not_taken():
    assert_placed("vllm/vllm-openai:v0.28.0", "sglang", "is an image of vllm, not of sglang", engine="sglang")


@pytest.mark.parametrize(
    ("image", "arch"),
    [("vllm/vllm-openai:v0.28.0-aarch64", "aarch64"), ("lmsysorg/sglang:v0.5.5-cu129-amd64", "x86_64")],
)
def test_a_tag_tells_the_architecture(image, arch):
    facts = [one for one in case(image).facts if one.name == "hardware.arch"]
    assert [(one.value, one.origin) for one in facts] == [(arch, "derived")]


# --- what docker inspect prints

UBUNTU = {"org.opencontainers.image.ref.name": "ubuntu", "org.opencontainers.image.version": "22.04"}
VLLM = {
    "org.opencontainers.image.source": "https://github.com/vllm-project/vllm",
    "org.opencontainers.image.revision": SHA,
    "org.opencontainers.image.version": "vllm/vllm-openai:v0.26.0",
}
NIGHTLY = {
    "org.opencontainers.image.source": "https://github.com/sgl-project/sglang",
    "org.opencontainers.image.revision": SHA,
    "org.opencontainers.image.version": f"lmsysorg/sglang:nightly-dev-20260815-{SHA[:8]}",
}


def inspected(name, labels):
    image = {
        "Id": f"sha256:{'12' * 32}",
        "RepoTags": [name],
        "RepoDigests": [f"{name.partition(':')[0]}@sha256:{'ab' * 32}"],
        "Created": "2026-08-17T01:02:03.123456789Z",
        "Config": {"Env": ["CUDA_VERSION=13.0.2", "NCCL_VERSION=2.28.3-1"], "Labels": labels},
    }
    return json.dumps([image], indent=4)


def test_labels_place_a_latest():
    known = f"vllm version=0.26.0 commit={SHA} digest=sha256:{'ab' * 32} latest=2026-08-17 cuda=13.0.2"
    assert_placed(inspected("vllm/vllm-openai:latest", VLLM), known)


def test_labels_place_a_dev_image_by_its_whole_commit():
    build = case(inspected("lmsysorg/sglang:dev", NIGHTLY)).build
    assert (build.commit, build.branch, build.image) == (SHA, "main", "lmsysorg/sglang:dev")
    assert (str(build.earliest), str(build.latest)) == ("2026-08-14", "2026-08-15")


def test_labels_are_inherited_and_that_is_said():
    build = case(inspected("mycorp/vllm:prod-7", VLLM)).build
    assert (build.version, build.image) == ("0.26.0", "mycorp/vllm:prod-7")
    assert any("an image built on top keeps them" in note for note in build.notes)


def test_the_label_of_the_distribution_is_no_version():
    build = case(inspected("vllm/vllm-openai:latest", UBUNTU)).build
    assert (build.version, str(build.latest)) == (None, "2026-08-17")
    assert any("22.04 is the base image's" in note for note in build.notes)


def test_labels_alone_place_too():
    assert_placed(json.dumps(VLLM), f"vllm version=0.26.0 commit={SHA} cuda=13.0")


@pytest.mark.parametrize("before", ["", "vLLM hangs after an hour.\n\n"])
def test_labels_in_a_paste_place_too(before):
    file = File("report.md", (before + json.dumps(VLLM, indent=2)).encode())
    build = assemble(Request(files=(file,)))[0].build
    assert said(build) == f"vllm version=0.26.0 commit={SHA} cuda=13.0"


# --- on the command line


def test_the_report_asks_for_what_latest_is():
    flags = "vllm serve m --pipeline-parallel-size 2 --spec-method dspark --spec-tokens 2"
    ran = checked("--version", "vllm/vllm-openai:latest", "--flags", flags, "--symptom", "it hangs")
    notes = ran.report["build"]["notes"]
    assert "docker run --rm --entrypoint pip vllm/vllm-openai:latest show vllm" in notes[0]
    assert_asks(ran, "Which exact build")


def test_nothing_that_names_a_build_is_wrong_usage():
    ran = advisor("check", "--engine", "vllm", "--version", "latest")
    assert ran.code == 2 and "names no build" in ran.err


@pytest.mark.parametrize(
    "image",
    [
        "ghcr.io/llm-d/llm-d-cuda:v0.4.0", "kserve/huggingfaceserver:v0.15.0", "rayproject/ray-llm:2.46.0",
        "vllm/production-stack:0.1.2", "vllm/vllm-router:v0.1.4", "lmcache/lmstack-router:v0.1.5",
        "rhaiis/vllm-cuda-rhel9:3.2.0", "opea/vllm-gaudi:1.24.0", "lmcache/vllm-openai:v0.3.9",
    ],
)  # fmt: skip
def test_another_products_number_is_not_the_engines(image: str) -> None:
    build = case(image, "vllm").build
    assert (build.version, build.image) == (None, image)
    assert any("does not name a release" in note for note in build.notes)
