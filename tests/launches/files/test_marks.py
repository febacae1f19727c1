"""YAML trees that know the characters they stand in."""

from __future__ import annotations

import re
import subprocess
import sys

import pytest

from advisor.launches.files.marks import Node, documents
from advisor.launches.files.origins import inside, origins

ODD = (
    "\ufeff"
    'a: &x [1, "é"]\r\n'
    "b: *x\r\n"
    "c: |-  # a comment\r\n    vllm serve \\\r\n      --tp 8\r\n\r\n"
    "d: >\r\n  foo\r\n  bar  baz\r\n\r\n  qux\r\n"
    'e: "q\\"x y \\\r\n   z\\u00e9 w"\r\n'
    "f: 'it''s\r\n   me'\r\n"
    "g: plain over\r\n  two lines\r\n"
    'h: &q !!str "8"\r\n'
)


def tree(text: str) -> Node:
    (one,) = documents(text)
    assert one.root is not None, one.error
    return one.root


def test_nodes_hold_exactly_their_characters() -> None:
    keys = tree(ODD).mapping()
    assert [ODD[key.start : key.end] for key, _ in keys.values()] == list("abcdefgh")
    assert ODD[keys["a"][1].items[1].start : keys["a"][1].items[1].end] == '"é"'
    assert keys["b"][1] is keys["a"][1], "an alias is the node it names"
    assert ODD[keys["h"][1].start : keys["h"][1].end] == '"8"', "anchor and tag stand before the scalar"
    assert ODD[keys["c"][1].start : keys["c"][1].end].endswith("--tp 8"), "blank ends of blocks are left out"


@pytest.mark.parametrize(
    ("key", "words"),
    [
        ("c", ["vllm", "serve", "\\", "--tp", "8"]),
        ("d", ["foo", "bar", "baz", "qux"]),
        ("e", ['q\\"x', "y", "z\\u00e9", "w"]),
        ("f", ["it''s", "me"]),
        ("g", ["plain", "over", "two", "lines"]),
        ("h", ["8"]),
    ],
)
def test_each_word_of_a_scalar_is_found_in_the_file(key: str, words: list[str]) -> None:
    node = tree(ODD).get(key)
    assert node is not None
    where = origins(node, ODD)
    places = [where.place(*found.span()) for found in re.finditer(r"\S+", node.text)]
    assert [ODD[start:end] for start, end in places] == words


def test_documents_are_read_each_by_itself() -> None:
    text = "a: 1\n---\nb: [1\n---\n# nothing\n---\nc: 3\n...\n%YAML 1.2\n---\nd: 4\n"
    found = list(documents(text))
    assert [one.root.pairs[0][0].text if one.root else one.error != "" for one in found] == ["a", True, "c", "d"]
    assert text[found[1].at :].startswith("["), "the bracket that never closes"
    root = found[2].root
    assert root is not None
    assert text[root.start : root.end] == "c: 3"


@pytest.mark.parametrize(
    ("text", "starts"),
    [("a:\n\tb: 1\n", "\tb"), ("a: 1\nb: 'x\nc: 2\n", "'x"), ("a: {b: 1\nc: 2\n", "{b"), ("a: *nowhere\n", "*nowhere")],
)
def test_an_error_names_its_character(text: str, starts: str) -> None:
    (one,) = documents(text)
    assert one.root is None and one.error
    assert text[one.at :].startswith(starts), (one.error, text[one.at :])


def test_merge_keys_are_read_when_asked_for() -> None:
    root = tree("a: &a {x: 1, y: 2}\nb: &b {y: 3}\nc:\n  <<: [*b, *a]\n  z: 4\nd:\n  '<<': text\n")
    assert {key: value.text for key, (_, value) in root.get("c").mapping().items()} == {"y": "3", "x": "1", "z": "4"}  # type: ignore[union-attr]
    assert root.said("d", "<<") == "text"


def test_what_is_given_twice_is_noted_and_the_last_counts() -> None:
    (one,) = documents("a: 1\nb: 2\na: 3\n")
    assert one.root is not None and one.root.said("a") == "3"
    assert [(key.text, key.start) for key in one.twice] == [("a", 10)]


def test_yaml_within_yaml_is_placed_in_the_file() -> None:
    text = 'spec:\n  inner: |\n    # head\n    a: "x"\n    b: |\n      one\n      two\n    c: [1]\n    ---\n    d: [2\n'
    node = tree(text).get("spec", "inner")
    assert node is not None
    good, bad = inside(node, text)
    assert good.root is not None
    keys = good.root.mapping()
    assert text[keys["a"][1].start : keys["a"][1].end] == '"x"'
    start, end = origins(keys["b"][1], text).place(4, 7)
    assert text[start:end] == "two"
    assert text[keys["c"][0].start : keys["c"][1].end] == "c: [1]"
    assert bad.root is None and text[bad.at] == "["


def test_laughing_anchors_cost_nothing_to_read() -> None:
    lines = ["a0: &a0 [x]", *(f"a{i}: &a{i} [{', '.join([f'*a{i - 1}'] * 10)}]" for i in range(1, 12))]
    root = tree("\n".join(lines))
    assert len(root.pairs) == 12


@pytest.mark.parametrize("text", ["a: &a [*a]\n", "a: &a\n  <<: *a\n  b: 1\n"])
def test_a_node_within_itself_ends(text: str) -> None:
    inner = tree(text).get("a")
    assert inner is not None
    inner.mapping()


@pytest.mark.parametrize("text", ["[" * 5000, "- " * 5000, "x: " + "{a: " * 300 + "1" + "}" * 300])
def test_deep_nesting_is_refused(text: str) -> None:
    (one,) = documents(text)
    assert one.root is None and "nest" in one.error


def test_the_parser_in_python_gives_the_same_places() -> None:
    script = (
        "import sys; sys.modules['yaml.cyaml'] = None\n"
        "from advisor.launches.files.marks import documents\n"
        "for one in documents(sys.stdin.buffer.read().decode()):\n"
        "    print([(k.start, k.end, v.start, v.end, v.text) for k, v in one.root.pairs])\n"
    )
    ran = subprocess.run([sys.executable, "-c", script], input=ODD.encode(), capture_output=True, check=True)
    ours = [(k.start, k.end, v.start, v.end, v.text) for k, v in tree(ODD).pairs]
    assert ran.stdout.decode().strip() == str(ours)
