"""What kind of text a piece of text is, by its content alone; cheap enough to ask of everything.

    # TYPE vllm:num_requests_running gauge       metrics      HTTP/1.1 503 Service Unavailable      health
    {"version":"2.10","pg_config":{...           recorder     | NVIDIA-SMI 580.159.04 ...           machine

A short text is judged whole, a long one by its head and tail. `line_kind` judges one line of a paste: `log`, `stack`,
`launch`, `machine`, or "" for what only a person would write (or what cannot be told apart from it).

**Source:** Prometheus text format 0.0.4; vLLM `entrypoints/serve/instrumentator/health.py`; SGLang
`entrypoints/http_server.py` (`/health`, `/health_generate`); PyTorch 2.11
`torch/csrc/distributed/c10d/FlightRecorder.hpp`; `rocm-smi`, `npu-smi info`, NCCL's RAS client.
"""

from __future__ import annotations

import re
from functools import cache, lru_cache
from typing import Literal

from advisor.evidence.lines import BEGINNINGS, body, is_logged
from advisor.evidence.nvidia_forms import TOPOLOGY
from advisor.evidence.snapshots import marks_time
from advisor.evidence.spoken import is_sentence
from advisor.model.capture import HOST
from advisor.model.fact import ArtifactKind
from advisor.model.shape import Shape
from advisor.scan.several import Several

LineKind = Literal["log", "stack", "launch", "machine", ""]

_SAMPLE = 64 << 10

_FILE = r"(?:(?:[^()\s]*/)?[\w.+-]+\.(?:py|pyx|cc|cpp|cxx|cu|cuh|c|h|hpp|so[\d.]*)(?::\d+)?|\[vdso\])"
PLACED = Shape(rf"[\w>\]*&)}}@]['\"]? \(({_FILE})\)")  # ncclAllGather (collectives.cc:91)
_FRAME_LINE = Shape(rf"\s*(?:at )?[^\s()][^\n]{{0,900}}? \({_FILE}\)\s*$")
_STACK_LINE = Shape(
    r"\s*(?:Process \d+: |Python v\d|(?:Current )?[Tt]hread (?:0x[0-9a-f]+|\d+)\b|@ +0x[0-9a-f]+ |frame #\d+: |"
    r"#\d{1,3} +(?:0x[0-9a-f]+ in |[\w~<][^\n]{0,900}?(?:\(| from |::))|\[New LWP|(?:Arguments|Locals):$|"
    r"\S.* \(most recent call first\))"
)
_FAULT_FRAME = Shape(r'\s*File "[^"\n]+", line \d+ in ')  # faulthandler's; a traceback's has a comma
_PYTHON_FRAME = Shape(r'\s*File "[^"]+", line \d+')
_EXCEPTION = Shape(  # torch.OutOfMemoryError: CUDA out of memory.
    r"(?:[-*] )?(?:[A-Za-z_]\w*\.)*(?:[A-Z]\w*)?(?:Error|Exception|Interrupt|Exit|Timeout)(?:: |\b\(|$)(?! ?https?:)"
)
_MACHINE_SPOKE = Shape(
    r"\s*(?:Traceback \(most recent call last\)|terminate called |what\(\): |Fatal Python error|"
    r"\*\*\* (?:SIG|Abort|Check)|Aborted \(core dumped\)|Segmentation fault|Watchdog caught |\[PG (?:ID )?\d+ |"
    r"PG status: |ptxas (?:fatal|error)|NCCL (?:version|WARN|INFO) |"
    r"\[Gloo\] Rank \d+|HINT: {2,}|[a-z_]+\.[\w.]+(?:\(\))?=|E[A-Z]\d{4}: |\[rank\d+\]:|\(?[A-Z]\w* pid=\d+\)|"
    r"CUDA kernel errors might be |For debugging consider passing CUDA_LAUNCH|Compile with .TORCH_USE_CUDA_DSA|Killed$|"
    r"Process [\w:-]+:$|Exception in thread |Extension modules: |PC: @|WARNING: Logging before InitGoogle|"
    r"No available shared memory broadcast block|During handling of the above|The above exception was the direct cause|"
    r"Exception raised from |RPC call to |Check failed: |server_args=|F\d{8} |E\d{4} |EngineCore failed|"
    r"<Triton> check failed|Capture cuda graph failed|Failed: Cuda error|Exception in worker |cuda[A-Z]\w+: |assert \S|"
    r"(?:ERROR|WARNING|INFO|CRITICAL|FATAL) \[|\[\w+\] (?:ERROR|WARNING|CRITICAL|FATAL)\b|self\.\w+)"
)
_PLACE_FIRST = Shape(
    r"[\w./-]+\.(?:py|cuh?|cc|cpp|hpp):(?: |\d+[\]:]?(?:\s|$))"
)  # custom_all_reduce.cuh:310 'invalid argument'
_JSON_LOG = Shape(
    r'\{"\w+": ?"?[^\n]{0,200}"(?:level|msg|message|severity|timestamp|ts|time)" ?:|\{"(?:level|ts|time|msg)" ?:'
)
# Capturing CUDA graphs:  40%|████, Loading safetensors checkpoint shards:   0% Completed | 0/10 [00:00<?, ?it/s]
_PROGRESS = Shape(r"[^|\n]{0,80}\d+%(?: Completed )?\||[^|\n]{0,80}\d+it \[\d\d:\d\d, ")
# check_prefetch_progress, ncclAllGather, xllm::Batch::process_sample_output
_NAME = Shape(r"\s*(?:[a-z_]\w*_\w+|[a-z]+\w*[a-z][A-Z]\w{3,}|[A-Za-z_]\w*(?:::~?\w+)+)\s*$")
_SHELL = Shape(
    r"\s*(?:#!/|export [A-Za-z_]\w*=|[A-Z][A-Z0-9_]*=\S|--[A-Za-z][\w.-]*(?:[= ]|\s*\\?$)|docker (?:run|compose) |"
    r"kubectl |(?:\S*/)?python3? (?:-m |\S+\.py\b)|vllm (?:serve|bench)|sglang serve|lmdeploy (?:serve|chat)|xllm |"
    r"torchrun |set -[a-z]|source /|\w+=\($|\)$|trap |wait$|\w+=\$!|\"\$\{?\w+\}?\" )"
)
_COMMAND = Shape(
    r"vllm(?:\.entrypoints| serve)|sglang(?:\.launch_server| serve)|lmdeploy serve|launch_server|api_server|xllm\b|"
    r"docker run|^[^\S\n]*+(?:#!/|--[a-z])",
    re.M,
)
_MANIFEST = Shape(
    r"^(?:apiVersion|services|kind|version): ?\S*$|^FROM \S+|^[^\S\n]++image: ?\S|^[^\S\n]*+- name: \S", re.M
)
_FRAGMENT = Shape(r"^ *(?:- )?(?:command|args|entrypoint): ?(?:[\[|>\"']|$)", re.M)  # - args: [
_YAML_FIRST = Shape(r"\s*(?:- )?[\w./-]+:(?: |\n)")  # containers:
_VARIABLE = Shape(r"\s*[A-Za-z_][\w.]*=[^ \n]*(?: [^\n]*)?$")
_LIBRARY_VARIABLE = Shape(r"^[^\S\n]*+(?:VLLM|SGLANG|LMDEPLOY|XLLM|NCCL|HCCL|GLOO|TORCH|CUDA|ASCEND)_[A-Z0-9_]+=", re.M)
_CODE = Shape(
    r"^[^\S\n]*+(?:from|import) (?:vllm|sglang|lmdeploy)\b|\b(?:\w*(?:Engine|Speculative|Rollout)Config|LLM|Engine)\(",
    re.M,
)
_MAPS = Shape(r"[0-9a-f]{6,16}-[0-9a-f]{6,16} [r-][w-][x-][ps] ")
_ENVIRONMENT = Shape(  # the lines of torch's and vLLM's collect_env, `sglang.check_env` and `lmdeploy check_env`
    r"^(?:PyTorch(?: version)?|Is debug build|CUDA used to build PyTorch|Python(?: version| platform)?|"
    r"(?:Is )?CUDA available|Nvidia driver version|CUDA_HOME|NVCC|CUDA Driver Version|"
    r"sglang|LMDeploy|vLLM Version|sys\.platform|CANN_HOME) *: ",
    re.M,
)
_LIBRARY = Shape(r"/(?>\S+?/lib(?:nccl|rccl|hccl|cuda|torch))\S*\.so\S*$")

_MACHINE = (
    "| NVIDIA-SMI",
    "NVSMI LOG",
    "# gpu ",
    "Communicators...",
    "| npu-smi",
    "SERVER PROTOCOL",
    "| AMD-SMI",
    HOST.strip(),
)
_MACHINE_BELOW = tuple(f"\n{mark}" for mark in _MACHINE)
_TITLES = ("NVSMI LOG", "ROCm System Management Interface", "AMD-SMI")  # inside a line of `=`
# utilization.gpu [%], index, power.draw [W]
_QUERY = Shape(r"(?:[a-z_.]+(?: \[[\w%]+\])?, ?)+[a-z_.]+(?: \[[\w%]+\])?\s*$")
_QUERIED = Shape(r"\b(?:utilization\.gpu|memory\.used|power\.draw|pstate|clocks\.)")
_SAMPLE_LINE = Shape(r"[a-zA-Z_:][\w:]*(?:\{[^\n]*\})? (?:[-+]?[\d.]+(?:[eE][-+]?\d+)?|NaN|[-+]Inf)(?: -?\d+)?\s*$")
_META_LINE = Shape(r"# (?:HELP|TYPE) [a-zA-Z_:][\w:]* ")
_OF_ENGINES = ("vllm:", "sglang:", "lmdeploy:", "xllm")
_OF_METRICS = ("# ", *_OF_ENGINES)  # what a line that describes or names one begins with
_STATUS_LINE = Shape(r"HTTP/[\d.]+ \d{3}\b")
_HEALTHY = Shape(r'\{[^{}\[]{0,400}"(?:status|health|healthy|is_alive)" ?: ?["tf\d]')
_NO_ANSWER = Shape(  # what curl and `advisor collect` say when nothing answered, and nothing else
    r"advisor: no answer from [^\n]{0,300}$|"
    r"(?:(?:\$ [^\n]{0,400}/health[^\n]{0,400}\n)?curl: \((?:7|28|52|56)\) [^\n]{0,300}(?:\n000)?|000)$"
)
_RECORDED = Shape(r'\s*\{[^\n]{0,4000}?"(?:pg_config|comm_lib_version|pg_status)"')
_HEALTH_UP_TO = 4 << 10  # characters of an answer of a health endpoint

_RELEASE = r"v?\d[\w.*+!-]*"
_PINNED = Shape(  # vllm[flashinfer]==0.11.0 ; python_version > "3.9", apex @ file:///w/apex.whl, libnccl=2.28.9=h1_0
    r"(?:[-*] )?[A-Za-z0-9_][\w.-]*(?:\[[\w,. -]*\])?"
    rf"(?: ?(?:===?|~=|!=|[<>]=?) ?{_RELEASE}(?:, ?[<>=!~]+ ?{_RELEASE})*| @ (?:file|git|https?|ssh)\S+|=\d[\w.]*=\w+)"
    r"(?:\s*$|\s*\\$| *;| +(?:#|--hash))"
)
_COLUMNS = Shape(r"ii +\S+ +\d|[A-Za-z0-9_][\w.:-]* +" + _RELEASE + r"(?: +\S+){0,3}\s*$")  # torch   2.9.0   /src/torch
_WIDE = Shape(r"[A-Za-z0-9_][\w.-]* {2,}\d+\.\w[\w.+!-]*(?: +\S+){0,3}\s*$")
_AROUND = Shape(  # what stands between the packages of a list
    r"\s*#|-+(?: +-+)*\s*$|Package +Version|\s+--hash=|-[ercfi] |--[a-z-]+ |"
    r"[^|]{0,80}\b(?:pip3?|conda|uv) (?:freeze|list|pip)\b|"
    r"\s*(?:Collecting|Downloading|Using cached|Requirement already satisfied:|Installing collected packages:|"
    r"Successfully installed) "
)
_LIST_HEAD = Shape(
    r"^(?:Package +Version\b|# packages in environment at |# Name +Version|Desired=Unknown|ii +\S+ +\d)", re.M
)
_USUAL_PACKAGE = Shape(r"^(?:torch|pytorch|vllm|sglang|lmdeploy|xllm|nvidia-\S+|transformers|triton|numpy|pip) ", re.M)
_LIST_BEGINS = (  # a line that has one of the two
    *("Package ", "# packages ", "# Name ", "Desired=", "ii ", "torch ", "pytorch ", "vllm ", "sglang ", "lmdeploy "),
    *("xllm ", "nvidia-", "transformers ", "triton ", "numpy ", "pip "),
)
_LIST_JSON = Shape(r'\s*\[\s*\{\s*"(?:name|base_url)": ?"[^"\n]*",\s*"(?:version|build_number)": ?')
_SHOWN = Shape(r"\s*Name: \S+\nVersion: \S+\nSummary: ")  # pip show
_LISTED_FROM = 3  # packages; of fewer a person may be speaking


def kind_of(text: str, language: str = "") -> ArtifactKind:
    """The kind of a text that is one thing. `language` is what a fence said of it."""
    return whole_kind(text) or mixed_kind(text, language)


def whole_kind(text: str) -> ArtifactKind | None:
    """The kind of a text that a tool wrote as a whole; None where it may have parts."""
    if not text.strip():
        return "empty"
    head, rows = _sampled(text)
    if "PyTorch" in head and len(set(_ENVIRONMENT.findall(head))) >= 3:
        return "collect_env"
    if is_package_list(head, rows):
        return "collect_env"
    if is_machine(head, rows):
        return "machine"
    if is_metrics(rows):
        return "metrics"
    if is_recorder(head):
        return "recorder"
    if is_health(text):
        return "health"
    return None


def mixed_kind(text: str, language: str = "") -> ArtifactKind:
    """What most of the lines of any other text are: log, stack, launch, or words."""
    head, rows = _sampled(text)
    kinds = [line_kind(row) for row in rows]
    logged, framed, typed = (sum(kind == wanted for kind in kinds) for wanted in ("log", "stack", "launch"))
    if is_stack(head, framed, len(rows)):
        return "stack"
    if is_launch(head, typed, len(rows), logged, language):
        return "launch"
    return "log" if logged + framed >= max(1, 0.4 * len(rows)) or language in ("log", "logs", "text") else "text"


def _sampled(text: str) -> tuple[str, list[str]]:
    """A text, of a long one its head and tail, and the lines of that which are not blank."""
    head = text if len(text) <= 2 * _SAMPLE else text[:_SAMPLE] + text[-_SAMPLE:]
    return head, [row for row in head.split("\n") if row.strip()]


def is_package_list(text: str, rows: list[str]) -> bool:
    """`pip freeze`, `list`, `show` or `install`, `conda list`, `dpkg -l`, requirements, and hardly anything else."""
    if _LIST_JSON.match(text) or _SHOWN.match(text):
        return True
    if 2 * len(rows) < _LISTED_FROM:  # a row counts for two at most
        return False
    pinned = sum(bool(_PINNED.match(row)) for row in rows)
    listed = any(row.startswith(_LIST_BEGINS) for row in rows)
    if listed and (_LIST_HEAD.search(text) or _USUAL_PACKAGE.search(text)):
        pinned = sum(bool(_PINNED.match(row) or _COLUMNS.match(row)) for row in rows)
    installed = sum(row.startswith(("Requirement already satisfied: ", "Collecting ")) for row in rows)
    if pinned + installed < _LISTED_FROM:
        return False
    around = sum(bool(_AROUND.match(row)) for row in rows)
    bare = sum(row.replace("-", "").replace(".", "").isalnum() for row in rows)  # a requirement of any version
    return pinned + around + min(bare, pinned) >= 0.9 * len(rows)


def is_machine(text: str, rows: list[str]) -> bool:
    """nvidia-smi and its kin, a memory map, a RAS answer."""
    head = text[:200]
    if text.startswith(_MACHINE) or any(mark in text for mark in _MACHINE_BELOW) or any(one in head for one in _TITLES):
        return True
    if TOPOLOGY in text:
        return True
    if rows and _QUERY.match(rows[0]) and _QUERIED.search(rows[0]):
        return True
    seen = rows[:50]
    return sum(bool(_MAPS.match(row) or _LIBRARY.match(row) or "(UUID: GPU-" in row) for row in seen) * 2 > len(seen)


def is_metrics(rows: list[str]) -> bool:
    """Prometheus text: samples and the lines that describe them or say when, and hardly anything else."""
    if not any(row.startswith(_OF_METRICS) for row in rows):
        return False
    rows = [row for row in rows if not marks_time(row)]
    described = sum(bool(_META_LINE.match(row)) for row in rows)
    sampled = sum(bool(_SAMPLE_LINE.match(row)) for row in rows)
    named = sum(row.startswith(_OF_ENGINES) for row in rows)
    return sampled + described >= 0.8 * len(rows) and bool(described or named)


def is_recorder(text: str) -> bool:
    """A flight-recorder dump written as JSON."""
    return '"entries"' in text and bool(_RECORDED.match(text.replace("\n", " ", 400)))


def is_health(text: str) -> bool:
    """The answer of a health endpoint: `curl -i`, its small JSON body alone, or `curl` telling that there was none."""
    if len(text) > _HEALTH_UP_TO:
        return False
    whole = text.strip()
    return bool(_STATUS_LINE.match(whole) or _NO_ANSWER.match(whole) or (whole.endswith("}") and _HEALTHY.match(whole)))


def is_stack(text: str, framed: int, rows: int) -> bool:
    """A capture of where threads are, rather than a log in which one was printed."""
    if framed * 2 >= rows and framed and "Fatal Python error" not in text:
        return True
    return rows <= 3 and text.count(" (", 0, 20_000) >= 2 and len(PLACED.findall(text[:20_000])) >= 2


def is_launch(text: str, typed: int, rows: int, logged: int, language: str) -> bool:
    """A command, a script, a manifest or engine-starting code; a log line that echoes one is still a log."""
    if logged * 2 > rows:
        return False
    if language in ("bash", "sh", "shell", "console", "yaml", "yml", "dockerfile", "python", "py", "json", "toml"):
        return True
    if text.lstrip().startswith(("#!", "apiVersion:", "services:")) or (
        typed and typed * 2 >= rows and _COMMAND.search(text)
    ):
        return True
    if (
        "=" in text
        and _LIBRARY_VARIABLE.search(text)
        and all(map(_VARIABLE.match, filter(str.strip, text.split("\n"))))
    ):
        return not any(map(is_sentence, text.split("\n")))  # what `env` prints
    if _YAML_FIRST.match(text) and _FRAGMENT.search(text):  # a part of a manifest, and nobody's words
        return not any(map(is_sentence, text.split("\n")))
    if text.count(":") + text.count("FROM ") >= 3 and len(_MANIFEST.findall(text)) >= 3:
        return True
    return "import " in text and _CODE.search(text) is not None


@cache
def _machines() -> Several:
    """What a machine's line begins with; a person's line begins with none of it."""
    shapes = (*BEGINNINGS, _FAULT_FRAME, _PYTHON_FRAME, _EXCEPTION, _MACHINE_SPOKE, _PLACE_FIRST, _PROGRESS, _JSON_LOG)
    return Several([f"^(?:{one.pattern})" for one in (*shapes, _STACK_LINE, _FRAME_LINE, _NAME, _SHELL, _MAPS)])


def line_kind(line: str) -> LineKind:
    """What kind of machine printed this line; "" when a person may have written it."""
    return _line_kind(line[:4000])


@lru_cache(maxsize=256)  # a line is judged with its text, among its neighbours, and with the part that it is in
def _line_kind(line: str) -> LineKind:
    if not _machines().numbers(line):
        return ""
    if is_logged(line):
        return (
            "stack"
            if (_STACK_LINE.match(body(line)) and "NCCL" not in line[:80] and "]: " not in line[:20])
            or _FAULT_FRAME.match(body(line))
            else "log"
        )
    if _FAULT_FRAME.match(line):
        return "stack"
    if any(
        shape.match(line) for shape in (_PYTHON_FRAME, _EXCEPTION, _MACHINE_SPOKE, _PLACE_FIRST, _PROGRESS, _JSON_LOG)
    ):
        return "log"
    if _STACK_LINE.match(line) or _FRAME_LINE.match(line) or is_bare_name(line):
        return "stack"
    if _SHELL.match(line):
        return "" if is_sentence(line) else "launch"
    return "machine" if _MAPS.match(line) else ""


def is_package(line: str) -> bool:
    """Whether the line is one of a package list: `vllm==0.11.0`, `torch      2.9.0`."""
    return len(line) < 400 and bool(_PINNED.match(line) or _WIDE.match(line))


def is_bare_name(line: str) -> bool:
    """Whether the line is nothing but a name that only code bears: a frame noted down without its place."""
    return len(line) < 200 and bool(_NAME.match(line))
