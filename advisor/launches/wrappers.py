"""The command inside a wrapper: what `sudo`, `env`, `nohup`, `eval`, `bash -c` or `docker run` would start.

docker run --gpus all -e NCCL_DEBUG=INFO vllm/vllm-openai:v0.11.0 --model m
    -> `--model m` with NCCL_DEBUG=INFO and the image `vllm/vllm-openai:v0.11.0`
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator, Sequence
from dataclasses import replace

from advisor.launches.syntax import Binding, Command
from advisor.launches.words import Word
from advisor.model.shape import Shape

# wrapper -> its options that take a value of their own
_WRAPPERS: dict[str, frozenset[str]] = {
    "sudo": frozenset({"-u", "-g", "-h", "-p", "-C", "-T", "--user", "--group"}),
    "env": frozenset({"-u", "-C", "-S", "--unset", "--chdir"}),
    "nohup": frozenset(),
    "exec": frozenset({"-a"}),
    "command": frozenset(),
    "time": frozenset({"-f", "-o"}),
    "timeout": frozenset({"-s", "-k", "--signal", "--kill-after"}),
    "nice": frozenset({"-n"}),
    "ionice": frozenset({"-c", "-n"}),
    "stdbuf": frozenset({"-i", "-o", "-e"}),
    "setsid": frozenset(),
    "unbuffer": frozenset(),
    "numactl": frozenset({"-C", "-N", "-m", "-i", "-p"}),
    "taskset": frozenset({"-c", "--cpu-list"}),
}
MAX_WRAPPERS = 12
_REMOTE = {
    "ssh": frozenset({"-b", "-c", "-D", "-E", "-F", "-i", "-J", "-L", "-l", "-m", "-o", "-p", "-R", "-S", "-W", "-w"}),
    "pdsh": frozenset({"-f", "-l", "-t", "-u", "-R"}),
}
_TERMINALS = {"tmux", "screen", "byobu"}
# they start what follows, in words of their own; a script given to a shell inside is found
_CARRIERS = {
    "srun", "mpirun", "mpiexec", "torchrun", "conda", "mamba", "micromamba", "uv", "uvx", "poetry", "pixi", "pipenv",
    "ray", "kubectl", "oc", "deepspeed", "accelerate", "su", "chroot", "singularity", "apptainer", "enroot", "xargs",
    "tini", "dumb-init", "docker-compose",
}  # fmt: skip
_CARRIED = {"-x", "-e", "--env", "-env", "-genv"}  # mpirun -x NCCL_DEBUG=INFO
_TAKES_ONE_ARGUMENT = {"timeout", "taskset"}  # the duration, the mask
_DOCKER = {"docker", "podman", "nerdctl"}
_DOCKER_SWITCHES = {
    "--rm", "--detach", "--interactive", "--tty", "--privileged", "--init", "--read-only", "--publish-all",
    "--no-healthcheck", "--oom-kill-disable", "--sig-proxy", "--quiet", "--disable-content-trust", "--help",
}  # fmt: skip
_KUBECTL = {"kubectl", "oc"}
_SHELLS = {"bash", "sh", "zsh", "dash", "ash"}
_SHELL_VALUES = Shape(r"[-+]\w*[oO]\Z|--(?:rcfile|init-file)\Z")  # bash -euo pipefail
_NAMED = Shape(r"([A-Za-z_]\w*)=")
PYTHON = Shape(r"python[\d.]*\Z")

Inner = Callable[[Word], list[Command]]


def base(word: str) -> str:
    """The last part of a path: `/usr/bin/docker` -> `docker`."""
    return word.rsplit("/", 1)[-1]


def peel(command: Command, inner: Inner, most: int = MAX_WRAPPERS) -> list[Command]:
    """The command without its wrappers; several when one starts a shell on a string. `inner` reads such a string.

    No more than `most` are taken off: of a thousand shells within one another the rest stays as it stands.
    """
    for left in reversed(range(most)):
        if not command.words:
            break
        head = base(command.words[0].text)
        if head in _REMOTE and (said := _remote(command.words, _REMOTE[head])):
            return [one for words in said for one in _spread(command, words, inner, left)]
        if head in _TERMINALS:
            scripts = [word for word in command.words[1:] if any(char.isspace() for char in word.text)]
            if scripts:
                return [
                    _within(command, one)
                    for word in scripts
                    for found in inner(word)
                    for one in peel(found, inner, left)
                ]
            return [replace(command, words=tuple(w for w in command.words if w.text not in ("C-m", "Enter", "ENTER")))]
        if head in _KUBECTL and (started := _kubectl_run(command)):
            return peel(started, inner, left)
        if head in _CARRIERS:
            return _carried(command, inner, left)
        if head == "eval" and len(command.words) > 1:
            return _spread(command, command.words[1:], inner, left)
        if script := script_of(command.words):
            return [_within(command, one) for found in inner(script) for one in peel(found, inner, left)]
        if head in _DOCKER and (entered := _docker_entered(command)):
            command = entered
        elif head in _DOCKER and (run := _docker_arguments(command.words)):
            command = _docker(command, run)
        elif head in _WRAPPERS and len(command.words) > 1:
            command = _unwrap(command, head)
        else:
            break
    return [command]


def _remote(words: tuple[Word, ...], takes: frozenset[str]) -> list[tuple[Word, ...]]:
    """The words that a remote shell would read: those after the host."""
    at = 1
    while at < len(words) and words[at].text.startswith("-"):
        at += 2 if words[at].text in takes else 1
    return [words[at + 1 :]] if words[at + 1 :] else []


def _spread(command: Command, words: tuple[Word, ...], inner: Inner, left: int) -> list[Command]:
    """Words handed to another shell: one with blanks in it is a script."""
    if len(words) == 1 and any(char.isspace() for char in words[0].text):
        return [_within(command, one) for found in inner(words[0]) for one in peel(found, inner, left)]
    return peel(replace(command, words=words), inner, left)


def _carried(command: Command, inner: Inner, left: int) -> list[Command]:
    """A launcher's own variables, and the script of a shell it starts; else the command as it stands."""
    words = command.words
    bindings = [
        one
        for index, word in enumerate(words[:-1])
        if word.text in _CARRIED and (one := binding_of(words[index + 1], "carried"))
    ]
    command = replace(command, environment=(*command.environment, *bindings))
    for index in range(1, len(words)):
        if script := script_of(words[index:]):
            return [_within(command, one) for found in inner(script) for one in peel(found, inner, left)]
    return [command]


def _within(outer: Command, found: Command) -> Command:
    image, at = (found.image, found.image_start) if found.image else (outer.image, outer.image_start)
    return replace(found, environment=(*outer.environment, *found.environment), image=image, image_start=at)


def script_of(words: Sequence[Word]) -> Word | None:
    """The string given to a shell: `bash -euo pipefail -c -- "…"`; None where no shell is given one."""
    if not words or base(words[0].text) not in _SHELLS:
        return None
    asked, at = False, 1
    while at < len(words) and words[at].text.startswith(("-", "+")):
        asked |= bool(re.fullmatch(r"-\w*c\w*", words[at].text))
        at += 2 if _SHELL_VALUES.match(words[at].text) else 1
    return words[at] if asked and at < len(words) else None


def _unwrap(command: Command, head: str) -> Command:
    takes, words, at, bindings = _WRAPPERS[head], command.words, 1, list(command.environment)
    while at < len(words):
        text = words[at].text
        if text.startswith("-") and len(text) > 1:
            at += 2 if text in takes else 1
        elif head in ("env", "sudo") and (binding := binding_of(words[at], "prefix")):
            bindings.append(binding)
            at += 1
        else:
            break
    at += head in _TAKES_ONE_ARGUMENT and not (head == "taskset" and words[at - 2].text in takes)
    return replace(command, words=words[at:], environment=tuple(bindings))


def binding_of(word: Word, how: str) -> Binding | None:
    """The binding that a word `NAME=value` makes, or None. The place of its value is -1 when that is not typed."""
    named = _NAMED.match(word.text)
    if not named:
        return None
    value_start = word.start + len(named.group()) if word.start >= 0 else -1
    return Binding(named.group(1), word.text[named.end() :], how, word.start, value_start, word.end)


def is_assignment(word: Word) -> bool:
    """Whether the word is `NAME=value`."""
    return bool(_NAMED.match(word.text))


def _docker_arguments(words: tuple[Word, ...]) -> int | None:
    """The index just past `docker run`, or None for any other docker command."""
    for index in range(1, min(4, len(words))):
        if words[index].text in ("run", "create"):
            return index + 1
    return None


def _docker_entered(command: Command) -> Command | None:
    """`docker exec -e A=b NAME …`: the command inside, with what it is given; None for any other docker command."""
    words = command.words
    at = next((index + 1 for index in range(1, min(4, len(words))) if words[index].text == "exec"), None)
    if at is None:
        return None
    bindings: list[Binding] = []
    while at < len(words) and words[at].text.startswith("-"):
        name, equals, _ = words[at].text.partition("=")
        takes = not equals and name in ("-e", "--env", "--env-file", "-u", "--user", "-w", "--workdir", "--detach-keys")
        carrier = words[at + 1] if takes and at + 1 < len(words) else after(words[at], len(name) + 1)
        if name in ("-e", "--env") and (binding := binding_of(carrier, "carried")):
            bindings.append(binding)
        at += 2 if takes else 1
    return replace(command, words=words[at + 1 :], environment=tuple(bindings))


def _docker(command: Command, at: int) -> Command:
    words, entrypoint = command.words, ()  # type: tuple[Word, ...], tuple[Word, ...]
    bindings: list[Binding] = []  # what docker's own process sees does not reach the container
    while at < len(words) and words[at].text.startswith("-"):
        name, equals, _ = words[at].text.partition("=")
        glued = is_glued(words[at].text, lambda short: not is_switch(short))
        name = name[:2] if glued else name
        value = words[at + 1] if not (equals or glued) and at + 1 < len(words) and not is_switch(name) else None
        carrier = value or after(words[at], len(name) + (not glued))
        if name in ("-e", "--env") and (binding := binding_of(carrier, "docker")):
            bindings.append(binding)
        elif name == "--entrypoint":
            entrypoint = (carrier,)
        at += 2 if value is not None else 1
    if at >= len(words):
        return replace(command, words=())
    image = words[at]
    return replace(
        command,
        words=(*entrypoint, *words[at + 1 :]),
        environment=tuple(bindings),
        image=image.text,
        image_start=image.start,
    )


def _kubectl_run(command: Command) -> Command | None:
    """`kubectl run NAME --image=IMAGE -- ARGS`: the pod's container; None for any other command of kubectl."""
    words = command.words
    cut = next((at for at, word in enumerate(words) if word.text == "--"), len(words))
    told = list(_told(words[:cut]))
    image = next((value for name, value in told if name == "--image"), None)
    if image is None or all(word.text != "run" for word in words[1:cut]):
        return None
    given = tuple(one for name, value in told if name == "--env" and (one := binding_of(value, "carried")))
    return replace(
        command, words=words[cut + 1 :], environment=given, assigned=(), image=image.text, image_start=image.start
    )


def _told(words: tuple[Word, ...]) -> Iterator[tuple[str, Word]]:
    """The options that have a value, whether behind `=` or in the next word."""
    for at, word in enumerate(words):
        name, equals, _ = word.text.partition("=")
        if equals:
            yield name, after(word, len(name) + 1)
        elif name.startswith("--") and at + 1 < len(words):
            yield name, words[at + 1]


def is_switch(name: str) -> bool:
    """Whether an option of `docker run` takes no value."""
    return name in _DOCKER_SWITCHES or bool(re.fullmatch(r"-[ditPq]+", name))


def is_glued(text: str, takes: Callable[[str], bool]) -> bool:
    """Whether an option's value stands right behind its letter: `-p8000:8000`, `-N2`."""
    return len(text) > 2 and text[1] != "-" and takes(text[:2])


def after(word: Word, cut: int) -> Word:
    """The word without its first characters: the value behind `--name=`."""
    return Word(word.text[cut:], word.start + cut if word.start >= 0 else -1, word.end, word.known)
