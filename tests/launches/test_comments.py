"""Comments that speak to the advisor: found in every way of writing them, never inside strings, each with its reach."""

import time
from pathlib import Path

import pytest
import yaml
from hypothesis import example, given, settings
from hypothesis import strategies as st

from advisor.launches.comments import comments, language_of

KUBERNETES = """\
apiVersion: apps/v1   # advisor: ignore[a] why
spec:
  # advisor: ignore[b] why
  containers:
  - name: "x # advisor: ignore[no] s"
    args:
    # advisor: ignore[c]
    - --tp=2
    - |
      vllm serve # advisor: ignore[no]
      # advisor: ignore[no]
    # advisor: ignore[d]
    image: it's # advisor: ignore[e]
  key: 'multi
    # advisor: ignore[no]
    it''s # advisor: ignore[no]
    end' # advisor: ignore[f]
  z: "a\\" # advisor: ignore[no]"
  y: a#advisor: ignore[no]
"""
SHELL = """\
#!/bin/bash
# advisor: ignore[a] x
vllm serve m \\
  --tp 8 \\
  --pp 2   # advisor: ignore[b]
echo "# advisor: ignore[no]" '# advisor: ignore[no]' x#advisor:no
cat <<EOF
# advisor: ignore[no]
EOF
A=(
  # advisor: ignore[c] é
  --x
)
# advisor: ignore[d]
for i in 1; do
 echo
done
"""
DOCKERFILE = """\
# advisor: ignore[a]
FROM x
# advisor: ignore[b]
RUN a \\
  # advisor: ignore[c]
  b \\
  c
COPY <<EOF /x
# advisor: ignore[no]
EOF
# advisor: ignore[d]
CMD ["x"]
"""
PYTHON = '''\
x = """
# advisor: ignore[no]
"""
# advisor: ignore[a]
llm = LLM(
  "m",  # advisor: ignore[b]
  # advisor: ignore[c]
  spec={
    "a": "# advisor: ignore[no]",
  },
)
'''
TOML = 'x = \'# advisor: ignore[no]\' # advisor: ignore[a]\ny = """\n# advisor: ignore[no]\n"""\n# advisor: ignore[b]\nz = 1\n'
INI = "[Service]\n; advisor: ignore[a]\nExecStart=x \\\n  --tp 8\nEnvironment=A=1 # advisor: ignore[no]\n"

CASES = {
    "a.yaml": (KUBERNETES, {"a": (1, 1), "b": (4, 13), "c": (8, 8), "d": (13, 13), "e": (13, 13), "f": (17, 17)}),
    "a.sh": (SHELL, {"a": (3, 5), "b": (5, 5), "c": (12, 12), "d": (15, 17)}),
    "Dockerfile": (DOCKERFILE, {"a": (2, 2), "b": (4, 7), "c": (6, 6), "d": (12, 12)}),
    "a.py": (PYTHON, {"a": (5, 11), "b": (6, 6), "c": (8, 10)}),
    "a.toml": (TOML, {"a": (1, 1), "b": (6, 6)}),
    "a.service": (INI, {"a": (3, 4)}),
}


@pytest.mark.parametrize("name", CASES)
@pytest.mark.parametrize("ends", ["\n", "\r\n"])
def test_each_language(name, ends):
    text, expected = CASES[name]
    found = comments(name, text.replace("\n", ends))
    assert {one.text.split("[")[1].split("]")[0]: one.covers for one in found} == expected


@pytest.mark.parametrize("name", CASES)
def test_a_comment_is_where_it_says(name):
    text, _ = CASES[name]
    lines = text.split("\n")
    for one in comments(name, text):
        here = lines[one.line - 1][one.column - 1 : one.end_column - 1]
        assert here.lstrip("#; ").split("]")[0] == one.text.split("]")[0]


def test_items_as_deep_as_their_key_are_under_it():
    (one,) = comments("a.yaml", "# advisor: ignore[x]\nargs:\n- a\n\n- b:\n    c\nimage: x\n")
    assert one.covers == (2, 6)
    (two,) = comments("a.yaml", "args:\n- a: 1\n# advisor: ignore[x]\n- b: 1\n  c: 2\n- d\n")
    assert two.covers == (4, 5)


@pytest.mark.parametrize(
    ("name", "text", "covers"),
    [
        ("a.sh", "case $1 in\na)\n  x\n  # advisor: ignore[x]\n  ;;\nb)\n  y\n  ;;\nesac\n", (5, 5)),
        ("a.service", "# advisor: ignore[x]\n; said\nExecStart=x \\\n  ; said\n  --tp 8\n", (3, 5)),
        ("Dockerfile", "# advisor: ignore[x]\n; no comment\nRUN x\n", (2, 2)),
        ("a.sh", "# advisor: ignore[x]\na $(\nb (\nc\n", (2, 2)),
    ],
)
def test_only_the_comments_of_its_own_language_are_passed_over(name, text, covers):
    assert [one.covers for one in comments(name, text)] == [covers]


@pytest.mark.parametrize("head", ["- |", "- >-", "a: |2", "- a: !t |", "- - |", "a: &x |-", "a: | # said"])
def test_a_block_scalar_has_no_comments(head):
    inner = " " * 8
    assert comments("a.yaml", f"{head}\n{inner}x\n\n{inner}# advisor: ignore[no]\n") == ()
    assert len(comments("a.yaml", f"{head}\n{inner}x\nb: 1 # advisor: ignore[x]\n")) == 1


def test_no_yaml_comment_stands_within_a_scalar_as_the_parser_sees_it():
    folder = Path(__file__).parents[1] / "deployments"
    texts = [KUBERNETES, *(p.read_text("utf-8", "replace") for p in sorted(folder.rglob("*.y*ml"))[:60])]
    seen = 0
    for text in texts:
        text = text.replace("#", "# advisor: ")
        try:
            spans = [
                (one.start_mark.index, one.end_mark.index)
                for one in yaml.scan(text, Loader=yaml.SafeLoader)
                if isinstance(one, yaml.ScalarToken)
            ]
        except yaml.YAMLError:
            continue
        lines = text.split("\n")
        for one in comments("a.yaml", text):
            at = sum(len(line) + 1 for line in lines[: one.line - 1]) + one.column - 1
            inside = [span for span in spans if span[0] < at < span[1] and text[span[0]] not in "|>"]
            assert not inside, lines[one.line - 1]
            seen += 1
    assert seen


@pytest.mark.parametrize(
    ("name", "format", "text", "said"),
    [
        ("Dockerfile.cuda", "", "", "dockerfile"),
        ("x/Containerfile", "", "", "dockerfile"),
        ("values.yaml.tpl", "", "", "yaml"),
        ("run", "", "#!/usr/bin/env bash\n", "shell"),
        ("run", "", "#!/usr/bin/env python3\n", "python"),
        ("run", "slurm", "", "shell"),
        ("Makefile", "makefile", "", "shell"),
        ("justfile", "justfile", "", "shell"),
        ("Procfile.dev", "procfile", "", "shell"),
        ("a.txt", "kubernetes", "", "yaml"),
        ("a.json", "", "{}", None),
        ("shadow", "", "", None),
        ("py", "", "", None),
    ],
)
def test_the_language_of_a_file(name, format, text, said):
    assert language_of(name, text, format) == said


BROKEN = {
    "a.py": "x = (\n# advisor: ignore[a]\n",
    "a.sh": "if then fi ((\n# advisor: ignore[a] y\n",
    "a.yaml": "{{- if .x }}\na: [\n# advisor: ignore[a]\n\tb: {{ .y }}\n",
}


@pytest.mark.parametrize("name", BROKEN)
def test_a_broken_file_is_read_as_far_as_it_goes(name):
    assert len(comments(name, BROKEN[name])) == 1


@pytest.mark.parametrize("name", CASES)
@pytest.mark.parametrize(
    "body",
    [
        '"' * 200_000,
        "!a " * 60_000,
        '"\\' * 100_000,
        "# advisor: ignore[a] r\n" * 5_000,
        "\t" * 200_000,
        "[{" * 50_000,
    ],
)
def test_time_grows_with_the_text_and_no_faster(name, body):
    started = time.perf_counter()
    comments(name, f"{body}\n# advisor: ignore[x] y\n")
    assert time.perf_counter() - started < 10  # a quadratic reader takes minutes


PIECES = st.lists(
    st.sampled_from(
        [
            "# advisor: ignore[a] r",
            "'",
            '"',
            "\\",
            "\n",
            " ",
            "- ",
            "a: |",
            "\t",
            "\r\n",
            "<<EOF",
            "EOF",
            "(",
            "{",
            "é",
            "模",
            "\x00",
            "\ud800",
            "\u2028",
            "\x0c",
        ]
    ),
    max_size=40,
)


@settings(max_examples=150, deadline=None)
@given(PIECES, st.sampled_from(sorted(CASES)))
@example(["# advisor: ignore[a] r", "\ud800"], "a.py")
@example(['f"""\n# advisor: ignore[a]\n"""\n\udc9c'], "a.py")
def test_any_text_is_read_and_every_place_is_in_it(pieces, name):
    text = "".join(pieces)
    lines = text.replace("\r\n", "\n").replace("\r", "\n").split("\n")
    for one in comments(name, text):
        assert 1 <= one.line <= len(lines) and 1 <= one.column < one.end_column <= len(lines[one.line - 1]) + 1
        assert 1 <= one.covers[0] <= one.covers[1] <= len(lines)
