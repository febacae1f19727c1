"""Docker's health check, however it is written -> a readiness probe: docker restarts nothing for it.

    HEALTHCHECK --interval=500ms --retries=10 CMD curl -f http://localhost/health    -> 5 s, /health
    docker run --health-cmd …, compose `healthcheck: {test: …, start_period: 5m}`    -> 30 s × 3 and the start period

0 stands for what is not given.

**Source:** moby/buildkit `frontend/dockerfile/docs/reference.md` at 00001f3e74bb, read 2026-11-30: HEALTHCHECK, with
its defaults (interval 30 s, start period 0 s, retries 3).
"""

from __future__ import annotations

import re
from collections.abc import Mapping

from advisor.launches.files.amounts import stretch
from advisor.model.deployment import Place, Probe

_PATH = re.compile(r"https?://[^/\s\"']+(/[\w./-]*)")


def health(test: str, told: Mapping[str, str], place: Place) -> Probe | None:
    """The probe that `test` makes, `told` being its options; None for `NONE`."""
    if test.strip().upper() == "NONE":
        return None
    path = _PATH.search(test)
    tries = told.get("retries", "")
    each = stretch(told.get("interval", "")) or 30
    allows = (stretch(told.get("start-period", "")) or 0) + each * ((tries.isdigit() and int(tries)) or 3)
    return Probe("readiness", int(allows), path.group(1) if path else "", place)
