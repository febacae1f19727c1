"""What a service is started with: who may use it, and how much it takes on."""

from __future__ import annotations

import os
from dataclasses import dataclass, field
from pathlib import Path

LOOPBACK = ("localhost", "127.0.0.1", "::1")
"""The names by which a browser reaches this machine from itself."""
ANY_HOST = ("*",)


@dataclass(frozen=True)
class Settings:
    """Without a `token` nobody is asked for one. `hosts` are the names that a Host header may give, without port.

    Sizes are in bytes, times in seconds. A body may have `body_bytes` in all, a file of it `file_bytes`; what arrives
    may take `disk_bytes` at once. `waiting` requests may wait for one of the `workers`, a job may take `job_s`, a body
    `body_s` to arrive with pauses of at most `pause_s`; a request's head has `head_s` and `head_bytes`.
    """

    token: str = ""
    hosts: tuple[str, ...] = LOOPBACK
    body_bytes: int = 64 << 20
    file_bytes: int = 64 << 20
    files: int = 200
    field_bytes: int = 1 << 20
    fields: int = 1000
    disk_bytes: int = 4 << 30
    job_s: float = 60
    body_s: float = 120
    pause_s: float = 20
    head_s: float = 15
    head_bytes: int = 32 << 10
    waiting: int = 1000
    workers: int = field(default_factory=lambda: os.cpu_count() or 1)
    folder: Path | None = None
    """Where uploads lie while they are judged; the system's folder for temporary files when None."""
