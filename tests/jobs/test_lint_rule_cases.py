"""The same facts in a file and in `check` give the same findings: every rule case, its launch turned into a shell file."""

from __future__ import annotations

from dataclasses import replace
from itertools import islice

import pytest

from advisor.jobs.check import check
from advisor.jobs.request import Request
from advisor.jobs.rule_cases import RuleCase, cases
from advisor.launches import reading
from advisor.model.deployment import Workload
from advisor.model.launch import Launch
from advisor.model.report import Finding
from tests.deployed import KNOWN, lint, workload

CASES = [case for case in cases() if case.request.flags or case.request.engine]
SHOWN = ("exposed", "likely", "matched")


def as_file(case: RuleCase) -> tuple[Request, list[Workload]]:
    """What of the case a file can say, as a request and as workloads; the machines as labels of nodes."""
    given = case.request
    request = Request(
        engine=given.engine,
        version=given.version,
        flags=given.flags,
        env=given.env,
        hardware=given.hardware,
        model=given.model,
    )
    extra = tuple(one for text in given.env for one in reading.environment([text], "--env", strict=False))
    made = []
    for index, text in enumerate(given.flags or ("",)):
        found = reading.read(
            text, knowledge=KNOWN, engine=given.engine or None, version=given.version, artifact=f"run{index}.sh",
            bare_is_complete=True, strict=False,
        ).launches  # fmt: skip
        launch = found[0] if found else Launch(given.engine, artifact=f"run{index}.sh")
        launch = replace(launch, text=text, environment=launch.environment + extra, model=given.model or launch.model)
        made.append(
            workload(text, file=f"run{index}.sh", launch=launch, version=given.version, accelerators=given.hardware)
        )
    return request, made


def judged_by_check(request: Request) -> dict[str, Finding]:
    """Each rule that is exposed or worse."""
    return {one.rule: one for one in check(request).report.findings if one.status in SHOWN}


def says_so(finding: Finding, says: str) -> bool:
    """Whether lint's words are those of the status: its own for exposed, the headline of `check` for anything worse."""
    exposed = f" can meet {finding.rule}: {finding.summary.rstrip('.')}" in says
    return exposed if finding.status == "exposed" else says.startswith(finding.headline)


# a plugin has no command: a file shows it by its image, see tests/test_ascend.py
COMPARED = [case for case in CASES if len(case.request.flags) <= 1 and case.request.engine in KNOWN]


def test_there_are_cases_to_compare_and_some_are_exposed() -> None:
    assert len(COMPARED) >= 40
    exposed = (case for case in COMPARED if judged_by_check(as_file(case)[0]))
    assert len(list(islice(exposed, 15))) == 15


@pytest.mark.parametrize("case", COMPARED, ids=str)
def test_lint_and_check_agree_on_a_case(case: RuleCase) -> None:
    request, made = as_file(case)
    found = {one.id: one.says for one in lint(*made) if one.kind == "exposure"}
    wanted = judged_by_check(request)
    assert found.keys() == wanted.keys()
    assert all(says_so(wanted[id], says) for id, says in found.items())
