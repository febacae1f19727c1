"""What the ranks' evidence says together, put by hand."""

import time
from dataclasses import replace

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from advisor.evidence.divergence import situation
from advisor.evidence.ranks import Ranks, in_order, spoken
from advisor.evidence.reading import Evidence
from advisor.model.collective import Beat, Collective, GroupStatus, State, Utilisation
from advisor.model.fact import Artifact, Fact, Span

Said = tuple[dict[str, list[str]], dict[str, object]]


def told(*evidence: Evidence) -> Said:
    """The sentences by kind, and the facts."""
    statements, facts = situation(evidence)
    by_kind: dict[str, list[str]] = {}
    for one in statements:
        assert one.says and "\n" not in one.says and not one.says.endswith(".")
        by_kind.setdefault(one.kind, []).append(one.says)
    for fact in facts:
        assert fact.origin == "derived" and fact.why
    return by_kind, {fact.name: fact.value for fact in facts}


def seen(
    *, rank: str | None = None, facts=(), collectives=(), statuses=(), loads=(), beats=(), name="x.log"
) -> Evidence:
    return Evidence(
        tuple(facts),
        (),
        (),
        Artifact(name, "log", "", rank=rank),
        tuple(collectives),
        tuple(statuses),
        tuple(loads),
        tuple(beats),
    )


def hang() -> Evidence:
    return seen(facts=[Fact("symptom.hang", True, "stated", Span("-", 1), "it hangs", notable=True)])


def dump(
    rank: int, posted: list[str], group: str = "default_pg", world: int = 2, done: int | None = None, start: int = 1
) -> Evidence:
    """`["all_reduce 8", ...]`, complete up to `done`, all when None."""
    made = []
    for seq, word in enumerate(posted, start):
        op, _, size = word.partition(" ")
        state: State = "completed" if done is None or seq <= done else "scheduled"
        made.append(
            Collective(
                str(rank),
                group,
                seq,
                op,
                (int(size or 8),),
                ("BFloat16",),
                state,
                1000 * seq,
                (),
                Span(f"fr_{rank}", seq),
            )
        )
    last = start + len(posted) - 1
    members = tuple(map(str, range(world)))
    status = GroupStatus(
        str(rank), group, last, None, last if done is None else done, members, "flight_recorder", Span(f"fr_{rank}", 1)
    )
    return seen(rank=str(rank), collectives=made, statuses=[status], name=f"fr_{rank}")


STEP = ["all_reduce 8", "all_reduce 8", "_all_gather_base 4", "broadcast 2"]


# dumps


def test_ranks_that_did_the_same_are_quiet():
    assert told(dump(0, STEP * 5), dump(1, STEP * 5)) == ({}, {})


def test_a_ring_that_forgot_its_beginning_is_no_difference():
    assert told(dump(0, (STEP * 5)[8:], start=9), dump(1, STEP * 5)) == ({}, {})


def test_a_rank_that_never_joined():
    said, facts = told(*(dump(rank, STEP * 2, world=4, done=7) for rank in (0, 1, 3)), dump(2, (STEP * 2)[:7], world=4))
    assert said["missing_rank"] == [
        "ranks 0, 1 and 3 launched broadcast #8 of the default group, which rank 2 never joined (enqueued so far: ranks 0, 1 and 3 8, rank 2 7)"
    ]
    assert facts["collective.mismatch"] == "missing_rank" and facts["collective.missing_rank"] == "2"
    assert facts["symptom.ranks_split"] is True


def test_a_sender_reports_its_broadcast_complete_although_nobody_joined():
    said, _ = told(dump(1, ["broadcast"] * 5), dump(0, ["broadcast"] * 4, done=4))
    assert said == {}  # nothing waits: a moment of a healthy run looks the same
    said, _ = told(dump(1, ["broadcast"] * 5), dump(0, ["broadcast"] * 4, done=4), hang())
    assert said["behind"] == ["in the default group rank 0 is behind (enqueued so far: rank 0 4, rank 1 5)"]


def test_a_group_that_a_rank_never_used():
    idle = seen(rank="1", statuses=[GroupStatus("1", "pp", 0, None, None, ("0", "1"), "flight_recorder")])
    said, facts = told(dump(0, ["broadcast"], "pp", done=0), idle)
    assert "which rank 1 never joined" in said["missing_rank"][0] and facts["collective.missing_rank"] == "1"


def test_a_count_that_is_not_said_is_not_zero():
    silent = seen(rank="1", statuses=[GroupStatus("1", "pp", None, None, None, ("0", "1"), "flight_recorder")])
    said, facts = told(dump(0, ["broadcast"], "pp", done=0), silent)
    assert "missing_rank" not in said and facts == {}
    assert "whether rank 1 joined broadcast #1" in said["unknown"][0]


def test_sizes_that_differ():
    other = [*STEP, "all_reduce 8", "all_reduce 7"]
    said, facts = told(
        *(dump(rank, [*STEP, "all_reduce 8", "all_reduce 8"], world=3, done=5) for rank in (0, 2)),
        dump(1, other, world=3, done=5),
    )
    assert said["mismatch"] == [
        "all_reduce #6 of the default group has different sizes: ranks 0 and 2 8 elements; rank 1 7 elements"
    ]
    assert facts == {"collective.mismatch": "size", "collective.sizes_differ": True}


def test_operations_that_differ():
    said, facts = told(dump(0, [*STEP, "all_reduce"], done=4), dump(1, [*STEP, "broadcast"], done=4))
    assert (
        "different collectives: rank 0 all_reduce of 8 elements; rank 1 broadcast of 8 elements" in said["mismatch"][0]
    )
    assert facts["collective.mismatch"] == "op"


def test_another_order():
    tail = STEP * 2
    said, facts = told(
        dump(0, ["all_reduce", "broadcast", *tail], done=0), dump(1, ["broadcast", "all_reduce", *tail], done=0)
    )
    assert "in another order" in said["mismatch"][0] and facts["collective.mismatch"] == "order"


def test_one_left_out_is_told_from_an_order():
    sizes = ["broadcast 12", "broadcast 24", "broadcast 60"] * 6
    said, facts = told(dump(0, sizes, "pp", done=2), dump(1, [*sizes[:2], *sizes[3:]], "pp"))
    assert "rank 0 60 elements; rank 1 12 elements" in said["mismatch"][0] and facts["collective.mismatch"] == "size"
    assert "rank 1 left out broadcast of 60 elements at #3 of group pp" in said["left"][0]


@pytest.mark.parametrize("op", ["all_to_all", "scatter"])
def test_where_sizes_may_differ(op):
    assert told(dump(0, [f"{op} 8"] * 3), dump(1, [f"{op} 3"] * 3)) == ({}, {})


def test_lists_gathered_may_differ_while_they_complete():
    assert told(dump(0, ["all_gather 8"]), dump(1, ["all_gather 3"])) == ({}, {})
    assert "mismatch" in told(dump(0, ["all_gather 8"], done=0), dump(1, ["all_gather 3"], done=0))[0]


def test_groups_of_one_name_and_other_members_are_not_compared():
    def half(rank: int, size: int, members: tuple[str, ...]) -> Evidence:
        one = Collective(str(rank), "TP", 1, "all_reduce", (size,), ("Half",), "completed")
        return seen(
            rank=str(rank),
            collectives=[one],
            statuses=[GroupStatus(str(rank), "TP", 1, None, 1, members, "flight_recorder")],
        )

    low, high = ("0", "1"), ("2", "3")
    assert told(half(0, 8, low), half(1, 8, low), half(2, 9, high), half(3, 9, high)) == ({}, {})


def test_all_inside_and_none_done():
    both = [dump(rank, STEP, done=3) for rank in (0, 1)]
    said, facts = told(*both, hang())
    assert said["symmetric"] == [
        "ranks 0 and 1 all joined broadcast #4 of the default group with 2 elements each and none completed it: no rank is missing"
    ]
    assert facts == {"ranks.symmetric": True, "collective.sizes_differ": False}
    said, facts = told(*both)
    assert "a second dump tells if it is stuck" in said["unknown"][0] and facts == {}


def test_a_dump_that_is_not_here():
    said, facts = told(dump(0, STEP, done=3, world=3), dump(1, STEP, done=3, world=3))
    assert any("whether rank 2 joined broadcast #4" in one for one in said["unknown"]) and facts == {}


def test_a_receive_without_a_send():
    got = Collective("1", "pp", 3, "recv 1<-0", (8,), (), "scheduled", span=Span("fr_1", 9))
    idle = Collective("0", "pp", 2, "send 0->1", (8,), (), "completed")
    said, facts = told(seen(rank="1", collectives=[got]), seen(rank="0", collectives=[idle]))
    assert said["missing_rank"] == ["rank 1 waits in recv 1<-0 of group pp, which rank 0 never sent"]
    assert facts["collective.missing_rank"] == "0"
    assert told(seen(rank="1", collectives=[got]))[0] == {}
    sending = Collective("0", "pp", 3, "send 0->1", (8,), (), "scheduled")
    assert told(seen(rank="1", collectives=[got]), seen(rank="0", collectives=[sending]))[0] == {}


def test_a_transfer_that_only_the_peers_watchdog_saw():
    got = Collective("1", "pp", 3, "recv 1<-0", (8,), (), "scheduled", span=Span("fr_1", 9))
    idle = Collective("0", "pp", 2, "send 0->1", (8,), (), "completed")
    late = seen(rank="0", collectives=[idle, *caught("0", 8, "pp", 3, "send").collectives])
    assert "missing_rank" not in told(seen(rank="1", collectives=[got]), late)[0]


# several groups of one name, several jobs


def of_group(guid: str, evidence: Evidence, *members: str) -> Evidence:
    """The same, in the group of this number."""
    return replace(
        evidence,
        collectives=tuple(replace(one, guid=guid) for one in evidence.collectives),
        statuses=tuple(replace(one, guid=guid, members=members) for one in evidence.statuses),
    )


@pytest.mark.parametrize("members", [("0", "1"), ()])
def test_two_groups_of_one_name_and_the_same_members(members):
    def both(rank: int, other: list[str]) -> tuple[Evidence, Evidence]:
        first, second = dump(rank, ["all_reduce"] * 4, "tp"), dump(rank, other, "tp", done=3)
        return of_group("3", first, *members), of_group("5", second, *members)

    said, _ = told(*both(0, ["broadcast"] * 4), *both(1, ["broadcast"] * 3))
    assert said["missing_rank"] == [
        "rank 0 launched broadcast #4 of group tp, which rank 1 never joined (enqueued so far: rank 0 4, rank 1 3)"
    ]
    assert "mismatch" not in said


def moved(folder: str, evidence: Evidence, later_ns: int = 0) -> Evidence:
    """The same out of another folder, posted later."""

    def placed(span: Span | None) -> Span:
        assert span is not None
        return replace(span, artifact=folder + span.artifact)

    return replace(
        evidence,
        collectives=tuple(
            replace(one, span=placed(one.span), created_ns=(one.created_ns or 0) + later_ns)
            for one in evidence.collectives
        ),
        statuses=tuple(replace(one, span=placed(one.span)) for one in evidence.statuses),
    )


def two_jobs(prefill: str, decode: str) -> list[Evidence]:
    """In the first rank 1 never joins #4, the second is well."""
    stuck = [dump(0, STEP, done=3), dump(1, STEP[:3])]
    well = [dump(rank, ["broadcast 77", "all_reduce 8"] * 9) for rank in (0, 1)]
    return [*(moved(prefill, one) for one in stuck), *(moved(decode, one, 7) for one in well)]


@pytest.mark.parametrize("prefill", ["prefill/", "all/prefill/node/", "x.tar.gz!prefill/"])
def test_the_dumps_of_two_jobs_are_compared_job_by_job(prefill):
    said, facts = told(*two_jobs(prefill, prefill.replace("prefill", "decode")))
    where = prefill.removesuffix("node/").replace("!", "/").removesuffix("/")
    assert said["missing_rank"] == [
        f"rank 0 launched broadcast #4 of the default group in {where}, which rank 1 never joined (enqueued so far: rank 0 4, rank 1 3)"
    ]
    assert "do not fit together, as if of several jobs" in said["unknown"][0]
    assert "mismatch" not in said and facts["collective.missing_rank"] == "1"


def test_the_dumps_of_two_jobs_that_no_folder_tells_apart():
    said, facts = told(*two_jobs("prefill_", "decode_"))
    assert said.keys() == {"unknown"} and facts == {}
    assert "what ranks 0 and 1 posted into the default group is not known" in said["unknown"][0]


def test_two_jobs_that_are_well_are_quiet():
    well = [dump(rank, STEP) for rank in (0, 1)]
    assert told(*well, *(moved("decode/", one, 7) for one in well)) == ({}, {})


def test_two_dumps_of_one_job_are_of_one_job():
    early, late = [dump(0, STEP, done=3), dump(1, STEP, done=3)], [dump(0, STEP * 2), dump(1, STEP * 2)]
    assert told(*(moved("first/", one) for one in early), *(moved("second/", one) for one in late)) == ({}, {})


def test_the_watchdogs_of_two_jobs():
    def log(folder: str, rank: str, enqueued: int, completed: int) -> Evidence:
        span = Span(f"{folder}/rank{rank}.log", 4)
        status = GroupStatus(rank, "default_pg", enqueued, None, completed, span=span)
        return seen(rank=rank, statuses=[status], name=span.artifact)

    late = moved("prefill/", caught("0", 8, "default_pg", 201))
    logs = [log("prefill", "0", 201, 200), log("prefill", "1", 200, 200), log("decode", "1", 900, 900)]
    said, _ = told(late, *logs, log("decode", "0", 900, 900))
    assert "#201 of the default group in prefill, which rank 1 has not enqueued" in said["missing_rank"][0]


# watchdogs


def caught(rank: str, numel: int, group: str = "", seq: int = 65054, op: str = "_allgather_base") -> Evidence:
    one = Collective(rank, group, seq, op, (numel,), state="timed_out", span=Span(f"rank{rank}.log", 3))
    return seen(rank=rank, collectives=[one], name=f"rank{rank}.log")


def test_unequal_sizes_in_logs_alone():
    said, facts = told(caught("0", 145440), caught("TP1", 145440), caught("rank7", 161600))
    assert "ranks 0 and 1 145440 elements; rank 7 161600 elements" in said["mismatch"][0]
    assert facts["collective.sizes_differ"] is True
    assert "65053 collectives" in said["phase"][0]


def test_equal_sizes_do_not_say_that_nobody_is_missing():
    said, facts = told(caught("3", 6, "pp_broadcast", 40427), caught("5", 6, "pp_broadcast", 40427))
    assert said["waits"] == ["ranks 3 and 5 wait for _allgather_base #40427 of group pp_broadcast with 6 elements each"]
    assert "whether group pp_broadcast has other ranks" in said["unknown"][0] and facts == {}


def test_the_first_sample():
    said, _ = told(caught("0", 4, "pp_broadcast", 1), caught("1", 4, "pp_broadcast", 1))
    assert "at the first steps" in said["phase"][0]


def test_the_recorder_and_the_watchdog_speak_of_one_collective():
    late = caught("0", 2, "default_pg", 4, "broadcast")
    assert "missing_rank" in told(dump(0, STEP, done=3), late, dump(1, STEP[:3]))[0]
    other_word = caught("0", 4, "default_pg", 3, "_allgather_base")
    assert told(dump(0, STEP), dump(1, STEP), other_word)[0].keys() <= {"symmetric", "behind", "unknown"}


@pytest.mark.parametrize(("mine", "theirs"), [("send", "recv"), ("send", "recvanysource"), ("recv", "broadcast")])
def test_a_transfer_is_no_collective(mine, theirs):
    said, facts = told(caught("0", 8, "pp", 5, mine), caught("1", 8, "pp", 5, theirs))
    assert said.keys() <= {"waits", "unknown", "phase"} and facts == {}


def test_counts_that_mix_transfers_and_collectives_are_not_compared():
    counts = [
        seen(rank=rank, statuses=[GroupStatus(rank, "pp", count, None, 4)]) for rank, count in (("0", 5), ("1", 9))
    ]
    assert "behind" in told(*counts, hang())[0]
    assert "behind" not in told(caught("0", 8, "pp", 5, "send"), *counts, hang())[0]


def test_what_names_no_rank_is_not_compared_with_what_does():
    said, _ = told(caught("0", 8, "pp", 5), caught("1", 8, "pp", 5), caught("", 9, "pp", 5))
    assert said["waits"] == ["ranks 0 and 1 wait for _allgather_base #5 of group pp with 8 elements each"]
    assert "an unnamed rank waits" in told(caught("", 9, "pp", 5))[0]["waits"][0]


# failures


def failed(rank: str, quote: str, name: str = "error.exception", notable: bool = True) -> Evidence:
    return seen(rank=rank, facts=[Fact(name, True, "observed", Span(f"rank{rank}.log", 5), quote, rank, notable)])


def test_the_root_and_its_echoes():
    said, _ = told(
        failed("0", "Watchdog caught collective operation timeout: WorkNCCL(...)", "symptom.watchdog"),
        failed("1", "torch.AcceleratorError: CUDA error: device-side assert triggered"),
        failed("2", "RuntimeError: Connection closed by peer [127.0.0.1]:7092", notable=False),
    )
    assert said["root_cause"] == [
        "rank 1 failed first, and by itself: torch.AcceleratorError: CUDA error: device-side assert triggered"
    ]
    assert [one.split(" follows")[0][-9:] for one in said["echo"]] == [" of rank 0"[-9:], " of rank 2"[-9:]]


def test_echoes_alone_name_no_root():
    said, _ = told(
        failed("0", "Watchdog caught collective operation timeout", "symptom.watchdog"),
        failed("1", "EngineDeadError: see above"),
    )
    assert "root_cause" not in said and "who caused it, it does not say" in said["reporter"][0]


def test_one_rank_alone_is_no_story():
    assert told(failed("0", "ValueError: bad flag")) == ({}, {})


# devices and time

SPINS = Utilisation("0", 100.0, 127.0, 700.0, 1659.0)
RESTS = Utilisation("1", 0.0, 122.0, 700.0, 1659.0)


def test_a_busy_device_that_draws_little():
    loads = seen(loads=[SPINS, RESTS])
    said, facts = told(loads, hang())
    assert said["spin"] == ["GPU 0 is 100 % busy at 127 W of 700 W: it waits inside a kernel, it does not compute"]
    assert said["idle"] == ["GPU 1 idles at 0 % beside a busy one"]
    assert facts == {"symptom.rank_idle": True, "symptom.rank_busy": True}
    assert told(loads) == ({}, {})


def test_beats_that_stop_together():
    def beat(source: str, last: float) -> Evidence:
        return seen(beats=[Beat(source, "Decode batch", 90, 5.0, 1_000.0, last, 1_900.0)])

    said, _ = told(beat("TP0", 1_500.0), beat("TP1", 1_501.0), hang())
    assert said["stopped"] == ["Decode batch of TP0, TP1 stopped within 1 s of one another, last at 00:25:01"]
    assert "stopped" not in told(beat("TP0", 1_899.0), hang())[0]
    probes = seen(beats=[Beat("pod", "GET /health", 90, 5.0, 1.0, 1_500.0, 1_900.0)])
    assert "stopped" not in told(probes, hang())[0]


# names


def test_one_rank_under_many_names():
    assert [Ranks([name]).of(name) for name in ("3", "rank3", "[rank3]", "TP3", "PP3", "DP3", "pod-a")] == ["3"] * 6 + [
        "pod-a"
    ]
    assert Ranks(["DP0 TP0", "DP0 TP1", "DP1 TP1", "DP1 TP0"]).of("DP1 TP0") == "2"
    assert Ranks(["DP0 TP0", "DP0 TP1", "DP1 TP3", "DP1 TP2"]).of("DP1 TP2") == "2"
    assert Ranks(["PP0 TP0", "PP0 TP1", "PP1 TP0", "PP1 TP1"]).of("PP1 TP1") == "3"
    assert Ranks(["TP0", "TP1", "DP0"]).of("DP0") == "DP0"
    assert Ranks([]).of(None) == ""


def test_ranks_in_words():
    assert (
        spoken(["2", "0", "1", "7"]) == "ranks 0-2 and 7"
        and spoken(["1"]) == "rank 1"
        and spoken(["", "1"]) == "ranks 1 and one that is not named"
        and spoken([]) == "an unnamed rank"
    )
    assert in_order(["10", "9", "a"]) == ("9", "10", "a")


# size


def test_many_ranks_and_long_rings_are_quick():
    evidence = [dump(rank, STEP * 500, world=64, done=1_999) for rank in range(63)] + [
        dump(63, (STEP * 500)[:1_999], world=64)
    ]
    started = time.process_time()
    said, _ = told(*evidence)
    assert time.process_time() - started < 5
    assert "rank 63 never joined" in said["missing_rank"][0]


collectives = st.builds(
    Collective,
    st.sampled_from(["0", "1", "TP1", "", "x"]),
    st.sampled_from(["", "a", "default_pg"]),
    st.integers(-2, 4),
    st.sampled_from(["all_reduce", "send 0->1", "recv 1<-0", "send x", "", "_all_gather_base", "coalesced"]),
    st.lists(st.integers(-1, 3), max_size=2).map(tuple),
    st.lists(st.sampled_from(["Half", ""]), max_size=2).map(tuple),
    st.sampled_from(["scheduled", "started", "completed", "timed_out", "unknown"]),
    st.none() | st.integers(),
)
statuses = st.builds(
    GroupStatus,
    st.sampled_from(["0", "1", ""]),
    st.sampled_from(["", "a"]),
    st.none() | st.integers(-1, 5),
    st.none(),
    st.none() | st.integers(-1, 5),
    st.lists(st.sampled_from(["0", "1", "2"]), max_size=3).map(tuple),
    st.sampled_from(["flight_recorder", "watchdog", "ras"]),
)


@settings(max_examples=200, deadline=None)
@given(st.lists(collectives, max_size=8), st.lists(statuses, max_size=4), st.booleans())
def test_nothing_that_readers_may_yield_raises(posted, reported, hangs):
    evidence = [seen(collectives=posted, statuses=reported), *([hang()] if hangs else [])]
    assert situation(evidence) == situation(evidence)
