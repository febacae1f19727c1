"""vllm-ascend is named like an engine: its own rules on its own version, vLLM's rules on the vLLM below it."""

import json

import pytest

from tests.front_door import advisor, assert_asks, assert_leads, assert_quiet, checked

TYPE_ERROR = "TypeError: apply_token_bitmask_inplace_cpu(): incompatible function arguments"
CPU = "vllm-ascend/bitmask-cpu-typeerror"
SERVE = "vllm serve Qwen/Qwen3-8B -tp 2"
NAMED = ("--engine", "vllm-ascend", "--version", "0.13.0rc2", "--flags", SERVE)


def test_a_plugin_is_named_and_its_rules_are_judged_on_its_version():
    ran = checked(*NAMED, "--symptom", TYPE_ERROR)
    assert_leads(ran, CPU)
    assert ran.report["build"]["label"] == "vllm-ascend 0.13.0rc2"
    assert ran.report["build"]["components"]["vllm"] == "0.13.0"


def test_flags_are_those_of_the_engine_below():
    ran = checked(*NAMED, "--symptom", "hangs")
    assert {one["flag"] for one in ran.report["settings"]} == {"--tensor-parallel-size"}
    assert not ran.report["discrepancies"]
    assert not any("left aside" in note for note in ran.report["coverage"]["notes"])


def test_a_flag_that_the_engine_below_does_not_have_is_told():
    ran = checked("--engine", "vllm-ascend", "--version", "0.13.0", "--flags", f"{SERVE} --no-such-flag 3")
    assert [one["typed"] for one in ran.report["discrepancies"]] == ["--no-such-flag"]


@pytest.mark.parametrize("version", ["0.18.0", "0.30.0rc2"])
def test_a_flag_is_refused_by_the_release_for_which_the_plugin_is_made(version):
    flags = "vllm serve m --tensor-paralel-size 2 --swap-space 3"
    ran = checked("--engine", "vllm-ascend", "--version", version, "--flags", flags)
    assert ran.code == 1
    assert [one["level"] for one in ran.report["discrepancies"]] == ["error", "error"]
    vllm = version.removesuffix("rc2")
    said = f"vllm {vllm}, for which vllm-ascend {version} is made, has no --swap-space"
    assert ran.report["discrepancies"][1]["says"].startswith(said)


def test_a_build_between_two_releases_of_the_plugin_is_only_warned():
    ran = checked(
        "--engine", "vllm-ascend", "--version", "0.30.0rc2.dev3", "--flags", "vllm serve m --tensor-paralel-size 2"
    )
    assert (ran.code, [one["level"] for one in ran.report["discrepancies"]]) == (0, ["warning"])


@pytest.mark.parametrize("plugin", [("--version", "0.9.1"), ("--component", "vllm=0.9.1")])
def test_a_value_that_the_plugin_adds_is_taken(plugin):
    ran = checked("--engine", "vllm-ascend", *plugin, "--flags", f"{SERVE} --quantization ascend")
    assert not ran.report["discrepancies"]
    vllm = checked("--engine", "vllm", "--version", "0.9.1", "--flags", f"{SERVE} --quantization ascend")
    assert [one["code"] for one in vllm.report["discrepancies"]] == ["setting-value"]


@pytest.mark.parametrize(
    "shown",
    [
        ("--flags", f"docker run quay.io/ascend/vllm-ascend:v0.13.0rc2 {SERVE}"),
        ("--engine", "vllm", "--component", "vllm_ascend=0.13.0rc2"),
        ("--version", "quay.io/ascend/vllm-ascend:v0.13.0rc2-a3"),
        ("--engine", "vllm", "--version", "quay.io/ascend/vllm-ascend:v0.13.0rc2"),
    ],
)
def test_a_plugin_that_the_artefacts_show_is_judged(shown):
    assert_leads(checked(*shown, "--symptom", TYPE_ERROR), CPU)


@pytest.mark.parametrize(
    "shown",
    [
        ("--symptom", f"INFO 01-22 11:40:01 [__init__.py:238] Platform plugin ascend is activated\n{TYPE_ERROR}"),
        ("--hardware", "8x Ascend 910B3", "--symptom", TYPE_ERROR),
        ("--env", "ASCEND_RT_VISIBLE_DEVICES=0,1", "--symptom", TYPE_ERROR),
    ],
)
def test_a_plugin_without_a_version_is_asked_for_it(shown):
    ran = checked("--engine", "vllm", "--version", "0.13.0", *shown)
    assert_leads(ran, CPU, "likely")
    assert_asks(ran, "pip show vllm-ascend")


def test_no_rule_of_the_plugin_is_judged_where_none_is_seen():
    ran = checked("--engine", "vllm", "--version", "0.13.0", "--hardware", "8x H100", "--symptom", TYPE_ERROR)
    assert not any(rule.startswith("vllm-ascend/") for rule in ran.statuses())


PIPELINE = ("--flags", 'vllm serve m -pp 2 --speculative-config \'{"method": "mtp", "num_speculative_tokens": 1}\'')


def builds_named(ran, rule):
    finding = ran.finding(rule)
    return " ".join(one["says"] for one in (*finding["because"], *finding["deciding"]))


def test_rules_of_the_engine_below_are_judged_on_its_version():
    ran = checked("--engine", "vllm-ascend", "--version", "0.25.1rc1", *PIPELINE, "--symptom", "hangs")
    assert "vllm 0.25.1 (for which vllm-ascend 0.25.1rc1 is made)" in builds_named(ran, "vllm/pp-broadcast-skew")


def test_a_version_of_the_engine_below_that_is_given_wins():
    given = ("--component", "vllm=0.24.0", "--symptom", "hangs")
    ran = checked("--engine", "vllm-ascend", "--version", "0.25.1rc1", *PIPELINE, *given)
    assert ran.report["build"]["components"]["vllm"] == "0.24.0"
    assert "vllm 0.24.0" in builds_named(ran, "vllm/pp-broadcast-skew")


def test_nothing_of_nvidia_is_supposed_on_ascend():
    ran = checked(*NAMED, "--hardware", "aarch64", "--symptom", "hangs")
    assert_quiet(ran)
    assert "nccl" not in ran.report["build"]["components"]


def test_a_batch_takes_it_too():
    line = {"id": "a", "engine": "vllm-ascend", "version": "0.13.0rc2", "symptom": TYPE_ERROR}
    ran = advisor("check", "--batch", "-", stdin=json.dumps(line) + "\n")
    assert (ran.report["build"]["engine"], ran.statuses()[CPU]) == ("vllm-ascend", "matched")


def test_an_unknown_name_is_told_with_the_nearest():
    ran = checked("--engine", "vllm-ascnd", "--version", "0.13.0", "--symptom", TYPE_ERROR)
    assert "vllm-ascend" in ran.out + ran.err


PAIR = '--kv-transfer-config \'{"kv_connector": "MooncakeHybridConnector", "kv_role": "kv_consumer"}\''


@pytest.mark.parametrize(("tag", "shown"), [("v0.20.2rc1-a3", True), ("v0.21.0rc1-a3", False)])
def test_lint_judges_the_plugin_of_an_image(tmp_path, tag, shown):
    file = tmp_path / "decode.sh"
    file.write_text(f"docker run quay.io/ascend/vllm-ascend:{tag} vllm serve deepseek-ai/DeepSeek-V4-Flash {PAIR}\n")
    assert ("error vllm-ascend/dsv4-pd-hang" in advisor("lint", str(file)).out) is shown


ASCEND_LAUNCHES = {
    "run.sh": "docker run {variable}--ipc=host quay.io/ascend/vllm-ascend:v0.13.0rc2 vllm serve m -tp 2 {flag}\n",
    "install.sh": "pip install vllm-ascend==0.13.0rc2\n{export}vllm serve m -tp 2 {flag}\n",
    "both.sh": "pip install vllm-ascend==0.13.0rc2 vllm==0.13.0\n{export}vllm serve m -tp 2 {flag}\n",
    "Dockerfile": 'FROM quay.io/ascend/vllm-ascend:v0.13.0rc2\n{env}CMD ["vllm", "serve", "m", "-tp", "2", "{flag}"]\n',
}


@pytest.mark.parametrize("name", ASCEND_LAUNCHES)
def test_lint_and_fix_judge_the_plugin_as_check_does(tmp_path, name):
    said = {"variable": "-e VLLM_USE_V1=1 ", "export": "export VLLM_USE_V1=1\n", "env": "ENV VLLM_USE_V1=1\n"}
    file = tmp_path / name
    file.write_text(ASCEND_LAUNCHES[name].format(flag="--no-such-flag", **said), encoding="utf-8")
    found = {one["id"]: one for one in json.loads(advisor("lint", str(file), "--format", "json").out)["findings"]}
    assert set(found) == {"variable-removed", "setting-unknown"}
    assert found["setting-unknown"]["level"] == "error"  # the release below is known: 0.13.0
    by = "" if name == "both.sh" else ", for which vllm-ascend 0.13.0rc2 is made,"
    assert found["variable-removed"]["says"].startswith(f"vllm 0.13.0{by} does not read VLLM_USE_V1")
    advisor("fix", "--write", str(file))
    assert "VLLM_USE_V1" not in file.read_text(encoding="utf-8")


def test_what_holds_for_containers_of_the_engine_below_holds_for_the_plugins(tmp_path):
    file = tmp_path / "run.sh"
    file.write_text(f"docker run quay.io/ascend/vllm-ascend:v0.13.0rc2 {SERVE}\n", encoding="utf-8")
    assert "2 ranks of vllm share the 64 MiB" in " ".join(advisor("lint", str(file)).out.split())


def test_an_engine_installed_under_the_plugin_is_the_one_whose_flags_count(tmp_path):
    file = tmp_path / "run.sh"
    text = "pip install vllm-ascend==0.13.0rc2 vllm=={below}\nexport VLLM_USE_V1=1\nvllm serve m -tp 2\n"
    for below, removed in (("0.13.0", True), ("0.10.0", False)):
        file.write_text(text.format(below=below), encoding="utf-8")
        assert ("variable-removed" in advisor("lint", str(file)).out) is removed
