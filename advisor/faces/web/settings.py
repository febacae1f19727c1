"""What a service is started with: who may use it, and how much it takes on."""

from __future__ import annotations

from dataclasses import dataclass, field
from pathlib import Path

from advisor.cores import cores
from advisor.jobs.own_rules import Carried

LOOPBACK = ("localhost", "127.0.0.1", "::1")
"""The names by which a browser reaches this machine from itself."""
ANY_HOST = ("*",)
OWN_MACHINE = ("127.0.0.0/8", "::1/128")
"""Who comes from here could run the command as well."""


@dataclass(frozen=True)
class Settings:
    """Without a `token` nobody is asked for one. `hosts` are the names that a Host header may give, without port.

    Sizes are in bytes, times in seconds. A body may have `body_bytes` in all, a file of it `file_bytes`; what arrives
    may take `disk_bytes` at once. `waiting` requests may wait for one of the `workers`, a job may take `job_s`, a body
    `body_s` to arrive with pauses of at most `pause_s`; a request's head has `head_s` and `head_bytes`. An answer has
    to be taken, `take_s` at a time, and a body that nobody waits for has `rest_s` to come to its end.

    `connections` may be open, `client_connections` of them from one address, which may have `client_requests` answered
    at once and ask `client_rate` times a second; 0 is any number. `proxies` are the addresses whose X-Forwarded-For is
    believed, `unlimited` those that are not counted. A process may take `worker_bytes` of memory; it
    judges by `own_rules` too, as they were when the service was started.
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
    take_s: float = 20
    rest_s: float = 5
    waiting: int = 1000
    connections: int = 10_000
    client_connections: int = 1000
    client_requests: int = 64
    client_rate: float = 50
    proxies: tuple[str, ...] = ()
    unlimited: tuple[str, ...] = OWN_MACHINE
    worker_bytes: int = 2 << 30
    own_rules: Carried | None = None
    workers: int = field(default_factory=cores)
    folder: Path | None = None
    """Where uploads lie while they are judged; the system's folder for temporary files when None."""
