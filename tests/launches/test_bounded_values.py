"""Values of flags of any size and depth: read as far as a flag's value goes, and said where that ends."""

from __future__ import annotations

import json
import time
from typing import Any

import pytest

from advisor.jobs.check import check
from advisor.jobs.request import Request
from advisor.launches.flags import MAX_JSON, MAX_LEVELS, load_json
from tests.counting import steps

MOST_STEPS = 600_000  # of which what stands around the value takes a tenth, and 2,000 keys most


def deep(levels: int) -> str:
    return '{"a":' * levels + "1" + "}" * levels


HOSTILE: dict[str, tuple[str, str]] = {
    "ten thousand keys": (json.dumps({f"k{n}": n for n in range(10_000)}), ""),
    "40 levels": (deep(40), "nested deeper than 32 levels"),
    "900 levels": (deep(900), "nested deeper than 32 levels"),
    "30,000 levels": (deep(30_000), ""),
    "20,000 lists": ("[" * 20_000 + "]" * 20_000, ""),
    "brackets that never close": ('{"a":[' * 2_000, "nested deeper than 32 levels"),
    "a number without end": ('{"num_speculative_tokens":1e999999}', ""),
    "a key twice": ('{"method":"a","method":"b"}', ""),
}


@pytest.mark.parametrize("name", HOSTILE)
def test_a_hostile_value(name: str) -> None:
    value, said = HOSTILE[name]
    for tame in ('{"method":"a"}', "1"):  # what is ours is loaded now, and compiled where the cache has it not
        checked("--speculative-config", tame)
    report, taken = steps(lambda: checked("--speculative-config", value))
    assert said in " ".join(report.coverage.notes), report.coverage.notes
    assert taken < MOST_STEPS, f"{taken:,} steps"
    assert len(report.settings) <= 2_010


@pytest.mark.parametrize("value", ["\ud800", "\udcff", '{"method":"\\ud800"}', '{"method":"\\udfff\\ud800"}'])
def test_half_a_character(value: str) -> None:
    """As an escape of JSON makes it, and Python of an argument that is not UTF-8."""
    for flag in ("--speculative-config", "--attention-backend", "--served-model-name"):
        checked(flag, value)
    check(Request(engine="vllm", version="0.11.0", model=value, env=(f"VLLM_ATTENTION_BACKEND={value}",)))


def test_the_reader_of_json_is_bounded_itself() -> None:
    assert load_json(json.dumps({"a": "x" * MAX_JSON})) is None
    assert load_json(deep(MAX_LEVELS)) is not None and load_json(deep(MAX_LEVELS + 1)) is None
    assert load_json('{"a":"\\ud800"}') == {"a": "?"}


def test_dots_without_end() -> None:
    report = checked("--speculative-config" + ".a" * 20_000, "1")
    assert report.settings


@pytest.mark.parametrize(
    "words", ["--flagfile=/etc/passwd", "--flagfile self.flags", "@/etc/passwd", "--config /dev/zero"]
)
def test_a_file_that_a_flag_names_is_not_opened(words: str, monkeypatch: pytest.MonkeyPatch) -> None:
    check(Request(engine="xllm", flags=("xllm --model m --x 1",)))  # what is ours is read now
    opened: list[Any] = []
    monkeypatch.setattr("builtins.open", lambda *given, **_: opened.append(given))
    monkeypatch.setattr("io.open", lambda *given, **_: opened.append(given))  # as Path opens
    monkeypatch.setattr("os.open", lambda *given, **_: opened.append(given))
    check(Request(engine="xllm", flags=(f"xllm --model m {words}",)))
    assert not opened


def checked(flag: str, value: str) -> Any:
    request = Request(engine="vllm", version="0.11.0", flags=(f"vllm serve m -tp 2 {flag} '{value}'",))
    return check(request).report


def test_blanks_without_end() -> None:
    """They were gone over again from every one of them: 23 s of a processor, now a tenth of one."""
    began = time.process_time()
    check(Request(engine="vllm", symptoms=("hang " + " " * 20_000,)))
    assert time.process_time() - began < 3
