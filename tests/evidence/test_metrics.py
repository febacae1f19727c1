"""`/metrics` of the engines, once and twice."""

import pytest

from advisor.evidence import metrics
from tests.evidence.readings import (
    assert_linear,
    assert_no_symptom,
    assert_unknown,
    given_text,
    hold_up,
    names,
    told,
    why,
)

LABELS = '{engine="0",model_name="m"}'


def vllm(running=3, tokens=18231, engine="0", cache=0.31):
    labels = f'{{engine="{engine}",model_name="m"}}'
    return (
        "# HELP vllm:num_requests_running Number of requests in model execution batches.\n"
        "# TYPE vllm:num_requests_running gauge\n"
        f"vllm:num_requests_running{labels} {running}.0\n"
        f"vllm:num_requests_waiting{labels} 2.0\n"
        f"vllm:kv_cache_usage_perc{labels} {cache}\n"
        "# TYPE vllm:generation_tokens_total counter\n"
        f"vllm:generation_tokens_total{labels} {tokens}.0\n"
        f"vllm:generation_tokens_created{labels} 1.7641e+09\n"
        f'vllm:request_success_total{{engine="{engine}",finished_reason="stop",model_name="m"}} 12.0\n'
    )


def sglang(running=3, tokens=900, finished=18231):
    labels = '{model_name="m",engine_type="unified",tp_rank="0",pp_rank="0"}'
    return (
        f"sglang:num_running_reqs{labels} {running}.0\n"
        f"sglang:num_queue_reqs{labels} 0.0\n"
        f'sglang:realtime_tokens_total{{model_name="m",tp_rank="0",mode="decode"}} {tokens}.0\n'
        f'sglang:generation_tokens_total{{model_name="m",is_streaming="true"}} {finished}.0\n'
    )


def at(second, text):
    return f"Sun Nov 29 13:{second // 60:02d}:{second % 60:02d} UTC 2026\n{text}"


def read(text):
    return metrics.read(given_text(text, kind="metrics"))


def test_one_snapshot():
    found = read(vllm())
    assert metrics.mine(vllm())
    assert told(found, "metrics.requests_running") == [3] and told(found, "metrics.requests_waiting") == [2]
    assert told(found, "banner.engine") == ["vllm"] and "metrics.tokens_advancing" not in names(found)
    assert_no_symptom(found)


def test_frozen_while_requests_run():
    found = read(at(0, vllm()) + at(60, vllm()))
    assert told(found, "metrics.tokens_advancing") == [False] and told(found, "symptom.hang") == [True]
    assert "no token counter moved for 60 s" in why(found, "symptom.hang")
    assert [(fact.origin, fact.notable) for fact in found.facts if fact.name == "symptom.hang"] == [("derived", True)]


@pytest.mark.parametrize(
    "second",
    [
        vllm(tokens=18300),
        vllm(cache=0.32),  # a long prefill fills the cache before it yields a token
        vllm(running=4),
    ],
)
def test_something_moves(second):
    found = read(at(0, vllm()) + at(60, second))
    assert told(found, "metrics.tokens_advancing") == [True]
    assert_no_symptom(found)


@pytest.mark.parametrize(
    "text",
    [
        at(0, vllm(running=0)) + at(60, vllm(running=0)),  # idle
        at(0, vllm()) + at(5, vllm()),  # too soon
        vllm() + vllm(),  # nobody knows how soon
    ],
)
def test_frozen_but_no_hang(text):
    found = read(text)
    assert told(found, "metrics.tokens_advancing") == [False]
    assert_no_symptom(found)


def test_time_that_is_not_said_is_asked_for():
    assert [note.kind for note in read(vllm() + vllm()).notes] == ["hint"]


@pytest.mark.parametrize(
    "between",
    [
        "$ sleep 60\n",
        "sleep 1m\n",
    ],
)
def test_what_was_slept(between):
    assert told(read(vllm() + between + vllm()), "symptom.hang") == [True]


@pytest.mark.parametrize(
    "stamps",
    [
        ("2026-11-29T13:00:00Z\n", "2026-11-29T13:01:00Z\n"),
        (
            "HTTP/1.1 200 OK\ndate: Sun, 29 Nov 2026 13:00:00 GMT\n",
            "HTTP/1.1 200 OK\ndate: Sun, 29 Nov 2026 13:01:00 GMT\n",
        ),
        ("1764421200\n", "1764421260\n"),
    ],
)
def test_ways_to_tell_the_time(stamps):
    assert told(read(stamps[0] + vllm() + stamps[1] + vllm()), "symptom.hang") == [True]


def test_the_samples_own_times():
    row = 'vllm:num_requests_running{engine="0"} 1.0 1764421200000\nvllm:generation_tokens_total{engine="0"} 5.0 1764421200000\n'
    assert told(read(row + row.replace("1764421200000", "1764421290000")), "symptom.hang") == [True]


def test_what_froze_at_last_counts():
    text = at(0, vllm(tokens=1)) + at(10, vllm(tokens=9)) + at(20, vllm(tokens=9)) + at(55, vllm(tokens=9))
    assert "for 45 s" in why(read(text), "symptom.hang")


def test_engines_are_judged_one_by_one():
    def both(first, second):
        return vllm(tokens=first) + vllm(tokens=second, engine="1")

    found = read(at(0, both(10, 10)) + at(60, both(500, 10)))
    assert {(fact.value, fact.rank) for fact in found.facts if fact.name == "metrics.tokens_advancing"} == {
        (True, "DP0"),
        (False, "DP1"),
    }
    assert [fact.rank for fact in found.facts if fact.name == "symptom.hang"] == ["DP1"]
    assert told(found, "metrics.requests_running") == [3, 3]


def test_sglang_counts_generated_tokens_when_a_request_ends():
    """Its `generation_tokens_total` stands still during a long answer: only counters of steps are believed."""
    moving = read(at(0, sglang(tokens=1)) + at(60, sglang(tokens=900)))
    assert told(moving, "metrics.tokens_advancing") == [True]
    frozen = read(at(0, sglang()) + at(60, sglang()))
    assert told(frozen, "symptom.hang") == [True] and told(frozen, "metrics.requests_running") == [3]
    old = "\n".join(row for row in sglang().split("\n") if "realtime" not in row)
    unknown = read(at(0, old) + at(60, old))
    assert "metrics.tokens_advancing" not in names(unknown) and unknown.notes[0].kind == "hint"
    assert_no_symptom(unknown)


def test_ranks_of_one_engine_do_not_add_up():
    text = "".join(f'sglang:num_running_reqs{{model_name="m",tp_rank="{rank}"}} 4.0\n' for rank in range(8))
    assert told(read(text), "metrics.requests_running") == [4]


@pytest.mark.parametrize("prefix", ["lmdeploy:", "vllm:", "ray_vllm_"])
def test_prefixes(prefix):
    row = f"{prefix}num_requests_running{LABELS} 1.0\n{prefix}generation_tokens_total{LABELS} 5.0\n"
    assert metrics.mine(row) and told(read(at(0, row) + at(90, row)), "symptom.hang") == [True]


def test_two_files():
    first, second = (given_text(at(0, vllm()), "a.txt"), given_text(at(60, vllm()), "b.txt"))
    facts = {fact.name: fact for fact in metrics.across([second, first])}
    assert facts["symptom.hang"].value is True and str(facts["symptom.hang"].span).startswith("b.txt:")
    grown = metrics.across([given_text(vllm(tokens=20000), "b.txt"), given_text(vllm(), "a.txt")])
    assert [fact.value for fact in grown] == [True]


def test_captures_that_hold_different_lines():
    short = f"vllm:num_requests_running{LABELS} 3.0\n"
    found = read(at(0, short) + at(60, vllm()))
    assert "metrics.tokens_advancing" not in names(found)  # no counter stands in both
    assert_no_symptom(found)


def test_two_servers_say_nothing_together():
    here = given_text(vllm(tokens=10), "a.txt")
    assert metrics.across([here, given_text(vllm(tokens=99).replace("1.7641e+09", "1.7642e+09"), "b.txt")]) == ()
    assert metrics.across([here, given_text(vllm(engine="7"), "b.txt")]) == ()
    assert metrics.across([here, given_text(vllm(), "b.txt", rank="1")]) == ()
    assert metrics.across([here]) == ()


def test_not_its_text():
    assert not metrics.mine("python_gc_objects_collected_total 5\n") and not metrics.mine("vllm: it hangs\n")
    assert not metrics.mine("see vllm:num_requests_running in Grafana\n")
    assert_unknown(read("python_gc_objects_collected_total 5\n"))
    assert read("vllm:num_requests_running NaN\nvllm:generation_tokens_total 1e999\n").facts == ()


def test_mangled():
    hold_up(metrics.read, metrics.mine, at(0, vllm()) + "sleep 30\n" + at(60, vllm()), sglang() + sglang())


def test_hostile_length():
    assert_linear(
        metrics.read,
        'vllm:a{b="c"} 1\n',
        "vllm:a{} }",
        "sleep ",
        "Sun Nov 29 ",
        '{a="',
        "vllm:num_requests_running 1.0\n",
    )
