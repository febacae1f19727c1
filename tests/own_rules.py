"""A folder of a user's own rules, as they would write one."""

from __future__ import annotations

from pathlib import Path

RULE = """\
id: {id}
former_ids: []
aliases: []
summary: The gateway of the house drops requests with --tensor-parallel-size 3.
level: error
maturity: draft
as_of: 2026-11-29
exposure: {{fact: topology.tp, more_than: 1}}
symptoms:
  signature: {{log: '{pattern}', means: the line of the gateway}}
details: {details}
cause: {{status: unknown, text: Not known., source: [{{artefact: our runbook 7, date: 2026-11-29}}]}}
no_fix: None is known as of 2026-11-29.
remedies:
  - do: advice
    what: {what}
    cost: A restart.
    status: suggested
    source: [{{artefact: our runbook 7, date: 2026-11-29}}]
verification:
  - do: Start again.
    expect: The line stays away.
    run: {run}
    absent: ['house gateway dropped']
references:
  - {{type: WEB, url: "https://runbooks.example/7", date: 2026-11-29, note: runbook}}
{more}
"""
USUAL = {
    "pattern": r"house gateway dropped \d+ requests",
    "details": "It is met on Mondays.",
    "what": "Restart the gateway.",
    "run": "echo done",
    "more": "",
}


def write(base: Path, id: str = "vllm/house-gateway-drops", **texts: str) -> Path:
    """The folder with this rule in it."""
    file = base / id / "rule.yaml"
    file.parent.mkdir(parents=True, exist_ok=True)
    file.write_text(RULE.format(id=id, **{**USUAL, **texts}), encoding="utf-8")
    return base
