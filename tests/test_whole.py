"""Files put in their place whole: what stays of the file there, who may write, what is left and what is swept."""

from __future__ import annotations

import contextlib
import errno
import os
import signal
import stat
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest

from advisor import own_folders, whole
from advisor.catalog.places import rule_files
from advisor.jobs import trees
from advisor.jobs.lint_cache import Cache, Row
from tests.front_door import advisor

linux = pytest.mark.skipif(sys.platform != "linux", reason="locks, forks and owners as Linux has them")
root = pytest.mark.skipif(not hasattr(os, "geteuid") or os.geteuid() != 0, reason="only root changes owners")


def part_of(file: Path) -> Path:
    return file.with_name(whole.part_name(file.name))


def forked(work: Callable[[], object]) -> int:
    """The exit code of a process that does the work: 0, or the error's number."""
    if (pid := os.fork()) == 0:
        try:
            work()
            os._exit(0)
        except OSError as error:
            os._exit(error.errno or 255)
        finally:
            os._exit(254)
    return os.waitstatus_to_exitcode(os.waitpid(pid, 0)[1])


@pytest.fixture
def shared() -> Iterator[Path]:
    """A folder that everybody may write, below none that others may not enter."""
    with tempfile.TemporaryDirectory() as made:
        Path(made).chmod(0o777)
        yield Path(made)


def test_mode_and_link_and_names_stay(tmp_path: Path) -> None:
    file, link = tmp_path / "pod.yaml", tmp_path / "link.yaml"
    file.write_text("old")
    file.chmod(0o751)
    link.symlink_to(file)
    whole.put(link, b"new")
    assert link.is_symlink() and file.read_bytes() == b"new" and stat.S_IMODE(file.stat().st_mode) == 0o751
    assert sorted(one.name for one in tmp_path.iterdir()) == ["link.yaml", "pod.yaml"]


@root
@linux
def test_owner_and_attributes_stay(tmp_path: Path) -> None:
    file = tmp_path / "pod.yaml"
    file.write_text("old")
    os.chown(file, 1234, 1235)
    file.chmod(0o2640)
    try:
        os.setxattr(file, "user.note", b"kept")
    except OSError:
        pytest.skip("this disk keeps no attributes")
    whole.put(file, b"new")
    state = file.stat()
    assert (state.st_uid, state.st_gid, stat.S_IMODE(state.st_mode)) == (1234, 1235, 0o2640)
    assert os.getxattr(file, "user.note") == b"kept" and file.read_bytes() == b"new"


@root
@linux
def test_a_file_that_would_not_stay_its_owners_is_refused(shared: Path) -> None:
    folder = shared
    (folder / "pod.yaml").write_text("old")
    (folder / "pod.yaml").chmod(0o666)
    (folder / "mine.yaml").write_text("old")
    os.chown(folder / "mine.yaml", 1234, 1234)
    (folder / "mine.yaml").chmod(0o444)

    def as_another(name: str) -> Callable[[], object]:
        def work() -> None:
            os.setgid(1234)
            os.setuid(1234)
            whole.put(folder / name, b"new")

        return work

    assert forked(as_another("pod.yaml")) == errno.EPERM
    assert forked(as_another("mine.yaml")) == errno.EACCES  # its own, but not to be written
    assert {one.read_text() for one in folder.iterdir()} == {"old"} and len(list(folder.iterdir())) == 2


def test_the_longest_name_has_a_part_too(tmp_path: Path) -> None:
    file = tmp_path / ("x" * 255)
    whole.put(file, b"1")
    whole.put(file, b"2", before=b"1")
    assert file.read_bytes() == b"2"


def test_what_was_edited_meanwhile_is_not_overwritten(tmp_path: Path) -> None:
    file = tmp_path / "pod.yaml"
    for there in (b"edited", None):
        if there is not None:
            file.write_bytes(there)
        with pytest.raises(whole.Changed):
            whole.put(file, b"new", before=b"old")
        assert (file.read_bytes() if file.exists() else None) == there
        file.unlink(missing_ok=True)
    assert not list(tmp_path.iterdir())


@linux
def test_a_part_of_the_dead_is_swept_and_one_of_the_living_is_waited_for(tmp_path: Path) -> None:
    file = tmp_path / "pod.yaml"
    part_of(file).write_text("half")
    whole.put(file, b"first")
    assert not part_of(file).exists()
    read, write = os.pipe()
    if (pid := os.fork()) == 0:
        part = whole.Part(file, 0o644)
        part.fill(b"second")
        os.write(write, b"!")
        time.sleep(0.2)
        part.place()
        os._exit(0)
    os.read(read, 1)
    with pytest.raises(whole.Changed):  # it waits for the other's turn to end, and then the file is another
        whole.put(file, b"third", before=b"first")
    os.waitpid(pid, 0)
    assert file.read_bytes() == b"second" and list(tmp_path.iterdir()) == [file]


@linux
def test_one_that_takes_for_ever_holds_up_nobody(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(whole, "_WAIT_S", 0.05)
    stopped = whole.Part(tmp_path / "pod.yaml", 0o644)
    whole.put(tmp_path / "pod.yaml", b"new")
    assert (tmp_path / "pod.yaml").read_bytes() == b"new" and stopped.path.exists()
    stopped.close()
    assert not stopped.path.exists()


@linux
@pytest.mark.parametrize("make", [Path.mkdir, os.mkfifo, lambda one: one.symlink_to("/dev/zero")])
def test_what_is_no_part_is_left_alone(tmp_path: Path, make: Callable[[Path], object]) -> None:
    file = tmp_path / "pod.yaml"
    make(part_of(file))
    whole.put(file, b"new")
    assert file.read_bytes() == b"new" and os.path.lexists(part_of(file))


def test_what_is_under_way_is_no_file_to_lint_and_no_rule(tmp_path: Path) -> None:
    (tmp_path / "vllm" / whole.part_name("slow")).mkdir(parents=True)
    (tmp_path / "vllm" / whole.part_name("slow") / "rule.yaml").write_text("id: vllm/slow\n")
    part_of(tmp_path / "pod.yaml").write_text("vllm")
    assert list(trees.files([tmp_path])) == [] and rule_files(tmp_path) == []


@linux
@pytest.mark.parametrize("number, kept", [(errno.ENOTSUP, True), (errno.EIO, False), (errno.ENOSPC, False)])
def test_attributes_that_are_lost_for_another_reason_than_the_disks_kind_refuse_the_file(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, number: int, kept: bool
) -> None:
    """Access lists are attributes: a file without them is not as it was."""
    file = tmp_path / "pod.yaml"
    file.write_text("old")

    def refused(*_: object) -> None:
        raise OSError(number, os.strerror(number))

    monkeypatch.setattr(os, "listxattr", lambda _: ["user.note"])
    monkeypatch.setattr(os, "getxattr", lambda *_: b"kept")
    monkeypatch.setattr(os, "setxattr", refused)
    with contextlib.nullcontext() if kept else pytest.raises(OSError, match=os.strerror(number)):
        whole.put(file, b"new")
    assert file.read_text() == ("new" if kept else "old") and list(tmp_path.iterdir()) == [file]


@linux
def test_a_folder_whose_process_was_killed_without_a_lock_in_it_is_swept(tmp_path: Path) -> None:
    """Before it had its lock, or between that and the folder itself."""
    (tmp_path / "advisor-x-empty").mkdir()
    (tmp_path / "advisor-x-full").mkdir()
    (tmp_path / "advisor-x-full" / "theirs").touch()
    with own_folders.temporary("advisor-x-", tmp_path):
        assert not (tmp_path / "advisor-x-empty").exists()
    assert [one.name for one in tmp_path.iterdir()] == ["advisor-x-full"]


@linux
def test_a_folder_of_the_dead_is_swept_and_no_other(tmp_path: Path) -> None:
    (tmp_path / "advisor-x-older").mkdir()  # of a version that locked nothing
    (tmp_path / "advisor-x-older" / "body").write_text("used")

    def killed() -> None:
        with own_folders.temporary("advisor-x-", tmp_path) as made:
            (made / "request").mkdir()
            (made / "request" / "body").write_text("secret")
            os.kill(os.getpid(), signal.SIGKILL)

    assert forked(killed) == -signal.SIGKILL and len(list(tmp_path.iterdir())) == 2
    with (
        own_folders.temporary("advisor-x-", tmp_path) as first,
        own_folders.temporary("advisor-x-", tmp_path) as second,
    ):
        assert sorted(tmp_path.iterdir()) == sorted([first, second, tmp_path / "advisor-x-older"])
    assert [one.name for one in tmp_path.iterdir()] == ["advisor-x-older"]


def test_a_folder_that_another_begins_once_ours_has_its_name_is_theirs(tmp_path: Path, monkeypatch) -> None:
    target = tmp_path / "rule"

    def begun(folder: Path) -> None:
        if folder == tmp_path:
            part_of(target).mkdir()
            (part_of(target) / "theirs").write_text("x")

    monkeypatch.setattr(whole, "sync_folder", begun)
    with own_folders.made_whole(target) as part:
        (part / "rule.yaml").write_text("id: x")
    assert [one.name for one in target.iterdir()] == ["rule.yaml"]
    assert [one.name for one in part_of(target).iterdir()] == ["theirs"]


@root
@linux
def test_a_lint_cache_of_somebody_else_is_not_read_and_is_begun_anew(tmp_path: Path) -> None:
    cache, row = Cache(tmp_path, 1), Row(b"k", b"b", (), b"r")
    cache.keep([row])
    assert cache.found([b"k"]) == {b"k": row}
    os.chown(cache.file, 1234, 1234)
    assert cache.found([b"k"]) == {}
    cache.keep([row])
    assert cache.found([b"k"]) == {b"k": row} and cache.file.stat().st_uid == 0


def test_a_file_that_may_not_be_written_is_one_line(tmp_path: Path) -> None:
    (tmp_path / "below").mkdir()
    ran = advisor("check", "--engine", "vllm", "--symptom", "hang", "--output", "below/no/report.json", cwd=tmp_path)
    assert ran.code == 2 and ran.err.count("\n") == 1 and "cannot be written: No such file or directory" in ran.err


START = """
import os, sys, time
from advisor.faces import batch
above = os.getpid()
def reports(part):
    if os.getpid() == above:  # which answers the first part by itself
        return []
    os.write(2, b"%d\\n" % os.getpid())
    time.sleep(60)
    return []
batch.cores, batch.MANY, batch.TOGETHER, batch.reports = lambda: 3, 2, 1, reports
sys.argv = ["advisor", "check", "--batch", sys.argv[1]]
from advisor.__main__ import run
run()
"""


@pytest.mark.skipif(sys.platform != "linux" or sys.version_info >= (3, 14), reason="a pool's process is a copy there")
def test_the_processes_of_a_batch_end_after_it_is_killed(tmp_path: Path) -> None:
    (tmp_path / "cases").write_text('{"engine": "vllm"}\n' * 9)
    environment = {**os.environ, "PYTHONPATH": os.pathsep.join(sys.path)}
    running = subprocess.Popen(
        [sys.executable, "-c", START, str(tmp_path / "cases")], stderr=subprocess.PIPE, env=environment
    )
    assert running.stderr is not None
    workers = [int(running.stderr.readline()) for _ in range(3)]
    running.kill()
    running.wait()
    assert running.stderr.read() == b""  # which ends when the last of them has closed it
    assert not any(
        Path(f"/proc/{one}/cmdline").exists() and Path(f"/proc/{one}/cmdline").read_bytes() for one in workers
    )
