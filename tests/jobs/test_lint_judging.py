"""What lint says of a file: builds and their conflicts, places, what to do, grouping, fingerprints, secrets."""

from __future__ import annotations

import re
from dataclasses import replace
from typing import Any

import pytest

from advisor.jobs.lint_case import unit_of
from advisor.jobs.lint_judging import checks, findings_of
from advisor.model.deployment import Deployment, VersionSource
from advisor.model.lint import LintFinding
from tests.deployed import ids, lint, only, place, pod, quantity, workload
from tests.lint_checks import PAGE, page

SPEC = '--speculative-config \'{"method":"mtp","num_speculative_tokens":1}\''
REFUSED = f"vllm serve m \\\n  --pipeline-parallel-size 2 \\\n  {SPEC}\n"
PLAIN = "vllm serve m --max-model-len 4096\n"


# builds


@pytest.mark.parametrize(
    "given",
    [{"version": "0.28.0"}, {"pip": "vllm==0.28.0"}, {"image": "vllm/vllm-openai:v0.28.0"}],
)
def test_each_source_names_the_build(given: dict[str, Any]) -> None:
    found = lint(workload(REFUSED, **given))
    assert ids(found) == ["vllm/pp-spec-refused"]
    assert "vllm 0.28.0" in found[0].because[0]


def test_a_source_of_more_weight_is_judged_and_the_other_is_a_conflict() -> None:
    text = REFUSED + "# pip install vllm==0.30.0\n# image: vllm/vllm-openai:v0.28.0\n"
    found = lint(workload(text, pip="vllm==0.30.0", image="vllm/vllm-openai:v0.28.0"))
    conflict = only(found, "version-conflict")
    assert conflict.kind == "build" and conflict.level == "warning"
    assert conflict.region.snippet == "# image: vllm/vllm-openai:v0.28.0"
    assert conflict.related[0].region.snippet == "# pip install vllm==0.30.0"
    assert "vllm/pp-spec-refused" not in ids(found)  # fixed in 0.30.0, which is judged
    assert "version-conflict" not in ids(lint(workload(text, pip="vllm==0.28.0", image="vllm/vllm-openai:v0.28.0")))


def test_what_is_said_outright_goes_first() -> None:
    found = lint(workload(REFUSED, version="0.30.0", pip="vllm==0.28.0"))
    assert ids(found) == ["version-conflict"]


def test_a_source_that_names_no_release_gives_way_to_one_that_does() -> None:
    assert ids(lint(workload(REFUSED, pip="vllm", image="vllm/vllm-openai:v0.28.0"))) == ["vllm/pp-spec-refused"]


def test_an_image_of_something_else_does_not_name_the_engines_build() -> None:
    found = lint(workload(REFUSED, image="nvidia/cuda:12.8.0-devel-ubuntu22.04"))
    assert ids(found) == ["version-unknown"]
    both = lint(workload(REFUSED, pip="vllm==0.28.0", image="nvidia/cuda:12.8.0-devel-ubuntu22.04"))
    assert ids(both) == ["vllm/pp-spec-refused"]


def test_a_fork_is_not_the_release_it_names() -> None:
    stock = lint(workload(REFUSED, git="vllm-project/vllm@d87a440f88e28e5b37f9b1e22ce214d0426d5352"))
    assert "vllm/pp-spec-refused" not in ids(stock)
    own = unit_of((workload(REFUSED, git="someone/vllm@d87a440f88e28e5b37f9b1e22ce214d0426d5352"),)).case.build
    assert own.fork == "someone"


@pytest.mark.parametrize(
    ("given", "id"),
    [
        ({"image": "vllm/vllm-openai:latest"}, "version-unpinned"),
        ({"image": "vllm/vllm-openai:nightly"}, "version-unpinned"),
        ({"image": "vllm/vllm-openai"}, "version-unpinned"),
        ({"pip": "vllm"}, "version-unpinned"),
        ({"pip": "vllm>=0.28"}, "version-unpinned"),
        ({"image": "registry.example/team/vllm:prod-12"}, "version-unknown"),
        ({"image": "vllm/vllm-openai@sha256:" + "a" * 64}, "version-unknown"),
        ({"image": "vllm/vllm-openai:{{ .Values.tag }}"}, "version-unknown"),
        ({}, "version-unknown"),
    ],
)
def test_a_build_that_is_not_fixed_is_unknown_and_said(given: dict[str, Any], id: str) -> None:
    found = lint(workload(REFUSED, **given))
    assert ids(found) == [id]
    assert (found[0].kind, found[0].level) == ("build", "note")


def test_an_image_on_the_launch_alone_is_a_source() -> None:
    made = workload(REFUSED)
    found = lint(replace(made, launch=replace(made.launch, image="vllm/vllm-openai:v0.28.0")))
    assert ids(found) == ["vllm/pp-spec-refused"]


# exposure


def test_the_region_is_the_setting_that_a_remedy_changes_and_the_rest_is_related() -> None:
    text = REFUSED + "# vllm==0.28.0\n"
    found = only(lint(workload(text, pip="vllm==0.28.0")), "vllm/pp-spec-refused")
    assert (found.region.line, found.region.column) == (3, 3)
    assert found.region.snippet.strip() == SPEC and found.region.end_column == 3 + len(SPEC)
    assert [(one.region.line, one.says) for one in found.related] == [
        (2, "--pipeline-parallel-size 2"),
        (4, "the build: vllm==0.28.0"),
    ]


def test_advice_is_better_than_a_suggestion_in_the_rules_order_with_its_cost() -> None:
    found = only(lint(workload(REFUSED, version="0.28.0")), "vllm/pp-spec-refused")
    assert found.advice[0].startswith("Keep the pipeline and serve without speculation. Cost: ")
    assert "Upgrade to 0.30.0" in found.advice[1]
    assert not any("only suggested" in one for one in found.advice)
    assert (found.actionability, found.edit) == ("fix released", "unsafe")
    assert found.says.endswith("first fixed in 0.30.0") and found.sources
    assert (
        found.says.startswith("vllm 0.28.0 with --speculative-config ") and "--pipeline-parallel-size 2" in found.says
    )


def test_without_a_released_fix_a_setting_is_a_workaround() -> None:
    text = "export SGLANG_SPEC_TP_SYNC=off\npython -m sglang.launch_server --model-path m --tp 2 --speculative-algorithm DSPARK\n"
    found = only(lint(workload(text, version="0.5.21")), "sglang/spec-tp-sync-narrowed")
    assert found.actionability == "workaround"
    assert found.region.snippet == "export SGLANG_SPEC_TP_SYNC=off"


def test_machines_that_labels_name_decide() -> None:
    flags = "--enable_graph=true --enable_schedule_overlap=true --enable_shm=true --nnodes=2"
    commit = "d5ce3007ff54951018a9db2f41dad0f26d6d2290"
    text = f"xllm --model m {flags}\n"
    assert "xllm/shm-h2d-graph-race" in ids(lint(workload(text, git=commit, accelerators=("huawei.com/Ascend910",))))
    assert "xllm/shm-h2d-graph-race" not in ids(lint(workload(text, git=commit, accelerators=("nvidia.com/gpu",))))


def test_nodes_of_a_group_are_nodes_of_the_case() -> None:
    text = "vllm serve m --tensor-parallel-size 2\n# size 2\n"
    rule = "any/nccl-proxy-slot-leak-arm"
    more = {"version": "0.28.0", "accelerators": ("NVIDIA-GB200",), "kind": "LeaderWorkerSet", "format": "lws"}
    one = ids(lint(pod(text, **more)))
    two = ids(lint(pod(text, **more, nodes=quantity(text, "2", 2))))
    assert rule not in one
    assert (rule in two) == (rule in ids(lint(pod(text, **more, nodes=quantity(text, "2", 4)))))


# settings


def test_settings_are_judged_as_check_does() -> None:
    found = only(
        lint(workload("vllm serve m --swap-space 8 --max-model-len 4096\n", version="0.28.0")), "setting-removed"
    )
    assert (found.kind, found.level) == ("setting", "error")
    assert found.region.column == len("vllm serve m ") + 1 and found.region.end_column == found.region.column + 14
    assert "vllm 0.28.0 has no --swap-space" in found.says


def test_a_variable_that_does_nothing_is_at_its_own_place() -> None:
    text = "export VLLM_USE_V1=1\n" + PLAIN
    found = [one for one in lint(workload(text, version="0.33.0")) if one.kind == "setting"]
    assert [one.id for one in found] == ["variable-removed"]
    assert found[0].region.snippet == "export VLLM_USE_V1=1"


def test_a_well_file_is_quiet() -> None:
    text = "vllm serve m --tensor-parallel-size 2 --max-model-len 4096\n"
    assert lint(workload(text, version="0.33.0")) == ()


def test_a_file_without_an_engine_is_quiet() -> None:
    assert findings_of(Deployment("a.yaml", "x: 1\n", "")) == ()


# grouping


def grouped(roles: tuple[str, str], name: str = "llm") -> tuple[LintFinding, ...]:
    text = f"vllm serve m --pipeline-parallel-size 2\nvllm serve m {SPEC}\n# vllm==0.28.0\n"
    both = [
        pod(text, index=index, pip="vllm==0.28.0", role=role, kind="LeaderWorkerSet", name=name, container=role)
        for index, role in enumerate(roles)
    ]
    return lint(*both)


def test_leader_and_worker_of_one_object_are_one_case() -> None:
    found = [one for one in grouped(("leader", "worker")) if one.kind == "exposure"]
    assert len(found) == 1  # one half of it stands in each
    assert any(one == "judged together: leader, worker of LeaderWorkerSet/llm" for one in found[0].because)


def test_others_are_cases_of_their_own() -> None:
    assert [one for one in grouped(("prefill", "decode")) if one.kind == "exposure"] == []


def test_ranks_of_one_script_are_one_case_and_other_launches_are_not() -> None:
    text = REFUSED.replace("\\\n", "").strip() + " --nnodes 2 --node-rank 0\n"
    text += text.replace("--node-rank 0", "--node-rank 1")
    both = [workload(text, index=index, version="0.28.0") for index in (0, 1)]
    assert len([one for one in lint(*both) if one.kind == "exposure"]) == 1
    apart = REFUSED + REFUSED.replace("size 2", "size 4")
    both = [workload(apart, index=index, version="0.28.0") for index in (0, 1)]
    assert len([one for one in lint(*both) if one.kind == "exposure"]) == 2


# fingerprints, order, secrets


def prints(text: str, **more) -> list[str]:
    return [one.fingerprint for one in lint(workload(text, version="0.28.0", **more))]


def test_a_fingerprint_stays_when_lines_move_and_spellings_change() -> None:
    here = prints(REFUSED)
    assert all(re.fullmatch("[0-9a-f]{32}", one) for one in here)
    assert prints("# a comment\n\n" + REFUSED) == here
    assert prints(REFUSED.replace("--pipeline-parallel-size 2", "-pp 2")) == here


def test_a_fingerprint_changes_with_the_file_the_value_and_the_workload() -> None:
    here = prints(REFUSED)
    assert prints(REFUSED.replace("size 2", "size 4")) != here
    assert prints(REFUSED, file="g.sh") != here
    assert prints(REFUSED, name="other", kind="Deployment") != here


def test_the_same_twice_in_one_workload_is_numbered() -> None:
    text = REFUSED + REFUSED
    found = lint(*(workload(text, index=index, version="0.28.0") for index in (0, 1)))
    same = [one.fingerprint for one in found if one.id == "vllm/pp-spec-refused"]
    assert len(same) == 2 and len(set(same)) == 2


def test_what_is_said_twice_of_one_place_is_said_once() -> None:
    found = lint(*(workload(REFUSED, version="0.28.0") for _ in range(8)))  # eight ranks of a loop
    assert ids(found) == ["vllm/pp-spec-refused"]


def test_findings_are_in_the_order_of_places() -> None:
    text = "export VLLM_USE_V1=1\nvllm serve m --swap-space 8 --gpu-memory-utilization 1.5\n"
    found = lint(workload(text, version="0.33.0"))
    at = [(one.region.line, one.region.column) for one in found]
    assert at == sorted(at) and len(at) >= 3


def test_secrets_are_nowhere() -> None:
    text = "export HF_TOKEN=abcdefgh12345678 VLLM_API_KEY=topsecretvalue\nvllm serve m --api-key topsecretvalue --swap-space 8 # abcdefgh12345678\n"
    made = workload(text, image="vllm/vllm-openai:v0.28.0")
    assert "abcdefgh12345678" in text
    shown = repr(lint(made, evidence=True))
    assert "setting-removed" in shown
    assert "topsecretvalue" not in shown and "abcdefgh12345678" not in shown


def test_a_place_of_many_lines_is_shown_by_its_first() -> None:
    text = "vllm serve m --max-model-len 4096\n" + "# more\n" * 40
    found = only(lint(workload(text)), "version-unknown")
    assert (found.region.line, found.region.end_line) == (1, 1)
    assert found.region.snippet == "vllm serve m --max-model-len 4096"


def test_line_ends_of_windows_are_not_part_of_a_line() -> None:
    text = "vllm serve m --swap-space 8\r\n# vllm==0.28.0\r\n"
    found = only(lint(workload(text, pip="vllm==0.28.0")), "setting-removed")
    assert found.region.snippet == "vllm serve m --swap-space 8"


def test_a_version_source_of_another_kind_of_engine_is_not_its_build() -> None:
    made = workload(REFUSED)
    other = VersionSource("pip", "sglang==0.5.16", place(REFUSED, "vllm"))
    assert ids(lint(replace(made, versions=(other,)))) == ["version-unknown"]


# checks


def test_every_finding_is_of_a_check_that_is_listed() -> None:
    listed = {one.id: one for one in checks()}
    assert len(listed) == len(checks())
    text = "export VLLM_USE_V1=1\n" + REFUSED.replace("serve m", "serve m --swap-space 8 --gpu-memory-utilization 1.5")
    found = lint(pod(text, image="vllm/vllm-openai:v0.28.0"), evidence=True)
    assert {one.id for one in found} <= listed.keys() and len({one.id for one in found}) >= 7
    assert all(one.kind == listed[one.id].kind for one in found)


def test_every_own_check_says_what_it_rests_on() -> None:
    for one in checks():
        assert one.summary and one.details and one.help
        assert len(one.summary) <= 120 or "/" in one.id


def test_the_page_of_checks_is_what_the_checks_say() -> None:
    assert PAGE.read_text(encoding="utf-8") == page(), "python -m tests.lint_checks writes it"
