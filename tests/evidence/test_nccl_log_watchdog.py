"""The watchdog's lines as collectives and statuses."""

import pytest

from advisor.evidence import watchdog
from advisor.evidence.divergence import situation
from advisor.model.fact import Artifact
from tests.evidence.situations import DATA, HEALTHY, captured, handed, values

CAUGHT = "Watchdog caught collective operation timeout: WorkNCCL(SeqNum=126, OpType=BROADCAST, NumelIn=60, NumelOut=60, Timeout(ms)=50000) ran for 50092 milliseconds before timing out."


def read(text: str, rank: str | None = None):
    return watchdog.read(Artifact("rank.log", "log", text, rank=rank))


def test_the_captures():
    (found,) = captured("pp_broadcast_skew/rank0.log")
    assert [(one.rank, one.group, one.seq, one.op, one.sizes, one.state) for one in found.collectives] == [
        ("0", "pp_broadcast", 126, "broadcast", (60,), "timed_out")
    ]
    status = next(one for one in found.statuses if one.group == "pp_broadcast")
    assert (status.last_enqueued, status.last_completed, status.source) == (138, 125, "watchdog")
    (other,) = captured("tp_divergence/rank1.log")
    assert other.collectives == ()
    assert [(one.rank, one.group, one.last_enqueued) for one in other.statuses] == [("1", "default_pg", 200)]


@pytest.mark.parametrize(
    ("line", "group", "rank"),
    [
        (
            f"[rank3]:[E1129 13:40:35.94 ProcessGroupNCCL.cpp:689] [PG ID 8 PG GUID 85(pp_broadcast) Rank 1] {CAUGHT}",
            "pp_broadcast",
            "3",
        ),
        (f"[PG ID 8 PG GUID 85(undefined) Rank 1] {CAUGHT}", "85", "1"),
        (f"[PG 2 Rank 5] {CAUGHT}", "2", "5"),
        (f"[Rank 2] {CAUGHT}", "", "2"),
        (CAUGHT, "", ""),
    ],
)
def test_whose_it_is(line, group, rank):
    (one,), _ = read(line)
    assert (one.group, one.rank, one.seq, one.op) == (group, rank, 126, "broadcast")


MARK = "[PG ID 8 PG GUID 85(pp_broadcast) Rank {}] "
SAID = (
    "[rank{}]:[E1129 13:40:35.94 ProcessGroupNCCL.cpp:689] "
    + MARK
    + "failure detected by watchdog at work sequence id: 126\n"
)


@pytest.mark.parametrize(
    ("before", "rank"),
    [
        (SAID.format(3, 1) + SAID.format(2, 0), "3"),
        (SAID.format(3, 1) + SAID.format(7, 1), ""),  # of two replicas, or two jobs
        (SAID.format(2, 0), ""),
        ("", "1"),
    ],
)
def test_the_line_of_an_abort_is_of_the_rank_that_bears_its_mark(before, rank):
    (one,), _ = read(f"{before}  what():  {MARK.format(1)}Process group watchdog thread terminated: {CAUGHT}")
    assert (one.rank, one.group, one.guid) == (rank, "pp_broadcast", "85")
    (one,), _ = read(f"{before}  what():  {MARK.format(1)}{CAUGHT}", rank="5")
    assert one.rank == "5"


def test_both_sides_of_a_transfer_are_no_mismatch():
    sides = {"0": "SEND", "1": "RECV"}
    found = [
        one
        for rank, op in sides.items()
        for one in handed(SAID.format(rank, rank) + f"[rank{rank}]:[E1129 13:40:36.1 x.cpp:1] {CAUGHT.replace('BROADCAST', op)}\n", f"rank{rank}.log")
    ]  # fmt: skip
    assert [(one.rank, one.op, one.is_transfer) for each in found for one in each.collectives] == [
        ("0", "send", True),
        ("1", "recv", True),
    ]
    assert not {"mismatch", "missing_rank"} & {one.kind for one in situation(found)[0]}


@pytest.mark.parametrize("folder", ["tp_divergence", "illegal_access", "pp_broadcast_skew"])
def test_the_logs_of_two_ranks_in_one_file_name_both(folder):
    logs = sorted((DATA / folder).glob("rank?.log"))
    (joint,) = handed("".join(path.read_text() for path in logs), "all.txt")
    apart = [captured(str(path.relative_to(DATA)))[0] for path in logs]
    for kind in ("collectives", "statuses"):
        named = {(one.rank, one.group) for one in getattr(joint, kind)}
        assert named == {(one.rank, one.group) for each in apart for one in getattr(each, kind)}


def test_a_line_of_older_releases():
    _, (status,) = read(
        "[rank0]:[E] [PG ID 1 PG GUID 2(pp_broadcast) Rank 0] Timeout at NCCL work: 126, last enqueued NCCL work: 138, last completed NCCL work: 125."
    )
    assert (status.group, status.last_enqueued, status.last_started, status.last_completed) == (
        "pp_broadcast",
        138,
        None,
        125,
    )


def test_none_yet_is_not_a_number():
    _, (status,) = read(
        "[PG ID 1 PG GUID 2(x) Rank 0] PG status: last enqueued work: -1, last started work: -1, last completed work: -1"
    )
    assert (status.last_enqueued, status.last_started, status.last_completed) == (None, None, None)


def test_the_last_status_counts():
    line = "[rank0]:[E] [PG ID 0 PG GUID 0(default_pg) Rank 0] Last enqueued NCCL work: {}, last completed NCCL work: {}.\n"
    _, (status,) = read(line.format(5, 4) + line.format(9, 8))
    assert (status.last_enqueued, status.last_completed) == (9, 8)


@pytest.mark.parametrize("path", sorted(HEALTHY.glob("*.log")), ids=lambda path: path.name)
def test_healthy_logs_say_nothing(path):
    for found in handed(path.read_bytes(), path.name):
        assert found.collectives == () and found.statuses == ()


@pytest.mark.parametrize(
    "text",
    ["", "Watchdog caught collective operation timeout", "last enqueued work: 1", "[PG ID 0 Rank 0] last enqueued " * 3_000, f"{CAUGHT}\n" * 3_000, CAUGHT[:80]],
)  # fmt: skip
def test_cut_short_and_repeated(text):
    collectives, statuses = read(text)
    assert len(collectives) <= 1 and len(statuses) <= 1


COMM = "node-a:643:900 [0] NCCL INFO comm 0x5591 rank 0 nRanks {} nNodes {} localRanks {} localRank 0 MNNVL 0\n"


def test_a_communicator_over_several_machines():
    text = COMM.format(2, 1, 2) + COMM.format(16, 2, 8) + COMM.format(2, 1, 2)
    assert values(handed(text), "hardware.nodes") == [2]


@pytest.mark.parametrize("text", [COMM.format(8, 1, 8), COMM.format(16, 2, 8)[:60]])
def test_one_within_a_machine_or_cut_says_nothing_of_machines(text):
    assert values(handed(text), "hardware.nodes") == []
