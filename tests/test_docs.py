"""Every command of the pages is run, what they show is what is printed, and every link leads somewhere."""

import re
import shutil
from collections.abc import Callable
from pathlib import Path
from shlex import quote

import pytest

from tests import readme
from tests.docs_ground import ENDLESS, NETWORK, Ground
from tests.docs_pages import GENERATED, ROOT, SHELLS, Block, Command, blocks, commands, pages, parsed, prints, spoken

ELSEWHERE = {"docs/ci.md"}  # whose blocks tests/test_ci_recipes.py runs, in a repository made for them
METAVARS = {
    "RULE": "lmdeploy/mtp-dp-meta",
    "PATH": "~/src/lmdeploy",
    "FILE": "k8s/vllm.yaml",
    "PATH…": "k8s",
    "VERSION": "0.28.0",
    "E": "sglang",
    "V": "0.5.16",
    "W": "0.5.23",
}
# What a command wants that is only named in running text.
USUAL = {
    "check": ["docs/demo/scheduler.log"],
    "collect": ["--plan"],
    "draft": ["issue.md", "--id", "vllm/drafted"],
    "explain": ["vllm/pp-broadcast-skew"],
    "fix": ["k8s"],
    "flags": ["vllm", "newest", "--grep", "spec"],
    "mcp": ["--root", "docs"],
    "patch": ["lmdeploy/mtp-dp-meta", "--repo", "~/src/lmdeploy"],
    "rules validate": ["--rules", "rules"],
    "rules new": ["vllm/another"],
    "search": ["it hangs"],
    "upgrade": ["k8s/vllm.yaml"],
    "verify": ["vllm/pp-broadcast-skew", "serve.log"],
    "check --batch": ["cases.jsonl"],
    "check --repo": ["~/src/our-fork"],
}
NOT_STARTED = {
    "--install-completion": "it writes into the user's shell configuration; tests/test_completion.py asks for the script"
}


def named(page: Path) -> str:
    return page.relative_to(ROOT).as_posix()


def each(wanted: Callable[[Path], object]) -> pytest.MarkDecorator:
    return pytest.mark.parametrize("page", [page for page in pages() if wanted(page)], ids=named)


def shell_blocks(page: Path) -> list[Block]:
    """The blocks to be run, and the files that they want."""
    found = [one for one in blocks(page) if one.key == "file" or one.language in SHELLS]
    return [one for one in found if "advisor: ignore" not in one.text and named(page) not in ELSEWHERE]


@pytest.fixture(scope="module")
def furnished(tmp_path_factory) -> Path:
    folder = tmp_path_factory.mktemp("furnished")
    return Ground(folder).folder


@pytest.fixture
def ground(tmp_path, furnished) -> Ground:
    """A copy for each page, since commands write."""
    shutil.copytree(furnished, tmp_path, dirs_exist_ok=True)
    return Ground(tmp_path)


def run(ground: Ground, page: Path, command: Command) -> None:
    where = f"{named(page)}:{command.line}: {command.text}"
    line = parsed(command.text)
    if any(words[1:3] in NETWORK or words[:2] in ENDLESS for words in line.stages):
        assert_taken(line.stages[0][1:], where)
        return
    ran = ground.run(line)
    assert ran.code in command.codes, f"{where}\nexit code {ran.code}\n{ran.err}{ran.out[:1500]}"
    if command.shown is not None:
        assert prints(command.shown, ran.out), f"{where}\nprints now:\n{ran.out[:1500]}"


def assert_taken(words: list[str], where: str) -> None:
    """The command takes these words, without being run."""
    import typer

    from advisor.faces.cli import application

    command, context = typer.main.get_command(application()), None
    while hasattr(command, "commands"):
        context = command.make_context(words[0], [], parent=context, resilient_parsing=True)
        command, words = command.commands[words[0]], words[1:]
    assert command.make_context(command.name, list(words), parent=context), where


@each(shell_blocks)
def test_the_commands_of_its_blocks_do_what_it_says(page, ground) -> None:
    for block in shell_blocks(page):
        if block.key == "file":
            file = ground.folder / block.value
            file.parent.mkdir(parents=True, exist_ok=True)
            file.write_text(block.text)
        else:
            for command in commands(block):
                run(ground, page, command)


@each(lambda page: list(spoken(page)))
def test_the_commands_in_its_text_exist_and_run(page, ground) -> None:
    for command in spoken(page):
        words = [word for word in command.text.split() if word not in NOT_STARTED]
        if words != ["advisor"]:
            run(ground, page, Command(command.line, usual(command.text)))


def usual(text: str) -> str:
    """A command as it is spoken of, made one that can be run: metavariables replaced, what is left open filled in."""
    words = [METAVARS.get(word, word) for word in text.split() if word != "…"]
    name, *rest = re.sub(r"^advisor ", "", " ".join(words)).split(" ", 1)
    if name in ("rules", "knowledge") and rest:
        more, *rest = rest[0].split(" ", 1)
        name = f"{name} {more}"
    options = rest[0].split() if rest else []
    key = f"{name} {options[0]}" if options and f"{name} {options[0]}" in USUAL else name
    positional = [word for at, word in enumerate(options) if word[0] != "-" and (not at or options[at - 1][:2] != "--")]
    return " ".join(["advisor", name, *options, *([] if positional else map(quote, USUAL.get(key, [])))])


def test_no_command_hides_in_an_indented_block() -> None:
    hidden = [
        f"{named(page)}: {line.strip()}"
        for page in pages()
        if named(page) not in GENERATED
        for line in re.findall(r"(?m)^\n    advisor .*$", page.read_text())
    ]
    assert not hidden


def test_the_passages_of_a_report_are_those_that_the_demo_prints(ground) -> None:
    printed = ground.ours(list(readme.DEMO)).out
    passages = [one.text for one in blocks(ROOT / "docs" / "reading-a-report.md") if one.language == "text"]
    assert len(passages) == 3
    assert not [one for one in passages if one not in printed]


def test_a_page_that_shows_what_is_not_printed_is_told(ground, tmp_path) -> None:
    """The tests above can fail: an option that does not exist, an output that is another, a program nobody knows."""
    page = ROOT / "docs" / "made-up.md"
    run(ground, page, Command(1, "advisor release xllm 0.10.1", "xllm…\n…\n"))
    for wrong in (
        Command(1, "advisor release xllm --evry"),
        Command(1, "advisor release xllm 0.10.1", "xllm: 3 releases\n"),
        Command(1, "terraform apply"),
        Command(1, "advisor search hang | sort"),
        Command(1, "advisor check no-such-file.log"),
    ):
        with pytest.raises(AssertionError):
            run(ground, page, wrong)


# links


def slug(heading: str) -> str:
    """The anchor that GitHub, and the site, give a heading."""
    return re.sub(r"[^\w\- ]", "", heading.lower()).replace(" ", "-")


MADE = ("rules/index.md", "engines/index.md")  # by docs_site/hook.py


@pytest.mark.parametrize("page", [*pages(), ROOT / "CHANGELOG.md", ROOT / "docs/demo/README.md"], ids=named)
def test_its_links_lead_somewhere(page) -> None:
    dead = []
    for target in re.findall(r"\]\((?!https?:|mailto:)([^)\s]+)\)", page.read_text()):
        name, _, anchor = target.partition("#")
        there = page.parent / name if name else page
        if there.is_relative_to(ROOT / "docs") and there.relative_to(ROOT / "docs").as_posix() in MADE:
            continue
        heads = re.findall(r"^#+ (.*)$", there.read_text(), re.MULTILINE) if there.suffix == ".md" else []
        if not there.exists() or (anchor and anchor not in {slug(one) for one in heads}):
            dead.append(target)
    assert not dead
