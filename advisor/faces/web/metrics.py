"""What a service counts, in the text that Prometheus reads. No label comes from what a client sends."""

from __future__ import annotations

from collections.abc import Mapping

from prometheus_client import CollectorRegistry, Counter, Gauge, Histogram, generate_latest

from advisor import __version__
from advisor.faces.web.connections import Crowd
from advisor.faces.web.work import Work

STATUSES = ("matched", "likely", "possible", "exposed", "ruled_out", "error", "warning", "note")
METHODS = ("GET", "HEAD", "POST", "PUT", "PATCH", "DELETE", "OPTIONS")
SECONDS = (0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10, 30, 60)


class Metrics:
    """The counters of one service."""

    def __init__(self) -> None:
        self.registry = CollectorRegistry()
        self._requests = Counter(
            "advisor_requests", "Requests answered.", ("method", "route", "status"), registry=self.registry
        )
        self._seconds = Histogram(
            "advisor_request_seconds",
            "Time from a request's head to its answer's end.",
            ("route",),
            buckets=SECONDS,
            registry=self.registry,
        )
        self._in_flight = Gauge("advisor_requests_in_flight", "Requests being answered.", registry=self.registry)
        self._bytes = Counter("advisor_received_bytes", "Bytes of bodies received.", registry=self.registry)
        self._findings = Counter(
            "advisor_findings",
            "Findings in reports, by status (check) or level (lint).",
            ("status",),
            registry=self.registry,
        )
        Gauge("advisor_info", "The advisor that answers.", ("version",), registry=self.registry).labels(
            __version__
        ).set(1)

    def watch(self, work: Work) -> None:
        """Show the state of the processes."""
        for name, says, read in (
            ("advisor_waiting", "Requests that wait for a process.", lambda: work.waiting),
            ("advisor_running", "Requests that have a process.", lambda: work.running),
            ("advisor_worker_restarts", "Processes that were killed or lost.", lambda: work.restarts),
            ("advisor_ready", "1 once every process has loaded the catalogue.", lambda: work.ready),
        ):
            Gauge(name, says, registry=self.registry).set_function(read)

    def watch_connections(self, crowd: Crowd) -> None:
        """Show how many connections there are."""
        for name, says, read in (
            ("advisor_connections", "Connections that are open.", lambda: crowd.open),
            ("advisor_connections_closed_for_room", "Idle ones closed to let another in.", lambda: crowd.made_room),
            ("advisor_connections_refused", "Connections that were not let in.", lambda: crowd.turned_away),
        ):
            Gauge(name, says, registry=self.registry).set_function(read)

    def found(self, statuses: Mapping[str, int]) -> None:
        """Findings of an answer."""
        for status, count in statuses.items():
            if status in STATUSES:
                self._findings.labels(status).inc(count)

    def received(self, count: int) -> None:
        """Bytes of a body."""
        self._bytes.inc(count)

    def began(self) -> None:
        """A request begins."""
        self._in_flight.inc()

    def ended(self, method: str, route: str, status: int, seconds: float) -> None:
        """A request ends. `route` is a template of ours, or empty."""
        self._in_flight.dec()
        self._requests.labels(method if method in METHODS else "other", route or "other", str(status)).inc()
        self._seconds.labels(route or "other").observe(seconds)

    def text(self) -> bytes:
        """The exposition."""
        return bytes(generate_latest(self.registry))
