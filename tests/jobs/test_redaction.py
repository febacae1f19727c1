"""Secrets never reach a report; flags, hashes and model tokens stay."""

from __future__ import annotations

import pytest

from advisor.redaction import GONE, redact, redact_value
from tests.front_door import checked

SECRETS = [
    "hf_AbCdEfGhIjKlMnOpQrStUvWxYz012345",
    "sk-proj-abcdefghijklmnopqrstuvwxyz012345",
    "ghp_abcdefghijklmnopqrstuvwxyz0123456789",
    "AKIAIOSFODNN7EXAMPLE",
]


@pytest.mark.parametrize("secret", SECRETS)
@pytest.mark.parametrize(
    "around", ["{}", "HF_TOKEN={} vllm serve x", "Authorization: Bearer {}", "loading with token {}\nnext line"]
)
def test_a_known_token_is_hidden_wherever_it_stands(secret: str, around: str) -> None:
    assert secret not in redact(around.format(secret))


@pytest.mark.parametrize(
    ("text", "gone"),
    [
        ("--api-key s3cr3t-value-1 --port 8000", "s3cr3t-value-1"),
        ("https://user:hunter22@host/path", "hunter22"),
        ('{"password": "correct-horse"}', "correct-horse"),
        ("AWS_SECRET_ACCESS_KEY=abc/def+ghi1", "abc/def+ghi1"),
        ("lmdeploy serve api_server m --api-keys s3cr3t-value-2", "s3cr3t-value-2"),
        ("GET http://host:8000/v1/models?x=1&token=s3cr3t-value-3", "s3cr3t-value-3"),
        ("https://bucket.example/m?X-Amz-Signature=0f1e2d3c4b", "0f1e2d3c4b"),
    ],
)
def test_a_value_named_as_secret_is_hidden(text: str, gone: str) -> None:
    assert gone not in redact(text) and GONE in redact(text)


@pytest.mark.parametrize(
    "text",
    [
        "--max-num-batched-tokens 8192 --speculative-num-draft-tokens 2",
        "commit b56ddfb634f069b600f0fe3f4730fe289ac7fafe",
        '{"num_speculative_tokens": 5, "method": "dspark"}',
        "PP+async expects sampled_token_ids to have shape [num_reqs, 1]",
        "Check failed: state.token_id == token_id (1234 vs. 5678) MTP decode target state token mismatch",
        "Avg generation throughput: 12.0 tokens/s, Running: 1 reqs",
        "sha256:7b6a35df00112233445566778899aabbccddeeff",
        "[rank1]: RuntimeError: DeepEP error: timeout (dispatch CPU)",
    ],
)
def test_what_is_no_secret_stays(text: str) -> None:
    assert redact(text) == text


def test_values_are_hidden_by_their_name() -> None:
    assert redact_value("EXAMPLE_API_KEY", "abc") == GONE
    assert redact_value("--max-total-tokens", "abc") == "abc"
    assert redact_value("SYNC_TOKEN_IDS_ACROSS_TP", "1") == "1"


def test_no_secret_in_a_report() -> None:
    secret = SECRETS[0]
    flags = f'HF_TOKEN={secret} vllm serve m --pipeline-parallel-size 8 --api-key {SECRETS[1]} --speculative-config \'{{"method":"dspark"}}\''
    ran = checked(
        "--engine",
        "vllm",
        "--version",
        "0.28.0",
        "--flags",
        flags,
        "--env",
        f"MY_TOKEN={SECRETS[2]}",
        "--symptom",
        f"token {SECRETS[3]} and it hangs",
    )
    assert not [one for one in SECRETS if one in ran.out + ran.err]


def test_a_secret_is_told_from_a_count_by_its_name():
    assert redact_value("HF_TOKEN", "no-shape-of-a-token") == "[redacted]"
    assert redact_value("--hf-token", "no-shape-of-a-token") == "[redacted]"
    assert redact_value("--max-num-batched-tokens", "8192") == "8192"
    assert redact_value("--num-speculative-tokens", "3") == "3"
