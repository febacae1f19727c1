"""A site-packages folder, a virtual environment or an unpacked image -> which engine build is installed there.

Metadata names the version; the engine's own files show what is really in it, and RECORD whether they were edited since.
Nothing is imported or run, and no link is followed out of the folder (see `rooted`). Raises UsageError when there is no
site-packages folder, or no engine in any of them.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass
from pathlib import Path
from urllib.parse import urlsplit

from advisor.errors import UsageError
from advisor.model.build import Component, Holding, order_key
from advisor.model.fact import Note, Span
from advisor.model.knowledge import Knowledge
from advisor.upstream.distributions import Distribution, distributions, plain
from advisor.upstream.fingerprints import Shown, places, show
from advisor.upstream.reach import told
from advisor.upstream.recorded import Compared, compared
from advisor.upstream.rooted import Root
from advisor.upstream.sought import Sought

ENGINES = ("vllm", "sglang", "lmdeploy", "xllm")
_PYTHON = ("lib", "lib64", "local/lib")
_PREFIXES = (
    "", ".venv/", "venv/", "opt/*/", "opt/*/*/", "opt/conda/envs/*/", "*/.venv/", "*/venv/", "*/*/.venv/",
    "usr/local/", "usr/local/python3*/", "usr/", "root/miniconda3/", "root/miniconda3/envs/*/", "root/.local/",
    "home/*/.local/",
)  # fmt: skip
_FILE = 16 << 20  # bytes of a file that are read
VERSION = re.compile(
    r"^(?:__version__|version)\b[^'\"\n]*['\"]([\w.+!-]{1,100})['\"]", re.M | re.A
)  # __version__ = '0.15.0'
_NCCL = re.compile(r"lib[nr]ccl\.so\.(\d+\.\d+\.\d+)")


@dataclass(frozen=True)
class Installed:
    """An engine as installed. `others` are further copies or versions of it; `says` the version its own files give.

    `edited` are files that a rule looks at whose content is not what was installed; `compared` tells of every file, and
    is None where there is no list of them (RECORD) or the install is editable. `url` is where it was installed from,
    when that is recorded; `where` the site-packages folder as its system writes it.
    """

    engine: str
    version: str
    where: str
    commit: str
    url: str
    says: str
    edited: tuple[str, ...]
    compared: Compared | None
    others: tuple[tuple[str, str], ...]
    components: tuple[Component, ...]
    holdings: tuple[Holding, ...]
    notes: tuple[Note, ...]


def sites_below(root: Root) -> list[Path]:
    """Every site-packages folder below a root, those that shadow others first; the root itself when it is one."""
    names = root.listed(root.path)
    if root.path.name in ("site-packages", "dist-packages") or any(
        one.endswith((".dist-info", ".egg-info")) for one in names
    ):
        return [root.path]
    folders = [f"{lib}/{python}" for lib in _PYTHON for python in ("python3*", "python3")]
    kinds = ("site-packages", "dist-packages")
    patterns = [f"{prefix}{lib}/{kind}" for prefix in _PREFIXES for lib in folders for kind in kinds]
    found = [one for pattern in patterns for one in root.matching(pattern)]
    return list(dict.fromkeys([*found, *root.matching("Lib/site-packages")]))


def found_in(
    root: Root,
    sites: list[Path],
    engine: str,
    knowledge_of: Mapping[str, Knowledge],
    changes_of: Mapping[str, Iterable[Sought]],
    components: Mapping[str, str],
) -> Installed:
    """What is installed in the folders. `components` gives a component's name by its package's plain name."""
    every = [one for site in sites for one in distributions(root, site, {*ENGINES, *components})]
    copies = [one for one in every if plain(one.name) in (ENGINES if not engine else (engine,))]
    if not copies:
        raise UsageError(_nothing(root, sites, engine), "--installed", "looked at the metadata of what is installed")
    kinds = list(dict.fromkeys(plain(one.name) for one in copies))
    if len(kinds) > 1:
        raise UsageError(f"{' and '.join(kinds)} are installed there", str(root.path), "say which with --engine")
    used = _used(root, copies)
    return _described(root, used, copies, every, knowledge_of[kinds[0]], changes_of[kinds[0]], components)


def _nothing(root: Root, sites: list[Path], engine: str) -> str:
    looked = ", ".join(root.shown(one) for one in sites)
    bounds = "".join(f"; {text}" for text in _bounds(root))
    if not sites:
        return f"no site-packages folder is there{bounds}"
    return f"{engine or 'no engine known here'} is {'not ' if engine else ''}installed in {looked}{bounds}"


def _bounds(root: Root) -> Iterator[str]:
    """What was not looked at below the root, and why, each in a line."""
    kinds = (
        (root.denied, "may not be read (permission denied)"),
        (root.outside, "leads out of what was given, and was not followed: give the folder it leads to"),
        (root.crowded, "has so many entries that only the first were looked at, those of packages before others"),
    )
    for paths, why in kinds:
        if paths:
            names = [root.shown(one) for one in sorted(paths)]
            more = f" and {len(names) - 2} more" if len(names) > 2 else ""
            yield f"{', '.join(names[:2])}{more} {why}"


def _described(
    root: Root,
    used: Distribution,
    copies: list[Distribution],
    every: list[Distribution],
    knowledge: Knowledge,
    changes: Iterable[Sought],
    components: Mapping[str, str],
) -> Installed:
    files = _Files(root, used)
    shown = [(change, show(change.fingerprints, files.read)) for change in changes]
    record = compared(root, used)
    looked = tuple(name for name in record.changed if name in files.seen) if record else ()
    says = _own_version(root, used)
    holdings = [_holding(one, found, used, knowledge, looked) for one, found in shown if found is not None]
    others = tuple((one.version, root.shown(one.metadata)) for one in copies if one is not used)
    return Installed(
        engine=plain(used.name),
        version=used.version,
        where=root.shown(used.site),
        commit=used.commit,
        url=used.url,
        says=says if says and says != used.version else "",
        edited=looked,
        compared=record,
        others=others,
        components=tuple(_components(root, used, every, components)),
        holdings=tuple(holdings),
        notes=tuple(_notes(root, used, looked, record)),
    )


def _used(root: Root, copies: list[Distribution]) -> Distribution:
    """The copy that is imported: the first folder's, there the one whose version its own files give, or the newest."""
    first = [one for one in copies if one.site == copies[0].site]
    says = _own_version(root, first[0])
    return next((one for one in first if one.version == says), max(first, key=lambda one: order_key(one.version)))


def _own_version(root: Root, one: Distribution) -> str:
    """The version that the package's own file gives; "" when it has none."""
    for base in _bases(one):
        for name in ("_version.py", "version.py"):
            found = VERSION.search(root.text(base / plain(one.name) / name, 1 << 16) or "")
            if found:
                return found[1]
    return ""


def _bases(one: Distribution) -> list[Path]:
    """The folders that the package's paths start from: an editable install runs from its source."""
    return [one.source, one.source / "python"] if one.source else [one.site]


class _Files:
    """The package's files by the path that a rule names; `seen` are those looked at, as RECORD names them."""

    def __init__(self, root: Root, one: Distribution) -> None:
        self.root, self.one = root, one
        self.seen: set[str] = set()

    def read(self, file: str) -> tuple[str, str] | None:
        for base in _bases(self.one):
            for name in places(file):
                text = self.root.text(base / name, _FILE)
                if text is not None:
                    self.seen.add(name)
                    return self.root.shown(base / name) if self.one.source else name, text
        return None


def _holding(
    change: Sought, shown: Shown, used: Distribution, knowledge: Knowledge, looked: tuple[str, ...]
) -> Holding:
    """What the files tell, once it is asked whether they can tell it of a build as old as this."""
    touched = [name for name in shown.files if name in looked]
    held, says = told(change, shown, used.version, knowledge)
    says += f" ({', '.join(touched)} was edited after it was installed)" if touched else ""
    return Holding(change.repo, change.commit, change.pr, held, "fingerprint", says)


def _components(
    root: Root, used: Distribution, every: list[Distribution], components: Mapping[str, str]
) -> Iterator[Component]:
    """Every library known, those beside the engine before those of other folders; one name twice where it is so."""
    given: dict[str, set[str]] = {}
    for one in sorted(every, key=lambda one: one.site != used.site):
        name = components.get(plain(one.name))
        if name is None or name in ENGINES or (name in given and one.site != used.site):
            continue
        if one.version not in given.setdefault(name, set()):
            given[name].add(one.version)
            yield Component(name, one.version, "observed", root.shown(one.metadata))


def _notes(root: Root, used: Distribution, looked: tuple[str, ...], record: Compared | None) -> Iterator[Note]:
    span = Span(root.shown(used.site))
    yield Note(
        "hint", f"{used.name} {used.version} is installed here; metadata and files were read, nothing was run", span
    )
    if used.source is not None:
        tree = root.shown(used.source)
        yield Note(
            "hint", f"an editable install: what runs is the source in {tree}; --repo reads its git history", span
        )
    elif used.outside:
        text = f"an editable install of {used.outside}, which is outside and was not read: give it with --repo"
        yield Note("limit", text, span)
    if looked:
        yield Note("hint", f"edited after it was installed, by RECORD: {', '.join(looked)}", span)
    if record is not None:
        yield Note("hint", f"compared with RECORD: {record.told()}", span)
    elif not used.editable:
        yield Note("limit", "no RECORD of its files is there: whether they were edited is not known", span)
    for text in _bounds(root):
        yield Note("limit", text, span)
    for folder in (
        ("usr/lib/*-linux-gnu", "usr/local/lib", "usr/lib64") if root.image and root.path != Path("/") else ()
    ):
        for place in root.matching(folder):
            for name in root.listed(place):
                if found := _NCCL.fullmatch(name):
                    text = f"a system NCCL {found[1]} is there too: which one a process maps is not told here"
                    yield Note("hint", text, Span(root.shown(place / name)))


def owner_of(url: str) -> str:
    """The owner/name of a repository's address; "" when it is none."""
    try:
        parts = [part for part in urlsplit(url.removeprefix("git+")).path.split("/") if part]
    except ValueError:  # https://[bad
        return ""
    owner = "/".join(parts).removesuffix(".git")
    return owner if re.fullmatch(r"[\w.-]+/[\w.-]+", owner, re.A) and not url.startswith("file:") else ""
