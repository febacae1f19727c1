"""What the kernel's log says of processes that it killed: those of an engine, and those of others."""

import pytest

from tests.evidence.situations import assert_quiet, facts, handed

KILLED = "[Tue Mar  3 10:11:52 2026] Memory cgroup out of memory: Killed process 48213 ({}) total-vm:98123004kB, anon-rss:16021112kB, UID:0 oom_score_adj:0\n"
TASK = "[12345.678901] oom-kill:constraint=CONSTRAINT_MEMCG,nodemask=(null),cpuset=pod,mems_allowed=0-1,oom_memcg=/kubepods,task_memcg=/kubepods,task={},pid=88121,uid=0\n"


@pytest.mark.parametrize("form", [KILLED, TASK, "Mar  3 10:11:52 node-a kernel: " + KILLED[27:]])
@pytest.mark.parametrize(
    "process", ["python3", "sglang::schedul", "VLLM::EngineCor", "ray::RayWorkerW", "pt_main_thread"]
)
def test_a_process_of_an_engine(form, process):
    found = {fact.name: fact for fact in facts(handed(form.format(process)))}
    assert {"symptom.killed", "symptom.oom"} <= found.keys()
    assert process in found["symptom.killed"].quote and found["symptom.killed"].origin == "observed"


@pytest.mark.parametrize("form", [KILLED, TASK])
@pytest.mark.parametrize("process", ["stress-ng", "java", "node"])
def test_a_process_of_another(form, process):
    assert_quiet(handed(form.format(process)))


def test_ours_after_anothers():
    found = facts(handed(KILLED.format("java") + KILLED.format("python3")))
    assert [fact.span.line for fact in found if fact.name == "symptom.killed" and fact.span] == [2]
