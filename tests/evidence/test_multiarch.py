"""What names of libraries, files and devices give away of the host."""

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


def test_a_traceback_of_windows():
    text = 'Traceback (most recent call last):\n  File "C:\\Users\\me\\lmdeploy\\turbomind.py", line 3, in <module>\nImportError: DLL load failed\n'
    (fact,) = facts(handed(text, "server.log"), lambda fact: fact.name == "hardware.os")
    assert (fact.value, fact.origin) == ("windows", "observed")
    assert values(handed(text.replace("C:\\Users\\me\\", "/home/me/"), "server.log"), "hardware.os") == []


@pytest.mark.parametrize(
    ("line", "value"),
    [
        (
            "UserWarning: NVIDIA GB10 with CUDA capability sm_121 is not compatible with the current PyTorch installation.",
            12.1,
        ),
        ("ptxas fatal   : Value 'sm_121a' is not defined for option 'gpu-name'", 12.1),
        ("NVIDIA GeForce RTX 5090 with CUDA capability sm_120 is not compatible", 12.0),
    ],
)
def test_a_device_that_a_library_names(line, value):
    assert values(handed(f"INFO 10-06 04:51:05 [a.py:1] x\n{line}\n", "server.log"), "hardware.capability") == [value]


def test_what_a_library_is_built_for_is_no_device():
    line = "The current PyTorch install supports CUDA capabilities sm_80 sm_90.\n"
    assert values(handed(f"INFO 10-06 04:51:05 [a.py:1] x\n{line}", "server.log"), "hardware.capability") == []
