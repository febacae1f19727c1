"""A clone or fork of an engine, at one commit -> which build that is, and which upstream changes it holds.

Git tells what the history brings (see `traces`), the files of that commit what is really there; both are kept where
both speak, and the files count for more. Only where every commit below is upstream's own does a missing text mean
that upstream rewrote the file since, and git is believed.

Where a clone has commits of its own, its tree is asked whether it bears out what history says (see `settling`).

A clone that shares no commit with upstream (a vendored tree) is judged by the version stated for it, by the user, the
tree itself or a tag (see `stated`), as an installed package is; its own tags are nobody's commits. Of a shallow clone
that version is only what its commit is counted from: picks may lie below the cut.

Nothing of the clone is run: no hook, filter, monitor, signature check or lazy fetch, whatever its configuration asks
for. Raises UsageError for a path that is no clone, a ref that is not there, or a tree that is of no engine known.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator
from dataclasses import dataclass, replace
from functools import cached_property
from pathlib import Path

from git import Repo
from git.exc import InvalidGitRepositoryError, NoSuchPathError

from advisor.errors import UpstreamError, UsageError
from advisor.model.build import Build, local_commit, public
from advisor.model.fact import Note, Span
from advisor.model.knowledge import Knowledge
from advisor.upstream.commit_files import CommitFiles
from advisor.upstream.fingerprints import short
from advisor.upstream.git import revision, tag_and_branch
from advisor.upstream.history import UPSTREAMS, ask
from advisor.upstream.path_kinds import is_source
from advisor.upstream.sought import Sought
from advisor.upstream.stated import Stated, reads_as_version, stated
from advisor.upstream.traces import Trace, Tracer
from advisor.upstream.walk import Place, Walk, described, placed, walked
from advisor.upstream.weighing import Scales
from advisor.upstream.worktree import edited

MARKERS = {
    "vllm": "vllm/__init__.py",
    "sglang": "python/sglang/__init__.py",
    "lmdeploy": "lmdeploy/__init__.py",
    "xllm": "xllm/CMakeLists.txt",
}
"""A file that the repository of each engine has."""

_URL = re.compile(r"[/:]([\w.-]+)/([\w.-]+?)(?:\.git)?/?$")  # https://github.com/InternLM/lmdeploy.git


@dataclass
class Checkout:
    """A clone at one commit. `ref` is how the user named it, "" for what is checked out.

    `typed` is a version that the user gave and that is no revision of the clone: what it is based on.
    """

    path: Path
    repo: Repo
    ref: str
    sha: str
    engine: str
    typed: str = ""

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
    """What a checkout turned out to be. `stated` are the versions said of it, where its history places it nowhere."""

    build: Build
    notes: tuple[Note, ...]
    stated: tuple[Stated, ...] = ()


def checked_out(path: Path, engine: str = "", ref: str = "") -> Checkout:
    """The clone at `ref`, or at what is checked out there.

    A `ref` that is no revision of the clone and reads as a version is what the clone is based on.
    """
    repo = _opened(path)
    sha, typed = revision(Path(repo.git_dir), ref or "HEAD"), ""
    if not sha and reads_as_version(ref):
        sha, ref, typed = revision(Path(repo.git_dir), "HEAD"), "", ref
    if not sha:
        raise _missing(path, ref)
    return Checkout(path, repo, ref, sha, _engine(repo, path, sha, engine), typed)


def _opened(path: Path) -> Repo:
    """The repository at a path as it is written, `$` and `~` included."""
    try:
        return Repo(path.absolute(), expand_vars=False)
    except (InvalidGitRepositoryError, NoSuchPathError) as error:
        raise UsageError("not a git clone", str(path), "for files without git use --installed") from error
    except OSError as error:
        raise UsageError(f"cannot be read ({error.strerror or error})", str(path)) from error


def found_in(checkout: Checkout, knowledge: Knowledge, changes: Iterable[Sought]) -> Findings:
    """The build at a checkout, with a holding for every change sought that its history or its files can tell of."""
    changes = tuple(changes)
    place = placed(checkout.walk, checkout.sha, knowledge)
    tracer = Tracer(checkout.repo, checkout.walk, place, changes)
    files = CommitFiles(checkout.repo, checkout.sha, place)
    said = _stated(checkout, place, knowledge, files)
    scales = Scales(files, place, knowledge, said[0].version if said else "")
    traces = _traces(checkout, place, knowledge, tracer, changes)
    holdings = tuple(one for change, trace in traces.items() for one in scales.holdings(change, trace))
    dirty = _dirty(checkout)
    notes = (*_placing(checkout, place, said), *_notes(checkout, place, knowledge, dirty, files))
    build = _based(checkout, said[0]) if said else _placed(checkout, place, dirty)
    if said and not build.fork and any(one.by != "fingerprint" and one.held is not None for one in holdings):
        build = build.but(fork="local")  # a commit of its own brings a change of upstream's, or takes one back
    return Findings(build.but(holdings=holdings), notes, said)


def _traces(
    checkout: Checkout, place: Place, knowledge: Knowledge, tracer: Tracer, changes: tuple[Sought, ...]
) -> dict[Sought, Trace]:
    """What history says of each change; where the clone has commits of its own, as far as its files bear it out."""
    traces = {one: tracer.trace(one) for one in changes}
    at_hand = any(tracer.full[one] or trace.events for one, trace in traces.items())
    if not at_hand or (place.base is not None and not place.own):
        return traces
    from advisor.upstream.settling import settling

    try:
        with settling(checkout.repo, checkout.path, checkout.sha, checkout.walk, place, knowledge) as ready:
            return {one: ready.settled(one, tracer.full[one], trace) for one, trace in traces.items()}
    except UpstreamError as error:
        why = f"its files could not be compared: {error.what}"
        return {one: replace(trace, held=None, says=f"{trace.says}; {why}") for one, trace in traces.items()}


def _stated(checkout: Checkout, place: Place, knowledge: Knowledge, files: CommitFiles) -> tuple[Stated, ...]:
    """The versions stated for a clone placed nowhere by its history. Raises UsageError when it is placed elsewhere."""
    if place.base is None and place.version is None:
        return stated(checkout.repo, checkout.sha, checkout.ref, checkout.typed, knowledge, files.read)
    if checkout.typed and (place.version is None or public(place.version) != public(checkout.typed)):
        at = f"its history places what is checked out at {described(place, checkout.sha) or 'no release known'}"
        hint = f"{at}: fetch that revision, or leave --version out"
        raise UsageError(f"no commit, tag or branch {checkout.typed!r} in it", str(checkout.path), hint)
    return ()


def _placed(checkout: Checkout, place: Place, dirty: tuple[str, ...]) -> Build:
    return Build(
        engine=checkout.engine,
        version=_version(place, checkout.sha, dirty),
        commit=None if place.exact and not dirty else checkout.sha,
        fork=_fork(checkout, place, dirty),
        text=_text(checkout),
        origin="observed",
    )


def _based(checkout: Checkout, said: Stated) -> Build:
    """The build of a clone that is only said to be based on a version: its own commit says nothing to upstream.

    Where its history is cut off, picks may lie below the cut: it is a commit counted from that version, never it.
    """
    version, commit = said.version, local_commit(said.version)
    if checkout.walk.shallow and commit is None:
        version, commit = f"{version.partition('+')[0]}+g{checkout.sha[:9]}", checkout.sha
    return Build(
        engine=checkout.engine,
        version=version,
        commit=commit,
        fork=_owner(checkout),
        text=f"{_text(checkout)}; {said.says}",
        origin="stated" if said.by == "user" else "inferred",
    )


def _text(checkout: Checkout) -> str:
    return f"{checkout.path} at {checkout.ref or checkout.sha[:12]}"


def _missing(path: Path, ref: str) -> UsageError:
    if not ref:
        return UsageError(
            "nothing is checked out there", str(path), "name a commit, tag or branch of it with --version"
        )
    return UsageError(f"no commit, tag or branch {ref!r} in it", str(path), "fetch it, or name another with --version")


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


def _dirty(checkout: Checkout) -> tuple[str, ...]:
    """The files edited in the work tree, when it is the work tree's commit that is judged and there is one."""
    git_dir = Path(checkout.repo.git_dir)
    tree = git_dir.parent if git_dir.name == ".git" else checkout.path
    if checkout.ref or not (tree / ".git").exists() or not (git_dir / "index").is_file():
        return ()
    return edited(git_dir, tree)


def _version(place: Place, sha: str, dirty: tuple[str, ...]) -> str | None:
    version = described(place, sha)
    return f"{version}+0.g{sha[:9]}" if version and place.exact and dirty else version


def _fork(checkout: Checkout, place: Place, dirty: tuple[str, ...]) -> str:
    """The fork's name when the checkout has commits or edits of its own; "" for upstream's commits alone."""
    changed = any(is_source(name) for name in dirty)
    if not changed and (place.base is None or not place.own or _on_upstreams_branch(checkout)):
        return ""
    return _owner(checkout) or "local"


def _on_upstreams_branch(checkout: Checkout) -> bool:
    """Whether it is a commit of a branch that a clone of upstream itself fetched: a release branch has picks too."""
    if checkout.origin().lower() != UPSTREAMS[checkout.engine].repo.lower():
        return False
    try:
        return bool(
            ask(checkout.repo, "for-each-ref", f"--contains={checkout.sha}", "--count=1", "refs/remotes/origin")
        )
    except UpstreamError:
        return False


def _owner(checkout: Checkout) -> str:
    """Where it was cloned from, when that is not upstream; else ""."""
    origin, repo = checkout.origin(), UPSTREAMS[checkout.engine].repo
    return origin if origin.lower() != repo.lower() else ""


def _placing(checkout: Checkout, place: Place, said: tuple[Stated, ...]) -> Iterator[Note]:
    """What leads: on which version a clone is judged that no history places, or that none is known; a name of two."""
    span = Span(str(checkout.path))
    if said:
        as_what = "a commit after" if checkout.walk.shallow else "judged as"
        text = f"no commit of it is known to be upstream's: {as_what} {said[0].version}, for {said[0].says}"
        yield Note("hint", f"{text}; weaker than a release of upstream's below it, and its files count for more", span)
    elif place.base is None and place.version is None:
        text = "this clone could not be placed among upstream's releases: give --version of the release it is based on"
        yield Note("limit", text, span)
    if double := tag_and_branch(Path(checkout.repo.git_dir), checkout.ref):
        text = f"{double} is a tag and a branch of it: the tag was taken (refs/heads/{double} is the branch)"
        yield Note("hint", text, span)


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
