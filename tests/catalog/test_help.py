"""help.txt as shipped: one setting a line in words of ours, for settings that exist, for nearly all of them."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from advisor.catalog.engines import PARTS, knowledge
from advisor.catalog.places import knowledge_root
from advisor.errors import KnowledgeError

ENGINES = sorted(file.parent.name for file in knowledge_root().glob("*/settings.json"))

# Least shares of flags and of variables that have words. A refresh that brings more new settings than this leaves room
# for wants words for them too.
LEAST = {"vllm": (0.98, 0.98), "lmdeploy": (0.98, 0.98), "xllm": (0.98, 0.98)}
LEAST_ELSEWHERE = (0.95, 0.90)


def lines(engine: str) -> list[str]:
    text = (knowledge_root() / engine / "help.txt").read_text(encoding="utf-8")
    assert text.endswith("\n")
    return text[:-1].split("\n")


def described(engine: str) -> list[list[str]]:
    """Name and words of each line below the header."""
    return [line.split("\t") for line in lines(engine) if not line.startswith("#")]


def known(engine: str) -> tuple[set[str], set[str]]:
    """The flags and the variables of every release read."""
    file = json.loads((knowledge_root() / engine / "settings.json").read_bytes())
    return set(file["settings"]), set(file["environment"])


@pytest.mark.parametrize("engine", ENGINES)
def test_the_top_says_what_it_was_read_from_and_when(engine):
    header = [line for line in lines(engine) if line.startswith("#")]
    assert lines(engine)[: len(header)] == header
    assert "https://" in " ".join(header)
    assert "read 2026-" in " ".join(header)


@pytest.mark.parametrize("engine", ENGINES)
def test_each_line_is_a_name_a_tab_and_a_few_words(engine):
    assert [one for one in described(engine) if len(one) != 2] == []
    assert [one for one in described(engine) if not 2 <= len(one[1].split(" ")) <= 14] == []
    assert [one for one in described(engine) if not "".join(one).isascii()] == []
    assert [one for one in described(engine) if one[1] != " ".join(one[1].split()) or one[1].endswith(".")] == []


@pytest.mark.parametrize("engine", ENGINES)
def test_names_are_sorted_unique_and_known(engine):
    names = [name for name, _ in described(engine)]
    assert names == sorted(set(names))
    flags, variables = known(engine)
    assert set(names) - (flags | variables) == set()


@pytest.mark.parametrize("engine", ENGINES)
def test_nearly_every_setting_has_words(engine):
    names = {name for name, _ in described(engine)}
    for settings, least in zip(known(engine), LEAST.get(engine, LEAST_ELSEWHERE), strict=True):
        assert len(settings - names) <= (1 - least) * len(settings), sorted(settings - names)


@pytest.mark.parametrize("engine", ENGINES)
def test_words_say_more_than_the_name(engine):
    """`--foo-bar` is not helped by "foo bar"."""
    spelt = {name: set(name.lower().replace("_", "-").split("-")) for name, _ in described(engine)}
    assert [one for one in described(engine) if set(one[1].lower().split()) <= spelt[one[0]]] == []


def test_any_spelling_of_a_flag_has_its_words():
    vllm = knowledge("vllm")
    assert vllm.help("--max-num-seqs") == "largest number of sequences in one scheduler step"
    assert vllm.help("-tp") == vllm.help("--tensor-parallel-size") == "GPUs over which each layer is split"
    assert vllm.help("VLLM_RPC_TIMEOUT") == "wait (ms) for the engine to answer simple calls"


def test_a_setting_nobody_described_has_none(tmp_path):
    assert knowledge("vllm").help("--no-such-flag") is None
    assert PARTS["help"](tmp_path) == {}


@pytest.mark.parametrize("text", ["--port\n", "--port\t\n", "--port\ta port\n--port\tits port\n", "\n--port\ta port\n"])
def test_a_malformed_file_is_refused(tmp_path: Path, text):
    (tmp_path / "help.txt").write_text("# what it is\n" + text, encoding="utf-8")
    with pytest.raises(KnowledgeError):
        PARTS["help"](tmp_path)
