"""multipart/form-data, as it arrives -> fields and files; a file's bytes go to disk, never through memory whole."""

from __future__ import annotations

from pathlib import Path

from python_multipart.exceptions import FormParserError
from python_multipart.multipart import MultipartParser, parse_options_header

from advisor.faces.web.parcels import KINDS, Kept, Received, Shelf, clean, shown, sized
from advisor.faces.web.problems import Refused
from advisor.faces.web.settings import Settings


class Parts:
    """Takes chunks of a body. A part with a file name, or called as files are, is a file; an empty one of a form's
    empty input is none."""

    def __init__(self, content_type: str, folder: Path, settings: Settings) -> None:
        _, options = parse_options_header(content_type)
        if not options.get(b"boundary"):
            raise Refused(400, "no boundary", "Content-Type", "multipart/form-data; boundary=…")
        self._settings, self._shelf = settings, Shelf(folder, settings)
        self._fields: dict[str, list[str]] = {}
        self._count = 0
        self._header, self._value = b"", b""
        self._headers: dict[bytes, bytes] = {}
        self._name, self._text, self._size = "", bytearray(), 0
        self._kept: Kept | None = None
        self._unnamed = False
        self._ended = False
        try:
            self._parser = MultipartParser(
                options[b"boundary"],
                {
                    "on_part_begin": self._begin,
                    "on_header_field": self._on_header,
                    "on_header_value": self._on_value,
                    "on_header_end": self._on_header_end,
                    "on_headers_finished": self._on_headers,
                    "on_part_data": self._on_data,
                    "on_part_end": self._on_end,
                    "on_end": self._on_last,
                },
            )
        except FormParserError:
            raise Refused(400, "a boundary that is none", "Content-Type") from None

    def take(self, chunk: bytes) -> None:
        """The next bytes. Raises Refused."""
        try:
            self._parser.write(chunk)
        except FormParserError:
            raise Refused(400, "malformed multipart", "body") from None

    def done(self) -> Received:
        """What has arrived. Raises Refused where the end is missing."""
        if not self._ended:
            raise Refused(400, "the end of the multipart body is missing", "body")
        return Received({name: tuple(values) for name, values in self._fields.items()}, tuple(self._shelf.files))

    def _begin(self) -> None:
        self._headers, self._text, self._size = {}, bytearray(), 0
        self._kept, self._unnamed = None, False

    def _on_header(self, data: bytes, start: int, end: int) -> None:
        self._header += data[start:end]

    def _on_value(self, data: bytes, start: int, end: int) -> None:
        self._value += data[start:end]

    def _on_header_end(self) -> None:
        self._headers[self._header.lower()] = self._value
        self._header, self._value = b"", b""

    def _on_headers(self) -> None:
        _, options = parse_options_header(self._headers.get(b"content-disposition", b""))
        if b"name" not in options:
            raise Refused(400, "a part without a name", "body")
        self._name = clean(options[b"name"].decode("utf-8", "replace"))
        given = options.get(b"filename")
        if given is None and self._name not in KINDS:
            self._count += 1
            if self._count > self._settings.fields:
                raise Refused(413, f"more than {self._settings.fields} fields", "body")
            return
        if self._name not in KINDS:
            raise Refused(422, "no such file part", shown(self._name), f"one of {', '.join(KINDS)}")
        name = clean((given or b"").decode("utf-8", "replace"))
        self._unnamed = not name
        self._kept = self._shelf.place(name or self._name, KINDS[self._name])
        self._kept.path.touch()

    def _on_data(self, data: bytes, start: int, end: int) -> None:
        self._size += end - start
        if self._kept is not None:
            if self._size > self._settings.file_bytes:
                where = shown(self._kept.name)
                raise Refused(413, f"larger than {sized(self._settings.file_bytes)}", where, "compress it, or cut it")
            with self._kept.path.open("ab") as file:  # a body that drips holds no descriptor
                file.write(memoryview(data)[start:end])
            return
        if self._size > self._settings.field_bytes:
            hint = "hand it over as a file: part file, log or stack"
            raise Refused(413, f"longer than {sized(self._settings.field_bytes)}", shown(self._name), hint)
        self._text += data[start:end]

    def _on_end(self) -> None:
        if self._kept is None:
            self._fields.setdefault(self._name, []).append(self._text.decode("utf-8", "replace"))
            return
        if self._unnamed and not self._size:
            self._shelf.drop(self._kept)

    def _on_last(self) -> None:
        self._ended = True
