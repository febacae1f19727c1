"""`advisor serve`: the judgement over HTTP, as an API and as pages (docs/serve.md).

It listens on loopback; anywhere else it wants a token, and makes one where none is given. SIGTERM is how it is meant to
be stopped and exits 0; Ctrl-C exits 130, as everywhere in the advisor. Both finish the requests that run.
"""

from __future__ import annotations

import os
from pathlib import Path
from typing import Annotated

import typer

from advisor.errors import UsageError
from advisor.faces import files as files_of
from advisor.faces.own_rules import OwnRules, taken_along
from advisor.faces.telling import tell

NEEDED = ("anyio", "fastapi", "prometheus_client", "python_multipart", "uvicorn")
VARIABLE = "ADVISOR_TOKEN"
LEAST = 16
"""Characters of a token: one that can be guessed is none."""


def serve(
    host: Annotated[str, typer.Option(help="The address to listen on. Any but loopback needs a token.")] = "127.0.0.1",
    port: Annotated[int, typer.Option(min=0, max=65535, help="0 takes one that is free.")] = 8000,
    token_file: Annotated[
        Path | None,
        typer.Option(
            metavar="FILE", help=f"The token that is asked for; {VARIABLE} holds one as well. - reads standard input."
        ),
    ] = None,
    allow_host: Annotated[
        list[str] | None,
        typer.Option(metavar="NAME", help="A name that a Host header may give; loopback's by default. Repeatable."),
    ] = None,
    workers: Annotated[int, typer.Option(min=0, max=512, help="Processes that judge; 0 is one a core.")] = 0,
    max_mib: Annotated[int, typer.Option(min=1, max=1024, help="MiB of one request.")] = 64,
    max_seconds: Annotated[int, typer.Option(min=1, max=3600, help="Seconds of one judgement.")] = 60,
    max_waiting: Annotated[int, typer.Option(min=1, max=100_000, help="Requests that may wait for a process.")] = 1000,
    max_connections: Annotated[
        int, typer.Option(min=1, max=1_000_000, help="Connections that may be open; as many as `ulimit -n` allows.")
    ] = 10_000,
    client_rate: Annotated[
        float, typer.Option(min=0, help="Requests a second of one client that is not this machine; 0 is any number.")
    ] = 50,
    client_requests: Annotated[
        int, typer.Option(min=0, help="Requests of one client that are answered at once; 0 is any number.")
    ] = 64,
    trust_proxy: Annotated[
        list[str] | None,
        typer.Option(
            metavar="ADDRESS", help="A proxy, or network of them, whose X-Forwarded-For names the client. Repeatable."
        ),
    ] = None,
    worker_mib: Annotated[int, typer.Option(min=256, help="MiB of memory that one process may take.")] = 2048,
    drain_seconds: Annotated[
        int, typer.Option(min=1, max=3600, help="Seconds that what runs has to finish after SIGTERM or Ctrl-C.")
    ] = 20,
    rules: OwnRules = None,
) -> None:
    """Answer over HTTP: a page for people, an API for programs. Keeps nothing."""
    from dataclasses import replace
    from importlib.util import find_spec

    missing = [one for one in NEEDED if find_spec(one) is None]
    if missing:
        said = f"needs what is not installed: {', '.join(missing)}"
        raise UsageError(said, "serve", "pip install 'inference-advisor[serve]'")
    from secrets import token_urlsafe

    from advisor.faces.web import server
    from advisor.faces.web.settings import ANY_HOST, LOOPBACK, Settings

    away = not _loopback(host)
    token = _token(token_file)
    made = away and not token
    token = token or (token_urlsafe(24) if made else "")
    given = tuple(one.lower().strip("[]") for one in allow_host or ())
    settings = Settings(
        token=token,
        hosts=(*LOOPBACK, *given) if given or not away else ANY_HOST,
        body_bytes=max_mib << 20,
        file_bytes=max_mib << 20,
        job_s=max_seconds,
        waiting=max_waiting,
        connections=max_connections,
        client_rate=client_rate,
        client_requests=client_requests,
        proxies=_proxies(trust_proxy or []),
        worker_bytes=worker_mib << 20,
        own_rules=taken_along(rules),
    )
    if workers:
        settings = replace(settings, workers=workers)
    listening = server.bound(host, port)
    os.environ.pop(VARIABLE, None)  # the processes that judge need not know it
    _greet(host, listening.getsockname()[1], token, made)
    server.run(settings, listening, drain_seconds)


def _loopback(host: str) -> bool:
    import ipaddress

    try:
        return ipaddress.ip_address(host.strip("[]")).is_loopback
    except ValueError:
        return host == "localhost"


def _proxies(given: list[str]) -> tuple[str, ...]:
    from advisor.faces.web.clients import networks

    try:
        networks(given)
    except ValueError as error:
        raise UsageError(str(error), "--trust-proxy", "such as 127.0.0.1 or 10.0.0.0/8") from None
    return tuple(given)


def _token(file: Path | None) -> str:
    """The token that is given; "" when none is. Raises UsageError for one that is none."""
    where = f"--token-file {file}" if file is not None else VARIABLE
    text = files_of.read(str(file)).content.decode("utf-8", "replace") if file is not None else os.environ.get(VARIABLE)
    if text is None:
        return ""
    token = text.strip()
    if not token:
        raise UsageError("holds no token", where, "leave it out to have one made where one is needed")
    if not token.isascii() or not token.isprintable() or " " in token:
        raise UsageError("a token is printable ASCII without spaces", where)
    if len(token) < LEAST:
        raise UsageError(f"a token has at least {LEAST} characters", where, "such as: openssl rand -hex 24")
    return token


def _greet(host: str, port: int, token: str, made: bool) -> None:
    """Where it is, and what it asks for. A token that was made is shown this once."""
    every = ("0.0.0.0", "::")  # noqa: S104 - not bound here: how what was asked for is shown
    name = "localhost" if host in every else f"[{host}]" if ":" in host else host
    if made:
        tell(f"advisor: token, shown once: {token}", err=True)
    if token:
        tell("advisor: a browser takes the token as password of any user, curl as -u :TOKEN", err=True)
    else:
        tell("advisor: no token is asked for: only this machine reaches it", err=True)
    tell(f"advisor: http://{name}:{port}/ (Ctrl-C stops)", err=True)
