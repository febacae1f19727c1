"""Where bash and `shlex` agree on the words of a command, so do we."""

from __future__ import annotations

import shlex
import shutil
import subprocess

import pytest
from hypothesis import assume, given, settings
from hypothesis import strategies as st

from advisor.launches import shell

BASH = shutil.which("bash")
PIECE = st.sampled_from(
    [
        "--tp", "8", "-x", "--a=b", "'q u'", '"d q"', "\\ ", "\\'", '\\"', "''", '""', "a", "=", ":", ",", "%", "@", "+", "/",
        "./m-x", "é", "模型", "\\\n", "[1]", "a\\b", '"\\\\"', '"\\n"', "'\\'", "0.5", "^", "!", "~x", "*", "?", "]", "x}", "{a",
    ]
)  # fmt: skip
"""Nothing of these expands, redirects or ends a command once bash is told to leave file names and braces alone."""
TYPED = st.lists(st.one_of(PIECE, st.just(" "), st.just("\t")), min_size=1, max_size=14).map("".join)


def theirs(text: str) -> list[str] | None:
    """The words that bash and shlex both read; None where they differ or one refuses."""
    try:
        words = shlex.split(text)
    except ValueError:
        return None
    script = f"set -f +B +H; set -- {text}\nprintf '%s\\0' \"$@\""
    done = subprocess.run(
        [str(BASH), "--noprofile", "--norc", "-c", script],
        capture_output=True,
        check=False,
        text=True,
        errors="replace",
    )
    if done.returncode or done.stderr:
        return None
    found = done.stdout.split("\0")[:-1]
    return words if found == words or (found == [""] and not words) else None


@pytest.mark.skipif(BASH is None, reason="needs bash")
@settings(max_examples=60)
@given(TYPED)
def test_words_are_those_of_bash_and_shlex(typed: str) -> None:
    assume("\n" not in typed.replace("\\\n", "") and not typed.lstrip().startswith(("~", "!", "#")))
    wanted = theirs(typed)
    assume(wanted is not None)
    (command,) = shell.read(f"vllm serve m {typed}").commands
    assert [word.text for word in command.words][3:] == wanted, typed
    for word in command.words:
        assert (
            "\\" in typed or "'" in typed or '"' in typed or word.text == f"vllm serve m {typed}"[word.start : word.end]
        )
