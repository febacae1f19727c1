"""The pages: an address or a form -> HTML made in a process beside, sent as it is.

Nothing is remembered between two requests. Without a `lang` in the address or the form a page speaks the language that
the browser prefers, of those there are.
"""

from __future__ import annotations

from typing import Any
from urllib.parse import quote, urlencode

from fastapi import APIRouter, Request, Response
from fastapi.responses import RedirectResponse

from advisor.errors import UsageError
from advisor.faces.web import showing
from advisor.faces.web.api import answered, work
from advisor.faces.web.problems import Refused
from advisor.faces.web.received import received
from advisor.render import web_frame
from advisor.render.language import Language, speaking
from advisor.render.web_diagnosis import OPTIONS
from advisor.render.web_frame import Frame

router = APIRouter(include_in_schema=False)
HTML = "text/html; charset=utf-8"
FOREVER = {"Cache-Control": "private, max-age=31536000, immutable"}
"""For what is named by its content."""


def frame_of(request: Request, lang: str = "") -> Frame:
    """Where the page stands; `lang` is what a form says. Raises Refused for a language that is not spoken."""
    preferred = _preferred(request.headers.get("accept-language", ""))
    asked = lang or request.query_params.get("lang", "")
    if asked not in ("", "en", "zh"):
        raise Refused(422, "no such language", "lang", "en, zh")
    spoken: Language = "zh" if (asked or preferred) == "zh" else "en"
    query = tuple((name, value) for name, value in request.query_params.items() if name != "lang")
    chosen = spoken != preferred if lang else bool(asked)
    path = "/" + request.url.path.lstrip("/") if request.method == "GET" else "/"  # //name would be another host
    return Frame(path, spoken, chosen, query)


def _preferred(header: str) -> Language:
    """The first language of an Accept-Language header that is spoken here; English without one."""
    wanted = []
    for at, one in enumerate(header.split(",")[:20]):
        tag, _, weight = one.strip().partition(";")
        try:
            value = float(weight.partition("=")[2] or 1)
        except ValueError:
            value = 0.0
        wanted.append((-value, at, tag.strip().lower().partition("-")[0]))
    return "zh" if next((tag for _, _, tag in sorted(wanted) if tag in ("en", "zh")), "en") == "zh" else "en"


@router.get("/")
async def start(request: Request) -> Response:
    """Hand something over."""
    options = {name: request.query_params.get(name, "") for name in OPTIONS}
    return await _page(request, showing.start, options)


@router.get("/diagnose")
async def again(request: Request) -> Response:
    """A diagnosis has no address of its own: it is in the page."""
    return RedirectResponse(frame_of(request).to("/"), 303)


@router.post("/diagnose")
async def diagnose(request: Request) -> Response:
    """The next page of a diagnosis."""
    async with received(request) as given:
        frame = frame_of(request, _last(given.fields, "lang"))
        room = request.app.state.settings.body_bytes // 2
        done = await work(request).run(showing.diagnosis, given, frame, room, gone=request.is_disconnected)
    request.app.state.metrics.found(done.statuses)
    return Response(done.content, media_type=HTML)


@router.post("/download")
async def download(request: Request, format: str = "json") -> Response:
    """The report as `advisor check --format …` writes it, as a file."""
    if format not in showing.ENDINGS:
        raise Refused(422, "no such format", "format", ", ".join(showing.ENDINGS))
    async with received(request) as given:
        frame = frame_of(request, _last(given.fields, "lang"))
        done = await work(request).run(showing.download, given, format, frame.lang, gone=request.is_disconnected)
    answer = answered(request, done)
    answer.headers["Content-Disposition"] = f'attachment; filename="advisor-report.{showing.ENDINGS[format]}"'
    return answer


@router.get("/rules")
async def rules(request: Request, q: str = "", engine: str = "") -> Response:
    """The known failures, or those nearest to a text."""
    return await _page(request, showing.rules, q[:10_000], engine)


@router.get("/rules/{engine}/{slug}")
async def rule(request: Request, engine: str, slug: str) -> Response:
    """One known failure."""
    return await _page(request, showing.rule, f"{engine}/{slug}")


@router.get("/flags")
async def flags_start(
    request: Request, engine: str = "", version: str = "", grep: str = "", old: str = "", new: str = ""
) -> Response:
    """Where to look; what its forms ask for has an address of its own."""
    if not engine:
        return await _page(request, showing.flags_start)
    path = f"/flags/{engine}/{old}/{new}" if old and new else f"/flags/{engine}/{version.strip() or 'newest'}"
    query = {"grep": grep, "lang": request.query_params.get("lang", "")}
    told = urlencode({name: value for name, value in query.items() if value})
    return RedirectResponse(quote(path) + (f"?{told}" if told else ""), 303)


@router.get("/flags/{engine}/{version}")
async def flags(request: Request, engine: str, version: str, grep: str = "") -> Response:
    """The flags of a release."""
    return await _page(request, showing.flags, engine, version, grep)


@router.get("/flags/{engine}/{old}/{new}")
async def flags_changed(request: Request, engine: str, old: str, new: str, grep: str = "") -> Response:
    """What changed between two releases."""
    return await _page(request, showing.flags_changed, engine, old, new, grep)


@router.get("/static/page.css")
async def style() -> Response:
    """The style sheet."""
    return Response(web_frame.style(), media_type="text/css", headers=FOREVER)


@router.get("/static/page.js")
async def script() -> Response:
    """The script, which nothing needs."""
    return Response(web_frame.script(), media_type="text/javascript", headers=FOREVER)


def refused_page(request: Request, refused: Refused) -> Response:
    """How a refusal is shown to a person."""
    try:
        frame = frame_of(request)
    except Refused:
        frame = Frame()
    with speaking(frame.lang):
        page = web_frame.problem(frame, refused.status, refused.what, refused.where or "", refused.hint or "")
    return Response(page, refused.status, refused.headers, HTML)


async def _page(request: Request, job: Any, *asked: object) -> Response:
    """A page that an address names. What nobody knows is not there."""
    frame = frame_of(request)
    try:
        content: bytes = await work(request).run(job, frame, *asked)
    except UsageError as error:
        raise Refused(404, error.what, error.where, error.hint) from None
    keep = "no-store" if request.url.query else "private, no-cache"  # an address can hold the user's words
    return Response(content, media_type=HTML, headers={"Vary": "Accept-Language", "Cache-Control": keep})


def _last(fields: dict[str, tuple[str, ...]], name: str) -> str:
    return (fields.get(name) or ("",))[-1]
