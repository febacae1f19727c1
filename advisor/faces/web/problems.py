"""A request that is not followed -> one answer, the same shape everywhere: `{"what", "where", "hint"}` and a status."""

from __future__ import annotations

import json
import re
from collections.abc import Callable, Mapping

from starlette.requests import Request
from starlette.responses import Response

from advisor.errors import AdvisorError
from advisor.faces.workers.inside import Told

UNPROCESSABLE = 422
FIELDS = frozenset(
    ("engine", "version", "flags", "env", "component", "hardware", "model", "symptom", "said", "evidence", "if-any")
)
"""The options of the command line that a request has as fields."""


class Refused(Told):
    """Why a request is not followed: a status, what is wrong, where in the request, and what to do about it."""

    def __init__(
        self,
        status: int,
        what: str,
        where: str | None = None,
        hint: str | None = None,
        headers: Mapping[str, str] | None = None,
    ) -> None:
        self.status, self.what, self.where, self.hint = status, what, where, hint
        self.headers = dict(headers or {})
        super().__init__(what)

    def __reduce__(self) -> tuple[type[Refused], tuple[object, ...]]:
        """Whole, also out of another process."""
        return Refused, (self.status, self.what, self.where, self.hint, self.headers)


Page = Callable[[Request, Refused], Response]
"""How a refusal is shown to a person. The pages set it as `app.state.refused_page`."""


OPTION = re.compile(r"--([a-z][a-z-]*)")  # --engine


def refusal(error: AdvisorError) -> Refused:
    """What the command line says in one line and with exit code 2. Options are fields here: `--engine` is `engine`."""
    return Refused(UNPROCESSABLE, error.what, _as_fields(error.where), _as_fields(error.hint))


def _as_fields(text: str | None) -> str | None:
    return OPTION.sub(lambda one: one[1].replace("-", "_") if one[1] in FIELDS else one[0], text) if text else text


def answer(refused: Refused) -> Response:
    """The answer of the API."""
    said = {"what": refused.what, "where": refused.where, "hint": refused.hint}
    content = json.dumps(said, ensure_ascii=False).encode("utf-8", "backslashreplace") + b"\n"
    return Response(content, refused.status, refused.headers, "application/json")


async def refused(request: Request, error: Exception) -> Response:
    """The answer to a request: a page where a person asked with a browser, else JSON."""
    found = error if isinstance(error, Refused) else refusal(error) if isinstance(error, AdvisorError) else DEFECT
    page: Page | None = getattr(request.app.state, "refused_page", None)
    if (
        page is not None
        and not request.url.path.startswith("/v1/")
        and "text/html" in request.headers.get("accept", "")
    ):
        return page(request, found)
    return answer(found)


DEFECT = Refused(
    500, "a defect of the advisor itself", None, "the service's standard error says where; please report it"
)
STOPPING = Refused(503, "the service is being stopped", None, "try again", {"Retry-After": "5"})
NO_ROOM = Refused(
    503, "there is no room here for what is handed over", None, "try again; the service's standard error says why",
    {"Retry-After": "30"},
)  # fmt: skip
