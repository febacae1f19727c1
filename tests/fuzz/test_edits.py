"""An edit of a deployment file: what was asked and no other token; done twice as done once; undone as it was."""

from __future__ import annotations

import json
import re
from collections.abc import Callable, Sequence

from hypothesis import given, settings
from hypothesis import strategies as st

from advisor.launches.files.editing import Change, edited
from advisor.launches.files.recognise import read_file
from advisor.model.deployment import Deployment
from tests.fuzz.readers import KNOWN

IMAGE = "vllm/vllm-openai:v0.28.0"
TYPED = {
    "--tensor-parallel-size": ["--tensor-parallel-size 8", "-tp=8", "--tensor_parallel_size=8"],
    "--max-num-seqs": ["--max-num-seqs 16", "--max-num-seqs=16"],
    "--gpu-memory-utilization": ["--gpu-memory-utilization 0.9", "--gpu-memory-utilization=0.9"],
    "--kv-cache-dtype": ["--kv-cache-dtype fp8", "--kv-cache-dtype=fp8"],
    "--enforce-eager": ["--enforce-eager"],
    "--no-enable-prefix-caching": ["--no-enable-prefix-caching"],
    "--served-model-name": ["--served-model-name 模型", "--served-model-name=it-s"],
    "--unheard-of": ["--unheard-of x", "--unheard-of=y"],
}
"""Flags as people type them; none has a value that is another's name or value."""
VALUES = {
    "--tensor-parallel-size": st.integers(1, 7),
    "--max-num-seqs": st.integers(100, 999),
    "--gpu-memory-utilization": st.sampled_from([0.25, 0.75]),
    "--kv-cache-dtype": st.sampled_from(["auto", "fp8_e5m2"]),
    "--seed": st.integers(1000, 1009),
}


def shell(words: Sequence[str], between: str) -> str:
    return f"#!/bin/bash\n# kept\nexport A=1\nvllm serve m/x {between.join(words)} 2>&1 | tee log\necho done\n"


def docker_run(words: Sequence[str], between: str) -> str:
    return f"docker run --gpus all -e A=1 {IMAGE} --model m/x {between.join(words)}\n"


def dockerfile(words: Sequence[str], between: str) -> str:
    listed = ", ".join(json.dumps(one, ensure_ascii=False) for word in words for one in word.split())
    return f'FROM {IMAGE}\nENV A=1\n# kept\nENTRYPOINT ["vllm", "serve", "m/x", {listed}]\n'


def compose(words: Sequence[str], between: str) -> str:
    return f"services:\n  llm:\n    image: {IMAGE}\n    command: --model m/x {' '.join(words)}  # kept\n    environment:\n      - A=1\n"


def kubernetes(words: Sequence[str], between: str) -> str:
    items = "".join(f"        - {one}\n" for word in words for one in word.split())
    return (
        "apiVersion: v1\nkind: Pod\nmetadata: {name: llm}\nspec:\n  containers:\n"
        f"    - name: c  # kept\n      image: {IMAGE}\n      args:\n        - --model\n        - m/x\n{items}"
        "      env:\n        - name: A\n          value: '1'\n"
    )


def in_json(words: Sequence[str], between: str) -> str:
    args = ["--model", "m/x", *(one for word in words for one in word.split())]
    container = {"name": "c", "image": IMAGE, "args": args, "env": [{"name": "A", "value": "1"}]}
    pod = {"apiVersion": "v1", "kind": "Pod", "metadata": {"name": "llm"}, "spec": {"containers": [container]}}
    return json.dumps(pod, indent=2, ensure_ascii=False) + "\n"


FILES: list[tuple[str, Callable[[Sequence[str], str], str]]] = [
    ("run.sh", shell), ("run.sh", docker_run), ("Dockerfile", dockerfile), ("compose.yaml", compose),
    ("pod.yaml", kubernetes), ("pod.json.yaml", in_json),
]  # fmt: skip
WORDS = st.lists(st.sampled_from(sorted(TYPED)), min_size=1, max_size=6, unique=True).flatmap(
    lambda flags: st.tuples(*(st.sampled_from(TYPED[flag]) for flag in flags))
)
BETWEEN = st.sampled_from([" ", " \\\n  "])


def opened(name: str, text: str) -> Deployment:
    return read_file(name, text.encode(), KNOWN)


def tokens(text: str) -> list[str]:
    return re.findall(r"[^\s'\",\[\]\\=]+", text)


def after(before: Deployment, change: Change) -> Deployment:
    return edited(before, (change,), KNOWN).deployment


@settings(max_examples=60)
@given(
    st.sampled_from(FILES),
    WORDS,
    BETWEEN,
    st.sampled_from(sorted(VALUES)).flatmap(lambda flag: st.tuples(st.just(flag), VALUES[flag])),
)
def test_a_value_is_set_and_nothing_else(
    file: tuple[str, Callable[[Sequence[str], str], str]],
    words: Sequence[str],
    between: str,
    change: tuple[str, int | float | str],
) -> None:
    name, write = file
    before = opened(name, write(words, between))
    (workload,) = before.workloads
    flag, value = change
    wanted = Change(0, "set", flag, value=value)
    once = after(before, wanted)
    given_ = workload.launch.setting(flag)
    assert once.workloads[0].launch.setting(flag).value == value, once.text  # type: ignore[union-attr]
    assert after(once, wanted).text == once.text, "twice"
    gone = {flag, str(given_.value), given_.typed} if given_ else set()
    come = {flag, str(value), *gone, "-" if write is kubernetes else "", flag.replace("-", "_").replace("__", "--")}
    assert [one for one in tokens(before.text) if one not in come | gone] == [
        one for one in tokens(once.text) if one not in come | gone
    ]
    back = Change(0, "set", flag, value=given_.value) if given_ else Change(0, "remove", flag)
    undone = after(once, back).text
    assert tokens(undone) == tokens(before.text) if given_ is None else undone == before.text, "undone"


@settings(max_examples=60)
@given(st.sampled_from(FILES), WORDS, BETWEEN, st.integers(0, 5))
def test_a_flag_is_removed_and_nothing_else(
    file: tuple[str, Callable[[Sequence[str], str], str]], words: Sequence[str], between: str, at: int
) -> None:
    name, write = file
    before = opened(name, write(words, between))
    (workload,) = before.workloads
    typed = words[at % len(words)]
    flag = next(one.flag for one in workload.launch.settings if one.typed == re.split("[ =]", typed)[0])
    once = after(before, Change(0, "remove", flag))
    assert once.workloads[0].launch.setting(flag) is None, once.text
    assert after(once, Change(0, "remove", flag)).text == once.text, "twice"
    rest = [one for number, one in enumerate(words) if number != at % len(words)]
    if rest:
        kept = opened(name, write(rest, between))
        assert tokens(once.text) == tokens(kept.text)
        assert [(one.flag, one.value) for one in once.workloads[0].launch.settings] == [
            (one.flag, one.value) for one in kept.workloads[0].launch.settings
        ]


@settings(max_examples=60)
@given(
    st.sampled_from(FILES),
    WORDS,
    BETWEEN,
    st.sampled_from(["A", "NCCL_P2P_DISABLE"]),
    st.sampled_from([None, "0", "x y", "it's"]),
)
def test_a_variable_is_set_or_removed_and_nothing_else(
    file: tuple[str, Callable[[Sequence[str], str], str]],
    words: Sequence[str],
    between: str,
    variable: str,
    value: str | None,
) -> None:
    name, write = file
    before = opened(name, write(words, between))
    change = Change(0, "set variable", variable, value=value)
    done = edited(before, (change,), KNOWN)
    if done.problem:
        assert done.deployment.text == before.text
        return
    once = done.deployment
    assert {one.name: one.value for one in once.workloads[0].environment}.get(variable) == value, once.text
    assert after(once, change).text == once.text, "twice"
    assert [(one.flag, one.value) for one in once.workloads[0].launch.settings] == [
        (one.flag, one.value) for one in before.workloads[0].launch.settings
    ]
    assert once.text.count("kept") == before.text.count("kept")
