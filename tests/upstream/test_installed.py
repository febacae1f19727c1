"""Small environments and images -> which engine is installed there, and which fixes its files hold."""

from __future__ import annotations

import os
import shutil
import tempfile
from collections.abc import Iterator
from functools import partial
from pathlib import Path

import pytest

from advisor.errors import UsageError
from advisor.jobs.locating import installation, repository
from advisor.model.knowledge import FixRecord, History, Knowledge
from advisor.model.rule import Fingerprint
from advisor.upstream import checkout as _loaded  # noqa: F401  # git's library, before another user runs
from advisor.upstream.distributions import distributions
from advisor.upstream.installed import Installed, found_in, owner_of, sites_below
from advisor.upstream.interpreter import sites_of
from advisor.upstream.recorded import Compared, compared
from advisor.upstream.rooted import Root
from advisor.upstream.sought import Sought
from tests.counting import steps
from tests.upstream.images import SITE, image, install

FILE, REPO = "vllm/pp_utils.py", "vllm-project/vllm"
PRESENT, ABSENT = Fingerprint(FILE, present="def broadcast_drafts("), Fingerprint(FILE, absent="not_finishing = ")
MENDED, BROKEN = "def broadcast_drafts(self): ...\n", "not_finishing = 1\n"
COMPONENTS = {"torch": "torch", "nvidia-nccl-cu12": "nccl", "nvidia-nccl-cu13": "nccl"}


def looked(path: Path, *marks: Fingerprint, engine: str = "", sites: list[Path] | None = None) -> Installed:
    """What is installed at the path; the fix is first in 0.30.0, and 0.29.0 was read to lack it."""
    fixes = {f"{REPO}#54436": FixRecord("6bafc049", ("0.30.0", "0.31.0"), ("0.28.0", "0.29.0"), ("fingerprint",))}
    known = Knowledge("vllm", profile={"repo": REPO}, releases=(), history=History(""), tags={}, fixes=fixes)
    sought = (Sought(REPO, "6bafc049", 54436, "2026-08-31", marks),)
    root = Root(path)
    sites = sites_below(root) if sites is None else sites
    changes = {"vllm": sought, "sglang": sought}
    return found_in(root, sites, engine, {"vllm": known, "sglang": known}, changes, COMPONENTS)


def record(path: Path, *marks: Fingerprint) -> Compared:
    """How the files at the path compare with their RECORD."""
    found = looked(path, *marks).compared
    assert found is not None
    return found


def held(found: Installed) -> list[bool | None]:
    return [one.held for one in found.holdings]


# What is installed


def test_a_site_packages_folder_is_read_by_its_metadata(tmp_path):
    install(tmp_path, "vllm", "0.28.0", {FILE: BROKEN})
    install(tmp_path, "torch", "2.9.0+cu129")
    meta = install(tmp_path, "nvidia-nccl-cu12", "2.27.5")
    found = looked(tmp_path, PRESENT)
    assert (found.engine, found.version, found.where, found.edited) == ("vllm", "0.28.0", str(tmp_path), ())
    assert {(one.name, one.version, one.origin) for one in found.components} == {
        ("torch", "2.9.0+cu129", "observed"),
        ("nccl", "2.27.5", "observed"),
    }
    assert str(meta) in [one.where for one in found.components]
    assert held(found) == [False]


@pytest.mark.parametrize("below", [SITE, f".venv/{SITE}", f"venv/{SITE}"])
def test_an_environment_is_looked_into(tmp_path, below):
    install(tmp_path / below, "vllm", "0.28.0")
    assert looked(tmp_path).where == str(tmp_path / below)


@pytest.mark.parametrize(
    "below",
    [
        "usr/lib/python3/dist-packages",
        "usr/local/lib/python3.12/dist-packages",
        "opt/venv/lib/python3.12/site-packages",
        "opt/conda/lib/python3.11/site-packages",
        "opt/conda/envs/serve/lib/python3.11/site-packages",
        "usr/local/python3.11.14/lib/python3.11/site-packages",
        "root/.local/lib/python3.12/site-packages",
        "workspace/.venv/lib/python3.12/site-packages",
    ],
)
def test_an_image_is_looked_into_where_images_keep_packages(tmp_path, below):
    install(image(tmp_path) / below, "vllm", "0.28.0", {FILE: MENDED})
    found = looked(tmp_path, PRESENT)
    assert found.where == f"/{below}" and held(found) == [True]


def test_an_old_egg_info_will_do(tmp_path):
    (tmp_path / "vllm-0.28.0.egg-info").mkdir()
    (tmp_path / "vllm-0.28.0.egg-info" / "PKG-INFO").write_text("Name: vllm\nVersion: 0.28.0\n")
    (tmp_path / "x-1.dist-info").mkdir()
    assert looked(tmp_path).version == "0.28.0"


def test_the_version_in_the_files_is_told_beside_that_of_the_metadata(tmp_path):
    install(tmp_path, "vllm", "0.28.0", {"vllm/_version.py": "__version__ = version = '0.25.2.dev7+g752a3a504'\n"})
    assert looked(tmp_path).says == "0.25.2.dev7+g752a3a504"


def test_where_it_was_installed_from_is_told(tmp_path):
    vcs = {"url": "https://github.com/LimeChain/vllm.git", "vcs_info": {"vcs": "git", "commit_id": "ab" * 20}}
    install(tmp_path, "vllm", "0.11.2.dev278", origin=vcs)
    found = looked(tmp_path)
    assert (found.commit, owner_of(found.url)) == ("ab" * 20, "LimeChain/vllm")


@pytest.mark.parametrize("broken", ["{", "[]", '{"vcs_info": 3, "dir_info": []}', "[" * 100_000])
def test_a_broken_origin_is_passed_over(tmp_path, broken):
    (install(tmp_path, "vllm", "0.28.0") / "direct_url.json").write_text(broken)
    assert looked(tmp_path).version == "0.28.0"


def test_a_version_that_is_none_is_passed_over(tmp_path):
    (install(tmp_path, "vllm", "0.28.0") / "METADATA").write_text("Name: vllm\nVersion: \x1b[31m0.28.0\n")
    with pytest.raises(UsageError, match="no engine known here"):
        looked(tmp_path)


# Content


def test_a_fix_under_an_old_version_number_is_held(tmp_path):
    install(tmp_path, "vllm", "0.28.0", {FILE: MENDED})
    found = looked(tmp_path, PRESENT)
    assert held(found) == [True] and found.holdings[0].says == f"{FILE} has “def broadcast_drafts(”"


def test_a_fix_that_a_new_version_lacks_is_not_held(tmp_path):
    install(tmp_path, "vllm", "0.31.0", {FILE: BROKEN})
    assert held(looked(tmp_path, PRESENT)) == [False]


def test_a_file_edited_after_it_was_installed_is_told(tmp_path):
    install(tmp_path, "vllm", "0.28.0", {FILE: BROKEN, "vllm/envs.py": "x\n"})
    (tmp_path / FILE).write_text(MENDED)
    (tmp_path / "vllm/envs.py").write_text("not looked at\n")
    found = looked(tmp_path, PRESENT)
    assert found.edited == (FILE,) and held(found) == [True]
    assert "was edited after it was installed" in found.holdings[0].says
    assert found.compared is not None and found.compared.changed == ("vllm/envs.py", FILE)


def test_every_file_is_compared_with_its_record(tmp_path):
    names = ["vllm/__init__.py", "vllm/envs.py", "vllm/a.py", "vllm/conf.json", "vllm/_C.so", "vllm/cut.json"]
    install(tmp_path, "vllm", "0.28.0", dict.fromkeys(names, "12345\n"))
    assert record(tmp_path).told() == "6 files, all as installed (of files that are no .py, the size alone)"
    (tmp_path / "vllm/envs.py").write_text("54321\n")
    (tmp_path / "vllm/conf.json").write_text("54321\n")
    (tmp_path / "vllm/cut.json").write_text("1")
    (tmp_path / "vllm/_C.so").unlink()
    (tmp_path / "vllm/__pycache__").mkdir()
    (tmp_path / "vllm/__pycache__/envs.cpython-312.pyc").write_text("x")
    (tmp_path / "vllm/__pycache__/odd.py").write_text("x")
    (tmp_path / "vllm/extra.py").write_text("x")
    found = record(tmp_path)
    assert (found.count, found.missing, found.extra) == (6, ("vllm/_C.so",), ("vllm/extra.py",))
    assert found.changed == ("vllm/cut.json", "vllm/envs.py"), "of a file that is no .py the size alone is compared"
    assert found.told().startswith(
        "3 of 6 files differ from what was installed: 2 changed (vllm/cut.json, vllm/envs.py)"
    )


def test_a_file_that_another_package_brought_is_not_extra(tmp_path):
    install(tmp_path, "vllm", "0.28.0", {"vllm/__init__.py": ""})
    install(tmp_path, "vllm-plugin", "1.0", {"vllm/plugin.py": "x\n"})
    assert record(tmp_path).extra == ()


def test_what_lies_outside_or_is_compiled_is_not_compared(tmp_path):
    folder = install(tmp_path, "vllm", "0.28.0", {"vllm/__init__.py": ""})
    rows = "../../../bin/vllm,sha256=x,1\n/etc/passwd,sha256=x,1\nvllm/__pycache__/a.pyc,,\nvllm-0.28.0.dist-info/RECORD,,\n"
    (folder / "RECORD").write_text((folder / "RECORD").read_text() + rows)
    found = record(tmp_path)
    assert (found.count, found.differs()) == (1, False)


def test_without_a_record_or_with_an_editable_install_nothing_is_compared(tmp_path):
    (install(tmp_path, "vllm", "0.28.0", {FILE: BROKEN}) / "RECORD").unlink()
    found = looked(tmp_path)
    assert found.compared is None and any("no RECORD" in note.text for note in found.notes)
    (tmp_path / "src/vllm").mkdir(parents=True)
    origin = {"url": f"file://{tmp_path}/src", "dir_info": {"editable": True}}
    install(tmp_path / "other", "vllm", "0.28.0", {"__editable__.vllm.pth": "/x\n"}, origin=origin, written=False)
    assert looked(tmp_path / "other").compared is None


def test_each_file_of_a_package_costs_as_much_in_a_large_one_as_in_a_small_one(tmp_path):
    """Calls made, counted: the second, four times as large, takes about four times as many."""
    taken = []
    for at, count in enumerate((100, 400, 1600)):  # the first pays for what is loaded once
        place = tmp_path / str(at)
        files = {f"vllm/p{n % 100}/f{n}.py": f"x = {n}\n" * 10 for n in range(count)}
        install(place, "vllm", "0.28.0", {"vllm/__init__.py": "", **files})
        (one,) = distributions(Root(place), place, {"vllm"})
        found, took = steps(partial(compared, Root(place), one))
        assert found is not None and found.count == count + 1
        taken.append(took)
    assert taken[2] < 4.8 * taken[1], taken


@pytest.mark.parametrize(("version", "expected"), [("0.28.0", None), ("0.30.0", True), ("0.31.0", True)])
def test_a_text_that_is_gone_tells_only_from_the_release_that_removed_it_on(tmp_path, version, expected):
    install(tmp_path, "vllm", version, {FILE: "neither\n"})
    assert held(looked(tmp_path, ABSENT)) == [expected]


@pytest.mark.parametrize(("version", "expected"), [("0.9.0", None), ("0.29.0", True)])
def test_a_bare_word_tells_nothing_of_releases_older_than_those_read(tmp_path, version, expected):
    install(tmp_path, "vllm", version, {FILE: "from x import SupportsPP\n"})
    assert held(looked(tmp_path, Fingerprint(FILE, present="SupportsPP"))) == [expected]


def test_without_the_file_nothing_is_told(tmp_path):
    install(tmp_path, "vllm", "0.28.0")
    assert held(looked(tmp_path, PRESENT)) == []


def test_a_path_of_the_repository_is_found_in_the_wheel(tmp_path):
    install(tmp_path, "sglang", "0.5.18", {"sglang/srt/x.py": "class SpecTpSyncSite:\n"})
    assert held(looked(tmp_path, Fingerprint("python/sglang/srt/x.py", present="class SpecTpSyncSite"))) == [True]


# Editable installs


@pytest.mark.parametrize("how", ["url", "pth", "finder"])
def test_an_editable_install_is_read_from_its_source(tmp_path, how):
    source = image(tmp_path) / "src/vllm"
    (source / "vllm").mkdir(parents=True)
    (source / FILE).write_text(MENDED)
    site = tmp_path / "opt/venv" / SITE
    origin = {"url": "file:///src/vllm", "dir_info": {"editable": True}} if how == "url" else None
    install(site, "vllm", "0.28.1.dev3", origin=origin)
    if how == "pth":
        (site / "__editable__.vllm-0.28.1.pth").write_text("/src/vllm\n")
    if how == "finder":
        (site / "__editable___vllm_0_28_finder.py").write_text("MAPPING: dict = {'vllm': '/src/vllm/vllm'}\n")
    found = looked(tmp_path, PRESENT)
    assert held(found) == [True] and found.holdings[0].says.startswith("/src/vllm/vllm/pp_utils.py")
    assert any("an editable install: what runs is the source in /src/vllm" in note.text for note in found.notes)


def test_the_source_of_sglang_lies_below_python(tmp_path):
    source = image(tmp_path) / "sgl-workspace/sglang/python/sglang/srt"
    source.mkdir(parents=True)
    (source / "x.py").write_text("class SpecTpSyncSite:\n")
    site = tmp_path / "usr/local/lib/python3.12/dist-packages"
    install(site, "sglang", "0.5.18", origin={"url": "file:///sgl-workspace/sglang", "dir_info": {"editable": True}})
    assert held(looked(tmp_path, Fingerprint("sglang/srt/x.py", present="class SpecTpSyncSite"))) == [True]


def test_a_source_outside_the_folder_is_not_read(tmp_path):
    (tmp_path / "src/vllm").mkdir(parents=True)
    (tmp_path / "src" / FILE).write_text(MENDED)
    origin = {"url": f"file://{tmp_path}/src", "dir_info": {"editable": True}}
    install(tmp_path / "venv" / SITE, "vllm", "0.28.0", origin=origin)
    found = looked(tmp_path / "venv", PRESENT)
    assert held(found) == [] and any("outside and was not read" in note.text for note in found.notes)


# Several of one


def test_two_pythons_of_one_image_are_both_told_and_the_first_judged(tmp_path):
    root = image(tmp_path)
    install(root / "usr/local/lib/python3.12/dist-packages", "vllm", "0.27.1", {FILE: BROKEN})
    install(root / "opt/venv/lib/python3.12/site-packages", "vllm", "0.30.0", {FILE: MENDED})
    found = looked(root, PRESENT)
    assert (found.version, held(found)) == ("0.30.0", [True])
    assert found.others == (("0.27.1", "/usr/local/lib/python3.12/dist-packages/vllm-0.27.1.dist-info"),)


def test_of_two_metadata_folders_the_one_that_the_files_agree_with_is_taken(tmp_path):
    install(tmp_path, "vllm", "0.28.0", {"vllm/_version.py": "__version__ = '0.28.0'\n"})
    install(tmp_path, "vllm", "0.30.0")
    found = looked(tmp_path)
    assert found.version == "0.28.0" and [version for version, _ in found.others] == ["0.30.0"]


def test_two_nccls_are_both_told(tmp_path):
    install(tmp_path, "vllm", "0.28.0")
    install(tmp_path, "nvidia-nccl-cu12", "2.27.5")
    install(tmp_path, "nvidia-nccl-cu13", "2.28.9")
    assert [one.version for one in looked(tmp_path).components] == ["2.27.5", "2.28.9"]


def test_of_two_engines_one_has_to_be_named(tmp_path):
    install(tmp_path, "vllm", "0.28.0")
    install(tmp_path, "sglang", "0.5.18")
    with pytest.raises(UsageError, match=r"vllm and sglang|sglang and vllm"):
        looked(tmp_path)
    assert looked(tmp_path, engine="sglang").version == "0.5.18"


# Nothing outside is read


def test_a_link_out_of_an_image_leads_to_the_image_and_not_to_the_host(tmp_path):
    host = tmp_path / "host"
    install(host / SITE, "vllm", "9.9.9", {FILE: MENDED})
    root = image(tmp_path / "image")
    (root / "opt/venv").symlink_to(host)
    with pytest.raises(UsageError, match="no site-packages folder"):
        looked(root)
    (root / "opt/up").symlink_to("../../host")
    with pytest.raises(UsageError, match="no site-packages folder"):
        looked(root)


def test_an_absolute_link_inside_an_image_starts_at_its_root(tmp_path):
    root = image(tmp_path)
    install(root / "srv/env" / SITE, "vllm", "0.28.0", {FILE: MENDED})
    (root / "opt/venv").symlink_to("/srv/env")
    found = looked(root, PRESENT)
    assert (found.where, held(found)) == (f"/srv/env/{SITE}", [True])


@pytest.mark.parametrize("target", ["{host}/secret.py", "../../../../../../host/secret.py", "/etc/passwd", "/loop"])
def test_a_file_that_is_a_link_to_the_host_is_not_read(tmp_path, target):
    (tmp_path / "host").mkdir()
    (tmp_path / "host" / "secret.py").write_text(MENDED)
    root = image(tmp_path / "image")
    (root / "loop").symlink_to("/loop")
    site = root / "opt/venv" / SITE
    install(site, "vllm", "0.28.0", {"vllm/__init__.py": ""})
    (site / FILE).symlink_to(target.format(host=tmp_path / "host"))
    assert held(looked(root, PRESENT)) == []


def test_a_link_out_of_an_environment_is_not_read(tmp_path):
    (tmp_path / "secret.py").write_text(MENDED)
    install(tmp_path / "venv" / SITE, "vllm", "0.28.0", {"vllm/__init__.py": ""})
    (tmp_path / "venv" / SITE / FILE).symlink_to(tmp_path / "secret.py")
    (tmp_path / "venv/lib64").symlink_to("lib")
    found = looked(tmp_path / "venv", PRESENT)
    assert held(found) == [] and found.others == ()


def test_a_folder_without_packages_is_refused(tmp_path):
    with pytest.raises(UsageError, match="no site-packages folder"):
        looked(tmp_path)
    install(tmp_path / SITE, "torch", "2.9.0")
    with pytest.raises(UsageError, match="no engine known here is installed in"):
        looked(tmp_path)


# Which Python


def python(folder: Path, text: bytes = b"\x7fELF") -> Path:
    """A program called python3 in a folder."""
    folder.mkdir(parents=True)
    (folder / "python3").write_bytes(text)
    (folder / "python3").chmod(0o755)
    return folder


def test_the_environment_that_is_active_comes_first(tmp_path):
    install(tmp_path / "venv" / SITE, "vllm", "0.28.0")
    environ = {"VIRTUAL_ENV": str(tmp_path / "venv"), "PATH": "/usr/bin"}
    assert sites_of(environ) == ([tmp_path / "venv" / SITE], f"VIRTUAL_ENV={tmp_path / 'venv'}")


def test_else_the_first_python_on_the_path(tmp_path):
    (tmp_path / "conda" / SITE).mkdir(parents=True)
    folder = python(tmp_path / "conda/bin")
    found, how = sites_of({"PATH": f"{tmp_path / 'none'}:{folder}:/usr/bin"})
    assert found == [tmp_path / "conda" / SITE] and str(folder / "python3") in how


def test_the_python_of_an_environment_is_not_followed_to_the_one_it_was_made_from(tmp_path):
    folder = python(tmp_path / "base/bin")
    (tmp_path / "venv/bin").mkdir(parents=True)
    (tmp_path / "venv" / SITE).mkdir(parents=True)
    (tmp_path / "venv/pyvenv.cfg").write_text("home = x\n")
    (tmp_path / "venv/bin/python3").symlink_to(folder / "python3")
    assert sites_of({"PATH": str(tmp_path / "venv/bin")})[0] == [tmp_path / "venv" / SITE]


def test_a_script_that_would_start_python_is_not_run(tmp_path):
    found, why = sites_of({"PATH": str(python(tmp_path / "shims", b"#!/bin/sh\n"))})
    assert found == [] and "is not run" in why
    assert sites_of({"PATH": ""}) == ([], "no python3 or python is on PATH")


@pytest.fixture
def pyenv(tmp_path, monkeypatch):
    """pyenv with three versions and its shim, which must not be run; the working folder is an empty one."""
    root = tmp_path / "pyenv"
    for name in ("3.11.9", "3.12.3", "3.12.11", "3.12.12rc1", "serve"):
        (root / "versions" / name / "bin").mkdir(parents=True)
        (root / "versions" / name / SITE).mkdir(parents=True)
    python(root / "shims", b"#!/bin/sh\ntouch " + str(tmp_path / "ran").encode() + b"\n")
    (tmp_path / "work/here").mkdir(parents=True)
    monkeypatch.chdir(tmp_path / "work/here")
    return root


def chosen(root: Path, **environ: str) -> str:
    """The version of pyenv that is looked at, or why none is."""
    found, how = sites_of({"PATH": f"{root / 'shims'}", **environ})
    return found[0].relative_to(root / "versions").parts[0] if found else how


def test_the_version_that_pyenv_would_start_is_looked_at(pyenv, tmp_path):
    (pyenv / "version").write_text("3.11.9\n3.12.3\n")
    assert chosen(pyenv) == "3.11.9"
    (tmp_path / "work/.python-version").write_text("# ours\nserve\n")
    assert chosen(pyenv) == "serve"
    assert chosen(pyenv, PYENV_DIR="/") == "3.11.9"
    assert chosen(pyenv, PYENV_VERSION="3.12.3:serve") == "3.12.3"
    assert chosen(pyenv, PYENV_VERSION="python-3.12") == "3.12.11", "the newest that is no pre-release"
    assert not (tmp_path / "ran").exists()


def test_a_pyenv_that_names_the_systems_python_means_the_next_on_the_path(pyenv, tmp_path):
    (tmp_path / "conda" / SITE).mkdir(parents=True)
    path = f"{pyenv / 'shims'}:{python(tmp_path / 'conda/bin')}"
    for environ in ({}, {"PYENV_VERSION": "system"}):
        found, how = sites_of({"PATH": path, **environ})
        assert (found == [tmp_path / "conda" / SITE] and "says system" in how) or "names a version" in how


@pytest.mark.parametrize("name", ["3.9.1", "../../venv", ".", "3.12.12"])
def test_a_version_that_pyenv_does_not_have_is_refused_by_name(pyenv, name):
    why = chosen(pyenv, PYENV_VERSION=name)
    assert "is not run" in why and f"PYENV_VERSION={name} says {name}, which is not in" in why


def test_shims_of_another_program_are_refused(tmp_path):
    assert "is not run" in chosen(python(tmp_path / "asdf/shims", b"#!/bin/sh\n").parent)


# What cannot be looked at


@pytest.fixture
def open_folder() -> Iterator[Path]:
    """A folder that another user may enter, and this process as that user: root may read everything."""
    path = Path(tempfile.mkdtemp())
    path.chmod(0o755)
    if os.geteuid():
        yield path
    else:
        yield path
        os.seteuid(0)
    shutil.rmtree(path)


def as_anybody() -> None:
    if os.geteuid() == 0:
        os.seteuid(65534)


@pytest.mark.parametrize("url", ["file://[bad/vllm", "https://[bad/vllm", "git+ssh://[::1"])
@pytest.mark.parametrize("editable", [True, False])
def test_a_malformed_address_of_its_origin_is_none(tmp_path, url, editable):
    install(tmp_path, "vllm", "0.28.0", {FILE: BROKEN}, origin={"url": url, "dir_info": {"editable": editable}})
    assert looked(tmp_path, PRESENT).version == "0.28.0"
    assert owner_of(url) == ""


@pytest.mark.parametrize("closed", ["vllm", "torch-2.9.0.dist-info"])
def test_a_folder_that_may_not_be_read_is_a_note(open_folder, closed):
    install(open_folder, "vllm", "0.28.0", {FILE: BROKEN})
    install(open_folder, "torch", "2.9.0")
    (open_folder / closed).chmod(0)
    as_anybody()
    found = looked(open_folder, PRESENT)
    assert found.version == "0.28.0"
    assert any(closed in one.text and "may not be read (permission denied)" in one.text for one in found.notes)


def test_metadata_that_may_not_be_read_is_said_where_nothing_is_found(open_folder):
    install(open_folder, "vllm", "0.28.0", {FILE: BROKEN}).chmod(0)
    as_anybody()
    with pytest.raises(UsageError, match=r"no engine known here is installed in .*vllm-0\.28\.0.* may not be read"):
        looked(open_folder, PRESENT)


def test_a_path_that_may_not_be_read_is_one_line(open_folder):
    (open_folder / "inner").mkdir()
    (open_folder / "inner" / "site").mkdir()
    (open_folder / "inner").chmod(0)
    as_anybody()
    for path in (open_folder / "inner", open_folder / "inner" / "site"):
        with pytest.raises(UsageError, match="may not be read"):
            installation(path)
        with pytest.raises(UsageError, match="may not be read"):
            repository(path)


def test_a_crowded_folder_is_searched_for_packages_first_and_said(tmp_path, monkeypatch):
    install(tmp_path, "vllm", "0.28.0", {FILE: BROKEN})
    for number in range(30):
        (tmp_path / f"a{number}.py").touch()
    assert not any("so many entries" in one.text for one in looked(tmp_path, PRESENT).notes)
    monkeypatch.setattr("advisor.upstream.rooted._ENTRIES", 10)
    found = looked(tmp_path, PRESENT)
    assert found.version == "0.28.0"
    assert any("so many entries that only the first were looked at" in one.text for one in found.notes)


def test_more_entries_than_twenty_thousand_hide_nothing(tmp_path):
    install(tmp_path, "vllm", "0.28.0", {FILE: BROKEN})
    for number in range(20_100):
        (tmp_path / f"a{number}").symlink_to("x")
    assert looked(tmp_path, PRESENT).version == "0.28.0"


@pytest.mark.parametrize("name", ["vllm.egg-info", "vllm-0.28.0.egg-info", "vllm-0.28.0-py3.11.egg-info"])
@pytest.mark.parametrize("folder", [True, False])
def test_an_egg_info_is_metadata_too(tmp_path, name, folder):
    place = tmp_path / name / "PKG-INFO" if folder else tmp_path / name
    place.parent.mkdir(exist_ok=True)
    place.write_text("Metadata-Version: 2.1\nName: vllm\nVersion: 0.28.0\n")
    (tmp_path / "vllm").mkdir()
    (tmp_path / FILE).write_text(MENDED)
    found = looked(tmp_path, PRESENT)
    assert (found.engine, found.version, held(found)) == ("vllm", "0.28.0", [True])


def test_packages_that_lie_outside_an_environment_are_said(tmp_path):
    install(tmp_path / "real", "vllm", "0.28.0", {FILE: BROKEN})
    site = tmp_path / "env" / "lib" / "python3.12"
    site.mkdir(parents=True)
    (site / "site-packages").symlink_to(tmp_path / "real")
    with pytest.raises(UsageError, match=r"site-packages leads out of what was given, and was not followed"):
        looked(tmp_path / "env", PRESENT)
    root = image(tmp_path / "image")
    (root / "usr/lib/python3.12").mkdir()
    (root / "usr/lib/python3.12/site-packages").symlink_to(tmp_path / "real")
    with pytest.raises(UsageError, match=r"/usr/lib/python3.12/site-packages leads out of what was given"):
        looked(root, PRESENT)
