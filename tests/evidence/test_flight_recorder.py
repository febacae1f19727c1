"""Dumps of PyTorch's flight recorder: as they come, cut short, and made to hurt."""

import json
import pickle
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from advisor.evidence import flight_recorder
from advisor.evidence.divergence import situation
from advisor.model.fact import Artifact
from tests.evidence.situations import DATA, captured, handed, values

WHOLE = DATA / "tp_divergence" / "fr_rank_1"


def entry(seq: int, op: str = "all_reduce", **changes: Any) -> dict[str, Any]:
    made = {
        "frames": [{"name": "step", "filename": "/srv/app/engine.py", "line": 7}],
        "record_id": seq, "pg_id": 0, "process_group": ["0", "default_pg"], "collective_seq_id": seq, "p2p_seq_id": 0,
        "op_id": seq, "profiling_name": f"nccl:{op}", "time_created_ns": 1_000 * seq, "input_sizes": [[8, 64]],
        "input_dtypes": ["BFloat16"], "output_sizes": [[8, 64]], "output_dtypes": ["BFloat16"], "state": "completed",
        "retired": True, "timeout_ms": 600_000, "is_p2p": False,
    }  # fmt: skip
    return made | changes


def dump(*entries: dict[str, Any], **changes: Any) -> dict[str, Any]:
    made = {
        "version": "2.10", "comm_lib_version": "2.28.9", "entries": list(entries),
        "pg_config": {"0": {"name": "0", "desc": "default_pg", "ranks": "[0, 1]"}},
        "pg_status": {"0": {"last_enqueued_collective": len(entries), "last_started_collective": -1, "last_completed_collective": len(entries)}},
    }  # fmt: skip
    return made | changes


def read(made: dict[str, Any], rank: str | None = "0", name: str = "fr_rank_0") -> flight_recorder.Read:
    text, why = flight_recorder.as_text(json.dumps(made).encode())
    assert text is not None, why
    return flight_recorder.read(Artifact(name, "recorder", text, rank=rank))


def refusal(data: bytes) -> str:
    text, why = flight_recorder.as_text(data)
    assert text is None and why and "\n" not in why
    return why


def test_a_pickle_becomes_a_short_text_of_short_lines():
    text, why = flight_recorder.as_text(WHOLE.read_bytes())
    assert text is not None and why == ""
    assert len(text) < len(WHOLE.read_bytes()) / 8
    assert max(map(len, text.split("\n"))) < 2_000
    assert json.loads(text)["entries"][-1][1:3] == [200, "completed"]


def test_a_pickle_and_json_say_the_same():
    made = dump(*(entry(seq) for seq in range(1, 9)))
    assert flight_recorder.as_text(pickle.dumps(made, 2)) == flight_recorder.as_text(json.dumps(made).encode())


def test_the_text_read_again_is_the_same_text():
    text, _ = flight_recorder.as_text(WHOLE.read_bytes())
    assert text and flight_recorder.as_text(text.encode()) == (text, "")


def test_what_the_rank_posted():
    collectives, statuses, _, notes = read(
        dump(entry(1), entry(2, "_all_gather_base", state="scheduled", retired=False))
    )
    last = collectives[-1]
    assert (last.rank, last.group, last.seq, last.op) == ("0", "default_pg", 2, "_all_gather_base")
    assert (last.sizes, last.dtypes, last.state, last.created_ns) == ((512,), ("BFloat16",), "scheduled", 2_000)
    assert last.frames == ("step (app/engine.py:7)",)
    assert last.span is not None and last.span.line > 10
    assert [(one.group, one.last_enqueued, one.last_started, one.members) for one in statuses] == [
        ("default_pg", 2, None, ("0", "1"))
    ]
    assert notes == ()


def test_json_as_the_recorder_writes_it_is_read_as_well():
    made = dump(entry(1), entry(2, state="started"))
    collectives, statuses, _, _ = flight_recorder.read(Artifact("fr_rank_0", "recorder", json.dumps(made), rank="0"))
    assert [one.state for one in collectives] == ["completed", "started"] and len(statuses) == 1


def test_status_and_config_number_a_group_differently():
    found = captured("pp_broadcast_skew/fr_rank_0.json")
    assert {(one.group, one.last_enqueued, one.last_completed) for one in found[0].statuses} == {
        ("default_pg", 200, 200),
        ("pp_broadcast", 138, 125),
    }
    assert values(found, "collective.group") == ["pp_broadcast"] and values(found, "collective.op") == ["BROADCAST"]
    assert values(found, "collective.seq") == [126] and values(found, "collective.numel") == [60]
    assert values(found, "collective.last_enqueued") == [138] and values(found, "component.nccl") == ["2.28.9"]


def test_the_recorders_word_for_an_operation_becomes_the_watchdogs():
    assert values(captured("tp_divergence/fr_rank_0.json"), "collective.op") == ["_ALLGATHER_BASE"]
    assert values(captured("illegal_access/fr_rank_0.json"), "collective.op") == ["ALLREDUCE"]


def test_quiet_when_all_is_complete():
    _, _, facts, notes = read(dump(*(entry(seq) for seq in range(1, 50))))
    assert {fact.name for fact in facts} == {"component.nccl"} and notes == ()


@pytest.mark.parametrize(
    ("rank", "name", "changes", "expected"),
    [
        ("3", "fr", {}, "3"),
        (None, "nccl_trace_rank_12", {}, "12"),
        (None, "dumps/trace.7.json", {}, "7"),
        (None, "trace", {"rank": 5}, "5"),
        (None, "trace", {"host": {"global_rank": 6}}, "6"),
        (None, "trace", {}, ""),
    ],
)
def test_which_rank_wrote_it(rank, name, changes, expected):
    collectives, _, _, notes = read(dump(entry(1), **changes), rank, name)
    assert collectives[0].rank == expected
    assert bool(notes) is (expected == "")


@pytest.mark.parametrize(
    ("pair", "group"),
    [(["7", "undefined"], "7"), (["7", ""], "7"), (["2", "pp_broadcast"], "pp_broadcast"), (["4"], "4"), ([], "0")],
)
def test_how_a_group_is_called(pair, group):
    assert read(dump(entry(1, process_group=pair), pg_config={}))[0][0].group == group


def test_the_recorder_and_the_watchdog_tell_groups_apart_alike():
    dumped, logged = captured("pp_broadcast_skew/fr_rank_0.json")[0], captured("pp_broadcast_skew/rank0.log")[0]
    for found in (dumped, logged):
        posted = {(one.group, one.guid) for one in found.collectives}
        assert posted | {(one.group, one.guid) for one in found.statuses} == {
            ("default_pg", "0"),
            ("pp_broadcast", "2"),
        }


def pp(seq: int, **changes: Any) -> dict[str, Any]:
    return entry(seq, "broadcast", pg_id=1, process_group=["2", "pp"], **changes)


def counted(**groups: int) -> dict[str, Any]:
    """`pg_config` of default_pg and the groups "2" and "3", `pg_status` by their ids."""
    ranks = {"0": "default_pg", "2": "pp", "3": "tp"}
    return {
        "pg_config": {name: {"name": name, "desc": desc, "ranks": "[0, 1]"} for name, desc in ranks.items()},
        "pg_status": {
            key.removeprefix("id"): {"last_enqueued_collective": count, "last_completed_collective": count}
            for key, count in groups.items()
        },
    }


@pytest.mark.parametrize(
    ("entries", "status", "expected"),
    [
        ([entry(1), pp(1)], counted(id0=1, id1=1), {"default_pg": 1, "pp": 1, "tp": 0}),  # never used
        ([entry(1), pp(1)], counted(id0=1, id1=1, id2=-1), {"default_pg": 1, "pp": 1, "tp": 0}),  # none yet
        ([entry(1), pp(1)], counted(id0=1, id1=1, id2=9), {"default_pg": 1, "pp": 1, "tp": 9}),  # the one left
        ([entry(1)], counted(id0=1, id1=131), {"default_pg": 1, "pp": None, "tp": None}),  # of either
        ([entry(1)], counted(id0=1, id1=131, id2=9), {"default_pg": 1, "pp": None, "tp": None}),
        ([entry(1), pp(1)], counted(), {"default_pg": None, "pp": None, "tp": None}),  # no counts at all
        ([], counted(id0=1), {"default_pg": None, "pp": None, "tp": None}),
    ],
)
def test_a_count_is_known_only_where_its_group_is(entries, status, expected):
    assert {one.group: one.last_enqueued for one in read(dump(*entries, **status))[1]} == expected


def told(**dumps: dict[str, Any]) -> list[str]:
    """What dumps of several ranks say together."""
    found = [one for name, made in dumps.items() for one in handed(json.dumps(made), name)]
    return [f"{one.kind}: {one.says}" for one in situation(found)[0]]


def test_a_ring_that_forgot_a_group_does_not_make_a_rank_missing():
    waits = dump(entry(1), pp(126, state="scheduled"), **counted(id0=1, id1=138))
    forgot = dump(entry(1), **counted(id0=1, id1=131, id2=4))
    said = told(fr_rank_0=waits, fr_rank_1=forgot)
    assert any("whether rank 1 joined broadcast #126 of group pp is not known" in one for one in said)
    assert not any("never joined" in one for one in said)


def test_a_rank_in_two_groups_of_one_description():
    """Ranks as rows [0, 1] [2, 3] and columns [0, 2] [1, 3], all called tp; rank 3 never joins #3 of its column."""

    def of(rank: int) -> dict[str, Any]:
        row, column = (
            ("1", "[0, 1]") if rank < 2 else ("2", "[2, 3]"),
            ("3", "[0, 2]") if rank % 2 == 0 else ("4", "[1, 3]"),
        )
        in_row = [entry(seq, process_group=[row[0], "tp"]) for seq in range(1, 6 if rank > 1 else 3)]
        in_column = [
            entry(seq, "_all_gather_base", pg_id=1, process_group=[column[0], "tp"], input_sizes=[[50 + rank % 2]])
            for seq in (1, 2)
        ]
        if rank == 1:
            in_column.append(in_column[0] | {"collective_seq_id": 3, "state": "scheduled"})
        config = {name: {"name": name, "desc": "tp", "ranks": ranks} for name, ranks in (row, column)}
        status = {str(key): {"last_enqueued_collective": len(one)} for key, one in enumerate((in_row, in_column))}
        return dump(*in_row, *in_column, pg_config=config, pg_status=status)

    said = told(**{f"fr_rank_{rank}": of(rank) for rank in range(4)})
    assert said == [
        "missing_rank: rank 1 launched _all_gather_base #3 of group tp, which rank 3 never joined (enqueued so far: rank 1 3, rank 3 2)",
        "phase: it is collective #3 of group tp: at the first steps, not after long service",
    ]


def test_two_jobs_in_one_folder():
    """Both have ranks 0 and 1; in the first rank 1 never joins #3."""

    def job(folder: str, last: str, later_ns: int) -> dict[str, dict[str, Any]]:
        def of(count: int) -> dict[str, Any]:
            made = [entry(seq, time_created_ns=later_ns + seq) for seq in range(1, count + 1)]
            made[-1]["state"] = last if count == 3 else "completed"
            return dump(*made)

        return {f"{folder}/fr_rank_0": of(3), f"{folder}/fr_rank_1": of(2 if last == "scheduled" else 3)}

    said = told(**job("prefill", "scheduled", 0), **job("decode", "completed", 9))
    assert said[0].startswith(
        "missing_rank: rank 0 launched all_reduce #3 of the default group in prefill, which rank 1 never joined"
    )
    assert [one.partition(":")[0] for one in said] == ["missing_rank", "unknown", "phase"]


def test_transfers_count_on_their_own():
    sent = entry(9, "send 0->1", p2p_seq_id=4, is_p2p=True)
    assert [(one.op, one.seq) for one in read(dump(sent))[0]] == [("send 0->1", 4)]


def test_a_world_of_thousands_stays_on_a_short_line():
    ranks = {"0": {"name": "0", "desc": "default_pg", "ranks": str(list(range(8192)))}}
    text, _ = flight_recorder.as_text(json.dumps(dump(entry(1), pg_config=ranks)).encode())
    assert text and max(map(len, text.split("\n"))) < 1_000
    assert len(flight_recorder.read(Artifact("fr_rank_0", "recorder", text))[1][0].members) == 8192


def test_what_is_no_dump_is_refused_in_one_line():
    assert "GLOBAL at byte" in refusal(b"\x80\x02cos\nsystem\n.")
    assert "breaks off" in refusal(WHOLE.read_bytes()[:1000])
    assert refusal(b"") and refusal(b"{") and refusal(b"\xff\xfe") and refusal(b"[" * 100_000)
    others: list[object] = [
        {},
        [],
        3,
        {"entries": 3},
        {"entries": []},
        {"entries": [{"a": 1}]},
        {"entries": [], "pg_config": 3},
    ]
    for other in others:
        assert "not a flight-recorder dump" in refusal(json.dumps(other).encode())


def test_text_that_is_no_dump_is_a_note():
    for text in ("", "{}", "nothing", '{"entries": [[]], "calls": 3}', "[" * 100_000):
        collectives, statuses, facts, notes = flight_recorder.read(Artifact("x", "recorder", text))
        assert (collectives, statuses, facts) == ((), (), ()) and [note.kind for note in notes] == ["unreadable"]


odd = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats() | st.text(max_size=8),
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(st.text(max_size=4), inner, max_size=3),
    max_leaves=6,
)


@settings(max_examples=150, deadline=None)
@given(
    st.sampled_from(sorted(entry(1))),
    odd,
    st.sampled_from(["pg_config", "pg_status", "version", "comm_lib_version", "rank", "host"]),
    odd,
)
def test_odd_values_anywhere_hurt_nothing(key, value, top, above):
    made = dump(entry(1), entry(2, **({key: value} if key != "profiling_name" else {})), **{top: above})
    text, _ = flight_recorder.as_text(json.dumps(made).encode())
    if text is not None:
        flight_recorder.read(Artifact("fr", "recorder", text))


@settings(max_examples=150, deadline=None)
@given(st.sampled_from(["groups", "status", "calls", "entries", "rank", "cut", "version", "comm_lib_version"]), odd)
def test_a_forged_compact_text_hurts_nothing(key, value):
    text, _ = flight_recorder.as_text(WHOLE.read_bytes())
    assert text
    forged = json.loads(text)
    forged["entries"] = forged["entries"][:3]
    forged[key] = [value, *forged[key]] if isinstance(forged[key], list) else value
    flight_recorder.read(Artifact("fr", "recorder", json.dumps(forged)))


@settings(max_examples=60, deadline=None)
@given(st.binary(max_size=200), st.integers(0, 2_000))
def test_any_bytes_are_read_or_refused(data, at):
    head = WHOLE.read_bytes()[:2_000]
    for given_bytes in (data, b"\x80\x02" + data, head[:at] + data + head[at:]):
        text, why = flight_recorder.as_text(given_bytes)
        assert (text is None) == bool(why)
