"""Package index -> releases with upload dates, and single files out of a released wheel.

The index's simple API (PEP 691, JSON form) names every file of a package with its upload time. A wheel is a zip, and a
zip keeps its table of contents at the end, so a file of a 300 MB wheel is read with a few HTTP range requests. A
release that has no wheel is read from its sdist, which has to travel whole.

What was read is kept below ``$XDG_CACHE_HOME/inference-advisor/wheels``: a released file never changes under its name.
Only the refresh of knowledge calls this module; nothing here runs when a case is checked.

Source: https://packaging.python.org/en/latest/specifications/simple-repository-api/ (read 2026-11-29)
"""

from __future__ import annotations

import io
import json
import os
import re
import ssl
import subprocess
import sys
import tarfile
import time
import urllib.error
import urllib.request
import zipfile
import zlib
from collections.abc import Callable
from dataclasses import dataclass, field
from functools import lru_cache
from pathlib import Path
from urllib.parse import quote, urljoin

from advisor import whole
from advisor.errors import UnreachableError, UpstreamError

BLOCK_BYTES = 128 * 1024
_SDIST_SOURCES = (".py", "PKG-INFO", "Dockerfile")
SIMPLE_JSON = "application/vnd.pypi.simple.v1+json"

# (url, first byte, last byte) -> body; without a range the whole body.
Get = Callable[[str, "tuple[int, int] | None"], bytes]


@dataclass(frozen=True)
class File:
    """One file of a release as the index lists it."""

    name: str
    url: str
    size: int | None
    uploaded: str

    @property
    def is_wheel(self) -> bool:
        """Whether it is a wheel, readable by range."""
        return self.name.endswith(".whl")


@dataclass(frozen=True)
class Release:
    """One version on the index; ``date`` is the day (UTC) its first file was uploaded, "" when the index says none."""

    version: str
    date: str
    files: tuple[File, ...]


def http_get(url: str, span: tuple[int, int] | None = None) -> bytes:
    """The body of a URL, or of its bytes ``span`` (both ends included). Three tries, then UnreachableError.

    UpstreamError when the index answers that it has no such thing.
    """
    headers = {"Accept": SIMPLE_JSON} if span is None else {"Range": f"bytes={span[0]}-{span[1]}"}
    asked = _request(url, headers)
    reason = ""
    for pause_s in (0, 2, 8):
        time.sleep(pause_s)
        try:
            with urllib.request.urlopen(asked, timeout=120, context=_tls()) as reply:  # noqa: S310 - see _request
                if span is not None and reply.status != 206:
                    raise UpstreamError("the package index does not serve byte ranges", url)
                return bytes(reply.read())
        except urllib.error.HTTPError as error:
            if error.code < 500:
                raise UpstreamError(f"the package index answered {error.code}", url) from error
            reason = str(error)
        except OSError as error:
            reason = str(error)
    raise UnreachableError(f"the package index could not be read: {reason}", url)


def _request(url: str, headers: dict[str, str], method: str = "GET") -> urllib.request.Request:
    """The request. UpstreamError for any other scheme: an index may name no file of this machine."""
    if not url.lower().startswith(("https://", "http://")):
        raise UpstreamError("the package index is read over https or http alone", url)
    return urllib.request.Request(url, headers=headers, method=method)  # noqa: S310 - of these schemes


def index_url() -> str:
    """The simple index pip is configured for, without a closing slash."""
    url = os.environ.get("PIP_INDEX_URL", "").strip()
    if not url:
        asked = subprocess.run(
            [sys.executable, "-m", "pip", "config", "get", "global.index-url"],
            capture_output=True,
            text=True,
            check=False,
        )
        url = asked.stdout.strip() if asked.returncode == 0 else ""
    return (url or "https://pypi.org/simple").rstrip("/")


def cache_folder() -> Path:
    """Where read files are kept between runs."""
    base = os.environ.get("XDG_CACHE_HOME") or str(Path.home() / ".cache")
    return Path(base) / "inference-advisor" / "wheels"


@dataclass
class Index:
    """A package index with a folder of what was already read from it."""

    url: str = field(default_factory=index_url)
    cache: Path = field(default_factory=cache_folder)
    get: Get = http_get
    _releases: dict[str, list[Release]] = field(default_factory=dict, repr=False)
    _archives: dict[str, zipfile.ZipFile] = field(default_factory=dict, repr=False)
    _sdists: dict[str, dict[str, bytes]] = field(default_factory=dict, repr=False)

    def released(self, package: str) -> list[Release]:
        """Every version with at least one wheel or sdist that was not yanked, oldest version first."""
        if package not in self._releases:
            page_url = f"{self.url}/{package}/"
            self._releases[package] = releases_of(package, page_url, json.loads(self.get(page_url, None)))
        return self._releases[package]

    def apart(self) -> Index:
        """The same index with open archives of its own, for use in another thread."""
        return Index(self.url, self.cache, self.get, self._releases)

    def release(self, package: str, version: str) -> Release:
        """One version; UpstreamError when the index does not list it."""
        for release in self.released(package):
            if release.version == version:
                return release
        raise UpstreamError(f"{package} {version} is not on the package index", self.url)

    def names(self, package: str, version: str, wheel: str = "") -> list[str]:
        """Paths of the files inside a release, as unpacked. ``wheel`` picks a wheel by a part of its file name."""
        file = preferred(self.release(package, version), wheel)
        kept = self.cache / file.name / "names.json"
        if not kept.exists():
            found = self._archive(file).namelist() if file.is_wheel else sorted(self._sdist(file))
            _keep(kept, json.dumps([name for name in found if not name.endswith("/")]).encode())
        return [str(name) for name in json.loads(kept.read_bytes())]

    def read(self, package: str, version: str, path: str, wheel: str = "") -> bytes:
        """One file of a release; UpstreamError when the release does not hold it."""
        file = preferred(self.release(package, version), wheel)
        kept = self.cache / file.name / "files" / quote(path, safe="")
        if not kept.exists():
            if path not in self.names(package, version, wheel):
                raise UpstreamError(f"{package} {version} holds no {path}", file.name)
            try:
                body = self._archive(file).read(path) if file.is_wheel else self._sdist(file)[path]
            except (zipfile.BadZipFile, zlib.error) as error:
                raise UpstreamError(f"{path} in it cannot be unpacked: {error}", file.name) from error
            _keep(kept, body)
        return kept.read_bytes()

    def read_sdist(self, package: str, version: str, path: str) -> bytes:
        """One file of a release's sdist, whether or not there is a wheel; UpstreamError when it has none such."""
        file = next((one for one in self.release(package, version).files if one.name.endswith(".tar.gz")), None)
        if file is None:
            raise UpstreamError(f"{package} {version} has no sdist to read {path} from", self.url)
        kept = self.cache / file.name / "files" / quote(path, safe="")
        if not kept.exists():
            if path not in self._sdist(file):
                raise UpstreamError(f"{package} {version} holds no {path}", file.name)
            _keep(kept, self._sdist(file)[path])
        return kept.read_bytes()

    def _archive(self, file: File) -> zipfile.ZipFile:
        if file.name not in self._archives:
            size = file.size if file.size is not None else _length(file.url)
            try:
                self._archives = {file.name: zipfile.ZipFile(RangeFile(file.url, size, self.get))}
            except zipfile.BadZipFile as error:
                raise UpstreamError(f"not a readable wheel: {error}", file.name) from error
        return self._archives[file.name]

    def _sdist(self, file: File) -> dict[str, bytes]:
        """Files of an sdist by their path below its top folder; the last one read is kept, for it travels whole."""
        if file.name not in self._sdists:
            body = io.BytesIO(self.get(file.url, (0, (file.size or _length(file.url)) - 1)))
            try:
                self._sdists = {file.name: _sources_of(body)}
            except (tarfile.TarError, zlib.error, EOFError) as error:
                raise UpstreamError(f"not a readable sdist: {error}", file.name) from error
        return self._sdists[file.name]


class RangeFile(io.RawIOBase):
    """A seekable file over a URL that fetches blocks as they are read."""

    def __init__(self, url: str, size: int, get: Get) -> None:
        self.url, self.size, self._get = url, size, get
        self._at = 0
        self._blocks: dict[int, bytes] = {}

    def readable(self) -> bool:
        """Always."""
        return True

    def seekable(self) -> bool:
        """Always."""
        return True

    def seek(self, offset: int, whence: int = io.SEEK_SET) -> int:
        """Move; nothing is fetched until something is read."""
        self._at = offset + {io.SEEK_SET: 0, io.SEEK_CUR: self._at, io.SEEK_END: self.size}[whence]
        return self._at

    def tell(self) -> int:
        """Where the next read starts."""
        return self._at

    def read(self, size: int = -1) -> bytes:
        """Bytes from here on, fetched when they are not yet at hand."""
        end = self.size if size is None or size < 0 else min(self._at + size, self.size)
        if end <= self._at:
            return b""
        first, last = self._at // BLOCK_BYTES, (end - 1) // BLOCK_BYTES
        self._need(first, last)
        joined = b"".join(self._blocks[number] for number in range(first, last + 1))
        start = self._at - first * BLOCK_BYTES
        taken = joined[start : start + end - self._at]
        self._at = end
        return taken

    def _need(self, first: int, last: int) -> None:
        missing = [number for number in range(first, last + 1) if number not in self._blocks]
        if not missing:
            return
        start = missing[0] * BLOCK_BYTES
        body = self._get(self.url, (start, min((missing[-1] + 1) * BLOCK_BYTES, self.size) - 1))
        for number in range(missing[0], missing[-1] + 1):
            at = number * BLOCK_BYTES - start
            self._blocks[number] = body[at : at + BLOCK_BYTES]


def _sources_of(sdist: io.BytesIO) -> dict[str, bytes]:
    """Python files, metadata and Dockerfiles of an sdist, by their path below its top folder."""
    with tarfile.open(fileobj=sdist) as archive:
        members = [one for one in archive.getmembers() if one.isfile() and one.name.endswith(_SDIST_SOURCES)]
        opened = {one.name.partition("/")[2]: archive.extractfile(one) for one in members}
        return {name: handle.read() for name, handle in opened.items() if handle is not None}


def releases_of(package: str, page_url: str, page: dict[str, object]) -> list[Release]:
    """The releases a simple-API page lists, oldest version first; yanked files are left out."""
    by_version: dict[str, list[File]] = {}
    listed = page.get("files")
    for entry in listed if isinstance(listed, list) else []:
        version = version_of(package, str(entry["filename"]))
        if version and not entry.get("yanked"):
            file = File(
                str(entry["filename"]),
                urljoin(page_url, str(entry["url"])),
                entry.get("size"),
                str(entry.get("upload-time") or ""),
            )
            by_version.setdefault(version, []).append(file)
    return [
        Release(version, min(file.uploaded for file in files)[:10], tuple(files))
        for version, files in sorted(by_version.items(), key=lambda item: release_order(item[0]))
    ]


def version_of(package: str, filename: str) -> str:
    """The version in a wheel's or sdist's file name, "" when it is neither: ``vllm-0.9.2-cp38-abi3-….whl`` -> 0.9.2."""
    stem = re.sub(r"[-_.]+", "[-_.]", re.escape(package).replace(r"\-", "-"))
    found = re.fullmatch(rf"{stem}-([^-]+)(-.+\.whl|\.tar\.gz|\.zip)", filename, re.IGNORECASE)
    return found[1] if found else ""


# 0.11.0  0.8.5.post1  0.14.0a2  0.5.3rc2
_VERSION = re.compile(r"(\d+(?:\.\d+)*)(?:(a|b|rc)(\d+))?(?:\.post(\d+))?(?:\.dev(\d+))?")


def release_order(version: str) -> tuple[tuple[int, ...], int, int, int, int]:
    """Sort key of a released version: 0.9.0rc1 < 0.9.0 < 0.9.0.post1 < 0.9.0.1; ``main`` and other names sort last."""
    found = _VERSION.fullmatch(version)
    if not found:
        return ((sys.maxsize,), 0, 0, 0, 0)
    numbers = [int(part) for part in found[1].split(".")]
    while len(numbers) > 1 and numbers[-1] == 0:
        numbers.pop()
    stage = {"a": 0, "b": 1, "rc": 2, None: 3}[found[2]]
    in_development = int(found[5]) if found[5] else sys.maxsize
    return (tuple(numbers), stage, int(found[3] or 0), int(found[4] or 0), in_development)


def is_final(version: str) -> bool:
    """Whether a version is a release or post-release, not a pre-release or development build."""
    found = _VERSION.fullmatch(version)
    return found is not None and found[2] is None and found[5] is None


def preferred(release: Release, wheel: str = "") -> File:
    """The file of a release to read: x86_64 Linux wheel, else any wheel, else sdist; UpstreamError when none fits."""

    def rank(file: File) -> tuple[bool, bool, str]:
        return (not file.is_wheel, not re.search(r"linux.*x86_64|none-any", file.name), file.name)

    fitting = [file for file in release.files if wheel in file.name and (file.is_wheel or not wheel)]
    if not fitting:
        raise UpstreamError(f"release {release.version} has no file {wheel or 'to read'}", None)
    return min(fitting, key=rank)


def released(package: str) -> list[Release]:
    """Every version of a package on the configured index, oldest version first."""
    return _index().released(package)


def names(package: str, version: str) -> list[str]:
    """Paths of the files inside a released wheel (or sdist, when there is no wheel)."""
    return _index().names(package, version)


def read(package: str, version: str, path: str) -> bytes:
    """One file out of a released wheel (or sdist); UpstreamError when the release does not hold it."""
    return _index().read(package, version, path)


@lru_cache(maxsize=1)
def _index() -> Index:
    return Index()


@lru_cache(maxsize=1)
def _tls() -> ssl.SSLContext:
    return ssl.create_default_context(cafile=os.environ.get("PIP_CERT") or None)


def _length(url: str) -> int:
    with urllib.request.urlopen(_request(url, {}, "HEAD"), timeout=120, context=_tls()) as reply:  # noqa: S310 - see there
        return int(reply.headers["Content-Length"])


def _keep(path: Path, body: bytes) -> None:
    """Write whole or not at all, so that an interrupted run leaves no half file behind."""
    path.parent.mkdir(parents=True, exist_ok=True)
    whole.keep(path, body)
