"""Shell completion, through the protocol of each shell and through a real bash; and `advisor --help`, the front page."""

import os
import re
import shlex
import subprocess
import sys

import pytest

from tests.front_door import advisor

ENGINES = {"vllm", "vllm-ascend", "sglang", "lmdeploy", "xllm"}


def asked(env: dict[str, str]) -> str:
    """What a shell is told: the program run without arguments, the question in its environment."""
    done = subprocess.run(
        [sys.executable, "-m", "advisor"],
        env={**os.environ, "PYTHONPATH": os.pathsep.join(sys.path), **env},
        capture_output=True,
        text=True,
        timeout=60,
        check=False,
    )
    assert done.stderr == "", done.stderr
    return done.stdout


def bash(line: str) -> set[str]:
    words = line.split(" ")
    told = {"_ADVISOR_COMPLETE": "complete_bash", "COMP_WORDS": line, "COMP_CWORD": str(len(words) - 1)}
    return set(asked(told).split("\n")) - {""}


def zsh(line: str) -> set[str]:
    told = asked({"_ADVISOR_COMPLETE": "complete_zsh", "_TYPER_COMPLETE_ARGS": line})
    return set(re.findall(r'"([^"]+)"(?=[\n:)])', told))


def fish(line: str) -> set[str]:
    told = {
        "_ADVISOR_COMPLETE": "complete_fish",
        "_TYPER_COMPLETE_ARGS": line,
        "_TYPER_COMPLETE_FISH_ACTION": "get-args",
    }
    return {one.partition("\t")[0] for one in asked(told).split("\n")} - {""}


@pytest.mark.parametrize("shell", [bash, zsh, fish])
def test_each_shell_is_offered_rules_engines_and_releases(shell) -> None:
    assert shell("advisor explain vllm/pp-b") == {"vllm/pp-broadcast-skew"}
    assert shell("advisor check --engine ") == ENGINES
    assert {"0.28.0", "0.33.0"} <= shell("advisor check --engine vllm --version ")


@pytest.mark.parametrize(
    ("line", "offered"),
    [
        ("advisor verify any/nccl-shm", {"any/nccl-shm-segment"}),
        ("advisor patch lmdeploy/mtp-d", {"lmdeploy/mtp-dp-meta"}),
        ("advisor explain pp-broadcast", {"pp-broadcast-skew"}),
        ("advisor rules test xllm/shm", {"xllm/shm-h2d-graph-race"}),
        ("advisor fix vllm/pp-broadcast", {"vllm/pp-broadcast-skew"}),
        ("advisor release n", {"nccl"}),
        ("advisor release nccl 2.29.3", {"2.29.3"}),
        ("advisor flags d", {"diff"}),
        ("advisor flags vllm 0.28.", {"0.28.0"}),
        ("advisor flags diff xllm 0.10.0 0.10", {"0.10.0", "0.10.1"}),
        ("advisor knowledge refresh lm", {"lmdeploy"}),
        ("advisor upgrade --engine vllm", {"vllm"}),
        ("advisor upgrade --engine vllm --from 0.28", {"0.28.0"}),
        ("advisor check --format ", {"text", "json", "markdown", "html"}),
        ("advisor lint --format s", {"sarif"}),
        ("advisor schema ver", {"verify"}),
        ("advisor sea", {"search"}),
    ],
)
def test_what_is_offered(line, offered) -> None:
    assert bash(line) == offered


@pytest.mark.parametrize(
    "line",
    [
        "advisor verify any/nccl-shm-segment ",
        "advisor verify --report before.json ",
        "advisor fix ",
        "advisor check ",
        "advisor check --version ",
        "advisor check --engine nothing --version ",
        "advisor release nothing ",
        "advisor flags nothing ",
        "advisor flags vllm 0.28.0 ",
        "advisor explain \x1b[",
    ],
)
def test_where_nothing_is_known_files_are_left_to_the_shell(line) -> None:
    assert bash(line) == set()


def test_a_completion_that_fails_offers_nothing(tmp_path) -> None:
    broken = {"_ADVISOR_COMPLETE": "complete_bash", "COMP_WORDS": "advisor explain v", "COMP_CWORD": "2"}
    (tmp_path / "sitecustomize.py").write_text(
        "import advisor.jobs.names as names\ndef rules():\n    raise OSError('no catalogue')\nnames.rules = rules\n"
    )
    assert asked({**broken, "PYTHONPATH": os.pathsep.join([str(tmp_path), *sys.path])}).strip() == ""


def test_a_real_bash_completes(tmp_path) -> None:
    script = asked({"_ADVISOR_COMPLETE": "source_bash"})
    program = tmp_path / "advisor"
    program.write_text(f'#!/bin/sh\nexec {shlex.quote(sys.executable)} -m advisor "$@"\n')
    program.chmod(0o755)
    typed = "COMP_WORDS=(advisor explain vllm/pp-b); COMP_CWORD=2; _advisor_completion advisor; echo ${COMPREPLY[@]}"
    done = subprocess.run(
        ["bash", "--norc", "-c", f"{script}\n{typed}"],
        env={**os.environ, "PATH": f"{tmp_path}:{os.environ['PATH']}", "PYTHONPATH": os.pathsep.join(sys.path)},
        capture_output=True,
        text=True,
        check=False,
    )
    assert done.stdout.split() == ["vllm/pp-broadcast-skew"], done.stderr


# the front page


def test_help_shows_the_ways_in_with_an_example_of_each() -> None:
    page = advisor("--help", columns=80).out
    for word in ("check", "lint", "search"):
        assert re.search(rf"^  \S.*  advisor {word} ", page, re.MULTILINE), page


def test_help_is_plain_and_fits_a_terminal() -> None:
    for arguments in ([], ["check"], ["lint"], ["flags"], ["rules"], ["upgrade"]):
        page = advisor(*arguments, "--help", columns=80).out
        assert max(map(len, page.splitlines())) <= 80
        assert page.isascii(), page


def test_help_lists_every_command_once_and_in_full() -> None:
    import typer

    from advisor.faces.cli import application
    from advisor.faces.front_page import GROUPS, FrontPage

    page = advisor("--help", columns=80).out.partition("Judge a deployment:")[2]
    listed = re.findall(r"^  (\w+) +\S", page, re.MULTILINE)
    assert "..." not in page and "More:" not in page
    command = typer.main.get_command(application())
    assert isinstance(command, FrontPage) and sorted(listed) == sorted(command.commands)
    assert set(listed) <= {name for group in GROUPS.values() for name in group}


def test_every_engine_option_names_the_plugin_that_it_takes() -> None:
    for command in ("check", "verify", "search"):
        assert "vllm-ascend" in advisor(command, "--help").out
