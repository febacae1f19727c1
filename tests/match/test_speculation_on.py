"""Whether speculative decoding is in use, as the flags of each engine say it."""

import pytest

from advisor.jobs.assemble import assemble
from advisor.jobs.judging import view_of
from advisor.jobs.request import Request


def on(engine: str, version: str, *flags: str, symptom: str = "") -> object:
    told = (symptom,) if symptom else ()
    case, _ = assemble(Request(engine=engine, version=version, flags=flags, symptoms=told))
    answer = view_of(case).ask("fact", "speculation.on")
    return answer.facts[0].value if answer.facts else None


@pytest.mark.parametrize(
    ("engine", "version", "flags", "expected"),
    [
        ("vllm", "0.30.0", '--speculative-config \'{"method":"mtp","num_speculative_tokens":2}\'', True),
        ("vllm", "0.30.0", "--spec-method ngram", True),
        ("vllm", "0.30.0", "--tensor-parallel-size 2", False),
        ("vllm", "0.11.0", "--tensor-parallel-size 2", False),
        ("vllm", "", "--tensor-parallel-size 2", False),
        ("sglang", "0.5.16", "--tp 2 --speculative-algorithm EAGLE", True),
        ("sglang", "0.5.16", "--tp 2", False),
        ("lmdeploy", "0.16.0", "--speculative-algorithm deepseek_mtp", True),
        ("lmdeploy", "0.16.0", "--tp 2", False),
        ("xllm", "0.10.1", "--num_speculative_tokens=3", True),
        ("xllm", "0.10.1", "--num_speculative_tokens=0", False),
        ("xllm", "0.10.1", "--enable_shm=true", False),
    ],
)
def test_flags(engine: str, version: str, flags: str, expected: bool) -> None:
    assert on(engine, version, flags) is expected


@pytest.mark.parametrize(
    ("symptom", "expected"),
    [
        ("MTP hangs", True),
        ("speculative decoding hangs", True),
        ("we do not use speculative decoding", False),
        ("it hangs", None),
        ("Does it support speculative decoding?", None),
    ],
)
def test_words(symptom: str, expected: bool | None) -> None:
    assert on("vllm", "0.30.0", symptom=symptom) is expected
