"""Changes and a folder of installed packages -> can the Python part be put in there, and with which commands.

    python/sglang/srt/engine.py  ->  <site>/sglang/srt/engine.py
    vllm/v1/worker/gpu/pp_utils.py  ->  <site>/vllm/v1/worker/gpu/pp_utils.py

The installed files are copied into a ``Store`` and the patch is tried there with `git apply`, which allows another line
number and nothing else. The folder itself is only read.
"""

from __future__ import annotations

import os
import shlex
import sysconfig
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

from advisor.errors import UsageError
from advisor.model.knowledge import Knowledge
from advisor.model.patch import Fit, HunkOut, InstalledFile, InstalledOut
from advisor.upstream import reach
from advisor.upstream.distributions import distributions
from advisor.upstream.fingerprints import Mark, places, show
from advisor.upstream.installed import sites_below
from advisor.upstream.patch_change import DIFF, Change, content
from advisor.upstream.patch_hunks import ALREADY, FITS, hunks_of, lines_of
from advisor.upstream.patch_standing import Standing
from advisor.upstream.patch_store import Store
from advisor.upstream.patching import applied
from advisor.upstream.path_kinds import kind_of
from advisor.upstream.rooted import Root
from advisor.upstream.sought import Sought

PREFIX = "python/"
LARGEST = 32 * 2**20
IN_PLACE = {"fits", "already", "changed", "new"}


@dataclass(frozen=True)
class Fitted:
    """The answer, and the one patch that takes this folder's files to the fix: b"" when it does not apply."""

    answer: InstalledOut
    patch: bytes


def against(store: Store, changes: Sequence[Change], site: Path) -> Fitted:
    """Try the Python part of the changes, in their order, on copies of the installed files."""
    tree: str | None = _copied(store, changes, site)
    copied, files = tree or "", []
    for one in changes:
        own = [_file(one, path, site, tree or copied) for path in one.paths]
        ours = [file.path for file in own if file.state in ("fits", "changed", "new")]
        tree = applied(store, _mapped(one, ours), tree) if tree and ours else tree
        files += own
    patch = store.git("diff-tree", "-r", "-p", *DIFF, copied, tree) if tree and tree != copied else b""
    verdict, headline = _told(files, tree, bool(patch), site)
    answer = InstalledOut(str(site), verdict, headline, tuple(files), notes=_notes(files, site))
    return Fitted(answer, patch if verdict == "clean" else b"")


def standing_in(one: Change, marks: Sequence[Mark], site: Path) -> Standing:
    """Whether the installed files have the change: by its fingerprint, else by all of its Python being there."""

    def read(file: str) -> tuple[str, str] | None:
        held = next(((place, text) for place in places(file) if (text := _read(site / place)) is not None), None)
        return (held[0], held[1].decode("utf-8", "replace")) if held else None

    shown = show(marks, read)
    if shown and shown.held and not shown.by_absence:
        return Standing("yes", f"by its fingerprint: {shown.says}")
    tree = _copied(one.store, [one], site)
    states = {_file(one, path, site, tree).state for path in one.paths} & IN_PLACE
    if states == {"already"}:
        return Standing("yes", "all its changes of installed Python files are there")
    return Standing("no", shown.says if shown else "not all its changes of installed Python files are there")


def standing_by_marks(change: Sought, root: Root, site: Path, engine: str, known: Knowledge | None) -> Standing:
    """Whether the installed files have the change, by its fingerprints alone: no commit of it is at hand.

    `unknown` where the rule names none, the files are not there, or files of that version cannot tell.
    """
    shown = show(change.fingerprints, lambda file: _marked(root, site, file))
    if shown is None:
        named = ", ".join(change.files())
        lack = f"{named} is not there" if named else "the rule names no text by which files show it"
        return Standing("unknown", f"{lack}, so {site} does not tell")
    installed = distributions(root, site, {engine}) if engine else []
    version = installed[0].version if installed else ""
    held, says = reach.told(change, shown, version, known) if known else (shown.held, shown.says)
    return Standing("unknown" if held is None else "yes" if held else "no", f"by its fingerprint: {says}")


def _marked(root: Root, site: Path, file: str) -> tuple[str, str] | None:
    found = ((place, root.text(site / place, LARGEST)) for place in places(file))
    return next(((place, text) for place, text in found if text is not None), None)


def site_of(given: Path | None, paths: Sequence[str]) -> tuple[Root, Path]:
    """The folder of packages: the one given, or below it (an environment, an image's root); this Python's by default.

    With what it lies in. Raises UsageError when there is no such folder.
    """
    if given is None:
        return Root(Path("/")), Path(sysconfig.get_path("purelib"))
    if not os.path.isdir(given):
        raise UsageError("no such folder", f"--against-installed {given}", "a site-packages folder")
    root = Root(given)
    folders = [root.path, *(site for site in sites_below(root) if site != root.path)]
    named = (site for site in folders if any(place_of(path, site) for path in paths))
    return root, next(named, folders[1] if len(folders) > 1 else root.path)


def _copied(store: Store, changes: Sequence[Change], site: Path) -> str:
    """A tree in the store with the installed copies of the files that the changes name."""
    index, lines = store.index("installed"), []
    for place in sorted({place_of(path, site) for one in changes for path in one.paths} - {""}):
        held = _read(site / place)
        if held is not None:
            lines.append(f"100644 {store.word('hash-object', '-w', '--stdin', stdin=held)}\t{place}\n")
    store.git("read-tree", "--empty", env=index)
    store.git("update-index", "--index-info", stdin="".join(lines).encode(), env=index)
    return store.word("write-tree", env=index)


def _read(path: Path) -> bytes | None:
    try:
        return path.read_bytes() if path.is_file() and path.stat().st_size <= LARGEST else None
    except OSError as error:
        raise UsageError(f"cannot be read ({error.strerror or error})", str(path)) from None


def place_of(path: str, site: Path) -> str:
    """Where a file of the repository lies in the folder, or would; "" when its package is not there."""
    for place in (path.removeprefix(PREFIX), path):
        top = place.partition("/")[0]
        if top != place and os.path.isfile(site / top / "__init__.py"):
            return place
    return ""


def _file(one: Change, path: str, site: Path, tree: str) -> InstalledFile:
    place, kind = place_of(path, site), kind_of(path)
    here = content(one.store, tree, place) if place else None
    python = kind == "python" or (kind == "version" and path.endswith(".py"))
    if not python:
        outside = kind in ("tests", "docs") and here is None
        return InstalledFile(path, place, "as_is" if here is not None else "absent" if outside else "compiled")
    if not place:
        return InstalledFile(path, "", "absent")
    if here is None:
        return InstalledFile(path, place, "missing" if content(one.store, one.base, path) is not None else "new")
    hunks = [HunkOut(hunk.heading, hunk.in_text(lines_of(here))) for hunk in hunks_of(one.diff(path))]
    states = {hunk.state for hunk in hunks}
    if here == content(one.store, one.commit, path) or states == {ALREADY}:
        return InstalledFile(path, place, "already")
    if states <= {FITS}:
        return InstalledFile(path, place, "fits")
    return InstalledFile(path, place, "changed", tuple(hunk for hunk in hunks if hunk.state != FITS))


def _mapped(one: Change, paths: Sequence[str]) -> bytes:
    """The diff of these files, named as they lie in the folder."""
    inside = [path for path in paths if path.startswith(PREFIX)]
    rest = [path for path in paths if not path.startswith(PREFIX)]
    asked = [word for word in DIFF if word != "--no-relative"]
    moved = [f":(literal,top){path}" for path in inside]
    words = ("diff-tree", "-r", "-p", *asked, f"--relative={PREFIX}", one.base, one.commit, "--", *moved)
    return (one.store.git(*words) if inside else b"") + (one.diff(*rest) if rest else b"")


def _told(files: list[InstalledFile], tree: str | None, changed: bool, site: Path) -> tuple[Fit, str]:
    states = {file.state for file in files}
    compiled = sum(file.state == "compiled" for file in files)
    rest = f"; {compiled} of {len(files)} files are not Python and cannot be patched in place" if compiled else ""
    if not states & (IN_PLACE | {"missing"}):
        return "none", f"No Python file of the fix belongs to a package in {site}{rest}."
    if "missing" in states or tree is None:
        return "conflicts", f"The Python part of the fix does not apply to the installed files in {site}{rest}."
    if not changed:
        return "in", f"The Python part of the fix is in the installed files in {site} already{rest}."
    return "clean", f"The Python part of the fix applies to the installed files in {site}{rest}."


def _notes(files: list[InstalledFile], site: Path) -> tuple[str, ...]:
    notes = []
    linked = [file.place for file in files if file.place and os.path.islink(site / file.place)]
    if linked:
        names = ", ".join(linked)
        notes.append(f"{names}: a link, which `patch` refuses; the file it leads to may serve other environments")
    if any(file.state == "compiled" for file in files):
        notes.append("Without its compiled part the fix may do nothing, or break what it touches: a build brings both.")
    return tuple(notes)


def commands(site: Path, files: Sequence[InstalledFile], patch: Path, slug: str) -> tuple[tuple[str, str], ...]:
    """What to run: a purpose and the exact command of each step, in order. Nothing is run here."""
    at, named = shlex.quote(str(site.absolute())), shlex.quote(str(patch.absolute()))
    there = (one.place for one in files if one.state in ("fits", "already"))
    held = " ".join(dict.fromkeys(map(shlex.quote, there)))
    backup = shlex.quote(str(patch.absolute().with_name(f"advisor-{slug}-backup.tar")))
    strict = f"patch --forward --fuzz=0 -p1 -d {at} -i {named}"
    return (
        *((("Back up", f"tar -C {at} -cf {backup} {held}"),) if held else ()),
        ("Dry run", strict.replace("patch ", "patch --dry-run ", 1)),
        ("Apply", strict),
        ("Undo", f"patch --reverse --fuzz=0 -p1 -d {at} -i {named}"),
        *((("Undo, from the back-up", f"tar -C {at} -xf {backup}"),) if held else ()),
    )
