"""What NCCL's RAS answers."""

import json

from advisor.evidence import ras
from tests.evidence.readings import assert_linear, assert_no_symptom, assert_unknown, given_text, hold_up, told
from tests.evidence.situations import DATA

CAPTURE = (DATA / "pp_broadcast_skew" / "nccl_ras.txt").read_text()
ONE = CAPTURE.partition("/usr/bin/ncclras")[0]
MANY = """\
NCCL version 2.26.2 compiled with CUDA 12.6
CUDA runtime version 12060, driver version 12060

Communicators... (0.00s)
=============

Group     Comms     Nodes     Ranks     Ranks     Ranks    Status  Errors
    #  in group  per comm  per node  per comm  in group
    0         1         4         8        32        32   RUNNING  MISMATCH

Errors
======

Warnings
========

#0-0 (fa93daea854b060b) MISMATCH
  Communicator ranks have different AllGather operation counts
  30 ranks have launched up to operation 640
  2 ranks have launched up to operation 641
  Rank 12 -- GPU 4 managed by process 323032 on node 192.0.2.1
  Rank 13 -- GPU 5 managed by process 323033 on node 192.0.2.1
"""
GONE = """\
Communicators... (2.05s)
    0         1         4       7-8        32        32   RUNNING  INCOMPLETE

INCOMPLETE
  Missing communicator data from 1 job process
  Process 3487984 on node 192.0.2.3 managing GPU 5

#0-0 (cf264af53edbe986) INCOMPLETE
  Missing communicator data from 1 rank
  The missing rank: 21
"""


def answer(counts, missing=()):
    ranks = [
        {"rank": rank, "host": "192.0.2.1", "pid": rank, "collective_counts": {"AllGather": count, "AllReduce": 9}}
        for rank, count in counts.items()
    ]
    gone = [{"rank": rank, "status": {"unresponsive": True, "considered_dead": False}} for rank in missing]
    comm = {"hash": "0xae94423cfbb2ef4a", "size": 2, "ranks": ranks, "missing_ranks": gone}
    return json.dumps({"nccl_version": "2.29.1", "communicators_count": 1, "communicators": [comm]}, indent=2) + "\n"


def read(text):
    return ras.read(given_text(text))


def counts(text):
    return {(one.rank, one.group): one.last_enqueued for one in read(text).statuses}


def test_the_capture_of_a_skewed_broadcast():
    found = read(CAPTURE)
    assert told(found, "ras.mismatch") == ["Broadcast"] and told(found, "component.nccl") == ["2.28.9"]
    assert counts(CAPTURE) == {("0", "7728f2f3d3dde87b Broadcast"): 138, ("1", "7728f2f3d3dde87b Broadcast"): 131}
    assert {(one.members, one.source) for one in found.statuses} == {(("0", "1"), "ras")}
    assert_no_symptom(found)


def test_two_answers_say_whether_the_counts_move():
    assert told(read(CAPTURE), "ras.advancing") == [False]
    assert told(read(ONE + ONE.replace("operation 138", "operation 140")), "ras.advancing") == [True]
    assert told(read(ONE), "ras.advancing") == []
    assert (
        told(read(ONE + ONE.partition("Warnings")[0]), "ras.advancing") == []
    )  # no longer different: nothing to compare


def test_the_majority_is_not_listed():
    found = counts(MANY)
    assert (
        len(found) == 32
        and found["12", "fa93daea854b060b AllGather"] == 641
        and found["31", "fa93daea854b060b AllGather"] == 640
    )
    cut = counts(MANY.replace("        32        32   RUNNING", "        31        31   RUNNING"))
    assert set(cut) == {("12", "fa93daea854b060b AllGather"), ("13", "fa93daea854b060b AllGather")}  # does not add up


def test_before_2_26_operations_are_one():
    assert told(read(MANY.replace("AllGather operation", "collective operation")), "ras.mismatch") == ["collective"]


def test_a_rank_that_launched_nothing():
    text = ONE.replace("has launched up to operation 131", "has not launched any operations")
    assert counts(text)["1", "7728f2f3d3dde87b Broadcast"] == 0


def test_ranks_that_do_not_answer():
    assert told(read(GONE), "ras.missing") == ["21"]


def test_ranks_of_different_state():
    text = MANY.replace("different AllGather operation counts", "different status")
    assert told(read(text), "ras.mismatch") == ["status"] and read(text).statuses == ()


def test_json():
    found = read(answer({0: 41, 1: 40}))
    assert told(found, "ras.mismatch") == ["AllGather"] and told(found, "component.nccl") == ["2.29.1"]
    assert counts(answer({0: 41, 1: 40}))["1", "ae94423cfbb2ef4a AllGather"] == 40
    assert told(read(answer({0: 41}, missing=[1])), "ras.missing") == ["1"]
    assert told(read(answer({0: 41, 1: 40}) + answer({0: 42, 1: 41})), "ras.advancing") == [True]
    assert told(read(answer({0: 41, 1: 41})), "ras.mismatch") == []


def test_all_is_well():
    text = CAPTURE.replace("MISMATCH", "OK").partition("#0-0")[0]
    found = read(text)
    assert told(found, "ras.mismatch") == [] and found.statuses == () and found.notes == ()


def test_not_its_text_or_cut_short():
    assert not ras.mine("node-a:643:643 [0] NCCL INFO NCCL version 2.28.9+cuda13.0\n") and not ras.mine(
        "RAS said MISMATCH"
    )
    assert_unknown(read("SERVER PROTOCOL 2\nOK\n"))
    assert told(read(answer({0: 1, 1: 2})[:-40]), "ras.mismatch") == []


def test_mangled():
    hold_up(ras.read, ras.mine, CAPTURE, MANY, GONE, answer({0: 41, 1: 40}))


def test_hostile_length():
    assert_linear(
        ras.read,
        '{"communicators":[',
        "{\n",
        "#0-0 (aaaaaaaaaaaaaaaa) MISMATCH\n",
        "  Rank 0 has launched up to operation 1 ",
        "0 0 0 0 ",
    )
    assert_linear(ras.read, '{\n"communicators": [')
