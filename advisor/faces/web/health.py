"""How the service is: for probes, and for Prometheus."""

from __future__ import annotations

from fastapi import APIRouter, Request, Response
from fastapi.responses import PlainTextResponse

from advisor.faces.web import contract

router = APIRouter()
STATE: contract.Described = {
    "application/json": {"schema": {"type": "object", "properties": {"status": {"enum": ["ready", "starting"]}}}}
}
READY: dict[int | str, contract.Described] = {
    200: {"description": "Every process can judge.", "content": STATE},
    503: {"description": "Not yet.", "content": STATE},
}
EXPOSITION = "text/plain; version=0.0.4; charset=utf-8"


@router.get("/healthz", responses=READY)
async def healthz(request: Request) -> Response:
    """Whether every process can judge."""
    if request.app.state.work.ready:
        return Response(b'{"status": "ready"}\n', media_type="application/json")
    return Response(b'{"status": "starting"}\n', 503, {"Retry-After": "1"}, "application/json")


@router.get("/metrics", response_class=PlainTextResponse)
async def metrics(request: Request) -> Response:
    """What was counted."""
    return Response(request.app.state.metrics.text(), media_type=EXPOSITION)
