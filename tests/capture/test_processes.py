"""Who is an engine's and which rank: from a process table, without the processes."""

from __future__ import annotations

import pytest

from advisor.capture import processes
from advisor.capture.processes import NAMED, Process, engines, ranks, with_children
from advisor.catalog.engines import profiles

PATTERNS = {name: str(one.get("processes") or "") for name, one in profiles().items()}


def table(*rows: tuple[int, int, str]) -> dict[int, Process]:
    return {pid: Process(pid, ppid, line.split(" ")[0][:15], tuple(line.split(" "))) for pid, ppid, line in rows}


SGLANG = table(
    (10, 1, "python3 -m sglang.launch_server --model-path m --tp 2"),
    (11, 10, "sglang::scheduler_TP0"),
    (12, 10, "sglang::scheduler_TP1"),
    (13, 10, "sglang::detokenizer"),
    (14, 10, "/usr/bin/python3 -c from multiprocessing.resource_tracker import main;main(33)"),
    (20, 1, "nginx: master process"),
)
VLLM = table(
    (10, 1, "/usr/bin/python3 /usr/local/bin/vllm serve m -tp 2"),
    (11, 10, "VLLM::EngineCore_DP0"),
    (12, 11, "VLLM::Worker_DP0_TP0"),
    (13, 11, "VLLM::Worker_DP0_TP1"),
)


@pytest.mark.parametrize(
    ("rows", "found"),
    [
        (SGLANG, {10: "sglang", 11: "sglang", 12: "sglang"}),
        (VLLM, {10: "vllm", 11: "vllm", 12: "vllm", 13: "vllm"}),
        (table((10, 1, "/opt/xllm --model m")), {10: "xllm"}),
        (table((10, 1, "python -m lmdeploy serve api_server m")), {10: "lmdeploy"}),
        # whatever only speaks of an engine
        (
            table((10, 1, "bash -c vllm serve m"), (11, 1, "grep -r vllm serve"), (12, 1, "vim sglang.launch_server")),
            {},
        ),
        (table((10, 1, "python3 -m advisor check --flags vllm serve m")), {}),
        # both vLLM and LMDeploy have a class of this name
        (table((10, 1, "ray::RayWorkerWrapper.execute_method")), {10: "ray"}),
        (table((9, 1, "vllm serve m"), (10, 1, "ray::RayWorkerWrapper.execute_method")), {9: "vllm", 10: "vllm"}),
    ],
)
def test_an_engines_processes_are_known_by_command_and_title(rows: dict[int, Process], found: dict[int, str]) -> None:
    assert engines(rows, PATTERNS) == found


def test_what_they_started_belongs_to_them_and_helpers_do_not() -> None:
    assert list(with_children(SGLANG, engines(SGLANG, PATTERNS))) == [10, 11, 12, 13]
    spawned = table(
        (10, 1, "vllm serve m"), (11, 10, "/usr/bin/python3 -c from multiprocessing.spawn import x"), (12, 11, "nvcc")
    )
    assert with_children(spawned, {10: "vllm"}) == {10: "vllm", 11: "vllm"}


def test_a_process_that_is_named_is_taken_whatever_it_is() -> None:
    rows = table((10, 1, "bash ./serve"), (11, 10, "python3 serve.py"))
    assert with_children(rows, {10: NAMED}) == {10: NAMED, 11: NAMED}


def test_ranks_of_titles() -> None:
    assert ranks(SGLANG.keys() - {20}, SGLANG) == {11: "TP0", 12: "TP1"}
    assert ranks(VLLM, VLLM) == {11: "DP0", 12: "DP0 TP0", 13: "DP0 TP1"}


@pytest.mark.parametrize(
    ("environments", "told"),
    [
        ({10: {}, 11: {"RANK": "0"}, 12: {"RANK": "1"}}, {11: "0", 12: "1"}),  # torchrun
        ({10: {}, 11: {"RANK": "8", "LOCAL_RANK": "0"}, 12: {"LOCAL_RANK": "1"}}, {11: "8", 12: "1"}),
        ({10: {"RANK": "1"}, 11: {"RANK": "1"}, 12: {"RANK": "1"}}, {10: "1"}),  # what is inherited says nothing
        ({10: {}, 11: {"RANK": "x"}, 12: {}}, {}),
    ],
)
def test_ranks_of_a_launcher(
    environments: dict[int, dict[str, str]], told: dict[int, str], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(processes, "environment", lambda pid: environments.get(pid, {}))
    rows = table((10, 1, "torchrun serve.py"), (11, 10, "python3 serve.py"), (12, 10, "python3 serve.py"))
    assert ranks(rows, rows) == told


def test_a_node_rank_of_a_launcher_is_no_rank_where_titles_are(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(processes, "environment", lambda pid: {"RANK": "1"} if pid >= 10 else {})
    assert ranks([10, 11, 12], SGLANG) == {11: "TP0", 12: "TP1"}
