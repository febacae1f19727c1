"""`--rules DIR` beyond a judgement: `search`, `verify`, `upgrade`, `fix`, and the two that stay up and start processes."""

from __future__ import annotations

import os
import shutil
import signal
import sys
import time
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from tests.front_door import advisor
from tests.mcp_client import Client
from tests.own_rules import write
from tests.web.served import Served, serving

ID = "vllm/house-gateway-drops"
LINE = "ERROR house gateway dropped 7 requests\n"
CASE = {"engine": "vllm", "version": "0.28.0", "flags": ["vllm serve m -tp 3"], "symptom": [LINE]}
SHADOWS = ("pickle", "struct", "signal", "anyio", "multiprocessing", "traceback", "advisor_plugin")


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Somebody's checkout: own rules beside a launch, and files named as modules that would like to be run."""
    place = tmp_path_factory.mktemp("own")
    rule = write(place / "mine") / ID / "rule.yaml"
    edit = "do: set\n    set: {--tensor-parallel-size: 1}"
    rule.write_text(rule.read_text().replace("do: advice", edit).replace("suggested", "derived"), encoding="utf-8")
    write(place / "hostile", "vllm/hostile", pattern=r"(a)\1")
    (place / "run.sh").write_text("pip install vllm==0.28.0\nvllm serve m -tp 3\n")
    (place / "a.log").write_text(LINE)
    for name in SHADOWS:
        (place / f"{name}.py").write_text("import os\nos.close(os.open('RAN', os.O_CREAT))\n")
    return place


WITHOUT_A_SERVER = {
    "search": (["search", "gateway of the house drops requests"], 0, f"- {ID}: "),
    "verify": (["verify", ID, "a.log"], 1, "FAIL: "),
    "upgrade": (["upgrade", "--engine", "vllm", "--from", "0.28.0", "--flags", "vllm serve m -tp 3"], 1, ID),
    "fix": (["fix", "--unsafe", "run.sh"], 1, "+vllm serve m -tp 1"),
}


@pytest.mark.parametrize("name", WITHOUT_A_SERVER)
def test_own_rules_count_and_without_them_nothing_is_known_of_them(folder: Path, name: str) -> None:
    words, code, said = WITHOUT_A_SERVER[name]
    ran = advisor(*words, "--rules", "mine", cwd=folder)
    assert (ran.code, said in ran.out) == (code, True), ran
    assert said not in advisor(*words, cwd=folder).out


@pytest.mark.parametrize("name", [*WITHOUT_A_SERVER, "mcp", "serve"])
def test_a_hostile_one_is_refused_in_the_same_words(folder: Path, name: str) -> None:
    words = WITHOUT_A_SERVER[name][0] if name in WITHOUT_A_SERVER else [name]
    ran = advisor(*words, "--rules", "hostile", cwd=folder)
    assert (ran.code, ran.out) == (2, "")
    first, last = ran.err.splitlines()
    assert first.startswith(r"advisor: hostile/vllm/hostile/rule.yaml:10: '(a)\\1' is outside"), first
    assert last == "advisor: none of the rules that --rules names is used until they are mended"


# those that stay up


def children(process: int) -> list[int]:
    """The processes that one has started."""
    return [int(one) for one in Path(f"/proc/{process}/task/{process}/children").read_text().split()]


def end(process: int, killed: list[int]) -> None:
    """Kill what it has started, and wait until it knows."""
    for one in killed:
        os.kill(one, signal.SIGKILL)
    while set(killed) & set(children(process)):
        time.sleep(0.02)


@pytest.fixture(scope="module")
def mine(folder: Path) -> Path:
    """A copy that is spoilt while servers judge by it."""
    return shutil.copytree(folder / "mine", folder / "edited" / "mine")


class Agent(Client):
    """An agent that has a case."""

    def __init__(self, folder: Path, *words: str) -> None:
        path = os.pathsep.join([str(Path(__file__).parents[1]), *sys.path])
        command = [sys.executable, "-m", "advisor", "mcp", *words]
        super().__init__(command, {**os.environ, "PYTHONPATH": path}, cwd=folder)

    def answer(self) -> dict[str, Any]:
        result: dict[str, Any] = self.next()["result"]
        return result

    def check(self, **arguments: object) -> dict[str, Any]:
        result: dict[str, Any] = self.call("check", {**CASE, **arguments})["result"]
        return result


@pytest.fixture(scope="module")
def agent(folder: Path, mine: Path) -> Iterator[Agent]:
    made = Agent(folder, "--rules", str(mine))
    yield made
    assert made.end() == 0


def rules_of(report: dict[str, Any]) -> list[str]:
    return [one["rule"] for one in report["findings"]]


@pytest.mark.skipif(sys.platform != "linux", reason="processes are found in /proc")
def test_an_agents_call_whose_process_is_killed_is_told_so_and_the_next_is_answered(agent: Agent, mine: Path) -> None:
    assert ID in rules_of(agent.check()["structuredContent"])
    (mine / ID / "rule.yaml").write_text("spoilt: [")  # since the start
    first = children(agent.process.pid)  # one, or another that was started while that one was being warmed
    for one in first:
        os.kill(one, signal.SIGSTOP)  # in the middle of a call, for certain
    agent.send(id=2, method="tools/call", params={"name": "check", "arguments": CASE})
    agent.send(id=3, method="ping")
    assert agent.answer() == {}, "it hears while it works"
    end(agent.process.pid, first)
    lost = agent.answer()
    assert lost["isError"] and "was lost" in lost["content"][0]["text"]
    again = agent.check()
    assert ID in rules_of(again["structuredContent"]), "by the rules as they were at the start"
    end(agent.process.pid, children(agent.process.pid))  # while nobody asks
    assert not agent.check()["isError"]


@pytest.fixture(scope="module")
def service(folder: Path, tmp_path_factory: pytest.TempPathFactory) -> Iterator[tuple[Served, Path]]:
    mine = shutil.copytree(folder / "mine", folder / "served" / "mine")
    with serving(tmp_path_factory.mktemp("served"), "--workers", "1", "--rules", str(mine), cwd=folder) as served:
        yield served, mine


@pytest.mark.skipif(sys.platform != "linux", reason="processes are found in /proc")
def test_a_service_judges_by_them_as_they_were_when_it_was_started(service: tuple[Served, Path]) -> None:
    served, mine = service
    answer = served.post("/v1/check", CASE)
    assert answer.status == 200 and ID in rules_of(answer.json)
    assert b"(your own rule: mine)" in served.ask("GET", f"/v1/rules/{ID}").content
    (mine / ID / "rule.yaml").write_text("spoilt: [")
    end(served.process.pid, children(served.process.pid))
    assert ID in rules_of(served.post("/v1/check", CASE).json)


@pytest.mark.skipif(sys.platform != "linux", reason="processes are found in /proc")
def test_the_folder_they_are_started_in_lends_their_processes_no_module(
    folder: Path, agent: Agent, service: tuple[Served, Path]
) -> None:
    """A process that is started as `python -c` or `python -m` looks there first."""
    assert children(agent.process.pid) and children(service[0].process.pid)
    assert not list(folder.rglob("RAN"))
