"""What the wrappers around an engine's command say: a container's limits, a scheduler's nodes, a launcher's processes.

    docker run --gpus 4 --ipc=host --shm-size 16g --cap-add SYS_PTRACE --name chat IMAGE …
        -> 4 GPUs, 16 GiB of shared memory, the host's IPC, the capability, the name
    srun --nodes=2 --gpus-per-node=8 …        -> 2 nodes of 8 GPUs
    torchrun --nnodes 2 --nproc-per-node 8 …  -> 2 nodes of 8 processes, one a GPU
    singularity exec --nv --env A=1 vllm.sif …, enroot start …, srun --container-image=IMAGE …  -> the image

**Source:** docker run, podman run, singularity exec, srun(1), torchrun and ray start references.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field

from advisor.launches.files.amounts import devices, seconds, size
from advisor.launches.files.healthcheck import health
from advisor.launches.files.page import Page
from advisor.launches.syntax import Binding
from advisor.launches.words import Word
from advisor.launches.wrappers import after, base, binding_of, is_glued, is_switch
from advisor.model.deployment import Probe, Quantity, Resources
from advisor.model.fact import Note

_DOCKER, _HPC = {"docker", "podman", "nerdctl"}, {"singularity", "apptainer"}
_SHORT = {
    "-A": "--account", "-a": "--array", "-B": "--extra-node-info", "-b": "--begin", "-c": "--cpus-per-task",
    "-C": "--constraint", "-d": "--dependency", "-D": "--chdir", "-e": "--error", "-F": "--nodefile", "-G": "--gpus",
    "-i": "--input", "-J": "--job-name", "-L": "--licenses", "-m": "--distribution", "-M": "--clusters",
    "-n": "--ntasks", "-N": "--nodes", "-o": "--output", "-p": "--partition", "-q": "--qos",
    "-r": "--relative", "-S": "--core-spec", "-t": "--time", "-T": "--threads", "-w": "--nodelist", "-x": "--exclude",
}  # fmt: skip
_SLURM_VALUES = {
    *_SHORT, *_SHORT.values(), "--comment", "--container", "--container-env", "--container-image", "--container-mounts",
    "--container-name", "--container-save", "--container-workdir", "--cores-per-socket", "--cpu-bind", "--cpus-per-gpu",
    "--export", "--gpu-bind", "--gpu-freq", "--gpus-per-node", "--gpus-per-socket", "--gpus-per-task", "--gres",
    "--gres-flags", "--het-group", "--hint", "--jobid", "--mail-type", "--mail-user", "--mem", "--mem-bind",
    "--mem-per-cpu", "--mem-per-gpu", "--mpi", "--network", "--ntasks-per-core", "--ntasks-per-gpu",
    "--ntasks-per-node", "--ntasks-per-socket", "--open-mode", "--prefer", "--priority", "--reservation", "--signal",
    "--sockets-per-node", "--threads-per-core", "--time-min", "--tmp", "--wckey",
}  # fmt: skip
_SINGULARITY_VALUES = {
    "-B", "--bind", "--env", "--env-file", "-H", "--home", "--pwd", "-W", "--workdir", "--overlay", "-o", "-S",
    "--scratch", "--security", "--mount", "--add-caps", "--drop-caps", "--network", "--cwd",
}  # fmt: skip
_ENROOT_VALUES = {"-c", "--conf", "-e", "--env", "--rc", "-m", "--mount"}
_PLAIN_NAME = re.compile(r"[A-Za-z_]\w*\Z")


@dataclass
class Around:
    """What has been said so far; later words win, as they do with these programs."""

    gpus: Quantity | None = None
    gpu_resource: str = ""
    memory: Quantity | None = None
    shm: Quantity | None = None
    host_ipc: bool = False
    host_pid: bool = False
    nodes: Quantity | None = None
    name: str = ""
    grace: Quantity | None = None
    image: Word | None = None
    capabilities: list[str] = field(default_factory=list)
    accelerators: list[str] = field(default_factory=list)
    bindings: list[Binding] = field(default_factory=list)
    passed: list[Word] = field(default_factory=list)
    probes: list[Probe] = field(default_factory=list)
    notes: list[Note] = field(default_factory=list)

    def resources(self) -> Resources:
        """As the noun."""
        return Resources(self.gpus, self.gpu_resource if self.gpus else "", self.memory, self.shm, self.host_ipc)


@dataclass(frozen=True, slots=True)
class Option:
    """One option of a command line: its name, its value (None for a switch) and the characters of both."""

    name: str
    value: Word | None
    start: int
    end: int


def options(words: Sequence[Word], at: int, takes: Callable[[str], bool]) -> tuple[list[Option], int]:
    """The options from `at` on, and the index of the first word that is none."""
    found: list[Option] = []
    while at < len(words) and words[at].text.startswith("-") and words[at].text not in ("-", "--"):
        word = words[at]
        name, equals, _ = word.text.partition("=")
        value: Word | None = None
        if is_glued(word.text, takes):
            name, equals, value = word.text[:2], "=", after(word, 2)
        elif equals:
            value = after(word, len(name) + 1)
        elif takes(name) and at + 1 < len(words):
            value = words[at + 1]
        found.append(Option(name, value, word.start, value.end if value else word.end))
        at += 1 if equals or value is None else 2
    return found, at


def read(page: Page, words: Sequence[Word], into: Around) -> None:
    """Add what a command's wrappers say to `into`."""
    for index, word in enumerate(words):
        head = base(word.text)
        if head in _DOCKER and (at := _run(words, index, ("run", "create"))):
            _docker(page, words, at, into)
        elif head in _HPC and (at := _run(words, index, ("exec", "run", "shell"))):
            _singularity(page, words, at, into)
        elif head == "enroot" and (at := _run(words, index, ("start", "exec"))):
            _enroot(words, at, into)
        elif head == "srun":
            scheduler(page, words[index + 1 :], into)
        elif head == "torchrun" or word.text.endswith("torch.distributed.run"):
            _torchrun(page, words[index + 1 :], into)
        elif head in ("mpirun", "mpiexec") and (count := _value(words[index + 1 :], ("-n", "-np", "--np", "--n"))):
            into.notes.append(page.note("hint", f"started {count.text} times by {head}", max(0, count.start)))


def runs_a_container(words: Sequence[Word]) -> bool:
    """Whether the command starts a container of its own: what is installed outside is not in it."""
    heads = [index for index, word in enumerate(words) if base(word.text) in _DOCKER | _HPC | {"enroot"}]
    return any(_run(words, at, ("run", "create", "exec", "start", "shell")) for at in heads) or any(
        word.text.startswith("--container-image") for word in words
    )


def _run(words: Sequence[Word], at: int, verbs: tuple[str, ...]) -> int | None:
    """The index just past the verb, where it stands near: `docker --context x run`."""
    return next((one + 1 for one in range(at + 1, min(at + 4, len(words))) if words[one].text in verbs), None)


def _value(words: Sequence[Word], names: tuple[str, ...]) -> Word | None:
    """The value of the first of these options among the words."""
    for index, word in enumerate(words):
        name, equals, _ = word.text.partition("=")
        if name not in names:
            continue
        if equals:
            return after(word, len(name) + 1)
        return words[index + 1] if index + 1 < len(words) else None
    return None


def quantity(page: Page, number: int | None, text: str, start: int, end: int) -> Quantity | None:
    """The number with its place; None for None."""
    return Quantity(number, text, page.place(start, end)) if number is not None else None


def _docker(page: Page, words: Sequence[Word], at: int, into: Around) -> None:
    """The options of `docker run`; the image is the word after them."""
    found, end = options(words, at, lambda name: not is_switch(name))
    told: dict[str, Option] = {}
    for one in found:
        value = one.value.text if one.value else ""
        amount = quantity(page, size(value), value, one.start, one.end) if value else None
        if one.name == "--gpus":
            into.gpus = quantity(page, devices(value), value, one.start, one.end)
            into.gpu_resource = "nvidia.com/gpu"
            if into.gpus is None:
                into.notes.append(
                    page.note("hint", f"--gpus {value}: how many that is, is not said", max(0, one.start))
                )
        elif one.name == "--shm-size":
            into.shm = amount
        elif one.name in ("-m", "--memory"):
            into.memory = amount
        elif one.name == "--ipc":
            into.host_ipc = value == "host"
        elif one.name == "--pid":
            into.host_pid = value == "host"
        elif one.name == "--cap-add":
            into.capabilities.append(value.removeprefix("CAP_"))
        elif one.name == "--privileged":
            into.capabilities.append("ALL")
        elif one.name == "--name":
            into.name = value
        elif one.name == "--device" and re.search(r"davinci|kfd|dri|nvidia|accel", value):
            into.accelerators.append(value)
        elif one.name == "--stop-timeout":
            into.grace = quantity(page, seconds(value), value, one.start, one.end)
        elif one.name == "--env-file":
            into.notes.append(page.note("limit", f"the variables of {value} are not here", max(0, one.start)))
        elif one.name in ("-e", "--env") and one.value and _PLAIN_NAME.match(value):
            into.passed.append(one.value)
        elif one.name.startswith("--health-"):
            told[one.name.removeprefix("--health-")] = one
    if end < len(words):
        into.image = words[end]
    if probe := _health(page, told):
        into.probes.append(probe)


def _health(page: Page, told: dict[str, Option]) -> Probe | None:
    command = told.get("cmd")
    if command is None or command.value is None:
        return None
    said = {name: one.value.text for name, one in told.items() if one.value}
    return health(said["cmd"], said, page.place(command.start, command.end))


def _singularity(page: Page, words: Sequence[Word], at: int, into: Around) -> None:
    found, end = options(words, at, lambda name: name in _SINGULARITY_VALUES)
    for one in found:
        value = one.value.text if one.value else ""
        if one.name == "--env" and one.value and "," in value:
            into.bindings += _listed_bindings(one.value)
        elif one.name == "--env-file":
            into.notes.append(page.note("limit", f"the variables of {value} are not here", max(0, one.start)))
        elif one.name == "--add-caps":
            into.capabilities += [cap.removeprefix("CAP_") for cap in value.split(",")]
    if end < len(words):
        into.image = words[end]


def _listed_bindings(word: Word) -> list[Binding]:
    """`A=1,B=2` as two bindings, each in its place; `binding_of` has taken the first with the rest for its value."""
    found: list[Binding] = []
    at = 0
    for piece in re.split(r",(?=[A-Za-z_]\w*=)", word.text):
        start = word.start + at if word.start >= 0 and word.end - word.start == len(word.text) else -1
        if one := binding_of(Word(piece, start, start + len(piece) if start >= 0 else -1), "carried"):
            found.append(one)
        at += len(piece) + 1
    return found


def _enroot(words: Sequence[Word], at: int, into: Around) -> None:
    _, end = options(words, at, lambda name: name in _ENROOT_VALUES)
    if end < len(words):
        into.image = words[end]


def scheduler(page: Page, words: Sequence[Word], into: Around) -> None:
    """Options of `srun` or `#SBATCH`. GPUs are those of one node."""
    found, _ = options(words, 0, _SLURM_VALUES.__contains__)
    for one in found:
        name, value = _SHORT.get(one.name, one.name), one.value.text if one.value else ""
        if name == "--nodes":
            into.nodes = quantity(page, int(value) if value.isdigit() else None, value, one.start, one.end)
        elif name in ("--gpus-per-node", "--gres"):
            if (count := quantity(page, devices(value), value, one.start, one.end)) is not None:
                into.gpus, into.gpu_resource = count, "gpu"
        elif name == "--gpus" and (total := devices(value.rpartition(":")[2])) is not None:
            nodes = into.nodes.value if into.nodes else 1
            into.gpus, into.gpu_resource = quantity(page, total // max(1, nodes), value, one.start, one.end), "gpu"
        elif name == "--mem":
            into.memory = quantity(page, size(value, "m"), value, one.start, one.end)
        elif name == "--job-name":
            into.name = value
        elif name == "--container-image" and one.value:
            into.image = one.value
        elif name in ("--constraint", "--partition"):
            into.accelerators += [value] if re.search(r"(?i)[abhv]\d{2,3}|mi\d{3}|910|gpu", value) else []


def _torchrun(page: Page, words: Sequence[Word], into: Around) -> None:
    nodes = _value(words, ("--nnodes", "--nnode"))
    processes = _value(words, ("--nproc-per-node", "--nproc_per_node"))
    if nodes and nodes.text.isdigit():
        into.nodes = quantity(page, int(nodes.text), nodes.text, nodes.start, nodes.end)
    if processes and processes.text.isdigit():
        into.gpus = quantity(page, int(processes.text), processes.text, processes.start, processes.end)


def ray_start(page: Page, words: Sequence[Word], into: Around) -> None:
    """`ray start --num-gpus 8`: what the node gives to what is started on it later."""
    texts = [base(word.text) for word in words[:6]]
    if "ray" in texts and "start" in texts and (count := _value(words, ("--num-gpus",))) and count.text.isdigit():
        into.gpus = quantity(page, int(count.text), count.text, count.start, count.end)
        into.gpu_resource = "ray"
