"""The seed corpus, made from the suite's own inputs: `python -m tests.fuzz.seeds` writes what is missing of `corpus/`.

A seed is small, and its first letter chooses as in `target.picked`.
"""

from __future__ import annotations

import bz2
import gzip
import io
import json
import lzma
import pickle
import tarfile
import zipfile
from collections.abc import Iterable, Iterator
from hashlib import blake2b
from pathlib import Path

from tests.fuzz.front import WAYS
from tests.fuzz.readers import ENGINES, KINDS, MANIFESTS
from tests.fuzz.target import CORPUS

ROOT = Path(__file__).parents[2]
MOST = 3000
"""Bytes of a seed: a longer file is cut, since short inputs are changed more often."""


def main() -> None:
    """Write every seed that is not there."""
    for name, seeds in sorted(_seeds().items()):
        folder = CORPUS / name
        folder.mkdir(parents=True, exist_ok=True)
        for one in seeds:
            (folder / blake2b(one, digest_size=6).hexdigest()).write_bytes(one)


def _letter(choices: tuple[str | None, ...], wanted: str | None) -> bytes:
    return bytes([ord("a") + choices.index(wanted)])


def _few(pattern: str, count: int) -> Iterator[Path]:
    """Files of the suite, spread over all that there are, the smaller ones."""
    found = sorted(one for one in ROOT.glob(pattern) if one.is_file() and one.stat().st_size <= 3 * MOST)
    yield from found[:: max(1, len(found) // count)][:count]


def _cut(data: bytes) -> bytes:
    return data if len(data) <= MOST else data[: data.rfind(b"\n", 0, MOST) + 1 or MOST]


def _seeds() -> dict[str, Iterable[bytes]]:
    logs = [_cut(one.read_bytes()) for one in _few("rules/*/*/cases/fires-*/*.log", 25)]
    logs += [_cut(one.read_bytes()) for one in _few("tests/evidence/data/*/*", 10)]
    stacks = [_cut(one.read_bytes()) for one in _few("rules/*/*/cases/*/*stack*.txt", 12)]
    machines = [_cut(one.read_bytes()) for one in _few("tests/evidence/data/**/*.txt", 10)] + list(_machines())
    launches = [one.encode() for one in _launches()]
    files = [_letter(MANIFESTS, name) + data for name, data in _manifests()]
    dump = json.dumps(_dump()).encode()
    plain = {"version": "2.10", "pg_config": {"0": {"name": "0", "ranks": "[0, 1]"}}, "entries": [_entry(1), _entry(2)]}
    return {
        "evidence": [
            *(_letter(KINDS, "") + one for one in (*logs, *stacks, *machines)),
            *(_letter(KINDS, kind) + one for kind in ("log", "machine", "text") for one in machines[:6]),
            _letter(KINDS, "recorder") + dump,
        ],
        "pickle": [
            *(pickle.dumps(plain, protocol) for protocol in range(6)),
            *(pickle.dumps(one) for one in (None, [1, 2.5, "x", b"y"], {"a": (1, {2})}, 1 << 80, frozenset("ab"))),
        ],
        "recorder": [dump, json.dumps(plain).encode(), b'{"version": "2.4", "entries": []}'],
        "archive": [*(b"a" + one for one in _archives(logs[0])), *(letter + logs[0][:500] for letter in (b"b", b"c", b"d", b"e", b"f"))],
        "manifest": files,
        "lint": files,
        "fix": files,
        "shell": [*launches, *(_cut(one.read_bytes())[:1000] for one in _few("tests/deployments/**/*.sh", 15))],
        "flags": [_letter(ENGINES, engine) + one for engine in ENGINES for one in launches[:12]],
        "build": [_letter(ENGINES, engine) + one.encode() for one in _builds() for engine in (None, "vllm", "sglang")],
        "small-files": list(_small()),
        "rule": [one.read_bytes()[:6000] for one in _few("rules/*/*/rule.yaml", 20)],
        "batch": list(_batch(launches, logs)),
        "body": list(_bodies()),
        "check": [
            *(_letter(WAYS, "file") + b"a" + one for one in (*logs[:12], *stacks[:6], *machines[:6])),
            *(_letter(WAYS, "paste") + b"a" + one.read_bytes() for one in _few("rules/*/*/cases/*/*.md", 6)),
            *(_letter(WAYS, "flags") + b"b" + one for one in launches),
            *(_letter(WAYS, "version") + b"b" + one.encode() for one in _builds()[:8]),
            _letter(WAYS, "symptom") + b"c" + "服务卡住了，两个 rank 都活着".encode(),
            _letter(WAYS, "symptom") + b"b" + b"decode hangs after a json schema request, no traceback",
            _letter(WAYS, "hardware") + b"b2x GB10 aarch64, 8x H100 80GB, 2 nodes",
            _letter(WAYS, "env") + b"bNCCL_DEBUG=INFO VLLM_USE_V1=1",
        ],
        "comments": [*files[:20], *(_letter(MANIFESTS, name) + text for name, text in _comments())],
        "words": [letter + one for letter in (b"a", b"b") for one in (*logs[:4], b"# Hang\n\n```\nvllm serve m --tp 2\n```\nIt hangs.\n")],
    }  # fmt: skip


def _launches() -> list[str]:
    return [
        'vllm serve m/x --tensor-parallel-size 8 --speculative-config \'{"method": "mtp", "n": 2}\'',
        "python3 -m sglang.launch_server --model-path m --tp 8 --disaggregation-mode decode --dp=2",
        "lmdeploy serve api_server m --backend pytorch --tp 2 --cache-max-entry-count 0.8",
        "./xllm --model=/m -enable_shm --noenable_graph --block_size=128 --flagfile=/etc/x.flags",
        "docker run --gpus all -e A=1 --env 'B=x y' vllm/vllm-openai:v0.11.0 --model m -tp 2",
        'TP=8\nARGS="--tp $TP --eager"\nvllm serve m $ARGS --port "${PORT:-8000}" --x $X "$Y"\n',
        "bash -c 'exec vllm serve m --tp 4 2>&1 | tee log' &",
        "cat > run.sh <<'EOF'\nvllm serve m --tp 3\nEOF\n",
        'args=(\n  --a "$X" # why\n  --b=1)\nargs+=(--c)\nvllm serve "${args[@]}" --d\n',
        '--tp 8 --compilation-config.cudagraph_mode NONE --hf-overrides \'{"a": {"b": [1, 2]}}\'',
        "for i in 1 2; do CUDA_VISIBLE_DEVICES=$i vllm serve m --port 800$i & done; wait",
        'llm = LLM(model="m", tensor_parallel_size=8, speculative_config={"method": "mtp"})',
        "-tp 8 --no-enable-prefix-caching，开启 mtp，关闭 cuda graph",
        "srun -N 2 --gres=gpu:8 singularity exec x.sif vllm serve m -pp 2",
    ]


def _builds() -> list[str]:
    return [
        "0.28.0", "v0.5.16", "f03bdf1c", "0.11.2.dev278+gccfeb3a8", "v0.23.1rc1.dev1373+g387189c42",
        "0.25.2.dev0+g752a3a504.d20260720", "0.11.0+cu129", "0.4.6.post5", "lmsysorg/sglang:v0.5.16-cu130",
        "vllm/vllm-openai:latest pulled 2026-07-01", "nvcr.io/nvidia/vllm:25.11-py3", "main at 6bc3fd24 (July 2026)",
        "main after PR 1964", "LimeChain fork, 0.11.2.dev278", "0.20.2rc", "0.11.x", "<0.29.0, nccl 2.28.9",
        "Name: vllm\nVersion: 0.11.0\nEditable project location: /src/vllm",
        "vllm==0.28.0 torch==2.9.0+cu129 sha256:" + "ab" * 32,
    ]  # fmt: skip


def _manifests() -> Iterator[tuple[str, bytes]]:
    kinds = {
        "a.yaml": "tests/deployments/*/**/*.yaml", "compose.yaml": "tests/deployments/compose/**/*.y*ml",
        "values.yaml": "tests/deployments/helm-values/**/*.yaml", "run.sh": "tests/deployments/**/*.sh",
        "Dockerfile": "tests/deployments/**/Dockerfile*", "run.py": "tests/deployments/**/*.py",
        "job.sbatch": "tests/deployments/**/*.s*ba*ch", "vllm.service": "tests/deployments/**/*.service",
    }  # fmt: skip
    for name, pattern in kinds.items():
        for one in _few(pattern, 14 if name == "a.yaml" else 6):
            if "expect" not in one.name:
                yield name, _cut(one.read_bytes())
    yield "Makefile", b"run:\n\tvllm serve m --tp 8 \\\n\t  --swap-space 16\n"
    yield "requirements.txt", b"vllm==0.28.0\ntorch>=2.9 # pinned\n"
    yield "pyproject.toml", b'[project]\ndependencies = ["sglang[all]==0.5.16"]\n'
    yield "config.json", b'{"tensor_parallel_size": 8}\n'


def _comments() -> Iterator[tuple[str, bytes]]:
    line = b"# advisor: ignore[vllm/pp-broadcast-skew, setting-removed] until=2027-01-31 upgrade planned\n"
    yield "a.yaml", b"args:\n  " + line + b"  - --pp=2\n"
    yield "a.yaml", b'metadata:\n  annotations:\n    advisor.dev/ignore: "pp-broadcast-skew until=2027-01-31 planned"\n'
    yield "run.sh", line + b"vllm serve m \\\n  --pp 2  # advisor: ignore[*] why\n"
    yield "run.sh", b"cat <<EOF\n" + line + b"EOF\n# Advisor: Ignore-File[vllm/*] rendered\n"
    yield "Dockerfile", b"FROM vllm/vllm-openai:v0.28.0\n" + line + b'CMD ["--model", "m"]\n'
    yield "run.py", b'"""\n' + line + b'"""\n' + line + b"LLM(\n  model='m',  # advisor:ignore[x]\n)\n"
    yield "vllm.service", b"[Service]\n; advisor: ignroe[x] typo\n" + line + b"ExecStart=/bin/vllm serve m\n"


def _machines() -> Iterator[bytes]:
    yield b"| NVIDIA-SMI 570.86.10    Driver Version: 570.86.10    CUDA Version: 12.8 |\n|   0  NVIDIA H100 80GB HBM3   On | 00000000:19:00.0 Off | 0 |\n| N/A 34C P0 120W / 700W | 70000MiB / 81559MiB | 100% Default |\n"
    yield b"index, name, utilization.gpu [%], memory.used [MiB]\n0, NVIDIA H100 80GB HBM3, 100 %, 70000 MiB\n1, NVIDIA H100 80GB HBM3, 0 %, 70000 MiB\n"
    yield b'# TYPE vllm:num_requests_running gauge\nvllm:num_requests_running{engine="0",model_name="m"} 3.0\nvllm:generation_tokens_total{engine="0"} 1.2e+06\n'
    yield b'{"status": "unhealthy", "detail": "EngineDeadError"}\n'
    yield b"NCCL version 2.28.9+cuda12.9\nCUDA runtime version 12080\nJob summary\n==========\n  Nodes  Processes         GPUs  Processes     GPUs\n(total)   per node  per process    (total)  (total)\n      1          2            1          2        2\nWarnings\n========\n#0-0 (abc) MISMATCH\n  Communicator ranks have different status\n"
    yield b"host:123:456 [0] NCCL INFO NET/IB : Using [0]mlx5_0:1/IB\nhost:123:456 [0] NCCL INFO comm 0x1 rank 0 nranks 2 cudaDev 0 - Init COMPLETE\nhost:123:456 [0] proxy.cc:1 NCCL WARN Timeout\n"
    yield b"[ 1234.567890] NVRM: Xid (PCI:0000:19:00): 79, pid=1234, GPU has fallen off the bus.\n[ 1235.0] Out of memory: Killed process 77 (python3)\n"
    yield b"Collecting environment information...\nPyTorch version: 2.9.0+cu129\nIs CUDA available: True\nGPU 0: NVIDIA H100\nvLLM Version: 0.11.0\n[pip3] torch==2.9.0\nNCCL_DEBUG=INFO\n"
    yield b"+----+ npu-smi 24.1.0  Version: 24.1.0 +----+\n| 0     910B3 | OK | 95.1 36 0 / 0 |\n"
    yield b"7f00-7f01 r-xp 00000000 08:01 1 /usr/lib/libnccl.so.2.28.9\n"


def _entry(at: int) -> dict[str, object]:
    return {
        "record_id": at, "pg_id": 0, "process_group": ("0", "default_pg"), "collective_seq_id": at, "p2p_seq_id": 0,
        "op_id": at, "profiling_name": "nccl:broadcast", "time_created_ns": 1785667471000000000 + at, "input_sizes": [[60]],
        "input_dtypes": ["Float"], "output_sizes": [[60]], "output_dtypes": ["Float"], "state": "scheduled",
        "time_discovered_started_ns": None, "time_discovered_completed_ns": None, "retired": False,
        "timeout_ms": 600000, "is_p2p": False, "frames": [{"name": "broadcast", "filename": "a.py", "line": 1}],
    }  # fmt: skip


def _dump() -> dict[str, object]:
    return {
        "version": "2.10", "nccl_version": "2.27.5", "pg_config": {"0": {"name": "0", "desc": "default_pg", "ranks": "[0, 1]"}},
        "pg_status": {"0": {"last_enqueued_collective": 2, "last_started_collective": 2, "last_completed_collective": 1}},
        "entries": [_entry(1), _entry(2)],
    }  # fmt: skip


def _archives(log: bytes) -> Iterator[bytes]:
    out = io.BytesIO()
    with tarfile.open(fileobj=out, mode="w") as tar:
        for name, kind in (
            ("a/b.log", tarfile.REGTYPE),
            ("../x", tarfile.REGTYPE),
            ("l", tarfile.SYMTYPE),
            ("d", tarfile.CHRTYPE),
        ):
            info = tarfile.TarInfo(name)
            info.type, info.linkname, info.size = kind, "/etc/passwd", 200 if kind == tarfile.REGTYPE else 0
            tar.addfile(info, io.BytesIO(log[:200]))
    yield out.getvalue()
    yield gzip.compress(out.getvalue(), mtime=0)
    zipped = io.BytesIO()
    with zipfile.ZipFile(zipped, "w", zipfile.ZIP_DEFLATED) as made:
        for name in ("a.log", "../../x.log", "b/"):
            made.writestr(zipfile.ZipInfo(name), log[:200])
        made.writestr(zipfile.ZipInfo("c.tar.gz"), gzip.compress(out.getvalue(), mtime=0))
    yield zipped.getvalue()
    yield bz2.compress(log)
    yield lzma.compress(log)
    yield gzip.compress(b"\0" * 100_000, mtime=0)
    yield bytes.fromhex("28b52ffd2004210000616263640a")


def _small() -> Iterator[bytes]:
    entry = {"fingerprint": "0" * 16, "id": "vllm/x", "file": "a.yaml", "workload": "", "fact": "x"}
    yield b"a" + json.dumps({"schema": "advisor-baseline/1", "findings": [entry]}).encode()
    toml = b'[lint]\nfail-on = "error"\nexclude = ["x/"]\n[[ignore]]\npath = "a/*"\nrule = "vllm/*"\nreason = "r"\nuntil = 2027-01-31\n'
    yield b"b" + toml
    yield b"c" + toml.replace(b"[lint", b"[tool.advisor.lint").replace(b"[[ignore", b"[[tool.advisor.ignore")
    report = {
        "schema": "advisor-report/1",
        "findings": [{"status": "matched", "rule": "vllm/x"}],
        "settings": [],
        "environment": {},
        "build": {"label": "vllm 0.28.0"},
    }
    yield b"d" + json.dumps(report).encode()
    for said in (
        "setting:--tp-size=8",
        "env:A=not set",
        "hardware:arch=arm64",
        "fact:symptom.hang=yes",
        "log:a+=no",
        "component:nccl=2.28.9",
    ):
        yield b"e" + said.encode()
    yield b"fa: &x [1, 2]\nb: *x\nc: !!str 3\nd: |\n  text\n'e': 1.5e3\n<<: {f: 0x1f}\n"
    yield b"g--- a/x.py\n+++ b/x.py\n@@ -1,3 +1,3 @@ def f():\n a\n-b\n+c\n d\n\\ No newline at end of file\n"


def _batch(launches: list[bytes], logs: list[bytes]) -> Iterator[bytes]:
    for at, launch in enumerate(launches[:6]):
        case = {
            "id": str(at),
            "engine": "vllm",
            "version": "0.28.0",
            "launch": launch.decode(),
            "env": "A=1",
            "hardware": "8x H100",
            "symptom": "hang",
            "log": logs[at].decode("utf-8", "replace")[:400],
        }
        yield json.dumps(case).encode()
    yield b'{"id": 1, "engine": null, "env": {"A": 1}, "launch": ["--tp 8"]}\n\n[1]\n{"enigne": "vllm"}\n'


def _bodies() -> Iterator[bytes]:
    case = {"engine": "vllm", "version": "0.28.0", "flags": ["vllm serve m -pp 8"], "said": ["fact:symptom.hang=yes"]}
    yield b"a" + json.dumps(case).encode()
    yield (
        b"a"
        + json.dumps(
            {"files": [{"name": "a.log", "content": "x\n"}, {"name": "../b", "content_base64": "eA=="}]}
        ).encode()
    )
    part = b'--b\r\nContent-Disposition: form-data; name="%b"%b\r\n\r\n%b\r\n'
    yield (
        b"b" + part % (b"engine", b"", b"vllm") + part % (b"log", b'; filename="../a.log"', b"ERROR x\n") + b"--b--\r\n"
    )
    yield b"b" + part % (b"flags", b"", b"--tp 8") + part % (b"flags", b"", b"--dp 2") + b"--b--\r\n"


if __name__ == "__main__":
    main()
