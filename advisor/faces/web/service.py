"""The application: routes, processes, door; made from its settings, so that a test has one of its own."""

from __future__ import annotations

from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from typing import Any

import anyio
from fastapi import FastAPI, Request, Response
from fastapi.exceptions import RequestValidationError
from fastapi.openapi.utils import get_openapi
from starlette.exceptions import HTTPException

from advisor import __version__
from advisor.errors import AdvisorError
from advisor.faces.web import api, contract, health, pages
from advisor.faces.web.connections import Crowd
from advisor.faces.web.disk import Disk
from advisor.faces.web.door import Door
from advisor.faces.web.metrics import Metrics
from advisor.faces.web.problems import Refused, refused
from advisor.faces.web.settings import Settings
from advisor.faces.web.work import working

__all__ = ["Settings", "service"]

SUMMARY = "Which known failure of vLLM, SGLang, LMDeploy or xLLM is this, or can this deployment meet?"


def service(settings: Settings, crowd: Crowd | None = None) -> FastAPI:
    """The application. Its processes start when its lifespan begins; `crowd` are its server's connections."""
    app = FastAPI(
        title="advisor",
        version=__version__,
        lifespan=_lifespan,
        docs_url=None,
        redoc_url=None,
        redirect_slashes=False,
    )
    app.state.settings, app.state.metrics, app.state.disk = settings, Metrics(), Disk(settings.folder)
    if crowd is not None:
        app.state.metrics.watch_connections(crowd)
    app.include_router(api.router)
    app.include_router(health.router)
    app.include_router(pages.router)
    app.state.refused_page = pages.refused_page
    app.add_exception_handler(Refused, refused)
    app.add_exception_handler(AdvisorError, refused)
    app.add_exception_handler(HTTPException, _not_there)
    app.add_exception_handler(RequestValidationError, _not_valid)
    app.add_middleware(Door, settings=settings, metrics=app.state.metrics)
    app.openapi = lambda: _document(app)  # type: ignore[method-assign]
    return app


def _document(app: FastAPI) -> dict[str, Any]:
    """The OpenAPI document, made once."""
    if app.openapi_schema is None:
        made = get_openapi(title=app.title, version=app.version, summary=SUMMARY, routes=app.routes)
        made.setdefault("components", {})["schemas"] = contract.components()
        made["components"]["securitySchemes"] = {"token": {"type": "http", "scheme": "bearer"}}
        made["security"] = [{"token": []}] if app.state.settings.token else []
        app.openapi_schema = made
    return app.openapi_schema


@asynccontextmanager
async def _lifespan(app: FastAPI) -> AsyncIterator[None]:
    settings: Settings = app.state.settings
    disk: Disk = app.state.disk
    try:
        disk.folder  # noqa: B018  made now, so that a folder that cannot be is found out at the start
        async with working(settings) as work:
            app.state.work = work
            app.state.metrics.watch(work)
            await anyio.to_thread.run_sync(app.openapi)
            yield
    finally:
        disk.close()


async def _not_there(request: Request, error: Exception) -> Response:
    """What the router itself refuses."""
    assert isinstance(error, HTTPException)
    what = {404: "nothing is here", 405: "not with this method"}.get(error.status_code, error.detail)
    found = Refused(
        error.status_code,
        what,
        request.method if error.status_code == 405 else "path",
        "/openapi.json lists what there is",
        error.headers,
    )
    return await refused(request, found)


async def _not_valid(request: Request, error: Exception) -> Response:
    """A parameter that is none."""
    assert isinstance(error, RequestValidationError)
    first = error.errors()[0]
    return await refused(request, Refused(422, str(first["msg"]), str(first["loc"][-1])))
