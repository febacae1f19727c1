"""The lines around what a report quotes: where they stand, how many there are, and what never comes with them."""

from __future__ import annotations

import json
from pathlib import Path

from advisor.jobs.check import check
from advisor.jobs.excerpts import AROUND, HITS, MOST, WIDTH
from advisor.jobs.request import File, Request
from tests.front_door import advisor, checked

DATA = Path(__file__).parents[1] / "evidence" / "data" / "tp_divergence"
STALL = "[2026-08-02 10:25:00 TP0] Scheduler watchdog timeout (self.watchdog_timeout=120)"


def excerpts(**texts: str):
    files = tuple(File(name.replace("_", "."), text.encode()) for name, text in texts.items())
    return check(Request(files=files)).report.excerpts


def test_each_line_stands_where_it_says():
    files = sorted(DATA.glob("rank?.log"))
    found = checked(*map(str, files), "--no-redact").report["excerpts"]
    assert found
    for one in found:
        lines = Path(one["file"]).read_text(encoding="utf-8").splitlines()
        for number, line in enumerate(one["lines"], one["first_line"]):
            assert line.strip("…") in lines[number - 1], one["file"]
        assert all(one["first_line"] <= hit < one["first_line"] + len(one["lines"]) for hit in one["hits"])


def test_every_quoted_fact_of_a_log_has_its_lines():
    demo = Path(__file__).parents[2] / "docs" / "demo"
    report = checked(*map(str, sorted(demo.glob("rank?.stack.txt"))), str(demo / "scheduler.log")).report
    places = {place for one in report["excerpts"] for place in one["places"]}
    quoted = {fact["place"] for fact in report["findings"][0]["because"] if fact["quote"]}
    assert quoted and quoted <= places


def test_two_lines_on_either_side():
    (one,) = excerpts(
        a_log="\n".join([*(f"[2026-08-02 10:24:{second:02d} TP0] a" for second in range(9)), STALL, "b", "c", "d"])
    )
    assert (one.first_line, one.hits, len(one.lines)) == (10 - AROUND, (10,), 2 * AROUND + 1)
    assert one.lines[AROUND] == STALL


def test_a_long_line_is_cut_around_what_is_quoted():
    (one,) = excerpts(a_log=f"[2026-08-02 10:24:00 TP0] {'x' * 2_000}\n{STALL} {'y' * 2_000}\n")
    assert [len(line) for line in one.lines] == [WIDTH + 1, WIDTH + 1]
    assert one.lines[0].endswith("…") and one.lines[1].startswith(STALL)


def test_secrets_do_not_come_along():
    key = "hf_" + "a1B2" * 6
    (one,) = excerpts(a_log=f"[2026-08-02 10:24:00 TP0] HF_TOKEN={key}\n{STALL}\n")
    assert key not in str(one) and "[redacted]" in one.lines[0]


def test_there_are_few_of_them():
    text = "\n".join(f"{'-' * 3}\n{'-' * 3}\n{'-' * 3}\n{STALL.replace('TP0', f'TP{rank}')}" for rank in range(200))
    found = excerpts(a_log=text)
    assert found and sum(len(one.hits) for one in found) <= MOST * HITS
    assert sum(len(one.lines) for one in found) <= MOST * (HITS + 2 * AROUND)


def test_a_batch_has_none_and_says_the_same_otherwise(tmp_path):
    text = (DATA / "rank0.log").read_text(encoding="utf-8")
    batch = tmp_path / "batch.jsonl"
    batch.write_text(json.dumps({"id": "1", "log": text}) + "\n", encoding="utf-8")
    report = json.loads(advisor("check", "--batch", str(batch)).out)
    alone = check(Request(files=(File("log", text.encode()),), strict=False, bare_is_complete=False)).report
    assert report["excerpts"] == [] and alone.excerpts
    assert report["timeline"] and [one["says"] for one in report["situation"]] == [one.says for one in alone.situation]


PASTE = f"""requests never return; the service hangs

[2026-08-02 10:24:58 TP0] Prefill batch, #new-seq: 1
{STALL}
  File "/sgl/srt/managers/scheduler.py", line 3351 in run_batch

and we start it with

python3 -m sglang.launch_server --model-path m --tp 2 \\
  --speculative-algorithm DSPARK
"""


def test_a_part_cut_out_of_a_paste_is_shown_as_it_was_given():
    lines = PASTE.splitlines()
    found = check(Request(files=(File("issue.md", PASTE.encode(), "text"),))).report.excerpts
    assert any(4 in one.hits for one in found)
    for one in found:
        assert list(one.lines) == lines[one.first_line - 1 :][: len(one.lines)]
