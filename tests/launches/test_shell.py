"""Shell text to commands: quotes, expansions, wrappers, and the short way agreeing with the grammar."""

from __future__ import annotations

import re

import pytest
from hypothesis import given
from hypothesis import strategies as st

from advisor.errors import UsageError
from advisor.launches import shell, unmeant, words


def commands(text: str) -> list[list[str]]:
    return [[word.text for word in one.words] for one in shell.read(text).commands]


PLAIN = [
    "--tp 8 --x=1",
    """--spec '{"method":"dspark","n":5}' -tp 8""",
    '--spec "{\\"method\\": \\"dspark\\"}" --x',
    '--spec {"method":"dspark","n":5} --tp 8',
    '--spec={"a": {"b": [1, 2]}} --tp 8',
    "serve <Qwen3-32B> --tp 2",
    "A=b C='d e' vllm serve m --tp 8",
    "vllm serve m \\\n  --tp 8 \\\n  --x 'a b'",
    "vllm serve m \\ \n  --tp 8",
    "$ vllm serve m --tp 8",
    "user@host:~/x$ vllm serve m --tp 8",
    "--x 'never closed --tp 8",
    """--x "never closed --tp 8""",
    "--x a\\ b --y a'b'\"c\"d",
    "--x \\ b --y \\ --z",
    "--x '' --y \"\"",
    "--glob *.txt --tilde ~/x --at @a --percent 50%",
    "--模型 /路径/模型 --tp 8",
    "--x=a=b --y=--z -- -1 -0.5",
    "docker run --gpus all -it -e A=b --env C='d e' -v a:b img/x:v1 --model m",
    "nohup env A=b numactl -C 0-3 timeout 30s vllm serve m",
    "bash -c 'vllm serve m --tp 4'",
    "--a [1,2] --b ... --c …",
    "vllm serve m == x =~ y == ] ]]",
]


@pytest.mark.parametrize("text", PLAIN)
def test_the_short_way_and_the_grammar_agree(text: str) -> None:
    assert shell.read(text) == shell.read(text, grammar=True)


WORDS = st.sampled_from(
    [
        "--tp",
        "8",
        "-x",
        "--a=b",
        "'q u o'",
        '"d \\" q"',
        '{"a":1}',
        '--j={"k": "v w"}',
        "a\\ b",
        "<path>",
        "m/x",
        "A=b",
        "\\\n",
        "é",
        "''",
    ]
)


@given(st.lists(WORDS, min_size=1, max_size=8))
def test_the_two_ways_agree_on_any_such_words(typed: list[str]) -> None:
    text = " ".join(typed)
    assert shell.read(text) == shell.read(text, grammar=True)


@given(st.text(alphabet="ab-='\"\\ \n$({`;#<>&|}é", max_size=40))
def test_no_text_raises_and_every_place_is_within_it(text: str) -> None:
    for command in shell.read(text).commands:
        for word in command.words:
            assert word.start == -1 or 0 <= word.start <= word.end <= len(text)


SHELL_TEXT = st.text(alphabet="ab-=,'\"\\\\ \t\n\r$({`;#<>%é\u3000", max_size=40)


@given(st.one_of(SHELL_TEXT, st.lists(WORDS, max_size=8).map(" ".join)))
def test_what_is_read_at_a_glance_is_read_as_step_by_step(text: str) -> None:
    assert words.prepare(text) == words._walked(words._cleaned(text))
    for start, end in words.prepare(text).spans:
        assert words.resolve(text, start, end, {}) == words._stepped(text, start, end, {})


@given(SHELL_TEXT)
def test_text_is_cleaned_as_by_every_pattern(text: str) -> None:
    whole = words._LOOSE_CONTINUATION.sub(lambda found: " " * len(found.group(1)) + "\\", text).replace("\r", " ")
    assert words._cleaned(text) == words._PROMPT.sub(lambda found: " " * len(found.group()), whole)


@pytest.mark.parametrize("blank", [" ", "\t"])
@pytest.mark.parametrize(
    "program",
    ["echo", "printf", "grep", "egrep", "rg", "pgrep", "pkill", "killall", "git commit", "vllm bench serve"],
)
def test_what_a_program_says_is_no_command(program: str, blank: str) -> None:
    text = f"{program}{blank}'vllm serve m'"
    assert unmeant.clear(text, re.compile("vllm serve")).text == " " * len(text)
    assert any(one in text for one in unmeant._SAYERS)


def test_words_keep_their_places() -> None:
    text = "A=b vllm serve m --spec '{\"a\": 1}' -tp 8"
    (command,) = shell.read(text).commands
    assert [text[word.start : word.end] for word in command.words] == [
        "vllm",
        "serve",
        "m",
        "--spec",
        "'{\"a\": 1}'",
        "-tp",
        "8",
    ]
    assert [(one.name, one.value) for one in command.environment] == [("A", "b")]


def test_variables_of_the_text_are_followed() -> None:
    text = 'TP=8\nARGS="--tp $TP --eager"\nvllm serve m $ARGS --port "${PORT:-8000}" --x $X "$Y"\n'
    (command,) = shell.read(text).commands
    assert [word.text for word in command.words] == [
        "vllm", "serve", "m", "--tp", "8", "--eager", "--port", "8000", "--x", "$X", "$Y",
    ]  # fmt: skip
    assert [word.known for word in command.words[-2:]] == [False, False]
    assert [word.open for word in command.words[-2:]] == [True, False]


def test_arrays_keep_the_place_of_each_element() -> None:
    text = 'args=(\n  --a "$X" # why\n  --b=1)\nargs+=(--c)\nrun "${args[@]}" --d\n'
    (command,) = shell.read(text).commands
    assert [word.text for word in command.words] == ["run", "--a", "$X", "--b=1", "--c", "--d"]
    assert [text[word.start : word.end] for word in command.words] == ["run", "--a", '"$X"', "--b=1", "--c", "--d"]


@pytest.mark.parametrize(
    "assigned",
    ["if true; then TP=8; fi", "[ -f x ] && TP=8", "for TP in 1 2; do :; done", "TP=$(nproc)", "TP=$((1+1))"],
)
def test_what_may_not_have_been_assigned_is_not_guessed(assigned: str) -> None:
    last = shell.read(f"{assigned}\nvllm serve m --tp $TP\n").commands[-1]
    assert last.words[-1].text in ("$TP", "$(nproc)", "$((1+1))") and not last.words[-1].known


def test_exports_reach_later_commands_only() -> None:
    found = shell.read("first\nexport A=1\nB=2\nC=3 second\nunset A\nthird\n").commands
    seen = {one.words[0].text: {each.name: each.how for each in one.environment} for one in found if one.words}
    assert seen["first"] == {} and seen["second"] == {"A": "export", "C": "prefix"} and seen["third"] == {}
    assert [one.name for one in found[1].assigned] == ["B"]


def test_docker_run_gives_its_arguments_environment_and_image() -> None:
    (command,) = shell.read('docker run --rm --gpus all -e A=1 --env "B=x y" --shm-size=2g img/x:v1 --tp 2').commands
    assert [word.text for word in command.words] == ["--tp", "2"]
    assert command.image == "img/x:v1"
    assert [(one.name, one.value) for one in command.environment] == [("A", "1"), ("B", "x y")]


def test_pipes_redirections_and_here_documents() -> None:
    assert commands("vllm serve m --tp 8 2>&1 | tee log")[0] == ["vllm", "serve", "m", "--tp", "8"]
    assert commands("vllm serve m > log 2>&1 &")[0] == ["vllm", "serve", "m"]
    assert commands("cat > run.sh <<'EOF'\nvllm serve m --tp 3\nEOF\n")[1] == ["vllm", "serve", "m", "--tp", "3"]


def test_an_unclosed_quote_is_said_with_its_column() -> None:
    with pytest.raises(UsageError) as told:
        shell.read('--tp 8 --spec \'{"a":1}', strict=True, where="--flags")
    assert told.value.where == "--flags, column 15" and told.value.hint
    assert shell.read('--tp 8 --spec \'{"a":1}').notes == (
        "the quote ' is opened and never closed (column 15); read without it",
    )
    assert commands('--tp 8 --spec \'{"a":1}') == [["--tp", "8", "--spec", '{"a":1}']]
