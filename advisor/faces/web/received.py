"""A request's body -> its fields, and its files on disk in a folder that is gone when the request ends.

Multipart and JSON come to the same: what repeats is a tuple, a part called `file`, `log` or `stack` is a file of that
kind. Nothing is held whole in memory but small JSON; every limit is counted while the bytes arrive.
"""

from __future__ import annotations

from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from dataclasses import dataclass
from pathlib import Path

import anyio
from starlette.requests import ClientDisconnect, Request

from advisor.faces.web import json_body
from advisor.faces.web.disk import Disk
from advisor.faces.web.multipart_body import Parts
from advisor.faces.web.parcels import Kept, Received, sized
from advisor.faces.web.problems import Refused
from advisor.faces.web.settings import Settings

__all__ = ["Kept", "Received", "received"]

SMALL = 256 << 10
"""Bytes of JSON that are taken apart in the event loop: less than a millisecond."""
PACE = 500
"""Bytes a second that a body has to come with, once it has had `pause_s`: one that drips is not waited for."""


@dataclass
class Arrived:
    """What has come of one body."""

    bytes: int = 0


@asynccontextmanager
async def received(request: Request) -> AsyncIterator[Received]:
    """What a request brings. Raises Refused: 400 malformed, 408 too slow, 413 too large, 415 another type, 422, 503."""
    settings: Settings = request.app.state.settings
    disk: Disk = request.app.state.disk
    arrived = Arrived()
    with disk.request() as folder:
        try:
            kind = request.headers.get("content-type", "").partition(";")[0].strip().lower()
            if request.headers.get("content-encoding", "identity").lower() != "identity":
                raise Refused(
                    415, "the body is compressed", "Content-Encoding", "send it plain; files in it may be compressed"
                )
            if kind == "multipart/form-data":
                given = await _multipart(request, folder, settings, disk, arrived)
            elif kind == "application/json":
                given = await _json(request, folder, settings, disk, arrived)
            else:
                hint = "application/json or multipart/form-data"
                raise Refused(415, "not a type that is taken", "Content-Type", hint)
            yield given
        finally:
            disk.used -= arrived.bytes


async def _multipart(request: Request, folder: Path, settings: Settings, disk: Disk, arrived: Arrived) -> Received:
    parts = Parts(request.headers["content-type"], folder, settings)
    async for chunk in _chunks(request, settings, disk, arrived):
        with disk.kept():
            parts.take(chunk)
    return parts.done()


async def _json(request: Request, folder: Path, settings: Settings, disk: Disk, arrived: Arrived) -> Received:
    held = bytearray()
    path = folder / "body"
    async for chunk in _chunks(request, settings, disk, arrived):
        held += chunk
        if len(held) > SMALL:
            with disk.kept(), path.open("ab") as file:
                file.write(held)
            held.clear()
    if not path.exists():
        with disk.kept():
            return json_body.unpacked(bytes(held), folder, settings)
    with disk.kept(), path.open("ab") as file:
        file.write(held)
    unpacked: Received = await request.app.state.work.run(json_body.unpacked_file, path, folder, settings)
    return unpacked


async def _chunks(request: Request, settings: Settings, disk: Disk, arrived: Arrived) -> AsyncIterator[bytes]:
    """The body as it arrives, counted."""
    too_large = Refused(413, f"larger than {sized(settings.body_bytes)}", "body", "hand over less, or compressed files")
    declared = request.headers.get("content-length", "")
    if declared.isdigit() and int(declared) > settings.body_bytes:
        raise too_large
    begun = anyio.current_time()
    stream = request.stream()
    while True:
        try:
            with anyio.fail_at(min(begun + settings.body_s, anyio.current_time() + settings.pause_s)):
                chunk = await anext(stream)
        except StopAsyncIteration:
            return
        except TimeoutError:
            raise _late() from None
        except ClientDisconnect:
            raise Refused(400, "the connection was closed before the body had arrived", "body") from None
        arrived.bytes += len(chunk)
        if arrived.bytes < PACE * (anyio.current_time() - begun - settings.pause_s):
            raise _late()
        disk.used += len(chunk)
        if arrived.bytes > settings.body_bytes:
            raise too_large
        if disk.used > settings.disk_bytes:
            raise Refused(503, "too much is being handed over by others", None, "try again", {"Retry-After": "10"})
        yield chunk


def _late() -> Refused:
    return Refused(408, "the body did not arrive in time", "body")
