"""What kind a text is; prose stays prose, and a lone machine line is known."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from advisor.evidence.recognition import kind_of, line_kind


@pytest.mark.parametrize(
    ("line", "kind"),
    [
        ("[rank1]:     dist.all_reduce(input_, group=self.device_group)", "log"),
        ("(EngineCore_DP0 pid=9) Process EngineCore_DP0:", "log"),
        ("[Gloo] Rank 0 is connected to 7 peer ranks.", "log"),
        ("Loading safetensors checkpoint shards:  10% Completed | 1/10 [00:04<00:41,  4.62s/it]", "log"),
        ("/srv/a.py:2052: FutureWarning: Tip: In future versions", "log"),
        ("frame #4: <unknown function> + 0x126850 (0x7f062 in /usr/lib/libc.so.6)", "stack"),
        ("EI0006: Getting socket times out.", "log"),
        ("Killed", "log"),
        ("Killed it by hand", ""),
        ("The process was killed.", ""),
        ("Process 4 is stuck", ""),
        ("vllm.service is down", ""),
        ("HINT: try again", ""),
        ("10% of requests fail", ""),
        ("a.py: see there", "log"),
    ],
)
def test_a_line(line, kind):
    assert line_kind(line) == kind


@pytest.mark.parametrize(
    ("text", "kind"),
    [
        ("HTTP/1.1 200 OK\r\nserver: uvicorn\r\n\r\n{}", "health"),
        ('{"healthy": true, "queue": 3}', "health"),
        ('{"status": "ok"}\nand it still hangs, so I tried again', "text"),
        ('{"model": "m", "status_code": 3}', "text"),
        ('# HELP a b\n# TYPE a gauge\na 1\na{x="y"} NaN\n', "metrics"),
        ("# TYPE is a word\nwhich people write\nin notes\n", "text"),
        ('{\n  "version": "2.10",\n  "pg_config": {},\n  "entries": [\n  ]\n}', "recorder"),
        ('{"entries": [], "other": 1}', "text"),
        ("+------+\n| npu-smi 25.0.rc1 |\n", "machine"),
        ("============ ROCm System Management Interface ============\nGPU[0] : GPU use (%): 100\n", "machine"),
        ("index, utilization.gpu [%], power.draw [W]\n0, 100 %, 121 W\n", "machine"),
        ("name, size, colour\n1, 2, 3\n", "text"),
    ],
)
def test_a_text(text, kind):
    assert kind_of(text) == kind


@given(st.text(max_size=200) | st.text(alphabet='{}[]():#|%"= HTTP/1.0 TYPEa_b\n', max_size=200))
def test_any_text_is_of_some_kind(text):
    assert kind_of(text)
    for line in text.split("\n"):
        line_kind(line)


@pytest.mark.parametrize(
    "text", ['{"entries' * 9_000, "a, " * 40_000, "x{" * 40_000 + "} 1", '{"status"' + " " * 3_000, "%| " * 30_000]
)
def test_hostile_texts_take_no_time(text):
    kind_of(text)
