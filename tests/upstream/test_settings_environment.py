"""Environment variables: the text that acts as leaving the variable unset does."""

from __future__ import annotations

import pytest

from tests.upstream.sources import surface
from tests.upstream.test_settings_sglang import BY_HAND
from tests.upstream.test_settings_vllm import FILES

ENVS = """
    import os
    def env_with_choices(env_name, default, choices):
        def _get_validated_env():
            value = os.getenv(env_name)
            if value is None:
                return default
            return value
        return _get_validated_env
    def maybe_int(value):
        if value is None:
            return None
        return int(value)
    environment_variables = {
        "VLLM_NVTX": lambda: bool(int(os.getenv("VLLM_NVTX", "0"))),
        "VLLM_LEVEL": lambda: os.getenv("VLLM_LEVEL", "INFO").upper(),
        "VLLM_PORT": lambda: maybe_int(os.getenv("VLLM_PORT")),
        "VLLM_ODD": lambda: bool(os.getenv("VLLM_ODD", 0)),
        "VLLM_SPACE": lambda: int(os.getenv("VLLM_SPACE", "0")) if "VLLM_SPACE" in os.environ else None,
        "VLLM_BACKEND": env_with_choices("VLLM_BACKEND", "auto", ["auto", "fa"]),
        "VLLM_ROOT": lambda: os.path.expanduser(os.getenv("VLLM_ROOT", "~/.cache")),
        "VLLM_TIMEOUT": lambda: (v if (v := float(os.getenv("VLLM_TIMEOUT", "10."))) > 0.0 else 1.0),
    }
"""


@pytest.fixture(scope="module")
def vllm():
    return {each.name: each for each in surface("vllm", **FILES, vllm__envs=ENVS).variables}


@pytest.mark.parametrize(
    ("name", "text"),
    [("VLLM_NVTX", "0"), ("VLLM_LEVEL", "INFO"), ("VLLM_BACKEND", "auto"), ("VLLM_TIMEOUT", "10.")],
)
def test_the_text_of_the_default_is_kept(vllm, name, text):
    assert (vllm[name].default, vllm[name].default_known) == (text, True)


def test_unset_stays_unset(vllm):
    assert (vllm["VLLM_PORT"].default, vllm["VLLM_PORT"].default_known) == (None, True)


def test_a_fallback_that_would_act_differently_if_set_is_not_given(vllm):
    assert vllm["VLLM_SPACE"].default is None
    assert vllm["VLLM_ODD"].default is None  # bool("0") is true


def test_a_default_below_the_home_folder_is_not_known(vllm):
    assert not vllm["VLLM_ROOT"].default_known


ENVIRON = """
    def _default_hip() -> bool:
        try:
            import torch
            return torch.version.hip is not None
        except Exception:
            return False
    class Level(IntEnum):
        OFF = 0
    class Envs:
        SGLANG_LOG_MS = EnvBool(False)
        SGLANG_LEVEL = EnvInt(Level.OFF)
        SGLANG_BYTES = EnvInt(128 * 1024)
        SGLANG_PEERS = EnvTuple(tuple())
        SGLANG_NEW = EnvBoolWithAlias(True, deprecated_name="SGLANG_OLD")
        SGLANG_TOKEN = EnvStr(None)
        SGLANG_HIP = EnvBool(_default_hip)
        lower_case = EnvBool(True)
    envs = Envs()
"""


def test_sglang_fields_give_their_defaults():
    files = {"sglang__srt__server_args": BY_HAND, "sglang__srt__environ": ENVIRON}
    found = {each.name: (each.default, each.default_known) for each in surface("sglang", **files).variables}
    assert found == {
        "SGLANG_LOG_MS": ("0", True),
        "SGLANG_LEVEL": ("0", True),
        "SGLANG_BYTES": ("131072", True),
        "SGLANG_PEERS": ("", True),
        "SGLANG_NEW": ("1", True),
        "SGLANG_OLD": (None, True),  # still read when SGLANG_NEW is not set
        "SGLANG_TOKEN": (None, True),
        "SGLANG_HIP": (None, False),
    }
