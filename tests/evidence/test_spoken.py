"""Lines that begin as a command, an assignment, a flag or an exception does: a person's words, or what they look like."""

import pytest

from advisor.evidence.spoken import is_sentence, tail_begins
from advisor.jobs.assemble import assemble
from advisor.jobs.request import Request
from tests.evidence.situations import handed, kinds, symptoms

WORDS = [
    "TP=8, HiCache + L3 storage backend: the service hangs",
    "PP=2，请求带 json_schema 时报错",
    "TP=2 on two 3090s. vLLM dies right after start.",
    "pp=2, structured output (json_schema): RuntimeError: shape is invalid for input of size",
    "SGLANG_SPEC_TP_SYNC=off with DSPARK TP=8 hangs",
    "dp=2 的 MTP 推理，请求卡死",
    "tp=2 hangs at startup",
    "tp_size=4, HiCache storage backend",
    "TP=2 PP=2 NCCL_DEBUG=INFO hangs",
    "lmdeploy chat with a 14B AWQ model runs out of memory",
    "lmdeploy serve api_server 启动卡住了",
    "vllm serve hangs after a while",
    "python3 -m sglang.launch_server hangs at startup",
    "docker run works but vllm hangs inside",
    "--enable-hierarchical-cache hangs the server",
    "--tp 8 with MTP hangs",
    "IndexError in structured output",
    "KeyError when two requests end together",
    "NCCL_P2P_DISABLE=1 makes it start",
    "TP=4 时卡死",
    "PP=4 + MTP, requests hang after a while",
    "PP=2; json_schema requests crash",
    "CUDA_VISIBLE_DEVICES=0,1 时卡死",
    "Traceback when two requests end together",
]
NO_WORDS = [
    "",
    "The server hangs",
    "TP=8",
    "TP=8 NCCL_DEBUG=INFO",
    "tp=2, ep=4, backend='pytorch')",
    "    tensor_parallel_size=4,",
    "max_total_num_tokens=431, chunked_prefill_size=8192, context_len=4096",
    "export NCCL_P2P_DISABLE=1",
    "MODEL=/data/模型 vllm serve $MODEL --tp 2",
    "NCCL_DEBUG=INFO vllm serve m --tensor-parallel-size 2",
    "CUDA_VISIBLE_DEVICES=0,1 python3 -m sglang.launch_server --model-path m --tp 2",
    "PORT=8000 make test  # hangs on CI",
    "A=1 cmd | tee log",
    "A=1; b=2",
    "A=1; echo it hangs",
    "A=1; vllm serve m; wait",
    "vllm serve m --served-model-name hangs-never \\",
    "vllm serve m",
    "docker run --gpus all vllm/vllm-openai --model m",
    "kubectl get pods -n hang",
    "--tp 8",
    "--tp 8 --enable-hierarchical-cache",
    "IndexError: list index out of range",
    "torch.OutOfMemoryError: CUDA out of memory. Tried to allocate 2 GiB",
    "TimeoutError",
    "Traceback (most recent call last):",
    "CUDA_VISIBLE_DEVICES=0,1 python3 server.py",
    "x=1" * 2000,
]


@pytest.mark.parametrize("line", WORDS)
def test_words_that_begin_as_something_else(line):
    assert is_sentence(line)


@pytest.mark.parametrize("line", NO_WORDS)
def test_what_is_no_sentence(line):
    assert not is_sentence(line)


@pytest.mark.parametrize(
    ("line", "words"),
    [
        ("vllm serve m --tp 2 hangs after an hour", " 2 hangs after an hour"),
        ("vllm serve m --enable-expert-parallel 卡死", " 卡死"),
        ("xllm --model m --nnodes=2 hangs", " hangs"),
        ("vllm serve m --tp 2", None),
        ("vllm serve m --tp 2  # hangs", None),
        ("vllm serve m --served-model-name crash", None),
        ('vllm serve m --hf-overrides \'{"it": "hangs"} \'', None),
        ("vllm serve m hangs", None),
        ("A=1 sglang serve --tp 8 | tee -a the.log", None),
    ],
)
def test_words_behind_the_last_flag(line, words):
    begins = tail_begins(line)
    assert (line[begins:] if begins >= 0 else None) == words


def told(text):
    """Names of symptoms and uses, settings and variables that a pasted text gives."""
    case, _ = assemble(Request(symptoms=(text,), strict=False))
    given = {f"{one.name}={one.value}" for launch in case.launches for one in launch.environment}
    given |= {f"{one.flag}={one.value}" for launch in case.launches for one in launch.settings}
    return given | {f"{one.name}={one.value}" for one in case.facts}


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        (WORDS[0], {"topology.tp=8", "cache.hierarchical=True", "symptom.hang=True"}),
        (WORDS[1], {"topology.pp=2", "requests.structured=True"}),
        (WORDS[2], {"topology.tp=2", "symptom.crash=True", "symptom.startup_failure=True"}),
        (WORDS[4], {"topology.tp=8", "SGLANG_SPEC_TP_SYNC=off", "symptom.hang=True", "speculation.on=True"}),
        (WORDS[5], {"topology.dp=2", "speculation.method=mtp", "symptom.hang=True"}),
        (WORDS[6], {"topology.tp=2", "symptom.startup_hang=True"}),
        (WORDS[9], {"symptom.oom=True"}),
        (WORDS[10], {"symptom.startup_hang=True"}),
        ("vllm serve m --tensor-parallel-size 2 hangs", {"--tensor-parallel-size=2", "symptom.hang=True"}),
        ("TP=8 NCCL_DEBUG=INFO", {"topology.tp=8", "NCCL_DEBUG=INFO"}),
        ("tp=2, it does not hang", {"topology.tp=2"}),
    ],
)
def test_both_what_is_set_and_what_is_seen(text, expected):
    assert expected <= told(text)


@pytest.mark.parametrize(
    "text",
    [
        "tp=2, no hang",
        "TP=2 没有卡死",
        "lmdeploy chat with a 14B model works",
        "tp=2, does it hang?",
        "TP=8 的服务会卡死吗？",
        "NCCL_DEBUG=INFO vllm serve m --served-model-name hang",
        "#!/bin/bash\nset -e\nexport NAME=hangs\nvllm serve m --tp 2  # hangs at startup otherwise\n",
    ],
)
def test_quiet(text):
    assert not {name for name in told(text) if name.startswith("symptom.")}


def test_assignments_alone_are_a_launch():
    assert kinds(handed("TP=8 NCCL_DEBUG=INFO")) == ["launch"]
    assert symptoms(handed("NCCL_DEBUG=hang")) == set()
