"""The API: what is asked of a route -> a job in a process beside -> its bytes as they are."""

from __future__ import annotations

from typing import Any

from fastapi import APIRouter, Request, Response

from advisor.errors import UsageError
from advisor.faces.web import judging
from advisor.faces.web.problems import Refused
from advisor.faces.web.received import Received, received
from advisor.faces.web.work import Work

router = APIRouter()
MOST = 500
"""Rules of one answer."""
WIRE = {"text/html": "html", "text/markdown": "markdown", "text/plain": "text", "application/sarif+json": "sarif"}
LANGUAGES = ("en", "zh")


def work(request: Request) -> Work:
    """The processes."""
    found: Work = request.app.state.work
    return found


def answered(request: Request, done: judging.Judged) -> Response:
    """The answer to a request, counted by what was found."""
    request.app.state.metrics.found(done.statuses)
    return Response(done.content, media_type=done.media)


@router.post("/v1/check")
async def check(request: Request) -> Response:
    """Judge one case."""
    async with received(request) as given:
        given.known((*judging.CHECK, "format", "lang"))
        how = _how(request, given, tuple(judging.REPORTS))
        return answered(request, await work(request).run(judging.check, given, *how))


@router.post("/v1/lint")
async def lint(request: Request) -> Response:
    """Known failures and settings that do not fit, in deployment files."""
    async with received(request) as given:
        given.known((*judging.LINT, "format", "lang"))
        how = _how(request, given, tuple(judging.LINTS))
        return answered(request, await work(request).run(judging.lint, given, *how))


@router.get("/v1/rules")
async def rules(request: Request, engine: str = "", q: str = "", limit: str = "50", offset: str = "0") -> Response:
    """The known failures, or those nearest to a text."""
    _only(request, ("engine", "q", "limit", "offset"))
    found = await work(request).run(
        judging.rules, engine, q, _number("limit", limit, 1, MOST), _number("offset", offset, 0, 1_000_000)
    )
    return answered(request, found)


@router.get("/v1/rules/{engine}/{slug}")
async def rule(request: Request, engine: str, slug: str) -> Response:
    """One known failure."""
    return answered(request, await _known(request, judging.rule, f"{engine}/{slug}"))


@router.get("/v1/flags/{engine}/{version}")
async def flags(request: Request, engine: str, version: str, grep: str = "") -> Response:
    """The flags and variables of a release."""
    _only(request, ("grep",))
    return answered(request, await _known(request, judging.flags, engine, version, grep))


async def _known(request: Request, job: Any, *names: str) -> judging.Judged:
    """What a path names. What nobody knows is not there."""
    try:
        found: judging.Judged = await work(request).run(job, *names)
    except UsageError as error:
        raise Refused(404, error.what, error.where, error.hint) from None
    return found


def _how(request: Request, given: Received, formats: tuple[str, ...]) -> tuple[str, str]:
    """The format and language that are asked for: in the body, the query, or by Accept."""
    _only(request, ("format", "lang"))
    accepted = (one.partition(";")[0].strip() for one in request.headers.get("accept", "").split(","))
    by_header = next((WIRE[one] for one in accepted if WIRE.get(one) in formats), "json")
    format = given.one("format") or request.query_params.get("format") or by_header
    lang = given.one("lang") or request.query_params.get("lang") or "en"
    if format not in formats:
        raise Refused(422, "no such format", "format", ", ".join(formats))
    if lang not in LANGUAGES:
        raise Refused(422, "no such language", "lang", ", ".join(LANGUAGES))
    return format, lang


def _only(request: Request, names: tuple[str, ...]) -> None:
    for name, values in ((one, request.query_params.getlist(one)) for one in request.query_params):
        if name not in names:
            raise Refused(422, "no such parameter", repr(name[:80]), ", ".join(names))
        if len(values) > 1:
            raise Refused(422, "is given more than once", name)


def _number(name: str, text: str, least: int, most: int) -> int:
    if not (text.isascii() and text.isdigit() and len(text) < 10 and least <= int(text) <= most):
        raise Refused(422, f"is a number from {least} to {most}", name)
    return int(text)
