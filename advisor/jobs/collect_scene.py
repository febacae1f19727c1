"""What the steps of a collection share: what was asked, who runs here, and what was kept of it, redacted."""

from __future__ import annotations

import os
import re
import sys
import time
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field
from functools import cached_property
from pathlib import Path
from shlex import join

from advisor.capture import processes as table_of
from advisor.capture.commands import Commands, Ran
from advisor.capture.endpoints import address
from advisor.catalog.engines import engines, knowledge, profiles
from advisor.launches import reading
from advisor.launches.command_line import ENGINE_VARIABLES
from advisor.model.capture import MANIFEST
from advisor.model.launch import Launch
from advisor.redaction import as_given, redact, redact_text, redact_value
from advisor.redaction.cover import names

MAX_TOTAL = 256 << 20
MAX_SHOWN = 300

_OTHERS = re.compile(
    r"(?:RANK|LOCAL_RANK|WORLD_SIZE|LOCAL_WORLD_SIZE|NODE_RANK|GROUP_RANK|MASTER_(?:ADDR|PORT)|HF_HOME|HF_HUB_\w+"
    r"|OMP_\w+|LD_LIBRARY_PATH|LD_PRELOAD|VIRTUAL_ENV|XDG_CACHE_HOME|PYTHONHASHSEED|PYTHONFAULTHANDLER|RAY_\w+|NVIDIA_\w+"
    r"|HIP_\w+|ROCR_\w+|MC_\w+|FLASHINFER_\w+|TRITON_\w+|NCCLX_\w+|IB_\w+)\Z"
)


@dataclass(frozen=True)
class Asked:
    """What the operator wants taken, and how."""

    output: Path
    pids: tuple[int, ...] = ()
    engine: str = ""
    wait_s: float = 10.0
    trigger: bool = True
    nonblocking: bool = False
    logs: tuple[Path, ...] = ()


@dataclass
class Kept:
    """The files of the archive; of more than MAX_TOTAL bytes nothing is kept. Secrets are taken out of a text as it
    comes in, hosts, people and prompts out of all texts in the end, when it is known whose names are hosts'.
    """

    files: dict[str, bytes] = field(default_factory=dict)
    texts: set[str] = field(default_factory=set)
    runs: list[dict[str, object]] = field(default_factory=list)

    def text(self, name: str, content: bytes | str) -> bool:
        """Keep a text without its secrets; whether there was room for it."""
        said = content.decode("utf-8", "replace") if isinstance(content, bytes) else content
        there = self.binary(name, redact_text(said).encode("utf-8", "replace"))
        if there:
            self.texts.add(name)
        return there

    def binary(self, name: str, content: bytes) -> bool:
        """Keep bytes as they are; whether there was room for them."""
        if not content.strip() or sum(map(len, self.files.values())) + len(content) > MAX_TOTAL:
            return False
        self.files[name] = content
        return True

    def covered(self, manifest: bytes) -> list[tuple[str, bytes]]:
        """The files as they go into the archive, the manifest first: one name for one host in all of them."""
        ordered = [(MANIFEST, manifest), *sorted(self.files.items())]
        if as_given():
            return ordered
        known = names()
        known.host(os.uname().nodename)
        texts = {*self.texts, MANIFEST}
        told = [
            (known.learn(name), known.learn(content.decode("utf-8", "replace")) if name in texts else None)
            for name, content in ordered
        ]  # all is read before anything is covered: the last text may tell whose names the first holds
        return [
            (
                known.cover(name, of_name),
                content
                if of_text is None
                else known.cover(content.decode("utf-8", "replace"), of_text).encode("utf-8", "replace"),
            )
            for (name, content), (of_name, of_text) in zip(ordered, told, strict=True)
        ]

    def ran(self, one: Ran) -> None:
        """Note that a program was run, for the manifest."""
        self.runs.append(
            {
                "command": redact(join(one.argv)), "exit": one.code, "seconds": round(one.seconds, 2),
                "timed_out": one.timed_out, "cut": one.cut, "problem": one.problem,
                "complaint": redact(one.err.decode("utf-8", "replace")[-500:]),
            }
        )  # fmt: skip


@dataclass
class Scene:
    """Who runs here. `chosen` maps the processes that are looked at to an engine, `gpu` or `named`."""

    asked: Asked
    processes: Mapping[int, table_of.Process]
    chosen: Mapping[int, str]
    ranks: Mapping[int, str]
    began: float = field(default_factory=time.time)
    commands: Commands = field(default_factory=Commands)
    sampled: float = 0.0

    def label(self, pid: int) -> str:
        """What the files of a process begin with, its rank as readers take it from a name."""
        rank = self.ranks.get(pid, "")
        named = f"rank{rank}-" if rank.isdecimal() else f"{rank.replace(' ', '_')}-" if rank else ""
        return f"{named}pid{pid}"

    def shown(self, pid: int) -> str:
        """The command line without its secrets, short enough for a screen."""
        line = self.command(pid)
        return line if len(line) <= MAX_SHOWN else line[: MAX_SHOWN - 1] + "…"

    def command(self, pid: int) -> str:
        """The command line as a shell would take it, without its secrets; the kernel's name for one that has none."""
        one = self.processes[pid]
        words = [str(redact_value(flag, word)) if flag else word for flag, word in _flagged(one.command)]
        return redact(join(words)) if words else f"[{one.name}]"

    def environment(self, pid: int) -> dict[str, str]:
        """The variables of a process that matter here, without secrets."""
        return {
            name: str(redact_value(name, value))
            for name, value in sorted(table_of.environment(pid).items())
            if ENGINE_VARIABLES.match(name) or _OTHERS.match(name)
        }

    def tree(self) -> list[int]:
        """The processes that are looked at, those above them and those below."""
        around = {above for pid in self.chosen for above in table_of.ancestors(self.processes, pid)}
        below = [pid for pid in self.processes if set(table_of.ancestors(self.processes, pid)) & set(self.chosen)]
        return sorted(around.union(below))

    @cached_property
    def launches(self) -> dict[int, Launch]:
        """What each process that an engine's command started was asked to run."""
        known = {name: knowledge(name) for name in engines()}
        found = {}
        for pid in self.chosen:
            one = self.processes[pid]
            read = (
                reading.read(join(one.command), knowledge=known, artifact=f"pid {pid}")
                if len(one.command) > 1
                else None
            )
            launch = next((each for each in read.launches if each.engine), None) if read else None
            if launch is not None:
                found[pid] = launch
        return found

    @cached_property
    def tools_beside(self) -> list[str]:
        """Folders in which a tool may stand that is not on PATH: those of the processes' interpreters, and ours."""
        same = [pid for pid in self.chosen if _same_root(pid)]
        commands = [self.processes[pid].command[:1] for pid in same]
        folders = [os.path.dirname(word) for words in commands for word in words if word.startswith("/")]
        folders += [f"{home}/bin" for pid in same if (home := table_of.environment(pid).get("VIRTUAL_ENV"))]
        return list(dict.fromkeys([*folders, os.path.dirname(sys.executable)]))

    def ports(self) -> list[tuple[str, int]]:
        """Address to ask and port of each server: the port that its command line states, or its release's default.

        No other port is asked: what listens there may be a store of torch or a peer's socket, which a GET could upset.
        """
        near = [pid for pid in self.chosen if table_of.shares_network(pid)]  # else its port is another's here
        listened = table_of.listening(near)
        wanted = {port for pid, launch in self.launches.items() if pid in near for port in _port(launch)}
        if not listened and not all(map(table_of.shows_files, near)):
            return [("127.0.0.1", port) for port in sorted(wanted)]
        return sorted({(address(host), port) for _, host, port in listened if port in wanted})

    def dump_command(self, pid: int) -> str:
        """The engine's own way to show stacks, where py-spy has none to show; "" otherwise."""
        return str(profiles().get(self.chosen[pid], {}).get("stack_dump") or "")


def _flagged(words: Iterable[str]) -> Iterable[tuple[str, str]]:
    """Each word with the flag whose value it is (`--api-key WORD`), "" for others; `--api-key=WORD` is taken apart."""
    flag = ""
    for word in words:
        name, equals, value = word.partition("=")
        if word.startswith("-") and equals:
            hidden = redact_value(name, value)
            yield "", word if hidden == value else f"{name}={hidden}"
            flag = ""
        else:
            yield ("" if word.startswith("-") else flag), word
            flag = word if word.startswith("--") else flag if flag.endswith("keys") else ""  # --api-keys K K


def why(ran: Ran) -> str:
    """Why a program did not end well, in a few words."""
    if ran.timed_out:
        return f"stopped after {ran.seconds:.0f} s"
    if ran.cut:
        return "its output was longer than any such output is"
    said = ran.err.decode("utf-8", "replace").partition("\nStack backtrace:")[0]  # as Rust's programs end (py-spy)
    complaint = redact(said).strip().splitlines()
    return ran.problem or (complaint[-1][:200] if complaint else f"exit code {ran.code}")


def _port(launch: Launch) -> Iterable[int]:
    known = knowledge(launch.engine)
    flag = str(known.profile.get("port_flag") or "")
    if not flag:
        return
    given = launch.setting(flag)
    value = given.value if given else None
    if value is None and not given:
        record = known.setting(flag, None)
        value = record.default if record else None
    if isinstance(value, int) and not isinstance(value, bool) and 0 < value < 65536:
        yield value


def _same_root(pid: int) -> bool:
    """Whether the process sees the files that we see."""
    try:
        theirs, ours = os.stat(f"/proc/{pid}/root/"), os.stat("/")
    except OSError:
        return False
    return (theirs.st_dev, theirs.st_ino) == (ours.st_dev, ours.st_ino)
