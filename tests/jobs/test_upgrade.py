"""`advisor upgrade`: the smallest release that clears a launch, why others were skipped, what changes, the edit."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from advisor.errors import UsageError
from advisor.jobs.upgrade import UpgradeRequest, upgrade
from advisor.model.upgrade import UpgradeReport
from tests.deployment_pairs import ROOT
from tests.front_door import advisor

SPEC = '--pipeline-parallel-size 2 --speculative-config \'{"method": "dspark"}\''


def of_file(name: str, **more: str) -> UpgradeReport:
    return upgrade(UpgradeRequest(name=name, content=(ROOT / name).read_bytes(), **more))


def of_flags(engine: str, start: str, flags: str, limit: str = "") -> UpgradeReport:
    return upgrade(UpgradeRequest(engine=engine, start=start, flags=flags, limit=limit))


def changed(report: UpgradeReport) -> list[str]:
    return [one for one in report.diff.splitlines() if one[:1] in "+-" and one[:3] not in ("+++", "---")]


def test_the_first_release_that_clears_every_finding() -> None:
    found = of_file("kserve/serving-runtime.yaml")
    assert (found.engine, found.start, found.release, found.clears) == ("sglang", "0.5.16", "0.5.20", True)
    reasons = {one.release: one.reasons for one in found.skipped}
    assert reasons["0.5.19"] == ("sglang/timeout-abort-divergence exposed",)
    assert set(reasons["0.5.17"]) == {
        "sglang/timeout-abort-divergence exposed",
        "sglang/spec-tp-state-divergence exposed",
    }
    assert changed(found) == ["-      image: lmsysorg/sglang:v0.5.16", "+      image: lmsysorg/sglang:v0.5.20"]


def test_a_version_that_a_variable_holds() -> None:
    assert changed(of_file("dockerfile/Dockerfile.shell-form")) == ["-ARG VLLM_TAG=v0.29.0", "+ARG VLLM_TAG=v0.30.0"]


def test_the_release_asked_about_may_be_well() -> None:
    found = of_file("docker/qwen-tp2.sh")
    assert (found.needed, found.release, found.diff, found.skipped) == (False, found.start, "", ())


def test_flags_that_the_release_refuses_are_replaced_on_the_way() -> None:
    found = of_flags("vllm", "0.28.0", f"vllm serve m {SPEC} --swap-space 4 --seed 1")
    assert (found.release, found.clears) == ("0.30.0", True)
    assert changed(found) == [f"-vllm serve m {SPEC} --swap-space 4 --seed 1", f"+vllm serve m {SPEC} --seed 1"]
    assert all(one.reasons == ("vllm/pp-spec-refused exposed",) for one in found.skipped)


def test_what_the_launch_does_not_decide_is_told() -> None:
    found = of_flags("vllm", "0.28.0", """--pipeline-parallel-size 2 --speculative-config '{"method": "mtp"}'""")
    assert not found.needed
    assert ["vllm/pp-spec-refused" in one.rules for one in found.undecided if one.question == "Which model is served?"]
    decided = of_flags("vllm", "0.28.0", f"vllm serve m {SPEC}")
    assert not [one for one in decided.undecided if "vllm/pp-spec-refused" in one.rules]


def test_none_clears_all() -> None:
    found = of_file("shell/lmdeploy-mtp-dp.sh")
    assert not found.clears and found.release == "0.15.0"
    assert {one.id for one in found.remain if one.kind == "exposure"} == {"lmdeploy/mtp-silent-hang"}
    assert {one.id for one in found.now if one.kind == "exposure"} == {
        "lmdeploy/mtp-silent-hang",
        "lmdeploy/mtp-dp-meta",
    }


def test_no_later_release_than_asked() -> None:
    found = of_flags("vllm", "0.28.0", f"vllm serve m {SPEC}", limit="0.29.0")
    assert (
        not found.clears
        and found.limit == "0.29.0"
        and "0.30.0" not in {found.release, *(s.release for s in found.skipped)}
    )


def test_settings_that_change_on_the_way_are_named() -> None:
    found = of_file("shell/lmdeploy-mtp-dp.sh")
    assert [(one.name, one.says) for one in found.changes] == [("--server-port", ("default: 23333 -> none",))]


def test_an_image_with_a_suffix_is_not_promised(tmp_path: Path) -> None:
    text = (ROOT / "kserve/serving-runtime.yaml").read_text().replace("sglang:v0.5.16", "sglang:v0.5.16-cu130")
    found = upgrade(UpgradeRequest(name="r.yaml", content=text.encode()))
    assert "+      image: lmsysorg/sglang:v0.5.20-cu130" in changed(found)
    assert any("was published" in one for one in found.notes)


def test_another_publishers_image_is_not_promised() -> None:
    text = (ROOT / "kserve/serving-runtime.yaml").read_text().replace("lmsysorg/sglang", "example.com/team/sglang")
    found = upgrade(UpgradeRequest(name="r.yaml", content=text.encode(), start="0.5.16", engine="sglang"))
    assert found.release == "0.5.20" and any("was published" in one for one in found.notes)


@pytest.mark.parametrize(
    ("request_", "says"),
    [
        (UpgradeRequest(engine="vllm", start="0.28", flags="--tp 2", limit="0.27.0"), "is not after"),
        (UpgradeRequest(engine="nosuch", start="1", flags="--tp 2"), "no settings are known"),
        (UpgradeRequest(engine="vllm", start="many", flags="--tp 2"), "not a version"),
        (UpgradeRequest(name="x.txt", content=b"hello"), "no launch is recognised"),
        (UpgradeRequest(name="r.sh", content=b"vllm serve m --seed 1\n"), "names no release"),
    ],
)
def test_what_cannot_be_asked(request_: UpgradeRequest, says: str) -> None:
    with pytest.raises(UsageError, match=says):
        upgrade(request_)


def test_what_is_not_ruled_out_is_one_line_unless_it_is_asked_for() -> None:
    given = ("upgrade", "--engine", "vllm", "--from", "0.28.0", "--flags", "vllm serve m --tensor-parallel-size 2")
    short, long = advisor(*given), advisor(*given, "--verbose")
    found = advisor(*given, "--format", "json").report["undecided"]
    ids = {id for one in found for id in one["rules"]}
    said = " ".join(short.out.split())
    assert len(ids) > 10 and f"does not decide it: {len(ids)} (--verbose asks what does): {sorted(ids)[0]}, " in said
    assert short.out.count("?") == 0 and short.out.count("\n") < 30
    assert all(" ".join(one["question"].split()) in " ".join(long.out.split()) for one in found)


DSV4 = """vllm serve deepseek-ai/DeepSeek-V4 --kv-transfer-config '{"kv_connector": "M", "kv_role": "kv_producer"}'"""


def test_a_plugin_is_what_the_engine_below_it_is_started_for() -> None:
    found = of_flags("vllm-ascend", "0.20.2rc1", DSV4)
    assert (found.engine, found.release, found.clears, found.needed) == ("vllm-ascend", "0.21.0rc1", True, True)
    assert [one.id for one in found.now if one.kind == "exposure"] == ["vllm-ascend/dsv4-pd-hang"]
    assert any("is made for vllm 0.21.0" in one for one in found.notes)
    assert any("is a candidate" in one for one in found.notes)
    assert "VLLM_USE_RAY_V2_EXECUTOR_BACKEND" in {one.name for one in found.defaults}  # a default of the vLLM below
    script = upgrade(UpgradeRequest("vllm-ascend", "0.20.2rc1", name="run.sh", content=f"{DSV4}\n".encode()))
    assert (script.release, script.diff) == ("0.21.0rc1", "")


def test_an_image_says_that_a_plugin_runs() -> None:
    text = f"docker run quay.io/ascend/vllm-ascend:v0.20.2rc1 {DSV4}\n"
    found = upgrade(UpgradeRequest(name="run.sh", content=text.encode()))
    assert (found.engine, found.start, found.release) == ("vllm-ascend", "0.20.2rc1", "0.21.0rc1")
    assert changed(found) == [f"-{text.strip()}", f"+{text.strip().replace('0.20.2rc1', '0.21.0rc1')}"]
    both = f"{text}docker run vllm/vllm-openai:v0.28.0 --model m {SPEC}\n"
    for engine, release in (("vllm-ascend", "0.21.0rc1"), ("vllm", "0.30.0")):
        found = upgrade(UpgradeRequest(engine, name="run.sh", content=both.encode()))
        assert found.release == release and len(changed(found)) == 2
    with pytest.raises(UsageError) as told:
        upgrade(UpgradeRequest("vllm", name="run.sh", content=text.encode()))
    assert "--engine vllm-ascend" in told.value.line()


def test_the_front_door(tmp_path: Path) -> None:
    ran = advisor("upgrade", str(ROOT / "lws/vllm-pp-mtp.yaml"))
    assert ran.code == 0 and "vllm 0.30.0 is the smallest release after 0.26.0" in " ".join(ran.out.split())
    ran = advisor(
        "upgrade", "--engine", "vllm", "--from", "0.28.0", "--flags", f"vllm serve m {SPEC}", "--format", "json"
    )
    assert json.loads(ran.out)["release"] == "0.30.0"
    assert advisor("upgrade", "--engine", "vllm", "--flags", "--tp 2").code == 2
    assert advisor("upgrade", str(ROOT / "shell/lmdeploy-mtp-dp.sh")).code == 1


def test_another_engine_in_the_file_is_left_as_it_is(tmp_path: Path) -> None:
    text = (
        "#!/bin/bash\n"
        "docker run vllm/vllm-openai:v0.10.0 --model m -pp 2 --swap-space 4 &\n"
        "docker run lmsysorg/sglang:v0.5.16 python -m sglang.launch_server --model-path m --tp 8 --enable-ep-moe\n"
    )
    found = upgrade(UpgradeRequest(name="run.sh", content=text.encode(), engine="vllm"))
    assert not [line for line in changed(found) if "sglang" in line]


def test_a_plugins_launch_takes_the_flags_of_the_engine_below() -> None:
    text = "docker run quay.io/ascend/vllm-ascend:v0.20.2rc1 vllm serve m --swapspace 4\n"
    found = upgrade(UpgradeRequest(name="run.sh", content=text.encode()))
    says = "--swapspace is a flag of no vllm release read; did you mean --swap-space?"
    assert [(one.says, one.level) for one in found.now] == [(says, "error")]  # the plugin is made for one vLLM
