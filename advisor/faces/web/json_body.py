"""A JSON body -> fields and files: `{"engine": "vllm", "flags": ["…"], "files": [{"name": "a.log", "content": "…"}]}`.

A field is a text or a list of texts; `true` and `false` are the texts that options take. `null` is nothing.
"""

from __future__ import annotations

import base64
import binascii
import json
from pathlib import Path
from typing import Any

from advisor.faces.web.parcels import Received, Shelf, clean, shown, sized
from advisor.faces.web.problems import Refused
from advisor.faces.web.settings import Settings

FILE = ("name", "content", "content_base64", "kind")
FILE_KINDS = ("", "log", "stack")


def unpacked_file(path: Path, folder: Path, settings: Settings) -> Received:
    """As `unpacked`, of a body on disk."""
    body = path.read_bytes()
    path.unlink()
    return unpacked(body, folder, settings)


def unpacked(body: bytes, folder: Path, settings: Settings) -> Received:
    """What the body says; its files are written into the folder. Raises Refused."""
    try:
        found = json.loads(body.decode("utf-8-sig"), parse_constant=_no_json)
    except UnicodeDecodeError:
        raise Refused(400, "no UTF-8", "body") from None
    except RecursionError:
        raise Refused(400, "nested too deeply", "body") from None
    except json.JSONDecodeError as error:
        raise Refused(400, f"malformed JSON: {error.msg}", f"body, line {error.lineno} column {error.colno}") from None
    except ValueError as error:
        raise Refused(400, f"malformed JSON: {error}", "body") from None
    if not isinstance(found, dict):
        raise Refused(422, "an object is expected", "body", '{"engine": "vllm", "version": "0.28.0"}')
    files = found.pop("files", None)
    fields = {clean(name): _texts(name, value, settings) for name, value in found.items() if value is not None}
    if sum(map(len, fields.values())) > settings.fields:
        raise Refused(413, f"more than {settings.fields} values", "body")
    return Received(fields, _files(files, Shelf(folder, settings), settings))


def _no_json(word: str) -> None:
    raise ValueError(f"{word} is no JSON")


def _texts(name: str, value: Any, settings: Settings) -> tuple[str, ...]:
    values = value if isinstance(value, list) else [value]
    texts = [{True: "true", False: "false"}[one] if isinstance(one, bool) else one for one in values]
    for one in texts:
        if not isinstance(one, str):
            raise Refused(422, "a text, or a list of texts, is expected", shown(name), "put it in quotes")
        if len(one) > settings.field_bytes:
            hint = "hand it over as a file: files, with name and content"
            raise Refused(413, f"longer than {sized(settings.field_bytes)}", shown(name), hint)
    return tuple(map(clean, texts))


def _files(given: Any, shelf: Shelf, settings: Settings) -> tuple:  # type: ignore[type-arg]
    if given is None:
        return ()
    if not isinstance(given, list):
        raise Refused(422, "a list is expected", "files", '[{"name": "serve.log", "content": "…"}]')
    for at, one in enumerate(given):
        where = f"files[{at}]"
        if not isinstance(one, dict):
            raise Refused(422, "an object is expected", where, '{"name": "serve.log", "content": "…"}')
        for key, value in one.items():
            if key not in FILE:
                raise Refused(422, "no such field", f"{where}.{shown(key)}", ", ".join(FILE))
            if not isinstance(value, str):
                raise Refused(422, "a text is expected", f"{where}.{key}")
        if one.get("kind", "") not in FILE_KINDS:
            raise Refused(422, "no such kind", f"{where}.kind", "log or stack; left out, it is told by content")
        content = _content(one, where)
        if len(content) > settings.file_bytes:
            raise Refused(413, f"larger than {sized(settings.file_bytes)}", where, "compress it, or cut it")
        shelf.place(clean(one.get("name", "")), one.get("kind", "")).path.write_bytes(content)
    return tuple(shelf.files)


def _content(one: dict[str, str], where: str) -> bytes:
    if ("content" in one) == ("content_base64" in one):
        raise Refused(422, "either content or content_base64", where)
    if "content" in one:
        return one["content"].encode("utf-8", "replace")
    try:
        return base64.b64decode(one["content_base64"], validate=True)
    except (binascii.Error, ValueError):
        raise Refused(422, "no base64", f"{where}.content_base64") from None
