"""Archives and compressed files are opened in memory, and every limit that bites is said."""

import bz2
import gzip
import io
import json
import lzma
import os
import pickle
import tarfile
import zipfile
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from advisor import intake
from advisor.intake import archives, folders
from advisor.model.fact import Note

DATA = Path(__file__).parent / "evidence" / "data"
LINE = "[2026-08-02 12:01:07 TP1] Scheduler watchdog timeout (self.watchdog_timeout=120, self.soft=False)\n"
LOG = LINE.encode() * 3


def tar(files, mode="w"):
    buffer = io.BytesIO()
    with tarfile.open(fileobj=buffer, mode=mode) as archive:
        for name, content in files.items():
            info = tarfile.TarInfo(name)
            if isinstance(content, bytes):
                info.size = len(content)
                archive.addfile(info, io.BytesIO(content))
            else:
                info.type, info.linkname = content
                archive.addfile(info)
    return buffer.getvalue()


def zipped(files):
    buffer = io.BytesIO()
    with zipfile.ZipFile(buffer, "w", zipfile.ZIP_DEFLATED) as archive:
        for name, content in files.items():
            archive.writestr(name, content)
    return buffer.getvalue()


def seen(name, data):
    found = intake.take(name, data)
    return [(one.name, one.kind, one.rank) for one in found.artifacts], [note.text for note in found.notes]


@pytest.mark.parametrize(
    "pack",
    [gzip.compress, bz2.compress, lzma.compress, lambda data: gzip.compress(data[:99]) + gzip.compress(data[99:])],
)
def test_a_compressed_log_keeps_its_name(pack):
    assert seen("rank1.log.gz", pack(LOG)) == ([("rank1.log.gz", "log", "1")], [])


@pytest.mark.parametrize("pack", [tar, lambda files: tar(files, "w:gz"), lambda files: tar(files, "w:xz"), zipped])
def test_members_are_named_after_their_archive(pack):
    artifacts, notes = seen("logs.tgz", pack({"a/rank0.log": LOG, "a/rank1.log": LOG}))
    assert artifacts == [("logs.tgz!a/rank0.log", "log", "0"), ("logs.tgz!a/rank1.log", "log", "1")]
    assert notes == []


def test_archives_inside_archives():
    inner = tar({"rank3.log": LOG}, "w:gz")
    assert seen("all.zip", zipped({"node1.tar.gz": inner, "node0.log": LOG}))[0] == [
        ("all.zip!node1.tar.gz!rank3.log", "log", "3"),
        ("all.zip!node0.log", "log", None),
    ]


def test_depth_is_limited():
    data = LOG
    for _ in range(archives.MAX_DEPTH + 1):
        data = gzip.compress(data)
    artifacts, notes = seen("x.gz", data)
    assert artifacts == [("x.gz", "binary", None)] and "layers deep" in notes[0]


def test_the_ratio_is_limited_and_what_was_read_is_kept():
    artifacts, notes = seen("x.log.gz", gzip.compress(LINE.encode() * 200_000))
    assert artifacts == [("x.log.gz", "log", None)]
    assert len(notes) == 1 and "more than 100 times" in notes[0]


@pytest.mark.parametrize("pack", [tar, zipped])
def test_the_number_of_members_is_limited(pack, monkeypatch):
    monkeypatch.setattr(archives, "MAX_MEMBERS", 3)
    monkeypatch.setattr(archives.Budget, "__init__", lambda self: setattr_all(self, 1 << 30, 3))
    artifacts, notes = seen("x", pack({f"{index}.log": LOG for index in range(9)}))
    assert len(artifacts) == 3 and notes == ["holds more than 3 files: the rest was not read"]


def setattr_all(budget, total, members):
    budget.total, budget.members, budget.bombs, budget.notes = total, members, 9, []


@pytest.mark.parametrize("pack", [tar, zipped])
def test_the_total_is_limited(pack, monkeypatch):
    monkeypatch.setattr(archives.Budget, "__init__", lambda self: setattr_all(self, len(LOG) + 10, 99))
    artifacts, notes = seen("x", pack({f"{index}.log": LOG for index in range(9)}))
    assert len(artifacts) == 2 and len(notes) == 1 and "in all" in notes[0]


@pytest.mark.parametrize(
    ("files", "says"),
    [
        ({"a.log": LOG, "l": (tarfile.SYMTYPE, "/etc/passwd"), "h": (tarfile.LNKTYPE, "a.log")}, "2 link(s)"),
        ({"a.log": LOG, "null": (tarfile.CHRTYPE, ""), "pipe": (tarfile.FIFOTYPE, "")}, "2 link(s)"),
        ({"a.log": LOG, "../../etc/cron.d/x": LOG, "/etc/shadow": LOG}, "2 member(s) whose names point outside"),
    ],
)
def test_links_devices_and_escapes_are_left_alone_and_counted(files, says):
    artifacts, notes = seen("x.tar", tar(files))
    assert artifacts == [("x.tar!a.log", "log", None)]
    assert len(notes) == 1 and says in notes[0]


def test_a_link_in_a_zip():
    buffer = io.BytesIO()
    with zipfile.ZipFile(buffer, "w") as archive:
        info = zipfile.ZipInfo("link")
        info.external_attr = 0o120777 << 16
        archive.writestr(info, "/etc/passwd")
        archive.writestr("a.log", LOG)
    artifacts, notes = seen("x.zip", buffer.getvalue())
    assert artifacts == [("x.zip!a.log", "log", None)] and "link" in notes[0]


def test_an_encrypted_member_is_said():
    data = bytearray(zipped({"a.log": LOG}))
    data[6] |= 1
    data[data.index(b"PK\x01\x02") + 8] |= 1
    artifacts, notes = seen("x.zip", bytes(data))
    assert artifacts == [("x.zip", "binary", None)] and "encrypted" in notes[0]


def test_what_only_looks_like_an_archive_of_logs():
    assert "checkpoint" in seen("m.pt", zipped({"m/data.pkl": b"x", "m/data/0": b"y"}))[1][0]
    assert "Office" in seen("m.docx", zipped({"[Content_Types].xml": b"x"}))[1][0]


@pytest.mark.parametrize("pack", [gzip.compress, bz2.compress, lzma.compress])
def test_what_is_cut_short_is_read_as_far_as_it_goes(pack):
    rows = "".join(
        LINE.replace("12:01:07", f"12:{index // 60 % 60:02}:{index % 60:02}") for index in range(3000)
    ).encode()
    data = pack(rows)
    found = intake.take("x.log.gz", data[: len(data) // 2])
    assert [note.kind for note in found.notes] == ["unreadable"] and "cut short" in found.notes[0].text
    assert found.artifacts[0].kind in ("log", "empty")


def test_a_tar_cut_short():
    artifacts, notes = seen("x.tar", tar({"a.log": LOG, "b.log": LOG})[:1800])
    assert artifacts[0] == ("x.tar!a.log", "log", None) and notes


ZST = bytes.fromhex(  # `zstd` of LOG: one line of 98 bytes, three times
    "28b52ffd602600ed0200e4045b323032362d30382d30322031323a30313a3037205450315d205363686564756c657220"
    "7761746368646f672074696d656f7574202873656c662e5f3d3132302c20736f66743d46616c7365290a0400c13250f2"
    "d90ab8bbfa4e28"
)


def test_zstandard_is_read():
    artifacts, notes = seen("x.log.zst", ZST)
    assert [(name, kind) for name, kind, *_ in artifacts] == [("x.log.zst", "log")] and not notes
    assert intake.take("x.log.zst", ZST).artifacts[0].text.encode() == LOG


@pytest.mark.parametrize("packed", [ZST[:-9], ZST[:20] + b"\0" * 20])
def test_zstandard_that_is_damaged_or_cut_short_is_said(packed):
    artifacts, notes = seen("x.zst", packed)
    assert notes and artifacts[0][0] == "x.zst"


def test_hundreds_of_binaries_are_not_hundreds_of_notes():
    found = intake.take("x.tar", tar({f"{index}.bin": b"\0\1\2" * 9 for index in range(100)}))
    assert len(found.notes) == 11 and found.notes[-1].text.startswith("90 more")


def test_a_members_name_is_printable():
    assert "\x1b" not in seen("x.tar", tar({"a\x1b[31m.log": LOG}))[0][0][0]


@given(
    st.binary(max_size=300),
    st.sampled_from(
        [gzip.compress(LOG), tar({"a.log": LOG}), zipped({"a.log": LOG}), bz2.compress(LOG), lzma.compress(LOG)]
    ),
    st.integers(0, 400),
)
def test_damage_never_raises(noise, archive, at):
    intake.take("x", archive[:at] + noise + archive[at + len(noise) :])


@given(st.binary(max_size=200), st.sampled_from([magic for magic, _ in archives._MAGIC]))
def test_rubbish_behind_a_magic_never_raises(noise, magic):
    intake.take("x", magic + noise)


def test_a_folder(tmp_path):
    (tmp_path / "b").mkdir()
    (tmp_path / "b" / "rank1.log").write_bytes(LOG)
    (tmp_path / "rank0.log").write_bytes(LOG)
    (tmp_path / ".hidden").write_bytes(LOG)
    (tmp_path / "link.log").symlink_to("rank0.log")
    os.mkfifo(tmp_path / "pipe.log")
    notes: list[Note] = []
    found = dict(intake.files_of(tmp_path, notes))
    assert found == {f"{tmp_path.name}/rank0.log": LOG, f"{tmp_path.name}/b/rank1.log": LOG}
    assert [note.text for note in notes] == [
        "1 device(s), pipe(s) or links to no plain file were not read",
        "1 hidden file(s) or folder(s) were not read",
    ]


def test_links_of_a_folder_are_followed_to_plain_files_once(tmp_path):
    """As kubelet lays them: /var/log/containers holds links only."""
    pods, folder = tmp_path / "pods", tmp_path / "containers"
    pods.mkdir()
    folder.mkdir()
    for rank in (0, 1):
        (pods / f"{rank}.log").write_bytes(LOG)
        (folder / f"rank{rank}.log").symlink_to(pods / f"{rank}.log")
    (folder / "same.log").symlink_to(pods / "1.log")
    (folder / "nowhere.log").symlink_to(tmp_path / "none")
    (folder / "itself.log").symlink_to(folder / "itself.log")
    (folder / "kernel.log").symlink_to("/proc/self/status")
    (folder / "up").symlink_to(tmp_path)
    notes: list[Note] = []
    found = dict(intake.files_of(folder, notes))
    assert found == {"containers/rank0.log": LOG, "containers/rank1.log": LOG}
    assert [note.text for note in notes] == [
        "3 device(s), pipe(s) or links to no plain file were not read",
        "1 link(s) to folders were not followed",
    ]


def test_a_folders_limits_are_said(tmp_path, monkeypatch):
    for index in range(5):
        (tmp_path / f"{index}.log").write_bytes(LOG)
    monkeypatch.setattr(folders, "MAX_MEMBERS", 2)
    notes: list[Note] = []
    assert len(list(intake.files_of(tmp_path, notes))) == 2
    assert "more than 2 files" in notes[0].text
    monkeypatch.setattr(folders, "MAX_BYTES", 50)
    assert [len(content) for _, content in intake.files_of(tmp_path, notes)] == [50, 50]
    with pytest.raises(OSError):
        list(intake.files_of(tmp_path / "none"))


def test_a_flight_recorder_dump_is_read_as_plain_data_or_refused():
    pytest.importorskip("advisor.evidence.flight_recorder")
    entry = {
        "record_id": 0,
        "pg_id": 0,
        "process_group": ("0", "tp"),
        "collective_seq_id": 7,
        "profiling_name": "nccl:all_reduce",
        "input_sizes": [[4]],
        "state": "completed",
        "frames": [],
    }
    dump = {"version": "2.10", "pg_config": {"0": {"name": "0", "desc": "tp", "ranks": "[0, 1]"}}, "entries": [entry]}
    (artifact,) = intake.take("fr_rank_1", pickle.dumps(dump, protocol=2)).artifacts
    assert (artifact.kind, artifact.rank) == ("recorder", "1") and "all_reduce" in artifact.text
    (artifact,) = intake.take("d/fr_rank_1.json", json.dumps(dump).encode()).artifacts
    assert (artifact.kind, artifact.rank) == ("recorder", "1")
    found = intake.take("fr_rank_1", pickle.dumps({"pg_config": os.system}, protocol=2))
    assert [one.kind for one in found.artifacts] == ["binary"]
    assert "opcode" in found.notes[0].text


@pytest.mark.parametrize("protocol", range(6))
def test_a_dump_is_read_in_every_protocol(protocol):
    dump = (DATA / "tp_divergence" / "fr_rank_1").read_bytes()
    (as_written,), _ = intake.take("fr_rank_1", dump)
    (found,), notes = intake.take("fr_rank_1", pickle.dumps(pickle.loads(dump), protocol))
    assert (found, notes) == (as_written, [])


def test_a_pickle_of_an_old_protocol_that_may_run_code_is_refused_by_name():
    for protocol, opcode in ((0, "GLOBAL"), (1, "GLOBAL"), (2, "GLOBAL"), (4, "STACK_GLOBAL")):
        (found,), (note,) = intake.take("fr_rank_1", pickle.dumps({"entries": os.getcwd}, protocol))
        assert found.kind == "binary" and f"opcode {opcode} at byte" in note.text


def test_an_archive_of_bombs_is_left_early_and_in_few_words():
    artifacts, notes = seen("bomb.zip", zipped({f"x{i:02}.log": b"\n" * (4 << 20) for i in range(30)}))
    assert artifacts == [("bomb.zip", "empty", None)] or len(artifacts) <= archives.MAX_BOMBS
    assert len(notes) < 15 and any("stopped there" in note for note in notes)


def test_many_empty_files_are_one_line():
    artifacts, notes = seen("a.zip", zipped({**{f"e{i}.log": b"\n" for i in range(40)}, "rank0.log": LOG}))
    assert artifacts == [("a.zip!rank0.log", "log", "0")] and notes == ["40 files in it are empty"]


@pytest.mark.parametrize("pack", [lambda data: data, gzip.compress])
def test_of_a_member_that_is_cut_the_beginning_is_read(pack):
    noise = b"".join(LINE.encode() + os.urandom(60).hex().encode() + b"\n" for _ in range(2000))
    data = pack(tar({"rank0.log": LOG, "rank1.log": noise, "rank2.log": LOG}))
    found, notes = intake.take("logs.tar", data[: len(data) // 2])
    whole, cut = found
    assert (whole.rank, cut.rank) == ("0", "1") and noise.decode().startswith(cut.text) and len(cut.text) > 90_000
    assert any(str(note.span) == "logs.tar!rank1.log" and note.text.startswith("cut short: ") for note in notes)


@pytest.mark.parametrize("kind", [tarfile.SYMTYPE, tarfile.DIRTYPE, tarfile.FIFOTYPE])
def test_entries_that_are_no_files_have_a_limit_too(kind, monkeypatch):
    monkeypatch.setattr(archives, "MAX_ENTRIES", 50)
    artifacts, notes = seen("x.tar", tar({"a.log": LOG, **{f"l{one}": (kind, "a.log") for one in range(99)}}))
    assert artifacts == [("x.tar!a.log", "log", None)] and "has more than 50 entries" in notes[0]
