"""Nothing is a symptom where nothing is wrong."""

import pytest

from tests.evidence.situations import HEALTHY, assert_quiet, facts, handed, values

LOGS = sorted(path for path in HEALTHY.iterdir() if path.name != "README.md")
MISREAD: dict[str, str] = {}  # a file that is still misread, and why


def marked(path):
    why = MISREAD.get(path.name)
    return pytest.param(path, marks=pytest.mark.xfail(reason=why, strict=True)) if why else path


@pytest.mark.parametrize("path", [marked(path) for path in LOGS], ids=lambda path: path.name)
@pytest.mark.parametrize("name", ["as a file", "-"])
def test_a_well_deployment_yields_no_symptom(path, name):
    assert_quiet(handed(path.read_bytes(), path.name if name == "as a file" else "-"))


@pytest.mark.parametrize("path", [one for one in LOGS if one.suffix == ".log"], ids=lambda path: path.name)
def test_every_line_of_a_log_file_is_read_as_log(path):
    assert [one.artifact.kind for one in handed(path.read_bytes(), path.name)] == ["log"]


@pytest.mark.parametrize(
    ("name", "covered"),
    [
        ("capture-rank0.log", True),
        ("vllm-tp2-eagle3.log", True),
        ("sglang-tp2.log", True),
        ("sglang-kubectl-prefix.log", True),
        ("vllm-docker-json.log", True),
        ("lmdeploy-turbomind.log", True),
        ("xllm-npu-mtp-rank0.log", True),
        ("vllm-pp4-long-context.log", False),  # it goes on
        ("vllm-container-restarted.log", False),  # stopped once, and running again
        ("xllm-npu-mtp-rank1.log", False),  # killed without a word
    ],
)
def test_only_a_whole_life_is_covered(name, covered):
    assert handed((HEALTHY / name).read_bytes(), name)[0].artifact.covered is covered


@pytest.mark.parametrize(
    "name", ["vllm-tp2-eagle3.log", "sglang-tp2.log", "lmdeploy-turbomind.log", "capture-rank1.log"]
)
def test_a_clean_stop_is_seen(name):
    assert values(handed((HEALTHY / name).read_bytes(), name), "process.clean_exit") == [True]


@pytest.mark.parametrize(
    ("name", "engine", "version"),
    [
        ("vllm-tp2-eagle3.log", "vllm", "0.27.0"),
        ("vllm-0.6-nccl-info.log", "vllm", "0.6.3"),
        ("xllm-npu-mtp-rank0.log", "xllm", "0.10.0"),
        ("sglang-tp2.log", "sglang", None),
        ("lmdeploy-pytorch-mtp.log", "lmdeploy", None),
    ],
)
def test_an_engine_introduces_itself(name, engine, version):
    found = handed((HEALTHY / name).read_bytes(), name)
    assert set(values(found, "banner.engine")) == {engine}
    assert set(values(found, "banner.version")) == ({version} if version else set())
    assert values(found, "banner.args")


def test_the_error_of_one_request_is_told_but_asks_for_nothing():
    found = handed((HEALTHY / "vllm-pp4-long-context.log").read_bytes(), "server.log")
    assert [(fact.value, fact.notable) for fact in facts(found) if fact.name == "error.exception"] == [
        ("ValueError", False)
    ]
