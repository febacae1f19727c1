"""The API: what is asked of a route -> a job in a process beside -> its bytes as they are."""

from __future__ import annotations

from typing import Annotated, Any

from fastapi import APIRouter, Query, Request, Response

from advisor.errors import UsageError
from advisor.faces.web import contract, judging
from advisor.faces.web.problems import Refused
from advisor.faces.web.received import Received, received
from advisor.faces.web.work import Work

router = APIRouter()
MOST = 500
"""Rules of one answer."""
WIRE = {"text/html": "html", "text/markdown": "markdown", "text/plain": "text", "application/sarif+json": "sarif"}
LANGUAGES = ("en", "zh")
REPORT_POLICY = (
    "default-src 'none'; style-src 'unsafe-inline'; img-src data:; base-uri 'none'; form-action 'none'; "
    "frame-ancestors 'none'; sandbox"
)
"""A report as a page brings its own styles, and nothing in it runs."""
Format = Annotated[str, Query(description="Of the answer; Accept asks for it as well.", examples=["json"])]
Lang = Annotated[str, Query(description="en or zh, of what is for people.", examples=["en"])]
REPORT_MEDIA = tuple(judging.REPORTS[one] for one in ("text", "markdown", "html"))
LINT_MEDIA = tuple(judging.LINTS[one][1] for one in ("text", "markdown", "sarif"))


def work(request: Request) -> Work:
    """The processes."""
    found: Work = request.app.state.work
    return found


def answered(request: Request, done: judging.Judged) -> Response:
    """The answer to a request, counted by what was found."""
    request.app.state.metrics.found(done.statuses)
    policy = {"Content-Security-Policy": REPORT_POLICY} if done.media.startswith("text/html") else None
    return Response(done.content, headers=policy, media_type=done.media)


@router.post(
    "/v1/check",
    responses=contract.answers("check", REPORT_MEDIA, contract.BODIES),
    openapi_extra=contract.check_body(tuple(judging.REPORTS)),
)
async def check(request: Request, format: Format = "", lang: Lang = "") -> Response:
    """Judge one case."""
    async with received(request) as given:
        given.known((*judging.CHECK, "format", "lang"))
        how = _how(request, given, tuple(judging.REPORTS))
        return answered(request, await work(request).run(judging.check, given, *how, gone=request.is_disconnected))


@router.post(
    "/v1/lint",
    responses=contract.answers("lint", LINT_MEDIA, contract.BODIES),
    openapi_extra=contract.lint_body(tuple(judging.LINTS)),
)
async def lint(request: Request, format: Format = "", lang: Lang = "") -> Response:
    """Known failures and settings that do not fit, in deployment files."""
    async with received(request) as given:
        given.known((*judging.LINT, "format", "lang"))
        how = _how(request, given, tuple(judging.LINTS))
        return answered(request, await work(request).run(judging.lint, given, *how, gone=request.is_disconnected))


@router.get("/v1/rules", responses=contract.answers("rules", (), (422,)))
async def rules(
    request: Request,
    engine: Annotated[str, Query(examples=["vllm"])] = "",
    q: Annotated[str, Query(description="Words or lines; the nearest come first.", max_length=10_000)] = "",
    limit: Annotated[int, Query(ge=1, le=MOST)] = 50,
    offset: Annotated[int, Query(ge=0, le=1_000_000)] = 0,
) -> Response:
    """The known failures, or those nearest to a text: a resemblance in words, not a judgement."""
    _only(request, ("engine", "q", "limit", "offset"))
    return answered(request, await work(request).run(judging.rules, engine, q, limit, offset))


@router.get("/v1/rules/{engine}/{slug}", responses=contract.answers("rule", (), (404, 422)))
async def rule(request: Request, engine: str, slug: str) -> Response:
    """One known failure, as `advisor explain --format json` writes it; a former id leads to its rule."""
    _only(request, ())
    return answered(request, await _known(request, judging.rule, f"{engine}/{slug}"))


@router.get("/v1/flags/{engine}/{version}", responses=contract.answers("flags", (), (404, 422)))
async def flags(
    request: Request,
    engine: str,
    version: str,
    grep: Annotated[str, Query(description="In name, spelling, choice or help.", max_length=200)] = "",
) -> Response:
    """The flags and variables of a release, as `advisor flags --format json` writes them."""
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
