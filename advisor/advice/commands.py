"""A question's recipe → the exact read-only command for this deployment.

    py-spy dump --native --pid PID     kubectl exec -n prod deploy/llm -c server -- sh -c 'for PID in $(pgrep -f …'
    curl http://HOST:PORT/health       docker exec sg sh -c 'curl http://127.0.0.1:30000/health'

What is not known of the deployment stays a word in capitals (`POD`, `LOG`), for the operator to fill in. Nothing here
runs anything, and no command changes anything.
"""

from __future__ import annotations

import re
from dataclasses import dataclass
from shlex import quote

_OBJECTS = {
    "Deployment": "deploy/", "StatefulSet": "sts/", "DaemonSet": "ds/", "ReplicaSet": "rs/", "Job": "job/", "Pod": "",
}  # fmt: skip
_PROSE = re.compile(r"^(?:the|two|a) |, or |, and ", re.IGNORECASE)  # `the last 50 lines of every rank's log`
_STARTS = re.compile(r"\brestart |\(the same start\)|\bserve api_server\b|LAUNCH_BLOCKING=|^add |check_env\.")
_ELSE = re.compile(r", or the .*$| \(or [^)]*\)$|,? on every rank.*$")  # `pip show x, or the first lines of the log`
_LOGS_OF = re.compile(r"\bLOG of (?:every|the) \w+(?: instances?)?")
_TWICE = re.compile(r"for i in 1 2; do (.*\bPID\b.*); sleep (\d+); done")
_INSIDE = re.compile(
    r"(?:\(date; )?curl |pip |python3? |uname |nvidia-smi|npu-smi|env |cat |ls |find |grep .* /proc/|df |free "
)
"""Commands whose answer is that of the machine or the environment that the engine runs in."""
_PID = re.compile(r"\bPID\b")
ANY_ENGINE = "[v]llm|[V]LLM::|[s]glang|[l]mdeploy|[x]llm"
SECRET = "KEY|TOKEN|SECRET|PASS"  # noqa: S105 - a pattern of names
ENVIRONMENT = "VLLM|SGLANG|SGL|LMDEPLOY|XLLM|NCCL|HCCL|GLOO|TORCH|CUDA|PYTORCH|ASCEND|HF_HUB|TIKTOKEN|OMP|MC|UCX"
"""Beginnings of the variables that matter here: the rest of an environment is nobody's business."""


@dataclass(frozen=True)
class Place:
    """Where the engine runs. `runner` is `kubernetes`, `docker`, `compose` or "" for the host itself.

    `name` is the object, the container or the service; `processes` a pattern for `pgrep -f`; `port` None when unknown;
    `dump` prints the stacks of the process `$PID`.
    """

    runner: str = ""
    kind: str = ""
    name: str = ""
    namespace: str = ""
    container: str = ""
    processes: str = ""
    port: int | None = None
    package: str = ""
    dump: str = "py-spy dump --native --pid $PID"

    def enter(self) -> str:
        """What runs a command beside the engine; "" on the host."""
        if self.runner == "kubernetes":
            return f"kubectl exec {self._pod()} -- "
        if self.runner == "compose":
            return f"docker compose exec -T {quote(self.name or 'SERVICE')} "
        return f"docker exec {quote(self.name or 'CONTAINER')} " if self.runner == "docker" else ""

    def _pod(self) -> str:
        """The pod as kubectl takes it; `POD` where the object makes pods by names of its own."""
        short = _OBJECTS.get(self.kind)
        space = f"-n {quote(self.namespace)} " if self.namespace else ""
        target = "POD" if short is None or not self.name else f"{short}{quote(self.name)}"
        return f"{space}{target}" + (f" -c {quote(self.container)}" if self.container else "")

    def logs(self) -> str:
        """The command that prints the whole log; "" on the host, where only the operator knows the file."""
        if self.runner == "kubernetes":
            return f"kubectl logs {self._pod()} --timestamps > serve.log"
        if self.runner == "compose":
            return f"docker compose logs --no-color {quote(self.name or 'SERVICE')} > serve.log"
        return f"docker logs {quote(self.name or 'CONTAINER')} > serve.log 2>&1" if self.runner == "docker" else ""


def here(about: str, how: str, place: Place) -> str:
    """The commands for a question about `about` whose recipe is `how`, one a line; "" where only a person knows."""
    if about == "stacks" or about.startswith("stack:"):
        dump = _inside(_each(place.dump, place), place)
        return f"{dump} > stacks.1.txt\nsleep 30\n{dump} > stacks.2.txt"
    if about == "log" or about.startswith("log:"):
        return place.logs()
    if about == "launch" or about.startswith(("setting:", "env:")):
        names = f'xargs -0 -n1 </proc/$PID/environ | grep -E "^({ENVIRONMENT})_" | grep -vE "{SECRET}"'
        return _inside(_each(f"xargs -0 </proc/$PID/cmdline; {names}", place), place)
    if about == "build":
        return _inside(f"pip show {place.package} | head -2", place) if place.package else _filled(how, place)
    if about == "component:nccl":
        mapped = _each('grep -o "/[^ ]*libnccl[^ ]*" /proc/$PID/maps', place)
        read = 'while read F; do echo "$F: $(grep -aom1 "NCCL version [0-9.]*" $F)"; done'
        return _inside(f"{mapped} | sort -u | {read}", place)
    return _filled(how, place)


def reads_only(command: str) -> bool:
    """Whether it is a command, and one that leaves what runs as it is: no new start, no restart."""
    return bool(command.strip()) and not _STARTS.search(command)


def dumps_stacks(command: str) -> bool:
    """Whether the command shows where threads stand."""
    return bool(re.search(r"py-spy dump|gdb -p", command))


def _filled(how: str, place: Place) -> str:
    how = _LOGS_OF.sub("LOG", _ELSE.sub("", how))
    if place.logs():
        how = re.sub(r"\bLOG\b", "serve.log", how)  # what the command for the log writes
    if not how.strip() or _PROSE.search(how):
        return how
    if twice := _TWICE.fullmatch(how):  # all processes, then all again: not each of them twice
        each = _each(_PID.sub("$PID", twice[1]), place)
        return _inside(f"for i in 1 2; do {each}; sleep {twice[2]}; done", place)
    if place.port is not None:
        how = re.sub(r"\bHOST:(?:PORT\b|\d+)", f"127.0.0.1:{place.port}", how)
    how = re.sub(r"\bHOST:(?=\d)", "127.0.0.1:", how)
    if _PID.search(how):
        return _inside(_each(_PID.sub("$PID", how), place), place)
    return _inside(how, place) if _INSIDE.match(how) else how


def _each(command: str, place: Place) -> str:
    """The command for every process of the engine."""
    return f'for PID in $(pgrep -f "{place.processes or ANY_ENGINE}"); do {command}; done'


def _inside(command: str, place: Place) -> str:
    enter = place.enter()
    if not enter:
        return command
    plain = not re.search(r"[;|<>$()&]", command)
    return f"{enter}{command}" if plain else f"{enter}sh -c {quote(command)}"
