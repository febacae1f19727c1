"""A clone or a folder of packages beside what the user says -> one case, judged by what is really there."""

from __future__ import annotations

import subprocess
from pathlib import Path

import pytest

from advisor.catalog.engines import knowledge
from advisor.errors import UsageError
from advisor.jobs.assemble import assemble
from advisor.jobs.check import check
from advisor.jobs.fixing import fix_out
from advisor.jobs.judging import catalogue, view_of
from advisor.jobs.locating import installation, repository
from advisor.jobs.request import File, Request
from advisor.match.builds import affected
from advisor.match.contradictions import contradictions
from advisor.model.build import Build, Component, Holding, order_key
from advisor.model.case import Case
from advisor.model.report import Discrepancy, FixOut, Report
from advisor.model.rule import Affected
from advisor.model.truth import Truth
from tests.upstream.images import SITE, install

UTILS, CONFIG = "vllm/v1/worker/gpu/pp_utils.py", "vllm/config/speculative.py"
MENDED = {UTILS: "def broadcast_drafts(self, drafts): ...\n", CONFIG: "pipeline_parallel_size=1\n"}
BROKEN = {
    UTILS: "not_finishing = np.maximum(a, b)\n",
    CONFIG: "pipeline_parallel_size=target_parallel_config.pipeline_parallel_size\n",
}
MAPS = b"7f8b5d000000-7f8b5d200000 r-xp 00000000 08:01 12 /usr/lib/x86_64-linux-gnu/libnccl.so.2.27.3\n"


def report(request: Request) -> Report:
    return check(request).report


def fix(request: Request, pr: int) -> FixOut:
    """What a report would say of a fix."""
    named = next(one for rule in catalogue() for one in rule.fixes if one.pr == pr and rule.id == REFUSED)
    return fix_out(named, view_of(assemble(request)[0]))


def status(found: Report) -> str | None:
    """The status of the refusal's rule, None when it is not shown: this build does not have it."""
    return {one.rule: one.status for one in found.findings}.get(REFUSED)


def told(request: Request) -> list[Discrepancy]:
    """What does not go together in the case that a request describes."""
    view = view_of(assemble(request)[0])
    return list(contradictions(view.case, view.knowledge, [one for rule in catalogue() for one in rule.fixes]))


def codes(request: Request) -> list[str]:
    return [one.code for one in told(request)]


FLAGS = 'vllm serve m --pipeline-parallel-size 2 --speculative-config \'{"method": "eagle3", "model": "d"}\''
REFUSED = "vllm/pp-spec-refused"


# Installed packages


def test_what_is_installed_is_judged_without_being_told_a_version(tmp_path):
    install(tmp_path, "vllm", "0.28.0", BROKEN)
    found = report(Request(flags=(FLAGS,), located=installation(tmp_path)))
    assert (found.build.engine, found.build.version, found.build.fork) == ("vllm", "0.28.0", "")
    assert status(found) == "exposed"
    assert codes(Request(flags=(FLAGS,), located=installation(tmp_path))) == []


def test_an_old_version_whose_files_hold_the_fix_is_not_exposed_and_contradicts_itself(tmp_path):
    install(tmp_path, "vllm", "0.28.0", MENDED)
    request = Request(flags=(FLAGS,), located=installation(tmp_path))
    found = report(request)
    mended = fix(request, 50514)
    assert status(found) is None
    assert mended.in_this_build == "yes" and "has “def broadcast_drafts(”" in mended.why
    assert found.build.fork == "patched"
    more = next(one for one in told(request) if one.code == "build-holds-more")
    assert "#50514" in more.says and "0.28.0 lacks it" in more.says and more.sources


def test_a_new_version_whose_files_lack_the_fix_is_exposed_and_contradicts_itself(tmp_path):
    install(tmp_path, "vllm", "0.31.0", BROKEN)
    request = Request(flags=(FLAGS,), located=installation(tmp_path))
    found = report(request)
    assert status(found) == "exposed"
    less = [one for one in told(request) if one.code == "build-holds-less"]
    assert less and all(one.level == "warning" for one in less)


def test_what_is_installed_is_judged_whatever_the_user_says_and_both_are_told(tmp_path):
    install(tmp_path, "vllm", "0.30.0", MENDED)
    request = Request(engine="vllm", version="0.28.0", flags=(FLAGS,), located=installation(tmp_path))
    found = report(request)
    assert found.build.version == "0.30.0"
    assert fix(request, 50514).in_this_build == "yes" and status(found) is None
    assert any("you say vllm 0.28.0, --installed is 0.30.0; judged as 0.30.0" in note for note in found.coverage.notes)
    assert codes(request) == ["build-version-conflict"], "0.30.0 holds what its files hold"


@pytest.mark.parametrize("said", ["vllm/vllm-openai:v0.30.0", "v0.30.0", "vllm/vllm-openai:latest"])
def test_an_image_that_says_otherwise_does_not_hide_what_is_installed_in_it(tmp_path, said):
    install(tmp_path, "vllm", "0.28.0", BROKEN)
    request = Request(version=said, flags=(FLAGS,), located=installation(tmp_path))
    found = report(request)
    assert (found.build.version, status(found)) == ("0.28.0", "exposed")
    assert (found.build.image or "") == (said if ":" in said else "")
    assert codes(request) == ([] if said.endswith("latest") else ["build-version-conflict"])


def test_a_fork_stays_one_beside_a_version_that_is_said(tmp_path):
    origin = {"url": "https://github.com/LimeChain/vllm", "vcs_info": {"vcs": "git", "commit_id": "ab" * 20}}
    install(tmp_path / "fork", "vllm", "0.28.0", BROKEN, origin=origin)
    install(tmp_path / "patched", "vllm", "0.28.0", MENDED)
    for folder, fork in (("fork", "LimeChain/vllm"), ("patched", "patched")):
        for said in ("0.28.0", "0.30.0", "vllm/vllm-openai:v0.28.0", "752a3a504"):
            found = report(Request(engine="vllm", version=said, located=installation(tmp_path / folder)))
            assert (found.build.fork, found.build.version) == (fork, "0.28.0"), said


def test_an_image_of_another_engine_is_a_conflict_and_what_is_installed_is_judged(tmp_path):
    install(tmp_path, "vllm", "0.28.0", BROKEN)
    request = Request(version="lmsysorg/sglang:v0.5.16", flags=(FLAGS,), located=installation(tmp_path))
    found = report(request)
    assert (found.build.engine, found.build.version, status(found)) == ("vllm", "0.28.0", "exposed")
    assert any("you say sglang, --installed is vllm; judged as vllm" in note for note in found.coverage.notes)
    assert codes(request) == []


def test_files_edited_after_they_were_installed_are_a_finding_whether_a_rule_names_them_or_not(tmp_path):
    install(tmp_path, "vllm", "0.28.0", {**BROKEN, "vllm/__init__.py": "", "vllm/envs.py": "x = 1\n"})
    assert codes(Request(located=installation(tmp_path))) == []
    (tmp_path / "vllm/envs.py").write_text("x = 2\n")
    (tmp_path / "vllm/ours.py").write_text("")
    request = Request(located=installation(tmp_path))
    (edited,) = told(request)
    assert (edited.code, edited.level, edited.subject, edited.place) == (
        "build-edited",
        "warning",
        "build",
        str(tmp_path),
    )
    assert "1 of 4 files differ from what was installed: 1 changed (vllm/envs.py); 1 extra" in edited.says
    assert report(request).build.fork == "patched"


def test_two_copies_are_a_finding(tmp_path):
    install(tmp_path / "opt/venv" / SITE, "vllm", "0.30.0")
    install(tmp_path / SITE, "vllm", "0.28.0")
    found = told(Request(located=installation(tmp_path)))
    copies = next(one for one in found if one.code == "build-duplicate-install")
    assert "0.30.0 in" in copies.says and "judged as 0.28.0" in copies.says


def test_a_version_file_that_differs_from_the_metadata_is_a_finding(tmp_path):
    install(tmp_path, "vllm", "0.28.0", {"vllm/_version.py": "__version__ = '0.27.1'\n"})
    found = told(Request(located=installation(tmp_path)))
    assert [one.code for one in found] == ["build-version-conflict"] and "0.27.1" in found[0].says


def test_a_log_of_another_version_than_the_one_installed_is_a_finding(tmp_path):
    install(tmp_path, "vllm", "0.28.0")
    banner = b"(APIServer pid=1) INFO 09-01 10:00:00 [api_server.py:1896] vLLM API server version 0.27.1\n"
    request = Request(files=(File("engine.log", banner),), located=installation(tmp_path))
    conflict = next(one for one in told(request) if one.code == "build-version-conflict")
    assert conflict.place == "engine.log:1" and "judged as 0.28.0 (--installed)" in conflict.says


def test_an_image_of_another_version_is_a_finding():
    flags = "docker run vllm/vllm-openai:v0.27.1 --model m"
    assert codes(Request(engine="vllm", version="0.28.0", flags=(flags,))) == ["build-version-conflict"]
    assert codes(Request(engine="vllm", version="0.27.1", flags=(flags,))) == []
    assert codes(Request(flags=(flags,))) == []


def test_the_active_environment_is_looked_at_when_no_path_is_given(tmp_path):
    install(tmp_path / "venv" / SITE, "vllm", "0.28.0")
    found = installation(None, environ={"VIRTUAL_ENV": str(tmp_path / "venv")})
    assert found.build.version == "0.28.0" and str(tmp_path / "venv" / SITE) in found.notes[0].text
    with pytest.raises(UsageError, match="no environment to look at"):
        installation(None, environ={"PATH": ""})


def test_a_path_that_is_not_there_is_refused(tmp_path):
    with pytest.raises(UsageError, match="no such folder"):
        installation(tmp_path / "none")
    with pytest.raises(UsageError, match="no such folder"):
        repository(tmp_path / "none")


# Libraries: mapped before installed before pinned


def nccl(request: Request) -> list[tuple[object, str]]:
    """Which NCCL the case is judged with, and how it is known."""
    return [(one.value, one.origin) for one in view_of(assemble(request)[0]).ask("component", "nccl").facts]


def test_the_pin_stands_where_nothing_was_seen():
    request = Request(engine="vllm", version="0.28.0", hardware=("2x H200 x86_64",))
    assert [origin for _, origin in nccl(request)] == ["default"]


def test_the_installed_library_is_before_the_pin(tmp_path):
    install(tmp_path, "vllm", "0.28.0")
    install(tmp_path, "nvidia-nccl-cu12", "2.21.5")
    request = Request(hardware=("2x H200 x86_64",), located=installation(tmp_path))
    assert nccl(request) == [("2.21.5", "observed")]
    note = next(one for one in told(request) if one.code == "component-conflict")
    assert note.level == "note" and "brings" in note.says


def test_the_mapped_library_is_before_the_installed_one(tmp_path):
    install(tmp_path, "vllm", "0.28.0")
    install(tmp_path, "nvidia-nccl-cu12", "2.21.5")
    request = Request(files=(File("maps.txt", MAPS),), located=installation(tmp_path))
    assert nccl(request) == [("2.27.3", "observed")]
    conflict = next(one for one in told(request) if one.code == "component-conflict")
    assert conflict.level == "warning" and "2.27.3 by maps.txt:1" in conflict.says and ".dist-info" in conflict.says


def test_the_mapped_library_is_before_the_one_that_is_listed_or_said():
    listing = b"PyTorch version: 2.9.0\nIs debug build: False\nCUDA used to build PyTorch: 12.9\n[pip3] nvidia-nccl-cu12==2.21.5\n"
    files = (File("env.txt", listing, "collect_env"), File("maps.txt", MAPS))
    assert nccl(Request(engine="vllm", components=("nccl=2.20.1",), files=files)) == [("2.27.3", "observed")]


# Clones


@pytest.fixture
def clone(tmp_path: Path) -> Path:
    """A repository that looks like vLLM's and shares no commit with it."""
    path = tmp_path / "clone"
    for name, text in {**MENDED, "vllm/__init__.py": ""}.items():
        (path / name).parent.mkdir(parents=True, exist_ok=True)
        (path / name).write_text(text)
    who = ("-c", "user.name=a", "-c", "user.email=a@b.c")
    for words in (("init", "-q", "-b", "main"), ("add", "-A"), (*who, "commit", "-q", "-m", "Import")):
        subprocess.run(["git", *words], cwd=path, check=True, capture_output=True)
    return path


def test_a_clone_is_judged_by_its_files_where_its_history_is_its_own(clone):
    request = Request(flags=(FLAGS,), located=repository(clone))
    found = report(request)
    assert found.build.engine == "vllm" and found.build.version is None and found.build.commit
    assert status(found) is None and fix(request, 50514).in_this_build == "yes"


def test_a_ref_that_is_not_there_is_refused(clone):
    with pytest.raises(UsageError, match="no commit, tag or branch 'ours'"):
        repository(clone, ref="ours")


@pytest.fixture
def vendored(clone) -> Path:
    """The same repository with the files of an older release, and a version file that says so."""
    for name, text in {**BROKEN, "vllm/_version.py": "__version__ = version = '0.28.0'\n"}.items():
        (clone / name).write_text(text)
    commit(clone, "Go back")
    return clone


def commit(path: Path, message: str) -> None:
    who = ("-c", "user.name=a", "-c", "user.email=a@b.c")
    for words in (("add", "-A"), (*who, "commit", "-q", "-m", message)):
        subprocess.run(["git", *words], cwd=path, check=True, capture_output=True)


def test_a_vendored_tree_is_judged_as_the_installed_package_of_the_same_files(vendored, tmp_path):
    site = tmp_path / "site"
    install(site, "vllm", "0.28.0", {**BROKEN, "vllm/_version.py": "__version__ = version = '0.28.0'\n"})
    tree, package = (report(Request(flags=(FLAGS,), located=one)) for one in (repository(vendored), installation(site)))
    assert status(tree) == "exposed"
    assert [(one.rule, one.status) for one in tree.findings] == [(one.rule, one.status) for one in package.findings]
    build = repository(vendored).build
    assert build.origin == "inferred" and "vllm/_version.py says 0.28.0" in build.text
    assert codes(Request(located=repository(vendored))) == []


def test_a_vendored_tree_that_holds_more_than_it_states_is_a_patched_one(vendored):
    for name, text in MENDED.items():
        (vendored / name).write_text(text)
    commit(vendored, "Take the fix")
    request = Request(flags=(FLAGS,), located=repository(vendored))
    found = report(request)
    assert status(found) is None and found.build.fork == "patched" and "build-holds-more" in codes(request)


def test_the_base_that_the_user_states_is_compared_with_the_trees(vendored):
    request = Request(flags=(FLAGS,), located=repository(vendored, ref="0.27.1"))
    assert report(request).build.version == "0.27.1" and status(report(request)) == "exposed"
    conflict = next(one for one in told(request) if one.code == "build-version-conflict")
    assert "vllm/_version.py says vllm 0.28.0; judged as 0.27.1 (--version)" in conflict.says


def test_a_tag_of_the_clones_own_is_the_base_it_states(clone):
    subprocess.run(["git", "tag", "v0.28.0"], cwd=clone, check=True)
    located = repository(clone, ref="v0.28.0")
    found = report(Request(flags=(FLAGS,), located=located))
    assert found.build.version == "0.28.0" and status(found) is None
    assert "its tag v0.28.0 bears that number, on a commit that is not known to be upstream's" in located.build.text


def test_whether_a_vendored_tree_is_a_fork_is_not_concluded_from_its_number(vendored):
    build = repository(vendored).build
    only = Affected(only="forks", why="only forks")
    assert affected((only,), build, knowledge("vllm")).truth is Truth.UNKNOWN
    assert affected((only,), build.but(origin="observed", holdings=()), knowledge("vllm")).truth is Truth.NO


def test_a_clone_that_cannot_be_placed_says_so_first(clone):
    note = repository(clone).notes[0]
    assert note.text == (
        "this clone could not be placed among upstream's releases: give --version of the release it is based on"
    )


# A version that upstream never published


def unknown(version: str, engine: str = "vllm", **fields: object) -> list[str]:
    found = told(Request(engine=engine, version=version, **fields))  # type: ignore[arg-type]
    return [one.says for one in found if one.code == "build-unknown-release"]


def test_a_number_that_is_no_release_is_a_finding():
    newest = max(knowledge("vllm").releases, key=lambda one: order_key(one.version))
    read = knowledge("vllm").about("releases")["read"]
    says = f"vllm 9.9.9 is no release known here; the newest is {newest.version} of {newest.date} (read {read})"
    assert unknown("9.9.9") == [says] and newest.date and read
    assert unknown("0.28.0", "sglang") and unknown("0.12.9") and unknown("v0.99.0+cu129")
    assert unknown("vllm/vllm-openai:v9.9.9")


@pytest.mark.parametrize(
    "version",
    ["0.28.0", "v0.28.0", "0.28", "0.28.0+cu129", "0.27.1rc0", "0.99.0rc1", "9.9.9.dev3+g752a3a504", "0.1.0", "752a3a504",
     "main", "9.9.9+acme"],
)  # fmt: skip
def test_what_may_be_another_build_than_a_release_is_none(version):
    assert unknown(version) == []


def test_every_release_and_tag_known_is_one():
    for engine in ("vllm", "sglang", "lmdeploy", "xllm", "vllm-ascend"):
        known = knowledge(engine)
        for version in (*(one.version for one in known.releases), *(one.removeprefix("v") for one in known.tags)):
            found = contradictions(Case(Build(engine, version=version)), known, ())
            assert "build-unknown-release" not in [one.code for one in found], (engine, version)


def test_an_unknown_number_is_said_of_what_is_installed_but_not_of_a_fork(tmp_path):
    install(tmp_path / "own", "vllm", "9.9.9", MENDED)
    origin = {"url": "https://github.com/LimeChain/vllm"}
    install(tmp_path / "fork", "vllm", "9.9.9", MENDED, origin=origin)
    assert "build-unknown-release" in codes(Request(located=installation(tmp_path / "own")))
    assert "build-unknown-release" not in codes(Request(located=installation(tmp_path / "fork")))


# Holdings alone


def holding(held: bool, by: str) -> Holding:
    return Holding("vllm-project/vllm", "d87a440f88e2", 50514, held, by, f"as {by} says")  # type: ignore[arg-type]


def test_git_and_files_that_disagree_are_a_finding():
    build = Build("vllm", commit="0123456789ab", holdings=(holding(True, "git"), holding(False, "fingerprint")))
    view = view_of(Case(build))
    (found,) = contradictions(view.case, view.knowledge, ())
    assert found.code == "build-holds-less" and "as fingerprint says; yet as git says" in found.says


def test_components_that_agree_but_for_their_local_label_are_no_conflict():
    build = Build(
        "vllm", version="0.28.0", components=(Component("nccl", "2.28.9+cuda13.0"), Component("nccl", "2.28.9"))
    )
    assert contradictions(Case(build), None, ()) == ()
