"""A clone or fork of an engine, at one commit -> which build that is, and which upstream changes it holds.

Git tells what the history brings (see `traces`), the files of that commit what is really there; both are kept where
both speak, and the files count for more. Only where every commit below is upstream's own does a missing text mean
that upstream rewrote the file since, and git is believed.

Nothing of the clone is run: no hook, filter, monitor, signature check or lazy fetch, whatever its configuration asks
for. Raises UsageError for a path that is no clone, a ref that is not there, or a tree that is of no engine known.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from functools import cached_property
from pathlib import Path

from git import Repo

from advisor.errors import UpstreamError, UsageError
from advisor.model.build import Build, Holding
from advisor.model.fact import Note, Span
from advisor.model.knowledge import Knowledge
from advisor.upstream.commit_files import CommitFiles
from advisor.upstream.fingerprints import Shown, short, show
from advisor.upstream.history import UPSTREAMS, ask, opened
from advisor.upstream.picks import is_source
from advisor.upstream.sought import Sought
from advisor.upstream.traces import Trace, Tracer
from advisor.upstream.walk import Place, Walk, described, placed, walked
from advisor.upstream.worktree import edited

MARKERS = {
    "vllm": "vllm/__init__.py",
    "sglang": "python/sglang/__init__.py",
    "lmdeploy": "lmdeploy/__init__.py",
    "xllm": "xllm/CMakeLists.txt",
}
"""A file that the repository of each engine has."""

_SAFE = {
    "core.fsmonitor": "false",
    "core.hooksPath": "/dev/null",
    "log.showSignature": "false",
    "core.pager": "cat",
    "diff.external": "",
    "submodule.recurse": "false",
    "i18n.logOutputEncoding": "UTF-8",
}
_URL = re.compile(r"[/:]([\w.-]+)/([\w.-]+?)(?:\.git)?/?$")  # https://github.com/InternLM/lmdeploy.git


@dataclass
class Checkout:
    """A clone at one commit. `ref` is how the user named it, "" for what is checked out."""

    path: Path
    repo: Repo
    ref: str
    sha: str
    engine: str

    @cached_property
    def walk(self) -> Walk:
        """The history below the commit."""
        return walked(self.repo, self.sha)

    def origin(self) -> str:
        """The owner/name that it was cloned from, as its configuration says; "" when that is no such address."""
        try:
            url = ask(self.repo, "config", "--get", "remote.origin.url")
        except UpstreamError:
            return ""
        away = not url.startswith("file:") and ("//" in url or "@" in url)  # a folder of this machine names no owner
        found = _URL.search(url) if away else None
        return f"{found[1]}/{found[2]}" if found else ""


@dataclass(frozen=True)
class Findings:
    """What a checkout turned out to be."""

    build: Build
    notes: tuple[Note, ...]


def checked_out(path: Path, engine: str = "", ref: str = "") -> Checkout:
    """The clone at `ref`, or at what is checked out there."""
    try:
        repo = opened(path)
    except UpstreamError as error:
        raise UsageError("not a git clone", str(path), "for files without git use --installed") from error
    _make_safe(repo)
    sha = _commit(repo, path, ref)
    return Checkout(path, repo, ref, sha, _engine(repo, path, sha, engine))


def found_in(checkout: Checkout, knowledge: Knowledge, changes: Iterable[Sought]) -> Findings:
    """The build at a checkout, with a holding for every change sought that its history or its files can tell of."""
    changes = tuple(changes)
    place = placed(checkout.walk, checkout.sha, knowledge)
    tracer = Tracer(checkout.repo, checkout.walk, place, changes)
    files = CommitFiles(checkout.repo, checkout.sha, place)
    holdings = [one for change in changes for one in _holdings(change, tracer.trace(change), files, place)]
    dirty = _dirty(checkout)
    build = Build(
        engine=checkout.engine,
        version=_version(place, checkout.sha, dirty),
        commit=None if place.exact and not dirty else checkout.sha,
        fork=_fork(checkout, place, dirty),
        text=f"{checkout.path} at {checkout.ref or checkout.sha[:12]}",
        origin="observed",
        holdings=tuple(holdings),
    )
    return Findings(build, tuple(_notes(checkout, place, knowledge, dirty, files)))


def _make_safe(repo: Repo) -> None:
    """Nothing that the clone's configuration names is run, and nothing is fetched."""
    settings = {f"GIT_CONFIG_{part}_{n}": text for n, pair in enumerate(_SAFE.items()) for part, text in _parts(pair)}
    repo.git.update_environment(
        GIT_CONFIG_COUNT=str(len(_SAFE)),
        GIT_NO_LAZY_FETCH="1",
        GIT_ALLOW_PROTOCOL="none",
        GIT_OPTIONAL_LOCKS="0",
        GIT_TERMINAL_PROMPT="0",
        GIT_NO_REPLACE_OBJECTS="1",
        **settings,
    )


def _parts(pair: tuple[str, str]) -> tuple[tuple[str, str], tuple[str, str]]:
    return ("KEY", pair[0]), ("VALUE", pair[1])


def _commit(repo: Repo, path: Path, ref: str) -> str:
    wanted = [ref, f"v{ref}", f"origin/{ref}"] if ref else ["HEAD"]
    for one in wanted:
        try:
            return ask(repo, "rev-parse", "--quiet", "--verify", "--end-of-options", one + "^{commit}")
        except UpstreamError:
            continue
    if not ref:
        raise UsageError("nothing is checked out there", str(path), "name a commit, tag or branch of it with --version")
    raise UsageError(f"no commit, tag or branch {ref!r} in it", str(path), "fetch it, or name another with --version")


def _engine(repo: Repo, path: Path, sha: str, wanted: str) -> str:
    there = set(ask(repo, "ls-tree", "--name-only", sha, "--", *MARKERS.values()).split("\n"))
    found = [engine for engine, marker in MARKERS.items() if marker in there]
    if wanted and wanted not in found:
        holds = f"it holds {' and '.join(found)}" if found else "it holds none of the engines known"
        raise UsageError(f"no source of {wanted} at {sha[:12]}: {holds}", str(path))
    if not wanted and len(found) != 1:
        hint = "say which with --engine" if found else f"looked for {', '.join(MARKERS.values())}"
        many = f"it holds {' and '.join(found)}" if found else "no engine known here is in it"
        raise UsageError(f"{many} at {sha[:12]}", str(path), hint)
    return wanted or found[0]


def _holdings(change: Sought, trace: Trace, files: CommitFiles, place: Place) -> Iterator[Holding]:
    yield Holding(change.repo, change.commit, change.pr, trace.held, trace.by, trace.says)
    shown = show(change.fingerprints, files.read)
    if shown is not None:
        held, says = _weighed(change, trace, shown, files, place)
        yield Holding(change.repo, change.commit, change.pr, held, "fingerprint", says)


def _weighed(change: Sought, trace: Trace, shown: Shown, files: CommitFiles, place: Place) -> tuple[bool | None, str]:
    """What the files tell, once it is asked whether they can: None where upstream's own files show the same."""
    if shown.by_absence and trace.held is not True:
        return None, f"{shown.says}, which is so too where the fault has not come yet"
    if shown.held is False and trace.held and trace.by == "git" and not place.own:
        return None, f"{shown.says}: upstream's own file, rewritten since"
    if shown.held and trace.held is False and not place.own:
        return None, f"{shown.says}, which is upstream's own file without the change"
    if shown.held and not trace.held and files.base is not None:
        before = show(change.fingerprints, files.base.read)
        if before is not None and before.held:
            return None, f"{shown.says}, which upstream's own {files.base.commit[:12]} has too, before the change"
    return shown.held, shown.says


def _dirty(checkout: Checkout) -> tuple[str, ...]:
    """The files edited in the work tree, when it is the work tree's commit that is judged and there is one."""
    tree = checkout.repo.working_tree_dir
    if checkout.ref or tree is None or not (Path(checkout.repo.git_dir) / "index").is_file():
        return ()
    return edited(checkout.repo, Path(tree))


def _version(place: Place, sha: str, dirty: tuple[str, ...]) -> str | None:
    version = described(place, sha)
    return f"{version}+0.g{sha[:9]}" if version and place.exact and dirty else version


def _fork(checkout: Checkout, place: Place, dirty: tuple[str, ...]) -> str:
    """The fork's name when the checkout has commits or edits of its own; "" for upstream's commits alone."""
    changed = any(is_source(name) for name in dirty)
    if not changed and (place.base is None or not place.own):
        return ""
    origin, repo = checkout.origin(), UPSTREAMS[checkout.engine].repo
    return origin if origin and origin.lower() != repo.lower() else "local"


def _notes(
    checkout: Checkout, place: Place, knowledge: Knowledge, dirty: tuple[str, ...], files: CommitFiles
) -> Iterator[Note]:
    span, sha = Span(str(checkout.path)), checkout.sha[:12]
    if checkout.walk.shallow:
        text = (
            f"a shallow clone of {len(checkout.walk.entries)} commits: what came before them is not known, files decide"
        )
        yield Note("limit", text, span)
    if place.version is not None and place.exact:
        yield Note("hint", f"{checkout.engine} at {sha}, which is upstream's {place.version}", span)
    elif place.version is not None:
        after = f"{place.since} commits after it left main" if place.since is not None else "told by its date"
        text = f"upstream's release below is {place.version} ({after}): its settings and pins are taken, as the nearest"
        yield Note("hint", f"{checkout.engine} at {sha}; {text}", span)
    if place.base is None and not checkout.walk.shallow:
        yield Note(
            "hint", f"no commit below {sha} is on upstream's main as known here: it has a history of its own", span
        )
    elif place.base is not None and place.own:
        text = f"{len(place.own)} commits of its own on upstream's {place.base.sha} of {place.base.date}"
        yield Note("hint", text, span)
    if place.young:
        last = knowledge.history.last()
        yield Note(
            "hint", f"{place.young} merges younger than the upstream history known, to {last and last.date}", span
        )
    if dirty:
        looked = [name for found in files.seen.values() if found and (name := found[0]) in dirty]
        told = (
            f", among them {', '.join(looked)}, which a rule looks at"
            if looked
            else f": {short(', '.join(dirty[:3]), 200)}"
        )
        text = f"the work tree differs from {sha} in {len(dirty)} files{told}; the commit was judged, not the work tree"
        yield Note("hint", text, span)
