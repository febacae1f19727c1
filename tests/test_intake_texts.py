"""What a terminal, a collector or an editor did to a log is undone, line for line."""

import json

import pytest
from hypothesis import given
from hypothesis import strategies as st

from advisor import intake
from advisor.evidence import reading
from advisor.evidence.lines import INNER, level_of, lines, rank_of
from advisor.evidence.moments import moment_of
from advisor.evidence.recognition import kind_of
from advisor.intake.records import logged, unwrap
from advisor.intake.texts import MAX_LINE, clean, decode, shorten

INSIDE = "(EngineCore_DP0 pid=9) ERROR 08-02 10:44:30 [core.py:1240] ValueError: bad"


def test_utf16_without_a_mark():
    for encoding in ("utf-16-le", "utf-16-be"):
        (found,) = intake.take("x.log", f"{INSIDE}\n".encode(encoding)).artifacts
        assert (found.kind, found.text) == ("log", f"{INSIDE}\n")


def test_lines_in_another_encoding_stand_beside_utf8():
    data = "服务卡住了，没有报错\n".encode() + "两个进程都活着\n".encode("gb18030") + b"plain\n"
    assert decode(data) == "服务卡住了，没有报错\n两个进程都活着\nplain\n"


def test_a_character_cut_in_two_does_not_turn_the_line_to_rubbish():
    assert decode("服务卡住了没有报错".encode()[:-1]).startswith("服务卡住了没有报")


def test_colours_that_lost_their_escape():
    assert (
        clean("[36m(RayWorkerWrapper pid=7)[0m INFO 08-02 10:44:30 [a.py:1] x")
        == "(RayWorkerWrapper pid=7) INFO 08-02 10:44:30 [a.py:1] x"
    )
    assert clean("\x1b[1;36m(EngineCore pid=7)\x1b[0;0m x") == "(EngineCore pid=7) x"
    assert clean("sum(rate(x[5m])) [0m") == "sum(rate(x[5m])) "


@pytest.mark.parametrize(
    ("fields", "line"),
    [
        (
            {"log": f"{INSIDE}\n", "stream": "stderr", "time": "2026-08-02T10:44:31.1Z"},
            f"2026-08-02T10:44:31.1Z stderr F {INSIDE}",
        ),
        (
            {"level": "error", "ts": 1785667471.5, "logger": "vllm", "msg": "worker died"},
            "2026-08-02T10:44:31.500Z ERROR worker died",
        ),
        (
            {"level": "warn", "timestamp": "2026-08-02T10:44:31.1Z", "fields": {"message": "late"}, "target": "dynamo"},
            "2026-08-02T10:44:31.1Z WARNING late",
        ),
        (
            {"textPayload": "stuck", "severity": "ERROR", "timestamp": "2026-08-02T10:44:31Z"},
            "2026-08-02T10:44:31Z ERROR stuck",
        ),
        ({"message": "x", "levelname": "INFO", "asctime": "2026-08-02 10:44:31,123"}, "2026-08-02T10:44:31.123 INFO x"),
        ({"message": "x", "levelname": "INFO"}, "INFO:  x"),
        ({"msg": "x", "level": 50, "time": 1785667471500}, "2026-08-02T10:44:31.500Z ERROR x"),
        (
            {"msg": "x", "level": "info", "ts": "2026-08-02T10:44:31Z", "rank": 3},
            "[rank3]: 2026-08-02T10:44:31Z INFO x",
        ),
    ],
)
def test_a_record_becomes_the_line_that_was_logged(fields, line):
    assert logged(json.dumps(fields)) == line
    assert len(list(lines(line))) == 1


@pytest.mark.parametrize(
    "record",
    [
        '{"status":"ok"}',
        '{"msg": 3, "ts": 1}',
        '{"msg": "x"}',
        "{" * 50_000,
        '{"a":' * 9_000,
        "[1]",
        '{"msg":"x","ts":NaN}',
    ],
)
def test_what_is_no_record_stays(record):
    assert logged(record) is None or record.startswith('{"msg":"x","ts"')


def test_a_record_of_several_lines_stays_one_line_of_its_file():
    trace = 'Traceback (most recent call last):\n  File "/srv/vllm/a.py", line 3, in f\nValueError: bad'
    text = "\n".join(
        json.dumps({"level": "error", "ts": "2026-08-02T10:44:31Z", "msg": msg})
        for msg in ("one", f"died\n{trace}", "three")
    )
    (artifact,) = intake.take("x.log", text.encode()).artifacts
    assert artifact.text.count("\n") == 2 and artifact.text.count(INNER) == 3
    (error,) = [fact for fact in reading.read(artifact).facts if fact.name == "error.exception"]
    assert (error.value, str(error.span)) == ("ValueError", "x.log:2")


def test_records_behind_a_collectors_prefix():
    record = json.dumps({"level": "error", "ts": "2026-08-02T10:44:31Z", "msg": "died"})
    text = unwrap(f"2026-08-02T10:44:32.1Z stderr F {record}\n")
    assert text == "2026-08-02T10:44:32.1Z stderr F 2026-08-02T10:44:31Z ERROR died\n"
    assert level_of(text) == "ERROR"


def test_json_inside_a_message_is_left_alone():
    line = 'INFO 08-02 10:44:30 [a.py:1] config {"level": 3, "message": "x", "time": "y"}'
    assert unwrap(line) == line


def test_prefixes_survive_in_a_dockers_file():
    text = "\n".join(
        json.dumps({"log": f"{INSIDE}\n", "stream": "stderr", "time": f"2026-08-02T10:44:3{i}.1Z"}) for i in range(3)
    )
    (artifact,) = intake.take("0a1b-json.log", text.encode()).artifacts
    row = next(lines(artifact.text)).text
    assert artifact.kind == "log" and rank_of(row) == "DP0" and level_of(row) == "ERROR"
    moment = moment_of(row)
    assert moment is not None and moment.year == 2026


@pytest.mark.parametrize(
    ("text", "kind"),
    [
        (
            '# HELP vllm:num_requests_running Number of requests.\n# TYPE vllm:num_requests_running gauge\nvllm:num_requests_running{engine="0",model_name="m"} 3.0\n',
            "metrics",
        ),
        ('sglang:num_running_reqs{model_name="m"} 8.0\nsglang:gen_throughput{model_name="m"} 0.0\n', "metrics"),
        ("HTTP/1.1 503 Service Unavailable\ndate: Sun, 02 Aug 2026 10:44:31 GMT\ncontent-length: 0\n\n", "health"),
        ('{"status":"unhealthy","detail":"scheduler"}', "health"),
        (
            "utilization.gpu [%], memory.used [MiB], power.draw [W]\n100 %, 70000 MiB, 121.0 W\n0 %, 70000 MiB, 118.0 W\n",
            "machine",
        ),
        (
            "GPU 0: NVIDIA H200 (UUID: GPU-00000000-0000-0000-0000-000000000000)\nGPU 1: NVIDIA H200 (UUID: GPU-00000000-0000-0000-0000-000000000001)\n",
            "machine",
        ),
        ('{"comm_lib_version":"2.28.9","entries":[],"pg_config":{},"version":"2.10"}', "recorder"),
        ("The status is {unknown} and it hangs.", "text"),
        ('{"model": "m", "messages": []}', "text"),
    ],
)
def test_kinds_beside_logs(text, kind):
    assert [one.kind for one in intake.take("given.txt", text.encode()).artifacts] == [kind]


@given(st.text(max_size=300) | st.text(alphabet='{}"\\:,[]logmsgtime \n\r\x1b0123456789TZ-', max_size=200))
def test_cleaning_keeps_the_lines(text):
    plain = text.replace("\r\n", "\n")
    assert unwrap(clean(plain)).count("\n") == plain.count("\n")


@given(st.binary(max_size=400))
def test_any_bytes_are_taken(data):
    for artifact in intake.take("x", data).artifacts:
        reading.read(artifact)


def test_a_line_that_containerd_split_is_one_line_again():
    text = "2026-08-02T10:44:31.1Z stdout P [2026-08-02 10:44:31] server_args=ServerArgs(model_path='m', \n2026-08-02T10:44:31.1Z stderr F x\n2026-08-02T10:44:31.1Z stdout P tp_size=2, \n2026-08-02T10:44:31.1Z stdout F dp_size=1)\nlast"
    rows = unwrap(text).split("\n")
    assert rows[0].endswith(" F [2026-08-02 10:44:31] server_args=ServerArgs(model_path='m', tp_size=2, dp_size=1)")
    assert (rows[1][-1], rows[2:]) == ("x", ["", "", "last"])
    (artifact,) = intake.take("x.log", text.encode(), kind="log").artifacts
    assert [fact.value for fact in reading.read(artifact).facts if fact.name == "banner.complete"] == [True]


def test_a_line_that_docker_split_is_one_line_again():
    parts = ["a" * 16_384, "b" * 300 + "\n", "c\n"]
    text = "\n".join(json.dumps({"log": part, "stream": "stdout", "time": "2026-08-02T10:44:31.1Z"}) for part in parts)
    assert [row[-3:] for row in unwrap(text).split("\n")] == ["bbb", "", "F c"]
    stripped = "\n".join(
        json.dumps({"log": part.strip(), "stream": "stdout", "time": "2026-08-02T10:44:31.1Z"}) for part in "abc"
    )
    assert [row[-3:] for row in unwrap(stripped).split("\n")] == ["F a", "F b", "F c"]


@pytest.mark.parametrize("ends", [0, 1, 2, 5])
def test_only_a_line_that_is_too_long_is_cut(ends):
    for extra in (-1, 0, 1):
        row = "x" * (MAX_LINE + extra)
        text = "\n" * ends + row + "\n" * ends + row
        cut = 2 * (extra > 0) if ends else (2 * len(row) > MAX_LINE)
        assert shorten(text)[1] == cut
    assert shorten("a\n" * MAX_LINE) == ("a\n" * MAX_LINE, 0)


@pytest.mark.parametrize(
    ("text", "kind"),
    [
        ("vllm serve no longer starts since the upgrade", "text"),
        ("vllm serve hangs after loading the weights", "text"),
        ("lmdeploy serve api_server 启动卡住了", "text"),
        ("vllm serve meta-llama/x --tensor-parallel-size 2", "launch"),
        ("vllm serve starts-well --port 3", "launch"),
        ("vllm serve m", "launch"),
    ],
)
def test_a_sentence_about_a_command_is_no_command(text: str, kind: str) -> None:
    assert kind_of(text) == kind
