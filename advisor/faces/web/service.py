"""The application: routes, processes, door; made from its settings, so that a test has one of its own."""

from __future__ import annotations

import tempfile
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from importlib.util import find_spec
from pathlib import Path

from fastapi import FastAPI, Request, Response
from starlette.exceptions import HTTPException

from advisor import __version__
from advisor.errors import AdvisorError
from advisor.faces.web import api, health
from advisor.faces.web.door import Door
from advisor.faces.web.metrics import Metrics
from advisor.faces.web.problems import Refused, refused
from advisor.faces.web.received import Disk
from advisor.faces.web.settings import Settings
from advisor.faces.web.work import working

__all__ = ["Settings", "service"]

PAGES = "advisor.faces.web.pages"


def service(settings: Settings) -> FastAPI:
    """The application. Its processes start when its lifespan begins."""
    app = FastAPI(
        title="advisor",
        version=__version__,
        lifespan=_lifespan,
        docs_url=None,
        redoc_url=None,
        redirect_slashes=False,
    )
    app.state.settings, app.state.metrics, app.state.disk = settings, Metrics(), Disk()
    app.include_router(api.router)
    app.include_router(health.router)
    if find_spec(PAGES) is not None:
        from advisor.faces.web import pages

        app.include_router(pages.router)
    app.add_exception_handler(Refused, refused)
    app.add_exception_handler(AdvisorError, refused)
    app.add_exception_handler(HTTPException, _not_there)
    app.add_middleware(Door, settings=settings, metrics=app.state.metrics)
    return app


@asynccontextmanager
async def _lifespan(app: FastAPI) -> AsyncIterator[None]:
    settings: Settings = app.state.settings
    with tempfile.TemporaryDirectory(
        prefix="advisor-serve-", dir=settings.folder, ignore_cleanup_errors=True
    ) as folder:
        app.state.folder = Path(folder)
        async with working(settings) as work:
            app.state.work = work
            app.state.metrics.watch(work)
            yield


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
