"""The architecture that names of libraries give away."""

import pytest

from tests.evidence.situations import facts, handed, values

MAPS = "7f8b5d000000-7f8b5d200000 r-xp 00000000 08:01 12 /usr/lib/{}-linux-gnu/libnccl.so.2.27.3\n"
TRACEBACK = (
    "(EngineCore pid=3) ERROR 10-06 04:51:05 [core.py:720] ImportError: "
    "/opt/venv/lib/python3.12/site-packages/torch/_C.cpython-312-{}-linux-gnu.so: undefined symbol: _ZN3c10\n"
)


@pytest.mark.parametrize("form", [MAPS, TRACEBACK])
@pytest.mark.parametrize("arch", ["x86_64", "aarch64"])
def test_a_name_of_one_architecture(form, arch):
    (fact,) = facts(handed(form.format(arch)), lambda fact: fact.name == "hardware.arch")
    assert (fact.value, fact.origin) == (arch, "derived")
    assert fact.span is not None and fact.span.line == 1
    assert f"-{arch}-linux-gnu" in fact.why or f"/{arch}-linux-gnu/" in fact.why


@pytest.mark.parametrize(
    "text",
    [
        MAPS.format("x86_64") + MAPS.format("aarch64"),
        "INFO 10-06 04:51:05 [build.py:1] rustc host: x86_64-unknown-linux-gnu\n",
        MAPS.replace("/{}-linux-gnu", ""),
        TRACEBACK[:150],
    ],
)
def test_both_none_and_a_cut_one(text):
    assert values(handed(text), "hardware.arch") == []
