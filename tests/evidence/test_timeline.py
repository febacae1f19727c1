"""Who stopped when: the times of real captures, and where they may not be brought together."""

from __future__ import annotations

import re

import pytest

from advisor.evidence.divergence import fused
from advisor.evidence.moments import Moment, moment_of
from advisor.model.timeline import Mark, Timeline, Track
from tests.evidence.situations import DATA, captured, handed


def pictured(folder: str, *patterns: str) -> tuple[Timeline, ...]:
    paths = sorted({path for pattern in patterns for path in (DATA / folder).glob(pattern)})
    assert paths, patterns
    return fused([one for path in paths for one in captured(str(path.relative_to(DATA)))])[2]


def of_texts(**texts: str) -> tuple[Timeline, ...]:
    """Of made-up files, by name."""
    return fused([one for name, text in texts.items() for one in handed(text, name.replace("_", "."))])[2]


def clock(seconds: float) -> str:
    day = int(seconds) % 86_400
    return f"{day // 3600:02d}:{day // 60 % 60:02d}:{day % 60:02d}"


def track(picture: Timeline, rank: str) -> Track:
    return next(one for one in picture.tracks if one.rank == rank)


def marks(picture: Timeline, rank: str, kind: str) -> list[Mark]:
    return [one for one in track(picture, rank).marks if one.kind == kind]


def seen(picture: Timeline, rank: str, kind: str) -> list[tuple[str, str, int]]:
    return [(clock(one.at), clock(one.until), one.count) for one in marks(picture, rank, kind)]


def test_a_skewed_pipeline_from_logs_and_dumps():
    (picture,) = pictured("pp_broadcast_skew", "rank?.log", "fr_rank_?.json", "pyspy_native*")
    assert (picture.clock, picture.has_year, picture.files) == ("own", True, 2)
    for rank in ("0", "1"):
        assert seen(picture, rank, "moving") == [("13:39:42", "13:39:47", 2)]
        assert seen(picture, rank, "still") == [("13:39:52", "13:41:37", 22)]
    assert seen(picture, "0", "watchdog") == [("13:40:35", "13:40:35", 1)]
    assert seen(picture, "0", "waits") == [("13:39:45", "13:40:35", 1)]
    assert [one.what for one in marks(picture, "0", "waits")] == ["broadcast #126 of group pp_broadcast"]
    assert [one.what for one in marks(picture, "0", "completed")] == ["broadcast #125 of group pp_broadcast"]
    assert [one.what for one in marks(picture, "1", "completed")] == ["broadcast #131 of group pp_broadcast"]
    assert seen(picture, "0", "last") == [("13:41:40", "13:41:40", 1)]
    assert seen(picture, "1", "last") == [("13:41:37", "13:41:37", 1)]
    assert not marks(picture, "1", "watchdog") and not marks(picture, "1", "waits")
    assert "sleep on the host" in track(picture, "1").stands and track(picture, "1").waits


def test_who_never_joined():
    (picture,) = pictured("tp_divergence", "rank?.log", "fr_rank_?.json", "pyspy_rank*")
    assert track(picture, "1").absent == ("_all_gather_base #201 of the default group",)
    assert track(picture, "0").absent == ()
    assert seen(picture, "0", "waits") == [("13:37:35", "13:38:25", 1)]
    (failed,) = marks(picture, "1", "failed")
    assert (failed.what, clock(failed.at), failed.exact) == ("RuntimeError", "13:39:27", False)


def test_every_mark_stands_where_it_says():
    (picture,) = pictured("pp_broadcast_skew", "rank?.log")
    for one in (mark for each in picture.tracks for mark in each.marks):
        assert one.span
        line = (DATA / one.span.artifact).read_text().splitlines()[one.span.line - 1]
        if one.exact:
            moment = moment_of(line)
            assert moment and clock(moment.seconds) == clock(one.until), line


# clocks


def test_the_dump_is_placed_by_the_collective_that_the_log_names_too():
    (picture,) = pictured("tp_divergence", "rank?.log", "fr_rank_?.json")
    assert (picture.shift_s, picture.shift_by) == (0.0, "_allgather_base #201 of the default group")


@pytest.mark.parametrize("hours", (-5, 2, 8))
def test_a_log_in_local_time(hours):
    """The same log printed two hours east of UTC: the zone follows, and the picture is the log's."""

    def moved(found: re.Match[str]) -> str:
        hour = (int(found[2]) + hours) % 24
        return f"{found[1]}{hour:02d}{found[3]}"

    folder = "tp_divergence"
    logs = {
        f"{folder}/rank{rank}.log": re.sub(
            r"(\[2026-11-29 |1129 )(\d\d)(:\d\d:\d\d)", moved, (DATA / folder / f"rank{rank}.log").read_text()
        )
        for rank in (0, 1)
    }
    dumps = [one for rank in (0, 1) for one in captured(f"{folder}/fr_rank_{rank}.json")]
    (picture,) = fused([*(one for name, text in logs.items() for one in handed(text, name)), *dumps])[2]
    assert picture.shift_s == hours * 3600
    assert seen(picture, "0", "waits") == [(f"{13 + hours:02d}:37:35", f"{13 + hours:02d}:38:25", 1)]


def test_a_dump_that_nothing_relates_is_not_placed():
    log = "\n".join(
        line for line in (DATA / "tp_divergence/rank0.log").read_text().splitlines() if "SeqNum=201" not in line
    )
    found = fused([*handed(log, "rank0.log"), *captured("tp_divergence/fr_rank_0.json")])[2]
    (picture,) = found  # one dump alone spans no second: it has no picture of its own
    assert (picture.clock, picture.shift_s, picture.unplaced) == ("own", None, ("tp_divergence/fr_rank_0.json",))
    assert not marks(picture, "0", "completed")


def test_clocks_that_stand_no_quarters_of_an_hour_apart_are_not_brought_together():
    log = (DATA / "tp_divergence/rank0.log").read_text().replace("E1129 13:38:25.055", "E1129 13:48:25.055")
    found = fused([*handed(log, "rank0.log"), *captured("tp_divergence/fr_rank_0.json")])[2]
    assert [(one.shift_s, bool(one.unplaced)) for one in found] == [(None, True)]  # ten minutes off is no zone


def test_lines_with_a_zone_and_lines_without_are_two_pictures():
    beat = "[{} TP{}] Decode batch, #running-req: 8, gen throughput (token/s): 0.00"
    local = "\n".join(beat.format(f"2026-08-02 10:{minute:02d}:00", 0) for minute in range(10))
    zoned = "\n".join(
        f"2026-08-02T08:{minute:02d}:00Z stdout F Decode batch, #running-req: 8, gen throughput (token/s): 0.00"
        for minute in range(10)
    )
    stall = "\n[2026-08-02 10:09:30 TP0] Scheduler watchdog timeout (self.watchdog_timeout=120, self.soft=False)\n"
    found = of_texts(a_log=local + stall, b_log=zoned)
    assert sorted(one.clock for one in found) == ["own", "utc"]


def test_two_replicas_that_both_have_a_first_rank_are_two_rows():
    beat = (
        "[pod/{}/server] [2026-08-02 10:{:02d}:00 TP0] Decode batch, #running-req: 8, gen throughput (token/s): 0.00\n"
    )
    text = "".join(beat.format(pod, minute) for minute in range(10) for pod in ("sg-0", "sg-1"))
    stall = "[pod/sg-0/server] [2026-08-02 10:09:30 TP0] Scheduler watchdog timeout (self.watchdog_timeout=120)\n"
    (picture,) = of_texts(a_log=text + stall)
    assert [one.rank for one in picture.tracks] == ["0 (sg-0/server)", "0 (sg-1/server)"]
    assert marks(picture, "0 (sg-0/server)", "watchdog") and not marks(picture, "0 (sg-1/server)", "watchdog")


def test_a_beat_that_comes_late_parts_the_run():
    beat = "[2026-08-02 10:{} TP0] Decode batch, #running-req: 8, gen throughput (token/s): 31.00\n"
    text = "".join(beat.format(f"00:{second:02d}") for second in range(0, 60, 5)) + beat.format("20:00")
    stall = "[2026-08-02 10:25:00 TP0] Scheduler watchdog timeout (self.watchdog_timeout=120)\n"
    (picture,) = of_texts(a_log=text + stall)
    assert seen(picture, "0", "moving") == [("10:00:00", "10:00:55", 12), ("10:20:00", "10:20:00", 1)]


# nothing


def test_healthy_ranks_have_no_picture():
    beat = "[2026-08-02 10:00:{:02d} TP0] Decode batch, #running-req: 8, gen throughput (token/s): 31.00\n"
    assert of_texts(a_log="".join(beat.format(second) for second in range(0, 60, 5))) == ()


def test_evidence_without_times_has_no_picture():
    assert pictured("pp_broadcast_skew", "pyspy*") == ()


def test_what_fits_into_a_second_shows_no_order():
    assert pictured("oom", "*.log") == ()


def test_a_leap_year_that_a_line_does_not_say():
    bare = moment_of("INFO 08-02 10:44:31 [x.py:1] y")
    assert bare and bare.of_year(2028) == moment_of("[2028-08-02 10:44:31 TP0] y")
    assert Moment(0.0, True).of_year(2028).seconds == 0.0


def test_a_clock_that_was_set_back_gives_no_picture():
    """An hour is told twice in the night in which summer time ends: nothing tells which of the two a line means."""
    line = "[2026-10-25 {at} TP{rank}] Decode batch. #running-req: 2, #token: 9, gen throughput (token/s): 32.0, #queue-req: 0\n"
    steady = "".join(line.format(at=f"02:{minute:02d}:00", rank=0) for minute in range(20, 50))
    steady += "[2026-10-25 02:55:00 TP0] Scheduler watchdog timeout (self.watchdog_timeout=300, self.soft=False)\n"
    back = "".join(line.format(at=at, rank=1) for at in ("02:40:00", "02:50:00", "02:59:00", "02:05:00", "02:10:00"))
    assert of_texts(rank0_log=steady, rank1_log=steady.replace("TP0", "TP1"))
    assert not of_texts(rank0_log=steady, rank1_log=back)
