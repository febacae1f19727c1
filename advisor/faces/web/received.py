"""A request's body -> its fields, and its files on disk in a folder that is gone when the request ends.

Multipart and JSON come to the same: what repeats is a tuple, a part called `file`, `log` or `stack` is a file of that
kind. Nothing is held whole in memory but small JSON; every limit is counted while the bytes arrive.
"""

from __future__ import annotations

import shutil
import tempfile
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from dataclasses import dataclass
from pathlib import Path

import anyio
from starlette.requests import ClientDisconnect, Request

from advisor.faces.web import json_body
from advisor.faces.web.multipart_body import Parts
from advisor.faces.web.parcels import Kept, Received, sized
from advisor.faces.web.problems import Refused
from advisor.faces.web.settings import Settings

__all__ = ["Kept", "Received", "received"]

SMALL = 256 << 10
"""Bytes of JSON that are taken apart in the event loop: less than a millisecond."""


@dataclass
class Disk:
    """Bytes that all requests together have on disk now."""

    used: int = 0


@asynccontextmanager
async def received(request: Request) -> AsyncIterator[Received]:
    """What a request brings. Raises Refused: 400 malformed, 408 too slow, 413 too large, 415 another type, 422, 503."""
    settings: Settings = request.app.state.settings
    disk: Disk = request.app.state.disk
    folder = Path(tempfile.mkdtemp(prefix="request-", dir=request.app.state.folder))
    counted = Disk()
    try:
        kind = request.headers.get("content-type", "").partition(";")[0].strip().lower()
        if request.headers.get("content-encoding", "identity").lower() != "identity":
            raise Refused(
                415, "the body is compressed", "Content-Encoding", "send it plain; files in it may be compressed"
            )
        if kind == "multipart/form-data":
            yield await _multipart(request, folder, settings, disk, counted)
        elif kind == "application/json":
            yield await _json(request, folder, settings, disk, counted)
        else:
            raise Refused(415, "not a type that is taken", "Content-Type", "application/json or multipart/form-data")
    finally:
        disk.used -= counted.used
        shutil.rmtree(folder, ignore_errors=True)


async def _multipart(request: Request, folder: Path, settings: Settings, disk: Disk, counted: Disk) -> Received:
    parts = Parts(request.headers["content-type"], folder, settings)
    try:
        async for chunk in _chunks(request, settings, disk, counted):
            parts.take(chunk)
        return parts.done()
    finally:
        parts.close()


async def _json(request: Request, folder: Path, settings: Settings, disk: Disk, counted: Disk) -> Received:
    head = bytearray()
    file = None
    path = folder / "body"
    try:
        async for chunk in _chunks(request, settings, disk, counted):
            if file is None and len(head) + len(chunk) <= SMALL:
                head += chunk
                continue
            file = file or path.open("wb")
            file.write(head)
            head.clear()
            file.write(chunk)
    finally:
        if file is not None:
            file.close()
    if file is None:
        return json_body.unpacked(bytes(head), folder, settings)
    unpacked: Received = await request.app.state.work.run(json_body.unpacked_file, path, folder, settings)
    return unpacked


async def _chunks(request: Request, settings: Settings, disk: Disk, counted: Disk) -> AsyncIterator[bytes]:
    """The body as it arrives, counted."""
    too_large = Refused(413, f"larger than {sized(settings.body_bytes)}", "body", "hand over less, or compressed files")
    declared = request.headers.get("content-length", "")
    if declared.isdigit() and int(declared) > settings.body_bytes:
        raise too_large
    late = anyio.current_time() + settings.body_s
    stream = request.stream()
    while True:
        try:
            with anyio.fail_at(min(late, anyio.current_time() + settings.pause_s)):
                chunk = await anext(stream)
        except StopAsyncIteration:
            return
        except TimeoutError:
            raise Refused(408, "the body did not arrive in time", "body", None, {"Connection": "close"}) from None
        except ClientDisconnect:
            raise Refused(400, "the connection was closed before the body had arrived", "body") from None
        counted.used += len(chunk)
        disk.used += len(chunk)
        if counted.used > settings.body_bytes:
            raise too_large
        if disk.used > settings.disk_bytes:
            raise Refused(503, "too much is being handed over by others", None, "try again", {"Retry-After": "10"})
        yield chunk
